/* tidy.h: what MLIR's greedy rewriter makes of a module besides applying patterns. A pass of Shardy's that is a set of
 * patterns leaves its module so, whether a pattern has matched or not:
 *
 *   - Constants (stablehlo.constant, chlo.constant) stand at the front of the region around them that sees nothing from
 *     outside, a function's say; of those equal in value and type the first is left. What else they say is not asked,
 *     which is why Shardy's import makes sdy.constants of them: these stay where they are.
 *   - Ops without side effects whose results nobody reads are gone.
 *
 * Source: MLIR, mlir/lib/Transforms/Utils/GreedyPatternRewriteDriver.cpp, FoldUtils.cpp;
 * mlir/lib/Interfaces/SideEffectInterfaces.cpp. */
#ifndef WEFT_IR_TIDY_H
#define WEFT_IR_TIDY_H

#include "ir/module.h"

/* No side effect, nor in its regions. */
bool weft_op_is_pure(const weft_op *op);
/* Pure, and kept by nothing but readers of its results. */
bool weft_op_is_removable(const weft_op *op);

/* *out is a new module, or as it was when there is nothing to do. */
weft_status weft_tidy(const weft_module *in, weft_module **out);

#endif
