#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Every file (name.c, folder/name.h, name_*.c) and every name of ours (ipg_..., Ipg..., impact_...) in the pages about the
# code exists; and suites include no private header but those that tests/CMakeLists.txt lists.
set -eu
cd "$1"
rooms=(contact meshio plugin solver app tests bench examples)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find "${rooms[@]}" -name '*.[ch]' >"$scratch/files"
find "${rooms[@]}" -name '*.[ch]' -exec cat {} + | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >"$scratch/names"
wrong=0 checked=0
for page in docs/architecture.md docs/contact.md; do
  for file in $(grep -oE '[A-Za-z0-9_*/]+\.[ch]\b' "$page" | sort -u); do
    file=${file#/}
    pattern=${file//\*/[^/]*}
    checked=$((checked + 1))
    grep -qE "(^|/)${pattern//./\\.}$" "$scratch/files" || { echo "$page: there is no file $file"; wrong=1; }
  done
  for name in $(grep -oE '\b(ipg_|Ipg[A-Z]|impact_)[A-Za-z0-9_]*[A-Za-z0-9]' "$page" | sort -u); do
    checked=$((checked + 1))
    grep -qx "$name" "$scratch/names" || { echo "$page: there is no name $name"; wrong=1; }
  done
done
echo "$checked names in pages"
[ "$checked" -gt 100 ] || wrong=1

allowed=$(sed -n 's|^#   \([a-z/]*/[a-z0-9_]*\.h\) .*|/\1|p' tests/CMakeLists.txt)
includes=$(grep -oE '^#include "[^"]+"' tests/*.[ch] tests/support/*.[ch] | sed 's/:#include "/ /; s/"$//')
checked=0
while read -r file header; do
  checked=$((checked + 1))
  case $header in impinge/*) continue ;; esac
  [ -f "tests/$header" ] && continue
  case "$allowed " in */"$header"[[:space:]]*) continue ;; esac
  echo "$file includes the private header $header: use a public one, or list it in tests/CMakeLists.txt"
  wrong=1
done <<<"$includes"
echo "$checked includes in tests"
[ "$checked" -gt 100 ] && exit $wrong
