/* emit_kernel.c: the loops of a kernel.
 *
 *   for outer variables                    values of level <= inner, loads and arithmetic on scalars
 *     for each phase
 *       values per row that are now known
 *       for inner variables, the last in vectors of `lanes`, the rest of the row masked
 *         loads, arithmetic, folds into accumulators, stores
 *       accumulators to one value, per-row stores
 *
 * Nothing is said to LLVM about aliasing: a result may live in the memory of an argument (fusion has seen to it that
 * each element is then read before it is written). Values are hoisted here, by level, and not left to LLVM.
 */
#include <stddef.h>
#include "codegen/emit_kernel.h"
#include "exec/step.h"

/* The operand that a selection gives in this piece, or CG_NONE: both may be wanted. */
static uint32_t chosen(const cg_emitter *t, const cg_ins *i) {
    if (i->kind != CG_I_SCALAR || i->op != CG_OP_select || t->known[i->a[0]] == CG_UNKNOWN) return CG_NONE;
    return i->a[t->known[i->a[0]] == CG_ALWAYS ? 1 : 2];
}

static LLVMValueRef scalar_value(cg_emitter *t, const cg_ins *i) {
    LLVMValueRef a[3] = { 0 };
    if (chosen(t, i) != CG_NONE) return t->value[chosen(t, i)];
    cg_form f = { .in = (weft_dtype)t->k->ins[i->a[i->op == CG_OP_select ? 1 : 0]].dtype, .out = (weft_dtype)i->dtype,
                  .aux = i->aux };
    f.lanes = per_lane(t, i->level) ? t->lanes : 0;
    for (int k = 0; k < 3 && i->a[k] != CG_NONE; k++)
        a[k] = cg_spread(t->e, (weft_dtype)t->k->ins[i->a[k]].dtype, t->value[i->a[k]], f.lanes);
    return cg_emit_op(t->e, (cg_op)i->op, &f, a);
}

/* A field of weft_run_env, an int64_t. */
static LLVMValueRef env_number(cg_emitter *t, size_t offset) {
    LLVMValueRef at = i64(t, (int64_t)offset);
    return LLVMBuildLoad2(t->e->b, cg_int(t->e, 64, 0),
                          LLVMBuildGEP2(t->e->b, cg_int(t->e, 8, 0), t->env, &at, 1, ""), "");
}

static LLVMValueRef device_value(cg_emitter *t, const cg_ins *i) {
    LLVMValueRef v = env_number(t, i->aux ? offsetof(weft_run_env, replica_id) : offsetof(weft_run_env, partition_id));
    const unsigned bits = weft_dtype_of((weft_dtype)i->dtype)->bits;
    return bits == 64 ? v : LLVMBuildTrunc(t->e->b, v, cg_int(t->e, bits, 0), "");
}

static LLVMValueRef splat_value(cg_emitter *t, const cg_ins *i) {
    if (t->bits[i - t->k->ins]) return cg_splat_bits(t->e, (weft_dtype)i->dtype, i->splat);
    return cg_splat_const(t->e, (weft_dtype)i->dtype, i->splat);
}
static LLVMValueRef reduced_value(cg_emitter *t, const cg_ins *i) { return t->folded[i->param][i->aux]; }

static void compute(cg_emitter *t, uint32_t id) {
    static LLVMValueRef (*const of_kind[])(cg_emitter *, const cg_ins *) = {
        [CG_I_SPLAT] = splat_value,     [CG_I_INDEX] = cg_index_value,   [CG_I_RANGE] = cg_range_value,
        [CG_I_MULTIPLE] = cg_range_value,  [CG_I_LOAD] = cg_load_value,     [CG_I_SCALAR] = scalar_value,
        [CG_I_REDUCED] = reduced_value, [CG_I_DEVICE] = device_value,
    };
    const cg_ins *i = &t->k->ins[id];
    t->value[id] = t->known[id] == CG_UNKNOWN ? of_kind[i->kind](t, i) : cg_integer(t->e, 1, 0, t->known[id]);
}

/* Everything of one level, known before or in this phase. */
void cg_compute_level(cg_emitter *t, uint32_t level, uint32_t ready) {
    for (uint32_t i = 0; i < t->k->ins_count; i++)
        if (t->k->ins[i].level == level && t->k->ins[i].ready == ready) compute(t, i);
}

/* Loops: do { } while (++v < n); n is known and positive. */
static LLVMBasicBlockRef new_block(cg_emitter *t) { return LLVMAppendBasicBlockInContext(t->e->cx, t->fn, ""); }

cg_loop cg_loop_between(cg_emitter *t, LLVMValueRef begin, LLVMValueRef end, int64_t step) {
    LLVMBuilderRef b = t->e->b;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b);
    cg_loop l = { new_block(t), NULL, end, step };
    LLVMBuildBr(b, l.head);
    LLVMPositionBuilderAtEnd(b, l.head);
    l.iv = LLVMBuildPhi(b, cg_int(t->e, 64, 0), "");
    LLVMAddIncoming(l.iv, &begin, &from, 1);
    return l;
}

