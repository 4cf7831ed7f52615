#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# test_hosts.sh IMPINGE PLUGIN HOSTS SOURCE: programs that know nothing of contact get it by options alone. In each the same two
# elastic boxes collide; without contact they pass through each other.
plugin=$(realpath "$2") hosts=$(realpath "$3") source=$(realpath "$4")
. "$(dirname "$0")/support/program.sh"
moduli="-contact_moduli 83.3,83.3"
dll="-dll_append $plugin"
contact="$dll -contact -contact_mesh two.exo $moduli"
rk="-ts_type rk -ts_rk_type 4"

second() { "$hosts/host_second_order" "$@" >out.txt 2>err.txt; }
first() { "$hosts/host_first_order" "$@" >out.txt 2>err.txt; }
field() { awk -v name="$1" '/^velocities/ { for (i = 1; i < NF; ++i) if ($i == name) print $(i + 1) }' out.txt; }
passes_through() { "$@" && [ "$(field closest)" = -0.15500 ] && [ "$(field energy)" = 1.000000 ]; }
same_as_without() { # program, options: the library alone changes nothing
  "$@" && cp out.txt without.txt && "$@" $dll && cmp -s out.txt without.txt && [ ! -s err.txt ]
}
says() { # words, program, options: it fails, and says why
  local words=$1
  shift
  "$@"
  [ $? -ne 0 ] && grep -qF -- "$words" err.txt
}
prints() { # words, program, options
  local words=$1
  shift
  "$@" && cat out.txt err.txt | grep -qF -- "$words"
}

collisions=0 momentum=0 energy=0 least_force=1e9 most_force=0 deepest=0
larger_of() { awk -v a="$1" -v b="$2" 'BEGIN { if (a < 0) a = -a; if (b < 0) b = -b; print (a > b ? a : b) }'; }
collides() { # program, options: the worst figures of all are gated at the end
  "$@" -contact_view || return 1
  local now
  now=$(field force)
  is_number "$now" && is_number "$(field energy)" && is_number "$(field momentum)" || return 1
  momentum=$(larger_of "$momentum" "$(of "$(field momentum)" .25)")
  energy=$(larger_of "$energy" "$(minus "$(field energy)" 1)")
  least_force=$(awk -v a="$least_force" -v b="$now" 'BEGIN { print (a < b ? a : b) }')
  most_force=$(larger_of "$most_force" "$now")
  deepest=$(larger_of "$deepest" "$(of "$(sed -n 's/.*deepest node \(.*\)/\1/p' out.txt)" .25)")
  collisions=$((collisions + 1))
  between "$(field velocities)" -.3 -.15 # they part
}

# ---------------------------------------------------------------------------------------------------- the same collision
check "a mesh of the two boxes" succeeds mesh box --size 1,1,1 --cell .25 --at .5,.5,.5 -o box.exo
check "joined" succeeds join box.exo --name left box.exo --translate 1.02,.11,.07 --name right -o two.exo

check "second order: without contact they pass through" passes_through second
check "first order: without contact they pass through" passes_through first $rk -ts_adapt_type none
check "second order: the library alone changes nothing" same_as_without second
for form in halves interleaved split; do
  check "$form: the library alone changes nothing" same_as_without first -form $form
done

halves="-contact_density 1 -contact_layout halves"
check "second order: alpha2" collides second $contact
check "second order: impinge_cd" collides second $contact -ts_type impinge_cd
for type in "$rk" "-ts_type rk -ts_rk_type 3bs" "-ts_type rk -ts_rk_type 5dp" "-ts_type ssp"; do
  check "halves: $type" collides first $contact $halves $type -ts_adapt_type none
