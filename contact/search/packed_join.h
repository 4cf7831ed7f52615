/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All pairs of two packed trees: a group of the first against every frame of the second that its box overlaps.
 *
 * The boxes of the frame are filtered in rounds: which of its blocks overlap the box of the group; which of these
 * overlap the box of one block of the group; which boxes of that block overlap the boxes of these blocks; which boxes
 * overlap which. A round compares with 16 at a time and writes what passes into a list for the next, without a branch
 * that depends on the outcome: overlaps are unpredictable, and a mispredicted branch costs more than a comparison.
 * Within one tree a frame is joined with itself and the frames behind it, and likewise groups, blocks and boxes: each
 * pair once.
 *
 * In comments and names `own` is of the group of the first tree, `other` of the frame of the second.
 *
 * Included by packed_*.c, which define `probe` (a box, prepared for the comparison with 16), `make_probe`,
 * `load_probe`, `test_touching` (the lanes that overlap, touching counts), `test_overlapping` (the lanes that surely
 * overlap as doubles), `to_ticks`, `fill_block` and `have_common_key`. */
#include "packed.h"

enum { ALL_LANES = 0xffff, MOST_NEAR = 16 * IPG_LANES };

/* The lanes that passed a comparison; `of` is the number of the comparison. */
typedef struct passed {
  uint16_t of, lanes;
} passed;

typedef struct join_state {
  const ipg_join *join;
  const ipg_packed *first, *second;
  ipg_pair_buffer *buffer;
  int worker;
  bool self, exclude, has_group_sets;
  uint64_t partners[64]; /* of each group: a bit for each group that it is not excluded with */
  int64_t candidates;
  const ipg_frame *frame;                       /* of the second tree */
  int64_t group;                                /* of the first tree */
  bool same_frame;                              /* the group is in the frame */
  ipg_packed_block near[MOST_NEAR / IPG_LANES]; /* boxes of the frame's blocks that overlap the group */
  int32_t near_block[MOST_NEAR];                /* the numbers of these blocks */
  int near_count;
  const ipg_packed_block *own_block;       /* a block of the group, in ticks of the frame */
  passed lists[MOST_NEAR / IPG_LANES + 1]; /* of: index in near; lanes: blocks that overlap the own block */
  passed blocks[MOST_NEAR + 1];            /* of: index in near_block; lanes: own boxes that overlap the block */
  passed boxes[MOST_NEAR * IPG_LANES + 1]; /* of: that index << 4 | own lane; lanes: boxes that overlap the own box */
} join_state;

/* ---------------------------------------------------------------------------------------------------------- output */

static bool is_excluded(const join_state *j, int64_t a, int64_t b) {
  const ipg_packed *first = j->first, *second = j->second;
  if (first->keys && second->keys && have_common_key(first->keys + 4 * a, second->keys + 4 * b)) return true;
  const ipg_search_config *config = &j->join->search->config;
  return config->group_excluded && first->groups && second->groups &&
         config->group_excluded[first->groups[a] * config->group_count + second->groups[b]];
}

/* For the box at position `a` of the first tree and lanes of the block of the second tree at `block_position`: returns
 * the lanes that overlap, surely or as doubles, and are not excluded. */
static unsigned confirm_lanes(const join_state *j, int64_t a, int64_t block_position, unsigned lanes, unsigned sure) {
  const ipg_box *box = &j->first->records[ipg_slot_at(j->first, a)].box;
  for (unsigned left = j->exclude ? lanes : lanes & ~sure; left; left &= left - 1) {
    const unsigned lane = left & -left;
    const int64_t other = block_position + __builtin_ctz(left);
    const bool overlap = sure & lane || ipg_boxes_overlap(box, &j->second->records[ipg_slot_at(j->second, other)].box);
    if (!overlap || (j->exclude && is_excluded(j, a, other))) lanes &= ~lane;
  }
  return lanes;
}