cg_loop cg_loop_begin(cg_emitter *t, int64_t begin, int64_t end, int64_t step) {
    return cg_loop_between(t, i64(t, begin), i64(t, end), step);
}

void cg_loop_end(cg_emitter *t, const cg_loop *l) {
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef next = LLVMBuildNUWAdd(b, l->iv, i64(t, l->step), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b), out = new_block(t);
    LLVMAddIncoming(l->iv, &next, &latch, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, l->end, ""), l->head, out);
    LLVMPositionBuilderAtEnd(b, out);
}

static LLVMValueRef lesser(cg_emitter *t, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(t->e->b, LLVMBuildICmp(t->e->b, LLVMIntULT, a, b, ""), a, b, "");
}
static LLVMValueRef greater(cg_emitter *t, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(t->e->b, LLVMBuildICmp(t->e->b, LLVMIntUGT, a, b, ""), a, b, "");
}

cg_range cg_part_of(cg_emitter *t, LLVMValueRef begin, LLVMValueRef end) {
    return (cg_range){ greater(t, begin, t->part_begin), lesser(t, end, t->part_end) };
}

LLVMBasicBlockRef cg_when(cg_emitter *t, LLVMValueRef condition) {
    LLVMBasicBlockRef some = new_block(t), after = new_block(t);
    LLVMBuildCondBr(t->e->b, condition, some, after);
    LLVMPositionBuilderAtEnd(t->e->b, some);
    return after;
}

void cg_when_end(cg_emitter *t, LLVMBasicBlockRef after) {
    LLVMBuildBr(t->e->b, after);
    LLVMPositionBuilderAtEnd(t->e->b, after);
}

/* The body of a fold on registers: out[0..n) from accumulators and values. */
static void apply_body(cg_emitter *t, const cg_fold *f, const LLVMValueRef *args, unsigned lanes, LLVMValueRef *out) {
    weft_status st = cg_emit_body(t->e, &t->cx->scratch, f->body, args, lanes, out);
    if (st != WEFT_OK) t->status = st;
    for (uint32_t r = 0; st != WEFT_OK && r < f->n; r++) out[r] = args[r];
}

LLVMValueRef cg_alloca_at_entry(cg_emitter *t, LLVMTypeRef type) {
    LLVMBuilderRef b = t->e->b;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b), entry = LLVMGetEntryBasicBlock(t->fn);
    LLVMPositionBuilder(b, entry, LLVMGetFirstInstruction(entry));
    LLVMValueRef p = LLVMBuildAlloca(b, type, "");
    LLVMPositionBuilderAtEnd(b, here);
    return p;
}

static weft_dtype fold_type(const cg_fold *f, uint32_t r) { return (weft_dtype)f->node->in[r]->dtype; }

/* Lanes start from the neutral elements where the body has them, so that the initial values count once. Bodies without
 * that may be applied in any order give one of their operands, or have one lane. */
static bool neutral(const cg_fold *f, uint32_t r, uint8_t *element) {
    const cg_op op = cg_body_op_of(f->body, r);
    return op != CG_OP_COUNT && cg_neutral(op, fold_type(f, r), element);
}

static bool starts_neutral(const cg_fold *f) {
    uint8_t element[16];
    for (uint32_t r = 0; r < f->n; r++)
        if (!neutral(f, r, element)) return false;
    return true;
}

/* Of a fold's accumulators: 0 is a scalar, for what is folded in order. */
static unsigned fold_lanes(const cg_emitter *t, const cg_fold *f) { return f->order == CG_ANY_ORDER ? t->lanes : 0; }

static void fold_start(cg_emitter *t, uint32_t which) {
    const cg_fold *f = &t->k->folds[which];
    const unsigned lanes = fold_lanes(t, f);
    for (uint32_t r = 0; r < f->n; r++) {
        weft_dtype type = fold_type(f, r);
        uint8_t element[16] = { 0 };
        LLVMValueRef start = t->value[f->init[r]];
        if (starts_neutral(f) && neutral(f, r, element)) start = cg_splat_const(t->e, type, element);
        start = cg_spread(t->e, type, start, lanes);
        for (unsigned c = 0; c < (lanes ? t->copies : 1); c++) {
            t->accumulator[which][r][c] = cg_alloca_at_entry(t, cg_type(t->e, type, lanes));
            LLVMBuildStore(t->e->b, start, t->accumulator[which][r][c]);
        }
    }
}

static LLVMValueRef accumulated(cg_emitter *t, uint32_t which, uint32_t r, unsigned copy) {
    const cg_fold *f = &t->k->folds[which];
    return LLVMBuildLoad2(t->e->b, cg_type(t->e, fold_type(f, r), fold_lanes(t, f)), t->accumulator[which][r][copy],
                          "");
}

