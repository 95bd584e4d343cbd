/* The hybridized discontinuous Galerkin method on triangles (docs/guide/helmholtz.md): -div(kappa grad u) + lambda u =
 * f, reduced to traces on edges. Element matrices are factored and condensed, assembled to blocks, solved for by
 * conjugate gradients, and u and p recovered. */
#include "hdg.h"
#include "tables.h"
#include "../family.h"

_Static_assert(WISP_HDG_HIGHEST == WISP_HDG_MAX_ORDER, "tables have room for the orders that are declared");

static bool knows_system(const char *name)
{
  return strcmp(name, "helmholtz") == 0;
}

/* --- names --- */

/* Entry (i, j) of the whole bordered matrix but f, with a_l on K_F's diagonal, in the c-th table. */
static double entry(const wisp_hdg_tables *t, int c, int i, int j)
{
  const int mode = i < j ? i : j, a = (i < j ? j : i) - t->Np;
  if (a < 0) return t->S[c][i * t->Np + j];
  if (mode >= t->Np) return c >= 3 ? t->K[c - 3][(mode - t->Np) * t->m + a] : i == j && a / t->n == c;
  return c >= 3 || a / t->n == c ? t->R[c >= 3 ? c - 2 : 0][mode * t->m + a] : 0;
}

/* Rows of all its tables, one after the other: all of them, or those of S and R. */
static wisp_status add_rows(wisp_error *err, wisp_env *env, const char *name, const wisp_hdg_tables *t, int rows)
{
  OWNED(free) double *all = NULL;
  const int columns = t->Np + t->m, size = rows * columns;
  CALL(wisp_new(err, (size_t)(WISP_HDG_S * size), sizeof *all, &all));
  for (int q = 0; q < WISP_HDG_S * size; q++) all[q] = entry(t, q / size, q % size / columns, q % columns);
  return wisp_env_reals(err, env, name, all, (size_t)(WISP_HDG_S * size));
}

/* W_tiles: whether a tile of 8 x 8 of W has a number other than zero, row by row of tiles, for each table. */
static wisp_status add_tiles(wisp_error *err, wisp_env *env, const wisp_hdg_tables *t)
{
  enum { MOST = (WISP_HDG_MAX_NP + WISP_HDG_MAX_M + 8) / 8 };
  int there[MOST * MOST * WISP_HDG_S] = {0};
  const int Np = t->Np, m = t->m, tiles = (Np + m + 8) / 8;
  for (int i = 0; i < Np + m; i++)
    for (int j = 0; j < Np + m; j++)
      for (int c = 0; c < WISP_HDG_S; c++)
        there[(i / 8 * tiles + j / 8) * WISP_HDG_S + c] |= entry(t, c, i, j) < 0 || entry(t, c, i, j) > 0;
  return wisp_env_ints(err, env, "W_tiles", there, (size_t)(tiles * tiles * WISP_HDG_S));
}

/* Tables of one size, one after the other. */
static wisp_status add_tables(wisp_error *err, wisp_env *env, const char *name, int count, double *const *table,
                              int size)
{
  OWNED(free) double *all = NULL;
  CALL(wisp_new(err, (size_t)(count * size), sizeof *all, &all));
  for (int c = 0; c < count; c++) memcpy(all + c * size, table[c], (size_t)size * sizeof *all);
  return wisp_env_reals(err, env, name, all, (size_t)(count * size));
}

/* Row and column of each number of the upper half of a matrix of size m, by these names. */
static wisp_status add_places(wisp_error *err, wisp_env *env, const char *rows, const char *columns, int m)
{
  int row[WISP_HDG_MAX_M * (WISP_HDG_MAX_M + 1) / 2], column[WISP_HDG_MAX_M * (WISP_HDG_MAX_M + 1) / 2], count = 0;
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++, count++) row[count] = i, column[count] = j;
  CALL(wisp_env_ints(err, env, rows, row, (size_t)count));
  return wisp_env_ints(err, env, columns, column, (size_t)count);
}

/* Fills an environment with the tables of a wisp_spec. */
static wisp_status make_tables(wisp_error *err, const void *self, wisp_env *env)
{
  OWNED(wisp_hdg_tables_destroy) wisp_hdg_tables *t = NULL;
  CALL(wisp_hdg_tables_create(err, ((const wisp_spec *)self)->order, &t));
  const int modes = t->inside + t->around;
  CALL(add_rows(err, env, "B", t, t->Np));
  CALL(add_rows(err, env, "W", t, t->Np + t->m));
  CALL(add_tiles(err, env, t));
  CALL(add_tables(err, env, "KF", WISP_HDG_K, t->K, t->m * t->m));
  CALL(add_tables(err, env, "F", 3, t->F, t->Np * t->n));
  CALL(add_tables(err, env, "D", 2, t->D, t->Np * t->Np));
  CALL(add_tables(err, env, "A", WISP_HDG_K, t->post, t->Ns * t->Ns));
  CALL(add_tables(err, env, "E", 2, t->slope, t->Np * t->Ns));
  CALL(add_tables(err, env, "C", 4, t->continuous, modes * modes));
  CALL(add_places(err, env, "entry_row", "entry_column", t->m));
  CALL(add_places(err, env, "tile_row", "tile_column", t->n));
  return add_places(err, env, "around_row", "around_column", t->N);
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, wisp_env *env)
{
  static const char tables[] = "B W W_tiles KF F D A E C entry_row entry_column tile_row tile_column around_row "
                               "around_column";
  const wisp_hdg_tables z = wisp_hdg_sizes(spec->order);
  const wisp_size all[] = {{"N", z.N},           {"n", z.n},          {"Np", z.Np},
                           {"m", z.m},           {"Ns", z.Ns},        {"data", z.m * (z.m + 1) / 2 + z.m},
                           {"inside", z.inside}, {"around", z.around}};
  (void)layout; /* it lays nothing out */
  CALL(wisp_names_sizes(err, env, all, WISP_COUNT(all)));
  return wisp_env_defer(err, env, tables, make_tables, spec, sizeof *spec);
}

const wisp_family wisp_family_hdg = {WISP_DECLARED_HDG, .knows_system = knows_system, .names = names};
