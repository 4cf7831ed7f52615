/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes an image as a PNG file, with a text that names the file it was drawn from.
 *
 * libpng's simplified interface encodes the image in memory, and the text is put behind the first chunk, the header. A
 * chunk is a length, a name of four letters, data, and a CRC of name and data. Only this file includes libpng. In a
 * build without it the function returns an error that names libpng. Closing the file is checked too, since a write
 * error may appear only when the last bytes go to the disk. */
#include "args.h"
#include "raster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An international text: keyword, not compressed, no language, no translated keyword; then the text. */
static const char keyword[] = "iTXtImpinge source\0\0\0\0"; /* with the closing zero */

enum { SIGNATURE_BYTES = 8, HEADER_BYTES = 33, NAME_BYTES = 4, KEYWORD_BYTES = sizeof keyword, MOST_BYTES = 1 << 16 };

static const unsigned char signature[SIGNATURE_BYTES] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

/* ----------------------------------------------------------------------------------------------------------- reading
 */

static int64_t read_number(FILE *file) {
  unsigned char bytes[4];
  if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes) return -1;
  return (int64_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* Whether the next chunk is the text of this source. *more: another one may follow. */
static bool read_chunk(FILE *file, const char *source, bool *more) {
  char data[MOST_BYTES];
  const int64_t length = read_number(file) + NAME_BYTES;
  *more = length >= NAME_BYTES;
  if (!*more || length > MOST_BYTES) return *more = *more && !fseeko(file, (off_t)length + 4, SEEK_CUR), false;
  *more = fread(data, 1, (size_t)length, file) == (size_t)length && read_number(file) >= 0;
  return *more && length == KEYWORD_BYTES + (int64_t)strlen(source) && !memcmp(data, keyword, KEYWORD_BYTES) &&
         !memcmp(data + KEYWORD_BYTES, source, strlen(source));
}

bool raster_records_source(const char *path, const char *source) {
  unsigned char start[SIGNATURE_BYTES];
  FILE *file;
  if (ipg_file_open(path, &file, NULL)) return false;
  bool more = fread(start, 1, sizeof start, file) == sizeof start && !memcmp(start, signature, sizeof start);
  bool found = false;
  while (more && !found) found = read_chunk(file, source, &more);
  fclose(file);
  return found;
}

/* ----------------------------------------------------------------------------------------------------------- writing
 */

#ifdef IMPINGE_HAVE_PNG

#include <png.h>

static void put_number(unsigned char *to, uint32_t number) {
  for (int i = 0; i < 4; ++i) to[i] = (unsigned char)(number >> (24 - 8 * i));
}

static uint32_t compute_crc(const unsigned char *bytes, size_t count) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

static bool write_text(FILE *file, const char *source) {
  const size_t length = strlen(source), named = KEYWORD_BYTES + length;
  unsigned char *chunk = malloc(named + 8);
  if (!chunk) return false;
  put_number(chunk, (uint32_t)(named - NAME_BYTES));
  memcpy(chunk + 4, keyword, KEYWORD_BYTES);
  memcpy(chunk + 4 + KEYWORD_BYTES, source, length);
  put_number(chunk + 4 + named, compute_crc(chunk + 4, named));
  const bool written = fwrite(chunk, 1, named + 8, file) == named + 8;
  free(chunk);
  return written;
}

static bool write_chunks(FILE *file, const unsigned char *png, size_t count, const char *source) {
  return fwrite(png, 1, HEADER_BYTES, file) == HEADER_BYTES && write_text(file, source) &&
         fwrite(png + HEADER_BYTES, 1, count - HEADER_BYTES, file) == count - HEADER_BYTES;
}

/* The bytes are released with free; NULL: there is no memory, or the message of libpng is in *png. */
static unsigned char *encode_image(png_image *png, const raster_image *image, png_alloc_size_t *count) {
  *count = PNG_IMAGE_PNG_SIZE_MAX(*png);
  unsigned char *bytes = malloc(*count);
  if (bytes && png_image_write_to_memory(png, bytes, count, 0, image->rgb, 0, NULL) && *count > HEADER_BYTES)
    return bytes;
  free(bytes);
  return NULL;
}

static ipg_status refuse(const ipg_output *output, const char *reason, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s': %s", ipg_output_get_name(output), reason);
}

ipg_status raster_write_png(const raster_image *image, const ipg_output *output, ipg_error *error) {
  png_image png = {.version = PNG_IMAGE_VERSION,
                   .width = (png_uint_32)image->width,
                   .height = (png_uint_32)image->height,
                   .format = PNG_FORMAT_RGB};
  png_alloc_size_t count = 0;
  unsigned char *bytes = encode_image(&png, image, &count);
  if (!bytes) return refuse(output, png.message[0] ? png.message : "out of memory", error);
  FILE *file = fopen(ipg_output_get_path(output), "wb");
  const bool written = file && write_chunks(file, bytes, count, ipg_output_get_source(output));
  const int cause = errno;
  const bool closed = file && !fclose(file);
  free(bytes);
  return written && closed ? IPG_OK : refuse(output, strerror(written ? errno : cause), error);
}

#else

ipg_status raster_write_png(const raster_image *image, const ipg_output *output, ipg_error *error) {
  (void)image;
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                  "cannot write '%s': this build has no pictures because libpng was not found",
                  ipg_output_get_name(output));
}

#endif
