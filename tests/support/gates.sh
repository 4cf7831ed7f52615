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
minus() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.17g", a - b }'; } # of two numbers; the caller's gate refuses others

# The gates themselves.
for _wrong in "" nan inf -inf text 1e 1..2 "1 2"; do
  if below "$_wrong" 1 || below 0 "$_wrong" || between "$_wrong" -1 1 || close_to "$_wrong" "$_wrong"; then
    echo "a gate accepts '$_wrong'" >&2
    exit 2
  fi
done
if below 2 1 || below -2 1 || between 3 1 2 || close_to 1 1.00000002 || ! below -1e-3 .001 || ! between 2 1 3; then
  echo "a gate does not compare" >&2
  exit 2
fi
