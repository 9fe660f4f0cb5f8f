/* The simulator on plans made by hand, with a machine of round numbers. */
#include <math.h>
#include "cost/simulate.h"
#include "tests/support/suite.h"

/* 1 Gflop/s and 1 GB/s; collectives as the default machine has them. */
static weft_machine machine(void) {
    weft_machine m = weft_machine_default;
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
    weft_plan_step step = { .kind = _i % 2 ? WEFT_PLAN_KERNEL : WEFT_PLAN_LIBRARY, .flops = kernels[_i].flops,
                            .read_bytes = kernels[_i].read, .write_bytes = kernels[_i].write };
    weft_plan p = plan_of(&step, 1, NULL, 0);
    weft_machine m = machine();
    weft_estimate e;
    weft_simulate(&p, &m, NULL, NULL, NULL, &e);
    ck_assert_double_eq_tol(e.compute_s, kernels[_i].want_s, 1e-9);
    ck_assert_double_eq(e.step_s, e.compute_s);
    ck_assert_double_eq(e.flops, kernels[_i].flops);
}
END_TEST

/* Loops multiply what is inside them, nested ones too; unknown counts are taken as one and said. */
START_TEST(loops) {
    weft_plan_collective c[] = {
        { .kind = WEFT_PLAN_ALL_REDUCE, .group_size = 4, .stride = 1, .bytes = 400, .wire_bytes = 600 },
        { .kind = WEFT_PLAN_ALL_GATHER, .group_size = 4, .stride = 1, .bytes = 400, .wire_bytes = 300 }
    };
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
    weft_estimate_call calls[2] = { { 99, 99 }, { 99, 99 } };
    weft_simulate(&p, &m, NULL, calls, NULL, &e);
    ck_assert_int_eq(calls[0].count, 15);
    ck_assert_int_eq(calls[1].count, 2);
    ck_assert_int_eq(e.wire_bytes, 15 * 600 + 2 * 300);
    ck_assert_int_eq(e.unknown_loops, 1);
    ck_assert_double_eq_tol(e.compute_s, 10, 1e-9);
    double one = weft_machine_coll_time_s(&m, WEFT_PLAN_ALL_REDUCE, 4, 1, 400),
           other = weft_machine_coll_time_s(&m, WEFT_PLAN_ALL_GATHER, 4, 1, 400);
    ck_assert_double_eq_tol(e.collective_s, 15 * one + 2 * other, 1e-12);
    ck_assert_double_eq_tol(e.step_s, e.compute_s + e.collective_s, 1e-12);
    ck_assert_double_eq_tol(e.hidden_s, 0, 1e-12);
}
END_TEST

/* Digits: so many ms of computing; a: a collective of 100 bytes, b: of 300, each next to no time; ( | ): a case whose
 * branch is not known, (0 and (1: one that takes this one; [ ]: a loop of three turns. The dearest branches' ms, bytes
 * and collectives, and the least. */
static const struct {
    const char *what, *steps;
    double most_ms;
    int64_t most_bytes, most_calls;
    double least_ms;
    int64_t least_bytes, least_calls;
} branches[] = {
    { "one of three", "(?1|5|3)", 5, 0, 0, 1, 0, 0 },
    { "around it what runs always", "2(?1|5)a", 7, 100, 1, 3, 100, 1 },
    { "each figure has a branch of its own", "(?9|b|aa)", 9, 300, 2, 0, 0, 0 },
    { "a branch without steps", "(?|4b)", 4, 300, 1, 0, 0, 0 },
    { "known",
      "(1"
      "9b|2a)",
      2, 100, 1, 2, 100, 1 },
    { "known, the first",
      "(0"
      "9b|2a)",
      9, 300, 1, 9, 300, 1 },
    { "in a loop", "[(?1|2a)]", 6, 300, 3, 3, 0, 0 },
    { "around a loop", "(?[1a]|2)", 3, 300, 3, 2, 0, 0 },
    { "in a branch", "(?(?1|2a)1|(?6|b))", 6, 300, 1, 0, 0, 0 },
    { "in a branch that is known",
      "(0"
      "(?1|2a)|9b)",
      2, 100, 1, 1, 0, 0 },
    { "in a loop in a branch", "(?[(?1|a)]|b)", 3, 300, 3, 0, 0, 0 },
    { "two, each by itself", "(?1|2)(?a|b)", 2, 300, 1, 1, 100, 1 },
};

/* One list of steps; returns how many. */
static uint32_t spell_branches(const char **text, weft_plan_step *steps, uint32_t (*sizes)[4], uint32_t *cases) {
    uint32_t n = 0;
    while (**text && !strchr("|)]", **text)) {
        const char at = *(*text)++;
        weft_plan_step *p = &steps[n++];
        *p = (weft_plan_step){ .kind = WEFT_PLAN_COLLECTIVE, .collective = at == 'b', .taken = -1 };
        if (at >= '0' && at <= '9') *p = (weft_plan_step){ .kind = WEFT_PLAN_KERNEL, .flops = 1e6 * (at - '0') };
        if (at == '[') {
            *p = (weft_plan_step){ .kind = WEFT_PLAN_LOOP, .trip_count = 3 };
            n += p->body_steps = spell_branches(text, &steps[n], sizes, cases);
            ++*text;
        }
        if (at != '(') continue;
        const char which = *(*text)++;
        uint32_t *size = sizes[*cases];
        *p = (weft_plan_step){ .kind = WEFT_PLAN_CASE, .case_number = (*cases)++, .branch_steps = size,
                               .taken = which == '?' ? -1 : which - '0' };
        do n += size[p->branch_count++] = spell_branches(text, &steps[n], sizes, cases);
        while (*(*text)++ == '|');
    }
    return n;
}

