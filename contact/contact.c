/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Life of a contact object: checks and copies the surface, allocates what does not depend on the number of contacts. */
#include "edges.h"

#include <math.h>
#include <string.h>

ipg_contact_config ipg_contact_defaults(void) {
  return (ipg_contact_config){.search_method = "lkdtree_packed",
                              .penalty_scale = 0.1,
                              .search_margin = 0.2,
                              .allocator = ipg_allocator_malloc(),
                              .tasks = ipg_tasks_serial()};
}

/* ----------------------------------------------------------------------------------------------- what may come in */

static ipg_status check_config(const ipg_contact_config *config, ipg_error *error) {
  if (!(config->penalty_scale > 0 && config->penalty_scale <= 1))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the penalty scale is %g; it must be above 0 and at most 1",
                    config->penalty_scale);
  if (!(config->search_margin >= 0 && config->search_margin <= 10))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the skin is %g edges wide; it must be from 0 to 10",
                    config->search_margin);
  if (config->enforcement != IPG_ENFORCEMENT_PENALTY && config->enforcement != IPG_ENFORCEMENT_KINEMATIC)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "enforcement %d is neither penalty nor kinematic",
                    (int)config->enforcement);
  if (!isfinite(config->start_time))
    return ipg_fail(error, IPG_ERROR_NUMBER, "contact starts at time %g; it must be finite", config->start_time);
  return IPG_OK;
}

