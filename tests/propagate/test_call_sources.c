/* Sources of an edge by their shardings, against a list of all sources. */
#include <stdlib.h>

#include "base/context.h"
#include "propagate/call_sources.h"
#include "tests/support/suite.h"

#define MOST 300
#define KINDS 40

typedef struct edge {
    uint32_t n, slots[MOST];
    const weft_sharding *of[MOST];  /* by slot; the slots are those of the sources, some of several */
    weft_sharding kinds[KINDS];     /* told apart by address and id alone */
    weft_call_sources *c;
} edge;

static const struct {
    uint32_t n, slots, kinds;
} sizes[] = { { 1, 1, 1 }, { 2, 1, 3 }, { 33, 33, 2 }, { 100, 60, 5 }, { MOST, MOST, KINDS }, { MOST, 20, KINDS } };

/* The different shardings in the order of the first sources that have them. */
static uint32_t few_naive(const edge *e, const weft_sharding **few) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t k = 0;
        while (k < count && few[k] != e->of[e->slots[i]]) k++;
        if (k == count) few[count++] = e->of[e->slots[i]];
    }
    return count;
}

static void ck_same(edge *e, const weft_sharding *to, uint32_t which) {
    const weft_sharding *want[MOST], *after[MOST], *const *few;
    const weft_source_change *becoming;
    uint32_t count, n, at = 0, want_count = few_naive(e, want);
    ck_assert_int_eq(weft_call_sources_now(e->c, &few, &count), WEFT_OK);
    ck_assert_uint_eq(count, want_count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_ptr_eq(few[i], want[i]);
        after[i] = i % 3 == which % 3 ? to : few[i];
    }
    ck_assert_int_eq(weft_call_sources_becoming(e->c, after, &becoming, &n), WEFT_OK);
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t k = 0;
        while (few[k] != e->of[e->slots[i]]) k++;
        if (after[k] == few[k]) continue;
        ck_assert_uint_lt(at, n);
        ck_assert_uint_eq(becoming[at].source, i);
        ck_assert_uint_eq(becoming[at++].which, k);
    }
    ck_assert_uint_eq(at, n);
}

/* Gives a slot another sharding, or none, and says so for each source that it is. */
static void change(edge *e, uint32_t slot, const weft_sharding *to) {
    e->of[slot] = to;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->slots[i] == slot) weft_call_sources_changed(e->c, i);
    weft_call_sources_changed(e->c, e->n); /* the edge's own result */
}

START_TEST(is_as_looking_at_each) {
    weft_context *cx = weft_context_new(NULL);
    edge *e = calloc(1, sizeof *e);
    uint64_t seed = 88172645463325252u + (uint64_t)_i;
    e->n = sizes[_i].n;
    for (uint32_t k = 0; k < KINDS; k++) e->kinds[k].id = k;
    for (uint32_t i = 0; i < e->n; i++) e->slots[i] = (i * 7) % sizes[_i].slots;
    e->c = weft_call_sources_open(&cx->arena, e->slots, e->n, e->of);
    ck_assert_ptr_nonnull(e->c);
    ck_same(e, &e->kinds[0], 0);
    for (uint32_t round = 0; round < 500; round++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17; /* xorshift: Marsaglia, JSS 2003 */
        uint32_t kind = (uint32_t)(seed >> 20) % (sizes[_i].kinds + 1), slot = (uint32_t)(seed >> 40) % sizes[_i].slots;
        const weft_sharding *to = kind == sizes[_i].kinds ? NULL : &e->kinds[kind];
        change(e, slot, to);
        if (round % 50 == 49) /* now all of them, so that classes come to their end */
            for (uint32_t s = 0; s < sizes[_i].slots; s++) change(e, s, to);
        if (round % 3 == 0) ck_same(e, &e->kinds[round % KINDS], round);
    }
    free(e);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("propagate/call_sources");
    TCase *tc = tcase_create("classes");
    tcase_add_loop_test(tc, is_as_looking_at_each, 0, WEFT_COUNT(sizes));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
