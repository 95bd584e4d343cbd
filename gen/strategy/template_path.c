/* The places of strategies' texts: a folder of the user's, then the library. */
#include "source_set.h"
#include "../text.h"

#include <dirent.h>

WISP_OWNED(DIR, closedir)

static const char root[] = "templates/";

/* A list of files that grows. */
typedef struct pile {
  wisp_embedded *files;
  size_t count, capacity, own; /* own: how many of them it has read itself */
} pile;

static wisp_status put(wisp_error *err, pile *p, const wisp_embedded *file)
{
  CALL(wisp_grow(err, &p->files, &p->capacity, p->count + 1, sizeof *file));
  p->files[p->count++] = *file;
  return WISP_OK;
}

wisp_status wisp_template_path_leave_out(wisp_error *err, const char *why, wisp_text *warning)
{
  return wisp_text_print(err, warning, WISP_MESSAGE("%s%s; left out"), warning->length ? "\n" : "", why);
}

/* Takes over the text. from: the file of several parts that it stands in, or NULL. */
static wisp_status put_text(wisp_error *err, pile *p, const char *path, const char *from, wisp_text *text)
{
  OWNED(free) char *known = strdup(path), *file = from ? strdup(from) : NULL;
  CALL(wisp_require(err, known && (file || !from), WISP_EMEMORY, "out of memory"));
  CALL(put(err, p, &(wisp_embedded){known, text->data, text->length, file}));
  p->own++;
  known = file = NULL;
  *text = (wisp_text){0};
  return WISP_OK;
}

/* The next line {{part NAME [TAKES][: COMMENT]}}; NULL: there is none. */
static const char *find_part(const char *text)
{
  static const char mark[] = "{{part ";
  for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
    if (strncmp(text, mark, sizeof mark - 1) == 0) return text;
  return NULL;
}

/* Each part of a file of several, as scripts/embed cuts the library's: a comment of empty lines keeps the numbers of
 * its lines. */
static wisp_status put_parts(wisp_error *err, pile *p, const char *path, const char *family, const char *all)
{
  int line = 1;
  const char *at = all;
  for (const char *part = find_part(all), *next; part; part = next) {
    char name[64] = "", takes[128] = "", own[WISP_SHOWN_PATH];
    HELD(wisp_text_free) wisp_text text = {0};
    for (; at < part; at++) line += *at == '\n';
    CALL(wisp_require(err, sscanf(part, "{{part %63[A-Za-z_0-9] %127[^:}\n]", name, takes) >= 1, WISP_EINPUT,
                      "%s:%d: {{part NAME TAKES}} lacks a name", path, line));
    const char *body = part + strcspn(part, ":\n");
    const bool comment = *body == ':';
    body += *body != '\0';
    next = find_part(body);
    if (*takes) CALL(wisp_text_print(err, &text, "{{takes %s}}\n", takes));
    CALL(wisp_text_print(err, &text, "{{!"));
    for (int i = *takes ? 2 : 1; i < line; i++) CALL(wisp_text_print(err, &text, "\n"));
    if (!comment) CALL(wisp_text_print(err, &text, strncmp(body, "{{!", 3) == 0 ? "\n" : "}}\n"));
    if (!comment && strncmp(body, "{{!", 3) == 0) body += 3;
    CALL(wisp_text_add(err, &text, body, next ? (size_t)(next - body) : strlen(body)));
    snprintf(own, sizeof own, "%s%s/%s.part", root, family, name);
    CALL(put_text(err, p, own, path, &text));
  }
  return WISP_OK;
}

/* Reads folder/family/name, which stands there as templates/family/name. */
static wisp_status put_file(wisp_error *err, pile *p, const char *folder, const char *family, const char *name)
{
  char path[WISP_SHOWN_PATH];
  HELD(wisp_text_free) wisp_text text = {0};
  snprintf(path, sizeof path, "%s/%s/%s", folder, family, name);
  CALL(wisp_read_file(err, path, &text.data, &text.length));
  snprintf(path, sizeof path, "%s%s/%s", root, family, name);
  if (wisp_path_ends(name, ".part") && find_part(text.data)) return put_parts(err, p, path, family, text.data);
  return put_text(err, p, path, NULL, &text);
}

