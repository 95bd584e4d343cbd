/* The nodal DG family (templates/nodal/family): names for its templates, nodes and sizes, which compositions suit a
 * system. */
#include "nodal.h"
#include "../language/template.h"
#include "../family.h"
#include "bernstein.h"
#include "half_turns.h"
#include "tet_internal.h"

extern const wisp_family wisp_family_nodal;

_Static_assert(WISP_NODAL_HIGHEST == WISP_TET_MAX_ORDER, "tables have buffer for the orders that are declared");

/* Nested stages are the same step where equations are linear, and nothing in them depends on time: no text of a system
 * can name it. */
static wisp_status suits(wisp_error *err, const wisp_spec *spec, const char *composition)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  bool nests = false;
  const char *at = composition;
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&at, name);) {
    const wisp_kernel_decl *kernel = wisp_family_kernel(&wisp_family_nodal, name);
    for (const wisp_size *fact = kernel ? kernel->facts : NULL; fact && fact->name; fact++)
      nests |= strcmp(fact->name, "nested") == 0 && fact->value;
  }
  if (!nests) return WISP_OK;
  CALL(wisp_system_read(err, spec->system, NULL, &system));
  return wisp_require(err, wisp_system_is_affine(system), WISP_EREFUSED,
                      "composition %s is another method where fluxes or walls are not linear in the fields, as those "
                      "of system %s: use one that is not nested",
                      composition, spec->system);
}

wisp_records wisp_nodal_records(const wisp_system *system)
{
  int list[WISP_MAX_QUANTITIES];
  const int inner = wisp_system_reads(system, WISP_INSIDE, list), outer = wisp_system_reads(system, WISP_OUTSIDE, list);
  return (wisp_records){.geos = 9 + wisp_system_reads(system, WISP_RATES, list),
                        .face_reals = 16 + inner + 4 * outer,
                        .pair_reals = 5 + 2 * wisp_system_reads(system, WISP_EITHER_SIDE, list)};
}

static int layouts(const wisp_spec *spec, wisp_layout out[8])
{
  return wisp_layouts(wisp_tet_size(spec->order), WISP_TET_FACES * wisp_triangle_size(spec->order), out);
}

static bool is_bernstein(const wisp_spec *spec)
{
  return strcmp(spec->element, "bernstein-tet") == 0;
}

static wisp_status place_nodes(wisp_error *err, const wisp_spec *spec, double *rst)
{
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(wisp_bernstein_destroy) wisp_bernstein *bernstein = NULL;
  if (is_bernstein(spec)) {
    CALL(wisp_bernstein_create(err, spec->order, &bernstein));
    for (int i = 0; i < bernstein->Np; i++)
      for (int c = 1; c < 4; c++) *rst++ = 2.0 * bernstein->power[4 * i + c] / spec->order - 1;
    return WISP_OK;
  }
  CALL(wisp_tet_create(err, spec->order, &tet));
  for (int i = 0; i < tet->Np; i++) {
    *rst++ = tet->r[i];
    *rst++ = tet->s[i];
    *rst++ = tet->t[i];
  }
  return WISP_OK;
}

static wisp_status lay_out(wisp_error *err, const wisp_layout *layout, wisp_env *env)
{
  const int slab = layout->order == WISP_ELEMENT_FASTEST;
  const wisp_size sizes[] = {
      {"KM", layout->KM},
      {"NpM", layout->NpM},
      {"NfM", layout->NfM},
      {"slab", slab},
      {"node_stride", slab ? layout->KM : 1}, /* from one volume or face node of an element to the next */
      {"element_stride", slab ? 1 : layout->Np},
      {"face_element_stride", slab ? 1 : layout->Nf},
  };
  return wisp_names_sizes(err, env, sizes, WISP_COUNT(sizes));
}

