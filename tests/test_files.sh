#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# No file is lost: what may be replaced and what not, pipes and devices, full disks, runs that are killed, runs at the
# same time into one file; and what a result records about its run.
#
#     tests/test_files.sh path/to/impinge path/to/source
set -u
source=$(realpath "$2")
. "$(dirname "$0")/support/program.sh"
export SOURCE_DATE_EPOCH=1000000000 # the same run gives the same bytes
export OMPI_MCA_ess_singleton_isolated=1 # MPI starts faster

prints() { grep -qF -- "$1" out.txt; }
prints_line() { grep -qE -- "$1" out.txt; }
stops() { # exit code, words of the one sentence, arguments; unlike a refusal, a run has printed its first lines by then
  local code=$1 words=$2
  shift 2
  run "$code" "$@" || return
  sed -i '/Forwarding signal 25 to job/d' err.txt # MPI, of the signal that a file cannot grow
  [ "$(wc -l <err.txt)" -eq 1 ] && grep -qF -- "$words" err.txt
}
keeps() { # file, exit code, words, arguments: it stops, and the file is as it was
  local file=$1 before result=0
  before=$(cksum <"$file")
  shift
  stops "$@" || result=1
  [ "$(cksum <"$file")" = "$before" ] || { echo "$file has changed" >>err.txt; result=1; }
  return $result
}
runs() { run 0 run "$@" && [ ! -s err.txt ] && tail -n 1 out.txt | grep -qx "normal termination"; }
runs_without_results() { run 0 run "$@" && grep -qx "no results are written: add output.file to the deck" err.txt out.txt; }
no_parts() { [ -z "$(find . -name '.*.impinge-part')" ]; }
on_small_disk() { # kB, then a command: a file that cannot grow is a full disk. MPI does without large files of its own.
  local size=$1
  shift
  (trap '' XFSZ; ulimit -f "$size"; export PMIX_MCA_gds=hash; "$@")
}
in_background() { # name of its log, arguments; Open MPI needs a folder for each of them
  mkdir -p "mpi_$1"
  OMPI_MCA_orte_tmpdir_base=$PWD/mpi_$1 "$impinge" "${@:2}" >"$1.log" 2>"$1.err" &
}
wait_for_steps() { # file, number: until it has so many; no run takes minutes to get there
  local trial
  for trial in $(seq 1200); do
    "$impinge" info "$1" >out.txt 2>err.txt && [ "$(value_of out.txt "steps ")" != 0 ] &&
      [ "$(value_of out.txt "steps " | tr -d ,)" -ge "$2" ] && return
    sleep 0.05
  done
  return 1
}

"$impinge" mesh box --size 1,1,1 --cell 0.5 --name box -o box.exo >/dev/null || exit 1
"$impinge" mesh ball --radius 1 --cell 0.5 -o ball.exo >/dev/null || exit 1
cp box.exo box.kept
echo "my notes" >notes.exo
mkfifo pipe.exo
mkdir folder.exo
ln -s nowhere dangling.exo
# A device that is ours: a program with a mistake would replace it, and root could not do without /dev/null. Who may not
# make one may not replace one either.
device=$PWD/device.exo
mknod device.exo c 1 7 2>/dev/null || device=
[ -n "$device" ] || [ "$(id -u)" -eq 0 ] || [ ! -c /dev/full ] || { device=$PWD/device.exo; ln -s /dev/full device.exo; }
[ -n "$device" ] || echo "SKIPPED: a device as output: mknod is refused, and root could replace /dev/full, or it is not there"
cat >small.yaml <<'END'
title: A box at rest
mesh: box.exo
blocks: {box: {density: 1, young: 1, poisson: 0.3}}
time: {end: 1}
output: {file: small.exo, count: 2}
END

sed '/^output/d' small.yaml >no_output.yaml

