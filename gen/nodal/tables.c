#include "tables.h"
#include "bernstein.h"
#include "half_turns.h"

#include <stdlib.h>
#include <string.h>

/* --- makers: each fills an environment with its tables, of a wisp_spec --- */

static wisp_status make_operators(wisp_error *err, const void *self, wisp_env *env)
{
  const wisp_spec *spec = self;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(free) double *D = NULL;
  OWNED(free) int *turnlist = NULL;
  CALL(wisp_tet_create_operators(err, spec->element, spec->order, &tet));
  const size_t Np = (size_t)tet->Np, Nfp = (size_t)tet->Nfp;
  CALL(wisp_new(err, 3 * Np * Np, sizeof *D, &D));
  CALL(wisp_new(err, WISP_TET_ORIENTATIONS * Nfp, sizeof *turnlist, &turnlist));
  for (size_t mu = 0; mu < 3; mu++) memcpy(D + mu * Np * Np, tet->D[mu], Np * Np * sizeof *D);
  for (size_t q = 0; q < WISP_TET_ORIENTATIONS * Nfp; q++)
    while (tet->Fmask[turnlist[q]] != tet->facelist[q]) turnlist[q]++;
  CALL(wisp_env_reals(err, env, "D", D, 3 * Np * Np));
  CALL(wisp_env_reals(err, env, "LIFT", tet->LIFT, Np * 4 * Nfp));
  CALL(wisp_env_ints(err, env, "facelist", tet->facelist, WISP_TET_FACES * WISP_TET_ORIENTATIONS * Nfp));
  return wisp_env_ints(err, env, "turnlist", turnlist, WISP_TET_ORIENTATIONS * Nfp);
}

static wisp_status make_sparse(wisp_error *err, const void *self, wisp_env *env)
{
  const wisp_spec *spec = self;
  OWNED(wisp_bernstein_destroy) wisp_bernstein *b = NULL;
  CALL(wisp_bernstein_create(err, spec->order, &b));
  const size_t Np = (size_t)b->Np, Nfp = (size_t)b->Nfp, width = (size_t)b->E_width;
  const struct {
    const char *name;
    const int *values;
    size_t count;
  } ints[] = {{"power", b->power, 4 * Np},
              {"up", b->up, 4 * (size_t)b->lower},
              {"down", b->down, 4 * Np},
              {"D_column", b->column, 16 * Np},
              {"L0_column", b->L0_column, WISP_BERNSTEIN_STENCIL * Nfp},
              {"E_column", b->E_column, Np * width},
              {"slice_point", b->slice_point, 4 * Np},
              {"slice_of", b->slice_of, 4 * Np},
              {"slice_up", b->slice_up, 3 * Np}};
  const struct {
    const char *name;
    const double *values;
    size_t count;
  } reals[] = {{"L0", b->L0, Nfp * Nfp},
               {"L0_value", b->L0_value, WISP_BERNSTEIN_STENCIL * Nfp},
               {"E_value", b->E_value, Np * width},
               {"slice_weight", b->slice_weight, 3 * Np}};
  for (size_t i = 0; i < WISP_COUNT(ints); i++)
    CALL(wisp_env_ints(err, env, ints[i].name, ints[i].values, ints[i].count));
  for (size_t i = 0; i < WISP_COUNT(reals); i++)
    CALL(wisp_env_reals(err, env, reals[i].name, reals[i].values, reals[i].count));
  return WISP_OK;
}

static wisp_status make_classes(wisp_error *err, const void *self, wisp_env *env)
{
  const wisp_spec *spec = self;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(wisp_half_turns_destroy) wisp_half_turns *t = NULL;
  CALL(wisp_tet_create_operators(err, spec->element, spec->order, &tet));
  CALL(wisp_half_turns_create(err, tet, &t));
  const size_t S = (size_t)t->orbits, Nfp = (size_t)tet->Nfp;
  CALL(wisp_env_ints(err, env, "orbit_node", t->node, 4 * S));
  CALL(wisp_env_ints(err, env, "orbit_row", t->row, 4 * S));
  CALL(wisp_env_ints(err, env, "orbit_turned", t->turned, 3 * S));
  CALL(wisp_env_ints(err, env, "orbit_face_node", t->face_node, 4 * Nfp));
  CALL(wisp_env_ints(err, env, "face_orbit", t->face_orbit, 4 * Nfp));
  CALL(wisp_env_ints(err, env, "face_turned", t->face_turned, 3 * Nfp));
  CALL(wisp_env_reals(err, env, "class_D", t->D, 12 * S * S));
  return wisp_env_reals(err, env, "class_LIFT", t->LIFT, 4 * S * Nfp);
}

/* --- sizes --- */

wisp_status wisp_nodal_defer_tables(wisp_error *err, wisp_env *env, const wisp_spec *spec)
{
  int class_size[4];
  CALL(wisp_env_defer(err, env, "D LIFT facelist turnlist", make_operators, spec, sizeof *spec));
  if (strcmp(spec->element, "bernstein-tet") == 0) {
    CALL(wisp_env_int(err, env, "E_width", wisp_bernstein_E_width(spec->order)));
    return wisp_env_defer(err, env,
                          "power up down D_column L0_column E_column slice_point slice_of slice_up L0 L0_value E_value "
                          "slice_weight",
                          make_sparse, spec, sizeof *spec);
  }
  wisp_half_turns_classes(spec->order, class_size);
  CALL(wisp_env_int(err, env, "orbits", class_size[0]));
  CALL(wisp_env_ints(err, env, "class_size", class_size, 4));
  return wisp_env_defer(err, env,
                        "orbit_node orbit_row orbit_turned orbit_face_node face_orbit face_turned class_D class_LIFT",
                        make_classes, spec, sizeof *spec);
}
