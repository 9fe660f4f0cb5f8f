/* sdy-unflatten-call-graph: merges copies of one function (flatten_call_graph.c) whose arguments and results have equal
 * shardings: all calls go to the one that is called first. With dedup-functions-fully shardings are ignored, and calls
 * go to the copy with the shardings of most calls. Needs: nothing. Leaves:
 * copies without callers, for symbol-dce; no sdy.original_func_name, no sdy.func_manual_axes. Source: Shardy,
 * docs/sdy_export_passes.md. */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

#define NO_FUNC UINT32_MAX

typedef struct func_key {
    weft_name original;
    const weft_type *type;                     /* differs only between computations that share a name */
    const weft_attr *manual_axes;              /* or NULL */
    const weft_sharding *const *shardings;     /* arguments, then results; NULL for a side that is not sharded */
    uint32_t n;
    uint64_t hash[2];                          /* without shardings, with them */
} func_key;

typedef enum key_part { KEY_ORIGIN, KEY_WHOLE } key_part;

typedef struct unflattener {
    weft_context *cx;
    weft_arena arena;
    weft_call_graph graph;
    weft_shardings *t;
    func_key *keys;            /* by function */
    uint32_t *chosen;          /* by function: its representative */
} unflattener;

static weft_status read_side(unflattener *x, const weft_op *f, weft_func_side side, const weft_sharding **of,
                             uint32_t n) {
    bool any;
    weft_status st = weft_func_shardings(x->t, f, side, of, &any);
    for (uint32_t i = 0; st == WEFT_OK && !any && i < n; i++) of[i] = NULL;
    return st;
}

static weft_status make_key(unflattener *x, const weft_op *f, func_key *key) {
    const weft_type *type = weft_func_type(f);
    const weft_sharding **of = weft_arena_array(&x->arena, const weft_sharding *, type->part_count);
    *key = (func_key){ .original = weft_func_original_name(x->cx, f), .type = type,
                       .manual_axes = weft_op_attr(f, WEFT_A_sdy_func_manual_axes), .shardings = of,
                       .n = type->part_count };
    if (!of || !key->original) return weft_oom();
    weft_status st = read_side(x, f, WEFT_FUNC_ARGS, of, type->input_count);
    if (st == WEFT_OK)
        st = read_side(x, f, WEFT_FUNC_RESULTS, of + type->input_count, type->part_count - type->input_count);
    if (st != WEFT_OK) return st;
    uint64_t h = weft_hash_mix(type->id, key->original->id);
    h = key->hash[KEY_ORIGIN] = weft_hash_mix(h, key->manual_axes ? weft_attr_hash(key->manual_axes) : 0);
    for (uint32_t i = 0; i < key->n; i++) h = weft_hash_mix(h, of[i] ? of[i]->id + 1 : 0);
    key->hash[KEY_WHOLE] = h;
    return WEFT_OK;
}

static bool same_key(const func_key *a, const func_key *b, key_part part) {
    if (a->original != b->original || a->type != b->type || !weft_attr_equal(a->manual_axes, b->manual_axes))
        return false;
    if (part == KEY_ORIGIN) return true;
    return a->n == b->n && (!a->n || !memcmp(a->shardings, b->shardings, a->n * sizeof *a->shardings));
}

/* first[f]: the function of the same key with the smallest number. */
static weft_status classify(unflattener *x, key_part part, uint32_t **first) {
    uint32_t n = x->graph.func_count, cap = 16;
    while (cap < 2 * n) cap *= 2;
    uint32_t *slots = weft_arena_array(&x->arena, uint32_t, cap); /* function + 1; 0: empty */
    *first = weft_arena_array(&x->arena, uint32_t, n);
    if (!slots || !*first) return weft_oom();
    for (uint32_t f = 0; f < n; f++) {
        uint32_t k = (uint32_t)(x->keys[f].hash[part] >> 32) & (cap - 1);
        while (slots[k] && !same_key(&x->keys[slots[k] - 1], &x->keys[f], part)) k = (k + 1) & (cap - 1);
        if (!slots[k]) slots[k] = f + 1;
        (*first)[f] = slots[k] - 1;
    }
    return WEFT_OK;
}

