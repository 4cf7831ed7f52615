/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The options of a run as words, before PETSc sees them: on the command line, in PETSC_OPTIONS and in files of options.
 *
 * A run takes the keys of decks and a closed list of PETSc's options, those that print to standard output. PETSc has
 * many more, and some of them replace files, empty folders, wait for a debugger or do nothing; and it ignores words
 * that are no options, and does not name the option of a wrong value. */
#include "impact.h"
#include "impinge/files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_FILE_BYTES = 1 << 20, MOST_DEPTH = 8 };

/* ------------------------------------------------------------------------------------------------------- one option */

typedef enum value_kind { VALUE_NONE, VALUE_SWITCH, VALUE_FORMAT, VALUE_ANY } value_kind;

typedef struct petsc_option {
  const char *name;
  value_kind value;
} petsc_option;

static const petsc_option honoured[] = {
    {"contact_view", VALUE_FORMAT}, {"log_view", VALUE_FORMAT},     {"log_view_memory", VALUE_SWITCH},
    {"ts_view", VALUE_FORMAT},      {"ts_monitor", VALUE_FORMAT},   {"ts_type", VALUE_ANY},
    {"options_left", VALUE_SWITCH}, {"options_view", VALUE_FORMAT}, {"options_file", VALUE_ANY},
    {"malloc_debug", VALUE_SWITCH}, {"malloc_dump", VALUE_NONE},    {"malloc_view", VALUE_NONE},
    {"memory_view", VALUE_SWITCH},  {"info", VALUE_NONE},           {"no_signal_handler", VALUE_SWITCH},
    {"skip_petscrc", VALUE_SWITCH},
};

static const char *const reasons[][2] = {
    {"ts_max_steps", "set time.end instead"},
    {"ts_max_time", "set time.end instead"},
    {"ts_final_time", "set time.end instead"},
    {"ts_init_time", "a run starts at time 0"},
    {"ts_exact_final_time", "the last step ends at time.end"},
    {"ts_save_trajectory", "it goes forward only"},
    {"ts_trajectory", "it goes forward only"},
    {"ts_", "the time step follows from the critical time step and time.safety, without error control"},
    {"snes_", "it solves no equations"},
    {"ksp_", "it solves no equations"},
    {"pc_", "it solves no equations"},
    {"prefix_", "give options with their whole names"},
    {"contact_reference_step", "the stiffness of contact follows from the material of its blocks"},
    {"fp_trap", "it would stop where contact divides by 0 on purpose"},
};

static bool is_one_of(const char *text, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!strcasecmp(text, words[i])) return true;
  return false;
}

static bool is_switch(const char *text) {
  static const char *const words[] = {"yes", "no", "true", "false", "on", "off", "1", "0"};
  return is_one_of(text, words, sizeof words / sizeof *words);
}

/* Of a view: nothing but a format, for another part would be a file or a window. */
static bool is_format(const char *text) {
  if (!strncmp(text, "ascii", 5)) text += 5;
  return !*text || (text[0] == ':' && text[1] == ':' && !strpbrk(text + 2, ":/."));
}

static ipg_status check_petsc_option(const petsc_option *o, const char *value, ipg_error *error) {
  const bool fits = o->value == VALUE_ANY      ? value != NULL
                    : o->value == VALUE_SWITCH ? !value || is_switch(value)
                    : o->value == VALUE_FORMAT ? !value || is_switch(value) || is_format(value)
                                               : !value;
  if (fits) return IPG_OK;
  if (!value) return ipg_fail(error, IPG_ERROR_ARGUMENT, "-%s needs a value", o->name);
  return ipg_fail(error, IPG_ERROR_ARGUMENT,
                  "-%s %.200s: a run prints to standard output only: leave '%.200s' out, and redirect the output",
                  o->name, value, value);
}

static ipg_status check_option(const char *name, const char *value, ipg_error *error) {
  bool known;
  const ipg_status status = ipg_deck_check_option(name, value, &known, error);
  if (status || known) return status;
  for (size_t i = 0; i < sizeof honoured / sizeof *honoured; ++i)
    if (!strcasecmp(name, honoured[i].name)) return check_petsc_option(&honoured[i], value, error);
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
    if (!strncasecmp(name, reasons[i][0], strlen(reasons[i][0])))
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "-%.200s has no effect on a run: %s", name, reasons[i][1]);
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "unknown option -%.200s; impinge run --help lists all", name);
}