static void fold_in_order(cg_emitter *t, uint32_t which) {
    const cg_fold *f = &t->k->folds[which];
    LLVMValueRef args[32], out[16];
    for (uint32_t r = 0; r < f->n; r++) out[r] = cg_spread(t->e, fold_type(f, r), t->value[f->value[r]], t->lanes);
    const weft_status st = t->lanes ? cg_emit_neighbours(t->e, &t->cx->scratch, f, out, t->inside) : WEFT_OK;
    if (st != WEFT_OK) t->status = st;
    for (uint32_t r = 0; r < f->n; r++) args[r] = accumulated(t, which, r, 0), args[f->n + r] = out[r];
    apply_body(t, f, args, 0, out);
    for (uint32_t r = 0; r < f->n; r++) LLVMBuildStore(t->e->b, out[r], t->accumulator[which][r][0]);
}

static void fold_step(cg_emitter *t, uint32_t which) {
    const cg_fold *f = &t->k->folds[which];
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef args[32], out[16];
    if (!fold_lanes(t, f)) {
        fold_in_order(t, which);
        return;
    }
    for (uint32_t r = 0; r < f->n; r++) {
        args[r] = accumulated(t, which, r, t->copy);
        args[f->n + r] = cg_spread(t->e, fold_type(f, r), t->value[f->value[r]], t->lanes);
    }
    apply_body(t, f, args, t->lanes, out);
    for (uint32_t r = 0; r < f->n; r++) {
        if (t->mask) out[r] = LLVMBuildSelect(b, cg_mask(t->e, fold_type(f, r), t->mask), out[r], args[r], "");
        LLVMBuildStore(b, out[r], t->accumulator[which][r][t->copy]);
    }
}

/* Lanes to one value: halves are joined until one is left. */
static void fold_finish(cg_emitter *t, uint32_t which) {
    const cg_fold *f = &t->k->folds[which];
    cg_emit *e = t->e;
    LLVMValueRef args[32], out[16];
    for (uint32_t r = 0; r < f->n; r++) out[r] = accumulated(t, which, r, 0);
    const unsigned lanes = fold_lanes(t, f);
    for (unsigned c = 1; lanes && c < t->copies; c++) {
        memcpy(args, out, f->n * sizeof *args);
        for (uint32_t r = 0; r < f->n; r++) args[f->n + r] = accumulated(t, which, r, c);
        apply_body(t, f, args, t->lanes, out);
    }
    for (unsigned half = lanes / 2; half; half /= 2) {
        for (uint32_t r = 0; r < f->n; r++)
            for (uint32_t side = 0; side < 2; side++)
                args[side * f->n + r] = cg_lanes(e, fold_type(f, r), out[r], side * half, half);
        apply_body(t, f, args, half, out);
    }
    for (uint32_t r = 0; r < f->n; r++)
        if (lanes) out[r] = cg_lanes(e, fold_type(f, r), out[r], 0, 0);
    if (starts_neutral(f)) {
        for (uint32_t r = 0; r < f->n; r++) {
            args[r] = t->value[f->init[r]];
            args[f->n + r] = out[r];
        }
        apply_body(t, f, args, 0, out);
    }
    for (uint32_t r = 0; r < f->n; r++) t->folded[which][r] = out[r];
}

/* v is in memory's form. */
void cg_store_vector(cg_emitter *t, uint32_t param, LLVMValueRef at, LLVMValueRef v, LLVMValueRef mask) {
    const weft_dtype type = param_type(t, param);
    LLVMValueRef p = t->kept_row[param] ? t->kept_row[param] : cg_element_pointer(t, param, at);
    if (mask && !t->kept_row[param]) {
        LLVMTypeRef overload[2] = { LLVMTypeOf(v), LLVMTypeOf(p) };
        LLVMValueRef args[4] = { v, p, cg_integer(t->e, 32, 0, element_bytes(t, param)), cg_mask(t->e, type, mask) };
        cg_intrinsic(t->e, "llvm.masked.store", overload, 2, args, 4);
        return;
    }
    LLVMSetAlignment(LLVMBuildStore(t->e->b, v, p), element_bytes(t, param));
}

static void store_at(cg_emitter *t, uint32_t param, LLVMValueRef at, LLVMValueRef v, unsigned lanes,
                     LLVMValueRef mask) {
    const weft_dtype type = param_type(t, param);
    v = cg_to_memory(t->e, type, lanes, cg_spread(t->e, type, v, lanes));
    cg_store_vector(t, param, at, v, lanes ? mask : NULL);
}

/* What a plain store writes, in memory's form. */
LLVMValueRef cg_stored(cg_emitter *t, const cg_store *s, unsigned lanes) {
    const weft_dtype type = param_type(t, s->param);
    LLVMValueRef v = cg_spread(t->e, type, t->value[s->value], lanes);
    return t->bits[s->value] ? v : cg_to_memory(t->e, type, lanes, v);
}

static void store_to(cg_emitter *t, uint32_t param, const cg_ix *ix, LLVMValueRef v, unsigned lanes) {
    store_at(t, param, cg_scalar_index(t, ix, true), v, lanes, t->mask);
}

