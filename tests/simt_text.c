/* Turns a plan's CUDA text into C: instructions become calls, casts become C's, and a launcher follows the kernel. */
#include "test.h"
#include "simt.h"
#include "../gen/text.h"

#include <ctype.h>

/* CUDA's words that C lacks. */
static const char definitions[] =
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "typedef struct { int x, y, z; } simt_index;\n"
    "extern const simt_index *simt_thread_index(void), *simt_block_index(void), *simt_grid(void);\n"
    "extern unsigned char *simt_shared(void);\n"
    "extern unsigned simt_to_shared(const void *);\n"
    "extern void simt_syncthreads(void), simt_syncwarp(unsigned);\n"
    "extern int simt_atomic_max(int *, int);\n"
    "extern void simt_launch(void (*)(void **), void **, const unsigned *, const unsigned *, size_t);\n"
    "extern void simt_cvt_rn_f16x2_f32(unsigned *, float, float);\n"
    "extern void simt_cp_async_bulk_prefetch_L2_global(const void *, int);\n"
    "extern void simt_ldmatrix_sync_aligned_m8n8_x4_trans_shared_b16(unsigned *, unsigned *, unsigned *, unsigned *,\n"
    "  unsigned);\n"
    "extern void simt_mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32(float *, float *, float *, float *, unsigned,\n"
    "  unsigned, unsigned, unsigned, unsigned, unsigned, const float *, const float *, const float *, const float *);\n"
    "#define threadIdx (*simt_thread_index())\n"
    "#define blockIdx (*simt_block_index())\n"
    "#define gridDim (*simt_grid())\n"
    "#define __global__ static\n"
    "#define __launch_bounds__(...)\n"
    "#define __syncthreads() simt_syncthreads()\n"
    "#define __syncwarp(mask) simt_syncwarp(mask)\n"
    "#define __cvta_generic_to_shared(at) simt_to_shared(at)\n"
    "#define atomicMax(at, value) simt_atomic_max(at, value)\n"
    "#define min(a, b) ((a) < (b) ? (a) : (b))\n"
    "#define max(a, b) ((a) > (b) ? (a) : (b))\n"
    "typedef union { float x; int i; unsigned u; } simt_bits;\n"
    "static inline int __float_as_int(float x) { return (simt_bits){.x = x}.i; }\n"
    "static inline unsigned __float_as_uint(float x) { return (simt_bits){.x = x}.u; }\n"
    "static inline float __int_as_float(int i) { return (simt_bits){.i = i}.x; }\n"
    "static inline float __uint_as_float(unsigned u) { return (simt_bits){.u = u}.x; }\n";

static void add(wisp_text *out, const char *from, const char *end)
{
  GOOD(wisp_text_add(err, out, from, (size_t)(end - from)));
}

/* Gives the place behind the bracket that closes the one at `at`. Brackets in strings do not count. */
static const char *behind(const char *at)
{
  int depth = 0;
  bool quoted = false;
  do {
    assert_true(*at);
    quoted ^= *at == '"';
    depth += quoted ? 0 : (*at == '(') - (*at == ')');
  } while (*at++ && depth > 0);
  return at;
}

/* ---- Instructions. */

enum { MAX_OPERANDS = 16 };

typedef struct operand {
  bool is_result; /* its address is what the call takes */
  const char *from, *end;
} operand;

/* Lists the operands of asm("..." : results : values : clobbers), from the first colon on. */
static int find_operands(const char *at, const char *end, operand *list)
{
  int count = 0;
  while ((at = memchr(at, '"', (size_t)(end - at)))) {
    const bool is_result = at[1] == '=' || at[1] == '+';
    at = strchr(at + 1, '"') + 1;
    if (*at != '(') continue; /* "memory" */
    assert_true(count < MAX_OPERANDS);
    list[count++] = (operand){is_result, at, behind(at)};
    at = behind(at);
  }
  return count;
}

/* Writes asm volatile("NAME {%0, %1}, [%2];" : ...) as simt_NAME(&(a), &(b), c), with the operands in the
 * instruction's order. Gives the place behind it. */
