/* An NVIDIA GPU as a device: the driver's primary context, one stream, CUBINs from NVRTC, graphs by stream capture. */
#include "cuda_parts.h"
#include "compilers.h"
#include "parallel.h"

#include <math.h>

/* From cuda.h. */
enum {
  ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  ATTRIBUTE_UNITS = 16,
  ATTRIBUTE_L2_CACHE_SIZE = 38,
  ATTRIBUTE_MAX_THREADS_PER_UNIT = 39,
  ATTRIBUTE_MAJOR = 75,
  ATTRIBUTE_MINOR = 76,
  ATTRIBUTE_SHARED_PER_UNIT = 81,
  ATTRIBUTE_REGISTERS_PER_UNIT = 82,
  ATTRIBUTE_SHARED_PER_BLOCK_OPTIN = 97,
  FUNCTION_MAX_DYNAMIC_SHARED = 8,
  FUNCTION_CLUSTER_WIDTH = 11, /* height and depth follow */
  STREAM_NON_BLOCKING = 1,
  SHARED_WITHOUT_ASKING = 48 * 1024
};

typedef struct cuda_module {
  wisp_module base;
  void *module, *function;
  unsigned shared_bytes;
  char name[128];
} cuda_module;

typedef struct cuda_event {
  wisp_event base;
  void *event;
} cuda_event;

/* ---- What is there. */

/* A missing driver, or one that cannot start (no GPU, no access), means no GPUs, and is no error. */
static wisp_status cuda_count(wisp_error *err, int *out)
{
  (void)err;
  wisp_cuda_api api;
  if (wisp_cuda_api_open(NULL, &api) != WISP_OK || api.cuInit(0) != 0 || api.cuDeviceGetCount(out) != 0) *out = 0;
  return WISP_OK;
}

