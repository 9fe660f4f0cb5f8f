/* read.h: MLIR text or bytecode to a module. */
#ifndef WEFT_MLIR_READ_H
#define WEFT_MLIR_READ_H

#include "ir/module.h"

typedef enum weft_read_flags {
    WEFT_READ_ALLOW_UNREGISTERED = 1 << 0, /* ops of unknown names become WEFT_OP_other instead of an error */
    WEFT_READ_NO_VERIFY = 1 << 1,
    WEFT_READ_TEXT_PLACES = 1 << 2  /* a loc(...) follows the place in the text, in one fused location */
} weft_read_flags;

/* Parses text (file names it in messages) and verifies it unless told not to. An op without a loc(...) gets its place
 * in the text. *out is unchanged on failure, after a diagnostic with line and column. If MLIR reports the enclosing
 * construct in diagnostics of their own, so does Weft. text is not kept.
 *
 * MLIR bytecode, and a file of jax.export, which has bytecode inside, are known by their first bytes and read in the
 * same way (mlir/bytecode.h); the flags about places of text have no effect, and diagnostics have a byte instead. */
weft_status weft_read_text(weft_context *cx, weft_str text, const char *file, unsigned flags, weft_module **out);

/* The same from a path; "-" is standard input. */
weft_status weft_read_file(weft_context *cx, const char *path, unsigned flags, weft_module **out);

/* Whether the file is read as text; if not, it is bytecode or has some. */
bool weft_is_text(weft_str file);

/* One attribute or type alone, e.g. "#sdy.sharding<@m, [{\"x\"}]>" or "tensor<2xf32>". */
weft_status weft_read_attr(weft_context *cx, weft_str text, const weft_attr **out);
/* What an op's inherent attribute of this name is whose dictionary has a: a keyword for those that a dictionary writes
 * as an i32 and some pretty forms as a keyword, else a. NULL when memory is out. */
const weft_attr *weft_attr_of_dict(weft_context *cx, uint32_t name, const weft_attr *a);
weft_status weft_read_type(weft_context *cx, weft_str text, const weft_type **out);
/* Either of them (the other pointer is NULL) without a report: *said is the first error. Its column is a character of
 * text, and a caller that knows where the text stands reports it there. */
weft_status weft_read_quietly(weft_context *cx, weft_str text, const weft_attr **attr, const weft_type **type,
                              weft_diag *said);

#endif
