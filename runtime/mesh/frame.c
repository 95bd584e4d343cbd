#include "frame.h"

#include <math.h>

const wisp_frame wisp_frame_none = {{0, 0, 0}, 1};

/* The area or the volume of a mesh. That of a hex is about the mean over its corners of what their edges span. */
static double measure(const wisp_mesh *mesh)
{
  static const struct shape {
    int corners, frames;
    const int (*frame)[4];
    double parts; /* of what the edges at a corner span */
  } shapes[] = {{3, 1, wisp_tri_frames, 2}, {4, 1, wisp_tet_frames, 6}, {8, 8, wisp_hex_frames, 1}};
  const struct shape *s = shapes;
  double sum = 0;
  while (s->corners != mesh->corners) s++;
  for (size_t e = 0; e < mesh->elements; e++)
    for (int i = 0; i < s->frames; i++) sum += wisp_mesh_corner(mesh, e, s->frame[i], NULL);
  return sum / s->frames / s->parts;
}

/* To 32 bits: the length of the unit box is 1, whatever rounding leaves in the sum. */
static double rounded(double x)
{
  int exponent = 0;
  const double part = frexp(x, &exponent);
  return ldexp(rint(ldexp(part, 32)), exponent - 32);
}

wisp_frame wisp_mesh_frame(const wisp_mesh *mesh)
{
  wisp_frame frame = {.length = rounded(pow(measure(mesh), mesh->corners == 3 ? 0.5 : 1.0 / 3))};
  double low[3], high[3];
  wisp_mesh_extent(mesh, low, high);
  for (int d = 0; d < 3; d++) frame.origin[d] = frame.length * rint((low[d] + (high[d] - low[d]) / 2) / frame.length);
  return frame;
}

wisp_frame wisp_mesh_shift(const wisp_mesh *mesh)
{
  wisp_frame frame = wisp_mesh_frame(mesh);
  frame.length = 1;
  return frame;
}

void wisp_frame_extent(const wisp_frame *frame, const wisp_mesh *mesh, double low[3], double length[3])
{
  double high[3];
  wisp_mesh_extent(mesh, low, high);
  for (int d = 0; d < 3; d++) {
    low[d] = (low[d] - frame->origin[d]) / frame->length;
    length[d] = (high[d] - frame->origin[d]) / frame->length - low[d];
  }
}
