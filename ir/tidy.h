/* tidy.h: the clean-up that MLIR's greedy rewriter does besides applying patterns. A pass of Shardy's that is a set of
 * patterns leaves its module so, whether a pattern has matched or not:
 *
 *   - Constants (stablehlo.constant, chlo.constant) move to the front of the innermost region that is isolated from
 *     above, such as a function's. Of equal constants (value and type) the first is kept; other attributes are ignored.
 *     Shardy's import therefore uses sdy.constant, which is left alone.
 *   - Ops without side effects and without readers are removed.
 *
 * Source: MLIR, mlir/lib/Transforms/Utils/GreedyPatternRewriteDriver.cpp, FoldUtils.cpp;
 * mlir/lib/Interfaces/SideEffectInterfaces.cpp. */
#ifndef WEFT_IR_TIDY_H
#define WEFT_IR_TIDY_H

#include "ir/module.h"

/* No side effect, nor in its regions. */
bool weft_op_is_pure(const weft_op *op);
/* Pure, and used for its results only. */
bool weft_op_is_removable(const weft_op *op);

/* *out is a new module, or unchanged when there is nothing to do. */
weft_status weft_tidy(const weft_module *in, weft_module **out);

#endif
