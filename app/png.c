/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes an image as a PNG file with libpng's simplified interface.
 *
 * Only this file includes libpng. In a build without it the function returns an error that names libpng. Closing the
 * file is checked too, since a write error may appear only when the last bytes go to the disk. */
#include "args.h"
#include "raster.h"

#ifdef IMPINGE_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

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
