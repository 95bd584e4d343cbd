/* A session: what kernels and operators are opened in. */
#include "api.h"
#include "../stack.h"
#include "../../gen/environment.h"

#include <unistd.h>

const char *wisp_version(void)
{
  return WISP_VERSION;
}

/* --- requests --- */

wisp_status wisp_request_take(wisp_error *err, const char *what, const void *request, size_t size, void *copy)
{
  size_t given = 0;
  memset(copy, 0, size);
  if (!request) return WISP_OK;
  memcpy(&given, request, sizeof given);
  CALL(wisp_require(err, given >= sizeof given, WISP_EUSAGE, "%s: a request has no size: begin it with WISP_INIT",
                    what));
  for (size_t i = size; i < given; i++)
    CALL(wisp_require(err, !((const char *)request)[i], WISP_EUSAGE,
                      "%s: a request has fields of a later version of wisp: install that one, or leave them out",
                      what));
  memcpy(copy, request, given < size ? given : size);
  return WISP_OK;
}

/* --- sessions --- */

/* Collects the warnings of the texts and of the store, a line each; takes that of the store. */
static wisp_status collect_warnings(wisp_error *err, wisp_session *s, char *of_store)
{
  OWNED(free) char *own = of_store;
  HELD(wisp_text_free) wisp_text all = {0};
  const char *const warnings[] = {s->strategies->warning.data, own};
  for (size_t i = 0; i < WISP_COUNT(warnings); i++)
    if (warnings[i] && *warnings[i]) CALL(wisp_text_print(err, &all, "%s%s", all.length ? "\n" : "", warnings[i]));
  return GIVE(all.data, &s->warning);
}

wisp_status wisp_session_read(wisp_error *err, const wisp_session_request *request, bool tolerant, wisp_session **out)
{
  OWNED(wisp_session_close) wisp_session *s = NULL;
  char *of_store = NULL;
  CALL(wisp_environment_check(err));
  CALL(wisp_stack_check(err));
  CALL(wisp_new(err, 1, sizeof *s, &s));
  wisp_handle_enter(&s->handle, "session", s);
  s->handle.session = s;
  s->exact_match_only = request->exact_match_only;
  CALL(wisp_copy_text(err, request->store, &s->path));
  CALL(wisp_copy_text(err, request->command, &s->command));
  CALL(wisp_strategies_load(err, &s->strategies));
  if (!request->defaults_only)
    CALL(wisp_chooser_open_store(err, s->strategies, request->store, tolerant, &of_store, &s->store));
  CALL(collect_warnings(err, s, of_store));
  return GIVE(s, out);
}

/* A file that is named and not there is a slip, or not made yet. */
static wisp_status note_missing(wisp_error *err, wisp_session *s)
{
  HELD(wisp_text_free) wisp_text note = {0};
  if (access(s->path, F_OK) == 0) return WISP_OK;
  CALL(wisp_text_print(err, &note, WISP_MESSAGE("%s: there is no such file; going on with what else is known%s%s"),
                       s->path, s->warning ? "\n" : "", s->warning ? s->warning : ""));
  free(s->warning);
  return GIVE(note.data, &s->warning);
}

const char *wisp_session_note(const wisp_session *session)
{
  return WISP_OPEN(NULL, "session", session) == WISP_OK ? session->warning : NULL;
}

wisp_status wisp_session_open(wisp_error *err, const wisp_session_request *request, wisp_session **out)
{
  wisp_session_request r;
  OWNED(wisp_session_close) wisp_session *s = NULL;
  CALL(WISP_GIVEN(err, out));
  CALL(WISP_TAKE(err, request, &r));
  wisp_openmp_prepare(); /* before this thread, or another that opens a session, reads the environment */
  CALL(wisp_require(err, !r.context || !r.device, WISP_EUSAGE,
                    "session: a context and a device's name (%s): leave one out", r.device));
  CALL(wisp_require(err, !r.defaults_only || (!r.store && !r.exact_match_only), WISP_EUSAGE,
                    "session: defaults only, but a store or exact matches: leave one out"));
  CALL(wisp_require(err, r.context || !r.stream, WISP_EUSAGE, "session: a stream, but not the context that it is in"));
  CALL(wisp_session_read(err, &r, true, &s));
  if (r.store) CALL(note_missing(err, s));
  CALL(r.context ? wisp_device_adopt(err, r.context, r.stream, &s->device)
                 : wisp_device_open(err, r.device && *r.device ? r.device : "auto", &s->device));
  return GIVE(s, out);
}

