/* The law of the complete path: a random program has the same results on the devices of its mesh as on one device, and
 * its plan's bytes and memory are those that the run counts. A failure names its seed: WEFT_SEED=S repeats it alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cost/simulate.h"
#include "ir/builder.h"
#include "pipeline/pipeline.h"
#include "runtime/execute.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"
#include "tests/support/under_way.h"

#ifndef PROGRAMS
#define PROGRAMS 12 /* per case */
#endif

/* Ops that Shardy's own partitioner splits in every form that random programs have. */
#define ONE_BY_ONE "sdy-propagation-pipeline=enable-per-instruction-partitioning=true " \
                   "per-instruction-partitioning-filter='dot,transpose,add,subtract,multiply,negate,tanh,select,compare,convert,broadcast,reduce,iota,reshard'"

/* name: for WEFT_ONLY. prepare: what the sharded program goes through before; NULL: nothing. */
static const struct {
    const char *name;
    int64_t devices;
    unsigned flags;
    uint32_t ops;
    const char *prepare;
} cases[] = {
    { "plain", 2, WEFT_RANDOM_MESH, 15, NULL },
    { "plain", 4, WEFT_RANDOM_MESH, 25, NULL },
    { "plain", 8, WEFT_RANDOM_MESH, 20, NULL },
    { "plain", 8, WEFT_RANDOM_MESH | WEFT_RANDOM_PRIORITIES | WEFT_RANDOM_SUB_AXES, 20, NULL },
    { "plain", 4, WEFT_RANDOM_MESH | WEFT_RANDOM_UNEVEN, 15, NULL },
    { "plain", 6, WEFT_RANDOM_MESH | WEFT_RANDOM_UNEVEN, 20, NULL },
    { "mixed", 4, WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED, 20, NULL },
    { "mixed", 8, WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED | WEFT_RANDOM_SUB_AXES, 20, NULL },
    { "mixed", 6, WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED | WEFT_RANDOM_UNEVEN, 15, NULL },
    { "windows", 4, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS, 15, NULL },
    { "windows", 8, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_MIXED | WEFT_RANDOM_SUB_AXES, 15, NULL },
    { "windows", 6, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_MIXED | WEFT_RANDOM_UNEVEN, 12, NULL },
    { "one by one", 4, WEFT_RANDOM_MESH | WEFT_RANDOM_NO_INDEX, 12, ONE_BY_ONE },
    { "one by one", 8, WEFT_RANDOM_MESH | WEFT_RANDOM_UNEVEN | WEFT_RANDOM_NO_INDEX, 12, ONE_BY_ONE },
};

/* Takes what m says of shardings out of it. */
static weft_status bare_op(void *user, weft_op *op) {
    weft_module *m = user;
    weft_dim_sharding open[WEFT_MAX_RANK];
    if (op->kind == WEFT_OP_func) {
        weft_status st = weft_op_set(m, op, WEFT_A_arg_attrs, NULL);
        return st == WEFT_OK ? weft_op_set(m, op, WEFT_A_res_attrs, NULL) : st;
    }
    if (op->kind != WEFT_OP_sdy_sharding_constraint) return WEFT_OK;
    weft_attr a = *weft_op_attr(op, WEFT_A_sharding);
    for (uint32_t d = 0; d < a.sharding.rank; d++)
        open[d] = (weft_dim_sharding){ .open = true, .priority = WEFT_NO_PRIORITY };
    a.sharding.dims = open;
    a.sharding.replicated = a.sharding.unreduced = (weft_axis_refs){ 0 };
    return weft_op_set(m, op, WEFT_A_sharding, weft_attr_copy(m->cx, &a));
}

/* m without shardings, for one device: *mesh becomes "x=1,y=1". */
static weft_module *bare(const weft_module *m, char *mesh, size_t size) {
    weft_module *copy = NULL;
    size_t n = 0;
    ck_assert_int_eq(weft_module_clone(m, &copy), WEFT_OK);
    ck_assert_int_eq(weft_module_walk(copy, bare_op, copy), WEFT_OK);
    WEFT_EACH_OP(op, weft_module_body(m)) {
        if (op->kind != WEFT_OP_sdy_mesh) continue;
        const weft_mesh_attr *a = &weft_op_attr(op, WEFT_A_mesh)->mesh;
        for (uint32_t i = 0; i < a->axis_count; i++)
            n += (size_t)snprintf(mesh + n, size - n, "%s%s=1", i ? "," : "", a->axes[i].name->text);
    }
    return copy;
}

