/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The deck and the command line as PETSc options. The options of a deck are inserted for its run alone; one that
 * nothing reads is refused. */
#include "impact.h"

#include <string.h>

enum { OPTION_BYTES = 600 };

PetscErrorCode impact_insert_deck_options(run *r) {
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(r->deck->count, &r->deck_option_inserted));
  for (int64_t i = 0; i < r->deck->count; ++i) {
    char name[OPTION_BYTES];
    PetscBool given;
    PetscCall(PetscSNPrintf(name, sizeof name, "-%s", r->deck->entries[i].option));
    PetscCall(PetscOptionsHasName(NULL, NULL, name, &given));
    if (given) continue;
    PetscCall(PetscOptionsSetValue(NULL, name, r->deck->entries[i].value));
    r->deck_option_inserted[i] = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode impact_remove_deck_options(run *r) {
  PetscFunctionBegin;
  for (int64_t i = 0; r->deck_option_inserted && i < r->deck->count; ++i) {
    char name[OPTION_BYTES];
    if (!r->deck_option_inserted[i]) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "-%s", r->deck->entries[i].option));
    PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscCall(PetscFree(r->deck_option_inserted));
  PetscFunctionReturn(0);
}

/* Options that are read later: the title, views of contact and time stepper, those of the program (the picture) and of
 * PETSc at its end. */
static PetscErrorCode mark_options_of_others(void) {
  static const char *const options[] = {"-title",        "-output_picture", "-output_colour", "-output_view",
                                        "-contact_view", "-ts_view",        "-options_left"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(options); ++i)
    PetscCall(PetscOptionsHasName(NULL, NULL, options[i], NULL));
  PetscFunctionReturn(0);
}

/* Options of PETSc's time steppers that a run decides itself: better refused than ignored. */
static PetscErrorCode refuse_stepper_options(void) {
  static const char *const refused[][2] = {
      {"-ts_dt", "the time step follows from the critical time step and time.safety"},
      {"-ts_time_step", "the time step follows from the critical time step and time.safety"},
      {"-ts_max_steps", "set time.end instead"},
      {"-ts_max_time", "set time.end instead"},
      {"-ts_final_time", "set time.end instead"},
      {"-ts_init_time", "a run starts at time 0"},
      {"-ts_exact_final_time", "the last step ends at time.end"},
      {"-ts_adapt_type", "the time step follows from the critical time step and time.safety"}};
  PetscBool given;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(refused); ++i) {
    PetscCall(PetscOptionsHasName(NULL, NULL, refused[i][0], &given));
    PetscCheck(!given, PETSC_COMM_WORLD, PETSC_ERR_USER, "%s has no effect on a run: %s", refused[i][0], refused[i][1]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode impact_read_options(run *r) {
  PetscFunctionBegin;
  PetscCall(refuse_stepper_options());
  PetscCall(mark_options_of_others());
  r->time_safety = 0.9, r->output_count = 20, r->threads = 1;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Impact run", "");
  PetscCall(PetscOptionsReal("-time_end", "End time of the run", "", r->end_time, &r->end_time, NULL));
  PetscCall(PetscOptionsReal("-time_safety", "Time step as a fraction of the critical time step", "", r->time_safety,
                             &r->time_safety, NULL));
  PetscCall(PetscOptionsInt("-output_count", "Number of outputs: result steps and status lines", "", r->output_count,
                            &r->output_count, NULL));
  PetscCall(PetscOptionsInt("-threads", "Number of threads", "", r->threads, &r->threads, NULL));
  PetscOptionsEnd();
  PetscCheck(r->output_count >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "output.count is %" PetscInt_FMT "; it must be 1 or more", r->output_count);
  PetscCheck(r->threads >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "threads is %" PetscInt_FMT "; it must be 1 or more", r->threads);
  PetscCheck(r->end_time > 0 && PetscIsNormalReal(r->end_time), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "time.end is %g; it must be a finite number above 0", (double)r->end_time);
  PetscCheck(r->time_safety > 0 && r->time_safety <= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "time.safety is %g; it must be above 0 and at most 1", (double)r->time_safety);
  PetscFunctionReturn(0);
}

PetscErrorCode impact_read_text_option(const char *option, char text[IMPACT_PATH_BYTES], PetscBool *given) {
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, text, IMPACT_PATH_BYTES, given));
  PetscCheck(!*given || strlen(text) < IMPACT_PATH_BYTES - 2, PETSC_COMM_SELF, PETSC_ERR_USER,
             "the text of option %s is longer than %d letters", option, IMPACT_PATH_BYTES - 2);
  PetscFunctionReturn(0);
}

/* The keys and blocks of a deck are checked before, so this is a misspelt option of the command line. */
PetscErrorCode impact_refuse_unread_options(void) {
  PetscInt count;
  char **names, **values, first[OPTION_BYTES] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &count, &names, &values));
  if (count) PetscCall(PetscStrncpy(first, names[0], sizeof first));
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  PetscCheck(!*first, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "unknown option -%s; impinge run --help lists the keys of a deck", first);
  PetscFunctionReturn(0);
}
