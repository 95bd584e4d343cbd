/* A driver without a GPU, for the test of the calls that we make: memory is memory, the stream runs at once, and it
 * knows the three kernels of that test. Where the real driver would refuse, so does this. STUB_CUDA is the version of
 * CUDA that it speaks, such as 12040; 13000 without. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INVALID_VALUE = 1, NO_MEMORY = 2, NO_CONTEXT = 201, NOT_FOUND = 500, CAPTURING = 906, LARGE = 48 * 1024 };

/* The one function of a module. */
enum { AXPY, COUNT, LOOP };
static const char *const functions[] = {"wisp_axpy", "wisp_count", "wisp_loop"};

typedef struct call {
  int kind; /* 0 launch, 1 copy, 2 fill, 3 another graph, 4 another graph while a condition holds */
  int function, n;
  double a;
  uint64_t x, y, z;
  size_t bytes;
  struct graph *inner;
} call;

typedef struct graph {
  int function; /* of a module */
  int count;
  call list[64];
  unsigned condition; /* of the loops in it */
  struct graph *body; /* goes with it */
} graph;

static graph *capture;
static __thread void *current;
static size_t allowed_shared = LARGE;
static int live; /* handles and allocations not yet given back */

int stub_live(void)
{
  return live;
}

static int handle(void **out)
{
  *out = calloc(1, sizeof(graph));
  live++;
  return 0;
}

static int drop(void *it)
{
  free(it);
  live--;
  return 0;
}

static void run_all(const graph *g);

/* The kernel that counts its runs, and brings what is left down: by 1, and to 0 after n of them. */
static void count(int stop, int *left, int *runs, int *passes)
{
  ++*runs;
  if (*left <= 0) return;
  *left = ++*passes == stop ? 0 : *left - 1;
}

static void run(const call *c)
{
  if (c->kind == 3) run_all(c->inner);
  while (c->kind == 4 && c->inner->condition) run_all(c->inner->body);
  if (c->kind == 0 && c->function == COUNT)
    count(c->n, (int *)(uintptr_t)c->x, (int *)(uintptr_t)c->y, (int *)(uintptr_t)c->z);
  if (c->kind == 0 && c->function == LOOP) ((graph *)(uintptr_t)c->x)->condition = *(int *)(uintptr_t)c->y > 0;
  const double *x = (const double *)(uintptr_t)c->x;
  double *y = (double *)(uintptr_t)c->y;
  if (c->kind == 1) memmove(y, x, c->bytes);
  if (c->kind == 2) memset(y, (int)c->x, c->bytes);
  if (c->kind == 0 && c->function == AXPY)
    for (int i = 0; i < c->n; i++) y[i] += c->a * x[i];
}

static void run_all(const graph *g)
{
  for (int i = 0; i < g->count; i++) run(&g->list[i]);
}

static int in_stream(call c)
{
  if (!current) return NO_CONTEXT;
  if (capture)
    capture->list[capture->count++] = c;
  else
    run(&c);
  return 0;
}

int cuInit(unsigned flags)
{
  return flags ? INVALID_VALUE : 0;
}

int cuGetErrorName(int error, const char **name)
{
  *name = error == CAPTURING ? "STUB_CAPTURING" : "STUB_ERROR";
  return 0;
}

int cuGetErrorString(int error, const char **text)
{
  (void)error;
  *text = "as the stub says";
  return 0;
}

int cuDriverGetVersion(int *version)
{
  const char *text = getenv("STUB_CUDA");
  *version = text ? atoi(text) : 13000;
  return 0;
}

int cuDeviceGetCount(int *count)
{
  *count = 2;
  return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
  *device = ordinal;
  return 0;
}

int cuDeviceGetName(char *name, int length, int device)
{
  (void)device;
  strncpy(name, "Stub 9000", (size_t)length);
  return 0;
}

int cuDeviceGetPCIBusId(char *bus, int length, int device)
{
  snprintf(bus, (size_t)length, "0000:%s:00.0", device == 0 ? "1B" : "2C");
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
  (void)device;
  const int known[][2] = {{1, 1024}, {16, 4},      {38, 1 << 20}, {39, 2048},  {75, 9},
                          {76, 0},   {81, 233472}, {82, 65536},   {97, 232448}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i][0] == attribute) {
      *value = known[i][1];
      return 0;
    }
  return INVALID_VALUE;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
  (void)device;
  *bytes = (size_t)1 << 30;
  return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
  static char contexts[2];
  *context = &contexts[device];
  live++;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
  (void)device;
  live--;
  return 0;
}

