# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# What the tests of the program share: `. support/program.sh` with the program as $1. Goes to a scratch directory that is
# removed at the end; a check is one line, and counts.
impinge=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/support/gates.sh"
scratch=$(mktemp -d) || exit 2
trap "rm -rf '$scratch'" EXIT
cd "$scratch" || exit 2
passed=0
failed=0

check() { # name, then a command that succeeds
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "ok      $name"
  else
    failed=$((failed + 1))
    echo "FAILED  $name"
    sed 's/^/        | /' out.txt err.txt 2>/dev/null
  fi
}

run() { # exit code, then arguments; leaves out.txt and err.txt
  local expected=$1
  shift
  "$impinge" "$@" >out.txt 2>err.txt
  [ $? -eq "$expected" ]
}

succeeds() { run 0 "$@" && [ ! -s err.txt ]; }
refuses() { # exit code, culprit, arguments
  local code=$1 culprit=$2
  shift 2
  run "$code" "$@" && [ "$(wc -l <err.txt)" -eq 1 ] && grep -qF -- "$culprit" err.txt && [ ! -s out.txt ]
}
has_help() { succeeds "$@" && grep -q '^example:' out.txt && grep -q '^  impinge ' out.txt; }
value_of() { awk -v key="$2" 'index($0, key) == 1 { $0 = substr($0, length(key) + 1); print $1; exit }' "$1"; }
says() { # key, value: in what info printed last
  [ "$(value_of out.txt "$1")" = "$2" ]
}
says_between() { between "$(value_of out.txt "$1")" "$2" "$3"; } # key, low, high
built_with() { ! "$impinge" --help | grep -q "^  $1 .*not in this build"; }
