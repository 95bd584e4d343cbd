/* wisp: tuned, verified, persistent GPU kernels for discontinuous Galerkin methods.
 *
 * The one public header. Conventions:
 *   - every fallible function takes a wisp_error first, returns a wisp_status, and gives its outputs last;
 *   - handles are opaque, made by a *_create or *_open and given back with *_destroy or *_close (NULL is fine);
 *   - on failure the error's text says what, where and what to do, in one line, and no output is touched;
 *   - nothing here aborts, prints, or keeps state outside a handle.
 */
#ifndef WISP_H
#define WISP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WISP_VERSION "0.1.0"

typedef enum wisp_status {
  WISP_OK = 0,
  WISP_EUSAGE,   /* the request has no meaning (order 0, unknown option): exit status 2 */
  WISP_EINPUT,   /* a file or value from outside is wrong */
  WISP_EMEMORY,  /* no memory, here or on the device */
  WISP_ESYSTEM,  /* the operating system refused: open, write, fork, dlopen */
  WISP_EDEVICE,  /* a device or its driver failed or is missing */
  WISP_ECOMPILE, /* a kernel did not compile */
  WISP_EWRONG,   /* a kernel's result is not the reference's */
  WISP_ESTORE,   /* the tuning store is corrupt, foreign, newer or cannot be written */
  WISP_EREFUSED, /* a candidate does not apply here: an ordinary answer, with a reason */
  WISP_EMISSING  /* what was looked for is not there */
} wisp_status;

/* One failure: its status and one line of text. Zero-initialise it; reuse is fine. */
typedef struct wisp_error {
  wisp_status status;
  char text[1024];
} wisp_error;

typedef enum wisp_precision { WISP_F32 = 4, WISP_F64 = 8 } wisp_precision; /* the value is the size in bytes */

/* --- solving: a problem on a device, run by the kernels that the tuning store knows, or by defaults --- */

typedef struct wisp_simulation wisp_simulation;

typedef struct wisp_request { /* zero-initialise; what is 0 or NULL takes the value in parentheses */
  const char *system;         /* equations: one of wisp's or of WISP_TEMPLATES ("maxwell") */
  int order;                  /* polynomial degree N, 1..10 */
  wisp_precision precision;   /* of the device's arithmetic (WISP_F64) */
  const char *mesh;           /* Gmsh file of tets (the unit box) */
  int box;                    /* cubes along an edge of the unit box, six tets each (4) */
  const char *boundary;       /* on all walls (the first that the system has) */
  int central;                /* 1: central flux, else upwind */
  const char *device;         /* as `wisp devices` names them ("auto": the first GPU, else the host) */
  const char *store;    /* the user's store file (the default place); site and shipped entries are read in any case */
  int exact_match_only; /* 1: WISP_EMISSING unless every kernel has an entry of this device, driver and compiler */
} wisp_request;

/* Reads mesh and store, compiles the kernels, takes the device's memory. Fields start at zero. */
wisp_status wisp_simulation_create(wisp_error *err, const wisp_request *request, wisp_simulation **out);
void wisp_simulation_destroy(wisp_simulation *simulation);

/* Sizes: K elements of Np nodes, n fields. Fields are exchanged as double u[(f * K + k) * Np + i], elements in the
 * mesh's order. */
void wisp_simulation_size(const wisp_simulation *simulation, size_t *elements, size_t *nodes, size_t *fields);
const char *wisp_simulation_field(const wisp_simulation *simulation, size_t f); /* its name; NULL past the last */

/* Coordinates of all nodes: xyz[3 * (k * Np + i) + c], caller's memory. */
void wisp_simulation_nodes(const wisp_simulation *simulation, double *xyz);

wisp_status wisp_simulation_set(wisp_error *err, wisp_simulation *simulation, const double *u);
wisp_status wisp_simulation_get(wisp_error *err, wisp_simulation *simulation, double *u);

/* A stable time step: 0.85 of the longest one, which is estimated on creation from the operator's eigenvalues on this
 * mesh, order, flux and boundary. */
double wisp_simulation_dt(const wisp_simulation *simulation);

/* `steps` Runge-Kutta steps of dt (LSRK4(5), five stages each), enqueued without host round trips; returns when they
 * are done. Milliseconds a stage in *ms_per_stage unless NULL. WISP_EWRONG where the fields are not finite then: dt was
 * too long. */
wisp_status wisp_simulation_advance(wisp_error *err, wisp_simulation *simulation, double dt, long long steps,
                                    double *ms_per_stage);

wisp_status wisp_simulation_energy(wisp_error *err, wisp_simulation *simulation, double *energy);

/* Which entry the i-th kernel of a stage runs with. Texts live as long as the simulation. False past the last. */
typedef struct wisp_kernel_info {
  const char *kernel, *strategy, *params, *layout;
  const char *match; /* "exact", "other driver", "same architecture", "default" */
  const char *layer; /* "user", "site", "shipped", "none" */
} wisp_kernel_info;
int wisp_simulation_kernel(const wisp_simulation *simulation, size_t i, wisp_kernel_info *info);

#ifdef __cplusplus
}
#endif
#endif
