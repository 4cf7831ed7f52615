/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Draws a page: the layout, the fitted view, rasterisation into a z-buffer of 2 x 2 samples per pixel, the average of
 * the samples, then title, legend and axes.
 *
 * Corners are snapped to 1/256 of a sample and edge functions are integers, so that adjacent faces share their border
 * exactly: no gaps, and the same pixels on every machine. At equal depth the first face wins. The view is fitted, so
 * every corner lies inside the canvas and nothing is clipped. */
#include "raster.h"

#include "font.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2, SNAP = 256, TICKS = 5, MAP_SIZE = 1024, PLOT_MIN = 96, LABEL_SIZE = 32 };

enum { WHITE = 0xFFFFFF, INK = 0x202428, NOT_A_NUMBER_GREY = 0x9A9A9A };

/* Evenly spaced in OKLab, from dark blue over teal to yellow; the lightness increases monotonically. */
static const uint32_t map_anchors[] = {0x293493, 0x1A549C, 0x14719E, 0x2C8CA0, 0x44A8A2,
                                       0x5DC29D, 0x86D788, 0xBDE564, 0xFAEB46};

/* Colours of groups: of equal lightness, so that none dominates; they repeat after the last. */
static const uint32_t group_colours[] = {0x67A3E0, 0xEA9952, 0x69BA7C, 0xD66F71,
                                         0xA37ECD, 0xD0BF5E, 0x60BFC4, 0x768193};

static const uint32_t axis_colours[3] = {0xC03A3A, 0x2E8B45, 0x2F5FC4};

typedef struct raster_area {
  int x, y, width, height;
} raster_area;

/* The layout in pixels. Texts are measured first; the plot gets the remaining area. */
typedef struct raster_page {
  int scale, title_scale, margin;
  raster_area title, name, plot, key, triad, footer;
  int tick_count;
  char ticks[TICKS][LABEL_SIZE]; /* from low to high; LABEL_SIZE holds any double in 17 digits */
} raster_page;

typedef struct raster_view {
  double right[3], up[3], eye[3], light[3];
} raster_view;

/* A node on the canvas: snapped position, depth (larger is closer to the eye), position of its value on the bar. */
typedef struct raster_vertex {
  int32_t u, v;
  float depth, fraction;
} raster_vertex;

typedef struct raster_canvas {
  int width, height; /* samples */
  float *depth;
  uint32_t *colours;
  raster_vertex *vertices;
  uint32_t map[MAP_SIZE];
} raster_canvas;

static bool is_coloured_by_value(const raster_scene *scene) { return scene->values || scene->face_values; }

/* --------------------------------------------------------------------------------------------------------- pixels */

static void split_colour(uint32_t colour, double rgb[3]) {
  for (int k = 0; k < 3; k++) rgb[k] = (double)((colour >> (16 - 8 * k)) & 0xFFu);
}

static uint32_t join_colour(const double rgb[3]) {
  uint32_t colour = 0;
  for (int k = 0; k < 3; k++) colour = colour << 8 | (uint32_t)(rgb[k] + 0.5);
  return colour;
}

static uint32_t mix_colours(uint32_t from, uint32_t to, double fraction) {
  double a[3], b[3];
  split_colour(from, a);
  split_colour(to, b);
  for (int k = 0; k < 3; k++) a[k] += fraction * (b[k] - a[k]);
  return join_colour(a);
}

