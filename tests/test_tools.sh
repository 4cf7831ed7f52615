#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
# join, diff and info as their user meets them, on files with everything in them and on files with something wrong.
#
#     tests/test_tools.sh path/to/impinge path/to/odd_files path/to/source
set -u

[ $# -eq 3 ] && [ -x "$1" ] && [ -x "$2" ] || { echo "usage: $0 path/to/impinge path/to/odd_files path/to/source" >&2; exit 2; }
odd_files=$(realpath "$2")
source=$(realpath "$3")
. "$(dirname "$0")/support/program.sh"

tells() { grep -qF -- "$1" out.txt; } # words that the last command printed
tells_line() { grep -qE -- "$1" out.txt; }
says_on_stderr() { grep -qF -- "$1" err.txt; }
volume_of() { "$impinge" info "$1" | awk '/^volume / { print $2 }'; }
close_to() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-16 * b * b) }'; } # to 8 digits
differs() { # words, then the files: exit code 1, a line with these words, and a summary
  local words=$1
  shift
  run 1 diff "$@" && [ ! -s err.txt ] && grep -qF -- "$words" out.txt && tail -n 1 out.txt | grep -qE ' differ: [0-9]+ differences?$'
}
agrees() { run 0 diff "$@" && [ ! -s err.txt ] && [ "$(wc -l <out.txt)" -eq 1 ] && tells "agree:"; }
in_trouble() { # words, then the files
  local words=$1
  shift
  refuses 2 "$words" diff "$@"
}

"$impinge" mesh box --size 2,1,1 --cell 0.5 -o box.exo >/dev/null || exit 1
"$impinge" mesh ball --radius 1 --cell 0.5 -o ball.exo >/dev/null || exit 1
for kind in bad nowhere pinch mixed plane results; do "$odd_files" $kind $kind.exo || exit 1; done
for change in name coordinate number entry nodal global momentum element nodeset sideset nan time step field presence; do
  "$odd_files" results-$change $change.exo || exit 1
done
echo "this is no mesh" >text.exo

# --------------------------------------------------------------------------------------------------------------- join
check "join: two bodies" succeeds join box.exo ball.exo --translate 5,0,0 -o scene.exo
check "join: prints one line" [ "$(wc -l <out.txt)" -eq 1 ]
check "join: info of the scene" succeeds info scene.exo
check "join: bodies" says "bodies " 2
check "join: both blocks" tells_line '^1  *box .* ok$'
check "join: the second id is another" tells_line '^2  *ball .* ok$'
check "join: sets of both" tells "ball_surface"
check "join: volumes add" close_to "$(volume_of scene.exo)" "$(echo "$(volume_of box.exo) $(volume_of ball.exo)" | awk '{ printf "%.17g", $1 + $2 }')"
for s in 0.5 3 1e-3 1e4; do
  check "join: --scale $s and turns" succeeds join ball.exo --rotate 1,2,3,40 --scale $s --translate 1,2,3 --rotate 0,0,1,-10 -o scaled.exo --force
  check "join: volume by $s^3" close_to "$(volume_of scaled.exo)" "$(volume_of ball.exo | awk -v s=$s '{ printf "%.17g", $1 * s * s * s }')"
done
check "join: moves in the order given" succeeds join box.exo --scale 2 --translate 1,0,0 --rotate 0,0,1,90 -o order.exo
succeeds info order.exo
check "join: x after the moves" tells_line '^x  *-1 to 1$'
check "join: y after the moves" tells_line '^y  *-1 to 3$'
check "join: a shift first is scaled" succeeds join box.exo --translate 1,0,0 --scale 2 -o order2.exo
succeeds info order2.exo
check "join: x of the other order" tells_line '^x  *0 to 4$'
check "join: four quarters are exact" succeeds join box.exo --rotate 0,0,1,90 --rotate 0,0,-2,-270 --rotate 3,0,0,180 --rotate 1,0,0,180 -o round.exo
check "join: and agree to the last bit" agrees box.exo round.exo --relative 0
check "join: there and back agrees" succeeds join box.exo --rotate 1,1,0,33 --rotate 1,1,0,-33 -o back.exo
check "join: within rounding" agrees box.exo back.exo --floor 1e-14