/* For every class of functions the one that is called first; with counts, the one with the most frequent shardings so
 * far. */
static weft_status choose(unflattener *x, key_part part) {
    const weft_call_graph *g = &x->graph;
    uint32_t *class, *whole;
    weft_status st = classify(x, part, &class);
    if (st == WEFT_OK) st = classify(x, KEY_WHOLE, &whole);
    uint32_t *best = weft_arena_array(&x->arena, uint32_t, g->func_count),
             *count = weft_arena_array(&x->arena, uint32_t, g->func_count);
    x->chosen = weft_arena_array(&x->arena, uint32_t, g->func_count);
    if (st != WEFT_OK || !best || !count || !x->chosen) return st != WEFT_OK ? st : weft_oom();
    for (uint32_t f = 0; f < g->func_count; f++) best[f] = NO_FUNC;
    for (uint32_t i = 0; i < g->call_count; i++)
        if (best[class[g->callee[i]]] == NO_FUNC) best[class[g->callee[i]]] = g->callee[i];
    for (uint32_t i = 0; part == KEY_ORIGIN && i < g->call_count; i++) {
        uint32_t f = g->callee[i], *leader = &best[class[f]];
        count[whole[f]]++;
        if (count[whole[f]] > count[whole[*leader]]) *leader = f;
    }
    for (uint32_t f = 0; f < g->func_count; f++) x->chosen[f] = best[class[f]];
    return WEFT_OK;
}

static weft_status unflatten_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    const unflattener *x = c->user;
    if (op->kind == WEFT_OP_func) {
        weft_status st = weft_op_set(c->out, copy, WEFT_A_sdy_original_func_name, NULL);
        return st == WEFT_OK ? weft_op_set(c->out, copy, WEFT_A_sdy_func_manual_axes, NULL) : st;
    }
    if (op->kind != WEFT_OP_func_call) return WEFT_OK;
    const weft_op *f = x->graph.funcs[x->chosen[x->graph.callee[x->graph.of_op[op->id]]]];
    weft_name name = weft_symbol_name(x->cx, f);
    const weft_attr *callee = name ? weft_attr_symbol(x->cx, name) : NULL;
    return callee ? weft_op_set(c->out, copy, WEFT_A_callee, callee) : weft_oom();
}

static bool concerns(const weft_op *op) {
    return op->kind == WEFT_OP_func_call ||
           (op->kind == WEFT_OP_func &&
            (weft_op_attr(op, WEFT_A_sdy_original_func_name) || weft_op_attr(op, WEFT_A_sdy_func_manual_axes)));
}

weft_status weft_pass_unflatten_call_graph(weft_pass *p, const weft_module *in, weft_module **out) {
    unflattener x = { .cx = p->cx };
    if (!weft_module_has(in, concerns)) return WEFT_OK;
    weft_arena_init(&x.arena, &p->cx->chunks);
    weft_status st = weft_call_graph_build(in, &x.arena, &x.graph);
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &x.arena, &x.t);
    x.keys = weft_arena_array(&x.arena, func_key, x.graph.func_count);
    if (st == WEFT_OK && !x.keys) st = weft_oom();
    for (uint32_t f = 0; st == WEFT_OK && f < x.graph.func_count; f++) st = make_key(&x, x.graph.funcs[f], &x.keys[f]);
    if (st == WEFT_OK) st = choose(&x, weft_pass_flag(p, "dedup-functions-fully", false) ? KEY_ORIGIN : KEY_WHOLE);
    if (st == WEFT_OK) st = weft_edit_module(p, in, &(weft_copy_hooks){ .after = unflatten_op }, &x, out);
    weft_arena_free(&x.arena);
    return st;
}
