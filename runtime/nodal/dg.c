#include "dg.h"
#include "dg_parts.h"

#include <limits.h>

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
  const size_t slots = wisp_dg_all_slots(dg);
  return wisp_require(
      err, slots <= most, WISP_EUSAGE,
      "dg: %zu elements of order %d in %zu slots, and addresses of 31 bits allow %zu: take fewer elements "
      "or a lower order",
      dg->mesh->elements, dg->tet->N, slots, most);
}

/* Arrays whose sizes the slots give; zero, as empty slots want them. */
static wisp_status allocate(wisp_error *err, wisp_dg *dg)
{
  const size_t slots = wisp_dg_all_slots(dg);
  CALL(wisp_new(err, slots, sizeof *dg->jacobian, &dg->jacobian));
  CALL(wisp_new(err, slots, (size_t)dg->records.geos * sizeof *dg->geo, &dg->geo));
  CALL(wisp_new(err, slots, (size_t)(dg->system->quantities + 1) * sizeof *dg->medium, &dg->medium));
  CALL(wisp_new(err, dg->slots, WISP_FACE_INTS * sizeof *dg->face_int, &dg->face_int));
  CALL(wisp_new(err, slots, (size_t)dg->records.face_reals * sizeof *dg->face_real, &dg->face_real));
  CALL(wisp_new(err, dg->blocks, WISP_BLOCK_INTS * sizeof *dg->pair_block, &dg->pair_block));
  return wisp_new(err, (size_t)(WISP_TET_ORIENTATIONS * dg->tet->Nfp), sizeof *dg->turnlist, &dg->turnlist);
}

/* The slots of all elements, or of those of its domain. */
static wisp_status place_elements(wisp_error *err, wisp_dg *dg, wisp_grouping how)
{
  const size_t KM = (size_t)dg->layout.KM, block = KM * (size_t)dg->MB;
  if (!dg->domain) {
    CALL(wisp_mesh_group(err, dg->mesh, how, block, &dg->slots, &dg->slot));
  } else {
    wisp_mesh_part_slots slots;
    CALL(wisp_mesh_part_group(err, &dg->domain->part, dg->mesh, how, block, KM, &slots));
    dg->slots = slots.own, dg->slot = slots.slot;
    dg->cut = slots.cut / KM, dg->ghosts = (slots.all - slots.own) / KM;
  }
  dg->groups = dg->slots / KM;
  dg->blocks = dg->groups / (size_t)dg->MB;
  return WISP_OK;
}

/* Without pairs. */
static wisp_status create(wisp_error *err, const wisp_domain *domain, const wisp_mesh *mesh, const wisp_tet *tet,
                          const wisp_system *system, const wisp_layout *layout, wisp_grouping how, int MB,
                          const wisp_walls *walls, wisp_dg **out)
{
  OWNED(wisp_dg_destroy) wisp_dg *dg = NULL;
  OWNED(free) int32_t *where = NULL;
  const int boundary = walls->of_face ? 0 : walls->boundary;
  CALL(wisp_new(err, 1, sizeof *dg, &dg));
  dg->domain = domain;
  dg->mesh = mesh;
  dg->tet = tet;
  dg->system = system;
  dg->records = wisp_nodal_records(system);
  dg->layout = *layout;
  dg->MB = MB;
  CALL(wisp_require(err, layout->Np == tet->Np && layout->Nf == WISP_TET_FACES * tet->Nfp, WISP_EUSAGE,
                    "dg: a layout of %d and %d nodes for elements of %d and %d", layout->Np, layout->Nf, tet->Np,
                    WISP_TET_FACES * tet->Nfp));
  CALL(wisp_require(err, MB >= 1 && MB <= 1024, WISP_EUSAGE, "dg: %d groups a block, must be 1 to 1024", MB));
  CALL(wisp_require(err, boundary == WISP_BY_TAG || (boundary >= 0 && boundary < system->boundaries), WISP_EUSAGE,
                    "dg: boundary %d, and %s has %d", boundary, system->name, system->boundaries));
  CALL(place_elements(err, dg, how));
  CALL(check_addresses(err, dg));
  CALL(allocate(err, dg));
  CALL(wisp_dg_where(err, dg, &where));
  CALL(wisp_dg_geometry(err, dg));
  wisp_dg_faces(dg, where, walls);
  wisp_system_default_medium(system, wisp_dg_all_slots(dg), dg->medium);
  CALL(wisp_dg_quantities(err, dg));
  CALL(wisp_dg_orientations(err, dg));
  return GIVE(dg, out);
}

wisp_status wisp_dg_create(wisp_error *err, const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                           const wisp_layout *layout, wisp_grouping how, int MB, int boundary, wisp_dg **out)
{
  OWNED(wisp_dg_destroy) wisp_dg *dg = NULL;
  CALL(create(err, NULL, mesh, tet, system, layout, how, MB, &(wisp_walls){.boundary = boundary}, &dg));
  CALL(wisp_dg_add_pairs(err, dg));
  return GIVE(dg, out);
}

