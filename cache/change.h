/* Many changes to one store file at once: all or none, readers undisturbed. */
#ifndef WISP_CHANGE_H
#define WISP_CHANGE_H

#include "writer.h"

/* Makes the changes through writer, inside a transaction, and adds how many to *changed. */
typedef wisp_status (*wisp_change)(wisp_error *err, wisp_writer *writer, const void *context, long long *changed);

/* Applies a change to the file at path (made where missing). Where nobody else writes, a new file is made beside it,
 * synced and renamed into place, so that readers on any file system see the old or the new one. Where somebody writes,
 * renaming would lose their work: the change is one transaction of the file instead. */
wisp_status wisp_store_change(wisp_error *err, const char *path, wisp_change change, const void *context,
                              long long *changed);

#endif
