/* A device, whatever its kind: what is asked of it is handed to its kind's functions. */
#include "device_kind.h"

#include <math.h>

void wisp_device_name(const wisp_device *device, char name[32])
{
  snprintf(name, 32, device->index ? "%s:%d" : "%s", device->kind->name, device->index);
}

void wisp_device_close(wisp_device *device)
{
  if (device) device->kind->close(device);
}

const wisp_limits *wisp_device_limits(const wisp_device *device)
{
  return &device->limits;
}

bool wisp_limits_alike(const wisp_limits *a, const wisp_limits *b)
{
  return strcmp(a->name, b->name) == 0 && strcmp(a->target, b->target) == 0 && a->units == b->units &&
         strcmp(a->driver, b->driver) == 0 && strcmp(a->compiler, b->compiler) == 0;
}

/* ---- Memory. */

/* Calls that reach out of the stream cannot be recorded: CUDA would break the recording off, so every kind refuses. */
static wisp_status not_recording(wisp_error *err, const wisp_device *device, const char *what)
{
  return wisp_require(err, !device->recording, WISP_EUSAGE, "%s: not while a graph is being recorded on %s", what,
                      device->limits.name);
}

wisp_status wisp_device_alloc(wisp_error *err, wisp_device *device, size_t bytes, wisp_pointer *out)
{
  return device->kind->alloc(err, device, bytes ? bytes : 1, out);
}

void wisp_device_free(wisp_device *device, wisp_pointer pointer)
{
  if (device && pointer) device->kind->free(device, pointer);
}

wisp_status wisp_device_upload(wisp_error *err, wisp_device *device, wisp_pointer to, const void *from, size_t bytes)
{
  wisp_status status = not_recording(err, device, "upload");
  return status == WISP_OK && bytes ? device->kind->upload(err, device, to, from, bytes) : status;
}

wisp_status wisp_device_download(wisp_error *err, wisp_device *device, void *to, wisp_pointer from, size_t bytes)
{
  wisp_status status = not_recording(err, device, "download");
  return status == WISP_OK && bytes ? device->kind->download(err, device, to, from, bytes) : status;
}

wisp_status wisp_device_fill(wisp_error *err, wisp_device *device, wisp_pointer to, unsigned char byte, size_t bytes)
{
  return bytes ? device->kind->fill(err, device, to, byte, bytes) : WISP_OK;
}

wisp_status wisp_device_copy(wisp_error *err, wisp_device *device, wisp_pointer to, wisp_pointer from, size_t bytes)
{
  return bytes ? device->kind->copy(err, device, to, from, bytes) : WISP_OK;
}

wisp_status wisp_device_finish(wisp_error *err, wisp_device *device)
{
  wisp_status status = not_recording(err, device, "finish");
  return status == WISP_OK ? device->kind->finish(err, device) : status;
}

wisp_status wisp_device_stream(wisp_error *err, wisp_device *device, void **out)
{
  *out = NULL;
  return device->kind->stream ? device->kind->stream(err, device, out) : WISP_OK;
}

bool wisp_device_shares(const wisp_device *device)
{
  return device->kind->sharing;
}

wisp_status wisp_device_share(wisp_error *err, wisp_device *device, size_t bytes, wisp_shared_memory *out)
{
  wisp_shared_memory made = {.bytes = bytes, .own = true};
  const wisp_status status = device->kind->sharing->share(err, device, bytes, &made);
  if (status != WISP_OK) wisp_device_detach(device, &made);
  *out = made;
  return status;
}

wisp_status wisp_device_attach(wisp_error *err, wisp_device *device, const unsigned char handle[WISP_HANDLE_BYTES],
                               size_t bytes, wisp_shared_memory *out)
{
  wisp_shared_memory shared = {.bytes = bytes};
  memcpy(shared.handle, handle, sizeof shared.handle);
  CALL(device->kind->sharing->attach(err, device, &shared));
  *out = shared;
  return WISP_OK;
}

void wisp_device_detach(wisp_device *device, wisp_shared_memory *shared)
{
  if (shared->own || shared->at) device->kind->sharing->detach(device, shared);
  *shared = (wisp_shared_memory){.at = 0};
}

wisp_timing wisp_device_timing(const wisp_device *device)
{
  const wisp_timing usual = {.probes = 3, .samples = 7, .sample_ms = 0.2};
  return device->kind->timing.samples ? device->kind->timing : usual;
}

