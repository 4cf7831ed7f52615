/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/elastic_host.h"
#include "support/evaluate.h"

/* Volume and the gradients of the four shape functions. */
static void elastic_cell_make(elastic_cell *cell, const double *x, const ipg_id nodes[4]) {
  double e[3][3], det;
  memcpy(cell->nodes, nodes, sizeof cell->nodes);
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < 3; ++k) e[a][k] = x[3 * nodes[a + 1] + k] - x[3 * nodes[0] + k];
  for (int k = 0; k < 3; ++k) cell->gradient[0][k] = 0;
  for (int a = 0; a < 3; ++a) {
    const double *p = e[(a + 1) % 3], *q = e[(a + 2) % 3];
    for (int k = 0; k < 3; ++k)
      cell->gradient[a + 1][k] = p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
  }
  det = e[0][0] * cell->gradient[1][0] + e[0][1] * cell->gradient[1][1] + e[0][2] * cell->gradient[1][2];
  CU_ASSERT_FATAL(det > 0);
  for (int a = 1; a < 4; ++a)
    for (int k = 0; k < 3; ++k) cell->gradient[a][k] /= det, cell->gradient[0][k] -= cell->gradient[a][k];
  cell->volume = det / 6;
}

/* The linear parts of a tetrahedron; returns how many. A quadratic one has four at its corners, and the octahedron
 * between them is split into four around one of its diagonals. */
static int split_element(const ipg_id *tet, const ipg_id *middles, ipg_id parts[8][4]) {
  static const int quadratic[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                      {4, 5, 6, 8}, {4, 6, 7, 8}, {5, 9, 6, 8}, {6, 9, 7, 8}};
  if (!middles) {
    memcpy(parts[0], tet, sizeof parts[0]);
    return 1;
  }
  for (int i = 0; i < 8; ++i)
    for (int a = 0; a < 4; ++a) parts[i][a] = quadratic[i][a] < 4 ? tet[quadratic[i][a]] : middles[quadratic[i][a] - 4];
  return 8;
}

static void find_strain(const elastic_host *h, const elastic_cell *cell, double strain[3][3]) {
  memset(strain, 0, 9 * sizeof(double));
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int64_t at = 3 * (int64_t)cell->nodes[a] + i;
        const double part = .5 * (h->trial[at] - h->x0[at]) * cell->gradient[a][j];
        strain[i][j] += part, strain[j][i] += part;
      }
}

void elastic_host_stress(const elastic_host *h, const elastic_cell *cell, double stress[3][3]) {
  double strain[3][3], trace = 0;
  find_strain(h, cell, strain);
  for (int i = 0; i < 3; ++i) trace += strain[i][i];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) stress[i][j] = 2 * cell->mu * strain[i][j] + (i == j ? cell->lambda * trace : 0);
}

double elastic_host_energy(const elastic_host *h) {
  double sum = 0;
  for (const elastic_cell *cell = h->cells; cell < h->cells + h->count; ++cell) {
    double strain[3][3], stress[3][3];
    find_strain(h, cell, strain), elastic_host_stress(h, cell, stress);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += .5 * cell->volume * stress[i][j] * strain[i][j];
  }
  return sum;
}

void elastic_host_set_forces(elastic_host *h, int64_t node_count) {
  memcpy(h->force, h->load, 3 * (size_t)node_count * sizeof *h->force);
  for (const elastic_cell *cell = h->cells; cell < h->cells + h->count; ++cell) {
    double stress[3][3];
    elastic_host_stress(h, cell, stress);
    for (int a = 0; a < 4; ++a)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          h->force[3 * cell->nodes[a] + i] -= cell->volume * stress[i][j] * cell->gradient[a][j];
  }
}

static void make_cells_of_element(elastic_host *h, const ipg_mesh *mesh, int64_t element, const elastic_material *m,
                                  double *masses) {
  ipg_id parts[8][4];
  const int count = split_element(mesh->tets + 4 * element, ipg_mesh_middles(mesh, element), parts);
  for (int i = 0; i < count; ++i) {
    elastic_cell *cell = &h->cells[h->count++];
    elastic_cell_make(cell, mesh->x, parts[i]);
    cell->lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
    cell->mu = m->young / (2 + 2 * m->poisson);
    for (int a = 0; a < 4; ++a) masses[cell->nodes[a]] += m->density * cell->volume / 4;
  }
}

