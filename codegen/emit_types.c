/* emit_types.c: element types in registers and in memory, constants, calls. */
#include <string.h>
#include "codegen/emit.h"

LLVMTypeRef cg_vector(LLVMTypeRef scalar, unsigned lanes) { return lanes ? LLVMVectorType(scalar, lanes) : scalar; }
LLVMTypeRef cg_int(cg_emit *e, unsigned bits, unsigned lanes) {
    return cg_vector(LLVMIntTypeInContext(e->cx, bits), lanes);
}

/* How many vector elements the lanes of a type take: complex ones two each. */
static unsigned elements(weft_dtype t, unsigned lanes) {
    if (!weft_dtype_is_complex(t)) return lanes;
    return lanes ? 2 * lanes : 2;
}

LLVMTypeRef cg_type(cg_emit *e, weft_dtype t, unsigned lanes) {
    if (weft_dtype_is_complex(t)) return cg_type(e, weft_dtype_part(t), elements(t, lanes));
    if (t == WEFT_F64) return cg_vector(LLVMDoubleTypeInContext(e->cx), lanes);
    if (weft_dtype_is_float(t)) return cg_vector(LLVMFloatTypeInContext(e->cx), lanes);
    return cg_int(e, weft_dtype_of(t)->bits, lanes);
}

LLVMTypeRef cg_memory_type(cg_emit *e, weft_dtype t, unsigned lanes) {
    if (t == WEFT_F16) return cg_vector(LLVMHalfTypeInContext(e->cx), lanes);
    if (weft_dtype_of(t)->bits >= 32) return cg_type(e, t, lanes);
    return cg_int(e, 8 * weft_dtype_of(t)->stored_bytes, lanes);
}

/* Integers of less than a byte: what stands above their bits does not count. */
static bool in_byte(weft_dtype t) { return weft_dtype_is_integer(t) && weft_dtype_of(t)->bits < 8; }

LLVMValueRef cg_from_memory(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v) {
    if (t == WEFT_I1) return LLVMBuildICmp(e->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
    if (weft_dtype_is_narrow_float(t)) return cg_narrow_from_memory(e, t, lanes, v);
    return in_byte(t) ? LLVMBuildTrunc(e->b, v, cg_type(e, t, lanes), "") : v;
}

LLVMValueRef cg_to_memory(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v) {
    if (weft_dtype_is_narrow_float(t)) return cg_narrow_to_memory(e, t, lanes, v);
    if (t != WEFT_I1 && !in_byte(t)) return v;
    LLVMTypeRef byte = cg_int(e, 8, lanes);
    return weft_dtype_of(t)->kind == WEFT_KIND_INT ? LLVMBuildSExt(e->b, v, byte, "")
                                                   : LLVMBuildZExt(e->b, v, byte, "");
}

static LLVMValueRef picked(cg_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned n, unsigned first, unsigned step,
                           unsigned period) {
    LLVMValueRef pick[128];
    for (unsigned i = 0; i < n && i < 128; i++)
        pick[i] = cg_integer(e, 32, 0, first + (period ? i % period : i) * step);
    return LLVMBuildShuffleVector(e->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)), LLVMConstVector(pick, n), "");
}

LLVMValueRef cg_spread(cg_emit *e, weft_dtype t, LLVMValueRef v, unsigned lanes) {
    const bool is_vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
    if (!lanes) return v;
    if (weft_dtype_is_complex(t))
        return LLVMGetVectorSize(LLVMTypeOf(v)) == elements(t, lanes) ? v : picked(e, v, NULL, 2 * lanes, 0, 1, 2);
    if (is_vector) return v;
    LLVMTypeRef type = cg_vector(LLVMTypeOf(v), lanes);
    LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetPoison(type), v, cg_integer(e, 64, 0, 0), "");
    return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(type), LLVMConstNull(cg_int(e, 32, lanes)), "");
}

