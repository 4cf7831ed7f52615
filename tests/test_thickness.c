/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Thickness: surfaces that lie outside of their faces, so that bodies are in contact at a distance. */
#include "support/evaluate.h"
#include "support/law_scene.h"
#include "support/random_scenes.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>

static const double moduli[] = {1e5, 1e5};

static ipg_contact_config thick(const double *thicknesses) {
  ipg_contact_config config = ipg_contact_defaults();
  config.thicknesses = thicknesses, config.thickness_count = 2;
  return config;
}

/* A plate below z = 0 and a box above. */
static void make_box_on_plate(law_scene *w, const ipg_contact_config *config) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.2, 1, 1, 0, 5, 4, 1, "plate"),
                       scene_box(-.4, -.3, .2, .3, .4, .7, 3, 2, 2, "box")};
  law_scene_make(w, meshes, 2, 1, moduli, config);
}

static double push_at(law_scene *w, double gap) {
  double force[3];
  law_shift(w, 1, (double[]){0, 0, gap - .2});
  law_go(w);
  law_resultant(w, 1, force);
  return force[2];
}

/* A box over a plate: the force at a gap is that of the same penetration without thickness. */
static void same_as_penetration(void) {
  const double thicknesses[] = {.05, .03};
  const ipg_contact_config with = thick(thicknesses), without = ipg_contact_defaults();
  law_scene thick_scene, bare;
  double worst = 0;
  make_box_on_plate(&thick_scene, &with), make_box_on_plate(&bare, &without);
  for (int i = -4; i <= 8; ++i) {
    const double penetration = .01 * i + .0001, expected = push_at(&bare, -penetration);
    const double push = push_at(&thick_scene, .08 - penetration);
    CU_ASSERT((push > 0) == (penetration > 0));
    worst = suite_worst(worst, expected > 0 ? push / expected - 1 : push);
  }
  law_scene_free(&thick_scene), law_scene_free(&bare);
  suite_gate("thickness .05 and .03: force against that of the same penetration without", worst, 1e-10);
}

static void bounce(void) {
  const double thicknesses[] = {.05, .03};
  const ipg_contact_config config = thick(thicknesses);
  law_scene w;
  make_box_on_plate(&w, &config);
  scene *s = &w.s;
  s->velocity[1][2] = -1;
  const double energy = .5 * s->body_mass[1];
  double nearest = 1, after = 0;
  int64_t box = 0, plate = 0;
  while (s->body_of_node[box] != 1) ++box;
  while (s->body_of_node[plate] != 0) ++plate;
  for (int64_t step = 1; step <= 1500; ++step) {
    CU_ASSERT_FATAL(scene_step(s, w.contact, 2e-4, step));
    nearest = fmin(nearest, s->x[3 * box + 2] - s->x[3 * plate + 2] - .2);
  }
  for (int b = 0; b < 2; ++b) after += .5 * s->body_mass[b] * s->velocity[b][2] * s->velocity[b][2];
  CU_ASSERT(nearest < .079 && nearest > .04 && s->velocity[1][2] > s->velocity[0][2]);
  suite_gate("thickness .05 and .03: energy after a bounce", after / energy - 1, .01);
  law_scene_free(&w);
}

/* ------------------------------------------------------------------------------------------------- random bodies */

typedef struct way_of_finding {
  const char *method;
  double margin;
} way_of_finding;

/* Two random bodies with a gap below the thickness of both. */
static bool press_random_pair(law_scene *w, uint64_t number, const way_of_finding *how, const double thicknesses[2],
                              rng *r) {
  ipg_contact_config config = thick(thicknesses);
  ipg_mesh meshes[2];
  double shift[3];
  *r = rng_start(number);
  law_random_pair(r, meshes, (const char *[]){"a", "b"});
  config.search_method = how->method, config.search_margin = how->margin;
  law_scene_make(w, meshes, 2, 1, moduli, &config);
  const bool meets = law_random_press(w, r, rng_between(r, -.15, .1), shift);
  for (int i = 1; meets && i <= 4; ++i) { /* in steps, so that candidates wait */
    law_shift(w, 1, (double[]){shift[0] * i / 4, shift[1] * i / 4, shift[2] * i / 4});
    law_go(w);
  }
  return meets;
}

