/* Every variable of the environment that the library and the command read: wisp help environment, docs/environment.md.
 */
#ifndef WISP_CLI_ENVIRONMENT_H
#define WISP_CLI_ENVIRONMENT_H

#include <stdio.h>

void wisp_environment_print(FILE *to);

#endif
