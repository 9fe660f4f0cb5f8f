/* sdy-constant-or-scalar-splitter: each reader of a constant gets its own, so that readers are not tied to one sharding. A
 * constant is an sdy.constant or stablehlo.iota, or an elementwise op, broadcast, reshape or slice of constants, or a named
 * computation of constants in which there is nothing else; a broadcast of a scalar counts too. Scalars stay shared: they cannot
 * be sharded. stablehlo.constant becomes sdy.constant, which nothing folds.
 * Needs: nothing; results of calls are no constants. Leaves: constants, but for scalars, with one reader each; originals that
 * nobody reads are gone.
 * Source: Shardy, docs/sdy_import_passes.md. sdy-constant-or-scalar-merger undoes it.
 *
 * A clone stands where its original stood, and those of earlier readers stand first. So the pass first walks the program and
 * notes on each original the readers for whom it is cloned, then copies. */
#include "propagate/copy.h"
#include "propagate/op_traits.h"
#include "propagate/propagate.h"

typedef enum split_class { SPLIT_NOT, SPLIT_CONSTANT, SPLIT_EXPANSION } split_class;

typedef struct split_clone { /* one clone of one op */
    uint32_t reader;           /* number of the operand that reads the root of the cloned tree */
    uint32_t result;           /* the result that was asked for first */
    weft_op *made;
} split_clone;

typedef struct split_op {
    uint8_t class;
    bool kept;                 /* the original is still read */
    split_clone *clones;       /* by rising reader */
    size_t count, cap;
} split_op;

typedef struct splitter {
    weft_context *cx;
    weft_arena arena;
    weft_uses uses;
    split_op *ops;             /* by op id of the old module */
    uint32_t *first_operand;   /* by op id: number of its operand 0 */
    bool *cloned_operand;      /* by number: reads a clone */
    bool *varying;             /* by name id: a named computation of this name holds something that no constant is made of */
    size_t varying_cap;
} splitter;

/* The name of a named computation; those of one name are taken to be alike. NULL: no memory. */
static weft_name computation_name(weft_context *cx, const weft_op *op) {
    const weft_attr *name = weft_op_attr(op, WEFT_A_name);
    return weft_name_intern(cx, name ? name->s : (weft_str){ 0 });
}

static bool is_varying(const splitter *s, const weft_op *computation) {
    weft_name name = computation_name(s->cx, computation);
    return !name || (name->id < s->varying_cap && s->varying[name->id]);
}

/* The named computation around op is none of constants. */
static weft_status note_varying(splitter *s, const weft_op *op) {
    const weft_op *around = weft_op_parent(op);
    while (around && around->kind != WEFT_OP_sdy_named_computation) around = weft_op_parent(around);
    weft_name name = around ? computation_name(s->cx, around) : NULL;
    if (!around) return WEFT_OK;
    if (!name || !weft_arena_grow(&s->arena, (void **)&s->varying, &s->varying_cap, name->id + 1, sizeof *s->varying)) return weft_oom();
    s->varying[name->id] = true;
    return WEFT_OK;
}

static bool is_preserving(const splitter *s, const weft_op *op) {
    static const weft_op_kind kinds[] = { WEFT_OP_broadcast_in_dim, WEFT_OP_reshape, WEFT_OP_slice };
    if (op->kind == WEFT_OP_sdy_named_computation) return !is_varying(s, op);
    if (op->kind == WEFT_OP_func_call || !weft_op_is_pure(op)) return false;
    for (size_t i = 0; i < WEFT_COUNT(kinds); i++)
        if (op->kind == kinds[i]) return true;
    return weft_op_is_elementwise(op);
}

static split_class class_of(const splitter *s, const weft_op *op) {
    if (op->kind == WEFT_OP_constant || op->kind == WEFT_OP_sdy_constant || op->kind == WEFT_OP_iota) return SPLIT_CONSTANT;
    bool constant = is_preserving(s, op);
    for (uint32_t i = 0; constant && i < op->operand_count; i++)
        constant = op->operands[i]->def && s->ops[op->operands[i]->def->id].class == SPLIT_CONSTANT;
    if (constant) return SPLIT_CONSTANT;
    return op->kind == WEFT_OP_broadcast_in_dim && weft_op_is_scalar_value(op->operands[0]) ? SPLIT_EXPANSION : SPLIT_NOT;
}

static bool has_clone(const split_op *op, uint32_t reader) { return op->count && op->clones[op->count - 1].reader == reader; }

