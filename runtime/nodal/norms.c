/* Functions into fields, and fields into numbers: loops over slots, on all cores. Sums are taken by blocks of fixed
 * size and added up in their order, so that they do not depend on how many cores there are. */
#include "dg_parts.h"
#include "stepper.h"
#include "../parallel.h"
#include "../../gen/wide.h"

/* --- fields from functions --- */

/* The function, or noise, that fills all slots. */
typedef struct filling {
  const wisp_dg *dg;
  wisp_function function; /* NULL: noise */
  const void *context;
  double t, *u;
} filling;

/* Numbers in [-1, 1) from an index; the mixing is that of splitmix64 (Steele et al. 2014). */
static double noise(uint64_t index)
{
  uint64_t hash = (index + 1) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
  return (double)((hash ^ hash >> 31) >> 11) / 4503599627370496.0 - 1;
}

static void fill_slot(const filling *fill, size_t k)
{
  const wisp_dg *dg = fill->dg;
  double xyz[3 * WISP_TET_MAX_NP], values[WISP_MAX_FIELDS * WISP_TET_MAX_NP], own[WISP_TET_MAX_NP];
  const int n = dg->system->fields;
  const size_t Np = (size_t)dg->tet->Np, count = Np * (size_t)n;
  if (fill->function) {
    wisp_dg_nodes(dg, k, xyz);
    fill->function(fill->context, Np, xyz, fill->t, values);
  } else
    for (size_t i = 0; i < count; i++) values[i] = noise((uint64_t)dg->slot[k] * count + i);
  for (int f = 0; f < n; f++) {
    for (size_t i = 0; i < Np; i++) own[i] = values[i * (size_t)n + (size_t)f];
    if (fill->function) wisp_tet_from_nodes(dg->tet, own);
    for (size_t i = 0; i < Np; i++) fill->u[wisp_layout_volume(&dg->layout, n, f, k, i)] = own[i];
  }
}

/* A wisp_sweep over groups, which are consecutive in memory: padding and empty slots are zero. */
static void fill_groups(void *context, size_t from, size_t to)
{
  const filling *fill = context;
  const wisp_dg *dg = fill->dg;
  const size_t KM = (size_t)dg->layout.KM, group = (size_t)(dg->system->fields * dg->layout.NpM);
  memset(fill->u + from * group, 0, (to - from) * group * sizeof *fill->u);
  for (size_t k = from * KM; k < to * KM; k++)
    if (dg->slot[k] != WISP_EMPTY) fill_slot(fill, k);
}

void wisp_dg_fill(const wisp_dg *dg, wisp_function function, const void *context, double t, double *u)
{
  filling fill = {dg, function, context, t, u};
  wisp_parallel_for(dg->groups, fill_groups, &fill);
}

void wisp_dg_noise(const wisp_dg *dg, double *u)
{
  filling fill = {.dg = dg, .u = u};
  wisp_parallel_for(dg->groups, fill_groups, &fill);
}

/* --- numbers from fields --- */

/* Columns that are multiplied at once, a fixed number so that the compiler makes vectors of them: the fields of as many
 * elements as fit. A block of slots is a unit of work, and leaves one sum. */
enum { COLUMNS = 32, BLOCK = 512 };

typedef struct measure measure;
enum { SUMS = 2 };
typedef void (*judge)(const measure *m, int count, const size_t *k, const double *columns, double sum[SUMS]);

/* A measure of fields: judge gets `count` elements at a time, and adds to its sums. */
struct measure {
  const wisp_dg *dg;
  const double *u;
  judge judge;
  double *sum; /* SUMS of each block */
  bool weighs; /* by the energy's factors of the system and the element: else fields count alike */
  /* of a distance from a function */
  wisp_function exact;
  const void *context;
  double t;
  wisp_quadrature quadrature;
  double *I;
};

/* One row of a matrix times the columns. Sums stay in registers, and each is taken in the order of the row, however
 * wide the vectors are of the machine that this runs on. */
WISP_WIDE static void multiply_columns(int Np, const double *row, const double *columns, double out[COLUMNS])
{
  for (int first = 0; first < COLUMNS; first += 16) {
    wisp_eight sums[2] = {{0}};
    for (int i = 0; i < Np; i++) {
      const wisp_eight *at = (const wisp_eight *)(columns + i * COLUMNS + first);
      for (int c = 0; c < 2; c++) sums[c] += row[i] * at[c];
    }
    memcpy(out + first, sums, sizeof sums);
  }
}

