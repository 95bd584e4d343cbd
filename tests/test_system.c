/* Claim: a system file says what it seems to say, every mistake in one is reported with its line, and the flux of the
 * Maxwell system is consistent, conservative and dissipative, and reflects at a perfect conductor. */
#include "test.h"
#include "../gen/system.h"
#include "../gen/language/expr_tree.h"

/* One-way transport of two fields, small enough to break piece by piece. */
static const char *const lines[] = {
    "# two waves", "fields a b",      "rate a = -a.x",       "rate b = +2 * b.y - 0.5*a.z",
    "flux",        "  d = a_p - a_m", "  flux_a = 0.5*nx*d", "  flux_b = ny*(b_m - b_p)",
    "end",         "boundary wall",   "  a_p = -a_m",        "  b_p = nz*b_m",
    "end",         "speed 2",         "energy 1 0.25",
};
enum { LINES = sizeof lines / sizeof *lines };

/* The text with line `at` (from 1) replaced; 0 replaces none. */
static void compose(char text[2048], int at, const char *replacement)
{
  text[0] = '\0';
  for (int i = 1; i <= LINES; i++) {
    strcat(text, i == at ? replacement : lines[i - 1]);
    strcat(text, "\n");
  }
}

TEST(test_parses)
{
  char text[2048];
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  compose(text, 0, NULL);
  GOOD(wisp_system_parse(err, "some/where/waves.system", text, &system));
  assert_string_equal(system->name, "waves");
  assert_int_equal(system->fields, 2);
  assert_string_equal(system->field[1], "b");
  assert_int_equal(system->terms, 3);
  static const wisp_term expected[] = {{0, 0, 0, -1, -1}, {1, 1, 1, 2, -1}, {1, 0, 2, -0.5, -1}};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(system->term[i].out, expected[i].out);
    assert_int_equal(system->term[i].in, expected[i].in);
    assert_int_equal(system->term[i].axis, expected[i].axis);
    assert_true(system->term[i].coefficient == expected[i].coefficient);
  }
  assert_int_equal(system->flux.count, 3);
  assert_string_equal(system->flux.names[1], "flux_a");
  assert_string_equal(system->flux.expressions[1]->text, "0.5*nx*d");
  assert_int_equal(system->boundaries, 1);
  assert_int_equal(wisp_system_boundary(system, "wall"), 0);
  assert_int_equal(wisp_system_boundary(system, "window"), -1);
  assert_int_equal(wisp_system_field(system, "b"), 1);
  assert_int_equal(wisp_system_field(system, "c"), -1);
  assert_true(system->speed == 2 && system->energy[0] == 1 && system->energy[1] == 0.25);

  double u_m[2] = {3, 5}, u_p[2] = {7, 11}, flux[2];
  wisp_system_flux(system, -1, (double[3]){2, 3, 4}, 1, u_m, u_p, flux, NULL);
  assert_true(flux[0] == 4 && flux[1] == -18);
  wisp_system_flux(system, 0, (double[3]){2, 3, 4}, 1, u_m, NULL, flux, NULL);
  assert_true(flux[0] == -6 && flux[1] == 3 * (5 - 20));
}

/* Terms without a derivative; a field with no other gets a derivative times 0. */
TEST(test_locals)
{
  char text[2048];
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  static const wisp_term expected[] = {{1, 1, -1, -1e-3, -1}, {1, 0, -1, 0.75, -1}, {1, 0, -1, -1, -1}};
  compose(text, 4, "rate b = -1e-3*b + (1 - 1/4) * a - a");
  GOOD(wisp_system_parse(err, "waves.system", text, &system));
  assert_int_equal(system->locals, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(system->local[i].out, expected[i].out);
    assert_int_equal(system->local[i].in, expected[i].in);
    assert_int_equal(system->local[i].axis, -1);
    assert_true(system->local[i].coefficient == expected[i].coefficient);
  }
  assert_int_equal(system->terms, 2);
  assert_true(system->term[1].out == 1 && system->term[1].coefficient == 0);
}

/* A replacement of a line, the line that the message names (0: the same), and a piece of the message. */
typedef struct mistake {
  int at;
  const char *replacement;
  int reported;
  const char *says;
} mistake;

