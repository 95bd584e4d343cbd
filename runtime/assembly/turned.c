#include "turned.h"

#include <math.h>
#include <stdlib.h>

void wisp_turned_begin(const wisp_assembly *s, wisp_turned *out)
{
  const int dimension = s->simplex->dimension, N = s->simplex->N;
  out->s = s;
  wisp_simplex_steps(dimension, N, out->step);
  wisp_orientation_inside(dimension, N, out->inside, out->first);
  for (int turn = 0; turn < wisp_orientations(dimension); turn++)
    wisp_orientation_nodes(dimension, N, turn, out->node[turn]);
}

wisp_status wisp_turned_check(wisp_error *err, const wisp_assembly *s)
{
  return wisp_require(err, s->mesh->elements <= (size_t)(INT32_MAX / wisp_orientations(s->simplex->dimension)),
                      WISP_EREFUSED, "lists by entity: %zu elements are more than turns can be counted of",
                      s->mesh->elements);
}

int wisp_turned_corners(const wisp_turned *turned, size_t e, int a, int corner[4])
{
  const int dimension = turned->s->simplex->dimension;
  const int32_t *vertex = turned->s->corners->node + e * (size_t)(dimension + 1);
  int count = 0, others = dimension;
  for (int c = 0; c <= dimension; c++) {
    if (!turned->step[a][c]) {
      corner[others--] = c;
      continue;
    }
    int at = count++;
    for (; at && vertex[corner[at - 1]] > vertex[c]; at--) corner[at] = corner[at - 1];
    corner[at] = c;
  }
  return count - 1;
}

int32_t wisp_turned_row(const wisp_turned *turned, size_t e, int turn, int dimension, int i)
{
  const wisp_simplexnodes *nodes = turned->s->nodes;
  return nodes->node[e * (size_t)nodes->Np + (size_t)turned->node[turn][turned->inside[turned->first[dimension] + i]]];
}

bool wisp_turned_entity(const wisp_turned *turned, int32_t row, wisp_entity *out)
{
  const wisp_pattern *p = turned->s->pattern;
  const int Np = turned->s->nodes->Np;
  const int32_t from = p->around[p->around_start[row]];
  int corner[4], lowest = row;
  const int k = wisp_turned_corners(turned, (size_t)(from / Np), from % Np, corner);
  const int turn = wisp_orientation_number(turned->s->simplex->dimension, corner);
  for (int i = 0; i < turned->first[k + 1] - turned->first[k]; i++) {
    const int32_t other = wisp_turned_row(turned, (size_t)(from / Np), turn, k, i);
    lowest = other < lowest ? other : lowest;
  }
  *out = (wisp_entity){k, p->around_start[row + 1] - p->around_start[row], row};
  return lowest == row;
}

wisp_status wisp_words_lay(wisp_error *err, size_t groups, wisp_words *made)
{
  double words = 0;
  for (size_t i = 1; i <= groups; i++) {
    words += made->start[i];
    made->start[i] = (int32_t)fmin(words, INT32_MAX);
  }
  CALL(wisp_require(err, words <= INT32_MAX, WISP_EREFUSED, "lists by entity: %.4g words, more than 2^31 - 1", words));
  made->groups = groups, made->words = (size_t)words;
  return wisp_new(err, made->words, sizeof *made->word, &made->word);
}

void wisp_words_destroy(wisp_words *words)
{
  if (!words) return;
  free(words->start), free(words->word);
  free(words);
}
