/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Fuzz test: thousands of damaged Exodus files through every function that opens files.
 *
 * The corpus is made here, by our own writer and by the Exodus library, in every format. Input K of a seed is one of
 * these files with a few changes, most of them in headers, which the libraries below us trust. Inputs run in child
 * processes, a batch in each, so that a crash ends one input only and is reported with its number; the stack shows
 * whether it was in our code or in a library. Neither may crash, hang, or request much more memory than the file has
 * bytes, and nothing may leak: our check comes before the libraries, so damage never reaches them. In some batches the
 * checksums of blocks are corrected after the change. That does not happen by accident; failures of the libraries are
 * only counted there, but our own code must withstand it. These batches are separate, because a library that failed may
 * crash at a later input.
 *
 *   fuzz_exodus [--seed S] [--first F] [--inputs N]    N inputs from F on
 *   fuzz_exodus [--seed S] --one K                     input K in this process, for the debugger
 */
#define _GNU_SOURCE /* dladdr */
#include "fuzz_corpus.h"
#include "hdf5_blocks.h"
#include "support/failing_allocator.h"
#include "support/random.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

enum {
  BATCH = 250,
  CORRECTED_EVERY = 6, /* batches */
  MOST_CHANGES = 6,
  CPU_SECONDS = IS_SANITIZED ? 30 : 5, /* for one input, which takes a few milliseconds */
  WALL_SECONDS = 300,
  LARGE_ASK = 1 << 28, /* bytes in one piece */
  STACK_SHOWN = 40
};

typedef enum verdict { FINE, CRASHED, HUNG, GREEDY, LEAKED, REFUSED, VERDICTS } verdict;

static const char *const verdict_names[VERDICTS] = {
    "fine", "crashed", "hung", "requested too much memory", "leaked", "refused although valid"};

/* Results of the child processes, in shared memory. */
typedef struct report {
  long current; /* the input that runs */
  long described, read, read_partly, skinned, opened, fields;
  bool failed;
  verdict verdict;
  bool ours;
  int signal;
  char where[160];
} report;

static report *shared;
static corpus files;
static uint64_t seed;
static char input_path[64];

/* --------------------------------------------------------------------------------------------------------- failures */

static bool is_system(const char *object) {
  static const char *const names[] = {"libc.so", "ld-linux", "libasan", "libubsan", "libpthread", "linux-vdso"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strstr(object, names[i])) return true;
  return false;
}

static bool is_ours(const char *object) { return strstr(object, "fuzz_exodus") || strstr(object, "libimpinge"); }

/* Records a failure with the innermost function on the stack that is not one of the system, and its library. */
__attribute__((noinline)) static void record_failure(verdict what, int signal, int frames_of_mine) {
  void *stack[STACK_SHOWN];
  if (shared->failed) return;
  shared->failed = true, shared->verdict = what, shared->signal = signal, shared->ours = true;
  const int count = backtrace(stack, STACK_SHOWN);
  for (int i = frames_of_mine; i < count; ++i) {
    Dl_info info;
    if (!dladdr(stack[i], &info) || !info.dli_fname || is_system(info.dli_fname)) continue;
    const char *slash = strrchr(info.dli_fname, '/');
    shared->ours = is_ours(info.dli_fname);
    snprintf(shared->where, sizeof shared->where, "%s in %s", info.dli_sname ? info.dli_sname : "?",
             slash ? slash + 1 : info.dli_fname);
    return;
  }
}

/* 3 frames: this one, that of record_failure, and the one by which the system calls this. */
static void on_signal(int number) {
  record_failure(number == SIGPROF || number == SIGALRM ? HUNG : CRASHED, number, 3);
  _exit(1);
}

#if IS_SANITIZED
/* Signals are handled here, and too large allocations are refused as they would be without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:allocator_may_return_null=1:"
         "max_allocation_size_mb=256";
}
void __asan_on_error(void);
void __asan_on_error(void) { record_failure(CRASHED, 0, 1); }
#else
/* Replaces malloc for the libraries, so that an allocation that is far too large is recorded and refused. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

static bool is_large(size_t bytes) {
  if (bytes < LARGE_ASK || !shared) return false;
  record_failure(GREEDY, 0, 2);
  errno = ENOMEM;
  return true;
}

void *malloc(size_t bytes) { return is_large(bytes) ? NULL : __libc_malloc(bytes); }
void *realloc(void *memory, size_t bytes) { return is_large(bytes) ? NULL : __libc_realloc(memory, bytes); }
void *calloc(size_t count, size_t bytes) {
  const bool large = bytes && count > LARGE_ASK / bytes && is_large(LARGE_ASK);
  return large ? NULL : __libc_calloc(count, bytes);
}
#endif

static void catch_signals(void) {
  static char stack[1 << 16];
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGALRM};
  const stack_t spare = {.ss_sp = stack, .ss_size = sizeof stack};
  void *warm_up[2];
  backtrace(warm_up, 2); /* it allocates when first called */
  sigaltstack(&spare, NULL);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaction(numbers[i], &action, NULL);
  }
}

