/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Options are `--name value` or `--name=value`, positional words may be anywhere, `--` ends the options.
 *
 * A value may begin with one dash (-1,0,0) but not with two: that means the value is missing. */
#include "args.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

args_outcome args_complain(const char *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", command);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "; see %s --help\n", command);
  va_end(arguments);
  return ARGS_WRONG;
}

const char *args_tail(const char *text) {
  enum { LONGEST = 160 };
  size_t length = strlen(text);
  return length > LONGEST ? text + length - LONGEST : text;
}

/* --------------------------------------------------------------------------------------------------------- values */

/* strtod alone would also take hexadecimal numbers, and blanks before a number. */
static bool is_decimal(const char *text) { return strspn(text, "+-.,0123456789eE") == strlen(text); }

bool args_number(const char *text, double *value) {
  char *end;
  double number = strtod(text, &end);
  if (!is_decimal(text) || end == text || *end || !isfinite(number)) return false;
  *value = number;
  return true;
}

bool args_integer(const char *text, int *value) {
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (end == text || *end || errno || number < INT_MIN || number > INT_MAX) return false;
  *value = (int)number;
  return true;
}

/* So that no other program takes the file for what it is not. */
static bool read_exodus_name(const char *text, const char **name) {
  static const char *const suffixes[] = {".exo", ".e", ".ex2", ".exii", ".exoii", ".g", ".gen"};
  const char *suffix = strrchr(text, '.');
  for (size_t i = 0; suffix && i < sizeof suffixes / sizeof *suffixes; i++)
    if (strcasecmp(suffix, suffixes[i]) == 0) {
      *name = text;
      return true;
    }
  return false;
}

static bool read_vector(const char *text, double vector[3]) {
  double read[3];
  if (!is_decimal(text)) return false;
  for (int k = 0; k < 3; k++) {
    char *end;
    read[k] = strtod(text, &end);
    if (end == text || *end != (k < 2 ? ',' : '\0') || !isfinite(read[k])) return false;
    text = end + 1;
  }
  memcpy(vector, read, sizeof read);
  return true;
}

static bool read_positive(const char *text, double *value) {
  double number;
  if (!args_number(text, &number) || !(number > 0)) return false;
  *value = number;
  return true;
}

static bool read_not_negative(const char *text, double *value) {
  double number;
  if (!args_number(text, &number) || number < 0) return false;
  *value = number;
  return true;
}

static bool read_sizes(const char *text, double sizes[3]) {
  double read[3];
  if (!read_vector(text, read) || !(read[0] > 0 && read[1] > 0 && read[2] > 0)) return false;
  memcpy(sizes, read, sizeof read);
  return true;
}

static bool read_rotation(const char *text, double rotation[4]) {
  double read[4];
  const char *angle = strrchr(text, ',');
  char axis[128];
  if (!angle || (size_t)(angle - text) >= sizeof axis || !args_number(angle + 1, &read[3])) return false;
  memcpy(axis, text, (size_t)(angle - text));
  axis[angle - text] = '\0';
  if (!read_vector(axis, read) || (read[0] == 0 && read[1] == 0 && read[2] == 0)) return false;
  memcpy(rotation, read, sizeof read);
  return true;
}

static bool read_step(const char *text, int *step) {
  int number = ARGS_LAST_STEP;
  if (strcmp(text, "last") != 0 && !(args_integer(text, &number) && number > 0)) return false;
  *step = number;
  return true;
}

static bool store_value(const args_option *option, const char *text) {
  switch (option->kind) {
  case ARGS_FLAG: *(bool *)option->target = true; return true;
  case ARGS_STRING: *(const char **)option->target = text; return true;
  case ARGS_EXODUS: return read_exodus_name(text, option->target);
  case ARGS_DOUBLE: return args_number(text, option->target);
  case ARGS_POSITIVE: return read_positive(text, option->target);
  case ARGS_NOT_NEGATIVE: return read_not_negative(text, option->target);
  case ARGS_INT: return args_integer(text, option->target);
  case ARGS_VECTOR: return read_vector(text, option->target);
  case ARGS_SIZES: return read_sizes(text, option->target);
  case ARGS_ROTATION: return read_rotation(text, option->target);
  case ARGS_STEP: return read_step(text, option->target);
  }
  return false;
}

static const char *describe_kind(args_kind kind) {
  switch (kind) {
  case ARGS_FLAG:
  case ARGS_STRING: return "text";
  case ARGS_EXODUS: return "the name of an Exodus II file, ending in .exo, .e, .ex2, .exii, .exoII, .g or .gen";
  case ARGS_DOUBLE: return "a finite number";
  case ARGS_POSITIVE: return "a finite number above zero";
  case ARGS_NOT_NEGATIVE: return "a finite number, zero or above";
  case ARGS_INT: return "a whole number, -2147483648 to 2147483647";
  case ARGS_VECTOR: return "three finite numbers x,y,z";
  case ARGS_SIZES: return "three finite numbers x,y,z above zero";
  case ARGS_ROTATION: return "an axis and an angle x,y,z,degrees, the axis not 0,0,0";
  case ARGS_STEP: return "last or a number from 1 on";
  }
  return "text";
}

