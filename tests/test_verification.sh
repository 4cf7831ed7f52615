#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
#   test_verification.sh docs/verification.md FOLDER
#
# Every figure that a test printed (support/suite.h, support/gates.sh: FOLDER/*/figures.txt) is in a row of the page, under
# the same name: to the digits of the page, with the same gate, and "missed" where it is missed. Every row that says
# "missed" has such a figure, but for those that are not in ./check. Figures below 1e-9 are rounding, which differs from
# machine to machine: there the page need only be below 1e-9 too, and the suite compares with the gate.
set -u
if [ -n "${IMPINGE_SIZE:-}${IMPINGE_SCENES:-}${IMPINGE_SEED:-}" ]; then
  echo "the figures of the page are those of the fixed seed and the usual size"
  exit 77
fi
cat "$2"/*/figures.txt 2>/dev/null | awk -F '\t' -v page="$1" '
  function trim(text) { gsub(/^ +| +$/, "", text); return text }
  function wrong(text) { print text; ++failed }
  # sets value and unit, that of its last digit
  function parse(text,   scale, digits) {
    scale = text ~ /%/ ? 0.01 : 1
    if (!match(text, /-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/)) return 0
    text = substr(text, RSTART, RLENGTH)
    digits = text; sub(/e.*/, "", digits)
    value = text * scale
    unit = scale * (digits ~ /\./ ? 10 ^ -length(substr(digits, index(digits, ".") + 1)) : 1)
    if (text ~ /e/) { sub(/.*e/, "", text); unit *= 10 ^ text }
    return 1
  }
  function size(x) { return x < 0 ? -x : x }
  function agrees(figure) {
    if (size(figure) < 1e-9) return size(value) < 1e-9 && (figure != 0 || value == 0)
    return size(size(figure) - size(value)) <= 0.51 * unit
  }
  BEGIN {
    while ((getline line < page) > 0) {
      cells = split(line, cell, "|")
      if (cells != 7 || line !~ /^\|/) continue
      name = trim(cell[2])
      if (name in difference) twice[name] = 1
      difference[name] = trim(cell[5]); gate[name] = trim(cell[6])
    }
  }
  {
    ++figures; seen[$2] = 1
    if (!($2 in difference)) { wrong("no row for: " $2 " (" $3 ", gate " $4 ")"); next }
    if ($2 in twice) wrong("two rows: " $2)
    if (!parse(difference[$2]) || !agrees($3)) wrong("the page says " difference[$2] ", the test " $3 ": " $2)
    if ((gate[$2] ~ /missed/) != ($1 == "MISSED")) wrong("the page says \"" gate[$2] "\", the test " $1 ": " $2)
    if ($4 == "-" ? gate[$2] != "-" : !parse(gate[$2]) || size(value - $4) > 1e-3 * $4)
      wrong("the gate of the page is " gate[$2] ", of the test " $4 ": " $2)
  }
  END {
    for (name in gate) if (gate[name] ~ /missed/ && !(name in seen) && name !~ /not in `\.\/check`/) wrong("no test says that this is missed: " name)
    if (figures < 60) wrong(figures + 0 " figures: run the other tests first")
    print figures + 0 " figures, " failed + 0 " wrong"
    exit failed > 0
  }'
