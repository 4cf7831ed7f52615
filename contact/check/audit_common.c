/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the parts of an audit share: the message of the first finding, and boxes of paths with margins of their own. */
#include "check/audit.h"

#include <stdio.h>

void ipg_report_finding(ipg_audit *a, const char *what, ipg_id node, ipg_id face) {
  const ipg_surface *s = &a->contact->model.surface;
  if (a->report->message[0]) return;
  snprintf(a->report->message, sizeof a->report->message, "%s: node %lld, element %lld side %d", what,
           (long long)s->node_gids[node], (long long)s->face_elements[face], s->face_sides[face] + 1);
}

ipg_box ipg_audit_path_box(const ipg_step *step, const ipg_id *nodes, int count) {
  const double *ends[2] = {step->x0, step->x1};
  ipg_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < 2 * count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double x = ends[i % 2][3 * (int64_t)nodes[i / 2] + k];
      box.lo[k] = fmin(box.lo[k], x), box.hi[k] = fmax(box.hi[k], x);
    }
  return box;
}

bool ipg_audit_boxes_near(const ipg_box *a, const ipg_box *b, double distance) {
  const double margin = 1e-5, wider = 1.0001;
  double size = 0;
  for (int k = 0; k < 3; ++k) size += a->hi[k] - a->lo[k] + (b->hi[k] - b->lo[k]);
  const double near = wider * distance + margin * size;
  for (int k = 0; k < 3; ++k)
    if (a->lo[k] - near > b->hi[k] || b->lo[k] - near > a->hi[k]) return false;
  return true;
}
