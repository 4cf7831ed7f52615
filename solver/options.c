/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The deck and the command line as PETSc options. The options of a deck are inserted for its run alone; one that
 * nothing reads is refused. */
#include "impact.h"

#include <string.h>

enum { OPTION_BYTES = 600 };

/* ------------------------------------------------------------------------------------------- the options of the deck
 */

/* PETSc holds 512 options, and blocks may be many: their values are looked up in the deck (setup.c). */
static bool is_of_block(const ipg_deck_entry *entry) { return !strncmp(entry->option, "blocks_", 7); }

PetscErrorCode impact_insert_deck_options(run *r) {
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(r->deck->count, &r->deck_option_holds));
  for (int64_t i = 0; i < r->deck->count; ++i) {
    char name[OPTION_BYTES];
    PetscBool given;
    PetscCall(PetscSNPrintf(name, sizeof name, "-%s", r->deck->entries[i].option));
    PetscCall(PetscOptionsHasName(NULL, NULL, name, &given));
    if (given) continue;
    r->deck_option_holds[i] = PETSC_TRUE;
    if (!is_of_block(&r->deck->entries[i])) PetscCall(PetscOptionsSetValue(NULL, name, r->deck->entries[i].value));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode impact_remove_deck_options(run *r) {
  PetscFunctionBegin;
  for (int64_t i = 0; r->deck_option_holds && i < r->deck->count; ++i) {
    char name[OPTION_BYTES];
    if (!r->deck_option_holds[i] || is_of_block(&r->deck->entries[i])) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "-%s", r->deck->entries[i].option));
    PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscCall(PetscFree(r->deck_option_holds));
  PetscFunctionReturn(0);
}

void impact_name_option(const run *r, const char *option, char text[IMPACT_SOURCE_BYTES]) {
  snprintf(text, IMPACT_SOURCE_BYTES, "-%s", option);
  for (int64_t i = 0; i < r->deck->count; ++i) {
    const ipg_deck_entry *e = &r->deck->entries[i];
    if (r->deck_option_holds[i] && !strcmp(e->option, option))
      snprintf(text, IMPACT_SOURCE_BYTES, "%s:%d:%d: %s", r->deck->file, e->line, e->column, e->path);
  }
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

PetscErrorCode impact_read_options(run *r) {
  PetscFunctionBegin;
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
  PetscCheck(r->end_time >= 1e-60 && r->end_time <= 1e60, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "time.end is %g; it must be a number from 1e-60 to 1e60", (double)r->end_time);
  PetscCheck(r->time_safety > 0 && r->time_safety <= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "time.safety is %g; it must be above 0 and at most 1", (double)r->time_safety);
  PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------- options that contradict each other
 */

/* The name of another option in the message about one: as a key, if that one is named as a key. */
static const char *name_alike(const char *name, const char *key, const char *option) {
  return *name == '-' ? option : key;
}

/* PETSc would print a number as "2.". */
static PetscErrorCode refuse_dynamic_friction(const run *r, PetscReal at_rest, PetscReal moving) {
  char name[IMPACT_SOURCE_BYTES];
  ipg_error error = {0};

  PetscFunctionBegin;
  impact_name_option(r, "contact_friction_dynamic", name);
  LibraryCall(error,
              ipg_fail(&error, IPG_ERROR_ARGUMENT,
                       "%s is %g, above %s, which is %g: give a static coefficient that is at least as large", name,
                       (double)moving, name_alike(name, "contact.friction_static", "-contact_friction_static"),
                       (double)at_rest));
  PetscFunctionReturn(0);
}

/* Between equal coefficients nothing decays. */
static PetscErrorCode refuse_friction_decay(const run *r, PetscReal decay, PetscReal at_rest) {
  char name[IMPACT_SOURCE_BYTES];
  ipg_error error = {0};

  PetscFunctionBegin;
  impact_name_option(r, "contact_friction_decay", name);
  LibraryCall(error, ipg_fail(&error, IPG_ERROR_ARGUMENT,
                              "%s is %g and has no effect, because both coefficients are %g: give %s below the static "
                              "one, or leave the decay out",
                              name, (double)decay, (double)at_rest,
                              name_alike(name, "contact.friction_dynamic", "-contact_friction_dynamic")));
  PetscFunctionReturn(0);
}

static PetscErrorCode check_friction(const run *r) {
  PetscReal at_rest = 0, moving = 0, decay = 0;
  PetscBool has_dynamic;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-contact_friction_static", &at_rest, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-contact_friction_dynamic", &moving, &has_dynamic));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-contact_friction_decay", &decay, NULL));
  if (!has_dynamic) moving = at_rest;
  if (moving > at_rest) PetscCall(refuse_dynamic_friction(r, at_rest, moving));
  if (decay > 0 && moving == at_rest) PetscCall(refuse_friction_decay(r, decay, at_rest));
  PetscFunctionReturn(0);
}

/* The word of contact.enforcement, lower case. */
static PetscErrorCode get_enforcement(char word[16]) {
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(word, "penalty", 16));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-contact_enforcement", word, 16, NULL));
  PetscCall(PetscStrtolower(word));
  PetscFunctionReturn(0);
}

PetscErrorCode impact_refuse_unless(const run *r, const char *owner, const char *option, const char *value) {
  char word[16], name[IMPACT_SOURCE_BYTES];
  PetscBool is_owner;

  PetscFunctionBegin;
  PetscCall(get_enforcement(word));
  PetscCall(PetscStrcmp(word, owner, &is_owner));
  if (is_owner) PetscFunctionReturn(0);
  impact_name_option(r, option, name);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER,
          "%s is %s, which belongs to enforcement by %s: leave it out, or set contact.enforcement to %s", name, value,
          owner, owner);
}

/* Kinematic contact has no springs at all. */
static PetscErrorCode refuse_with_kinematic(const run *r, const char *option, const char *value) {
  char word[16];
  PetscBool kinematic;

  PetscFunctionBegin;
  PetscCall(get_enforcement(word));
  PetscCall(PetscStrcmp(word, "kinematic", &kinematic));
  if (kinematic) PetscCall(impact_refuse_unless(r, "penalty", option, value));
  PetscFunctionReturn(0);
}

static PetscErrorCode check_enforcement(const run *r) {
  static const char *const of_penalty[] = {"contact_onset", "contact_penetration_limit", "contact_edges"};
  PetscReal damping = 0;
  PetscBool given;
  char text[32] = "", option[32];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-contact_damping", &damping, NULL));
  snprintf(text, sizeof text, "%g", (double)damping);
  if (damping > 0) PetscCall(refuse_with_kinematic(r, "contact_damping", text));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-contact_penalty_scale", text, sizeof text, &given));
  if (given) PetscCall(refuse_with_kinematic(r, "contact_penalty_scale", text));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of_penalty); ++i) {
    snprintf(option, sizeof option, "-%s", of_penalty[i]);
    PetscCall(PetscOptionsGetString(NULL, NULL, option, text, sizeof text, &given));
    if (given) PetscCall(impact_refuse_unless(r, "penalty", of_penalty[i], text));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode impact_check_contact_options(const run *r) {
  PetscFunctionBegin;
  PetscCall(check_friction(r));
  PetscCall(check_enforcement(r));
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
