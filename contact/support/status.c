/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Status codes and error messages. */
#include "impinge/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_control(char letter) { return (unsigned char)letter < ' ' || letter == 127; }

/* Copies the text, its control characters as \n, \t or \xNN; what does not fit is cut off before it. */
static void copy_escaped(const char *text, char *to, size_t bytes) {
  char escaped[8];
  for (; *text; ++text) {
    if (!is_control(*text)) snprintf(escaped, sizeof escaped, "%c", *text);
    else if (*text == '\n' || *text == '\t') snprintf(escaped, sizeof escaped, "\\%c", *text == '\n' ? 'n' : 't');
    else snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned)*text);
    const size_t length = strlen(escaped);
    if (length >= bytes) break;
    memcpy(to, escaped, length);
    to += length, bytes -= length;
  }
  *to = 0;
}

/* A name from a file may have control characters, which would make another sentence of it, or act on the terminal. */
ipg_status ipg_fail(ipg_error *error, ipg_status status, const char *format, ...) {
  if (!error) return status;
  error->status = status;
  char message[sizeof error->message]; /* arguments may be parts of error->message */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  copy_escaped(message, error->message, sizeof error->message);
  return status;
}

const char *ipg_status_name(ipg_status status) {
  switch (status) {
  case IPG_OK: return "ok";
  case IPG_ERROR_ARGUMENT: return "argument";
  case IPG_ERROR_NUMBER: return "number";
  case IPG_ERROR_MEMORY: return "memory";
  case IPG_ERROR_TOO_MANY: return "too many";
  case IPG_ERROR_FILE: return "file";
  case IPG_ERROR_FORMAT: return "format";
  case IPG_ERROR_UNSUPPORTED: return "unsupported";
  case IPG_ERROR_SYSTEM: return "system";
  case IPG_ERROR_BROKEN: return "broken";
  }
  return "unknown";
}
