/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All pairs of two packed trees: a group of the first against every frame of the second that its box meets.
 *
 * The group's boxes are turned into ticks of that frame. Then the frame is sifted: which of its blocks meet the box of
 * the group, which of these meet a box of the group, which boxes of those meet it. A round compares with 16 at a time
 * and leaves what is left in a list for the next, without a branch that depends on the outcome: a processor guesses
 * wrong about overlaps as often as not, and a wrong guess costs more than a comparison. Within one tree a frame meets
 * itself and those behind it, and so do groups, blocks and boxes: each pair once.
 *
 * Included by packed_*.c, which bring `probe` (a box, ready to be compared with 16), `probe_of`, `touching` (which
 * lanes overlap, touching counts), `overlapping` (which surely overlap as doubles), `to_ticks` and `share_a_key`. */
#include "packed.h"

enum { ALL_LANES = 0xffff, MOST_NEAR = 16 * IPG_LANES, MOST_IN_GROUP = IPG_LANES * IPG_LANES };

/* Lanes that passed: `of` says which comparison it was. */
typedef struct passed {
  uint16_t of, lanes;
} passed;

typedef struct walk {
  const ipg_join *join;
  const ipg_packed *first, *second;
  int worker;
  int64_t candidates;
  int64_t group;                  /* of the first tree */
  bool same_frame;                /* the group is in the frame it meets */
  ipg_ticks ours[MOST_IN_GROUP];  /* the group's boxes in the frame's ticks */
  ipg_block near[MOST_NEAR / 16]; /* boxes of the frame's blocks that meet the group */
  int32_t near_block[MOST_NEAR];  /* and which they are */
  int near_count;
  passed blocks[MOST_NEAR + 1];           /* of: box of our block << 4 | index in near */
  passed hits[IPG_LANES * MOST_NEAR + 1]; /* of: box of our block << 8 | place in near_block */
} walk;

/* ------------------------------------------------------------------------------------------------------ what goes out
 */

static inline bool excluded(const walk *w, int64_t a, int64_t b) {
  const ipg_packed *first = w->first, *second = w->second;
  if (first->keys && second->keys && share_a_key(first->keys + 4 * a, second->keys + 4 * b)) return true;
  const ipg_search_config *config = &w->join->search->config;
  return config->group_excluded && first->groups && second->groups &&
         config->group_excluded[first->groups[a] * config->group_count + second->groups[b]];
}

static inline void send(const walk *w, int64_t a, int64_t b) {
  if (excluded(w, a, b)) return;
  const ipg_id i = ipg_packed_item(w->first, a), j = ipg_packed_item(w->second, b);
  if (w->first == w->second && j < i) ipg_emit(w->join->search, j, i, w->worker);
  else ipg_emit(w->join->search, i, j, w->worker);
}

/* ------------------------------------------------------------------------------------------------------------- rounds
 */

/* Which of the blocks in the list meet which boxes of our block? Returns how many lanes passed. */
static int sift_blocks(walk *w, const ipg_ticks *ours, int count, unsigned wanted_first) {
  const int lists = (w->near_count + IPG_LANES - 1) / IPG_LANES;
  int entries = 0, turns = 0;
  for (int a = 0; a < count; ++a) {
    const probe box = probe_of(&ours[a]);
    unsigned wanted = wanted_first;
    for (int i = 0; i < lists; ++i, wanted = ALL_LANES) {
      const unsigned lanes = touching(&box, &w->near[i]) & wanted;
      w->blocks[entries].of = (uint16_t)(a << 4 | i), w->blocks[entries].lanes = (uint16_t)lanes;
      entries += lanes != 0;
      turns += __builtin_popcount(lanes);
    }
  }
  w->candidates += (int64_t)lists * count * IPG_LANES;
  return turns;
}

/* Which boxes of those blocks meet them? One turn for each lane that passed, whichever entry it stands in. */
static int sift_boxes(walk *w, const ipg_ticks *ours, int own_place, int turns) {
  int count = 0, entry = 0;
  unsigned lanes = w->blocks[0].lanes;
  for (int turn = 0; turn < turns; ++turn) {
    const unsigned of = w->blocks[entry].of;
    const int a = (int)(of >> 4), place = (int)(of & 15) * IPG_LANES + __builtin_ctz(lanes);
    const probe box = probe_of(&ours[a]);
    const unsigned wanted = place == own_place ? 0xfffeu << a : ALL_LANES;
    const unsigned hits = touching(&box, &w->second->blocks[w->near_block[place]]) & wanted;
    w->hits[count].of = (uint16_t)(a << 8 | place), w->hits[count].lanes = (uint16_t)hits;
    count += hits != 0;
    lanes &= lanes - 1;
    entry += lanes == 0;
    lanes = lanes ? lanes : w->blocks[entry].lanes;
  }
  w->candidates += (int64_t)turns * IPG_LANES;
  return count;
}

