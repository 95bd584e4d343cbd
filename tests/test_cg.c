/* Claim: the kernels that conjugate gradients need besides the operator do what their formulas say in double, and
 * nothing else: 1e-13 in FP64, 1e-5 in FP32, of the largest number; whatever the number of unknowns is a multiple of.
 * What is here is written down apart from what the tuner verifies every candidate with (test_kernels). */
#include "test.h"
#include "each_plan.h"
#include "solving.h"
#include "../runtime/arrays.h"

/* A problem of order 3: each element has 64 nodes, 8 of them inside. */
enum { ORDER = 3, ELEMENTS = 6007, WITHIN = 8 * ELEMENTS, PLACES = 64 * ELEMENTS };
enum { UNKNOWNS = 150001, PADDED = 150004, MOST_PARTS = 65536, IN_PARTS = 77, ROOM = 16, ITERATION = 5, LEFT = 9 };
static const double alpha_before = 0.375, keep = 0.25, gain = 0.75, scale = 0.5;

/* All arrays of the kernels, as they are in double. */
enum { SOLUTION, P, Z, R, AP, INVERSE, D, U, Y, RZ_SUMS, RR_SUMS, PAP_SUMS, STATE, HISTORY, ARRAYS };
static const char *const names[ARRAYS] = {"solution", "p", "z",       "r",       "Ap",       "inverse", "d",
                                          "u",        "y", "rz_sums", "rr_sums", "pAp_sums", "state",   "history"};

typedef struct vectors {
  size_t size[ARRAYS];
  double *at[ARRAYS];
  int *start, *copy;
  int *one, *two, *more, *surface; /* as the kernels have them */
  size_t copies, more_count;
  int left;        /* iterations */
  bool polynomial; /* makes z, or it is scale r / diagonal */
} vectors;

static int *integers(size_t count)
{
  int *list = calloc(count, sizeof *list);
  assert_non_null(list);
  return list;
}

static int is_within(int place)
{
  const int i = place % 4, j = place / 4 % 4, k = place / 16 % 4;
  return i % 3 && j % 3 && k % 3;
}

/* Unknowns within the elements have their one place there; of the others some have one copy, most two, some up to
 * eight, all over the elements, with places between them that are nobody's. */
static void make_copies(vectors *v)
{
  int *outer = integers(PLACES), outers = 0;
  v->start = integers(UNKNOWNS + 1);
  for (int g = 0; g < UNKNOWNS; g++)
    v->start[g + 1] = v->start[g] + (g < WITHIN || g % 7 == 0 ? 1 : g % 7 < 6 ? 2 : 3 + g / 7 % 6);
  v->copies = (size_t)v->start[UNKNOWNS];
  v->copy = integers(v->copies);
  for (int place = 0, g = 0; place < PLACES; place++)
    if (is_within(place))
      v->copy[g++] = place;
    else
      outer[outers++] = place;
  const size_t shared = v->copies - WITHIN;
  assert_true(shared < (size_t)outers && outers % 7919 != 0); /* a prime: every place is met once */
  for (size_t c = 0; c < shared; c++) v->copy[WITHIN + c] = outer[c * 7919 % (size_t)outers];
  free(outer);
}

/* The same for the kernels that begin at the unknowns: see wisp_hexcopies. */
static void pack_copies(vectors *v)
{
  v->one = integers(UNKNOWNS - WITHIN), v->two = integers(UNKNOWNS - WITHIN), v->more = integers(v->copies);
  v->more_count = 1;
  for (int g = WITHIN; g < UNKNOWNS; g++) {
    const int *copy = v->copy + v->start[g], others = v->start[g + 1] - v->start[g] - 1;
    v->one[g - WITHIN] = copy[0];
    v->two[g - WITHIN] = others == 0 ? -1 : others == 1 ? copy[1] : -1 - (int)v->more_count;
    if (others < 2) continue;
    v->more[v->more_count++] = others;
    for (int i = 1; i <= others; i++) v->more[v->more_count++] = copy[i];
  }
}

