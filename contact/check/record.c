/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One contact step as bytes, for replay (not a restart file): the surface, the settings, the accepted state with its
 * history, and the trial positions.
 *
 * Numbers are stored as this build has them in memory, so a step is repeated to the bit; the header holds the sizes of
 * all that is copied, and what another build wrote is refused. Reading trusts nothing: every count is compared with the
 * bytes that are left, the surface goes through the checks of create, and history through checks of its own. */
#include "model/bevels.h"
#include "model/block_rules.h"
#include "setup/build_model.h"
#include "setup/check_input.h"
#include "setup/create.h"
#include "setup/sizes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct header {
  char magic[8];
  uint64_t version, pair_bytes, balance_bytes, rule_bytes, wall_bytes, friction_bytes;
  int64_t node_count, face_count, contact_count, rule_count, thickness_count, wall_count, friction_count;
  int64_t reference_velocity_count, sum_count, sum_bytes, friction_force_count, friction_force_bytes, has_released;
  int64_t has_owned, has_subs, has_blocks, has_stiffnesses, has_velocity, has_reference, has_offsets;
  int64_t block_count; /* of penalty contact */
} header;

/* All single numbers. */
typedef struct settings {
  char search_method[64];
  double penalty_scale, search_margin, onset, reference_step, start_time, time, trial_time, mean_edge, longest_edge,
      released_wall_power;
  int64_t step, enforcement, edges, block_count, is_start;
  ipg_contact_law law;
  ipg_contact_energy_balance balance;
} settings;

static const char magic[8] = "IPGSTEP";
enum { VERSION = 12 };

static header header_of(const ipg_contact *c, bool has_velocity) {
  const ipg_surface *s = &c->model.surface;
  header h = {.version = VERSION, .pair_bytes = sizeof(ipg_contact_pair)};
  memcpy(h.magic, magic, sizeof magic);
  h.balance_bytes = sizeof(ipg_contact_energy_balance), h.rule_bytes = sizeof(ipg_contact_rule);
  h.wall_bytes = sizeof(ipg_contact_wall), h.wall_count = c->model.config.wall_count;
  h.node_count = s->node_count, h.face_count = s->face_count;
  h.contact_count = c->accepted->contacts.count, h.rule_count = c->model.config.rule_count;
  h.thickness_count = c->model.config.thickness_count;
  h.friction_bytes = sizeof(ipg_node_friction), h.friction_count = c->accepted->frictions.count;
  h.sum_bytes = sizeof(ipg_block_sum), h.sum_count = c->accepted->sums.count;
  h.friction_force_bytes = sizeof(ipg_friction_force);
  h.friction_force_count = c->accepted->frictions.force_count, h.has_released = c->accepted->released.is_there;
  h.reference_velocity_count = c->model.config.reference_velocity_count;
  h.has_reference = ipg_has_face_contact(&c->model), h.has_offsets = c->accepted->has_offsets;
  h.has_owned = s->node_owned != NULL, h.has_subs = s->face_subs != NULL;
  h.has_blocks = s->face_blocks != NULL, h.has_stiffnesses = s->face_stiffnesses != NULL;
  h.has_velocity = has_velocity;
  h.block_count = h.has_reference ? c->model.topology.block_count : 0;
  return h;
}

/* ---------------------------------------------------------------------------------------------------------- layout */

/* All that points somewhere. */
typedef struct arrays {
  ipg_surface surface;
  const double *accepted_x, *x, *v, *thicknesses;
  const double *reference_x, *reference_velocities, *offsets, *released; /* of penalty contact */
  const double *block_periods, *block_sizes, *block_stiffnesses, *wall_node_stiffnesses, *wall_face_stiffnesses;
  const ipg_friction_force *friction_forces;
  const ipg_node_friction *frictions;
  const ipg_block_sum *sums;
  const ipg_contact_pair *contacts;
  const ipg_contact_rule *rules;
  const ipg_contact_wall *walls;
} arrays;

/* An array that follows header and settings; `pointer` is where arrays have the address of its first item. */
typedef struct piece {
  void *pointer;
  int64_t bytes;
} piece;

enum { PIECES = 30 };

