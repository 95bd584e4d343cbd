/* Quadrature on the bi-unit tet: Gauss points of the cube, collapsed on the tet. */
#include "nodal/tet.h"
#include "jacobi.h"

#include <stdlib.h>

enum { MAX_DEGREE = 40, MAX_POINTS = MAX_DEGREE / 2 + 1 };

static wisp_status allocate(wisp_error *err, size_t count, wisp_quadrature *rule)
{
  rule->count = count;
  CALL(wisp_new(err, count, sizeof *rule->r, &rule->r));
  CALL(wisp_new(err, count, sizeof *rule->s, &rule->s));
  CALL(wisp_new(err, count, sizeof *rule->t, &rule->t));
  return wisp_new(err, count, sizeof *rule->w, &rule->w);
}

/* Direction c = 0, 1, 2 of the cube holds q points x[c] under the weight (1-x)^c. The map (a,b,c) -> (r,s,t), inverse
 * of Hesthaven & Warburton's rsttoabc (2008, section 10.1), has the Jacobian (1-b)/2 ((1-c)/2)^2: those weights,
 * over 8. */
static void collapse(int q, double x[3][MAX_POINTS], double w[3][MAX_POINTS], wisp_quadrature *rule)
{
  size_t p = 0;
  for (int k = 0; k < q; k++)
    for (int j = 0; j < q; j++)
      for (int i = 0; i < q; i++, p++) {
        double a = x[0][i], b = x[1][j], c = x[2][k];
        rule->r[p] = (1 + a) * (1 - b) * (1 - c) / 4 - 1;
        rule->s[p] = (1 + b) * (1 - c) / 2 - 1;
        rule->t[p] = c;
        rule->w[p] = w[0][i] * w[1][j] * w[2][k] / 8;
      }
}

/* A polynomial of total degree d has degree at most d in each of a, b, c: q points serve to 2q - 1. */
wisp_status wisp_tet_quadrature(wisp_error *err, int degree, wisp_quadrature *out)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  double x[3][MAX_POINTS], w[3][MAX_POINTS];
  CALL(wisp_require(err, degree >= 0 && degree <= MAX_DEGREE, WISP_EUSAGE,
                    "tet quadrature: degree %d is out of range: use 0 to %d", degree, MAX_DEGREE));
  int q = degree / 2 + 1;
  for (int c = 0; c < 3; c++) CALL(wisp_jacobi_gauss(err, c, 0, q, x[c], w[c]));
  CALL(allocate(err, (size_t)(q * q * q), &rule));
  collapse(q, x, w, &rule);
  return GIVE(rule, out);
}

void wisp_quadrature_free(wisp_quadrature *quadrature)
{
  if (!quadrature) return;
  free(quadrature->r), free(quadrature->s), free(quadrature->t), free(quadrature->w);
  *quadrature = (wisp_quadrature){0};
}