static ipg_status check_presence(const ipg_surface *s, const double *x, ipg_error *error) {
  if (s->node_count < 0 || s->face_count < 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the surface has a negative number of nodes or faces");
  if (s->node_count >= IPG_ID_MAX || s->face_count >= IPG_ID_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "the surface has more nodes or faces than 32-bit ids can name");
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
    if (!ipg_is_place(x + 3 * i))
      return ipg_fail(error, IPG_ERROR_NUMBER,
                      "node %lld starts at a place that is not finite, or beyond %g: take other units", gid,
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
                      "side %d of element %lld has block %d; blocks count from 0 and are fewer than %d", side, element,
                      (int)s->face_blocks[f], IPG_MOST_BLOCKS);
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

static ipg_status check_stiffnesses(const ipg_contact_config *config, const ipg_surface *s, ipg_error *error) {
  if (config->stiffness != IPG_STIFFNESS_MASS_BASED && config->stiffness != IPG_STIFFNESS_MATERIAL_BASED)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "contact stiffness %d is neither that of the step nor of the material",
                    (int)config->stiffness);
  if (config->stiffness == IPG_STIFFNESS_MATERIAL_BASED && s->face_count && !s->face_stiffnesses)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "contact asks for the stiffness of the material: give the surface its face_stiffnesses");
  for (int64_t f = 0; s->face_stiffnesses && f < s->face_count; ++f)
    if (!(s->face_stiffnesses[f] > 0) || !isfinite(s->face_stiffnesses[f]))
      return ipg_fail(error, IPG_ERROR_NUMBER,
                      "side %d of element %lld has a stiffness of %g per area; it must be finite and above 0",
                      s->face_sides[f] + 1, (long long)s->face_elements[f], s->face_stiffnesses[f]);
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- copies */

static ipg_status copy(ipg_contact *c, int which, const void *from, int64_t count, size_t item_bytes,
                       ipg_error *error) {
  const ipg_status status = ipg_buffer_reserve(&c->buffers[which], &c->config.allocator, count, item_bytes, error);
  if (!status && from && count) memcpy(c->buffers[which].data, from, (size_t)count * item_bytes);
  return status;
}

static ipg_status copy_surface(ipg_contact *c, const ipg_surface *s, ipg_error *error) {
  const int64_t nodes = s->node_count, faces = s->face_count;
  const struct {
    int which;
    const void *from;
    int64_t count;
    size_t bytes;
  } arrays[] = {
      {NODE_GIDS, s->node_gids, nodes, sizeof(ipg_gid)},
      {NODE_MASSES, s->node_masses, nodes, sizeof(double)},
      {NODE_OWNED, s->node_owned, nodes, 1},
      {FACES, s->faces, 3 * faces, sizeof(ipg_id)},
      {FACE_ELEMENTS, s->face_elements, faces, sizeof(ipg_gid)},
      {FACE_SIDES, s->face_sides, faces, 1},
      {FACE_SUBS, s->face_subs, faces, 1},
      {FACE_BODIES, s->face_bodies, faces, sizeof(int32_t)},
      {FACE_BLOCKS, s->face_blocks, faces, sizeof(int32_t)},
      {FACE_OPPOSITES, s->face_opposites, faces, sizeof(ipg_id)},
      {FACE_STIFFNESSES, s->face_stiffnesses, faces, sizeof(double)},
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    const ipg_status status = copy(c, arrays[i].which, arrays[i].from, arrays[i].count, arrays[i].bytes, error);
    if (status) return status;
  }
  c->surface = (ipg_surface){.node_count = nodes,
                             .face_count = faces,
                             .node_gids = c->buffers[NODE_GIDS].data,
                             .node_masses = c->buffers[NODE_MASSES].data,
                             .node_owned = s->node_owned ? c->buffers[NODE_OWNED].data : NULL,
                             .faces = c->buffers[FACES].data,
                             .face_elements = c->buffers[FACE_ELEMENTS].data,
                             .face_sides = c->buffers[FACE_SIDES].data,
                             .face_subs = s->face_subs ? c->buffers[FACE_SUBS].data : NULL,
                             .face_bodies = c->buffers[FACE_BODIES].data,
                             .face_blocks = s->face_blocks ? c->buffers[FACE_BLOCKS].data : NULL,
                             .face_opposites = c->buffers[FACE_OPPOSITES].data,
                             .face_stiffnesses = s->face_stiffnesses ? c->buffers[FACE_STIFFNESSES].data : NULL};
  return IPG_OK;
}

static ipg_status reserve_scratch(ipg_contact *c, ipg_error *error) {
  const int64_t nodes = c->surface.node_count, faces = c->surface.face_count;
  const struct {
    int which;
    int64_t count;
    size_t bytes;
  } arrays[] = {
      {NODE_ROWS, nodes, sizeof(double)},
      {NODE_BLOCKS, nodes, sizeof(int32_t)},
      {NODE_FACES_FIRST, nodes + 1, sizeof(int64_t)},
      {NODE_FACES, 3 * faces, sizeof(ipg_id)},
      {NODE_BODIES, nodes, sizeof(int32_t)},
      {NODE_KEYS, 4 * nodes, sizeof(ipg_id)},
      {FACE_KEYS, 4 * faces, sizeof(ipg_id)},
      {NODE_BOXES, nodes, sizeof(ipg_box)},
      {FACE_BOXES, faces, sizeof(ipg_box)},

      {VISITS, nodes, sizeof(ipg_visit)},
      {NODE_STRIKES, nodes, 1},
      {STRAYED, ipg_chunk_count(nodes, IPG_CAPTURE_GRAIN), sizeof(ipg_straying)},
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    const ipg_status status = copy(c, arrays[i].which, NULL, arrays[i].count, arrays[i].bytes, error);
    if (status) return status;
  }
  return IPG_OK;
}

/* A node excludes itself; a face its corners and, as the element may not touch itself, the fourth node. */
static void fill_keys(ipg_contact *c) {
  ipg_id *node_keys = c->buffers[NODE_KEYS].data, *face_keys = c->buffers[FACE_KEYS].data;
  for (int64_t i = 0; i < c->surface.node_count; ++i) {
    node_keys[4 * i] = (ipg_id)i;
    for (int k = 1; k < 4; ++k) node_keys[4 * i + k] = -1;
  }
  for (int64_t f = 0; f < c->surface.face_count; ++f) {
    for (int k = 0; k < 3; ++k) face_keys[4 * f + k] = c->surface.faces[3 * f + k];
    face_keys[4 * f + 3] = c->surface.face_opposites[f];
  }
}

/* Those of the first of its faces; a node without faces counts as body 0's, and nothing can touch by it. */
static void fill_nodes(ipg_contact *c) {
  int32_t *bodies = c->buffers[NODE_BODIES].data, *blocks = c->buffers[NODE_BLOCKS].data;
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data;
  for (int64_t i = 0; i < c->surface.node_count; ++i) {
    const bool bare = first[i] == first[i + 1];
    bodies[i] = bare ? 0 : c->surface.face_bodies[faces[first[i]]];
    blocks[i] = bare || !c->surface.face_blocks ? 0 : c->surface.face_blocks[faces[first[i]]];
  }
}

static int count_up_to(const int32_t *numbers, int64_t count) {
  int32_t last = 0;
  for (int64_t f = 0; numbers && f < count; ++f)
    if (numbers[f] > last) last = numbers[f];
  return last + 1;
}

static ipg_status create_states(ipg_contact *c, const double *x, ipg_error *error) {
  const int64_t values = 3 * c->surface.node_count;
  for (int i = 0; i < 3; ++i) {
    ipg_contact_state *s = &c->states[i];
    ipg_status status = ipg_buffer_reserve(&s->x, &c->config.allocator, values, sizeof *x, error);
    if (!status) status = ipg_buffer_reserve(&s->force, &c->config.allocator, values, sizeof *x, error);
    if (status) return status;
    s->time = c->config.start_time;
    if (values) memset(s->force.data, 0, (size_t)values * sizeof *x);
    if (values) memcpy(s->x.data, x, (size_t)values * sizeof *x);
  }
  c->states[1].step = INT64_MIN;
  ipg_contact_start_ring(c);
  return IPG_OK;
}

static ipg_status create_search(ipg_contact *c, ipg_error *error) {
  ipg_search_config config = ipg_search_defaults();
  config.method = c->config.search_method;
  config.allocator = c->config.allocator;
  config.tasks = c->config.tasks;
  for (const char *const *name = ipg_search_methods(); *name; ++name) /* the caller's text need not outlive create */
    if (c->config.search_method && !strcmp(*name, c->config.search_method)) c->config.search_method = *name;
  const ipg_status status = ipg_search_create(&config, &c->search, error);
  return status || !c->config.edges ? status : ipg_search_create(&config, &c->edge_search, error);
}

/* What kinematic contact does not have. */
static ipg_status refuse_springs(const ipg_contact *c, ipg_error *error) {
  bool ties = false;
  for (int64_t i = 0; i < c->config.rule_count; ++i) ties |= c->config.rules[i].tied;
  const struct {
    bool is_asked_for;
    const char *what;
  } springs[] = {{c->most_damping > 0, "damping"},
                 {c->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED, "stiffness of the material"},
                 {c->config.edges, "contact of edges"},
                 {c->has_thickness, "a thickness of surfaces"},
                 {ties, "a tie"}};
  for (size_t i = 0; ipg_is_kinematic(c) && i < sizeof springs / sizeof *springs; ++i)
    if (springs[i].is_asked_for)
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "%s belongs to penalty contact: leave it out, or choose penalty enforcement", springs[i].what);
  return IPG_OK;
}

