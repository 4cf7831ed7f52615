/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/ply.h"

void ply_free(ply *mesh) {
  free(mesh->vertices), free(mesh->faces);
  *mesh = (ply){0};
}

/* Only the expected properties in the expected order are accepted; comments are skipped. */
static bool ply_read_header(FILE *file, ply *mesh) {
  char line[256], type[2][16];
  long long count;
  int coordinates = 0, lists = 0;
  bool binary = false;
  while (fgets(line, sizeof line, file) && strcmp(line, "end_header\n") != 0) {
    binary |= !strcmp(line, "format binary_little_endian 1.0\n");
    if (sscanf(line, "element vertex %lld", &count) == 1) mesh->vertex_count = count;
    else if (sscanf(line, "element face %lld", &count) == 1) mesh->face_count = count;
    else if (sscanf(line, "property list %15s %15s", type[0], type[1]) == 2)
      lists += (!strcmp(type[0], "uchar") || !strcmp(type[0], "uint8")) &&
               (!strcmp(type[1], "int") || !strcmp(type[1], "int32"));
    else if (!strncmp(line, "property", 8)) coordinates += !strncmp(line, "property double ", 16) ? 1 : 100;
  }
  return binary && coordinates == 3 && lists == 1 && mesh->vertex_count > 0 && mesh->face_count > 0;
}

static bool ply_read_faces(FILE *file, ply *mesh) {
  for (int64_t i = 0; i < mesh->face_count; ++i) {
    int32_t *face = mesh->faces + 3 * i;
    if (fgetc(file) != 3 || fread(face, sizeof *face, 3, file) != 3) return false;
    for (int k = 0; k < 3; ++k)
      if (face[k] < 0 || face[k] >= mesh->vertex_count) return false;
  }
  return fgetc(file) == EOF;
}

static bool ply_read_body(FILE *file, ply *mesh) {
  const size_t numbers = 3 * (size_t)mesh->vertex_count;
  mesh->vertices = calloc(numbers, sizeof *mesh->vertices);
  mesh->faces = calloc(3 * (size_t)mesh->face_count, sizeof *mesh->faces);
  return mesh->vertices && mesh->faces && fread(mesh->vertices, sizeof(double), numbers, file) == numbers &&
         ply_read_faces(file, mesh);
}

bool ply_read(const char *path, ply *mesh) {
  *mesh = (ply){0};
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  const bool read = ply_read_header(file, mesh) && ply_read_body(file, mesh);
  fclose(file);
  if (!read) ply_free(mesh);
  return read;
}
