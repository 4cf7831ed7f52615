/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact of a body with itself: none between the two sides of a plate, however coarsely it is bent, and contact
 * between the two sides of a slit, however it lies. */
#include "support/law_scene.h"

static const double modulus = 1e5;

/* ------------------------------------------------------------------------------------------------------ bent plates */

/* A plate 1 thick and 4 wide with `count` elements in an arc about y, and straight ends of `tail` elements. */
static ipg_mesh bent_plate(double inner, double angle_of_element, int count, int tail) {
  ipg_mesh mesh = scene_box(0, 0, 0, 2 * tail + count, 4, 1, 2 * tail + count, 4, 1, "plate");
  for (int64_t i = 0; i < mesh.node_count; ++i) {
    double *x = mesh.x + 3 * i;
    const double along = x[0] - tail, out = inner + x[2], in_arc = fmin(fmax(along, 0), count);
    const double angle = in_arc * angle_of_element, beyond = along - in_arc;
    x[0] = out * sin(angle) + beyond * cos(angle), x[2] = out * cos(angle) - beyond * sin(angle);
  }
  return mesh;
}

/* How often the plate presses on itself at its start, while its nodes are moved by a tenth of its shortest edge, and
 * while it is sheared along the axis of the arc. */
static int count_presses(ipg_mesh mesh, double shear, rng *r) {
  const ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  int presses = 0;
  law_scene_make(&w, &mesh, 1, 1, &modulus, &config);
  const double most = .1 * law_shortest_edge(&w);
  for (int time = 0; time < 10; ++time) {
    law_go(&w);
    presses += ipg_contact_get_counters(w.contact).face_contacts > 0;
    for (int64_t i = 0; i < 3 * w.s.surface.surface.node_count; ++i)
      w.s.trial[i] = w.s.x[i] + rng_between(r, -most, most);
  }
  for (int time = -2; time <= 2; ++time) {
    for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i) {
      const double *x = w.s.x + 3 * i;
      w.s.trial[3 * i] = x[0], w.s.trial[3 * i + 2] = x[2];
      w.s.trial[3 * i + 1] = x[1] + .5 * shear * time * hypot(x[0], x[2]);
    }
    law_go(&w);
    presses += ipg_contact_get_counters(w.contact).face_contacts > 0;
  }
  law_scene_free(&w);
  return presses;
}

static void bent_plates(void) {
  rng r = rng_start(1);
  int plates = 0, presses = 0;
  for (int i = 0; i < 4; ++i)
    for (int degrees = 15; degrees <= 120; degrees += 15)
      for (int count = 1; count <= 3 && count * degrees <= 180; ++count)
        for (int tail = 0; tail <= 3; ++tail, ++plates)
          presses += count_presses(bent_plate((double[]){.4, 1, 3, 10}[i], degrees * M_PI / 180, count, tail), .4, &r);
  presses += count_presses(bent_plate(10, 0, 0, 3), 2, &r);
  printf("%d plates\n", plates);
  CU_ASSERT(plates > 200);
  suite_gate("self-contact, plates bent by up to 120 degrees in an element: those that press on themselves", presses,
             0);
}

/* ------------------------------------------------------------------------------------------------------------ slits */

/* How the two layers of a body lie: cells across each, how far apart, by what angle they are bent from end to end, and
 * how far nodes of the one lie beside those of the other. */
typedef struct slit {
  int layers;
  double gap, bend, aside;
} slit;

static bool is_on_slit(const double *x) { return x[0] > 2.5 && fabs(x[2] - 1) < 1e-9; }

static void move_node_above(const slit *s, double *x) {
  const bool is_at_end = x[0] > 7.5;
  if (x[0] < 3.5) return;
  x[2] += s->gap;
  if (!is_at_end) x[0] += s->aside;
}

