/* program: shared by `run` and `dryrun`: the handling of FILE. */
#include "tool/program.h"

#include "base/quantity.h"

weft_status tool_module_parse(tool *t, const tool_compiling *how, weft_module **out) {
    weft_module *m;
    weft_status st = tool_input_is_text(t);
    if (st == WEFT_OK) st = weft_read_text(t->cx, (weft_str){ t->input.text, t->input.n }, t->input.name, 0, &m);
    if (st != WEFT_OK) return st;
    st = tool_rules_check(t, m, how);
    /* commands need the number of devices */
    if (st == WEFT_OK) st = weft_pipeline_run(t->cx, WEFT_STR("weft-import"), 0, &m);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}

weft_status tool_module_read(tool *t, const char *path, const tool_compiling *how, weft_module **out) {
    const weft_status st = tool_input_read(t, path);
    return st == WEFT_OK ? tool_module_parse(t, how, out) : st;
}

/* The axes of all meshes, each once, as "x=SIZE,y=SIZE"; returns their number. */
static size_t every_axis(const weft_module *m, int64_t size, char *buf, size_t room) {
    size_t n = 0, count = 0;
    buf[0] = 0;
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        for (uint32_t a = 0; mesh && a < mesh->mesh.axis_count; a++) {
            char one[256];
            int length = snprintf(one, sizeof one, "%s=%lld", mesh->mesh.axes[a].name->text, (long long)size);
            const char *at = strstr(buf, one);
            bool known = at && (at == buf || at[-1] == ',') && (at[length] == ',' || !at[length]);
            if (known || length >= (int)sizeof one || n + (size_t)length + 2 > room) continue;
            n += (size_t)snprintf(buf + n, room - n, "%s%s", count ? "," : "", one);
            count++;
        }
    }
    return count;
}

weft_status tool_mesh_choose(tool *t, const weft_module *m, const char *mesh, int64_t devices, char *buf, size_t room,
                             const char **out) {
    int64_t own = weft_module_devices(m);
    *out = mesh;
    if (devices == 0 || mesh || devices == own) return WEFT_OK;
    size_t axes = every_axis(m, devices, buf, room);
    if (axes == 0) return WEFT_OK;
    if ( devices != 1 && axes != 1)
        return weft_report(t->cx, WEFT_D_usage, NULL,
                           "the program is for %lld devices, not %lld; --mesh gives its axes other sizes",
                           (long long)own, (long long)devices);
    *out = buf;
    return WEFT_OK;
}

/* --- orders of devices -------------------------------------------------------------------------------------------- */

weft_status tool_precision_read(tool *t, const char *text, const char **out) {
    *out = NULL;
    if (!text || !strcmp(text, "f32")) return WEFT_OK;
    *out = text;
    return !strcmp(text, "bf16") ? WEFT_OK
                                 : weft_report(t->cx, WEFT_D_usage, NULL, "--precision is f32 or bf16, not '%s'", text);
}

weft_status tool_memory_read(tool *t, const char *text, const char *like, double *out) {
    if (!text || (weft_quantity_read(weft_str_from(text), out) == WEFT_SIZE && weft_quantity_fits(WEFT_SIZE, *out)))
        return WEFT_OK;
    return weft_report(t->cx, WEFT_D_usage, NULL, "--memory is a size, as %s, not '%s'", like, text);
}

weft_ordered tool_ordered(tool *t, const char *order, const char *topology) {
    if (topology) t->described = (tool_text){ WEFT_MACHINE_TEXT, topology, strlen(topology) };
    return (weft_ordered){ .order = order, .topology = topology, .folders = t->machines };
}

static void print_time(weft_buf *b, const weft_ordered *o, const weft_axes_traffic *r, weft_order_of of) {
    weft_reach_print(b, &o->machine, &r->reach[of]);
    weft_buf_printf(b, ", %.4g ms", 1e3 * r->time_s[of]);
}

/* Whether a cheaper order than the program's is known. */
static bool cheaper_is_known(const weft_ordered *o) {
    return o->advice.time_s[WEFT_ORDER_BEST] < o->advice.time_s[weft_ordered_has(o)];
}

/* The bytes and links of the axes in the program's order, and in the others if they differ. */
static void print_traffic(tool *t, const weft_ordered *o, const weft_axes_traffic *r) {
    weft_order_of has = weft_ordered_has(o);
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    print_time(&b, o, r, has);
    if (has != WEFT_ORDER_CONTIGUOUS) {
        weft_buf_puts(&b, "; contiguous: ");
        print_time(&b, o, r, WEFT_ORDER_CONTIGUOUS);
    }
    if (cheaper_is_known(o)) {
        weft_buf_puts(&b, "; in the cheapest order: ");
        print_time(&b, o, r, WEFT_ORDER_BEST);
    }
    printf("  %-24.*s %16.0f B  over %s\n", WEFT_STR_ARG(r->axes), r->wire_bytes, b.p ? b.p : "");
    weft_buf_free(&b);
}

void tool_order_print(tool *t, const weft_ordered *o) {
    const weft_order_advice *a = &o->advice;
    const char *const *text = a->text;
    weft_order_of has = weft_ordered_has(o);
    double saved_ms = 1e3 * (a->time_s[has] - a->time_s[WEFT_ORDER_BEST]), ms = 1e3 * a->time_s[has],
           contiguous_ms = 1e3 * a->time_s[WEFT_ORDER_CONTIGUOUS];
    printf("%-26s ", "device order");
    if (a->why) printf("%s: %s\n", o->chosen ? o->chosen : "as it is", a->why);
    else if (!text[WEFT_ORDER_CONTIGUOUS]) printf("%s\n", o->chosen ? o->chosen : "contiguous");
    else if (has == WEFT_ORDER_CONTIGUOUS && !cheaper_is_known(o))
        printf("contiguous: %s; none is found to be cheaper\n", text[has]);
    else if (has == WEFT_ORDER_CONTIGUOUS)
        printf("contiguous: %s; --order='%s' would save %.4g ms\n", text[has], text[WEFT_ORDER_BEST], saved_ms);
    else {
        printf("%s, %s: collectives take %.4g ms, in contiguous order %.4g ms", text[has],
               has == WEFT_ORDER_ASKED ? "as asked" : "by cost", ms, contiguous_ms);
        if (cheaper_is_known(o)) printf("; --order='%s' would save %.4g ms", text[WEFT_ORDER_BEST], saved_ms);
        putchar('\n');
    }
    for (uint32_t i = 0; i < a->traffic_count; i++) print_traffic(t, o, &a->traffic[i]);
}
