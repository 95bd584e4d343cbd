/* The nodal DG family (Kloeckner, Warburton, Bridge, Hesthaven 2009): kernels, compositions, names for its templates,
 * minimal work. */
#include "nodal.h"
#include "../language/expand.h"
#include "../family.h"
#include "bernstein.h"
#include "tables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Sizes are of a discretisation: groups of KM elements, each of n fields of NpM nodes and NfM face nodes, padding
 * included; gather's descriptors in blocks. See runtime/nodal/dg.h for what is fixed. */
static const wisp_array_decl arrays[] = {
    [WISP_NODAL_U] = {"u", WISP_REAL, WISP_FIELD, "groups*n*NpM", "the fields"},
    [WISP_NODAL_U_NEXT] = {"u_next", WISP_REAL, WISP_FIELD, "groups*n*NpM", "the fields after the stage"},
    [WISP_NODAL_U_N] = {"u_n", WISP_REAL, WISP_FIELD, "groups*n*NpM",
                        "the fields as the step began, in nested stages; in its first stage u itself"},
    [WISP_NODAL_RHS] = {"rhs", WISP_REAL, WISP_FIELD, "groups*n*NpM", "du/dt by the volume alone, -div F(u)"},
    [WISP_NODAL_LIFTED] = {"lifted", WISP_REAL, WISP_FIELD, "groups*n*NpM", "du/dt by the faces alone"},
    [WISP_NODAL_RES] = {"res", WISP_REAL, WISP_FIELD, "groups*n*NpM", "the Runge-Kutta residual"},
    [WISP_NODAL_FLUX] = {"flux", WISP_REAL, WISP_FIELD, "groups*n*NfM",
                         "Fscale n.(F - F*) at face nodes, laid out as fields with Nf and NfM for Np and NpM"},
    [WISP_NODAL_GEO] = {"geo", WISP_REAL, WISP_FIXED, "groups*KM*geos",
                        "dr_m/dx_n: component c = 3m + n of geos, 9 and the quantities that rates read; element k at "
                        "(k/KM * geos + c) * KM + k%KM"},
    [WISP_NODAL_FACE_INT] =
        {"face_int", WISP_INT, WISP_FIXED, "groups*KM*8",
         "of face f the address of the neighbour's first node, component f of 8, and the code, 4 + f; placed as geo"},
    [WISP_NODAL_FACE_REAL] =
        {"face_real", WISP_REAL, WISP_FIXED, "groups*KM*face_reals",
         "of face f the outward normal and surface over volume Jacobian, components 4f to 4f + 3 of face_reals; from "
         "16 on "
         "the quantities that fluxes read inside, then of each face those that they read outside; placed as geo"},
    [WISP_NODAL_PAIR_BLOCK] =
        {"pair_block", WISP_INT, WISP_FIXED, "blocks*4",
         "of each block of groups the first pair, and the ends of pairs within, between and on the boundary"},
    [WISP_NODAL_PAIR_INT] = {"pair_int", WISP_INT, WISP_FIXED, "pairs*5",
                             "of each pair of faces: fetch_m, fetch_p, code, store_m, store_p"},
    [WISP_NODAL_PAIR_REAL] =
        {"pair_real", WISP_REAL, WISP_FIXED, "pairs*pair_reals",
         "of each pair of faces: the normal outward of m, Fscale of m and of p, and the quantities "
         "that fluxes read, of m and of p"},
    [WISP_NODAL_DUX] = {"dux", WISP_REAL, WISP_FIELD, "groups*n*NpM", "du/dx"},
    [WISP_NODAL_DUY] = {"duy", WISP_REAL, WISP_FIELD, "groups*n*NpM", "du/dy"},
    [WISP_NODAL_DUZ] = {"duz", WISP_REAL, WISP_FIELD, "groups*n*NpM", "du/dz"},
    [WISP_NODAL_ARRAYS] = {NULL, WISP_REAL, WISP_FIXED, NULL, NULL},
};