static void send_hits(walk *w, const ipg_ticks *ours, int64_t first, int count) {
  for (int i = 0; i < count; ++i) {
    const int64_t a = first + (w->hits[i].of >> 8), block = w->near_block[w->hits[i].of & 255];
    const probe box = probe_of(&ours[w->hits[i].of >> 8]);
    const unsigned sure = overlapping(&box, &w->second->blocks[block]);
    for (unsigned lanes = w->hits[i].lanes; lanes; lanes &= lanes - 1) {
      const int64_t b = w->second->block_item[block] + __builtin_ctz(lanes);
      if (sure & lanes & -lanes || ipg_boxes_overlap(&w->first->boxes[a], &w->second->boxes[b])) send(w, a, b);
    }
  }
}

/* The whole group against the list. */
static void meet_list(walk *w, bool own_blocks_first) {
  const int32_t *block_item = w->first->block_item + w->first->group_block[w->group];
  const int blocks = w->first->group_block[w->group + 1] - w->first->group_block[w->group];
  if (w->near_count % IPG_LANES) ipg_block_clear(&w->near[w->near_count / IPG_LANES], w->near_count % IPG_LANES);
  for (int b = 0; b < blocks; ++b) {
    const ipg_ticks *ours = w->ours + (block_item[b] - block_item[0]);
    const unsigned wanted_first = own_blocks_first ? (unsigned)ALL_LANES << b & ALL_LANES : ALL_LANES;
    const int turns = sift_blocks(w, ours, block_item[b + 1] - block_item[b], wanted_first);
    send_hits(w, ours, block_item[b], sift_boxes(w, ours, own_blocks_first ? b : -1, turns));
  }
  w->near_count = 0;
}

/* --------------------------------------------------------------------------------------------- the group and a frame
 */

static inline void list_block(walk *w, const ipg_block *from, int lane, int64_t block) {
  const int at = w->near_count++;
  for (int k = 0; k < 3; ++k) {
    w->near[at / IPG_LANES].lo[k][at % IPG_LANES] = from->lo[k][lane];
    w->near[at / IPG_LANES].hi[k][at % IPG_LANES] = from->hi[k][lane];
  }
  w->near_block[at] = (int32_t)block;
}

/* The group's own blocks, as the first 16 of a list. */
static void list_own_blocks(walk *w) {
  for (int lane = 0; lane < IPG_LANES; ++lane)
    list_block(w, &w->second->group_lanes[w->group], lane, w->second->group_block[w->group] + lane);
}

/* Lists the blocks of the frame that meet the group's box; a full list is worked off in between. */
static void meet_groups(walk *w, const ipg_frame *frame, const probe *box) {
  const ipg_packed *tree = w->second;
  bool own_blocks_first = w->same_frame;
  for (int64_t roof = frame->roof; roof < frame[1].roof; ++roof)
    for (unsigned groups = touching(box, &tree->roofs[roof]); groups; groups &= groups - 1) {
      const int64_t g = frame->group + (roof - frame->roof) * IPG_LANES + __builtin_ctz(groups);
      if (w->same_frame && g <= w->group) continue;
      if (w->near_count > MOST_NEAR - IPG_LANES) meet_list(w, own_blocks_first), own_blocks_first = false;
      for (unsigned lanes = touching(box, &tree->group_lanes[g]); lanes; lanes &= lanes - 1)
        list_block(w, &tree->group_lanes[g], __builtin_ctz(lanes), tree->group_block[g] + __builtin_ctz(lanes));
    }
  if (w->near_count) meet_list(w, own_blocks_first);
}

static void meet_frame(walk *w, const ipg_frame *frame) {
  const ipg_packed *first = w->first;
  const int32_t *group_block = first->group_block + w->group;
  const int64_t begin = first->block_item[group_block[0]], end = first->block_item[group_block[1]];
  ipg_ticks box;
  to_ticks(frame, &first->group_boxes[w->group], 1, &box);
  to_ticks(frame, first->boxes + begin, end - begin, w->ours);
  const probe box_of_group = probe_of(&box);
  w->near_count = 0;
  if (w->same_frame) list_own_blocks(w);
  meet_groups(w, frame, &box_of_group);
}

/* All groups of a frame of the first tree. Frames are few: 4096 boxes each, so all of the second are looked at. */
static void join(const ipg_join *j, int64_t begin, int64_t end, int worker) {
  walk w;
  w.join = j, w.first = j->first, w.second = j->second, w.worker = worker, w.candidates = 0;
  const bool self = j->first == j->second;
  for (int64_t ours = begin; ours < end; ++ours)
    for (int64_t theirs = self ? ours : 0; theirs < w.second->frame_count; ++theirs) {
      const ipg_frame *frame = &w.second->frames[theirs], *own = &w.first->frames[ours];
      if (!ipg_boxes_overlap(&own->box, &frame->box)) continue;
      w.same_frame = self && ours == theirs;
      for (w.group = own->group; w.group < own[1].group; ++w.group)
        if (ipg_boxes_overlap(&w.first->group_boxes[w.group], &frame->box)) meet_frame(&w, frame);
    }
  ((ipg_outbox *)j->search->outboxes.data)[worker].candidates += w.candidates;
}
