#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Makes the pictures of docs/meshes.md anew, one for each command there, and prints what the program says of each mesh.
#     docs/pictures/make.sh [path/to/impinge]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
impinge=$(realpath "${1:-$here/../../build/bin/impinge}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
grep '^impinge mesh ' "$here/../meshes.md" | while read -ra words; do
  kind=${words[2]}
  "$impinge" "${words[@]:1}"
  "$impinge" picture "$kind.exo" --size 400x300 --title "$kind" -o "$here/$kind.png"
done
