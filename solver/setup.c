/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The bodies of a run: meshes read from files, materials, initial velocities and thicknesses by block. */
#include "impact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { OPTION_BYTES = IPG_NAME_MAX + 64, MAX_FILES = 64 };

/* Refuses an output file that is one of the meshes. */
static PetscErrorCode refuse_overwriting_mesh(const char *mesh, const char *option, const char *key) {
  char file[IMPACT_PATH_BYTES];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(impact_read_text_option(option, file, &given));
  PetscCheck(!given || !ipg_file_is_same(file, mesh), PETSC_COMM_WORLD, PETSC_ERR_USER,
             "%s is the mesh '%s', which would be overwritten: choose another name", key, mesh);
  PetscFunctionReturn(0);
}

static PetscErrorCode refuse_recording_over_mesh(const char *mesh) {
  char name[64];
  PetscInt step = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-contact_record", &step, NULL));
  PetscCall(PetscSNPrintf(name, sizeof name, "contact_step_%" PetscInt_FMT ".ipg", step));
  PetscCheck(!step || !ipg_file_is_same(name, mesh), PETSC_COMM_WORLD, PETSC_ERR_USER,
             "-contact_record would overwrite the mesh '%s': give the mesh another name", mesh);
  PetscFunctionReturn(0);
}

/* --------------------------------------------------------------------------------------------- where the meshes are */

/* A path of the command line is relative to the current folder, as in any program. */
static bool is_mesh_of_deck(const run *r) {
  for (int64_t i = 0; i < r->deck->count; ++i)
    if (!strcmp(r->deck->entries[i].option, "mesh")) return r->deck_option_holds[i];
  return false;
}

static bool exists(const char *path) {
  struct stat status;
  return !stat(path, &status);
}

static const char *get_tail(const char *text) {
  enum { LONGEST = 120 };
  const size_t length = strlen(text);
  return length > LONGEST ? text + length - LONGEST : text;
}

static PetscErrorCode refuse_missing_mesh(const char *file, const char *beside) {
  char here[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscGetWorkingDirectory(here, sizeof here));
  SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_USER,
          "there is no mesh '%s', neither beside the deck ('%s') nor in the current folder ('%s'): correct mesh in the "
          "deck, or make the mesh",
          get_tail(file), get_tail(beside), get_tail(here));
}

/* A relative path in the deck is looked up beside the deck, then in the current folder. */
static PetscErrorCode find_mesh(const run *r, const char *file, char path[PETSC_MAX_PATH_LEN]) {
  const char *slash = strrchr(r->deck->file, '/');
  const int folder_length = slash ? (int)(slash + 1 - r->deck->file) : 0;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(path, file, PETSC_MAX_PATH_LEN));
  if (file[0] == '/' || !is_mesh_of_deck(r)) PetscFunctionReturn(0);
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%.*s%s", folder_length, r->deck->file, file));
  if (exists(path)) {
    if (exists(file) && !ipg_file_is_same(path, file))
      fprintf(r->log, "mesh '%s' is read, not '%s' of the current folder: the one beside the deck comes first\n", path,
              file);
    PetscFunctionReturn(0);
  }
  if (!exists(file)) PetscCall(refuse_missing_mesh(file, path));
  PetscCall(PetscStrncpy(path, file, PETSC_MAX_PATH_LEN));
  PetscFunctionReturn(0);
}

/* The reader prints what it leaves out of a mesh. */
static void print_line(void *context, const char *line) { fprintf(((run *)context)->log, "%s\n", line); }

static PetscErrorCode read_mesh_options(run *r, ipg_exodus_options *options) {
  PetscBool leave_out = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-leave_out_others", &leave_out, NULL));
  *options = (ipg_exodus_options){.leave_out_others = leave_out, .report = print_line, .context = r};
  PetscFunctionReturn(0);
}

static PetscErrorCode append_mesh_file(run *r, const char *name, const ipg_exodus_options *options, bool first) {
  const ipg_allocator allocator = ipg_allocator_malloc();
  char file[PETSC_MAX_PATH_LEN];
  ipg_mesh more = {0};
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(find_mesh(r, name, file));
  PetscCall(refuse_overwriting_mesh(file, "-output_file", "output.file"));
  PetscCall(refuse_overwriting_mesh(file, "-output_picture", "output.picture"));
  PetscCall(refuse_recording_over_mesh(file));
  LibraryCall(error, ipg_exodus_read(file, options, &allocator, first ? &r->mesh : &more, &error));
  const ipg_status status = first ? IPG_OK : ipg_mesh_append(&r->mesh, &more, &error);
  if (!first) ipg_mesh_destroy(&more);
  PetscCheck(!status, PETSC_COMM_WORLD, PETSC_ERR_USER, "%s: %s", file, error.message);
  PetscFunctionReturn(0);
}

