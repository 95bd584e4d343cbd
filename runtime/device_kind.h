/* The functions of a kind of device. Its own device, module, graph and event begin with the structures below, so that
 * device.c can hand them through; a new kind is one file with such a table and one line in devices.c. */
#pragma once

#include "device_shared.h"

/* The launches of the kernels of templates/ceilings on a kind of device. */
typedef struct wisp_ceilings_recipe {
  unsigned block;          /* threads a block; 0: ceilings are not measured */
  unsigned copy_blocks;    /* blocks a unit, for the copy */
  unsigned fma_blocks;     /* and for the arithmetic */
  long long iterations;    /* of the arithmetic's loop */
  double fmas[2];          /* of one block in one iteration: f32, f64 */
  double ms;               /* how long each is repeated, */
  int runs[2];             /* and how often at least, on a busy machine: the copy, the arithmetic */
  bool own_copy;           /* whether the device's own copy may be better than the kernel */
  bool own_clock;          /* whether the blocks of the arithmetic time themselves, into their output */
  size_t smallest, a_unit; /* buffers to copy: at least this, and this for each unit */
  long long added_to;      /* numbers that are added to */
} wisp_ceilings_recipe;

/* Shared memory of a kind: device_shared.h, whose functions set bytes and own, and a handle to attach by. */
typedef struct wisp_sharing {
  wisp_status (*share)(wisp_error *err, wisp_device *device, size_t bytes, wisp_shared_memory *out);
  wisp_status (*attach)(wisp_error *err, wisp_device *device, wisp_shared_memory *shared);
  void (*detach)(wisp_device *device, wisp_shared_memory *shared);
} wisp_sharing;
extern const wisp_sharing wisp_host_sharing, wisp_cuda_sharing;

typedef struct wisp_device_kind {
  const char *name;    /* "cuda": device names are NAME or NAME:INDEX */
  const char *dialect; /* of its kernels, templates/dialect/DIALECT.k */
  const char *target;  /* to plan for where no device is */
  bool gpu;            /* see wisp_limits */
  wisp_timing timing;  /* zeros: as a GPU */
  wisp_ceilings_recipe ceilings;

  /* The number of devices; where the driver is missing, 0 and WISP_OK. */
  wisp_status (*count)(wisp_error *err, int *out);
  wisp_status (*open)(wisp_error *err, int index, wisp_device **out);
  wisp_status (*adopt)(wisp_error *err, void *context, void *stream, wisp_device **out); /* NULL: has no contexts */
  void (*close)(wisp_device *device);

  /* Whether it compiles for this target, and the limits that the target has by its documentation. */
  bool (*has_target)(const char *target);
  wisp_status (*target_limits)(wisp_error *err, const char *target, wisp_limits *out);
  /* The compiler's name in these limits, empty where none is here; NULL: target_limits gives it, too. */
  void (*compiler_name)(char *out, size_t size);
  /* Everything besides name and source that a binary depends on, which is part of the cache's key: which compiler is
   * here (WISP_EDEVICE, in words, where none is), and what else: options, the processor (NULL: nothing). */
  wisp_status (*compiler)(wisp_error *err, const char *target, wisp_text *out);
  wisp_status (*options)(wisp_error *err, const char *target, wisp_text *out);
  wisp_status (*compile)(wisp_error *err, const char *target, const char *name, const char *source, wisp_binary *out);

  wisp_status (*alloc)(wisp_error *err, wisp_device *device, size_t bytes, wisp_pointer *out);
  void (*free)(wisp_device *device, wisp_pointer pointer);
  wisp_status (*upload)(wisp_error *err, wisp_device *device, wisp_pointer to, const void *from, size_t bytes);
  wisp_status (*download)(wisp_error *err, wisp_device *device, void *to, wisp_pointer from, size_t bytes);
  wisp_status (*fill)(wisp_error *err, wisp_device *device, wisp_pointer to, unsigned char byte, size_t bytes);
  wisp_status (*copy)(wisp_error *err, wisp_device *device, wisp_pointer to, wisp_pointer from, size_t bytes);
  wisp_status (*finish)(wisp_error *err, wisp_device *device);
  wisp_status (*stream)(wisp_error *err, wisp_device *device, void **out); /* NULL: there is none */
  const wisp_sharing *sharing;                                             /* NULL: no process sees another's memory */
  double (*clock_mhz)(wisp_device *device);                                /* NULL, NaN: unknown */

  /* Whether this machine has what a binary needs to run: WISP_ESYSTEM, in words, where not (NULL: it has). */
  wisp_status (*check)(wisp_error *err, wisp_device *device, const wisp_binary *binary, const char *name);
  wisp_status (*load)(wisp_error *err, wisp_device *device, const wisp_binary *binary, const char *name,
                      size_t shared_bytes, wisp_module **out);
  void (*unload)(wisp_module *module);
  wisp_status (*cluster)(wisp_error *err, wisp_module *module, int blocks); /* NULL: blocks never wait for each other */
  wisp_status (*launch)(wisp_error *err, wisp_module *module, void *stream, const unsigned grid[2],
                        const unsigned block[3], void **args, int arg_count); /* stream NULL: the device's */

  wisp_status (*begin)(wisp_error *err, wisp_device *device);
  wisp_status (*end)(wisp_error *err, wisp_device *device, wisp_pointer left, wisp_graph **out); /* left 0: no loop */
  wisp_status (*replay)(wisp_error *err, wisp_graph *graph);
  void (*destroy_graph)(wisp_graph *graph);

  wisp_status (*create_event)(wisp_error *err, wisp_device *device, wisp_event **out);
  wisp_status (*record)(wisp_error *err, wisp_event *event);
  wisp_status (*elapsed)(wisp_error *err, const wisp_event *from, wisp_event *to, double *ms);
  void (*destroy_event)(wisp_event *event);
} wisp_device_kind;

extern const wisp_device_kind wisp_cuda_kind, wisp_host_kind;

/* A program's own kinds, a list that ends with NULL; "auto" takes none of them. */
extern const wisp_device_kind *const wisp_own_kinds[] __attribute__((weak));

struct wisp_device {
  const wisp_device_kind *kind;
  wisp_limits limits;
  int index; /* among its kind */
  bool recording;
  wisp_schedule schedule; /* of launches on the host */
  wisp_pointer interrupt_from;
  size_t interrupt_bytes; /* of a schedule that interrupts */
  wisp_ceilings ceilings; /* once measured: copy_gbps > 0 */
};

struct wisp_module {
  wisp_device *device;
};

struct wisp_graph {
  wisp_device *device;
};

struct wisp_event {
  wisp_device *device;
};