static const mistake mistakes[] = {
    {2, "", 3, "must come first"},
    {2, "fields", 0, "no fields"},
    {2, "fields a 2b", 0, "'2b'"},
    {2, "fields a b a", 0, "twice"},
    {2, "fields a b c", 9, "flux_c"},
    {2, "fields a b c d e f g h i j k l m", 0, "more than 12"},
    {2, "fields a b_of_sixteen_cha", 0, "at most 15"},
    {3, "fields a b", 0, "given twice"},
    {3, "rate c = a.x", 0, "'c'"},
    {3, "rate b = a.x", 4, "given twice"},
    {3, "rate a + a.x", 0, "write: rate a"},
    {3, "rate a =", 0, "no term"},
    {3, "rate a = a.w", 0, ".x, .y or .z"},
    {3, "rate a = a.xy", 0, ".x, .y or .z"},
    {3, "rate a = 2", 0, "must end with a field, or a field's .x, .y or .z"},
    {3, "rate a = a.x - 2 * c", 0, "no field 'c'"},
    {3, "rate a = a.x - 2 b", 0, "a * must stand before 'b'"},
    {3, "rate a = a.x - 1e400 * b", 0, "a number"},
    {3, "rate a = a.x b", 0, "+ or -"},
    {3, "rate a = c.x", 0, "no field 'c'"},
    {3, "rate a = 3 a.x", 0, "*"},
    {3, "rate a = 1e999*a.x", 0, "a number"},
    {3, "rate a = (2 + a.x", 0, "a.x"},
    {3, "rate a = 2 + 3*a.x", 0, "must end with"},
    {3, "rate a = c*a.x", 0, "'c' is not defined"},
    {3, "rate a = 1/0*a.x", 0, "no finite"},
    {3, "rate a = a.x b.y", 0, "+ or -"},
    {3, "", 15, "without a rate of a"},
    {5, "", 6, "'d' is not one of"},
    {5, "flux a", 0, "alone"},
    {6, "  d - 5", 0, "no statement"},
    {6, "  d =", 0, "no expression"},
    {6, "  2 = 5", 0, "no name"},
    {6, "  d d = 5", 0, "no name"},
    {6, "  nx = 5", 0, "taken"},
    {6, "  d = c", 0, "c"},
    {6, "  d = (a_p", 0, ""},
    {6, "  d = flux_a", 0, "flux_a"},
    {6, "  flux_c = 1", 0, "no field"},
    {7, "  d = 5", 0, "taken"},
    {7, "", 9, "flux_a"},
    {9, "", 10, "boundary"},
    {10, "boundary", 0, "one name"},
    {10, "boundary a b", 0, "one name"},
    {10, "boundary a_name_of_more_than_23_characters", 0, "at most 23"},
    {11, "  a_m = 0", 0, "a_m"},
    {11, "  c_p = 0", 0, "c_p"},
    {11, "  a_p = d", 0, "d"},
    {11, "  a_p = b_p", 0, "b_p"},
    {11, "  a_p = alpha", 0, "alpha"},
    {11, "  b_p = 0", 12, "twice"},
    {11, "", 13, "1 of 2"},
    {13, "", 14, "no statement"},
    {14, "speed", 0, "positive number"},
    {14, "speed 0", 0, "positive number"},
    {14, "speed nan", 0, "'nan' is not defined"},
    {14, "speed 1 2", 0, "left over"},
    {14, "speed 1\nspeed 1", 15, "given twice"},
    {14, "", 15, "without a speed"},
    {15, "energy 1", 0, "field b"},
    {15, "energy 1 2 3", 0, "'3'"},
    {15, "energy 1 -2", 0, "field b"},
    {15, "energy 1 2\nenergy 1 2", 16, "given twice"},
    {15, "energy 1 2\nflux\nend", 16, "given twice"},
    {15, "energy 1 2\nboundary wall\nend", 16, "given twice"},
    {15, "energy 1 2\nboundary open\na_p = 0", 17, "line 16"},
    {15, "", 15, "without an energy"},
    {15, "entropy 1 2", 0, "'entropy' is not one of"},
    {3, "constant d = 1\nrate a = a.x", 7, "the name d is taken"},
    {3, "constant a = 1", 0, "the name a is taken"},
    {3, "constant nx = 1", 0, "the name nx is taken"},
    {3, "constant pi = 3", 0, "taken"},
    {3, "constant edge = 1", 0, "taken"},
    {3, "constant e = 1/0", 0, "no finite number"},
    {3, "constant e = f", 0, "'f' is not defined"},
    {3, "constant e", 0, "name = expression"},
    {6, "  d = sqrt(a_p)", 0, "call nothing"},
    {6, "  d = a_p % 2", 0, "no %"},
    {15, "energy 1 1\nstart", 16, "have a name"},
    {15, "energy 1 1\nstart s now", 16, "without 'now'"},
    {15, "energy 1 1\nstart s\na = x\nend", 18, "s gives b no value"},
    {15, "energy 1 1\nstart s\na = t", 17, "'t' is not defined"},
    {15, "energy 1 1\nstart s\na = mode_x", 17, "'mode_x' is not defined"},
    {15, "energy 1 1\nstart s\nx = 1", 17, "the name x is taken"},
    {15, "energy 1 1\nstart s\na = b\nb = 1\nend", 17, "'b' is not defined"},
    {15, "energy 1 1\nstart s\na = 1\nb = a\nend\nstart s", 20, "given twice"},
    {15, "energy 1 1\nsolution s", 16, "solution NAME BOUNDARY"},
    {15, "energy 1 1\nsolution s door", 16, "no boundary 'door' above"},
    {15, "energy 1 1\nsolution s wall 1 2", 16, "no mode"},
    {15, "energy 1 1\nsolution s wall 1 2 3 4", 16, "no mode"},
};

