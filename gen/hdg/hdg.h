/* The hdg family's arrays, as places in its list (templates/hdg/family). */
#pragma once

#include "../layout.h"
#include "../spec.h"
#include "templates/hdg/family.h"

/* Blocks in an edge's row: its own, and two of each element. */
enum { WISP_HDG_ROW = 5 };
