#include "family.h"
#include "families.h"

#include <stdio.h>
#include <string.h>

#define DECLARE(name) extern const wisp_family wisp_family_##name;
WISP_FAMILIES(DECLARE)
static const wisp_family *const families[] = {WISP_FAMILIES(WISP_FAMILY_ADDRESS)};
enum { FAMILIES = WISP_COUNT(families) };

const wisp_family *wisp_family_at(size_t i)
{
  if (i < FAMILIES) return families[i];
  return wisp_own_families ? wisp_own_families[i - FAMILIES] : NULL;
}

const wisp_family *wisp_family_find(const char *name)
{
  const wisp_family *family = NULL;
  for (size_t i = 0; (family = wisp_family_at(i)); i++)
    if (strcmp(family->name, name) == 0) break;
  return family;
}

const wisp_kernel_decl *wisp_family_kernel(const wisp_family *family, const char *name)
{
  for (const wisp_kernel_decl *k = family->kernels; k->name; k++)
    if (strcmp(k->name, name) == 0) return k;
  return NULL;
}

const wisp_size *wisp_family_facts(const char *family, const char *kernel)
{
  static const wisp_size none[] = {{NULL, 0}};
  const wisp_family *f = wisp_family_find(family);
  const wisp_kernel_decl *k = f ? wisp_family_kernel(f, kernel) : NULL;
  return k && k->facts ? k->facts : none;
}

const wisp_array_decl *wisp_family_array(const wisp_family *family, const char *name)
{
  for (const wisp_array_decl *a = family->arrays; a->name; a++)
    if (strcmp(a->name, name) == 0) return a;
  return NULL;
}

static const wisp_element *find_element(const wisp_family *family, const char *name)
{
  for (const wisp_element *e = family->elements; e->name; e++)
    if (strcmp(e->name, name) == 0) return e;
  return NULL;
}

/* Adds a name to a list, "a, b", as far as there is room. */
static void add_name(char *list, size_t room, const char *name)
{
  const size_t length = strlen(list);
  snprintf(list + length, room - length, "%s%s", length ? ", " : "", name);
}

int wisp_family_layouts(const wisp_spec *spec, wisp_layout out[8])
{
  const wisp_family *family = wisp_family_find(spec->family);
  if (family->layouts) return family->layouts(spec, out);
  out[0] = wisp_layout_none();
  return 1;
}

wisp_status wisp_family_refuse(wisp_error *err, const char *name)
{
  char list[256] = "";
  const wisp_family *family = NULL;
  for (size_t i = 0; (family = wisp_family_at(i)); i++) add_name(list, sizeof list, family->name);
  return wisp_fail(err, WISP_EUSAGE, "there is no family '%s'; there are: %s", name, list);
}

wisp_status wisp_family_refuse_kernel(wisp_error *err, const wisp_family *family, const char *name)
{
  return wisp_fail(err, WISP_EUSAGE, "the %s family has no kernel '%s': 'wisp emit -f %s' lists them", family->name,
                   name, family->name);
}

wisp_status wisp_family_check(wisp_error *err, const wisp_spec *spec)
{
  const wisp_family *family = wisp_family_find(spec->family);
  char list[256] = "";
  if (!family) return wisp_family_refuse(err, spec->family);
  const wisp_element *element = find_element(family, spec->element);
  for (const wisp_element *e = family->elements; e->name; e++) add_name(list, sizeof list, e->name);
  CALL(wisp_require(err, element, WISP_EUSAGE, "the %s family has no element '%s'; there are: %s", family->name,
                    spec->element, list));
  return wisp_require(err, spec->order >= element->orders[0] && spec->order <= element->orders[1], WISP_EUSAGE,
                      "the %s family: order %d is out of range: use %d to %d", family->name, spec->order,
                      element->orders[0], element->orders[1]);
}

bool wisp_list_has(const char *list, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = list; *at; at += strspn(at, " ")) {
    const size_t here = strcspn(at, " ");
    if (here == length && memcmp(at, name, length) == 0) return true;
    at += here;
  }
  return false;
}

bool wisp_list_at(const char *list, int i, char name[32])
{
  int end = 0;
  for (const char *at = list ? list : ""; i >= 0 && sscanf(at, "%31s%n", name, &end) == 1; at += end) i--;
  if (i >= 0) name[0] = '\0';
  return i < 0;
}

