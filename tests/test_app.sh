#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
# Tests the program from the command line: help, refusals, meshes and the output of info, pictures.
#
#     tests/test_app.sh path/to/impinge
#
# One line per check, then "N passed, N failed". A refusal must be exactly one line on stderr that names the culprit,
# and print nothing on stdout. Works in a scratch directory that is removed at the end.
set -u

[ $# -eq 1 ] && [ -x "$1" ] || { echo "usage: $0 path/to/impinge" >&2; exit 2; }
. "$(dirname "$0")/support/program.sh"
has_examples() { # kinds, arguments: there is an example for each kind
  local kinds=$1 kind
  shift
  succeeds "$@" || return 1
  for kind in $kinds; do grep -q "^  impinge mesh $kind " out.txt || return 1; done
}
has_sets() { # names: each is a node set and a side set in the last output of info
  local name
  for name; do [ "$(grep -c "^[0-9]* *$name  *[0-9]*  *0$" out.txt)" -eq 2 ] || return 1; done
}

number_at() { # file, offset: a big-endian 32-bit number
  od -An -tu1 -j "$2" -N 4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'
}
is_png() { # file, width, height
  [ "$(od -An -tx1 -N 16 "$1" | tr -d ' \n')" = 89504e470d0a1a0a0000000d49484452 ] &&
    [ "$(number_at "$1" 16)" = "$2" ] && [ "$(number_at "$1" 20)" = "$3" ]
}
many_colours() { # file, least number of colours
  python3 - "$@" <<'EOF'
import struct, sys, zlib
data, at, packed = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    body, at = data[at + 8:at + 8 + size], at + 12 + size
    if kind == b"IHDR": width, height, depth, colour = struct.unpack(">IIBB", body[:10])
    if kind == b"IDAT": packed += body
assert (depth, colour) == (8, 2)
raw, stride, row, colours = zlib.decompress(packed), 3 * width, bytearray(3 * width), set()
for y in range(height):
    above, row = row, bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
    way = raw[y * (stride + 1)]
    for i in range(stride):
        a, b, c = row[i - 3] if i > 2 else 0, above[i], above[i - 3] if i > 2 else 0
        p = a + b - c
        nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        row[i] = (row[i] + (0, a, b, (a + b) // 2, nearest)[way]) & 255
    colours.update(bytes(row[i:i + 3]) for i in range(0, stride, 3))
print(len(colours), "colours")
sys.exit(len(colours) < int(sys.argv[2]))
EOF
}

# ------------------------------------------------------------------------------------------- the program itself
check "help has an example" has_help --help
check "version" succeeds --version
check "no subcommand is refused" refuses 2 subcommand
check "unknown subcommand is named" refuses 2 "'mehs', did you mean mesh" mehs
check "a subcommand unlike all others is named" refuses 2 "'qqqqqqqq'" qqqqqqqq
check "unknown option of the program is named" refuses 2 "'--verzion', did you mean --version" --verzion
full_disk() { "$impinge" --help >/dev/full 2>err.txt; [ $? -eq 1 ] && [ "$(wc -l <err.txt)" -eq 1 ]; }
if [ -c /dev/full ]; then check "a full disk under stdout is a failure" full_disk
else echo "SKIPPED: a full disk under stdout: there is no /dev/full"; fi
closed() { "$impinge" --help >&- 2>err.txt; [ $? -eq 1 ] && [ "$(cat err.txt)" = "impinge: cannot write to standard output: Bad file descriptor" ]; }
check "so is a stdout that is closed" closed

for subcommand in run mesh join info diff replay picture; do
  if built_with $subcommand; then
    check "$subcommand --help has an example" has_help $subcommand --help
    check "$subcommand: unknown option is named" refuses 2 "--hepl" $subcommand --hepl
  else
    check "$subcommand reports that it is not in this build" refuses 1 "not in this build" $subcommand --help
  fi
done

# -------------------------------------------------------------------------------------------------- bad command lines
if built_with mesh; then
  ball="mesh ball --radius 1"
  check "nearest option is named" refuses 2 "did you mean --radius" mesh ball --raduis 1 --cell 1 -o x.exo
  check "an option given twice" refuses 2 "--cell is given twice" $ball --cell 1 --cell 0.5 -o x.exo
  check "nearest kind is named" refuses 2 "'bll', did you mean ball" mesh bll --radius 1 --cell 1 -o x.exo
  check "a kind unlike all others: the kinds are listed" refuses 2 "plate, bar, ball" mesh qqqqqqqq --cell 1 -o x.exo
  check "an unknown kind is told before an unknown option" refuses 2 "unknown kind 'bll', did you mean ball?" mesh --cell 1 --at=0,0,0 bll --raduis x
  check "an exchange of letters is one mistake" refuses 2 "'mehs', did you mean mesh" mehs
  check "a flag takes no value" refuses 2 "--force takes no value" $ball --cell 1 -o x.exo --force=yes
  check "options after -- are words" refuses 2 "one word too many: '--cell'" $ball -- --cell 1
  check "no wild guess for an option" refuses 2 "unknown option --bogus; see" mesh ball --bogus 1
  check "help is printed for an unknown kind too" has_help mesh bll --help
  for suffix in .vtk .stl .exo2 .png ""; do
    check "a file that is no Exodus file by its suffix: '$suffix'" refuses 2 "-o must be the name of an Exodus II file, ending in .exo" $ball --cell 1 -o "x$suffix"
  done
  for suffix in .e .ex2 .EXO .g .gen .exoII; do
    check "a suffix of Exodus files: $suffix" succeeds $ball --cell 1 -o "suffix$suffix"
  done
  check "--cell larger than a box" refuses 2 "--cell 2.1 is larger than the box, which is 2 at its longest" mesh box --size 1,2,.5 --cell 2.1 -o x.exo
  check "--cell larger than a ball" refuses 2 "--cell 2.1 is larger than the ball, which is 2 at its longest" $ball --cell 2.1 -o x.exo
  check "--cell larger than a bar" refuses 2 "which is 3 at its longest" mesh bar --length 1 --width 3 --cell 4 -o x.exo
  check "--cell as large as a bar" succeeds mesh bar --length 3 --width 1 --cell 3 -o long.exo
  check "help has an example of every kind" has_examples "box plate bar ball cylinder tube wedge" mesh --help
  check "nan is refused" refuses 2 "--cell must be a finite number above zero, not 'nan'" $ball --cell nan -o x.exo
  check "inf is refused" refuses 2 "'inf'" $ball --cell inf -o x.exo
  check "a number that is too large is refused" refuses 2 "'1e999'" $ball --cell 1e999 -o x.exo
  check "abc is refused" refuses 2 "'abc'" $ball --cell abc -o x.exo
  check "1e-3x is refused" refuses 2 "'1e-3x'" $ball --cell 1e-3x -o x.exo
  check "an empty number is refused" refuses 2 "''" $ball --cell= -o x.exo
  check "a negative cell is refused" refuses 2 "'-0.1'" $ball --cell -0.1 -o x.exo
  check "a zero cell is refused" refuses 2 "'0'" $ball --cell 0 -o x.exo
  check "a vector of two is refused" refuses 2 "'1,2'" $ball --cell 1 --at 1,2 -o x.exo
  check "a vector of four is refused" refuses 2 "'1,2,3,4'" $ball --cell 1 --at 1,2,3,4 -o x.exo
  check "a flat box is refused" refuses 2 "'1,0,1'" mesh box --size 1,0,1 --cell 1 -o x.exo
  check "a missing value is refused" refuses 2 "--cell" $ball -o x.exo --cell
  check "an option is not taken as a value" refuses 2 "--cell needs a value H" $ball --cell --name b -o x.exo
  check "a missing option is named" refuses 2 "-o" $ball --cell 1
  check "a missing kind is named" refuses 2 "KIND" mesh --cell 1 -o x.exo
  check "an extra argument is named" refuses 2 "'red'" mesh ball red --radius 1 --cell 1 -o x.exo
  check "a size of another kind is refused" refuses 2 "--length" $ball --length 1 --cell 1 -o x.exo
  check "a missing size is named" refuses 2 "--width" mesh bar --length 1 --cell 1 -o x.exo
  check "a hole as wide as the tube is refused" refuses 1 "--inner 1 must be less than --radius 1" mesh tube --radius 1 --inner 1 --length 1 --cell 1 -o x.exo
  check "no layers are refused" refuses 2 "--layers must be 1 or more, not 0" mesh plate --size 1,1,1 --layers 0 --cell 1 -o x.exo
  check "layers that are no number" refuses 2 "--layers must be a whole number, -2147483648 to 2147483647, not '1e12'" mesh plate --size 1,1,1 --layers 1e12 --cell 1 -o x.exo
  check "too many layers" refuses 1 "fit in one mesh: give fewer cells, by fewer --layers or a larger --cell" mesh plate --size 1,1,1 --layers 2000000000 --cell 1 -o x.exo
  check "too many cells" refuses 1 "fit in one mesh: give fewer cells, by a larger --cell" mesh box --size 1,1,1 --cell 1e-5 -o x.exo
  check "too many cells of a length" refuses 1 "into 1e+12 cells: give fewer cells, by a larger --cell" mesh box --size 1,1,1 --cell 1e-12 -o x.exo
  check "a hexadecimal cell" refuses 2 "--cell must be a finite number above zero, not '0x1'" $ball --cell 0x1 -o x.exo
  check "a hexadecimal size" refuses 2 "not '1,0x1,1'" mesh box --size 1,0x1,1 --cell 1 -o x.exo
  check "layers of a ball are refused" refuses 2 "a ball has no --layers" $ball --layers 2 --cell 1 -o x.exo
  check "too many cells are refused" refuses 1 "--cell" $ball --cell 1e-12 -o x.exo
  check "a name too long is refused" refuses 1 "name" $ball --cell 1 --name "$(printf 'n%.0s' {1..300})" -o x.exo
  check "an unwritable path is named" refuses 1 "no/such/place.exo" $ball --cell 1 -o no/such/place.exo
  check "nothing was written by refusals" [ ! -e x.exo ]
fi

if built_with info; then
  echo "this is no mesh" >text.exo
  check "info: missing file is named" refuses 1 "missing.exo" info missing.exo
  check "info: text file is named" refuses 1 "text.exo" info text.exo
  check "info: missing word is named" refuses 2 "FILE" info
fi

# ------------------------------------------------------------------------------------------------------------- meshes
if built_with mesh; then
  check "box is written" succeeds mesh box --size 4,2,1 --cell 0.5 --at 1,2,3 -o box.exo
  check "box prints one line" [ "$(wc -l <out.txt)" -eq 1 ]
  check "info of the box" succeeds info box.exo
  check "box: nodes" says "nodes " 135
  check "box: elements" says "elements " 384
  check "box: volume" says_between "volume " 7.999999 8.000001
  check "box: bodies" says "bodies " 1
  check "box: skin" says "skin " 224
  check "box: centre" grep -q '^z  *2.5 to 3.5$' out.txt
  check "box: block and sets" grep -q 'box_top' out.txt
  check "box: no steps" says "steps " 0

  check "bar is written" succeeds mesh bar --length 3 --width 1 --cell 0.4 --name taylor -o bar.exo
  check "info of the bar" succeeds info bar.exo
  check "bar: nodes" says "nodes " 144
  check "bar: elements" says "elements " 432
  check "bar: volume" says_between "volume " 2.999999 3.000001
  check "bar: along z" grep -q '^z  *-1.5 to 1.5$' out.txt
  check "bar: name" grep -q '^1  *taylor  *432' out.txt

  check "ball is written" succeeds mesh ball --radius 2 --cell 0.5 -o ball.exo
  check "info of the ball" succeeds info ball.exo
  check "ball: nodes" says "nodes " 309
  check "ball: elements" says "elements " 1280
  check "ball: skin" says "skin " 320
  check "ball: volume slightly below that of the sphere" says_between "volume " 31 33.511
  check "a coarse cell still gives a ball" succeeds mesh ball --radius 1 --cell 2 -o coarse.exo

  check "cylinder is written" succeeds mesh cylinder --radius 1 --length 2 --cell 0.25 --at 0,0,5 -o cylinder.exo
  check "info of the cylinder" succeeds info cylinder.exo
  check "cylinder: nodes" says "nodes " 549
  check "cylinder: elements" says "elements " 2304
  check "cylinder: volume of the 24-gon's" says_between "volume " 6.21165 6.21166
  check "cylinder: along z" grep -q '^z  *4 to 6$' out.txt
  check "cylinder: sets" has_sets cylinder_bottom cylinder_top cylinder_side

  check "tube is written" succeeds mesh tube --radius 2 --inner 1 --length 2 --cell 0.5 -o tube.exo
  check "info of the tube" succeeds info tube.exo
  check "tube: nodes" says "nodes " 270
  check "tube: elements" says "elements " 864
  check "tube: volume of the 18-gon's" says_between "volume " 18.4690 18.4691
  check "tube: sets" has_sets tube_inside tube_outside tube_bottom tube_top

  check "wedge is written" succeeds mesh wedge --size 2,3,1 --cell 0.5 --name roof -o wedge.exo
  check "info of the wedge" succeeds info wedge.exo
  check "wedge: volume" says_between "volume " 2.999999 3.000001
  check "wedge: one body" says "bodies " 1
  check "wedge: sets" has_sets roof_top roof_left roof_right roof_front roof_back

  check "plate is written" succeeds mesh plate --size 4,2,0.1 --cell 0.5 -o plate.exo
  check "info of the plate" succeeds info plate.exo
  check "plate: two layers at least" says "elements " 384
  check "plate of three layers" succeeds mesh plate --size 4,2,0.1 --cell 0.5 --layers 3 -o three.exo
  check "plate of three layers: elements" grep -q ' 576 elements' out.txt
  check "thin tube has two layers at least" succeeds mesh tube --radius 2 --inner 1.99 --length 1 --cell 0.5 -o thin.exo
  check "thin tube: elements" grep -q ' 600 elements' out.txt

  for shape in box plate bar ball cylinder tube wedge; do
    check "info of the $shape" succeeds info $shape.exo
    check "$shape: one body" says "bodies " 1
  done
  cp ball.exo kept.exo
  check "a file that exists is not overwritten" refuses 1 "'kept.exo' exists: give another name, or --force" $ball --cell 1 -o kept.exo
  echo "my notes" >notes.exo
  check "a file that is no mesh is not overwritten" refuses 1 "'notes.exo' exists" $ball --cell 1 -o notes.exo
  check "refused files are unchanged" eval 'cmp -s ball.exo kept.exo && grep -qx "my notes" notes.exo'
  check "--force overwrites a file" succeeds $ball --cell 1 -o kept.exo --force
  check "--force: the file has the new mesh" eval '! cmp -s ball.exo kept.exo'
fi

# ----------------------------------------------------------------------------------------------------------- pictures
if built_with picture; then
  check "picture: missing file is named" refuses 1 "missing.exo" picture missing.exo -o x.png
  check "picture: text file is named" refuses 1 "text.exo" picture text.exo -o x.png
  check "picture: unwritable path is named" refuses 1 "no/such/place.png" picture ball.exo -o no/such/place.png
  check "picture: bad size is named" refuses 2 "'640'" picture ball.exo --size 640 -o x.png
  check "picture: too small a size is named" refuses 1 "30 x 20" picture ball.exo --size 30x20 -o x.png
  check "picture: missing step is named" refuses 1 "--step 3" picture ball.exo --step 3 -o x.png
  check "picture: step that is no number is named" refuses 1 "--step first" picture ball.exo --step first -o x.png
  check "picture: missing variable is named" refuses 1 "vel" picture ball.exo --colour vel -o x.png
  cp ball.exo kept.exo
  check "picture: the file it draws is not replaced" refuses 1 "is an input file" picture kept.exo -o kept.exo --force
  check "picture: nor is a text" refuses 1 "'text.exo' exists and was not made from 'ball.exo'" picture ball.exo -o text.exo
  check "picture: the refused file is as it was" cmp -s ball.exo kept.exo
  check "picture: no direction of view" refuses 1 "0,0,0" picture ball.exo --from 0,0,0 -o x.png
  check "nothing was drawn by refusals" [ ! -e x.png ]
  for shape in box bar ball cylinder tube wedge; do
    check "picture of the $shape" succeeds picture $shape.exo --size 480x360 -o $shape.png
    check "$shape.png is a PNG of 480 x 360" is_png $shape.png 480 360
  done
  check "picture along z" succeeds picture bar.exo --from 0,0,1 --size 480x360 --title "from above" -o above.png
  check "the same picture twice" succeeds picture ball.exo --size 480x360 -o again.png
  check "the same picture has the same bytes" cmp -s ball.png again.png
  if command -v python3 >/dev/null; then check "ball.png has many colours" many_colours ball.png 500
  else echo "SKIPPED: colours of a picture: python3 was not found"; fi
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
