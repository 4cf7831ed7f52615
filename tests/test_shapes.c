/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Shapes of many sizes: volumes by closed form, counts by formula, every face of the skin in exactly one side set of
 * the right orientation, node sets equal to the nodes of their sides, nodes of round surfaces on their circle, and
 * dihedral angles within a stated range while cells are about as high as wide. Then wrong arguments, every allocation
 * failing once, and several threads. */
#include "impinge/surface.h"

#include "support/failing_allocator.h"
#include "support/suite.h"

#include <limits.h>
#include <math.h>

#define PI 3.14159265358979323846

static const double centre[3] = {0.25, -0.5, 8};

/* ------------------------------------------------------------------------------------------------------- geometry */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static const double *position(const ipg_mesh *mesh, ipg_id node) { return mesh->x + 3 * (int64_t)node; }

/* The outward normal of a side, as long as the side's area. */
static void side_normal(const ipg_mesh *mesh, ipg_id element, ipg_id side, double normal[3]) {
  const ipg_id *tet = mesh->tets + 4 * (int64_t)element;
  const double *p[3];
  double u[3], v[3];
  for (int c = 0; c < 3; ++c) p[c] = position(mesh, tet[ipg_tet_sides[side][c]]);
  for (int d = 0; d < 3; ++d) u[d] = p[1][d] - p[0][d], v[d] = p[2][d] - p[0][d];
  for (int d = 0; d < 3; ++d) normal[d] = (u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3]) / 2;
}

typedef struct range {
  double least, most;
} range;

static void widen(range *r, double value) {
  r->least = fmin(r->least, value);
  r->most = fmax(r->most, value);
}

/* The angle in degrees between the two sides at the edge from corner a to b: between the parts of the two other corners
 * perpendicular to the edge. */
static double dihedral(const ipg_mesh *mesh, const ipg_id *tet, int a, int b) {
  double e[3], w[2][3];
  for (int d = 0; d < 3; ++d) e[d] = position(mesh, tet[b])[d] - position(mesh, tet[a])[d];
  for (int c = 0, found = 0; c < 4; ++c) {
    if (c == a || c == b) continue;
    for (int d = 0; d < 3; ++d) w[found][d] = position(mesh, tet[c])[d] - position(mesh, tet[a])[d];
    const double along = dot(w[found], e) / dot(e, e);
    for (int d = 0; d < 3; ++d) w[found][d] -= along * e[d];
    ++found;
  }
  return acos(dot(w[0], w[1]) / sqrt(dot(w[0], w[0]) * dot(w[1], w[1]))) * 180 / PI;
}

static void widen_by_angles(range *r, const ipg_mesh *mesh) {
  for (int64_t e = 0; e < mesh->element_count; ++e)
    for (int a = 0; a < 4; ++a)
      for (int b = a + 1; b < 4; ++b) widen(r, dihedral(mesh, mesh->tets + 4 * e, a, b));
}

static double volume_of(const ipg_mesh *mesh) {
  double sum = 0;
  for (int64_t e = 0; e < mesh->element_count; ++e) {
    const double volume = ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
    CU_ASSERT(volume > 0);
    sum += volume;
  }
  return sum;
}

/* ----------------------------------------------------------------------------------------------------------- checks */

typedef enum normal_kind { ALONG, AROUND_AXIS, AROUND_POINT } normal_kind;

typedef struct surface {
  const char *name;
  int64_t nodes, sides;
  normal_kind normal_kind;
  double outward[3]; /* ALONG: the normal; else outward[0] is 1 for outside and -1 for inside */
  double radius;
} surface;

typedef struct body {
  int64_t nodes, elements;
  double volume;
  int euler; /* 2 for a sphere, 0 for a torus */
  int surface_count;
  surface surfaces[6];
} body;

static double radius_of(const surface *s, const double *x) {
  double r[3] = {x[0] - centre[0], x[1] - centre[1], s->normal_kind == AROUND_POINT ? x[2] - centre[2] : 0};
  return sqrt(dot(r, r));
}

/* The outward direction of a surface at a side. */
static void outward_at(const ipg_mesh *mesh, const surface *s, ipg_id element, ipg_id side, double outward[3]) {
  memcpy(outward, s->outward, 3 * sizeof *outward);
  if (s->normal_kind == ALONG) return;
  double middle[3] = {0};
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d)
      middle[d] += position(mesh, mesh->tets[4 * (int64_t)element + ipg_tet_sides[side][c]])[d] / 3 - centre[d] / 3;
  if (s->normal_kind == AROUND_AXIS) middle[2] = 0;
  for (int d = 0; d < 3; ++d) outward[d] = s->outward[0] * middle[d] / sqrt(dot(middle, middle));
}

