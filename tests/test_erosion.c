/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Erosion: the boundary mesh after elements are deleted, slot by slot, against brute force; and failing allocations of
 * the functions of the boundary mesh. */
#include "impinge/surface.h"
#include "support/failing_allocator.h"
#include "support/skin_oracle.h"
#include "support/suite.h"

/* ------------------------------------------------------------------------------------------------------- the oracle */

/* The expected skin, slot by slot: a new face or node takes the lowest free slot. */
typedef struct expected_skin {
  const ipg_mesh *mesh;
  bool *dead;
  face *faces; /* by slot; element -1: empty */
  ipg_id *nodes;
  int64_t face_count, node_count;
  ipg_id *removed_faces, *added_faces, *removed_nodes, *added_nodes;
  int64_t removed_face_count, added_face_count, removed_node_count, added_node_count;
} expected_skin;

static expected_skin expected_skin_of(const ipg_mesh *mesh, const ipg_skin *skin) {
  const int64_t most_faces = 16 * mesh->element_count, most_nodes = mesh->node_count;
  expected_skin s = {.mesh = mesh, .face_count = skin->face_count, .node_count = skin->node_count};
  s.dead = grow_array(NULL, mesh->element_count, sizeof *s.dead);
  memset(s.dead, 0, (size_t)mesh->element_count * sizeof *s.dead);
  s.faces = grow_array(NULL, most_faces, sizeof *s.faces);
  s.nodes = grow_array(NULL, most_nodes, sizeof *s.nodes);
  s.removed_faces = grow_array(NULL, most_faces, sizeof(ipg_id));
  s.added_faces = grow_array(NULL, most_faces, sizeof(ipg_id));
  s.removed_nodes = grow_array(NULL, most_nodes, sizeof(ipg_id));
  s.added_nodes = grow_array(NULL, most_nodes, sizeof(ipg_id));
  for (int64_t i = 0; i < skin->face_count; ++i) s.faces[i] = face_at(skin, i);
  for (int64_t i = 0; i < skin->node_count; ++i) s.nodes[i] = skin->nodes[i];
  return s;
}

static void expected_skin_free(expected_skin *s) {
  free(s->dead), free(s->faces), free(s->nodes);
  free(s->removed_faces), free(s->added_faces), free(s->removed_nodes), free(s->added_nodes);
}

static bool is_listed(const face_list *list, const face *f) {
  for (int64_t i = 0; i < list->count; ++i)
    if (same_face(&list->faces[i], f)) return true;
  return false;
}

static void update_faces(expected_skin *s, const face_list *now) {
  s->removed_face_count = s->added_face_count = 0;
  for (int64_t i = 0; i < s->face_count; ++i)
    if (s->faces[i].element >= 0 && !is_listed(now, &s->faces[i])) {
      s->faces[i].element = -1;
      s->removed_faces[s->removed_face_count++] = (ipg_id)i;
    }
  const face_list before = {s->faces, s->face_count};
  int64_t slot = 0;
  for (int64_t i = 0; i < now->count; ++i) {
    if (is_listed(&before, &now->faces[i])) continue;
    while (slot < s->face_count && s->faces[slot].element >= 0) ++slot;
    if (slot == s->face_count) s->face_count++;
    s->faces[slot] = now->faces[i];
    s->added_faces[s->added_face_count++] = (ipg_id)slot;
  }
}

static void update_nodes(expected_skin *s, const bool *used) {
  s->removed_node_count = s->added_node_count = 0;
  for (int64_t i = 0; i < s->node_count; ++i)
    if (s->nodes[i] >= 0 && !used[s->nodes[i]]) {
      s->nodes[i] = -1;
      s->removed_nodes[s->removed_node_count++] = (ipg_id)i;
    }
  for (ipg_id node = 0; node < s->mesh->node_count; ++node) {
    int64_t slot = 0;
    bool there = false;
    for (int64_t i = 0; i < s->node_count; ++i) there = there || s->nodes[i] == node;
    if (!used[node] || there) continue;
    while (slot < s->node_count && s->nodes[slot] >= 0) ++slot;
    if (slot == s->node_count) s->node_count++;
    s->nodes[slot] = node;
    s->added_nodes[s->added_node_count++] = (ipg_id)slot;
  }
}

