/* emit_lanes.c: elements of vectors put in another order, as loads and stores of every so many-th element need them.
 *
 * A processor's own gather takes a load for each element. Whole vectors, loaded side by side and put together by
 * shuffles of two at a time, take one load and at most one shuffle for each vector that has some of the elements.
 */
#include <string.h>
#include "codegen/emit.h"

enum { MOST_LANES = 64 };

/* Where each lane comes from: vector source[i], its element[i]. */
typedef struct lanes { unsigned source[MOST_LANES], element[MOST_LANES]; } lanes;

/* What the vectors give, one after another put into what is there already. A complex element is two numbers side by
 * side. */
static LLVMValueRef pick(cg_emit *e, unsigned n, const LLVMValueRef *from, unsigned count, const lanes *at) {
    const unsigned parts = LLVMGetVectorSize(LLVMTypeOf(from[0])) / n;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->cx);
    LLVMValueRef v = NULL, order[2 * MOST_LANES];
    for (unsigned s = 0; s < count; s++) {
        bool any = false;
        for (unsigned i = 0; i < n; i++)
            for (unsigned p = 0; p < parts; p++) {
                const unsigned lane = i * parts + p, taken = (v ? n * parts : 0) + at->element[i] * parts + p;
                any = any || at->source[i] == s;
                order[lane] = at->source[i] == s  ? LLVMConstInt(i32, taken, 0)
                              : at->source[i] < s ? LLVMConstInt(i32, lane, 0)
                                                  : LLVMGetUndef(i32);
            }
        if (!any) continue;
        LLVMValueRef mask = LLVMConstVector(order, n * parts);
        v = v ? LLVMBuildShuffleVector(e->b, v, from[s], mask, "")
              : LLVMBuildShuffleVector(e->b, from[s], LLVMGetUndef(LLVMTypeOf(from[s])), mask, "");
    }
    return v;
}

unsigned cg_every_begins(unsigned n, unsigned step, unsigned *first) {
    const unsigned last = (n - 1) * (step - 1); /* ends with the last element wanted */
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        if (!count || i * step >= first[count - 1] + n) first[count++] = i * step < last ? i * step : last;
    return count;
}

LLVMValueRef cg_every(cg_emit *e, unsigned n, unsigned step, const LLVMValueRef *from) {
    lanes at;
    unsigned first[CG_MOST_STEP], s = 0;
    const unsigned count = cg_every_begins(n, step, first);
    for (unsigned i = 0; i < n; i++) {
        s += i * step >= first[s] + n;
        at.source[i] = s;
        at.element[i] = i * step - first[s];
    }
    return pick(e, n, from, count, &at);
}

LLVMValueRef cg_reversed(cg_emit *e, unsigned n, LLVMValueRef v) {
    lanes at;
    for (unsigned i = 0; i < n; i++) at.source[i] = 0, at.element[i] = n - 1 - i;
    return pick(e, n, &v, 1, &at);
}

LLVMValueRef cg_woven(cg_emit *e, unsigned n, unsigned width, const LLVMValueRef *from, unsigned which) {
    lanes at;
    for (unsigned i = 0; i < n; i++) at.source[i] = (which * n + i) % width, at.element[i] = (which * n + i) / width;
    return pick(e, n, from, width, &at);
}

static LLVMValueRef shuffled(cg_emit *e, LLVMValueRef a, LLVMValueRef b, const unsigned *order, unsigned n) {
    LLVMValueRef mask[2 * MOST_LANES];
    for (unsigned i = 0; i < n; i++) mask[i] = cg_integer(e, 32, 0, order[i]);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(mask, n), "");
}

/* Vectors of equal types, one after another, as one; their number is a power of two. */
static LLVMValueRef appended(cg_emit *e, LLVMValueRef *v, unsigned count) {
    unsigned order[2 * MOST_LANES];
    for (; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++) {
            const unsigned n = 2 * LLVMGetVectorSize(LLVMTypeOf(v[2 * i]));
            for (unsigned k = 0; k < n; k++) order[k] = k;
            v[i] = shuffled(e, v[2 * i], v[2 * i + 1], order, n);
        }
    return v[0];
}

/* Numbers of `bits` of a and b in turn, within each 16 bytes: of their first half, or of the second. */
static LLVMValueRef unpacked(cg_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned all, unsigned bits, unsigned half) {
    unsigned order[2 * MOST_LANES];
    const unsigned n = 128 / bits;
    LLVMTypeRef type = cg_int(e, bits, all);
    for (unsigned i = 0; i < all; i++) order[i] = i / n * n + half * n / 2 + i % n / 2 + (i % 2 ? all : 0);
    return shuffled(e, LLVMBuildBitCast(e->b, a, type, ""), LLVMBuildBitCast(e->b, b, type, ""), order, all);
}

