/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The command line of a subcommand as a table: one table parses it, checks it and is its help.
 *
 * A target keeps its value unless its option is given, so the caller puts the default there. Numbers must be finite
 * and whole words: "1e-3x", "nan" and "inf" are refused. Every complaint is one line on stderr. A group is a table in
 * the table: a word that may come again and again, each time with options of its own. */
#ifndef IMPINGE_APP_ARGS_H
#define IMPINGE_APP_ARGS_H

#include "impinge/base.h"

typedef enum args_kind {
  ARGS_FLAG,         /* bool; takes no value */
  ARGS_STRING,       /* const char * */
  ARGS_DOUBLE,       /* double */
  ARGS_POSITIVE,     /* double above zero */
  ARGS_NOT_NEGATIVE, /* double */
  ARGS_INT,          /* int */
  ARGS_VECTOR,       /* double[3], written x,y,z */
  ARGS_SIZES,        /* double[3], all above zero */
  ARGS_ROTATION,     /* double[4], an axis that is not zero and an angle, written x,y,z,degrees */
  ARGS_STEP          /* int, a step's number from 1 on, or ARGS_LAST_STEP */
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
  const char *about;   /* a sentence or more, each line no wider than the help shall be */
  const char *example;
  args_word *words; /* positional arguments; all are required */
  int word_count;
  args_option *options; /* -h and --help are always there */
  int option_count;
} args_table;

/* As the same option may come twice and the order may matter, nothing is kept: `given` is called for every word, with
 * NULL, and for every option behind it, while the target holds what was said. At least one word is required. */
typedef struct args_group {
  args_word word;
  args_option *options;
  int option_count;
  void (*given)(void *context, const args_option *option);
  void *context;
} args_group;

/* ARGS_HELP: the help is printed, leave with 0. ARGS_WRONG: the complaint is printed; it is the exit code as well. */
typedef enum args_outcome { ARGS_GO = 0, ARGS_HELP = 1, ARGS_WRONG = 2 } args_outcome;

/* argv[0] is the subcommand's name. */
args_outcome args_parse(args_table *table, int argc, char **argv);
/* The words behind those of the table are those of the group. */
args_outcome args_parse_group(args_table *table, args_group *group, int argc, char **argv);

/* One line on stderr that ends by pointing to the command's help; returns ARGS_WRONG. */
args_outcome args_complain(const char *command, const char *format, ...) IPG_PRINTF(2, 3);

/* The end of a long path or word, short enough that a message around it is never cut. */
const char *args_tail(const char *text);

/* The whole text as one finite number; an integer. */
bool args_number(const char *text, double *value);
bool args_integer(const char *text, int *value);

/* The name most like `word`, or NULL if none is much like it. Names are `stride` bytes apart and each begins with a
 * pointer to its text, so that any table whose first member is its name will do. */
const char *args_nearest(const char *word, const void *names, int count, int stride);

#endif
