/* expect.h: diagnostics foretold by comments in the input, as MLIR's -verify-diagnostics has them. */
#ifndef WEFT_TOOL_EXPECT_H
#define WEFT_TOOL_EXPECT_H

#include "tool/tool.h"

/* The diagnostics that t has kept come from `text`. Each `// expected-error@+1 {{part of the message}}` in it (also
 * -warning, -remark, -note; @above, @below, @-1, @unknown) must meet one of them on its line, and each of them must be
 * met. Prints what is not; true when all is. */
bool tool_expect_check(const tool *t, weft_str text, FILE *out);

#endif