static void check_sides(const ipg_mesh *mesh, const surface *s, const ipg_side_set *set, char *seen) {
  CU_ASSERT_STRING_EQUAL(set->name, s->name);
  CU_ASSERT_EQUAL(set->count, s->sides);
  for (int64_t k = 0; k < set->count; ++k) {
    double normal[3], outward[3];
    side_normal(mesh, set->elements[k], set->sides[k], normal);
    outward_at(mesh, s, set->elements[k], set->sides[k], outward);
    const double cosine = dot(normal, outward) / sqrt(dot(normal, normal));
    CU_ASSERT(s->normal_kind == ALONG ? cosine > 1 - 1e-12
                                      : cosine > 0.8); /* even where three sides approximate a circle */
    seen[4 * (int64_t)set->elements[k] + set->sides[k]]++;
  }
}

/* A node set has the nodes of its sides, each once, in ascending order. */
static void check_nodes(const ipg_mesh *mesh, const surface *s, const ipg_node_set *set, const ipg_side_set *sides) {
  char *used = calloc((size_t)mesh->node_count, 1);
  CU_ASSERT_STRING_EQUAL(set->name, s->name);
  CU_ASSERT_EQUAL(set->count, s->nodes);
  for (int64_t k = 0; k < sides->count; ++k)
    for (int c = 0; c < 3; ++c)
      used[mesh->tets[4 * (int64_t)sides->elements[k] + ipg_tet_sides[sides->sides[k]][c]]] = 1;
  int64_t at = 0;
  for (ipg_id node = 0; node < mesh->node_count; ++node)
    if (used[node]) CU_ASSERT_FATAL(at < set->count && set->nodes[at++] == node);
  CU_ASSERT_EQUAL(at, set->count);
  for (int64_t k = 0; k < set->count && s->normal_kind != ALONG; ++k)
    CU_ASSERT_DOUBLE_EQUAL(radius_of(s, position(mesh, set->nodes[k])), s->radius, 4e-15);
  free(used);
}

/* The skin has exactly as many faces as the formulas give, so every side inside has a partner: the mesh conforms. */
static void check_skin(const ipg_mesh *mesh, const body *b, const char *seen) {
  ipg_skin skin;
  int64_t sides = 0;
  for (int s = 0; s < b->surface_count; ++s) sides += b->surfaces[s].sides;
  CU_ASSERT_FATAL(!ipg_skin_build(mesh, NULL, NULL, &skin, NULL));
  CU_ASSERT_EQUAL(skin.face_count, sides);
  CU_ASSERT_EQUAL(skin.body_count, 1);
  CU_ASSERT_EQUAL(skin.node_count - skin.face_count / 2, b->euler);
  for (int64_t f = 0; f < skin.face_count; ++f) CU_ASSERT_EQUAL(seen[4 * (int64_t)skin.elements[f] + skin.sides[f]], 1);
  ipg_skin_destroy(&skin);
}

static void check_labels(const ipg_mesh *mesh, const body *b) {
  CU_ASSERT(mesh->title[0]);
  CU_ASSERT_EQUAL(mesh->block_count, 1);
  CU_ASSERT_STRING_EQUAL(mesh->blocks[0].name, "b");
  CU_ASSERT_STRING_EQUAL(mesh->blocks[0].type, "TETRA");
  CU_ASSERT(mesh->blocks[0].first == 0 && mesh->blocks[0].count == mesh->element_count);
  CU_ASSERT(mesh->node_set_count == b->surface_count && mesh->side_set_count == b->surface_count);
  CU_ASSERT_EQUAL_FATAL(mesh->qa_count, 1);
  CU_ASSERT_STRING_EQUAL(mesh->qa[0][0], "impinge");
  CU_ASSERT(!mesh->qa[0][1][0] && !mesh->qa[0][2][0] && !mesh->qa[0][3][0]);
  for (int d = 0; d < 3; ++d) CU_ASSERT(mesh->axes[d][0] == 'x' + d && !mesh->axes[d][1]);
  for (int64_t i = 0; i < mesh->node_count; ++i) CU_ASSERT_EQUAL(mesh->node_gids[i], i + 1);
  for (int64_t e = 0; e < mesh->element_count; ++e) CU_ASSERT_EQUAL(mesh->element_gids[e], e + 1);
}

