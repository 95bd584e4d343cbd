/* NVRTC compiles to machine code, for the driver would compile PTX again, and reports registers and spills. */
#include "compilers.h"
#include "cuda_api.h"

#include <elf.h>

/* -default-device: a function without __host__ or __device__ is the device's. -v: usage goes into the program's log.
 * --no-cache (CUDA 12.9 and later): an answer from NVRTC's own cache would come without that log. */
static const char *const flags[] = {"--std=c++17", "-default-device", "--ptxas-options=-v", "--no-cache"};
enum { FLAGS = WISP_COUNT(flags) };

/* nvrtcResult */
enum { OUT_OF_MEMORY = 1, NO_PROGRAM = 2, INVALID_OPTION = 5, NO_BUILTINS = 7 };

/* These failures say nothing of the text: no memory, no program, an unknown architecture, an incomplete NVRTC. */
static bool is_machine(int result)
{
  return result == OUT_OF_MEMORY || result == NO_PROGRAM || result == INVALID_OPTION || result == NO_BUILTINS;
}

static wisp_status check_nvrtc(wisp_error *err, const wisp_nvrtc_api *api, int result, const char *name,
                               const char *what)
{
  return wisp_require(err, result == 0, is_machine(result) ? WISP_ESYSTEM : WISP_ECOMPILE, "%s: %s: %s", name, what,
                      api->nvrtcGetErrorString(result));
}

/* ---- Targets. */

bool wisp_nvrtc_has_target(const char *target)
{
  int sm = 0, used = 0;
  if (sscanf(target, "sm_%3d%n", &sm, &used) != 1 || sm < 10 || strchr(" +", target[3])) return false;
  if (target[used] == 'a' || target[used] == 'f') used++;
  return !target[used];
}

/* CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", and NVIDIA's architecture
 * white papers for the largest product's multiprocessors and L2. Registers are 65536 throughout. */
static const struct {
  int sm, units, shared_kb, shared_per_unit_kb, threads_per_unit, l2_mb, memory_gb;
  const char *name, *cuda; /* the first version of CUDA that compiles for it */
} targets[] = {
    {75, 72, 64, 64, 1024, 6, 24, "Turing", "10.0"},         {80, 108, 163, 164, 2048, 40, 40, "A100", "11.0"},
    {86, 84, 99, 100, 1536, 6, 24, "Ampere", "11.1"},        {87, 16, 163, 164, 1536, 4, 32, "Orin", "11.4"},
    {89, 142, 99, 100, 1536, 96, 48, "Ada", "11.8"},         {90, 132, 227, 228, 2048, 50, 80, "H100", "11.8"},
    {100, 148, 227, 228, 2048, 126, 180, "B200", "12.8"},    {103, 148, 227, 228, 2048, 126, 268, "B300", "12.9"},
    {120, 188, 99, 100, 1536, 128, 96, "Blackwell", "12.8"}, {121, 48, 99, 100, 1536, 24, 128, "GB10", "12.9"},
};

wisp_status wisp_nvrtc_target_limits(wisp_error *err, const char *target, wisp_limits *out)
{
  int sm = 0;
  if (wisp_nvrtc_has_target(target) && sscanf(target, "sm_%d", &sm) == 1)
    for (size_t i = WISP_COUNT(targets); i-- > 0;) { /* one that is not listed: as the next lower one */
      if (targets[i].sm > sm) continue;
      wisp_limits limits = {.sm = sm,
                            .units = targets[i].units,
                            .max_threads = 1024,
                            .max_shared = targets[i].shared_kb * 1024,
                            .shared_per_unit = targets[i].shared_per_unit_kb * 1024,
                            .registers_per_unit = 65536,
                            .threads_per_unit = targets[i].threads_per_unit,
                            .l2 = (size_t)targets[i].l2_mb << 20,
                            .memory = (size_t)targets[i].memory_gb << 30};
      snprintf(limits.name, sizeof limits.name, "%s (documented limits)", targets[i].name);
      snprintf(limits.target, sizeof limits.target, "%.31s", target);
      *out = limits;
      return WISP_OK;
    }
  char known[128] = "";
  for (size_t i = 0, used = 0; i < WISP_COUNT(targets) && used < sizeof known; i++)
    used += (size_t)snprintf(known + used, sizeof known - used, ", sm_%d", targets[i].sm);
  return wisp_fail(err, WISP_EUSAGE, "target '%s' is not known: it is one of host%s", target, known);
}

