/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Builds a mesh from the plan of a shape.
 *
 * Sets are built in two passes over nodes and elements, one that counts and one that fills, both by the surfaces on
 * which each node lies: nodes ascend in a node set, and sides in a side set ascend by (element, side). */
#include "shapes.h"

#include "arrays.h"
#include "mesh_arrays.h"
#include "mesh_lookup.h"

#include <math.h>
#include <string.h>

#define LONGEST_ENDING "_surface"

/* -------------------------------------------------------------------------------------------------------- checks */

ipg_status ipg_shape_start(const char *kind, const char *name, ipg_mesh *mesh, ipg_error *error) {
  if (!mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_%s needs a mesh for the result", kind);
  *mesh = (ipg_mesh){0};
  if (name && name[0] && strlen(name) + sizeof LONGEST_ENDING <= IPG_NAME_MAX) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "a %s needs a name of 1 to %d letters", kind,
                  IPG_NAME_MAX - (int)sizeof LONGEST_ENDING);
}

ipg_status ipg_shape_check_centre(const char *kind, const double centre[3], ipg_error *error) {
  if (!centre) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_%s needs a centre", kind);
  if (isfinite(centre[0]) && isfinite(centre[1]) && isfinite(centre[2])) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_NUMBER, "a %s at %g, %g, %g: its centre must be finite", kind, centre[0], centre[1],
                  centre[2]);
}

ipg_status ipg_shape_check_length(const char *kind, const char *what, double length, ipg_error *error) {
  if (length > 0 && isfinite(length)) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_NUMBER, "a %s whose %s is %g: it must be above zero and finite", kind, what, length);
}

ipg_status ipg_shape_check_cells(const char *kind, const char *what, int64_t count, int64_t least, ipg_error *error) {
  if (count >= least) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "a %s of %lld %s: give %lld or more", kind, (long long)count, what,
                  (long long)least);
}

ipg_status ipg_shape_count_elements(const char *kind, const int64_t factors[4], int64_t *count, ipg_error *error) {
  *count = 1;
  for (int i = 0; i < 4; ++i) {
    *count *= factors[i];
    if (*count > IPG_ID_MAX)
      return ipg_fail(error, IPG_ERROR_TOO_MANY,
                      "a %s of so many cells has more than the %lld elements that fit in one mesh: give fewer cells",
                      kind, (long long)IPG_ID_MAX);
  }
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- sets */

void ipg_swap_ids(ipg_id *a, ipg_id *b) {
  const ipg_id swap = *a;
  *a = *b, *b = swap;
}

static void join_name(ipg_name out, const char *name, const char *ending) {
  const size_t length = strlen(name);
  memcpy(out, name, length);
  memcpy(out + length, ending, strlen(ending) + 1);
}

/* Counts the nodes of each set, and stores them in sets that are allocated. */
static void collect_set_nodes(const ipg_mesh *mesh, const uint8_t *surfaces, int64_t counts[IPG_SHAPE_SURFACES_MAX]) {
  memset(counts, 0, IPG_SHAPE_SURFACES_MAX * sizeof *counts);
  for (int64_t node = 0; node < mesh->node_count; ++node)
    for (int s = 0; surfaces[node] >> s; ++s) {
      if (!(surfaces[node] >> s & 1)) continue;
      if (mesh->node_sets[s].nodes) mesh->node_sets[s].nodes[counts[s]] = (ipg_id)node;
      counts[s]++;
    }
}

static unsigned find_side_surfaces(const uint8_t *surfaces, const ipg_id *tet, const int corner[3]) {
  return surfaces[tet[corner[0]]] & surfaces[tet[corner[1]]] & surfaces[tet[corner[2]]];
}

static void store_side(ipg_side_set *set, int64_t at, int64_t element, int side) {
  set->elements[at] = (ipg_id)element;
  set->sides[at] = side;
}

/* Counts the sides of each set, and stores them in sets that are allocated. */
static void collect_set_sides(const ipg_mesh *mesh, const uint8_t *surfaces, int64_t counts[IPG_SHAPE_SURFACES_MAX]) {
  memset(counts, 0, IPG_SHAPE_SURFACES_MAX * sizeof *counts);
  for (int64_t e = 0; e < mesh->element_count; ++e)
    for (int side = 0; side < 4; ++side) {
      const unsigned on = find_side_surfaces(surfaces, mesh->tets + 4 * e, ipg_tet_sides[side]);
      for (int s = 0; on >> s; ++s) {
        if (!(on >> s & 1)) continue;
        if (mesh->side_sets[s].elements) store_side(&mesh->side_sets[s], counts[s], e, side);
        counts[s]++;
      }
    }
}

static ipg_status allocate_sets(const ipg_shape *shape, ipg_mesh *mesh, const int64_t *nodes, const int64_t *sides,
                                ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int s = 0; s < shape->surface_count && !status; ++s) {
    mesh->node_sets[s].id = mesh->side_sets[s].id = s + 1;
    join_name(mesh->node_sets[s].name, shape->name, shape->endings[s]);
    join_name(mesh->side_sets[s].name, shape->name, shape->endings[s]);
    status = ipg_node_set_allocate(mesh, &mesh->node_sets[s], nodes[s], 0, error);
    if (!status) status = ipg_side_set_allocate(mesh, &mesh->side_sets[s], sides[s], 0, error);
  }
  return status;
}

