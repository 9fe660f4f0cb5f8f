/* gen_random.c: column `gen` of random numbers. */
#include "codegen/import.h"
#include "codegen/random.h"

weft_status weft_gen_rng_bit_generator(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[1].type;
    cg_node *state = cg_of(im, op, 0);
    if (!cg_has_arithmetic(t->dtype))
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "no code can be made for '%s' of '%s' yet", op->name->text, weft_dtype_of(t->dtype)->name);
    cg_random_state s = cg_random_words(im->g, state);
    const bool threefry = weft_op_attr(op, WEFT_A_rng_algorithm)->e == WEFT_rng_algorithm_THREE_FRY;
    cg_node *bits = cg_random_bits(im->g, threefry ? CG_THREEFRY : CG_PHILOX, &s, t->dtype, t->rank, t->dims);
    weft_status st = cg_set(im, op, 1, bits);
    return st == WEFT_OK ? cg_set(im, op, 0, cg_random_tensor(im->g, &s, state)) : st;
}
