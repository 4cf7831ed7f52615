#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# examples/contact.c runs: momentum is conserved, the initial energy (0.5) to half a percent, contact is activated and
# deactivated, and the contact work, the contact energy and the net loss of springs add up to 0.
set -eu
"$1" >contact.txt
cat contact.txt
awk '
  function near(a, b, limit) { return a - b < limit && b - a < limit }
  $1 ~ /^[0-9]+$/ { ++rows; if (!near($2, -1, 1e-6) || !near($6, 0.5, 0.0025)) bad = 1; if ($7 > 0) touched = 1 }
  /^contact work/ { gsub(",", ""); closed = near($3 + $5 + $9, 0, 0.0025); ended = $14 >= 1 && $14 == $16 }
  END { exit !(rows == 10 && !bad && touched && closed && ended) }' contact.txt