/* Of all bodies, relative. */
static double volume_error;

static void test_volumes(void) { suite_gate("volumes of box, plate, bar, cylinder, tube, wedge", volume_error, 1e-12); }

static void check_body(const ipg_mesh *mesh, const body *b) {
  char *seen = calloc((size_t)mesh->element_count, 4);
  CU_ASSERT_EQUAL(mesh->node_count, b->nodes);
  CU_ASSERT_EQUAL(mesh->element_count, b->elements);
  check_labels(mesh, b);
  volume_error = suite_worst(volume_error, volume_of(mesh) / b->volume - 1);
  for (int s = 0; s < b->surface_count; ++s) {
    CU_ASSERT(mesh->node_sets[s].id == s + 1 && mesh->side_sets[s].id == s + 1);
    check_sides(mesh, &b->surfaces[s], &mesh->side_sets[s], seen);
    check_nodes(mesh, &b->surfaces[s], &mesh->node_sets[s], &mesh->side_sets[s]);
  }
  check_skin(mesh, b, seen);
  free(seen);
}

static void check_angles(const char *kind, range angles, double least, double most) {
  printf("\n    %s: dihedral angles from %.2f to %.2f degrees", kind, angles.least, angles.most);
  CU_ASSERT(angles.least > least);
  CU_ASSERT(angles.most < most);
}

static const range no_angles = {180, 0};

/* The ratio of height to width of a cell when a length of two cells or more is no whole number of cells: 1.5 or 2.5
 * cells become 2. */
static const double aspects[] = {0.8, 1, 1.25};
enum { ASPECTS = sizeof aspects / sizeof *aspects };

/* --------------------------------------------------------------------------------------------------------- shapes */

static body box_body(const int n[3], double volume) {
  const int64_t nx = n[0], ny = n[1], nz = n[2], x = (ny + 1) * (nz + 1), y = (nx + 1) * (nz + 1),
                z = (nx + 1) * (ny + 1);
  return (body){.nodes = x * (nx + 1),
                .elements = 6 * nx * ny * nz,
                .volume = volume,
                .euler = 2,
                .surface_count = 6,
                .surfaces = {{"b_left", x, 2 * ny * nz, ALONG, {-1, 0, 0}, 0},
                             {"b_right", x, 2 * ny * nz, ALONG, {1, 0, 0}, 0},
                             {"b_front", y, 2 * nx * nz, ALONG, {0, -1, 0}, 0},
                             {"b_back", y, 2 * nx * nz, ALONG, {0, 1, 0}, 0},
                             {"b_bottom", z, 2 * nx * ny, ALONG, {0, 0, -1}, 0},
                             {"b_top", z, 2 * nx * ny, ALONG, {0, 0, 1}, 0}}};
}

static void test_box(void) {
  range angles = no_angles;
  for (int i = 0; i < ASPECTS; ++i)
    for (int k = 0; k < ASPECTS; ++k)
      for (int cells = 1; cells <= 4; ++cells) {
        const double lo[3] = {-0.3, 0.7, 8}, hi[3] = {lo[0] + cells, lo[1] + 3 * aspects[i], lo[2] + 2 * aspects[k]};
        const int n[3] = {cells, 3, 2};
        const body b = box_body(n, (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]));
        ipg_mesh mesh;
        CU_ASSERT_FATAL(!ipg_mesh_box(lo, hi, n, "b", NULL, &mesh, NULL));
        check_body(&mesh, &b);
        widen_by_angles(&angles, &mesh);
        ipg_mesh_destroy(&mesh);
      }
  check_angles("box", angles, 32.5, 90.0001);
}

/* Boxes side by side must meet to the bit; for these numbers lo + (hi - lo) is not hi. */
static void test_box_sides_are_exact(void) {
  const double lo[3] = {0.7, -0.3, 0.3}, hi[3] = {3.1, 0.1, 0.9};
  ipg_mesh mesh;
  CU_ASSERT_FATAL(!ipg_mesh_box(lo, hi, (int[]){3, 2, 5}, "b", NULL, &mesh, NULL));
  for (int s = 0; s < 6; ++s)
    for (int64_t k = 0; k < mesh.node_sets[s].count; ++k)
      CU_ASSERT_EQUAL(position(&mesh, mesh.node_sets[s].nodes[k])[s / 2], s % 2 ? hi[s / 2] : lo[s / 2]);
  ipg_mesh_destroy(&mesh);
}

