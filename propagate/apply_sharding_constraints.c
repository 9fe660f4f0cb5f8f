/* sdy-apply-sharding-constraints: a value without a sharding takes that of the constraint, or of the manual
 * computation, that reads it, if that is fully closed and no other reader asks for another one. A value of a data-flow
 * edge is not changed itself, as that would fix the whole edge: the constraint moves up to it and all readers read the
 * constraint instead. After a chain of constraints with one reader each, later readers of its input read its end.
 * Needs: data-flow edges. Leaves: constraints in place, the values that they name sharded; a constraint that gave its
 * input a sharding has its rule written on it. Source: Shardy, docs/sdy_import_passes.md.
 *
 * Decisions depend on each other through readers, so the pass keeps the readers of each value as lists under
 * change, and copies when all is decided. */
#include "propagate/copy.h"
#include "propagate/data_flow.h"
#include "propagate/debug_info.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"
#include "propagate/readers.h"
#include "sharding/rule.h"

#define NONE UINT32_MAX

typedef struct reader {            /* one operand of one op */
    const weft_op *op;
    uint32_t operand;
    uint32_t value, next, prev;    /* the value it reads now; its neighbours among that value's readers, newest first */
} reader;

typedef struct made {              /* a constraint made for an operand of a manual computation */
    const weft_attr *sharding;
    const weft_loc *loc;
    uint32_t input;                /* number of the value that it reads */
    weft_value *copy;
} made;

/* a constraint in a new place: one that was moved, or one that was made */
typedef struct standing {
    const weft_op *moved;          /* NULL: made[made] */
    uint32_t made, next;           /* the earlier one in the same place, which follows it */
} standing;

typedef struct applier {
    weft_context *cx;
    weft_arena arena;
    weft_shardings *t;
    weft_rules *rules;
    weft_readers order;            /* the new order */
    reader *readers;
    uint32_t reader_count;
    uint32_t *first_reader;        /* by op: number of its operand 0 */
    /* by value: its newest reader. Values of made constraints follow those of the module */
    uint32_t *head;
    const weft_value **values;     /* by id */
    const weft_op **edge;          /* by value: the sdy.data_flow_edge that it owns */
    const weft_sharding **of;      /* by value: the module's sharding, or the applied one */
    bool *changed;
    uint32_t *position;            /* by op: program order */
    standing *standing;
    size_t standing_count, standing_cap;
    uint32_t *standing_at;         /* by place: first of standing, or NONE */
    bool *is_moved;                /* by op */
    bool *applied;                 /* by op: constraints that gave their input a sharding */
    made *made;                    /* in the order made; value number is value_count + index */
    size_t made_count, made_cap;
    uint32_t value_count, value_cap;
    weft_debug_info *debug;        /* or NULL */
} applier;

/* Readers. */

static void unlink_reader(applier *a, uint32_t r) {
    reader *me = &a->readers[r];
    if (me->prev != NONE) a->readers[me->prev].next = me->next;
    else a->head[me->value] = me->next;
    if (me->next != NONE) a->readers[me->next].prev = me->prev;
}

static void link_reader(applier *a, uint32_t r, uint32_t value) {
    reader *me = &a->readers[r];
    me->value = value;
    me->prev = NONE;
    me->next = a->head[value];
    if (me->next != NONE) a->readers[me->next].prev = r;
    a->head[value] = r;
}

static void read_instead(applier *a, uint32_t r, uint32_t value) {
    a->order.turn[r] = ++a->order.turns;
    unlink_reader(a, r);
    link_reader(a, r, value);
}

static const weft_op *only_reader(const applier *a, uint32_t value) {
    uint32_t r = a->head[value];
    return r != NONE && a->readers[r].next == NONE ? a->readers[r].op : NULL;
}

static bool constrains(const weft_op *op) {
    return op->kind == WEFT_OP_sdy_sharding_constraint || op->kind == WEFT_OP_sdy_manual_computation;
}

/* Values of made constraints are numbered after the module's own. */
static uint32_t own_values(const applier *a) { return a->value_count - (uint32_t)a->made_count; }

/* The sharding that the reader asks of its operand; NULL: none. */
static weft_status asked_by(applier *a, const reader *r, const weft_sharding **out) {
    const weft_attr *attr = NULL;
    *out = NULL;
    if (r->op->kind == WEFT_OP_sdy_sharding_constraint) attr = weft_op_attr(r->op, WEFT_A_sharding);
    if (r->op->kind == WEFT_OP_sdy_manual_computation) {
        const weft_attr *all = weft_op_attr(r->op, WEFT_A_in_shardings);
        if (all && r->operand < all->items.n) attr = all->items.v[r->operand];
    }
    return attr ? weft_sharding_from_attr(a->t, attr, r->op->loc, out) : WEFT_OK;
}

