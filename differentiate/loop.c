/* loop.c: the rule of stablehlo.while.
 *
 * The backward loop counts i from 0 and works on iteration count - 1 - i. It carries the cotangents of the values
 * that the loop carries, and a sum for each value from outside. What its body needs of an iteration the forward loop
 * writes into a buffer with an entry per iteration. The number of iterations is a constant, or counted by the forward
 * loop, whose buffers then have room for the most iterations that there may be (weft_loop_bound, or the bound that
 * the user gives).
 */
#include <math.h>

#include "differentiate/affine.h"

typedef struct loop {
    weft_op *op;
    int64_t trips, room;     /* trips -1: counted; room: entries of a buffer */
    weft_counter counter;
    bool trusted;            /* room is the user's word */
    bool counted;            /* it has a counter of known start and step */
    const weft_type *index;  /* a scalar of integers */
    weft_value *i;           /* of the backward loop */
    weft_value *count;       /* the number of iterations, if the forward loop counts them */
    weft_value *iteration;   /* count - 1 - i */
    weft_value *zero;
    weft_value **ct;         /* by value carried: the argument of the backward body, or NULL */
} loop;

/* The entry of this iteration. */
static weft_value *entry_of(gd *g, gd_scope *s, weft_value *buffer, const weft_type *t) {
    const loop *l = s->own;
    int64_t dims[WEFT_MAX_RANK + 1] = { 1 };
    weft_value *in[WEFT_MAX_RANK + 2] = { buffer, l->iteration };
    for (uint32_t d = 0; d < t->rank; d++) {
        dims[d + 1] = t->dims[d];
        in[d + 2] = l->zero;
    }
    weft_attr_pair sizes = { WEFT_A_slice_sizes, weft_attr_ints(g->cx, WEFT_I64, dims, t->rank + 1) };
    const weft_type *one = weft_type_tensor(g->cx, t->dtype, t->rank + 1, dims);
    weft_value *entry = weft_build_1(&s->b, WEFT_OP_dynamic_slice, one, in, t->rank + 2, &sizes, 1);
    return weft_build_1(&s->b, WEFT_OP_reshape, t, &entry, 1, NULL, 0);
}

static const weft_type *buffer_type(gd *g, const loop *l, const weft_type *t) {
    int64_t dims[WEFT_MAX_RANK + 1] = { l->room };
    for (uint32_t d = 0; d < t->rank; d++) dims[d + 1] = t->dims[d];
    return weft_type_tensor(g->cx, t->dtype, t->rank + 1, dims);
}

static bool is_counter(const gd_scope *s, const weft_value *v) {
    const loop *l = s->own;
    return l->counted && !v->def && v->index == l->counter.index;
}

/* The forward loop's counter in this iteration. */
static weft_value *counter_value(gd_scope *s, const weft_type *t) {
    const loop *l = s->own;
    weft_value *n = lg_convert(&s->b, l->iteration, t->dtype);
    if (l->counter.by != 1) n = lg_mul(&s->b, n, weft_build_integer(&s->b, t, l->counter.by));
    return l->counter.from ? lg_add(&s->b, n, weft_build_integer(&s->b, t, l->counter.from)) : n;
}

static weft_value *save(gd *g, gd_scope *s, weft_value *v) {
    if (is_counter(s, v)) return counter_value(s, v->type);
    if (!weft_type_is_static(v->type) || !weft_type_is_tensor(v->type) || v->type->rank == WEFT_MAX_RANK) {
        gd_refuse(g, s->op, "a value of its body cannot be saved");
        return NULL;
    }
    weft_value *buffer = gd_stand_in(g, buffer_type(g, s->own, v->type));
    return gd_note_saved(g, s, v, buffer) ? entry_of(g, s, buffer, v->type) : NULL;
}

static void begin(gd *g, gd_scope *s, gd_captured *c) {
    (void)g;
    c->sum = c->arg = weft_build_block_arg(&s->b, s->b.block, c->outer->type, s->b.loc);
}