static ipg_status check_lengths(const ipg_contact *c, ipg_error *error) {
  if (c->longest_edge > 0 && c->longest_edge < IPG_SMALLEST)
    return ipg_fail(error, IPG_ERROR_NUMBER,
                    "no edge of the surface is longer than %g, too short to compute with: take other units",
                    c->longest_edge);
  return IPG_OK;
}

/* Touching is asked with a little to spare, more than the margins by which narrow.h says that a node enters a face. */
void ipg_contact_set_widths(ipg_contact *c) {
  c->search_margin = c->config.search_margin * c->mean_edge;
  c->spare = 1e-7 * c->longest_edge;
}

static ipg_status furnish(ipg_contact *c, const ipg_surface *surface, const double *x, int least_blocks,
                          ipg_error *error) {
  ipg_status status = ipg_simd_choose(&c->simd, error);
  if (!status) status = copy_surface(c, surface, error);
  if (status) return status;
  c->body_count = count_up_to(c->surface.face_bodies, c->surface.face_count);
  c->block_count = count_up_to(c->surface.face_blocks, c->surface.face_count);
  if (c->block_count < least_blocks) c->block_count = least_blocks;
  if ((status = reserve_scratch(c, error))) return status;
  fill_keys(c);
  ipg_list_by_node(c->surface.faces, 3, c->surface.face_count, c->surface.node_count, c->buffers[NODE_FACES_FIRST].data,
                   c->buffers[NODE_FACES].data);
  fill_nodes(c);
  if (c->config.edges && (status = ipg_contact_find_edges(c, error))) return status;
  if ((status = ipg_contact_take_rules(c, error))) return status;
  if ((status = ipg_contact_take_planes(c, error))) return status;
  if ((status = refuse_springs(c, error))) return status;
  if ((status = create_states(c, x, error))) return status;
  ipg_contact_measure_edges(c);
  if ((status = check_lengths(c, error))) return status;
  ipg_contact_set_widths(c);
  return create_search(c, error);
}

ipg_status ipg_contact_make(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                            int least_blocks, ipg_contact **out, ipg_error *error) {
  *out = NULL;
  ipg_status status = check_config(config, error);
  if (!status) status = check_presence(surface, x, error);
  if (!status) status = check_nodes(surface, x, error);
  if (!status) status = check_faces(surface, error);
  if (!status) status = check_stiffnesses(config, surface, error);
  if (status) return status;
  ipg_contact *c = config->allocator.allocate(config->allocator.context, sizeof *c);
  if (!c) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a contact object");
  *c = (ipg_contact){.config = *config};
  status = furnish(c, surface, x, least_blocks, error);
  if (status) ipg_contact_destroy(&c);
  *out = c;
  return status;
}

