/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A scene for tests of contact: some meshes put together, their surface, and the simplest host code: every body is
 * rigid, moves without rotation, and is accelerated by the sum of its contact forces. */
#ifndef IMPINGE_TESTS_SCENE_H
#define IMPINGE_TESTS_SCENE_H

#include "impinge/contact.h"
#include "impinge/surface.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_BODIES = 16 };

typedef struct scene {
  ipg_mesh mesh;
  ipg_skin skin;
  ipg_mesh_surface surface;
  double *masses;            /* per mesh node */
  double *x, *trial, *force; /* accepted and trial positions, contact forces; 3 per surface node */
  double velocity[SCENE_BODIES][3], body_mass[SCENE_BODIES];
  int32_t *body_of_node; /* of surface nodes */
} scene;

/* Takes over the meshes. Every node has the same mass. */
void scene_make(scene *s, ipg_mesh *meshes, int count, double node_mass);
void scene_free(scene *s);

/* A box from (lx, ly, lz) to (hx, hy, hz) with nx, ny, nz cells. */
ipg_mesh scene_box(double lx, double ly, double lz, double hx, double hy, double hz, int nx, int ny, int nz,
                   const char *name);
ipg_mesh scene_ball(double x, double y, double z, double radius, int n, const char *name);
/* A bar of `count` cubes of side 1 along x, rotated about its axis so that one edge is on top and one below, then about
 * z, and moved to `at`. It is a little off centre, so that the corners of ridges above each other do not touch. */
ipg_mesh scene_ridge(const double at[3], double about_z, int count, const char *name);

/* The box from (-1, -1, -1) to (1, 1, 1), of 2 x 2 x 2 cells, without its quarter x > 0, z > 0: a floor and an upright
 * side of one body. */
ipg_mesh scene_corner(void);

/* Per surface node, a third of the area of the faces around it that lie in the plane z, to `within`; the caller frees
 * it. x: 3 per surface node. */
double *scene_areas_at(const ipg_surface *surface, const double *x, double z, double within);

/* Of the scene's surface at its accepted positions; config NULL: defaults. */
ipg_contact *scene_contact(const scene *s, const ipg_contact_config *config);

/* Creating contact with this config fails with the status and with these words in the message. */
void scene_expect_refusal(const scene *s, const ipg_contact_config *config, ipg_status status, const char *words);
/* Creates contact and evaluates the trial positions while each allocation in turn fails. Nothing leaks, and an object
 * that exists then computes the same forces as without failures. There must be contact. */
void scene_check_failing_allocations(scene *s, ipg_contact_config config, double dt);
/* Sets the trial positions: every node after dt at its body's velocity. */
void scene_predict(scene *s, double dt);
/* Accepts the trial positions and changes the velocities by the contact forces. */
void scene_complete(scene *s, double dt);
/* Predict, evaluate, accept, complete; false if contact returns an error. */
bool scene_step(scene *s, ipg_contact *contact, double dt, int64_t step);

#endif