START_TEST(branches_are_bounds) {
    weft_machine m = machine();
    weft_plan_collective c[2] = {
        { .kind = WEFT_PLAN_ALL_REDUCE, .group_size = 4, .stride = 1, .bytes = 1, .wire_bytes = 100 },
        { .kind = WEFT_PLAN_ALL_GATHER, .group_size = 4, .stride = 1, .bytes = 1, .wire_bytes = 300 }
    };
    weft_plan_step steps[32];
    uint32_t sizes[8][4], cases = 0;
    weft_estimate_call calls[2] = { { 99, 99 }, { 99, 99 } };
    weft_estimate_case chosen[8];
    weft_estimate e;
    const char *text = branches[_i].steps;
    weft_plan p = plan_of(steps, spell_branches(&text, steps, sizes, &cases), c, 2);
    p.case_count = cases;
    weft_simulate(&p, &m, NULL, calls, chosen, &e);
    ck_assert_msg(e.wire_bytes == branches[_i].most_bytes && e.least_wire_bytes == branches[_i].least_bytes,
                  "%s: %lld to %lld", branches[_i].what, (long long)e.least_wire_bytes, (long long)e.wire_bytes);
    ck_assert_int_eq(e.calls, branches[_i].most_calls);
    ck_assert_int_eq(e.least_calls, branches[_i].least_calls);
    ck_assert_double_eq_tol(e.step_s, 1e-3 * branches[_i].most_ms, 1e-4); /* the collectives' time */
    ck_assert_double_eq_tol(e.least_step_s, 1e-3 * branches[_i].least_ms, 1e-4);
    ck_assert_int_eq(100 * calls[0].count + 300 * calls[1].count, e.wire_bytes);
}
END_TEST

/* Members that lie a node apart talk over the slower link. */
START_TEST(strides) {
    weft_plan_collective c = { .kind = WEFT_PLAN_ALL_REDUCE, .group_size = 4, .bytes = 1 << 26, .wire_bytes = 1 };
    weft_plan_step step = { .kind = WEFT_PLAN_COLLECTIVE };
    weft_plan p = plan_of(&step, 1, &c, 1);
    const weft_machine *m = &weft_machine_default;
    weft_estimate near, far, told;
    weft_estimate_call call;
    c.stride = 1;
    weft_simulate(&p, m, NULL, &call, NULL, &near);
    c.stride = m->node_devices;
    weft_simulate(&p, m, NULL, &call, NULL, &far);
    ck_assert_double_lt(near.step_s, far.step_s);
    const weft_reach reach = weft_machine_reach_strided(m, c.group_size, 1);
    weft_simulate(&p, m, &reach, &call, NULL, &told); /* what is told counts, not the stride */
    ck_assert_double_eq(told.step_s, near.step_s);
}
END_TEST

/* What a run alone knows is counted as the most, and as none on the way of least. */
START_TEST(at_most) {
    weft_plan_collective c[] = {
        { .kind = WEFT_PLAN_ALL_TO_ALL, .group_size = 4, .stride = 1, .bytes = 1 << 26, .wire_bytes = 700, .at_most = true },
        { .kind = WEFT_PLAN_ALL_TO_ALL, .group_size = 4, .stride = 1, .bytes = 1 << 26, .wire_bytes = 50 },
    };
    weft_plan_step steps[] = { { .kind = WEFT_PLAN_LOOP, .trip_count = 3, .body_steps = 2 },
                               { .kind = WEFT_PLAN_COLLECTIVE },
                               { .kind = WEFT_PLAN_COLLECTIVE, .collective = 1 } };
    weft_plan p = plan_of(steps, 3, c, 2);
    weft_estimate e;
    weft_estimate_call calls[2];
    weft_simulate(&p, &weft_machine_default, NULL, calls, NULL, &e);
    ck_assert_int_eq(e.wire_bytes, 3 * 750);
    ck_assert_int_eq(e.least_wire_bytes, 3 * 50);
    ck_assert_int_eq(e.calls, 6);
    ck_assert_int_eq(e.least_calls, 6);
    ck_assert_double_lt(e.least_step_s, 0.6 * e.step_s);
}
END_TEST

/* s: start of a, S: of b; d: end of a, D: of b; a, b: all of it at once; digits: so many times half of a's time beside,
 * of computing; [ ]: a loop of three turns. want: the step in those halves, a and b are alike. */
