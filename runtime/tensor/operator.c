/* Whole operators of the tensor family: the caller's hexes become the arrays that its kernels read, and y = A x one
 * launch of them, or three where copies of shared nodes are added up. */
#include "cg_problem.h"
#include "hex_reference.h"
#include "../api/api.h"

/* In launch order. Only an assembled one has more than the operator itself. */
enum { SPREAD, OPERATOR, GATHER, KERNELS };

struct wisp_operator {
  wisp_handle handle;
  wisp_hex_operator what;
  double lambda;
  wisp_hex *hex;
  wisp_hexmesh *mesh;
  wisp_hexnodes *nodes;   /* of an assembled one; */
  wisp_hexcopies *copies; /* all of its nodes are unknowns */
  bool assembled;
  wisp_problem *problem; /* geometry, what leads from nodes to elements, and the elements' own u and y */
  wisp_kernel *kernel[KERNELS];
  size_t numbers; /* of x and y */
};

/* --- opening and closing --- */

static void release(void *self)
{
  wisp_operator *op = self;
  for (int k = 0; k < KERNELS; k++) wisp_kernel_close(op->kernel[k]);
  wisp_problem_destroy(op->problem);
  wisp_hexcopies_destroy(op->copies);
  wisp_hexnodes_destroy(op->nodes);
  wisp_mesh_destroy(op->mesh);
  wisp_hex_destroy(op->hex);
}

static void discard(wisp_operator *op)
{
  if (op) release(op);
  free(op);
}
WISP_OWNED(wisp_operator, discard)

static wisp_status open_kernel(wisp_error *err, wisp_session *session, wisp_operator *op, wisp_spec spec,
                               const char *kernel, int as)
{
  const wisp_kernel_request request = {WISP_INIT(wisp_kernel_request), .elements = (long long)op->mesh->elements};
  char text[WISP_SPEC_TEXT];
  wisp_spec_name_kernel(&spec, kernel);
  wisp_spec_print(&spec, text);
  return wisp_kernel_open(err, session, text, &request, &op->kernel[as]);
}

/* --- arrays --- */

/* A wisp_array_filter: arrays of the kernels that the caller does not bring, which are all but x and y themselves. */
static bool is_ours(const void *self, const char *array)
{
  const wisp_operator *op = self;
  const bool is_callers = wisp_list_has(op->assembled ? "vector p Ap" : "u y", array);
  return !is_callers && wisp_kernels_take(op->kernel, KERNELS, array);
}

/* By the elements alone. */
static wisp_discretisation describe(const wisp_operator *op)
{
  const size_t elements = op->mesh->elements;
  return (wisp_discretisation){
      .family = wisp_family_find("tensor"),
      .counts = {
          {"elements", elements}, {"groups", elements}, {"Np", (size_t)op->hex->Np}, {"glNp", (size_t)op->hex->glNp}}};
}

static wisp_status make_problem(wisp_error *err, wisp_session *session, wisp_operator *op, wisp_precision precision)
{
  const size_t elements = op->mesh->elements;
  unsigned grid[3] = {1, 1, 1};
  wisp_discretisation d = describe(op);
  if (op->copies) {
    CALL(wisp_kernel_shape(err, op->kernel[GATHER], (wisp_count[]){{"groups", 1}, {NULL, 0}}, grid, NULL, NULL));
    d = wisp_cg_discretisation(op->copies, elements, op->hex->N, &(wisp_cg_capacity){.pAp_parts = grid[0]});
  }
  CALL(wisp_problem_open(err, session->device, &d, precision, WISP_NARROW_GUARD, is_ours, op, &op->problem));
  wisp_frame frame = wisp_mesh_shift(op->mesh);
  if (wisp_arrays_size(op->problem->arrays, "vertices"))
    CALL(wisp_api_frame(err, "operator", op->mesh, precision, &frame));
  return wisp_hex_upload(err, op->hex, op->mesh, &frame, op->problem->arrays);
}

wisp_status wisp_operator_create(wisp_error *err, wisp_session *session, const wisp_operator_request *request,
                                 wisp_operator **out)
{
  wisp_operator_request own;
  OWNED(discard) wisp_operator *op = NULL;
  wisp_spec spec;
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, request));
  CALL(WISP_TAKE(err, request, &own));
  request = &own;
  CALL(WISP_GIVEN(err, request->spec));
  CALL(WISP_GIVEN(err, request->xyz));
  CALL(WISP_GIVEN(err, request->corners));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_new(err, 1, sizeof *op, &op));
  CALL(wisp_spec_parse(err, request->spec, &spec));
  CALL(wisp_require(err, strcmp(spec.family, "tensor") == 0 && wisp_hex_operator_find(spec.kernel, &op->what),
                    WISP_EUSAGE, "%s is no operator: take tensor.mass, .stiffness, .collocated", request->spec));
  op->lambda = request->lambda;
  CALL(wisp_hex_create(err, spec.order, &op->hex));
  CALL(wisp_api_mesh(err, "operator", 8, request->vertices, request->elements, request->xyz, request->corners,
                     &op->mesh));
  op->assembled = request->assembled;
  CALL(open_kernel(err, session, op, spec, spec.kernel, OPERATOR));
  if (op->assembled) CALL(open_kernel(err, session, op, spec, "spread", SPREAD));
  if (op->assembled) CALL(open_kernel(err, session, op, spec, "gather", GATHER));
  const wisp_discretisation least = describe(op); /* before anything is numbered: without what nodes take */
  CALL(wisp_problem_fits(err, wisp_device_limits(session->device), &least, spec.precision, WISP_NARROW_GUARD, is_ours,
                         op, 0));
  if (op->assembled) {
    CALL(wisp_hexnodes_create(err, "operator", op->mesh, op->hex->N, &op->nodes));
    CALL(wisp_hexcopies_create(err, op->nodes, false, &op->copies));
  }
  op->numbers = op->copies ? op->copies->unknowns : op->mesh->elements * (size_t)op->hex->Np;
  CALL(make_problem(err, session, op, spec.precision));
  for (int k = 0; k < KERNELS; k++)
    if (op->kernel[k]) CALL(wisp_kernel_bind_arrays(err, op->kernel[k], op->problem->arrays, is_ours, op));
  if (wisp_kernels_take(&op->kernel[OPERATOR], 1, "lambda"))
    CALL(wisp_kernel_set(err, op->kernel[OPERATOR], "lambda", op->lambda));
  wisp_handle_add(session, &op->handle, "operator", op, release, free);
  return GIVE(op, out);
}

