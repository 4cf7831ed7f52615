/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Header check of an Exodus file: finds its format, reads its header (gate 1), and checks that against the Exodus
 * schema (gate 2). Nothing stays open or allocated. */
#include "exodus_check.h"

#include "arrays.h"
#include "exodus_schema.h"
#include "netcdf_classic.h"
#include "netcdf_hdf5.h"

#include <string.h>

static bool is_classic(ipg_view *view) {
  const unsigned char *at = ipg_view_get_bytes(view, 0, 4);
  return at && !memcmp(at, "CDF", 3) && (at[3] == 1 || at[3] == 2 || at[3] == 5);
}

static bool is_hdf5(ipg_view *view) {
  const unsigned char *at = ipg_view_get_bytes(view, 0, 8);
  return at && !memcmp(at, "\211HDF\r\n\032\n", 8);
}

static ipg_status read_header(ipg_view *view, ipg_netcdf_header *header, ipg_error *error) {
  if (!view->size) return ipg_fail(error, IPG_ERROR_FORMAT, "'%s' is empty: give an Exodus II file", view->path);
  if (is_classic(view)) return ipg_netcdf_read_classic(view, header, error);
  if (is_hdf5(view)) return ipg_netcdf_read_hdf5(view, header, error);
  return ipg_fail(error, IPG_ERROR_FORMAT, "'%s' is no Exodus II file, or was cut off: give an Exodus II file",
                  view->path);
}

ipg_status ipg_exodus_check(const char *path, const ipg_allocator *allocator, ipg_exodus_traits *traits,
                            ipg_error *error) {
  ipg_view view;
  ipg_status status = ipg_view_open(path, &view, error);
  if (status) return status;
  ipg_netcdf_header header = {.allocator = ipg_choose_allocator(allocator)};
  status = read_header(&view, &header, error);
  if (!status) status = ipg_exodus_check_schema(&view, &header, traits, error);
  ipg_netcdf_destroy(&header);
  ipg_view_close(&view);
  return status;
}
