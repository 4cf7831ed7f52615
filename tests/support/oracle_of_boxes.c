/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/oracle_of_boxes.h"

/* ----------------------------------------------------------------------------------------------------------- oracle */

void append(answer *to, int64_t a, int64_t b) {
  if (to->count == to->capacity) {
    to->capacity = 2 * to->capacity + 1000;
    to->pairs = realloc(to->pairs, (size_t)to->capacity * sizeof *to->pairs);
  }
  to->pairs[to->count++] = (ipg_pair){(ipg_id)a, (ipg_id)b};
}

bool are_apart(const ipg_box *a, const ipg_box *b) {
  for (int k = 0; k < 3; ++k)
    if (a->hi[k] < b->lo[k] || b->hi[k] < a->lo[k]) return true;
  return false;
}

static bool oracle_excludes(const scene *s, const ipg_id *keys1, ipg_id group1, const ipg_id *keys2, ipg_id group2) {
  if (s->with_groups && group_excluded[GROUPS * group2 + group1]) return true;
  for (int i = 0; s->with_keys && i < 16; ++i)
    if (keys1[i % 4] == keys2[i / 4] && keys1[i % 4] >= 0) return true;
  return false;
}

void oracle_self(const scene *s, const ipg_box *items, answer *to) {
  to->count = 0;
  for (int64_t a = 0; a < s->item_count; ++a)
    for (int64_t b = a + 1; b < s->item_count; ++b)
      if (!are_apart(&items[a], &items[b]) &&
          !oracle_excludes(s, s->item_keys + 4 * a, s->item_groups[a], s->item_keys + 4 * b, s->item_groups[b]))
        append(to, a, b);
}

void oracle_query(const scene *s, const ipg_box *queries, int64_t count, const ipg_box *items, answer *to) {
  to->count = 0;
  for (int64_t a = 0; a < count; ++a)
    for (int64_t b = 0; b < s->item_count; ++b)
      if (!are_apart(&queries[a], &items[b]) &&
          !oracle_excludes(s, s->query_keys + 4 * a, s->query_groups[a], s->item_keys + 4 * b, s->item_groups[b]))
        append(to, a, b);
}

int64_t oracle_answers(const scene *s, answers *to) {
  oracle_self(s, s->items, &to->self);
  oracle_query(s, s->queries, s->query_count, s->items, &to->query);
  oracle_self(s, s->moved, &to->moved_self);
  oracle_query(s, s->moved_queries, s->moved_query_count, s->moved, &to->moved_query);
  oracle_self(s, s->point_boxes, &to->point_self);
  oracle_query(s, s->queries, s->query_count, s->point_boxes, &to->point_query);
  return to->self.count + to->query.count + to->moved_self.count + to->moved_query.count + to->point_self.count +
         to->point_query.count;
}

void free_answers(answers *to) {
  free(to->self.pairs), free(to->query.pairs), free(to->moved_self.pairs);
  free(to->moved_query.pairs), free(to->point_self.pairs), free(to->point_query.pairs);
}

/* ------------------------------------------------------------------------------------------------------- comparison */

void add_batch(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  tally *t = context;
  t->of[worker].checksum += ipg_pairs_checksum(pairs, count);
  t->of[worker].count += count;
}

int64_t tally_count(const tally *t) {
  int64_t count = 0;
  for (int i = 0; i < MOST_WORKERS; ++i) count += t->of[i].count;
  return count;
}

uint64_t tally_checksum(const tally *t) {
  uint64_t checksum = 0;
  for (int i = 0; i < MOST_WORKERS; ++i) checksum += t->of[i].checksum;
  return checksum;
}

bool tally_equals(const tally *t, const answer *expected) {
  return tally_count(t) == expected->count && tally_checksum(t) == ipg_pairs_checksum(expected->pairs, expected->count);
}

bool array_equals(const ipg_pair *pairs, int64_t count, const answer *expected) {
  return count == expected->count && (!count || !memcmp(pairs, expected->pairs, (size_t)count * sizeof *pairs));
}

static bool counters_are_sane(const ipg_search *search, const answer *expected) {
  const ipg_search_counters c = ipg_search_get_counters(search);
  return c.pairs == expected->count && c.candidates >= c.pairs && c.records >= 0 && c.ordered >= 0 && c.reused >= 0;
}

bool self_is_right(ipg_search *search, const answer *expected) {
  const ipg_pair *pairs = NULL;
  int64_t count = -1;
  tally t = {0};
  if (ipg_search_self_array(search, &pairs, &count, NULL) || !array_equals(pairs, count, expected)) return false;
  if (ipg_search_self(search, add_batch, &t, NULL) || !tally_equals(&t, expected)) return false;
  return counters_are_sane(search, expected);
}

bool query_is_right(ipg_search *search, const scene *s, const ipg_box *queries, int64_t query_count,
                    const answer *expected) {
  const ipg_exclusion exclusion = query_exclusion(s);
  const ipg_pair *pairs = NULL;
  int64_t count = -1;
  tally t = {0};
  if (ipg_search_query_array(search, queries, query_count, &exclusion, &pairs, &count, NULL) ||
      !array_equals(pairs, count, expected))
    return false;
  if (ipg_search_query(search, queries, query_count, &exclusion, add_batch, &t, NULL) || !tally_equals(&t, expected))
    return false;
  return counters_are_sane(search, expected);
}

bool set_boxes(ipg_search *search, const scene *s) {
  const ipg_exclusion exclusion = item_exclusion(s);
  return !ipg_search_set_boxes(search, s->items, s->item_count, &exclusion, NULL);
}

bool set_points(ipg_search *search, const scene *s) {
  const ipg_exclusion exclusion = item_exclusion(s);
  return !ipg_search_set_points(search, s->points, s->item_count, &exclusion, NULL);
}

const char *first_wrong(ipg_search *search, const scene *s, const answers *expected) {
  if (!set_boxes(search, s)) return "set boxes";
  if (!self_is_right(search, &expected->self)) return "self";
  if (!query_is_right(search, s, s->queries, s->query_count, &expected->query)) return "query";
  if (ipg_search_move_boxes(search, s->moved, s->item_count, NULL)) return "move boxes";
  if (!self_is_right(search, &expected->moved_self)) return "self after a move";
  if (!query_is_right(search, s, s->moved_queries, s->moved_query_count, &expected->moved_query))
    return "query after a move";
  if (!set_points(search, s)) return "set points";
  if (!self_is_right(search, &expected->point_self)) return "self of points";
  if (!query_is_right(search, s, s->queries, s->query_count, &expected->point_query)) return "query of points";
  return NULL;
}

/* --------------------------------------------------------------------------------------------------------- searches */

ipg_search_config config_of(const char *method) {
  ipg_search_config config = ipg_search_defaults();
  config.method = method;
  config.group_excluded = group_excluded, config.group_count = GROUPS;
  return config;
}

ipg_search *new_search(const ipg_search_config *config) {
  ipg_search *search = NULL;
  ipg_error error = {0};
  if (ipg_search_create(config, &search, &error)) printf("\n    %s", error.message);
  CU_ASSERT_PTR_NOT_NULL_FATAL(search);
  return search;
}

bool report_wrong(const char *name, const scene *s, long number, const char *question) {
  static int reported;
  if (question && reported++ < 10)
    printf("\n    scene %ld (%s, %lld items, %lld queries): %s: %s is wrong", number, s->kind, (long long)s->item_count,
           (long long)s->query_count, name, question);
  return question != NULL;
}
