/* Claim: a system of the user's may call fields, quantities and statements as it likes, by words of C and of kernels'
 * texts too, and its signs may meet: it computes the same bits as the same equations under other names. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../gen/embedded.h"
#include "../gen/text.h"

#include <ctype.h>

static const char *const names[][2] = {
    {"p", "at"},      {"vx", "real"},  {"vy", "if"},  {"vz", "base"},          {"mean", "x"},
    {"dp", "double"}, {"dv", "END_X"}, {"push", "u"}, {"lightness", "Fscale"}, {"Z", "INDEX"},
};

/* Writes the new name of a word, with flux_ before it or _m or _p behind it. */
static void rename_word(wisp_text *out, const char *word, size_t length)
{
  const bool flux = length > 5 && strncmp(word, "flux_", 5) == 0;
  const bool side = length > 2 && word[length - 2] == '_' && strchr("mp", word[length - 1]);
  const char *stem = flux ? word + 5 : word;
  const size_t stem_length = length - (flux ? 5 : side ? 2 : 0);
  const char *to = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i][0]) == stem_length && strncmp(stem, names[i][0], stem_length) == 0) to = names[i][1];
  const int shown = (int)(to ? strlen(to) : stem_length);
  wisp_text_print(NULL, out, "%s%.*s%.*s", flux ? "flux_" : "", shown, to ? to : stem, side && !flux ? 2 : 0,
                  word + length - 2);
}

/* acoustics.system with these names, and minus signs that meet. */
static void write_renamed(const char *folder)
{
  HELD(wisp_text_free) wisp_text out = {0};
  for (const char *at = wisp_embedded_text("templates/systems/acoustics.system"); *at;) {
    static const char jump[] = "p_p - p_m";
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
    if (strncmp(at, jump, strlen(jump)) == 0) {
      wisp_text_print(NULL, &out, "at_p--(-at_m)");
      length = strlen(jump);
    } else if (length) {
      rename_word(&out, at, length);
    } else {
      wisp_text_add(NULL, &out, at, length = 1);
    }
    at += length;
  }
  fixture_text(folder, "systems/renamed.system", out.data);
}

static cJSON *solve(const char *folder, const char *system, const char *options)
{
  char before[128];
  snprintf(before, sizeof before, "WISP_TEMPLATES=%s", folder);
  return run_json_with(folder, before, "run %s -d %s -n 2 --box 2 --steps 3 --rho 2 --default --json %s", system,
                       test_device_name(), options);
}

TEST_IN_FOLDER(test_names)
{
  static const char *const options[] = {"--boundary soft", "-p f32 --composition volume+gather+lift+update",
                                        "--composition stage_nested --boundary rigid"};
  static const char *const members[] = {"energy_initial", "energy_final", "l2_error"};
  write_renamed(*state);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    OWNED(cJSON_Delete)
    cJSON *ours = solve(*state, "acoustics", options[i]), *theirs = solve(*state, "renamed", options[i]);
    for (int m = 0; m < 3; m++) {
      const double a = json_number(ours, members[m]), b = json_number(theirs, members[m]);
      if (a != b) fail_msg("%s: %s is %.17g, and %.17g by other names", options[i], members[m], a, b);
    }
  }
}
