/* For tests: writes small Gmsh files of either version, as text or as binary of either byte order, by the book. */
#pragma once

#include "../gen/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct gmsh_writer {
  wisp_text text;
  int version;       /* 2 or 4 */
  bool binary, swap; /* swap: the byte order that is not this machine's */
} gmsh_writer;

/* Two tets on the triangle 20 30 40, and two faces of the first in the physical surfaces 7 and 9. Node 60 is in no tet.
 */
static const int writer_nodes[6] = {10, 20, 30, 40, 50, 60};
static const double writer_xyz[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {0.25, -3e-1, 5.5e2}};
static const int writer_tets[2][4] = {{10, 20, 30, 40}, {20, 30, 40, 50}};
static const int writer_triangles[2][3] = {{30, 10, 20}, {40, 10, 20}};
static const int writer_tags[2] = {7, 9};

static inline void put_bytes(gmsh_writer *w, const void *value, size_t size)
{
  char bytes[8];
  for (size_t i = 0; i < size; i++) bytes[w->swap ? size - 1 - i : i] = ((const char *)value)[i];
  if (wisp_text_add(NULL, &w->text, bytes, size) != WISP_OK) abort();
}

static inline void put_text(gmsh_writer *w, const char *text)
{
  if (wisp_text_add(NULL, &w->text, text, strlen(text)) != WISP_OK) abort();
}

static inline void put_int(gmsh_writer *w, int value)
{
  if (w->binary)
    put_bytes(w, &value, sizeof value);
  else if (wisp_text_print(NULL, &w->text, "%d ", value) != WISP_OK)
    abort();
}

static inline void put_size(gmsh_writer *w, int value)
{
  size_t wide = (size_t)value;
  if (w->binary)
    put_bytes(w, &wide, sizeof wide);
  else
    put_int(w, value);
}

static inline void put_real(gmsh_writer *w, double value)
{
  if (w->binary)
    put_bytes(w, &value, sizeof value);
  else if (wisp_text_print(NULL, &w->text, "%.17g ", value) != WISP_OK)
    abort();
}

static inline void put_reals(gmsh_writer *w, const double *value, int count)
{
  for (int i = 0; i < count; i++) put_real(w, value[i]);
}

static inline void put_format(gmsh_writer *w)
{
  put_text(w, w->version == 2 ? "$MeshFormat\n2.2 " : "$MeshFormat\n4.1 ");
  put_text(w, w->binary ? "1 8\n" : "0 8\n");
  if (w->binary) put_int(w, 1);
  put_text(w, w->binary ? "\n$EndMeshFormat\n" : "$EndMeshFormat\n");
  put_text(w, "$PhysicalNames\n2\n2 7 \"floor\"\n2 9 \"wall $EndPhysicalNames\"\n$EndPhysicalNames\n");
}

static inline void put_element_2(gmsh_writer *w, int number, int type, int tag, const int *node, int nodes)
{
  put_int(w, number);
  if (!w->binary) {
    put_int(w, type);
    put_int(w, 2);
  }
  put_int(w, tag);
  put_int(w, 1);
  for (int i = 0; i < nodes; i++) put_int(w, node[i]);
  if (!w->binary) put_text(w, "\n");
}

static inline void put_run_2(gmsh_writer *w, int type, int count)
{
  if (!w->binary) return;
  put_int(w, type);
  put_int(w, count);
  put_int(w, 2);
}

static inline void put_body_2(gmsh_writer *w)
{
  put_text(w, "$Nodes\n6\n");
  for (int i = 0; i < 6; i++) {
    put_int(w, writer_nodes[i]);
    put_reals(w, writer_xyz[i], 3);
    if (!w->binary) put_text(w, "\n");
  }
  put_text(w, "\n$EndNodes\n$Elements\n5\n");
  put_run_2(w, 15, 1);
  put_element_2(w, 1, 15, 0, writer_nodes + 5, 1);
  put_run_2(w, 2, 2);
  for (int i = 0; i < 2; i++) put_element_2(w, 2 + i, 2, i ? -writer_tags[i] : writer_tags[i], writer_triangles[i], 3);
  put_run_2(w, 4, 2);
  for (int i = 0; i < 2; i++) put_element_2(w, 4 + i, 4, 1, writer_tets[i], 4);
  put_text(w, "\n$EndElements\n");
}

