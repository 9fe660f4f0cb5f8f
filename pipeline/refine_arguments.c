/* refine_arguments: @main's arguments get the types that the option `types` names, one for each.
 *
 * Pass stablehlo-refine-arguments, as in StableHLO's own tool: a type may give a size where the argument has `?`, and
 * nothing else. Uses of an argument still see its old type, through custom_call
 * @stablehlo.shape_refinement_operand_wrapper, which stablehlo-refine-shapes removes when it propagates the sizes to
 * all other types. Types are text, so this pass is here and not in legalize/, which has no syntax. Source: StableHLO
 * docs/dynamism.md.
 */
#include "ir/rewrite.h"
#include "mlir/read.h"
#include "pipeline/registry.h"

weft_status weft_pass_refine_arguments(weft_pass *p, const weft_module *in, weft_module **out);

typedef struct refiner {
    weft_context *cx;
    const weft_op *main;
    const weft_type **types; /* by argument */
    uint32_t count;
} refiner;

/* ---- the option ---- */

/* The end of the first of several types: a comma outside of brackets. */
static size_t one_type(weft_str s) {
    int depth = 0;
    size_t i = 0;
    for (; i < s.n && (depth || s.p[i] != ','); i++) {
        if (s.p[i] == '<' || s.p[i] == '(' || s.p[i] == '{' || s.p[i] == '[') depth++;
        if (s.p[i] == '>' || s.p[i] == ')' || s.p[i] == '}' || s.p[i] == ']') depth--;
    }
    return i;
}

static weft_status read_types(refiner *f, weft_str s) {
    weft_status st = WEFT_OK;
    f->types = weft_arena_array(&f->cx->arena, const weft_type *, s.n + 1);
    if (!f->types) return weft_oom();
    while (s.n && st == WEFT_OK) {
        const size_t n = one_type(s), next = n < s.n ? n + 1 : n;
        st = weft_read_type(f->cx, (weft_str){ s.p, n }, &f->types[f->count++]);
        if (st != WEFT_OK)
            weft_note(f->cx, NULL, "in the type of argument %u, '%.*s', of the option types", f->count - 1, (int)n,
                      s.p);
        s.p += next, s.n -= next;
    }
    return st;
}

/* ---- checks ---- */

static weft_status misfit(refiner *f, uint32_t i, const weft_type *from, const weft_type *to, const char *what) {
    weft_buf a, b;
    weft_buf_init(&a, &f->cx->alloc);
    weft_buf_init(&b, &f->cx->alloc);
    weft_type_print(&a, from);
    weft_type_print(&b, to);
    const weft_status st =
        weft_report(f->cx, WEFT_D_verify, f->main->loc,
                    "'func.func' op invalid refinement for argument %u, refinement %s in '%s' -> '%s'", i, what,
                    a.p ? a.p : "", b.p ? b.p : "");
    weft_buf_free(&a);
    weft_buf_free(&b);
    return st;
}

static weft_status check(refiner *f) {
    const weft_block *body = weft_op_body(f->main, 0);
    if (f->count != body->arg_count)
        return weft_report(f->cx, WEFT_D_verify, f->main->loc,
                           "'func.func' op number of refinements must match number of op operands %u vs %u", f->count,
                           body->arg_count);
    for (uint32_t i = 0; i < f->count; i++) {
        const weft_type *from = body->args[i]->type, *to = f->types[i];
        if (from == to) continue;
        if (!weft_type_is_tensor(from) || !weft_type_is_tensor(to)) return misfit(f, i, from, to, "must be a tensor");
        if (from->dtype != to->dtype || from->quant != to->quant)
            return misfit(f, i, from, to, "element types must match");
        if (from->rank != to->rank) return misfit(f, i, from, to, "rank must match operand rank");
        for (uint32_t d = 0; d < from->rank; d++)
            if (from->dims[d] != WEFT_DYNAMIC && from->dims[d] != to->dims[d])
                return misfit(f, i, from, to, "dimension sizes must match for static dimensions");
    }
    return WEFT_OK;
}

/* ---- the rewriting ---- */

static const weft_type *argument_type(weft_rewrite *r, const weft_value *v) {
    const refiner *f = r->user;
    const weft_block *body = weft_op_body(f->main, 0);
    for (uint32_t i = 0; i < f->count; i++)
        if (body->args[i] == v) return f->types[i];
    return v->type;
}

/* The argument with its old type. */
static weft_status wrap(weft_rewrite *r, weft_block *made, const weft_value *old) {
    weft_context *cx = r->out->cx;
    weft_builder b;
    weft_value *in[2] = { r->map.to[old->id], NULL };
    const weft_type *t = in[0]->type;
    const int64_t rank = t->rank, one = 1;
    weft_builder_init(&b, r->out, made);
    b.loc = old->loc;
    in[1] = weft_build_constant(&b, weft_attr_dense_i64(cx, 1, &rank, t->dims));
    const weft_named_attr attrs[] = { { weft_name_at(cx, WEFT_A_call_target_name),
                                        weft_attr_string(cx, WEFT_STR("stablehlo.shape_refinement_operand_wrapper")) },
                                      { weft_name_from(cx, "indices_of_shape_operands"),
                                        weft_attr_dense_i64(cx, 1, &one, &one) } };
    if (!in[1]) return b.status;
    weft_op *op = weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_custom_call, .operands = in, .operand_count = 2,
                                                     .types = &old->type, .result_count = 1, .attrs = attrs,
                                                     .attr_count = 2 });
    if (op) r->map.to[old->id] = &op->results[0];
    return b.status;
}

static weft_status enter(weft_rewrite *r, const weft_block *old, weft_block *made) {
    const refiner *f = r->user;
    weft_status st = WEFT_OK;
    if (old != weft_op_body(f->main, 0)) return WEFT_OK;
    for (uint32_t i = 0; i < old->arg_count && st == WEFT_OK; i++)
        if (old->args[i]->type != f->types[i]) st = wrap(r, made, old->args[i]);
    return st;
}

static weft_status with_type(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const refiner *f = r->user;
    if (op != f->main) return WEFT_OK;
    *did = WEFT_DONE;
    const weft_type *t = weft_func_type(op),
                    *type = weft_type_function(f->cx, f->types, f->count, t->parts + t->input_count,
                                               t->part_count - t->input_count);
    const weft_attr *attr = type ? weft_attr_type(f->cx, type) : NULL;
    weft_op *made = attr ? weft_clone_shell(b, op, &r->map, NULL) : NULL;
    if (!made) return attr ? b->status : weft_oom();
    const weft_status st = weft_op_set(r->out, made, WEFT_A_function_type, attr);
    return st == WEFT_OK ? weft_rewrite_regions(r, op, made) : st;
}

weft_status weft_pass_refine_arguments(weft_pass *p, const weft_module *in, weft_module **out) {
    refiner f = { .cx = p->cx, .main = weft_module_main(in) };
    if (!f.main || !weft_op_body(f.main, 0))
        return weft_report(p->cx, WEFT_D_verify, in->root->loc,
                           "there is no function whose arguments could be refined");
    weft_status st = read_types(&f, weft_pass_text(p, "types", WEFT_STR("")));
    if (st == WEFT_OK) st = check(&f);
    if (st != WEFT_OK) return st;
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->alloc);
    st = weft_rewrite_module(&(weft_rewrite){ .user = &f, .op = with_type, .type = argument_type, .enter = enter }, in,
                             &arena, out);
    weft_arena_free(&arena);
    return st;
}
