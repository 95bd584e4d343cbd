/* Claim: pair descriptors and per-face arrays describe the same fluxes, and descriptors cover every face once. */
#include "test.h"
#include "dg_case.h"

enum { INTRA, INTER, BOUNDARY, KINDS };

/* One descriptor, read. */
typedef struct pair {
  size_t fetch_m, fetch_p, store_m, store_p;
  int list_m, list_p, boundary;
  const double *real;
} pair;

static pair read_pair(const wisp_dg *dg, int i)
{
  const int *at = dg->pair_int + WISP_PAIR_INTS * i;
  return (pair){(size_t)at[0], (size_t)at[1],   (size_t)at[3],    (size_t)at[4],
                at[2] % 32,    at[2] / 32 % 32, at[2] / 1024 - 1, dg->pair_real + WISP_PAIR_REALS * i};
}

static void fetch(const wisp_dg *dg, const double *u, size_t address, int list, int i, double *out)
{
  size_t node = (size_t)dg->tet->facelist[list * dg->tet->Nfp + i];
  for (int f = 0; f < 6; f++)
    out[f] = u[address + (size_t)(f * dg->layout.NpM) +
               node * (dg->layout.order == WISP_NODE_FASTEST ? 1 : (size_t)dg->layout.KM)];
}

/* Nothing may have been there before. */
static void store(const wisp_dg *dg, double *flux, size_t address, int i, double Fscale, const double *values)
{
  for (int f = 0; f < 6; f++) {
    double *at = flux + address + (size_t)(f * dg->layout.NfM) +
                 (size_t)i * (dg->layout.order == WISP_NODE_FASTEST ? 1 : (size_t)dg->layout.KM);
    assert_true(isnan(*at));
    *at = Fscale * values[f];
  }
}

/* Algorithm 3 of paper 0 as a loop: `flux` is that of the block. */
static void drive_pair(const wisp_dg *dg, pair p, int kind, const double *u, double *flux)
{
  double u_m[6], u_p[6], values[6], back[3] = {-p.real[0], -p.real[1], -p.real[2]};
  assert_int_equal(p.boundary, kind == BOUNDARY ? wisp_system_boundary(dg->system, "absorbing") : -1);
  for (int i = 0; i < dg->tet->Nfp; i++) {
    fetch(dg, u, p.fetch_m, p.list_m, i, u_m);
    fetch(dg, u, p.fetch_p, p.list_p, i, u_p);
    wisp_system_flux(dg->system, p.boundary, p.real, 0.7, u_m, u_p, values, NULL);
    store(dg, flux, p.store_m, i, p.real[3], values);
    if (kind != INTRA) continue;
    int there = dg->turnlist[p.list_p % 6 * dg->tet->Nfp + i];
    wisp_system_flux(dg->system, -1, back, 0.7, u_p, u_m, values, NULL);
    store(dg, flux, p.store_p, there, p.real[4], values);
  }
}

static void gather(const wisp_dg *dg, const double *u, double *flux, int count[KINDS])
{
  size_t size = (size_t)(dg->MB * 6 * dg->layout.NfM);
  int expected = 0;
  for (size_t b = 0; b < dg->blocks; b++) {
    const int *block = dg->pair_block + WISP_BLOCK_INTS * b;
    assert_int_equal(block[0], expected);
    for (int kind = 0; kind < KINDS; kind++) {
      assert_true(block[kind + 1] >= block[kind]);
      for (int i = block[kind]; i < block[kind + 1]; i++, count[kind]++)
        drive_pair(dg, read_pair(dg, i), kind, u, flux + b * size);
    }
    expected = block[KINDS];
  }
  assert_int_equal(expected, dg->pairs);
}

/* Gathers both ways and compares, written places included. An inner face within a block has one descriptor, between
 * blocks two. */
static void compare(const wisp_dg *dg)
{
  OWNED(free) double *u = dg_case_volume(dg), *flux = dg_case_face(dg), *reference = dg_case_face(dg);
  int count[KINDS] = {0}, boundaries = 0;
  dg_case_noise(dg, u);
  gather(dg, u, flux, count);
  wisp_reference_gather(dg, 0.7, u, NULL, reference, NULL);
  for (size_t i = 0; i < wisp_dg_face_size(dg); i++) {
    assert_int_equal(isnan(flux[i]), isnan(reference[i]));
    if (!isnan(flux[i])) assert_true(fabs(flux[i] - reference[i]) < 1e-12 * (1 + fabs(reference[i])));
  }
  for (size_t f = 0; f < 4 * dg->mesh->elements; f++) boundaries += dg->mesh->neighbour[f] == WISP_BOUNDARY;
  assert_int_equal(count[BOUNDARY], boundaries);
  assert_int_equal(2 * count[INTRA] + count[INTER] + count[BOUNDARY], 4 * dg->mesh->elements);
  if (dg->blocks == 1) assert_int_equal(count[INTER], 0);
}

/* Under valgrind: some block sizes, low orders and small boxes for all. */
static bool is_quick(void)
{
  return getenv("WISP_TEST_QUICK") != NULL;
}

/* Every layout that is tried, and small groups that make many blocks. */
static void everywhere(int N, int n)
{
  dg_case c;
  wisp_layout layouts[10];
  dg_case_make(&c, N, n, 0.2);
  int Np = c.tet->Np, Nf = 4 * c.tet->Nfp, count = wisp_layouts(Np, Nf, layouts);
  const int step = is_quick() ? 3 : 1;
  layouts[count++] = wisp_layout_slab(Np, Nf, 5);
  layouts[count++] = wisp_layout_padded(Np, Nf, 64);
  for (int l = 0; l < count; l++)
    for (int MB = 1; MB <= 8; MB += step)
      for (int how = WISP_GROUP_NATURAL; how <= WISP_GROUP_GREEDY; how++) {
        dg_case_discretise(&c, &layouts[l], (wisp_grouping)how, MB, "absorbing");
        compare(c.dg);
      }
  dg_case_free(&c);
}

TEST(test_one_cube)
{
  for (int N = 1; N <= (is_quick() ? 2 : 4); N++) everywhere(N, 1);
}

TEST(test_many_cubes)
{
  everywhere(1, is_quick() ? 2 : 3);
  everywhere(2, 2);
}

TEST(test_metis)
{
  dg_case c;
  dg_case_make(&c, 2, 3, 0.2);
  for (int MB = 1; MB <= 4; MB++) {
    wisp_layout layout = wisp_layout_slab(c.tet->Np, 4 * c.tet->Nfp, 16);
    dg_case_discretise(&c, &layout, WISP_GROUP_METIS, MB, "absorbing");
    compare(c.dg);
  }
  dg_case_free(&c);
}