PetscErrorCode impact_read_meshes(run *r) {
  char *files[MAX_FILES];
  ipg_exodus_options options;
  PetscErrorCode failed = 0;
  PetscInt count = MAX_FILES;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(read_mesh_options(r, &options));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-mesh", files, &count, &given));
  PetscCheck(given && count > 0, PETSC_COMM_WORLD, PETSC_ERR_USER, "the deck names no mesh");
  PetscCheck(count < MAX_FILES, PETSC_COMM_WORLD, PETSC_ERR_USER, "a deck may name %d mesh files at most",
             MAX_FILES - 1);
  for (PetscInt i = 0; i < count; ++i) {
    if (!failed) failed = append_mesh_file(r, files[i], &options, !i);
    PetscCall(PetscFree(files[i]));
  }
  PetscCall(failed);
  PetscFunctionReturn(0);
}

/* ----------------------------------------------------------------------------------------------- blocks of the deck */

/* The word behind "blocks." in a path of the deck; false if the entry belongs to something else. */
static bool get_block_name(const ipg_deck_entry *entry, char name[IPG_NAME_MAX]) {
  static const char begin[] = "blocks.";
  if (strncmp(entry->path, begin, sizeof begin - 1) != 0) return false;
  snprintf(name, IPG_NAME_MAX, "%.*s", (int)strcspn(entry->path + sizeof begin - 1, "."),
           entry->path + sizeof begin - 1);
  return true;
}

static bool has_block(const ipg_mesh *mesh, const char *name) {
  char word[IPG_NAME_MAX], other[IPG_NAME_MAX];
  ipg_deck_make_option_name(name, word, sizeof word);
  for (int b = 0; b < mesh->block_count; ++b) {
    ipg_deck_make_option_name(mesh->blocks[b].name, other, sizeof other);
    if (!strcmp(word, other)) return true;
  }
  return false;
}

/* As many names as fit. */
static void list_block_names(const ipg_mesh *mesh, char *text, size_t bytes) {
  size_t used = 0;
  text[0] = 0;
  for (int b = 0; b < mesh->block_count && used < bytes; ++b)
    used += (size_t)snprintf(text + used, bytes - used, "%s%s", b ? ", " : "", mesh->blocks[b].name);
}

/* Checked before the materials: a misspelt block would also leave another one without its density. */
PetscErrorCode impact_refuse_unknown_blocks(const run *r) {
  char name[IPG_NAME_MAX], names[160];

  PetscFunctionBegin;
  list_block_names(&r->mesh, names, sizeof names);
  for (int64_t i = 0; i < r->deck->count; ++i) {
    const ipg_deck_entry *e = &r->deck->entries[i];
    PetscCheck(!get_block_name(e, name) || has_block(&r->mesh, name), PETSC_COMM_WORLD, PETSC_ERR_USER,
               "%s:%d:%d: the mesh has no block '%s'; its blocks are: %s", r->deck->file, e->line, e->column, name,
               names);
  }
  PetscFunctionReturn(0);
}

/* -------------------------------------------------------------------------------------------------------- materials */

static PetscErrorCode make_block_option(const ipg_block *block, const char *what, char name[OPTION_BYTES]) {
  char word[IPG_NAME_MAX];

  PetscFunctionBegin;
  ipg_deck_make_option_name(block->name, word, sizeof word);
  PetscCall(PetscSNPrintf(name, OPTION_BYTES, "-blocks_%s_%s", word, what));
  PetscFunctionReturn(0);
}

/* The value on the command line, otherwise that of the deck; NULL: neither. */
static PetscErrorCode find_block_value(const run *r, const ipg_block *block, const char *what, const char **value) {
  char name[OPTION_BYTES];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(make_block_option(block, what, name));
  PetscCall(PetscOptionsFindPair(NULL, NULL, name, value, &given));
  if (!given) *value = ipg_deck_get_value(r->deck, name + 1);
  PetscFunctionReturn(0);
}

