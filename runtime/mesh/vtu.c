#include "vtu.h"
#include "cell.h"

#include "../../gen/text.h"

#include <math.h>

static wisp_status check_order(wisp_error *err, int N)
{
  return wisp_require(err, N >= 1 && N <= WISP_VTU_MAX_ORDER, WISP_EUSAGE, "vtu: order %d is out of range: use 1 to %d",
                      N, WISP_VTU_MAX_ORDER);
}

wisp_status wisp_vtu_lattice(wisp_error *err, int N, double *r, double *s, double *t)
{
  CALL(check_order(err, N));
  for (int k = 0; k <= N; k++)
    for (int j = 0; j <= N - k; j++)
      for (int i = 0; i <= N - k - j; i++) {
        *r++ = -1 + 2.0 * i / N;
        *s++ = -1 + 2.0 * j / N;
        *t++ = -1 + 2.0 * k / N;
      }
  return WISP_OK;
}

/* Steps of a lattice point away from the faces opposite vertex 0 (r+s+t=-1), 1 (r=-1), 2 (s=-1), 3 (t=-1); sum N. */
typedef struct steps {
  int b[4];
} steps;

/* The list of VTK's points, at its next entry. */
typedef struct ordering {
  int N, *next;
} ordering;

/* The lattice's number of a point: whole layers of t, whole lines of s, points of r. */
static void emit(ordering *to, steps p)
{
  int i = p.b[1], j = p.b[2], k = p.b[3], left = to->N - k;
  int layers = (to->N + 1) * (to->N + 2) * (to->N + 3) / 6 - (left + 1) * (left + 2) * (left + 3) / 6;
  *to->next++ = layers + (left + 1) * (left + 2) / 2 - (left - j + 1) * (left - j + 2) / 2 + i;
}

/* Points strictly between vertices v and w of a simplex of order n whose smallest steps are those of base. */
static void emit_edge(ordering *to, steps base, int n, int v, int w)
{
  for (int i = 1; i < n; i++) {
    steps p = base;
    p.b[v] += n - i;
    p.b[w] += i;
    emit(to, p);
  }
}

/* A simplex of order n: vertices, edges, of a tet insides of faces, and inside one of an order lower by its corners. */
static void emit_simplex(ordering *to, steps base, int n, int corners, const int *v)
{
  static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  static const int faces[4][3] = {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}};
  for (; n > 0; n -= corners) {
    for (int i = 0; i < corners; i++) {
      steps p = base;
      p.b[v[i]] += n;
      emit(to, p);
    }
    for (int e = 0; e < corners * (corners - 1) / 2; e++) emit_edge(to, base, n, v[edges[e][0]], v[edges[e][1]]);
    for (int f = 0; f < 4 && corners == 4; f++) {
      steps inside = base;
      for (int a = 0; a < 3; a++) inside.b[faces[f][a]]++;
      emit_simplex(to, inside, n - 3, 3, faces[f]);
    }
    for (int i = 0; i < corners; i++) base.b[v[i]]++;
  }
  if (n == 0) emit(to, base);
}

/* Points strictly inside a box of the hex's lattice, from low to high; equal ends make a face or an edge. r fastest. */
static void emit_box(ordering *to, const int low[3], const int high[3])
{
  const int n = to->N + 1;
  int from[3], end[3];
  for (int d = 0; d < 3; d++) {
    from[d] = low[d] + (low[d] < high[d]);
    end[d] = high[d] - (low[d] < high[d]);
  }
  for (int k = from[2]; k <= end[2]; k++)
    for (int j = from[1]; j <= end[1]; j++)
      for (int i = from[0]; i <= end[0]; i++) *to->next++ = i + n * (j + n * k);
}

