#include "criterion.h"
