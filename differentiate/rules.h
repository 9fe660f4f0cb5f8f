/* rules.h: the table of derivative rules, by op kind (inside differentiate/ only). */
#ifndef WEFT_DIFFERENTIATE_RULES_H
#define WEFT_DIFFERENTIATE_RULES_H

#include "differentiate/grad.h"

extern const gd_rule gd_rules[WEFT_OP_COUNT];

#endif
