#include "forcing.h"
#include "../../gen/jacobi.h"

#include <math.h>

/* ---- Weights. */

/* The polynomial in z = dt L by which what is added in `stage` reaches the end of the step. */
static void follow(const wisp_scheme *scheme, bool nested, int stage, double out[WISP_MOST_STAGES])
{
  double u[WISP_MOST_STAGES] = {0}, res[WISP_MOST_STAGES] = {0};
  for (int s = stage; s < scheme->stages; s++) {
    const double a = scheme->stage[s].a, b = scheme->stage[s].b, c = scheme->nested[s];
    for (int i = scheme->stages - 1; i >= 0; i--) {
      const double applied = i ? u[i - 1] : s == stage;
      if (nested)
        u[i] = c * applied;
      else
        res[i] = a * res[i] + applied;
    }
    for (int i = 0; i < scheme->stages && !nested; i++) u[i] += b * res[i];
  }
  memcpy(out, u, sizeof u);
}

/* Quadrature in [0, 1], and what the factor of z^j is to be: the integral of (j + 1) (1 - x)^j s times p_(j+1), as the
 * stages have it: the sum over k of P_k is (R(z) - 1) / z. */
static wisp_status aim(wisp_error *err, int stages, double P[][WISP_MOST_STAGES], wisp_stage_weights *to)
{
  double w[WISP_FORCING_POINTS];
  to->points = WISP_FORCING_POINTS;
  CALL(wisp_jacobi_gauss(err, 0, 0, to->points, to->x, w));
  for (int q = 0; q < to->points; q++) {
    double power = w[q] / 2;
    to->x[q] = (1 + to->x[q]) / 2;
    for (int j = 0; j < stages; j++, power *= 1 - to->x[q]) {
      double p = 0;
      for (int k = 0; k < stages; k++) p += P[k][j];
      to->weight[stages - 1 - j][q] = (j + 1) * power * p;
    }
  }
  return WISP_OK;
}

wisp_status wisp_stage_weights_of(wisp_error *err, const wisp_scheme *scheme, bool nested, bool linear,
                                  wisp_stage_weights *out)
{
  const int stages = scheme->stages;
  double P[WISP_MOST_STAGES][WISP_MOST_STAGES];
  *out = (wisp_stage_weights){.points = stages};
  for (int k = 0; k < stages && !linear; k++) out->x[k] = scheme->stage[k].c, out->weight[k][k] = 1;
  if (!linear) return WISP_OK;
  for (int k = 0; k < stages; k++) follow(scheme, nested, k, P[k]);
  CALL(aim(err, stages, P, out));
  for (int k = 0; k < stages; k++) { /* degree stages - 1 - k: of later stages none has it */
    const int j = stages - 1 - k;
    for (int q = 0; q < out->points; q++) {
      for (int i = 0; i < k; i++) out->weight[k][q] -= P[i][j] * out->weight[i][q];
      out->weight[k][q] /= P[k][j];
    }
  }
  return WISP_OK;
}

/* ---- On the device. */

struct wisp_forcing {
  wisp_device *device;
  wisp_module *module;
  const wisp_sources *sources;
  bool linear;
  size_t rows, terms;
  wisp_pointer address, first, term, value, weight, turn;
};

static wisp_status put(wisp_error *err, wisp_forcing *f, const void *from, size_t bytes, wisp_pointer *out)
{
  CALL(wisp_device_alloc(err, f->device, bytes + sizeof(double), out));
  return bytes ? wisp_device_upload(err, f->device, *out, from, bytes) : WISP_OK;
}

static size_t table_size(const wisp_forcing *f)
{
  return WISP_FORCING_STEPS * WISP_MOST_STAGES * f->terms;
}

