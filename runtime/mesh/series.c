#include "series.h"
#include "vtu.h"
#include "../../gen/text.h"

void wisp_series_free(wisp_series *series)
{
  free(series->entry);
  *series = (wisp_series){0};
}

static wisp_status name_file(wisp_error *err, const char *path, long long step, char out[WISP_PATH_TEXT])
{
  char word[32];
  snprintf(word, sizeof word, "_%06lld", step);
  return wisp_path_beside(err, path, word, out);
}

/* The list names files by their names alone, so that the folder can be moved. */
static wisp_status print_list(wisp_error *err, const char *path, const wisp_series *series, wisp_text *xml)
{
  char name[WISP_PATH_TEXT];
  CALL(wisp_text_print(err, xml,
                       "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n"));
  for (size_t i = 0; i < series->count; i++) {
    CALL(name_file(err, path, series->entry[i].step, name));
    const char *slash = strrchr(name, '/');
    CALL(wisp_text_print(err, xml, "<DataSet timestep=\"%.17g\" file=\"", series->entry[i].time));
    CALL(wisp_vtu_escape(err, xml, slash ? slash + 1 : name));
    CALL(wisp_text_print(err, xml, "\"/>\n"));
  }
  return wisp_text_print(err, xml, "</Collection>\n</VTKFile>\n");
}

wisp_status wisp_series_write(wisp_error *err, const char *path, long long step, const wisp_fields *fields,
                              wisp_series *series)
{
  HELD(wisp_text_free) wisp_text xml = {0};
  char name[WISP_PATH_TEXT], list[WISP_PATH_TEXT];
  const size_t last = series->count;
  if (last && series->entry[last - 1].step == step) return WISP_OK;
  CALL(name_file(err, path, step, name));
  CALL(wisp_fields_write(err, fields, name));
  CALL(wisp_grow(err, &series->entry, &series->capacity, last + 1, sizeof *series->entry));
  series->entry[series->count++] = (wisp_series_entry){step, fields->time};
  CALL(print_list(err, path, series, &xml));
  CALL(wisp_path_beside(err, path, "", list));
  char *dot = strrchr(list, '.');
  const char *slash = strrchr(list, '/');
  if (!dot || (slash && dot < slash)) dot = list + strlen(list);
  snprintf(dot, WISP_PATH_TEXT - (size_t)(dot - list), ".pvd");
  return wisp_write_file(err, list, wisp_fill_text, &xml);
}
