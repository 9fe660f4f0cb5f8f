/* local_rfft.c: the last dimension of a transform of real numbers, split: n of them on one side, in parts of one size,
 * and n / 2 + 1 complex numbers on the other, in parts of another (placement.h).
 *
 * To another dimension, where there is one: as in local_fft.c.
 *
 * In columns, of a line or where that sends less: n = A B, and numbers x[p B + i] have the transform
 *
 *     X[k + A l] = sum over i of w_B^(i l) (w_n^(i k) y_k[i]),     y_k[i] = sum over p of w_A^(p k) x[p B + i],
 *
 * the four steps of local_fft.c. As x is real, y_(A-k) is the conjugate of y_k: half of the columns y_k are enough, and
 * have as many bytes as x. And as X[n - K] is the conjugate of X[K], the transform of column k has the results at
 * k + A l and, from its end on, those at (A - k) + A l; only the first half of each is wanted. So there are three
 * exchanges as there, each of half of the bytes: for all p of some i, for all i of some columns, and for all columns of
 * some l. Sorensen, Jones, Heideman and Burrus, Real-valued fast Fourier transform algorithms, IEEE Transactions on
 * Acoustics, Speech, and Signal Processing 35 (1987), leave the same halves out.
 *
 * Columns 0 and A / 2 have no other mirror than themselves. They are real, and go as the real and the imaginary half
 * of one column: (y_0 + y_(A/2)) / 2 and (y_0 - y_(A/2)) / 2, which side by side are a line of 2 B real numbers with
 * the results at all multiples of A / 2 as its transform. If A is odd, there is only column 0. One device has it and
 * transforms it so; the others, which run the same program, do that with what they have in its place, in vain.
 *
 * A is the divisor of n with which a device sends least: 2 P on P devices, where that divides n. Columns, i and l are
 * padded where the devices do not divide them. Parts of x and X begin elsewhere than what devices have in columns; a
 * halo (halo.h) leads from the one to the other.
 *
 * The inverse is all of this from its end to its beginning.
 */
#include "partitioner/lower/halo.h"
#include "partitioner/lower/local_fft.h"
#include "partitioner/lower/rounds.h"

/* Divisors of n up to so many times the devices are tried. */
#define MOST_COLUMNS 16

/* A line in columns, as above. */
typedef struct columns {
    int64_t devices, n, a, b;
    int64_t lines;                          /* columns that go, of which the first may be two */
    int64_t depth;                          /* results that are wanted of a column, and of its mirror */
    int64_t own_p, own_i, own_lines, own_l; /* of a device, with padding; l below depth */
    int64_t real_part, half_part;           /* a device's, of n and of n / 2 + 1 */
    double sent;                            /* real numbers that a device sends */
} columns;

/* --- what it costs ------------------------------------------------------------------------------------------------ */

/* From parts of one size to parts of another. begin: [devices]. */
static weft_halo between_parts(int64_t devices, int64_t from, int64_t to, int64_t size, int64_t *begin) {
    for (int64_t k = 0; k < devices; k++) begin[k] = k * to;
    return (weft_halo){ devices, from, to, begin, 0, size };
}

/* Elements that a device sends; below 0: that takes too many calls. */
static double sent_between(weft_context *cx, int64_t devices, int64_t from, int64_t to, int64_t size) {
    if (from == to) return 0;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    int64_t *begin = weft_scratch_array(cx, int64_t, devices);
    const weft_halo h = begin ? between_parts(devices, from, to, size, begin) : (weft_halo){ 0 };
    const double sent = begin ? (double)weft_halo_sent(cx, &h) : -1;
    weft_arena_reset(&cx->scratch, mark);
    return sent;
}

static columns columns_of(int64_t n, int64_t devices, int64_t a, int64_t b) {
    columns c = { .devices = devices, .n = n, .a = a, .b = b, .lines = (a + 1) / 2, .depth = b / 2 + 1 };
    c.own_p = weft_ceil_div(a, devices);
    c.own_i = weft_ceil_div(b, devices);
    c.own_lines = weft_ceil_div(c.lines, devices);
    c.own_l = weft_ceil_div(c.depth, devices);
    c.real_part = weft_ceil_div(n, devices);
    c.half_part = weft_ceil_div(n / 2 + 1, devices);
    c.sent = (double)(devices - 1) * ((double)c.own_p * (double)c.own_i + 2.0 * (double)c.own_lines * (double)c.own_i +
                                      4.0 * (double)c.own_lines * (double)c.own_l);
    return c;
}