/* The groups with which some group of a set is not excluded. */
static uint64_t partners_of_set(const join_state *j, uint64_t set) {
  uint64_t partners = 0;
  for (; set; set &= set - 1) partners |= j->partners[__builtin_ctzll(set)];
  return partners;
}

static void find_partners(join_state *j) {
  const ipg_search_config *config = &j->join->search->config;
  j->has_group_sets = j->first->group_sets && j->second->group_sets;
  for (int g = 0; j->has_group_sets && g < config->group_count; ++g) {
    j->partners[g] = 0;
    for (int h = 0; h < config->group_count; ++h)
      if (!config->group_excluded[g * config->group_count + h]) j->partners[g] |= (uint64_t)1 << h;
  }
}

static inline void append_pairs(const join_state *j, int64_t a, int64_t block_position, unsigned lanes) {
  const ipg_id own = j->first->item_at[a], *items = j->second->item_at + block_position;
  if (j->buffer->count > IPG_BATCH - IPG_LANES) ipg_flush_pairs(j->join->search, j->worker);
  ipg_pair *out = j->buffer->pairs + j->buffer->count;
  for (; lanes; lanes &= lanes - 1, ++out) {
    const ipg_id other = items[__builtin_ctz(lanes)];
    const bool swap = j->self && other < own;
    *out = (ipg_pair){swap ? other : own, swap ? own : other};
  }
  j->buffer->count = out - j->buffer->pairs;
}

/* ---------------------------------------------------------------------------------------------------------- rounds */

/* Iterates over the lanes of a list of entries: entry and lane of each in turn, without a branch. */
typedef struct lane_iterator {
  const passed *entry;
  unsigned lanes;
} lane_iterator;

static inline int next_lane(lane_iterator *i) {
  const int lane = __builtin_ctz(i->lanes);
  i->lanes &= i->lanes - 1;
  return lane;
}

static inline void advance_entry(lane_iterator *i) {
  const unsigned done = i->lanes == 0;
  i->entry += done;
  i->lanes |= i->entry->lanes & -done; /* a mask, so that it does not become a branch */
}

/* Writes an entry and returns the new count; an entry without lanes is overwritten by the next. */
static inline int append_entry(passed *list, int count, unsigned of, unsigned lanes) {
  list[count].of = (uint16_t)of, list[count].lanes = (uint16_t)lanes;
  return count + (lanes != 0);
}

/* Finds the near blocks that overlap the box of the own block. `wanted` selects among the first 16. */
static int filter_near_blocks(join_state *j, const probe *own_box, unsigned wanted) {
  int entries = 0, lane_count = 0;
  for (int i = 0; i * IPG_LANES < j->near_count; ++i, wanted = ALL_LANES) {
    const unsigned lanes = test_touching(own_box, &j->near[i]) & wanted;
    entries = append_entry(j->lists, entries, (unsigned)i, lanes);
    lane_count += __builtin_popcount(lanes);
  }
  return lane_count;
}

/* Finds the own boxes that overlap the boxes of those blocks. A block whose groups are all excluded with all of those
 * of the own block is left out: where groups are excluded that are close together, as they often are, most blocks. */
static int filter_own_boxes(join_state *j, int block_count, int64_t own) {
  const uint64_t partners = j->has_group_sets ? partners_of_set(j, j->first->group_sets[own]) : 0;
  lane_iterator i = {j->lists, j->lists->lanes};
  int entries = 0, lane_count = 0;
  for (int turn = 0; turn < block_count; ++turn, advance_entry(&i)) {
    const int list = i.entry->of, lane = next_lane(&i);
    if (j->has_group_sets && !(partners & j->second->group_sets[j->near_block[list * IPG_LANES + lane]])) continue;
    const probe other_box = load_probe(&j->near[list], lane);
    const unsigned lanes = test_touching(&other_box, j->own_block);
    entries = append_entry(j->blocks, entries, (unsigned)(list * IPG_LANES + lane), lanes);
    lane_count += __builtin_popcount(lanes);
  }
  return lane_count;
}

