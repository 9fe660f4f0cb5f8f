/* sdy-constant-or-scalar-splitter: gives each reader of a constant its own copy, so that readers are not tied to one
 * sharding. A constant is an sdy.constant or stablehlo.iota, an elementwise op, broadcast, reshape or slice of
 * constants, a named computation of constants that contains nothing else, or a call of such a function, which is then
 * copied with all its callees; a broadcast of a scalar counts too. Scalars stay shared: they cannot be sharded.
 * stablehlo.constant becomes sdy.constant, which nothing folds. Needs: nothing. Leaves: constants, except scalars, with
 * one reader each; originals without readers are removed, but functions without callers stay. Source:
 * Shardy, docs/sdy_import_passes.md. sdy-constant-or-scalar-merger undoes it.
 *
 * A clone takes the place of its original, those of earlier readers first. So the pass first walks the program and
 * notes on each original the readers that get a clone, then copies. Callees come before their callers: a copied
 * function is split already. */
#include "ir/tidy.h"
#include "propagate/func_copies.h"
#include "propagate/op_traits.h"
#include "propagate/propagate.h"
#include "propagate/readers.h"

typedef enum split_class { SPLIT_NOT, SPLIT_CONSTANT, SPLIT_EXPANSION } split_class;

typedef struct split_clone { /* one clone of one op */
    uint32_t reader;           /* number of the operand that reads the root of the cloned tree */
    uint32_t result;           /* the first requested result */
    /* clones are made in this order: one reads a scalar of another clone only if that came first */
    uint32_t turn;
    uint32_t callee;           /* for a call: the instance that the clone calls */
    weft_op *made;
} split_clone;

typedef struct split_op {
    uint8_t class;
    bool kept;                 /* the original is still read */
    split_clone *clones;       /* by ascending reader */
    size_t count, cap;
} split_op;

/* Functions and computations that contain more than constants. */
typedef enum split_varying { VARYING_COMPUTATION = 1, VARYING_FUNC = 2 } split_varying;

typedef struct splitter {
    weft_context *cx;
    weft_func_copies funcs;
    const weft_op *func;       /* the current function */
    weft_arena arena;
    weft_uses uses;
    split_op *ops;             /* by op id of the old module */
    uint32_t *first_operand;   /* by op id: number of its operand 0 */
    bool *cloned_operand;      /* by number: reads a clone */
    uint32_t clone_count;
    uint8_t *varying;          /* by name id: of the named computations of this name, of the functions first named so */
    size_t varying_cap;
    bool computations;         /* there may be named computations */
    /* by function: it has copies, which are made from its original form, so that it becomes an instance itself */
    bool *copied;
    uint32_t *callees;         /* the new calls of the current function; its own when it is done */
    size_t callee_count, callee_cap;
} splitter;

/* The name of a named computation; those of one name are taken to be equal. NULL: memory is out. */
static weft_name computation_name(weft_context *cx, const weft_op *op) {
    const weft_attr *name = weft_op_attr(op, WEFT_A_name);
    return weft_name_intern(cx, name ? name->s : (weft_str){ 0 });
}

static bool is_varying(const splitter *s, weft_name name, split_varying what) {
    return !name || (name->id < s->varying_cap && (s->varying[name->id] & what));
}

static weft_status mark_varying(splitter *s, weft_name name, split_varying what) {
    if (!name || !weft_arena_grow(&s->arena, (void **)&s->varying, &s->varying_cap, name->id + 1, sizeof *s->varying))
        return weft_oom();
    s->varying[name->id] |= (uint8_t)what;
    return WEFT_OK;
}

/* Notes that the named computation around op and the function contain more than constants. */
static weft_status note_varying(splitter *s, const weft_op *op) {
    const weft_op *around = weft_op_parent(op);
    while (around && around->kind != WEFT_OP_sdy_named_computation) around = weft_op_parent(around);
    weft_status st = around ? mark_varying(s, computation_name(s->cx, around), VARYING_COMPUTATION) : WEFT_OK;
    return st == WEFT_OK ? mark_varying(s, weft_func_original_name(s->cx, s->func), VARYING_FUNC) : st;
}

static uint32_t callee_of(const splitter *s, const weft_op *call) {
    return s->funcs.graph.callee[s->funcs.graph.of_op[call->id]];
}

/* A function without a body is unknown. */
static bool calls_varying(const splitter *s, const weft_op *call) {
    const weft_op *f = s->funcs.graph.funcs[callee_of(s, call)];
    return !weft_op_body(f, 0) || is_varying(s, weft_func_original_name(s->cx, f), VARYING_FUNC);
}

