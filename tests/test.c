/* Small helpers of every test. */
#include "test.h"
#include "../gen/text.h"

#include <time.h>

void *allocate(size_t count, size_t size)
{
  void *memory = malloc(count * size);
  assert_non_null(memory);
  return memory;
}

double *zeros(size_t count)
{
  double *list = calloc(count, sizeof *list);
  assert_non_null(list);
  return list;
}

double clock_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int no_shipped_winners(void **state)
{
  return setenv("WISP_SHIPPED", "none", 1);
}

cJSON *json_file(const char *format, ...)
{
  OWNED(free) char *data = NULL;
  char path[256];
  size_t length = 0;
  va_list list;
  va_start(list, format);
  vsnprintf(path, sizeof path, format, list);
  va_end(list);
  GOOD(wisp_read_file(err, path, &data, &length));
  cJSON *json = cJSON_ParseWithLength(data, length);
  if (!json) fail_msg("%s is no JSON", path);
  return json;
}

int occurrences(const char *text, const char *words)
{
  int count = 0;
  for (const char *at = text; (at = strstr(at, words)); at++) count++;
  return count;
}