/* -------------------------------------------------------------------------------------------------------- nearest */

enum { NAME_MAX_COMPARED = 64 };

static int min_of_two(int a, int b) { return a < b ? a : b; }

/* Letters to change, add, leave out or exchange with the next; NAME_MAX_COMPARED for a name too long for the rows. */
static int compute_edit_distance(const char *word, const char *name) {
  int rows[3][NAME_MAX_COMPARED], length = (int)strlen(name), typed = (int)strlen(word);
  if (length >= NAME_MAX_COMPARED) return NAME_MAX_COMPARED;
  for (int i = 0; i <= length; i++) rows[0][i] = i;
  for (int t = 1; t <= typed; t++) {
    int *row = rows[t % 3], *above = rows[(t + 2) % 3], *before = rows[(t + 1) % 3];
    row[0] = t;
    for (int i = 1; i <= length; i++) {
      bool is_exchanged = t > 1 && i > 1 && word[t - 1] == name[i - 2] && word[t - 2] == name[i - 1];
      row[i] = min_of_two(above[i] + 1, min_of_two(row[i - 1] + 1, above[i - 1] + (name[i - 1] != word[t - 1])));
      if (is_exchanged) row[i] = min_of_two(row[i], before[i - 2] + 1);
    }
  }
  return rows[typed % 3][length];
}

const char *args_nearest(const char *word, const void *names, int count, int stride) {
  const char *best = NULL;
  int letters = (int)(strlen(word) - strspn(word, "-")), best_distance = letters < 6 ? 2 : letters / 3 + 1;
  for (int i = 0; i < count; i++) {
    const char *name = *(const char *const *)((const char *)names + (size_t)i * (size_t)stride);
    int distance = compute_edit_distance(word, name);
    if (distance < best_distance) best = name, best_distance = distance;
  }
  return best;
}

/* ----------------------------------------------------------------------------------------------------------- help */

static int measure_option(const args_option *option) {
  return (int)(strlen(option->name) + (option->metavar ? 1 + strlen(option->metavar) : 0));
}

static int max_of_two(int a, int b) { return a > b ? a : b; }

static int measure_left_column(const args_table *table, const args_group *group) {
  int width = (int)strlen("-h, --help");
  for (int i = 0; i < table->word_count; i++) width = max_of_two(width, (int)strlen(table->words[i].name));
  for (int i = 0; i < table->option_count; i++) width = max_of_two(width, measure_option(&table->options[i]));
  if (group) width = max_of_two(width, (int)strlen(group->word.name));
  for (int i = 0; group && i < group->option_count; i++) width = max_of_two(width, measure_option(&group->options[i]));
  return width;
}

static void print_option(const args_option *option, int width) {
  int used = printf("  %s%s%s", option->name, option->metavar ? " " : "", option->metavar ? option->metavar : "");
  printf("%*s%s%s\n", width + 4 - used, "", option->help, option->required ? " (required)" : "");
}

static void print_usage(const args_table *table, const args_group *group) {
  printf("usage: %s", table->command);
  for (int i = 0; i < table->word_count; i++) printf(" %s", table->words[i].name);
  if (group) printf(" %s [its options] [%s [its options] ...]", group->word.name, group->word.name);
  printf(" [options]\n\n%s\n\n", table->about);
}

static void print_group(const args_group *group, int width) {
  printf("  %-*s  %s\n\noptions of the %s before them:\n", width, group->word.name, group->word.help, group->word.name);
  for (int i = 0; i < group->option_count; i++) print_option(&group->options[i], width);
  printf("\noptions:\n");
}

static args_outcome print_help(const args_table *table, const args_group *group) {
  int width = measure_left_column(table, group);
  print_usage(table, group);
  for (int i = 0; i < table->word_count; i++) printf("  %-*s  %s\n", width, table->words[i].name, table->words[i].help);
  if (group) print_group(group, width);
  for (int i = 0; i < table->option_count; i++) print_option(&table->options[i], width);
  printf("  %-*s  %s\n\nexample:\n  %s\n", width, "-h, --help", "print this help and exit", table->example);
  return ARGS_HELP;
}

/* -------------------------------------------------------------------------------------------------------- parsing */

/* The state of parsing. */
typedef struct cursor {
  args_table *table;
  args_group *group; /* NULL: none */
  int argc, at;
  char **argv;
  int word_count, group_count; /* words read so far */
} cursor;

static args_option *find_option(args_option *options, int count, const char *text, size_t length) {
  for (int i = 0; i < count; i++)
    if (strncmp(options[i].name, text, length) == 0 && options[i].name[length] == '\0') return &options[i];
  return NULL;
}

