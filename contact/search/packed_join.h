/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All pairs of two packed trees: a group of the first against every frame of the second that its box meets.
 *
 * The frame is sifted for the group: which of its blocks meet the box of the group; which of these meet the box of one
 * of our blocks; which of our boxes meet these blocks' boxes; which of our boxes meet which of theirs. A round compares
 * with 16 at a time and leaves what is left in a list for the next, without a branch that depends on the outcome: a
 * processor guesses wrong about overlaps as often as not, and a wrong guess costs more than a comparison.
 * Within one tree a frame meets itself and those behind it, and so do groups, blocks and boxes: each pair once.
 *
 * Included by packed_*.c, which bring `probe` (a box, ready to be compared with 16), `probe_of`, `touching` (which
 * lanes overlap, touching counts), `overlapping` (which surely overlap as doubles), `to_ticks`, `fill_block` and
 * `share_a_key`. */
#include "packed.h"

enum { ALL_LANES = 0xffff, MOST_NEAR = 16 * IPG_LANES };

/* Lanes that passed a comparison, and which comparison it was. */
typedef struct passed {
  uint16_t of, lanes;
} passed;

typedef struct walk {
  const ipg_join *join;
  const ipg_packed *first, *second;
  ipg_pair_buffer *outbox;
  int worker;
  bool self, exclude;
  int64_t candidates;
  const ipg_frame *frame;                       /* of the second tree */
  int64_t group;                                /* of the first */
  bool same_frame;                              /* the group is in the frame */
  ipg_packed_block near[MOST_NEAR / IPG_LANES]; /* boxes of the frame's blocks that meet the group */
  int32_t near_block[MOST_NEAR];                /* and which they are */
  int near_count;
  const ipg_packed_block *ours;            /* our block, in ticks of the frame */
  passed lists[MOST_NEAR / IPG_LANES + 1]; /* of: index in near, lanes: blocks that our block meets */
  passed blocks[MOST_NEAR + 1];            /* of: place in near_block, lanes: our boxes that the block meets */
  passed boxes[MOST_NEAR * IPG_LANES + 1]; /* of: that place << 4 | our lane, lanes: boxes that ours meets */
} walk;

/* ---------------------------------------------------------------------------------------------------- what goes out */

static bool excluded(const walk *w, int64_t a, int64_t b) {
  const ipg_packed *first = w->first, *second = w->second;
  if (first->keys && second->keys && share_a_key(first->keys + 4 * a, second->keys + 4 * b)) return true;
  const ipg_search_config *config = &w->join->search->config;
  return config->group_excluded && first->groups && second->groups &&
         config->group_excluded[first->groups[a] * config->group_count + second->groups[b]];
}

/* Of the box at place `a` of the first tree and lanes of a block of the second: those that overlap beyond doubt, or do
 * so as doubles, and are not excluded. */
static unsigned confirm(const walk *w, int64_t a, int64_t block_place, unsigned lanes, unsigned sure) {
  const ipg_box *box = &w->first->records[ipg_spot(w->first, a)].box;
  for (unsigned left = w->exclude ? lanes : lanes & ~sure; left; left &= left - 1) {
    const unsigned lane = left & -left;
    const int64_t other = block_place + __builtin_ctz(left);
    const bool overlap = sure & lane || ipg_boxes_overlap(box, &w->second->records[ipg_spot(w->second, other)].box);
    if (!overlap || (w->exclude && excluded(w, a, other))) lanes &= ~lane;
  }
  return lanes;
}

static inline void send(const walk *w, int64_t a, int64_t block_place, unsigned lanes) {
  const ipg_id i = w->first->item_at[a], *items = w->second->item_at + block_place;
  if (w->outbox->count > IPG_BATCH - IPG_LANES) ipg_flush_pairs(w->join->search, w->worker);
  ipg_pair *out = w->outbox->pairs + w->outbox->count;
  for (; lanes; lanes &= lanes - 1, ++out) {
    const ipg_id j = items[__builtin_ctz(lanes)];
    const bool swap = w->self && j < i;
    *out = (ipg_pair){swap ? j : i, swap ? i : j};
  }
  w->outbox->count = out - w->outbox->pairs;
}

/* ----------------------------------------------------------------------------------------------------------- rounds */

/* Walks over the lanes of a list of entries, one by one: entry and lane of each in turn, without a branch. */
typedef struct lane_walk {
  const passed *entry;
  unsigned lanes;
} lane_walk;

static inline int next_lane(lane_walk *l) {
  const int lane = __builtin_ctz(l->lanes);
  l->lanes &= l->lanes - 1;
  return lane;
}

