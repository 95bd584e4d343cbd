/* The system's C compiler as the host device's kernel compiler: started without a shell, ended when it hangs. */
#include "compilers.h"
#include "process.h"
#include "../gen/environment.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_WORDS = 128 };

/* No -ffast-math: kernels keep IEEE arithmetic, so that a NaN stays one. Loops of constant counts are written out up to
 * half of gcc's own size: with all of it the products by half turns compile for 30 s, not 1.5. */
static const char *const flags[] = {"-O3",          "-march=native", "-fopenmp", "-shared",
                                    "-fPIC",        "-std=gnu11",    "--param",  "max-completely-peeled-insns=100",
                                    "-fstack-usage"};

typedef struct command {
  char *word[MAX_WORDS + 1]; /* ends with NULL */
  int count;
  char *storage[2]; /* what the words from the environment point into */
} command;

static void command_free(command *c)
{
  free(c->storage[0]), free(c->storage[1]);
}

static wisp_status add_word(wisp_error *err, command *c, const char *word)
{
  if (c->count == MAX_WORDS) return wisp_fail(err, WISP_EUSAGE, "WISP_CC, WISP_CFLAGS: more than %d words", MAX_WORDS);
  memcpy(&c->word[c->count++], &word, sizeof word); /* exec takes char *const *, and changes none */
  return WISP_OK;
}

/* The words of an environment variable, as a shell splits them; `otherwise` where it is unset or empty. */
static wisp_status add_words(wisp_error *err, command *c, int slot, const char *variable, const char *otherwise)
{
  const char *value = getenv(variable);
  if (!value || !value[strspn(value, " \t\n")]) value = otherwise;
  CALL(wisp_new(err, strlen(value) + 1, 1, &c->storage[slot]));
  strcpy(c->storage[slot], value);
  bool closed = true;
  char *rest = c->storage[slot];
  for (char *w; (w = wisp_command_word(&rest, &closed));) CALL(add_word(err, c, w));
  return wisp_require(err, closed, WISP_EUSAGE, "%s is '%s': a quote is not closed", variable, value);
}

/* The command that compiles, but for its files. */
static wisp_status begin_command(wisp_error *err, command *c)
{
  CALL(add_words(err, c, 0, "WISP_CC", "cc"));
  for (size_t i = 0; i < WISP_COUNT(flags); i++) CALL(add_word(err, c, flags[i]));
  return add_words(err, c, 1, "WISP_CFLAGS", "");
}

double wisp_compile_seconds(void)
{
  return wisp_environment_number("WISP_COMPILE_SECONDS");
}

/* ---- The compiler's report. */

/* The first line that tells of an error, else the first with anything in it; folder/ is cut out of it. */
static void first_error(const char *log, const char *folder, char *out, size_t size)
{
  const char *line = strstr(log, "error:");
  if (!line) line = strstr(log, "error");
  while (line && line > log && line[-1] != '\n') line--;
  if (!line) line = log + strspn(log, " \t\n");
  size_t length = strcspn(line, "\n"), cut = strlen(folder), n = 0;
  for (size_t i = 0; i < length && n + 1 < size;) {
    if (strncmp(line + i, folder, cut) == 0 && line[i + cut] == '/')
      i += cut + 1;
    else
      out[n++] = line[i++];
  }
  out[n] = '\0';
}

/* Is it the machine's fault? gcc and clang pass on the system's text, and "Killed" of a part that had no memory. */
static bool is_machine(const char *line)
{
  static const int refusals[] = {ENOSPC, EDQUOT, EAGAIN, ENOMEM, EMFILE, ENFILE, EIO, EROFS, EFBIG};
  static const char *const words[] = {"Killed", "out of memory", "virtual memory exhausted"};
  bool found = !*line;
  for (size_t i = 0; i < WISP_COUNT(refusals); i++) found |= strstr(line, strerror(refusals[i])) != NULL;
  for (size_t i = 0; i < WISP_COUNT(words); i++) found |= strstr(line, words[i]) != NULL;
  return found;
}

static wisp_status report_missing(wisp_error *err, const char *name, const char *cc, int why)
{
  return wisp_fail(err, WISP_EDEVICE,
                   "%s: cannot run the C compiler '%s': %s: install gcc (apt-get install gcc), or name one in WISP_CC",
                   name, cc, strerror(why));
}

