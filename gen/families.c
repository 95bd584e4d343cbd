/* The list of families, and questions to one by its name. */
#include "family.h"
#include "families.h"

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

const wisp_size *wisp_family_facts(const char *family, const char *kernel)
{
  static const wisp_size none[] = {{NULL, 0}};
  const wisp_family *f = wisp_family_find(family);
  const wisp_kernel_decl *k = f ? wisp_family_kernel(f, kernel) : NULL;
  return k && k->facts ? k->facts : none;
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
  for (size_t i = 0; (family = wisp_family_at(i)); i++) wisp_list_add(list, sizeof list, family->name);
  return wisp_fail(err, WISP_EUSAGE, "there is no family '%s'; there are: %s", name, list);
}

wisp_status wisp_family_check(wisp_error *err, const wisp_spec *spec)
{
  const wisp_family *family = wisp_family_find(spec->family);
  char list[256] = "";
  if (!family) return wisp_family_refuse(err, spec->family);
  const wisp_element *element = wisp_family_element(family, spec->element);
  for (const wisp_element *e = family->elements; e->name; e++) wisp_list_add(list, sizeof list, e->name);
  CALL(wisp_require(err, element, WISP_EUSAGE, "the %s family has no element '%s'; there are: %s", family->name,
                    spec->element, list));
  return wisp_require(err, spec->order >= element->orders[0] && spec->order <= element->orders[1], WISP_EUSAGE,
                      "the %s family: order %d is out of range: use %d to %d", family->name, spec->order,
                      element->orders[0], element->orders[1]);
}

/* The family declares the kernel's arrays under the same names, of the same types. */
static wisp_status check_external(wisp_error *err, const wisp_family *family, const wisp_family *lender,
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
  if (dot) CALL(check_external(err, family, lender, kernel));
  return WISP_OK;
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
  const wisp_element *element = wisp_family_element(family, spec->element);
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
  *kernel = wisp_family_kernel(
      family, wisp_spec_is_composition(spec) && family->composition_kernel ? family->composition_kernel : spec->kernel);
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
  const double launches = k->once ? 1 : elements;
  *out = (wisp_work){.bytes = (numbers * (double)spec->precision + 4 * words) * launches,
                     .flops = flops * launches,
                     .dofs = dofs * elements,
                     .adds = adds * launches,
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

static wisp_status add_target(wisp_error *err, wisp_env *env, const wisp_spec *spec, const wisp_target *target)
{
  const wisp_size sizes[] = {
      {"real_bytes", (int)spec->precision},
      {"T", 32},
      {"warp", 32},
      {"gpu", target->gpu},
      {"cuda", target->sm > 0},
      {"sm", target->sm},
      {"units", target->units},
      {"max_threads", target->max_threads},
      {"max_shared", target->max_shared},
      {"shared_per_unit", target->shared_per_unit},
      {"registers_per_unit", target->registers_per_unit},
  };
  return wisp_names_sizes(err, env, sizes, WISP_COUNT(sizes));
}

wisp_status wisp_names_create(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_target *target, const wisp_env *first, wisp_env **out)
{
  const wisp_family *family = wisp_family_find(spec->family);
  const bool borrows = first && family->lay_out;
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  if (!borrows) CALL(wisp_family_check(err, spec));
  CALL(wisp_env_create(err, borrows ? first : NULL, &env));
  if (!borrows) CALL(add_target(err, env, spec, target));
  CALL(borrows ? family->lay_out(err, layout, env) : family->names(err, spec, layout, env));
  return GIVE(env, out);
}

wisp_status wisp_family_names(wisp_error *err, const wisp_spec *spec, const wisp_target *target, int count,
                              const wisp_layout *layouts, wisp_env **out)
{
  wisp_status status = WISP_OK;
  int made = 0;
  while (made < count && status == WISP_OK) {
    status = wisp_names_create(err, spec, &layouts[made], target, made ? out[0] : NULL, &out[made]);
    made += status == WISP_OK;
  }
  while (status != WISP_OK && made > 0) wisp_env_destroy(out[--made]);
  return status;
}

wisp_status wisp_system_check_name(wisp_error *err, const char *path, const char *name)
{
  const wisp_family *family = NULL;
  bool taken = wisp_system_is_own(name);
  for (size_t i = 0; (family = wisp_family_at(i)); i++) taken |= strcmp(family->default_system, name) == 0;
  return taken ? wisp_named_taken(err, &wisp_systems, path, name) : WISP_OK;
}

wisp_status wisp_system_load(wisp_error *err, const char *name, wisp_system **out)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  char path[WISP_NAMED_PATH];
  CALL(wisp_system_read(err, name, path, &system));
  if (!wisp_system_is_own(name)) CALL(wisp_system_check_name(err, path, name));
  return GIVE(system, out);
}