/* Notes that v's op and what it needs are cloned for the reader. */
static weft_status note_tree(splitter *s, const weft_value *v, uint32_t reader) {
    if (!v->def || weft_op_is_scalar_value(v) || has_clone(&s->ops[v->def->id], reader)) return WEFT_OK;
    split_op *op = &s->ops[v->def->id];
    for (uint32_t i = 0; i < v->def->operand_count; i++) {
        weft_status st = note_tree(s, v->def->operands[i], reader);
        if (st != WEFT_OK) return st;
    }
    if (!weft_arena_grow(&s->arena, (void **)&op->clones, &op->cap, op->count + 1, sizeof *op->clones)) return weft_oom();
    op->clones[op->count++] = (split_clone){ reader, v->index, NULL };
    return WEFT_OK;
}

static weft_status note_op(splitter *s, const weft_op *op) {
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_group) return WEFT_OK;
    split_class class = class_of(s, op);
    s->ops[op->id].class = (uint8_t)class;
    if (class != SPLIT_CONSTANT && !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR) && !is_preserving(s, op)) st = note_varying(s, op);
    for (uint32_t i = 0; st == WEFT_OK && class == SPLIT_NOT && i < op->operand_count; i++) {
        const weft_value *v = op->operands[i];
        uint32_t reader = s->first_operand[op->id] + i;
        if (!v->def || s->ops[v->def->id].class == SPLIT_NOT || weft_op_is_scalar_value(v)) continue;
        s->cloned_operand[reader] = true;
        st = note_tree(s, v, reader);
    }
    return st;
}

/* The ops of op's regions in program order; what is inside named computations has been noted before. */
static weft_status note_regions(splitter *s, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (const weft_op *inner = b->first; inner && st == WEFT_OK; inner = inner->next) {
                st = note_op(s, inner);
                if (st == WEFT_OK && inner->kind != WEFT_OP_sdy_named_computation) st = note_regions(s, inner);
            }
    return st;
}

/* Computations inside others come first: whether they hold constants only is to be known outside. */
static weft_status note_computations(splitter *s, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (const weft_op *inner = b->first; inner && st == WEFT_OK; inner = inner->next) st = note_computations(s, inner);
    return st == WEFT_OK && op->kind == WEFT_OP_sdy_named_computation ? note_regions(s, op) : st;
}

/* An original stays when somebody reads it who stays: a reader that did not get a clone, a clone of a reader (of scalars), or an
 * original that stays. Later ops are decided first. */
static void note_kept(splitter *s, const weft_op *op) {
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const weft_block *b = op->regions[r].first; b; b = b->next)
            for (const weft_op *inner = b->last; inner; inner = inner->prev) note_kept(s, inner);
    split_op *me = &s->ops[op->id];
    if (me->class == SPLIT_NOT) return;
    for (uint32_t i = 0; i < op->result_count && !me->kept; i++) {
        uint32_t v = op->results[i].id;
        for (uint32_t k = s->uses.start[v]; k < s->uses.start[v + 1] && !me->kept; k++) {
            const weft_use *use = &s->uses.use[k];
            const split_op *reader = &s->ops[use->op->id];
            if (use->op->kind == WEFT_OP_sdy_sharding_group) continue;
            if (reader->class == SPLIT_NOT) me->kept = !s->cloned_operand[s->first_operand[use->op->id] + use->operand];
            else me->kept = reader->kept || (reader->count && weft_op_is_scalar_value(&op->results[i]));
        }
    }
}

/* Copying. */

static weft_value *clone_for(const splitter *s, const weft_value *v, uint32_t reader) {
    const split_op *op = v->def ? &s->ops[v->def->id] : NULL;
    size_t lo = 0, hi = op ? op->count : 0;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (op->clones[mid].reader < reader) lo = mid + 1;
        else hi = mid;
    }
    return op && lo < op->count && op->clones[lo].reader == reader ? &op->clones[lo].made->results[v->index] : NULL;
}

static weft_op_kind split_kind(const weft_op *op) { return op->kind == WEFT_OP_constant ? WEFT_OP_sdy_constant : (weft_op_kind)op->kind; }

