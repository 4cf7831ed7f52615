/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* An image into a PNG file, by libpng's simplified interface.
 *
 * The only file that knows libpng: a build without it keeps the function and says so when it is called. A write error
 * may show only when the last bytes leave for the disk, so closing is checked too. */
#include "args.h"
#include "draw.h"

#ifdef IMPINGE_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

static ipg_status encode(const draw_image *image, FILE *file, const char *path, ipg_error *error) {
  png_image png = {.version = PNG_IMAGE_VERSION,
                   .width = (png_uint_32)image->width,
                   .height = (png_uint_32)image->height,
                   .format = PNG_FORMAT_RGB};
  errno = 0;
  if (png_image_write_to_stdio(&png, file, 0, image->rgb, 0, NULL) && fflush(file) == 0) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s' to its end: %s", args_tail(path),
                  errno ? strerror(errno) : png.message);
}

ipg_status draw_write_png(const draw_image *image, const char *path, ipg_error *error) {
  FILE *file = fopen(path, "wb");
  if (!file) return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s': %s", args_tail(path), strerror(errno));
  ipg_status status = encode(image, file, path, error);
  if (fclose(file) == 0 || status) return status;
  return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s' to its end: %s", args_tail(path), strerror(errno));
}

#else

ipg_status draw_write_png(const draw_image *image, const char *path, ipg_error *error) {
  (void)image;
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                  "cannot write '%s': this build has no pictures because libpng was not found", args_tail(path));
}

#endif
