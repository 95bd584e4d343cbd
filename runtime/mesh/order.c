#include "order.h"

#include <stdlib.h>

const char *const wisp_ordering_names[WISP_ORDERINGS] = {"as-given", "curve", "clusters", "metis"};

enum { SLAB = 32 }; /* elements of a cluster: those of a slab, and the lanes of a warp */

static wisp_status order_by_curve(wisp_error *err, const wisp_mesh *mesh, int32_t *order)
{
  wisp_status status = WISP_OK;
  double *centre = NULL;
  TRY(wisp_new(err, 3 * mesh->elements, sizeof *centre, &centre));
  for (size_t i = 0; i < 12 * mesh->elements; i++)
    centre[i / 12 * 3 + i % 3] += mesh->xyz[3 * (size_t)mesh->tet[i / 3] + i % 3] / 4;
  TRY(wisp_curve(err, mesh->elements, centre, order));
done:
  free(centre);
  return status;
}

/* Clusters are grown from the lowest element on the curve that is left. The next is always that neighbour of the
 * cluster which leaves the fewest free faces: one inside a hole before all others. */
typedef struct growth {
  const wisp_mesh *mesh;
  int32_t *rank; /* of an element on the curve */
  char *placed;
  int32_t candidate[4 * SLAB];
  int candidates;
} growth;

static int score(const growth *g, const int32_t *cluster_of, int32_t cluster, int32_t e)
{
  int inside = 0, taken = 0;
  for (size_t f = 0; f < 4; f++) {
    int32_t other = g->mesh->neighbour[4 * (size_t)e + f];
    if (other == WISP_BOUNDARY || g->placed[other]) taken++;
    if (other != WISP_BOUNDARY && g->placed[other] && cluster_of[other] == cluster) inside++;
  }
  return 4 * inside + 3 * taken + (taken == 4 ? 100 : 0);
}

static wisp_status order_by_clusters(wisp_error *err, const wisp_mesh *mesh, int32_t *order)
{
  wisp_status status = WISP_OK;
  growth g = {.mesh = mesh};
  int32_t *curve = NULL, *cluster_of = NULL;
  TRY(wisp_new(err, mesh->elements, sizeof *curve, &curve));
  TRY(wisp_new(err, mesh->elements, sizeof *cluster_of, &cluster_of));
  TRY(wisp_new(err, mesh->elements, sizeof *g.rank, &g.rank));
  TRY(wisp_new(err, mesh->elements, sizeof *g.placed, &g.placed));
  TRY(order_by_curve(err, mesh, curve));
  for (size_t i = 0; i < mesh->elements; i++) g.rank[curve[i]] = (int32_t)i;
  size_t lowest = 0;
  for (size_t n = 0; n < mesh->elements; n++) {
    int32_t cluster = (int32_t)(n / SLAB), e = -1;
    if (n % SLAB == 0) g.candidates = 0;
    int best = -1, at = -1;
    for (int i = 0; i < g.candidates; i++) {
      int s = score(&g, cluster_of, cluster, g.candidate[i]);
      if (s > best || (s == best && g.rank[g.candidate[i]] < g.rank[e])) best = s, e = g.candidate[i], at = i;
    }
    if (e < 0) {
      while (g.placed[curve[lowest]]) lowest++;
      e = curve[lowest];
    } else
      g.candidate[at] = g.candidate[--g.candidates];
    g.placed[e] = 1;
    cluster_of[e] = cluster;
    order[n] = e;
    for (size_t f = 0; f < 4; f++) {
      int32_t other = mesh->neighbour[4 * (size_t)e + f];
      bool known = other == WISP_BOUNDARY || g.placed[other];
      for (int i = 0; i < g.candidates && !known; i++) known = g.candidate[i] == other;
      if (!known) g.candidate[g.candidates++] = other;
    }
  }
done:
  free(curve);
  free(cluster_of);
  free(g.rank);
  free(g.placed);
  return status;
}

static wisp_status order_by_metis(wisp_error *err, const wisp_mesh *mesh, int32_t *order)
{
  wisp_status status = WISP_OK;
  int32_t *slot = NULL;
  size_t slots = 0, count = 0;
  TRY(wisp_mesh_group(err, mesh, WISP_GROUP_METIS, SLAB, &slots, &slot));
  for (size_t i = 0; i < slots; i++)
    if (slot[i] != WISP_EMPTY) order[count++] = slot[i];
done:
  free(slot);
  return status;
}

wisp_status wisp_mesh_order(wisp_error *err, wisp_mesh *mesh, wisp_ordering how)
{
  typedef wisp_status (*method)(wisp_error *, const wisp_mesh *, int32_t *);
  static const method methods[WISP_ORDERINGS] = {NULL, order_by_curve, order_by_clusters, order_by_metis};
  wisp_status status = WISP_OK;
  int32_t *order = NULL;
  TRY(wisp_require(err, (int)how >= 0 && (int)how < WISP_ORDERINGS, WISP_EUSAGE, "order %d is not known", (int)how));
  free(mesh->order);
  mesh->order = NULL; /* groups are made by the mesh's own numbers */
  if (!methods[how]) goto done;
  TRY(wisp_new(err, mesh->elements, sizeof *order, &order));
  TRY(methods[how](err, mesh, order));
  mesh->order = order;
  order = NULL;
done:
  free(order);
  return status;
}
