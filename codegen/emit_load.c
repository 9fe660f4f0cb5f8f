/* emit_load.c: indices of a kernel, and what it loads: whole vectors, every so many-th element, scattered ones,
 * scalars. */
#include "codegen/emit_kernel.h"

/* ix without its lanes: a scalar. */
LLVMValueRef cg_scalar_index(cg_emitter *t, const cg_ix *x, bool with_sym) {
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef sum = i64(t, x->c);
    for (uint32_t v = 0; v < top(t); v++) {
        if (!x->k[v]) continue;
        LLVMValueRef term = x->k[v] == 1 ? t->var[v] : LLVMBuildMul(b, t->var[v], i64(t, x->k[v]), "");
        sum = LLVMBuildAdd(b, sum, term, "");
    }
    if (with_sym && x->sym != CG_NONE && !is_vector(t->value[x->sym])) sum = LLVMBuildAdd(b, sum, t->value[x->sym], "");
    return sum;
}

/* 0, 1, 2 ... times step. */
static LLVMValueRef ramp(cg_emitter *t, unsigned bits, int64_t step) {
    LLVMValueRef lane[CG_MAX_LANES];
    for (unsigned i = 0; i < t->lanes; i++) lane[i] = cg_integer(t->e, bits, 0, (int64_t)i * step);
    return LLVMConstVector(lane, t->lanes);
}

/* ix of every lane, bits wide. */
static LLVMValueRef vector_index(cg_emitter *t, const cg_ix *x, unsigned bits) {
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef base = cg_scalar_index(t, x, true);
    if (bits != 64) base = LLVMBuildTrunc(b, base, cg_int(t->e, bits, 0), "");
    LLVMValueRef v = LLVMBuildAdd(b, cg_spread(t->e, WEFT_I64, base, t->lanes), ramp(t, bits, x->k[top(t) - 1]), "");
    if (x->sym != CG_NONE && is_vector(t->value[x->sym]))
        v = LLVMBuildAdd(b, v, LLVMBuildTrunc(b, t->value[x->sym], cg_int(t->e, bits, t->lanes), ""), "");
    return v;
}

LLVMValueRef cg_index_value(cg_emitter *t, const cg_ins *i) {
    const unsigned bits = i->dtype == WEFT_I32 ? 32 : 64;
    if (per_lane(t, i->level)) return vector_index(t, &i->ix, bits);
    LLVMValueRef v = cg_scalar_index(t, &i->ix, true);
    return bits == 64 ? v : LLVMBuildTrunc(t->e->b, v, cg_int(t->e, bits, 0), "");
}

/* The first lane at which step divides x, which moves by 1 from lane to lane; *quotient: by how much. */
static LLVMValueRef first_multiple(cg_emitter *t, const cg_ix *x, int64_t step, LLVMValueRef *quotient) {
    LLVMBuilderRef b = t->e->b;
    int64_t least = x->c;
    for (uint32_t v = 0; v < top(t); v++) least += x->k[v] < 0 ? x->k[v] * (t->k->extent[v] - 1) : 0;
    const int64_t steps = least < 0 ? -(least / step) + 1 : 0; /* that leave nothing negative */
    LLVMValueRef at = LLVMBuildAdd(b, cg_scalar_index(t, x, false), i64(t, steps * step), "");
    LLVMValueRef q = LLVMBuildUDiv(b, LLVMBuildAdd(b, at, i64(t, step - 1), ""), i64(t, step), "");
    *quotient = LLVMBuildSub(b, q, i64(t, steps), "");
    return LLVMBuildSub(b, LLVMBuildMul(b, q, i64(t, step), ""), at, "");
}

static bool moves_by_one(const cg_emitter *t, const cg_ix *x) { return x->sym == CG_NONE && x->k[top(t) - 1] == 1; }

