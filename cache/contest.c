/* Which of two trials of one kernel, layout and size answers: time, and the fixed rule for ties. */
#include "store.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const double wisp_contest_margin = 1.03;

double wisp_contest_ms(const wisp_trial *trial)
{
  return strcmp(trial->tie, WISP_TIE_CHOSEN) == 0 ? trial->ms : trial->ms * wisp_contest_margin;
}

/* Texts in which numbers count as numbers: "wi=8" is before "wi=16". */
static int compare_numbers(const char *a, const char *b)
{
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      char *a_end = NULL, *b_end = NULL;
      unsigned long long x = strtoull(a, &a_end, 10), y = strtoull(b, &b_end, 10);
      if (x != y) return x < y ? -1 : 1;
      a = a_end, b = b_end;
    } else if (*a != *b)
      return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    else
      a++, b++;
  }
  return (*a != '\0') - (*b != '\0');
}

bool wisp_contest_simpler(const wisp_trial *a, const wisp_trial *b)
{
  int a_registers = a->registers < 0 ? INT_MAX : a->registers, b_registers = b->registers < 0 ? INT_MAX : b->registers;
  if (a_registers != b_registers) return a_registers < b_registers;
  int strategy = strcmp(a->strategy, b->strategy);
  return strategy ? strategy < 0 : compare_numbers(a->params, b->params) < 0;
}

const char *wisp_trial_mesh(const wisp_trial *trial)
{
  return *trial->mesh ? trial->mesh : WISP_MESH_BOX;
}

static int rank(const wisp_trial *trial)
{
  static const char *const meshes[] = {WISP_MESH_ORDERED, WISP_MESH_BOX};
  int rank = 0;
  while (rank < 2 && strcmp(wisp_trial_mesh(trial), meshes[rank]) != 0) rank++;
  return rank;
}

int wisp_contest_meshes(const wisp_trial *a, const wisp_trial *b)
{
  return rank(a) - rank(b);
}

int wisp_contest_order(const wisp_trial *a, const wisp_trial *b)
{
  const int order[] = {strcmp(a->spec, b->spec),
                       strcmp(a->layout, b->layout),
                       strcmp(a->device, b->device),
                       strcmp(a->target, b->target),
                       a->units - b->units,
                       strcmp(a->driver, b->driver),
                       strcmp(a->compiler, b->compiler),
                       (a->elements > b->elements) - (a->elements < b->elements),
                       strcmp(wisp_trial_mesh(a), wisp_trial_mesh(b))};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return 0;
}
