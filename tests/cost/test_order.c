/* test_order.c: device orders as text and numbers, their cost, and the search against the best of all orders of
 * small meshes. */
#include "base/context.h"
#include "cost/order.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

static weft_context *cx;
static void begin(void) { cx = weft_context_new(NULL); }
static void end(void) { weft_context_free(cx); }

static const weft_order_axis axes[] = { { { "data", 4 }, 4 }, { { "model", 5 }, 2 }, { { "x", 1 }, 3 } };
static const weft_order_mesh mesh = { axes, 3 };

/* --- text and numbers --------------------------------------------------------------------------------------------- */

static const struct { const char *text, *printed; int device_of_1, device_of_6; } good[] = {
    { "", "data,model,x", 1, 6 },                     /* place 1: x 1; place 6: data 1 */
    { "data,model,x", "data,model,x", 1, 6 },
    { "x,data,model", "x,data,model", 8, 2 },
    { "model", "data,x,model", 2, 6 },                /* the others are slower, in their order */
    { "\"data\":(1)2,model,x,\"data\":(2)2", "\"data\":(1)2,model,x,\"data\":(2)2", 2, 1 },
    { "\"data\":(2)2,model,x,\"data\":(1)2", "\"data\":(2)2,model,x,\"data\":(1)2", 2, 12 },
    { "data:(1)4,x", "model,data,x", 1, 3 },
};

START_TEST(test_text) {
    weft_order o;
    weft_buf b;
    int32_t device_of[24], seen[24] = { 0 };
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_order_read(cx, &mesh, good[_i].text, &o), WEFT_OK);
    weft_order_print(&b, &mesh, &o);
    ck_assert_str_eq(b.p, good[_i].printed);
    weft_order_devices(&mesh, &o, device_of);
    for (int i = 0; i < 24; i++) {
        ck_assert_int_ge(device_of[i], 0);
        ck_assert_int_lt(device_of[i], 24);
        seen[device_of[i]]++;
    }
    for (int i = 0; i < 24; i++) ck_assert_int_eq(seen[i], 1);
    ck_assert_int_eq(device_of[1], good[_i].device_of_1);
    ck_assert_int_eq(device_of[6], good[_i].device_of_6);
    weft_buf_free(&b);
}
END_TEST

/* Names that would end too early without quotes. */
static const weft_order_axis odd[] = { { WEFT_STR("da:ta"), 4 }, { WEFT_STR("a,b"), 2 }, { WEFT_STR("\"q\",x"), 3 },
                                       { WEFT_STR(""), 2 }, { WEFT_STR("x\"y"), 2 } };
static const weft_order_mesh odd_mesh = { odd, 5 };

static const struct { const char *text, *printed; } quoted[] = {
    { "", "\"da:ta\",\"a,b\",\"\"q\",x\",\"\",x\"y" },
    { "x\"y,\"\",\"\"q\",x\",\"a,b\",\"da:ta\"", "x\"y,\"\",\"\"q\",x\",\"a,b\",\"da:ta\"" },
    { "\"da:ta\":(1)2,\"a,b\",\"x\"y\",\"da:ta\":(2)2", "\"\"q\",x\",\"\",\"da:ta\":(1)2,\"a,b\",x\"y,\"da:ta\":(2)2" },
};

/* What is printed reads to the same. */
START_TEST(test_quoted) {
    weft_order o, again;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_order_read(cx, &odd_mesh, quoted[_i].text, &o), WEFT_OK);
    weft_order_print(&b, &odd_mesh, &o);
    ck_assert_str_eq(b.p, quoted[_i].printed);
    ck_assert_int_eq(weft_order_read(cx, &odd_mesh, b.p, &again), WEFT_OK);
    ck_assert_uint_eq(o.n, again.n);
    for (uint32_t i = 0; i < o.n; i++) {
        const weft_order_piece *p = &o.pieces[i], *q = &again.pieces[i];
        ck_assert(p->axis == q->axis && p->pre == q->pre && p->size == q->size);
    }
    weft_buf_free(&b);
}
END_TEST