static void watch_time(bool on) {
  const struct itimerval cpu = {.it_value.tv_sec = on ? CPU_SECONDS : 0};
  setitimer(ITIMER_PROF, &cpu, NULL);
  alarm(on ? WALL_SECONDS : 0);
}

/* ---------------------------------------------------------------------------------------------------------- changes */

typedef struct input {
  const corpus_file *file;
  unsigned char *bytes;
  int64_t size;
  bool corrected;    /* checksums */
  char changes[200]; /* a description of the changes */
} input;

static int64_t pick_below(rng *r, int64_t count) { return count > 0 ? (int64_t)(rng_next(r) % (uint64_t)count) : 0; }

/* An offset, mostly in the metadata: the header of a classic file, the blocks with signatures of an HDF5 file. */
static int64_t pick_offset(rng *r, const input *in) {
  const corpus_file *f = in->file;
  const int where = rng_int(r, 0, 9);
  int64_t at = pick_below(r, in->size);
  if (f->mark_count && where < 6) at = f->marks[pick_below(r, f->mark_count)] + pick_below(r, 200);
  else if (!f->mark_count && where < 8) at = pick_below(r, f->header_bytes);
  return at < in->size ? at : pick_below(r, in->size);
}

static void describe_change(input *in, const char *what, int64_t at, int64_t value) {
  const size_t length = strlen(in->changes);
  snprintf(in->changes + length, sizeof in->changes - length, ", %s at %lld (%lld)", what, (long long)at,
           (long long)value);
}

static void flip_bit(rng *r, input *in) {
  const int64_t at = pick_offset(r, in), bit = pick_below(r, 8);
  in->bytes[at] ^= (unsigned char)(1 << bit);
  describe_change(in, "bit", at, bit);
}

static void set_byte(rng *r, input *in) {
  static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
  const int64_t at = pick_offset(r, in);
  in->bytes[at] = rng_int(r, 0, 1) ? values[pick_below(r, sizeof values)] : (unsigned char)pick_below(r, 256);
  describe_change(in, "byte", at, in->bytes[at]);
}

/* Extreme numbers, in the byte order of the format. */
static void set_number(rng *r, input *in) {
  static const int64_t values[] = {0,         1,         -1,  INT32_MAX, INT32_MIN, UINT32_MAX,
                                   INT64_MAX, INT64_MIN, 255, 65536,     1 << 24};
  const int width = rng_int(r, 0, 2) ? 4 : 8;
  int64_t at = pick_offset(r, in);
  if (rng_int(r, 0, 3)) at &= ~(int64_t)3;
  if (at + width > in->size) return;
  uint64_t value = (uint64_t)values[pick_below(r, sizeof values / sizeof *values)];
  if (!rng_int(r, 0, 2)) value = (uint64_t)(in->size + rng_int(r, -8, 8));
  for (int i = 0; i < width; ++i)
    in->bytes[at + i] = (unsigned char)(value >> 8 * (in->file->mark_count ? i : width - 1 - i));
  describe_change(in, "number", at, (int64_t)value);
}

/* A number a little larger or smaller than it was. */
static void nudge_number(rng *r, input *in) {
  const int64_t at = pick_offset(r, in) | 3;
  const int by = rng_int(r, -3, 3);
  if (at < in->size) in->bytes[at] = (unsigned char)(in->bytes[at] + by);
  describe_change(in, "nudge", at, by);
}

static void cut_off(rng *r, input *in) {
  in->size = rng_int(r, 0, 1) ? pick_below(r, in->size) : in->size - pick_below(r, in->size < 64 ? in->size : 64);
  describe_change(in, "cut", in->size, 0);
}

