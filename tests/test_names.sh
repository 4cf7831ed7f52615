#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Every file (name.c, folder/name.h, name_*.c) and every name of ours (ipg_..., Ipg..., impact_...) that the pages about the
# code tell of is there.
set -eu
cd "$1"
rooms=(contact meshio plugin solver app tests bench examples)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find "${rooms[@]}" -name '*.[ch]' >"$scratch/files"
find "${rooms[@]}" -name '*.[ch]' -exec cat {} + | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >"$scratch/names"
wrong=0 asked=0
for page in docs/architecture.md docs/contact.md; do
  for file in $(grep -oE '[A-Za-z0-9_*/]+\.[ch]\b' "$page" | sort -u); do
    file=${file#/}
    pattern=${file//\*/[^/]*}
    asked=$((asked + 1))
    grep -qE "(^|/)${pattern//./\\.}$" "$scratch/files" || { echo "$page: there is no file $file"; wrong=1; }
  done
  for name in $(grep -oE '\b(ipg_|Ipg[A-Z]|impact_)[A-Za-z0-9_]*[A-Za-z0-9]' "$page" | sort -u); do
    asked=$((asked + 1))
    grep -qx "$name" "$scratch/names" || { echo "$page: there is no name $name"; wrong=1; }
  done
done
echo "$asked names"
[ "$asked" -gt 100 ] && exit $wrong
