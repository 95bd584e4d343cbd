/* Parts of a system: Maxwell's E is driven by H alone and H by E alone, so half of the fields can be worked on at a
 * time. */
#include "system.h"

/* The p-th range of m fields is driven by one range of m fields; gives its first field, or -1. */
static int driving_range(const wisp_system *system, int p, int m)
{
  int first = -1;
  for (size_t i = 0; i < system->terms; i++) {
    const wisp_term *term = &system->term[i];
    if (term->out / m != p) continue;
    if (first >= 0 && term->in / m * m != first) return -1;
    first = term->in / m * m;
  }
  return first;
}

/* The k-th term that drives field `out`, or NULL. */
static const wisp_term *nth_term(const wisp_system *system, int out, int k)
{
  for (size_t i = 0; i < system->terms; i++)
    if (system->term[i].out == out && k-- == 0) return &system->term[i];
  return NULL;
}

/* Part p's fields have the terms of part 0's, field for field, but for coefficients and where the ranges begin. */
static bool same_pattern(const wisp_system *system, int p, int m, const int *in0)
{
  for (int f = 0; f < m; f++)
    for (int k = 0;; k++) {
      const wisp_term *a = nth_term(system, f, k), *b = nth_term(system, p * m + f, k);
      if (!a && !b) break;
      if (!a || !b || a->axis != b->axis || a->in - in0[0] != b->in - in0[p]) return false;
    }
  return true;
}

int wisp_system_parts(const wisp_system *system, int in0[WISP_MAX_FIELDS])
{
  for (int parts = system->fields; parts > 1; parts--) {
    int m = system->fields / parts;
    bool fits = system->fields % parts == 0;
    for (int p = 0; fits && p < parts; p++) {
      in0[p] = driving_range(system, p, m);
      fits = in0[p] >= 0 && same_pattern(system, p, m, in0);
    }
    if (fits) return parts;
  }
  in0[0] = 0;
  return 1;
}
