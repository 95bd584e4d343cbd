#include "device_checks.h"
#include "test.h"
#include "../runtime/cuda_parts.h"
#include "../runtime/process.h"

#include <pthread.h>

enum { WIDTH = 128, COUNT = 1000 };

static const char host_axpy[] = "#include <stddef.h>\n"
                                "static void block(size_t bx, int n, double a, const double *x, double *y)\n"
                                "{\n"
                                "  for (size_t i = bx * 128; i < (bx + 1) * 128; i++)\n"
                                "    if (i < (size_t)n) y[i] += a * x[i];\n"
                                "}\n"
                                "void wisp_axpy(void **args, unsigned grid_x, unsigned grid_y)\n"
                                "{\n"
                                "  int n = *(int *)args[0];\n"
                                "  double a = *(double *)args[1];\n"
                                "  const double *x = *(const double **)args[2];\n"
                                "  double *y = *(double **)args[3];\n"
                                "#pragma omp parallel for collapse(2)\n"
                                "  for (unsigned by = 0; by < grid_y; by++)\n"
                                "    for (unsigned bx = 0; bx < grid_x; bx++) block(bx, n, a, x, y);\n"
                                "}\n";

/* Through dynamic shared memory, more of it than is had without asking. */
static const char cuda_axpy[] =
    "extern \"C\" __global__ void __launch_bounds__(128) wisp_axpy(int n, double a, const double *x, double *y)\n"
    "{\n"
    "  extern __shared__ double held[];\n"
    "  const int i = blockIdx.x * 128 + threadIdx.x, far = 7000 + threadIdx.x;\n"
    "  held[far] = i < n ? x[i] : 0;\n"
    "  __syncthreads();\n"
    "  if (i < n) y[i] += a * held[far];\n"
    "}\n";

/* Counts its runs, and those with passes left; lowers what is left by 1, and to 0 after the pass of number stop. */
#define COUNT_BODY                                                             \
  "{\n"                                                                        \
  "  ++*runs;\n"                                                               \
  "  if (*left > 0) { ++*passes; *left = *passes == stop ? 0 : *left - 1; }\n" \
  "}\n"
static const char host_count[] = "static void count(int stop, int *left, int *runs, int *passes)\n" COUNT_BODY
                                 "void wisp_count(void **args, unsigned grid_x, unsigned grid_y)\n"
                                 "{\n"
                                 "  (void)grid_x, (void)grid_y;\n"
                                 "  count(*(int *)args[0], *(int **)args[1], *(int **)args[2], *(int **)args[3]);\n"
                                 "}\n";
static const char cuda_count[] =
    "extern \"C\" __device__ void count(int stop, int *left, int *runs, int *passes)\n" COUNT_BODY
    "extern \"C\" __global__ void wisp_count(int stop, int *left, int *runs, int *passes)\n"
    "{\n"
    "  if (threadIdx.x == 0) count(stop, left, runs, passes);\n"
    "}\n";

enum { CUDA_SHARED = (7000 + WIDTH) * 8 }; /* 57 KB */

typedef union value {
  int integer;
  double real;
  wisp_pointer pointer;
} value;

const char *axpy_source(const char *kind)
{
  return strcmp(kind, "cuda") == 0 ? cuda_axpy : host_axpy;
}

const char *count_source(const char *kind)
{
  return strcmp(kind, "cuda") == 0 ? cuda_count : host_count;
}

static char folder[64];