static body ball_body(int64_t n, double radius, double volume) {
  return (body){.nodes = 10 * n * (n + 1) * (2 * n + 1) / 6 + 2 * n + 1,
                .elements = 20 * n * n * n,
                .volume = volume,
                .euler = 2,
                .surface_count = 1,
                .surfaces = {{"b_surface", 10 * n * n + 2, 20 * n * n, AROUND_POINT, {1, 0, 0}, radius}}};
}

/* The volume by Gauss's theorem from the surface, which has no closed form; it converges to that of the sphere. */
static double volume_inside(const ipg_mesh *mesh, const ipg_side_set *set) {
  double sum = 0;
  for (int64_t k = 0; k < set->count; ++k) {
    double normal[3], arm[3];
    side_normal(mesh, set->elements[k], set->sides[k], normal);
    const double *x = position(mesh, mesh->tets[4 * (int64_t)set->elements[k] + ipg_tet_sides[set->sides[k]][0]]);
    for (int d = 0; d < 3; ++d) arm[d] = x[d] - centre[d];
    sum += dot(normal, arm) / 3;
  }
  return sum;
}

static void test_ball(void) {
  const double radius = 2, whole = 4. / 3 * PI * pow(radius, 3);
  double missing[33] = {0};
  range angles = no_angles;
  for (int n = 1; n <= (suite_is_quick() ? 16 : 32); n += n < 8 ? 1 : n) {
    ipg_mesh mesh;
    CU_ASSERT_FATAL(!ipg_mesh_ball(centre, radius, n, "b", NULL, &mesh, NULL));
    const body b = ball_body(n, radius, volume_inside(&mesh, &mesh.side_sets[0]));
    check_body(&mesh, &b);
    missing[n] = whole - b.volume;
    CU_ASSERT(missing[n] > 0);
    if (n >= 4 && n % 2 == 0) CU_ASSERT(missing[n] < missing[n / 2] / 3.2); /* second order */
    widen_by_angles(&angles, &mesh);
    ipg_mesh_destroy(&mesh);
  }
  check_angles("ball", angles, 39.5, 117);
}

static double polygon_area(int corners, double radius) { return corners * radius * radius * sin(2 * PI / corners) / 2; }

static body cylinder_body(int64_t n, int64_t layers, double radius, double length) {
  const int64_t end = 3 * n * (n + 1) + 1;
  return (body){.nodes = end * (layers + 1),
                .elements = 18 * n * n * layers,
                .volume = polygon_area(6 * (int)n, radius) * length,
                .euler = 2,
                .surface_count = 3,
                .surfaces = {{"b_bottom", end, 6 * n * n, ALONG, {0, 0, -1}, 0},
                             {"b_top", end, 6 * n * n, ALONG, {0, 0, 1}, 0},
                             {"b_side", 6 * n * (layers + 1), 12 * n * layers, AROUND_AXIS, {1, 0, 0}, radius}}};
}

static void test_cylinder(void) {
  const double radius = 0.7;
  range angles = no_angles;
  for (int n = 1; n <= 12; ++n)
    for (int layers = 1; layers <= 3; ++layers)
      for (int i = 0; i < ASPECTS; ++i) {
        const double length = radius / n * layers * aspects[i];
        const body b = cylinder_body(n, layers, radius, length);
        ipg_mesh mesh;
        CU_ASSERT_FATAL(!ipg_mesh_cylinder(centre, radius, length, n, layers, "b", NULL, &mesh, NULL));
        check_body(&mesh, &b);
        widen_by_angles(&angles, &mesh);
        ipg_mesh_destroy(&mesh);
      }
  check_angles("cylinder", angles, 34.5, 115);
}

static body tube_body(const int n[3], double inner, double outer, double length) {
  const int64_t end = (n[0] + 1) * n[1], wall = n[1] * (n[2] + 1), through = 2 * n[0] * n[1], along = 2 * n[1] * n[2];
  return (body){.nodes = end * (n[2] + 1),
                .elements = 3 * through * n[2],
                .volume = (polygon_area(n[1], outer) - polygon_area(n[1], inner)) * length,
                .euler = 0,
                .surface_count = 4,
                .surfaces = {{"b_inside", wall, along, AROUND_AXIS, {-1, 0, 0}, inner},
                             {"b_outside", wall, along, AROUND_AXIS, {1, 0, 0}, outer},
                             {"b_bottom", end, through, ALONG, {0, 0, -1}, 0},
                             {"b_top", end, through, ALONG, {0, 0, 1}, 0}}};
}

