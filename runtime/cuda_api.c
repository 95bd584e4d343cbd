/* Finding the CUDA libraries and their functions. */
#include "cuda_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  const char *name;
  size_t offset; /* of its pointer in the structure that is filled */
  bool optional;
} entry;

#define REQUIRED(name, parameters) {#name, offsetof(API, name), false},
#define OPTIONAL(name, parameters) {#name, offsetof(API, name), true},

#define API wisp_cuda_api
static const entry cuda_entries[] = {WISP_CUDA_REQUIRED(REQUIRED) WISP_CUDA_OPTIONAL(OPTIONAL)};
#undef API
#define API wisp_nvrtc_api
static const entry nvrtc_entries[] = {
    WISP_NVRTC_REQUIRED(REQUIRED){"nvrtcGetErrorString", offsetof(API, nvrtcGetErrorString), false}};
#undef API
#define API wisp_cublas_api
static const entry cublas_entries[] = {WISP_CUBLAS_REQUIRED(REQUIRED)};
#undef API

/* Where they lie: on the loader's path (NULL), then where NVIDIA's installers put them. */
static const char *const folders[] = {NULL, "/usr/local/cuda/lib64", "/opt/cuda/lib64"};

/* RTLD_NODELETE: neither library likes to be unloaded, and loading NVRTC takes longer than compiling with it. */
static void *open_one(const char *folder, const char *below, const char *name)
{
  char path[1024];
  int length =
      folder ? snprintf(path, sizeof path, "%s%s/%s", folder, below, name) : snprintf(path, sizeof path, "%s", name);
  if (length < 0 || (size_t)length >= sizeof path) return NULL;
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void *open_any(const char *const *names)
{
  const char *const homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH")};
  for (const char *const *name = names; *name; name++) {
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof folders / sizeof *folders; i++) library = open_one(folders[i], "", *name);
    for (size_t i = 0; !library && i < sizeof homes / sizeof *homes; i++)
      if (homes[i] && *homes[i]) library = open_one(homes[i], "/lib64", *name);
    if (library) return library;
  }
  return NULL;
}

/* Fills the structure at out. dlsym gives an object pointer, which C cannot cast to a function's: its bytes are copied.
 */
static wisp_status bind(wisp_error *err, void *library, const char *what, const entry *entries, size_t count, void *out)
{
  for (size_t i = 0; i < count; i++) {
    void *symbol = dlsym(library, entries[i].name);
    if (!symbol && !entries[i].optional)
      return wisp_fail(err, WISP_EDEVICE, "%s has no function %s: it is older than CUDA 11.1: install a newer one",
                       what, entries[i].name);
    memcpy((char *)out + entries[i].offset, &symbol, sizeof symbol);
  }
  return WISP_OK;
}

wisp_status wisp_cuda_api_open(wisp_error *err, wisp_cuda_api *out)
{
  wisp_status status = WISP_OK;
  wisp_cuda_api api = {0};
  void *library = open_any((const char *const[]){"libcuda.so.1", "libcuda.so", NULL});
  if (!library)
    return wisp_fail(
        err, WISP_EDEVICE,
        "cuda: libcuda.so.1 is not there: install NVIDIA's driver (on Debian: nvidia-driver), or use -d host");
  TRY(bind(err, library, "libcuda.so.1", cuda_entries, sizeof cuda_entries / sizeof *cuda_entries, &api));
  TRY(wisp_require(err, api.cuGraphInstantiateWithFlags || api.cuGraphInstantiate_v2, WISP_EDEVICE,
                   "libcuda.so.1 cannot instantiate graphs: install a newer NVIDIA driver"));
  *out = api;
done:
  dlclose(library); /* it stays, see above */
  return status;
}

wisp_status wisp_nvrtc_api_open(wisp_error *err, wisp_nvrtc_api *out)
{
  wisp_status status = WISP_OK;
  wisp_nvrtc_api api = {0};
  void *library = open_any((const char *const[]){"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL});
  if (!library)
    return wisp_fail(err, WISP_EDEVICE,
                     "nvrtc: libnvrtc.so.13 (or .12) is not there: install NVIDIA's CUDA toolkit (or only its package "
                     "cuda-nvrtc), or point CUDA_HOME at it");
  TRY(bind(err, library, "libnvrtc.so", nvrtc_entries, sizeof nvrtc_entries / sizeof *nvrtc_entries, &api));
  *out = api;
done:
  dlclose(library);
  return status;
}

wisp_status wisp_cublas_api_open(wisp_error *err, wisp_cublas_api *out)
{
  wisp_status status = WISP_OK;
  wisp_cublas_api api = {0};
  void *library = open_any((const char *const[]){"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL});
  if (!library)
    return wisp_fail(
        err, WISP_EDEVICE,
        "cublas: libcublas.so.13 (or .12) is not there: install NVIDIA's CUDA toolkit (or only its package "
        "libcublas), or point CUDA_HOME at it");
  TRY(bind(err, library, "libcublas.so", cublas_entries, sizeof cublas_entries / sizeof *cublas_entries, &api));
  *out = api;
done:
  dlclose(library);
  return status;
}
