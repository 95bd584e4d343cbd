/* The comparison of `wisp bench`: every kernel's winner in the store, its default candidate and the library's product
 * are timed side by side; then whole stages. */
#pragma once

#include "../../runtime/api/api.h"
#include "../../runtime/mesh/source.h"
#include "../trial/workload.h"

/* Another that does the same, timed beside it. */
typedef struct wisp_other {
  char name[96], params[160]; /* of a way to a stage, those of the strategy in its name; else none */
  double ms, times;           /* how many times as long as ours, of times taken in turn */
  double error;               /* of its result, relative to the largest number; NaN: not known */
} wisp_other;

/* One kernel, or one stage of the whole step (spec.kernel is "step", and ours.strategy its composition). Unknown
 * numbers are NaN. */
typedef struct wisp_comparison {
  wisp_spec spec;
  wisp_choice ours; /* match WISP_MATCH_DEFAULT: the store has no entry that works here, and ours is the default */
  long long elements;
  double ms, gdofs, gbps, gflops, efficiency;
  char floor[16];    /* what sets the floor that efficiency is a share of, as a trial has it */
  double copy_share; /* minimal bytes over time, as a share of copy bandwidth */
  double issue;      /* share of the multiprocessors' issue slots that was used, of code without branches; else NaN */
  double error;      /* as stored when ours was verified, of a stage the largest of its kernels' */
  long long mesh_elements; /* of the mesh beside the box; 0: none, or the kernel sees no neighbours */
  double mesh_gdofs;
  wisp_choice standard;
  double default_ms;
  char rival[96]; /* "cuBLAS 13.1", "copy" (of the minimal bytes); empty where there is none */
  double rival_ms, rival_error;
  int others; /* besides the rival: chains of the vendor's routines, and the like; other ways to a stage */
  const wisp_other *other;
  const char *alternative; /* the kernel that does the same in another way; empty where there is none */
  double alternative_ms;   /* where it was measured in this run */
} wisp_comparison;

typedef struct wisp_compare_request {
  const char *family, *system, *element; /* system, element NULL: the family's own, its first */
  const int *orders;
  size_t order_count;
  const wisp_precision *precisions;
  size_t precision_count;
  const char *kernel;             /* this one only, or "step"; NULL: all */
  const char *composition;        /* of a stage: this one; NULL: what the store says */
  bool every_alternative;         /* beside a stage: every composition, by each strategy of its kernels */
  long long elements;             /* 0: chosen for the device, or by nodes or dofs */
  double nodes;                   /* element-local nodes, rounded up to whole elements; 0: not given */
  double dofs;                    /* likewise, what a whole stage computes, as its GDOF/s count it */
  const wisp_mesh_source *beside; /* the mesh that ours is timed on as well; NULL: the box alone */
  int jobs;                       /* compilations at a time; 0: one a core */
  /* Called with each row as it is measured, and with what could not be compared. */
  wisp_status (*row)(wisp_error *err, void *context, const wisp_comparison *row);
  void (*warn)(void *context, const char *text);
  void *context;
} wisp_compare_request;

/* On the session's device, with its store's winners. WISP_EUSAGE for a family, element, order or kernel that there is
 * not. */
wisp_status wisp_compare(wisp_error *err, const wisp_session *session, const wisp_compare_request *request);
