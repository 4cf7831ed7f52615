/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The input deck of a run, in YAML: its keywords (keys).
 *
 * One table has all keys, their meaning and their allowed values; decks are checked against it, and `impinge run
 * --help` prints it. A nested key is an option of the same words joined by '_'. '*' stands for the name of a block, as
 * in the mesh. Every error is reported with file, line and column before a run begins. */
#include "impinge/files.h"
#include "impinge/solver.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

typedef enum value_kind {
  TEXT,
  TEXT_LIST,
  EXODUS_FILE,
  POSITIVE,
  IN_BOUNDS, /* of the time steps that contact takes, and of what they follow from */
  NOT_NEGATIVE,
  FRACTION,
  UP_TO_ONE,
  UP_TO_TEN,
  LENGTH,
  POISSON,
  VECTOR,
  WALL_LIST,
  COUNT,
  POSITIVE_COUNT,
  THREAD_COUNT,
  YES_NO,
  WORD
} value_kind;

enum { MOST_WALLS = 16, MOST_THREADS = 4096 };

typedef struct key {
  const char *path;
  value_kind kind;
  const char *meaning;
} key;

static const key keys[] = {
    {"title", TEXT, "title of the run, in its output and pictures"},
    {"mesh", TEXT_LIST, "an Exodus II file, or a list of them that are joined"},
    {"leave_out_others", YES_NO, "leave out blocks of the mesh that are not tetrahedra (no: they are refused)"},
    {"threads", THREAD_COUNT, "number of threads (1)"},
    {"blocks.*.material", TEXT, "neo_hookean"},
    {"blocks.*.density", POSITIVE, "mass density"},
    {"blocks.*.young", IN_BOUNDS, "Young's modulus"},
    {"blocks.*.poisson", POISSON, "Poisson's ratio (0.3)"},
    {"blocks.*.velocity", VECTOR, "initial velocity: [vx, vy, vz] (0)"},
    {"blocks.*.thickness", LENGTH,
     "contact thickness, how far outside of its faces the surface lies, against other bodies (0)"},
    {"contact.enforcement", WORD,
     "energy of overlapping faces, or kinematic projection of predicted positions (penalty)"},
    {"contact.penalty_scale", FRACTION, "penalty: scale of the stiffness, as a fraction of that of the material (1)"},
    {"contact.onset", NOT_NEGATIVE,
     "penalty: penetration over which pressure sets in; 0: from the speed of approach (0)"},
    {"contact.penetration_limit", NOT_NEGATIVE,
     "penalty: stop where contact penetrates by more than so many edges; 0: never (0)"},
    {"contact.friction_static", UP_TO_TEN, "static friction coefficient (0)"},
    {"contact.friction_dynamic", UP_TO_TEN, "dynamic friction coefficient, at most the static one (the static one)"},
    {"contact.friction_decay", NOT_NEGATIVE,
     "decay of friction: dynamic + (static - dynamic) * exp(-decay * tangential speed) (0)"},
    {"contact.damping", UP_TO_ONE, "damping of contact, as a fraction of critical damping (0)"},
    {"contact.edges", YES_NO, "penalty: contact of sharp edges that cross each other (yes)"},
    {"contact.initial_penetration", WORD,
     "what to do about nodes that are inside a body or behind a wall at the start (report)"},
    {"contact.search_margin", UP_TO_TEN,
     "how far nodes may leave their path before the next search, in mean edge lengths; changes no result (0.2)"},
    {"contact.search_method", WORD, "search method, see search.h; changes no result (lkdtree_packed)"},
    {"contact.audit", COUNT, "check contact by brute force every so many steps (0: never)"},
    {"contact.record", COUNT, "write the contact of this step to contact_step_N.ipg, for impinge replay (0: none)"},
    {"contact.walls", WALL_LIST,
     "rigid walls: [x, y, z of a point, x, y, z of the normal], one after the other, or a list of such lists (none)"},
    {"time.end", IN_BOUNDS, "end time of the run"},
    {"time.safety", FRACTION, "time step as a fraction of the critical time step (0.9)"},
    {"output.file", EXODUS_FILE, "Exodus II result file; without it no results are written"},
    {"output.count", POSITIVE_COUNT, "number of outputs, evenly spaced: result steps and status lines (20)"},
    {"output.picture", TEXT, "PNG picture of the last result step"},
    {"output.colour", TEXT, "nodal variable that colours the picture, or none (vel)"},
    {"output.view", VECTOR, "view direction of the picture: a vector towards the eye"},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* Keys and words of earlier versions are refused with their new names. */
static const struct {
  const char *old, *now;
} renamed_keys[] = {{"contact.skin", "contact.search_margin"},
                    {"contact.overlap", "contact.initial_penetration"},
                    {"contact.planes", "contact.walls"}};
static const struct {
  const char *path, *old, *now;
} renamed_words[] = {{"contact.enforcement", "face_face", "penalty"}};

static const char *find_new_key(const char *path) {
  for (size_t i = 0; i < sizeof renamed_keys / sizeof *renamed_keys; ++i)
    if (!strcmp(renamed_keys[i].old, path)) return renamed_keys[i].now;
  return NULL;
}

static const char *find_new_word(const key *k, const char *word) {
  for (size_t i = 0; i < sizeof renamed_words / sizeof *renamed_words; ++i)
    if (!strcmp(renamed_words[i].path, k->path) && !strcmp(renamed_words[i].old, word)) return renamed_words[i].now;
  return NULL;
}

/* Keys of kind WORD, with their allowed words. */
static const struct {
  const char *path, *words;
} choices[] = {
    {"contact.enforcement", "one of: penalty, kinematic"},
    {"contact.initial_penetration", "one of: report, ignore, remove, stop"},
    {"contact.search_method",
     "one of: brute_force, sorted, orthotree, kdtree, cells, cells_sparse, hash, mlhash, hhash, "
     "sap, lkdtree, lkdtree_packed"},
};
enum { CHOICE_COUNT = sizeof choices / sizeof *choices };

static const char *get_allowed_words(const key *k) {
  for (int i = 0; i < CHOICE_COUNT; ++i)
    if (!strcmp(choices[i].path, k->path)) return choices[i].words;
  return "";
}

static const char *describe_allowed_values(const key *k) {
  switch (k->kind) {
  case TEXT: return "a text";
  case TEXT_LIST: return "a text or a list of texts";
  case EXODUS_FILE: return "a file name that ends in .exo, .e, .ex2, .exii, .exoII, .g or .gen";
  case POSITIVE: return "a finite number above 0";
  case IN_BOUNDS: return "a number from 1e-60 to 1e60";
  case NOT_NEGATIVE: return "a finite number, 0 or more";
  case FRACTION: return "a number above 0 and at most 1";
  case UP_TO_ONE: return "a number from 0 to 1";
  case UP_TO_TEN: return "a number from 0 to 10";
  case LENGTH: return "a number from 0 to 1e60";
  case POISSON: return "a number above -1 and below 0.5";
  case VECTOR: return "a list of three finite numbers";
  case WALL_LIST: return "a list of six finite numbers for each of at most 16 walls";
  case COUNT: return "a whole number, 0 to 1000000000";
  case POSITIVE_COUNT: return "a whole number, 1 to 1000000000";
  case THREAD_COUNT: return "a whole number, 1 to 4096";
  case YES_NO: return "yes or no";
  case WORD: return get_allowed_words(k);
  }
  return "";
}

void ipg_deck_print_keys(FILE *stream) {
  for (int i = 0; i < KEY_COUNT; ++i)
    fprintf(stream, "  %-27s %s; %s\n", keys[i].path, keys[i].meaning, describe_allowed_values(&keys[i]));
}

/* ---------------------------------------------------------------------------------------------------- single values */

/* Decimal, as everybody reads it: strtod alone would also take hexadecimal numbers, and blanks before a number. */
static bool read_number(const char *text, double *value) {
  char *end;
  if (strspn(text, "+-.0123456789eE") != strlen(text)) return false;
  *value = strtod(text, &end);
  return end != text && !*end && isfinite(*value);
}

static bool is_count(const char *text, int64_t least, int64_t most) {
  if (!*text || strlen(text) > 10 || strspn(text, "0123456789") != strlen(text)) return false;
  const long long count = strtoll(text, NULL, 10);
  return count >= least && count <= most;
}

/* Whether the text is one of the words behind the colon. */
static bool is_listed_word(const char *words, const char *text) {
  for (const char *word = strchr(words, ':'); word && *word; word += strcspn(word, ",")) {
    word += strspn(word, ":, ");
    if (strlen(text) == strcspn(word, ",") && !memcmp(word, text, strlen(text))) return true;
  }
  return false;
}

/* So that no other program takes the file for what it is not. */
static bool has_exodus_suffix(const char *text) {
  static const char suffixes[] = ": .exo, .e, .ex2, .exii, .exoii, .g, .gen";
  char lower[8] = "";
  const char *suffix = strrchr(text, '.');
  if (!suffix || strlen(suffix) >= sizeof lower) return false;
  for (size_t i = 0; suffix[i]; ++i) lower[i] = (char)tolower((unsigned char)suffix[i]);
  return is_listed_word(suffixes, lower);
}

static bool is_allowed_value(const key *k, const char *text) {
  double value;
  switch (k->kind) {
  case TEXT:
  case TEXT_LIST: return *text != 0;
  case EXODUS_FILE: return has_exodus_suffix(text);
  case COUNT: return is_count(text, 0, 1000000000);
  case POSITIVE_COUNT: return is_count(text, 1, 1000000000);
  case THREAD_COUNT: return is_count(text, 1, MOST_THREADS);
  case YES_NO: return !strcmp(text, "yes") || !strcmp(text, "no");
  case WORD: return is_listed_word(get_allowed_words(k), text);
  case VECTOR:
  case WALL_LIST: return read_number(text, &value);
  case POSITIVE: return read_number(text, &value) && value > 0;
  case IN_BOUNDS: return read_number(text, &value) && value >= 1e-60 && value <= 1e60;
  case NOT_NEGATIVE: return read_number(text, &value) && value >= 0;
  case FRACTION: return read_number(text, &value) && value > 0 && value <= 1;
  case UP_TO_ONE: return read_number(text, &value) && value >= 0 && value <= 1;
  case UP_TO_TEN: return read_number(text, &value) && value >= 0 && value <= 10;
  case LENGTH: return read_number(text, &value) && value >= 0 && value <= 1e60;
  case POISSON: return read_number(text, &value) && value > -1 && value < 0.5;
  }
  return false;
}

static bool is_allowed_list_length(value_kind kind, ptrdiff_t items) {
  switch (kind) {
  case TEXT_LIST: return items > 0;
  case VECTOR: return items == 3;
  case WALL_LIST: return items > 0 && items % 6 == 0 && items <= 6 * MOST_WALLS;
  default: return false;
  }
}

void ipg_deck_make_option_name(const char *name, char *option, size_t bytes) {
  size_t i = 0;
  for (; name[i] && i + 1 < bytes; ++i)
    option[i] = isalnum((unsigned char)name[i]) ? (char)tolower((unsigned char)name[i]) : '_';
  option[i] = 0;
}

/* ------------------------------------------------------------------------------------------------------- as options */

/* Whether this is the option of the key; '*' matches any word. PETSc does not tell capitals from small letters. */
static bool is_option_of(const key *k, const char *option) {
  char words[64];
  const char *star = strchr(k->path, '*');
  ipg_deck_make_option_name(k->path, words, sizeof words);
  if (!star) return !strcasecmp(words, option);
  const size_t head = (size_t)(star - k->path), tail = strlen(star + 1), length = strlen(option);
  return length > head + tail && !strncasecmp(words, option, head) &&
         !strcasecmp(words + head + 1, option + length - tail);
}

/* The items are separated by commas. */
static bool is_allowed_list(const key *k, const char *text) {
  for (ptrdiff_t items = 1;; ++items) {
    char item[256];
    const size_t length = strcspn(text, ",");
    if (length >= sizeof item) return false;
    memcpy(item, text, length);
    item[length] = 0;
    if (!is_allowed_value(k, item)) return false;
    if (!text[length]) return is_allowed_list_length(k->kind, items);
    text += length + 1;
  }
}

static bool is_allowed_option_value(const key *k, const char *text) {
  return k->kind == TEXT_LIST || k->kind == VECTOR || k->kind == WALL_LIST ? is_allowed_list(k, text)
                                                                           : is_allowed_value(k, text);
}

/* NULL if the option is not one of an earlier version. */
static const char *find_new_option(const char *option) {
  char old[64];
  for (size_t i = 0; i < sizeof renamed_keys / sizeof *renamed_keys; ++i) {
    ipg_deck_make_option_name(renamed_keys[i].old, old, sizeof old);
    if (!strcasecmp(old, option)) return renamed_keys[i].now;
  }
  return NULL;
}

/* The number, from 1, of the first wall with a normal of 0 in a list with commas; 0: there is none. */
static int find_wall_without_normal(const char *text) {
  double numbers[6];
  for (int i = 0;; ++i) {
    char *end;
    numbers[i % 6] = strtod(text, &end);
    if (i % 6 == 5 && numbers[3] == 0 && numbers[4] == 0 && numbers[5] == 0) return i / 6 + 1;
    if (*end != ',') return 0;
    text = end + 1;
  }
}

ipg_status ipg_deck_check_option(const char *option, const char *text, bool *is_key, ipg_error *error) {
  *is_key = false;
  const char *equals = strchr(option, '=');
  if (equals)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "-%.200s has an equals sign: write -%.*s, a blank and the value", option,
                    (int)(equals - option), option);
  const char *renamed = find_new_option(option);
  if (renamed) {
    char now[64];
    ipg_deck_make_option_name(renamed, now, sizeof now);
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "-%s is called -%s now", option, now);
  }
  for (int i = 0; i < KEY_COUNT; ++i) {
    const key *k = &keys[i];
    if (!is_option_of(k, option)) continue;
    *is_key = true;
    if (!text) return ipg_fail(error, IPG_ERROR_ARGUMENT, "-%s needs a value: %s", option, describe_allowed_values(k));
    const char *now = find_new_word(k, text);
    if (now) return ipg_fail(error, IPG_ERROR_ARGUMENT, "-%s: '%s' is called '%s' now", option, text, now);
    if (!is_allowed_option_value(k, text))
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "-%s is '%.200s'; it must be %s", option, text,
                      describe_allowed_values(k));
    const int wall = k->kind == WALL_LIST ? find_wall_without_normal(text) : 0;
    if (wall)
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "-%s: the normal of wall %d is 0,0,0: give a direction out of the wall", option, wall);
  }
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------ walk over the YAML tree */

