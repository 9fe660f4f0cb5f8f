/* Chains of moves between placements: known ones, and laws over random ones. */
#include <stdio.h>
#include "mlir/read.h"
#include "partitioner/layout/reshard_plan.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

typedef struct fixture {
    weft_context *cx;
    weft_module *m;
    weft_arena arena;
    weft_placements *t;
    weft_planner *planner;
} fixture;

static const char letters[] = "SGAPRC"; /* slice, gather, all_to_all, permute, reduce, reduce_scatter */

/* A function whose argument i has the i-th sharding. */
static void open_fixture(fixture *f, const char *mesh, const char *type, const char *const *shardings, int n) {
    weft_buf text;
    f->cx = weft_context_new(NULL);
    weft_buf_init(&text, &f->cx->alloc);
    weft_buf_printf(&text, "module {\n sdy.mesh @m = <[%s]>\n func.func @main(", mesh);
    for (int i = 0; i < n; i++)
        weft_buf_printf(&text, "%s%%a%d: %s {sdy.sharding = #sdy.sharding<@m, %s>}", i ? ", " : "", i, type,
                        shardings[i]);
    weft_buf_puts(&text, ") {\n return\n }\n}\n");
    ck_assert_int_eq(weft_read_text(f->cx, (weft_str){ text.p, text.n }, "plan.mlir", 0, &f->m), WEFT_OK);
    weft_buf_free(&text);
    weft_arena_init(&f->arena, &f->cx->alloc);
    ck_assert_int_eq(weft_placements_open(f->m, &f->arena, &f->t), WEFT_OK);
    ck_assert_int_eq(weft_planner_open(f->t, &weft_machine_default.costs, &f->arena, &f->planner), WEFT_OK);
}

static void close_fixture(fixture *f) {
    weft_arena_free(&f->arena);
    weft_module_free(f->m);
    weft_context_free(f->cx);
}

static const weft_value *arg(const fixture *f, uint32_t i) { return weft_op_body(weft_module_main(f->m), 0)->args[i]; }

static weft_placement_id placement(const fixture *f, uint32_t i) {
    weft_placement_id id;
    ck_assert_int_eq(weft_placement_of_value(f->t, arg(f, i), &id), WEFT_OK);
    return id;
}

/* The tensor has 4096 bytes. */
#define MESH "\"x\"=2, \"y\"=4"
#define TYPE "tensor<16x64xf32>"
typedef struct chain { const char *from, *to, *moves; double wire; } chain;
static const chain known[] = {
    { "[{}, {}]", "[{}, {}]", "", 0 },
    { "[{}, {}]", "[{\"x\"}, {\"y\"}]", "SS", 0 },
    { "[{\"x\"}, {}]", "[{}, {}]", "G", 4096 / 2 },
    { "[{\"y\"}, {}]", "[{}, {}]", "G", 4096 * 3 / 4 },
    { "[{\"x\", \"y\"}, {}]", "[{}, {}]", "G", 4096 * 7 / 8 },
    { "[{\"y\"}, {}]", "[{}, {\"y\"}]", "A", 1024 * 3 / 4 },
    { "[{\"x\", \"y\"}, {}]", "[{\"x\"}, {\"y\"}]", "A", 512 * 3 / 4 },
    { "[{\"x\", \"y\"}, {}]", "[{\"y\", \"x\"}, {}]", "P", 512 },
    { "[{\"x\"}, {}]", "[{\"y\":(1)2}, {}]", "P", 2048 },
    { "[{\"x\"}, {\"y\":(1)2}]", "[{\"y\":(1)2}, {\"x\"}]", "P", 1024 },
    { "[{\"x\"}, {}]", "[{}, {\"y\"}]", "SG", 512 },          /* slice first: then a fourth is gathered */
    { "[{\"x\"}, {}]", "[{\"x\"}, {\"y\"}]", "S", 0 },
    { "[{\"y\"}, {}]", "[{\"x\", \"y\"}, {}]", "SP", 512 },
    { "[{}, {}], unreduced={\"y\"}", "[{}, {}]", "R", 2 * 4096 * 3 / 4 },
    { "[{}, {}], unreduced={\"y\"}", "[{\"y\"}, {}]", "C", 4096 * 3 / 4 },
    { "[{\"x\"}, {}], unreduced={\"y\"}", "[{\"x\"}, {\"y\"}]", "C", 2048 * 3 / 4 },
    { "[{}, {}], unreduced={\"x\", \"y\"}", "[{\"x\"}, {}]", "CR", 2048 + 2 * 2048 * 3 / 4 },
    { "[{}, {}], unreduced={\"y\"}", "[{\"x\"}, {}]", "SR", 2 * 2048 * 3 / 4 },
};

