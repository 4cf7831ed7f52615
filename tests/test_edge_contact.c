/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sharp edges that cross: wedges of any angle and tilted plates are held; the force against difference quotients of the
 * energy; loops over the ends of edges; sliding along an edge, with friction too; the same bits whatever finds them. */
#include "support/evaluate.h"
#include "support/law_scene.h"
#include "support/random_scenes.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>

static const double degree = M_PI / 180;

/* A wedge whose edge, along y in so many pieces, is at the origin, up along z; its flanks lean by `angle`. */
static ipg_mesh make_wedge(double angle, double length, int pieces, const char *name) {
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_mesh_wedge((double[]){0, 0, .5}, (double[]){2 * tan(angle), length, 1}, 2, pieces, name, NULL,
                                  &mesh, &error));
  return mesh;
}

/* About the y axis, then the z axis, then moved. */
static void turn_mesh(ipg_mesh *mesh, double lean, double about_z, const double shift[3]) {
  const double c = cos(about_z), s = sin(about_z), cl = cos(lean), sl = sin(lean);
  double rotation[3][3] = {{c * cl, -s, c * sl}, {s * cl, c, s * sl}, {-sl, 0, cl}};
  transform_mesh(mesh, rotation, shift, 1);
}

/* A lower wedge with its edge on top, along y, and an upper one across it, both leaning, the upper one .3 above. */
typedef struct crossing {
  double angles[2], leans[2], across;
  double length;
  int pieces;
  double at[2]; /* where the upper one is, across and along the lower edge */
} crossing;

static void make_crossing(law_scene *w, const crossing *c, const ipg_contact_config *config) {
  const double moduli[2] = {1e6, 1e6};
  ipg_mesh meshes[2] = {make_wedge(c->angles[0], c->length, c->pieces, "lower"),
                        make_wedge(c->angles[1], c->length, c->pieces, "upper")};
  turn_mesh(&meshes[0], M_PI + c->leans[0], 0, (double[]){0, 0, 0});
  turn_mesh(&meshes[1], c->leans[1], c->across, (double[]){c->at[0], c->at[1], .3});
  law_scene_make(w, meshes, 2, 1, moduli, config);
}

static void press(law_scene *w, double depth) {
  law_shift(w, 1, (double[]){0, 0, -.3 - depth});
  law_go(w);
}

static double push(const law_scene *w) {
  double force[3];
  law_resultant(w, 1, force);
  return force[2];
}

/* Wedges of 20 to 140 degrees, upright and leaning. */
static void wedges_are_held(void) {
  long count = 0, through = 0;
  for (int angle = 10; angle <= 70; angle += 10)
    for (int across = 20; across <= 90; across += 10)
      for (int lean = 0; lean <= 20; lean += 10)
        for (int depth = 1; depth <= 3; ++depth) {
          const crossing c = {.angles = {angle * degree, angle * degree},
                              .leans = {lean * degree, 0},
                              .across = across * degree,
                              .length = 2,
                              .pieces = 2,
                              .at = {.07, .04}};
          const ipg_contact_config config = ipg_contact_defaults();
          law_scene w;
          make_crossing(&w, &c, &config);
          press(&w, .1 * depth);
          ++count, through += !(push(&w) > 0);
          if (!(push(&w) > 0)) printf("\n    %d, %d and %d degrees, .%d deep ", angle, across, lean, depth);
          law_scene_free(&w);
        }
  printf("%ld wedges ", count);
  suite_gate("wedges across wedges: that go through each other without being pushed apart", (double)through, 0);
}

