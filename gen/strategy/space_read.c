/* Reads space descriptions line by line, with the ones that they include: what a line says is gen/strategy/space.c's.
 */
#include "space_read.h"
#include "renamed.h"

#include <ctype.h>

/* --- one line --- */

/* Takes "when EXPR" off the end of a line, or off its part before " : ", and asks whether it holds for the kernel. */
static wisp_status take_when(wisp_error *err, const wisp_reader *r, const wisp_keyword *keyword, char *line,
                             bool *holds)
{
  OWNED(wisp_expr_destroy) wisp_expr *condition = NULL;
  OWNED(wisp_env_destroy) wisp_env *facts = NULL;
  int64_t value = 1;
  char *reason = keyword->rest == REASON ? strstr(line, " : ") : NULL, *when = NULL;
  *holds = true;
  if (keyword->rest == PROSE) return WISP_OK;
  if (reason) *reason = '\0';
  for (char *at = line; (at = strstr(at, " when ")); at++) when = at;
  if (when) {
    CALL(wisp_require(err, *r->s->kernel, WISP_EINPUT, "'when' asks about the kernel: name that above"));
    CALL(wisp_strategy_scope(err, r->s, NULL, &facts));
    CALL(wisp_expr_parse(err, when + strlen(" when "), &condition));
    CALL(wisp_expr_int(err, condition, facts, &value));
    *when = '\0';
    *holds = value != 0;
  }
  if (reason) *reason = ' ';
  if (reason && when) memmove(when, reason, strlen(reason) + 1);
  return WISP_OK;
}

static wisp_status read_include(wisp_error *err, wisp_reader *r, char *line);

static wisp_status read_line(wisp_error *err, wisp_reader *r, char *line)
{
  static const wisp_keyword include = {"include", read_include, .rest = TERMS};
  bool holds = true;
  char *comment = strchr(line, '#');
  while (comment && comment > line && !isspace((unsigned char)comment[-1])) /* {{#if}} is none */
    comment = strchr(comment + 1, '#');
  if (comment) *comment = '\0';
  const char *word = NULL;
  CALL(wisp_keyword_now(err, r, wisp_next_word(&line), &word));
  if (!*word) return WISP_OK;
  const wisp_keyword *keyword = strcmp(word, include.word) == 0 ? &include : wisp_keywords;
  while (keyword->word && strcmp(word, keyword->word) != 0) keyword++;
  CALL(wisp_require(err, keyword->word, WISP_EINPUT, "'%s' is no keyword of a space description", word));
  CALL(take_when(err, r, keyword, line, &holds));
  if (keyword->follows)
    holds &= !r->left_out;
  else
    r->left_out = !holds;
  if (!holds) return WISP_OK;
  if (keyword->once) {
    bool *seen = &r->seen[keyword - wisp_keywords];
    CALL(wisp_check_first(err, !*seen, word, ""));
    *seen = true;
  }
  r->keyword = keyword;
  return keyword->read(err, r, line);
}

/* --- whole files --- */

/* Reads a file's lines; what went wrong gets the place where it did. */
static wisp_status read_file(wisp_error *err, wisp_reader *r, const char *path, const char *text)
{
  wisp_status status = WISP_OK;
  const wisp_reader before = *r;
  HELD(wisp_text_free) wisp_text line = {0};
  r->file = r->s->files;
  r->line = 0;
  TRY(wisp_copy_text(err, path, &r->s->file[r->s->files++]));
  for (const char *end = text + strlen(text); text < end;) {
    TRY(wisp_text_take_line(err, &text, end, &line));
    r->line++;
    TRY(read_line(err, r, line.data));
  }
  if (r->file > 0) r->file = before.file, r->line = before.line;
done:
  if (status != WISP_OK && !r->placed) wisp_context(err, status, "%s:%d: ", path, r->line);
  r->placed = status != WISP_OK;
  return status;
}

/* NAME: the lines of NAME.space, which has no kernel's name before it, of the user's folder or the library's. */
static wisp_status read_include(wisp_error *err, wisp_reader *r, char *line)
{
  char file[128], path[WISP_SHOWN_PATH];
  const char *name = wisp_next_word(&line);
  snprintf(file, sizeof file, "%.100s.space", name);
  const wisp_embedded *found = wisp_template_path_find(&r->s->template_path, r->s->family, file);
  CALL(wisp_require(err, *name && found, WISP_EINPUT, "include '%s': there is no file %s", name, file));
  CALL(wisp_require(err, r->s->files < WISP_MAX_FILES, WISP_EINPUT, "more than %d files included", WISP_MAX_FILES - 1));
  wisp_template_path_shown(&r->s->template_path, found, path);
  for (int i = 0; i < r->s->files; i++)
    CALL(wisp_require(err, strcmp(r->s->file[i], path) != 0, WISP_EINPUT, "%s is included twice", path));
  return read_file(err, r, path, found->text);
}