static void accumulate(cg_emitter *t, const cg_store *s, unsigned lanes) {
    const cg_fold *f = &t->k->sums[s->fold];
    LLVMValueRef args[32], out[16];
    for (uint32_t r = 0; r < f->n; r++) {
        LLVMValueRef at = cg_scalar_index(t, &s->ix, true);
        LLVMValueRef old =
            lanes ? cg_load_contiguous(t, s->params[r], at, t->mask) : cg_load_scalar(t, s->params[r], at, NULL);
        args[r] = cg_from_memory(t->e, fold_type(f, r), lanes, old);
        args[f->n + r] = cg_spread(t->e, fold_type(f, r), t->value[f->value[r]], lanes);
    }
    apply_body(t, f, args, lanes, out);
    for (uint32_t r = 0; r < f->n; r++) store_to(t, s->params[r], &s->ix, out[r], lanes);
}

/* Lanes run along the updated elements, or there is one lane. */
static void update(cg_emitter *t, const cg_store *s, unsigned lanes) {
    LLVMBuilderRef b = t->e->b;
    const cg_fold *f = &t->k->sums[s->fold];
    LLVMValueRef guard = s->guard == CG_NONE ? NULL : t->value[s->guard], at = cg_scalar_index(t, &s->ix, true);
    if (lanes == 1 && s->ix.sym != CG_NONE && is_vector(t->value[s->ix.sym]))
        at = LLVMBuildAdd(b, at, LLVMBuildExtractElement(b, t->value[s->ix.sym], i64(t, 0), ""), "");
    LLVMValueRef mask = lanes ? both_masks(t, guard, t->mask) : NULL, args[32], out[16];
    if (lanes && guard) at = cg_kept_inside(t, s->params[0], at);
    for (uint32_t r = 0; r < f->n; r++) {
        LLVMValueRef old =
            lanes ? cg_load_contiguous(t, s->params[r], at, mask) : cg_load_scalar(t, s->params[r], at, guard);
        args[r] = cg_from_memory(t->e, fold_type(f, r), lanes, old);
        args[f->n + r] = cg_spread(t->e, fold_type(f, r), t->value[f->value[r]], lanes);
    }
    apply_body(t, f, args, lanes, out);
    if (!lanes && guard) { /* one update in all: what stands there is written back where it is dropped */
        for (uint32_t r = 0; r < f->n; r++) out[r] = LLVMBuildSelect(b, guard, out[r], args[r], "");
        at = LLVMBuildSelect(b, guard, at, i64(t, 0), "");
    }
    for (uint32_t r = 0; r < f->n; r++) store_at(t, s->params[r], at, out[r], lanes, mask);
}

/* What the prefix before gave: from memory when lanes run across the scans, else from a register of its own. */
static LLVMValueRef running(cg_emitter *t, const cg_store *s, uint32_t r, LLVMValueRef guard, unsigned lanes) {
    const cg_fold *f = &t->k->sums[s->fold];
    if (s->back == 1) return LLVMBuildLoad2(t->e->b, cg_type(t->e, fold_type(f, r), lanes), t->carry[s->fold][r], "");
    LLVMValueRef at = LLVMBuildSub(t->e->b, cg_scalar_index(t, &s->ix, true), i64(t, s->back), "");
    if (lanes) at = cg_kept_inside(t, s->params[r], at);
    LLVMValueRef old = lanes ? cg_load_contiguous(t, s->params[r], at, both_masks(t, guard, t->mask))
                             : cg_load_scalar(t, s->params[r], at, guard);
    return cg_from_memory(t->e, fold_type(f, r), lanes, old);
}

static void run_on(cg_emitter *t, const cg_store *s, unsigned lanes) {
    const cg_fold *f = &t->k->sums[s->fold];
    LLVMValueRef guard = cg_spread(t->e, WEFT_I1, t->value[s->guard], lanes), args[32], out[16];
    for (uint32_t r = 0; r < f->n; r++) {
        const weft_dtype type = fold_type(f, r);
        LLVMValueRef before = running(t, s, r, guard, lanes),
                     start = cg_spread(t->e, type, t->value[f->init[r]], lanes);
        args[r] = LLVMBuildSelect(t->e->b, lanes ? cg_mask(t->e, type, guard) : guard, before, start, "");
        args[f->n + r] = cg_spread(t->e, fold_type(f, r), t->value[f->value[r]], lanes);
    }
    apply_body(t, f, args, lanes, out);
    for (uint32_t r = 0; r < f->n; r++) {
        if (s->back == 1) LLVMBuildStore(t->e->b, out[r], t->carry[s->fold][r]);
        store_to(t, s->params[r], &s->ix, out[r], lanes);
    }
}

