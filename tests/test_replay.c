/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A recorded step gives the same bits when it is replayed; a damaged record is refused or harmless. */
#include "support/byte_list.h"
#include "support/crash_scenes.h"
#include "support/evaluate.h"
#include "support/scene.h"
#include "support/suite.h"
#include "support/weak_contact.h"

static bool write_until_full(void *context, const void *from, size_t count) {
  (void)from;
  size_t *left = context;
  if (count > *left) return false;
  *left -= count;
  return true;
}

static ipg_contact_rule rules[3];
static ipg_contact_wall wall;

/* Upwards. */
static double force_on_body(const scene *s, int32_t body) {
  double sum = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    if (s->body_of_node[i] == body) sum += s->force[3 * i + 2];
  return sum;
}

/* The middle of an oblique hit with friction and of a hit of two ridges edge on edge, with a wall that moves up from
 * below, a block that is tied to the box and by now farther away than the tie distance, and the stiffness of materials:
 * a step with everything that is recorded. */
static void make_middle_of_hit(scene *s, ipg_contact **contact) {
  static const double thicknesses[] = {0, .003, .001, 0, 0};
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .52, .5, 4, "ball"),
                       scene_ridge((double[]){9, 0, 0}, 0, 1, "lower ridge"),
                       scene_ridge((double[]){9, 0, sqrt(2.) + .065}, 1.2, 1, "upper ridge"),
                       scene_box(.81, .81, 0, .99, .99, .2, 2, 2, 2, "tied block")};
  ipg_contact_config config = ipg_contact_defaults();
  rules[0] = rules[1] = ipg_contact_rule_defaults();
  rules[0].law = (ipg_contact_law){.4, .3, 2, .1}, rules[1].blocks[0] = rules[1].blocks[1] = 1, rules[1].off = true;
  rules[2] = ipg_contact_rule_defaults(), rules[2].tied = true, rules[2].blocks[0] = 4, rules[2].blocks[1] = 0;
  wall = (ipg_contact_wall){.point = {0, 0, -.51}, .normal = {.1, 0, 7}, .velocity = {0, 0, .6}, .law = {.2, .1, 0, 0}};
  config.walls = &wall, config.wall_count = 1;
  config.rules = rules, config.rule_count = 3, config.search_method = "kdtree", config.search_margin = .3;
  config.thicknesses = thicknesses, config.thickness_count = 5;
  ipg_error error = {0};
  scene_make(s, meshes, 5, 1);
  CU_ASSERT_FATAL(
      !ipg_mesh_surface_set_stiffness(&s->surface, &s->mesh, &s->skin, (double[]){2e5, 1e5, 1e5, 1e5, 1e5}, &error));
  s->velocity[1][0] = .7, s->velocity[1][2] = -1, s->velocity[3][2] = -1;
  s->velocity[4][2] = .5, s->body_mass[4] = 1e6;
  *contact = scene_contact(s, &config);
  for (int64_t step = 1; step <= 80; ++step) CU_ASSERT_FATAL(scene_step(s, *contact, 1e-3, step));
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(*contact, &count);
  bool seen[IPG_CONTACT_KIND_COUNT] = {false};
  for (int64_t i = 0; i < count; ++i) seen[pairs[i].kind] = true;
  for (int i = 0; i < IPG_CONTACT_KIND_COUNT; ++i) CU_ASSERT_FATAL(seen[i]);
  CU_ASSERT_FATAL(force_on_body(s, 3) > 0);
}

/* The middle of an oblique hit with friction and damping by face-face contact: the ball was a little inside the box at
 * the start, and both have turned and stretched since, so that what follows from the positions of the start cannot be
 * had from the present ones. */
