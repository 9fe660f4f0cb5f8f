/* dims.c: classes of dimensions by union and find; see dims.h. */
#include "pipeline/dryrun/dims.h"

#include "sharding/data_flow.h"
#include "sharding/rule.h"

typedef struct finder {
    weft_dim_classes *c;
    weft_rules *rules;
} finder;

static uint32_t root_of(weft_dim_classes *c, uint32_t i) {
    while (c->parent[i] != i) {
        c->parent[i] = c->parent[c->parent[i]];
        i = c->parent[i];
    }
    return i;
}

/* The smaller number is the root, so that classes do not depend on the order of the rules' factors. */
static void join(weft_dim_classes *c, uint32_t a, uint32_t b) {
    a = root_of(c, a);
    b = root_of(c, b);
    if (a < b) c->parent[b] = a;
    else c->parent[a] = b;
}

static bool is_split(const weft_value *v, uint32_t dim) {
    return weft_type_is_tensor(v->type) && dim < v->type->rank && v->type->dims[dim] != 1;
}

/* Dimensions with a common major factor. */
static void join_by_rule(weft_dim_classes *c, const weft_op *op, const weft_rule *rule) {
    uint32_t of_factor[WEFT_MAX_FACTORS];
    for (uint32_t f = 0; f < rule->factor_count; f++) of_factor[f] = WEFT_NO_CLASS;
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        const weft_value *v = weft_op_value(op, t);
        for (uint32_t d = 0; d < rule->tensors[t].rank; d++) {
            const weft_rule_dim *dim = &rule->tensors[t].dims[d];
            uint32_t k = 0;
            while (k < dim->n && rule->sizes[rule->factors[dim->first + k]] == 1) k++;
            if (k == dim->n || !is_split(v, d)) continue;
            const uint32_t f = rule->factors[dim->first + k], number = c->first[v->id] + d;
            if (of_factor[f] == WEFT_NO_CLASS) of_factor[f] = number;
            else join(c, of_factor[f], number);
        }
    }
}

static void join_values(weft_dim_classes *c, const weft_value *a, const weft_value *b) {
    if (!weft_type_is_tensor(a->type) || !weft_type_is_tensor(b->type) || a->type->rank != b->type->rank) return;
    for (uint32_t d = 0; d < a->type->rank; d++)
        if (is_split(a, d) && is_split(b, d)) join(c, c->first[a->id] + d, c->first[b->id] + d);
}

static void join_with_sources(weft_dim_classes *c, const weft_value *v) {
    const weft_value *owner = weft_flow_owner(v);
    if (!owner) return;
    if (owner != v) join_values(c, owner, v);
    else
        for (uint32_t i = 0; i < weft_flow_source_count(owner); i++) {
            const weft_value *source = weft_flow_source(owner, i);
            if (source) join_values(c, owner, source);
        }
}

static weft_status join_at(void *user, weft_op *op) {
    finder *f = user;
    const weft_rule *rule = NULL;
    const weft_status st = weft_rule_of(f->rules, op, WEFT_RULE_LIBERAL, NULL, &rule);
    if (st == WEFT_OK && rule) join_by_rule(f->c, op, rule);
    if (st != WEFT_OK || weft_flow_of(op) == WEFT_FLOWS_NOT) return st;
    for (uint32_t i = 0; i < op->result_count; i++) join_with_sources(f->c, &op->results[i]);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (uint32_t i = 0; i < b->arg_count; i++) join_with_sources(f->c, b->args[i]);
    return st;
}

/* ---- numbers ---- */

typedef struct numbering { uint32_t *first, n; } numbering;

static void number_value(numbering *x, const weft_value *v) {
    x->first[v->id] = x->n;
    x->n += weft_type_is_tensor(v->type) ? v->type->rank : 0;
}

static weft_status number_at(void *user, weft_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++) number_value(user, &op->results[i]);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (uint32_t i = 0; i < b->arg_count; i++) number_value(user, b->args[i]);
    return WEFT_OK;
}

weft_status weft_dim_classes_find(const weft_module *m, weft_arena *arena, weft_dim_classes *out) {
    numbering x = { weft_arena_array(arena, uint32_t, m->value_count), 0 };
    finder f = { .c = out };
    weft_status st = x.first ? weft_module_walk(m, number_at, &x) : weft_oom();
    if (st != WEFT_OK) return st;
    *out = (weft_dim_classes){ x.first, weft_arena_array(arena, uint32_t, x.n), x.n };
    if (!out->parent) return weft_oom();
    for (uint32_t i = 0; i < x.n; i++) out->parent[i] = i;
    st = weft_rules_open(m->cx, arena, &f.rules);
    return st == WEFT_OK ? weft_module_walk(m, join_at, &f) : st;
}

uint32_t weft_dim_class(const weft_dim_classes *c, const weft_value *v, uint32_t dim) {
    return is_split(v, dim) ? root_of((weft_dim_classes *)c, c->first[v->id] + dim) : WEFT_NO_CLASS;
}