# ------------------------------------------------------------------------------------------ what is no file, as output
ball="mesh ball --radius 1 --cell 1"
for command in "$ball" "join box.exo" "picture box.exo"; do
  name=${command%% *}
  check "$name: a pipe" refuses 1 "'pipe.exo': it is a pipe: give the name of a file" $command -o pipe.exo
  check "$name: a folder" refuses 1 "'folder.exo': it is a folder" $command -o folder.exo
  check "$name: a folder, by force" refuses 1 "'folder.exo': it is a folder" $command -o folder.exo --force
  check "$name: no name in a folder" refuses $([ "$name" = picture ] && echo 1 || echo 2) "'folder.exo/'" $command -o folder.exo/
  [ -z "$device" ] || check "$name: a device" refuses 1 "'$device': it is a device" $command -o "$device"
  [ -z "$device" ] || check "$name: a device, by force" refuses 1 "'$device': it is a device" $command -o "$device" --force
  check "$name: a link to nothing" refuses 1 "does not exist" $command -o dangling.exo
  check "$name: a file of others" keeps notes.exo 1 "'notes.exo' exists" $command -o notes.exo
  check "$name: its own name is free" [ ! -e x ]
done
for output in -output_file -output_picture; do
  check "run $output: a pipe" stops 1 "'pipe.exo': it is a pipe" run small.yaml $output pipe.exo
  [ -z "$device" ] || check "run $output: a device" stops 1 "'$device': it is a device" run small.yaml $output "$device"
  check "run $output: a folder" stops 1 "'folder.exo': it is a folder" run small.yaml $output folder.exo --force
done
check "nothing is left of refusals" no_parts

