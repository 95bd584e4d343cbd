/* Devices of every kind behind one interface: the list of kinds, names, and dispatch. */
#include "device.h"
#include "device_kind.h"
#include "cache_folder.h"
#include "known_compilers.h"
#include "../gen/embedded.h"
#include "../gen/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every kind of device, one line each; "auto" takes the first that is there. */
static const wisp_device_kind *const kinds[] = {
    &wisp_cuda_kind,
    &wisp_host_kind,
};
enum { KINDS = WISP_COUNT(kinds) };

/* Those, then the program's own; NULL behind the last. */
static const wisp_device_kind *kind_at(int k)
{
  if (k < KINDS) return kinds[k];
  return wisp_own_kinds ? wisp_own_kinds[k - KINDS] : NULL;
}

/* ---- Compiling for a target. */

static wisp_status find_target(wisp_error *err, const char *target, const wisp_device_kind **out)
{
  const wisp_device_kind *kind = NULL;
  for (int k = 0; (kind = kind_at(k)); k++)
    if (kind->has_target(target)) {
      *out = kind;
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EUSAGE, "target '%s' is not known: use host, or sm_80, sm_90, sm_100, ...", target);
}

wisp_status wisp_target_limits(wisp_error *err, const char *target, wisp_limits *out)
{
  const wisp_device_kind *kind = NULL;
  if (find_target(NULL, target, &kind) != WISP_OK) kind = &wisp_cuda_kind; /* which says what there is */
  return kind->target_limits(err, target, out);
}

const char *wisp_target_dialect(const char *target)
{
  const wisp_device_kind *kind = NULL;
  return find_target(NULL, target, &kind) == WISP_OK ? kind->name : "";
}

void wisp_binary_free(wisp_binary *binary)
{
  free(binary->data);
}

wisp_status wisp_compile(wisp_error *err, const char *target, const char *name, const char *source, wisp_binary *out)
{
  HELD(wisp_text_free) wisp_text compiler = {0}, options = {0};
  const wisp_device_kind *kind = NULL;
  wisp_error why = {.text = ""};
  CALL(find_target(err, target, &kind));
  CALL(wisp_compiler_options(err, kind, target, &options));
  wisp_cache_key key = {(const char *const[]){target, options.data, name, source}, 4};
  const wisp_status here = kind->compiler(&why, target, &compiler);
  if (here == WISP_EDEVICE && wisp_known_binary(kind, &key, out)) return WISP_OK;
  CALL(wisp_require(err, here == WISP_OK, here, "%s", why.text));
  key = (wisp_cache_key){(const char *const[]){target, options.data, name, source, compiler.data}, 5};
  if (wisp_cache_get(&key, out)) return WISP_OK;
  CALL(kind->compile(err, target, name, source, out));
  wisp_cache_put(&key, out);
  wisp_remember_compiler(kind, compiler.data);
  return WISP_OK;
}

wisp_status wisp_compiler_probe(wisp_error *err, const char *target)
{
  HELD(wisp_binary_free) wisp_binary binary = {0};
  const wisp_device_kind *kind = NULL;
  wisp_error why = {.text = ""};
  char path[96];
  CALL(find_target(err, target, &kind));
  snprintf(path, sizeof path, "templates/checks/probe.%s.k", kind->name);
  const char *text = wisp_embedded_text(path);
  const wisp_status status = text ? kind->compile(&why, target, "probe", text, &binary) : WISP_OK;
  if (status == WISP_ECOMPILE)
    return wisp_fail(err, WISP_ESYSTEM, "the compiler fails on a kernel that does nothing: %s", why.text);
  return wisp_require(err, status == WISP_OK, status, "%s", why.text);
}

/* ---- Opening. */

/* "cuda:1" is of kind "cuda" with index 1, "cuda" has index 0; false where the name is of another kind. */
static bool parse_name(const char *name, const wisp_device_kind *kind, int *index)
{
  size_t length = strlen(kind->name);
  int used = 0;
  *index = 0;
  if (strncmp(name, kind->name, length) != 0) return false;
  name += length;
  if (!*name) return true;
  return sscanf(name, ":%d%n", index, &used) == 1 && !name[used] && *index >= 0;
}

