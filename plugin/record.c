/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* -contact_record N: the contact of step N is written to contact_step_N.ipg, which `impinge replay` evaluates again. */
#include "impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool write_bytes(void *file, const void *bytes, size_t count) { return fwrite(bytes, 1, count, file) == count; }

PetscErrorCode IpgContactRecordStep(IpgContact c, PetscReal dt) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);
  const int64_t last = ipg_contact_last_step(c->contact);
  char path[64];
  ipg_error error = {0};

  PetscFunctionBegin;
  if (!c->record_step || (last == INT64_MIN ? 0 : last) != c->record_step - 1) PetscFunctionReturn(0);
  PetscCall(PetscSNPrintf(path, sizeof path, "contact_step_%" PetscInt_FMT ".ipg", c->record_step));
  FILE *file = fopen(path, "wb");
  PetscCheck(file, comm, PETSC_ERR_FILE_OPEN, "cannot write '%s': %s", path, strerror(errno));
  const ipg_status status =
      ipg_contact_record(c->contact, c->trial_positions, NULL, (double)dt, write_bytes, file, &error);
  const int closed = fclose(file);
  PetscCheck(!status && !closed, comm, PETSC_ERR_FILE_WRITE, "cannot write '%s': the disk may be full", path);
  PetscFunctionReturn(0);
}
