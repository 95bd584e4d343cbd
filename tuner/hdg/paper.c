#include "paper.h"
#include "../../gen/embedded.h"
#include "../../runtime/hdg/helmholtz_solver.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZES = 3, TIMES = 5 };

/* A row of tuner/hdg/published: milliseconds and kilobytes, of one M2090 (tables 2 to 7). */
typedef struct published {
  double local, assembly, solve, inside, total, memory, continuous;
} published;
static const struct {
  int squares;
  const char *name;
} sizes[SIZES] = {{20, "20 x 20 squares: tables 2, 3, 4, 7"},
                  {40, "40 x 40 squares: tables 2, 3, 5, 7"},
                  {80, "80 x 80 squares: tables 2, 3, 6, 7"}};

/* NaN where nothing is published of this order. */
static published find_published(int squares, int order)
{
  published p;
  const char *line = wisp_embedded_text("tuner/hdg/published");
  for (int row[2]; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (sscanf(line, "%d %d %lf %lf %lf %lf %lf %lf %lf", &row[0], &row[1], &p.local, &p.assembly, &p.solve, &p.inside,
               &p.total, &p.memory, &p.continuous) == 9 &&
        row[0] == squares && row[1] == order)
      return p;
  return (published){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

/* --- ours: the same problem to 1e-10, two levels --- */

/* The matrix by condense+assemble, so that each can be timed. */
static wisp_status set_up(wisp_error *err, const wisp_session *session, int squares, int order, wisp_solver **out)
{
  static const wisp_solver_setting settings[] = {{"setup", "condense+assemble"},
                                                 {"tau", "1"},
                                                 {"solution", "sin(2 * pi * x) * sin(2 * pi * y)"},
                                                 {"tolerance", "1e-10"},
                                                 {"iterations", "10000"}};
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  char box[16];
  snprintf(box, sizeof box, "%d", squares);
  CALL(wisp_solver_new(err, &wisp_helmholtz_kind, "helmholtz", &s));
  s->order = order;
  for (size_t i = 0; i < WISP_COUNT(settings); i++) CALL(wisp_solver_take(err, s, settings[i].name, settings[i].value));
  CALL(wisp_solver_begin(err, s, box));
  CALL(wisp_solver_open(err, s, session, NULL));
  return GIVE(s, out);
}

/* The least of some, in ms. */
static wisp_status time_kernel(wisp_error *err, wisp_helmholtz *r, wisp_helmholtz_part part, const char *kernel,
                               double *ms)
{
  *ms = INFINITY;
  for (int i = 0; i < TIMES; i++) {
    double seconds = 0;
    CALL(wisp_helmholtz_solver_time(err, r->solver, part, kernel, &seconds));
    *ms = fmin(*ms, 1e3 * seconds);
  }
  return WISP_OK;
}

static wisp_status time_continuous(wisp_error *err, const wisp_session *session, const wisp_helmholtz *r, double *ms)
{
  static const wisp_hdg_capacity capacity = {.pAp_parts = 0};
  HELD(wisp_stage_free) wisp_stage stage = {0};
  OWNED(wisp_problem_destroy) wisp_problem *problem = NULL;
  const wisp_chooser from = wisp_session_chooser(session);
  wisp_choose_request request = {
      .spec = wisp_family_spec(wisp_family_find("hdg"), r->problem->hdg->tables->N, NULL, WISP_F64),
      .elements = (long long)r->base.mesh->elements};
  wisp_discretisation d = wisp_hdg_discretisation(r->problem->hdg, &capacity);
  wisp_spec_name_kernel(&request.spec, "condense_continuous");
  CALL(wisp_choose(err, &from, &request, &stage));
  CALL(wisp_stage_load(err, session->device, &stage));
  CALL(wisp_problem_open(err, session->device, &d, WISP_F64, WISP_NARROW_GUARD, wisp_stage_wants, &stage, &problem));
  CALL(wisp_arrays_upload(err, problem->arrays, "kappa", r->problem->kappa));
  CALL(wisp_arrays_upload(err, problem->arrays, "lambda", r->problem->lambda));
  *ms = INFINITY;
  for (int i = 0; i < TIMES; i++) {
    CALL(wisp_device_finish(err, session->device));
    const double begin = wisp_seconds();
    CALL(wisp_problem_run(err, problem, stage.kernel[0], NULL, 0));
    CALL(wisp_device_finish(err, session->device));
    *ms = fmin(*ms, 1e3 * (wisp_seconds() - begin));
  }
  return WISP_OK;
}

typedef struct measured {
  double copy, local, assembly, solve, inside;
  size_t bytes;
} measured;

/* Solved some times, of which the fastest counts; its numbers of the preconditioner are made once. */
static wisp_status measure(wisp_error *err, wisp_helmholtz *r, measured *m)
{
  double numbers = 0, seconds = 0;
  m->copy = m->solve = m->inside = INFINITY;
  for (int i = 0; i < TIMES; i++) {
    wisp_helmholtz_outcome o;
    CALL(wisp_helmholtz_solver_run(err, r->solver, NULL, &o));
    CALL(wisp_require(err, o.cg.converged, WISP_EWRONG, "no convergence: the residual is %.3g", o.cg.residual));
    if (o.seconds_numbers > 0) numbers = 1e3 * o.seconds_numbers;
    m->solve = fmin(m->solve, 1e3 * o.seconds[WISP_HELMHOLTZ_ITERATION]);
    m->inside = fmin(m->inside, 1e3 * o.seconds[WISP_HELMHOLTZ_FIELDS]);
    m->bytes = o.bytes;
  }
  m->solve += numbers;
  CALL(time_kernel(err, r, WISP_HELMHOLTZ_SETUP, "condense", &m->local));
  CALL(time_kernel(err, r, WISP_HELMHOLTZ_SETUP, "assemble", &m->assembly));
  for (int i = 0; i < TIMES; i++) {
    CALL(wisp_helmholtz_solver_time_copy(err, r->solver, &seconds));
    m->copy = fmin(m->copy, 1e3 * seconds);
  }
  return WISP_OK;
}

static wisp_status compare(wisp_error *err, const wisp_session *session, int size, int order, wisp_paper_row *out)
{
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  measured m;
  double continuous = NAN;
  const published p = find_published(sizes[size].squares, order);
  CALL(set_up(err, session, sizes[size].squares, order, &s));
  wisp_helmholtz *r = (wisp_helmholtz *)s;
  CALL(measure(err, r, &m));
  CALL(time_continuous(err, session, r, &continuous));
  const double device = m.local + m.assembly + m.solve + m.inside, stages = p.local + p.assembly + p.solve + p.inside;
  *out = (wisp_paper_row){
      .table = sizes[size].name,
      .published_by = "paper",
      .units = "ms, MB",
      .order = order,
      .elements = r->base.mesh->elements,
      .columns = 10,
      .column = {{"local", NAN, m.local},
                 {"+ copy", p.local, m.local + m.copy},
                 {"assemble", p.assembly, m.assembly},
                 {"solve", p.solve, m.solve},
                 {"u, p, u*", p.inside, m.inside},
                 {"stages", NAN, device},
                 {"+ copy", stages, device + m.copy},
                 {"+ host", p.total, device + m.copy + 1e3 * (r->seconds_data + r->problem->hdg->seconds)},
                 {"memory", p.memory / 1e3, (double)m.bytes / 1e6},
                 {"contin.", p.continuous, continuous}}};
  return WISP_OK;
}

wisp_status wisp_hdg_paper(wisp_error *err, const wisp_session *session, const int *orders, size_t order_count,
                           long long most, wisp_paper_take take, void *context)
{
  for (int size = SIZES - 1; size >= 0; size--)
    for (size_t i = 0; i < order_count; i++) {
      wisp_paper_row row;
      if (most && 2LL * sizes[size].squares * sizes[size].squares > most) continue;
      CALL(compare(err, session, size, orders[i], &row));
      CALL(take(err, context, &row));
    }
  return WISP_OK;
}
