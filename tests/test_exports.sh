#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Each library exports only names with its prefix that a public header of its room declares, and no name twice.
#   test_exports.sh NM SOURCE LIBRARY...
set -u
nm=$1 source=$2
shift 2
wrong=0 count=0
complain() { echo "FAILED: $*"; wrong=1; }
: >all.txt
for library in "$@"; do
  name=$(basename "$library" | sed 's/^libimpinge_//; s/\..*//')
  case $name in
    petsc) room=plugin prefix='^(Ipg[A-Z]|PetscDLLibraryRegister_impinge_petsc$)' ;;
    *) room=$name prefix='^ipg_' ;;
  esac
  cat "$source/$room"/include/impinge/*.h | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >declared.txt
  "$nm" -D --defined-only "$library" | awk 'NF == 3 {print $3}' | sort -u >exported.txt
  [ -s exported.txt ] || complain "$name exports nothing"
  while read -r symbol; do
    count=$((count + 1))
    if [[ ! $symbol =~ $prefix ]]; then complain "$name exports $symbol, which does not begin with its prefix"
    elif ! grep -qx "$symbol" declared.txt; then complain "$name exports $symbol, which no public header declares"; fi
  done <exported.txt
  cat exported.txt >>all.txt
done
for symbol in $(sort all.txt | uniq -d); do complain "two libraries export $symbol"; done
rm -f all.txt declared.txt exported.txt
echo "$# libraries, $count names"
exit $wrong
