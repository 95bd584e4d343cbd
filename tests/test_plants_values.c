/* Claim: verification finds kernels that are right for the values that are passed to them most often, and wrong for
 * others that solvers pass as well: scalars, coefficients and fields of other sizes, an array twice among the
 * arguments, few elements or many. Shipped kernels with a text replaced are found wrong, and as they are, right.
 * tests/plants.h says which of them are run. */
#include "test.h"
#include "each_plan.h"
#include "plants.h"
#include "store_fixture.h"

TEST_IN_FOLDER(test_plants_assembly)
{
  plants_check(*state, &plants_assembly);
}

TEST_IN_FOLDER(test_plants_nodal)
{
  plants_check(*state, &plants_nodal);
}

TEST_IN_FOLDER(test_plants_tensor)
{
  plants_check(*state, &plants_tensor);
}

static int compiled_quickly(void **state)
{
  compile_quickly();
  return 0;
}

GROUP(compiled_quickly, NULL)
