/* A sum of very many terms. What each addition loses by rounding is kept (Neumaier 1974): squares of numbers with few
 * digits round all to one side. Beside it the root of the sum of the squares of the terms' magnitudes. */
#pragma once

#include <math.h>

typedef struct wisp_total {
  double sum, lost, squares;
} wisp_total;

static inline void wisp_total_add(wisp_total *total, double term, double size)
{
  const double sum = total->sum, next = sum + term;
  total->lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
  total->squares += size * size;
  total->sum = next;
}

static inline double wisp_total_value(const wisp_total *total)
{
  return total->sum + total->lost;
}

static inline double wisp_total_size(const wisp_total *total)
{
  return sqrt(total->squares);
}