static void make_middle_of_face_hit(scene *s, ipg_contact **contact) {
  static const double velocities[] = {0, 0, 0, .7, 0, -1};
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .495, .5, 4, "ball")};
  ipg_contact_config config = ipg_contact_defaults();
  ipg_error error = {0};
  config.penalty_scale = 0.1, config.reference_step = 1e-3, config.onset = .01;
  config.reference_velocities = velocities, config.reference_velocity_count = 2;
  config.law = (ipg_contact_law){.4, .3, 2, .1};
  scene_make(s, meshes, 2, 1);
  s->velocity[1][0] = .7, s->velocity[1][2] = -1;
  *contact = scene_contact(s, &config);
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(*contact, &error));
  for (int64_t step = 1; step <= 30; ++step) {
    for (int64_t i = 0; i < 3 * s->surface.surface.node_count;
         i += 3) { /* turns and stretches a little with each step */
      const double x = s->x[i], y = s->x[i + 1];
      s->x[i] = cos(1e-3) * x - sin(1e-3) * y, s->x[i + 1] = 1.001 * (sin(1e-3) * x + cos(1e-3) * y);
    }
    CU_ASSERT_FATAL(scene_step(s, *contact, 1e-3, step));
  }
  CU_ASSERT_FATAL(ipg_contact_get_energy_balance(*contact).friction_dissipation > 0);
}

static byte_list record_step(const scene *s, const ipg_contact *contact, const double *v) {
  byte_list b = {0};
  ipg_error error = {0};
  CU_ASSERT_FATAL(
      !ipg_contact_record(contact, ipg_contact_get_time(contact) + 1e-3, s->trial, v, append_bytes, &b, &error));
  return b;
}

/* The next step of a face-face hit: forces, friction, damping and energies, and what audit says of it. */
static void test_same_bits_of_faces(void) {
  for (int moving = 0; moving < 2; ++moving) {
    scene s;
    ipg_contact *contact;
    ipg_contact_replay r;
    ipg_contact_audit_report report;
    ipg_error error = {0};
    make_middle_of_face_hit(&s, &contact);
    const size_t size = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
    double *v = calloc(1, size), *force = malloc(size);
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i) memcpy(v + 3 * i, s.velocity[s.body_of_node[i]], 24);
    scene_predict(&s, 1e-3);
    byte_list b = record_step(&s, contact, moving ? v : NULL), again = {0};
    const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(contact);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, moving ? v : NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, 31, &error));
    CU_ASSERT_FATAL(!open_replay(NULL, b.data, (int64_t)b.count, &r, &error));
    CU_ASSERT_FATAL(!ipg_contact_record(r.contact, r.time, r.x, r.v, append_bytes, &again, &error));
    CU_ASSERT(again.count == b.count && !memcmp(again.data, b.data, b.count));
    CU_ASSERT_FATAL(!ipg_contact_evaluate(r.contact, r.time, r.x, r.v, force, &error));
    CU_ASSERT_FATAL(!ipg_contact_audit(r.contact, &report, &error));
    CU_ASSERT_EQUAL(report.missed_candidates + report.wrong_contacts + report.wrong_forces, 0);
    CU_ASSERT_FATAL(!ipg_contact_accept(r.contact, 31, &error));
    CU_ASSERT(!memcmp(force, s.force, size));
    const ipg_contact_energy_balance one = ipg_contact_get_energy_balance(contact),
                                     other = ipg_contact_get_energy_balance(r.contact);
    CU_ASSERT(one.contact_energy == other.contact_energy && one.contact_energy > 0);
    CU_ASSERT(one.friction_dissipation == other.friction_dissipation &&
              one.friction_dissipation > before.friction_dissipation);
    CU_ASSERT(one.damping_dissipation == other.damping_dissipation);
    ipg_contact_destroy(&r.contact);
    ipg_contact_destroy(&contact);
    scene_free(&s);
    free(b.data), free(again.data), free(v), free(force);
  }
}