static inline void step(lane_walk *l) {
  const unsigned done = l->lanes == 0;
  l->entry += done;
  l->lanes |= l->entry->lanes & -done; /* a mask, lest it becomes a branch */
}

/* An entry that nothing passed is overwritten by the next. */
static inline int keep(passed *list, int count, unsigned of, unsigned lanes) {
  list[count].of = (uint16_t)of, list[count].lanes = (uint16_t)lanes;
  return count + (lanes != 0);
}

/* Which blocks of the list meet the box of our block? `wanted` are those of the first 16 that count. */
static int sift_lists(walk *w, const probe *our_box, unsigned wanted) {
  int entries = 0, turns = 0;
  for (int i = 0; i * IPG_LANES < w->near_count; ++i, wanted = ALL_LANES) {
    const unsigned lanes = touching(our_box, &w->near[i]) & wanted;
    entries = keep(w->lists, entries, (unsigned)i, lanes);
    turns += __builtin_popcount(lanes);
  }
  return turns;
}

/* Which of our boxes meet the boxes of those blocks? */
static int sift_blocks(walk *w, int turns) {
  lane_walk l = {w->lists, w->lists->lanes};
  int entries = 0, passed_turns = 0;
  for (int turn = 0; turn < turns; ++turn, step(&l)) {
    const int list = l.entry->of, lane = next_lane(&l);
    const probe their_box = probe_of(&w->near[list], lane);
    const unsigned lanes = touching(&their_box, w->ours);
    entries = keep(w->blocks, entries, (unsigned)(list * IPG_LANES + lane), lanes);
    passed_turns += __builtin_popcount(lanes);
  }
  return passed_turns;
}

/* Which boxes of those blocks meet which of ours? A block meets itself only once. Returns the number of entries. */
static int sift_boxes(walk *w, int turns, int own_place) {
  lane_walk l = {w->blocks, w->blocks->lanes};
  int entries = 0;
  for (int turn = 0; turn < turns; ++turn, step(&l)) {
    const int place = l.entry->of, lane = next_lane(&l);
    const probe our_box = probe_of(w->ours, lane);
    const unsigned wanted = place == own_place ? 0xfffeu << lane : ALL_LANES;
    const unsigned lanes = touching(&our_box, &w->second->blocks[w->near_block[place]]) & wanted;
    entries = keep(w->boxes, entries, (unsigned)(place << 4 | lane), lanes);
  }
  return entries;
}

static void send_pairs(walk *w, int64_t first, int entries) {
  for (int i = 0; i < entries; ++i) {
    const int lane = w->boxes[i].of & 15;
    const int64_t block = w->near_block[w->boxes[i].of >> 4], place = w->second->block_item[block];
    const probe our_box = probe_of(w->ours, lane);
    const unsigned sure = overlapping(&our_box, &w->second->blocks[block]);
    unsigned lanes = w->boxes[i].lanes;
    if (w->exclude || lanes & ~sure) lanes = confirm(w, first + lane, place, lanes, sure);
    send(w, first + lane, place, lanes);
  }
}

/* -------------------------------------------------------------------------------------------- our blocks and a list */

/* Our block, and its box, in ticks of the frame: there already if the frame is ours. */
static probe box_of_block(const walk *w, int64_t block, int lane) {
  if (w->same_frame) return probe_of(&w->first->group_lanes[w->group], lane);
  const ipg_ticks ticks = to_ticks(w->frame, &w->first->block_boxes[block]);
  return probe_of_ticks(&ticks);
}

static const ipg_packed_block *in_ticks_of_frame(const walk *w, int64_t block, ipg_packed_block *room) {
  if (w->same_frame) return &w->first->blocks[block];
  const int64_t first = w->first->block_item[block];
  const int count = (int)(w->first->block_item[block + 1] - first);
  ipg_box around;
  fill_block(w->frame, w->first->records, w->first->order + first, count, room, &around);
  return room;
}

/* All blocks of the group against the list. In its own frame the group's own blocks may come first: each of ours meets
 * those from itself on. */
