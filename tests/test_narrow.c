/* Claim: integers of 8 and 16 bits come back from a device as they went there, whatever their number; one that does not
 * fit is named, and nothing is written beside them. */
#include "test.h"
#include "each_plan.h"
#include "../runtime/arrays.h"

enum { BYTES = 257, SHORTS = 5 };

TEST(test_narrow)
{
  static const wisp_array list[] = {{.name = "bytes", .type = WISP_UINT8, .size = BYTES},
                                    {.name = "shorts", .type = WISP_UINT16, .size = SHORTS},
                                    {.name = "none", .type = WISP_UINT8, .size = 0}};
  const int shorts[SHORTS] = {0, 255, 256, 65535, 1}, one_too_large[SHORTS] = {0, 1, 65536, 2, -1};
  int bytes[BYTES], back[BYTES];
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  OWNED(wisp_arrays_destroy) wisp_arrays *arrays = NULL;
  wisp_error reason = {.text = ""};
  bool intact = false;
  char where[32];
  for (int i = 0; i < BYTES; i++) bytes[i] = i % 256;
  GOOD(wisp_arrays_create(err, device, WISP_F32, "a test", WISP_NARROW_GUARD, list, 3, &arrays));
  GOOD(wisp_arrays_upload_ints(err, arrays, "bytes", bytes));
  GOOD(wisp_arrays_upload_ints(err, arrays, "shorts", shorts));
  GOOD(wisp_arrays_upload_ints(err, arrays, "none", NULL));
  GOOD(wisp_arrays_download_ints(err, arrays, "bytes", back));
  assert_memory_equal(back, bytes, sizeof bytes);
  assert_int_equal(wisp_arrays_upload_ints(&reason, arrays, "shorts", one_too_large), WISP_EUSAGE);
  assert_string_equal(reason.text, "array shorts: number 2 is 65536, which does not fit 16 bits");
  bytes[3] = -1;
  assert_int_equal(wisp_arrays_upload_ints(&reason, arrays, "bytes", bytes), WISP_EUSAGE);
  assert_string_equal(reason.text, "array bytes: number 3 is -1, which does not fit 8 bits");
  GOOD(wisp_arrays_download_ints(err, arrays, "shorts", back)); /* as it was */
  assert_memory_equal(back, shorts, sizeof shorts);
  GOOD(wisp_arrays_guards(err, arrays, &intact, where));
  assert_true(intact);
}