check "join: one file twice clashes" refuses 1 "--name" join box.exo box.exo -o x.exo
check "join: and names the block" says_on_stderr "'box'"
check "join: --name mends it" succeeds join box.exo box.exo --name lid --translate 0,0,2 -o lid.exo
succeeds info lid.exo
check "join: the block is renamed" tells_line '^2  *lid  *96'
check "join: its sets are renamed" tells "lid_top"
check "join: nothing keeps the old name behind it" [ "$(grep -c 'box_top' out.txt)" -eq 2 ]
check "join: several blocks get the name in front" succeeds join lid.exo --name car -o car.exo
succeeds info car.exo
check "join: car_box" tells_line '^1  *car_box '
check "join: car_lid_top" tells "car_lid_top"
check "join: a scene and itself under a name" succeeds join lid.exo lid.exo --name car --translate 9,0,0 -o cars.exo
check "join: a name too long" refuses 1 "--name" join box.exo --name "$(printf 'n%.0s' {1..257})" -o x.exo
check "join: an empty name" refuses 1 "--name" join box.exo --name "" -o x.exo

check "join: the last step" succeeds join results.exo --step last -o last.exo
succeeds info last.exo
check "join: is two further" tells_line '^x  *2 to 6$'
check "join: the first step, then scaled" succeeds join results.exo --scale 2 --step 1 -o first.exo
succeeds info first.exo
check "join: is moved before it is scaled" tells_line '^x  *2 to 10$'
check "join: results stay behind" says "steps " 0
check "join: no third step" refuses 1 "2 steps" join results.exo --step 3 -o x.exo
check "join: no step at all" refuses 1 "0 steps" join box.exo --step last -o x.exo
check "join: step 0" refuses 2 "--step must be last or a number from 1 on, not '0'" join results.exo --step 0 -o x.exo

check "join: other elements are refused" refuses 1 "brick" join mixed.exo -o x.exo
check "join: or left out, which is said" run 0 join mixed.exo --leave-out-others -o tets.exo
check "join: on stderr" says_on_stderr "brick"
check "join: bad elements are refused" refuses 1 "bad.exo" join bad.exo -o x.exo
check "join: what a scale makes flat is refused" refuses 1 "--scale" join box.exo --scale 1e-150 -o x.exo
check "join: what a scale sends to infinity is refused" refuses 1 "--scale" join box.exo --scale 1e105 -o x.exo

check "join: no file" refuses 2 "FILE is missing" join -o x.exo
check "join: no output" refuses 2 "-o FILE is missing" join box.exo
check "join: a missing file is named" refuses 1 "missing.exo" join box.exo missing.exo -o x.exo
check "join: a text is no mesh" refuses 1 "text.exo" join text.exo -o x.exo
check "join: an option before its file" refuses 2 "--scale applies to the FILE before it" join --scale 2 box.exo -o x.exo
check "join: nearest option of a file" refuses 2 "did you mean --translate" join box.exo --transalte 1,0,0 -o x.exo
check "join: a negative scale" refuses 2 "'-1'" join box.exo --scale -1 -o x.exo
check "join: a zero scale" refuses 2 "'0'" join box.exo --scale 0 -o x.exo
check "join: no axis" refuses 2 "the axis not 0,0,0, not '0,0,0,5'" join box.exo --rotate 0,0,0,5 -o x.exo
check "join: no angle" refuses 2 "'0,0,1'" join box.exo --rotate 0,0,1 -o x.exo
check "join: an angle of letters" refuses 2 "'0,0,1,ten'" join box.exo --rotate 0,0,1,ten -o x.exo
check "join: over what is there" refuses 1 "--force" join box.exo -o scene.exo
check "join: over an input" refuses 1 "is an input file" join box.exo ball.exo -o ./ball.exo --force
ln -s ball.exo link.exo
check "join: over an input by another name" refuses 1 "is an input file" join box.exo ball.exo -o link.exo --force
check "join: an unwritable place" refuses 1 "no/such/place.exo" join box.exo -o no/such/place.exo
check "join: refusals wrote nothing" [ ! -e x.exo ]
check "join: --force replaces" succeeds join box.exo -o scene.exo --force
check "join: a lone file is as it was" agrees box.exo scene.exo --relative 0

