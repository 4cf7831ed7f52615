/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Refuses settings and surfaces that contact cannot compute with, in a sentence that names the node or face. */
#include "setup/check_input.h"

#include <math.h>

static ipg_status check_config(const ipg_contact_config *config, ipg_error *error) {
  if (!(config->penalty_scale > 0 && config->penalty_scale <= 1))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the penalty scale is %g; it must be above 0 and at most 1",
                    config->penalty_scale);
  if (!(config->search_margin >= 0 && config->search_margin <= 10))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the search margin is %g edges; it must be from 0 to 10",
                    config->search_margin);
  if (config->enforcement != IPG_ENFORCEMENT_PENALTY && config->enforcement != IPG_ENFORCEMENT_KINEMATIC)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "enforcement %d is neither penalty nor kinematic",
                    (int)config->enforcement);
  if (!(config->onset == 0 || ipg_is_within_numbers(config->onset)))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the onset of contact is %g; it must be 0 or from %g to %g", config->onset,
                    IPG_SMALLEST, IPG_LARGEST);
  if (!(config->reference_step == 0 || ipg_is_within_numbers(config->reference_step)))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the reference step of contact is %g; it must be 0 or from %g to %g",
                    config->reference_step, IPG_SMALLEST, IPG_LARGEST);
  if (!isfinite(config->start_time))
    return ipg_fail(error, IPG_ERROR_NUMBER, "contact starts at time %g; it must be finite", config->start_time);
  return IPG_OK;
}

static ipg_status check_arrays(const ipg_surface *s, const double *x, ipg_error *error) {
  if (s->node_count < 0 || s->face_count < 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the surface has a negative number of nodes or faces");
  if (s->node_count >= IPG_ID_MAX || s->face_count >= IPG_ID_MAX)
    return ipg_fail(
        error, IPG_ERROR_TOO_MANY,
        "the surface has %lld nodes and %lld faces, and 32-bit ids can name %d of each: leave out bodies or "
        "refine less",
        (long long)s->node_count, (long long)s->face_count, IPG_ID_MAX - 1);
  const bool nodes = s->node_gids && s->node_masses && x;
  const bool faces = s->faces && s->face_elements && s->face_sides && s->face_bodies && s->face_opposites;
  if ((s->node_count && !nodes) || (s->face_count && !faces))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "an array of the surface is null");
  return IPG_OK;
}

static ipg_status check_nodes(const ipg_surface *s, const double *x, ipg_error *error) {
  for (int64_t i = 0; i < s->node_count; ++i) {
    const long long gid = (long long)s->node_gids[i];
    if (i && s->node_gids[i] <= s->node_gids[i - 1])
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "surface nodes must be in ascending order, but node %lld comes after %lld", gid,
                      (long long)s->node_gids[i - 1]);
    if (!ipg_is_within_numbers(s->node_masses[i]))
      return ipg_fail(error, IPG_ERROR_NUMBER, "node %lld has mass %g; it must be above 0, from %g to %g", gid,
                      s->node_masses[i], IPG_SMALLEST, IPG_LARGEST);
    if (!ipg_is_position(x + 3 * i))
      return ipg_fail(error, IPG_ERROR_NUMBER,
                      "node %lld starts at a position that is not finite, or beyond %g: take other units", gid,
                      IPG_LARGEST);
  }
  return IPG_OK;
}

static bool comes_after(const ipg_surface *s, int64_t f, int64_t before) {
  if (s->face_elements[f] != s->face_elements[before]) return s->face_elements[f] > s->face_elements[before];
  if (s->face_sides[f] != s->face_sides[before]) return s->face_sides[f] > s->face_sides[before];
  return s->face_subs && s->face_subs[f] > s->face_subs[before];
}

static ipg_status check_faces(const ipg_surface *s, ipg_error *error) {
  for (int64_t f = 0; f < s->face_count; ++f) {
    const long long element = (long long)s->face_elements[f];
    const int side = s->face_sides[f] + 1;
    for (int k = 0; k < 3; ++k)
      if (s->faces[3 * f + k] < 0 || s->faces[3 * f + k] >= s->node_count)
        return ipg_fail(error, IPG_ERROR_ARGUMENT, "side %d of element %lld names surface node %d; there are %lld",
                        side, element, (int)s->faces[3 * f + k], (long long)s->node_count);
    const ipg_id *corner = s->faces + 3 * f;
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "side %d of element %lld has the same node twice", side, element);
    if (s->face_sides[f] > 3 || (s->face_subs && s->face_subs[f] > 3))
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "side %d of element %lld: sides and their parts are counted from 0 to 3", side, element);
    if (s->face_blocks && (s->face_blocks[f] < 0 || s->face_blocks[f] >= IPG_MOST_BLOCKS))
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "side %d of element %lld has block %d; blocks count from 0 and are fewer than %d: join blocks",
                      side, element, (int)s->face_blocks[f], IPG_MOST_BLOCKS);
    if (s->face_opposites[f] < -1 || s->face_opposites[f] >= s->node_count || s->face_bodies[f] < 0 ||
        s->face_bodies[f] >= s->face_count)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "side %d of element %lld has an opposite node or a body out of range",
                      side, element);
    if (f && !comes_after(s, f, f - 1))
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "faces must be in ascending order of element and side, but side %d of element %lld is not", side,
                      element);
  }
  return IPG_OK;
}

static ipg_status check_stiffnesses(const ipg_surface *s, ipg_error *error) {
  for (int64_t f = 0; s->face_stiffnesses && f < s->face_count; ++f)
    if (!(s->face_stiffnesses[f] > 0) || !isfinite(s->face_stiffnesses[f]))
      return ipg_fail(error, IPG_ERROR_NUMBER,
                      "side %d of element %lld has a stiffness of %g per area; it must be finite and above 0",
                      s->face_sides[f] + 1, (long long)s->face_elements[f], s->face_stiffnesses[f]);
  return IPG_OK;
}

static ipg_status check_start_positions(const ipg_surface *s, ipg_error *error) {
  for (int64_t i = 0; s->start_positions && i < s->node_count; ++i)
    if (!ipg_is_position(s->start_positions + 3 * i))
      return ipg_fail(error, IPG_ERROR_NUMBER, "the start position of node %lld is not finite, or beyond %g",
                      (long long)s->node_gids[i], IPG_LARGEST);
  return IPG_OK;
}

ipg_status ipg_check_input(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                           ipg_error *error) {
  ipg_status status = check_config(config, error);
  if (!status) status = check_arrays(surface, x, error);
  if (!status) status = check_nodes(surface, x, error);
  if (!status) status = check_start_positions(surface, error);
  if (!status) status = check_faces(surface, error);
  if (!status) status = check_stiffnesses(surface, error);
  return status;
}

ipg_status ipg_check_law(const ipg_contact_law *law, const char *whose, ipg_error *error) {
  if (!(law->friction_dynamic >= 0 && law->friction_static >= law->friction_dynamic && law->friction_static <= 10))
    return ipg_fail(error, IPG_ERROR_NUMBER,
                    "%s: friction is %g static and %g dynamic; static must be at least dynamic, both from 0 to 10",
                    whose, law->friction_static, law->friction_dynamic);
  if (!(law->friction_decay >= 0) || !isfinite(law->friction_decay))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: the decay of friction is %g; it must be finite and not below 0",
                    whose, law->friction_decay);
  if (!(law->damping >= 0 && law->damping <= 1))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: damping is %g of critical; it must be from 0 to 1", whose,
                    law->damping);
  return IPG_OK;
}