/* Columns stand as columns[node * COLUMNS + column]: the fields of one element after the other. */
static void sum_block(const measure *m, size_t from, size_t to, double *columns, double sum[SUMS])
{
  const int n = m->dg->system->fields;
  size_t slot[COLUMNS];
  int count = 0;
  for (size_t k = from; k < to; k++) {
    if (m->dg->slot[k] == WISP_EMPTY) continue;
    for (int i = 0; i < m->dg->tet->Np; i++)
      for (int f = 0; f < n; f++)
        columns[i * COLUMNS + count * n + f] = m->u[wisp_layout_volume(&m->dg->layout, n, f, k, (size_t)i)];
    slot[count++] = k;
    if ((count + 1) * n <= COLUMNS) continue;
    m->judge(m, count, slot, columns, sum);
    count = 0;
  }
  m->judge(m, count, slot, columns, sum);
}

/* A wisp_range over blocks. */
static wisp_status sum_blocks(wisp_error *err, void *context, size_t from, size_t to)
{
  const measure *m = context;
  OWNED(free) double *columns = NULL;
  CALL(wisp_new(err, COLUMNS * (size_t)m->dg->tet->Np, sizeof *columns, &columns));
  for (size_t b = from; b < to; b++) {
    const size_t end = (b + 1) * BLOCK;
    sum_block(m, b * BLOCK, end < m->dg->slots ? end : m->dg->slots, columns, m->sum + SUMS * b);
  }
  return WISP_OK;
}

static wisp_status sum_all(wisp_error *err, measure *m, double out[SUMS])
{
  const size_t blocks = (m->dg->slots + BLOCK - 1) / BLOCK;
  OWNED(free) double *sums = NULL;
  CALL(wisp_new(err, SUMS * blocks, sizeof *sums, &sums));
  m->sum = sums;
  CALL(wisp_parallel(err, blocks, sum_blocks, m));
  for (int i = 0; i < SUMS; i++) out[i] = 0;
  for (size_t i = 0; i < SUMS * blocks; i++) out[i % SUMS] += sums[i];
  return m->dg->domain ? wisp_ranks_sum(err, m->dg->domain->ranks, SUMS, out) : WISP_OK;
}

/* Points of the quadrature that are looked at together. */
enum { POINTS = 32 };

static double weight_of(const measure *m, size_t k, int f)
{
  return m->weighs ? wisp_system_energy(m->dg->system, wisp_dg_medium(m->dg, k), f) : 1;
}

/* Adds the squared distance from the exact fields, and these fields' own squares, at points from .. from + count - 1 of
 * the element in slot k, whose values there are value[point * COLUMNS + field]. Elements are straight: the Jacobian is
 * one number. */
static void add_distance(const measure *m, size_t k, size_t from, size_t count, const double *value, double sum[SUMS])
{
  const wisp_quadrature *rule = &m->quadrature;
  const int n = m->dg->system->fields;
  double xyz[3 * POINTS], exact[POINTS * WISP_MAX_FIELDS], *wanted = exact, weight[WISP_MAX_FIELDS];
  for (int f = 0; f < n; f++) weight[f] = weight_of(m, k, f);
  wisp_dg_coordinates(m->dg, k, count, rule->r + from, rule->s + from, rule->t + from, xyz);
  m->exact(m->context, count, xyz, m->t, exact);
  for (size_t q = 0; q < count; q++, value += COLUMNS, wanted += n) {
    double off = 0, square = 0;
    for (int f = 0; f < n; f++) {
      off += weight[f] * (value[f] - wanted[f]) * (value[f] - wanted[f]);
      square += weight[f] * wanted[f] * wanted[f];
    }
    sum[0] += m->dg->jacobian[k] * rule->w[from + q] * off;
    sum[1] += m->dg->jacobian[k] * rule->w[from + q] * square;
  }
}

static void square_error(const measure *m, int count, const size_t *k, const double *columns, double sum[SUMS])
{
  const int n = m->dg->system->fields, Np = m->dg->tet->Np;
  double values[POINTS * COLUMNS];
  for (size_t from = 0; from < m->quadrature.count; from += POINTS) {
    const size_t left = m->quadrature.count - from, points = left < POINTS ? left : POINTS;
    for (size_t q = 0; q < points; q++)
      multiply_columns(Np, m->I + (from + q) * (size_t)Np, columns, values + q * COLUMNS);
    for (int e = 0; e < count; e++) add_distance(m, k[e], from, points, values + e * n, sum);
  }
}