static LLVMValueRef bytes_past(cg_emit *e, LLVMValueRef p, unsigned bytes) {
    LLVMValueRef at = cg_integer(e, 64, 0, bytes);
    return LLVMBuildGEP2(e->b, cg_int(e, 8, 0), p, &at, 1, "");
}

/* The columns in 16 bytes of as many rows as there are columns; row: what lies in them. Each time two rows become one
 * for half of their columns, whose numbers are pairs of theirs. Each 16 bytes of a register do this by themselves,
 * which is the one kind of shuffle that every processor has for every width. */
static void turn_parts(cg_emit *e, unsigned size, unsigned bytes, LLVMValueRef *row) {
    LLVMValueRef next[16];
    const unsigned n = 16 / size;
    for (unsigned columns = 1; columns < n; columns *= 2) { /* that a row has been split into */
        for (unsigned i = 0; i < n / 2; i++) {
            const unsigned pair = i / columns * 2 * columns, c = i % columns, width = size * columns;
            for (unsigned half = 0; half < 2; half++)
                next[pair + 2 * c + half] =
                    unpacked(e, row[pair + c], row[pair + columns + c], bytes / width, 8 * width, half);
        }
        memcpy(row, next, n * sizeof *row);
    }
}

void cg_turn_columns(cg_emit *e, unsigned size, unsigned n, LLVMValueRef from, LLVMValueRef to) {
    const unsigned each = 16 / size, line = n * size, parts = line / 16,
                   most = e->vector_bytes / 16 < parts ? e->vector_bytes / 16 : parts;
    LLVMValueRef row[16], part[4];
    for (unsigned first = 0; first < parts; first += most) {
        for (unsigned r = 0; r < each; r++) {
            for (unsigned i = 0; i < most; i++) {
                LLVMValueRef p = bytes_past(e, from, ((first + i) * each + r) * line);
                part[i] = LLVMBuildLoad2(e->b, cg_int(e, 64, 2), p, "");
                LLVMSetAlignment(part[i], 16);
            }
            row[r] = appended(e, part, most);
        }
        turn_parts(e, size, 16 * most, row);
        for (unsigned r = 0; r < each; r++)
            LLVMSetAlignment(LLVMBuildStore(e->b, row[r], bytes_past(e, to, r * line + first * 16)), 16);
    }
}

LLVMValueRef cg_widened(cg_emit *e, LLVMValueRef v, unsigned times) {
    const unsigned n = LLVMGetVectorSize(LLVMTypeOf(v));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->cx);
    LLVMValueRef order[2 * MOST_LANES];
    for (unsigned i = 0; i < n * times; i++) order[i] = i < n ? LLVMConstInt(i32, i, 0) : LLVMGetUndef(i32);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetUndef(LLVMTypeOf(v)), LLVMConstVector(order, n * times), "");
}

static LLVMValueRef is_phase(cg_emit *e, LLVMValueRef phase, unsigned p) {
    return LLVMBuildICmp(e->b, LLVMIntEQ, phase, cg_integer(e, 64, 0, p), "");
}

LLVMValueRef cg_spaced(cg_emit *e, unsigned n, unsigned step, LLVMValueRef v, LLVMValueRef phase) {
    LLVMValueRef out = NULL;
    for (unsigned p = 0; p < step; p++) {
        lanes at;
        for (unsigned i = 0; i < n; i++) at.source[i] = i % step != p, at.element[i] = i / step;
        LLVMValueRef here = p < n ? pick(e, n, &v, 1, &at) : v;
        out = out ? LLVMBuildSelect(e->b, is_phase(e, phase, p), here, out, "") : here;
    }
    return out;
}

LLVMValueRef cg_spaced_lanes(cg_emit *e, unsigned n, unsigned step, LLVMValueRef phase) {
    LLVMValueRef out = NULL, lane[MOST_LANES];
    for (unsigned p = 0; p < step; p++) {
        for (unsigned i = 0; i < n; i++) lane[i] = cg_integer(e, 1, 0, i % step == p);
        LLVMValueRef here = LLVMConstVector(lane, n);
        out = out ? LLVMBuildSelect(e->b, is_phase(e, phase, p), here, out, "") : here;
    }
    return out;
}
