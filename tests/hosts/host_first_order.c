/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A program of first order, y = (u, v), in the form that -form names:
 *   halves       y' = g(t, y) for Runge-Kutta, all displacements before all velocities
 *   interleaved  the same with u and v of each node side by side
 *   implicit     F(t, y, y') = (u' - v, M v' - f(u)) = 0, halves
 *   split        u' = v and v' = f(u) / m, for symplectic methods, interleaved
 *   imex         (u', M v') = (v, f(u)), both sides given, for implicit methods; halves
 * Further options are what programs do: see main. */
#include "two_bodies.h"
#include <petscts.h>

typedef enum form { HALVES, INTERLEAVED, IMPLICIT, SPLIT, IMEX } form;
static const char *const forms[] = {"halves", "interleaved", "implicit", "split", "imex"};

typedef struct app {
  two_bodies bodies;
  two_bodies_history history;
  PetscInt form;
  int order[NODES]; /* the number of each node in the vector */
  PetscBool has_positions, evaluates_again, holds, also_whole, breaks;
  int steps_taken_back;
  PetscReal time_before; /* of the windows before */
} app;

static int u_at(const app *p, int i) {
  const int node = p->order[i / 3], k = i % 3;
  return p->form == INTERLEAVED || p->form == SPLIT ? 6 * node + k : 3 * node + k;
}

static int v_at(const app *p, int i) {
  return u_at(p, i) + (p->form == INTERLEAVED || p->form == SPLIT ? 3 : 3 * NODES);
}

static double origin_of(const app *p, int i) { return p->has_positions ? p->bodies.x[i / 3][i % 3] : 0; }

static void unpack(const app *p, const PetscScalar *y, double *u, double *v) {
  for (int i = 0; i < 3 * NODES; ++i) u[i] = y[u_at(p, i)] - origin_of(p, i), v[i] = y[v_at(p, i)];
}

static PetscErrorCode right_side(TS ts, PetscReal t, Vec Y, Vec G, void *context) {
  const app *p = context;
  double u[3 * NODES], v[3 * NODES], f[3 * NODES] = {0};
  const PetscScalar *y;
  PetscScalar *g;
  (void)ts;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(Y, &y));
  unpack(p, y, u, v);
  PetscCall(VecRestoreArrayRead(Y, &y));
  two_bodies_add_forces(&p->bodies, u, f);
  PetscCall(VecGetArrayWrite(G, &g));
  for (int i = 0; i < 3 * NODES; ++i) {
    const int is_held = p->holds && two_bodies_is_end(&p->bodies, i / 3);
    g[u_at(p, i)] = is_held ? 0 : v[i];
    g[v_at(p, i)] = is_held ? 0 : p->form == IMEX ? f[i] : f[i] / p->bodies.mass[i / 3];
  }
  if (p->breaks && t > 0.01) g[7] = NAN;
  PetscCall(VecRestoreArrayWrite(G, &g));
  PetscFunctionReturn(0);
}

static PetscErrorCode residual(TS ts, PetscReal t, Vec Y, Vec Ydot, Vec F, void *context) {
  const app *p = context;
  const PetscScalar *ydot;
  PetscScalar *g;
  PetscFunctionBegin;
  PetscCall(right_side(ts, t, Y, F, context));
  PetscCall(VecGetArray(F, &g));
  PetscCall(VecGetArrayRead(Ydot, &ydot));
  for (int i = 0; i < 3 * NODES; ++i) {
    g[u_at(p, i)] = ydot[u_at(p, i)] - g[u_at(p, i)];
    g[v_at(p, i)] = p->bodies.mass[i / 3] * (ydot[v_at(p, i)] - g[v_at(p, i)]);
  }
  PetscCall(VecRestoreArrayRead(Ydot, &ydot));
  PetscCall(VecRestoreArray(F, &g));
  PetscFunctionReturn(0);
}

