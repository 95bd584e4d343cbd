/* A strategy from texts that a test brings: a description, of several kernels for the first, and the kernel's text. */
#pragma once

#include "test.h"
#include "../gen/strategy/space_read.h"

static inline wisp_status parse_strategy(wisp_error *err, const char *family, const char *name, wisp_file_text space,
                                         wisp_file_text text, wisp_strategy **out)
{
  const wisp_template_path template_path = {.files = wisp_embedded_files, .count = wisp_embedded_count};
  return wisp_space_read(err, &template_path, family, name, NULL, space, &text, out);
}

/* The nodal strategy "trial" of this description; the test fails where it has a mistake. */
static inline wisp_strategy *parse_trial(const char *space)
{
  wisp_strategy *s = NULL;
  wisp_error err = {0};
  if (parse_strategy(&err, "nodal", "trial", (wisp_file_text){"", space}, (wisp_file_text){"", "body"}, &s) != WISP_OK)
    fail_msg("%s", err.text);
  return s;
}
