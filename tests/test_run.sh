#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# The two example decks from mesh to picture: conservation, audit, closed form, the same bits for any number of threads,
# a recorded step, and files that other programs can read. IMPINGE_SIZE: quick (sanitizers) or full (as ./run).
set -u
export SOURCE_DATE_EPOCH=1000000000 # the date in the records of results: the same run gives the same bytes
impinge=$1 source=$2
passed=0 failed=0 skipped=0
ok() { # name, command...
  local name=$1
  shift
  if "$@" >ok.log 2>&1; then passed=$((passed + 1)); echo "passed: $name"
  else failed=$((failed + 1)); echo "FAILED: $name ($*)"; tail -n 5 ok.log; fi
}
runs() { # log, arguments of `impinge run`: normal termination, exit code 0 (no leak, no crash after it), and a silent stderr
  local log=$1 code=0
  shift
  "$impinge" run "$@" >"$log" 2>stderr.log || code=$?
  if [ $code -eq 0 ] && [ ! -s stderr.log ] && grep -qx "normal termination" "$log"; then
    passed=$((passed + 1)); echo "passed: run $* ($log)"
  else failed=$((failed + 1)); echo "FAILED: run $*: exit $code"; head -n 5 stderr.log; tail -n 5 "$log"; fi
}
. "$(dirname "$0")/support/gates.sh"
checked() { # gate or expect_missed, name, figure, gate, at most
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $*"; fi
}
field() { awk -v name="$1" -v n="$2" 'index($0, name) == 1 {print $n; exit}' "$3"; } # the n-th word of a line of a log

# Momentum and energy of a result file, by other code than the program's, as far as the file goes.
recompute() { # result file, BLOCK=DENSITY,YOUNG,POISSON... [--impulse=X,Y,Z]
  if ! command -v ncdump >/dev/null || ! command -v python3 >/dev/null; then
    skipped=$((skipped + 1)) && echo "SKIPPED: $1 recomputed: ncdump or python3 was not found"
    return
  fi
  python3 "$source/tests/support/recompute.py" "$@" >recomputed.log 2>&1
  cat recomputed.log
  ok "$1 recomputed: kinetic energy" below "$(field kinetic 2 recomputed.log)" 1e-9
  ok "$1 recomputed: strain energy" below "$(field strain 2 recomputed.log)" 1e-9
  ok "$1 recomputed: energy balance" below "$(field energy 2 recomputed.log)" 0.01
  ok "$1 recomputed: momentum" below "$(field momentum 2 recomputed.log)" 1e-10
}