wisp_status wisp_dg_create_plain(wisp_error *err, const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                                 const wisp_layout *layout, const wisp_fixed *fixed, const wisp_walls *walls,
                                 wisp_dg **out)
{
  return wisp_dg_create_part(err, NULL, mesh, tet, system, layout, fixed, walls, out);
}

wisp_status wisp_dg_create_part(wisp_error *err, const wisp_domain *domain, const wisp_mesh *mesh, const wisp_tet *tet,
                                const wisp_system *system, const wisp_layout *layout, const wisp_fixed *fixed,
                                const wisp_walls *walls, wisp_dg **out)
{
  return create(err, domain, mesh, tet, system, layout, wisp_dg_grouping(fixed), wisp_dg_MB(fixed), walls, out);
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
  free(dg->slot), free(dg->jacobian), free(dg->medium), free(dg->geo), free(dg->turnlist);
  free(dg->face_int), free(dg->face_real), free(dg->pair_block), free(dg->pair_int), free(dg->pair_real);
  free(dg);
}

size_t wisp_dg_volume_size(const wisp_dg *dg)
{
  return (dg->groups + dg->ghosts) * (size_t)dg->system->fields * (size_t)dg->layout.NpM;
}

size_t wisp_dg_face_size(const wisp_dg *dg)
{
  return dg->groups * (size_t)dg->system->fields * (size_t)dg->layout.NfM;
}

size_t wisp_dg_trace_size(const wisp_dg *dg)
{
  return dg->slots * (size_t)(dg->system->fields * dg->layout.Nf);
}

double wisp_dg_safe_dt(const wisp_dg *dg)
{
  const double order = dg->tet->N + 1;
  return 0.5 * dg->min_time / (order * order);
}

/* ---- A wisp_dg as a discretisation: its counts, what it fixes, and whose each number is. */

static wisp_status fill(wisp_error *err, const void *self, wisp_arrays *arrays)
{
  const wisp_dg *dg = self;
  CALL(wisp_arrays_upload(err, arrays, "geo", dg->geo));
  CALL(wisp_arrays_upload(err, arrays, "face_real", dg->face_real));
  CALL(wisp_arrays_upload(err, arrays, "pair_real", dg->pair_real));
  CALL(wisp_arrays_upload_ints(err, arrays, "face_int", dg->face_int));
  CALL(wisp_arrays_upload_ints(err, arrays, "pair_block", dg->pair_block));
  return wisp_arrays_upload_ints(err, arrays, "pair_int", dg->pair_int);
}

/* A degree of freedom of field f in slot k. */
typedef struct dof {
  size_t k, i;
  int f;
} dof;

/* Whether an array is laid out by face nodes. */
static bool is_of_faces(const char *array)
{
  return strcmp(array, "flux") == 0 || strcmp(array, "flux_classes") == 0;
}

/* The inverse of wisp_layout_volume and wisp_layout_face; false in padding and empty slots. */
static bool find_dof(const wisp_dg *dg, const wisp_array_decl *array, size_t at, dof *out)
{
  const wisp_layout *l = &dg->layout;
  if (strcmp(array->name, "trace") ==
      0) { /* elements one after the other, of each face after face, field after field */
    const size_t Nfp = (size_t)dg->tet->Nfp, fields = (size_t)dg->system->fields, side = at / (fields * Nfp);
    *out = (dof){side / WISP_TET_FACES, side % WISP_TET_FACES * Nfp + at % Nfp, (int)(at / Nfp % fields)};
    return dg->slot[out->k] != WISP_EMPTY;
  }
  const bool face = is_of_faces(array->name);
  const size_t KM = (size_t)l->KM, Ndof = (size_t)(face ? l->Nf : l->Np), row = (size_t)(face ? l->NfM : l->NpM);
  const size_t n = (size_t)dg->system->fields, in_row = at % row, group = at / row / n;
  if (in_row >= KM * Ndof) return false;
  const bool nodes_first = l->order == WISP_NODE_FASTEST;
  *out = (dof){.k = group * KM + (nodes_first ? in_row / Ndof : in_row % KM),
               .i = nodes_first ? in_row % Ndof : in_row / KM,
               .f = (int)(at / row % n)};
  return dg->slot[out->k] != WISP_EMPTY;
}

/* Elements as the mesh has them, their fields one after the other, node after node; of trace as it lies. */
static size_t origin(const void *self, const wisp_array_decl *array, size_t at)
{
  const wisp_dg *dg = self;
  dof d;
  if (array->kind == WISP_FIXED) return at;
  if (!find_dof(dg, array, at, &d)) return WISP_NOBODY;
  if (strcmp(array->name, "trace") == 0) {
    const size_t together = (size_t)dg->system->fields * (size_t)dg->layout.Nf;
    return (size_t)dg->slot[d.k] * together + at % together;
  }
  const size_t Ndof = (size_t)(is_of_faces(array->name) ? dg->layout.Nf : dg->layout.Np);
  return ((size_t)dg->slot[d.k] * (size_t)dg->system->fields + (size_t)d.f) * Ndof + d.i;
}