typedef struct outcome {
    weft_host_array results[16];
    uint32_t count;
} outcome;

static void drop(outcome *o) {
    for (uint32_t i = 0; i < o->count; i++) free(o->results[i].data);
}

/* Bytes and calls of one step lie in the dry run's range, which is a single number where no branch decides; memory is
 * what it says. */
static void check_counts(const weft_built_program *p, const weft_session *s, uint64_t seed) {
    const weft_plan *plan = &p->exec->plan;
    const weft_session_counts counted = weft_session_count(s);
    weft_estimate_call *calls = calloc(plan->collective_count + 1, sizeof *calls);
    weft_estimate_case *ways = calloc(plan->case_count + 1, sizeof *ways);
    weft_estimate e;
    ck_assert(calls && ways);
    weft_simulate(plan, &weft_machine_default, NULL, calls, ways, &e);
    free(calls);
    free(ways);
    ck_assert_msg(counted.memory_bytes == weft_plan_peak_bytes(plan), "WEFT_SEED=%llu: %lld bytes held, planned %lld",
                  (unsigned long long)seed, (long long)counted.memory_bytes, (long long)weft_plan_peak_bytes(plan));
    ck_assert_msg(plan->case_count || (e.least_wire_bytes == e.wire_bytes && e.least_calls == e.calls),
                  "WEFT_SEED=%llu: a range without a branch", (unsigned long long)seed);
    if (e.unknown_loops) return;
    ck_assert_msg(e.least_wire_bytes <= counted.wire_bytes && counted.wire_bytes <= e.wire_bytes &&
                      e.least_calls <= counted.collectives && counted.collectives <= e.calls,
                  "WEFT_SEED=%llu: %lld bytes in %lld calls, planned %lld to %lld in %lld to %lld",
                  (unsigned long long)seed, (long long)counted.wire_bytes, (long long)counted.collectives,
                  (long long)e.least_wire_bytes, (long long)e.wire_bytes, (long long)e.least_calls, (long long)e.calls);
}

static bool same_step(const weft_plan_step *a, const weft_plan_step *b) {
    return a->kind == b->kind && a->flops == b->flops && a->read_bytes == b->read_bytes &&
           a->write_bytes == b->write_bytes && a->collective == b->collective && a->body_steps == b->body_steps &&
           a->trip_count == b->trip_count && a->branch_count == b->branch_count && a->taken == b->taken;
}

/* Without making code the plan is the same: the dry run's is the run's. */
static void check_plan_alone(weft_context *cx, const weft_module *m, weft_build_options how,
                             const weft_built_program *p,
                             uint64_t seed) {
    weft_built_program *dry = NULL;
    how.compile_flags |= WEFT_COMPILE_PLAN_ONLY;
    ck_assert_int_eq(weft_program_build(cx, m, &how, &dry), WEFT_OK);
    const weft_plan *a = &p->exec->plan, *b = &dry->exec->plan;
    bool same = a->step_count == b->step_count && a->collective_count == b->collective_count &&
                weft_plan_peak_bytes(a) == weft_plan_peak_bytes(b) && a->temp_bytes == b->temp_bytes &&
                a->alias_bytes == b->alias_bytes && a->case_count == b->case_count;
    for (uint32_t i = 0; same && i < a->step_count; i++) same = same_step(&a->steps[i], &b->steps[i]);
    for (uint32_t i = 0; same && i < a->collective_count; i++)
        same = a->collectives[i].kind == b->collectives[i].kind &&
               a->collectives[i].wire_bytes == b->collectives[i].wire_bytes;
    ck_assert_msg(same, "WEFT_SEED=%llu: the plan is another one where no code is made", (unsigned long long)seed);
    weft_built_program_free(dry);
}

static void check_steps(const weft_executable *x, uint64_t seed) {
    uint32_t step = 0;
    const char *wrong = weft_test_under_way(x, WEFT_TEST_SHARED, &step);
    ck_assert_msg(!wrong, "WEFT_SEED=%llu: step %u %s", (unsigned long long)seed, step, wrong);
}