/* Three rows of 32 bytes over four devices: the fourth sends padding. */
#define UNEVEN_TYPE "tensor<3x8xf32>"
static const chain uneven[] = {
    { "[{\"y\"}, {}]", "[{}, {}]", "G", 4 * 32 * 3 / 4 },
    { "[{\"y\"}, {}]", "[{}, {\"y\"}]", "A", 32 * 3 / 4 },
    { "[{}, {\"y\"}]", "[{\"y\"}, {}]", "A", 4 * 8 * 3 / 4 },
    { "[{}, {}], unreduced={\"y\"}", "[{\"y\"}, {}]", "C", 4 * 32 * 3 / 4 },
};

static void check_chain(const chain *known, const char *type) {
    fixture f;
    const char *shardings[] = { known->from, known->to };
    const weft_reshard_plan *plan;
    char moves[16] = "";
    open_fixture(&f, MESH, type, shardings, 2);
    ck_assert_int_eq(weft_reshard_plan_find(f.planner, placement(&f, 0), placement(&f, 1), arg(&f, 0)->type, &plan),
                     WEFT_OK);
    ck_assert_ptr_nonnull(plan);
    for (uint32_t i = 0; i < plan->n; i++) moves[i] = letters[plan->moves[i].kind];
    ck_assert_str_eq(moves, known->moves);
    ck_assert_double_eq_tol(plan->wire_bytes, known->wire, 1e-9);
    if (plan->n) ck_assert_uint_eq(plan->moves[plan->n - 1].after, placement(&f, 1));
    close_fixture(&f);
}

START_TEST(finds_the_known_chain) { check_chain(&known[_i], TYPE); }
END_TEST

START_TEST(counts_the_padding_that_is_sent) { check_chain(&uneven[_i], UNEVEN_TYPE); }
END_TEST

START_TEST(nothing_makes_a_partial_sum) {
    fixture f;
    const char *shardings[] = { "[{}, {}]", "[{}, {}], unreduced={\"y\"}" };
    const weft_reshard_plan *plan;
    open_fixture(&f, MESH, TYPE, shardings, 2);
    ck_assert_int_eq(weft_reshard_plan_find(f.planner, placement(&f, 0), placement(&f, 1), arg(&f, 0)->type, &plan),
                     WEFT_OK);
    ck_assert_ptr_null(plan);
    close_fixture(&f);
}
END_TEST

static weft_placement_id random_placement(const fixture *f, weft_rng *r, const weft_type *type) {
    weft_placement l = { 0 };
    weft_placement_id id;
    for (uint32_t a = 0; a < weft_placements_atom_count(f->t); a++) {
        uint32_t d = weft_rng_below(r, type->rank + 1);
        if (d == type->rank) continue;
        weft_placement next = l;
        weft_placement_append(&next, d, a);
        if (weft_placement_divides(f->t, &next, type)) l = next;
    }
    ck_assert_int_eq(weft_placement_intern(f->t, &l, &id), WEFT_OK);
    return id;
}

/* Any two placements are joined; every step changes what its move says; gathering all and slicing again is never
 * cheaper. */