/* Whether a part goes to so many devices, or comes from so many, that a call for each would be too many. */
static bool is_far(int64_t from, int64_t to) {
    return weft_max_i64(from, to) / weft_min_i64(from, to) > WEFT_MAX_ROUNDS + 1;
}

/* Adds to c->sent what it takes to come from the operand's parts and to the result's. False: too many calls. */
static bool add_halos(weft_context *cx, columns *c, weft_enum_value kind) {
    const int64_t p = c->devices, reals = c->own_p * c->b, halves = c->own_l * c->a, size = c->n / 2 + 1;
    const bool inverse = kind == WEFT_fft_type_IRFFT;
    if (is_far(reals, c->real_part) || is_far(halves, c->half_part)) return false;
    const double half = inverse ? sent_between(cx, p, c->half_part, halves, size)
                                : sent_between(cx, p, halves, c->half_part, size);
    if (half < 0) return false;
    const double real = inverse ? sent_between(cx, p, reals, c->real_part, c->n)
                                : sent_between(cx, p, c->real_part, reals, c->n);
    c->sent += real + 2 * half;
    return real >= 0;
}

/* The next divisor of n after a that a line may have as columns; 0: none. */
static int64_t next_divisor(int64_t n, int64_t devices, int64_t a) {
    const int64_t most = weft_min_i64(n / 2, MOST_COLUMNS * devices);
    for (a = weft_max_i64(a + 1, 3); a <= most; a++)
        if (n % a == 0) return a;
    return 0;
}

bool weft_rfft_has_columns(int64_t size, int64_t devices) { return next_divisor(size, devices, 0) > 0; }

/* Takes the columns a of n where they send less than *best; below 0 that has none yet. */
static void compare_columns(weft_context *cx, int64_t n, int64_t devices, int64_t a, weft_enum_value kind,
                            columns *best) {
    columns c = columns_of(n, devices, a, n / a);
    if (best->sent >= 0 && c.sent >= best->sent) return;
    if (add_halos(cx, &c, kind) && (best->sent < 0 || c.sent < best->sent)) *best = c;
}

/* False: there are none. To price a halo takes long on many devices, so the ones that are least without halos come
 * first: few others are left to compare. */
static bool find_columns(weft_context *cx, int64_t n, int64_t devices, weft_enum_value kind, columns *best) {
    int64_t first = next_divisor(n, devices, 0);
    best->sent = -1;
    for (int64_t a = first; a > 0; a = next_divisor(n, devices, a))
        if (columns_of(n, devices, a, n / a).sent < columns_of(n, devices, first, n / first).sent) first = a;
    if (first > 0) compare_columns(cx, n, devices, first, kind, best);
    for (int64_t a = next_divisor(n, devices, 0); a > 0; a = next_divisor(n, devices, a))
        if (a != first) compare_columns(cx, n, devices, a, kind, best);
    return best->sent >= 0;
}

/* How a dimension goes: to another one, or, where that is none (the type's rank), in columns; sent below 0: not. */
typedef struct way { uint32_t other; columns columns; double sent; } way;

static double lines_of(const weft_type *local) {
    return (double)weft_type_elems(local) / (double)local->dims[local->rank - 1];
}

static way way_of(weft_context *cx, const weft_type *local, int64_t n, int64_t devices, weft_enum_value kind) {
    const uint32_t last = local->rank - 1, other = weft_fft_other_dim(local, last, devices);
    const double lines = lines_of(local), widened = other < local->rank ? weft_fft_widened(local, other, devices) : 0,
                 parts = (double)(weft_ceil_div(n, devices) + 2 * weft_ceil_div(n / 2 + 1, devices));
    way w = { .other = other, .sent = -1 };
    if (other < local->rank) w.sent = lines * widened * parts * (double)(devices - 1) / (double)devices;
    if (n > 0 && widened != 1 && find_columns(cx, n, devices, kind, &w.columns) &&
        (w.sent < 0 || lines * w.columns.sent < w.sent)) {
        w.other = local->rank;
        w.sent = lines * w.columns.sent;
    }
    return w;
}