# ------------------------------------------------------------------------------------------- what is no file, as input
sed 's/box.exo/pipe.exo/' small.yaml >of_pipe.yaml
hangs_not() { timeout 20 "$impinge" "${@:3}" >out.txt 2>err.txt; [ $? -eq "$1" ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -qF -- "$2" err.txt; }
check "info of a pipe" hangs_not 1 "'pipe.exo' is a pipe: give the name of a file" info pipe.exo
check "info --deck of a pipe" hangs_not 1 "'pipe.exo' is a pipe" info --deck pipe.exo
check "diff with a pipe" hangs_not 2 "'pipe.exo' is a pipe" diff box.exo pipe.exo
check "picture of a pipe" hangs_not 1 "'pipe.exo' is a pipe" picture pipe.exo -o x.png
check "join of a pipe" hangs_not 1 "'pipe.exo' is a pipe" join box.exo pipe.exo -o x.exo
check "replay of a pipe" hangs_not 1 "'pipe.exo' is a pipe" replay pipe.exo
check "replay of a folder" hangs_not 1 "'folder.exo' is a folder" replay folder.exo
check "a deck that is a pipe" hangs_not 1 "'pipe.exo' is a pipe" run pipe.exo
check "a deck that is a folder" hangs_not 1 "'folder.exo' is a folder" run folder.exo
check "a mesh that is a pipe" hangs_not 1 "'pipe.exo' is a pipe" run of_pipe.yaml
head -c 2000000 /dev/zero | tr '\0' '#' >large.yaml
check "a deck that is too large" stops 1 "2000000 bytes, and 1048576 are allowed" run large.yaml
iconv -t UTF-16 small.yaml >utf16.yaml
check "a deck that is not UTF-8" stops 1 "save it as UTF-8" run utf16.yaml

# ----------------------------------------------------------------------------------------------------- mesh and join
: >empty.exo
check "an empty file is replaced" succeeds $ball -o empty.exo
chmod 640 empty.exo
check "a file that is replaced by force" succeeds $ball -o empty.exo --force
check "keeps who may read it" [ "$(stat -c %a empty.exo)" = 640 ]
mkdir -p far && cp ball.exo far/target.exo && ln -s far/target.exo link.exo
check "a link is followed" succeeds $ball -o link.exo --force
check "it is still a link, to the new mesh" eval '[ -L link.exo ] && cmp -s far/target.exo empty.exo'
check "a full disk: mesh" on_small_disk 4 keeps box.exo 1 "cannot write" mesh ball --radius 1 --cell 0.2 -o box.exo --force
check "says that the disk may be full" grep -q "'box.exo': make sure that the disk has room" err.txt
check "a full disk: join" on_small_disk 4 keeps box.exo 1 "make sure that the disk has room" join ball.exo -o box.exo --force
check "a full disk: picture" on_small_disk 4 stops 1 "'x.png': File too large" picture ball.exo -o x.png
check "a full disk leaves nothing" eval 'no_parts && [ ! -e x.png ]'

# ------------------------------------------------------------------------------------------------- a run and its files
check "a run" runs small.yaml
cp small.exo first.exo
check "the same run again replaces its result" runs small.yaml
check "with the same bytes, for the date is given" cmp first.exo small.exo
SOURCE_DATE_EPOCH=1000000001 run 0 run small.yaml
check "the date is recorded" eval '! cmp -s first.exo small.exo'
check "and nothing else differs for diff" succeeds diff first.exo small.exo --relative 0
for date in abc -5 0x10 1e9 " 5" 253402300800 99999999999999999999 67768036191676799; do
  SOURCE_DATE_EPOCH=$date check "no date: '$date'" keeps small.exo 1 "SOURCE_DATE_EPOCH is '$date'; it must be a whole number of seconds, 0 to 253402300799" run small.yaml
done
for date in 0 253402300799; do
  SOURCE_DATE_EPOCH=$date check "a date: $date" runs small.yaml
  succeeds info small.exo
  check "is recorded: $date" prints_line "^written by .* $(date -u -d "@$date" +'%Y-%m-%d %H:%M:%S') UTC$"
done
SOURCE_DATE_EPOCH="" check "an empty date" runs small.yaml
succeeds info small.exo
check "is none: the date is that of today" prints_line "^written by .* $(date -u +%Y)-"
sed -i 's/count: 2/count: 3/' small.yaml
check "an edited deck replaces its result" runs small.yaml
run 0 info small.exo
check "and has the new number of steps" says "steps " 4,
mkdir -p other && sed 's/mesh: .*/mesh: box.exo/' small.yaml >other/small.yaml
check "another deck of the same name" keeps small.exo 1 "'small.exo' exists and was not made from 'other/small.yaml': give another name, or --force" run other/small.yaml
check "the same deck by another path" runs "$PWD/other/../small.yaml"
check "a text" keeps notes.exo 1 "'notes.exo' exists and was not made from 'small.yaml'" run small.yaml -output_file notes.exo
check "a mesh" keeps ball.exo 1 "'ball.exo' exists and was not made from" run small.yaml -output_file ball.exo
check "its own mesh, by force" keeps box.exo 1 "output.file is the mesh 'box.exo', which would be overwritten" run small.yaml -output_file ./box.exo --force
cp small.yaml deck.exo
check "its own deck, by force" keeps deck.exo 1 "output.file is the deck" run deck.exo -output_file ./deck.exo --force
check "its own mesh as picture, by force" keeps box.exo 1 "output.picture is the mesh" run small.yaml -output_picture ./box.exo --force
check "its own deck as picture, by force" keeps small.yaml 1 "output.picture is the deck" run small.yaml -output_picture ./small.yaml --force
check "a text as picture" keeps notes.exo 1 "'notes.exo' exists and was not made from" run small.yaml -output_picture notes.exo
check "result and picture are one new file" stops 1 "are the same" run small.yaml -output_file new.exo -output_picture ./new.exo
check "result and picture are one file" keeps small.exo 1 "are the same" run small.yaml -output_picture ./small.exo
cp notes.exo spare.exo
check "a text, by force" runs small.yaml -output_file spare.exo --force
check "is the result now" succeeds info spare.exo
check "a result that is joined is a mesh" succeeds join small.exo --step last -o joined.exo
check "and no result of the deck" keeps joined.exo 1 "was not made from" run small.yaml -output_file joined.exo
succeeds info joined.exo
check "nor says so" eval '! grep -q "^deck \|^run " out.txt'
check "a recorded step" runs small.yaml -contact_record 2
check "is not replaced" keeps contact_step_2.ipg 1 "'contact_step_2.ipg' exists: give another name, or --force" run small.yaml -contact_record 2
check "but by force" runs small.yaml -contact_record 2 --force

# ---------------------------------------------------------------------------------------------------------- pictures
if built_with picture; then
  check "a run with a picture" runs small.yaml -output_picture small.png
  check "the same again" runs small.yaml -output_picture small.png
  check "another result of the deck" runs small.yaml -output_picture small.png -output_file small2.exo
  check "drawn again from the result" succeeds picture small.exo --from 1,0,0 -o small.png
  check "not from another file" keeps small.png 1 "'small.png' exists and was not made from 'box.exo'" picture box.exo -o small.png
  check "nor by another deck" keeps small.png 1 "was not made from 'other/small.yaml'" run other/small.yaml -output_file of_other.exo -output_picture small.png
  check "which has written no result then" [ ! -e of_other.exo ]
  check "a result over a picture" keeps small.png 2 "ends in .exo" run small.yaml -output_file small.png
  check "by force" succeeds picture box.exo -o small.png --force
  check "then it is of that file" succeeds picture box.exo --from 0,1,0 -o small.png
  (cd folder.exo && "$impinge" picture ../box.exo -o ../small.png >../out.txt 2>../err.txt)
  check "of the same file from another folder" [ $? -eq 0 ]
  cp box.exo bax.exo
  check "not from a file whose name has one other letter" keeps small.png 1 "'small.png' exists" picture bax.exo -o small.png
  if command -v python3 >/dev/null; then
    check "every part of the picture has its checksum" python3 -c '
import struct, zlib
data, at, names = open("small.png", "rb").read(), 8, []
while at < len(data):
    size, name = struct.unpack(">I4s", data[at:at + 8])
    assert zlib.crc32(data[at + 4:at + 8 + size]) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0], name
    names, at = names + [name], at + 12 + size