/* Of form imex: the left side. */
static PetscErrorCode left_side(TS ts, PetscReal t, Vec Y, Vec Ydot, Vec F, void *context) {
  const app *p = context;
  PetscScalar *f;
  (void)ts, (void)t, (void)Y;
  PetscFunctionBegin;
  PetscCall(VecCopy(Ydot, F));
  PetscCall(VecGetArray(F, &f));
  for (int i = 0; i < 3 * NODES; ++i) f[v_at(p, i)] *= p->bodies.mass[i / 3];
  PetscCall(VecRestoreArray(F, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode left_jacobian(TS ts, PetscReal t, Vec Y, Vec Ydot, PetscReal shift, Mat J, Mat P, void *context) {
  const app *p = context;
  (void)ts, (void)t, (void)Y, (void)Ydot, (void)J;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * NODES; ++i) {
    PetscCall(MatSetValue(P, u_at(p, (int)i), u_at(p, (int)i), shift, INSERT_VALUES));
    PetscCall(MatSetValue(P, v_at(p, (int)i), v_at(p, (int)i), shift * p->bodies.mass[i / 3], INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_imex(TS ts, app *p) {
  Mat diagonal;
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 6 * NODES, 6 * NODES, 1, NULL, &diagonal));
  PetscCall(TSSetType(ts, TSCN));
  PetscCall(TSSetIFunction(ts, NULL, left_side, p));
  PetscCall(TSSetIJacobian(ts, diagonal, diagonal, left_jacobian, p));
  PetscCall(TSSetRHSFunction(ts, NULL, right_side, p));
  PetscCall(MatDestroy(&diagonal));
  PetscFunctionReturn(0);
}

static PetscErrorCode velocities(TS ts, PetscReal t, Vec V, Vec rate, void *context) {
  (void)ts, (void)t, (void)context;
  PetscFunctionBegin;
  PetscCall(VecCopy(V, rate));
  PetscFunctionReturn(0);
}

static PetscErrorCode accelerations(TS ts, PetscReal t, Vec U, Vec rate, void *context) {
  const app *p = context;
  const PetscScalar *u;
  PetscScalar *f;
  (void)ts, (void)t;
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(rate));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArray(rate, &f));
  two_bodies_add_forces(&p->bodies, u, f);
  for (int i = 0; i < 3 * NODES; ++i) f[i] /= p->bodies.mass[i / 3];
  PetscCall(VecRestoreArray(rate, &f));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

static PetscErrorCode watch(TS ts, PetscInt step, PetscReal t, Vec Y, void *context) {
  app *p = context;
  double u[3 * NODES], v[3 * NODES];
  const PetscScalar *y;
  Vec rate;
  void *given;
  (void)step;
  PetscFunctionBegin;
  PetscCall(TSGetRHSFunction(ts, NULL, NULL, &given)); /* as programs find their own data */
  PetscCheck(!given || given == p, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the context is another one");
  if (p->evaluates_again) {
    PetscCall(VecDuplicate(Y, &rate));
    PetscCall(TSComputeRHSFunction(ts, t, Y, rate));
    PetscCall(VecDestroy(&rate));
  }
  PetscCall(VecGetArrayRead(Y, &y));
  unpack(p, y, u, v);
  PetscCall(VecRestoreArrayRead(Y, &y));
  two_bodies_watch(&p->bodies, p->time_before + t, u, v, &p->history);
  PetscFunctionReturn(0);
}

static PetscErrorCode set_functions(TS ts, app *p) {
  PetscFunctionBegin;
  if (p->form == HALVES || p->form == INTERLEAVED) {
    PetscCall(TSSetType(ts, TSRK));
    PetscCall(TSSetRHSFunction(ts, NULL, right_side, p));
  } else if (p->form == IMEX) {
    PetscCall(set_imex(ts, p));
  } else if (p->form == IMPLICIT) {
    PetscCall(TSSetIFunction(ts, NULL, residual, p));
    PetscCall(TSSetType(ts, TSCN));
  } else {
    PetscInt at[2][3 * NODES];
    static const char *const names[2] = {"position", "momentum"};
    for (int i = 0; i < 3 * NODES; ++i) at[0][i] = u_at(p, i), at[1][i] = v_at(p, i);
    for (int k = 0; k < 2; ++k) {
      IS part;
      PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 3 * NODES, at[k], PETSC_COPY_VALUES, &part));
      PetscCall(TSRHSSplitSetIS(ts, names[k], part));
      PetscCall(ISDestroy(&part));
    }
    PetscCall(TSRHSSplitSetRHSFunction(ts, "position", NULL, velocities, p));
    PetscCall(TSRHSSplitSetRHSFunction(ts, "momentum", NULL, accelerations, p));
    if (p->also_whole) PetscCall(TSSetRHSFunction(ts, NULL, right_side, p));
    PetscCall(TSSetType(ts, TSBASICSYMPLECTIC));
    PetscCall(TSBasicSymplecticSetType(ts, TSBASICSYMPLECTICVELVERLET));
  }
  PetscFunctionReturn(0);
}

/* An event at each twentieth of the run, which PETSc finds by going back. */
static PetscErrorCode find_event(TS ts, PetscReal t, Vec Y, PetscScalar *value, void *context) {
  (void)ts, (void)Y, (void)context;
  PetscFunctionBegin;
  *value = PetscSinReal(PETSC_PI * (t - 0.0003) / 0.03);
  PetscFunctionReturn(0);
}

static PetscErrorCode count_event(TS ts, PetscInt count, PetscInt *list, PetscReal t, Vec Y, PetscBool forward,
                                  void *context) {
  app *p = context;
  (void)ts, (void)count, (void)list, (void)t, (void)Y, (void)forward;
  PetscFunctionBegin;
  p->steps_taken_back++;
  PetscFunctionReturn(0);
}

static PetscErrorCode has_option(const char *name, PetscBool *found) {
  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, name, found));
  PetscFunctionReturn(0);
}