LLVMValueRef cg_range_value(cg_emitter *t, const cg_ins *i) {
    LLVMBuilderRef b = t->e->b;
    const unsigned lanes = per_lane(t, i->level) ? t->lanes : 0;
    LLVMValueRef quotient;
    if (lanes && i->kind == CG_I_MULTIPLE && i->lo <= CG_MOST_STEP && moves_by_one(t, &i->ix))
        return cg_spaced_lanes(t->e, lanes, (unsigned)i->lo, first_multiple(t, &i->ix, i->lo, &quotient));
    LLVMValueRef x = lanes ? vector_index(t, &i->ix, 64) : cg_scalar_index(t, &i->ix, true);
    if (i->kind == CG_I_MULTIPLE) {
        LLVMValueRef rest = LLVMBuildSRem(b, x, cg_integer(t->e, 64, lanes, i->lo), "");
        return LLVMBuildICmp(b, LLVMIntEQ, rest, LLVMConstNull(LLVMTypeOf(x)), "");
    }
    LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLT, x, cg_integer(t->e, 64, lanes, i->hi), "");
    if (i->lo == INT64_MIN) return below;
    return LLVMBuildAnd(b, below, LLVMBuildICmp(b, LLVMIntSGE, x, cg_integer(t->e, 64, lanes, i->lo), ""), "");
}

LLVMValueRef cg_element_pointer(cg_emitter *t, uint32_t param, LLVMValueRef index) {
    LLVMTypeRef type = cg_memory_type(t->e, (weft_dtype)t->k->params[param]->dtype, 0);
    return LLVMBuildGEP2(t->e->b, type, t->pointer[param], &index, 1, "");
}

/* `at`, or 0 where none of the lanes from there on is an element of param. A lane that is masked off is not read, but
 * the processor looks up its page: where nothing is mapped, or nobody wrote yet, that takes it some hundred cycles each
 * time. */
LLVMValueRef cg_kept_inside(cg_emitter *t, uint32_t param, LLVMValueRef at) {
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef past = LLVMBuildAdd(b, at, i64(t, (int64_t)t->lanes - 1), "");
    LLVMValueRef inside =
        LLVMBuildICmp(b, LLVMIntULT, past, i64(t, t->k->params[param]->elems + (int64_t)t->lanes - 1), "");
    return LLVMBuildSelect(b, inside, at, i64(t, 0), "");
}

/* A vector of param's elements at p, which need not lie in param. */
static LLVMValueRef load_row(cg_emitter *t, uint32_t param, LLVMValueRef p) {
    LLVMValueRef v = LLVMBuildLoad2(t->e->b, cg_memory_type(t->e, param_type(t, param), t->lanes), p, "");
    LLVMSetAlignment(v, element_bytes(t, param));
    return v;
}

LLVMValueRef cg_load_contiguous(cg_emitter *t, uint32_t param, LLVMValueRef at, LLVMValueRef mask) {
    LLVMValueRef p = cg_element_pointer(t, param, at);
    return mask ? cg_load_masked(t->e, param_type(t, param), t->lanes, p, mask) : load_row(t, param, p);
}

/* Places of lanes, one after another. Volatile, or LLVM would take the lanes out of the register after all; by 32 bytes
 * at most, since what is stored by more comes late to loads of a part of it (a Xeon took 1.35 times as long). */
static LLVMValueRef passed_in_memory(cg_emitter *t, LLVMValueRef v) {
    LLVMValueRef p = cg_alloca_at_entry(t, LLVMTypeOf(v));
    const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
    const unsigned most = 8 * 32 / bits, n = most < t->lanes ? most : t->lanes;
    for (unsigned first = 0; first < t->lanes; first += n) {
        LLVMValueRef at = i64(t, first), piece = n == t->lanes ? v : cg_lanes(t->e, WEFT_I64, v, first, n),
                     to = LLVMBuildGEP2(t->e->b, cg_int(t->e, bits, 0), p, &at, 1, "");
        LLVMSetVolatile(LLVMBuildStore(t->e->b, piece, to), 1);
    }
    return p;
}
static LLVMValueRef passed_lane(cg_emitter *t, LLVMValueRef p, unsigned bits, unsigned lane) {
    LLVMTypeRef type = cg_int(t->e, bits, 0);
    LLVMValueRef at = i64(t, lane), v = LLVMBuildLoad2(t->e->b, type, LLVMBuildGEP2(t->e->b, type, p, &at, 1, ""), "");
    LLVMSetVolatile(v, 1);
    return bits == 64 ? v : LLVMBuildZExt(t->e->b, v, cg_int(t->e, 64, 0), "");
}

/* Every lane by a load of its own: a Xeon takes half the time of its gather instructions for that. Places that are
 * computed pass through memory: out of a register each would take two instructions. */