static const wisp_scalar_decl scalars[] = {
    {"groups", "groups of KM elements"},
    {"alpha", "1 for upwind fluxes, 0 for central ones"},
    {"a", "of a Runge-Kutta stage: res = a res + dt rhs"},
    {"b", "of a Runge-Kutta stage: u = u + b res"},
    {"dt", "the time step; of a nested stage u_next = u_n + dt rhs its part of it"},
    {NULL, NULL},
};

/* Of an element: inputs once, outputs once; the dense products, and what the equations need for the streams. A face has
 * a normal and Fscale, quantities, and two ints, which count for half a double each. Products are dense, or as the
 * basis has them. */
#define FACES "face_reals+4"
#define PRODUCT "D_flops*n"
#define LIFTING "LIFT_flops*n"
/* What tells a stage in low storage, u and res read and written, from a nested one, which reads u and u_n and writes
 * u_next: runtime/nodal/integrator.h. */
static const wisp_size low_storage[] = {{"nested", 0}, {NULL, 0}}, nested[] = {{"nested", 1}, {NULL, 0}};
static const wisp_kernel_decl kernels[] = {
    {.name = "volume",
     .reads = "u geo",
     .writes = "rhs",
     .sum = "3*Np+18",
     .matrix = "3*Np",
     .numbers = "2*n*Np+geos",
     .flops = PRODUCT,
     .dofs = "n*Np"},
    {.name = "derivative",
     .reads = "u geo",
     .writes = "dux duy duz",
     .sum = "3*Np+3",
     .matrix = "3*Np",
     .numbers = "4*n*Np+9",
     .flops = PRODUCT,
     .dofs = "n*Np"},
    {.name = "assemble",
     .reads = "dux duy duz geo",
     .writes = "rhs",
     .sum = "4",
     .numbers = "(terms+n)*Np+geos-9",
     .flops = "2*terms*Np",
     .dofs = "n*Np"},
    {.name = "gather",
     .reads = "u face_int face_real pair_block pair_int pair_real",
     .writes = "flux",
     .sum = "12",
     .numbers = "2*n*Nf+" FACES,
     .flops = "10*n*Nf",
     .dofs = "n*Np"},
    {.name = "lift",
     .reads = "flux",
     .writes = "lifted",
     .sum = "Nf+1",
     .matrix = "Nf",
     .numbers = "n*(Nf+Np)",
     .flops = LIFTING,
     .dofs = "n*Np"},
    {.name = "update",
     .reads = "u res rhs lifted",
     .writes = "u res",
     .sum = "3",
     .numbers = "6*n*Np",
     .flops = "5*n*Np",
     .dofs = "n*Np",
     .facts = low_storage},
    {.name = "update_nested",
     .reads = "u_n rhs lifted",
     .writes = "u_next",
     .sum = "3",
     .numbers = "4*n*Np",
     .flops = "3*n*Np",
     .dofs = "n*Np",
     .facts = nested},
    {.name = "fused",
     .reads = "u res flux geo",
     .writes = "u_next res",
     .sum = "3*Np+Nf+21",
     .matrix = "3*Np+Nf",
     .numbers = "n*(Nf+4*Np)+geos",
     .flops = PRODUCT "+" LIFTING "+4*n*Np",
     .dofs = "n*Np",
     .facts = low_storage},
    {.name = "fused_nested",
     .reads = "u u_n flux geo",
     .writes = "u_next",
     .sum = "3*Np+Nf+20",
     .matrix = "3*Np+Nf",
     .numbers = "n*(Nf+3*Np)+geos",
     .flops = PRODUCT "+" LIFTING "+2*n*Np",
     .dofs = "n*Np",
     .facts = nested},
    {.name = "stage",
     .reads = "u res geo face_int face_real",
     .writes = "u_next res",
     .sum = "3*Np+Nf+33",
     .matrix = "3*Np+Nf",
     .numbers = "4*n*Np+n*Nf+geos+" FACES,
     .flops = PRODUCT "+" LIFTING "+4*n*Np+10*n*Nf",
     .dofs = "n*Np",
     .facts = low_storage},
    {.name = "stage_nested",
     .reads = "u u_n geo face_int face_real",
     .writes = "u_next",
     .sum = "3*Np+Nf+32",
     .matrix = "3*Np+Nf",
     .numbers = "3*n*Np+n*Nf+geos+" FACES,
     .flops = PRODUCT "+" LIFTING "+2*n*Np+10*n*Nf",
     .dofs = "n*Np",
     .facts = nested},
    {.name = NULL},
};

