/* dryrun_tactics.c: a file of tactics, with what each adds to the plan and removes from it. */
#include <stdlib.h>
#include "pipeline/dryrun/strategy.h"
#include "tool/dryrun.h"

typedef struct staging {
    tool *t;
    const weft_dry_how *how;
    const weft_ordered *order;
    weft_strategist *s;
    weft_dry_stage *v;
    size_t n, cap;
} staging;

/* The plan with the tactics so far. */
static weft_status add_stage(staging *x, weft_str text) {
    weft_context *cx = x->t->cx;
    weft_dry_report r = { .program = NULL };
    weft_module *m = NULL;
    if (x->n == x->cap && !weft_arena_grow(&cx->arena, (void **)&x->v, &x->cap, x->n + 1, sizeof *x->v))
        return weft_oom();
    weft_status st = weft_strategist_write(x->s, &m);
    if (st == WEFT_OK) st = weft_dry_make_variant(cx, &cx->arena, m, x->how, x->order, &r);
    if (st == WEFT_OK) {
        x->v[x->n++] = (weft_dry_stage){ weft_arena_strdup(&cx->arena, text.p, text.n), r.rows, r.row_count,
                                       r.estimate.wire_bytes, weft_plan_peak_bytes(r.plan), r.estimate.step_s };
        if (!x->v[x->n - 1].text) st = weft_oom();
        for (size_t i = 0; i < r.row_count && st == WEFT_OK; i++) {
            char *axes = weft_arena_strdup(&cx->arena, r.rows[i].axes.p, r.rows[i].axes.n); /* outlive the program */
            if (axes) r.rows[i].axes.p = axes;
            else st = weft_oom();
        }
    }
    weft_dry_free(&r);
    weft_module_free(m);
    return st;
}

static weft_str trim(weft_str s) {
    while (s.n && (*s.p == ' ' || *s.p == '\t')) s.p++, s.n--;
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r')) s.n--;
    return s;
}

static weft_status add_lines(staging *x, const tool_text *file) {
    weft_context *cx = x->t->cx;
    const weft_name name = weft_name_from(cx, file->name);
    const char *p = file->text, *end = file->text + file->n;
    weft_status st = name ? add_stage(x, WEFT_STR("(none)")) : weft_oom();
    for (uint32_t number = 1; st == WEFT_OK && p < end; number++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        const weft_str line = trim((weft_str){ p, (size_t)(stop - p) });
        const weft_loc *loc = weft_loc_file(cx, name, number, (uint32_t)(line.p - p) + 1);
        if (!loc) st = weft_oom();
        else if (line.n && *line.p != '#') {
            st = weft_strategist_add_line(x->s, loc, line);
            if (st == WEFT_OK) st = add_stage(x, line);
        }
        p = nl ? nl + 1 : end;
    }
    return st;
}

weft_status dryrun_tactics(tool *t, const char *path, const weft_dry_how *how, const weft_ordered *order,
                           weft_strategist *s, const weft_dry_stage **out, size_t *count) {
    staging x = { .t = t, .how = how, .order = order, .s = s };
    tool_text file;
    weft_status st = tool_text_read(t, path, &file);
    if (st != WEFT_OK) return st;
    st = add_lines(&x, &file);
    free((char *)file.text);
    *out = x.v;
    *count = x.n;
    return st;
}

/* ---- differences ---- */

static const weft_dry_row *row_like(const weft_dry_stage *s, const weft_dry_row *r) {
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].kind == r->kind && weft_str_equal(s->rows[i].axes, r->axes)) return &s->rows[i];
    return NULL;
}

void dryrun_stage_changes(const weft_dry_stage *before, const weft_dry_stage *after, dryrun_stage_visit visit,
                          void *user) {
    for (size_t i = 0; i < after->row_count; i++) {
        const weft_dry_row *old = row_like(before, &after->rows[i]);
        const int64_t more = after->rows[i].count - (old ? old->count : 0);
        if (more) visit(user, weft_coll_kind_name(after->rows[i].kind), after->rows[i].axes, more);
    }
    for (size_t i = 0; i < before->row_count; i++)
        if (!row_like(after, &before->rows[i]))
            visit(user, weft_coll_kind_name(before->rows[i].kind), before->rows[i].axes, -before->rows[i].count);
}

static void print_change(void *user, const char *kind, weft_str axes, int64_t more) {
    (void)user;
    printf("      %+8lld %s over %.*s\n", (long long)more, kind, WEFT_STR_ARG(axes));
}

void dryrun_print_stages(tool *t, const weft_dry_report *r) {
    if (!r->stage_count) return;
    printf("%-34s %10s  %10s  %12s\n", "tactic", "on wire", "peak", "step");
    for (size_t i = 0; i < r->stage_count; i++) {
        const weft_dry_stage *s = &r->stages[i];
        printf("%-34.34s ", s->text);
        tool_print_size(t, 10, (double)s->wire_bytes);
        tool_print_size(t, 12, (double)s->peak_bytes);
        printf("  %9.4g ms\n", 1e3 * s->step_s);
        if (i) dryrun_stage_changes(&r->stages[i - 1], s, print_change, NULL);
    }
    putchar('\n');
}
