#include "system.h"

#include "embedded.h"
#include "symbols.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "templates/systems/", suffix[] = ".system";

/* The name of the i-th embedded file where it is a system, else an empty string. */
static void embedded_name(size_t i, char name[24])
{
  const char *path = wisp_embedded_files[i].path;
  size_t length = strlen(path), around = strlen(folder) + strlen(suffix);
  name[0] = '\0';
  if (length <= around || length - around >= 24) return;
  if (strncmp(path, folder, strlen(folder)) != 0 || strcmp(path + length - strlen(suffix), suffix) != 0) return;
  snprintf(name, 24, "%.*s", (int)(length - around), path + strlen(folder));
}

/* "maxwell, acoustics": what can be loaded. */
static wisp_status list_names(wisp_error *err, wisp_text *list)
{
  wisp_status status = WISP_OK;
  char name[24];
  TRY(wisp_text_add(err, list, "", 0));
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    embedded_name(i, name);
    if (name[0]) TRY(wisp_text_print(err, list, "%s%s", list->length ? ", " : "", name));
  }
done:
  return status;
}

wisp_status wisp_system_load(wisp_error *err, const char *name, wisp_system **out)
{
  wisp_status status = WISP_OK;
  wisp_text list = {0};
  char known[24], file[sizeof known + sizeof suffix];
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    embedded_name(i, known);
    if (!known[0] || strcmp(known, name) != 0) continue;
    snprintf(file, sizeof file, "%s%s", known, suffix);
    TRY(wisp_system_parse(err, file, wisp_embedded_files[i].text, out));
    goto done;
  }
  TRY(list_names(err, &list));
  TRY(wisp_fail(err, WISP_EUSAGE, "there is no system '%s'; there are: %s", name, list.data));
done:
  wisp_text_free(&list);
  return status;
}

static void free_statements(wisp_statements *statements)
{
  for (size_t i = 0; i < statements->count; i++) {
    free(statements->texts[i]);
    wisp_expr_destroy(statements->expressions[i]);
  }
  free(statements->names);
  free(statements->texts);
  free(statements->expressions);
}

void wisp_system_destroy(wisp_system *system)
{
  if (!system) return;
  free_statements(&system->flux);
  for (int b = 0; b < system->boundaries; b++) free_statements(&system->boundary[b].ghost);
  free(system->symbols);
  free(system);
}

int wisp_system_field(const wisp_system *system, const char *name)
{
  for (int f = 0; f < system->fields; f++)
    if (strcmp(system->field[f], name) == 0) return f;
  return -1;
}

int wisp_system_boundary(const wisp_system *system, const char *name)
{
  for (int b = 0; b < system->boundaries; b++)
    if (strcmp(system->boundary[b].name, name) == 0) return b;
  return -1;
}

/* The outside values of a boundary: every FIELD_p from FIELD_m and the normal. */
static wisp_status ghost_values(wisp_error *err, const wisp_system *system, const wisp_statements *ghost, double *value)
{
  wisp_status status = WISP_OK;
  wisp_scope scope = {system->symbols, value, wisp_slot_normal(system) + 3};
  for (size_t i = 0; i < ghost->count; i++) {
    int slot = wisp_symbols_find(system->symbols, ghost->names[i]);
    TRY(wisp_expr_real(err, ghost->expressions[i], NULL, wisp_scope_lookup, &scope, &value[slot]));
  }
done:
  return status;
}

wisp_status wisp_system_flux(wisp_error *err, const wisp_system *system, int boundary, const double normal[3],
                             double alpha, const double *u_m, const double *u_p, double *flux)
{
  wisp_status status = WISP_OK;
  double value[WISP_MAX_SYMBOLS], *outside = value + wisp_slot_outside(system);
  wisp_scope scope = {system->symbols, value, wisp_slot_statement(system)};
  size_t bytes = (size_t)system->fields * sizeof *value;
  memcpy(value, u_m, bytes);
  memcpy(value + wisp_slot_normal(system), normal, 3 * sizeof *value);
  value[wisp_slot_normal(system) + 3] = alpha;
  if (boundary < 0)
    memcpy(outside, u_p, bytes);
  else
    TRY(ghost_values(err, system, &system->boundary[boundary].ghost, value));
  for (size_t i = 0; i < system->flux.count; i++, scope.bound++)
    TRY(wisp_expr_real(err, system->flux.expressions[i], NULL, wisp_scope_lookup, &scope, &value[scope.bound]));
  for (size_t i = 0; i < system->flux.count; i++) {
    const char *name = system->flux.names[i];
    if (strncmp(name, "flux_", 5) == 0)
      flux[wisp_system_field(system, name + 5)] = value[wisp_slot_statement(system) + (int)i];
  }
done:
  return status;
}
