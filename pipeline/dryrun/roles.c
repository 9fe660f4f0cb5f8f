/* roles.c: which arguments reach which results, and what follows; see roles.h. */
#include "pipeline/dryrun/roles.h"

#include "ir/check.h"
#include "ir/trips.h"

/* ---- arguments that values depend on, as bits ---- */

typedef struct reach {
    uint64_t *bits;            /* by value id: `words` each */
    uint32_t words;
    bool changed;
} reach;

static uint64_t *of(const reach *r, const weft_value *v) { return r->bits + (size_t)v->id * r->words; }

static void add(reach *r, const weft_value *to, const uint64_t *from) {
    uint64_t *bits = of(r, to), changed = 0;
    for (uint32_t w = 0; w < r->words; w++) {
        changed |= from[w] & ~bits[w];
        bits[w] |= from[w];
    }
    r->changed |= changed != 0;
}

static void visit_block(reach *r, const weft_block *b);

static const weft_op *end_of(const weft_op *op, uint32_t region) {
    const weft_block *b = weft_op_body(op, region);
    return b ? b->last : NULL;
}

static void visit_bodies(reach *r, const weft_op *op) {
    for (uint32_t i = 0; i < op->region_count; i++)
        WEFT_EACH_BLOCK(b, &op->regions[i]) visit_block(r, b);
}

/* Until the iterations' values depend on nothing further. */
static void visit_loop(reach *r, const weft_op *op) {
    const weft_block *condition = weft_op_body(op, 0), *body = weft_op_body(op, 1);
    const weft_op *next = end_of(op, 1);
    bool any = r->changed;
    if (!condition || !body || !next) return;
    do {
        any |= r->changed;
        r->changed = false;
        for (uint32_t i = 0; i < op->operand_count && i < body->arg_count && i < next->operand_count; i++) {
            add(r, condition->args[i], of(r, op->operands[i]));
            add(r, body->args[i], of(r, op->operands[i]));
            add(r, condition->args[i], of(r, next->operands[i]));
            add(r, body->args[i], of(r, next->operands[i]));
        }
        visit_bodies(r, op);
    } while (r->changed);
    for (uint32_t i = 0; i < op->result_count && i < body->arg_count; i++)
        add(r, &op->results[i], of(r, body->args[i]));
    r->changed |= any;
}

static void visit_branches(reach *r, const weft_op *op) {
    visit_bodies(r, op);
    for (uint32_t k = 0; k < op->region_count; k++) {
        const weft_op *end = end_of(op, k);
        for (uint32_t i = 0; end && i < op->result_count && i < end->operand_count; i++) {
            add(r, &op->results[i], of(r, end->operands[i]));
            add(r, &op->results[i], of(r, op->operands[0])); /* the index */
        }
    }
}

/* What the bodies of a reduction or scatter read from outside is added; their own values are not followed. */
static void visit_op(reach *r, const weft_op *op) {
    if (op->kind == WEFT_OP_while) visit_loop(r, op);
    else if (op->kind == WEFT_OP_case) visit_branches(r, op);
    else if (op->kind == WEFT_OP_optimization_barrier)
        for (uint32_t i = 0; i < op->result_count; i++) add(r, &op->results[i], of(r, op->operands[i]));
    else
        for (uint32_t i = 0; i < op->result_count; i++)
            for (uint32_t k = 0; k < op->operand_count; k++) add(r, &op->results[i], of(r, op->operands[k]));
}

static void visit_block(reach *r, const weft_block *b) { WEFT_EACH_OP(op, b) visit_op(r, op); }

static bool has(const uint64_t *bits, uint32_t argument) { return bits[argument / 64] >> (argument % 64) & 1; }

static bool reaches(const reach *r, uint32_t argument, const weft_value *v) { return has(of(r, v), argument); }

/* ---- roles ---- */

/* The results of one type: a program has thousands of results and few types. */
typedef struct group {
    const weft_type *type;
    uint64_t *bits;            /* arguments that one of them depends on */
    int64_t first;             /* in order, those that are not paired; or -1 */
} group;

typedef struct finder {
    const weft_op *main, *end;
    const weft_type *type;
    const weft_dim_classes *c;
    reach r;
    group *groups;
    uint32_t group_count;
    int64_t *next;             /* by result: the next one in its group, or -1 */
    weft_roles *out;
} finder;

