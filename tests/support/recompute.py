#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
"""Recomputes momentum and energy of a run from its result file, by other code than the program's.

    recompute.py RESULTS BLOCK=DENSITY,YOUNG,POISSON... [--impulse=X,Y,Z]

Masses are lumped from density and volume, momentum and kinetic energy come from the velocities, strain energy is that of
neo-Hookean material at the displaced nodes. Prints for all steps the largest

    kinetic, strain      difference of the program's energy from the recomputed one, of the initial energy
    energy               change of recomputed energies plus contact energy and losses as the file has them, of the
                         initial energy
    momentum             change of momentum, of the sum of m |v|; with the impulse that walls gave in the whole run, that
                         of the last step, less the impulse
    contact              contact energy as the file has it, of the initial energy

The file is read as text by ncdump."""
import math
import re
import subprocess
import sys


def read(path):
    text = subprocess.run(['ncdump', '-p', '9,17', path], check=True, capture_output=True, text=True).stdout
    values = {}
    for name, body in re.findall(r'^ (\w+) =\s*(.*?) ;$', text[text.index('\ndata:'):], re.M | re.S):
        if body.lstrip().startswith('"'):
            values[name] = re.findall(r'"(.*?)"', body)
        else:
            values[name] = [float(word) for word in body.replace(',', ' ').split()]
    return values


def determinant(m):
    return (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
            m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]))


def edges(points, tet):
    """Columns are the edges from the first corner."""
    return [[points[tet[c]][k] - points[tet[0]][k] for c in (1, 2, 3)] for k in range(3)]


def inverse(m):
    d = determinant(m)
    return [[(m[(j + 1) % 3][(i + 1) % 3] * m[(j + 2) % 3][(i + 2) % 3] -
              m[(j + 1) % 3][(i + 2) % 3] * m[(j + 2) % 3][(i + 1) % 3]) / d for j in range(3)] for i in range(3)]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def strain_density(f, young, poisson):
    mu, lame = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    j, square = determinant(f), sum(x * x for row in f for x in row)
    return mu / 2 * (square - 3) - mu * math.log(j) + lame / 2 * (j - 1) ** 2


def main(path, blocks, impulse):
    v = read(path)
    nodes = len(v['coordx'])
    rest = list(zip(v['coordx'], v['coordy'], v['coordz']))
    mass, tets = [0.0] * nodes, []
    for number, name in enumerate(v['eb_names'], 1):
        density, young, poisson = blocks[name]
        ids = [int(i) - 1 for i in v['connect%d' % number]]
        for tet in (ids[i:i + 4] for i in range(0, len(ids), 4)):
            volume = determinant(edges(rest, tet)) / 6
            tets.append((tet, volume, inverse(edges(rest, tet)), young, poisson))
            for node in tet:
                mass[node] += density * volume / 4
    field = {name: v['vals_nod_var%d' % i] for i, name in enumerate(v['name_nod_var'], 1)}
    names, steps = v['name_glo_var'], len(v['time_whole'])
    total = {name: v['vals_glo_var'][i::len(names)] for i, name in enumerate(names)}
    booked = ('contact_energy', 'spring_net_loss', 'friction_dissipation', 'damping_dissipation',
              'kinematic_dissipation')
    worst = dict.fromkeys(('kinetic', 'strain', 'energy', 'momentum', 'contact'), 0.0)
    for step in range(steps):
        at = lambda name: field[name][step * nodes:(step + 1) * nodes]
        speed = list(zip(at('vel_x'), at('vel_y'), at('vel_z')))
        x = [tuple(a + b for a, b in zip(p, u)) for p, u in zip(rest, zip(at('disp_x'), at('disp_y'), at('disp_z')))]
        kinetic = sum(0.5 * m * sum(c * c for c in s) for m, s in zip(mass, speed))
        strain = sum(volume * strain_density(product(edges(x, tet), shape), young, poisson)
                     for tet, volume, shape, young, poisson in tets)
        momentum = [sum(m * s[k] for m, s in zip(mass, speed)) for k in range(3)]
        size = sum(m * math.sqrt(sum(c * c for c in s)) for m, s in zip(mass, speed))
        energy = kinetic + strain + sum(total[name][step] for name in booked)
        if step == 0:
            first, start = energy, momentum
        change = math.dist(momentum, [a + b for a, b in zip(start, impulse or (0, 0, 0))])
        is_examined = size and (not impulse or step == steps - 1)
        for name, error in (('kinetic', (total['kinetic_energy'][step] - kinetic) / first),
                            ('strain', (total['strain_energy'][step] - strain) / first),
                            ('energy', (energy - first) / first),
                            ('momentum', change / size if is_examined else 0),
                            ('contact', total['contact_energy'][step] / first)):
            if not abs(error) <= worst[name]:  # also what is not a number
                worst[name] = abs(error)
    for name, error in worst.items():
        print('%-9s %.3e' % (name, error))


if __name__ == '__main__':
    given = [a for a in sys.argv[2:] if not a.startswith('--')]
    impulses = [[float(x) for x in a[len('--impulse='):].split(',')] for a in sys.argv[2:] if a.startswith('--impulse=')]
    main(sys.argv[1], {a.split('=')[0]: [float(x) for x in a.split('=')[1].split(',')] for a in given},
         impulses[0] if impulses else None)
