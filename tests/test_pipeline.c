/* Claim: what compiles ahead comes out in order; what is abandoned, begun or not, comes out no more, delays nothing
 * that is submitted after it, and is waited for before the names that it is made of go. */
#include "test.h"
#include "tuning.h"
#include "../tuner/trial/pipeline.h"

enum { JOBS = 2, AHEAD = 3, MANY = JOBS * AHEAD };

typedef struct fixture {
  search_case c;
  wisp_pipeline *pipeline;
} fixture;

static int set_up(void **state)
{
  static fixture f;
  search_open(&f.c, "nodal.update:tet:p2:maxwell:f64", "host");
  GOOD(wisp_pipeline_create(err, "host", JOBS, AHEAD, &f.pipeline));
  assert_true(f.c.search.count >= MANY);
  *state = &f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  wisp_pipeline_drop(f->pipeline);
  search_close(&f->c);
  wisp_pipeline_destroy(f->pipeline);
  return 0;
}

static void submit(fixture *f, size_t i)
{
  wisp_plan *plan = NULL;
  GOOD(wisp_candidate_plan(err, &f->c.scope, &f->c.search.candidates[i], &plan));
  GOOD(wisp_pipeline_submit(err, f->pipeline, plan, false));
}

/* The next that comes out is candidate i, compiled. */
static void expect(fixture *f, size_t i)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_job *job = wisp_pipeline_take(f->pipeline);
  assert_non_null(job);
  GOOD(wisp_candidate_plan(err, &f->c.scope, &f->c.search.candidates[i], &plan));
  assert_string_equal(job->plan->params, plan->params);
  assert_int_equal(job->status, WISP_OK);
  assert_true(job->binary.data != NULL);
  wisp_job_free(job);
}

TEST_WITH(test_in_order, set_up, tear_down)
{
  fixture *f = *state;
  for (size_t i = 0; i < MANY; i++) {
    assert_false(wisp_pipeline_full(f->pipeline));
    submit(f, i);
  }
  assert_true(wisp_pipeline_full(f->pipeline));
  for (size_t i = 0; i < MANY; i++) expect(f, i);
  assert_true(wisp_pipeline_empty(f->pipeline));
  assert_null(wisp_pipeline_take(f->pipeline));
}

TEST_WITH(test_abandoned, set_up, tear_down)
{
  fixture *f = *state;
  for (int round = 0; round < 3; round++) {
    for (size_t i = 0; i < MANY; i++) submit(f, i);
    usleep((unsigned)round * 5000); /* some have begun, or ended */
    wisp_pipeline_abandon(f->pipeline);
    assert_true(wisp_pipeline_empty(f->pipeline));
    assert_null(wisp_pipeline_next(f->pipeline));
    submit(f, 1);
    submit(f, 0);
    expect(f, 1);
    expect(f, 0);
  }
  for (size_t i = 0; i < MANY; i++) submit(f, i);
}
