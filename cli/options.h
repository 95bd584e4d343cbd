/* Options of a subcommand: "-n 3", "-n3", "-n=3", "--orders 3", "--orders=3". Which there are stands in its page,
 * cli/help/NAME, as --help prints it (cli/help.h).
 *
 *     static wisp_status tune(wisp_error *err, wisp_arguments *args)
 *     {
 *       ...
 *       CALL(wisp_option_orders(err, args, "orders", family, "1-4", &orders));
 *     }
 *
 *     const wisp_syntax wisp_tune_syntax = {.page = "tune", .act = tune};
 */
#pragma once

#include "help.h"
#include "../runtime/mesh/source.h"
#include "../runtime/api/api.h"

enum { WISP_MAX_ORDERS = 32, WISP_HIGHEST_ORDER = 20 };

struct wisp_arguments;

typedef struct wisp_syntax {
  const char *page;                                                 /* of cli/help: usage and options */
  wisp_status (*act)(wisp_error *err, struct wisp_arguments *args); /* what is done with them */
  int most_operands;   /* how many arguments that are no options it takes; -1: any number */
  const char *subject; /* of a command for several things: which of them it is for; NULL: it is for one */
  const char *more;    /* options besides, lines of a page; NULL: none */
} wisp_syntax;

typedef struct wisp_arguments {
  const wisp_syntax *syntax;
  wisp_help help;
  const char *command; /* argv[0] */
  const char
      *values[WISP_MAX_OPTIONS]; /* of each option: NULL where not given, "" for a flag; the last one given counts */
  int operand_count;
  char **operands;   /* within argv, which is permuted */
  wisp_text *input;  /* all of standard input, once an option names it */
  char strategy[64]; /* --strategy by its name of today, where it was given an older one */
  int exit_status;   /* of a command that did not fail: 0, unless it says otherwise */
} wisp_arguments;

/* Reads the arguments, argv[0] the command's name, and does what they say, or prints --help. Returns the exit status,
 * where something failed 1, or 2 for WISP_EUSAGE, with "wisp COMMAND: text" on stderr. */
int wisp_cli_run_command(const wisp_syntax *syntax, int argc, char **argv);
/* Lines of the same form that are no failure; none where --quiet was given. */
void wisp_cli_warn(const wisp_arguments *args, const char *text);

/* The value of an option, by its long name; NULL where it was not given. A name that the table lacks is a mistake of
 * the program. */
const char *wisp_option_value(const wisp_arguments *args, const char *name);
bool wisp_option_given(const wisp_arguments *args, const char *name);

/* Sets an option, as if it had been given. */
void wisp_option_give(wisp_arguments *args, const char *name, const char *value);

/* --family, or the first one that there is. */
const char *wisp_option_family(const wisp_arguments *args);

/* Gives --strategy its name of today, with a note, where it has an older one (gen/strategy/renamed.h). */
wisp_status wisp_option_rename_strategy(wisp_error *err, wisp_arguments *args);

/* Values of a kind; `otherwise` is what holds where the option was not given. WISP_EUSAGE names option, value and
 * range. */
wisp_status wisp_option_integer(wisp_error *err, const wisp_arguments *args, const char *name, long long least,
                                long long most, long long otherwise, long long *out);
wisp_status wisp_option_real(wisp_error *err, const wisp_arguments *args, const char *name, double least, double most,
                             double otherwise, double *out);
/* "90", "90s", "10m", "2h": seconds. */
wisp_status wisp_option_duration(wisp_error *err, const wisp_arguments *args, const char *name, double otherwise,
                                 double *out);
/* One of some words, which stand between blanks: its index. */
wisp_status wisp_option_choice(wisp_error *err, const wisp_arguments *args, const char *name, const char *words,
                               size_t otherwise, size_t *out);

/* "1-4,7", or "all": ascending, each once. otherwise may be NULL: none. */
typedef struct wisp_orders {
  int count, list[WISP_MAX_ORDERS];
} wisp_orders;
/* family: whose range they must be in; NULL, or one that there is not: in any family's. */
wisp_status wisp_option_orders(wisp_error *err, const wisp_arguments *args, const char *name, const char *family,
                               const char *otherwise, wisp_orders *out);
bool wisp_orders_have(const wisp_orders *orders, int order);