static const char *const bad[] = {
    "rows",
    "data,data",
    "data,,model",
    ",",
    "data:",
    "data:(1)",
    "data:(1)2",
    "\"data\":(1)2,\"data\":(1)2",
    "data:(0)4",
    "data:(1)3,data:(3)1",
    "\"data",
    "data model",
    "data:(1)2,data:(2)2,data:(1)1",
    "data:(1)8",
    "data:(99999999999999999999)2",
    "\"data\"x",
    "data:(2)2,x",
};

START_TEST(test_bad_text) {
    weft_order o;
    ck_assert_int_eq(weft_order_read(cx, &mesh, bad[_i], &o), WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
}
END_TEST

/* --- costs and the search ----------------------------------------------------------------------------------------- */

/* The groups of one axis of a mesh. */
static weft_pattern along(const weft_order_mesh *m, uint32_t axis, int32_t *members) {
    int64_t places = weft_order_places(m), stride = 1, n = 0, size = m->axes[axis].size;
    for (uint32_t a = axis + 1; a < m->axis_count; a++) stride *= m->axes[a].size;
    for (int64_t p = 0; p < places; p++)
        for (int64_t i = 0; p / stride % size == 0 && i < size; i++) members[n++] = (int32_t)(p + i * stride);
    return (weft_pattern){ members, size, places / size };
}

static weft_machine machine_of(const char *text) {
    weft_machine m;
    ck_assert_int_eq(weft_machine_read(cx, weft_str_from(text), "m", &m), WEFT_OK);
    return m;
}

/* Heavy traffic goes into the nodes, whichever axis has it. */
START_TEST(test_heavy_axis) {
    const weft_order_axis two[] = { { WEFT_STR("a"), 8 }, { WEFT_STR("b"), 8 } };
    const weft_order_mesh m = { two, 2 };
    int32_t members[2][64];
    weft_pattern patterns[] = { along(&m, 0, members[0]), along(&m, 1, members[1]) };
    weft_load loads[] = { { WEFT_PLAN_ALL_REDUCE, 0, 8, 1 << 20, _i == 0 ? 100 : 1 },
                          { WEFT_PLAN_ALL_REDUCE, 1, 8, 1 << 20, _i == 0 ? 1 : 100 } };
    weft_machine machine = machine_of("nodes 8 { gpu 8 450GB/s 2us } 50GB/s 5us");
    weft_loads l = { patterns, 2, loads, 2 };
    weft_order_found found;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_order_search(cx, &machine, &m, &l, &found), WEFT_OK);
    weft_order_print(&b, &m, &found.order);
    ck_assert_str_eq(b.p, _i == 0 ? "b,a" : "a,b");
    if (_i == 0) ck_assert_double_lt(found.time_s, found.contiguous_s / 2);
    else ck_assert_double_eq(found.time_s, found.contiguous_s);
    weft_buf_free(&b);
}
END_TEST

/* An axis of 16 over nodes of four with a partner of four: the only traffic is that of the 16, whose quarter fits into
 * a node in any order; a permutation of neighbours wants the fast half of it there. */
START_TEST(test_split) {
    const weft_order_axis two[] = { { WEFT_STR("ring"), 4 }, { WEFT_STR("b"), 4 } };
    const weft_order_mesh m = { two, 2 };
    int32_t pairs[16], halves[16];
    /* The slow half of the ring exchanges much, b as much: half of each fits into a node of four. */
    for (int i = 0, n = 0; i < 8; i++, n += 2) {
        int place = i / 4 * 8 + i % 4;
        halves[n] = place, halves[n + 1] = place + 4; /* ring places 0-1 and 2-3 */
        pairs[n] = i * 2, pairs[n + 1] = i * 2 + 1;   /* b places 0-1 and 2-3 */
    }
    weft_pattern patterns[] = { { pairs, 2, 8 }, { halves, 2, 8 } };
    weft_load loads[] = { { WEFT_PLAN_ALL_REDUCE, 0, 2, 1 << 20, 10 }, { WEFT_PLAN_ALL_REDUCE, 1, 2, 1 << 20, 10 } };
    weft_machine machine = machine_of("nodes 4 { gpu 4 450GB/s 2us } 5GB/s 5us");
    weft_loads l = { patterns, 2, loads, 2 };
    weft_order_found found;
    weft_reach reaches[2];
    int32_t device_of[16];
    ck_assert_int_eq(weft_order_search(cx, &machine, &m, &l, &found), WEFT_OK);
    weft_order_devices(&m, &found.order, device_of);
    ck_assert_int_eq(weft_load_reaches(cx, &machine, &l, device_of, reaches), WEFT_OK);
    ck_assert_int_eq(reaches[0].level, 1); /* both stay in their nodes, which no order of whole axes does */
    ck_assert_int_eq(reaches[1].level, 1);
    ck_assert_double_lt(found.time_s, found.contiguous_s);
}
END_TEST

