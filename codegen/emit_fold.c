/* emit_fold.c: a reducer over the lanes of a vector, in order.
 *
 * Lanes that take every so many-th element each change the order of the elements. Where a reducer may be bracketed in
 * any way but not that (argmax and its NaNs), neighbours are joined first: lanes 0 and 1, 2 and 3 and so on, by one
 * vector half as long, until one is left. An odd last one waits, before those that waited already.
 */
#include "codegen/emit.h"

static weft_dtype type_of(const cg_fold *f, uint32_t r) { return (weft_dtype)f->node->in[r]->dtype; }

/* x, and what comes after it, to x. */
static weft_status join(cg_emit *e, weft_arena *scratch, const cg_fold *f, LLVMValueRef *x, const LLVMValueRef *after) {
    LLVMValueRef args[32];
    for (uint32_t r = 0; r < f->n; r++) args[r] = x[r], args[f->n + r] = after[r];
    return cg_emit_body(e, scratch, f->body, args, 0, x);
}

weft_status cg_emit_neighbours(cg_emit *e, weft_arena *scratch, const cg_fold *f, LLVMValueRef *v, unsigned count) {
    LLVMValueRef args[32], rest[16], last[16];
    weft_status st = WEFT_OK;
    bool waits = false;
    for (; count > 1 && st == WEFT_OK; count /= 2) {
        if (count % 2) {
            for (uint32_t r = 0; r < f->n; r++) last[r] = cg_lanes(e, type_of(f, r), v[r], count - 1, 0);
            if (waits) st = join(e, scratch, f, last, rest);
            memcpy(rest, last, f->n * sizeof *rest);
            waits = true;
        }
        for (uint32_t r = 0; r < f->n; r++)
            for (unsigned side = 0; side < 2; side++)
                args[side * f->n + r] = cg_every_second(e, type_of(f, r), v[r], side, count / 2);
        if (st == WEFT_OK) st = cg_emit_body(e, scratch, f->body, args, count / 2, v);
    }
    for (uint32_t r = 0; r < f->n; r++) v[r] = cg_lanes(e, type_of(f, r), v[r], 0, 0);
    return waits && st == WEFT_OK ? join(e, scratch, f, v, rest) : st;
}
