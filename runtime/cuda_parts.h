/* The inside of an NVIDIA GPU as a device: device_cuda.c holds all of it but the graphs, which are in cuda_graph.c. */
#pragma once

#include "cuda_api.h"
#include "device_kind.h"

/* ---- The clock of a GPU while it works, from NVIDIA's management library, for people beside a measurement. */

typedef struct wisp_nvml wisp_nvml;

/* The GPU by its PCI bus, "0000:1b:00.0"; NULL where $WISP_NVML, else libnvidia-ml.so.1, is missing or lacks it. */
wisp_nvml *wisp_nvml_open(const char *bus);
/* The multiprocessors' clock now, in MHz; NaN where it is unknown, also of NULL. */
double wisp_nvml_clock_mhz(const wisp_nvml *nvml);
void wisp_nvml_close(wisp_nvml *nvml); /* NULL is fine */

/* ---- The device. */

typedef struct cuda_device {
  wisp_device base;
  wisp_cuda_api api;
  int handle;
  void *context, *stream;
  bool adopted;    /* context and stream are the caller's */
  wisp_nvml *nvml; /* opened at first need */
  bool asked_nvml;
} cuda_device;

/* The base structure comes first in this and its like, so that one cast is all there is to it. */
static inline cuda_device *wisp_cuda_of(wisp_device *device)
{
  return (cuda_device *)device;
}

enum { WISP_CUDA_OUT_OF_MEMORY = 2 };

/* A driver's result as a status: "cuda: launch volume: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory ...)". */
wisp_status wisp_cuda_check(wisp_error *err, const wisp_cuda_api *api, int result, const char *what, const char *name);

#define CUDA_AS(device, what, name, function, ...) \
  wisp_cuda_check(err, &(device)->api, (device)->api.function(__VA_ARGS__), what, name)
#define CUDA(device, function, ...) CUDA_AS(device, #function, "", function, __VA_ARGS__)

/* A context is current to a thread, so every function that calls the driver passes here first. */
wisp_status wisp_cuda_enter(wisp_error *err, cuda_device *device);

/* ---- Graphs: wisp_device_kind's functions. */

/* Whether a graph can loop without the host: CUDA 12.4, and nobody forbade it. */
bool wisp_cuda_has_loops(const wisp_cuda_api *api);

/* The kernel, of the name wisp_loop, that says whether a loop goes on. */
extern const char wisp_cuda_loop_source[];

wisp_status wisp_cuda_begin(wisp_error *err, wisp_device *device);
wisp_status wisp_cuda_end(wisp_error *err, wisp_device *device, wisp_pointer left, wisp_graph **out);
wisp_status wisp_cuda_replay(wisp_error *err, wisp_graph *graph);
void wisp_cuda_destroy_graph(wisp_graph *graph);
