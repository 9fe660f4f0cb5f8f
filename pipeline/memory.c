/* memory.c: values held whole, and whether a device's memory is enough. */
#include "pipeline/memory.h"

#include <stdlib.h>
#include "ir/given_name.h"

enum { MOST_NAMED = 5, LARGE_BYTES = 1 << 20, LARGE_SHARE = 100 };

static int by_size(const void *a, const void *b) {
    const weft_held_whole *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_whole(const weft_program *p, const weft_io *io, int64_t local_bytes) {
    const int64_t large = weft_max_i64(LARGE_BYTES, weft_plan_peak_bytes(&p->exec->plan) / LARGE_SHARE);
    return p->device_count > 1 && local_bytes >= large && local_bytes == weft_type_bytes(io->global);
}

weft_status weft_memory_held_whole(weft_arena *arena, const weft_program *p, const weft_held_whole **out, size_t *count) {
    const weft_executable *x = p->exec;
    weft_held_whole *v = weft_arena_array(arena, weft_held_whole, x->arg_count + x->result_count);
    size_t n = 0;
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < x->arg_count; i++)
        if (is_whole(p, &p->args[i], x->args[i].bytes)) v[n++] = (weft_held_whole){ WEFT_HELD_ARGUMENT, i, x->args[i].bytes };
    for (uint32_t i = 0; i < x->result_count; i++)
        if (x->results[i].alias < 0 && is_whole(p, &p->results[i], x->results[i].bytes)) v[n++] = (weft_held_whole){ WEFT_HELD_RESULT, i, x->results[i].bytes };
    qsort(v, n, sizeof *v, by_size);
    *out = v;
    *count = n;
    return WEFT_OK;
}

void weft_held_whole_print(weft_buf *b, const weft_module *m, const weft_held_whole *h) {
    if (h->kind == WEFT_HELD_ARGUMENT) weft_argument_print(b, weft_module_main(m), h->index);
    else weft_result_print(b, weft_module_main(m), h->index);
}

static const weft_loc *loc_of(const weft_module *m, const weft_held_whole *h) {
    const weft_op *main = weft_module_main(m);
    const weft_block *body = weft_op_body(main, 0);
    return h->kind == WEFT_HELD_ARGUMENT && h->index < body->arg_count ? weft_value_loc(body->args[h->index]) : main->loc;
}

static weft_status note_one(weft_context *cx, const weft_module *m, const weft_program *p, const weft_held_whole *h) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_held_whole_print(&b, m, h);
    weft_buf_puts(&b, ": '");
    weft_type_print(&b, h->kind == WEFT_HELD_ARGUMENT ? p->args[h->index].global : p->results[h->index].global);
    weft_buf_puts(&b, "', ");
    weft_buf_bytes(&b, (double)h->bytes);
    if (!b.failed) weft_note(cx, loc_of(m, h), "%s", b.p);
    const bool failed = b.failed;
    weft_buf_free(&b);
    return failed ? weft_oom() : WEFT_OK;
}

static weft_status warn_held(weft_context *cx, const weft_module *m, const weft_program *p, weft_arena *arena) {
    const weft_held_whole *v;
    size_t n;
    int64_t bytes = 0;
    weft_buf sum, rest;
    weft_status st = weft_memory_held_whole(arena, p, &v, &n);
    if (st != WEFT_OK || !n) return st;
    for (size_t i = 0; i < n; i++) bytes += v[i].bytes;
    weft_buf_init(&sum, &cx->alloc);
    weft_buf_init(&rest, &cx->alloc);
    weft_buf_bytes(&sum, (double)bytes);
    if (sum.failed) st = weft_oom();
    else if (n == 1)
        st = weft_report(cx, WEFT_D_memory, loc_of(m, &v[0]), "each of %lld devices holds a large %s of %s whole: no axis of the mesh shards it",
                         (long long)p->device_count, v[0].kind == WEFT_HELD_ARGUMENT ? "argument" : "result", sum.p);
    else
        st = weft_report(cx, WEFT_D_memory, loc_of(m, &v[0]), "each of %lld devices holds %zu large arguments and results of together %s whole: no axis of the "
                         "mesh shards them", (long long)p->device_count, n, sum.p);
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

static weft_status warn_short(weft_context *cx, const weft_module *m, const weft_program *p, const weft_machine *machine) {
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
        st = weft_report(cx, WEFT_D_memory, weft_module_main(m)->loc, "the program does not fit: each device needs %s, and one of '%s' has %s, %s too little", n.p,
                         machine->name, h.p, more.p);
    weft_buf_free(&n);
    weft_buf_free(&h);
    weft_buf_free(&more);
    return st;
}

weft_status weft_memory_warn(weft_context *cx, const weft_module *m, const weft_program *p, const weft_machine *machine) {
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    weft_status st = warn_short(cx, m, p, machine);
    if (st == WEFT_OK && weft_warning_wanted(cx, WEFT_D_memory)) st = warn_held(cx, m, p, &arena);
    weft_arena_free(&arena);
    return st;
}
