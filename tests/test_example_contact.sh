#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# examples/contact.c runs: momentum is conserved, the initial energy (0.5) within a gate of 1 %, also while contact holds
# a tenth of it and more; contact is activated and deactivated; and the contact work is the change of the energy of the
# bodies, to a sixth of itself.
set -eu
. "$(dirname "$0")/support/gates.sh"
"$1" >contact.txt
cat contact.txt
eval "$(awk '
  function size(x) { return x < 0 ? -x : x }
  $1 ~ /^[0-9]+$/ {
    ++rows; if (size($2 + 1) > momentum) momentum = size($2 + 1)
    if (size($6 / 0.5 - 1) > energy) energy = size($6 / 0.5 - 1)
    held += $5 > 0.05; bodies = $3 + $4
  }
  /^contact work/ { gsub(",", ""); work = $3; ended = $14 >= 1 && $14 == $16 && $5 == 0 }
  END { printf "rows=%d held=%d ended=%d momentum=%g energy=%g work=%g unlike=%g\n",
               rows, held, ended, momentum, energy, work, work - (bodies - 0.5) }' contact.txt)"
test "$rows $ended" = "10 1"
test "$held" -ge 4
gate "examples/contact.c: change of momentum" "$momentum" 1e-6
gate "examples/contact.c: energy error, the largest" "$energy" 0.01
between "$work" 0.0004 0.0009
gate "examples/contact.c: contact work against the change of the energy of the bodies" "$unlike" 1e-4
