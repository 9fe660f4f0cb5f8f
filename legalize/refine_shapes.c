/* refine_shapes: gives dimensions written `?` the sizes that follow from the arguments of @main.
 *
 * Pass stablehlo-refine-shapes, as in StableHLO's own tool. One walk in program order: an op's operand types refine its
 * result, by the op's own inference (ir/verify.h), by its shape operands if it has some, and for element-wise ops by
 * the operands' shape. Integers that follow from constants and types become constants on the way (shape_fold.h), so
 * that arithmetic on sizes disappears. A loop's arguments take the types of its initial values, branches give theirs to
 * their op. Needs: no calls (inline runs before), so that a function called with several shapes has a copy for each.
 * Leaves: a module with types as refined as possible; asserted shapes are checked and the markers of jax.export
 * removed. Source: StableHLO docs/dynamism.md.
 */
#include "ir/verify.h"
#include "legalize/chlo.h"
#include "legalize/dynamism.h"
#include "legalize/legalize.h"

typedef struct refiner {
    weft_arena *arena;
    lg_known *known;               /* by old value id */
    const weft_type **argument;    /* of block arguments, by old value id: their refined types */
} refiner;

static bool is_dynamic(const weft_type *t) { return weft_type_is_tensor(t) && !weft_type_is_static(t); }

static bool has_target(const weft_op *op, const char *name) {
    return op->kind == WEFT_OP_custom_call && weft_str_is(weft_op_symbol(op, WEFT_A_call_target_name), name);
}

static bool wanted(const weft_op *op) {
    bool found = lg_is_dynamic_op(op) || has_target(op, "shape_assertion") ||
                 has_target(op, "stablehlo.shape_refinement_operand_wrapper");
    for (uint32_t i = 0; i < op->result_count; i++) found = found || is_dynamic(op->results[i].type);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (uint32_t i = 0; i < b->arg_count; i++) found = found || is_dynamic(b->args[i]->type);
    return found;
}

/* ---- types ---- */

/* t with the dimensions that `by` knows and t does not; t if they do not fit. NULL when memory is out. */
static const weft_type *merged(weft_context *cx, const weft_type *t, const weft_type *by) {
    int64_t dims[WEFT_MAX_RANK];
    if (!by || !is_dynamic(t) || !weft_type_is_tensor(by) || by->rank != t->rank) return t;
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = t->dims[i] == WEFT_DYNAMIC ? by->dims[i] : t->dims[i];
    const weft_type *m = weft_type_with_dims(cx, t, t->rank, dims);
    const bool bounds = m && m->encoding && weft_type_is_static(m); /* a bound of a known dimension has no meaning */
    return !bounds    ? m
           : m->quant ? weft_type_quant_tensor(cx, m->quant, m->rank, m->dims, NULL)
                      : weft_type_tensor(cx, m->dtype, m->rank, m->dims);
}

/* Types of op's results by its own inference, NULL if that leaves them open. */
static weft_status inferred(const weft_rewrite *r, weft_context *cx, const weft_op *op, const weft_type **types) {
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = NULL;
    return op->kind == WEFT_OP_other || op->kind == WEFT_OP_custom_call ? WEFT_OK
                                                                        : weft_infer_within(cx, r->in, op, types);
}

static const weft_type *by_operands(const weft_op *op, const weft_type *t, weft_context *cx) {
    if (!weft_op_kind_has(op->kind, WEFT_TRAIT_POINTWISE)) return t;
    for (uint32_t i = 0; i < op->operand_count && t; i++) t = merged(cx, t, op->operands[i]->type);
    return t;
}

/* The dimensions of result i from the values of shape operands. */
static weft_status refine_by_values(weft_context *cx, weft_op *op, const lg_known *const *known,
                                    const weft_type *const *types, uint32_t i) {
    int64_t dims[WEFT_MAX_RANK];
    const weft_type *t = op->results[i].type;
    weft_status st = WEFT_OK;
    if (!weft_type_is_tensor(t)) return WEFT_OK;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    if (op->kind == WEFT_OP_custom_call) lg_refine_call(cx, op, known, types, i, dims);
    else if (op->result_count == 1) st = lg_refine_dims(cx, op, known, types, dims);
    if (st != WEFT_OK || !memcmp(dims, t->dims, t->rank * sizeof *dims)) return st;
    const weft_type *by = weft_type_tensor(cx, t->dtype, t->rank, dims), *m = by ? merged(cx, t, by) : NULL;
    if (!m) return weft_oom();
    op->results[i].type = m;
    return WEFT_OK;
}