TEST(test_mistakes)
{
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    const mistake *m = &mistakes[i];
    char text[2048], place[64];
    wisp_error err = {0};
    wisp_system *system = NULL;
    compose(text, m->at, m->replacement);
    if (wisp_system_parse(&err, "bad.system", text, &system) != WISP_EINPUT) fail_msg("accepted: %s", m->replacement);
    snprintf(place, sizeof place, "bad.system:%d: ", m->reported ? m->reported : m->at);
    if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text + strlen(place), m->says))
      fail_msg("line %d '%s': '%s' is not at %s or does not say '%s'", m->at, m->replacement, err.text, place, m->says);
    assert_int_equal(err.status, WISP_EINPUT);
    assert_null(strchr(err.text, '\n'));
    assert_null(system);
    assert_int_equal(wisp_system_parse(NULL, "bad.system", text, &system), WISP_EINPUT);
  }
}

/* A solution's fields are its expressions at the points, and at more of them than are looked at together; constants
 * are numbers everywhere. */
TEST(test_states)
{
  enum { POINTS = 71 };
  char text[2048];
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  compose(text, 2,
          "fields a b\nconstant half = 1/2\nconstant two = 4 * half\n"
          "boundary door\n a_p = two * a_m\n b_p = -half * b_m\nend\n"
          "solution s door 1 2 0\n h = half * t\n a = h * x + mode_y\n b = y < edge ? a : middle_z - two\nend\n"
          "start still\n a = 0\n b = pi\nend");
  GOOD(wisp_system_parse(err, "waves.system", text, &system));
  assert_string_equal(system->boundary[0].ghost.expressions[1]->text, "-0.5 * b_m");
  const wisp_state *solution = wisp_system_state(system, "s"), *still = wisp_system_state(system, "still");
  assert_true(solution && still && !wisp_system_state(system, "moving"));
  assert_true(solution->walls == 0 && solution->modal && solution->mode[1] == 2 && still->walls < 0 && !still->modal);
  const wisp_surroundings given = {.middle = {0, 0, 7}, .edge = 30, .mode = {1, 5, 0}};
  double xyz[3 * POINTS], u[2 * POINTS];
  for (int i = 0; i < 3 * POINTS; i++) xyz[i] = i;
  wisp_state_fields(system, solution, &given, POINTS, xyz, 3, u);
  for (int p = 0; p < POINTS; p++) {
    const double a = 1.5 * xyz[3 * p] + 5, b = xyz[3 * p + 1] < 30 ? a : 5;
    assert_true(u[2 * p] == a && u[2 * p + 1] == b);
  }
  wisp_state_fields(system, still, &given, 1, xyz, 3, u);
  assert_true(u[0] == 0 && fabs(u[1] - 3.141592653589793) < 1e-15);
}

/* Walls that mirror keep the energy, and open ones do not; fluxes that ship add none, whatever alpha is. A flux of 0,
 * one of the wrong sign, and an energy of other equations do. */
