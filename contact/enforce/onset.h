/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The penetration over which the pressure of penalty contact sets in: see config.onset. */
#ifndef IMPINGE_ENFORCE_ONSET_H
#define IMPINGE_ENFORCE_ONSET_H

#include "model/model.h"
#include "support/thresholds.h"

/* period, size: of the slower and of the finer block; speed: at which the two approach at the start. */
static inline double ipg_onset_of(const ipg_model *m, double period, double size, double speed) {
  const double way = IPG_ONSET_PERIODS * period * speed;
  if (m->config.onset > 0) return m->config.onset;
  return way > 0 ? larger(IPG_LEAST_ONSET * size, smaller(IPG_MOST_ONSET * size, way)) : IPG_MOST_ONSET * size;
}

/* At the start; 0 where the host code does not tell. */
static inline vec ipg_velocity_of_block(const ipg_model *m, int32_t block) {
  return m->config.reference_velocity_count ? vec_at(m->faces.velocities.at, block) : (vec){0, 0, 0};
}

#endif