/* Plates of 0.1, tilted about their lowest and highest edges, cross at right angles: as deep as .05 and .09. */
static void plates_are_held(void) {
  long through = 0;
  for (int tilt = 0; tilt <= 80; tilt += 10)
    for (int other = 10; other <= 80; other += 10)
      for (int depth = 1; depth <= 2; ++depth) {
        ipg_contact_config config = ipg_contact_defaults();
        ipg_mesh meshes[2] = {scene_box(0, -.55, -.8, .1, .45, 0, 1, 8, 6, "lower"),
                              scene_box(0, -.52, 0, .1, .48, .8, 1, 8, 6, "upper")};
        law_scene w;
        turn_mesh(&meshes[0], tilt * degree, 0, (double[]){0, 0, 0});
        turn_mesh(&meshes[1], other * degree, 90 * degree, (double[]){0, 0, .3});
        law_scene_make(&w, meshes, 2, 1, (double[]){1e6, 1e6}, &config);
        double lowest = INFINITY, highest = -INFINITY;
        for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i)
          if (w.s.body_of_node[i]) lowest = fmin(lowest, w.s.x[3 * i + 2]);
          else highest = fmax(highest, w.s.x[3 * i + 2]);
        law_shift(&w, 1, (double[]){0, 0, highest - lowest - .045 * depth});
        law_go(&w);
        through += !(push(&w) > 0);
        if (!(push(&w) > 0)) printf("\n    %d and %d degrees, %d ", tilt, other, depth);
        law_scene_free(&w);
      }
  suite_gate("tilted plates, edge across edge: that go through each other without being pushed apart", (double)through,
             0);
}

/* Wedges so narrow that their edges alone meet. */
static const crossing narrow = {.angles = {15 * M_PI / 180, 15 * M_PI / 180},
                                .across = 80 * M_PI / 180,
                                .length = 2,
                                .pieces = 2,
                                .at = {.07, .54}};

/* The stiffness of an edge of that length, per stiffness of a face: a third of what its two faces show along the
 * axis. */
static double area_of_edge(double length) { return length * tan(narrow.angles[0]) / 6; }

/* Long edges cross edges of .25: the force is that of a spring on the area of the shorter ones. */
static void shorter_edge_counts(void) {
  const double moduli[2] = {1e6, 2e6}, depth = .05, onset = .01;
  double worst = 0;
  for (int i = 0; i < 4; ++i) {
    const int pieces = i % 2 ? 1 : 3, long_one = i / 2; /* of edges of 2 or 2/3 */
    ipg_contact_config config = ipg_contact_defaults();
    ipg_mesh meshes[2];
    double stiffness[2], force[3];
    law_scene w;
    config.onset = onset;
    for (int b = 0; b < 2; ++b) meshes[b] = make_wedge(narrow.angles[0], 2, b == long_one ? pieces : 8, b ? "b" : "a");
    turn_mesh(&meshes[!long_one], M_PI, 0, (double[]){0, -.125, 0});
    turn_mesh(&meshes[long_one], 0, 90 * degree, (double[]){0, 0, .3});
    law_scene_make(&w, meshes, 2, 1, moduli, &config);
    for (int64_t f = 0; f < w.s.surface.surface.face_count; ++f)
      stiffness[w.s.surface.surface.face_blocks[f]] = w.s.surface.surface.face_stiffnesses[f];
    law_shift(&w, long_one, (double[]){0, 0, -.3 - depth});
    law_go(&w);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(w.contact).face_contacts, 1);
    law_resultant(&w, long_one, force);
    const double in_series = 1 / (1 / stiffness[0] + 1 / stiffness[1]);
    worst = suite_worst(worst, force[2] / (in_series * area_of_edge(.25) * (depth - onset / 2)) - 1);
    law_scene_free(&w);
  }
  CU_ASSERT(worst <= 1e-12);
}

/* Edges of two blocks whose contact is off, not yet on, or over do not press. */
static void rules_hold_between_edges(void) {
  const struct {
    bool off;
    double from, until;
  } cases[] = {{false, -1, 1}, {true, -1, 1}, {false, 1, 2}, {false, -2, -1}};
  for (int i = 0; i < 4; ++i) {
    ipg_contact_rule rule = ipg_contact_rule_defaults();
    ipg_contact_config config = ipg_contact_defaults();
    law_scene w;
    rule.blocks[0] = 0, rule.blocks[1] = 1;
    rule.off = cases[i].off, rule.from = cases[i].from, rule.until = cases[i].until;
    config.rules = &rule, config.rule_count = 1;
    make_crossing(&w, &narrow, &config);
    press(&w, .02);
    CU_ASSERT((push(&w) > 0) == !i && (ipg_contact_get_counters(w.contact).face_contacts > 0) == !i);
    law_scene_free(&w);
  }
}

