/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A sorted array of contacts: its order, its keys, and room for more.
 * Order: (kind, owner, touched), and in kinematic projection, which may hold a node at several faces of a body, then
 * the face. */
#ifndef IMPINGE_MODEL_CONTACT_LIST_H
#define IMPINGE_MODEL_CONTACT_LIST_H

#include "impinge/contact.h"
#include "support/array.h"

typedef struct ipg_contact_list {
  IPG_ARRAY(ipg_contact_pair) pairs;
  int64_t count;
} ipg_contact_list;

/* Contacts of one kind within a list. */
typedef struct ipg_contact_range {
  const ipg_contact_pair *pairs;
  int64_t count;
} ipg_contact_range;

/* -1, 0, 1: a stands before b, is the same contact, stands behind b. */
static inline int ipg_compare_contacts(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
  return a->touched < b->touched ? -1 : a->touched > b->touched;
}

/* The same where a node may have contact at several faces of a body. */
static inline int ipg_compare_contacts_and_faces(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  const int order = ipg_compare_contacts(a, b);
  return order ? order : a->face < b->face ? -1 : a->face > b->face;
}

/* The order of a list; by_face: of one that may have several contacts of a node with a body. */
static inline int ipg_compare_in_list(bool by_face, const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return by_face ? ipg_compare_contacts_and_faces(a, b) : ipg_compare_contacts(a, b);
}

/* Room for `more` contacts behind those in the list; the list keeps them. Grows by more than needed, for contacts come
 * one after another. */
ipg_status ipg_contact_list_reserve(ipg_contact_list *list, int64_t more, const ipg_allocator *allocator,
                                    ipg_error *error);
/* Room for as many contacts as `other` has room for; the content is lost. */
ipg_status ipg_contact_list_reserve_like(ipg_contact_list *list, const ipg_contact_list *other,
                                         const ipg_allocator *allocator, ipg_error *error);
void ipg_contact_list_destroy(ipg_contact_list *list, const ipg_allocator *allocator);

ipg_contact_range ipg_contacts_of_kind(const ipg_contact_list *list, ipg_contact_kind kind);
/* Index of the first contact in the range whose owner is not below `owner`. */
int64_t ipg_first_contact_of(const ipg_contact_range *range, int64_t owner);

/* Its name in numbers that hold on any rank. */
ipg_contact_key ipg_key_of_contact(const ipg_surface *surface, const ipg_contact_pair *contact);
/* Where the contact's face has its name: the element, side and sub of contact->face. */
void ipg_name_contact_face(const ipg_surface *surface, ipg_contact_pair *contact);

#endif