TEST(test_energy)
{
  static const struct {
    const char *system, *walls;
    bool keeps_energy;
  } shipped[] = {{"maxwell", "pec", true},         {"maxwell", "absorbing", false},
                 {"maxwell_media", "pec", true},   {"acoustics", "soft", true},
                 {"acoustics", "rigid", true},     {"maxwell_media", "absorbing", false},
                 {"acoustics", "absorbing", false}};
  for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
    OWNED(wisp_system_destroy) wisp_system *system = NULL;
    GOOD(wisp_system_load(err, shipped[i].system, &system));
    const int walls = wisp_system_boundary(system, shipped[i].walls);
    assert_true(wisp_system_keeps_energy(system, walls) == shipped[i].keeps_energy);
    for (int alpha = 0; alpha < 3; alpha++)
      for (int b = -1; b < system->boundaries; b++) assert_false(wisp_system_adds_energy(system, b, alpha / 2.0));
  }
  static const char *const wrong[][2] = {{"0", "0.5 0.5"},
                                         {"0.5 * (alpha * dp - dv)", "0.5 0.5"},
                                         {"0.5 * (-alpha * dp - dv)", "0.5 0.5"},
                                         {"0.5 * (alpha * dp - dv)", "0.5 1"}};
  for (int i = 0; i < 4; i++) {
    char text[1024];
    OWNED(wisp_system_destroy) wisp_system *system = NULL;
    snprintf(text, sizeof text,
             "fields p v\nrate p = -v.x\nrate v = -p.x\nflux\n dp = p_p - p_m\n dv = nx * (v_p - v_m)\n"
             " flux_p = %s\n flux_v = 0.5 * nx * (alpha * dv - dp)\nend\n"
             "boundary wall\n p_p = p_m\n v_p = -v_m\nend\nspeed 1\nenergy %s\n",
             wrong[i][0], wrong[i][1]);
    GOOD(wisp_system_parse(err, "line.system", text, &system));
    if (wisp_system_adds_energy(system, -1, 1) != (i != 1)) fail_msg("flux %s, energy %s", wrong[i][0], wrong[i][1]);
  }
}

/* Any cut of the text is refused or parsed, never worse. */
TEST(test_truncated)
{
  char text[2048];
  compose(text, 0, NULL);
  size_t length = strlen(text);
  for (size_t cut = 0; cut + 3 < length; cut++) {
    OWNED(wisp_system_destroy) wisp_system *system = NULL;
    OWNED(free) char *part = strndup(text, cut);
    wisp_status status = wisp_system_parse(NULL, "cut", part, &system);
    assert_true(status == WISP_EINPUT || cut > length - 8);
  }
}

TEST(test_unknown_names_the_known)
{
  wisp_error err = {0};
  wisp_system *system = NULL;
  assert_int_equal(wisp_system_load(&err, "navier_stokes", &system), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "navier_stokes"));
  assert_non_null(strstr(err.text, "maxwell"));
}

/* ---- Maxwell. */
static double noise(void)
{
  return 2.0 * rand() / RAND_MAX - 1;
}

static void random_normal(double n[3])
{
  double length = 0;
  for (int c = 0; c < 3; c++) n[c] = noise(), length += n[c] * n[c];
  for (int c = 0; c < 3; c++) n[c] /= sqrt(length);
}

/* n.F(u): E gets -(n x H), H gets n x E; du/dt = -div F. */
static void normal_flux(const double n[3], const double *u, double *F)
{
  for (int c = 0; c < 3; c++) {
    int a = (c + 1) % 3, b = (c + 2) % 3;
    F[c] = -(n[a] * u[3 + b] - n[b] * u[3 + a]);
    F[3 + c] = n[a] * u[b] - n[b] * u[a];
  }
}

typedef struct sides {
  double n[3], back[3], u_m[6], u_p[6], F_m[6], F_p[6], flux_m[6], flux_p[6];
} sides;

/* Random states on both sides of a face, and the flux seen from each. */
static void random_face(const wisp_system *system, double alpha, sides *s)
{
  random_normal(s->n);
  for (int c = 0; c < 3; c++) s->back[c] = -s->n[c];
  for (int f = 0; f < 6; f++) s->u_m[f] = noise(), s->u_p[f] = noise();
  wisp_system_flux(system, -1, s->n, alpha, s->u_m, s->u_p, s->flux_m, NULL);
  wisp_system_flux(system, -1, s->back, alpha, s->u_p, s->u_m, s->flux_p, NULL);
  normal_flux(s->n, s->u_m, s->F_m);
  normal_flux(s->back, s->u_p, s->F_p);
}

