/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The choice of vector instructions: by the build (IPG_HAVE_AVX2), the processor, and the user. */
#include "support/simd.h"

#include <stdlib.h>
#include <string.h>

static bool has_avx2(void) {
#ifdef IPG_HAVE_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

ipg_status ipg_simd_choose(ipg_simd *simd, ipg_error *error) {
  const char *wish = getenv("IMPINGE_SIMD");
  const bool avx2 = has_avx2();
  *simd = avx2 ? IPG_SIMD_AVX2 : IPG_SIMD_SCALAR;
  if (!wish || !*wish) return IPG_OK;
  if (!strcmp(wish, "scalar")) *simd = IPG_SIMD_SCALAR;
  else if (strcmp(wish, "avx2"))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the environment variable IMPINGE_SIMD is '%s'; take scalar or avx2",
                    wish);
  else if (!avx2)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "the environment variable IMPINGE_SIMD is avx2, which this build or processor does not have; take "
                    "scalar");
  return IPG_OK;
}
