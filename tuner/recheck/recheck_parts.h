/* The workers of wisp_recheck_run. */
#pragma once

#include "recheck.h"

typedef struct wisp_link wisp_link;

typedef struct wisp_recheck_job {
  const wisp_tune_request *request;
  const wisp_recheck *recheck;
  size_t workers; /* on this host: they share its cores */
} wisp_recheck_job;

/* A wisp_worker_body, whose context is a wisp_recheck_job. An order that it is given is the number of a unit. */
wisp_status wisp_recheck_work(wisp_error *err, void *job, const wisp_link *link);
