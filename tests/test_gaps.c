/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Gaps between bodies that are not in contact yet: against every node with every face, and against a file with the gaps
 * that another program found. */
#include "support/evaluate.h"
#include "support/scene.h"
#include "support/suite.h"
#include "support/surface_oracle.h"

#include <unistd.h>

/* Of rounding, of bodies of size 1. */
static const double rounding = 1e-14;

/* The gap of one node to one body, over all faces that the node is at least `height` in front of; INFINITY if there are
 * none. */
static double gap_to_body(const scene *s, ipg_id node, int32_t body, double height) {
  const ipg_surface *surface = &s->surface.surface;
  double nearest = INFINITY;
  for (ipg_id f = 0; f < surface->face_count; ++f) {
    if (surface->face_bodies[f] != body) continue;
    const closest_point at = closest_point_of(surface, s->x, node, f);
    if (at.height >= height) nearest = fmin(nearest, at.distance);
  }
  return nearest;
}

/* Of the gaps found, in the order of nodes; INFINITY if it is not among them. */
static double find_gap(const scene *s, const ipg_contact_gap *gaps, int64_t count, ipg_id node, int32_t body) {
  for (int64_t i = 0; i < count && gaps[i].node <= node; ++i)
    if (gaps[i].node == node && s->surface.surface.face_bodies[gaps[i].face] == body) return gaps[i].gap;
  return INFINITY;
}

/* By how much a gap is outside of the two that rounding allows. */
static double outside(double gap, double least, double most) { return fmax(0, fmax(least - gap, gap - most)); }

/* The worst of all gaps. */
static double gap_error;

static void check_scene(const scene *s, double distance) {
  const ipg_surface *surface = &s->surface.surface;
  ipg_contact *contact = scene_contact(s, NULL);
  const ipg_contact_gap *gaps;
  ipg_error error = {0};
  int64_t count, found = 0;
  CU_ASSERT_FATAL(!ipg_contact_find_gaps(contact, distance, &gaps, &count, &error));
  for (ipg_id node = 0; node < surface->node_count; ++node)
    for (int32_t body = 0; body < surface_body_count(surface); ++body) {
      if (body == s->body_of_node[node]) continue;
      const double gap = find_gap(s, gaps, count, node, body), least = gap_to_body(s, node, body, -rounding),
                   most = gap_to_body(s, node, body, rounding);
      found += gap < INFINITY;
      if (gap < INFINITY) gap_error = suite_worst(gap_error, outside(gap, least, fmin(most, distance)));
      else CU_ASSERT(most > distance - rounding);
    }
  CU_ASSERT_EQUAL(count, found); /* no pair twice, none of a body with itself */
  for (int64_t i = 1; i < count; ++i) CU_ASSERT(gaps[i].node >= gaps[i - 1].node);
  ipg_contact_destroy(&contact);
}

static void test_against_all_pairs(void) {
  rng random = rng_start(17);
  for (int trial = 0; trial < (suite_is_quick() ? 10 : 60); ++trial) {
    ipg_mesh meshes[] = {scene_ball(rng_unit(&random) - .5, 0, 0, .5, 2, "a"),
                         scene_ball(rng_unit(&random) - .5, .9 + .2 * rng_unit(&random), 0, .5, 2, "b"),
                         scene_box(-.4, -.4, .45 + .1 * rng_unit(&random), .4, .4, 1.8, 2, 2, 2, "c")};
    scene s;
    scene_make(&s, meshes, 3, 1);
    const double distances[] = {0, .03, .2, 1};
    for (int i = 0; i < 4; ++i) check_scene(&s, distances[i]);
    scene_free(&s);
  }
  suite_gate("gaps of 180 bodies against all nodes and faces, closest points in long double", gap_error, rounding);
}

