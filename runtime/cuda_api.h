/* The CUDA driver, NVRTC, cuBLAS, cuSOLVER, cuSPARSE and NVML, opened at run time: one program runs with and without
 * them, and no CUDA header is needed to build. Prototypes are declared here by hand, from NVIDIA's documentation of
 * cuda.h, nvrtc.h, cublas_v2.h, cusolverDn.h, cusparse.h and nvml.h; handles are plain pointers. */
#pragma once

#include "../gen/check.h"

#include <stdint.h>

/* CUgraphNodeParams of cuGraphAddNode_v2, for the kinds of node that wisp adds; unused bytes must be 0. */
typedef struct wisp_cuda_node {
  int type, reserved[3];
  union {
    long long all[29];
    struct {
      void *function;
      unsigned grid[3], block[3], shared_bytes, unused;
      void **args, **extra, *kernel, *context;
    } kernel;
    struct {
      void *graph; /* copied into the node */
    } graph;
    struct {
      uint64_t handle;
      int type;
      unsigned size;
      void **bodies; /* out: as many graphs, to be filled; they go with the graph that has the node */
      void *context;
    } conditional;
  };
  long long reserved_end;
} wisp_cuda_node;
_Static_assert(sizeof(wisp_cuda_node) == 256, "CUgraphNodeParams has 256 bytes");

/* CUipcMemHandle. */
typedef struct wisp_cuda_ipc {
  char bytes[64];
} wisp_cuda_ipc;

/* The driver: every function returns a CUresult, 0 for success. X(name, parameters), by the names of libcuda. */
#define WISP_CUDA_REQUIRED(X)                                                                               \
  X(cuInit, (unsigned flags))                                                                               \
  X(cuGetErrorName, (int error, const char **name))                                                         \
  X(cuGetErrorString, (int error, const char **text))                                                       \
  X(cuDriverGetVersion, (int *version))                                                                     \
  X(cuDeviceGetCount, (int *count))                                                                         \
  X(cuDeviceGet, (int *device, int ordinal))                                                                \
  X(cuDeviceGetName, (char *name, int length, int device))                                                  \
  X(cuDeviceGetAttribute, (int *value, int attribute, int device))                                          \
  X(cuDeviceTotalMem_v2, (size_t * bytes, int device))                                                      \
  X(cuDevicePrimaryCtxRetain, (void **context, int device))                                                 \
  X(cuDevicePrimaryCtxRelease_v2, (int device))                                                             \
  X(cuCtxGetDevice, (int *device))                                                                          \
  X(cuCtxSetCurrent, (void *context))                                                                       \
  X(cuStreamCreate, (void **stream, unsigned flags))                                                        \
  X(cuStreamDestroy_v2, (void *stream))                                                                     \
  X(cuStreamSynchronize, (void *stream))                                                                    \
  X(cuMemAlloc_v2, (uint64_t * pointer, size_t bytes))                                                      \
  X(cuMemFree_v2, (uint64_t pointer))                                                                       \
  X(cuMemAllocHost_v2, (void **memory, size_t bytes))                                                       \
  X(cuMemFreeHost, (void *memory))                                                                          \
  X(cuMemGetInfo_v2, (size_t * free, size_t * total))                                                       \
  X(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, void *stream))                      \
  X(cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, void *stream))                            \
  X(cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, void *stream))                         \
  X(cuMemsetD8Async, (uint64_t to, unsigned char byte, size_t bytes, void *stream))                         \
  X(cuModuleLoadData, (void **module, const void *image))                                                   \
  X(cuModuleUnload, (void *module))                                                                         \
  X(cuModuleGetFunction, (void **function, void *module, const char *name))                                 \
  X(cuFuncSetAttribute, (void *function, int attribute, int value))                                         \
  X(cuLaunchKernel,                                                                                         \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, void *stream, void **args, void **extra))                     \
  X(cuStreamBeginCapture_v2, (void *stream, int mode))                                                      \
  X(cuStreamEndCapture, (void *stream, void **graph))                                                       \
  X(cuGraphCreate, (void **graph, unsigned flags))                                                          \
  X(cuGraphLaunch, (void *executable, void *stream))                                                        \
  X(cuGraphDestroy, (void *graph))                                                                          \
  X(cuGraphExecDestroy, (void *executable))                                                                 \
  X(cuEventCreate, (void **event, unsigned flags))                                                          \
  X(cuEventRecord, (void *event, void *stream))                                                             \
  X(cuEventSynchronize, (void *event))                                                                      \
  X(cuEventElapsedTime, (float *ms, void *from, void *to))                                                  \
  X(cuEventDestroy_v2, (void *event))

