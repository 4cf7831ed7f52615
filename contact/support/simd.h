/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which instructions the inner loops may use.
 *
 * The scalar loop is always there and says what is right; a wide one must give the same answer. The wide ones live in
 * files *_avx2.c, the only ones compiled for more than the build's machine, and are entered only where the processor
 * that runs has the instructions: one library fits all processors of its kind. */
#ifndef IMPINGE_SUPPORT_SIMD_H
#define IMPINGE_SUPPORT_SIMD_H

#include "impinge/base.h"

typedef enum ipg_simd { IPG_SIMD_SCALAR, IPG_SIMD_AVX2 } ipg_simd;

/* The widest that build and processor have, or what the environment variable IMPINGE_SIMD says: scalar or avx2. */
ipg_status ipg_simd_choose(ipg_simd *simd, ipg_error *error);

#endif