/* The value with the sharding of v: an edge's result for the edge's targets. NONE: there is none. */
static uint32_t holder(const applier *a, uint32_t id) {
    if (id >= own_values(a)) return id;
    const weft_value *v = a->values[id], *owner = weft_flow_owner(v);
    if (owner) return a->edge[owner->id] ? a->edge[owner->id]->results[0].id : owner->id;
    return v->def || v->block->parent->parent->kind == WEFT_OP_func ? id : NONE;
}

static bool of_an_edge(const applier *a, uint32_t id) {
    const weft_value *v = a->values[id], *owner = weft_flow_owner(v);
    return (v->def && v->def->kind == WEFT_OP_sdy_data_flow_edge) || (owner && a->edge[owner->id]);
}

static weft_status should_apply(applier *a, uint32_t value, const weft_sharding *s, bool *yes) {
    uint32_t h = holder(a, value);
    *yes = false;
    if (h == NONE || a->of[h] || s->open) return WEFT_OK;
    for (uint32_t r = a->head[value]; r != NONE; r = a->readers[r].next) {
        const weft_sharding *other;
        weft_status st = asked_by(a, &a->readers[r], &other);
        if (st != WEFT_OK) return st;
        if (other && other != s) return WEFT_OK;
    }
    *yes = true;
    return WEFT_OK;
}

/* All readers of value except the operand `but` read `instead`. */
static void redirect(applier *a, uint32_t value, uint32_t but, uint32_t instead) {
    uint32_t next;
    for (uint32_t r = a->head[value]; r != NONE; r = next) {
        next = a->readers[r].next;
        if (r != but) read_instead(a, r, instead);
    }
}

/* Unreduced axes do not propagate: those of a reader are set on the edge's value. */
static weft_status hand_unreduced(applier *a, uint32_t value, const weft_sharding *s) {
    uint32_t h = holder(a, value);
    if (!s->unreduced.n || h == NONE) return WEFT_OK;
    const weft_sharding *now = a->of[h] ? a->of[h] : weft_sharding_empty(a->t, s->mesh, s->rank, WEFT_OPEN);
    if (!now || !(a->of[h] = weft_sharding_with_unreduced(a->t, now, s->unreduced))) return weft_oom();
    a->changed[h] = true;
    return WEFT_OK;
}

/* After an op, or at the beginning of a block: the number of the first result or argument. */
static uint32_t place_of(const weft_value *v) { return v->def ? v->def->results[0].id : v->block->args[0]->id; }

static weft_status stand(applier *a, uint32_t value, const weft_op *moved, uint32_t made) {
    uint32_t *at = &a->standing_at[place_of(a->values[value])];
    if (!weft_arena_grow(&a->arena, (void **)&a->standing, &a->standing_cap, a->standing_count + 1,
                         sizeof *a->standing))
        return weft_oom();
    a->standing[a->standing_count] = (standing){ moved, made, *at };
    *at = (uint32_t)a->standing_count++;
    return WEFT_OK;
}

/* A constraint of its own after value, for an operand of a manual computation. */
static weft_status make_constraint(applier *a, uint32_t value, const weft_attr *sharding, const weft_loc *loc,
                                   uint32_t *id) {
    if (!weft_arena_grow(&a->arena, (void **)&a->made, &a->made_cap, a->made_count + 1, sizeof *a->made))
        return weft_oom();
    if (a->value_count == a->value_cap)
        return weft_report(a->cx, WEFT_D_internal, loc, "more constraints than operands");
    a->made[a->made_count++] = (made){ .sharding = sharding, .loc = loc, .input = value };
    *id = a->value_count++;
    a->head[*id] = NONE;
    return stand(a, value, NULL, (uint32_t)a->made_count - 1);
}

/* The operand of a constraint has taken its sharding: one step of propagation through the constraint. */
static weft_status note_applied(applier *a, const weft_op *op, uint32_t slot, const weft_sharding *s) {
    weft_status st = WEFT_OK;
    if (!a->debug || op->kind != WEFT_OP_sdy_sharding_constraint) return WEFT_OK;
    weft_passed what = {
        .mesh = s->mesh, .source = { WEFT_EDGE_RESULT, 0 }, .target = { WEFT_EDGE_OPERAND, 0 }, .step = a->debug->step++
    };
    for (uint32_t d = 0; d < s->rank; d++)
        for (uint32_t i = 0; st == WEFT_OK && i < s->dims[d].axes.n; i++) {
            what.axis = s->dims[d].axes.v[i];
            st = weft_debug_pass(a->debug, op, what, op->results[0].id, slot);
        }
    return st;
}

