#include "cg_problem.h"
#include "../../gen/total.h"

size_t wisp_cg_padded(size_t unknowns)
{
  return (unknowns + 3) / 4 * 4;
}

static wisp_status fill_copies(wisp_error *err, const void *copies, wisp_arrays *arrays)
{
  const wisp_hexcopies *c = copies;
  CALL(wisp_arrays_upload_ints(err, arrays, "copy_one", c->one));
  CALL(wisp_arrays_upload_ints(err, arrays, "copy_two", c->two));
  CALL(wisp_arrays_upload_ints(err, arrays, "copy_more", c->more));
  return wisp_arrays_upload_ints(err, arrays, "surface", c->surface);
}

wisp_discretisation wisp_cg_discretisation(const wisp_hexcopies *copies, size_t elements, int order,
                                           const wisp_cg_capacity *capacity)
{
  const size_t Nq = (size_t)order + 1, Gl = (size_t)order + 2, Mq = (size_t)order / 2 + 1;
  return (wisp_discretisation){.family = wisp_family_find("tensor"),
                               .counts = {{"elements", elements},
                                          {"groups", elements},
                                          {"Np", Nq * Nq * Nq},
                                          {"Mp", Mq * Mq * Mq},
                                          {"glNp", Gl * Gl * Gl},
                                          {"unknowns", copies->unknowns},
                                          {"within", copies->within},
                                          {"padded", wisp_cg_padded(copies->unknowns)},
                                          {"more", copies->more_count},
                                          {"surfaces", copies->surfaces},
                                          {"rz_room", capacity->rz_parts},
                                          {"pAp_room", capacity->pAp_parts},
                                          {"states", WISP_CG_STATE},
                                          {"history_room", capacity->iterations},
                                          {"solves", 1}},
                               .self = (void *)(uintptr_t)copies,
                               .fill = fill_copies};
}

void wisp_cg_bind(const wisp_cg_scalars *s, wisp_binding out[WISP_CG_SCALARS])
{
  const wisp_binding all[WISP_CG_SCALARS] = {
      {"scale", 0, s->scale},
      {"keep", 0, s->beta},
      {"gain", 0, s->alpha},
      {"polynomial", 0, s->polynomial},
      {"first_step", 0, s->first_step},
      {"averaged", 0, s->averaged},
      {"rz_parts", 0, s->rz_parts},
      {"rr_parts", 0, s->rr_parts},
      {"pAp_parts", 0, s->pAp_parts},
  };
  for (int i = 0; i < WISP_CG_SCALARS; i++) out[i] = all[i];
}

/* Arrays before and after a kernel. */
typedef struct numbers {
  const wisp_hexcopies *copies;
  wisp_cg_scalars scalars;
  double *const *at, *const *size;
} numbers;

static double sum_parts(const double *parts, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += parts[i];
  return sum;
}

static void set(numbers *n, int array, size_t i, double value, double size)
{
  n->at[array][i] = value;
  n->size[array][i] = size;
}

static void set_state(numbers *n, int place, double value)
{
  set(n, WISP_TENSOR_STATE, (size_t)place, value, fabs(value));
}

/* History has room for so many iterations. */
static void note(numbers *n, size_t what, double value)
{
  const double iteration = n->at[WISP_TENSOR_STATE][WISP_CG_AT_ITERATION];
  if (iteration < n->scalars.history_room)
    set(n, WISP_TENSOR_HISTORY, 3 * (size_t)iteration + what, value, fabs(value));
}

static void set_total(numbers *n, int array, const wisp_total *total)
{
  set(n, array, 0, wisp_total_value(total), wisp_total_size(total));
}

static double gather_one(const numbers *n, size_t g, double *size)
{
  const wisp_hexcopies *c = n->copies;
  double sum = 0;
  *size = 0;
  for (int32_t i = c->start[g]; i < c->start[g + 1]; i++) {
    sum += n->at[WISP_TENSOR_Y][c->copy[i]];
    *size += fabs(n->at[WISP_TENSOR_Y][c->copy[i]]);
  }
  return sum;
}

static void update(numbers *n)
{
  const double *state = n->at[WISP_TENSOR_STATE], *r = n->at[WISP_TENSOR_R], *z = n->at[WISP_TENSOR_Z];
  const double *x = n->at[WISP_TENSOR_SOLUTION], *p = n->at[WISP_TENSOR_P], alpha = state[WISP_CG_AT_ALPHA];
  const double rz = sum_parts(n->at[WISP_TENSOR_RZ_SUMS], (size_t)n->scalars.rz_parts);
  const double rr = sum_parts(n->at[WISP_TENSOR_RR_SUMS], (size_t)n->scalars.rr_parts);
  const double before = state[WISP_CG_AT_RZ_BEFORE];
  const bool running = rr > state[WISP_CG_AT_LIMIT];
  const double beta = running && before > 0 ? rz / before : 0;
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    const double made = n->scalars.polynomial ? z[g] : n->scalars.scale * n->at[WISP_TENSOR_INVERSE][g] * r[g];
    const double old = p[g];
    set(n, WISP_TENSOR_SOLUTION, g, x[g] + alpha * old, fabs(x[g]) + fabs(alpha * old));
    set(n, WISP_TENSOR_P, g, made + beta * old, fabs(made) + fabs(beta * old));
  }
  note(n, 0, rr);
  note(n, 1, beta);
  set_state(n, WISP_CG_AT_RZ, rz);
  set_state(n, WISP_CG_AT_RR, rr);
  set_state(n, WISP_CG_AT_RUNNING, running);
  if (!running) n->at[WISP_TENSOR_LEFT][0] = 0;
}

