/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The list of all tables, and the machine, compiler and commit they were measured with. */
#include "tables.h"

#include "impinge_commit.h"
#include "measure.h"
#include "table_output.h"

#include <string.h>
#include <unistd.h>

static const struct table {
  const char *name;
  print_table *print;
} tables[] = {
    {"poirrier1", print_poirrier1}, {"poirrier2_3", print_poirrier2_3}, {"poirrier11_12", print_poirrier11_12},
    {"pouchol4", print_pouchol4},   {"pouchol5", print_pouchol5},       {"pouchol42", print_pouchol42},
    {"cost", print_cost},           {"coherence", print_coherence},     {"shape", print_shape}};
enum { TABLES = sizeof tables / sizeof *tables };

const char *const *table_names(void) {
  static const char *names[TABLES + 1];
  for (int i = 0; i < TABLES; ++i) names[i] = tables[i].name;
  return names;
}

/* --------------------------------------------------------------------------------------------- origin of the tables */

static void print_processor(void) {
  char line[256] = "";
  const char *name = "an unknown processor";
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
      name = strchr(line, ':') + 2;
      line[strcspn(line, "\n")] = 0;
      break;
    }
  if (file) fclose(file);
  printf("Machine: %s, %ld cores; one thread is used.  \n", name, sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_origin(bool quick) {
#ifdef __clang__
  const char *compiler = "clang ";
#else
  const char *compiler = "gcc ";
#endif
  puts("# The tables of the papers, beside our figures\n");
  print_processor();
  printf("Compiler: %s%s.  \nCommit: %s, by `impinge-bench tables%s`.\n", compiler, __VERSION__, IMPINGE_COMMIT,
         quick ? " --quick" : "");
  if (quick) puts("\nThe sizes are tiny, to check that everything works; the times are not meaningful.");
}

int tables_bench(const tables_request *request) {
  ipg_error error = {0};
  print_origin(request->quick);
  for (int i = 0; i < TABLES; ++i) {
    if (request->only && strcmp(request->only, tables[i].name)) continue;
    print_progress("%s", tables[i].name);
    const double start = now_ms();
    if (tables[i].print(request->quick, &error)) {
      fflush(stdout);
      fprintf(stderr, "impinge-bench: table %s: %s\n", tables[i].name, error.message);
      return 1;
    }
    print_progress("%s took %.1f s", tables[i].name, (now_ms() - start) / 1e3);
    fflush(stdout);
  }
  return 0;
}
