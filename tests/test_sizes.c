/* Claim: each family's winners are verified on a problem whose number of elements is no multiple of 8, nor so of 16 to
 * 128, in every order; at the two lowest orders its elements are more than 16 bits count, at all others their nodes
 * are. The problem has just that many. */
#include "test.h"
#include "each_plan.h"
#include "../tuner/trial/problems.h"

static void check_orders(const wisp_workload *w, const wisp_family *family, const wisp_element *element)
{
  wisp_spec spec = wisp_family_spec(family, element->orders[0], NULL, WISP_F64);
  wisp_spec_name_element(&spec, element->name);
  if (w->kernels) wisp_spec_name_kernel(&spec, w->kernels[0]);
  if (!w->many) return;
  for (; spec.order <= element->orders[1]; spec.order++) {
    const long long many = wisp_workload_many(w, &spec), nodes = (spec.order + 1) * (spec.order + 2) / 2;
    if (many < w->many(&spec) || many % 8 == 0 || many * (spec.order > 2 ? nodes : 1) <= 65536)
      fail_msg("%s, %s, order %d: %lld elements", family->name, element->name, spec.order, many);
  }
}

TEST(test_all_orders)
{
  const wisp_workload *w = NULL;
  for (size_t i = 0; (w = wisp_workload_at(i)); i++) {
    const wisp_family *family = wisp_family_find(w->family);
    for (const wisp_element *e = family->elements; e->name; e++) check_orders(w, family, e);
  }
}

/* The mesh is made as asked. */
TEST(test_problems)
{
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  const wisp_mesh_source source = wisp_mesh_source_irregular();
  const wisp_workload *w = NULL;
  for (size_t i = 0; (w = wisp_workload_at(i)); i++) {
    const wisp_family *family = wisp_family_find(w->family);
    OWNED(wisp_problems_destroy) wisp_problems *problems = NULL;
    wisp_spec spec = wisp_family_spec(family, 4, NULL, WISP_F64);
    if (w->kernels) wisp_spec_name_kernel(&spec, w->kernels[0]);
    const long long many = wisp_workload_many(w, &spec);
    if (!many) continue;
    GOOD(wisp_problems_create(err, device, w, &spec, many, &source, (size_t)1 << 30, &problems));
    assert_int_equal(wisp_problems_elements(problems), many);
  }
}