static void expected_skin_delete(expected_skin *s, const ipg_id *elements, int64_t count) {
  for (int64_t i = 0; i < count; ++i) s->dead[elements[i]] = true;
  face_list now = oracle_skin(s->mesh, s->dead);
  bool *used = used_nodes(s->mesh, &now);
  update_faces(s, &now);
  update_nodes(s, used);
  free(now.faces);
  free(used);
}

static bool skin_is_expected(const ipg_skin *skin, const expected_skin *s) {
  if (skin->face_count != s->face_count || skin->node_count != s->node_count) return false;
  for (int64_t i = 0; i < s->face_count; ++i) {
    const face f = face_at(skin, i);
    if (f.element != s->faces[i].element || (f.element >= 0 && !same_face(&f, &s->faces[i]))) return false;
  }
  return same_ids(skin->nodes, s->nodes, s->node_count);
}

static bool change_is_expected(const ipg_erosion_change *c, const expected_skin *s) {
  return c->removed_face_count == s->removed_face_count && c->added_face_count == s->added_face_count &&
         c->removed_node_count == s->removed_node_count && c->added_node_count == s->added_node_count &&
         same_ids(c->removed_faces, s->removed_faces, s->removed_face_count) &&
         same_ids(c->added_faces, s->added_faces, s->added_face_count) &&
         same_ids(c->removed_nodes, s->removed_nodes, s->removed_node_count) &&
         same_ids(c->added_nodes, s->added_nodes, s->added_node_count);
}

/* Deletes all elements of a mesh in some rounds; returns whether every round gave the expected skin. */
static bool erode_mesh(const ipg_mesh *mesh, rng *r) {
  ipg_skin skin = skin_of(mesh);
  ipg_error error = {0};
  ipg_erosion *erosion = NULL;
  expect_ok(ipg_erosion_create(mesh, &skin, NULL, &erosion, &error), &error);
  if (!erosion) return false;
  expected_skin s = expected_skin_of(mesh, &skin);
  ipg_id *order = random_order(r, mesh->element_count);
  bool is_right = skin_is_expected(ipg_erosion_skin(erosion), &s);
  for (int64_t done = 0; is_right && done < mesh->element_count;) {
    ipg_erosion_change change;
    int64_t count = rng_int(r, 0, 3) ? rng_int(r, 0, 4) : rng_int(r, 1, (int)mesh->element_count / 2 + 1);
    if (count > mesh->element_count - done) count = mesh->element_count - done;
    expected_skin_delete(&s, order + done, count);
    expect_ok(ipg_erosion_delete(erosion, order + done, count, &change, &error), &error);
    is_right = change_is_expected(&change, &s) && skin_is_expected(ipg_erosion_skin(erosion), &s);
    done += count;
  }
  const ipg_skin *last = ipg_erosion_skin(erosion);
  is_right = is_right && last->body_count == skin.body_count &&
             same_ids(last->body_of_element, skin.body_of_element, mesh->element_count);
  for (int64_t i = 0; is_right && i < last->face_count; ++i) is_right = last->elements[i] == -1;
  for (int64_t i = 0; is_right && i < last->node_count; ++i) is_right = last->nodes[i] == -1;
  ipg_erosion_destroy(&erosion);
  CU_ASSERT_PTR_NULL(erosion);
  expected_skin_free(&s);
  free(order);
  ipg_skin_destroy(&skin);
  return is_right;
}

static void test_erosion(void) {
  rng r = rng_start(6);
  for (long i = 0; i < suite_scenes() / 40; ++i) {
    shuffled_mesh w;
    shuffled_mesh_make(&w, &r, (element_kind)(i % 3), 2);
    const bool is_right = erode_mesh(&w.mesh, &r);
    CU_ASSERT(is_right);
    if (!is_right) printf("\n    scene %ld erodes wrongly", i);
    shuffled_mesh_free(&w);
  }
}