/* The path of keys to the present node, and what messages need. */
typedef struct deck_walk {
  yaml_document_t *document;
  ipg_deck *deck;
  ipg_error *error;
  char path[512];   /* as in the deck */
  char option[512]; /* the same as an option */
} deck_walk;

static ipg_status fail_at_node(const deck_walk *w, const yaml_node_t *node, const char *format, ...) IPG_PRINTF(3, 4);
static ipg_status fail_at_node(const deck_walk *w, const yaml_node_t *node, const char *format, ...) {
  char text[384];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return ipg_fail(w->error, IPG_ERROR_FORMAT, "%s:%zu:%zu: %s", w->deck->file, node->start_mark.line + 1,
                  node->start_mark.column + 1, text);
}

static const char *get_text(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* Whether the pattern begins with the path, word by word; '*' matches one word. `remainder`: what follows in the
 * pattern. */
static bool match_path(const char *pattern, const char *path, const char **remainder) {
  while (*path) {
    const size_t pattern_word = strcspn(pattern, "."), path_word = strcspn(path, ".");
    const bool any = pattern_word == 1 && *pattern == '*';
    if (!any && (pattern_word != path_word || memcmp(pattern, path, path_word))) return false;
    pattern += pattern_word, path += path_word;
    if (*path) {
      if (!*pattern) return false;
      ++pattern, ++path;
    }
  }
  *remainder = pattern;
  return true;
}

static const key *find_key(const char *path) {
  const char *remainder;
  for (int i = 0; i < KEY_COUNT; ++i)
    if (match_path(keys[i].path, path, &remainder) && !*remainder) return &keys[i];
  return NULL;
}

static bool has_keys_below(const char *path) {
  const char *remainder;
  for (int i = 0; i < KEY_COUNT; ++i)
    if (match_path(keys[i].path, path, &remainder) && *remainder == '.') return true;
  return false;
}

/* The number of letters to change, add, leave out or exchange with the next to turn a into b. */
static int compute_edit_distance(const char *a, const char *b) {
  enum { MOST = 64 };
  int rows[3][MOST];
  const int la = (int)strlen(a), lb = (int)strlen(b);
  if (la >= MOST || lb >= MOST) return MOST;
  for (int j = 0; j <= lb; ++j) rows[0][j] = j;
  for (int i = 1; i <= la; ++i) {
    int *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= lb; ++j) {
      row[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < row[j]) row[j] = last[j] + 1;
      if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1;
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged && before[j - 2] + 1 < row[j]) row[j] = before[j - 2] + 1;
    }
  }
  return rows[la % 3][lb];
}

