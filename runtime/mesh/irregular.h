/* Meshes made irregular: a box is so regular that it hides what goes wrong, or slow, on the meshes of users. */
#ifndef WISP_IRREGULAR_H
#define WISP_IRREGULAR_H

#include "hexmesh.h"
#include "mesh.h"

/* Moves every vertex in each direction by up to `amount` (0 .. 0.5; 0.3 leaves no element of good shape) times its
 * shortest edge. A vertex on a side of the box that bounds the mesh keeps to the side, one on another boundary stays:
 * the unit box remains the unit box. A move that leaves an element less than a tenth of its volume is halved until it
 * does not, so that all volumes stay positive. The same seed gives the same mesh. WISP_EUSAGE for another amount. */
wisp_status wisp_mesh_jitter(wisp_error *err, wisp_mesh *mesh, double amount, uint64_t seed);

/* Elements and vertices in random order, and the corners of every tet turned by a random even permutation, so that it
 * stays positive, or of every hex by a random one of the cube's 24 rotations, or of every triangle's three; tags go
 * with their faces. The same set of elements in space, connected anew. */
wisp_status wisp_mesh_shuffle(wisp_error *err, wisp_mesh *mesh, uint64_t seed);

/* 157 tets, a prime number, no two alike: the unit box of 162 without five, moved and shuffled. Faces meet in all 48
 * ways that there are, and each on the boundary has a random tag. */
wisp_status wisp_mesh_all_ways(wisp_error *err, wisp_mesh **out);

#endif
