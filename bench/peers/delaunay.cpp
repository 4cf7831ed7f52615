// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// CGAL's Delaunay triangulation, built from the whole range at once, which sorts the points spatially first. Exact
// predicates, because spheres at a wall are coplanar. Points at the same position are one vertex.
#include "delaunay.h"

#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>

#include <exception>
#include <utility>
#include <vector>

namespace {

using kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using vertex = CGAL::Triangulation_vertex_base_with_info_3<ipg_id, kernel>;
using structure = CGAL::Triangulation_data_structure_3<vertex, CGAL::Delaunay_triangulation_cell_base_3<kernel>>;
using triangulation = CGAL::Delaunay_triangulation_3<kernel, structure>;

triangulation triangulate(const double *points, int64_t count) {
  std::vector<std::pair<kernel::Point_3, ipg_id>> named;
  named.reserve(count);
  for (int64_t i = 0; i < count; ++i)
    named.emplace_back(kernel::Point_3(points[3 * i], points[3 * i + 1], points[3 * i + 2]), ipg_id(i));
  return triangulation(named.begin(), named.end());
}

void send_edges(const triangulation &t, ipg_sink *sink, void *context) {
  std::vector<ipg_pair> batch;
  for (auto edge = t.finite_edges_begin(); edge != t.finite_edges_end(); ++edge) {
    const ipg_id a = edge->first->vertex(edge->second)->info(), b = edge->first->vertex(edge->third)->info();
    batch.push_back(a < b ? ipg_pair{a, b} : ipg_pair{b, a});
    if (batch.size() < 1024) continue;
    sink(context, batch.data(), int64_t(batch.size()), 0);
    batch.clear();
  }
  if (!batch.empty()) sink(context, batch.data(), int64_t(batch.size()), 0);
}

} // namespace

extern "C" bool delaunay_edges(const double *points, int64_t count, ipg_sink *sink, void *context, size_t *bytes) {
  try {
    const triangulation t = triangulate(points, count);
    send_edges(t, sink, context);
    const auto &vertices = t.tds().vertices();
    const auto &cells = t.tds().cells();
    *bytes = vertices.capacity() * sizeof(triangulation::Vertex) + cells.capacity() * sizeof(triangulation::Cell);
    return true;
  } catch (const std::exception &) { return false; }
}