assert names[:2] == [b"IHDR", b"iTXt"] and names[-1] == b"IEND", names'
  else echo "SKIPPED: checksums of a picture: python3 was not found"; fi
  check "a picture over its result, by force" keeps small.exo 1 "is an input file" picture small.exo -o ./small.exo --force
  check "a picture that others made" eval 'head -c 33 small.png >foreign.png && tail -c 12 small.png >>foreign.png'
  check "is kept" keeps foreign.png 1 "'foreign.png' exists and was not made from" picture box.exo -o foreign.png
fi
check "no part of a file is left" no_parts

# ---------------------------------------------------------------------------------------------- what a result records
printf 'title: Recorded\t# a tab   \nmesh: box.exo\r\nblocks: {box: {density: 1, young: 1}}   \ntime: {end: 1}\n\n# %s\n# %s\nthreads: 1 # no new line here: \\' \
  "$(printf 'é%.0s' {1..100})" "$(printf 'x%.0s' {1..76})" >records.yaml
printf '\n#%s' "$(printf 'y%.0s' {1..78})" >>records.yaml # a last line that fills its record
check "a deck with long and odd lines" runs records.yaml -output_file records.exo -contact_search_margin 0.3
check "info of it" succeeds info records.exo
check "title" prints_line '^title  *Recorded$'
check "program, version, commit, date" prints_line '^written by  *impinge [0-9.]+, commit [0-9a-z-]+, 2001-09-09 01:46:40 UTC$'
check "deck" prints_line '^deck  *records.yaml, 9 lines '
check "options" prints_line '^options  *-contact_search_margin 0.3 -output_file records.exo$'
check "complete" prints_line '^run  *complete, to its end at t = 1$'
check "the deck is given back" succeeds info --deck records.exo
check "to the byte" cmp out.txt records.yaml
mkdir -p again && cp box.exo again && cp out.txt again/records.yaml
check "a run of it" env -C again "$impinge" run records.yaml -output_file records.exo -contact_search_margin 0.3
check "has the same bytes" cmp records.exo again/records.exo
(cd far && "$impinge" run ../records.yaml -output_file ../far/r.exo >../out.txt 2>../err.txt)
check "a deck in another folder" [ $? -eq 0 ]
succeeds info far/r.exo
check "is named as seen from the result" prints_line '^deck  *\.\./records.yaml, '
sed 's/^title.*//' small.yaml >untitled.yaml
check "a deck without a title" runs untitled.yaml -output_file untitled.exo
succeeds info untitled.exo
check "has its name as title" prints_line '^title  *untitled.yaml$'
check "a long title" runs small.yaml -title "x$(printf 'é%.0s' {1..90})" -output_file long.exo
succeeds info long.exo
check "ends with a whole letter" prints_line "^title  *x$(printf 'é%.0s' {1..39})$"
check "a mesh has no deck" refuses 1 "records no deck" info --deck box.exo
sed 's/box.exo/small.exo/; s/small.exo, count/next.exo, count/' small.yaml >next.yaml
check "a result as mesh" runs next.yaml
run 0 info --deck next.exo
check "the new result has the new deck" cmp out.txt next.yaml
if command -v ncdump >/dev/null; then
  ncdump -v info_records records.exo >records.txt
  check "the records can be read without Impinge" grep -q '"blocks: {box: {density: 1, young: 1}}   |' records.txt
  check "and the end time" grep -q '"end time 1|' records.txt
