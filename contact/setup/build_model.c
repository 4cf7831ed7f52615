/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Copies the surface, derives its topology, rules and lengths, and refuses what the chosen enforcement does not have.
 */
#include "setup/build_model.h"

#include "impinge/search.h"
#include "model/block_rules.h"
#include "setup/face_properties.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------ the surface */

/* Copies an array of the surface; an absent one stays absent. */
#define COPY(name, count)                                                                                              \
  do {                                                                                                                 \
    if (!from->name) break;                                                                                            \
    const ipg_status copied = ipg_array_reserve(&to->name, a, count, error);                                           \
    if (copied) return copied;                                                                                         \
    if ((count) > 0) memcpy(to->name.at, from->name, (size_t)(count) * sizeof *to->name.at);                           \
    surface->name = to->name.at;                                                                                       \
  } while (0)

static ipg_status copy_surface(ipg_model *m, const ipg_surface *from, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const int64_t nodes = from->node_count, faces = from->face_count;
  ipg_surface_storage *to = &m->surface_storage;
  ipg_surface *surface = &m->surface;
  *surface = (ipg_surface){.node_count = nodes, .face_count = faces};
  COPY(node_gids, nodes);
  COPY(node_masses, nodes);
  COPY(node_owned, nodes);
  COPY(faces, 3 * faces);
  COPY(face_elements, faces);
  COPY(face_sides, faces);
  COPY(face_subs, faces);
  COPY(face_bodies, faces);
  COPY(face_blocks, faces);
  COPY(face_opposites, faces);
  COPY(face_stiffnesses, faces);
  return IPG_OK;
}

/* In one order: the same bits anywhere. */
static void measure_edges(ipg_model *m, const double *x) {
  const int64_t sides = 3 * m->surface.face_count;
  double sum = 0;
  m->longest_edge = 0;
  for (int64_t i = 0; i < sides; ++i) {
    const ipg_id a = m->surface.faces[i], b = m->surface.faces[i % 3 == 2 ? i - 2 : i + 1];
    const double length = vec_length(vec_sub(vec_at(x, b), vec_at(x, a)));
    sum += length;
    m->longest_edge = larger(m->longest_edge, length);
  }
  m->mean_edge = sides ? sum / (double)sides : 0;
}

void ipg_set_lengths(ipg_model *m) {
  m->margin = m->config.search_margin * m->mean_edge;
  m->touch_tolerance = IPG_BOX_MARGIN * m->longest_edge;
}

/* ------------------------------------------------------------------------------------------------------- the checks */

/* What another enforcement has. */
static ipg_status refuse_features(const ipg_model *m, ipg_error *error) {
  const bool kinematic = ipg_is_kinematic(m);
  const struct {
    bool is_wanted;
    const char *what, *owner;
  } features[] = {{m->rules.most_damping > 0 && kinematic, "damping", "penalty"},
                  {ipg_has_tied_rule(m) && kinematic, "a tie", "penalty"},
                  {m->config.contributions && kinematic, "a list of contributions", "penalty"},
                  {m->config.onset > 0 && kinematic, "an onset", "penalty"},
                  {m->rules.has_thickness && kinematic, "a thickness of surfaces", "penalty"}};
  for (size_t i = 0; i < sizeof features / sizeof *features; ++i)
    if (features[i].is_wanted)
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "%s belongs to enforcement by %s: leave it out, or choose %s enforcement", features[i].what,
                      features[i].owner, features[i].owner);
  return IPG_OK;
}

static ipg_status check_lengths(const ipg_model *m, ipg_error *error) {
  if (m->longest_edge > 0 && m->longest_edge < IPG_SMALLEST)
    return ipg_fail(error, IPG_ERROR_NUMBER,
                    "no edge of the surface is longer than %g, too short to compute with: take other units",
                    m->longest_edge);
  return IPG_OK;
}

/* The caller's text need not outlive create. An unknown name stays, and the search refuses it. */
static void take_search_method(ipg_contact_config *config) {
  for (const char *const *name = ipg_search_methods(); *name; ++name)
    if (config->search_method && !strcmp(*name, config->search_method)) config->search_method = *name;
}