static void blend_pixel(raster_image *image, int x, int y, uint32_t colour, double fraction) {
  if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
  uint8_t *pixel = image->rgb + 3 * ((int64_t)y * image->width + x);
  uint32_t old = (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
  uint32_t mixed = mix_colours(old, colour, fraction);
  for (int k = 0; k < 3; k++) pixel[k] = (uint8_t)(mixed >> (16 - 8 * k));
}

static void fill_area(raster_image *image, raster_area where, uint32_t colour) {
  for (int y = where.y; y < where.y + where.height; y++)
    for (int x = where.x; x < where.x + where.width; x++) blend_pixel(image, x, y, colour, 1);
}

/* An antialiased line: the coverage of a pixel follows from the distance of its centre to the line. */
static void draw_line(raster_image *image, const double a[2], const double b[2], double width, uint32_t colour) {
  double along[2] = {b[0] - a[0], b[1] - a[1]};
  double length2 = along[0] * along[0] + along[1] * along[1];
  for (int y = (int)(fmin(a[1], b[1]) - width); y <= fmax(a[1], b[1]) + width; y++)
    for (int x = (int)(fmin(a[0], b[0]) - width); x <= fmax(a[0], b[0]) + width; x++) {
      double p[2] = {x + 0.5 - a[0], y + 0.5 - a[1]};
      double t = length2 > 0 ? (p[0] * along[0] + p[1] * along[1]) / length2 : 0;
      t = fmin(1, fmax(0, t));
      double distance = hypot(p[0] - t * along[0], p[1] - t * along[1]);
      blend_pixel(image, x, y, colour, fmin(1, fmax(0, 0.5 * width + 0.5 - distance)));
    }
}

/* ----------------------------------------------------------------------------------------------------------- text */

static int measure_text_width(const char *text, int scale) {
  return font_count_characters(text) * FONT_ADVANCE * scale;
}

static void draw_character(raster_image *image, int x, int y, const char *text, int scale) {
  for (int row = 0; row < FONT_HEIGHT; row++)
    for (int column = 0; column < FONT_WIDTH; column++)
      if (font_has_dot(text, column, row))
        fill_area(image, (raster_area){x + column * scale, y + row * scale, scale, scale}, INK);
}

static void draw_text(raster_image *image, int x, int y, const char *text, const char *end, int scale) {
  for (; text < end; text = font_next_character(text), x += FONT_ADVANCE * scale)
    draw_character(image, x, y, text, scale);
}

/* The end of the line that starts at `text`: the last space that fits, else the last character that fits. */
static const char *find_line_end(const char *text, int columns) {
  const char *end = text, *space = text;
  for (int used = 0; *end && used < columns; used++, end = font_next_character(end))
    if (*end == ' ') space = end;
  return *end && *end != ' ' && space > text ? space : end;
}

/* Draws wrapped text and returns the number of its lines; if `image` is NULL it only counts them. */
static int wrap_text(raster_image *image, raster_area where, const char *text, int scale) {
  int lines = 0, columns = where.width / (FONT_ADVANCE * scale);
  if (columns < 1) columns = 1;
  while (text && *text) {
    const char *end = find_line_end(text, columns);
    if (image) draw_text(image, where.x, where.y + lines * FONT_LINE * scale, text, end, scale);
    for (text = end; *text == ' ';) text++;
    lines++;
  }
  return lines;
}

/* ----------------------------------------------------------------------------------------------------------- page */

static double get_tick_value(const raster_scene *scene, int tick, int count) {
  return count < 2 ? scene->low : scene->low + (scene->high - scene->low) * tick / (count - 1);
}

static bool labels_differ(const raster_page *page) {
  for (int i = 1; i < page->tick_count; i++)
    if (strcmp(page->ticks[i - 1], page->ticks[i]) == 0) return false;
  return true;
}

/* As few digits as make all labels different: a narrow range far from zero needs more than three. */
static void label_ticks(const raster_scene *scene, raster_page *page) {
  page->tick_count = scene->high > scene->low ? TICKS : 1;
  for (int digits = 3; digits <= 17; digits++) {
    for (int i = 0; i < page->tick_count; i++)
      snprintf(page->ticks[i], LABEL_SIZE, "%.*g", digits, get_tick_value(scene, i, page->tick_count));
    if (labels_differ(page)) return;
  }
}

static int measure_widest_label(const raster_scene *scene, const raster_page *page) {
  int widest = 0;
  for (int i = 0; is_coloured_by_value(scene) && i < page->tick_count; i++)
    widest = (int)fmax(widest, measure_text_width(page->ticks[i], page->scale));
  for (int i = 0; !is_coloured_by_value(scene) && scene->group_names && i < scene->group_count; i++)
    widest = (int)fmax(widest, measure_text_width(scene->group_names[i], page->scale));
  return is_coloured_by_value(scene) ? widest : (int)fmin(widest, scene->width / 4);
}

static int measure_text_height(const char *text, int width, int scale) {
  return wrap_text(NULL, (raster_area){.width = width}, text, scale) * FONT_LINE * scale;
}

static void lay_out_page(const raster_scene *scene, raster_page *page) {
  int s = (int)fmax(1, fmin(scene->width, scene->height) / 400), margin = 8 * s;
  page->scale = s;
  page->title_scale = s + s / 2;
  page->margin = margin;
  label_ticks(scene, page);
  int triad = 56 * s, key = (int)fmax(triad, 16 * s + measure_widest_label(scene, page)),
      inner = scene->width - 2 * margin;
  page->title = (raster_area){margin, margin, inner, measure_text_height(scene->title, inner, page->title_scale)};
  int name_height = is_coloured_by_value(scene) ? measure_text_height(scene->value_name, inner, s) : 0;
  page->name = (raster_area){margin, margin + page->title.height, inner, name_height};
  page->footer = (raster_area){page->margin, 0, inner, measure_text_height(scene->footer, inner, s)};
  page->footer.y = scene->height - page->footer.height - 4 * s;
  int edge = scene->width - margin - key, top = page->name.y + name_height, bottom = page->footer.y - 4 * s;
  page->plot = (raster_area){margin, top + 4 * s, edge - 3 * margin, bottom - top - 8 * s};
  page->triad = (raster_area){edge + (key - triad) / 2, bottom - triad, triad, triad};
  page->key = (raster_area){edge, top + 6 * s, key, page->triad.y - top - 12 * s};
}

/* The name stands above the colour bar, at the right border, unless it needs more than one line. */
static void draw_name(raster_image *image, const raster_scene *scene, const raster_page *page) {
  raster_area where = page->name;
  int spare = where.width - measure_text_width(scene->value_name, page->scale);
  if (spare > 0) where.x += spare;
  wrap_text(image, where, scene->value_name, page->scale);
}

static uint32_t pick_group_colour(ipg_id group) {
  int64_t count = sizeof group_colours / sizeof group_colours[0];
  return group_colours[(group % count + count) % count];
}

static void draw_colour_bar(raster_image *image, const raster_page *page, const raster_canvas *canvas) {
  int s = page->scale, last = page->key.height - 1;
  for (int y = 0; y <= last; y++) {
    int index = page->tick_count < 2 ? 0 : (int)((int64_t)(MAP_SIZE - 1) * (last - y) / last);
    fill_area(image, (raster_area){page->key.x, page->key.y + y, 10 * s, 1}, canvas->map[index]);
  }
  for (int i = 0; i < page->tick_count; i++) {
    const char *label = page->ticks[i];
    int y = page->key.y + (page->tick_count < 2 ? last / 2 : last - last * i / (page->tick_count - 1));
    fill_area(image, (raster_area){page->key.x + 10 * s, y - s / 2, 3 * s, s}, INK);
    draw_text(image, page->key.x + 16 * s, y - 3 * s - s / 2, label, label + strlen(label), s);
  }
}

/* As many groups as fit, long names on several lines; the last line counts the groups that do not fit. */
static void draw_legend(raster_image *image, const raster_scene *scene, const raster_page *page) {
  int s = page->scale, bottom = page->key.y + page->key.height - FONT_LINE * s;
  raster_area where = {page->key.x + 14 * s, page->key.y, page->key.width - 14 * s, 0};
  for (int i = 0; i < scene->group_count; i++) {
    int height = measure_text_height(scene->group_names[i], where.width, s);
    if (where.y + height > bottom) {
      char more[LABEL_SIZE];
      snprintf(more, sizeof more, "+ %d", scene->group_count - i);
      wrap_text(image, where, more, s);
      return;
    }
    fill_area(image, (raster_area){page->key.x, where.y - s, 9 * s, 9 * s}, pick_group_colour(i));
    wrap_text(image, where, scene->group_names[i], s);
    where.y += height;
  }
}

/* Letters of axes that would overlap in the picture are put below each other. */
static void draw_letter(raster_image *image, int axis, int scale, const double tip[2], raster_area *letters) {
  raster_area *mine = &letters[axis];
  *mine =
      (raster_area){(int)(tip[0] - 2.5 * scale), (int)(tip[1] - 3.5 * scale), FONT_ADVANCE * scale, FONT_LINE * scale};
  for (int i = 0; i < 6; i++) {
    const raster_area *other = &letters[i % 3];
    if (other != mine && abs(other->x - mine->x) < other->width && abs(other->y - mine->y) < other->height - 2 * scale)
      mine->y = other->y + other->height - 2 * scale;
  }
  draw_character(image, mine->x, mine->y, &"xyz"[axis], scale);
}

static void draw_axis(raster_image *image, const raster_page *page, const raster_view *view, int axis,
                      raster_area *letters) {
  double s = page->scale, along[2] = {view->right[axis], -view->up[axis]}, size = hypot(along[0], along[1]);
  double foot[2] = {page->triad.x + 0.5 * page->triad.width, page->triad.y + 0.5 * page->triad.height};
  double tip[2] = {foot[0] + 18 * s * along[0], foot[1] + 18 * s * along[1]};
  draw_line(image, foot, tip, 1.5 * s, axis_colours[axis]);
  if (size < 0.2) return; /* the axis points at the eye: its letter would overlap the others */
  for (int k = 0; k < 2; k++) tip[k] += 6 * s / size * along[k];
  draw_letter(image, axis, page->scale, tip, letters);
}

/* Draws the axes back to front. */
static void draw_triad(raster_image *image, const raster_page *page, const raster_view *view) {
  int order[3] = {0, 1, 2};
  raster_area letters[3] = {{0}};
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++)
      if (view->eye[order[j]] < view->eye[order[i]]) {
        int other = order[i];
        order[i] = order[j];
        order[j] = other;
      }
  for (int i = 0; i < 3; i++) draw_axis(image, page, view, order[i], letters);
}

