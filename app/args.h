/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The command line of a subcommand as a table, which defines parsing, checks and the help text.
 *
 * A target keeps its value unless its option is given, so the caller stores the default there. Numbers must be finite
 * and whole words: "1e-3x", "nan" and "inf" are refused. Every error message is one line on stderr. A group is a word
 * that may be repeated, each time with its own options. */
#ifndef IMPINGE_APP_ARGS_H
#define IMPINGE_APP_ARGS_H

#include "impinge/base.h"

typedef enum args_kind {
  ARGS_FLAG,         /* bool; takes no value */
  ARGS_STRING,       /* const char * */
  ARGS_EXODUS,       /* const char *, the name of an Exodus II file to write, by its suffix */
  ARGS_DOUBLE,       /* double */
  ARGS_POSITIVE,     /* double above zero */
  ARGS_NOT_NEGATIVE, /* double */
  ARGS_INT,          /* int */
  ARGS_VECTOR,       /* double[3], written x,y,z */
  ARGS_SIZES,        /* double[3], all above zero */
  ARGS_ROTATION,     /* double[4], an axis that is not zero and an angle, written x,y,z,degrees */
  ARGS_STEP          /* int, the number of a step from 1, or ARGS_LAST_STEP */
} args_kind;

enum { ARGS_LAST_STEP = 0 };

typedef struct args_option {
  const char *name; /* with its dashes: "--cell", "-o" */
  args_kind kind;
  void *target;
  const char *metavar; /* NULL for flags */
  const char *help;
  bool required;
  bool given; /* set by args_parse */
} args_option;

typedef struct args_word {
  const char *name, *help;
  const char **target;
} args_word;

typedef struct args_table {
  const char *command; /* "impinge mesh" */
  const char *about;   /* one or more sentences, already broken into lines */
  const char *example;
  args_word *words; /* positional arguments; all are required */
  int word_count;
  args_option *options; /* without -h and --help, which every command has */
  int option_count;
} args_table;

/* The order of options may matter, so values are passed on one by one: `given` is called with NULL for every word, and
 * with the option for every option after it, while the target holds the value. It returns false if the word has that
 * option and can have it once only. At least one word is required. */
typedef struct args_group {
  args_word word;
  args_option *options;
  int option_count;
  bool (*given)(void *context, const args_option *option);
  void *context;
} args_group;

/* ARGS_HELP: the help was printed, exit with 0. ARGS_WRONG: an error message was printed; it is also the exit code. */
typedef enum args_outcome { ARGS_GO = 0, ARGS_HELP = 1, ARGS_WRONG = 2 } args_outcome;

/* argv[0] is the subcommand's name. */
args_outcome args_parse(args_table *table, int argc, char **argv);
/* The first positional word, to be checked before the options; NULL if there is none before an unknown option, or if
 * help is asked for. */
const char *args_find_word(const args_table *table, int argc, char **argv);
/* The words after those of the table belong to the group. */
args_outcome args_parse_group(args_table *table, args_group *group, int argc, char **argv);

/* Prints one line on stderr that ends with a reference to the help of the command; returns ARGS_WRONG. */
args_outcome args_complain(const char *command, const char *format, ...) IPG_PRINTF(2, 3);

/* The end of a long path or word, short enough that a message that contains it is never truncated. */
const char *args_tail(const char *text);

/* Read the whole text as one finite decimal number, or as an integer; false if it is none. */
bool args_number(const char *text, double *value);
bool args_integer(const char *text, int *value);

/* The name closest to `word` in edit distance, or NULL if more than every third letter differs. Names are `stride`
 * bytes apart and each entry begins with a pointer to its name, so that any table whose first member is its name can be
 * searched. */
const char *args_nearest(const char *word, const void *names, int count, int stride);

#endif
