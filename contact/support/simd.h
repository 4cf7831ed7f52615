/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The choice of vector instructions for the inner loops.
 *
 * The scalar loop always exists and is the reference; a wide one must give the same result. The wide ones are in files
 * *_avx2.c, the only ones compiled for more than the baseline instruction set, and run only if the processor has the
 * instructions, so one library fits all processors of its architecture. */
#ifndef IMPINGE_SUPPORT_SIMD_H
#define IMPINGE_SUPPORT_SIMD_H

#include "impinge/base.h"

typedef enum ipg_simd { IPG_SIMD_SCALAR, IPG_SIMD_AVX2 } ipg_simd;

/* The widest that build and processor have, or the value of the environment variable IMPINGE_SIMD: scalar or avx2. */
ipg_status ipg_simd_choose(ipg_simd *simd, ipg_error *error);

#endif
