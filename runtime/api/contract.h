/* The launch contract of a plan's kernel. `wisp emit --json` prints it, kernel.c holds callers to it. */
#pragma once

#include "../kernel.h"

typedef struct wisp_contract {
  const wisp_plan *plan;
  const wisp_family *family;
  const wisp_kernel_decl *kernel;
  int arguments;
  wisp_argument argument[WISP_MAX_ARGS];
  wisp_text size[WISP_MAX_ARGS]; /* of each */
} wisp_contract;

/* plan is borrowed and must outlive it. */
wisp_status wisp_contract_create(wisp_error *err, const wisp_plan *plan, wisp_contract **out);
void wisp_contract_destroy(wisp_contract *contract);
WISP_OWNED(wisp_contract, wisp_contract_destroy)

wisp_status wisp_contract_find(wisp_error *err, const wisp_contract *contract, const char *argument, int *i);

/* WISP_EUSAGE for a count of a program that its kernel does not know, that is there twice, or that contradicts the
 * plan. The counts of a discretisation are for many kernels, and are not checked so. */
wisp_status wisp_contract_check(wisp_error *err, const wisp_contract *contract, const wisp_count *counts);

/* The counts of a launch, "groups" among them: it follows from "elements" where it is not said. */
wisp_status wisp_contract_counts(wisp_error *err, const wisp_contract *contract, const wisp_count *counts,
                                 wisp_env **out);
/* Numbers of argument i in such a launch; 0 of a scalar. */
wisp_status wisp_contract_size(wisp_error *err, const wisp_contract *contract, int i, const wisp_env *counts,
                               size_t *numbers);
wisp_status wisp_contract_grid(wisp_error *err, const wisp_contract *contract, const wisp_env *counts,
                               unsigned grid[2]);

wisp_field_layout wisp_contract_layout(const wisp_contract *contract);

/* The name of field f, where its family's fields have names; NULL: it has none, or there is no such field. */
const char *wisp_contract_field(const wisp_contract *contract, size_t f);

/* All of it as a JSON object. */
wisp_status wisp_contract_print(wisp_error *err, const wisp_contract *contract, const char *dialect, wisp_text *out);

/* Writes each operand as it lies on a device, in this machine's numbers, to FOLDER/NAME.f64, .f32 or .i32. */
wisp_status wisp_contract_write(wisp_error *err, const wisp_contract *contract, const char *folder);
