/* Claim: a system's file says what elements have of their own: coefficients and what follows from them, which rates,
 * fluxes, boundaries, energy and speed may read. Mistakes are one line with their place; kernels depend on who reads
 * what, not on values. The fluxes that ship let no energy appear at a face between any two media. */
#include "test.h"
#include "../gen/nodal/nodal.h"
#include "../gen/random.h"
#include "../gen/system.h"

static const char *const lines[] = {
    "fields a b",
    "constant two = 2",
    "coefficient rho = 4",
    "coefficient kappa = two / 2",
    "quantity Z = sqrt(rho * kappa) * two",
    "quantity W = 1 / Z",
    "rate a = -3 * kappa * b.x + 2 * b.y",
    "rate b = W * a.z",
    "flux",
    "  flux_a = Z_p * (a_p - a_m)",
    "  flux_b = rho_m * (b_p - b_m)",
    "end",
    "boundary wall",
    "  a_p = -rho_m * a_m",
    "  b_p = b_m",
    "end",
    "speed sqrt(kappa / rho)",
    "energy 0.5/kappa 0.25",
    "solution wave wall",
    "  a = Z * x",
    "  b = rho",
    "end",
};
enum { LINES = sizeof lines / sizeof *lines };

/* The file with line `at`, from 1, replaced. */
static wisp_status parse(wisp_error *err, int at, const char *replacement, wisp_system **out)
{
  char text[2048] = "";
  for (int i = 0; i < LINES; i++) strcat(strcat(text, i + 1 == at ? replacement : lines[i]), "\n");
  return wisp_system_parse(err, "media.system", text, out);
}

static wisp_system *parsed(int at, const char *replacement)
{
  wisp_system *system = NULL;
  GOOD(parse(err, at, replacement, &system));
  return system;
}

static void check_reads(const wisp_system *system, wisp_reader_of reader, const char *expected)
{
  int list[WISP_MAX_QUANTITIES];
  char names[256] = "";
  const int count = wisp_system_reads(system, reader, list);
  for (int i = 0; i < count; i++) strcat(strcat(names, system->quantity[list[i]].name), " ");
  assert_string_equal(names, expected);
}

TEST(test_parses)
{
  OWNED(wisp_system_destroy) wisp_system *system = parsed(0, "");
  assert_int_equal(system->term[0].quantity, wisp_system_quantity(system, "kappa"));
  assert_true(system->term[0].coefficient == -3 && system->term[1].coefficient == 2 &&
              system->term[2].coefficient == 1);
  assert_int_equal(system->term[1].quantity, -1);
  check_reads(system, WISP_RATES, "kappa W ");
  check_reads(system, WISP_INSIDE, "rho ");
  check_reads(system, WISP_OUTSIDE, "Z ");
  check_reads(system, WISP_EITHER_SIDE, "rho Z ");
  const wisp_records records = wisp_nodal_records(system);
  assert_true(records.geos == 11 && records.face_reals == 16 + 1 + 4 && records.pair_reals == 5 + 2 * 2);
  assert_true(system->speed == 0.5 && system->energy[0] == 0.5 && system->energy[1] == 0.25);
}

/* More elements than are computed at once; of each all that follows. */
TEST(test_media)
{
  enum { COUNT = 71 };
  wisp_error err = {0};
  OWNED(wisp_system_destroy) wisp_system *system = parsed(0, "");
  const size_t n = (size_t)system->quantities;
  double medium[COUNT * WISP_MAX_QUANTITIES];
  const size_t rho = (size_t)wisp_system_quantity(system, "rho"), W = (size_t)wisp_system_quantity(system, "W");
  wisp_system_default_medium(system, COUNT, medium);
  for (size_t e = 0; e < COUNT; e++) medium[e * n + rho] = 1 + (double)e;
  assert_int_equal(wisp_system_complete_medium(&err, system, COUNT, medium), WISP_OK);
  for (size_t e = 0; e < COUNT; e++) {
    const double *own = medium + e * n, density = 1 + (double)e;
    assert_true(fabs(own[W] * 2 * sqrt(density) - 1) < 1e-15);
    assert_true(fabs(wisp_system_speed(system, own) * sqrt(density) - 1) < 1e-15);
    assert_true(wisp_system_energy(system, own, 0) == 0.5 && wisp_system_energy(system, own, 1) == 0.25);
  }
  medium[66 * n + rho] = -2;
  assert_int_equal(wisp_system_complete_medium(&err, system, COUNT, medium), WISP_EINPUT);
  assert_string_equal(err.text, "rho is -2 in element 66, must be positive and finite");
}

