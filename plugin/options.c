/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The options -contact_..., read before the mesh is given. Their words are those of a deck's keys under contact. */
#include "impl.h"

#include <string.h>

static PetscErrorCode read_real(const char *option, const char *meaning, double *value, PetscBool *given,
                                IpgOptionItems PetscOptionsObject) {
  PetscReal real = (PetscReal)*value;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal(option, meaning, "", real, &real, given));
  *value = (double)real;
  PetscFunctionReturn(0);
}

/* Without a dynamic coefficient friction does not depend on speed. */
static PetscErrorCode read_law(ipg_contact_law *law, IpgOptionItems PetscOptionsObject) {
  PetscBool is_static, is_dynamic;

  PetscFunctionBegin;
  PetscCall(read_real("-contact_friction_static", "Static friction coefficient", &law->friction_static, &is_static,
                      PetscOptionsObject));
  PetscCall(read_real("-contact_friction_dynamic", "Dynamic friction coefficient; without it, the static one",
                      &law->friction_dynamic, &is_dynamic, PetscOptionsObject));
  if (is_static && !is_dynamic) law->friction_dynamic = law->friction_static;
  PetscCheck(!(law->friction_dynamic > law->friction_static), PETSC_COMM_SELF, PETSC_ERR_USER,
             "-contact_friction_dynamic is %g, above -contact_friction_static: give a static coefficient that is at "
             "least as large",
             law->friction_dynamic);
  PetscCall(read_real("-contact_friction_decay",
                      "Decay of friction: dynamic + (static - dynamic) * exp(-decay * tangential speed)",
                      &law->friction_decay, NULL, PetscOptionsObject));
  PetscCall(read_real("-contact_damping", "Damping of contact, as a fraction of critical damping", &law->damping, NULL,
                      PetscOptionsObject));
  PetscFunctionReturn(0);
}

static PetscErrorCode read_enforcement(IpgContact c, IpgOptionItems PetscOptionsObject) {
  PetscInt chosen = (PetscInt)c->config.enforcement;

  PetscFunctionBegin;
  PetscCall(
      PetscOptionsEList("-contact_enforcement",
                        "Energy of overlapping faces, or kinematic projection of predicted positions (impinge_cd only)",
                        "", IpgEnforcementWords, ENFORCEMENT_WORDS, IpgEnforcementWords[chosen], &chosen, NULL));
  c->config.enforcement = (ipg_contact_enforcement)chosen;
  PetscFunctionReturn(0);
}

static PetscErrorCode read_edges(IpgContact c, IpgOptionItems PetscOptionsObject) {
  PetscBool edges = c->config.edges ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsBool("-contact_edges", "Penalty contact of sharp edges that cross each other", "", edges,
                             &edges, NULL));
  c->config.edges = edges == PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Walls at rest, with the friction and damping that hold between blocks. */
static PetscErrorCode read_walls(IpgContact c, IpgOptionItems PetscOptionsObject) {
  enum { MAX_NUMBERS = 6 * IPG_MAX_OPTION_WALLS };
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);
  PetscReal numbers[MAX_NUMBERS + 1]; /* PETSc drops what exceeds the array: one more shows that there were too many */
  PetscInt count = MAX_NUMBERS + 1;

  PetscFunctionBegin;
  PetscCall(PetscOptionsRealArray("-contact_walls", "Rigid walls: x,y,z of a point and x,y,z of the normal, for each",
                                  "", numbers, &count, NULL));
  PetscCheck(count <= MAX_NUMBERS, comm, PETSC_ERR_ARG_SIZ,
             "-contact_walls has more than %d numbers; give %d walls at most", MAX_NUMBERS, IPG_MAX_OPTION_WALLS);
  PetscCheck(count % 6 == 0, comm, PETSC_ERR_ARG_SIZ,
             "-contact_walls has %" PetscInt_FMT " numbers; give six for each rigid wall", count);
  for (PetscInt i = 0; i < count / 6; ++i) {
    c->walls[i] = (ipg_contact_wall){.law = c->config.law};
    for (int k = 0; k < 3; ++k)
      c->walls[i].point[k] = numbers[6 * i + k], c->walls[i].normal[k] = numbers[6 * i + 3 + k];
  }
  c->config.walls = c->walls, c->config.wall_count = count / 6;
  PetscFunctionReturn(0);
}

/* Bulk moduli of the blocks, in the order of the mesh; IpgContactSetMesh compares their number. */
static PetscErrorCode read_moduli(IpgContact c, IpgOptionItems PetscOptionsObject) {
  enum { MOST_BLOCKS = 1024 };
  PetscReal moduli[MOST_BLOCKS + 1];
  PetscInt count = MOST_BLOCKS + 1;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsRealArray("-contact_moduli",
                                  "Bulk modulus of each block of the mesh: the stiffness of penalty contact", "",
                                  moduli, &count, &given));
  PetscCheck(count <= MOST_BLOCKS, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_SIZ,
             "-contact_moduli has more than %d numbers: give the moduli by IpgContactSetModuli", MOST_BLOCKS);
  if (given) PetscCall(IpgContactSetModuli(c, count, moduli));
  PetscFunctionReturn(0);
}

