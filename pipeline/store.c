/* store.c: a program as the file that processes without a compiler run (runtime/program_file.h). */
#include <stdio.h>
#include "ir/builder.h"
#include "pipeline/pipeline.h"
#include "runtime/program_file.h"

/* ---- names ---- */

static const char *numbered(weft_arena *arena, const char *stem, uint32_t i) {
    char text[32];
    const int n = snprintf(text, sizeof text, "%s%u", stem, i);
    return weft_arena_strdup(arena, text, (size_t)n);
}

static bool is_taken(const char *const *names, uint32_t n, weft_str name) {
    for (uint32_t i = 0; i < n; i++)
        if (weft_str_is(name, names[i])) return true;
    return false;
}

static const char *result_name(const weft_op *main, weft_arena *arena, const char *const *before, uint32_t r) {
    const weft_attr *info = weft_func_result_attr(main, r, WEFT_A_jax_result_info);
    const bool named = info && info->kind == WEFT_ATTR_STRING && info->s.n && !is_taken(before, r, info->s);
    return named ? weft_arena_strdup(arena, info->s.p, info->s.n) : numbered(arena, "out", r);
}

weft_status weft_module_port_names(const weft_module *m, weft_arena *arena, weft_port_names *out) {
    const weft_op *main = weft_module_main(m);
    const weft_block *body = main ? weft_op_body(main, 0) : NULL;
    if (!body) return weft_module_check_main(m);
    const uint32_t results = weft_block_terminator(body)->operand_count;
    const char **a = weft_arena_array(arena, const char *, body->arg_count),
               **r = weft_arena_array(arena, const char *, results);
    bool good = a && r;
    for (uint32_t i = 0; good && i < body->arg_count; i++) {
        a[i] = body->args[i]->hint ? body->args[i]->hint->text : numbered(arena, "arg", i);
        good = a[i] != NULL;
    }
    for (uint32_t i = 0; good && i < results; i++) good = (r[i] = result_name(main, arena, r, i)) != NULL;
    *out = (weft_port_names){ a, r };
    return good ? WEFT_OK : weft_oom();
}

/* ---- shardings ---- */

static void print_mesh(weft_buf *b, const weft_attr *mesh) {
    for (uint32_t i = 0; mesh && i < mesh->mesh.axis_count; i++)
        weft_buf_printf(b, "%s%s=%lld", i ? ", " : "", mesh->mesh.axes[i].name->text,
                        (long long)mesh->mesh.axes[i].size);
}

static void print_sharding(weft_buf *b, const weft_io *io) {
    for (uint32_t d = 0; d < io->global->rank; d++) {
        const weft_axis_refs *axes = io->sharding ? &io->sharding->sharding.dims[d].axes : NULL;
        if (d) weft_buf_puts(b, ", ");
        if (!axes || !axes->n) weft_buf_putc(b, '-');
        for (uint32_t i = 0; axes && i < axes->n; i++) {
            weft_buf_printf(b, "%s%s", i ? "*" : "", axes->v[i].name->text);
            if (axes->v[i].size)
                weft_buf_printf(b, ":(%lld)%lld", (long long)axes->v[i].pre_size, (long long)axes->v[i].size);
        }
    }
}

weft_status weft_io_texts(weft_arena *arena, const weft_io *io, const char **mesh, const char **sharding) {
    weft_buf m, s;
    weft_buf_init(&m, &arena->alloc);
    weft_buf_init(&s, &arena->alloc);
    print_mesh(&m, io->mesh);
    print_sharding(&s, io);
    const bool failed = m.failed || s.failed;
    *mesh = failed ? NULL : weft_arena_strdup(arena, m.n ? m.p : "", m.n);
    *sharding = failed ? NULL : weft_arena_strdup(arena, s.n ? s.p : "", s.n);
    weft_buf_free(&m);
    weft_buf_free(&s);
    return *mesh && *sharding ? WEFT_OK : weft_oom();
}

/* ---- the file ---- */

static weft_status make_ports(weft_arena *arena, const weft_io *io, uint32_t n, const char *const *names,
                              const weft_port **out) {
    weft_port *v = weft_arena_array(arena, weft_port, n);
    weft_status st = v ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        v[i].name = names[i];
        st = weft_io_texts(arena, &io[i], &v[i].mesh, &v[i].sharding);
    }
    *out = v;
    return st;
}

weft_status weft_built_program_ports(weft_built_program *p, const weft_port_names *names, const weft_port **args,
                                     const weft_port **results) {
    weft_arena *arena = &p->local->arena;
    const weft_status st = make_ports(arena, p->args, p->exec->arg_count, names->args, args);
    return st == WEFT_OK ? make_ports(arena, p->results, p->exec->result_count, names->results, results) : st;
}

weft_status weft_built_program_write(const weft_built_program *p, const weft_port_names *names, weft_buf *out) {
    weft_program_file file = { .exec = p->exec, .arg_layouts = p->arg_layouts, .result_layouts = p->result_layouts };
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->alloc);
    weft_status st = make_ports(&arena, p->args, p->exec->arg_count, names->args, &file.args);
    if (st == WEFT_OK) st = make_ports(&arena, p->results, p->exec->result_count, names->results, &file.results);
    if (st == WEFT_OK) st = weft_program_file_write(&file, out);
    weft_arena_free(&arena);
    return st;
}
