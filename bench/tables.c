/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which tables there are, and what they were measured on. */
#include "tables.h"
#include "probe.h"

#include <stdarg.h>
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

void progress(const char *format, ...) {
  va_list arguments;
  fflush(stdout);
  va_start(arguments, format);
  fputs("impinge-bench: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

void print_head(const char *columns) {
  printf("\n| %s |\n|", columns);
  for (const char *c = columns; c; c = strchr(c + 1, '|')) fputs(" ---: |", stdout);
  fputc('\n', stdout);
}

bool left_out(const char *method) {
  if (has_method(method)) return false;
  printf("\nMethod %s is left out: this build does not have it.\n", method);
  return true;
}

/* --------------------------------------------------------------------------------------------------- what it ran on */

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
  printf("Machine: %s, %ld cores; what is measured uses one thread.  \n", name, sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_origin(bool quick) {
#ifdef __clang__
  const char *compiler = "clang ";
#else
  const char *compiler = "gcc ";
#endif
  puts("# The papers' tables, ours beside theirs\n");
  print_processor();
  printf("Compiler: %s%s.  \nCommit: %s, by `impinge-bench tables%s`.\n", compiler, __VERSION__, IMPINGE_COMMIT,
         quick ? " --quick" : "");
  if (quick) puts("\nThese are tiny sizes that show that everything works; the times mean nothing.");
}

int tables_bench(const tables_request *request) {
  ipg_error error = {0};
  print_origin(request->quick);
  for (int i = 0; i < TABLES; ++i) {
    if (request->only && strcmp(request->only, tables[i].name)) continue;
    progress("%s", tables[i].name);
    const double start = now_ms();
    if (tables[i].print(request->quick, &error)) {
      fflush(stdout);
      fprintf(stderr, "impinge-bench: table %s: %s\n", tables[i].name, error.message);
      return 1;
    }
    progress("%s took %.1f s", tables[i].name, (now_ms() - start) / 1e3);
    fflush(stdout);
  }
  return 0;
}