# --------------------------------------------------------------------------------------------------------------- diff
for file in box ball mixed bad nowhere results scene; do
  run 0 diff $file.exo $file.exo
  check "diff: $file and itself" tells "agree:"
done
check "diff: of results tells what was compared" agrees results.exo results.exo
check "diff: steps and fields" tells "agree: 2 steps, 9 fields"
check "diff: left out is said" run 0 diff mixed.exo mixed.exo
check "diff: on stderr, for both" [ "$(grep -c brick err.txt)" -eq 2 ]
check "join: a billionth away" succeeds join box.exo --translate 1e-9,0,0 -o moved.exo
check "diff: sees a billionth" differs "coordinates: " box.exo moved.exo
check "diff: unless the floor is higher" agrees box.exo moved.exo --floor 1e-8
check "diff: other sizes" differs "nodes: " box.exo ball.exo
check "diff: names of blocks" differs "name of block far: 'far' and 'away'" results.exo name.exo
check "diff: names of sets" tells "name of node set far_left: 'far_left' and 'away_left'"
check "diff: a coordinate" differs "coordinates: 1 differ, most by 0.001, at node 2, y: 0 and 0.001" results.exo coordinate.exo
check "diff: a number" differs "numbers of nodes: 1 differ" results.exo number.exo
check "diff: a set's entry" differs "nodes of node set near_left: 1 differ, first at position 1" results.exo entry.exo
check "diff: a nodal value" differs "nodal disp_x: 1 values differ, most by 0.001, in step 2 at node 4: 2 and 2.001" results.exo nodal.exo
check "diff: and nothing else" tells "differ: 1 difference"
check "diff: a global value" differs "global energy: 1 values differ, most by 0.001, in step 2: " results.exo global.exo
check "diff: another global value" differs "global momentum: 2 values differ, most by inf, in step 1: nan and 3" results.exo momentum.exo
check "diff: an element's value" differs "element stress: 1 values differ, most by 0.001, in step 2 at element 4: " results.exo element.exo
check "diff: a node set's value" differs "node set heat: 1 values differ, most by 0.001, in step 2 at node " results.exo nodeset.exo
check "diff: of which set" tells "of near_left: "
check "diff: a side set's value" differs "side set pressure: 1 values differ, most by 0.001, in step 2 at element " results.exo sideset.exo
check "diff: of which side set" tells_line 'side [1-4] of near_right: '
check "diff: NaN and a number" differs "nodal disp_x: 1 values differ, most by inf, in step 1 at node 3: 1 and nan" results.exo nan.exo
check "diff: NaN and NaN" agrees nan.exo nan.exo
check "diff: times" differs "times: 2 differ, most by 0.002, of step 2: 2 and 2.002" results.exo time.exo
check "diff: a step more" differs "steps: 2 and 3" results.exo step.exo
check "diff: the steps of both are compared" tells "differ: 1 difference"
check "diff: a field less" differs "nodal disp_z: only in results.exo" results.exo field.exo
check "diff: the other way round" differs "nodal disp_z: only in results.exo" field.exo results.exo
check "diff: presence" differs "element stress: on far only in presence.exo" results.exo presence.exo
check "diff: values that only one has are told once" tells "differ: 1 difference"
check "diff: --ignore" agrees results.exo nodal.exo --ignore other,disp_x
check "diff: --ignore a missing field" agrees results.exo field.exo --ignore=disp_z
check "diff: --ignore wants whole names" differs "disp_x" results.exo nodal.exo --ignore disp,disp_xx,isp_x
check "diff: --relative" agrees results.exo nodal.exo --relative 1e-3
check "diff: --floor" agrees results.exo element.exo --floor 0.01
check "diff: a missing file is trouble" in_trouble "missing.exo" box.exo missing.exo
check "diff: the other too" in_trouble "missing.exo" missing.exo box.exo
check "diff: a text is trouble" in_trouble "text.exo" box.exo text.exo
check "diff: no tetrahedra is trouble" in_trouble "plane.exo" plane.exo plane.exo
check "diff: a second file is needed" refuses 2 "B is missing" diff box.exo
check "diff: a negative tolerance" refuses 2 "'-1'" diff box.exo box.exo --relative -1
full_disk() { [ ! -c /dev/full ] || { "$impinge" diff box.exo box.exo >/dev/full 2>err.txt; [ $? -eq 2 ]; }; }
check "diff: a full disk is trouble, not a difference" full_disk

