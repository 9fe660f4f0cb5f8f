/* emit_strand.c: strands as LLVM IR.
 *
 *   pointers to the spaces; parts taken over
 *   head:  the condition's steps, then out or on
 *   body:  the body's steps; head, unless the run is to stop
 *   out:   parts given back; the turns added up in weft_run_env.turns, where that is wanted
 *
 * Kernels with few instructions are taken in: then the tables of pointers that they are called with dissolve, and the
 * parts become registers. The costs of the machine say how many instructions are few, of a kernel and of all that a
 * strand takes in.
 */
#include <stdio.h>
#include "codegen/emit.h"
#include "codegen/strand.h"
#include "exec/load.h"
#include "exec/kernels/copy.h"

/* Two stretches of memory that trade places at the end of a turn, where one's value would be copied to the other's. */
typedef struct trade {
    const cg_strand_step *copy;
    cg_strand_place side[2];    /* the source, the destination */
    int64_t bytes;
    LLVMValueRef at[2];         /* allocas: where each is now */
    LLVMValueRef home;          /* where the destination is outside of the loop */
} trade;
enum { MOST_TRADES = 16 };

typedef struct spinner {
    cg_emit *e;
    weft_arena *arena;
    const cg_strand *s;
    LLVMTypeRef pointer, table_type;
    LLVMValueRef fn, state, env, table;
    LLVMValueRef stop;          /* pointer to a word that is not 0 when the run is to stop */
    LLVMValueRef *base, *part;  /* pointers */
    LLVMBasicBlockRef failed;
    LLVMValueRef status;        /* alloca: why */
    unsigned taken;             /* instructions */
    trade trades[MOST_TRADES];  /* of the loops that are being emitted */
    uint32_t trade_count;
    LLVMValueRef *turns;        /* allocas: turns of each loop, runs of each branch, in the order of steps */
    uint32_t turn_count;
} spinner;

static LLVMBasicBlockRef new_block(spinner *t) { return LLVMAppendBasicBlockInContext(t->e->cx, t->fn, ""); }

static LLVMValueRef at_entry(spinner *t, LLVMTypeRef type) {
    LLVMBuilderRef b = t->e->b;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b), entry = LLVMGetEntryBasicBlock(t->fn);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    if (first) LLVMPositionBuilder(b, entry, first);
    else LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef p = LLVMBuildAlloca(b, type, "");
    LLVMSetAlignment(p, WEFT_BUFFER_ALIGN);
    LLVMPositionBuilderAtEnd(b, here);
    return p;
}

static LLVMValueRef bytes_behind(spinner *t, LLVMValueRef p, int64_t n) {
    LLVMValueRef at = cg_integer(t->e, 64, 0, n);
    return n ? LLVMBuildGEP2(t->e->b, cg_int(t->e, 8, 0), p, &at, 1, "") : p;
}

/* Whether x of the base lies in the stretch of side s, and apart from it. */
static bool lies_in(const trade *d, int s, const cg_strand_place *x, int64_t bytes) {
    return x->part == UINT32_MAX && x->base == d->side[s].base && x->offset >= d->side[s].offset &&
           x->offset + bytes <= d->side[s].offset + d->bytes;
}
static bool lies_apart(const trade *d, int s, const cg_strand_place *x, int64_t bytes) {
    return x->base != d->side[s].base || x->offset >= d->side[s].offset + d->bytes ||
           x->offset + bytes <= d->side[s].offset;
}

static LLVMValueRef place(spinner *t, const cg_strand_place *p) {
    for (uint32_t i = 0; i < t->trade_count; i++)
        for (int s = 0; s < 2; s++) {
            const trade *d = &t->trades[i];
            if (!lies_in(d, s, p, 1)) continue;
            LLVMValueRef now = LLVMBuildLoad2(t->e->b, t->pointer, d->at[s], "");
            return bytes_behind(t, now, p->offset - d->side[s].offset);
        }
    if (p->part == UINT32_MAX) return bytes_behind(t, t->base[p->base], p->offset);
    return bytes_behind(t, t->part[p->part], p->offset - t->s->parts[p->part].offset);
}

static void copy_bytes(spinner *t, LLVMValueRef to, LLVMValueRef from, int64_t bytes) {
    LLVMBuildMemMove(t->e->b, to, WEFT_BUFFER_ALIGN, from, WEFT_BUFFER_ALIGN, cg_integer(t->e, 64, 0, bytes));
}