/* ---- The log. */

/* The number in front of `what` in one line, 0 where it is not there. */
static int number_before(const char *line, const char *what)
{
  const char *end = strstr(line, what), *digit = end;
  while (digit && digit > line && digit[-1] >= '0' && digit[-1] <= '9') digit--;
  return digit ? atoi(digit) : 0;
}

/* ptxas says, for each function: "0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads", and "Used 39
 * registers, used 1 barriers, 2048 bytes smem". Spills are summed, the rest is the largest of all. */
static wisp_usage parse_usage(const char *log)
{
  wisp_usage usage = {-1, -1, -1, 0, 0};
  for (const char *line = log; line && *line; line = strchr(line, '\n'), line += line != NULL) {
    char text[256];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    if (strstr(text, " bytes spill stores"))
      usage.spill_bytes = (usage.spill_bytes < 0 ? 0 : usage.spill_bytes) + number_before(text, " bytes spill stores") +
                          number_before(text, " bytes spill loads");
    int registers = number_before(text, " registers"), shared = number_before(text, " bytes smem");
    if (registers == 0) continue;
    if (registers > usage.registers) usage.registers = registers;
    if (shared > usage.shared_bytes) usage.shared_bytes = shared;
  }
  return usage;
}

/* The first line with an error; ptxas refuses too much static shared memory without one: the usage shows it. */
static wisp_status report_text(wisp_error *err, const char *name, const char *log)
{
  const char *line = strstr(log, "error");
  while (line && line > log && line[-1] != '\n') line--;
  if (line) return wisp_fail(err, WISP_ECOMPILE, "%s: %.*s", name, (int)strcspn(line, "\n"), line);
  wisp_usage usage = parse_usage(log);
  return wisp_fail(err, WISP_ECOMPILE,
                   "%s: refused by ptxas: %d bytes of static shared memory (49152 at most, more must be dynamic), "
                   "%d registers",
                   name, usage.shared_bytes, usage.registers);
}

/* ---- NVRTC's own failures, each with its remedy. */

/* A log in one line: every run of blanks becomes one. */
static void join_lines(const char *log, char *out, size_t capacity)
{
  size_t n = 0;
  for (bool gap = false; *log && n + 2 < capacity; log++) {
    const bool blank = strchr(" \t\r\n", *log) != NULL;
    if (!blank && gap && n) out[n++] = ' ';
    if (!blank) out[n++] = *log;
    gap = blank;
  }
  out[n] = '\0';
}

/* The lowest and the highest architecture that it compiles for; false where it does not report them. */
static bool known_targets(const wisp_nvrtc_api *api, int *least, int *most)
{
  int sm[256], count = 0;
  if (!api->nvrtcGetNumSupportedArchs || !api->nvrtcGetSupportedArchs) return false;
  if (api->nvrtcGetNumSupportedArchs(&count) != 0 || count < 1 || count > (int)WISP_COUNT(sm)) return false;
  if (api->nvrtcGetSupportedArchs(sm) != 0) return false;
  *least = *most = sm[0];
  for (int i = 1; i < count; i++) {
    if (sm[i] < *least) *least = sm[i];
    if (sm[i] > *most) *most = sm[i];
  }
  return true;
}

