#include "fields.h"
#include "vtu.h"
#include "../../gen/text.h"

#include <math.h>

/* The first is written where a name has no ending of these. */
static const struct format {
  const char *ending;
  wisp_status (*write)(wisp_error *err, const wisp_fields *fields, const char *path);
} formats[] = {{".vtu", wisp_vtu_write}};

const char *wisp_fields_endings(char text[64])
{
  size_t length = 0;
  for (size_t i = 0; i < WISP_COUNT(formats); i++)
    length += (size_t)snprintf(text + length, 64 - length, "%s%s", i ? " " : "", formats[i].ending);
  return text;
}

wisp_status wisp_fields_check_order(wisp_error *err, bool wanted, int order)
{
  return wisp_require(err, !wanted || order <= WISP_VTU_MAX_ORDER, WISP_EUSAGE,
                      "--output: VTK files have orders up to %d: leave it out", WISP_VTU_MAX_ORDER);
}

wisp_status wisp_fields_write(wisp_error *err, const wisp_fields *fields, const char *path)
{
  size_t i = WISP_COUNT(formats) - 1;
  while (i && !wisp_path_ends(path, formats[i].ending)) i--;
  return formats[i].write(err, fields, path);
}

wisp_status wisp_fields_create(wisp_error *err, int corners, int order, size_t elements, size_t points, size_t count,
                               const char *const *names, wisp_fields *out)
{
  HELD(wisp_fields_free) wisp_fields fields = {corners, order, NULL, elements, points, count, NULL, NULL, NULL, NAN};
  CALL(wisp_new(err, count, sizeof *fields.name, &fields.name));
  for (size_t f = 0; f < count; f++) fields.name[f] = names[f];
  CALL(wisp_new(err, 3 * elements * points, sizeof *fields.xyz, &fields.xyz));
  CALL(wisp_new(err, count, sizeof *fields.value, &fields.value));
  for (size_t f = 0; f < count; f++) CALL(wisp_new(err, elements * points, sizeof **fields.value, &fields.value[f]));
  return GIVE(fields, out);
}

void wisp_fields_free(wisp_fields *fields)
{
  for (size_t f = 0; fields->value && f < fields->count; f++) free(fields->value[f]);
  free(fields->value), free(fields->xyz), free(fields->name), free(fields->region);
  *fields = (wisp_fields){.count = 0};
}