/* And for the one that begins at the places. */
static void pack_surfaces(vectors *v)
{
  int *unknown = integers(PLACES), outers = 0;
  for (int place = 0; place < PLACES; place++) unknown[place] = -1;
  for (int g = 0; g < UNKNOWNS; g++)
    for (int c = v->start[g]; c < v->start[g + 1]; c++) unknown[v->copy[c]] = g;
  v->surface = integers(PLACES - WITHIN);
  for (int place = 0; place < PLACES; place++)
    if (!is_within(place)) v->surface[outers++] = unknown[place];
  assert_int_equal(outers, PLACES - WITHIN);
  free(unknown);
}

/* Random numbers, positive where sums and diagonals are. */
static void make(vectors *v)
{
  *v = (vectors){.left = LEFT};
  make_copies(v);
  pack_copies(v);
  pack_surfaces(v);
  for (int a = 0; a < ARRAYS; a++) {
    v->size[a] = a < U ? PADDED : a < RZ_SUMS ? PLACES : a < STATE ? MOST_PARTS : a == STATE ? 8 : 3 * ROOM;
    v->at[a] = zeros(v->size[a]);
    fill_random(v->at[a], v->size[a]);
    for (size_t i = 0; (a == INVERSE || (a >= RZ_SUMS && a < STATE)) && i < v->size[a]; i++)
      v->at[a][i] = (float)fabs(v->at[a][i]) + 0.5f;
  }
  for (int i = UNKNOWNS; i < PADDED; i++) v->at[P][i] = v->at[R][i] = v->at[AP][i] = v->at[Z][i] = 0;
  const double state[8] = {0.75, 1.5, alpha_before, 1, 0.5, 0.25, ITERATION, 0};
  memcpy(v->at[STATE], state, sizeof state);
}

static vectors copy_of(const vectors *v)
{
  vectors same = *v;
  for (int a = 0; a < ARRAYS; a++) {
    same.at[a] = zeros(v->size[a]);
    memcpy(same.at[a], v->at[a], v->size[a] * sizeof(double));
  }
  return same;
}

static void drop(vectors *v)
{
  for (int a = 0; a < ARRAYS; a++) free(v->at[a]);
}

static double sum_parts(const double *parts, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += parts[i];
  return sum;
}

static double gathered(const vectors *v, size_t g)
{
  double sum = 0;
  for (int c = v->start[g]; c < v->start[g + 1]; c++) sum += v->at[Y][v->copy[c]];
  return sum;
}

/* --- what each kernel does to the vectors; sums are left in the first part --- */

static void update(vectors *v)
{
  const double rz = sum_parts(v->at[RZ_SUMS], IN_PARTS), rr = sum_parts(v->at[RR_SUMS], IN_PARTS);
  const double beta = rz / v->at[STATE][1];
  for (size_t g = 0; g < UNKNOWNS; g++) {
    v->at[SOLUTION][g] += alpha_before * v->at[P][g];
    const double z = v->polynomial ? v->at[Z][g] : scale * v->at[INVERSE][g] * v->at[R][g];
    v->at[P][g] = z + beta * v->at[P][g];
  }
  v->at[STATE][0] = rz, v->at[STATE][3] = 1, v->at[STATE][4] = rr;
  v->at[HISTORY][3 * ITERATION] = rr, v->at[HISTORY][3 * ITERATION + 1] = beta;
}

static void gather(vectors *v)
{
  double pAp = 0;
  for (size_t g = 0; g < UNKNOWNS; g++) {
    v->at[AP][g] = gathered(v, g);
    pAp += v->at[P][g] * v->at[AP][g];
  }
  v->at[PAP_SUMS][0] = pAp;
}

static void advance(vectors *v)
{
  const double alpha = v->at[STATE][0] / sum_parts(v->at[PAP_SUMS], IN_PARTS);
  double rz = 0, rr = 0;
  for (size_t g = 0; g < UNKNOWNS; g++) {
    const double r = v->at[R][g] -= alpha * v->at[AP][g], z = scale * v->at[INVERSE][g] * r;
    if (v->polynomial) v->at[Z][g] = z;
    rz += r * z, rr += r * r;
  }
  v->at[RZ_SUMS][0] = rz, v->at[RR_SUMS][0] = rr;
  v->at[STATE][1] = v->at[STATE][0], v->at[STATE][2] = alpha, v->at[STATE][6] += 1;
  v->at[HISTORY][3 * ITERATION + 2] = alpha;
  v->left--;
}

