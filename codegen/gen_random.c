/* gen_random.c: column `gen` of random numbers.
 *
 * stablehlo.rng leaves the source of its numbers to the implementation. Here they are the same in every run and on
 * every device: Philox bits whose counter's upper word is the number of the op in the program and whose key is the
 * number of turns that loops around it have taken (gen_control.c carries that count), so no two draws of a run share a
 * number.
 *   uniform   a + (b - a) * u, with u of the type's own mantissa bits; where rounding reaches b, a. Integers: a + (bits
 *             * (b - a)) >> 32, of 64-bit ones a + bits mod (b - a). Booleans: a or b.
 *   normal    a + b * sqrt(-2 log(1 - u)) * cos(2 pi v): Box and Muller, Ann. Math. Statist. 29 (1958).
 */
#include "codegen/import.h"
#include "codegen/random.h"

weft_status weft_gen_rng_bit_generator(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[1].type;
    cg_node *state = cg_of(im, op, 0);
    if (weft_dtype_is_complex(t->dtype))
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "no code can be made for '%s' of '%s' yet",
                           op->name->text, weft_dtype_of(t->dtype)->name);
    cg_random_state s = cg_random_words(im->g, state);
    if (s.count < 2 || s.count > 3)
        return weft_report(im->g->cx, WEFT_D_verify, op->loc,
                           "a state of %lld words is none of '%s', which has 2 or 3 of 64 bits",
                           (long long)state->dims[0], op->name->text);
    const bool threefry = weft_op_attr(op, WEFT_A_rng_algorithm)->e == WEFT_rng_algorithm_THREE_FRY;
    cg_node *bits = cg_random_bits(im->g, threefry ? CG_THREEFRY : CG_PHILOX, &s, t->dtype, t->rank, t->dims);
    weft_status st = cg_set(im, op, 1, bits);
    return st == WEFT_OK ? cg_set(im, op, 0, cg_random_tensor(im->g, &s, state)) : st;
}

static cg_node *scalar(cg_graph *g, weft_dtype t, double v) { return cg_splat_value(g, t, 0, NULL, v); }
static cg_node *binary(cg_graph *g, cg_op op, weft_dtype t, cg_node *a, cg_node *b) {
    return cg_scalar(g, op, t, 0, (cg_node *[]){ a, b });
}
static cg_node *unary(cg_graph *g, cg_op op, cg_node *a) {
    return a ? cg_scalar(g, op, (weft_dtype)a->dtype, 0, &a) : NULL;
}

/* One op's numbers: a stream of its own. */
typedef struct drawing { cg_graph *g; cg_random_state s; uint32_t rank; const int64_t *dims; } drawing;

static cg_node *bits_of(drawing *d, weft_dtype t) {
    return cg_random_bits(d->g, CG_PHILOX, &d->s, t, d->rank, d->dims);
}

/* Uniform in [0, 1), every multiple of 2^-digits alike; computed in t, which has that many. */
static cg_node *unit(drawing *d, weft_dtype t, int digits) {
    const weft_dtype word = t == WEFT_F64 ? WEFT_UI64 : WEFT_UI32;
    const int width = t == WEFT_F64 ? 64 : 32;
    cg_node *top = binary(d->g, CG_OP_shift_right_logical, word, bits_of(d, word), scalar(d->g, word, width - digits));
    return binary(d->g, CG_OP_multiply, t, cg_convert(d->g, top, t),
                  scalar(d->g, t, 1 / (double)((uint64_t)1 << digits)));
}

static int digits_of(weft_dtype t) { return t == WEFT_F64 ? 53 : t == WEFT_F32 ? 24 : t == WEFT_F16 ? 11 : 8; }

static cg_node *select(cg_graph *g, cg_node *p, cg_node *x, cg_node *y) {
    return x && y ? cg_scalar(g, CG_OP_select, (weft_dtype)(x->dtype), 0, (cg_node *[]){ p, x, y }) : NULL;
}

/* a as a tensor of the result's shape: select's operands have one. */
static cg_node *spread(drawing *d, cg_node *a) { return cg_broadcast(d->g, a, d->rank, d->dims, (weft_ints){ 0 }); }

