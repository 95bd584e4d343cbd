#include "dg_parts.h"
#include "../parallel.h"
#include "../../gen/nodal/half_turns.h"

/* Arrays that are computed with: those before the fixed ones. */
enum { U = WISP_NODAL_U, U_NEXT, U_N, RHS, LIFTED, RES, FLUX, DUX, DUY, DUZ, TRACE, FLUX_CLASSES, FIELDS };
_Static_assert(FLUX == (int)WISP_NODAL_FLUX && DUX == (int)WISP_NODAL_DUX && FIELDS == (int)WISP_NODAL_GEO,
               "the fields stand in the order of templates/nodal/family");

static size_t size_of(const wisp_dg *dg, int array)
{
  if (array == TRACE) return wisp_dg_trace_size(dg);
  return array == FLUX || array == FLUX_CLASSES ? wisp_dg_face_size(dg) : wisp_dg_volume_size(dg);
}

/* --- the definitions: on values, and where they are linear alike on magnitudes --- */

/* Arrays in and out of one evaluation, and what operators it takes: the problem's, or those without signs. */
typedef struct pass {
  const wisp_dg *dg;
  wisp_scalars scalars;              /* of magnitudes: likewise without signs */
  double *const *in, *const *out;    /* by array */
  const double *flux;                /* of the faces of `in`, where the kernel makes them itself */
  double *rhs, *faces;               /* room for a rhs, and for fluxes, that it keeps to itself */
  const wisp_half_turns *half_turns; /* where fluxes are class values, else NULL */
  bool unsigned_sums;                /* of magnitudes */
} pass;

static void volume(const pass *p)
{
  wisp_reference_volume(p->dg, p->in[U], p->out[RHS]);
}

static void derivative(const pass *p)
{
  double *const du[3] = {p->out[DUX], p->out[DUY], p->out[DUZ]};
  wisp_reference_derivative(p->dg, p->in[U], du);
}

/* rhs = sum of coefficient * d u_in / d axis, at every DOF of an element. */
static void assemble(const pass *p)
{
  const wisp_dg *dg = p->dg;
  const wisp_layout *l = &dg->layout;
  const wisp_system *system = dg->system;
  for (size_t k = 0; k < dg->slots; k++)
    for (size_t i = 0; dg->slot[k] != WISP_EMPTY && i < (size_t)l->Np; i++) {
      double sum[WISP_MAX_FIELDS] = {0};
      for (size_t t = 0; t < system->terms; t++) {
        const wisp_term *term = &system->term[t];
        sum[term->out] += wisp_dg_factor(dg, term, k) *
                          p->in[DUX + term->axis][wisp_layout_volume(l, system->fields, term->in, k, i)];
      }
      for (int f = 0; f < system->fields; f++) p->out[RHS][wisp_layout_volume(l, system->fields, f, k, i)] = sum[f];
    }
}

static void trace(const pass *p)
{
  wisp_reference_trace(p->dg, p->in[U], p->out[TRACE]);
}

/* Both are there already. */
static void gather(const pass *p)
{
  memcpy(p->out[FLUX], p->flux, wisp_dg_face_size(p->dg) * sizeof *p->flux);
}

/* From fluxes at face nodes to class values, c_k = sum over g of chi_k(g) v_g, or, with `back`, the other way, which is
 * the same but for a factor of 4. */
static void turn_fluxes(const pass *p, bool back, const double *from, double *to)
{
  const wisp_dg *dg = p->dg;
  const wisp_half_turns *half_turns = p->half_turns;
  const int n = dg->system->fields, Nfp = dg->tet->Nfp;
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; f < n && dg->slot[k] != WISP_EMPTY; f++)
      for (int j = 0; j < Nfp; j++) {
        size_t node[4], place[4]; /* of an orbit's face nodes, of its classes */
        double v[4];
        for (int g = 0; g < 4; g++) {
          const int in_class = g * Nfp + half_turns->face_turned[(g < 2 ? 0 : 4 - g) * Nfp + j];
          node[g] = wisp_layout_face(&dg->layout, n, f, k, (size_t)half_turns->face_node[4 * j + g]);
          place[g] = wisp_layout_face(&dg->layout, n, f, k, (size_t)in_class);
          v[g] = from[back ? place[g] : node[g]];
        }
        for (int c = 0; c < 4; c++) {
          double sum = 0;
          for (int g = 0; g < 4; g++) sum += p->unsigned_sums ? v[g] : wisp_half_turn_sign(c, g) * v[g];
          to[back ? node[c] : place[c]] = back ? sum / 4 : sum;
        }
      }
}