static PetscErrorCode refuse_missing_value(const ipg_block *block, const char *what) {
  PetscFunctionBegin;
  PetscCheck(strlen(block->name) <= IPG_DECK_KEY_MAX && !strchr(block->name, '.'), PETSC_COMM_WORLD, PETSC_ERR_USER,
             "block '%.*s' has no %s, and no deck can give one, because its name has a dot or more than %d letters: "
             "rename it with impinge join --name",
             IPG_DECK_KEY_MAX, block->name, what, IPG_DECK_KEY_MAX);
  SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_USER, "block '%s' has no %s: add blocks.%s.%s to the deck", block->name, what,
          block->name, what);
}

/* Values are checked as the deck and the command line are read. */
static PetscErrorCode read_block_real(const run *r, const ipg_block *block, const char *what, PetscBool needed,
                                      double *real) {
  const char *value;

  PetscFunctionBegin;
  PetscCall(find_block_value(r, block, what, &value));
  if (needed && !value) PetscCall(refuse_missing_value(block, what));
  if (value) *real = strtod(value, NULL);
  PetscFunctionReturn(0);
}

/* The one law, neo_hookean, is the only value that a deck or a command line may have. */
static PetscErrorCode read_material(const run *r, const ipg_block *block, ipg_material *material) {
  const char *law;

  PetscFunctionBegin;
  *material = (ipg_material){.poisson = 0.3};
  PetscCall(find_block_value(r, block, "material", &law));
  PetscCheck(!law || !strcasecmp(law, "neo_hookean"), PETSC_COMM_WORLD, PETSC_ERR_USER,
             "block '%s' has the unknown material '%s'; the only one is neo_hookean", block->name, law);
  PetscCall(read_block_real(r, block, "density", PETSC_TRUE, &material->density));
  PetscCall(read_block_real(r, block, "young", PETSC_TRUE, &material->young));
  PetscCall(read_block_real(r, block, "poisson", PETSC_FALSE, &material->poisson));
  PetscFunctionReturn(0);
}

const ipg_block *impact_find_block(const run *r, ipg_gid element) {
  const ipg_block *block = r->mesh.blocks;
  for (int b = 0; b < r->mesh.block_count; ++b)
    for (int64_t e = 0; e < r->mesh.blocks[b].count; ++e)
      if (r->mesh.element_gids[r->mesh.blocks[b].first + e] == element) block = &r->mesh.blocks[b];
  return block;
}

/* Contact takes masses within limits that no unit of a real body passes. */
static PetscErrorCode check_masses(const run *r, int b) {
  static const double least = 1e-60, most = 1e60; /* of ipg_contact_create */
  const double *masses = ipg_solid_get_masses(r->solid);
  const ipg_block *block = &r->mesh.blocks[b];
  char option[OPTION_BYTES], name[IMPACT_SOURCE_BYTES];
  ipg_error error = {0};

  PetscFunctionBegin;
  for (int64_t i = 4 * block->first; i < 4 * (block->first + block->count); ++i) {
    const ipg_id node = r->mesh.tets[i];
    if (masses[node] >= least && masses[node] <= most) continue;
    PetscCall(make_block_option(block, "density", option));
    impact_name_option(r, option + 1, name);
    LibraryCall(error,
                ipg_fail(&error, IPG_ERROR_NUMBER,
                         "%s is %g, which gives node %lld of block '%s' a mass of %g, and masses may be from %g to "
                         "%g: correct the density, or take other units",
                         name, r->materials[b].density, (long long)r->mesh.node_gids[node], block->name, masses[node],
                         least, most));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode impact_create_solid(run *r) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->mesh.block_count, &r->materials));
  PetscCall(PetscMalloc1(r->mesh.block_count, &r->moduli));
  for (int b = 0; b < r->mesh.block_count; ++b) {
    PetscCall(read_material(r, &r->mesh.blocks[b], &r->materials[b]));
    r->moduli[b] = r->materials[b].young / (3 * (1 - 2 * r->materials[b].poisson));
  }
  LibraryCall(error, ipg_solid_create(&r->mesh, r->materials, NULL, &r->tasks, &r->solid, &error));
  for (int b = 0; b < r->mesh.block_count; ++b) PetscCall(check_masses(r, b));
  PetscFunctionReturn(0);
}