static void copy_bytes(rng *r, input *in) {
  const int64_t count = 1 + pick_below(r, 64), from = pick_offset(r, in), to = pick_offset(r, in);
  if (from + count > in->size || to + count > in->size) return;
  memmove(in->bytes + to, in->bytes + from, (size_t)count);
  describe_change(in, "copy", to, from);
}

static void zero_bytes(rng *r, input *in) {
  const int64_t at = pick_offset(r, in), count = 1 + pick_below(r, 64);
  for (int64_t i = at; i < at + count && i < in->size; ++i) in->bytes[i] = 0;
  describe_change(in, "zeros", at, count);
}

/* start_input allocates memory for it. */
static void insert_bytes(rng *r, input *in) {
  const int64_t at = pick_offset(r, in), count = 1 + pick_below(r, CORPUS_SPARE / MOST_CHANGES);
  memmove(in->bytes + at + count, in->bytes + at, (size_t)(in->size - at));
  for (int64_t i = at; i < at + count; ++i) in->bytes[i] = (unsigned char)pick_below(r, 256);
  in->size += count;
  describe_change(in, "insert", at, count);
}

static void apply_change(rng *r, input *in) {
  static void (*const ways[])(rng *, input *) = {flip_bit,   flip_bit,   flip_bit,     set_byte,
                                                 set_byte,   set_number, nudge_number, set_number,
                                                 copy_bytes, zero_bytes, insert_bytes, cut_off};
  if (in->size) ways[pick_below(r, sizeof ways / sizeof *ways)](r, in);
}

/* Corrects the checksum of a block of known size. */
static void correct_checksum(input *in, int64_t at, int64_t bytes) {
  if (bytes < 4 || bytes > in->size - at) return;
  const uint32_t sum = ipg_hdf5_checksum(in->bytes + at, bytes - 4);
  for (int i = 0; i < 4; ++i) in->bytes[at + bytes - 4 + i] = (unsigned char)(sum >> 8 * i);
}

static int64_t block_bytes(const input *in, int64_t at) {
  const unsigned char *b = in->bytes + at;
  if (!memcmp(b, "FRHP", 4)) return 146;
  if (!memcmp(b, "BTHD", 4)) return 38;
  if (memcmp(b, "OHDR", 4)) return 0;
  const int64_t head = 6 + (b[5] & 32 ? 16 : 0) + (b[5] & 16 ? 4 : 0), width = 1 << (b[5] & 3);
  int64_t bytes = 0;
  for (int64_t i = width; i-- > 0 && i < 4;) bytes = bytes << 8 | b[head + i];
  return head + width + bytes + 4;
}

static void correct_checksums(input *in) {
  in->corrected = true;
  if (in->size > 48 && in->bytes[8] >= 2) correct_checksum(in, 0, 48);
  for (int64_t i = 0; i < in->file->mark_count; ++i)
    if (in->file->marks[i] + 64 < in->size)
      correct_checksum(in, in->file->marks[i], block_bytes(in, in->file->marks[i]));
}

static bool is_corrected(long number) { return number / BATCH % CORRECTED_EVERY == CORRECTED_EVERY - 1; }

/* The first inputs, one for each file, are the unchanged files. */
static input make_input(long number, unsigned char *room) {
  rng r = rng_start(seed * 1000003u + (uint64_t)number);
  const bool changed = number >= files.count;
  input in = {.file = &files.files[changed ? pick_below(&r, files.count) : number], .bytes = room};
  while (is_corrected(number) && !in.file->mark_count) in.file = &files.files[pick_below(&r, files.count)];
  in.size = in.file->size;
  memcpy(room, in.file->bytes, (size_t)in.size);
  snprintf(in.changes, sizeof in.changes, "%s", in.file->name);
  const int changes = !changed ? 0 : rng_int(&r, 0, 2) ? 1 : rng_int(&r, 2, MOST_CHANGES);
  for (int i = 0; i < changes; ++i) apply_change(&r, &in);
  if (is_corrected(number)) correct_checksums(&in);
  return in;
}

/* -------------------------------------------------------------------------------------------------------------- run */

typedef struct meter {
  failing_allocator memory;
  int64_t limit;
} meter;

/* The limit is proportional to the file: a name takes 257 bytes in memory and may take 40 in the file, plus some
 * arrays. */
static void *metered_allocate(void *context, size_t bytes) {
  meter *m = context;
  if (m->memory.live_bytes + (int64_t)(bytes & INT64_MAX) > m->limit) {
    record_failure(GREEDY, 0, 2);
    return NULL;
  }
  return failing_allocate(&m->memory, bytes);
}