static void test_same_bits(void) {
  for (int moving = 0; moving < 2; ++moving) {
    scene s;
    ipg_contact *contact;
    ipg_contact_replay r;
    ipg_error error = {0};
    make_middle_of_hit(&s, &contact);
    const size_t size = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
    double *v = calloc(1, size), *force = malloc(size);
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i) memcpy(v + 3 * i, s.velocity[s.body_of_node[i]], 24);
    scene_predict(&s, 1e-3);
    byte_list b = record_step(&s, contact, moving ? v : NULL);
    const double end = ipg_contact_get_time(contact) + 1e-3;
    CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, end, s.trial, moving ? v : NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, 81, &error));
    CU_ASSERT_FATAL(!open_replay(NULL, b.data, (int64_t)b.count, &r, &error));
    CU_ASSERT(r.time == end && r.node_count == s.surface.surface.node_count && (r.v != NULL) == moving);
    CU_ASSERT_EQUAL(ipg_contact_last_step(r.contact), 80);
    CU_ASSERT_FATAL(!ipg_contact_evaluate(r.contact, r.time, r.x, r.v, force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(r.contact, 81, &error));
    CU_ASSERT(!memcmp(force, s.force, size));
    const ipg_contact_energy_balance one = ipg_contact_get_energy_balance(contact),
                                     other = ipg_contact_get_energy_balance(r.contact);
    CU_ASSERT(one.external_work == other.external_work && one.external_work > 0);
    CU_ASSERT(one.contact_energy == other.contact_energy && one.friction_dissipation == other.friction_dissipation &&
              one.activations == other.activations);
    ipg_contact_destroy(&r.contact);
    ipg_contact_destroy(&contact);
    scene_free(&s);
    free(b.data), free(v), free(force);
  }
}

/* Evaluates the step that is predicted, and once more from a recording. */
static void evaluate_twice(crash_scene *w, ipg_contact *contact) {
  const int64_t values = 3 * w->s.surface.surface.node_count;
  byte_list b = {0};
  ipg_contact_replay r;
  ipg_error error = {0};
  double *force = malloc((size_t)values * sizeof *force);
  CU_ASSERT_FATAL(
      !ipg_contact_record(contact, ipg_contact_get_time(contact) + w->dt, w->s.trial, NULL, append_bytes, &b, &error));
  CU_ASSERT_FATAL(!evaluate_after(contact, w->dt, w->s.trial, NULL, w->s.force, &error));
  CU_ASSERT_FATAL(!open_replay(NULL, b.data, (int64_t)b.count, &r, &error));
  CU_ASSERT_FATAL(!ipg_contact_evaluate(r.contact, r.time, r.x, NULL, force, &error));
  CU_ASSERT(!memcmp(force, w->s.force, (size_t)values * sizeof *force));
  ipg_contact_destroy(&r.contact);
  free(b.data), free(force);
}

/* What is frozen at the start is no longer that of the surface. */
static void test_same_bits_after_updates(void) {
  int64_t repeated = 0;
  for (long number = 0; number < (suite_is_quick() ? 20 : 120); ++number) {
    crash_scene w;
    ipg_error error = {0};
    crash_scene_make(&w, rng_seed(), number, .8);
    ipg_contact *contact = w.has_erosion ? crash_scene_contact(&w, NULL) : NULL;
    for (int64_t deleted = 0; w.has_erosion && w.step < w.steps;) {
      crash_scene_predict(&w);
      if (deleted) evaluate_twice(&w, contact), ++repeated;
      else CU_ASSERT_FATAL(!evaluate_after(contact, w.dt, w.s.trial, NULL, w.s.force, &error));
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, w.step + 1, &error));
      crash_scene_complete(&w);
      deleted = crash_scene_erode(&w, contact);
    }
    ipg_contact_destroy(&contact);
    crash_scene_free(&w);
  }
  CU_ASSERT(repeated > 20);
}

/* Two records of one step are the same bytes, also of a replayed step. */
static void test_recorded_again(void) {
  scene s;
  ipg_contact *contact;
  ipg_contact_replay r;
  ipg_error error = {0};
  make_middle_of_hit(&s, &contact);
  scene_predict(&s, 1e-3);
  byte_list first = record_step(&s, contact, NULL), second = {0};
  CU_ASSERT_FATAL(!open_replay(NULL, first.data, (int64_t)first.count, &r, &error));
  CU_ASSERT_FATAL(!ipg_contact_record(r.contact, r.time, r.x, r.v, append_bytes, &second, &error));
  CU_ASSERT_EQUAL_FATAL(first.count, second.count);
  CU_ASSERT(!memcmp(first.data, second.data, first.count));
  ipg_contact_destroy(&r.contact);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(first.data), free(second.data);
}