static bool is_preserving(const splitter *s, const weft_op *op) {
    static const weft_op_kind kinds[] = { WEFT_OP_broadcast_in_dim, WEFT_OP_reshape, WEFT_OP_slice };
    if (op->kind == WEFT_OP_sdy_named_computation)
        return !is_varying(s, computation_name(s->cx, op), VARYING_COMPUTATION);
    if (op->kind == WEFT_OP_func_call) return !calls_varying(s, op);
    if (!weft_op_is_pure(op)) return false;
    for (size_t i = 0; i < WEFT_COUNT(kinds); i++)
        if (op->kind == kinds[i]) return true;
    return weft_op_is_elementwise(op);
}

static split_class class_of(const splitter *s, const weft_op *op) {
    if (op->kind == WEFT_OP_constant || op->kind == WEFT_OP_sdy_constant || op->kind == WEFT_OP_iota)
        return SPLIT_CONSTANT;
    bool constant = is_preserving(s, op);
    for (uint32_t i = 0; constant && i < op->operand_count; i++)
        constant = op->operands[i]->def && s->ops[op->operands[i]->def->id].class == SPLIT_CONSTANT;
    if (constant) return SPLIT_CONSTANT;
    return op->kind == WEFT_OP_broadcast_in_dim && weft_op_is_scalar_value(op->operands[0]) ? SPLIT_EXPANSION
                                                                                            : SPLIT_NOT;
}

static bool has_clone(const split_op *op, uint32_t reader) {
    return op->count && op->clones[op->count - 1].reader == reader;
}

/* The clone of v's op for a reader, or NULL. */
static const split_clone *clone_for(const splitter *s, const weft_value *v, uint32_t reader) {
    const split_op *op = v->def ? &s->ops[v->def->id] : NULL;
    size_t lo = 0, hi = op ? op->count : 0;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (op->clones[mid].reader < reader) lo = mid + 1;
        else hi = mid;
    }
    return op && lo < op->count && op->clones[lo].reader == reader ? &op->clones[lo] : NULL;
}

/* The clone that a clone reads; NULL: it reads the original. */
static const split_clone *read_by(const splitter *s, const split_clone *by, const weft_value *v) {
    const split_clone *read = clone_for(s, v, by->reader);
    return read && read->turn < by->turn ? read : NULL;
}

/* Notes that v's op and its inputs are cloned for the reader. */
static weft_status note_tree(splitter *s, const weft_value *v, uint32_t reader) {
    if (!v->def || weft_op_is_scalar_value(v) || has_clone(&s->ops[v->def->id], reader)) return WEFT_OK;
    split_op *op = &s->ops[v->def->id];
    for (uint32_t i = 0; i < v->def->operand_count; i++) {
        weft_status st = note_tree(s, v->def->operands[i], reader);
        if (st != WEFT_OK) return st;
    }
    if (!weft_arena_grow(&s->arena, (void **)&op->clones, &op->cap, op->count + 1, sizeof *op->clones))
        return weft_oom();
    op->clones[op->count++] = (split_clone){ .reader = reader, .result = v->index, .turn = s->clone_count++ };
    return v->def->kind == WEFT_OP_func_call
               ? weft_func_copies_add(&s->funcs, callee_of(s, v->def), &op->clones[op->count - 1].callee)
               : WEFT_OK;
}

static weft_status note_op(splitter *s, const weft_op *op) {
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_group) return WEFT_OK;
    split_class class = class_of(s, op);
    s->ops[op->id].class = (uint8_t)class;
    if (class != SPLIT_CONSTANT && !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR) &&
        !is_preserving(s, op))
        st = note_varying(s, op);
    for (uint32_t i = 0; st == WEFT_OK && class == SPLIT_NOT && i < op->operand_count; i++) {
        const weft_value *v = op->operands[i];
        uint32_t reader = s->first_operand[op->id] + i;
        if (!v->def || s->ops[v->def->id].class == SPLIT_NOT || weft_op_is_scalar_value(v)) continue;
        s->cloned_operand[reader] = true;
        st = note_tree(s, v, reader);
    }
    return st;
}

/* The ops of op's regions in program order; the contents of named computations have been noted before. */
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

/* Inner computations first: outer ones depend on whether they contain only constants. */
static weft_status note_computations(splitter *s, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (const weft_op *inner = b->first; inner && st == WEFT_OK; inner = inner->next)
                st = note_computations(s, inner);
    return st == WEFT_OK && op->kind == WEFT_OP_sdy_named_computation ? note_regions(s, op) : st;
}

