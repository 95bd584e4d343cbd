#include "lapack.h"

#include <dlfcn.h>
#include <pthread.h>

static const char library_name[] = "liblapacke.so.3";

typedef struct entry {
  const char *name;
  size_t offset; /* of its pointer in wisp_lapack */
} entry;

static const entry entries[] = {
    {"LAPACKE_dgeev", offsetof(wisp_lapack, dgeev)},   {"LAPACKE_dgeqrf", offsetof(wisp_lapack, dgeqrf)},
    {"LAPACKE_dgetrf", offsetof(wisp_lapack, dgetrf)}, {"LAPACKE_dgetri", offsetof(wisp_lapack, dgetri)},
    {"LAPACKE_dpotrf", offsetof(wisp_lapack, dpotrf)}, {"LAPACKE_dpotri", offsetof(wisp_lapack, dpotri)},
    {"LAPACKE_dpotrs", offsetof(wisp_lapack, dpotrs)}, {"LAPACKE_dsterf", offsetof(wisp_lapack, dsterf)},
    {"LAPACKE_dtrcon", offsetof(wisp_lapack, dtrcon)}, {"LAPACKE_zgesv", offsetof(wisp_lapack, zgesv)},
    {"sgemm_", offsetof(wisp_lapack, sgemm)},          {"dgemm_", offsetof(wisp_lapack, dgemm)},
    {"dtrsm_", offsetof(wisp_lapack, dtrsm)},
};

/* The functions that the process loaded, once; constant from then on. */
static struct {
  pthread_once_t once;
  wisp_lapack functions;
  wisp_error failure;
} loaded = {.once = PTHREAD_ONCE_INIT};

/* C cannot cast dlsym's object pointer to a function's: its bytes are copied. */
static wisp_status fill(wisp_error *err, void *library)
{
  wisp_lapack *functions = &loaded.functions;
  for (size_t i = 0; i < WISP_COUNT(entries); i++) {
    void *symbol = dlsym(library, entries[i].name);
    CALL(wisp_require(err, symbol != NULL, WISP_ESYSTEM, "%s has no function %s: check the LAPACK installed",
                      library_name, entries[i].name));
    memcpy((char *)functions + entries[i].offset, &symbol, sizeof symbol);
  }
  void *config = dlsym(library, "openblas_get_config");
  memcpy(&functions->openblas_config, &config, sizeof config);
  return WISP_OK;
}

static void load(void)
{
  void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library)
    fill(&loaded.failure, library);
  else
    wisp_fail(&loaded.failure, WISP_ESYSTEM, "LAPACK cannot be loaded (%s): install %s, of Debian's package liblapacke",
              dlerror(), library_name);
}

wisp_status wisp_lapack_load(wisp_error *err, const wisp_lapack **out)
{
  pthread_once(&loaded.once, load);
  *out = &loaded.functions;
  return wisp_require(err, loaded.failure.status == WISP_OK, loaded.failure.status, "%s", loaded.failure.text);
}