/* Those of eight-byte numbers first, then those of four, then single bytes: all stand on their borders. */
static void list_pieces(const header *h, arrays *a, piece pieces[PIECES]) {
  ipg_surface *s = &a->surface;
  const int64_t nodes = h->node_count, faces = h->face_count, positions = 3 * nodes * (int64_t)sizeof(double);
  const int64_t blocks = h->block_count * (int64_t)sizeof(double);
  const bool has_walls = h->has_reference && h->wall_count;
  const piece all[PIECES] = {{&s->node_gids, nodes * (int64_t)sizeof(ipg_gid)},
                             {&s->node_masses, nodes * (int64_t)sizeof(double)},
                             {&a->accepted_x, positions},
                             {&a->x, positions},
                             {&a->v, h->has_velocity ? positions : 0},
                             {&s->face_elements, faces * (int64_t)sizeof(ipg_gid)},
                             {&s->face_stiffnesses, h->has_stiffnesses ? faces * (int64_t)sizeof(double) : 0},
                             {&a->contacts, h->contact_count * (int64_t)sizeof(ipg_contact_pair)},
                             {&a->rules, h->rule_count * (int64_t)sizeof(ipg_contact_rule)},
                             {&a->thicknesses, h->thickness_count * (int64_t)sizeof(double)},
                             {&a->walls, h->wall_count * (int64_t)sizeof(ipg_contact_wall)},
                             {&a->reference_x, h->has_reference ? positions : 0},
                             {&a->reference_velocities, 3 * h->reference_velocity_count * (int64_t)sizeof(double)},
                             {&a->offsets, h->has_offsets ? nodes * (int64_t)sizeof(double) : 0},
                             {&a->frictions, h->friction_count * (int64_t)sizeof(ipg_node_friction)},
                             {&a->sums, h->sum_count * (int64_t)sizeof(ipg_block_sum)},
                             {&a->friction_forces, h->friction_force_count * (int64_t)sizeof(ipg_friction_force)},
                             {&a->released, h->has_released ? positions : 0},
                             {&a->block_periods, blocks},
                             {&a->block_sizes, blocks},
                             {&a->block_stiffnesses, blocks},
                             {&a->wall_node_stiffnesses, has_walls ? nodes * (int64_t)sizeof(double) : 0},
                             {&a->wall_face_stiffnesses, has_walls ? 3 * faces * (int64_t)sizeof(double) : 0},
                             {&s->faces, 3 * faces * (int64_t)sizeof(ipg_id)},
                             {&s->face_bodies, faces * (int64_t)sizeof(int32_t)},
                             {&s->face_opposites, faces * (int64_t)sizeof(ipg_id)},
                             {&s->face_blocks, h->has_blocks ? faces * (int64_t)sizeof(int32_t) : 0},
                             {&s->node_owned, h->has_owned ? nodes : 0},
                             {&s->face_sides, faces},
                             {&s->face_subs, h->has_subs ? faces : 0}};
  memcpy(pieces, all, sizeof all);
}

static const void *address_of(const piece *p) {
  const void *address;
  memcpy(&address, p->pointer, sizeof address); /* whatever type it points to */
  return address;
}

/* ----------------------------------------------------------------------------------------------------------- write */

static settings settings_of_contact(const ipg_contact *c, double trial_time) {
  settings s;
  memset(&s, 0, sizeof s); /* no byte of it is left to chance */
  strncpy(s.search_method, c->model.config.search_method, sizeof s.search_method - 1);
  s.penalty_scale = c->model.config.penalty_scale, s.search_margin = c->model.config.search_margin,
  s.start_time = c->model.config.start_time;
  s.onset = c->model.config.onset, s.reference_step = c->model.config.reference_step;
  s.time = c->accepted->time, s.is_start = c->accepted->is_start, s.trial_time = trial_time, s.step = c->accepted->step;
  s.mean_edge = c->model.mean_edge, s.longest_edge = c->model.longest_edge,
  s.block_count = c->model.topology.block_count;
  s.enforcement = (int64_t)c->model.config.enforcement;
  s.edges = c->model.config.edges;
  s.law = c->model.config.law, s.balance = c->accepted->balance;
  s.released_wall_power = c->accepted->released.wall_power;
  return s;
}