static const char *find_nearest_option(const cursor *c, const char *name) {
  int stride = (int)sizeof *c->table->options;
  const char *nearest = args_nearest(name, c->table->options, c->table->option_count, stride);
  if (nearest || !c->group) return nearest;
  return args_nearest(name, c->group->options, c->group->option_count, stride);
}

static args_outcome refuse_option(const cursor *c, const char *text, size_t length) {
  char *name = strndup(text, length);
  const char *nearest = name ? find_nearest_option(c, name) : NULL;
  free(name);
  if (!nearest) return args_complain(c->table->command, "unknown option %.*s", (int)length, text);
  return args_complain(c->table->command, "unknown option %.*s, did you mean %s?", (int)length, text, nearest);
}

/* Reads the value of an option: the text after '=', otherwise the next word. */
static args_outcome read_value(cursor *c, args_option *option, const char *value) {
  const char *command = c->table->command;
  if (option->kind == ARGS_FLAG && value) return args_complain(command, "%s takes no value", option->name);
  if (!value && option->kind != ARGS_FLAG) {
    if (c->at + 1 >= c->argc || strncmp(c->argv[c->at + 1], "--", 2) == 0)
      return args_complain(command, "%s needs a value %s", option->name, option->metavar);
    value = c->argv[++c->at];
  }
  option->given = true;
  if (store_value(option, value)) return ARGS_GO;
  return args_complain(command, "%s must be %s, not '%s'", option->name, describe_kind(option->kind), value);
}

static args_outcome read_group_option(cursor *c, args_option *option, const char *value) {
  if (!c->group_count)
    return args_complain(c->table->command, "%s applies to the %s before it: put the %s first", option->name,
                         c->group->word.name, c->group->word.name);
  args_outcome outcome = read_value(c, option, value);
  if (outcome || c->group->given(c->group->context, option)) return outcome;
  return args_complain(c->table->command, "%s is given twice for %s", option->name, *c->group->word.target);
}

static args_outcome read_option(cursor *c) {
  const char *text = c->argv[c->at], *equals = strchr(text, '='), *value = equals ? equals + 1 : NULL;
  size_t length = equals ? (size_t)(equals - text) : strlen(text);
  args_option *option = find_option(c->table->options, c->table->option_count, text, length);
  if (option && option->given) return args_complain(c->table->command, "%s is given twice", option->name);
  if (option) return read_value(c, option, value);
  if (c->group) option = find_option(c->group->options, c->group->option_count, text, length);
  return option ? read_group_option(c, option, value) : refuse_option(c, text, length);
}

static args_outcome read_word(cursor *c) {
  const char *word = c->argv[c->at];
  if (c->word_count < c->table->word_count) {
    *c->table->words[c->word_count++].target = word;
    return ARGS_GO;
  }
  if (!c->group) return args_complain(c->table->command, "one word too many: '%s'", word);
  *c->group->word.target = word;
  c->group_count++;
  (void)c->group->given(c->group->context, NULL);
  return ARGS_GO;
}

static args_outcome check_complete(const cursor *c) {
  const args_table *table = c->table;
  if (c->word_count < table->word_count)
    return args_complain(table->command, "%s is missing", table->words[c->word_count].name);
  if (c->group && !c->group_count) return args_complain(table->command, "%s is missing", c->group->word.name);
  for (int i = 0; i < table->option_count; i++)
    if (table->options[i].required && !table->options[i].given)
      return args_complain(table->command, "%s %s is missing", table->options[i].name,
                           table->options[i].metavar ? table->options[i].metavar : "");
  return ARGS_GO;
}

static bool has_help_option(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) return true;
  return false;
}

const char *args_find_word(const args_table *table, int argc, char **argv) {
  if (has_help_option(argc, argv)) return NULL;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] != '-') return argv[i];
    const char *equals = strchr(argv[i], '=');
    const args_option *option = find_option(table->options, table->option_count, argv[i],
                                            equals ? (size_t)(equals - argv[i]) : strlen(argv[i]));
    if (!option) return NULL;
    if (!equals && option->metavar) i++;
  }
  return NULL;
}

args_outcome args_parse_group(args_table *table, args_group *group, int argc, char **argv) {
  cursor c = {.table = table, .group = group, .argc = argc, .argv = argv};
  bool options_ended = false;
  if (has_help_option(argc, argv)) return print_help(table, group);
  for (c.at = 1; c.at < argc; c.at++) {
    const char *text = argv[c.at];
    bool is_option = !options_ended && text[0] == '-' && text[1];
    if (is_option && strcmp(text, "--") == 0) options_ended = true;
    else if (is_option ? read_option(&c) : read_word(&c)) return ARGS_WRONG;
  }
  return check_complete(&c);
}

args_outcome args_parse(args_table *table, int argc, char **argv) { return args_parse_group(table, NULL, argc, argv); }
