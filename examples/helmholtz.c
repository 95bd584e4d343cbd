/* -laplace u = f on a program's own triangles by hybridized DG: set up once, solved for two right-hand sides. Data and
 * fields lie on the device, the first GPU or the host; this program looks at them here. In C or C++:
 *
 *     cc helmholtz.c $(pkg-config --cflags --libs wisp) -o helmholtz && ./helmholtz
 */
#include <wisp.h>

#include <stdio.h>
#include <stdlib.h>

static wisp_error err;
#define DO(call) ((call) == 0 ? (void)0 : exit((fprintf(stderr, "%s: %s\n", #call, err.text), 1)))
enum { SIDE = 20, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

static wisp_session *session;

static void *array(size_t numbers)
{
  void *memory;
  DO(wisp_memory_create(&err, session, 8 * numbers, &memory));
  return memory;
}

int main(int argc, char **argv)
{
  wisp_session_request wish = {argc > 1 ? argv[1] : NULL, NULL, NULL, NULL, NULL, 0, 0};
  DO(wisp_session_open(&err, &wish, &session));

  static double xyz[VERTICES][3]; /* the unit square; kappa du/dn is given where x = 1 */
  static int corners[TRIANGLES][3];
  static unsigned char fluxes[TRIANGLES][3];
  for (int v = 0; v < VERTICES; v++)
    xyz[v][0] = v % (SIDE + 1) / (double)SIDE, xyz[v][1] = v / (SIDE + 1) / (double)SIDE;
  for (int e = 0; e < TRIANGLES; e++) {
    const int low = e / 2 / SIDE * (SIDE + 1) + e / 2 % SIDE, up = low + SIDE + 1, odd = e % 2;
    corners[e][0] = low, corners[e][1] = odd ? up + 1 : low + 1, corners[e][2] = odd ? up : up + 1;
    fluxes[e][1] = !odd;
  }
  static wisp_helmholtz_request request; /* zero: what is not said is as the header has it */
  request.spec = "hdg.step:tri:p3:helmholtz:f64", request.vertices = VERTICES, request.elements = TRIANGLES;
  request.xyz = xyz[0], request.corners = corners[0], request.fluxes = fluxes[0], request.tolerance = 1e-13;
  wisp_helmholtz *problem;
  wisp_helmholtz_counts n;
  DO(wisp_helmholtz_create(&err, session, &request, &problem) || wisp_helmholtz_size(&err, problem, &n));
  const size_t given = n.boundary * n.edge_points;
  double *at = (double *)malloc(32 * given), *g = at + 3 * given;
  int *edge = (int *)malloc(n.boundary * sizeof *edge);
  DO(!at || !edge || wisp_helmholtz_points(&err, problem, NULL, at, edge));
  void *load = array(n.load), *on_edges = array(n.given), *flux = array(n.flux);

  for (double scale = 1; scale < 4; scale += 2) { /* u = scale (2 x + 4 y): the energy is 20 scale^2 */
    static const double middle[2] = {-1 / 3.0, -1 / 3.0};
    static double p[TRIANGLES][2];
    double energy = 0;
    for (size_t i = 0; i < given; i++) {
      const int here = edge[i / n.edge_points], has_flux = fluxes[here / 3][here % 3];
      g[i] = scale * (has_flux ? 2 : 2 * at[3 * i] + 4 * at[3 * i + 1]);
    }
    wisp_helmholtz_data data = {load, on_edges, NULL, flux, NULL, NULL};
    wisp_helmholtz_report report;
    DO(wisp_helmholtz_integrate(&err, problem, NULL, g, load, on_edges));
    DO(wisp_helmholtz_solve(&err, problem, &data, &report));
    DO(wisp_helmholtz_values(&err, problem, "flux", flux, 1, middle, p[0]));
    for (int e = 0; e < TRIANGLES; e++) energy += (p[e][0] * p[e][0] + p[e][1] * p[e][1]) / TRIANGLES;
    printf("%lld iterations, energy %.10f\n", report.iterations, energy / (scale * scale));
  }
  wisp_session_close(session);
  return 0;
}
