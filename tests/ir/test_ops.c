/* Every op of the table in a small valid program (ops.mlir): read, verified, printed in both forms and read again. A
 * case is a module whose first line names its op:
 *
 *     // stablehlo.add
 */
#include <stdio.h>
#include "base/context.h"
#include "ir/builder.h"
#include "ir/verify.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/support/suite.h"

static char *text; /* of ops.mlir, each case ended by a NUL */
static struct { const char *name, *text; } of[WEFT_OP_COUNT];

/* Finds the cases; those of names that the table does not have are reported by every_case_is_an_op. */
static const char *unknown;

static void load(void) {
    static const char separator[] = "// -----\n// ";
    char path[1024];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/ir/ops.mlir", top ? top : ".");
    FILE *f = fopen(path, "rb");
    text = calloc(1, 1 << 20);
    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) exit(1);
    fclose(f);
    for (char *at = strstr(text, separator), *next; at; at = next) {
        at += sizeof separator - 1;
        next = strstr(at, separator);
        if (next) next[-1] = '\0';
        char *eol = strchr(at, '\n');
        *eol = '\0';
        unsigned k = 0;
        while (k < WEFT_OP_other && strcmp(weft_op_table[k].name, at)) k++;
        if (k == WEFT_OP_other) unknown = at;
        else of[k].name = at;
        if (k < WEFT_OP_other) of[k].text = eol + 1;
    }
}

static weft_status counts(void *user, weft_op *op) {
    ++((uint32_t *)user)[op->kind];
    return WEFT_OK;
}

static weft_module *read_ok(weft_context *cx, weft_str s, const char *name) {
    weft_module *m = NULL;
    ck_assert_msg(s.p != NULL, "there is no case to read: every_op_has_a_case says of which op");
    if (weft_read_text(cx, s, name, 0, &m) != WEFT_OK)
        ck_abort_msg("%s, line %lld: %s\n%.*s", name, (long long)weft_context_diag(cx, 0)->line,
                     weft_context_diag(cx, 0)->message, WEFT_STR_ARG(s));
    return m;
}