static void meet_list(walk *w, bool own_blocks_first) {
  const int64_t begin = w->first->group_block[w->group], end = w->first->group_block[w->group + 1];
  const int lists = (w->near_count + IPG_LANES - 1) / IPG_LANES;
  if (w->near_count % IPG_LANES) ipg_packed_block_clear(&w->near[lists - 1], w->near_count % IPG_LANES);
  for (int64_t block = begin; block < end; ++block) {
    const int lane = (int)(block - begin);
    const probe our_box = box_of_block(w, block, lane);
    const int near = sift_lists(w, &our_box, own_blocks_first ? (unsigned)ALL_LANES << lane & ALL_LANES : ALL_LANES);
    w->candidates += lists * IPG_LANES;
    if (!near) continue;
    ipg_packed_block room;
    w->ours = in_ticks_of_frame(w, block, &room);
    const int turns = sift_blocks(w, near);
    send_pairs(w, w->first->block_item[block], sift_boxes(w, turns, own_blocks_first ? lane : -1));
    w->candidates += (near + turns) * IPG_LANES;
  }
  w->near_count = 0;
}

/* -------------------------------------------------------------------------------------------- the group and a frame */

static inline void list_block(walk *w, const ipg_packed_block *from, int lane, int64_t block) {
  const int at = w->near_count++;
  for (int k = 0; k < 3; ++k) {
    w->near[at / IPG_LANES].lo[k][at % IPG_LANES] = from->lo[k][lane];
    w->near[at / IPG_LANES].hi[k][at % IPG_LANES] = from->hi[k][lane];
  }
  w->near_block[at] = (int32_t)block;
  const char *soon = (const char *)&w->second->blocks[block];
  __builtin_prefetch(soon), __builtin_prefetch(soon + 64), __builtin_prefetch(soon + 128);
}

/* The group's own blocks, as the first 16 of a list. */
static void list_own_blocks(walk *w) {
  for (int lane = 0; lane < IPG_LANES; ++lane)
    list_block(w, &w->second->group_lanes[w->group], lane, w->second->group_block[w->group] + lane);
}

/* Lists the blocks of the frame that meet the group's box; a full list is worked off in between. */
static void meet_groups(walk *w, const probe *box) {
  const ipg_packed *tree = w->second;
  bool own_blocks_first = w->same_frame;
  for (int64_t roof = w->frame->roof; roof < w->frame[1].roof; ++roof)
    for (unsigned groups = touching(box, &tree->roofs[roof]); groups; groups &= groups - 1) {
      const int64_t g = w->frame->group + (roof - w->frame->roof) * IPG_LANES + __builtin_ctz(groups);
      if (w->same_frame && g <= w->group) continue;
      if (w->near_count > MOST_NEAR - IPG_LANES) meet_list(w, own_blocks_first), own_blocks_first = false;
      for (unsigned lanes = touching(box, &tree->group_lanes[g]); lanes; lanes &= lanes - 1)
        list_block(w, &tree->group_lanes[g], __builtin_ctz(lanes), tree->group_block[g] + __builtin_ctz(lanes));
    }
  if (w->near_count) meet_list(w, own_blocks_first);
}

static void meet_frame(walk *w) {
  const ipg_ticks ticks = to_ticks(w->frame, &w->first->group_boxes[w->group]);
  const probe box = probe_of_ticks(&ticks);
  w->near_count = 0;
  if (w->same_frame) list_own_blocks(w);
  meet_groups(w, &box);
}

/* Some groups of the first tree against a frame of the second; `own` is the frame of the first of them. */
static void meet_groups_and_frame(walk *w, int64_t begin, int64_t end, int64_t own, int64_t theirs) {
  w->frame = &w->second->frames[theirs];
  for (w->group = begin; w->group < end; ++w->group) {
    while (w->first->frames[own + 1].group <= w->group) ++own;
    w->same_frame = w->self && theirs == own;
    if (w->self && theirs < own) continue;
    if (ipg_boxes_overlap(&w->first->group_boxes[w->group], &w->frame->box)) meet_frame(w);
  }
}

/* Frames are few, thousands of boxes each: all are looked at. */
static void join(const ipg_join *j, int64_t begin, int64_t end, int worker) {
  walk w;
  w.join = j, w.first = j->first, w.second = j->second, w.worker = worker, w.candidates = 0;
  w.outbox = (ipg_pair_buffer *)j->search->pair_buffers.data + worker;
  w.self = j->first == j->second;
  w.exclude = (w.first->keys && w.second->keys) || (w.first->groups && w.second->groups);
  ipg_box box = ipg_nowhere();
  for (int64_t group = begin; group < end; ++group) ipg_box_include(&box, &w.first->group_boxes[group]);
  const int64_t own = ipg_frame_of_group(w.first, begin);
  for (int64_t theirs = w.self ? own : 0; theirs < w.second->frame_count; ++theirs)
    if (ipg_boxes_overlap(&box, &w.second->frames[theirs].box)) meet_groups_and_frame(&w, begin, end, own, theirs);
  w.outbox->candidates += w.candidates;
}