static void metered_release(void *context, void *memory, size_t bytes) {
  failing_release(&((meter *)context)->memory, memory, bytes);
}

static void read_field(ipg_results_reader *reader, ipg_field_kind kind, const ipg_allocator *a) {
  const ipg_contents *c = ipg_results_contents(reader);
  const ipg_contents_fields *fields = &c->fields[kind];
  const size_t bytes = (size_t)fields->length * sizeof(double);
  double *values = fields->count && bytes ? a->allocate(a->context, bytes) : NULL;
  if (!values) return;
  for (int f = 0; f < fields->count && f < 2; ++f)
    for (int64_t step = 0; step < c->step_count && step < 2; ++step)
      shared->fields += ipg_results_read(reader, step ? c->step_count - 1 : 0, kind, kind == IPG_FIELD_GLOBAL ? 0 : f,
                                         values, NULL) == IPG_OK;
  a->release(a->context, values, bytes);
}

static void run_results(const ipg_allocator *a) {
  ipg_results_reader *reader;
  ipg_error error;
  if (ipg_results_open(input_path, a, &reader, &error)) return;
  shared->opened++;
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) read_field(reader, (ipg_field_kind)kind, a);
  ipg_results_reader_destroy(&reader);
}

static void run_read(const ipg_exodus_options *options, const ipg_allocator *a, long *successes) {
  ipg_mesh mesh;
  ipg_skin skin;
  ipg_error error;
  if (ipg_exodus_read(input_path, options, a, &mesh, &error)) return;
  ++*successes;
  if (!ipg_skin_build(&mesh, a, NULL, &skin, &error)) {
    shared->skinned++;
    ipg_skin_destroy(&skin);
  }
  ipg_mesh_destroy(&mesh);
}

static void run_everything(const ipg_allocator *a) {
  const ipg_exodus_options partly = {.leave_out_others = true};
  ipg_contents contents;
  ipg_error error;
  if (!ipg_exodus_describe(input_path, a, &contents, &error)) {
    shared->described++;
    ipg_contents_destroy(&contents);
  }
  run_read(NULL, a, &shared->read);
  run_read(&partly, a, &shared->read_partly);
  run_results(a);
}

static void write_input(const input *in) {
  const int file = open(input_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, in->bytes, (size_t)in->size) != in->size || close(file)) {
    perror(input_path);
    exit(2);
  }
}

static input start_input(long number) {
  static unsigned char *room;
  if (!room) room = calloc((size_t)(files.largest + CORPUS_SPARE), 1);
  if (!room) exit(2);
  const input in = make_input(number, room);
  write_input(&in);
  return in;
}

/* The lowest free file descriptor: it grows when a file is left open. */
static int get_next_descriptor(void) {
  const int file = dup(STDOUT_FILENO);
  close(file);
  return file;
}

/* It cannot be found out who left the file open; with corrected checksums it is HDF5. */
static void record_open_file(long number) {
  record_failure(LEAKED, 0, 1);
  if (is_corrected(number)) shared->ours = false;
}

static void run_input(long number) {
  const input in = start_input(number);
  meter m = {.limit = (16 << 20) + 200 * in.size};
  const ipg_allocator a = {metered_allocate, metered_release, &m};
  const long described = shared->described;
  const int file = get_next_descriptor();
  shared->current = number;
  watch_time(true);
  run_everything(&a);
  watch_time(false);
  if (m.memory.live_blocks || m.memory.wrong_releases) record_failure(LEAKED, 0, 1);
  if (get_next_descriptor() != file) record_open_file(number);
  if (number < files.count && shared->described == described) record_failure(REFUSED, 0, 1);
  if (shared->failed) _exit(1);
}

/* -------------------------------------------------------------------------------------------------------- batches */

typedef struct tally {
  long ours[VERDICTS], theirs[VERDICTS], theirs_corrected[VERDICTS];
} tally;

static const char *stderr_path(bool corrected) { return corrected ? "fuzz.corrected.stderr" : "fuzz.stderr"; }