/* A gap is found within just its own distance, however that is rounded: from above and from below, at many heights. */
static void test_within_just_the_gap(void) {
  int64_t tried = 0;
  for (int i = 0; i < 100; ++i) {
    const double top = i % 2 ? .1 * i / 7 : 0, bottom = top + .3 / (i + 3);
    ipg_mesh meshes[] = {scene_box(-1, -1, top - 1, 1, 1, top, 2, 2, 1, "lower"),
                         scene_box(-.7, -.7, bottom, .8, .8, bottom + 1, 1, 1, 1, "upper")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    const ipg_surface *surface = &s.surface.surface;
    ipg_contact *contact = scene_contact(&s, NULL);
    const ipg_contact_gap *gaps;
    ipg_error error = {0};
    int64_t count;
    for (ipg_id node = 0; node < surface->node_count; ++node) {
      int64_t found = 0;
      CU_ASSERT_FATAL(!ipg_contact_find_gaps(contact, .5, &gaps, &count, &error));
      const double gap = find_gap(&s, gaps, count, node, !s.body_of_node[node]);
      if (gap == INFINITY) continue;
      CU_ASSERT_FATAL(!ipg_contact_find_gaps(contact, gap, &gaps, &count, &error));
      for (int64_t g = 0; g < count; ++g) found += gaps[g].node == node;
      CU_ASSERT_EQUAL(found, 1);
      ++tried;
    }
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  CU_ASSERT(tried > 1000);
}

/* Finding gaps between the steps changes nothing in a run. */
static void test_run_is_unchanged(void) {
  double forces[2] = {0, 0};
  for (int with_gaps = 0; with_gaps < 2; ++with_gaps) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .52, .5, 4, "ball")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    s.velocity[1][2] = -1;
    ipg_contact *contact = scene_contact(&s, NULL);
    for (int64_t step = 1; step <= 60; ++step) {
      const ipg_contact_gap *gaps;
      int64_t count;
      ipg_error error = {0};
      if (with_gaps) {
        scene_predict(&s, 1e-3);
        CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
        CU_ASSERT_FATAL(!ipg_contact_find_gaps(contact, .01, &gaps, &count, &error));
        CU_ASSERT_EQUAL(ipg_contact_accept(contact, step, &error), IPG_ERROR_ARGUMENT); /* nothing is left to accept */
      }
      CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
      for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) forces[with_gaps] += s.force[i] * (double)i;
    }
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  CU_ASSERT(forces[0] == forces[1] && forces[0] != 0);
}

/* ---------------------------------------------------------------------------------------- a file of another program */

enum { CLOSEST_X, CLOSEST_Y, CLOSEST_Z, PENETRATION, FIELDS };

/* The fields closest_point_x, _y, _z and penetration, per node of the file. */
static double *read_fields(const char *path, int64_t node_count) {
  const char *wanted[FIELDS] = {"closest_point_x", "closest_point_y", "closest_point_z", "penetration"};
  double *values = malloc(FIELDS * (size_t)node_count * sizeof *values);
  ipg_results_reader *reader;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_results_open(path, NULL, &reader, &error));
  const ipg_contents_fields *fields = &ipg_results_contents(reader)->fields[IPG_FIELD_NODAL];
  int found = 0;
  for (int i = 0; i < fields->count; ++i)
    for (int k = 0; k < FIELDS; ++k)
      if (!strcmp(fields->names[i], wanted[k])) {
        CU_ASSERT_FATAL(!ipg_results_read(reader, 0, IPG_FIELD_NODAL, i, values + k * node_count, &error));
        ++found;
      }
  CU_ASSERT_EQUAL_FATAL(found, FIELDS);
  ipg_results_reader_destroy(&reader);
  return values;
}

/* A block 0.001 above a base; the file has a penetration of -0.001 at 13 nodes of the base, 0 at all others. It looks
 * for nodes of one side only: those of the block are known from its shape. */
