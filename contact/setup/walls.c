/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The rigid walls of the config: checked and copied, with normals of length 1. */
#include "setup/build_model.h"
#include "setup/check_input.h"
#include "setup/sizes.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static bool is_finite_vector(const double v[3]) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }

static double largest_component(const double v[3]) { return larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2]))); }

static ipg_status check_wall(const ipg_contact_wall *w, int64_t number, ipg_error *error) {
  char whose[48];
  snprintf(whose, sizeof whose, "contact wall %lld", (long long)number);
  if (!is_finite_vector(w->point) || !is_finite_vector(w->normal) || !is_finite_vector(w->velocity))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: its point, normal and velocity must be finite", whose);
  if (!ipg_is_position(w->point))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: its point lies beyond %g: take other units", whose, IPG_LARGEST);
  if (!(largest_component(w->normal) > 0))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: its normal is 0; give a direction out of the wall", whose);
  return ipg_check_law(&w->law, whose, error);
}

static ipg_status take_walls(ipg_model *m, ipg_error *error) {
  const int64_t count = m->config.wall_count;
  if (count < 0) return ipg_fail(error, IPG_ERROR_ARGUMENT, "the number of contact walls is negative");
  if (count >= IPG_ID_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "%lld contact walls are more than 32-bit ids can name: leave out some",
                    (long long)count);
  if (count && !m->config.walls) return ipg_fail(error, IPG_ERROR_ARGUMENT, "the array of contact walls is null");
  const ipg_status status = ipg_array_reserve(&m->walls, &m->config.allocator, count, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) m->walls.at[i] = ipg_take_wall(&m->config, i);
  m->config.walls = m->walls.at, m->config.sizes.wall = sizeof(ipg_contact_wall);
  return IPG_OK;
}

/* A normal of length 1 but for rounding stays as it is: normalising twice is the same as once. */
static void normalise(double normal[3]) {
  const double largest = largest_component(normal);
  vec n = vec_at(normal, 0);
  if (fabs(vec_dot(n, n) - 1) <= 8 * DBL_EPSILON) return;
  n = (vec){n.x / largest, n.y / largest, n.z / largest}; /* squares stay within the range of doubles */
  vec_store(normal, vec_unit(n));
}

ipg_status ipg_build_walls(ipg_model *m, ipg_error *error) {
  ipg_status status = take_walls(m, error);
  for (int64_t i = 0; !status && i < m->config.wall_count; ++i) {
    ipg_contact_wall *wall = &m->walls.at[i];
    status = check_wall(wall, i + 1, error); /* counted from 1, as in a deck */
    normalise(wall->normal);
    m->rules.most_damping = larger(m->rules.most_damping, wall->law.damping);
    m->rules.most_friction = larger(m->rules.most_friction, wall->law.friction_static);
  }
  return status;
}