/* A coefficient whose default is 0, such as a loss, may be 0 and is never negative. */
TEST(test_losses)
{
  wisp_error err = {0};
  OWNED(wisp_system_destroy) wisp_system *system = parsed(3, "coefficient rho = 4\ncoefficient loss = 0");
  const int loss = wisp_system_quantity(system, "loss");
  double medium[WISP_MAX_QUANTITIES];
  wisp_system_default_medium(system, 1, medium);
  assert_true(medium[loss] == 0);
  assert_int_equal(wisp_system_complete_medium(&err, system, 1, medium), WISP_OK);
  medium[loss] = -1;
  assert_int_equal(wisp_system_complete_medium(&err, system, 1, medium), WISP_EINPUT);
  assert_string_equal(err.text, "loss is -1 in element 0, must be 0 or positive, and finite");
}

/* A solution sees the quantities of the medium that it is asked for. */
TEST(test_states)
{
  OWNED(wisp_system_destroy) wisp_system *system = parsed(0, "");
  wisp_surroundings in = {.edge = 1};
  const double at[3] = {3, 0, 0};
  double u[2];
  wisp_system_default_medium(system, 1, in.medium);
  in.medium[wisp_system_quantity(system, "rho")] = 16;
  GOOD(wisp_system_complete_medium(err, system, 1, in.medium));
  wisp_state_fields(system, &system->state[0], &in, 1, at, 0, u);
  assert_true(u[0] == 24 && u[1] == 16);
}

TEST(test_mistakes)
{
  static const struct {
    int at;
    const char *replacement, *says;
  } mistakes[] = {
      {3, "coefficient rho = 0", "media.system:6: its value is not finite"}, /* it may be 0, and 1 / Z follows */
      {3, "coefficient rho = -4", "media.system:3: coefficient rho is -4, must be positive, or 0"},
      {3, "coefficient rho = 1 / 0", "no finite number"},
      {3, "coefficient rho", "no statement"},
      {3, "coefficient rho = kappa", "'kappa' is not defined"},
      {3, "coefficient a = 4", "the name a is taken"},
      {3, "coefficient two = 4", "the name two is taken"},
      {3, "coefficient middle_x = 4", "the name middle_x is taken"},
      {4, "coefficient rho = 4", "the name rho is taken"},
      {4, "constant rho = 4", "the name rho is taken"},
      {3, "coefficient rho_of_a_fluid_that_is_at_rest = 4", "longer than 29"},
      {5, "quantity Z = sqrt(rho * W)", "media.system:5: expression 'sqrt(rho * W)'"},
      {5, "quantity Z = 1 / (rho - 4)", "not finite"},
      {5, "quantity Z = rho +", "expression"},
      {7, "rate a = kappa * 3 * b.x", "media.system:7: 'kappa * 3': one quantity, kappa here, may stand last"},
      {7, "rate a = 1 / kappa * b.x", "give the value a name by quantity"},
      {7, "rate a = rho * kappa * b.x", "one quantity"},
      {7, "rate a = (2 * kappa) * b.x", "one quantity"},
      {10, "  flux_a = Z * (a_p - a_m)", "'Z' is not defined"},
      {10, "  Z_m = 1", "the name Z_m is taken"},
      {14, "  a_p = -rho_p * a_m", "'rho_p' is not defined"},
      {17, "speed sqrt(kappa / c)", "'c' is not defined"},
      {18, "energy 0.5/kappa -rho", "no number, 0 or more, for field b"},
      {20, "  rho = 3", "the name rho is taken"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    wisp_error err = {0};
    wisp_system *system = NULL;
    const wisp_status status = parse(&err, mistakes[i].at, mistakes[i].replacement, &system);
    if (status != WISP_EINPUT || system || !strstr(err.text, mistakes[i].says) || strchr(err.text, '\n'))
      fail_msg("%s: status %d, %s", mistakes[i].replacement, (int)status, err.text);
  }
}

TEST(test_hash)
{
  static const struct {
    int at;
    const char *replacement;
    bool counts;
  } edits[] = {
      {3, "coefficient rho = 5", false},
      {5, "quantity Z = rho + kappa", false},
      {17, "speed 2 * sqrt(kappa / rho)", false},
      {18, "energy 0.5/kappa rho", false},
      {6, "quantity V = 1 / Z\nquantity W = V", false},
      {7, "rate a = -3 * rho * b.x + 2 * b.y", true},
      {7, "rate a = -3 * kappa * b.x + 2 * kappa * b.y", true},
      {10, "  flux_a = rho_p * (a_p - a_m)", true},
      {14, "  a_p = -kappa_m * a_m", true},
  };
  uint64_t old[WISP_SYSTEM_SYMBOLS], new[WISP_SYSTEM_SYMBOLS];
  OWNED(wisp_system_destroy) wisp_system *before = parsed(0, "");
  wisp_system_hash_symbols(before, old);
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    OWNED(wisp_system_destroy) wisp_system *after = parsed(edits[i].at, edits[i].replacement);
    wisp_system_hash_symbols(after, new);
    if ((memcmp(old, new, sizeof old) != 0) != edits[i].counts) fail_msg("%s", edits[i].replacement);
  }
}