/* Gives the results of op, which is new, the types that follow from its operands. */
static weft_status refine_results(const weft_rewrite *r, weft_context *cx, weft_op *op, const lg_known *const *known,
                                  const weft_type *const *types) {
    bool open = false;
    for (uint32_t i = 0; i < op->result_count; i++) open = open || is_dynamic(op->results[i].type);
    if (!open) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_type **found = weft_scratch_array(cx, const weft_type *, op->result_count);
    weft_status st = found ? inferred(r, cx, op, found) : weft_oom();
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) {
        const weft_type *t = by_operands(op, merged(cx, op->results[i].type, found[i]), cx);
        if (!t) st = weft_oom();
        else op->results[i].type = t;
    }
    weft_arena_reset(&cx->scratch, mark);
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) st = refine_by_values(cx, op, known, types, i);
    return st;
}

/* A slice from a computed start to that start plus a constant has the constant's size. */
static weft_status relative_limit(refiner *f, const weft_op *op, const lg_known **known) {
    const weft_op *limit = op->kind == WEFT_OP_real_dynamic_slice ? op->operands[2]->def : NULL;
    if (!limit || limit->kind != WEFT_OP_add || known[1]->v) return WEFT_OK;
    const int side = limit->operands[0] == op->operands[1] ? 1 : 0;
    const lg_known *size = &f->known[limit->operands[side]->id];
    if (limit->operands[!side] != op->operands[1] || !size->v) return WEFT_OK;
    lg_known *start = weft_arena_new(f->arena, lg_known);
    int64_t *zero = weft_arena_array(f->arena, int64_t, size->n);
    if (!start || !zero) return weft_oom();
    *start = *size;
    start->v = zero;
    known[1] = start;
    known[2] = size;
    return WEFT_OK;
}

/* ---- ops with regions ---- */

static bool agree(const weft_type *a, const weft_type *b) {
    if (!weft_type_is_tensor(a) || !weft_type_is_tensor(b)) return a == b;
    for (uint32_t i = 0; i < a->rank && a->rank == b->rank; i++)
        if (a->dims[i] != b->dims[i] && a->dims[i] != WEFT_DYNAMIC && b->dims[i] != WEFT_DYNAMIC) return false;
    return a->rank == b->rank;
}

/* A loop carries values of one type. */
static weft_status loop_results(weft_context *cx, weft_op *op) {
    const weft_op *yields = weft_op_body(op, 1)->last;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_type *carried = op->operands[i]->type, *next = yields->operands[i]->type;
        if (!agree(carried, next))
            return weft_report(cx, WEFT_D_verify, yields->loc,
                               "value %u of the loop changes its shape from iteration to iteration", i);
        op->results[i].type = carried;
    }
    return WEFT_OK;
}

static weft_status branch_results(weft_context *cx, weft_op *op) {
    for (uint32_t r = 0; r < op->region_count; r++)
        for (uint32_t i = 0; i < op->result_count; i++) {
            const weft_type *t = merged(cx, op->results[i].type, weft_op_body(op, r)->last->operands[i]->type);
            if (!t) return weft_oom();
            op->results[i].type = t;
        }
    return WEFT_OK;
}

/* A function returns what its return does. */
static weft_status function_results(weft_module *m, weft_op *op) {
    weft_context *cx = m->cx;
    const weft_type *t = weft_func_type(op);
    const weft_block *body = weft_op_body(op, 0);
    const uint32_t n = t->part_count - t->input_count;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_type **out = weft_scratch_array(cx, const weft_type *, n);
    if (!body || !out) return out ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; i < n; i++) out[i] = body->last->operands[i]->type;
    const weft_type *type = weft_type_function(cx, t->parts, t->input_count, out, n);
    const weft_attr *attr = type ? weft_attr_type(cx, type) : NULL;
    weft_arena_reset(&cx->scratch, mark);
    return attr ? weft_op_set(m, op, WEFT_A_function_type, attr) : weft_oom();
}

static weft_status with_regions(weft_rewrite *r, const weft_op *op, weft_op *made) {
    refiner *f = r->user;
    for (uint32_t k = 0; op->kind == WEFT_OP_while && k < 2; k++)
        for (uint32_t i = 0; i < op->operand_count; i++)
            f->argument[weft_op_body(op, k)->args[i]->id] = made->operands[i]->type;
    weft_status st = weft_rewrite_regions(r, op, made);
    if (st != WEFT_OK) return st;
    if (op->kind == WEFT_OP_while) return loop_results(r->out->cx, made);
    if (op->kind == WEFT_OP_if || op->kind == WEFT_OP_case) return branch_results(r->out->cx, made);
    return op->kind == WEFT_OP_func ? function_results(r->out, made) : WEFT_OK;
}

/* ---- markers of jax.export ---- */