static void do_store(cg_emitter *t, const cg_store *s) {
    const unsigned lanes = per_lane(t, s->level) ? t->lanes : 0;
    if (s->kind == CG_UPDATE) update(t, s, lanes);
    else if (s->kind == CG_RUNNING) run_on(t, s, lanes);
    else if (s->kind == CG_STORE)
        cg_store_vector(t, s->param, cg_scalar_index(t, &s->ix, true), cg_stored(t, s, lanes), lanes ? t->mask : NULL);
    else accumulate(t, s, lanes);
}

static void need(cg_emitter *t, uint32_t i, uint32_t phase) {
    if (i == CG_NONE || t->needed[i]) return;
    const cg_ins *x = &t->k->ins[i];
    if (x->level <= t->k->inner && t->value[i]) return;
    t->needed[i] = true;
    if ((t->kept[i] && t->kept[i] <= phase) || t->known[i] != CG_UNKNOWN) return;
    if (chosen(t, x) != CG_NONE) {
        need(t, chosen(t, x), phase);
        return;
    }
    if (x->kind == CG_I_LOAD && x->a[0] != CG_NONE && t->known[x->a[0]] == CG_NEVER) return;
    for (int k = 0; k < 3; k++) need(t, x->a[k], phase);
    need(t, x->ix.sym, phase);
}

typedef struct phase_of { cg_emitter *t; uint32_t phase; } phase_of;

static void need_use(void *user, uint32_t i) {
    const phase_of *p = user;
    need(p->t, i, p->phase);
}

void cg_need_phase(cg_emitter *t, uint32_t phase) {
    memset(t->needed, 0, t->k->ins_count * sizeof *t->needed);
    for (uint32_t i = 0; i < t->k->fold_count; i++)
        for (uint32_t r = 0; t->k->folds[i].phase == phase && r < t->k->folds[i].n; r++)
            need(t, t->k->folds[i].value[r], phase);
    for (uint32_t i = 0; i < t->k->store_count; i++) {
        const cg_store *s = &t->k->stores[i];
        if (!cg_store_per_element(t->k, s) || s->phase != phase) continue;
        cg_store_uses(t->k, s, need_use, &(phase_of){ t, phase });
    }
}

/* Where a kept value of this element lies: rows are kept in registers' form, one after another in the variables' order.
 */
static LLVMValueRef kept_pointer(cg_emitter *t, uint32_t i) {
    cg_ix at = { .sym = CG_NONE };
    int64_t step = 1;
    for (uint32_t v = top(t); v-- > t->k->inner; step *= t->k->extent[v]) at.k[v] = step;
    LLVMTypeRef type = cg_memory_type(t->e, (weft_dtype)t->k->ins[i].dtype, 0);
    LLVMValueRef index = cg_scalar_index(t, &at, false);
    if (!t->cache[i]) t->cache[i] = cg_alloca_at_entry(t, LLVMArrayType2(type, (uint64_t)(t->k->row + CG_MAX_LANES)));
    return LLVMBuildGEP2(t->e->b, type, t->cache[i], &index, 1, "");
}

static void compute_kept(cg_emitter *t, uint32_t i, uint32_t phase) {
    const weft_dtype type = (weft_dtype)t->k->ins[i].dtype;
    const unsigned align = (unsigned)weft_dtype_bytes(type);
    if (t->kept[i] <= phase) {
        LLVMValueRef v = LLVMBuildLoad2(t->e->b, cg_memory_type(t->e, type, t->lanes), kept_pointer(t, i), "");
        LLVMSetAlignment(v, align);
        t->value[i] = cg_from_memory(t->e, type, t->lanes, v);
        return;
    }
    compute(t, i);
    LLVMValueRef v = cg_to_memory(t->e, type, t->lanes, cg_spread(t->e, type, t->value[i], t->lanes));
    LLVMSetAlignment(LLVMBuildStore(t->e->b, v, kept_pointer(t, i)), align);
}

void cg_compute_needed(cg_emitter *t, uint32_t level, uint32_t phase) {
    for (uint32_t i = 0; i < t->k->ins_count; i++) {
        if (!t->needed[i] || t->k->ins[i].level != level) continue;
        if (t->kept[i]) compute_kept(t, i, phase);
        else compute(t, i);
    }
}

void cg_innermost(cg_emitter *t, uint32_t phase) {
    cg_compute_needed(t, top(t), phase);
    for (uint32_t i = 0; i < t->k->fold_count; i++)
        if (t->k->folds[i].phase == phase) fold_step(t, i);
    for (uint32_t i = 0; i < t->k->store_count; i++)
        if (cg_store_per_element(t->k, &t->k->stores[i]) && t->k->stores[i].phase == phase)
            do_store(t, &t->k->stores[i]);
}

