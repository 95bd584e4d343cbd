#include "embedded_module.h"
#include "../gen/embedded.h"
#include "../gen/text.h"

#include <stdio.h>
#include <stdlib.h>

wisp_status wisp_embedded_module(wisp_error *err, wisp_device *device, const char *folder, const char *name,
                                 const char *real, wisp_module **out)
{
  HELD(wisp_text_free) wisp_text source = {0};
  HELD(wisp_binary_free) wisp_binary binary = {0};
  const wisp_limits *limits = wisp_device_limits(device);
  char path[96], symbol[32];
  snprintf(path, sizeof path, "templates/%s/%s.%s.k", folder, name, limits->kind);
  snprintf(symbol, sizeof symbol, "wisp_%s", name);
  const char *text = wisp_embedded_text(path);
  CALL(wisp_require(err, text, WISP_EMISSING, "%s is not in this library", path));
  CALL(wisp_text_print(err, &source, "typedef %s real;\n%s", real, text));
  CALL(wisp_compile(err, limits->target, symbol, source.data, &binary));
  return wisp_module_load(err, device, &binary, symbol, 0, out);
}
