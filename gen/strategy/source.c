/* From a plan to source: the strategy's text, wrapped by a dialect, with every number written out. */
#include "../embedded.h"
#include "../language/expand.h"
#include "../family.h"

#include <stdio.h>
#include <string.h>

static wisp_status add_args(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  for (int i = 0; i < plan->strategy->args; i++) {
    const wisp_arg *arg = &plan->strategy->arg[i];
    bool value = arg->kind == WISP_ARG_VALUE, constant = arg->kind == WISP_ARG_IN || arg->kind == WISP_ARG_OPERAND;
    wisp_env *item = NULL;
    CALL(wisp_env_item(err, env, "args", &item));
    CALL(wisp_env_text(err, item, "name", arg->name));
    CALL(wisp_env_text(err, item, "type", wisp_numbers[arg->type].in_c));
    CALL(wisp_env_int(err, item, "is_value", value));
    CALL(wisp_env_int(err, item, "is_const", constant));
  }
  return WISP_OK;
}

static wisp_status add_shared(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  CALL(wisp_env_empty_list(err, env, "shareds"));
  for (int i = 0; i < plan->strategy->shareds; i++) {
    const wisp_shared *shared = &plan->strategy->shared[i];
    wisp_env *item = NULL;
    int64_t count = 0;
    CALL(wisp_said_int(err, plan->strategy, &shared->count, plan->env, &count));
    CALL(wisp_env_item(err, env, "shareds", &item));
    CALL(wisp_env_text(err, item, "name", shared->name));
    CALL(wisp_env_text(err, item, "type", strcmp(shared->type, "byte") == 0 ? "unsigned char" : shared->type));
    CALL(wisp_env_int(err, item, "count", count > 0 ? count : 1));
    CALL(wisp_env_int(err, item, "offset", (int64_t)plan->offset[i]));
  }
  return wisp_env_int(err, env, "shared_bytes", (int64_t)plan->shared);
}

static wisp_status add_heading(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  char spec[WISP_SPEC_TEXT], layout[WISP_LAYOUT_TEXT];
  wisp_spec_print(&plan->spec, spec);
  wisp_layout_print(&plan->layout, layout);
  const char *const texts[][2] = {
      {"spec", spec},
      {"layout", layout},
      {"strategy", plan->strategy->name},
      {"title", plan->strategy->title},
      {"params", plan->params},
      {"symbol", plan->symbol},
      {"lane", plan->strategy->lane},
      {"real", plan->spec.precision == WISP_F32 ? "float" : "double"},
      {"body", plan->strategy->text},
      {"body file", plan->strategy->text_path},
  };
  for (size_t i = 0; i < WISP_COUNT(texts); i++) CALL(wisp_env_text(err, env, texts[i][0], texts[i][1]));
  const char *const axes[] = {"block_x", "block_y", "block_z"};
  for (int i = 0; i < 3; i++) CALL(wisp_env_int(err, env, axes[i], plan->block[i]));
  return WISP_OK;
}

/* A text to insert, and the file that messages name. */
static wisp_status add_part(wisp_error *err, const wisp_plan *plan, wisp_env *env, const char *name,
                            const wisp_embedded *file)
{
  char names_file[128], path[WISP_SHOWN_PATH];
  wisp_shelf_shown(&plan->strategy->shelf, file, path);
  snprintf(names_file, sizeof names_file, "%s file", name);
  CALL(wisp_require(err, !wisp_env_has(plan->env, name), WISP_EINPUT,
                    "%s: '%s' is a parameter, a let or one of the family's names already: call the part otherwise",
                    path, name));
  CALL(wisp_env_text(err, env, name, file->text));
  return wisp_env_text(err, env, names_file, path);
}

/* Texts that several kernels of a family share: FAMILY/NAME.part is {{>NAME}}, the user's before the library's. */
static wisp_status add_parts(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  const wisp_shelf *shelf = &plan->strategy->shelf;
  char family[32], name[64];
  for (size_t i = shelf->count; i-- > 0;) {
    int end = 0;
    const char *path = shelf->files[i].path;
    if (sscanf(path, "templates/%31[^/]/%63[^./].part%n", family, name, &end) != 2 || !end || path[end]) continue;
    if (strcmp(family, plan->strategy->family) == 0) CALL(add_part(err, plan, env, name, &shelf->files[i]));
  }
  return WISP_OK;
}

wisp_status wisp_plan_source(wisp_error *err, const wisp_plan *plan, const char *dialect, wisp_text *out)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  char path[64];
  snprintf(path, sizeof path, "templates/dialect/%s.k", dialect);
  const char *wrapper = wisp_embedded_text(path);
  CALL(wisp_require(err, wrapper, WISP_EUSAGE, "dialect '%s' is not known: use cuda or host", dialect));
  CALL(wisp_env_create(err, plan->env, &env));
  CALL(add_heading(err, plan, env));
  CALL(add_parts(err, plan, env));
  CALL(add_args(err, plan, env));
  CALL(add_shared(err, plan, env));
  return wisp_expand(err, path, wrapper, env, out);
}