/* The square of the distance from a function that `m` names, by a quadrature of that degree, and of its length. */
static wisp_status measure_distance(wisp_error *err, measure m, int degree, double squares[SUMS])
{
  const wisp_tet *tet = m.dg->tet;
  HELD(wisp_quadrature_free) wisp_quadrature q = {0};
  OWNED(free) double *I = NULL;
  CALL(wisp_tet_quadrature(err, degree, &q));
  CALL(wisp_new(err, q.count * (size_t)tet->Np, sizeof *I, &I));
  CALL(wisp_tet_interpolation(err, tet, q.count, q.r, q.s, q.t, I));
  m.judge = square_error, m.quadrature = q, m.I = I;
  return sum_all(err, &m, squares);
}

wisp_status wisp_dg_l2_error(wisp_error *err, const wisp_dg *dg, const double *u, wisp_function exact,
                             const void *context, double t, double *out)
{
  double squares[SUMS];
  CALL(measure_distance(err, (measure){.dg = dg, .u = u, .exact = exact, .context = context, .t = t},
                        2 * dg->tet->N + 2, squares));
  *out = sqrt(squares[0]);
  return WISP_OK;
}

wisp_status wisp_dg_misfit(wisp_error *err, const wisp_dg *dg, const double *u, wisp_function exact,
                           const void *context, double *out)
{
  const measure m = {.dg = dg, .u = u, .weighs = true, .exact = exact, .context = context};
  double squares[SUMS];
  CALL(measure_distance(err, m, dg->tet->N + 1, squares));
  *out = squares[1] > 0 ? sqrt(squares[0] / squares[1]) : 1;
  return WISP_OK;
}

/* M = (V V^T)^-1, so that u^T M u is the sum of the squares of the modes V^-1 u. */
static void add_energy(const measure *m, int count, const size_t *k, const double *columns, double sum[SUMS])
{
  const wisp_dg *dg = m->dg;
  const int n = dg->system->fields, Np = dg->tet->Np;
  double squares[COLUMNS] = {0}, mode[COLUMNS];
  for (int i = 0; i < Np; i++) {
    multiply_columns(Np, dg->tet->inverse_V + i * Np, columns, mode);
    for (int c = 0; c < COLUMNS; c++) squares[c] += mode[c] * mode[c];
  }
  for (int e = 0; e < count; e++)
    for (int f = 0; f < n; f++) sum[0] += dg->jacobian[k[e]] * weight_of(m, k[e], f) * squares[e * n + f];
}

wisp_status wisp_dg_energy(wisp_error *err, const wisp_dg *dg, const double *u, double *out)
{
  measure m = {.dg = dg, .u = u, .judge = add_energy, .weighs = true};
  double sums[SUMS];
  CALL(sum_all(err, &m, sums));
  *out = sums[0];
  return WISP_OK;
}

/* The degrees of the orthonormal modes, in their order: i + j + k with k the fastest. */
static void list_degrees(int N, int *degree)
{
  for (int i = 0; i <= N; i++)
    for (int j = 0; i + j <= N; j++)
      for (int k = 0; i + j + k <= N; k++) *degree++ = i + j + k;
}

/* The squares of the modes of the two highest degrees. */
static void add_highest(const measure *m, int count, const size_t *k, const double *columns, double sum[SUMS])
{
  const wisp_dg *dg = m->dg;
  const int n = dg->system->fields, Np = dg->tet->Np;
  int degree[WISP_TET_MAX_NP];
  double mode[COLUMNS];
  list_degrees(dg->tet->N, degree);
  for (int i = 0; i < Np; i++) {
    const int below = dg->tet->N - degree[i];
    if (below >= SUMS) continue;
    multiply_columns(Np, dg->tet->inverse_V + i * Np, columns, mode);
    for (int c = 0; c < count * n; c++) sum[below] += dg->jacobian[k[c / n]] * mode[c] * mode[c];
  }
}

wisp_status wisp_dg_unresolved(wisp_error *err, const wisp_dg *dg, const double *u, bool upwind, double *out)
{
  measure m = {.dg = dg, .u = u, .judge = add_highest};
  double squares[SUMS];
  CALL(sum_all(err, &m, squares));
  *out = sqrt(squares[0]);
  if (upwind && squares[1] > squares[0]) *out = squares[0] / sqrt(squares[1]);
  return WISP_OK;
}

