/* Systems by name: the library's and the user's. */
#include "named.h"
#include "system.h"

#include <stdlib.h>

const wisp_named wisp_systems = {"system", "systems", ".system"};

bool wisp_system_is_own(const char *name)
{
  return wisp_named_is_own(&wisp_systems, name);
}

bool wisp_system_exists(const char *name)
{
  return wisp_named_exists(&wisp_systems, name);
}

wisp_status wisp_system_names(wisp_error *err, wisp_text *list)
{
  return wisp_named_list(err, &wisp_systems, list);
}

wisp_status wisp_system_read(wisp_error *err, const char *name, char path[WISP_NAMED_PATH], wisp_system **out)
{
  char own[WISP_NAMED_PATH];
  OWNED(free) char *text = NULL;
  if (!path) path = own;
  CALL(wisp_named_read(err, &wisp_systems, name, path, &text));
  return wisp_system_parse(err, path, text, out);
}