ipg_status ipg_contact_record(const ipg_contact *c, double time, const double *x, const double *v, ipg_write *write,
                              void *context, ipg_error *error) {
  const header h = header_of(c, v != NULL);
  const settings s = settings_of_contact(c, time);
  arrays a = {.surface = c->model.surface,
              .accepted_x = c->accepted->x.at,
              .x = x,
              .v = v,
              .thicknesses = c->model.config.thicknesses,
              .contacts = c->accepted->contacts.pairs.at,
              .rules = c->model.config.rules,
              .walls = c->model.config.walls,
              .reference_x = c->model.faces.reference.at,
              .reference_velocities = c->model.config.reference_velocities,
              .offsets = c->accepted->offsets.at,
              .frictions = c->accepted->frictions.contacts.at,
              .sums = c->accepted->sums.pairs.at,
              .friction_forces = c->accepted->frictions.forces.at,
              .released = c->accepted->released.forces.at,
              .block_periods = c->model.faces.block_periods.at,
              .block_sizes = c->model.faces.block_sizes.at,
              .block_stiffnesses = c->model.faces.block_stiffnesses.at,
              .wall_node_stiffnesses = c->model.faces.wall_node_stiffnesses.at,
              .wall_face_stiffnesses = c->model.faces.wall_face_stiffnesses.at};
  piece pieces[PIECES];
  list_pieces(&h, &a, pieces);
  bool written = write(context, &h, sizeof h) && write(context, &s, sizeof s);
  for (int i = 0; written && i < PIECES; ++i)
    if (pieces[i].bytes) written = write(context, address_of(&pieces[i]), (size_t)pieces[i].bytes);
  return written ? IPG_OK : ipg_fail(error, IPG_ERROR_FILE, "the step could not be written");
}

/* ------------------------------------------------------------------------------------------------------------ read */

static ipg_status refuse_recording(ipg_error *error, const char *what) {
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s: record the step anew", what);
}

static bool is_count(int64_t count) { return count >= 0 && count < IPG_ID_MAX; }

static ipg_status check_recording_header(const header *h, int64_t bytes, ipg_error *error) {
  arrays nothing = {0};
  piece pieces[PIECES];
  int64_t needed = (int64_t)(sizeof(header) + sizeof(settings));
  if (bytes < needed || memcmp(h->magic, magic, sizeof magic))
    return ipg_fail(error, IPG_ERROR_FORMAT,
                    "this is no recorded contact step: give the file of one, contact_step_N.ipg");
  if (h->version != VERSION || h->pair_bytes != sizeof(ipg_contact_pair) ||
      h->balance_bytes != sizeof(ipg_contact_energy_balance) || h->rule_bytes != sizeof(ipg_contact_rule) ||
      h->wall_bytes != sizeof(ipg_contact_wall) || h->friction_bytes != sizeof(ipg_node_friction) ||
      h->sum_bytes != sizeof(ipg_block_sum) || h->friction_force_bytes != sizeof(ipg_friction_force))
    return refuse_recording(error, "the step was recorded by another version");
  const int64_t counts[] = {h->node_count,      h->face_count,           h->contact_count,  h->rule_count,
                            h->thickness_count, h->wall_count,           h->friction_count, h->reference_velocity_count,
                            h->sum_count,       h->friction_force_count, h->block_count};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    if (!is_count(counts[i])) return refuse_recording(error, "the recorded step is damaged");
  list_pieces(h, &nothing, pieces);
  for (int i = 0; i < PIECES; ++i) needed += pieces[i].bytes;
  return needed == bytes ? IPG_OK : refuse_recording(error, "the recorded step is cut off or damaged");
}

static bool is_bool(const void *object, size_t offset) { return ((const unsigned char *)object)[offset] <= 1; }

static ipg_status check_rules(const ipg_contact_rule *rules, int64_t count, ipg_error *error) {
  for (int64_t i = 0; i < count; ++i)
    if (!is_bool(&rules[i], offsetof(ipg_contact_rule, off)) || !is_bool(&rules[i], offsetof(ipg_contact_rule, tied)))
      return refuse_recording(error, "a rule of the recorded step is damaged");
  return IPG_OK;
}

static bool is_for_ties(const ipg_contact *c, const ipg_contact_pair *p) {
  const ipg_contact_rule *rule = ipg_rule_of_node_face(&c->model, p->owner, p->face);
  return rule && rule->tied;
}

