/* The command, run from a test in a folder of the test's own. */
#pragma once

/* The exit status and the output of one call. */
typedef struct outcome {
  int status;
  char *out, *err;
} outcome;

/* The command with these arguments, in an environment of `before` (NAME=VALUE ..., or env's options), with the user's
 * store in folder/user.db, an empty one unless it is there. */
outcome run_in(const char *folder, const char *before, const char *arguments);
void forget(outcome *o);

/* The JSON that the command prints, which must succeed; the caller deletes it. */
struct cJSON;
struct cJSON *run_json(const char *folder, const char *before, const char *arguments);

/* A member that must be there, of what the command printed as JSON. */
double json_number(const struct cJSON *json, const char *name);
const char *json_text(const struct cJSON *json, const char *name);
