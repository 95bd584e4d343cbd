/* Claim: no call of wisp.h crashes or hangs for what a program mistakes: NULL in any argument, handles that were
 * closed, once or twice, before or behind their session, or that a parent opened; specs and counts with slips. Each
 * such call gives WISP_EUSAGE and one line that names it, and closing does nothing. Threads open sessions at once. */
#include "test.h"
#include "api_case.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static wisp_error last;
static int faults;
static const char *others; /* words that each line has as well; NULL: none */

/* A child of fork counts as well, where cmocka's checks would return into the parent's tests. */
static void expect(wisp_status status, const char *function)
{
  if (status == WISP_EUSAGE && strstr(last.text, function) && !strchr(last.text, '\n') &&
      (!others || strstr(last.text, others)))
    return;
  faults++;
  fprintf(stderr, "%s: status %d: %s\n", function, (int)status, last.text);
}
#define REFUSED(function, ...) expect(function((last = (wisp_error){0}, &last), __VA_ARGS__), #function)

/* ---- Every function on a handle that is none. */

static union {
  double numbers[64];
  wisp_solver_row row;
  wisp_kernel_info info;
  wisp_mesh_note note;
  wisp_argument argument;
  wisp_field_layout layout;
  wisp_helmholtz_counts counts;
  wisp_solver_sizes sizes;
  wisp_matrix_counts size;
  int ints[64];
} any;
static const wisp_count one[] = {{"elements", 1}, {NULL, 0}};
static const char spec[] = "nodal.volume:tet:p1:maxwell:f64";

