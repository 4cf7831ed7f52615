/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The drawing: lay out the page, fit the view, rasterise into a z-buffer of 2 x 2 samples per pixel, average, write on
 * it.
 *
 * Corners are snapped to 1/256 of a sample and edges are integer functions of the snapped corners, so that neighbours
 * share their border exactly: no gaps, and the same pixels everywhere. At equal depth the first face wins. The view is
 * fitted, so every corner lies inside the canvas and nothing is ever clipped. */
#include "draw.h"

#include "font.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2, SNAP = 256, TICKS = 5, MAP_SIZE = 1024, PLOT_MIN = 96, LABEL_SIZE = 32 };

enum { WHITE = 0xFFFFFF, INK = 0x202428, NOT_A_NUMBER_GREY = 0x9A9A9A };

/* Evenly spaced in OKLab along a path of our own, from dark blue over teal to yellow; lightness grows all the way. */
static const uint32_t map_anchors[] = {0x293493, 0x1A549C, 0x14719E, 0x2C8CA0, 0x44A8A2,
                                       0x5DC29D, 0x86D788, 0xBDE564, 0xFAEB46};

/* Groups: even in lightness, so that none looks more important; used again after the last. */
static const uint32_t group_colours[] = {0x67A3E0, 0xEA9952, 0x69BA7C, 0xD66F71,
                                         0xA37ECD, 0xD0BF5E, 0x60BFC4, 0x768193};

static const uint32_t axis_colours[3] = {0xC03A3A, 0x2E8B45, 0x2F5FC4};

typedef struct draw_area {
  int x, y, width, height;
} draw_area;

/* Where things go, in pixels; texts are measured before the plot gets what they leave. */
typedef struct draw_page {
  int scale, title_scale, margin;
  draw_area title, name, plot, key, triad, footer;
  int tick_count;
  char ticks[TICKS][LABEL_SIZE]; /* from low to high; LABEL_SIZE holds any double in 17 digits */
} draw_page;

typedef struct draw_view {
  double right[3], up[3], eye[3], light[3];
} draw_view;

/* A node on the canvas: snapped position, nearness to the eye, value as a share of the range. */
typedef struct draw_spot {
  int32_t u, v;
  float nearness, share;
} draw_spot;

typedef struct draw_canvas {
  int width, height; /* samples */
  float *nearness;
  uint32_t *colours;
  draw_spot *spots;
  uint32_t map[MAP_SIZE];
} draw_canvas;

static bool by_value(const draw_scene *scene) { return scene->values || scene->face_values; }

/* --------------------------------------------------------------------------------------------------------- pixels */

static void split_colour(uint32_t colour, double rgb[3]) {
  for (int k = 0; k < 3; k++) rgb[k] = (double)((colour >> (16 - 8 * k)) & 0xFFu);
}

static uint32_t join_colour(const double rgb[3]) {
  uint32_t colour = 0;
  for (int k = 0; k < 3; k++) colour = colour << 8 | (uint32_t)(rgb[k] + 0.5);
  return colour;
}

static uint32_t mix_colours(uint32_t from, uint32_t to, double share) {
  double a[3], b[3];
  split_colour(from, a);
  split_colour(to, b);
  for (int k = 0; k < 3; k++) a[k] += share * (b[k] - a[k]);
  return join_colour(a);
}

