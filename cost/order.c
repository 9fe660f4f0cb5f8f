/* order.c: device orders as text and as numbers, the cost of a plan's collectives in them, and the search for the
 * cheapest. */
#include "cost/order.h"

#include "base/context.h"
#include "base/nearest.h"

int64_t weft_order_places(const weft_order_mesh *mesh) {
    int64_t n = 1;
    for (uint32_t a = 0; a < mesh->axis_count; a++)
        if (!weft_mul_i64(n, mesh->axes[a].size, &n)) return INT64_MAX;
    return n;
}

weft_order weft_order_contiguous(const weft_order_mesh *mesh) {
    weft_order o = { .n = 0 };
    for (uint32_t a = 0; a < mesh->axis_count && o.n < WEFT_ORDER_PIECES; a++)
        o.pieces[o.n++] = (weft_order_piece){ a, 1, mesh->axes[a].size };
    return o;
}

void weft_order_devices(const weft_order_mesh *mesh, const weft_order *order, int32_t *device_of) {
    int64_t places = weft_order_places(mesh), slower[WEFT_ORDER_PIECES], weight[WEFT_ORDER_PIECES], w = 1;
    for (uint32_t i = order->n; i-- > 0; w *= order->pieces[i].size) {
        const weft_order_piece *p = &order->pieces[i];
        slower[i] = mesh->axes[p->axis].size / (p->pre * p->size); /* place / slower % size is the piece's digit */
        for (uint32_t a = p->axis + 1; a < mesh->axis_count; a++) slower[i] *= mesh->axes[a].size;
        weight[i] = w;
    }
    /* Digit by digit of the places, the fastest first; digits without a piece make no difference. */
    int64_t known = 1;
    device_of[0] = 0;
    while (known < places) {
        int64_t next = places, add = 0;
        for (uint32_t i = 0; i < order->n; i++)
            if (order->pieces[i].size > 1 && slower[i] == known) next = known * order->pieces[i].size, add = weight[i];
        for (uint32_t i = 0; i < order->n && !add; i++)
            if (order->pieces[i].size > 1 && slower[i] > known) next = weft_min_i64(next, slower[i]);
        for (int64_t place = known; place < next; place++) device_of[place] = device_of[place - known] + (int32_t)add;
        known = next;
    }
}

/* --- as text ------------------------------------------------------------------------------------------------------ */

static bool read_number(const char **s, int64_t *out) {
    const char *from = *s;
    for (*out = 0; **s >= '0' && **s <= '9'; ++*s)
        if (!weft_mul_i64(*out, 10, out) || !weft_add_i64(*out, **s - '0', out)) return false;
    return *s != from;
}

/* Whether the axis's name is at s, and ends like a name: quotes hold any name, also one with a quote in it. */
static bool is_named(const char *s, weft_str name) {
    const size_t quoted = *s == '"';
    if (!quoted) return weft_str_equal(name, (weft_str){ s, strcspn(s, ",:") });
    if (strlen(s + 1) <= name.n || memcmp(s + 1, name.p, name.n)) return false;
    return s[1 + name.n] == '"' && (!s[2 + name.n] || s[2 + name.n] == ',' || s[2 + name.n] == ':');
}

/* `data` or `"data":(1)2` at *s. */
static bool read_piece(const weft_order_mesh *mesh, const char **s, weft_order_piece *out) {
    for (out->axis = 0; out->axis < mesh->axis_count && !is_named(*s, mesh->axes[out->axis].name);) out->axis++;
    if (out->axis == mesh->axis_count) return false;
    *s += mesh->axes[out->axis].name.n + 2 * (**s == '"');
    out->pre = 1;
    out->size = mesh->axes[out->axis].size;
    if (**s != ':') return true;
    if (*++*s != '(') return false;
    ++*s;
    if (!read_number(s, &out->pre) || **s != ')') return false;
    ++*s;
    return read_number(s, &out->size) && out->pre > 0 && out->size > 1; /* a part of one place is none */
}