static void try_bytes(const unsigned char *data, size_t count) {
  ipg_contact_replay r;
  ipg_error error = {0};
  unsigned char *copy = malloc(count ? count : 1); /* ends with the allocation, for the address sanitizer */
  memcpy(copy, data, count);
  if (!open_replay(NULL, copy, (int64_t)count, &r, &error)) {
    double *force = malloc(3 * (size_t)r.node_count * sizeof *force + 1);
    (void)ipg_contact_evaluate(r.contact, r.time, r.x, r.v, force, &error);
    free(force);
    ipg_contact_destroy(&r.contact);
  } else CU_ASSERT(strlen(error.message) > 10 && !r.contact);
  free(copy);
}

typedef void make_scene(scene *s, ipg_contact **contact);

static void damage_bytes(make_scene *make) {
  scene s;
  ipg_contact *contact;
  make(&s, &contact);
  scene_predict(&s, 1e-3);
  byte_list b = record_step(&s, contact, NULL);
  rng random = rng_start(5);
  for (size_t count = 0; count < b.count; count += count < 2000 ? 1 : 997) {
    ipg_contact_replay r;
    ipg_error error = {0};
    CU_ASSERT_EQUAL(open_replay(NULL, b.data, (int64_t)count, &r, &error), IPG_ERROR_FORMAT);
  }
  for (int i = 0; i < (suite_is_quick() ? 200 : 800); ++i) {
    const size_t at = (size_t)(rng_unit(&random) * (double)(i % 2 ? b.count : 600));
    const unsigned char was = b.data[at];
    b.data[at] ^= (unsigned char)(1 << i % 8);
    try_bytes(b.data, b.count);
    b.data[at] = was;
  }
  free(b.data);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_damaged_bytes(void) {
  damage_bytes(make_middle_of_hit);
  damage_bytes(make_middle_of_face_hit);
}

static void test_no_room_to_write(void) {
  scene s;
  ipg_contact *contact;
  ipg_error error = {0};
  make_middle_of_hit(&s, &contact);
  byte_list b = record_step(&s, contact, NULL);
  const size_t rooms[] = {0, 100, b.count / 2, b.count - 1};
  for (int i = 0; i < 4; ++i) {
    size_t left = rooms[i];
    CU_ASSERT_EQUAL(ipg_contact_record(contact, 1, s.trial, NULL, write_until_full, &left, &error), IPG_ERROR_FILE);
  }
  free(b.data);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The mean edge at the start and blocks without faces are recorded too: else the step would differ where bodies have
 * grown or a rule names such a block. */
static void test_state_of_start(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 3, 3, 1, "box"), scene_ball(.07, .03, .52, .5, 3, "ball")};
  static ipg_contact_rule rule;
  ipg_contact_config config = weak_contact();
  ipg_contact_replay r;
  ipg_error error = {0};
  scene s;
  scene_make(&s, meshes, 2, 1);
  rule = ipg_contact_rule_defaults(), rule.blocks[0] = 0, rule.blocks[1] = 1;
  config.rules = &rule, config.rule_count = 1;
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) s.trial[i] = 3 * s.x[i];
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, 1, &error));
  ipg_surface left = s.surface.surface;
  while (left.face_count && left.face_blocks[left.face_count - 1] == 1) --left.face_count;
  CU_ASSERT_FATAL(left.face_count > 0 && !ipg_contact_update_surface(contact, &left, s.trial, &error));
  byte_list b = record_step(&s, contact, NULL), again = {0};
  CU_ASSERT_FATAL(!open_replay(NULL, b.data, (int64_t)b.count, &r, &error));
  CU_ASSERT_FATAL(!ipg_contact_record(r.contact, r.time, r.x, r.v, append_bytes, &again, &error));
  CU_ASSERT(b.count == again.count && !memcmp(b.data, again.data, b.count));
  ipg_contact_destroy(&r.contact);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(b.data), free(again.data);
}

