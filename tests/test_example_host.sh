#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# examples/host.c runs: the boxes touch and part, momentum stays, the upper one flies back, and its options are heard.
set -eu
host=$1
"$host" -contact_audit 10 -ts_view | tee host.txt
grep -q "upper 0\.[0-9]*, together -0.025600$" host.txt
grep -qE "contacts begun ([1-9][0-9]*), ended \1$" host.txt
grep -q "central difference, with contact" host.txt
"$host" -contact_penalty_scale 1 >stiffer.txt
if diff -q <(grep momentum host.txt) <(grep momentum stiffer.txt) >/dev/null; then
  echo "-contact_penalty_scale was not heard"
  exit 1
fi
