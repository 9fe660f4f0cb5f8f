/* data.c: see data.h. */
#include <stdlib.h>
#include "base/nearest.h"
#include "tool/data.h"

const char *tool_array_path(weft_context *cx, const char *dir, const char *name, uint32_t i) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_buf_printf(&b, "%s/%s%u.npy", dir, name, i);
    const char *path = b.failed ? NULL : weft_arena_strdup(&cx->arena, b.p, b.n);
    weft_buf_free(&b);
    return path;
}

weft_status tool_arrays_open(weft_context *cx, const char *dir, const char *name, const weft_host_array *wants,
                             uint32_t n,
                             weft_npy **out) {
    weft_status st = WEFT_OK;
    *out = weft_arena_array(&cx->arena, weft_npy, n);
    if (!*out) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        const char *path = tool_array_path(cx, dir, name, i);
        st = path ? weft_npy_open(cx, path, &wants[i], &(*out)[i]) : weft_oom();
    }
    return st;
}

weft_status tool_arrays_open_as(weft_context *cx, const char *dir, const char *name, const weft_layout *layouts,
                                uint32_t n, weft_npy **out) {
    weft_host_array *wants = dir ? weft_arena_array(&cx->arena, weft_host_array, n) : NULL;
    if (!dir) return WEFT_OK;
    for (uint32_t i = 0; wants && i < n; i++) weft_session_describe(&layouts[i], &wants[i]);
    return wants ? tool_arrays_open(cx, dir, name, wants, n, out) : weft_oom();
}

void tool_arrays_close(weft_context *cx, weft_npy *files, uint32_t n) {
    for (uint32_t i = 0; files && i < n; i++) weft_npy_close(cx, &files[i]);
}

static const struct { const char *name; weft_fill_kind kind; double scale; } ways_to_fill[] = {
    { "normal", WEFT_FILL_NORMAL, 0.02 }, { "uniform", WEFT_FILL_UNIFORM, 0.04 }, { "zeros", WEFT_FILL_CONSTANT, 0 }, { "ones", WEFT_FILL_CONSTANT, 1 },
};

/* One of these names, or a number. */
static bool parse_fill(const char *how, weft_fill *out) {
    char *end;
    for (size_t i = 0; i < WEFT_COUNT(ways_to_fill); i++)
        if (!strcmp(how, ways_to_fill[i].name)) {
            out->kind = ways_to_fill[i].kind;
            out->scale = ways_to_fill[i].scale;
            return true;
        }
    out->kind = WEFT_FILL_CONSTANT;
    out->scale = strtod(how, &end);
    return end != how && !*end;
}

static weft_status no_such_way(tool *t, const char *how) {
    weft_nearest near = weft_nearest_to(weft_str_from(how));
    for (size_t i = 0; i < WEFT_COUNT(ways_to_fill); i++)
        weft_nearest_offer(&near, weft_str_from(ways_to_fill[i].name));
    return weft_report(t->cx, WEFT_D_usage, NULL,
                       "--fill takes normal, uniform, zeros, ones or a number, not '%s'" WEFT_NEAREST, how,
                       WEFT_NEAREST_ARG(near));
}

weft_status tool_fills_read(tool *t, const tool_list *options, uint32_t n, weft_fill *fills) {
    for (size_t i = 0; i < options->n; i++) {
        const char *text = options->v[i];
        char *end;
        unsigned long from = strtoul(text, &end, 10), to = from;
        weft_fill fill = { .kind = WEFT_FILL_CONSTANT };
        bool good = end != text;
        if (good && *end == '-') to = strtoul(end + 1, &end, 10);
        if (!good || *end != '=' || from > to)
            return weft_report(t->cx, WEFT_D_usage, NULL, "--fill takes A=HOW or A-B=HOW, not '%s'", text);
        if (!parse_fill(end + 1, &fill)) return no_such_way(t, end + 1);
        if (to >= n)
            return weft_report(t->cx, WEFT_D_usage, NULL,
                               "--fill takes arguments that @main has, not %lu in '%s': it has %u, from 0 on", to, text,
                               n);
        for (unsigned long a = from; a <= to; a++) fills[a] = (weft_fill){ fill.kind, fill.scale, fills[a].seed };
    }
    return WEFT_OK;
}

weft_status tool_arguments_open(tool *t, const char *inputs, const tool_list *fill, uint64_t seed,
                                const weft_layout *layouts, uint32_t n, tool_arguments *out) {
    *out = (tool_arguments){ .n = n, .fills = weft_arena_array(&t->cx->arena, weft_fill, n) };
    if (!out->fills) return weft_oom();
    for (uint32_t i = 0; i < n; i++) out->fills[i] = (weft_fill){ WEFT_FILL_UNIFORM, 0.04, seed };
    const weft_status st = tool_fills_read(t, fill, n, out->fills);
    return st == WEFT_OK ? tool_arrays_open_as(t->cx, inputs, "in", layouts, n, &out->files) : st;
}

weft_status tool_arguments_load(const tool_arguments *a, weft_session *session) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < a->n; i++)
        st = a->files ? weft_session_put(session, i, &a->files[i].array) : weft_session_fill(session, i, &a->fills[i]);
    return st;
}

void tool_arguments_close(tool *t, tool_arguments *a) { tool_arrays_close(t->cx, a->files, a->n); }

/* The type of argument i from its file: the file gives the sizes that its own type leaves open. */
static weft_status type_of_file(weft_context *cx, const char *inputs, uint32_t i, const weft_type *t, weft_buf *out) {
    weft_host_array want = { .dtype = t->dtype, .rank = t->rank };
    weft_npy file;
    const char *path = tool_array_path(cx, inputs, "in", i);
    for (uint32_t d = 0; d < t->rank; d++) want.dims[d] = t->dims[d] == WEFT_DYNAMIC ? -1 : t->dims[d];
    const weft_status st = path ? weft_npy_open(cx, path, &want, &file) : weft_oom();
    if (st != WEFT_OK) return st;
    weft_host_array_type_print(out, &file.array);
    weft_npy_close(cx, &file);
    return WEFT_OK;
}

/* Open sizes of the program are those of --types, or of the files of --inputs. */
weft_status tool_types_choose(tool *t, weft_module **m, const char *types, const char *inputs) {
    weft_context *cx = t->cx;
    const weft_op *f = weft_module_main(*m);
    const weft_block *body = f ? weft_op_body(f, 0) : NULL;
    weft_buf list;
    weft_status st = WEFT_OK;
    bool open = types != NULL;
    for (uint32_t i = 0; body && inputs && i < body->arg_count; i++)
        open = open || (weft_type_is_tensor(body->args[i]->type) && !weft_type_is_static(body->args[i]->type));
    if (!open || !body) return WEFT_OK;
    weft_buf_init(&list, &cx->alloc);
    if (types) weft_buf_puts(&list, types);
    for (uint32_t i = 0; !types && st == WEFT_OK && i < body->arg_count; i++) {
        const weft_type *type = body->args[i]->type;
        if (i) weft_buf_putc(&list, ',');
        if (weft_type_is_tensor(type) && !weft_type_is_static(type)) st = type_of_file(cx, inputs, i, type, &list);
        else weft_type_print(&list, type);
    }
    if (list.failed && st == WEFT_OK) st = weft_oom();
    const weft_pass_option option = { WEFT_STR("types"), { list.p, list.n } };
    const weft_pipeline_call call = { .spec = WEFT_STR("stablehlo-refine-arguments"), .options = &option,
                                      .option_count = 1 };
    if (st == WEFT_OK) st = weft_pipeline_call_run(cx, &call, m);
    weft_buf_free(&list);
    return st;
}
