#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
#   test_verification.sh docs/verification.md FOLDER
#
# Every figure that a test printed (support/suite.h, support/gates.sh: FOLDER/*/figures.txt) is in a row of the page, under
# the same name: to the digits of the page, with the same sign where the page shows one, with the same gate and bound, and
# "missed" where it is missed. Every row with a gate has such a figure, but for those that are not in ./check, those that
# say "not run yet", and those that rows_without_figures.txt lists: a suite asserts them as they stand. Figures below 1e-9
# are rounding, which differs from machine to machine: there the page need only be below 1e-9 too, and the suite compares
# with the gate.
set -u
if [ -n "${IMPINGE_SIZE:-}${IMPINGE_SCENES:-}${IMPINGE_SEED:-}" ]; then
  echo "the figures of the page are those of the fixed seed and the usual size"
  exit 77
fi
cat "$2"/*/figures.txt 2>/dev/null | awk -F '\t' -v page="$1" -v list="$(dirname "$0")/rows_without_figures.txt" '
  function trim(text) { gsub(/^ +| +$/, "", text); return text }
  function wrong(text) { print text; ++failed }
  # sets value and unit, that of its last digit
  function parse(text,   scale, digits) {
    scale = text ~ /%/ ? 0.01 : 1
    shows_sign = text ~ /^[-+]/
    if (!match(text, /-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/)) return 0
    text = substr(text, RSTART, RLENGTH)
    is_zero = text == "0" # not rounded to it
    digits = text; sub(/e.*/, "", digits)
    value = text * scale
    unit = scale * (digits ~ /\./ ? 10 ^ -length(substr(digits, index(digits, ".") + 1)) : 1)
    if (text ~ /e/) { sub(/.*e/, "", text); unit *= 10 ^ text }
    return 1
  }
  # of a cell: "missed (1 %), at most 5 %"
  function bound_of(text) {
    if (!sub(/.*at most /, "", text) || !parse(text)) return "-"
    return sprintf("%g", value)
  }
  function size(x) { return x < 0 ? -x : x }
  function agrees(figure) {
    if (shows_sign && figure * value < 0) return 0
    if (size(figure) < 1e-9) return size(value) < 1e-9 && (figure != 0 || value == 0)
    if (is_zero) return 0
    return size(size(figure) - size(value)) <= 0.51 * unit
  }
  BEGIN {
    while ((getline line < page) > 0) {
      cells = split(line, cell, "|")
      if (line !~ /^\|/) is_of_cases = 0
      if (cells != 7 || line !~ /^\|/) continue
      name = trim(cell[2])
      if (name == "case") is_of_cases = 1
      if (!is_of_cases || name == "case" || name ~ /^-+$/) continue
      if (name in difference) twice[name] = 1
      ours[name] = trim(cell[4]); difference[name] = trim(cell[5]); gate[name] = trim(cell[6])
    }
    while ((getline line < list) > 0) if (line !~ /^(#|$)/) listed[line] = 1
  }
  {
    ++figures; seen[$2] = 1
    if (!($2 in difference)) { wrong("no row for: " $2 " (" $3 ", gate " $4 ")"); next }
    if ($2 in twice) wrong("two rows: " $2)
    if (!parse(difference[$2]) || !agrees($3)) wrong("the page says " difference[$2] ", the test " $3 ": " $2)
    if ((gate[$2] ~ /missed/) != ($1 == "MISSED")) wrong("the page says \"" gate[$2] "\", the test " $1 ": " $2)
    if ($4 == "-" ? gate[$2] !~ /^-/ : !parse(gate[$2]) || size(value - $4) > 1e-3 * $4)
      wrong("the gate of the page is " gate[$2] ", of the test " $4 ": " $2)
    if ($5 != bound_of(gate[$2])) wrong("the page says at most " bound_of(gate[$2]) ", the test " $5 ": " $2)
  }
  END {
    for (name in gate) {
      if (gate[name] == "-" || name in seen || name in listed) continue
      if (name !~ /not in `\.\/check`/ && ours[name] !~ /^not run yet/) wrong("no test printed a figure for: " name)
    }
    for (name in listed) if (!(name in gate) || name in seen || name in twice) wrong("the list of rows without figures has: " name)
    if (figures < 60) wrong(figures + 0 " figures: run the other tests first")
    print figures + 0 " figures, " failed + 0 " wrong"
    exit failed > 0
  }'
