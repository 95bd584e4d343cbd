/* Claim: a problem whose arrays a GPU's kernels cannot count is refused by name, those that are addressed in 64 bits
 * not among them; on the host none is. */
#include "test.h"
#include "../runtime/problem.h"

/* The tensor family's arrays at order 7, where gauss_mass has 729 numbers an element and the factors 7 times as many.
 */
static wisp_status check(wisp_error *err, const char *target, size_t elements)
{
  wisp_limits limits;
  wisp_array list[WISP_MAX_ARRAYS];
  size_t count = 0;
  const wisp_family *family = wisp_family_find("tensor");
  const wisp_discretisation d = {.family = family,
                                 .counts = {{"elements", elements}, {"Np", 512}, {"glNp", 729}, {NULL, 0}}};
  if (wisp_target_limits(err, target, &limits) != WISP_OK) fail_msg("%s", err->text);
  for (const wisp_array_decl *a = family->arrays; a->name; a++) {
    list[count] = (wisp_array){.name = a->name, .type = a->type, .wide = wisp_list_has(family->wide, a->name)};
    count += wisp_discretisation_size(&d, a, &list[count].size);
  }
  assert_true(count > 3);
  return wisp_arrays_countable(err, &limits, "a problem", list, count);
}

TEST(test_limits)
{
  wisp_error reason = {0};
  GOOD(check(err, "sm_90", 1000000)); /* 3.6e9 factors */
  GOOD(check(err, "sm_90", INT32_MAX / 729));
  assert_int_equal(check(&reason, "sm_90", INT32_MAX / 729 + 1), WISP_EUSAGE);
  assert_non_null(strstr(reason.text, "array gauss_mass"));
  GOOD(check(err, "host", 100000000));
}