static const weft_type *result_type(const finder *f, uint32_t r) {
    return f->type->parts[f->type->input_count + r];
}

static group *group_of(const finder *f, const weft_type *type) {
    uint32_t g = 0;
    while (g < f->group_count && f->groups[g].type != type) g++;
    return g < f->group_count ? &f->groups[g] : NULL;
}

static weft_status group_results(finder *f, weft_arena *arena) {
    const uint32_t n = f->out->result_count;
    f->groups = weft_arena_array(arena, group, n);
    f->next = weft_arena_array(arena, int64_t, n);
    if (!f->groups || !f->next) return weft_oom();
    for (uint32_t r = n; r-- > 0;) {
        group *g = group_of(f, result_type(f, r));
        if (!g) {
            g = &f->groups[f->group_count];
            *g = (group){ .type = result_type(f, r), .bits = weft_arena_array(arena, uint64_t, f->r.words),
                          .first = -1 };
            if (!g->bits) return weft_oom();
            f->group_count++;
        }
        f->next[r] = g->first;
        g->first = r;
        for (uint32_t w = 0; w < f->r.words; w++) g->bits[w] |= of(&f->r, f->end->operands[r])[w];
    }
    return WEFT_OK;
}

static bool is_float(const weft_type *t) { return weft_type_is_tensor(t) && weft_dtype_is_float(t->dtype); }

/* The first result of the argument's type that is free and depends on it; it is not free afterwards. */
static int64_t take_result(finder *f, uint32_t argument, const bool *taken) {
    group *g = group_of(f, f->type->parts[argument]);
    for (int64_t *at = g ? &g->first : NULL; at && *at >= 0;) {
        const int64_t r = *at;
        const bool fits = !taken[r] && reaches(&f->r, argument, f->end->operands[r]);
        if (taken[r] || fits) *at = f->next[r];
        else at = &f->next[r];
        if (fits) return r;
    }
    return -1;
}

/* Pairs arguments and results: those that the program pairs, then equal types in order. */
static weft_status pair(finder *f, weft_arena *arena) {
    weft_roles *o = f->out;
    bool *taken = weft_arena_array(arena, bool, o->result_count);
    if (!taken) return weft_oom();
    for (uint32_t i = 0; i < o->argument_count; i++) {
        const weft_attr *alias = weft_func_arg_attr(f->main, i, WEFT_A_tf_aliasing_output);
        const bool said = alias && alias->kind == WEFT_ATTR_INT && alias->i >= 0 && alias->i < o->result_count;
        o->result[i] = said ? alias->i : -1;
        if (o->result[i] >= 0) taken[o->result[i]] = true;
    }
    for (uint32_t i = 0; i < o->argument_count; i++)
        if (o->result[i] < 0) o->result[i] = take_result(f, i, taken);
    return WEFT_OK;
}

/* Whether a result depends on the argument that has other sizes: more than its own update, and that of its like. */
static bool is_read_by_others(const finder *f, uint32_t argument) {
    for (uint32_t g = 0; g < f->group_count; g++)
        if (has(f->groups[g].bits, argument) && !weft_shapes_agree(f->groups[g].type, f->type->parts[argument]))
            return true;
    return false;
}

/* Whether the argument's result is the argument with parts overwritten, as a cache has it. */
static bool is_overwritten(const finder *f, uint32_t argument) {
    const weft_value *v = f->end->operands[f->out->result[argument]];
    const weft_op *loop = NULL;
    bool found = false;
    for (;;) {
        const weft_op *op = v->def;
        if (!op && loop && v->block == weft_op_body(loop, 1) && v->index < loop->operand_count) {
            v = loop->operands[v->index];
            loop = NULL;
        } else if (!op) return found && !loop && v->index == argument;
        else if (op->kind == WEFT_OP_dynamic_update_slice || op->kind == WEFT_OP_scatter) {
            found = true;
            v = op->operands[0];
        } else if (op->kind == WEFT_OP_while && !loop && end_of(op, 1)) {
            loop = op;
            v = end_of(op, 1)->operands[v->index];
        } else if (op->kind == WEFT_OP_convert || op->kind == WEFT_OP_reshape || op->kind == WEFT_OP_transpose ||
                   op->kind == WEFT_OP_optimization_barrier) {
            v = op->operands[op->operand_count > v->index ? v->index : 0];
        } else return false;
    }
}