/* ---- parts that are written once ---- */

static bool reads_else(gd *g, const weft_block *blk, const weft_value *v, const weft_op *slice) {
    WEFT_EACH_OP(op, blk) {
        for (uint32_t i = 0; op != slice && i < op->operand_count; i++)
            if (gd_origin(g, op->operands[i]) == v && !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR))
                return true;
        for (uint32_t r = 0; r < op->region_count; r++)
            WEFT_EACH_BLOCK(inner, &op->regions[r])
                if (reads_else(g, inner, v, slice)) return true;
    }
    return false;
}

bool gd_written_once(gd *g, weft_value *v, const weft_op *slice) {
    gd_scope *s = g->scope;
    const loop *l = s->begin == begin ? s->own : NULL;
    if (!l || !l->counted || l->trips < 1 || weft_value_block(v) == s->forward) return false;
    gd_captured *c = gd_capture(g, s, v);
    if (!c || c->sum != c->arg || reads_else(g, s->forward, v, slice)) return false;
    const gd_range of = { .g = g, .counter = s->forward->args[l->counter.index], .from = l->counter.from,
                          .by = l->counter.by, .trips = l->trips };
    for (uint32_t d = 0; d < v->type->rank; d++)
        if (gd_disjoint(&of, slice->operands[1 + d], slice->results[0].type->dims[d], v->type->dims[d]))
            return c->written = true;
    return false;
}

/* ---- the forward loop with buffers ---- */

typedef struct carrier {
    weft_builder at;         /* before the loop */
    weft_value **first, **next;
    const weft_type **types;
    size_t n;                /* values carried besides the loop's own */
} carrier;

static void carry(carrier *k, weft_value *first) {
    k->first[k->n] = first;
    k->types[k->n++] = first ? first->type : NULL;
}

/* A new argument of both regions; returns the body's. */
static weft_value *carry_arg(gd *g, carrier *k, weft_op *w, const weft_type *t) {
    weft_builder b;
    weft_builder_init(&b, g->m, NULL);
    weft_build_block_arg(&b, weft_op_body(w, 0), t, w->loc);
    weft_value *v = weft_build_block_arg(&b, weft_op_body(w, 1), t, w->loc);
    if (!v) gd_fail(g, weft_oom());
    (void)k;
    return v;
}

static weft_value *build_write(gd *g, weft_builder *b, weft_value *buffer, weft_value *v, weft_value *at,
                               weft_value *zero) {
    weft_value *in[WEFT_MAX_RANK + 3] = { buffer, NULL, at };
    int64_t dims[WEFT_MAX_RANK + 1] = { 1 };
    if (!buffer) return NULL;
    for (uint32_t d = 0; d < v->type->rank; d++) {
        dims[d + 1] = v->type->dims[d];
        in[d + 3] = zero;
    }
    in[1] = weft_build_1(b, WEFT_OP_reshape, weft_type_tensor(g->cx, v->type->dtype, v->type->rank + 1, dims), &v, 1,
                         NULL, 0);
    return weft_build_1(b, WEFT_OP_dynamic_update_slice, buffer->type, in, v->type->rank + 3, NULL, 0);
}

/* Whether the loop's counter is the number of the iteration. */
static bool numbers(const loop *l) {
    return l->counted && l->counter.from == 0 && l->counter.by == 1 && l->index->dtype == l->counter.dtype;
}