/* While nothing moves, the end of a rule loses all the energy of its contacts, and its start brings it. */
static void rules_lose_energy_of_edges(void) {
  for (int is_start = 0; is_start < 2; ++is_start) {
    ipg_contact_rule rule = ipg_contact_rule_defaults();
    ipg_contact_config config = ipg_contact_defaults();
    law_scene w;
    rule.blocks[0] = 0, rule.blocks[1] = 1;
    if (is_start) rule.from = 1.5 * law_step;
    else rule.until = 1.5 * law_step;
    config.rules = &rule, config.rule_count = 1;
    make_crossing(&w, &narrow, &config);
    press(&w, .02);
    const double before = w.energy;
    law_go(&w);
    const double change = w.energy - before;
    CU_ASSERT((before > 0) == !is_start && (w.energy > 0) == is_start);
    CU_ASSERT_DOUBLE_EQUAL(ipg_contact_get_energy_balance(w.contact).spring_net_loss, -change, 1e-12 * fabs(change));
    law_scene_free(&w);
  }
}

static crossing random_crossing(rng *r) {
  crossing c = {.across = rng_between(r, 20, 90) * degree, .length = 2, .pieces = rng_int(r, 1, 4)};
  for (int i = 0; i < 2; ++i) {
    c.angles[i] = rng_between(r, 10, 70) * degree, c.leans[i] = rng_between(r, -20, 20) * degree;
    c.at[i] = rng_between(r, -.3, .3);
  }
  return c;
}

static void gradient_of_crossings(void) {
  law_quotients q = {0};
  for (uint64_t i = 0; i < (suite_is_quick() ? 20 : 100); ++i) {
    rng r = rng_start(i + 10);
    const crossing c = random_crossing(&r);
    const ipg_contact_config config = ipg_contact_defaults();
    law_scene w;
    make_crossing(&w, &c, &config);
    press(&w, rng_between(&r, .02, .2));
    if (law_largest_force(&w) > 0) law_check_gradient(&w, &r, &q);
    law_scene_free(&w);
  }
  printf("%ld quotients, %ld across kinks ", q.count, q.kinks);
  suite_gate("wedges across wedges: force against difference quotients of the energy", q.worst, 1e-6);
  suite_gate("wedges across wedges: resultant, of the sum of forces", q.resultant, 1e-12);
  suite_gate("wedges across wedges: moment, of the sum of forces times arms", q.moment, 1e-12);
}

/* -------------------------------------------------------------------------------------------------------- the loops */

typedef struct loop_run {
  law_scene w;
  double *x, *force, work, highest;
} loop_run;

static void go_to(loop_run *run, const double shift[3]) {
  law_scene *w = &run->w;
  law_shift(w, 1, shift);
  law_go(w);
  for (int64_t i = 0; i < 3 * w->s.surface.surface.node_count; ++i) {
    run->work += .5 * (run->force[i] + w->s.force[i]) * (w->s.trial[i] - run->x[i]);
    run->force[i] = w->s.force[i], run->x[i] = w->s.trial[i];
  }
  run->highest = fmax(run->highest, w->energy);
}