static LLVMValueRef load_each(cg_emitter *t, const cg_ins *i, bool computed) {
    const weft_dtype type = param_type(t, i->param), part = type == WEFT_C64 ? WEFT_F64 : weft_dtype_part(type);
    const unsigned parts = type == WEFT_C128 ? 2 : 1;
    LLVMBuilderRef b = t->e->b;
    LLVMTypeRef element = cg_memory_type(t->e, part, 0);
    const unsigned bits = t->k->params[i->param]->elems <= INT32_MAX ? 32 : 64;
    LLVMValueRef places = NULL, first = NULL, all = LLVMGetPoison(cg_memory_type(t->e, part, t->lanes * parts));
    if (!computed) first = cg_scalar_index(t, &i->ix, true);
    else places = passed_in_memory(t, vector_index(t, &i->ix, bits));
    for (unsigned lane = 0; lane < t->lanes; lane++) {
        LLVMValueRef at = computed ? passed_lane(t, places, bits, lane)
                                   : LLVMBuildAdd(b, first, i64(t, lane * i->ix.k[top(t) - 1]), "");
        LLVMValueRef p = cg_element_pointer(t, i->param, at);
        for (unsigned k = 0; k < parts; k++) {
            LLVMValueRef past = i64(t, k), from = LLVMBuildGEP2(b, element, p, &past, 1, ""),
                         v = LLVMBuildLoad2(b, element, from, "");
            LLVMSetAlignment(v, (unsigned)weft_dtype_bytes(part));
            all = LLVMBuildInsertElement(b, all, v, i64(t, lane * parts + k), "");
        }
    }
    return type == WEFT_C64 ? LLVMBuildBitCast(b, all, cg_type(t->e, type, t->lanes), "") : all;
}

static LLVMValueRef load_scattered(cg_emitter *t, uint32_t param, LLVMValueRef index, LLVMValueRef mask) {
    if (!mask) mask = cg_integer(t->e, 1, t->lanes, 1);
    return cg_gather_lanes(t->e, param_type(t, param), t->lanes, t->pointer[param], index, mask);
}

/* Elements at, at + step and so on, all of which lie in param: by whole vectors, without one that is not in between.
 * Backwards they are loaded forwards and turned round. */
static LLVMValueRef load_every(cg_emitter *t, uint32_t param, LLVMValueRef at, int64_t step) {
    LLVMBuilderRef b = t->e->b;
    const int64_t n = t->lanes;
    LLVMValueRef from[CG_MOST_STEP];
    unsigned first[CG_MOST_STEP];
    if (step < 0)
        return cg_reversed(t->e, t->lanes,
                           load_every(t, param, LLVMBuildAdd(b, at, i64(t, (n - 1) * step), ""), -step));
    if (step == 1) return load_row(t, param, cg_element_pointer(t, param, at));
    const unsigned count = cg_every_begins(t->lanes, (unsigned)step, first);
    for (unsigned i = 0; i < count; i++)
        from[i] = load_row(t, param, cg_element_pointer(t, param, LLVMBuildAdd(b, at, i64(t, first[i]), "")));
    return cg_every(t->e, t->lanes, (unsigned)step, from);
}

/* A mask of the first n lanes; NULL: that is all. */
LLVMValueRef cg_first_lanes(cg_emitter *t, int64_t n) {
    LLVMValueRef in[CG_MAX_LANES];
    for (unsigned i = 0; i < t->lanes; i++) in[i] = cg_integer(t->e, 1, 0, i < n);
    return n < t->lanes ? LLVMConstVector(in, t->lanes) : NULL;
}

/* Neighbours in memory, on lanes that are `step` apart. What lies outside of param belongs to no lane that anybody
 * looks at. */