rm -f ./*.exo ./*.png ./*.ipg ./*.log
cp "$source"/examples/*.yaml .

# ---------------------------------------------------------------------------------------------- two bars, closed form
ok "left bar" "$impinge" mesh bar --length 0.1 --width 0.02 --cell 0.005 --at 0,0,-0.05 --name left -o left.exo
ok "right bar" "$impinge" mesh bar --length 0.1 --width 0.02 --cell 0.005 --at 0,0,0.0501 --name right -o right.exo
runs bars.log two_bars.yaml
left=$(grep 'mean velocity.*left' bars.log | awk '{print $5}') right=$(grep 'mean velocity.*right' bars.log | awk '{print $5}')
echo "velocities after: left $left (exact 0), right $right (exact 10)"
checked gate "two equal bars (Poisson 0, 1920 elements each): velocity of the one that stops, of 10 m/s" "$(of "$left" 10)" 0.01
checked gate "two equal bars (Poisson 0, 1920 elements each): velocity of the one that starts" "$(off "$right" 10)" 0.01
checked gate "two equal bars: change of momentum, of the sum of m v" "$(field 'momentum error' 3 bars.log)" 1e-10
checked gate "two equal bars: energy error at the end, of the largest energy" "$(field 'energy error' 3 bars.log)" 0.01
checked gate "two equal bars: the largest energy error of all outputs" "$(field 'energy error' 10 bars.log)" 0.01
recompute two_bars.exo left=7800,2e11,0 right=7800,2e11,0
ok "each node of both ends has one contact" grep -q "contacts activated 50$" bars.log
ok "the audit ran and found nothing" grep -q "steps  *184, audits 18," bars.log

# ---------------------------------------------------------------------------------------------- a bar hits a rigid wall
cat >wall.yaml <<'END'
mesh: left.exo
blocks: {left: {density: 7800, young: 2.0e11, poisson: 0.0, velocity: [0, 0, 10]}}
contact: {walls: [0, 0, 1.0e-4, 0, 0, -1, 0, 0, -1, 0, 0, 1]}
time: {end: 6.0e-5}
END
runs wall.log wall.yaml -contact_record 60 -output_file wall.exo
back=$(grep 'mean velocity.*left' wall.log | awk '{print $5}')
echo "velocity after: $back (exact -10)"
checked gate "a bar hits a rigid wall: velocity after" "$(off "$back" -10)" 0.02
ok "momentum of bar and wall" below "$(field 'momentum error' 3 wall.log)" 1e-10
ok "energy of the bar at the wall" below "$(field 'energy error' 3 wall.log)" 0.01
recompute wall.exo left=7800,2e11,0 "--impulse=$(awk '/^wall impulse/ {print $3 "," $4 "," $5}' wall.log | sed 's/,$//')"
mv contact_step_60.ipg step_wall.ipg
ok "its step 60 is replayed" "$impinge" replay step_wall.ipg --audit
cp ok.log replay.log
ok "with the wall named" grep -qE "^block 1 and wall 1: [1-9][0-9]* contacts, normal force " replay.log
ok "and its nodes" grep -qE "^ +[0-9]+ sliding .* at a wall$" replay.log

# --------------------------------------------------------------------------------------------------- ball on a plate
cell=0.002 plate=0.002 case="ball on plate, coarse"
[ "${IMPINGE_SIZE:-}" = full ] && cell=0.00125 plate=0.0013 case="ball on plate as in its deck (not in \`./check\`)"
[ "${IMPINGE_SIZE:-}" = quick ] && cell=0.0034 plate=0.004
ok "ball" "$impinge" mesh ball --radius 0.01 --cell $cell --at 0,0,0.0121 -o ball.exo
ok "plate" "$impinge" mesh box --size 0.04,0.04,0.004 --cell $plate --name plate -o plate.exo
for threads in 1 2 4; do
  runs ball_$threads.log ball_on_plate.yaml -threads $threads -contact_audit $((threads == 1 ? 4 : 0))0 \
    -output_file ball_$threads.exo -output_picture ball_$threads.png -contact_record 60
  mv contact_step_60.ipg step_$threads.ipg
done
runs ball_brute_force.log ball_on_plate.yaml -contact_search_method brute_force -contact_audit 0
grep -E 'error|fingerprint' ball_1.log
checked gate "$case: change of momentum, of the sum of m v" "$(field 'momentum error' 3 ball_1.log)" 1e-10
checked gate "$case: energy error at the end, of the largest energy" "$(field 'energy error' 3 ball_1.log)" 0.01
checked gate "$case: the largest energy error of all outputs" "$(field 'energy error' 10 ball_1.log)" 0.01
recompute ball_1.exo ball=7800,2e11,0.3 plate=2700,7e10,0.33
ok "there was contact" between "$(awk '/contacts activated/ {print $NF}' ball_1.log)" 2 1e9
for other in 2 4 brute_force; do
  ok "same bits: 1 and $other" test "$(field fingerprint 2 ball_1.log)" = "$(field fingerprint 2 ball_$other.log)"
done
# The records of a file name its own options; nothing else may differ.
without_options() { LC_ALL=C sed 's/ball_[0-9]\./ball_N./g; s/-threads [0-9]/-threads N/; s/-contact_audit [0-9]0/-contact_audit N/' "$1"; }
same_files() { cmp <(without_options "$1") <(without_options "$2"); }
ok "same files: 1 and 2 threads" same_files ball_1.exo ball_2.exo
ok "same files: 2 and 4 threads" same_files ball_2.exo ball_4.exo

# ------------------------------------------------------------------------------------------- not in the usual size
cube_at_wall() { # cells along an edge, penalty scale
  "$impinge" mesh box --size 0.01,0.01,0.01 --cell "$(of 0.01 "$1")" --name cube -o "cube_$1.exo" >cube.log 2>&1
  printf '%s\n' "mesh: cube_$1.exo" 'blocks: {cube: {density: 7800, young: 2.0e11, poisson: 0.3, velocity: [0, 0, -10]}}' \
    'contact: {walls: [0, 0, -0.00505, 0, 0, 1]}' 'time: {end: 5.0e-5}' >cube.yaml
  "$impinge" run cube.yaml -contact_penalty_scale "$2" >"cube_$1_$2.log" 2>&1
  ok "cube of $1 cells at a wall, scale $2: normal termination" grep -qx "normal termination" "cube_$1_$2.log"
}
at_wall() { # gate or expect_missed, cells, scale, [at most]
  cube_at_wall "$2" "$3"
  checked "$1" "steel cube that falls flat onto a rigid wall at 10 m/s, penalty scale $3, $2 cells (not in \`./check\`): energy" \
    "$(field 'energy error' 3 "cube_$2_$3.log")" 0.01 ${4:+"$4"}
}
if [ "${IMPINGE_SIZE:-}" = full ]; then
  ok "left bar, fine" "$impinge" mesh bar --length 0.1 --width 0.02 --cell 0.0025 --at 0,0,-0.05 --name left -o left_fine.exo
  ok "right bar, fine" "$impinge" mesh bar --length 0.1 --width 0.02 --cell 0.0025 --at 0,0,0.0501 --name right -o right_fine.exo
  "$impinge" run two_bars.yaml -mesh left_fine.exo,right_fine.exo -output_file fine.exo >fine.log 2>&1
  ok "two fine bars: normal termination" grep -qx "normal termination" fine.log
  left=$(grep 'mean velocity.*left' fine.log | awk '{print $5}') right=$(grep 'mean velocity.*right' fine.log | awk '{print $5}')
  checked gate "two equal bars, 8 times the elements (not in \`./check\`): velocity of the one that stops, of 10 m/s" "$(of "$left" 10)" 0.01
  checked gate "two equal bars, 8 times the elements (not in \`./check\`): velocity of the one that starts" "$(off "$right" 10)" 0.01
  for options in "-threads 2" "-threads 4" "-contact_search_method brute_force"; do
    "$impinge" run two_bars.yaml $options -output_file same.exo >same.log 2>&1
    ok "two bars, the same bits: $options" test "$(field fingerprint 2 bars.log)" = "$(field fingerprint 2 same.log)"
  done
  at_wall gate 2 0.1
  at_wall gate 5 0.1
  at_wall gate 5 1
  at_wall gate 2 1
fi

# ------------------------------------------------------------------------------------------------------- kinematic
runs kin_bars.log two_bars.yaml -contact_enforcement kinematic -output_file kin.exo
runs kin_ball.log ball_on_plate.yaml -contact_enforcement kinematic -contact_audit 40 -contact_record 60 \
  -output_file kin_ball.exo
mv contact_step_60.ipg step_kinematic.ipg
runs kin_wall.log wall.yaml -contact_enforcement kinematic
left=$(grep 'mean velocity.*left' kin_bars.log | awk '{print $5}') back=$(grep 'mean velocity.*left' kin_wall.log | awk '{print $5}')
checked expect_missed "kinematic: two equal bars, velocity of the one that stops, of 10 m/s" "$(of "$left" 10)" 0.01 0.04
checked expect_missed "kinematic: a bar hits a rigid wall, velocity after" "$(off "$back" -10)" 0.02 0.08
for run in bars ball wall; do
  ok "kinematic: momentum of the $run" below "$(field 'momentum error' 3 kin_$run.log)" 1e-10
  ok "kinematic: energy of the $run" below "$(field 'energy error' 3 kin_$run.log)" 0.01
  left=$(field 'penetration left' 3 kin_$run.log) # no line: none
  ok "kinematic: penetration of the $run" below "${left:-0}" 1e-6
done
ok "kinematic: a step is replayed" "$impinge" replay step_kinematic.ipg --audit
cp ok.log kinematic_replay.log
ok "kinematic: the replay is clean" grep -q "missed 0, wrong 0, inside 0" kinematic_replay.log
ok "kinematic: the replay projected" grep -Eq "^kinematic: [1-9]" kinematic_replay.log

# ------------------------------------------------------------------------------------------------ a recorded step
ok "a step is replayed" "$impinge" replay step_1.ipg --audit
cp ok.log replay.log
ok "its audit is clean" grep -q "missed 0, wrong 0, inside 0" replay.log
ok "it has contacts" grep -qE " contacts [1-9]" replay.log
ok "the same step recorded with two threads" cmp step_1.ipg step_2.ipg
for element in {1..400..40} {401..4000}; do # until one is on the surface and one inside
  "$impinge" replay step_1.ipg --element "$element" --side 2 --other-element "$element" --other-side 2 2>&1 |
    grep -E "^the faces|on the surface" >>faces.log
  if [ "$element" -ge 361 ] && grep -q "^the faces" faces.log && grep -q "on the surface" faces.log; then break; fi
done
ok "two faces are explained" grep -qx "the faces share a node or an element" faces.log
ok "what is inside is told" grep -qE ": side 2 of element [0-9]+ is not on the surface$" faces.log
for words in "--node 4" "--element 4" "--side 2" "--other-element 4" "--element 4 --other-side 2" \
  "--node 4 --element 4 --other-element 5"; do
  code=0
  "$impinge" replay step_1.ipg $words >half.log 2>&1 || code=$?
  ok "an incomplete pair of options is refused: $words" test "$code $(wc -l <half.log)" = "2 1"
  ok "in one sentence: $words" grep -q "give --element with either --node or --other-element" half.log
done
head -c 1000 step_1.ipg >cut.ipg
code=0
"$impinge" replay cut.ipg >cut.log 2>&1 || code=$?
ok "a recording that was cut off is refused" test $code -eq 1
ok "in one sentence" grep -q "the recorded step is cut off" cut.log

# ------------------------------------------------------------------------------------------------ initial penetration
ok "lower box" "$impinge" mesh box --size 1,1,1 --cell 0.5 --name lower -o lower.exo
ok "upper box" "$impinge" mesh box --size 0.4,0.4,0.5 --cell 0.2 --at 0,0,0.65 --name upper -o upper.exo
cat >penetration.yaml <<'DECK'
mesh: [lower.exo, upper.exo]
blocks:
  lower: {density: 1, young: 1}
  upper: {density: 1, young: 1, velocity: [0, 0, -0.1]}
contact: {audit: 1}
time: {end: 1}
output: {count: 1}
DECK
for word in report ignore remove; do
  runs penetration_$word.log penetration.yaml -contact_initial_penetration $word
  ok "energy of $word" below "$(field 'energy error' 3 penetration_$word.log)" 0.01
  ok "momentum of $word" below "$(field 'momentum error' 3 penetration_$word.log)" 1e-10
done
# Nothing gets deeper than the block moves, 0.1 in this time, beyond the 0.1 at the start. The summary has the largest contact energy of all steps in
# percent of the largest energy, which is the initial one within the 1 % of the energy balance.
runs deepest.log penetration.yaml -output_count 200 -output_file penetration.exo
recompute penetration.exo lower=1,1,0.3 upper=1,1,0.3
ok "the deepest penetration is printed" between "$(field 'deepest penetration' 3 deepest.log | tr -d ,)" 0.101 0.2
ok "the largest contact energy is printed" below \
  "$(minus "$(field 'contact energy' 6 deepest.log)" "$(awk '/^contact/ {print 100 * $2}' recomputed.log)")" 0.6
ok "reported once, before the first step" test "$(grep -nE "initial penetration| cycle " penetration_report.log | cut -d: -f2 | cut -c1-8 | xargs)" = "warning cycle"
ok "reported" grep -q "^warning: initial penetration of 10 nodes .* 0.1 below side .* of element" penetration_report.log
ok "ignored" grep -q "^initial penetration of 10 nodes" penetration_ignore.log
for word in report ignore; do
  ok "$word: each becomes a contact" grep -q "contacts activated 10$" penetration_$word.log
done
runs parting.log penetration.yaml -time_end 0.01 -blocks_upper_velocity 0,0,0.1
ok "what was there at the start is the deepest where bodies part" between "$(field 'deepest penetration' 3 parting.log | tr -d ,)" 0.0999 0.1001
ok "a run without results says so" grep -qx "no results are written: add output.file to the deck" parting.log
ok "and one with results does not" test "$(grep -c "no results" bars.log)" -eq 0
ok "removed" grep -q "^initial penetrations removed: 16 nodes moved" penetration_remove.log
ok "and none is left" test "$(grep -c "initial penetration of" penetration_remove.log)" -eq 0

# ---------------------------------------------------------------------------------------------------- the summary
runs peak.log penetration.yaml -blocks_upper_velocity 0,0,-1 -output_count 40 -time_end 2
ok "a run whose energy error is large before its end" below "$(field 'energy error' 3 peak.log)" 0.01
ok "has a warning" grep -q "^warning: the energy error is above 1 %, -1.3 % at time 0.15" peak.log
ok "good runs have no warning" test "$(cat bars.log wall.log ball_1.log kin_*.log | grep -c warning)" -eq 0
ok "floor" "$impinge" mesh box --size 0.04,0.02,0.005 --cell 0.0025 --name floor -o floor.exo
ok "sunk block" "$impinge" mesh box --size 0.01,0.01,0.005 --cell 0.0025 --at -0.01,0,0.00485 --name block -o sunk.exo
cat >sunk.yaml <<'DECK'
mesh: [floor.exo, sunk.exo]
blocks:
  floor: {density: 7800, young: 2.0e11}
  block: {density: 7800, young: 2.0e11}
time: {end: 4.0e-5}
output: {count: 5}
DECK
runs sunk.log sunk.yaml -contact_record 5000
ok "a sunk block stays at rest" grep -q "^energy error     - (all energy is rounding)" sunk.log
ok "a recording that was not written is reported" grep -q "^warning: -contact_record 5000 wrote nothing: the run has [0-9]* steps$" sunk.log
ok "far box" "$impinge" mesh box --size 1,1,1 --cell 0.2 --at 1000,0,0 --name box -o far.exo
cat >rest.yaml <<'DECK'
mesh: far.exo
blocks: {box: {density: 7800, young: 2.0e11}}
time: {end: 1.0e-3}
DECK
runs rest.log rest.yaml
ok "rounding at rest has no warning" test "$(grep -c warning rest.log)" -eq 0
ok "and no energy error" grep -q "^energy error     - " rest.log
ok "nor one in the status lines" test "$(awk '$1 + 0 > 0 && NF == 11 {print $8}' rest.log | sort -u)" = -
ok "the wall impulse is printed" below "$(awk '/^wall impulse/ {gave = $5} /^momentum before/ {before = $5}
  /^momentum after/ {after = $5} END {print gave < 0 ? (before + gave - after) / gave : 1}' wall.log)" 1e-9

# ------------------------------------------------------------------------------------------------------------- files
for colour in vel contact_force disp_z none; do
  runs picture.log penetration.yaml -output_file small.exo -output_picture small.png -output_colour $colour
  ok "a picture by $colour" grep -qx "picture          small.png" picture.log
done
cat >behind.yaml <<'DECK'
mesh: lower.exo
blocks: {lower: {density: 1, young: 1}}
contact: {walls: [[0, 0, -0.4, 0, 0, 1]]}
time: {end: 1}
DECK
for word in report ignore remove; do runs behind_$word.log behind.yaml -contact_initial_penetration $word; done
ok "a body behind a wall is reported" grep -q "^warning: initial penetration of 9 nodes behind rigid walls, .* 0.1 behind wall 1: " behind_report.log
ok "or ignored" grep -q "^initial penetration of 9 nodes behind rigid walls" behind_ignore.log
ok "and then stays at rest" grep -q "^energy error     - (all energy is rounding)" behind_ignore.log
ok "or moved onto the wall" grep -qx "initial penetrations removed: 9 nodes moved, by up to 0.1" behind_remove.log
ok "no contact in the whole run is told" grep -q "^no contact in the whole run" behind_remove.log
ok "and only then" test "$(grep -c "^no contact" behind_ignore.log)" -eq 0
rm -f small.exo small.png
runs view.log penetration.yaml -contact_view -ts_view -time_end 0.01
ok "-contact_view is honoured" grep -q "IpgContact Object" view.log
ok "-ts_view is honoured" grep -q "TS Object" view.log
code=0 # the results have room, the picture does not
(trap '' XFSZ; ulimit -f 40; export PMIX_MCA_gds=hash # MPI without large files of its own
  exec "$impinge" run penetration.yaml -output_file small.exo -output_picture full.png) >full.log 2>stderr.log || code=$?
ok "a run whose picture fails has normal termination" test "$code $(wc -c <stderr.log) $(tail -n 1 full.log)" = "0 0 normal termination"
ok "with a warning" grep -q "^warning: there is no picture: cannot write 'full.png': File too large" full.log
ok "and no part of it" test ! -e full.png
ok "a picture" test "$(od -An -tx1 -N4 ball_1.png | tr -d ' ')" = 89504e47
if command -v ncdump >/dev/null; then
  ncdump -h ball_1.exo >header.txt
  ok "21 steps" grep -q "time_step = UNLIMITED ; // (21 currently)" header.txt
  ncdump -v name_nod_var,name_glo_var,eb_names ball_1.exo >names.txt
  for name in disp_x vel_z contact_force_y kinetic_energy momentum_z ball plate; do
    ok "name $name" grep -q "\"$name\"" names.txt
  done
else
  skipped=$((skipped + 1)); echo "SKIPPED: header of the results: ncdump was not found"
fi
rm -rf help
mkdir -p help/examples
cp ball_on_plate.yaml help/examples
"$impinge" run --help >help.txt
ok "the help has -contact_record" grep -q -- "-contact_record N" help.txt
while read -r words; do
  case $words in run*) words="$words -time_end 1e-7" ;; esac # the first steps are enough
  ok "the help's example: impinge $words" env -C help "$impinge" $words
done < <(sed -n '/^example:/,$ s/^  impinge //p' help.txt)
ok "left a picture" test -s help/ball_on_plate.png
python=/usr/bin/python3
if [ -x $python ] && $python -c 'import vtk, numpy' 2>/dev/null; then
  ok "VTK opens the results and applies displacements" $python "$source/tests/vtk_reads_results.py" ball_1.exo
  cat ok.log
else
  skipped=$((skipped + 1)); echo "SKIPPED: VTK's reader: python3-vtk9 or python3-numpy was not found"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
