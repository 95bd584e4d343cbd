#include "terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int wisp_terminal_columns(int fd)
{
  struct winsize window = {0};
  if (!isatty(fd)) return 0;
  return ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col : 80;
}

wisp_status wisp_wrap(wisp_error *err, wisp_text *out, const char *text, int at, int indent, int width)
{
  for (bool first = true; *text; first = false) {
    int length = (int)strcspn(text, " ");
    if (!first && width && at + 1 + length > width) {
      CALL(wisp_text_print(err, out, "\n%*s", indent, ""));
      at = indent;
    } else if (!first) {
      CALL(wisp_text_print(err, out, " "));
      at++;
    }
    CALL(wisp_text_print(err, out, "%.*s", length, text));
    at += length;
    text += length + (int)strspn(text + length, " ");
  }
  return wisp_text_print(err, out, "\n");
}