START_TEST(every_op_has_a_case) {
    ck_assert_msg(of[_i].text != NULL, "ops.mlir has no case of %s", weft_op_table[_i].name);
    weft_context *cx = weft_context_new(NULL);
    uint32_t count[WEFT_OP_COUNT] = { 0 };
    weft_module *m = read_ok(cx, weft_str_from(of[_i].text), of[_i].name);
    weft_module_walk(m, counts, count);
    ck_assert_msg(count[_i] > 0, "the case of %s does not have it", of[_i].name);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

START_TEST(every_case_is_an_op) { ck_assert_msg(!unknown, "ops.mlir has a case of %s, which is no op", unknown); }
END_TEST

static const char *const gen_of[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = #gen,
#include "ir/ops.def"
};

/* Whose column gen says `legalized` is not there any more when code is made, or a pass has said why it cannot be (of a
 * shape that is no constant). What sdy says of shardings the partitioner replaces, before. */
START_TEST(what_is_legalized_goes) {
    if (strcmp(gen_of[_i], "legalized") != 0 || !strncmp(weft_op_table[_i].name, "sdy.", 4)) return;
    weft_context *cx = weft_context_new(NULL);
    uint32_t count[WEFT_OP_COUNT] = { 0 };
    weft_module *m = read_ok(cx, weft_str_from(of[_i].text), of[_i].name);
    weft_status st = weft_pipeline_run(cx, WEFT_STR("weft-prepare"), WEFT_PIPELINE_VERIFY_EACH, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-legalize"), WEFT_PIPELINE_VERIFY_EACH, &m);
    if (st == WEFT_OK) {
        weft_module_walk(m, counts, count);
        ck_assert_msg(
            count[_i] == 0,
            "%s is `legalized` in ir/ops.def, and no pass of weft-prepare or weft-legalize replaces it (of CHLO: the table in legalize/chlo.c)",
            of[_i].name);
    }
    ck_assert_msg(st == WEFT_OK || weft_context_diag(cx, 0), "%s: %s, and nothing is said", of[_i].name,
                  weft_status_name(st));
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* Printed in a form, read, and printed again: the same text, pretty and generic, as from the program itself. */
START_TEST(prints_what_it_reads) {
    static const unsigned forms[] = { WEFT_PRINT_PRETTY, WEFT_PRINT_GENERIC };
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = read_ok(cx, weft_str_from(of[_i].text), of[_i].name);
    for (size_t i = 0; i < WEFT_COUNT(forms); i++) {
        weft_buf first, again;
        weft_buf_init(&first, &cx->alloc);
        ck_assert_int_eq(weft_print_module(m, forms[i], &first), WEFT_OK);
        weft_module *back = read_ok(cx, (weft_str){ first.p, first.n }, of[_i].name);
        for (size_t k = 0; k < WEFT_COUNT(forms); k++) {
            weft_buf want;
            weft_buf_init(&want, &cx->alloc);
            weft_buf_init(&again, &cx->alloc);
            ck_assert_int_eq(weft_print_module(m, forms[k], &want), WEFT_OK);
            ck_assert_int_eq(weft_print_module(back, forms[k], &again), WEFT_OK);
            ck_assert_str_eq(again.p, want.p);
            weft_buf_free(&want);
            weft_buf_free(&again);
        }
        weft_module_free(back);
        weft_buf_free(&first);
    }
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* What is taken from an op or spoilt, and whether that can be done to it. What the table says of it must then be
 * missed. */
static bool no_attributes(weft_context *cx, weft_op *op) {
    (void)cx;
    bool needs = false;
    for (const weft_attr_spec *s = weft_op_table[op->kind].attrs; s->presence != WEFT_END_OF_ATTRS; s++)
        needs |= s->presence == WEFT_REQUIRED;
    op->attr_count = 0;
    return needs;
}

static bool one_operand_fewer(weft_context *cx, weft_op *op) {
    (void)cx;
    return weft_op_table[op->kind].operands > 0 && op->operand_count-- > 0;
}

static bool one_result_fewer(weft_context *cx, weft_op *op) {
    (void)cx;
    return weft_op_table[op->kind].results > 0 && op->result_count-- > 0;
}

static bool no_regions(weft_context *cx, weft_op *op) {
    (void)cx;
    bool has = op->region_count > 0;
    op->region_count = 0;
    return has;
}

/* Terminators are checked by the op that owns the region, custom calls take anything; markers of sdy, any value. */
static bool operand_of_no_known_type(weft_context *cx, weft_op *op) {
    static const weft_op_kind takes_any[] = { WEFT_OP_custom_call, WEFT_OP_sdy_data_flow_edge,
                                              WEFT_OP_sdy_func_data_flow_edge, WEFT_OP_sdy_propagation_barrier };
    if (!op->operand_count || weft_op_kind_has(op->kind, WEFT_TRAIT_TERMINATOR)) return false;
    for (size_t i = 0; i < WEFT_COUNT(takes_any); i++)
        if (op->kind == takes_any[i]) return false;
    op->operands[0]->type = weft_type_opaque(cx, WEFT_STR("!some.type"));
    return op->operands[0]->type != NULL;
}

static const struct { const char *name; bool (*spoil)(weft_context *, weft_op *); } harms[] = {
    { "without attributes", no_attributes }, { "with an operand fewer", one_operand_fewer }, { "with a result fewer", one_result_fewer },
    { "without regions", no_regions },       { "with an operand of no known type", operand_of_no_known_type },
};

static weft_status find_kind(void *user, weft_op *op) {
    weft_op **found = user;
    if (op->kind != (*found)->kind) return WEFT_OK;
    *found = op;
    return WEFT_ERR_IO; /* stops the walk */
}

START_TEST(every_op_is_verified) {
    int spoilt = 0;
    for (size_t i = 0; i < WEFT_COUNT(harms); i++) {
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = read_ok(cx, weft_str_from(of[_i].text), of[_i].name);
        weft_op kind = { .kind = (uint16_t)_i }, *op = &kind;
        weft_module_walk(m, find_kind, &op);
        ck_assert_ptr_ne(op, &kind);
        if (_i == WEFT_OP_module) op = m->root;
        if (harms[i].spoil(cx, op)) {
            ck_assert_msg(weft_verify_op(cx, op) == WEFT_ERR_INVALID, "%s %s is not refused", of[_i].name,
                          harms[i].name);
            ck_assert(weft_context_diag_count(cx) > 0 && weft_context_diag(cx, 0)->severity == WEFT_ERROR &&
                      weft_context_diag(cx, 0)->line > 0);
            for (size_t k = 1; k < weft_context_diag_count(cx); k++)
                ck_assert_int_ne(weft_context_diag(cx, k)->severity, WEFT_ERROR);
            spoilt++;
        }
        weft_module_free(m);
        weft_context_free(cx);
    }
    ck_assert_msg(spoilt > 0 || weft_op_kind_has((weft_op_kind)_i, WEFT_TRAIT_TERMINATOR), "%s is never refused",
                  of[_i].name);
}
END_TEST

int main(void) {
    load();
    Suite *s = suite_create("ir/ops");
    TCase *tc = tcase_create("ops");
    tcase_add_loop_test(tc, every_op_has_a_case, 0, WEFT_OP_other);
    tcase_add_loop_test(tc, what_is_legalized_goes, 0, WEFT_OP_other);
    tcase_add_test(tc, every_case_is_an_op);
    tcase_add_loop_test(tc, prints_what_it_reads, 0, WEFT_OP_other);
    tcase_add_loop_test(tc, every_op_is_verified, 0, WEFT_OP_other);
    suite_add_tcase(s, tc);
    int failed = weft_run_suite(s);
    free(text);
    return failed;
}
