/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include <impinge/search.h>
#include <stdio.h>
int main(void) {
  const double points[] = {0, 0, 0, 1, 1, 1, 2, 1, 1, 5, 5, 5};
  const ipg_box query = {{0.5, 0.5, 0.5}, {2, 2, 2}};
  const ipg_search_config config = ipg_search_defaults(); /* a linear kd-tree */
  ipg_search *search = NULL;
  const ipg_pair *pairs;
  int64_t count = 0;
  if (ipg_search_create(&config, &search, NULL) || ipg_search_set_points(search, points, 4, NULL, NULL) ||
      ipg_search_query_array(search, &query, 1, NULL, &pairs, &count, NULL))
    return 1;
  for (int64_t i = 0; i < count; ++i) printf("query %d overlaps item %d\n", (int)pairs[i].a, (int)pairs[i].b);
  ipg_search_destroy(&search);
}
