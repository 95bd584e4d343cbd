#include "dg_case.h"
#include "test.h"

static double noise(void)
{
  return 2.0 * rand() / RAND_MAX - 1;
}

static void shake_vertices(wisp_mesh *mesh, double by)
{
  for (size_t v = 0; v < mesh->vertices; v++) {
    double *x = mesh->xyz + 3 * v;
    bool inner = true;
    for (int c = 0; c < 3; c++) inner = inner && x[c] > 1e-9 && x[c] < 1 - 1e-9;
    for (int c = 0; c < 3 && inner; c++) x[c] += by * noise();
  }
}

/* Even permutations keep a tet positive: turns of three vertices, twice. */
static void shuffle_tets(wisp_mesh *mesh)
{
  for (size_t k = 0; k < mesh->elements; k++)
    for (int orientation = rand() % 3 + 3 * (rand() % 3); orientation > 0; orientation -= orientation >= 3 ? 3 : 1) {
      int32_t *v = mesh->tet + 4 * k + (orientation >= 3), first = v[0];
      v[0] = v[1];
      v[1] = v[2];
      v[2] = first;
    }
}

void dg_case_make(dg_case *c, int N, int n, double shake)
{
  wisp_error err = {0};
  *c = (dg_case){0};
  srand(1);
  if (wisp_mesh_box(&err, n, &c->mesh)) fail_msg("%s", err.text);
  shake_vertices(c->mesh, shake / n);
  shuffle_tets(c->mesh);
  if (wisp_mesh_connect(&err, "case", c->mesh)) fail_msg("%s", err.text);
  if (wisp_tet_create(&err, N, &c->tet)) fail_msg("%s", err.text);
  if (wisp_system_load(&err, "maxwell", &c->system)) fail_msg("%s", err.text);
}

void dg_case_discretise(dg_case *c, const wisp_layout *layout, wisp_grouping how, int MB, const char *boundary)
{
  wisp_error err = {0};
  wisp_dg_destroy(c->dg);
  c->dg = NULL;
  int index = wisp_system_boundary(c->system, boundary);
  if (wisp_dg_create(&err, c->mesh, c->tet, c->system, layout, how, MB, index, &c->dg)) fail_msg("%s", err.text);
}

void dg_case_free(dg_case *c)
{
  wisp_dg_destroy(c->dg);
  wisp_system_destroy(c->system);
  wisp_tet_destroy(c->tet);
  wisp_mesh_destroy(c->mesh);
}

void dg_case_poison(double *numbers, size_t n)
{
  for (size_t i = 0; i < n; i++) numbers[i] = NAN;
}

static double *poisoned(size_t n)
{
  double *numbers = allocate(n, sizeof *numbers);
  dg_case_poison(numbers, n);
  return numbers;
}

double *dg_case_volume(const wisp_dg *dg)
{
  return poisoned(wisp_dg_volume_size(dg));
}

double *dg_case_face(const wisp_dg *dg)
{
  return poisoned(wisp_dg_face_size(dg));
}

void dg_case_noise(const wisp_dg *dg, double *u)
{
  dg_case_poison(u, wisp_dg_volume_size(dg));
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; f < dg->system->fields && dg->slot[k] != WISP_EMPTY; f++)
      for (size_t i = 0; i < (size_t)dg->tet->Np; i++)
        u[wisp_layout_volume(&dg->layout, dg->system->fields, f, k, i)] = noise();
}
