/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a file has of the things that a mesh can do without.
 *
 * Other programs write Exodus files in ways of their own: no title, properties without a name, texts shorter than the
 * Exodus library writes them. The library fails where it meets these. So they are found in the header, and what the
 * library could not read is not asked for. */
#ifndef IMPINGE_MESHIO_EXODUS_TRAITS_H
#define IMPINGE_MESHIO_EXODUS_TRAITS_H

#include "impinge/meshio.h"
#include "netcdf_header.h"

typedef enum ipg_exodus_part {
  IPG_PART_ABSENT,
  IPG_PART_READABLE,
  IPG_PART_ODD /* it is there, but the Exodus library cannot read it */
} ipg_exodus_part;

typedef struct ipg_exodus_traits {
  ipg_exodus_part title, coordinates, elements, steps, attributes, qa, info;
  ipg_exodus_part sets[IPG_LABEL_KIND_COUNT];       /* the library finds sets by their ids */
  ipg_exodus_part properties[IPG_LABEL_KIND_COUNT]; /* without those that are only the ids */
  ipg_exodus_part fields[IPG_FIELD_KIND_COUNT];
  int64_t title_letters;
  /* Letters of a name in the file; 0 if there are no names. */
  int64_t axis_width, label_widths[IPG_LABEL_KIND_COUNT], field_widths[IPG_FIELD_KIND_COUNT], attribute_width;
} ipg_exodus_traits;

/* The trait of what this variable holds the values of, fields or attributes; else NULL. */
ipg_exodus_part *ipg_exodus_find_optional(ipg_exodus_traits *traits, const char *variable);
/* Sets everything but that fields and attributes are odd because of the shapes of their values. */
void ipg_exodus_find_traits(const ipg_netcdf_header *header, ipg_exodus_traits *traits);

#endif