bool wisp_composition_next(const char **at, char kernel[WISP_NAME_TEXT])
{
  const size_t length = strcspn(*at, "+");
  if (!length) return false;
  const size_t kept = length < WISP_NAME_TEXT ? length : 0;
  memcpy(kernel, *at, kept);
  kernel[kept] = '\0';
  *at += length + ((*at)[length] == '+');
  return true;
}

int wisp_composition_count(const char *composition)
{
  int count = 0;
  for (char kernel[WISP_NAME_TEXT]; wisp_composition_next(&composition, kernel);) count++;
  return count;
}

/* Its arrays under the same names, of the same types. */
static wisp_status check_borrowed(wisp_error *err, const wisp_family *family, const wisp_family *lender,
                                  const wisp_kernel_decl *kernel)
{
  for (const wisp_array_decl *a = lender->arrays; a->name; a++) {
    if (!wisp_list_has(kernel->reads, a->name) && !wisp_list_has(kernel->writes, a->name)) continue;
    const wisp_array_decl *own = wisp_family_array(family, a->name);
    if (!own || own->type != a->type)
      return wisp_fail(err, WISP_EUSAGE, "%s.%s works on array %s of type %s: the %s family has none such",
                       lender->name, kernel->name, a->name, wisp_numbers[a->type].word, family->name);
  }
  return WISP_OK;
}

wisp_status wisp_composition_spec(wisp_error *err, const wisp_spec *stage, const char *name, wisp_spec *out)
{
  const wisp_family *family = wisp_family_find(stage->family), *lender = family;
  const char *dot = strchr(name, '.');
  char from[WISP_NAME_TEXT];
  snprintf(from, sizeof from, "%.*s", dot ? (int)(dot - name) : 0, name);
  if (dot) lender = wisp_family_find(from);
  if (!lender) return wisp_context(err, wisp_family_refuse(err, from), "%s: ", name);
  *out = dot ? wisp_family_spec(lender, stage->order, NULL, stage->precision) : *stage;
  wisp_spec_name_kernel(out, dot ? dot + 1 : name);
  const wisp_kernel_decl *kernel = wisp_family_kernel(lender, out->kernel);
  if (!kernel) return wisp_family_refuse_kernel(err, lender, out->kernel);
  if (dot) CALL(check_borrowed(err, family, lender, kernel));
  return WISP_OK;
}

bool wisp_composition_has(const char *composition, const char *kernel)
{
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&composition, name);)
    if (strcmp(name, kernel) == 0) return true;
  return false;
}

/* --- what a kernel takes --- */

static wisp_status evaluate(wisp_error *err, const char *text, const wisp_env *sizes, double *out)
{
  int64_t value = 0;
  wisp_status status = text ? wisp_eval_int(err, text, sizes, &value) : WISP_OK;
  *out = (double)value;
  return status;
}

/* The order, the element's facts, what the family has besides, and what it makes of them. */
static wisp_status add_sizes(wisp_error *err, const wisp_family *family, const wisp_spec *spec,
                             const wisp_own_sizes *own, wisp_env *sizes)
{
  const wisp_element *element = find_element(family, spec->element);
  CALL(wisp_env_int(err, sizes, "N", spec->order));
  for (const wisp_size *fact = element ? element->facts : NULL; fact && fact->name; fact++)
    CALL(wisp_env_int(err, sizes, fact->name, fact->value));
  if (family->sizes) CALL(family->sizes(err, spec, sizes));
  if (own) CALL(own->add(err, own->self, sizes));
  for (const wisp_let_decl *let = family->lets; let && let->name; let++) {
    int64_t value = 0;
    CALL(wisp_eval_int(err, let->value, sizes, &value));
    CALL(wisp_env_int(err, sizes, let->name, value));
  }
  return WISP_OK;
}

/* The declaration of the spec's kernel, and the sizes of its expressions. */
static wisp_status open_kernel(wisp_error *err, const wisp_spec *spec, const wisp_own_sizes *own,
                               const wisp_kernel_decl **kernel, wisp_env **sizes)
{
  const wisp_family *family = wisp_family_find(spec->family);
  if (!family) return wisp_family_refuse(err, spec->family);
  *kernel = wisp_family_kernel(family, wisp_spec_is_step(spec) && family->whole ? family->whole : spec->kernel);
  if (!*kernel) return wisp_family_refuse_kernel(err, family, spec->kernel);
  CALL(wisp_env_create(err, NULL, sizes));
  return add_sizes(err, family, spec, own, *sizes);
}