/* The word of a key that follows below `path`; false if the key does not belong there. */
static bool get_word_below(const key *k, const char *path, char word[64]) {
  const char *remainder;
  if (!match_path(k->path, path, &remainder)) return false;
  if (*remainder == '.') ++remainder;
  snprintf(word, 64, "%.*s", (int)strcspn(remainder, "."), remainder);
  return true;
}

/* The word allowed below `path` that is most similar to `word`; empty if more than every third letter differs: a wild
 * guess helps nobody. */
static void find_similar_word(const char *path, const char *word, char nearest[64]) {
  int best = strlen(word) < 6 ? 2 : (int)strlen(word) / 3 + 1;
  nearest[0] = 0;
  for (int i = 0; i < KEY_COUNT; ++i) {
    char candidate[64];
    if (!get_word_below(&keys[i], path, candidate)) continue;
    const int d = compute_edit_distance(word, candidate);
    if (d < best) best = d, strcpy(nearest, candidate);
  }
}

/* All words allowed below `path`. Those that are equal follow each other. */
static void list_words(const char *path, char *text, size_t bytes) {
  char last[64] = "", word[64];
  size_t used = 0;
  for (int i = 0; i < KEY_COUNT && used < bytes; ++i) {
    if (!get_word_below(&keys[i], path, word) || !strcmp(word, last)) continue;
    used += (size_t)snprintf(text + used, bytes - used, "%s%s", *last ? ", " : "", word);
    strcpy(last, word);
  }
}

