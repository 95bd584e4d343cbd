/* In NVRTC's place: it compiles nothing, and ends as a test says: STUB_NVRTC is its result, STUB_NVRTC_LOG its log. Its
 * version is what it was compiled with. */
#include <stdlib.h>
#include <string.h>

#ifndef MAJOR
#define MAJOR 13
#endif
#ifndef MINOR
#define MINOR 0
#endif

static const char cubin[] = "a program";

static const char *log_text(void)
{
  const char *text = getenv("STUB_NVRTC_LOG");
  return text ? text : "";
}

const char *nvrtcGetErrorString(int result)
{
  return result == 1 ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR";
}

int nvrtcVersion(int *major, int *minor)
{
  *major = MAJOR, *minor = MINOR;
  return 0;
}

int nvrtcGetNumSupportedArchs(int *count)
{
  *count = 2;
  return 0;
}

int nvrtcGetSupportedArchs(int *sm)
{
  sm[0] = 75, sm[1] = 90;
  return 0;
}

int nvrtcCreateProgram(void **program, const char *source, const char *name, int headers, const char *const *texts,
                       const char *const *names)
{
  (void)source, (void)name, (void)headers, (void)texts, (void)names;
  *program = malloc(1);
  return 0;
}

int nvrtcDestroyProgram(void **program)
{
  free(*program);
  *program = NULL;
  return 0;
}

int nvrtcCompileProgram(void *program, int options, const char *const *option)
{
  const char *result = getenv("STUB_NVRTC");
  (void)program, (void)options, (void)option;
  return result ? atoi(result) : 0;
}

int nvrtcGetProgramLogSize(void *program, size_t *size)
{
  (void)program;
  *size = strlen(log_text()) + 1;
  return 0;
}

int nvrtcGetProgramLog(void *program, char *out)
{
  (void)program;
  strcpy(out, log_text());
  return 0;
}

int nvrtcGetCUBINSize(void *program, size_t *size)
{
  (void)program;
  *size = sizeof cubin;
  return 0;
}

int nvrtcGetCUBIN(void *program, char *out)
{
  (void)program;
  memcpy(out, cubin, sizeof cubin);
  return 0;
}
