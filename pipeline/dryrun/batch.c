/* batch.c: see batch.h. Types are changed in a copy, op by op; the verifier then finds what does not fit. */
#include "pipeline/dryrun/batch.h"

#include "ir/builder.h"
#include "ir/verify.h"
#include "pipeline/dryrun/roles.h"
#include "pipeline/pipeline.h"

typedef struct batcher {
    weft_module *m;
    weft_dim_classes classes;
    uint32_t class;
    int64_t from, to;
} batcher;

static bool has_batch(const batcher *b, const weft_value *v, uint32_t d) {
    return weft_type_is_tensor(v->type) && d < v->type->rank && weft_dim_class(&b->classes, v, d) == b->class;
}

static weft_status refuse(const batcher *b, const weft_loc *loc, const char *why) {
    return weft_report(b->m->cx, WEFT_D_usage, loc, "the batch of %lld cannot become %lld: %s", (long long)b->from,
                       (long long)b->to, why);
}

/* n * to / from. */
static weft_status scale(const batcher *b, const weft_loc *loc, int64_t n, int64_t *out) {
    const int64_t common = weft_gcd(b->to, b->from), part = b->from / common;
    if (n % part) return refuse(b, loc, "a dimension here would not be whole");
    if (weft_mul_i64(n / part, b->to / common, out)) return WEFT_OK;
    return refuse(b, loc, "a dimension here would have too many elements");
}

static weft_status type_of(const batcher *b, const weft_value *v, const weft_type **out) {
    int64_t dims[WEFT_MAX_RANK];
    bool changed = false;
    weft_status st = WEFT_OK;
    *out = v->type;
    for (uint32_t d = 0; weft_type_is_tensor(v->type) && d < v->type->rank && st == WEFT_OK; d++) {
        dims[d] = v->type->dims[d];
        if (!has_batch(b, v, d)) continue;
        changed = true;
        st = scale(b, weft_value_loc(v), dims[d], &dims[d]);
    }
    if (st != WEFT_OK) return st;
    if (changed) *out = weft_type_with_dims(b->m->cx, v->type, v->type->rank, dims);
    return *out ? WEFT_OK : weft_oom();
}

/* The op's list of sizes, where dimension d of v, which is whole there, has the batch. */
static weft_status resize(const batcher *b, weft_op *op, weft_attr_name name, const weft_value *v) {
    const weft_ints was = weft_op_ints(op, name);
    int64_t sizes[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < was.n; d++) {
        sizes[d] = was.v[d];
        if (!has_batch(b, v, d) || was.v[d] == 1) continue;
        if (was.v[d] != v->type->dims[d]) return refuse(b, op->loc, "a part of it is taken here");
        const weft_status st = scale(b, op->loc, was.v[d], &sizes[d]);
        if (st != WEFT_OK) return st;
    }
    return was.n ? weft_op_set_ints(b->m, op, name, sizes, was.n) : WEFT_OK;
}

/* A constant of the batch's size must be one number. */
static weft_status retype_constant(const batcher *b, weft_op *op) {
    const weft_attr *value = weft_op_attr(op, WEFT_A_value);
    const weft_type *type;
    weft_status st = type_of(b, &op->results[0], &type);
    if (st != WEFT_OK || type == op->results[0].type) return st;
    if (!value || value->kind != WEFT_ATTR_DENSE || weft_dense_stored(value) != 1)
        return refuse(b, op->loc, "here is a constant of that size");
    const weft_attr *made = weft_attr_dense(b->m->cx, type, value->dense.p, true);
    return made ? weft_op_set(b->m, op, WEFT_A_value, made) : weft_oom();
}

/* Attributes that say sizes; they are read from the old types. */
static weft_status change_attributes(void *user, weft_op *op) {
    const batcher *b = user;
    switch (op->kind) {
    case WEFT_OP_constant: return retype_constant(b, op);
    case WEFT_OP_slice: return resize(b, op, WEFT_A_limit_indices, op->operands[0]);
    case WEFT_OP_dynamic_slice: return resize(b, op, WEFT_A_slice_sizes, op->operands[0]);
    case WEFT_OP_gather: return resize(b, op, WEFT_A_slice_sizes, op->operands[0]);
    case WEFT_OP_sdy_manual_computation: return refuse(b, op->loc, "this computation is for the devices' parts of it");
    default: return WEFT_OK;
    }
}

