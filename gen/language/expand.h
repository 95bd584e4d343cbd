/* Template expansion (docs/reference/spaces.md): from a kernel text with {{...}} to source with every number written
 * out. Nesting is limited to 64, output to 64 MiB and work to 2^24 pieces; errors name the template and the line. */
#pragma once

#include "expr.h"

/* name is for messages; env is not changed. Appends to out, which a failure leaves as it was. */
wisp_status wisp_expand(wisp_error *err, const char *name, const char *template_text, const wisp_env *env,
                        wisp_text *out);

/* One real literal as templates print it. */
wisp_status wisp_print_real(wisp_error *err, wisp_text *out, double value, int real_bytes);
