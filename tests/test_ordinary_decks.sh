#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Ordinary contact as `impinge run` gives it, with default settings: what test_ordinary.c and test_impacts.c examine
# step by step.
set -u
. "$(dirname "$0")/support/program.sh"

mesh() { "$impinge" mesh "$@" --force >mesh.log 2>&1 || { cat mesh.log; exit 1; }; }
figure() { # gate or expect_missed, name, figure, gate, at most
  if "$@"; then passed=$((passed + 1))
  else failed=$((failed + 1)); echo "FAILED: $2"; fi
}
runs() { # deck, options: leaves NAME.log
  "$impinge" run "$1.yaml" "${@:2}" >"$1.log" 2>&1
  check "$1: normal termination" grep -qx "normal termination" "$1.log"
}
field() { awk -v name="$1" -v n="$2" 'index($0, name) == 1 {print $n; exit}' "$3"; } # the n-th word of a line of a log
velocity() { awk -v block="$1" -v n="$2" '/^mean velocity/ && $NF == block {print $(2 + n)}' "$3"; }
# The largest energy error of all outputs: the log has it of the largest energy, here it is of the first.
energy_error() {
  awk '/^ *[0-9]+ / {e = $5 + $6 + $7; if (!first) first = e; if (e > most) most = e; last = most / first}
       /^energy error/ {print $10 * last}' "$1"
}

# Two boxes exactly flush; the upper one slides at 50 m/s.
mesh box --size 0.02,0.01,0.004 --cell 0.004 --name floor -o floor.exo
mesh box --size 0.012,0.006,0.004 --cell 0.004 --at 0,0,0.004 --name rider -o rider.exo
cat >flush.yaml <<'END'
mesh: [floor.exo, rider.exo]
blocks:
  floor: {density: 7800, young: 2.0e11, poisson: 0.3}
  rider: {density: 7800, young: 2.0e11, poisson: 0.3, velocity: [50, 0, 0]}
time: {end: 2.0e-4}
END
runs flush
figure gate "face-face: run of two flush boxes, one slides at 50 m/s: its velocity" "$(off "$(velocity rider 1 flush.log)" 50)" 1e-3
figure gate "face-face: run of two flush boxes, one slides at 50 m/s: its velocity upwards" "$(of "$(velocity rider 3 flush.log)" 50)" 1e-8

# A cube between two rigid walls at gap 0.
mesh box --size 0.01,0.01,0.01 --cell 0.005 --at 0,0,0.005 --name cube -o cube.exo
cat >walls.yaml <<'END'
mesh: cube.exo
blocks: {cube: {density: 7800, young: 2.0e11, poisson: 0.3, velocity: [0, 0, -1]}}
contact: {walls: [[0, 0, 0, 0, 0, 1], [0, 0, 0.01, 0, 0, -1]]}
time: {end: 4.8e-3}
output: {count: 40}
END
end=4.8e-3
[ "${IMPINGE_SIZE:-}" = quick ] && end=2e-4
runs walls -time_end $end
echo "$(field steps 2 walls.log) steps"
figure gate "face-face: run of a cube between two walls, 20,000 steps: energy, the largest error of 40 outputs" \
  "$(energy_error walls.log)" 0.01

# Two bars.
mesh bar --length 0.1 --width 0.02 --cell 0.005 --at 0,0,-0.05 --name left -o left.exo
mesh bar --length 0.1 --width 0.02 --cell 0.005 --at 0,0,0.0501 --name right -o right.exo
cat >bars.yaml <<'END'
mesh: [left.exo, right.exo]
blocks:
  left: {density: 7800, young: 2.0e11, poisson: 0, velocity: [0, 0, 10]}
  right: {density: 7800, young: 2.0e11, poisson: 0}
time: {end: 6.0e-5}
END
runs bars
figure gate "face-face: run of two equal bars: velocity of the one that starts" "$(off "$(velocity right 3 bars.log)" 10)" 0.01
figure gate "face-face: run of two equal bars: energy, the largest error of all outputs" "$(energy_error bars.log)" 0.01

# Blades of 1 mm, edge on edge.
mesh box --size 0.02,0.02,0.001 --cell 0.001 --name a -o a.exo
mesh box --size 0.02,0.001,0.02 --cell 0.00105 --at 0.0202,0,0 --name b -o b.exo
cat >blades.yaml <<'END'
mesh: [a.exo, b.exo]
blocks:
  a: {density: 7800, young: 2.0e11, poisson: 0.3}
  b: {density: 7800, young: 2.0e11, poisson: 0.3, velocity: [-200, 0, 0]}
