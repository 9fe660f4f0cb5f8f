/* test_wide_plan.c: random programs with dimensions over 2^31 are planned, and never run.
 *
 * The programs are random_module.h's with a unit: loops, branches, narrow types, gathers, scatters, dynamic slices,
 * concatenations, convolutions, windows, sorts and transforms over wide dimensions, sharded over a mesh. What is held:
 *
 *   - The program is planned, within the memory of a small process, or is refused with a diagnostic.
 *   - Every tensor of the partitioned program has a size that can be, and the plan's bytes follow from these sizes: its
 *     collectives have the bytes of the module's, counted here in 128 bits, and what they send follows from these.
 *   - The same program with a small unit, where it comes out as the same ops, has collectives that send as much, or as
 *     much times the ratio of the units. What a device holds is a line in the unit: two units give the third.
 *
 * WEFT_SEED=S WEFT_ONLY=CASE repeats one; WEFT_TRACE=1 prints each program before it is planned.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "cost/simulate.h"
#include "pipeline/pipeline.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

#ifndef PROGRAMS
#define PROGRAMS 12 /* per case */
#endif

/* odd: is added to the unit, so that no mesh divides it; such a program has no small one. */
static const struct {
    const char *name;
    int64_t devices, odd;
    unsigned flags;
    uint32_t ops;
} cases[] = {
    { "plain", 4, 0, WEFT_RANDOM_MESH, 12 },
    { "mixed", 8, 0, WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED, 15 },
    { "windows", 4, 0, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS, 12 },
    { "windows", 8, 0, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_MIXED | WEFT_RANDOM_SUB_AXES, 15 },
    { "uneven", 6, 0, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_MIXED | WEFT_RANDOM_UNEVEN, 12 },
    { "odd", 8, 7, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_MIXED | WEFT_RANDOM_UNEVEN, 12 },
    { "large mesh", 4096, 0, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_MIXED, 12 },
};

__extension__ typedef __int128 wide_int;
enum { KINDS = WEFT_PLAN_COLL_COUNT };
static const int64_t units[] = { (int64_t)1 << 12, (int64_t)1 << 31, (int64_t)1 << 32 };

static wide_int bytes_of(const weft_type *t) {
    wide_int n = (wide_int)weft_dtype_bytes(t->dtype);
    for (uint32_t d = 0; d < t->rank; d++) n *= t->dims[d];
    return n;
}

/* What the partitioned module says. */
typedef struct count {
    wide_int bytes[KINDS];     /* of collectives, as plan.h counts them */
    wide_int largest;          /* tensor */
    uint32_t ops;
    uint32_t long_convolutions; /* with a dimension over INT32_MAX: Weft computes these, not oneDNN, without scratch */
    uint64_t order;            /* which ops follow one another */
    bool negative;
    bool ragged;               /* elements go by a table, which is exchanged before */
    bool may_drop;             /* it has what code generation finds to be without effect, collectives before it too */
} count;

static bool is_ragged(const weft_op *op) {
    const weft_attr *target = weft_op_attr(op, WEFT_A_call_target_name);
    return target && weft_str_is(target->s, "ragged_all_to_all");
}

static weft_status count_op(void *user, weft_op *op) {
    static const struct { weft_op_kind op; weft_coll_kind_plan kind; bool out; } kinds[] = {
        { WEFT_OP_all_reduce, WEFT_PLAN_ALL_REDUCE, false },
        { WEFT_OP_all_gather, WEFT_PLAN_ALL_GATHER, true },
        { WEFT_OP_reduce_scatter, WEFT_PLAN_REDUCE_SCATTER, false },
        { WEFT_OP_all_to_all, WEFT_PLAN_ALL_TO_ALL, false },
        { WEFT_OP_collective_permute, WEFT_PLAN_COLLECTIVE_PERMUTE, false },
        { WEFT_OP_collective_broadcast, WEFT_PLAN_COLLECTIVE_BROADCAST, false },
    };
    count *c = user;
    bool is_long = false;
    for (uint32_t i = 0; op->kind == WEFT_OP_convolution && i < op->operand_count + op->result_count; i++) {
        const weft_type *t = i < op->operand_count ? op->operands[i]->type : op->results[0].type;
        for (uint32_t d = 0; d < t->rank; d++) is_long |= t->dims[d] > INT32_MAX;
    }
    c->long_convolutions += is_long;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_type *t = op->results[i].type;
        if (t->kind != WEFT_TYPE_TENSOR) continue;
        for (uint32_t d = 0; d < t->rank; d++) c->negative |= t->dims[d] < 0;
        if (bytes_of(t) > c->largest) c->largest = bytes_of(t);
    }
    for (size_t k = 0; k < WEFT_COUNT(kinds); k++)
        for (uint32_t i = 0; op->kind == kinds[k].op && i < op->operand_count; i++)
            c->bytes[kinds[k].kind] += bytes_of(kinds[k].out ? op->results[i].type : op->operands[i]->type);
    if (op->kind == WEFT_OP_custom_call && is_ragged(op)) {
        c->ragged = true;
        c->bytes[WEFT_PLAN_ALL_TO_ALL] += bytes_of(op->operands[0]->type);
    }
    c->may_drop |= op->kind == WEFT_OP_case || op->kind == WEFT_OP_if || op->kind == WEFT_OP_while ||
                   (op->kind == WEFT_OP_select && op->operands[1] == op->operands[2]);
    c->ops++;
    c->order = (c->order ^ op->kind) * 0x100000001b3u;
    return WEFT_OK;
}

