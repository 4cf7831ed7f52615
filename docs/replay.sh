#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Prints a page with the current output of its commands: docs/replay.sh path/to/impinge PAGE.md >new.md
#
# Commands in `sh` blocks are run without output; their files stay for the next commands. In `console` blocks, lines that
# begin with "$ " are run and followed by their output. All commands run in one scratch folder, in the order of the page.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 path/to/impinge PAGE.md" >&2; exit 2; }
PATH=$(dirname "$(realpath "$1")"):$PATH
page=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

block=
while IFS= read -r line; do
  case $block:$line in
    :'```'*) block=${line#'```'}; [ -n "$block" ] || block=plain; echo "$line" ;;
    *:'```') block=; echo "$line" ;;
    sh:*) echo "$line"; bash -c "$line" >/dev/null </dev/null ;;
    console:'$ '*) echo "$line"; bash -c "${line#??}" 2>&1 </dev/null || true ;;
    console:*) ;;
    *) echo "$line" ;;
  esac
done <"$page"
