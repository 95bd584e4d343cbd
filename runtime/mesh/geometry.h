/* Vectors and points in space. */
#pragma once

#include "../../gen/check.h"

#include <math.h>

static inline void wisp_subtract(const double a[3], const double b[3], double out[3])
{
  for (int c = 0; c < 3; c++) out[c] = a[c] - b[c];
}

static inline double wisp_dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void wisp_cross(const double a[3], const double b[3], double out[3])
{
  for (int c = 0; c < 3; c++) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static inline double wisp_determinant(const double a[3], const double b[3], const double c[3])
{
  double normal[3];
  wisp_cross(b, c, normal);
  return wisp_dot(a, normal);
}

static inline double wisp_distance(const double a[3], const double b[3])
{
  double d[3];
  wisp_subtract(a, b, d);
  return sqrt(wisp_dot(d, d));
}

/* Compare two numbers, or indices, for qsort and bsearch: ascending. */
static inline int wisp_by_value(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static inline int wisp_by_index(const void *left, const void *right)
{
  const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
  return (a > b) - (a < b);
}

/* The bounding box of points, x y z of each together, and its longest side. */
double wisp_extent(size_t count, const double *xyz, double low[3], double high[3]);