ipg_status ipg_contact_create(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                              ipg_contact **out, ipg_error *error) {
  ipg_status status = ipg_contact_make(config, surface, x, 0, out, error);
  if (!status) status = ipg_contact_set_positions(*out, x, error);
  if (status) ipg_contact_destroy(out);
  return status;
}

void ipg_contact_destroy(ipg_contact **contact) {
  ipg_contact *c = *contact;
  if (!c) return;
  const ipg_allocator allocator = c->config.allocator;
  ipg_search_destroy(&c->search);
  ipg_search_destroy(&c->edge_search);
  ipg_candidates_destroy(&c->faces, &allocator);
  ipg_candidates_destroy(&c->edges, &allocator);
  ipg_edge_look_destroy(&c->edge_look, &allocator);
  for (int i = 0; i < BUFFER_COUNT; ++i) ipg_buffer_destroy(&c->buffers[i], &allocator);
  for (int i = 0; i < 3; ++i) {
    ipg_buffer_destroy(&c->states[i].x, &allocator);
    ipg_buffer_destroy(&c->states[i].force, &allocator);
    ipg_buffer_destroy(&c->states[i].contacts, &allocator);
  }
  allocator.release(allocator.context, c, sizeof *c);
  *contact = NULL;
}

/* ------------------------------------------------------------------------------------------------------ questions */

ipg_id ipg_find_node(const ipg_surface *s, ipg_gid gid) {
  int64_t low = 0, high = s->node_count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (s->node_gids[middle] < gid) low = middle + 1;
    else high = middle;
  }
  return low < s->node_count && s->node_gids[low] == gid ? (ipg_id)low : -1;
}

ipg_id ipg_find_face(const ipg_surface *s, ipg_contact_face_id at) {
  int64_t low = 0, high = s->face_count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (s->face_elements[middle] < at.element) low = middle + 1;
    else high = middle;
  }
  for (; low < s->face_count && s->face_elements[low] == at.element; ++low)
    if (s->face_sides[low] == at.side && (s->face_subs ? s->face_subs[low] : 0) == at.sub) return (ipg_id)low;
  return -1;
}

ipg_contact_range ipg_contacts_of(const ipg_contact_state *state, ipg_contact_kind kind) {
  const ipg_contact_pair *pairs = state->contacts.data;
  int64_t bounds[2];
  for (int end = 0; end < 2; ++end) {
    int64_t low = 0, high = state->contact_count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if ((int)pairs[middle].kind < (int)kind + end) low = middle + 1;
      else high = middle;
    }
    bounds[end] = low;
  }
  return (ipg_contact_range){pairs ? pairs + bounds[0] : NULL, bounds[1] - bounds[0]};
}

int64_t ipg_first_contact_of(const ipg_contact_range *range, int64_t owner) {
  int64_t low = 0, high = range->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (range->pairs[middle].owner < owner) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ipg_contact_pair *ipg_contact_pairs(const ipg_contact *c, int64_t *count) {
  const ipg_contact_state *last = c->has_trial ? c->trial : c->accepted;
  *count = last->contact_count;
  return last->contacts.data;
}

ipg_contact_key ipg_contact_key_of(const ipg_contact *c, const ipg_contact_pair *pair) {
  const ipg_gid *gids = c->surface.node_gids;
  const ipg_id *n = pair->nodes;
  switch (pair->kind) {
  case IPG_CONTACT_EDGE_EDGE: return (ipg_contact_key){pair->kind, {gids[n[0]], gids[n[1]]}, {gids[n[2]], gids[n[3]]}};
  case IPG_CONTACT_TIE:
    return (ipg_contact_key){pair->kind, {gids[n[0]], 0}, {pair->element, 4 * pair->side + pair->sub}};
  default: return (ipg_contact_key){pair->kind, {gids[n[0]], 0}, {pair->touched, 0}};
  }
}

int64_t ipg_contact_last_step(const ipg_contact *c) { return c->accepted->step; }

ipg_contact_energy_balance ipg_contact_get_energy_balance(const ipg_contact *c) { return c->accepted->ledger; }

ipg_contact_counters ipg_contact_get_counters(const ipg_contact *c) { return c->counters; }
