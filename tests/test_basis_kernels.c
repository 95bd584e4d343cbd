/* Claim: the kernels of the nodal and of the Bernstein-Bezier basis make the same right-hand sides, after a change of
 * basis in double: to 1e-11 of the largest number in double precision, in single to 1e-5 of smooth fields and 5e-4 of
 * random ones, on moved and shuffled tets that do not fill a group, Maxwell's equations and acoustics in media that
 * jump. Here at N = 1, 4 and 10; WISP_TEST_FULL=1: at 1 to 10 (WISP_TEST_SHARE=0/5 to 4/5: five processes take two
 * orders each). */
#include "test.h"
#include "each_plan.h"
#include "solving.h"
#include "../runtime/mesh/source.h"

#include <math.h>

static const char *const jumps[32] = {"x<0.5?1:4", "y<0.5?1:3"}; /* rho, kappa; the rest follows from them */

/* The context is the number of fields. */
static void wave(const void *context, size_t count, const double *xyz, double t, double *u)
{
  const int n = *(const int *)context;
  for (size_t i = 0; i < count; i++) {
    const double *x = xyz + 3 * i;
    for (int f = 0; f < n; f++) *u++ = sin(x[0] + 2 * x[1] - x[2] + t + f) + cos(2 * x[0] * x[1] + f);
  }
}

/* 43 tets, inner vertices moved, elements, vertices and corners in random order: neighbours lie anywhere, turned
 * anyhow. */
static wisp_mesh *unstructured(void)
{
  wisp_mesh *mesh = ragged_box(2, 5);
  double by[3];
  for (size_t v = 0; v < mesh->vertices; v++) {
    double *x = mesh->xyz + 3 * v;
    fill_random(by, 3);
    for (int c = 0; c < 3; c++)
      if (fabs(x[0] - 0.5) + fabs(x[1] - 0.5) + fabs(x[2] - 0.5) < 0.1) x[c] += 0.1 * by[c];
  }
  GOOD(wisp_mesh_shuffle(err, mesh, 7));
  return mesh;
}

/* Every field of every element from an array of the dg to one in the mesh's order, or back. */
static void reorder(const wisp_dg *dg, double *array, double *plain, bool back)
{
  const int n = dg->system->fields, Np = dg->tet->Np;
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < n; f++)
      for (int i = 0; i < Np; i++) {
        double *at = array + wisp_layout_volume(&dg->layout, n, f, k, (size_t)i);
        double *number = plain + ((size_t)dg->slot[k] * (size_t)n + (size_t)f) * (size_t)Np + i;
        *(back ? at : number) = back ? *number : *at;
      }
}

static void change(const solving *s, void (*how)(const wisp_tet *tet, double *u), double *plain)
{
  const size_t all = s->mesh->elements * (size_t)s->system->fields, Np = (size_t)s->tet->Np;
  for (size_t i = 0; i < all; i++) how(s->tet, plain + i * Np);
}

/* L u of the values in nodes, in the mesh's order, by the basis' own kernels; random values, or a wave's. */
static double *right_hand_side(const solving_setup *setup, bool random, size_t *count)
{
  solving s;
  wisp_error why = {.text = ""};
  const bool bernstein = strcmp(setup->element, "tet") != 0;
  if (!solving_open(&why, &s, unstructured(), setup)) fail_msg("%s", why.text);
  *count = s.mesh->elements * (size_t)(s.system->fields * s.tet->Np);
  double *plain = malloc(*count * sizeof *plain), *u = calloc(wisp_arrays_size(s.problem->arrays, "u"), sizeof *u);
  assert_true(plain && u);
  wisp_dg_fill(s.dg, wave, &s.system->fields, 0, u); /* in the basis, from its nodes */
  reorder(s.dg, u, plain, false);
  if (random) fill_random(plain, *count);
  if (random && bernstein) change(&s, wisp_tet_from_nodes, plain);
  reorder(s.dg, u, plain, true);
  GOOD(wisp_solution_put(err, s.problem, u));
  GOOD(wisp_integrator_apply(err, &s.solver->integrator, 1));
  GOOD(wisp_device_finish(err, s.device));
  GOOD(wisp_arrays_download(err, s.problem->arrays, "u", u));
  reorder(s.dg, u, plain, false);
  if (bernstein) change(&s, wisp_tet_to_nodes, plain);
  free(u);
  solving_close(&s);
  return plain;
}

static void compare(int N, const char *system, wisp_precision precision, bool random)
{
  solving_setup setup = {.order = N, .precision = precision, .system = system, .element = "tet"};
  if (strcmp(system, "acoustics") == 0) setup.media = jumps;
  size_t count;
  double *nodal = right_hand_side(&setup, random, &count), most = 0, largest = 0;
  setup.element = "bernstein-tet";
  double *bernstein = right_hand_side(&setup, random, &count);
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs(nodal[i] - bernstein[i]));
    largest = fmax(largest, fabs(nodal[i]));
  }
  print_message("N = %2d, %s, %s, %s: %.1e\n", N, system, precision == WISP_F64 ? "f64" : "f32",
                random ? "random" : "smooth", most / largest);
  assert_true(largest > 0 && most <= (precision == WISP_F64 ? 1e-11 : random ? 5e-4 : 1e-5) * largest);
  free(nodal), free(bernstein);
}

static void test_kernels_of_both(void **state)
{
  const bool full = getenv("WISP_TEST_FULL");
  for (int N = 1; N <= 10; N++)
    for (int s = 0; s < 2 && (full ? share_has_turn((size_t)N) : N == 1 || N == 4 || N == 10); s++)
      for (int p = 0; p < 2; p++)
        for (int random = 0; random < 2; random++)
          compare(N, s ? "acoustics" : "maxwell", p ? WISP_F64 : WISP_F32, random);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels_of_both)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