static cg_node *uniform_float(drawing *d, weft_dtype t, cg_node *a, cg_node *b) {
    const weft_dtype in = t == WEFT_F64 ? t : WEFT_F32;
    cg_graph *g = d->g;
    cg_node *span = binary(g, CG_OP_subtract, in, cg_convert(g, b, in), cg_convert(g, a, in));
    cg_node *x = binary(g, CG_OP_multiply, in, unit(d, in, digits_of(t)), span);
    x = cg_convert(g, binary(g, CG_OP_add, in, x, cg_convert(g, a, in)), t);
    cg_node *below =
        x ? cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_LT, (cg_node *[]){ x, b }) : NULL;
    return select(g, below, x, spread(d, a));
}

static cg_node *uniform_integer(drawing *d, weft_dtype t, cg_node *a, cg_node *b) {
    cg_graph *g = d->g;
    const bool wide = weft_dtype_bytes(t) == 8;
    cg_node *span = cg_convert(g,
                               binary(g, CG_OP_subtract, WEFT_UI64, cg_convert(g, b, WEFT_UI64),
                                      cg_convert(g, a, WEFT_UI64)),
                               WEFT_UI64),
            *x;
    if (wide) x = binary(g, CG_OP_remainder, WEFT_UI64, bits_of(d, WEFT_UI64), span);
    else {
        x = binary(g, CG_OP_multiply, WEFT_UI64, cg_convert(g, bits_of(d, WEFT_UI32), WEFT_UI64), span);
        x = binary(g, CG_OP_shift_right_logical, WEFT_UI64, x, scalar(g, WEFT_UI64, 32));
    }
    return binary(g, CG_OP_add, t, cg_convert(g, x, t), a);
}

static cg_node *uniform(drawing *d, weft_dtype t, cg_node *a, cg_node *b) {
    if (weft_dtype_is_float(t)) return uniform_float(d, t, a, b);
    if (t != WEFT_I1) return uniform_integer(d, t, a, b);
    cg_node *x = cg_convert(d->g, binary(d->g, CG_OP_and, WEFT_UI32, bits_of(d, WEFT_UI32), scalar(d->g, WEFT_UI32, 1)),
                            WEFT_I1);
    return select(d->g, x, spread(d, b), spread(d, a));
}

static cg_node *normal(drawing *d, weft_dtype t, cg_node *mean, cg_node *deviation) {
    const weft_dtype in = t == WEFT_F64 ? t : WEFT_F32;
    cg_graph *g = d->g;
    cg_node *u = binary(g, CG_OP_subtract, in, scalar(g, in, 1), unit(d, in, digits_of(in)));
    cg_node *length = unary(g, CG_OP_sqrt, binary(g, CG_OP_multiply, in, unary(g, CG_OP_log, u), scalar(g, in, -2)));
    cg_node *angle = binary(g, CG_OP_multiply, in, unit(d, in, digits_of(in)), scalar(g, in, 6.283185307179586477));
    cg_node *x = binary(g, CG_OP_multiply, in, length, unary(g, CG_OP_cosine, angle));
    x = binary(g, CG_OP_multiply, in, x, cg_convert(g, deviation, in));
    return cg_convert(g, binary(g, CG_OP_add, in, x, cg_convert(g, mean, in)), t);
}

weft_status weft_gen_rng(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    cg_graph *g = im->g;
    const bool is_normal = weft_op_attr(op, WEFT_A_rng_distribution)->e == WEFT_rng_distribution_NORMAL;
    const bool known = t->dtype == WEFT_F64 || t->dtype == WEFT_F32 || t->dtype == WEFT_F16 || t->dtype == WEFT_BF16 ||
                       !weft_dtype_is_float(t->dtype);
    if (weft_dtype_is_complex(t->dtype) || !known || (is_normal && !weft_dtype_is_float(t->dtype)))
        return weft_report(g->cx, WEFT_D_unsupported, op->loc, "no code can be made for '%s' of '%s' yet",
                           op->name->text, weft_dtype_of(t->dtype)->name);
    if (!im->turn) im->turn = scalar(g, WEFT_UI64, 0);
    drawing d = {
        g, { { im->turn, scalar(g, WEFT_UI64, 0), scalar(g, WEFT_UI64, im->draws++) }, 3 }, t->rank, t->dims
    };
    cg_node *a = cg_of(im, op, 0), *b = cg_of(im, op, 1);
    return cg_set(im, op, 0, is_normal ? normal(&d, t->dtype, a, b) : uniform(&d, t->dtype, a, b));
}