static void check_file(const char *path) {
  ipg_mesh meshes[1];
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_exodus_read(path, NULL, NULL, &meshes[0], &error));
  const int64_t nodes = meshes[0].node_count;
  double *values = read_fields(path, nodes);
  scene s;
  scene_make(&s, meshes, 1, 1);
  const ipg_surface *surface = &s.surface.surface;
  ipg_contact *contact = scene_contact(&s, NULL);
  const ipg_contact_gap *gaps;
  int64_t count, of_body[2] = {0, 0}, bottom = 0, marked = 0;
  int32_t body = -1;
  double worst = 0;
  for (int64_t i = 0; i < surface->node_count; ++i) {
    if (values[PENETRATION * nodes + s.surface.mesh_nodes[i]] == 0) continue;
    CU_ASSERT(body < 0 || body == s.body_of_node[i]);
    body = s.body_of_node[i], ++marked;
  }
  CU_ASSERT_EQUAL(marked, 13);
  for (int64_t i = 0; i < surface->node_count; ++i)
    bottom += s.body_of_node[i] != body && s.x[3 * i + 2] <= .001 * (1 + 1e-9);
  CU_ASSERT_FATAL(!ipg_contact_find_gaps(contact, .001 * (1 + 1e-9), &gaps, &count, &error));
  for (int64_t i = 0; i < count; ++i) {
    const ipg_id node = s.surface.mesh_nodes[gaps[i].node];
    of_body[s.body_of_node[gaps[i].node] == body]++;
    if (s.body_of_node[gaps[i].node] != body) { /* the bottom of the upper body, which lies flat above the base */
      CU_ASSERT_DOUBLE_EQUAL(s.x[3 * (int64_t)gaps[i].node + 2], .001, 1e-12);
      CU_ASSERT_DOUBLE_EQUAL(gaps[i].gap, .001, 1e-12);
      continue;
    }
    worst = suite_worst(worst, values[PENETRATION * nodes + node] + gaps[i].gap);
    for (int k = 0; k < 3; ++k) {
      double closest = 0;
      for (int c = 0; c < 3; ++c)
        closest += gaps[i].weights[c] * s.x[3 * (int64_t)surface->faces[3 * (int64_t)gaps[i].face + c] + k];
      worst = suite_worst(worst, closest - values[k * nodes + node]);
    }
  }
  CU_ASSERT_EQUAL(bottom, 25);
  suite_gate("moose_close_tet_out.e: nodes of the other body, which lies flat above, more or less than all 25 of its "
             "underside",
             (double)(of_body[0] - bottom), 0);
  suite_gate("moose_close_tet_out.e: nodes 0.001 from the other body, more or less than the 13 of the file",
             (double)(of_body[1] - marked), 0);
  suite_gate("moose_close_tet_out.e: distances and closest points", worst, 1e-9);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(values);
}

static void test_file_of_another_program(void) {
  const char *data = getenv("IMPINGE_DATA");
  char path[4096];
  snprintf(path, sizeof path, "%s/exodus/moose_close_tet_out.e", data ? data : "");
  if (!data || access(path, R_OK))
    printf("\n    SKIPPED: a file of another program: %s was not found (IMPINGE_DATA)", path);
  else check_file(path);
}

static void test_refusals(void) {
  ipg_mesh meshes[] = {scene_ball(0, 0, 0, .5, 2, "a")};
  const double wrong[] = {-1, (double)NAN, (double)INFINITY};
  scene s;
  scene_make(&s, meshes, 1, 1);
  ipg_contact *contact = scene_contact(&s, NULL);
  for (int i = 0; i < 3; ++i) {
    const ipg_contact_gap *gaps;
    int64_t count;
    ipg_error error = {0};
    CU_ASSERT_EQUAL(ipg_contact_find_gaps(contact, wrong[i], &gaps, &count, &error), IPG_ERROR_NUMBER);
    CU_ASSERT(count == 0 && !gaps);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"against all pairs", test_against_all_pairs},
      {"within just the gap", test_within_just_the_gap},
      {"a run is unchanged", test_run_is_unchanged},
      {"13 nodes of a file of another program", test_file_of_another_program},
      {"what is refused", test_refusals},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "gaps", tests);
}
