/* Shared memory of processes on GPUs of one host: CUDA IPC. The driver gives access to a peer's memory as it is
 * attached. */
#include "cuda_parts.h"

enum { LAZY_PEER_ACCESS = 1 }; /* CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS */

static wisp_status cuda_share(wisp_error *err, wisp_device *base, size_t bytes, wisp_shared_memory *out)
{
  cuda_device *device = wisp_cuda_of(base);
  wisp_cuda_ipc handle;
  CALL(wisp_require(err, device->api.cuIpcGetMemHandle, WISP_EDEVICE, "%s: the driver has no CUDA IPC",
                    base->limits.name));
  CALL(wisp_device_alloc(err, base, bytes, &out->at));
  CALL(wisp_device_fill(err, base, out->at, 0, bytes));
  CALL(wisp_device_finish(err, base));
  CALL(CUDA(device, cuIpcGetMemHandle, &handle, out->at));
  memcpy(out->handle, &handle, sizeof handle);
  return WISP_OK;
}

static wisp_status cuda_attach(wisp_error *err, wisp_device *base, wisp_shared_memory *shared)
{
  cuda_device *device = wisp_cuda_of(base);
  wisp_cuda_ipc handle;
  CALL(wisp_require(err, device->api.cuIpcOpenMemHandle_v2, WISP_EDEVICE, "%s: the driver has no CUDA IPC",
                    base->limits.name));
  CALL(wisp_cuda_enter(err, device));
  memcpy(&handle, shared->handle, sizeof handle);
  return CUDA(device, cuIpcOpenMemHandle_v2, &shared->at, handle, LAZY_PEER_ACCESS);
}

static void cuda_detach(wisp_device *base, wisp_shared_memory *shared)
{
  cuda_device *device = wisp_cuda_of(base);
  if (!shared->at || wisp_cuda_enter(NULL, device) != WISP_OK) return;
  /* Memory that others may still have attached must not be freed: it goes with the process. */
  if (!shared->own && device->api.cuIpcCloseMemHandle) device->api.cuIpcCloseMemHandle(shared->at);
}

const wisp_sharing wisp_cuda_sharing = {cuda_share, cuda_attach, cuda_detach};