/* Finds the boxes of those blocks that overlap the own boxes. A block is compared with itself only once. Returns the
 * number of entries. */
static int filter_other_boxes(join_state *j, int box_count, int own_index, int64_t first) {
  lane_iterator i = {j->blocks, j->blocks->lanes};
  int entries = 0;
  for (int turn = 0; turn < box_count; ++turn, advance_entry(&i)) {
    const int index = i.entry->of, lane = next_lane(&i);
    if (j->has_group_sets &&
        !(j->partners[j->first->groups[first + lane]] & j->second->group_sets[j->near_block[index]]))
      continue;
    const probe own_box = load_probe(j->own_block, lane);
    const unsigned wanted = index == own_index ? 0xfffeu << lane : ALL_LANES;
    const unsigned lanes = test_touching(&own_box, &j->second->blocks[j->near_block[index]]) & wanted;
    entries = append_entry(j->boxes, entries, (unsigned)(index << 4 | lane), lanes);
  }
  return entries;
}

static void report_pairs(join_state *j, int64_t first, int entries) {
  for (int i = 0; i < entries; ++i) {
    const int lane = j->boxes[i].of & 15;
    const int64_t block = j->near_block[j->boxes[i].of >> 4], position = j->second->block_item[block];
    const probe own_box = load_probe(j->own_block, lane);
    const unsigned sure = test_overlapping(&own_box, &j->second->blocks[block]);
    unsigned lanes = j->boxes[i].lanes;
    if (j->exclude || lanes & ~sure) lanes = confirm_lanes(j, first + lane, position, lanes, sure);
    append_pairs(j, first + lane, position, lanes);
  }
}

/* -------------------------------------------------------------------------------------- own blocks and near blocks */

/* The box of an own block, and the block itself, in ticks of the frame: stored already if the frame is its own. */
static probe make_block_probe(const join_state *j, int64_t block, int lane) {
  if (j->same_frame) return load_probe(&j->first->group_lanes[j->group], lane);
  const ipg_ticks ticks = to_ticks(j->frame, &j->first->block_boxes[block]);
  return make_probe(&ticks);
}

static const ipg_packed_block *convert_block(const join_state *j, int64_t block, ipg_packed_block *memory) {
  if (j->same_frame) return &j->first->blocks[block];
  const int64_t first = j->first->block_item[block];
  const int count = (int)(j->first->block_item[block + 1] - first);
  ipg_box around;
  fill_block(j->frame, j->first->records, j->first->order + first, count, memory, &around);
  return memory;
}

/* Joins all blocks of the group with the near blocks. In its own frame the first near blocks may be the group's own:
 * each own block is then joined with itself and those behind it. */
static void join_near_blocks(join_state *j, bool own_blocks_first) {
  const int64_t begin = j->first->group_block[j->group], end = j->first->group_block[j->group + 1];
  const int lists = (j->near_count + IPG_LANES - 1) / IPG_LANES;
  if (j->near_count % IPG_LANES) ipg_packed_block_clear(&j->near[lists - 1], j->near_count % IPG_LANES);
  for (int64_t block = begin; block < end; ++block) {
    const int lane = (int)(block - begin);
    const probe own_box = make_block_probe(j, block, lane);
    const unsigned wanted = own_blocks_first ? (unsigned)ALL_LANES << lane & ALL_LANES : ALL_LANES;
    const int near = filter_near_blocks(j, &own_box, wanted);
    j->candidates += lists * IPG_LANES;
    if (!near) continue;
    ipg_packed_block memory;
    j->own_block = convert_block(j, block, &memory);
    const int boxes = filter_own_boxes(j, near, block);
    const int64_t first = j->first->block_item[block];
    report_pairs(j, first, filter_other_boxes(j, boxes, own_blocks_first ? lane : -1, first));
    j->candidates += (near + boxes) * IPG_LANES;
  }
  j->near_count = 0;
}

/* ----------------------------------------------------------------------------------------- the group and a frame */