static void gradient(void) {
  const way_of_finding usual = {"lkdtree_packed", .2};
  law_quotients q = {0};
  for (uint64_t i = 0; i < (suite_is_quick() ? 30 : 150); ++i) {
    const double thicknesses[2] = {.02 + .01 * (double)(i % 5), .03 * (double)(i % 3)};
    rng r;
    law_scene w;
    if (press_random_pair(&w, i + 100, &usual, thicknesses, &r) && law_largest_force(&w) > 0)
      law_check_gradient(&w, &r, &q);
    law_scene_free(&w);
  }
  printf("%ld quotients, %ld across kinks ", q.count, q.kinks);
  CU_ASSERT(q.count > 100 && q.kinks < q.count / 10);
  suite_gate("thick bodies: force against difference quotients of the energy", q.worst, 1e-6);
  suite_gate("thick bodies: resultant, of the sum of forces", q.resultant, 1e-12);
  suite_gate("thick bodies: moment, of the sum of forces times arms", q.moment, 1e-12);
}

static void same_bits(void) {
  const way_of_finding ways[] = {{"lkdtree_packed", .2}, {"lkdtree_packed", 0}, {"brute_force", .2}, {"sap", 2}};
  const double thicknesses[2] = {.06, .04};
  long differ = 0, scenes = 0;
  for (uint64_t i = 0; i < (suite_is_quick() ? 20 : 100); ++i) {
    double *forces[4] = {0};
    size_t bytes = 0;
    for (int k = 0; k < 4; ++k) {
      ipg_contact_audit_report report;
      ipg_error error = {0};
      rng r;
      law_scene w;
      if (press_random_pair(&w, i + 400, &ways[k], thicknesses, &r)) {
        law_evaluate(&w, law_step);
        CU_ASSERT_FATAL(!ipg_contact_audit(w.contact, &report, &error));
        CU_ASSERT(!report.missed_candidates && !report.wrong_contacts && !report.wrong_forces);
        if (report.message[0]) printf("\n    audit: %s", report.message);
        bytes = 3 * (size_t)w.s.surface.surface.node_count * sizeof(double);
        forces[k] = malloc(bytes);
        memcpy(forces[k], w.s.force, bytes);
      }
      law_scene_free(&w);
    }
    scenes += forces[0] != NULL;
    for (int k = 1; k < 4; ++k) differ += forces[0] && memcmp(forces[0], forces[k], bytes);
    for (int k = 0; k < 4; ++k) free(forces[k]);
  }
  CU_ASSERT(scenes > 10);
  suite_gate("thick bodies, every search, margins 0 to 2: other forces", (double)differ, 0);
}

/* ----------------------------------------------------------------------------------------------------- sharp edges */

/* Two roofs cross at a gap: in contact below the thickness of both. */
static void thick_edges(void) {
  const double thicknesses[] = {.02, .03};
  const ipg_contact_config config = thick(thicknesses);
  ipg_mesh meshes[] = {scene_ridge((double[]){0, 0, 0}, 0, 3, "lower"),
                       scene_ridge((double[]){0, 0, sqrt(2.) + .1}, 1.2, 3, "upper")};
  law_scene w;
  double force[3];
  law_scene_make(&w, meshes, 2, 1, moduli, &config);
  for (int i = 0; i < 8; ++i) {
    const double gap = .0505 - .01 * i;
    law_shift(&w, 1, (double[]){0, 0, gap - .1});
    law_go(&w);
    law_resultant(&w, 1, force);
    CU_ASSERT((force[2] > 0) == (gap < .05) && (gap < .05 || force[2] == 0));
  }
  law_scene_free(&w);
}

/* Edges at a gap many times the depth of the material behind them: the search finds them as far away as they press. */
static void very_thick_edges(void) {
  const double thicknesses[] = {2.5, 2.6};
  ipg_contact_config config = thick(thicknesses);
  ipg_mesh meshes[] = {scene_ridge((double[]){0, 0, 0}, 0, 3, "lower"),
                       scene_ridge((double[]){0, 0, sqrt(2.) + 5}, 1.2, 3, "upper")};
  law_scene w;
  config.search_margin = 0;
  law_scene_make(&w, meshes, 2, 1, moduli, &config);
  for (int i = 0; i < 20; ++i) {
    ipg_contact_audit_report report;
    ipg_error error = {0};
    law_shift(&w, 1, (double[]){0, 0, .0999 - .1 * i});
    law_evaluate(&w, law_step);
    CU_ASSERT_FATAL(!ipg_contact_audit(w.contact, &report, &error));
    CU_ASSERT(!report.missed_candidates && !report.wrong_contacts && !report.wrong_forces);
    CU_ASSERT(ipg_contact_get_counters(w.contact).face_contacts > 0);
    law_go(&w);
  }
  law_scene_free(&w);
}

