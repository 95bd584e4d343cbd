#include "embedded.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *path, const void *file)
{
  return strcmp(path, ((const wisp_embedded *)file)->path);
}

const char *wisp_embedded_text(const char *path)
{
  const wisp_embedded *found =
      bsearch(path, wisp_embedded_files, wisp_embedded_count, sizeof *wisp_embedded_files, by_path);
  return found ? found->text : NULL;
}