static void spread(vectors *v)
{
  const double *vector = v->at[v->polynomial ? Z : P];
  for (int place = 0; place < PLACES; place++) v->at[U][place] = 0;
  for (int g = 0; g < UNKNOWNS; g++)
    for (int c = v->start[g]; c < v->start[g + 1]; c++) v->at[U][v->copy[c]] = vector[g];
}

static void smooth(vectors *v)
{
  double rz = 0;
  for (size_t g = 0; g < UNKNOWNS; g++) {
    v->at[D][g] = keep * v->at[D][g] + gain * v->at[INVERSE][g] * (v->at[R][g] - gathered(v, g));
    v->at[Z][g] += v->at[D][g];
    rz += v->at[R][g] * v->at[Z][g];
  }
  v->at[RZ_SUMS][0] = rz;
}

static const struct {
  const char *name;
  void (*reference)(vectors *v);
  int sums[2]; /* arrays that it leaves parts in; -1: none */
} kernels[] = {{"update", update, {-1, -1}},
               {"spread", spread, {-1, -1}},
               {"gather", gather, {PAP_SUMS, -1}},
               {"advance", advance, {RZ_SUMS, RR_SUMS}},
               {"smooth", smooth, {RZ_SUMS, -1}}};

typedef struct check {
  wisp_device *device;
  wisp_arrays *arrays;
  const plan_case *c;
  vectors start, expected[2]; /* without a polynomial and with it */
  int kernel, verified;
} check;

static void open_arrays(check *all, wisp_precision precision)
{
  const vectors *v = &all->start;
  wisp_array list[ARRAYS + 5];
  for (int a = 0; a < ARRAYS; a++)
    list[a] = (wisp_array){names[a], a == INVERSE ? WISP_SINGLE : WISP_REAL, v->size[a], false};
  list[ARRAYS] = (wisp_array){"copy_one", WISP_INT, UNKNOWNS - WITHIN, false};
  list[ARRAYS + 1] = (wisp_array){"copy_two", WISP_INT, UNKNOWNS - WITHIN, false};
  list[ARRAYS + 2] = (wisp_array){"copy_more", WISP_INT, v->more_count, false};
  list[ARRAYS + 3] = (wisp_array){"surface", WISP_INT, PLACES - WITHIN, false};
  list[ARRAYS + 4] = (wisp_array){"left", WISP_INT, 1, false};
  GOOD(wisp_arrays_create(err, all->device, precision, "a test", WISP_WIDE_GUARD, list, ARRAYS + 5, &all->arrays));
  GOOD(wisp_arrays_upload_ints(err, all->arrays, "copy_one", v->one));
  GOOD(wisp_arrays_upload_ints(err, all->arrays, "copy_two", v->two));
  GOOD(wisp_arrays_upload_ints(err, all->arrays, "copy_more", v->more));
  GOOD(wisp_arrays_upload_ints(err, all->arrays, "surface", v->surface));
}

static void run(check *all, const wisp_kernel *kernel, bool polynomial)
{
  const wisp_binding scalars[] = {{"vector", wisp_arrays_at(all->arrays, polynomial ? "z" : "p"), 0},
                                  {"groups", 0, ELEMENTS},
                                  {"within", 0, WITHIN},
                                  {"unknowns", 0, UNKNOWNS},
                                  {"padded", 0, PADDED},
                                  {"polynomial", 0, polynomial},
                                  {"rz_parts", 0, IN_PARTS},
                                  {"rr_parts", 0, IN_PARTS},
                                  {"pAp_parts", 0, IN_PARTS},
                                  {"history_room", 0, ROOM},
                                  {"scale", 0, scale},
                                  {"first_step", 0, 0},
                                  {"keep", 0, keep},
                                  {"gain", 0, gain}};
  for (int a = 0; a < ARRAYS; a++) GOOD(wisp_arrays_upload(err, all->arrays, names[a], all->start.at[a]));
  GOOD(wisp_arrays_upload_ints(err, all->arrays, "left", &all->start.left));
  GOOD(wisp_arrays_launch(err, all->arrays, kernel, scalars, sizeof scalars / sizeof *scalars));
  GOOD(wisp_device_finish(err, all->device));
}

