/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* -contact_record N: the contact of step N is written to contact_step_N.ipg, which `impinge replay` evaluates again.
 * The name is ours from the start of the run to its end: a second run of the same name is refused before it begins. */
#include "impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool write_bytes(void *file, const void *bytes, size_t count) { return fwrite(bytes, 1, count, file) == count; }

/* Beside the file first, as all that is written: a full disk leaves an earlier recording as it was. */
static ipg_status record_to(IpgContact c, PetscReal t, ipg_output *output, ipg_error *error) {
  const char *name = ipg_output_get_name(output);
  FILE *file = fopen(ipg_output_get_path(output), "wb");
  if (!file) return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s': %s", name, strerror(errno));
  const ipg_status status =
      ipg_contact_record(c->contact, (double)t, c->trial_positions, NULL, write_bytes, file, error);
  const int closed = fclose(file);
  if (status || closed) return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s': the disk may be full", name);
  return ipg_output_commit(output, error);
}

PetscErrorCode IpgContactClaimRecording(IpgContact c) {
  char path[64];
  ipg_error error = {0};

  PetscFunctionBegin;
  if (!c->record_step || c->recording) PetscFunctionReturn(0);
  PetscCall(PetscSNPrintf(path, sizeof path, "contact_step_%" PetscInt_FMT ".ipg", c->record_step));
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_output_claim(path, NULL, &c->recording, &error));
  PetscFunctionReturn(0);
}

/* A step that is evaluated again is recorded again. */
PetscErrorCode IpgContactRecordStep(IpgContact c, PetscReal t) {
  const int64_t last = ipg_contact_last_step(c->contact);
  ipg_error error = {0};

  PetscFunctionBegin;
  if (!c->record_step || (last == INT64_MIN ? 0 : last) != c->record_step - 1) PetscFunctionReturn(0);
  if (c->recording && ipg_output_is_in_place(c->recording)) ipg_output_destroy(&c->recording);
  PetscCall(IpgContactClaimRecording(c));
  IpgCall(PetscObjectComm((PetscObject)c), error, record_to(c, t, c->recording, &error));
  PetscFunctionReturn(0);
}
