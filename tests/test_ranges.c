/* Claim: a number outside the range that its family declares reaches no kernel: each call of wisp.h that passes one,
 * and a run, give a line with its name, its value and the range. The ends of a range are in it. The page of
 * verification lists every declared range. */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "store_fixture.h"
#include "../gen/family.h"

static void refuse(wisp_kernel *kernel, const char *name, double value, const char *range)
{
  char text[128];
  snprintf(text, sizeof text, "argument %s: %g is outside the range that kernels are verified for, %s", name, value,
           range);
  BAD(wisp_kernel_set(err, kernel, name, value), WISP_EUSAGE, text);
}

static void check_update(const char *spec)
{
  wisp_session *session = api_session();
  wisp_kernel *kernel = NULL;
  GOOD(wisp_kernel_open(err, session, spec, NULL, &kernel));
  refuse(kernel, "dt", -1e-9, "0 to 1e+30");
  refuse(kernel, "dt", 2e30, "0 to 1e+30");
  refuse(kernel, "dt", INFINITY, "0 to 1e+30");
  BAD(wisp_kernel_set(err, kernel, "dt", NAN), WISP_EUSAGE, "argument dt: not a number is outside");
  refuse(kernel, "a", -8.5, "-8 to 8");
  refuse(kernel, "b", 9, "-8 to 8");
  for (int sign = -1; sign < 2; sign += 2) GOOD(wisp_kernel_set(err, kernel, "a", 8 * sign));
  GOOD(wisp_kernel_set(err, kernel, "dt", 0));
  GOOD(wisp_kernel_set(err, kernel, "dt", 1e30));
  wisp_kernel_close(kernel);
  wisp_session_close(session);
}

TEST(test_kernels)
{
  check_update("nodal.update:tet:p1:maxwell:f64");
  check_update("nodal.update:tet:p1:maxwell:f32");
}

/* A count that a kernel takes as a scalar. */
TEST(test_counts)
{
  wisp_session *session = api_session();
  wisp_kernel *kernel = NULL;
  GOOD(wisp_kernel_open(err, session, "tensor.advance:hex:p1:poisson:f64", NULL, &kernel));
  refuse(kernel, "pAp_parts", 0, "1 to 65536");
  refuse(kernel, "pAp_parts", 65537, "1 to 65536");
  GOOD(wisp_kernel_set(err, kernel, "pAp_parts", 65536));
  wisp_kernel_close(kernel);
  wisp_session_close(session);
}

static const double square[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0},
                    cube[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int halves[] = {0, 1, 2, 1, 3, 2}, corners[] = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(test_operators)
{
  wisp_session *session = api_session();
  wisp_operator *op = NULL;
  wisp_matrix *matrix = NULL;
  wisp_helmholtz *helmholtz = NULL;
  void *memory = NULL;
  const wisp_operator_request stiffness = {
      WISP_INIT(wisp_operator_request), "tensor.collocated:hex:p1:poisson:f64", 8, 1, cube, corners, -1, 0};
  const wisp_matrix_request request = {WISP_INIT(wisp_matrix_request),
                                       .spec = "assembly.step:tri:p1:laplace:f64",
                                       .vertices = 4,
                                       .elements = 2,
                                       .xyz = square,
                                       .corners = halves};
  const wisp_solver_request problem = {WISP_INIT(wisp_solver_request),
                                       .problem = "helmholtz",
                                       .order = 1,
                                       .vertices = 4,
                                       .elements = 2,
                                       .xyz = square,
                                       .corners = halves};
  BAD(wisp_operator_create(err, session, &stiffness, &op), WISP_EUSAGE, "argument lambda: -1 is outside");
  GOOD(wisp_matrix_create(err, session, &request, &matrix));
  GOOD(wisp_memory_create(err, session, 1024, &memory));
  wisp_matrix_data data = {WISP_INIT(wisp_matrix_data), .kappa = {1}, .mass = -1};
  BAD(wisp_matrix_assemble(err, matrix, &data, memory, (char *)memory + 512, NULL), WISP_EUSAGE,
      "argument mass: -1 is outside");
  data.mass = 0, data.density = 1e31;
  BAD(wisp_matrix_assemble(err, matrix, &data, memory, (char *)memory + 512, NULL), WISP_EUSAGE,
      "argument density: 1e+31 is outside");
  for (int c = 0; c < 2; c++) {
    const double small[] = {1, 1e-31}, large[] = {1e31, 1};
    const wisp_helmholtz_input input = {WISP_INIT(wisp_helmholtz_input), .kappa = c ? NULL : small,
                                        .lambda = c ? large : NULL};
    BAD(wisp_helmholtz_create(err, session, &problem, &input, &helmholtz), WISP_EUSAGE,
        c ? "lambda is 1e+31 in triangle 0" : "kappa is 1e-31 in triangle 1");
  }
  wisp_memory_destroy(session, memory);
  wisp_matrix_destroy(matrix);
  wisp_session_close(session);
}

TEST_IN_FOLDER(test_runs)
{
  static const char *const runs[][2] = {
      {"maxwell -n 1 --box 1 --dt 1e31", "option --dt is '1e31', must be"},
      {"maxwell -n 1 --box 1 --alpha 1.5", "option --alpha is '1.5', must be"},
      {"heat -n 1 --box 2 --capacity 1e40", "argument mass: 1e+42 is outside the range that kernels are verified for"},
      {"heat -n 1 --box 2 --kappa 1e31", "argument kappa0: 1e+31 is outside"},
      {"poisson -n 1 --box 1 --lambda 1e13", "lambda is 1e+13 on a mesh"},
      {"helmholtz -n 1 --box 1 --kappa 1e-31", "must be positive, from 1e-30 to 1e+30"},
      {"helmholtz -n 1 --box 1 --lambda 1e31", "must be 0 or positive, from 0 to 1e+30"}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char line[256];
    snprintf(line, sizeof line, "run %s -d host --default", runs[i][0]);
    outcome o = run_in(*state, "", line);
    if (o.status != 2 || !strstr(o.err, runs[i][1])) fail_msg("%s: status %d: %s", runs[i][0], o.status, o.err);
    forget(&o);
  }
}

/* A row of the page's table: the family, a list of names, their range. */
static void expect_row(const char *page, const wisp_family *family, const char *name, const wisp_passed_values *passed)
{
  char first[40], quoted[40], range[64];
  const char *row = page;
  if (!passed->count) return;
  snprintf(first, sizeof first, "\n| %s | `", family->name);
  snprintf(quoted, sizeof quoted, "`%s`", name);
  snprintf(range, sizeof range, " | %g to %g |\n", passed->least, passed->most);
  while ((row = strstr(row, first)) != NULL) {
    const char *list = strstr(row, quoted), *end = strstr(row, range), *line = strchr(++row, '\n');
    if (list && end && list < line && end < line) return;
  }
  fail_msg("docs/reference/verification.md lacks a row of %s with %s and%s", family->name, quoted, range);
}

TEST(test_page)
{
  size_t length = 0;
  OWNED(free) char *page = fixture_read("docs/reference/verification.md", &length);
  for (size_t f = 0; wisp_family_at(f); f++) {
    const wisp_family *family = wisp_family_at(f);
    for (const wisp_array_decl *a = family->arrays; a->name; a++) expect_row(page, family, a->name, &a->passed);
    for (const wisp_scalar_decl *s = family->scalars; s && s->name; s++) expect_row(page, family, s->name, &s->passed);
  }
}
