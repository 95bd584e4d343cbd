/* A tuned kernel that a program launches on its own arrays: opened once, bound once, launched with few instructions. */
#include "contract.h"
#include "api.h"

#include <limits.h>

/* ALIGNMENT: vectors of 16 bytes are loaded at once. KEPT: a program may launch on a few parts of its mesh in turn. */
enum { ALIGNMENT = 16, MOST_COUNTS = 32, KEPT = 4 };

typedef struct launch {
  wisp_count count[MOST_COUNTS];
  char name[MOST_COUNTS][24]; /* what they point to */
  unsigned grid[2];
  bool counted[WISP_MAX_ARGS];      /* a scalar that is one of the counts, */
  wisp_passed value[WISP_MAX_ARGS]; /* which this is */
} launch;

/* The state of an opened kernel besides its plan: bound memory, and launches that are ready. */
struct wisp_opened {
  wisp_handle handle;
  wisp_stage stage; /* of this kernel alone */
  wisp_contract *contract;
  wisp_passed value[WISP_MAX_ARGS];
  bool bound[WISP_MAX_ARGS];
  size_t numbers[WISP_MAX_ARGS]; /* of each array */
  launch kept[KEPT];
  size_t ready;                /* of them, */
  size_t next;                 /* which goes next, */
  launch *last;                /* that was launched; NULL: none that is ready */
  void *passed[WISP_MAX_ARGS]; /* where it has its values */
};
typedef struct wisp_opened opened;

/* --- opening and closing --- */

static void release_kernel(void *self)
{
  wisp_kernel *kernel = self;
  opened *o = kernel->opened;
  wisp_kernel_unload(kernel);
  wisp_contract_destroy(o->contract);
  wisp_stage_free(&o->stage);
  o->contract = NULL;
}

static void free_shell(void *self)
{
  wisp_kernel *kernel = self;
  free(kernel->opened);
  free(kernel);
}

static wisp_status choose_kernel(wisp_error *err, const wisp_session *session, const char *text,
                                 const wisp_kernel_request *request, const wisp_fixed *preset, wisp_stage *out)
{
  const wisp_chooser from = wisp_session_chooser(session);
  wisp_choose_request chosen = {.preset = preset, .exact_match_only = session->exact_match_only};
  if (request) chosen.layout = request->layout, chosen.elements = request->elements;
  CALL(wisp_spec_parse(err, text, &chosen.spec));
  CALL(wisp_require(err, !wisp_spec_is_composition(&chosen.spec), WISP_EUSAGE,
                    "%s: a whole step is no kernel: name one of its kernels", text));
  return wisp_choose(err, &from, &chosen, out);
}

wisp_status wisp_kernel_open_chosen(wisp_error *err, wisp_session *session, const char *spec,
                                    const wisp_kernel_request *request, const wisp_fixed *preset,
                                    const wisp_choice *choice, wisp_kernel **out)
{
  wisp_status status = WISP_OK;
  wisp_kernel *kernel = NULL;
  opened *o = NULL;
  TRY(wisp_new(err, 1, sizeof *o, &o));
  TRY(choose_kernel(err, session, spec, request, preset, &o->stage));
  if (choice) TRY(wisp_stage_follow(err, &o->stage, 0, choice));
  TRY(wisp_stage_load(err, session->device, &o->stage));
  kernel = o->stage.kernel[0];
  o->stage.kernel[0] = NULL; /* it goes by itself */
  TRY(wisp_contract_create(err, o->stage.plan[0], &o->contract));
  kernel->opened = o;
  for (int i = 0; i < kernel->args; i++) {
    o->value[i].pointer = kernel->operand[i];
    o->bound[i] = kernel->arg[i].kind == WISP_ARG_OPERAND;
  }
  wisp_handle_add(session, &o->handle, "kernel", kernel, release_kernel, free_shell);
  *out = kernel;
  kernel = NULL;
  o = NULL;
done:
  wisp_kernel_destroy(kernel);
  if (o) wisp_stage_free(&o->stage);
  free(o);
  return status;
}