/* Nodes of the slit twice: those of elements above it are the last. Its end is closed. */
static ipg_mesh split_box(const slit *s, int64_t *first_above) {
  ipg_mesh mesh = scene_box(0, 0, 0, 8, 2, 2, 8, 2, 2 * s->layers, "slit");
  const int64_t count = mesh.node_count;
  ipg_id *above = malloc((size_t)count * sizeof *above);
  mesh.x = realloc(mesh.x, 6 * (size_t)count * sizeof *mesh.x);
  mesh.node_gids = realloc(mesh.node_gids, 2 * (size_t)count * sizeof *mesh.node_gids);
  CU_ASSERT_FATAL(above != NULL && mesh.x != NULL && mesh.node_gids != NULL);
  *first_above = count;
  for (int64_t i = 0; i < count; ++i) {
    above[i] = (ipg_id)i;
    if (!is_on_slit(mesh.x + 3 * i)) continue;
    above[i] = (ipg_id)mesh.node_count++;
    memcpy(mesh.x + 3 * (int64_t)above[i], mesh.x + 3 * i, 3 * sizeof *mesh.x);
    move_node_above(s, mesh.x + 3 * (int64_t)above[i]);
    mesh.node_gids[above[i]] = mesh.node_gids[count - 1] + above[i] - count + 1;
  }
  for (int64_t e = 0; e < mesh.element_count; ++e) {
    ipg_id *corners = mesh.tets + 4 * e;
    double height = 0;
    for (int k = 0; k < 4; ++k) height += mesh.x[3 * (int64_t)corners[k] + 2] / 4;
    for (int k = 0; k < 4 && height > 1; ++k) corners[k] = above[corners[k]];
  }
  free(above);
  return mesh;
}

/* Two layers that are not connected. */
static void two_boxes(const slit *s, ipg_mesh meshes[2]) {
  meshes[0] = scene_box(0, 0, 0, 8, 2, 1, 8, 2, s->layers, "below");
  meshes[1] = scene_box(0, 0, 1, 8, 2, 2, 8, 2, s->layers, "above");
  for (int64_t i = 0; i < meshes[1].node_count; ++i)
    if (is_on_slit(meshes[1].x + 3 * i)) move_node_above(s, meshes[1].x + 3 * i);
}

static void rotate(double axes[3][3], double *x) {
  const double from[3] = {x[0], x[1], x[2]};
  for (int k = 0; k < 3; ++k) x[k] = axes[0][k] * from[0] + axes[1][k] * from[1] + axes[2][k] * from[2];
}

/* Images of the axes: of a rotation about z, then about x. */
static void random_axes(rng *r, double axes[3][3]) {
  const double a = rng_between(r, 0, 6.28), b = rng_between(r, 0, 6.28);
  const double rotated[3][3] = {
      {cos(a), sin(a) * cos(b), sin(a) * sin(b)}, {-sin(a), cos(a) * cos(b), cos(a) * sin(b)}, {0, -sin(b), cos(b)}};
  memcpy(axes, rotated, sizeof rotated);
}

/* About y, the slit keeps its length. outward: across the slit, afterwards. */
static void bend(double angle, double *x, double outward[3]) {
  const double part = angle * x[0] / 8, out = x[2] - 1;
  const double to[3] = {sin(part), 0, cos(part)};
  memcpy(outward, to, sizeof to);
  if (angle == 0) return;
  x[0] = (8 / angle + out) * to[0], x[2] = (8 / angle + out) * to[2] - 8 / angle;
}

