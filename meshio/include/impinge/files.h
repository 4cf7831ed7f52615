/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Files that are read without waiting for ever and written without harm to others.
 *
 * What is read must be a file: a folder, a pipe or a device is refused at once, because a pipe may never end.
 * What is written is claimed first. A claim is a file beside the target, `.NAME.impinge-part`, which this process has
 * locked; everything is written there, and it takes the name of the target in one step when it is complete. So an
 * earlier file stays as it was until then, whatever fails. A second process that claims the same target is refused as
 * long as the first holds its claim. The lock is the kernel's: it ends with the process, however that ends. On a file
 * system without locks nothing is locked.
 *
 * Threads: two objects may be used from two threads at once.
 */
#ifndef IMPINGE_FILES_H
#define IMPINGE_FILES_H

#include "impinge/base.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------ reading */

/* Opens a file for reading. */
IPG_API ipg_status ipg_file_open(const char *path, FILE **file, ipg_error *error);
/* Reads a file of at most `most` bytes as a whole. The bytes are followed by a zero that is not counted; release them
 * with free. */
IPG_API ipg_status ipg_file_read(const char *path, int64_t most, char **bytes, int64_t *count, ipg_error *error);
/* Whether both paths lead to one file that exists. */
IPG_API bool ipg_file_is_same(const char *a, const char *b);

/* Whether a process writes this file: one whose claim (see below) was committed and is not destroyed yet. */
IPG_API bool ipg_file_is_being_written(const char *path);

/* ------------------------------------------------------------------------------------------------------ writing */

/* Which file that exists already may be replaced: an empty one always; any with `force`; otherwise only one that
 * records that it was made from the same source, such as the result of a run from the same deck. */
typedef struct ipg_output_rule {
  bool force;
  const char *source; /* a file; NULL: none, then only force replaces */
  /* Whether the file records this source, which is written as seen from the folder of the file. */
  bool (*records_source)(const char *path, const char *source);
} ipg_output_rule;

typedef struct ipg_output ipg_output;

/* A target that is a folder, a pipe or a device, or that the rule (NULL: force) does not allow to replace, is refused;
 * so is one that another process writes. A link is followed: the file behind it is replaced. */
IPG_API ipg_status ipg_output_claim(const char *path, const ipg_output_rule *rule, ipg_output **output,
                                    ipg_error *error);
/* Where to write: the file beside the target, and the target after the commit. */
IPG_API const char *ipg_output_get_path(const ipg_output *output);
/* The path as it was given, its end if it is long: for messages. */
IPG_API const char *ipg_output_get_name(const ipg_output *output);
/* The source of the rule as seen from the folder of the target, in one line; "" if there is none. */
IPG_API const char *ipg_output_get_source(const ipg_output *output);
/* Whether the target is this file, by whatever path; the file need not exist yet. */
IPG_API bool ipg_output_is(const ipg_output *output, const char *path);
/* The written file takes the name of the target. It stays locked until the claim is destroyed. */
IPG_API ipg_status ipg_output_commit(ipg_output *output, ipg_error *error);
/* Whether the target, committed, still is the file that was written: nobody has removed, moved or replaced it. */
IPG_API bool ipg_output_is_in_place(const ipg_output *output);
/* Ends the claim. What was not committed is removed. */
IPG_API void ipg_output_destroy(ipg_output **output);

#ifdef __cplusplus
}
#endif
#endif