typedef struct planned {
    weft_context *cx;
    weft_built_program *p;
    count counted;
    weft_estimate e;
} planned;

static void drop(planned *a) {
    weft_built_program_free(a->p);
    weft_context_free(a->cx);
}

#define HOLD(ok, ...)                                                                                      \
    do {                                                                                                   \
        char what[512];                                                                                    \
        snprintf(what, sizeof what, __VA_ARGS__);                                                          \
        ck_assert_msg(ok, "WEFT_SEED=%llu WEFT_ONLY='%s' (case %d), unit %lld: %s", (unsigned long long)seed, \
                      cases[c].name, c, (long long)unit, what);                                            \
    } while (0)

static void trace(const weft_module *m, uint64_t seed, int64_t unit) {
    weft_buf b;
    if (!getenv("WEFT_TRACE")) return;
    weft_buf_init(&b, &m->cx->alloc);
    ck_assert_int_eq(weft_print_module(m, WEFT_PRINT_PRETTY, &b), WEFT_OK);
    fprintf(stderr, "// WEFT_SEED=%llu, unit %lld\n%s\n", (unsigned long long)seed, (long long)unit, b.p);
    weft_buf_free(&b);
}

/* What all plans hold. */
static void check_plan(const planned *a, uint64_t seed, int c, int64_t unit) {
    const weft_plan *p = &a->p->exec->plan;
    wide_int bytes[KINDS] = { 0 };
    HOLD(!a->counted.negative, "a tensor of the partitioned program has a negative dimension");
    for (uint32_t i = 0; i < p->collective_count; i++) {
        const weft_plan_collective *l = &p->collectives[i];
        const wide_int n = l->group_size, part = n > 1 ? (wide_int)l->bytes * (n - 1) / n : 0;
        const wide_int sent = l->at_most                                ? (wide_int)l->bytes
                              : n <= 1                                  ? 0
                              : l->kind == WEFT_PLAN_ALL_REDUCE         ? (wide_int)l->bytes * 2 * (n - 1) / n
                              : l->kind == WEFT_PLAN_COLLECTIVE_PERMUTE ? (wide_int)l->bytes
                              : l->kind == WEFT_PLAN_COLLECTIVE_BROADCAST ? (wide_int)l->wire_bytes
                                                                        : part;
        bytes[l->kind] += l->bytes;
        HOLD(l->bytes >= 0 && l->wire_bytes == (int64_t)sent && sent <= INT64_MAX,
             "collective %u of %lld bytes over %lld devices sends %lld", i, (long long)l->bytes,
             (long long)l->group_size, (long long)l->wire_bytes);
    }
    for (int k = 0; k < KINDS; k++)
        HOLD(a->counted.ragged && k == WEFT_PLAN_ALL_TO_ALL ? bytes[k] >= a->counted.bytes[k] || a->counted.may_drop
             : a->counted.may_drop ? bytes[k] <= a->counted.bytes[k] : bytes[k] == a->counted.bytes[k],
             "%s of %lld bytes in the plan, of %lld in the module",
             weft_coll_kind_name((weft_coll_kind)k), (long long)bytes[k], (long long)a->counted.bytes[k]);
    for (uint32_t i = 0; i < p->step_count; i++)
        HOLD(p->steps[i].flops >= 0 && isfinite(p->steps[i].flops) && p->steps[i].read_bytes >= 0 &&
                 p->steps[i].write_bytes >= 0,
             "step %u reads %lld and writes %lld bytes by %g flops", i, (long long)p->steps[i].read_bytes,
             (long long)p->steps[i].write_bytes, p->steps[i].flops);
    wide_int edges = 0;
    for (uint32_t i = 0; i < a->p->exec->arg_count; i++) {
        const weft_exec_value *v = &a->p->exec->args[i];
        wide_int n = (wide_int)weft_dtype_bytes(v->dtype);
        for (uint32_t d = 0; d < v->rank; d++) n *= v->dims[d];
        HOLD(v->bytes >= n, "argument %u has %lld bytes", i, (long long)v->bytes);
        edges += v->bytes;
    }
    HOLD(p->argument_bytes >= edges && p->result_bytes >= 0 && p->temp_bytes >= 0 && p->constant_bytes >= 0,
         "arguments %lld, results %lld, temporaries %lld, constants %lld bytes", (long long)p->argument_bytes,
         (long long)p->result_bytes, (long long)p->temp_bytes, (long long)p->constant_bytes);
    HOLD(a->e.wire_bytes >= a->e.least_wire_bytes && a->e.least_wire_bytes >= 0 && isfinite(a->e.step_s) &&
             a->e.step_s >= a->e.least_step_s && a->e.least_step_s >= 0,
         "a step of %g to %g s sends %lld to %lld bytes", a->e.least_step_s, a->e.step_s,
         (long long)a->e.least_wire_bytes, (long long)a->e.wire_bytes);
}

