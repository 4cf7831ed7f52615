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
edit 's/mesh: box.exo/mesh: [box.exo, box.exo]/'; refuses "the same block twice" "box" "$impinge" run edited.yaml
edit 's/small.exo/no\/such\/folder\/small.exo/'; keeps "unwritable results" "no/such/folder/small.exo" "$impinge" run edited.yaml
edit 's/poisson/velocity: [0, 0, 1.0e308], poisson/'; refuses "a velocity that inverts the mesh" "" "$impinge" run edited.yaml
refuses "nan on the command line" "-time_end is 'nan'; it must be a finite number above 0" "$impinge" run small.yaml -time_end nan
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
refuses "an option without its value" "-time_end needs a value: a finite number above 0" "$impinge" run small.yaml -time_end -threads 1
refuses "a velocity that is no number" "-blocks_box_velocity is '-nan,0,0'" "$impinge" run small.yaml -blocks_box_velocity -nan,0,0
refuses "a friction that is no number" "-contact_friction_static is 'abc'; it must be" "$impinge" run small.yaml -contact_friction_static abc
refuses "edges that are neither on nor off" "-contact_edges is 'maybe'; it must be yes or no" "$impinge" run small.yaml -contact_edges maybe
refuses "search method" "magic" "$impinge" run small.yaml -contact_search_method magic
refuses "too many threads" "threads" "$impinge" run small.yaml -threads 100000
refuses "penalty scale" "-contact_penalty_scale is '7'" "$impinge" run small.yaml -contact_penalty_scale 7
refuses "stiffness" "it must be one of: mass, material" "$impinge" run small.yaml -contact_stiffness soft
keeps "an end that is too far" "time.end is 1e+30, which would take" "$impinge" run small.yaml -time_end 1e30
edit 's/^time/contact: {friction_dynamic: 0.3}\ntime/'
refuses "dynamic friction alone" "-contact_friction_dynamic is 0.3, above -contact_friction_static:" "$impinge" run edited.yaml
refuses "friction" "-contact_friction_dynamic is 0.2, above" "$impinge" run small.yaml -contact_friction_static 0.1 -contact_friction_dynamic 0.2
refuses "damping" "damping is 2" "$impinge" run small.yaml -contact_damping 2
refuses "an option of an earlier version" "-contact_skin is called -contact_search_margin now" "$impinge" run small.yaml -contact_skin 1
refuses "a word of an earlier version" "'step' is called 'mass' now" "$impinge" run small.yaml -contact_stiffness step
refuses "search margin" "-contact_search_margin is '-1'" "$impinge" run small.yaml -contact_search_margin -1

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
edit 's/^time/contact: {initial_penetration: butter}\ntime/'
refuses "an unknown word" "contact.initial_penetration is 'butter'; it must be one of: report, ignore, remove, stop" "$impinge" run edited.yaml
refuses "the same on the command line" "contact_initial_penetration" "$impinge" run small.yaml -contact_initial_penetration butter
if [ ! -e small.png ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: a refused picture was created"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
