#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# The matrix behind docs/results/search.md: every workload at its large size, every method and every peer of the build,
# one thread and two. About half an hour on a quiet machine.
#   bench/matrix.sh [build folder] >search-matrix.txt
set -euo pipefail
cd "$(dirname "$0")/.."
bench=${1:-build}/bin/impinge-bench
echo "commit $(git rev-parse --short=12 HEAD), $(uname -sm), $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -n 1)," \
     "$(nproc) cores, $(cc --version | head -n 1)"

measure() { "$bench" search --peers --method all --runs 2 "$@" 2>/dev/null; }
for threads in 1 2; do
  measure --threads $threads --workload spheres --size 1000000 --density 0.1
  measure --threads $threads --workload spheres --size 1000000 --density 1
  measure --threads $threads --workload settled --size 1000000
  measure --threads $threads --workload contact --size 200000
  measure --threads $threads --workload contact --size 2000000
  measure --threads $threads --workload graded --size 200000
  measure --threads $threads --workload pouchol --size 10000
  measure --threads $threads --workload coherent --size 200000
done
"$bench" search --workload spheres --size 5000000 --method lkdtree_packed --threads 1 --runs 3
"$bench" search --workload spheres --size 5000000 --method lkdtree_packed --threads 2 --runs 3
