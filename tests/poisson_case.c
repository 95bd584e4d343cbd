#include "good.h"
#include "bent_box.h"
#include "poisson_case.h"
#include "solving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

void poisson_open(poisson_case *c, wisp_hexmesh *mesh, const poisson_setup *setup)
{
  char composition[WISP_POISSON_COMPOSITION];
  wisp_hex_operator op;
  const wisp_precision precision = setup->precision ? setup->precision : WISP_F64;
  const wisp_poisson_method request = {precision, setup->preconditioner, setup->degree ? setup->degree : 3};
  wisp_poisson_composition(setup->kernel, setup->preconditioner, composition);
  const wisp_wish wish = {.spec = wisp_family_spec(wisp_family_find("tensor"), setup->order, "poisson", precision),
                          .elements = (long long)mesh->elements,
                          .composition = composition};
  *c = (poisson_case){.mesh = mesh};
  assert_true(wisp_hex_operator_find(setup->kernel, &op));
  GOOD(wisp_strategies_load(err, &c->strategies));
  GOOD(wisp_device_open(err, test_device(), &c->device));
  GOOD(wisp_poisson_create(err, "test", mesh, setup->order, op, setup->lambda, &c->problem));
  const wisp_chooser from = {c->strategies, NULL, wisp_device_limits(c->device), NULL};
  GOOD(wisp_choose(err, &from, &wish, &c->stage));
  GOOD(wisp_poisson_solver_create(err, c->device, c->problem, &c->stage, &request, &c->solver));
  c->x = calloc(c->problem->copies->unknowns, sizeof *c->x);
  assert_non_null(c->x);
}

void poisson_close(poisson_case *c)
{
  free(c->x);
  wisp_poisson_solver_destroy(c->solver);
  wisp_stage_free(&c->stage);
  wisp_poisson_destroy(c->problem);
  wisp_mesh_destroy(c->mesh);
  wisp_device_close(c->device);
  wisp_strategies_free(c->strategies);
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
