/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes an image as a PNG file with libpng's simplified interface.
 *
 * Only this file includes libpng. In a build without it the function returns an error that names libpng. Closing the
 * file is checked too, since a write error may appear only when the last bytes go to the disk. */
#include "args.h"
#include "raster.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

ipg_status raster_check_png_path(const char *path, ipg_error *error) {
  static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  unsigned char start[8] = {0};
  struct stat status;
  if (stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size == 0) return IPG_OK;
  FILE *file = fopen(path, "rb");
  if (!file) return IPG_OK; /* writing it will fail with the reason */
  const size_t count = fread(start, 1, sizeof start, file);
  fclose(file);
  if (count == sizeof start && !memcmp(start, signature, sizeof start)) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_ARGUMENT,
                  "'%s' exists and is no PNG, so it is not replaced by a picture: give another name", args_tail(path));
}

#ifdef IMPINGE_HAVE_PNG

#include <errno.h>
#include <png.h>

static ipg_status encode_image(const raster_image *image, FILE *file, const char *path, ipg_error *error) {
  png_image png = {.version = PNG_IMAGE_VERSION,
                   .width = (png_uint_32)image->width,
                   .height = (png_uint_32)image->height,
                   .format = PNG_FORMAT_RGB};
  errno = 0;
  if (png_image_write_to_stdio(&png, file, 0, image->rgb, 0, NULL) && fflush(file) == 0) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_FILE, "cannot finish writing '%s': %s", args_tail(path),
                  errno ? strerror(errno) : png.message);
}

ipg_status raster_write_png(const raster_image *image, const char *path, ipg_error *error) {
  const ipg_status refused = raster_check_png_path(path, error);
  if (refused) return refused;
  FILE *file = fopen(path, "wb");
  if (!file) return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s': %s", args_tail(path), strerror(errno));
  ipg_status status = encode_image(image, file, path, error);
  if (fclose(file) == 0 || status) return status;
  return ipg_fail(error, IPG_ERROR_FILE, "cannot finish writing '%s': %s", args_tail(path), strerror(errno));
}

#else

ipg_status raster_write_png(const raster_image *image, const char *path, ipg_error *error) {
  (void)image;
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                  "cannot write '%s': this build has no pictures because libpng was not found", args_tail(path));
}

#endif
