/* The parts of wisp_dg_create: each fills its arrays of a dg whose slots and sizes are set. */
#pragma once

#include "dg.h"

/* jacobian, geo, face_real, min_length: but for quantities. */
wisp_status wisp_dg_geometry(wisp_error *err, wisp_dg *dg);

/* face_int; and the normals of a face's two sides made one. where[e] is the slot of element e. After geometry. walls:
 * their boundary may be WISP_BY_TAG. */
void wisp_dg_faces(wisp_dg *dg, const int32_t *where, const wisp_walls *walls);

/* min_time, and the quantities in geo, face_real and the pairs that there are, from the media of the slots. */
wisp_status wisp_dg_quantities(wisp_error *err, wisp_dg *dg);
/* Those of a pair of slots, behind the pair's geometry. */
void wisp_dg_pair_quantities(const wisp_dg *dg, size_t m, size_t p, double *pair_real);

/* A dg of counts alone: full groups of the mesh's number of elements, which is all that is read of the mesh. */
wisp_dg wisp_dg_counted(const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                        const wisp_layout *layout, int MB);

/* turnlist. */
wisp_status wisp_dg_orientations(wisp_error *err, wisp_dg *dg);

/* The slot of each element that is here; the caller frees it. */
wisp_status wisp_dg_where(wisp_error *err, const wisp_dg *dg, int32_t **where);

/* Component c of C of slot k in a per-element array. */
static inline size_t wisp_dg_at(const wisp_dg *dg, int C, int c, size_t k)
{
  return wisp_layout_element(&dg->layout, C, c, k);
}

/* Component c of an element's numbers in geo and in face_real. */
static inline size_t wisp_dg_geo_at(const wisp_dg *dg, int c, size_t k)
{
  return wisp_dg_at(dg, dg->records.geos, c, k);
}

static inline size_t wisp_dg_face_at(const wisp_dg *dg, int c, size_t k)
{
  return wisp_dg_at(dg, dg->records.face_reals, c, k);
}

/* The slot whose first number, of field 0 and node 0, has this address. */
static inline size_t wisp_dg_slot_at(const wisp_dg *dg, size_t address)
{
  const wisp_layout *l = &dg->layout;
  const size_t group = (size_t)dg->system->fields * (size_t)l->NpM;
  return address / group * (size_t)l->KM + address % group / (l->order == WISP_NODE_FASTEST ? (size_t)l->Np : 1);
}

/* The medium of a slot. */
static inline double *wisp_dg_medium(const wisp_dg *dg, size_t k)
{
  return dg->medium + k * (size_t)dg->system->quantities;
}

/* ---- What each kernel of the nodal family computes, in double, by its definition. Arrays are in the order of the
 * family's list (templates/nodal/family), laid out as the dg says. */

/* Whether a kernel makes fluxes, and so has alpha. */
bool wisp_dg_gathers(const char *kernel);

/* From the arrays `in` to those of `out` that the kernel writes, and with every result the sum of the magnitudes that
 * it is added up from, to `sizes`. Padding and empty slots become whatever. WISP_EUSAGE for a kernel that it has not.
 */
wisp_status wisp_dg_compute(wisp_error *err, const wisp_dg *dg, const char *kernel, const wisp_scalars *scalars,
                            double *const *in, double *const *out, double *const *sizes);
