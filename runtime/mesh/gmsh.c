/* The Gmsh reader's front: finds the sections, knows the formats and the kinds of elements. */
#include "gmsh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../gen/text.h"

/* Gmsh's manual, "Legacy formats" and "MSH file format": element-type. */
static const wisp_gmsh_kind kinds[] = {
    {1, 1, 2, "line"},
    {2, 2, 3, "triangle"},
    {3, 2, 4, "quadrangle"},
    {4, 3, 4, "tetrahedron"},
    {5, 3, 8, "hexahedron"},
    {6, 3, 6, "prism"},
    {7, 3, 5, "pyramid"},
    {8, 1, 3, "line of order 2"},
    {9, 2, 6, "triangle of order 2"},
    {10, 2, 9, "quadrangle of order 2"},
    {11, 3, 10, "tetrahedron of order 2"},
    {12, 3, 27, "hexahedron of order 2"},
    {13, 3, 18, "prism of order 2"},
    {14, 3, 14, "pyramid of order 2"},
    {15, 0, 1, "point"},
    {16, 2, 8, "quadrangle of order 2"},
    {17, 3, 20, "hexahedron of order 2"},
    {18, 3, 15, "prism of order 2"},
    {19, 3, 13, "pyramid of order 2"},
    {20, 2, 9, "triangle of order 3"},
    {21, 2, 10, "triangle of order 3"},
    {22, 2, 12, "triangle of order 4"},
    {23, 2, 15, "triangle of order 4"},
    {24, 2, 15, "triangle of order 5"},
    {25, 2, 21, "triangle of order 5"},
    {26, 1, 4, "line of order 3"},
    {27, 1, 5, "line of order 4"},
    {28, 1, 6, "line of order 5"},
    {29, 3, 20, "tetrahedron of order 3"},
    {30, 3, 35, "tetrahedron of order 4"},
    {31, 3, 56, "tetrahedron of order 5"},
    {92, 3, 64, "hexahedron of order 3"},
    {93, 3, 125, "hexahedron of order 4"},
};

/* Gmsh goes round each square of a hex, we row by row. */
static const wisp_gmsh_shape tets = {.type = 4,
                                     .dimension = 3,
                                     .corners = 4,
                                     .facet = 3,
                                     .order = {0, 1, 2, 3},
                                     .one = "tet",
                                     .many = "tets",
                                     .formal = "tetrahedra",
                                     .remedy = "remesh, order 1",
                                     .missing = "meshed in 3-D, or no physical volume that is saved",
                                     .face = "triangle",
                                     .entity = "surface"};
static const wisp_gmsh_shape hexes = {.type = 5,
                                      .dimension = 3,
                                      .corners = 8,
                                      .facet = 4,
                                      .order = {0, 1, 3, 2, 4, 5, 7, 6},
                                      .one = "hex",
                                      .many = "hexes",
                                      .formal = "hexahedra",
                                      .remedy = "mesh with transfinite or recombined volumes, order 1",
                                      .missing = "meshed in 3-D, or no physical volume that is saved",
                                      .face = "quadrangle",
                                      .entity = "surface"};
static const wisp_gmsh_shape triangles = {.type = 2,
                                          .dimension = 2,
                                          .corners = 3,
                                          .facet = 2,
                                          .order = {0, 1, 2},
                                          .one = "triangle",
                                          .many = "triangles",
                                          .formal = "triangles",
                                          .remedy = "mesh in two dimensions, order 1",
                                          .missing = "meshed in 2-D, or no physical surface that is saved",
                                          .face = "line",
                                          .entity = "curve"};

enum { SEEN_HEXAHEDRA = 1 << 4, HEXAHEDRON = 5 };

wisp_status wisp_gmsh_find_kind(wisp_error *err, wisp_gmsh *gmsh, int64_t type, const wisp_gmsh_kind **out)
{
  const wisp_gmsh_shape *shape = gmsh->shape;
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    const wisp_gmsh_kind *kind = &kinds[i];
    if (kind->type != type) continue;
    gmsh->seen |= type == HEXAHEDRON ? SEEN_HEXAHEDRA : 1u << kind->dimension;
    if (kind->dimension >= shape->dimension && kind->type != shape->type) {
      return wisp_gmsh_fail(err, gmsh, "a %s (element type %d): only straight %s (type %d) can be used; %s", kind->name,
                            kind->type, shape->formal, shape->type, shape->remedy);
    }
    *out = kind;
    return WISP_OK;
  }
  return wisp_gmsh_fail(err, gmsh, "element type %lld is not known; only %s (type %d) can be used", (long long)type,
                        shape->formal, shape->type);
}

