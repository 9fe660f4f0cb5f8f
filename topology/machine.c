/* machine.c: machines as numbers: sizes, places, and a group member's share of the links. */
#include "topology/machine.h"

#include <stddef.h>

const weft_cost_field weft_cost_fields[WEFT_COST_COUNT] = {
#define COST(field, name, quantity, value, most, use) \
    [WEFT_COST_##field] = { name, quantity, offsetof(weft_costs, field), most, use },
#include "topology/costs.def"
};

/* Round estimates for a server core of 2024 with its share of memory, and 100 Gbit/s Ethernet; f32. */
const weft_machine weft_machine_default = {
    .name = "cpu-node",
    .about = "one core per device, eight to a node in shared memory, f32; round estimates for a server core of 2024",
    .flops_per_s = 180e9,
    .bytes_per_s = 12e9,
    .level_count = 2,
    .levels = {
        { .name = "nodes", .link_name = "network", .dim_count = 1, .dims = { 0 }, .link = { 8e-6, 10e9 } },
        { .name = "cores", .link_name = "cache", .dim_count = 1, .dims = { 8 }, .link = { 0.5e-6, 10e9 } },
    },
    .node_devices = 8,
    .node_level = WEFT_LINK_MACHINE,
    .links = { .at = { [WEFT_LINK_MACHINE] = { 0.5e-6, 10e9 }, [WEFT_LINK_NETWORK] = { 8e-6, 10e9 } },
               .reduce_bytes_per_s = 20e9, .copy_bytes_per_s = 12e9 },
    .costs = {
#define COST(field, name, quantity, value, most, use) .field = value,
#include "topology/costs.def"
    },
};

int64_t weft_level_count(const weft_machine_level *l) {
    int64_t n = 1;
    for (int d = 0; d < l->dim_count; d++) n *= l->dims[d] ? l->dims[d] : 1;
    return n;
}

int64_t weft_machine_part_devices(const weft_machine *m, int level) {
    int64_t n = 1;
    for (int i = level + 1; i < m->level_count; i++) n *= weft_level_count(&m->levels[i]);
    return n;
}

int64_t weft_machine_devices(const weft_machine *m) { return weft_machine_part_devices(m, -1); }

int weft_machine_message_level(const weft_machine *m) {
    for (int i = m->level_count; i-- > 0;)
        if (!strcmp(m->levels[i].name, "nodes")) return i;
    return -1;
}

void weft_machine_settle(weft_machine *m) {
    int messages = weft_machine_message_level(m);
    /* each byte is read and written */
    if (m->links.copy_bytes_per_s <= 0) m->links.copy_bytes_per_s = m->bytes_per_s / 2;
    /* operands are read, sums written */
    if (m->links.reduce_bytes_per_s <= 0) m->links.reduce_bytes_per_s = m->bytes_per_s / 2;
    m->node_devices = weft_machine_part_devices(m, messages);
    m->node_level = WEFT_LINK_MACHINE;
    m->links.at[WEFT_LINK_MACHINE] = m->levels[m->level_count - 1].link;
    m->links.at[WEFT_LINK_NETWORK] = m->levels[messages < 0 ? 0 : messages].link;
}

/* --- sizes from outside ------------------------------------------------------------------------------------------- */

static bool read_dims(weft_str s, int64_t *dims, int *count) {
    size_t i = 0;
    for (*count = 0; *count < WEFT_MACHINE_DIMS; i++) {
        int64_t n = 0;
        size_t from = i;
        for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
            if ((n = n * 10 + (s.p[i] - '0')) > WEFT_MACHINE_DEVICES) return false;
        if (i == from || n < 1) return false;
        dims[(*count)++] = n;
        if (i == s.n) return true;
        if (s.p[i] != 'x') return false;
    }
    return false;
}

static bool too_large(const weft_machine *m) {
    int64_t n = 1;
    for (int i = 0; i < m->level_count; i++)
        for (int d = 0; d < m->levels[i].dim_count; d++)
            if (!weft_mul_i64(n, m->levels[i].dims[d] ? m->levels[i].dims[d] : 1, &n) || n > WEFT_MACHINE_DEVICES)
                return true;
    return false;
}

/* "2x(16x16)": so many of the outermost level's parts, each of that size. */
static weft_status resize_parts(weft_context *cx, weft_machine *m, weft_str size) {
    const char *open = memchr(size.p, '(', size.n);
    const size_t at = (size_t)(open - size.p);
    int64_t dims[WEFT_MACHINE_DIMS];
    int count = 0;
    if (at < 2 || size.p[at - 1] != 'x' || size.p[size.n - 1] != ')' ||
        !read_dims((weft_str){ size.p, at - 1 }, dims, &count) || count != 1 || m->level_count < 2 ||
        m->levels[0].wiring != WEFT_WIRED_SWITCH || m->levels[1].wiring == WEFT_WIRED_SWITCH)
        return weft_report(cx, WEFT_D_usage, NULL,
                           "'%.*s' is not the size of this machine; write 64, 4x4x8 or, of slices, 2x(4x4x8)",
                           WEFT_STR_ARG(size));
    const double before = (double)weft_level_count(&m->levels[0]);
    m->levels[0].dims[0] = dims[0];
    if (m->levels[0].is_shared) m->levels[0].link.bytes_per_s *= before / (double)dims[0];
    return weft_machine_resize(cx, m, (weft_str){ open + 1, size.n - at - 2 });
}

weft_status weft_machine_resize(weft_context *cx, weft_machine *m, weft_str size) {
    if (size.n && memchr(size.p, '(', size.n)) return resize_parts(cx, m, size);
    int64_t dims[WEFT_MACHINE_DIMS];
    int count = 0;
    if (!read_dims(size, dims, &count))
        return weft_report(cx, WEFT_D_usage, NULL, "'%.*s' is not the size of a machine; write 64 or 4x4x8",
                           WEFT_STR_ARG(size));
    weft_machine_level *l = &m->levels[0];
    const bool inner = count > 1 || l->wiring != WEFT_WIRED_SWITCH || l->dims[0] == 1; /* of a torus within */
    for (int i = 0; i < m->level_count && inner; i++) {
        l = &m->levels[i];
        if (l->wiring != WEFT_WIRED_SWITCH) break;
    }
    if (l->dim_count != count)
        return weft_report(cx, WEFT_D_usage, NULL, "'%s' is described by %d size%s, not %d", l->name, l->dim_count,
                           l->dim_count == 1 ? "" : "s", count);
    double shares[WEFT_MACHINE_LEVELS];
    for (int i = 0; i < m->level_count; i++) shares[i] = (double)weft_machine_part_devices(m, i);
    memcpy(l->dims, dims, (size_t)count * sizeof *dims);
    if (too_large(m))
        return weft_report(cx, WEFT_D_usage, NULL,
                           "a machine has at most %lld devices; this one has more with size '%.*s'",
                           (long long)WEFT_MACHINE_DEVICES, WEFT_STR_ARG(size));
    for (int i = 0; i < m->level_count; i++)
        if (m->levels[i].is_shared)
            m->levels[i].link.bytes_per_s *= shares[i] / (double)weft_machine_part_devices(m, i);
    weft_machine_settle(m);
    return WEFT_OK;
}

weft_status weft_machine_hold(weft_context *cx, weft_machine *m, int64_t devices) {
    int64_t part = weft_machine_part_devices(m, 0);
    if (devices > WEFT_MACHINE_DEVICES)
        return weft_report(cx, WEFT_D_usage, NULL, "a machine has at most %lld devices, not %lld",
                           (long long)WEFT_MACHINE_DEVICES, (long long)devices);
    if (m->levels[0].dims[0] == 0) m->levels[0].dims[0] = (devices + part - 1) / part;
    if (too_large(m))
        return weft_report(cx, WEFT_D_usage, NULL,
                           "a machine has at most %lld devices; '%s' has more for a program of %lld",
                           (long long)WEFT_MACHINE_DEVICES, m->levels[0].name, (long long)devices);
    weft_machine_settle(m);
    if (devices <= weft_machine_devices(m)) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, NULL, "%lld devices are asked for; machine '%s' has %lld", (long long)devices,
                       m->name, (long long)weft_machine_devices(m));
}