/* The kernel text: the one given, or NAME.k of the line `text NAME`, or STEM.k beside STEM.space. */
static wisp_status take_text(wisp_error *err, const wisp_reader *r, const char *space, const wisp_file_text *given)
{
  wisp_strategy *s = r->s;
  char file[128], path[WISP_SHOWN_PATH];
  const char *stem = strrchr(space, '/') ? strrchr(space, '/') + 1 : space;
  const int length = (int)(strlen(stem) > strlen(".space") ? strlen(stem) - strlen(".space") : 0);
  snprintf(file, sizeof file, "%.*s.k", *r->text ? 100 : length < 100 ? length : 100, *r->text ? r->text : stem);
  const wisp_embedded *found = given ? NULL : wisp_template_path_find(&s->template_path, s->family, file);
  CALL(wisp_require(err, given || found, WISP_EINPUT, "%s: there is no kernel text %s", space, file));
  if (found) wisp_template_path_shown(&s->template_path, found, path);
  CALL(wisp_copy_text(err, found ? found->text : given->text, &s->text));
  return wisp_copy_text(err, found ? path : given->path, &s->text_path);
}

/* Discretisations know their parameters by name: one of the user's that has an older name gets today's, and a let keeps
 * the older one for the space and its text. */
static wisp_status rename_param(wisp_error *err, const wisp_renamings *names, wisp_reader *r, wisp_param *p)
{
  wisp_strategy *s = r->s;
  const char *new = p->mesh_constraint ? wisp_renamed_param(names, s->family, NULL, NULL, p->name) : NULL;
  if (!new) return WISP_OK;
  CALL(wisp_require(err, s->lets < WISP_MAX_LINES, WISP_EINPUT, "more than %d lets", WISP_MAX_LINES));
  CALL(wisp_text_print(err, &s->note, "%s%s: ", s->note.length ? "\n" : "", s->file[0]));
  CALL(wisp_renamed_note(err, "parameter", p->name, new, &s->note));
  memmove(s->let + 1, s->let, s->lets++ * sizeof *s->let);
  s->let[0] = (wisp_let){0};
  memcpy(s->let[0].name, p->name, sizeof p->name);
  CALL(wisp_copy_name(err, new, p->name, sizeof p->name));
  return wisp_clause_parse(err, r, p->name, &s->let[0].value);
}

static wisp_status rename_params(wisp_error *err, wisp_reader *r)
{
  wisp_strategy *s = r->s;
  HELD(wisp_renamings_free) wisp_renamings names = {0};
  if (!s->template_path.folder) return WISP_OK;
  CALL(wisp_renamings_load(err, &names));
  for (int i = 0; i < s->params; i++) CALL(rename_param(err, &names, r, &s->param[i]));
  const char *new = wisp_renamed_param(&names, s->family, NULL, NULL, s->requires_absent.name);
  if (!new || !*s->requires_absent.name) return WISP_OK;
  return wisp_copy_name(err, new, s->requires_absent.name, sizeof s->requires_absent.name);
}

wisp_status wisp_space_read(wisp_error *err, const wisp_template_path *template_path, const char *family,
                            const char *name, const char *kernel, wisp_file_text space, const wisp_file_text *text,
                            wisp_strategy **out)
{
  wisp_reader r = {0};
  OWNED(wisp_strategy_destroy) wisp_strategy *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  r.s = s;
  s->template_path = *template_path;
  s->facts = wisp_family_facts(family, "");
  CALL(wisp_copy_name(err, family, s->family, sizeof s->family));
  CALL(wisp_copy_name(err, name, s->name, sizeof s->name));
  if (kernel) CALL(wisp_copy_name(err, kernel, s->kernel, sizeof s->kernel));
  CALL(wisp_copy_text(err, name, &s->title));
  CALL(wisp_copy_text(err, "threadIdx.x", &s->lane));
  CALL(read_file(err, &r, space.path, space.text));
  CALL(wisp_context(err, wisp_check_complete(err, s), "%s:%d: ", space.path, r.line));
  CALL(rename_params(err, &r));
  CALL(take_text(err, &r, space.path, text));
  return GIVE(s, out);
}

bool wisp_space_kernel(const char *space, int i, char kernel[WISP_NAME_TEXT])
{
  char word[16];
  int length = 0;
  for (const char *line = space; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    if (sscanf(line, " %15[a-z]%n", word, &length) != 1) continue;
    if (strcmp(word, "kernel") != 0 && strcmp(word, "kernels") != 0) continue;
    for (line += length; i >= 0; i--, line += length)
      if (sscanf(line, "%*[ \t]%31[^ \t\r\n#]%n", kernel, &length) != 1) return false;
    return true;
  }
  return false;
}