static void blend(draw_image *image, int x, int y, uint32_t colour, double share) {
  if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
  uint8_t *pixel = image->rgb + 3 * ((int64_t)y * image->width + x);
  uint32_t old = (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
  uint32_t mixed = mix_colours(old, colour, share);
  for (int k = 0; k < 3; k++) pixel[k] = (uint8_t)(mixed >> (16 - 8 * k));
}

static void fill(draw_image *image, draw_area where, uint32_t colour) {
  for (int y = where.y; y < where.y + where.height; y++)
    for (int x = where.x; x < where.x + where.width; x++) blend(image, x, y, colour, 1);
}

/* A line with soft borders: a pixel is inked by how far its centre lies inside. */
static void stroke(draw_image *image, const double a[2], const double b[2], double width, uint32_t colour) {
  double along[2] = {b[0] - a[0], b[1] - a[1]};
  double length2 = along[0] * along[0] + along[1] * along[1];
  for (int y = (int)(fmin(a[1], b[1]) - width); y <= fmax(a[1], b[1]) + width; y++)
    for (int x = (int)(fmin(a[0], b[0]) - width); x <= fmax(a[0], b[0]) + width; x++) {
      double p[2] = {x + 0.5 - a[0], y + 0.5 - a[1]};
      double share = length2 > 0 ? (p[0] * along[0] + p[1] * along[1]) / length2 : 0;
      share = fmin(1, fmax(0, share));
      double distance = hypot(p[0] - share * along[0], p[1] - share * along[1]);
      blend(image, x, y, colour, fmin(1, fmax(0, 0.5 * width + 0.5 - distance)));
    }
}

/* ----------------------------------------------------------------------------------------------------------- text */

static int text_width(const char *text, int scale) { return font_length(text) * FONT_ADVANCE * scale; }

static void draw_character(draw_image *image, int x, int y, const char *text, int scale) {
  for (int row = 0; row < FONT_HEIGHT; row++)
    for (int column = 0; column < FONT_WIDTH; column++)
      if (font_dot(text, column, row)) fill(image, (draw_area){x + column * scale, y + row * scale, scale, scale}, INK);
}

static void draw_text(draw_image *image, int x, int y, const char *text, const char *end, int scale) {
  for (; text < end; text = font_next(text), x += FONT_ADVANCE * scale) draw_character(image, x, y, text, scale);
}

/* The end of the line that starts at `text`: at the last space that fits, else where the width ends within a word. */
static const char *line_end(const char *text, int columns) {
  const char *end = text, *space = text;
  for (int used = 0; *end && used < columns; used++, end = font_next(end))
    if (*end == ' ') space = end;
  return *end && *end != ' ' && space > text ? space : end;
}

/* Draws wrapped text and returns its lines; without an image it only counts them. */
static int wrap_text(draw_image *image, draw_area where, const char *text, int scale) {
  int lines = 0, columns = where.width / (FONT_ADVANCE * scale);
  if (columns < 1) columns = 1;
  while (text && *text) {
    const char *end = line_end(text, columns);
    if (image) draw_text(image, where.x, where.y + lines * FONT_LINE * scale, text, end, scale);
    for (text = end; *text == ' ';) text++;
    lines++;
  }
  return lines;
}

/* ----------------------------------------------------------------------------------------------------------- page */

static double tick_value(const draw_scene *scene, int tick, int count) {
  return count < 2 ? scene->low : scene->low + (scene->high - scene->low) * tick / (count - 1);
}

static bool all_differ(const draw_page *page) {
  for (int i = 1; i < page->tick_count; i++)
    if (strcmp(page->ticks[i - 1], page->ticks[i]) == 0) return false;
  return true;
}

/* As few digits as tell the ticks apart: a narrow range far from zero needs more than three. */
static void label_ticks(const draw_scene *scene, draw_page *page) {
  page->tick_count = scene->high > scene->low ? TICKS : 1;
  for (int digits = 3; digits <= 17; digits++) {
    for (int i = 0; i < page->tick_count; i++)
      snprintf(page->ticks[i], LABEL_SIZE, "%.*g", digits, tick_value(scene, i, page->tick_count));
    if (all_differ(page)) return;
  }
}

static int widest_label(const draw_scene *scene, const draw_page *page) {
  int widest = 0;
  for (int i = 0; by_value(scene) && i < page->tick_count; i++)
    widest = (int)fmax(widest, text_width(page->ticks[i], page->scale));
  for (int i = 0; !by_value(scene) && scene->group_names && i < scene->group_count; i++)
    widest = (int)fmax(widest, text_width(scene->group_names[i], page->scale));
  return by_value(scene) ? widest : (int)fmin(widest, scene->width / 4);
}

static int text_height(const char *text, int width, int scale) {
  return wrap_text(NULL, (draw_area){.width = width}, text, scale) * FONT_LINE * scale;
}

static void lay_out(const draw_scene *scene, draw_page *page) {
  int s = (int)fmax(1, fmin(scene->width, scene->height) / 400), margin = 8 * s;
  page->scale = s;
  page->title_scale = s + s / 2;
  page->margin = margin;
  label_ticks(scene, page);
  int triad = 56 * s, key = (int)fmax(triad, 16 * s + widest_label(scene, page)), inner = scene->width - 2 * margin;
  page->title = (draw_area){margin, margin, inner, text_height(scene->title, inner, page->title_scale)};
  int name_height = by_value(scene) ? text_height(scene->value_name, inner, s) : 0;
  page->name = (draw_area){margin, margin + page->title.height, inner, name_height};
  page->footer = (draw_area){page->margin, 0, inner, text_height(scene->footer, inner, s)};
  page->footer.y = scene->height - page->footer.height - 4 * s;
  int edge = scene->width - margin - key, top = page->name.y + name_height, bottom = page->footer.y - 4 * s;
  page->plot = (draw_area){margin, top + 4 * s, edge - 3 * margin, bottom - top - 8 * s};
  page->triad = (draw_area){edge + (key - triad) / 2, bottom - triad, triad, triad};
  page->key = (draw_area){edge, top + 6 * s, key, page->triad.y - top - 12 * s};
}

/* The name stands above the colour bar, at the right border, unless it needs more than one line. */
static void draw_name(draw_image *image, const draw_scene *scene, const draw_page *page) {
  draw_area where = page->name;
  int spare = where.width - text_width(scene->value_name, page->scale);
  if (spare > 0) where.x += spare;
  wrap_text(image, where, scene->value_name, page->scale);
}

static uint32_t group_colour(ipg_id group) {
  int64_t count = sizeof group_colours / sizeof group_colours[0];
  return group_colours[(group % count + count) % count];
}

static void draw_colour_bar(draw_image *image, const draw_page *page, const draw_canvas *canvas) {
  int s = page->scale, last = page->key.height - 1;
  for (int y = 0; y <= last; y++) {
    int index = page->tick_count < 2 ? 0 : (int)((int64_t)(MAP_SIZE - 1) * (last - y) / last);
    fill(image, (draw_area){page->key.x, page->key.y + y, 10 * s, 1}, canvas->map[index]);
  }
  for (int i = 0; i < page->tick_count; i++) {
    const char *label = page->ticks[i];
    int y = page->key.y + (page->tick_count < 2 ? last / 2 : last - last * i / (page->tick_count - 1));
    fill(image, (draw_area){page->key.x + 10 * s, y - s / 2, 3 * s, s}, INK);
    draw_text(image, page->key.x + 16 * s, y - 3 * s - s / 2, label, label + strlen(label), s);
  }
}

/* As many groups as fit, long names on several lines; the last line counts those that do not fit. */
static void draw_legend(draw_image *image, const draw_scene *scene, const draw_page *page) {
  int s = page->scale, bottom = page->key.y + page->key.height - FONT_LINE * s;
  draw_area where = {page->key.x + 14 * s, page->key.y, page->key.width - 14 * s, 0};
  for (int i = 0; i < scene->group_count; i++) {
    int height = text_height(scene->group_names[i], where.width, s);
    if (where.y + height > bottom) {
      char more[LABEL_SIZE];
      snprintf(more, sizeof more, "+ %d", scene->group_count - i);
      wrap_text(image, where, more, s);
      return;
    }
    fill(image, (draw_area){page->key.x, where.y - s, 9 * s, 9 * s}, group_colour(i));
    wrap_text(image, where, scene->group_names[i], s);
    where.y += height;
  }
}

/* Letters of axes that lie on each other in the picture go below each other. */
static void draw_letter(draw_image *image, int axis, int scale, const double tip[2], draw_area *letters) {
  draw_area *mine = &letters[axis];
  *mine =
      (draw_area){(int)(tip[0] - 2.5 * scale), (int)(tip[1] - 3.5 * scale), FONT_ADVANCE * scale, FONT_LINE * scale};
  for (int i = 0; i < 6; i++) {
    const draw_area *other = &letters[i % 3];
    if (other != mine && abs(other->x - mine->x) < other->width && abs(other->y - mine->y) < other->height - 2 * scale)
      mine->y = other->y + other->height - 2 * scale;
  }
  draw_character(image, mine->x, mine->y, &"xyz"[axis], scale);
}

static void draw_axis(draw_image *image, const draw_page *page, const draw_view *view, int axis, draw_area *letters) {
  double s = page->scale, along[2] = {view->right[axis], -view->up[axis]}, size = hypot(along[0], along[1]);
  double foot[2] = {page->triad.x + 0.5 * page->triad.width, page->triad.y + 0.5 * page->triad.height};
  double tip[2] = {foot[0] + 18 * s * along[0], foot[1] + 18 * s * along[1]};
  stroke(image, foot, tip, 1.5 * s, axis_colours[axis]);
  if (size < 0.2) return; /* it points at the eye: its letter would lie on the others */
  for (int k = 0; k < 2; k++) tip[k] += 6 * s / size * along[k];
  draw_letter(image, axis, page->scale, tip, letters);
}

/* The axis that points away most goes first, the one that points at the eye last. */
static void draw_triad(draw_image *image, const draw_page *page, const draw_view *view) {
  int order[3] = {0, 1, 2};
  draw_area letters[3] = {{0}};
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++)
      if (view->eye[order[j]] < view->eye[order[i]]) {
        int other = order[i];
        order[i] = order[j];
        order[j] = other;
      }
  for (int i = 0; i < 3; i++) draw_axis(image, page, view, order[i], letters);
}

