/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Warnings of what a run would refuse and of likely mistakes, one line per kind with the first occurrence.
 *
 * Names of blocks become keys of a deck and options. They must stay different when letters become lower case and
 * everything else but digits becomes '_'. Names of sets are never asked for. */
#include "info.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DECK_WORD_MAX = 80 };

typedef struct warnings {
  const info *info;
  int count; /* printed so far */
} warnings;

static void print_warning(warnings *w, const char *format, ...) IPG_PRINTF(2, 3);
static void print_warning(warnings *w, const char *format, ...) {
  va_list arguments;
  printf("%s  ", w->count++ ? "" : "\nwarnings\n");
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
}

static long long node_gid(const warnings *w, ipg_id node) { return w->info->mesh.node_gids[node]; }
static long long element_gid(const warnings *w, ipg_id element) { return w->info->mesh.element_gids[element]; }

/* ------------------------------------------------------------------------------------------------------- the header */

static void warn_of_blocks(warnings *w) {
  const ipg_contents *c = &w->info->contents;
  char verdict[INFO_VERDICT_BYTES], why[INFO_VERDICT_BYTES] = "";
  int refused = 0, first = -1;
  for (int b = c->block_count - 1; b >= 0; b--) {
    info_check_block(w->info, b, verdict);
    if (strncmp(verdict, "no: ", 4) == 0) refused++, first = b, strcpy(why, verdict + 4);
  }
  if (refused)
    print_warning(w, "a run refuses %d of %d blocks, first %s: %s", refused, c->block_count, c->blocks[first].name,
                  why);
  if (!c->element_count) print_warning(w, "there are no elements");
}

static int convert_letter(char letter) {
  return isalnum((unsigned char)letter) ? tolower((unsigned char)letter) : letter ? '_' : '\0';
}

static bool are_same_option(const char *a, const char *b) {
  while (*a && convert_letter(*a) == convert_letter(*b)) a++, b++;
  return convert_letter(*a) == convert_letter(*b);
}

/* Names, `stride` bytes apart. */
typedef struct name_list {
  const char *first;
  size_t stride;
  int count;
} name_list;

static const char *get_name(const name_list *names, int k) { return names->first + names->stride * (size_t)k; }

/* Returns an earlier name that gives the same option, or -1. */
static int find_same_option(const name_list *names, int k) {
  for (int other = 0; other < k; other++)
    if (are_same_option(get_name(names, other), get_name(names, k))) return other;
  return -1;
}

static void warn_of_same_options(warnings *w, const name_list *names) {
  int count = 0, first = -1;
  for (int k = names->count - 1; k > 0; k--)
    if (find_same_option(names, k) >= 0) count++, first = k;
  if (count)
    print_warning(w, "%d blocks are the same option in a deck as another, first '%s' and '%s': rename one of them",
                  count, get_name(names, find_same_option(names, first)), get_name(names, first));
}

static bool fits_into_deck(const char *name) { return !strchr(name, '.') && strlen(name) <= DECK_WORD_MAX; }

static void warn_of_names(warnings *w, const name_list *names) {
  int count = 0, first = -1;
  for (int k = names->count - 1; k >= 0; k--)
    if (!fits_into_deck(get_name(names, k))) count++, first = k;
  if (count)
    print_warning(w, "%d blocks cannot be named in a deck, first '%s': a name holds no dot and at most %d letters",
                  count, get_name(names, first), DECK_WORD_MAX);
  warn_of_same_options(w, names);
}

static void warn_of_block_names(warnings *w) {
  const ipg_contents *c = &w->info->contents;
  if (c->block_count) warn_of_names(w, &(name_list){c->blocks[0].name, sizeof *c->blocks, c->block_count});
}

/* --------------------------------------------------------------------------------------------------------- the mesh */

static void warn_of_flaws(warnings *w) {
  static const char *const flaws[APP_FLAWS] = {"are flat: mesh this region again",
                                               "are inverted: swap two of their nodes",
                                               "have a corner without finite coordinates: correct the nodes"};
  for (int f = 0; f < APP_FLAWS; f++) {
    const app_flawed *flawed = &w->info->quality.flawed[f];
    if (flawed->count)
      print_warning(w, "%lld elements, first %lld, %s", (long long)flawed->count, element_gid(w, flawed->first),
                    flaws[f]);
  }
}

static void warn_of_skin(warnings *w) {
  const info *i = w->info;
  if (!i->has_skin) print_warning(w, "the skin cannot be built: %s", i->skin_error.message);
  if (i->has_pinches && i->pinches.count)
    print_warning(
        w, "%lld edges of the skin are pinched, first from node %lld to node %lld: more than two faces share each",
        (long long)i->pinches.count, node_gid(w, i->pinches.edges[0]), node_gid(w, i->pinches.edges[1]));
  if (i->unattached_count)
    print_warning(w, "%lld nodes belong to no element, first %lld: a run refuses them because they have no mass",
                  (long long)i->unattached_count, node_gid(w, i->first_unattached));
}

static void warn_of_duplicates(warnings *w) {
  const duplicates *t = &w->info->duplicates;
  if (t->nodes.count)
    print_warning(
        w,
        "%lld duplicate nodes with the coordinates of another, first %lld and %lld: merge them to connect the elements",
        (long long)t->nodes.count, node_gid(w, t->nodes.first[0]), node_gid(w, t->nodes.first[1]));
  if (t->elements.count)
    print_warning(
        w, "%lld duplicate elements over the corners of another, first %lld and %lld: remove one of each pair",
        (long long)t->elements.count, element_gid(w, t->elements.first[0]), element_gid(w, t->elements.first[1]));
  if (t->bodies.count)
    print_warning(w, "%lld duplicate bodies made of the elements of another, first %d and %d: remove one of each pair",
                  (long long)t->bodies.count, t->bodies.first[0] + 1, t->bodies.first[1] + 1);
}

void info_print_warnings(const info *i) {
  warnings w = {i, 0};
  warn_of_blocks(&w);
  warn_of_block_names(&w);
  if (i->has_mesh) warn_of_flaws(&w), warn_of_skin(&w);
  else if (i->mesh_error.status) print_warning(&w, "the tetrahedra cannot be read: %s", i->mesh_error.message);
  if (i->has_duplicates) warn_of_duplicates(&w);
  if (i->other_error.status) print_warning(&w, "some checks were not made: %s", i->other_error.message);
  if (!w.count) printf("\nwarnings       none\n");
}
