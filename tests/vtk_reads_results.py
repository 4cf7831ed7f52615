#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
"""Sees a result file as ParaView does: through VTK's own Exodus II reader.

usage: vtk_reads_results.py results.exo
Checks that there are points, time steps, named blocks and displacements called disp_x, disp_y, disp_z, and that the
reader moves the points of the last step by exactly those. Prints one line of what it saw and ends with 0; with 1 and a
sentence if something is wrong; with 77 (skipped) where VTK is not installed.
"""
import sys

try:
    from vtkmodules.vtkIOExodus import vtkExodusIIReader
    from vtkmodules.util.numpy_support import vtk_to_numpy
    import numpy
except ImportError as missing:
    print(f"SKIPPED: VTK's Exodus reader is not installed ({missing})")
    sys.exit(77)


def fail(sentence):
    print(sentence)
    sys.exit(1)


def open_reader(path, displaced):
    reader = vtkExodusIIReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    reader.SetAllArrayStatus(vtkExodusIIReader.NODAL, 1)
    reader.SetApplyDisplacements(displaced)
    first, last = reader.GetTimeStepRange()
    reader.SetTimeStep(last)
    reader.Update()
    return reader


def leaves(data):
    """The grids of a tree of blocks that hold points."""
    for i in range(data.GetNumberOfBlocks()):
        block = data.GetBlock(i)
        if block is None:
            continue
        if hasattr(block, "GetNumberOfBlocks"):
            yield from leaves(block)
        elif block.GetNumberOfPoints():
            yield block


def check_motion(moved, still):
    """The largest displacement; the points must have moved by it, to a rounding or two."""
    disp = moved.GetPointData().GetArray("disp_")
    if disp is None:
        fail("VTK made no vector 'disp_' of disp_x, disp_y, disp_z: name the three fields so")
    disp = vtk_to_numpy(disp)
    here = vtk_to_numpy(moved.GetPoints().GetData())
    there = vtk_to_numpy(still.GetPoints().GetData())
    error = numpy.abs(here - there - disp).max()
    scale = max(numpy.abs(there).max(), numpy.abs(disp).max())
    if error > 1e-6 * scale:
        fail(f"VTK's points are {error} away from the reference plus the displacement")
    return numpy.abs(disp).max()


def main(path):
    moved, still = open_reader(path, 1), open_reader(path, 0)
    points = moved.GetNumberOfNodes()
    steps = moved.GetNumberOfTimeSteps()
    blocks = [
        moved.GetObjectName(vtkExodusIIReader.ELEM_BLOCK, i)
        for i in range(moved.GetNumberOfObjects(vtkExodusIIReader.ELEM_BLOCK))
    ]
    fields = [moved.GetPointResultArrayName(i) for i in range(moved.GetNumberOfPointResultArrays())]
    if points < 1 or steps < 1:
        fail(f"VTK sees {points} points and {steps} time steps in {path}")
    if not blocks or not all(blocks):
        fail(f"VTK sees blocks without names in {path}: {blocks}")
    pairs = list(zip(leaves(moved.GetOutput()), leaves(still.GetOutput())))
    if not pairs:
        fail(f"VTK sees no element in {path}")
    largest = max(check_motion(*pair) for pair in pairs)
    if not largest > 0:
        fail(f"every displacement of the last step in {path} is zero: nothing was seen to move")
    print(
        f"VTK sees {points} points, {steps} time steps, blocks {', '.join(blocks)}, fields {', '.join(fields)}, "
        f"displacements up to {largest:g}"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        fail("usage: vtk_reads_results.py results.exo")
    main(sys.argv[1])