const char *fresh_cache(void)
{
  drop_cache(NULL);
  snprintf(folder, sizeof folder, "/tmp/wisp-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  setenv("WISP_CACHE_DIR", folder, 1);
  return folder;
}

int drop_cache(void **state)
{
  if (*folder) wisp_scratch_remove(folder);
  *folder = '\0';
  return 0;
}

enum { THREADS = 8 };

typedef struct compiling {
  bool (*one)(int number);
  int number;
  bool good;
  pthread_t thread;
} compiling;

static void *compile_one(void *argument)
{
  compiling *c = argument;
  c->good = c->one(c->number);
  return NULL;
}

void check_threads(bool (*one)(int number))
{
  compiling all[THREADS];
  fresh_cache();
  for (int i = 0; i < THREADS; i++) {
    all[i] = (compiling){.one = one, .number = i};
    assert_int_equal(pthread_create(&all[i].thread, NULL, compile_one, &all[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(all[i].thread, NULL);
    assert_true(all[i].good);
  }
}

/* A status as an assert that shows the message. */
static void good(wisp_status status, const wisp_error *err)
{
  if (status != WISP_OK) fail_msg("%s", err->text);
}

typedef struct fixture {
  wisp_device *device;
  wisp_module *module;
  wisp_pointer x, y;
  double start[COUNT], in[COUNT], out[COUNT];
} fixture;

static void set_up(fixture *f, wisp_device *device)
{
  wisp_error err = {0};
  wisp_binary binary = {0};
  const wisp_limits *limits = wisp_device_limits(device);
  f->device = device;
  good(wisp_compile(&err, limits->target, "wisp_axpy", axpy_source(limits->kind), &binary), &err);
  good(wisp_module_load(&err, device, &binary, "wisp_axpy", strcmp(limits->kind, "cuda") == 0 ? CUDA_SHARED : 0,
                        &f->module),
       &err);
  free(binary.data);
  for (int i = 0; i < COUNT; i++) f->in[i] = sin(i), f->start[i] = cos(3 * i);
  good(wisp_device_alloc(&err, device, sizeof f->in, &f->x), &err);
  good(wisp_device_alloc(&err, device, sizeof f->in, &f->y), &err);
  good(wisp_device_upload(&err, device, f->x, f->in, sizeof f->in), &err);
  good(wisp_device_upload(&err, device, f->y, f->start, sizeof f->in), &err);
}

static void tear_down(fixture *f)
{
  wisp_device_free(f->device, f->x);
  wisp_device_free(f->device, f->y);
  wisp_module_unload(f->module);
}

static void launch(fixture *f, double a)
{
  wisp_error err = {0};
  value n = {.integer = COUNT}, scale = {.real = a}, x = {.pointer = f->x}, y = {.pointer = f->y};
  const unsigned grid[2] = {(COUNT + WIDTH - 1) / WIDTH, 1}, block[3] = {WIDTH, 1, 1};
  good(wisp_launch(&err, f->module, NULL, grid, block, (void *[]){&n, &scale, &x, &y}, 4), &err);
}

/* y is start + a in. */
static void expect(fixture *f, double a)
{
  wisp_error err = {0};
  good(wisp_device_finish(&err, f->device), &err);
  good(wisp_device_download(&err, f->device, f->out, f->y, sizeof f->out), &err);
  for (int i = 0; i < COUNT; i++) assert_true(fabs(f->out[i] - (f->start[i] + a * f->in[i])) < 1e-14);
}

static void check_limits(const wisp_limits *limits)
{
  assert_true(*limits->kind && *limits->name && *limits->target && *limits->driver && *limits->compiler);
  assert_true(limits->units > 0 && limits->max_threads >= 256 && limits->max_shared >= 48 * 1024);
  assert_true(limits->shared_per_unit >= limits->max_shared && limits->registers_per_unit > 0);
  assert_true(limits->memory > (size_t)1 << 28);
}

static void check_launches(fixture *f)
{
  launch(f, 2);
  expect(f, 2);
  launch(f, -2);
  expect(f, 0);
}

/* Three launches, their values captured when recorded: nothing runs until the replay, and each replay runs them all. */
static void check_graph(fixture *f)
{
  wisp_error err = {0};
  wisp_graph *graph = NULL;
  wisp_event *event = NULL;
  good(wisp_event_create(&err, f->device, &event), &err);
  assert_int_equal(wisp_graph_end(&err, f->device, &graph), WISP_EUSAGE);
  good(wisp_graph_begin(&err, f->device), &err);
  assert_int_equal(wisp_graph_begin(&err, f->device), WISP_EUSAGE);
  assert_int_equal(wisp_device_finish(&err, f->device), WISP_EUSAGE);
  assert_int_equal(wisp_event_record(&err, event), WISP_EUSAGE);
  for (int i = 1; i <= 3; i++) launch(f, i);
  good(wisp_graph_end(&err, f->device, &graph), &err);
  expect(f, 0);
  good(wisp_graph_replay(&err, graph), &err);
  expect(f, 6);
  good(wisp_graph_replay(&err, graph), &err);
  expect(f, 12);
  wisp_graph_destroy(graph);
  wisp_event_destroy(event);
  launch(f, -12);
  expect(f, 0);
}

/* A recording holds fills and copies as well, in order: y is lost and comes back. */
static void check_recorded_copies(fixture *f)
{
  wisp_error err = {0};
  wisp_graph *graph = NULL;
  wisp_pointer kept = 0;
  good(wisp_device_alloc(&err, f->device, sizeof f->in, &kept), &err);
  good(wisp_graph_begin(&err, f->device), &err);
  good(wisp_device_copy(&err, f->device, kept, f->y, sizeof f->in), &err);
  good(wisp_device_fill(&err, f->device, f->y, 0xff, sizeof f->in), &err);
  good(wisp_device_copy(&err, f->device, f->y, kept, sizeof f->in), &err);
  good(wisp_graph_end(&err, f->device, &graph), &err);
  good(wisp_graph_replay(&err, graph), &err);
  expect(f, 0);
  good(wisp_device_fill(&err, f->device, f->y, 0xff, sizeof f->in), &err);
  good(wisp_device_download(&err, f->device, f->out, f->y, sizeof f->out), &err);
  assert_true(isnan(f->out[0]) && isnan(f->out[COUNT - 1]));
  good(wisp_device_upload(&err, f->device, f->y, f->start, sizeof f->in), &err);
  wisp_graph_destroy(graph);
  wisp_device_free(f->device, kept);
}

/* One loop, replayed with `left` passes to go, of which pass number `stop` ends it. */
typedef struct loop {
  wisp_device *device;
  wisp_pointer numbers; /* left, runs, passes */
  wisp_graph *graph;
} loop;

static void record_loop(loop *l, wisp_module *module, int stop)
{
  wisp_error err = {0};
  value last = {.integer = stop}, at[3];
  for (size_t i = 0; i < 3; i++) at[i].pointer = l->numbers + i * sizeof(int);
  good(wisp_graph_begin(&err, l->device), &err);
  good(wisp_launch(&err, module, NULL, (unsigned[]){1, 1}, (unsigned[]){WIDTH, 1, 1},
                   (void *[]){&last, &at[0], &at[1], &at[2]}, 4),
       &err);
  good(wisp_graph_end_loop(&err, l->device, l->numbers, &l->graph), &err);
}

/* Exactly so many passes, however often it is replayed; more runs only where the host looks, and it looks in time. */
static void expect_passes(const loop *l, int left, int passes)
{
  wisp_error err = {0};
  for (int repeated = 0; repeated < 2; repeated++) {
    int numbers[3] = {left, 0, 0};
    good(wisp_device_upload(&err, l->device, l->numbers, numbers, sizeof numbers), &err);
    good(wisp_graph_replay(&err, l->graph), &err);
    good(wisp_device_finish(&err, l->device), &err);
    good(wisp_device_download(&err, l->device, numbers, l->numbers, sizeof numbers), &err);
    assert_int_equal(numbers[2], passes);
    assert_true(numbers[0] == (left < 0 ? left : 0));
    const bool exact = wisp_device_limits(l->device)->loops || passes == left;
    assert_in_range(numbers[1], passes, passes + (exact ? 0 : 2 * WISP_LOOP_BATCH));
  }
}

/* Passes to go, the pass that ends it early, and how many there are then. */
static void check_loops(wisp_device *device)
{
  static const int cases[][3] = {{0, 5, 0},    {-3, 5, 0},     {1, 5, 1},    {5, 5, 5},      {6, 5, 5},
                                 {99, 1, 1},   {99, 15, 15},   {99, 16, 16}, {99, 17, 17},   {99, 40, 40},
                                 {40, 99, 40}, {1000, 99, 99}, {16, 99, 16}, {700, 701, 700}};
  wisp_error err = {0};
  wisp_binary binary = {0};
  wisp_module *module = NULL;
  loop l = {.device = device};
  const wisp_limits *limits = wisp_device_limits(device);
  good(wisp_compile(&err, limits->target, "wisp_count", count_source(limits->kind), &binary), &err);
  good(wisp_module_load(&err, device, &binary, "wisp_count", 0, &module), &err);
  good(wisp_device_alloc(&err, device, 3 * sizeof(int), &l.numbers), &err);
  assert_int_equal(wisp_graph_end_loop(&err, device, l.numbers, &l.graph), WISP_EUSAGE); /* nothing is recorded */
  assert_int_equal(wisp_graph_end_loop(&err, device, 0, &l.graph), WISP_EUSAGE);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    record_loop(&l, module, cases[i][1]);
    expect_passes(&l, cases[i][0], cases[i][2]);
    if (cases[i][0] > 0) expect_passes(&l, 0, 0); /* the same graph, other numbers */
    expect_passes(&l, 3, cases[i][1] < 3 ? cases[i][1] : 3);
    wisp_graph_destroy(l.graph);
  }
  wisp_device_free(device, l.numbers);
  wisp_module_unload(module);
  free(binary.data);
}

static void check_events(fixture *f)
{
  enum { ROUNDS = 9 };
  wisp_error err = {0};
  wisp_event *from = NULL, *to = NULL;
  double one = HUGE_VAL, many = 0, none = 0;
  good(wisp_event_create(&err, f->device, &from), &err);
  good(wisp_event_create(&err, f->device, &to), &err);
  assert_int_not_equal(wisp_event_elapsed(&err, from, to, &none), WISP_OK); /* neither was recorded */
  launch(f, 0);
  for (int round = 0; round < ROUNDS; round++) {
    const int times = round + 1 < ROUNDS ? 1 : 400;
    good(wisp_event_record(&err, from), &err);
    for (int i = 0; i < times; i++) launch(f, 0);
    good(wisp_event_record(&err, to), &err);
    good(wisp_event_elapsed(&err, from, to, &many), &err);
    if (times == 1) one = fmin(one, many); /* another process may have had the core */
  }
  assert_true(one > 0 && many > one);
  wisp_event_destroy(from);
  wisp_event_destroy(to);
}

static void check_refusals(fixture *f)
{
  wisp_error err = {0};
  wisp_module *module = NULL;
  wisp_binary junk = {.data = (char[]){"not a binary, whatever the device"}, .length = 33};
  wisp_pointer pointer = 0;
  assert_int_equal(wisp_device_alloc(&err, f->device, (size_t)1 << 60, &pointer), WISP_EMEMORY);
  assert_non_null(strstr(err.text, "1152921504606846976"));
  assert_int_not_equal(wisp_module_load(&err, f->device, &junk, "wisp_axpy", 0, &module), WISP_OK);
  assert_non_null(strstr(err.text, "wisp_axpy"));
}

void check_adopted(wisp_device *gpu)
{
  wisp_error err = {0};
  wisp_device *device = NULL;
  void *context = wisp_cuda_of(gpu)->context, *stream = wisp_cuda_of(gpu)->stream, *own = NULL;
  char name[32], same[32];
  good(wisp_device_adopt(&err, context, stream, &device), &err);
  assert_true(wisp_limits_alike(wisp_device_limits(gpu), wisp_device_limits(device)));
  wisp_device_name(gpu, name), wisp_device_name(device, same);
  assert_string_equal(name, same);
  good(wisp_device_stream(&err, device, &own), &err);
  assert_ptr_equal(own, stream);
  check_device(device);
  wisp_device_close(device);
  check_device(gpu);
}

void check_device(wisp_device *device)
{
  fixture f;
  check_limits(wisp_device_limits(device));
  set_up(&f, device);
  check_launches(&f);
  check_graph(&f);
  check_recorded_copies(&f);
  check_loops(device);
  check_events(&f);
  check_refusals(&f);
  tear_down(&f);
}
