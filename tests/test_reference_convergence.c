/* Claim: the references put together are the discontinuous Galerkin method: they keep the energy as the flux should,
 * and a cavity's mode converges to order N + 1. */
#include "test.h"
#include "dg_case.h"
#include "../runtime/nodal/start.h"

static void right_hand_side(const wisp_dg *dg, double alpha, const double *u, double *flux, double *rhs)
{
  wisp_reference_volume(dg, u, rhs);
  wisp_reference_gather(dg, alpha, u, NULL, flux, NULL);
  wisp_reference_lift(dg, flux, rhs);
}

/* d/dt of the energy over the energy's own scale: with s = rhs scaled to u's size, 2 B(u, s) = (B(u+s) - B(u-s)) / 2.
 */
static double energy_rate(const wisp_dg *dg, double alpha)
{
  size_t size = wisp_dg_volume_size(dg);
  double *u = dg_case_volume(dg), *rhs = dg_case_volume(dg), *flux = dg_case_face(dg), energy, other, plus, minus;
  dg_case_noise(dg, u);
  right_hand_side(dg, alpha, u, flux, rhs);
  GOOD(wisp_dg_energy(err, dg, u, &energy));
  GOOD(wisp_dg_energy(err, dg, rhs, &other));
  double scale = sqrt(energy / other);
  for (size_t i = 0; i < size; i++) u[i] += scale * rhs[i];
  wisp_dg_energy(NULL, dg, u, &plus);
  for (size_t i = 0; i < size; i++) u[i] -= 2 * scale * rhs[i];
  wisp_dg_energy(NULL, dg, u, &minus);
  free(u);
  free(rhs);
  free(flux);
  return (plus - minus) / (2 * energy);
}

TEST(test_energy)
{
  for (int N = 1; N <= 4; N++) {
    dg_case c;
    dg_case_make(&c, N, 2, 0.2);
    wisp_layout layout = wisp_layout_microblocked(c.tet->Np, 4 * c.tet->Nfp, 16);
    dg_case_discretise(&c, &layout, WISP_GROUP_GREEDY, 5, "pec");
    assert_true(fabs(energy_rate(c.dg, 0)) < 1e-12);
    assert_true(energy_rate(c.dg, 0.5) < -1e-3);
    assert_true(energy_rate(c.dg, 1) < -1e-3);
    dg_case_discretise(&c, &layout, WISP_GROUP_GREEDY, 5, "absorbing");
    assert_true(fabs(energy_rate(c.dg, 0)) <
                1e-12); /* the mean with 0 outside carries half a flux: none of the energy */
    assert_true(energy_rate(c.dg, 1) < -1e-3);
    dg_case_free(&c);
  }
}