/* In the body: the buffers with this iteration's entries, and the next number. */
static void write_entries(gd *g, gd_scope *s, carrier *k, weft_op *w, bool own_number) {
    const loop *l = s->own;
    weft_block *body = weft_op_body(w, 1);
    weft_builder b;
    weft_builder_init(&b, g->m, body);
    b.before = body->last;
    b.loc = w->loc;
    weft_value *at = own_number ? carry_arg(g, k, w, l->index) : body->args[l->counter.index];
    weft_value *zero = weft_build_integer(&b, l->index, 0);
    size_t n = 0;
    if (own_number) k->next[n++] = lg_add(&b, at, weft_build_integer(&b, l->index, 1));
    for (size_t i = 0; i < s->saved_count; i++) {
        weft_value *v = s->saved[i].v, *buffer = carry_arg(g, k, w, s->saved[i].here->type);
        k->next[n++] = build_write(g, &b, buffer, v, at, zero);
    }
    if (b.status != WEFT_OK) gd_fail(g, b.status);
    if (gd_status(g) == WEFT_OK) gd_extend_operands(g, body->last, k->next, n);
}

/* The loop anew, with `more` values behind its own; its results are the loop's and those. */
static weft_op *build_forward(gd *g, loop *l, carrier *k) {
    const size_t old = l->op->operand_count, n = old + k->n;
    weft_value **in = weft_arena_array(g->arena, weft_value *, n + 1);
    const weft_type **types = weft_arena_array(g->arena, const weft_type *, n + 1);
    if (!in || !types) {
        gd_fail(g, weft_oom());
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        in[i] = i < old ? l->op->operands[i] : k->first[i - old];
        types[i] = i < old ? l->op->results[i].type : k->types[i - old];
    }
    weft_op *w = weft_build_op(&k->at, &(weft_op_spec){ .kind = WEFT_OP_while, .operands = in,
                                                        .operand_count = (uint32_t)n, .types = types,
                                                        .result_count = (uint32_t)n, .attrs = l->op->attrs,
                                                        .attr_count = l->op->attr_count, .region_count = 2 });
    if (!w) {
        gd_fail(g, k->at.status);
        return NULL;
    }
    gd_extend_shardings(g, l->op, w);
    for (uint32_t r = 0; r < 2; r++) gd_move_region(&l->op->regions[r], &w->regions[r]);
    return w;
}

/* The forward loop that writes what the backward one reads, in the outer scope; NULL: nothing is read. */
static weft_op *finish_forward(gd *g, gd_scope *s) {
    loop *l = s->own;
    const bool own_number = l->trips < 0 || (s->saved_count && !numbers(l));
    const size_t room = s->saved_count + 2;
    carrier k = { .first = weft_arena_array(g->arena, weft_value *, room),
                  .next = weft_arena_array(g->arena, weft_value *, room),
                  .types = weft_arena_array(g->arena, const weft_type *, room) };
    if (!own_number && !s->saved_count) return NULL;
    if (!k.first || !k.next || !k.types) gd_fail(g, weft_oom());
    if (gd_status(g) != WEFT_OK) return NULL;
    weft_builder_init(&k.at, g->m, l->op->parent);
    k.at.before = l->op;
    k.at.loc = l->op->loc;
    if (own_number) carry(&k, weft_build_integer(&k.at, l->index, 0));
    for (size_t i = 0; i < s->saved_count; i++) carry(&k, weft_build_splat(&k.at, s->saved[i].here->type, 0));
    weft_op *w = build_forward(g, l, &k);
    if (!w) return NULL;
    write_entries(g, s, &k, w, own_number);
    weft_value *more = &w->results[l->op->result_count];
    for (size_t i = 0; i < s->saved_count; i++) gd_instead(g, s->saved[i].here, gd_here(g, &more[i + own_number]));
    if (l->trips < 0) gd_instead(g, l->count, gd_here(g, more));
    return w;
}

/* ---- the backward loop ---- */

