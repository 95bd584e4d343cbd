/* Claim: a bad mesh file is refused with one clear line that says where; it never crashes, and never gives a mesh. */
#include "test.h"
#include "../runtime/mesh/mesh.h"
#include "gmsh_writer.h"

/* A failure's text: named, one line, no control characters from the file. */
static void check_text(const wisp_error *err, const char *name)
{
  assert_true(strncmp(err->text, name, strlen(name)) == 0);
  for (const char *c = err->text; *c; c++) assert_true(*c >= ' ' && *c <= '~');
}

static void refuse_bytes(const char *data, size_t length, const char *why)
{
  wisp_mesh *mesh = NULL;
  wisp_error err = {0};
  char *copy = malloc(length + 1); /* the exact length: a sanitizer sees any read behind it */
  assert_non_null(copy);
  copy = realloc(copy, length ? length : 1);
  memcpy(copy, data, length);
  wisp_status status = wisp_mesh_parse(&err, 4, 0, "bad.msh", copy, length, &mesh);
  free(copy);
  if (status != WISP_EINPUT) fail_msg("status %d, not WISP_EINPUT, where '%s' is expected", (int)status, why);
  assert_null(mesh);
  check_text(&err, "bad.msh:");
  if (!strstr(err.text, why)) fail_msg("'%s' does not say '%s'", err.text, why);
}

static void refuse(const char *text, const char *why)
{
  refuse_bytes(text, strlen(text), why);
}

#define FORMAT2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define FORMAT4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
#define ELEMENTS2(count, lines) "$Elements\n" count "\n" lines "$EndElements\n"
#define NODES4 "$Nodes\n1 4 1 4\n3 1 0 4\n1 2 3 4\n0 0 0 1 0 0 0 1 0 0 0 1\n$EndNodes\n"
#define TET "1 4 2 0 1 1 2 3 4\n"

TEST(test_formats)
{
  refuse("", "no Gmsh file");
  refuse("\n\n \n", "no Gmsh file");
  refuse("solid cube\nfacet normal 0 0 1\n", "no Gmsh file");
  refuse("$NOD\n4\n1 0 0 0\n", "format 1 is not supported");
  refuse("$MeshFormat\n1 0 8\n$EndMeshFormat\n", "format 1 is not supported");
  refuse("$MeshFormat\n2 1 8\n$EndMeshFormat\n", "binary format 2 is not supported");
  refuse("$MeshFormat\n2.3 0 8\n$EndMeshFormat\n", "-format msh41");
  refuse("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "format 4 is not supported");
  refuse("$MeshFormat\n4.2 0 8\n$EndMeshFormat\n", "format 4.2 is newer");
  refuse("$MeshFormat\n5.0 0 8\n$EndMeshFormat\n", "format 5 is newer");
  refuse("$MeshFormat\nnan 0 8\n$EndMeshFormat\n", "expected a finite number, found 'nan'");
  refuse("$MeshFormat\n2,2 0 8\n$EndMeshFormat\n", "found '2,2'");
  refuse("$MeshFormat\n4.1 2 8\n$EndMeshFormat\n", "file type 2");
  refuse("$MeshFormat\n4.1 0 4\n$EndMeshFormat\n", "4 bytes");
  refuse("$MeshFormat\n4.1 1 8\nabcd\n$EndMeshFormat\n", "byte order");
  refuse("$MeshFormat\n4.1 0 8\n$EndNodes\n", "expected $EndMeshFormat, found '$EndNodes'");
  refuse(FORMAT2 FORMAT2, "a second $MeshFormat");
  refuse(NODES2 FORMAT2, "$Nodes stands before $MeshFormat");
  refuse(FORMAT4 "$PartitionedEntities\n", "truncated");
  refuse(FORMAT2 "$ParametricNodes\n", "ParametricNodes");
  refuse(FORMAT2 "$Comments\nhello\n", "$Comments has no end");
  refuse(FORMAT2 "hello\n", "bad.msh:4: text outside");
}

TEST(test_contents_2)
{
  refuse(FORMAT2, "no $Nodes");
  refuse(FORMAT2 NODES2, "no tets");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 2 2 0 1 1 2 3\n"), "no tets");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 5 2 0 1 1 2 3 4 5 6 7 8\n"), "hexahedron");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 6 2 0 1 1 2 3 4 5 6\n"), "prism");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 7 2 0 1 1 2 3 4 5\n"), "pyramid");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 11 2 0 1 1 2 3 4 6 5 5 5 5 5\n"), "node 6, which $Nodes does not have");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 29 2 0 1 1 2 3 4 5\n"), "bad.msh:14: a tetrahedron of order 3");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 99 2 0 1 1 2 3 4\n"), "element type 99");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 4 -1 0 1 1 2 3 4\n"), "-1 tags");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 4 2 0 1 1 2 3 6\n"), "node 6, which $Nodes does not have");
  refuse(FORMAT2 NODES2 ELEMENTS2("2", TET "2 2 2 3 1 1 2 9\n"), "node 9, which $Nodes does not have");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 4 2 0 1 1 2 3 3\n"), "degenerate");
  refuse(FORMAT2 NODES2 ELEMENTS2("2", TET "2 4 2 0 1 2 1 3 4\n"), "overlap");
  refuse(FORMAT2 NODES2 ELEMENTS2("2", TET TET), "overlap");
  refuse(FORMAT2 NODES2 ELEMENTS2("3", TET "2 4 2 0 1 2 3 4 5\n3 4 2 0 1 2 3 4 5\n"), "shared by 3 tets");
  refuse(FORMAT2 NODES2 NODES2 ELEMENTS2("1", TET), "node 1 is there twice");
  refuse(FORMAT2 NODES2 ELEMENTS2("0", TET), "expected $EndElements, found '1'");
  refuse(FORMAT2 NODES2 ELEMENTS2("2", TET), "expected an integer, found '$EndElements'");
  refuse(FORMAT2 "$Nodes\n1\n1 0 inf 0\n$EndNodes\n", "expected a finite number, found 'inf'");
  refuse(FORMAT2 "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", "bad.msh:6: expected a finite number");
  refuse(FORMAT2 "$Nodes\n1\n1 0 1234567890123456789012345678901234567890123456789012345678901234567890123456789 0\n",
         "found '123456789012345678901234'");
  refuse(FORMAT2 "$Nodes\n1\n1 0 \x01\x7f\n$EndNodes\n", "found '\?\?'");
}

