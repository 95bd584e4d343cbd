/* Claim: every strategy's default candidate compiles with NVRTC at the orders of its family, and none spills absurdly.
 * Each is compiled once at N = 1, and at every tenth order, of an element of many orders at every fourteenth: the
 * targets sm_80, sm_90 and sm_100 take turns from order to order, at N = 1 by strategy, and so do precisions and
 * layouts. WISP_TEST_FULL=1, an hour: every order in both precisions for every target; WISP_TEST_FAMILY=NAME: of one
 * family. What a text calls the indices of its regions makes no difference to the code. Skipped where there is no
 * NVRTC. */
#include "test.h"
#include "each_plan.h"
#include "parsed.h"
#include "../tuner/trial/pipeline.h"

enum { ABSURD_SPILL = 4096 }; /* bytes a thread */

static const char *const targets[] = {"sm_80", "sm_90", "sm_100"};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct check {
  wisp_pipeline *pipeline;
  int target, compiled, failed;
} check;

/* One that does: for sm_100 NVRTC keeps in memory what the Bernstein lift, written out, loads in double precision above
 * order 6. Nothing is spilled for sm_80 and sm_90; a tuner takes another strategy there. */
static bool is_known_to_spill(const char *target, const wisp_job *job)
{
  const wisp_spec *spec = &job->plan->spec;
  return strcmp(target, "sm_100") == 0 && strcmp(spec->kernel, "gather_lift") == 0 &&
         strcmp(job->plan->strategy->name, "sparse-literal") == 0 && spec->precision == WISP_F64 && spec->order > 6;
}

static void look_at(check *all, const wisp_job *job)
{
  bool spills = job->status == WISP_OK && job->binary.usage.spill_bytes > ABSURD_SPILL &&
                !is_known_to_spill(targets[all->target], job);
  all->compiled++;
  if (job->status == WISP_OK && !spills && job->binary.length > 0) return;
  char spec[WISP_SPEC_TEXT], layout[WISP_LAYOUT_TEXT];
  wisp_spec_print(&job->plan->spec, spec);
  wisp_layout_print(&job->plan->layout, layout);
  print_error("%s %s %s %s: %s%d bytes spilled\n", spec, layout, job->plan->strategy->name, job->plan->params,
              job->error.text, job->binary.usage.spill_bytes);
  all->failed++;
}

/* At N = 1, where tables are small, by its number; above, each order is walked for one target. */
static bool target_has_turn(int target, int order, int number)
{
  return walks_in_full() || (order > 1 ? order : number) % TARGETS == target;
}

/* At N = 1 of a family's first element and its first systems. */
static bool has_turn(const check *all, const plan_case *c)
{
  enum { SYSTEMS = 3 };
  if (!walks_in_full() && c->spec.order == 1 && (c->repeated || c->system_number >= SYSTEMS)) return false;
  if (!walks_in_full() && c->spec.order > 1 && (c->spec.order + c->strategy_number) / 5 % 2) return false;
  return target_has_turn(all->target, c->spec.order, c->strategy_number) && order_has_turn(c, 1) &&
         precision_has_turn(c) && system_has_turn(c) && layout_has_turn(c);
}

static void compile_case(void *context, const plan_case *c)
{
  check *all = context;
  wisp_plan *plan = NULL;
  wisp_job *job = NULL;
  if (has_turn(all, c)) {
    const char *params = c->plan->params;
    GOOD(wisp_plan_from_text(err, c->strategy, &c->spec, &c->layout, c->names, params, &plan));
    GOOD(wisp_pipeline_submit(err, all->pipeline, plan, true));
  }
  while (c->last && (job = wisp_pipeline_take(all->pipeline))) {
    look_at(all, job);
    wisp_job_free(job);
  }
}

