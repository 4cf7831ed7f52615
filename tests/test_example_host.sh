#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# examples/host.c runs: the boxes come into contact and separate, momentum is conserved, the upper box rebounds, and the
# options -contact_... are read.
set -euo pipefail
host=$1
"$host" -contact_audit 10 -ts_view | tee host.txt
grep -q "upper 0\.[0-9]*, together -0.025600$" host.txt
grep -qE "contacts activated ([1-9][0-9]*), deactivated \1$" host.txt
grep -q "central difference, with contact" host.txt
"$host" -contact_penalty_scale 0.5 >stiffer.txt
if diff -q <(grep momentum host.txt) <(grep momentum stiffer.txt) >/dev/null; then
  echo "-contact_penalty_scale was not read"
  exit 1
fi
