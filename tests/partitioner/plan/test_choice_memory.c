/* Choices are found again by exactly the facts on which they depend. */
#include "mlir/read.h"
#include "partitioner/plan/choice_memory.h"
#include "tests/support/suite.h"

typedef struct fixture {
    weft_context *cx;
    weft_module *m;
    weft_arena arena;
    weft_placements *t;
    weft_rules *rules;
    weft_choice_memory *memory;
    const weft_op *ops[4];          /* two additions alike, one of another type, a product */
    weft_placement_id at[2];        /* whole, and rows along x */
} fixture;

static const char program[] =
    "module {\n sdy.mesh @m = <[\"x\"=2]>\n"
    " func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}, %b: tensor<4x4xf32>, %c: tensor<8x4xf32>) {\n"
    "  %0 = stablehlo.add %a, %b : tensor<4x4xf32>\n  %1 = stablehlo.add %b, %a : tensor<4x4xf32>\n  %2 = stablehlo.add %c, %c : tensor<8x4xf32>\n"
    "  %3 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n  return\n }\n}\n";

static void open_fixture(fixture *f) {
    f->cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_read_text(f->cx, WEFT_STR(program), "memory.mlir", 0, &f->m), WEFT_OK);
    weft_arena_init(&f->arena, &f->cx->alloc);
    ck_assert_int_eq(weft_placements_open(f->m, &f->arena, &f->t), WEFT_OK);
    ck_assert_int_eq(weft_rules_open(f->cx, &f->arena, &f->rules), WEFT_OK);
    ck_assert_int_eq(weft_choice_memory_open(f->m, &f->arena, &f->memory), WEFT_OK);
    const weft_block *body = weft_op_body(weft_module_main(f->m), 0);
    uint32_t n = 0;
    for (const weft_op *op = body->first; op && n < WEFT_COUNT(f->ops); op = op->next) f->ops[n++] = op;
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_int_eq(weft_placement_of_value(f->t, body->args[1 - i], &f->at[i]), WEFT_OK);
    ck_assert_uint_ne(f->at[0], f->at[1]);
}

static void close_fixture(fixture *f) {
    weft_arena_free(&f->arena);
    weft_module_free(f->m);
    weft_context_free(f->cx);
}

/* What a request may differ in. */
typedef struct asked {
    uint32_t op, first, second, want;  /* which op; placements of operands and result */
    bool free, stays;
    double turns, making, wish;        /* negative: none */
} asked;

static weft_choice_key key_of(fixture *f, const asked *a, const weft_choice_class **of) {
    const weft_op *op = f->ops[a->op];
    weft_uses uses;
    const weft_rule *rule = NULL;
    weft_choice_key key;
    weft_wish wish = { .at = f->at[a->want], .cost = a->wish };
    weft_wishes one = { &wish, 1 };
    const weft_wishes *wishes = a->wish < 0 ? NULL : &one;
    const weft_choice_operand operands[] = {
        { .value = op->operands[0], .have = &f->at[a->first], .have_count = 1, .free = a->free, .may_stay_partial = a->stays, .turns = a->turns, .room = 7 },
        { .value = op->operands[1], .have = &f->at[a->second], .have_count = 1, .making = a->making < 0 ? NULL : &a->making },
    };
    ck_assert_int_eq(weft_uses_build(f->m, &f->arena, &uses), WEFT_OK);
    ck_assert_int_eq(weft_rule_of(f->rules, op, WEFT_RULE_WORK, &uses, &rule), WEFT_OK);
    ck_assert_int_eq(weft_choice_class_of(f->memory, op, rule, of), WEFT_OK);
    weft_choice_request r = {
        .op = op, .rule = rule, .operands = operands, .declared = &f->at[a->want], .wishes = &wishes
    };
    ck_assert_int_eq(weft_choice_key_of(f->memory, *of, &r, &key), WEFT_OK);
    return key;
}

