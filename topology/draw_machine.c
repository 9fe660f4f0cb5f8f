/* draw_machine.c: a description's machine as boxes. */
#include "topology/draw.h"

#include <stdio.h>

#define DRAWN 16 /* parts of a level */

typedef struct drawing {
    weft_arena *arena;
    const weft_machine *m;
    int64_t ranks;
    weft_status status;
} drawing;

static weft_box *add(drawing *d, weft_box *in, weft_box_kind kind, const char *label) {
    weft_box *b = weft_box_add(d->arena, in, kind, "%s", label);
    if (!b) d->status = weft_oom();
    return b;
}

static void set_link(drawing *d, weft_box *b, const weft_machine_level *l) {
    weft_buf text;
    weft_buf_init(&text, &d->arena->alloc);
    if (l->link_name[0]) weft_buf_printf(&text, "%s ", l->link_name);
    weft_link_print(&text, &l->link);
    if (l->wiring != WEFT_WIRED_SWITCH) weft_buf_puts(&text, " a link");
    const char *kept = text.failed ? NULL : weft_arena_strdup(d->arena, text.p, text.n);
    weft_buf_free(&text);
    if (kept) b->link = kept;
    else d->status = weft_oom();
}

static void set_ranks(drawing *d, weft_box *b, int64_t first, int64_t n) {
    char text[64];
    int64_t last = weft_min_i64(first + n, d->ranks) - 1;
    if (last < first) return;
    int length =
        snprintf(text, sizeof text, last > first ? "ranks %lld-%lld" : "rank %lld", (long long)first, (long long)last);
    const char *kept = weft_arena_strdup(d->arena, text, (size_t)length);
    if (kept) b->ranks = kept;
    else d->status = weft_oom();
}

/* "gpu 3", or in a torus "1,0,3". */
static void name_part(const weft_machine_level *l, int64_t part, char *text, size_t room) {
    size_t n = 0;
    if (l->wiring == WEFT_WIRED_SWITCH) {
        snprintf(text, room, "%s %lld", l->name, (long long)part);
        return;
    }
    int64_t below = weft_level_count(l);
    for (int d = 0; d < l->dim_count && n < room; d++) {
        below /= l->dims[d];
        n += (size_t)snprintf(text + n, room - n, "%s%lld", d ? "," : "", (long long)(part / below % l->dims[d]));
    }
}

/* The contents of a part that begins with device `first`: level `level` and those inside. */
static void draw_level(drawing *d, weft_box *in, int level, int64_t first) {
    const weft_machine_level *l = &d->m->levels[level];
    bool innermost = level + 1 == d->m->level_count;
    int64_t each = weft_machine_part_devices(d->m, level), count = weft_level_count(l),
            drawn = count > DRAWN + 1 ? DRAWN : count;
    char text[128];
    set_link(d, in, l);
    for (int64_t i = 0; i < drawn && d->status == WEFT_OK; i++) {
        name_part(l, i, text, sizeof text);
        weft_box *b = add(d, in, innermost ? WEFT_BOX_CORE : level == 0 ? WEFT_BOX_NODE : WEFT_BOX_PACKAGE, text);
        if (!b) return;
        set_ranks(d, b, first + i * each, each);
        if (!innermost) draw_level(d, b, level + 1, first + i * each);
    }
    if (drawn == count || d->status != WEFT_OK) return;
    snprintf(text, sizeof text, "%lld more", (long long)(count - drawn));
    weft_box *rest = add(d, in, WEFT_BOX_IO, text);
    if (rest) set_ranks(d, rest, first + drawn * each, (count - drawn) * each);
}

weft_box *weft_machine_boxes(weft_arena *a, const weft_machine *m, int64_t ranks) {
    drawing d = { a, m, ranks, WEFT_OK };
    weft_box *root = weft_box_add(a, NULL, WEFT_BOX_MACHINE, "machine %s, %lld devices", m->name,
                                  (long long)weft_machine_devices(m));
    if (root) draw_level(&d, root, 0, 0);
    return d.status == WEFT_OK ? root : NULL;
}