/* The energy after the layer above has been pressed onto the other. What penetrates at the start is ignored. */
static double press(const slit *s, ipg_mesh *meshes, int count, double axes[3][3], const bool *is_above) {
  const ipg_contact_config config = ipg_contact_defaults();
  ipg_error error = {0};
  law_scene w;
  int64_t nodes = 0;
  for (int i = 0; i < count; ++i) nodes += meshes[i].node_count;
  double(*outward)[3] = malloc((size_t)nodes * sizeof *outward);
  CU_ASSERT_FATAL(outward != NULL);
  nodes = 0;
  for (int i = 0; i < count; ++i)
    for (int64_t node = 0; node < meshes[i].node_count; ++node, ++nodes) {
      bend(s->bend, meshes[i].x + 3 * node, outward[nodes]);
      rotate(axes, meshes[i].x + 3 * node), rotate(axes, outward[nodes]);
    }
  law_scene_make(&w, meshes, count, 1, (double[]){modulus, modulus}, &config);
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(w.contact, &error));
  law_go(&w);
  CU_ASSERT(law_largest_force(&w) == 0);
  for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i) {
    const int64_t node = w.s.surface.surface.node_gids[i] - 1;
    for (int k = 0; k < 3 && is_above[node]; ++k) w.s.trial[3 * i + k] -= .05 * outward[node][k];
  }
  law_go(&w);
  law_scene_free(&w);
  free(outward);
  return w.energy;
}

static double press_slit(const slit *s, double axes[3][3]) {
  int64_t first_above;
  ipg_mesh mesh = split_box(s, &first_above);
  bool *is_above = calloc((size_t)mesh.node_count, sizeof *is_above);
  CU_ASSERT_FATAL(is_above != NULL);
  for (int64_t i = 0; i < mesh.node_count; ++i)
    is_above[i] = i >= first_above || (mesh.x[3 * i] > 2.5 && mesh.x[3 * i + 2] > 1 + 1e-9);
  const double energy = press(s, &mesh, 1, axes, is_above);
  free(is_above);
  return energy;
}

static double press_boxes(const slit *s, double axes[3][3]) {
  ipg_mesh meshes[2];
  two_boxes(s, meshes);
  const int64_t below = meshes[0].node_count, count = below + meshes[1].node_count;
  bool *is_above = calloc((size_t)count, sizeof *is_above);
  CU_ASSERT_FATAL(is_above != NULL);
  for (int64_t i = below; i < count; ++i) is_above[i] = meshes[1].x[3 * (i - below)] > 2.5;
  const double energy = press(s, meshes, 2, axes, is_above);
  free(is_above);
  return energy;
}

/* Layers of one element and of three, that touch, are apart, or start inside each other. At the end of the slit faces
 * share nodes, so the energy is a little less than that of two bodies; it is the same however the body is turned. */
static void slits(void) {
  static const slit kinds[] = {{1, 0, 0, 0},       {1, 1e-3, 0, 0},   {1, -1e-3, 0, 0}, {1, -.02, 0, 0},
                               {3, 0, 0, 0},       {3, 1e-3, 0, 0},   {3, -1e-3, 0, 0}, {1, 0, 1.5, 0},
                               {1, 1e-3, -1.5, 0}, {3, 0, 1.5, 0},    {3, 0, -1.5, 0},  {1, 0, 0, .3},
                               {1, 0, 1.5, .3},    {1, 0, -1.5, -.3}, {3, 0, 0, .3},    {3, 0, 1.5, .05}};
  double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  rng r = rng_start(2);
  double least = INFINITY, most = 0, turned = 0;
  for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); ++i) {
    const double of_boxes = press_boxes(&kinds[i], upright), energy = press_slit(&kinds[i], upright);
    least = fmin(least, energy / of_boxes), most = fmax(most, energy / of_boxes);
    for (int time = 0; time < 12; ++time) {
      double axes[3][3];
      random_axes(&r, axes);
      turned = fmax(turned, fabs(press_slit(&kinds[i], axes) / energy - 1));
    }
  }
  printf("energy of slits over that of two bodies: %g to %g\n", least, most);
  CU_ASSERT(least > .75 && most < 1);
  suite_gate("self-contact, slits in any direction: energy against that upright", turned, 1e-8);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"bent plates do not press on themselves", bent_plates},
      {"slits are in contact", slits},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "self_contact", tests);
}