time: {end: 1.5e-5}
END
runs blades
figure gate "face-face: run of blades of 1 mm edge on edge at 200 m/s: deepest penetration, of the thickness" \
  "$(of "$(field 'deepest penetration' 3 blades.log | tr -d ,)" 0.001)" 0.5

# Eight plates of 2 mm, pressed together by their motion, slide on each other with friction, every other one to the left.
cat >stack.yaml <<'END'
blocks:
END
plates=
for i in 0 1 2 3 4 5 6 7; do
  cell=$(awk -v i=$i 'BEGIN {print 0.002 - 0.00013 * (i % 3)}')
  mesh box --size 0.02,0.012,0.002 --cell "$cell" --at "$(awk -v i=$i 'BEGIN {print 0.0001 * (i % 3) ",0," 0.00202 * i}')" \
    --name p$i -o p$i.exo
  plates="$plates${plates:+, }p$i.exo"
  awk -v i=$i 'BEGIN {printf "  p%d: {density: 7800, young: 2.0e11, poisson: 0.3, velocity: [%d, %d, %d]}\n",
                      i, i % 2 ? -20 : 20, i % 3 ? -2 : 3, 14 - 4 * i}' >>stack.yaml
done
cat >>stack.yaml <<END
mesh: [$plates]
contact: {friction_static: 0.3}
time: {end: 1.5e-4}
END
runs stack
figure gate "face-face: run of eight plates that slide on each other, mu 0.3: energy, the largest error of all outputs" \
  "$(energy_error stack.log)" 0.005
figure gate "face-face: run of eight plates that slide on each other, mu 0.3: change of momentum, of the sum of m v" \
  "$(field 'momentum error' 3 stack.log)" 1e-10
check "stack: friction dissipates most of the energy" [ "$(awk '/^energy lost/ {print ($4 + 0 > 4)}' stack.log)" = 1 ]

# Two knives of 53 degrees, edge on edge, crosswise and a little off the middle.
mesh wedge --size 0.02,0.03,0.02 --cell 0.004 -o wedge.exo
"$impinge" join wedge.exo --name upper --translate 0.0001,0.00005,0.0101 wedge.exo --name lower --rotate 1,0,0,180 \
  --rotate 0,0,1,90 --translate 0,0,-0.0101 -o knives.exo --force >join.log 2>&1 || { cat join.log; exit 1; }
cat >knives.yaml <<'END'
mesh: knives.exo
blocks:
  upper: {density: 7800, young: 2.0e11, poisson: 0.3, velocity: [0, 0, -30]}
  lower: {density: 7800, young: 2.0e11, poisson: 0.3}
time: {end: 1.5e-4}
END
runs knives
figure gate "face-face: run of two knives that cross edge on edge at 30 m/s: energy, the largest error of all outputs" \
  "$(energy_error knives.log)" 0.01
check "knives: they repel each other" awk -v v="$(velocity upper 3 knives.log)" 'BEGIN {exit !(v > -25)}'

# Plates of 1 mm at four times the wave speed: all nodes of the upper one go through, and most of the lower one.
mesh box --size 0.012,0.012,0.001 --cell 0.001 --name lower -o lower.exo
mesh box --size 0.01,0.01,0.001 --cell 0.0011 --at 0.0003,0.0001,0.0015 --name upper -o upper.exo
cat >plates.yaml <<'END'
mesh: [lower.exo, upper.exo]
blocks:
  lower: {density: 7800, young: 2.0e11, poisson: 0.3}
  upper: {density: 7800, young: 2.0e11, poisson: 0.3, velocity: [0, 0, -20000]}
time: {end: 2.2e-7}
END
runs plates
line='^warning: at time [0-9.e-]+ node [0-9]+ went right through a body at \(.*\), by side [1-4] of element [0-9]+: shorten'
check "plates: the first nodes that pass, where and when" [ "$(grep -cE "$line" plates.log)" = 5 ]
check "plates: how many pass" [ "$(awk '/^nodes that went right through/ {print ($NF >= 200)}' plates.log)" = 1 ]
for deck in flush walls bars blades stack; do
  check "$deck: no node passes" [ "$(grep -c "right through" $deck.log)" = 0 ]
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
