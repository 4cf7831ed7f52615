#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Installs the build, and builds a small outside program against it: by find_package and by pkg-config.
set -eu
build=$1 outside=$2 examples=$3
rm -rf tree cmake-build
cmake --install "$build" --prefix "$PWD/tree" >install.log
test -x tree/bin/impinge
cmake -S "$outside" -B cmake-build -DCMAKE_PREFIX_PATH="$PWD/tree" >cmake.log
cmake --build cmake-build >>cmake.log
./cmake-build/outside
./cmake-build/outside_petsc

# pkg-config files name the prefix of configure time; the tree was installed elsewhere
pc=$(dirname "$(find tree -name impinge.pc)")
export PKG_CONFIG_PATH=$PWD/$pc
options_of() { pkg-config --define-variable=prefix="$PWD/tree" --cflags --libs "$1"; }
# shellcheck disable=SC2046
cc -std=c17 "$outside/outside.c" $(options_of impinge) -Wl,-rpath,"$PWD/$(dirname "$pc")" -o by_pkg_config
./by_pkg_config
# the contact library alone, without a path in the program: found by LD_LIBRARY_PATH, as README.md says
for example in hello contact; do
  # shellcheck disable=SC2046
  cc -std=c17 "$examples/$example.c" $(options_of impinge-contact) -o "$example"
  if ldd "$example" | grep -q impinge_meshio; then echo "$example does not need meshio"; exit 1; fi
  LD_LIBRARY_PATH=$PWD/$(dirname "$pc") "./$example" >"$example.txt"
done
pkg-config --define-variable=prefix="$PWD/tree" --libs impinge-petsc | grep -q limpinge_petsc

# only the public symbols are visible
if nm -D --defined-only tree/lib*/*/libimpinge_*.so tree/lib*/libimpinge_*.so 2>/dev/null | awk 'NF == 3 {print $3}' |
   grep -vE '^(ipg_|Ipg|PetscDLLibraryRegister_impinge_petsc(4py)?$)'; then
  echo "these symbols should be hidden"
  exit 1
fi
tree/bin/impinge --version