static int load_maxwell(void **state)
{
  wisp_system *system = NULL;
  GOOD(wisp_system_load(err, "maxwell", &system));
  *state = system;
  return 0;
}

static int unload(void **state)
{
  wisp_system_destroy(*state);
  return 0;
}

TEST_WITH(test_consistent, load_maxwell, unload)
{
  const wisp_system *system = *state;
  for (int i = 0; i < 100; i++) {
    sides s;
    double flux[6];
    random_face(system, 1, &s);
    wisp_system_flux(system, -1, s.n, noise(), s.u_m, s.u_m, flux, NULL);
    for (int f = 0; f < 6; f++) assert_true(flux[f] == 0);
  }
}

/* The flow out of one side, n.F* = n.F - flux, enters the other; the central flux is the mean of both. */
TEST_WITH(test_conservative, load_maxwell, unload)
{
  const wisp_system *system = *state;
  for (int i = 0; i < 300; i++) {
    sides s;
    double alpha = i % 3 * 0.5;
    random_face(system, alpha, &s);
    for (int f = 0; f < 6; f++) {
      double leaves = s.F_m[f] - s.flux_m[f], enters = -(s.F_p[f] - s.flux_p[f]);
      assert_true(fabs(leaves - enters) < 1e-14);
      if (alpha == 0) assert_true(fabs(leaves - (s.F_m[f] - s.F_p[f]) / 2) < 1e-14);
    }
  }
}

/* Energy made at a face, by parts: the volume term gives -1/2 n.F.u of each side, the lift u.flux. Zero for the central
 * flux, and -alpha/2 |n x [[u]]|^2 in general. */
TEST_WITH(test_dissipative, load_maxwell, unload)
{
  const wisp_system *system = *state;
  for (int i = 0; i < 300; i++) {
    sides s;
    double alpha = i % 3 * 0.5, made = 0, jump[6], cross[6], expected = 0;
    random_face(system, alpha, &s);
    for (int f = 0; f < 6; f++) {
      made += s.u_m[f] * (s.flux_m[f] - s.F_m[f] / 2) + s.u_p[f] * (s.flux_p[f] - s.F_p[f] / 2);
      jump[f] = s.u_p[f] - s.u_m[f];
    }
    normal_flux(s.n, jump, cross);
    for (int f = 0; f < 6; f++) expected -= alpha / 2 * cross[f] * cross[f];
    assert_true(fabs(made - expected) < 1e-13);
    assert_true(made < 1e-14);
  }
}

/* At a perfect conductor no energy passes with the central flux, none is made with the upwind one, and the boundary
 * does what the mirror image outside would do. The absorbing boundary lets nothing in. */
TEST_WITH(test_boundaries, load_maxwell, unload)
{
  const wisp_system *system = *state;
  int pec = wisp_system_boundary(system, "pec"), absorbing = wisp_system_boundary(system, "absorbing");
  assert_true(pec >= 0 && absorbing >= 0);
  for (int i = 0; i < 300; i++) {
    sides s;
    double alpha = i % 3 * 0.5, flux[6], mirror[6], zero[6] = {0}, made = 0;
    random_face(system, alpha, &s);
    for (int f = 0; f < 6; f++) mirror[f] = f < 3 ? -s.u_m[f] : s.u_m[f];
    wisp_system_flux(system, -1, s.n, alpha, s.u_m, mirror, s.flux_m, NULL);
    wisp_system_flux(system, pec, s.n, alpha, s.u_m, NULL, flux, NULL);
    for (int f = 0; f < 6; f++) {
      assert_true(flux[f] == s.flux_m[f]);
      made += s.u_m[f] * (flux[f] - s.F_m[f] / 2);
    }
    assert_true(alpha == 0 ? fabs(made) < 1e-14 : made < 0);
    wisp_system_flux(system, -1, s.n, alpha, s.u_m, zero, s.flux_m, NULL);
    wisp_system_flux(system, absorbing, s.n, alpha, s.u_m, NULL, flux, NULL);
    for (int f = 0; f < 6; f++) assert_true(flux[f] == s.flux_m[f]);
  }
}
