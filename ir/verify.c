/* verify.c: one walk over a module: structure, visibility of values, symbols, and each op's own rules.
 *
 * A value is visible from its definition to the end of its block, nested regions included, except across ops whose
 * regions are isolated (functions, manual and named computations). Values get an ascending number when they are defined
 * and lose it when their block ends, so one comparison per operand decides, and the walk is linear.
 */
#include "ir/verify.h"

#include "ir/infer.h"

#define MOST_DEPTH 500 /* of nested regions, and of nested calls: the walks recurse */

/* ---- one op ---- */

static bool counts(int want, uint32_t have) { return want == WEFT_VARIADIC || (uint32_t)want == have; }

static weft_status check_number(weft_checker *c, const weft_op *op, const char *what, int want, uint32_t have) {
    if (counts(want, have)) return WEFT_OK;
    return weft_bad(c, op, "has %u %s%s, expected %d", have, what, have == 1 ? "" : "s", want);
}

/* The attribute kinds in which each kind of the table (attrs.def) may be written, and the type of its numbers.
 */
static const struct spec { const char *text; uint32_t kinds; weft_dtype dtype; } specs[] = {
#define K(kind) (1u << WEFT_ATTR_##kind)
    [WEFT_SPEC_any] = { "an attribute", UINT32_MAX, WEFT_DTYPE_NONE },
    [WEFT_SPEC_i64] = { "an integer of type i64", K(INT), WEFT_I64 },
    [WEFT_SPEC_i32] = { "an integer of type i32", K(INT), WEFT_I32 },
    [WEFT_SPEC_ints] = { "an array of type i64", K(DENSE_ARRAY), WEFT_I64 },
    [WEFT_SPEC_i32s] = { "an array of type i32", K(DENSE_ARRAY), WEFT_I32 },
    [WEFT_SPEC_bools] = { "an array of type i1", K(DENSE_ARRAY), WEFT_I1 },
    [WEFT_SPEC_bool] = { "true or false", K(BOOL), WEFT_DTYPE_NONE },
    [WEFT_SPEC_unit] = { "a unit attribute", K(UNIT), WEFT_DTYPE_NONE },
    [WEFT_SPEC_string] = { "a string", K(STRING), WEFT_DTYPE_NONE },
    [WEFT_SPEC_symbol] = { "a symbol of one name", K(SYMBOL), WEFT_DTYPE_NONE },
    [WEFT_SPEC_type] = { "a type", K(TYPE), WEFT_DTYPE_NONE },
    [WEFT_SPEC_dense] = { "a dense attribute of i64", K(DENSE), WEFT_I64 },
    [WEFT_SPEC_f32] = { "a number of type f32", K(FLOAT), WEFT_F32 },
    [WEFT_SPEC_array] = { "an array", K(ARRAY), WEFT_DTYPE_NONE },
    [WEFT_SPEC_dict] = { "a dictionary", K(DICT), WEFT_DTYPE_NONE },
    [WEFT_SPEC_enum] = { "a keyword", K(ENUM) | K(INT), WEFT_I32 },
    [WEFT_SPEC_dot] = { "a #stablehlo.dot attribute", K(DOT), WEFT_DTYPE_NONE },
    [WEFT_SPEC_scatter] = { "a #stablehlo.scatter attribute", K(SCATTER), WEFT_DTYPE_NONE },
    [WEFT_SPEC_channel] = { "a #stablehlo.channel_handle attribute", K(CHANNEL), WEFT_DTYPE_NONE },
    [WEFT_SPEC_mesh] = { "a mesh", K(MESH), WEFT_DTYPE_NONE },
    [WEFT_SPEC_sharding] = { "a sharding", K(SHARDING), WEFT_DTYPE_NONE },
    [WEFT_SPEC_shardings] = { "a list of shardings", K(SHARDINGS), WEFT_DTYPE_NONE },
    [WEFT_SPEC_axes] = { "a list of axes", K(AXES), WEFT_DTYPE_NONE },
    [WEFT_SPEC_axes_per_dim] = { "a list of axes per dimension", K(AXES_PER_DIM), WEFT_DTYPE_NONE },
    [WEFT_SPEC_algorithm] = { "a #stablehlo.dot_algorithm attribute", K(ALGORITHM), WEFT_DTYPE_NONE },
    [WEFT_SPEC_accuracy] = { "a #stablehlo.result_accuracy attribute", K(ACCURACY), WEFT_DTYPE_NONE },
    [WEFT_SPEC_ragged] = { "a #chlo.ragged_dot attribute", K(RAGGED), WEFT_DTYPE_NONE },
    [WEFT_SPEC_a2a_params] = { "a list of axes with dimensions", K(A2A_PARAMS), WEFT_DTYPE_NONE },
#undef K
};

