/* A pulse in a conducting box, through the public header alone.
 *
 *     cc -Iinclude examples/pulse.c -Lbuild -Wl,-rpath,$PWD/build -lwisp -lm -o pulse && ./pulse
 *
 * After make install, from wherever it lies:
 *
 *     cc pulse.c $(pkg-config --cflags --libs wisp) -lm -o pulse && ./pulse
 */
#include <wisp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static wisp_error err;
static wisp_request request; /* zero: what is not said is as the header has it */

static int fail(void)
{
  fprintf(stderr, "pulse: %s\n", err.text);
  return 1;
}

int main(int argc, char **argv)
{
  wisp_simulation *simulation = NULL;
  request.order = 3, request.box = 4, request.device = argc > 1 ? argv[1] : NULL;
  if (wisp_simulation_create(&err, &request, &simulation) != WISP_OK) return fail();

  size_t K, Np, n;
  wisp_simulation_size(simulation, &K, &Np, &n);
  double *xyz = (double *)malloc(3 * K * Np * sizeof *xyz), *u = (double *)calloc(n * K * Np, sizeof *u);
  if (!xyz || !u) return 1;
  wisp_simulation_nodes(simulation, xyz);
  for (size_t q = 0; q < K * Np; q++) { /* Ez, the third field */
    double x = xyz[3 * q] - 0.5, y = xyz[3 * q + 1] - 0.5;
    u[2 * K * Np + q] = exp(-40 * (x * x + y * y));
  }

  double before = 0, after = 0, ms = 0;
  if (wisp_simulation_set(&err, simulation, u) != WISP_OK) return fail();
  if (wisp_simulation_energy(&err, simulation, &before) != WISP_OK) return fail();
  if (wisp_simulation_advance(&err, simulation, wisp_simulation_dt(simulation), 100, &ms) != WISP_OK) return fail();
  if (wisp_simulation_energy(&err, simulation, &after) != WISP_OK) return fail();

  wisp_kernel_info info;
  for (size_t i = 0; wisp_simulation_kernel(simulation, i, &info); i++)
    printf("%-10s %s (%s) in %s: %s, %s\n", info.kernel, info.strategy, info.params, info.layout, info.match,
           info.layer);
  printf("energy %.6f, then %.6f after 100 steps; %.4f ms a stage\n", before, after, ms);
  wisp_simulation_destroy(simulation);
  free(xyz), free(u);
  return after <= before ? 0 : 1;
}
