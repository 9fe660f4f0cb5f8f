/* variables.h: the environment variables that Weft reads, and a warning about misspelt ones.
 *
 * A misspelt variable would have no effect, unnoticed. A name that begins with WEFT_ and is nearly one of Weft's is
 * reported as a warning, once per context; other names are not Weft's.
 */
#ifndef WEFT_BASE_VARIABLES_H
#define WEFT_BASE_VARIABLES_H

#include "base/diag.h"

weft_status weft_variables_check(weft_context *cx);

#endif