static bool fits(const struct spec *s, const weft_attr *a) {
    if (!(s->kinds >> a->kind & 1)) return false;
    if (s == &specs[WEFT_SPEC_symbol]) return weft_attr_is_flat_symbol(a);
    return !s->dtype || a->kind == WEFT_ATTR_ENUM ||
           (a->kind == WEFT_ATTR_DENSE_ARRAY ? a->dtype : a->type->dtype) == s->dtype;
}

/* The first attribute of the table that op lacks or has as something else; NULL: none. */
static const weft_attr_spec *misfit(const weft_op *op) {
    for (const weft_attr_spec *s = weft_op_table[op->kind].attrs; s->presence != WEFT_END_OF_ATTRS; s++) {
        const weft_attr *a = weft_op_attr(op, (weft_attr_name)s->name);
        if (a ? !fits(&specs[weft_attr_specs[s->name]], a) : s->presence == WEFT_REQUIRED) return s;
    }
    return NULL;
}

bool weft_op_is_formed(const weft_op *op) {
    const weft_op_info *info = &weft_op_table[op->kind];
    return counts(info->operands, op->operand_count) && counts(info->results, op->result_count) &&
           counts(info->regions, op->region_count) && !misfit(op);
}

/* The valid fields of an accuracy: tolerances belong to its mode TOLERANCE. */
static weft_status check_accuracy(weft_checker *c, const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_result_accuracy);
    if (!a) return WEFT_OK;
    const weft_accuracy *d = &a->accuracy;
    if (!(d->atol >= 0) || !(d->rtol >= 0) || d->ulps < 0)
        return weft_bad(c, op, "result_accuracy has a negative tolerance");
    if (d->mode == WEFT_result_accuracy_mode_TOLERANCE || (d->atol == 0 && d->rtol == 0 && !d->ulps)) return WEFT_OK;
    return weft_bad(c, op, "result_accuracy has tolerances, which only the mode TOLERANCE has, not %s",
                    weft_enum_table[d->mode].keyword);
}

/* Counts and attribute kinds, as the table says. */
static weft_status check_form(weft_checker *c, const weft_op *op) {
    const weft_op_info *info = &weft_op_table[op->kind];
    weft_status st = check_number(c, op, "operand", info->operands, op->operand_count);
    if (st == WEFT_OK) st = check_number(c, op, "result", info->results, op->result_count);
    if (st == WEFT_OK) st = check_number(c, op, "region", info->regions, op->region_count);
    const weft_attr_spec *s = st == WEFT_OK ? misfit(op) : NULL;
    if (s && !weft_op_attr(op, (weft_attr_name)s->name))
        st = weft_bad(c, op, "needs the attribute '%s'", weft_attr_names[s->name]);
    else if (s)
        st = weft_bad(c, op, "attribute '%s' is not %s", weft_attr_names[s->name],
                      specs[weft_attr_specs[s->name]].text);
    if (st == WEFT_OK && weft_op_kind_has_attr(op->kind, WEFT_A_result_accuracy)) st = check_accuracy(c, op);
    return st;
}

static weft_status check_result_shardings(weft_checker *c, const weft_op *op, const weft_attr *a) {
    const weft_type **types = weft_scratch_array(c->cx, const weft_type *, op->result_count);
    if (!types) return weft_oom();
    for (uint32_t r = 0; r < op->result_count; r++) types[r] = op->results[r].type;
    if (a->kind != WEFT_ATTR_SHARDINGS)
        return weft_bad_sharding(c, op, "should have a sharding attribute of type TensorShardingPerValueAttr");
    return weft_check_shardings(c, op, "result", a, types, op->result_count);
}

/* Discardable attributes that Weft gives a meaning. */
static weft_status check_discardable(weft_checker *c, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->attr_count && st == WEFT_OK; i++) {
        const weft_attr *a = op->attrs[i].value;
        switch (op->attrs[i].name->id) {
        case WEFT_A_sdy_sharding: st = check_result_shardings(c, op, a); break;
        case WEFT_A_sdy_sharding_rule:
            if (a->kind != WEFT_ATTR_RULE)
                st = weft_bad_sharding(
                    c, op,
                    "should have a sharding rule attribute of type OpShardingRuleAttr for attr named 'sdy.sharding_rule'");
            else st = weft_check_rule(c, op, &a->rule);
            break;
        case WEFT_A_sdy_propagation_edges: st = weft_check_edges(c, op, a); break;
        case WEFT_A_sdy_result_propagation_edges:
        case WEFT_A_sdy_block_arg_propagation_edges: st = weft_check_edges_per_value(c, op, a); break;
        }
    }
    return st;
}

