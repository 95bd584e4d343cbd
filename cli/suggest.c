#include "suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Letters to change, add, leave out or swap with their neighbour to make one text of the other, both at most LONGEST.
 */
static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
  size_t d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= m; i++) d[i][0] = i;
  for (size_t k = 0; k <= n; k++) d[0][k] = k;
  for (size_t i = 1; i <= m; i++)
    for (size_t k = 1; k <= n; k++) {
      d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1, d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
    }
  return d[m][n];
}

wisp_suggestion wisp_suggest(const char *typed)
{
  return (wisp_suggestion){typed, NULL, 0};
}

/* A third of the letters may be wrong; the beginning of a name stands for the name. */
void wisp_suggest_one(wisp_suggestion *s, const char *name)
{
  size_t m = strcspn(s->typed, "="), n = strlen(name), d;
  if (m < 2 || m > LONGEST || n > LONGEST) return;
  d = strncmp(s->typed, name, m) == 0 ? 1 : distance(s->typed, m, name, n);
  if (3 * d > m + 1 || (s->best && d >= s->distance)) return;
  s->best = name;
  s->distance = d;
}

const char *wisp_suggestion_text(const wisp_suggestion *s, const char *before, char text[64])
{
  text[0] = '\0';
  if (s->best) snprintf(text, 64, " did you mean %s%s?", before, s->best);
  return text;
}
