/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* IpgContactView: how contact is computed, what it has done, and what is in contact with what. */
#include "impl.h"

static PetscErrorCode view_settings(IpgContact c, PetscViewer viewer) {
  const ipg_contact_config *config = &c->config;
  const ipg_contact_law *law = &config->law;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s, penalty scale %g, edges %s, search method %s, %d threads\n",
                                   IpgEnforcementWords[config->enforcement], config->penalty_scale,
                                   config->edges ? "yes" : "no", c->search_method, config->tasks.worker_count));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  friction %g static, %g dynamic, decay %g, damping %g\n",
                                   law->friction_static, law->friction_dynamic, law->friction_decay, law->damping));
  if (config->wall_count)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %lld rigid walls\n", (long long)config->wall_count));
  PetscFunctionReturn(0);
}

static PetscErrorCode view_counters(IpgContact c, PetscViewer viewer) {
  const ipg_contact_counters n = ipg_contact_get_counters(c->contact);
  const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(c->contact);

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  surface: %lld nodes, %lld faces\n",
                                   (long long)c->surface.surface.node_count, (long long)c->surface.surface.face_count));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  evaluations %lld, searches %lld, audits %lld\n", (long long)n.evaluations,
                                   (long long)n.searches, (long long)c->audit_count));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  last evaluation: %lld candidates, %lld nodes in contact, %lld pairs of faces in contact\n",
      (long long)n.candidates, (long long)n.contacts, (long long)n.face_contacts));
  PetscCall(
      PetscViewerASCIIPrintf(viewer, "  contact work %g, of which stored now %g\n", b.contact_work, b.contact_energy));
  if (b.activations) PetscCall(PetscViewerASCIIPrintf(viewer, "  deepest node %g\n", -PetscMin(b.smallest_gap, 0)));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  nothing has been in contact\n"));
  PetscFunctionReturn(0);
}

static void name_of_block(IpgContact c, int32_t block, char *name, size_t bytes) {
  if (block >= 0) (void)PetscStrncpy(name, c->block_names[block], bytes);
}

static PetscErrorCode view_pair(IpgContact c, const ipg_contact_block_result *r, PetscViewer viewer) {
  char first[64] = "", second[64] = "";

  PetscFunctionBegin;
  name_of_block(c, r->blocks[0], first, sizeof first);
  if (r->wall >= 0) PetscCall(PetscSNPrintf(second, sizeof second, "wall %lld", (long long)r->wall + 1));
  else name_of_block(c, r->blocks[1], second, sizeof second);
  PetscCall(PetscViewerASCIIPrintf(
      viewer,
      "  %s with %s: %lld contacts, force (%g, %g, %g), stored energy %g, dissipated by friction %g, by dampers %g\n",
      first, second, (long long)r->contacts, r->normal_force[0] + r->tangential_force[0],
      r->normal_force[1] + r->tangential_force[1], r->normal_force[2] + r->tangential_force[2], r->contact_energy,
      r->friction_dissipation, r->damping_dissipation));
  PetscFunctionReturn(0);
}

static PetscErrorCode view_pairs(IpgContact c, PetscViewer viewer) {
  const ipg_contact_block_result *results;
  int64_t count;
  ipg_error error = {0};

  PetscFunctionBegin;
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_find_block_results(c->contact, &results, &count, &error));
  for (int64_t i = 0; i < count; ++i) PetscCall(view_pair(c, &results[i], viewer));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactView(IpgContact c, PetscViewer viewer) {
  PetscBool ascii;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)c), &viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(0);
  PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)c, viewer));
  PetscCall(view_settings(c, viewer));
  if (!c->contact) PetscFunctionReturn(0);
  PetscCall(view_counters(c, viewer));
  PetscCall(view_pairs(c, viewer));
  PetscFunctionReturn(0);
}