/* --- what ships, between media that have nothing to do with each other --- */

typedef struct face {
  double n[3], back[3], medium[2][WISP_MAX_QUANTITIES], u[2][WISP_MAX_FIELDS];
} face;

static void random_face(const wisp_system *system, uint64_t *random, face *f)
{
  double length = 0;
  for (int c = 0; c < 3; c++) length = hypot(length, f->n[c] = wisp_random_real(random));
  for (int c = 0; c < 3; c++) f->back[c] = -(f->n[c] /= length);
  for (int s = 0; s < 2; s++) {
    for (int q = 0; q < system->quantities; q++) f->medium[s][q] = exp(2 * wisp_random_real(random));
    GOOD(wisp_system_complete_medium(err, system, 1, f->medium[s]));
    for (int i = 0; i < system->fields; i++) f->u[s][i] = wisp_random_real(random);
  }
}

/* n.F of the rates: minus the coefficient of each derivative, times the normal. */
static void normal_flux(const wisp_system *system, const double n[3], const double *medium, const double *u, double *F)
{
  memset(F, 0, WISP_MAX_FIELDS * sizeof *F);
  for (size_t t = 0; t < system->terms; t++) {
    const wisp_term *term = &system->term[t];
    F[term->out] -= term->coefficient * (term->quantity < 0 ? 1 : medium[term->quantity]) * n[term->axis] * u[term->in];
  }
}

/* Energy that side s of the face makes, by parts: its own flux gives -1/2 n.F.u, the lift u.flux; boundary -1: none. */
static double energy_made(const wisp_system *system, const face *f, int s, int boundary, double alpha)
{
  double F[WISP_MAX_FIELDS], flux[WISP_MAX_FIELDS], made = 0;
  const double *n = s ? f->back : f->n;
  const wisp_side m = {f->u[s], f->medium[s]}, p = {f->u[1 - s], f->medium[1 - s]};
  normal_flux(system, n, f->medium[s], f->u[s], F);
  wisp_system_flux_between(system, boundary, n, alpha, m, p, flux, NULL);
  for (int i = 0; i < system->fields; i++)
    made += 2 * wisp_system_energy(system, f->medium[s], i) * f->u[s][i] * (flux[i] - F[i] / 2);
  return made;
}

TEST(test_energy)
{
  static const char *const names[] = {"acoustics", "maxwell_media", "maxwell"};
  for (size_t i = 0; i < 3; i++) {
    OWNED(wisp_system_destroy) wisp_system *system = NULL;
    uint64_t random = wisp_random_from(i);
    GOOD(wisp_system_load(err, names[i], &system));
    for (int k = 0; k < 300; k++) {
      const double alpha = k % 3 * 0.5;
      face f;
      random_face(system, &random, &f);
      const double made = energy_made(system, &f, 0, -1, alpha) + energy_made(system, &f, 1, -1, alpha);
      if (!(alpha > 0 ? made < 0 : fabs(made) < 1e-13)) fail_msg("%s, alpha %g: %g", names[i], alpha, made);
      for (int b = 0; b < system->boundaries; b++) {
        const bool open = strcmp(system->boundary[b].name, "absorbing") == 0;
        const double wall = energy_made(system, &f, 0, b, alpha);
        if (!open && !(alpha > 0 ? wall < 1e-13 : fabs(wall) < 1e-12))
          fail_msg("%s, %s, alpha %g: %g", names[i], system->boundary[b].name, alpha, wall);
        if (open && alpha == 1 && !(wall < 0)) fail_msg("%s lets energy in: %g", names[i], wall);
      }
    }
  }
}

/* An absorbing wall takes a wave that meets it head on for what goes on outside: nothing is thrown back. */
TEST(test_absorbing)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  uint64_t random = wisp_random_from(7);
  GOOD(wisp_system_load(err, "acoustics", &system));
  const int Z = wisp_system_quantity(system, "Z"), wall = wisp_system_boundary(system, "absorbing");
  for (int k = 0; k < 100; k++) {
    face f;
    double flux[4], sizes[4];
    random_face(system, &random, &f);
    for (int c = 0; c < 3; c++) f.u[0][1 + c] = f.n[c] * f.u[0][0] / f.medium[0][Z];
    wisp_system_flux_between(system, wall, f.n, 1, (wisp_side){f.u[0], f.medium[0]}, (wisp_side){NULL, NULL}, flux,
                             sizes);
    for (int i = 0; i < 4; i++) assert_true(fabs(flux[i]) <= 1e-14 * sizes[i]);
  }
}