static wisp_status add_sizes(wisp_error *err, wisp_env *env, const wisp_spec *spec, const wisp_layout *layout,
                             const wisp_system *system)
{
  const wisp_records records = wisp_nodal_records(system);
  const wisp_size sizes[] = {
      {"N", spec->order},
      {"Np", layout->Np},
      {"Nfp", layout->Nf / 4},
      {"NfNfp", layout->Nf},
      {"n", system->fields},
      {"geos", records.geos},
      {"face_reals", records.face_reals},
      {"pair_reals", records.pair_reals},
      {"bernstein", is_bernstein(spec)},
  };
  CALL(wisp_names_sizes(err, env, sizes, WISP_COUNT(sizes)));
  return lay_out(err, layout, env);
}

/* A wisp_c_name: the name of a field, quantity or statement in kernels. A user's gets a prefix, so that it is no word
 * of C and no name of a kernel's text; the library's own have none such. */
static const char *c_name(const void *context, const char *name, char buffer[WISP_C_NAME])
{
  static const char *const common[] = {"nx", "ny", "nz", "alpha"};
  const wisp_system *system = context;
  if (wisp_system_is_own(system->name)) return name;
  for (size_t i = 0; i < WISP_COUNT(common); i++)
    if (strcmp(name, common[i]) == 0) return name;
  const bool flux = strncmp(name, "flux_", 5) == 0 && wisp_system_field(system, name + 5) >= 0;
  snprintf(buffer, WISP_C_NAME, "%suser_%s", flux ? "flux_" : "", flux ? name + 5 : name);
  return buffer;
}

static wisp_status add_name(wisp_error *err, wisp_env *item, const wisp_system *system, const char *name)
{
  char buffer[WISP_C_NAME];
  return wisp_env_text(err, item, "name", c_name(system, name, buffer));
}

static wisp_status add_statements(wisp_error *err, wisp_env *env, const char *list, const wisp_system *system,
                                  const wisp_statements *statements, int real_bytes)
{
  HELD(wisp_text_free) wisp_text text = {0};
  CALL(wisp_env_empty_list(err, env, list));
  for (size_t i = 0; i < statements->count; i++) {
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, list, &item));
    CALL(add_name(err, item, system, statements->names[i]));
    CALL(wisp_expr_print(err, statements->expressions[i], real_bytes, c_name, system, &text));
    CALL(wisp_env_text(err, item, "text", text.data));
    wisp_text_free(&text);
  }
  return WISP_OK;
}

/* The place of a term's quantity among those that rates read; -1: it has none. */
static int quantity_place(const wisp_system *system, const wisp_term *term)
{
  int list[WISP_MAX_QUANTITIES], place = wisp_system_reads(system, WISP_RATES, list);
  while (--place >= 0 && list[place] != term->quantity) continue;
  return place;
}

/* One term of an output: in, axis, its coefficient as a literal, and the place of its quantity. */
static wisp_status add_term(wisp_error *err, wisp_env *output, const char *list, const wisp_system *system,
                            const wisp_term *term, int real_bytes)
{
  HELD(wisp_text_free) wisp_text literal = {0};
  wisp_env *item = NULL;
  CALL(wisp_print_real(err, &literal, term->coefficient, real_bytes));
  CALL(wisp_env_item(err, output, list, &item));
  CALL(wisp_env_int(err, item, "in", term->in));
  CALL(wisp_env_int(err, item, "axis", term->axis));
  CALL(wisp_env_int(err, item, "quantity", quantity_place(system, term)));
  return wisp_env_text(err, item, "coefficient", literal.data);
}

/* Names of the quantities that are read so. */
static wisp_status add_quantities(wisp_error *err, wisp_env *env, const char *list, const wisp_system *system,
                                  wisp_reader_of reader)
{
  int which[WISP_MAX_QUANTITIES];
  const int count = wisp_system_reads(system, reader, which);
  CALL(wisp_env_empty_list(err, env, list));
  for (int i = 0; i < count; i++) {
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, list, &item));
    CALL(add_name(err, item, system, system->quantity[which[i]].name));
  }
  return WISP_OK;
}