/* -------------------------------------------------------------------------------------------------------- the model */

ipg_status ipg_build_model(ipg_model *m, const ipg_surface *surface, const double *x, int least_blocks,
                           ipg_error *error) {
  const ipg_contact_config *config = &m->config;
  ipg_status status = ipg_simd_choose(&m->simd, error);
  if (!status) status = copy_surface(m, surface, error);
  if (!status) status = ipg_topology_build(&m->topology, &m->surface, &config->allocator, error);
  if (status) return status;
  if (m->topology.block_count < least_blocks) m->topology.block_count = least_blocks;
  status = ipg_build_rules(m, error);
  if (!status) status = ipg_build_walls(m, error);
  if (!status) status = refuse_features(m, error);
  if (status) return status;
  measure_edges(m, x);
  if ((status = check_lengths(m, error))) return status;
  ipg_set_lengths(m);
  take_search_method(&m->config);
  status = ipg_build_face_properties(m, surface->start_positions ? surface->start_positions : x, error);
  m->surface.start_positions = m->faces.reference.at;
  return status;
}

void ipg_destroy_model(ipg_model *m) {
  const ipg_allocator *a = &m->config.allocator;
  ipg_surface_storage *s = &m->surface_storage;
  ipg_array_destroy(&s->node_gids, a);
  ipg_array_destroy(&s->node_masses, a);
  ipg_array_destroy(&s->node_owned, a);
  ipg_array_destroy(&s->faces, a);
  ipg_array_destroy(&s->face_elements, a);
  ipg_array_destroy(&s->face_sides, a);
  ipg_array_destroy(&s->face_subs, a);
  ipg_array_destroy(&s->face_bodies, a);
  ipg_array_destroy(&s->face_blocks, a);
  ipg_array_destroy(&s->face_opposites, a);
  ipg_array_destroy(&s->face_stiffnesses, a);
  ipg_topology_destroy(&m->topology, a);
  ipg_array_destroy(&m->rules.rules, a);
  ipg_array_destroy(&m->rules.of_blocks, a);
  ipg_array_destroy(&m->rules.thicknesses, a);
  ipg_array_destroy(&m->rules.reaches, a);
  ipg_array_destroy(&m->walls, a);
  ipg_array_destroy(&m->faces.shapes, a);
  ipg_array_destroy(&m->faces.border_node_starts, a);
  ipg_array_destroy(&m->faces.border_nodes, a);
  ipg_array_destroy(&m->faces.thicknesses, a);
  ipg_array_destroy(&m->faces.stiffnesses, a);
  ipg_array_destroy(&m->faces.node_areas, a);
  ipg_array_destroy(&m->faces.node_stiffnesses, a);
  ipg_array_destroy(&m->faces.wall_node_stiffnesses, a);
  ipg_array_destroy(&m->faces.wall_face_stiffnesses, a);
  ipg_array_destroy(&m->faces.reference, a);
  ipg_array_destroy(&m->faces.block_periods, a);
  ipg_array_destroy(&m->faces.tie_rates, a);
  ipg_array_destroy(&m->faces.block_sizes, a);
  ipg_array_destroy(&m->faces.block_stiffnesses, a);
  ipg_array_destroy(&m->faces.block_face_counts, a);
  ipg_array_destroy(&m->faces.sizes, a);
  ipg_array_destroy(&m->faces.velocities, a);
  ipg_array_destroy(&m->bevels.points, a);
  ipg_array_destroy(&m->bevels.faces, a);
  ipg_array_destroy(&m->bevels.parts, a);
  ipg_array_destroy(&m->bevels.keys, a);
  ipg_array_destroy(&m->bevels.own_areas, a);
  ipg_array_destroy(&m->bevels.areas, a);
  ipg_array_destroy(&m->bevels.depths, a);
  ipg_array_destroy(&m->sharp_edges.edges, a);
  ipg_array_destroy(&m->sharp_edges.nodes, a);
}