/* Vectors from begin to end, `copies` of them in a turn. */
static void vectors(cg_emitter *t, uint32_t phase, int64_t begin, int64_t end, unsigned copies) {
    const uint32_t v = top(t) - 1;
    const int64_t step = (int64_t)copies * t->lanes;
    if (begin == end) return;
    const bool turns = end - begin > step;
    cg_loop l = { 0 };
    if (turns) l = cg_loop_begin(t, begin, end, step);
    LLVMValueRef at = turns ? l.iv : i64(t, begin);
    for (t->copy = 0; t->copy < copies; t->copy++) {
        t->var[v] = t->copy ? LLVMBuildAdd(t->e->b, at, i64(t, (int64_t)t->copy * t->lanes), "") : at;
        cg_innermost(t, phase);
    }
    t->copy = 0;
    if (turns) cg_loop_end(t, &l);
}

/* The next piece of variable v: *begin to *end; false when there is none. */
static bool next_piece(cg_emitter *t, uint32_t v, uint32_t piece, int64_t *begin, int64_t *end) {
    const uint32_t cuts = t->pieces.count[v];
    t->first[v] = 0, t->last[v] = t->k->extent[v] - 1;
    if (piece > cuts) return false;
    *begin = piece ? t->pieces.cut[v][piece - 1] : 0;
    *end = piece < cuts ? t->pieces.cut[v][piece] : t->k->extent[v];
    t->first[v] = *begin, t->last[v] = *end - 1;
    if (cuts) cg_kernel_decide(t->k, t->first, t->last, t->known);
    return true;
}

/* From begin to end of the last variable: whole vectors, then what is left. */
static void lane_loop(cg_emitter *t, uint32_t phase, int64_t begin, int64_t end) {
    const uint32_t v = top(t) - 1;
    const int64_t n = end - begin, step = (int64_t)t->copies * t->lanes, whole = n / t->lanes * t->lanes;
    t->mask = NULL;
    t->inside = t->lanes;
    vectors(t, phase, begin, begin + n / step * step, t->copies);
    vectors(t, phase, begin + n / step * step, begin + whole, 1);
    if (whole == n) return;
    t->mask = cg_first_lanes(t, n - whole);
    t->inside = (unsigned)(n - whole);
    t->var[v] = i64(t, begin + whole);
    cg_innermost(t, phase);
    t->mask = NULL;
}

/* The part of the last variable: grains are whole vectors, but for the last one's end. */
static void shared_lanes(cg_emitter *t, uint32_t phase) {
    const uint32_t v = top(t) - 1;
    const int64_t n = t->k->extent[v], whole = n / t->lanes * t->lanes;
    t->mask = NULL;
    t->inside = t->lanes;
    if (whole) {
        const cg_range r = cg_part_of(t, i64(t, 0), i64(t, whole));
        LLVMBasicBlockRef after = cg_when_some(t, &r);
        cg_loop l = cg_loop_between(t, r.begin, r.end, t->lanes);
        t->var[v] = l.iv;
        cg_innermost(t, phase);
        cg_loop_end(t, &l);
        cg_when_end(t, after);
    }
    if (whole == n) return;
    LLVMBasicBlockRef after = cg_when(t, LLVMBuildICmp(t->e->b, LLVMIntEQ, t->part_end, i64(t, n), ""));
    t->mask = cg_first_lanes(t, n - whole);
    t->inside = (unsigned)(n - whole);
    t->var[v] = i64(t, whole);
    cg_innermost(t, phase);
    t->mask = NULL;
    cg_when_end(t, after);
}

/* A fold waits for its own last result: short phases go over several vectors at once, with an accumulator each. */
static unsigned choose_copies(const cg_emitter *t, uint32_t phase) {
    bool folds = false;
    unsigned work = 0;
    if (!t->lanes || t->k->extent[top(t) - 1] < 8 * (int64_t)t->lanes) return 1;
    for (uint32_t i = 0; i < t->k->fold_count; i++) folds = folds || t->k->folds[i].phase == phase;
    for (uint32_t i = 0; i < t->k->ins_count; i++)
        if (t->needed[i] && t->k->ins[i].level == top(t))
            work += t->k->ins[i].kind == CG_I_SCALAR ? cg_op_table[t->k->ins[i].op].weight : 1;
    return !folds || work > 60 || t->lanes == 1 ? 1 : work > 25 ? 2 : CG_MAX_COPIES;
}

static void inner_loops(cg_emitter *t, uint32_t v, uint32_t phase) {
    int64_t begin, end;
    if (v >= top(t)) {
        cg_innermost(t, phase);
        return;
    }
    for (uint32_t piece = 0; next_piece(t, v, piece, &begin, &end); piece++) {
        if (t->pieces.count[v]) cg_need_phase(t, phase);
        if (v + 1 == top(t)) {
            if (is_shared(t, v)) shared_lanes(t, phase);
            else lane_loop(t, phase, begin, end);
            continue;
        }
        cg_loop l = cg_loop_begin(t, begin, end, 1);
        t->var[v] = l.iv;
        cg_compute_needed(t, v + 1, phase);
        inner_loops(t, v + 1, phase);
        cg_loop_end(t, &l);
    }
}

