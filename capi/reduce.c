/* reduce.c: sums of products in Einstein's notation, and reductions over dimensions. */

#include "capi/graph_impl.h"

/* ---- einsum ---- */

typedef struct einsum {
    char a[WEFT_MAX_RANK + 1], b[WEFT_MAX_RANK + 1], out[WEFT_MAX_RANK + 1];
} einsum;

/* Letters up to stop, each once. */
static const char *letters(const char *p, char stop, char *to) {
    size_t n = 0;
    for (; *p && *p != stop; p++) {
        if (*p == ' ') continue;
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
        if (!letter || n == WEFT_MAX_RANK || memchr(to, *p, n)) return NULL;
        to[n++] = *p;
    }
    to[n] = 0;
    return *p == stop ? p : NULL;
}

static bool einsum_parse(const char *text, einsum *e) {
    const char *p = text ? letters(text, ',', e->a) : NULL;
    p = p ? letters(p + 1, '-', e->b) : NULL;
    return p && p[1] == '>' && letters(p + 2, 0, e->out);
}

typedef struct dim_list { int64_t v[WEFT_MAX_RANK]; uint32_t n; } dim_list;

static void push(dim_list *l, int64_t d) { l->v[l->n++] = d; }
static weft_ints ints_of(const dim_list *l) { return (weft_ints){ l->v, l->n }; }

/* Sorts the letters into batch, contracted and free; made[] becomes the letters of the dot's result in its own order.
 */
static weft_value *einsum_classify(weft_graph *g, const char *text, const einsum *e, dim_list dims[4], char *made) {
    size_t n = 0;
    for (const char *c = e->out; *c; c++) {
        const char *in_a = strchr(e->a, *c), *in_b = strchr(e->b, *c);
        if (!in_a && !in_b) return weft_graph_fail(g, WEFT_D_usage, "'%c' of \"%s\" is in no operand", *c, text);
        if (!in_a || !in_b) continue;
        push(&dims[0], in_a - e->a);
        push(&dims[1], in_b - e->b);
        made[n++] = *c;
    }
    for (const char *c = e->a; *c; c++) {
        const char *in_b = strchr(e->b, *c);
        if (strchr(e->out, *c)) continue;
        if (!in_b)
            return weft_graph_fail(g, WEFT_D_usage, "'%c' of \"%s\" is in one operand only: reduce it first", *c, text);
        push(&dims[2], c - e->a);
        push(&dims[3], in_b - e->b);
    }
    for (const char *c = e->a; *c; c++)
        if (strchr(e->out, *c) && !strchr(e->b, *c)) made[n++] = *c;
    for (const char *c = e->b; *c; c++) {
        if (strchr(e->a, *c)) continue;
        if (!strchr(e->out, *c))
            return weft_graph_fail(g, WEFT_D_usage, "'%c' of \"%s\" is in one operand only: reduce it first", *c, text);
        made[n++] = *c;
    }
    made[n] = 0;
    return NULL;
}

weft_tensor *weft_graph_einsum_at(weft_source at, weft_graph *g, const char *spelling, weft_tensor *a, weft_tensor *b) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "einsum", (weft_tensor *const[]){ a, b }, 2)) return NULL;
    einsum e;
    if (!einsum_parse(spelling, &e))
        return weft_graph_fail(g, WEFT_D_usage, "\"%s\" is not of the form \"bi,io->bo\"", spelling ? spelling : "");
    if (strlen(e.a) != a->type->rank || strlen(e.b) != b->type->rank)
        return weft_graph_fail(g, WEFT_D_verify, "\"%s\" names %zu and %zu dimensions, the operands have %u and %u",
                               spelling, strlen(e.a), strlen(e.b), a->type->rank, b->type->rank);
    if (a->type->dtype != b->type->dtype)
        return weft_graph_fail(g, WEFT_D_verify, "the operands of \"%s\" are of %s and %s: convert one of them",
                               spelling, weft_dtype_of(a->type->dtype)->name, weft_dtype_of(b->type->dtype)->name);
    dim_list dims[4] = { 0 };
    char made[2 * WEFT_MAX_RANK + 1];
    einsum_classify(g, spelling, &e, dims, made);
    if (g->b.status != WEFT_OK) return NULL;

    const weft_attr dot = { .kind = WEFT_ATTR_DOT,
                            .dot = { .lhs_batch = ints_of(&dims[0]), .rhs_batch = ints_of(&dims[1]),
                                     .lhs_contract = ints_of(&dims[2]), .rhs_contract = ints_of(&dims[3]) } };
    const weft_attr_pair attr = { WEFT_A_dot_dimension_numbers, weft_attr_copy(g->cx, &dot) };
    weft_value *r = weft_graph_build_1(g, WEFT_OP_dot_general, (weft_tensor *const[]){ a, b }, 2, &attr, 1, NULL);
    if (!r || !strcmp(made, e.out)) return r;

    dim_list perm = { 0 };
    for (const char *c = e.out; *c; c++) push(&perm, strchr(made, *c) - made);
    const weft_attr_pair p = { WEFT_A_permutation, weft_attr_ints(g->cx, WEFT_I64, perm.v, perm.n) };
    return weft_graph_build_1(g, WEFT_OP_transpose, &r, 1, &p, 1, NULL);
}