static ipg_mesh make_tube(const int n[3], double inner, double outer, double length) {
  const body b = tube_body(n, inner, outer, length);
  ipg_mesh mesh;
  CU_ASSERT_FATAL(!ipg_mesh_tube(centre, inner, outer, length, n, "b", NULL, &mesh, NULL));
  check_body(&mesh, &b);
  return mesh;
}

static void test_tube(void) {
  range angles = no_angles;
  for (int around = 12; around <= 60; around += 16)
    for (int through = 1; through <= 3; ++through)
      for (int i = 0; i < ASPECTS * ASPECTS; ++i) { /* an edge around is 1 long at the geometric mean of the radii */
        const double mean = around / (2 * PI), wall = through * aspects[i % ASPECTS], height = aspects[i / ASPECTS];
        const double inner = hypot(wall / 2, mean) - wall / 2, outer = inner + wall;
        ipg_mesh mesh = make_tube((int[]){through, around, 2}, inner, outer, 2 * height);
        if (outer < 2 * inner) widen_by_angles(&angles, &mesh);
        ipg_mesh_destroy(&mesh);
      }
  check_angles("tube", angles, 25.5, 106);
  for (int around = 3; around <= 6; ++around) { /* valid elements, whatever the angles */
    ipg_mesh mesh = make_tube((int[]){2, around, 3}, 0.1, 2, 1);
    ipg_mesh_destroy(&mesh);
  }
}

static body wedge_body(int64_t n, int64_t layers, const double size[3]) {
  const int64_t end = (n + 1) * (n + 2) / 2, wall = (n + 1) * (layers + 1);
  const double flank = hypot(size[0] / 2, size[2]), x = size[2] / flank, z = -size[0] / 2 / flank;
  return (body){.nodes = end * (layers + 1),
                .elements = 3 * n * n * layers,
                .volume = size[0] * size[1] * size[2] / 2,
                .euler = 2,
                .surface_count = 5,
                .surfaces = {{"b_top", wall, 2 * n * layers, ALONG, {0, 0, 1}, 0},
                             {"b_left", wall, 2 * n * layers, ALONG, {-x, 0, z}, 0},
                             {"b_right", wall, 2 * n * layers, ALONG, {x, 0, z}, 0},
                             {"b_front", end, n * n, ALONG, {0, -1, 0}, 0},
                             {"b_back", end, n * n, ALONG, {0, 1, 0}, 0}}};
}

/* The tip is an edge below the middle of the roof, and the bounding box has the requested size. */
static void check_wedge_box(const ipg_mesh *mesh, const double size[3]) {
  range box[3] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
  for (ipg_id i = 0; i < mesh->node_count; ++i) {
    const double *x = position(mesh, i);
    for (int d = 0; d < 3; ++d) widen(&box[d], x[d]);
    if (x[2] < centre[2] - size[2] * 0.499999) CU_ASSERT_EQUAL(x[0], centre[0]);
  }
  for (int d = 0; d < 3; ++d) {
    CU_ASSERT_DOUBLE_EQUAL(box[d].least, centre[d] - size[d] / 2, 1e-14);
    CU_ASSERT_DOUBLE_EQUAL(box[d].most, centre[d] + size[d] / 2, 1e-14);
  }
}

static void test_wedge(void) {
  static const double heights[] = {0.4, 0.5, 0.8660254, 1, 1.3}; /* of a roof 1 wide: blunt, right-angled, equal ... */
  range angles = no_angles;
  for (size_t h = 0; h < sizeof heights / sizeof *heights; ++h)
    for (int n = 1; n <= 5; ++n)
      for (int i = 0; i < ASPECTS; ++i) {
        const double flank = hypot(0.5, heights[h]), cell = heights[h] / sqrt(fmin(1, flank) * flank) / n;
        const int layers = n % 3 + 1;
        const double size[3] = {1, cell * layers * aspects[i], heights[h]};
        const body b = wedge_body(n, layers, size);
        ipg_mesh mesh;
        CU_ASSERT_FATAL(!ipg_mesh_wedge(centre, size, n, layers, "b", NULL, &mesh, NULL));
        check_body(&mesh, &b);
        check_wedge_box(&mesh, size);
        widen_by_angles(&angles, &mesh);
        ipg_mesh_destroy(&mesh);
      }
  check_angles("wedge", angles, 34, 113.5);
}

/* --------------------------------------------------------------------------------------------------------- errors */

static bool is_zero(const void *object, size_t bytes) {
  const unsigned char *byte = object;
  while (bytes && !*byte) ++byte, --bytes;
  return !bytes;
}