static weft_status infer(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_form(c, op);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = NULL;
    if (st != WEFT_OK) return st;
    st = weft_infer_of[op->kind](c, op, types);
    if (st == WEFT_ERR_INVALID && weft_op_kind_has_attr((weft_op_kind)op->kind, WEFT_A_out_sharding))
        weft_help_collective(c, op);
    return st;
}

static weft_status check_op(weft_checker *c, const weft_op *op) {
    const weft_type *few[8], **types = few;
    if (op->result_count > WEFT_COUNT(few)) types = weft_scratch_array(c->cx, const weft_type *, op->result_count);
    if (!types) return weft_oom();
    weft_status st = check_discardable(c, op);
    if (st == WEFT_OK) st = infer(c, op, types);
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
        if (types[i] && !weft_types_agree(types[i], op->results[i].type))
            st = weft_bad(c, op, "result %u has type '%s', expected '%s'", i, weft_text_of(c, op->results[i].type),
                          weft_text_of(c, types[i]));
    return st;
}

weft_status weft_infer(weft_context *cx, const weft_op *op, const weft_type **types) {
    return weft_infer_within(cx, NULL, op, types);
}

weft_status weft_infer_within(weft_context *cx, const weft_module *symbols, const weft_op *op,
                              const weft_type **types) {
    weft_checker c = { .cx = cx, .root = symbols ? symbols->root : NULL };
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = infer(&c, op, types);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_verify_op(weft_context *cx, const weft_op *op) { return weft_verify_op_within(cx, NULL, op); }

weft_status weft_verify_op_within(weft_context *cx, const weft_module *symbols, const weft_op *op) {
    weft_checker c = { .cx = cx, .root = symbols ? symbols->root : NULL };
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = check_op(&c, op);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

/* ---- the module ---- */

typedef struct verifier {
    weft_checker check;
    uint32_t *defined;    /* by value id: its number while it is visible, else 0 */
    uint32_t value_count;
    uint32_t next;        /* number of the next value */
    uint32_t outside;     /* values numbered up to here are outside of an isolated op */
} verifier;

static void define(verifier *v, const weft_value *x) {
    if (x->id < v->value_count) v->defined[x->id] = ++v->next;
}

static void forget(verifier *v, const weft_value *x) {
    if (x->id < v->value_count) v->defined[x->id] = 0;
}

static weft_status check_operands_visible(verifier *v, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *x = op->operands[i];
        uint32_t number = x->id < v->value_count ? v->defined[x->id] : 0;
        if (number > v->outside) continue;
        if (!number) {
            weft_status st = weft_bad(&v->check, op, "operand %u is not defined before its use", i);
            weft_note(v->check.cx, weft_value_loc(x), "it is defined here");
            return st;
        }
        const weft_op *closed = weft_op_parent(op);
        while (closed && !weft_op_kind_has(closed->kind, WEFT_TRAIT_ISOLATED)) closed = weft_op_parent(closed);
        weft_status st = weft_bad_sharding(&v->check, op, "using value defined outside the region");
        weft_note(v->check.cx, closed ? closed->loc : NULL, "required by region isolation constraints");
        return st;
    }
    return WEFT_OK;
}

/* The valid places of ops: symbols in the module, others in functions, terminators last. */
static weft_status check_place(verifier *v, const weft_op *op) {
    bool symbol = weft_op_kind_has(op->kind, WEFT_TRAIT_SYMBOL);
    const weft_op *parent = weft_op_parent(op);
    if (!parent || op->kind == WEFT_OP_other) return WEFT_OK;
    if (symbol && parent->kind != WEFT_OP_module)
        return weft_bad(&v->check, op, "is allowed only directly in a module");
    if (!symbol && parent->kind == WEFT_OP_module) return weft_bad(&v->check, op, "is not inside a function");
    if (op->next && weft_op_kind_has(op->kind, WEFT_TRAIT_TERMINATOR))
        return weft_bad(&v->check, op, "is not the last op of its block");
    return WEFT_OK;
}

static weft_status verify_op(verifier *v, const weft_op *op, int depth);

static weft_status verify_region(verifier *v, const weft_region *r, int depth) {
    weft_status st = WEFT_OK;
    WEFT_EACH_BLOCK(b, r) {
        for (uint32_t i = 0; i < b->arg_count; i++) define(v, b->args[i]);
        for (const weft_op *op = b->first; op && st == WEFT_OK; op = op->next) st = verify_op(v, op, depth);
        if (st != WEFT_OK) return st;
    }
    WEFT_EACH_BLOCK(b, r) {
        for (uint32_t i = 0; i < b->arg_count; i++) forget(v, b->args[i]);
        WEFT_EACH_OP(op, b)
            for (uint32_t i = 0; i < op->result_count; i++) forget(v, &op->results[i]);
    }
    return st;
}

static weft_status verify_op(verifier *v, const weft_op *op, int depth) {
    weft_mark mark = weft_arena_mark(&v->check.cx->scratch);
    weft_status st = check_operands_visible(v, op);
    if (st == WEFT_OK) st = check_place(v, op);
    if (st == WEFT_OK) st = check_op(&v->check, op);
    weft_arena_reset(&v->check.cx->scratch, mark);
    if (st == WEFT_OK && op->region_count && depth >= MOST_DEPTH)
        st = weft_bad(&v->check, op, "regions nest deeper than %d", MOST_DEPTH);
    uint32_t outside = v->outside;
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_ISOLATED)) v->outside = v->next;
    for (uint32_t i = 0; i < op->region_count && st == WEFT_OK; i++) st = verify_region(v, &op->regions[i], depth + 1);
    v->outside = outside;
    for (uint32_t i = 0; i < op->result_count; i++) define(v, &op->results[i]);
    return st;
}

