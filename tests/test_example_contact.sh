#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# examples/contact.c runs: momentum stays, the energy it starts with (0.5) stays within half a percent, contact begins
# and ends, and the work of contact is what the springs of the contacts gave up.
set -eu
"$1" >contact.txt
cat contact.txt
awk '
  function near(a, b, limit) { return a - b < limit && b - a < limit }
  $1 ~ /^[0-9]+$/ { ++rows; if (!near($2, -1, 1e-6) || !near($6, 0.5, 0.0025)) bad = 1; if ($7 > 0) touched = 1 }
  /^ledger:/ { gsub(",", ""); closed = near($3 + $5 + $7, 0, 0.0025); ended = $11 >= 1 && $11 == $13 }
  END { exit !(rows == 10 && !bad && touched && closed && ended) }' contact.txt