LLVMValueRef cg_lanes(cg_emit *e, weft_dtype t, LLVMValueRef v, unsigned first, unsigned count) {
    if (weft_dtype_is_complex(t)) return picked(e, v, NULL, elements(t, count), 2 * first, 1, 0);
    return count ? picked(e, v, NULL, count, first, 1, 0)
                 : LLVMBuildExtractElement(e->b, v, cg_integer(e, 64, 0, first), "");
}

LLVMValueRef cg_mask(cg_emit *e, weft_dtype t, LLVMValueRef mask) {
    if (!weft_dtype_is_complex(t) || LLVMGetTypeKind(LLVMTypeOf(mask)) != LLVMVectorTypeKind) return mask;
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(mask));
    return cg_join(e, lanes, (cg_pair){ mask, mask });
}

LLVMValueRef cg_every_second(cg_emit *e, weft_dtype t, LLVMValueRef v, unsigned first, unsigned count) {
    if (!weft_dtype_is_complex(t)) return picked(e, v, NULL, count, first, 2, 0);
    return cg_join(e, count,
                   (cg_pair){ picked(e, v, NULL, count, 2 * first, 4, 0),
                              picked(e, v, NULL, count, 2 * first + 1, 4, 0) });
}

cg_pair cg_parts(cg_emit *e, unsigned lanes, LLVMValueRef v) {
    if (lanes) return (cg_pair){ picked(e, v, NULL, lanes, 0, 2, 0), picked(e, v, NULL, lanes, 1, 2, 0) };
    return (cg_pair){ LLVMBuildExtractElement(e->b, v, cg_integer(e, 64, 0, 0), ""),
                      LLVMBuildExtractElement(e->b, v, cg_integer(e, 64, 0, 1), "") };
}

LLVMValueRef cg_join(cg_emit *e, unsigned lanes, cg_pair p) {
    if (!lanes) {
        LLVMValueRef v = LLVMBuildInsertElement(e->b, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(p.re), 2)), p.re,
                                                cg_integer(e, 64, 0, 0), "");
        return LLVMBuildInsertElement(e->b, v, p.im, cg_integer(e, 64, 0, 1), "");
    }
    LLVMValueRef pick[128];
    for (unsigned i = 0; i < 2 * lanes && i < 128; i++) pick[i] = cg_integer(e, 32, 0, i / 2 + (i % 2 ? lanes : 0));
    return LLVMBuildShuffleVector(e->b, p.re, p.im, LLVMConstVector(pick, 2 * lanes), "");
}

static LLVMValueRef spread_const(LLVMValueRef v, unsigned lanes) {
    LLVMValueRef all[64];
    if (!lanes) return v;
    for (unsigned i = 0; i < lanes && i < 64; i++) all[i] = v;
    return LLVMConstVector(all, lanes);
}

LLVMValueRef cg_float(cg_emit *e, weft_dtype t, unsigned lanes, double v) {
    return spread_const(LLVMConstReal(cg_type(e, t, 0), v), lanes);
}
LLVMValueRef cg_integer(cg_emit *e, unsigned bits, unsigned lanes, int64_t v) {
    return spread_const(LLVMConstInt(cg_int(e, bits, 0), (unsigned long long)v, 1), lanes);
}

static LLVMValueRef load_piece(cg_emit *e, weft_dtype t, LLVMTypeRef element, unsigned count, LLVMValueRef p,
                               LLVMValueRef mask) {
    LLVMTypeRef type = cg_vector(element, count), overload[2] = { type, LLVMTypeOf(p) };
    LLVMValueRef args[4] = { p, cg_integer(e, 32, 0, (int64_t)weft_dtype_bytes(t)), mask, LLVMConstNull(type) };
    return cg_intrinsic(e, "llvm.masked.load", overload, 2, args, 4);
}