static inline void append_near_block(join_state *j, const ipg_packed_block *from, int lane, int64_t block) {
  const int at = j->near_count++;
  for (int k = 0; k < 3; ++k) {
    j->near[at / IPG_LANES].lo[k][at % IPG_LANES] = from->lo[k][lane];
    j->near[at / IPG_LANES].hi[k][at % IPG_LANES] = from->hi[k][lane];
  }
  j->near_block[at] = (int32_t)block;
  const char *line = (const char *)&j->second->blocks[block];
  __builtin_prefetch(line), __builtin_prefetch(line + 64), __builtin_prefetch(line + 128);
}

/* The group's own blocks, as the first 16 near blocks. */
static void append_own_blocks(join_state *j) {
  for (int lane = 0; lane < IPG_LANES; ++lane)
    append_near_block(j, &j->second->group_lanes[j->group], lane, j->second->group_block[j->group] + lane);
}

/* Collects the blocks of the frame that overlap the group's box; when the list is full it is joined and emptied. */
static void join_blocks_of_frame(join_state *j, const probe *box) {
  const ipg_packed *tree = j->second;
  bool own_blocks_first = j->same_frame;
  for (int64_t top = j->frame->top_block; top < j->frame[1].top_block; ++top)
    for (unsigned groups = test_touching(box, &tree->top_blocks[top]); groups; groups &= groups - 1) {
      const int64_t g = j->frame->group + (top - j->frame->top_block) * IPG_LANES + __builtin_ctz(groups);
      if (j->same_frame && g <= j->group) continue;
      if (j->near_count > MOST_NEAR - IPG_LANES) join_near_blocks(j, own_blocks_first), own_blocks_first = false;
      for (unsigned lanes = test_touching(box, &tree->group_lanes[g]); lanes; lanes &= lanes - 1)
        append_near_block(j, &tree->group_lanes[g], __builtin_ctz(lanes), tree->group_block[g] + __builtin_ctz(lanes));
    }
  if (j->near_count) join_near_blocks(j, own_blocks_first);
}

static void join_group_and_frame(join_state *j) {
  const ipg_ticks ticks = to_ticks(j->frame, &j->first->group_boxes[j->group]);
  const probe box = make_probe(&ticks);
  j->near_count = 0;
  if (j->same_frame) append_own_blocks(j);
  join_blocks_of_frame(j, &box);
}

/* Groups [begin, end) of the first tree against frame `other` of the second; `own` is the frame of the first group. */
static void join_groups_and_frame(join_state *j, int64_t begin, int64_t end, int64_t own, int64_t other) {
  j->frame = &j->second->frames[other];
  for (j->group = begin; j->group < end; ++j->group) {
    while (j->first->frames[own + 1].group <= j->group) ++own;
    j->same_frame = j->self && other == own;
    if (j->self && other < own) continue;
    if (ipg_boxes_overlap(&j->first->group_boxes[j->group], &j->frame->box)) join_group_and_frame(j);
  }
}

/* Groups [begin, end) of the first tree against the second tree. Its frames are few, thousands of boxes each, so all
 * are tested. */
static void join_groups(const ipg_join *join, int64_t begin, int64_t end, int worker) {
  join_state j;
  j.join = join, j.first = join->first, j.second = join->second, j.worker = worker, j.candidates = 0;
  j.buffer = (ipg_pair_buffer *)join->search->pair_buffers.data + worker;
  j.self = join->first == join->second;
  find_partners(&j);
  j.exclude = (j.first->keys && j.second->keys) || (j.first->groups && j.second->groups);
  ipg_box box = ipg_empty_box();
  for (int64_t group = begin; group < end; ++group) ipg_box_include(&box, &j.first->group_boxes[group]);
  const int64_t own = ipg_frame_of_group(j.first, begin);
  for (int64_t other = j.self ? own : 0; other < j.second->frame_count; ++other)
    if (ipg_boxes_overlap(&box, &j.second->frames[other].box)) join_groups_and_frame(&j, begin, end, own, other);
  j.buffer->candidates += j.candidates;
}
