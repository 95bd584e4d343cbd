/* Questions to one family, and names for the templates of all. */
#include "family.h"

const wisp_number_form wisp_numbers[] = {[WISP_REAL] = {"real", "real", 0, false},
                                         [WISP_INT] = {"int", "int", 4, true},
                                         [WISP_SINGLE] = {"single", "float", 4, false},
                                         [WISP_UINT8] = {"uint8", "unsigned char", 1, true},
                                         [WISP_UINT16] = {"uint16", "unsigned short", 2, true}};

const wisp_kernel_decl *wisp_family_kernel(const wisp_family *family, const char *name)
{
  for (const wisp_kernel_decl *k = family->kernels; k->name; k++)
    if (strcmp(k->name, name) == 0) return k;
  return NULL;
}

const wisp_scalar_decl *wisp_family_scalar(const wisp_family *family, const char *name)
{
  for (const wisp_scalar_decl *s = family->scalars; s && s->name; s++)
    if (strcmp(s->name, name) == 0) return s;
  return NULL;
}

const wisp_array_decl *wisp_family_array(const wisp_family *family, const char *name)
{
  for (const wisp_array_decl *a = family->arrays; a->name; a++)
    if (strcmp(a->name, name) == 0) return a;
  return NULL;
}

const wisp_element *wisp_family_element(const wisp_family *family, const char *name)
{
  for (const wisp_element *e = family->elements; e->name; e++)
    if (strcmp(e->name, name) == 0) return e;
  return NULL;
}

void wisp_list_add(char *list, size_t capacity, const char *name)
{
  const size_t length = strlen(list);
  snprintf(list + length, capacity - length, "%s%s", length ? ", " : "", name);
}

wisp_status wisp_family_refuse_kernel(wisp_error *err, const wisp_family *family, const char *name)
{
  return wisp_fail(err, WISP_EUSAGE, "the %s family has no kernel '%s': 'wisp emit -f %s' lists them", family->name,
                   name, family->name);
}

wisp_spec wisp_family_spec(const wisp_family *family, int order, const char *system, wisp_precision precision)
{
  wisp_spec spec = {.order = order, .precision = precision};
  snprintf(spec.family, sizeof spec.family, "%s", family->name);
  snprintf(spec.element, sizeof spec.element, "%s", family->elements->name);
  snprintf(spec.system, sizeof spec.system, "%s", system ? system : family->default_system);
  return spec;
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

bool wisp_composition_has(const char *composition, const char *kernel)
{
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&composition, name);)
    if (strcmp(name, kernel) == 0) return true;
  return false;
}

bool wisp_family_composes(const wisp_family *family, const char *kernel)
{
  for (const char *const *c = family->compositions; *c; c++)
    if (wisp_composition_has(*c, kernel)) return true;
  return false;
}

/* ---- Names for all families. */

wisp_status wisp_names_sizes(wisp_error *err, wisp_env *env, const wisp_size *sizes, size_t count)
{
  for (size_t i = 0; i < count; i++) CALL(wisp_env_int(err, env, sizes[i].name, sizes[i].value));
  return WISP_OK;
}

wisp_status wisp_names_formula(wisp_error *err, wisp_env *env, const char *name, const char *formula,
                               wisp_precision precision)
{
  HELD(wisp_text_free) wisp_text text = {0};
  OWNED(wisp_expr_destroy) wisp_expr *expr = NULL;
  if (*formula) CALL(wisp_expr_parse(err, formula, &expr));
  if (expr) CALL(wisp_expr_print(err, expr, (int)precision, NULL, NULL, &text));
  return wisp_env_text(err, env, name, text.data ? text.data : "");
}
