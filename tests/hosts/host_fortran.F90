! SPDX-License-Identifier: BSD-2-Clause
! SPDX-FileCopyrightText: 2026 the Impinge founders
!
! The two boxes of two_bodies.h as a program in Fortran: y = (u, v), displacements and velocities of each node side by
! side.
#include <petsc/finclude/petscts.h>

module bodies
  use petscts
  implicit none
  integer, parameter :: cells = 4, side = cells + 1, nodes = 2 * side**3, elements = 12 * cells**3
  double precision, parameter :: density = 1, young = 100, poisson = 0.3d0, speed = 0.25d0, gap = 0.02d0
  double precision :: x(3, nodes), mass(nodes), gradients(3, 4, elements), volume(elements)
  integer :: corners(4, elements)
  double precision :: seen_time = -1, momentum(2), kinetic, start_energy = 0, peak = 0, closest = 1d30

contains

  integer function node_at(body, at)
    integer, intent(in) :: body, at(3)
    node_at = ((body * side + at(3)) * side + at(2)) * side + at(1) + 1
  end function

  subroutine make_bodies()
    integer, parameter :: orders(3, 6) = reshape([1, 2, 3, 2, 3, 1, 3, 1, 2, 1, 3, 2, 3, 2, 1, 2, 1, 3], [3, 6])
    integer :: body, i, j, k, o, c, e, at(3), swap
    e = 0
    do body = 0, 1
      do k = 0, cells
        do j = 0, cells
          do i = 0, cells
            x(:, node_at(body, [i, j, k])) = dble([i, j, k]) / cells + body * [1 + gap, 0.11d0, 0.07d0]
          end do
        end do
      end do
      do k = 0, cells - 1
        do j = 0, cells - 1
          do i = 0, cells - 1
            do o = 1, 6
              e = e + 1
              at = [i, j, k]
              corners(1, e) = node_at(body, at)
              do c = 1, 3
                at(orders(c, o)) = at(orders(c, o)) + 1
                corners(c + 1, e) = node_at(body, at)
              end do
              if (o <= 3) cycle
              swap = corners(2, e)
              corners(2, e) = corners(3, e)
              corners(3, e) = swap
            end do
          end do
        end do
      end do
    end do
    mass = 0
    do e = 1, elements
      call prepare(e)
    end do
  end subroutine

  function cross(a, b)
    double precision, intent(in) :: a(3), b(3)
    double precision :: cross(3)
    cross = [a(2) * b(3) - a(3) * b(2), a(3) * b(1) - a(1) * b(3), a(1) * b(2) - a(2) * b(1)]
  end function

  subroutine prepare(e)
    integer, intent(in) :: e
    double precision :: edge(3, 3), six
    integer :: c
    do c = 1, 3
      edge(:, c) = x(:, corners(c + 1, e)) - x(:, corners(1, e))
    end do
    six = dot_product(edge(:, 1), cross(edge(:, 2), edge(:, 3)))
    volume(e) = six / 6
    do c = 1, 3
      gradients(:, c + 1, e) = cross(edge(:, mod(c, 3) + 1), edge(:, mod(c + 1, 3) + 1)) / six
    end do
    gradients(:, 1, e) = -gradients(:, 2, e) - gradients(:, 3, e) - gradients(:, 4, e)
    do c = 1, 4
      mass(corners(c, e)) = mass(corners(c, e)) + density * volume(e) / 4
    end do
  end subroutine

  subroutine forces(u, f, energy)
    double precision, intent(in) :: u(3, nodes)
    double precision, intent(out) :: f(3, nodes), energy
    double precision :: grad(3, 3), stress(3, 3), lame, mu, trace
    integer :: e, c, i
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    mu = young / (2 * (1 + poisson))
    f = 0
    energy = 0
    do e = 1, elements
      grad = matmul(u(:, corners(:, e)), transpose(gradients(:, :, e)))
      stress = mu * (grad + transpose(grad))
      trace = grad(1, 1) + grad(2, 2) + grad(3, 3)
      do i = 1, 3
        stress(i, i) = stress(i, i) + lame * trace
      end do
      energy = energy + volume(e) / 2 * sum(stress * grad)
      do c = 1, 4
        f(:, corners(c, e)) = f(:, corners(c, e)) - volume(e) * matmul(stress, gradients(:, c, e))
      end do
    end do
  end subroutine

  subroutine right_side(ts, t, y, g, context, ierr)
    TS :: ts
    PetscReal :: t
    Vec :: y, g
    integer :: context
    PetscErrorCode :: ierr
    PetscScalar, pointer :: values(:), rates(:)
    double precision :: both(6, nodes), f(3, nodes), energy
    integer :: n
    call VecGetArrayReadF90(y, values, ierr)
    both = reshape(values, [6, nodes])
    call VecRestoreArrayReadF90(y, values, ierr)
    call forces(both(1:3, :), f, energy)
    both(1:3, :) = both(4:6, :)
    do n = 1, nodes
      both(4:6, n) = f(:, n) / mass(n)
    end do
    call VecGetArrayF90(g, rates, ierr)
    rates = reshape(both, [6 * nodes])
    call VecRestoreArrayF90(g, rates, ierr)
  end subroutine

  subroutine watch(ts, step, t, y, context, ierr)
    TS :: ts
    PetscInt :: step
    PetscReal :: t
    Vec :: y
    integer :: context
    PetscErrorCode :: ierr
    PetscScalar, pointer :: values(:)
    double precision :: both(6, nodes), now(2), front(2)
    integer :: half
    half = nodes / 2
    call VecGetArrayReadF90(y, values, ierr)
    both = reshape(values, [6, nodes])
    call VecRestoreArrayReadF90(y, values, ierr)
    now = [sum(mass(:half) * both(4, :half)), sum(mass(half + 1:) * both(4, half + 1:))]
    front = [maxval(x(1, :half) + both(1, :half)), minval(x(1, half + 1:) + both(1, half + 1:))]
    kinetic = sum(mass * (both(4, :)**2 + both(5, :)**2 + both(6, :)**2)) / 2
    if (start_energy == 0) start_energy = kinetic
    if (seen_time >= 0 .and. t > seen_time) peak = max(peak, (momentum(1) - now(1)) / (t - seen_time))
    closest = min(closest, front(2) - front(1))
    momentum = now
    seen_time = t
  end subroutine
