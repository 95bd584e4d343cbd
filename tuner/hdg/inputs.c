#include "inputs.h"
#include "../../gen/random.h"
#include "../../runtime/hdg/reference_parts.h"
#include "../../runtime/solve/cg.h"

#include <math.h>
#include <string.h>

/* Elements that 16 bits do not count where an edge's blocks are small, at others edges' sides that they do not. */
long long wisp_hdg_many(const wisp_spec *spec)
{
  static const double ELEMENTS = 66000, SIDES = 66000, NUMBERS = 8e6;
  const double n = spec->order + 1, block_numbers = 1.5 * WISP_HDG_ROW * n * n; /* of an element's edges */
  return (long long)fmax(SIDES / 3, fmin(ELEMENTS, NUMBERS / block_numbers));
}

/* --- steps of the coarse cycle --- */

void wisp_hdg_add_step(const wisp_cycle_step *step, wisp_scalar_list *out)
{
  out->count += wisp_cycle_bindings(step, out->of + out->count);
}

const wisp_cycle_step *wisp_hdg_find_step(const wisp_cycle *c, enum wisp_cycle_how how, int n)
{
  int found = 0;
  for (size_t i = 0; i < c->steps; i++) found += c->step[i].how == how;
  for (size_t i = 0, k = 0; i < c->steps; i++)
    if (c->step[i].how == how && (int)k++ == n % found) return &c->step[i];
  return &c->step[c->steps - 1];
}

static bool has_step(const wisp_cycle *c, enum wisp_cycle_how how)
{
  bool found = false;
  for (size_t i = 0; i < c->steps; i++) found |= c->step[i].how == how;
  return found;
}

void wisp_hdg_add_small(const wisp_cycle *c, wisp_scalar_list *out)
{
  size_t from = 0;
  while (from + 1 < c->spans && wisp_cycle_small(c, from) == from) from++;
  const size_t behind = wisp_cycle_small(c, from);
  wisp_scalar_add(out, "small_from", (double)from);
  wisp_scalar_add(out, "small_to", (double)(behind > from ? behind : from + 1));
}

/* --- test cases --- */

/* The states of an iteration: in the middle, converged, history full, before the first. */
static const struct iteration_case {
  bool running, no_pAp;
  double iteration;
} iteration_cases[] = {{true, false, 5}, {false, false, 6}, {true, false, WISP_HDG_ITERATIONS}, {true, true, 0}};

static bool iterates(const wisp_kernel_decl *kernel)
{
  return wisp_list_has(kernel->writes, "state");
}

enum { PRODUCTS = 7 }; /* of a level of the coarse cycle */

static bool multiplies(const wisp_kernel_decl *kernel)
{
  return wisp_list_has(kernel->reads, "coarse_over") && !wisp_list_has(kernel->writes, "coarse_over");
}

int wisp_hdg_cases(const char *kernel)
{
  const wisp_kernel_decl *decl = wisp_family_kernel(wisp_family_find("hdg"), kernel);
  return multiplies(decl) ? PRODUCTS : iterates(decl) ? WISP_COUNT(iteration_cases) : 2;
}

/* The size of fields. */
static double magnitude(const wisp_test_case *r)
{
  return wisp_test_case_passed(r, &r->discretisation->family->magnitudes, 1);
}

static void fill_iteration(wisp_test_case *r)
{
  const struct iteration_case *given = &iteration_cases[r->number < WISP_EXTREMES ? r->number : 0];
  const double square = magnitude(r) * magnitude(r);
  const double state[WISP_CG_STATE] = {[WISP_CG_AT_RZ] = 96.5 * square,
                                       [WISP_CG_AT_RZ_BEFORE] = 64 * square,
                                       [WISP_CG_AT_ALPHA] = 0.375,
                                       [WISP_CG_AT_RUNNING] = given->running,
                                       [WISP_CG_AT_RR] = 0.5 * square,
                                       [WISP_CG_AT_LIMIT] = 0.25 * square,
                                       [WISP_CG_AT_ITERATION] = given->iteration};
  const double parts = wisp_test_case_scalar(r, "pAp_parts", 50 + (double)wisp_random_below(&r->random, 200));
  memcpy(r->before[WISP_HDG_STATE], state, sizeof state);
  r->before[WISP_HDG_LEFT][0] = 9;
  for (size_t i = 0; r->before[WISP_HDG_PAP_SUMS] && i < r->numbers[WISP_HDG_PAP_SUMS]; i++)
    r->before[WISP_HDG_PAP_SUMS][i] *= given->no_pAp ? 0 : square;
  wisp_scalar_add(&r->scalars, "pAp_parts", parts);
}