/* --- reaches ------------------------------------------------------------------------------------------------------ */

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* A group's use of one dimension of a torus or grid. Its members are `stride` apart on `extent` places of a ring or row
 * of size d: interleaved groups share the links between them, so each gets 1 / stride of a link; in both directions if
 * the members close the ring, since data then goes both ways round. A ring of two is one link. */
typedef struct dim_reach { double links; int64_t hops; } dim_reach;

static dim_reach reach_in(const weft_machine_level *l, int dim, int64_t extent, int64_t stride) {
    int64_t d = l->dims[dim];
    bool rings = l->wiring == WEFT_WIRED_TORUS && (!l->rings || d % l->rings == 0);
    if (extent <= 1) return (dim_reach){ 0, 0 };
    if (extent == 2 && rings) stride = weft_min_i64(stride, d - stride); /* the short way round */
    bool closed = rings && d > 2 && extent * stride == d;
    return (dim_reach){ (closed ? 2.0 : 1.0) / (double)stride, closed ? extent * stride / 2 : (extent - 1) * stride };
}

/* Devices, listed or `stride` apart; only those among the `part` devices from `base` on count: the first
 * one's part. */
typedef struct members { const int32_t *v; int64_t stride, n, base, part; } members;

static inline int64_t device(const members *g, int64_t i) { return g->v ? g->v[i] : i * g->stride; }
static inline bool within(int64_t d, int64_t base, int64_t part) { return d >= base && d - base < part; }

