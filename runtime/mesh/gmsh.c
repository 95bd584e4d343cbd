/* The Gmsh reader's front: finds the sections, knows the formats and the kinds of elements. */
#include "gmsh.h"

#include <unistd.h>

static wisp_status refuse_version(wisp_error *err, const wisp_gmsh *gmsh, double version, const char *what)
{
  return wisp_gmsh_fail(
      err, gmsh,
      "%sformat %g is %s; 2.2 and 4.1 are read: convert with 'gmsh -save -format msh41 -o new.msh <this file>'", what,
      version, version > 4.1 ? "newer than this reader" : "not supported");
}

/* "4.1 0 8", and in a binary file the number one, whose bytes tell their order. As text 2.0 and 2.1 are as 2.2. */
static wisp_status read_format(wisp_error *err, wisp_gmsh *gmsh)
{
  double version = 0;
  int64_t kind = 0, size = 0, one = 0;
  const char *rest;
  size_t length;
  if (gmsh->version) CALL(wisp_gmsh_fail(err, gmsh, "a second $MeshFormat"));
  CALL(wisp_gmsh_real(err, gmsh, &version));
  const int tenths = version >= 0 && version < 100 ? (int)lround(10 * version) : -1;
  const bool two = tenths >= 20 && tenths <= 22, four = tenths == 41;
  if ((!two && !four) || fabs(10 * version - tenths) > 1e-8) CALL(refuse_version(err, gmsh, version, ""));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &kind));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &size));
  if ((kind != 0 && kind != 1) || size != 8) {
    CALL(wisp_gmsh_fail(err, gmsh, "file type %lld with numbers of %lld bytes; must be 0 or 1 with 8", (long long)kind,
                        (long long)size));
  }
  if (kind == 1 && two && tenths < 22) CALL(refuse_version(err, gmsh, version, "binary "));
  if (kind == 1) {
    wisp_gmsh_line(gmsh, &rest, &length);
    gmsh->binary = true;
    CALL(wisp_gmsh_integer(err, gmsh, 4, &one));
    gmsh->swap = one == 0x01000000;
    if (one != 1 && !gmsh->swap)
      CALL(wisp_gmsh_fail(err, gmsh, "the byte order mark is %lld, must be 1", (long long)one));
  }
  gmsh->version = two ? 2 : 4, gmsh->minor = tenths % 10;
  return WISP_OK;
}

static wisp_status refuse_version_1(wisp_error *err, wisp_gmsh *gmsh)
{
  return refuse_version(err, gmsh, 1, "");
}

static wisp_status refuse_parameters(wisp_error *err, wisp_gmsh *gmsh)
{
  return wisp_gmsh_fail(err, gmsh, "$ParametricNodes are not read; save with Mesh.SaveParametric = 0");
}

typedef wisp_status section_reader(wisp_error *err, wisp_gmsh *gmsh);

/* The reader of each section, before the format is known and in formats 2 and 4; others are passed. */
static const struct section {
  const char *name;
  section_reader *unknown, *two, *four;
} sections[] = {
    {"MeshFormat", read_format, read_format, read_format},
    {"NOD", refuse_version_1, NULL, NULL},
    {"PhysicalNames", NULL, wisp_gmsh_names, wisp_gmsh_names},
    {"Entities", NULL, NULL, wisp_gmsh_entities_4},
    {"PartitionedEntities", NULL, NULL, wisp_gmsh_parts_4},
    {"ParametricNodes", NULL, refuse_parameters, refuse_parameters},
    {"Nodes", NULL, wisp_gmsh_nodes_2, wisp_gmsh_nodes_4},
    {"Elements", NULL, wisp_gmsh_elements_2, wisp_gmsh_elements_4},
};

static bool has_passed(const wisp_gmsh *gmsh, const char *section)
{
  const size_t length = strlen(section);
  for (const char *at = gmsh->passed.data; at && (at = strstr(at, section)); at++)
    if (!at[length] || at[length] == ',') return true;
  return false;
}