/* a, of n elements, and after it b, of m <= n. */
static LLVMValueRef appended(cg_emit *e, LLVMValueRef a, unsigned n, LLVMValueRef b, unsigned m) {
    LLVMValueRef pick[128];
    for (unsigned i = 0; i < n && i < 128; i++) pick[i] = cg_integer(e, 32, 0, i < m ? i : 0);
    LLVMValueRef wide =
        n == m ? b : LLVMBuildShuffleVector(e->b, b, LLVMGetPoison(LLVMTypeOf(b)), LLVMConstVector(pick, n), "");
    return picked(e, a, wide, n + m, 0, 1, 0);
}

/* A register at a time: where LLVM 19 splits a load for registers without masks of their own (AVX, AVX2), it reads a
 * register whose lanes are all known to be off, when the mask is a scalar, spread, and a constant: it faults
 * (tests/codegen/test_targets.c). */
LLVMValueRef cg_load_masked(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef p, LLVMValueRef mask) {
    LLVMTypeRef type = cg_memory_type(e, t, lanes), element = LLVMGetElementType(type);
    const unsigned n = LLVMGetVectorSize(type), each = e->vector_bytes * n / (lanes * (unsigned)weft_dtype_bytes(t));
    mask = cg_mask(e, t, mask);
    if (n <= each) return load_piece(e, t, element, n, p, mask);
    LLVMValueRef v = NULL;
    for (unsigned at = 0; at < n; at += each) {
        LLVMValueRef index = cg_integer(e, 64, 0, at), from = LLVMBuildGEP2(e->b, element, p, &index, 1, "");
        LLVMValueRef piece = load_piece(e, t, element, each, from, picked(e, mask, NULL, each, at, 1, 0));
        v = v ? appended(e, v, at, piece, each) : piece;
    }
    return v;
}

/* Complex elements of f32 are fetched as numbers of 64 bits, those of f64 part by part. */
LLVMValueRef cg_gather_lanes(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef p, LLVMValueRef index,
                             LLVMValueRef mask) {
    if (t == WEFT_C128) {
        LLVMValueRef at = LLVMBuildShl(e->b, index, cg_integer(e, 64, lanes, 1), ""),
                     next = LLVMBuildOr(e->b, at, cg_integer(e, 64, lanes, 1), "");
        return cg_join(e, lanes,
                       (cg_pair){ cg_gather_lanes(e, WEFT_F64, lanes, p, at, mask),
                                  cg_gather_lanes(e, WEFT_F64, lanes, p, next, mask) });
    }
    const weft_dtype moved = t == WEFT_C64 ? WEFT_F64 : t;
    LLVMTypeRef type = cg_memory_type(e, moved, lanes);
    LLVMValueRef at = LLVMBuildGEP2(e->b, cg_memory_type(e, moved, 0), p, &index, 1, "");
    LLVMTypeRef overload[2] = { type, LLVMTypeOf(at) };
    LLVMValueRef args[4] = { at, cg_integer(e, 32, 0, (int64_t)weft_dtype_bytes(moved)), mask, LLVMConstNull(type) };
    LLVMValueRef v = cg_intrinsic(e, "llvm.masked.gather", overload, 2, args, 4);
    return t == moved ? v : LLVMBuildBitCast(e->b, v, cg_type(e, t, lanes), "");
}

/* a's and b's elements, one of each in turn, from number `first` on: half of either. */
static LLVMValueRef interleaved(cg_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned n, unsigned parts,
                                unsigned first) {
    LLVMValueRef pick[128];
    for (unsigned i = 0; i < n && (i + 1) * parts <= 128; i++)
        for (unsigned p = 0; p < parts; p++)
            pick[i * parts + p] = cg_integer(e, 32, 0, (i % 2 * n + first + i / 2) * parts + p);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(pick, n * parts), "");
}

