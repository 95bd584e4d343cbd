/* Shared memory of processes on a host: a file in memory without a name, which others open by this process's number. */
#include "device_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct host_handle {
  long process;
  int fd;
} host_handle;

static wisp_status map(wisp_error *err, const wisp_device *device, int fd, size_t bytes, wisp_pointer *out)
{
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CALL(wisp_require(err, memory != MAP_FAILED, WISP_EMEMORY, "%s: cannot map %zu bytes of shared memory: %s",
                    device->limits.name, bytes, strerror(errno)));
  *out = (uintptr_t)memory;
  return WISP_OK;
}

static wisp_status host_share(wisp_error *err, wisp_device *device, size_t bytes, wisp_shared_memory *out)
{
  const host_handle handle = {(long)getpid(), memfd_create("wisp", MFD_CLOEXEC)};
  memcpy(out->handle, &handle, sizeof handle);
  CALL(wisp_require(err, handle.fd >= 0, WISP_ESYSTEM,
                    "%s: cannot make shared memory: %s: raise the limit of open files (ulimit -n)", device->limits.name,
                    strerror(errno)));
  if (ftruncate(handle.fd, (off_t)bytes) == 0) return map(err, device, handle.fd, bytes, &out->at);
  return wisp_fail(err, WISP_EMEMORY, "%s: no memory for %zu shared bytes: %s", device->limits.name, bytes,
                   strerror(errno));
}

static wisp_status host_attach(wisp_error *err, wisp_device *device, wisp_shared_memory *shared)
{
  host_handle handle;
  char path[64];
  memcpy(&handle, shared->handle, sizeof handle);
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", handle.process, handle.fd);
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  CALL(
      wisp_require(err, fd >= 0, WISP_ESYSTEM,
                   "%s: cannot attach the shared memory of process %ld: %s: run all ranks as one user in one container",
                   device->limits.name, handle.process, strerror(errno)));
  const wisp_status status = map(err, device, fd, shared->bytes, &shared->at);
  close(fd);
  return status;
}

static void host_detach(wisp_device *device, wisp_shared_memory *shared)
{
  host_handle handle;
  (void)device;
  memcpy(&handle, shared->handle, sizeof handle);
  if (shared->at) munmap((void *)(uintptr_t)shared->at, shared->bytes);
  if (shared->own && handle.fd >= 0) close(handle.fd);
}

const wisp_sharing wisp_host_sharing = {host_share, host_attach, host_detach};
