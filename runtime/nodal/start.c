#include "start.h"

#include <math.h>
#include <stdio.h>

typedef struct extent {
  double low[3], high[3], volume;
} extent;

static double tet_volume(const wisp_mesh *mesh, size_t k)
{
  double e[3][3];
  const int32_t *v = mesh->tet + 4 * k;
  for (size_t i = 0; i < 3; i++)
    for (size_t c = 0; c < 3; c++) e[i][c] = mesh->xyz[3 * (size_t)v[i + 1] + c] - mesh->xyz[3 * (size_t)v[0] + c];
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

static extent measure(const wisp_mesh *mesh)
{
  extent box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
  for (size_t v = 0; v < mesh->vertices; v++)
    for (size_t c = 0; c < 3; c++) {
      box.low[c] = fmin(box.low[c], mesh->xyz[3 * v + c]);
      box.high[c] = fmax(box.high[c], mesh->xyz[3 * v + c]);
    }
  for (size_t k = 0; k < mesh->elements; k++) box.volume += tet_volume(mesh, k);
  return box;
}

/* Files carry coordinates with few digits: seven are enough to know the unit box. */
static bool is_unit(const extent *box)
{
  const double near = 1e-7;
  bool unit = fabs(box->volume - 1) < near;
  for (int c = 0; c < 3; c++) unit &= fabs(box->low[c]) < near && fabs(box->high[c] - 1) < near;
  return unit;
}

bool wisp_mesh_is_unit_box(const wisp_mesh *mesh)
{
  extent box = measure(mesh);
  return is_unit(&box);
}

wisp_status wisp_start_mode(wisp_error *err, const wisp_mesh *mesh, const int mode[3], wisp_start *out)
{
  wisp_status status = WISP_OK;
  extent box = measure(mesh);
  wisp_start start = {.function = wisp_start_field, .exact = true};
  TRY(wisp_require(err, is_unit(&box), WISP_EUSAGE,
                   "cavity modes are those of the unit box, this mesh spans %g..%g, %g..%g, %g..%g with volume %g",
                   box.low[0], box.high[0], box.low[1], box.high[1], box.low[2], box.high[2], box.volume));
  TRY(wisp_cavity_create(err, mode, &start.cavity));
  snprintf(start.text, sizeof start.text, "cavity mode %d,%d,%d", mode[0], mode[1], mode[2]);
  *out = start;
done:
  return status;
}

void wisp_start_pulse(const wisp_mesh *mesh, wisp_start *out)
{
  extent box = measure(mesh);
  *out = (wisp_start){.function = wisp_start_field, .exact = false, .width = INFINITY};
  for (int c = 0; c < 3; c++) {
    out->centre[c] = (box.low[c] + box.high[c]) / 2;
    out->width = fmin(out->width, (box.high[c] - box.low[c]) / 8);
  }
  snprintf(out->text, sizeof out->text, "pulse of width %g", out->width);
}

/* The Gaussian's curl, scaled to a largest value near 1. */
static void pulse(const wisp_start *start, const double x[3], double *u)
{
  double y[3], square = 0;
  for (int c = 0; c < 3; c++) {
    y[c] = (x[c] - start->centre[c]) / start->width;
    square += y[c] * y[c];
  }
  double g = 2 * exp(-square);
  u[0] = -y[1] * g;
  u[1] = y[0] * g;
  for (int f = 2; f < 6; f++) u[f] = 0;
}

void wisp_start_field(const void *context, size_t count, const double *xyz, double t, double *u)
{
  const wisp_start *start = context;
  if (start->exact)
    wisp_cavity_field(&start->cavity, count, xyz, t, u);
  else
    for (size_t i = 0; i < count; i++) pulse(start, xyz + 3 * i, u + 6 * i);
}
