/* Claim: half-turn-lean is right in single precision at even orders too. An orbit on an axis has no row in two classes
 * there, and the kernels store and read nothing for it. Their CUDA texts run thread by thread on the host. They read no
 * shared memory that was not written, and have no race. */
#include "test.h"
#include "each_plan.h"
#include "simt.h"
#include "store_fixture.h"
#include "../gen/embedded.h"
#include "../runtime/kernel.h"
#include "../tuner/trial/verify.h"

#include <sys/stat.h>

typedef struct rig {
  wisp_device *device;
  wisp_verifier *verifier;
  wisp_strategies *all;
} rig;

static rig open_rig(void)
{
  rig r = {.device = NULL};
  GOOD(wisp_device_open(err, "host", &r.device));
  GOOD(wisp_verifier_create(err, r.device, &r.verifier));
  GOOD(wisp_strategies_load(err, &r.all));
  return r;
}

static void close_rig(rig *r)
{
  wisp_strategies_free(r->all);
  wisp_verifier_destroy(r->verifier);
  wisp_device_close(r->device);
}

/* Says what is wrong with the kernel, the first fault; empty: nothing is. */
static void judge(const rig *r, const wisp_plan *plan, char message[512])
{
  wisp_error why = {.text = ""};
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  double worst = 0;
  GOOD(simt_compile(err, plan, &binary));
  GOOD(wisp_kernel_create(err, r->device, plan, &binary, &kernel));
  wisp_status status = wisp_verifier_check(&why, r->verifier, kernel, &worst);
  if (status == WISP_OK) status = wisp_verifier_unbounded(&why, r->verifier, kernel);
  const char *fault = simt_fault();
  snprintf(message, 512, "%.500s", fault ? fault : status == WISP_OK ? "" : why.text);
  wisp_kernel_destroy(kernel);
  free(binary.data);
}

/* Judges a candidate for an H100; params NULL: the default one. */
static void judge_candidate(const rig *r, const wisp_strategy *s, int order, const char *params, char message[512])
{
  wisp_spec spec = {"nodal", "", "tet", order, "maxwell", WISP_F32};
  const int Nfp = (order + 1) * (order + 2) / 2;
  const wisp_layout layout = wisp_layout_slab(Nfp * (order + 3) / 3, 4 * Nfp, 32);
  wisp_limits limits;
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  snprintf(spec.kernel, sizeof spec.kernel, "%s", s->kernel);
  GOOD(wisp_target_limits(err, "sm_90", &limits));
  const wisp_target target = wisp_limits_target(&limits);
  GOOD(wisp_names_create(err, &spec, &layout, &target, NULL, &names));
  if (params)
    GOOD(wisp_plan_from_text(err, s, &spec, &layout, names, params, &plan));
  else
    GOOD(wisp_plan_default(err, s, &spec, &layout, names, &plan));
  judge(r, plan, message);
}

static void check(const rig *r, const char *kernel, int order, const char *params)
{
  char message[512];
  const wisp_strategy *s = wisp_strategies_find(r->all, "nodal", kernel, "half-turn-lean");
  assert_non_null(s);
  judge_candidate(r, s, order, params, message);
  if (*message) fail_msg("%s, order %d, %s: %s", kernel, order, params ? params : "the default", message);
}

TEST(test_right)
{
  static const char *const kernels[] = {"volume", "lift", "stage"};
  static const int orders[] = {2, 3, 4, 6};
  rig r = open_rig();
  for (size_t n = 0; n < WISP_COUNT(orders); n++)
    for (size_t k = 0; k < WISP_COUNT(kernels); k++) check(&r, kernels[k], orders[n], NULL);
  check(&r, "stage_nested", 2, NULL);
  check(&r, "volume", 4, "min_blocks=3 persistent=1 unroll=1");
  close_rig(&r);
}

typedef struct fault {
  const char *file, *from, *to, *message;
} fault;

/* Strategy `planted` of volume in the folder: half-turn-lean with one of its texts changed in the first such place. */
static void plant_fault(const char *folder, const fault *f)
{
  HELD(wisp_text_free) wisp_text text = {0};
  char path[256];
  const char *space = wisp_embedded_text("templates/nodal/volume.half-turn-lean.space");
  snprintf(path, sizeof path, "templates/nodal/%s", f->file);
  const char *whole = wisp_embedded_text(path), *at = whole ? strstr(whole, f->from) : NULL;
  if (!space || !at) fail_msg("%s: '%s' is nowhere", f->file, f->from);
  GOOD(wisp_text_print(err, &text, "%.*s%s%s", (int)(at - whole), whole, f->to, at + strlen(f->from)));
  snprintf(path, sizeof path, "%s/nodal", folder);
  mkdir(path, 0700); /* it may be there */
  snprintf(path, sizeof path, "%s/nodal/volume.planted.space", folder);
  fixture_write(path, space, strlen(space));
  snprintf(path, sizeof path, "%s/nodal/%s", folder, f->file);
  fixture_write(path, text.data, text.length);
}

/* The emulation finds faults in a text: an axis's orbit stored over another one, rows that nobody writes, a place
 * outside of shared memory, and numbers of a wrong element. */
TEST(test_faults)
{
  static const fault planted[] = {
      {"lean_volume.part", "to.v[2] | word", "to.v[2] + word", "writes word"},
      {"lean_volume.part", "s_class[f * {{= rows * E}} + PLACE(BEGINS(row), q % {{E}})] = 0;", "(void)f, (void)row;",
       "nobody has written"},
      {"fused.half-turn-lean.k", "s_most[q] = 0;", "s_most[q - 1] = 0;", "writes at -4 of"},
      {"lean_volume.part", "to.v[0] | word", "(to.v[0] | word) ^ 1", "rhs is not a number"},
  };
  char message[512];
  for (size_t i = 0; i < WISP_COUNT(planted); i++) {
    char folder[64];
    fixture_folder(folder);
    plant_fault(folder, &planted[i]);
    setenv("WISP_TEMPLATES", folder, 1);
    rig r = open_rig();
    judge_candidate(&r, wisp_strategies_find(r.all, "nodal", "volume", "planted"), 2, NULL, message);
    if (!strstr(message, planted[i].message)) fail_msg("'%s': '%s'", planted[i].to, message);
    close_rig(&r);
    unsetenv("WISP_TEMPLATES");
    fixture_remove(folder);
  }
}