static void gather_classes(const pass *p)
{
  turn_fluxes(p, false, p->flux, p->out[FLUX_CLASSES]);
}

static void lift(const pass *p)
{
  memset(p->out[LIFTED], 0, wisp_dg_volume_size(p->dg) * sizeof *p->out[LIFTED]); /* the reference adds */
  wisp_reference_lift(p->dg, p->in[FLUX], p->out[LIFTED]);
}

/* The end of a stage, of a rhs and what is lifted, which may be NULL. NaN stays NaN in padding. */
typedef struct stage_end {
  const pass *pass;
  const double *rhs, *lifted;
  int to; /* the array that u goes to */
} stage_end;

/* A wisp_sweep: res = a res + dt (rhs + lifted); u += b res. */
static void advance(void *context, size_t from, size_t to)
{
  const stage_end *s = context;
  const pass *p = s->pass;
  for (size_t q = from; q < to; q++) {
    double res = p->scalars.a * p->in[RES][q] + p->scalars.dt * (s->rhs[q] + (s->lifted ? s->lifted[q] : 0));
    if (p->dg->single) res = (float)res;
    p->out[s->to][q] = p->in[U][q] + p->scalars.b * res;
    if (p->dg->single) p->out[s->to][q] = (float)p->out[s->to][q];
    p->out[RES][q] = res;
  }
}

/* A wisp_sweep: u_next = u_n + dt (rhs + lifted). */
static void nest(void *context, size_t from, size_t to)
{
  const stage_end *s = context;
  const pass *p = s->pass;
  for (size_t q = from; q < to; q++) {
    p->out[U_NEXT][q] = p->in[U_N][q] + p->scalars.dt * (s->rhs[q] + (s->lifted ? s->lifted[q] : 0));
    if (p->dg->single) p->out[U_NEXT][q] = (float)p->out[U_NEXT][q];
  }
}

static void gather_lift(const pass *p)
{
  memset(p->out[LIFTED], 0, wisp_dg_volume_size(p->dg) * sizeof *p->out[LIFTED]);
  wisp_reference_lift(p->dg, p->flux, p->out[LIFTED]);
}

/* The right-hand sides that a stage may end with: one that is there, or made of u with what is lifted; of fluxes at
 * face nodes, as class values, or gathered by the kernel itself. */
typedef enum ending { NO_END, BY_RHS, BY_VOLUME, BY_FLUX, BY_CLASSES, BY_GATHER } ending;

static const double *find_rhs(const pass *p, ending by)
{
  if (by == BY_RHS) return p->in[RHS];
  if (by == BY_CLASSES) turn_fluxes(p, true, p->in[FLUX_CLASSES], p->faces);
  const double *flux = by == BY_FLUX ? p->in[FLUX] : by == BY_CLASSES ? p->faces : p->flux;
  if (by != BY_VOLUME && p->dg->single) { /* sums are rounded: in one chain, as one product adds up */
    wisp_reference_product(p->dg, p->in[U], flux, p->rhs);
    return p->rhs;
  }
  wisp_reference_volume(p->dg, p->in[U], p->rhs);
  if (by != BY_VOLUME) wisp_reference_lift(p->dg, flux, p->rhs);
  return p->rhs;
}

/* Every kernel's definition. */
static const struct role {
  const char *kernel;
  void (*compute)(const pass *p); /* NULL: a stage ends */
  bool has_flux, by_classes;
  ending by;
  bool nested;
} roles[] = {
    {"volume", volume, false, false, NO_END, false},
    {"derivative", derivative, false, false, NO_END, false},
    {"assemble", assemble, false, false, NO_END, false},
    {"trace", trace, false, false, NO_END, false},
    {"gather", gather, true, false, NO_END, false},
    {"gather_traced", gather, true, false, NO_END, false},
    {"gather_classes", gather_classes, true, true, NO_END, false},
    {"lift", lift, false, false, NO_END, false},
    {"gather_lift", gather_lift, true, false, NO_END, false},
    {"volume_update", NULL, false, false, BY_VOLUME, false},
    {"volume_update_nested", NULL, false, false, BY_VOLUME, true},
    {"update", NULL, false, false, BY_RHS, false},
    {"update_nested", NULL, false, false, BY_RHS, true},
    {"fused", NULL, false, false, BY_FLUX, false},
    {"fused_nested", NULL, false, false, BY_FLUX, true},
    {"fused_classes", NULL, false, true, BY_CLASSES, false},
    {"fused_classes_nested", NULL, false, true, BY_CLASSES, true},
    {"stage", NULL, true, false, BY_GATHER, false},
    {"stage_nested", NULL, true, false, BY_GATHER, true},
    {"stage_traced", NULL, true, false, BY_GATHER, false},
    {"stage_traced_nested", NULL, true, false, BY_GATHER, true},
};