static ipg_status refuse_unknown_key(const deck_walk *w, const yaml_node_t *node, const char *parent,
                                     const char *word) {
  char nearest[64], words[320];
  const char *now = find_new_key(w->path), *in = *parent ? " in " : "";
  if (now) return fail_at_node(w, node, "%s is called %s now", w->path, now);
  find_similar_word(parent, word, nearest);
  list_words(parent, words, sizeof words);
  if (*nearest) return fail_at_node(w, node, "there is no key '%s'%s%s; did you mean '%s'?", word, in, parent, nearest);
  return fail_at_node(w, node, "there is no key '%s'%s%s; its keys are %s", word, in, *parent ? parent : " in a deck",
                      words);
}

static char *copy_text(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

static ipg_status add_entry(const deck_walk *w, const yaml_node_t *node, const char *value) {
  ipg_deck *deck = w->deck;
  for (int64_t i = 0; i < deck->count; ++i)
    if (!strcmp(deck->entries[i].option, w->option))
      return fail_at_node(w, node, "%s is given twice: %s in line %d is the same option", w->path,
                          deck->entries[i].path, deck->entries[i].line);
  if (deck->count == deck->capacity) {
    const int64_t capacity = 2 * deck->capacity + 16;
    ipg_deck_entry *grown = realloc(deck->entries, (size_t)capacity * sizeof *grown);
    if (!grown) return ipg_fail(w->error, IPG_ERROR_MEMORY, "out of memory for the deck %s", deck->file);
    deck->entries = grown, deck->capacity = capacity;
  }
  ipg_deck_entry *e = &deck->entries[deck->count++];
  *e = (ipg_deck_entry){copy_text(w->option), copy_text(w->path), copy_text(value), (int)node->start_mark.line + 1,
                        (int)node->start_mark.column + 1};
  if (!e->option || !e->path || !e->value)
    return ipg_fail(w->error, IPG_ERROR_MEMORY, "out of memory for the deck %s", deck->file);
  return IPG_OK;
}

static ipg_status check_value(const deck_walk *w, const yaml_node_t *node, const key *k) {
  const char *text = get_text(node);
  if (!text) return fail_at_node(w, node, "%s must be %s", w->path, describe_allowed_values(k));
  if (strlen(text) > 200) return fail_at_node(w, node, "%s is longer than 200 letters", w->path);
  const char *now = find_new_word(k, text);
  if (now) return fail_at_node(w, node, "%s: '%s' is called '%s' now", w->path, text, now);
  if (!is_allowed_value(k, text))
    return fail_at_node(w, node, "%s is '%s'; it must be %s", w->path, text, describe_allowed_values(k));
  return IPG_OK;
}

enum { LIST_BYTES = 4096 };

static ipg_status append_item(const deck_walk *w, const yaml_node_t *value, const key *k, char joined[LIST_BYTES]) {
  const ipg_status status = check_value(w, value, k);
  if (status) return status;
  const char *text = get_text(value);
  if (strchr(text, ',')) return fail_at_node(w, value, "%s must not contain a comma", w->path);
  if (strlen(joined) + strlen(text) + 2 > LIST_BYTES) return fail_at_node(w, value, "%s is too long a list", w->path);
  if (*joined) strcat(joined, ",");
  strcat(joined, text);
  return IPG_OK;
}

/* `items` counts what was appended. */
static ipg_status append_items(const deck_walk *w, const yaml_node_t *list, const key *k, char joined[LIST_BYTES],
                               ptrdiff_t *items) {
  const yaml_node_item_t *first = list->data.sequence.items.start, *last = list->data.sequence.items.top;
  for (const yaml_node_item_t *item = first; item < last; ++item) {
    const ipg_status status = append_item(w, yaml_document_get_node(w->document, *item), k, joined);
    if (status) return status;
  }
  *items += last - first;
  return IPG_OK;
}

/* The walls of a list of lists, one each. */
static ipg_status append_walls(const deck_walk *w, const yaml_node_t *list, const key *k, char joined[LIST_BYTES],
                               ptrdiff_t *items) {
  const yaml_node_item_t *first = list->data.sequence.items.start, *last = list->data.sequence.items.top;
  for (const yaml_node_item_t *item = first; item < last; ++item) {
    const yaml_node_t *wall = yaml_document_get_node(w->document, *item);
    const bool is_list = wall->type == YAML_SEQUENCE_NODE;
    const ptrdiff_t count = is_list ? wall->data.sequence.items.top - wall->data.sequence.items.start : 1;
    if (!is_list || count != 6)
      return fail_at_node(w, wall, "wall %d of %s has %d number%s; give six: x, y, z of a point and of the normal",
                          (int)(item - first) + 1, w->path, (int)count, count == 1 ? "" : "s");
    const ipg_status status = append_items(w, wall, k, joined, items);
    if (status) return status;
  }
  return IPG_OK;
}

static bool begins_with_list(const deck_walk *w, const yaml_node_t *list) {
  const yaml_node_item_t *first = list->data.sequence.items.start;
  return first < list->data.sequence.items.top &&
         yaml_document_get_node(w->document, *first)->type == YAML_SEQUENCE_NODE;
}

/* A list becomes one value with commas. */
static ipg_status read_list(deck_walk *w, const yaml_node_t *node, const key *k) {
  char joined[LIST_BYTES] = "";
  ptrdiff_t items = 0;
  const bool nested = k->kind == WALL_LIST && begins_with_list(w, node);
  const ipg_status status = (nested ? append_walls : append_items)(w, node, k, joined, &items);
  if (status) return status;
  if (!is_allowed_list_length(k->kind, items))
    return fail_at_node(w, node, "%s is a list of %d; it must be %s", w->path, (int)items, describe_allowed_values(k));
  const int wall = k->kind == WALL_LIST ? find_wall_without_normal(joined) : 0;
  if (wall)
    return fail_at_node(w, node, "the normal of wall %d of %s is 0, 0, 0: give a direction out of the wall", wall,
                        w->path);
  return add_entry(w, node, joined);
}

static ipg_status read_value(deck_walk *w, const yaml_node_t *node) {
  const key *k = find_key(w->path);
  if (node->type == YAML_SEQUENCE_NODE) return read_list(w, node, k);
  const ipg_status status = check_value(w, node, k);
  if (status) return status;
  if (k->kind == VECTOR || k->kind == WALL_LIST)
    return fail_at_node(w, node, "%s is '%s'; it must be %s", w->path, get_text(node), describe_allowed_values(k));
  return add_entry(w, node, get_text(node));
}

static ipg_status read_map(deck_walk *w, const yaml_node_t *node);

static ipg_status read_pair(deck_walk *w, const yaml_node_t *name, const yaml_node_t *value) {
  const size_t path_length = strlen(w->path), option_length = strlen(w->option);
  const char *word = get_text(name);
  char parent[sizeof w->path];
  if (!word || !*word) return fail_at_node(w, name, "a key must be a word");
  if (strlen(word) > IPG_DECK_KEY_MAX)
    return fail_at_node(w, name, "the key '%.*s...' has %zu letters; it may have %d: rename what it names",
                        IPG_DECK_KEY_MAX, word, strlen(word), IPG_DECK_KEY_MAX);
  if (strchr(word, '.'))
    return fail_at_node(w, name, "the key '%s' has a dot: write the word behind it below the one before it%s", word,
                        strcmp(w->path, "blocks") ? "" : ", or rename the block");
  memcpy(parent, w->path, sizeof parent);
  if (path_length + strlen(word) + 2 > sizeof w->path) return fail_at_node(w, name, "keys are nested too deeply");
  if (path_length) w->path[path_length] = '.', w->option[option_length] = '_';
  strcpy(w->path + path_length + (path_length > 0), word);
  ipg_deck_make_option_name(word, w->option + option_length + (path_length > 0), sizeof w->option - option_length - 1);
  ipg_status status;
  if (has_keys_below(w->path)) status = read_map(w, value);
  else if (find_key(w->path)) status = read_value(w, value);
  else status = refuse_unknown_key(w, name, parent, word);
  w->path[path_length] = 0, w->option[option_length] = 0;
  return status;
}

static ipg_status read_map(deck_walk *w, const yaml_node_t *node) {
  if (node->type != YAML_MAPPING_NODE)
    return fail_at_node(w, node, "%s must have keys with values, one per line", *w->path ? w->path : "a deck");
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; ++pair) {
    const ipg_status status =
        read_pair(w, yaml_document_get_node(w->document, pair->key), yaml_document_get_node(w->document, pair->value));
    if (status) return status;
  }
  return IPG_OK;
}

