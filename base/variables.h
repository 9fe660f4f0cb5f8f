/* variables.h: the environment variables that Weft reads, and a warning of one that nobody reads.
 *
 * A variable whose name is misspelt would have no effect and nobody would know. What begins with WEFT_ and is nearly
 * one of Weft's names is warned of, once per context; any other name is its owner's affair.
 */
#ifndef WEFT_BASE_VARIABLES_H
#define WEFT_BASE_VARIABLES_H

#include "base/diag.h"

weft_status weft_variables_check(weft_context *cx);

#endif
