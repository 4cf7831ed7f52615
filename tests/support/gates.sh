# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Gates of shell tests: `. support/gates.sh`. What is not a finite number (empty, nan, text) passes no gate.
is_number() { printf '%s\n' "$1" | grep -qxE '[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?'; }
below() { # number, limit: its magnitude is at most the limit
  is_number "$1" && is_number "$2" && awk -v x="$1" -v limit="$2" 'BEGIN { x += 0; if (x < 0) x = -x; exit !(x <= limit + 0) }'
}
between() { # number, low, high
  is_number "$1" && is_number "$2" && is_number "$3" &&
    awk -v x="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(x + 0 >= low + 0 && x + 0 <= high + 0) }'
}
close_to() { # two numbers, the same to 8 digits
  is_number "$1" && is_number "$2" && awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-16 * b * b) }'
}
minus() { # of two numbers; what is not a number stays it
  if is_number "$1" && is_number "$2"; then awk -v a="$1" -v b="$2" 'BEGIN { printf "%.17g", a - b }'; else echo nan; fi
}

# Results with a gate, as suite_gate, suite_expect_missed of support/suite.h: a line for people, and one for
# test_verification.sh in the file IMPINGE_FIGURES; with another size the figures are others.
[ -z "${IMPINGE_FIGURES:-}" ] || : >"$IMPINGE_FIGURES"
has_usual_size() { [ -z "${IMPINGE_SIZE:-}" ]; }
print_figure() { # word, name, figure, gate, bound if there is one
  printf '%s: %s: %s, gate %s%s\n' "$1" "$2" "$3" "$4" "${5:+, at most $5}"
  [ -z "${IMPINGE_FIGURES:-}" ] || ! has_usual_size ||
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "${5:--}" >>"$IMPINGE_FIGURES"
}
gate() { # name, figure, gate: the figure's magnitude is at most the gate
  if below "$2" "$3"; then print_figure GATE "$@"; else print_figure MISSED "$@"; return 1; fi
}
# A known fault: with the usual size a figure within the gate fails; with every size one beyond the bound, a regression.
expect_missed() { # name, figure, gate, at most
  if below "$2" "$3"; then print_figure GATE "$@"; ! has_usual_size; else print_figure MISSED "$@"; below "$2" "${4:-}"; fi
}
of() { # number, reference: what is not a number stays it
  if is_number "$1"; then awk -v x="$1" -v reference="$2" 'BEGIN { printf "%.3g", x / reference }'; else echo nan; fi
}
off() { of "$(minus "$1" "$2")" "$2"; } # relative to the reference

# The gates themselves.
for _wrong in "" nan inf -inf text 1e 1..2 "1 2"; do
  if below "$_wrong" 1 || below 0 "$_wrong" || between "$_wrong" -1 1 || close_to "$_wrong" "$_wrong"; then
    echo "a gate accepts '$_wrong'" >&2
    exit 2
  fi
done
(
  unset IMPINGE_FIGURES IMPINGE_SIZE
  gate one 1 1 && ! gate two 2 1 && ! gate nan nan 1 && expect_missed two 2 1 3 && ! expect_missed one 1 1 3 &&
    ! expect_missed nan nan 1 3 && ! expect_missed four 4 1 3 && ! expect_missed two 2 1
) >/dev/null || { echo "a gate does not tell what is missed" >&2; exit 2; }
if below 2 1 || below -2 1 || between 3 1 2 || close_to 1 1.00000002 || ! below -1e-3 .001 || ! between 2 1 3; then
  echo "a gate does not compare" >&2
  exit 2
fi