/* Whether the pieces of an axis cover it, each place once: in order of `pre` they follow each other. */
static bool covers(const weft_order *o, uint32_t axis, int64_t size) {
    int64_t at = 1;
    for (bool more = true; more && at < size;) {
        more = false;
        for (uint32_t i = 0; i < o->n && !more; i++) {
            const weft_order_piece *p = &o->pieces[i];
            if (p->axis != axis || p->pre != at || p->size < 2) continue;
            more = weft_mul_i64(at, p->size, &at);
        }
    }
    int64_t product = 1;
    for (uint32_t i = 0; i < o->n; i++)
        if (o->pieces[i].axis == axis && !weft_mul_i64(product, o->pieces[i].size, &product)) return false;
    return at == size && product == size;
}

/* With the axis that a misspelt word at s may mean. */
static weft_status no_order(weft_context *cx, const weft_order_mesh *mesh, const char *text, const char *s) {
    s += *s == '"';
    weft_nearest near = weft_nearest_to((weft_str){ s, strcspn(s, ",:\"") });
    for (uint32_t a = 0; a < mesh->axis_count; a++) weft_nearest_offer(&near, mesh->axes[a].name);
    if (s == text) weft_nearest_offer(&near, weft_str_from("auto"));
    return weft_report(
        cx, WEFT_D_usage, NULL,
        "'%s' is not an order of the mesh's axes, such as model,data or \"data\":(1)2,model,\"data\":(2)4" WEFT_NEAREST,
        text, WEFT_NEAREST_ARG(near));
}

weft_status weft_order_read(weft_context *cx, const weft_order_mesh *mesh, const char *text, weft_order *out) {
    weft_order given = { .n = 0 };
    const char *s = text;
    bool named[WEFT_ORDER_PIECES] = { false };
    if (mesh->axis_count > WEFT_ORDER_PIECES)
        return weft_report(cx, WEFT_D_usage, NULL, "an order is of at most %d axes", WEFT_ORDER_PIECES);
    while (*s) {
        weft_order_piece p;
        if (given.n == WEFT_ORDER_PIECES || !read_piece(mesh, &s, &p) || (*s && *s != ','))
            return no_order(cx, mesh, text, s);
        given.pieces[given.n++] = p;
        named[p.axis] = true;
        s += *s == ',';
    }
    out->n = 0;
    for (uint32_t a = 0; a < mesh->axis_count; a++) {
        if (named[a] && !covers(&given, a, mesh->axes[a].size))
            return weft_report(cx, WEFT_D_usage, NULL,
                               "'%s' does not say once where each part of axis \"%.*s\" of %lld places goes", text,
                               WEFT_STR_ARG(mesh->axes[a].name), (long long)mesh->axes[a].size);
        if (!named[a]) out->pieces[out->n++] = (weft_order_piece){ a, 1, mesh->axes[a].size };
    }
    if (out->n + given.n > WEFT_ORDER_PIECES)
        return weft_report(cx, WEFT_D_usage, NULL, "'%s' has more than %d parts", text, WEFT_ORDER_PIECES);
    for (uint32_t i = 0; i < given.n; i++) out->pieces[out->n++] = given.pieces[i];
    return WEFT_OK;
}

/* Whether a name without quotes would be read as another one. */
static bool needs_quotes(weft_str name) {
    return !name.n || *name.p == '"' || memchr(name.p, ',', name.n) || memchr(name.p, ':', name.n);
}

void weft_order_print(weft_buf *out, const weft_order_mesh *mesh, const weft_order *order) {
    for (uint32_t i = 0; i < order->n; i++) {
        const weft_order_piece *p = &order->pieces[i];
        const weft_order_axis *a = &mesh->axes[p->axis];
        if (i) weft_buf_putc(out, ',');
        if (p->size == a->size)
            weft_buf_printf(out, needs_quotes(a->name) ? "\"%.*s\"" : "%.*s", WEFT_STR_ARG(a->name));
        else weft_buf_printf(out, "\"%.*s\":(%lld)%lld", WEFT_STR_ARG(a->name), (long long)p->pre, (long long)p->size);
    }
}

