/* Claim: a program can open a tuned kernel by its spec, ask what it wants, bind its own arrays and launch it: the
 * volume kernel then takes the curl of polynomials, exactly, in every layout. What makes no sense gets a status and a
 * line. */
#include "test.h"
#include "api_case.h"
#include "solving.h"
#include "../gen/family.h"
#include "../runtime/api/contract.h"
#include "../runtime/kernel.h"

#include <time.h>

static const char spec[] = "nodal.volume:tet:p3:maxwell:f64";
enum { K = 37, NP = 20, FIELDS = 6 };

/* Element k is the reference tet at h (1 1 0; 0 1 1; 0 0 1) r + b, so that dr/dx = (1 -1 1; 0 1 -1; 0 0 1) / h. */
static double width(size_t k)
{
  return 0.5 + 0.25 * (double)(k % 3);
}

static void place(size_t k, const double r[3], double x[3])
{
  x[0] = width(k) * (r[0] + r[1]) + 0.1 * (double)k;
  x[1] = width(k) * (r[1] + r[2]);
  x[2] = width(k) * r[2] - 0.1;
}

static const double inverse[9] = {1, -1, 1, 0, 1, -1, 0, 0, 1};

/* Ex Ey Ez Hx Hy Hz, of degree 3; rates: dE/dt = curl H, dH/dt = -curl E. */
static void fields(const double x[3], double u[FIELDS], double rate[FIELDS])
{
  u[0] = pow(x[1], 3), u[1] = pow(x[2], 3), u[2] = pow(x[0], 3);
  u[3] = x[1] * x[2], u[4] = x[2] * x[0] * x[0], u[5] = 2 * x[0] + x[1];
  rate[0] = 1 - x[0] * x[0], rate[1] = x[1] - 2, rate[2] = 2 * x[0] * x[2] - x[2];
  rate[3] = 3 * x[2] * x[2], rate[4] = 3 * x[0] * x[0], rate[5] = 3 * x[1] * x[1];
}

/* An array of an argument's size in the session's memory. */
static void *bind(wisp_session *session, wisp_kernel *kernel, const char *name, const double *values)
{
  void *memory = NULL;
  size_t numbers = 0;
  GOOD(wisp_kernel_size(err, kernel, name, (wisp_count[]){{"elements", K}, {NULL, 0}}, &numbers));
  GOOD(wisp_memory_create(err, session, numbers * sizeof *values, &memory));
  if (values) GOOD(wisp_memory_put(err, session, memory, values, numbers * sizeof *values));
  GOOD(wisp_kernel_bind(err, kernel, name, memory, numbers));
  return memory;
}

static size_t size_of(const wisp_kernel *kernel, const char *name)
{
  size_t numbers = 0;
  GOOD(wisp_kernel_size(err, kernel, name, (wisp_count[]){{"elements", K}, {NULL, 0}}, &numbers));
  return numbers;
}

