/* Runge-Kutta methods: a row of numbers each. */
#pragma once

#include "../../gen/check.h"

/* A stage in low storage: res = a res + dt rhs; u += b res; at the time t + c dt. */
typedef struct wisp_rk_stage {
  double a, b, c;
} wisp_rk_stage;

enum { WISP_MOST_STAGES = 16 };

typedef struct wisp_scheme {
  int stages; /* at most WISP_MOST_STAGES */
  const wisp_rk_stage *stage;
  /* The same method nested, for a linear L that does not depend on time: u_k = u_n + c_k dt L u_(k-1) has its
   * stability polynomial. */
  const double *nested;
  int order;
  bool general; /* has its order, in low storage, for any equations: else for linear ones alone */
  const char *name, *source;
} wisp_scheme;

/* Carpenter & Kennedy 1994: 1 + z + z^2/2 + z^3/6 + z^4/24 + z^5/200. */
extern const wisp_scheme wisp_lsrk45;

/* All schemes, wisp_lsrk45 the first; the list ends with NULL. */
extern const wisp_scheme *const wisp_schemes[];

/* The words of an option: the names of the list, after those that leave the choice to the run. */
#define WISP_SCHEME_NAMES \
  "auto accurate lsrk45 ndb14 rk4s5 rk4s8 rk4s10 rk4s14 rk5s10 rk6s10 rk6s12 rk6s14 rk8s14 rk4s8c rk4s10c rk6s14c"

/* NULL: there is none of that name. */
const wisp_scheme *wisp_scheme_find(const char *name);

/* The factor R(z) by which a step multiplies a mode, z = dt lambda: coefficients of the powers of z. */
typedef struct wisp_polynomial {
  int degree;
  double c[WISP_MOST_STAGES + 1];
} wisp_polynomial;
wisp_polynomial wisp_scheme_polynomial(const wisp_scheme *scheme);
