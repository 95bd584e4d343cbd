#include "element.h"
#include "../../gen/lapack.h"

#include <math.h>

/* --- the seven numbers --- */

double wisp_hdg_length(const wisp_hdg_triangle *triangle, int edge)
{
  const double *from = triangle->xy[edge], *to = triangle->xy[(edge + 1) % 3];
  return hypot(to[0] - from[0], to[1] - from[1]);
}

void wisp_hdg_factors_of(const wisp_hdg_triangle *triangle, wisp_hdg_factors *out)
{
  double d[2][2];
  for (int v = 0; v < 2; v++)
    for (int c = 0; c < 2; c++) d[v][c] = (triangle->xy[v + 1][c] - triangle->xy[0][c]) / 2;
  const double J = d[0][0] * d[1][1] - d[1][0] * d[0][1];
  const double blur = (fabs(d[0][0] * d[1][1]) + fabs(d[1][0] * d[0][1])) / J;
  *out = (wisp_hdg_factors){.J = J,
                            .slope = {{d[1][1] / J, -d[1][0] / J}, {-d[0][1] / J, d[0][0] / J}},
                            .blur = blur,
                            .mass = triangle->lambda * J,
                            .kappa = triangle->kappa};
  for (int l = 0; l < 3; l++) out->a[l] = triangle->tau[l] * wisp_hdg_length(triangle, l) / 2;
  for (int g = 0; g < 3; g++) {
    const double *one = out->slope[g / 2], *other = out->slope[(g + 1) / 2]; /* rr, rs, ss */
    out->G[g] = triangle->kappa * J * (one[0] * other[0] + one[1] * other[1]);
    out->G_size[g] = triangle->kappa * J * blur * (fabs(one[0] * other[0]) + fabs(one[1] * other[1]));
  }
}

/* --- its matrices --- */

enum { NP = WISP_HDG_MAX_NP, NS = WISP_HDG_MAX_NS };

/* Entry i of a matrix: the sum of its terms, or of their magnitudes. */
static double entry(double *const *terms, const double *factors, int count, int i, bool size)
{
  double sum = 0;
  for (int c = 0; c < count; c++) sum += size ? fabs(factors[c] * terms[c][i]) : factors[c] * terms[c][i];
  return sum;
}

typedef wisp_hdg_bordered bordered;

static void make_border(const wisp_hdg_tables *t, const wisp_hdg_factors *f, bool size, bordered *out)
{
  const double *G = size ? f->G_size : f->G, mass = size ? f->blur * f->mass : f->mass;
  const double six[WISP_HDG_S] = {f->a[0], f->a[1], f->a[2], G[0], G[1], G[2]};
  for (int i = 0; i < t->Np * t->Np; i++)
    out->S[i] = entry(t->S, six, WISP_HDG_S, i, size) + (i % (t->Np + 1) ? 0 : mass);
  for (int i = 0; i < t->Np * t->m; i++) {
    const double four[WISP_HDG_R] = {f->a[i % t->m / t->n], G[0], G[1], G[2]};
    out->R[i] = entry(t->R, four, WISP_HDG_R, i, size);
  }
  for (int i = 0; i < t->m * t->m; i++)
    out->K[i] = entry(t->K, G, WISP_HDG_K, i, size) + (i % (t->m + 1) ? 0 : f->a[i / t->m / t->n]);
}

void wisp_hdg_border(const wisp_hdg_tables *t, const wisp_hdg_factors *f, bordered out[2])
{
  for (int size = 0; size < 2; size++) make_border(t, f, size, &out[size]);
}

/* L of A = L L^T in A's lower triangle. */
static wisp_status factor(wisp_error *err, const wisp_lapack *lapack, int n, double *A, int stride)
{
  const int info = (int)lapack->dpotrf(LAPACK_ROW_MAJOR, 'L', n, A, stride);
  return wisp_require(err, info == 0, WISP_EWRONG,
                      "an element's matrix of size %d is not positive to rounding (pivot %d): is it flat? remesh there",
                      n, info);
}

/* sum_i |A_ij| x_i, or with A^T. */
static double weigh(const double *A, int step, int count, const double *x)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += fabs(A[i * step]) * x[i];
  return sum;
}

/* --- condensed --- */

