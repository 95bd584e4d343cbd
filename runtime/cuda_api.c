/* Finding the CUDA libraries and their functions. */
#include "cuda_parts.h"

#include <dlfcn.h>
#include <glob.h>

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
static const entry nvrtc_entries[] = {WISP_NVRTC_REQUIRED(REQUIRED) WISP_NVRTC_OPTIONAL(OPTIONAL){
    "nvrtcGetErrorString", offsetof(API, nvrtcGetErrorString), false}};
#undef API
#define API wisp_cublas_api
static const entry cublas_entries[] = {WISP_CUBLAS_REQUIRED(REQUIRED) WISP_CUBLAS_OF(REQUIRED, S)
                                           WISP_CUBLAS_OF(REQUIRED, D)};
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

/* The folders of a toolkit, then those of NVIDIA's Python packages: below nvidia/, site-packages/, an environment. */
static const char *const below[] = {
    "lib64", "lib", "targets/*/lib", "*/lib", "nvidia/*/lib", "lib/python3*/site-packages/nvidia/*/lib", "."};

/* Whether a library will do where there are others: at once, or where there is no better one. */
typedef enum rank { GOOD, LAST_RESORT, UNFIT } rank;

typedef struct wanted {
  const char *const *names; /* the best first; ends with NULL */
  const char *missing;      /* what to say where there is none of them */
  const entry *entries;
  size_t count;
  bool is_drivers;
  wisp_status (*judge)(wisp_error *err, const void *api, const char *path, rank *out); /* NULL: any will do */
} wanted;

/* A search for one: what is taken so far, and why others were not. */
typedef struct search {
  const wanted *what;
  rank least; /* the worst that is taken now */
  void *api;
  bool found;
  wisp_error first; /* why the first that was there was not taken */
} search;

/* Fills the structure at api. C cannot cast dlsym's object pointer to a function's: its bytes are copied. */
static wisp_status fill_api(wisp_error *err, void *library, const wanted *what, const char *path, void *api)
{
  for (size_t i = 0; i < what->count; i++) {
    void *symbol = dlsym(library, what->entries[i].name);
    CALL(wisp_require(err, symbol || what->entries[i].optional, WISP_EDEVICE,
                      "%s has no function %s: it is older than CUDA 11.1: install a newer one", path,
                      what->entries[i].name));
    memcpy((char *)api + what->entries[i].offset, &symbol, sizeof symbol);
  }
  return WISP_OK;
}

/* Takes the library of this path, if it will do. It stays loaded: loading NVRTC takes longer than compiling with it. */
static void try_file(search *s, const char *path)
{
  void *library = s->found ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  wisp_error why = {.text = ""};
  rank is = GOOD;
  if (!library) return;
  wisp_status status = fill_api(&why, library, s->what, path, s->api);
  if (status == WISP_OK && s->what->judge) status = s->what->judge(&why, s->api, path, &is);
  s->found = status == WISP_OK && is <= s->least;
  if (status != WISP_OK && s->first.status == WISP_OK) s->first = why;
  dlclose(library); /* it stays */
}

static void try_below(search *s, const char *root, const char *folder)
{
  for (const char *const *name = s->what->names; *name; name++) {
    char pattern[2048];
    glob_t files = {0};
    size_t length = 0;
    for (const char *at = root; *at && length + 2 < sizeof pattern; at++) { /* a pattern that matches it alone */
      if (strchr("*?[\\", *at)) pattern[length++] = '\\';
      pattern[length++] = *at;
    }
    const int more = snprintf(pattern + length, sizeof pattern - length, "/%s/%s", folder, *name);
    if (more < 0 || (size_t)more >= sizeof pattern - length) continue;
    if (glob(pattern, 0, NULL, &files) == 0)
      for (size_t i = 0; i < files.gl_pathc; i++) try_file(s, files.gl_pathv[i]);
    globfree(&files);
  }
}

static void try_loader(search *s)
{
  for (const char *const *name = s->what->names; *name; name++) try_file(s, *name);
}

static void try_root(search *s, const char *root)
{
  for (size_t i = 0; root && *root && !s->found && i < WISP_COUNT(below); i++) try_below(s, root, below[i]);
}

