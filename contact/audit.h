/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the parts of an audit share: audit.c asks about nodes, audit_edges.c about edges. */
#ifndef IMPINGE_CONTACT_AUDIT_H
#define IMPINGE_CONTACT_AUDIT_H

#include "state.h"

typedef struct audit {
  const ipg_contact *c;
  ipg_contact_audit_report *report;
  ipg_box *paths;             /* of all faces in this step, as far out as they touch */
  ipg_pair *faces;            /* all faces one node may touch */
  ipg_contact_pair *contacts; /* of one node */
} audit;

/* Around the paths of the nodes in this step, whatever the search had boxes of. */
ipg_box ipg_box_of_paths(const ipg_contact *contact, const ipg_id *nodes, int count);
ipg_status ipg_audit_edges(audit *a, ipg_error *error);

#endif
