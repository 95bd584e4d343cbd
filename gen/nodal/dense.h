/* [Dr; Ds; Dt] U for volume and derivative, LIFT F for lift; a column for each field of an element, nodes fastest. */
#pragma once

#include "../dense.h"

/* Of the spec's kernel, element, order and system; out is left alone where its kernel is no such product. Released by
 * wisp_dense_release. */
wisp_status wisp_nodal_dense(wisp_error *err, const wisp_spec *spec, wisp_dense *out);
