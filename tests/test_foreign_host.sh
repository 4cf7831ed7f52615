#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# A program that does not use Impinge gets the time stepper by options alone, and an error message where that is not
# possible.
set -u
host=$1 plugin=$2
passed=0 failed=0
expect() { # name, pattern, command...
  local name=$1 pattern=$2 output
  shift 2
  output=$(timeout 60 "$@" 2>&1 </dev/null)
  if grep -q -- "$pattern" <<<"$output"; then passed=$((passed + 1)); echo "passed: $name"
  else failed=$((failed + 1)); echo "FAILED: $name"; head -n 12 <<<"$output"; fi
}
expect "without the plug-in the type is unknown" "impinge_cd" "$host" -ts_type impinge_cd
expect "by -dll_append" "type impinge_cd, error after one turn small" "$host" -dll_append "$plugin" -ts_type impinge_cd
expect "without the suffix" "type impinge_cd, error after one turn small" "$host" -dll_append "${plugin%.so*}" -ts_type impinge_cd
expect "by PETSC_OPTIONS" "type impinge_cd, error after one turn small" \
  env PETSC_OPTIONS="-dll_append $plugin -ts_type impinge_cd" "$host"
expect "it is viewed" "central difference, no contact attached" "$host" -dll_append "$plugin" -ts_type impinge_cd -ts_view
expect "two ranks" "type impinge_cd, error after one turn small" \
  mpiexec -n 2 "$host" -dll_append "$plugin" -ts_type impinge_cd
expect "contact on two ranks" "contact runs on one rank" \
  mpiexec -n 2 "$host" -dll_append "$plugin" -contact -contact_mesh nothing.exo
expect "the type of the host code still works" "type alpha2" "$host" -dll_append "$plugin"
if ldd "$plugin" | grep -q libpetsc; then failed=$((failed + 1)); echo "FAILED: the plug-in must not link PETSc"
else passed=$((passed + 1)); echo "passed: the plug-in does not link PETSc"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
