/* The tensor-product family on hexahedra (templates/tensor/family): names for its templates, nodes and sizes. */
#include "hex.h"
#include "../family.h"
#include "templates/tensor/family.h"

_Static_assert(WISP_TENSOR_HIGHEST == WISP_HEX_MAX_ORDER, "tables have room for the orders that are declared");

/* Elements lie one after the other, node fastest, without padding: what a mesh of continuous elements gathers from. */
static int layouts(const wisp_spec *spec, wisp_layout out[8])
{
  const int Nq = spec->order + 1;
  out[0] = wisp_layout_padded(Nq * Nq * Nq, 0, 1);
  return 1;
}

static wisp_status place_nodes(wisp_error *err, const wisp_spec *spec, double *rst)
{
  OWNED(wisp_hex_destroy) wisp_hex *hex = NULL;
  CALL(wisp_hex_create(err, spec->order, &hex));
  for (int q = 0; q < hex->Np; q++) {
    *rst++ = hex->gll_points[q % hex->Nq];
    *rst++ = hex->gll_points[q / hex->Nq % hex->Nq];
    *rst++ = hex->gll_points[q / hex->Nq / hex->Nq];
  }
  return WISP_OK;
}

/* Largest matrix: Gl x Gl at the highest order. */
enum { MOST = WISP_HEX_MAX_ORDER + 2 };

/* A matrix as templates know it, by its name, and as the list "matrix_NAME" of one item for the parts that take it. */
typedef struct operator_table {
  const char *name;
  const double *A;
  int rows, columns, sign; /* A[rows-1-m][columns-1-n] = sign A[m][n] */
  bool transposed;         /* the operator is the transpose of A */
} operator_table;

/* Tables NAME, NAMEe and NAMEo (even and odd halves, hex.h), and the list matrix_NAME, whose item has rows, columns,
 * sign, and the tables as full, even and odd. */
static wisp_status add_operator(wisp_error *err, wisp_env *env, const operator_table *o)
{
  double full[MOST * MOST], even[MOST * MOST], odd[MOST * MOST];
  char name[32];
  wisp_env *item = NULL;
  const size_t count = (size_t)(o->rows * o->columns), half = (size_t)((o->rows + 1) / 2 * ((o->columns + 1) / 2));
  const wisp_size sizes[] = {{"rows", o->rows}, {"columns", o->columns}, {"sign", o->sign}};
  const struct {
    const char *suffix, *in_item;
    const double *table;
    size_t count;
  } tables[] = {{"", "full", full, count}, {"e", "even", even, half}, {"o", "odd", odd, half}};
  for (int q = 0; q < o->rows * o->columns; q++)
    full[q] = o->A[o->transposed ? q % o->columns * o->rows + q / o->columns : q];
  wisp_hex_halves(full, o->rows, o->columns, even, odd);
  snprintf(name, sizeof name, "matrix_%s", o->name);
  CALL(wisp_env_item(err, env, name, &item));
  CALL(wisp_names_sizes(err, item, sizes, WISP_COUNT(sizes)));
  for (size_t i = 0; i < WISP_COUNT(tables); i++) {
    snprintf(name, sizeof name, "%s%s", o->name, tables[i].suffix);
    CALL(wisp_env_reals(err, env, name, tables[i].table, tables[i].count));
    CALL(wisp_env_reals(err, item, tables[i].in_item, tables[i].table, tables[i].count));
  }
  return WISP_OK;
}

/* Fills an environment with the tables of a wisp_spec. */
static wisp_status make_tables(wisp_error *err, const void *self, wisp_env *env)
{
  OWNED(wisp_hex_destroy) wisp_hex *hex = NULL;
  CALL(wisp_hex_create(err, ((const wisp_spec *)self)->order, &hex));
  const int Nq = hex->Nq, Gl = hex->Gl;
  const operator_table operators[] = {
      {"I", hex->I, Gl, Nq, 1, false},      {"IT", hex->I, Nq, Gl, 1, true},      {"D", hex->D, Nq, Nq, -1, false},
      {"DT", hex->D, Nq, Nq, -1, true},     {"glD", hex->glD, Gl, Gl, -1, false}, {"glDT", hex->glD, Gl, Gl, -1, true},
      {"J", hex->J, Nq, hex->Mq, 1, false}, {"JT", hex->J, hex->Mq, Nq, 1, true},
  };
  for (size_t i = 0; i < WISP_COUNT(operators); i++) CALL(add_operator(err, env, &operators[i]));
  CALL(wisp_env_reals(err, env, "gll_points", hex->gll_points, (size_t)Nq));
  CALL(wisp_env_reals(err, env, "gll_weights", hex->gll_weights, (size_t)Nq));
  CALL(wisp_env_reals(err, env, "gauss_points", hex->gauss_points, (size_t)Gl));
  return wisp_env_reals(err, env, "gauss_weights", hex->gauss_weights, (size_t)Gl);
}

static wisp_status lay_out(wisp_error *err, const wisp_layout *layout, wisp_env *env)
{
  const wisp_size sizes[] = {{"KM", layout->KM}, {"NpM", layout->NpM}};
  return wisp_names_sizes(err, env, sizes, WISP_COUNT(sizes));
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, wisp_env *env)
{
  static const char tables[] =
      "I Ie Io IT ITe ITo D De Do DT DTe DTo glD glDe glDo glDT glDTe glDTo "
      "J Je Jo JT JTe JTo matrix_J matrix_JT matrix_I matrix_IT matrix_D matrix_DT matrix_glD matrix_glDT "
      "gll_points gll_weights gauss_points gauss_weights";
  const int N = spec->order, Nq = N + 1, Gl = wisp_hex_gauss(N), Mq = N / 2 + 1;
  const wisp_size sizes[] = {{"N", N},     {"Np", Nq * Nq * Nq}, {"Nq", Nq}, {"Gl", Gl}, {"glNp", Gl * Gl * Gl},
                             {"M", N / 2}, {"Mp", Mq * Mq * Mq}, {"Mq", Mq}};
  CALL(wisp_names_sizes(err, env, sizes, WISP_COUNT(sizes)));
  CALL(lay_out(err, layout, env));
  return wisp_env_defer(err, env, tables, make_tables, spec, sizeof *spec);
}

const wisp_family wisp_family_tensor = {WISP_DECLARED_TENSOR, .names = names, .lay_out = lay_out, .layouts = layouts,
                                        .nodes = place_nodes};