/* Down onto the edge, along it by so much and beyond its end, up, and back. Over the highest energy. */
static double work_round(const crossing *c, const double end[2], double depth, int steps) {
  const ipg_contact_config config = ipg_contact_defaults();
  const double way[][3] = {
      {0, 0, 0}, {0, 0, -.3 - depth}, {end[0], end[1], -.3 - depth}, {end[0], end[1], 0}, {0, 0, 0}};
  loop_run run = {.work = 0};
  make_crossing(&run.w, c, &config);
  const size_t values = 3 * (size_t)run.w.s.surface.surface.node_count;
  run.x = malloc(values * sizeof(double)), run.force = calloc(values, sizeof(double));
  memcpy(run.x, run.w.s.x, values * sizeof(double));
  for (int leg = 1; leg < 5; ++leg)
    for (int i = 1; i <= steps; ++i) {
      double shift[3];
      for (int k = 0; k < 3; ++k) shift[k] = way[leg - 1][k] + (way[leg][k] - way[leg - 1][k]) * i / steps;
      go_to(&run, shift);
    }
  CU_ASSERT(run.highest > 0);
  const double work = fabs(run.work) / run.highest;
  free(run.x), free(run.force);
  law_scene_free(&run.w);
  return work;
}

/* The most of eight loops. How much a sub-step loses that a kink lies in depends on where in it: two numbers of
 * sub-steps, nearly the same. */
static double most_work(int steps) {
  const double ends[][2] = {{0, 1.6}, {1.3, .2}, {.9, 1.7}, {-.4, .5}};
  double most = 0;
  for (int i = 0; i < 16; ++i) {
    rng r = rng_start((uint64_t)i / 2 + 50);
    crossing c = random_crossing(&r);
    c.pieces = 1 + i / 2 % 3;
    most = suite_worst(most, work_round(&c, ends[i / 2 % 4], .1, steps + i % 2 * steps / 16));
  }
  return most;
}

static void loops_over_ends(void) {
  const int finest = suite_is_full() ? 4096 : suite_is_quick() ? 256 : 1024;
  double coarse = most_work(64), fine = 0, rest = 0;
  for (int steps = 256; steps <= finest; steps *= 4, coarse = fine) {
    fine = most_work(steps);
    printf("\n    %d sub-steps a leg: %.3g, %d: %.3g ", steps / 4, coarse, steps, fine);
    rest = suite_worst(rest, fine / coarse);
  }
  suite_gate("closed loops along an edge and over its end: work, of the highest energy", fine, 1e-3);
  suite_gate("closed loops along an edge and over its end: work left in sub-steps four times finer", rest, .333);
}

/* ----------------------------------------------------------------------------------------------------------- sliding
 */

/* A wedge of one long edge is pressed onto another one of eight pieces and drawn along it. */
static const crossing slide_along = {
    .angles = {15 * M_PI / 180, 15 * M_PI / 180}, .across = 80 * M_PI / 180, .length = 4, .pieces = 8};

static void nothing_changes_along_an_edge(void) {
  const ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  double worst = 0, first = 0;
  make_crossing(&w, &slide_along, &config);
  for (int i = 0; i <= 100; ++i) {
    law_shift(&w, 1, (double[]){0, 1.2 * (i / 50. - 1), -.4});
    law_go(&w);
    if (!i) first = w.energy;
    worst = suite_worst(worst, w.energy / first - 1);
  }
  law_scene_free(&w);
  suite_gate("an edge slides along another one of eight pieces: change of the energy", worst, 1e-3);
}

/* Bodies that move without rotation, the lower one too heavy to move. */
static ipg_contact *start_motion(law_scene *w, const crossing *c, ipg_contact_law law) {
  ipg_contact_config config = ipg_contact_defaults();
  config.law = law;
  make_crossing(w, c, &config);
  w->s.body_mass[0] = 1e12;
  return w->contact;
}

static void bounce(void) {
  const crossing c = {.angles = {40 * degree, 30 * degree}, .across = 70 * degree, .length = 2, .pieces = 3};
  law_scene w;
  ipg_contact *contact = start_motion(&w, &c, (ipg_contact_law){0});
  w.s.body_mass[0] = w.s.body_mass[1];
  w.s.velocity[1][2] = -1;
  for (int64_t step = 1; step <= 3000; ++step) CU_ASSERT_FATAL(scene_step(&w.s, contact, 2e-4, step));
  const double worst = suite_worst(w.s.velocity[0][2] + 1, w.s.velocity[1][2]);
  suite_gate("edges that cross where no node is: velocities after the impact", worst, 1e-3);
  law_scene_free(&w);
}

