/* Order, lifetimes and buffers of random blocks: every unit runs once and after its inputs; no two values share
 * memory at one time, unless storage lets one take over from the other; and the arena is no larger than its buffers
 * need. Blocks consist of storage only: the units' arithmetic does not matter here. */
#include "codegen/buffers.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { ARGS = 4, UNITS = 40, MOST_READS = 4, MOST_WRITES = 2, MOST_RESULTS = 4 };
enum { MOST_NODES = ARGS + UNITS * MOST_WRITES };

typedef struct block {
    weft_test_alloc alloc;
    weft_context *cx;
    cg_graph g;
    cg_block b;
    cg_node node[MOST_NODES], *nodes[MOST_NODES], *results[MOST_RESULTS];
    cg_unit unit[UNITS];
    cg_node *reads[UNITS][MOST_READS], *writes[UNITS][MOST_WRITES];
    uint32_t after[UNITS];
    cg_units units;
    cg_share share[UNITS * MOST_READS * MOST_WRITES];
    uint32_t first_share[UNITS + 1];
    cg_chain chain[MOST_RESULTS];
    int32_t donor[MOST_RESULTS];
    int64_t scratch[UNITS];
    cg_storage storage;
} block;

static cg_node *add_node(block *x, weft_rng *r, cg_class cls) {
    static const int64_t sizes[] = { 1, 16, 17, 100, 4096 };
    cg_node *n = &x->node[x->g.count];
    *n = (cg_node){ .id = (uint32_t)x->g.count, .cls = (uint16_t)cls, .dtype = WEFT_F32, .block = &x->b };
    n->elems = sizes[weft_rng_below(r, sizeof sizes / sizeof *sizes)];
    x->nodes[x->g.count++] = n;
    return n;
}

/* Reads some of what there is, the newest most often, each once. */
static void add_unit(block *x, weft_rng *r, uint32_t i) {
    cg_unit *u = &x->unit[i];
    *u = (cg_unit){ .kind = CG_UNIT_KERNEL, .reads = x->reads[i], .writes = x->writes[i], .order = i };
    const uint32_t known = (uint32_t)x->g.count;
    for (uint32_t k = weft_rng_below(r, MOST_READS + 1); k > 0; k--) {
        cg_node *n = x->nodes[known - 1 - weft_rng_below(r, weft_rng_below(r, 4) && known > 6 ? 6 : known)];
        if (!cg_unit_reads(u, n)) u->reads[u->read_count++] = n;
    }
    for (uint32_t k = 1 + weft_rng_below(r, MOST_WRITES); k > 0; k--)
        u->writes[u->write_count++] = add_node(x, r, CG_DOT);
    if (i && weft_rng_below(r, 8) == 0) {
        x->after[i] = weft_rng_below(r, i);
        u->after = &x->after[i];
        u->after_count = 1;
    }
    x->scratch[i] = weft_rng_below(r, 4) ? 0 : 1 + weft_rng_below(r, 300);
}

static void add_shares(block *x, weft_rng *r, uint32_t i) {
    const cg_unit *u = &x->unit[i];
    x->first_share[i + 1] = x->first_share[i];
    for (uint32_t k = 0; k < u->read_count; k++)
        for (uint32_t w = 0; w < u->write_count; w++)
            if (u->reads[k]->elems == u->writes[w]->elems && weft_rng_below(r, 3))
                x->share[x->first_share[i + 1]++] = (cg_share){ k, w, CG_MAY_SHARE };
}

static bool is_result(const cg_block *b, const cg_node *n) {
    for (uint32_t r = 0; r < b->result_count; r++)
        if (cg_base(b->results[r]) == n) return true;
    return false;
}

static void add_results(block *x, weft_rng *r, cg_results kind) {
    const uint32_t n = 1 + weft_rng_below(r, MOST_RESULTS);
    for (uint32_t k = 0; k < n; k++) {
        cg_node *v = x->nodes[ARGS + weft_rng_below(r, (uint32_t)x->g.count - ARGS)];
        if (is_result(&x->b, v)) continue;
        const uint32_t at = x->b.result_count++;
        x->results[at] = v;
        x->chain[at] = (cg_chain){ .begins = v };
        x->donor[at] = kind == CG_RESULTS_GIVEN && weft_rng_below(r, 2) ? (int32_t)at : -1;
        if (x->donor[at] >= 0 && weft_rng_below(r, 2)) x->nodes[at]->elems = v->elems; /* else it mostly does not fit */
    }
}

static void make(block *x, weft_rng *r) {
    memset(x, 0, sizeof *x);
    weft_test_alloc_init(&x->alloc, -1);
    ck_assert_ptr_nonnull(x->cx = weft_context_new(&x->alloc.alloc));
    cg_graph_init(&x->g, x->cx);
    x->g.nodes = x->nodes;
    x->b = (cg_block){ .args = x->nodes, .arg_count = ARGS, .results = x->results };
    const cg_results kind = weft_rng_below(r, 3) ? CG_RESULTS_GIVEN : CG_RESULTS_TEMPORARY;
    for (uint32_t i = 0; i < ARGS; i++) add_node(x, r, CG_ARGUMENT)->aux = i;
    x->units = (cg_units){ x->unit, 1 + weft_rng_below(r, UNITS) };
    for (uint32_t i = 0; i < x->units.count; i++) add_unit(x, r, i);
    add_results(x, r, kind);
    x->storage = (cg_storage){ .block = &x->b, .units = &x->units, .results = kind, .donor = x->donor,
                               .share = x->share, .first_share = x->first_share, .chain = x->chain };
    for (uint32_t i = 0; i < x->units.count; i++) add_shares(x, r, i);
}