/* The kernel module's version ("580.159.03"), by which people know the driver; else the CUDA version that it speaks. */
static void driver_version(const wisp_cuda_api *api, char *out, size_t size)
{
  const char *const files[] = {"/sys/module/nvidia/version", "/proc/driver/nvidia/version"};
  int version = 0;
  for (size_t i = 0; i < WISP_COUNT(files); i++) {
    OWNED(free) char *text = NULL;
    char *rest = NULL;
    size_t length = 0;
    if (wisp_read_file(NULL, files[i], &text, &length) != WISP_OK) continue;
    /* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  Tue ...": the first word of digits and dots. */
    for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
      if (!strchr(word, '.') || word[strspn(word, "0123456789.")]) continue;
      snprintf(out, size, "%s", word);
      return;
    }
  }
  api->cuDriverGetVersion(&version);
  snprintf(out, size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

static wisp_status query_limits(wisp_error *err, cuda_device *device)
{
  wisp_limits *limits = &device->base.limits;
  int major = 0, minor = 0, l2 = 0;
  const struct {
    int attribute, *value;
  } wanted[] = {
      {ATTRIBUTE_UNITS, &limits->units},
      {ATTRIBUTE_MAX_THREADS_PER_BLOCK, &limits->max_threads},
      {ATTRIBUTE_SHARED_PER_BLOCK_OPTIN, &limits->max_shared},
      {ATTRIBUTE_SHARED_PER_UNIT, &limits->shared_per_unit},
      {ATTRIBUTE_REGISTERS_PER_UNIT, &limits->registers_per_unit},
      {ATTRIBUTE_MAX_THREADS_PER_UNIT, &limits->threads_per_unit},
      {ATTRIBUTE_MAJOR, &major},
      {ATTRIBUTE_MINOR, &minor},
      {ATTRIBUTE_L2_CACHE_SIZE, &l2},
  };
  for (size_t i = 0; i < WISP_COUNT(wanted); i++)
    CALL(CUDA(device, cuDeviceGetAttribute, wanted[i].value, wanted[i].attribute, device->handle));
  CALL(CUDA(device, cuDeviceGetName, limits->name, (int)sizeof limits->name, device->handle));
  CALL(CUDA(device, cuDeviceTotalMem_v2, &limits->memory, device->handle));
  limits->sm = 10 * major + minor;
  limits->l2 = (size_t)l2;
  limits->gpu = true;
  snprintf(limits->kind, sizeof limits->kind, "%s", wisp_cuda_kind.dialect);
  snprintf(limits->target, sizeof limits->target, "sm_%d", limits->sm);
  limits->loops = wisp_cuda_has_loops(&device->api);
  driver_version(&device->api, limits->driver, sizeof limits->driver);
  wisp_nvrtc_name(limits->compiler, sizeof limits->compiler);
  return WISP_OK;
}

static void cuda_close(wisp_device *base)
{
  cuda_device *device = wisp_cuda_of(base);
  if (device->context && !device->adopted) {
    void *graph = NULL;
    device->api.cuCtxSetCurrent(device->context);
    if (base->recording && device->api.cuStreamEndCapture(device->stream, &graph) == 0 && graph)
      device->api.cuGraphDestroy(graph);
    if (device->stream) device->api.cuStreamDestroy_v2(device->stream);
    device->api.cuCtxSetCurrent(NULL);
    device->api.cuDevicePrimaryCtxRelease_v2(device->handle);
  }
  wisp_nvml_close(device->nvml);
  free(device);
}
WISP_OWNED(wisp_device, cuda_close)

static wisp_status make_device(wisp_error *err, wisp_device **out)
{
  OWNED(free) cuda_device *device = NULL;
  CALL(wisp_new(err, 1, sizeof *device, &device));
  CALL(wisp_cuda_api_open(err, &device->api));
  device->base.kind = &wisp_cuda_kind;
  CALL(CUDA(device, cuInit, 0));
  *out = &device->base;
  device = NULL;
  return WISP_OK;
}

static wisp_status cuda_open(wisp_error *err, int index, wisp_device **out)
{
  OWNED(cuda_close) wisp_device *base = NULL;
  CALL(make_device(err, &base));
  cuda_device *device = wisp_cuda_of(base);
  base->index = index;
  CALL(CUDA(device, cuDeviceGet, &device->handle, index));
  CALL(query_limits(err, device));
  CALL(CUDA(device, cuDevicePrimaryCtxRetain, &device->context, device->handle));
  CALL(wisp_cuda_enter(err, device));
  CALL(CUDA(device, cuStreamCreate, &device->stream, STREAM_NON_BLOCKING));
  return GIVE(base, out);
}

/* A device's handle is its index. */
static wisp_status cuda_adopt(wisp_error *err, void *context, void *stream, wisp_device **out)
{
  OWNED(cuda_close) wisp_device *base = NULL;
  CALL(make_device(err, &base));
  cuda_device *device = wisp_cuda_of(base);
  device->adopted = true;
  device->context = context;
  device->stream = stream;
  CALL(wisp_cuda_enter(err, device));
  CALL(CUDA(device, cuCtxGetDevice, &device->handle));
  base->index = device->handle;
  CALL(query_limits(err, device));
  return GIVE(base, out);
}

/* ---- Memory. */

static wisp_status cuda_alloc(wisp_error *err, wisp_device *base, size_t bytes, wisp_pointer *out)
{
  cuda_device *device = wisp_cuda_of(base);
  CALL(wisp_cuda_enter(err, device));
  int result = device->api.cuMemAlloc_v2(out, bytes);
  if (result == WISP_CUDA_OUT_OF_MEMORY) {
    size_t free_bytes = 0, total = 0;
    device->api.cuMemGetInfo_v2(&free_bytes, &total);
    CALL(wisp_fail(
        err, WISP_EMEMORY,
        "%s: no memory for %zu bytes: %zu bytes are free of %zu: take fewer elements, or end what else runs there",
        base->limits.name, bytes, free_bytes, total));
  }
  return wisp_cuda_check(err, &device->api, result, "cuMemAlloc", "");
}

static void cuda_free(wisp_device *base, wisp_pointer pointer)
{
  if (wisp_cuda_enter(NULL, wisp_cuda_of(base)) == WISP_OK) wisp_cuda_of(base)->api.cuMemFree_v2(pointer);
}

static wisp_status cuda_finish(wisp_error *err, wisp_device *base)
{
  CALL(wisp_cuda_enter(err, wisp_cuda_of(base)));
  return CUDA(wisp_cuda_of(base), cuStreamSynchronize, wisp_cuda_of(base)->stream);
}

static wisp_status cuda_stream(wisp_error *err, wisp_device *base, void **out)
{
  *out = wisp_cuda_of(base)->stream;
  return wisp_cuda_enter(err, wisp_cuda_of(base));
}

static double cuda_clock_mhz(wisp_device *base)
{
  cuda_device *device = wisp_cuda_of(base);
  char bus[32] = "";
  if (!device->asked_nvml && device->api.cuDeviceGetPCIBusId &&
      device->api.cuDeviceGetPCIBusId(bus, sizeof bus, device->handle) == 0)
    device->nvml = wisp_nvml_open(bus);
  device->asked_nvml = true;
  return wisp_nvml_clock_mhz(device->nvml);
}

/* Waits, so that the caller may change what was uploaded. */
static wisp_status cuda_upload(wisp_error *err, wisp_device *base, wisp_pointer to, const void *from, size_t bytes)
{
  CALL(wisp_cuda_enter(err, wisp_cuda_of(base)));
  CALL(CUDA(wisp_cuda_of(base), cuMemcpyHtoDAsync_v2, to, from, bytes, wisp_cuda_of(base)->stream));
  return cuda_finish(err, base);
}

/* Memory that nobody wrote to yet gets its pages on all cores first, not on the driver's one. */
static wisp_status cuda_download(wisp_error *err, wisp_device *base, void *to, wisp_pointer from, size_t bytes)
{
  wisp_parallel_fill(to, 0, bytes);
  CALL(wisp_cuda_enter(err, wisp_cuda_of(base)));
  CALL(CUDA(wisp_cuda_of(base), cuMemcpyDtoHAsync_v2, to, from, bytes, wisp_cuda_of(base)->stream));
  return cuda_finish(err, base);
}

static wisp_status cuda_fill(wisp_error *err, wisp_device *base, wisp_pointer to, unsigned char byte, size_t bytes)
{
  CALL(wisp_cuda_enter(err, wisp_cuda_of(base)));
  return CUDA(wisp_cuda_of(base), cuMemsetD8Async, to, byte, bytes, wisp_cuda_of(base)->stream);
}

static wisp_status cuda_copy(wisp_error *err, wisp_device *base, wisp_pointer to, wisp_pointer from, size_t bytes)
{
  CALL(wisp_cuda_enter(err, wisp_cuda_of(base)));
  return CUDA(wisp_cuda_of(base), cuMemcpyDtoDAsync_v2, to, from, bytes, wisp_cuda_of(base)->stream);
}

/* ---- Kernels. */

static void cuda_unload(wisp_module *base)
{
  cuda_module *module = (cuda_module *)base;
  cuda_device *device = wisp_cuda_of(base->device);
  if (module->module && wisp_cuda_enter(NULL, device) == WISP_OK) device->api.cuModuleUnload(module->module);
  free(module);
}
WISP_OWNED(wisp_module, cuda_unload)

static wisp_status cuda_load(wisp_error *err, wisp_device *base, const wisp_binary *binary, const char *name,
                             size_t shared_bytes, wisp_module **out)
{
  cuda_device *device = wisp_cuda_of(base);
  OWNED(cuda_unload) wisp_module *loaded = NULL;
  /* The driver finds the end of a CUBIN by its own headers: one that is no ELF file must not reach it. */
  CALL(wisp_require(err, binary->length > 64 && memcmp(binary->data, "\177ELF", 4) == 0, WISP_EUSAGE,
                    "%s: not a CUBIN: compile it for %s", name, base->limits.target));
  CALL(wisp_require(err, shared_bytes <= (size_t)base->limits.max_shared, WISP_EUSAGE,
                    "%s: %zu bytes of shared memory, at most %d on %s", name, shared_bytes, base->limits.max_shared,
                    base->limits.name));
  CALL(wisp_new(err, 1, sizeof(cuda_module), &loaded));
  loaded->device = base;
  cuda_module *module = (cuda_module *)loaded;
  module->shared_bytes = (unsigned)shared_bytes;
  snprintf(module->name, sizeof module->name, "%s", name);
  CALL(wisp_cuda_enter(err, device));
  CALL(CUDA_AS(device, "load", name, cuModuleLoadData, &module->module, binary->data));
  CALL(CUDA_AS(device, "find", name, cuModuleGetFunction, &module->function, module->module, name));
  if (shared_bytes > SHARED_WITHOUT_ASKING)
    CALL(CUDA_AS(device, "allow shared memory for", name, cuFuncSetAttribute, module->function,
                 FUNCTION_MAX_DYNAMIC_SHARED, (int)shared_bytes));
  return GIVE(loaded, out);
}

static wisp_status cuda_cluster(wisp_error *err, wisp_module *base, int blocks)
{
  cuda_module *module = (cuda_module *)base;
  cuda_device *device = wisp_cuda_of(base->device);
  CALL(wisp_cuda_enter(err, device));
  for (int i = 0; i < 3; i++)
    CALL(CUDA_AS(device, "form clusters of", module->name, cuFuncSetAttribute, module->function,
                 FUNCTION_CLUSTER_WIDTH + i, i == 0 ? blocks : 1));
  return WISP_OK;
}

static wisp_status cuda_launch(wisp_error *err, wisp_module *base, void *stream, const unsigned grid[2],
                               const unsigned block[3], void **args, int arg_count)
{
  (void)arg_count; /* the function itself knows */
  cuda_module *module = (cuda_module *)base;
  cuda_device *device = wisp_cuda_of(base->device);
  CALL(wisp_cuda_enter(err, device));
  return CUDA_AS(device, "launch", module->name, cuLaunchKernel, module->function, grid[0], grid[1], 1, block[0],
                 block[1], block[2], module->shared_bytes, stream ? stream : device->stream, args, NULL);
}

/* ---- Events. */

static void cuda_event_destroy(wisp_event *base)
{
  cuda_event *event = (cuda_event *)base;
  cuda_device *device = wisp_cuda_of(base->device);
  if (event->event && wisp_cuda_enter(NULL, device) == WISP_OK) device->api.cuEventDestroy_v2(event->event);
  free(event);
}
WISP_OWNED(wisp_event, cuda_event_destroy)

static wisp_status cuda_event_create(wisp_error *err, wisp_device *base, wisp_event **out)
{
  OWNED(cuda_event_destroy) wisp_event *event = NULL;
  CALL(wisp_new(err, 1, sizeof(cuda_event), &event));
  event->device = base;
  CALL(wisp_cuda_enter(err, wisp_cuda_of(base)));
  CALL(CUDA(wisp_cuda_of(base), cuEventCreate, &((cuda_event *)event)->event, 0));
  return GIVE(event, out);
}

static wisp_status cuda_event_record(wisp_error *err, wisp_event *base)
{
  cuda_device *device = wisp_cuda_of(base->device);
  CALL(wisp_cuda_enter(err, device));
  return CUDA(device, cuEventRecord, ((cuda_event *)base)->event, device->stream);
}

static wisp_status cuda_event_elapsed(wisp_error *err, const wisp_event *from, wisp_event *to, double *ms)
{
  cuda_device *device = wisp_cuda_of(to->device);
  float elapsed = 0;
  CALL(wisp_cuda_enter(err, device));
  CALL(CUDA(device, cuEventSynchronize, ((cuda_event *)to)->event));
  CALL(CUDA(device, cuEventElapsedTime, &elapsed, ((const cuda_event *)from)->event, ((cuda_event *)to)->event));
  *ms = (double)elapsed;
  return WISP_OK;
}

static wisp_status cuda_target_limits(wisp_error *err, const char *target, wisp_limits *out)
{
  CALL(wisp_nvrtc_target_limits(err, target, out));
  out->gpu = true;
  snprintf(out->kind, sizeof out->kind, "%s", wisp_cuda_kind.dialect);
  return WISP_OK;
}

const wisp_device_kind wisp_cuda_kind = {
    .name = "cuda",
    .dialect = "cuda",
    .target = "sm_90",
    .gpu = true,
    .timing = {.probes = 3, .samples = 7, .sample_ms = 0.2},
    .ceilings = {256, 32, 16, 4096, {256 * 8, 256 * 8}, 150, {20, 20}, true, false, (size_t)256 << 20, 0, 1 << 25},
    .count = cuda_count,
    .open = cuda_open,
    .adopt = cuda_adopt,
    .close = cuda_close,
    .has_target = wisp_nvrtc_has_target,
    .target_limits = cuda_target_limits,
    .compiler_name = wisp_nvrtc_name,
    .compiler = wisp_nvrtc_compiler,
    .options = wisp_nvrtc_options,
    .compile = wisp_nvrtc_compile,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .upload = cuda_upload,
    .download = cuda_download,
    .fill = cuda_fill,
    .copy = cuda_copy,
    .finish = cuda_finish,
    .sharing = &wisp_cuda_sharing,
    .stream = cuda_stream,
    .clock_mhz = cuda_clock_mhz,
    .load = cuda_load,
    .unload = cuda_unload,
    .cluster = cuda_cluster,
    .launch = cuda_launch,
    .begin = wisp_cuda_begin,
    .end = wisp_cuda_end,
    .replay = wisp_cuda_replay,
    .destroy_graph = wisp_cuda_destroy_graph,
    .create_event = cuda_event_create,
    .record = cuda_event_record,
    .elapsed = cuda_event_elapsed,
    .destroy_event = cuda_event_destroy,
};

enum { CLOCK_SM = 1 }; /* NVML_CLOCK_SM */

struct wisp_nvml {
  wisp_nvml_api api;
  void *device;
};

wisp_nvml *wisp_nvml_open(const char *bus)
{
  wisp_nvml *nvml = calloc(1, sizeof *nvml);
  if (nvml && wisp_nvml_api_open(NULL, &nvml->api) == WISP_OK && nvml->api.nvmlInit_v2() == 0) {
    if (nvml->api.nvmlDeviceGetHandleByPciBusId_v2(bus, &nvml->device) == 0) return nvml;
    nvml->api.nvmlShutdown();
  }
  free(nvml);
  return NULL;
}

double wisp_nvml_clock_mhz(const wisp_nvml *nvml)
{
  unsigned mhz = 0;
  bool known = nvml && nvml->api.nvmlDeviceGetClockInfo(nvml->device, CLOCK_SM, &mhz) == 0;
  return known ? (double)mhz : NAN;
}

void wisp_nvml_close(wisp_nvml *nvml)
{
  if (nvml) nvml->api.nvmlShutdown();
  free(nvml);
}
