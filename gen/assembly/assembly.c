/* Assembly of sparse matrices on triangles and tets (templates/assembly/family): its forms' names and sizes, names for
 * its templates. */
#include "assembly.h"
#include "simplex.h"
#include "../family.h"
#include "../nodal/tet_internal.h"

_Static_assert(WISP_ASSEMBLY_HIGHEST == WISP_SIMPLEX_MAX_ORDER, "tables have room for the orders that are declared");

static int dimension_of(const wisp_spec *spec)
{
  return strcmp(spec->element, "tri") == 0 ? 2 : 3;
}

/* Sizes that the element and the form fix. */
static wisp_status add_numbers(wisp_error *err, wisp_env *env, const wisp_form *form, int dimension, int N)
{
  const int Np = wisp_simplex_size(dimension, N);
  const wisp_size all[] = {{"N", N},
                           {"dimension", dimension},
                           {"Np", Np},
                           {"half", Np * (Np + 1) / 2},
                           {"terms", dimension * (dimension + 1) / 2 * (form->kappa == WISP_BY_NODES ? Np : 1)},
                           {"kappa_by_nodes", form->kappa == WISP_BY_NODES},
                           {"kappa_by_element", form->kappa == WISP_BY_ELEMENT},
                           {"kappa_by_matrix", form->kappa == WISP_BY_MATRIX},
                           {"f_by_nodes", form->f == WISP_BY_NODES},
                           {"with_mass", form->mass && !*form->dummy},
                           {"dummy", *form->dummy != '\0'}};
  return wisp_names_sizes(err, env, all, WISP_COUNT(all));
}

/* A large mesh has one vertex and three edges for two triangles; one, seven, and twelve faces for six tets. */
static wisp_status sizes(wisp_error *err, const wisp_spec *spec, wisp_env *env)
{
  static const int of[2][4] = {{1, 3, 2, 0}, {1, 7, 12, 6}};
  OWNED(wisp_form_destroy) wisp_form *form = NULL;
  const int d = dimension_of(spec);
  int nodes[4], pairs[4], unknowns = 0, matrix = 0;
  CALL(wisp_form_load(err, spec->system, &form));
  wisp_simplex_own(spec->order, nodes, pairs);
  for (int k = 0; k < 4; k++) unknowns += of[d - 2][k] * nodes[k], matrix += of[d - 2][k] * pairs[k];
  CALL(add_numbers(err, env, form, d, spec->order));
  return wisp_names_sizes(err, env, (const wisp_size[]){{"vertices", 1}, {"unknowns", unknowns}, {"matrix", matrix}},
                          3);
}

/* --- names --- */

enum { MOST_NP = WISP_SIMPLEX_MAX_NP, MOST_HALF = MOST_NP * (MOST_NP + 1) / 2 };

/* T: for entry (a, b), a <= b, of the upper half by rows, what each geometric factor times kappa is multiplied by. A
 * dummy's entries are the sum of the nodes' first ones, and its loads the nodes' own. */
static wisp_status add_table(wisp_error *err, wisp_env *env, const wisp_simplex *s, const wisp_form *form)
{
  const bool by_nodes = form->kappa == WISP_BY_NODES, dummy = *form->dummy;
  const size_t Np = (size_t)s->Np, all = Np * Np, nodes = by_nodes ? Np : 1;
  OWNED(free) double *T = NULL;
  double M[MOST_HALF];
  size_t count = 0, entry = 0;
  CALL(wisp_new(err, Np * (Np + 1) / 2 * (size_t)s->directions * nodes, sizeof *T, &T));
  for (size_t a = 0; a < Np; a++)
    for (size_t b = a; b < Np; b++) {
      M[entry++] = dummy ? a == b : s->mass[a * Np + b];
      for (size_t m = 0; m < nodes; m++)
        for (int d = 0; d < s->directions; d++)
          T[count++] = dummy ? d == 0 : (by_nodes ? s->interpolated[d] : s->stiffness[d])[m * all + a * Np + b];
    }
  CALL(wisp_env_reals(err, env, "T", T, count));
  return wisp_env_reals(err, env, "M", M, entry);
}

/* Fills an environment with T, M and integral of a wisp_spec. */
static wisp_status make_tables(wisp_error *err, const void *self, wisp_env *env)
{
  const wisp_spec *spec = self;
  OWNED(wisp_simplex_destroy) wisp_simplex *s = NULL;
  OWNED(wisp_form_destroy) wisp_form *form = NULL;
  double integral[MOST_NP] = {0};
  CALL(wisp_form_load(err, spec->system, &form));
  CALL(wisp_simplex_create(err, dimension_of(spec), spec->order, &s));
  CALL(add_table(err, env, s, form));
  for (int i = 0; i < s->Np * s->Np; i++) integral[i / s->Np] += s->mass[i];
  wisp_drop_noise(1e-14, integral, (size_t)s->Np); /* that sums leave of a zero */
  return wisp_env_reals(err, env, "integral", integral, (size_t)s->Np);
}