/* The pinches of an eroded skin are those of the skin of the remaining elements. */
static void compare_pinches(const ipg_skin *eroded, const ipg_mesh *mesh, const ipg_id *left, int64_t count) {
  ipg_mesh remaining = *mesh;
  ipg_skin_pinches of_eroded, of_remaining;
  remaining.element_count = count;
  remaining.tets = grow_array(NULL, 4 * count, sizeof(ipg_id));
  for (int64_t i = 0; i < count; ++i)
    memcpy(remaining.tets + 4 * i, mesh->tets + 4 * (int64_t)left[i], 4 * sizeof(ipg_id));
  ipg_skin skin = skin_of(&remaining);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(eroded, NULL, &of_eroded, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(&skin, NULL, &of_remaining, NULL), IPG_OK);
  CU_ASSERT(of_remaining.count > 0 && of_eroded.count == of_remaining.count);
  CU_ASSERT(of_eroded.count == of_remaining.count &&
            same_ids(of_eroded.edges, of_remaining.edges, 2 * of_remaining.count));
  ipg_skin_pinches_destroy(&of_eroded);
  ipg_skin_pinches_destroy(&of_remaining);
  ipg_skin_destroy(&skin);
  free(remaining.tets);
}

/* The order of the list of deleted elements does not matter. */
static void test_erosion_order(void) {
  rng r = rng_start(7);
  ipg_mesh mesh = large_box(&r, 4, true);
  ipg_skin skin = skin_of(&mesh);
  ipg_erosion *one = NULL, *two = NULL;
  ipg_erosion_change a, b;
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &skin, NULL, &one, NULL));
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &skin, NULL, &two, NULL));
  ipg_id *order = random_order(&r, mesh.element_count), back[100];
  for (int i = 0; i < 100; ++i) back[i] = order[99 - i];
  CU_ASSERT_EQUAL(ipg_erosion_delete(one, order, 100, &a, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_erosion_delete(two, back, 100, &b, NULL), IPG_OK);
  CU_ASSERT(same_skin(ipg_erosion_skin(one), ipg_erosion_skin(two)));
  CU_ASSERT(a.added_face_count == b.added_face_count && same_ids(a.added_faces, b.added_faces, a.added_face_count));
  CU_ASSERT(a.removed_face_count > 0 && a.added_face_count > 0 && a.added_node_count > 0);
  compare_pinches(ipg_erosion_skin(one), &mesh, order + 100, mesh.element_count - 100);
  CU_ASSERT_EQUAL(ipg_erosion_delete(one, order + 100, 100, &a, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_erosion_delete(one, order + 200, 100, &a, NULL), IPG_OK);
  CU_ASSERT(a.removed_face_count > a.added_face_count); /* some slots are empty */
  compare_pinches(ipg_erosion_skin(one), &mesh, order + 300, mesh.element_count - 300);
  ipg_erosion_destroy(&one);
  ipg_erosion_destroy(&two);
  free(order);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

static void test_erosion_refusals(void) {
  rng r = rng_start(8);
  ipg_mesh mesh = large_box(&r, 2, false);
  ipg_skin skin = skin_of(&mesh), other;
  ipg_erosion *erosion = NULL;
  ipg_erosion_change change;
  ipg_error error = {0};
  const ipg_id twice[] = {3, 4, 3}, outside[] = {5, 48}, negative[] = {-1}, fine[] = {3, 5}, again[] = {6, 5};
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &skin, NULL, &erosion, NULL));
  expected_skin s = expected_skin_of(&mesh, &skin);
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, twice, 3, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(error_contains(&error, "element 4 is deleted already, or comes twice: name every element once"));
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, outside, 2, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(error_contains(&error, "element 48 cannot be deleted: the mesh has elements 0 to 47"));
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, negative, 1, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, NULL, 1, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, fine, -1, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(skin_is_expected(ipg_erosion_skin(erosion), &s));
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, NULL, 0, &change, &error), IPG_OK);
  CU_ASSERT(!change.removed_face_count && !change.added_node_count);
  expected_skin_delete(&s, fine, 2);
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, fine, 2, &change, &error), IPG_OK);
  CU_ASSERT(change_is_expected(&change, &s));
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, again, 2, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(skin_is_expected(ipg_erosion_skin(erosion), &s));
  ipg_erosion_destroy(&erosion);
  ipg_erosion_destroy(&erosion);
  ipg_erosion_destroy(NULL);
  mesh.element_count -= 6;
  CU_ASSERT_EQUAL(ipg_erosion_create(&mesh, &skin, NULL, &erosion, &error), IPG_ERROR_ARGUMENT);
  mesh.element_count += 6;
  ipg_mesh shuffled = large_box(&r, 2, true); /* as many elements, other sides */
  other = skin_of(&shuffled);
  CU_ASSERT_EQUAL(ipg_erosion_create(&mesh, &other, NULL, &erosion, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(error_contains(&error, "the skin is not that of the mesh: build it"));
  CU_ASSERT_PTR_NULL(erosion);
  ipg_skin short_skin = skin;
  short_skin.face_count--;
  CU_ASSERT_EQUAL(ipg_erosion_create(&mesh, &short_skin, NULL, &erosion, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_erosion_create(NULL, &skin, NULL, &erosion, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_erosion_create(&mesh, NULL, NULL, &erosion, NULL), IPG_ERROR_ARGUMENT);
  ipg_skin_destroy(&other);
  ipg_mesh_destroy(&shuffled);
  expected_skin_free(&s);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

/* A bar deleted layer by layer: a deletion like the one before does not allocate. */
static void test_erosion_memory(void) {
  enum { LAYERS = 60, PER_LAYER = 24 };
  failing_allocator watch = {0};
  ipg_mesh mesh = {0};
  CU_ASSERT_FATAL(
      !ipg_mesh_box((double[]){0, 0, 0}, (double[]){2, 2, 60}, (int[]){2, 2, LAYERS}, "bar", NULL, &mesh, NULL));
  ipg_skin skin = skin_of(&mesh);
  ipg_skin watched = skin;
  watched.allocator = failing_allocator_of(&watch);
  ipg_erosion *erosion = NULL;
  ipg_erosion_change change;
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &watched, NULL, &erosion, NULL));
  int64_t allocations = 0;
  for (int layer = 0; layer < LAYERS; ++layer) {
    ipg_id elements[PER_LAYER];
    int found = 0;
    for (int64_t e = 0; e < mesh.element_count; ++e) {
      double z = 0;
      for (int c = 0; c < 4; ++c) z += mesh.x[3 * (int64_t)mesh.tets[4 * e + c] + 2] / 4;
      if (z > layer && z < layer + 1) elements[found++] = (ipg_id)e;
    }
    CU_ASSERT_EQUAL_FATAL(found, PER_LAYER);
    CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, elements, PER_LAYER, &change, NULL), IPG_OK);
    if (layer == 0) allocations = watch.allocations;
    if (layer == LAYERS - 1) break;
    CU_ASSERT(change.removed_face_count == 24 && change.added_face_count == 8);
    CU_ASSERT_EQUAL(watch.allocations, allocations);
  }
  CU_ASSERT_EQUAL(ipg_erosion_skin(erosion)->face_count, skin.face_count);
  ipg_erosion_destroy(&erosion);
  CU_ASSERT(!watch.live_blocks && !watch.live_bytes && !watch.wrong_releases);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

/* Memory is reserved for sides that come to the surface, not for those between two deleted elements: bodies that are
 * deleted whole need no more than their skin. */
static void test_memory_of_whole_bodies(void) {
  failing_allocator watch = {0};
  ipg_mesh mesh = {0};
  CU_ASSERT_FATAL(!ipg_mesh_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){9, 9, 9}, "cube", NULL, &mesh, NULL));
  ipg_skin skin = skin_of(&mesh);
  ipg_skin watched = skin;
  watched.allocator = failing_allocator_of(&watch);
  ipg_erosion *erosion = NULL;
  ipg_erosion_change change;
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &watched, NULL, &erosion, NULL));
  const int64_t before = watch.live_bytes;
  ipg_id *all = grow_array(NULL, mesh.element_count, sizeof *all);
  for (int64_t e = 0; e < mesh.element_count; ++e) all[e] = (ipg_id)e;
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, all, mesh.element_count, &change, NULL), IPG_OK);
  CU_ASSERT(change.removed_face_count == skin.face_count && !change.added_face_count);
  const int64_t lists = 9 * skin.face_count * (int64_t)sizeof(ipg_id); /* faces, free faces, lost faces, nodes twice */
  CU_ASSERT(watch.live_bytes - before <= 2 * lists);
  ipg_erosion_destroy(&erosion);
  free(all);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