static void write_page(raster_image *image, const raster_scene *scene, const raster_page *page, const raster_view *view,
                       const raster_canvas *canvas) {
  wrap_text(image, page->title, scene->title, page->title_scale);
  wrap_text(image, page->footer, scene->footer, page->scale);
  if (is_coloured_by_value(scene)) draw_name(image, scene, page);
  if (is_coloured_by_value(scene)) draw_colour_bar(image, page, canvas);
  else if (scene->group_names) draw_legend(image, scene, page);
  draw_triad(image, page, view);
}

/* ----------------------------------------------------------------------------------------------------------- view */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Scales by the largest component first, so that no square overflows or underflows. */
static bool normalise(double v[3]) {
  double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (!(largest > 0) || !isfinite(largest)) return false;
  for (int k = 0; k < 3; k++) v[k] /= largest;
  double length = sqrt(dot(v, v));
  for (int k = 0; k < 3; k++) v[k] /= length;
  return true;
}

static bool set_view(const double from[3], raster_view *view) {
  static const double z[3] = {0, 0, 1}, y[3] = {0, 1, 0};
  memcpy(view->eye, from, sizeof view->eye);
  if (!normalise(view->eye)) return false;
  cross(fabs(view->eye[2]) > 0.9999 ? y : z, view->eye, view->right);
  normalise(view->right);
  cross(view->eye, view->right, view->up);
  /* The light is slightly above and left of the eye: sides of a box seen at equal angles differ in brightness. */
  for (int k = 0; k < 3; k++) view->light[k] = view->eye[k] - 0.35 * view->right[k] + 0.75 * view->up[k];
  return normalise(view->light);
}

