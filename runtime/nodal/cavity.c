/* Standing waves in the unit box with perfectly conducting walls: Jackson, Classical Electrodynamics, section 8.4, with
 * the third direction also bounded. E_c is a cosine along its own axis c and a sine along the others. */
#include "dg.h"

#include <math.h>

/* Transverse magnetic with respect to an axis whose two others have waves: there the amplitude is 1, and div E = 0
 * gives the others. */
wisp_status wisp_cavity_create(wisp_error *err, const int mode[3], wisp_cavity *out)
{
  wisp_status status = WISP_OK;
  const double pi = acos(-1.0);
  int positive = 0, axis = 2;
  for (int c = 0; c < 3; c++) positive += mode[c] > 0;
  TRY(wisp_require(err, positive >= 2 && mode[0] >= 0 && mode[1] >= 0 && mode[2] >= 0, WISP_EUSAGE,
                   "cavity mode %d %d %d: at least two must be positive, and none negative", mode[0], mode[1],
                   mode[2]));
  while (mode[(axis + 1) % 3] == 0 || mode[(axis + 2) % 3] == 0) axis--;
  int b = (axis + 1) % 3, c = (axis + 2) % 3;
  double k[3], across;
  for (int i = 0; i < 3; i++) k[i] = pi * mode[i];
  across = k[b] * k[b] + k[c] * k[c];
  for (int i = 0; i < 3; i++) {
    out->mode[i] = mode[i];
    out->amplitude[i] = i == axis ? 1 : -k[i] * k[axis] / across;
  }
  out->omega = sqrt(across + k[axis] * k[axis]);
done:
  return status;
}

/* E = E0(x) cos(omega t), H = -curl E0(x) sin(omega t) / omega. */
void wisp_cavity_field(const void *context, size_t count, const double *xyz, double t, double *u)
{
  const wisp_cavity *cavity = context;
  const double pi = acos(-1.0), *A = cavity->amplitude;
  const double now = cos(cavity->omega * t), turned = sin(cavity->omega * t) / cavity->omega;
  double k[3], E[3], H[3], sine[3], cosine[3]; /* E, H: what the waves of each field are multiplied by */
  for (int c = 0; c < 3; c++) k[c] = pi * cavity->mode[c];
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    E[a] = A[a] * now;
    H[a] = -(A[c] * k[b] - A[b] * k[c]) * turned;
  }
  for (size_t i = 0; i < count; i++, xyz += 3, u += 6) {
    for (int c = 0; c < 3; c++) {
      sine[c] = sin(k[c] * xyz[c]);
      cosine[c] = cos(k[c] * xyz[c]);
    }
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      u[a] = E[a] * cosine[a] * sine[b] * sine[c];
      u[3 + a] = H[a] * sine[a] * cosine[b] * cosine[c];
    }
  }
}