static int64_t base_of(const members *g, int64_t part) { return device(g, 0) - device(g, 0) % part; }

/* The members' places along one dimension: from low to high, at multiples of step; 0: all in one place. */
typedef struct places { int64_t low, high, step; } places;

static void add_place(places *p, int64_t at) {
    if (p->step < 0) p->low = p->high = at, p->step = 0;
    else p->step = gcd(at > p->low ? at - p->low : p->low - at, p->step);
    p->low = weft_min_i64(p->low, at);
    p->high = weft_max_i64(p->high, at);
}

#define SEEN 64 /* places of a dimension that have a bit each */

/* The digits of a member's number within a level, the last dimension first. */
typedef struct digits {
    uint32_t below, size[WEFT_MACHINE_DIMS];
    int shift[WEFT_MACHINE_DIMS]; /* log2 of the size, -1: no power of two */
} digits;

static inline uint32_t take_digit(const digits *d, int dim, uint32_t *left) {
    const uint32_t n = *left;
    *left = d->shift[dim] < 0 ? n / d->size[dim] : n >> d->shift[dim];
    return n - *left * d->size[dim];
}

/* Fills at[dim] of all dimensions. Searches for a device order call it for each candidate, each group and each device;
 * so each is only marked if sizes allow it. */
static void find_places(const weft_machine *m, int level, const members *g, places *at) {
    const weft_machine_level *l = &m->levels[level];
    const int64_t below = weft_machine_part_devices(m, level), outer = base_of(g, below * weft_level_count(l));
    const int dims = l->dim_count;
    digits d = { .below = (uint32_t)below };
    uint64_t seen[WEFT_MACHINE_DIMS] = { 0 };
    bool marks = true;
    for (int dim = 0; dim < dims; dim++) {
        d.size[dim] = (uint32_t)l->dims[dim];
        d.shift[dim] = d.size[dim] & (d.size[dim] - 1) ? -1 : __builtin_ctz(d.size[dim]);
        marks = marks && d.size[dim] <= SEEN;
        at[dim] = (places){ 0, 0, -1 };
    }
    for (int64_t i = 0; i < g->n; i++) {
        if (!within(device(g, i), g->base, g->part)) continue;
        uint32_t left = (uint32_t)(device(g, i) - outer);
        if (d.below > 1) left /= d.below;
        if (marks)
            for (int dim = dims; dim-- > 0;) seen[dim] |= (uint64_t)1 << take_digit(&d, dim, &left);
        else
            for (int dim = dims; dim-- > 0;) add_place(&at[dim], take_digit(&d, dim, &left));
    }
    for (int dim = 0; dim < dims; dim++)
        for (uint64_t left = seen[dim]; left; left &= left - 1) add_place(&at[dim], __builtin_ctzll(left));
}

/* The members' share of the links of `level`. */
static weft_link link_of(const weft_machine *m, int level, const members *g) {
    const weft_machine_level *l = &m->levels[level];
    places at[WEFT_MACHINE_DIMS];
    double links = 0;
    int64_t hops = 0;
    if (l->wiring == WEFT_WIRED_SWITCH) return l->link;
    find_places(m, level, g, at);
    for (int dim = l->dim_count; dim-- > 0;) {
        const places *p = &at[dim];
        const dim_reach r = reach_in(l, dim, p->step ? (p->high - p->low) / p->step + 1 : 1, p->step ? p->step : 1);
        links += r.links;
        hops += r.hops;
    }
    return (weft_link){ l->link.latency_s * (double)(hops ? hops : 1), l->link.bytes_per_s * (links > 0 ? links : 1) };
}

