#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Tests every workload of impinge-bench at a small size: all methods, and the peers of this build, find the same pairs,
# with one thread and with two. Every table of the papers is printed at tiny sizes, and its methods agree. Wrong options
# are refused with one line and exit code 2. Times are not checked. IMPINGE_SIZE=quick: smaller sizes.
#
#     tests/test_bench.sh path/to/impinge-bench
set -eu
bench=$1
fail() { echo "$1"; cat out.txt err.txt; exit 1; }

"$bench" --help >out.txt 2>err.txt || fail "--help fails"
grep -q '^examples:' out.txt || fail "--help has no example"
grep -q 'in this build: none$' out.txt && peers="" || peers=--peers
workloads=$(sed -n '/--workload/s/.*one of: //p' out.txt)
methods=$(sed -n '/--method LIST/s/.*of: //p' out.txt)
[ -n "$workloads" ] && [ -n "$methods" ] || fail "--help lists no workloads or no methods"

pairs_found() { awk -F'\t' 'NR > 1 && $9 != "-" { print $1, $2, $9, $10 }' out.txt | sort -u; }
part=1; [ "${IMPINGE_SIZE:-}" = quick ] && part=4
for workload in $workloads; do
  options="--size $((4000 / part))"
  case $workload in
    pouchol) options="--size $((400 / part))" ;;
    contact) options="--size 8000" ;;
    coherent) options="--size $((8000 / part)) --steps 4" ;;
  esac
  for threads in 1 2; do
    "$bench" search --workload $workload $options --threads $threads --runs 1 $peers >out.txt 2>err.txt ||
      fail "$workload fails with $threads threads"
    [ ! -s err.txt ] || fail "$workload prints to stderr"
    for method in $methods radix_sort; do
      [ "$(awk -F'\t' -v m="$method" '$3 == m' out.txt | wc -l)" -eq 1 ] || fail "$workload: no line for $method"
    done
    [ "$(pairs_found | wc -l)" -eq 1 ] || fail "$workload: methods find different pairs"
    [ "$(pairs_found | cut -d' ' -f3)" -gt 100 ] || fail "$workload: hardly any pairs"
    [ $threads -eq 1 ] && pairs_found >one_thread.txt
    [ "$(pairs_found)" = "$(cat one_thread.txt)" ] || fail "$workload: two threads find other pairs than one"
  done
  echo "$(cat one_thread.txt)"
  "$bench" search --workload $workload $options --runs 1 --seed 5 --method "${methods##* }" >out.txt 2>err.txt || fail "$workload: another seed fails"
  [ "$(pairs_found)" != "$(cat one_thread.txt)" ] || fail "$workload: another seed gives the same scene"
done

# The scene of the first measurements is reproduced bit for bit.
"$bench" search --runs 1 --method "${methods##* }" >out.txt 2>err.txt
[ "$(pairs_found)" = "spheres 10000 7216 fe864f7cdadf7dc5" ] || fail "the scene of 10,000 spheres has changed"

# Methods that compare all pairs are left out of large scenes, with a note.
"$bench" search --size 60000 --runs 1 >out.txt 2>err.txt || fail "60,000 spheres fail"
[ "$(grep -c 'is left out above' err.txt)" -ge 1 ] || fail "nothing is left out of 60,000 spheres"

# Skins: all entrants find the same skin of a mesh, and shuffling does not change its number of faces.
if "$bench" skin --size 20000 --threads 2 --runs 1 >out.txt 2>err.txt; then
  [ ! -s err.txt ] || fail "skin prints to stderr"
  for order in natural nodes_shuffled all_shuffled; do
    skins=$(awk -F'\t' -v o=$order '$1 == o && $6 != "-" { print $6, $7 }' out.txt)
    [ "$(echo "$skins" | wc -l)" -ge 3 ] && [ "$(echo "$skins" | sort -u | wc -l)" -eq 1 ] || fail "skins differ: $order"
  done
  [ "$(awk -F'\t' 'NR > 1 && $6 != "-" { print $6 }' out.txt | sort -u)" = 2700 ] || fail "the box of 20,250 elements has a wrong number of faces"
  for method in read read_and_skin; do grep -qP "^natural\t.*\t$method\t" out.txt || fail "no line for $method"; done
  # The contact step: the program fails unless forces with and without reuse are the same bits.
  "$bench" contact --faces 3000 --steps 5 --runs 1 --search-margin 0.3 >out.txt 2>err.txt || fail "contact fails"
  [ "$(head -1 out.txt | cut -f4)" = search_margin ] || fail "contact: no column search_margin"
  [ "$(sed -n 2,3p out.txt | cut -f4 | xargs)" = "0.3 0" ] || fail "contact: other search margins"
else
  grep -q 'is not in this build' err.txt || fail "skin fails"