/* The same of a scan over layers: each iteration overwrites a part of its slice of the argument, and stores the slice
 * in the result. */
static bool is_overwritten_by_slices(const finder *f, uint32_t argument) {
    const weft_value *v = f->end->operands[f->out->result[argument]];
    const weft_op *loop = v->def && v->def->kind == WEFT_OP_while ? v->def : NULL;
    const weft_op *end = loop ? end_of(loop, 1) : NULL;
    const weft_block *body = loop ? weft_op_body(loop, 1) : NULL;
    const weft_op *op = end ? end->operands[v->index]->def : NULL;
    bool found = false;
    if (!op || op->kind != WEFT_OP_dynamic_update_slice || op->operands[0] != body->args[v->index]) return false;
    for (v = op->operands[1]; v->def; v = v->def->operands[0]) {
        const weft_op_kind kind = (weft_op_kind)v->def->kind;
        const bool writes = kind == WEFT_OP_dynamic_update_slice || kind == WEFT_OP_scatter;
        found |= writes;
        if (!writes && kind != WEFT_OP_dynamic_slice && kind != WEFT_OP_reshape && kind != WEFT_OP_convert &&
            kind != WEFT_OP_broadcast_in_dim && kind != WEFT_OP_transpose) return false;
    }
    const weft_value *outside = found && v->block == body ? weft_loop_unchanged(loop, v->index) : NULL;
    return outside && !outside->def && outside->index == argument && outside->block == weft_op_body(f->main, 0);
}

static bool is_cache(const finder *f, uint32_t argument) {
    return is_overwritten(f, argument) || is_overwritten_by_slices(f, argument);
}

uint32_t weft_leading_dim(const weft_roles *r, const weft_dim_classes *c, const weft_value *v) {
    for (uint32_t d = 0; weft_type_is_tensor(v->type) && d < v->type->rank; d++) {
        const uint32_t class = weft_dim_class(c, v, d);
        if (class == WEFT_NO_CLASS || !r->scanned[class]) return d;
    }
    return 0;
}

uint32_t weft_leading_class(const weft_roles *r, const weft_dim_classes *c, const weft_value *v) {
    if (!weft_type_is_tensor(v->type) || !v->type->rank) return WEFT_NO_CLASS;
    return weft_dim_class(c, v, weft_leading_dim(r, c, v));
}

typedef struct scans { const weft_dim_classes *c; bool *scanned; } scans;

/* Whether v is an argument of @main, in another type or passed on by loops. In another shape its first dimension might
 * be a part of the batch: micro-batches that the program makes itself. */
static bool is_of_main(const weft_value *v) {
    for (;;) {
        const weft_op *around = v->def ? NULL : v->block->parent->parent;
        if (v->def && v->def->kind == WEFT_OP_convert) v = v->def->operands[0];
        else if (around && around->kind == WEFT_OP_while && weft_loop_unchanged(around, v->index))
            v = weft_loop_unchanged(around, v->index);
        else return around && around->kind == WEFT_OP_func;
    }
}

static weft_status note_scan(void *user, weft_op *op) {
    const scans *s = user;
    if (op->kind != WEFT_OP_dynamic_slice || !weft_op_parent(op) || weft_op_parent(op)->kind != WEFT_OP_while ||
        !is_of_main(op->operands[0])) return WEFT_OK;
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    for (uint32_t d = 0; d < from->rank; d++) {
        const uint32_t class = weft_dim_class(s->c, op->operands[0], d);
        if (class != WEFT_NO_CLASS && to->dims[d] == 1) s->scanned[class] = true;
    }
    return WEFT_OK;
}

static weft_status find_scanned(const weft_module *m, const weft_dim_classes *c, weft_arena *arena, weft_roles *out) {
    scans s = { c, weft_arena_array(arena, bool, c->count) };
    if (!s.scanned) return weft_oom();
    memset(s.scanned, 0, c->count * sizeof *s.scanned);
    out->scanned = s.scanned;
    return weft_module_walk(m, note_scan, &s);
}

static uint32_t leading_class(const finder *f, const weft_value *v) { return weft_leading_class(f->out, f->c, v); }

/* An updated argument of floats that is no cache and that others read. */
static bool may_be_parameter(const finder *f, uint32_t i) {
    const weft_type *t = f->type->parts[i];
    return f->out->result[i] >= 0 && is_float(t) && t->rank && is_read_by_others(f, i) && !is_cache(f, i);
}

