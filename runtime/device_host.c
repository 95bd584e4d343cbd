/* The host as a device: kernels are shared objects, device memory is memory, the stream is the caller's thread. */
#include "compilers.h"
#include "host_schedule.h"
#include "parallel.h"
#include "stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* A block's shared arrays are locals of the generated code; this many bytes fit every usual thread's stack. */
enum { MAX_SHARED = 1 << 20, MAX_ARGS = 64 };

typedef struct host_module {
  wisp_module base;
  void *object;
  int fd; /* the file that object lies in: its number is part of the name, so that it stays taken while object lives */
  wisp_host_entry *entry;
  size_t stack_bytes; /* that a thread needs */
  bool knows_references;
  wisp_host_references references; /* once it was launched in another schedule than its own */
  char name[128];
} host_module;

/* One recorded call: a launch, else a copy (from != 0), else a fill. */
typedef struct host_call {
  wisp_host_entry *entry;
  unsigned grid[2];
  int arg_count;
  size_t first_value; /* into the graph's values */
  wisp_pointer to, from;
  size_t bytes;
  unsigned char byte;
} host_call;

typedef struct host_graph {
  wisp_graph base;
  host_call *call;
  uint64_t *value; /* every call's argument values */
  size_t calls, call_capacity, values, value_capacity;
  const int *left;    /* a loop's passes; NULL: one pass, whatever happens */
  size_t stack_bytes; /* that a thread needs, of all its calls */
} host_graph;

typedef struct host_device {
  wisp_device base;
  host_graph *recording; /* what launches go to between begin and end */
  wisp_host_stacks stacks;
} host_device;

typedef struct host_event {
  wisp_event base;
  bool recorded;
  struct timespec at;
} host_event;

/* The base structure comes first in each, so that one cast is all there is to it. */
static host_device *as_host(wisp_device *device)
{
  return (host_device *)device;
}

static void *as_memory(wisp_pointer pointer)
{
  return (void *)(uintptr_t)pointer;
}

/* ---- The machine. */

static size_t read_setting(int name)
{
  long value = sysconf(name);
  return value > 0 ? (size_t)value : 0;
}

static bool host_has_target(const char *target)
{
  return strcmp(target, "host") == 0;
}

static wisp_status host_limits(wisp_error *err, const char *target, wisp_limits *out)
{
  HELD(wisp_text_free) wisp_text name = {0};
  struct utsname system;
  cpu_set_t allowed;
  wisp_limits limits = {.max_threads = 1024,
                        .max_shared = MAX_SHARED,
                        .shared_per_unit = MAX_SHARED,
                        .registers_per_unit = 65536, /* nothing is bounded by it: what an ordinary GPU has */
                        .threads_per_unit = 1024,
                        .loops = true};
  CALL(wisp_host_cpuinfo(err, "model name", &name));
  if (uname(&system) != 0) memset(&system, 0, sizeof system);
  snprintf(limits.kind, sizeof limits.kind, "%s", wisp_host_kind.dialect);
  snprintf(limits.name, sizeof limits.name, "%.100s", name.length ? name.data : system.machine);
  snprintf(limits.target, sizeof limits.target, "%s", target);
  snprintf(limits.driver, sizeof limits.driver, "%.20s %.40s", system.sysname, system.release);
  wisp_host_compiler_name(limits.compiler, sizeof limits.compiler);
  const int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
                                                                        : (int)read_setting(_SC_NPROCESSORS_ONLN);
  limits.units = wisp_host_threads(cores);
  limits.l2 = read_setting(_SC_LEVEL2_CACHE_SIZE) *
              (size_t)(limits.units < cores ? limits.units : cores); /* a virtual machine's L3 is a whole server's */
  limits.memory = read_setting(_SC_PHYS_PAGES) * read_setting(_SC_PAGESIZE);
  *out = limits;
  return WISP_OK;
}

static wisp_status host_count(wisp_error *err, int *out)
{
  (void)err;
  *out = 1;
  return WISP_OK;
}

/* The loader's own lock orders what it frees behind what it has made, but no sanitizer sees that; this one they see. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static void begin_loading(void)
{
  pthread_mutex_lock(&loading);
}

static void end_loading(void)
{
  pthread_mutex_unlock(&loading);
}

/* A child of fork has the lock free, whichever thread held it. */
static void free_in_children(void)
{
  pthread_atfork(begin_loading, end_loading, end_loading);
}