/* ----------------------------------------------------------------------------------------- rules, walls, the start */

/* A plate of .1 along x that is bent back over itself, so that its two ends lie above each other .2 apart. */
static ipg_mesh make_bent_plate(void) {
  const double straight = 1, inner = .1;
  ipg_mesh mesh = scene_box(0, -.5, 0, 2 * straight + inner * M_PI, .5, .1, 64, 2, 1, "plate");
  for (int64_t i = 0; i < mesh.node_count; ++i) {
    double *x = mesh.x + 3 * i;
    const double along = x[0] - straight, out = inner + .1 - x[2];
    const double angle = fmin(fmax(along / inner, 0), M_PI), beyond = fmax(along - inner * M_PI, 0);
    x[0] = fmin(along, 0) + out * sin(angle) - beyond, x[2] = -out * cos(angle);
  }
  return mesh;
}

/* A body that folds is not thick for itself. */
static void one_body_has_none(void) {
  const double thickness = .15, modulus = 1e5;
  ipg_contact_config config = ipg_contact_defaults();
  ipg_mesh mesh = make_bent_plate();
  law_scene w;
  config.thicknesses = &thickness, config.thickness_count = 1;
  law_scene_make(&w, &mesh, 1, 1, &modulus, &config);
  law_go(&w);
  CU_ASSERT(law_largest_force(&w) == 0 && ipg_contact_get_counters(w.contact).face_contacts == 0);
  law_scene_free(&w);
}

/* The thickness of a rule wins over that of the blocks; self-contact has none. */
static void rules_and_bodies(void) {
  const double thicknesses[] = {.4, .4};
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = thick(thicknesses);
  law_scene w;
  rule.blocks[0] = 0, rule.blocks[1] = 1, rule.thickness = .1;
  config.rules = &rule, config.rule_count = 1;
  make_box_on_plate(&w, &config);
  CU_ASSERT(push_at(&w, .11) == 0 && law_largest_force(&w) == 0); /* nor between the two sides of the plate */
  CU_ASSERT(push_at(&w, .09) > 0);
  law_scene_free(&w);
}

/* A box falls onto a wall: it bounces off at its thickness, and starts behind it if it is nearer. */
static void walls(void) {
  const double thicknesses[] = {.1, .05};
  const ipg_contact_wall wall = {.point = {0, 0, -.3}, .normal = {0, 0, 1}};
  ipg_contact_config config = thick(thicknesses);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  law_scene w;
  int64_t count;
  config.walls = &wall, config.wall_count = 1;
  make_box_on_plate(&w,
                    &config); /* the underside of the plate is at the thickness over the wall, and the box too far */
  law_shift(&w, 0, (double[]){0, 0, .001});
  law_go(&w);
  CU_ASSERT(law_largest_force(&w) == 0);
  law_shift(&w, 0, (double[]){0, 0, -.001});
  law_go(&w);
  double force[3], bare[3];
  law_resultant(&w, 0, force);
  law_scene_free(&w);
  const ipg_contact_wall higher = {.point = {0, 0, -.2}, .normal = {0, 0, 1}};
  config.thickness_count = 0, config.walls = &higher;
  make_box_on_plate(&w, &config);
  law_shift(&w, 0, (double[]){0, 0, -.001});
  law_go(&w);
  law_resultant(&w, 0, bare);
  suite_gate("a thick body at a wall: force against that at a wall as much nearer", force[2] / bare[2] - 1, 1e-10);
  law_scene_free(&w);
  const ipg_contact_wall near = {.point = {0, 0, -.25}, .normal = {0, 0, 1}};
  config = thick(thicknesses), config.walls = &near, config.wall_count = 1;
  make_box_on_plate(&w, &config);
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(w.contact, &found, &count, &error));
  CU_ASSERT(count == 30);
  for (int64_t i = 0; i < count; ++i) CU_ASSERT(found[i].wall == 0 && fabs(found[i].depth - .05) < 1e-12);
  law_scene_free(&w);
}