/* Rows and columns of an odd case's matrices differ in size, and so do pivots. */
static double row_scale(const wisp_test_case *r, size_t row)
{
  return r->number % 2 ? ldexp(1, -2 * (int)(row % 4)) : 1;
}

/* Own blocks that can be inverted: symmetric, their diagonals heavy, their rows alike. */
static void fill_blocks(const wisp_hdg *s, const wisp_test_case *r)
{
  static const double ALIKE = 0.75, NOISE = 0.125;
  const size_t n = (size_t)s->tables->n;
  const double heavy = 2 * (double)n * magnitude(r);
  double *blocks = r->before[WISP_HDG_BLOCKS];
  for (size_t edge = 0; edge < s->free_edges; edge++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++) {
        double *entry = &blocks[wisp_hdg_block_at(n, edge, 0, i, j)];
        const double alike = i == j ? 1 : (i + j) % 2 ? -ALIKE : ALIKE;
        *entry = row_scale(r, i) * row_scale(r, j) * (heavy * (r->number % 2 ? alike : i == j) + NOISE * *entry);
        blocks[wisp_hdg_block_at(n, edge, 0, j, i)] = *entry;
      }
}

/* Elements' matrices that can be inverted, and factors that can be solved with. */
static void fill_inside(const wisp_hdg *s, wisp_test_case *r)
{
  const size_t Np = (size_t)s->tables->Np, width = Np * (Np + 1) / 2;
  const bool matrices = wisp_list_has(r->kernel->reads, "inside_matrix");
  double *matrix = r->before[WISP_HDG_INSIDE_MATRIX], *factor = r->before[WISP_HDG_INSIDE_FACTOR];
  for (size_t q = 0; matrices && q < s->mesh->elements * Np; q++)
    for (size_t i = 0; i <= q % Np; i++) {
      double *entry = &matrix[WISP_SLAB(width, q / Np, wisp_hdg_half(Np, i, q % Np))];
      if (i == q % Np) *entry += 2 * (double)Np * magnitude(r);
      *entry *= row_scale(r, i) * row_scale(r, q % Np);
    }
  for (size_t q = 0; factor && wisp_list_has(r->kernel->reads, "inside_factor") && q < s->mesh->elements * Np; q++)
    factor[WISP_SLAB(width, q / Np, wisp_hdg_half(Np, q % Np, q % Np))] = 1 / ((double)Np * magnitude(r));
}

/* Coefficients in other units: all of a case of extremes by one power of two. */
static void scale_coefficients(const wisp_test_case *r)
{
  static const int powers[] = {0, 24, -24, 0, -12, 0, 12}, arrays[] = {WISP_HDG_TAU, WISP_HDG_KAPPA, WISP_HDG_LAMBDA};
  const int turn = wisp_test_case_extreme(r);
  for (size_t a = 0; turn > 0 && a < WISP_COUNT(arrays); a++)
    for (size_t i = 0; r->before[arrays[a]] && i < r->numbers[arrays[a]]; i++)
      r->before[arrays[a]][i] = ldexp(r->before[arrays[a]][i], powers[turn % (int)WISP_COUNT(powers)]);
}

/* A step of the coarse cycle; what is inverted has heavy diagonals. */
static wisp_status fill_step(wisp_error *err, wisp_test_case *r, enum wisp_cycle_how how)
{
  const wisp_cycle *c = ((const wisp_hdg *)r->discretisation->self)->coarse->cycle;
  wisp_cycle_step *step = NULL;
  CALL(wisp_require(err, has_step(c, how), WISP_EREFUSED, "the coarse cycle of a mesh so small has no such step"));
  CALL(wisp_new(err, 1, sizeof *step, &step));
  *step = *wisp_hdg_find_step(c, how, wisp_test_case_plain(r) ? how == WISP_CYCLE_PRODUCT : r->number);
  r->own = step;
  wisp_hdg_add_step(step, &r->scalars);
  for (size_t i = 0; how == WISP_CYCLE_INVERT && i < step->left.rows; i++)
    for (int32_t q = c->start[step->left.first + i]; q < c->start[step->left.first + i + 1]; q++) {
      double *number = &r->before[WISP_HDG_CYCLE_VALUE][q];
      const size_t column = (size_t)c->column[q];
      if (column == i) *number += (r->number == 1 ? -1 : 1) * (double)step->left.rows * magnitude(r);
      *number *= row_scale(r, i) * row_scale(r, column);
    }
  return WISP_OK;
}

