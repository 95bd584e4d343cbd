/* Claim: the public header is enough to solve. What is set is what is got, in the mesh's order whatever the layout;
 * energy does not grow in the step offered, and one too long is an error. Each kind of problem is solved from a program
 * as by the command, and its options are the command's. Requests that make no sense are refused in one line. */
#include "test.h"
#include "api_case.h"
#include "each_plan.h"

/* In the device's basis, values in the nodes come back as they went but for the rounding of the change of basis. */
static void exchange(const char *basis, double near)
{
  const wisp_solver_setting settings[] = {{"basis", basis}, {NULL, NULL}};
  api_solve s;
  wisp_solver_sizes sizes;
  wisp_kernel_info info;
  api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 2, .box = "2",
                                      .settings = settings});
  GOOD(wisp_solver_size(err, s.solver, &sizes));
  assert_true(s.K == 48 && s.Np == 10 && s.n == 6);
  assert_string_equal(sizes.name[0], "Ex");
  const size_t count = s.n * s.K * s.Np;
  OWNED(free) double *u = zeros(count), *back = zeros(count);
  for (size_t q = 0; q < count; q++) u[q] = (double)q / 7;
  GOOD(wisp_solver_set(err, s.solver, NULL, u));
  GOOD(wisp_solver_get(err, s.solver, back));
  for (size_t q = 0; q < count; q++) assert_true(fabs(u[q] - back[q]) <= near * u[q]);
  const double before = api_number(&s, "energy_final");
  api_steps(&s, 0, 7);
  const double after = api_number(&s, "energy_final");
  assert_true(before > 0 && after < before && before == api_number(&s, "energy_initial"));
  GOOD(wisp_solver_kernel(err, s.solver, 0, &info));
  assert_true(strlen(info.strategy) > 0 && strlen(info.match) > 0);
  api_close(&s);
}

TEST(test_exchange)
{
  exchange("nodal", 0);
  exchange("bernstein", 1e-13);
}

/* Nodes stand inside the box, and those of one element keep its place in the mesh's order: element 0 holds the origin.
 */
TEST(test_nodes)
{
  api_solve s;
  api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 1, .box = "1",
                                      .precision = WISP_F32});
  double xyz[6 * 4 * 3];
  int origin = 0;
  GOOD(wisp_solver_nodes(err, s.solver, xyz));
  for (int q = 0; q < 24; q++) {
    for (int c = 0; c < 3; c++) assert_true(xyz[3 * q + c] >= 0 && xyz[3 * q + c] <= 1);
    origin += q < 4 && xyz[3 * q] + xyz[3 * q + 1] + xyz[3 * q + 2] == 0;
  }
  assert_int_equal(origin, 1);
  api_close(&s);
}

/* The step that is offered stands, for both fluxes; one of 1 / 0.6 of it ends in an error, not in silence. */
TEST(test_step)
{
  static const char *const alphas[] = {"1", "0"};
  for (int central = 0; central < 2; central++) {
    const wisp_solver_setting settings[] = {{"alpha", alphas[central]}, {NULL, NULL}};
    api_solve s;
    api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 2, .box = "2",
                                        .precision = WISP_F32, .settings = settings});
    const size_t count = s.n * s.K * s.Np;
    OWNED(free) double *u = zeros(count);
    for (size_t q = 0; q < count; q++) u[q] = (double)(q * 7919 % 1009) / 1009 - 0.5;
    GOOD(wisp_solver_set(err, s.solver, NULL, u));
    const double before = api_number(&s, "energy_final"), dt = api_number(&s, "dt");
    api_steps(&s, 0, 1000);
    assert_true(api_number(&s, "energy_final") <= before);
    GOOD(wisp_solver_set(err, s.solver, NULL, u));
    BAD(wisp_solver_advance(err, s.solver, &(wisp_until){WISP_INIT(wisp_until), .steps = 1000, .dt = dt / 0.6}),
        WISP_EWRONG, "");
    GOOD(wisp_solver_set(err, s.solver, NULL, u)); /* and the solver goes on */
    api_steps(&s, 0, 10);
    assert_true(api_number(&s, "energy_final") <= before);
    api_close(&s);
  }
}

