/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a result file records about the run that wrote it.
 *
 * Program, version, date and time are the last QA record. All else is a block of information records, the first of them
 * "impinge run: N records follow". The N records hold a text: the path of the deck, the options and the end time, a
 * line each, and then the deck, byte for byte. A record has 80 letters, and readers drop blanks at its end, so every
 * record of the block ends with a mark: '|' where a line of the text ends, '\' where it goes on in the next record, '.'
 * where the text ends without a new line. */
#include "arrays.h"
#include "exodus_contents.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "impinge run: %d records follow"

enum { LONGEST_PIECE = IPG_LINE_MAX - 2 }; /* without the mark and the closing zero */

/* --------------------------------------------------------------------------------------------------- text to records
 */

/* lines == NULL: only counts. */
typedef struct record_writer {
  ipg_info_line *lines;
  int count;
} record_writer;

static void write_record(record_writer *w, const char *piece, int64_t length, char mark) {
  if (w->lines) {
    char *line = w->lines[w->count];
    memcpy(line, piece, (size_t)length);
    line[length] = mark, line[length + 1] = 0;
  }
  w->count++;
}

/* A letter of several bytes (UTF-8) is not cut. */
static int64_t find_end_of_piece(const char *text) {
  int64_t length = LONGEST_PIECE;
  while (length > LONGEST_PIECE - 3 && ((unsigned char)text[length] & 0xc0) == 0x80) --length;
  return length;
}

static void write_text(record_writer *w, const char *text, int64_t count) {
  while (count > 0) {
    const char *end = memchr(text, '\n', (size_t)(count > LONGEST_PIECE ? LONGEST_PIECE + 1 : count));
    const int64_t length = end ? end - text : count > LONGEST_PIECE ? find_end_of_piece(text) : count;
    write_record(w, text, length, end ? '|' : length < count ? '\\' : '.');
    text += length + (end != NULL), count -= length + (end != NULL);
  }
}

/* The line of the options may not end before them. */
static void write_line(record_writer *w, const char *name, const char *value, char *scratch) {
  char *at = stpcpy(stpcpy(scratch, name), " ");
  strcpy(at, value);
  for (; *at; ++at)
    if (*at == '\n') *at = ' ';
  memcpy(at, "\n", 2);
  write_text(w, scratch, at + 1 - scratch);
}

static void write_all(record_writer *w, const ipg_provenance *p, char *scratch) {
  char number[40];
  snprintf(number, sizeof number, "%.17g", p->end_time);
  write_line(w, "deck", p->deck_path, scratch);
  write_line(w, "options", p->options, scratch);
  write_line(w, "end time", number, scratch);
  write_text(w, p->deck, p->deck_bytes);
}

/* --------------------------------------------------------------------------------------------------- records to text
 */

/* The block of the records: the index of its head, and how many follow; first < 0: there is none. */
typedef struct record_block {
  int first, count;
} record_block;

static record_block find_block(ipg_info_line *lines, int count) {
  for (int i = 0; i < count; ++i) {
    int follow = -1, end = 0;
    if (sscanf(lines[i], HEAD "%n", &follow, &end) == 1 && end && follow >= 0 && follow < count - i)
      return (record_block){i, follow};
  }
  return (record_block){-1, 0};
}

/* `text` has room for all letters of the records. Returns the length, or -1 if a record has no mark. */
static int64_t decode_records(ipg_info_line *lines, int count, char *text) {
  int64_t at = 0;
  for (int i = 0; i < count; ++i) {
    size_t length = strlen(lines[i]);
    while (length && lines[i][length - 1] == ' ') --length;
    const char mark = length ? lines[i][length - 1] : 0;
    if (mark != '|' && mark != '\\' && mark != '.') return -1;
    memcpy(text + at, lines[i], length - 1);
    at += (int64_t)length - 1;
    if (mark == '|') text[at++] = '\n';
  }
  text[at] = 0;
  return at;
}