static void check_layout(wisp_session *session, const char *layout)
{
  wisp_kernel *kernel = NULL;
  wisp_kernel_info info;
  wisp_field_layout l;
  double rst[3 * NP], x[3], at[FIELDS], rate[FIELDS];
  GOOD(wisp_kernel_open(err, session, spec, &(wisp_kernel_request){WISP_INIT(wisp_kernel_request), .layout = layout},
                        &kernel));
  GOOD(wisp_kernel_describe(err, kernel, &info));
  assert_string_equal(info.layout, layout);
  GOOD(wisp_kernel_layout(err, kernel, &l));
  assert_int_equal(l.nodes, NP);
  assert_int_equal(l.fields, FIELDS);
  GOOD(wisp_kernel_nodes(err, kernel, rst));
  const size_t numbers = size_of(kernel, "u"), KM = l.per_group;
  assert_int_equal(size_of(kernel, "geo"), (K + KM - 1) / KM * KM * 9);
  OWNED(free)
  double *u = zeros(numbers), *rhs = zeros(numbers), *geo = zeros(size_of(kernel, "geo"));
  for (size_t k = 0; k < K; k++) {
    for (size_t c = 0; c < 9; c++) geo[(k / KM * 9 + c) * KM + k % KM] = inverse[c] / width(k);
    for (size_t i = 0; i < NP; i++) {
      place(k, rst + 3 * i, x);
      fields(x, at, rate);
      for (size_t f = 0; f < FIELDS; f++) u[wisp_field_address(&l, f, k, i)] = at[f];
    }
  }
  void *on_u = bind(session, kernel, "u", u), *on_geo = bind(session, kernel, "geo", geo),
       *on_rhs = bind(session, kernel, "rhs", rhs);
  GOOD(wisp_kernel_launch(err, kernel, (wisp_count[]){{"elements", K}, {NULL, 0}}, NULL));
  GOOD(wisp_memory_get(err, session, rhs, on_rhs, numbers * sizeof *rhs));
  for (size_t k = 0; k < K; k++)
    for (size_t i = 0; i < NP; i++) {
      place(k, rst + 3 * i, x);
      fields(x, at, rate);
      for (size_t f = 0; f < FIELDS; f++)
        if (!(fabs(rhs[wisp_field_address(&l, f, k, i)] - rate[f]) < 1e-9))
          fail_msg("%s: element %zu, node %zu, field %zu: %g, not %g", layout, k, i, f,
                   rhs[wisp_field_address(&l, f, k, i)], rate[f]);
    }
  wisp_memory_destroy(session, on_u), wisp_memory_destroy(session, on_geo), wisp_memory_destroy(session, on_rhs);
  wisp_kernel_close(kernel);
}

TEST(test_curl)
{
  OWNED(wisp_session_close) wisp_session *session = api_session();
  wisp_layout layouts[8];
  char layout[WISP_LAYOUT_TEXT];
  const int count = wisp_family_layouts(&(wisp_spec){.family = "nodal", .order = 3}, layouts);
  for (int i = 0; i < count; i++) {
    wisp_layout_print(&layouts[i], layout);
    check_layout(session, layout);
  }
  assert_true(count > 1);
}

/* A launch works on as many elements as it says, whichever launches came before. */
TEST(test_counts)
{
  enum { NUMBERS = 8 };
  static const size_t launches[] = {3, 5, 3, 1, 2, 4, 6, 3, 5, 1, 37, 1};
  OWNED(wisp_session_close) wisp_session *session = api_session();
  wisp_kernel *kernel = NULL;
  double ones[K * NUMBERS], mass[K * 27], y[K * NUMBERS];
  GOOD(wisp_kernel_open(err, session, "tensor.mass:hex:p1:poisson:f64", NULL, &kernel));
  for (size_t i = 0; i < K * NUMBERS; i++) ones[i] = 1;
  for (size_t i = 0; i < K * 27; i++) mass[i] = 1;
  void *on_u = bind(session, kernel, "u", ones), *on_mass = bind(session, kernel, "gauss_mass", mass),
       *on_y = bind(session, kernel, "y", ones);
  for (size_t t = 0; t < WISP_COUNT(launches); t++) {
    for (size_t i = 0; i < K * NUMBERS; i++) y[i] = -1;
    GOOD(wisp_memory_put(err, session, on_y, y, sizeof y));
    GOOD(wisp_kernel_launch(err, kernel, (wisp_count[]){{"elements", launches[t]}, {NULL, 0}}, NULL));
    GOOD(wisp_memory_get(err, session, y, on_y, sizeof y));
    for (size_t i = 0; i < K * NUMBERS; i++)
      if ((y[i] > 0) != (i < launches[t] * NUMBERS)) fail_msg("%zu elements: number %zu is %g", launches[t], i, y[i]);
  }
  wisp_memory_destroy(session, on_u), wisp_memory_destroy(session, on_mass), wisp_memory_destroy(session, on_y);
  wisp_kernel_close(kernel);
}

/* Whatever is launched: each argument of each strategy of each family has a meaning, and arrays and operands a size
 * that counts alone are missing from. */
