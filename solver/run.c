/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One impact run: options, meshes, bodies, contact, time stepper, results.
 *
 * The deck's values become PETSc options (those on the command line go before them), and every part reads its own. The
 * time stepper is PETSc's TS of type impinge_cd with the contact attached; here are only what it needs of physics, the
 * choice of step, and the monitor that writes. */
#include "impinge/petsc.h"
#include "impinge/solver.h"

#include <math.h>
#include <string.h>

enum { NODAL_FIELDS = 9, GLOBAL_FIELDS = 11, PATH_BYTES = 512, NAME_BYTES = IPG_NAME_MAX + 64 };

static const char *const nodal_names[NODAL_FIELDS] = {
    "disp_x", "disp_y", "disp_z", "vel_x", "vel_y", "vel_z", "contact_force_x", "contact_force_y", "contact_force_z"};
static const char *const global_names[GLOBAL_FIELDS] = {
    "kinetic_energy", "strain_energy", "contact_energy", "released_energy", "contact_work", "energy_error",
    "momentum_x",     "momentum_y",    "momentum_z",     "contacts",        "time_step"};

/* Energies and momentum at one moment. */
typedef struct balance {
  double kinetic, strain, contact, released, work, momentum[3], momentum_scale;
  PetscInt contacts;
} balance;

typedef struct run {
  FILE *log;
  ipg_mesh mesh;
  ipg_solid *solid;
  ipg_pool *pool;
  ipg_tasks tasks;
  IpgContact contact;
  TS ts;
  Vec u, v, contact_force;
  ipg_results *results;
  double *fields[NODAL_FIELDS];
  PetscReal end, safety;
  PetscInt output_count, outputs, threads;
  ipg_gid governing; /* the element with the smallest step */
  balance first;
  double largest_energy, momentum_scale;
  PetscLogDouble started;
  ipg_impact_summary *summary;
} run;

#define LibraryCall(error, ...)                                                                                        \
  do {                                                                                                                 \
    if (PetscUnlikely(__VA_ARGS__)) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "%s", (error).message);                   \
  } while (0)

/* ------------------------------------------------------------------------------------------------------------- options
 */