static void run_child(long first, long end) {
  const struct rlimit no_core = {0, 0}, address_space = {(rlim_t)4 << 30, (rlim_t)4 << 30};
  setrlimit(RLIMIT_CORE, &no_core);
  if (!IS_SANITIZED) setrlimit(RLIMIT_AS, &address_space);
  if (!freopen(stderr_path(is_corrected(first)), "a", stderr)) _exit(1);
  catch_signals();
  for (long i = first; i < end; ++i) run_input(i);
  shared->current = end;
  exit(0); /* runs the leak checker */
}

static void count_failure(tally *t, long number) {
  const input in = start_input(number);
  long *list = shared->ours ? t->ours : in.corrected ? t->theirs_corrected : t->theirs;
  list[shared->verdict]++;
  printf("input %ld %s: %s, signal %d, %s [%s%s]\n", number, verdict_names[shared->verdict],
         shared->ours ? "OURS" : "inside the library", shared->signal, shared->where, in.changes,
         in.corrected ? ", checksums corrected" : "");
  fflush(stdout);
}

/* Returns the input to continue with. */
static long run_batch(tally *t, long first, long end) {
  int status;
  shared->failed = false;
  shared->current = first;
  snprintf(shared->where, sizeof shared->where, "?");
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) exit(2);
  if (!child) run_child(first, end);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(status) && !WEXITSTATUS(status)) return end;
  if (!shared->failed) { /* killed by the system, or leaks were found at the end of the batch */
    shared->verdict = shared->current == end ? LEAKED : CRASHED, shared->ours = true;
    shared->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  count_failure(t, shared->current < end ? shared->current : end - 1);
  return shared->current < end ? shared->current + 1 : end;
}

static long sum_counts(const long *numbers) {
  long total = 0;
  for (int i = 0; i < VERDICTS; ++i) total += numbers[i];
  return total;
}

static void print_list(const char *whose, const long *numbers) {
  printf("%s:", whose);
  for (int v = FINE + 1; v < VERDICTS; ++v) printf("%s %ld %s", v > FINE + 1 ? "," : "", numbers[v], verdict_names[v]);
  printf("\n");
}

static int run_all(long first, long inputs) {
  tally t = {0};
  struct stat printed = {0};
  const long end = first + inputs;
  for (long next = first; next < end;) {
    const long batch_end = (next / BATCH + 1) * BATCH;
    next = run_batch(&t, next, batch_end < end ? batch_end : end);
  }
  stat(stderr_path(false), &printed);
  printf("%ld inputs from %ld files: %ld described, %ld read, %ld with others left out, %ld skins, %ld results opened, "
         "%ld fields; %lld bytes on stderr except in corrected ones\n",
         inputs, files.count, shared->described, shared->read, shared->read_partly, shared->skinned, shared->opened,
         shared->fields, (long long)printed.st_size);
  print_list("ours", t.ours);
  print_list("inside the libraries", t.theirs);
  print_list("inside the libraries, checksums corrected", t.theirs_corrected);
  return sum_counts(t.ours) || sum_counts(t.theirs);
}

static int run_one(long number) {
  const input in = start_input(number);
  printf("input %ld, %lld bytes in %s: %s%s\n", number, (long long)in.size, input_path, in.changes,
         in.corrected ? ", checksums corrected" : "");
  fflush(stdout);
  run_input(number);
  return 0;
}

static uint64_t option(int argc, char **argv, const char *name, uint64_t otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (!strcmp(argv[i], name)) return strtoull(argv[i + 1], NULL, 0);
  return otherwise;
}

static uint64_t default_inputs(void) {
  const char *size = getenv("IMPINGE_SIZE");
  return size && !strcmp(size, "full") ? 200000 : size && !strcmp(size, "quick") ? 300 : 1500;
}

int main(int argc, char **argv) {
  const uint64_t one = option(argc, argv, "--one", UINT64_MAX), first = option(argc, argv, "--first", 0);
  const uint64_t inputs = option(argc, argv, "--inputs", default_inputs());
  seed = option(argc, argv, "--seed", rng_seed());
  report *results = mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (results == MAP_FAILED) return 2;
  snprintf(input_path, sizeof input_path, "fuzz.%ld.exo", (long)getpid());
  unlink(stderr_path(false)), unlink(stderr_path(true));
  files = corpus_make();
  shared = results;
  printf("fuzz_exodus: --seed %llu\n", (unsigned long long)seed);
  const bool alone = one != UINT64_MAX;
  const int result = alone ? run_one((long)one) : run_all((long)first, (long)inputs);
  if (!alone) unlink(input_path);
  corpus_free(&files);
  return result;
}