/* Hidden files are none, such as the locks of editors. */
static wisp_status add_family(wisp_error *err, pile *p, const char *folder, const char *family, wisp_text *warning)
{
  char path[WISP_SHOWN_PATH];
  wisp_error why = {.text = ""};
  snprintf(path, sizeof path, "%s/%s", folder, family);
  OWNED(closedir) DIR *dir = opendir(path); /* of plain files there is none */
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    const bool is_text = strcmp(name, "names") == 0 || wisp_path_ends(name, ".space .k .part .system .form");
    if (*name == '.' || !is_text) continue;
    const wisp_status status = put_file(&why, p, folder, family, name);
    /* Systems and forms are read by their names; all other texts take part in every choice. */
    if (status == WISP_ESYSTEM && wisp_path_ends(name, ".system .form"))
      CALL(wisp_template_path_leave_out(err, why.text, warning));
    else
      CALL(wisp_require(err, status == WISP_OK, status, "%s", why.text));
  }
  return WISP_OK;
}

static void release(const wisp_embedded *files, size_t own)
{
  for (size_t i = 0; i < own; i++)
    free((char *)files[i].path), free((char *)files[i].text), free((char *)files[i].from);
  free((wisp_embedded *)files);
}

wisp_status wisp_template_path_load(wisp_error *err, const char *folder, wisp_text *warning, wisp_template_path *out)
{
  wisp_status status = WISP_OK;
  pile p = {0};
  char *name = NULL;
  OWNED(closedir) DIR *dir = opendir(folder);
  TRY(wisp_copy_text(err, folder, &name));
  TRY(wisp_require(err, dir, WISP_EINPUT, "WISP_TEMPLATES: cannot open folder %s", folder));
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_name[0] != '.') TRY(add_family(err, &p, folder, entry->d_name, warning));
  if (p.own) qsort(p.files, p.own, sizeof *p.files, wisp_by_text);
  for (size_t i = 0; i < wisp_embedded_count; i++) TRY(put(err, &p, &wisp_embedded_files[i]));
  *out = (wisp_template_path){.files = p.files, .count = p.count, .own = p.own, .folder = name};
  p = (pile){0};
done:
  release(p.files, p.own);
  if (status != WISP_OK) free(name);
  return status;
}

void wisp_template_path_free(wisp_template_path *template_path)
{
  if (template_path->folder) release(template_path->files, template_path->own);
  free((char *)template_path->folder);
  *template_path = (wisp_template_path){0};
}

const wisp_embedded *wisp_template_path_find(const wisp_template_path *template_path, const char *family,
                                             const char *name)
{
  char path[WISP_SHOWN_PATH];
  snprintf(path, sizeof path, "%s%s/%s", root, family, name);
  for (size_t i = 0; i < template_path->count; i++)
    if (strcmp(template_path->files[i].path, path) == 0) return &template_path->files[i];
  return NULL;
}

void wisp_template_path_shown(const wisp_template_path *template_path, const wisp_embedded *file,
                              char path[WISP_SHOWN_PATH])
{
  const bool users = file < template_path->files + template_path->own;
  snprintf(path, WISP_SHOWN_PATH, "%s%s%s", users ? template_path->folder : "", users ? "/" : "",
           (file->from ? file->from : file->path) + (users ? strlen(root) : 0));
}

bool wisp_part_name(const wisp_embedded *file, const char *folder, char name[64])
{
  const size_t length = strlen(folder);
  const char *at = file->path;
  if (strncmp(at, root, sizeof root - 1) != 0) return false;
  at += sizeof root - 1;
  if (strncmp(at, folder, length) != 0 || at[length] != '/') return false;
  at += length + 1;
  const size_t stem = strcspn(at, "/.");
  if (!stem || stem >= 64 || strcmp(at + stem, ".part") != 0) return false;
  memcpy(name, at, stem);
  name[stem] = '\0';
  return true;
}