/* Along the directions right, up and towards the eye. */
typedef struct raster_bounds {
  double lo[3], hi[3];
} raster_bounds;

static ipg_status measure_bounds(const raster_scene *scene, const raster_view *view, raster_bounds *bounds,
                                 ipg_error *error) {
  for (int k = 0; k < 3; k++) bounds->lo[k] = INFINITY, bounds->hi[k] = -INFINITY;
  for (int64_t i = 0; i < 3 * scene->face_count; i++) {
    const double *x = scene->x + 3 * (int64_t)scene->faces[i];
    double p[3] = {dot(x, view->right), dot(x, view->up), dot(x, view->eye)};
    if (!isfinite(p[0] + p[1] + p[2]))
      return ipg_fail(error, IPG_ERROR_NUMBER, "node %lld has coordinates that are not finite: correct the mesh",
                      (long long)scene->faces[i] + 1);
    for (int k = 0; k < 3; k++) bounds->lo[k] = fmin(bounds->lo[k], p[k]), bounds->hi[k] = fmax(bounds->hi[k], p[k]);
  }
  return IPG_OK;
}

/* Nodes that no face uses may have any coordinates, also infinite ones: the clamp keeps the conversion defined. */
static int32_t snap_to_canvas(double sample, int size) { return (int32_t)(fmin(size, fmax(0, sample)) * SNAP + 0.5); }

/* The position of a value on the colour bar, from 0 to 1; NaN for NaN. */
static double find_bar_fraction(const raster_scene *scene, double value) {
  const double range = scene->high - scene->low;
  return range > 0 ? (value - scene->low) / range : 0 * value;
}