static void exchange(spinner *t, bool back) {
    for (uint32_t i = 0; i < t->s->part_count; i++) {
        const cg_strand_part *p = &t->s->parts[i];
        LLVMValueRef outside = bytes_behind(t, t->base[p->base], p->offset);
        if (!back) copy_bytes(t, t->part[i], outside, p->bytes);
        else if (p->written) copy_bytes(t, outside, t->part[i], p->bytes);
    }
}

/* The step's buffers in the table that all steps use. */
static LLVMValueRef buffers_of(spinner *t, const cg_strand_step *x) {
    for (uint32_t i = 0; i < x->step->slice_count; i++) {
        LLVMValueRef at[2] = { cg_integer(t->e, 64, 0, 0), cg_integer(t->e, 64, 0, i) };
        LLVMBuildStore(t->e->b, place(t, &x->places[i]), LLVMBuildGEP2(t->e->b, t->table_type, t->table, at, 2, ""));
    }
    return t->table;
}

/* How large fn is to take in: past `most` also when it keeps rows on the stack, which would add up there. */
static unsigned instructions(LLVMValueRef fn, unsigned most) {
    unsigned n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b && n <= most; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && n <= most; i = LLVMGetNextInstruction(i)) {
            const bool rows = LLVMGetInstructionOpcode(i) == LLVMAlloca &&
                              LLVMGetTypeKind(LLVMGetAllocatedType(i)) == LLVMArrayTypeKind;
            n += rows ? most + 1 : 1;
        }
    return n;
}

/* Takes the kernel in where it is small. */
static void call_kernel(spinner *t, const cg_strand_step *x, LLVMValueRef fn) {
    LLVMValueRef args[3] = { LLVMConstNull(t->pointer), buffers_of(t, x), t->env };
    LLVMValueRef call = LLVMBuildCall2(t->e->b, LLVMGlobalGetValueType(fn), fn, args, 3, ""); /* kernels do not fail */
    const unsigned few = (unsigned)t->e->costs->inline_instructions, n = instructions(fn, few);
    if (n > few || t->taken + n > (unsigned)t->e->costs->strand_instructions) return;
    t->taken += n;
    static const char take_in[] = "alwaysinline";
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(t->e->cx,
                                                     LLVMGetEnumAttributeKindForName(take_in, sizeof take_in - 1), 0));
}

/* The device's threads do the kernel's grains, where there are several threads: as a weft_loaded_step. Leaves the
 * builder where there is one, and returns what comes after the kernel. */
static LLVMBasicBlockRef divided(spinner *t, const cg_strand_step *x, LLVMValueRef fn) {
    LLVMBuilderRef b = t->e->b;
    LLVMBasicBlockRef several = new_block(t), one = new_block(t), after = new_block(t);
    const weft_split *split = &x->step->code.split;
    LLVMTypeRef number = cg_int(t->e, 64, 0), params[3] = { t->pointer, t->pointer, t->pointer },
                type = LLVMFunctionType(cg_int(t->e, 32, 0), params, 3, 0);
    LLVMValueRef divide = LLVMBuildLoad2(b, t->pointer, bytes_behind(t, t->env, offsetof(weft_run_env, divide)), "");
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, divide, ""), one, several);
    LLVMPositionBuilderAtEnd(b, several);
    LLVMValueRef step = at_entry(t, LLVMArrayType2(cg_int(t->e, 8, 0), sizeof(weft_loaded_step)));
    LLVMBuildMemSet(b, step, LLVMConstNull(cg_int(t->e, 8, 0)), LLVMConstInt(number, sizeof(weft_loaded_step), 0),
                    WEFT_BUFFER_ALIGN);
    LLVMBuildStore(b, fn, bytes_behind(t, step, offsetof(weft_loaded_step, fn)));
    LLVMBuildStore(b, LLVMConstInt(cg_int(t->e, 8, 0), split->apart, 0),
                   bytes_behind(t, step, offsetof(weft_loaded_step, split.apart)));
    LLVMBuildStore(b, LLVMConstInt(number, (uint64_t)split->grains, 1),
                   bytes_behind(t, step, offsetof(weft_loaded_step, split.grains)));
    LLVMBuildStore(b, LLVMConstInt(number, (uint64_t)split->least, 1),
                   bytes_behind(t, step, offsetof(weft_loaded_step, split.least)));
    LLVMValueRef args[3] = { t->env, step, buffers_of(t, x) };
    LLVMBuildCall2(b, type, divide, args, 3, ""); /* kernels do not fail */
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, one);
    return after;
}

