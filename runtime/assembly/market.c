#include "market.h"
#include "../../gen/text.h"

#include <stdio.h>
#include <unistd.h>

/* What is written: the matrix, or the vector alone. */
typedef struct content {
  const wisp_pattern *pattern;
  const double *values, *vector;
} content;

/* Wisp_fills. */
static void write_matrix(FILE *file, const void *context)
{
  const content *c = context;
  const wisp_pattern *p = c->pattern;
  fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", p->rows, p->rows, p->nonzeros);
  for (size_t row = 0; row < p->rows && !ferror(file); row++)
    for (int32_t i = p->start[row]; i < p->start[row + 1]; i++)
      fprintf(file, "%zu %d %.17g\n", row + 1, p->column[i] + 1, c->values[i]);
}

static void write_vector(FILE *file, const void *context)
{
  const content *c = context;
  fprintf(file, "%%%%MatrixMarket matrix array real general\n%zu 1\n", c->pattern->rows);
  for (size_t row = 0; row < c->pattern->rows; row++) fprintf(file, "%.17g\n", c->vector[row]);
}

wisp_status wisp_market_write(wisp_error *err, const char *path, const wisp_pattern *pattern, const double *values,
                              const double *vector)
{
  const content c = {pattern, values, vector};
  char beside[WISP_PATH_TEXT];
  CALL(wisp_path_beside(err, path, "_b", beside));
  CALL(wisp_write_file(err, path, write_matrix, &c));
  const wisp_status status = wisp_write_file(err, beside, write_vector, &c);
  if (status != WISP_OK) unlink(path);
  return status;
}
