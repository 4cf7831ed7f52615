#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Mistakes of a user of a run: each ends with exit code 1 or 2 and one sentence on stderr that names what is wrong.
set -u
impinge=$1 source=$2
passed=0 failed=0
refuses() { # name, words that the sentence must contain, command...
  local name=$1 words=$2 lines code
  shift 2
  "$@" >out.log 2>err.log
  code=$?
  lines=$(wc -l <err.log)
  if [ $code -ge 1 ] && [ $code -le 2 ] && [ "$lines" -eq 1 ] && grep -qF -- "$words" err.log; then
    passed=$((passed + 1)); echo "passed: $name: $(cat err.log)"
  else
    failed=$((failed + 1)); echo "FAILED: $name: exit $code, $lines lines, wanted '$words':"; head -n 5 err.log
  fi
}
keeps() { # the same, and the results of an earlier run are still there, to the byte
  cp small.exo earlier.exo
  refuses "$@"
  if cmp -s earlier.exo small.exo; then passed=$((passed + 1)); echo "passed: results are kept: $1"
  else failed=$((failed + 1)); echo "FAILED: results are gone: $1"; cp earlier.exo small.exo; fi
}
edit() { sed "$1" small.yaml >edited.yaml; } # the deck with one change

rm -f ./*.exo
"$impinge" mesh box --size 1,1,1 --cell 0.5 --name box -o box.exo --force >/dev/null || exit 1
cat >small.yaml <<'DECK'
title: A box at rest
mesh: box.exo
blocks: {box: {density: 1, young: 1, poisson: 0.3}}
time: {end: 1}
output: {file: small.exo, count: 2}
DECK
mkdir -p folder
sed 's/file: small.exo, //' small.yaml >no_results.yaml
"$impinge" run small.yaml >small.log 2>&1 && grep -qx "normal termination" small.log || { cat small.log; exit 1; }

refuses "no deck" "the deck is missing" "$impinge" run
refuses "deck that is not there" "none.yaml" "$impinge" run none.yaml
refuses "unknown option with two dashes" "--frobnicate" "$impinge" run small.yaml --frobnicate
keeps "unknown option with one dash" "frobnicate" "$impinge" run small.yaml -frobnicate 3
keeps "unknown contact option" "contact_penality_scale" "$impinge" run small.yaml -contact_penality_scale 0.2
edit 's/box.exo/nowhere.exo/'; refuses "mesh that is not there" "nowhere.exo" "$impinge" run edited.yaml
edit 's/box.exo/small.yaml/'; refuses "mesh that is no mesh" "small.yaml" "$impinge" run edited.yaml
edit 's/end: 1/end: nan/'; refuses "nan in a deck" "edited.yaml:4:13: time.end is 'nan'" "$impinge" run edited.yaml
edit 's/young: 1/young: .inf/'; refuses "infinity in a deck" "blocks.box.young" "$impinge" run edited.yaml
edit 's/density/desnity/'; refuses "misspelt key" "did you mean 'density'" "$impinge" run edited.yaml
edit 's/density: 1, //'; refuses "missing density" "blocks.box.density" "$impinge" run edited.yaml
edit 's/{box: {/{box: {velocity: [0, 0, 0], /; s/$/ /; s/time/  /'; refuses "not YAML" "edited.yaml:" "$impinge" run edited.yaml
edit 's/blocks: {box/blocks: {bax: {density: 2}, box/'; keeps "block that is not there" "edited.yaml:3:25: the mesh has no block 'bax'; its blocks are: box" "$impinge" run edited.yaml
edit 's/{box/{bax/'; refuses "before the missing density of another one" "no block 'bax'; its blocks are: box" "$impinge" run edited.yaml
edit 's/poisson: 0.3/material: butter/'; refuses "unknown material" "butter" "$impinge" run edited.yaml
edit 's/mesh: box.exo/mesh: [box.exo, box.exo]/'; refuses "the same block twice" "both meshes have a block named 'box'" "$impinge" run edited.yaml
edit 's/small.exo/no\/such\/folder\/small.exo/'; keeps "unwritable results" "no/such/folder/small.exo" "$impinge" run edited.yaml
edit 's/poisson/velocity: [0, 0, 1.0e308], poisson/; s/small.exo/fast.exo/'; refuses "a velocity that inverts the mesh" "of block 'box' has turned inside out" "$impinge" run edited.yaml
refuses "an end that is no time" "-time_end is '1e-300'; it must be a number from 1e-60 to 1e60" "$impinge" run small.yaml -time_end 1e-300
refuses "a hexadecimal number" "-time_end is '0x10'; it must be a number" "$impinge" run small.yaml -time_end 0x10
refuses "a hexadecimal number in a list" "-blocks_box_velocity is '0x1,0,0'; it must be a list" "$impinge" run small.yaml -blocks_box_velocity 0x1,0,0
refuses "nan on the command line" "-time_end is 'nan'; it must be a number from 1e-60 to 1e60" "$impinge" run small.yaml -time_end nan
refuses "no threads" "-threads is '0'" "$impinge" run small.yaml -threads 0
refuses "another time stepper" "impinge_cd" "$impinge" run small.yaml -ts_type alpha2
refuses "a time step" "-ts_dt has no effect on a run: the time step follows from the critical time step" "$impinge" run small.yaml -ts_dt 1e-9
refuses "a number of steps" "-ts_max_steps has no effect on a run: set time.end instead" "$impinge" run small.yaml -ts_max_steps 3
refuses "an end of the time stepper" "-ts_max_time has no effect" "$impinge" run small.yaml -ts_max_time 1
refuses "an option given twice" "-threads is given twice" "$impinge" run small.yaml -threads 1 -time_end 1 -threads 2
cat small.yaml <(printf -- '---\nmesh: box.exo\ntime: {end: 2}\n') >edited.yaml
refuses "a second document" "edited.yaml:7: a second document begins here" "$impinge" run edited.yaml
refuses "threads given twice" "contact_threads" "$impinge" run small.yaml -contact_threads 2
refuses "results over a mesh" "overwritten" "$impinge" run small.yaml -output_file ./box.exo
refuses "picture over a mesh" "'./box.exo' exists and was not made from 'small.yaml'" "$impinge" run small.yaml -output_picture ./box.exo
refuses "picture over results" "the same" "$impinge" run small.yaml -output_picture small.exo
keeps "picture without results" "add output.file" "$impinge" run no_results.yaml -output_picture small.png
keeps "picture in no folder" "no/such/folder/small.png" "$impinge" run small.yaml -output_picture no/such/folder/small.png
keeps "picture over the deck" "output.picture is the deck 'small.yaml', which would be overwritten" "$impinge" run small.yaml -output_picture small.yaml
keeps "picture that is a folder" "cannot write 'folder': it is a folder" "$impinge" run small.yaml -output_picture folder
keeps "picture of a field that is not there" "output.colour is 'velocity'" "$impinge" run small.yaml -output_picture small.png -output_colour velocity
keeps "picture without a view direction" "output.view is 0,0,0" "$impinge" run small.yaml -output_picture small.png -output_view 0,0,0
refuses "four velocities" "-blocks_box_velocity is '1,2,3,4'; it must be a list of three" "$impinge" run small.yaml -blocks_box_velocity 1,2,3,4
refuses "negative audit" "-contact_audit is '-1'" "$impinge" run small.yaml -contact_audit -1
refuses "two decks" "one word too many: 'other.yaml'" "$impinge" run small.yaml other.yaml
refuses "a word behind a value" "one word too many: 'foo'" "$impinge" run small.yaml -threads 1 foo
refuses "an option without its value" "-time_end needs a value: a number from 1e-60 to 1e60" "$impinge" run small.yaml -time_end -threads 1
refuses "a velocity that is no number" "-blocks_box_velocity is '-nan,0,0'" "$impinge" run small.yaml -blocks_box_velocity -nan,0,0
refuses "a friction that is no number" "-contact_friction_static is 'abc'; it must be" "$impinge" run small.yaml -contact_friction_static abc
refuses "edges that are neither on nor off" "-contact_edges is 'maybe'; it must be yes or no" "$impinge" run small.yaml -contact_edges maybe
refuses "search method" "magic" "$impinge" run small.yaml -contact_search_method magic
refuses "too many threads" "-threads is '100000'" "$impinge" run small.yaml -threads 100000
refuses "penalty scale" "-contact_penalty_scale is '7'" "$impinge" run small.yaml -contact_penalty_scale 7
refuses "stiffness" "unknown option -contact_stiffness" "$impinge" run small.yaml -contact_stiffness mass
refuses "enforcement" "-contact_enforcement is 'node_springs'; it must be one of: penalty, kinematic" "$impinge" run small.yaml -contact_enforcement node_springs
refuses "edges" "-contact_edges is no, which belongs to enforcement by penalty: leave it out, or set contact.enforcement to penalty" "$impinge" run small.yaml -contact_enforcement kinematic -contact_edges no
keeps "an end that is too far" "time.end is 1e+30, which would take" "$impinge" run small.yaml -time_end 1e30
edit 's/^time/contact: {friction_dynamic: 0.3}\ntime/'
refuses "dynamic friction alone" "edited.yaml:4:29: contact.friction_dynamic is 0.3, above contact.friction_static, which is 0:" "$impinge" run edited.yaml
refuses "friction" "-contact_friction_dynamic is 0.2, above -contact_friction_static, which is 0.1:" "$impinge" run small.yaml -contact_friction_static 0.1 -contact_friction_dynamic 0.2
refuses "a decay without friction" "-contact_friction_decay is 1 and has no effect, because both coefficients are 0: give -contact_friction_dynamic below the static one, or" "$impinge" run small.yaml -contact_friction_decay 1
refuses "damping" "-contact_damping is '2'; it must be a number from 0 to 1" "$impinge" run small.yaml -contact_damping 2
refuses "an option of an earlier version" "-contact_skin is called -contact_search_margin now" "$impinge" run small.yaml -contact_skin 1
refuses "a word of an earlier version" "'face_face' is called 'penalty' now" "$impinge" run small.yaml -contact_enforcement face_face
refuses "search margin" "-contact_search_margin is '-1'" "$impinge" run small.yaml -contact_search_margin -1

in_contact() { edit "s/^time/contact: {$1}\ntime/"; } # the deck with this under contact
in_contact 'pairs: [box, box]'
refuses "a key unlike all others" "edited.yaml:4:11: there is no key 'pairs' in contact; its keys are enforcement, penalty_scale, " "$impinge" run edited.yaml
in_contact 'walls: [[0, 0, -2, 0, 0, 1], [0, 0, 2, 0, 0]]'
refuses "a wall of five numbers" "edited.yaml:4:40: wall 2 of contact.walls has 5 numbers; give six" "$impinge" run edited.yaml
in_contact 'walls: [0, 0, -2, 0, 0, 1, 0, 0, 2, 0, 0, 0]'
refuses "a wall without a normal" "the normal of wall 2 of contact.walls is 0, 0, 0" "$impinge" run edited.yaml
refuses "the same as an option" "-contact_walls: the normal of wall 1 is 0,0,0" "$impinge" run small.yaml -contact_walls 0,0,0,0,0,0
refuses "a wall too far away" "contact wall 2: its point lies beyond 1e+60: take other units" "$impinge" run no_results.yaml -contact_walls 0,0,-9,0,0,1,0,0,-1e70,0,0,1
long=$(printf 'n%.0s' {1..246})
"$impinge" join box.exo --name "$long" -o long.exo --force >/dev/null || exit 1
printf 'mesh: long.exo\ntime: {end: 1}\n' >edited.yaml
refuses "a block whose name is too long for a deck" "has no density, and no deck can give one, because its name has a dot or more than 80 letters: rename it with impinge join --name" "$impinge" run edited.yaml
printf 'mesh: long.exo\ntime: {end: 1}\nblocks: {%s: {density: 1}}\n' "$long" >edited.yaml
refuses "nor can a deck name it" "...' has 246 letters; it may have 80: rename what it names" "$impinge" run edited.yaml
refuses "too many walls" "for each of at most 16 walls" "$impinge" run small.yaml -contact_walls "$(printf '0,0,-9,0,0,1,%.0s' {1..16})0,0,-9,0,0,1"
refuses "a folder as deck" "'folder' is a folder: give the name of a file" "$impinge" run folder
mkfifo pipe.yaml 2>/dev/null || true
refuses "a pipe as deck" "'pipe.yaml' is a pipe: give the name of a file" timeout 20 "$impinge" run pipe.yaml
printf 'mesh: box.exo\ntime:\n\tend: 1\n' >edited.yaml
refuses "a tab" "edited.yaml:3:1: there is a tab: indent with spaces" "$impinge" run edited.yaml
printf 'mesh: box.exo\ntime:\n  \tend: 1\n' >edited.yaml
refuses "a tab behind spaces" "edited.yaml:3" "$impinge" run edited.yaml
refuses "results that are no Exodus file" "-output_file is 'small.vtk'; it must be a file name that ends in .exo" "$impinge" run small.yaml -output_file small.vtk

# Options from elsewhere are checked as those of the command line; PETSc's that would do nothing are refused.
keeps "a wrong value in PETSC_OPTIONS" "-contact_edges is 'maybe'; it must be yes or no" env PETSC_OPTIONS="-contact_edges maybe" "$impinge" run small.yaml
keeps "a misspelt option in PETSC_OPTIONS" "unknown option -tiem_end" env PETSC_OPTIONS="-tiem_end 2" "$impinge" run small.yaml
keeps "a picture in PETSC_OPTIONS" "-output_picture comes from PETSC_OPTIONS" env PETSC_OPTIONS="-output_picture small.png" "$impinge" run small.yaml
mkdir -p home; echo "-time_end 1x" >home/.petscrc
keeps "a wrong value in .petscrc" "-time_end is '1x'; it must be a number from 1e-60 to 1e60" env HOME="$PWD/home" "$impinge" run small.yaml
echo "-ts_dt 1" >options.txt
keeps "a file of options" "-ts_dt has no effect" "$impinge" run small.yaml -options_file options.txt
keeps "a file of options that is not there" "cannot open 'nowhere.txt'" "$impinge" run small.yaml -options_file nowhere.txt
keeps "a pipe of options" "'pipe.yaml' is a pipe" timeout 20 "$impinge" run small.yaml -options_file pipe.yaml
echo "-options_file loop.txt" >loop.txt
keeps "files of options that name each other" "name each other" "$impinge" run small.yaml -options_file loop.txt
printf '# a comment\n-threads 1\n-threads 1\n' >twice.txt
keeps "an option twice in a file" "-threads is given twice" "$impinge" run small.yaml -options_file twice.txt
keeps "a word that is no option" "PETSC_OPTIONS: one word too many: 'time_end'" env PETSC_OPTIONS="time_end 3" "$impinge" run small.yaml
# PETSc would replace files and empty folders by these.
mkdir keep; echo precious >keep/text
for option in "-log_view :small.yaml" "-contact_view :box.exo" "-ts_view binary:box.exo" "-ts_monitor :small.yaml" "-history keep/text" "-info keep/text" \
  "-ts_save_trajectory" "-ts_trajectory_dirname keep" "-ts_monitor_solution binary:keep/text" "-malloc_view keep/text" "-log_trace keep/text" \
  "-stop_for_debugger" "-start_in_debugger" "-saws_port 1" "-dll_append keep/text" "-log_view :keep/text:ascii_xml" "-options_view :keep/text"; do
  deck=$(cksum <small.yaml)
  mesh=$(cksum <box.exo)
  keeps "$option" "$(echo "${option%% *}" | cut -c1-11)" timeout 20 "$impinge" run small.yaml $option
  keeps "PETSC_OPTIONS: $option" "PETSC_OPTIONS: " env PETSC_OPTIONS="$option" timeout 20 "$impinge" run small.yaml
  if [ "$(cat keep/text)" = precious ] && [ "$(cksum <small.yaml)" = "$deck" ] && [ "$(cksum <box.exo)" = "$mesh" ]; then passed=$((passed + 1))
  else failed=$((failed + 1)); echo "FAILED: $option destroys a file"; fi
done
for option in ts_rtol snes_monitor prefix_push; do
  keeps "-$option" "-$option has no effect on a run" "$impinge" run small.yaml -$option 1
done
keeps "-fp_trap" "-fp_trap has no effect on a run: it would stop" "$impinge" run small.yaml -fp_trap
keeps "capitals make no other option" "-TIME_END is given twice" "$impinge" run small.yaml -time_end 1 -TIME_END 2
keeps "nor hide a wrong value" "-TIME_END is 'x'; it must be" "$impinge" run small.yaml -TIME_END x
for option in "-log_view -malloc_debug -options_left" "-ts_view ::ascii_info_detail -ts_monitor" -h -help; do
  code=0; "$impinge" run small.yaml $option >out.log 2>err.log || code=$?
  if [ $code -eq 0 ] && [ ! -s err.log ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $option: exit $code"; head -n 3 err.log; fi
done
if [ -c /dev/full ]; then
  for option in "" "-log_view -ts_monitor"; do
    code=0; "$impinge" run small.yaml $option >/dev/full 2>err.log || code=$?
    if [ $code -eq 1 ] && [ "$(wc -l <err.log)" -eq 1 ] && grep -q "^impinge: cannot write to standard output" err.log; then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "FAILED: a full disk under stdout $option: exit $code"; head -n 3 err.log; fi
  done
else echo "SKIPPED: a full disk under stdout: there is no /dev/full"; fi

# Two boxes that penetrate each other by 0.1; one wholly inside another; one with elements smaller than the penetration.
"$impinge" mesh box --size 0.4,0.4,0.5 --cell 0.2 --at 0,0,0.65 --name upper -o upper.exo --force >/dev/null || exit 1
"$impinge" mesh box --size 3,3,3 --cell 0.5 --name box -o large.exo --force >/dev/null || exit 1
"$impinge" mesh box --size 0.4,0.4,0.5 --cell 0.2 --name upper -o deep.exo --force >/dev/null || exit 1
"$impinge" mesh box --size 0.4,0.4,0.5 --cell 0.1 --at 0,0,0.63 --name upper -o fine.exo --force >/dev/null || exit 1
edit 's/box.exo/[box.exo, upper.exo]/; s/blocks: {/blocks: {upper: {density: 1, young: 1}, /; s/^time/contact: {initial_penetration: stop}\ntime/'
keeps "initial penetration: stop" "nodes into another body" "$impinge" run edited.yaml --force
refuses "with its position and depth" "0.1 below side" "$impinge" run edited.yaml --force
refuses "initial penetration that cannot be removed" "wholly within another" "$impinge" run edited.yaml -contact_initial_penetration remove -mesh large.exo,deep.exo
refuses "initial penetration deeper than elements" "would turn element" "$impinge" run edited.yaml -contact_initial_penetration remove -mesh box.exo,fine.exo
# A limit of docs/contact.md: nodes on the surface of another body are not inside it.
"$impinge" join box.exo box.exo --name upper -o same.exo --force >/dev/null || exit 1
if "$impinge" run edited.yaml -mesh same.exo -output_file same_run.exo >out.log 2>err.log; then passed=$((passed + 1))
else failed=$((failed + 1)); echo "FAILED: two boxes in the same position pass"; head -n 3 err.log; fi
edit 's/^time/contact: {initial_penetration: butter}\ntime/'
refuses "an unknown word" "contact.initial_penetration is 'butter'; it must be one of: report, ignore, remove, stop" "$impinge" run edited.yaml
refuses "the same on the command line" "contact_initial_penetration" "$impinge" run small.yaml -contact_initial_penetration butter
in_contact 'walls: [0, 0, -0.3, 0, 0, 1], initial_penetration: stop'
keeps "a wall within a body: stop" "9 nodes behind rigid walls, the deepest is node 1 at (-0.5, -0.5, -0.5), 0.2 behind wall 1: move them apart" "$impinge" run edited.yaml --force
# A fast box turns elements inside out at a rigid wall: the last result step shows it, and the earlier one is whole.
"$impinge" mesh box --size 0.4,0.4,0.5 --cell 0.2 --at 0,0,0.76 --name upper -o above.exo --force >/dev/null || exit 1
edit 's/box.exo/above.exo/; s/^blocks.*/blocks: {upper: {density: 1, young: 1, velocity: [0, 0, -2]}}/; s/small.exo/failed.exo/
  s/^time/contact: {walls: [0, 0, 0.5, 0, 0, 1]}\ntime/'
refuses "an element inside out" "of block 'upper' has turned inside out (negative volume) at (" "$impinge" run edited.yaml
grep -qE "run: at time 0.1[0-9]* element .* \(the last step of 'failed.exo' shows it\)$" err.log && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAILED: and when, and where to see it"; }
"$impinge" info failed.exo >out.log 2>&1
if grep -q "^steps  *2," out.log; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: the failed state is no step:"; grep "^step" out.log; fi
refuses "that state as a mesh" "would have the volume -" "$impinge" join failed.exo --step last -o flat.exo
if [ ! -e small.png ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: a refused picture was created"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