static void order_nodes(app *p, PetscBool shuffle) {
  unsigned long long state = 88172645463325252ull;
  for (int i = 0; i < NODES; ++i) p->order[i] = i;
  for (int i = NODES - 1; i > 0 && shuffle; --i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const int j = (int)(state % (unsigned)(i + 1)), swap = p->order[i];
    p->order[i] = p->order[j], p->order[j] = swap;
  }
}

/* For programs beside this one: where its nodes are, in the order of its vector. */
static PetscErrorCode write_coordinates(const app *p, PetscReal shift) {
  char path[PETSC_MAX_PATH_LEN];
  PetscBool given;
  PetscViewer viewer;
  Vec x;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-write_coordinates", path, sizeof path, &given));
  if (!given) PetscFunctionReturn(0);
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 3 * NODES, &x));
  for (int i = 0; i < 3 * NODES; ++i)
    PetscCall(VecSetValue(x, 3 * p->order[i / 3] + i % 3, p->bodies.x[i / 3][i % 3] + shift, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, path, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(x, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(0);
}

static PetscErrorCode write_indices(const app *p) {
  char name[64], path[80];
  PetscBool given;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-write_indices", name, sizeof name, &given));
  for (int part = 0; part < 2 && given; ++part) {
    PetscInt at[3 * NODES];
    PetscViewer viewer;
    IS set;
    for (int i = 0; i < 3 * NODES; ++i) at[i] = part ? v_at(p, i) : u_at(p, i);
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 3 * NODES, at, PETSC_COPY_VALUES, &set));
    PetscCall(PetscSNPrintf(path, sizeof path, "%s_%s.is", name, part ? "v" : "u"));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, path, FILE_MODE_WRITE, &viewer));
    PetscCall(ISView(set, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(ISDestroy(&set));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode set_start(const app *p, Vec Y, PetscBool not_a_number) {
  static double v[3 * NODES];
  PetscScalar *y;
  PetscFunctionBegin;
  two_bodies_start(v);
  PetscCall(VecGetArrayWrite(Y, &y));
  for (int i = 0; i < 3 * NODES; ++i) y[u_at(p, i)] = origin_of(p, i), y[v_at(p, i)] = v[i];
  if (not_a_number) y[7] = NAN;
  PetscCall(VecRestoreArrayWrite(Y, &y));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  static app p;
  static double u[3 * NODES], v[3 * NODES];
  PetscBool shuffle, early, late, event, not_a_number, far_away, windows;
  TS ts;
  Vec Y;
  const PetscScalar *end;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-form", forms, 5, &p.form, NULL));
  PetscCall(has_option("-shuffle", &shuffle));                  /* nodes in an order of its own */
  PetscCall(has_option("-positions", &p.has_positions));        /* y has positions instead of displacements */
  PetscCall(has_option("-evaluate_again", &p.evaluates_again)); /* the right-hand side at each end of a step */
  PetscCall(has_option("-hold", &p.holds));                     /* the far end of the second box */
  PetscCall(has_option("-also_whole", &p.also_whole));          /* split: the whole right-hand side too */
  PetscCall(has_option("-windows", &windows));                  /* the run in parts, each from time 0 */
  PetscCall(has_option("-set_up_early", &early));               /* TSSetUp before TSSetFromOptions */
  PetscCall(has_option("-functions_late", &late));              /* the functions again after TSSetUp */
  PetscCall(has_option("-event", &event));                      /* steps are taken back */
  PetscCall(has_option("-not_a_number", &not_a_number));        /* a fault */
  PetscCall(has_option("-breaks", &p.breaks));                  /* the same, later */
  PetscCall(has_option("-far_away", &far_away));                /* other coordinates than the mesh */
  two_bodies_make(&p.bodies);
  order_nodes(&p, shuffle);
  PetscCall(write_coordinates(&p, far_away ? 10 : 0));
  PetscCall(write_indices(&p));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 6 * NODES, &Y));
  PetscCall(set_start(&p, Y, not_a_number));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(set_functions(ts, &p));
  PetscCall(TSSetTimeStep(ts, 0.001));
  PetscCall(TSSetMaxTime(ts, 0.35));
  PetscCall(TSSetMaxSteps(ts, 100000));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSMonitorSet(ts, watch, &p, NULL));
  PetscCall(TSSetSolution(ts, Y));
  if (early) PetscCall(TSSetUp(ts));
  if (event) {
    PetscInt direction = 0;
    PetscBool stop = PETSC_FALSE;
    PetscCall(TSSetEventHandler(ts, 1, &direction, &stop, find_event, count_event, &p));
  }
  PetscCall(TSSetFromOptions(ts));
  if (late) {
    PetscCall(TSSetUp(ts));
    PetscCall(TSSetRHSFunction(ts, NULL, right_side, &p));
  }
  if (windows) PetscCall(TSSetMaxTime(ts, 0.05));
  PetscCall(TSSolve(ts, Y));
  for (int i = 1; i < 7 && windows; ++i) {
    PetscCall(TSSetTime(ts, 0));
    PetscCall(TSSetStepNumber(ts, 0));
    p.time_before += p.history.time - p.time_before;
    PetscCall(TSSolve(ts, Y));
  }
  PetscCheck(!event || p.steps_taken_back > 10, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d events", p.steps_taken_back);
  PetscCall(VecGetArrayRead(Y, &end));
  unpack(&p, end, u, v);
  PetscCall(VecRestoreArrayRead(Y, &end));
  double moved = 0;
  for (int i = 0; i < 3 * NODES; ++i)
    if (p.holds && two_bodies_is_end(&p.bodies, i / 3)) moved = PetscMax(moved, PetscAbsReal(u[i]));
  if (p.holds) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "what is held has moved by %.3e\n", moved));
  PetscCall(two_bodies_print(&p.bodies, u, v, &p.history));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&Y));
  PetscCall(PetscFinalize());
  return 0;
}