/* Passes a section that says nothing to us, and remembers those that may say something to the user. */
static wisp_status pass_section(wisp_error *err, wisp_gmsh *gmsh, const char *name, size_t length)
{
  static const char *const quiet[] = {"Comments", "PartitionedEntities", "GhostElements", "Parametrizations"};
  const bool periodic = length == strlen("Periodic") && memcmp(name, "Periodic", length) == 0;
  char section[32];
  bool silent = periodic;
  snprintf(section, sizeof section, "$%s", wisp_gmsh_excerpt(name, length).text);
  for (size_t i = 0; i < WISP_COUNT(quiet); i++)
    silent |= strlen(quiet[i]) == length && memcmp(name, quiet[i], length) == 0;
  wisp_gmsh at = *gmsh;
  size_t pairs = 0;             /* of points, curves or surfaces, which are one to the file */
  at.binary &= at.version == 4; /* else the count is text */
  if (periodic && wisp_gmsh_count(NULL, &at, &pairs) == WISP_OK && pairs)
    CALL(wisp_notes_add(err, &gmsh->notes, "periodic",
                        "%s: $Periodic is not read: its sides are boundaries like others, with walls or given values",
                        gmsh->name));
  if (!silent && !has_passed(gmsh, section))
    CALL(wisp_text_print(err, &gmsh->passed, "%s%s", gmsh->passed.length ? ", " : "", section));
  return wisp_gmsh_skip(err, gmsh, name, length);
}

static wisp_status read_section(wisp_error *err, wisp_gmsh *gmsh, const char *name, size_t length)
{
  for (size_t i = 0; i < WISP_COUNT(sections); i++) {
    const struct section *section = &sections[i];
    if (strlen(section->name) != length || memcmp(section->name, name, length) != 0) continue;
    section_reader *reader = gmsh->version == 4 ? section->four : gmsh->version == 2 ? section->two : section->unknown;
    if (!gmsh->version && !reader) return wisp_gmsh_fail(err, gmsh, "$%s stands before $MeshFormat", section->name);
    if (!reader) break;
    CALL(reader(err, gmsh));
    return wisp_gmsh_end(err, gmsh, section->name);
  }
  return pass_section(err, gmsh, name, length);
}

/* Files of other kinds, known by their first bytes or by the end of their name, and what to do with each. */
#define UNPACK(command) WISP_MESSAGE("no Gmsh file: it is compressed: unpack it first, '" command " FILE'")
#define MESH_IT \
  WISP_MESSAGE("no Gmsh file: it is a geometry: mesh it first, 'gmsh -3 FILE' (triangles: 'gmsh -2 FILE')")
static const struct foreign {
  const char *begin, *end, *text;
} foreign[] = {
    {"\x1f\x8b", NULL, UNPACK("gunzip")},
    {"BZh", NULL, UNPACK("bunzip2")},
    {"\xfd"
     "7zXZ",
     NULL, UNPACK("unxz")},
    {"\x28\xb5\x2f\xfd", NULL, UNPACK("unzstd")},
    {"PK\x03\x04", NULL, UNPACK("unzip")},
    {NULL, ".geo", MESH_IT},
    {NULL, ".geo_unrolled", MESH_IT},
    {NULL, ".brep", MESH_IT},
    {NULL, ".step", MESH_IT},
    {NULL, ".stp", MESH_IT},
    {NULL, ".iges", MESH_IT},
    {NULL, ".igs", MESH_IT},
    {"", NULL,
     WISP_MESSAGE("no Gmsh file: it does not begin with $MeshFormat: convert it, 'gmsh FILE -save -o new.msh' (.vtk, "
                  ".unv, .mesh, .bdf) or 'meshio convert FILE new.msh'")},
};

