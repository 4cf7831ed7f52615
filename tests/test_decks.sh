#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Every deck of examples/ has the commands that make its meshes and run it in its head: these, word by word, succeed and
# leave the files that the deck names.
set -eu
impinge=$1 source=$2
PATH=$(dirname "$impinge"):$PATH
for deck in "$source"/examples/*.yaml; do
  name=$(basename "$deck" .yaml)
  rm -rf "$name" && mkdir "$name" && cp "$deck" "$name"
  (cd "$name" && sed -n 's/^#   \(impinge .*\)/\1/p' "$name.yaml" >commands && bash -e commands) >"$name.log" 2>&1 ||
    { echo "$name.yaml: its commands fail"; tail -n 5 "$name.log"; exit 1; }
  grep -qx "normal termination" "$name.log" || { echo "$name.yaml: no normal termination"; exit 1; }
  for file in $(awk '$1 == "file:" || $1 == "picture:" {print $2}' "$deck"); do test -s "$name/$file"; done
  echo "$name.yaml: $(wc -l <"$name/commands") commands"
done
