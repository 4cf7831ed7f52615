#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# test_tutorials.sh PLUGIN: PETSc's own tutorials that use TS, compiled unchanged, where they are installed
# (libpetsc3.18-dev-examples). With the library appended and no -contact each prints and writes the same bytes; with
# -contact it ends with an error that says what is missing. With IMPINGE_SIZE=full all of them, else some.
set -u
plugin=$(realpath "$1")
tutorials=$(ls -d /usr/share/petsc/*/share/petsc/examples/src/ts/tutorials 2>/dev/null | tail -n 1)
[ -d "$tutorials" ] || { echo "SKIPPED: tutorials: PETSc's examples were not found (libpetsc3.18-dev-examples)"; exit 77; }
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
some="ex1.c ex3.c ex8.c ex16.c ex20.c ex43.c hamiltonian/ex1.c"
[ "${IMPINGE_SIZE:-}" = full ] && some=$(cd "$tutorials" && find . -name '*.c' | sort)

# What it prints and writes, without addresses and times.
run() { # folder, program, options
  local folder=$1
  shift
  rm -rf "$folder" && mkdir "$folder"
  (cd "$folder" && timeout 60 "$@" >out.txt 2>err.txt </dev/null; echo "exit $?" >>out.txt)
}

# The options of the first test that a tutorial has at its end.
options_of() { sed -n 's/^ *args: *\([^{}]*\)$/\1/p' "$1" | head -n 1; }

same=0 unsteady=0 failed=0 absent=0 refused=0
for source in $some; do
  name=$(echo "${source#./}" | tr '/' '_') program=$PWD/${name%.c}.bin
  # shellcheck disable=SC2046
  mpicc -w "$tutorials/$source" -o "$program" $(pkg-config --cflags --libs PETSc) -lm >build.log 2>&1 || { absent=$((absent + 1)); continue; }
  options=
  run first "$program"
  if ! grep -q "exit 0" first/out.txt; then
    options=$(options_of "$tutorials/$source")
    run first "$program" $options
  fi
  if ! grep -q "exit 0" first/out.txt; then absent=$((absent + 1)); continue; fi
  run second "$program" $options
  if ! diff -r first second >/dev/null; then unsteady=$((unsteady + 1)); continue; fi
  run with "$program" $options -dll_append "$plugin"
  if diff -r first with >difference; then same=$((same + 1)); echo "same: ${source#./}"
  else failed=$((failed + 1)); echo "FAILED: ${source#./}"; head -n 5 difference; fi
  run contact "$program" $options -dll_append "$plugin" -contact
  # a program whose TS is never solved, or that has none, hears of it at its end
  if grep -qE -- "-contact needs to know the bodies|no time stepper ran with contact|contact does not run with -ts_type" contact/err.txt &&
    ! grep -q "exit 0" contact/out.txt; then refused=$((refused + 1))
  else failed=$((failed + 1)); echo "FAILED with -contact: ${source#./}"; tail -n 3 contact/out.txt; grep ERROR contact/err.txt | head -n 3; fi
done
echo "$same the same, $refused refused with -contact, $unsteady not the same without it either, $absent not built or not running by themselves, $failed failed"
[ "$failed" -eq 0 ] && [ "$same" -ge 6 ] && [ "$refused" -ge 6 ]
