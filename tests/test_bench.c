/* Claim: the library's product is what our kernels compute, in the layout that we say it has; every way it is taken in
 * is as right as its plain one; chains of its routines make the same condensed matrices, its sparse product the same
 * rows; a comparison gives each kernel a sound row, and a stage all other ways to it; a published table has its digits
 * beside ours; the command prints them as JSON. */
#include "test.h"
#include "command.h"
#include "dg_case.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/nodal/nodal.h"
#include "../runtime/nodal/dg_parts.h"
#include "../tuner/trial/workload.h"
#include "../tuner/compare/compare.h"
#include "../tuner/compare/rival.h"

/* One unpadded element a group, nodes fastest: a field array is then U itself, column by column. */
static void make_case(dg_case *c, int order)
{
  dg_case_make(c, order, 2, 0.2);
  wisp_layout layout = wisp_layout_padded(c->tet->Np, 4 * c->tet->Nfp, 1);
  assert_int_equal(layout.NpM, c->tet->Np);
  dg_case_discretise(c, &layout, WISP_GROUP_NATURAL, 1, c->system->boundary[0].name);
}

/* The product of a kernel with this operand; the caller frees it. */
static double *multiply(wisp_device *device, const dg_case *c, const char *kernel, wisp_precision precision,
                        const double *operand)
{
  OWNED(wisp_blas_close) wisp_blas *blas = NULL;
  wisp_yardstick rival = {.run = NULL};
  const size_t columns = c->dg->slots * (size_t)c->system->fields;
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), c->tet->N, NULL, precision);
  wisp_dense dense = {.matrix = NULL};
  wisp_spec_name_kernel(&spec, kernel);
  GOOD(wisp_blas_open(err, device, &blas));
  GOOD(wisp_nodal_dense(err, &spec, &dense));
  GOOD(wisp_rival_yardstick(err, device, blas, &dense, precision, (long long)c->dg->slots, &rival));
  assert_true(rival.error < (precision == WISP_F32 ? 1e-5 : 1e-13));
  const wisp_product *p = wisp_rival_product(rival.context);
  const size_t in = (size_t)p->k * columns, out = (size_t)p->m * columns, bytes = (size_t)precision;
  double *product = allocate(out, sizeof *product);
  OWNED(free) float *single = allocate((in + out), sizeof *single);
  for (size_t i = 0; i < in; i++) single[i] = (float)operand[i];
  GOOD(wisp_device_upload(err, device, p->B, precision == WISP_F32 ? (const void *)single : operand, in * bytes));
  GOOD(rival.run(err, rival.context));
  GOOD(wisp_device_download(err, device, precision == WISP_F32 ? (void *)single : product, p->C, out * bytes));
  for (size_t i = 0; i < out && precision == WISP_F32; i++) product[i] = (double)single[i];
  rival.destroy(rival.context);
  wisp_dense_release(&dense);
  return product;
}

/* The largest difference between d/dx_nu from the reference and from [Dr;Ds;Dt] U by the chain rule. */
static double volume_difference(const dg_case *c, const double *product, double *const du[3])
{
  const wisp_dg *dg = c->dg;
  size_t Np = (size_t)c->tet->Np, n = (size_t)c->system->fields;
  double worst = 0;
  for (size_t k = 0; k < dg->slots; k++)
    for (size_t f = 0; f < n; f++)
      for (size_t q = 0; q < 3 * Np; q++) {
        size_t nu = q / Np, i = q % Np;
        const double *column = product + (k * n + f) * 3 * Np;
        double sum = 0;
        for (size_t mu = 0; mu < 3; mu++)
          sum += dg->geo[wisp_dg_at(dg, WISP_GEO, (int)(3 * mu + nu), k)] * column[mu * Np + i];
        worst = fmax(worst, fabs(sum - du[nu][(k * n + f) * Np + i]));
      }
  return worst;
}

TEST(test_product_is_the_derivative)
{
  for (int order = 1; order <= 4; order += 3)
    for (int single = 0; single < 2; single++) {
      dg_case c;
      make_case(&c, order);
      double *u = dg_case_volume(c.dg), *du[3];
      for (int nu = 0; nu < 3; nu++) du[nu] = dg_case_volume(c.dg);
      dg_case_noise(c.dg, u);
      wisp_reference_derivative(c.dg, u, du);
      OWNED(free) double *product = multiply(*state, &c, "volume", single ? WISP_F32 : WISP_F64, u);
      double difference = volume_difference(&c, product, du);
      if (!(difference < (single ? 2e-3 : 1e-11))) fail_msg("order %d: differs by %g", order, difference);
      for (int nu = 0; nu < 3; nu++) free(du[nu]);
      free(u);
      dg_case_free(&c);
    }
}