TEST(test_contents_4)
{
  refuse(FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 5 1\n1 1 2 3 4 1 2 3 4\n$EndElements\n", "hexahedron");
  refuse(FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 30 1\n1 1 2 3 4 1 2 3 4\n$EndElements\n", "order 4");
  refuse(FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 11 1\n1 1 2 3 4 1 2 3 4 1 2\n$EndElements\n", "is curved");
  refuse(FORMAT4 NODES4 "$Elements\n1 1 1 1\n2 1 4 1\n1 1 2 3 4\n$EndElements\n", "entity of dimension 2");
  refuse(FORMAT4 NODES4 "$Elements\n1 2 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
         "the blocks hold 1 items, their header says 2");
  refuse(FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 7\n$EndElements\n", "node 7");
  refuse(FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 4 -1\n$EndElements\n", "negative");
  refuse(FORMAT4 "$Nodes\n1 1 1 1\n4 1 0 1\n1 0 0 0\n$EndNodes\n", "dimension 4");
  refuse(FORMAT4 "$Entities\n0 0 1 0\n1 0 0 0 0 0 0 2 7 2147483648 0\n$EndEntities\n", "32 bits");
  refuse(FORMAT4 "$Entities\n0 0 1 0\n1 0 0 0 0 0 0 1 7 0\n$EndEntities\n" NODES4
                 "$Elements\n1 1 1 1\n2 2 2 1\n1 1 2 3\n$EndElements\n",
         "surface 2, which $Entities does not have");
  refuse(FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n$Entities\n", "behind $Elements");
}

/* Counts far beyond the file, and beyond any memory, end where the bytes end. */
TEST(test_huge_counts)
{
  refuse(FORMAT2 "$Nodes\n9223372036854775807\n1 0 0 0\n", "truncated");
  refuse(FORMAT2 "$Nodes\n9223372036854775808\n1 0 0 0\n", "64 bits");
  refuse(FORMAT2 "$Nodes\n99999999999999999999999999\n1 0 0 0\n", "64 bits");
  refuse(FORMAT2 "$Nodes\n-5\n1 0 0 0\n", "negative");
  refuse(FORMAT2 NODES2 "$Elements\n9223372036854775807\n" TET, "truncated");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 4 2147483647 0 1 1 2 3 4\n"), "found '$EndElements'");
  refuse(FORMAT2 NODES2 ELEMENTS2("1", "1 4 2 0 1 1 2 3 4294967297\n"), "32 bits");
  refuse(FORMAT4 "$Entities\n9223372036854775807 1 1 1\n", "truncated");
  refuse(FORMAT4 "$Nodes\n1 9223372036854775807 1 9\n3 1 0 9223372036854775807\n1 2 3\n", "truncated");
  refuse(FORMAT4 NODES4 "$Elements\n9223372036854775807 1 1 1\n3 1 4 9223372036854775807\n1 1 2 3 4\n", "truncated");
}

/* Cut anywhere before its last section's end, no variant gives a mesh; with any one byte changed none crashes. */
TEST(test_truncated)
{
  for (int i = 0; i < 6; i++) {
    gmsh_writer w = write_gmsh(i < 3 ? 2 : 4, i % 3);
    for (size_t length = 0; length + 1 < w.text.length; length++) refuse_bytes(w.text.data, length, "");
    wisp_text_free(&w.text);
  }
}

TEST(test_changed)
{
  for (int i = 0; i < 6; i++) {
    gmsh_writer w = write_gmsh(i < 3 ? 2 : 4, i % 3);
    for (size_t at = 0; at < w.text.length; at++)
      for (int value = 0; value < 4; value++) {
        static const char values[4] = {'\0', '\xff', '9', '-'};
        const char kept = w.text.data[at];
        wisp_mesh *mesh = NULL;
        wisp_error err = {0};
        w.text.data[at] = values[value];
        wisp_status status = wisp_mesh_parse(&err, 4, 0, "changed", w.text.data, w.text.length, &mesh);
        assert_true(status == WISP_OK ? mesh != NULL : status == WISP_EINPUT && !mesh);
        if (status != WISP_OK) check_text(&err, "changed");
        wisp_mesh_destroy(mesh);
        w.text.data[at] = kept;
      }
    wisp_text_free(&w.text);
  }
}

TEST(test_paths)
{
  wisp_mesh *mesh = NULL;
  wisp_error err = {0};
  char path[] = "/tmp/wisp_bad_XXXXXX";
  assert_int_equal(wisp_mesh_read(&err, 4, 0, "/nowhere/it.msh", &mesh), WISP_EINPUT);
  check_text(&err, "/nowhere/it.msh: ");
  assert_int_equal(wisp_mesh_read(&err, 4, 0, "/tmp", &mesh), WISP_ESYSTEM);
  check_text(&err, "/tmp: ");
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, "$MeshFormat\n9 0 8\n", 18), 18);
  close(file);
  assert_int_equal(wisp_mesh_read(&err, 4, 0, path, &mesh), WISP_EINPUT);
  check_text(&err, path);
  unlink(path);
  assert_null(mesh);
}