/* False where it is refused. */
static bool plan(uint64_t seed, int c, int64_t unit, planned *out) {
    const weft_random_options how = { .seed = seed, .flags = cases[c].flags, .ops = cases[c].ops,
                                      .devices = cases[c].devices, .max_elems = 128, .unit = unit };
    weft_module *m = NULL;
    *out = (planned){ .cx = weft_context_new(NULL) };
    ck_assert_int_eq(weft_random_module(out->cx, &how, &m), WEFT_OK);
    trace(m, seed, unit);
    weft_status st =
        weft_program_build(out->cx, m, &(weft_build_options){ .compile_flags = WEFT_COMPILE_PLAN_ONLY }, &out->p);
    weft_module_free(m);
    const char *why = weft_context_diag_count(out->cx) ? weft_context_diag(out->cx, 0)->message : "no diagnostic";
    HOLD(st == WEFT_OK || (st == WEFT_ERR_UNSUPPORTED && weft_context_diag_count(out->cx)), "%s: %s",
         weft_status_name(st), why);
    if (st != WEFT_OK) {
        printf("WEFT_SEED=%llu: %s\n", (unsigned long long)seed, why);
        drop(out);
        return false;
    }
    const weft_plan *p = &out->p->exec->plan;
    weft_estimate_call *calls = calloc(p->collective_count + 1, sizeof *calls);
    weft_estimate_case *ways = calloc(p->case_count + 1, sizeof *ways);
    ck_assert(calls && ways);
    weft_simulate(p, &weft_machine_default, NULL, calls, ways, &out->e);
    free(calls), free(ways);
    ck_assert_int_eq(weft_module_walk(out->p->local, count_op, &out->counted), WEFT_OK);
    check_plan(out, seed, c, unit);
    return true;
}

/* What is cheapest for one size need not be for another: then the two programs have nothing to compare. */
static bool same_ops(const planned *a, const planned *b) {
    const weft_plan *p = &a->p->exec->plan, *q = &b->p->exec->plan;
    bool same = a->counted.ops == b->counted.ops && a->counted.order == b->counted.order &&
                p->collective_count == q->collective_count && p->step_count == q->step_count;
    for (uint32_t i = 0; same && i < p->collective_count; i++)
        same = p->collectives[i].kind == q->collectives[i].kind &&
               p->collectives[i].group_size == q->collectives[i].group_size;
    return same;
}

/* a and b differ by what rounding of parts makes of them: a thousandth. */
static bool near(double a, double b) { return fabs(a - b) <= 4096 + 1e-3 * fabs(b); }

