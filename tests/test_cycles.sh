#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# test_cycles.sh SOURCE PART: the .c files of a room do not call each other in a cycle (PART: contact, meshio, plugin,
# solver), a file of contact/ uses no folder above its own (layers), and support/call_cycles.py finds both (self).
set -eu
source=$1 part=$2
folders="support narrow search surface model candidates enforce detect setup check top" # of contact/, lowest first

command -v python3 >/dev/null || { echo "SKIPPED: cycles: python3 was not found"; exit 77; }
check() { python3 "$source/tests/support/call_cycles.py" "$@"; }

# A made-up room: low/a.c and top.c are called as they should be; the rest is planted.
make_tree() {
  rm -rf tree
  mkdir -p tree/low tree/high
  printf 'int a(int);\nint b(int);\nint c(int);\nint top(int);\n' >tree/low/low.h
  printf 'static inline int twice_c(int i) { return 2 * c(i); }\n' >tree/high/twice.h
  printf '#include "low.h"\n/* not a call: c(1), top(1) */\nint a(int i) { return i ? i : 1; }\n' >tree/low/a.c
  printf '#include "low/low.h"\nstatic int top(int i) { return i; }\nint b(int i) { return a(top(i)) + sizeof "c(1)"; }\n' \
    >tree/high/b.c
  printf '#include "low/low.h"\nint c(struct s *i) { return b(i->top); }\n' >tree/high/c.c
  printf '#include "high/twice.h"\nint top(int i) { return c(i) + a(i) + twice_c(i); }\n' >tree/top.c
}

expect() { # exit code, words that the output contains, command
  local code=$1 words=$2
  shift 2
  if "$@" >out.txt 2>&1; then [ "$code" -eq 0 ]; else [ "$code" -ne 0 ]; fi && grep -qF -- "$words" out.txt && return
  echo "expected exit code $code and \"$words\" of: $*"
  cat out.txt
  exit 1
}

test_itself() {
  make_tree
  expect 0 "tree: 0 cycles in 4 files" check cycles tree
  expect 0 "tree: 0 uses of a folder above" check layers tree low high top
  expect 1 "high/b.c: its folder is not in the list" check layers tree low top
  # a cycle by way of an inline function of a header
  printf '#include "high/twice.h"\nint b2(int i) { return twice_c(i); }\n' >>tree/high/b.c
  expect 1 "tree: 2 files call each other: high/b.c high/c.c" check cycles tree
  expect 1 "    high/b.c calls high/c.c: c" check cycles tree
  expect 1 "    high/c.c calls high/b.c: b" check cycles tree
  expect 0 "an allowed cycle of 2 files" check cycles tree --allow "high/b.c high/c.c"
  expect 1 "tree: 1 cycles" check cycles tree --allow "high/b.c low/a.c"
  # a longer cycle, of which an allowed part is no excuse
  printf '#include "../high/twice.h"\nint a2(int i) { return top(i); }\n' >>tree/low/a.c
  expect 1 "tree: 4 files call each other" check cycles tree --allow "high/b.c high/c.c"
  # and both are uses of a folder above
  expect 1 "low/a.c calls top of top.c: top is above low" check layers tree low high top
  expect 1 "low/a.c includes high/twice.h: high is above low" check layers tree low high top
}

case $part in
self) test_itself ;;
# shellcheck disable=SC2086
layers) check layers "$source/contact" $folders ;;
contact | meshio | plugin | solver) check cycles "$source/$part" ;;
*) echo "no such part: $part" && exit 2 ;;
esac