/* The terms of field f, as a list of its own; *most grows to their number. */
static wisp_status add_terms(wisp_error *err, wisp_env *field, const char *list, const wisp_system *system, int f,
                             int real_bytes, int *most)
{
  const bool local = strcmp(list, "local") == 0;
  const wisp_term *term = local ? system->local : system->term;
  int count = 0;
  CALL(wisp_env_empty_list(err, field, list));
  for (size_t t = 0; t < (local ? system->locals : system->terms); t++) {
    if (term[t].out != f) continue;
    CALL(add_term(err, field, list, system, &term[t], real_bytes));
    count++;
  }
  *most = count > *most ? count : *most;
  return WISP_OK;
}

/* Lists: fields {f, name, terms and local {in, axis, coefficient, quantity}}, flux {name, text}, boundaries {name,
 * ghost {name, text}}, inner, outer and either_side {name}; max_terms, max_locals. */
static wisp_status add_system(wisp_error *err, wisp_env *env, const wisp_system *system, int real_bytes)
{
  int most = 0, locals = 0;
  for (int f = 0; f < system->fields; f++) {
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, "fields", &item));
    CALL(wisp_env_int(err, item, "f", f));
    CALL(add_name(err, item, system, system->field[f]));
    CALL(add_terms(err, item, "terms", system, f, real_bytes, &most));
    CALL(add_terms(err, item, "local", system, f, real_bytes, &locals));
  }
  CALL(wisp_env_int(err, env, "max_terms", most));
  CALL(wisp_env_int(err, env, "max_locals", locals));
  CALL(add_quantities(err, env, "inner", system, WISP_INSIDE));
  CALL(add_quantities(err, env, "outer", system, WISP_OUTSIDE));
  CALL(add_quantities(err, env, "either_side", system, WISP_EITHER_SIDE));
  CALL(add_statements(err, env, "flux", system, &system->flux, real_bytes));
  for (int b = 0; b < system->boundaries; b++) {
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, "boundaries", &item));
    CALL(wisp_env_text(err, item, "name", system->boundary[b].name));
    CALL(add_statements(err, item, "ghost", system, &system->boundary[b].ghost, real_bytes));
  }
  return WISP_OK;
}

/* One part's term, with a coefficient for each part: "part == 0 ? 1.0 : -1.0"; and the place of each part's quantity.
 */
static wisp_status add_part_term(wisp_error *err, wisp_env *output, const wisp_system *system, int parts, int first,
                                 size_t term, int real_bytes)
{
  HELD(wisp_text_free) wisp_text text = {0};
  wisp_env *item = NULL, *place = NULL;
  int m = system->fields / parts, nth = 0, some = 0;
  for (size_t i = 0; i < term; i++) nth += system->term[i].out == system->term[term].out;
  CALL(wisp_env_item(err, output, "terms", &item));
  for (int p = 0; p < parts; p++) {
    const wisp_term *here = wisp_system_nth_term(system, system->term[term].out + p * m, nth);
    if (p + 1 < parts) CALL(wisp_text_print(err, &text, "%spart == %d ? ", p ? "" : "(", p));
    CALL(wisp_print_real(err, &text, here->coefficient, real_bytes));
    CALL(wisp_text_print(err, &text, "%s", p + 1 < parts ? " : " : parts > 1 ? ")" : ""));
    CALL(wisp_env_item(err, item, "part_quantities", &place));
    CALL(wisp_env_int(err, place, "quantity", quantity_place(system, here)));
    some |= here->quantity >= 0;
  }
  CALL(wisp_env_int(err, item, "in", system->term[term].in - first));
  CALL(wisp_env_int(err, item, "axis", system->term[term].axis));
  CALL(wisp_env_int(err, item, "has_quantity", some));
  return wisp_env_text(err, item, "coefficient", text.data);
}

/* parts, fields_per_part; part_list {in0}; part_outputs {f, terms {in, axis, coefficient, has_quantity, part_quantities
 * {quantity}}} with fields counted within the part. */