/* --------------------------------------------------------------------------------------------------- the whole deck */

/* The byte at this line and column, counted from 0; 0 if there is none. */
static int get_letter(const char *text, size_t line, size_t column) {
  for (size_t i = 0; i < line && text; ++i) {
    text = strchr(text, '\n');
    if (text) ++text;
  }
  return text && strcspn(text, "\n") > column ? (unsigned char)text[column] : 0;
}

/* The reader knows only the byte at which the letter begins. Columns count letters, as those of YAML do. */
static ipg_status refuse_letter(const ipg_deck *deck, const yaml_parser_t *parser, ipg_error *error) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < parser->offset && deck->text[i]; ++i) {
    if (deck->text[i] == '\n') ++line, column = 1;
    else if (((unsigned char)deck->text[i] & 0xc0) != 0x80) ++column;
  }
  if (strstr(parser->problem, "control characters"))
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s:%zu:%zu: there is a control character, U+%04X: remove it", deck->file,
                    line, column, (unsigned)parser->problem_value);
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s:%zu:%zu: this letter is not in UTF-8: save the deck as UTF-8",
                  deck->file, line, column);
}

static ipg_status refuse_malformed_yaml(const ipg_deck *deck, const yaml_parser_t *parser, ipg_error *error) {
  if (parser->error == YAML_READER_ERROR) return refuse_letter(deck, parser, error);
  const yaml_mark_t at = parser->problem_mark;
  const int letter = get_letter(deck->text, at.line, at.column);
  const bool starts_no_token = parser->problem && strstr(parser->problem, "cannot start any token");
  if (letter == '\t')
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s:%zu:%zu: there is a tab: indent with spaces", deck->file, at.line + 1,
                    at.column + 1);
  if (starts_no_token && isprint(letter))
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s:%zu:%zu: no value can begin with %c: put it in quotes", deck->file,
                    at.line + 1, at.column + 1, letter);
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s:%zu:%zu: this is not YAML: %s", deck->file, at.line + 1, at.column + 1,
                  parser->problem ? parser->problem : "unknown problem");
}