/* Options of earlier versions are refused with their new names. */
static PetscErrorCode refuse_renamed_options(IpgContact c) {
  static const char *const names[][2] = {{"-contact_skin", "-contact_search_margin"},
                                         {"-contact_overlap", "-contact_initial_penetration"},
                                         {"-contact_planes", "-contact_walls"}};
  PetscBool given;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); ++i) {
    PetscCall(PetscOptionsHasName(((PetscObject)c)->options, ((PetscObject)c)->prefix, names[i][0], &given));
    PetscCheck(!given, PetscObjectComm((PetscObject)c), PETSC_ERR_USER, "%s is called %s now", names[i][0],
               names[i][1]);
  }
  PetscCall(PetscOptionsHasName(((PetscObject)c)->options, ((PetscObject)c)->prefix, "-contact_stiffness", &given));
  PetscCheck(!given, PetscObjectComm((PetscObject)c), PETSC_ERR_USER,
             "-contact_stiffness belonged to node springs, which are gone: leave it out, penalty contact has the "
             "stiffness of the material");
  PetscFunctionReturn(0);
}

static PetscErrorCode check_numbers(IpgContact c) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);

  PetscFunctionBegin;
  PetscCheck(c->threads >= 1, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-contact_threads is %" PetscInt_FMT "; it must be 1 or more", c->threads);
  PetscCheck(c->audit_interval >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-contact_audit is %" PetscInt_FMT "; it must be 0 (never) or more", c->audit_interval);
  PetscCheck(c->monitor_interval >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-contact_monitor is %" PetscInt_FMT "; it must be 0 (never) or more", c->monitor_interval);
  PetscCheck(c->record_step >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-contact_record is %" PetscInt_FMT "; it must be 0 (none) or a step", c->record_step);
  PetscCheck(c->penetration_limit >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-contact_penetration_limit is %g; it must be 0 (never) or a number of edges", c->penetration_limit);
  PetscCheck(!(c->penetration_limit > 0) || c->config.enforcement == IPG_ENFORCEMENT_PENALTY, comm, PETSC_ERR_USER,
             "-contact_penetration_limit belongs to -contact_enforcement penalty: leave it out, or choose that");
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetFromOptions(IpgContact c) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCall(refuse_renamed_options(c));
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
             "contact has a mesh already: call IpgContactSetFromOptions before IpgContactSetMesh");
  PetscObjectOptionsBegin((PetscObject)c);
  PetscCall(read_enforcement(c, PetscOptionsObject));
  PetscCall(read_real("-contact_penalty_scale", "Scale of the penalty stiffness, as a fraction of that of the material",
                      &c->config.penalty_scale, NULL, PetscOptionsObject));
  PetscCall(
      read_real("-contact_reference_step",
                "Penalty contact without moduli: the first time step, from which its stiffness follows; 0: not known",
                &c->config.reference_step, NULL, PetscOptionsObject));
  PetscCall(read_moduli(c, PetscOptionsObject));
  PetscCall(read_law(&c->config.law, PetscOptionsObject));
  PetscCall(read_real("-contact_onset",
                      "Penalty contact: penetration over which pressure sets in; 0: from the speed of approach",
                      &c->config.onset, NULL, PetscOptionsObject));
  PetscCall(read_real("-contact_penetration_limit",
                      "Penalty contact: stop where it penetrates by more than so many edges; 0: never",
                      &c->penetration_limit, NULL, PetscOptionsObject));
  PetscCall(read_edges(c, PetscOptionsObject));
  PetscCall(read_walls(c, PetscOptionsObject));
  PetscCall(read_real("-contact_search_margin",
                      "How far nodes may leave their path before the next search, in mean edge lengths",
                      &c->config.search_margin, NULL, PetscOptionsObject));
  PetscCall(PetscOptionsEList("-contact_initial_penetration", "What to do about nodes inside a body at the start", "",
                              IpgInitialPenetrationWords, INITIAL_PENETRATION_WORDS,
                              IpgInitialPenetrationWords[c->initial_penetration], &c->initial_penetration, NULL));
  PetscCall(PetscOptionsString("-contact_search_method", "Search method, see search.h; all give the same pairs", "",
                               c->search_method, c->search_method, sizeof c->search_method, NULL));
  if (!c->host_tasks)
    PetscCall(PetscOptionsInt("-contact_threads", "Number of threads of contact", "", c->threads, &c->threads, NULL));
  PetscCall(PetscOptionsInt("-contact_audit", "Check the contact of every n-th step by brute force; 0: never", "",
                            c->audit_interval, &c->audit_interval, NULL));
  PetscCall(PetscOptionsInt("-contact_monitor", "Print a line about contact after every n-th step; 0: never", "",
                            c->monitor_interval, &c->monitor_interval, NULL));
  PetscCall(PetscOptionsInt("-contact_record",
                            "Write the contact of step n to contact_step_n.ipg, for impinge replay; "
                            "0: none",
                            "", c->record_step, &c->record_step, NULL));
  PetscCall(PetscObjectProcessOptionsHandlers((PetscObject)c, PetscOptionsObject));
  PetscOptionsEnd();
  PetscCall(check_numbers(c));
  PetscFunctionReturn(0);
}