/* Real numbers that a device sends in a gather of the operand's parts. */
static double gathered(const weft_type *local, int64_t n, int64_t devices, weft_enum_value kind) {
    const int64_t part = kind == WEFT_fft_type_RFFT ? weft_ceil_div(n, devices) : 2 * weft_ceil_div(n / 2 + 1, devices);
    return lines_of(local) * (double)(devices - 1) * (double)part;
}

double weft_rfft_sent(weft_context *cx, const weft_op *op, const weft_type *local, int64_t size, int64_t devices) {
    const weft_enum_value kind = weft_op_attr(op, WEFT_A_fft_type)->e;
    const way w = way_of(cx, local, size, devices, kind);
    if (w.sent < 0 || w.sent > gathered(local, size, devices, kind)) return -1;
    return w.sent * (double)weft_dtype_bytes(weft_dtype_part(local->dtype));
}

/* --- small builders ----------------------------------------------------------------------------------------------- */

static weft_value *part_of(weft_localizer *z, weft_op_kind real_or_imag, weft_value *x) {
    return x ? weft_build_1(z->b, real_or_imag,
                            weft_type_with_dtype(z->cx, x->type, weft_dtype_part(x->type->dtype)), &x, 1, NULL, 0)
             : NULL;
}

/* Of real numbers. */
static weft_value *complex_of_real(weft_localizer *z, weft_value *re) {
    return re ? weft_fft_complex(z, re, weft_build_splat(z->b, re->type, 0)) : NULL;
}

static weft_value *conjugate(weft_localizer *z, weft_value *x) {
    return weft_fft_complex(z, part_of(z, WEFT_OP_real, x),
                      weft_build_unary(z->b, WEFT_OP_negate, part_of(z, WEFT_OP_imag, x)));
}

static weft_value *backwards(weft_localizer *z, weft_value *x, uint32_t d) {
    const int64_t dim = d;
    const weft_attr_pair attrs[] = { { WEFT_A_dimensions, weft_attr_ints(z->cx, WEFT_I64, &dim, 1) } };
    return x ? weft_build_1(z->b, WEFT_OP_reverse, x->type, &x, 1, attrs, 1) : NULL;
}

static weft_value *joined(weft_localizer *z, uint32_t d, weft_value *const *v, uint32_t count) {
    return count == 1 ? v[0] : weft_build_concatenate(z->b, v, count, d);
}

static weft_value *swapped(weft_localizer *z, weft_value *x) {
    static const int64_t order[3] = { 0, 2, 1 };
    return weft_local_transposed(z, x, order);
}

/* x [rows, columns, numbers], but y [rows, 1, numbers] as its first column on the device that has column 0. */
static weft_value *with_first(weft_localizer *z, const weft_fft_over *over, weft_value *x, weft_value *y) {
    weft_atoms set = 0;
    if (!x || !y) return NULL;
    for (uint32_t i = 0; i < over->n; i++) set |= (weft_atoms)weft_bit(over->atoms[i]);
    weft_value *mask = weft_local_is_first(z, set);
    mask = mask ? weft_local_broadcast(z, mask, weft_type_with_dtype(z->cx, y->type, WEFT_I1)) : NULL;
    weft_value *first = weft_local_select(z, mask, y, weft_local_cut(z, x, 1, 0, 1));
    if (x->type->dims[1] == 1) return first;
    return joined(z, 1, (weft_value *const[]){ first, weft_local_cut(z, x, 1, 1, x->type->dims[1]) }, 2);
}

/* --- between parts and columns ------------------------------------------------------------------------------------ */