/* The coarse matrix's rows, or a step. */
static wisp_status fill_coarse(wisp_error *err, wisp_test_case *r)
{
  const wisp_cycle *c = ((const wisp_hdg *)r->discretisation->self)->coarse->cycle;
  const bool weighs = wisp_list_has(r->kernel->writes, "coarse_over");
  if (multiplies(r->kernel)) return fill_step(err, r, WISP_CYCLE_PRODUCT);
  if (weighs) return fill_step(err, r, WISP_CYCLE_WEIGH);
  if (!wisp_list_has(r->kernel->reads, "corner_parts")) return fill_step(err, r, WISP_CYCLE_INVERT);
  wisp_scalar_add(&r->scalars, "out_first", (double)c->A.first);
  wisp_scalar_add(&r->scalars, "coarse_rows", (double)c->A.rows);
  return WISP_OK;
}

/* All of the cycle together, or what lies between its ends; one step, its last mostly. A mesh may be too small for a
 * cycle. */
static void fill_cycle(wisp_test_case *r)
{
  const wisp_cycle *c = ((const wisp_hdg *)r->discretisation->self)->coarse->cycle;
  const size_t last = c->spans ? c->spans - 1 : 0, turn = (size_t)wisp_test_case_extreme(r) + 1;
  const size_t span = r->number == 1 || !c->spans ? 0 : turn ? turn % c->spans : last;
  if (!c->spans) {
    wisp_scalar_add(&r->scalars, "small_from", 0);
    wisp_scalar_add(&r->scalars, "small_to", 0);
  } else if (wisp_test_case_plain(r)) {
    wisp_hdg_add_small(c, &r->scalars);
  } else {
    wisp_scalar_add(&r->scalars, "small_from", r->number ? 1 : 0);
    wisp_scalar_add(&r->scalars, "small_to", (double)(r->number ? c->spans - 1 : c->spans));
  }
  wisp_scalar_add(&r->scalars, "span", (double)span);
  wisp_scalar_add(&r->scalars, "cycle_rows", c->spans ? (double)c->span[span].count : 0);
}

/* Which steps of a smoothing the launch is: those of a case of extremes in turn. */
static void fill_smoothing(wisp_test_case *r)
{
  const int turn = wisp_test_case_extreme(r);
  wisp_scalar_add(&r->scalars, "gain", wisp_test_case_scalar(r, "gain", 0.625));
  wisp_scalar_add(&r->scalars, "keep", wisp_test_case_scalar(r, "keep", 0.25));
  wisp_scalar_add(&r->scalars, "first_step", r->number == 1 || (turn >= 0 && turn / 2 % 2));
  wisp_scalar_add(&r->scalars, "smoothed", r->number % 2);
  wisp_scalar_add(&r->scalars, "summed", !r->number || r->number == WISP_LAST || (turn >= 0 && turn % 3 == 0));
}

/* Elements without a load, one of four. */
static void clear_loads(const wisp_test_case *r)
{
  static const int loads[] = {WISP_HDG_LOAD, WISP_HDG_INNER_LOAD};
  for (size_t i = 0; i < WISP_COUNT(loads); i++)
    for (size_t k = 0; r->before[loads[i]] && k < r->numbers[loads[i]]; k++)
      if (k % WISP_SLAB_ELEMENTS % 4 == 1) r->before[loads[i]][k] = 0;
}

/* Case 1: numbers of very different size, and zeros among them. */
wisp_status wisp_hdg_fill_inputs(wisp_error *err, wisp_test_case *r)
{
  static const int shaped[] = {WISP_HDG_LOAD, WISP_HDG_GIVEN, WISP_HDG_ELEMENT_DATA, WISP_HDG_P, WISP_HDG_SOLUTION};
  if (wisp_list_has(r->kernel->writes, "cycle_value")) return fill_coarse(err, r);
  for (size_t i = 0; r->number == 1 && i < WISP_COUNT(shaped); i++)
    for (size_t k = 0; r->before[shaped[i]] && k < r->numbers[shaped[i]]; k++) {
      const size_t draw = wisp_random_below(&r->random, 12);
      r->before[shaped[i]][k] *= draw % 4 == 0 ? 0 : ldexp(1, 4 * (int)(draw / 4) - 4);
    }
  if (r->number == 1) clear_loads(r);
  scale_coefficients(r);
  if (wisp_list_has(r->kernel->writes, "inverses")) fill_blocks(r->discretisation->self, r);
  fill_inside(r->discretisation->self, r);
  for (size_t i = 0; r->before[WISP_HDG_BLOCKS_HALF] && i < r->numbers[WISP_HDG_BLOCKS_HALF]; i++)
    r->before[WISP_HDG_BLOCKS_HALF][i] = wisp_hdg_half_of(r->before[WISP_HDG_BLOCKS_HALF][i]);
  if (iterates(r->kernel)) fill_iteration(r);
  fill_cycle(r);
  fill_smoothing(r);
  return WISP_OK;
}