double wisp_device_clock_mhz(wisp_device *device)
{
  return device->kind->clock_mhz ? device->kind->clock_mhz(device) : NAN;
}

/* ---- Kernels. */

wisp_status wisp_module_check(wisp_error *err, wisp_device *device, const wisp_binary *binary, const char *name)
{
  return device->kind->check ? device->kind->check(err, device, binary, name) : WISP_OK;
}

wisp_status wisp_module_load(wisp_error *err, wisp_device *device, const wisp_binary *binary, const char *name,
                             size_t shared_bytes, wisp_module **out)
{
  return device->kind->load(err, device, binary, name, shared_bytes, out);
}

wisp_status wisp_module_cluster(wisp_error *err, wisp_module *module, int blocks)
{
  const wisp_device *device = module->device;
  CALL(wisp_require(err, device->kind->cluster, WISP_EUSAGE, "%s has no clusters of blocks", device->limits.name));
  return device->kind->cluster(err, module, blocks);
}

void wisp_module_unload(wisp_module *module)
{
  if (module) module->device->kind->unload(module);
}

wisp_status wisp_launch(wisp_error *err, wisp_module *module, void *stream, const unsigned grid[2],
                        const unsigned block[3], void **args, int arg_count)
{
  if (!grid[0] || !grid[1]) return WISP_OK; /* nothing to do is no error; CUDA refuses an empty grid */
  return module->device->kind->launch(err, module, stream, grid, block, args, arg_count);
}

void wisp_device_interrupt_at(wisp_device *device, wisp_pointer from, size_t bytes)
{
  device->interrupt_from = from, device->interrupt_bytes = bytes;
}

void wisp_device_schedule(wisp_device *device, wisp_schedule schedule)
{
  device->schedule = schedule;
}

/* ---- Graphs. */

wisp_status wisp_graph_begin(wisp_error *err, wisp_device *device)
{
  wisp_status status = not_recording(err, device, "graph");
  if (status == WISP_OK) status = device->kind->begin(err, device);
  if (status == WISP_OK) device->recording = true;
  return status;
}

static wisp_status end_recording(wisp_error *err, wisp_device *device, wisp_pointer left, wisp_graph **out)
{
  if (!device->recording)
    return wisp_fail(err, WISP_EUSAGE, "graph: nothing is being recorded on %s: begin first", device->limits.name);
  device->recording = false; /* a recording that failed is over, too */
  return device->kind->end(err, device, left, out);
}

wisp_status wisp_graph_end(wisp_error *err, wisp_device *device, wisp_graph **out)
{
  return end_recording(err, device, 0, out);
}

wisp_status wisp_graph_end_loop(wisp_error *err, wisp_device *device, wisp_pointer left, wisp_graph **out)
{
  if (!left) return wisp_fail(err, WISP_EUSAGE, "graph: a loop needs the number of passes left, in device memory");
  return end_recording(err, device, left, out);
}

wisp_status wisp_graph_replay(wisp_error *err, wisp_graph *graph)
{
  wisp_status status = not_recording(err, graph->device, "graph replay");
  return status == WISP_OK ? graph->device->kind->replay(err, graph) : status;
}

void wisp_graph_destroy(wisp_graph *graph)
{
  if (graph) graph->device->kind->destroy_graph(graph);
}

/* ---- Events. */

wisp_status wisp_event_create(wisp_error *err, wisp_device *device, wisp_event **out)
{
  return device->kind->create_event(err, device, out);
}

wisp_status wisp_event_record(wisp_error *err, wisp_event *event)
{
  wisp_status status = not_recording(err, event->device, "event");
  return status == WISP_OK ? event->device->kind->record(err, event) : status;
}

wisp_status wisp_event_elapsed(wisp_error *err, const wisp_event *from, wisp_event *to, double *ms)
{
  wisp_status status = not_recording(err, to->device, "event");
  if (status == WISP_OK && from->device != to->device)
    return wisp_fail(err, WISP_EUSAGE, "event: the two are of different devices");
  return status == WISP_OK ? to->device->kind->elapsed(err, from, to, ms) : status;
}

void wisp_event_destroy(wisp_event *event)
{
  if (event) event->device->kind->destroy_event(event);
}
