/* draw.c: boxes as text and as SVG. */
#include "topology/draw.h"

#include <stdio.h>
#include "base/context.h"

weft_box *weft_box_add(weft_arena *a, weft_box *in, weft_box_kind kind, const char *fmt, ...) {
    char text[512], clean[256]; /* text is longer: a character that it truncates is dropped */
    va_list ap;
    va_start(ap, fmt);
    int n = weft_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    weft_box *b = weft_arena_new(a, weft_box);
    const char *label =
        weft_arena_strdup(a, clean, n < 0 ? 0 : weft_utf8_copy(clean, sizeof clean, weft_str_from(text)));
    if (!b || !label) return NULL;
    *b = (weft_box){ .kind = kind, .label = label, .ranks = "", .link = "" };
    if (in) *(in->first ? &in->last->next : &in->first) = b, in->last = b;
    return b;
}

const char *weft_ranks_text(weft_arena *a, const unsigned char *has, int ranks) {
    char text[200];
    size_t n = 0;
    int count = 0, is_cut = 0;
    for (int r = 0; r < ranks; r++) {
        int end = r;
        if (!has[r]) continue;
        while (end + 1 < ranks && has[end + 1]) end++;
        count += end - r + 1;
        if (n + 32 < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, end > r ? "%s%d-%d" : "%s%d", n ? "," : "", r, end);
        else is_cut = 1;
        r = end;
    }
    if (count == 0) return "";
    char whole[220];
    int length = snprintf(whole, sizeof whole, "%s %s%s", count > 1 ? "ranks" : "rank", text, is_cut ? ",..." : "");
    const char *out = weft_arena_strdup(a, whole, (size_t)length);
    return out ? out : "";
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void text_at(const weft_box *b, int depth, weft_buf *out) {
    if (*b->label) {
        weft_buf_printf(out, "%*s%s", 2 * depth, "", b->label);
        if (*b->link) weft_buf_printf(out, "  (%s)", b->link);
        if (*b->ranks) weft_buf_printf(out, "  %s", b->ranks);
        weft_buf_putc(out, '\n');
    }
    for (const weft_box *in = b->first; in; in = in->next) text_at(in, depth + (*b->label != 0), out);
}

void weft_box_text(const weft_box *b, weft_buf *out) { text_at(b, 0, out); }

/* --- SVG ---------------------------------------------------------------------------------------------------------- */

#define LETTER 6.6   /* width of a letter of a monospace font of 11 pixels */
#define LINE 15.0
#define PAD 6.0

/* The place of each box, in walking order. */
typedef struct place { double x, y, w, h; } place;

typedef struct svg {
    place *places;
    size_t n;
    weft_buf *out;
} svg;

static const struct { const char *fill; } looks[WEFT_BOX_KINDS] = {
    [WEFT_BOX_MACHINE] = { "#ffffff" }, [WEFT_BOX_NODE] = { "#eef2f7" }, [WEFT_BOX_PACKAGE] = { "#dbe7d3" }, [WEFT_BOX_MEMORY] = { "#f3dfc8" },
    [WEFT_BOX_CACHE] = { "#f7f3d6" }, [WEFT_BOX_CORE] = { "#d0d9e8" }, [WEFT_BOX_IO] = { "#e6d6ec" },
};

static size_t count_boxes(const weft_box *b) {
    size_t n = 1;
    for (const weft_box *in = b->first; in; in = in->next) n += count_boxes(in);
    return n;
}

static double text_width(const weft_box *b) {
    size_t n = strlen(b->label), link = strlen(b->link), ranks = strlen(b->ranks);
    n = link > n ? link : n;
    return LETTER * (double)(ranks > n ? ranks : n) + 2 * PAD;
}

static double text_height(const weft_box *b) { return LINE * (1 + (*b->link != 0) + (*b->ranks != 0)); }

/* Places the inner boxes in rows that make a box about as wide as high; x and y are relative to the box until svg_put
 * adds them up. */
static void measure(svg *s, const weft_box *b) {
    place *p = &s->places[s->n++];
    size_t first = s->n, i = first;
    double area = 0, widest = text_width(b);
    for (const weft_box *in = b->first; in; in = in->next) {
        size_t at = s->n;
        measure(s, in);
        area += (s->places[at].w + PAD) * (s->places[at].h + PAD);
        widest = s->places[at].w > widest ? s->places[at].w : widest;
    }
    double room = widest, x = PAD, y = text_height(b) + PAD, row = 0, right = widest;
    while (room * room < 2.2 * area) room *= 1.1;
    for (const weft_box *in = b->first; in; in = in->next) {
        place *q = &s->places[i];
        if (x > PAD && x + q->w > room + PAD) x = PAD, y += row + PAD, row = 0;
        q->x = x;
        q->y = y;
        x += q->w + PAD;
        row = q->h > row ? q->h : row;
        right = x - PAD > right ? x - PAD : right;
        i += count_boxes(in);
    }
    p->w = right + PAD;
    p->h = (b->first ? y + row : text_height(b)) + PAD;
}

static void put_text(weft_buf *out, double x, double y, const char *style, const char *text) {
    weft_buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, style);
    for (const char *c = text; *c; c++) {
        if (*c == '<') weft_buf_puts(out, "&lt;");
        else if (*c == '>') weft_buf_puts(out, "&gt;");
        else if (*c == '&') weft_buf_puts(out, "&amp;");
        else weft_buf_putc(out, (unsigned char)*c < ' ' ? ' ' : *c);
    }
    weft_buf_puts(out, "</text>\n");
}

static void put(svg *s, const weft_box *b, double x, double y) {
    const place *p = &s->places[s->n++];
    x += p->x;
    y += p->y;
    if (*b->label)
        weft_buf_printf(s->out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#555555\"/>\n",
                        x, y, p->w, p->h, looks[b->kind].fill);
    double line = y + LINE - 2;
    if (*b->label) put_text(s->out, x + PAD, line, "", b->label);
    if (*b->link) put_text(s->out, x + PAD, line += LINE, " fill=\"#7a3b00\"", b->link);
    if (*b->ranks) put_text(s->out, x + PAD, line += LINE, " font-weight=\"bold\"", b->ranks);
    for (const weft_box *in = b->first; in; in = in->next) put(s, in, x, y);
}

weft_status weft_box_svg(weft_context *cx, const weft_box *b, weft_buf *out) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    svg s = { .places = weft_scratch_array(cx, place, count_boxes(b)), .out = out };
    if (!s.places) return weft_oom();
    measure(&s, b);
    const place *all = &s.places[0];
    weft_buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"monospace\" font-size=\"11\">\n",
        all->w + 2 * PAD, all->h + 2 * PAD);
    s.n = 0;
    put(&s, b, PAD, PAD);
    weft_buf_puts(out, "</svg>\n");
    weft_arena_reset(&cx->scratch, mark);
    return out->failed ? weft_oom() : WEFT_OK;
}