wisp_status wisp_family_work_own(wisp_error *err, const wisp_spec *spec, double elements, const wisp_own_sizes *own,
                                 wisp_work *out)
{
  const wisp_kernel_decl *k = NULL;
  OWNED(wisp_env_destroy) wisp_env *sizes = NULL;
  double numbers, words, flops, dofs, adds;
  int64_t per = 1;
  CALL(open_kernel(err, spec, own, &k, &sizes));
  wisp_env_get_int(sizes, "per", &per);
  elements /= (double)per;
  CALL(evaluate(err, k->numbers, sizes, &numbers));
  CALL(evaluate(err, k->words, sizes, &words));
  CALL(evaluate(err, k->flops, sizes, &flops));
  CALL(evaluate(err, k->dofs, sizes, &dofs));
  CALL(evaluate(err, k->adds, sizes, &adds));
  *out = (wisp_work){.bytes = (numbers * (double)spec->precision + 4 * words) * elements,
                     .flops = flops * elements,
                     .dofs = dofs * elements,
                     .adds = adds * elements,
                     .no_read = !*k->reads};
  return WISP_OK;
}

wisp_status wisp_family_work(wisp_error *err, const wisp_spec *spec, double elements, wisp_work *out)
{
  return wisp_family_work_own(err, spec, elements, NULL, out);
}

wisp_status wisp_family_sums(wisp_error *err, const wisp_spec *spec, double *length, double *matrix)
{
  const wisp_kernel_decl *k = NULL;
  OWNED(wisp_env_destroy) wisp_env *sizes = NULL;
  CALL(open_kernel(err, spec, NULL, &k, &sizes));
  CALL(evaluate(err, k->sum, sizes, length));
  return evaluate(err, k->matrix, sizes, matrix);
}

wisp_spec wisp_family_spec(const wisp_family *family, int order, const char *system, wisp_precision precision)
{
  wisp_spec spec = {.order = order, .precision = precision};
  snprintf(spec.family, sizeof spec.family, "%s", family->name);
  snprintf(spec.element, sizeof spec.element, "%s", family->elements->name);
  snprintf(spec.system, sizeof spec.system, "%s", system ? system : family->default_system);
  return spec;
}

/* ---- Names for all families. */

/* Of the i-th layout, where `out` has those before it. */
static wisp_status names_in(wisp_error *err, const wisp_spec *spec, const wisp_target *target, int i,
                            const wisp_layout *layout, wisp_env **out)
{
  const wisp_family *family = wisp_family_find(spec->family);
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  if (i == 0 || !family->lay_out) return family->names(err, spec, layout, target, &out[i]);
  CALL(wisp_env_create(err, out[0], &env));
  CALL(family->lay_out(err, layout, env));
  return GIVE(env, &out[i]);
}

wisp_status wisp_family_names(wisp_error *err, const wisp_spec *spec, const wisp_target *target, int count,
                              const wisp_layout *layouts, wisp_env **out)
{
  wisp_status status = WISP_OK;
  int made = 0;
  while (made < count && status == WISP_OK) {
    status = names_in(err, spec, target, made, &layouts[made], out);
    made += status == WISP_OK;
  }
  while (status != WISP_OK && made > 0) wisp_env_destroy(out[--made]);
  return status;
}

wisp_status wisp_names_sizes(wisp_error *err, wisp_env *env, const wisp_size *sizes, size_t count)
{
  for (size_t i = 0; i < count; i++) CALL(wisp_env_int(err, env, sizes[i].name, sizes[i].value));
  return WISP_OK;
}

wisp_status wisp_names_target(wisp_error *err, wisp_env *env, wisp_precision precision, const wisp_target *target)
{
  const wisp_size sizes[] = {
      {"real_bytes", (int)precision},
      {"T", 32},
      {"warp", 32},
      {"gpu", target->cuda},
      {"cuda", target->cuda},
      {"sm", target->sm},
      {"units", target->units},
      {"max_threads", target->max_threads},
      {"max_shared", target->max_shared},
      {"shared_per_unit", target->shared_per_unit},
      {"registers_per_unit", target->registers_per_unit},
  };
  return wisp_names_sizes(err, env, sizes, WISP_COUNT(sizes));
}

wisp_status wisp_names_formula(wisp_error *err, wisp_env *env, const char *name, const char *formula,
                               wisp_precision precision)
{
  HELD(wisp_text_free) wisp_text text = {0};
  CALL(wisp_text_add_formula(err, formula, (int)precision, &text));
  return wisp_env_text(err, env, name, text.data ? text.data : "");
}
