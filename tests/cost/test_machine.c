/* test_machine.c: the time of collectives on machines of every kind, by stride and by a group's share of links. */
#include "base/context.h"
#include "cost/algorithm_id.h"
#include "cost/machine.h"
#include "tests/support/suite.h"

static weft_context *cx;
static void begin(void) { cx = weft_context_new(NULL); }
static void end(void) { weft_context_free(cx); }

static double whole(weft_coll_time t) { return t.beside_s + t.own_s; }

static const char *const texts[] = {
    "nodes 64 { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us",
    "racks 4 { nodes 8 { sockets 2 { cores 4 10GB/s 300ns } 5GB/s 800ns } 3GB/s 5us } 1GB/s 9us",
    "nodes 4 { torus 4x4 100GB/s 1us } 10GB/s 8us",
};

/* Nearer members are not slower than farther ones. */
START_TEST(test_distance) {
    weft_machine m;
    ck_assert_int_eq(weft_machine_read(cx, weft_str_from(texts[_i]), "m", &m), WEFT_OK);
    for (weft_coll_kind k = WEFT_PLAN_ALL_REDUCE; k <= WEFT_PLAN_COLLECTIVE_PERMUTE; k++) {
        double last = 0;
        for (int level = m.level_count - 1; level >= 0; level--) {
            double t = weft_machine_coll_time_s(&m, k, 2, weft_machine_part_devices(&m, level), 1 << 24);
            ck_assert_double_gt(t, 0);
            ck_assert_double_ge(t, last);
            last = t;
        }
        ck_assert_double_eq(weft_machine_coll_time_s(&m, k, 1, 1, 1 << 24), 0);
    }
}
END_TEST

/* A group through its members and through its stride. */
START_TEST(test_reach) {
    int32_t members[4] = { 0, 8, 16, 24 };
    weft_machine m = weft_machine_default;
    weft_reach r = weft_machine_reach(&m, members, 4);
    ck_assert_double_eq(whole(weft_machine_reach_time(&m, WEFT_PLAN_ALL_GATHER, 4, &r, 1 << 20)),
                        weft_machine_coll_time_s(&m, WEFT_PLAN_ALL_GATHER, 4, 8, 1 << 20));
    r = weft_machine_reach(&m, members, 1);
    ck_assert_double_eq(whole(weft_machine_reach_time(&m, WEFT_PLAN_ALL_GATHER, 4, &r, 1 << 20)), 0);
}
END_TEST

/* Packages in nodes: the third level of a group, and what it costs to cross between them. */
START_TEST(test_packages) {
    weft_machine m, flat;
    ck_assert_int_eq(weft_machine_read(cx,
                                       WEFT_STR("nodes 2 { package 4 { core 4 100GB/s 1us } 1GB/s 2us } 10GB/s 3us"),
                                       "m", &m),
                     WEFT_OK);
    ck_assert_int_eq(weft_machine_read(cx, WEFT_STR("nodes 2 { core 16 1GB/s 2us } 10GB/s 3us"), "flat", &flat),
                     WEFT_OK);
    weft_reach r = weft_machine_reach_strided(&m, 32, 1), far = weft_machine_reach_strided(&m, 8, 4),
               even = weft_machine_reach_strided(&flat, 32, 1);
    ck_assert_int_eq(r.on_node, 16);
    ck_assert_int_eq(r.on_package, 4);
    ck_assert_double_eq(r.node_link.bytes_per_s, 1e9);
    ck_assert_int_eq(far.on_package, 1);
    ck_assert_int_eq(even.on_package, 16); /* none is nearer than another */
    weft_coll_call call = { .kind = WEFT_PLAN_ALL_GATHER, .p = 32, .full_bytes = 1 << 26, .level = WEFT_LINK_NETWORK,
                            .can = WEFT_NEEDS_MESSAGES, .nodes = 2, .packages = 8 };
    weft_links links = m.links;
    links.at[WEFT_LINK_NETWORK] = (weft_link){ 3e-6, 10e9 };
    links.at[WEFT_LINK_MACHINE] = (weft_link){ 2e-6, 1e9 };
    ck_assert_double_eq(whole(weft_machine_reach_time(&m, WEFT_PLAN_ALL_GATHER, 32, &r, 1 << 26)),
                        weft_alg_time_s(&links, WEFT_ALG_ALL_GATHER_split_rail, &call));
}
END_TEST

/* By hand: what moves beside a device that computes, in a node and between nodes, with an engine and without. */
START_TEST(test_movers) {
    weft_machine m;
    ck_assert_int_eq(
        weft_machine_read(cx,
                          WEFT_STR("device 1Tflop/s bandwidth 1TB/s copy 1GB/s engine nodes 2 { gpu 4 1GB/s } 500MB/s"),
                          "m", &m),
        WEFT_OK);
    weft_coll_time near = weft_machine_coll_time(&m, WEFT_PLAN_COLLECTIVE_PERMUTE, 2, 1, 1000000000),
                   far = weft_machine_coll_time(&m, WEFT_PLAN_COLLECTIVE_PERMUTE, 2, 4, 1000000000);
    ck_assert_double_eq_tol(near.beside_s, 1, 1e-9); /* in place: no copy */
    ck_assert_double_eq_tol(near.own_s, 0, 1e-9);
    ck_assert_double_eq_tol(far.beside_s, 2, 1e-9);
    ck_assert_double_eq_tol(far.own_s, 1, 1e-9);
    m.mover = WEFT_MOVER_DEVICE;
    near = weft_machine_coll_time(&m, WEFT_PLAN_COLLECTIVE_PERMUTE, 2, 1, 1000000000),
    far = weft_machine_coll_time(&m, WEFT_PLAN_COLLECTIVE_PERMUTE, 2, 4, 1000000000);
    ck_assert_double_eq_tol(near.beside_s, 0, 1e-9);
    ck_assert_double_eq_tol(near.own_s, 1, 1e-9);
    ck_assert_double_eq_tol(far.beside_s, 2, 1e-9);
}
END_TEST

static const struct {
    double flops;
    int64_t bytes;
    double want_s;
} kernels[] = { { 0, 0, 0 }, { 2e12, 1000, 2 }, { 10, 3000000000000, 3 } };

START_TEST(test_kernel) {
    weft_machine m = weft_machine_default;
    m.flops_per_s = m.bytes_per_s = 1e12;
    ck_assert_double_eq_tol(weft_machine_kernel_time_s(&m, kernels[_i].flops, kernels[_i].bytes), kernels[_i].want_s,
                            1e-9);
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/machine");
    TCase *tc = tcase_create("machine");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_loop_test(tc, test_distance, 0, (int)WEFT_COUNT(texts));
    tcase_add_test(tc, test_reach);
    tcase_add_test(tc, test_movers);
    tcase_add_test(tc, test_packages);
    tcase_add_loop_test(tc, test_kernel, 0, (int)WEFT_COUNT(kernels));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