static double best_of_all(const weft_machine *machine, const weft_order_mesh *m, const weft_loads *l, weft_order *o,
                          uint32_t at, double best) {
    int32_t device_of[64];
    double t;
    if (at == o->n) {
        weft_order_devices(m, o, device_of);
        ck_assert_int_eq(weft_order_time(cx, machine, l, device_of, &t), WEFT_OK);
        return t < best ? t : best;
    }
    for (uint32_t i = at; i < o->n; i++) {
        weft_order next = *o;
        next.pieces[at] = o->pieces[i];
        next.pieces[i] = o->pieces[at];
        best = best_of_all(machine, m, l, &next, at + 1, best);
    }
    return best;
}

/* The search is never worse than contiguous or any order of whole axes, says what its order costs, and finds it again.
 */
START_TEST(test_search_random) {
    static const char *const machines[] = { "nodes 4 { gpu 4 100GB/s 1us } 10GB/s 5us",
                                            "nodes 2 { sockets 2 { cores 4 9GB/s 1us } 5GB/s 2us } 1GB/s 9us",
                                            "torus 4x4 10GB/s 1us", "grid 2x8 10GB/s 1us" };
    uint64_t seed = weft_test_seed(77);
    weft_rng r = { seed };
    for (int round = 0; round < 60; round++) {
        static const int64_t shapes[][3] = { { 2, 2, 4 }, { 4, 2, 2 },  { 4, 4, 1 },
                                             { 1, 2, 8 }, { 16, 1, 1 }, { 2, 8, 1 } };
        const int64_t *shape = shapes[weft_rng_below(&r, WEFT_COUNT(shapes))];
        const weft_order_axis three[] = { { WEFT_STR("a"), shape[0] }, { WEFT_STR("b"), shape[1] },
                                          { WEFT_STR("c"), shape[2] } };
        const weft_order_mesh m = { three, 3 };
        int32_t members[3][16];
        weft_pattern patterns[3];
        weft_load loads[3];
        for (uint32_t a = 0; a < 3; a++) {
            patterns[a] = along(&m, a, members[a]);
            loads[a] = (weft_load){ (weft_coll_kind)weft_rng_below(&r, WEFT_PLAN_COLLECTIVE_PERMUTE + 1), a, shape[a],
                                    1 << weft_rng_range(&r, 4, 24), (double)weft_rng_below(&r, 9) };
        }
        weft_machine machine = machine_of(machines[weft_rng_below(&r, WEFT_COUNT(machines))]);
        weft_loads l = { patterns, 3, loads, 3 };
        weft_order_found found, again;
        int32_t device_of[16];
        double t;
        ck_assert_int_eq(weft_order_search(cx, &machine, &m, &l, &found), WEFT_OK);
        ck_assert_int_eq(weft_order_search(cx, &machine, &m, &l, &again), WEFT_OK);
        ASSERT_EACH(found.time_s == again.time_s && !memcmp(&found.order, &again.order, sizeof found.order), "seed %llu, round %d: not twice the same", (unsigned long long)seed, round);
        weft_order_devices(&m, &found.order, device_of);
        ck_assert_int_eq(weft_order_time(cx, &machine, &l, device_of, &t), WEFT_OK);
        ck_assert_double_eq_tol(t, found.time_s, 1e-12);
        weft_order o = weft_order_contiguous(&m);
        double best = best_of_all(&machine, &m, &l, &o, 0, 1e300);
        ASSERT_EACH(found.time_s <= best * 1.002 + 1e-15, "seed %llu, round %d: %g found, %g there", (unsigned long long)seed, round, found.time_s, best);
        ASSERT_EACH(found.time_s <= found.contiguous_s, "seed %llu, round %d: worse than contiguous", (unsigned long long)seed, round);
    }
}
END_TEST