static wisp_status add_parts(wisp_error *err, wisp_env *env, const wisp_system *system, int real_bytes)
{
  int in0[WISP_MAX_FIELDS];
  int parts = wisp_system_parts(system, in0);
  CALL(wisp_env_int(err, env, "parts", parts));
  CALL(wisp_env_int(err, env, "fields_per_part", system->fields / parts));
  for (int p = 0; p < parts; p++) {
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, "part_list", &item));
    CALL(wisp_env_int(err, item, "in0", in0[p]));
  }
  for (int f = 0; f < system->fields / parts; f++) {
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, "part_outputs", &item));
    CALL(wisp_env_int(err, item, "f", f));
    CALL(wisp_env_empty_list(err, item, "terms"));
    for (size_t t = 0; t < system->terms; t++)
      if (system->term[t].out == f) CALL(add_part_term(err, item, system, parts, in0[0], t, real_bytes));
  }
  return WISP_OK;
}

/* --- makers: each fills an environment with its tables, of a wisp_spec --- */

static wisp_status make_operators(wisp_error *err, const void *self, wisp_env *env)
{
  const wisp_spec *spec = self;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(free) double *D = NULL;
  OWNED(free) int *turnlist = NULL;
  CALL(wisp_tet_create_for(err, spec->element, false, spec->order, &tet));
  const size_t Np = (size_t)tet->Np, Nfp = (size_t)tet->Nfp;
  CALL(wisp_new(err, 3 * Np * Np, sizeof *D, &D));
  CALL(wisp_new(err, WISP_TET_ORIENTATIONS * Nfp, sizeof *turnlist, &turnlist));
  for (size_t mu = 0; mu < 3; mu++) memcpy(D + mu * Np * Np, tet->D[mu], Np * Np * sizeof *D);
  for (size_t q = 0; q < WISP_TET_ORIENTATIONS * Nfp; q++)
    while (tet->Fmask[turnlist[q]] != tet->facelist[q]) turnlist[q]++;
  CALL(wisp_env_reals(err, env, "D", D, 3 * Np * Np));
  CALL(wisp_env_reals(err, env, "LIFT", tet->LIFT, Np * 4 * Nfp));
  CALL(wisp_env_ints(err, env, "facelist", tet->facelist, WISP_TET_FACES * WISP_TET_ORIENTATIONS * Nfp));
  return wisp_env_ints(err, env, "turnlist", turnlist, WISP_TET_ORIENTATIONS * Nfp);
}

static wisp_status make_sparse(wisp_error *err, const void *self, wisp_env *env)
{
  const wisp_spec *spec = self;
  OWNED(wisp_bernstein_destroy) wisp_bernstein *b = NULL;
  wisp_bernstein_table table[WISP_BERNSTEIN_TABLES];
  CALL(wisp_bernstein_create(err, spec->order, &b));
  wisp_bernstein_tables(b, table);
  for (const wisp_bernstein_table *t = table; t < table + WISP_BERNSTEIN_TABLES; t++)
    CALL(t->ints ? wisp_env_ints(err, env, t->name, *t->ints, t->count)
                 : wisp_env_reals(err, env, t->name, *t->reals, t->count));
  return WISP_OK;
}

static wisp_status make_classes(wisp_error *err, const void *self, wisp_env *env)
{
  const wisp_spec *spec = self;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(wisp_half_turns_destroy) wisp_half_turns *t = NULL;
  CALL(wisp_tet_create_for(err, spec->element, false, spec->order, &tet));
  CALL(wisp_half_turns_create(err, tet, &t));
  const size_t S = (size_t)t->orbits, Nfp = (size_t)tet->Nfp;
  CALL(wisp_env_ints(err, env, "orbit_node", t->node, 4 * S));
  CALL(wisp_env_ints(err, env, "orbit_row", t->row, 4 * S));
  CALL(wisp_env_ints(err, env, "orbit_turned", t->rotated, 3 * S));
  CALL(wisp_env_ints(err, env, "orbit_face_node", t->face_node, 4 * Nfp));
  CALL(wisp_env_ints(err, env, "face_orbit", t->face_orbit, 4 * Nfp));
  CALL(wisp_env_ints(err, env, "face_turned", t->face_turned, 3 * Nfp));
  CALL(wisp_env_reals(err, env, "class_D", t->D, 12 * S * S));
  return wisp_env_reals(err, env, "class_LIFT", t->LIFT, 4 * S * Nfp);
}