TEST(test_meanings)
{
  wisp_error reason = {0};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load(err, &all));
  for (size_t i = 0; i < all->count; i++) {
    const wisp_strategy *s = all->list[i];
    const wisp_family *family = wisp_family_find(s->family);
    wisp_spec text = wisp_family_spec(family, 3, NULL, WISP_F64);
    wisp_limits limits;
    wisp_layout layouts[8];
    const int count = wisp_family_layouts(&text, layouts);
    OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
    OWNED(wisp_env_destroy) wisp_env *names = NULL;
    OWNED(wisp_contract_destroy) wisp_contract *contract = NULL;
    snprintf(text.kernel, sizeof text.kernel, "%s", s->kernel);
    GOOD(wisp_target_limits(err, "sm_90", &limits));
    const wisp_target target = wisp_limits_target(&limits);
    for (int l = 0; l < count && !plan; l++) {
      wisp_env_destroy(names);
      GOOD(wisp_names_create(err, &text, &layouts[l], &target, NULL, &names));
      wisp_plan_default(&reason, s, &text, &layouts[l], names, &plan);
    }
    if (plan) GOOD(wisp_contract_create(err, plan, &contract));
    for (int a = 0; contract && a < contract->arguments; a++) {
      const wisp_argument *argument = &contract->argument[a];
      if (!*argument->meaning) fail_msg("%s.%s: %s has no meaning", family->name, text.kernel, argument->name);
      if (argument->kind == WISP_ARGUMENT_OPERAND && argument->size[strspn(argument->size, "0123456789*+-/%() ,")] &&
          !strstr(argument->size, "ceil") && !strstr(argument->size, "round_up"))
        fail_msg("%s.%s: operand %s has %s numbers", family->name, text.kernel, argument->name, argument->size);
    }
  }
}

