/* Sparse matrices in a program's arrays: numbering, pattern and lists once, then launches of public kernels. */
#include "assembly.h"
#include "../mesh/source.h"
#include "../api/api.h"

#include <math.h>
#include <stdint.h>

enum { MOST_KERNELS = 4, FIXED_TAG = 1 };

struct wisp_matrix {
  wisp_handle handle;
  wisp_mesh *mesh;
  wisp_assembly *assembly;
  wisp_problem *problem; /* lists, and what the caller does not bring */
  int32_t *groups;       /* the numbers of those of the request */
  int kernels;
  wisp_kernel *kernel[MOST_KERNELS];
};

/* --- the mesh --- */

/* Gives FIXED_TAG to edges, or faces, of the boundary whose vertices are all marked; each marked vertex has one. */
static wisp_status mark_fixed(wisp_error *err, const unsigned char *fixed, wisp_mesh *mesh, size_t *marks)
{
  const int *off = wisp_mesh_cell(mesh)->opposite;
  const size_t corners = (size_t)mesh->corners;
  OWNED(free) unsigned char *seen = NULL;
  CALL(wisp_new(err, mesh->vertices, 1, &seen));
  for (size_t i = 0; i < corners * mesh->elements; i++) {
    const int32_t *vertex = mesh->cell + i / corners * corners;
    bool all = mesh->neighbour[i] == WISP_BOUNDARY;
    for (int c = 0; c < mesh->corners; c++) all &= c == off[i % corners] || fixed[vertex[c]];
    if (!all) continue;
    mesh->tag[i] = FIXED_TAG, *marks += 1;
    for (int c = 0; c < mesh->corners; c++) seen[vertex[c]] |= c != off[i % corners];
  }
  for (size_t v = 0; v < mesh->vertices; v++)
    CALL(wisp_require(err, !fixed[v] || seen[v], WISP_EINPUT,
                      "matrix: vertex %zu is fixed, but no %s of the boundary that is fixed has it", v,
                      wisp_mesh_cell(mesh)->face_one));
  return WISP_OK;
}

/* The kernels of the composition that would be taken; rows: they are compressed. */
static wisp_status choose(wisp_error *err, const wisp_session *session, const wisp_matrix *m, const wisp_spec *spec,
                          bool reproducible, wisp_fixed *rows, wisp_stage *out)
{
  const wisp_chooser from = wisp_session_chooser(session);
  const wisp_choose_request request = {.spec = *spec,
                                       .elements = (long long)m->mesh->elements,
                                       .exact_match_only = session->exact_match_only,
                                       .preset = rows,
                                       .reproducible = reproducible};
  wisp_fixed_ask(rows, "sliced_ell", 0, 0);
  return wisp_choose(err, &from, &request, out);
}

/* A wisp_array_filter: what the stage's kernels take, but for arrays that the caller may bring. */
static bool is_taken(const void *stage, const char *array)
{
  return wisp_stage_has(stage, array) && !wisp_list_has("values F u kappa f", array);
}

/* Before anything is numbered. */
static wisp_status check_size(wisp_error *err, const wisp_session *session, const wisp_matrix *m, const wisp_spec *spec,
                              bool reproducible)
{
  const wisp_limits *limits = wisp_device_limits(session->device);
  HELD(wisp_stage_free) wisp_stage stage = {0};
  wisp_fixed rows = {.made = false};
  char what[64];
  size_t count[4];
  wisp_pattern_count(m->mesh, count);
  snprintf(what, sizeof what, "matrix: %zu elements", m->mesh->elements);
  CALL(wisp_pattern_check(err, what, spec->order, count, spec->precision, limits));
  CALL(choose(err, session, m, spec, reproducible, &rows, &stage));
  return wisp_context(
      err, wisp_assembly_fits(err, limits, m->mesh->corners, spec->order, count, spec->precision, is_taken, &stage),
      "matrix: ");
}