static void write_page(draw_image *image, const draw_scene *scene, const draw_page *page, const draw_view *view,
                       const draw_canvas *canvas) {
  wrap_text(image, page->title, scene->title, page->title_scale);
  wrap_text(image, page->footer, scene->footer, page->scale);
  if (by_value(scene)) draw_name(image, scene, page);
  if (by_value(scene)) draw_colour_bar(image, page, canvas);
  else if (scene->group_names) draw_legend(image, scene, page);
  draw_triad(image, page, view);
}

/* ----------------------------------------------------------------------------------------------------------- view */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Scaled by the largest component first, so that no square over- or underflows. */
static bool normalise(double v[3]) {
  double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (!(largest > 0) || !isfinite(largest)) return false;
  for (int k = 0; k < 3; k++) v[k] /= largest;
  double length = sqrt(dot(v, v));
  for (int k = 0; k < 3; k++) v[k] /= length;
  return true;
}

static bool look_from(const double from[3], draw_view *view) {
  static const double z[3] = {0, 0, 1}, y[3] = {0, 1, 0};
  memcpy(view->eye, from, sizeof view->eye);
  if (!normalise(view->eye)) return false;
  cross(fabs(view->eye[2]) > 0.9999 ? y : z, view->eye, view->right);
  normalise(view->right);
  cross(view->eye, view->right, view->up);
  /* A lamp a little up and left of the eye tells apart the sides of a box that the eye sees at equal angles. */
  for (int k = 0; k < 3; k++) view->light[k] = view->eye[k] - 0.35 * view->right[k] + 0.75 * view->up[k];
  return normalise(view->light);
}