/* Runs the compiler in the folder, its output in the file of that name. */
static wisp_status run_compiler(wisp_error *err, const command *c, const char *name, const char *folder,
                                const char *log_path)
{
  OWNED(free) char *log = NULL;
  char line[512] = "";
  size_t length = 0;
  wisp_ending ending = WISP_RAN;
  int code = 0;
  const char *cc = c->word[0];
  CALL(wisp_process_run(err, c->word, folder, log_path, wisp_compile_seconds(), &ending, &code));
  if (ending == WISP_NO_PROGRAM) return report_missing(err, name, cc, code);
  if (ending == WISP_TIMEOUT)
    return wisp_fail(err, WISP_ECOMPILE, "%s: %s ran longer than %g s and was ended: see WISP_COMPILE_SECONDS", name,
                     cc, wisp_compile_seconds());
  if (ending == WISP_RAN && code == 0) return WISP_OK;
  CALL(wisp_read_file(err, log_path, &log, &length));
  first_error(log, folder, line, sizeof line);
  if (ending == WISP_KILLED)
    return wisp_fail(err, WISP_ESYSTEM,
                     "%s: %s died of signal %d (%s): see that there is memory; fewer compile at a "
                     "time with --jobs",
                     name, cc, code, strsignal(code));
  if (is_machine(line))
    return wisp_fail(err, WISP_ESYSTEM, "%s: %s failed for want of memory, room or processes: %s", name, cc,
                     *line ? line : "without a word");
  return wisp_fail(err, WISP_ECOMPILE, "%s: %s", name, line);
}

/* ---- Which compiler. */

wisp_status wisp_host_cpuinfo(wisp_error *err, const char *heading, wisp_text *out)
{
  OWNED(free) char *info = NULL;
  size_t length = 0, key = strlen(heading);
  CALL(wisp_text_add(err, out, "", 0));
  if (wisp_read_file(NULL, "/proc/cpuinfo", &info, &length) != WISP_OK) return WISP_OK;
  for (const char *line = info; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    const char *after = line + key;
    if (strncmp(line, heading, key) != 0 || (*after != '\t' && *after != ' ' && *after != ':')) continue;
    after += strspn(after, "\t :");
    CALL(wisp_text_add(err, out, after, strcspn(after, "\n")));
    break;
  }
  return WISP_OK;
}

/* The program's file, looked for as posix_spawnp does. *why: an errno where there is none. */
static bool find_program(const char *name, char path[PATH_MAX], int *why)
{
  const char *list = getenv("PATH");
  if (!list) list = "/bin:/usr/bin";
  *why = ENOENT;
  for (const char *at = list, *end; at; at = *end ? end + 1 : NULL) {
    end = at + strcspn(at, ":");
    const bool as_it_is = strchr(name, '/') != NULL;
    char file[PATH_MAX];
    const int length = as_it_is
                           ? snprintf(file, sizeof file, "%s", name)
                           : snprintf(file, sizeof file, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "", name);
    struct stat about;
    if (length >= 0 && length < PATH_MAX && stat(file, &about) == 0 && S_ISREG(about.st_mode)) {
      if (access(file, X_OK) == 0 && realpath(file, path)) return true;
      *why = errno;
    }
    if (as_it_is) break;
  }
  return false;
}