typedef struct request {
  const double *centre;
  double radius, inner, length, size[3];
  int n[3];
  const char *name;
} request;

static request proper_request(void) {
  return (request){
      .centre = centre, .radius = 2, .inner = 1, .length = 3, .size = {1, 2, 3}, .n = {2, 4, 3}, .name = "b"};
}

static ipg_status make_requested_box(const request *r, const ipg_allocator *a, ipg_mesh *mesh, ipg_error *error) {
  return ipg_mesh_box((double[]){0, 0, 0}, r->size, r->n, r->name, a, mesh, error);
}
static ipg_status make_requested_ball(const request *r, const ipg_allocator *a, ipg_mesh *mesh, ipg_error *error) {
  return ipg_mesh_ball(r->centre, r->radius, r->n[0], r->name, a, mesh, error);
}
static ipg_status make_requested_cylinder(const request *r, const ipg_allocator *a, ipg_mesh *mesh, ipg_error *error) {
  return ipg_mesh_cylinder(r->centre, r->radius, r->length, r->n[0], r->n[1], r->name, a, mesh, error);
}
static ipg_status make_requested_tube(const request *r, const ipg_allocator *a, ipg_mesh *mesh, ipg_error *error) {
  return ipg_mesh_tube(r->centre, r->inner, r->radius, r->length, r->n, r->name, a, mesh, error);
}
static ipg_status make_requested_wedge(const request *r, const ipg_allocator *a, ipg_mesh *mesh, ipg_error *error) {
  return ipg_mesh_wedge(r->centre, r->size, r->n[0], r->n[1], r->name, a, mesh, error);
}

typedef ipg_status maker(const request *r, const ipg_allocator *a, ipg_mesh *mesh, ipg_error *error);

enum { BOX, BALL, CYLINDER, TUBE, WEDGE, KINDS };
static maker *const makers[KINDS] = {make_requested_box, make_requested_ball, make_requested_cylinder,
                                     make_requested_tube, make_requested_wedge};

static void expect_refusal(int kind, const request *r, ipg_status expected, const char *words) {
  ipg_error error = {0};
  ipg_mesh mesh;
  memset(&mesh, 0xa5, sizeof mesh);
  CU_ASSERT_EQUAL(makers[kind](r, NULL, &mesh, &error), expected);
  CU_ASSERT(is_zero(&mesh, sizeof mesh));
  if (strstr(error.message, words)) return;
  CU_FAIL("the message does not contain the words");
  printf("\n    expected \"%s\" in: %s\n", words, error.message);
}

static void test_bad_names(void) {
  char name[300];
  memset(name, 'a', sizeof name - 1);
  name[sizeof name - 1] = 0;
  for (int kind = 0; kind < KINDS; ++kind) {
    request r = proper_request();
    ipg_mesh mesh;
    r.name = name + sizeof name - 1 - 248;
    CU_ASSERT_EQUAL_FATAL(makers[kind](&r, NULL, &mesh, NULL), IPG_OK);
    CU_ASSERT_STRING_EQUAL(mesh.blocks[0].name, r.name);
    ipg_mesh_destroy(&mesh);
    r.name--;
    expect_refusal(kind, &r, IPG_ERROR_ARGUMENT, "needs a name of 1 to 248 letters");
    r.name = "";
    expect_refusal(kind, &r, IPG_ERROR_ARGUMENT, "needs a name");
    r.name = NULL;
    expect_refusal(kind, &r, IPG_ERROR_ARGUMENT, "needs a name");
    CU_ASSERT_EQUAL(makers[kind](&r, NULL, NULL, NULL), IPG_ERROR_ARGUMENT);
  }
}

