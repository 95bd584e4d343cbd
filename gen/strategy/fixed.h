/* What candidates ask of the discretisation that they run on: the values of parameters that their spaces mark by
 * `fixes` or `wishes` (the block of a gather of face pairs, how elements are put into blocks). */
#ifndef WISP_FIXED_H
#define WISP_FIXED_H

#include "strategy.h"

#include <stdint.h>

enum { WISP_MAX_FIXED = 8 };

/* Zero-initialise: nothing is asked. */
typedef struct wisp_fixed {
  bool made; /* the discretisation is there: what nobody asked for has its value, too */
  int count;
  struct {
    char param[sizeof((wisp_param *)0)->name];
    int value, otherwise; /* where nobody asks */
  } of[WISP_MAX_FIXED];
} wisp_fixed;

/* Adds what the plan asks for that nobody has asked yet. */
void wisp_fixed_add(wisp_fixed *fixed, const wisp_plan *plan);

/* The value of a parameter; otherwise: where nobody asks. */
int wisp_fixed_value(const wisp_fixed *fixed, const char *param, int otherwise);

/* The same number where they are of one discretisation. */
uint64_t wisp_fixed_number(const wisp_fixed *fixed);

/* Do two plans ask for one discretisation? */
bool wisp_fixed_same(const wisp_plan *a, const wisp_plan *b);

/* Is the plan right beside those that asked for this? */
bool wisp_fixed_suits(const wisp_fixed *fixed, const wisp_plan *plan);

#endif
