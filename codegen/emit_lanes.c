/* emit_lanes.c: elements of vectors put in another order, as loads and stores of every so many-th element need them.
 *
 * A processor's own gather takes a load for each element. Whole vectors, loaded side by side and put together by
 * shuffles of two at a time, take one load and at most one shuffle for each vector that has some of the elements.
 */
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