else echo "SKIPPED: records as others read them: ncdump was not found"; fi

# ------------------------------------------------------------------------------------------------- where meshes are
mkdir -p decks && mv box.exo decks/box.exo && sed 's/small.exo/beside.exo/' small.yaml >decks/beside.yaml
check "a mesh beside the deck" runs decks/beside.yaml
check "the result is in the current folder" eval '[ -e beside.exo ] && [ ! -e decks/beside.exo ]'
check "nothing is said about meshes" eval '! prints "beside the deck"'
cp ball.exo box.exo
check "a mesh in both folders: the one beside the deck" runs decks/beside.yaml
check "with a note" prints "mesh 'decks/box.exo' is read, not 'box.exo' of the current folder"
mv decks/box.exo box.exo
check "a mesh in the current folder" runs decks/beside.yaml
mv box.exo elsewhere.exo
check "a mesh in neither" stops 1 "there is no mesh 'box.exo', neither beside the deck ('decks/box.exo') nor in the current folder ('$(pwd -P)')" run decks/beside.yaml
check "a mesh of the command line is in the current folder" runs decks/beside.yaml -mesh elsewhere.exo
cp elsewhere.exo decks/only.exo
check "and not beside the deck" stops 1 "'only.exo'" run decks/beside.yaml -mesh only.exo
mv elsewhere.exo box.exo
check "the mesh is as it was" cmp box.exo box.kept

# -------------------------------------------------------------------------------------------------- runs without end
cat >long.yaml <<'END'
mesh: box.exo
blocks: {box: {density: 1, young: 1, velocity: [0.1, 0, 0]}}
time: {end: 1.0e+6}
output: {file: long_run.exo, picture: long_run.png, count: 100000}
END
in_background long run long.yaml
long=$!
trap 'kill -9 $long 2>/dev/null; rm -rf "$scratch"' EXIT
check "a long run writes steps" wait_for_steps long_run.exo 3
check "info says that it is running" prints_line '^run  *not complete yet, it is writing this file: [0-9]+ steps, the last at t = [0-9.]+ of 1e\+06$'
check "a second run of the deck is refused" stops 1 "'long_run.png' is being written by another process: wait until it has ended" run long.yaml
check "a second run into its file" stops 1 "'long_run.exo' is being written by another process" run small.yaml -output_file long_run.exo --force
check "a second run of the deck into its file" stops 1 "'long_run.exo' is being written by another process" run long.yaml -output_picture two.png
check "a mesh into its file" refuses 1 "long_run.exo' is being written" $ball -o ./long_run.exo --force
check "a picture into its picture" refuses 1 "'long_run.png' is being written" picture box.exo -o long_run.png --force
check "the first run goes on" kill -0 $long
check "and writes" wait_for_steps long_run.exo 10
kill -9 $long
wait $long 2>/dev/null
trap 'rm -rf "$scratch"' EXIT
check "a killed run" succeeds info long_run.exo
check "says so to info" prints_line '^run  *NOT COMPLETE, it was stopped or failed: [0-9]+ steps, the last at t = '
check "with its deck" succeeds info --deck long_run.exo
check "to the byte" cmp out.txt long.yaml
if command -v ncdump >/dev/null; then check "ncdump reads it" eval 'ncdump -v time_whole long_run.exo >/dev/null'
else echo "SKIPPED: ncdump reads a killed run: ncdump was not found"; fi
python=/usr/bin/python3
if [ -x $python ] && $python -c 'import vtk, numpy' 2>/dev/null; then
  check "VTK reads it" $python -c '
