/* The command's parts: one function a subcommand, argv[0] its name; each returns the exit status 0 (done), 1 (failed)
 * or 2 (usage). */
#ifndef WISP_CLI_H
#define WISP_CLI_H

int wisp_cli_devices(int argc, char **argv);
int wisp_cli_tune(int argc, char **argv);
int wisp_cli_best(int argc, char **argv);
int wisp_cli_report(int argc, char **argv);
int wisp_cli_emit(int argc, char **argv);
int wisp_cli_run(int argc, char **argv);
int wisp_cli_bench(int argc, char **argv);
int wisp_cli_db(int argc, char **argv);

#endif
