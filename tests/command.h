/* The command, run from a test in a folder of the test's own. */
#pragma once

/* The exit status and the output of one call. */
typedef struct outcome {
  int status;
  char *out, *err;
} outcome;

/* The command's whole path: that of $WISP_COMMAND, of build/wisp unless set; valid until the next call. */
const char *command_path(void);

/* The command with these arguments, in an environment of `before` (NAME=VALUE ..., or env's options), with the user's
 * store in folder/user.db, an empty one unless it is there. */
outcome run_in(const char *folder, const char *before, const char *arguments);
void forget(outcome *o);

/* The same with arguments as printf makes them. */
outcome run_with(const char *folder, const char *before, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The JSON that the command prints, which must succeed; the caller deletes it. */
struct cJSON;
struct cJSON *run_json(const char *folder, const char *before, const char *arguments);
struct cJSON *run_json_with(const char *folder, const char *before, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The JSON of "run PROBLEM" on the test device with options as printf makes them; or one number of it. */
struct cJSON *solve_json(const char *folder, const char *problem, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
double solve_number(const char *folder, const char *name, const char *problem, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The command must end with this status. Where that is 0 its output must have these words; else stderr is one line,
 * which begins with "wisp COMMAND: " and has them. Where it is 2 nothing was printed before. */
void run_expect(const char *folder, const char *before, int status, const char *words, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A member that must be there, of what the command printed as JSON. */
double json_number(const struct cJSON *json, const char *name);
const char *json_text(const struct cJSON *json, const char *name);