/* Rounding errors of K^e = K_F - R^T U and of b^e = U^T f = R^T w: U^T dS U, U^T dR and so on. */
static void find_sizes(int Np, int m, const bordered *size, const double *w, const double *load,
                       wisp_hdg_condensed *out)
{
  double column[NP], of_w[NP];
  for (int i = 0; i < Np; i++) {
    of_w[i] = fabs(load[i]);
    for (int j = 0; j < Np; j++) of_w[i] += size->S[i * Np + j] * fabs(w[j]);
  }
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < Np; i++) {
      column[i] = size->R[i * m + k];
      for (int j = 0; j < Np; j++) column[i] += size->S[i * Np + j] * fabs(out->U[j * m + k]);
    }
    for (int l = 0; l < m; l++) {
      out->K_size[l * m + k] = size->K[l * m + k] + weigh(out->U + l, m, Np, column);
      for (int i = 0; i < Np; i++) out->K_size[l * m + k] += size->R[i * m + l] * fabs(out->U[i * m + k]);
    }
    out->b_size[k] = weigh(out->U + k, m, Np, of_w);
    for (int i = 0; i < Np; i++) out->b_size[k] += size->R[i * m + k] * fabs(w[i]);
  }
}

/* Condenses A[0], S of size Np and K of size m; A[1]: the magnitudes that its entries are sums of. */
static wisp_status eliminate(wisp_error *err, int Np, int m, bordered A[2], const double *load, wisp_hdg_condensed *out)
{
  const wisp_lapack *lapack = NULL;
  double w[NP];
  CALL(wisp_lapack_load(err, &lapack));
  CALL(factor(err, lapack, Np, A->S, Np));
  memcpy(out->U, A->R, (size_t)(Np * m) * sizeof *A->R);
  memcpy(w, load, (size_t)Np * sizeof *w);
  lapack->dpotrs(LAPACK_ROW_MAJOR, 'L', Np, m, A->S, Np, out->U, m);
  lapack->dpotrs(LAPACK_ROW_MAJOR, 'L', Np, 1, A->S, Np, w, 1);
  for (int l = 0; l < m; l++) {
    out->b[l] = 0;
    for (int i = 0; i < Np; i++) out->b[l] += out->U[i * m + l] * load[i];
    for (int k = 0; k < m; k++) {
      double sum = A->K[l * m + k];
      for (int i = 0; i < Np; i++) sum -= A->R[i * m + l] * out->U[i * m + k];
      out->K[l * m + k] = sum;
    }
  }
  find_sizes(Np, m, &A[1], w, load, out);
  return WISP_OK;
}

wisp_status wisp_hdg_condense(wisp_error *err, const wisp_hdg_tables *t, const wisp_hdg_factors *factors,
                              const double *load, wisp_hdg_condensed *out)
{
  bordered A[2];
  wisp_hdg_border(t, factors, A);
  return eliminate(err, t->Np, t->m, A, load, out);
}

wisp_status wisp_hdg_condense_continuous(wisp_error *err, const wisp_hdg_tables *t, const wisp_hdg_factors *f,
                                         const double *load, wisp_hdg_condensed *out)
{
  const int inside = t->inside, around = t->around, all = inside + around;
  bordered A[2];
  for (int q = 0; q < all * all; q++) {
    const int i = q / all, j = q % all, k = j - inside;
    for (int s = 0; s < 2; s++) {
      const double *G = s ? f->G_size : f->G, four[4] = {G[0], G[1], G[2], s ? f->blur * f->mass : f->mass};
      const double value = entry(t->continuous, four, 4, q, s);
      if (k < 0 && i < inside) A[s].S[i * inside + j] = value;
      if (k >= 0 && i < inside) A[s].R[i * around + k] = value;
      if (k >= 0 && i >= inside) A[s].K[(i - inside) * around + k] = value;
    }
  }
  return eliminate(err, inside, around, A, load, out);
}

/* --- inside --- */

/* x = A^-1 y of L, and the size of its errors: |A^-1| (|A| |x| + y_size), |A| by its terms. */
static void solve(const wisp_lapack *lapack, int n, const double *L, int stride, const double *A_size,
                  const double *y_size, double *x, double *x_size)
{
  double inverse[NS * NS], right[NS];
  lapack->dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, L, stride, x, 1);
  for (int i = 0; i < n; i++) memcpy(inverse + i * n, L + i * stride, (size_t)n * sizeof *L);
  lapack->dpotri(LAPACK_ROW_MAJOR, 'L', n, inverse, n);
  for (int i = 0; i < n; i++) {
    right[i] = y_size[i];
    for (int j = 0; j < n; j++) right[i] += A_size[i * stride + j] * fabs(x[j]);
  }
  for (int i = 0; i < n; i++) {
    x_size[i] = 0;
    for (int j = 0; j < n; j++) x_size[i] += fabs(inverse[i > j ? i * n + j : j * n + i]) * right[j];
  }
}