TEST(test_product_is_the_lift)
{
  for (int order = 1; order <= 4; order += 3) {
    dg_case c;
    make_case(&c, order);
    size_t faces = wisp_dg_face_size(c.dg), volume = wisp_dg_volume_size(c.dg);
    OWNED(free) double *flux = dg_case_face(c.dg), *rhs = dg_case_volume(c.dg);
    for (size_t i = 0; i < faces; i++) flux[i] = 2.0 * rand() / RAND_MAX - 1;
    for (size_t i = 0; i < volume; i++) rhs[i] = 0;
    wisp_reference_lift(c.dg, flux, rhs);
    OWNED(free) double *product = multiply(*state, &c, "lift", WISP_F64, flux);
    for (size_t i = 0; i < volume; i++)
      if (!(fabs(product[i] - rhs[i]) < 1e-11)) fail_msg("order %d, number %zu: %g, %g", order, i, product[i], rhs[i]);
    dg_case_free(&c);
  }
}

typedef struct seen {
  int rows, rivals, steps;
} seen;

static wisp_status look(wisp_error *err, void *context, const wisp_comparison *row)
{
  seen *s = context;
  bool step = strcmp(row->spec.kernel, "step") == 0;
  wisp_dense dense = {.matrix = NULL};
  s->rows++;
  s->steps += step;
  assert_true(row->ms > 0 && row->gdofs > 0 && row->gbps > 0 && row->gflops >= 0 && row->efficiency > 0);
  assert_true(row->efficiency >= row->copy_share * (1 - 1e-12));           /* the floor has memory's part in it */
  if (step) assert_true(row->efficiency <= row->copy_share * (1 + 1e-12)); /* a whole stage's is nothing else */
  assert_int_equal(row->elements, 48);
  assert_int_equal(row->ours.match, WISP_MATCH_DEFAULT);
  assert_true(row->default_ms == row->ms); /* without a store, ours is the default */
  assert_true(*row->ours.strategy && *row->ours.layout);
  assert_true(step || strcmp(row->ours.params, row->standard.params) == 0);
  if (!*row->rival) return WISP_OK;
  s->rivals++;
  CALL(wisp_nodal_dense(err, &row->spec, &dense));
  assert_non_null(dense.matrix);
  wisp_dense_release(&dense);
  assert_true(row->rival_ms > 0 && row->rival_error < 1e-13);
  return WISP_OK;
}

static void complain(void *context, const char *text)
{
  fail_msg("%s", text);
}

/* A comparison of all kernels, or one, of a family at some orders in some precisions. */
static void compare(wisp_device *device, wisp_compare_request request)
{
  wisp_session session = {.device = device};
  request.warn = complain;
  GOOD(wisp_strategies_load(err, &session.strategies));
  GOOD(wisp_compare(err, &session, &request));
  wisp_strategies_free(session.strategies);
}

TEST(test_every_kernel_has_a_row)
{
  static const int order = 2;
  static const wisp_precision precision = WISP_F64;
  seen s = {0};
  compare(*state, (wisp_compare_request){.family = "nodal",
                                         .orders = &order,
                                         .order_count = 1,
                                         .precisions = &precision,
                                         .precision_count = 1,
                                         .elements = 48,
                                         .row = look,
                                         .context = &s});
  assert_true(s.rows >= 8);
  assert_int_equal(s.rivals, 3);
  assert_int_equal(s.steps, 1);
}

TEST(test_senseless_requests)
{
  static const int orders[] = {1, 16};
  static const wisp_precision precision = WISP_F64;
  const wisp_compare_request good = {.family = "nodal",
                                     .orders = orders,
                                     .order_count = 1,
                                     .precisions = &precision,
                                     .precision_count = 1,
                                     .row = look};
  wisp_error reason;
  wisp_compare_request bad[3] = {good, good, good};
  bad[0].family = "nodule";
  bad[1].kernel = "volumes";
  bad[2].order_count = 2;
  for (int i = 0; i < 3; i++)
    assert_int_equal(wisp_compare(&reason, &(wisp_session){.device = *state}, &bad[i]), WISP_EUSAGE);
}

/* Chains of a library's routines and its sparse product do the same as ours, and are timed beside it. */
static wisp_status look_at_others(wisp_error *err, void *context, const wisp_comparison *row)
{
  int *others = context;
  for (int i = 0; i < row->others; i++) {
    assert_true(*row->other[i].name && row->other[i].ms > 0);
    assert_true(row->other[i].error < (row->spec.precision == WISP_F32 ? 2e-5 : 1e-12));
  }
  *others += row->others;
  return WISP_OK;
}

