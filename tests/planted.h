/* Strategies of a test's own, found through $WISP_TEMPLATES: a right kernel with one statement more, which may be a
 * fault. */
#pragma once

/* Adds strategy `name` of nodal.assemble to the templates in folder: the assembly of rhs from derivatives, one group a
 * block. The statement `more` is carried out at each node and knows m, groups (this one, their number), at, here
 * (numbers within the group, and in rhs) and what templates know. */
void plant(const char *folder, const char *name, const char *more);