static const char *write_call(wisp_text *out, const char *at)
{
  operand list[MAX_OPERANDS];
  const char *open = strchr(at, '('), *end = behind(open), *code = strchr(open, '"') + 1, *closed = strchr(code, '"');
  const char *operands = code + strcspn(code, " ");
  const int count = find_operands(closed + 1, end, list);
  bool first = true;
  GOOD(wisp_text_print(err, out, "simt_"));
  for (; code < operands; code++) {
    const char letter = (char)(isalnum((unsigned char)*code) ? *code : '_');
    add(out, &letter, &letter + 1);
  }
  for (; operands < closed; operands++) {
    if (*operands != '%') continue;
    const int number = atoi(operands + 1);
    assert_true(number < count);
    GOOD(wisp_text_print(err, out, "%s%s", first ? "(" : ", ", list[number].is_result ? "&" : ""));
    add(out, list[number].from, list[number].end);
    first = false;
  }
  GOOD(wisp_text_print(err, out, ")"));
  return end;
}

/* ---- The text. */

static bool begins(const char *at, const char *with)
{
  return strncmp(at, with, strlen(with)) == 0;
}

static void translate(wisp_text *out, const char *at)
{
  static const char cast[] = "reinterpret_cast<",
                    memory[] = "extern __shared__ __align__(16) unsigned char shared_memory[]",
                    linkage[] = "extern \"C\" ";
  while (*at) {
    if (begins(at, "asm(") || begins(at, "asm volatile(")) {
      at = write_call(out, at);
    } else if (begins(at, cast)) {
      const char *type = at + strlen(cast), *end = strchr(type, '>');
      GOOD(wisp_text_print(err, out, "(%.*s)", (int)(end - type), type));
      at = end + 1;
    } else if (begins(at, memory)) {
      GOOD(wisp_text_print(err, out, "unsigned char *const shared_memory = simt_shared()"));
      at += strlen(memory);
    } else if (begins(at, linkage)) {
      at += strlen(linkage);
    } else {
      add(out, at, at + 1);
      at++;
    }
  }
}

/* Calls the kernel with arguments of the types in its head, "const int *RESTRICT nodes, int groups". */
static void write_launcher(wisp_text *out, const wisp_plan *plan, const char *source)
{
  char head[96];
  snprintf(head, sizeof head, "\n%s(", plan->symbol);
  const char *at = strstr(source, head);
  assert_non_null(at);
  at += strlen(head);
  GOOD(wisp_text_print(err, out, "\nstatic void body(void **args) { simt_kernel("));
  for (int i = 0; *at != ')'; i++) {
    const char *end = at + strcspn(at, ",)"), *name = end;
    while (name[-1] != ' ') name--;
    GOOD(wisp_text_print(err, out, "%s*(%.*s*)args[%d]", i ? ", " : "", (int)(name - at), at, i));
    at = end + (*end == ',' ? 2 : 0);
  }
  GOOD(wisp_text_print(err, out,
                       "); }\n#undef %s\nvoid %s(void **args, unsigned x, unsigned y)\n{\n"
                       "  simt_launch(body, args, (unsigned[]){x, y}, (unsigned[]){%u, %u, %u}, %zu);\n}\n",
                       plan->symbol, plan->symbol, plan->block[0], plan->block[1], plan->block[2], plan->shared));
}

wisp_status simt_compile(wisp_error *err, const wisp_plan *plan, wisp_binary *out)
{
  HELD(wisp_text_free) wisp_text cuda = {0}, c = {0}, before = {0};
  const char *flags = getenv("WISP_CFLAGS");
  CALL(wisp_plan_source(err, plan, "cuda", &cuda));
  CALL(wisp_text_print(err, &c, "%s#define %s simt_kernel\n", definitions, plan->symbol));
  translate(&c, cuda.data);
  write_launcher(&c, plan, cuda.data);
  CALL(wisp_text_print(err, &before, "%s", flags ? flags : ""));
  /* simt_memory.c has the sanitizer's hooks, so its library is left out. */
  setenv("WISP_CFLAGS", "-O1 -fsanitize=thread -nodefaultlibs -Werror=implicit-function-declaration", 1);
  const wisp_status status = wisp_compile(err, "host", plan->symbol, c.data, out);
  setenv("WISP_CFLAGS", before.data, 1);
  return status;
}