/* ---- calls ---- */

typedef struct call_walk {
    weft_checker *c;
    enum { NEW, OPEN, DONE } *state; /* by op id */
    int depth;
} call_walk;

static weft_status follow_calls(call_walk *w, const weft_op *op) {
    weft_op *f = op->kind == WEFT_OP_func_call ? weft_check_symbol(w->c, op, weft_op_symbol(op, WEFT_A_callee)) : NULL;
    if (f && w->state[f->id] == OPEN)
        return weft_bad(w->c, op, "'@%.*s' calls itself", WEFT_STR_ARG(weft_op_symbol(f, WEFT_A_sym_name)));
    weft_status st = WEFT_OK;
    if (f && w->state[f->id] == NEW) {
        if (w->depth >= MOST_DEPTH) return weft_bad(w->c, op, "calls nest deeper than %d", MOST_DEPTH);
        w->state[f->id] = OPEN;
        w->depth++;
        st = follow_calls(w, f);
        w->depth--;
        w->state[f->id] = DONE;
    }
    for (uint32_t i = 0; i < op->region_count && st == WEFT_OK; i++)
        WEFT_EACH_BLOCK(b, &op->regions[i])
            for (const weft_op *in = b->first; in && st == WEFT_OK; in = in->next) st = follow_calls(w, in);
    return st;
}

/* StableHLO has no recursion: every call can be inlined. */
static weft_status check_calls(weft_checker *c, const weft_module *m) {
    call_walk w = { .c = c };
    w.state = weft_arena_calloc(&c->cx->scratch, m->op_count, sizeof *w.state, _Alignof(int));
    if (!w.state) return weft_oom();
    weft_status st = WEFT_OK;
    for (weft_op *f = weft_module_body(m)->first; f && st == WEFT_OK; f = f->next) {
        if (f->kind != WEFT_OP_func || w.state[f->id] != NEW) continue;
        w.state[f->id] = OPEN;
        st = follow_calls(&w, f);
        w.state[f->id] = DONE;
    }
    return st;
}

static void count_uses(const weft_region *r, uint32_t *uses, uint32_t n, int depth) {
    WEFT_EACH_BLOCK(b, r)
        WEFT_EACH_OP(op, b) {
            for (uint32_t i = 0; i < op->operand_count; i++)
                if (op->operands[i]->id < n) uses[op->operands[i]->id]++;
            for (uint32_t i = 0; i < op->region_count && depth <= MOST_DEPTH; i++)
                count_uses(&op->regions[i], uses, n, depth + 1);
        }
}

weft_status weft_verify_module(weft_context *cx, const weft_module *m) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    verifier v = { .check = { .cx = cx }, .value_count = m->value_count };
    v.defined = weft_scratch_array(cx, uint32_t, m->value_count);
    uint32_t *uses = weft_scratch_array(cx, uint32_t, m->value_count);
    weft_status st = v.defined && uses ? weft_symbols_build(&v.check, m) : weft_oom();
    if (st == WEFT_OK) count_uses(&m->root->regions[0], uses, m->value_count, 0);
    v.check.uses = uses;
    v.check.value_count = m->value_count;
    if (st == WEFT_OK) st = verify_op(&v, m->root, 0);
    if (st == WEFT_OK) st = check_calls(&v.check, m);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}
