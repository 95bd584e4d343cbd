/* A growable string, and the few string helpers that the generator shares. */
#pragma once

#include "check.h"

#include <stdint.h>
#include <stdio.h>

/* Zero-initialise; data is NUL-terminated once anything was added (NULL before); free with wisp_text_free. */
typedef struct wisp_text {
  char *data;
  size_t length, capacity;
} wisp_text;

wisp_status wisp_text_add(wisp_error *err, wisp_text *text, const char *bytes, size_t count);
__attribute__((format(printf, 3, 4))) wisp_status wisp_text_print(wisp_error *err, wisp_text *text, const char *format,
                                                                  ...);
void wisp_text_free(wisp_text *text);

/* Copies the line that begins at *at, without its end, LF or CR LF, in place of what `line` held; *at goes to the next.
 * Time for this line alone, however much is left before `end`. */
wisp_status wisp_text_take_line(wisp_error *err, const char **at, const char *end, wisp_text *line);

/* Reads a whole file (binary-safe; a NUL follows the last byte). Caller frees *data. WISP_ESYSTEM names path and
 * reason. */
wisp_status wisp_read_file(wisp_error *err, const char *path, char **data, size_t *length);

/* WISP_ESYSTEM where a file is there and read-only, for root as well: renaming another over it would not ask. */
wisp_status wisp_file_writable(wisp_error *err, const char *path);

/* Writes a file whole or not at all: under another name first, so that no reader, and no crash, sees half of it, and no
 * earlier file is lost to a full disk. It writes to what is no file (/dev/null) at once, and refuses a read-only file.
 * fill writes; errors stay in the stream. WISP_ESYSTEM names path and reason. */
typedef void (*wisp_fill)(FILE *file, const void *context);
wisp_status wisp_write_file(wisp_error *err, const char *path, wisp_fill fill, const void *context);
void wisp_fill_text(FILE *file, const void *text); /* a wisp_fill: all of a wisp_text */

/* The name of a file beside another: with a word before its ending, "A.mtx" becomes "A_b.mtx", "A" "A_b". */
enum { WISP_PATH_TEXT = 4096 };
wisp_status wisp_path_beside(wisp_error *err, const char *path, const char *word, char out[WISP_PATH_TEXT]);

/* Whether a file's name, which has more than that, ends in one of these, ".vtu .vtk". */
bool wisp_path_ends(const char *path, const char *endings);

/* 64-bit FNV-1a of count bytes, continuing from seed (start with WISP_HASH_SEED). */
#define WISP_HASH_SEED 14695981039346656037ull
uint64_t wisp_hash(uint64_t seed, const void *bytes, size_t count);
/* The same of a text with its NUL, so that none can pass for the end of one and the beginning of the next; and of a
 * number, the same on every machine. */
uint64_t wisp_hash_text(uint64_t seed, const char *text);

/* Append to a text that ends at `used`, as far as `capacity` allows with the NUL, and give its new end. For short texts
 * that are made thousands of times: printf, which libraries that LAPACK needs hook into, takes ten times as long. */
size_t wisp_append(char *text, size_t capacity, size_t used, const char *more);
size_t wisp_append_integer(char *text, size_t capacity, size_t used, long long value);
uint64_t wisp_hash_number(uint64_t seed, uint64_t number);

/* Texts in stores and files may hold anything, also what would steer a terminal. The number of bytes of the character
 * at text; 0 if it is a control character, or no UTF-8. */
size_t wisp_shown_bytes(const char *text);
/* Copies text, as far as it fits, with each such byte as \xNN. */
void wisp_show_text(const char *text, char *out, size_t capacity);

/* Adds a JSON text, escaping what its printer leaves of such characters (DEL, C1): the values stay what they are. */
wisp_status wisp_text_add_json(wisp_error *err, wisp_text *out, const char *json);

/* Behind the white space that a text begins with. */
char *wisp_skip_space(const char *text);
/* A letter, a digit or _; the length of the name that a text begins with, whose first character is no digit. */
bool wisp_in_name(char c);
size_t wisp_name_length(const char *text);
/* Cuts the next word, or all that is left, off *at, without the white space around it; empty at the end. */
char *wisp_next_word(char **at);
char *wisp_rest(char **at);

/* Whether a list of names with blanks between them, "u res", has this one. */
bool wisp_list_has(const char *list, const char *name);

/* Orders texts, or structs that begin with one, for qsort. */
int wisp_by_text(const void *a, const void *b);

/* Takes "name=value" off the front of a list of parameters, "unroll=4 wi=2"; false at its end. */
bool wisp_next_param(const char **at, char name[32], char value[32]);