static void refuse_session(wisp_session *s)
{
  void *memory = NULL;
  wisp_kernel *kernel = NULL;
  wisp_solver *solver = NULL;
  wisp_operator *op = NULL;
  wisp_matrix *matrix = NULL;
  wisp_helmholtz *helmholtz = NULL;
  REFUSED(wisp_session_finish, s);
  REFUSED(wisp_session_tune, s, spec, 1);
  REFUSED(wisp_memory_create, s, 8, &memory);
  REFUSED(wisp_memory_put, s, &any, &any, 8);
  REFUSED(wisp_memory_get, s, &any, &any, 8);
  REFUSED(wisp_solver_create, s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell"}, &solver);
  REFUSED(wisp_kernel_open, s, spec, NULL, &kernel);
  REFUSED(wisp_operator_create, s, &(wisp_operator_request){WISP_INIT(wisp_operator_request)}, &op);
  REFUSED(wisp_matrix_create, s, &(wisp_matrix_request){WISP_INIT(wisp_matrix_request)}, &matrix);
  REFUSED(wisp_helmholtz_create, s, &(wisp_solver_request){WISP_INIT(wisp_solver_request)}, NULL, &helmholtz);
  faults += wisp_session_note(s) != NULL;
  wisp_memory_destroy(s, &any);
  wisp_session_close(s);
}

static void refuse_kernel(wisp_kernel *k)
{
  size_t numbers = 0;
  unsigned grid[3], block[3];
  REFUSED(wisp_kernel_describe, k, &any.info);
  REFUSED(wisp_kernel_argument, k, 0, &any.argument);
  REFUSED(wisp_kernel_size, k, "u", one, &numbers);
  REFUSED(wisp_kernel_shape, k, one, grid, block, &numbers);
  REFUSED(wisp_kernel_layout, k, &any.layout);
  REFUSED(wisp_kernel_nodes, k, any.numbers);
  REFUSED(wisp_kernel_bind, k, "u", &any, 1);
  REFUSED(wisp_kernel_set, k, "a", 1);
  REFUSED(wisp_kernel_launch, k, one, NULL);
  faults += wisp_kernel_field(k, 0) != NULL;
  wisp_kernel_close(k);
}

static void refuse_solver(wisp_solver *s)
{
  const wisp_fields *fields = NULL;
  REFUSED(wisp_solver_advance, s, NULL);
  REFUSED(wisp_solver_report_row, s, 0, &any.row);
  REFUSED(wisp_solver_number, s, "dt", any.numbers);
  REFUSED(wisp_solver_fields, s, &fields);
  REFUSED(wisp_solver_write, s, "it.vtu");
  REFUSED(wisp_solver_size, s, &any.sizes);
  REFUSED(wisp_solver_nodes, s, any.numbers);
  REFUSED(wisp_solver_set, s, NULL, any.numbers);
  REFUSED(wisp_solver_get, s, any.numbers);
  REFUSED(wisp_solver_kernel, s, 0, &any.info);
  REFUSED(wisp_solver_note, s, 0, &any.note);
  wisp_solver_destroy(s);
}

static void refuse_operator(wisp_operator *op)
{
  size_t numbers = 0;
  REFUSED(wisp_operator_size, op, &numbers);
  REFUSED(wisp_operator_nodes, op, any.numbers);
  REFUSED(wisp_operator_diagonal, op, any.numbers);
  REFUSED(wisp_operator_apply, op, any.numbers, any.numbers + 8, NULL);
  REFUSED(wisp_operator_kernel, op, 0, &any.info);
  wisp_operator_destroy(op);
}

static void refuse_matrix(wisp_matrix *m)
{
  const int *row_start = NULL, *columns = NULL;
  const wisp_matrix_data data = {WISP_INIT(wisp_matrix_data)};
  REFUSED(wisp_matrix_size, m, &any.size);
  REFUSED(wisp_matrix_nodes, m, any.numbers, NULL, NULL);
  REFUSED(wisp_matrix_pattern, m, any.ints, NULL, NULL);
  REFUSED(wisp_matrix_pattern_on_device, m, &row_start, &columns);
  REFUSED(wisp_matrix_assemble, m, &data, any.numbers, any.numbers + 8, NULL);
  REFUSED(wisp_matrix_kernel, m, 0, &any.info);
  REFUSED(wisp_matrix_note, m, 0, &any.note);
  wisp_matrix_destroy(m);
}

static void refuse_helmholtz(wisp_helmholtz *p)
{
  const wisp_helmholtz_data data = {WISP_INIT(wisp_helmholtz_data)};
  REFUSED(wisp_helmholtz_size, p, &any.counts);
  REFUSED(wisp_helmholtz_points, p, any.numbers, NULL, NULL);
  REFUSED(wisp_helmholtz_integrate, p, NULL, NULL, any.numbers, any.numbers + 8);
  REFUSED(wisp_helmholtz_solve, p, &data, NULL);
  REFUSED(wisp_helmholtz_values, p, "u", any.numbers, 1, any.numbers, any.numbers + 8);
  REFUSED(wisp_solver_kernel, wisp_helmholtz_as_solver(p), 0, &any.info);
  wisp_helmholtz_destroy(p);
}

/* ---- One of each. */

typedef struct world {
  wisp_session *session;
  wisp_kernel *kernel;
  wisp_solver *solver;
  wisp_operator *op;
  wisp_matrix *matrix;
  wisp_helmholtz *helmholtz;
} world;

static const double cube[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int corners[] = {0, 1, 2, 3, 4, 5, 6, 7}, halves[] = {0, 1, 2, 1, 3, 2};

static const wisp_operator_request mass = {WISP_INIT(wisp_operator_request),
                                           .spec = "tensor.mass:hex:p1:poisson:f64",
                                           .vertices = 8,
                                           .elements = 1,
                                           .xyz = cube,
                                           .corners = corners};
static const wisp_matrix_request laplace = {WISP_INIT(wisp_matrix_request),
                                            .spec = "assembly.step:tri:p1:laplace:f64",
                                            .vertices = 4,
                                            .elements = 2,
                                            .xyz = cube,
                                            .corners = halves};
static const wisp_solver_request maxwell = {WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 1,
                                            .box = "1"};
static const wisp_solver_request square = {WISP_INIT(wisp_solver_request), .problem = "helmholtz", .order = 1,
                                           .box = "2"};

static world open_all(const char *device)
{
  world w = {.session = NULL};
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = device, .defaults_only = 1};
  GOOD(wisp_session_open(err, &request, &w.session));
  GOOD(wisp_kernel_open(err, w.session, spec, NULL, &w.kernel));
  GOOD(wisp_solver_create(err, w.session, &maxwell, &w.solver));
  GOOD(wisp_operator_create(err, w.session, &mass, &w.op));
  GOOD(wisp_matrix_create(err, w.session, &laplace, &w.matrix));
  GOOD(wisp_helmholtz_create(err, w.session, &square, NULL, &w.helmholtz));
  return w;
}

static void destroy_all(const world *w)
{
  wisp_helmholtz_destroy(w->helmholtz), wisp_matrix_destroy(w->matrix), wisp_operator_destroy(w->op);
  wisp_solver_destroy(w->solver), wisp_kernel_close(w->kernel);
}

/* Closing each as well. */
static void refuse_objects(const world *w)
{
  refuse_kernel(w->kernel), refuse_solver(w->solver), refuse_operator(w->op);
  refuse_matrix(w->matrix), refuse_helmholtz(w->helmholtz);
}

static void refuse_all(const world *w)
{
  refuse_objects(w);
  refuse_session(w->session);
}

/* ---- Handles. */

TEST(test_closed)
{
  world w = open_all(test_device_name());
  const world none = {.session = NULL};
  faults = 0;
  refuse_all(&none);
  destroy_all(&w), destroy_all(&w);
  others = "it was closed";
  refuse_objects(&w);
  wisp_session_close(w.session), wisp_session_close(w.session);
  refuse_all(&w); /* their memory is not theirs any more */
  w = open_all(test_device_name());
  others = "its session was closed";
  wisp_session_close(w.session);
  refuse_objects(&w);
  others = "it was closed";
  destroy_all(&w);
  refuse_objects(&w);
  refuse_kernel((wisp_kernel *)&any); /* a pointer to something else */
  others = NULL;
  assert_int_equal(faults, 0);
}

/* A handle of another kind is refused, too, whatever stands there. */
TEST(test_other_kind)
{
  const world w = open_all(test_device_name());
  faults = 0;
  refuse_kernel((wisp_kernel *)w.solver), refuse_solver((wisp_solver *)w.op), refuse_matrix((wisp_matrix *)w.session);
  refuse_helmholtz((wisp_helmholtz *)w.op), refuse_session((wisp_session *)w.kernel);
  GOOD(wisp_solver_kernel(err, wisp_helmholtz_as_solver(w.helmholtz), 0, &any.info));
  GOOD(wisp_solver_kernel(err, w.solver, 0, &any.info));
  assert_int_equal(faults, 0);
  wisp_session_close(w.session);
  destroy_all(&w);
}

/* ---- NULL in each argument of handles that are open. */

static void refuse_null_outputs(const world *w)
{
  REFUSED(wisp_session_open, NULL, NULL);
  REFUSED(wisp_session_tune, w->session, NULL, 1);
  REFUSED(wisp_memory_create, w->session, 8, NULL);
  REFUSED(wisp_memory_put, w->session, NULL, &any, 8);
  REFUSED(wisp_memory_put, w->session, &any, NULL, 8);
  REFUSED(wisp_memory_get, w->session, NULL, &any, 8);
  REFUSED(wisp_memory_get, w->session, &any, NULL, 8);
  REFUSED(wisp_solver_create, w->session, NULL, (wisp_solver **)&any);
  REFUSED(wisp_solver_create, w->session, &maxwell, NULL);
  REFUSED(wisp_solver_create, w->session, &(wisp_solver_request){WISP_INIT(wisp_solver_request)}, (wisp_solver **)&any);
  REFUSED(wisp_solver_report_row, w->solver, 0, NULL);
  REFUSED(wisp_solver_number, w->solver, NULL, any.numbers);
  REFUSED(wisp_solver_number, w->solver, "dt", NULL);
  REFUSED(wisp_solver_fields, w->solver, NULL);
  REFUSED(wisp_solver_write, w->solver, NULL);
  REFUSED(wisp_solver_size, w->solver, NULL);
  REFUSED(wisp_solver_nodes, w->solver, NULL);
  REFUSED(wisp_solver_set, w->solver, NULL, NULL);
  REFUSED(wisp_solver_get, w->solver, NULL);
  REFUSED(wisp_solver_kernel, w->solver, 0, NULL);
  REFUSED(wisp_solver_note, w->solver, 0, NULL);
  REFUSED(wisp_solver_option_at, NULL, 0, (wisp_solver_option *)&any);
  REFUSED(wisp_solver_option_at, "heat", 0, NULL);
  REFUSED(wisp_kernel_open, w->session, NULL, NULL, (wisp_kernel **)&any);
  REFUSED(wisp_kernel_open, w->session, spec, NULL, NULL);
  REFUSED(wisp_kernel_describe, w->kernel, NULL);
  REFUSED(wisp_kernel_argument, w->kernel, 0, NULL);
  REFUSED(wisp_kernel_size, w->kernel, "u", one, NULL);
  REFUSED(wisp_kernel_layout, w->kernel, NULL);
  REFUSED(wisp_kernel_nodes, w->kernel, NULL);
}

static void refuse_null_of_meshes(const world *w)
{
  REFUSED(wisp_operator_create, w->session, NULL, (wisp_operator **)&any);
  REFUSED(wisp_operator_create, w->session, &mass, NULL);
  REFUSED(wisp_operator_create, w->session, &(wisp_operator_request){WISP_INIT(wisp_operator_request)},
          (wisp_operator **)&any);
  REFUSED(wisp_operator_size, w->op, NULL);
  REFUSED(wisp_operator_nodes, w->op, NULL);
  REFUSED(wisp_operator_diagonal, w->op, NULL);
  REFUSED(wisp_operator_apply, w->op, NULL, &any, NULL);
  REFUSED(wisp_operator_apply, w->op, &any, NULL, NULL);
  REFUSED(wisp_operator_kernel, w->op, 0, NULL);
  REFUSED(wisp_matrix_create, w->session, NULL, (wisp_matrix **)&any);
  REFUSED(wisp_matrix_create, w->session, &laplace, NULL);
  REFUSED(wisp_matrix_create, w->session, &(wisp_matrix_request){WISP_INIT(wisp_matrix_request)}, (wisp_matrix **)&any);
  REFUSED(wisp_matrix_size, w->matrix, NULL);
  REFUSED(wisp_matrix_pattern_on_device, w->matrix, NULL, NULL);
  REFUSED(wisp_matrix_assemble, w->matrix, NULL, &any, &any, NULL);
  REFUSED(wisp_matrix_kernel, w->matrix, 0, NULL);
  REFUSED(wisp_matrix_note, w->matrix, 0, NULL);
  REFUSED(wisp_helmholtz_create, w->session, NULL, NULL, (wisp_helmholtz **)&any);
  REFUSED(wisp_helmholtz_create, w->session, &square, NULL, NULL);
  REFUSED(wisp_helmholtz_size, w->helmholtz, NULL);
  REFUSED(wisp_helmholtz_integrate, w->helmholtz, NULL, NULL, NULL, NULL);
  REFUSED(wisp_helmholtz_integrate, w->helmholtz, NULL, NULL, &any, NULL);
  REFUSED(wisp_helmholtz_solve, w->helmholtz, NULL, NULL);
  REFUSED(wisp_helmholtz_values, w->helmholtz, NULL, &any, 1, any.numbers, any.numbers);
  REFUSED(wisp_helmholtz_values, w->helmholtz, "u", NULL, 1, any.numbers, any.numbers);
  REFUSED(wisp_helmholtz_values, w->helmholtz, "u", &any, 1, NULL, any.numbers);
  REFUSED(wisp_helmholtz_values, w->helmholtz, "u", &any, 1, any.numbers, NULL);
}

TEST(test_null)
{
  const world w = open_all(test_device_name());
  faults = 0;
  refuse_null_outputs(&w), refuse_null_of_meshes(&w);
  assert_int_equal(faults, 0);
  BAD(wisp_kernel_size(err, w.kernel, NULL, one, (size_t *)&any), WISP_EUSAGE, "no argument 'NULL'");
  BAD(wisp_kernel_size(err, w.kernel, "u", NULL, (size_t *)&any), WISP_EUSAGE, "no counts");
  BAD(wisp_kernel_shape(err, w.kernel, NULL, NULL, NULL, NULL), WISP_EUSAGE, "no counts");
  BAD(wisp_kernel_launch(err, w.kernel, NULL, NULL), WISP_EUSAGE, "no counts");
  BAD(wisp_kernel_bind(err, w.kernel, NULL, &any, 1), WISP_EUSAGE, "no argument 'NULL'");
  BAD(wisp_kernel_bind(err, w.kernel, "u", NULL, 1), WISP_EUSAGE, "the memory is NULL");
  BAD(wisp_kernel_set(err, w.kernel, NULL, 1), WISP_EUSAGE, "no argument 'NULL'");
  BAD(wisp_matrix_assemble(err, w.matrix, &(wisp_matrix_data){WISP_INIT(wisp_matrix_data)}, NULL, NULL, NULL),
      WISP_EUSAGE, "values is NULL");
  GOOD(wisp_kernel_shape(err, w.kernel, one, NULL, NULL, NULL)); /* each may be */
  GOOD(wisp_matrix_nodes(err, w.matrix, NULL, NULL, NULL));
  GOOD(wisp_matrix_pattern(err, w.matrix, NULL, NULL, NULL));
  GOOD(wisp_helmholtz_points(err, w.helmholtz, NULL, NULL, NULL));
  assert_int_equal(wisp_kernel_launch(NULL, w.kernel, one, NULL), WISP_EUSAGE); /* nobody asks why */
  wisp_memory_destroy(w.session, NULL), wisp_memory_destroy(NULL, NULL);
  destroy_all(&w);
  wisp_session_close(w.session);
  assert_true(wisp_field_address(NULL, 0, 0, 0) == SIZE_MAX);
  assert_true(wisp_field_address(&(wisp_field_layout){.fields = 6}, 1, 2, 3) == SIZE_MAX);
}

/* ---- Specs and counts. */

TEST(test_specs)
{
  static const char *const slips[] = {"nodal.volume:tet:p 2:maxwell:f64",
                                      "nodal.volume:tet:p2147483648:maxwell:f64",
                                      "nodal.volume:tet:p+2:maxwell:f64",
                                      "nodal.volume:tet:p-2:maxwell:f64",
                                      "nodal.volume:tet:p2.:maxwell:f64",
                                      "nodal.volume:tet:p02:maxwell:f64",
                                      "nodal.volume:tet:p2:maxwell:f64 ",
                                      "nodal.volume:tet:p2:maxwell:f64:",
                                      "nodal.volume:tet:p99999999999999999999:maxwell:f64",
                                      "nodal.volume:tet:p:x:f64",
                                      "nodal.volume",
                                      "",
                                      ":::::"};
  wisp_session *session = api_session();
  wisp_kernel *kernel = NULL;
  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
    BAD(wisp_kernel_open(err, session, slips[i], NULL, &kernel), WISP_EINPUT, "is not of the form");
  BAD(wisp_kernel_open(err, session, " nodal.volume:tet:p2:maxwell:f64", NULL, &kernel), WISP_EUSAGE, "no family");
  BAD(wisp_kernel_open(err, session, "nodal.volume:tet:p0:maxwell:f64", NULL, &kernel), WISP_EUSAGE, "out of range");
  assert_null(kernel);
  static const char *const boxes[] = {"+2", " 2", "2 ", "-2", "2,2", "4294967298", ""};
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
    wisp_solver_request request = maxwell;
    wisp_solver *solver = NULL;
    request.box = boxes[i];
    BAD(wisp_solver_create(err, session, &request, &solver), WISP_EUSAGE, "option --box is");
  }
  wisp_session_close(session);
}