static void kernel(spinner *t, const cg_strand_step *x) {
    char name[16];
    snprintf(name, sizeof name, "f%u", x->number);
    LLVMValueRef fn = LLVMGetNamedFunction(t->e->module, name);
    LLVMBasicBlockRef after = x->step->code.split.grains > 1 ? divided(t, x, fn) : NULL;
    call_kernel(t, x, fn);
    if (!after) return;
    LLVMBuildBr(t->e->b, after);
    LLVMPositionBuilderAtEnd(t->e->b, after);
}

static void call(spinner *t, const cg_strand_step *x) {
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef second = cg_integer(t->e, 64, 0, 1),
                 entry = cg_integer(t->e, 64, 0, (int64_t)x->number * (int64_t)sizeof(weft_loop_call));
    LLVMValueRef run = LLVMBuildLoad2(b, t->pointer, t->state, ""),
                 calls = LLVMBuildLoad2(b, t->pointer, LLVMBuildGEP2(b, t->pointer, t->state, &second, 1, ""), "");
    LLVMTypeRef params[3] = { t->pointer, t->pointer, t->pointer },
                type = LLVMFunctionType(cg_int(t->e, 32, 0), params, 3, 0);
    LLVMValueRef args[3] = { LLVMBuildGEP2(b, cg_int(t->e, 8, 0), calls, &entry, 1, ""), buffers_of(t, x), t->env };
    LLVMValueRef st = LLVMBuildCall2(b, type, run, args, 3, "");
    LLVMBasicBlockRef on = new_block(t);
    LLVMBuildStore(b, st, t->status);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, st, cg_integer(t->e, 32, 0, WEFT_OK), ""), on, t->failed);
    LLVMPositionBuilderAtEnd(b, on);
}

static void steps(spinner *t, uint32_t from, uint32_t to);

/* On to head, or out of the function. The load is atomic: it is not moved out of the loop. */
static void turn_around(spinner *t, LLVMBasicBlockRef head) {
    LLVMBuilderRef b = t->e->b;
    LLVMBasicBlockRef stops = new_block(t);
    LLVMValueRef word = LLVMBuildLoad2(b, cg_int(t->e, 32, 0), t->stop, "");
    LLVMSetOrdering(word, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(word, sizeof(uint32_t));
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, word, cg_integer(t->e, 32, 0, 0), ""), head, stops);
    LLVMPositionBuilderAtEnd(b, stops);
    LLVMBuildStore(b, cg_integer(t->e, 32, 0, WEFT_ERR_PEER), t->status);
    LLVMBuildBr(b, t->failed);
}

/* Whether all that the steps touch is in one of the stretches or apart from both, and these are apart from those that
 * trade already. */
static bool may_trade(const spinner *t, const trade *d, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < t->trade_count; i++)
        for (int s = 0; s < 2; s++)
            if (!lies_apart(&t->trades[i], 0, &d->side[s], d->bytes) ||
                !lies_apart(&t->trades[i], 1, &d->side[s], d->bytes))
                return false;
    for (uint32_t i = from; i < to; i++)
        for (uint32_t k = 0; k < t->s->steps[i].step->slice_count; k++) {
            const cg_strand_place *x = &t->s->steps[i].places[k];
            const int64_t bytes = t->s->steps[i].step->slices[k].bytes;
            for (int s = 0; s < 2; s++)
                if (!lies_in(d, s, x, bytes) && !lies_apart(d, s, x, bytes)) return false;
        }
    return lies_apart(d, 0, &d->side[1], d->bytes);
}

/* Of the copies at the end of a loop's turn, whose steps are from .. to: those whose memory trades places. */
static void begin_trades(spinner *t, uint32_t from, uint32_t to) {
    for (uint32_t i = to; i-- > from && t->s->steps[i].does == CG_STRAND_COPY && t->trade_count < MOST_TRADES;) {
        const cg_strand_step *x = &t->s->steps[i];
        const weft_copy_state *c = x->step->code.state;
        trade d = { .copy = x, .side = { x->places[0], x->places[1] }, .bytes = c->bytes };
        if (!c->is_last || (double)c->bytes < t->e->costs->trade_bytes ||
            d.side[0].part != UINT32_MAX || d.side[1].part != UINT32_MAX ||
            !may_trade(t, &d, from, to))
            continue;
        for (int s = 0; s < 2; s++) {
            LLVMValueRef now = place(t, &d.side[s]);
            d.at[s] = at_entry(t, t->pointer);
            LLVMBuildStore(t->e->b, now, d.at[s]);
            if (s) d.home = now;
        }
        t->trades[t->trade_count++] = d;
    }
}