static wisp_status report_target(wisp_error *err, const wisp_nvrtc_api *api, const char *name, const char *version,
                                 const char *target)
{
  int sm = 0, least = 0, most = 0;
  char range[64] = "", cure[64];
  const char *first = NULL; /* the version of CUDA that the architecture came with; NULL: it is not listed */
  const bool has_range = known_targets(api, &least, &most);
  if (has_range) snprintf(range, sizeof range, ", only sm_%d to sm_%d", least, most);
  sscanf(target, "sm_%d", &sm);
  for (size_t i = 0; i < WISP_COUNT(targets); i++)
    if (targets[i].sm == sm) first = targets[i].cuda;
  snprintf(cure, sizeof cure, first ? "CUDA %s or later does" : "a later CUDA may", first);
  if (has_range && sm < least) snprintf(cure, sizeof cure, "an earlier CUDA does");
  return wisp_fail(err, WISP_ESYSTEM,
                   "%s: %s does not know %s%s: %s: install its NVRTC (package cuda-nvrtc, or pip's "
                   "nvidia-cuda-nvrtc) and point CUDA_HOME at it",
                   name, version, target, range, cure);
}

/* A failure that is no text's fault, in NVRTC's words and with the remedy. */
static wisp_status report_machine(wisp_error *err, const wisp_nvrtc_api *api, int result, const char *name,
                                  const char *target, const char *log)
{
  char version[64], words[512];
  wisp_nvrtc_name(version, sizeof version);
  join_lines(log, words, sizeof words);
  if (result == INVALID_OPTION && strstr(log, "gpu-architecture"))
    return report_target(err, api, name, version, target);
  if (result == NO_BUILTINS)
    return wisp_fail(err, WISP_ESYSTEM,
                     "%s: %s is not whole: %s: put libnvrtc-builtins beside libnvrtc (package cuda-nvrtc, or pip's "
                     "nvidia-cuda-nvrtc, has both), or point CUDA_HOME at another",
                     name, version, words);
  if (result == INVALID_OPTION)
    return wisp_fail(err, WISP_ESYSTEM, "%s: %s does not know an option of wisp's: %s: install a newer one", name,
                     version, words);
  return check_nvrtc(err, api, result, name, target);
}

/* ---- The code. */

enum { BYTES = 16, OPCODE = 0xfff, FLOW = 0x940, FLOW_END = 0x960, BRANCH = 0x947, EXIT = 0x94d };

static unsigned opcode(const char *code, size_t i)
{
  uint64_t word = 0;
  memcpy(&word, code + i * BYTES, sizeof word);
  return (unsigned)(word & OPCODE);
}

/* Behind the last instruction stands a branch to itself, then padding. */
static int count_instructions(const char *code, size_t instructions)
{
  size_t end = instructions;
  while (end > 0 && opcode(code, end - 1) != BRANCH) end--;
  if (end < 2 || opcode(code, end - 2) != EXIT) return 0;
  for (size_t i = 0; i + 1 < end; i++)
    if (opcode(code, i) >= FLOW && opcode(code, i) < FLOW_END && opcode(code, i) != EXIT) return 0;
  return (int)(end - 1);
}

/* A part of the file; NULL where it is not whole. */
static const char *find_part(const char *data, size_t length, uint64_t from, uint64_t size)
{
  return from <= length && size <= length - from ? data + from : NULL;
}

int wisp_cubin_issued(const char *data, size_t length)
{
  static const char text[] = ".text.";
  Elf64_Ehdr head;
  Elf64_Shdr names, section;
  int issued = 0, kernels = 0;
  if (length < sizeof head || memcmp(data, ELFMAG, SELFMAG) != 0) return 0;
  memcpy(&head, data, sizeof head);
  const char *table = find_part(data, length, head.e_shoff, (uint64_t)head.e_shnum * sizeof section);
  if (!table || head.e_shentsize != sizeof section || head.e_shstrndx >= head.e_shnum) return 0;
  memcpy(&names, table + head.e_shstrndx * sizeof section, sizeof names);
  for (size_t i = 0; i < head.e_shnum; i++) {
    memcpy(&section, table + i * sizeof section, sizeof section);
    const char *name = find_part(data, length, names.sh_offset + section.sh_name, sizeof text);
    const char *code = find_part(data, length, section.sh_offset, section.sh_size);
    if (section.sh_type != SHT_PROGBITS || !name || !code || strncmp(name, text, strlen(text)) != 0) continue;
    issued = count_instructions(code, section.sh_size / BYTES);
    kernels++;
  }
  return kernels == 1 ? issued : 0;
}