/* A hex: corners, edges, insides of faces, its inside; -1 stands for all of a direction. */
static void emit_hex(ordering *to)
{
  static const int parts[27][3] = {{0, 0, 0},   {1, 0, 0},   {1, 1, 0},   {0, 1, 0},   {0, 0, 1},   {1, 0, 1},
                                   {1, 1, 1},   {0, 1, 1},   {-1, 0, 0},  {1, -1, 0},  {-1, 1, 0},  {0, -1, 0},
                                   {-1, 0, 1},  {1, -1, 1},  {-1, 1, 1},  {0, -1, 1},  {0, 0, -1},  {1, 0, -1},
                                   {1, 1, -1},  {0, 1, -1},  {0, -1, -1}, {1, -1, -1}, {-1, 0, -1}, {-1, 1, -1},
                                   {-1, -1, 0}, {-1, -1, 1}, {-1, -1, -1}};
  for (int p = 0; p < 27; p++) {
    int low[3], high[3];
    for (int d = 0; d < 3; d++) {
      low[d] = parts[p][d] == 1 ? to->N : 0;
      high[d] = parts[p][d] == 0 ? 0 : to->N;
    }
    emit_box(to, low, high);
  }
}

wisp_status wisp_vtu_order(wisp_error *err, int corners, int N, int *point)
{
  CALL(check_order(err, N));
  ordering to = {N, point};
  if (corners == 8)
    emit_hex(&to);
  else
    emit_simplex(&to, (steps){{0}}, N, corners, (const int[]){0, 1, 2, 3});
  return WISP_OK;
}

typedef struct grid {
  const wisp_fields *fields;
  int point[1331]; /* VTK's order; 11^3 points of a hex at order 10 */
  wisp_text xml;   /* all before the data */
} grid;

wisp_status wisp_vtu_escape(wisp_error *err, wisp_text *xml, const char *name)
{
  for (; *name; name++) {
    const char *entity = *name == '&'   ? "&amp;"
                         : *name == '<' ? "&lt;"
                         : *name == '>' ? "&gt;"
                         : *name == '"' ? "&quot;"
                                        : NULL;
    CALL(wisp_text_add(err, xml, entity ? entity : name, entity ? strlen(entity) : 1));
  }
  return WISP_OK;
}

/* One array's place in the appended data, which moves on past it: 8 bytes of length and the bytes. */
static wisp_status declare_array(wisp_error *err, wisp_text *xml, const char *type, const char *name, int components,
                                 size_t bytes, size_t *offset)
{
  CALL(wisp_text_print(err, xml, "<DataArray type=\"%s\" Name=\"", type));
  CALL(wisp_vtu_escape(err, xml, name));
  CALL(wisp_text_print(err, xml, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%zu\"/>\n", components,
                       *offset));
  *offset += sizeof(uint64_t) + bytes;
  return WISP_OK;
}

/* The components of field i: three that are called like it but for a last x, y and z are one vector. */
static int count_components(const wisp_fields *f, size_t i)
{
  const size_t length = strlen(f->name[i]), stem = length - 1;
  if (length < 2 || i + 2 >= f->count) return 1;
  for (size_t c = 0; c < 3; c++) {
    const char *name = f->name[i + c];
    if (strlen(name) != length || strncmp(name, f->name[i], stem) != 0 || name[stem] != (char)('x' + c)) return 1;
  }
  return 3;
}

static wisp_status declare_fields(wisp_error *err, const wisp_fields *f, wisp_text *xml, size_t *offset)
{
  const size_t bytes = f->elements * f->points * sizeof(double);
  for (size_t i = 0, components; i < f->count; i += components) {
    HELD(wisp_text_free) wisp_text name = {0};
    components = (size_t)count_components(f, i);
    CALL(wisp_text_print(err, &name, "%.*s", (int)(strlen(f->name[i]) - (components == 3)), f->name[i]));
    CALL(declare_array(err, xml, "Float64", name.data, (int)components, components * bytes, offset));
  }
  return WISP_OK;
}

