/* The list of kinds of devices, and what is asked of it: targets, names, what is there. */
#include "compilers.h"
#include "../gen/strategy/strategy.h"

/* Every kind of device, one line each; "auto" takes the first that is there. */
static const wisp_device_kind *const kinds[] = {
    &wisp_cuda_kind,
    &wisp_host_kind,
};
enum { KINDS = WISP_COUNT(kinds) };

/* Those, then the program's own; NULL behind the last. */
static const wisp_device_kind *kind_at(int k)
{
  if (k < KINDS) return kinds[k];
  return wisp_own_kinds ? wisp_own_kinds[k - KINDS] : NULL;
}

/* ---- Compiling for a target. */

static wisp_status find_target(wisp_error *err, const char *target, const wisp_device_kind **out)
{
  const wisp_device_kind *kind = NULL;
  for (int k = 0; (kind = kind_at(k)); k++)
    if (kind->has_target(target)) {
      *out = kind;
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EUSAGE, "target '%s' is not known: use host, or sm_80, sm_90, sm_100, ...", target);
}

wisp_status wisp_target_documented(wisp_error *err, const char *target, wisp_limits *out)
{
  const wisp_device_kind *kind = NULL;
  if (find_target(NULL, target, &kind) != WISP_OK) kind = kinds[0]; /* which says what there is */
  return kind->target_limits(err, target, out);
}

wisp_status wisp_target_limits(wisp_error *err, const char *target, wisp_limits *out)
{
  const wisp_device_kind *kind = NULL;
  CALL(wisp_target_documented(err, target, out));
  CALL(find_target(err, target, &kind));
  if (kind->compiler_name) kind->compiler_name(out->compiler, sizeof out->compiler);
  return WISP_OK;
}

const char *wisp_target_dialect(const char *target)
{
  const wisp_device_kind *kind = NULL;
  return find_target(NULL, target, &kind) == WISP_OK ? kind->dialect : "";
}

bool wisp_target_is_gpu(const char *target)
{
  const wisp_device_kind *kind = NULL;
  return find_target(NULL, target, &kind) == WISP_OK && kind->gpu;
}

const char *wisp_dialect_at(size_t i, const char **target)
{
  if (i >= KINDS) return NULL;
  *target = kinds[i]->target;
  return kinds[i]->dialect;
}

wisp_status wisp_compile(wisp_error *err, const char *target, const char *name, const char *source, wisp_binary *out)
{
  const wisp_device_kind *kind = NULL;
  CALL(find_target(err, target, &kind));
  return wisp_compile_by(err, kind, target, name, source, out);
}

wisp_status wisp_compiler_probe(wisp_error *err, const char *target)
{
  HELD(wisp_binary_free) wisp_binary binary = {0};
  const wisp_device_kind *kind = NULL;
  wisp_error why = {.text = ""};
  HELD(wisp_text_free) wisp_text source = {0};
  size_t shared = 0;
  CALL(find_target(err, target, &kind));
  CALL(wisp_dialect_source(err, "checks/probe", WISP_F64, "", kind->dialect, kind->gpu, &source, &shared));
  const wisp_status status = kind->compile(&why, target, "wisp_probe", source.data, &binary);
  if (status == WISP_ECOMPILE)
    return wisp_fail(err, WISP_ESYSTEM, "the compiler fails on a kernel that does nothing: %s", why.text);
  return wisp_require(err, status == WISP_OK, status, "%s", why.text);
}

/* ---- Opening. */

/* "cuda:1" is of kind "cuda" with index 1, "cuda" has index 0; false where the name is of another kind. */
static bool parse_name(const char *name, const wisp_device_kind *kind, int *index)
{
  size_t length = strlen(kind->name);
  *index = 0;
  if (strncmp(name, kind->name, length) != 0) return false;
  name += length;
  if (!*name) return true;
  const size_t digits = strspn(name + 1, "0123456789");
  *index = atoi(name + 1);
  return *name == ':' && digits && digits < 5 && !name[1 + digits];
}

wisp_status wisp_device_known(wisp_error *err, const char *name)
{
  int index = 0;
  bool known = strcmp(name, "auto") == 0;
  const wisp_device_kind *kind = NULL;
  for (int k = 0; !known && (kind = kind_at(k)); k++) known = parse_name(name, kind, &index);
  return wisp_require(err, known, WISP_EUSAGE, "device '%s' is not known: use host, cuda, cuda:1 or auto", name);
}

bool wisp_device_is_gpu(const char *name)
{
  int index = 0;
  const wisp_device_kind *kind = NULL;
  for (int k = 0; (kind = kind_at(k)); k++)
    if (parse_name(name, kind, &index)) return kind->gpu;
  return false;
}

wisp_status wisp_device_open(wisp_error *err, const char *name, wisp_device **out)
{
  const bool first = strcmp(name, "auto") == 0;
  for (int k = 0; first && k < KINDS; k++) {
    int count = 0;
    CALL(kinds[k]->count(err, &count));
    if (count > 0) return kinds[k]->open(err, 0, out);
  }
  CALL(wisp_require(err, !first, WISP_EDEVICE, "device auto: there is none of any kind: 'wisp devices' says why"));
  const wisp_device_kind *kind = NULL;
  for (int k = 0; (kind = kind_at(k)); k++) {
    int index = 0, count = 0;
    if (!parse_name(name, kind, &index)) continue;
    CALL(kind->count(err, &count));
    /* With none at all the kind itself says best what is missing. */
    CALL(wisp_require(err, count <= 0 || index < count, WISP_EDEVICE,
                      "device %s: there are only %d of kind %s, counted from 0", name, count, kind->name));
    return kind->open(err, index, out);
  }
  return wisp_device_known(err, name);
}

wisp_status wisp_device_adopt(wisp_error *err, void *context, void *stream, wisp_device **out)
{
  for (int k = 0; k < KINDS; k++)
    if (kinds[k]->adopt) return kinds[k]->adopt(err, context, stream, out);
  return wisp_fail(err, WISP_EUSAGE, "no kind of device has contexts");
}

wisp_status wisp_device_list(wisp_error *err, bool gpus, wisp_text *names)
{
  const wisp_device_kind *kind = NULL;
  for (int k = 0; (kind = kind_at(k)); k++) {
    int count = 0;
    if (gpus && names->length && !kind->gpu) continue;
    CALL(kind->count(err, &count));
    for (int i = 0; i < count; i++)
      CALL(wisp_text_print(err, names, count > 1 ? "%s%s:%d" : "%s%s", names->length ? "," : "", kind->name, i));
  }
  return WISP_OK;
}

/* ---- Kernels that are no candidates. */

wisp_status wisp_dialect_module(wisp_error *err, wisp_device *device, const char *name, wisp_precision precision,
                                const char *lines, wisp_module **out)
{
  HELD(wisp_text_free) wisp_text source = {0};
  HELD(wisp_binary_free) wisp_binary binary = {0};
  const wisp_limits *limits = wisp_device_limits(device);
  size_t shared = 0;
  char symbol[64];
  snprintf(symbol, sizeof symbol, "wisp_%s", strchr(name, '/') + 1);
  CALL(wisp_dialect_source(err, name, precision, lines, limits->kind, limits->gpu, &source, &shared));
  CALL(wisp_compile(err, limits->target, symbol, source.data, &binary));
  return wisp_module_load(err, device, &binary, symbol, shared, out);
}
