/* The lists by which the assembly family's kernels go, as they lie in its arrays (templates/assembly/family). */
#ifndef WISP_ASSEMBLY_LISTS_H
#define WISP_ASSEMBLY_LISTS_H

#include "assembly.h"

/* Elements in whole slabs; entries of the upper half of an element's matrix; numbers of a vertex. */
size_t wisp_assembly_slots(const wisp_assembly *assembly);
size_t wisp_assembly_half(const wisp_assembly *assembly);
size_t wisp_assembly_stride(const wisp_assembly *assembly);

/* Numbers of an element in element_data; and which of them entry (a, b) of its matrix is, of whole ones or of their
 * upper halves. Its load stands behind. */
size_t wisp_assembly_width(const wisp_assembly *assembly);
size_t wisp_assembly_number(const wisp_assembly *assembly, int a, int b, bool full);

/* The longest row is short enough for slots of a byte. */
bool wisp_assembly_has_byte_slots(const wisp_assembly *assembly);

/* Uploads those of an assembly's own arrays that are there: all but what kinds of lists have. */
wisp_status wisp_assembly_upload(wisp_error *err, const wisp_assembly *assembly, wisp_arrays *arrays);

#endif
