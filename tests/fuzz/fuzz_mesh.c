/* libFuzzer's entry to the mesh reader (scripts/fuzz mesh SECONDS): whatever the bytes, a mesh or one line of text. */
#include "../../runtime/mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  wisp_mesh *mesh = NULL;
  wisp_error err = {0};
  wisp_status status = wisp_mesh_parse(&err, "fuzz", (const char *)data, size, &mesh);
  if (status == WISP_OK ? !mesh || !mesh->elements : mesh || !*err.text || strchr(err.text, '\n')) abort();
  wisp_mesh_destroy(mesh);
  return 0;
}
