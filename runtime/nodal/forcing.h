/* Sources on a device: the stages of a step add them to the fields, with weights that keep the scheme's order. */
#pragma once

#include "scheme.h"
#include "sources.h"

/* The functions of t are weighed for so many steps at once: meanwhile the host does not wait. */
enum { WISP_FORCING_STEPS = 256, WISP_FORCING_POINTS = 16 };

/* Stage k takes in place of s(t) the sum over q of weight[k][q] s(t + x[q] dt).
 *
 * For u' = L u + s g with a constant L the step is R(dt L) u + dt sum_k P_k(dt L) W_k g: P_k is what the stages after k
 * make of what is added there, a polynomial of degree stages - k, and W_k what the table gives. It equals the exact
 * solution's, the sum over j of z^j M_j with M_j = integral over x in [0, 1] of (1 - x)^j / j! s(t + x dt), up to the
 * scheme's order if the factor of z^j is M_j (j + 1)! p_(j+1), p being R's coefficients: 1 / j! below the order. A
 * constant s then has the weight 1 in every stage, and so a steady state stays one. Nested, W_k is a weighted mean: the
 * integral of (j + 1) (1 - x)^j s(t + x dt), j = stages - k. For other equations s is taken at the stages' times. */
typedef struct wisp_stage_weights {
  int points;
  double x[WISP_FORCING_POINTS];
  double weight[WISP_MOST_STAGES][WISP_FORCING_POINTS];
} wisp_stage_weights;
wisp_status wisp_stage_weights_of(wisp_error *err, const wisp_scheme *scheme, bool nested, bool linear,
                                  wisp_stage_weights *out);

typedef struct wisp_forcing wisp_forcing;

/* Borrows the sources, whose rows it uploads. Errors of wisp_source_rows_make. */
wisp_status wisp_forcing_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                const char *what, const wisp_sources *sources, wisp_forcing **out);
void wisp_forcing_destroy(wisp_forcing *forcing);
WISP_OWNED(wisp_forcing, wisp_forcing_destroy)

/* Waits, and makes the weights of so many steps of dt, at most WISP_FORCING_STEPS, from step number `from` after t. */
wisp_status wisp_forcing_weigh(wisp_error *err, wisp_forcing *forcing, const wisp_scheme *scheme, bool nested, double t,
                               double dt, long long from, long long steps);

/* Enqueues what a stage adds: to u, and, in low storage, to res. Every stage of a step comes once, in order. */
wisp_status wisp_forcing_add(wisp_error *err, const wisp_forcing *forcing, const wisp_scheme *scheme, int stage,
                             bool nested, wisp_pointer u, wisp_pointer res);