wisp_status wisp_kernel_open(wisp_error *err, wisp_session *session, const char *spec,
                             const wisp_kernel_request *request, wisp_kernel **out)
{
  wisp_kernel_request own;
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, spec));
  CALL(WISP_GIVEN(err, out));
  CALL(WISP_TAKE(err, request, &own));
  return wisp_kernel_open_chosen(err, session, spec, &own, NULL, NULL, out);
}

void wisp_kernel_close(wisp_kernel *kernel)
{
  wisp_handle_close("kernel", kernel);
}

/* --- asking --- */

wisp_status wisp_kernel_describe(wisp_error *err, const wisp_kernel *kernel, wisp_kernel_info *info)
{
  CALL(WISP_OPEN(err, "kernel", kernel));
  CALL(WISP_GIVEN(err, info));
  *info = wisp_api_info(kernel->opened->stage.choice);
  return WISP_OK;
}

wisp_status wisp_kernel_argument(wisp_error *err, const wisp_kernel *kernel, size_t i, wisp_argument *out)
{
  CALL(WISP_OPEN(err, "kernel", kernel));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_require(err, i < (size_t)kernel->args, WISP_EMISSING, "%s has %d arguments", kernel->plan->symbol,
                    kernel->args));
  *out = kernel->opened->contract->argument[i];
  if (out->kind != WISP_ARGUMENT_SCALAR) out->memory = (void *)(uintptr_t)kernel->opened->value[i].pointer;
  return WISP_OK;
}

wisp_status wisp_kernel_size(wisp_error *err, const wisp_kernel *kernel, const char *argument, const wisp_count *counts,
                             size_t *numbers)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  int i = 0;
  CALL(WISP_OPEN(err, "kernel", kernel));
  CALL(WISP_GIVEN(err, numbers));
  CALL(wisp_contract_find(err, kernel->opened->contract, argument, &i));
  CALL(wisp_contract_check(err, kernel->opened->contract, counts));
  CALL(wisp_contract_counts(err, kernel->opened->contract, counts, &env));
  return wisp_contract_size(err, kernel->opened->contract, i, env, numbers);
}

wisp_status wisp_kernel_shape(wisp_error *err, const wisp_kernel *kernel, const wisp_count *counts, unsigned grid[3],
                              unsigned block[3], size_t *shared)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  unsigned blocks[2] = {1, 1};
  CALL(WISP_OPEN(err, "kernel", kernel));
  CALL(wisp_contract_check(err, kernel->opened->contract, counts));
  CALL(wisp_contract_counts(err, kernel->opened->contract, counts, &env));
  CALL(wisp_contract_grid(err, kernel->opened->contract, env, blocks));
  for (int d = 0; d < 3; d++) {
    if (grid) grid[d] = d < 2 ? blocks[d] : 1;
    if (block) block[d] = kernel->plan->block[d];
  }
  if (shared) *shared = kernel->plan->shared;
  return WISP_OK;
}

wisp_status wisp_kernel_layout(wisp_error *err, const wisp_kernel *kernel, wisp_field_layout *out)
{
  CALL(WISP_OPEN(err, "kernel", kernel));
  CALL(WISP_GIVEN(err, out));
  *out = wisp_contract_layout(kernel->opened->contract);
  return WISP_OK;
}

size_t wisp_field_address(const wisp_field_layout *l, size_t f, size_t k, size_t i)
{
  if (!l || !l->per_group) return SIZE_MAX;
  return (k / l->per_group * l->fields + f) * l->stride + k % l->per_group * l->element_stride + i * l->node_stride;
}

const char *wisp_kernel_field(const wisp_kernel *kernel, size_t f)
{
  return WISP_OPEN(NULL, "kernel", kernel) == WISP_OK ? wisp_contract_field(kernel->opened->contract, f) : NULL;
}

wisp_status wisp_kernel_nodes(wisp_error *err, const wisp_kernel *kernel, double *rst)
{
  CALL(WISP_OPEN(err, "kernel", kernel));
  CALL(WISP_GIVEN(err, rst));
  const wisp_spec *spec = &kernel->plan->spec;
  const wisp_family *family = wisp_family_find(spec->family);
  CALL(wisp_require(err, family->nodes, WISP_EUSAGE, "the %s family's elements have no nodes", family->name));
  return family->nodes(err, spec, rst);
}

/* --- binding --- */