static void row(cg_emitter *t) {
    const cg_kernel *k = t->k;
    for (uint32_t phase = 0; phase < k->phases; phase++) {
        if (phase) cg_compute_level(t, k->inner, phase);
        cg_need_phase(t, phase);
        t->copies = choose_copies(t, phase);
        for (uint32_t i = 0; i < k->fold_count; i++)
            if (k->folds[i].phase == phase) fold_start(t, i);
        inner_loops(t, k->inner, phase);
        for (uint32_t i = 0; i < k->fold_count; i++)
            if (k->folds[i].phase == phase) fold_finish(t, i);
    }
    if (!k->row) return;
    for (uint32_t ready = k->phases; ready <= k->phases + 1; ready++) cg_compute_level(t, k->inner, ready);
    for (uint32_t i = 0; i < k->store_count; i++)
        if (!cg_store_per_element(k, &k->stores[i])) do_store(t, &k->stores[i]);
}

static void outer_loops(cg_emitter *t, uint32_t v) {
    if ((t->k->tiled || t->k->narrow) && v + 2 == top(t)) {
        if (t->k->scanned) cg_scan_loops(t);
        else if (t->k->tiled) cg_tile_loops(t);
        else cg_woven_loops(t);
        return;
    }
    if (v == t->k->inner) {
        row(t);
        return;
    }
    int64_t begin, end;
    for (uint32_t piece = 0; next_piece(t, v, piece, &begin, &end); piece++) {
        cg_range r = { i64(t, begin), i64(t, end) };
        LLVMBasicBlockRef after = NULL;
        if (is_shared(t, v)) {
            r = cg_part_of(t, r.begin, r.end);
            after = cg_when_some(t, &r);
        }
        cg_loop l = cg_loop_between(t, r.begin, r.end, 1);
        t->var[v] = l.iv;
        cg_compute_level(t, v + 1, 0);
        outer_loops(t, v + 1);
        cg_loop_end(t, &l);
        if (after) cg_when_end(t, after);
    }
}

/* All that s sums up in memory, or what belongs to this call's part. */
static cg_range sums_to_start(cg_emitter *t, const cg_store *s) {
    const int64_t elems = t->k->params[s->params[0]]->elems;
    if (t->split.var == CG_NONE) return (cg_range){ i64(t, 0), i64(t, elems) };
    LLVMValueRef each = i64(t, cg_kernel_sum_of_turn(t->k, s, t->split.var));
    return (cg_range){ LLVMBuildMul(t->e->b, t->part_begin, each, ""), LLVMBuildMul(t->e->b, t->part_end, each, "") };
}

/* What is accumulated in memory starts from the initial value; prefixes have a register. */
static void start_sums(cg_emitter *t) {
    for (uint32_t i = 0; i < t->k->store_count; i++) {
        const cg_store *s = &t->k->stores[i];
        const cg_fold *f = &t->k->sums[s->fold];
        for (uint32_t r = 0; s->kind == CG_RUNNING && s->back == 1 && r < f->n; r++) {
            t->carry[s->fold][r] = cg_alloca_at_entry(t, cg_type(t->e, fold_type(f, r), t->lanes));
            LLVMBuildStore(t->e->b, LLVMConstNull(cg_type(t->e, fold_type(f, r), t->lanes)), t->carry[s->fold][r]);
        }
        for (uint32_t r = 0; s->kind == CG_ACCUMULATE && r < f->n; r++) {
            const weft_dtype type = fold_type(f, r);
            LLVMValueRef v = cg_to_memory(t->e, type, 0, t->value[f->init[r]]);
            const cg_range all = sums_to_start(t, s);
            cg_loop l = cg_loop_between(t, all.begin, all.end, 1);
            LLVMSetAlignment(LLVMBuildStore(t->e->b, v, cg_element_pointer(t, s->params[r], l.iv)),
                             element_bytes(t, s->params[r]));
            cg_loop_end(t, &l);
        }
    }
}

/* What is only moved goes by whole registers, and by no fewer elements than f32. 0: tiles are too large for that. */
static unsigned lanes_to_move(const cg_emit *e, const cg_kernel *k) {
    const unsigned least = e->vector_bytes / 4;
    unsigned lanes = least;
    const int64_t *extent = k->extent + k->var_count - 2;
    for (uint32_t i = 0; i < k->store_count; i++) {
        const weft_dtype type = (weft_dtype)k->params[k->stores[i].param]->dtype;
        const unsigned fit = e->vector_bytes / (unsigned)weft_dtype_bytes(type);
        if (!i || fit < lanes) lanes = fit;
    }
    while (lanes > least && (lanes > extent[0] || lanes > extent[1])) lanes /= 2;
    return lanes < least ? least : lanes;
}