done
check "interleaved" collides first -form interleaved $contact -contact_density 1,1 -contact_layout interleaved $rk -ts_adapt_type none
check "implicit: cn" collides first -form implicit $contact -contact_layout halves -snes_mf -ksp_rtol 1e-8 -snes_rtol 1e-10
check "split: basicsymplectic" collides first -form split $contact -contact_density 1
check "steps that are rejected" collides first $contact $halves -ts_type rk -ts_rk_type 5dp -ts_rtol 1e-7 -ts_atol 1e-7 -ts_max_reject 100
check "TSSetUp before the options" collides first -set_up_early $contact $halves $rk -ts_adapt_type none
check "functions set after TSSetUp" collides first -functions_late $contact $halves $rk -ts_adapt_type none
check "evaluated again at the end of each step" collides first -evaluate_again $contact $halves $rk -ts_adapt_type none
check "steps that an event takes back" collides first -event $contact $halves $rk -ts_adapt_type none

check "nodes in another order, by coordinates" collides first -shuffle -write_coordinates nodes.vec $contact $halves \
  -contact_coordinates nodes.vec $rk -ts_adapt_type none
check "nodes in another order, by positions" collides first -shuffle -positions $contact $halves -contact_unknown position $rk -ts_adapt_type none
check "implicit and explicit parts" collides first -form imex $contact -contact_layout halves -snes_rtol 1e-10
check "accelerations of second order" collides second -accelerations $contact -contact_density 1
check "split and whole, Runge-Kutta" collides first -form split -also_whole $contact -contact_density 1 -contact_layout interleaved $rk -ts_adapt_type none
check "basicsymplectic of order 3" collides first -form split $contact -contact_density 1 -ts_basicsymplectic_type 3
check "in windows of time" collides first -windows $contact $halves $rk -ts_adapt_type none
check "two index sets" collides first -write_indices at $contact -contact_density 1 -contact_layout index_sets \
  -contact_displacement_indices at_u.is -contact_velocity_indices at_v.is $rk -ts_adapt_type none


# Fortran and Python; without either the others are tested, and the summary says so.
absent=
if command -v mpif90 >/dev/null; then
  # shellcheck disable=SC2046
  check "a program in Fortran" mpif90 -ffree-line-length-none "$source/host_fortran.F90" -o host_fortran \
    $(pkg-config --cflags --libs PETSc)
  in_fortran() { ./host_fortran "$@" >out.txt 2>err.txt; }
  check "Fortran: without contact they pass through" passes_through in_fortran -ts_adapt_type none
  check "Fortran" collides in_fortran $contact -contact_density 1 -contact_layout interleaved $rk -ts_adapt_type none
  check "Fortran: no layout" says "-contact_layout halves" in_fortran $contact