TEST(test_counts)
{
  static const struct {
    wisp_count counts[3];
    const char *words;
  } slips[] = {{{{"zork", 1}, {"elements", 1}}, "count 'zork': the nodal family's sizes have no such count"},
               {{{"", 1}, {"elements", 1}}, "count ''"},
               {{{"Elements", 1}}, "count 'Elements'"},
               {{{"element", 1}}, "count 'element'"},
               {{{"elements", 1}, {"elements", 1}}, "count 'elements' is there twice"},
               {{{"groups", 1}, {"groups", 2}}, "count 'groups' is there twice"},
               {{{"elements", 1}, {"NpM", 1}}, "leave it out"},
               {{{"elements", (size_t)-1}}, "more than kernels can count"},
               {{{"first", 1}}, "neither elements nor groups are counted"}};
  wisp_session *session = api_session();
  wisp_kernel *kernel = NULL;
  size_t numbers = 0;
  GOOD(wisp_kernel_open(err, session, spec, NULL, &kernel));
  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    BAD(wisp_kernel_size(err, kernel, "u", slips[i].counts, &numbers), WISP_EUSAGE, slips[i].words);
    BAD(wisp_kernel_shape(err, kernel, slips[i].counts, NULL, NULL, NULL), WISP_EUSAGE, slips[i].words);
    BAD(wisp_kernel_launch(err, kernel, slips[i].counts, NULL), WISP_EUSAGE, slips[i].words);
  }
  GOOD(wisp_kernel_size(err, kernel, "u", (wisp_count[]){{"first", 0}, {"groups", 1}, {NULL, 0}}, &numbers));
  wisp_kernel_close(kernel);
  wisp_session_close(session);
}

