#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# examples/hello.c runs, prints what it promises, and stands in the README word by word.
set -eu
hello=$1 source=$2
output=$("$hello")
echo "$output"
[ "$output" = "query 0 overlaps item 1
query 0 overlaps item 2" ]
awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$source/README.md" >readme.c
sed '/^\/\* SPDX/,/\*\/$/d' "$source/examples/hello.c" | diff -B - readme.c