/* The mode is a solution: its fields satisfy the equations, by central differences, and the walls conduct. */
TEST(test_cavity)
{
  static const int modes[][3] = {{1, 1, 0}, {1, 0, 2}, {0, 2, 1}, {1, 2, 3}};
  const double h = 1e-5, x[3] = {0.3, 0.45, 0.7}, t = 0.2;
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  assert_int_equal(wisp_mesh_box(NULL, 1, &mesh), WISP_OK);
  assert_int_equal(wisp_system_load(NULL, "maxwell", &system), WISP_OK);
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
    wisp_start cavity;
    double du[4][6], up[6], um[6], size = 0;
    assert_int_equal(wisp_start_choose(NULL, mesh, system, "cavity", modes[m], &cavity), WISP_OK);
    for (int c = 0; c < 4; c++) {
      double xp[3] = {x[0], x[1], x[2]}, xm[3] = {x[0], x[1], x[2]};
      if (c < 3) xp[c] += h, xm[c] -= h;
      wisp_start_field(&cavity, 1, xp, c < 3 ? t : t + h, up);
      wisp_start_field(&cavity, 1, xm, c < 3 ? t : t - h, um);
      for (int f = 0; f < 6; f++) du[c][f] = (up[f] - um[f]) / (2 * h), size += fabs(up[f]);
    }
    for (int c = 0; c < 3; c++) {
      int a = (c + 1) % 3, b = (c + 2) % 3;
      assert_true(fabs(du[3][c] - (du[a][3 + b] - du[b][3 + a])) < 1e-7);
      assert_true(fabs(du[3][3 + c] + (du[a][b] - du[b][a])) < 1e-7);
      double wall[3] = {x[0], x[1], x[2]};
      wall[c] = 1;
      wisp_start_field(&cavity, 1, wall, t, up);
      assert_true(fabs(up[a]) < 1e-14 && fabs(up[b]) < 1e-14 && fabs(up[3 + c]) < 1e-14);
    }
    for (int s = 0; s < 2; s++)
      assert_true(fabs(du[0][3 * s] + du[1][3 * s + 1] + du[2][3 * s + 2]) < 1e-7); /* no charge */
    assert_true(size > 0.1);
  }
  wisp_start cavity;
  wisp_error err = {0};
  assert_int_equal(wisp_start_choose(&err, mesh, system, "cavity", (int[3]){1, 0, 0}, &cavity), WISP_EUSAGE);
  assert_int_equal(wisp_start_choose(&err, mesh, system, "cavity", (int[3]){1, 1, -1}, &cavity), WISP_EUSAGE);
}

/* Integrates from 0 to T in steps of at most cfl * min_length / (N+1)^2. */
static double cavity_error(const wisp_dg *dg, double T)
{
  double cfl = 2, *u = dg_case_volume(dg), *rhs = dg_case_volume(dg), *flux = dg_case_face(dg), error;
  size_t size = wisp_dg_volume_size(dg);
  OWNED(free) double *res = calloc(size, sizeof *res);
  wisp_start cavity;
  int N1 = dg->tet->N + 1, steps = (int)ceil(T * N1 * N1 / (cfl * dg->min_length));
  double dt = T / steps;
  GOOD(wisp_start_choose(err, dg->mesh, dg->system, "cavity", (int[3]){1, 1, 0}, &cavity));
  wisp_dg_fill(dg, wisp_start_field, &cavity, 0, u);
  for (int step = 0; step < steps; step++)
    for (int s = 0; s < wisp_lsrk45.stages; s++) {
      right_hand_side(dg, 1, u, flux, rhs);
      for (size_t i = 0; i < size; i++) {
        res[i] = wisp_lsrk45.stage[s].a * res[i] + dt * rhs[i];
        u[i] += wisp_lsrk45.stage[s].b * res[i];
      }
    }
  assert_int_equal(wisp_dg_l2_error(NULL, dg, u, wisp_start_field, &cavity, T, &error), WISP_OK);
  free(u);
  free(rhs);
  free(flux);
  return error;
}

/* From 2 to 4 cubes a side at least N + 0.7, and 3 in between. */
TEST(test_converges)
{
  const int highest = getenv("WISP_TEST_COARSE") ? 2 : 3; /* sanitized, the last takes nine tenths of the time */
  for (int N = 1; N <= highest; N++) {
    double error[5];
    for (int n = 2; n <= 4; n++) {
      dg_case c;
      dg_case_make(&c, N, n, 0);
      wisp_layout layout = wisp_layout_microblocked(c.tet->Np, 4 * c.tet->Nfp, 16);
      dg_case_discretise(&c, &layout, WISP_GROUP_NATURAL, 1, "pec");
      error[n] = cavity_error(c.dg, 0.3);
      dg_case_free(&c);
    }
    double order = log2(error[2] / error[4]);
    if (!(order > N + 0.7 && error[3] < error[2] && error[4] < error[3]))
      fail_msg("order %d: errors %.3e %.3e %.3e, convergence of order %.2f", N, error[2], error[3], error[4], order);
  }
}