wisp_status wisp_kernel_bind(wisp_error *err, wisp_kernel *kernel, const char *argument, const void *memory,
                             size_t numbers)
{
  int i = 0;
  CALL(WISP_OPEN(err, "kernel", kernel));
  CALL(wisp_contract_find(err, kernel->opened->contract, argument, &i));
  CALL(wisp_require(err, kernel->arg[i].kind != WISP_ARG_VALUE && kernel->arg[i].kind != WISP_ARG_OPERAND, WISP_EUSAGE,
                    "argument %s: no array of the caller's: %s", argument,
                    kernel->arg[i].kind == WISP_ARG_VALUE ? "set it" : "wisp has bound it"));
  CALL(wisp_require(err, memory, WISP_EUSAGE, "argument %s: the memory is NULL", argument));
  CALL(wisp_require(err, (uintptr_t)memory % ALIGNMENT == 0, WISP_EUSAGE,
                    "argument %s: the memory is not at a multiple of %d bytes", argument, ALIGNMENT));
  opened *o = kernel->opened;
  if (numbers < o->numbers[i]) o->ready = o->next = 0, o->last = NULL;
  o->value[i].pointer = (wisp_pointer)(uintptr_t)memory;
  o->numbers[i] = numbers;
  o->bound[i] = true;
  return WISP_OK;
}

wisp_status wisp_kernel_set(wisp_error *err, wisp_kernel *kernel, const char *argument, double value)
{
  int i = 0;
  CALL(WISP_OPEN(err, "kernel", kernel));
  CALL(wisp_contract_find(err, kernel->opened->contract, argument, &i));
  CALL(wisp_require(err, kernel->arg[i].kind == WISP_ARG_VALUE, WISP_EUSAGE, "argument %s: an array: bind it",
                    argument));
  CALL(wisp_passed_scalar(err, kernel, i, value, &kernel->opened->value[i]));
  kernel->opened->bound[i] = true;
  return WISP_OK;
}

/* --- launching --- */

static bool has_counts(const launch *l, const wisp_count *counts)
{
  const wisp_count *own = l->count;
  for (; own->name && counts->name; own++, counts++)
    if (own->value != counts->value || strcmp(own->name, counts->name) != 0) return false;
  return !own->name && !counts->name;
}

static launch *find_ready(opened *o, const wisp_count *counts)
{
  if (o->last && has_counts(o->last, counts)) return o->last;
  for (size_t i = 0; i < o->ready; i++)
    if (has_counts(&o->kept[i], counts)) return &o->kept[i];
  return NULL;
}

/* A scalar may be one of the counts. An array must be large enough for them. */
static wisp_status fit_argument(wisp_error *err, wisp_kernel *kernel, int i, const wisp_env *counts, launch *l)
{
  opened *o = kernel->opened;
  const wisp_arg *arg = &kernel->arg[i];
  int64_t count = 0;
  size_t numbers = 0;
  if (arg->kind == WISP_ARG_OPERAND) return WISP_OK;
  l->counted[i] = arg->kind == WISP_ARG_VALUE && wisp_env_get_int(counts, arg->name, &count);
  if (l->counted[i]) return wisp_passed_scalar(err, kernel, i, (double)count, &l->value[i]);
  CALL(wisp_require(err, o->bound[i], WISP_EUSAGE, "%s (%s): nothing is bound to its argument '%s'",
                    kernel->plan->symbol, kernel->plan->strategy->name, arg->name));
  if (arg->kind == WISP_ARG_VALUE) return WISP_OK;
  CALL(wisp_contract_size(err, o->contract, i, counts, &numbers));
  /* Wide arrays are addressed in 64 bits: on the host all are. */
  const char *wide = wisp_family_find(kernel->plan->spec.family)->wide;
  const bool is_wide = !wisp_device_limits(kernel->device)->gpu || (wide && wisp_list_has(wide, arg->name));
  CALL(wisp_require(err, numbers <= INT_MAX || is_wide, WISP_EUSAGE,
                    "%s: argument '%s' takes %zu numbers, more than kernels can count (2.1e9): take fewer elements",
                    kernel->plan->symbol, arg->name, numbers));
  return wisp_require(err, numbers <= o->numbers[i], WISP_EUSAGE,
                      "%s: argument '%s' takes %zu numbers for these counts, %zu are bound", kernel->plan->symbol,
                      arg->name, numbers, o->numbers[i]);
}