static ipg_status build_sets(const ipg_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  int64_t nodes[IPG_SHAPE_SURFACES_MAX], sides[IPG_SHAPE_SURFACES_MAX];
  uint8_t *surfaces = ipg_allocate_array(&mesh->allocator, mesh->node_count, sizeof *surfaces, error);
  if (!surfaces) return IPG_ERROR_MEMORY;
  for (int64_t node = 0; node < mesh->node_count; ++node)
    surfaces[node] = (uint8_t)shape->find_surfaces(shape->plan, node);
  collect_set_nodes(mesh, surfaces, nodes);
  collect_set_sides(mesh, surfaces, sides);
  const ipg_status status = allocate_sets(shape, mesh, nodes, sides, error);
  if (!status) collect_set_nodes(mesh, surfaces, nodes);
  if (!status) collect_set_sides(mesh, surfaces, sides);
  ipg_release_array(&mesh->allocator, surfaces, mesh->node_count, sizeof *surfaces);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- mesh */

static ipg_status allocate_mesh(const ipg_shape *shape, const ipg_allocator *allocator, ipg_mesh *mesh,
                                ipg_error *error) {
  *mesh = (ipg_mesh){.node_count = shape->node_count,
                     .element_count = shape->element_count,
                     .block_count = 1,
                     .node_set_count = shape->surface_count,
                     .side_set_count = shape->surface_count,
                     .qa_count = 1};
  memcpy(mesh->title, shape->title, sizeof mesh->title);
  return ipg_mesh_allocate(mesh, allocator, error);
}

static void number_and_name(const ipg_shape *shape, ipg_mesh *mesh) {
  for (int64_t i = 0; i < mesh->node_count; ++i) mesh->node_gids[i] = i + 1;
  for (int64_t e = 0; e < mesh->element_count; ++e) mesh->element_gids[e] = e + 1;
  mesh->blocks[0] = (ipg_block){.id = 1, .count = mesh->element_count, .type = "TETRA"};
  join_name(mesh->blocks[0].name, shape->name, "");
  memcpy(mesh->qa[0][0], "impinge", sizeof "impinge");
}

static ipg_status check_elements(const ipg_shape *shape, const ipg_mesh *mesh, ipg_error *error) {
  if (ipg_mesh_find_bad_element(mesh) == mesh->element_count) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_NUMBER,
                  "'%.80s' is too small, too large or too far from the origin for double precision: scale or move it",
                  shape->name);
}

ipg_status ipg_shape_build(const ipg_shape *shape, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  ipg_mesh made;
  ipg_status status = allocate_mesh(shape, allocator, &made, error);
  if (status) return status;
  number_and_name(shape, &made);
  shape->fill(shape->plan, &made);
  status = check_elements(shape, &made, error);
  if (!status) status = build_sets(shape, &made, error);
  if (status) ipg_mesh_destroy(&made);
  else *mesh = made;
  return status;
}
