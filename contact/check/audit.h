/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the parts of an audit share: audit.c checks nodes and faces,
 * audit_faces.c faces, audit_forces.c their forces, audit_inside.c bodies. */
#ifndef IMPINGE_CHECK_AUDIT_H
#define IMPINGE_CHECK_AUDIT_H

#include "setup/contact_object.h"

typedef struct ipg_audit {
  const ipg_contact *contact;
  ipg_model model; /* a shallow copy without the host code's threads: several audits may run at once */
  ipg_step step;
  ipg_contact_audit_report *report;
} ipg_audit;

/* The message of the report is that of the first finding. */
void ipg_report_finding(ipg_audit *audit, const char *what, ipg_id node, ipg_id face);
/* The box of the paths of some nodes in this step, whatever boxes the search had. */
ipg_box ipg_audit_path_box(const ipg_step *step, const ipg_id *nodes, int count);
/* True if two path boxes come within a distance, or within a margin of the audit's own, wider than that of the swept
 * boxes. */
bool ipg_audit_boxes_near(const ipg_box *a, const ipg_box *b, double distance);

void ipg_audit_faces(ipg_audit *audit);
/* Whether two faces, or a face and a bevel, may be in contact at all. */
bool ipg_audit_is_face_pair(const ipg_audit *audit, ipg_id f, ipg_id g);
ipg_status ipg_audit_forces(ipg_audit *audit, ipg_error *error);
void ipg_audit_bodies(ipg_audit *audit);

#endif