/* --- the cost of an order ----------------------------------------------------------------------------------------- */

#define SPANS 8 /* different reaches of a pattern that are distinguished */

typedef struct spans { weft_reach v[SPANS]; int n; } spans;

static bool same_span(const weft_reach *a, const weft_reach *b) {
    return a->level == b->level && a->link.latency_s == b->link.latency_s &&
           a->link.bytes_per_s == b->link.bytes_per_s && a->inside == b->inside && a->on_node == b->on_node &&
           a->inside_level == b->inside_level && a->on_package == b->on_package;
}

/* The different reaches of a pattern's groups. row has room for a row. */
static void spans_of(const weft_machine *m, const weft_pattern *p, const int32_t *device_of, int32_t *row, spans *out) {
    out->n = 0;
    for (int64_t r = 0; r < p->rows; r++) {
        int64_t n = 0;
        int known = 0;
        for (; n < p->size && p->members[r * p->size + n] >= 0; n++) {
            int32_t place = p->members[r * p->size + n];
            row[n] = device_of ? device_of[place] : place;
        }
        weft_reach s = weft_machine_reach(m, row, n);
        while (known < out->n && !same_span(&out->v[known], &s)) known++;
        if (known == out->n && out->n < SPANS) out->v[out->n++] = s;
    }
}

static double dearest(const weft_machine *m, const weft_load *l, const spans *s, int *which) {
    double most = -1;
    for (int i = 0; i < s->n; i++) {
        const weft_coll_time part = weft_machine_reach_time(m, l->kind, l->group_size, &s->v[i], l->bytes);
        const double t = part.beside_s + part.own_s;
        if (t > most) most = t, *which = i;
    }
    return most > 0 ? most : 0;
}

typedef struct pricer {
    const weft_machine *machine;
    const weft_loads *loads;
    spans *spans;     /* per pattern */
    int32_t *row;
} pricer;

static weft_status begin(weft_context *cx, const weft_machine *m, const weft_loads *loads, pricer *out) {
    int64_t longest = 1;
    for (uint32_t i = 0; i < loads->pattern_count; i++) longest = weft_max_i64(longest, loads->patterns[i].size);
    *out = (pricer){ m, loads, weft_scratch_array(cx, spans, loads->pattern_count),
                     weft_scratch_array(cx, int32_t, longest) };
    return out->spans && out->row ? WEFT_OK : weft_oom();
}

static double price(pricer *p, const int32_t *device_of) {
    double sum = 0;
    for (uint32_t i = 0; i < p->loads->pattern_count; i++)
        spans_of(p->machine, &p->loads->patterns[i], device_of, p->row, &p->spans[i]);
    for (uint32_t i = 0; i < p->loads->load_count; i++) {
        const weft_load *l = &p->loads->loads[i];
        int which = 0;
        sum += l->count * dearest(p->machine, l, &p->spans[l->pattern], &which);
    }
    return sum;
}

weft_status weft_order_time(weft_context *cx, const weft_machine *m, const weft_loads *loads, const int32_t *device_of,
                            double *time_s) {
    pricer p;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = begin(cx, m, loads, &p);
    if (st == WEFT_OK) *time_s = price(&p, device_of);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_load_reaches(weft_context *cx, const weft_machine *m, const weft_loads *loads,
                              const int32_t *device_of, weft_reach *out) {
    pricer p;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = begin(cx, m, loads, &p);
    for (uint32_t i = 0; st == WEFT_OK && i < loads->pattern_count; i++)
        spans_of(m, &loads->patterns[i], device_of, p.row, &p.spans[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < loads->load_count; i++) {
        const weft_load *l = &loads->loads[i];
        int which = 0;
        dearest(m, l, &p.spans[l->pattern], &which);
        out[i] = p.spans[l->pattern].n
                     ? p.spans[l->pattern].v[which]
                     : (weft_reach){ .level = -1, .on_node = 1, .on_package = 1, .inside = 1, .inside_level = -1 };
    }
    weft_arena_reset(&cx->scratch, mark);
    return st;
}
