/* The other side of a comparison, of `wisp best` and `wisp report`. */
#include "against.h"
#include "cli.h"
#include "../runtime/api/api.h"

#include <string.h>
#include <unistd.h>

bool wisp_is_day(const char *text)
{
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year = 0, month = 0, day = 0;
  for (int i = 0; i < 10; i++)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  if (sscanf(text, "%4d-%2d-%2d", &year, &month, &day) != 3 || month < 1 || month > 12) return false;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day >= 1 && day <= days[month - 1] + (leap && month == 2);
}

void wisp_against_close(wisp_against *against)
{
  wisp_session_close(against->session);
  against->session = NULL;
}

wisp_status wisp_against_open(wisp_error *err, const wisp_arguments *args, const char *device, wisp_against *out)
{
  const char *what = wisp_option_value(args, "against");
  const bool day = wisp_is_day(what) && !what[10], file = !day && access(what, F_OK) == 0;
  HELD(wisp_against_close) wisp_against made = {.session = NULL};
  snprintf(made.device, sizeof made.device, "%s", device);
  snprintf(made.name, sizeof made.name, "%s%.120s", file ? "store " : "", what);
  CALL(wisp_require(err, *what, WISP_EUSAGE, "option --against is empty, must be a store, a device or a day"));
  CALL(wisp_cli_open_store_at(err, args, file ? what : wisp_option_value(args, "db"), true, &made.session));
  if (!day && !file) snprintf(made.device, sizeof made.device, "%.127s", what);
  wisp_store_keep(made.session->store, file ? WISP_LAYER_USER : WISP_LAYER_NONE, made.device, day ? what : NULL);
  return GIVE(made, out);
}
