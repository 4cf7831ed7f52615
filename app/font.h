/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A bitmap font, so that pictures need no font library and are the same everywhere.
 *
 * A glyph is FONT_WIDTH x FONT_HEIGHT dots; the last two rows lie below the baseline. Text is UTF-8: printable ASCII
 * has glyphs, every other character is drawn as a box. Every character advances by FONT_ADVANCE dots. */
#ifndef IMPINGE_APP_FONT_H
#define IMPINGE_APP_FONT_H

#include <stdbool.h>

enum { FONT_WIDTH = 5, FONT_HEIGHT = 9, FONT_ADVANCE = 6, FONT_LINE = 12 };

/* The first byte of the character after the one at `text`. */
const char *font_next_character(const char *text);
/* Counts characters, not bytes. */
int font_count_characters(const char *text);
/* True if the character at `text` has a dot at this column and row. */
bool font_has_dot(const char *text, int column, int row);

#endif