/* Rows i and i + n/2 shuffled like cards: after log2 n times each element has changed its two numbers. */
void cg_turn_tile(cg_emit *e, weft_dtype t, unsigned n, LLVMValueRef *row) {
    LLVMValueRef next[64];
    const unsigned parts = elements(t, 1);
    for (unsigned done = 1; done < n; done *= 2) {
        for (unsigned i = 0; i < n / 2; i++) {
            next[2 * i] = interleaved(e, row[i], row[i + n / 2], n, parts, 0);
            next[2 * i + 1] = interleaved(e, row[i], row[i + n / 2], n, parts, n / 2);
        }
        memcpy(row, next, n * sizeof *row);
    }
}

LLVMValueRef cg_splat_bits(cg_emit *e, weft_dtype t, const uint8_t *bytes) {
    uint64_t bits = 0;
    memcpy(&bits, bytes, weft_dtype_bytes(t));
    LLVMValueRef whole = cg_integer(e, 8 * (unsigned)weft_dtype_bytes(t), 0, (int64_t)bits);
    return t == WEFT_F16 ? LLVMConstBitCast(whole, cg_memory_type(e, t, 0)) : whole;
}

/* Through the bits, so that every NaN stays what it is. */
LLVMValueRef cg_splat_const(cg_emit *e, weft_dtype t, const uint8_t *bytes) {
    uint64_t bits = 0;
    if (weft_dtype_is_complex(t)) {
        const weft_dtype part = weft_dtype_part(t);
        LLVMValueRef both[2] = { cg_splat_const(e, part, bytes),
                                 cg_splat_const(e, part, bytes + weft_dtype_bytes(part)) };
        return LLVMConstVector(both, 2);
    }
    memcpy(&bits, bytes, weft_dtype_bytes(t));
    if (t == WEFT_I1) return cg_integer(e, 1, 0, bits != 0);
    if (t == WEFT_F32 || t == WEFT_F64)
        return LLVMConstBitCast(cg_integer(e, weft_dtype_of(t)->bits, 0, (int64_t)bits), cg_type(e, t, 0));
    if (weft_dtype_is_float(t)) return cg_narrow_from_memory(e, t, 0, cg_splat_bits(e, t, bytes));
    return cg_integer(e, weft_dtype_of(t)->bits, 0, (int64_t)bits);
}

LLVMValueRef cg_intrinsic(cg_emit *e, const char *name, LLVMTypeRef *overload, unsigned overloads, LLVMValueRef *args,
                          unsigned n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(e->module, id, overload, overloads);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cx, id, overload, overloads), fn, args, n, "");
}

LLVMValueRef cg_intrinsic1(cg_emit *e, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned n) {
    return cg_intrinsic(e, name, &overload, 1, args, n);
}

LLVMValueRef cg_libm(cg_emit *e, const char *name, const cg_form *f, const LLVMValueRef *a, unsigned n) {
    char symbol[32];
    weft_dtype t = f->out == WEFT_F64 ? WEFT_F64 : WEFT_F32;
    LLVMTypeRef type = cg_type(e, t, 0), types[2] = { type, type };
    size_t length = strlen(name);
    memcpy(symbol, name, length);
    memcpy(symbol + length, t == WEFT_F64 ? "" : "f", t == WEFT_F64 ? 1 : 2);
    LLVMTypeRef fn_type = LLVMFunctionType(type, types, n, 0);
    LLVMValueRef fn = LLVMGetNamedFunction(e->module, symbol);
    if (!fn) fn = LLVMAddFunction(e->module, symbol, fn_type);
    if (!f->lanes) return LLVMBuildCall2(e->b, fn_type, fn, (LLVMValueRef *)a, n, "");
    LLVMValueRef r = LLVMGetPoison(cg_type(e, t, f->lanes));
    for (unsigned i = 0; i < f->lanes; i++) {
        LLVMValueRef at = cg_integer(e, 64, 0, i), one[2];
        for (unsigned k = 0; k < n; k++) one[k] = LLVMBuildExtractElement(e->b, a[k], at, "");
        r = LLVMBuildInsertElement(e->b, r, LLVMBuildCall2(e->b, fn_type, fn, one, n, ""), at, "");
    }
    return r;
}
