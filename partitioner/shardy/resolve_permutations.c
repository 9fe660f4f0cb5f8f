/* resolve_permutations: what devices need of each other because a dimension is split along which an op moves elements.
 *
 * Pass sdy-resolve-permutation-factors. Needs operands and results that fit together (sdy-insert-explicit-reshards).
 * Leaves global shapes, with, for every op with a rule, nothing split along a permutation factor that does not stay
 * with each device: slices, pads, reverses and uneven reshapes have become manual computations that exchange parts
 * (exchange.h, resolve_*.c), everything else, and these where exchanges are switched off or reach too far, has reshards
 * around it. Ops with a rule of the user's are left alone. weft-partition has no need of it: it exchanges at local
 * shapes (halo.h). Options: enable-halo-exchange; replica-count and partition-count say which number a device goes by.
 * Source: Shardy, docs/sdy_export_passes.md and the behaviour of its pass.
 */
#include "ir/process.h"
#include "partitioner/layout/device_number.h"
#include "partitioner/partition.h"
#include "partitioner/shardy/resolver.h"

/* --- by reshards -------------------------------------------------------------------------------------------------- */

/* The factors that devices must not be split along: the permutation factors, but those of dimensions along which nobody
 * needs anything. */
static weft_status to_be_whole(weft_resolver *z, const weft_meeting *m, weft_bits *factors) {
    const weft_local *l = weft_local_of((weft_op_kind)m->op->kind);
    weft_status st = WEFT_OK;
    *factors = m->rule->permutation;
    if (!l->alone || !m->of[0] || weft_type_elems(m->op->operands[0]->type) <= 0 ||
        weft_type_elems(m->op->results[0].type) <= 0)
        return WEFT_OK;
    for (uint32_t d = 0; st == WEFT_OK && d < m->of[0]->rank; d++) {
        weft_rule_dim dim = m->rule->tensors[0].dims[d];
        bool alone;
        st = l->alone(z->x.cx, m->op, m->of[0], d, &alone);
        for (uint32_t k = 0; st == WEFT_OK && k < dim.n; k++) {
            weft_bits f = weft_bit(m->rule->factors[dim.first + k]);
            *factors = alone ? *factors & ~f : *factors | f;
        }
    }
    return st;
}

/* Takes the axes off the factors everywhere. */
static bool make_whole(weft_meeting *m, weft_bits factors) {
    bool any = false;
    for (uint32_t t = 0; t < m->rule->tensor_count; t++)
        WEFT_EACH_BIT(f, factors) {
            weft_cell *cell = weft_cell_of(&m->p, t, (uint32_t)f);
            if (!cell || !(cell->axes.n || cell->overflow.n)) continue;
            cell->axes.n = cell->overflow.n = 0;
            any = m->changed[t] = true;
        }
    return any;
}

static weft_status resolve_by_reshards(weft_resolver *z, const weft_op *op, weft_op *copy, const weft_rule *rule) {
    weft_meeting m = { .op = op, .copy = copy, .rule = rule };
    weft_bits factors;
    weft_status st = weft_meeting_open(&z->x, &m);
    if (st != WEFT_OK || !m.mesh) return st;
    st = to_be_whole(z, &m, &factors);
    return st == WEFT_OK && make_whole(&m, factors) ? weft_meeting_apply(&z->x, &m) : st;
}

/* --- one op ------------------------------------------------------------------------------------------------------- */

/* sdy's ops move values and have no work of their own; functions and control flow have no rule. */
static bool is_for_us(const weft_op *op) {
    return op->result_count && !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR) &&
           !(op->name->n > 4 && !memcmp(op->name->text, "sdy.", 4));
}

static weft_status resolve_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    weft_resolver *z = r->user;
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    const weft_rule *rule = NULL;
    weft_resolved how = WEFT_RESOLVE_BY_RESHARDS;
    if (!is_for_us(op)) return WEFT_OK;
    weft_status st = weft_rule_of(z->x.rules, op, WEFT_RULE_LIBERAL, &z->x.uses, &rule);
    if (st != WEFT_OK || !rule || rule->custom) return st;
    if (l->resolve) st = l->resolve(z, b, op, &how);
    if (st != WEFT_OK || how != WEFT_RESOLVE_BY_RESHARDS) {
        if (how == WEFT_RESOLVE_DONE) *did = WEFT_DONE;
        return st;
    }
    if (!rule->permutation && !l->alone) return WEFT_OK;
    weft_op *copy = weft_clone_shell(b, op, &r->map, NULL);
    *did = WEFT_DONE;
    st = copy ? weft_rewrite_regions(r, op, copy) : b->status;
    if (st != WEFT_OK) return st;
    weft_mark mark = weft_arena_mark(&z->x.cx->scratch);
    st = resolve_by_reshards(z, op, copy, rule);
    weft_arena_reset(&z->x.cx->scratch, mark);
    return st;
}

weft_status weft_pass_resolve_permutations(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_resolver z = { .x = { .cx = p->cx, .in = in, .ops = WEFT_RESHARDS_IN_ALL },
                        .exchanges = weft_pass_flag(p, "enable-halo-exchange", true) ? WEFT_EXCHANGES_OF_PARTS
                                                                                     : WEFT_EXCHANGES_NONE };
    weft_rewrite r = { .user = &z, .op = resolve_op };
    z.x.r = &r;
    weft_status st = weft_device_id_op(p, in->root->loc, &z.id);
    if (st != WEFT_OK) return st;
    weft_arena_init(&arena, &p->cx->chunks);
    st = weft_shardings_open(p->cx, in, &arena, &z.x.t);
    if (st == WEFT_OK) st = weft_rules_open(p->cx, &arena, &z.x.rules);
    if (st == WEFT_OK) st = weft_uses_build(in, &arena, &z.x.uses);
    if (st == WEFT_OK) st = weft_symbols_open(in, &arena, &z.symbols);
    if (st == WEFT_OK) st = weft_last_channel(in, &z.channel);
    if (st == WEFT_OK) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