/* As many lanes as a register has f32, fewer when the row is short. */
static unsigned choose_lanes(const cg_emit *e, const cg_kernel *k) {
    if (!k->var_count) return 0;
    for (uint32_t i = 0; i < k->store_count; i++) { /* updates that may meet, neighbours in a scan: one after another */
        const cg_store *s = &k->stores[i];
        bool computed = s->ix.sym != CG_NONE && k->ins[s->ix.sym].level == k->var_count;
        if (s->kind == CG_UPDATE && (computed || s->ix.k[k->var_count - 1] != 1)) return 1;
        if (s->kind == CG_RUNNING && s->back == 1 && !k->scanned) return 1;
        /* of a column */
        if (s->kind == CG_STORE && s->level == k->var_count && s->ix.k[k->var_count - 1] != 1 && !k->narrow &&
            !k->scanned)
            return 1;
    }
    for (uint32_t i = 0; i < k->fold_count; i++)
        if (k->folds[i].order == CG_ONE_BY_ONE) return 1;
    unsigned lanes = k->moves ? lanes_to_move(e, k) : e->vector_bytes / 4;
    if (e->vector_bytes >= 32) lanes *= cg_kernel_side_by_side(k, e->costs, lanes);
    while (lanes > 2 && lanes / 2 >= k->extent[k->var_count - 1]) lanes /= 2;
    return lanes;
}

LLVMValueRef cg_step_function(cg_emit *e, const char *name) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx, 0), params[3] = { pointer, pointer, pointer };
    LLVMValueRef fn = LLVMAddFunction(e->module, name, LLVMFunctionType(cg_int(e, 32, 0), params, 3, 0));
    const char *width = e->vector_bytes == 64 ? "512" : e->vector_bytes == 32 ? "256" : "128";
    static const char *const keys[] = { "prefer-vector-width", "min-legal-vector-width" };
    for (int i = 0; i < 2; i++)
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                LLVMCreateStringAttribute(e->cx, keys[i], (unsigned)strlen(keys[i]), width, 3));
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->cx, fn, ""));
    return fn;
}

static void begin_function(cg_emitter *t, const char *name) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(t->e->cx, 0);
    t->fn = cg_step_function(t->e, name);
    LLVMValueRef buffers = LLVMGetParam(t->fn, 1);
    t->env = LLVMGetParam(t->fn, 2);
    for (uint32_t i = 0; i < t->k->param_count; i++) {
        LLVMValueRef at = i64(t, i);
        t->pointer[i] = LLVMBuildLoad2(t->e->b, pointer, LLVMBuildGEP2(t->e->b, pointer, buffers, &at, 1, ""), "");
    }
}

/* The elements of the call's grains. */
static void find_part(cg_emitter *t) {
    LLVMValueRef grain = i64(t, t->split.grain), first = env_number(t, offsetof(weft_run_env, first_grain)),
                 end = lesser(t, env_number(t, offsetof(weft_run_env, end_grain)), i64(t, t->split.grains));
    t->part_begin = LLVMBuildMul(t->e->b, first, grain, "");
    t->part_end = lesser(t, LLVMBuildMul(t->e->b, end, grain, ""), i64(t, t->k->extent[t->split.var]));
}

weft_status cg_emit_kernel(cg_emit *e, weft_context *cx, const cg_kernel *k, bool splits, const char *name) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    cg_emitter *t = weft_arena_new(&cx->scratch, cg_emitter);
    weft_status st = weft_oom();
    if (!t) goto out;
    t->e = e, t->cx = cx, t->k = k;
    t->value = weft_arena_array(&cx->scratch, LLVMValueRef, k->ins_count);
    t->needed = weft_arena_array(&cx->scratch, bool, k->ins_count);
    t->kept = weft_arena_array(&cx->scratch, uint8_t, k->ins_count);
    t->cache = weft_arena_array(&cx->scratch, LLVMValueRef, k->ins_count);
    t->known = weft_arena_array(&cx->scratch, int8_t, k->ins_count);
    t->tile = weft_arena_array(&cx->scratch, LLVMValueRef, k->ins_count);
    t->bits = weft_arena_array(&cx->scratch, bool, k->ins_count);
    bool *earlier = weft_arena_array(&cx->scratch, bool, k->ins_count);
    if (!t->value || !t->needed || !t->kept || !t->cache || !t->known || !t->tile || !t->bits || !earlier) goto out;
    cg_kernel_bits(k, t->bits);
    t->lanes = t->inside = choose_lanes(e, k);
    cg_kernel_pieces(k, t->lanes, &t->pieces);
    for (uint32_t v = 0; v < k->var_count; v++) t->last[v] = k->extent[v] - 1;
    cg_kernel_decide(k, t->first, t->last, t->known);
    if (t->lanes > 1 && k->row) cg_kernel_keep(k, e->costs, t->kept, t->needed, earlier);
    t->split = splits ? cg_kernel_split(k) : (cg_split){ .var = CG_NONE };
    begin_function(t, name);
    if (t->split.var != CG_NONE) find_part(t);
    cg_compute_level(t, 0, 0);
    start_sums(t);
    outer_loops(t, 0);
    LLVMBuildRet(e->b, cg_integer(e, 32, 0, WEFT_OK));
    st = t->status;
out:
    weft_arena_reset(&cx->scratch, mark);
    return st;
}