/* The outermost level in which members differ. */
static int level_of(const weft_machine *m, const members *g) {
    for (int i = 0; i < m->level_count; i++) {
        const int64_t part = weft_machine_part_devices(m, i), base = base_of(g, part);
        for (int64_t k = g->v ? 1 : g->n - 1; k < g->n; k++) /* strides ascend: the last is the farthest */
            if (within(device(g, k), g->base, g->part) && !within(device(g, k), base, part)) return i;
    }
    return -1;
}

/* The number of members in the first one's part of `part` devices, which are *in. */
static int64_t count_in(const members *all, int64_t part, members *in) {
    int64_t n = 0;
    *in = *all;
    if (!all->v) return in->n = weft_min_i64(all->n, (part + all->stride - 1) / all->stride);
    in->part = part;
    in->base = base_of(all, part);
    for (int64_t i = 0; i < all->n; i++) n += within(device(in, i), in->base, in->part);
    return n;
}

static weft_reach span_of(const weft_machine *m, const members *all) {
    weft_reach s = { .level = level_of(m, all), .on_node = 1, .on_package = 1, .inside = 1, .inside_level = -1 };
    if (s.level < 0) return s;
    s.link = link_of(m, s.level, all);
    members near = *all;
    s.on_node = s.on_package = count_in(all, m->node_devices, &near);
    int between = s.on_node == all->n ? s.level : level_of(m, &near);
    if (between >= 0) s.node_link = between == s.level ? s.link : link_of(m, between, &near);
    if (between >= 0 && between + 1 < m->level_count)
        s.on_package = count_in(all, weft_machine_part_devices(m, between), &near);
    s.inside = count_in(all, weft_machine_part_devices(m, s.level), &near);
    s.inside_level = level_of(m, &near);
    if (s.inside_level >= 0) s.inside_link = link_of(m, s.inside_level, &near);
    return s;
}

weft_reach weft_machine_reach(const weft_machine *m, const int32_t *devices, int64_t n) {
    members g = { .v = devices, .n = n, .part = INT64_MAX };
    return span_of(m, &g);
}

weft_reach weft_machine_reach_strided(const weft_machine *m, int64_t n, int64_t stride) {
    members g = { .stride = stride, .n = n, .part = INT64_MAX };
    return span_of(m, &g);
}

/* --- as text ------------------------------------------------------------------------------------------------------ */

static void print_latency(weft_buf *b, const weft_link *l) {
    if (l->latency_s <= 0) return;
    weft_buf_putc(b, ' ');
    weft_time_print(b, l->latency_s);
}

void weft_link_print(weft_buf *b, const weft_link *l) {
    weft_scaled_print(b, l->bytes_per_s, "B/s");
    print_latency(b, l);
}

void weft_level_print(weft_buf *b, const weft_machine_level *l) {
    weft_buf_puts(b, l->name);
    for (int d = 0; d < l->dim_count; d++) {
        weft_buf_puts(b, d ? "x" : " ");
        if (l->dims[d]) weft_buf_i64(b, l->dims[d]);
        else weft_buf_putc(b, '*');
    }
    if (l->rings) weft_buf_printf(b, " rings %lld", (long long)l->rings);
}

void weft_reach_print(weft_buf *b, const weft_machine *m, const weft_reach *r) {
    if (r->level < 0) {
        weft_buf_puts(b, "no link");
        return;
    }
    const weft_machine_level *l = &m->levels[r->level];
    weft_buf_printf(b, "%s ", l->link_name[0] ? l->link_name : l->name);
    weft_link_print(b, &r->link);
}

