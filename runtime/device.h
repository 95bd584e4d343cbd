/* Devices compile and run kernels. Each kind has a table of functions; devices.c lists the kinds.
 *
 * A compiler is asked for a target ("host", "sm_90") and needs no open device, so that candidates can be compiled in
 * parallel and without a GPU. wisp_compile is safe to call from several threads at once. */
#pragma once

#include "../gen/spec.h"
#include "../gen/text.h"

typedef struct wisp_device wisp_device;
typedef struct wisp_module wisp_module; /* a loaded binary with one kernel */
typedef struct wisp_graph wisp_graph;   /* a recorded sequence of launches */
typedef struct wisp_event wisp_event;   /* a point in the device's stream, for timing */
typedef uint64_t wisp_pointer;          /* a device address; on the host device a real pointer */

typedef struct wisp_limits {      /* queried, never tabled */
  char kind[16];                  /* its dialect: "cuda", "host" */
  bool gpu;                       /* kernels are threads on memory of their own; else loops beside the mesh */
  char name[128];                 /* "NVIDIA H200", "AMD EPYC ..." */
  char target[32];                /* what to compile for: "sm_90", "host" */
  char driver[64], compiler[128]; /* versions, for provenance: "580.159", "NVRTC 13.0", "gcc 12.2.0" */
  int sm;                         /* compute capability as 90, 100; 0 on the host */
  int units;                      /* multiprocessors, or OpenMP's threads */
  int max_threads;                /* per block */
  int max_shared;                 /* bytes a block can have at most (opt-in) */
  int shared_per_unit;            /* bytes a multiprocessor has */
  int registers_per_unit;
  int threads_per_unit;
  size_t l2, memory; /* bytes */
  bool loops;        /* whether a recorded loop runs without the host */
} wisp_limits;

/* The compiler's report of a kernel; -1 where it has none. */
typedef struct wisp_usage {
  int registers, spill_bytes, shared_bytes;
  int issued;      /* instructions that a warp issues, where the code has no branches; 0: not known */
  int stack_bytes; /* of a thread of the host, at most; 0: not known */
} wisp_usage;

typedef struct wisp_binary { /* CUBIN or shared object */
  char *data;
  size_t length;
  wisp_usage usage;
} wisp_binary;
void wisp_binary_free(wisp_binary *binary);

/* Limits to plan for when no such device is here: target "sm_80", "sm_90", "sm_100", "host". Documented architecture
 * limits, for compile checks only; an open device always answers for itself. WISP_EUSAGE for an unknown target. */
wisp_status wisp_target_limits(wisp_error *err, const char *target, wisp_limits *out);
/* The same for whoever does not ask which compiler is here, which takes long: its name may be empty. */
wisp_status wisp_target_documented(wisp_error *err, const char *target, wisp_limits *out);

/* The dialect of a target's kernels, and whether it is a GPU's; empty, and false, for an unknown target. */
const char *wisp_target_dialect(const char *target);
bool wisp_target_is_gpu(const char *target);

/* The dialect of the i-th kind of device, and the target to plan for where no device is; NULL behind the last. */
const char *wisp_dialect_at(size_t i, const char **target);

/* Compiles kernel text for a target. The result is cached on disk by its content (source, target, compiler version,
 * flags): cache_folder.h; an unwritable cache is no error. WISP_ECOMPILE carries the compiler's first
 * error line; WISP_ESYSTEM where the machine is at fault (no memory, an NVRTC that does not know the target or lacks a
 * part); WISP_EDEVICE where there is no compiler (no cc, no NVRTC): the text says what to install. Host flags come
 * from $WISP_CFLAGS (appended), e.g. -fsanitize=address,undefined; compiler from $WISP_CC, else cc. A host compiler
 * that runs longer than $WISP_COMPILE_SECONDS (60) is ended, with WISP_ECOMPILE. */
wisp_status wisp_compile(wisp_error *err, const char *target, const char *name, const char *source, wisp_binary *out);

/* Compiles a kernel that does nothing, past the cache. A failure, never WISP_ECOMPILE, is the machine's fault. */
wisp_status wisp_compiler_probe(wisp_error *err, const char *target);

