#include "ledger.h"
#include "tune.h"

wisp_purpose wisp_turn(wisp_ledger *ledger, wisp_purpose purpose)
{
  const wisp_purpose before = ledger->purpose;
  const double now = wisp_seconds();
  if (ledger->since > 0) ledger->spent[before] += now - ledger->since;
  ledger->since = now;
  ledger->purpose = purpose;
  return before;
}

void wisp_ledger_settle(wisp_ledger *ledger, double spent[WISP_PURPOSES])
{
  wisp_turn(ledger, ledger->purpose);
  for (int p = 0; p < WISP_PURPOSES; p++) {
    spent[p] += ledger->spent[p];
    ledger->spent[p] = 0;
  }
}
