/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A scene with every kind of penalty contact: faces, sharp corners and edges, a rigid wall and ties. */
#ifndef IMPINGE_TESTS_MIXED_SCENE_H
#define IMPINGE_TESTS_MIXED_SCENE_H

#include "support/scene.h"

/* A floor on the wall at z = -.5002, a block to be tied to it, and above it a ball, a blade and a needle, which move
 * down and along. Blocks and bodies are in this order. */
void mixed_scene_make(scene *s);

#endif
