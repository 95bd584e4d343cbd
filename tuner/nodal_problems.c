/* A cache of problems, least recently used goes first. Its mesh, operators and systems are shared by all. */
#include "nodal_problems.h"
#include "../gen/random.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 64 };

typedef struct entry {
  wisp_spec spec; /* kernel empty: any kernel of the family runs on it */
  wisp_layout layout;
  int MB;
  wisp_grouping grouping;
  unsigned long long used;
  wisp_tet *tet;
  wisp_system *system;
  wisp_dg *dg;
  wisp_problem *problem;
  wisp_device *device;
  wisp_pointer mask[2]; /* of arrays over nodes, over face nodes; 0: not made */
} entry;

struct wisp_nodal_problems {
  wisp_device *device;
  wisp_mesh *mesh;
  size_t bytes;
  unsigned long long clock;
  int count;
  entry entries[MAX_ENTRIES];
};

wisp_status wisp_nodal_problems_create(wisp_error *err, wisp_device *device, wisp_mesh *mesh, size_t bytes,
                                       wisp_nodal_problems **out)
{
  wisp_nodal_problems *problems = NULL;
  wisp_status status = wisp_new(err, 1, sizeof *problems, &problems);
  if (status != WISP_OK) {
    wisp_mesh_destroy(mesh);
    return status;
  }
  *problems = (wisp_nodal_problems){.device = device, .mesh = mesh, .bytes = bytes};
  *out = problems;
  return WISP_OK;
}

static void release(entry *e)
{
  for (int i = 0; i < 2; i++)
    if (e->mask[i]) wisp_device_free(e->device, e->mask[i]);
  wisp_problem_destroy(e->problem);
  wisp_dg_destroy(e->dg);
  wisp_system_destroy(e->system);
  wisp_tet_destroy(e->tet);
}

void wisp_nodal_problems_destroy(wisp_nodal_problems *problems)
{
  if (!problems) return;
  for (int i = 0; i < problems->count; i++) release(&problems->entries[i]);
  wisp_mesh_destroy(problems->mesh);
  free(problems);
}

const wisp_mesh *wisp_nodal_problems_mesh(const wisp_nodal_problems *problems)
{
  return problems->mesh;
}

/* Makes room for a new problem: the oldest go while too much is held, but never the one used last. */
static void make_room(wisp_nodal_problems *problems)
{
  for (;;) {
    size_t held = 0;
    int oldest = 0;
    for (int i = 0; i < problems->count; i++) {
      held += wisp_problem_bytes(problems->entries[i].problem);
      if (problems->entries[i].used < problems->entries[oldest].used) oldest = i;
    }
    if (problems->count <= 1 || (held <= problems->bytes && problems->count < MAX_ENTRIES)) return;
    release(&problems->entries[oldest]);
    problems->entries[oldest] = problems->entries[--problems->count];
  }
}

static bool has_array(const wisp_plan *plan, const char *name)
{
  const wisp_arg *args = NULL;
  const int count = wisp_plan_args(plan, &args);
  for (int i = 0; i < count; i++)
    if (strcmp(args[i].name, name) == 0) return true;
  return false;
}

/* Random numbers in every field, or in those of a plan: zeros would flatter caches, power draw and arithmetic. */
static wisp_status randomise(wisp_error *err, wisp_problem *problem, const wisp_plan *plan)
{
  static const char *const fields[] = {"u", "rhs", "lifted", "res", "flux", "dux", "duy", "duz"};
  enum { PERIOD = 1 << 16 };
  wisp_status status = WISP_OK;
  double *values = NULL;
  uint64_t state = WISP_RANDOM_SEED;
  TRY(wisp_new(err, PERIOD, sizeof *values, &values));
  for (size_t i = 0; i < PERIOD; i++) values[i] = wisp_random_real(&state);
  for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
    if (!plan || has_array(plan, fields[f]))
      TRY(wisp_arrays_repeat(err, wisp_problem_arrays(problem), fields[f], PERIOD, values));
done:
  free(values);
  return status;
}

wisp_status wisp_nodal_problems_restart(wisp_error *err, wisp_problem *problem, const wisp_plan *plan)
{
  return randomise(err, problem, plan);
}

