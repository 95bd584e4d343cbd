/* Conditioning and extremes of the operators of either basis, N = 1..10: J. Chan and T. Warburton, SIAM J. Sci. Comput.
 * 39 (2017), Figs. 4 and 5.
 *
 * Prints two tables, one column for each of nodal Dr, Bernstein D^0, nodal and Bernstein LIFT, L0 and E_L: their
 * conditions, largest singular value over the smallest that is not 0 (eq. 4), and two lines below the smallest and
 * largest of their entries.
 */
#include "../gen/nodal/bernstein.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ORDER = 10 };

typedef struct matrix {
  const char *name;
  int rows, columns;
  double *entries;
} matrix;

/* The singular values that rounding alone does not explain, first over last. */
static wisp_status condition(wisp_error *err, const matrix *of, double *out)
{
  OWNED(free) double *copy = NULL, *values = NULL, *rest = NULL;
  const size_t count = (size_t)of->rows * (size_t)of->columns;
  const int most = of->rows < of->columns ? of->rows : of->columns;
  CALL(wisp_new(err, count, sizeof *copy, &copy));
  CALL(wisp_new(err, (size_t)most, sizeof *values, &values));
  CALL(wisp_new(err, (size_t)most, sizeof *rest, &rest));
  memcpy(copy, of->entries, count * sizeof *copy);
  const int info = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', of->rows, of->columns, copy, of->columns, values, NULL, 1,
                                  NULL, 1, rest);
  CALL(wisp_require(err, info == 0, WISP_ESYSTEM, "%s: the singular values do not converge (%d)", of->name, info));
  int last = most - 1;
  while (last > 0 && values[last] < 1e-11 * values[0]) last--;
  *out = values[0] / values[last];
  return WISP_OK;
}

static void extremes(const matrix *of, double *least, double *most)
{
  *least = *most = of->entries[0];
  for (int i = 1; i < of->rows * of->columns; i++) {
    *least = fmin(*least, of->entries[i]);
    *most = fmax(*most, of->entries[i]);
  }
}

/* D^0 and E_L, dense. */
static wisp_status write_out(wisp_error *err, const wisp_bernstein *b, double **D, double **E)
{
  const int width = WISP_TET_FACES * b->Nfp;
  CALL(wisp_new(err, (size_t)(b->Np * b->Np), sizeof **D, D));
  CALL(wisp_new(err, (size_t)(b->Np * width), sizeof **E, E));
  for (int row = 0; row < b->Np; row++) {
    for (int j = 0; j < 4; j++) (*D)[row * b->Np + b->column[4 * row + j]] += b->power[4 * row + j];
    for (int q = 0; q < b->E_width; q++)
      (*E)[row * width + b->E_column[row * b->E_width + q]] += b->E_value[row * b->E_width + q];
  }
  return WISP_OK;
}

/* One table: conditions, or smallest and largest entries. */
static wisp_status print_row(wisp_error *err, const matrix *list, int count, bool entries)
{
  for (int i = 0; i < count; i++) {
    double least, most, ratio;
    extremes(&list[i], &least, &most);
    CALL(condition(err, &list[i], &ratio));
    if (entries)
      printf(" %.4g %.4g", least, most);
    else
      printf(" %.4g", ratio);
  }
  printf("\n");
  return WISP_OK;
}

static wisp_status print_order(wisp_error *err, int N, bool entries)
{
  OWNED(wisp_tet_destroy) wisp_tet *nodal = NULL, *tet = NULL;
  OWNED(wisp_bernstein_destroy) wisp_bernstein *b = NULL;
  OWNED(free) double *D = NULL, *E = NULL;
  CALL(wisp_tet_create(err, N, &nodal));
  CALL(wisp_tet_create_for(err, "bernstein-tet", true, N, &tet));
  CALL(wisp_bernstein_create(err, N, &b));
  CALL(write_out(err, b, &D, &E));
  const int Np = b->Np, width = WISP_TET_FACES * b->Nfp;
  const matrix list[] = {{"Dr,nodal", Np, Np, nodal->D[0]},      {"D^0,Bernstein", Np, Np, D},
                         {"LIFT,nodal", Np, width, nodal->LIFT}, {"LIFT,Bernstein", Np, width, tet->LIFT},
                         {"L0", b->Nfp, b->Nfp, b->L0},          {"E_L", Np, width, E}};
  if (N == 1) {
    printf("N");
    for (size_t i = 0; i < WISP_COUNT(list); i++)
      printf(entries ? " %s,smallest %s,largest" : " %s", list[i].name, list[i].name);
    printf("\n");
  }
  printf("%d", N);
  return print_row(err, list, WISP_COUNT(list), entries);
}

int main(void)
{
  wisp_error err = {0};
  for (int table = 0; table < 2; table++) {
    for (int N = 1; N <= MOST_ORDER; N++)
      if (print_order(&err, N, table) != WISP_OK) {
        fprintf(stderr, "roundoff: %s\n", err.text);
        return 1;
      }
    if (!table) printf("\n\n");
  }
  return 0;
}