TEST(test_nonsense)
{
  wisp_session *session = NULL;
  wisp_kernel *kernel = NULL;
  wisp_argument argument;
  double *some = NULL;
  void *memory = NULL;
  size_t numbers = 0;
  const wisp_count K37[] = {{"elements", K}, {NULL, 0}}, K38[] = {{"elements", 64 * K}, {NULL, 0}},
                   none[] = {{NULL, 0}};
  BAD(wisp_session_open(err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = "abacus"}, &session),
      WISP_EUSAGE, "abacus");
  BAD(wisp_session_open(err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = "host", .stream = err},
                        &session),
      WISP_EUSAGE, "stream");
  BAD(wisp_session_open(
          err, &(wisp_session_request){WISP_INIT(wisp_session_request), .defaults_only = 1, .exact_match_only = 1},
          &session),
      WISP_EUSAGE, "leave one out");
  BAD(wisp_session_open(err, NULL, NULL), WISP_EUSAGE, "NULL");
  session = api_session();
  BAD(wisp_kernel_open(err, NULL, spec, NULL, &kernel), WISP_EUSAGE, "session is NULL");
  BAD(wisp_kernel_open(err, session, NULL, NULL, &kernel), WISP_EUSAGE, "spec is NULL");
  BAD(wisp_kernel_open(err, session, "nonsense", NULL, &kernel), WISP_EINPUT, "nonsense");
  BAD(wisp_kernel_open(err, session, "modal.volume:tet:p3:maxwell:f64", NULL, &kernel), WISP_EUSAGE, "modal");
  BAD(wisp_kernel_open(err, session, "nodal.bolume:tet:p3:maxwell:f64", NULL, &kernel), WISP_EUSAGE, "bolume");
  BAD(wisp_kernel_open(err, session, "nodal.volume:hex:p3:maxwell:f64", NULL, &kernel), WISP_EUSAGE, "hex");
  BAD(wisp_kernel_open(err, session, "nodal.volume:tet:p99:maxwell:f64", NULL, &kernel), WISP_EUSAGE, "99");
  BAD(wisp_kernel_open(err, session, "nodal.volume:tet:p3:minwell:f64", NULL, &kernel), WISP_EUSAGE, "minwell");
  BAD(wisp_kernel_open(err, session, spec, &(wisp_kernel_request){WISP_INIT(wisp_kernel_request), .layout = "spiral"},
                       &kernel),
      WISP_EUSAGE, "spiral");
  assert_null(kernel);
  GOOD(wisp_kernel_open(err, session, spec, NULL, &kernel));
  BAD(wisp_kernel_launch(err, NULL, K37, NULL), WISP_EUSAGE, "NULL");
  BAD(wisp_kernel_launch(err, kernel, NULL, NULL), WISP_EUSAGE, "no counts");
  BAD(wisp_kernel_launch(err, kernel, none, NULL), WISP_EUSAGE, "elements");
  BAD(wisp_kernel_launch(err, kernel, K37, NULL), WISP_EUSAGE, "nothing is bound to its argument");
  BAD(wisp_kernel_argument(err, kernel, 99, &argument), WISP_EMISSING, "arguments");
  BAD(wisp_kernel_size(err, kernel, "weather", K37, &numbers), WISP_EUSAGE, "weather");
  BAD(wisp_kernel_set(err, kernel, "u", 3), WISP_EUSAGE, "bind it");
  numbers = size_of(kernel, "u");
  GOOD(wisp_memory_create(err, session, 2 * numbers * sizeof *some, &memory));
  some = memory;
  BAD(wisp_kernel_bind(err, kernel, "w", some, numbers), WISP_EUSAGE, "'w'");
  BAD(wisp_kernel_bind(err, kernel, NULL, some, numbers), WISP_EUSAGE, "NULL");
  BAD(wisp_kernel_bind(err, kernel, "u", NULL, numbers), WISP_EUSAGE, "NULL");
  BAD(wisp_kernel_bind(err, kernel, "u", some + 1, numbers), WISP_EUSAGE, "multiple of 16");
  BAD(wisp_kernel_bind(err, kernel, "groups", some, numbers), WISP_EUSAGE, "set it");
  GOOD(wisp_kernel_bind(err, kernel, "u", some, numbers));
  GOOD(wisp_kernel_bind(err, kernel, "geo", some, numbers));
  BAD(wisp_kernel_launch(err, kernel, K37, NULL), WISP_EUSAGE, "'rhs'");
  for (size_t i = 0; wisp_kernel_argument(NULL, kernel, i, &argument) == WISP_OK;
       i++) { /* operands are bound already */
    const bool bound = argument.kind == WISP_ARGUMENT_IN || argument.kind == WISP_ARGUMENT_OPERAND;
    assert_int_equal(argument.memory != NULL, bound);
  }
  GOOD(wisp_kernel_bind(err, kernel, "rhs", some + numbers, numbers));
  GOOD(wisp_kernel_launch(err, kernel, K37, NULL));
  BAD(wisp_kernel_launch(err, kernel, K38, NULL), WISP_EUSAGE, "are bound");
  for (size_t k = 1; k <= 9; k++) { /* more than are kept */
    GOOD(wisp_kernel_launch(err, kernel, (wisp_count[]){{"elements", k}, {NULL, 0}}, NULL));
    BAD(wisp_kernel_launch(err, kernel, K38, NULL), WISP_EUSAGE, "are bound");
  }
  GOOD(wisp_kernel_launch(err, kernel, K37, NULL));
  GOOD(wisp_kernel_bind(err, kernel, "u", some, 7));
  BAD(wisp_kernel_launch(err, kernel, K37, NULL), WISP_EUSAGE, "7 are bound");
  wisp_kernel_close(kernel);
  BAD(wisp_kernel_launch(err, kernel, K37, NULL), WISP_EUSAGE, "it was closed");
  wisp_kernel_close(kernel);
  GOOD(wisp_kernel_open(err, session, spec, NULL, &kernel));
  GOOD(wisp_session_finish(err, session));
  wisp_memory_destroy(session, memory);
  wisp_session_close(session);
  BAD(wisp_kernel_launch(err, kernel, K37, NULL), WISP_EUSAGE, "session was closed");
  wisp_kernel_close(kernel);
  wisp_kernel_close(NULL), wisp_session_close(NULL);
  assert_string_equal(wisp_version(), WISP_VERSION);
}