static void gather(numbers *n)
{
  wisp_total pAp = {0};
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    double size;
    const double sum = gather_one(n, g, &size), p = n->at[WISP_TENSOR_P][g];
    set(n, WISP_TENSOR_AP, g, sum, size);
    wisp_total_add(&pAp, p * sum, p * size);
  }
  set_total(n, WISP_TENSOR_PAP_SUMS, &pAp);
}

static void advance(numbers *n)
{
  const double *state = n->at[WISP_TENSOR_STATE], *r = n->at[WISP_TENSOR_R], *Ap = n->at[WISP_TENSOR_AP];
  const double pAp = sum_parts(n->at[WISP_TENSOR_PAP_SUMS], (size_t)n->scalars.pAp_parts);
  const double rz_now = state[WISP_CG_AT_RZ];
  const bool running = state[WISP_CG_AT_RUNNING] > 0;
  const double alpha = running && pAp > 0 ? rz_now / pAp : 0;
  wisp_total rz = {0}, rr = {0};
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    const double weight = n->scalars.scale * n->at[WISP_TENSOR_INVERSE][g];
    const double value = r[g] - alpha * Ap[g], size = fabs(r[g]) + fabs(alpha * Ap[g]);
    set(n, WISP_TENSOR_R, g, value, size);
    if (n->scalars.polynomial) set(n, WISP_TENSOR_Z, g, weight * value, weight * size);
    wisp_total_add(&rz, value * weight * value, size * weight * size);
    wisp_total_add(&rr, value * value, size * size);
  }
  set_total(n, WISP_TENSOR_RZ_SUMS, &rz), set_total(n, WISP_TENSOR_RR_SUMS, &rr);
  note(n, 2, alpha);
  set_state(n, WISP_CG_AT_RZ_BEFORE, rz_now);
  set_state(n, WISP_CG_AT_ALPHA, alpha);
  if (!running) return;
  set_state(n, WISP_CG_AT_ITERATION, state[WISP_CG_AT_ITERATION] + 1);
  n->at[WISP_TENSOR_LEFT][0]--;
}

static void spread(numbers *n)
{
  const wisp_hexcopies *c = n->copies;
  const double *vector = n->at[n->scalars.vector];
  for (size_t l = 0; l < n->scalars.locals; l++) set(n, WISP_TENSOR_U, l, 0, 0);
  for (size_t g = 0; g < c->unknowns; g++)
    for (int32_t i = c->start[g]; i < c->start[g + 1]; i++)
      set(n, WISP_TENSOR_U, (size_t)c->copy[i], vector[g], fabs(vector[g]));
}

static void smooth(numbers *n)
{
  const wisp_cg_scalars *s = &n->scalars;
  const double *r = n->at[WISP_TENSOR_R], *z = n->at[WISP_TENSOR_Z];
  wisp_total rz = {0};
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    double size;
    const double Az = gather_one(n, g, &size), before = s->first_step ? z[g] : n->at[WISP_TENSOR_D][g];
    const double weight = s->alpha * n->at[WISP_TENSOR_INVERSE][g];
    const double d = s->beta * before + weight * (r[g] - Az);
    const double d_size = s->beta * fabs(before) + weight * (fabs(r[g]) + size);
    const double next = z[g] + d, next_size = fabs(z[g]) + d_size;
    set(n, WISP_TENSOR_D, g, d, d_size);
    set(n, WISP_TENSOR_Z, g, next, next_size);
    wisp_total_add(&rz, r[g] * next, r[g] * next_size);
  }
  set_total(n, WISP_TENSOR_RZ_SUMS, &rz);
}

/* --- multigrid --- */

/* In single precision, as the kernel. */
static void enter(numbers *n)
{
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    const float r = (float)n->at[WISP_TENSOR_R][g];
    const float weight = (float)n->scalars.scale * (float)n->at[WISP_TENSOR_INVERSE][g], made = weight * r;
    set(n, WISP_TENSOR_R_SINGLE, g, r, fabsf(r));
    set(n, WISP_TENSOR_Z_SINGLE, g, made, fabsf(made));
  }
}