/* ---------------------------------------------------------------------------------------------- settings without rules
 */

static int64_t enqueued;

static void *count_enqueued(void *context, ipg_task *task, void *arg, int64_t begin, int64_t end, int64_t grain) {
  (void)context;
  const ipg_tasks serial = ipg_tasks_serial();
  ++enqueued;
  ipg_tasks_for(&serial, task, arg, begin, end, grain);
  return NULL;
}

static void finish_nothing(void *context, void *handle) { (void)context, (void)handle; }

/* A step takes more than its rules from the recording: the common law, the penalty scale, that sharp edges have no
 * contact, and the time since the start, which says where a moving wall is; and the caller's threads are used. */
static void test_common_settings(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .52, .5, 4, "ball"),
                       scene_ridge((double[]){9, 0, 0}, 0, 1, "lower ridge"),
                       scene_ridge((double[]){9, 0, sqrt(2.) - .01}, 1.2, 1, "upper ridge")};
  const ipg_contact_wall rising = {.point = {0, 0, -.52}, .normal = {0, 0, 1}, .velocity = {0, 0, .6}};
  const ipg_tasks tasks = {1, count_enqueued, finish_nothing, NULL};
  ipg_contact_config config = ipg_contact_defaults();
  ipg_contact_replay r;
  ipg_error error = {0};
  scene s;
  config.law = (ipg_contact_law){.4, .3, 2, .1}, config.penalty_scale = .3, config.start_time = 5;
  config.reference_step = .02, config.edges = false;
  config.walls = &rising, config.wall_count = 1;
  scene_make(&s, meshes, 4, 1);
  s.velocity[1][0] = .7, s.velocity[1][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 60; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  scene_predict(&s, .02); /* farther than before: contacts are activated */
  byte_list b = record_step(&s, contact, NULL);
  const size_t size = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
  double *force = malloc(size);
  CU_ASSERT_FATAL(!open_replay(&tasks, b.data, (int64_t)b.count, &r, &error));
  enqueued = 0;
  for (int i = 0; i < 2; ++i) {
    CU_ASSERT_FATAL(!evaluate_after(i ? r.contact : contact, 1e-3, s.trial, NULL, i ? force : s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(i ? r.contact : contact, 61, &error));
    CU_ASSERT_EQUAL(enqueued > 0, i);
  }
  CU_ASSERT(!memcmp(force, s.force, size) && force_on_body(&s, 1) > 0);
  const ipg_contact_energy_balance one = ipg_contact_get_energy_balance(contact);
  ipg_contact_energy_balance other = ipg_contact_get_energy_balance(r.contact);
  other.contact_work = one.contact_work; /* takes the forces at the start of the step, which are not recorded */
  CU_ASSERT(!memcmp(&one, &other, sizeof one) && one.friction_dissipation > 0 && one.wall_impulse[2] > 0);
  ipg_contact_destroy(&r.contact);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(b.data), free(force);
}

/* -------------------------------------------------------------------------------------------------- damaged numbers */

/* Where the record has these bytes, which stand on an eight-byte border. */
static void *find_bytes(const byte_list *b, const void *what, size_t size) {
  for (size_t at = 0; at + size <= b->count; at += 8)
    if (!memcmp(b->data + at, what, size)) return b->data + at;
  CU_FAIL_FATAL("the record has no such bytes");
  return NULL;
}

static void expect_refusal(const byte_list *b, const char *words) {
  ipg_contact_replay r;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(open_replay(NULL, b->data, (int64_t)b->count, &r, &error), IPG_ERROR_FORMAT);
  CU_ASSERT(strstr(error.message, words) != NULL);
  ipg_contact_destroy(&r.contact);
}

typedef enum damage {
  OUT_OF_ORDER,
  TWICE,
  OPEN,
  NO_NODE,
  NOT_FINITE,
  BELOW_ZERO,
  OTHER_FACE,
  NO_WALL,
  NO_RULE,
  DAMAGES
} damage;

static ipg_contact_pair *find_kind(ipg_contact_pair *pairs, int64_t count, ipg_contact_kind kind, bool last) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = last ? count - 1 - i : i;
    if (pairs[at].kind == kind) return &pairs[at];
  }
  CU_FAIL_FATAL("no contact of that kind");
  return NULL;
}

