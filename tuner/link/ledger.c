#include "ledger.h"
#include "../../runtime/process.h"

#include <math.h>

void wisp_turn(wisp_ledger *ledger, wisp_purpose purpose)
{
  const double now = wisp_seconds();
  if (ledger->since > 0) ledger->spent[ledger->purpose] += now - ledger->since;
  ledger->since = now;
  ledger->purpose = purpose;
}

wisp_turning wisp_turn_to(wisp_ledger *ledger, wisp_purpose purpose)
{
  const wisp_turning turning = {ledger, ledger->purpose};
  wisp_turn(ledger, purpose);
  return turning;
}

void wisp_turn_back(const wisp_turning *turning)
{
  wisp_turn(turning->ledger, turning->before);
}

void wisp_ledger_settle(wisp_ledger *ledger, double spent[WISP_PURPOSES])
{
  wisp_turn(ledger, ledger->purpose);
  for (int p = 0; p < WISP_PURPOSES; p++) {
    spent[p] += ledger->spent[p];
    ledger->spent[p] = 0;
  }
}

void wisp_ledger_balance(double spent[WISP_PURPOSES], double seconds)
{
  spent[WISP_ELSE] = seconds;
  for (int p = WISP_ELSE + 1; p < WISP_PURPOSES; p++) spent[WISP_ELSE] -= spent[p];
  spent[WISP_ELSE] = fmax(spent[WISP_ELSE], 0);
}