wisp_status wisp_dg_length(wisp_error *err, const wisp_dg *dg, const double *u, double *out)
{
  measure m = {.dg = dg, .u = u, .judge = add_energy};
  double sums[SUMS];
  CALL(sum_all(err, &m, sums));
  *out = sqrt(sums[0]);
  return WISP_OK;
}

/* ---- Random sums of the solution: what its spectrum is seen from, and whether it is finite. Only numbers that belong
 * to an element's node count: what kernels leave in padding and empty slots may be anything. */

enum { WORD = 32 }; /* groups of a unit of work, and bits of a word: so no two units share a word */

typedef struct marking {
  const wisp_dg *dg;
  uint32_t *bit;
} marking;

/* A wisp_sweep over units. */
static void mark(void *context, size_t from, size_t to)
{
  const marking *m = context;
  const wisp_dg *dg = m->dg;
  const wisp_layout *l = &dg->layout;
  const int n = dg->system->fields;
  const size_t unit = WORD * (size_t)l->KM, end = to * unit < dg->slots ? to * unit : dg->slots;
  for (size_t k = from * unit; k < end; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < n; f++)
      for (size_t i = 0; i < (size_t)l->Np; i++) {
        const size_t at = wisp_layout_volume(l, n, f, k, i);
        m->bit[at / WORD] |= (uint32_t)1 << at % WORD;
      }
}

wisp_status wisp_stepper_open_spectrum(wisp_error *err, wisp_stepper *solver, const wisp_dg *dg)
{
  CALL(wisp_dialect_module(err, solver->device, "solve/sketch", solver->precision, "", &solver->spectrum.module));
  CALL(wisp_device_alloc(err, solver->device, WISP_SPECTRUM * sizeof(double), &solver->spectrum.sums));
  const size_t words = (wisp_dg_volume_size(dg) + WORD - 1) / WORD;
  OWNED(free) uint32_t *bit = NULL; /* for each number of u: whether it is some element's */
  CALL(wisp_new(err, words, sizeof *bit, &bit));
  wisp_parallel_for((dg->groups + WORD - 1) / WORD, mark, &(marking){.dg = dg, .bit = bit});
  CALL(wisp_device_alloc(err, solver->device, words * sizeof *bit, &solver->spectrum.mask));
  return wisp_device_upload(err, solver->device, solver->spectrum.mask, bit, words * sizeof *bit);
}

void wisp_stepper_close_spectrum(wisp_stepper *solver)
{
  if (solver->spectrum.module) wisp_module_unload(solver->spectrum.module);
  if (solver->spectrum.sums) wisp_device_free(solver->device, solver->spectrum.sums);
  if (solver->spectrum.mask) wisp_device_free(solver->device, solver->spectrum.mask);
}

/* Adds up the sums of all domains, whose numbers are at the same places: each gets signs of its own. */
static wisp_status add_domains(wisp_error *err, const wisp_domain *domain, double *sums)
{
  if (!domain) return WISP_OK;
  const int rank = wisp_ranks_own(domain->ranks);
  for (size_t i = 0; rank && i < WISP_SPECTRUM; i++)
    if (noise(i + (size_t)rank * WISP_SPECTRUM) < 0) sums[i] = -sums[i];
  return wisp_ranks_sum(err, domain->ranks, WISP_SPECTRUM, sums);
}

wisp_status wisp_stepper_spectrum(wisp_error *err, const wisp_stepper *solver, double *out)
{
  wisp_pointer in = wisp_arrays_at(solver->problem->arrays, "u"), mask = solver->spectrum.mask;
  wisp_pointer to = solver->spectrum.sums;
  long long count = (long long)wisp_arrays_size(solver->problem->arrays, "u");
  const unsigned grid[2] = {WISP_SPECTRUM_BLOCKS, 1}, block[3] = {WISP_SPECTRUM_LANES, 1, 1};
  void *args[] = {&in, &mask, &to, &count};
  CALL(wisp_launch(err, solver->spectrum.module, NULL, grid, block, args, 4));
  CALL(wisp_device_download(err, solver->device, out, to, WISP_SPECTRUM * sizeof *out));
  return add_domains(err, wisp_problem_dg(solver->problem)->domain, out);
}