/* x [rows, part], parts of so many elements of `size`, as parts of so many others. */
static weft_value *to_parts(weft_localizer *z, weft_value *x, const weft_fft_over *over, int64_t to, int64_t size) {
    if (!x || x->type->dims[1] == to) return x;
    const weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *begin = weft_scratch_array(z->cx, int64_t, over->devices);
    const weft_halo h =
        begin ? between_parts(over->devices, x->type->dims[1], to, size, begin) : (weft_halo){ 0 };
    x = begin ? weft_halo_fetch(z, x, 1, over->atoms, over->n, &h) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return x;
}

static weft_value *shaped(weft_localizer *z, weft_value *x, int64_t a, int64_t b, int64_t c) {
    const int64_t dims[3] = { a, b, c };
    return weft_local_reshaped(z, x, 3, dims);
}

static weft_value *shaped_2(weft_localizer *z, weft_value *x, int64_t a, int64_t b) {
    const int64_t dims[2] = { a, b };
    return weft_local_reshaped(z, x, 2, dims);
}

static weft_value *shaped_4(weft_localizer *z, weft_value *x, int64_t a, int64_t b, int64_t c, int64_t d) {
    const int64_t dims[4] = { a, b, c, d };
    return weft_local_reshaped(z, x, 4, dims);
}

/* Columns y [rows, i, 0 .. a / 2] as those that go: 0 and a / 2, both real, as one. */
static weft_value *packed(weft_localizer *z, const columns *c, weft_value *y) {
    if (c->a % 2) return y;
    weft_value *even = part_of(z, WEFT_OP_real, weft_local_cut(z, y, 2, 0, 1)),
               *odd = part_of(z, WEFT_OP_real, weft_local_cut(z, y, 2, c->a / 2, c->a / 2 + 1)),
               *half = even ? weft_build_splat(z->b, even->type, 0.5) : NULL;
    weft_value *low = weft_build_binary(z->b, WEFT_OP_multiply, weft_build_binary(z->b, WEFT_OP_add, even, odd), half),
               *high = weft_build_binary(z->b, WEFT_OP_multiply, weft_build_binary(z->b, WEFT_OP_subtract, even, odd),
                                         half);
    weft_value *const lines[] = { weft_fft_complex(z, low, high), weft_local_cut(z, y, 2, 1, c->lines) };
    return joined(z, 2, lines, 2);
}

/* The same back. */
static weft_value *unpacked(weft_localizer *z, const columns *c, weft_value *y) {
    weft_value *first = weft_local_cut(z, y, 2, 0, 1), *low = part_of(z, WEFT_OP_real, first);
    weft_value *const rest = weft_local_cut(z, y, 2, 1, c->lines);
    if (c->a % 2) return joined(z, 2, (weft_value *const[]){ complex_of_real(z, low), rest }, 2);
    weft_value *high = part_of(z, WEFT_OP_imag, first);
    weft_value *const lines[] = { complex_of_real(z, weft_build_binary(z->b, WEFT_OP_add, low, high)), rest,
                                  complex_of_real(z, weft_build_binary(z->b, WEFT_OP_subtract, low, high)) };
    return joined(z, 2, lines, 3);
}

/* x [rows, 2, lines, l], the two wings of the results: of column k those at k + a l and those at (a - k) + a l; of
 * column 0 those at a l and at a / 2 + a l. In their order: [rows, l a]. */
static weft_value *in_order(weft_localizer *z, const columns *c, weft_value *x) {
    if (!x) return NULL;
    const int64_t rows = x->type->dims[0], lines = x->type->dims[2], l = x->type->dims[3];
    weft_value *up = shaped(z, weft_local_cut(z, x, 1, 0, 1), rows, lines, l),
               *down = shaped(z, weft_local_cut(z, x, 1, 1, 2), rows, lines, l);
    weft_value *all[3] = { weft_local_cut(z, up, 1, 0, c->lines) };
    uint32_t n = 1;
    if (c->a % 2 == 0) all[n++] = weft_local_cut(z, down, 1, 0, 1);
    all[n++] = backwards(z, weft_local_cut(z, down, 1, 1, c->lines), 1);
    return shaped_2(z, swapped(z, joined(z, 1, all, n)), rows, l * c->a);
}