/* ---- Compiling. */

wisp_status wisp_nvrtc_compiler(wisp_error *err, const char *target, wisp_text *out)
{
  (void)target; /* a part of the key already */
  wisp_nvrtc_api api;
  int major = 0, minor = 0;
  CALL(wisp_nvrtc_api_open(err, &api));
  CALL(check_nvrtc(err, &api, api.nvrtcVersion(&major, &minor), "nvrtc", "version"));
  return wisp_text_print(err, out, "NVRTC %d.%d", major, minor);
}

wisp_status wisp_nvrtc_options(wisp_error *err, const char *target, wisp_text *out)
{
  (void)target;
  for (int i = 0; i < FLAGS; i++) CALL(wisp_text_print(err, out, "%s\n", flags[i]));
  return WISP_OK;
}

void wisp_nvrtc_name(char *out, size_t size)
{
  HELD(wisp_text_free) wisp_text text = {0};
  *out = '\0';
  if (wisp_known_compiler(NULL, "cuda", wisp_nvrtc_compiler, "", &text) == WISP_OK)
    snprintf(out, size, "%s", text.data);
}

wisp_status wisp_nvrtc_compile(wisp_error *err, const char *target, const char *name, const char *source,
                               wisp_binary *out)
{
  wisp_status status = WISP_OK;
  wisp_nvrtc_api api;
  wisp_binary binary = {0};
  void *program = NULL;
  size_t log_size = 0;
  char architecture[64], file[160], *log = NULL;
  const char *options[FLAGS + 1] = {architecture};
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%.32s", target);
  snprintf(file, sizeof file, "%.128s.cu", name);
  for (int i = 0; i < FLAGS; i++) options[i + 1] = flags[i];
  TRY(wisp_nvrtc_api_open(err, &api));
  TRY(check_nvrtc(err, &api, api.nvrtcCreateProgram(&program, source, file, 0, NULL, NULL), name, "NVRTC"));
  int result = api.nvrtcCompileProgram(program, FLAGS + 1, options);
  if (result == INVALID_OPTION) result = api.nvrtcCompileProgram(program, FLAGS, options); /* older: no cache either */
  TRY(check_nvrtc(err, &api, api.nvrtcGetProgramLogSize(program, &log_size), name, "log"));
  TRY(wisp_new(err, log_size + 1, 1, &log));
  TRY(check_nvrtc(err, &api, api.nvrtcGetProgramLog(program, log), name, "log"));
  if (is_machine(result)) TRY(report_machine(err, &api, result, name, target, log));
  if (result != 0) TRY(*log ? report_text(err, name, log) : check_nvrtc(err, &api, result, name, target));
  binary.usage = parse_usage(log);
  TRY(check_nvrtc(err, &api, api.nvrtcGetCUBINSize(program, &binary.length), name, "CUBIN"));
  TRY(wisp_new(err, binary.length, 1, &binary.data));
  TRY(check_nvrtc(err, &api, api.nvrtcGetCUBIN(program, binary.data), name, "CUBIN"));
  binary.usage.issued = wisp_cubin_issued(binary.data, binary.length);
  *out = binary;
  binary.data = NULL;
done:
  if (program) api.nvrtcDestroyProgram(&program);
  wisp_binary_free(&binary), free(log);
  return status;
}
