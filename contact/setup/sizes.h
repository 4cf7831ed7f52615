/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Structs of programs that were compiled with an earlier contact.h: shorter, with what is missing at their ends. */
#ifndef IMPINGE_SETUP_SIZES_H
#define IMPINGE_SETUP_SIZES_H

#include "impinge/contact.h"

/* The config as this library has it, but for rules and walls, which stay where they are: config.sizes tells how large
 * they are. Refuses sizes that this library cannot know. */
ipg_status ipg_take_config(const ipg_contact_config *given, ipg_contact_config *config, ipg_error *error);
ipg_surface ipg_take_surface(const ipg_contact_config *config, const ipg_surface *given);
ipg_contact_rule ipg_take_rule(const ipg_contact_config *config, int64_t i);
ipg_contact_wall ipg_take_wall(const ipg_contact_config *config, int64_t i);

#endif
