/* Claim: whether a problem has room is known by its number of elements, before anything of it is made: what is said
 * then is what is taken in the end, or, where lists depend on the mesh, no more than that and most of it; and every
 * command says it at once. */
#include "test.h"
#include "command.h"
#include "poisson_case.h"
#include "solving.h"
#include "store_fixture.h"
#include "../runtime/assembly/heat_solver.h"
#include "../runtime/api/api.h"
#include "../runtime/mesh/source.h"

/* A card with so many bytes: there the host's own count for nothing. */
static wisp_limits card(size_t bytes)
{
  return (wisp_limits){.kind = "cuda", .gpu = true, .name = "a card", .memory = bytes};
}

/* A solver of these takes so much of the device, to the byte; or somewhat more, where its composition lists the mesh's
 * faces. */
TEST(test_nodal)
{
  static const solving_setup setups[] = {{.order = 2},
                                         {.order = 3, .precision = WISP_F32, .composition = "gather+fused"},
                                         {.order = 1, .composition = "volume+gather+lift+update"},
                                         {.order = 2, .system = "acoustics"}};
  for (size_t i = 0; i < WISP_COUNT(setups); i++) {
    wisp_error reason = {0};
    wisp_mesh *mesh = NULL;
    solving s;
    const wisp_precision precision = setups[i].precision ? setups[i].precision : WISP_F64;
    GOOD(wisp_mesh_box(err, 3, &mesh));
    if (!solving_open(&reason, &s, mesh, &setups[i])) fail_msg("%s", reason.text);
    const size_t taken = wisp_arrays_bytes(s.problem->arrays);
    const bool lists_faces = wisp_stage_has(&s.stage, "pair_block");
    const wisp_limits enough = card(taken), too_little = card(lists_faces ? taken * 3 / 4 : taken - 1);
    GOOD(wisp_dg_fits(err, &enough, mesh->elements, s.tet, s.system, precision, &s.stage));
    assert_int_equal(wisp_dg_fits(&reason, &too_little, mesh->elements, s.tet, s.system, precision, &s.stage),
                     WISP_EMEMORY);
    assert_non_null(strstr(reason.text, "a problem of 162 elements needs"));
    solving_close(&s);
  }
}

/* Likewise, but for a few parts of sums; on the host, where the mesh lies too, it takes more. */
TEST(test_poisson)
{
  const poisson_setup setup = {.kernel = "collocated", .order = 3, .preconditioner = WISP_JACOBI};
  poisson_case c;
  poisson_open(&c, hex_box(6, 0), &setup);
  const size_t taken = wisp_arrays_bytes(c.solver->arrays), elements = c.mesh->elements;
  const wisp_limits enough = card(taken), half = card(taken * 9 / 10);
  wisp_limits host = card(taken);
  host.gpu = false;
  const int box[3] = {6, 6, 6};
  GOOD(wisp_poisson_fits(err, &enough, elements, box, 3, WISP_HEX_COLLOCATED, WISP_F64, &c.stage));
  GOOD(wisp_poisson_fits(err, &enough, elements, NULL, 3, WISP_HEX_COLLOCATED, WISP_F64, &c.stage));
  assert_int_equal(wisp_poisson_fits(NULL, &half, elements, box, 3, WISP_HEX_COLLOCATED, WISP_F64, &c.stage),
                   WISP_EMEMORY);
  assert_int_equal(wisp_poisson_fits(NULL, &host, elements, box, 3, WISP_HEX_COLLOCATED, WISP_F64, &c.stage),
                   WISP_EMEMORY);
  poisson_close(&c);
}

/* Lists that only a mesh gives a length are left out; without them it is most of what is taken. */
TEST(test_heat)
{
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = test_device_name(),
                                        .defaults_only = 1};
  OWNED(wisp_session_close) wisp_session *session = NULL;
  GOOD(wisp_session_open(err, &request, &session));
  for (int corners = 3; corners <= 4; corners++)
    for (int order = 1; order <= 3; order++) {
      OWNED(wisp_solver_discard) wisp_solver *s = NULL;
      size_t count[4], counted[4];
      GOOD(wisp_solver_new(err, &wisp_heat_kind, "heat", &s));
      s->order = order;
      GOOD(wisp_solver_take(err, s, "element", corners == 3 ? "tri" : "tet"));
      GOOD(wisp_solver_begin(err, s, corners == 3 ? "24" : "8"));
      GOOD(wisp_solver_open(err, s, session, NULL));
      wisp_pattern_count(s->mesh, counted);
      assert_true(wisp_mesh_source_count(&s->source, corners, count));
      assert_memory_equal(count, counted, sizeof count);
      const size_t taken = wisp_heat_solver_bytes(((wisp_heat_run *)s)->solver);
      const wisp_limits enough = card(taken), half = card(taken / 2);
      wisp_stage *assembly = &s->stage[WISP_HEAT_ASSEMBLY], *iteration = &s->stage[WISP_HEAT_SOLVE];
      GOOD(wisp_heat_fits(err, &enough, corners, order, count, WISP_F64, assembly, iteration));
      assert_int_equal(wisp_heat_fits(NULL, &half, corners, order, count, WISP_F64, assembly, iteration), WISP_EMEMORY);
    }
}

/* Hexes have no pattern to count. */
TEST(test_counts)
{
  size_t count[4];
  assert_true(wisp_mesh_source_count(&(wisp_mesh_source){.box = {2, 3, 4}}, 8, count));
  assert_true(count[0] == 60 && count[1] == 133 && count[2] == 98 && count[3] == 24);
  assert_false(wisp_mesh_source_count(&(wisp_mesh_source){.box = {0, 3, 4}}, 8, count));
  assert_false(wisp_mesh_source_count(&(wisp_mesh_source){.box = {401, 1, 1}}, 4, count));
  assert_false(wisp_mesh_source_count(&(wisp_mesh_source){.file = "a.msh", .box = {2, 2, 2}}, 4, count));
}

/* On this machine: more bytes than there are, so that a limit of 3 GB has no room for the mesh alone. Sanitizers take
 * more than that for themselves. */
TEST_IN_FOLDER(test_commands)
{
  static const struct {
    const char *arguments;
    double bytes, in_cell; /* of an element, at least; elements of a cell */
    int dimension, most;
  } big[] = {
      {"run maxwell -n 3 --box %d", 7000, 6, 3, 400},
      {"run poisson -n 4 --box %d", 3000, 1, 3, 400},
      {"run heat -n 4 --kappa 1 --box %d", 2500, 2, 2, 2500},
      {"run helmholtz -n 4 --box %d", 2500, 2, 2, 4000},
      {"bench -f nodal -n 3 -p f64 --box %d", 10000, 6, 3, 250},
      {"tune -f nodal -n 3 -p f64 --budget 5s --box %d", 10000, 6, 3, 250},
  };
  const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < WISP_COUNT(big); i++) {
    const int side = (int)ceil(pow(1.2 * memory / big[i].bytes / big[i].in_cell, 1.0 / big[i].dimension));
    char line[256];
    if (side > big[i].most) continue; /* more than its option takes */
    snprintf(line, sizeof line, big[i].arguments, side);
    strcat(line, " -d host");
    HELD(forget) outcome o = run_in(*state, getenv("WISP_TEST_COARSE") ? "" : "prlimit --as=3000000000", line);
    char *end = strchr(o.err, '\n');
    if (o.status == 0 || strstr(o.err, "out of memory") || !strstr(o.err, "take fewer elements") || !end || end[1])
      fail_msg("wisp %s: status %d: %s", line, o.status, o.err);
  }
}

GROUP(no_shipped_winners, NULL)
