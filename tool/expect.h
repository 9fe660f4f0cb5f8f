/* expect.h: checks diagnostics against comments in the input, as MLIR's -verify-diagnostics does. */
#ifndef WEFT_TOOL_EXPECT_H
#define WEFT_TOOL_EXPECT_H

#include "tool/tool.h"

/* The diagnostics that t has kept come from `text`. Each `// expected-error@+1 {{part of the message}}` in it (also
 * -warning, -remark, -note; @above, @below, @-1, @unknown) must match one of them on its line, and each diagnostic must
 * be expected. Prints the mismatches; true if there are none. */
bool tool_expect_check(const tool *t, weft_str text, FILE *out);

#endif