/* ----------------------------------------------------------------------------------------------------- allocations */

typedef ipg_status function(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                            ipg_error *error);

/* A skin with an empty slot, a corner of a box that has gone, has stiffnesses like any other. */
static void test_stiffness_of_eroded_skin(void) {
  ipg_mesh mesh = {0};
  ipg_skin skin = {0};
  ipg_erosion *erosion = NULL;
  ipg_erosion_change change;
  ipg_mesh_surface surface = {0};
  ipg_error error = {0};
  const double moduli[] = {2};
  CU_ASSERT_FATAL(
      !ipg_mesh_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){3, 3, 3}, "box", NULL, &mesh, &error));
  double *masses = malloc((size_t)mesh.node_count * sizeof *masses);
  for (int64_t i = 0; i < mesh.node_count; ++i) masses[i] = 1;
  CU_ASSERT_FATAL(!ipg_skin_build(&mesh, NULL, NULL, &skin, &error));
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &skin, NULL, &erosion, &error));
  bool has_empty_slot = false;
  for (ipg_id element = 0; !has_empty_slot; ++element) {
    CU_ASSERT_FATAL(!ipg_erosion_delete(erosion, &element, 1, &change, &error));
    const ipg_skin *eroded = ipg_erosion_skin(erosion);
    for (int64_t f = 0; f < eroded->face_count; ++f) has_empty_slot |= eroded->elements[f] < 0;
  }
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&mesh, ipg_erosion_skin(erosion), masses, NULL, &surface, &error));
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&surface, &mesh, ipg_erosion_skin(erosion), moduli, &error));
  for (int64_t f = 0; f < surface.surface.face_count; ++f)
    CU_ASSERT(surface.surface.face_stiffnesses[f] > 1 && surface.surface.face_stiffnesses[f] < 100);
  free(masses);
  ipg_mesh_surface_destroy(&surface), ipg_erosion_destroy(&erosion), ipg_skin_destroy(&skin), ipg_mesh_destroy(&mesh);
}