static void project_vertices(const raster_scene *scene, const raster_view *view, const raster_bounds *bounds,
                             raster_canvas *canvas) {
  double wide = bounds->hi[0] - bounds->lo[0], high = bounds->hi[1] - bounds->lo[1];
  double zoom = fmin(wide > 0 ? canvas->width / wide : INFINITY, high > 0 ? canvas->height / high : INFINITY);
  if (!isfinite(zoom)) zoom = 1;
  double left = 0.5 * (canvas->width - zoom * wide), top = 0.5 * (canvas->height - zoom * high);
  for (int64_t i = 0; i < scene->node_count; i++) {
    const double *x = scene->x + 3 * i;
    raster_vertex *vertex = canvas->vertices + i;
    vertex->u = snap_to_canvas(left + zoom * (dot(x, view->right) - bounds->lo[0]), canvas->width);
    vertex->v = snap_to_canvas(top + zoom * (bounds->hi[1] - dot(x, view->up)), canvas->height);
    vertex->depth = (float)(zoom * (dot(x, view->eye) - bounds->lo[2]));
    if (scene->values) vertex->fraction = (float)find_bar_fraction(scene, scene->values[i]);
  }
}

/* --------------------------------------------------------------------------------------------------------- raster */

/* One face on the canvas. Edge function k is 0 on the edge opposite corner k, and `area` at corner k. */
typedef struct raster_triangle {
  int64_t edge[3], step_u[3], step_v[3], area;
  int u0, u1, v0, v1;   /* samples */
  double line_reach[3]; /* factor from edge function to distance in samples */
  double light, line;   /* brightness; darkness of the mesh lines */
  double depth[3], fraction[3];
  uint32_t colour; /* without values */
} raster_triangle;

static int64_t compute_doubled_area(const raster_vertex *a, const raster_vertex *b, const raster_vertex *c) {
  return (int64_t)(b->u - a->u) * (c->v - a->v) - (int64_t)(b->v - a->v) * (c->u - a->u);
}

/* The samples whose centres lie in [lo, hi]. */
static void find_sample_range(int32_t lo, int32_t hi, int *first, int *last) {
  *first = (lo + SNAP / 2 - 1) / SNAP;
  *last = (hi + SNAP / 2) / SNAP - 1;
}

static int32_t min_of_three(int32_t a, int32_t b, int32_t c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }
static int32_t max_of_three(int32_t a, int32_t b, int32_t c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }

/* Returns false if the face covers no sample, the common case in fine meshes. */
static bool set_triangle_extent(raster_triangle *triangle, const raster_vertex *corners[3]) {
  const raster_vertex *a = corners[0], *b = corners[1], *c = corners[2];
  find_sample_range(min_of_three(a->u, b->u, c->u), max_of_three(a->u, b->u, c->u), &triangle->u0, &triangle->u1);
  find_sample_range(min_of_three(a->v, b->v, c->v), max_of_three(a->v, b->v, c->v), &triangle->v0, &triangle->v1);
  triangle->area = compute_doubled_area(a, b, c);
  if (triangle->area < 0) {
    corners[1] = c, corners[2] = b;
    triangle->area = -triangle->area;
  }
  return triangle->area && triangle->u0 <= triangle->u1 && triangle->v0 <= triangle->v1;
}

static void set_edge_functions(raster_triangle *triangle, const raster_vertex *const corners[3]) {
  raster_vertex start = {.u = triangle->u0 * SNAP + SNAP / 2, .v = triangle->v0 * SNAP + SNAP / 2};
  for (int k = 0; k < 3; k++) {
    const raster_vertex *a = corners[(k + 1) % 3], *b = corners[(k + 2) % 3];
    triangle->edge[k] = compute_doubled_area(a, b, &start);
    triangle->step_u[k] = -(int64_t)(b->v - a->v) * SNAP;
    triangle->step_v[k] = (int64_t)(b->u - a->u) * SNAP;
    triangle->depth[k] = corners[k]->depth;
    triangle->fraction[k] = corners[k]->fraction;
  }
}