/* ---- Every kind of problem. */

static const struct {
  const char *problem;
  wisp_solver_setting settings[3];
  const char *error;   /* the report's number */
  double small;        /* it is less */
  int corners, points; /* of its fields */
} kinds[] = {{"maxwell", {{"time", "0.25"}, {NULL, NULL}}, "l2_error", 0.1, 4, 10},
             {"poisson", {{"preconditioner", "chebyshev"}, {"degree", "2"}}, "l2_error", 0.01, 8, 27},
             {"heat", {{"kappa", "1"}, {"steps", "3"}}, "l2_error", 0.01, 3, 6},
             {"helmholtz", {{"preconditioner", "diagonal"}, {NULL, NULL}}, "l2_u", 0.1, 3, 10}};

/* Fields are known where the report says how far they are off: at some point they are not 0. */
static void check_fields(const api_solve *s, int corners, int points)
{
  const wisp_fields *fields = NULL;
  GOOD(wisp_solver_fields(err, s->solver, &fields));
  const size_t count = fields->elements * fields->points;
  double largest = 0;
  assert_true(fields->corners == corners && fields->points == (size_t)points && fields->count > 0);
  assert_true(strlen(fields->name[0]) > 0);
  for (size_t f = 0; f < fields->count; f++)
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(fields->value[f][i]));
  for (size_t i = 0; i < 3 * count; i++) assert_true(fields->xyz[i] >= -1e-12 && fields->xyz[i] <= 1 + 1e-12);
  assert_true(largest > 0.1);
}

/* Progress goes up, to the end. */
static void listen(void *context, double share, const char *text)
{
  double *last = context;
  assert_true(strlen(text) > 0 && !(share < *last) && !(share > 1));
  if (!isnan(share)) *last = share;
}

TEST(test_kinds)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    wisp_solver_row row;
    wisp_kernel_info info;
    api_solve s;
    size_t rows = 0, lines = 0;
    api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = kinds[i].problem, .order = 2,
                                        .box = "4", .settings = kinds[i].settings});
    double last = 0;
    GOOD(
        wisp_solver_advance(err, s.solver, &(wisp_until){WISP_INIT(wisp_until), .progress = listen, .context = &last}));
    const double off = api_number(&s, kinds[i].error);
    if (!(off > 0 && off < kinds[i].small)) fail_msg("%s: the error is %g", kinds[i].problem, off);
    for (; wisp_solver_report_row(NULL, s.solver, rows, &row) == WISP_OK; rows++) {
      lines += row.kind == WISP_ROW_LINE;
      assert_true((row.kind == WISP_ROW_LINE || row.kind == WISP_ROW_KERNELS) == !row.key);
    }
    assert_true(rows > 15 && lines > 5);
    GOOD(wisp_solver_kernel(err, s.solver, 0, &info));
    BAD(wisp_solver_kernel(err, s.solver, 99, &info), WISP_EMISSING, "no more");
    BAD(wisp_solver_number(err, s.solver, "beauty", &(double){0}), WISP_EMISSING, "no number 'beauty'");
    check_fields(&s, kinds[i].corners, kinds[i].points);
    api_close(&s);
  }
}

/* A known solution stands at the points of its fields: the product of sin(pi s) exp(s) in each direction. */
TEST(test_values)
{
  const wisp_fields *fields = NULL;
  api_solve s;
  api_open(&s,
           &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "poisson", .order = 5, .box = "2,3,2"});
  GOOD(wisp_solver_advance(err, s.solver, NULL));
  GOOD(wisp_solver_fields(err, s.solver, &fields));
  assert_true(fields->elements == 12 && fields->points == 216);
  for (size_t i = 0; i < fields->elements * fields->points; i++) {
    double exact = 1;
    for (size_t c = 0; c < 3; c++) exact *= sin(acos(-1) * fields->xyz[3 * i + c]) * exp(fields->xyz[3 * i + c]);
    assert_true(fabs(fields->value[0][i] - exact) < 1e-3);
  }
  api_close(&s);
}

