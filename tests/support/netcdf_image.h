/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes a classic netCDF file into memory without a library and without any check, so that every field can be made
 * wrong. The caller gives dimensions, attributes and variables; sizes and offsets of the variables follow from them,
 * and their data are zeros. `fields` remembers the offset of every header field ("numrecs", "x.begin"), so that it can
 * be changed. */
#ifndef IMPINGE_TESTS_NETCDF_IMAGE_H
#define IMPINGE_TESTS_NETCDF_IMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_BYTES = 1 << 16, IMAGE_FIELDS = 1024, IMAGE_CHAR = 2, IMAGE_INT = 4, IMAGE_FLOAT = 5, IMAGE_DOUBLE = 6 };

typedef struct image_dimension {
  const char *name;
  int64_t length; /* 0: unlimited */
} image_dimension;

typedef struct image_attribute {
  const char *variable; /* NULL: of the file */
  const char *name;
  int type;
  int64_t count;
  double value;     /* the first, of INT and FLOAT */
  const char *text; /* of CHAR; NULL: zeros */
} image_attribute;

typedef struct image_variable {
  const char *name;
  int type;
  const char *dimensions[4];
} image_variable;

typedef struct image_field {
  char name[48];
  int64_t at;
  int bytes;
} image_field;

typedef struct image {
  int version;           /* 1, 2 or 5 */
  unsigned char padding; /* what fills names and attributes up to four bytes */
  int64_t record_count;
  const image_dimension *dimensions;
  int dimension_count;
  const image_attribute *attributes;
  int attribute_count;
  const image_variable *variables;
  int variable_count;
  unsigned char bytes[IMAGE_BYTES];
  int64_t size, header_bytes;
  image_field fields[IMAGE_FIELDS];
  int field_count;
} image;

/* Fills bytes and fields from the dimensions, attributes and variables. */
void image_make(image *m);

/* NULL if there is no such field. */
const image_field *image_find_field(const image *m, const char *name);
/* The value of a field, or 0. */
int64_t image_get(const image *m, const char *name);
/* False if there is no such field. */
int image_set(image *m, const char *name, int64_t value);
/* Sets the data of a variable, big-endian as its type; it may be given fewer values than it has. */
void image_put_numbers(image *m, const char *variable, const double *values, int count);
/* Sets the bytes of a variable from `at` on. */
void image_put_text(image *m, const char *variable, int64_t at, const char *text);
/* Writes the first `size` bytes; false if that fails. */
int image_write(const image *m, const char *path, int64_t size);

#endif