typedef enum which { INTEGERS, NEXT_INTEGERS, FLOATS } which;

/* The class of the leading dimension of an argument that is not updated: of integers, else (floats) of a matrix. A
 * decoder returns its next tokens, as if they were the argument's update. */
static uint32_t batch_of_arguments(const finder *f, which of) {
    const bool floats = of == FLOATS;
    const weft_block *body = weft_op_body(f->main, 0);
    for (uint32_t i = 0; i < f->out->argument_count; i++) {
        const weft_type *t = f->type->parts[i];
        const bool updated = f->out->result[i] >= 0;
        if (updated != (of == NEXT_INTEGERS) || !weft_type_is_tensor(t) || is_float(t) != floats) continue;
        const uint32_t class = leading_class(f, body->args[i]);
        if (t->rank >= (floats ? 2u : 1u) && class != WEFT_NO_CLASS) return class;
    }
    return WEFT_NO_CLASS;
}

static uint32_t find_batch(const finder *f, bool trains) {
    uint32_t batch = batch_of_arguments(f, INTEGERS);
    if (batch == WEFT_NO_CLASS) batch = batch_of_arguments(f, trains ? FLOATS : NEXT_INTEGERS);
    for (uint32_t r = 0; r < f->out->result_count && !trains && batch == WEFT_NO_CLASS; r++)
        if (weft_type_is_tensor(result_type(f, r)) && result_type(f, r)->rank > 1)
            batch = leading_class(f, f->end->operands[r]);
    return batch;
}

static weft_role role_of(const finder *f, uint32_t i, bool trains) {
    const weft_roles *o = f->out;
    const weft_type *t = f->type->parts[i];
    const bool updated = o->result[i] >= 0;
    if (!weft_type_is_tensor(t)) return WEFT_ROLE_DATA;
    if (updated && (trains || is_cache(f, i)))
        return may_be_parameter(f, i) ? WEFT_ROLE_PARAMETER : WEFT_ROLE_STATE;
    if (!is_float(t) || !t->rank) return WEFT_ROLE_DATA;
    const uint32_t first = leading_class(f, weft_op_body(f->main, 0)->args[i]);
    if (first != WEFT_NO_CLASS && first == o->batch) return WEFT_ROLE_DATA;
    return trains && !is_read_by_others(f, i) ? WEFT_ROLE_STATE : WEFT_ROLE_PARAMETER;
}

const char *weft_role_name(weft_role role) {
    static const char *const names[] = { "parameter", "state", "data" };
    return names[role];
}

weft_status weft_roles_find(const weft_module *m, const weft_dim_classes *c, weft_arena *arena, weft_roles *out) {
    const weft_op *main = weft_module_main(m);
    const weft_block *body = weft_op_body(main, 0);
    finder f = { .main = main, .end = body->last, .type = weft_func_type(main), .c = c, .out = out };
    weft_arena scratch;
    *out = (weft_roles){ .argument_count = f.type->input_count, .batch = WEFT_NO_CLASS,
                         .result_count = f.type->part_count - f.type->input_count };
    out->of = weft_arena_array(arena, weft_role, out->argument_count);
    out->result = weft_arena_array(arena, int64_t, out->argument_count);
    if (!out->of || !out->result) return weft_oom();
    weft_status st = find_scanned(m, c, arena, out);
    if (st != WEFT_OK) return st;
    weft_arena_init(&scratch, &m->cx->alloc);
    f.r.words = out->argument_count / 64 + 1;
    f.r.bits = weft_arena_array(&scratch, uint64_t, (size_t)m->value_count * f.r.words);
    if (!f.r.bits) st = weft_oom();
    if (st == WEFT_OK) {
        for (uint32_t i = 0; i < body->arg_count; i++) of(&f.r, body->args[i])[i / 64] |= (uint64_t)1 << (i % 64);
        visit_block(&f.r, body);
        st = group_results(&f, &scratch);
        if (st == WEFT_OK) st = pair(&f, &scratch);
    }
    if (st == WEFT_OK) {
        bool trains = false;
        for (uint32_t i = 0; i < out->argument_count; i++) trains |= may_be_parameter(&f, i);
        out->batch = find_batch(&f, trains);
        for (uint32_t i = 0; i < out->argument_count; i++) out->of[i] = role_of(&f, i, trains);
    }
    weft_arena_free(&scratch);
    return st;
}