/* A program's own vertices: one cube of six tets, or a hex, or two triangles. */
TEST(test_own_mesh)
{
  static const double cube[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
  static const int hex[] = {0, 1, 2, 3, 4, 5, 6, 7}, triangles[] = {0, 1, 3, 0, 3, 2};
  const wisp_solver_request requests[] = {{WISP_INIT(wisp_solver_request), .problem = "poisson", .order = 4,
                                           .vertices = 8, .elements = 1, .xyz = cube, .corners = hex},
                                          {WISP_INIT(wisp_solver_request), .problem = "heat", .order = 4, .vertices = 4,
                                           .elements = 2, .xyz = cube, .corners = triangles},
                                          {WISP_INIT(wisp_solver_request), .problem = "helmholtz", .order = 4,
                                           .vertices = 4, .elements = 2, .xyz = cube, .corners = triangles}};
  for (size_t i = 0; i < 3; i++) {
    api_solve s;
    api_open(&s, &requests[i]);
    GOOD(wisp_solver_advance(err, s.solver, NULL));
    const double off = api_number(&s, i == 2 ? "l2_u" : "l2_error");
    assert_true(off > 0 && off < 0.5);
    assert_true(api_number(&s, "elements") == (double)requests[i].elements);
    api_close(&s);
  }
}

/* An option's default is within its own limits, and the help has every word of a choice. */
TEST(test_options)
{
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    wisp_solver_option o;
    size_t i = 0;
    for (; wisp_solver_option_at(NULL, kinds[k].problem, i, &o) == WISP_OK; i++) {
      char *rest = NULL, *end = NULL, words[128] = "";
      assert_true(strlen(o.name) > 0 && strlen(o.help) > 0 && !o.argument == (o.kind == WISP_OPTION_FLAG));
      if (o.kind == WISP_OPTION_INTEGER || o.kind == WISP_OPTION_REAL) {
        const double value = o.value ? strtod(o.value, &end) : o.least;
        if (!(o.least < o.most && value >= o.least && value <= o.most) || (end && *end && *end != ';'))
          fail_msg("%s: --%s: '%s' from %g to %g", kinds[k].problem, o.name, o.value, o.least, o.most);
      }
      bool has = o.kind != WISP_OPTION_CHOICE || !o.value;
      if (o.kind == WISP_OPTION_CHOICE) snprintf(words, sizeof words, "%s", o.choices);
      for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (!strstr(o.help, word)) fail_msg("%s: the help of --%s lacks '%s'", kinds[k].problem, o.name, word);
        has |= o.value && strcmp(o.value, word) == 0;
      }
      if (!has) fail_msg("%s: --%s cannot be '%s'", kinds[k].problem, o.name, o.value);
    }
    assert_true(i > 6);
  }
}

/* ---- What is refused. */