/* Whether the small program came out as the wide one did. */
static bool compare(const planned of[3], uint64_t seed, int c) {
    const int64_t unit = units[2];
    if (!same_ops(&of[0], &of[1]) || !same_ops(&of[1], &of[2])) return false;
    for (uint32_t i = 0; i < of[0].p->exec->plan.collective_count; i++) {
        const weft_plan_collective *s = &of[0].p->exec->plan.collectives[i], *l = &of[2].p->exec->plan.collectives[i];
        const double ratio = (double)units[2] / (double)units[0];
        HOLD(s->wire_bytes == l->wire_bytes || near((double)l->wire_bytes, ratio * (double)s->wire_bytes),
             "collective %u sends %lld bytes, with a small unit %lld", i, (long long)l->wire_bytes,
             (long long)s->wire_bytes);
    }
    /* A convolution that has become too long for oneDNN has no scratch memory any more: there is no line to compare. */
    for (int k = 0; k < 2; k++)
        if (of[k].counted.long_convolutions != of[2].counted.long_convolutions) return true;
    double peak[3];
    for (int k = 0; k < 3; k++) peak[k] = (double)weft_plan_peak_bytes(&of[k].p->exec->plan);
    const double slope = (peak[1] - peak[0]) / (double)(units[1] - units[0]);
    HOLD(near(peak[2], peak[1] + slope * (double)(units[2] - units[1])),
         "%.0f bytes are held, with half the unit %.0f, with a small one %.0f", peak[2], peak[1], peak[0]);
    return true;
}

static bool try_program(uint64_t seed, int c, int *compared) {
    planned of[3];
    int n = 0;
    while (n < 3 && plan(seed, c, units[n] + cases[c].odd, &of[n])) n++;
    if (n == 3 && !cases[c].odd) *compared += compare(of, seed, c);
    for (int k = 0; k < n; k++) drop(&of[k]);
    return n == 3;
}

/* No host needs the memory of a wide tensor to plan one. Sanitizers reserve more than that for themselves. */
static void limit_memory(void) {
#ifndef WEFT_SANITIZERS
    const struct rlimit most = { (rlim_t)2 << 30, (rlim_t)2 << 30 };
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &most), 0);
#endif
}

START_TEST(wide_programs_are_planned) {
    const bool alone = getenv("WEFT_SEED") != NULL;
    const int programs = alone ? 1 : weft_test_sample(PROGRAMS);
    int ran = 0, compared = 0;
    if (!weft_test_wanted(cases[_i].name)) return;
    limit_memory();
    for (int i = 0; i < programs; i++)
        ran += try_program(weft_test_seed(1 + 10000 * (uint64_t)_i) + (uint64_t)i, _i, &compared);
    printf("%s: %d of %d programs planned, %d compared with a small unit\n", cases[_i].name, ran, programs, compared);
    if (!alone) ck_assert_int_ge(ran, programs * 3 / 4);
    if (!alone && !cases[_i].odd) ck_assert_int_ge(compared, programs / 8);
}
END_TEST

/* oneDNN counts in 32 bits: what it would compute over a longer dimension has a plan and no code. */
START_TEST(wide_products_have_no_code) {
    static const struct { const char *text, *says; } of[] = {
        { "func.func @main(%a: tensor<2x8589934592xf32>, %b: tensor<8589934592x3xf32>) -> tensor<2x3xf32> {\n"
          "  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
          "    : (tensor<2x8589934592xf32>, tensor<8589934592x3xf32>) -> tensor<2x3xf32>\n"
          "  return %r : tensor<2x3xf32>\n}\n",
          "this product has 2^31 elements or more along a dimension" },
        { "func.func @main(%a: tensor<1x4294967296x4xf32>, %b: tensor<3x4x4xf32>) -> tensor<1x4294967294x4xf32> {\n"
          "  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}\n"
          "    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}\n"
          "    : (tensor<1x4294967296x4xf32>, tensor<3x4x4xf32>) -> tensor<1x4294967294x4xf32>\n"
          "  return %r : tensor<1x4294967294x4xf32>\n}\n",
          "this convolution has 2^31 elements or more along a dimension" },
    };
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(of[_i].text), "wide.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_program_build(cx, m, &(weft_build_options){ .compile_flags = WEFT_COMPILE_PLAN_ONLY }, &p),
                     WEFT_OK);
    weft_built_program_free(p);
    p = NULL;
    ck_assert_int_eq(weft_program_build(cx, m, NULL, &p), WEFT_ERR_UNSUPPORTED);
    ck_assert_ptr_null(p);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, of[_i].says));
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/wide_plan");
    TCase *tc = tcase_create("wide_plan");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, wide_programs_are_planned, 0, WEFT_COUNT(cases));
    tcase_add_loop_test(tc, wide_products_have_no_code, 0, 2);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