static ipg_status refuse_second_document(yaml_parser_t *parser, const ipg_deck *deck, ipg_error *error) {
  yaml_document_t document;
  if (!yaml_parser_load(parser, &document)) return refuse_malformed_yaml(deck, parser, error);
  const yaml_node_t *root = yaml_document_get_root_node(&document);
  const size_t line = root ? root->start_mark.line + 1 : 0;
  yaml_document_delete(&document);
  if (!root) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s:%zu: a second document begins here; a deck is one: remove one of them",
                  deck->file, line);
}

static ipg_status read_document(yaml_parser_t *parser, ipg_deck *deck, ipg_error *error) {
  yaml_document_t document;
  if (!yaml_parser_load(parser, &document)) return refuse_malformed_yaml(deck, parser, error);
  deck_walk w = {.document = &document, .deck = deck, .error = error};
  const yaml_node_t *root = yaml_document_get_root_node(&document);
  const ipg_status status =
      root ? read_map(&w, root) : ipg_fail(error, IPG_ERROR_FORMAT, "the deck %s is empty", deck->file);
  yaml_document_delete(&document);
  return status ? status : refuse_second_document(parser, deck, error);
}

static ipg_status require_mesh_and_end(const ipg_deck *deck, ipg_error *error) {
  static const char *const needed[] = {"mesh", "time_end"};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i)
    if (!ipg_deck_get_value(deck, needed[i]))
      return ipg_fail(error, IPG_ERROR_FORMAT, "the deck %s has no %s", deck->file,
                      i ? "end time: add time.end" : "mesh: add mesh");
  return IPG_OK;
}

