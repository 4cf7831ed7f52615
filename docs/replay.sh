#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# A page with what its commands print today: docs/replay.sh path/to/impinge PAGE.md >new.md
#
# Commands of blocks `sh` are run and leave their files; in blocks `console` lines that begin with "$ " are run, and what
# they print stands below them. All run in one scratch folder, in the order of the page.
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