/* The same back. Odd a has nothing at a / 2; any numbers stand there. */
static weft_value *in_wings(weft_localizer *z, const columns *c, weft_value *x) {
    if (!x) return NULL;
    const int64_t rows = x->type->dims[0], l = x->type->dims[1] / c->a, mirrored = c->a % 2 ? c->lines : c->lines + 1;
    x = swapped(z, shaped(z, x, rows, l, c->a));
    weft_value *const down[] = { weft_local_cut(z, x, 1, c->a / 2, c->a / 2 + 1),
                                 backwards(z, weft_local_cut(z, x, 1, mirrored, c->a), 1) };
    weft_value *const wings[] = { shaped_4(z, weft_local_cut(z, x, 1, 0, c->lines), rows, 1, c->lines, l),
                                  shaped_4(z, joined(z, 1, down, 2), rows, 1, c->lines, l) };
    return joined(z, 1, wings, 2);
}

/* --- the two ways in columns -------------------------------------------------------------------------------------- */

/* Column 0, s [rows, 1, b], as the wings of its results; of odd a both are the same. */
static weft_value *first_wings(weft_localizer *z, const columns *c, weft_value *s, weft_value **down) {
    if (!s) return NULL;
    const int64_t rows = s->type->dims[0], even = c->a % 2 ? 1 : 2;
    weft_value *const halves[] = { part_of(z, WEFT_OP_real, s), part_of(z, WEFT_OP_imag, s) };
    weft_value *x = joined(z, 2, halves, (uint32_t)even);
    x = weft_fft_lines(z, x, WEFT_fft_type_RFFT, even * c->b, s->type->dtype);
    x = shaped(z, weft_local_pad_to(z, x, 2, even * c->depth), rows, c->depth, even);
    *down = shaped(z, weft_local_cut(z, x, 2, even - 1, even), rows, 1, c->depth);
    return shaped(z, weft_local_cut(z, x, 2, 0, 1), rows, 1, c->depth);
}

/* The same back. */
static weft_value *first_column(weft_localizer *z, const columns *c, weft_value *up, weft_value *down) {
    if (!up || !down) return NULL;
    const int64_t rows = up->type->dims[0], even = c->a % 2 ? 1 : 2;
    weft_value *const pair[] = { shaped(z, up, rows, c->depth, 1), shaped(z, down, rows, c->depth, 1) };
    weft_value *x = shaped(z, joined(z, 2, pair, (uint32_t)even), rows, 1, even * c->depth);
    x = weft_local_trim_to(z, x, 2, even * c->b / 2 + 1);
    x = x ? weft_fft_lines(z, x, WEFT_fft_type_IRFFT, even * c->b, weft_dtype_part(x->type->dtype)) : NULL;
    return even == 1 ? complex_of_real(z, x)
                     : weft_fft_complex(z, weft_local_cut(z, x, 2, 0, c->b), weft_local_cut(z, x, 2, c->b, 2 * c->b));
}

/* Real numbers x [rows, part] to half of their transform. */
static weft_value *to_halves(weft_localizer *z, const weft_op *op, weft_value *x, const weft_fft_over *over,
                             const columns *c) {
    if (!x) return NULL;
    const int64_t rows = x->type->dims[0], size = c->own_p * c->b;
    const weft_dtype dtype = op->results[0].type->dtype;
    x = shaped(z, to_parts(z, x, over, size, c->n), rows, c->own_p, c->b);
    x = swapped(z, weft_fft_exchange(z, x, over, 1, 2, c->a));                  /* [rows, some i, p] */
    x = packed(z, c, weft_fft_lines(z, x, WEFT_fft_type_RFFT, c->a, dtype));    /* [rows, some i, k] */
    x = weft_build_binary(z->b, WEFT_OP_multiply, x, weft_fft_twiddles(z, op, x, over, c->n));
    x = swapped(z, weft_fft_exchange(z, x, over, 1, 2, c->b));                  /* [rows, own k, i] */
    weft_value *down_0 = NULL, *up_0 = first_wings(z, c, weft_local_cut(z, x, 1, 0, 1), &down_0);
    x = weft_fft_lines(z, x, WEFT_fft_type_FFT, c->b, dtype);                   /* [rows, own k, l] */
    weft_value *up = with_first(z, over, weft_local_cut(z, x, 2, 0, c->depth), up_0),
               *down = conjugate(z, weft_local_cut(z, backwards(z, x, 2), 2, 0, c->depth));
    down = with_first(z, over, down, down_0);
    weft_value *const wings[] = { shaped_4(z, up, rows, 1, c->own_lines, c->depth),
                                  shaped_4(z, down, rows, 1, c->own_lines, c->depth) };
    x = weft_fft_exchange(z, joined(z, 1, wings, 2), over, 2, 3, c->lines);     /* [rows, 2, k, some l] */
    return to_parts(z, in_order(z, c, x), over, c->half_part, c->n / 2 + 1);
}

