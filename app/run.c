/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* impinge run DECK: read the deck, run it, draw the picture that it asks for. */
#include "app.h"
#include "args.h"
#include "impinge/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(void) {
  printf("usage: impinge run DECK.yaml [-option value ...]\n\n"
         "Simulate the impact that a deck describes. Mesh and result files are named relative to the current folder.\n"
         "A key of the deck is an option too: -time_end 1e-3 goes before 'time: {end: ...}'. PETSc's own options work\n"
         "as well: -log_view tells where the time went. Exit code 0 means normal termination.\n\nkeys of a deck:\n");
  ipg_deck_describe(stdout);
  printf("\nexample:\n  impinge run ball_on_plate.yaml -threads 2\n");
}

/* A deck's value or the word on the command line that goes before it. */
static const char *setting(const ipg_deck *deck, int argc, char **argv, const char *option) {
  for (int i = 2; i + 1 < argc; i++)
    if (argv[i][0] == '-' && strcmp(argv[i] + 1, option) == 0) return argv[i + 1];
  return ipg_deck_value(deck, option);
}

static ipg_status draw(const ipg_deck *deck, int argc, char **argv, ipg_error *error) {
  app_picture_job job = app_picture_defaults();
  const char *view = setting(deck, argc, argv, "output_view"), *colour = setting(deck, argc, argv, "output_colour");
  job.file = setting(deck, argc, argv, "output_file");
  job.output = setting(deck, argc, argv, "output_picture");
  if (!job.output) return IPG_OK;
  if (!job.file)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a picture needs a result file: add output.file to the deck");
  if (colour) job.colour = colour;
  job.title = setting(deck, argc, argv, "title");
  if (view && sscanf(view, "%lf,%lf,%lf", &job.from[0], &job.from[1], &job.from[2]) != 3)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "output.view is '%.100s'; it must be three numbers", view);
  const ipg_status status = app_picture_file(&job, error);
  if (!status) printf("picture          %s\n", job.output);
  return status;
}

static bool picture_is_result(const ipg_deck *deck, int argc, char **argv) {
  const char *file = setting(deck, argc, argv, "output_file"), *picture = setting(deck, argc, argv, "output_picture");
  return file && picture && strcmp(file, picture) == 0;
}

static int run_deck(int argc, char **argv) {
  ipg_deck deck;
  ipg_error error = {0};
  ipg_impact_summary summary;
  ipg_status status = ipg_deck_read(argv[1], &deck, &error);
  if (status) return app_fail("impinge run", &error);
  if (picture_is_result(&deck, argc, argv)) {
    ipg_deck_free(&deck);
    return (int)args_complain("impinge run",
                              "output.picture and output.file are the same: the picture would replace it");
  }
  argv[1] = argv[0]; /* PETSc sees the program's name and the options */
  printf("Impinge %s, commit %s\n", IMPINGE_VERSION, IMPINGE_COMMIT);
  status = ipg_impact_run(argc - 1, argv + 1, &deck, stdout, &summary, &error);
  if (!status) status = draw(&deck, argc, argv, &error);
  ipg_deck_free(&deck);
  if (status) return app_fail("impinge run", &error);
  printf("normal termination\n");
  return 0;
}

int app_run(int argc, char **argv) {
  if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
    print_help();
    return 0;
  }
  for (int i = 1; i < argc; i++)
    if (!strncmp(argv[i], "--", 2))
      return (int)args_complain("impinge run", "unknown option '%s'; options of a run have one dash",
                                args_tail(argv[i]));
  if (argc < 2 || argv[1][0] == '-') return (int)args_complain("impinge run", "the deck is missing");
  return run_deck(argc, argv);
}
