/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/scene.h"

#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/vec3.h"
#include "support/weak_contact.h"

void scene_make(scene *s, ipg_mesh *meshes, int count, double node_mass) {
  ipg_error error = {0};
  const ipg_tasks serial = ipg_tasks_serial();
  *s = (scene){.mesh = meshes[0]};
  for (int i = 1; i < count; ++i) {
    CU_ASSERT_FATAL(!ipg_mesh_append(&s->mesh, &meshes[i], &error));
    ipg_mesh_destroy(&meshes[i]);
  }
  s->masses = malloc((size_t)s->mesh.node_count * sizeof(double));
  for (int64_t i = 0; i < s->mesh.node_count; ++i) s->masses[i] = node_mass;
  CU_ASSERT_FATAL(!ipg_skin_build(&s->mesh, NULL, &serial, &s->skin, &error));
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&s->mesh, &s->skin, s->masses, NULL, &s->surface, &error));
  const ipg_surface *surface = &s->surface.surface;
  const size_t values = 3 * (size_t)surface->node_count;
  s->x = calloc(values, sizeof(double));
  s->trial = calloc(values, sizeof(double));
  s->force = calloc(values, sizeof(double));
  s->body_of_node = calloc((size_t)surface->node_count, sizeof(int32_t));
  ipg_mesh_surface_gather(&s->surface, s->mesh.x, s->x);
  for (int64_t f = 0; f < surface->face_count; ++f)
    for (int k = 0; k < 3; ++k) s->body_of_node[surface->faces[3 * f + k]] = surface->face_bodies[f];
  for (int64_t i = 0; i < surface->node_count; ++i) s->body_mass[s->body_of_node[i]] += node_mass;
}

void scene_free(scene *s) {
  ipg_mesh_surface_destroy(&s->surface);
  ipg_skin_destroy(&s->skin);
  ipg_mesh_destroy(&s->mesh);
  free(s->masses), free(s->x), free(s->trial), free(s->force), free(s->body_of_node);
}

ipg_mesh scene_box(double lx, double ly, double lz, double hx, double hy, double hz, int nx, int ny, int nz,
                   const char *name) {
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  CU_ASSERT_FATAL(
      !ipg_mesh_box((double[]){lx, ly, lz}, (double[]){hx, hy, hz}, (int[]){nx, ny, nz}, name, NULL, &mesh, &error));
  return mesh;
}

ipg_mesh scene_ridge(const double at[3], double about_z, int count, const char *name) {
  ipg_mesh mesh = scene_box(-.5 * count, -.5, -.5, .5 * count, .5, .5, count, 1, 1, name);
  const double half = sqrt(.5), ca = cos(about_z), sa = sin(about_z);
  for (int64_t i = 0; i < mesh.node_count; ++i) {
    double *x = mesh.x + 3 * i;
    const double along = x[0] + .013, across = half * (x[1] - x[2]) + .007, up = half * (x[1] + x[2]);
    x[0] = ca * along - sa * across + at[0], x[1] = sa * along + ca * across + at[1], x[2] = up + at[2];
  }
  return mesh;
}

ipg_mesh scene_ball(double x, double y, double z, double radius, int n, const char *name) {
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_mesh_ball((double[]){x, y, z}, radius, n, name, NULL, &mesh, &error));
  return mesh;
}

ipg_mesh scene_corner(void) {
  ipg_mesh mesh = scene_box(-1, -1, -1, 1, 1, 1, 2, 2, 2, "corner");
  int64_t kept = 0;
  for (int64_t e = 0; e < mesh.element_count; ++e) {
    double x = 0, z = 0;
    for (int i = 0; i < 4; ++i) x += mesh.x[3 * mesh.tets[4 * e + i]], z += mesh.x[3 * mesh.tets[4 * e + i] + 2];
    if (x < 0 || z < 0) memmove(mesh.tets + 4 * kept++, mesh.tets + 4 * e, 4 * sizeof *mesh.tets);
  }
  mesh.element_count = mesh.blocks[0].count = kept;
  return mesh;
}