/* Parts of axes too: against every order of the smallest parts, on meshes that have few. */
START_TEST(test_search_parts) {
    static const char *const machines[] = { "nodes 4 { gpu 4 100GB/s 1us } 10GB/s 5us",
                                            "nodes 2 { sockets 2 { cores 4 9GB/s 1us } 5GB/s 2us } 1GB/s 9us",
                                            "nodes 8 { gpu 2 50GB/s } 10GB/s shared 5us", "torus 4x4 10GB/s 1us",
                                            "grid 2x8 10GB/s 1us", "torus 2x2x4 10GB/s",
                                            "nodes 4 { torus 2x2 100GB/s 1us } 10GB/s 5us" };
    static const int64_t shapes[][2] = { { 4, 4 }, { 8, 2 }, { 2, 8 }, { 16, 1 } };
    uint64_t seed = weft_test_seed(78);
    weft_rng r = { seed };
    for (int round = 0; round < 200; round++) {
        const int64_t *shape = shapes[weft_rng_below(&r, WEFT_COUNT(shapes))];
        const weft_order_axis two[] = { { WEFT_STR("a"), shape[0] }, { WEFT_STR("b"), shape[1] } };
        const weft_order_mesh m = { two, 2 };
        int32_t members[3][16];
        weft_pattern patterns[3] = { along(&m, 0, members[0]), along(&m, 1, members[1]) };
        weft_load loads[3];
        /* And over a part of the first axis: its slower half. */
        const int64_t half = shape[0] / 2;
        for (int64_t i = 0, n = 0; i < half * shape[1]; i++)
            members[2][n++] = (int32_t)i, members[2][n++] = (int32_t)(i + half * shape[1]);
        patterns[2] = (weft_pattern){ members[2], 2, 8 };
        for (uint32_t a = 0; a < 3; a++)
            loads[a] = (weft_load){ (weft_coll_kind)weft_rng_below(&r, WEFT_PLAN_COLLECTIVE_PERMUTE + 1), a,
                                    patterns[a].size, 1 << weft_rng_range(&r, 4, 24), (double)weft_rng_below(&r, 9) };
        weft_machine machine = machine_of(machines[weft_rng_below(&r, WEFT_COUNT(machines))]);
        weft_loads l = { patterns, 3, loads, 3 };
        weft_order_found found;
        weft_order o = { .n = 0 };
        for (uint32_t a = 0; a < 2; a++)
            for (int64_t pre = 1; pre < shape[a]; pre *= 2) o.pieces[o.n++] = (weft_order_piece){ a, pre, 2 };
        ck_assert_int_eq(weft_order_search(cx, &machine, &m, &l, &found), WEFT_OK);
        double best = best_of_all(&machine, &m, &l, &o, 0, 1e300);
        ASSERT_EACH(found.time_s <= best * 1.002 + 1e-15, "seed %llu, round %d: %g found, %g there", (unsigned long long)seed, round, found.time_s, best);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/order");
    TCase *tc = tcase_create("order");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_text, 0, (int)WEFT_COUNT(good));
    tcase_add_loop_test(tc, test_quoted, 0, (int)WEFT_COUNT(quoted));
    tcase_add_loop_test(tc, test_bad_text, 0, (int)WEFT_COUNT(bad));
    tcase_add_loop_test(tc, test_heavy_axis, 0, 2);
    tcase_add_test(tc, test_split);
    tcase_add_test(tc, test_search_random);
    tcase_add_test(tc, test_search_parts);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
