/* given_name.h: the names that the authors of a program gave its arguments and results.
 *
 * JAX names an argument by the name of its location, loc("params['layers']['wk']"), and a result by the attribute
 * jax.result_info. Without locations a donated argument still has a name: that of the result that takes its memory.
 */
#ifndef WEFT_IR_GIVEN_NAME_H
#define WEFT_IR_GIVEN_NAME_H

#include "ir/module.h"

/* Empty if there is none. func: a func.func. */
weft_str weft_argument_given_name(const weft_op *func, uint32_t argument);
weft_str weft_result_given_name(const weft_op *func, uint32_t result);

/* "argument 5 (params['layers']['wk'])", "argument 5 (donated to result[0]['wk'])", "argument 5 (%x)", "argument 5". */
void weft_argument_print(weft_buf *b, const weft_op *func, uint32_t argument);
/* "result 5 (result[0]['wk'])", "result 5". */
void weft_result_print(weft_buf *b, const weft_op *func, uint32_t result);

#endif
