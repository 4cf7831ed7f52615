/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a user should know of a host whose time stepper and contact do not go together well. */
#include "host.h"

#include <string.h>

static PetscErrorCode print(ipg_host *h, const char *line) {
  PetscFunctionBegin;
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)h->ts), h->contact->log, "%s\n", line));
  PetscFunctionReturn(0);
}

/* Laws that need velocities, where the program gives none. */
static PetscErrorCode check_velocities(ipg_host *h) {
  const ipg_contact_law *law = &h->contact->config.law;

  PetscFunctionBegin;
  if (h->kind != HOST_SPLIT) PetscFunctionReturn(0);
  PetscCheck(!(law->friction_static > 0 || law->damping > 0), PetscObjectComm((PetscObject)h->ts), PETSC_ERR_SUP,
             "this program computes forces from positions alone, so contact knows no velocities: leave out "
             "-contact_friction_static, -contact_friction_dynamic and -contact_damping, or choose another -ts_type");
  PetscCall(print(h, "contact: forces follow from positions alone, without friction and damping"));
  PetscFunctionReturn(0);
}

/* One linear solve sees contact where the step began. */
static PetscErrorCode check_solver(ipg_host *h) {
  PetscBool is_linear;
  SNES snes;

  PetscFunctionBegin;
  if (!h->is_implicit) PetscFunctionReturn(0);
  PetscCall(PetscObjectTypeCompare((PetscObject)h->ts, TSROSW, &is_linear));
  if (!is_linear) {
    PetscCall(TSGetSNES(h->ts, &snes));
    PetscCall(PetscObjectTypeCompare((PetscObject)snes, SNESKSPONLY, &is_linear));
  }
  if (!is_linear) PetscFunctionReturn(0);
  h->is_implicit = PETSC_FALSE;
  PetscCall(print(h, "warning: the program solves one linear system for a stage, so contact acts as with an explicit "
                     "type: take -snes_type newtonls, or steps as short"));
  PetscFunctionReturn(0);
}

/* Forward Euler makes energy out of every spring. */
static PetscErrorCode check_type(ipg_host *h) {
  PetscBool is_euler, is_rk;
  TSRKType type;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)h->ts, TSEULER, &is_euler));
  PetscCall(PetscObjectTypeCompare((PetscObject)h->ts, TSRK, &is_rk));
  if (is_rk) {
    PetscCall(TSRKGetType(h->ts, &type));
    PetscCall(PetscStrcmp(type, TSRK1FE, &is_euler));
  }
  if (is_euler)
    PetscCall(print(h, "warning: forward Euler makes energy in contact as in every undamped spring: choose -ts_type rk "
                       "-ts_rk_type 4, or another type"));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostWarn(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(check_velocities(h));
  PetscCall(check_solver(h));
  PetscCall(check_type(h));
  PetscFunctionReturn(0);
}

/* For central difference; other explicit types bear steps about as long. */
PetscErrorCode IpgHostWarnOfStep(ipg_host *h) {
  const double stable = ipg_contact_stable_step(h->contact->contact);
  char line[200];

  PetscFunctionBegin;
  if (h->warned_of_step || h->is_implicit || !((double)h->ts->time_step > stable)) PetscFunctionReturn(0);
  h->warned_of_step = PETSC_TRUE;
  snprintf(line, sizeof line,
           "warning: the step %g is longer than contact bears, %g: shorten it, or lower -contact_penalty_scale",
           (double)h->ts->time_step, stable);
  PetscCall(print(h, line));
  PetscFunctionReturn(0);
}

/* All options of contact have been read, but for -contact_view. */
PetscErrorCode IpgHostRefuseUnknownOptions(ipg_host *h) {
  const char *prefix = ((PetscObject)h->ts)->prefix ? ((PetscObject)h->ts)->prefix : "";
  char begin[128], unknown[128] = "", **names, **values;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(begin, sizeof begin, "%scontact_", prefix));
  PetscCall(PetscOptionsLeftGet(((PetscObject)h->ts)->options, &count, &names, &values));
  for (PetscInt i = 0; i < count; ++i)
    if (!strncmp(names[i], begin, strlen(begin)) && strcmp(names[i] + strlen(begin), "view"))
      PetscCall(PetscStrncpy(unknown, names[i], sizeof unknown));
  PetscCall(PetscOptionsLeftRestore(((PetscObject)h->ts)->options, &count, &names, &values));
  PetscCheck(!*unknown, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_USER,
             "-%s is no option of contact, or none that this program can use: -help lists them all", unknown);
  PetscFunctionReturn(0);
}