static wisp_status refuse_foreign(wisp_error *err, const wisp_gmsh *gmsh)
{
  const size_t size = (size_t)(gmsh->end - gmsh->begin), length = strlen(gmsh->name);
  for (const struct foreign *f = foreign;; f++) {
    const char *mark = f->begin ? f->begin : f->end;
    const size_t count = strlen(mark);
    const bool is = f->begin ? size >= count && memcmp(gmsh->begin, mark, count) == 0
                             : length >= count && strcmp(gmsh->name + length - count, mark) == 0;
    if (is) return wisp_gmsh_fail(err, gmsh, "%s", f->text);
  }
}

static wisp_status read_sections(wisp_error *err, wisp_gmsh *gmsh)
{
  const char *line;
  size_t length;
  while (wisp_gmsh_line(gmsh, &line, &length)) {
    if (!length) continue;
    if (*line != '$') {
      gmsh->at = line;
      CALL(gmsh->version ? wisp_gmsh_fail(err, gmsh, "text outside of any section") : refuse_foreign(err, gmsh));
    }
    CALL(read_section(err, gmsh, line + 1, length - 1));
  }
  if (gmsh->passed.length)
    CALL(wisp_notes_add(err, &gmsh->notes, "sections", "%s: sections that wisp does not read: %s", gmsh->name,
                        gmsh->passed.data));
  if (!gmsh->version) CALL(wisp_gmsh_fail(err, gmsh, "no $MeshFormat: no Gmsh file, or an empty one"));
  if (!gmsh->nodes) CALL(wisp_gmsh_fail(err, gmsh, "no $Nodes: truncated?"));
  if (!gmsh->cells)
    CALL(wisp_gmsh_fail(err, gmsh, "no %s in $Elements: truncated, not %s?", gmsh->shape->cell->many,
                        gmsh->shape->missing));
  return WISP_OK;
}

static void free_gmsh(wisp_gmsh *gmsh)
{
  if (gmsh->locale) freelocale(gmsh->locale);
  WISP_FREE(gmsh->node, gmsh->cell, gmsh->triangle, gmsh->region, gmsh->entity, gmsh->numbers, gmsh->second,
            gmsh->middle);
  wisp_groups_free(&gmsh->groups);
  wisp_notes_free(&gmsh->notes);
  wisp_text_free(&gmsh->passed);
}

static wisp_status parse(wisp_error *err, int *corners, double merge, const char *name, const char *data, size_t length,
                         wisp_mesh **out)
{
  HELD(free_gmsh)
  wisp_gmsh gmsh = {.name = name,
                    .begin = data,
                    .at = data,
                    .end = data + length,
                    .locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
                    .shape = wisp_gmsh_shape_of(*corners),
                    .merge = merge};
  CALL(wisp_require(err, gmsh.locale, WISP_EMEMORY, "%s: out of memory: a locale", name));
  const wisp_status status = read_sections(err, &gmsh);
  const bool solids = gmsh.seen >> 3 & 1, hexahedra = gmsh.seen >> WISP_GMSH_SEEN_HEXAHEDRA & 1;
  *corners = solids ? 4 : hexahedra ? 8 : gmsh.seen >> 2 & 1 ? 3 : 4; /* of the highest dimension that was met */
  CALL(status);
  return wisp_gmsh_build(err, &gmsh, out);
}

wisp_status wisp_mesh_parse(wisp_error *err, int corners, double merge, const char *name, const char *data,
                            size_t length, wisp_mesh **out)
{
  int seen = corners ? corners : 4;
  const wisp_status status = parse(err, &seen, merge, name, data, length, out);
  if (status == WISP_OK || corners || seen == 4) return status;
  return parse(err, &seen, merge, name, data, length, out);
}

wisp_status wisp_mesh_read(wisp_error *err, int corners, double merge, const char *path, wisp_mesh **out)
{
  OWNED(free) char *data = NULL;
  size_t length = 0;
  CALL(wisp_require(err, access(path, F_OK) == 0, WISP_EINPUT, "%s: there is no such file: check the name", path));
  CALL(wisp_read_file(err, path, &data, &length));
  return wisp_mesh_parse(err, corners, merge, path, data, length, out);
}
