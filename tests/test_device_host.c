/* Claim: the host device compiles, caches, runs, records and times kernels, and says what is wrong when the compiler
 * fails, hangs or is missing. */
#include "test.h"
#include "device_checks.h"

#include <dirent.h>
#include <sys/stat.h>

extern char **environ;

static const char answer[] = "int n_calls;\nvoid answer(void **args, unsigned x, unsigned y)\n{\n"
                             "  (void)x, (void)y;\n  **(int **)args[0] = 42;\n}\n";

static wisp_status compile(wisp_error *err, const char *source, wisp_binary *out)
{
  return wisp_compile(err, "host", "answer", source, out);
}

/* Loads and launches what was compiled. */
static int run_answer(const wisp_binary *binary)
{
  wisp_error err = {0};
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_module *module = NULL;
  wisp_pointer result = 0;
  int got = 0;
  assert_int_equal(wisp_device_open(&err, "host", &device), WISP_OK);
  if (wisp_module_load(&err, device, binary, "answer", 0, &module) != WISP_OK) fail_msg("%s", err.text);
  assert_int_equal(wisp_module_cluster(&err, module, 2), WISP_EUSAGE);
  assert_int_equal(wisp_device_alloc(&err, device, sizeof got, &result), WISP_OK);
  assert_int_equal(wisp_launch(&err, module, NULL, (unsigned[]){1, 1}, (unsigned[]){1, 1, 1}, (void *[]){&result}, 1),
                   WISP_OK);
  assert_int_equal(wisp_device_download(&err, device, &got, result, sizeof got), WISP_OK);
  wisp_device_free(device, result);
  wisp_module_unload(module);
  return got;
}

/* Copies the path of the largest entry in the cache: the kernel, beside what is kept of compilers. */
static void kernel_entry(const char *folder, char *path, size_t size)
{
  off_t most = 0;
  DIR *open = opendir(folder);
  assert_non_null(open);
  for (struct dirent *e; (e = readdir(open));) {
    struct stat about;
    assert_int_equal(fstatat(dirfd(open), e->d_name, &about, 0), 0);
    if (*e->d_name == '.' || about.st_size <= most) continue;
    most = about.st_size;
    snprintf(path, size, "%s/%s", folder, e->d_name);
  }
  closedir(open);
  assert_true(most > 3000);
}

/* An executable script in the cache's folder. */
static void write_script(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  assert_int_equal(chmod(path, 0700), 0);
}

/* Opening the device sets the variables that OpenMP reads if they are missing; what is loaded later changes nothing
 * more, for threads that compile read the environment then. */
TEST(environment_changes_at_open_alone)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_binary binary = {0};
  wisp_module *module = NULL;
  size_t count = 0, after = 0;
  fresh_cache();
  setenv("OMP_STACKSIZE", "24M", 1), unsetenv("OMP_WAIT_POLICY");
  GOOD(wisp_device_open(err, "host", &device));
  assert_string_equal(getenv("OMP_STACKSIZE"), "24M"); /* the user's own choice */
  assert_string_equal(getenv("OMP_WAIT_POLICY"), "passive");
  char **const list = environ;
  while (list[count]) count++;
  GOOD(compile(err, answer, &binary));
  GOOD(wisp_module_load(err, device, &binary, "answer", 0, &module));
  assert_ptr_equal(environ, list);
  while (list[after]) after++;
  assert_int_equal(after, count);
  wisp_module_unload(module);
  free(binary.data);
}

TEST(device_keeps_its_contract)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  fresh_cache();
  GOOD(wisp_device_open(err, "host", &device));
  check_device(device);
}

TEST(names_are_checked)
{
  wisp_error err = {0};
  wisp_device *device = NULL;
  wisp_limits limits;
  HELD(wisp_text_free) wisp_text names = {0};
  assert_int_equal(wisp_device_open(&err, "abacus", &device), WISP_EUSAGE);
  assert_int_equal(wisp_device_open(&err, "hostess", &device), WISP_EUSAGE);
  assert_int_equal(wisp_device_open(&err, "host:1", &device), WISP_EDEVICE);
  assert_int_equal(wisp_device_open(&err, "host:+0", &device), WISP_EUSAGE);
  assert_int_equal(wisp_device_open(&err, "host: 0", &device), WISP_EUSAGE);
  assert_int_equal(wisp_device_open(&err, "host:4294967296", &device), WISP_EUSAGE);
  assert_int_equal(wisp_device_open(&err, "auto", &device), WISP_OK);
  wisp_device_close(device);
  assert_int_equal(wisp_target_limits(&err, "sm_banana", &limits), WISP_EUSAGE);
  assert_int_equal(wisp_target_limits(&err, "sm_ 90", &limits), WISP_EUSAGE);
  assert_int_equal(wisp_target_limits(&err, "sm_+90", &limits), WISP_EUSAGE);
  assert_int_equal(wisp_target_limits(&err, "host", &limits), WISP_OK);
  assert_int_equal(wisp_device_list(&err, false, &names), WISP_OK);
  assert_string_equal(names.data + names.length - strlen("host"), "host");
}

