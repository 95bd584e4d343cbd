#include "bent_box.h"
#include "poisson_case.h"
#include "test.h"
#include "solving.h"

/* "collocated_trilinear": the problem that has this operator, and its geometry. */
static void take_kernel(wisp_solver *s, const char *kernel)
{
  static const char *const problems[] = {"bp1", "bp3", "bp5"};
  wisp_hex_operator op;
  assert_true(wisp_hex_operator_find(kernel, &op));
  GOOD(wisp_solver_take(err, s, "problem", problems[op]));
  GOOD(wisp_solver_take(err, s, "geometry", strchr(kernel, '_') ? "trilinear" : "stored"));
}

void poisson_open(poisson_case *c, wisp_hexmesh *mesh, const poisson_setup *setup)
{
  static const char *const preconditioners[] = {"none", "jacobi", "chebyshev", "multigrid"};
  char text[32];
  *c = (poisson_case){.session = default_session(), .mesh = mesh};
  GOOD(wisp_solver_new(err, &wisp_poisson_kind, "poisson", &c->base));
  c->base->mesh = mesh;
  c->base->own_mesh = true;
  c->base->order = setup->order;
  if (setup->precision) c->base->precision = setup->precision;
  take_kernel(c->base, setup->kernel);
  snprintf(text, sizeof text, "%.17g", setup->lambda);
  GOOD(wisp_solver_take(err, c->base, "lambda", text));
  GOOD(wisp_solver_take(err, c->base, "preconditioner", preconditioners[setup->preconditioner]));
  snprintf(text, sizeof text, "%d", setup->degree);
  if (setup->degree && setup->preconditioner >= WISP_CHEBYSHEV) GOOD(wisp_solver_take(err, c->base, "degree", text));
  GOOD(wisp_solver_begin(err, c->base, NULL));
  GOOD(wisp_solver_open(err, c->base, c->session, NULL));
  wisp_poisson_run *run = (wisp_poisson_run *)c->base;
  c->problem = run->problem, c->solver = run->solver, c->x = run->x;
  c->stage = *c->base->stage;
}

void poisson_close(poisson_case *c)
{
  wisp_solver_discard(c->base);
  wisp_session_close(c->session);
}

wisp_cg_report poisson_solve(poisson_case *c, double tolerance, long long most)
{
  wisp_cg_report report;
  GOOD(wisp_cg_solve(err, c->solver->cg, c->problem->b, tolerance, most, NULL, &report));
  GOOD(wisp_cg_solution(err, c->solver->cg, c->x));
  return report;
}

wisp_hexmesh *hex_box(int n, double amplitude)
{
  const int sides[3] = {n, n, n};
  wisp_hexmesh *mesh = NULL;
  GOOD(wisp_mesh_grid(err, 8, sides, &mesh));
  if (amplitude != 0) GOOD(bend_box(err, mesh, amplitude));
  return mesh;
}