/* Entry (a, b)'s place in the upper half, either way round; a and b of each place. */
static wisp_status add_places(wisp_error *err, wisp_env *env, int Np)
{
  int place[MOST_NP * MOST_NP], of[2][MOST_HALF];
  for (int i = 0; i < Np * Np; i++) {
    const int a = i / Np, b = i % Np, low = a < b ? a : b, high = a < b ? b : a;
    place[i] = low * Np - low * (low - 1) / 2 + high - low;
    of[0][place[i]] = low, of[1][place[i]] = high;
  }
  CALL(wisp_env_ints(err, env, "numbered", place, (size_t)(Np * Np)));
  CALL(wisp_env_ints(err, env, "entry_row", of[0], (size_t)(Np * (Np + 1) / 2)));
  return wisp_env_ints(err, env, "entry_column", of[1], (size_t)(Np * (Np + 1) / 2));
}

/* Fills an environment with places of entries, and with what is known of elements that are turned and of the nodes
 * inside their first corners. */
static wisp_status make_places(wisp_error *err, const void *self, wisp_env *env)
{
  const wisp_spec *spec = self;
  const int dimension = dimension_of(spec), N = spec->order, Np = wisp_simplex_size(dimension, N);
  const int orientations = wisp_orientations(dimension);
  int oriented[WISP_ORIENTATIONS_MOST * MOST_NP], inside[MOST_NP], first[5], slots[4], words[4], step[MOST_NP][4],
      last[MOST_NP];
  for (int o = 0; o < orientations; o++) wisp_orientation_nodes(dimension, N, o, oriented + o * Np);
  for (int k = 0; k <= dimension; k++) {
    slots[k] = wisp_orientation_slots(dimension, N, k);
    words[k] = (Np + slots[k] - 1) / slots[k];
  }
  wisp_orientation_inside(dimension, N, inside, first);
  wisp_simplex_steps(dimension, N, step);
  for (int i = 0; i < Np * (dimension + 1); i++)
    if (step[i / (dimension + 1)][i % (dimension + 1)]) last[i / (dimension + 1)] = i % (dimension + 1);
  CALL(add_places(err, env, Np));
  CALL(wisp_env_ints(err, env, "last_corner", last, (size_t)Np));
  CALL(wisp_env_ints(err, env, "row_words", words, (size_t)(dimension + 1)));
  CALL(wisp_env_ints(err, env, "turned", oriented, (size_t)(orientations * Np)));
  CALL(wisp_env_ints(err, env, "inside", inside, (size_t)first[dimension + 1]));
  return wisp_env_ints(err, env, "slots_a_word", slots, (size_t)(dimension + 1));
}

/* The names of all tables. Spaces ask for inside_start when they plan. */
static wisp_status defer_tables(wisp_error *err, wisp_env *env, const wisp_spec *spec)
{
  const int dimension = dimension_of(spec);
  int inside[MOST_NP], first[5];
  wisp_orientation_inside(dimension, spec->order, inside, first);
  CALL(wisp_env_int(err, env, "turns", wisp_orientations(dimension)));
  CALL(wisp_env_ints(err, env, "inside_start", first, (size_t)(dimension + 2)));
  CALL(wisp_env_defer(err, env, "T M integral", make_tables, spec, sizeof *spec));
  return wisp_env_defer(err, env, "numbered entry_row entry_column last_corner row_words turned inside slots_a_word",
                        make_places, spec, sizeof *spec);
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, wisp_env *env)
{
  OWNED(wisp_form_destroy) wisp_form *form = NULL;
  const int dimension = dimension_of(spec);
  (void)layout; /* it lays nothing out */
  CALL(wisp_form_load(err, spec->system, &form));
  CALL(add_numbers(err, env, form, dimension, spec->order));
  CALL(wisp_env_int(err, env, "directions", dimension * (dimension + 1) / 2));
  CALL(wisp_names_formula(err, env, "kappa_of_u", form->text, spec->precision));
  return defer_tables(err, env, spec);
}

const wisp_family wisp_family_assembly = {WISP_DECLARED_ASSEMBLY, .knows_system = wisp_form_exists,
                                          .proxy_for = wisp_form_proxy_for, .names = names, .sizes = sizes};