wisp_status wisp_gmsh_element(wisp_error *err, wisp_gmsh *gmsh, const wisp_gmsh_kind *kind, int bytes, int32_t tag)
{
  int64_t node[WISP_GMSH_MOST_NODES] = {0};
  for (int i = 0; i < kind->nodes; i++) CALL(wisp_gmsh_integer(err, gmsh, bytes, &node[i]));
  if (kind->dimension == gmsh->shape->dimension) {
    size_t corners = (size_t)kind->nodes;
    CALL(wisp_grow(err, &gmsh->cell, &gmsh->cell_room, gmsh->cells + 1, corners * sizeof *node));
    CALL(wisp_grow(err, &gmsh->region, &gmsh->region_room, gmsh->cells + 1, sizeof tag));
    gmsh->region[gmsh->cells] = tag;
    memcpy(gmsh->cell + corners * gmsh->cells++, node, corners * sizeof *node);
  } else if (kind->dimension == gmsh->shape->dimension - 1 && tag &&
             strncmp(kind->name, gmsh->shape->face, strlen(gmsh->shape->face)) == 0) {
    wisp_gmsh_triangle triangle = {{node[0], node[1], node[2], node[3]},
                                   tag}; /* corners come first, whatever the order */
    CALL(wisp_grow(err, &gmsh->triangle, &gmsh->triangle_room, gmsh->triangles + 1, sizeof triangle));
    gmsh->triangle[gmsh->triangles++] = triangle;
  }
  return WISP_OK;
}

wisp_status wisp_gmsh_tag(wisp_error *err, wisp_gmsh *gmsh, int dimension, int64_t value, int32_t *out)
{
  if (value < -INT32_MAX || value > INT32_MAX)
    return wisp_gmsh_fail(err, gmsh, "physical group %lld does not fit 32 bits", (long long)value);
  *out = (int32_t)(value < 0 ? -value : value);
  return *out ? wisp_groups_add(err, &gmsh->groups, dimension, *out, NULL, 0) : WISP_OK;
}

static wisp_status refuse_version(wisp_error *err, const wisp_gmsh *gmsh, double version)
{
  return wisp_gmsh_fail(
      err, gmsh,
      "format %g is %s; 2.2 and 4.1 are read: convert with 'gmsh -save -format msh41 -o new.msh <this file>'", version,
      version > 4.1 ? "newer than this reader" : "not supported");
}

/* "4.1 0 8", and in a binary file the number one, whose bytes tell their order. */
static wisp_status read_format(wisp_error *err, wisp_gmsh *gmsh)
{
  double version = 0;
  int64_t kind = 0, size = 0, one = 0;
  const char *rest;
  size_t length;
  if (gmsh->version) CALL(wisp_gmsh_fail(err, gmsh, "a second $MeshFormat"));
  CALL(wisp_gmsh_real(err, gmsh, &version));
  bool two = fabs(version - 2.2) < 1e-9, four = fabs(version - 4.1) < 1e-9;
  if (!two && !four) CALL(refuse_version(err, gmsh, version));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &kind));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &size));
  if ((kind != 0 && kind != 1) || size != 8) {
    CALL(wisp_gmsh_fail(err, gmsh, "file type %lld with numbers of %lld bytes; must be 0 or 1 with 8", (long long)kind,
                        (long long)size));
  }
  if (kind == 1) {
    wisp_gmsh_line(gmsh, &rest, &length);
    gmsh->binary = true;
    CALL(wisp_gmsh_integer(err, gmsh, 4, &one));
    gmsh->swap = one == 0x01000000;
    if (one != 1 && !gmsh->swap)
      CALL(wisp_gmsh_fail(err, gmsh, "the byte order mark is %lld, must be 1", (long long)one));
  }
  gmsh->version = two ? 2 : 4;
  return WISP_OK;
}

static wisp_status refuse_version_1(wisp_error *err, wisp_gmsh *gmsh)
{
  return refuse_version(err, gmsh, 1);
}

static wisp_status refuse_parts(wisp_error *err, wisp_gmsh *gmsh)
{
  return wisp_gmsh_fail(err, gmsh, "the mesh is partitioned; save it in one piece");
}

static wisp_status refuse_parameters(wisp_error *err, wisp_gmsh *gmsh)
{
  return wisp_gmsh_fail(err, gmsh, "$ParametricNodes are not read; save with Mesh.SaveParametric = 0");
}

typedef wisp_status section_reader(wisp_error *err, wisp_gmsh *gmsh);

/* What is done with each section, before the format is known and in formats 2 and 4; others are passed. */
static const struct section {
  const char *name;
  section_reader *unknown, *two, *four;
} sections[] = {
    {"MeshFormat", read_format, read_format, read_format},
    {"NOD", refuse_version_1, NULL, NULL},
    {"PhysicalNames", NULL, wisp_gmsh_names, wisp_gmsh_names},
    {"Entities", NULL, NULL, wisp_gmsh_entities_4},
    {"PartitionedEntities", NULL, refuse_parts, refuse_parts},
    {"ParametricNodes", NULL, refuse_parameters, refuse_parameters},
    {"Nodes", NULL, wisp_gmsh_nodes_2, wisp_gmsh_nodes_4},
    {"Elements", NULL, wisp_gmsh_elements_2, wisp_gmsh_elements_4},
};

