# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Sourced by ./run and ./check. need_packages NAME...: installs what dpkg does not have yet, as root or through sudo.
run_packages="petsc-dev libexodusii-dev libhdf5-openmpi-dev openmpi-bin libyaml-dev libpng-dev zlib1g-dev gcc make
              cmake ninja-build pkg-config"
check_packages="libcunit1-dev clang-format netcdf-bin python3 python3-numpy python3-vtk9 g++ python3-petsc4py-real
                libpetsc3.18-dev-examples"
full_packages="clang-tidy libcgal-dev libbullet-dev libembree-dev libfcl-dev libboost-dev"

need_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install these packages as root, then call again: ${missing[*]}" >&2; return 1; }
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update -q && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "the packages could not be installed; the whole story is in $log" >&2
    return 1
  fi
  rm -f "$log"
}

# configure PRESET [cmake options]: once; later calls leave it to the build to notice changes.
configure() {
  local preset=$1 folder
  shift
  folder=build; [ "$preset" = release ] || folder=build-$preset
  if [ ! -f "$folder/build.ninja" ] || [ $# -gt 0 ]; then
    cmake --preset "$preset" -G Ninja "$@" | grep -E 'Impinge|rror' || true
  fi
  [ -f "$folder/build.ninja" ]
}