/* "fused" does volume, lift and update in one pass; it needs the whole gather done before, so u may be written in
 * place. The nested ones make a step of other stages: what all of them do is the same. */
static const char *const compositions[] = {
    "volume+gather+lift+update",
    "derivative+assemble+gather+lift+update",
    "gather+fused",
    "stage",
    "volume+gather+lift+update_nested",
    "gather+fused_nested",
    "stage_nested",
    NULL,
};

/* Nested stages are the same step where equations are linear, and nothing in them depends on time: no text of a system
 * can name it. */
static wisp_status suits(wisp_error *err, const wisp_spec *spec, const char *composition)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  const wisp_kernel_decl *kernel = NULL;
  bool nests = false;
  const char *at = composition;
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&at, name); nests |= kernel && kernel->facts == nested)
    kernel = wisp_family_kernel(wisp_family_find(spec->family), name);
  if (!nests) return WISP_OK;
  CALL(wisp_system_load(err, spec->system, &system));
  return wisp_require(err, wisp_system_is_affine(system), WISP_EREFUSED,
                      "composition %s is another method where fluxes or walls are not linear in the fields, as those "
                      "of system %s: use one that is not nested",
                      composition, spec->system);
}

static const char bernstein_tet[] = "bernstein-tet";
static const wisp_element elements[] = {{"tet", {1, 10}}, {bernstein_tet, {1, WISP_TET_MAX_ORDER}}, {NULL, {0, 0}}};

wisp_records wisp_nodal_records(const wisp_system *system)
{
  int list[WISP_MAX_QUANTITIES];
  const int inner = wisp_system_reads(system, WISP_INSIDE, list), outer = wisp_system_reads(system, WISP_OUTSIDE, list);
  return (wisp_records){.geos = 9 + wisp_system_reads(system, WISP_RATES, list),
                        .face_reals = 16 + inner + 4 * outer,
                        .pair_reals = 5 + 2 * wisp_system_reads(system, WISP_EITHER_SIDE, list)};
}

static int nodes(int N)
{
  return (N + 1) * (N + 2) * (N + 3) / 6;
}

static int face_nodes(int N)
{
  return 4 * (N + 1) * (N + 2) / 2;
}

static int layouts(const wisp_spec *spec, wisp_layout out[8])
{
  return wisp_layouts(nodes(spec->order), face_nodes(spec->order), out);
}

static bool is_bernstein(const wisp_spec *spec)
{
  return strcmp(spec->element, bernstein_tet) == 0;
}

static wisp_status place_control_points(wisp_error *err, int order, double *rst)
{
  OWNED(wisp_bernstein_destroy) wisp_bernstein *bernstein = NULL;
  CALL(wisp_bernstein_create(err, order, &bernstein));
  for (int i = 0; i < bernstein->Np; i++)
    for (int c = 1; c < 4; c++) *rst++ = 2.0 * bernstein->power[4 * i + c] / order - 1;
  return WISP_OK;
}

static wisp_status place_nodes(wisp_error *err, const wisp_spec *spec, double *rst)
{
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  if (is_bernstein(spec)) return place_control_points(err, spec->order, rst);
  CALL(wisp_tet_create(err, spec->order, &tet));
  for (int i = 0; i < tet->Np; i++) {
    *rst++ = tet->r[i];
    *rst++ = tet->s[i];
    *rst++ = tet->t[i];
  }
  return WISP_OK;
}