import vtk
r = vtk.vtkExodusIIReader(); r.SetFileName("long_run.exo"); r.UpdateInformation(); r.UpdateTimeStep(2) if hasattr(r, "UpdateTimeStep") else r.Update()
assert r.GetNumberOfTimeSteps() >= 10'
else echo "SKIPPED: VTK's reader: python3-vtk9 or python3-numpy was not found"; fi
check "its lock ended with it" runs long.yaml -time_end 1 -output_count 2
check "which is complete" eval 'succeeds info long_run.exo && prints_line "^run  *complete"'
check "and left no parts" no_parts

sed '/^output/d' long.yaml >record.yaml
rm -f contact_step_3.ipg
in_background recorder run record.yaml -contact_record 3
recorder=$!
trap 'kill -9 $recorder 2>/dev/null; rm -rf "$scratch"' EXIT
wait_for_file() { local trial; for trial in $(seq 1200); do [ -e "$1" ] && return; sleep 0.05; done; return 1; }
check "a long run records a step" wait_for_file contact_step_3.ipg
check "a second run that would record it" keeps contact_step_3.ipg 1 "'contact_step_3.ipg' is being written by another process: wait until it has ended" run no_output.yaml -contact_record 3 --force
kill -9 $recorder
wait $recorder 2>/dev/null
in_background recorder run record.yaml -contact_record 900000000
recorder=$!
check "a long run that has not come to its step" wait_for_file .contact_step_900000000.ipg.impinge-part
check "holds its name" stops 1 "'contact_step_900000000.ipg' is being written by another process" run no_output.yaml -contact_record 900000000
kill -9 $recorder
wait $recorder 2>/dev/null
trap 'rm -rf "$scratch"' EXIT
check "the name is free then" runs_without_results no_output.yaml -contact_record 900000000
check "and left no parts of recordings" no_parts

# ------------------------------------------------------------------------------------------- what others do meanwhile
sed 's/1.0e+6/10000/; s/100000/200/; s/, picture: long_run.png//' long.yaml >gone.yaml
in_background gone run gone.yaml -output_file gone.exo
gone=$!
check "a run whose results are removed" wait_for_steps gone.exo 2
rm gone.exo
wait $gone
check "fails at its end" [ $? -eq 1 ]
check "and says so" grep -qx "impinge run: 'gone.exo' was removed, moved or replaced while the run wrote it: run again" gone.err
rm -f small.exo
ln box.exo .small.exo.impinge-part # as a copy of a folder by links would have it
check "a part that is another file too" runs small.yaml
check "leaves the other as it was" cmp box.exo box.kept

# ------------------------------------------------------------------------------------------------------ recorded steps
cp box.exo contact_step_2.ipg
check "a recording over the mesh" keeps contact_step_2.ipg 1 "-contact_record would overwrite the mesh" run small.yaml -mesh contact_step_2.ipg -output_file recorded.exo -contact_record 2 --force
rm contact_step_2.ipg
cp small.yaml contact_step_2.ipg
check "a recording over the deck" keeps contact_step_2.ipg 1 "-contact_record would overwrite the deck" run contact_step_2.ipg -output_file recorded.exo -contact_record 2 --force
rm contact_step_2.ipg
check "a replay of a mesh" refuses 1 "box.exo: this is no recorded contact step: give the file of one, contact_step_N.ipg" replay box.exo
check "a recording" runs small.yaml -contact_record 2 --force
check "which is there" [ -s contact_step_2.ipg ]
check "a recording on a full disk" on_small_disk 2 keeps contact_step_2.ipg 1 "cannot write 'contact_step_2.ipg': the disk may be full" run no_output.yaml -contact_record 2 --force
check "and leaves no part" no_parts

