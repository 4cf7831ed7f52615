#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# A C compiler and libm are enough: the command that tests/selftest.c names, word by word, and its self-test.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command=$(sed -n 's/^ \*     \(cc .*\)\\$/\1/p; s/^ \*        \(contact\/.*\) \*\/$/\1/p' tests/selftest.c | tr '\n' ' ')
case $command in *"-o selftest"*) ;; *) echo "tests/selftest.c names no command"; exit 1 ;; esac
command=${command/-o selftest && .\/selftest/-o $work/selftest}
eval "$command"
"$work/selftest"