/* "f32", "f64", "f32,f64". */
typedef struct wisp_precisions {
  int count;
  wisp_precision list[2];
} wisp_precisions;
wisp_status wisp_option_precisions(wisp_error *err, const wisp_arguments *args, const char *name, const char *otherwise,
                                   wisp_precisions *out);

/* The problem's size in elements, from --elements K or --box n (6 n^3 tets, n^3 hexes, 2 n^2 triangles by --family); 0
 * where neither is given. */
wisp_status wisp_option_elements(wisp_error *err, const wisp_arguments *args, long long *elements);

/* --family and --system, where they were given and the command has them: such as there are. */
wisp_status wisp_option_known(wisp_error *err, const wisp_arguments *args);

/* The name of --device in trials: the full name of a device of this machine, else the text; empty where it was not
 * given. */
wisp_status wisp_option_stored_device(wisp_error *err, const wisp_arguments *args, char name[128]);

/* ---- The options that say which mesh, cli/help/mesh: the same in run, bench and tune. */

/* The mesh of these options; the box is not among them. Standard input (-) is read here, once. WISP_EUSAGE where
 * options exclude each other. */
wisp_status wisp_option_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out);

/* A file, which is - for standard input, and how its parts that touch are read: --merge and --cracks,
 * cli/help/touching. */
wisp_status wisp_option_file(wisp_error *err, const wisp_arguments *args, const char *path, wisp_mesh_source *source);

/* The mesh to time on: the irregular one of wisp_mesh_source_irregular where none of them was given. */
wisp_status wisp_option_timed_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out);

/* ---- The files that commands write: checked before anything long begins; nothing is written or changed yet. */

/* The file that an option names; NULL where it was not given. ending: that of its format (".vtu"); NULL: any.
 * WISP_EUSAGE for another ending, and for a file that the command reads or writes by another name, through links as
 * well; WISP_ESYSTEM where the file is read-only, or its folder is missing or not writable. Devices (/dev/null) may be
 * written. */
wisp_status wisp_option_output(wisp_error *err, const wisp_arguments *args, const char *name, const char *ending,
                               const char **out);

/* The same check of a file that the command writes beside the one of that option. */
wisp_status wisp_output_check(wisp_error *err, const wisp_arguments *args, const char *name, const char *path);

/* Do two names mean one file, which is there or not? Devices are no files. */
bool wisp_same_file(const char *a, const char *b);

/* ---- Sessions of commands. */

/* Opens the store at --db, which must exist, or the usual ones, and no device, and prints its warning. tolerant: as of
 * wisp_session_read. */
wisp_status wisp_cli_open_store(wisp_error *err, const wisp_arguments *args, bool tolerant, wisp_session **out);
/* The same of the store at db, NULL: the usual ones. */
wisp_status wisp_cli_open_store_at(wisp_error *err, const wisp_arguments *args, const char *db, bool tolerant,
                                   wisp_session **out);

/* Opens a device and, unless defaults are asked for, the store, and prints its warning. db: the user's file; NULL: the
 * default place. */
wisp_status wisp_cli_open_device(wisp_error *err, const wisp_arguments *args, const char *device, const char *db,
                                 bool defaults, wisp_session **out);

/* Prints the mesh's notes that were not printed before, a line each on stderr; none with --quiet. */
void wisp_cli_print_notes(const wisp_arguments *args, wisp_notes *notes);

/* Reads the file of the mesh to time on, prints its notes as a run does, and adds them to notes; wisp_notes_free. Reads
 * nothing where there is no file. */
wisp_status wisp_cli_note_mesh(wisp_error *err, const wisp_arguments *args, const wisp_mesh_source *source,
                               wisp_notes *notes);

/* ---- "did you mean ...": which of the names that there are is close to the one that was typed. */

typedef struct wisp_suggestion {
  const char *typed;
  const char *best; /* NULL: none is close enough */
  size_t distance;  /* letters to change, add, leave out or swap */
} wisp_suggestion;

/* typed may go on with "=value". */
wisp_suggestion wisp_suggest(const char *typed);
/* Holds one name that there is against what was typed. */
void wisp_suggest_one(wisp_suggestion *suggestion, const char *name);
/* " did you mean --orders?" or an empty text; before stands in front of the name. */
const char *wisp_suggestion_text(const wisp_suggestion *suggestion, const char *before, char text[64]);