static wisp_status copy_counts(wisp_error *err, const wisp_count *counts, launch *l)
{
  size_t n = 0;
  for (; counts[n].name; n++) {
    CALL(wisp_require(err, n + 1 < MOST_COUNTS && strlen(counts[n].name) < sizeof l->name[n], WISP_EUSAGE,
                      "count '%s': there is none such, or there are more than %d", counts[n].name, MOST_COUNTS - 1));
    snprintf(l->name[n], sizeof l->name[n], "%s", counts[n].name);
    l->count[n] = (wisp_count){l->name[n], counts[n].value};
  }
  l->count[n].name = NULL;
  return WISP_OK;
}

/* Checked against what is bound; takes the place of the one that was made ready longest ago. */
static wisp_status make_ready(wisp_error *err, wisp_kernel *kernel, const wisp_count *counts, launch **out)
{
  opened *o = kernel->opened;
  launch *l = &o->kept[o->next];
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  CALL(wisp_contract_counts(err, o->contract, counts, &env));
  if (o->last == l) o->last = NULL;
  if (o->next < o->ready) l->count[0] = (wisp_count){"", 0}; /* nobody's, until it is whole */
  for (int i = 0; i < kernel->args; i++) CALL(fit_argument(err, kernel, i, env, l));
  CALL(wisp_contract_grid(err, o->contract, env, l->grid));
  CALL(copy_counts(err, counts, l));
  if (o->next == o->ready) o->ready++;
  o->next = (o->next + 1) % KEPT;
  *out = l;
  return WISP_OK;
}

/* l: NULL: it is to be made ready. */
static wisp_status launch_kernel(wisp_error *err, wisp_kernel *kernel, launch *l, const wisp_count *counts,
                                 void *stream)
{
  opened *o = kernel->opened;
  if (!l) CALL(make_ready(err, kernel, counts, &l));
  for (int i = 0; l != o->last && i < kernel->args; i++) o->passed[i] = l->counted[i] ? &l->value[i] : &o->value[i];
  o->last = l;
  return wisp_launch(err, kernel->module, stream, l->grid, kernel->plan->block, o->passed, kernel->args);
}

wisp_status wisp_kernel_launch(wisp_error *err, wisp_kernel *kernel, const wisp_count *counts, void *stream)
{
  CALL(WISP_OPEN(err, "kernel", kernel));
  launch *l = counts ? find_ready(kernel->opened, counts) : NULL;
  if (!l) CALL(wisp_contract_check(err, kernel->opened->contract, counts));
  return launch_kernel(err, kernel, l, counts, stream);
}

wisp_status wisp_kernel_launch_part(wisp_error *err, wisp_kernel *kernel, const wisp_count *counts, void *stream)
{
  return launch_kernel(err, kernel, find_ready(kernel->opened, counts), counts, stream);
}

/* --- kernels of an operator --- */

bool wisp_kernels_take(wisp_kernel *const *kernel, int kernels, const char *name)
{
  wisp_argument argument;
  for (int k = 0; k < kernels; k++)
    for (size_t i = 0; kernel[k] && wisp_kernel_argument(NULL, kernel[k], i, &argument) == WISP_OK; i++)
      if (strcmp(argument.name, name) == 0) return true;
  return false;
}

wisp_status wisp_kernel_bind_arrays(wisp_error *err, wisp_kernel *kernel, const wisp_arrays *arrays,
                                    wisp_array_filter ours, const void *context)
{
  wisp_argument a;
  for (size_t i = 0; wisp_kernel_argument(NULL, kernel, i, &a) == WISP_OK; i++) {
    if (a.kind == WISP_ARGUMENT_SCALAR || a.kind == WISP_ARGUMENT_OPERAND || !ours(context, a.name)) continue;
    CALL(wisp_kernel_bind(err, kernel, a.name, (void *)(uintptr_t)wisp_arrays_at(arrays, a.name),
                          wisp_arrays_size(arrays, a.name)));
  }
  return WISP_OK;
}