/* name: "host", "cuda", "cuda:1", or "auto" (the first GPU, else the host). CUDA does not survive a fork: a process
 * that starts workers for a GPU opens and lists devices only in them, never before. */
wisp_status wisp_device_open(wisp_error *err, const char *name, wisp_device **out);
/* The device of the caller's context (a CUcontext) and stream, which outlive it. stream NULL: the default one. */
wisp_status wisp_device_adopt(wisp_error *err, void *context, void *stream, wisp_device **out);
void wisp_device_close(wisp_device *device);
WISP_OWNED(wisp_device, wisp_device_close)
/* The name that opens such a device again, in another process. */
void wisp_device_name(const wisp_device *device, char name[32]);
/* Whether wisp_device_open knows such a name, whatever is there; WISP_EUSAGE where it does not. */
wisp_status wisp_device_known(wisp_error *err, const char *name);
/* Whether such a name is of a kind that has memory and cores of its own. */
bool wisp_device_is_gpu(const char *name);
const wisp_limits *wisp_device_limits(const wisp_device *device);

/* Whether measurements on one hold for the other: name, target, multiprocessors, driver, compiler are the same. */
bool wisp_limits_alike(const wisp_limits *a, const wisp_limits *b);

/* All devices of every kind, by name: "cuda:0,cuda:1,host". gpus: only the GPUs where there is one. */
wisp_status wisp_device_list(wisp_error *err, bool gpus, wisp_text *names);

wisp_status wisp_device_alloc(wisp_error *err, wisp_device *device, size_t bytes, wisp_pointer *out);
void wisp_device_free(wisp_device *device, wisp_pointer pointer);
wisp_status wisp_device_upload(wisp_error *err, wisp_device *device, wisp_pointer to, const void *from, size_t bytes);
wisp_status wisp_device_download(wisp_error *err, wisp_device *device, void *to, wisp_pointer from, size_t bytes);
wisp_status wisp_device_fill(wisp_error *err, wisp_device *device, wisp_pointer to, unsigned char byte,
                             size_t bytes); /* in stream */
wisp_status wisp_device_copy(wisp_error *err, wisp_device *device, wisp_pointer to, wisp_pointer from,
                             size_t bytes);                           /* in stream */
wisp_status wisp_device_finish(wisp_error *err, wisp_device *device); /* waits; reports a failed launch */
/* The stream of all of this, for a library that takes one; made current to this thread. NULL: the device has none. */
wisp_status wisp_device_stream(wisp_error *err, wisp_device *device, void **out);

/* The multiprocessors' clock now, in MHz, best read while something runs. NaN where it is unknown: on a host, and
 * without NVIDIA's management library ($WISP_NVML names another). The first call takes milliseconds. */
double wisp_device_clock_mhz(wisp_device *device);

/* Whether this machine can run the binary: WISP_ESYSTEM, in words, where the host's stacks are too small. */
wisp_status wisp_module_check(wisp_error *err, wisp_device *device, const wisp_binary *binary, const char *name);
wisp_status wisp_module_load(wisp_error *err, wisp_device *device, const wisp_binary *binary, const char *name,
                             size_t shared_bytes, wisp_module **out);
void wisp_module_unload(wisp_module *module);

/* Later launches form clusters of so many blocks, up to 8, that can wait for each other. WISP_EUSAGE: it has none. */
wisp_status wisp_module_cluster(wisp_error *err, wisp_module *module, int blocks);

/* One launch, asynchronous on a GPU. args: addresses of the arg_count argument values in the kernel's order, as
 * cuLaunchKernel takes them. A value has at most 8 bytes, and 8 bytes are readable at each address (a union does it): a
 * recording copies them without the types. grid[0..1] blocks of block[0..2] threads, which the host ignores. stream:
 * another of the device's kind, where nothing that is recorded goes; NULL: the device's. */
wisp_status wisp_launch(wisp_error *err, wisp_module *module, void *stream, const unsigned grid[2],
                        const unsigned block[3], void **args, int arg_count);