static void drop(block *x) {
    cg_graph_free(&x->g);
    weft_context_free(x->cx);
    ck_assert_int_eq(x->alloc.live_blocks, 0);
}

/* --- what must hold ----------------------------------------------------------------------------------------------- */

static bool known_at(const block *x, const cg_order *o, uint32_t at, const cg_node *n) {
    if (n->cls == CG_ARGUMENT) return true;
    for (uint32_t i = 0; i < at; i++)
        if (o->v[i].phase != CG_PHASE_START && cg_unit_writes(&x->unit[o->v[i].unit], n)) return true;
    return false;
}

static void check_order(const block *x, const cg_order *o, unsigned long long seed) {
    uint32_t times[UNITS] = { 0 };
    for (uint32_t i = 0; i < o->count; i++) {
        const cg_position *p = &o->v[i];
        const cg_unit *u = &x->unit[p->unit];
        times[p->unit] += p->phase != CG_PHASE_DONE;
        for (uint32_t k = 0; k < u->read_count; k++)
            ASSERT_EACH(known_at(x, o, i, u->reads[k]), "WEFT_SEED=%llu: unit %u at %u reads what is not there", seed,
                        p->unit, i);
        for (uint32_t k = 0; k < u->after_count; k++)
            ASSERT_EACH(times[u->after[k]], "WEFT_SEED=%llu: unit %u does not wait", seed, p->unit);
    }
    for (uint32_t i = 0; i < x->units.count; i++)
        ASSERT_EACH(times[i] == 1, "WEFT_SEED=%llu: unit %u runs %u times", seed, i, times[i]);
}

/* A value in memory, and the positions at which it is there; found here by looking at every position. */
typedef struct value { const cg_node *n; uint32_t from, to, writer; weft_slice at; } value;

static void find_life(const block *x, const cg_order *o, value *v) {
    for (uint32_t i = 0; i < o->count; i++) {
        const cg_unit *u = &x->unit[o->v[i].unit];
        const bool done = o->v[i].phase == CG_PHASE_DONE, writes = cg_unit_writes(u, v->n);
        if (writes && !done) v->from = v->to = v->writer = i;
        if (cg_unit_reads(u, v->n) || (writes && done)) v->to = i;
    }
    if (is_result(&x->b, v->n)) v->to = o->count;
}

static uint32_t list_values(const block *x, const cg_lifetimes *l, const cg_memory *m, value *v) {
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < x->units.count; i++) {
        for (uint32_t w = 0; w < x->unit[i].write_count; w++, at++) {
            v[n] = (value){ .n = x->unit[i].writes[w], .at = m->value[at] };
            find_life(x, l->order, &v[n++]);
        }
        if (!x->scratch[i]) continue;
        v[n] = (value){ .at = m->scratch[i] };
        for (uint32_t p = 0; p < l->order->count; p++)
            if (l->order->v[p].unit == i && l->order->v[p].phase != CG_PHASE_DONE) v[n].from = v[n].to = p;
        v[n++].writer = CG_NONE;
    }
    for (uint32_t r = 0; r < x->b.result_count; r++) { /* what the caller has put into a result's memory */
        if (l->alias[r] < 0) continue;
        v[n] = (value){ .n = x->nodes[l->alias[r]], .writer = CG_NONE };
        v[n].at = (weft_slice){ WEFT_SPACE_RESULT, r, 0, cg_bytes(v[n].n) };
        find_life(x, l->order, &v[n]);
        bool read = false;
        for (uint32_t i = 0; i < x->units.count; i++) read = read || cg_unit_reads(&x->unit[i], v[n].n);
        n += read;
    }
    return n;
}