void wisp_session_close(wisp_session *s)
{
  if (!wisp_handle_leave("session", s)) return;
  for (wisp_handle *h = s->handles, *next = NULL; h; h = next) {
    next = h->next;
    h->session = NULL;
    if (h->closed) {
      wisp_handle_leave(h->kind, h->self);
      h->free(h->self);
    } else {
      h->release(h->self);
    }
  }
  wisp_device_close(s->device);
  for (size_t i = 0; i < s->earlier_count; i++) wisp_store_close(s->earlier[i]);
  wisp_store_close(s->store);
  wisp_strategies_free(s->strategies);
  WISP_FREE(s->earlier, s->warning, s->path, s->command, s);
}

wisp_chooser wisp_session_chooser(const wisp_session *s)
{
  return (wisp_chooser){
      .strategies = s->strategies, .store = s->store, .limits = s->device ? wisp_device_limits(s->device) : NULL};
}

wisp_status wisp_session_finish(wisp_error *err, wisp_session *session)
{
  CALL(WISP_OPEN(err, "session", session));
  return wisp_device_finish(err, session->device);
}

/* --- memory --- */

static wisp_pointer as_pointer(const void *memory)
{
  return (wisp_pointer)(uintptr_t)memory;
}

wisp_status wisp_memory_create(wisp_error *err, wisp_session *session, size_t bytes, void **out)
{
  wisp_pointer pointer = 0;
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_device_alloc(err, session->device, bytes, &pointer));
  *out = (void *)(uintptr_t)pointer;
  return WISP_OK;
}

void wisp_memory_destroy(wisp_session *session, void *memory)
{
  if (memory && WISP_OPEN(NULL, "session", session) == WISP_OK) wisp_device_free(session->device, as_pointer(memory));
}

wisp_status wisp_memory_put(wisp_error *err, wisp_session *session, void *to, const void *from, size_t bytes)
{
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, to));
  CALL(WISP_GIVEN(err, from));
  return wisp_device_upload(err, session->device, as_pointer(to), from, bytes);
}

wisp_status wisp_memory_get(wisp_error *err, wisp_session *session, void *to, const void *from, size_t bytes)
{
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, to));
  CALL(WISP_GIVEN(err, from));
  return wisp_device_download(err, session->device, to, as_pointer(from), bytes);
}

/* --- meshes that programs bring, and reports to them --- */

wisp_status wisp_api_mesh(wisp_error *err, const char *what, int corners, size_t vertices, size_t elements,
                          const double *xyz, const int *cells, wisp_mesh **out)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  CALL(wisp_require(err, xyz, WISP_EUSAGE, "%s: xyz is NULL", what));
  CALL(wisp_require(err, cells, WISP_EUSAGE, "%s: corners is NULL", what));
  CALL(wisp_require(err, elements, WISP_EUSAGE, "%s: no elements", what));
  CALL(wisp_mesh_create(err, corners, vertices, elements, &mesh));
  memcpy(mesh->xyz, xyz, 3 * vertices * sizeof *xyz);
  for (size_t i = 0; i < (size_t)corners * elements; i++) mesh->cell[i] = cells[i];
  CALL(wisp_mesh_flatten(err, what, mesh));
  CALL(wisp_mesh_connect(err, what, mesh));
  return GIVE(mesh, out);
}

/* Kernels square the edges of triangles, and products of two edges of tets and hexes. */
wisp_status wisp_api_frame(wisp_error *err, const char *what, const wisp_mesh *mesh, wisp_precision precision,
                           wisp_frame *out)
{
  const int dimension = wisp_mesh_dimension(mesh);
  const double element = wisp_mesh_frame(mesh).length / pow((double)mesh->elements, 1.0 / dimension);
  const double squares = pow(element, dimension == 2 ? 2 : 4);
  CALL(wisp_require(err, precision == WISP_F64 || (squares > 1e-35 && squares < 1e35), WISP_EUSAGE,
                    "%s: elements with a length of about %g leave the range of single precision: take another unit of "
                    "length, or double precision",
                    what, element));
  *out = wisp_mesh_shift(mesh);
  return WISP_OK;
}

wisp_kernel_info wisp_api_info(const wisp_choice *c)
{
  return (wisp_kernel_info){
      c->kernel, c->strategy, c->params, c->layout, wisp_match_name(c->match), wisp_layer_name(c->layer), c->note};
}
