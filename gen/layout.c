#include "layout.h"
#include "text.h"

static int round_up(int a, int b)
{
  return (a + b - 1) / b * b;
}

static wisp_layout node_fastest(int Np, int Nf, int KM, int granule)
{
  return (wisp_layout){WISP_NODE_FASTEST, Np, Nf, KM, round_up(KM * Np, granule), round_up(KM * Nf, granule)};
}

wisp_layout wisp_layout_padded(int Np, int Nf, int granule)
{
  return node_fastest(Np, Nf, 1, granule);
}

wisp_layout wisp_layout_microblocked(int Np, int Nf, int granule)
{
  int KM = 1;
  while (20 * (round_up(KM * Np, granule) - KM * Np) >= round_up(KM * Np, granule)) KM++;
  return node_fastest(Np, Nf, KM, granule);
}

wisp_layout wisp_layout_slab(int Np, int Nf, int KM)
{
  return (wisp_layout){WISP_ELEMENT_FASTEST, Np, Nf, KM, KM * Np, KM * Nf};
}

wisp_layout wisp_layout_none(void)
{
  return (wisp_layout){WISP_NO_LAYOUT, 1, 0, 1, 1, 0};
}

int wisp_layouts(int Np, int Nf, wisp_layout out[8])
{
  const wisp_layout all[] = {wisp_layout_microblocked(Np, Nf, 16), wisp_layout_padded(Np, Nf, 16),
                             wisp_layout_slab(Np, Nf, 32)};
  int count = 0;
  for (size_t i = 0; i < WISP_COUNT(all); i++) {
    int seen = 0;
    for (int j = 0; j < count; j++) seen |= out[j].KM == all[i].KM && out[j].NpM == all[i].NpM;
    if (!seen) out[count++] = all[i];
  }
  return count;
}

void wisp_layout_print(const wisp_layout *layout, char text[WISP_LAYOUT_TEXT])
{
  static const char *const names[] = {
      [WISP_NODE_FASTEST] = "node-km", [WISP_ELEMENT_FASTEST] = "slab-km", [WISP_NO_LAYOUT] = "none"};
  size_t used = wisp_append(text, WISP_LAYOUT_TEXT, 0, names[layout->order]);
  if (layout->order == WISP_NO_LAYOUT) return;
  used = wisp_append_integer(text, WISP_LAYOUT_TEXT, used, layout->KM);
  if (layout->order != WISP_NODE_FASTEST) return;
  used = wisp_append(text, WISP_LAYOUT_TEXT, used, "-pad");
  wisp_append_integer(text, WISP_LAYOUT_TEXT, used, layout->NpM);
}

/* Takes digits behind a word, without blanks or signs, as printing gives them. */
static bool take_number(const char **at, const char *word, int *out)
{
  const size_t length = strlen(word), digits = strncmp(*at, word, length) == 0 ? strspn(*at + length, "0123456789") : 0;
  if (!digits || digits > 8 || (*at)[length] == '0') return false;
  *out = atoi(*at + length);
  *at += length + digits;
  return true;
}

wisp_status wisp_layout_parse(wisp_error *err, const char *text, int Np, int Nf, wisp_layout *out)
{
  static const int granules[] = {16, 4, 1};
  int KM = 0, pad = 0;
  const char *at = text;
  if (strcmp(text, "none") == 0) return *out = wisp_layout_none(), WISP_OK;
  if (take_number(&at, "slab-km", &KM) && !*at && KM <= 1024) return *out = wisp_layout_slab(Np, Nf, KM), WISP_OK;
  at = text;
  if (take_number(&at, "node-km", &KM) && take_number(&at, "-pad", &pad) && !*at && KM <= 1024 && pad >= KM * Np &&
      pad < KM * Np + 64) {
    for (int i = 0; i < 3; i++) {
      *out = node_fastest(Np, Nf, KM, granules[i]);
      if (out->NpM == pad) return WISP_OK;
    }
  }
  return wisp_fail(err, WISP_EINPUT, "layout '%s' is not one for %d nodes an element", text, Np);
}
