/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A deck's values and the command line as PETSc options, and a complaint about what nobody reads. */
#include "impact.h"

#include <math.h>
#include <string.h>

PetscErrorCode impact_insert_deck(const ipg_deck *deck) {
  PetscFunctionBegin;
  for (int64_t i = 0; i < deck->count; ++i) {
    char name[600];
    PetscBool given;
    PetscCall(PetscSNPrintf(name, sizeof name, "-%s", deck->entries[i].option));
    PetscCall(PetscOptionsHasName(NULL, NULL, name, &given));
    if (!given) PetscCall(PetscOptionsSetValue(NULL, name, deck->entries[i].value));
  }
  PetscFunctionReturn(0);
}

/* The title is read when the run begins, and the picture is the program's. */
static PetscErrorCode mark_options_of_others(void) {
  static const char *const options[] = {"-title", "-output_picture", "-output_colour", "-output_view"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(options); ++i)
    PetscCall(PetscOptionsHasName(NULL, NULL, options[i], NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode impact_read_options(run *r) {
  PetscFunctionBegin;
  PetscCall(mark_options_of_others());
  r->safety = 0.9, r->output_count = 20, r->threads = 1;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Impact run", "");
  PetscCall(PetscOptionsReal("-time_end", "When the run ends", "", r->end, &r->end, NULL));
  PetscCall(PetscOptionsReal("-time_safety", "Part of the stable step that is used", "", r->safety, &r->safety, NULL));
  PetscCall(PetscOptionsInt("-output_count", "Results", "", r->output_count, &r->output_count, NULL));
  PetscCall(PetscOptionsInt("-threads", "Threads", "", r->threads, &r->threads, NULL));
  PetscOptionsEnd();
  PetscCheck(r->output_count >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "output.count is %" PetscInt_FMT "; it must be 1 or more", r->output_count);
  PetscCheck(r->threads >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "threads is %" PetscInt_FMT "; it must be 1 or more", r->threads);
  PetscCheck(r->end > 0 && PetscIsNormalReal(r->end), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "time.end is %g; it must be a finite number above 0", (double)r->end);
  PetscCheck(r->safety > 0 && r->safety <= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "time.safety is %g; it must be above 0 and at most 1", (double)r->safety);
  PetscFunctionReturn(0);
}

PetscErrorCode impact_read_text(const char *option, char text[IMPACT_PATH_BYTES], PetscBool *given) {
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, text, IMPACT_PATH_BYTES, given));
  PetscCheck(!*given || strlen(text) < IMPACT_PATH_BYTES - 2, PETSC_COMM_SELF, PETSC_ERR_USER,
             "the text of option %s is longer than %d letters", option, IMPACT_PATH_BYTES - 2);
  PetscFunctionReturn(0);
}

/* An option that nobody has read is a typing error: of a deck all keys are known, and all blocks. */
PetscErrorCode impact_refuse_unread_options(void) {
  PetscInt count;
  char **names, **values;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &count, &names, &values));
  PetscCheck(!count, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "unknown option -%s; impinge run --help lists the keys of a deck", names[0]);
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  PetscFunctionReturn(0);
}