/* Sizes of the tables, and the tables' names: the environment makes a table at its first look-up. D stacks Dr, Ds, Dt;
 * turnlist[turn*Nfp+i] is their face node that meets our face node i. */
static wisp_status defer_tables(wisp_error *err, wisp_env *env, const wisp_spec *spec)
{
  int class_size[4];
  CALL(wisp_env_defer(err, env, "D LIFT facelist turnlist", make_operators, spec, sizeof *spec));
  if (is_bernstein(spec)) {
    CALL(wisp_env_int(err, env, "E_width", wisp_bernstein_E_width(spec->order)));
    return wisp_env_defer(err, env,
                          "power up down D_column L0_column E_column slice_point slice_of slice_up L0 L0_value E_value "
                          "slice_weight",
                          make_sparse, spec, sizeof *spec);
  }
  wisp_half_turns_classes(spec->order, class_size);
  CALL(wisp_env_int(err, env, "orbits", class_size[0]));
  CALL(wisp_env_ints(err, env, "class_size", class_size, 4));
  return wisp_env_defer(err, env,
                        "orbit_node orbit_row orbit_turned orbit_face_node face_orbit face_turned class_D class_LIFT",
                        make_classes, spec, sizeof *spec);
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, wisp_env *env)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  CALL(wisp_system_read(err, spec->system, NULL, &system));
  CALL(add_sizes(err, env, spec, layout, system));
  CALL(defer_tables(err, env, spec));
  CALL(add_system(err, env, system, (int)spec->precision));
  return add_parts(err, env, system, (int)spec->precision);
}

wisp_status wisp_nodal_dense(wisp_error *err, const wisp_spec *spec, wisp_dense *out)
{
  const bool lift = strcmp(spec->kernel, "lift") == 0;
  const bool derivatives = strcmp(spec->kernel, "volume") == 0 || strcmp(spec->kernel, "derivative") == 0;
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  if (!lift && !derivatives) return WISP_OK;
  CALL(wisp_system_read(err, spec->system, NULL, &system));
  CALL(wisp_tet_create_for(err, spec->element, true, spec->order, &tet));
  const size_t Np = (size_t)tet->Np, k = lift ? (size_t)WISP_TET_FACES * (size_t)tet->Nfp : Np, m = lift ? Np : 3 * Np;
  double *matrix = NULL;
  CALL(wisp_new(err, m * k, sizeof *matrix, &matrix));
  for (size_t d = 0; d < 3 && !lift; d++) memcpy(matrix + d * Np * Np, tet->D[d], Np * Np * sizeof *matrix);
  if (lift) memcpy(matrix, tet->LIFT, m * k * sizeof *matrix);
  *out = (wisp_dense){.matrix = matrix, .m = (int)m, .k = (int)k, .columns = system->fields};
  return WISP_OK;
}

static wisp_status sizes(wisp_error *err, const wisp_spec *spec, wisp_env *env)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  CALL(wisp_system_read(err, spec->system, NULL, &system));
  const wisp_records records = wisp_nodal_records(system);
  const wisp_size all[] = {
      {"n", system->fields}, {"geos", records.geos}, {"face_reals", records.face_reals}, {"terms", (int)system->terms}};
  return wisp_names_sizes(err, env, all, WISP_COUNT(all));
}

const wisp_family wisp_family_nodal = {WISP_DECLARED_NODAL, .suits = suits,       .names = names, .lay_out = lay_out,
                                       .layouts = layouts,  .nodes = place_nodes, .sizes = sizes};