/* Along right, up and the line to the eye. */
typedef struct draw_bounds {
  double lo[3], hi[3];
} draw_bounds;

static ipg_status measure(const draw_scene *scene, const draw_view *view, draw_bounds *bounds, ipg_error *error) {
  for (int k = 0; k < 3; k++) bounds->lo[k] = INFINITY, bounds->hi[k] = -INFINITY;
  for (int64_t i = 0; i < 3 * scene->face_count; i++) {
    const double *x = scene->x + 3 * (int64_t)scene->faces[i];
    double p[3] = {dot(x, view->right), dot(x, view->up), dot(x, view->eye)};
    if (!isfinite(p[0] + p[1] + p[2]))
      return ipg_fail(error, IPG_ERROR_NUMBER, "node %lld is at no finite place, so there is nothing to draw",
                      (long long)scene->faces[i] + 1);
    for (int k = 0; k < 3; k++) bounds->lo[k] = fmin(bounds->lo[k], p[k]), bounds->hi[k] = fmax(bounds->hi[k], p[k]);
  }
  return IPG_OK;
}

/* Nodes that no face uses may lie anywhere, even nowhere: the clamp keeps the conversion defined. */
static int32_t snap(double sample, int size) { return (int32_t)(fmin(size, fmax(0, sample)) * SNAP + 0.5); }