/* And the lumped masses of all mesh nodes. */
static void make_cells(elastic_host *h, const ipg_mesh *mesh, const elastic_material *materials, double *masses) {
  h->cells = calloc((size_t)(8 * mesh->element_count), sizeof *h->cells);
  memset(masses, 0, (size_t)mesh->node_count * sizeof *masses);
  for (int b = 0; b < mesh->block_count; ++b)
    for (int64_t i = 0; i < mesh->blocks[b].count; ++i)
      make_cells_of_element(h, mesh, mesh->blocks[b].first + i, &materials[b], masses);
}

/* Gershgorin: no eigenvalue of the stiffness over mass exceeds the largest row sum, of which each pair of nodes of a
 * cell gets an upper bound. */
static double stable_time_step(const elastic_host *h, int64_t node_count, const double *masses) {
  double *rows = calloc((size_t)node_count, sizeof *rows), most = 0;
  for (const elastic_cell *cell = h->cells; cell < h->cells + h->count; ++cell)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        double dot = 0, p = 0, q = 0;
        for (int k = 0; k < 3; ++k) {
          dot += cell->gradient[a][k] * cell->gradient[b][k];
          p += cell->gradient[a][k] * cell->gradient[a][k], q += cell->gradient[b][k] * cell->gradient[b][k];
        }
        rows[cell->nodes[a]] += cell->volume * ((cell->lambda + cell->mu) * sqrt(p * q) + cell->mu * fabs(dot));
      }
  for (int64_t i = 0; i < node_count; ++i) most = fmax(most, rows[i] / masses[i]);
  free(rows);
  return 2 / sqrt(most);
}

void elastic_host_free(elastic_host *h) {
  free(h->cells), free(h->x0), free(h->trial), free(h->velocity), free(h->force), free(h->load), free(h->held);
}

void elastic_host_make_blocks(elastic_host *h, scene *s, const elastic_material *materials) {
  ipg_error error = {0};
  const size_t values = 3 * (size_t)s->mesh.node_count;
  *h = (elastic_host){0};
  h->x0 = calloc(values, sizeof(double)), h->trial = calloc(values, sizeof(double));
  h->velocity = calloc(values, sizeof(double)), h->force = calloc(values, sizeof(double));
  h->load = calloc(values, sizeof(double)), h->held = calloc(values, 1);
  memcpy(h->x0, s->mesh.x, values * sizeof(double)), memcpy(h->trial, s->mesh.x, values * sizeof(double));
  make_cells(h, &s->mesh, materials, s->masses);
  h->dt = .9 * stable_time_step(h, s->mesh.node_count, s->masses);
  ipg_mesh_surface_destroy(&s->surface);
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&s->mesh, &s->skin, s->masses, NULL, &s->surface, &error));
}

void elastic_host_make(elastic_host *h, scene *s, double young, double poisson, double lowest) {
  elastic_material *materials = calloc((size_t)s->mesh.block_count, sizeof *materials);
  for (int b = 0; b < s->mesh.block_count; ++b) materials[b] = (elastic_material){young, poisson, 1};
  elastic_host_make_blocks(h, s, materials);
  h->damping = 2 * lowest;
  free(materials);
}

double elastic_host_step(elastic_host *h, scene *s, ipg_contact *contact, int64_t step) {
  ipg_error error = {0};
  double unbalanced = 0;
  const double keep = (1 - .5 * h->damping * h->dt) / (1 + .5 * h->damping * h->dt),
               kick = h->dt / (1 + .5 * h->damping * h->dt);
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) h->trial[i] += h->dt * h->velocity[i];
  ipg_mesh_surface_gather(&s->surface, h->trial, s->trial);
  CU_ASSERT_FATAL(!evaluate_after(contact, h->dt, s->trial, NULL, s->force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  elastic_host_set_forces(h, s->mesh.node_count);
  ipg_mesh_surface_add(&s->surface, s->force, h->force);
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) {
    if (h->held[i]) continue;
    unbalanced = fmax(unbalanced, fabs(h->force[i]));
    h->velocity[i] = keep * h->velocity[i] + kick * h->force[i] / s->masses[i / 3];
  }
  return unbalanced;
}