end module

program host
  use petscts
  use bodies
  implicit none
  TS :: ts
  Vec :: y
  PetscErrorCode :: ierr
  PetscScalar, pointer :: values(:)
  PetscReal, parameter :: step = 0.001d0, last = 0.35d0
  PetscInt, parameter :: most = 100000, length = 6 * nodes
  double precision :: both(6, nodes), f(3, nodes), energy
  integer :: nothing
  call PetscInitialize(ierr)
  call make_bodies()
  both = 0
  both(4, :nodes / 2) = speed
  both(4, nodes / 2 + 1:) = -speed
  call VecCreateSeq(PETSC_COMM_SELF, length, y, ierr)
  call VecGetArrayF90(y, values, ierr)
  values = reshape(both, [6 * nodes])
  call VecRestoreArrayF90(y, values, ierr)
  call TSCreate(PETSC_COMM_SELF, ts, ierr)
  call TSSetType(ts, TSRK, ierr)
  call TSSetRHSFunction(ts, PETSC_NULL_VEC, right_side, nothing, ierr)
  call TSSetTimeStep(ts, step, ierr)
  call TSSetMaxTime(ts, last, ierr)
  call TSSetMaxSteps(ts, most, ierr)
  call TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP, ierr)
  call TSMonitorSet(ts, watch, nothing, PETSC_NULL_FUNCTION, ierr)
  call TSSetFromOptions(ts, ierr)
  call TSSolve(ts, y, ierr)
  if (ierr /= 0) stop 1
  call VecGetArrayReadF90(y, values, ierr)
  both = reshape(values, [6, nodes])
  call VecRestoreArrayReadF90(y, values, ierr)
  call forces(both(1:3, :), f, energy)
  write (*, '(a,2f10.6,a,es11.3,a,f9.6,a,f8.5,a,f9.5)') 'velocities', momentum, ' momentum ', sum(momentum), ' energy ', &
    (kinetic + energy) / start_energy, ' peak force ', peak, ' closest ', closest
  call TSDestroy(ts, ierr)
  call VecDestroy(y, ierr)
  call PetscFinalize(ierr)
  if (ierr /= 0) stop 1
end program
