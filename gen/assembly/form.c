/* Forms: texts of a few lines, templates/assembly/NAME.form (docs/guide/heat.md). */
#include "assembly.h"

const wisp_named wisp_forms = {"form", "assembly", ".form"};

/* A wisp_slot_of. */
static int slot_of(const void *context, const char *name)
{
  static const char *const names[WISP_FORM_SLOTS] = {"u", "kappa0", "kappa1", "kappa2"};
  (void)context;
  for (int i = 0; i < WISP_FORM_SLOTS; i++)
    if (strcmp(name, names[i]) == 0) return i;
  return -1;
}

/* An expression without a derivative has no meaning in kernels either. */
wisp_status wisp_form_kappa(wisp_error *err, const char *text, wisp_expr **value, wisp_expr **slope)
{
  OWNED(wisp_expr_destroy) wisp_expr *parsed = NULL, *derived = NULL;
  CALL(wisp_expr_parse(err, text, &parsed));
  CALL(wisp_expr_bind(err, parsed, slot_of, NULL));
  CALL(wisp_expr_slope_along(err, parsed, (const wisp_expr_along[]){{"u", 1}, {NULL, 0}}, &derived));
  if (slope) *slope = derived, derived = NULL;
  return GIVE(parsed, value);
}

/* "nodes", or one of the others that the place allows. */
static bool read_given(const char *word, bool coefficient, wisp_given *out)
{
  static const char *const words[] = {"number", "element", "matrix", "nodes"};
  for (size_t i = 0; i < WISP_COUNT(words); i++)
    if (strcmp(word, words[i]) == 0 && (coefficient || (i != WISP_BY_ELEMENT && i != WISP_BY_MATRIX)))
      return *out = (wisp_given)i, true;
  return false;
}

static wisp_status read_line(wisp_error *err, const char *line, wisp_form *form)
{
  char key[16] = "", word[16] = "";
  int end = 0;
  const int words = sscanf(line, "%15s %15s %n", key, word, &end);
  const char *rest = words == 2 ? line + end : "";
  if (words <= 0) return WISP_OK;
  if (strcmp(key, "mass") == 0 && words == 1) return form->mass = true, WISP_OK;
  if (strcmp(key, "dummy") == 0 && words == 2 && !*rest) return strcpy(form->dummy, word), WISP_OK;
  if (strcmp(key, "f") == 0 && words == 2 && !*rest && read_given(word, false, &form->f)) return WISP_OK;
  CALL(wisp_require(err, strcmp(key, "kappa") == 0 && words == 2 && read_given(word, true, &form->kappa), WISP_EINPUT,
                    "\"%s\" is nothing that a form says: kappa number, element, matrix or nodes EXPRESSION; f number "
                    "or nodes; mass; dummy FORM",
                    line));
  CALL(wisp_require(err, (*rest != '\0') == (form->kappa == WISP_BY_NODES) && strlen(rest) < sizeof form->text,
                    WISP_EINPUT, "kappa nodes EXPRESSION, of u, kappa0, kappa1 and kappa2, and of nothing else"));
  snprintf(form->text, sizeof form->text, "%s", rest);
  wisp_expr_destroy(form->at_node);
  form->at_node = NULL;
  return *rest ? wisp_form_kappa(err, rest, &form->at_node, NULL) : WISP_OK;
}

wisp_status wisp_form_parse(wisp_error *err, const char *path, const char *name, const char *text, wisp_form **out)
{
  OWNED(wisp_form_destroy) wisp_form *form = NULL;
  HELD(wisp_text_free) wisp_text line = {0};
  int number = 0;
  CALL(wisp_new(err, 1, sizeof *form, &form));
  snprintf(form->name, sizeof form->name, "%s", name);
  for (const char *at = text, *end = text + strlen(text); at < end;) {
    CALL(wisp_text_take_line(err, &at, end, &line));
    line.data[strcspn(line.data, "#")] = '\0';
    number++;
    CALL(wisp_context(err, read_line(err, line.data, form), "%s:%d: ", path, number));
  }
  CALL(wisp_require(err, !*form->dummy || form->kappa != WISP_BY_MATRIX, WISP_EINPUT,
                    "%s: a dummy of matrices: kappa is a number, of elements or at nodes", path));
  return GIVE(form, out);
}

wisp_status wisp_form_load(wisp_error *err, const char *name, wisp_form **out)
{
  OWNED(free) char *text = NULL;
  char path[WISP_NAMED_PATH];
  CALL(wisp_named_read(err, &wisp_forms, name, path, &text));
  return wisp_form_parse(err, path, name, text, out);
}

void wisp_form_destroy(wisp_form *form)
{
  if (!form) return;
  wisp_expr_destroy(form->at_node);
  free(form);
}

bool wisp_form_exists(const char *name)
{
  return wisp_named_exists(&wisp_forms, name);
}

bool wisp_form_proxy_for(const char *name, const char *other)
{
  OWNED(wisp_form_destroy) wisp_form *form = NULL;
  return wisp_form_exists(name) && wisp_form_load(NULL, name, &form) == WISP_OK && strcmp(form->dummy, other) == 0;
}
