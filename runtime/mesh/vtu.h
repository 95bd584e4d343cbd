/* Solutions for ParaView: VTK XML unstructured grids (.vtu) of Lagrange triangles, tetrahedra and hexahedra. */
#pragma once

#include "fields.h"
#include "../../gen/text.h"

enum { WISP_VTU_MAX_ORDER = 10 };

/* Equispaced points of the bi-unit tet, (N+1)(N+2)(N+3)/6 each of r, s, t, r fastest. WISP_EUSAGE: N not in 1..10. */
wisp_status wisp_vtu_lattice(wisp_error *err, int N, double *r, double *s, double *t);

/* VTK's numbering of the points of its Lagrange element with so many corners: its point v is lattice point point[v]. A
 * triangle's lattice is the tet's first layer; a hex's has (N + 1)^3 points, r fastest. */
wisp_status wisp_vtu_order(wisp_error *err, int corners, int N, int *point);

/* Adds a text as XML has it in an attribute. */
wisp_status wisp_vtu_escape(wisp_error *err, wisp_text *xml, const char *text);

/* Writes elements with their fields as point data, three in a row that end in x, y and z as one vector, at the
 * lattice's points in its order; elements share no points, so that fields may jump. Raw binary of this machine's byte
 * order, 64 bit; the time, and regions as cell data. The file appears at path whole or not at all. WISP_ESYSTEM, with
 * path and reason, where it cannot be written; WISP_EUSAGE for a wrong N. Source: VTK's vtkHigherOrderTetra,
 * vtkHigherOrderHexahedron and vtkXMLUnstructuredGridReader. */
wisp_status wisp_vtu_write(wisp_error *err, const wisp_fields *fields, const char *path);
