#include "mesh_options.h"

#include <string.h>

wisp_status wisp_option_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out)
{
  static const char *const of_boxes[] = {"jitter", "shuffle"};
  const char *order = wisp_option_value(args, "order");
  wisp_mesh_source source = {.file = wisp_option_value(args, "mesh"),
                             .shuffle = wisp_option_given(args, "shuffle"),
                             .as_asked = order != NULL};
  bool looks_polynomial = order && *order && !order[strspn(order, "0123456789-,")];
  long long seed = 0;
  size_t ordering = 0;
  for (size_t i = 0; i < WISP_COUNT(of_boxes); i++)
    CALL(wisp_require(err, !source.file || !wisp_option_given(args, of_boxes[i]), WISP_EUSAGE,
                      "--%s is for the box and --mesh names a file: leave one out", of_boxes[i]));
  CALL(wisp_option_real(err, args, "jitter", 0, 0.5, 0, &source.jitter));
  CALL(wisp_option_integer(err, args, "shuffle", 0, INT32_MAX, 0, &seed));
  CALL(wisp_require(
      err, !looks_polynomial, WISP_EUSAGE,
      "option --order is '%s', must be one of as-given, curve, metis (how elements lie in memory): did you "
      "mean -n %s?",
      order, order));
  CALL(wisp_option_choice(err, args, "order", WISP_ORDERINGS, wisp_ordering_names, 0, &ordering));
  source.seed = (uint64_t)seed;
  source.ordering = (wisp_ordering)ordering;
  *out = source;
  return WISP_OK;
}

wisp_status wisp_option_timed_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out)
{
  static const char *const names[] = {"mesh", "jitter", "shuffle", "order"};
  bool given = false;
  for (size_t i = 0; i < WISP_COUNT(names); i++) given |= wisp_option_given(args, names[i]);
  if (given) return wisp_option_mesh(err, args, out);
  *out = wisp_mesh_source_irregular();
  return WISP_OK;
}