int cuCtxGetDevice(int *device)
{
  *device = 0;
  return current ? 0 : INVALID_VALUE;
}

int cuCtxSetCurrent(void *context)
{
  current = context;
  return 0;
}

int cuStreamCreate(void **stream, unsigned flags)
{
  return flags == 1 ? handle(stream) : INVALID_VALUE;
}

int cuStreamDestroy_v2(void *stream)
{
  return drop(stream);
}

int cuStreamSynchronize(void *stream)
{
  (void)stream;
  return capture ? CAPTURING : 0;
}

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes)
{
  if (bytes > (size_t)1 << 30) return NO_MEMORY;
  live++;
  *pointer = (uintptr_t)malloc(bytes);
  return current ? 0 : NO_CONTEXT;
}

int cuMemFree_v2(uint64_t pointer)
{
  return drop((void *)(uintptr_t)pointer);
}

int cuMemAllocHost_v2(void **memory, size_t bytes)
{
  live++;
  *memory = malloc(bytes);
  return current ? 0 : NO_CONTEXT;
}

int cuMemFreeHost(void *memory)
{
  return drop(memory);
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
  *free_bytes = 12345, *total = (size_t)1 << 30;
  return 0;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
  (void)stream;
  return in_stream((call){.kind = 1, .y = to, .x = (uintptr_t)from, .bytes = bytes});
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
  (void)stream;
  return in_stream((call){.kind = 1, .y = (uintptr_t)to, .x = from, .bytes = bytes});
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
  (void)stream;
  return in_stream((call){.kind = 1, .y = to, .x = from, .bytes = bytes});
}

int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t bytes, void *stream)
{
  (void)stream;
  return in_stream((call){.kind = 2, .y = to, .x = byte, .bytes = bytes});
}

int cuModuleLoadData(void **module, const void *image)
{
  return memcmp(image, "\177ELF", 4) == 0 ? handle(module) : INVALID_VALUE;
}

int cuModuleUnload(void *module)
{
  return drop(module);
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
  *function = module;
  for (int f = AXPY; f <= LOOP; f++)
    if (strcmp(name, functions[f]) == 0) {
      ((graph *)module)->function = f;
      return 0;
    }
  return NOT_FOUND;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
  if (!function || value < 1) return INVALID_VALUE;
  if (attribute == 8)
    allowed_shared = (size_t)value;
  else if (attribute < 11 || attribute > 13)
    return INVALID_VALUE; /* a cluster's width, height and depth */
  return 0;
}

/* A launch's arguments, as the kernel has them. */
static call launch_of(int function, void **args)
{
  if (function == LOOP) return (call){.function = function, .x = *(uint64_t *)args[0], .y = *(uint64_t *)args[1]};
  if (function == COUNT)
    return (call){.function = function,
                  .n = *(int *)args[0],
                  .x = *(uint64_t *)args[1],
                  .y = *(uint64_t *)args[2],
                  .z = *(uint64_t *)args[3]};
  return (call){.n = *(int *)args[0], .a = *(double *)args[1], .x = *(uint64_t *)args[2], .y = *(uint64_t *)args[3]};
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **args, void **extra)
{
  if (!function || !stream || extra || gz != 1 || !gx || !gy || bx != 128 || by != 1 || bz != 1) return INVALID_VALUE;
  if (shared > allowed_shared) return INVALID_VALUE;
  return in_stream(launch_of(((graph *)function)->function, args));
}

int cuStreamBeginCapture_v2(void *stream, int mode)
{
  (void)stream;
  if (capture || mode != 2) return INVALID_VALUE;
  return handle((void **)&capture);
}

int cuStreamEndCapture(void *stream, void **out)
{
  (void)stream;
  *out = capture;
  capture = NULL;
  return *out ? 0 : INVALID_VALUE;
}

int cuGraphCreate(void **out, unsigned flags)
{
  return flags ? INVALID_VALUE : handle(out);
}