TEST(test_others)
{
  static const int orders[] = {1, 4};
  static const wisp_precision precisions[] = {WISP_F32, WISP_F64};
  static const char *const kernels[][2] = {{"hdg", "condense"}, {"hdg", "apply"}, {"assembly", "multiply"}};
  const bool gpu = strncmp(test_device_name(), "cuda", 4) == 0;
  for (int k = 0; k < 3; k++) {
    int others = 0;
    compare(*state, (wisp_compare_request){.family = kernels[k][0],
                                           .kernel = kernels[k][1],
                                           .orders = orders,
                                           .order_count = 2,
                                           .precisions = precisions,
                                           .precision_count = 2,
                                           .elements = 300,
                                           .row = look_at_others,
                                           .context = &others});
    /* batches in double alone, rows of numbers in either precision */
    assert_true(gpu ? others == 8 || (k < 2 && others > 8) : others == 4);
  }
}

static const wisp_workload *find_workload(const char *family)
{
  const wisp_workload *workload = NULL;
  GOOD(wisp_workload_find(err, family, NULL, &workload));
  return workload;
}

/* A paper's digits, and ours: stages add up. */
static wisp_status look_at_table(wisp_error *err, void *context, const wisp_paper_row *row)
{
  int *rows = context;
  *rows += 1;
  assert_true(row->order == 2 && row->elements == 800 && row->columns > 7);
  assert_true(row->column[1].published == 9 && row->column[7].published == 170 && row->column[9].published == 6);
  double sum = 0;
  for (int i = 0; i < 5; i++) sum += i == 1 ? 0 : row->column[i].ours;
  assert_true(row->column[0].ours > 0 && fabs(sum - row->column[5].ours) < 1e-9 * sum);
  assert_true(row->column[6].ours > sum && row->column[7].ours > row->column[6].ours);
  return WISP_OK;
}

TEST(test_paper)
{
  static const int order = 2;
  wisp_session session = {.device = *state};
  int rows = 0;
  GOOD(wisp_strategies_load(err, &session.strategies));
  GOOD(find_workload("hdg")->paper(err, &session, &order, 1, 1000, look_at_table, &rows));
  assert_int_equal(rows, 1);
  assert_null(find_workload("nodal")->paper);
  assert_int_equal(rows, 1);
  wisp_strategies_free(session.strategies);
}

/* A table of "bench": at most 120 columns wide, with these words. The caller forgets it. */
static outcome table(const char *folder, const char *options, const char *words)
{
  char line[512];
  snprintf(line, sizeof line, "bench -d host %s", options);
  outcome o = run_in(folder, "", line);
  if (o.status != 0 || *o.err || !strstr(o.out, words)) fail_msg("wisp %s: %s%s", line, o.out, o.err);
  for (char *end, *at = o.out; (end = strchr(at, '\n')); at = end + 1) assert_true(end - at <= 120);
  return o;
}

TEST_IN_FOLDER(test_command)
{
  static const char *const keys[] = {"device", "family",     "kernel",     "strategy", "order",   "precision",
                                     "layout", "params",     "ms",         "gdofs",    "gbps",    "gflops",
                                     "rival",  "efficiency", "default_ms", "rival_ms", "speedup", "ratio"};
  OWNED(cJSON_Delete) cJSON *list = run_json(*state, "", "bench -d host -n 1 -p f32 --box 2 --kernel lift --json");
  const cJSON *row = cJSON_GetArrayItem(list, 0);
  assert_int_equal(cJSON_GetArraySize(list), 1);
  for (size_t i = 0; i < WISP_COUNT(keys); i++)
    if (!cJSON_GetObjectItem(row, keys[i])) fail_msg("%s is not there", keys[i]);
  assert_string_equal(json_text(row, "kernel"), "lift");
  assert_string_equal(json_text(row, "precision"), "f32");
  const double ms = json_number(row, "ms"), theirs = json_number(row, "rival_ms");
  assert_true(ms > 0 && theirs > 0);
  assert_true(fabs(json_number(row, "ratio") / (theirs / ms) - 1) < 1e-9);
  HELD(forget) outcome o = table(*state, "-n 1 -p f64 --box 2", "1  f64 step ");
  assert_null(strstr(o.out, "columns wide"));
  char library[96] = ""; /* it is told by name: which one stands behind x BLAS */
  const char *named = strstr(o.out, "\nx BLAS: times as fast as ");
  assert_true(named && sscanf(named, "\nx BLAS: times as fast as %95[^\n]", library) == 1);
  if (strcmp(library, "BLAS") == 0) fail_msg("the library has no name: %s", o.out);
}