/* Pressed on by gravity at rest for a while, then drawn along the edge: the way until it stops, and what is lost. */
static void slide(ipg_contact_law law, double speed, int64_t steps, double *way, double *last_speed, double *lost) {
  const double dt = 1e-3, gravity = 1;
  law_scene w;
  ipg_contact *contact = start_motion(&w, &slide_along, law);
  int64_t step = 0;
  for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i)
    if (w.s.body_of_node[i] == 1) w.s.x[3 * i + 1] -= 1.2, w.s.x[3 * i + 2] -= .3;
  CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, 0, w.s.x, &(ipg_error){0}));
  for (; step < 3000; ++step) {
    CU_ASSERT_FATAL(scene_step(&w.s, contact, dt, step + 1));
    w.s.velocity[1][2] -= dt * gravity;
    for (int k = 0; k < 3; ++k) w.s.velocity[1][k] *= .99; /* to rest */
  }
  int64_t node = 0;
  while (w.s.body_of_node[node] != 1) ++node;
  const double start = w.s.x[3 * node + 1], before = ipg_contact_get_energy_balance(contact).friction_dissipation;
  w.s.velocity[1][1] = speed;
  for (const int64_t end = step + steps; step < end; ++step) {
    CU_ASSERT_FATAL(scene_step(&w.s, contact, dt, step + 1));
    w.s.velocity[1][2] -= dt * gravity;
  }
  *way = w.s.x[3 * node + 1] - start, *last_speed = w.s.velocity[1][1];
  *lost = (ipg_contact_get_energy_balance(contact).friction_dissipation - before) / w.s.body_mass[1];
  law_scene_free(&w);
}

static void slide_along_an_edge(void) {
  const double mu = .3, speed = 1;
  double way, last, lost;
  slide((ipg_contact_law){0}, speed, 2400, &way, &last, &lost);
  suite_gate("an edge slides along another one of eight pieces, without friction: speed", last / speed - 1, 1e-3);
  slide((ipg_contact_law){mu, mu, 0, 0}, speed, 6000, &way, &last, &lost);
  suite_gate("friction of one edge on another: stopping distance", way / (speed * speed / (2 * mu)) - 1, .01);
  suite_gate("friction of one edge on another: dissipation against the kinetic energy lost",
             lost / (.5 * speed * speed) - 1, .005);
}

/* Pressed, sheared, and turned together: friction turns with the bodies. */
static void friction_turns_with_edges(void) {
  ipg_contact_config config = ipg_contact_defaults();
  double worst = 0, resultant = 0, moment = 0, first[3] = {0}, last[3] = {0};
  config.law = (ipg_contact_law){5, 5, 0, 0};
  for (int axis = 0; axis < 3; ++axis) {
    law_scene w;
    make_crossing(&w, &slide_along, &config);
    law_shift(&w, 1, (double[]){0, 0, -.4});
    law_go(&w);
    law_shift(&w, 1, (double[]){.01, .02, -.4});
    law_go(&w);
    law_resultant(&w, 1, first);
    const int64_t nodes = w.s.surface.surface.node_count;
    for (int i = 1; i <= 90; ++i) {
      const double c = cos(degree), s = sin(degree);
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (int64_t n = 0; n < nodes; ++n) {
        const double a = w.s.trial[3 * n + u], b = w.s.trial[3 * n + v];
        w.s.trial[3 * n + u] = c * a - s * b, w.s.trial[3 * n + v] = s * a + c * b;
      }
      law_go(&w);
      law_worsen_momentum(&w, &resultant, &moment);
    }
    law_resultant(&w, 1, last);
    const double expected[3] = {first[axis], -first[(axis + 2) % 3], first[(axis + 1) % 3]};
    const double found[3] = {last[axis], last[(axis + 1) % 3], last[(axis + 2) % 3]};
    for (int k = 0; k < 3; ++k) worst = suite_worst(worst, (found[k] - expected[k]) / law_largest_force(&w));
    law_scene_free(&w);
  }
  suite_gate("edges pressed, sheared, and turned together by 90 degrees about any axis: force", worst, 1e-6);
  suite_gate("edges pressed, sheared, and turned together: resultant, of the sum of forces", resultant, 1e-12);
  suite_gate("edges pressed, sheared, and turned together: moment, of the sum of forces times arms", moment, 1e-12);
}

