/* Claim: verification finds kernels of the hdg family that are right for the values and sizes that are met most often,
 * and wrong for others that solvers pass as well. Shipped kernels with a text replaced are found wrong, and as they
 * are, right. tests/plants.h says which of them are run. */
#include "test.h"
#include "each_plan.h"
#include "plants.h"
#include "store_fixture.h"

TEST_IN_FOLDER(test_plants_hdg)
{
  plants_check(*state, &plants_hdg);
}

static int compiled_quickly(void **state)
{
  compile_quickly();
  return 0;
}

GROUP(compiled_quickly, NULL)