/* Fails the 1st, 2nd ... allocation until the function needs fewer. */
static void fail_each_allocation(function *run, const ipg_mesh *mesh, int64_t at_least) {
  ipg_skin skin = skin_of(mesh);
  failing_allocator watch = {0};
  for (bool refused = true; refused && watch.fail_at < 1000;) {
    ipg_error error = {0};
    watch = (failing_allocator){.fail_at = watch.fail_at + 1};
    const ipg_allocator allocator = failing_allocator_of(&watch);
    const ipg_status status = run(mesh, &skin, &allocator, &error);
    refused = watch.refusals > 0;
    CU_ASSERT_EQUAL(status, refused ? IPG_ERROR_MEMORY : IPG_OK);
    CU_ASSERT(!refused || error_contains(&error, "out of memory"));
    CU_ASSERT(!watch.live_blocks && !watch.live_bytes && !watch.wrong_releases);
  }
  CU_ASSERT(watch.fail_at > at_least);
  ipg_skin_destroy(&skin);
}

static ipg_status build_skin(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                             ipg_error *error) {
  ipg_skin own;
  const ipg_status status = ipg_skin_build(mesh, allocator, NULL, &own, error);
  CU_ASSERT(status ? !own.faces && !own.nodes && !own.body_of_element : same_skin(&own, skin));
  ipg_skin_destroy(&own);
  return status;
}

