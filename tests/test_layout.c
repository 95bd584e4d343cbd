/* Claim: in every layout that is tried each number has its own place inside its group, little is wasted, and the
 * layout's text says all. */
#include "test.h"
#include "../gen/layout.h"

/* Runs check on every layout of every order. */
static void everywhere(void (*check)(int N, const wisp_layout *layout))
{
  for (int N = 1; N <= 10; N++) {
    wisp_layout layouts[8];
    int Np = (N + 1) * (N + 2) * (N + 3) / 6, Nf = 2 * (N + 1) * (N + 2), count = wisp_layouts(Np, Nf, layouts);
    assert_true(count >= 2 && count <= 8);
    for (int i = 0; i < count; i++) {
      assert_true(layouts[i].Np == Np && layouts[i].Nf == Nf);
      check(N, &layouts[i]);
    }
  }
}

/* Marks one place of an array as taken, within the group it must lie in. */
static void take(unsigned char *taken, size_t at, size_t group, size_t group_size)
{
  assert_true(at / group_size == group);
  assert_false(taken[at]);
  taken[at] = 1;
}

enum { FIELDS = 3, COMPONENTS = 9 };

static void check_addresses(int N, const wisp_layout *l)
{
  (void)N;
  size_t slots = 2 * (size_t)l->KM + 1, groups = wisp_layout_groups(l, slots), KM = (size_t)l->KM;
  size_t volume = FIELDS * (size_t)l->NpM, face = FIELDS * (size_t)l->NfM, element = COMPONENTS * KM;
  unsigned char *taken[3] = {calloc(groups, volume), calloc(groups, face), calloc(groups, element)};
  assert_int_equal(groups, 3);
  for (size_t k = 0; k < slots; k++) {
    for (int f = 0; f < FIELDS; f++) {
      for (size_t i = 0; i < (size_t)l->Np; i++) take(taken[0], wisp_layout_volume(l, FIELDS, f, k, i), k / KM, volume);
      for (size_t i = 0; i < (size_t)l->Nf; i++) take(taken[1], wisp_layout_face(l, FIELDS, f, k, i), k / KM, face);
    }
    for (int c = 0; c < COMPONENTS; c++) take(taken[2], wisp_layout_element(l, COMPONENTS, c, k), k / KM, element);
  }
  for (int i = 0; i < 3; i++) free(taken[i]);
}

TEST(test_addresses)
{
  everywhere(check_addresses);
}

/* Fields of a group stand apart; groups start at multiples of the granule, 16 numbers or the slab's width. */
static void check_padding(int N, const wisp_layout *l)
{
  (void)N;
  assert_true(l->NpM >= l->KM * l->Np && l->NfM >= l->KM * l->Nf);
  if (l->order == WISP_ELEMENT_FASTEST)
    assert_true(l->NpM == l->KM * l->Np && l->NfM == l->KM * l->Nf);
  else
    assert_true(l->NpM - l->KM * l->Np < 16 && l->NfM - l->KM * l->Nf < 16 && l->NpM % 4 == 0 && l->NfM % 4 == 0);
}

TEST(test_padding)
{
  everywhere(check_padding);
  for (int N = 1; N <= 10; N++) {
    int Np = (N + 1) * (N + 2) * (N + 3) / 6;
    wisp_layout l = wisp_layout_microblocked(Np, 2 * (N + 1) * (N + 2), 16);
    assert_true(20 * (l.NpM - l.KM * Np) < l.NpM && l.NpM % 16 == 0 && l.NfM % 16 == 0); /* less than 5 % */
    for (int KM = 1; KM < l.KM; KM++) {
      int padded = (KM * Np + 15) / 16 * 16;
      assert_true(20 * (padded - KM * Np) >= padded); /* no smaller group would do */
    }
  }
  wisp_layout third = wisp_layout_microblocked(20, 40, 16); /* paper 0: 4 elements of order 3 in 80 numbers */
  assert_true(third.KM == 4 && third.NpM == 80);
}

static void check_text(int N, const wisp_layout *l)
{
  char text[WISP_LAYOUT_TEXT];
  wisp_layout back;
  wisp_error err = {0};
  wisp_layout_print(l, text);
  if (wisp_layout_parse(&err, text, l->Np, l->Nf, &back)) fail_msg("%s", err.text);
  if (memcmp(&back, l, sizeof back) != 0)
    fail_msg("order %d, %s: %d %d is read as %d %d", N, text, l->NpM, l->NfM, back.NpM, back.NfM);
}

TEST(test_text)
{
  everywhere(check_text);
  static const char *const wrong[] = {"",
                                      "slab",
                                      "slab-km0",
                                      "slab-km-1",
                                      "slab-km32x",
                                      "slab-km9999",
                                      "node-km4",
                                      "node-km0-pad16",
                                      "node-km1-pad19",
                                      "node-km1-pad21",
                                      "node-km1-pad400",
                                      "node-km4-pad80 ",
                                      "Slab-km32",
                                      "node-km99999999999-pad16",
                                      "slab-km 32",
                                      "slab-km+32",
                                      "slab-km032",
                                      "node-km4- pad80",
                                      "slab-km4294967328"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    wisp_layout back;
    wisp_error err = {0};
    if (wisp_layout_parse(&err, wrong[i], 20, 40, &back) != WISP_EINPUT) fail_msg("accepted: %s", wrong[i]);
    assert_non_null(strstr(err.text, wrong[i]));
  }
}
