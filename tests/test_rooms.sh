#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# A build where pkg-config finds nothing: each room that is left out is reported in one line, the program names what is
# missing, and IMPINGE_REQUIRE refuses such a build.
set -eu
source=$1
rm -rf build strict box.exo
export PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=
cmake -S "$source" -B build -G Ninja -DIMPINGE_PEERS=OFF >configure.log 2>&1
for words in "room plugin is left out: PETSc was not found" "room solver is left out: room plugin is left out" \
             "the CUnit suites are left out"; do
  [ "$(grep -c "$words" configure.log)" -eq 1 ] || { echo "there is no line with: $words"; cat configure.log; exit 1; }
done
cmake --build build >build.log 2>&1
./build/bin/impinge-selftest
./build/bin/impinge mesh box --size 1,1,1 --cell 1 -o box.exo
if ./build/bin/impinge run deck.yaml 2>error.log; then exit 1; fi
cat error.log
grep -q "not in this build, because PETSc was not found" error.log
if cmake -S "$source" -B strict -G Ninja -DIMPINGE_REQUIRE=ON >strict.log 2>&1; then exit 1; fi
grep -q "room plugin is required but left out" strict.log
