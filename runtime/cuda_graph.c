/* Graphs on an NVIDIA GPU, by capture. A loop is a conditional node; with an old driver the host looks at batches. */
#include "cuda_parts.h"
#include "compilers.h"
#include "../gen/environment.h"

/* From cuda.h. */
enum {
  CAPTURE_RELAXED = 2,
  NODE_KERNEL = 0,
  NODE_GRAPH = 4,
  NODE_CONDITIONAL = 13,
  CONDITIONAL_WHILE = 1,
  CONDITIONAL_ASSIGN_AT_LAUNCH = 1,
  VERSION_WITH_LOOPS = 12040
};

/* Looks of the host: the number of passes left, as it was behind one batch and the next. */
enum { LOOKS = 2 };

typedef struct cuda_graph {
  wisp_graph base;
  void *graph, *executable;
  void *module;        /* of a loop that needs no host: its kernel */
  wisp_pointer left;   /* of a loop that the host looks after; else 0 */
  int *seen;           /* LOOKS numbers that the device writes to */
  void *looked[LOOKS]; /* events: they are written */
} cuda_graph;

/* Known to the compiler and the driver, like printf: CUDA's header only declares it. */
const char wisp_cuda_loop_source[] =
    "extern \"C\" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);\n"
    "extern \"C\" __global__ void wisp_loop(unsigned long long handle, const int *left)\n"
    "{\n"
    "  cudaGraphSetConditional(handle, *left > 0);\n"
    "}\n";

bool wisp_cuda_has_loops(const wisp_cuda_api *api)
{
  int version = 0;
  return api->cuGraphConditionalHandleCreate && api->cuGraphAddNode_v2 && api->cuDriverGetVersion(&version) == 0 &&
         version >= VERSION_WITH_LOOPS && !wisp_environment_is("WISP_GRAPH_LOOPS", "host");
}

wisp_status wisp_cuda_begin(wisp_error *err, wisp_device *base)
{
  cuda_device *device = wisp_cuda_of(base);
  CALL(wisp_cuda_enter(err, device));
  /* Relaxed: what other threads, or this one, do beside the stream cannot break the recording off. */
  return CUDA(device, cuStreamBeginCapture_v2, device->stream, CAPTURE_RELAXED);
}

void wisp_cuda_destroy_graph(wisp_graph *base)
{
  cuda_graph *graph = (cuda_graph *)base;
  cuda_device *device = wisp_cuda_of(base->device);
  const wisp_cuda_api *api = &device->api;
  if (wisp_cuda_enter(NULL, device) == WISP_OK) {
    if (graph->seen) api->cuStreamSynchronize(device->stream); /* the last look may still be written */
    if (graph->executable) api->cuGraphExecDestroy(graph->executable);
    if (graph->graph) api->cuGraphDestroy(graph->graph);
    if (graph->module) api->cuModuleUnload(graph->module);
    if (graph->seen) api->cuMemFreeHost(graph->seen);
    for (int i = 0; i < LOOKS; i++)
      if (graph->looked[i]) api->cuEventDestroy_v2(graph->looked[i]);
  }
  free(graph);
}
WISP_OWNED(wisp_graph, wisp_cuda_destroy_graph)

/* ---- Loops without the host. */

/* Adds a node to a graph, behind another one unless that is NULL. */
static wisp_status add_node(wisp_error *err, cuda_device *device, void *graph, void *after, wisp_cuda_node *node,
                            void **out)
{
  return CUDA(device, cuGraphAddNode_v2, out, graph, after ? &after : NULL, NULL, after ? 1 : 0, node);
}

