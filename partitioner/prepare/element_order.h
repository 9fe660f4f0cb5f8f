/* element_order.h: values that have the same elements in the same order, in other shapes.
 *
 * Programs write a row as [1, n] and as [n], broadcast one row to one row, reverse and move dimensions of one element,
 * and slice all of a value. None of it moves an element, and what looks for slices of a value sees through it.
 */
#ifndef WEFT_PARTITIONER_ELEMENT_ORDER_H
#define WEFT_PARTITIONER_ELEMENT_ORDER_H

#include "ir/module.h"

/* Whether op's result has its operand's elements in their order. */
bool weft_op_keeps_order(const weft_op *op);

/* The first value in the block that v has all elements of, in the same dimensions, however they were written in
 * between. */
const weft_value *weft_value_first_alike(const weft_value *v);

#endif
