#include "../gen/random.h"