static wisp_status make(wisp_error *err, wisp_nodal_problems *problems, entry *e)
{
  wisp_status status = WISP_OK;
  TRY(wisp_tet_create(err, e->spec.order, &e->tet));
  TRY(wisp_system_load(err, e->spec.system, &e->system));
  TRY(wisp_dg_create(err, problems->mesh, e->tet, e->system, &e->layout, e->grouping, e->MB, WISP_BY_TAG, &e->dg));
  TRY(wisp_problem_create(err, problems->device, e->dg, e->spec.precision, true, &e->problem));
  TRY(randomise(err, e->problem, NULL));
  e->device = problems->device;
done:
  return status;
}

static bool same(const entry *a, const entry *b)
{
  return a->spec.order == b->spec.order && a->spec.precision == b->spec.precision &&
         strcmp(a->spec.system, b->spec.system) == 0 && a->layout.order == b->layout.order &&
         a->layout.KM == b->layout.KM && a->layout.NpM == b->layout.NpM && a->layout.NfM == b->layout.NfM &&
         a->MB == b->MB && a->grouping == b->grouping;
}

static wisp_status find(wisp_error *err, wisp_nodal_problems *problems, const wisp_spec *spec,
                        const wisp_layout *layout, int MB, wisp_grouping grouping, wisp_problem **out)
{
  wisp_status status = WISP_OK;
  entry e = {.spec = *spec, .layout = *layout, .MB = MB, .grouping = grouping, .used = ++problems->clock};
  for (int i = 0; i < problems->count; i++) {
    if (!same(&problems->entries[i], &e)) continue;
    problems->entries[i].used = e.used;
    *out = problems->entries[i].problem;
    return WISP_OK;
  }
  make_room(problems);
  TRY(make(err, problems, &e));
  problems->entries[problems->count++] = e;
  *out = e.problem;
  return WISP_OK;
done:
  release(&e);
  return status;
}

wisp_status wisp_nodal_problems_get(wisp_error *err, wisp_nodal_problems *problems, const wisp_plan *const *plans,
                                    int count, wisp_problem **out)
{
  int MB = 1, grouping = WISP_GROUP_NATURAL;
  for (int i = 0; i < count; i++) {
    MB = wisp_plan_value(plans[i], "MB", MB);
    grouping = wisp_plan_value(plans[i], "grouping", grouping);
  }
  return find(err, problems, wisp_plan_spec(plans[0]), wisp_plan_layout(plans[0]), MB, (wisp_grouping)grouping, out);
}

static wisp_status make_mask(wisp_error *err, entry *e, bool faces)
{
  wisp_status status = WISP_OK;
  const wisp_layout *l = &e->dg->layout;
  const size_t size = faces ? wisp_dg_face_size(e->dg) : wisp_dg_volume_size(e->dg);
  const size_t dofs = (size_t)(faces ? l->Nf : l->Np);
  const int n = e->system->fields;
  unsigned char *mask = NULL;
  TRY(wisp_new(err, size, 1, &mask));
  for (size_t k = 0; k < e->dg->slots; k++)
    for (int f = 0; e->dg->slot[k] != WISP_EMPTY && f < n; f++)
      for (size_t i = 0; i < dofs; i++)
        mask[faces ? wisp_layout_face(l, n, f, k, i) : wisp_layout_volume(l, n, f, k, i)] = 1;
  TRY(wisp_device_alloc(err, e->device, size, &e->mask[faces]));
  TRY(wisp_device_upload(err, e->device, e->mask[faces], mask, size));
done:
  free(mask);
  return status;
}

wisp_status wisp_nodal_problems_mask(wisp_error *err, wisp_nodal_problems *problems, const wisp_problem *problem,
                                     bool faces, wisp_pointer *mask)
{
  wisp_status status = WISP_OK;
  int i = 0;
  while (i < problems->count && problems->entries[i].problem != problem) i++;
  TRY(wisp_require(err, i < problems->count, WISP_EUSAGE, "a mask of a problem that is not kept"));
  if (!problems->entries[i].mask[faces]) TRY(make_mask(err, &problems->entries[i], faces));
  *mask = problems->entries[i].mask[faces];
done:
  return status;
}
