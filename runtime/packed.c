#include "packed.h"
#include "process.h"

static bool is_packed(const char *path)
{
  const size_t length = strlen(path);
  return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

wisp_status wisp_unpack(wisp_error *err, const char *path, char folder[WISP_PACKED_FOLDER], wisp_text *out)
{
  enum { SECONDS = 60 };
  wisp_ending ending = WISP_RAN;
  int code = 0;
  if (!is_packed(path)) return wisp_text_print(err, out, "%s", path);
  CALL(wisp_scratch_create(err, folder, WISP_PACKED_FOLDER));
  CALL(wisp_text_print(err, out, "%s/unpacked.db", folder));
  char *argv[] = {(char[]){"gunzip"}, (char[]){"-c"}, (char[]){"--"}, (char *)(uintptr_t)path, NULL};
  CALL(wisp_process_run(err, argv, folder, out->data, SECONDS, &ending, &code));
  return wisp_require(err, ending == WISP_RAN && code == 0, WISP_ESTORE,
                      "%s: gunzip cannot unpack it: fetch the file again", path);
}

wisp_status wisp_refuse_packed(wisp_error *err, const char *path)
{
  return wisp_require(err, !is_packed(path), WISP_EUSAGE,
                      "%s is packed and only read so: unpack it with gunzip, and name the unpacked file", path);
}
