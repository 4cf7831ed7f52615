/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Options are `--name value` or `--name=value`, positional words stand anywhere, `--` ends the options.
 *
 * A value may begin with one dash (-1,0,0) but not with two: then the value was forgotten. */
#include "args.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool args_number(const char *text, double *value) {
  char *end;
  double number = strtod(text, &end);
  if (end == text || *end || !isfinite(number)) return false;
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

static bool read_vector(const char *text, double vector[3]) {
  double read[3];
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

static bool read_sizes(const char *text, double sizes[3]) {
  double read[3];
  if (!read_vector(text, read) || !(read[0] > 0 && read[1] > 0 && read[2] > 0)) return false;
  memcpy(sizes, read, sizeof read);
  return true;
}

static bool store(const args_option *option, const char *text) {
  switch (option->kind) {
  case ARGS_FLAG: *(bool *)option->target = true; return true;
  case ARGS_STRING: *(const char **)option->target = text; return true;
  case ARGS_DOUBLE: return args_number(text, option->target);
  case ARGS_POSITIVE: return read_positive(text, option->target);
  case ARGS_INT: return args_integer(text, option->target);
  case ARGS_VECTOR: return read_vector(text, option->target);
  case ARGS_SIZES: return read_sizes(text, option->target);
  }
  return false;
}

static const char *expected(args_kind kind) {
  switch (kind) {
  case ARGS_FLAG:
  case ARGS_STRING: return "text";
  case ARGS_DOUBLE: return "a finite number";
  case ARGS_POSITIVE: return "a finite number above zero";
  case ARGS_INT: return "an integer";
  case ARGS_VECTOR: return "three finite numbers x,y,z";
  case ARGS_SIZES: return "three finite numbers x,y,z above zero";
  }
  return "text";
}

/* -------------------------------------------------------------------------------------------------------- nearest */

enum { NAME_MAX_COMPARED = 64 };

static int least(int a, int b, int c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }

/* Letters to add, drop or change until `word` is `name`; a name too long for the row is like nothing. */
static int distance(const char *word, const char *name) {
  int row[NAME_MAX_COMPARED], length = (int)strlen(name);
  if (length >= NAME_MAX_COMPARED) return INT_MAX;
  for (int i = 0; i <= length; i++) row[i] = i;
  for (int typed = 1; *word; word++, typed++) {
    int diagonal = row[0];
    row[0] = typed;
    for (int i = 1; i <= length; i++) {
      int above = row[i];
      row[i] = least(above + 1, row[i - 1] + 1, diagonal + (name[i - 1] != *word));
      diagonal = above;
    }
  }
  return row[length];
}

const char *args_nearest(const char *word, const void *names, int count, int stride) {
  const char *best = NULL;
  int best_distance = (int)(strlen(word) + 3) / 2;
  for (int i = 0; i < count; i++) {
    const char *name = *(const char *const *)((const char *)names + (size_t)i * (size_t)stride);
    int d = distance(word, name);
    if (d < best_distance) best = name, best_distance = d;
  }
  return best;
}

/* ----------------------------------------------------------------------------------------------------------- help */

static int left_width(const args_option *option) {
  return (int)(strlen(option->name) + (option->metavar ? 1 + strlen(option->metavar) : 0));
}

static int widest(const args_table *table) {
  int width = (int)strlen("-h, --help");
  for (int i = 0; i < table->word_count; i++)
    if ((int)strlen(table->words[i].name) > width) width = (int)strlen(table->words[i].name);
  for (int i = 0; i < table->option_count; i++)
    if (left_width(&table->options[i]) > width) width = left_width(&table->options[i]);
  return width;
}

static void print_option(const args_option *option, int width) {
  int used = printf("  %s%s%s", option->name, option->metavar ? " " : "", option->metavar ? option->metavar : "");
  printf("%*s%s%s\n", width + 4 - used, "", option->help, option->required ? " (required)" : "");
}

static args_outcome print_help(const args_table *table) {
  int width = widest(table);
  printf("usage: %s", table->command);
  for (int i = 0; i < table->word_count; i++) printf(" %s", table->words[i].name);
  printf(" [options]\n\n%s\n\n", table->about);
  for (int i = 0; i < table->word_count; i++) printf("  %-*s  %s\n", width, table->words[i].name, table->words[i].help);
  for (int i = 0; i < table->option_count; i++) print_option(&table->options[i], width);
  printf("  %-*s  %s\n\nexample:\n  %s\n", width, "-h, --help", "print this and leave", table->example);
  return ARGS_HELP;
}

/* -------------------------------------------------------------------------------------------------------- parsing */

static bool is_named(const args_option *option, const char *text, size_t length) {
  return strncmp(option->name, text, length) == 0 && option->name[length] == '\0';
}

static args_outcome unknown_option(const args_table *table, const char *text, size_t length) {
  char *name = strndup(text, length);
  const char *nearest =
      name ? args_nearest(name, table->options, table->option_count, (int)sizeof *table->options) : NULL;
  free(name);
  if (!nearest) return args_complain(table->command, "unknown option %.*s", (int)length, text);
  return args_complain(table->command, "unknown option %.*s, did you mean %s?", (int)length, text, nearest);
}

/* Takes the option at argv[*at], and its value if that is a word of its own. */
static args_outcome take_option(args_table *table, int argc, char **argv, int *at) {
  const char *text = argv[*at], *value = strchr(text, '=');
  size_t length = value ? (size_t)(value - text) : strlen(text);
  args_option *option = table->options, *end = option + table->option_count;
  while (option < end && !is_named(option, text, length)) option++;
  if (option == end) return unknown_option(table, text, length);
  if (option->kind == ARGS_FLAG && value) return args_complain(table->command, "%s takes no value", option->name);
  if (value) value++;
  else if (option->kind != ARGS_FLAG) {
    if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
      return args_complain(table->command, "%s needs a value %s", option->name, option->metavar);
    value = argv[++*at];
  }
  option->given = true;
  if (store(option, value)) return ARGS_GO;
  return args_complain(table->command, "%s must be %s, not '%s'", option->name, expected(option->kind), value);
}

static args_outcome check_complete(const args_table *table, int word_count) {
  if (word_count < table->word_count)
    return args_complain(table->command, "%s is missing", table->words[word_count].name);
  for (int i = 0; i < table->option_count; i++)
    if (table->options[i].required && !table->options[i].given)
      return args_complain(table->command, "%s %s is missing", table->options[i].name,
                           table->options[i].metavar ? table->options[i].metavar : "");
  return ARGS_GO;
}

static bool asks_for_help(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) return true;
  return false;
}

args_outcome args_parse(args_table *table, int argc, char **argv) {
  int word_count = 0;
  bool options_ended = false;
  if (asks_for_help(argc, argv)) return print_help(table);
  for (int i = 1; i < argc; i++) {
    if (!options_ended && strcmp(argv[i], "--") == 0) {
      options_ended = true;
    } else if (!options_ended && argv[i][0] == '-' && argv[i][1]) {
      if (take_option(table, argc, argv, &i)) return ARGS_WRONG;
    } else if (word_count < table->word_count) {
      *table->words[word_count++].target = argv[i];
    } else return args_complain(table->command, "one word too many: '%s'", argv[i]);
  }
  return check_complete(table, word_count);
}