static wisp_status add_sizes(wisp_error *err, wisp_env *env, const wisp_spec *spec, const wisp_layout *layout,
                             const wisp_system *system)
{
  const wisp_records records = wisp_nodal_records(system);
  int slab = layout->order == WISP_ELEMENT_FASTEST;
  const wisp_size sizes[] = {
      {"N", spec->order},
      {"Np", layout->Np},
      {"Nfp", layout->Nf / 4},
      {"NfNfp", layout->Nf},
      {"n", system->fields},
      {"geos", records.geos},
      {"face_reals", records.face_reals},
      {"pair_reals", records.pair_reals},
      {"KM", layout->KM},
      {"NpM", layout->NpM},
      {"NfM", layout->NfM},
      {"slab", slab},
      {"bernstein", is_bernstein(spec)},
      {"node_stride", slab ? layout->KM : 1}, /* from one volume or face node of an element to the next */
      {"element_stride", slab ? 1 : layout->Np},
      {"face_element_stride", slab ? 1 : layout->Nf},
  };
  return wisp_names_sizes(err, env, sizes, sizeof sizes / sizeof *sizes);
}

/* The length of the name or number that a text begins with, 1.5e-3 as well; 0: neither. */
static size_t word_length(const char *text)
{
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '.') length++;
  const bool power = length && !isalpha((unsigned char)*text) && (text[length - 1] == 'e' || text[length - 1] == 'E');
  if (power && (text[length] == '+' || text[length] == '-')) length += 1 + strspn(text + length + 1, "0123456789");
  return length;
}

/* A system's text as the kernel's precision wants it: in single precision, 0.5 becomes 0.5f, so that nothing turns
 * double; and 1 becomes 1.0, so that nothing is divided as integers are. */
static wisp_status suffix_literals(wisp_error *err, const char *text, int real_bytes, wisp_text *out)
{
  for (const char *at = text; *at;) {
    const size_t length = word_length(at), digits = strspn(at, "0123456789");
    const bool literal = length && (digits || *at == '.');
    CALL(wisp_text_add(err, out, at, length ? length : 1));
    if (literal && digits == length) CALL(wisp_text_add(err, out, ".0", 2));
    if (literal && real_bytes == 4) CALL(wisp_text_add(err, out, "f", 1));
    at += length ? length : 1;
  }
  return WISP_OK;
}

static wisp_status add_statements(wisp_error *err, wisp_env *env, const char *list, const wisp_statements *statements,
                                  int real_bytes)
{
  HELD(wisp_text_free) wisp_text text = {0};
  CALL(wisp_env_empty_list(err, env, list));
  for (size_t i = 0; i < statements->count; i++) {
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, list, &item));
    CALL(wisp_env_text(err, item, "name", statements->names[i]));
    CALL(suffix_literals(err, statements->texts[i], real_bytes, &text));
    CALL(wisp_env_text(err, item, "text", text.data));
    wisp_text_free(&text);
  }
  return WISP_OK;
}

/* Where a term's quantity stands among those that rates read; -1: it has none. */
static int quantity_place(const wisp_system *system, const wisp_term *term)
{
  int list[WISP_MAX_QUANTITIES], place = wisp_system_reads(system, WISP_RATES, list);
  while (--place >= 0 && list[place] != term->quantity) continue;
  return place;
}

/* One term of an output: in, axis, its coefficient as a literal, and the place of its quantity. */
static wisp_status add_term(wisp_error *err, wisp_env *output, const wisp_system *system, const wisp_term *term,
                            int real_bytes)
{
  HELD(wisp_text_free) wisp_text literal = {0};
  wisp_env *item = NULL;
  CALL(wisp_print_real(err, &literal, term->coefficient, real_bytes));
  CALL(wisp_env_item(err, output, "terms", &item));
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
    CALL(wisp_env_text(err, item, "name", system->quantity[which[i]].name));
  }
  return WISP_OK;
}

/* Lists: fields {f, name, terms {in, axis, coefficient, quantity}}, flux {name, text}, boundaries {name, ghost {name,
 * text}}, inner, outer and either_side {name}; max_terms. */