static bool clones_read_original(const splitter *s, const split_op *reader, const weft_value *v) {
    bool some = false;
    for (size_t i = 0; i < reader->count && !some; i++) some = !read_by(s, &reader->clones[i], v);
    return some;
}

/* An original stays if one of its readers stays: a reader without a clone, a clone of a reader (of scalars), or an
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
            else
                me->kept = reader->kept || (weft_op_is_scalar_value(&op->results[i]) &&
                                            clones_read_original(s, reader, &op->results[i]));
        }
    }
}

/* The calls of the new function, in order. */

static weft_status note_calls(splitter *s, const weft_op *op);

static weft_status note_call(splitter *s, uint32_t callee) {
    if (!weft_arena_grow(&s->arena, (void **)&s->callees, &s->callee_cap, s->callee_count + 1, sizeof *s->callees))
        return weft_oom();
    s->callees[s->callee_count++] = callee;
    return WEFT_OK;
}

/* The calls in each copy of op: its clones, then the original. */
static weft_status note_calls_of_copies(splitter *s, const weft_op *op) {
    const split_op *me = &s->ops[op->id];
    size_t copies = me->count + (me->class == SPLIT_NOT || me->kept);
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < copies; i++) {
        if (op->kind == WEFT_OP_func_call) st = note_call(s, i < me->count ? me->clones[i].callee : callee_of(s, op));
        else st = note_calls(s, op);
    }
    return st;
}

static weft_status note_calls(splitter *s, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (const weft_op *inner = b->first; inner && st == WEFT_OK; inner = inner->next)
                st = note_calls_of_copies(s, inner);
    return st;
}

static weft_status note_func(splitter *s, uint32_t f) {
    s->func = s->funcs.graph.funcs[f];
    const weft_call_graph *g = &s->funcs.graph;
    weft_status st = s->computations ? note_computations(s, s->func) : WEFT_OK;
    if (st == WEFT_OK) st = note_regions(s, s->func);
    if (st != WEFT_OK) return st;
    note_kept(s, s->func);
    s->callees = NULL;
    s->callee_count = s->callee_cap = 0;
    if (g->first_call[f] < g->first_call[f + 1]) st = note_calls(s, s->func);
    s->funcs.instances[f].callee = s->callees;
    s->funcs.instances[f].call_count = (uint32_t)s->callee_count;
    return st;
}

/* Copying. */

static weft_op_kind split_kind(const weft_op *op) {
    return op->kind == WEFT_OP_constant ? WEFT_OP_sdy_constant : (weft_op_kind)op->kind;
}

/* A clone of op, or, for NULL, its plain copy. */
static weft_op *build_one(weft_copy *c, const weft_op *op, const split_clone *clone) {
    splitter *s = c->user;
    weft_context *cx = c->b.m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_value **operands = weft_scratch_array(cx, weft_value *, op->operand_count);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count);
    weft_op *made = NULL;
    if (operands && types) {
        for (uint32_t i = 0; i < op->operand_count; i++) {
            const split_clone *read = clone ? read_by(s, clone, op->operands[i]) : NULL;
            operands[i] = read ? &read->made->results[op->operands[i]->index] : weft_copy_of(c, op->operands[i]);
        }
        for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
        c->b.loc = op->loc;
        made = weft_build_op(&c->b, &(weft_op_spec){ .kind = split_kind(op), .operands = operands,
                                                     .operand_count = op->operand_count, .types = types,
                                                     .result_count = op->result_count, .attrs = op->attrs,
                                                     .attr_count = op->attr_count, .region_count = op->region_count });
        for (uint32_t i = 0; made && i < op->result_count; i++) made->results[i].hint = op->results[i].hint;
        weft_status st = made ? weft_copy_regions(c, op, made) : c->b.status;
        if (st == WEFT_OK && op->kind == WEFT_OP_func_call) st = weft_func_copies_retarget(&s->funcs, c->out, made);
        if (st != WEFT_OK) {
            c->b.status = st;
            made = NULL;
        }
    } else {
        c->b.status = weft_oom();
    }
    weft_arena_reset(&cx->scratch, mark);
    return made;
}