wisp_status wisp_forcing_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                const char *what, const wisp_sources *sources, wisp_forcing **out)
{
  OWNED(wisp_forcing_destroy) wisp_forcing *f = NULL;
  HELD(wisp_source_rows_free) wisp_source_rows rows = {0};
  CALL(wisp_source_rows_make(err, what, sources, dg, &rows));
  CALL(wisp_new(err, 1, sizeof *f, &f));
  f->device = device;
  f->sources = sources;
  f->linear = wisp_system_is_affine(dg->system);
  f->rows = rows.rows;
  f->terms = wisp_sources_terms(sources);
  CALL(wisp_dialect_module(err, device, "solve/source", precision, "", &f->module));
  CALL(put(err, f, rows.address, rows.rows * sizeof *rows.address, &f->address));
  CALL(put(err, f, rows.first, (rows.rows ? rows.rows + 1 : 0) * sizeof *rows.first, &f->first));
  CALL(put(err, f, rows.term, rows.entries * sizeof *rows.term, &f->term));
  CALL(put(err, f, rows.value, rows.entries * sizeof *rows.value, &f->value));
  CALL(wisp_device_alloc(err, device, (table_size(f) + 1) * sizeof(double), &f->weight));
  CALL(wisp_device_alloc(err, device, 2 * sizeof(int32_t), &f->turn));
  return GIVE(f, out);
}

void wisp_forcing_destroy(wisp_forcing *forcing)
{
  if (!forcing) return;
  const wisp_pointer memory[] = {forcing->address, forcing->first,  forcing->term,
                                 forcing->value,   forcing->weight, forcing->turn};
  for (size_t i = 0; i < WISP_COUNT(memory); i++)
    if (memory[i]) wisp_device_free(forcing->device, memory[i]);
  if (forcing->module) wisp_module_unload(forcing->module);
  free(forcing);
}

/* The factor of what a stage adds to u where it is nested, and else to res. */
static double scale(const wisp_scheme *scheme, bool nested, int stage, double dt)
{
  return nested ? dt * scheme->nested[stage] : dt;
}

wisp_status wisp_forcing_weigh(wisp_error *err, wisp_forcing *f, const wisp_scheme *scheme, bool nested, double t,
                               double dt, long long from, long long steps)
{
  OWNED(free) double *table = NULL, *values = NULL;
  const int32_t turn[2] = {0, 0};
  wisp_stage_weights w;
  double at[WISP_FORCING_POINTS];
  CALL(wisp_stage_weights_of(err, scheme, nested, f->linear, &w));
  CALL(wisp_new(err, table_size(f) + 1, sizeof *table, &table));
  CALL(wisp_new(err, f->terms * WISP_FORCING_POINTS + 1, sizeof *values, &values));
  double *out = table;
  if (steps > WISP_FORCING_STEPS) steps = WISP_FORCING_STEPS;
  for (long long step = from; step < from + steps; step++) {
    for (int q = 0; q < w.points; q++) at[q] = t + dt * ((double)step + w.x[q]);
    wisp_sources_when(f->sources, (size_t)w.points, at, values);
    for (size_t i = 0; i < f->terms * (size_t)w.points; i++)
      CALL(wisp_require(err, isfinite(values[i]), WISP_EUSAGE, "option --source: a source is not finite at t = %g",
                        at[i % (size_t)w.points]));
    for (int k = 0; k < scheme->stages; k++)
      for (size_t j = 0; j < f->terms; j++, out++) {
        for (int q = 0; q < w.points; q++) *out += w.weight[k][q] * values[j * (size_t)w.points + (size_t)q];
        *out *= scale(scheme, nested, k, dt);
      }
  }
  CALL(wisp_device_upload(err, f->device, f->turn, turn, sizeof turn));
  return wisp_device_upload(err, f->device, f->weight, table, table_size(f) * sizeof *table);
}

wisp_status wisp_forcing_add(wisp_error *err, const wisp_forcing *f, const wisp_scheme *scheme, int stage, bool nested,
                             wisp_pointer u, wisp_pointer res)
{
  const unsigned grid[2] = {(unsigned)((f->rows + 255) / 256), 1}, block[3] = {256, 1, 1};
  wisp_pointer address = f->address, first = f->first, term = f->term, value = f->value, weight = f->weight,
               turn = f->turn;
  union { /* 8 bytes each, as a launch wants them */
    int number;
    long long wide;
  } at = {.number = stage}, stages = {.number = scheme->stages}, terms = {.number = (int)f->terms},
    low = {.number = !nested};
  double b = nested ? 1 : scheme->stage[stage].b;
  long long rows = (long long)f->rows;
  void *args[] = {&address, &first, &term, &value, &weight, &turn, &u, &res, &b, &at, &stages, &terms, &low, &rows};
  return f->rows ? wisp_launch(err, f->module, NULL, grid, block, args, WISP_COUNT(args)) : WISP_OK;
}