/* A plate that stands on one of its lower edges, into a wall: only some corners of its faces are behind it. The force
 * is that of a wall as much nearer. */
static void tilted_at_a_wall(void) {
  const double thicknesses[] = {.1, .05};
  ipg_contact_wall wall = {.normal = {0, 0, 1}};
  double worst = 0;
  for (int i = 1; i <= 5; ++i) {
    double force[2][3];
    for (int is_thick = 0; is_thick < 2; ++is_thick) {
      ipg_contact_config config = thick(thicknesses);
      law_scene w;
      if (!is_thick) config.thickness_count = 0;
      wall.point[2] = is_thick ? -.5 : -.4;
      config.walls = &wall, config.wall_count = 1;
      make_box_on_plate(&w, &config);
      law_tilt(&w, 0, .1, (double[]){1, 0, -.2}, (double[]){0, 0, -.2 - .02 * i});
      law_go(&w);
      law_resultant(&w, 0, force[is_thick]);
      law_scene_free(&w);
    }
    CU_ASSERT(force[0][2] > 0);
    worst = suite_worst(worst, force[1][2] / force[0][2] - 1);
  }
  CU_ASSERT(worst <= 1e-10);
}

/* Nearer than the thickness from the start: reported with how much is missing, moved apart, or free of force as it is.
 */
static void too_close_at_the_start(void) {
  const double thicknesses[] = {.15, .11};
  const ipg_contact_config config = thick(thicknesses);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  law_scene w;
  int64_t count, moved;
  double farthest, worst = 0;
  make_box_on_plate(&w, &config);
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(w.contact, &found, &count, &error));
  CU_ASSERT(count >= 12);
  for (int64_t i = 0; i < count; ++i) {
    worst = fmax(worst, found[i].depth);
    CU_ASSERT(found[i].depth > 0);
  }
  suite_gate("nearer than the thickness at the start: what is missing at most", worst / .06 - 1, 1e-12);
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(w.contact, &error));
  CU_ASSERT(push_at(&w, .2) == 0);
  CU_ASSERT(push_at(&w, .19) > 0);
  CU_ASSERT(push_at(&w, .3) == 0);
  CU_ASSERT(push_at(&w, .25) > 0); /* it has been away */
  law_scene_free(&w);
  make_box_on_plate(&w, &config);
  double *x = malloc(3 * (size_t)w.s.surface.surface.node_count * sizeof *x);
  CU_ASSERT_FATAL(!ipg_contact_remove_initial_penetrations(w.contact, x, &moved, &farthest, &error));
  CU_ASSERT(moved > 0 && farthest > .01);
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(w.contact, &found, &count, &error));
  CU_ASSERT_EQUAL(count, 0);
  free(x);
  law_scene_free(&w);
}

static void invalid_thicknesses(void) {
  const double wrong[][2] = {{-.1, 0}, {(double)NAN, 0}, {0, (double)INFINITY}};
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "a"), scene_box(2, 0, 0, 3, 1, 1, 1, 1, 1, "b")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  for (int i = 0; i < 5; ++i) {
    ipg_contact_config config = thick(wrong[i % 3]);
    ipg_contact_rule rule = ipg_contact_rule_defaults();
    ipg_contact *contact = NULL;
    ipg_error error = {0};
    if (i == 3) config.thickness_count = 1;
    if (i == 4) {
      rule.thickness = (double)NAN;
      config.thickness_count = 0, config.rules = &rule, config.rule_count = 1;
    }
    CU_ASSERT(ipg_contact_create(&config, &s.surface.surface, s.x, &contact, &error) > 0);
    CU_ASSERT_PTR_NULL(contact);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "thickness"));
  }
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"the same as penetration", same_as_penetration},
      {"a bounce at a distance", bounce},
      {"force is minus the gradient of the energy", gradient},
      {"the same bits, audited", same_bits},
      {"thick edges", thick_edges},
      {"very thick edges", very_thick_edges},
      {"rules, and a body with itself", rules_and_bodies},
      {"one body has none", one_body_has_none},
      {"walls", walls},
      {"tilted at a wall", tilted_at_a_wall},
      {"too close at the start", too_close_at_the_start},
      {"invalid thicknesses", invalid_thicknesses},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "thickness", tests);
}