/* The handle is the graph that it was made for. */
int cuGraphConditionalHandleCreate(uint64_t *out, void *g, void *context, unsigned at_launch, unsigned flags)
{
  *out = (uintptr_t)g;
  return context == current && context && !at_launch && flags == 1 ? 0 : INVALID_VALUE;
}

/* The parameters as the driver documents them: 64-bit words behind four ints. */
typedef struct parameters {
  int type, reserved[3];
  uint64_t word[29];
  uint64_t reserved_end;
} parameters;

static int words_are_zero(const parameters *n, int from)
{
  for (int w = from; w < 29; w++)
    if (n->word[w]) return 0;
  return !n->reserved[0] && !n->reserved[1] && !n->reserved[2] && !n->reserved_end;
}

/* A kernel of one thread: function; grid and block; shared bytes; arguments. */
static int kernel_node(const parameters *n, call *out)
{
  unsigned shape[8];
  memcpy(shape, &n->word[1], sizeof shape);
  for (int i = 0; i < 6; i++)
    if (shape[i] != 1) return INVALID_VALUE;
  if (shape[6] || shape[7] || !n->word[0] || !n->word[5] || !words_are_zero(n, 6)) return INVALID_VALUE;
  *out = launch_of(((graph *)(uintptr_t)n->word[0])->function, (void **)(uintptr_t)n->word[5]);
  return 0;
}

/* A graph is copied. */
static int graph_node(const parameters *n, graph *g, call *out)
{
  if (!n->word[0] || !words_are_zero(n, 1) || g->body) return INVALID_VALUE;
  handle((void **)&g->body);
  memcpy(g->body, (void *)(uintptr_t)n->word[0], sizeof *g);
  *out = (call){.kind = 3, .inner = g->body};
  return 0;
}

/* While: handle, type 1 and size 1, bodies, context. */
static int conditional_node(parameters *n, graph *g, call *out)
{
  static graph *bodies[1];
  unsigned shape[2];
  memcpy(shape, &n->word[1], sizeof shape);
  if (n->word[0] != (uintptr_t)g || shape[0] != 1 || shape[1] != 1 || n->word[2] || n->word[3] != (uintptr_t)current ||
      !words_are_zero(n, 4) || g->body)
    return INVALID_VALUE;
  handle((void **)&g->body);
  bodies[0] = g->body;
  n->word[2] = (uintptr_t)bodies;
  *out = (call){.kind = 4, .inner = g};
  return 0;
}

/* Nodes run in the order in which they are added, so each must come behind the one before. */
int cuGraphAddNode_v2(void **out, void *target, void *const *after, const void *edges, size_t afters, void *values)
{
  graph *g = target;
  parameters *n = values;
  call c = {0};
  if (edges || afters != (g->count > 0) || (afters && *after != &g->list[g->count - 1])) return INVALID_VALUE;
  int result = n->type == 0    ? kernel_node(n, &c)
               : n->type == 4  ? graph_node(n, g, &c)
               : n->type == 13 ? conditional_node(n, g, &c)
                               : INVALID_VALUE;
  g->list[g->count] = c;
  *out = &g->list[g->count++];
  return result;
}

/* The old one alone: the new one is taken where it is there, as on the real driver. */
int cuGraphInstantiate_v2(void **executable, void *source, void **node, char *log, size_t log_size)
{
  (void)node, (void)log, (void)log_size;
  handle(executable);
  memcpy(*executable, source, sizeof(graph));
  return 0;
}

int cuGraphLaunch(void *executable, void *stream)
{
  (void)stream;
  run_all(executable);
  return 0;
}

int cuGraphDestroy(void *g)
{
  if (((graph *)g)->body) cuGraphDestroy(((graph *)g)->body);
  return drop(g);
}

int cuGraphExecDestroy(void *g)
{
  return drop(g);
}

int cuEventCreate(void **event, unsigned flags)
{
  return flags ? INVALID_VALUE : handle(event);
}

int cuEventRecord(void *event, void *stream)
{
  (void)stream;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  ((call *)event)->a = 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
  return 0;
}

int cuEventSynchronize(void *event)
{
  (void)event;
  return 0;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
  if (((call *)from)->a <= 0 || ((call *)to)->a <= 0) return INVALID_VALUE;
  *ms = (float)(((call *)to)->a - ((call *)from)->a);
  return 0;
}

int cuEventDestroy_v2(void *event)
{
  return drop(event);
}
