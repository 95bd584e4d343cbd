/* Fields as a table for plots: a point a line, its coordinates and the values of all fields. */
#include "csv.h"
#include "../../gen/text.h"

/* A wisp_fill. */
static void write_points(FILE *file, const void *context)
{
  const wisp_fields *f = context;
  fputs("x,y,z", file);
  for (size_t i = 0; i < f->count; i++) fprintf(file, ",%s", f->name[i]);
  for (size_t p = 0; p < f->elements * f->points && !ferror(file); p++) {
    fprintf(file, "\n%.17g,%.17g,%.17g", f->xyz[3 * p], f->xyz[3 * p + 1], f->xyz[3 * p + 2]);
    for (size_t i = 0; i < f->count; i++) fprintf(file, ",%.17g", f->value[i][p]);
  }
  fputs("\n", file);
}

wisp_status wisp_csv_write(wisp_error *err, const wisp_fields *fields, const char *path)
{
  return wisp_write_file(err, path, write_points, fields);
}
