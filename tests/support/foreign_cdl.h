/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two tetrahedra in the text form of netCDF, for `ncgen`: a netCDF-4 file with what the netCDF library reads and no
 * Exodus writer makes, which are groups, types of its own and texts of any length. */
#ifndef IMPINGE_TESTS_FOREIGN_CDL_H
#define IMPINGE_TESTS_FOREIGN_CDL_H

#include <stdio.h>
#include <stdlib.h>

static const char foreign_cdl[] =
    "netcdf foreign {\n"
    "types:\n"
    "  byte enum colour { red = 0, blue = 1 };\n"
    "  compound pair { double first; int second; };\n"
    "  int(*) ragged;\n"
    "dimensions:\n"
    "  num_dim = 3; num_nodes = 5; num_elem = 2; num_el_blk = 2; len_string = 33; time_step = unlimited;\n"
    "  num_el_in_blk1 = 1; num_nod_per_el1 = 4; num_el_in_blk2 = 1; num_nod_per_el2 = 4;\n"
    "variables:\n"
    "  float time_whole(time_step);\n"
    "  double coord(num_dim, num_nodes);\n"
    "  int eb_prop1(num_el_blk);\n"
    "  int64 connect1(num_el_in_blk1, num_nod_per_el1); connect1:elem_type = \"TETRA\";\n"
    "  int64 connect2(num_el_in_blk2, num_nod_per_el2); connect2:elem_type = \"TETRA\";\n"
    "  colour paint(num_dim);\n"
    "  pair pairs(num_dim);\n"
    "  ragged lists(num_dim);\n"
    "  string words(num_dim); string words:note = \"one\", \"two\";\n"
    "  colour connect1:paint = blue;\n"
    "  :version = 5.1f; :floating_point_word_size = 8; string :title = \"a text of any length\";\n"
    "data:\n"
    "  coord = 0,1,0,0,1, 0,0,1,0,1, 0,0,0,1,1;\n"
    "  eb_prop1 = 0, 7;\n"
    "  connect1 = 1,2,3,4;\n"
    "  connect2 = 2,3,4,5;\n"
    "group: more {\n"
    "  dimensions: num_nodes = 2;\n"
    "  variables: double connect1(num_nodes); connect1:elem_type = 3; double coordx(num_dim);\n"
    "  data: coordx = 1, 2, 3;\n"
    "  group: deeper { variables: int eb_prop1(num_nodes); }\n"
    "}\n"
    "}\n";

/* False if there is no `ncgen`. */
static inline int foreign_cdl_write(const char *path) {
  char command[256];
  snprintf(command, sizeof command, "ncgen -k nc4 -o %s - 2>/dev/null", path);
  FILE *pipe = popen(command, "w");
  if (!pipe) return 0;
  fputs(foreign_cdl, pipe);
  return !pclose(pipe);
}

#endif
