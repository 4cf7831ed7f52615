/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The right answer of a search, by two loops over all pairs that share no code with the library; and the comparison of
 * what the search answered, as an array, as a stream and in its counters, bit by bit. */
#ifndef IMPINGE_TESTS_ORACLE_OF_BOXES_H
#define IMPINGE_TESTS_ORACLE_OF_BOXES_H

#include "support/scenes_of_boxes.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

/* ----------------------------------------------------------------------------------------------------------- oracle */

typedef struct answer {
  ipg_pair *pairs;
  int64_t count, capacity;
} answer;

void append(answer *to, int64_t a, int64_t b);
bool are_apart(const ipg_box *a, const ipg_box *b);

void oracle_self(const scene *s, const ipg_box *items, answer *to);
void oracle_query(const scene *s, const ipg_box *queries, int64_t count, const ipg_box *items, answer *to);

/* Six questions about a scene: among the items and by queries, each for boxes, moved boxes and points. */
typedef struct answers {
  answer self, query, moved_self, moved_query, point_self, point_query;
} answers;

enum { QUESTIONS = sizeof(answers) / sizeof(answer) };

/* Returns the number of pairs in all answers. */
int64_t oracle_answers(const scene *s, answers *to);
void free_answers(answers *to);

/* ------------------------------------------------------------------------------------------------------- comparison */

enum { MOST_WORKERS = 7 };

/* A stream, added up per worker; padded against shared cache lines. */
typedef struct tally {
  struct {
    uint64_t checksum;
    int64_t count;
    char padding[48];
  } of[MOST_WORKERS];
} tally;

/* The sink of a stream; context is a tally. */
void add_batch(void *context, const ipg_pair *pairs, int64_t count, int worker);
int64_t tally_count(const tally *t);
uint64_t tally_checksum(const tally *t);
bool tally_equals(const tally *t, const answer *expected);
bool array_equals(const ipg_pair *pairs, int64_t count, const answer *expected);

/* Each returns whether array, stream and counters agree with the oracle. */
bool self_is_right(ipg_search *search, const answer *expected);
bool query_is_right(ipg_search *search, const scene *s, const ipg_box *queries, int64_t query_count,
                    const answer *expected);
/* The first question that is answered wrongly, or NULL. */
const char *first_wrong(ipg_search *search, const scene *s, const answers *expected);
/* Prints, for the first few, what the search `name` answered wrongly; `question` NULL: nothing. Returns whether there
 * was anything. */
bool report_wrong(const char *name, const scene *s, long number, const char *question);

/* --------------------------------------------------------------------------------------------------------- searches */

ipg_search_config config_of(const char *method);
ipg_search *new_search(const ipg_search_config *config);
/* False if the search refuses them. */
bool set_boxes(ipg_search *search, const scene *s);
bool set_points(ipg_search *search, const scene *s);

#endif
