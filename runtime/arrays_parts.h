/* Inside a set of arrays: what arrays.c makes and moves, and arrays_check.c compares. */
#pragma once

#include "arrays.h"

typedef struct wisp_entry {
  wisp_array array;
  wisp_pointer base; /* of the front guard zone; 0: not made */
  size_t shift;      /* bytes that the front guard zone is longer by */
} wisp_entry;

/* A comparison of numbers of 4, 1 and 2 bytes by their bits, of floats or doubles by their values. */
typedef enum wisp_compared {
  WISP_COMPARE_BITS,
  WISP_COMPARE_BYTES,
  WISP_COMPARE_SHORTS,
  WISP_COMPARE_FLOATS,
  WISP_COMPARE_DOUBLES,
  WISP_COMPARE_KINDS
} wisp_compared;

struct wisp_arrays {
  wisp_device *device;
  wisp_precision precision;
  size_t guard; /* numbers in a zone */
  size_t count;
  wisp_entry entries[WISP_MAX_ARRAYS];
  struct { /* what compares arrays where they lie, by a kernel of this library's own; made at first need */
    wisp_module *module[WISP_COMPARE_KINDS];
    wisp_pointer first;   /* what was found, by places */
    wisp_pointer pattern; /* a number of a guard zone: of ints, of reals */
  } check;
};

/* Gives back what comparing has made. */
void wisp_arrays_end_checks(wisp_arrays *arrays);

/* Reals that lie on the device as float. */
static inline bool wisp_entry_is_float(const wisp_arrays *arrays, const wisp_entry *e)
{
  return e->array.type == WISP_SINGLE || arrays->precision == WISP_F32;
}

static inline bool wisp_entry_is_integer(const wisp_entry *e)
{
  return wisp_numbers[e->array.type].integer;
}

static inline size_t wisp_entry_number(const wisp_arrays *arrays, const wisp_entry *e)
{
  const size_t bytes = wisp_numbers[e->array.type].bytes;
  return bytes ? bytes : (size_t)arrays->precision;
}

/* In whole words, which are compared. */
static inline size_t wisp_entry_bytes(const wisp_arrays *arrays, const wisp_entry *e)
{
  return (e->array.size * wisp_entry_number(arrays, e) + 3) / 4 * 4;
}

static inline size_t wisp_entry_guard(const wisp_arrays *arrays, const wisp_entry *e)
{
  return arrays->guard * wisp_entry_number(arrays, e);
}

/* The length of the zone in front of an array. */
static inline size_t wisp_entry_front(const wisp_arrays *arrays, const wisp_entry *e)
{
  return wisp_entry_guard(arrays, e) + e->shift;
}

static inline size_t wisp_entry_whole(const wisp_arrays *arrays, const wisp_entry *e)
{
  return wisp_entry_front(arrays, e) + wisp_entry_bytes(arrays, e) + wisp_entry_guard(arrays, e);
}

static inline wisp_pointer wisp_entry_start(const wisp_arrays *arrays, const wisp_entry *e)
{
  return e->base + wisp_entry_front(arrays, e);
}

/* Guard zones hold numbers that show when they are read or added to: 3.0, 32.5, or -1, an index near its array. */
static inline unsigned char wisp_entry_guard_byte(const wisp_entry *e)
{
  return wisp_entry_is_integer(e) ? 0xff : 0x40;
}
