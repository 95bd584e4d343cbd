#include "ranks_parts.h"
#include "../process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

int wisp_ranks_own(const wisp_ranks *ranks)
{
  return ranks ? ranks->own : 0;
}

int wisp_ranks_count(const wisp_ranks *ranks)
{
  return ranks ? ranks->count : 1;
}

void wisp_gathered_free(wisp_gathered *gathered)
{
  WISP_FREE(gathered->data, gathered->begin);
  *gathered = (wisp_gathered){.data = NULL};
}

/* ---- The socket. */

/* The other side closes it only where it ends this process. */
static wisp_status report_lost(wisp_error *err, const wisp_ranks *ranks)
{
  return wisp_fail(err, WISP_ESYSTEM, "rank %d has lost the process that started it", ranks->own);
}

static wisp_status send_all(wisp_error *err, const wisp_ranks *ranks, const void *data, size_t bytes)
{
  for (size_t done = 0; done < bytes;) {
    const ssize_t sent = send(ranks->socket, (const char *)data + done, bytes - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return report_lost(err, ranks);
    done += (size_t)sent;
  }
  return WISP_OK;
}

static wisp_status receive_all(wisp_error *err, const wisp_ranks *ranks, void *data, size_t bytes)
{
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = recv(ranks->socket, (char *)data + done, bytes - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return report_lost(err, ranks);
    done += (size_t)got;
  }
  return WISP_OK;
}

wisp_status wisp_ranks_gather(wisp_error *err, wisp_ranks *ranks, const void *mine, size_t bytes, bool everywhere,
                              wisp_gathered *out)
{
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  const size_t count = (size_t)wisp_ranks_count(ranks);
  CALL(wisp_new(err, count + 1, sizeof *all.begin, &all.begin));
  if (!ranks) {
    all.begin[1] = bytes;
    CALL(wisp_copy(err, mine, bytes, &all.data));
    return GIVE(all, out);
  }
  const wisp_ranks_head head = {.bytes = bytes, .word = everywhere ? WISP_RANKS_TO_ALL : WISP_RANKS_TO_ROOT};
  CALL(send_all(err, ranks, &head, sizeof head));
  CALL(send_all(err, ranks, mine, bytes));
  CALL(receive_all(err, ranks, all.begin, (count + 1) * sizeof *all.begin));
  CALL(wisp_new(err, all.begin[count], 1, &all.data));
  CALL(receive_all(err, ranks, all.data, all.begin[count]));
  return GIVE(all, out);
}

/* ---- What it is used for. */

wisp_status wisp_ranks_meet(wisp_error *err, wisp_ranks *ranks)
{
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  return ranks ? wisp_ranks_gather(err, ranks, "", 0, true, &all) : WISP_OK;
}

wisp_status wisp_ranks_agree(wisp_error *err, wisp_ranks *ranks, void *data, size_t bytes)
{
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  if (!ranks) return WISP_OK;
  CALL(wisp_ranks_gather(err, ranks, data, ranks->own ? 0 : bytes, true, &all));
  CALL(wisp_require(err, all.begin[1] == bytes, WISP_ESYSTEM,
                    "rank 0 has sent %zu bytes, and rank %d expects %zu: the ranks have gone different ways",
                    all.begin[1], ranks->own, bytes));
  memcpy(data, all.data, bytes);
  return WISP_OK;
}

/* values of all ranks, one after the other, each `count` numbers. */
static wisp_status gather_numbers(wisp_error *err, wisp_ranks *ranks, size_t count, const double *values,
                                  wisp_gathered *out)
{
  const size_t bytes = count * sizeof *values;
  CALL(wisp_ranks_gather(err, ranks, values, bytes, true, out));
  for (int r = 0; r < ranks->count; r++)
    CALL(wisp_require(err, out->begin[r + 1] - out->begin[r] == bytes, WISP_ESYSTEM,
                      "rank %d has sent %zu bytes, and rank %d expects %zu: the ranks have gone different ways", r,
                      out->begin[r + 1] - out->begin[r], ranks->own, bytes));
  return WISP_OK;
}

wisp_status wisp_ranks_sum(wisp_error *err, wisp_ranks *ranks, size_t count, double *values)
{
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  if (!ranks) return WISP_OK;
  CALL(gather_numbers(err, ranks, count, values, &all));
  const double *of = (const double *)(const void *)all.data;
  for (size_t i = 0; i < count; i++) values[i] = of[i];
  for (size_t i = count; i < count * (size_t)ranks->count; i++) values[i % count] += of[i];
  return WISP_OK;
}

wisp_status wisp_ranks_least(wisp_error *err, wisp_ranks *ranks, double *value)
{
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  if (!ranks) return WISP_OK;
  CALL(gather_numbers(err, ranks, 1, value, &all));
  const double *of = (const double *)(const void *)all.data;
  for (int r = 0; r < ranks->count; r++) *value = fmin(*value, of[r]);
  return WISP_OK;
}

/* ---- Beginning and end. */

/* A rank that takes no answer for so long is stopped, which the process that watches finds out. */
enum { SEND_SECONDS = 6 };

/* In the child: it ends with its parent, and what it prints is seen on rank 0 alone. */
static wisp_status become_rank(wisp_error *err, const wisp_rank_watched *rank, int own, int count, int socket,
                               pid_t parent, wisp_ranks **out)
{
  OWNED(free) wisp_ranks *ranks = NULL;
  for (int r = 0; r < own; r++) close(rank[r].socket);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  if (own && !freopen("/dev/null", "w", stdout)) _exit(1);
  CALL(wisp_new(err, 1, sizeof *ranks, &ranks));
  *ranks = (wisp_ranks){own, count, socket};
  return GIVE(ranks, out);
}

/* *is_child: this is the rank. */
static wisp_status fork_rank(wisp_error *err, wisp_rank_watched *rank, int own, int count, wisp_ranks **out)
{
  int ends[2];
  const pid_t parent = getpid();
  CALL(wisp_require(err, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, WISP_ESYSTEM,
                    "cannot make a socket for rank %d: %s: raise the limit of open files (ulimit -n)", own,
                    strerror(errno)));
  fflush(stdout);
  const pid_t pid = fork();
  if (!pid) {
    close(ends[0]);
    return become_rank(err, rank, own, count, ends[1], parent, out);
  }
  close(ends[1]);
  setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = SEND_SECONDS}, sizeof(struct timeval));
  rank[own] = (wisp_rank_watched){.pid = pid, .socket = ends[0]};
  return wisp_require(err, pid > 0, WISP_ESYSTEM, "cannot start rank %d: %s: raise the limit of processes (ulimit -u)",
                      own, strerror(errno));
}