TEST(compile_error_carries_the_line)
{
  wisp_error err = {0};
  wisp_binary binary = {0};
  fresh_cache();
  assert_int_equal(compile(&err, "void answer(void)\n{\n  int a = undeclared_thing;\n}\n", &binary), WISP_ECOMPILE);
  assert_non_null(strstr(err.text, "answer.c:3:"));
  assert_non_null(strstr(err.text, "undeclared_thing"));
  assert_null(strchr(err.text, '\n'));
  assert_null(binary.data);
}

TEST(missing_compiler_says_what_to_install)
{
  wisp_error err = {0};
  wisp_binary binary = {0};
  fresh_cache();
  setenv("WISP_CC", "/nonexistent/cc", 1);
  assert_int_equal(compile(&err, answer, &binary), WISP_EDEVICE);
  assert_non_null(strstr(err.text, "/nonexistent/cc"));
  assert_non_null(strstr(err.text, "install"));
  assert_non_null(strstr(err.text, "WISP_CC"));
  unsetenv("WISP_CC");
}

/* The script's own child hangs, too: both are ended. */
TEST(hanging_compiler_is_ended)
{
  wisp_error err = {0};
  wisp_binary binary = {0};
  char path[128];
  snprintf(path, sizeof path, "%s/cc", fresh_cache());
  write_script(path, "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nsleep 1000\n");
  setenv("WISP_CC", path, 1);
  setenv("WISP_COMPILE_SECONDS", "2", 1); /* enough for --version, however busy the machine is */
  double start = clock_now();
  assert_int_equal(compile(&err, answer, &binary), WISP_ECOMPILE);
  assert_true(clock_now() - start < 500); /* it did not wait for the sleeper */
  assert_non_null(strstr(err.text, "longer than 2 s"));
  unsetenv("WISP_COMPILE_SECONDS"); /* the next one ends by itself */
  write_script(path, "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nkill -SEGV $$\n");
  assert_int_equal(compile(&err, answer, &binary), WISP_ESYSTEM); /* no verdict on the kernel */
  assert_non_null(strstr(err.text, "signal 11"));
  unsetenv("WISP_CC");
}

/* A second compile answers from disk (a compiler that only knows its version could not); a damaged entry does not. */
TEST(cache_answers_unless_damaged)
{
  wisp_binary first = {0}, repeated = {0};
  char entry[512];
  const char *folder = fresh_cache();
  GOOD(compile(err, answer, &first));
  kernel_entry(folder, entry, sizeof entry);
  struct stat before, after;
  stat(entry, &before);
  GOOD(compile(err, answer, &repeated));
  stat(entry, &after);
  assert_int_equal(before.st_ino, after.st_ino); /* not written again */
  assert_int_equal(first.length, repeated.length);
  assert_memory_equal(first.data, repeated.data, first.length);
  free(repeated.data);
  for (long damage = 0; damage < 3; damage++) {
    FILE *file = fopen(entry, "r+b");
    assert_non_null(file);
    if (damage == 0)
      fseek(file, 3000, SEEK_SET), fputs("damage", file);
    else
      assert_int_equal(ftruncate(fileno(file), damage == 1 ? 100 : 0), 0);
    fclose(file);
    GOOD(compile(err, answer, &repeated));
    assert_int_equal(run_answer(&repeated), 42);
    free(repeated.data);
  }
  free(first.data);
}

TEST(unwritable_cache_is_no_error)
{
  wisp_binary binary = {0};
  setenv("WISP_CACHE_DIR", "/proc/nowhere/kernels", 1); /* not even root can make this */
  GOOD(compile(err, answer, &binary));
  assert_int_equal(run_answer(&binary), 42);
  free(binary.data);
}

/* Modules of equal names side by side: each keeps its own code. */
TEST(modules_stay_apart)
{
  wisp_binary binary = {0};
  fresh_cache();
  for (int i = 0; i < 3; i++) {
    char source[256];
    snprintf(source, sizeof source, "void answer(void **args, unsigned x, unsigned y) { **(int **)args[0] = %d; }\n",
             i);
    GOOD(compile(err, source, &binary));
    assert_int_equal(run_answer(&binary), i);
    free(binary.data);
  }
}

static bool compiles_and_runs(int number)
{
  wisp_error err = {0};
  wisp_binary binary = {0};
  char source[256];
  snprintf(source, sizeof source, "void answer(void **args, unsigned x, unsigned y) { **(int **)args[0] = %d; }\n",
           100 + number / 2);
  bool good = compile(&err, source, &binary) == WISP_OK && run_answer(&binary) == 100 + number / 2;
  free(binary.data);
  return good;
}

TEST(threads_compile_at_once)
{
  check_threads(compiles_and_runs);
}

GROUP(NULL, drop_cache)