/* Where a value is on the colour bar, from 0 to 1; what is not a number is nowhere. */
static double share_of(const draw_scene *scene, double value) {
  const double range = scene->high - scene->low;
  return range > 0 ? (value - scene->low) / range : 0 * value;
}

static void place_spots(const draw_scene *scene, const draw_view *view, const draw_bounds *bounds,
                        draw_canvas *canvas) {
  double wide = bounds->hi[0] - bounds->lo[0], high = bounds->hi[1] - bounds->lo[1];
  double zoom = fmin(wide > 0 ? canvas->width / wide : INFINITY, high > 0 ? canvas->height / high : INFINITY);
  if (!isfinite(zoom)) zoom = 1;
  double left = 0.5 * (canvas->width - zoom * wide), top = 0.5 * (canvas->height - zoom * high);
  for (int64_t i = 0; i < scene->node_count; i++) {
    const double *x = scene->x + 3 * i;
    draw_spot *spot = canvas->spots + i;
    spot->u = snap(left + zoom * (dot(x, view->right) - bounds->lo[0]), canvas->width);
    spot->v = snap(top + zoom * (bounds->hi[1] - dot(x, view->up)), canvas->height);
    spot->nearness = (float)(zoom * (dot(x, view->eye) - bounds->lo[2]));
    if (scene->values) spot->share = (float)share_of(scene, scene->values[i]);
  }
}

/* --------------------------------------------------------------------------------------------------------- raster */

/* One face on the canvas: edge function k is zero on the edge opposite corner k and `area` at the corner. */
typedef struct draw_tile {
  int64_t edge[3], step_u[3], step_v[3], area;
  int u0, u1, v0, v1;   /* samples */
  double line_reach[3]; /* edge function to distance in samples */
  double light, line;   /* brightness; how dark the mesh lines are */
  double nearness[3], share[3];
  uint32_t colour; /* without values */
} draw_tile;

static int64_t doubled_area(const draw_spot *a, const draw_spot *b, const draw_spot *c) {
  return (int64_t)(b->u - a->u) * (c->v - a->v) - (int64_t)(b->v - a->v) * (c->u - a->u);
}

/* The samples whose centres lie in [lo, hi]. */
static void sample_range(int32_t lo, int32_t hi, int *first, int *last) {
  *first = (lo + SNAP / 2 - 1) / SNAP;
  *last = (hi + SNAP / 2) / SNAP - 1;
}

static int32_t least(int32_t a, int32_t b, int32_t c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }
static int32_t most(int32_t a, int32_t b, int32_t c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }

/* False if the face covers no sample, which in fine meshes is the common case. */
static bool tile_place(draw_tile *tile, const draw_spot *corners[3]) {
  const draw_spot *a = corners[0], *b = corners[1], *c = corners[2];
  sample_range(least(a->u, b->u, c->u), most(a->u, b->u, c->u), &tile->u0, &tile->u1);
  sample_range(least(a->v, b->v, c->v), most(a->v, b->v, c->v), &tile->v0, &tile->v1);
  tile->area = doubled_area(a, b, c);
  if (tile->area < 0) {
    corners[1] = c, corners[2] = b;
    tile->area = -tile->area;
  }
  return tile->area && tile->u0 <= tile->u1 && tile->v0 <= tile->v1;
}

static void tile_edges(draw_tile *tile, const draw_spot *const corners[3]) {
  draw_spot start = {.u = tile->u0 * SNAP + SNAP / 2, .v = tile->v0 * SNAP + SNAP / 2};
  for (int k = 0; k < 3; k++) {
    const draw_spot *a = corners[(k + 1) % 3], *b = corners[(k + 2) % 3];
    tile->edge[k] = doubled_area(a, b, &start);
    tile->step_u[k] = -(int64_t)(b->v - a->v) * SNAP;
    tile->step_v[k] = (int64_t)(b->u - a->u) * SNAP;
    tile->nearness[k] = corners[k]->nearness;
    tile->share[k] = corners[k]->share;
  }
}

/* Mesh lines fade with the least height of the face on the screen, or fine meshes would turn to noise. */
static void tile_lines(draw_tile *tile, const draw_spot *const corners[3]) {
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    const draw_spot *a = corners[(k + 1) % 3], *b = corners[(k + 2) % 3];
    double length = hypot(b->u - a->u, b->v - a->v);
    tile->line_reach[k] = 1 / (length * SNAP);
    longest = fmax(longest, length);
  }
  double pixels = (double)tile->area / longest / (SNAP * SAMPLES);
  tile->line = 0.5 * fmin(1, fmax(0, (pixels - 3) / 10));
}

static double brightness(const draw_scene *scene, const ipg_id face[3], const draw_view *view) {
  double side[2][3], normal[3];
  const double *x = scene->x;
  for (int k = 0; k < 3; k++) {
    side[0][k] = x[3 * (int64_t)face[1] + k] - x[3 * (int64_t)face[0] + k];
    side[1][k] = x[3 * (int64_t)face[2] + k] - x[3 * (int64_t)face[0] + k];
  }
  cross(side[0], side[1], normal);
  if (!normalise(normal)) return 1;
  double towards = dot(normal, view->light);
  if (dot(normal, view->eye) < 0) towards = -towards; /* both sides are lit */
  return 0.64 + 0.36 * towards; /* no flat shadow: what the lamp does not reach still shows its shape */
}

static uint32_t sample_colour(const draw_tile *tile, const draw_canvas *canvas, const double share[3], bool valued) {
  if (!valued) return tile->colour;
  double at = share[0] * tile->share[0] + share[1] * tile->share[1] + share[2] * tile->share[2];
  if (isnan(at)) return NOT_A_NUMBER_GREY;
  return canvas->map[(int)(fmin(1, fmax(0, at)) * (MAP_SIZE - 1) + 0.5)];
}

/* Each of two neighbours draws its half of the line between them. */
static double line_cover(const draw_tile *tile, const int64_t edge[3], double half_width) {
  double nearest = INFINITY;
  for (int k = 0; k < 3; k++) nearest = fmin(nearest, (double)edge[k] * tile->line_reach[k]);
  return fmin(1, fmax(0, half_width + 0.5 - nearest));
}

static uint32_t dim(uint32_t colour, double light) {
  uint32_t parts = (uint32_t)(light * 256), result = 0;
  for (int shift = 16; shift >= 0; shift -= 8) result = result << 8 | (((colour >> shift) & 0xFFu) * parts) >> 8;
  return result;
}