/* Mesh lines fade with the smallest height of the face on the screen; otherwise fine meshes would turn into noise. */
static void set_mesh_lines(raster_triangle *triangle, const raster_vertex *const corners[3]) {
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    const raster_vertex *a = corners[(k + 1) % 3], *b = corners[(k + 2) % 3];
    double length = hypot(b->u - a->u, b->v - a->v);
    triangle->line_reach[k] = 1 / (length * SNAP);
    longest = fmax(longest, length);
  }
  double pixels = (double)triangle->area / longest / (SNAP * SAMPLES);
  triangle->line = 0.5 * fmin(1, fmax(0, (pixels - 3) / 10));
}

static double compute_brightness(const raster_scene *scene, const ipg_id face[3], const raster_view *view) {
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
  return 0.64 + 0.36 * towards;                       /* ambient light, so that unlit faces still show their shape */
}

static uint32_t pick_sample_colour(const raster_triangle *triangle, const raster_canvas *canvas,
                                   const double weights[3], bool valued) {
  if (!valued) return triangle->colour;
  double at =
      weights[0] * triangle->fraction[0] + weights[1] * triangle->fraction[1] + weights[2] * triangle->fraction[2];
  if (isnan(at)) return NOT_A_NUMBER_GREY;
  return canvas->map[(int)(fmin(1, fmax(0, at)) * (MAP_SIZE - 1) + 0.5)];
}

/* Each of two adjacent faces draws its half of the line between them. */
static double compute_line_cover(const raster_triangle *triangle, const int64_t edge[3], double half_width) {
  double nearest = INFINITY;
  for (int k = 0; k < 3; k++) nearest = fmin(nearest, (double)edge[k] * triangle->line_reach[k]);
  return fmin(1, fmax(0, half_width + 0.5 - nearest));
}

static uint32_t dim_colour(uint32_t colour, double light) {
  uint32_t parts = (uint32_t)(light * 256), result = 0;
  for (int shift = 16; shift >= 0; shift -= 8) result = result << 8 | (((colour >> shift) & 0xFFu) * parts) >> 8;
  return result;
}

static void paint_sample(raster_canvas *canvas, const raster_triangle *triangle, int64_t at, const int64_t edge[3],
                         bool valued, double half_width) {
  double weights[3];
  for (int k = 0; k < 3; k++) weights[k] = (double)edge[k] / (double)triangle->area;
  float depth =
      (float)(weights[0] * triangle->depth[0] + weights[1] * triangle->depth[1] + weights[2] * triangle->depth[2]);
  if (!(depth > canvas->depth[at])) return;
  canvas->depth[at] = depth;
  double light = triangle->light;
  if (triangle->line > 0) light *= 1 - triangle->line * compute_line_cover(triangle, edge, half_width);
  canvas->colours[at] = dim_colour(pick_sample_colour(triangle, canvas, weights, valued), light);
}

static void paint_triangle(raster_canvas *canvas, raster_triangle *triangle, bool valued, double half_width) {
  for (int v = triangle->v0; v <= triangle->v1; v++) {
    int64_t edge[3] = {triangle->edge[0], triangle->edge[1], triangle->edge[2]};
    for (int u = triangle->u0; u <= triangle->u1; u++) {
      if ((edge[0] | edge[1] | edge[2]) >= 0)
        paint_sample(canvas, triangle, (int64_t)v * canvas->width + u, edge, valued, half_width);
      for (int k = 0; k < 3; k++) edge[k] += triangle->step_u[k];
    }
    for (int k = 0; k < 3; k++) triangle->edge[k] += triangle->step_v[k];
  }
}

static void paint_faces(const raster_scene *scene, const raster_view *view, int scale, raster_canvas *canvas) {
  double half_width = fmax(1, 0.25 * SAMPLES * scale);
  for (int64_t f = 0; f < scene->face_count; f++) {
    const ipg_id *face = scene->faces + 3 * f;
    const raster_vertex *corners[3] = {canvas->vertices + face[0], canvas->vertices + face[1],
                                       canvas->vertices + face[2]};
    raster_triangle triangle;
    if (!set_triangle_extent(&triangle, corners)) continue;
    set_edge_functions(&triangle, corners);
    set_mesh_lines(&triangle, corners);
    triangle.light = compute_brightness(scene, face, view);
    triangle.colour = pick_group_colour(scene->groups ? scene->groups[f] : 0);
    if (scene->face_values)
      for (int k = 0; k < 3; k++) triangle.fraction[k] = find_bar_fraction(scene, scene->face_values[f]);
    paint_triangle(canvas, &triangle, is_coloured_by_value(scene), half_width);
  }
}

/* --------------------------------------------------------------------------------------------------------- canvas */