static void leave(numbers *n)
{
  wisp_total rz = {0};
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    const double z = n->at[WISP_TENSOR_Z_SINGLE][g], term = n->at[WISP_TENSOR_R][g] * z;
    set(n, WISP_TENSOR_Z, g, z, fabs(z));
    wisp_total_add(&rz, term, fabs(term));
  }
  set_total(n, WISP_TENSOR_RZ_SUMS, &rz);
}

static void defect(numbers *n)
{
  const int32_t *start = n->copies->start;
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    const double share = n->scalars.averaged ? 1.0 / (start[g + 1] - start[g]) : 1, r = n->at[WISP_TENSOR_R][g];
    double size;
    const double sum = gather_one(n, g, &size);
    set(n, WISP_TENSOR_D, g, share * (r - sum), share * (fabs(r) + size));
  }
}

static void begin(numbers *n)
{
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    const double weight = n->scalars.scale * n->at[WISP_TENSOR_INVERSE][g];
    double size;
    const double sum = gather_one(n, g, &size);
    set(n, WISP_TENSOR_R, g, sum, size);
    set(n, WISP_TENSOR_Z, g, weight * sum, weight * size);
  }
}

static void correct(numbers *n)
{
  for (size_t g = 0; g < n->copies->unknowns; g++) {
    const double z = n->at[WISP_TENSOR_Z][g], more = n->at[WISP_TENSOR_Y][n->copies->copy[n->copies->start[g]]];
    set(n, WISP_TENSOR_Z, g, z + more, fabs(z) + fabs(more));
  }
}

/* An element's field between two orders, in extended precision, and the magnitudes that its numbers are made of. */
enum { MOST_NODES = (WISP_HEX_MAX_ORDER + 1) * (WISP_HEX_MAX_ORDER + 1) * (WISP_HEX_MAX_ORDER + 1) };
typedef struct field {
  long double value[MOST_NODES];
  double size[MOST_NODES];
} field;

/* J, or J^T, along a direction of which `inner` numbers stand side by side, `outer` times. */
static void transfer_along(const wisp_hex *hex, bool up, int inner, int outer, const field *from, field *to)
{
  const int many = up ? hex->Mq : hex->Nq, own = up ? hex->Nq : hex->Mq;
  for (int at = 0; at < outer * own * inner; at++) {
    const int i = at % inner, m = at / inner % own, o = at / inner / own;
    to->value[at] = to->size[at] = 0;
    for (int n = 0; n < many; n++) {
      const double entry = hex->J[(up ? m : n) * hex->Mq + (up ? n : m)];
      to->value[at] += entry * from->value[(o * many + n) * inner + i];
      to->size[at] += fabs(entry) * from->size[(o * many + n) * inner + i];
    }
  }
}

static void transfer(numbers *n, bool up)
{
  const wisp_hex *hex = n->scalars.hex;
  const int Np = hex->Np, Mp = hex->Mq * hex->Mq * hex->Mq, from = up ? Mp : Np, to = up ? Np : Mp;
  const int many = up ? hex->Mq : hex->Nq, own = up ? hex->Nq : hex->Mq;
  const double *given = n->at[up ? WISP_TENSOR_COARSE_U : WISP_TENSOR_U];
  const size_t elements = n->scalars.locals / (size_t)Np;
  for (size_t e = 0; e < elements; e++) {
    field a, b;
    for (int i = 0; i < from; i++)
      a.value[i] = given[e * (size_t)from + (size_t)i], a.size[i] = fabs((double)a.value[i]);
    transfer_along(hex, up, 1, many * many, &a, &b);
    transfer_along(hex, up, own, many, &b, &a);
    transfer_along(hex, up, own * own, 1, &a, &b);
    for (int i = 0; i < to; i++)
      set(n, up ? WISP_TENSOR_Y : WISP_TENSOR_COARSE_Y, e * (size_t)to + (size_t)i, (double)b.value[i], b.size[i]);
  }
}

static void restrict_residual(numbers *n)
{
  transfer(n, false);
}

static void prolong(numbers *n)
{
  transfer(n, true);
}

wisp_status wisp_cg_compute(wisp_error *err, const wisp_hexcopies *copies, const char *kernel, const wisp_cg_scalars *s,
                            double *const *at, double *const *size)
{
  static const struct {
    const char *kernel;
    void (*compute)(numbers *n);
  } kernels[] = {{"update", update},   {"spread", spread},   {"gather", gather},
                 {"advance", advance}, {"smooth", smooth},   {"enter", enter},
                 {"leave", leave},     {"defect", defect},   {"restrict", restrict_residual},
                 {"begin", begin},     {"prolong", prolong}, {"correct", correct}};
  numbers n = {.copies = copies, .scalars = *s, .at = at, .size = size};
  for (size_t k = 0; k < WISP_COUNT(kernels); k++) {
    if (strcmp(kernels[k].kernel, kernel) != 0) continue;
    kernels[k].compute(&n);
    return WISP_OK;
  }
  return wisp_fail(err, WISP_EUSAGE, "conjugate gradients have no kernel '%s'", kernel);
}
