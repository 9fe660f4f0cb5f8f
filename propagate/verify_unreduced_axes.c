/* sdy-verify-unreduced-axes: reports a partial value that is used as a complete one. Axes along which an op's operands
 * are unreduced are unreduced in its results too, unless the op is one that may reduce: a reshard, a constraint, an
 * all-reduce. Products and sums may leave sums unreduced, reductions their own operation. Calls must agree with their
 * functions, returns with their results. Each function is reported once. The verifier checks reshards, constraints and
 * sdy's collectives. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/calls.h"
#include "propagate/data_flow.h"
#include "propagate/propagate.h"

#define NOTHING (-1) /* no kind of partial value */

static const char *const by_name[] = { [WEFT_BY_SUM] = "sum", [WEFT_BY_MAX] = "max", [WEFT_BY_MIN] = "min" };

typedef struct unreduced_check {
    weft_context *cx;
    weft_arena arena;
    weft_shardings *t;
    weft_call_graph graph;
} unreduced_check;

/* The shardings of an op's operands and results, operands first; entries may be NULL. */
typedef struct transition {
    const weft_op *op;
    const weft_sharding **of;
    uint32_t in, n;
    int added_by, removed_by;    /* the kinds that the op may leave unreduced, and reduce; or NOTHING */
} transition;

static weft_status bad(const unreduced_check *x, const weft_op *op, const char *what, const char *axes,
                       const char *then) {
    return weft_report(x->cx, WEFT_D_sharding, op->loc, "'%s' op %s'%s'%s", op->name->text, what, axes, then);
}

static const weft_value *behind_barriers(const weft_value *v) {
    while (v->def && v->def->kind == WEFT_OP_sdy_propagation_barrier) v = v->def->operands[0];
    return v;
}

static bool is_explicit(const weft_op *op) {
    return op && (op->kind == WEFT_OP_sdy_reshard || op->kind == WEFT_OP_sdy_sharding_constraint);
}

static weft_status sharding_of(const unreduced_check *x, const weft_value *v, const weft_sharding **out) {
    return weft_value_sharding_inside(x->cx, x->t, behind_barriers(v), out);
}

/* NULL if a reshard or constraint makes v: it may be anything. */
static weft_status operand_sharding(const unreduced_check *x, const weft_value *v, const weft_sharding **out) {
    *out = NULL;
    return is_explicit(behind_barriers(v)->def) ? WEFT_OK : sharding_of(x, v, out);
}

static void gather(weft_axis_list *l, const weft_sharding *const *of, uint32_t from, uint32_t to) {
    *l = (weft_axis_list){ 0 };
    for (uint32_t i = from; i < to; i++)
        for (uint32_t k = 0; of[i] && k < of[i]->unreduced.n; k++) {
            uint32_t j = 0;
            while (j < l->n && !weft_axis_equal(l->v[j], of[i]->unreduced.v[k])) j++;
            if (j == l->n) weft_axis_list_push(l, of[i]->unreduced.v[k]);
        }
}

static bool one_mesh(const transition *y) {
    const weft_mesh *mesh = NULL;
    for (uint32_t i = 0; i < y->n; i++) {
        if (!y->of[i]) continue;
        if (mesh && !weft_mesh_same_devices(mesh, y->of[i]->mesh)) return false;
        mesh = y->of[i]->mesh;
    }
    return mesh != NULL;
}

/* Shardings [from, to) with any of the axes unreduced have them unreduced by `by`. */
static weft_status all_by(const unreduced_check *x, const transition *y, uint32_t from, uint32_t to,
                          const weft_axis_list *axes, int by, const char *what) {
    for (uint32_t i = from; i < to; i++) {
        if (!y->of[i] || !weft_axes_overlap(y->of[i]->unreduced, weft_axes_of(axes)) ||
            (int)y->of[i]->unreduced.by == by)
            continue;
        return weft_report(x->cx, WEFT_D_sharding, y->op->loc, "'%s' op %s '%s' unreduced axes. Expected '%s'.",
                           y->op->name->text, what, by_name[y->of[i]->unreduced.by], by_name[by]);
    }
    return WEFT_OK;
}

static weft_status check_kept(const unreduced_check *x, const transition *y) {
    for (uint32_t r = y->in; r < y->n; r++)
        for (uint32_t i = 0; y->of[r] && i < y->in; i++) {
            if (!y->of[i] || y->of[i]->unreduced.by == y->of[r]->unreduced.by ||
                !weft_axes_overlap(y->of[i]->unreduced, y->of[r]->unreduced))
                continue;
            return weft_report(x->cx, WEFT_D_sharding, y->op->loc,
                               "'%s' op cannot change the reduction operator of kept unreduced axes from %s to %s.",
                               y->op->name->text, by_name[y->of[i]->unreduced.by], by_name[y->of[r]->unreduced.by]);
        }
    return WEFT_OK;
}

