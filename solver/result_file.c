/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The file that a run writes: claimed before the first step is prepared, so that a run which may not write it computes
 * nothing, and what it records about the run. */
#include "impact.h"

#include "impinge_commit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Options that nobody may have put into the deck: those of the command line, and of PETSc's files and environment. */
PetscErrorCode impact_keep_options(run *r) {
  size_t length;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &r->options));
  PetscCall(PetscStrlen(r->options, &length));
  while (length && r->options[length - 1] == ' ') r->options[--length] = 0;
  PetscFunctionReturn(0);
}

/* The recorded step is written within the run, and must not be refused only then. */
static PetscErrorCode check_recording(const run *r) {
  const ipg_output_rule rule = {.force = r->deck->force};
  char name[64];
  ipg_output *output;
  ipg_error error = {0};
  PetscInt step = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-contact_record", &step, NULL));
  if (!step) PetscFunctionReturn(0);
  PetscCall(PetscSNPrintf(name, sizeof name, "contact_step_%" PetscInt_FMT ".ipg", step));
  LibraryCall(error, ipg_output_claim(name, &rule, &output, &error));
  const bool is_deck = ipg_output_is(output, r->deck->file);
  ipg_output_destroy(&output);
  PetscCheck(!is_deck, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "-contact_record would overwrite the deck '%s': give the deck another name", name);
  PetscFunctionReturn(0);
}

/* Years have four digits. */
static bool read_seconds(const char *text, time_t *date) {
  static const long long last = 253402300799; /* of the year 9999 */
  const size_t digits = strspn(text, "0123456789");
  if (text[digits] || digits > 12) return false;
  const long long seconds = strtoll(text, NULL, 10);
  *date = (time_t)seconds;
  return seconds <= last;
}

/* The time now, or that of SOURCE_DATE_EPOCH: then the same run gives the same file, to the byte. */
static PetscErrorCode find_date(time_t *date) {
  const char *fixed = getenv("SOURCE_DATE_EPOCH");

  PetscFunctionBegin;
  *date = time(NULL);
  PetscCheck(!fixed || !*fixed || read_seconds(fixed, date), PETSC_COMM_WORLD, PETSC_ERR_USER,
             "SOURCE_DATE_EPOCH is '%.100s'; it must be a whole number of seconds, 0 to 253402300799: correct it, or "
             "unset it for the date of today",
             fixed);
  PetscFunctionReturn(0);
}

static void write_date(time_t date, char day[IPG_TYPE_MAX], char clock[IPG_TYPE_MAX]) {
  struct tm parts = {0};
  (void)gmtime_r(&date, &parts);
  (void)strftime(day, IPG_TYPE_MAX, "%Y-%m-%d", &parts);
  (void)strftime(clock, IPG_TYPE_MAX, "%H:%M:%S UTC", &parts);
}

PetscErrorCode impact_claim_results(run *r) {
  const ipg_output_rule rule = {r->deck->force, r->deck->file, ipg_exodus_records_deck};
  char file[IMPACT_PATH_BYTES];
  PetscBool given;
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(check_recording(r));
  PetscCall(impact_read_text_option("-output_file", file, &given));
  if (!given) PetscFunctionReturn(0);
  PetscCall(find_date(&r->date));
  LibraryCall(error, ipg_output_claim(file, &rule, &r->output, &error));
  PetscCheck(!ipg_output_is(r->output, r->deck->file), PETSC_COMM_WORLD, PETSC_ERR_USER,
             "output.file is the deck '%s', which would be overwritten: choose another name", file);
  PetscFunctionReturn(0);
}

/* As many bytes as fit, and no part of a letter (UTF-8). */
static void copy_text(char *to, size_t bytes, const char *from) {
  size_t length = strlen(from);
  if (length >= bytes)
    for (length = bytes - 1; length && ((unsigned char)from[length] & 0xc0) == 0x80;) --length;
  memcpy(to, from, length);
  to[length] = 0;
}

static PetscErrorCode set_title(run *r) {
  char title[IMPACT_PATH_BYTES];
  PetscBool given;

  PetscFunctionBegin;
  const char *slash = strrchr(r->deck->file, '/');
  PetscCall(impact_read_text_option("-title", title, &given));
  copy_text(r->mesh.title, sizeof r->mesh.title, given ? title : slash ? slash + 1 : r->deck->file);
  PetscFunctionReturn(0);
}

PetscErrorCode impact_record_provenance(run *r) {
  ipg_error error = {0};
  ipg_provenance p = {.written_by = {"impinge"},
                      .deck_path = ipg_output_get_source(r->output),
                      .options = r->options ? r->options : "",
                      .end_time = (double)r->end_time,
                      .deck = r->deck->text ? r->deck->text : "",
                      .deck_bytes = r->deck->text_bytes};

  PetscFunctionBegin;
  copy_text(p.written_by[1], sizeof p.written_by[1], IPG_VERSION ", commit " IMPINGE_COMMIT);
  write_date(r->date, p.written_by[2], p.written_by[3]);
  PetscCall(set_title(r));
  LibraryCall(error, ipg_mesh_set_provenance(&r->mesh, &p, &error));
  PetscFunctionReturn(0);
}
