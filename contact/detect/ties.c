/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Ties are never searched for: those whose rule is still active get their new elongation, which follows from the
 * positions alone, along the normal (`gap`) and across (`tangential_slip`). */
#include "detect/ties.h"

#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "surface/face_geometry.h"

enum { GRAIN = 256 };

typedef struct update {
  const ipg_step *step;
  ipg_contact_pair *ties;
} update;

static void update_ties(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const update *u = arg;
  const ipg_surface *s = &u->step->model->surface;
  ipg_contact_pair *ties = u->ties;
  for (int64_t i = begin; i < end; ++i) {
    const vec normal = ipg_face_normal(s, u->step->x1, ties[i].face);
    const vec elongation = ipg_tie_elongation(s, &ties[i], u->step->x1);
    ties[i].gap = vec_dot(normal, elongation);
    vec_store(ties[i].normal, normal);
    vec_store(ties[i].history.tangential_slip, vec_across(elongation, normal));
  }
}

ipg_status ipg_detect_ties(const ipg_step *step, ipg_contact_list *contacts, ipg_error *error) {
  const ipg_contact_config *config = &step->model->config;
  const ipg_contact_range old = ipg_contacts_of_kind(step->history, IPG_CONTACT_TIE);
  int64_t count = 0;
  const ipg_status status = ipg_contact_list_reserve(contacts, old.count, &config->allocator, error);
  if (status || !old.count) return status;
  update u = {step, contacts->pairs.at + contacts->count};
  for (int64_t i = 0; i < old.count; ++i)
    if (ipg_is_tied(step->model, step->time1, old.pairs[i].owner, old.pairs[i].face)) u.ties[count++] = old.pairs[i];
  ipg_tasks_for(&config->tasks, update_ties, &u, 0, count, GRAIN);
  contacts->count += count;
  return IPG_OK;
}