static weft_status check_transition(const unreduced_check *x, const transition *y) {
    weft_axis_list in, out, added, removed;
    weft_status st = WEFT_OK;
    if (!one_mesh(y)) return WEFT_OK;
    gather(&in, y->of, 0, y->in);
    gather(&out, y->of, y->in, y->n);
    weft_axis_list_difference(&added, weft_axes_of(&out), weft_axes_of(&in));
    weft_axis_list_difference(&removed, weft_axes_of(&in), weft_axes_of(&out));
    const weft_mesh *mesh = NULL;
    for (uint32_t i = 0; i < y->n && !mesh; i++) mesh = y->of[i] ? y->of[i]->mesh : NULL;
    if (added.n && y->added_by == NOTHING)
        return bad(x, y->op, "cannot add new unreduced axis ", mesh->axes[added.v[0].axis].name->text, ".");
    if (added.n) st = all_by(x, y, y->in, y->n, &added, y->added_by, "cannot introduce");
    if (st == WEFT_OK && removed.n && y->removed_by == NOTHING)
        return bad(x, y->op, "dropped unreduced axis ", mesh->axes[removed.v[0].axis].name->text,
                   " without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.");
    if (st == WEFT_OK && removed.n) st = all_by(x, y, 0, y->in, &removed, y->removed_by, "cannot reduce");
    return st == WEFT_OK ? check_kept(x, y) : st;
}

/* The one op of every result of a body: its reduction. */
static int body_reduces_by(const weft_op *op) {
    const weft_block *body = op->region_count ? weft_op_body(op, 0) : NULL;
    const weft_op *ret = body ? body->last : NULL;
    int all = NOTHING;
    for (uint32_t i = 0; ret && ret->kind == WEFT_OP_return && i < ret->operand_count; i++) {
        const weft_op *def = ret->operands[i]->def;
        int by = !def ? NOTHING : def->kind == WEFT_OP_add ? WEFT_BY_SUM : def->kind == WEFT_OP_maximum ? WEFT_BY_MAX
               : def->kind == WEFT_OP_minimum ? WEFT_BY_MIN : NOTHING;
        if (by == NOTHING || (i && by != all)) return NOTHING;
        all = by;
    }
    return all;
}

static weft_status check_plain(const unreduced_check *x, const weft_op *op) {
    bool collective = op->kind == WEFT_OP_all_reduce || op->kind == WEFT_OP_reduce_scatter,
         reduces = op->kind == WEFT_OP_reduce;
    uint32_t in = collective ? 1
                  : reduces  ? op->result_count
                             : op->operand_count,
             out = collective ? 1 : op->result_count;
    weft_mark mark = weft_arena_mark(&x->cx->scratch);
    transition y = {
        op, weft_scratch_array(x->cx, const weft_sharding *, in + out), in, in + out, WEFT_BY_SUM, NOTHING
    };
    weft_status st = y.of ? WEFT_OK : weft_oom();
    if (reduces) y.added_by = body_reduces_by(op);
    if (collective) y.added_by = NOTHING, y.removed_by = body_reduces_by(op);
    for (uint32_t i = 0; st == WEFT_OK && i < in; i++)
        st = (collective ? sharding_of : operand_sharding)(x, op->operands[i], &y.of[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < out; i++) st = sharding_of(x, &op->results[i], &y.of[in + i]);
    if (st == WEFT_OK) st = check_transition(x, &y);
    weft_arena_reset(&x->cx->scratch, mark);
    return st;
}

/* Both sides have the same unreduced axes; the text after the axes' names in the message ends in the place's number.
 */
static weft_status check_equal(const unreduced_check *x, const weft_op *op, const weft_sharding *a,
                               const weft_sharding *b, const char *where, uint32_t i, const char *then) {
    const weft_sharding *of[2] = { a, b };
    bool differs[WEFT_MAX_MESH_AXES] = { false }, any = false;
    const weft_mesh *mesh = a ? a->mesh : b ? b->mesh : NULL;
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t k = 0; of[s] && k < of[s]->unreduced.n; k++) {
            weft_axis axis = of[s]->unreduced.v[k];
            bool found = false;
            for (uint32_t j = 0; of[1 - s] && j < of[1 - s]->unreduced.n; j++)
                found |= weft_axis_equal(axis, of[1 - s]->unreduced.v[j]);
            if (!found) differs[axis.axis] = any = true;
        }
    if (!any) return WEFT_OK;
    weft_buf names;
    weft_buf_init(&names, &x->cx->alloc);
    for (uint32_t k = 0; k < mesh->axis_count; k++)
        if (differs[k]) weft_buf_printf(&names, "%s%s", names.n ? ", " : "", mesh->axes[k].name->text);
    weft_status st = names.failed ? weft_oom()
                                  : weft_report(x->cx, WEFT_D_sharding, op->loc,
                                                "'%s' op has unreduced axes mismatch for '%.*s' at %s %u%s",
                                                op->name->text, (int)names.n, names.p, where, i, then);
    weft_buf_free(&names);
    return st;
}