static ipg_status find_pinches(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                               ipg_error *error) {
  (void)mesh;
  ipg_skin_pinches pinches;
  const ipg_status status = ipg_skin_find_pinches(skin, allocator, &pinches, error);
  CU_ASSERT(!status || !pinches.edges);
  ipg_skin_pinches_destroy(&pinches);
  return status;
}

static ipg_status create_erosion(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                                 ipg_error *error) {
  ipg_skin own = *skin;
  ipg_erosion *erosion;
  own.allocator = *allocator;
  const ipg_status status = ipg_erosion_create(mesh, &own, NULL, &erosion, error);
  CU_ASSERT(!status == !!erosion);
  ipg_erosion_destroy(&erosion);
  return status;
}

/* A deletion that failed has changed nothing, and succeeds when it is called again. */
static ipg_status delete_elements(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                                  ipg_error *error) {
  static const ipg_id first[] = {3, 8, 20, 1}, second[] = {7, 30, 31, 32, 33, 11, 12, 13, 14};
  const failing_allocator given = *(const failing_allocator *)allocator->context;
  failing_allocator *watch = allocator->context;
  ipg_skin own = *skin;
  ipg_erosion *erosion;
  ipg_erosion_change change;
  own.allocator = *allocator;
  watch->fail_at = 0;
  CU_ASSERT_FATAL(!ipg_erosion_create(mesh, &own, NULL, &erosion, NULL));
  expected_skin s = expected_skin_of(mesh, skin);
  watch->fail_at = watch->allocations + given.fail_at;
  ipg_status status = ipg_erosion_delete(erosion, first, 4, &change, error);
  if (status) {
    CU_ASSERT(skin_is_expected(ipg_erosion_skin(erosion), &s) && !change.removed_face_count);
    CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, first, 4, &change, NULL), IPG_OK);
  }
  expected_skin_delete(&s, first, 4);
  CU_ASSERT(change_is_expected(&change, &s) && skin_is_expected(ipg_erosion_skin(erosion), &s));
  const ipg_status later = ipg_erosion_delete(erosion, second, 9, &change, status ? NULL : error);
  if (later) {
    CU_ASSERT(skin_is_expected(ipg_erosion_skin(erosion), &s) && !status);
    CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, second, 9, &change, NULL), IPG_OK);
  }
  expected_skin_delete(&s, second, 9);
  CU_ASSERT(change_is_expected(&change, &s) && skin_is_expected(ipg_erosion_skin(erosion), &s));
  expected_skin_free(&s);
  ipg_erosion_destroy(&erosion);
  watch->fail_at = given.fail_at;
  return status ? status : later;
}

static void test_allocation_failures(void) {
  rng r = rng_start(9);
  ipg_mesh mesh = large_box(&r, 2, true);
  fail_each_allocation(build_skin, &mesh, 14);
  fail_each_allocation(find_pinches, &mesh, 4);
  fail_each_allocation(create_erosion, &mesh, 17);
  fail_each_allocation(delete_elements, &mesh, 12);
  ipg_mesh_destroy(&mesh);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"random deletions against brute force", test_erosion},
                         {"the order of a list does not matter", test_erosion_order},
                         {"what is refused", test_erosion_refusals},
                         {"no allocation below the high-water mark", test_erosion_memory},
                         {"memory of bodies deleted whole", test_memory_of_whole_bodies},
                         {"stiffness of an eroded skin", test_stiffness_of_eroded_skin},
                         {"every allocation fails once", test_allocation_failures},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "erosion", tests);
}