/* The value of a line that begins with a name; the line is ended and *text moved past it. NULL if it is another line.
 */
static const char *take_line(char **text, const char *name) {
  char *value = *text + strlen(name) + 1, *end = strchr(*text, '\n');
  if (!end || strncmp(*text, name, strlen(name)) != 0 || value > end || value[-1] != ' ') return NULL;
  *end = 0;
  *text = end + 1;
  return value;
}

static void parse_text(ipg_provenance *p, int64_t length) {
  char *text = p->memory, *end = text + length;
  const char *path = take_line(&text, "deck"), *options = path ? take_line(&text, "options") : NULL,
             *end_time = options ? take_line(&text, "end time") : NULL;
  if (!end_time) return;
  p->deck_path = path, p->options = options, p->end_time = strtod(end_time, NULL);
  p->deck = text, p->deck_bytes = end - text;
}

/* --------------------------------------------------------------------------------------------------------- of a mesh
 */

static void copy_other_records(const ipg_mesh *mesh, record_block old, ipg_info_line *to) {
  for (int i = 0; i < mesh->info_count; ++i)
    if (old.first < 0 || i < old.first || i > old.first + old.count) memcpy(to++, mesh->info[i], sizeof *to);
}

static ipg_status replace_info(ipg_mesh *mesh, const ipg_provenance *p, char *scratch, ipg_error *error) {
  const record_block old = find_block(mesh->info, mesh->info_count);
  const int others = mesh->info_count - (old.first < 0 ? 0 : old.count + 1);
  record_writer w = {0};
  if (p) write_all(&w, p, scratch);
  const int made = p ? w.count + 1 : 0;
  ipg_info_line *info = ipg_allocate_array(&mesh->allocator, made + others, sizeof *info, error);
  if (!info) return IPG_ERROR_MEMORY;
  if (p) snprintf(info[0], sizeof *info, HEAD, w.count);
  w = (record_writer){.lines = info + 1};
  if (p) write_all(&w, p, scratch);
  copy_other_records(mesh, old, info + made);
  ipg_release_array(&mesh->allocator, mesh->info, mesh->info_count, sizeof *info);
  mesh->info = info, mesh->info_count = made + others;
  return IPG_OK;
}

static ipg_qa_record *extend_qa_records(const ipg_mesh *mesh, const ipg_qa_record *record, ipg_error *error) {
  ipg_qa_record *qa = ipg_allocate_array(&mesh->allocator, mesh->qa_count + 1, sizeof *qa, error);
  if (!qa) return NULL;
  if (mesh->qa_count) memcpy(qa, mesh->qa, (size_t)mesh->qa_count * sizeof *qa);
  memcpy(qa[mesh->qa_count], *record, sizeof *qa);
  return qa;
}

static ipg_status add_provenance(ipg_mesh *mesh, const ipg_provenance *p, char *scratch, ipg_error *error) {
  ipg_qa_record *qa = extend_qa_records(mesh, &p->written_by, error);
  if (!qa) return IPG_ERROR_MEMORY;
  const ipg_status status = replace_info(mesh, p, scratch, error);
  ipg_release_array(&mesh->allocator, status ? qa : mesh->qa, mesh->qa_count + (status != 0), sizeof *qa);
  if (!status) mesh->qa = qa, mesh->qa_count++;
  return status;
}