void wisp_operator_destroy(wisp_operator *op)
{
  wisp_handle_close("operator", op);
}

/* --- asking --- */

wisp_status wisp_operator_size(wisp_error *err, const wisp_operator *op, size_t *numbers)
{
  CALL(WISP_OPEN(err, "operator", op));
  CALL(WISP_GIVEN(err, numbers));
  *numbers = op->numbers;
  return WISP_OK;
}

wisp_status wisp_operator_kernel(wisp_error *err, const wisp_operator *op, size_t i, wisp_kernel_info *info)
{
  CALL(WISP_OPEN(err, "operator", op));
  CALL(WISP_GIVEN(err, info));
  for (int k = 0; k < KERNELS; k++)
    if (op->kernel[k] && i-- == 0) return wisp_kernel_describe(err, op->kernel[k], info);
  return wisp_fail(err, WISP_EMISSING, "operator: it has no more kernels");
}

/* Which number of x and y belongs to node i of element e. */
static size_t number_of(const wisp_operator *op, size_t e, size_t i)
{
  const size_t local = e * (size_t)op->hex->Np + i;
  return op->copies ? (size_t)op->copies->unknown[op->nodes->global[local]] : local;
}

wisp_status wisp_operator_nodes(wisp_error *err, const wisp_operator *op, double *xyz)
{
  OWNED(free) double *points = NULL;
  double vertices[24];
  CALL(WISP_OPEN(err, "operator", op));
  CALL(WISP_GIVEN(err, xyz));
  const size_t Np = (size_t)op->hex->Np;
  CALL(wisp_new(err, 3 * Np, sizeof *points, &points));
  for (size_t e = 0; e < op->mesh->elements; e++) {
    wisp_hex_vertices(op->mesh, &wisp_frame_none, e, 1, vertices);
    wisp_hex_coordinates(op->hex, WISP_HEX_GLL, vertices, points);
    for (size_t i = 0; i < Np; i++) memcpy(xyz + 3 * number_of(op, e, i), points + 3 * i, 3 * sizeof *xyz);
  }
  return WISP_OK;
}

wisp_status wisp_operator_diagonal(wisp_error *err, const wisp_operator *op, double *diagonal)
{
  OWNED(free) double *of_elements = NULL;
  CALL(WISP_OPEN(err, "operator", op));
  CALL(WISP_GIVEN(err, diagonal));
  const size_t Np = (size_t)op->hex->Np, elements = op->mesh->elements;
  CALL(wisp_new(err, elements * Np, sizeof *of_elements, &of_elements));
  CALL(wisp_hex_diagonals(err, op->hex, op->what, op->mesh, &wisp_frame_none, op->lambda, of_elements));
  memset(diagonal, 0, op->numbers * sizeof *diagonal);
  for (size_t i = 0; i < elements * Np; i++) diagonal[number_of(op, i / Np, i % Np)] += of_elements[i];
  return WISP_OK;
}

/* --- applying --- */

wisp_status wisp_operator_apply(wisp_error *err, wisp_operator *op, const void *x, void *y, void *stream)
{
  CALL(WISP_OPEN(err, "operator", op));
  CALL(WISP_GIVEN(err, x));
  CALL(WISP_GIVEN(err, y));
  CALL(wisp_require(err, x != y, WISP_EUSAGE, "operator: x and y are the same array: give two"));
  /* The caller's vectors have as many numbers as there are unknowns; kernels that read and write vectors of conjugate
   * gradients touch no more, though these are padded. */
  wisp_kernel *last = op->kernel[op->copies ? GATHER : OPERATOR];
  const size_t numbers = op->copies ? wisp_cg_padded(op->numbers) : op->numbers;
  if (op->copies) CALL(wisp_kernel_bind(err, op->kernel[SPREAD], "vector", x, numbers));
  CALL(wisp_kernel_bind(err, last, op->copies ? "p" : "u", x, numbers));
  CALL(wisp_kernel_bind(err, last, op->copies ? "Ap" : "y", y, numbers));
  for (int k = 0; k < KERNELS; k++)
    if (op->kernel[k]) CALL(wisp_kernel_launch_part(err, op->kernel[k], op->problem->d.counts, stream));
  return WISP_OK;
}