/* ---- Threads and processes. */

static void solve_little(void)
{
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = "host", .defaults_only = 1};
  wisp_session *session = NULL;
  wisp_solver *solver = NULL;
  wisp_status status = wisp_session_open(&last, &request, &session);
  if (status == WISP_OK) status = wisp_solver_create(&last, session, &maxwell, &solver);
  if (status == WISP_OK) status = wisp_solver_advance(&last, solver, &(wisp_until){WISP_INIT(wisp_until), .steps = 2});
  wisp_solver_destroy(solver);
  wisp_session_close(session);
  if (status != WISP_OK) fprintf(stderr, "%s\n", last.text);
  faults += status != WISP_OK;
}

static void *solve_in_thread(void *nothing)
{
  solve_little();
  return nothing;
}

/* In a child, whose answer is its exit status; one that hangs is ended. */
static void in_child(void (*run)(const world *w), const world *w)
{
  int how = 0;
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    alarm(60);
    faults = 0;
    run(w);
    _exit(faults != 0);
  }
  assert_true(waitpid(pid, &how, 0) == pid);
  if (!WIFEXITED(how) || WEXITSTATUS(how)) fail_msg("the child ended with %x", (unsigned)how);
}

static void use_parents(const world *w)
{
  others = "a fork does not carry it over";
  refuse_all(w);
}

