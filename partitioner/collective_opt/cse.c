/* cse: equal ops are one, unused ops go, and what a sort carries for no op.
 *
 * Pass cse. Ops without side effects and with equal kind, operands, attributes, types and bodies are made once: an op
 * sees the equal ones before it in its block and in the blocks around it, up to the op whose regions use nothing from
 * outside (a function, a manual or named computation). Collectives count as such ops, since every
 * device runs the same program; so do equal gathers and sums. Then every op without side effects whose results no op
 * uses is left out, and of a sort every operand whose result no op uses and that its comparator does not look at. The
 * location of the first stays. Needs nothing; leaves any dialects and shapes. The hash is of
 * numbers in the new module and of contents, never of addresses.
 */
#include "partitioner/partition.h"
#include "ir/rewrite.h"

typedef struct slot {
    uint64_t hash;
    weft_op *op;
    const weft_op *zone;      /* the op around it whose regions use nothing from outside */
} slot;

typedef struct merger {
    weft_context *cx;
    weft_arena *arena;
    slot *slots;              /* open addressing; entries of a left block stay, but their op is taken out */
    size_t cap;
    uint32_t *log;            /* slots filled, in order */
    size_t log_count, log_cap;
    size_t block_mark;        /* entries before it are of the blocks around the one being written */
    const weft_op *zone;      /* of what is being written */
    bool *live;               /* by old op id */
    bool *needed;             /* by old value id */
} merger;

static bool removable(const weft_op *op) {
    return (weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_PURE) ||
            weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE)) &&
           op->result_count > 0;
}

/* --- what is used ------------------------------------------------------------------------------------------------- */

static void mark_block(merger *s, const weft_block *blk);

/* Whether operand i is needed of a sort that is. */
static bool is_sorted_for(const merger *s, const weft_op *sort, uint32_t i) {
    weft_value *const *args = weft_op_body(sort, 0)->args;
    return s->needed[sort->results[i].id] || s->needed[args[2 * i]->id] || s->needed[args[2 * i + 1]->id];
}

static void mark_op(merger *s, const weft_op *op) {
    bool live = !removable(op);
    for (uint32_t i = 0; i < op->result_count; i++) live = live || s->needed[op->results[i].id];
    s->live[op->id] = live;
    if (!live) return;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r]) mark_block(s, blk);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->kind != WEFT_OP_sort || is_sorted_for(s, op, i)) s->needed[op->operands[i]->id] = true;
}

/* Backwards, so that users come before what they use. */
static void mark_block(merger *s, const weft_block *blk) {
    for (const weft_op *op = blk->last; op; op = op->prev) mark_op(s, op);
}

/* --- what is equal ------------------------------------------------------------------------------------------------ */

/* A channel's number is one per call and says nothing of what is computed; whether there is one does. */
static bool counts(const weft_named_attr *a) {
    return a->name->id != WEFT_A_channel_handle || a->value->kind != WEFT_ATTR_CHANNEL || a->value->channel.handle <= 0;
}

static uint64_t hash_op(const weft_op *op, uint64_t h) {
    h = weft_hash_mix(h, op->kind);
    h = weft_hash_mix(h, op->operand_count);
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (counts(&op->attrs[i]))
            h += weft_hash_mix(op->attrs[i].name->id, weft_attr_hash(op->attrs[i].value)); /* in any order */
    for (uint32_t i = 0; i < op->result_count; i++) h = weft_hash_mix(h, op->results[i].type->id);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk) h = hash_op(inner, h);
    return h;
}

static uint32_t place_in_block(const weft_op *op) {
    uint32_t n = 0;
    for (const weft_op *o = op->prev; o; o = o->prev) n++;
    return n;
}

/* Below, a is of the new module and b of the old. Whether a value of a's body is that of b's: both from outside and the
 * same, or both from inside at the same place. */
static bool same_value(const weft_map *map, const weft_value *a, const weft_value *b, const weft_op *in_a,
                       const weft_op *in_b) {
    bool within = weft_block_is_within(weft_value_block(b), in_b);
    if (!within) return map->to[b->id] == a;
    if (!weft_block_is_within(weft_value_block(a), in_a) || a->index != b->index || !a->def != !b->def) return false;
    /* one level: bodies of bodies are not merged */
    return a->def ? place_in_block(a->def) == place_in_block(b->def) : true;
}