/* shape_assertion(holds, numbers...): its message has {0}, {1} ... for the numbers. */
static weft_status check_assertion(weft_context *cx, const weft_op *op, const lg_known *const *known) {
    const weft_attr *message = weft_op_attr_named(op, "error_message");
    if (known[0]->v[0]) return WEFT_OK;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    const weft_str s = message && message->kind == WEFT_ATTR_STRING
                           ? message->s
                           : WEFT_STR("the program does not take arguments of these shapes");
    for (size_t i = 0; i < s.n;) {
        uint32_t n = 0;
        size_t length = weft_str_placeholder(s, i, &n);
        if (length && n + 1 < op->operand_count && known[n + 1]->v) {
            weft_buf_i64(&b, known[n + 1]->v[0]);
            i += length;
        } else weft_buf_putc(&b, s.p[i++]);
    }
    const weft_status st = weft_report(cx, WEFT_D_verify, op->loc, "%.*s", (int)b.n, b.p);
    weft_buf_free(&b);
    return st;
}

/* ---- one op ---- */

static weft_value *constant(weft_builder *b, const lg_known *k) {
    weft_context *cx = b->m->cx;
    const size_t bytes = weft_dtype_bytes(k->dtype);
    const weft_type *type = weft_type_tensor(cx, k->dtype, k->rank, k->dims);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    char *p = weft_scratch_array(cx, char, (size_t)(k->n ? k->n : 1) * bytes);
    /* little-endian machines only, as everywhere */
    for (int64_t i = 0; p && i < k->n; i++) memcpy(p + (size_t)i * bytes, &k->v[i], bytes);
    const weft_attr *attr = type && p ? weft_attr_dense(cx, type, p, false) : NULL;
    weft_arena_reset(&cx->scratch, mark);
    if (!attr) b->status = weft_oom();
    return attr ? weft_build_constant(b, attr) : NULL;
}

static weft_status look_up(refiner *f, weft_rewrite *r, const weft_op *op, const lg_known ***known,
                           const weft_type ***types) {
    *known = weft_arena_array(f->arena, const lg_known *, op->operand_count);
    *types = weft_arena_array(f->arena, const weft_type *, op->operand_count);
    if (!*known || !*types) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) {
        (*known)[i] = &f->known[op->operands[i]->id];
        (*types)[i] = r->map.to[op->operands[i]->id]->type;
    }
    return WEFT_OK;
}

static weft_status refine(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    refiner *f = r->user;
    weft_context *cx = b->m->cx;
    const lg_known **known;
    const weft_type **types;
    lg_known value = { 0 };
    *did = WEFT_DONE;
    weft_status st = look_up(f, r, op, &known, &types);
    if (st != WEFT_OK) return st;
    if (has_target(op, "shape_assertion") && !op->result_count && op->operand_count && known[0]->v)
        return check_assertion(cx, op, known);
    if (has_target(op, "stablehlo.shape_refinement_operand_wrapper") && op->operand_count && op->result_count == 1) {
        r->map.to[op->results[0].id] = r->map.to[op->operands[0]->id];
        f->known[op->results[0].id] = *known[0];
        return WEFT_OK;
    }
    st = lg_fold(f->arena, op, known, types, &value);
    if (st != WEFT_OK) return st;
    if (value.v) f->known[op->results[0].id] = value;
    if (value.v && op->kind != WEFT_OP_constant) {
        weft_value *c = constant(b, &value);
        if (c) c->hint = op->results[0].hint;
        r->map.to[op->results[0].id] = c;
        return b->status;
    }
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    if (!made) return b->status;
    if (op->region_count) st = with_regions(r, op, made);
    if (st == WEFT_OK) st = relative_limit(f, op, known);
    return st == WEFT_OK ? refine_results(r, cx, made, known, types) : st;
}

static const weft_type *argument_type(weft_rewrite *r, const weft_value *v) {
    const weft_type *t = ((refiner *)r->user)->argument[v->id];
    return t ? t : v->type;
}

typedef struct search { bool found; const weft_op *call; } search;

static weft_status look_at(void *user, weft_op *op) {
    search *s = user;
    s->found = s->found || wanted(op);
    if (op->kind == WEFT_OP_func_call && !s->call) s->call = op;
    return WEFT_OK;
}

weft_status weft_pass_refine_shapes(weft_pass *p, const weft_module *in, weft_module **out) {
    search s = { false, NULL };
    weft_status st = weft_module_walk(in, look_at, &s);
    if (st != WEFT_OK || !s.found) return st;
    if (s.call)
        return weft_report(p->cx, WEFT_D_unsupported, s.call->loc,
                           "shapes are refined when calls are gone: run 'inline' before");
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    refiner f = { &arena, weft_arena_array(&arena, lg_known, in->value_count),
                  weft_arena_array(&arena, const weft_type *, in->value_count) };
    weft_rewrite r = { .user = &f, .op = refine, .type = argument_type };
    st = f.known && f.argument ? weft_rewrite_module(&r, in, &arena, out) : weft_oom();
    weft_arena_free(&arena);
    return st;
}