# ---------------------------------------------------------------------------------------------------------- many blocks
blocks=90 # of 6 values each. The sanitizers take minutes for so many blocks, inside the library that writes them.
[ "${IMPINGE_SIZE:-}" = quick ] && blocks=4
many=()
for i in $(seq $blocks); do many+=(box.exo --name "box_$i" --translate "$((2 * i)),0,0"); done
check "$blocks bodies" succeeds join "${many[@]}" -o many.exo
{
  printf 'mesh: many.exo\nblocks:\n'
  for i in $(seq $blocks); do
    echo "  box_$i: {material: neo_hookean, density: 1, young: 1, poisson: 0.2, thickness: 0, velocity: [0, 0, 1]}"
  done
  printf 'time: {end: 0.1}\noutput: {count: 1}\n'
} >many.yaml
moving() { [ "$(grep -c 'mean velocity .* 1.000000e+00  of block' out.txt)" -eq "$1" ]; }
check "a deck with more values than PETSc holds options" runs_without_results many.yaml
check "all blocks move" moving $blocks
check "the command line overrides one" runs_without_results many.yaml -blocks_box_3_velocity 0,0,2
check "and no other" moving $((blocks - 1))

# ------------------------------------------------------------------------------------------------------- full disks
check "a result of the deck" runs small.yaml
check "a full disk before the first step" on_small_disk 8 keeps small.exo 1 "cannot write" run small.yaml
check "says that the disk may be full" grep -q "'small.exo': make sure that the disk has room, then write again" err.txt
check "and leaves nothing" no_parts
check "a full disk later" on_small_disk 30 stops 1 "cannot write a step to 'small.exo': make sure that the disk has room" run small.yaml -output_count 100 -time_end 100
check "the steps before it are there" succeeds info small.exo
check "and are not complete" prints_line '^run  *NOT COMPLETE, it was stopped or failed: [1-9][0-9]* steps, '
check "the next run is" eval 'runs small.yaml && succeeds info small.exo && prints_line "^run  *complete"'

# ------------------------------------------------------------------------------------------------------ many at once
cat >race.yaml <<'END'
mesh: box.exo
blocks: {box: {density: 1, young: 1, velocity: [0.1, 0, 0]}}
time: {end: 300}
output: {file: race.exo, count: 40}
END
check "a run alone" runs race.yaml
mv race.exo alone.exo
rounds="1 2 3"
[ "${IMPINGE_SIZE:-}" = quick ] && rounds=1
for round in $rounds; do
  pids=()
  for i in 1 2 3 4; do in_background "race$i" run race.yaml && pids+=($!); done
  finished=0 refused=0
  for i in 1 2 3 4; do
    wait "${pids[i - 1]}"
    case $? in
      0) finished=$((finished + 1)) ;;
      1) grep -q "'race.exo' is being written by another process: wait" "race$i.err" && refused=$((refused + 1)) ;;
    esac
  done
  echo "four at once: $finished finished, $refused were refused"
  check "round $round: each run finishes or is refused" [ $((finished + refused)) -eq 4 ]
  check "round $round: one of them finishes" [ $finished -ge 1 ]
  check "round $round: the result is that of one run" cmp alone.exo race.exo
done
check "no part is left of them" no_parts

# ------------------------------------------------------------------------------------------------------ the checkout
check "docs/files.md has the output of the program" diff "$source/docs/files.md" <("$source/docs/replay.sh" "$impinge" "$source/docs/files.md")
# Its README's commands are given in the checkout, and leave nothing that git would show.
if git -C "$source" rev-parse --git-dir >/dev/null 2>&1; then
  written=$(sed -n '/^```sh/,/^```/s/.* -o \([^ ]*\).*/\1/p' "$source/README.md" | sort -u)
  results=$(awk '$1 == "file:" || $1 == "picture:" {print $2}' "$source"/examples/*.yaml)
  check "the README writes files" [ "$(echo $written | wc -w)" -ge 4 ]
  for file in $written $results contact_step_3.ipg; do
    check "git ignores $file" git -C "$source" check-ignore -q "$file"
  done
  check "and not the examples and pictures of the project" eval '! git -C "$source" check-ignore -q --no-index examples/hello.c docs/pictures/new.png'
else echo "these are no sources of git: there is nothing that it could show"; fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