static bool trades(spinner *t, const cg_strand_step *copy) {
    LLVMBuilderRef b = t->e->b;
    for (uint32_t i = 0; i < t->trade_count; i++) {
        const trade *d = &t->trades[i];
        if (d->copy != copy) continue;
        LLVMValueRef from = LLVMBuildLoad2(b, t->pointer, d->at[0], ""),
                     to = LLVMBuildLoad2(b, t->pointer, d->at[1], "");
        LLVMBuildStore(b, to, d->at[0]);
        LLVMBuildStore(b, from, d->at[1]);
        return true;
    }
    return false;
}

/* After the loop: what is not where the code after it looks is copied there. */
static void end_trades(spinner *t, uint32_t kept) {
    LLVMBuilderRef b = t->e->b;
    while (t->trade_count > kept) {
        const trade *d = &t->trades[--t->trade_count];
        LLVMBasicBlockRef away = new_block(t), after = new_block(t);
        LLVMValueRef now = LLVMBuildLoad2(b, t->pointer, d->at[1], "");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, now, d->home, ""), after, away);
        LLVMPositionBuilderAtEnd(b, away);
        copy_bytes(t, d->home, now, d->bytes);
        LLVMBuildBr(b, after);
        LLVMPositionBuilderAtEnd(b, after);
    }
}

static void count_turn(spinner *t, LLVMValueRef number) {
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef before = LLVMBuildLoad2(b, cg_int(t->e, 64, 0), number, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, before, cg_integer(t->e, 64, 0, 1), ""), number);
}

static void loop(spinner *t, const cg_strand_step *x, uint32_t at) {
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef number = t->turns[t->turn_count++];
    const uint32_t kept = t->trade_count;
    LLVMBasicBlockRef head = new_block(t), body = new_block(t), out = new_block(t);
    const uint32_t cond = at + 1, turn = cond + x->step->cond_steps;
    begin_trades(t, cond, turn + x->step->body_steps);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    steps(t, cond, turn);
    LLVMValueRef more = LLVMBuildLoad2(b, cg_int(t->e, 8, 0), place(t, &x->places[0]), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, more, cg_integer(t->e, 8, 0, 0), ""), body, out);
    LLVMPositionBuilderAtEnd(b, body);
    steps(t, turn, turn + x->step->body_steps);
    count_turn(t, number);
    turn_around(t, head);
    LLVMPositionBuilderAtEnd(b, out);
    end_trades(t, kept);
}

/* Out of range: the last. */
static void branches(spinner *t, const cg_strand_step *x, uint32_t at) {
    LLVMBuilderRef b = t->e->b;
    const uint32_t n = x->step->branch_count;
    LLVMBasicBlockRef out = new_block(t), last = new_block(t);
    LLVMValueRef which = LLVMBuildLoad2(b, cg_int(t->e, 32, 0), place(t, &x->places[0]), "");
    LLVMValueRef choice = LLVMBuildSwitch(b, which, last, n);
    const uint32_t numbers = t->turn_count;
    t->turn_count += n;
    uint32_t from = at + 1;
    for (uint32_t i = 0; i < n; from += x->step->branch_steps[i++]) {
        LLVMBasicBlockRef here = i + 1 == n ? last : new_block(t);
        if (here != last) LLVMAddCase(choice, cg_integer(t->e, 32, 0, i), here);
        LLVMPositionBuilderAtEnd(b, here);
        count_turn(t, t->turns[numbers + i]);
        steps(t, from, from + x->step->branch_steps[i]);
        LLVMBuildBr(b, out);
    }
    LLVMPositionBuilderAtEnd(b, out);
}

static void steps(spinner *t, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i += cg_step_span(t->s->steps[i].step)) {
        const cg_strand_step *x = &t->s->steps[i];
        switch (x->does) {
        case CG_STRAND_KERNEL: kernel(t, x); break;
        case CG_STRAND_COPY:
            if (trades(t, x)) break;
            copy_bytes(t, place(t, &x->places[1]), place(t, &x->places[0]),
                       ((const weft_copy_state *)x->step->code.state)->bytes);
            break;
        case CG_STRAND_CALL: call(t, x); break;
        case CG_STRAND_CONTROL:
            if (x->step->kind == WEFT_STEP_WHILE) loop(t, x, i);
            else branches(t, x, i);
            break;
        }
    }
}

