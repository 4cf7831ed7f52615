/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A first check of the library that needs nothing but a C compiler: the search against brute force, and a node that
 * bounces off a tetrahedron. The CUnit suites in tests/ go further.
 *
 *     cc -std=c17 -D_POSIX_C_SOURCE=200809L -Icontact/include -Icontact tests/selftest.c contact/[a-z]*.c \
 *        contact/[a-z]*[a-z]/[a-z]*.c -lm -lpthread -o selftest && ./selftest */
#include "impinge/contact.h"
#include "impinge/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void check(bool ok, const char *what) {
  if (ok) ++passed;
  else ++failed, printf("FAILED: %s\n", what);
}

static uint64_t random_state = 20261;

/* xorshift64*: the same numbers on every machine. */
static double random_unit(void) {
  random_state ^= random_state >> 12, random_state ^= random_state << 25, random_state ^= random_state >> 27;
  return (double)(random_state * 0x2545f4914f6cdd1du >> 11) / 9007199254740992.0;
}

static void random_boxes(ipg_box *boxes, int count, double size) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      boxes[i].lo[k] = random_unit();
      boxes[i].hi[k] = boxes[i].lo[k] + size * random_unit();
    }
}

static bool search_equals_brute_force(const ipg_box *boxes, int count) {
  uint64_t sums[2] = {0};
  int64_t counts[2] = {0};
  const char *const methods[] = {"brute_force", "lkdtree_packed"};
  for (int m = 0; m < 2; ++m) {
    ipg_search_config config = ipg_search_defaults();
    config.method = methods[m];
    ipg_search *search = NULL;
    const ipg_pair *pairs = NULL;
    if (ipg_search_create(&config, &search, NULL) || ipg_search_set_boxes(search, boxes, count, NULL, NULL) ||
        ipg_search_self_array(search, &pairs, &counts[m], NULL))
      return false;
    sums[m] = ipg_pairs_checksum(pairs, counts[m]);
    ipg_search_destroy(&search);
  }
  return counts[0] == counts[1] && sums[0] == sums[1];
}

static void check_search(void) {
  enum { COUNT = 300 };
  static ipg_box boxes[COUNT];
  for (int scene = 0; scene < 20; ++scene) {
    random_boxes(boxes, COUNT, 0.02 * scene);
    check(search_equals_brute_force(boxes, COUNT), "the linear kd-tree finds what brute force finds");
  }
}

/* A small rigid tetrahedron falls point first onto the top of a large one. */
static void check_bounce(void) {
  static const ipg_gid gids[8] = {1, 2, 3, 4, 5, 6, 7, 8}, elements[8] = {1, 1, 1, 1, 2, 2, 2, 2};
  static const double masses[8] = {1e6, 1e6, 1e6, 1e6, 1, 1, 1, 1};
  static const ipg_id faces[24] = {0, 1, 3, 1, 2, 3, 0, 3, 2, 0, 2, 1, 4, 5, 7, 5, 6, 7, 4, 7, 6, 4, 6, 5};
  static const uint8_t sides[8] = {0, 1, 2, 3, 0, 1, 2, 3};
  static const int32_t bodies[8] = {0, 0, 0, 0, 1, 1, 1, 1};
  static const ipg_id opposites[8] = {2, 0, 1, 3, 6, 4, 5, 7};
  double x[24] = {-4, -4, 0, 0, 4, 0, 4, -4, 0, 0, 0, -4, 0, 0, .1, .5, 0, 1, 0, .5, 1, -.5, -.5, 1};
  const ipg_surface surface = {.node_count = 8,
                               .face_count = 8,
                               .node_gids = gids,
                               .node_masses = masses,
                               .faces = faces,
                               .face_elements = elements,
                               .face_sides = sides,
                               .face_bodies = bodies,
                               .face_opposites = opposites};
  ipg_contact_config config = ipg_contact_defaults();
  config.reference_step = 0.01;
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  if (ipg_contact_create(&config, &surface, x, &contact, &error)) {
    check(false, error.message);
    return;
  }
  double speed = -1, force[24] = {0};
  const double dt = 0.01;
  bool ok = true;
  for (int step = 1; step <= 400; ++step) {
    for (int i = 4; i < 8; ++i) x[3 * i + 2] += dt * speed;
    ok = ok && !ipg_contact_evaluate(contact, step * dt, x, NULL, force, &error) &&
         !ipg_contact_accept(contact, step, &error);
    for (int i = 4; i < 8; ++i) speed += dt * force[3 * i + 2] / 4;
  }
  check(ok, "400 steps without an error");
  check(fabs(speed - 1) < 0.02, "the tetrahedron leaves as fast as it came");
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(contact);
  check(balance.activations == 1 && balance.deactivations == 1 && balance.contact_energy == 0,
        "one contact, activated and deactivated");
  ipg_contact_destroy(&contact);
}

int main(void) {
  check_search();
  check_bounce();
  printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
