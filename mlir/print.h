/* print.h: a module, op, attribute or type as MLIR text, byte for byte as MLIR's printer writes it. One exception:
 * lists of more than a hundred numbers that ops share are written once, in front of the module. */
#ifndef WEFT_MLIR_PRINT_H
#define WEFT_MLIR_PRINT_H

#include "ir/module.h"

typedef enum weft_print_flags {
    WEFT_PRINT_PRETTY       = 0,
    WEFT_PRINT_GENERIC      = 1 << 0, /* "stablehlo.add"(%0, %1) : ... */
    WEFT_PRINT_LOCS         = 1 << 1, /* loc(...) after every op */
    WEFT_PRINT_DENSE_GROUPS = 1 << 2, /* replica groups as dense<...> for older readers */
    /* arguments of functions by their hints (%weight), where these are names in MLIR and differ; else %arg0 ... */
    WEFT_PRINT_HINTS        = 1 << 3
} weft_print_flags;

weft_status weft_print_module(const weft_module *m, unsigned flags, weft_buf *out);
/* operands by number */
weft_status weft_print_op(const weft_module *m, const weft_op *op, unsigned flags, weft_buf *out);
/* The name of each value in the printed module, by its id: "%3", "%5#1". */
weft_status weft_value_names(const weft_module *m, weft_arena *arena, const char *const **out);
void weft_print_attr(weft_buf *b, const weft_attr *a);

#endif