static bool has_nvrtc(void)
{
  wisp_binary binary = {0};
  wisp_error err = {0};
  wisp_status status = wisp_compile(&err, "sm_90", "probe", "extern \"C\" __global__ void probe() {}", &binary);
  free(binary.data);
  if (status != WISP_OK) print_message("no NVRTC: %s\n", err.text);
  return status == WISP_OK;
}

TEST(test_targets)
{
  check all = {0};
  if (!has_nvrtc()) skip();
  for (; all.target < TARGETS; all.target++) {
    const wisp_limits limits = target_limits(targets[all.target]);
    GOOD(wisp_pipeline_create(err, targets[all.target], 0, 1, &all.pipeline));
    all.compiled = 0;
    for (int order = 1; order <= HIGHEST_ORDER; order++) {
      const plan_range range = {{order, order}, {WISP_F32, WISP_F64}};
      if (order == 1 || target_has_turn(all.target, order, 0))
        each_plan_of_systems(&limits, &range, compile_case, &all);
    }
    wisp_pipeline_destroy(all.pipeline);
    assert_true(all.compiled > (getenv("WISP_TEST_FAMILY") ? 1 : 40));
  }
  assert_int_equal(all.failed, 0);
}

/* A kernel with a region of each kind, for a block of 8 x 4 threads: with the indices' usual names, and with others. */
static const char space[] = "kernel assemble\nlayouts node\nblock 8 4\ngrid groups\n"
                            "arg in real dux\narg out real rhs\narg value int groups\n";
static const char usual[] = "FOR_Y(y, 4)\n"
                            "  FOR_X(x, 8)\n"
                            "    rhs[y * 8 + x] = dux[x * 4 + y];\n"
                            "  END_X\n"
                            "END_Y\n"
                            "SYNC();\n"
                            "FOR_ITEMS(i, 4, e, 2)\n"
                            "  rhs[32 + i * 2 + e] = dux[e * 4 + i];\n"
                            "END_ITEMS\n"
                            "SYNC();\n"
                            "FOR_ALL(q, 64)\n"
                            "  rhs[q] *= dux[q];\n"
                            "END_ALL\n";
static const char other[] = "FOR_Y(e, 4)\n"
                            "  FOR_X(n, 8)\n"
                            "    rhs[e * 8 + n] = dux[n * 4 + e];\n"
                            "  END_X\n"
                            "END_Y\n"
                            "SYNC();\n"
                            "FOR_ITEMS(x, 4, y, 2)\n"
                            "  rhs[32 + x * 2 + y] = dux[y * 4 + x];\n"
                            "END_ITEMS\n"
                            "SYNC();\n"
                            "FOR_ALL(z, 64)\n"
                            "  rhs[z] *= dux[z];\n"
                            "END_ALL\n";

static void compile_text(const char *text, wisp_binary *out)
{
  const wisp_limits limits = target_limits("sm_90");
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), 1, NULL, WISP_F64);
  wisp_layout layouts[8];
  OWNED(wisp_strategy_destroy) wisp_strategy *strategy = NULL;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_spec_name_kernel(&spec, "assemble");
  wisp_family_layouts(&spec, layouts);
  OWNED(wisp_env_destroy) wisp_env *names = plan_names(&limits, &spec, layouts);
  GOOD(parse_strategy(err, "nodal", "trial", (wisp_file_text){"", space}, (wisp_file_text){"", text}, &strategy));
  GOOD(wisp_plan_default(err, strategy, &spec, layouts, names, &plan));
  GOOD(wisp_plan_compile(err, plan, "sm_90", out));
}

TEST(test_any_name)
{
  wisp_binary binary[2] = {{0}, {0}};
  if (!has_nvrtc()) skip();
  for (int i = 0; i < 2; i++) compile_text(i ? other : usual, &binary[i]);
  assert_true(binary[0].length > 0);
  assert_int_equal(binary[0].length, binary[1].length);
  assert_memory_equal(binary[0].data, binary[1].data, binary[0].length);
  for (int i = 0; i < 2; i++) free(binary[i].data);
}