/* When one of several results gets the first sharding, the others get open ones with it, as one attribute holds them
 * all, and later constraints find these there. */
static weft_status open_others(applier *a, uint32_t h, const weft_mesh *mesh) {
    const weft_op *def = a->values[h]->def;
    for (uint32_t i = 0; def && i < def->result_count; i++)
        if (def->results[i].id != h && a->of[def->results[i].id]) return WEFT_OK;
    for (uint32_t i = 0; def && i < def->result_count; i++) {
        const weft_value *v = &def->results[i];
        if (v->id == h) continue;
        if (!(a->of[v->id] =
                  weft_sharding_empty(a->t, mesh, weft_type_is_tensor(v->type) ? v->type->rank : 0, WEFT_OPEN)))
            return weft_oom();
        a->changed[v->id] = true;
    }
    return WEFT_OK;
}

static weft_status apply(applier *a, uint32_t r, const weft_attr *attr) {
    const weft_op *op = a->readers[r].op;
    uint32_t value = a->readers[r].value, instead = value;
    const weft_sharding *s;
    bool yes;
    weft_status st = weft_sharding_from_attr(a->t, attr, op->loc, &s);
    if (st != WEFT_OK || value >= own_values(a)) return st;
    if ((st = should_apply(a, value, s, &yes)) != WEFT_OK || !yes) return st;
    if (!of_an_edge(a, value)) {
        uint32_t h = holder(a, value);
        a->of[h] = s;
        a->changed[h] = a->applied[op->id] = true;
        st = open_others(a, h, s->mesh);
        return st == WEFT_OK ? note_applied(a, op, h, s) : st;
    }
    if (op->kind == WEFT_OP_sdy_sharding_constraint) {
        instead = op->results[0].id;
        if ((st = stand(a, value, op, NONE)) != WEFT_OK) return st;
        a->is_moved[op->id] = true;
        redirect(a, value, r, instead);
    } else {
        if ((st = make_constraint(a, value, attr, op->loc, &instead)) != WEFT_OK) return st;
        redirect(a, value, NONE, instead);
    }
    return hand_unreduced(a, value, s);
}

/* The last of a chain of constraints that begins with head, if later readers of its input must read it; else NULL. */
static const weft_op *chain_tail(const applier *a, const weft_op *head) {
    uint32_t input = a->readers[a->first_reader[head->id]].value;
    if (input >= own_values(a)) return NULL; /* a made constraint: not the first of its chain */
    const weft_op *def = a->values[input]->def;
    uint32_t h = holder(a, input);
    if ((def && def->kind == WEFT_OP_sdy_sharding_constraint) || (h != NONE && a->of[h])) return NULL;
    for (uint32_t r = a->head[input]; r != NONE; r = a->readers[r].next)
        if (a->readers[r].op != head && constrains(a->readers[r].op)) return NULL;
    const weft_op *tail = head, *next;
    while ((next = only_reader(a, tail->results[0].id)) && next->kind == WEFT_OP_sdy_sharding_constraint) tail = next;
    if (tail == head) return NULL;
    for (uint32_t r = a->head[tail->results[0].id]; r != NONE; r = a->readers[r].next)
        if (constrains(a->readers[r].op)) return NULL;
    return tail;
}

static void follow_chain(applier *a, const weft_op *head) {
    const weft_op *tail = chain_tail(a, head);
    uint32_t next;
    if (!tail) return;
    for (uint32_t r = a->head[a->readers[a->first_reader[head->id]].value]; r != NONE; r = next) {
        const weft_op *op = a->readers[r].op;
        next = a->readers[r].next;
        if (op != head && op->kind != WEFT_OP_func_return && op->parent == tail->parent &&
            a->position[op->id] > a->position[tail->id])
            read_instead(a, r, tail->results[0].id);
    }
}

static weft_status apply_op(applier *a, const weft_op *op) {
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_constraint) {
        follow_chain(a, op);
        return apply(a, a->first_reader[op->id], weft_op_attr(op, WEFT_A_sharding));
    }
    const weft_attr *all = op->kind == WEFT_OP_sdy_manual_computation ? weft_op_attr(op, WEFT_A_in_shardings) : NULL;
    for (uint32_t i = 0; all && st == WEFT_OK && i < op->operand_count && i < all->items.n; i++)
        st = apply(a, a->first_reader[op->id] + i, all->items.v[i]);
    return st;
}

/* Every op after the ops of its regions. */
static weft_status apply_all(applier *a, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = apply_all(a, inner);
    return st == WEFT_OK ? apply_op(a, op) : st;
}