/* The comparisons with the papers. */
TEST_IN_FOLDER(test_papers_command)
{
  HELD(forget) outcome o = table(*state, "-f hdg -n 1 --paper --elements 800", "20 x 20 squares: tables 2, 3, 4, 7");
  OWNED(cJSON_Delete) cJSON *times = run_json(*state, "", "bench -d host -f hdg -n 1 --paper --elements 800 --json");
  assert_true(json_number(cJSON_GetObjectItem(cJSON_GetArrayItem(times, 0), "local + copy"), "published") == 7);
  OWNED(cJSON_Delete)
  cJSON *errors = run_json(*state, "", "bench -d host -f assembly --accuracy --elements 1300 --json");
  assert_int_equal(cJSON_GetArraySize(errors), 6);
  /* a winner that reads its mesh in one way has another in its place */
  HELD(forget)
  outcome tuned = run_in(*state, "", "tune -q -d host -f assembly -n 1 -k fill -s stars --elements 300 --budget 1s");
  assert_int_equal(tuned.status, 0);
  forget(&o);
  o = table(*state, "-f assembly --accuracy --elements 1300", "676");
}

/* Every composition by each strategy of its kernels, beside a stage and nothing else. */
TEST_IN_FOLDER(test_alternatives)
{
  OWNED(cJSON_Delete)
  cJSON *list =
      run_json(*state, "", "bench -d host -f assembly -n 1 -p f64 --elements 500 -k step --alternatives --json");
  const cJSON *alternative = NULL, *alternatives = cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "others");
  int permuted = 0, atomic = 0, walked = 0;
  cJSON_ArrayForEach(alternative, alternatives)
  {
    const char *name = json_text(alternative, "name");
    permuted += strcmp(name, "matrices.entire+reduce.permuted") == 0;
    atomic += strcmp(name, "zero+scatter.atomic") == 0;
    walked += strcmp(name, "fill.scatter-reduction") == 0;
    assert_non_null(strchr(json_text(alternative, "params"), '='));
    assert_true(json_number(alternative, "ms") > 0 && json_number(alternative, "ratio") > 0);
  }
  assert_true(cJSON_GetArraySize(alternatives) >= 16 && permuted == 1 && atomic == 1 && walked == 1);
}

/* Sizes in what a stage computes, several elements, and one core beside a stage. */
TEST_IN_FOLDER(test_sizes)
{
  /* of triangles of order 1, four numbers an element: three and a half of the matrix, half a one of F */
  OWNED(cJSON_Delete)
  cJSON *dofs = run_json(*state, "", "bench -d host -f assembly -n 1 -p f64 --dofs 2e4 -k zero --json");
  assert_true(json_number(cJSON_GetArrayItem(dofs, 0), "elements") == 5000);
  OWNED(cJSON_Delete)
  cJSON *two =
      run_json(*state, "", "bench -d host -f assembly --element tet,tri -n 1 -p f64 --nonzeros 2e4 -k zero --json");
  assert_int_equal(cJSON_GetArraySize(two), 2);
  assert_string_equal(json_text(cJSON_GetArrayItem(two, 0), "element"), "tet");
  assert_string_equal(json_text(cJSON_GetArrayItem(two, 1), "element"), "tri");
  assert_true(json_number(cJSON_GetArrayItem(two, 1), "elements") == 5000);
  OWNED(cJSON_Delete)
  cJSON *cores = run_json(*state, "", "bench -d host -f assembly -n 1 -p f64 --elements 500 -k step --one-core --json");
  const cJSON *row = cJSON_GetArrayItem(cores, 1);
  assert_int_equal(cJSON_GetArraySize(cores), 2);
  assert_string_equal(json_text(row, "device"), "one core of the host");
  assert_true(json_number(row, "gdofs") > 0 && json_number(row, "elements") > 500);
}

/* A size's medians, in turn. */
typedef struct medians {
  int sizes;
  double of[8][WISP_ACCURACY_VARIANTS];
} medians;

static wisp_status take_size(wisp_error *err, void *context, const wisp_accuracy *row)
{
  medians *m = context;
  memcpy(m->of[m->sizes++], row->median, sizeof row->median);
  assert_true(row->nodes > 100 && row->mean[0] >= row->median[0] && row->mean[1] <= 1e-6);
  const double times = row->mean[2] / row->published; /* triangles as a mesher's are */
  assert_true(times > 1 / 3.0 && times < 3);
  return WISP_OK;
}

/* Relative errors of assembled matrices double from size to size, but not where elements are read by their edges. */
TEST(test_accuracy)
{
  wisp_session session = {.device = *state};
  medians m = {.sizes = 0};
  GOOD(wisp_strategies_load(err, &session.strategies));
  GOOD(find_workload("assembly")->accuracy(err, &session, 20000, take_size, &m));
  assert_null(find_workload("nodal")->accuracy);
  wisp_strategies_free(session.strategies);
  assert_int_equal(m.sizes, 4);
  for (int i = 0; i < m.sizes; i++) {
    const double times = i ? m.of[i][0] / m.of[i - 1][0] : 2;
    assert_true(times > 1.7 && times < 2.4);
    assert_true(m.of[i][1] < 1e-7);
  }
}

GROUP(device_set_up, device_tear_down)
