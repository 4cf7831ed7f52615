/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "setup/sizes.h"

#include <string.h>

static const ipg_contact_sizes own = {sizeof(ipg_contact_config), sizeof(ipg_surface), sizeof(ipg_contact_rule),
                                      sizeof(ipg_contact_wall), IPG_CONTACT_RESULT_SIZES};

void ipg_contact_set_defaults(ipg_contact_config *config, const ipg_contact_sizes *sizes) {
  const ipg_contact_config defaults = {.sizes = *sizes,
                                       .search_method = "lkdtree_packed",
                                       .penalty_scale = 1,
                                       .edges = true,
                                       .search_margin = 0.2,
                                       .allocator = ipg_allocator_malloc(),
                                       .tasks = ipg_tasks_serial()};
  memcpy(config, &defaults, sizes->config < sizeof defaults ? sizes->config : sizeof defaults);
}

static ipg_status check_sizes(const ipg_contact_sizes *given, ipg_error *error) {
  if (given->config < sizeof(ipg_contact_sizes) || !given->surface || !given->rule || !given->wall)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "the config of contact has no sizes: begin with config = ipg_contact_defaults()");
  if (given->config > own.config || given->surface > own.surface || given->rule > own.rule || given->wall > own.wall ||
      given->results != own.results)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "the program was compiled with the impinge/contact.h of another version than this library: compile "
                    "it again, or take the library that belongs to it");
  return IPG_OK;
}

ipg_status ipg_take_config(const ipg_contact_config *given, ipg_contact_config *config, ipg_error *error) {
  const ipg_status status = check_sizes(&given->sizes, error);
  if (status) return status;
  ipg_contact_set_defaults(config, &own);
  memcpy(config, given, given->sizes.config);
  config->sizes.config = own.config;
  return IPG_OK;
}

ipg_surface ipg_take_surface(const ipg_contact_config *config, const ipg_surface *given) {
  ipg_surface surface = {0};
  memcpy(&surface, given, config->sizes.surface);
  return surface;
}

ipg_contact_rule ipg_take_rule(const ipg_contact_config *config, int64_t i) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  memcpy(&rule, (const char *)config->rules + (size_t)i * config->sizes.rule, config->sizes.rule);
  return rule;
}

ipg_contact_wall ipg_take_wall(const ipg_contact_config *config, int64_t i) {
  ipg_contact_wall wall = {.law = {0}};
  memcpy(&wall, (const char *)config->walls + (size_t)i * config->sizes.wall, config->sizes.wall);
  return wall;
}