static void test_bad_numbers(void) {
  static const double nowhere[3] = {0, NAN, 0}, far[3] = {1e300, 0, 0};
  static const double bad[] = {0, -1, NAN, INFINITY};
  for (int kind = BALL; kind < KINDS; ++kind) {
    request r = proper_request();
    r.centre = nowhere;
    expect_refusal(kind, &r, IPG_ERROR_NUMBER, "its centre must be finite");
    r.centre = far;
    expect_refusal(kind, &r, IPG_ERROR_NUMBER, "too far from the origin");
    r.centre = NULL;
    expect_refusal(kind, &r, IPG_ERROR_ARGUMENT, "needs a centre");
  }
  for (int i = 0; i < 4; ++i) {
    request r = proper_request();
    r.radius = bad[i];
    expect_refusal(BALL, &r, IPG_ERROR_NUMBER, "a ball whose radius is");
    expect_refusal(CYLINDER, &r, IPG_ERROR_NUMBER, "a cylinder whose radius is");
    expect_refusal(TUBE, &r, IPG_ERROR_NUMBER, "a tube whose outer radius is");
    r = proper_request(), r.length = bad[i];
    expect_refusal(CYLINDER, &r, IPG_ERROR_NUMBER, "a cylinder whose length is");
    expect_refusal(TUBE, &r, IPG_ERROR_NUMBER, "a tube whose length is");
    r = proper_request(), r.inner = bad[i];
    expect_refusal(TUBE, &r, IPG_ERROR_NUMBER, "a tube whose inner radius is");
    r = proper_request(), r.size[1] = bad[i];
    expect_refusal(BOX, &r, IPG_ERROR_NUMBER, "a box along y");
    expect_refusal(WEDGE, &r, IPG_ERROR_NUMBER, "a wedge whose size along y is");
  }
  request r = proper_request();
  r.inner = r.radius;
  expect_refusal(TUBE, &r, IPG_ERROR_NUMBER, "the outer must be larger");
  r.size[0] = 1e-200, r.size[1] = 1e-200, r.size[2] = 1e-200;
  expect_refusal(BOX, &r, IPG_ERROR_NUMBER, "too small");
}