static LLVMValueRef load_spaced(cg_emitter *t, const cg_ins *i, cg_spacing *s) {
    LLVMBuilderRef b = t->e->b;
    const unsigned step = (unsigned)s->step, used = (t->lanes + step - 1) / step;
    LLVMValueRef quotient, phase = first_multiple(t, s->x, s->step, &quotient),
                           at = LLVMBuildAdd(b, cg_scalar_index(t, &i->ix, false), quotient, "");
    for (uint32_t k = 0; k < s->shared_count; k++) at = LLVMBuildAdd(b, at, t->value[s->shared[k]], "");
    if (!t->mask && t->lanes % step == 0 && used > 1 && t->k->params[i->param]->elems >= used &&
        cg_kernel_all_spaced(t->k, i->a[0], t->known, s)) {
        for (uint32_t k = 0; k < s->guard_count; k++) at = LLVMBuildSelect(b, t->value[s->guard[k]], at, i64(t, 0), "");
        LLVMValueRef v = LLVMBuildLoad2(b, cg_memory_type(t->e, param_type(t, i->param), used),
                                        cg_element_pointer(t, i->param, at), "");
        LLVMSetAlignment(v, element_bytes(t, i->param));
        return cg_spaced(t->e, t->lanes, step, cg_widened(t->e, v, step), phase);
    }
    LLVMValueRef each = LLVMBuildAdd(b, cg_spread(t->e, WEFT_I64, at, t->lanes), ramp(t, 64, 1), "");
    LLVMValueRef inside =
        LLVMBuildICmp(b, LLVMIntULT, each, cg_integer(t->e, 64, t->lanes, t->k->params[i->param]->elems), "");
    if (used < t->lanes) inside = LLVMBuildAnd(b, inside, cg_first_lanes(t, used), "");
    return cg_spaced(t->e, t->lanes, step, cg_load_contiguous(t, i->param, cg_kept_inside(t, i->param, at), inside),
                     phase);
}

LLVMValueRef cg_load_scalar(cg_emitter *t, uint32_t param, LLVMValueRef at, LLVMValueRef guard) {
    if (guard) at = LLVMBuildSelect(t->e->b, guard, at, i64(t, 0), "");
    LLVMValueRef v = LLVMBuildLoad2(t->e->b, cg_memory_type(t->e, (weft_dtype)t->k->params[param]->dtype, 0),
                                    cg_element_pointer(t, param, at), "");
    LLVMSetAlignment(v, element_bytes(t, param));
    return v;
}

/* In memory's form. */
static LLVMValueRef load_value(cg_emitter *t, const cg_ins *i) {
    const weft_dtype type = (weft_dtype)i->dtype;
    const int8_t when = i->a[0] == CG_NONE ? CG_ALWAYS : t->known[i->a[0]];
    LLVMValueRef guard = when == CG_ALWAYS ? NULL : t->value[i->a[0]];
    if (t->tile[i - t->k->ins])
        return load_row(t, i->param, t->tile[i - t->k->ins]);
    if (when == CG_NEVER) return LLVMConstNull(cg_memory_type(t->e, type, per_lane(t, i->level) ? t->lanes : 0));
    if (!per_lane(t, i->level))
        return cg_load_scalar(t, i->param, cg_scalar_index(t, &i->ix, true), guard);
    const bool computed = i->ix.sym != CG_NONE && is_vector(t->value[i->ix.sym]);
    /* all lanes or none */
    const bool together = guard && !is_vector(guard) && !t->mask && t->k->params[i->param]->elems >= (int64_t)t->lanes;
    const int64_t step = i->ix.k[top(t) - 1];
    cg_spacing spacing;
    LLVMValueRef v, mask = together ? NULL : both_masks(t, guard, t->mask);
    if (computed && t->lanes > 1 && cg_kernel_spaced(t->k, i, &spacing) && spacing.step <= CG_MOST_STEP)
        v = load_spaced(t, i, &spacing);
    else if (!computed && step == 1) {
        LLVMValueRef at = cg_scalar_index(t, &i->ix, true);
        if (together) at = LLVMBuildSelect(t->e->b, guard, at, i64(t, 0), "");
        else if (guard) at = cg_kept_inside(t, i->param, at);
        v = cg_load_contiguous(t, i->param, at, mask);
    } else if (!computed && !guard && !mask && t->lanes > 1 && step && step <= CG_MOST_STEP && step >= -CG_MOST_STEP)
        v = load_every(t, i->param, cg_scalar_index(t, &i->ix, true), step);
    else if (!guard && !mask && t->lanes > 1) v = load_each(t, i, computed);
    else v = load_scattered(t, i->param, vector_index(t, &i->ix, 64), both_masks(t, guard, t->mask));
    return v;
}

LLVMValueRef cg_load_value(cg_emitter *t, const cg_ins *i) {
    LLVMValueRef v = load_value(t, i);
    if (t->bits[i - t->k->ins]) return v;
    return cg_from_memory(t->e, (weft_dtype)i->dtype, per_lane(t, i->level) ? t->lanes : 0, v);
}