static wisp_status open_first(wisp_error *err, wisp_device **out)
{
  for (int k = 0; k < KINDS; k++) {
    int count = 0;
    wisp_status status = kinds[k]->count(err, &count);
    if (status != WISP_OK) return status;
    if (count > 0) return kinds[k]->open(err, 0, out);
  }
  return wisp_fail(err, WISP_EDEVICE, "device auto: there is none of any kind: 'wisp devices' says why");
}

wisp_status wisp_device_known(wisp_error *err, const char *name)
{
  int index = 0;
  bool known = strcmp(name, "auto") == 0;
  const wisp_device_kind *kind = NULL;
  for (int k = 0; !known && (kind = kind_at(k)); k++) known = parse_name(name, kind, &index);
  return wisp_require(err, known, WISP_EUSAGE, "device '%s' is not known: use host, cuda, cuda:1 or auto", name);
}

wisp_status wisp_device_open(wisp_error *err, const char *name, wisp_device **out)
{
  if (strcmp(name, "auto") == 0) return open_first(err, out);
  const wisp_device_kind *kind = NULL;
  for (int k = 0; (kind = kind_at(k)); k++) {
    int index = 0, count = 0;
    if (!parse_name(name, kind, &index)) continue;
    wisp_status status = kind->count(err, &count);
    /* With none at all the kind itself says best what is missing. */
    if (status == WISP_OK && count > 0 && index >= count)
      return wisp_fail(err, WISP_EDEVICE, "device %s: there are only %d of kind %s, counted from 0", name, count,
                       kind->name);
    return status == WISP_OK ? kind->open(err, index, out) : status;
  }
  return wisp_device_known(err, name);
}

wisp_status wisp_device_adopt(wisp_error *err, void *context, void *stream, wisp_device **out)
{
  for (int k = 0; k < KINDS; k++)
    if (kinds[k]->adopt) return kinds[k]->adopt(err, context, stream, out);
  return wisp_fail(err, WISP_EUSAGE, "no kind of device has contexts");
}

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

wisp_status wisp_device_list(wisp_error *err, wisp_text *names)
{
  const wisp_device_kind *kind = NULL;
  for (int k = 0; (kind = kind_at(k)); k++) {
    int count = 0;
    CALL(kind->count(err, &count));
    for (int i = 0; i < count; i++)
      CALL(wisp_text_print(err, names, count > 1 ? "%s%s:%d" : "%s%s", names->length ? "," : "", kind->name, i));
  }
  return WISP_OK;
}

/* ---- Memory. */

/* What reaches out of the stream cannot be recorded: CUDA would break the recording off, so every kind refuses. */
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

wisp_status wisp_embedded_module_with(wisp_error *err, wisp_device *device, const char *folder, const char *name,
                                      const char *lines, wisp_module **out)
{
  HELD(wisp_text_free) wisp_text source = {0};
  HELD(wisp_binary_free) wisp_binary binary = {0};
  const wisp_limits *limits = wisp_device_limits(device);
  char path[96], symbol[32];
  snprintf(path, sizeof path, "templates/%s/%s.%s.k", folder, name, limits->kind);
  snprintf(symbol, sizeof symbol, "wisp_%s", name);
  const char *text = wisp_embedded_text(path);
  CALL(wisp_require(err, text, WISP_EMISSING, "%s is not in this library", path));
  CALL(wisp_text_print(err, &source, "%s%s", lines, text));
  CALL(wisp_compile(err, limits->target, symbol, source.data, &binary));
  return wisp_module_load(err, device, &binary, symbol, 0, out);
}

wisp_status wisp_embedded_module(wisp_error *err, wisp_device *device, const char *folder, const char *name,
                                 const char *real, wisp_module **out)
{
  char lines[64];
  snprintf(lines, sizeof lines, "typedef %s real;\n", real);
  return wisp_embedded_module_with(err, device, folder, name, lines, out);
}