static void fill_colour_map(raster_canvas *canvas) {
  int steps = sizeof map_anchors / sizeof map_anchors[0] - 1;
  for (int i = 0; i < MAP_SIZE; i++) {
    int anchor = i * steps / MAP_SIZE;
    canvas->map[i] =
        mix_colours(map_anchors[anchor], map_anchors[anchor + 1], (double)i * steps / (MAP_SIZE - 1) - anchor);
  }
}

static ipg_status prepare_canvas(const raster_scene *scene, const raster_page *page, raster_canvas *canvas,
                                 ipg_error *error) {
  canvas->width = SAMPLES * page->plot.width;
  canvas->height = SAMPLES * page->plot.height;
  int64_t samples = (int64_t)canvas->width * canvas->height;
  canvas->depth = malloc((size_t)samples * sizeof *canvas->depth);
  canvas->colours = malloc((size_t)samples * sizeof *canvas->colours);
  canvas->vertices = calloc((size_t)scene->node_count, sizeof *canvas->vertices);
  if (!canvas->depth || !canvas->colours || !canvas->vertices)
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a picture of %d x %d pixels", scene->width,
                    scene->height);
  for (int64_t i = 0; i < samples; i++) canvas->depth[i] = -INFINITY, canvas->colours[i] = WHITE;
  fill_colour_map(canvas);
  return IPG_OK;
}

static void free_canvas(raster_canvas *canvas) {
  free(canvas->depth);
  free(canvas->colours);
  free(canvas->vertices);
}

/* The colour of a pixel is the mean of its samples. */
static void average_samples(const raster_canvas *canvas, const raster_page *page, raster_image *image) {
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

static ipg_status check_scene(const raster_scene *scene, ipg_error *error) {
  if (scene->face_count < 1) return ipg_fail(error, IPG_ERROR_ARGUMENT, "the mesh has no faces to draw");
  if (scene->width < 1 || scene->height < 1 || scene->width > RASTER_SIZE_MAX || scene->height > RASTER_SIZE_MAX)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a picture of %d x %d pixels: give sizes from 1 to %d", scene->width,
                    scene->height, RASTER_SIZE_MAX);
  return IPG_OK;
}

static ipg_status check_page(const raster_scene *scene, const raster_page *page, ipg_error *error) {
  if (page->plot.width >= PLOT_MIN && page->plot.height >= PLOT_MIN && page->key.height >= PLOT_MIN / 4) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_ARGUMENT,
                  "a picture of %d x %d pixels is too small for its title and labels: make it larger", scene->width,
                  scene->height);
}

static ipg_status create_blank_image(const raster_scene *scene, raster_image *image, ipg_error *error) {
  size_t bytes = 3 * (size_t)scene->width * (size_t)scene->height;
  *image = (raster_image){scene->width, scene->height, malloc(bytes)};
  if (!image->rgb) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a picture of %zu bytes", bytes);
  memset(image->rgb, 0xFF, bytes);
  return IPG_OK;
}

static ipg_status render_image(const raster_scene *scene, const raster_page *page, const raster_view *view,
                               raster_canvas *canvas, raster_image *image, ipg_error *error) {
  raster_bounds bounds;
  ipg_status status;
  if ((status = measure_bounds(scene, view, &bounds, error))) return status;
  if ((status = prepare_canvas(scene, page, canvas, error))) return status;
  project_vertices(scene, view, &bounds, canvas);
  paint_faces(scene, view, page->scale, canvas);
  if ((status = create_blank_image(scene, image, error))) return status;
  average_samples(canvas, page, image);
  write_page(image, scene, page, view, canvas);
  return IPG_OK;
}

ipg_status raster_draw_scene(const raster_scene *scene, raster_image *image, ipg_error *error) {
  raster_page page;
  raster_view view;
  raster_canvas canvas = {0};
  ipg_status status;
  *image = (raster_image){0};
  if ((status = check_scene(scene, error))) return status;
  lay_out_page(scene, &page);
  if ((status = check_page(scene, &page, error))) return status;
  if (!set_view(scene->from, &view))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the direction towards the eye must be finite and not 0,0,0");
  status = render_image(scene, &page, &view, &canvas, image, error);
  free_canvas(&canvas);
  return status;
}

void raster_free_image(raster_image *image) {
  free(image->rgb);
  *image = (raster_image){0};
}