static wisp_status number(wisp_error *err, const wisp_session *session, wisp_matrix *m,
                          const wisp_matrix_request *request, const wisp_spec *spec)
{
  static const int32_t marked = FIXED_TAG;
  const int corners = wisp_cell_find(spec->element)->corners;
  const char *name = request->mesh ? request->mesh : "matrix";
  wisp_fixing fixing = {.vertices_first = true};
  size_t marks = 0;
  CALL(wisp_require(err, !request->groups || (request->mesh && !request->tags), WISP_EUSAGE,
                    "matrix: groups are those of a mesh's file, in place of tags: leave groups or tags out"));
  if (request->mesh) {
    const wisp_mesh_source file = wisp_mesh_source_file(request->mesh, request->merge, request->cracks);
    CALL(wisp_mesh_make(err, corners, &file, &m->mesh));
    fixing.count = request->tag_count, fixing.tag = request->tags;
    if (request->groups)
      CALL(wisp_fixing_read(err, "matrix: groups", name, m->mesh, request->groups, false, &m->groups, &fixing));
    fixing.vertices_first = true;
  } else {
    CALL(wisp_api_mesh(err, "matrix", corners, request->vertices, request->elements, request->xyz, request->corners,
                       &m->mesh));
    if (request->fixed) CALL(mark_fixed(err, request->fixed, m->mesh, &marks));
    fixing.count = marks > 0, fixing.tag = &marked;
  }
  CALL(check_size(err, session, m, spec, request->reproducible));
  CALL(wisp_assembly_create(err, name, m->mesh, spec->order, &fixing, &m->assembly));
  CALL(wisp_api_frame(err, name, m->mesh, spec->precision, &m->assembly->frame));
  return wisp_form_load(err, spec->system, &m->assembly->form);
}

/* --- the kernels --- */

/* The composition's kernels, as they are tuned, and what they ask of the lists. fitted: such as fit this mesh. */
static wisp_status open_kernels(wisp_error *err, wisp_session *session, wisp_matrix *m, wisp_spec spec,
                                bool reproducible, bool fitted, wisp_fixed *fixed)
{
  const wisp_kernel_request request = {WISP_INIT(wisp_kernel_request), .elements = (long long)m->mesh->elements};
  HELD(wisp_stage_free) wisp_stage stage = {0};
  wisp_fixed rows = {.made = false};
  CALL(choose(err, session, m, &spec, reproducible, &rows, &stage));
  if (fitted) CALL(wisp_assembly_fit_stage(err, m->assembly, &stage));
  for (; m->kernels < stage.kernels && m->kernels < MOST_KERNELS; m->kernels++) {
    char text[WISP_SPEC_TEXT];
    const wisp_choice *choice = &stage.choice[m->kernels];
    wisp_spec_name_kernel(&spec, choice->kernel);
    wisp_spec_print(&spec, text);
    CALL(wisp_kernel_open_chosen(err, session, text, &request, &rows, choice, &m->kernel[m->kernels]));
    wisp_fixed_add(fixed, m->kernel[m->kernels]->plan);
  }
  return WISP_OK;
}

/* Whether the caller brings an array at each assembly. */
static bool is_callers(const wisp_form *form, const char *array)
{
  return wisp_list_has("values F u", array) ||
         (strcmp(array, "kappa") == 0 && (form->kappa == WISP_BY_ELEMENT || form->kappa == WISP_BY_MATRIX)) ||
         (strcmp(array, "f") == 0 && form->f == WISP_BY_NODES);
}

/* A wisp_array_filter: lists, the pattern, and arrays that kernels take but do not read; u where it is 0. */
static bool is_ours(const void *self, const char *array)
{
  const wisp_matrix *m = self;
  if (wisp_list_has("row_start columns u", array)) return true;
  return !is_callers(m->assembly->form, array) && wisp_kernels_take(m->kernel, m->kernels, array);
}

/* With the lists that the kernels ask for, or such as have room on this mesh. */
static wisp_status discretise(wisp_error *err, wisp_session *session, wisp_matrix *m, const wisp_spec *spec,
                              bool reproducible, wisp_discretisation *out)
{
  static const wisp_cg_capacity capacity = {.pAp_parts = 1};
  wisp_status status = WISP_EREFUSED;
  for (int fitted = 0; fitted < 2 && status == WISP_EREFUSED; fitted++) {
    wisp_fixed fixed = {.made = true};
    wisp_error why = {.text = ""};
    while (m->kernels) wisp_kernel_close(m->kernel[--m->kernels]);
    CALL(open_kernels(err, session, m, *spec, reproducible, fitted, &fixed));
    status = wisp_assembly_discretise(&why, m->assembly, m->assembly->form->name, &fixed, &capacity, out);
    if (status != WISP_OK && (fitted || status != WISP_EREFUSED)) return wisp_fail(err, status, "%s", why.text);
  }
  return status;
}

/* --- opening and closing --- */

static void release(void *self)
{
  wisp_matrix *m = self;
  for (int k = 0; k < m->kernels; k++) wisp_kernel_close(m->kernel[k]);
  wisp_problem_destroy(m->problem);
  wisp_assembly_destroy(m->assembly);
  wisp_mesh_destroy(m->mesh);
  free(m->groups);
}

static void discard(wisp_matrix *m)
{
  if (m) release(m);
  free(m);
}
WISP_OWNED(wisp_matrix, discard)