/* Puts the captured pass into a loop: set the condition -> while it holds: (the pass -> set the condition). */
static wisp_status make_loop(wisp_error *err, cuda_graph *graph, wisp_pointer left)
{
  wisp_status status = WISP_OK;
  cuda_device *device = wisp_cuda_of(graph->base.device);
  const char *target = device->base.limits.target;
  HELD(wisp_binary_free) wisp_binary binary = {0};
  wisp_cuda_node set = {.type = NODE_KERNEL}, loop = {.type = NODE_CONDITIONAL}, pass = {.type = NODE_GRAPH};
  void *outer = NULL, *captured = graph->graph, *last = NULL;
  uint64_t handle = 0;
  set.kernel.grid[0] = set.kernel.grid[1] = set.kernel.grid[2] = 1;
  set.kernel.block[0] = set.kernel.block[1] = set.kernel.block[2] = 1;
  set.kernel.args = (void *[]){&handle, &left};
  pass.graph.graph = captured;
  TRY(wisp_compile_by(err, device->base.kind, target, "wisp_loop", wisp_cuda_loop_source, &binary));
  TRY(CUDA(device, cuModuleLoadData, &graph->module, binary.data));
  TRY(CUDA(device, cuModuleGetFunction, &set.kernel.function, graph->module, "wisp_loop"));
  TRY(CUDA(device, cuGraphCreate, &outer, 0));
  TRY(CUDA(device, cuGraphConditionalHandleCreate, &handle, outer, device->context, 0, CONDITIONAL_ASSIGN_AT_LAUNCH));
  loop.conditional.handle = handle;
  loop.conditional.type = CONDITIONAL_WHILE;
  loop.conditional.size = 1;
  loop.conditional.context = device->context;
  TRY(add_node(err, device, outer, NULL, &set, &last));
  TRY(add_node(err, device, outer, last, &loop, &last));
  TRY(add_node(err, device, loop.conditional.bodies[0], NULL, &pass, &last));
  TRY(add_node(err, device, loop.conditional.bodies[0], last, &set, &last));
  graph->graph = outer;
  outer = captured;
done:
  if (outer) device->api.cuGraphDestroy(outer);
  return status;
}

/* ---- Loops that the host looks after. */

static wisp_status make_looks(wisp_error *err, cuda_graph *graph, wisp_pointer left)
{
  cuda_device *device = wisp_cuda_of(graph->base.device);
  void *memory = NULL;
  /* Pinned: the copy of a look does not wait for the host, nor the host for it. */
  CALL(CUDA(device, cuMemAllocHost_v2, &memory, LOOKS * sizeof *graph->seen));
  graph->seen = memory;
  for (int i = 0; i < LOOKS; i++) CALL(CUDA(device, cuEventCreate, &graph->looked[i], 0));
  graph->left = left;
  return WISP_OK;
}

/* No more passes than `left` says at the beginning; fewer, if it is found to be 0 before. */
static wisp_status replay_looking(wisp_error *err, cuda_graph *graph)
{
  cuda_device *device = wisp_cuda_of(graph->base.device);
  const size_t bytes = sizeof *graph->seen;
  int more = 0;
  CALL(wisp_device_download(err, &device->base, &more, graph->left, sizeof more));
  for (int pass = 0; more > 0; pass++) {
    const int now = pass % LOOKS, before = (pass + 1) % LOOKS, batch = more < WISP_LOOP_BATCH ? more : WISP_LOOP_BATCH;
    for (int i = 0; i < batch; i++) CALL(CUDA(device, cuGraphLaunch, graph->executable, device->stream));
    CALL(CUDA(device, cuMemcpyDtoHAsync_v2, &graph->seen[now], graph->left, bytes, device->stream));
    CALL(CUDA(device, cuEventRecord, graph->looked[now], device->stream));
    more -= batch;
    if (pass == 0) continue;
    CALL(CUDA(device, cuEventSynchronize, graph->looked[before]));
    if (graph->seen[before] <= 0) break;
  }
  return WISP_OK;
}

/* ---- Both, and graphs that are no loops. */

wisp_status wisp_cuda_end(wisp_error *err, wisp_device *base, wisp_pointer left, wisp_graph **out)
{
  cuda_device *device = wisp_cuda_of(base);
  OWNED(wisp_cuda_destroy_graph) wisp_graph *made = NULL;
  CALL(wisp_new(err, 1, sizeof(cuda_graph), &made));
  made->device = base;
  cuda_graph *graph = (cuda_graph *)made;
  CALL(wisp_cuda_enter(err, device));
  CALL(CUDA(device, cuStreamEndCapture, device->stream, &graph->graph));
  if (left) CALL(base->limits.loops ? make_loop(err, graph, left) : make_looks(err, graph, left));
  if (device->api.cuGraphInstantiateWithFlags)
    CALL(CUDA(device, cuGraphInstantiateWithFlags, &graph->executable, graph->graph, 0));
  else
    CALL(CUDA(device, cuGraphInstantiate_v2, &graph->executable, graph->graph, NULL, NULL, 0));
  return GIVE(made, out);
}

wisp_status wisp_cuda_replay(wisp_error *err, wisp_graph *base)
{
  cuda_graph *graph = (cuda_graph *)base;
  cuda_device *device = wisp_cuda_of(base->device);
  CALL(wisp_cuda_enter(err, device));
  return graph->left ? replay_looking(err, graph) : CUDA(device, cuGraphLaunch, graph->executable, device->stream);
}
