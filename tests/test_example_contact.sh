#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# examples/contact.c runs: momentum is conserved, the initial energy (0.5) within a gate of 1 %, also while contact holds
# a tenth of it and more; contact is activated and deactivated; and the contact work, which is integrated on its own, is
# the change of the energy of the bodies, at each output.
set -eu
. "$(dirname "$0")/support/gates.sh"
"$1" >contact.txt
cat contact.txt
eval "$(awk '
  function size(x) { return x < 0 ? -x : x }
  $1 ~ /^[0-9]+$/ {
    ++rows
    if (size($6 / 0.5 - 1) > energy) energy = size($6 / 0.5 - 1)
    unlike = ($7 - ($3 + $4 - 0.5)) / 0.5
    if (size(unlike) > largest) largest = size(unlike)
    held += $5 > 0.05; open = $5 == 0
  }
  /^largest change of momentum/ { momentum = $5 }
  /^contact work/ { gsub(",", ""); ended = $14 >= 1 && $14 == $16 && open }
  END { printf "rows=%d held=%d ended=%d momentum=%s energy=%g unlike=%g largest=%g\n",
               rows, held, ended, momentum, energy, unlike, largest }' contact.txt)"
test "$rows $ended" = "12 1"
test "$held" -ge 4
gate "examples/contact.c: change of momentum, of the sum of m v" "$momentum" 1e-10 # that of the start, the largest, is 1
gate "examples/contact.c: energy error, the largest" "$energy" 0.01
gate "examples/contact.c: contact work against the change of the energy of the bodies, the largest, of the energy at the start" "$largest" 0.01
gate "examples/contact.c: the same at the end" "$unlike" 2e-4