/* Outward normals over 2 J, as multiples of grad r and grad s: edges 0 and 1 have one in s, 1 and 2 one in r. */
static const int normal[3][2] = {{0, -1}, {1, 1}, {-1, 0}};

/* p = kappa sum over a = r, s of grad a (sum over l of normal_la F_l Lambda_l - D_a^T u). */
void wisp_hdg_flux(const wisp_hdg_tables *t, const wisp_hdg_factors *f, const double *trace, wisp_hdg_inside *out)
{
  const int Np = t->Np;
  for (int j = 0; j < Np; j++)
    for (int a = 0; a < 2; a++) {
      double value = 0, size = 0;
      for (int l = 0; l < 3; l++)
        for (int k = 0; k < t->n; k++) {
          const double term = normal[l][a] * t->F[l][j * t->n + k] * trace[l * t->n + k];
          value += term, size += fabs(term);
        }
      for (int i = 0; i < Np; i++) {
        value -= t->D[a][i * Np + j] * out->u[i];
        size += fabs(t->D[a][i * Np + j]) * out->u_size[i];
      }
      for (int c = 0; c < 2; c++) {
        out->p[c * Np + j] += f->kappa * f->slope[a][c] * value;
        out->p_size[c * Np + j] += f->kappa * fabs(f->slope[a][c]) * (size + f->blur * fabs(value));
      }
    }
}

wisp_status wisp_hdg_recover(wisp_error *err, const wisp_hdg_tables *t, const wisp_hdg_factors *factors,
                             const double *load, const double *trace, wisp_hdg_inside *out)
{
  const int Np = t->Np, m = t->m;
  const wisp_lapack *lapack = NULL;
  bordered A[2];
  double right[NP];
  CALL(wisp_lapack_load(err, &lapack));
  *out = (wisp_hdg_inside){.u = {0}};
  wisp_hdg_border(t, factors, A);
  for (int i = 0; i < Np; i++) {
    out->u[i] = load[i], right[i] = fabs(load[i]);
    for (int k = 0; k < m; k++) {
      out->u[i] += A[0].R[i * m + k] * trace[k];
      right[i] += A[1].R[i * m + k] * fabs(trace[k]);
    }
  }
  CALL(factor(err, lapack, Np, A[0].S, Np));
  solve(lapack, Np, A[0].S, Np, A[1].S, right, out->u, out->u_size);
  wisp_hdg_flux(t, factors, trace, out);
  return WISP_OK;
}

/* The constant mode has no slope: it is u's. */
wisp_status wisp_hdg_postprocess(wisp_error *err, const wisp_hdg_tables *t, const wisp_hdg_factors *f, const double *u,
                                 const double *p, double *ustar, double *size)
{
  const int Np = t->Np, Ns = t->Ns;
  const wisp_lapack *lapack = NULL;
  double A[NS * NS], A_size[NS * NS], right[NS], G[3], G_size[3];
  for (int g = 0; g < 3; g++) G[g] = f->G[g] / f->kappa, G_size[g] = f->G_size[g] / f->kappa;
  for (int i = 0; i < Ns * Ns; i++) {
    A[i] = entry(t->post, G, WISP_HDG_K, i, false);
    A_size[i] = entry(t->post, G_size, WISP_HDG_K, i, true);
  }
  for (int j = 0; j < Ns; j++) {
    ustar[j] = right[j] = 0;
    for (int a = 0; a < 2; a++)
      for (int i = 0; i < Np; i++) {
        const double *grad = f->slope[a], by = f->J / f->kappa * t->slope[a][i * Ns + j];
        ustar[j] += by * (grad[0] * p[i] + grad[1] * p[Np + i]);
        right[j] += fabs(by) * (fabs(grad[0] * p[i]) + fabs(grad[1] * p[Np + i]));
      }
  }
  ustar[0] = u[0], size[0] = fabs(u[0]);
  CALL(wisp_lapack_load(err, &lapack));
  CALL(factor(err, lapack, Ns - 1, A + Ns + 1, Ns));
  solve(lapack, Ns - 1, A + Ns + 1, Ns, A_size + Ns + 1, right + 1, ustar + 1, size + 1);
  return WISP_OK;
}