# --------------------------------------------------------------------------------------------------------------- info
check "info: of a proper mesh" succeeds info box.exo
check "info: no warnings" tells_line '^warnings  *none$'
check "info: type and verdict" tells_line '^1  *box  *96  *TETRA  *4  *0  ok$'
check "info: body table" tells_line '^1  *96  box$'
check "info: of results" succeeds info results.exo
check "info: steps" tells_line '^steps  *2, t = 1 to 2$'
check "info: nodal fields" tells_line '^nodal  *disp_x disp_y disp_z$'
check "info: global fields" tells_line '^global  *energy momentum$'
check "info: element fields, with where they are" tells_line '^element  *stress \(1 of 2\) strain$'
check "info: fields of node sets" tells_line '^of node sets  *heat$'
check "info: fields of side sets" tells_line '^of side sets  *pressure$'
check "info: volumes of blocks" tells_line '^  of far  1$'
check "info: a bad mesh is described" succeeds info bad.exo
check "info: flat" tells_line '^flat  *1 elements, first 2$'
check "info: inverted" tells_line '^inverted  *1 elements, first 3$'
check "info: verdict on the block" tells "no: 2 bad elements"
check "info: unattached" tells_line '^unattached  *1 nodes$'
check "info: warns of the flat one" tells "1 elements, first 2, are flat"
check "info: warns of the inverted one" tells "1 elements, first 3, are inverted"
check "info: warns of the lonely node" tells "1 nodes belong to no element, first 6"
check "info: a node nowhere" succeeds info nowhere.exo
check "info: its element" tells_line '^not finite  *1 elements, first 2$'
check "info: warns of it" tells "1 elements, first 2, have a corner without finite coordinates"
check "info: volume of the rest" says_between "volume " 0.16666666 0.16666667
check "info: a pinch" succeeds info pinch.exo
check "info: where" tells "1 edges of the skin are pinched, first from node 1 to node 2"
check "info: other elements" succeeds info mixed.exo
check "info: verdict on the hexahedra" tells_line '^1  *brick  *1  *HEX8  *8  *0  no: not tetrahedra$'
check "info: warns of the block" tells "a run refuses 1 of 3 blocks, first brick: not tetrahedra"
check "info: warns of the dot" tells "1 blocks cannot be named in a deck, first 'tet.one': a name holds no dot"
check "info: warns of two names for one option" tells "1 blocks are the same option in a deck as another, first 'tet.one' and 'Tet one'"
check "info: what was left out" tells_line '^left out  *8 nodes of no tetrahedron$'
check "info: volume of its tetrahedra" says_between "volume " 0.33333333 0.33333334
check "info: a plane mesh" succeeds info plane.exo
check "info: its dimensions" says "dimensions " 2
check "info: verdict on it" tells "no: the mesh has 2 dimensions"
succeeds join box.exo box.exo --name copy -o double.exo
check "info: a body joined twice" succeeds info double.exo
check "info: duplicate nodes" tells_line '^  45 duplicate nodes with the coordinates of another, first 1 and 46:'
check "info: duplicate elements" tells_line '^  96 duplicate elements over the corners of another, first 1 and 97:'
check "info: duplicate bodies" tells "1 duplicate bodies made of the elements of another, first 1 and 2"
succeeds join box.exo box.exo --name next --translate 2,0,0 -o touching.exo
check "info: bodies that touch" succeeds info touching.exo
check "info: only their nodes are duplicates" [ "$(grep -c 'duplicate' out.txt)" -eq 1 ]
many="box.exo"
for i in 2 3 4 5 6 7 8 9 10 11 12; do many="$many box.exo --name b$i --translate ${i}0,0,0"; done
succeeds join $many -o many.exo
check "info: twelve bodies" succeeds info many.exo
check "info: ten are shown" tells_line '^10  *96  b10$'
check "info: and two counted" tells_line '^and 2 more$'

# --------------------------------------------------------------------------------------------------------------- docs
check "docs/tools.md says what the program says" diff "$source/docs/tools.md" <("$source/docs/replay.sh" "$impinge" "$source/docs/tools.md")

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
