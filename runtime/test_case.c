#include "test_case.h"
#include "../gen/random.h"

#include <math.h>
#include <string.h>

/* The numbers of two lists differ, or how many they are. */
static uint64_t mix_values(const wisp_passed_values *passed)
{
  uint64_t mixed = (uint64_t)passed->count;
  for (int i = 0; i < passed->count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, &passed->values[i], sizeof bits);
    mixed = wisp_random_mix(mixed ^ bits);
  }
  return mixed;
}

/* The smallest and the largest magnitude, but 0. */
static void find_decades(const wisp_passed_values *passed, double *least, double *most)
{
  static const double MOST = 0x1p20;
  *least = HUGE_VAL, *most = fmin(fmax(fabs(passed->least), fabs(passed->most)), MOST);
  for (int i = 0; i < passed->count; i++) {
    const double size = fabs(passed->values[i]);
    *most = fmax(*most, size);
    if (size > 0) *least = fmin(*least, size);
  }
  if (*least > *most) *least = *most;
}

/* Behind those that are listed, in turn: one of them; of a range one about 1; and two powers of two between the
 * smallest and the largest, of either sign where the range has both. These go on each time by a part of the way between
 * the two that leaves no large gap. */
static double draw_passed(const wisp_test_case *r, const wisp_passed_values *passed, int turn)
{
  static const double GOLDEN = 0.6180339887498949;
  const uint64_t mixed = mix_values(passed);
  const int place = (int)(mixed % 4) + turn, kind = place % 4;
  const bool range = passed->least < passed->most, negative = passed->least < 0;
  uint64_t random = wisp_random_from(wisp_random_mix(r->seed + (uint64_t)r->number) ^ mixed);
  double least = 0, most = 0;
  if (kind == 0) return passed->values[wisp_random_below(&random, (size_t)passed->count)];
  find_decades(passed, &least, &most);
  const double start = (double)(mixed % 1024) / 1024, near = 2 * wisp_random_real(&random),
               part = fmod(start + GOLDEN * (negative ? place / 4 : place / 4 * 2 + kind % 2), 1),
               drawn = exp2(round(log2(least) + log2(most / least) * part));
  if (!range) return drawn;
  const double value = kind == 1 ? (negative ? near : fabs(near)) : kind == 2 && negative ? -drawn : drawn;
  return fmin(fmax(value, passed->least), passed->most);
}

double wisp_test_case_passed(const wisp_test_case *r, const wisp_passed_values *passed, double otherwise)
{
  const int turn = wisp_test_case_extreme(r);
  if (turn < 0 || !passed->count) return otherwise;
  return (double)(float)(turn < passed->count ? passed->values[turn] : draw_passed(r, passed, turn));
}

double wisp_test_case_scalar(const wisp_test_case *r, const char *name, double otherwise)
{
  const wisp_scalar_decl *scalar = wisp_family_scalar(r->discretisation->family, name);
  return scalar ? wisp_test_case_passed(r, &scalar->passed, otherwise) : otherwise;
}