/* Every array is as expected, those that hold parts of sums in total; guard zones are whole. */
static void compare(const check *all, const wisp_plan *plan, const vectors *after)
{
  const double tolerance = plan->spec.precision == WISP_F64 ? 1e-13 : 1e-5;
  bool intact = false;
  char where[32] = "";
  for (int a = 0; a < ARRAYS; a++) {
    double *now = zeros(all->start.size[a]), largest = 0, worst = 0;
    const double *expected = after->at[a];
    size_t count = all->start.size[a];
    GOOD(wisp_arrays_download(err, all->arrays, names[a], now));
    if (a == kernels[all->kernel].sums[0] || a == kernels[all->kernel].sums[1]) {
      unsigned grid[2] = {0};
      GOOD(wisp_plan_grid(err, plan, NULL, grid));
      now[0] = sum_parts(now, grid[0]);
      count = 1;
    }
    for (size_t i = 0; i < count; i++) {
      largest = fmax(largest, fabs(expected[i]));
      worst = now[i] == now[i] ? fmax(worst, fabs(now[i] - expected[i])) : INFINITY;
    }
    /* A sum of random signs is far smaller than its terms. */
    if (count == 1) largest = fmax(largest, sqrt(UNKNOWNS));
    if (!(worst <= tolerance * largest))
      fail_msg("%s %s: %s is off by %g of %g", plan_case_text(all->c), plan->params, names[a], worst, largest);
    free(now);
  }
  int left = -1;
  GOOD(wisp_device_download(err, all->device, &left, wisp_arrays_at(all->arrays, "left"), sizeof left));
  assert_int_equal(left, after->left);
  GOOD(wisp_arrays_guards(err, all->arrays, &intact, where));
  if (!intact) fail_msg("%s %s: wrote beside %s", plan_case_text(all->c), plan->params, where);
}

static void verify(check *all, const wisp_plan *plan)
{
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  unsigned grid[2] = {0};
  GOOD(wisp_plan_compile(err, plan, wisp_device_limits(all->device)->target, &binary));
  GOOD(wisp_plan_grid(err, plan, NULL, grid));
  assert_true(grid[0] <= MOST_PARTS); /* each leaves a part */
  GOOD(wisp_kernel_create(err, all->device, plan, &binary, &kernel));
  for (int polynomial = 0; polynomial < 2; polynomial++) {
    run(all, kernel, polynomial);
    compare(all, plan, &all->expected[polynomial]);
  }
  all->verified++;
  wisp_kernel_destroy(kernel);
  free(binary.data);
}

/* The default candidate. */
static void verify_case(void *context, const plan_case *c)
{
  check *all = context;
  size_t k = 0;
  if (!c->plan) return;
  while (k < sizeof kernels / sizeof *kernels && strcmp(kernels[k].name, c->strategy->kernel) != 0) k++;
  if (strcmp(c->family->name, "tensor") != 0 || k == sizeof kernels / sizeof *kernels) return;
  all->c = c;
  all->kernel = (int)k;
  for (int polynomial = 0; polynomial < 2; polynomial++) {
    all->expected[polynomial] = copy_of(&all->start);
    all->expected[polynomial].polynomial = polynomial;
    kernels[k].reference(&all->expected[polynomial]);
  }
  open_arrays(all, c->spec.precision);
  verify(all, c->plan);
  wisp_arrays_destroy(all->arrays);
  for (int polynomial = 0; polynomial < 2; polynomial++) drop(&all->expected[polynomial]);
}

TEST(test_formulas)
{
  const plan_range range = {{ORDER, ORDER}, {WISP_F64, WISP_F32}};
  check all = {.device = open_test_device()};
  make(&all.start);
  each_plan(wisp_device_limits(all.device), &range, verify_case, &all);
  assert_true(all.verified >= 5 * 2);
  drop(&all.start);
  free(all.start.start), free(all.start.copy);
  free(all.start.one), free(all.start.two), free(all.start.more), free(all.start.surface);
  wisp_device_close(all.device);
}