double *scene_areas_at(const ipg_surface *surface, const double *x, double z, double within) {
  double *areas = calloc((size_t)surface->node_count, sizeof *areas);
  for (int64_t f = 0; f < surface->face_count; ++f) {
    const ipg_id *face = surface->faces + 3 * f;
    double normal[3];
    bool lies_in = true;
    for (int k = 0; k < 3; ++k) lies_in = lies_in && fabs(x[3 * face[k] + 2] - z) < within;
    vec3_normal(x + 3 * face[0], x + 3 * face[1], x + 3 * face[2], normal);
    for (int k = 0; k < 3 && lies_in; ++k) areas[face[k]] += vec3_length(normal) / 6;
  }
  return areas;
}

ipg_contact *scene_contact(const scene *s, const ipg_contact_config *config) {
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  const ipg_contact_config defaults = weak_contact();
  CU_ASSERT_FATAL(!ipg_contact_create(config ? config : &defaults, &s->surface.surface, s->x, &contact, &error));
  return contact;
}

void scene_predict(scene *s, double dt) {
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) s->trial[3 * i + k] = s->x[3 * i + k] + dt * s->velocity[s->body_of_node[i]][k];
}

void scene_complete(scene *s, double dt) {
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const int32_t body = s->body_of_node[i];
      s->velocity[body][k] += dt * s->force[3 * i + k] / s->body_mass[body];
      s->x[3 * i + k] = s->trial[3 * i + k];
    }
}

bool scene_step(scene *s, ipg_contact *contact, double dt, int64_t step) {
  ipg_error error = {0};
  scene_predict(s, dt);
  if (evaluate_after(contact, dt, s->trial, NULL, s->force, &error)) return false;
  if (ipg_contact_accept(contact, step, &error)) return false;
  scene_complete(s, dt);
  return true;
}

void scene_expect_refusal(const scene *s, const ipg_contact_config *config, ipg_status status, const char *words) {
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_contact_create(config, &s->surface.surface, s->x, &contact, &error), status);
  CU_ASSERT_PTR_NULL(contact);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, words));
}

void scene_check_failing_allocations(scene *s, ipg_contact_config config, double dt) {
  ipg_error error = {0};
  const size_t bytes = 3 * (size_t)s->surface.surface.node_count * sizeof(double);
  double *expected = malloc(bytes);
  failing_allocator counting = {.fail_at = 0};
  config.allocator = failing_allocator_of(&counting);
  ipg_contact *contact = scene_contact(s, &config);
  CU_ASSERT_FATAL(!evaluate_after(contact, dt, s->trial, NULL, expected, &error));
  CU_ASSERT_FATAL(ipg_contact_get_counters(contact).contacts > 0);
  const int64_t allocations = counting.allocations;
  int64_t contributions, count;
  ipg_contact_contributions(contact, &contributions);
  ipg_contact_destroy(&contact);
  for (int64_t n = 1; n <= allocations + 1; ++n) {
    failing_allocator allocator = {.fail_at = n};
    config.allocator = failing_allocator_of(&allocator);
    ipg_status status = ipg_contact_create(&config, &s->surface.surface, s->x, &contact, &error);
    if (!status) status = evaluate_after(contact, dt, s->trial, NULL, s->force, &error);
    const bool succeeded = !status;
    CU_ASSERT_EQUAL(succeeded, n > allocations);
    if (!succeeded) CU_ASSERT_EQUAL(status, IPG_ERROR_MEMORY);
    if (succeeded) CU_ASSERT_EQUAL((ipg_contact_contributions(contact, &count), count), contributions);
    if (contact && !succeeded) {
      CU_ASSERT(!evaluate_after(contact, dt, s->trial, NULL, s->force, &error));
      CU_ASSERT(!memcmp(expected, s->force, bytes));
    }
    ipg_contact_destroy(&contact);
    CU_ASSERT_EQUAL(allocator.live_bytes, 0);
  }
  free(expected);
}