/* The thread that forked ran kernels in the parent: it is told so, unless OpenMP has this thread alone. */
static void solve_as_child(const world *w)
{
  pthread_t thread;
  (void)w;
  solve_little();
  if (faults && strstr(last.text, "ran kernels before a fork")) faults = 0;
  if (pthread_create(&thread, NULL, solve_in_thread, NULL) == 0) pthread_join(thread, NULL);
}

TEST(test_fork)
{
#ifdef __SANITIZE_THREAD__
  skip(); /* it allows no threads in a child */
#endif
  const world w = open_all("host");
  GOOD(wisp_solver_advance(err, w.solver, &(wisp_until){WISP_INIT(wisp_until), .steps = 1}));
  in_child(use_parents, &w);
  in_child(solve_as_child, &w);
  GOOD(wisp_solver_advance(err, w.solver, &(wisp_until){WISP_INIT(wisp_until), .steps = 1}));
  destroy_all(&w);
  wisp_session_close(w.session);
}

/* Open a session, compile and close, time and again, at once. */
static void *open_in_turn(void *own)
{
  wisp_error *err = own;
  for (int i = 0; i < 3 && !*err->text; i++) {
    const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = "host", .defaults_only = 1};
    wisp_session *session = NULL;
    wisp_kernel *kernel = NULL;
    if (wisp_session_open(err, &request, &session) == WISP_OK)
      (void)wisp_kernel_open(err, session, spec, NULL, &kernel);
    wisp_kernel_close(kernel);
    wisp_session_close(session);
  }
  return NULL;
}

TEST(test_threads)
{
  enum { MOST = 4 };
  for (int count = 2; count <= MOST; count += 2) {
    pthread_t thread[MOST];
    wisp_error errors[MOST] = {{.text = ""}};
    char empty[] = "/tmp/wisp-misuse-XXXXXX", command[64];
    assert_non_null(mkdtemp(empty));
    setenv("WISP_CACHE_DIR", empty, 1); /* so that compilers run */
    unsetenv("OMP_STACKSIZE"), unsetenv("OMP_WAIT_POLICY");
    for (int i = 0; i < count; i++) assert_int_equal(pthread_create(&thread[i], NULL, open_in_turn, &errors[i]), 0);
    for (int i = 0; i < count; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < count; i++) assert_string_equal(errors[i].text, "");
    assert_non_null(getenv("OMP_WAIT_POLICY"));
    snprintf(command, sizeof command, "rm -rf %s", empty);
    assert_int_equal(system(command), 0);
  }
}

GROUP(no_shipped_winners, NULL)