/* Setting up. */

static weft_status enter_value(applier *a, const weft_value *v) {
    a->values[v->id] = v;
    return weft_value_sharding(a->t, v, &a->of[v->id]);
}

static weft_status enter_op(applier *a, const weft_op *op, uint32_t *position) {
    weft_status st = WEFT_OK;
    a->position[op->id] = (*position)++;
    a->first_reader[op->id] = a->reader_count;
    for (uint32_t i = 0; i < op->operand_count; i++) a->readers[a->reader_count++] = (reader){ .op = op, .operand = i };
    if (op->kind == WEFT_OP_sdy_data_flow_edge && weft_flow_op(op->operands[0])) a->edge[op->operands[0]->id] = op;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) st = enter_value(a, &op->results[i]);
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r]) {
            for (uint32_t i = 0; st == WEFT_OK && i < b->arg_count; i++) st = enter_value(a, b->args[i]);
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = enter_op(a, inner, position);
        }
    return st;
}

static weft_status count_computed(void *user, weft_op *op) {
    if (op->kind == WEFT_OP_sdy_manual_computation) *(uint32_t *)user += op->operand_count;
    return WEFT_OK;
}

/* How many constraints may be made. */
static uint32_t most_made(const weft_module *in) {
    uint32_t n = 0;
    if (weft_module_had(in, WEFT_OP_sdy_manual_computation)) weft_module_walk(in, count_computed, &n);
    return n;
}

static weft_status prepare(applier *a, const weft_module *in) {
    weft_arena *m = &a->arena;
    uint32_t position = 0;
    weft_status st = weft_readers_open(in, NULL, m, &a->order);
    if (st != WEFT_OK) return st;
    const uint32_t operands = a->order.operand_count;
    a->value_count = in->value_count;
    a->value_cap = in->value_count + most_made(in);
    a->readers = weft_arena_array(m, reader, operands);
    a->first_reader = weft_arena_array(m, uint32_t, in->op_count);
    a->head = weft_arena_array(m, uint32_t, a->value_cap);
    a->values = weft_arena_array(m, const weft_value *, a->value_cap);
    a->edge = weft_arena_array(m, const weft_op *, a->value_cap);
    a->of = weft_arena_array(m, const weft_sharding *, a->value_cap);
    a->changed = weft_arena_array(m, bool, a->value_cap);
    a->position = weft_arena_array(m, uint32_t, in->op_count);
    a->is_moved = weft_arena_array(m, bool, in->op_count);
    a->applied = weft_arena_array(m, bool, in->op_count);
    a->standing_at = weft_arena_array(m, uint32_t, a->value_cap);
    if (!a->readers || !a->first_reader || !a->head || !a->values || !a->edge || !a->of || !a->changed ||
        !a->position || !a->is_moved || !a->applied || !a->standing_at)
        return weft_oom();
    for (uint32_t i = 0; i < a->value_cap; i++) a->head[i] = a->standing_at[i] = NONE;
    if (st == WEFT_OK) st = enter_op(a, in->root, &position);
    for (uint32_t v = 0; st == WEFT_OK && v < in->value_count; v++)
        for (uint32_t k = a->order.uses.start[v]; k < a->order.uses.start[v + 1]; k++)
            link_reader(a, a->first_reader[a->order.uses.use[k].op->id] + a->order.uses.use[k].operand, v);
    return st;
}

/* Copying. */

static weft_value *operand(weft_copy *c, const weft_op *op, uint32_t i) {
    const applier *a = c->user;
    uint32_t value = a->readers[a->first_reader[op->id] + i].value, own = own_values(a);
    return value < own ? weft_copy_of(c, a->values[value]) : a->made[value - own].copy;
}

/* Inserts the constraints of this place, the last one first. */
static weft_status put_standing(weft_copy *c, uint32_t place) {
    applier *a = c->user;
    for (uint32_t i = a->standing_at[place]; i != NONE; i = a->standing[i].next) {
        made *m = a->standing[i].moved ? NULL : &a->made[a->standing[i].made];
        if (!m) {
            if (!weft_copy_op(c, a->standing[i].moved)) return c->b.status;
            continue;
        }
        weft_value *input = weft_copy_of(c, a->values[m->input]);
        c->b.loc = m->loc;
        m->copy = weft_build_1(&c->b, WEFT_OP_sdy_sharding_constraint, a->values[m->input]->type, &input, 1,
                               &(weft_attr_pair){ WEFT_A_sharding, m->sharding }, 1);
    }
    return c->b.status;
}