static const asked base = { .op = 0, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = -1 };
static const struct { asked of; bool same; } requests[] = {
    { { .op = 0, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = -1 }, true },
    { { .op = 1, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = -1 }, true }, /* another op like it */
    { { .op = 1, .first = 1, .second = 0, .want = 1, .turns = 0, .making = -1, .wish = -1 }, true }, /* 0 turns are one */
    { { .op = 2, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = -1 }, false },
    { { .op = 3, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = -1 }, false },
    { { .op = 0, .first = 0, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = -1 }, false },
    { { .op = 0, .first = 1, .second = 1, .want = 1, .turns = 1, .making = -1, .wish = -1 }, false },
    { { .op = 0, .first = 1, .second = 0, .want = 0, .turns = 1, .making = -1, .wish = -1 }, false },
    { { .op = 0, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = -1, .free = true }, false },
    { { .op = 0, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = -1, .stays = true }, false },
    { { .op = 0, .first = 1, .second = 0, .want = 1, .turns = 2, .making = -1, .wish = -1 }, false },
    { { .op = 0, .first = 1, .second = 0, .want = 1, .turns = 1, .making = 3, .wish = -1 }, false },
    { { .op = 0, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = 0 }, false },
    { { .op = 0, .first = 1, .second = 0, .want = 1, .turns = 1, .making = -1, .wish = 5 }, false },
};

START_TEST(test_requests) {
    fixture f;
    const weft_choice_class *of, *other;
    weft_choice_mode mode = { .trust = 1 };
    weft_placement_id operands[2], results[1];
    open_fixture(&f);
    weft_choice_key key = key_of(&f, &base, &of);
    weft_choice made = { .operands = (weft_placement_id[]){ f.at[1], f.at[1] }, .results = &f.at[1], .cost = 42 };
    weft_choice found = { .operands = operands, .results = results };
    ck_assert(!weft_choice_recall(f.memory, &key, mode, &found));
    ck_assert_int_eq(weft_choice_remember(f.memory, &key, mode, WEFT_CHOICE_COMPARED, &made), WEFT_OK);
    key = key_of(&f, &requests[_i].of, &other);
    ck_assert_int_eq(weft_choice_recall(f.memory, &key, mode, &found), requests[_i].same);
    if (requests[_i].same) {
        ck_assert_ptr_eq(of, other);
        ck_assert(found.operands == operands && operands[0] == f.at[1] && operands[1] == f.at[1] &&
                  results[0] == f.at[1] && (int)found.cost == 42);
    }
    close_fixture(&f);
}
END_TEST

/* A choice among several holds for its own mode; one by which nothing moves for any, but that products are offered more
 * when wide. */
static const struct { uint32_t op; weft_choice_basis basis; weft_choice_mode mode; bool holds; } modes[] = {
    { 0, WEFT_CHOICE_COMPARED, { 1, false }, true },  { 0, WEFT_CHOICE_COMPARED, { 0.25, false }, false }, { 0, WEFT_CHOICE_COMPARED, { 1, true }, false },
    { 0, WEFT_CHOICE_FREE, { 0.25, false }, true },   { 0, WEFT_CHOICE_FREE, { 1, true }, true },          { 3, WEFT_CHOICE_FREE, { 0.25, false }, true },
    { 3, WEFT_CHOICE_FREE, { 1, true }, false },
};

START_TEST(test_modes) {
    fixture f;
    const weft_choice_class *of;
    weft_placement_id operands[2], results[1];
    open_fixture(&f);
    asked a = base;
    a.op = modes[_i].op;
    weft_choice_key key = key_of(&f, &a, &of);
    weft_choice made = { .operands = (weft_placement_id[]){ f.at[1], f.at[0] }, .results = &f.at[1] },
                found = { .operands = operands, .results = results };
    ck_assert_int_eq(weft_choice_remember(f.memory, &key, (weft_choice_mode){ .trust = 1 }, modes[_i].basis, &made),
                     WEFT_OK);
    ck_assert_int_eq(weft_choice_recall(f.memory, &key, modes[_i].mode, &found), modes[_i].holds);
    close_fixture(&f);
}
END_TEST

int main(void) {
    Suite *s = suite_create("partitioner/choice_memory");
    TCase *tc = tcase_create("memory");
    tcase_add_loop_test(tc, test_requests, 0, WEFT_COUNT(requests));
    tcase_add_loop_test(tc, test_modes, 0, WEFT_COUNT(modes));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
