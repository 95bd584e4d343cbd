/* A driver without a GPU, for the test of the calls that we make: memory is memory, the stream runs at once, the one
 * kernel it knows is axpy. Where the real driver would refuse, so does this. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INVALID_VALUE = 1, NO_MEMORY = 2, NO_CONTEXT = 201, NOT_FOUND = 500, CAPTURING = 906, LARGE = 48 * 1024 };

typedef struct call {
  int kind; /* 0 launch, 1 copy, 2 fill */
  int n;
  double a;
  uint64_t x, y;
  size_t bytes;
} call;

typedef struct graph {
  int count;
  call list[64];
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

static void run(const call *c)
{
  const double *x = (const double *)(uintptr_t)c->x;
  double *y = (double *)(uintptr_t)c->y;
  if (c->kind == 1) memmove(y, x, c->bytes);
  if (c->kind == 2) memset(y, (int)c->x, c->bytes);
  if (c->kind == 0)
    for (int i = 0; i < c->n; i++) y[i] += c->a * x[i];
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
  *version = 13000;
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
  return strcmp(name, "wisp_axpy") == 0 ? 0 : NOT_FOUND;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
  if (!function || attribute != 8) return INVALID_VALUE;
  allowed_shared = (size_t)value;
  return 0;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **args, void **extra)
{
  if (!function || !stream || extra || gz != 1 || !gx || !gy || bx != 128 || by != 1 || bz != 1) return INVALID_VALUE;
  if (shared > allowed_shared) return INVALID_VALUE;
  return in_stream(
      (call){.n = *(int *)args[0], .a = *(double *)args[1], .x = *(uint64_t *)args[2], .y = *(uint64_t *)args[3]});
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
  const graph *g = executable;
  for (int i = 0; i < g->count; i++) run(&g->list[i]);
  return 0;
}

int cuGraphDestroy(void *g)
{
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