wisp_status wisp_matrix_create(wisp_error *err, wisp_session *session, const wisp_matrix_request *request,
                               wisp_matrix **out)
{
  wisp_matrix_request own;
  OWNED(discard) wisp_matrix *m = NULL;
  wisp_spec spec;
  wisp_discretisation d = {.family = NULL};
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, request));
  CALL(WISP_TAKE(err, request, &own));
  request = &own;
  CALL(WISP_GIVEN(err, request->spec));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_spec_parse(err, request->spec, &spec));
  CALL(wisp_require(err, strcmp(spec.family, "assembly") == 0 && wisp_spec_is_composition(&spec), WISP_EUSAGE,
                    "%s is no matrix: take assembly.step, such as assembly.step:tri:p2:laplace:f64", request->spec));
  CALL(wisp_new(err, 1, sizeof *m, &m));
  CALL(number(err, session, m, request, &spec));
  CALL(discretise(err, session, m, &spec, request->reproducible, &d));
  CALL(wisp_problem_open(err, session->device, &d, spec.precision, WISP_NARROW_GUARD, is_ours, m, &m->problem));
  for (int k = 0; k < m->kernels; k++) CALL(wisp_kernel_bind_arrays(err, m->kernel[k], m->problem->arrays, is_ours, m));
  if (request->mesh) CALL(wisp_mesh_note_unused(err, request->mesh, m->mesh));
  wisp_handle_add(session, &m->handle, "matrix", m, release, free);
  return GIVE(m, out);
}

void wisp_matrix_destroy(wisp_matrix *m)
{
  wisp_handle_close("matrix", m);
}

/* --- asking --- */

wisp_status wisp_matrix_size(wisp_error *err, const wisp_matrix *m, wisp_matrix_counts *out)
{
  CALL(WISP_OPEN(err, "matrix", m));
  CALL(WISP_GIVEN(err, out));
  const wisp_pattern *p = m->assembly->pattern;
  *out = (wisp_matrix_counts){.rows = p->rows, .nonzeros = p->nonzeros, .nodes = m->assembly->nodes->nodes};
  return WISP_OK;
}

wisp_status wisp_matrix_nodes(wisp_error *err, const wisp_matrix *m, double *xyz, int *node, size_t *nodes_of_element)
{
  CALL(WISP_OPEN(err, "matrix", m));
  const wisp_simplexnodes *nodes = m->assembly->nodes;
  if (xyz) CALL(wisp_simplexnodes_points(err, nodes, m->mesh, &wisp_frame_none, xyz));
  if (xyz) wisp_plane_place(m->mesh->plane, nodes->nodes, xyz);
  for (size_t i = 0; node && i < nodes->elements * (size_t)nodes->Np; i++) node[i] = nodes->node[i];
  if (nodes_of_element) *nodes_of_element = (size_t)nodes->Np;
  return WISP_OK;
}

wisp_status wisp_matrix_pattern(wisp_error *err, const wisp_matrix *m, int *row_start, int *columns, int *rows)
{
  CALL(WISP_OPEN(err, "matrix", m));
  const wisp_pattern *p = m->assembly->pattern;
  for (size_t i = 0; row_start && i <= p->rows; i++) row_start[i] = p->start[i];
  for (size_t i = 0; columns && i < p->nonzeros; i++) columns[i] = p->column[i];
  for (size_t row = 0; rows && row < p->rows; row++)
    for (int32_t i = p->start[row]; i < p->start[row + 1]; i++) rows[i] = (int)row;
  return WISP_OK;
}

wisp_status wisp_matrix_pattern_on_device(wisp_error *err, const wisp_matrix *m, const int **row_start,
                                          const int **columns)
{
  CALL(WISP_OPEN(err, "matrix", m));
  CALL(WISP_GIVEN(err, row_start));
  CALL(WISP_GIVEN(err, columns));
  *row_start = (const int *)(uintptr_t)wisp_arrays_at(m->problem->arrays, "row_start");
  *columns = (const int *)(uintptr_t)wisp_arrays_at(m->problem->arrays, "columns");
  return WISP_OK;
}

wisp_status wisp_matrix_kernel(wisp_error *err, const wisp_matrix *m, size_t i, wisp_kernel_info *info)
{
  CALL(WISP_OPEN(err, "matrix", m));
  CALL(WISP_GIVEN(err, info));
  CALL(wisp_require(err, i < (size_t)m->kernels, WISP_EMISSING, "matrix: it has no more kernels"));
  return wisp_kernel_describe(err, m->kernel[i], info);
}

