/* A small discretised Maxwell problem for tests: a box whose inner vertices are moved and whose tets name their
 * vertices in random order, so that all geometric factors differ and all turns occur. */
#pragma once

#include "../runtime/nodal/dg.h"

typedef struct dg_case {
  wisp_mesh *mesh;
  wisp_tet *tet;
  wisp_system *system;
  wisp_dg *dg; /* NULL until dg_case_discretise */
} dg_case;

/* n cubes a side; inner vertices move by up to `shake` of a cube's edge. Fails the test where something fails. */
void dg_case_make(dg_case *c, int N, int n, double shake);

/* c->dg anew, with all sides `boundary`. */
void dg_case_discretise(dg_case *c, const wisp_layout *layout, wisp_grouping how, int MB, const char *boundary);
void dg_case_free(dg_case *c);

/* Random numbers in -1..1 in the nodes of all elements, NaN in pads and empty slots. */
void dg_case_noise(const wisp_dg *dg, double *u);

/* n NaNs. */
void dg_case_poison(double *numbers, size_t n);

double *dg_case_volume(const wisp_dg *dg); /* a poisoned volume array; free() */
double *dg_case_face(const wisp_dg *dg);   /* likewise for fluxes */
