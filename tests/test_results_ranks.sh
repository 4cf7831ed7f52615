#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# One result file from many ranks: the same bytes on 1, 2, 3 and 5 ranks, and errors that name what is wrong on all.
#   test_results_ranks.sh PROGRAM
set -u
program=$1
failures=0
complain() { echo "FAILED: $*"; failures=$((failures + 1)); }

for ranks in 1 2 3 5; do
  mpiexec -n $ranks "$program" ranks$ranks.exo >log 2>&1 || { complain "$ranks ranks"; cat log; }
  cmp ranks1.exo ranks$ranks.exo || complain "the file of $ranks ranks differs from that of one"
done
mpiexec -n 3 "$program" twice.exo twice >log 2>&1 && complain "a node with two owners was not refused"
grep -q 'is owned twice, or is not in the mesh of rank 0' log || { complain "no message about the two owners"; cat log; }
mpiexec -n 2 "$program" no/such/folder.exo >log 2>&1 && complain "a file was written into a folder that does not exist"
grep -q 'no/such/folder.exo.: No such file' log || { complain "no message about the folder"; cat log; }
rm -f ranks*.exo twice.exo log
[ $failures -eq 0 ] && echo "the same file on 1, 2, 3 and 5 ranks"
exit $((failures > 0))