static void test_bad_counts(void) {
  static const char *const none[KINDS] = {"a box of 0 cells along x", "a ball of 0 shells", "a cylinder of 0 rings",
                                          "a tube of 0 cells through its wall", "a wedge of 0 rows"};
  for (int kind = 0; kind < KINDS; ++kind) {
    request r = proper_request();
    r.n[0] = 0;
    expect_refusal(kind, &r, IPG_ERROR_ARGUMENT, none[kind]);
    r.n[0] = INT_MAX;
    if (kind != BALL) expect_refusal(kind, &r, IPG_ERROR_TOO_MANY, "give fewer cells");
    r.n[1] = r.n[2] = INT_MAX;
    if (kind != BALL) expect_refusal(kind, &r, IPG_ERROR_TOO_MANY, "give fewer cells");
    else expect_refusal(kind, &r, IPG_ERROR_ARGUMENT, "give 1 to 256");
  }
  request r = proper_request();
  r.n[2] = 0;
  expect_refusal(BOX, &r, IPG_ERROR_ARGUMENT, "a box of 0 cells along z");
  expect_refusal(TUBE, &r, IPG_ERROR_ARGUMENT, "a tube of 0 cells along");
  r.n[1] = -7;
  expect_refusal(CYLINDER, &r, IPG_ERROR_ARGUMENT, "a cylinder of -7 layers");
  expect_refusal(WEDGE, &r, IPG_ERROR_ARGUMENT, "a wedge of -7 layers");
  r.n[1] = 2;
  expect_refusal(TUBE, &r, IPG_ERROR_ARGUMENT, "a tube of 2 cells around: give 3 or more");
  CU_ASSERT_EQUAL(ipg_mesh_tube(centre, 1, 2, 3, NULL, "b", NULL, &(ipg_mesh){0}, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_mesh_wedge(centre, NULL, 1, 1, "b", NULL, &(ipg_mesh){0}, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_mesh_box(centre, NULL, r.n, "b", NULL, &(ipg_mesh){0}, NULL), IPG_ERROR_ARGUMENT);
}

static void test_nothing_is_allocated_for_too_many(void) {
  failing_allocator counter = {0};
  const ipg_allocator allocator = failing_allocator_of(&counter);
  for (int kind = 0; kind < KINDS; ++kind) {
    request r = proper_request();
    ipg_mesh mesh;
    r.n[0] = r.n[1] = r.n[2] = 40000;
    CU_ASSERT(makers[kind](&r, &allocator, &mesh, NULL) > 0);
  }
  CU_ASSERT_EQUAL(counter.allocations, 0);
}

static bool fails_cleanly(int kind, failing_allocator *failing) {
  const request r = proper_request();
  const ipg_allocator allocator = failing_allocator_of(failing);
  ipg_mesh mesh;
  ipg_error error = {0};
  memset(&mesh, 0xa5, sizeof mesh);
  const ipg_status status = makers[kind](&r, &allocator, &mesh, &error);
  if (status) CU_ASSERT(status == IPG_ERROR_MEMORY && strstr(error.message, "memory") && is_zero(&mesh, sizeof mesh));
  ipg_mesh_destroy(&mesh);
  CU_ASSERT(failing->live_blocks == 0 && failing->wrong_releases == 0);
  return status != IPG_OK;
}

static void test_allocation_failures(void) {
  for (int kind = 0; kind < KINDS; ++kind) {
    failing_allocator counter = {0};
    CU_ASSERT(!fails_cleanly(kind, &counter));
    CU_ASSERT(counter.allocations > 10);
    for (int64_t at = 1; at <= counter.allocations; ++at) {
      failing_allocator failing = {.fail_at = at};
      CU_ASSERT(fails_cleanly(kind, &failing));
    }
  }
}

/* --------------------------------------------------------------------------------------------------------- threads */

enum { TASKS = 10, MASSES = 4000 };

/* A mesh and its skin that all tasks read at once, and what each task found. */
typedef struct shared_mesh {
  const ipg_mesh *mesh;
  const ipg_skin *skin;
  const double *masses;
  int64_t found[TASKS];
} shared_mesh;

/* Makes, appends, skins, erodes and converts; -1 if something failed. */
static int64_t use_library(const shared_mesh *shared, int kind) {
  const request r = proper_request();
  ipg_mesh mesh = {0};
  ipg_skin skins[2] = {{0}};
  ipg_mesh_surface boundary = {0};
  ipg_erosion *erosion = NULL;
  ipg_erosion_change change;
  const bool failed = makers[kind](&r, NULL, &mesh, NULL) || ipg_mesh_append(&mesh, shared->mesh, NULL) ||
                      ipg_skin_build(&mesh, NULL, NULL, &skins[0], NULL) ||
                      ipg_skin_build(shared->mesh, NULL, NULL, &skins[1], NULL) ||
                      ipg_erosion_create(shared->mesh, shared->skin, NULL, &erosion, NULL) ||
                      ipg_erosion_delete(erosion, (ipg_id[]){kind}, 1, &change, NULL) ||
                      ipg_mesh_surface_build(shared->mesh, shared->skin, shared->masses, NULL, &boundary, NULL);
  const int64_t found =
      failed ? -1 : skins[0].face_count + 1000 * skins[1].face_count + 1000000 * change.added_face_count;
  ipg_erosion_destroy(&erosion);
  if (!failed) ipg_mesh_surface_destroy(&boundary);
  for (int i = 0; i < 2; ++i) ipg_skin_destroy(&skins[i]);
  ipg_mesh_destroy(&mesh);
  return found;
}

static void use_library_in_task(void *arg, int64_t begin, int64_t end, int worker) {
  (void)end, (void)worker;
  shared_mesh *shared = arg;
  shared->found[begin] = use_library(shared, (int)begin % KINDS);
}

/* Several threads, each with objects of its own and a mesh that they share as const: the thread sanitizer finds no
 * race, and each finds what one thread alone finds. */
static void test_threads(void) {
  static double masses[MASSES];
  ipg_mesh mesh;
  ipg_skin skin;
  ipg_pool *pool = NULL;
  CU_ASSERT_FATAL(!ipg_mesh_ball(centre, 1, 4, "shared", NULL, &mesh, NULL));
  CU_ASSERT_FATAL(!ipg_skin_build(&mesh, NULL, NULL, &skin, NULL) && mesh.node_count <= MASSES);
  CU_ASSERT_FATAL(!ipg_pool_create(4, &pool, NULL));
  for (int i = 0; i < MASSES; ++i) masses[i] = 1;
  shared_mesh shared = {.mesh = &mesh, .skin = &skin, .masses = masses};
  const ipg_tasks tasks = ipg_pool_tasks(pool);
  ipg_tasks_for(&tasks, use_library_in_task, &shared, 0, TASKS, 1);
  for (int i = 0; i < TASKS; ++i) CU_ASSERT(shared.found[i] > 0 && shared.found[i] == use_library(&shared, i % KINDS));
  ipg_pool_destroy(&pool);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"box", test_box},
                         {"sides of a box are exact", test_box_sides_are_exact},
                         {"ball", test_ball},
                         {"cylinder", test_cylinder},
                         {"tube", test_tube},
                         {"wedge", test_wedge},
                         {"bad names", test_bad_names},
                         {"bad numbers", test_bad_numbers},
                         {"bad counts", test_bad_counts},
                         {"too many elements: nothing is allocated", test_nothing_is_allocated_for_too_many},
                         {"every allocation fails once", test_allocation_failures},
                         {"several threads at once", test_threads},
                         {"volumes of all bodies above", test_volumes},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "shapes", tests);
}