/* Everything before the data. Arrays stand in the order in which write_grid writes them. */
static wisp_status print_header(wisp_error *err, const grid *g, wisp_text *xml)
{
  const uint16_t one = 1;
  const wisp_fields *f = g->fields;
  const size_t points = f->elements * f->points;
  size_t offset = 0;
  CALL(wisp_text_print(err, xml,
                       "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"2.2\" byte_order=\"%s\" "
                       "header_type=\"UInt64\">\n<UnstructuredGrid>\n",
                       *(const char *)&one ? "LittleEndian" : "BigEndian"));
  if (!isnan(f->time))
    CALL(wisp_text_print(err, xml,
                         "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                         "format=\"ascii\">%.17g</DataArray>\n</FieldData>\n",
                         f->time));
  CALL(wisp_text_print(err, xml, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<Points>\n", points,
                       f->elements));
  CALL(declare_array(err, xml, "Float64", "Points", 3, points * 3 * sizeof(double), &offset));
  CALL(wisp_text_print(err, xml, "</Points>\n<Cells>\n"));
  CALL(declare_array(err, xml, "Int64", "connectivity", 1, points * sizeof(int64_t), &offset));
  CALL(declare_array(err, xml, "Int64", "offsets", 1, f->elements * sizeof(int64_t), &offset));
  CALL(declare_array(err, xml, "UInt8", "types", 1, f->elements, &offset));
  CALL(wisp_text_print(err, xml, "</Cells>\n"));
  CALL(wisp_text_print(err, xml, "<PointData>\n"));
  CALL(declare_fields(err, f, xml, &offset));
  CALL(wisp_text_print(err, xml, "</PointData>\n"));
  if (f->region) {
    CALL(wisp_text_print(err, xml, "<CellData>\n"));
    CALL(declare_array(err, xml, "Int32", "region", 1, f->elements * sizeof *f->region, &offset));
    CALL(wisp_text_print(err, xml, "</CellData>\n"));
  }
  return wisp_text_print(err, xml, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

/* Places, in VTK's order. Write errors stay in the stream until it is closed. */
static void write_places(FILE *file, const grid *g)
{
  const size_t elements = g->fields->elements, points = g->fields->points;
  const double *values = g->fields->xyz;
  const uint64_t bytes = elements * points * 3 * sizeof *values;
  fwrite(&bytes, sizeof bytes, 1, file);
  for (size_t k = 0; k < elements && !ferror(file); k++)
    for (size_t v = 0; v < points; v++)
      fwrite(values + (k * points + (size_t)g->point[v]) * 3, sizeof *values, 3, file);
}

/* Some fields as the components of one array. */
static void write_field(FILE *file, const grid *g, double *const *values, size_t components)
{
  const size_t elements = g->fields->elements, points = g->fields->points;
  const uint64_t bytes = elements * points * components * sizeof **values;
  fwrite(&bytes, sizeof bytes, 1, file);
  for (size_t k = 0; k < elements && !ferror(file); k++)
    for (size_t v = 0; v < points; v++)
      for (size_t c = 0; c < components; c++)
        fwrite(values[c] + k * points + (size_t)g->point[v], sizeof **values, 1, file);
}

/* count integers 0, step, 2 step, ... from first. */
static void write_integers(FILE *file, size_t count, size_t first, size_t step)
{
  uint64_t bytes = count * sizeof(int64_t);
  fwrite(&bytes, sizeof bytes, 1, file);
  for (size_t i = 0; i < count && !ferror(file); i++) {
    int64_t value = (int64_t)(first + i * step);
    fwrite(&value, sizeof value, 1, file);
  }
}

static void write_grid(FILE *file, const void *context)
{
  const grid *g = context;
  const wisp_fields *f = g->fields;
  const uint64_t bytes = f->elements;
  wisp_fill_text(file, &g->xml);
  write_places(file, g);
  write_integers(file, f->elements * f->points, 0, 1);
  write_integers(file, f->elements, f->points, f->points);
  fwrite(&bytes, sizeof bytes, 1, file);
  for (size_t k = 0; k < f->elements; k++) fputc(wisp_cells[f->corners].vtk, file);
  for (size_t i = 0, components; i < f->count; i += components) {
    components = (size_t)count_components(f, i);
    write_field(file, g, f->value + i, components);
  }
  if (f->region) {
    const uint64_t size = f->elements * sizeof *f->region;
    fwrite(&size, sizeof size, 1, file);
    fwrite(f->region, sizeof *f->region, f->elements, file);
  }
  fputs("\n</AppendedData>\n</VTKFile>\n", file);
}

wisp_status wisp_vtu_write(wisp_error *err, const wisp_fields *fields, const char *path)
{
  HELD(wisp_text_free) wisp_text xml = {0};
  grid g = {.fields = fields};
  CALL(wisp_vtu_order(err, fields->corners, fields->order, g.point));
  CALL(print_header(err, &g, &xml));
  g.xml = xml;
  return wisp_write_file(err, path, write_grid, &g);
}