ipg_status ipg_mesh_set_provenance(ipg_mesh *mesh, const ipg_provenance *provenance, ipg_error *error) {
  const ipg_provenance *p = provenance;
  if (!p) return replace_info(mesh, NULL, NULL, error);
  const int64_t bytes = (int64_t)(strlen(p->deck_path) + strlen(p->options)) + 64;
  char *scratch = ipg_allocate_array(&mesh->allocator, bytes, 1, error);
  if (!scratch) return IPG_ERROR_MEMORY;
  const ipg_status status = add_provenance(mesh, p, scratch, error);
  ipg_release_array(&mesh->allocator, scratch, bytes, 1);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- of a file
 */

typedef struct file_records {
  ipg_contents contents;
  ipg_qa_record *qa;
  ipg_info_line *info;
  char **pointers;
  int64_t pointer_count;
} file_records;

static bool read_lines(const ipg_exodus_file *file, file_records *r) {
  const int qa = 4 * r->contents.qa_count, info = r->contents.info_count;
  for (int i = 0; i < qa; ++i) r->pointers[i] = r->qa[i / 4][i % 4];
  if (qa && ex_get_qa(file->id, (char *(*)[4])(void *)r->pointers) < 0) return false;
  for (int i = 0; i < info; ++i) r->pointers[i] = r->info[i];
  return !info || ex_get_info(file->id, r->pointers) >= 0;
}

static ipg_status read_records(const char *path, const ipg_allocator *a, file_records *r, ipg_error *error) {
  ipg_exodus_file file;
  ipg_status status = ipg_exodus_open(path, a, &file, error);
  if (status) return status;
  status = ipg_exodus_read_contents(&file, a, &r->contents, error);
  r->pointer_count = (int64_t)4 * r->contents.qa_count + r->contents.info_count;
  if (!status && (!(r->qa = ipg_allocate_array(a, r->contents.qa_count, sizeof *r->qa, error)) ||
                  !(r->info = ipg_allocate_array(a, r->contents.info_count, sizeof *r->info, error)) ||
                  !(r->pointers = ipg_allocate_array(a, r->pointer_count, sizeof *r->pointers, error))))
    status = IPG_ERROR_MEMORY;
  if (!status && !read_lines(&file, r)) status = ipg_exodus_report_damage(&file, "the records", error);
  ex_close(file.id);
  return status;
}

static void release_records(const ipg_allocator *a, file_records *r) {
  ipg_release_array(a, r->qa, r->contents.qa_count, sizeof *r->qa);
  ipg_release_array(a, r->info, r->contents.info_count, sizeof *r->info);
  ipg_release_array(a, r->pointers, r->pointer_count, sizeof *r->pointers);
  ipg_contents_destroy(&r->contents);
}

static ipg_status take_records(const file_records *r, ipg_provenance *p, ipg_error *error) {
  const record_block block = find_block(r->info, r->contents.info_count);
  for (int i = 0; i < r->contents.qa_count; ++i)
    if (!strcmp(r->qa[i][0], "impinge")) memcpy(p->written_by, r->qa[i], sizeof p->written_by);
  if (block.first < 0) return IPG_OK;
  p->memory_bytes = (int64_t)block.count * IPG_LINE_MAX + 1;
  p->memory = ipg_allocate_array(&p->allocator, p->memory_bytes, 1, error);
  if (!p->memory) return IPG_ERROR_MEMORY;
  const int64_t length = decode_records(r->info + block.first + 1, block.count, p->memory);
  if (length >= 0) parse_text(p, length);
  return IPG_OK;
}

ipg_status ipg_exodus_read_provenance(const char *path, const ipg_allocator *allocator, ipg_provenance *provenance,
                                      ipg_error *error) {
  file_records records = {0};
  ipg_provenance made = {.allocator = ipg_choose_allocator(allocator)};
  ipg_status status = read_records(path, &made.allocator, &records, error);
  if (!status) status = take_records(&records, &made, error);
  release_records(&made.allocator, &records);
  if (status) ipg_provenance_destroy(&made);
  *provenance = made;
  return status;
}

void ipg_provenance_destroy(ipg_provenance *provenance) {
  ipg_release_array(&provenance->allocator, provenance->memory, provenance->memory_bytes, 1);
  *provenance = (ipg_provenance){0};
}

bool ipg_exodus_records_deck(const char *path, const char *deck_path) {
  ipg_provenance p;
  if (ipg_exodus_read_provenance(path, NULL, &p, NULL)) return false;
  const bool same = p.deck && !strcmp(p.deck_path, deck_path);
  ipg_provenance_destroy(&p);
  return same;
}
