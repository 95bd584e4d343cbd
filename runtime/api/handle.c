/* Handles of this process: a table by address, which is asked before a caller's pointer is read. */
#include "api.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

/* ---- The table. Threads open and close at once; a fork waits until the table is whole. */

enum { BUCKETS = 1024 };

static struct table {
  pthread_mutex_t lock; /* of what follows */
  pid_t process;
  wisp_handle *first[BUCKETS];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock_table(void)
{
  pthread_mutex_lock(&table.lock);
}

static void unlock_table(void)
{
  pthread_mutex_unlock(&table.lock);
}

static void begin_child(void)
{
  table.process = getpid();
  unlock_table();
}

static void begin_process(void)
{
  table.process = getpid();
  pthread_atfork(lock_table, unlock_table, begin_child);
}

static wisp_handle **bucket_of(const void *self)
{
  return &table.first[(uintptr_t)self / 64 % BUCKETS];
}

/* The link that leads to a handle; to NULL where there is none. */
static wisp_handle **find_link(const void *self)
{
  wisp_handle **link = bucket_of(self);
  while (*link && (*link)->self != self) link = &(*link)->next_live;
  return link;
}

void wisp_handle_enter(wisp_handle *handle, const char *kind, void *self)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin_process);
  lock_table();
  wisp_handle **first = bucket_of(self);
  *handle = (wisp_handle){.kind = kind, .self = self, .process = table.process, .next_live = *first};
  *first = handle;
  unlock_table();
}

/* A helmholtz is a solver, too. */
static bool is_kind(const wisp_handle *handle, const char *kind)
{
  return strcmp(handle->kind, kind) == 0 || (strcmp(kind, "solver") == 0 && strcmp(handle->kind, "helmholtz") == 0);
}

/* The handle of this kind and process at an address; NULL: there is none. */
static wisp_handle *find_own(const char *kind, const void *self)
{
  lock_table();
  wisp_handle *handle = *find_link(self);
  if (handle && (!is_kind(handle, kind) || handle->process != table.process)) handle = NULL;
  unlock_table();
  return handle;
}

bool wisp_handle_leave(const char *kind, const void *self)
{
  if (!self || !find_own(kind, self)) return false;
  lock_table();
  wisp_handle **link = find_link(self);
  if (*link) *link = (*link)->next_live;
  unlock_table();
  return true;
}

/* ---- Objects of a session. */

void wisp_handle_add(wisp_session *session, wisp_handle *handle, const char *kind, void *self,
                     void (*release)(void *self), void (*free_it)(void *self))
{
  wisp_handle_enter(handle, kind, self);
  handle->session = session;
  handle->next = session->handles;
  handle->release = release;
  handle->free = free_it;
  session->handles = handle;
}

void wisp_handle_close(const char *kind, const void *self)
{
  wisp_handle *handle = self ? find_own(kind, self) : NULL;
  if (!handle || handle->closed) return;
  handle->closed = true;
  if (handle->session) {
    handle->release(handle->self);
  } else { /* its session has released it */
    wisp_handle_leave(kind, self);
    handle->free(handle->self);
  }
}

wisp_status wisp_handle_check(wisp_error *err, const char *caller, const char *kind, const void *self)
{
  CALL(wisp_require(err, self, WISP_EUSAGE, "%s: %s is NULL: open one first", caller, kind));
  lock_table();
  const wisp_handle *handle = *find_link(self);
  const bool is_open = handle && is_kind(handle, kind) && !handle->closed;
  const pid_t opener = is_open ? handle->process : 0, own = table.process;
  const bool has_session = is_open && handle->session;
  unlock_table();
  CALL(wisp_require(err, is_open, WISP_EUSAGE, "%s: %s: it was closed: open another", caller, kind));
  CALL(wisp_require(err, opener == own, WISP_EUSAGE,
                    "%s: %s: process %d opened it, and a fork does not carry it over to process %d: open another here",
                    caller, kind, (int)opener, (int)own));
  return wisp_require(err, has_session, WISP_EUSAGE, "%s: %s: its session was closed: open another", caller, kind);
}