START_TEST(random_chains_arrive) {
    fixture f;
    weft_rng r;
    const char *shardings[] = { "[{\"x\":(1)2, \"y\"}, {\"z\"}]" };
    uint64_t seed = weft_test_seed(20260101) + (uint64_t)_i;
    r = (weft_rng){ seed };
    open_fixture(&f, "\"x\"=4, \"y\"=2, \"z\"=3", "tensor<48x24xf32>", shardings, 1);
    const weft_type *type = arg(&f, 0)->type;
    weft_placement_id from = random_placement(&f, &r, type), to = random_placement(&f, &r, type);
    const weft_reshard_plan *plan, *out, *in;
    ck_assert_int_eq(weft_reshard_plan_find(f.planner, from, to, type, &plan), WEFT_OK);
    ck_assert_int_eq(weft_reshard_plan_find(f.planner, from, WEFT_REPLICATED, type, &out), WEFT_OK);
    ck_assert_int_eq(weft_reshard_plan_find(f.planner, WEFT_REPLICATED, to, type, &in), WEFT_OK);
    ck_assert_msg(plan && out && in, "no way, seed %llu", (unsigned long long)seed);
    ck_assert_msg(plan->wire_bytes <= out->wire_bytes + in->wire_bytes + 1e-6, "dearer than gathering all, seed %llu",
                  (unsigned long long)seed);
    ck_assert_uint_eq(plan->n ? plan->moves[plan->n - 1].after : from, to);
    int64_t before = weft_placement_local_bytes(f.t, weft_placement_of(f.t, from), type);
    for (uint32_t i = 0; i < plan->n; i++) {
        int64_t after = weft_placement_local_bytes(f.t, weft_placement_of(f.t, plan->moves[i].after), type);
        switch (plan->moves[i].kind) {
        case WEFT_MOVE_SLICE: ck_assert_int_lt(after, before); break;
        case WEFT_MOVE_GATHER: ck_assert_int_gt(after, before); break;
        default: ck_assert_int_eq(after, before); break;
        }
        before = after;
    }
    close_fixture(&f);
}
END_TEST

/* Searches over more placements than are kept at a time arrive too. */
START_TEST(many_axes_arrive) {
    fixture f;
    const char *shardings[] = { "[{}, {}, {}, {}, {}, {}, {}, {}]" };
    uint64_t seed = weft_test_seed(20261125) + (uint64_t)_i;
    weft_rng r = { seed };
    open_fixture(
        &f,
        "\"a\"=2, \"b\"=2, \"c\"=2, \"d\"=2, \"e\"=2, \"f\"=2, \"g\"=2, \"h\"=2, \"i\"=2, \"j\"=2, \"k\"=2, \"l\"=2",
        "tensor<16x16x16x16x16x16x16x16xf32>", shardings, 1);
    const weft_type *type = arg(&f, 0)->type;
    weft_placement_id from = random_placement(&f, &r, type), to = random_placement(&f, &r, type);
    const weft_reshard_plan *plan;
    ck_assert_int_eq(weft_reshard_plan_find(f.planner, from, to, type, &plan), WEFT_OK);
    ck_assert_msg(plan, "no way, seed %llu", (unsigned long long)seed);
    ck_assert_uint_eq(plan->n ? plan->moves[plan->n - 1].after : from, to);
    const double price = weft_price_sent(&weft_machine_default.costs, plan->wire_bytes);
    ck_assert_msg(plan->price < price / 10, "as dear as gathering all, seed %llu", (unsigned long long)seed);
    close_fixture(&f);
}
END_TEST

int main(void) {
    Suite *s = suite_create("reshard_plan");
    TCase *tc = tcase_create("plans");
    tcase_add_loop_test(tc, finds_the_known_chain, 0, WEFT_COUNT(known));
    tcase_add_loop_test(tc, counts_the_padding_that_is_sent, 0, WEFT_COUNT(uneven));
    tcase_add_test(tc, nothing_makes_a_partial_sum);
    tcase_add_loop_test(tc, random_chains_arrive, 0, 200);
    tcase_add_loop_test(tc, many_axes_arrive, 0, 20);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
