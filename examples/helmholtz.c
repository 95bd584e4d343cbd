/* -laplace u = f on a program's own triangles by hybridized DG: set up once, solved for two right-hand sides. Data and
 * fields lie on the device, the first GPU or the host; this program looks at them here. In C or C++:
 *
 *     cc helmholtz.c $(pkg-config --cflags --libs wisp) -o helmholtz && ./helmholtz
 */
#include <wisp.h>

#include <stdio.h>
#include <stdlib.h>

static wisp_error err;
#define DO(call) ((call) == WISP_OK ? (void)0 : exit((fprintf(stderr, "%s: %s\n", #call, err.text), 1)))
enum { SIDE = 20, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

static wisp_session *session;
static wisp_helmholtz *problem;
static wisp_helmholtz_counts n;

/* The unit square; kappa du/dn is given where x = 1, u on the other sides. */
static double xyz[VERTICES][3];
static int corners[TRIANGLES][3];
static unsigned char fluxes[TRIANGLES][3];

static void make_mesh(void)
{
  for (int v = 0; v < VERTICES; v++) {
    xyz[v][0] = v % (SIDE + 1) / (double)SIDE;
    xyz[v][1] = v / (SIDE + 1) / (double)SIDE;
  }
  for (int e = 0; e < TRIANGLES; e++) {
    const int low = e / 2 / SIDE * (SIDE + 1) + e / 2 % SIDE;
    const int up = low + SIDE + 1;
    const int odd = e % 2;
    corners[e][0] = low;
    corners[e][1] = odd ? up + 1 : low + 1;
    corners[e][2] = odd ? up : up + 1;
    fluxes[e][1] = !odd;
  }
}

static void set_up(void)
{
  const wisp_solver_setting settings[] = {{"lambda", "0"}, {"tolerance", "1e-13"}, {NULL, NULL}};
  const wisp_solver_request request = {WISP_INIT(wisp_solver_request), .problem = "helmholtz", .order = 3,
                                       .vertices = VERTICES,           .elements = TRIANGLES,  .xyz = xyz[0],
                                       .corners = corners[0],          .settings = settings};
  const wisp_helmholtz_input input = {WISP_INIT(wisp_helmholtz_input), .fluxes = fluxes[0]};
  DO(wisp_helmholtz_create(&err, session, &request, &input, &problem));
  DO(wisp_helmholtz_size(&err, problem, &n));
}

static void *array(size_t numbers)
{
  void *memory;
  DO(wisp_memory_create(&err, session, 8 * numbers, &memory));
  return memory;
}

/* Boundary data of u = scale (2 x + 4 y). */
static void make_data(double scale, void *load, void *given)
{
  const size_t points = n.boundary * n.edge_points;
  double *at = (double *)calloc(3 * points, sizeof *at);
  double *g = (double *)calloc(points, sizeof *g);
  int *edge = (int *)calloc(n.boundary, sizeof *edge);
  if (!at || !g || !edge) exit(1);
  DO(wisp_helmholtz_points(&err, problem, NULL, at, edge));
  for (size_t i = 0; i < points; i++) {
    const int here = edge[i / n.edge_points];
    const double u = 2 * at[3 * i] + 4 * at[3 * i + 1];
    g[i] = scale * (fluxes[here / 3][here % 3] ? 2 : u);
  }
  DO(wisp_helmholtz_integrate(&err, problem, NULL, g, load, given));
  free(at);
  free(g);
  free(edge);
}

/* The integral of |grad u|^2, which is constant: its values in the middle of each triangle. */
static double energy_of(const void *flux)
{
  static const double middle[2] = {-1 / 3.0, -1 / 3.0};
  static double p[TRIANGLES][2];
  double energy = 0;
  DO(wisp_helmholtz_values(&err, problem, "flux", flux, 1, middle, p[0]));
  for (int e = 0; e < TRIANGLES; e++) energy += (p[e][0] * p[e][0] + p[e][1] * p[e][1]) / TRIANGLES;
  return energy;
}

int main(int argc, char **argv)
{
  const wisp_session_request where = {WISP_INIT(wisp_session_request), .device = argc > 1 ? argv[1] : NULL};
  DO(wisp_session_open(&err, &where, &session));
  make_mesh();
  set_up();
  void *load = array(n.load);
  void *given = array(n.given);
  void *flux = array(n.flux);
  for (double scale = 1; scale < 4; scale += 2) { /* the energy is 20 scale^2 */
    const wisp_helmholtz_data data = {WISP_INIT(wisp_helmholtz_data), .load = load, .given = given, .flux = flux};
    wisp_helmholtz_report report;
    make_data(scale, load, given);
    DO(wisp_helmholtz_solve(&err, problem, &data, &report));
    printf("%lld iterations, energy %.10f\n", report.iterations, energy_of(flux) / (scale * scale));
  }
  wisp_session_close(session);
  return 0;
}
