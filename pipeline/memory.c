/* memory.c: replicated values, and whether a device's memory is enough. */
#include "pipeline/memory.h"

#include <stdlib.h>
#include "ir/given_name.h"

/* intermediate values: the gathers of FSDP per layer are smaller */
enum { MOST_NAMED = 5, LARGE_SHARE = 100, LARGE_VALUE_SHARE = 20 };

static int by_size(const void *a, const void *b) {
    const weft_held_whole *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* --- replicated values -------------------------------------------------------------------------------------------- */

static bool is_large(const weft_built_program *p, int64_t bytes, int share) {
    return p->device_count > 1 && bytes >= weft_max_i64(WEFT_PLAN_LARGE, weft_plan_peak_bytes(&p->exec->plan) / share);
}

static bool is_whole(const weft_built_program *p, const weft_io *io, int64_t local_bytes) {
    return is_large(p, local_bytes, LARGE_SHARE) && local_bytes == weft_type_bytes(io->global);
}

typedef struct gathering { weft_arena *arena; weft_whole_value *v; size_t n, cap; } gathering;

static bool is_sharded(const weft_attr *sharding) {
    if (!sharding || sharding->kind != WEFT_ATTR_SHARDING) return false;
    for (uint32_t d = 0; d < sharding->sharding.rank; d++)
        if (sharding->sharding.dims[d].axes.n) return true;
    return sharding->sharding.unreduced.n > 0;
}

/* The sharding of op's result after propagation; NULL: not sharded. */
static const weft_attr *sharding_of(const weft_op *op, uint32_t result) {
    const weft_attr *all = weft_op_attr(op, WEFT_A_sdy_sharding);
    if (!all) return weft_op_attr(op, WEFT_A_sharding); /* constraints and reshards */
    return all->kind == WEFT_ATTR_SHARDINGS && result < all->items.n ? all->items.v[result] : NULL;
}

static weft_status gather_whole(void *user, weft_op *op) {
    gathering *g = user;
    for (uint32_t r = 0; r < op->result_count; r++) {
        const weft_type *t = op->results[r].type;
        if (!weft_type_is_tensor(t) || weft_type_bytes(t) < WEFT_PLAN_LARGE || is_sharded(sharding_of(op, r))) continue;
        if (g->n == g->cap && !weft_arena_grow(g->arena, (void **)&g->v, &g->cap, g->n + 1, sizeof *g->v))
            return weft_oom();
        g->v[g->n++] = (weft_whole_value){ op->loc, op->name, t };
    }
    return WEFT_OK;
}

weft_status weft_memory_whole_values(const weft_module *m, weft_arena *arena, weft_whole_value **out, size_t *count) {
    gathering g = { .arena = arena };
    weft_status st = weft_module_walk(m, gather_whole, &g);
    *out = g.v;
    *count = g.n;
    return st;
}

/* Whether the plan's value is w, not a part of it: of one op and shape. */
static bool is_held(const weft_plan_value *v, const weft_whole_value *w) {
    const weft_loc *a = weft_loc_place(v->loc), *b = weft_loc_place(w->loc);
    if (!a || a != b || v->dtype != w->type->dtype || v->rank != w->type->rank) return false;
    return !v->rank || !memcmp(v->dims, w->type->dims, v->rank * sizeof *v->dims);
}

static void add_values(const weft_built_program *p, bool *taken, weft_held_whole *to, size_t *n) {
    const weft_plan *plan = &p->exec->plan;
    for (uint32_t i = 0; i < plan->value_count; i++) {
        if (!is_large(p, plan->values[i].bytes, LARGE_VALUE_SHARE)) continue;
        for (size_t k = 0; k < p->whole_count; k++) {
            if (taken[k] || !is_held(&plan->values[i], &p->whole[k])) continue;
            taken[k] = true; /* a value that two steps write is one */
            to[(*n)++] = (weft_held_whole){ WEFT_HELD_VALUE, (uint32_t)k, plan->values[i].bytes };
            break;
        }
    }
}

weft_status weft_memory_held_whole(weft_arena *arena, const weft_built_program *p, const weft_held_whole **out,
                                   size_t *count) {
    const weft_executable *x = p->exec;
    weft_held_whole *v = weft_arena_array(arena, weft_held_whole, x->arg_count + x->result_count + p->whole_count);
    bool *taken = weft_arena_array(arena, bool, p->whole_count);
    size_t n = 0;
    if (!v || !taken) return weft_oom();
    memset(taken, 0, p->whole_count * sizeof *taken);
    for (uint32_t i = 0; i < x->arg_count; i++)
        if (is_whole(p, &p->args[i], x->args[i].bytes))
            v[n++] = (weft_held_whole){ WEFT_HELD_ARGUMENT, i, x->args[i].bytes };
    for (uint32_t i = 0; i < x->result_count; i++)
        if (x->results[i].alias < 0 && is_whole(p, &p->results[i], x->results[i].bytes))
            v[n++] = (weft_held_whole){ WEFT_HELD_RESULT, i, x->results[i].bytes };
    add_values(p, taken, v, &n);
    qsort(v, n, sizeof *v, by_size);
    *out = v;
    *count = n;
    return WEFT_OK;
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static void print_name(weft_buf *b, const weft_module *m, const weft_built_program *p, const weft_held_whole *h) {
    if (h->kind == WEFT_HELD_ARGUMENT) weft_argument_print(b, weft_module_main(m), h->index);
    else if (h->kind == WEFT_HELD_RESULT) weft_result_print(b, weft_module_main(m), h->index);
    else weft_buf_printf(b, "'%s'", p->whole[h->index].op->text);
}

void weft_held_whole_print(weft_buf *b, const weft_module *m, const weft_built_program *p, const weft_held_whole *h) {
    print_name(b, m, p, h);
    if (h->kind != WEFT_HELD_VALUE) return;
    weft_buf_puts(b, " at ");
    weft_loc_print(b, p->whole[h->index].loc);
}

static const weft_loc *loc_of(const weft_module *m, const weft_built_program *p, const weft_held_whole *h) {
    const weft_op *main = weft_module_main(m);
    const weft_block *body = weft_op_body(main, 0);
    if (h->kind == WEFT_HELD_VALUE) return p->whole[h->index].loc;
    return h->kind == WEFT_HELD_ARGUMENT && h->index < body->arg_count ? weft_value_loc(body->args[h->index])
                                                                       : main->loc;
}

static weft_status note_one(weft_context *cx, const weft_module *m, const weft_built_program *p,
                            const weft_held_whole *h) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    print_name(&b, m, p, h);
    weft_buf_puts(&b, ": '");
    weft_type_print(&b, h->kind == WEFT_HELD_VALUE      ? p->whole[h->index].type
                        : h->kind == WEFT_HELD_ARGUMENT ? p->args[h->index].global
                                                        : p->results[h->index].global);
    weft_buf_puts(&b, "', ");
    weft_buf_bytes(&b, (double)h->bytes);
    if (!b.failed) weft_note(cx, loc_of(m, p, h), "%s", b.p);
    const bool failed = b.failed;
    weft_buf_free(&b);
    return failed ? weft_oom() : WEFT_OK;
}

/* A warning for v[0..n), which are of one sort, the largest first. Arguments and results exist at once, intermediate
 * values need not. */
static weft_status warn_of(weft_context *cx, const weft_module *m, const weft_built_program *p,
                           const weft_held_whole *v,
                           size_t n) {
    static const char *const one[] = { "argument", "result", "value in between" };
    int64_t bytes = 0;
    weft_buf sum, rest;
    weft_status st = WEFT_OK;
    if (!n) return WEFT_OK;
    for (size_t i = 0; i < n; i++) bytes += v[i].bytes;
    weft_buf_init(&sum, &cx->alloc);
    weft_buf_init(&rest, &cx->alloc);
    weft_buf_bytes(&sum, (double)bytes);
    if (sum.failed) st = weft_oom();
    else if (n == 1)
        st = weft_report(cx, WEFT_D_memory, loc_of(m, p, &v[0]),
                         "each of %lld devices holds a large %s of %s whole: no axis of the mesh shards it",
                         (long long)p->device_count, one[v[0].kind], sum.p);
    else if (v[0].kind == WEFT_HELD_VALUE)
        st = weft_report(
            cx, WEFT_D_memory, loc_of(m, p, &v[0]),
            "each of %lld devices holds %zu large values in between whole, not all of them at once: no axis "
            "of the mesh shards them",
            (long long)p->device_count, n);
    else
        st = weft_report(
            cx, WEFT_D_memory, loc_of(m, p, &v[0]),
            "each of %lld devices holds %zu large arguments and results of together %s whole: no axis of the "
            "mesh shards them",
            (long long)p->device_count, n, sum.p);
    const weft_status reported = st;
    for (size_t i = 0; i < n && i < MOST_NAMED && st == reported; i++) {
        const weft_status noted = note_one(cx, m, p, &v[i]);
        if (noted != WEFT_OK) st = noted;
        bytes -= v[i].bytes;
    }
    weft_buf_bytes(&rest, (double)bytes);
    if (n > MOST_NAMED && !rest.failed) weft_note(cx, NULL, "and %zu more, of %s", n - MOST_NAMED, rest.p);
    weft_buf_free(&sum);
    weft_buf_free(&rest);
    return st;
}

static weft_status warn_held(weft_context *cx, const weft_module *m, const weft_built_program *p, weft_arena *arena) {
    const weft_held_whole *v;
    size_t n, borders = 0, between = 0;
    weft_status st = weft_memory_held_whole(arena, p, &v, &n);
    if (st != WEFT_OK) return st;
    weft_held_whole *sorted = weft_arena_array(arena, weft_held_whole, n);
    if (!sorted) return weft_oom();
    for (size_t i = 0; i < n; i++)
        if (v[i].kind != WEFT_HELD_VALUE) sorted[borders++] = v[i];
    for (size_t i = 0; i < n; i++)
        if (v[i].kind == WEFT_HELD_VALUE) sorted[borders + between++] = v[i];
    st = warn_of(cx, m, p, sorted, borders);
    return st == WEFT_OK ? warn_of(cx, m, p, sorted + borders, between) : st;
}

static weft_status warn_short(weft_context *cx, const weft_module *m, const weft_built_program *p,
                              const weft_machine *machine) {
    const double need = (double)weft_plan_peak_bytes(&p->exec->plan), have = machine->memory_bytes;
    if (have <= 0 || need <= have) return WEFT_OK;
    weft_buf n, h, more;
    weft_buf_init(&n, &cx->alloc);
    weft_buf_init(&h, &cx->alloc);
    weft_buf_init(&more, &cx->alloc);
    weft_buf_bytes(&n, need);
    weft_buf_bytes(&h, have);
    weft_buf_bytes(&more, need - have);
    weft_status st = n.failed || h.failed || more.failed ? weft_oom() : WEFT_OK;
    if (st == WEFT_OK)
        st = weft_report(cx, WEFT_D_memory, weft_module_main(m)->loc,
                         "the program does not fit: each device needs %s, and one of '%s' has %s, %s too little", n.p,
                         machine->name, h.p, more.p);
    weft_buf_free(&n);
    weft_buf_free(&h);
    weft_buf_free(&more);
    return st;
}

weft_status weft_memory_warn(weft_context *cx, const weft_module *m, const weft_built_program *p,
                             const weft_machine *machine) {
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    weft_status st = warn_short(cx, m, p, machine);
    if (st == WEFT_OK && weft_warning_wanted(cx, WEFT_D_memory)) st = warn_held(cx, m, p, &arena);
    weft_arena_free(&arena);
    return st;
}