typedef struct retyping { const batcher *b; const weft_type **type; } retyping;

static weft_status find_types(void *user, weft_op *op) {
    const retyping *x = user;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
        st = type_of(x->b, &op->results[i], &x->type[op->results[i].id]);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (uint32_t i = 0; i < blk->arg_count && st == WEFT_OK; i++)
                st = type_of(x->b, blk->args[i], &x->type[blk->args[i]->id]);
    return st;
}

static weft_status set_types(void *user, weft_op *op) {
    const retyping *x = user;
    for (uint32_t i = 0; i < op->result_count; i++) op->results[i].type = x->type[op->results[i].id];
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (uint32_t i = 0; i < blk->arg_count; i++) blk->args[i]->type = x->type[blk->args[i]->id];
    return WEFT_OK;
}

static weft_status set_signature(const batcher *b, weft_op *main) {
    weft_context *cx = b->m->cx;
    const weft_block *body = weft_op_body(main, 0);
    const uint32_t in = body->arg_count, out = body->last->operand_count;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_type **v = weft_scratch_array(cx, const weft_type *, (size_t)in + out);
    for (uint32_t i = 0; v && i < in + out; i++)
        v[i] = i < in ? body->args[i]->type : body->last->operands[i - in]->type;
    const weft_type *type = v ? weft_type_function(cx, v, in, v + in, out) : NULL;
    const weft_attr *attr = type ? weft_attr_type(cx, type) : NULL;
    weft_arena_reset(&cx->scratch, mark);
    return attr ? weft_op_set(b->m, main, WEFT_A_function_type, attr) : weft_oom();
}

/* The size of the batch: of the first argument that has it first, or after what loops go through. */
static weft_status find_batch(batcher *b, weft_arena *arena, const weft_op *main) {
    weft_roles roles;
    weft_status st = weft_dim_classes_find(b->m, arena, &b->classes);
    if (st == WEFT_OK) st = weft_roles_find(b->m, &b->classes, arena, &roles);
    if (st != WEFT_OK) return st;
    const weft_block *body = weft_op_body(main, 0);
    b->class = roles.batch;
    for (uint32_t i = 0; i < body->arg_count && !b->from && b->class != WEFT_NO_CLASS; i++) {
        const uint32_t d = weft_leading_dim(&roles, &b->classes, body->args[i]);
        if (roles.of[i] == WEFT_ROLE_DATA && has_batch(b, body->args[i], d)) b->from = body->args[i]->type->dims[d];
    }
    return b->from ? WEFT_OK
                   : weft_report(b->m->cx, WEFT_D_usage, NULL, "no argument of the program is seen to have a batch");
}

weft_status weft_module_set_batch(weft_module **m, int64_t batch) {
    weft_context *cx = (*m)->cx;
    batcher b = { .to = batch };
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    if (batch < 1) return weft_report(cx, WEFT_D_usage, NULL, "a batch is at least 1, not %lld", (long long)batch);
    weft_status st = weft_module_clone(*m, &b.m);
    weft_op *main = st == WEFT_OK ? weft_module_main(b.m) : NULL;
    if (st == WEFT_OK) st = find_batch(&b, &arena, main);
    retyping x = { &b, st == WEFT_OK ? weft_arena_array(&arena, const weft_type *, b.m->value_count) : NULL };
    if (st == WEFT_OK && !x.type) st = weft_oom();
    if (st == WEFT_OK) st = weft_module_walk(b.m, change_attributes, &b);
    if (st == WEFT_OK) st = weft_module_walk(b.m, find_types, &x);
    if (st == WEFT_OK) st = weft_module_walk(b.m, set_types, &x);
    if (st == WEFT_OK) st = set_signature(&b, main);
    if (st == WEFT_OK) {
        st = weft_verify_module(cx, b.m);
        if (st != WEFT_OK && st != WEFT_ERR_MEMORY)
            weft_note(cx, NULL, "the batch of %lld cannot become %lld: this op does more than to pass it on",
                      (long long)b.from, (long long)batch);
    }
    weft_arena_free(&arena);
    if (st == WEFT_OK) {
        weft_module_free(*m);
        *m = b.m;
    } else weft_module_free(b.m);
    return st;
}
