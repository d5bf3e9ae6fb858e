/* Contacts of spheres with equal radii, found by cells with the size of a sphere. */
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using point = std::array<double, 3>;

/* Calls found (i, j) once for each pair of points with i < own that are closer than a distance; j may be any point. */
template <class F> void each_pair (const std::vector<point> &points, std::size_t own, double distance, F found)
{
  if (points.empty ()) return;
  point low = points[0], high = points[0];
  for (const point &p : points)
    for (std::size_t c = 0; c < 3; c ++) low[c] = std::min (low[c], p[c]), high[c] = std::max (high[c], p[c]);
  std::array<std::size_t, 3> size;
  for (std::size_t c = 0; c < 3; c ++) size[c] = static_cast<std::size_t> ((high[c] - low[c]) / distance) + 3;
  auto cell = [&] (const point &p) {
    std::size_t k = 0;
    for (std::size_t c = 0; c < 3; c ++) k = k * size[c] + static_cast<std::size_t> ((p[c] - low[c]) / distance) + 1;
    return k;
  };
  /* The points of each cell, by counting. */
  std::vector<std::uint32_t> starts (size[0] * size[1] * size[2] + 2), sorted (points.size ());
  for (const point &p : points) starts[cell (p) + 2] ++;
  for (std::size_t k = 2; k < starts.size (); k ++) starts[k] += starts[k - 1];
  for (std::size_t i = 0; i < points.size (); i ++) sorted[starts[cell (points[i]) + 1] ++] = static_cast<std::uint32_t> (i);
  for (std::size_t i = 0; i < own; i ++) {
    std::size_t middle = cell (points[i]);
    for (std::size_t x = 0; x < 3; x ++) for (std::size_t y = 0; y < 3; y ++) {
      /* Three cells in a row. */
      std::size_t first = middle + x * size[1] * size[2] + y * size[2] - (size[1] + 1) * size[2] - 1;
      for (std::size_t k = starts[first]; k < starts[first + 3]; k ++) {
        const point &p = points[i], &q = points[sorted[k]];
        double a = p[0] - q[0], b = p[1] - q[1], c = p[2] - q[2];
        if (sorted[k] != i && a * a + b * b + c * c < distance * distance) found (i, std::size_t { sorted[k] });
      }
    }
  }
}