/* Its nodes exist. */
static bool is_key_proper(const ipg_contact *c, const ipg_contact_pair *p) {
  const bool at_face = p->face >= 0 && p->face < c->model.surface.face_count;
  switch (p->kind) {
  case IPG_CONTACT_NODE_FACE:
    return at_face && p->owner == p->nodes[0] && p->touched == c->model.surface.face_bodies[p->face];
  case IPG_CONTACT_NODE_WALL:
    return p->face == -1 && p->owner == p->nodes[0] && p->touched >= 0 && p->touched < c->model.config.wall_count;
  case IPG_CONTACT_TIE: return at_face && p->owner == p->nodes[0] && p->touched == p->face && is_for_ties(c, p);
  default: return false;
  }
}

static bool is_pair_proper(const ipg_contact *c, const ipg_contact_pair *p) {
  const double numbers[] = {p->gap,
                            p->history.initial_offset,
                            p->history.initial_penetration,
                            p->history.stiffness,
                            p->history.tangential_slip[0],
                            p->history.tangential_slip[1],
                            p->history.tangential_slip[2]};
  for (int i = 0; i < 4; ++i)
    if (p->nodes[i] < 0 || p->nodes[i] >= c->model.surface.node_count || !isfinite(p->weights[i])) return false;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (!isfinite(numbers[i])) return false;
  if (!is_key_proper(c, p)) return false;
  const bool may_be_open = p->kind == IPG_CONTACT_TIE || ipg_is_kinematic(&c->model);
  return p->history.stiffness >= 0 && (p->gap <= 0 || may_be_open) &&
         is_bool(p, offsetof(ipg_contact_pair, activated)) &&
         is_bool(p, offsetof(ipg_contact_pair, history.entered_from_outside)) &&
         is_bool(p, offsetof(ipg_contact_pair, history.passed)) && p->history.initial_penetration >= 0;
}

static bool are_settings_proper(const settings *s) {
  return s->block_count >= 0 && s->block_count <= IPG_MOST_BLOCKS && isfinite(s->mean_edge) &&
         isfinite(s->longest_edge) && s->mean_edge >= 0 && s->longest_edge >= 0;
}

static ipg_status take_history(ipg_contact *c, const header *h, const settings *s, const void *contacts,
                               ipg_error *error) {
  ipg_contact_state *state = c->accepted;
  ipg_contact_list *list = &state->contacts;
  const int64_t count = h->contact_count;
  const ipg_status status = ipg_array_reserve(&list->pairs, &c->model.config.allocator, count, error);
  if (status) return status;
  ipg_contact_pair *pairs = list->pairs.at;
  if (count) memcpy(pairs, contacts, (size_t)count * sizeof *pairs);
  for (int64_t i = 0; i < count; ++i)
    if ((i && ipg_compare_in_list(ipg_is_kinematic(&c->model), &pairs[i - 1], &pairs[i]) >= 0) ||
        !is_pair_proper(c, &pairs[i]))
      return refuse_recording(error, "the history of the recorded step is damaged");
  list->count = count, state->time = s->time, state->is_start = s->is_start != 0, state->step = s->step,
  state->balance = s->balance;
  c->model.mean_edge = s->mean_edge, c->model.longest_edge = s->longest_edge;
  ipg_set_lengths(&c->model);
  return IPG_OK;
}

static bool is_friction_proper(const ipg_contact *c, const ipg_node_friction *f) {
  const ipg_model *m = &c->model;
  const bool is_finite = isfinite(f->slip.x) && isfinite(f->slip.y) && isfinite(f->slip.z) && isfinite(f->damper.x) &&
                         isfinite(f->damper.y) && isfinite(f->damper.z) && isfinite(f->normal_damper) &&
                         isfinite(f->way);
  return is_finite && f->node >= 0 && f->node < m->surface.node_count && f->block >= -m->config.wall_count &&
         f->block < m->topology.block_count && f->stiffness > 0 && isfinite(f->stiffness);
}

static bool is_block_sum_proper(const ipg_contact *c, const ipg_block_sum *s) {
  const int32_t blocks = c->model.topology.block_count;
  return s->blocks.lower >= -c->model.config.wall_count && s->blocks.lower <= s->blocks.upper && s->blocks.upper >= 0 &&
         s->blocks.upper < blocks && isfinite(s->friction) && isfinite(s->damping);
}

static ipg_status take_block_sums(ipg_contact *c, const ipg_block_sum *pairs, int64_t count, ipg_error *error) {
  ipg_block_sums *sums = &c->accepted->sums;
  const ipg_status status = ipg_array_reserve(&sums->pairs, &c->model.config.allocator, count, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) {
    sums->pairs.at[i] = pairs[i];
    if (!is_block_sum_proper(c, &pairs[i]) || (i && !ipg_is_block_pair_before(pairs[i - 1].blocks, pairs[i].blocks)))
      return refuse_recording(error, "what pairs of blocks dissipated in the recorded step is damaged");
  }
  sums->count = count;
  return IPG_OK;
}

