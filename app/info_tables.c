/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The tables of `impinge info`. Every line begins with its label, so that it can be found with grep; nodes and elements
 * have the numbers of the file. */
#include "impinge/files.h"
#include "info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_SHOWN = 10 };

/* ------------------------------------------------------------------------------------------------- from the header */

static int widen_to_name(int width, const char *name) { return (int)strlen(name) > width ? (int)strlen(name) : width; }

static int measure_names(const ipg_contents *c) {
  int width = 12;
  for (int b = 0; b < c->block_count; b++) width = widen_to_name(width, c->blocks[b].name);
  for (int s = 0; s < c->node_set_count; s++) width = widen_to_name(width, c->node_sets[s].name);
  for (int s = 0; s < c->side_set_count; s++) width = widen_to_name(width, c->side_sets[s].name);
  return width;
}

static int64_t count_lines(const ipg_provenance *p) {
  int64_t lines = p->deck_bytes && p->deck[p->deck_bytes - 1] != '\n';
  for (int64_t k = 0; k < p->deck_bytes; k++) lines += p->deck[k] == '\n';
  return lines;
}

/* The last step of a complete run ends at its end time, but for rounding. */
static void print_progress(const info *i) {
  const ipg_contents *c = &i->contents;
  const double end = i->provenance.end_time, last = c->step_count ? c->times[c->step_count - 1] : 0;
  if (c->step_count && last >= end * (1 - 1e-9)) printf("run            complete, to its end at t = %.6g\n", end);
  else
    printf("run            %s: %lld steps, the last at t = %.6g of %.6g\n",
           ipg_file_is_being_written(i->path) ? "not complete yet, it is writing this file"
                                              : "NOT COMPLETE, it was stopped or failed",
           (long long)c->step_count, last, end);
}

static void print_provenance(const info *i) {
  const ipg_provenance *p = &i->provenance;
  if (p->written_by[1][0])
    printf("written by     %s %s, %s %s\n", p->written_by[0], p->written_by[1], p->written_by[2], p->written_by[3]);
  if (!p->deck) return;
  printf("deck           %s, %lld lines (--deck prints it)\n", p->deck_path, (long long)count_lines(p));
  if (p->options[0]) printf("options        %s\n", p->options);
  print_progress(i);
}

static void print_counts(const info *i) {
  const ipg_contents *c = &i->contents;
  printf("file           %s\n", i->path);
  printf("title          %s\n", c->title);
  print_provenance(i);
  printf("dimensions     %d\n", c->dimensions);
  printf("nodes          %lld\n", (long long)c->node_count);
  printf("elements       %lld\n", (long long)c->element_count);
  printf("records        %d of QA, %d of information\n", c->qa_count, c->info_count);
}

static void print_blocks(const info *i, int width) {
  const ipg_contents *c = &i->contents;
  if (c->block_count)
    printf("\n%-10s  %-*s  %12s  %-8s  %5s  %10s  %s\n", "block", width, "name", "elements", "type", "nodes",
           "attributes", "run");
  for (int b = 0; b < c->block_count; b++) {
    char verdict[INFO_VERDICT_BYTES];
    const ipg_contents_block *block = &c->blocks[b];
    info_check_block(i, b, verdict);
    printf("%-10lld  %-*s  %12lld  %-8s  %5lld  %10lld  %s\n", (long long)block->id, width, block->name,
           (long long)block->count, block->type, (long long)block->nodes_per_element, (long long)block->attribute_count,
           verdict);
  }
}

static void print_sets(const char *kind, const char *entries, const ipg_contents_set *sets, int count, int width) {
  if (count) printf("\n%-10s  %-*s  %12s  %12s\n", kind, width, "name", entries, "factors");
  for (int s = 0; s < count; s++)
    printf("%-10lld  %-*s  %12lld  %12lld\n", (long long)sets[s].id, width, sets[s].name, (long long)sets[s].count,
           (long long)sets[s].factor_count);
}

static void print_steps(const ipg_contents *c) {
  printf("\nsteps          %lld", (long long)c->step_count);
  if (c->step_count) printf(", t = %.6g to %.6g", c->times[0], c->times[c->step_count - 1]);
  printf("\n");
}

static int count_groups_with_field(const ipg_contents_fields *fields, int field) {
  int present = 0;
  for (int g = 0; g < fields->groups; g++) present += fields->present[(int64_t)field * fields->groups + g];
  return present;
}

static void print_fields(const ipg_contents *c, ipg_field_kind kind, const char *what) {
  const ipg_contents_fields *fields = &c->fields[kind];
  if (!fields->count) return;
  printf("%-14s", what);
  for (int f = 0; f < fields->count; f++) {
    int present = count_groups_with_field(fields, f);
    printf(" %s", fields->names[f]);
    if (present < fields->groups) printf(" (%d of %d)", present, fields->groups);
  }
  printf("\n");
}

static void print_contents(const info *i) {
  const ipg_contents *c = &i->contents;
  int width = measure_names(c);
  print_counts(i);
  print_blocks(i, width);
  print_sets("node set", "nodes", c->node_sets, c->node_set_count, width);
  print_sets("side set", "faces", c->side_sets, c->side_set_count, width);
  print_steps(c);
  print_fields(c, IPG_FIELD_NODAL, "nodal");
  print_fields(c, IPG_FIELD_GLOBAL, "global");
  print_fields(c, IPG_FIELD_ELEMENT, "element");
  print_fields(c, IPG_FIELD_NODE_SET, "of node sets");
  print_fields(c, IPG_FIELD_SIDE_SET, "of side sets");
}

/* --------------------------------------------------------------------------------------------------- from the mesh */