wisp_status wisp_host_compiler(wisp_error *err, const char *target, wisp_text *out)
{
  (void)target; /* there is but one */
  HELD(command_free) command c = {.count = 0};
  char path[PATH_MAX];
  struct stat about = {.st_size = 0};
  int why = 0;
  CALL(add_words(err, &c, 0, "WISP_CC", "cc"));
  if (!find_program(c.word[0], path, &why) || stat(path, &about) != 0)
    return report_missing(err, "host", c.word[0], why);
  return wisp_text_print(err, out, "%s, %lld bytes, %lld.%09ld", path, (long long)about.st_size,
                         (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

wisp_status wisp_host_options(wisp_error *err, const char *target, wisp_text *out)
{
  (void)target;
  HELD(command_free) command c = {.count = 0};
  CALL(begin_command(err, &c));
  for (int i = 1; i < c.count; i++) CALL(wisp_text_print(err, out, "%s\n", c.word[i]));
  const char *const headings[] = {"model name", "flags", "CPU part", "Features"}; /* x86, then Arm */
  for (size_t i = 0; i < WISP_COUNT(headings); i++) CALL(wisp_host_cpuinfo(err, headings[i], out));
  return WISP_OK;
}

/* The compiler's text on its version, which the cache keeps for it. */
static wisp_status find_version(wisp_error *err, wisp_text *out)
{
  HELD(command_free) command c = {.count = 0};
  HELD(wisp_scratch_remove) char folder[PATH_MAX - 64] = "";
  OWNED(free) char *log = NULL;
  char path[PATH_MAX];
  size_t length = 0;
  HELD(wisp_text_free) wisp_text compiler = {0};
  HELD(wisp_binary_free) wisp_binary kept = {.data = NULL};
  CALL(wisp_known_compiler(err, "host", wisp_host_compiler, "host", &compiler));
  const wisp_cache_key key = {(const char *const[]){"cc --version", compiler.data}, 2};
  if (wisp_cache_get(&key, &kept)) return wisp_text_add(err, out, kept.data, kept.length);
  CALL(wisp_scratch_create(err, folder, sizeof folder));
  snprintf(path, sizeof path, "%s/log", folder);
  CALL(add_words(err, &c, 0, "WISP_CC", "cc"));
  CALL(add_word(err, &c, "--version"));
  CALL(run_compiler(err, &c, "host", folder, path));
  CALL(wisp_read_file(err, path, &log, &length));
  CALL(wisp_text_add(err, out, log, length));
  wisp_cache_put(&key, &(wisp_binary){out->data, out->length, {-1, -1, -1, 0, 0}});
  return WISP_OK;
}

void wisp_host_compiler_name(char *out, size_t size)
{
  HELD(wisp_text_free) wisp_text text = {0};
  *out = '\0';
  if (find_version(NULL, &text) != WISP_OK) return;
  const char *clang = strstr(text.data, "clang version "), *end = text.data + strcspn(text.data, "\n"), *word = end;
  while (word > text.data && word[-1] != ' ') word--; /* "cc (Debian 12.2.0-14) 12.2.0" */
  if (clang && clang < end)
    snprintf(out, size, "clang %.*s", (int)strcspn(clang + 14, " \n"), clang + 14);
  else if (strstr(text.data, "Free Software Foundation"))
    snprintf(out, size, "gcc %.*s", (int)(end - word), word);
  else
    snprintf(out, size, "%.*s", (int)(end - text.data), text.data);
}

/* ---- Compiling. */

/* A wisp_fill. */
static void fill_source(FILE *file, const void *source)
{
  fputs(source, file);
}

/* Is this a whole shared object? Loading one that was cut off would be a bus error. */
static bool is_whole(const wisp_binary *object)
{
  Elf64_Ehdr head;
  Elf64_Phdr part;
  if (object->length < sizeof head) return false;
  memcpy(&head, object->data, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof part) return false;
  if (head.e_shoff > object->length || (size_t)head.e_shnum * head.e_shentsize > object->length - head.e_shoff)
    return false;
  if (head.e_phoff > object->length || head.e_phnum > (object->length - head.e_phoff) / sizeof part) return false;
  for (size_t i = 0; i < head.e_phnum; i++) {
    memcpy(&part, object->data + head.e_phoff + i * sizeof part, sizeof part);
    if (part.p_offset > object->length || part.p_filesz > object->length - part.p_offset) return false;
  }
  return true;
}

/* Adds up what -fstack-usage tells of the functions, in the folder's files NAME.su: lines "file:line:function BYTES
 * KIND". They call each other at most once, so that the sum bounds what a thread needs. 0: nothing is told. */
static int read_stack(const char *folder)
{
  DIR *open = opendir(folder);
  long long sum = 0;
  for (struct dirent *entry; open && (entry = readdir(open));) {
    char path[PATH_MAX + 256];
    OWNED(free) char *text = NULL;
    size_t name = strlen(entry->d_name), length = 0;
    if (name < 3 || strcmp(entry->d_name + name - 3, ".su") != 0) continue;
    snprintf(path, sizeof path, "%s/%.255s", folder, entry->d_name);
    if (wisp_read_file(NULL, path, &text, &length) != WISP_OK) continue;
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
      const char *bytes = strchr(line, '\t'), *end = line + strcspn(line, "\n");
      if (bytes && bytes < end) sum += atoll(bytes);
    }
  }
  if (open) closedir(open);
  return sum > INT_MAX ? INT_MAX : (int)sum;
}

wisp_status wisp_host_compile(wisp_error *err, const char *target, const char *name, const char *source,
                              wisp_binary *out)
{
  (void)target;
  HELD(command_free) command c = {.count = 0};
  HELD(wisp_scratch_remove) char folder[PATH_MAX - 192] = "";
  char text[PATH_MAX], object[PATH_MAX], log[PATH_MAX];
  HELD(wisp_binary_free) wisp_binary binary = {.usage = {-1, -1, -1, 0, 0}};
  CALL(wisp_scratch_create(err, folder, sizeof folder));
  snprintf(text, sizeof text, "%s/%.128s.c", folder, name);
  snprintf(object, sizeof object, "%s/kernel.so", folder);
  snprintf(log, sizeof log, "%s/log", folder);
  CALL(wisp_write_file(err, text, fill_source, source));
  CALL(begin_command(err, &c));
  const char *const files[] = {"-o", object, text, "-lm"};
  for (size_t i = 0; i < WISP_COUNT(files); i++) CALL(add_word(err, &c, files[i]));
  CALL(run_compiler(err, &c, name, folder, log));
  CALL(wisp_read_file(err, object, &binary.data, &binary.length));
  CALL(wisp_require(err, is_whole(&binary), WISP_ESYSTEM,
                    "%s: what %s wrote is no whole shared object: make room in %s, or set TMPDIR", name, c.word[0],
                    folder));
  binary.usage.stack_bytes = read_stack(folder);
  return GIVE(binary, out);
}
