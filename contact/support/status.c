/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Status codes and error messages. */
#include "impinge/base.h"

#include <stdarg.h>
#include <stdio.h>

ipg_status ipg_fail(ipg_error *error, ipg_status status, const char *format, ...) {
  if (!error) return status;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
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
