#include "planted.h"
#include "test.h"
#include "store_fixture.h"

#include <sys/stat.h>

static const char space[] =
    "kernel assemble\nlayouts node slab\nblock 32\ngrid groups ceil(NpM,32)\n"
    "arg in real dux\narg in real duy\narg in real duz\narg out real rhs\narg value int groups\n";
static const char text[] = "const INDEX m = bx;\n"
                           "FOR_Y(y, 1)\n"
                           "  FOR_X(x, 32)\n"
                           "    const INDEX at = by * 32 + x, here = m * {{= n * NpM}} + at;\n"
                           "    if (at < {{NpM}}) {\n"
                           "      {{#fields}}\n"
                           "      rhs[here + {{= f * NpM}}] = {{#terms}}{{coefficient}} * {{#if axis == "
                           "0}}dux{{/if}}{{#if axis == 1}}duy{{/if}}"
                           "{{#if axis == 2}}duz{{/if}}[here + {{= in * NpM}}]{{#if !last}} + {{/if}}{{/terms}};\n"
                           "      {{/fields}}\n"
                           "      %s\n"
                           "    }\n"
                           "  END_X\n"
                           "END_Y\n";

void plant(const char *folder, const char *name, const char *more)
{
  char path[256], body[2048];
  snprintf(path, sizeof path, "%s/nodal", folder);
  mkdir(path, 0700); /* it may be there */
  snprintf(path, sizeof path, "%s/nodal/assemble.%s.space", folder, name);
  fixture_write(path, space, strlen(space));
  snprintf(path, sizeof path, "%s/nodal/assemble.%s.k", folder, name);
  snprintf(body, sizeof body, text, more);
  fixture_write(path, body, strlen(body));
}
