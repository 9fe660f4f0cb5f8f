/* glob.h: a name against a pattern in which * stands for any characters and ? for one. */
#ifndef WEFT_BASE_GLOB_H
#define WEFT_BASE_GLOB_H

#include "base/str.h"

bool weft_glob_matches(weft_str pattern, weft_str name);

#endif