/* Arguments within [-1, 1], whole numbers of 0 to 15 for indices. */
static weft_status run(weft_context *cx, weft_module *m, weft_build_options how, uint64_t seed, outcome *out) {
    weft_built_program *p = NULL;
    weft_session *s = NULL;
    bool speaker;
    *out = (outcome){ .count = 0 };
    weft_status st = weft_program_build(cx, m, &how, &p);
    if (st != WEFT_OK) return st;
    check_steps(p->exec, seed);
    if (how.machine) check_plan_alone(cx, m, how, p, seed);
    weft_session_options so = { .processes = { .processes = 1, .timeout_s = 20 }, .exec = p->exec,
                                .args = p->arg_layouts, .results = p->result_layouts };
    st = weft_session_open(cx, &so, &speaker, &s);
    for (uint32_t i = 0; i < p->exec->arg_count && st == WEFT_OK; i++)
        st = weft_session_fill(s, i,
                               &(weft_fill){ WEFT_FILL_UNIFORM, weft_dtype_is_float(p->exec->args[i].dtype) ? 1 : 16,
                                             seed });
    if (st == WEFT_OK) st = weft_session_step(s);
    if (st == WEFT_OK) check_counts(p, s, seed);
    for (uint32_t i = 0; i < p->exec->result_count && st == WEFT_OK; i++) {
        weft_host_array *a = &out->results[out->count++];
        weft_session_describe(&p->result_layouts[i], a);
        a->data = calloc(1, (size_t)weft_host_array_bytes(a) + 1);
        st = weft_session_get(s, i, a);
    }
    if (s) weft_session_close(s);
    weft_built_program_free(p);
    return st;
}

/* False where a pass in front says that it cannot. */
static bool check_one(uint64_t seed, int c) {
    weft_random_options opt = {
        .seed = seed, .flags = cases[c].flags, .ops = cases[c].ops, .devices = cases[c].devices, .max_elems = 1024
    };
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    outcome one, many, blocking;
    char mesh[256];
    ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
    weft_module *global = bare(m, mesh, sizeof mesh);
    weft_status st = run(cx, global, (weft_build_options){ .mesh = mesh }, seed, &one);
    ck_assert_msg(st == WEFT_OK, "WEFT_SEED=%llu case %d on one device: %s", (unsigned long long)seed, c,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : weft_status_name(st));
    if (cases[c].prepare) st = weft_pipeline_run(cx, weft_str_from(cases[c].prepare), WEFT_PIPELINE_VERIFY_EACH, &m);
    bool can = st != WEFT_ERR_UNSUPPORTED;
    many.count = blocking.count = 0;
    /* On a machine on which any code hides any collective. */
    weft_machine slow;
    static const char slow_text[] =
        "device 100Mflop/s bandwidth 100MB/s reduce 1TB/s copy 1TB/s engine gpu * nvlink 450GB/s 2us";
    ck_assert_int_eq(weft_machine_read(cx, weft_str_from(slow_text), "slow", &slow), WEFT_OK);
    if (st == WEFT_OK) st = run(cx, m, (weft_build_options){ .machine = &slow }, seed, &many);
    if (st == WEFT_OK)
        st = run(cx, m, (weft_build_options){ .compile_flags = WEFT_COMPILE_NO_OVERLAP }, seed, &blocking);
    ck_assert_msg(st == WEFT_OK || !can, "WEFT_SEED=%llu case %d: %s", (unsigned long long)seed, c,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : weft_status_name(st));
    if (can) ck_assert_uint_eq(one.count, many.count);
    for (uint32_t i = 0; can && i < one.count; i++) {
        int64_t at = 0;
        st = weft_host_array_compare(&many.results[i], &one.results[i], 1e-4, 1e-4, &at);
        ck_assert_msg(st == WEFT_OK, "WEFT_SEED=%llu case %d: result %u differs at element %lld",
                      (unsigned long long)seed, c, i, (long long)at);
        ck_assert_msg(!memcmp(many.results[i].data, blocking.results[i].data,
                              (size_t)weft_host_array_bytes(&many.results[i])),
                      "WEFT_SEED=%llu case %d: result %u is another one when collectives do not pass beside code",
                      (unsigned long long)seed, c, i);
    }
    drop(&one);
    drop(&many);
    drop(&blocking);
    weft_module_free(global);
    weft_module_free(m);
    weft_context_free(cx);
    return can;
}

START_TEST(partitioned_equals_global) {
    bool alone = getenv("WEFT_SEED") != NULL;
    const int programs = alone ? 1 : weft_test_sample(PROGRAMS);
    int compared = 0;
    if (!weft_test_wanted(cases[_i].name)) return;
    for (int i = 0; i < programs; i++)
        compared += check_one(weft_test_seed(1 + 1000 * (uint64_t)_i) + (uint64_t)i, _i);
    if (!alone) ck_assert_int_ge(compared, cases[_i].prepare ? programs / 2 : programs);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/law");
    TCase *tc = tcase_create("law");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, partitioned_equals_global, 0, WEFT_COUNT(cases));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
