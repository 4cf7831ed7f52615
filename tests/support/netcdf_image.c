/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/netcdf_image.h"

/* Appends a big-endian number and remembers it as the field "of.name". */
static void image_number(image *m, const char *of, const char *name, int bytes, int64_t value) {
  image_field *field = &m->fields[m->field_count++];
  snprintf(field->name, sizeof field->name, "%s%s%s", of, *of ? "." : "", name);
  field->at = m->size, field->bytes = bytes;
  for (int i = bytes - 1; i >= 0; --i) m->bytes[m->size++] = (unsigned char)((uint64_t)value >> 8 * i);
}

static void image_count(image *m, const char *of, const char *name, int64_t value) {
  image_number(m, of, name, m->version == 5 ? 8 : 4, value);
}

static void image_pad(image *m) {
  while (m->size % 4) m->bytes[m->size++] = m->padding;
}

static void image_name(image *m, const char *name) {
  image_count(m, name, "letters", (int64_t)strlen(name));
  image_field *field = &m->fields[m->field_count++];
  snprintf(field->name, sizeof field->name, "%s.name", name);
  field->at = m->size, field->bytes = 1;
  memcpy(m->bytes + m->size, name, strlen(name));
  m->size += (int64_t)strlen(name);
  image_pad(m);
}

static void image_list(image *m, const char *of, int tag, int64_t count) {
  image_number(m, of, "tag", 4, count ? tag : 0);
  image_count(m, of, "count", count);
}

static int image_type_bytes(int type) {
  static const int bytes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  return bytes[type];
}

static void image_value(image *m, const image_attribute *a) {
  const float real = (float)a->value;
  uint32_t bits = (uint32_t)(int32_t)a->value;
  if (a->type == IMAGE_FLOAT) memcpy(&bits, &real, sizeof bits);
  if (a->count && (a->type == IMAGE_FLOAT || a->type == IMAGE_INT))
    for (int i = 0; i < 4; ++i) m->bytes[m->size + i] = (unsigned char)(bits >> 8 * (3 - i));
  if (a->text) memcpy(m->bytes + m->size, a->text, (size_t)a->count);
}

static void image_attributes(image *m, const char *variable) {
  int count = 0;
  for (int i = 0; i < m->attribute_count; ++i) {
    const char *of = m->attributes[i].variable;
    count += of ? variable && !strcmp(of, variable) : !variable;
  }
  image_list(m, variable ? variable : "file", 12, count);
  for (int i = 0; i < m->attribute_count; ++i) {
    const image_attribute *a = &m->attributes[i];
    if (a->variable ? !variable || strcmp(a->variable, variable) : variable != NULL) continue;
    image_name(m, a->name);
    image_number(m, a->name, "type", 4, a->type);
    image_count(m, a->name, "values", a->count);
    image_value(m, a);
    m->size += a->count * image_type_bytes(a->type);
    image_pad(m);
  }
}

static int image_dimension_of(const image *m, const char *name) {
  int d = 0;
  while (strcmp(m->dimensions[d].name, name)) ++d;
  return d;
}

/* Bytes of a variable, or of one of its records. */
static int64_t image_variable_bytes(const image *m, const image_variable *v) {
  int64_t bytes = image_type_bytes(v->type);
  for (int d = 0; d < 4 && v->dimensions[d]; ++d) {
    const int64_t length = m->dimensions[image_dimension_of(m, v->dimensions[d])].length;
    bytes *= length ? length : 1;
  }
  return bytes;
}

static int image_has_records(const image *m, const image_variable *v) {
  return v->dimensions[0] && !m->dimensions[image_dimension_of(m, v->dimensions[0])].length;
}

static void image_variable_head(image *m, const image_variable *v, int64_t begin) {
  int rank = 0;
  while (rank < 4 && v->dimensions[rank]) ++rank;
  image_name(m, v->name);
  image_count(m, v->name, "rank", rank);
  for (int d = 0; d < rank; ++d) image_count(m, v->name, "shape", image_dimension_of(m, v->dimensions[d]));
  image_attributes(m, v->name);
  image_number(m, v->name, "type", 4, v->type);
  image_count(m, v->name, "size", (image_variable_bytes(m, v) + 3) / 4 * 4);
  image_number(m, v->name, "begin", m->version == 1 ? 4 : 8, begin);
}

