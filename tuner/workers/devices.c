#include "devices.h"
#include "../sweep/sweep.h"
#include "../../gen/text.h"
#include "../../runtime/process.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds that a driver may take to say what is there. */
enum { LIST_SECONDS = 120 };

void wisp_devices_free(size_t count, char **names)
{
  for (size_t i = 0; names && i < count; i++) free(names[i]);
  free(names);
}

/* --- all --- */

/* In a process of its own: says the names, with commas between them, the host only where there is nothing else. */
static _Noreturn void say_all(int pipe_end)
{
  wisp_text text = {0}, names = {0};
  char *rest = NULL;
  bool good = wisp_device_list(NULL, &names) == WISP_OK;
  for (char *name = good ? strtok_r(names.data, ",", &rest) : NULL; name; name = strtok_r(NULL, ",", &rest)) {
    if (text.length && strcmp(name, "host") == 0) continue;
    good = good && wisp_text_print(NULL, &text, "%s%s", text.length ? "," : "", name) == WISP_OK;
  }
  good = good && write(pipe_end, text.data, text.length) == (ssize_t)text.length;
  _exit(good ? 0 : 1);
}

/* Until it has said all, or its time is over. */
static wisp_status hear_all(wisp_error *err, int pipe_end, wisp_text *out)
{
  char part[256];
  double end = wisp_seconds() + LIST_SECONDS;
  for (;;) {
    struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
    int ready = poll(&wait, 1, (int)(1000 * fmax(end - wisp_seconds(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    ssize_t got = read(pipe_end, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    CALL(wisp_text_add(err, out, part, (size_t)got));
  }
  return WISP_OK;
}

static wisp_status list_all(wisp_error *err, wisp_text *out)
{
  int ends[2], how = 0;
  CALL(wisp_require(err, pipe(ends) == 0, WISP_ESYSTEM, "device all: cannot make a pipe: %s", strerror(errno)));
  pid_t pid = fork();
  if (pid == 0) say_all(ends[1]);
  close(ends[1]);
  const wisp_status heard = hear_all(err, ends[0], out);
  close(ends[0]);
  CALL(wisp_require(err, pid > 0, WISP_ESYSTEM, "device all: cannot start a process: %s", strerror(errno)));
  how = wisp_process_await(pid, 1);
  CALL(heard);
  return wisp_require(err, WIFEXITED(how) && WEXITSTATUS(how) == 0 && out->length, WISP_EDEVICE,
                      "device all: the driver cannot list its devices: name them, as in -d cuda:0,cuda:1");
}

/* --- lists --- */

wisp_status wisp_devices_read(wisp_error *err, const char *text, size_t *count, char ***names)
{
  wisp_status status = WISP_OK;
  HELD(wisp_text_free) wisp_text all = {0};
  char **list = NULL;
  size_t room = 1, n = 0;
  if (strcmp(text, "all") == 0) {
    TRY(list_all(err, &all));
    text = all.data;
  }
  for (const char *at = text; *at; at++) room += *at == ',';
  TRY(wisp_new(err, room, sizeof *list, &list));
  for (const char *at = text; n < room; n++) {
    size_t length = strcspn(at, ",");
    TRY(wisp_require(err, length > 0, WISP_EUSAGE, "device list '%s' has an empty name: write it as cuda:0,cuda:1",
                     text));
    TRY(wisp_new(err, length + 1, 1, &list[n]));
    memcpy(list[n], at, length);
    TRY(wisp_require(err, strcmp(list[n], "all") != 0, WISP_EUSAGE, "device list '%s': 'all' stands alone", text));
    TRY(wisp_device_known(err, list[n]));
    at += length + (at[length] == ',');
  }
  *count = n;
  *names = list;
  list = NULL;
done:
  wisp_devices_free(room, list);
  return status;
}
