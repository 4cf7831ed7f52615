/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Where there are no results of contact. */
#ifndef IMPINGE_CHECK_REFUSE_RESULTS_H
#define IMPINGE_CHECK_REFUSE_RESULTS_H

#include "setup/contact_object.h"

static inline ipg_status ipg_refuse_results(const ipg_contact *c, ipg_error *error) {
  if (!ipg_has_face_contact(&c->model))
    return ipg_fail(
        error, IPG_ERROR_UNSUPPORTED,
        "results at nodes, faces and pairs of blocks are those of penalty contact: choose that enforcement, "
        "or take the contact pairs");
  if (!c->has_evaluation) return ipg_fail(error, IPG_ERROR_ARGUMENT, "there are no results of contact: evaluate first");
  return IPG_OK;
}

#endif