wisp_status wisp_matrix_note(wisp_error *err, const wisp_matrix *m, size_t i, wisp_mesh_note *note)
{
  CALL(WISP_OPEN(err, "matrix", m));
  CALL(WISP_GIVEN(err, note));
  return wisp_notes_at(err, &m->mesh->notes, i, note);
}

/* --- assembling --- */

/* An argument that is the caller's: an array of a count's size, or a number. */
static wisp_status give(wisp_error *err, wisp_matrix *m, wisp_kernel *kernel, const wisp_argument *a,
                        const wisp_matrix_data *data, void *values, void *F)
{
  const struct {
    const char *name;
    const void *memory;
    size_t numbers;
  } arrays[] = {{"values", values, m->assembly->pattern->nonzeros},
                {"F", F, m->assembly->pattern->rows},
                {"u", data->u, m->assembly->nodes->nodes},
                {"f", data->f, m->assembly->nodes->nodes},
                {"kappa", data->of_elements, wisp_assembly_kappas(m->assembly) * m->mesh->elements}};
  const wisp_count numbers[] = {{"kappa0", 0}, {"kappa1", 1}, {"kappa2", 2}, {"density", 3}, {"mass", 4}};
  const double of[] = {data->kappa[0], data->kappa[1], data->kappa[2], data->density, data->mass};
  for (size_t i = 0; i < WISP_COUNT(numbers); i++)
    if (strcmp(a->name, numbers[i].name) == 0) return wisp_kernel_set(err, kernel, a->name, of[i]);
  if (!is_callers(m->assembly->form, a->name)) return WISP_OK;
  for (size_t i = 0; i < WISP_COUNT(arrays); i++) {
    const wisp_pointer zeros = wisp_arrays_at(m->problem->arrays, arrays[i].name);
    if (strcmp(a->name, arrays[i].name) != 0) continue;
    const void *memory = arrays[i].memory ? arrays[i].memory : (void *)(uintptr_t)zeros;
    const bool needed = m->assembly->form->kappa == WISP_BY_NODES || strcmp(a->name, "u") != 0;
    CALL(wisp_require(err, arrays[i].memory || !needed, WISP_EUSAGE, "matrix: form %s needs %s, which is NULL",
                      m->assembly->form->name, a->name));
    return wisp_kernel_bind(err, kernel, a->name, memory, arrays[i].numbers);
  }
  return WISP_OK;
}

/* Once, or once a colour. */
static wisp_status launch(wisp_error *err, const wisp_matrix *m, wisp_kernel *kernel, void *stream)
{
  const wisp_discretisation *d = &m->problem->d;
  const wisp_kernel_decl *decl = wisp_family_kernel(d->family, kernel->plan->spec.kernel);
  wisp_count counts[WISP_MAX_COUNTS + 1] = {{NULL, 0}}, *first = counts;
  if (!decl->launches) return wisp_kernel_launch_part(err, kernel, d->counts, stream);
  memcpy(counts, d->counts, sizeof d->counts);
  while (first->name) first++;
  wisp_count *groups = counts;
  while (strcmp(groups->name, d->cuts->of) != 0) groups++;
  for (size_t i = 0; i < d->cuts->spans; i++) {
    *first = (wisp_count){"first", d->cuts->span[i].first};
    groups->value = d->cuts->span[i].count;
    if (groups->value) CALL(wisp_kernel_launch_part(err, kernel, counts, stream));
  }
  return WISP_OK;
}

wisp_status wisp_matrix_assemble(wisp_error *err, wisp_matrix *m, const wisp_matrix_data *data, void *values, void *F,
                                 void *stream)
{
  wisp_argument a;
  wisp_matrix_data own;
  CALL(WISP_OPEN(err, "matrix", m));
  CALL(WISP_GIVEN(err, data));
  CALL(WISP_TAKE(err, data, &own));
  data = &own;
  CALL(WISP_GIVEN(err, values));
  CALL(WISP_GIVEN(err, F));
  CALL(wisp_require(err, m->assembly->form->kappa != WISP_BY_NUMBER || (data->kappa[0] > 0 && isfinite(data->kappa[0])),
                    WISP_EUSAGE, "matrix: kappa is %g: must be positive", data->kappa[0]));
  for (int k = 0; k < m->kernels; k++)
    for (size_t i = 0; wisp_kernel_argument(NULL, m->kernel[k], i, &a) == WISP_OK; i++)
      if (a.kind != WISP_ARGUMENT_OPERAND) CALL(give(err, m, m->kernel[k], &a, data, values, F));
  for (int k = 0; k < m->kernels; k++) CALL(launch(err, m, m->kernel[k], stream));
  return WISP_OK;
}