fi

# The tables: their origin, then each with its rows. A figure that could not be measured would be nan or inf.
"$bench" tables --quick >out.txt 2>err.txt || fail "tables --quick fails"
cp out.txt tables.md
for word in '^Machine: .* cores' '^Compiler: ' '^Commit: '; do
  [ "$(head -8 tables.md | grep -c "$word")" -eq 1 ] || fail "the tables have no line: $word"
done
! grep -nE '\| -?(nan|inf)' tables.md || fail "a table has a figure that is not finite"
section() { sed -n "/^## $1:/,/^## /p" tables.md; }
rows() { # table, pattern of a row, least and most number of such rows
  local count
  count=$(section "$1" | grep -cE "^\| $2 \|" || true)
  [ "$count" -ge "$3" ] && [ "$count" -le "$4" ] || fail "table $1 has $count rows of '$2'"
}
tables=$("$bench" --help | sed -n '/--only NAME/s/.*of: //p')
for table in $tables; do section $table | grep -q '^| ---: |' || fail "there is no table $table"; done
[ "$(echo $tables | wc -w)" -eq "$(grep -c '^## ' tables.md)" ] || fail "--help lists other tables than are printed"
rows poirrier1 '[0-9.]+ \| (no|yes)[ *]*' 10 10
for method in quadratic 'sweep & prune' kd-tree-1 kd-tree-2 lkdtree_packed; do
  rows poirrier2_3 "[0-9]+ \| $method" 5 5
done
rows poirrier11_12 '[0-9]+ \| 0-10' 6 6
rows poirrier11_12 '[0-9]+ \| 50-60' 6 6
rows pouchol4 '[0-9]+ \| [0-9.]+ %' 8 8
rows pouchol5 '[0-9]+ \| [0-9]+ \| [0-9.]+' 8 8
rows pouchol42 '[0-9]+-[0-9]+' 10 10
for method in $methods; do rows cost $method 2 2; done
for scene in spheres contact; do
  for speed in 0.1 1 5 20; do rows coherence "$scene \| $speed % \| .*" 6 7; done
done
rows shape '(19|12|9|7|5) bits.*' 12 12
rows shape lkdtree_packed 1 1
for table in pouchol4 pouchol5 pouchol42; do
  for method in hash mlhash hhash; do # in the head, or reported as left out, or not in this table
    section $table | grep -qE "^Method $method is left out|\| $method ms" || [[ $table-$method =~ ^pouchol(4|42)-hash$|^pouchol5-mlhash$ ]] ||
      fail "table $table does not mention $method"
  done
done

# --only prints one table.
"$bench" tables --quick --only shape >out.txt 2>err.txt || fail "--only shape fails"
[ "$(grep '^## ' out.txt)" = "$(grep '^## shape' tables.md)" ] || fail "--only prints other tables"

# Continuous detection: some pairs touch, and with and without wide registers the same ones at the same times.
"$bench" ccd --size 30000 --runs 1 >out.txt 2>err.txt || fail "ccd fails"
for kind in vertex-face edge-edge; do
  [ "$(awk -F'\t' -v k=$kind '$2 == k && $5 > 10 && $5 < $4 { print $4, $5, $6 }' out.txt | sort -u | wc -l)" -eq 1 ] ||
    fail "ccd: $kind has no touches, or AVX2 and scalar code find different ones"
done
"$bench" ccd --data nowhere >out.txt 2>err.txt && fail "ccd accepts missing scenes"
grep -q nowhere err.txt || fail "ccd does not name the missing file"

refuses() { # culprit, then arguments
  local culprit=$1 code=0
  shift
  "$bench" "$@" >out.txt 2>err.txt || code=$?
  [ $code -eq 2 ] || fail "exit code $code, not 2: $*"
  [ "$(wc -l <err.txt)" -eq 1 ] && [ ! -s out.txt ] || fail "not one line: $*"
  grep -qF -- "$culprit" err.txt || fail "the message does not name $culprit: $*"
}
refuses "--help"
refuses "serch" serch
refuses "--sise" search --sise 3
refuses "--sise" ccd --sise 3
refuses "--separation" ccd --separation -1
refuses "--fast" tables --fast
if ! grep -q 'is not in this build' <("$bench" skin --runs 0 2>&1); then
  for bad in 0 -3 3x 999999999; do refuses "--size" skin --size $bad; done
  refuses "--runs" skin --runs 0
  refuses "--threads" skin --threads 65
  refuses "--method" skin --method qsort
  refuses "--skin is now --search-margin" contact --skin 0.2
  for bad in -1 11 x; do refuses "--search-margin" contact --search-margin $bad; done
fi
for bad in nothing '' poirrier; do refuses "--only" tables --only "$bad"; done
refuses "--only" tables --only
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