/* What a file says in $Periodic: how many pairs of points, curves or surfaces are one to it. */
static size_t count_pairs(const wisp_gmsh *gmsh)
{
  wisp_gmsh at = *gmsh;
  size_t count = 0;
  at.binary &= at.version == 4; /* else the count is text */
  return wisp_gmsh_count(NULL, &at, &count) == WISP_OK ? count : 0;
}

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
  if (periodic && count_pairs(gmsh))
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

static wisp_status read_sections(wisp_error *err, wisp_gmsh *gmsh)
{
  const char *line;
  size_t length;
  while (wisp_gmsh_line(gmsh, &line, &length)) {
    if (!length) continue;
    if (*line != '$') {
      gmsh->at = line;
      CALL(wisp_gmsh_fail(err, gmsh, "%s",
                          gmsh->version ? "text outside of any section"
                                        : "no Gmsh file: it does not begin with $MeshFormat"));
    }
    CALL(read_section(err, gmsh, line + 1, length - 1));
  }
  if (gmsh->passed.length)
    CALL(wisp_notes_add(err, &gmsh->notes, "sections", "%s: sections that wisp does not read: %s", gmsh->name,
                        gmsh->passed.data));
  if (!gmsh->version) CALL(wisp_gmsh_fail(err, gmsh, "no $MeshFormat: no Gmsh file, or an empty one"));
  if (!gmsh->nodes) CALL(wisp_gmsh_fail(err, gmsh, "no $Nodes: truncated?"));
  if (!gmsh->cells)
    CALL(wisp_gmsh_fail(err, gmsh, "no %s in $Elements: truncated, not %s?", gmsh->shape->many, gmsh->shape->missing));
  return WISP_OK;
}

/* All sections of the bytes. */
static wisp_status read_all(wisp_error *err, wisp_gmsh *gmsh, const char *name, const char *data, size_t length)
{
  gmsh->name = name;
  gmsh->begin = gmsh->at = data;
  gmsh->end = data + length;
  gmsh->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  CALL(wisp_require(err, gmsh->locale, WISP_EMEMORY, "%s: out of memory: a locale", name));
  return read_sections(err, gmsh);
}

static void release(wisp_gmsh *gmsh)
{
  if (gmsh->locale) freelocale(gmsh->locale);
  free(gmsh->node);
  free(gmsh->cell);
  free(gmsh->triangle);
  free(gmsh->region);
  free(gmsh->entity);
  free(gmsh->numbers);
  wisp_groups_free(&gmsh->groups);
  wisp_notes_free(&gmsh->notes);
  wisp_text_free(&gmsh->passed);
}

/* The elements of the highest dimension that were met where reading others has failed; NULL: none, or those. */
static const wisp_gmsh_shape *other_shape(const wisp_gmsh *gmsh)
{
  if (gmsh->seen & 1u << 3) return NULL;
  return gmsh->seen & SEEN_HEXAHEDRA ? &hexes : gmsh->seen & 1u << 2 ? &triangles : NULL;
}

static wisp_status parse_shape(wisp_error *err, const wisp_gmsh_shape *shape, double merge, const char *name,
                               const char *data, size_t length, const wisp_gmsh_shape **other, wisp_mesh **out)
{
  HELD(release) wisp_gmsh gmsh = {.shape = shape, .merge = merge};
  const wisp_status status = read_all(err, &gmsh, name, data, length);
  if (status != WISP_OK) *other = other_shape(&gmsh);
  CALL(status);
  return wisp_gmsh_build(err, &gmsh, out);
}

wisp_status wisp_mesh_parse_as(wisp_error *err, const wisp_mesh_reading *how, const char *name, const char *data,
                               size_t length, wisp_mesh **out)
{
  const wisp_gmsh_shape *shape = how->corners == 3 ? &triangles : how->corners == 8 ? &hexes : &tets, *other = NULL;
  const wisp_status status = parse_shape(err, shape, how->merge, name, data, length, &other, out);
  if (status == WISP_OK || how->corners || !other) return status;
  return parse_shape(err, other, how->merge, name, data, length, &other, out);
}

wisp_status wisp_mesh_parse(wisp_error *err, int corners, const char *name, const char *data, size_t length,
                            wisp_mesh **out)
{
  return wisp_mesh_parse_as(err, &(wisp_mesh_reading){.corners = corners}, name, data, length, out);
}

wisp_status wisp_mesh_read_as(wisp_error *err, const wisp_mesh_reading *how, const char *path, wisp_mesh **out)
{
  OWNED(free) char *data = NULL;
  size_t length = 0;
  CALL(wisp_require(err, access(path, F_OK) == 0, WISP_EINPUT, "%s: no such file", path));
  CALL(wisp_read_file(err, path, &data, &length));
  return wisp_mesh_parse_as(err, how, path, data, length, out);
}

wisp_status wisp_mesh_read(wisp_error *err, int corners, const char *path, wisp_mesh **out)
{
  return wisp_mesh_read_as(err, &(wisp_mesh_reading){.corners = corners}, path, out);
}
