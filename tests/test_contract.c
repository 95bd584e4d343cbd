/* Claim: `wisp emit --json` says what a kernel wants as the library does, with expressions that come to the same
 * numbers, and --operands writes what the kernel reads: of the volume kernel's matrix it is shown that it takes
 * derivatives. */
#include "test.h"
#include "command.h"
#include "api_case.h"
#include "solving.h"
#include "store_fixture.h"
#include "../gen/language/expr.h"

enum { K = 1000 };

/* The value of an expression that the contract gives, in a launch on K elements. */
static int64_t value_of(const cJSON *json, const char *expression)
{
  OWNED(wisp_env_destroy) wisp_env *counts = NULL;
  int64_t value = 0;
  const int per_group = (int)json_number(cJSON_GetObjectItem(json, "layout"), "per_group");
  GOOD(wisp_env_create(err, NULL, &counts));
  GOOD(wisp_env_int(err, counts, "elements", K));
  GOOD(wisp_env_int(err, counts, "groups", (K + per_group - 1) / per_group));
  GOOD(wisp_eval_int(err, expression, counts, &value));
  return value;
}

static void same_argument(const cJSON *json, const wisp_kernel *kernel, size_t i)
{
  static const char *const kinds[] = {"in", "out", "inout", "operand", "scalar"}, *const numbers[] = {"int", "float",
                                                                                                      "double"};
  wisp_argument a;
  const cJSON *listed = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "arguments"), (int)i);
  size_t size = 0;
  GOOD(wisp_kernel_argument(err, kernel, i, &a));
  assert_string_equal(json_text(listed, "name"), a.name);
  assert_string_equal(json_text(listed, "kind"), kinds[a.kind]);
  assert_string_equal(json_text(listed, "number"), numbers[a.number]);
  assert_string_equal(json_text(listed, "meaning"), a.meaning);
  if (a.kind == WISP_ARGUMENT_SCALAR) return;
  GOOD(wisp_kernel_size(err, kernel, a.name, (wisp_count[]){{"elements", K}, {NULL, 0}}, &size));
  assert_int_equal(value_of(json, json_text(listed, "size")), size);
}

/* The default of a kernel on the host, as the command and as the library say it. */
static void compare(const char *folder, wisp_session *session, const char *options, const char *spec)
{
  wisp_error reason = {0};
  wisp_kernel *kernel = NULL;
  wisp_kernel_info info;
  wisp_field_layout l;
  char line[400], set[200];
  unsigned grid[3], block[3];
  size_t shared = 0;
  GOOD(wisp_kernel_open(err, session, spec, NULL, &kernel));
  GOOD(wisp_kernel_describe(err, kernel, &info));
  snprintf(set, sizeof set, "%s", info.params);
  for (char *at = set; *at; at++) *at = *at == ' ' ? ',' : *at;
  snprintf(line, sizeof line, "emit %s -l %s -s %s --set %s --target host --json", options, info.layout, info.strategy,
           set);
  OWNED(cJSON_Delete) cJSON *json = run_json(folder, "", line);
  assert_string_equal(json_text(json, "spec"), spec);
  assert_string_equal(json_text(json, "strategy"), info.strategy);
  assert_string_equal(json_text(json, "params"), info.params);
  assert_string_equal(json_text(json, "dialect"), "host");
  const int arguments = cJSON_GetArraySize(cJSON_GetObjectItem(json, "arguments"));
  assert_true(arguments > 2);
  for (int i = 0; i < arguments; i++) same_argument(json, kernel, (size_t)i);
  assert_int_equal(wisp_kernel_argument(&reason, kernel, (size_t)arguments, &(wisp_argument){.name = ""}),
                   WISP_EMISSING);
  GOOD(wisp_kernel_layout(err, kernel, &l));
  const cJSON *layout = cJSON_GetObjectItem(json, "layout");
  assert_string_equal(json_text(layout, "name"), info.layout);
  assert_int_equal(json_number(layout, "fields"), l.fields);
  assert_int_equal(json_number(layout, "nodes"), l.nodes);
  assert_int_equal(json_number(layout, "per_group"), l.per_group);
  assert_int_equal(json_number(layout, "stride"), l.stride);
  assert_int_equal(json_number(layout, "element_stride"), l.element_stride);
  assert_int_equal(json_number(layout, "node_stride"), l.node_stride);
  GOOD(wisp_kernel_shape(err, kernel, (wisp_count[]){{"elements", K}, {NULL, 0}}, grid, block, &shared));
  for (int d = 0; d < 3; d++)
    assert_int_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "block"), d)->valuedouble, block[d]);
  for (int d = 0; d < 2; d++)
    assert_int_equal(value_of(json, cJSON_GetArrayItem(cJSON_GetObjectItem(json, "grid"), d)->valuestring), grid[d]);
  assert_int_equal(json_number(json, "shared_bytes"), shared);
  const cJSON *fields = cJSON_GetObjectItem(json, "fields");
  for (int f = 0; f < cJSON_GetArraySize(fields); f++)
    assert_string_equal(cJSON_GetArrayItem(fields, f)->valuestring, wisp_kernel_field(kernel, (size_t)f));
  assert_null(wisp_kernel_field(kernel, (size_t)cJSON_GetArraySize(fields)));
  wisp_kernel_close(kernel);
}