/* The link as given in a text. */
static void print_given(weft_buf *b, const weft_machine *m, int level) {
    const weft_machine_level *l = &m->levels[level];
    double devices = l->is_shared ? (double)weft_machine_part_devices(m, level) : 1;
    weft_scaled_print(b, l->link.bytes_per_s * devices, "B/s");
    if (l->is_shared) weft_buf_puts(b, " shared");
    print_latency(b, &l->link);
    if (l->launch_s > 0) weft_buf_puts(b, " launch "), weft_time_print(b, l->launch_s);
    if (l->share > 0 && l->share < 1) weft_buf_printf(b, " share %.9g", l->share);
    if (l->ramp_bytes > 0) weft_buf_puts(b, " ramp "), weft_scaled_print(b, l->ramp_bytes, "B");
    if (l->reduces > 1) weft_buf_printf(b, " reduces %.9g", l->reduces);
}

static void print_quantity(weft_buf *b, weft_quantity q, double v) {
    if (q == WEFT_TIME) weft_time_print(b, v);
    else if (q == WEFT_NUMBER) weft_buf_printf(b, "%.9g", v);
    else weft_scaled_print(b, v, q == WEFT_RATE ? "B/s" : q == WEFT_FLOPS ? "flop/s" : "B");
}

double weft_cost_get(const weft_costs *costs, size_t i) {
    double v;
    memcpy(&v, (const char *)costs + weft_cost_fields[i].offset, sizeof v);
    return v;
}

void weft_cost_set(weft_costs *costs, size_t i, double v) {
    memcpy((char *)costs + weft_cost_fields[i].offset, &v, sizeof v);
}

void weft_cost_print(weft_buf *b, const weft_costs *costs, size_t i) {
    weft_buf_printf(b, "%s ", weft_cost_fields[i].name);
    print_quantity(b, weft_cost_fields[i].quantity, weft_cost_get(costs, i));
}

/* The next cost from number i on that differs from the usual one. */
static size_t next_other(const weft_costs *costs, const weft_costs *usual, size_t i) {
    for (; i < WEFT_COST_COUNT; i++) {
        const double a = weft_cost_get(costs, i), b = weft_cost_get(usual, i);
        if (a < b || a > b) break;
    }
    return i;
}

void weft_costs_print(weft_buf *b, const weft_costs *costs, const weft_costs *usual) {
    for (size_t i = 0; (i = next_other(costs, usual, i)) < WEFT_COST_COUNT; i++) {
        weft_cost_print(b, costs, i);
        weft_buf_putc(b, '\n');
    }
}

/* Those that are not the default machine's. */
static void print_costs(weft_buf *b, const weft_costs *costs) {
    const weft_costs *usual = &weft_machine_default.costs;
    bool any = false;
    for (size_t i = 0; (i = next_other(costs, usual, i)) < WEFT_COST_COUNT; i++) {
        weft_buf_puts(b, any ? " " : "costs { ");
        weft_cost_print(b, costs, i);
        any = true;
    }
    if (any) weft_buf_puts(b, " }\n");
}

void weft_machine_print(const weft_machine *m, weft_buf *out) {
    if (m->about[0]) weft_buf_printf(out, "about \"%s\"\n", m->about);
    if (m->rates == WEFT_RATES_GIVEN) {
        weft_buf_puts(out, "device ");
        weft_scaled_print(out, m->flops_per_s, "flop/s");
        weft_buf_puts(out, " bandwidth ");
        weft_scaled_print(out, m->bytes_per_s, "B/s");
        if (m->memory_bytes > 0) weft_buf_puts(out, " memory "), weft_scaled_print(out, m->memory_bytes, "B");
        weft_buf_puts(out, " reduce "), weft_scaled_print(out, m->links.reduce_bytes_per_s, "B/s");
        weft_buf_puts(out, " copy "), weft_scaled_print(out, m->links.copy_bytes_per_s, "B/s");
        if (m->mover == WEFT_MOVER_ENGINE) weft_buf_puts(out, " engine");
        if (m->compiler == WEFT_COMPILER_VENDOR) weft_buf_puts(out, " vendor");
        weft_buf_putc(out, '\n');
    }
    print_costs(out, &m->costs);
    for (int i = 0; i < m->level_count; i++) {
        weft_level_print(out, &m->levels[i]);
        weft_buf_puts(out, i + 1 < m->level_count ? " { " : "");
    }
    for (int i = m->level_count; i-- > 0;) {
        if (i + 1 < m->level_count) weft_buf_puts(out, " }");
        weft_buf_putc(out, ' ');
        if (m->levels[i].link_name[0]) weft_buf_printf(out, "%s ", m->levels[i].link_name);
        print_given(out, m, i);
    }
    weft_buf_putc(out, '\n');
}
