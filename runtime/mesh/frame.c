#include "frame.h"

const wisp_frame wisp_frame_none = {{0, 0, 0}, 1};

wisp_frame wisp_mesh_frame(const wisp_mesh *mesh)
{
  const wisp_cell *s = wisp_mesh_cell(mesh);
  double low[3], high[3], sum = 0; /* the volume of a hex is about the mean of what the edges at its corners span */
  for (size_t e = 0; e < mesh->elements; e++)
    for (int i = 0; i < s->frames; i++) sum += wisp_mesh_corner(mesh, e, s->frame[i], NULL);
  int exponent = 0; /* to 32 bits: the length of the unit box is 1, whatever rounding leaves in the sum */
  const double part = frexp(pow(sum / s->frames / s->parts, 1.0 / s->dimension), &exponent);
  wisp_frame frame = {.length = ldexp(rint(ldexp(part, 32)), exponent - 32)};
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