/* --------------------------------------------------------------------------------------------- whatever finds them */

typedef struct way_of_finding {
  const char *method;
  double margin;
} way_of_finding;

/* Two crossings beside each other, the upper wedges going down and along; contact is audited. Without a margin no
 * candidate waits. */
static void run_audited(const crossing *c, const way_of_finding *how, double *forces, int64_t *contacts) {
  ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  config.search_method = how->method, config.search_margin = how->margin;
  config.law.friction_static = config.law.friction_dynamic = .2;
  make_crossing(&w, c, &config);
  const size_t bytes = 3 * (size_t)w.s.surface.surface.node_count * sizeof(double);
  *contacts = 0;
  for (int i = 0; i <= 40; ++i) {
    ipg_contact_audit_report report;
    ipg_error error = {0};
    law_shift(&w, 1, (double[]){.01 * i, .008 * i, -.28 - .004 * i});
    law_evaluate(&w, law_step);
    CU_ASSERT_FATAL(!ipg_contact_audit(w.contact, &report, &error));
    CU_ASSERT(!report.missed_candidates && !report.wrong_contacts && !report.wrong_forces);
    if (report.message[0]) printf("\n    audit: %s", report.message);
    const ipg_contact_counters counters = ipg_contact_get_counters(w.contact);
    CU_ASSERT(how->margin > 0 ? counters.active <= counters.candidates : counters.active == counters.candidates);
    *contacts += counters.face_contacts;
    law_go(&w);
  }
  memcpy(forces, w.s.force, bytes);
  law_scene_free(&w);
}

static void same_bits(void) {
  const way_of_finding ways[] = {
      {"lkdtree_packed", .2}, {"lkdtree_packed", 0}, {"brute_force", .2}, {"sap", 2}, {"cells", .05}};
  const crossing c = {.angles = {20 * degree, 35 * degree},
                      .leans = {.1, -.2},
                      .across = 1,
                      .length = 2,
                      .pieces = 3,
                      .at = {-.1, -.3}};
  double forces[5][3 * 200];
  long differ = 0;
  int64_t contacts;
  memset(forces, 0, sizeof forces);
  for (int i = 0; i < 5; ++i) {
    run_audited(&c, &ways[i], forces[i], &contacts);
    CU_ASSERT(contacts > 0);
    differ += memcmp(forces[0], forces[i], sizeof forces[0]) != 0;
  }
  const crossing long_edges_of_one_piece = {
      .angles = {70 * degree, 70 * degree}, .across = 1.5, .length = 12, .pieces = 1};
  run_audited(&long_edges_of_one_piece, &ways[1], forces[0], &contacts);
  suite_gate("edges that cross, every search method, margins 0 to 2: other forces", (double)differ, 0);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"wedges are held", wedges_are_held},
                         {"plates are held", plates_are_held},
                         {"the shorter edge counts", shorter_edge_counts},
                         {"rules hold between edges", rules_hold_between_edges},
                         {"rules lose the energy of edges", rules_lose_energy_of_edges},
                         {"force is minus the gradient of the energy", gradient_of_crossings},
                         {"closed loops", loops_over_ends},
                         {"nothing changes along an edge", nothing_changes_along_an_edge},
                         {"a bounce", bounce},
                         {"an edge slides along another", slide_along_an_edge},
                         {"friction turns with edges", friction_turns_with_edges},
                         {"the same bits, audited", same_bits},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "edge_contact", tests);
}