static bool same_memory(const weft_slice *a, const weft_slice *b) {
    return a->space == b->space && a->index == b->index && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

/* b is written at the position that reads a last, and may lie where that lies. */
static bool takes_over(const block *x, const cg_order *o, const value *a, const value *b) {
    if (!a->n || !b->n || b->writer != a->to || b->writer == CG_NONE || a->at.offset != b->at.offset) return false;
    const uint32_t unit = o->v[b->writer].unit;
    return o->v[b->writer].phase != CG_PHASE_DONE && cg_may_share(&x->storage, unit, a->n, b->n);
}

/* The same where the operand of a start is held to its end: its memory is the result's by then. */
static bool is_held_for(const block *x, const cg_order *o, const value *a, const value *b) {
    if (!a->n || !b->n || b->writer == CG_NONE || o->v[b->writer].phase != CG_PHASE_START) return false;
    return a->to == o->v[b->writer].other && cg_may_share(&x->storage, o->v[b->writer].unit, a->n, b->n);
}

static void check_memory(const block *x, const cg_lifetimes *l, const cg_memory *m, unsigned long long seed) {
    static value v[MOST_NODES + UNITS + MOST_RESULTS];
    const uint32_t n = list_values(x, l, m, v);
    int64_t end = 0, live[2 * UNITS + 1] = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].at.space == WEFT_SPACE_TEMP) end = weft_max_i64(end, v[i].at.offset + cg_align(v[i].at.bytes));
        for (uint32_t k = 0; k < n; k++) {
            if (i == k || v[i].from > v[k].to || v[k].from > v[i].to || !same_memory(&v[i].at, &v[k].at)) continue;
            const cg_order *o = l->order;
            ASSERT_EACH(takes_over(x, o, &v[i], &v[k]) || takes_over(x, o, &v[k], &v[i]) ||
                            is_held_for(x, o, &v[i], &v[k]) || is_held_for(x, o, &v[k], &v[i]),
                        "WEFT_SEED=%llu: two values of positions %u to %u and %u to %u in one memory", seed, v[i].from,
                        v[i].to, v[k].from, v[k].to);
        }
    }
    ASSERT_EACH(m->temp_bytes == end, "WEFT_SEED=%llu: %lld bytes of temporaries end at %lld", seed,
                (long long)m->temp_bytes, (long long)end);
    /* whatever is in the arena at one position is there beside the rest */
    for (uint32_t k = 0; k < l->range_count; k++) {
        const cg_range *g = &l->range[k];
        for (uint32_t p = g->from; g->home == CG_ARENA && p <= g->to && p < l->order->count; p++)
            live[p] += cg_align(g->bytes);
    }
    int64_t peak = 0;
    for (uint32_t p = 0; p < l->order->count; p++) peak = weft_max_i64(peak, live[p]);
    ASSERT_EACH(peak == l->peak_bytes, "WEFT_SEED=%llu: a peak of %lld bytes, not %lld", seed, (long long)peak,
                (long long)l->peak_bytes);
    ASSERT_EACH(peak <= m->temp_bytes || x->storage.results == CG_RESULTS_GIVEN,
                "WEFT_SEED=%llu: %lld bytes live at one position, of %lld", seed, (long long)peak,
                (long long)m->temp_bytes);
}

/* The order with some units begun where they ran and ended later, before anything reads their results. */
static void split(const block *x, weft_rng *r, const cg_order *in, cg_order *out) {
    uint32_t start[UNITS], end[UNITS];
    for (uint32_t i = 0; i < in->count; i++) {
        const cg_unit *u = &x->unit[in->v[i].unit];
        end[i] = CG_NONE;
        if (weft_rng_below(r, 3)) continue;
        for (end[i] = i + 1; end[i] < in->count; end[i]++) {
            const cg_unit *next = &x->unit[in->v[end[i]].unit];
            bool stop = weft_rng_below(r, 6) == 0;
            for (uint32_t w = 0; w < u->write_count; w++) stop = stop || cg_unit_reads(next, u->writes[w]);
            for (uint32_t k = 0; k < next->after_count; k++) stop = stop || next->after[k] == in->v[i].unit;
            if (stop) break;
        }
    }
    for (uint32_t i = 0; i <= in->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (end[k] != i) continue;
            out->v[start[k]].other = out->count;
            out->v[out->count++] = (cg_position){ in->v[k].unit, CG_PHASE_DONE, start[k] };
        }
        if (i == in->count) break;
        start[i] = out->count;
        out->v[out->count++] =
            (cg_position){ in->v[i].unit, end[i] == CG_NONE ? CG_PHASE_WHOLE : CG_PHASE_START, CG_NONE };
    }
}

static void check_all(block *x, const cg_order *o, unsigned long long seed) {
    weft_arena arena;
    cg_lifetimes l;
    cg_memory m;
    weft_arena_init(&arena, &x->cx->alloc);
    check_order(x, o, seed);
    ck_assert_int_eq(cg_lifetimes_of(&x->g, &x->storage, o, x->scratch, &arena, &l), WEFT_OK);
    ck_assert_int_eq(cg_assign(&x->g, &l, &m), WEFT_OK);
    check_memory(x, &l, &m, seed);
    weft_arena_free(&arena);
}

START_TEST(test_blocks) {
    static block x;
    for (int k = 0; k < 50; k++) {
        const uint64_t seed = weft_test_seed(0x0de6 + (uint64_t)(50 * _i + k));
        weft_rng r = { seed };
        cg_order o, split_order = { 0 };
        cg_position v[2 * UNITS];
        make(&x, &r);
        ck_assert_int_eq(cg_schedule(&x.g, &x.storage, &o), WEFT_OK);
        check_all(&x, &o, seed);
        split_order.v = v;
        split(&x, &r, &o, &split_order);
        check_all(&x, &split_order, seed);
        drop(&x);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/order");
    TCase *tc = tcase_create("blocks");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_blocks, 0, weft_test_long(40));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