static void paint_sample(draw_canvas *canvas, const draw_tile *tile, int64_t at, const int64_t edge[3], bool valued,
                         double half_width) {
  double share[3];
  for (int k = 0; k < 3; k++) share[k] = (double)edge[k] / (double)tile->area;
  float nearness = (float)(share[0] * tile->nearness[0] + share[1] * tile->nearness[1] + share[2] * tile->nearness[2]);
  if (!(nearness > canvas->nearness[at])) return;
  canvas->nearness[at] = nearness;
  double light = tile->light;
  if (tile->line > 0) light *= 1 - tile->line * line_cover(tile, edge, half_width);
  canvas->colours[at] = dim(sample_colour(tile, canvas, share, valued), light);
}

static void paint_tile(draw_canvas *canvas, draw_tile *tile, bool valued, double half_width) {
  for (int v = tile->v0; v <= tile->v1; v++) {
    int64_t edge[3] = {tile->edge[0], tile->edge[1], tile->edge[2]};
    for (int u = tile->u0; u <= tile->u1; u++) {
      if ((edge[0] | edge[1] | edge[2]) >= 0)
        paint_sample(canvas, tile, (int64_t)v * canvas->width + u, edge, valued, half_width);
      for (int k = 0; k < 3; k++) edge[k] += tile->step_u[k];
    }
    for (int k = 0; k < 3; k++) tile->edge[k] += tile->step_v[k];
  }
}

static void paint_faces(const draw_scene *scene, const draw_view *view, int scale, draw_canvas *canvas) {
  double half_width = fmax(1, 0.25 * SAMPLES * scale);
  for (int64_t f = 0; f < scene->face_count; f++) {
    const ipg_id *face = scene->faces + 3 * f;
    const draw_spot *corners[3] = {canvas->spots + face[0], canvas->spots + face[1], canvas->spots + face[2]};
    draw_tile tile;
    if (!tile_place(&tile, corners)) continue;
    tile_edges(&tile, corners);
    tile_lines(&tile, corners);
    tile.light = brightness(scene, face, view);
    tile.colour = group_colour(scene->groups ? scene->groups[f] : 0);
    if (scene->face_values)
      for (int k = 0; k < 3; k++) tile.share[k] = share_of(scene, scene->face_values[f]);
    paint_tile(canvas, &tile, by_value(scene), half_width);
  }
}

/* --------------------------------------------------------------------------------------------------------- canvas */

static void fill_map(draw_canvas *canvas) {
  int steps = sizeof map_anchors / sizeof map_anchors[0] - 1;
  for (int i = 0; i < MAP_SIZE; i++) {
    int anchor = i * steps / MAP_SIZE;
    canvas->map[i] =
        mix_colours(map_anchors[anchor], map_anchors[anchor + 1], (double)i * steps / (MAP_SIZE - 1) - anchor);
  }
}

static ipg_status prepare_canvas(const draw_scene *scene, const draw_page *page, draw_canvas *canvas,
                                 ipg_error *error) {
  canvas->width = SAMPLES * page->plot.width;
  canvas->height = SAMPLES * page->plot.height;
  int64_t samples = (int64_t)canvas->width * canvas->height;
  canvas->nearness = malloc((size_t)samples * sizeof *canvas->nearness);
  canvas->colours = malloc((size_t)samples * sizeof *canvas->colours);
  canvas->spots = calloc((size_t)scene->node_count, sizeof *canvas->spots);
  if (!canvas->nearness || !canvas->colours || !canvas->spots)
    return ipg_fail(error, IPG_ERROR_MEMORY, "no memory to draw %d x %d pixels", scene->width, scene->height);
  for (int64_t i = 0; i < samples; i++) canvas->nearness[i] = -INFINITY, canvas->colours[i] = WHITE;
  fill_map(canvas);
  return IPG_OK;
}