static weft_status check_call(const unreduced_check *x, const weft_op *op) {
    const weft_op *f = x->graph.funcs[x->graph.callee[x->graph.of_op[op->id]]];
    const weft_sharding *own, *theirs;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        const weft_attr *a = weft_func_arg_attr(f, i, WEFT_A_sdy_sharding);
        if (is_explicit(behind_barriers(op->operands[i])->def)) continue;
        st = sharding_of(x, op->operands[i], &own);
        theirs = NULL;
        if (st == WEFT_OK && a) st = weft_sharding_from_attr(x->t, a, f->loc, &theirs);
        if (st == WEFT_OK) st = check_equal(x, op, own, theirs, "call argument", i, ".");
    }
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        st = weft_func_result_sharding(x->t, f, i, &theirs);
        if (st == WEFT_OK) st = sharding_of(x, &op->results[i], &own);
        if (st == WEFT_OK) st = check_equal(x, op, theirs, own, "call result", i, ".");
    }
    return st;
}

/* The sharding outside of a return's operand i; NULL: unknown. */
static weft_status outside(const unreduced_check *x, const weft_op *parent, uint32_t i, const weft_sharding **out) {
    weft_bits manual = 0;
    *out = NULL;
    if (parent->kind == WEFT_OP_func) return weft_func_result_sharding(x->t, parent, i, out);
    weft_status st = i < parent->result_count ? sharding_of(x, &parent->results[i], out) : WEFT_OK;
    if (st != WEFT_OK || !*out || parent->kind != WEFT_OP_sdy_manual_computation) return st;
    st = weft_manual_axes(x->cx, parent, (*out)->mesh, &manual);
    if (st == WEFT_OK && !(*out = weft_sharding_drop_manual(x->t, *out, manual))) st = weft_oom();
    return st;
}

static weft_status check_return(const unreduced_check *x, const weft_op *op) {
    const weft_sharding *in, *out;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        if (is_explicit(behind_barriers(op->operands[i])->def)) continue;
        st = outside(x, weft_op_parent(op), i, &out);
        if (st == WEFT_OK && out) st = sharding_of(x, op->operands[i], &in);
        if (st == WEFT_OK && out)
            st = check_equal(x, op, in, out, "return value", i,
                             " without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.");
    }
    return st;
}

static weft_status check_op(const unreduced_check *x, const weft_op *op) {
    const weft_sharding *s;
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (const weft_op *inner = b->first; inner && st == WEFT_OK; inner = inner->next) st = check_op(x, inner);
    if (st != WEFT_OK || op->kind == WEFT_OP_func || is_explicit(op)) return st;
    if (op->kind == WEFT_OP_func_call) return check_call(x, op);
    if (op->kind == WEFT_OP_func_return || op->kind == WEFT_OP_sdy_return) return check_return(x, op);
    if (weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR)) return WEFT_OK;
    if (op->kind != WEFT_OP_sdy_all_reduce && op->kind != WEFT_OP_sdy_reduce_scatter) return check_plain(x, op);
    st = sharding_of(x, op->operands[0], &s);
    return st != WEFT_OK || s
               ? st
               : weft_report(x->cx, WEFT_D_sharding, op->loc, "'%s' op operand must be sharded.", op->name->text);
}

/* Without partial values there is no error, except for a collective with an unsharded operand. */
static bool has_something(const weft_module *in) {
    return weft_module_mentions(in) & WEFT_MENTIONS_UNREDUCED || weft_module_has_kind(in, WEFT_OP_sdy_all_reduce) ||
           weft_module_has_kind(in, WEFT_OP_sdy_reduce_scatter);
}

weft_status weft_pass_verify_unreduced_axes(weft_pass *p, const weft_module *in, weft_module **out) {
    unreduced_check x = { .cx = p->cx };
    bool some = has_something(in);
    (void)out;
    weft_arena_init(&x.arena, &p->cx->chunks);
    weft_status st = weft_call_graph_build(in, &x.arena, &x.graph), first = WEFT_OK;
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &x.arena, &x.t);
    for (uint32_t f = 0; st == WEFT_OK && some && f < x.graph.func_count; f++) {
        weft_status one = check_op(&x, x.graph.funcs[f]);
        if (first == WEFT_OK) first = one;
    }
    weft_arena_free(&x.arena);
    return st == WEFT_OK ? first : st;
}
