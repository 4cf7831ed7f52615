/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Candidates of penalty contact: pairs of faces that can face each other and penetrate before the next search. */
#ifndef IMPINGE_CANDIDATES_FACE_CANDIDATES_H
#define IMPINGE_CANDIDATES_FACE_CANDIDATES_H

#include "candidates/candidate_filter.h"

/* How a face looks at the time of the search, and how far it can move and turn until the next. */
typedef struct ipg_face_turn {
  vec corners[3], half_widths;   /* middles of the boxes of the corners, and the largest half of their edges */
  vec normal, middle;            /* of these corners */
  double radius;                 /* of the corners around the middle */
  double way;                    /* of a corner until the next search */
  double extent;                 /* of the face's box */
  double reach;                  /* the largest distance of a face in contact, behind it */
  double outward;                /* and in front of it: the largest thickness */
  double turn_cosine, turn_sine; /* of the largest turn until then; NAN: any turn is possible */
  double cosine, sine;           /* of that and half of the angle at which two faces begin to face each other; NAN */
} ipg_face_turn;

typedef struct ipg_face_candidates {
  ipg_search *search;
  bool is_set; /* the search holds the faces of the last search */
  IPG_ARRAY(ipg_face_turn) turns;
  IPG_ARRAY(double) normals; /* 3 per face, at the present positions */
  IPG_ARRAY(double) cosines; /* of each worker: the least, of the turns of faces since the search */
  double turned;             /* sine of the largest turn since the search, as a fraction of IPG_FACE_TURN */
  IPG_ARRAY(ipg_id) looks;   /* of each face: the group of directions that its normal is in */
  IPG_ARRAY(ipg_box) boxes;  /* of the faces and half of the columns into their bodies */
  IPG_ARRAY(ipg_pair) found; /* `room` pairs for each worker */
  IPG_ARRAY(int64_t) counts; /* of each worker; beyond `room` they are counted only */
  int64_t room;
  IPG_ARRAY(uint64_t) order;
  ipg_sorter sorter;
} ipg_face_candidates;

/* Nothing without penalty contact. */
ipg_status ipg_face_candidates_init(ipg_face_candidates *candidates, const ipg_model *model, ipg_error *error);
void ipg_face_candidates_destroy(ipg_face_candidates *candidates, const ipg_allocator *allocator);

/* Sets the normals of all faces at positions x, and `turned`: above 1 the pairs of the last search do not hold any
 * more. */
void ipg_follow_face_normals(ipg_face_candidates *candidates, const ipg_model *model, const double *x);

/* Sorted into `pairs`; their safe drifts bound `turned` too. After ipg_follow_face_normals. keys: see ipg_exclusion. */
ipg_status ipg_find_face_candidates(ipg_face_candidates *candidates, const ipg_model *model,
                                    const ipg_swept_boxes *boxes, const ipg_id *keys, ipg_candidates *pairs,
                                    ipg_error *error);

#endif
