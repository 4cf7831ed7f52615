# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
"""The two boxes of two_bodies.h as a program in Python: y = (u, v), all displacements before all velocities."""
import sys

import petsc4py

petsc4py.init(sys.argv)
import numpy as np
from petsc4py import PETSc

CELLS, SIDE, DENSITY, YOUNG, POISSON, SPEED, GAP = 4, 5, 1.0, 100.0, 0.3, 0.25, 0.02
ORDERS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))


def make_box(offset):
    grid = np.arange(SIDE) / CELLS
    z, y, x = np.meshgrid(grid, grid, grid, indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1) + offset
    elements = []
    for cell in np.ndindex(CELLS, CELLS, CELLS):
        for number, order in enumerate(ORDERS):
            at, corners = list(cell), [cell]
            for axis in order:
                at[axis] += 1
                corners.append(tuple(at))
            nodes = [(k * SIDE + j) * SIDE + i for i, j, k in corners]
            if number >= 3:
                nodes[1], nodes[2] = nodes[2], nodes[1]
            elements.append(nodes)
    return points, np.array(elements)


class Bodies:
    def __init__(self):
        x0, e0 = make_box((0, 0, 0))
        x1, e1 = make_box((1 + GAP, 0.11, 0.07))
        self.x, self.elements = np.vstack([x0, x1]), np.vstack([e0, e1 + len(x0)])
        edges = self.x[self.elements[:, 1:]] - self.x[self.elements[:, :1]]
        self.volume = np.linalg.det(edges) / 6
        inverse = np.linalg.inv(edges)  # columns are the gradients of corners 1 to 3
        gradients = np.transpose(inverse, (0, 2, 1))
        self.gradients = np.concatenate([-gradients.sum(axis=1, keepdims=True), gradients], axis=1)
        self.mass = np.zeros(len(self.x))
        np.add.at(self.mass, self.elements, (DENSITY * self.volume / 4)[:, None])

    def forces(self, u):
        lame, mu = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
        grad = np.einsum("eci,ecj->eij", u[self.elements], self.gradients)
        stress = mu * (grad + np.transpose(grad, (0, 2, 1)))
        stress += lame * np.trace(grad, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        energy = 0.5 * np.sum(self.volume[:, None, None] * stress * grad)
        f = np.zeros_like(u)
        np.add.at(f, self.elements, -np.einsum("e,eij,ecj->eci", self.volume, stress, self.gradients))
        return f, energy


bodies = Bodies()
count, half = len(bodies.x), len(bodies.x) // 2
history = {"peak": 0.0, "closest": 1e30}


def split(y):
    return y[: 3 * count].reshape(-1, 3), y[3 * count :].reshape(-1, 3)


def right_side(ts, t, Y, G):
    u, v = split(Y.getArray(readonly=True))
    f, _ = bodies.forces(u)
    G.setArray(np.concatenate([v.ravel(), (f / bodies.mass[:, None]).ravel()]))


def watch(ts, step, t, Y):
    u, v = split(Y.getArray(readonly=True))
    momentum = bodies.mass[:half] @ v[:half, 0], bodies.mass[half:] @ v[half:, 0]
    front = np.max(bodies.x[:half, 0] + u[:half, 0]), np.min(bodies.x[half:, 0] + u[half:, 0])
    kinetic = 0.5 * np.sum(bodies.mass[:, None] * v * v)
    if "start" not in history:
        history["start"] = kinetic
    elif t > history["time"]:
        history["peak"] = max(history["peak"], (history["momentum"][0] - momentum[0]) / (t - history["time"]))
    history["closest"] = min(history["closest"], front[1] - front[0])
    history.update(time=t, momentum=momentum, kinetic=kinetic)


y = PETSc.Vec().createSeq(6 * count)
start = np.zeros((count, 3))
start[:half, 0], start[half:, 0] = SPEED, -SPEED
y.setArray(np.concatenate([np.zeros(3 * count), start.ravel()]))
ts = PETSc.TS().create(PETSc.COMM_SELF)
ts.setType(PETSc.TS.Type.RK)
ts.setRHSFunction(right_side)
ts.setTimeStep(0.001)
ts.setMaxTime(0.35)
ts.setMaxSteps(100000)
ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
ts.setMonitor(watch)
ts.setFromOptions()
ts.solve(y)
u, v = split(y.getArray(readonly=True))
momentum, energy = history["momentum"], history["kinetic"] + bodies.forces(u)[1]
print(
    "velocities %.6f %.6f momentum %.3e energy %.6f peak force %.5f closest %.5f"
    % (*momentum, sum(momentum), energy / history["start"], history["peak"], history["closest"])
)
ts.destroy()
