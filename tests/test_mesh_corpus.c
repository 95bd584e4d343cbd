/* Claim: every input that fuzzing found worth keeping goes through the mesh reader cleanly, as a mesh or as one line of
 * text; built with sanitizers this proves it. Runs in the root of the tree. */
#include "../gen/text.h"
#include "../runtime/mesh/mesh.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char folder[] = "tests/fuzz/corpus/mesh";

static bool replay(const char *path)
{
  char *data = NULL;
  size_t length = 0;
  wisp_mesh *mesh = NULL;
  wisp_error err = {0};
  assert_int_equal(wisp_read_file(&err, path, &data, &length), WISP_OK);
  char *exact = malloc(length ? length : 1); /* no byte behind the last */
  assert_non_null(exact);
  memcpy(exact, data, length);
  wisp_status status = wisp_mesh_parse(&err, path, exact, length, &mesh);
  assert_true(status == WISP_OK ? mesh != NULL : mesh == NULL && *err.text && !strchr(err.text, '\n'));
  wisp_mesh_destroy(mesh);
  free(exact);
  free(data);
  return status == WISP_OK;
}

static void test_corpus(void **state)
{
  (void)state;
  int files = 0, meshes = 0;
  DIR *directory = opendir(folder);
  if (!directory) fail_msg("%s cannot be opened: run this in the root of the tree", folder);
  for (struct dirent *entry; (entry = readdir(directory));) {
    char path[512];
    if (*entry->d_name == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    meshes += replay(path);
    files++;
  }
  closedir(directory);
  assert_true(files >= 10);
  assert_true(meshes >= 6); /* the corpus reaches the end of the reader, not its first check alone */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