TEST(test_refusals)
{
  static const wisp_solver_setting soft[] = {{"boundary", "soft"}, {NULL, NULL}},
                                   dear[] = {{"colour", "red"}, {NULL, NULL}},
                                   ilu[] = {{"preconditioner", "ilu"}, {NULL, NULL}},
                                   many[] = {{"degree", "99"}, {NULL, NULL}};
  static const struct {
    wisp_solver_request request;
    wisp_status status;
    const char *says;
  } bad[] = {
      {{WISP_INIT(wisp_solver_request), .problem = "maxwell"}, WISP_EUSAGE, "0"},
      {{WISP_INIT(wisp_solver_request), .problem = "ether", .order = 2},
       WISP_EUSAGE,
       "'ether' cannot be solved: there are"},
      {{WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 2, .settings = soft}, WISP_EUSAGE, "soft"},
      {{WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 2, .mesh = "/nonexistent.msh"},
       WISP_EINPUT,
       "/nonexistent.msh"},
      {{WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 2, .mesh = "a.msh", .box = "2"},
       WISP_EUSAGE,
       "exclude"},
      {{WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 2, .settings = dear},
       WISP_EUSAGE,
       "maxwell has no option 'colour'"},
      {{WISP_INIT(wisp_solver_request), .problem = "poisson", .order = 2, .settings = dear},
       WISP_EUSAGE,
       "poisson has no option 'colour'"},
      {{WISP_INIT(wisp_solver_request), .problem = "poisson", .order = 2, .settings = ilu},
       WISP_EUSAGE,
       "must be one of none, jacobi, chebyshev"},
      {{WISP_INIT(wisp_solver_request), .problem = "poisson", .order = 2, .settings = many},
       WISP_EUSAGE,
       "from 1 to 16"},
      {{WISP_INIT(wisp_solver_request), .problem = "heat", .order = INT32_MAX},
       WISP_EUSAGE,
       "out of range: use 1 to 5"},
      {{WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = INT32_MIN}, WISP_EUSAGE, "use 1 to 15"},
      {{WISP_INIT(wisp_solver_request), .problem = "heat", .order = 1, .precision = 3}, WISP_EUSAGE, "no precision 3"},
      {{WISP_INIT(wisp_solver_request), .problem = "heat", .order = 2, .box = "many"}, WISP_EUSAGE, "squares a side"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    api_solve s;
    BAD(api_try(err, &s, &bad[i].request), bad[i].status, bad[i].says);
    assert_null(s.solver);
  }
}

TEST(test_nothing)
{
  api_solve s;
  double value = 0;
  wisp_solver *none = NULL;
  const wisp_solver_request request = {WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 1, .box = "1"};
  BAD(wisp_solver_set(err, NULL, NULL, &value), WISP_EUSAGE, "NULL");
  BAD(wisp_solver_get(err, NULL, &value), WISP_EUSAGE, "NULL");
  BAD(wisp_solver_advance(err, NULL, NULL), WISP_EUSAGE, "NULL");
  api_open(&s, &request);
  BAD(wisp_solver_create(err, s.session, NULL, &none), WISP_EUSAGE, "request is NULL");
  BAD(wisp_solver_create(err, s.session, &request, NULL), WISP_EUSAGE, "out is NULL");
  BAD(wisp_solver_create(err, NULL, &request, &none), WISP_EUSAGE, "session is NULL");
  BAD(wisp_solver_set(err, s.solver, NULL, NULL), WISP_EUSAGE, "NULL");
  BAD(wisp_solver_get(err, s.solver, NULL), WISP_EUSAGE, "NULL");
  BAD(wisp_solver_number(err, s.solver, NULL, &value), WISP_EUSAGE, "NULL");
  wisp_session_close(s.session);
  BAD(wisp_solver_advance(err, s.solver, NULL), WISP_EUSAGE, "its session was closed");
  wisp_solver_destroy(s.solver);
  wisp_solver_destroy(NULL);
}

/* An end of a run that is no number, or lies behind, changes nothing. */
TEST(test_ends)
{
  static const struct {
    wisp_until until;
    const char *says;
  } bad[] = {{{WISP_INIT(wisp_until), .steps = -1}, "until->steps is -1"},
             {{WISP_INIT(wisp_until), .steps = 1LL << 40}, "until->steps is 1099511627776"},
             {{WISP_INIT(wisp_until), .steps = 1, .dt = NAN}, "until->dt is not a number"},
             {{WISP_INIT(wisp_until), .steps = 1, .dt = -0.1}, "until->dt is -0.1"},
             {{WISP_INIT(wisp_until), .steps = 1, .dt = INFINITY}, "until->dt is inf"},
             {{WISP_INIT(wisp_until), .time = NAN}, "until->time is not a number"},
             {{WISP_INIT(wisp_until), .time = -1}, "until->time is -1"},
             {{WISP_INIT(wisp_until), .tolerance = -INFINITY}, "until->tolerance is -inf"},
             {{WISP_INIT(wisp_until), .time = 1e300}, "are too many"}};
  api_solve s;
  api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 1, .box = "1"});
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    BAD(wisp_solver_advance(err, s.solver, &bad[i].until), WISP_EUSAGE, bad[i].says);
  api_steps(&s, 0, 1);
  const double dt = api_number(&s, "dt");
  GOOD(wisp_solver_advance(err, s.solver, &(wisp_until){WISP_INIT(wisp_until), .time = 2 * dt}));
  assert_true(fabs(api_number(&s, "time") - 2 * dt) < 1e-12 * dt);
  api_close(&s);
}