wisp_status wisp_ranks_fork(wisp_error *err, int count, wisp_ranks_signal signal, void *context, wisp_ranks **ranks,
                            int *exit_status)
{
  OWNED(free) wisp_rank_watched *rank = NULL;
  wisp_status status = WISP_OK;
  int started = 0;
  *ranks = NULL;
  CALL(
      wisp_require(err, count <= WISP_MOST_RANKS, WISP_EUSAGE, "%d ranks, must be at most %d", count, WISP_MOST_RANKS));
  CALL(wisp_new(err, (size_t)count, sizeof *rank, &rank));
  for (; status == WISP_OK && !*ranks && started < count; started++)
    status = fork_rank(err, rank, started, count, ranks);
  if (*ranks) return status;
  if (status == WISP_OK) status = wisp_ranks_watch(err, count, signal, context, rank);
  *exit_status = rank[0].exit_status;
  for (int r = 0; r < started; r++) {
    if (rank[r].pid > 0 && !rank[r].ended) {
      kill(rank[r].pid, SIGKILL);
      wisp_process_await(rank[r].pid, 0);
      wisp_programs_end(rank[r].pid);
    }
    if (rank[r].socket > 0) close(rank[r].socket);
    free(rank[r].data);
  }
  return status;
}

void wisp_ranks_end(wisp_ranks *ranks, wisp_status status, const wisp_error *failure)
{
  if (!ranks) return;
  if (status != WISP_OK) {
    const wisp_ranks_head head = {strlen(failure->text), WISP_RANKS_FAILED, (int32_t)status};
    if (send_all(NULL, ranks, &head, sizeof head) == WISP_OK) send_all(NULL, ranks, failure->text, head.bytes);
  }
  close(ranks->socket);
  free(ranks);
}