static wisp_status add_system(wisp_error *err, wisp_env *env, const wisp_system *system, int real_bytes)
{
  int most = 0;
  for (int f = 0; f < system->fields; f++) {
    wisp_env *item = NULL;
    int count = 0;
    CALL(wisp_env_item(err, env, "fields", &item));
    CALL(wisp_env_int(err, item, "f", f));
    CALL(wisp_env_text(err, item, "name", system->field[f]));
    CALL(wisp_env_empty_list(err, item, "terms"));
    for (size_t t = 0; t < system->terms; t++) {
      if (system->term[t].out != f) continue;
      CALL(add_term(err, item, system, &system->term[t], real_bytes));
      count++;
    }
    most = count > most ? count : most;
  }
  CALL(wisp_env_int(err, env, "max_terms", most));
  CALL(add_quantities(err, env, "inner", system, WISP_INSIDE));
  CALL(add_quantities(err, env, "outer", system, WISP_OUTSIDE));
  CALL(add_quantities(err, env, "either_side", system, WISP_EITHER_SIDE));
  CALL(add_statements(err, env, "flux", &system->flux, real_bytes));
  for (int b = 0; b < system->boundaries; b++) {
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, "boundaries", &item));
    CALL(wisp_env_text(err, item, "name", system->boundary[b].name));
    CALL(add_statements(err, item, "ghost", &system->boundary[b].ghost, real_bytes));
  }
  return WISP_OK;
}

/* The nth term of an output. */
static const wisp_term *nth_term(const wisp_system *system, int out, int nth)
{
  const wisp_term *term = system->term;
  while (term->out != out || nth-- > 0) term++;
  return term;
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
    const wisp_term *here = nth_term(system, system->term[term].out + p * m, nth);
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

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, const wisp_target *target,
                         wisp_env **out)
{
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  CALL(wisp_tet_create_operators(err, spec->element, spec->order, &tet));
  CALL(wisp_system_load(err, spec->system, &system));
  CALL(wisp_env_create(err, NULL, &env));
  CALL(add_sizes(err, env, spec, layout, system));
  CALL(wisp_names_target(err, env, spec->precision, target));
  CALL(wisp_nodal_tables(err, env, tet));
  CALL(is_bernstein(spec) ? wisp_nodal_sparse_tables(err, env, spec->order) : wisp_nodal_class_tables(err, env, tet));
  CALL(add_system(err, env, system, (int)spec->precision));
  CALL(add_parts(err, env, system, (int)spec->precision));
  return GIVE(env, out);
}

static wisp_status sizes(wisp_error *err, const wisp_spec *spec, wisp_env *env)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  CALL(wisp_system_load(err, spec->system, &system));
  const wisp_records records = wisp_nodal_records(system);
  const int Np = nodes(spec->order), Nf = face_nodes(spec->order), lower = nodes(spec->order - 1);
  const bool sparse = is_bernstein(spec); /* in two steps; layer by layer: gen/nodal/bernstein.h */
  const wisp_size all[] = {{"Np", Np},
                           {"Nf", Nf},
                           {"D_flops", sparse ? 3 * 8 * lower + 8 * Np : 6 * Np * Np},
                           {"LIFT_flops", sparse ? 14 * Nf + 4 * 7 * lower + Nf : 2 * Np * Nf},
                           {"n", system->fields},
                           {"geos", records.geos},
                           {"face_reals", records.face_reals},
                           {"terms", (int)system->terms}};
  return wisp_names_sizes(err, env, all, sizeof all / sizeof *all);
}

const wisp_family wisp_family_nodal = {.name = "nodal",
                                       .elements = elements,
                                       .arrays = arrays,
                                       .kernels = kernels,
                                       .scalars = scalars,
                                       .whole = "stage",
                                       .compositions = compositions,
                                       .suits = suits,
                                       .default_system = "maxwell",
                                       .shown = "wp wi ws MB NR",
                                       .names = names,
                                       .layouts = layouts,
                                       .nodes = place_nodes,
                                       .sizes = sizes};
