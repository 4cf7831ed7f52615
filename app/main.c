/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The program `impinge`: a table of subcommands and the dispatch to them.
 *
 * A subcommand whose library was not found when the program was configured stays in the table and reports that. */
#include "app.h"
#include "args.h"
#include "impinge_commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#ifdef IMPINGE_HAVE_EXODUS
#define NEEDS_EXODUS(function) function, NULL
#else
#define NEEDS_EXODUS(function) NULL, "libexodusii"
#endif

#if defined(IMPINGE_HAVE_EXODUS) && !defined(IMPINGE_HAVE_PNG)
#define NEEDS_PICTURES(function) NULL, "libpng"
#else
#define NEEDS_PICTURES(function) NEEDS_EXODUS(function)
#endif

#ifdef IMPINGE_HAVE_SOLVER
#define NEEDS_SOLVER(function) function, NULL
#else
#define NEEDS_SOLVER(function) NULL, "PETSc"
#endif

typedef struct subcommand {
  const char *name, *about;
  int (*function)(int argc, char **argv);
  const char *missing; /* the library that was not found */
} subcommand;

static const subcommand subcommands[] = {
    {"run", "simulate the impact described by an input deck", NEEDS_SOLVER(app_run)},
    {"mesh", "make a body of tetrahedra: a box, a plate, a ball, a tube ...", NEEDS_EXODUS(app_mesh)},
    {"join", "join mesh files into one", NEEDS_EXODUS(app_join)},
    {"info", "print the contents of a mesh or result file", NEEDS_EXODUS(app_info)},
    {"diff", "compare two mesh or result files", NEEDS_EXODUS(app_diff)},
    {"replay", "evaluate one recorded contact step again", app_replay, NULL},
    {"picture", "draw a mesh or a step of a result file", NEEDS_PICTURES(app_picture)},
};

enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof subcommands[0] };

static int print_help(void) {
  printf("usage: impinge SUBCOMMAND ...\n\n"
         "Contact and impact of tetrahedral bodies.\n\n");
  for (int i = 0; i < SUBCOMMAND_COUNT; i++) {
    const subcommand *s = &subcommands[i];
    printf("  %-8s  %s", s->name, s->about);
    if (s->missing) printf(" (not in this build: %s was not found)", s->missing);
    printf("\n");
  }
  printf("\n`impinge SUBCOMMAND --help` prints the options of a subcommand, `impinge --version` the version.\n\n"
         "example:\n  impinge mesh ball --radius 0.01 --cell 0.002 -o ball.exo\n");
  return 0;
}

static int print_version(void) {
  printf("impinge %s (commit %s)\n", IMPINGE_VERSION, IMPINGE_COMMIT);
  return 0;
}

static int refuse_option(const char *word) {
  static const char *const options[] = {"--help", "--version"};
  const char *nearest = args_nearest(word, options, 2, (int)sizeof options[0]);
  return (int)args_complain("impinge", "unknown option '%s', did you mean %s?", word, nearest ? nearest : options[0]);
}

static int refuse_subcommand(const char *word) {
  const char *nearest = args_nearest(word, subcommands, SUBCOMMAND_COUNT, (int)sizeof subcommands[0]);
  if (!nearest) return (int)args_complain("impinge", "unknown subcommand '%s'", word);
  return (int)args_complain("impinge", "unknown subcommand '%s', did you mean %s?", word, nearest);
}

static int call_subcommand(const subcommand *s, int argc, char **argv) {
  if (s->function) return s->function(argc, argv);
  fprintf(stderr, "impinge %s: not in this build, because %s was not found when it was configured\n", s->name,
          s->missing);
  return 1;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) return (int)args_complain("impinge", "give a subcommand");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return print_help();
  if (strcmp(argv[1], "--version") == 0) return print_version();
  for (int i = 0; i < SUBCOMMAND_COUNT; i++)
    if (strcmp(argv[1], subcommands[i].name) == 0) return call_subcommand(&subcommands[i], argc - 1, argv + 1);
  return argv[1][0] == '-' ? refuse_option(argv[1]) : refuse_subcommand(argv[1]);
}

/* A standard stream that is closed gets a descriptor that fails: otherwise the next file that is opened would be taken
 * for it, and what is printed would go into that file. */
static void keep_descriptors_of_streams(void) {
  for (int descriptor = 0; descriptor <= 2; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0) (void)open("/dev/null", descriptor ? O_RDONLY : O_WRONLY);
}

/* Flushes stdout before the exit code is chosen: a full disk must not look like success. */
int main(int argc, char **argv) {
  keep_descriptors_of_streams();
  int code = dispatch(argc, argv);
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "impinge: cannot write to standard output: %s\n", errno ? strerror(errno) : "the disk may be full");
  return code ? code : 1;
}