static inline void put_entity_4(gmsh_writer *w, int entity, int dimension, int tag, int bounds)
{
  put_int(w, entity);
  put_reals(w, &writer_xyz[0][0], dimension ? 6 : 3);
  put_size(w, tag ? 1 : 0);
  if (tag) put_int(w, tag);
  if (dimension) put_size(w, bounds);
  for (int i = 0; i < bounds; i++) put_int(w, i + 1);
  if (!w->binary) put_text(w, "\n");
}

static inline void put_block_4(gmsh_writer *w, int a, int b, int c, int count)
{
  put_int(w, a);
  put_int(w, b);
  put_int(w, c);
  put_size(w, count);
}

static inline void put_sizes(gmsh_writer *w, int a, int b, int c, int d)
{
  put_size(w, a);
  put_size(w, b);
  put_size(w, c);
  put_size(w, d);
}

static inline void put_element_4(gmsh_writer *w, int number, const int *node, int nodes)
{
  put_size(w, number);
  for (int i = 0; i < nodes; i++) put_size(w, node[i]);
  if (!w->binary) put_text(w, "\n");
}

static inline void put_nodes_4(gmsh_writer *w)
{
  put_text(w, "\n$EndEntities\n$Nodes\n");
  put_sizes(w, 2, 6, 10, 60);
  put_block_4(w, 3, 1, 0, 4); /* plain nodes, then nodes with their parameters on a surface */
  for (int i = 0; i < 4; i++) put_size(w, writer_nodes[i]);
  for (int i = 0; i < 4; i++) put_reals(w, writer_xyz[i], 3);
  put_block_4(w, 2, 4, 1, 2);
  for (int i = 4; i < 6; i++) put_size(w, writer_nodes[i]);
  for (int i = 4; i < 6; i++) put_reals(w, writer_xyz[i], 3), put_reals(w, writer_xyz[i], 2);
}

static inline void put_body_4(gmsh_writer *w)
{
  put_text(w, "$Entities\n");
  put_sizes(w, 1, 1, 2, 1);
  put_entity_4(w, 1, 0, 0, 0);
  put_entity_4(w, 1, 1, 5, 2);
  put_entity_4(w, 8, 2, -writer_tags[1], 3);
  put_entity_4(w, 4, 2, writer_tags[0], 0);
  put_entity_4(w, 1, 3, 1, 2);
  put_nodes_4(w);
  put_text(w, "\n$EndNodes\n$Elements\n");
  put_sizes(w, 4, 5, 1, 5);
  put_block_4(w, 0, 1, 15, 1);
  put_element_4(w, 1, writer_nodes + 5, 1);
  put_block_4(w, 2, 4, 2, 1);
  put_element_4(w, 2, writer_triangles[0], 3);
  put_block_4(w, 2, 8, 2, 1);
  put_element_4(w, 3, writer_triangles[1], 3);
  put_block_4(w, 3, 1, 4, 2);
  for (int i = 0; i < 2; i++) put_element_4(w, 4 + i, writer_tets[i], 4);
  put_text(w, "\n$EndElements\n");
}

/* The whole file; free text.data with wisp_text_free. variant: 0 text, 1 binary, 2 binary with bytes swapped. */
static inline gmsh_writer write_gmsh(int version, int variant)
{
  gmsh_writer w = {.version = version, .binary = variant > 0, .swap = variant == 2};
  put_format(&w);
  if (version == 2)
    put_body_2(&w);
  else
    put_body_4(&w);
  return w;
}