static void free_canvas(draw_canvas *canvas) {
  free(canvas->nearness);
  free(canvas->colours);
  free(canvas->spots);
}

/* A pixel is the mean of its samples. */
static void resolve(const draw_canvas *canvas, const draw_page *page, draw_image *image) {
  for (int y = 0; y < page->plot.height; y++)
    for (int x = 0; x < page->plot.width; x++) {
      uint32_t sum[3] = {0, 0, 0};
      for (int s = 0; s < SAMPLES * SAMPLES; s++) {
        int64_t row = (int64_t)SAMPLES * y + s / SAMPLES;
        uint32_t colour = canvas->colours[row * canvas->width + SAMPLES * x + s % SAMPLES];
        for (int k = 0; k < 3; k++) sum[k] += (colour >> (16 - 8 * k)) & 0xFFu;
      }
      uint8_t *pixel = image->rgb + 3 * ((int64_t)(page->plot.y + y) * image->width + page->plot.x + x);
      for (int k = 0; k < 3; k++) pixel[k] = (uint8_t)((sum[k] + SAMPLES * SAMPLES / 2) / (SAMPLES * SAMPLES));
    }
}

/* -------------------------------------------------------------------------------------------------------- drawing */

static ipg_status check_scene(const draw_scene *scene, ipg_error *error) {
  if (scene->face_count < 1) return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is nothing to draw: no faces");
  if (scene->width < 1 || scene->height < 1 || scene->width > DRAW_SIZE_MAX || scene->height > DRAW_SIZE_MAX)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a picture of %d x %d pixels: both must be from 1 to %d", scene->width,
                    scene->height, DRAW_SIZE_MAX);
  return IPG_OK;
}

static ipg_status check_page(const draw_scene *scene, const draw_page *page, ipg_error *error) {
  if (page->plot.width >= PLOT_MIN && page->plot.height >= PLOT_MIN && page->key.height >= PLOT_MIN / 4) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "a picture of %d x %d pixels has no room beside its title and labels",
                  scene->width, scene->height);
}

static ipg_status blank_image(const draw_scene *scene, draw_image *image, ipg_error *error) {
  size_t bytes = 3 * (size_t)scene->width * (size_t)scene->height;
  *image = (draw_image){scene->width, scene->height, malloc(bytes)};
  if (!image->rgb) return ipg_fail(error, IPG_ERROR_MEMORY, "no memory for the picture's %zu bytes", bytes);
  memset(image->rgb, 0xFF, bytes);
  return IPG_OK;
}

static ipg_status render(const draw_scene *scene, const draw_page *page, const draw_view *view, draw_canvas *canvas,
                         draw_image *image, ipg_error *error) {
  draw_bounds bounds;
  ipg_status status;
  if ((status = measure(scene, view, &bounds, error))) return status;
  if ((status = prepare_canvas(scene, page, canvas, error))) return status;
  place_spots(scene, view, &bounds, canvas);
  paint_faces(scene, view, page->scale, canvas);
  if ((status = blank_image(scene, image, error))) return status;
  resolve(canvas, page, image);
  write_page(image, scene, page, view, canvas);
  return IPG_OK;
}

ipg_status draw_scene_image(const draw_scene *scene, draw_image *image, ipg_error *error) {
  draw_page page;
  draw_view view;
  draw_canvas canvas = {0};
  ipg_status status;
  *image = (draw_image){0};
  if ((status = check_scene(scene, error))) return status;
  lay_out(scene, &page);
  if ((status = check_page(scene, &page, error))) return status;
  if (!look_from(scene->from, &view))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the direction to look from must be finite and not 0,0,0");
  status = render(scene, &page, &view, &canvas, image, error);
  free_canvas(&canvas);
  return status;
}

void draw_image_free(draw_image *image) {
  free(image->rgb);
  *image = (draw_image){0};
}
