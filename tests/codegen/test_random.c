/* Random programs: fused and unfused code give the same results, results may take over donated arguments, and the plan
 * made without code is the plan of the code. The seed is printed when a law breaks; WEFT_SEED sets it. */
#include <math.h>
#include <stdio.h>
#include "ir/builder.h"
#include "mlir/print.h"
#include "tests/codegen/walk.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

enum { PROGRAMS = 150 };

/* Programs that were once compiled wrongly: seed and number of steps. */
static const struct { uint64_t seed; uint32_t ops; } found[] = {
    { 5049, 29 },  /* a dot read memory below a view that had memory of its own, and it was given away too early */
    { 90096, 16 },
};

static void print_program(const weft_module *m, uint64_t seed) {
    weft_buf b;
    weft_buf_init(&b, &m->cx->alloc);
    if (weft_print_module(m, WEFT_PRINT_PRETTY, &b) == WEFT_OK)
        printf("seed %llu\n%s\n", (unsigned long long)seed, b.p);
    weft_buf_free(&b);
}

/* Arguments: f32 within [-1, 1], i32 small. */
static void fill(const weft_exec_value *v, void *p, weft_rng *r) {
    const int64_t n = v->bytes / (int64_t)weft_dtype_bytes(v->dtype);
    for (int64_t i = 0; i < n; i++) {
        double x = v->dtype == WEFT_F32 ? 2 * weft_rng_unit(r) - 1 : (double)weft_rng_range(r, -2, 9);
        weft_dtype_store(v->dtype, (char *)p + i * (int64_t)weft_dtype_bytes(v->dtype), x);
    }
}

static void **buffers(const weft_exec_value *v, uint32_t n) {
    void **p = calloc(n + 1, sizeof *p);
    ck_assert(p != NULL);
    for (uint32_t i = 0; i < n; i++) p[i] = walk_buffer((size_t)v[i].bytes);
    return p;
}

static void release(void **p, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) free(p[i]);
    free(p);
}

static int64_t differing(const weft_exec_value *v, const char *a, const char *b) {
    const int64_t size = (int64_t)weft_dtype_bytes(v->dtype);
    int64_t bad = 0;
    for (int64_t i = 0; i < v->bytes; i += size) {
        double x = weft_dtype_load(v->dtype, a + i), y = weft_dtype_load(v->dtype, b + i);
        if (!(fabs(x - y) <= 2e-4 + 2e-4 * fabs(y))) bad++;
    }
    return bad;
}

/* Arguments whose type a result has may be taken over by it: every other one is donated. */
static weft_status donate(weft_module *m) {
    weft_op *f = weft_module_main(m);
    const weft_type *t = weft_func_type(f);
    const uint32_t args = t->input_count, results = t->part_count - args;
    bool taken[64] = { false };
    const weft_attr *dicts[64];
    if (args > 64 || results > 64) return WEFT_OK;
    for (uint32_t a = 0; a < args; a++) {
        weft_named_attr alias = { weft_name_from(m->cx, "tf.aliasing_output"), NULL };
        dicts[a] = weft_attr_dict(m->cx, NULL, 0);
        for (uint32_t r = 0; r < results && a % 2 == 0 && !alias.value; r++) {
            if (taken[r] || t->parts[args + r] != t->parts[a]) continue;
            taken[r] = true;
            alias.value = weft_attr_int(m->cx, r, weft_type_scalar(m->cx, WEFT_I32));
        }
        if (alias.value) dicts[a] = weft_attr_dict(m->cx, &alias, 1);
    }
    return weft_op_set(m, f, WEFT_A_arg_attrs, weft_attr_array(m->cx, dicts, args));
}

/* Where a run leaves its results: a donated argument's memory, or memory of its own. */
typedef struct run { void **args, **own, *at[64]; } run;

static void compare(const weft_module *m, weft_executable *x[2], uint64_t seed) {
    run of[2];
    ck_assert_uint_le(x[0]->result_count, 64);
    for (int k = 0; k < 2; k++) {
        weft_rng r = { seed };
        of[k].args = buffers(x[k]->args, x[k]->arg_count), of[k].own = buffers(x[k]->results, x[k]->result_count);
        for (uint32_t i = 0; i < x[k]->arg_count; i++) fill(&x[k]->args[i], of[k].args[i], &r);
        for (uint32_t i = 0; i < x[k]->result_count; i++)
            of[k].at[i] = x[k]->results[i].alias >= 0 ? of[k].args[x[k]->results[i].alias] : of[k].own[i];
        ck_assert_int_eq(walk_run(x[k], of[k].args, of[k].at, NULL), WEFT_OK);
    }
    for (uint32_t i = 0; i < x[0]->result_count; i++) {
        int64_t bad = differing(&x[0]->results[i], of[0].at[i], of[1].at[i]);
        if (bad) print_program(m, seed);
        ck_assert_msg(!bad, "seed %llu: result %u: %lld elements differ", (unsigned long long)seed, i, (long long)bad);
    }
    for (int k = 0; k < 2; k++) release(of[k].args, x[k]->arg_count), release(of[k].own, x[k]->result_count);
}

static void same_plan(weft_context *cx, const weft_module *m, const weft_machine *machine,
                      const weft_executable *x) {
    weft_executable *plan = NULL;
    const weft_compile_options opt = { .flags = WEFT_COMPILE_PLAN_ONLY, .device_count = 1, .machine = machine };
    ck_assert_int_eq(weft_codegen_compile(cx, m, &opt, &plan), WEFT_OK);
    ck_assert_uint_eq(plan->step_count, x->step_count);
    ck_assert_int_eq(plan->temp_bytes, x->temp_bytes);
    ck_assert_uint_eq(plan->fingerprint, x->fingerprint);
    ck_assert_int_eq(weft_plan_peak_bytes(&plan->plan), weft_plan_peak_bytes(&x->plan));
    weft_executable_free(plan);
}

static void fused_is_unfused(uint64_t seed, uint32_t ops) {
    const weft_random_options opt = { .seed = seed, .ops = ops };
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_executable *x[2] = { NULL, NULL };
    ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
    ck_assert_int_eq(donate(m), WEFT_OK);
    const weft_machine *machine[2] = { walk_machine(), walk_machine() };
    for (int k = 0; k < 2; k++) {
        const weft_compile_options how = { .flags = k ? WEFT_COMPILE_NO_FUSION : 0, .device_count = 1,
                                           .machine = machine[k] };
        weft_status st = weft_codegen_compile(cx, m, &how, &x[k]);
        if (st != WEFT_OK) print_program(m, seed);
        ck_assert_msg(st == WEFT_OK, "seed %llu: %s", (unsigned long long)seed,
                      weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    }
    same_plan(cx, m, machine[0], x[0]);
    compare(m, x, seed);
    for (int k = 0; k < 2; k++) weft_executable_free(x[k]);
    weft_module_free(m);
    weft_context_free(cx);
}

START_TEST(test_random) { fused_is_unfused(weft_test_seed(1000) + (uint64_t)_i, 10 + (uint32_t)_i % 30); }
END_TEST

START_TEST(test_found) { fused_is_unfused(found[_i].seed, found[_i].ops); }
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/random");
    TCase *tc = tcase_create("random");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, test_random, 0, weft_test_sample(PROGRAMS));
    tcase_add_loop_test(tc, test_found, 0, (int)WEFT_COUNT(found));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
