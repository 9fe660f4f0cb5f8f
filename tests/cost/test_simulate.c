/* The simulator on plans made by hand, with a machine of round numbers. */
#include "cost/simulate.h"
#include "tests/support/suite.h"

/* 1 Gflop/s and 1 GB/s; collectives as the default machine has them. */
static weft_machine machine(void) {
    weft_machine m = *weft_machine_at(0);
    m.flops_per_s = m.bytes_per_s = 1e9;
    return m;
}

static weft_plan plan_of(const weft_plan_step *steps, uint32_t n, const weft_plan_collective *collectives, uint32_t m) {
    return (weft_plan){ .steps = steps, .step_count = n, .collectives = collectives, .collective_count = m };
}

/* A kernel takes the longer of arithmetic and memory traffic. */
static const struct { double flops; int64_t read, write; double want_s; } kernels[] = {
    { 0, 0, 0, 0 }, { 5e9, 1000, 1000, 5 }, { 1000, 3000000000, 1000000000, 4 }, { 2e9, 1000000000, 1000000000, 2 },
};

START_TEST(roofline) {
    weft_plan_step step = { .kind = _i % 2 ? WEFT_PLAN_KERNEL : WEFT_PLAN_LIBRARY, .flops = kernels[_i].flops, .read_bytes = kernels[_i].read,
                            .write_bytes = kernels[_i].write };
    weft_plan p = plan_of(&step, 1, NULL, 0);
    weft_machine m = machine();
    weft_estimate e;
    weft_simulate(&p, &m, NULL, &e, NULL);
    ck_assert_double_eq_tol(e.compute_s, kernels[_i].want_s, 1e-9);
    ck_assert_double_eq(e.step_s, e.compute_s);
    ck_assert_double_eq(e.flops, kernels[_i].flops);
}
END_TEST

/* Loops multiply what is inside them, nested ones too; unknown counts are taken as one and said. */
START_TEST(loops) {
    weft_plan_collective c[] = { { .kind = WEFT_PLAN_ALL_REDUCE, .group_size = 4, .bytes = 400, .wire_bytes = 600 },
                                 { .kind = WEFT_PLAN_ALL_GATHER, .group_size = 4, .bytes = 400, .wire_bytes = 300 } };
    weft_plan_step steps[] = {
        { .kind = WEFT_PLAN_LOOP, .trip_count = 5, .body_steps = 4 },
        { .kind = WEFT_PLAN_KERNEL, .flops = 1e9 },
        { .kind = WEFT_PLAN_LOOP, .trip_count = 3, .body_steps = 1 },
        { .kind = WEFT_PLAN_COLLECTIVE, .collective = 0 },
        { .kind = WEFT_PLAN_KERNEL, .flops = 1e9 },
        { .kind = WEFT_PLAN_COLLECTIVE, .collective = 1 },
        { .kind = WEFT_PLAN_LOOP, .trip_count = -1, .body_steps = 1 },
        { .kind = WEFT_PLAN_COLLECTIVE, .collective = 1 },
    };
    weft_plan p = plan_of(steps, WEFT_COUNT(steps), c, WEFT_COUNT(c));
    weft_machine m = machine();
    weft_estimate e;
    int64_t counts[2] = { 99, 99 };
    weft_simulate(&p, &m, NULL, &e, counts);
    ck_assert_int_eq(counts[0], 15);
    ck_assert_int_eq(counts[1], 2);
    ck_assert_int_eq(e.wire_bytes, 15 * 600 + 2 * 300);
    ck_assert_int_eq(e.unknown_loops, 1);
    ck_assert_double_eq_tol(e.compute_s, 10, 1e-9);
    double one = weft_machine_coll_time_s(&m, WEFT_PLAN_ALL_REDUCE, 4, 1, 400), other = weft_machine_coll_time_s(&m, WEFT_PLAN_ALL_GATHER, 4, 1, 400);
    ck_assert_double_eq_tol(e.collective_s, 15 * one + 2 * other, 1e-12);
    ck_assert_double_eq_tol(e.step_s, e.compute_s + e.collective_s, 1e-12);
}
END_TEST

/* Members that lie a node apart talk over the slower link. */
START_TEST(strides) {
    weft_plan_collective c = { .kind = WEFT_PLAN_ALL_REDUCE, .group_size = 4, .bytes = 1 << 26, .wire_bytes = 1 };
    weft_plan_step step = { .kind = WEFT_PLAN_COLLECTIVE };
    weft_plan p = plan_of(&step, 1, &c, 1);
    const weft_machine *m = weft_machine_find(WEFT_STR("dgx-h100"));
    weft_estimate near, far;
    int64_t one = 1, node = m->node_devices;
    weft_simulate(&p, m, &one, &near, NULL);
    weft_simulate(&p, m, &node, &far, NULL);
    ck_assert_double_lt(near.step_s, far.step_s);
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/simulate");
    TCase *tc = tcase_create("simulate");
    tcase_add_loop_test(tc, roofline, 0, (int)WEFT_COUNT(kernels));
    tcase_add_test(tc, loops);
    tcase_add_test(tc, strides);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