/* The user's choice comes first, except that the driver's own libraries are where the loader looks. */
static wisp_status open_api(wisp_error *err, const wanted *what, void *api)
{
  const char *const chosen[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH")};
  const char *const usual[] = {"/usr/local/cuda", "/opt/cuda", getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX")};
  search s = {.what = what, .api = api};
  for (s.least = GOOD; !s.found && s.least < (what->judge ? UNFIT : LAST_RESORT); s.least++) {
    if (what->is_drivers) try_loader(&s);
    for (size_t i = 0; i < WISP_COUNT(chosen); i++) try_root(&s, chosen[i]);
    try_loader(&s);
    for (size_t i = 0; i < WISP_COUNT(usual); i++) try_root(&s, usual[i]);
  }
  if (s.first.status == WISP_OK) wisp_fail(&s.first, WISP_EDEVICE, "%s", what->missing);
  return wisp_require(err, s.found, s.first.status, "%s", s.first.text);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ENTRIES(list) .entries = (list), .count = WISP_COUNT(list)
#define MISSING(library, package)                                                                            \
  WISP_MESSAGE(library " is not there: install NVIDIA's CUDA toolkit (or only its package " package "), or " \
                       "point CUDA_HOME at it")

wisp_status wisp_cuda_api_open(wisp_error *err, wisp_cuda_api *out)
{
  const wanted driver = {
      .names = NAMES("libcuda.so.1", "libcuda.so"),
      .missing = WISP_MESSAGE(
          "cuda: libcuda.so.1 is not there: install NVIDIA's driver (on Debian: nvidia-driver), or use -d host"),
      .is_drivers = true,
      ENTRIES(cuda_entries)};
  CALL(open_api(err, &driver, out));
  return wisp_require(err, out->cuGraphInstantiateWithFlags || out->cuGraphInstantiate_v2, WISP_EDEVICE,
                      "libcuda.so.1 cannot instantiate graphs: install a newer NVIDIA driver");
}

/* A driver loads code of its own version of CUDA and of older ones. Code of a newer one of the same major version it
 * loads by what NVIDIA calls minor version compatibility, which is a last resort; of a newer major version, never. */
static wisp_status judge_nvrtc(wisp_error *err, const void *functions, const char *path, rank *out)
{
  const wisp_nvrtc_api *api = functions;
  wisp_cuda_api driver;
  int major = 0, minor = 0, speaks = 0;
  *out = GOOD;
  CALL(wisp_require(err, api->nvrtcVersion(&major, &minor) == 0, WISP_EDEVICE,
                    "%s does not tell its version: install another", path));
  if (wisp_cuda_api_open(NULL, &driver) != WISP_OK || driver.cuDriverGetVersion(&speaks) != 0 || speaks <= 0)
    return WISP_OK;
  const int most[] = {speaks / 1000, speaks % 1000 / 10};
  if (major == most[0] && minor > most[1]) *out = LAST_RESORT;
  return wisp_require(err, major <= most[0], WISP_ESYSTEM, /* there is one: older kernels do not stand in for it */
                      "nvrtc: %s is of CUDA %d.%d, and the driver loads code of CUDA %d.%d and older: install NVRTC of "
                      "CUDA %d (pip install nvidia-cuda-nvrtc-cu%d) and point CUDA_HOME at it, or update the driver",
                      path, major, minor, most[0], most[1], most[0], most[0]);
}

wisp_status wisp_nvrtc_api_open(wisp_error *err, wisp_nvrtc_api *out)
{
  const wanted nvrtc = {.names = NAMES("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"),
                        .missing = MISSING("nvrtc: libnvrtc.so.13 (or .12)", "cuda-nvrtc"),
                        .judge = judge_nvrtc,
                        ENTRIES(nvrtc_entries)};
  return open_api(err, &nvrtc, out);
}

wisp_status wisp_cublas_api_open(wisp_error *err, wisp_cublas_api *out)
{
  const wanted cublas = {.names = NAMES("libcublas.so.13", "libcublas.so.12", "libcublas.so"),
                         .missing = MISSING("cublas: libcublas.so.13 (or .12)", "libcublas"),
                         ENTRIES(cublas_entries)};
  return open_api(err, &cublas, out);
}

wisp_status wisp_cusolver_api_open(wisp_error *err, wisp_cusolver_api *out)
{
  const wanted cusolver = {.names = NAMES("libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"),
                           .missing = MISSING("cusolver: libcusolver.so.12 (or .11)", "libcusolver"),
                           ENTRIES(cusolver_entries)};
  return open_api(err, &cusolver, out);
}

wisp_status wisp_cusparse_api_open(wisp_error *err, wisp_cusparse_api *out)
{
  const wanted cusparse = {.names = NAMES("libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"),
                           .missing = MISSING("cusparse: libcusparse.so.12 (or .11)", "libcusparse"),
                           ENTRIES(cusparse_entries)};
  return open_api(err, &cusparse, out);
}

wisp_status wisp_nvml_api_open(wisp_error *err, wisp_nvml_api *out)
{
  const char *name = getenv("WISP_NVML");
  const wanted nvml = {.names = NAMES(name && *name ? name : "libnvidia-ml.so.1"),
                       .missing =
                           WISP_MESSAGE("nvml: the library that tells of clocks is not there: name it in WISP_NVML"),
                       .is_drivers = true,
                       ENTRIES(nvml_entries)};
  return open_api(err, &nvml, out);
}

wisp_status wisp_cuda_check(wisp_error *err, const wisp_cuda_api *api, int result, const char *what, const char *name)
{
  const char *code = NULL, *text = NULL;
  if (result == 0) return WISP_OK;
  if (api->cuGetErrorName(result, &code) != 0 || !code) code = "unknown error";
  if (api->cuGetErrorString(result, &text) != 0 || !text) text = "the driver has no text for it";
  return wisp_fail(err, result == WISP_CUDA_OUT_OF_MEMORY ? WISP_EMEMORY : WISP_EDEVICE, "cuda: %s%s%s: %s %d (%s)",
                   what, *name ? " " : "", name, code, result, text);
}

wisp_status wisp_cuda_enter(wisp_error *err, cuda_device *device)
{
  return CUDA(device, cuCtxSetCurrent, device->context);
}