/* At least one of the first two is there: from CUDA 11.4, and before. The last two are there from CUDA 12.3 on. */
#define WISP_CUDA_OPTIONAL(X)                                                                         \
  X(cuGraphInstantiateWithFlags, (void **executable, void *graph, unsigned long long flags))          \
  X(cuGraphInstantiate_v2, (void **executable, void *graph, void **node, char *log, size_t log_size)) \
  X(cuDeviceGetPCIBusId, (char *bus, int length, int device))                                         \
  X(cuIpcGetMemHandle, (wisp_cuda_ipc * handle, uint64_t pointer))                                    \
  X(cuIpcOpenMemHandle_v2, (uint64_t * pointer, wisp_cuda_ipc handle, unsigned flags))                \
  X(cuIpcCloseMemHandle, (uint64_t pointer))                                                          \
  X(cuGraphConditionalHandleCreate,                                                                   \
    (uint64_t * handle, void *graph, void *context, unsigned at_launch, unsigned flags))              \
  X(cuGraphAddNode_v2,                                                                                \
    (void **node, void *graph, void *const *after, const void *edges, size_t afters, wisp_cuda_node *parameters))

/* NVRTC: every function returns an nvrtcResult, 0 for success. The optional ones are there from CUDA 11.2 on. */
#define WISP_NVRTC_REQUIRED(X)                                                                \
  X(nvrtcVersion, (int *major, int *minor))                                                   \
  X(nvrtcCreateProgram, (void **program, const char *source, const char *name, int headers,   \
                         const char *const *header_sources, const char *const *header_names)) \
  X(nvrtcCompileProgram, (void *program, int options, const char *const *option))             \
  X(nvrtcGetCUBINSize, (void *program, size_t *size))                                         \
  X(nvrtcGetCUBIN, (void *program, char *cubin))                                              \
  X(nvrtcGetProgramLogSize, (void *program, size_t *size))                                    \
  X(nvrtcGetProgramLog, (void *program, char *log))                                           \
  X(nvrtcDestroyProgram, (void **program))
#define WISP_NVRTC_OPTIONAL(X)               \
  X(nvrtcGetNumSupportedArchs, (int *count)) \
  X(nvrtcGetSupportedArchs, (int *sm))

/* cuBLAS: every function returns a cublasStatus_t, 0 for success; only a comparison needs it. */
#define WISP_CUBLAS_REQUIRED(X)                                                                                        \
  X(cublasCreate_v2, (void **handle))                                                                                  \
  X(cublasDestroy_v2, (void *handle))                                                                                  \
  X(cublasGetVersion_v2, (void *handle, int *version))                                                                 \
  X(cublasSetStream_v2, (void *handle, void *stream))                                                                  \
  X(cublasSetMathMode, (void *handle, int mode))                                                                       \
  X(cublasGemmEx, (void *handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha, uint64_t a, \
                   int type_a, int lda, uint64_t b, int type_b, int ldb, const void *beta, uint64_t c, int type_c,     \
                   int ldc, int compute, int algorithm))