static bool same_attrs(const weft_op *a, const weft_op *b) {
    if (a->attr_count != b->attr_count) return false;
    for (uint32_t i = 0; i < a->attr_count; i++) {
        uint32_t k = 0;
        while (k < b->attr_count && b->attrs[k].name != a->attrs[i].name) k++;
        if (k == b->attr_count || counts(&a->attrs[i]) != counts(&b->attrs[k])) return false;
        if (counts(&a->attrs[i]) && !weft_attr_equal(a->attrs[i].value, b->attrs[k].value)) return false;
    }
    return true;
}

static bool same_body(const weft_map *map, const weft_op *a, const weft_op *b, uint32_t r) {
    const weft_block *x = a->regions[r].first, *y = b->regions[r].first;
    if (!x || !y) return x == y;
    if (x->next || y->next || x->arg_count != y->arg_count) return false;
    for (uint32_t i = 0; i < x->arg_count; i++)
        if (x->args[i]->type != y->args[i]->type) return false;
    const weft_op *p = x->first, *q = y->first;
    for (; p && q; p = p->next, q = q->next) {
        if (p->kind != q->kind || p->name != q->name || p->region_count || q->region_count ||
            p->operand_count != q->operand_count || p->result_count != q->result_count || !same_attrs(p, q))
            return false;
        for (uint32_t i = 0; i < p->operand_count; i++)
            if (!same_value(map, p->operands[i], q->operands[i], a, b)) return false;
        for (uint32_t i = 0; i < p->result_count; i++)
            if (p->results[i].type != q->results[i].type) return false;
    }
    return !p && !q;
}

static bool same_op(const weft_map *map, const weft_op *a, const weft_op *b) {
    if (a->kind != b->kind || a->name != b->name || a->operand_count != b->operand_count ||
        a->result_count != b->result_count || a->region_count != b->region_count)
        return false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        if (a->operands[i] != map->to[b->operands[i]->id]) return false;
    for (uint32_t i = 0; i < a->result_count; i++)
        if (a->results[i].type != b->results[i].type) return false;
    if (!same_attrs(a, b)) return false;
    for (uint32_t r = 0; r < a->region_count; r++)
        if (!same_body(map, a, b, r)) return false;
    return true;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static weft_status table_grow(merger *s) {
    size_t cap = s->cap ? 2 * s->cap : 1024;
    slot *slots = weft_arena_array(s->arena, slot, cap);
    if (!slots) return weft_oom();
    for (size_t i = 0; i < s->log_count; i++) {
        slot old = s->slots[s->log[i]];
        size_t at = old.hash & (cap - 1);
        while (slots[at].op) at = (at + 1) & (cap - 1);
        slots[at] = old;
        s->log[i] = (uint32_t)at;
    }
    s->slots = slots;
    s->cap = cap;
    return WEFT_OK;
}

/* Takes the newest entries out again. They are the last of their chains, since chains grow at the end. */
static void forget_since(merger *s, size_t mark) {
    while (s->log_count > mark) s->slots[s->log[--s->log_count]].op = NULL;
}

static weft_op *find(const merger *s, const weft_map *map, const weft_op *old, uint64_t hash) {
    if (!s->cap) return NULL;
    for (size_t at = hash & (s->cap - 1); s->slots[at].op; at = (at + 1) & (s->cap - 1))
        if (s->slots[at].hash == hash && s->slots[at].zone == s->zone && same_op(map, s->slots[at].op, old))
            return s->slots[at].op;
    return NULL;
}

static weft_status add(merger *s, weft_op *op, uint64_t hash) {
    if (2 * (s->log_count + 1) > s->cap) {
        weft_status st = table_grow(s);
        if (st != WEFT_OK) return st;
    }
    if (s->log_count == s->log_cap &&
        !weft_arena_grow(s->arena, (void **)&s->log, &s->log_cap, s->log_count + 1, sizeof *s->log))
        return weft_oom();
    size_t at = hash & (s->cap - 1);
    while (s->slots[at].op) at = (at + 1) & (s->cap - 1);
    s->slots[at] = (slot){ hash, op, s->zone };
    s->log[s->log_count++] = (uint32_t)at;
    return WEFT_OK;
}

/* --- the pass ----------------------------------------------------------------------------------------------------- */

/* What is merged within the op that is being made is not seen outside of it: leave gets what enter gave. */
static size_t enter(merger *s) {
    const size_t outer = s->block_mark;
    s->block_mark = s->log_count;
    return outer;
}

static void leave(merger *s, size_t outer) {
    forget_since(s, s->block_mark);
    s->block_mark = outer;
}

/* The entries of a list of shardings, one for each operand, that are for those that stay. */
static weft_status keep_shardings(weft_context *cx, weft_named_attr *attr, const uint32_t *from, uint32_t n) {
    if (attr->value->kind != WEFT_ATTR_SHARDINGS) return WEFT_OK;
    const weft_attr **v = weft_scratch_array(cx, const weft_attr *, n);
    for (uint32_t i = 0; v && i < n; i++) v[i] = attr->value->items.v[from[i]];
    attr->value = v ? weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { v, n } }) : NULL;
    return attr->value ? WEFT_OK : weft_oom();
}

