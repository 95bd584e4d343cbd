/* LAPACK and BLAS, loaded at their first use. OpenBLAS starts a thread for each core when it is loaded, which costs
 * more than all the work of a command that computes nothing. */
#pragma once

#include "check.h"

#include <lapacke.h>
#undef I /* from complex.h, by way of lapacke.h; here it is the interpolation matrix */

/* Functions of the Fortran interface, which every BLAS has. */
extern void sgemm_(const char *transpose_a, const char *transpose_b, const int *m, const int *n, const int *k,
                   const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                   const float *beta, float *c, const int *ldc);
extern void dgemm_(const char *transpose_a, const char *transpose_b, const int *m, const int *n, const int *k,
                   const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                   const double *beta, double *c, const int *ldc);
extern void dtrsm_(const char *side, const char *fill, const char *transpose, const char *diagonal, const int *m,
                   const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);

typedef struct wisp_lapack {
  __typeof__(LAPACKE_dgeev) *dgeev;
  __typeof__(LAPACKE_dgeqrf) *dgeqrf;
  __typeof__(LAPACKE_dgetrf) *dgetrf;
  __typeof__(LAPACKE_dgetri) *dgetri;
  __typeof__(LAPACKE_dpotrf) *dpotrf;
  __typeof__(LAPACKE_dpotri) *dpotri;
  __typeof__(LAPACKE_dpotrs) *dpotrs;
  __typeof__(LAPACKE_dsterf) *dsterf;
  __typeof__(LAPACKE_dtrcon) *dtrcon;
  __typeof__(LAPACKE_zgesv) *zgesv;
  __typeof__(sgemm_) *sgemm;
  __typeof__(dgemm_) *dgemm;
  __typeof__(dtrsm_) *dtrsm;
  char *(*openblas_config)(void); /* NULL in another BLAS */
} wisp_lapack;

/* The process's functions, which stay loaded; any thread may ask. Fails with WISP_ESYSTEM where LAPACK is not there. */
wisp_status wisp_lapack_load(wisp_error *err, const wisp_lapack **out);