/* Its routines of either precision; matrices and arrays of them are device addresses. */
#define WISP_CUBLAS_OF(X, S)                                                                                        \
  X(cublas##S##gemm_v2, (void *handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha,    \
                         uint64_t a, int lda, uint64_t b, int ldb, const void *beta, uint64_t c, int ldc))          \
  X(cublas##S##gemmStridedBatched,                                                                                  \
    (void *handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha, uint64_t a, int lda,   \
     long long stride_a, uint64_t b, int ldb, long long stride_b, const void *beta, uint64_t c, int ldc,            \
     long long stride_c, int count))                                                                                \
  X(cublas##S##trsmBatched, (void *handle, int side, int fill, int transpose, int diagonal, int m, int n,           \
                             const void *alpha, uint64_t a, int lda, uint64_t b, int ldb, int count))               \
  X(cublas##S##getrfBatched, (void *handle, int n, uint64_t a, int lda, uint64_t pivots, uint64_t info, int count)) \
  X(cublas##S##getriBatched,                                                                                        \
    (void *handle, int n, uint64_t a, int lda, uint64_t pivots, uint64_t c, int ldc, uint64_t info, int count))

/* cuSOLVER: every function returns a cusolverStatus_t, 0 for success. */
#define WISP_CUSOLVER_REQUIRED(X)                                                                            \
  X(cusolverDnCreate, (void **handle))                                                                       \
  X(cusolverDnDestroy, (void *handle))                                                                       \
  X(cusolverDnSetStream, (void *handle, void *stream))                                                       \
  X(cusolverDnSpotrfBatched, (void *handle, int fill, int n, uint64_t a, int lda, uint64_t info, int count)) \
  X(cusolverDnDpotrfBatched, (void *handle, int fill, int n, uint64_t a, int lda, uint64_t info, int count))

/* cuSPARSE: every function returns a cusparseStatus_t, 0 for success. */
#define WISP_CUSPARSE_REQUIRED(X)                                                                                      \
  X(cusparseCreate, (void **handle))                                                                                   \
  X(cusparseDestroy, (void *handle))                                                                                   \
  X(cusparseSetStream, (void *handle, void *stream))                                                                   \
  X(cusparseGetVersion, (void *handle, int *version))                                                                  \
  X(cusparseCreateCsr, (void **matrix, int64_t rows, int64_t columns, int64_t nonzeros, uint64_t start,                \
                        uint64_t column, uint64_t values, int start_type, int column_type, int base, int type))        \
  X(cusparseDestroySpMat, (void *matrix))                                                                              \
  X(cusparseCreateDnVec, (void **vector, int64_t size, uint64_t values, int type))                                     \
  X(cusparseDestroyDnVec, (void *vector))                                                                              \
  X(cusparseSpMV_bufferSize, (void *handle, int transpose, const void *alpha, void *matrix, void *x, const void *beta, \
                              void *y, int type, int algorithm, size_t *bytes))                                        \
  X(cusparseSpMV, (void *handle, int transpose, const void *alpha, void *matrix, void *x, const void *beta, void *y,   \
                   int type, int algorithm, uint64_t buffer))

/* From CUDA 12 on. */
#define WISP_CUSPARSE_OPTIONAL(X)                                                                                      \
  X(cusparseSpMV_preprocess, (void *handle, int transpose, const void *alpha, void *matrix, void *x, const void *beta, \
                              void *y, int type, int algorithm, uint64_t buffer))                                      \
  X(cusparseCreateBsr,                                                                                                 \
    (void **matrix, int64_t rows, int64_t columns, int64_t blocks, int64_t height, int64_t width, uint64_t start,      \
     uint64_t column, uint64_t values, int start_type, int column_type, int base, int type, int order))

/* NVML: every function returns an nvmlReturn_t, 0 for success. */
#define WISP_NVML_REQUIRED(X)                                           \
  X(nvmlInit_v2, (void))                                                \
  X(nvmlShutdown, (void))                                               \
  X(nvmlDeviceGetHandleByPciBusId_v2, (const char *bus, void **device)) \
  X(nvmlDeviceGetClockInfo, (void *device, int type, unsigned *mhz))

#define WISP_API_POINTER(name, parameters) int(*name) parameters;

typedef struct wisp_cuda_api {
  WISP_CUDA_REQUIRED(WISP_API_POINTER)
  WISP_CUDA_OPTIONAL(WISP_API_POINTER)
} wisp_cuda_api;

typedef struct wisp_nvrtc_api {
  WISP_NVRTC_REQUIRED(WISP_API_POINTER)
  WISP_NVRTC_OPTIONAL(WISP_API_POINTER)
  const char *(*nvrtcGetErrorString)(int error);
} wisp_nvrtc_api;

typedef struct wisp_cublas_api {
  WISP_CUBLAS_REQUIRED(WISP_API_POINTER)
  WISP_CUBLAS_OF(WISP_API_POINTER, S)
  WISP_CUBLAS_OF(WISP_API_POINTER, D)
} wisp_cublas_api;

typedef struct wisp_cusolver_api {
  WISP_CUSOLVER_REQUIRED(WISP_API_POINTER)
} wisp_cusolver_api;

typedef struct wisp_cusparse_api {
  WISP_CUSPARSE_REQUIRED(WISP_API_POINTER)
  WISP_CUSPARSE_OPTIONAL(WISP_API_POINTER)
} wisp_cusparse_api;

typedef struct wisp_nvml_api {
  WISP_NVML_REQUIRED(WISP_API_POINTER)
} wisp_nvml_api;

/* Opens the library, which stays in the process: threads need no lock. The toolkit's libraries are looked for in
 * $CUDA_HOME and $CUDA_PATH, then by the loader, then where NVIDIA's and Python's installers put them; the driver's, by
 * the loader first. NVRTC must make no code newer than the driver loads. WISP_EDEVICE where a library is missing or too
 * old, WISP_ESYSTEM where NVRTC is too new: the text says what to install. */
wisp_status wisp_cuda_api_open(wisp_error *err, wisp_cuda_api *out);
wisp_status wisp_nvrtc_api_open(wisp_error *err, wisp_nvrtc_api *out);
wisp_status wisp_cublas_api_open(wisp_error *err, wisp_cublas_api *out);
wisp_status wisp_cusolver_api_open(wisp_error *err, wisp_cusolver_api *out);
wisp_status wisp_cusparse_api_open(wisp_error *err, wisp_cusparse_api *out);
wisp_status wisp_nvml_api_open(wisp_error *err, wisp_nvml_api *out); /* $WISP_NVML names another than the usual one */
