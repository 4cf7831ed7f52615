#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# BUILD_SHARED_LIBS=OFF: configures, builds and installs contact and meshio as static libraries, and builds outside
# programs with them, by find_package and by pkg-config --static.
set -eu
source=$1
tests=$source/tests examples=$source/examples
rm -rf build tree user
cmake -S "$source" -B build -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_PREFIX="$PWD/tree" \
  -DIMPINGE_ROOMS="contact;meshio" -DIMPINGE_TESTS=OFF -G Ninja >configure.log 2>&1
cmake --build build >build.log 2>&1
cmake --install build >install.log

for library in contact meshio; do
  found=$(find tree -name "libimpinge_$library.a" | wc -l)
  [ "$found" -eq 1 ] || { echo "libimpinge_$library.a is not installed"; exit 1; }
done
shared=$(find tree -name '*.so*')
[ -z "$shared" ] || { echo "shared libraries are installed: $shared"; exit 1; }

# by find_package
cmake -S "$tests/outside_static" -B user -DCMAKE_PREFIX_PATH="$PWD/tree" -DEXAMPLES="$examples" >user.log 2>&1
cmake --build user >>user.log 2>&1
for program in contact outside files; do
  if ldd "user/$program" | grep -q impinge; then echo "$program needs a shared library of Impinge"; exit 1; fi
  "./user/$program" >"$program.cmake.txt"
done

# by pkg-config --static
pc=$(dirname "$(find tree -name impinge.pc)")
export PKG_CONFIG_PATH=$PWD/$pc
build_with() { # package, source, program
  # shellcheck disable=SC2046
  cc -std=c17 "$2" $(pkg-config --static --cflags --libs "$1") -o "$3"
  ./"$3" >"$3.pkg-config.txt"
  cmp "$3.cmake.txt" "$3.pkg-config.txt"
}
build_with impinge-contact "$examples/contact.c" contact
build_with impinge "$tests/outside/outside.c" outside
build_with impinge "$tests/outside_static/files.c" files

# find_package names the package that is missing
if cmake -S "$tests/outside_static" -B user/without -DCMAKE_PREFIX_PATH="$PWD/tree" -DEXAMPLES="$examples" \
  -DEXODUS_LIBRARY=OFF >without.log 2>&1; then
  echo "find_package found Impinge::meshio without the Exodus library"
  exit 1
fi
words="Impinge::meshio +needs +Exodus, +which +was +not +found"
tr '\n' ' ' <without.log | grep -qE "$words" || { cat without.log; exit 1; }
echo "static libraries: 2 installed, 6 programs built and run"