static void begin(spinner *t) {
    uint32_t most = 1;
    for (uint32_t i = 0; i < t->s->count; i++)
        most = t->s->steps[i].step->slice_count > most ? t->s->steps[i].step->slice_count : most;
    t->table_type = LLVMArrayType2(t->pointer, most);
    t->table = at_entry(t, t->table_type);
    for (uint32_t i = 0; i < t->s->base_count; i++) {
        LLVMValueRef at = cg_integer(t->e, 64, 0, i);
        t->base[i] = LLVMBuildLoad2(t->e->b, t->pointer,
                                    LLVMBuildGEP2(t->e->b, t->pointer, LLVMGetParam(t->fn, 1), &at, 1, ""), "");
    }
    for (uint32_t i = 0; i < t->s->part_count; i++)
        t->part[i] = at_entry(t, LLVMArrayType2(cg_int(t->e, 8, 0), (uint64_t)t->s->parts[i].bytes));
    exchange(t, false);
}

/* Where nobody will stop the run there is a word of 0 to read. */
static void find_stop(spinner *t) {
    LLVMBuilderRef b = t->e->b;
    LLVMValueRef never = at_entry(t, cg_int(t->e, 32, 0)),
                 given = LLVMBuildLoad2(b, t->pointer, bytes_behind(t, t->env, offsetof(weft_run_env, stop)), "");
    LLVMBuildStore(b, cg_integer(t->e, 32, 0, 0), never);
    t->stop = LLVMBuildSelect(b, LLVMBuildIsNull(b, given, ""), never, given, "");
}

static uint32_t numbers_of(const cg_strand *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->steps[i].does == CG_STRAND_CONTROL)
            n += s->steps[i].step->kind == WEFT_STEP_WHILE ? 1 : s->steps[i].step->branch_count;
    return n;
}

static void begin_turns(spinner *t) {
    for (uint32_t i = 0, n = numbers_of(t->s); i < n; i++) {
        t->turns[i] = at_entry(t, cg_int(t->e, 64, 0));
        LLVMBuildStore(t->e->b, cg_integer(t->e, 64, 0, 0), t->turns[i]);
    }
}

static void tell_turns(spinner *t) {
    LLVMBuilderRef b = t->e->b;
    LLVMTypeRef number = cg_int(t->e, 64, 0);
    LLVMBasicBlockRef asked = new_block(t), after = new_block(t);
    LLVMValueRef to = LLVMBuildLoad2(b, t->pointer, bytes_behind(t, t->env, offsetof(weft_run_env, turns)), "");
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, to, ""), after, asked);
    LLVMPositionBuilderAtEnd(b, asked);
    for (uint32_t i = 0; i < t->turn_count; i++) {
        LLVMValueRef at = cg_integer(t->e, 64, 0, i), there = LLVMBuildGEP2(b, number, to, &at, 1, ""),
                     sum = LLVMBuildAdd(b, LLVMBuildLoad2(b, number, there, ""),
                                        LLVMBuildLoad2(b, number, t->turns[i], ""), "");
        LLVMBuildStore(b, sum, there);
    }
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
}

weft_status cg_emit_strand(cg_emit *e, weft_arena *arena, const cg_strand *s, const char *name) {
    const weft_mark mark = weft_arena_mark(arena);
    spinner t = { .e = e, .arena = arena, .s = s, .pointer = LLVMPointerTypeInContext(e->cx, 0) };
    t.base = weft_arena_array(arena, LLVMValueRef, s->base_count);
    t.part = weft_arena_array(arena, LLVMValueRef, s->part_count);
    t.turns = weft_arena_array(arena, LLVMValueRef, numbers_of(s));
    if (!t.base || !t.part || !t.turns) {
        weft_arena_reset(arena, mark);
        return weft_oom();
    }
    t.fn = cg_step_function(e, name);
    t.state = LLVMGetParam(t.fn, 0);
    t.env = LLVMGetParam(t.fn, 2);
    t.status = at_entry(&t, cg_int(e, 32, 0));
    t.failed = new_block(&t);
    LLVMPositionBuilderAtEnd(e->b, t.failed);
    LLVMBuildRet(e->b, LLVMBuildLoad2(e->b, cg_int(e, 32, 0), t.status, ""));
    LLVMPositionBuilderAtEnd(e->b, LLVMGetEntryBasicBlock(t.fn));
    begin(&t);
    find_stop(&t);
    begin_turns(&t);
    steps(&t, 0, s->count);
    exchange(&t, true);
    tell_turns(&t);
    LLVMBuildRet(e->b, cg_integer(e, 32, 0, WEFT_OK));
    weft_arena_reset(arena, mark);
    return WEFT_OK;
}