static const struct { const char *what, *steps; double want; } overlaps[] = {
    { "one after the other", "a3", 5 },
    { "begun and ended at once", "sd3", 5 },
    { "hidden wholly", "s3d", 3 },
    { "hidden in part", "s1d", 2 },
    { "hidden by two kernels", "s1" "1d", 2 },
    { "nothing to hide behind", "1sd1", 4 },
    { "two share the link", "sS1dD", 4 },
    { "two behind enough", "sS6dD", 6 },
    { "the second waits for the first", "sS2d2D", 4 },
    { "a blocking one waits for the one under way", "sb1d", 5 },
    { "each turn of a loop", "[s1d]", 6 },
    { "a loop's own link", "[a]s2d", 8 },
    { "beside a loop", "s[1]d", 3 },
};

static uint32_t spell(const char *text, double half_s, weft_plan_step *steps) {
    uint32_t n = 0, open = 0;
    for (; *text; text++) {
        weft_plan_step *p = &steps[n++];
        *p = (weft_plan_step){ .kind = WEFT_PLAN_COLLECTIVE, .collective = strchr("bSD", *text) != NULL };
        if (strchr("sS", *text)) p->kind = WEFT_PLAN_START;
        if (strchr("dD", *text)) p->kind = WEFT_PLAN_DONE;
        if (*text >= '0' && *text <= '9')
            *p = (weft_plan_step){ .kind = WEFT_PLAN_KERNEL, .flops = (*text - '0') * half_s * 1e9 };
        if (*text == '[') *p = (weft_plan_step){ .kind = WEFT_PLAN_LOOP, .trip_count = 3 }, open = n - 1;
        if (*text == ']') n--, steps[open].body_steps = n - open - 1;
    }
    return n;
}

START_TEST(overlap) {
    weft_machine m = machine();
    weft_plan_collective c[2];
    weft_plan_step steps[16];
    weft_estimate_call calls[2];
    weft_estimate e;
    m.mover = WEFT_MOVER_ENGINE;
    m.links.copy_bytes_per_s = m.links.reduce_bytes_per_s = 1e18; /* what a device does itself is nothing */
    c[0] = c[1] = (weft_plan_collective){
        .kind = WEFT_PLAN_ALL_GATHER, .group_size = 4, .stride = 1, .bytes = 1 << 20, .wire_bytes = 3 << 18
    };
    const weft_coll_time t = weft_machine_coll_time(&m, c[0].kind, 4, 1, c[0].bytes);
    ck_assert_double_gt(t.beside_s, 0);
    ck_assert_double_eq_tol(t.beside_s + t.own_s, weft_machine_coll_time_s(&m, c[0].kind, 4, 1, c[0].bytes), 1e-15);
    const weft_plan p = plan_of(steps, spell(overlaps[_i].steps, t.beside_s / 2, steps), c, 2);
    weft_simulate(&p, &m, NULL, calls, NULL, &e);
    const double runs = (double)(calls[0].count + calls[1].count);
    ck_assert_double_eq_tol(e.collective_s, runs * (t.beside_s + t.own_s), 1e-12);
    ck_assert_double_eq_tol(e.step_s, e.compute_s + e.collective_s - e.hidden_s, 1e-12);
    ck_assert_int_eq(e.wire_bytes, (calls[0].count + calls[1].count) * (3 << 18));
    ck_assert_msg(fabs(e.step_s - overlaps[_i].want * t.beside_s / 2) < 1e-9, "%s: %g", overlaps[_i].what,
                  e.step_s / t.beside_s * 2);
}
END_TEST

/* A device that moves the bytes itself has only the waiting for free. */
START_TEST(movers) {
    weft_machine m = machine();
    const int64_t bytes = 1 << 24;
    m.mover = WEFT_MOVER_DEVICE;
    const weft_coll_time own = weft_machine_coll_time(&m, WEFT_PLAN_ALL_GATHER, 4, 1, bytes),
                         far = weft_machine_coll_time(&m, WEFT_PLAN_ALL_GATHER, 4, m.node_devices, bytes);
    m.mover = WEFT_MOVER_ENGINE;
    const weft_coll_time engine = weft_machine_coll_time(&m, WEFT_PLAN_ALL_GATHER, 4, 1, bytes);
    ck_assert_double_lt(own.beside_s, own.own_s / 100);
    ck_assert_double_gt(engine.beside_s, own.beside_s * 100);
    ck_assert_double_eq_tol(own.beside_s + own.own_s, engine.beside_s + engine.own_s, 1e-12);
    /* Between nodes it copies to and from the messages, whose way is free. */
    ck_assert_double_ge(far.beside_s,
                        0.75 * (double)bytes / weft_machine_reach_strided(&m, 4, m.node_devices).link.bytes_per_s);
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/simulate");
    TCase *tc = tcase_create("simulate");
    tcase_add_loop_test(tc, roofline, 0, (int)WEFT_COUNT(kernels));
    tcase_add_test(tc, loops);
    tcase_add_loop_test(tc, branches_are_bounds, 0, (int)WEFT_COUNT(branches));
    tcase_add_test(tc, strides);
    tcase_add_test(tc, at_most);
    tcase_add_loop_test(tc, overlap, 0, (int)WEFT_COUNT(overlaps));
    tcase_add_test(tc, movers);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
