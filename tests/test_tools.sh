#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
# Tests join, diff and info from the command line, on complete files and on files with errors.
#
#     tests/test_tools.sh path/to/impinge path/to/odd_files path/to/source
set -u

[ $# -eq 3 ] && [ -x "$1" ] && [ -x "$2" ] || { echo "usage: $0 path/to/impinge path/to/odd_files path/to/source" >&2; exit 2; }
odd_files=$(realpath "$2")
source=$(realpath "$3")
. "$(dirname "$0")/support/program.sh"

prints() { grep -qF -- "$1" out.txt; } # text in the output of the last command
prints_line() { grep -qE -- "$1" out.txt; }
prints_on_stderr() { grep -qF -- "$1" err.txt; }
volume_of() { "$impinge" info "$1" | awk '/^volume / { print $2 }'; }
differs() { # words, then the files: exit code 1, a line with these words, and a summary
  local words=$1
  shift
  run 1 diff "$@" && [ ! -s err.txt ] && grep -qF -- "$words" out.txt && tail -n 1 out.txt | grep -qE ' differ: [0-9]+ differences?$'
}
agrees() { run 0 diff "$@" && [ ! -s err.txt ] && [ "$(wc -l <out.txt)" -eq 1 ] && prints "agree:"; }
in_trouble() { # words, then the files
  local words=$1
  shift
  refuses 2 "$words" diff "$@"
}

"$impinge" mesh box --size 2,1,1 --cell 0.5 -o box.exo >/dev/null || exit 1
"$impinge" mesh ball --radius 1 --cell 0.5 -o ball.exo >/dev/null || exit 1
for kind in bad nowhere pinch mixed fourteen signs plane results; do "$odd_files" $kind $kind.exo || exit 1; done
for change in name coordinate number entry nodal global momentum element nodeset sideset nan time step field presence; do
  "$odd_files" results-$change $change.exo || exit 1
done
echo "this is no mesh" >text.exo

# --------------------------------------------------------------------------------------------------------------- join
check "join: two bodies" succeeds join box.exo ball.exo --translate 5,0,0 -o scene.exo
check "join: prints one line" [ "$(wc -l <out.txt)" -eq 1 ]
check "join: info of the scene" succeeds info scene.exo
check "join: bodies" says "bodies " 2
check "join: both blocks" prints_line '^1  *box .* ok$'
check "join: the second block has its own id" prints_line '^2  *ball .* ok$'
check "join: sets of both" prints "ball_surface"
check "join: volumes add" close_to "$(volume_of scene.exo)" "$(echo "$(volume_of box.exo) $(volume_of ball.exo)" | awk '{ printf "%.17g", $1 + $2 }')"
for s in 0.5 3 1e-3 1e4; do
  check "join: --scale $s with rotations" succeeds join ball.exo --rotate 1,2,3,40 --scale $s --translate 1,2,3 --rotate 0,0,1,-10 -o scaled.exo --force
  check "join: volume by $s^3" close_to "$(volume_of scaled.exo)" "$(volume_of ball.exo | awk -v s=$s '{ printf "%.17g", $1 * s * s * s }')"
done
check "join: moves in the order given" succeeds join box.exo --scale 2 --translate 1,0,0 --rotate 0,0,1,90 -o order.exo
succeeds info order.exo
check "join: x after the moves" prints_line '^x  *-1 to 1$'
check "join: y after the moves" prints_line '^y  *-1 to 3$'
check "join: a translation before a scaling is scaled" succeeds join box.exo --translate 1,0,0 --scale 2 -o order2.exo
succeeds info order2.exo
check "join: x of this order" prints_line '^x  *0 to 4$'
check "join: four rotations by multiples of 90 degrees" succeeds join box.exo --rotate 0,0,1,90 --rotate 0,0,-2,-270 --rotate 3,0,0,180 --rotate 1,0,0,180 -o round.exo
check "join: they agree to the last bit" agrees box.exo round.exo --relative 0
check "join: a rotation and its inverse" succeeds join box.exo --rotate 1,1,0,33 --rotate 1,1,0,-33 -o back.exo
check "join: they agree within rounding" agrees box.exo back.exo --floor 1e-14

check "join: the same file twice is refused" refuses 1 "--name" join box.exo box.exo -o x.exo
check "join: the refusal names the block" prints_on_stderr "'box'"
check "join: --name resolves it" succeeds join box.exo box.exo --name lid --translate 0,0,2 -o lid.exo
succeeds info lid.exo
check "join: the block is renamed" prints_line '^2  *lid  *96'
check "join: its sets are renamed" prints "lid_top"
check "join: no set keeps the old name" [ "$(grep -c 'box_top' out.txt)" -eq 2 ]
check "join: --name is a prefix of several blocks" succeeds join lid.exo --name car -o car.exo
succeeds info car.exo
check "join: car_box" prints_line '^1  *car_box '
check "join: car_lid_top" prints "car_lid_top"
check "join: a scene and itself under a name" succeeds join lid.exo lid.exo --name car --translate 9,0,0 -o cars.exo
check "join: a name too long" refuses 1 "--name" join box.exo --name "$(printf 'n%.0s' {1..257})" -o x.exo
check "join: an empty name" refuses 1 "--name" join box.exo --name "" -o x.exo

check "join: the last step" succeeds join results.exo --step last -o last.exo
succeeds info last.exo
check "join: the last step is displaced by 2" prints_line '^x  *2 to 6$'
check "join: the first step, then scaled" succeeds join results.exo --scale 2 --step 1 -o first.exo
succeeds info first.exo
check "join: the displacement comes before the scaling" prints_line '^x  *2 to 10$'
check "join: results are not copied" says "steps " 0
check "join: a missing step is refused" refuses 1 "2 steps" join results.exo --step 3 -o x.exo
check "join: a file without steps is refused" refuses 1 "0 steps" join box.exo --step last -o x.exo
check "join: step 0" refuses 2 "--step must be last or a number from 1 on, not '0'" join results.exo --step 0 -o x.exo

check "join: other elements are refused, with what leaves them out" refuses 1 "--leave-out-others" join mixed.exo -o x.exo
check "join: other elements are refused" refuses 1 "brick" join mixed.exo -o x.exo
check "join: other elements are left out" run 0 join mixed.exo --leave-out-others -o tets.exo
check "join: with a note on stderr" prints_on_stderr "brick"
check "join: bad elements are refused" refuses 1 "bad.exo" join bad.exo -o x.exo
check "join: elements made flat by a scaling are refused" refuses 1 "--scale" join box.exo --scale 1e-150 -o x.exo
check "join: and name what was given" prints_on_stderr "give another --scale"
check "join: elements that are too far away are refused" refuses 1 "box.exo: element 1 would have the volume 0: give another --translate" join box.exo --translate 1e300,0,0 -o x.exo
check "join: two moves that may be wrong" refuses 1 "give another --translate or --scale" join box.exo --scale 2 --translate 1e300,0,0 -o x.exo
check "join: elements made infinite by a scaling are refused" refuses 1 "--scale" join box.exo --scale 1e105 -o x.exo

check "join: no file" refuses 2 "FILE is missing" join -o x.exo
check "join: no output" refuses 2 "-o FILE is missing" join box.exo
check "join: a missing file is named" refuses 1 "missing.exo" join box.exo missing.exo -o x.exo
check "join: a text is no mesh" refuses 1 "text.exo" join text.exo -o x.exo
check "join: an option before its file" refuses 2 "--scale applies to the FILE before it" join --scale 2 box.exo -o x.exo
check "join: nearest option of a file" refuses 2 "did you mean --translate" join box.exo --transalte 1,0,0 -o x.exo
check "join: two names of a file" refuses 2 "--name is given twice for box.exo" join ball.exo --name a box.exo --name b --name c -o x.exo
check "join: two steps of a file" refuses 2 "--step is given twice for results.exo" join results.exo --step 1 --step=last -o x.exo
check "join: a hexadecimal translation" refuses 2 "'0x1,0,0'" join box.exo --translate 0x1,0,0 -o x.exo
check "join: a negative scale" refuses 2 "'-1'" join box.exo --scale -1 -o x.exo
check "join: a zero scale" refuses 2 "'0'" join box.exo --scale 0 -o x.exo
check "join: no axis" refuses 2 "the axis not 0,0,0, not '0,0,0,5'" join box.exo --rotate 0,0,0,5 -o x.exo
check "join: no angle" refuses 2 "'0,0,1'" join box.exo --rotate 0,0,1 -o x.exo
check "join: an angle of letters" refuses 2 "'0,0,1,ten'" join box.exo --rotate 0,0,1,ten -o x.exo
check "join: an existing file is not overwritten" refuses 1 "--force" join box.exo -o scene.exo
check "join: an input file is not overwritten" refuses 1 "is an input file" join box.exo ball.exo -o ./ball.exo --force
ln -s ball.exo link.exo
check "join: nor an input file by another name" refuses 1 "is an input file" join box.exo ball.exo -o link.exo --force
check "join: an unwritable path is named" refuses 1 "no/such/place.exo" join box.exo -o no/such/place.exo
check "join: refusals wrote nothing" [ ! -e x.exo ]
check "join: --force overwrites" succeeds join box.exo -o scene.exo --force
check "join: a single file is copied unchanged" agrees box.exo scene.exo --relative 0

# --------------------------------------------------------------------------------------------------------------- diff
for file in box ball mixed bad nowhere results scene; do
  run 0 diff $file.exo $file.exo
  check "diff: $file and itself" prints "agree:"
done
check "diff: results and themselves" agrees results.exo results.exo
check "diff: number of compared steps and fields" prints "agree: 2 steps, 9 fields"
check "diff: other elements are left out" run 0 diff mixed.exo mixed.exo
check "diff: with a note on stderr for each file" [ "$(grep -c brick err.txt)" -eq 2 ]
check "join: a translation by 1e-9" succeeds join box.exo --translate 1e-9,0,0 -o moved.exo
check "diff: finds a translation by 1e-9" differs "coordinates: " box.exo moved.exo
check "diff: not if the floor is higher" agrees box.exo moved.exo --floor 1e-8
check "diff: different sizes" differs "nodes: " box.exo ball.exo
check "diff: names of blocks" differs "name of block far: 'far' and 'away'" results.exo name.exo
check "diff: names of sets" prints "name of node set far_left: 'far_left' and 'away_left'"
check "diff: a coordinate" differs "coordinates: 1 differ, most by 0.001, at node 2, y: 0 and 0.001" results.exo coordinate.exo
check "diff: a node number" differs "numbers of nodes: 1 differ" results.exo number.exo
check "diff: a set's entry" differs "nodes of node set near_left: 1 differ, first at position 1" results.exo entry.exo
check "diff: a nodal value" differs "nodal disp_x: 1 values differ, most by 0.001, in step 2 at node 4: 2 and 2.001" results.exo nodal.exo
check "diff: no other difference" prints "differ: 1 difference"
check "diff: a global value" differs "global energy: 1 values differ, most by 0.001, in step 2: " results.exo global.exo
check "diff: another global value" differs "global momentum: 2 values differ, most by inf, in step 1: nan and 3" results.exo momentum.exo
check "diff: an element's value" differs "element stress: 1 values differ, most by 0.001, in step 2 at element 4: " results.exo element.exo
check "diff: a node set's value" differs "node set heat: 1 values differ, most by 0.001, in step 2 at node " results.exo nodeset.exo
check "diff: the set is named" prints "of near_left: "
check "diff: a side set's value" differs "side set pressure: 1 values differ, most by 0.001, in step 2 at element " results.exo sideset.exo
check "diff: the side set is named" prints_line 'side [1-4] of near_right: '
check "diff: NaN and a number" differs "nodal disp_x: 1 values differ, most by inf, in step 1 at node 3: 1 and nan" results.exo nan.exo
check "diff: NaN and NaN" agrees nan.exo nan.exo
check "diff: times" differs "times: 2 differ, most by 0.002, of step 2: 2 and 2.002" results.exo time.exo
check "diff: an additional step" differs "steps: 2 and 3" results.exo step.exo
check "diff: the common steps are compared" prints "differ: 1 difference"
check "diff: a missing field" differs "nodal disp_z: only in results.exo" results.exo field.exo
check "diff: a missing field of the other file" differs "nodal disp_z: only in results.exo" field.exo results.exo
check "diff: a field on fewer blocks" differs "element stress: on far only in presence.exo" results.exo presence.exo
check "diff: values of only one file give one line" prints "differ: 1 difference"
check "diff: --ignore" agrees results.exo nodal.exo --ignore other,disp_x
check "diff: --ignore a missing field" agrees results.exo field.exo --ignore=disp_z
check "diff: --ignore compares whole names" differs "disp_x" results.exo nodal.exo --ignore disp,disp_xx,isp_x
check "diff: --relative" agrees results.exo nodal.exo --relative 1e-3
check "diff: --floor" agrees results.exo element.exo --floor 0.01
check "diff: a missing file is trouble" in_trouble "missing.exo" box.exo missing.exo
check "diff: a missing first file is trouble" in_trouble "missing.exo" missing.exo box.exo
check "diff: a text is trouble" in_trouble "text.exo" box.exo text.exo
check "diff: no tetrahedra is trouble" in_trouble "plane.exo" plane.exo plane.exo
check "diff: a second file is needed" refuses 2 "B is missing" diff box.exo
check "diff: a negative tolerance" refuses 2 "'-1'" diff box.exo box.exo --relative -1
full_disk() { "$impinge" diff box.exo box.exo >/dev/full 2>err.txt; [ $? -eq 2 ] && ! grep -q Success err.txt; }
if [ -c /dev/full ]; then check "diff: a full disk is trouble, not a difference" full_disk
else echo "SKIPPED: diff: a full disk: there is no /dev/full"; fi

# --------------------------------------------------------------------------------------------------------------- info
check "info: of a good mesh" succeeds info box.exo
check "info: no warnings" prints_line '^warnings  *none$'
check "info: type and verdict" prints_line '^1  *box  *96  *TETRA  *4  *0  ok$'
check "info: body table" prints_line '^1  *96  box$'
check "info: of results" succeeds info results.exo
check "info: steps" prints_line '^steps  *2, t = 1 to 2$'
check "info: nodal fields" prints_line '^nodal  *disp_x disp_y disp_z$'
check "info: global fields" prints_line '^global  *energy momentum$'
check "info: element fields, with their blocks" prints_line '^element  *stress \(1 of 2\) strain$'
check "info: fields of node sets" prints_line '^of node sets  *heat$'
check "info: fields of side sets" prints_line '^of side sets  *pressure$'
check "info: volumes of blocks" prints_line '^  of far  1$'
check "info: a bad mesh is described" succeeds info bad.exo
check "info: flat" prints_line '^flat  *1 elements, first 2$'
check "info: inverted" prints_line '^inverted  *1 elements, first 3$'
check "info: verdict on the block" prints "no: 2 bad elements"
check "info: unattached" prints_line '^unattached  *1 nodes$'
check "info: warns of the flat one" prints "1 elements, first 2, are flat"
check "info: warns of the inverted one" prints "1 elements, first 3, are inverted"
check "info: warns of the unattached node" prints "1 nodes belong to no element, first 6"
check "info: a node without finite coordinates" succeeds info nowhere.exo
check "info: element without finite coordinates" prints_line '^not finite  *1 elements, first 2$'
check "info: warns of coordinates that are not finite" prints "1 elements, first 2, have a corner without finite coordinates"
check "info: volume of the other elements" says_between "volume " 0.16666666 0.16666667
check "info: a pinch" succeeds info pinch.exo
check "info: a pinched edge is named" prints "1 edges of the skin are pinched, first from node 1 to node 2"
check "info: other elements" succeeds info mixed.exo
check "info: verdict on the hexahedra" prints_line '^1  *brick  *1  *HEX8  *8  *0  no: not tetrahedra$'
check "info: warns of the block" prints "a run refuses 1 of 3 blocks, first brick: not tetrahedra"
check "info: warns of a dot in a name" prints "1 blocks cannot be named in a deck, first 'tet.one': a name holds no dot"
check "info: warns of two names for one option" prints "1 blocks are the same option in a deck as another, first 'tet.one' and 'Tet one'"
check "info: nodes that were left out" prints_line '^left out  *8 nodes of no tetrahedron$'
check "info: volume of its tetrahedra" says_between "volume " 0.33333333 0.33333334
check "info: tetrahedra of fourteen nodes" succeeds info fourteen.exo
check "info: they are called tetrahedra" prints_line '^1  *fine  *1  *TETRA14  *14  *0  no: tetrahedra of 14 nodes, the solver takes 4 nodes only$'
check "info: the others are read" prints_line '^skin  *4 faces, 4 nodes$'
check "join: tetrahedra of fourteen nodes" refuses 1 "block 1 'fine' holds TETRA14 elements of 14 nodes; only tetrahedra of 4 or 10 nodes can be read" join fourteen.exo -o never.exo
check "info: names of sets that differ by a sign" succeeds info signs.exo
check "info: nobody asks for them" prints_line '^warnings  *none$'
check "info: area of the skin" prints_line '^skin area  *22$'
check "info: areas of two bodies" succeeds info results.exo
check "info: both in all" prints_line '^skin area  *12$'
check "info: the second" prints_line '^  of body 2  6$'
check "info: a plane mesh" succeeds info plane.exo
check "info: dimensions of a plane mesh" says "dimensions " 2
check "info: verdict on a plane mesh" prints "no: the mesh has 2 dimensions"
succeeds join box.exo box.exo --name copy -o double.exo
check "info: a body joined twice" succeeds info double.exo
check "info: duplicate nodes" prints_line '^  45 duplicate nodes with the coordinates of another, first 1 and 46:'
check "info: duplicate elements" prints_line '^  96 duplicate elements over the corners of another, first 1 and 97:'
check "info: duplicate bodies" prints "1 duplicate bodies made of the elements of another, first 1 and 2"
succeeds join box.exo box.exo --name next --translate 2,0,0 -o touching.exo
check "info: bodies that touch" succeeds info touching.exo
check "info: only their nodes are duplicates" [ "$(grep -c 'duplicate' out.txt)" -eq 1 ]
many="box.exo"
for i in 2 3 4 5 6 7 8 9 10 11 12; do many="$many box.exo --name b$i --translate ${i}0,0,0"; done
succeeds join $many -o many.exo
check "info: twelve bodies" succeeds info many.exo
check "info: the first ten are shown" prints_line '^10  *96  b10$'
check "info: the others are counted" prints_line '^and 2 more$'

# --------------------------------------------------------------------------------------------------------------- docs
check "docs/tools.md has the output of the program" diff "$source/docs/tools.md" <("$source/docs/replay.sh" "$impinge" "$source/docs/tools.md")

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