static ipg_status read_text(const char *path, ipg_deck *deck, ipg_error *error) {
  enum { MOST_BYTES = 1 << 20 };
  const ipg_status status = ipg_file_read(path, MOST_BYTES, &deck->text, &deck->text_bytes, error);
  if (status) return status;
  if (strlen(deck->text) != (size_t)deck->text_bytes)
    return ipg_fail(error, IPG_ERROR_FORMAT, "the deck %s is not text in UTF-8: save it as UTF-8", path);
  return IPG_OK;
}

/* How many levels of lists and keys the event opens or closes. */
static int count_levels(const yaml_event_t *event) {
  switch (event->type) {
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT: return 1;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: return -1;
  default: return 0;
  }
}

/* The time that YAML takes grows with the square of the depth. What is malformed is left to read_document. */
static ipg_status check_depth(yaml_parser_t *parser, ipg_deck *deck, ipg_error *error) {
  enum { MOST_LEVELS = 32 }; /* keys have three, a list of walls four */
  bool ended = false;
  for (int level = 0; !ended;) {
    yaml_event_t event;
    if (!yaml_parser_parse(parser, &event)) return IPG_OK;
    const size_t line = event.start_mark.line + 1, column = event.start_mark.column + 1;
    level += count_levels(&event);
    ended = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    if (level > MOST_LEVELS)
      return ipg_fail(error, IPG_ERROR_FORMAT,
                      "%s:%zu:%zu: lists or keys are nested more than %d deep: a deck needs four levels at most",
                      deck->file, line, column, MOST_LEVELS);
  }
  return IPG_OK;
}