static void image_header(image *m, int64_t data) {
  m->size = m->field_count = 0;
  memset(m->bytes, 0, sizeof m->bytes);
  memcpy(m->bytes, "CDF", 3);
  m->bytes[3] = (unsigned char)m->version;
  m->size = 4;
  image_count(m, "", "numrecs", m->record_count);
  image_list(m, "dimensions", 10, m->dimension_count);
  for (int d = 0; d < m->dimension_count; ++d) {
    image_name(m, m->dimensions[d].name);
    image_count(m, m->dimensions[d].name, "length", m->dimensions[d].length);
  }
  image_attributes(m, NULL);
  image_list(m, "variables", 11, m->variable_count);
  int64_t records = data;
  for (int v = 0; v < m->variable_count; ++v)
    if (!image_has_records(m, &m->variables[v])) records += (image_variable_bytes(m, &m->variables[v]) + 3) / 4 * 4;
  for (int v = 0; v < m->variable_count; ++v) {
    int64_t *at = image_has_records(m, &m->variables[v]) ? &records : &data;
    image_variable_head(m, &m->variables[v], *at);
    *at += (image_variable_bytes(m, &m->variables[v]) + 3) / 4 * 4;
  }
}

/* The size of header and data, with each variable at the offset that the header gives. */
static int64_t image_full_size(const image *m) {
  int64_t size = m->size, record = 0;
  int record_variables = 0;
  for (int v = 0; v < m->variable_count; ++v) {
    const int64_t bytes = image_variable_bytes(m, &m->variables[v]);
    if (!image_has_records(m, &m->variables[v])) size += (bytes + 3) / 4 * 4;
    else if (record_variables++) record = (record + 3) / 4 * 4 + (bytes + 3) / 4 * 4;
    else record = bytes;
  }
  return size + m->record_count * record;
}

/* The header is written twice, because the offsets in it depend on its length. */
void image_make(image *m) {
  image_header(m, 0);
  m->header_bytes = m->size;
  image_header(m, m->header_bytes);
  m->size = image_full_size(m);
}

const image_field *image_find_field(const image *m, const char *name) {
  for (int i = 0; i < m->field_count; ++i)
    if (!strcmp(m->fields[i].name, name)) return &m->fields[i];
  return NULL;
}

int64_t image_get(const image *m, const char *name) {
  const image_field *field = image_find_field(m, name);
  uint64_t value = 0;
  for (int i = 0; field && i < field->bytes; ++i) value = value << 8 | m->bytes[field->at + i];
  return (int64_t)value;
}

int image_set(image *m, const char *name, int64_t value) {
  const image_field *field = image_find_field(m, name);
  for (int i = 0; field && i < field->bytes; ++i)
    m->bytes[field->at + i] = (unsigned char)((uint64_t)value >> 8 * (field->bytes - 1 - i));
  return field != NULL;
}

static const image_variable *image_variable_of(const image *m, const char *name) {
  int v = 0;
  while (strcmp(m->variables[v].name, name)) ++v;
  return &m->variables[v];
}

static int64_t image_begin(const image *m, const char *variable) {
  char name[48];
  snprintf(name, sizeof name, "%s.begin", variable);
  return image_get(m, name);
}

void image_put_numbers(image *m, const char *variable, const double *values, int count) {
  const int type = image_variable_of(m, variable)->type, bytes = image_type_bytes(type);
  unsigned char *at = m->bytes + image_begin(m, variable);
  for (int i = 0; i < count; ++i, at += bytes) {
    uint64_t bits = (uint64_t)(int64_t)values[i];
    const float real = (float)values[i];
    uint32_t half = 0;
    memcpy(&half, &real, sizeof half);
    if (type == IMAGE_DOUBLE) memcpy(&bits, &values[i], sizeof bits);
    if (type == IMAGE_FLOAT) bits = half;
    for (int k = 0; k < bytes; ++k) at[k] = (unsigned char)(bits >> 8 * (bytes - 1 - k));
  }
}

void image_put_text(image *m, const char *variable, int64_t at, const char *text) {
  memcpy(m->bytes + image_begin(m, variable) + at, text, strlen(text));
}

int image_write(const image *m, const char *path, int64_t size) {
  FILE *file = fopen(path, "wb");
  return file && fwrite(m->bytes, 1, (size_t)size, file) == (size_t)size && !fclose(file);
}
