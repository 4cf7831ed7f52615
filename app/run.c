/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge run DECK`: reads an input deck, runs it and draws its picture. */
#include "app.h"
#include "args.h"
#include "impinge/solver.h"
#include "impinge_commit.h"
#include "raster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void print_help(void) {
  printf(
      "usage: impinge run DECK.yaml [-option value ...] [--force]\n\n"
      "Simulates the impact described by an input deck. A relative path of a mesh in the deck is looked up beside the\n"
      "deck, then in the current folder; all other relative paths are relative to the current folder. Results and\n"
      "picture replace those of an earlier run of the same deck; any other file is overwritten with --force only. No\n"
      "other run can write a file while this one writes it.\n"
      "Every key of the deck is also an option: -time_end 1e-3 overrides 'time: {end: ...}'. Of PETSc's\n"
      "options those are accepted that print to standard output: -log_view (where the time was spent), -ts_view,\n"
      "-ts_monitor, -contact_view, -options_left, -options_view, -info, -malloc_debug and the like. Options in\n"
      "PETSC_OPTIONS, ~/.petscrc and the file of -options_file are checked alike, and the command line overrides\n"
      "them. -contact_record N writes the contact of step N to a file for impinge replay. A run that fails leaves the\n"
      "state at which it failed as the last result step.\n"
      "Exit code: 0 normal termination, 1 failed, 2 wrong command line.\n\n"
      "keys of a deck:\n");
  ipg_deck_print_keys(stdout);
  printf("\nexample:\n"
         "  impinge mesh ball --radius 0.01 --cell 0.00125 --at 0,0,0.0121 -o ball.exo\n"
         "  impinge mesh box --size 0.04,0.04,0.004 --cell 0.0013 --name plate -o plate.exo\n"
         "  impinge run examples/ball_on_plate.yaml -threads 2\n");
}

/* The value of an option: that on the command line, otherwise that in the deck. */
static const char *find_setting(const ipg_deck *deck, int argc, char **argv, const char *option) {
  for (int i = argc - 2; i >= 2; i--)
    if (argv[i][0] == '-' && strcasecmp(argv[i] + 1, option) == 0) return argv[i + 1];
  return ipg_deck_get_value(deck, option);
}

/* ------------------------------------------------------------------------------------------------------- the picture
 *
 * The picture is drawn after the run; wrong settings are refused before it. */

static ipg_status check_picture(const app_picture_job *job, ipg_error *error) {
  if (!job->file)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a picture needs a result file: add output.file to the deck");
  if (job->colour && strcmp(job->colour, "none") != 0 && !ipg_impact_has_field(job->colour))
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "output.colour is '%s', which the results will not have: give vel, disp, contact_force, a "
                    "component such as vel_z, or none",
                    args_tail(job->colour));
  if (job->from[0] == 0 && job->from[1] == 0 && job->from[2] == 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "output.view is 0,0,0; it must be a direction towards the eye");
  return IPG_OK;
}

static ipg_status refuse_one_file(ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_ARGUMENT,
                  "output.picture and output.file are the same: give the picture another name");
}

/* job->output is NULL if no picture is wanted. */
static ipg_status plan_picture(const ipg_deck *deck, int argc, char **argv, app_picture_job *job, ipg_error *error) {
  const char *view = find_setting(deck, argc, argv, "output_view");
  *job = app_picture_defaults();
  job->file = find_setting(deck, argc, argv, "output_file");
  job->output = find_setting(deck, argc, argv, "output_picture");
  job->colour = find_setting(deck, argc, argv, "output_colour");
  job->title = find_setting(deck, argc, argv, "title");
  if (view && sscanf(view, "%lf,%lf,%lf", &job->from[0], &job->from[1], &job->from[2]) != 3)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "output.view is '%.100s'; it must be three numbers", view);
  if (!job->output) return IPG_OK;
  if (ipg_file_is_same(job->output, deck->file))
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "output.picture is the deck '%s', which would be overwritten: choose another name",
                    args_tail(job->output));
  ipg_status status = check_picture(job, error);
  if (!status && ipg_file_is_same(job->output, job->file)) status = refuse_one_file(error);
  if (!status) status = app_picture_claim(job, deck->file, deck->force, error);
  return status || !ipg_output_is(job->claim, job->file) ? status : refuse_one_file(error);
}

/* The picture is planned before PETSc reads options elsewhere. */
static ipg_status refuse_picture_options_elsewhere(const ipg_deck *deck, int argc, char **argv, ipg_error *error) {
  static const char *const options[] = {"output_picture", "output_colour", "output_view", "output_file", "title"};
  const int count = find_setting(deck, argc, argv, options[0]) ? 5 : 3; /* the last two matter to a picture only */
  for (int i = 0; i < count; i++) {
    const char *known = find_setting(deck, argc, argv, options[i]), *value = ipg_solver_find_option(options[i]);
    if (value && !(known && !strcmp(known, value)))
      return ipg_fail(
          error, IPG_ERROR_ARGUMENT,
          "-%s comes from PETSC_OPTIONS or a file of options, where it has no effect on the picture: give it "
          "in the deck or on the command line",
          options[i]);
  }
  return IPG_OK;
}

/* A picture that cannot be drawn is a warning: the run itself succeeded. */
static void draw_picture(const app_picture_job *job) {
  ipg_error error = {0};
  if (!job->output) return;
  if (app_picture_file(job, &error)) printf("warning: there is no picture: %s\n", error.message);
  else printf("picture          %s\n", job->output);
}

/* ---------------------------------------------------------------------------------------------------------- the run */

/* No other subcommand initialises PETSc. It is finalised before the picture is drawn: its output, as of -log_view,
 * comes first. */
static ipg_status run_with_petsc(const ipg_deck *deck, int argc, char **argv, ipg_error *error) {
  ipg_impact_summary summary;
  argv[1] = argv[0]; /* PETSc gets the name of the program and the options */
  printf("Impinge %s, commit %s\n", IMPINGE_VERSION, IMPINGE_COMMIT);
  ipg_status status = ipg_solver_start(argc - 1, argv + 1, error);
  if (status) return status;
  status = refuse_picture_options_elsewhere(deck, argc, argv, error);
  if (!status) status = ipg_impact_run(deck, stdout, &summary, error);
  ipg_solver_finish();
  return status;
}

static ipg_status run_and_draw(const ipg_deck *deck, int argc, char **argv, ipg_error *error) {
  app_picture_job picture;
  ipg_status status = plan_picture(deck, argc, argv, &picture, error);
  if (!status) status = run_with_petsc(deck, argc, argv, error);
  if (!status) draw_picture(&picture);
  ipg_output_destroy(&picture.claim);
  return status;
}

static int run_deck(int argc, char **argv, bool force) {
  ipg_deck deck;
  ipg_error error = {0};
  ipg_status status = ipg_deck_read(argv[1], &deck, &error);
  if (status) return app_fail("impinge run", &error);
  deck.force = force;
  status = run_and_draw(&deck, argc, argv, &error);
  ipg_deck_destroy(&deck);
  if (status && (fflush(stdout) || ferror(stdout)))
    return 1; /* main reports it: views and monitors have failed by it */
  if (status) return app_fail("impinge run", &error);
  printf("normal termination\n");
  return 0;
}

/* Takes --force out of the words. */
static bool take_force(int *argc, char **argv) {
  int kept = 0;
  for (int i = 0; i < *argc; i++)
    if (strcmp(argv[i], "--force") != 0) argv[kept++] = argv[i];
  const bool found = kept < *argc;
  argv[kept] = NULL, *argc = kept;
  return found;
}

int app_run(int argc, char **argv) {
  const bool force = take_force(&argc, argv);
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") || !strcmp(argv[i], "-help")) {
      print_help();
      return 0;
    }
  for (int i = 1; i < argc; i++)
    if (!strncmp(argv[i], "--", 2))
      return (int)args_complain("impinge run", "unknown option '%s'; options of a run have one dash",
                                args_tail(argv[i]));
  if (argc < 2 || argv[1][0] == '-') return (int)args_complain("impinge run", "the deck is missing");
  ipg_error error = {0};
  if (ipg_solver_check_options(argc - 2, argv + 2, &error))
    return (int)args_complain("impinge run", "%s", error.message);
  return run_deck(argc, argv, force);
}