else absent="$absent mpif90"; fi
python=/usr/bin/python3
PYTHONPATH=$(ls -d /usr/lib/petscdir/*/*-real/lib/python3/dist-packages 2>/dev/null | tail -n 1)
export PYTHONPATH
if "$python" -c 'import petsc4py, numpy' 2>/dev/null; then
  in_python() { "$python" "$source/host_python.py" "$@" >out.txt 2>err.txt; }
  python_contact=${contact//$plugin/$(dirname "$plugin")/libimpinge_petsc4py.so}
  check "Python: without contact they pass through" passes_through in_python -ts_adapt_type none
  check "Python" collides in_python $python_contact $halves $rk -ts_adapt_type none
  check "Python: no layout" says "-contact_layout halves" in_python $python_contact
else absent="$absent petsc4py"; fi

check "all collided" [ "$collisions" -ge 22 ]
check "momentum" gate "by options alone, two boxes collide in all programs: change of momentum" "$momentum" 1e-10
check "energy" gate "by options alone, two boxes collide in all programs: energy" "$energy" .015
check "peak force" gate "by options alone, two boxes collide in all programs: peak force, largest over smallest" \
  "$(off "$most_force" "$least_force")" .02
check "penetration" gate "by options alone, two boxes collide in all programs: deepest penetration, in edges" "$deepest" .1

# ------------------------------------------------------------------------------------------------------------- in words
stays() { "$@" && grep -qE "^what is held has moved by (0.000e\+00|[0-9.]+e-1[2-9])$" out.txt && between "$(field velocities)" -.3 .1; }
check "what a residual holds stays" stays second -hold $contact
check "what a right-hand side holds stays" stays first -hold $contact $halves $rk -ts_adapt_type none -contact_fixed right_right
check "a node set that is not there" says "the mesh has no node set of this name" first $contact $halves -contact_fixed nowhere
check "a path with the word contact in it" eval 'mkdir -p my-contact_mesh && cp -P "$(dirname "$plugin")"/lib*.so* my-contact_mesh && \
  passes_through second -dll_append my-contact_mesh/libimpinge_petsc.so'
check "the wrong layout" says "-contact_layout interleaved does not fit" first $contact -contact_density 1 -contact_layout interleaved $rk
check "the wrong density" says "leave it out, or correct it" second $contact -contact_density 3
check "impinge_cd and another order" says "in the order of the mesh" second $contact -ts_type impinge_cd -contact_coordinates nodes.vec
check "a type that calls another function" says "contact" first -form split $contact -contact_density 1 -ts_type discgrad
check "no mesh" says "-contact needs to know the bodies" second $dll -contact
check "an absent file" says "cannot open 'absent.exo'" second $dll -contact -contact_mesh absent.exo
check "a mesh of something else" says "the program's vector has 250 nodes and the mesh 125" second $dll -contact -contact_mesh box.exo
check "no layout" says "-contact_layout halves" first $contact
check "an unknown layout" says "nodes halves interleaved index_sets" first $contact -contact_layout thirds
check "a layout that does not fit" says "leave it out" second $contact -contact_layout halves
check "no density" says "-contact_density" first $contact -contact_layout halves
check "too many densities" says "give one, or one for each of the 2 blocks" first $contact -contact_layout halves -contact_density 1,1,1
check "too few moduli" says "the mesh has 2" second $dll -contact -contact_mesh two.exo -contact_moduli 3
check "a misspelt option" says "-contact_frictoin_static is no option of contact" second $contact -contact_frictoin_static .1
check "contact that never runs" says "no time stepper ran with contact" second $dll -contact_mesh two.exo
check "contact that is switched off" passes_through second $contact -contact no
check "a type with steps of its own" says "contact does not run with -ts_type glle" first $contact $halves -ts_type glle
check "kinematic contact" says "-ts_type impinge_cd" second $contact -contact_enforcement kinematic
check "friction without velocities" says "from positions alone" first -form split $contact -contact_density 1 -contact_friction_static .2
check "not a number" says "node" first -not_a_number $contact $halves $rk -ts_adapt_type none
check "not a number later" says "that are not finite" first -breaks $contact $halves $rk -ts_adapt_type none
check "nodes that match nothing" says "is where no node of the program is" first -far_away -write_coordinates far.vec $contact $halves \
  -contact_coordinates far.vec
check "forward Euler" prints "forward Euler makes energy in contact" first $contact $halves -ts_type euler -ts_max_time .01
check "a step beyond what contact bears" prints "is longer than contact bears" first $contact $halves $rk -ts_adapt_type none -ts_dt .01
check "positions alone" prints "without friction and damping" first -form split $contact -contact_density 1
check "stiffness from masses" prints "follows from the masses and the first step" second $dll -contact -contact_mesh two.exo -ts_type impinge_cd
shows_options() {
  second $contact -ts_type impinge_cd -help && grep -q -- "-contact_layout" out.txt && grep -q -- "-contact_damping" out.txt
  local shown=$?
  : >out.txt
  return $shown
}
check "options are shown" shows_options
check "what is in contact, by name" prints "  left with right: " second $contact -contact_view -ts_max_time .15
check "nothing has come near" prints "  nothing has been in contact" second $contact -contact_view -ts_max_time .02
check "a line for every 50th step" prints "contact: step 150 time 0.15: 32 nodes" second $contact -contact_monitor 50 -ts_max_time .15
check "no option is left over" prints "There are no unused options" second $contact -contact_view -options_left

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] || exit 1
[ -z "$absent" ] || { echo "SKIPPED: hosts:$absent not found (petsc-dev, python3-petsc4py-real)"; exit 77; }
