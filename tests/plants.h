/* Wrong kernels made from shipped ones by a few replaced texts, and a check that verification finds each. */
#pragma once

#include "edited.h"

#include <stdbool.h>

enum { MOST_EDITS = 4 };

/* A scalar of the family that is read as another number. */
#define READ_AS(name, value)                                                                        \
  {                                                                                                 \
    "^", "const real changed_" #name " = (real)(" value ");\n#define " #name " changed_" #name "\n" \
  }
/* Likewise a count, or any other whole number. */
#define COUNT_AS(name, value)                                                                \
  {                                                                                          \
    "^", "const INDEX changed_" #name " = " value ";\n#define " #name " changed_" #name "\n" \
  }
/* A statement that one thread carries out at the end. */
#define ONCE(statement)                                                              \
  {                                                                                  \
    "$", "if (bx == 0 && by == 0) {\nFOR_ALL(only_, 1)\n" statement "\nEND_ALL\n}\n" \
  }
/* Blocks behind the first do nothing where OpenMP has so many threads. */
#define IDLE_WHERE(threads)                                                                           \
  {                                                                                                   \
    "^", "int omp_get_num_threads(void);\nif (omp_get_num_threads() " threads " && bx > 0) return;\n" \
  }
/* A statement of a block whose number in memory that all blocks share another block has changed meanwhile. */
#define WHERE_BLOCKS_MEET(statement)                                                                          \
  {"^", "static volatile INDEX block_at_work;\nint usleep(unsigned);\nblock_at_work = bx;\nif (bx % 8 == 3) " \
        "usleep(50);\n"},                                                                                     \
  {                                                                                                           \
    "$", "if (block_at_work != bx) {\nFOR_ALL(only_, 1)\n" statement "\nEND_ALL\n}\n"                         \
  }
/* A statement where the third number of an array is no longer what it was at that address. */
#define WHERE_KEPT(array, statement)                                                                  \
  ONCE("static const void *kept_from;\nstatic real kept;\n"                                           \
       "if (kept_from != " #array " || kept != kept) kept_from = " #array ", kept = " #array "[2];\n" \
       "if (kept != " #array "[2]) " statement)

/* A plant shows on the small problems of the verifier, on the problem of the size that kernels are timed on, or on the
 * one of many elements that winners are checked on. */
typedef enum plant_shows { ON_SMALL, AT_SIZE, ON_MANY } plant_shows;

typedef struct planted {
  const char *name, *family, *kernel, *base;
  edit edits[MOST_EDITS];       /* none: as shipped */
  const char *element, *system; /* NULL: the family's first */
  plant_shows shows;
  bool single;        /* in single precision alone */
  bool only_double;   /* in double precision alone */
  bool host;          /* shows on the host alone */
  int order;          /* 0: one of the list's in turn */
  long long elements; /* of the problem that kernels are timed on; 0: as many as suit the device */
} planted;

enum { PLANT_ORDERS = 4 };
typedef struct planted_list {
  const planted *first;
  size_t count;
  int orders[PLANT_ORDERS];
} planted_list;
extern const planted_list plants_assembly, plants_nodal, plants_tensor, plants_hdg;

/* Adds the plants of a list to the templates in folder. */
void plants_write(const char *folder, const planted_list *list);

/* Checks a list, in both precisions and of both orders in turn, and the kernels that they are made from; fails the
 * test, which prints them, where one is not found wrong, or a shipped one is. Every third one is checked, sanitized
 * every ninth; all with WISP_TEST_FULL=1, and others with WISP_TEST_SHARE=1/3, or those of one name with
 * WISP_TEST_PLANT=NAME. WISP_TEST_ORDER=3 sets the order of those that do not have their own. */
void plants_check(const char *folder, const planted_list *list);
