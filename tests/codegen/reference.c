/* reference.c: see reference.h. */
#include <math.h>
#include "tests/codegen/reference.h"

long double ref_logistic(long double x) { return 1 / (1 + expl(-x)); }
long double ref_rsqrt(long double x) { return 1 / sqrtl(x); }
