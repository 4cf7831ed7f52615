/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a result records about its run: any text comes back byte for byte, other records stay, damaged ones are no deck.
 * Claims of files: within one process, and what they leave behind. */
#include "impinge/meshio.h"
#include "support/failing_allocator.h"
#include "support/meshes.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char path[] = "provenance.exo";

static ipg_provenance make_provenance(const char *deck, int64_t bytes) {
  return (ipg_provenance){.written_by = {"impinge", "1.2", "2026-01-02", "03:04:05 UTC"},
                          .deck_path = "../decks/a deck with blanks.yaml",
                          .options = "-threads 2\n-title a title",
                          .end_time = 1e-3 / 3,
                          .deck = deck,
                          .deck_bytes = bytes};
}

static ipg_status write_and_read(ipg_mesh *mesh, const ipg_provenance *p, ipg_provenance *back) {
  ipg_status status = ipg_mesh_set_provenance(mesh, p, NULL);
  if (!status) status = ipg_exodus_write(path, mesh, NULL);
  return status ? status : ipg_exodus_read_provenance(path, NULL, back, NULL);
}

/* Any byte but zero; lines of all lengths, those around the length of a record most of all. */
static int64_t make_text(rng *r, char *text, int64_t most) {
  const int64_t bytes = rng_int(r, 0, (int)most);
  int64_t line = 0;
  for (int64_t i = 0; i < bytes; ++i) {
    const bool ends = line == 0 ? rng_int(r, 0, 30) == 0 : line > 76 ? rng_int(r, 0, 6) == 0 : rng_int(r, 0, 90) == 0;
    text[i] = (char)(ends ? '\n' : rng_int(r, 0, 3) ? 'a' : rng_int(r, 0, 2) ? rng_int(r, 1, 255) : ' ');
    line = text[i] == '\n' ? 0 : line + 1;
  }
  text[bytes] = 0;
  return bytes;
}