/* The environment changes before anybody compiles for the device: a thread that copies it for a compiler must not find
 * it changed under it. */
static wisp_status host_open(wisp_error *err, int index, wisp_device **out)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)index;
  OWNED(free) host_device *device = NULL;
  CALL(wisp_openmp_check(err));
  CALL(wisp_new(err, 1, sizeof *device, &device));
  CALL(host_limits(err, "host", &device->base.limits));
  device->base.kind = &wisp_host_kind;
  wisp_openmp_prepare();
  pthread_once(&once, free_in_children);
  *out = &device->base;
  device = NULL;
  return WISP_OK;
}

static void host_destroy_graph(wisp_graph *base)
{
  host_graph *graph = (host_graph *)base;
  free(graph->call), free(graph->value), free(graph);
}

static void host_close(wisp_device *device)
{
  host_graph *recording = as_host(device)->recording;
  if (recording) host_destroy_graph(&recording->base);
  free(device);
}

/* ---- Memory. */

static wisp_status host_alloc(wisp_error *err, wisp_device *device, size_t bytes, wisp_pointer *out)
{
  void *memory = NULL;
  /* 64: a cache line and the widest vector. */
  if (bytes > device->limits.memory || posix_memalign(&memory, 64, bytes) != 0)
    return wisp_fail(
        err, WISP_EMEMORY,
        "%s: no memory for %zu bytes: %zu bytes are free of %zu: take fewer elements, or end what else runs there",
        device->limits.name, bytes, read_setting(_SC_AVPHYS_PAGES) * read_setting(_SC_PAGESIZE), device->limits.memory);
  wisp_large_pages(memory, bytes);
  *out = (uintptr_t)memory;
  return WISP_OK;
}

static void host_free(wisp_device *device, wisp_pointer pointer)
{
  (void)device;
  free(as_memory(pointer));
}

static wisp_status host_upload(wisp_error *err, wisp_device *device, wisp_pointer to, const void *from, size_t bytes)
{
  (void)err, (void)device;
  wisp_parallel_copy(as_memory(to), from, bytes);
  return WISP_OK;
}

static wisp_status host_download(wisp_error *err, wisp_device *device, void *to, wisp_pointer from, size_t bytes)
{
  (void)err, (void)device;
  wisp_parallel_copy(to, as_memory(from), bytes);
  return WISP_OK;
}

static wisp_status host_finish(wisp_error *err, wisp_device *device)
{
  (void)err, (void)device; /* everything was done when it was called */
  return WISP_OK;
}

/* ---- Recording. */

static wisp_status record_call(wisp_error *err, host_graph *graph, host_call call, void **args)
{
  CALL(wisp_grow(err, &graph->call, &graph->call_capacity, graph->calls + 1, sizeof *graph->call));
  CALL(wisp_grow(err, &graph->value, &graph->value_capacity, graph->values + (size_t)call.arg_count,
                 sizeof *graph->value));
  call.first_value = graph->values;
  for (int i = 0; i < call.arg_count; i++) memcpy(&graph->value[graph->values++], args[i], sizeof *graph->value);
  graph->call[graph->calls++] = call;
  return WISP_OK;
}

static wisp_status host_begin(wisp_error *err, wisp_device *device)
{
  CALL(wisp_new(err, 1, sizeof(host_graph), &as_host(device)->recording));
  as_host(device)->recording->base.device = device;
  return WISP_OK;
}

static wisp_status host_end(wisp_error *err, wisp_device *device, wisp_pointer left, wisp_graph **out)
{
  (void)err;
  host_graph *graph = as_host(device)->recording;
  graph->left = as_memory(left);
  *out = &graph->base;
  as_host(device)->recording = NULL;
  return WISP_OK;
}

static void run_pass(const host_graph *graph)
{
  for (size_t i = 0; i < graph->calls; i++) {
    const host_call *call = &graph->call[i];
    uint64_t value[MAX_ARGS]; /* a copy: a kernel may change its arguments */
    void *args[MAX_ARGS];
    for (int a = 0; a < call->arg_count; a++) {
      value[a] = graph->value[call->first_value + (size_t)a];
      args[a] = &value[a];
    }
    if (call->entry)
      call->entry(args, call->grid[0], call->grid[1]);
    else if (call->from)
      memmove(as_memory(call->to), as_memory(call->from), call->bytes);
    else
      memset(as_memory(call->to), call->byte, call->bytes);
  }
}

