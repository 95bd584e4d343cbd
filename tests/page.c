#include "page.h"
#include "test.h"

#include "store_fixture.h"
#include "../gen/text.h"

#include <sys/stat.h>

static char *read_text(const char *path)
{
  size_t length = 0;
  return fixture_read(path, &length);
}

page page_read(const char *path)
{
  return (page){path, read_text(path)};
}

void page_free(page *p)
{
  free(p->text);
}

const char *page_find(const page *p, const char *words)
{
  const char *at = strstr(p->text, words);
  if (!at) fail_msg("%s does not say: %s", p->path, words);
  return at;
}

/* Takes the next line of a text, without its end; false behind the last. */
static bool next_line(const char **at, char line[512])
{
  const size_t length = strcspn(*at, "\n");
  if (!**at) return false;
  assert_true(length < 512);
  memcpy(line, *at, length);
  line[length] = '\0';
  *at += length + ((*at)[length] == '\n');
  return true;
}

static bool is_code(const char *line)
{
  return strncmp(line, "    ", 4) == 0;
}

static bool is_command(const char *line)
{
  return strncmp(line, "    wisp ", 9) == 0 || strncmp(line, "    export ", 11) == 0;
}

void page_write_file(const page *p, const char *folder, const char *name)
{
  char heading[128], line[512], path[256];
  HELD(wisp_text_free) wisp_text block = {0};
  snprintf(heading, sizeof heading, "`%s`:\n\n", name);
  const char *at = page_find(p, heading) + strlen(heading);
  while (next_line(&at, line) && (is_code(line) || !*line))
    wisp_text_print(NULL, &block, "%s\n", *line ? line + 4 : "");
  snprintf(path, sizeof path, "%s", fixture_path(folder, name));
  for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = '\0';
    mkdir(path, 0700);
  }
  fixture_write(path, block.data, block.length);
}

char *page_run(const page *p, const char *folder, const char *tune)
{
  char line[512], command[128], run[256];
  const char *at = p->text;
  wisp_text script = {0};
  snprintf(command, sizeof command, "%s", getenv("WISP_COMMAND"));
  *strrchr(command, '/') = '\0';
  wisp_text_print(NULL, &script, "set -e; PATH=%s:$PATH; cd %s\n", command, folder);
  while (next_line(&at, line)) {
    if (!is_command(line)) continue;
    char *budget = strstr(line, "--budget 20s");
    if (budget) memcpy(budget, "--budget  4s", 12);
    wisp_text_print(NULL, &script, "%s%s\n", line, strstr(line, "wisp tune") ? tune : "");
  }
  fixture_write(fixture_path(folder, "script"), script.data, script.length);
  wisp_text_free(&script);
  snprintf(run, sizeof run, "sh %s/script >%s/output 2>&1", folder, folder);
  const int status = system(run);
  char *output = read_text(fixture_path(folder, "output"));
  if (status != 0) fail_msg("status %d: %s", status, output);
  return output;
}

void page_check_shown(const page *p, const char *from, const char *to, const char *output, int least)
{
  char line[512];
  int shown = 0;
  const char *at = page_find(p, from), *end = page_find(p, to);
  while (at < end && next_line(&at, line)) {
    const char *own = line + strspn(line, " ");
    if (!is_code(line) || is_command(line) || strcmp(own, "...") == 0) continue;
    if (!strstr(output, own)) fail_msg("'%s' is not in: %s", own, output);
    shown++;
  }
  assert_true(shown >= least);
}

void check_page(const char *path, const char *const *files, size_t count, int least)
{
  if (access(path, R_OK) != 0) skip(); /* carried without its sources */
  HELD(page_free) page p = page_read(path);
  char *text[8];
  int blocks = 0;
  assert_true(count <= 8);
  for (size_t f = 0; f < count; f++) text[f] = read_text(files[f]);
  for (char *at = p.text; (at = strstr(at, "```")); blocks++) {
    char *end = strstr(at += strcspn(at, "\n") + 1, "```");
    bool found = false;
    assert_non_null(end);
    *end = '\0';
    for (size_t f = 0; f < count; f++) found |= strstr(text[f], at) != NULL;
    if (!found) fail_msg("%s: not in the sources: %s", path, at);
    at = end + 3;
  }
  assert_true(blocks >= least);
  for (size_t f = 0; f < count; f++) free(text[f]);
}
