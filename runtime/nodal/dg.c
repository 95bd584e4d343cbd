#include "dg_parts.h"

#include <limits.h>
#include <stdlib.h>

/* The arguments fit together. */
static wisp_status check(wisp_error *err, const wisp_dg *dg, int boundary)
{
  const wisp_layout *l = &dg->layout;
  CALL(wisp_require(err, l->Np == dg->tet->Np && l->Nf == WISP_TET_FACES * dg->tet->Nfp, WISP_EUSAGE,
                    "dg: a layout of %d and %d nodes for elements of %d and %d", l->Np, l->Nf, dg->tet->Np,
                    WISP_TET_FACES * dg->tet->Nfp));
  CALL(wisp_require(err, dg->MB >= 1 && dg->MB <= 1024, WISP_EUSAGE, "dg: %d groups a block, must be 1 to 1024",
                    dg->MB));
  return wisp_require(err, boundary == WISP_BY_TAG || (boundary >= 0 && boundary < dg->system->boundaries), WISP_EUSAGE,
                      "dg: boundary %d, and %s has %d", boundary, dg->system->name, dg->system->boundaries);
}

/* Kernels count in 31 bits: the longest array of a group decides how many groups there can be. */
static wisp_status check_addresses(wisp_error *err, const wisp_dg *dg)
{
  const wisp_layout *l = &dg->layout;
  size_t n = (size_t)dg->system->fields, KM = (size_t)l->KM;
  size_t sizes[] = {n * (size_t)l->NpM, n * (size_t)l->NfM, (size_t)dg->records.face_reals * KM,
                    WISP_TET_FACES * (size_t)dg->records.pair_reals * KM, (size_t)dg->records.geos * KM};
  size_t longest = 0;
  for (size_t i = 0; i < WISP_COUNT(sizes); i++) longest = sizes[i] > longest ? sizes[i] : longest;
  size_t block = KM * (size_t)dg->MB, most = INT_MAX / (longest * (size_t)dg->MB) * block;
  return wisp_require(
      err, dg->slots <= most, WISP_EUSAGE,
      "dg: %zu elements of order %d in %zu slots, and addresses of 31 bits allow %zu: take fewer elements "
      "or a lower order",
      dg->mesh->elements, dg->tet->N, dg->slots, most);
}

/* Arrays whose sizes the slots give; zero, as empty slots want them. */
static wisp_status allocate(wisp_error *err, wisp_dg *dg)
{
  CALL(wisp_new(err, dg->slots, sizeof *dg->jacobian, &dg->jacobian));
  CALL(wisp_new(err, dg->slots, (size_t)dg->records.geos * sizeof *dg->geo, &dg->geo));
  CALL(wisp_new(err, dg->slots, (size_t)(dg->system->quantities + 1) * sizeof *dg->medium, &dg->medium));
  CALL(wisp_new(err, dg->slots, WISP_FACE_INTS * sizeof *dg->face_int, &dg->face_int));
  CALL(wisp_new(err, dg->slots, (size_t)dg->records.face_reals * sizeof *dg->face_real, &dg->face_real));
  CALL(wisp_new(err, dg->blocks, WISP_BLOCK_INTS * sizeof *dg->pair_block, &dg->pair_block));
  return wisp_new(err, (size_t)(WISP_TET_TURNS * dg->tet->Nfp), sizeof *dg->turnlist, &dg->turnlist);
}

wisp_status wisp_dg_where(wisp_error *err, const wisp_dg *dg, int32_t **out)
{
  int32_t *where = NULL;
  const wisp_status status = wisp_new(err, dg->mesh->elements, sizeof *where, &where);
  for (size_t k = 0; status == WISP_OK && k < dg->slots; k++)
    if (dg->slot[k] != WISP_EMPTY) where[dg->slot[k]] = (int32_t)k;
  *out = where;
  return status;
}

/* Without pairs. */
static wisp_status create(wisp_error *err, const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                          const wisp_layout *layout, wisp_grouping how, int MB, int boundary, wisp_dg **out)
{
  OWNED(wisp_dg_destroy) wisp_dg *dg = NULL;
  OWNED(free) int32_t *where = NULL;
  CALL(wisp_new(err, 1, sizeof *dg, &dg));
  dg->mesh = mesh;
  dg->tet = tet;
  dg->system = system;
  dg->records = wisp_nodal_records(system);
  dg->layout = *layout;
  dg->MB = MB;
  CALL(check(err, dg, boundary));
  CALL(wisp_mesh_group(err, mesh, how, (size_t)layout->KM * (size_t)MB, &dg->slots, &dg->slot));
  dg->groups = dg->slots / (size_t)layout->KM;
  dg->blocks = dg->groups / (size_t)MB;
  CALL(check_addresses(err, dg));
  CALL(allocate(err, dg));
  CALL(wisp_dg_where(err, dg, &where));
  CALL(wisp_dg_geometry(err, dg));
  wisp_dg_faces(dg, where, boundary);
  wisp_system_default_medium(system, dg->slots, dg->medium);
  CALL(wisp_dg_quantities(err, dg));
  CALL(wisp_dg_turns(err, dg));
  return GIVE(dg, out);
}

wisp_status wisp_dg_create(wisp_error *err, const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                           const wisp_layout *layout, wisp_grouping how, int MB, int boundary, wisp_dg **out)
{
  OWNED(wisp_dg_destroy) wisp_dg *dg = NULL;
  CALL(create(err, mesh, tet, system, layout, how, MB, boundary, &dg));
  CALL(wisp_dg_add_pairs(err, dg));
  return GIVE(dg, out);
}

wisp_status wisp_dg_create_plain(wisp_error *err, const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                                 const wisp_layout *layout, const wisp_fixed *fixed, int boundary, wisp_dg **out)
{
  return create(err, mesh, tet, system, layout, wisp_dg_grouping(fixed), wisp_dg_MB(fixed), boundary, out);
}

wisp_grouping wisp_dg_grouping(const wisp_fixed *fixed)
{
  return (wisp_grouping)wisp_fixed_value(fixed, "grouping", WISP_GROUP_NATURAL);
}

int wisp_dg_MB(const wisp_fixed *fixed)
{
  return wisp_fixed_value(fixed, "MB", 1);
}

void wisp_dg_destroy(wisp_dg *dg)
{
  if (!dg) return;
  free(dg->slot);
  free(dg->jacobian);
  free(dg->medium);
  free(dg->geo);
  free(dg->face_int);
  free(dg->face_real);
  free(dg->pair_block);
  free(dg->pair_int);
  free(dg->pair_real);
  free(dg->turnlist);
  free(dg);
}

size_t wisp_dg_volume_size(const wisp_dg *dg)
{
  return dg->groups * (size_t)dg->system->fields * (size_t)dg->layout.NpM;
}

size_t wisp_dg_face_size(const wisp_dg *dg)
{
  return dg->groups * (size_t)dg->system->fields * (size_t)dg->layout.NfM;
}

double wisp_dg_safe_dt(const wisp_dg *dg)
{
  const double order = dg->tet->N + 1;
  return 0.5 * dg->min_time / (order * order);
}