/* A copy of op whose operands are those cloned for the reader, or the plain copies. */
static weft_op *build_one(weft_copy *c, const weft_op *op, uint32_t reader, bool for_reader) {
    const splitter *s = c->user;
    weft_context *cx = c->b.m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_value **operands = weft_scratch_array(cx, weft_value *, op->operand_count);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count);
    weft_op *made = NULL;
    if (operands && types) {
        for (uint32_t i = 0; i < op->operand_count; i++) {
            weft_value *own = for_reader ? clone_for(s, op->operands[i], reader) : NULL;
            operands[i] = own ? own : weft_copy_of(c, op->operands[i]);
        }
        for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
        c->b.loc = op->loc;
        made = weft_build_op(&c->b, &(weft_op_spec){ .kind = split_kind(op), .operands = operands, .operand_count = op->operand_count, .types = types,
                                                     .result_count = op->result_count, .attrs = op->attrs, .attr_count = op->attr_count,
                                                     .region_count = op->region_count });
        for (uint32_t i = 0; made && i < op->result_count; i++) made->results[i].hint = op->results[i].hint;
        if (made && weft_copy_regions(c, op, made) != WEFT_OK) made = NULL;
    } else {
        c->b.status = weft_oom();
    }
    weft_arena_reset(&cx->scratch, mark);
    return made;
}

/* Whoever is in a sharding group stays in it as a clone. */
static weft_status clone_groups(weft_copy *c, const weft_value *v, weft_value *made) {
    const splitter *s = c->user;
    for (uint32_t k = s->uses.start[v->id]; k < s->uses.start[v->id + 1]; k++) {
        const weft_op *group = s->uses.use[k].op;
        if (group->kind != WEFT_OP_sdy_sharding_group) continue;
        c->b.loc = group->loc;
        weft_build_op(&c->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_sharding_group, .operands = &made, .operand_count = 1, .attrs = group->attrs, .attr_count = group->attr_count });
    }
    return c->b.status;
}

static weft_status split_constant(weft_copy *c, const weft_op *op) {
    const splitter *s = c->user;
    split_op *me = &s->ops[op->id];
    for (size_t i = 0; i < me->count; i++) {
        weft_op *made = build_one(c, op, me->clones[i].reader, true);
        if (!made) return c->b.status;
        me->clones[i].made = made;
        weft_status st = clone_groups(c, &op->results[me->clones[i].result], &made->results[me->clones[i].result]);
        if (st != WEFT_OK) return st;
    }
    if (!me->kept) return WEFT_OK;
    weft_op *made = build_one(c, op, 0, false);
    for (uint32_t i = 0; made && i < op->result_count; i++) weft_copy_map(c, &op->results[i], &made->results[i]);
    return c->b.status;
}

static weft_status visit(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const splitter *s = c->user;
    if (op->kind == WEFT_OP_sdy_sharding_group) { /* of an original that goes: its clones have theirs */
        *answer = weft_copy_of(c, op->operands[0]) ? WEFT_COPY_AS_IS : WEFT_COPY_DONE;
        return WEFT_OK;
    }
    if (s->ops[op->id].class == SPLIT_NOT) return WEFT_OK;
    *answer = WEFT_COPY_DONE;
    return split_constant(c, op);
}

static weft_value *operand(weft_copy *c, const weft_op *op, uint32_t i) {
    const splitter *s = c->user;
    uint32_t reader = s->first_operand[op->id] + i;
    return s->cloned_operand[reader] ? clone_for(s, op->operands[i], reader) : weft_copy_of(c, op->operands[i]);
}

static void number_operands(splitter *s, const weft_op *op, uint32_t *next) {
    s->first_operand[op->id] = *next;
    *next += op->operand_count;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b) number_operands(s, inner, next);
}

static weft_status prepare(splitter *s, const weft_module *in) {
    uint32_t operands = 0;
    s->ops = weft_arena_array(&s->arena, split_op, in->op_count);
    s->first_operand = weft_arena_array(&s->arena, uint32_t, in->op_count);
    if (!s->ops || !s->first_operand) return weft_oom();
    number_operands(s, in->root, &operands);
    s->cloned_operand = weft_arena_array(&s->arena, bool, operands);
    weft_status st = s->cloned_operand ? weft_uses_build(in, &s->arena, &s->uses) : weft_oom();
    if (st == WEFT_OK) st = note_computations(s, in->root);
    if (st == WEFT_OK) st = note_regions(s, in->root);
    if (st == WEFT_OK) note_kept(s, in->root);
    return st;
}

weft_status weft_pass_constant_or_scalar_splitter(weft_pass *p, const weft_module *in, weft_module **out) {
    splitter s = { .cx = p->cx };
    weft_arena_init(&s.arena, &p->cx->chunks);
    weft_status st = prepare(&s, in);
    if (st == WEFT_OK) st = weft_copy_module(in, &(weft_copy_hooks){ .visit = visit, .operand = operand }, &s, out);
    weft_arena_free(&s.arena);
    return st;
}
