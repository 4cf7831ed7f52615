/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge info FILE`: what a mesh or result file holds, as text that is easy to read and to grep.
 *
 * Elements and nodes are named by the numbers of the file. Numbers that only a proper skin has come last, so that a
 * mesh whose skin fails still shows everything else before the complaint. */
#include "app.h"
#include "args.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char command[] = "impinge info";

static const double degrees = 57.295779513082321;

/* -------------------------------------------------------------------------------------------------------- quality */

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void subtract(const ipg_mesh *mesh, ipg_id to, ipg_id from, double d[3]) {
  for (int k = 0; k < 3; k++) d[k] = mesh->x[3 * (int64_t)to + k] - mesh->x[3 * (int64_t)from + k];
}

static void face_normal(const ipg_mesh *mesh, const ipg_id *tet, int side, double normal[3]) {
  double a[3], b[3];
  subtract(mesh, tet[ipg_tet_sides[side][1]], tet[ipg_tet_sides[side][0]], a);
  subtract(mesh, tet[ipg_tet_sides[side][2]], tet[ipg_tet_sides[side][0]], b);
  cross(a, b, normal);
}

/* Between two faces with outward normals; by atan2, because acos is blind where slivers live. */
static double dihedral_angle(const double a[3], const double b[3]) {
  double c[3];
  cross(a, b, c);
  return degrees * atan2(sqrt(dot(c, c)), -dot(a, b));
}

static void measure_edges(const ipg_mesh *mesh, ipg_id element, app_quality *quality) {
  const ipg_id *tet = mesh->tets + 4 * (int64_t)element;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      double d[3];
      subtract(mesh, tet[i], tet[j], d);
      double length = sqrt(dot(d, d));
      if (length < quality->shortest_edge) quality->shortest_edge = length, quality->shortest_element = element;
    }
}

static void measure_angles(const ipg_mesh *mesh, ipg_id element, app_quality *quality) {
  double normals[4][3];
  for (int side = 0; side < 4; side++) face_normal(mesh, mesh->tets + 4 * (int64_t)element, side, normals[side]);
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      double angle = dihedral_angle(normals[i], normals[j]);
      if (angle < quality->smallest_angle) quality->smallest_angle = angle, quality->smallest_element = element;
      if (angle > quality->largest_angle) quality->largest_angle = angle, quality->largest_element = element;
    }
}

static double volume_of(const ipg_mesh *mesh, int64_t first, int64_t count) {
  double volume = 0;
  for (int64_t e = first; e < first + count; e++) volume += ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
  return volume;
}

app_quality app_measure(const ipg_mesh *mesh) {
  app_quality quality = {.volume = volume_of(mesh, 0, mesh->element_count),
                         .shortest_edge = INFINITY,
                         .smallest_angle = 180,
                         .largest_angle = 0,
                         .shortest_element = -1,
                         .smallest_element = -1,
                         .largest_element = -1};
  for (ipg_id e = 0; e < mesh->element_count; e++) {
    measure_edges(mesh, e, &quality);
    measure_angles(mesh, e, &quality);
  }
  return quality;
}

/* --------------------------------------------------------------------------------------------------------- tables */

static void print_box(const ipg_mesh *mesh) {
  for (int k = 0; k < 3; k++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < mesh->node_count; i++) lo = fmin(lo, mesh->x[3 * i + k]), hi = fmax(hi, mesh->x[3 * i + k]);
    printf("%c              %.9g to %.9g\n", "xyz"[k], lo, hi);
  }
}

static void print_counts(const char *path, const ipg_mesh *mesh) {
  printf("file           %s\n", path);
  printf("title          %s\n", mesh->title);
  printf("nodes          %lld\n", (long long)mesh->node_count);
  printf("elements       %lld\n", (long long)mesh->element_count);
  if (mesh->node_count) print_box(mesh);
}

static void print_quality(const ipg_mesh *mesh) {
  if (!mesh->element_count) return;
  app_quality quality = app_measure(mesh);
  printf("volume         %.9g\n", quality.volume);
  printf("shortest edge  %.6g, element %lld\n", quality.shortest_edge,
         (long long)mesh->element_gids[quality.shortest_element]);
  printf("smallest dihedral angle  %.4g degrees, element %lld\n", quality.smallest_angle,
         (long long)mesh->element_gids[quality.smallest_element]);
  printf("largest dihedral angle   %.4g degrees, element %lld\n", quality.largest_angle,
         (long long)mesh->element_gids[quality.largest_element]);
}

static int wider(int width, const char *name) { return (int)strlen(name) > width ? (int)strlen(name) : width; }

static int name_width(const ipg_mesh *mesh) {
  int width = 12;
  for (int i = 0; i < mesh->block_count; i++) width = wider(width, mesh->blocks[i].name);
  for (int i = 0; i < mesh->node_set_count; i++) width = wider(width, mesh->node_sets[i].name);
  for (int i = 0; i < mesh->side_set_count; i++) width = wider(width, mesh->side_sets[i].name);
  return width;
}

static void print_blocks(const ipg_mesh *mesh, int width) {
  printf("\n%-10s  %-*s  %12s  %s\n", "block", width, "name", "elements", "volume");
  for (int i = 0; i < mesh->block_count; i++) {
    const ipg_block *block = &mesh->blocks[i];
    printf("%-10lld  %-*s  %12lld  %.9g\n", (long long)block->id, width, block->name, (long long)block->count,
           volume_of(mesh, block->first, block->count));
  }
}

static void print_sets(const ipg_mesh *mesh, int width) {
  if (mesh->node_set_count) printf("\n%-10s  %-*s  %12s\n", "node set", width, "name", "nodes");
  for (int i = 0; i < mesh->node_set_count; i++) {
    const ipg_node_set *set = &mesh->node_sets[i];
    printf("%-10lld  %-*s  %12lld\n", (long long)set->id, width, set->name, (long long)set->count);
  }
  if (mesh->side_set_count) printf("\n%-10s  %-*s  %12s\n", "side set", width, "name", "faces");
  for (int i = 0; i < mesh->side_set_count; i++) {
    const ipg_side_set *set = &mesh->side_sets[i];
    printf("%-10lld  %-*s  %12lld\n", (long long)set->id, width, set->name, (long long)set->count);
  }
}

static void print_names(const char *what, const ipg_contents_fields *fields) {
  if (fields->count == 0) return;
  printf("%s", what);
  for (int i = 0; i < fields->count; i++) printf(" %s", fields->names[i]);
  printf("\n");
}

static void print_results(const ipg_contents *contents) {
  printf("\nsteps          %lld", (long long)contents->step_count);
  if (contents->step_count)
    printf(", t = %.6g to %.6g", contents->times[0], contents->times[contents->step_count - 1]);
  printf("\n");
  print_names("nodal         ", &contents->fields[IPG_NODAL]);
  print_names("global        ", &contents->fields[IPG_GLOBAL]);
}

static ipg_status print_skin(const ipg_mesh *mesh, ipg_error *error) {
  ipg_skin skin = {0};
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_tasks tasks = ipg_tasks_serial();
  ipg_status status = ipg_skin_build(mesh, &allocator, &tasks, &skin, error);
  if (status) return status;
  printf("\nbodies         %d\n", skin.body_count);
  printf("skin           %lld faces, %lld nodes\n", (long long)skin.face_count, (long long)skin.node_count);
  ipg_skin_free(&skin);
  return IPG_OK;
}

static ipg_status print_mesh(const char *path, const ipg_mesh *mesh, ipg_error *error) {
  ipg_contents contents = {0};
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_status status = ipg_exodus_describe(path, &allocator, &contents, error);
  if (status) return status;
  print_counts(path, mesh);
  print_quality(mesh);
  print_blocks(mesh, name_width(mesh));
  print_sets(mesh, name_width(mesh));
  print_results(&contents);
  ipg_contents_free(&contents);
  return print_skin(mesh, error);
}

int app_info(int argc, char **argv) {
  const char *path = NULL;
  args_word words[] = {{"FILE", "an Exodus II file", &path}};
  args_table table = {command,
                      "Tells what a mesh or result file holds: counts, blocks, sets, quality, skin and steps.",
                      "impinge info bar.exo",
                      words,
                      1,
                      NULL,
                      0};
  args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  ipg_mesh mesh = {0};
  ipg_error error;
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_status status = ipg_exodus_read(path, NULL, &allocator, &mesh, &error);
  if (!status) status = print_mesh(path, &mesh, &error);
  ipg_mesh_free(&mesh);
  return status ? app_fail(command, &error) : 0;
}

#endif