static void test_any_text_comes_back(void) {
  enum { MOST = 600 };
  char text[MOST + 1];
  rng r = rng_start(41);
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b");
  for (int trial = 0; trial < (suite_is_full() ? 5000 : 300); ++trial) {
    ipg_provenance back, p = make_provenance(text, make_text(&r, text, MOST));
    CU_ASSERT_EQUAL_FATAL(write_and_read(&mesh, &p, &back), IPG_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(back.deck);
    CU_ASSERT(back.deck_bytes == p.deck_bytes && !memcmp(back.deck, text, (size_t)p.deck_bytes));
    CU_ASSERT_STRING_EQUAL(back.deck_path, p.deck_path);
    CU_ASSERT_STRING_EQUAL(back.options, "-threads 2 -title a title");
    CU_ASSERT_EQUAL(back.end_time, p.end_time);
    CU_ASSERT(!memcmp(back.written_by[3], "03:04:05 UTC", 13));
    ipg_provenance_destroy(&back);
  }
  ipg_mesh_destroy(&mesh);
}

/* A letter of two bytes is in one record, wherever the line is cut. */
static void test_letters_are_not_cut(void) {
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b");
  for (int shift = 0; shift < 3; ++shift) {
    char text[256] = "xx";
    for (int i = 0; i < 100; ++i) memcpy(text + shift + 2 * i, "\xc3\xa9", 3);
    const ipg_provenance p = make_provenance(text, (int64_t)strlen(text));
    CU_ASSERT_EQUAL_FATAL(ipg_mesh_set_provenance(&mesh, &p, NULL), IPG_OK);
    for (int i = 4; i < mesh.info_count; ++i) {
      CU_ASSERT(((unsigned char)mesh.info[i][0] & 0xc0) != 0x80);
      CU_ASSERT(strlen(mesh.info[i]) < IPG_LINE_MAX);
    }
  }
  ipg_mesh_destroy(&mesh);
}

static void set_info(ipg_mesh *mesh, int count, const char *const *lines) {
  const ipg_allocator a = mesh->allocator;
  a.release(a.context, mesh->info, sizeof *mesh->info * (size_t)(mesh->info_count ? mesh->info_count : 1));
  mesh->info = a.allocate(a.context, sizeof *mesh->info * (size_t)(count ? count : 1));
  mesh->info_count = count;
  for (int i = 0; i < count; ++i) snprintf(mesh->info[i], sizeof *mesh->info, "%s", lines[i]);
}

static void test_other_records_stay(void) {
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b");
  const char *const lines[] = {"made by hand", "impinge run: 900 records follow", "the end"};
  const ipg_provenance first = make_provenance("a: 1\n", 5), second = make_provenance("b: 2\nc: 3", 9);
  const int qa = mesh.qa_count;
  set_info(&mesh, 3, lines);
  CU_ASSERT_EQUAL_FATAL(ipg_mesh_set_provenance(&mesh, &first, NULL), IPG_OK);
  CU_ASSERT(mesh.info_count == 1 + 4 + 3 && mesh.qa_count == qa + 1);
  CU_ASSERT_STRING_EQUAL(mesh.info[0], "impinge run: 4 records follow");
  CU_ASSERT_STRING_EQUAL(mesh.info[4], "a: 1|");
  CU_ASSERT_EQUAL_FATAL(ipg_mesh_set_provenance(&mesh, &second, NULL), IPG_OK);
  CU_ASSERT(mesh.info_count == 1 + 5 + 3 && mesh.qa_count == qa + 2);
  CU_ASSERT_STRING_EQUAL(mesh.info[5], "c: 3.");
  CU_ASSERT_EQUAL_FATAL(ipg_mesh_set_provenance(&mesh, NULL, NULL), IPG_OK);
  CU_ASSERT_EQUAL_FATAL(mesh.info_count, 3);
  for (int i = 0; i < 3; ++i) CU_ASSERT_STRING_EQUAL(mesh.info[i], lines[i]);
  ipg_mesh_destroy(&mesh);
}

static void test_damaged_records_are_no_deck(void) {
  static const char *const damaged[][5] = {
      {"impinge run: 3 records follow", "deck a|", "options |", "end time 1"},
      {"impinge run: 3 records follow", "deck a|", "option |", "end time 1|"},
      {"impinge run: 3 records follow", "deck a|", "", "end time 1|"},
      {"impinge run: 9 records follow", "deck a|", "options |", "end time 1|"},
      {"impinge run: -1 records follow", "deck a|", "options |", "end time 1|"},
      {"impinge run: 2 records follow", "deck a|", "options |", "end time 1|"},
      {"impinge run: 3 records", "deck a|", "options |", "end time 1|"},
  };
  static const char *const right[] = {"impinge run: 3 records follow", "deck a|", "options |", "end time 1|"};
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b");
  for (size_t i = 0; i <= sizeof damaged / sizeof *damaged; ++i) {
    const bool good = i == sizeof damaged / sizeof *damaged;
    ipg_provenance back;
    set_info(&mesh, 4, good ? right : damaged[i]);
    CU_ASSERT_EQUAL(ipg_exodus_write(path, &mesh, NULL), IPG_OK);
    CU_ASSERT_EQUAL(ipg_exodus_read_provenance(path, NULL, &back, NULL), IPG_OK);
    CU_ASSERT_EQUAL(back.deck != NULL, good);
    CU_ASSERT_EQUAL(ipg_exodus_records_deck(path, "a"), good);
    ipg_provenance_destroy(&back);
  }
  CU_ASSERT(!ipg_exodus_records_deck(path, "b"));
  CU_ASSERT(!ipg_exodus_records_deck("none.exo", "a"));
  ipg_mesh_destroy(&mesh);
}

/* A set that fails has changed nothing, and nothing is left of a read that fails. */
static void test_allocation_failures(void) {
  const ipg_provenance p = make_provenance("a: 1\n", 5);
  bool failed = true;
  for (int64_t n = 1; failed && n < 100; ++n) {
    failing_allocator meter = {.fail_at = n};
    const ipg_allocator allocator = failing_allocator_of(&meter);
    ipg_mesh mesh = {.allocator = allocator};
    ipg_provenance back = {0};
    ipg_error error = {0};
    ipg_status status = ipg_mesh_set_provenance(&mesh, &p, &error);
    CU_ASSERT_EQUAL(mesh.info_count, status ? 0 : 5);
    CU_ASSERT_EQUAL(mesh.qa_count, status ? 0 : 1);
    if (!status) status = ipg_exodus_read_provenance(path, &allocator, &back, &error);
    failed = meter.refusals > 0;
    CU_ASSERT_EQUAL(status, failed ? IPG_ERROR_MEMORY : IPG_OK);
    ipg_provenance_destroy(&back);
    ipg_mesh_destroy(&mesh);
    CU_ASSERT(meter.live_blocks == 0 && meter.wrong_releases == 0);
    CU_ASSERT(!failed || n < 99);
  }
}

/* ----------------------------------------------------------------------------------------------------------- claims */

static void test_claims_in_one_process(void) {
  ipg_output *first, *second;
  ipg_error error = {0};
  remove("claimed.txt");
  CU_ASSERT_EQUAL_FATAL(ipg_output_claim("claimed.txt", NULL, &first, &error), IPG_OK);
  CU_ASSERT(access("claimed.txt", F_OK) && !access(".claimed.txt.impinge-part", F_OK));
  CU_ASSERT_EQUAL(ipg_output_claim("./claimed.txt", NULL, &second, &error), IPG_ERROR_FILE);
  CU_ASSERT(second == NULL && strstr(error.message, "is being written by another process") != NULL);
  CU_ASSERT(ipg_output_is(first, "./claimed.txt") && !ipg_output_is(first, "claimed.tx"));
  CU_ASSERT(!ipg_file_is_being_written("claimed.txt"));
  CU_ASSERT_EQUAL(ipg_output_commit(first, &error), IPG_OK);
  CU_ASSERT(!access("claimed.txt", F_OK) && access(".claimed.txt.impinge-part", F_OK));
  CU_ASSERT(ipg_file_is_being_written("claimed.txt"));
  CU_ASSERT_EQUAL(ipg_output_claim("claimed.txt", NULL, &second, &error), IPG_ERROR_FILE);
  CU_ASSERT(access(".claimed.txt.impinge-part", F_OK));
  CU_ASSERT_EQUAL(ipg_output_commit(first, &error), IPG_OK); /* a second one does nothing */
  ipg_output_destroy(&first);
  CU_ASSERT(!ipg_file_is_being_written("claimed.txt"));
  CU_ASSERT_EQUAL(ipg_output_claim("claimed.txt", NULL, &second, &error), IPG_OK);
  ipg_output_destroy(&second);
  CU_ASSERT(!access("claimed.txt", F_OK) && access(".claimed.txt.impinge-part", F_OK));
  remove("claimed.txt");
}

/* Two results of one process do not mix either. */
static void test_results_are_locked(void) {
  static const char *const names[] = {"u"};
  const ipg_results_layout layout = {.fields = {[IPG_FIELD_GLOBAL] = {1, names, NULL}}};
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b");
  ipg_results *first = NULL, *second = NULL;
  ipg_error error = {0};
  CU_ASSERT_EQUAL_FATAL(ipg_results_create("locked.exo", &mesh, &layout, &first, &error), IPG_OK);
  CU_ASSERT_EQUAL(ipg_results_create("locked.exo", &mesh, &layout, &second, &error), IPG_ERROR_FILE);
  CU_ASSERT(second == NULL && strstr(error.message, "'locked.exo' is being written") != NULL);
  CU_ASSERT_EQUAL(ipg_exodus_write("locked.exo", &mesh, &error), IPG_ERROR_FILE);
  CU_ASSERT_EQUAL(ipg_results_destroy(&first, &error), IPG_OK);
  CU_ASSERT_EQUAL(ipg_exodus_write("locked.exo", &mesh, &error), IPG_OK);
  ipg_mesh_destroy(&mesh);
}

/* A claimed file gets its name with the first step; without one there is nothing left. */
static void test_claimed_results(void) {
  static const char *const names[] = {"u"};
  const ipg_results_layout layout = {.fields = {[IPG_FIELD_GLOBAL] = {1, names, NULL}}};
  const double value = 3, *const globals[1] = {&value};
  const double *const *const step[IPG_FIELD_KIND_COUNT] = {[IPG_FIELD_GLOBAL] = globals};
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b");
  for (int steps = 0; steps < 2; ++steps) {
    ipg_output *output;
    ipg_results *results;
    remove("claimed.exo");
    CU_ASSERT_EQUAL_FATAL(ipg_output_claim("claimed.exo", NULL, &output, NULL), IPG_OK);
    CU_ASSERT_EQUAL_FATAL(ipg_results_create_output(output, &mesh, &layout, &results, NULL), IPG_OK);
    CU_ASSERT(access("claimed.exo", F_OK));
    if (steps) CU_ASSERT_EQUAL(ipg_results_append(results, 0, step, NULL), IPG_OK);
    CU_ASSERT_EQUAL(!access("claimed.exo", F_OK), steps == 1);
    CU_ASSERT_EQUAL(ipg_results_destroy(&results, NULL), IPG_OK);
    ipg_output_destroy(&output);
    CU_ASSERT_EQUAL(!access("claimed.exo", F_OK), steps == 1);
    CU_ASSERT(access(".claimed.exo.impinge-part", F_OK));
  }
  ipg_mesh_destroy(&mesh);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"any text comes back", test_any_text_comes_back},
      {"letters are not cut", test_letters_are_not_cut},
      {"other records stay", test_other_records_stay},
      {"damaged records are no deck", test_damaged_records_are_no_deck},
      {"every allocation fails once", test_allocation_failures},
      {"claims in one process", test_claims_in_one_process},
      {"results are locked", test_results_are_locked},
      {"claimed results", test_claimed_results},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "provenance", tests);
}