double impact_estimate_energy_rounding(const run *r) {
  double moduli = 0;
  for (int b = 0; b < r->mesh.block_count; ++b) {
    const ipg_block *block = &r->mesh.blocks[b];
    for (int64_t e = block->first; e < block->first + block->count; ++e)
      moduli += r->moduli[b] * ipg_tet_volume(r->mesh.x, r->mesh.tets + 4 * e);
  }
  return DBL_EPSILON * moduli;
}

static PetscErrorCode read_velocity(const run *r, const ipg_block *block, double velocity[3]) {
  const char *value;

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) velocity[k] = 0;
  PetscCall(find_block_value(r, block, "velocity", &value));
  PetscCheck(!value || sscanf(value, "%lf,%lf,%lf", &velocity[0], &velocity[1], &velocity[2]) == 3, PETSC_COMM_WORLD,
             PETSC_ERR_USER, "the velocity of block '%s' must be three numbers", block->name);
  PetscFunctionReturn(0);
}

PetscErrorCode impact_set_reference_velocities(run *r) {
  double *velocities;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * r->mesh.block_count, &velocities));
  for (int b = 0; b < r->mesh.block_count; ++b) PetscCall(read_velocity(r, &r->mesh.blocks[b], velocities + 3 * b));
  for (int i = 0; i < 3 * r->mesh.block_count;
       ++i) /* the first step says what a velocity beyond that of contact does */
    if (fabs(velocities[i]) > 1e60) velocities[i] = 0;
  PetscCall(IpgContactSetReferenceVelocities(r->contact, r->mesh.block_count, velocities));
  PetscCall(PetscFree(velocities));
  PetscFunctionReturn(0);
}

/* The velocity of a node is the momentum of its elements divided by its mass: a node shared by two blocks gets the mean
 * of their velocities, weighted by the mass from each. */
PetscErrorCode impact_set_initial_velocities(run *r) {
  const double *masses = ipg_solid_get_masses(r->solid);
  PetscScalar *v;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(r->v));
  PetscCall(VecGetArray(r->v, &v));
  for (int b = 0; b < r->mesh.block_count; ++b) {
    const ipg_block *block = &r->mesh.blocks[b];
    double velocity[3], density = 0;
    PetscCall(read_velocity(r, block, velocity));
    PetscCall(read_block_real(r, block, "density", PETSC_TRUE, &density));
    for (int64_t e = block->first; e < block->first + block->count; ++e) {
      const double quarter = 0.25 * density * ipg_tet_volume(r->mesh.x, r->mesh.tets + 4 * e);
      for (int a = 0; a < 4; ++a)
        for (int k = 0; k < 3; ++k) v[3 * (int64_t)r->mesh.tets[4 * e + a] + k] += quarter * velocity[k];
    }
  }
  for (int64_t i = 0; i < 3 * r->mesh.node_count; ++i) v[i] /= masses[i / 3];
  PetscCall(VecRestoreArray(r->v, &v));
  PetscFunctionReturn(0);
}

static PetscErrorCode check_thickness(const run *r, const ipg_block *block) {
  char option[OPTION_BYTES], number[32];
  double thickness = 0;

  PetscFunctionBegin;
  PetscCall(read_block_real(r, block, "thickness", PETSC_FALSE, &thickness));
  PetscCall(make_block_option(block, "thickness", option));
  snprintf(number, sizeof number, "%g", thickness);
  if (thickness > 0) PetscCall(impact_refuse_unless(r, "penalty", option + 1, number));
  PetscFunctionReturn(0);
}

PetscErrorCode impact_set_thicknesses(run *r) {
  double *thicknesses;

  PetscFunctionBegin;
  for (int b = 0; b < r->mesh.block_count; ++b) PetscCall(check_thickness(r, &r->mesh.blocks[b]));
  PetscCall(PetscCalloc1(r->mesh.block_count, &thicknesses));
  for (int b = 0; b < r->mesh.block_count; ++b)
    PetscCall(read_block_real(r, &r->mesh.blocks[b], "thickness", PETSC_FALSE, &thicknesses[b]));
  PetscCall(IpgContactSetThicknesses(r->contact, r->mesh.block_count, thicknesses));
  PetscCall(PetscFree(thicknesses));
  PetscFunctionReturn(0);
}