/* The order in which a host runs a kernel's blocks, and on which threads: for who verifies it. A GPU has its own. */
typedef enum wisp_schedule {
  WISP_SCHEDULE_USUAL,    /* OpenMP's threads, each with an equal share of the blocks, in order */
  WISP_SCHEDULE_ONE,      /* likewise, with one thread */
  WISP_SCHEDULE_MANY,     /* likewise, with more threads than cores */
  WISP_SCHEDULE_SINGLE,   /* more threads than cores, which take the next block each time: neighbours run together */
  WISP_SCHEDULE_REVERSED, /* likewise, from the last block on */
  WISP_SCHEDULES,         /* whose number is that of those before */
  /* One thread, which is interrupted in a block as it writes, to run the next one (host_interrupts.h). In order where
   * blocks have locks. */
  WISP_SCHEDULE_INTERRUPTED = WISP_SCHEDULES
} wisp_schedule;
/* For all launches from now on that are not recorded. Nobody else may launch the same modules meanwhile, unless it is
 * the usual one. */
void wisp_device_schedule(wisp_device *device, wisp_schedule schedule);
/* The memory in which a write interrupts a block: memory of the device's, with a page on both sides that nobody writes
 * to meanwhile. */
void wisp_device_interrupt_at(wisp_device *device, wisp_pointer from, size_t bytes);

/* Records every launch, fill and copy between begin and end, without running it: a CUDA graph, or a list of calls on
 * the host. Argument values are those of the recording; modules and arrays must outlive the graph. Uploads, downloads,
 * events, finish and a second begin are refused meanwhile (WISP_EUSAGE). */
wisp_status wisp_graph_begin(wisp_error *err, wisp_device *device);
wisp_status wisp_graph_end(wisp_error *err, wisp_device *device, wisp_graph **out);
/* The same, as a loop: a replay runs the recording while the int at `left`, in device memory, is above 0 before a pass.
 * Every pass must lower that number, by 1 or at once to 0. The whole loop is one launch: the host does not wait.
 *
 * Without such loops (wisp_limits.loops: a driver older than CUDA 12.4, or $WISP_GRAPH_LOOPS is "host") the replay
 * enqueues passes and looks at the number behind them, a batch of WISP_LOOP_BATCH later, so that the device is never
 * idle. After a pass that lowers the number to 0 at once, up to two batches more may run: they must change nothing. */
enum { WISP_LOOP_BATCH = 16 };
wisp_status wisp_graph_end_loop(wisp_error *err, wisp_device *device, wisp_pointer left, wisp_graph **out);
wisp_status wisp_graph_replay(wisp_error *err, wisp_graph *graph);
void wisp_graph_destroy(wisp_graph *graph);

wisp_status wisp_event_create(wisp_error *err, wisp_device *device, wisp_event **out);
wisp_status wisp_event_record(wisp_error *err, wisp_event *event);
wisp_status wisp_event_elapsed(wisp_error *err, const wisp_event *from, wisp_event *to,
                               double *ms); /* waits for `to` */
void wisp_event_destroy(wisp_event *event);
WISP_OWNED(wisp_event, wisp_event_destroy)

/* The timing of launches on a device: least numbers of probes and samples; shorter runs are timed several at once. On a
 * GPU that is ours, noise has both signs: medians. On a host other work takes cores away for milliseconds, which only
 * ever adds: the fastest of more and shorter samples. */
typedef struct wisp_timing {
  int probes, samples;
  double sample_ms;
  bool fastest;
} wisp_timing;
wisp_timing wisp_device_timing(const wisp_device *device);

/* Measured ceilings of this device, taken once per process and cached beside the kernels for a day: copy in GB/s
 * (read + written, buffers several times the L2), plain FMA peaks in GFLOP/s for both precisions; writing alone, and
 * atomic additions that nobody waits for, several to a number close in time, in 10^9 a second. */
typedef struct wisp_ceilings {
  double copy_gbps, fma_gflops_f32, fma_gflops_f64;
  double fill_gbps, add_gops_f32, add_gops_f64;
} wisp_ceilings;
wisp_status wisp_device_ceilings(wisp_error *err, wisp_device *device, wisp_ceilings *out);

/* ---- Kernels that are no candidates (gen/strategy/strategy.h). */

/* The kernel "FOLDER/NAME" in the device's dialect, with these lines before its text, compiled and loaded. */
wisp_status wisp_dialect_module(wisp_error *err, wisp_device *device, const char *name, wisp_precision precision,
                                const char *lines, wisp_module **out);