static void open(gd *g, gd_scope *s, loop *l) {
    gd_open(g, s, l->op, weft_op_body(l->op, 1));
    s->save = save;
    s->free = is_counter;
    s->begin = begin;
    s->own = l;
    weft_builder *b = &s->b;
    l->i = weft_build_block_arg(b, b->block, l->index, b->loc);
    weft_value *end = l->trips < 0 ? lg_sub(b, l->count, weft_build_integer(b, l->index, 1))
                                   : weft_build_integer(b, l->index, l->trips - 1);
    l->iteration = lg_sub(b, end, l->i);
    l->zero = weft_build_integer(b, l->index, 0);
    for (uint32_t k = 0; k < l->op->result_count; k++) {
        if (!l->ct[k]) continue;
        l->ct[k] = weft_build_block_arg(b, b->block, s->forward->args[k]->type, b->loc);
        gd_add(g, s->forward->last->operands[k], l->ct[k]);
    }
}

/* i < the number of iterations; where only the run knows that, also i < their bound, by which the loop can be
 * differentiated again. */
static void build_condition(gd *g, weft_op *w, const loop *l, weft_value *const *first) {
    weft_builder b;
    weft_builder_init(&b, g->m, NULL);
    b.loc = w->loc;
    b.block = weft_build_block(&b, &w->regions[0]);
    weft_value *i = NULL;
    for (uint32_t k = 0; k < w->operand_count; k++) {
        weft_value *v = weft_build_block_arg(&b, b.block, first[k]->type, b.loc);
        if (!k) i = v;
    }
    weft_value *more = lg_lt(&b, i, weft_build_integer(&b, l->index, l->trips < 0 ? l->room : l->trips));
    if (l->trips < 0) more = lg_and(&b, more, lg_lt(&b, i, l->count));
    gd_build_return(g, &b, WEFT_OP_return, &more, 1);
    if (b.status != WEFT_OK) gd_fail(g, b.status);
}

/* What the backward body returns; in its scope. */
static void finish_body(gd *g, gd_scope *s, weft_value **next, size_t n) {
    const loop *l = s->own;
    size_t k = 0;
    next[k++] = lg_add(&s->b, l->i, weft_build_integer(&s->b, l->index, 1));
    for (uint32_t i = 0; i < l->op->result_count; i++) {
        if (!l->ct[i]) continue;
        weft_value *sum = *gd_slot(g, s->forward->args[i]);
        next[k++] = sum ? sum : gd_zeros(g, s->forward->args[i]->type);
    }
    for (size_t i = 0; i < s->captured_count; i++) next[k++] = s->captured[i].sum;
    gd_build_return(g, &s->b, WEFT_OP_return, next, n);
}

/* NaN where there were more iterations than the user has said: some are not in the buffers, and without this the
 * gradients would be plausible numbers. A product, as it is differentiated in turn: the tangents have it, too. */
static weft_value *guarded(gd *g, const loop *l, weft_value *ct) {
    weft_builder *b = gd_b(g);
    if (!ct || !l->trusted) return ct;
    const weft_type *t = gd_scalar(g, ct->type);
    weft_value *too_many = lg_lt(b, weft_build_integer(b, l->index, l->room), l->count);
    weft_value *factor = lg_select(b, too_many, weft_build_splat(b, t, NAN), weft_build_splat(b, t, 1));
    return lg_mul(b, ct, gd_spread(g, factor, ct));
}

/* What the backward loop begins with; in the outer scope. */
static void initial(gd *g, gd_scope *s, weft_value **first) {
    const loop *l = s->own;
    size_t k = 0;
    first[k++] = weft_build_integer(gd_b(g), l->index, 0);
    for (uint32_t i = 0; i < l->op->result_count; i++)
        if (l->ct[i]) first[k++] = guarded(g, l, gd_ct_full(g, l->op, i));
    for (size_t i = 0; i < s->captured_count; i++) {
        weft_value *sum = s->captured[i].written ? NULL : *gd_slot(g, s->captured[i].outer);
        first[k++] = sum ? sum : gd_zeros(g, s->captured[i].outer->type);
    }
}