static void compute(const struct role *role, const pass *p)
{
  if (role->compute) {
    role->compute(p);
    return;
  }
  const double *rhs = find_rhs(p, role->by), *lifted = role->by <= BY_VOLUME ? p->in[LIFTED] : NULL;
  stage_end end = {p, rhs, lifted, role->by == BY_RHS ? U : U_NEXT};
  wisp_parallel_numbers(wisp_dg_volume_size(p->dg), role->nested ? nest : advance, &end);
}

static wisp_status find_role(wisp_error *err, const char *kernel, const struct role **out)
{
  for (size_t i = 0; i < WISP_COUNT(roles); i++)
    if (strcmp(roles[i].kernel, kernel) == 0) {
      *out = &roles[i];
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EUSAGE, "the nodal family has no definition of a kernel '%s'", kernel);
}

bool wisp_dg_gathers(const char *kernel)
{
  const struct role *role = NULL;
  return find_role(NULL, kernel, &role) == WISP_OK && role->has_flux;
}

static wisp_scalars without_signs(const wisp_scalars *s)
{
  return (wisp_scalars){fabs(s->alpha), fabs(s->a), fabs(s->b), fabs(s->dt)};
}

static void free_fields(double *(*fields)[FIELDS])
{
  for (int a = 0; a < FIELDS; a++) free((*fields)[a]);
}

typedef struct unsigned_copy {
  const double *from;
  double *to;
} unsigned_copy;

/* A wisp_sweep. */
static void drop_signs(void *context, size_t from, size_t to)
{
  const unsigned_copy *c = context;
  for (size_t q = from; q < to; q++) c->to[q] = fabs(c->from[q]);
}

/* Results, and on operators, scalars and data without signs what they are added up from. */
wisp_status wisp_dg_compute(wisp_error *err, const wisp_dg *dg, const char *kernel, const wisp_scalars *scalars,
                            double *const *in, double *const *out, double *const *sizes)
{
  const struct role *role = NULL;
  OWNED(wisp_dg_magnitudes_destroy) wisp_dg *magnitudes = NULL;
  OWNED(free) double *flux = NULL, *flux_size = NULL, *rhs = NULL, *faces = NULL;
  OWNED(wisp_half_turns_destroy) wisp_half_turns *half_turns = NULL;
  HELD(free_fields) double *in_size[FIELDS] = {NULL};
  CALL(find_role(err, kernel, &role));
  CALL(wisp_dg_magnitudes(err, dg, &magnitudes));
  CALL(wisp_new(err, wisp_dg_face_size(dg), sizeof *flux, &flux));
  CALL(wisp_new(err, wisp_dg_face_size(dg), sizeof *flux_size, &flux_size));
  CALL(wisp_new(err, wisp_dg_volume_size(dg), sizeof *rhs, &rhs));
  CALL(wisp_new(err, wisp_dg_face_size(dg), sizeof *faces, &faces));
  if (role->by_classes) CALL(wisp_half_turns_create(err, dg->tet, &half_turns));
  if (role->has_flux) wisp_reference_gather(dg, scalars->alpha, in[U], in[TRACE], flux, flux_size);
  for (int a = 0; a < FIELDS; a++) {
    if (!in[a]) continue;
    CALL(wisp_new(err, size_of(dg, a), sizeof *in_size[a], &in_size[a]));
    wisp_parallel_numbers(size_of(dg, a), drop_signs, &(unsigned_copy){in[a], in_size[a]});
  }
  compute(role, &(pass){dg, *scalars, in, out, flux, rhs, faces, half_turns, false});
  if (!sizes) return WISP_OK;
  compute(role, &(pass){magnitudes, without_signs(scalars), in_size, sizes, flux_size, rhs, faces, half_turns, true});
  return WISP_OK;
}