static bool is_friction_force_proper(const ipg_contact *c, const ipg_friction_force *f) {
  const double numbers[] = {f->force.x, f->force.y, f->force.z, f->damper.x, f->damper.y, f->damper.z};
  bool is_finite = true;
  for (int i = 0; i < 6; ++i) is_finite = is_finite && isfinite(numbers[i]);
  return is_finite && f->node >= 0 && f->node < c->model.surface.node_count &&
         is_block_sum_proper(c, &(ipg_block_sum){.blocks = f->blocks});
}

/* Forces that still do half of their work: of friction, and what an update released. */
static ipg_status take_forces(ipg_contact *c, const header *h, const settings *s, const arrays *a, ipg_error *error) {
  ipg_contact_state *state = c->accepted;
  const int64_t count = h->friction_force_count, values = 3 * h->node_count;
  ipg_status status = ipg_array_reserve(&state->frictions.forces, &c->model.config.allocator, count, error);
  if (!status && a->released)
    status = ipg_array_reserve(&state->released.forces, &c->model.config.allocator, values, error);
  if (status) return status;
  bool are_proper = isfinite(s->released_wall_power);
  for (int64_t i = 0; i < count; ++i) {
    state->frictions.forces.at[i] = a->friction_forces[i];
    are_proper = are_proper && is_friction_force_proper(c, &a->friction_forces[i]);
  }
  for (int64_t i = 0; a->released && i < values; ++i) {
    state->released.forces.at[i] = a->released[i];
    are_proper = are_proper && isfinite(a->released[i]);
  }
  if (!are_proper) return refuse_recording(error, "a force of the recorded step is damaged");
  state->frictions.force_count = count;
  state->released.is_there = a->released != NULL, state->released.wall_power = s->released_wall_power;
  return IPG_OK;
}

/* False: one of them is none. */
static bool take_numbers(double *to, const double *from, int64_t count) {
  bool are_proper = true;
  for (int64_t i = 0; from && i < count; ++i) to[i] = from[i], are_proper = are_proper && from[i] >= 0;
  return are_proper;
}

/* After an update they are not those of the surface. */
static ipg_status take_frozen_numbers(ipg_contact *c, const header *h, const arrays *a, ipg_error *error) {
  ipg_face_properties *p = &c->model.faces;
  const bool are_proper = h->block_count == c->model.topology.block_count &&
                          take_numbers(p->block_periods.at, a->block_periods, h->block_count) &&
                          take_numbers(p->block_sizes.at, a->block_sizes, h->block_count) &&
                          take_numbers(p->block_stiffnesses.at, a->block_stiffnesses, h->block_count) &&
                          take_numbers(p->wall_node_stiffnesses.at, a->wall_node_stiffnesses, h->node_count) &&
                          take_numbers(p->wall_face_stiffnesses.at, a->wall_face_stiffnesses, 3 * h->face_count);
  return are_proper ? IPG_OK : refuse_recording(error, "a stiffness of the recorded step is damaged");
}

/* What penalty contact has beside contacts: it was created at the positions of the start. */
static ipg_status take_state_of_faces(ipg_contact *c, const header *h, const settings *s, const arrays *a,
                                      ipg_error *error) {
  ipg_contact_state *state = c->accepted;
  const size_t nodes = (size_t)h->node_count;
  ipg_status status = ipg_check_positions(&c->model.surface, a->accepted_x, error);
  if (!status)
    status = ipg_array_reserve(&state->frictions.contacts, &c->model.config.allocator, h->friction_count, error);
  if (status) return status;
  if (nodes) memcpy(state->x.at, a->accepted_x, 3 * nodes * sizeof(double));
  ipg_set_bevel_points(&c->model, state->x.at);
  state->has_offsets = a->offsets != NULL;
  if (a->offsets) memcpy(state->offsets.at, a->offsets, nodes * sizeof(double));
  for (int64_t i = 0; i < h->friction_count; ++i) {
    state->frictions.contacts.at[i] = a->frictions[i];
    if (!is_friction_proper(c, &a->frictions[i]) || (i && !ipg_comes_before(&a->frictions[i - 1], &a->frictions[i])))
      return refuse_recording(error, "the friction of the recorded step is damaged");
  }
  state->frictions.count = h->friction_count;
  for (int64_t i = 0; a->offsets && i < h->node_count; ++i)
    if (!(a->offsets[i] <= 0 && isfinite(a->offsets[i])))
      return refuse_recording(error, "an offset of the recorded step is damaged");
  status = take_frozen_numbers(c, h, a, error);
  if (!status) status = take_block_sums(c, a->sums, h->sum_count, error);
  return status ? status : take_forces(c, h, s, a, error);
}