/* Clones stay in the sharding groups of their originals. */
static weft_status clone_groups(weft_copy *c, const weft_value *v, weft_value *made) {
    const splitter *s = c->user;
    for (uint32_t k = s->uses.start[v->id]; k < s->uses.start[v->id + 1]; k++) {
        const weft_op *group = s->uses.use[k].op;
        if (group->kind != WEFT_OP_sdy_sharding_group) continue;
        c->b.loc = group->loc;
        weft_build_op(&c->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_sharding_group, .operands = &made, .operand_count = 1,
                                              .attrs = group->attrs, .attr_count = group->attr_count });
    }
    return c->b.status;
}

static weft_status split_constant(weft_copy *c, const weft_op *op) {
    const splitter *s = c->user;
    split_op *me = &s->ops[op->id];
    for (size_t i = 0; i < me->count; i++) {
        weft_op *made = build_one(c, op, &me->clones[i]);
        if (!made) return c->b.status;
        me->clones[i].made = made;
        weft_status st = clone_groups(c, &op->results[me->clones[i].result], &made->results[me->clones[i].result]);
        if (st != WEFT_OK) return st;
    }
    if (!me->kept) return WEFT_OK;
    weft_op *made = build_one(c, op, NULL);
    for (uint32_t i = 0; made && i < op->result_count; i++) weft_copy_map(c, &op->results[i], &made->results[i]);
    return c->b.status;
}

static weft_status visit(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    splitter *s = c->user;
    if (op->kind == WEFT_OP_func) {
        weft_func_copies_enter(&s->funcs, op);
        if (!s->copied[s->funcs.graph.of_op[op->id]]) return WEFT_OK;
        *answer = WEFT_COPY_DONE;
        return weft_copy_op(c, op) ? WEFT_OK : c->b.status;
    }
    if (op->kind == WEFT_OP_sdy_sharding_group) { /* of a removed original: its clones have their own */
        const weft_op *def = op->operands[0]->def;
        if (def && s->ops[def->id].class != SPLIT_NOT && !s->ops[def->id].kept) *answer = WEFT_COPY_DONE;
        return WEFT_OK;
    }
    if (s->ops[op->id].class == SPLIT_NOT) return WEFT_OK;
    *answer = WEFT_COPY_DONE;
    return split_constant(c, op);
}

static weft_status after_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    splitter *s = c->user;
    if (op->kind == WEFT_OP_func_call) return weft_func_copies_retarget(&s->funcs, c->out, copy);
    return op == c->in->root ? weft_func_copies_append(&s->funcs, c) : WEFT_OK;
}

static weft_value *operand(weft_copy *c, const weft_op *op, uint32_t i) {
    const splitter *s = c->user;
    uint32_t reader = s->first_operand[op->id] + i;
    return s->cloned_operand[reader] ? &clone_for(s, op->operands[i], reader)->made->results[op->operands[i]->index]
                                     : weft_copy_of(c, op->operands[i]);
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
    s->computations = weft_module_had(in, WEFT_OP_sdy_named_computation);
    s->ops = weft_arena_array(&s->arena, split_op, in->op_count);
    s->first_operand = weft_arena_array(&s->arena, uint32_t, in->op_count);
    if (!s->ops || !s->first_operand) return weft_oom();
    number_operands(s, in->root, &operands);
    s->cloned_operand = weft_arena_array(&s->arena, bool, operands);
    weft_status st = s->cloned_operand ? weft_uses_build(in, &s->arena, &s->uses) : weft_oom();
    if (st == WEFT_OK) st = weft_func_copies_open(in, &s->arena, &s->funcs);
    for (uint32_t k = s->funcs.graph.order_count; st == WEFT_OK && k-- > 0;) st = note_func(s, s->funcs.graph.order[k]);
    s->copied = weft_arena_array(&s->arena, bool, s->funcs.graph.func_count);
    if (st == WEFT_OK && !s->copied) st = weft_oom();
    for (size_t i = 0; st == WEFT_OK && i < s->funcs.appended_count; i++)
        s->copied[s->funcs.instances[s->funcs.appended[i]].func] = true;
    return st;
}

weft_status weft_pass_constant_or_scalar_splitter(weft_pass *p, const weft_module *in, weft_module **out) {
    splitter s = { .cx = p->cx };
    weft_arena_init(&s.arena, &p->cx->chunks);
    weft_status st = prepare(&s, in);
    const weft_copy_hooks hooks = { .visit = visit, .after = after_op, .operand = operand };
    if (st == WEFT_OK) st = weft_edit_module(p, in, &hooks, &s, out);
    weft_arena_free(&s.arena);
    if (st == WEFT_OK) weft_readers_in_program_order(*out);
    return st;
}