static wisp_status host_replay(wisp_error *err, wisp_graph *base)
{
  const host_graph *graph = (const host_graph *)base;
  CALL(wisp_host_stacks_check(err, &as_host(base->device)->stacks, NULL, "the recorded kernels", graph->stack_bytes));
  if (!graph->left) run_pass(graph);
  while (graph->left && *graph->left > 0) run_pass(graph);
  return WISP_OK;
}

static wisp_status host_fill(wisp_error *err, wisp_device *device, wisp_pointer to, unsigned char byte, size_t bytes)
{
  host_graph *graph = as_host(device)->recording;
  if (graph) return record_call(err, graph, (host_call){.to = to, .byte = byte, .bytes = bytes}, NULL);
  wisp_parallel_fill(as_memory(to), byte, bytes);
  return WISP_OK;
}

static wisp_status host_copy(wisp_error *err, wisp_device *device, wisp_pointer to, wisp_pointer from, size_t bytes)
{
  host_graph *graph = as_host(device)->recording;
  if (graph) return record_call(err, graph, (host_call){.to = to, .from = from, .bytes = bytes}, NULL);
  memmove(as_memory(to), as_memory(from), bytes);
  return WISP_OK;
}

/* ---- Kernels. */

static void host_unload(wisp_module *base)
{
  host_module *module = (host_module *)base;
  begin_loading();
  if (module->object) dlclose(module->object);
  end_loading();
  if (module->fd >= 0) close(module->fd);
  free(module);
}
WISP_OWNED(wisp_module, host_unload)

static wisp_status write_all(wisp_error *err, int fd, const char *name, const wisp_binary *binary)
{
  for (size_t done = 0; done < binary->length;) {
    ssize_t wrote = write(fd, binary->data + done, binary->length - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      return wisp_fail(err, WISP_ESYSTEM, "%s: the shared object cannot be written: %s: %s", name, strerror(errno),
                       errno == EFBIG ? "raise the limit of file sizes (ulimit -f)" : "see that there is memory");
    done += (size_t)wrote;
  }
  return WISP_OK;
}

static wisp_status host_load(wisp_error *err, wisp_device *device, const wisp_binary *binary, const char *name,
                             size_t shared_bytes, wisp_module **out)
{
  /* An OpenMP library's threads outlive the module that brought it; it must not be unmapped under them. */
  static const char *const openmp[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};
  char path[64];
  OWNED(host_unload) wisp_module *loaded = NULL;
  CALL(wisp_require(err, shared_bytes <= MAX_SHARED, WISP_EUSAGE,
                    "%s: %zu bytes of shared arrays, at most %d on the host", name, shared_bytes, MAX_SHARED));
  CALL(wisp_new(err, 1, sizeof(host_module), &loaded));
  loaded->device = device;
  host_module *module = (host_module *)loaded;
  module->fd = memfd_create(name, MFD_CLOEXEC);
  CALL(wisp_require(err, module->fd >= 0, WISP_ESYSTEM,
                    "%s: cannot make a file in memory: %s: raise the limit of open files (ulimit -n)", name,
                    strerror(errno)));
  CALL(write_all(err, module->fd, name, binary));
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), module->fd);
  begin_loading();
  module->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  end_loading();
  CALL(wisp_require(err, module->object, WISP_ESYSTEM,
                    "%s: cannot be loaded: %s: compile it anew (wisp db cache --clear)", name, dlerror()));
  for (size_t i = 0; i < WISP_COUNT(openmp); i++) {
    void *library = dlopen(openmp[i], RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    if (library) dlclose(library);
  }
  void *symbol = dlsym(module->object, name);
  CALL(wisp_require(err, symbol, WISP_EDEVICE, "%s: the module has no function of this name", name));
  memcpy(&module->entry, &symbol, sizeof symbol); /* C has no cast from object to function pointer */
  module->stack_bytes = (size_t)binary->usage.stack_bytes;
  snprintf(module->name, sizeof module->name, "%s", name);
  CALL(wisp_host_stacks_check(err, &as_host(device)->stacks, module->object, name, module->stack_bytes));
  return GIVE(loaded, out);
}

/* The first module brings OpenMP, whose threads are looked at then. */
static wisp_status host_check(wisp_error *err, wisp_device *device, const wisp_binary *binary, const char *name)
{
  OWNED(host_unload) wisp_module *module = NULL;
  wisp_host_stacks *stacks = &as_host(device)->stacks;
  if (!stacks->knows_team) return host_load(err, device, binary, name, 0, &module);
  return wisp_host_stacks_check(err, stacks, NULL, name, (size_t)binary->usage.stack_bytes);
}