static double nanoseconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The interface adds far less than a microsecond to the driver's own launch, at best. */
TEST(test_quick)
{
  wisp_session *session = NULL;
  wisp_kernel *kernel = NULL;
  double best = INFINITY, direct = INFINITY;
  const wisp_count one[] = {{"elements", 1}, {NULL, 0}};
  enum { ROUNDS = 100 };
  if (getenv("WISP_TEST_QUICK") || getenv("WISP_TEST_COARSE"))
    skip(); /* valgrind's time tells nothing, nor sanitizers' */
  session = api_session();
  unsigned grid[3], block[3];
  wisp_passed value[WISP_MAX_ARGS];
  void *args[WISP_MAX_ARGS];
  GOOD(wisp_kernel_open(err, session, "tensor.collocated:hex:p1:poisson:f64", NULL, &kernel));
  GOOD(wisp_kernel_set(err, kernel, "lambda", 0));
  void *on_u = bind(session, kernel, "u", NULL), *on_y = bind(session, kernel, "y", NULL),
       *on_factors = bind(session, kernel, "gll_factors", NULL);
  GOOD(wisp_kernel_shape(err, kernel, one, grid, block, NULL));
  for (int i = 0; i < kernel->args; i++) {
    const char *name = kernel->arg[i].name;
    void *array = strcmp(name, "u") == 0 ? on_u : strcmp(name, "y") == 0 ? on_y : on_factors;
    value[i].pointer = kernel->operand[i] ? kernel->operand[i] : (wisp_pointer)(uintptr_t)array;
    if (kernel->arg[i].kind == WISP_ARG_VALUE) value[i] = (wisp_passed){.integer = strcmp(name, "groups") == 0};
    args[i] = &value[i];
  }
  for (int repetition = 0; repetition < ROUNDS && !(best - direct < 1000);
       repetition++) { /* on a busy machine until a quiet moment */
    best = direct = INFINITY;
    for (int i = 0; i < 20000; i++) {
      const double t0 = nanoseconds();
      GOOD(wisp_kernel_launch(err, kernel, one, NULL));
      const double t1 = nanoseconds();
      GOOD(wisp_launch(err, kernel->module, NULL, grid, block, args, kernel->args));
      const double t2 = nanoseconds();
      best = fmin(best, t1 - t0);
      direct = fmin(direct, t2 - t1);
      if (i % 1000 == 0) GOOD(wisp_session_finish(err, session));
    }
  }
  GOOD(wisp_session_finish(err, session));
  print_message("%.0f ns, the driver's own %.0f ns\n", best, direct);
  if (!(best - direct < 1000)) fail_msg("%.0f ns above the driver's own launch", best - direct);
  wisp_memory_destroy(session, on_u), wisp_memory_destroy(session, on_y), wisp_memory_destroy(session, on_factors);
  wisp_session_close(session);
  wisp_kernel_close(kernel);
}

/* A struct of a caller of an earlier version is shorter, one of a later version longer: what it lacks is 0, and what is
 * not known here must be. */
TEST(test_sizes)
{
  struct {
    wisp_session_request known;
    int later;
  } request = {.known = {.size = sizeof request, .device = test_device_name()}};
  wisp_session *session = NULL;
  GOOD(wisp_session_open(err, &request.known, &session));
  wisp_session_close(session);
  request.later = 1;
  BAD(wisp_session_open(err, &request.known, &session), WISP_EUSAGE, "a later version");
  request.known.size = offsetof(wisp_session_request, context), request.known.context = &request;
  GOOD(wisp_session_open(err, &request.known, &session)); /* the context is behind its end */
  wisp_session_close(session);
  request.known.size = 0;
  BAD(wisp_session_open(err, &request.known, &session), WISP_EUSAGE, "begin it with WISP_INIT");
}