/* The arrays of a recording within its bytes, which stand on an eight-byte border as a whole. */
static arrays arrays_within(const header *h, const char *bytes) {
  piece pieces[PIECES];
  arrays a = {.surface = {.node_count = h->node_count, .face_count = h->face_count}};
  const char *at = bytes + sizeof(header) + sizeof(settings);
  list_pieces(h, &a, pieces);
  for (int i = 0; i < PIECES; at += pieces[i++].bytes) {
    const void *address = pieces[i].bytes ? at : NULL;
    memcpy(pieces[i].pointer, &address, sizeof address);
  }
  return a;
}

static ipg_contact_config config_of_recording(const settings *s, const arrays *a, const header *h,
                                              const ipg_contact_config *given) {
  ipg_contact_config config = ipg_contact_defaults();
  config.allocator = given->allocator, config.tasks = given->tasks, config.contributions = given->contributions;
  config.search_method = s->search_method;
  config.penalty_scale = s->penalty_scale, config.search_margin = s->search_margin, config.start_time = s->start_time;
  config.onset = s->onset, config.reference_step = s->reference_step;
  config.reference_velocities = a->reference_velocities;
  config.reference_velocity_count = h->reference_velocity_count;
  config.enforcement = (ipg_contact_enforcement)s->enforcement;
  config.law = s->law, config.rules = a->rules, config.rule_count = h->rule_count;
  config.edges = s->edges != 0, config.thicknesses = a->thicknesses, config.thickness_count = h->thickness_count;
  config.walls = a->walls, config.wall_count = h->wall_count;
  return config;
}

ipg_status ipg_contact_replay_open(const ipg_contact_config *given, const void *bytes, int64_t count,
                                   ipg_contact_replay *r, ipg_error *error) {
  header h = {0};
  settings s;
  ipg_contact_config own;
  ipg_status status = ipg_take_config(given, &own, error);
  if (status) return status;
  *r = (ipg_contact_replay){0};
  if (count >= (int64_t)sizeof h) memcpy(&h, bytes, sizeof h);
  status = check_recording_header(&h, count, error);
  if (status) return status;
  memcpy(&s, (const char *)bytes + sizeof h, sizeof s);
  s.search_method[sizeof s.search_method - 1] = 0;
  const arrays a = arrays_within(&h, bytes);
  const ipg_contact_config config = config_of_recording(&s, &a, &h, &own);
  if (s.enforcement < IPG_ENFORCEMENT_PENALTY || s.enforcement > IPG_ENFORCEMENT_KINEMATIC ||
      (h.has_reference != 0) != (s.enforcement == IPG_ENFORCEMENT_PENALTY))
    return refuse_recording(error, "the recorded step is damaged");
  if ((status = check_rules(a.rules, h.rule_count, error))) return status;
  if (!are_settings_proper(&s)) return refuse_recording(error, "the recorded step is damaged");
  const double *start = a.reference_x ? a.reference_x : a.accepted_x;
  status = ipg_create_without_ties(&config, &a.surface, start, (int)s.block_count, &r->contact, error);
  if (!status) status = take_history(r->contact, &h, &s, a.contacts, error);
  if (!status && a.reference_x) status = take_state_of_faces(r->contact, &h, &s, &a, error);
  if (!status && a.reference_x) ipg_set_tie_rates(r->contact, r->contact->accepted);
  if (!status) r->contact->accepted->stable_step = ipg_find_stable_step(r->contact);
  if (status) ipg_contact_destroy(&r->contact);
  r->enforcement = config.enforcement;
  r->node_count = h.node_count, r->face_count = h.face_count, r->node_gids = a.surface.node_gids;
  r->x = a.x, r->v = a.v, r->time = s.trial_time;
  return status;
}
