#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# The headers of contact, meshio and solver compile as C++17 without a warning, alone and together, `ipg_error error = {0};`
# included; the examples compile as C++20, and the functions they call have C linkage.
# Without g++ the test is skipped, or fails where everything is required (second argument ON).
set -eu
source=$1 required=${2:-OFF}
if ! command -v g++ >/dev/null; then
  echo "SKIPPED: C++: g++ was not found"
  case $required in ON|TRUE|1) exit 1 ;; *) exit 77 ;; esac
fi
warnings="-Wall -Wextra -Wpedantic -Werror"
# C++ warns of members without an initialiser also in {0} and behind designated initialisers; C does not
idioms="-Wno-missing-field-initializers"
include=$source/contact/include
others="-I$source/meshio/include -I$source/solver/include"
headers="base search narrow contact files meshio surface solver"

all=
for header in $headers; do
  line="#include \"impinge/$header.h\""
  # shellcheck disable=SC2086
  echo "$line" | g++ -x c++ -std=c++17 $warnings -fsyntax-only -I"$include" $others -
  all="$all$line
"
done
# shellcheck disable=SC2086
echo "${all}int main() { ipg_error error = {0}; return error.message[0] || error.status; }" |
  g++ -x c++ -std=c++17 $warnings $idioms -I"$include" $others -o idiom -
./idiom

for example in hello contact; do
  # shellcheck disable=SC2086
  g++ -x c++ -std=c++20 $warnings $idioms -c -I"$include" "$source/examples/$example.c" -o "$example.o"
  if nm -u "$example.o" | grep '_Z.*ipg_'; then
    echo "examples/$example.c: these functions have C++ linkage"
    exit 1
  fi
done
nm -u hello.o | grep -qw ipg_search_create
nm -u contact.o | grep -qw ipg_contact_create