/* Its results are the cotangents of the initial values and the sums. */
static void hand_over(gd *g, gd_scope *s, weft_op *w) {
    const loop *l = s->own;
    size_t k = 1, at = 1;
    for (uint32_t i = 0; i < l->op->result_count; i++) at += l->ct[i] != NULL;
    /* the sums first: they began with what was there, to which a value that is carried, too, adds */
    for (size_t i = 0; i < s->captured_count; i++) {
        weft_value **sum = gd_slot(g, s->captured[i].outer), *mine = &w->results[at++];
        *sum = s->captured[i].written && *sum ? lg_add(gd_b(g), *sum, mine) : mine;
    }
    for (uint32_t i = 0; i < l->op->result_count; i++)
        if (l->ct[i]) gd_give(g, l->op, i, &w->results[k++]);
}

static void close(gd *g, gd_scope *s) {
    loop *l = s->own;
    weft_op *forward = NULL;
    size_t n = 1 + s->captured_count;
    for (uint32_t i = 0; i < l->op->result_count; i++) n += l->ct[i] != NULL;
    weft_value **v = weft_arena_array(g->arena, weft_value *, n);
    const weft_type **types = weft_arena_array(g->arena, const weft_type *, n);
    if (!v || !types) gd_fail(g, weft_oom());
    if (gd_status(g) == WEFT_OK) finish_body(g, s, v, n);
    gd_close(g, s);
    if (gd_status(g) == WEFT_OK) forward = finish_forward(g, s);
    if (gd_status(g) != WEFT_OK) return;
    initial(g, s, v);
    for (size_t i = 0; i < n; i++) types[i] = v[i] ? v[i]->type : NULL;
    weft_op *w = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_while, .operands = v,
                                                         .operand_count = (uint32_t)n, .types = types,
                                                         .result_count = (uint32_t)n, .region_count = 2 });
    if (!w) return;
    build_condition(g, w, l, v);
    gd_put_block(s->b.block, &w->regions[1]);
    hand_over(g, s, w);
    if (forward) gd_replace_by_op(g, l->op, forward);
}

/* Which cotangents the backward loop carries. What the loop leaves unchanged has its cotangent outside. */
static void choose(gd *g, loop *l) {
    const weft_block *body = weft_op_body(l->op, 1);
    for (uint32_t k = 0; k < l->op->result_count; k++) {
        weft_value *c = gd_ct(g, l->op, k);
        if (!gd_varies(g, body->args[k])) continue;
        if (weft_loop_unchanged(l->op, k)) gd_give(g, l->op, k, c);
        else if (c || gd_of(g, body->args[k])->marks & GD_USEFUL) l->ct[k] = body->args[k]; /* a mark: see open */
    }
}

void gd_rule_while(gd *g, const weft_op *op) {
    loop l = { .op = (weft_op *)op, .trips = weft_loop_trips(op), .counted = weft_loop_counter(op, &l.counter) };
    if (l.trips == 0) {
        for (uint32_t k = 0; k < op->result_count; k++) gd_give(g, op, k, gd_ct(g, op, k));
        return;
    }
    l.room = l.trips < 0 ? weft_loop_bound(op) : l.trips;
    l.trusted = l.room < 0;
    if (l.trusted) l.room = g->what->bound;
    if (l.room <= 0) {
        gd_refuse(g, op, "the number of its iterations is not known, nor a bound, which the option 'bound' gives");
        return;
    }
    const bool wide = l.room > INT32_MAX || (l.counted && l.counter.dtype == WEFT_I64);
    l.index = weft_type_tensor(g->cx, wide ? WEFT_I64 : WEFT_I32, 0, NULL);
    l.ct = weft_arena_array(g->arena, weft_value *, op->result_count + 1);
    l.count = l.trips < 0 ? gd_stand_in(g, l.index) : NULL;
    if (!l.ct || !l.index) gd_fail(g, weft_oom());
    if (gd_status(g) != WEFT_OK) return;
    choose(g, &l);
    gd_scope s = { 0 };
    open(g, &s, &l);
    gd_sweep(g);
    close(g, &s);
}