/* ------------------------------------------------------------------------------------------------------- many words */

/* PETSc reads numbers as values, -inf and -nan too. */
static bool is_option(const char *word) {
  char *end;
  if (word[0] != '-' || !isalpha((unsigned char)word[1])) return false;
  (void)strtod(word, &end);
  return end == word || isalnum((unsigned char)*end) || *end == '_';
}

static ipg_status check_file(const char *path, int depth, ipg_error *error);

/* depth: of files that name files. */
static ipg_status check_words(int count, char *const *words, int depth, ipg_error *error) {
  for (int i = 0; i < count; ++i) {
    const char *word = words[i], *value = i + 1 < count && !is_option(words[i + 1]) ? words[i + 1] : NULL;
    if (!is_option(word)) return ipg_fail(error, IPG_ERROR_ARGUMENT, "one word too many: '%.200s'", word);
    ipg_status status = check_option(word + 1, value, error);
    if (!status && !strcasecmp(word, "-options_file")) status = check_file(value, depth + 1, error);
    if (status) return status;
    for (int j = 0; j < i; ++j)
      if (!strcasecmp(words[j], word)) return ipg_fail(error, IPG_ERROR_ARGUMENT, "%.200s is given twice", word);
    i += value != NULL;
  }
  return IPG_OK;
}

/* As PETSc cuts a text into words; lines that begin with # are comments. */
static ipg_status check_text(char *text, int depth, ipg_error *error) {
  const size_t bytes = strlen(text);
  char **words = malloc((bytes / 2 + 1) * sizeof *words), *next_line = NULL, *next = NULL;
  int count = 0;
  if (!words) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for options");
  for (char *line = strtok_r(text, "\r\n", &next_line); line; line = strtok_r(NULL, "\r\n", &next_line)) {
    line += strspn(line, " \t");
    if (strchr("#%!", *line)) continue;
    for (char *word = strtok_r(line, " \t", &next); word; word = strtok_r(NULL, " \t", &next)) words[count++] = word;
  }
  const ipg_status status = check_words(count, words, depth, error);
  free(words);
  return status;
}

static ipg_status check_file(const char *path, int depth, ipg_error *error) {
  char *text;
  int64_t bytes;
  if (depth > MOST_DEPTH)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "-options_file %.200s: files of options name each other too deeply",
                    path);
  ipg_status status = ipg_file_read(path, MOST_FILE_BYTES, &text, &bytes, error);
  if (status) return status;
  status = check_text(text, depth, error);
  free(text);
  return status;
}

ipg_status ipg_solver_check_options(int count, char *const *words, ipg_error *error) {
  return check_words(count, words, 0, error);
}

/* ------------------------------------------------------------------------------------------ where PETSc looks besides
 */

static ipg_status check_environment(ipg_error *error) {
  const char *value = getenv("PETSC_OPTIONS");
  char *text = value ? strdup(value) : NULL;
  ipg_error found = {0};
  if (!text) return IPG_OK;
  const ipg_status status = check_text(text, 0, &found);
  free(text);
  return status ? ipg_fail(error, status, "PETSC_OPTIONS: %s", found.message) : IPG_OK;
}

static ipg_status check_start_file(const char *folder, const char *name, ipg_error *error) {
  char path[4096];
  ipg_error found = {0};
  FILE *file;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return IPG_OK;
  if (!(file = fopen(path, "rb"))) return IPG_OK;
  fclose(file);
  const ipg_status status = check_file(path, 1, &found);
  return status ? ipg_fail(error, status, "%.200s: %s", path, found.message) : IPG_OK;
}

ipg_status impact_check_options_elsewhere(int count, char *const *words, ipg_error *error) {
  ipg_status status = check_environment(error);
  for (int i = 0; i < count; ++i)
    if (!strcasecmp(words[i], "-skip_petscrc")) return status;
  if (!status && getenv("HOME")) status = check_start_file(getenv("HOME"), ".petscrc", error);
  if (!status) status = check_start_file(".", ".petscrc", error);
  if (!status) status = check_start_file(".", "petscrc", error);
  return status;
}