static void place(const void *self, const wisp_array_decl *array, size_t at, char text[WISP_PLACE_TEXT])
{
  const wisp_dg *dg = self;
  dof d;
  if (array->kind != WISP_FIXED && find_dof(dg, array, at, &d))
    snprintf(text, WISP_PLACE_TEXT, "slot %zu, field %s, node %zu", d.k, dg->system->field[d.f], d.i);
  else
    snprintf(text, WISP_PLACE_TEXT, "number %zu", at);
}

wisp_discretisation wisp_dg_discretisation(const wisp_dg *dg)
{
  const wisp_layout *l = &dg->layout;
  return (wisp_discretisation){
      .family = wisp_family_find("nodal"),
      .counts = {{"elements", dg->mesh->elements},
                 {"groups", dg->groups},
                 {"blocks", dg->blocks},
                 {"pairs", dg->pairs},
                 {"KM", (size_t)l->KM},
                 {"NpM", (size_t)l->NpM},
                 {"NfM", (size_t)l->NfM},
                 {"NfNfp", (size_t)l->Nf},
                 {"n", (size_t)dg->system->fields},
                 {"geos", (size_t)dg->records.geos},
                 {"face_reals", (size_t)dg->records.face_reals},
                 {"pair_reals", (size_t)dg->records.pair_reals}},
      .ghosts = {"groups", "u u_next u_n res trace", dg->ghosts},
      .self = (void *)(uintptr_t)dg,
      .fill = fill,
      .origin = origin,
      .place = place,
  };
}

/* Nested stages find u_n in the places of the others (stepper.h). */
static bool is_of_a_run(const void *stage, const char *array)
{
  const bool rare = strcmp(array, "trace") == 0 || strcmp(array, "flux_classes") == 0 || strncmp(array, "du", 2) == 0;
  return strcmp(array, "u_n") != 0 && (!rare || (stage && wisp_stage_has(stage, array)));
}

wisp_dg wisp_dg_counted(const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                        const wisp_layout *layout, int MB)
{
  wisp_dg dg = {.mesh = mesh, .tet = tet, .system = system, .records = wisp_nodal_records(system), .layout = *layout};
  const size_t block = (size_t)layout->KM * (size_t)MB;
  dg.MB = MB;
  dg.blocks = (mesh->elements + block - 1) / block;
  dg.groups = dg.blocks * (size_t)MB;
  dg.slots = dg.blocks * block;
  return dg;
}

wisp_status wisp_dg_fits(wisp_error *err, const wisp_limits *limits, size_t elements, const wisp_tet *tet,
                         const wisp_system *system, wisp_precision precision, const wisp_stage *stage)
{
  const wisp_mesh mesh = {.elements = elements, .corners = 4};
  wisp_dg dg = wisp_dg_counted(&mesh, tet, system, &stage->layout, wisp_dg_MB(&stage->fixed));
  if (wisp_stage_has(stage, "pair_block")) dg.pairs = WISP_TET_FACES / 2 * elements;
  const wisp_discretisation d = wisp_dg_discretisation(&dg);
  /* Bytes on the host: of the mesh's tets and faces, of what allocate and mesh_group make, and of the fields that a run
   * starts from. */
  enum { OF_MESH = 96 };
  const double reals = dg.records.geos + dg.records.face_reals + system->quantities + 2;
  const double of_slot = OF_MESH + 2 * sizeof(int32_t) + WISP_FACE_INTS * sizeof(int) + reals * sizeof(double);
  const double beside = (double)dg.slots * of_slot + (double)wisp_dg_volume_size(&dg) * sizeof(double);
  CALL(wisp_problem_fits(err, limits, &d, precision, WISP_NARROW_GUARD, is_of_a_run, stage, beside));
  return check_addresses(err, &dg);
}

wisp_status wisp_problem_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                size_t guard, const wisp_stage *stage, wisp_problem **out)
{
  wisp_discretisation d = wisp_dg_discretisation(dg);
  return wisp_problem_open(err, device, &d, precision, guard, is_of_a_run, stage, out);
}

const wisp_dg *wisp_problem_dg(const wisp_problem *problem)
{
  return problem->d.self;
}

void wisp_dg_bind(const wisp_scalars *scalars, wisp_binding out[WISP_DG_SCALARS])
{
  out[0] = (wisp_binding){"alpha", 0, scalars->alpha};
  out[1] = (wisp_binding){"a", 0, scalars->a};
  out[2] = (wisp_binding){"b", 0, scalars->b};
  out[3] = (wisp_binding){"dt", 0, scalars->dt};
}
