#ifndef WISP_CSV_H
#define WISP_CSV_H

#include "fields.h"

wisp_status wisp_csv_write(wisp_error *err, const wisp_fields *fields, const char *path);

#endif
