/* Behind wisp.h: a session, and what is opened in it. A closed handle, or one of a closed session, says so. */
#pragma once

#include "../mesh/frame.h"
#include "../problem.h"
#include "../solve/choose.h"

#include <sys/types.h>

/* The beginning of a session, and of every kernel and operator of one. A table of the process has the address of each,
 * so that a pointer that is none is never read. An object is freed once both it and its session are closed. */
typedef struct wisp_handle {
  const char *kind;              /* "session", "kernel" */
  void *self;                    /* the address that the caller holds */
  pid_t process;                 /* the one that opened it */
  struct wisp_handle *next_live; /* in the table */
  wisp_session *session;         /* NULL: closed */
  struct wisp_handle *next;      /* in the session's list */
  bool closed;
  void (*release)(void *self); /* gives back all but the handle and what it stands in */
  void (*free)(void *self);    /* that as well */
} wisp_handle;

struct wisp_session {
  wisp_handle handle;
  wisp_device *device; /* NULL: only read, for what has been measured on any */
  wisp_strategies *strategies;
  wisp_store *store;    /* NULL: none is to be read */
  wisp_store **earlier; /* stores of before the session tuned: choices of what is open point into them */
  size_t earlier_count, earlier_capacity;
  char *warning;        /* of texts and store, for people, a line each; NULL: nothing is odd */
  char *path, *command; /* as they were asked for; NULL: the default */
  bool exact_match_only;
  struct wisp_ranks *ranks; /* processes that solve together, each with a session; borrowed; NULL: alone */
  wisp_handle *handles;     /* all that was opened in it */
};

/* Enters a handle into the table, and into the list of its session. */
void wisp_handle_add(wisp_session *session, wisp_handle *handle, const char *kind, void *self,
                     void (*release)(void *self), void (*free)(void *self));
/* Closes what stands at an address. Nothing happens where there is no open handle of this process. */
void wisp_handle_close(const char *kind, const void *self);
/* WISP_EUSAGE, with the caller's name, where no open handle of this kind stands there, or another process opened it. */
wisp_status wisp_handle_check(wisp_error *err, const char *caller, const char *kind, const void *self);
#define WISP_OPEN(err, kind, self) wisp_handle_check(err, __func__, kind, self)

/* The table's part of opening and closing a session. False: there is none to close here. */
void wisp_handle_enter(wisp_handle *handle, const char *kind, void *self);
bool wisp_handle_leave(const char *kind, const void *self);

/* WISP_EUSAGE where a pointer that the caller gave is NULL. */
#define WISP_GIVEN(err, pointer) wisp_require(err, pointer, WISP_EUSAGE, "%s: %s is NULL", __func__, #pointer)

/* Copies what a caller fills, as large as it is by its first member, to the struct that this library knows; all zero
 * for NULL. WISP_EUSAGE where the size is 0, or the caller's last fields are set and not known here. */
#define WISP_TAKE(err, request, copy) wisp_request_take(err, __func__, request, sizeof *(request), copy)
wisp_status wisp_request_take(wisp_error *err, const char *what, const void *request, size_t size, void *copy);

WISP_OWNED(wisp_session, wisp_session_close)

/* A session without a device. tolerant: a layer of the store that cannot be read is left out, with a `warning`. */
wisp_status wisp_session_read(wisp_error *err, const wisp_session_request *request, bool tolerant, wisp_session **out);

/* wisp_kernel_open of a stage's choice, on a discretisation given in part. NULL, NULL: of the winner alone. */
wisp_status wisp_kernel_open_chosen(wisp_error *err, wisp_session *session, const char *spec,
                                    const wisp_kernel_request *request, const wisp_fixed *preset,
                                    const wisp_choice *choice, wisp_kernel **out);

/* Whether one of these kernels has such an argument; NULL among them is none. */
bool wisp_kernels_take(wisp_kernel *const *kernel, int kernels, const char *name);
/* Binds those of a kernel's arrays that are `ours`. */
wisp_status wisp_kernel_bind_arrays(wisp_error *err, wisp_kernel *kernel, const wisp_arrays *arrays,
                                    wisp_array_filter ours, const void *context);

/* The same as wisp_kernel_launch, of a discretisation's counts, among which are other kernels'. */
wisp_status wisp_kernel_launch_part(wisp_error *err, wisp_kernel *kernel, const wisp_count *counts, void *stream);

/* The source of choices; its limits are the device's, NULL where it has none. */
wisp_chooser wisp_session_chooser(const wisp_session *session);

/* A connected mesh of the caller's vertices and elements. Errors of wisp_mesh_flatten and wisp_mesh_connect. */
wisp_status wisp_api_mesh(wisp_error *err, const char *what, int corners, size_t vertices, size_t elements,
                          const double *xyz, const int *cells, wisp_mesh **out);

/* The frame of numbers that the caller gets in units of the mesh: moved to its middle. WISP_EUSAGE where its elements
 * are so small or large that kernels of this precision leave their range there. */
wisp_status wisp_api_frame(wisp_error *err, const char *what, const wisp_mesh *mesh, wisp_precision precision,
                           wisp_frame *out);

/* The report of a choice to a program. */
wisp_kernel_info wisp_api_info(const wisp_choice *choice);
