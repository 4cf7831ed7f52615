/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Room and ranges in a sorted array of contacts. */
#include "model/contact_list.h"

ipg_status ipg_contact_list_reserve(ipg_contact_list *list, int64_t more, const ipg_allocator *allocator,
                                    ipg_error *error) {
  const int64_t count = list->count + more, has = ipg_array_capacity(&list->pairs);
  return ipg_array_grow(&list->pairs, allocator, list->count, count > has ? count + count / 2 : has, error);
}

ipg_status ipg_contact_list_reserve_like(ipg_contact_list *list, const ipg_contact_list *other,
                                         const ipg_allocator *allocator, ipg_error *error) {
  return ipg_array_reserve(&list->pairs, allocator, ipg_array_capacity(&other->pairs), error);
}

void ipg_contact_list_destroy(ipg_contact_list *list, const ipg_allocator *allocator) {
  ipg_array_destroy(&list->pairs, allocator);
}

ipg_contact_range ipg_contacts_of_kind(const ipg_contact_list *list, ipg_contact_kind kind) {
  const ipg_contact_pair *pairs = list->pairs.at;
  int64_t bounds[2];
  for (int end = 0; end < 2; ++end) {
    int64_t low = 0, high = list->count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if ((int)pairs[middle].kind < (int)kind + end) low = middle + 1;
      else high = middle;
    }
    bounds[end] = low;
  }
  return (ipg_contact_range){pairs ? pairs + bounds[0] : NULL, bounds[1] - bounds[0]};
}

int64_t ipg_first_contact_of(const ipg_contact_range *range, int64_t owner) {
  int64_t low = 0, high = range->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (range->pairs[middle].owner < owner) low = middle + 1;
    else high = middle;
  }
  return low;
}

void ipg_name_contact_face(const ipg_surface *s, ipg_contact_pair *contact) {
  contact->element = s->face_elements[contact->face];
  contact->side = s->face_sides[contact->face];
  contact->sub = s->face_subs ? s->face_subs[contact->face] : 0;
}

ipg_contact_key ipg_key_of_contact(const ipg_surface *s, const ipg_contact_pair *c) {
  const ipg_gid *gids = s->node_gids;
  const ipg_id *n = c->nodes;
  if (c->kind == IPG_CONTACT_NODE_WALL) return (ipg_contact_key){c->kind, {gids[n[0]], 0}, {c->touched, 0}};
  return (ipg_contact_key){c->kind, {gids[n[0]], 0}, {c->element, 4 * c->side + c->sub}};
}
