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
#define API wisp_batched_api
static const entry batched_entries[] = {WISP_BATCHED_REQUIRED(REQUIRED)};
#undef API
#define API wisp_cusolver_api
static const entry cusolver_entries[] = {WISP_CUSOLVER_REQUIRED(REQUIRED)};
#undef API
#define API wisp_cusparse_api
static const entry cusparse_entries[] = {WISP_CUSPARSE_REQUIRED(REQUIRED) WISP_CUSPARSE_OPTIONAL(OPTIONAL)};
#undef API
#define API wisp_nvml_api
static const entry nvml_entries[] = {WISP_NVML_REQUIRED(REQUIRED)};
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

/* The first of these libraries that is there; *name moves on to its name. NULL: there is none. */
static void *open_any(const char *const **name)
{
  const char *const homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH")};
  for (; **name; ++*name) {
    void *library = NULL;
    for (size_t i = 0; !library && i < WISP_COUNT(folders); i++) library = open_one(folders[i], "", **name);
    for (size_t i = 0; !library && i < WISP_COUNT(homes); i++)
      if (homes[i] && *homes[i]) library = open_one(homes[i], "/lib64", **name);
    if (library) return library;
  }
  return NULL;
}

/* Opens a library by one of its names, and fills the structure at out. dlsym gives an object pointer,
 * which C cannot cast to a function's: its bytes are copied. missing: what to say where there is none of them. */
static wisp_status open_api(wisp_error *err, const char *const *names, const char *missing, const entry *entries,
                            size_t count, void *out)
{
  wisp_status status = WISP_OK;
  void *library = open_any(&names);
  if (!library) return wisp_fail(err, WISP_EDEVICE, "%s", missing);
  for (size_t i = 0; i < count; i++) {
    void *symbol = dlsym(library, entries[i].name);
    TRY(wisp_require(err, symbol || entries[i].optional, WISP_EDEVICE,
                     "%s has no function %s: it is older than CUDA 11.1: install a newer one", *names,
                     entries[i].name));
    memcpy((char *)out + entries[i].offset, &symbol, sizeof symbol);
  }
done:
  dlclose(library); /* it stays, see above */
  return status;
}

wisp_status wisp_cuda_api_open(wisp_error *err, wisp_cuda_api *out)
{
  CALL(open_api(err, (const char *const[]){"libcuda.so.1", "libcuda.so", NULL},
                "cuda: libcuda.so.1 is not there: install NVIDIA's driver (on Debian: nvidia-driver), or use -d host",
                cuda_entries, WISP_COUNT(cuda_entries), out));
  return wisp_require(err, out->cuGraphInstantiateWithFlags || out->cuGraphInstantiate_v2, WISP_EDEVICE,
                      "libcuda.so.1 cannot instantiate graphs: install a newer NVIDIA driver");
}

wisp_status wisp_nvrtc_api_open(wisp_error *err, wisp_nvrtc_api *out)
{
  return open_api(err, (const char *const[]){"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL},
                  "nvrtc: libnvrtc.so.13 (or .12) is not there: install NVIDIA's CUDA toolkit (or only its package "
                  "cuda-nvrtc), or point CUDA_HOME at it",
                  nvrtc_entries, WISP_COUNT(nvrtc_entries), out);
}

/* All that is asked of cuBLAS is in one library. */
static wisp_status open_cublas(wisp_error *err, const entry *entries, size_t count, void *out)
{
  return open_api(err, (const char *const[]){"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL},
                  "cublas: libcublas.so.13 (or .12) is not there: install NVIDIA's CUDA toolkit (or only its package "
                  "libcublas), or point CUDA_HOME at it",
                  entries, count, out);
}

wisp_status wisp_cublas_api_open(wisp_error *err, wisp_cublas_api *out)
{
  return open_cublas(err, cublas_entries, WISP_COUNT(cublas_entries), out);
}

wisp_status wisp_batched_api_open(wisp_error *err, wisp_batched_api *out)
{
  return open_cublas(err, batched_entries, WISP_COUNT(batched_entries), out);
}

wisp_status wisp_cusolver_api_open(wisp_error *err, wisp_cusolver_api *out)
{
  return open_api(
      err, (const char *const[]){"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so", NULL},
      "cusolver: libcusolver.so.12 (or .11) is not there: install NVIDIA's CUDA toolkit (or only its package "
      "libcusolver), or point CUDA_HOME at it",
      cusolver_entries, WISP_COUNT(cusolver_entries), out);
}

wisp_status wisp_cusparse_api_open(wisp_error *err, wisp_cusparse_api *out)
{
  return open_api(
      err, (const char *const[]){"libcusparse.so.12", "libcusparse.so.11", "libcusparse.so", NULL},
      "cusparse: libcusparse.so.12 (or .11) is not there: install NVIDIA's CUDA toolkit (or only its package "
      "libcusparse), or point CUDA_HOME at it",
      cusparse_entries, WISP_COUNT(cusparse_entries), out);
}

wisp_status wisp_nvml_api_open(wisp_error *err, wisp_nvml_api *out)
{
  const char *name = getenv("WISP_NVML");
  return open_api(err, (const char *const[]){name && *name ? name : "libnvidia-ml.so.1", NULL},
                  "nvml: the library that tells of clocks is not there: name it in WISP_NVML", nvml_entries,
                  WISP_COUNT(nvml_entries), out);
}
