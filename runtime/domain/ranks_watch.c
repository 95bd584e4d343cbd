/* The process that has forked the ranks: it hands on what they gather, and ends all where one ends badly. */
#include "ranks_parts.h"
#include "../process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 200, BY_SIGNAL = 128 }; /* an exit status above that: a signal has stopped it, as it was meant to */

/* A rank that is stopped for so many seconds ends all; the others have so long to fail of the same cause. */
static const double STOPPED = 5, TOGETHER = 0.5;

typedef struct watching {
  int count;
  wisp_ranks_signal signal;
  void *context;
  wisp_rank_watched *rank;
} watching;

static wisp_ranks_head head_of(const wisp_rank_watched *r)
{
  wisp_ranks_head head = {.bytes = 0};
  memcpy(&head, r->data, sizeof head);
  return head;
}

/* Whether a whole message is there. */
static bool has_message(const wisp_rank_watched *r)
{
  return r->got >= sizeof(wisp_ranks_head) && r->got == sizeof(wisp_ranks_head) + head_of(r).bytes;
}

/* Reads what is there, at most up to the end of the message. The rank has ended where there is nothing any more. */
static wisp_status read_some(wisp_error *err, wisp_rank_watched *r)
{
  const size_t head = sizeof(wisp_ranks_head);
  const size_t end = r->got < head ? head : head + head_of(r).bytes;
  CALL(wisp_grow(err, &r->data, &r->capacity, end, 1));
  const ssize_t got = recv(r->socket, r->data + r->got, end - r->got, MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return WISP_OK;
  if (got > 0) {
    r->got += (size_t)got;
    return WISP_OK;
  }
  close(r->socket);
  r->socket = -1;
  return WISP_OK;
}

/* Sends all of it, or as much as a rank that dies meanwhile takes: its end is seen later. */
static void send_to(const wisp_rank_watched *r, const void *data, size_t bytes)
{
  for (size_t done = 0; done < bytes;) {
    const ssize_t sent = send(r->socket, (const char *)data + done, bytes - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    done += (size_t)sent;
  }
}

/* All have sent theirs: answers each, rank 0 alone with the data where the others want none. */
static wisp_status answer(wisp_error *err, const watching *w)
{
  OWNED(free) size_t *begin = NULL, *none = NULL;
  const size_t entries = (size_t)w->count + 1, head = sizeof(wisp_ranks_head);
  const uint32_t word = head_of(&w->rank[0]).word;
  CALL(wisp_new(err, entries, sizeof *begin, &begin));
  CALL(wisp_new(err, entries, sizeof *none, &none));
  for (int r = 0; r < w->count; r++) {
    CALL(wisp_require(err, head_of(&w->rank[r]).word == word, WISP_ESYSTEM,
                      "rank %d and rank 0 wait for different things: the ranks have gone different ways", r));
    begin[r + 1] = begin[r] + (size_t)head_of(&w->rank[r]).bytes;
  }
  for (int r = 0; r < w->count; r++) {
    const bool all = word == WISP_RANKS_TO_ALL || !r;
    send_to(&w->rank[r], all ? begin : none, entries * sizeof *begin);
    for (int s = 0; all && s < w->count; s++) send_to(&w->rank[r], w->rank[s].data + head, begin[s + 1] - begin[s]);
  }
  for (int r = 0; r < w->count; r++) w->rank[r].got = 0;
  return WISP_OK;
}

/* ---- Ends. */

/* Failures are reported by their rank unless others fail alike, as all do for a mesh that is not there. */
static wisp_status report_failure(wisp_error *err, const watching *w, int first)
{
  const size_t head = sizeof(wisp_ranks_head);
  const wisp_rank_watched *one = &w->rank[first];
  const int length = (int)head_of(one).bytes;
  const wisp_status status = (wisp_status)head_of(one).status;
  bool alike = false;
  for (int r = 0; r < w->count; r++) {
    const wisp_rank_watched *other = &w->rank[r];
    alike |= r != first && has_message(other) && other->got == one->got &&
             memcmp(other->data + head, one->data + head, one->got - head) == 0;
  }
  if (alike) return wisp_fail(err, status, "%.*s", length, one->data + head);
  return wisp_fail(err, status, "rank %d of %d: %.*s", first, w->count, length, one->data + head);
}

static int find_failed(const watching *w)
{
  for (int r = 0; r < w->count; r++)
    if (has_message(&w->rank[r]) && head_of(&w->rank[r]).word == WISP_RANKS_FAILED) return r;
  return -1;
}

/* Reads the last message of a rank that has exited. */
static wisp_status read_last(wisp_error *err, wisp_rank_watched *r)
{
  size_t before = 0;
  do {
    before = r->got;
    if (r->socket >= 0 && !has_message(r)) CALL(read_some(err, r));
  } while (r->got > before);
  return WISP_OK;
}

/* Looks at a rank's process. */
static wisp_status look(wisp_error *err, const watching *w, int number)
{
  wisp_rank_watched *r = &w->rank[number];
  int how = 0;
  if (r->ended) return WISP_OK;
  const pid_t got = waitpid(r->pid, &how, WNOHANG | WUNTRACED | WCONTINUED);
  if (got == r->pid && WIFSTOPPED(how)) r->stopped = wisp_seconds();
  if (got == r->pid && WIFCONTINUED(how)) r->stopped = 0;
  if (r->stopped > 0 && wisp_seconds() - r->stopped > STOPPED)
    return wisp_fail(err, WISP_ESYSTEM, "rank %d of %d (process %d) was stopped for %.0f s: all ranks are ended",
                     number, w->count, (int)r->pid, STOPPED);
  if (got != r->pid || !(WIFEXITED(how) || WIFSIGNALED(how))) return WISP_OK;
  r->ended = true;
  r->exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : 0;
  CALL(read_last(err, r));
  if (WIFSIGNALED(how))
    return wisp_fail(err, WISP_ESYSTEM, "rank %d of %d (process %d) was ended by signal %d (%s): all ranks are ended",
                     number, w->count, (int)r->pid, WTERMSIG(how), strsignal(WTERMSIG(how)));
  return wisp_require(err, r->exit_status == 0 || r->exit_status > BY_SIGNAL || has_message(r), WISP_ESYSTEM,
                      "rank %d of %d (process %d) exited with status %d: all ranks are ended", number, w->count,
                      (int)r->pid, WEXITSTATUS(how));
}

/* Waits for messages or ends, a short time. */
static wisp_status wait_some(wisp_error *err, const watching *w)
{
  struct pollfd list[WISP_MOST_RANKS];
  for (int r = 0; r < w->count; r++) /* a socket below 0 is passed over; one with a message is not read further */
    list[r] = (struct pollfd){.fd = has_message(&w->rank[r]) ? -1 : w->rank[r].socket, .events = POLLIN};
  if (poll(list, (nfds_t)w->count, LOOK_MS) < 0 && errno != EINTR)
    return wisp_fail(err, WISP_ESYSTEM, "cannot wait for the ranks: %s", strerror(errno));
  for (int r = 0; r < w->count; r++)
    if (list[r].fd >= 0 && list[r].revents) CALL(read_some(err, &w->rank[r]));
  return WISP_OK;
}

/* One more round. *left: how many ranks have not ended. */
static wisp_status serve(wisp_error *err, const watching *w, int *left)
{
  int messages = 0;
  *left = 0;
  CALL(wait_some(err, w));
  const int signal = w->signal ? w->signal(w->context) : 0;
  for (int r = 0; signal && r < w->count; r++)
    if (!w->rank[r].ended) kill(w->rank[r].pid, signal);
  for (int r = 0; r < w->count; r++) {
    CALL(look(err, w, r));
    *left += !w->rank[r].ended;
    messages += has_message(&w->rank[r]);
  }
  const int failed = find_failed(w);
  if (failed >= 0) {
    const double until = wisp_seconds() + TOGETHER;
    while (wisp_seconds() < until) CALL(wait_some(err, w));
    return report_failure(err, w, failed);
  }
  if (messages == w->count) CALL(answer(err, w));
  for (int r = 0; r < w->count; r++)
    CALL(wisp_require(err, !(messages && w->rank[r].ended), WISP_ESYSTEM,
                      "rank %d of %d has ended before the others: the ranks have gone different ways", r, w->count));
  return WISP_OK;
}

wisp_status wisp_ranks_watch(wisp_error *err, int count, wisp_ranks_signal signal, void *context,
                             wisp_rank_watched *rank)
{
  const watching w = {count, signal, context, rank};
  int left = count;
  while (left) CALL(serve(err, &w, &left));
  return WISP_OK;
}