/* ---- reduce ---- */

/* The identity of an op. */
typedef enum identity { ID_ZERO, ID_ONE, ID_LOWEST, ID_HIGHEST, ID_ALL_BITS } identity;

static const struct { const char *name; weft_op_kind kind; identity id; } reductions[] = {
    { "add", WEFT_OP_add, ID_ZERO },          { "multiply", WEFT_OP_multiply, ID_ONE }, { "maximum", WEFT_OP_maximum, ID_LOWEST },
    { "minimum", WEFT_OP_minimum, ID_HIGHEST }, { "and", WEFT_OP_and, ID_ALL_BITS },    { "or", WEFT_OP_or, ID_ZERO },
    { "xor", WEFT_OP_xor, ID_ZERO },
};

static weft_value *identity_of(weft_graph *g, const weft_type *scalar, identity id) {
    if (id == ID_ALL_BITS) {
        unsigned char ones[16];
        memset(ones, scalar->dtype == WEFT_I1 ? 1 : 0xff, sizeof ones);
        const weft_attr *a = weft_attr_dense(g->cx, scalar, ones, true);
        return a ? weft_build_constant(&g->b, a) : weft_graph_keep(g, weft_oom());
    }
    const double value[] = { [ID_ZERO] = 0, [ID_ONE] = 1, [ID_LOWEST] = weft_dtype_least(scalar->dtype),
                             [ID_HIGHEST] = weft_dtype_greatest(scalar->dtype) };
    return weft_build_splat(&g->b, scalar, value[id]);
}

/* The region { (a, b): return kind(a, b) }. */
static void combine_region(weft_graph *g, weft_op *op, weft_op_kind kind, const weft_type *scalar) {
    weft_builder in = g->b;
    weft_block *blk = weft_build_block(&in, &op->regions[0]);
    if (blk) {
        weft_builder_init(&in, g->m, blk);
        in.loc = g->b.loc;
        weft_value *a = weft_build_block_arg(&in, blk, scalar, in.loc),
                   *b = weft_build_block_arg(&in, blk, scalar, in.loc);
        weft_value *r = weft_build_binary(&in, kind, a, b);
        const weft_status st = r ? weft_verify_op(g->cx, r->def) : in.status; /* "and" of floats */
        weft_graph_keep(g, st);
        if (st == WEFT_OK)
            weft_build_op(&in, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = &r, .operand_count = 1 });
    }
    weft_graph_keep(g, in.status);
}

/* x's type without dims; NULL with the failure kept. */
static const weft_type *reduced_type(weft_graph *g, const weft_type *t, weft_dims dims) {
    weft_bits gone = 0;
    for (size_t i = 0; i < dims.n; i++) {
        if (dims.v[i] < 0 || dims.v[i] >= t->rank || weft_bits_has(gone, (unsigned)dims.v[i]))
            return (void)weft_graph_fail(g, WEFT_D_verify,
                                         "reduced dimension %lld is repeated or not below the rank %u",
                                         (long long)dims.v[i], t->rank),
                   NULL;
        gone |= weft_bit((unsigned)dims.v[i]);
    }
    int64_t left[WEFT_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t d = 0; d < t->rank; d++)
        if (!weft_bits_has(gone, d)) left[n++] = t->dims[d];
    const weft_type *r = weft_type_with_dims(g->cx, t, n, left);
    if (!r) weft_graph_keep(g, weft_oom());
    return r;
}

weft_tensor *weft_graph_reduce_at(weft_source at, weft_graph *g, const char *op, weft_tensor *x, weft_dims dims) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "reduce", &x, 1) || !weft_graph_lists(g, "reduce", &dims, 1))
        return NULL;
    size_t i = 0;
    while (i < WEFT_COUNT(reductions) && (!op || strcmp(reductions[i].name, op))) i++;
    if (i == WEFT_COUNT(reductions))
        return weft_graph_fail(g, WEFT_D_usage, "'%s' is no reduction: add, multiply, maximum, minimum, and, or, xor",
                               op ? op : "");
    const weft_type *t = reduced_type(g, x->type, dims);
    const weft_type *scalar = t ? weft_type_with_dims(g->cx, x->type, 0, NULL) : NULL;
    weft_value *init = scalar ? identity_of(g, scalar, reductions[i].id) : NULL;
    if (!init) return weft_graph_keep(g, weft_oom());

    /* weft_attr_ints takes the dimensions as given; the text form sorts nothing. */
    const weft_named_attr attr = { weft_name_from(g->cx, weft_attr_names[WEFT_A_dimensions]),
                                   weft_graph_ints(g, dims) };
    if (!attr.name || !attr.value) return weft_graph_keep(g, weft_oom());
    weft_op *made = weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_reduce,
                                                          .operands = (weft_value *const[]){ x, init },
                                                          .operand_count = 2, .types = &t, .result_count = 1,
                                                          .attrs = &attr, .attr_count = 1, .region_count = 1 });
    if (!made) return NULL;
    combine_region(g, made, reductions[i].kind, scalar);
    if (g->b.status != WEFT_OK) return NULL;
    weft_status st = weft_verify_op(g->cx, made);
    return st == WEFT_OK ? &made->results[0] : weft_graph_keep(g, st);
}