static void damage_history(damage what, const ipg_surface *s, ipg_contact_pair *pairs, int64_t count) {
  ipg_contact_pair *node = find_kind(pairs, count, IPG_CONTACT_NODE_FACE, false), first = *node;
  ipg_contact_pair *wall_contact = find_kind(pairs, count, IPG_CONTACT_NODE_WALL, true);
  ipg_contact_pair *tie = find_kind(pairs, count, IPG_CONTACT_TIE, true);
  CU_ASSERT_FATAL(node[1].kind == IPG_CONTACT_NODE_FACE);
  switch (what) {
  case OUT_OF_ORDER: node[0] = node[1], node[1] = first; break;
  case TWICE: node[1] = first; break;
  case OPEN: node->gap = 1e-3; break;
  case NO_NODE: node->nodes[1] = (ipg_id)s->node_count; break;
  case NOT_FINITE: node->history.tangential_slip[1] = INFINITY; break;
  case BELOW_ZERO: node->history.stiffness = -1; break;
  case OTHER_FACE: node->face = (ipg_id)s->face_count - 1; break; /* of a body that it does not touch */
  case NO_WALL: wall_contact->touched = 1; break;
  case NO_RULE: tie->face = tie->touched = (ipg_id)s->face_count - 1; break; /* of the node's own block */
  default: CU_FAIL_FATAL("no such damage");
  }
}

/* Whatever is wrong with one contact of the history, it is refused. */
static void test_damaged_history(void) {
  scene s;
  ipg_contact *contact;
  int64_t count;
  make_middle_of_hit(&s, &contact);
  byte_list b = record_step(&s, contact, NULL);
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  ipg_contact_pair *recorded = find_bytes(&b, pairs, (size_t)count * sizeof *pairs);
  for (damage what = 0; what < DAMAGES; ++what) {
    damage_history(what, &s.surface.surface, recorded, count);
    expect_refusal(&b, "the history of the recorded step is damaged");
    memcpy(recorded, pairs, (size_t)count * sizeof *pairs);
  }
  free(b.data);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Another version, a count whose bytes add up again because they overflow, and a rule that is neither off nor on. */
static void test_damaged_header_and_rule(void) {
  enum { VERSION_AT = 8, CONTACT_COUNT_AT = 72 };
  scene s;
  ipg_contact *contact;
  make_middle_of_hit(&s, &contact);
  byte_list b = record_step(&s, contact, NULL);
  ipg_contact_rule *rule = find_bytes(&b, &rules[0], sizeof rules[0]);
  const unsigned char two = 2;
  memcpy(&rule->off, &two, 1);
  expect_refusal(&b, "a rule of the recorded step is damaged");
  memcpy(rule, &rules[0], sizeof *rule);
  uint64_t *version = (uint64_t *)(void *)(b.data + VERSION_AT), *contacts = (void *)(b.data + CONTACT_COUNT_AT);
  int64_t count;
  ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(*contacts, (uint64_t)count);
  ++*version;
  expect_refusal(&b, "by another version");
  --*version;
  *contacts += (uint64_t)1 << 61;
  expect_refusal(&b, "the recorded step is damaged");
  free(b.data);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"the same bits", test_same_bits},
      {"the same bits after updates of the surface", test_same_bits_after_updates},
      {"the same bits of face-face contact", test_same_bits_of_faces},
      {"recorded again", test_recorded_again},
      {"the state of the start", test_state_of_start},
      {"common settings", test_common_settings},
      {"a damaged history", test_damaged_history},
      {"a damaged header and a damaged rule", test_damaged_header_and_rule},
      {"damaged bytes", test_damaged_bytes},
      {"no room to write", test_no_room_to_write},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "replay", tests);
}