static weft_status skip_moved(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const applier *a = c->user;
    if (a->is_moved[op->id]) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static weft_status entered(weft_copy *c, const weft_op *op, const weft_block *blk, weft_block *copy) {
    (void)op;
    (void)copy;
    return blk->arg_count ? put_standing(c, blk->args[0]->id) : WEFT_OK;
}

static weft_status set_results(applier *a, weft_module *m, const weft_op *op, weft_op *copy) {
    bool any = false;
    for (uint32_t i = 0; i < op->result_count; i++) any |= a->changed[op->results[i].id];
    if (!any) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&a->cx->scratch);
    const weft_sharding **of = weft_scratch_array(a->cx, const weft_sharding *, op->result_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; of && i < op->result_count; i++) of[i] = a->of[op->results[i].id];
    if (st == WEFT_OK) st = weft_op_set_shardings(a->t, m, copy, of);
    weft_arena_reset(&a->cx->scratch, mark);
    return st;
}

static weft_status set_args(applier *a, weft_module *m, const weft_op *op, weft_op *copy) {
    const weft_block *body = weft_op_body(op, 0);
    bool any = false;
    for (uint32_t i = 0; body && i < body->arg_count; i++) any |= a->changed[body->args[i]->id];
    if (!any) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&a->cx->scratch);
    const weft_sharding **of = weft_scratch_array(a->cx, const weft_sharding *, body->arg_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; of && i < body->arg_count; i++) of[i] = a->of[body->args[i]->id];
    if (st == WEFT_OK) st = weft_func_set_shardings(a->t, m, copy, of, NULL);
    weft_arena_reset(&a->cx->scratch, mark);
    return st;
}

static weft_status set_rule(applier *a, weft_module *m, const weft_op *op, weft_op *copy) {
    const weft_rule *rule;
    weft_status st = weft_rule_of(a->rules, op, WEFT_RULE_LIBERAL, NULL, &rule);
    if (st != WEFT_OK || !rule) return st;
    const weft_attr *attr = weft_rule_to_attr(a->rules, rule);
    return attr ? weft_op_set(m, copy, WEFT_A_sdy_sharding_rule, attr) : weft_oom();
}

static weft_status finish_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    applier *a = c->user;
    weft_status st = set_results(a, c->out, op, copy);
    if (st == WEFT_OK) st = weft_readers_write(&a->order, op, c->out, copy);
    if (st == WEFT_OK && a->applied[op->id]) st = set_rule(a, c->out, op, copy);
    if (st == WEFT_OK && op->kind == WEFT_OP_func) st = set_args(a, c->out, op, copy);
    if (st == WEFT_OK && a->debug) st = weft_debug_emit(a->debug, c->out, op, copy);
    return st == WEFT_OK && op->result_count ? put_standing(c, op->results[0].id) : st;
}

static weft_status open_debug(applier *a, const weft_pass *p, const weft_module *in) {
    if (!weft_debug_origins(p) && !weft_debug_edges(p)) return WEFT_OK;
    uint32_t *slot = weft_arena_array(&a->arena, uint32_t, in->value_count);
    if (!slot) return weft_oom();
    for (uint32_t i = 0; i < in->value_count; i++) {
        uint32_t h = a->values[i] ? holder(a, i) : NONE;
        slot[i] = h == NONE ? WEFT_NO_SLOT : h;
    }
    const weft_debug_slots slots = { slot, a->of, in->value_count };
    return weft_debug_open(p, &a->arena, a->t, in, &slots, &a->debug);
}

weft_status weft_pass_apply_sharding_constraints(weft_pass *p, const weft_module *in, weft_module **out) {
    applier a = { .cx = p->cx };
    bool any = weft_module_has_kind(in, WEFT_OP_sdy_sharding_constraint) ||
               weft_module_has_kind(in, WEFT_OP_sdy_manual_computation);
    if (!any && !weft_debug_origins(p)) return WEFT_OK;
    weft_arena_init(&a.arena, &p->cx->chunks);
    weft_status st = weft_shardings_open(p->cx, in, &a.arena, &a.t);
    if (st == WEFT_OK) st = weft_rules_open(p->cx, &a.arena, &a.rules);
    if (st == WEFT_OK) st = prepare(&a, in);
    if (st == WEFT_OK) st = open_debug(&a, p, in);
    if (st == WEFT_OK) st = apply_all(&a, in->root);
    if (st == WEFT_OK)
        st = weft_edit_module(p, in,
                              &(weft_copy_hooks){
                                  .visit = skip_moved, .after = finish_op, .operand = operand, .entered = entered },
                              &a, out);
    weft_arena_free(&a.arena);
    return st;
}