static void print_box(const ipg_mesh *mesh) {
  printf("\n");
  for (int k = 0; k < 3; k++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < mesh->node_count; i++) lo = fmin(lo, mesh->x[3 * i + k]), hi = fmax(hi, mesh->x[3 * i + k]);
    printf("%c              %.9g to %.9g\n", "xyz"[k], lo, hi);
  }
}

static void print_volumes(const info *i) {
  const ipg_mesh *mesh = &i->mesh;
  printf("volume         %.9g%s\n", i->quality.volume, mesh->quadratic_count ? " (over the corners)" : "");
  for (int b = 0; mesh->block_count > 1 && b < mesh->block_count; b++)
    printf("  of %s  %.9g\n", mesh->blocks[b].name,
           app_measure_volume(mesh, mesh->blocks[b].first, mesh->blocks[b].count));
}

static void print_worst(const info *i, const char *what, double value, const char *unit, ipg_id element) {
  if (element >= 0) printf("%s  %.6g%s, element %lld\n", what, value, unit, (long long)i->mesh.element_gids[element]);
}

static void print_quality(const info *i) {
  static const char *const flaws[APP_FLAWS] = {"flat", "inverted", "not finite"};
  const app_quality *q = &i->quality;
  print_worst(i, "shortest edge", q->shortest_edge, "", q->shortest_edge_element);
  print_worst(i, "smallest dihedral angle", q->smallest_angle, " degrees", q->smallest_angle_element);
  print_worst(i, "largest dihedral angle ", q->largest_angle, " degrees", q->largest_angle_element);
  for (int f = 0; f < APP_FLAWS; f++)
    if (q->flawed[f].count)
      printf("%-13s  %lld elements, first %lld\n", flaws[f], (long long)q->flawed[f].count,
             (long long)i->mesh.element_gids[q->flawed[f].first]);
}

static void print_nodes(const info *i) {
  int64_t left_out = i->contents.node_count - i->mesh.node_count;
  if (left_out) printf("left out       %lld nodes of no tetrahedron\n", (long long)left_out);
  else printf("unattached     %lld nodes\n", (long long)i->unattached_count);
}

/* A body: the number of its elements, and for every block whether one of them is in it. */
typedef struct body_row {
  int64_t element_count;
  bool *has_block;
} body_row;

static void fill_body_rows(const info *i, body_row rows[BODIES_SHOWN]) {
  for (int b = 0; b < i->mesh.block_count; b++) {
    const ipg_block *block = &i->mesh.blocks[b];
    for (int64_t e = block->first; e < block->first + block->count; e++) {
      ipg_id body = i->skin.body_of_element[e];
      if (body < BODIES_SHOWN) rows[body].element_count++, rows[body].has_block[b] = true;
    }
  }
}

static void print_body_rows(const info *i, const body_row *rows, int count) {
  printf("\n%-10s  %12s  %s\n", "body", "elements", "blocks");
  for (int r = 0; r < count; r++) {
    const char *before = "  ";
    printf("%-10d  %12lld", r + 1, (long long)rows[r].element_count);
    for (int b = 0; b < i->mesh.block_count; b++)
      if (rows[r].has_block[b]) printf("%s%s", before, i->mesh.blocks[b].name), before = ", ";
    printf("\n");
  }
  if (count < i->skin.body_count) printf("and %d more\n", i->skin.body_count - count);
}

static void print_bodies(const info *i) {
  int shown = i->skin.body_count < BODIES_SHOWN ? i->skin.body_count : BODIES_SHOWN;
  size_t blocks = (size_t)i->mesh.block_count;
  bool *marks = calloc(BODIES_SHOWN * blocks + 1, sizeof *marks);
  body_row rows[BODIES_SHOWN];
  if (!marks) return;
  for (int r = 0; r < BODIES_SHOWN; r++) rows[r] = (body_row){0, marks + (size_t)r * blocks};
  fill_body_rows(i, rows);
  print_body_rows(i, rows, shown);
  free(marks);
}

static double measure_face(const ipg_mesh *mesh, const ipg_id *face) {
  const double *a = mesh->x + 3 * (int64_t)face[0], *b = mesh->x + 3 * (int64_t)face[1],
               *c = mesh->x + 3 * (int64_t)face[2];
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return 0.5 * hypot(hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2]), u[0] * v[1] - u[1] * v[0]);
}

/* The skin's area in all and, if there are several, of the bodies shown. Faces without finite corners have none. */
static void print_area(const info *i) {
  const ipg_skin *skin = &i->skin;
  double area = 0, of_body[BODIES_SHOWN] = {0};
  for (int64_t f = 0; f < skin->face_count; f++) {
    double one = measure_face(&i->mesh, skin->faces + 3 * f);
    ipg_id body = skin->body_of_element[skin->elements[f]];
    if (!isfinite(one)) continue;
    area += one;
    if (body < BODIES_SHOWN) of_body[body] += one;
  }
  printf("skin area      %.9g%s\n", area, i->mesh.quadratic_count ? " (of flat triangles)" : "");
  for (int b = 0; skin->body_count > 1 && b < skin->body_count && b < BODIES_SHOWN; b++)
    printf("  of body %d  %.9g\n", b + 1, of_body[b]);
}

static void print_skin(const info *i) {
  printf("bodies         %d\n", i->skin.body_count);
  printf("skin           %lld faces, %lld nodes\n", (long long)i->skin.face_count, (long long)i->skin.node_count);
  print_area(i);
  if (i->has_pinches) printf("pinches        %lld edges\n", (long long)i->pinches.count);
}

void info_print_tables(const info *i) {
  print_contents(i);
  if (!i->has_mesh) return;
  print_box(&i->mesh);
  print_volumes(i);
  print_quality(i);
  print_nodes(i);
  if (!i->has_skin) return;
  print_skin(i);
  print_bodies(i);
}
