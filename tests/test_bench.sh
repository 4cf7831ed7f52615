#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Every workload of impinge-bench at a small size: all methods, and the peers of this build, find the same pairs, with
# one thread and with two. Wrong options get one sentence and exit code 2. Times are not looked at.
#
#     tests/test_bench.sh path/to/impinge-bench
set -eu
bench=$1
fail() { echo "$1"; cat out.txt err.txt; exit 1; }

"$bench" --help >out.txt 2>err.txt || fail "--help fails"
grep -q '^example:' out.txt || fail "--help has no example"
grep -q 'in this build: none$' out.txt && peers="" || peers=--peers
workloads=$(sed -n '/--workload/s/.*one of: //p' out.txt)
methods=$(sed -n '/--method LIST/s/.*of: //p' out.txt)
[ -n "$workloads" ] && [ -n "$methods" ] || fail "--help names no workloads or no methods"

answers() { awk -F'\t' 'NR > 1 && $9 != "-" { print $1, $2, $9, $10 }' out.txt | sort -u; }
for workload in $workloads; do
  options="--size 3000"
  case $workload in
    pouchol) options="--size 300" ;;
    contact) options="--size 8000" ;;
    coherent) options="--size 8000 --steps 4" ;;
  esac
  for threads in 1 2; do
    "$bench" search --workload $workload $options --threads $threads --runs 1 $peers >out.txt 2>err.txt ||
      fail "$workload fails with $threads threads"
    [ ! -s err.txt ] || fail "$workload has something to say"
    for method in $methods radix_sort; do
      [ "$(awk -F'\t' -v m="$method" '$3 == m' out.txt | wc -l)" -eq 1 ] || fail "$workload: no line for $method"
    done
    [ "$(answers | wc -l)" -eq 1 ] || fail "$workload: answers differ"
    [ "$(answers | cut -d' ' -f3)" -gt 100 ] || fail "$workload: hardly any pairs"
    [ $threads -eq 1 ] && answers >one_thread.txt
    [ "$(answers)" = "$(cat one_thread.txt)" ] || fail "$workload: two threads find other pairs than one"
  done
  echo "$(cat one_thread.txt)"
  "$bench" search --workload $workload $options --runs 1 --seed 5 >out.txt 2>err.txt || fail "$workload: another seed fails"
  [ "$(answers)" != "$(cat one_thread.txt)" ] || fail "$workload: another seed, the same scene"
done

# The scene of the first measurements, bit for bit.
"$bench" search --runs 1 --method "${methods##* }" >out.txt 2>err.txt
[ "$(answers)" = "spheres 10000 7216 fe864f7cdadf7dc5" ] || fail "10,000 spheres are not what they were"

# Methods that compare everything with everything are left out of large scenes, with a word about it.
"$bench" search --size 60000 --runs 1 >out.txt 2>err.txt || fail "60,000 spheres fail"
[ "$(grep -c 'is left out above' err.txt)" -ge 1 ] || fail "nothing is left out of 60,000 spheres"

refuses() { # culprit, then arguments
  local culprit=$1 code=0
  shift
  "$bench" "$@" >out.txt 2>err.txt || code=$?
  [ $code -eq 2 ] || fail "exit code $code, not 2: $*"
  [ "$(wc -l <err.txt)" -eq 1 ] && [ ! -s out.txt ] || fail "not one sentence: $*"
  grep -qF -- "$culprit" err.txt || fail "the sentence does not name $culprit: $*"
}
refuses "--help"
refuses "serch" serch
refuses "--sise" search --sise 3
for bad in 0 -3 3x '' 1e4 99999999999; do refuses "--size" search --size "$bad"; done
refuses "--size" search --size
for bad in 0 65 two; do refuses "--threads" search --threads $bad; done
refuses "--runs" search --runs 0
for bad in 0 -1 nan inf x; do refuses "--density" search --density $bad; done
refuses "--workload" search --workload marbles
for bad in nothing all,"${methods%% *}" "${methods%% *}," ''; do refuses "--method" search --method "$bad"; done
refuses "--density" search --workload contact --density 0.2
refuses "--queries" search --queries 5
refuses "--steps" search --steps 5
refuses "--seed" search --seed -1
[ -n "$peers" ] || refuses "--peers" search --peers