/* On the host, whatever device is tested: the command plans for it without one. */
TEST_IN_FOLDER(test_json)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  GOOD(wisp_session_open(
      err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = "host", .store = "/nonexistent/wisp.db"},
      &session));
  compare(*state, session, "-n 3 -k volume -p f64", "nodal.volume:tet:p3:maxwell:f64");
  compare(*state, session, "-n 2 -k update -p f32", "nodal.update:tet:p2:maxwell:f32");
  compare(*state, session, "-n 1 -k lift -p f32", "nodal.lift:tet:p1:maxwell:f32");
  compare(*state, session, "-f tensor -n 4 -k stiffness -p f64", "tensor.stiffness:hex:p4:poisson:f64");
  compare(*state, session, "-f tensor -n 2 -k mass_trilinear -p f32", "tensor.mass_trilinear:hex:p2:poisson:f32");
}

/* field-in-shared reads D[mu][i][j] at q = (j * 3 + mu) * Np + i: rows add up to 0, and take the nodes' coordinates to
 * the unit matrix. */
TEST_IN_FOLDER(test_operands)
{
  enum { ORDER = 3, NP = 20 };
  wisp_session *session = NULL;
  wisp_kernel *kernel = NULL;
  double rst[3 * NP];
  char line[200];
  size_t length = 0;
  GOOD(wisp_session_open(
      err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = "host", .store = "/nonexistent/wisp.db"},
      &session));
  GOOD(wisp_kernel_open(err, session, "nodal.volume:tet:p3:maxwell:f64", NULL, &kernel));
  GOOD(wisp_kernel_nodes(err, kernel, rst));
  wisp_session_close(session);
  wisp_kernel_close(kernel);
  snprintf(line, sizeof line, "emit -n %d -k volume -p f64 -s field-in-shared --operands %s --json", ORDER,
           (const char *)*state);
  cJSON_Delete(run_json(*state, "", line));
  OWNED(free) double *D = (double *)(void *)fixture_read(fixture_path(*state, "D.f64"), &length);
  assert_int_equal(length, 3 * NP * NP * sizeof *D);
  for (size_t mu = 0; mu < 3; mu++)
    for (size_t i = 0; i < NP; i++)
      for (size_t c = 0; c < 4; c++) { /* the coordinates, then 1 */
        double sum = 0;
        for (size_t j = 0; j < NP; j++) sum += D[(j * 3 + mu) * NP + i] * (c < 3 ? rst[3 * j + c] : 1);
        if (!(fabs(sum - (c == mu)) < 1e-12)) fail_msg("derivative %zu of %zu is %g", mu, c, sum);
      }
}

TEST_IN_FOLDER(test_nonsense)
{
  static const struct {
    const char *arguments, *says;
    int status;
  } cases[] = {{"emit --json", "--json wants --kernel", 2},
               {"emit --operands .", "--operands wants --kernel", 2},
               {"emit -k volume --json --operands /nonexistent/folder", "/nonexistent/folder", 1}};
  for (size_t i = 0; i < WISP_COUNT(cases); i++)
    run_expect(*state, "", cases[i].status, cases[i].says, "%s", cases[i].arguments);
}