/* Half of a transform, x [rows, part], to real numbers. */
static weft_value *to_reals(weft_localizer *z, const weft_op *op, weft_value *x, const weft_fft_over *over,
                            const columns *c) {
    if (!x) return NULL;
    const int64_t rows = x->type->dims[0], upper = c->b - c->b / 2;
    const weft_dtype dtype = op->results[0].type->dtype;
    x = in_wings(z, c, to_parts(z, x, over, c->own_l * c->a, c->n / 2 + 1));    /* [rows, 2, k, some l] */
    x = weft_fft_exchange(z, x, over, 3, 2, c->depth);                          /* [rows, 2, own k, l] */
    weft_value *up = shaped(z, weft_local_cut(z, x, 1, 0, 1), rows, c->own_lines, c->depth),
               *down = shaped(z, weft_local_cut(z, x, 1, 1, 2), rows, c->own_lines, c->depth);
    weft_value *const first = first_column(z, c, weft_local_cut(z, up, 1, 0, 1), weft_local_cut(z, down, 1, 0, 1));
    weft_value *const line[] = { weft_local_cut(z, up, 2, 0, upper),
                                 conjugate(z, backwards(z, weft_local_cut(z, down, 2, 0, c->b - upper), 2)) };
    x = joined(z, 2, line, 2);
    x = x ? weft_fft_lines(z, x, WEFT_fft_type_IFFT, c->b, x->type->dtype) : NULL; /* [rows, own k, i] */
    x = swapped(z, with_first(z, over, x, first));
    x = weft_fft_exchange(z, x, over, 2, 1, c->lines);                          /* [rows, some i, k] */
    x = weft_build_binary(z->b, WEFT_OP_multiply, x, weft_fft_twiddles(z, op, x, over, c->n));
    x = weft_fft_lines(z, unpacked(z, c, x), WEFT_fft_type_IRFFT, c->a, dtype); /* [rows, some i, p] */
    x = weft_fft_exchange(z, swapped(z, x), over, 2, 1, c->b);                  /* [rows, own p, i] */
    return to_parts(z, shaped_2(z, x, rows, c->own_p * c->b), over, c->real_part, c->n);
}

weft_value *weft_rfft_parts(weft_localizer *z, const weft_op *op, weft_value *x, const weft_fft_over *over,
                            int64_t size) {
    if (!x) return NULL;
    const weft_enum_value kind = weft_op_attr(op, WEFT_A_fft_type)->e;
    const weft_type *type = x->type;
    const uint32_t last = type->rank - 1;
    const way w = way_of(z->cx, type, size, over->devices, kind);
    const weft_dtype dtype = op->results[0].type->dtype;
    if (w.sent < 0) return NULL;
    if (w.other < type->rank) {
        x = weft_fft_exchange(z, x, over, last, w.other, kind == WEFT_fft_type_RFFT ? size : size / 2 + 1);
        return weft_fft_exchange(z, weft_fft_lines(z, x, kind, size, dtype), over, w.other, last, type->dims[w.other]);
    }
    x = shaped_2(z, x, weft_type_elems(type) / type->dims[last], type->dims[last]);
    x = kind == WEFT_fft_type_RFFT ? to_halves(z, op, x, over, &w.columns) : to_reals(z, op, x, over, &w.columns);
    if (!x) return NULL;
    const weft_type *to = weft_type_with_dim(z->cx, type, last, x->type->dims[1]);
    return to ? weft_local_reshaped(z, x, to->rank, to->dims) : NULL;
}