typedef ipg_status parse_pass(yaml_parser_t *parser, ipg_deck *deck, ipg_error *error);

static ipg_status run_pass(parse_pass *pass, ipg_deck *deck, ipg_error *error) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser))
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for the deck %.300s", deck->file);
  yaml_parser_set_input_string(&parser, (const unsigned char *)deck->text, (size_t)deck->text_bytes);
  const ipg_status status = pass(&parser, deck, error);
  yaml_parser_delete(&parser);
  return status;
}

static ipg_status parse_text(ipg_deck *deck, ipg_error *error) {
  ipg_status status = run_pass(check_depth, deck, error);
  if (!status) status = run_pass(read_document, deck, error);
  return status ? status : require_mesh_and_end(deck, error);
}

ipg_status ipg_deck_read(const char *path, ipg_deck *deck, ipg_error *error) {
  *deck = (ipg_deck){.file = copy_text(path)};
  if (!deck->file) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for the deck %.300s", path);
  ipg_status status = read_text(deck->file, deck, error);
  if (!status) status = parse_text(deck, error);
  if (status) ipg_deck_destroy(deck);
  return status;
}

void ipg_deck_destroy(ipg_deck *deck) {
  for (int64_t i = 0; i < deck->count; ++i) {
    free(deck->entries[i].option);
    free(deck->entries[i].path);
    free(deck->entries[i].value);
  }
  free(deck->entries);
  free(deck->file);
  free(deck->text);
  *deck = (ipg_deck){0};
}

const char *ipg_deck_get_value(const ipg_deck *deck, const char *option) {
  for (int64_t i = 0; i < deck->count; ++i)
    if (!strcmp(deck->entries[i].option, option)) return deck->entries[i].value;
  return NULL;
}