/* In the schedule that is asked for; blocks that need much stack do not stand on one another. */
static void launch_now(host_module *module, const wisp_device *device, const unsigned grid[2], void **args)
{
  enum { MOST_STACK = 1 << 18 };
  const bool alone = device->schedule == WISP_SCHEDULE_INTERRUPTED && module->stack_bytes > MOST_STACK;
  const wisp_schedule schedule = alone ? WISP_SCHEDULE_SINGLE : device->schedule;
  const wisp_watched watched = {(void *)(uintptr_t)device->interrupt_from, device->interrupt_bytes};
  if (schedule == WISP_SCHEDULE_USUAL) {
    module->entry(args, grid[0], grid[1]);
    return;
  }
  if (!module->knows_references) module->references = wisp_host_references_find(module->object);
  module->knows_references = true;
  wisp_host_run_scheduled(&module->references, schedule, &watched, module->entry, args, grid);
}

static wisp_status host_launch(wisp_error *err, wisp_module *base, void *stream, const unsigned grid[2],
                               const unsigned block[3], void **args, int arg_count)
{
  (void)stream, (void)block;
  const host_module *module = (const host_module *)base;
  host_device *device = as_host(base->device);
  host_graph *graph = device->recording;
  if (arg_count > MAX_ARGS) return wisp_fail(err, WISP_EUSAGE, "launch: %d arguments, at most %d", arg_count, MAX_ARGS);
  if (graph && module->stack_bytes > graph->stack_bytes) graph->stack_bytes = module->stack_bytes;
  if (graph)
    return record_call(err, graph,
                       (host_call){.entry = module->entry, .grid = {grid[0], grid[1]}, .arg_count = arg_count}, args);
  CALL(wisp_host_stacks_check(err, &device->stacks, NULL, module->name, module->stack_bytes));
  launch_now((host_module *)base, &device->base, grid, args);
  return WISP_OK;
}

/* ---- Events. */

static wisp_status host_event_create(wisp_error *err, wisp_device *device, wisp_event **out)
{
  host_event *event = NULL;
  CALL(wisp_new(err, 1, sizeof *event, &event));
  event->base.device = device;
  *out = &event->base;
  return WISP_OK;
}

static wisp_status host_event_record(wisp_error *err, wisp_event *base)
{
  (void)err;
  host_event *event = (host_event *)base;
  clock_gettime(CLOCK_MONOTONIC, &event->at);
  event->recorded = true;
  return WISP_OK;
}

static wisp_status host_event_elapsed(wisp_error *err, const wisp_event *from, wisp_event *to, double *ms)
{
  const host_event *a = (const host_event *)from, *b = (const host_event *)to;
  if (!a->recorded || !b->recorded) return wisp_fail(err, WISP_EUSAGE, "event: elapsed asked before it was recorded");
  *ms = 1e3 * (double)(b->at.tv_sec - a->at.tv_sec) + 1e-6 * (double)(b->at.tv_nsec - a->at.tv_nsec);
  return WISP_OK;
}

static void host_event_destroy(wisp_event *event)
{
  free(event);
}

const wisp_device_kind wisp_host_kind = {
    .name = "host",
    .dialect = "host",
    .target = "host",
    .timing = {.probes = 5, .samples = 15, .sample_ms = 0.02, .fastest = true},
    .ceilings = {1, 1, 1, 1 << 18, {12 * 16, 12 * 8}, 100, {5, 20}, false, true, 0, (size_t)64 << 20, 1 << 16},
    .count = host_count,
    .open = host_open,
    .close = host_close,
    .has_target = host_has_target,
    .target_limits = host_limits,
    .compiler = wisp_host_compiler,
    .options = wisp_host_options,
    .compile = wisp_host_compile,
    .alloc = host_alloc,
    .free = host_free,
    .upload = host_upload,
    .download = host_download,
    .fill = host_fill,
    .copy = host_copy,
    .finish = host_finish,
    .sharing = &wisp_host_sharing,
    .check = host_check,
    .load = host_load,
    .unload = host_unload,
    .launch = host_launch,
    .begin = host_begin,
    .end = host_end,
    .replay = host_replay,
    .destroy_graph = host_destroy_graph,
    .create_event = host_event_create,
    .record = host_event_record,
    .elapsed = host_event_elapsed,
    .destroy_event = host_event_destroy,
};
