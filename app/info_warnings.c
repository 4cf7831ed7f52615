/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a run would refuse, and what is rarely meant, as one line each that names the first place.
 *
 * The names of blocks and sets become words of a deck and options, so they must stay apart when letters are made small
 * and everything that is neither letter nor digit becomes '_'. */
#include "info.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DECK_WORD_MAX = 80 };

typedef struct warner {
  const info *info;
  int count;
} warner;

static void warn(warner *w, const char *format, ...) IPG_PRINTF(2, 3);
static void warn(warner *w, const char *format, ...) {
  va_list arguments;
  printf("%s  ", w->count++ ? "" : "\nwarnings\n");
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
}

static long long node_gid(const warner *w, ipg_id node) { return w->info->mesh.node_gids[node]; }
static long long element_gid(const warner *w, ipg_id element) { return w->info->mesh.element_gids[element]; }

/* ------------------------------------------------------------------------------------------------------- the header */

static void warn_of_blocks(warner *w) {
  const ipg_contents *c = &w->info->contents;
  char verdict[INFO_VERDICT_BYTES], why[INFO_VERDICT_BYTES] = "";
  int refused = 0, first = -1;
  for (int b = c->block_count - 1; b >= 0; b--) {
    info_check_block(w->info, b, verdict);
    if (strncmp(verdict, "no: ", 4) == 0) refused++, first = b, strcpy(why, verdict + 4);
  }
  if (refused)
    warn(w, "a run refuses %d of %d blocks, first %s: %s", refused, c->block_count, c->blocks[first].name, why);
  if (!c->element_count) warn(w, "there are no elements");
}

static int as_option(char letter) {
  return isalnum((unsigned char)letter) ? tolower((unsigned char)letter) : letter ? '_' : '\0';
}

static bool are_one_option(const char *a, const char *b) {
  while (*a && as_option(*a) == as_option(*b)) a++, b++;
  return as_option(*a) == as_option(*b);
}

/* Names of one kind, `stride` bytes apart. */
typedef struct name_list {
  const char *kind, *first;
  size_t stride;
  int count;
} name_list;

static const char *name_at(const name_list *names, int k) { return names->first + names->stride * (size_t)k; }

/* An earlier name that would be the same option; -1 if there is none. */
static int find_double(const name_list *names, int k) {
  for (int other = 0; other < k; other++)
    if (are_one_option(name_at(names, other), name_at(names, k))) return other;
  return -1;
}

static void warn_of_doubles(warner *w, const name_list *names) {
  int count = 0, first = -1;
  for (int k = names->count - 1; k > 0; k--)
    if (find_double(names, k) >= 0) count++, first = k;
  if (count)
    warn(w, "%d %ss are the same option in a deck as another, first '%s' and '%s': rename one of them", count,
         names->kind, name_at(names, find_double(names, first)), name_at(names, first));
}

static bool fits_deck(const char *name) { return !strchr(name, '.') && strlen(name) <= DECK_WORD_MAX; }

static void warn_of_names(warner *w, const name_list *names) {
  int count = 0, first = -1;
  for (int k = names->count - 1; k >= 0; k--)
    if (!fits_deck(name_at(names, k))) count++, first = k;
  if (count)
    warn(w, "%d %ss cannot be named in a deck, first '%s': a name holds no dot and at most %d letters", count,
         names->kind, name_at(names, first), DECK_WORD_MAX);
  warn_of_doubles(w, names);
}

static void warn_of_all_names(warner *w) {
  const ipg_contents *c = &w->info->contents;
  warn_of_names(w, &(name_list){"block", c->blocks[0].name, sizeof *c->blocks, c->block_count});
  warn_of_names(w, &(name_list){"node set", c->node_sets[0].name, sizeof *c->node_sets, c->node_set_count});
  warn_of_names(w, &(name_list){"side set", c->side_sets[0].name, sizeof *c->side_sets, c->side_set_count});
}

/* --------------------------------------------------------------------------------------------------------- the mesh */

static void warn_of_flaws(warner *w) {
  static const char *const flaws[APP_FLAWS] = {"are flat: mesh that place again",
                                               "are inside out: swap two of their nodes",
                                               "have a corner that is at no finite place: mend the nodes"};
  for (int f = 0; f < APP_FLAWS; f++) {
    const app_flawed *flawed = &w->info->quality.flawed[f];
    if (flawed->count)
      warn(w, "%lld elements, first %lld, %s", (long long)flawed->count, element_gid(w, flawed->first), flaws[f]);
  }
}

static void warn_of_skin(warner *w) {
  const info *i = w->info;
  if (!i->has_skin) warn(w, "no skin: %s", i->skin_error.message);
  if (i->has_pinches && i->pinches.count)
    warn(w, "%lld edges of the skin are pinched, first from node %lld to node %lld: bodies hang together by them",
         (long long)i->pinches.count, node_gid(w, i->pinches.edges[0]), node_gid(w, i->pinches.edges[1]));
  if (i->unattached_count)
    warn(w, "%lld nodes belong to no element, first %lld: a run refuses them, they have no mass",
         (long long)i->unattached_count, node_gid(w, i->first_unattached));
}

static void warn_of_duplicates(warner *w) {
  const duplicates *t = &w->info->duplicates;
  if (t->nodes.count)
    warn(w,
         "%lld nodes stand exactly where another stands, first %lld and %lld: merge them if they should hold together",
         (long long)t->nodes.count, node_gid(w, t->nodes.first[0]), node_gid(w, t->nodes.first[1]));
  if (t->elements.count)
    warn(w, "%lld elements stand exactly where another stands, first %lld and %lld: remove one of each",
         (long long)t->elements.count, element_gid(w, t->elements.first[0]), element_gid(w, t->elements.first[1]));
  if (t->bodies.count)
    warn(w, "%lld bodies stand exactly where another stands, first %d and %d: was one joined twice?",
         (long long)t->bodies.count, t->bodies.first[0] + 1, t->bodies.first[1] + 1);
}

void info_print_warnings(const info *i) {
  warner w = {i, 0};
  warn_of_blocks(&w);
  warn_of_all_names(&w);
  if (i->has_mesh) warn_of_flaws(&w), warn_of_skin(&w);
  else if (i->mesh_error.status) warn(&w, "the tetrahedra cannot be read: %s", i->mesh_error.message);
  if (i->has_duplicates) warn_of_duplicates(&w);
  if (i->other_error.status) warn(&w, "not everything was looked at: %s", i->other_error.message);
  if (!w.count) printf("\nwarnings       none\n");
}