/* A sort of what is needed of old's operands, n of them. */
static weft_status narrow_sort(weft_rewrite *r, weft_builder *b, const weft_op *old, const uint32_t *from, uint32_t n) {
    const merger *s = r->user;
    weft_value **x = weft_scratch_array(s->cx, weft_value *, n);
    weft_named_attr *attrs = weft_scratch_array(s->cx, weft_named_attr, old->attr_count);
    weft_status st = x && attrs ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) x[i] = r->map.to[old->operands[from[i]]->id];
    for (uint32_t i = 0; i < old->attr_count && st == WEFT_OK; i++) {
        attrs[i] = old->attrs[i];
        st = keep_shardings(s->cx, &attrs[i], from, n);
    }
    const weft_op *made = st == WEFT_OK ? weft_rewrite_sort(r, b, old, x, from, n, attrs, old->attr_count) : NULL;
    if (st == WEFT_OK && !made) st = b->status;
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        made->results[i].hint = old->results[from[i]].hint;
        r->map.to[old->results[from[i]].id] = &made->results[i];
    }
    return st;
}

/* Whether some of a sort's operands go; then it is made. */
static weft_status narrowed(weft_rewrite *r, weft_builder *b, const weft_op *op, bool *is) {
    merger *s = r->user;
    const weft_mark mark = weft_arena_mark(&s->cx->scratch);
    uint32_t *from = weft_scratch_array(s->cx, uint32_t, op->operand_count), n = 0;
    weft_status st = from ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++)
        if (is_sorted_for(s, op, i)) from[n++] = i;
    *is = st == WEFT_OK && n < op->operand_count;
    if (*is) {
        const size_t outer = enter(s);
        st = narrow_sort(r, b, op, from, n);
        leave(s, outer);
    }
    weft_arena_reset(&s->cx->scratch, mark);
    return st;
}

/* Of a foreign op nobody here knows whether its regions may use what is outside. */
static bool is_closed(const weft_op *op) {
    return op->kind == WEFT_OP_other || weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_ISOLATED);
}

static weft_status merge_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    merger *s = r->user;
    *did = WEFT_DONE;
    if (!s->live[op->id]) return WEFT_OK;
    uint64_t h = 0;
    bool is_done = false;
    weft_status st = op->kind == WEFT_OP_sort ? narrowed(r, b, op, &is_done) : WEFT_OK;
    if (st != WEFT_OK || is_done) return st;
    if (removable(op)) {
        for (uint32_t i = 0; i < op->operand_count; i++) h = weft_hash_mix(h, r->map.to[op->operands[i]->id]->id);
        h = weft_hash_end(hash_op(op, h));
        weft_op *equal = find(s, &r->map, op, h);
        for (uint32_t i = 0; equal && i < op->result_count; i++) r->map.to[op->results[i].id] = &equal->results[i];
        if (equal) return WEFT_OK;
    }
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    if (!made) return b->status;
    const size_t outer = enter(s);
    const weft_op *const zone = s->zone;
    if (is_closed(op)) s->zone = made;
    st = weft_rewrite_regions(r, op, made);
    s->zone = zone;
    leave(s, outer);
    return st == WEFT_OK && removable(op) ? add(s, made, h) : st;
}

/* Bodies of one op do not see each other. */
static weft_status enter_block(weft_rewrite *r, const weft_block *old, weft_block *made) {
    (void)old, (void)made;
    merger *s = r->user;
    forget_since(s, s->block_mark);
    return WEFT_OK;
}

weft_status weft_pass_cse(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    merger s = { .cx = p->cx, .arena = &arena };
    weft_rewrite r = { .user = &s, .op = merge_op, .enter = enter_block };
    s.needed = weft_arena_array(&arena, bool, in->value_count);
    s.live = weft_arena_array(&arena, bool, in->op_count);
    weft_status st = s.needed && s.live ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) {
        mark_block(&s, weft_module_body(in));
        st = weft_rewrite_module(&r, in, &arena, out);
    }
    weft_arena_free(&arena);
    return st;
}
