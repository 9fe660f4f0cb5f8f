/* primal.c: values of the forward program among backward ops.
 *
 * In the outermost scope they are the values themselves. In other scopes a value is made again if that costs next to
 * nothing, else it is saved: views (constants, broadcasts, transposes) follow from what they show, as do slices and
 * scalars of values that are there anyway, and a float that was converted to a wider type from the narrow one. Where
 * the caller keeps less, loops and functions save what they begin with, and results of products if those are kept;
 * all else is made again.
 */
#include "differentiate/grad.h"


static gd_scope *scope_of(const gd *g, const weft_value *v) {
    for (gd_scope *s = g->scope; s; s = s->outer)
        if (weft_value_block(v) == s->forward) return s;
    return NULL;
}

/* Whether v is from outside of the whole derivation, which was asked for in a body: then it is there everywhere. */
static bool is_outside(const gd *g, const weft_value *v) {
    const gd_scope *s = g->scope;
    while (s->outer) s = s->outer;
    for (const weft_op *op = s->forward->parent->parent; op; op = op->parent ? weft_op_parent(op) : NULL)
        if (op->parent == weft_value_block(v)) return true;
    return false;
}

enum { MOST_STEPS = 12 }; /* ops that are made again for one value, in depth */

static bool again(gd *g, weft_value *v, int steps);

/* Whether v is among backward ops already, or costs next to nothing. */
static bool there(gd *g, weft_value *v, int steps) {
    v = gd_origin(g, v);
    const gd_scope *s = scope_of(g, v);
    if (!s) return is_outside(g, v);
    if (!s->op) return true;
    if (gd_of(g, v)->here) return true;
    if (!v->def) return s->free && s->free(s, v);
    return again(g, v, steps);
}

static bool all_there(gd *g, const weft_op *op, int steps) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!there(g, op->operands[i], steps)) return false;
    return true;
}

static bool widens(const weft_op *op) {
    return op->kind == WEFT_OP_convert &&
           weft_type_bytes(op->operands[0]->type) < weft_type_bytes(op->results[0].type);
}

/* Whether v is rather made again than saved: its operands are there, or are no larger than v. */
static bool again(gd *g, weft_value *v, int steps) {
    const weft_op *op = v->def;
    if (!op || op->result_count != 1 || op->region_count || steps <= 0 || !weft_type_is_tensor(v->type)) return false;
    const weft_op_kind kind = (weft_op_kind)op->kind;
    if (!weft_op_kind_has(kind, WEFT_TRAIT_PURE)) return false;
    const bool view = weft_op_kind_has(kind, WEFT_TRAIT_VIEW);
    const bool small = !v->type->rank || (weft_op_kind_has(kind, WEFT_TRAIT_POINTWISE) &&
                                          !weft_type_has_derivative(v->type));
    if ((view || widens(op)) && op->operand_count <= 1 && kind != WEFT_OP_optimization_barrier &&
        (!op->operand_count || weft_type_bytes(op->operands[0]->type) <= weft_type_bytes(v->type)))
        return true;
    return (view || small || kind == WEFT_OP_dynamic_slice) && all_there(g, op, steps - 1);
}

/* Whether the caller wants v made again, whatever that costs. */
static bool given_up(const gd *g, const gd_scope *s, const weft_value *v) {
    const weft_op *op = v->def;
    if (!op || g->what->keep == WEFT_KEEP_ALL || (s->op->kind != WEFT_OP_while && s->op->kind != WEFT_OP_func))
        return false;
    const weft_op_kind kind = (weft_op_kind)op->kind;
    const bool product = kind == WEFT_OP_dot_general || kind == WEFT_OP_dot || kind == WEFT_OP_convolution;
    if (product && g->what->keep == WEFT_KEEP_PRODUCTS) return false;
    return kind != WEFT_OP_rng && kind != WEFT_OP_custom_call;
}

/* ---- ops with regions ---- */

/* Maps what op and its regions use from outside. */
static void map_used(gd *g, const weft_op *root, const weft_op *op) {
    /* gd_here may grow the map */
    for (uint32_t i = 0; i < op->operand_count; i++) {
        weft_value *v = op->operands[i];
        weft_value *here = weft_block_is_within(weft_value_block(v), root) ? NULL : gd_here(g, v);
        weft_map *map = here ? gd_map(g) : NULL;
        if (map) map->to[v->id] = here;
    }
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk) map_used(g, root, inner);
}

/* A copy of op with all it needs; v is one of its results. */
static weft_value *copy(gd *g, gd_scope *s, const weft_op *op, const weft_value *v) {
    weft_map *map = gd_map(g);
    if (!map) {
        gd_fail(g, weft_oom());
        return NULL;
    }
    map_used(g, op, op);
    if (gd_status(g) != WEFT_OK) return NULL;
    const weft_loc *loc = s->b.loc;
    s->b.loc = op->loc;
    weft_op *made = weft_clone_op(&s->b, op, map);
    s->b.loc = loc;
    for (uint32_t i = 0; made && i < op->result_count; i++) gd_of(g, &op->results[i])->here = &made->results[i];
    return made ? &made->results[v->index] : NULL;
}

static weft_value *make_again(gd *g, gd_scope *s, const weft_op *op, const weft_value *v) {
    if (op->region_count || op->result_count != 1) return copy(g, s, op, v);
    weft_value **in = weft_arena_array(g->arena, weft_value *, op->operand_count + 1);
    if (!in) {
        gd_fail(g, weft_oom());
        return NULL;
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!(in[i] = gd_here(g, op->operands[i]))) return NULL;
    const weft_loc *loc = s->b.loc;
    s->b.loc = op->loc;
    const weft_type *type = op->results[0].type;
    weft_op *made = weft_build_op(&s->b, &(weft_op_spec){ .kind = (weft_op_kind)op->kind, .name = op->name,
                                                          .operands = in, .operand_count = op->operand_count,
                                                          .types = &type, .result_count = 1, .attrs = op->attrs,
                                                          .attr_count = op->attr_count });
    s->b.loc = loc;
    return made ? &made->results[0] : NULL;
}

weft_value *gd_here(gd *g, weft_value *v) {
    v = gd_origin(g, v);
    gd_scope *s = scope_of(g, v);
    if (gd_status(g) != WEFT_OK) return NULL;
    if (!s && is_outside(g, v)) return v;
    if (!s) {
        gd_fail(g, weft_report(g->cx, WEFT_D_internal, weft_value_loc(v), "a value is read outside its scope"));
        return NULL;
    }
    if (!s->op) return v;
    if (gd_of(g, v)->here) return gd_of(g, v)->here;
    const bool made = again(g, v, MOST_STEPS) || given_up(g, s, v);
    weft_value *here = made ? make_again(g, s, v->def, v) : s->save(g, s, v);
    gd_of(g, v)->here = here;
    return here;
}
