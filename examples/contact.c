/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact in a time loop of your own: a tetrahedron falls with its tip onto the top of another one.
 *
 * The host code is as small as possible: four masses at the corners of each body, springs along its six edges, and the
 * central difference method. It evaluates contact once per step, and gets one force per node. */
#include <impinge/contact.h>
#include <stdio.h>

enum { NODES = 8, FACES = 8, STEPS = 72 };

/* Four faces for each body, wound outward, as the sides 0 to 3 of a tetrahedron are numbered. */
static const ipg_id faces[3 * FACES] = {0, 1, 3, 1, 2, 3, 0, 3, 2, 0, 2, 1, 4, 5, 7, 5, 6, 7, 4, 7, 6, 4, 6, 5};
static const ipg_id opposites[FACES] = {2, 0, 1, 3, 6, 4, 5, 7};
static const ipg_gid gids[NODES] = {1, 2, 3, 4, 5, 6, 7, 8}, elements[FACES] = {1, 1, 1, 1, 2, 2, 2, 2};
static const uint8_t sides[FACES] = {0, 1, 2, 3, 0, 1, 2, 3};
static const int32_t bodies[FACES] = {0, 0, 0, 0, 1, 1, 1, 1};
static const double masses[NODES] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25};
static const double start[3 * NODES] = {-1,   -0.6, 0,    0,   1.2, 0,    1,   -0.6, 0,    0,   0,   -1,
                                        -0.9, -0.5, 1.02, 0.1, 1.3, 1.02, 1.1, -0.5, 1.02, 0.1, 0.1, 0.02};

/* Adds the forces of springs with the energy stiffness / 4 (l^2 - l0^2)^2, and returns their energy. */
static double add_springs(const double *x, double *force) {
  const double stiffness = 20;
  double energy = 0;
  for (int i = 0; i < NODES; ++i)
    for (int j = i + 1; j < 4 * (i / 4 + 1); ++j) {
      double elongation = 0;
      for (int k = 0; k < 3; ++k) {
        const double now = x[3 * j + k] - x[3 * i + k], then = start[3 * j + k] - start[3 * i + k];
        elongation += now * now - then * then;
      }
      for (int k = 0; k < 3; ++k) {
        const double pull = stiffness * elongation * (x[3 * j + k] - x[3 * i + k]);
        force[3 * i + k] += pull, force[3 * j + k] -= pull;
      }
      energy += stiffness / 4 * elongation * elongation;
    }
  return energy;
}

static void add_momentum(const double *v, double *momentum) {
  for (int i = 0; i < 3 * NODES; ++i) momentum[i % 3] += masses[i / 3] * v[i];
}

int main(void) {
  const ipg_surface surface = {.node_count = NODES,
                               .face_count = FACES,
                               .node_gids = gids,
                               .node_masses = masses,
                               .faces = faces,
                               .face_elements = elements,
                               .face_sides = sides,
                               .face_bodies = bodies,
                               .face_opposites = opposites};
  const double dt = 0.01;
  ipg_contact_config config = ipg_contact_defaults();
  config.reference_step =
      dt; /* the stiffness of contact follows from masses and this step: it is that of no material */
  double x[3 * NODES], v[3 * NODES] = {0}, force[3 * NODES] = {0};
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  ipg_status status = ipg_contact_create(&config, &surface, start, &contact, &error);
  for (int i = 0; i < 3 * NODES; ++i) x[i] = start[i];
  for (int i = 4; i < NODES; ++i) v[3 * i + 2] = -1; /* the upper body falls */
  double start_momentum[3] = {0}, momentum_change = 0;
  add_momentum(v, start_momentum);
  printf("step  momentum z  kinetic    springs    contact    total      work        contacts\n");
  for (int step = 1; !status && step <= STEPS; ++step) {
    for (int i = 0; i < 3 * NODES; ++i) v[i] += dt / 2 * force[i] / masses[i / 3], x[i] += dt * v[i];
    /* sets the contact forces; may be called again, also with other positions: history does not change */
    status = ipg_contact_evaluate(contact, step * dt, x, v, force, &error);
    const double springs = add_springs(x, force);
    for (int i = 0; i < 3 * NODES; ++i) v[i] += dt / 2 * force[i] / masses[i / 3];
    /* the step is complete: history and energy balance change, once */
    if (!status) status = ipg_contact_accept(contact, step, &error);
    if (status || step % 6) continue;
    const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(contact);
    const double in_contact =
        balance.contact_energy + balance.spring_net_loss + balance.friction_dissipation + balance.damping_dissipation;
    double momentum[3] = {0}, kinetic = 0;
    add_momentum(v, momentum);
    for (int k = 0; k < 3; ++k) {
      const double change = momentum[k] - start_momentum[k], size = change < 0 ? -change : change;
      if (!(size <= momentum_change)) momentum_change = size;
    }
    for (int i = 0; i < 3 * NODES; ++i) kinetic += 0.5 * masses[i / 3] * v[i] * v[i];
    printf("%4d  %10.7f  %9.7f  %9.7f  %9.7f  %9.7f  %10.7f  %8d\n", step, momentum[2], kinetic, springs,
           balance.contact_energy, kinetic + springs + in_contact, balance.contact_work,
           (int)ipg_contact_get_counters(contact).contacts);
  }
  if (!status) {
    const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(contact);
    printf("largest change of momentum %.1e\n", momentum_change);
    printf(
        "contact work %.5f, energy %.5f, spring net loss %.1e, smallest gap %.5f, activations %d, deactivations %d\n",
        balance.contact_work, balance.contact_energy, balance.spring_net_loss, balance.smallest_gap,
        (int)balance.activations, (int)balance.deactivations);
  } else {
    fprintf(stderr, "%s\n", error.message);
  }
  ipg_contact_destroy(&contact);
  return status != IPG_OK;
}