static PetscErrorCode insert_deck(const ipg_deck *deck) {
  PetscFunctionBegin;
  for (int64_t i = 0; i < deck->count; ++i) {
    char name[600];
    PetscBool given;
    PetscCall(PetscSNPrintf(name, sizeof name, "-%s", deck->entries[i].option));
    PetscCall(PetscOptionsHasName(NULL, NULL, name, &given));
    if (!given) PetscCall(PetscOptionsSetValue(NULL, name, deck->entries[i].value));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode read_options(run *r) {
  PetscFunctionBegin;
  r->safety = 0.9, r->output_count = 20, r->threads = 1;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Impact run", "");
  PetscCall(PetscOptionsReal("-time_end", "When the run ends", "", r->end, &r->end, NULL));
  PetscCall(PetscOptionsReal("-time_safety", "Part of the stable step that is used", "", r->safety, &r->safety, NULL));
  PetscCall(PetscOptionsBoundedInt("-output_count", "Results", "", r->output_count, &r->output_count, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-threads", "Threads", "", r->threads, &r->threads, NULL, 1));
  PetscOptionsEnd();
  PetscCheck(r->end > 0 && PetscIsNormalReal(r->end), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "time.end is %g; it must be a finite number above 0", (double)r->end);
  PetscCheck(r->safety > 0 && r->safety <= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "time.safety is %g; it must be above 0 and at most 1", (double)r->safety);
  PetscFunctionReturn(0);
}

/* An option that nobody has read is a mistake of the user: a block that the mesh does not have, or a typing error. */
static PetscErrorCode refuse_unread_options(const ipg_deck *deck) {
  PetscInt count;
  char **names, **values;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &count, &names, &values));
  for (int64_t i = 0; count && i < deck->count; ++i) {
    const ipg_deck_entry *e = &deck->entries[i];
    PetscCheck(strcmp(names[0], e->option), PETSC_COMM_WORLD, PETSC_ERR_USER,
               "%s:%d:%d: nobody asks for %s: is there such a block in the mesh?", deck->file, e->line, e->column,
               e->path);
  }
  PetscCheck(!count, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "unknown option -%s; impinge run --help lists the keys of a deck", names[0]);
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------------------- the bodies
 */

static PetscErrorCode read_meshes(run *r) {
  char *files[64];
  PetscInt count = 64;
  PetscBool given;
  ipg_error error = {0};
  const ipg_allocator allocator = ipg_allocator_malloc();

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-mesh", files, &count, &given));
  PetscCheck(given && count > 0, PETSC_COMM_WORLD, PETSC_ERR_USER, "the deck names no mesh");
  PetscCheck(count < 64, PETSC_COMM_WORLD, PETSC_ERR_USER, "a deck may name 63 mesh files at most");
  for (PetscInt i = 0; i < count; ++i) {
    ipg_mesh more = {0};
    LibraryCall(error, ipg_exodus_read(files[i], &allocator, i ? &more : &r->mesh, &error));
    const ipg_status status = i ? ipg_mesh_append(&r->mesh, &more, &error) : IPG_OK;
    if (i) ipg_mesh_free(&more);
    PetscCheck(!status, PETSC_COMM_WORLD, PETSC_ERR_USER, "%s: %s", files[i], error.message);
    PetscCall(PetscFree(files[i]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode block_option(const ipg_block *block, const char *what, char name[NAME_BYTES]) {
  char word[IPG_NAME_MAX];

  PetscFunctionBegin;
  ipg_option_name(block->name, word, sizeof word);
  PetscCall(PetscSNPrintf(name, NAME_BYTES, "-blocks_%s_%s", word, what));
  PetscFunctionReturn(0);
}

static PetscErrorCode read_real(const ipg_block *block, const char *what, PetscBool needed, double *value) {
  char name[NAME_BYTES];
  PetscReal real = (PetscReal)*value;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(block_option(block, what, name));
  PetscCall(PetscOptionsGetReal(NULL, NULL, name, &real, &given));
  PetscCheck(given || !needed, PETSC_COMM_WORLD, PETSC_ERR_USER, "block '%s' has no %s: add blocks.%s.%s to the deck",
             block->name, what, block->name, what);
  *value = (double)real;
  PetscFunctionReturn(0);
}

static PetscErrorCode read_material(const ipg_block *block, ipg_material *material) {
  char name[NAME_BYTES], law[64] = "neo_hookean";

  PetscFunctionBegin;
  *material = (ipg_material){.poisson = 0.3};
  PetscCall(block_option(block, "material", name));
  PetscCall(PetscOptionsGetString(NULL, NULL, name, law, sizeof law, NULL));
  PetscCheck(!strcmp(law, "neo_hookean"), PETSC_COMM_WORLD, PETSC_ERR_USER,
             "block '%s' asks for material '%s'; there is neo_hookean", block->name, law);
  PetscCall(read_real(block, "density", PETSC_TRUE, &material->density));
  PetscCall(read_real(block, "young", PETSC_TRUE, &material->young));
  PetscCall(read_real(block, "poisson", PETSC_FALSE, &material->poisson));
  PetscFunctionReturn(0);
}

static PetscErrorCode make_solid(run *r) {
  ipg_material *materials;
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->mesh.block_count, &materials));
  for (int b = 0; b < r->mesh.block_count; ++b) PetscCall(read_material(&r->mesh.blocks[b], &materials[b]));
  LibraryCall(error, ipg_solid_create(&r->mesh, materials, NULL, &r->tasks, &r->solid, &error));
  PetscCall(PetscFree(materials));
  PetscFunctionReturn(0);
}

/* Nodes that two blocks share take the mean of the blocks' velocities, weighted by the mass that each brings: simply
 * the momentum of the elements, divided by the mass. */
static PetscErrorCode set_velocities(run *r) {
  const double *masses = ipg_solid_masses(r->solid);
  PetscScalar *v;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(r->v));
  PetscCall(VecGetArray(r->v, &v));
  for (int b = 0; b < r->mesh.block_count; ++b) {
    const ipg_block *block = &r->mesh.blocks[b];
    PetscReal velocity[3] = {0};
    PetscInt three = 3;
    char name[NAME_BYTES];
    double density = 0;
    PetscCall(block_option(block, "velocity", name));
    PetscCall(PetscOptionsGetRealArray(NULL, NULL, name, velocity, &three, NULL));
    PetscCheck(three == 3 || !velocity[0], PETSC_COMM_WORLD, PETSC_ERR_USER,
               "the velocity of block '%s' must be three numbers", block->name);
    PetscCall(read_real(block, "density", PETSC_TRUE, &density));
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

/* ---------------------------------------------------------------------------------------------- what the stepper asks
 */

/* F = M a - internal forces */
static PetscErrorCode residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  run *r = context;
  const double *masses = ipg_solid_masses(r->solid);
  const PetscScalar *u, *a;
  PetscScalar *f;
  ipg_error error = {0};

  PetscFunctionBegin;
  (void)ts, (void)t, (void)V;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(A, &a));
  PetscCall(VecGetArray(F, &f));
  LibraryCall(error, ipg_solid_forces(r->solid, u, f, &error));
  for (int64_t i = 0; i < 3 * r->mesh.node_count; ++i) f[i] = masses[i / 3] * a[i] - f[i];
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(VecRestoreArrayRead(A, &a));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

/* The rest of the run in equal steps, none above the stable one. */
static PetscErrorCode choose_step(TS ts) {
  run *r;
  PetscReal t;
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(TSGetApplicationContext(ts, &r));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(VecGetArrayRead(r->u, &u));
  const double stable = r->safety * ipg_solid_stable_step(r->solid, u, &r->governing);
  PetscCall(VecRestoreArrayRead(r->u, &u));
  PetscCheck(stable > 1e-12 * r->end, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "the stable step of element %lld has fallen to %g: the run would not end", (long long)r->governing,
             stable);
  PetscCall(TSSetTimeStep(ts, (r->end - t) / ceil((r->end - t) / stable)));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------ balances
 */

static PetscErrorCode take_balance(run *r, balance *b) {
  const double *masses = ipg_solid_masses(r->solid);
  const PetscScalar *u, *v;
  ipg_contact_ledger ledger;
  const ipg_contact_pair *pairs;

  PetscFunctionBegin;
  *b = (balance){0};
  PetscCall(VecGetArrayRead(r->u, &u));
  PetscCall(VecGetArrayRead(r->v, &v));
  for (int64_t i = 0; i < r->mesh.node_count; ++i) {
    double speed2 = 0;
    for (int k = 0; k < 3; ++k) {
      b->momentum[k] += masses[i] * v[3 * i + k];
      speed2 += v[3 * i + k] * v[3 * i + k];
    }
    b->kinetic += 0.5 * masses[i] * speed2;
    b->momentum_scale += masses[i] * sqrt(speed2);
  }
  b->strain = ipg_solid_energy(r->solid, u);
  PetscCall(VecRestoreArrayRead(r->v, &v));
  PetscCall(VecRestoreArrayRead(r->u, &u));
  PetscCall(IpgContactGetLedger(r->contact, &ledger));
  PetscCall(IpgContactGetPairs(r->contact, &b->contacts, &pairs));
  b->contact = ledger.stored, b->released = ledger.released, b->work = ledger.work;
  PetscFunctionReturn(0);
}

static double total_energy(const balance *b) { return b->kinetic + b->strain + b->contact + b->released; }

static double energy_error(run *r, const balance *b) {
  r->largest_energy = fmax(r->largest_energy, total_energy(b));
  return r->largest_energy > 0 ? (total_energy(b) - total_energy(&r->first)) / r->largest_energy : 0;
}

static double momentum_error(run *r, const balance *b) {
  double change = 0;
  r->momentum_scale = fmax(r->momentum_scale, b->momentum_scale);
  for (int k = 0; k < 3; ++k) change = fmax(change, fabs(b->momentum[k] - r->first.momentum[k]));
  return r->momentum_scale > 0 ? change / r->momentum_scale : 0;
}

/* ------------------------------------------------------------------------------------------------------------- results
 */

/* The force on each node as the contact gave it for the state at the end of the step. */
static PetscErrorCode spread_contact_force(run *r) {
  const ipg_contact_pair *pairs;
  PetscInt count;
  PetscScalar *f;

  PetscFunctionBegin;
  PetscCall(IpgContactGetPairs(r->contact, &count, &pairs));
  PetscCall(VecZeroEntries(r->contact_force));
  PetscCall(VecGetArray(r->contact_force, &f));
  PetscCall(IpgContactAddPairForces(r->contact, count, pairs, f));
  PetscCall(VecRestoreArray(r->contact_force, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode fill_fields(run *r) {
  const Vec vectors[3] = {r->u, r->v, r->contact_force};

  PetscFunctionBegin;
  PetscCall(spread_contact_force(r));
  for (int f = 0; f < 3; ++f) {
    const PetscScalar *values;
    PetscCall(VecGetArrayRead(vectors[f], &values));
    for (int64_t i = 0; i < r->mesh.node_count; ++i)
      for (int k = 0; k < 3; ++k) r->fields[3 * f + k][i] = values[3 * i + k];
    PetscCall(VecRestoreArrayRead(vectors[f], &values));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode write_results(run *r, PetscReal t, PetscReal dt, const balance *b) {
  ipg_error error = {0};

  PetscFunctionBegin;
  if (!r->results) PetscFunctionReturn(0);
  const double globals[GLOBAL_FIELDS] = {b->kinetic,     b->strain,           b->contact,     b->released,
                                         b->work,        energy_error(r, b),  b->momentum[0], b->momentum[1],
                                         b->momentum[2], (double)b->contacts, (double)dt};
  PetscCall(fill_fields(r));
  LibraryCall(error, ipg_results_append(r->results, (double)t, (const double *const *)r->fields, globals, &error));
  PetscFunctionReturn(0);
}

static void print_status(run *r, PetscInt step, PetscReal t, PetscReal dt, const balance *b) {
  PetscLogDouble now = 0;
  (void)PetscTime(&now);
  const double left = t > 0 ? (now - r->started) * (r->end - t) / t : 0;
  fprintf(r->log, "%8lld %11.4e %10.3e %8lld %11.4e %11.4e %11.4e %8.1e %8.1e %8lld %6.0f\n", (long long)step,
          (double)t, (double)dt, (long long)r->governing, b->kinetic, b->strain, b->contact, energy_error(r, b),
          momentum_error(r, b), (long long)b->contacts, left);
  fflush(r->log);
}

static PetscErrorCode monitor(TS ts, PetscInt step, PetscReal t, Vec U, void *context) {
  run *r = context;
  balance b;
  PetscReal dt;

  PetscFunctionBegin;
  (void)U;
  const bool last = t >= r->end * (1 - 1e-9);
  if (t < r->outputs * r->end / r->output_count && !last) PetscFunctionReturn(0);
  if (last && r->outputs > r->output_count) PetscFunctionReturn(0); /* written already */
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(take_balance(r, &b));
  if (!r->outputs) r->first = b;
  PetscCall(write_results(r, t, dt, &b));
  print_status(r, step, t, dt, &b);
  while (r->outputs <= r->output_count && t >= r->outputs * r->end / r->output_count) r->outputs++;
  if (last) r->outputs = r->output_count + 1;
  PetscFunctionReturn(0);
}

/* -------------------------------------------------------------------------------------------------------------- phases
 */

static PetscErrorCode start_threads(run *r) {
  ipg_error error = {0};

  PetscFunctionBegin;
  r->tasks = ipg_tasks_serial();
  if (r->threads == 1) PetscFunctionReturn(0);
  LibraryCall(error, ipg_pool_create((int)r->threads, &r->pool, &error));
  r->tasks = ipg_pool_tasks(r->pool);
  PetscFunctionReturn(0);
}

static PetscErrorCode make_vectors(run *r) {
  PetscFunctionBegin;
  PetscCall(VecCreate(PETSC_COMM_SELF, &r->u));
  PetscCall(VecSetSizes(r->u, (PetscInt)(3 * r->mesh.node_count), PETSC_DECIDE));
  PetscCall(VecSetBlockSize(r->u, 3));
  PetscCall(VecSetType(r->u, VECSEQ));
  PetscCall(VecDuplicate(r->u, &r->v));
  PetscCall(VecDuplicate(r->u, &r->contact_force));
  PetscCall(VecZeroEntries(r->u));
  PetscCall(set_velocities(r));
  PetscFunctionReturn(0);
}

static PetscErrorCode make_contact(run *r) {
  PetscFunctionBegin;
  PetscCall(IpgContactCreate(PETSC_COMM_SELF, &r->contact));
  PetscCall(IpgContactSetTasks(r->contact, &r->tasks));
  PetscCall(IpgContactSetFromOptions(r->contact));
  PetscCall(IpgContactSetMesh(r->contact, &r->mesh, ipg_solid_masses(r->solid)));
  PetscFunctionReturn(0);
}

static PetscErrorCode make_stepper(run *r) {
  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_SELF, &r->ts));
  PetscCall(TSSetType(r->ts, TSIMPINGECD));
  PetscCall(TS2SetSolution(r->ts, r->u, r->v));
  PetscCall(TSSetI2Function(r->ts, NULL, residual, r));
  PetscCall(TSSetApplicationContext(r->ts, r));
  PetscCall(TSSetMaxTime(r->ts, r->end * (1 - 1e-9))); /* the last step lands on the end but for rounding */
  PetscCall(TSSetMaxSteps(r->ts, PETSC_MAX_INT));
  PetscCall(TSSetExactFinalTime(r->ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetPreStep(r->ts, choose_step));
  PetscCall(TSMonitorSet(r->ts, monitor, r, NULL));
  PetscCall(IpgContactAttach(r->contact, r->ts));
  PetscCall(TSSetFromOptions(r->ts));
  PetscFunctionReturn(0);
}

static PetscErrorCode open_results(run *r) {
  char file[PATH_BYTES];
  PetscBool given;
  ipg_error error = {0};
  const ipg_results_layout layout = {NODAL_FIELDS, GLOBAL_FIELDS, nodal_names, global_names};

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-output_file", file, sizeof file, &given));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-output_picture", NULL)); /* these three are the program's */
  PetscCall(PetscOptionsHasName(NULL, NULL, "-output_colour", NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-output_view", NULL));
  for (int f = 0; f < NODAL_FIELDS; ++f) PetscCall(PetscMalloc1(r->mesh.node_count, &r->fields[f]));
  if (!given) PetscFunctionReturn(0);
  LibraryCall(error, ipg_results_create(file, &r->mesh, &layout, &r->results, &error));
  PetscFunctionReturn(0);
}

static PetscErrorCode announce(run *r) {
  char title[PATH_BYTES] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-title", title, sizeof title, NULL));
  if (*title) fprintf(r->log, "%s\n", title);
  for (int b = 0; b < r->mesh.block_count; ++b)
    fprintf(r->log, "block %-16s %lld elements\n", r->mesh.blocks[b].name, (long long)r->mesh.blocks[b].count);
  fprintf(r->log, "%8s %11s %10s %8s %11s %11s %11s %8s %8s %8s %6s\n", "cycle", "time", "step", "element", "kinetic",
          "strain", "contact", "d_energy", "d_moment", "contacts", "left_s");
  PetscFunctionReturn(0);
}

/* Nodes that start inside another body get no force; the user must hear of them. */
static PetscErrorCode report_overlap(run *r) {
  ipg_contact_audit_report report;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(r->contact_force));
  PetscCall(IpgContactComputeForce(r->contact, 1, r->u, r->v, r->contact_force));
  PetscCall(IpgContactAuditInside(r->contact, &report));
  if (report.nodes_inside)
    fprintf(r->log, "warning: %lld nodes start inside another body and get no force until they have left it; %s\n",
            (long long)report.nodes_inside, report.message);
  PetscFunctionReturn(0);
}

static uint64_t fingerprint(uint64_t hash, const double *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

static PetscErrorCode summarise(run *r) {
  balance b;
  PetscInt steps;
  PetscReal t;
  ipg_contact_ledger ledger;
  ipg_contact_counters counters;
  const PetscScalar *values;
  ipg_impact_summary *s = r->summary;

  PetscFunctionBegin;
  PetscCall(take_balance(r, &b));
  PetscCall(TSGetStepNumber(r->ts, &steps));
  PetscCall(TSGetTime(r->ts, &t));
  PetscCall(IpgContactGetLedger(r->contact, &ledger));
  PetscCall(IpgContactGetCounters(r->contact, &counters));
  *s = (ipg_impact_summary){.steps = steps, .time = t, .births = ledger.births, .audits = counters.audits};
  s->energy_error = energy_error(r, &b), s->momentum_error = momentum_error(r, &b);
  s->kinetic_before = r->first.kinetic, s->kinetic_after = b.kinetic;
  s->strain_after = b.strain, s->contact_after = b.contact, s->released = b.released;
  memcpy(s->momentum_before, r->first.momentum, sizeof s->momentum_before);
  memcpy(s->momentum_after, b.momentum, sizeof s->momentum_after);
  PetscCall(VecGetArrayRead(r->u, &values));
  s->fingerprint = fingerprint(1, values, 3 * r->mesh.node_count);
  PetscCall(VecRestoreArrayRead(r->u, &values));
  PetscCall(VecGetArrayRead(r->v, &values));
  s->fingerprint = fingerprint(s->fingerprint, values, 3 * r->mesh.node_count);
  PetscCall(VecRestoreArrayRead(r->v, &values));
  PetscFunctionReturn(0);
}

/* Momentum of the elements of a block, divided by their mass. */
static void block_velocity(const run *r, const ipg_block *block, const PetscScalar *v, double mean[3]) {
  double volume = 0;
  memset(mean, 0, 3 * sizeof *mean);
  for (int64_t e = block->first; e < block->first + block->count; ++e) {
    const ipg_id *corner = r->mesh.tets + 4 * e;
    const double quarter = 0.25 * ipg_tet_volume(r->mesh.x, corner);
    volume += 4 * quarter;
    for (int a = 0; a < 4; ++a)
      for (int k = 0; k < 3; ++k) mean[k] += quarter * v[3 * (int64_t)corner[a] + k];
  }
  for (int k = 0; k < 3; ++k) mean[k] /= volume;
}

static PetscErrorCode print_block_velocities(const run *r) {
  const PetscScalar *v;
  double mean[3];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(r->v, &v));
  for (int b = 0; b < r->mesh.block_count; ++b) {
    if (!r->mesh.blocks[b].count) continue;
    block_velocity(r, &r->mesh.blocks[b], v, mean);
    fprintf(r->log, "mean velocity    %.6e %.6e %.6e  of block %s\n", mean[0], mean[1], mean[2],
            r->mesh.blocks[b].name);
  }
  PetscCall(VecRestoreArrayRead(r->v, &v));
  PetscFunctionReturn(0);
}

static void print_summary(const run *r) {
  const ipg_impact_summary *s = r->summary;
  fprintf(r->log, "momentum before  %.12e %.12e %.12e\n", s->momentum_before[0], s->momentum_before[1],
          s->momentum_before[2]);
  fprintf(r->log, "momentum after   %.12e %.12e %.12e\n", s->momentum_after[0], s->momentum_after[1],
          s->momentum_after[2]);
  fprintf(r->log, "momentum error   %.1e of the sum of m |v|\n", s->momentum_error);
  fprintf(r->log, "energy           %.6e before; after: kinetic %.6e, strain %.6e, contact %.6e, released %.6e\n",
          s->kinetic_before, s->kinetic_after, s->strain_after, s->contact_after, s->released);
  fprintf(r->log, "energy error     %.1e of the largest energy\n", s->energy_error);
  fprintf(r->log, "steps            %lld, audits %lld, contacts begun %lld\n", (long long)s->steps,
          (long long)s->audits, (long long)s->births);
  fprintf(r->log, "fingerprint      %016llx\n", (unsigned long long)s->fingerprint);
}

static PetscErrorCode solve(run *r) {
  TSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PetscTime(&r->started));
  PetscCall(TSSolve(r->ts, NULL));
  PetscCall(TSGetConvergedReason(r->ts, &reason));
  PetscCheck(reason == TS_CONVERGED_TIME, PETSC_COMM_WORLD, PETSC_ERR_USER, "the run stopped early: %s",
             TSConvergedReasons[reason]);
  PetscFunctionReturn(0);
}

static PetscErrorCode run_phases(run *r, const ipg_deck *deck) {
  PetscFunctionBegin;
  PetscCall(insert_deck(deck));
  PetscCall(read_options(r));
  PetscCall(start_threads(r));
  PetscCall(read_meshes(r));
  PetscCall(make_solid(r));
  PetscCall(make_vectors(r));
  PetscCall(make_contact(r));
  PetscCall(make_stepper(r));
  PetscCall(open_results(r));
  PetscCall(announce(r));
  PetscCall(refuse_unread_options(deck));
  PetscCall(report_overlap(r));
  PetscCall(solve(r));
  PetscCall(summarise(r));
  PetscCall(print_block_velocities(r));
  print_summary(r);
  PetscFunctionReturn(0);
}

/* In the reverse order of making; what was not made is zero. */
static PetscErrorCode clear(run *r) {
  ipg_error error = {0};

  PetscFunctionBegin;
  for (int f = 0; f < NODAL_FIELDS; ++f) PetscCall(PetscFree(r->fields[f]));
  PetscCall(TSDestroy(&r->ts));
  PetscCall(IpgContactDestroy(&r->contact));
  PetscCall(VecDestroy(&r->contact_force));
  PetscCall(VecDestroy(&r->v));
  PetscCall(VecDestroy(&r->u));
  ipg_solid_destroy(&r->solid);
  ipg_mesh_free(&r->mesh);
  ipg_pool_destroy(&r->pool);
  LibraryCall(error, ipg_results_close(&r->results, &error));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------ PETSc */

/* PETSc reports an error to every level of the call stack; the user wants the first sentence. */
static PetscErrorCode keep_first_message(MPI_Comm comm, int line, const char *function, const char *file,
                                         PetscErrorCode code, PetscErrorType type, const char *message, void *context) {
  ipg_error *error = context;
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL)
    ipg_fail(error, IPG_ERROR_ARGUMENT, "%s", message ? message : "PETSc gave no reason");
  return code;
}

static ipg_status start_petsc(int argc, char **argv, ipg_error *error) {
  (void)PetscOptionsSetValue(NULL, "-no_signal_handler", "1"); /* a crash or Ctrl-C is ours to report */
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return ipg_fail(error, IPG_ERROR_SYSTEM, "PETSc could not be started");
  (void)PetscOptionsHasName(NULL, NULL, "-no_signal_handler", NULL);
  return IPG_OK;
}

ipg_status ipg_impact_run(int argc, char **argv, const ipg_deck *deck, FILE *log, ipg_impact_summary *summary,
                          ipg_error *error) {
  ipg_error mine = {0};
  run r = {.log = log, .summary = summary};
  const ipg_status status = start_petsc(argc, argv, error);
  if (status) return status;
  (void)PetscPushErrorHandler(keep_first_message, &mine);
  PetscErrorCode failed = run_phases(&r, deck);
  if (!failed) failed = clear(&r);
  else (void)clear(&r);
  (void)PetscPopErrorHandler();
  (void)PetscFinalize();
  if (failed) return ipg_fail(error, mine.status ? mine.status : IPG_ERROR_BROKEN, "%s", mine.message);
  return IPG_OK;
}
