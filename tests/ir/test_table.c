/* The op table and its neighbours are consistent: every op has every column, names find their ops, attributes are
 * known.
 */
#include "base/context.h"
#include "ir/builder.h"
#include "ir/infer.h"
#include "cost/op_internal.h"
#include "tests/support/suite.h"

/* Each op once, as the table has it. */
typedef struct line {
    const char *id, *text, *syntax, *infer, *rule, *local, *gen, *cost;
    int operands, results, regions;
} line;

#define V WEFT_VARIADIC
static const line lines[] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    { #id, text, #syntax, #infer, #rule, #local, #gen, #cost, operands, results, regions },
#include "ir/ops.def"
};

START_TEST(every_op_is_whole) {
    const weft_op_info *info = weft_op_info_of((weft_op_kind)_i);
    const line *l = &lines[_i];
    ck_assert_uint_eq(WEFT_COUNT(lines), WEFT_OP_COUNT);
    ck_assert_str_eq(info->name, l->text);
    ck_assert_int_eq(info->operands, l->operands);
    ck_assert_int_eq(info->results, l->results);
    ck_assert_int_eq(info->regions, l->regions);
    ck_assert_ptr_nonnull(weft_infer_of[_i]);
    ck_assert_str_ne(l->infer, "unsupported"); /* the rules of every op are written down */
    ck_assert_str_ne(l->infer, "none");
    ck_assert_str_ne(l->cost, "unsupported");
    /* A column is never empty. */
    const char *columns[] = { l->syntax, l->infer, l->rule, l->local, l->gen, l->cost };
    for (size_t i = 0; i < WEFT_COUNT(columns); i++) ck_assert_str_ne(columns[i], "");
    /* The mnemonic is the id with its dialect. */
    const char *dot = strchr(l->text, '.');
    if (_i == WEFT_OP_other) return;
    ck_assert_ptr_nonnull(dot);
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = weft_module_new(cx); /* interns the table's names */
    ck_assert_int_eq(weft_op_kind_find(cx, weft_name_from(cx, l->text)), _i);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

START_TEST(attributes_of_ops_are_known) {
    const weft_op_info *info = weft_op_info_of((weft_op_kind)_i);
    unsigned seen[WEFT_A_COUNT] = { 0 };
    for (const weft_attr_spec *s = info->attrs; s->presence != WEFT_END_OF_ATTRS; s++) {
        ck_assert_uint_lt(s->name, WEFT_A_COUNT);
        ck_assert_msg(!seen[s->name]++, "%s lists %s twice", info->name, weft_attr_names[s->name]);
        ck_assert(weft_op_kind_has_attr((weft_op_kind)_i, s->name));
    }
    ck_assert(!weft_op_kind_has_attr((weft_op_kind)_i, WEFT_A_sdy_sharding));
}
END_TEST

/* What traits promise. */
START_TEST(traits_fit_the_counts) {
    weft_op_kind k = (weft_op_kind)_i;
    const weft_op_info *info = weft_op_info_of(k);
    if (weft_op_kind_has(k, WEFT_TRAIT_POINTWISE)) ck_assert_int_eq(info->results, 1);
    if (weft_op_kind_has(k, WEFT_TRAIT_COMMUTES)) ck_assert_int_eq(info->operands, 2);
    if (weft_op_kind_has(k, WEFT_TRAIT_CONSTANT)) ck_assert_int_eq(info->operands, 0);
    if (weft_op_kind_has(k, WEFT_TRAIT_TERMINATOR)) ck_assert_int_eq(info->results, 0);
    if (weft_op_kind_has(k, WEFT_TRAIT_CONTROL)) ck_assert_int_ne(info->regions, 0);
    if (weft_op_kind_has(k, WEFT_TRAIT_ISOLATED)) ck_assert_int_ne(info->regions, 0);
    if (weft_op_kind_has(k, WEFT_TRAIT_SYMBOL)) ck_assert(weft_op_kind_has_attr(k, WEFT_A_sym_name));
    ck_assert(!(weft_op_kind_has(k, WEFT_TRAIT_PURE) && weft_op_kind_has(k, WEFT_TRAIT_COLLECTIVE)));
}
END_TEST

START_TEST(names_have_their_ids) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = weft_module_new(cx);
    for (uint32_t i = 0; i < WEFT_A_COUNT; i++) ck_assert_uint_eq(weft_name_from(cx, weft_attr_names[i])->id, i);
    ck_assert_int_eq(weft_op_kind_find(cx, weft_name_from(cx, "no.such_op")), WEFT_OP_other);
    ck_assert_int_eq(weft_op_kind_find(cx, weft_name_from(cx, "value")), WEFT_OP_other);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* Names interned before the first module do not disturb the well-known ids. */
START_TEST(early_names_do_not_matter) {
    weft_context *cx = weft_context_new(NULL);
    weft_name add = weft_name_from(cx, "stablehlo.add"), mine = weft_name_from(cx, "mine"),
              value = weft_name_from(cx, "value");
    weft_module *m = weft_module_new(cx);
    ck_assert_int_eq(weft_op_kind_find(cx, add), WEFT_OP_add);
    ck_assert_uint_eq(value->id, WEFT_A_value);
    ck_assert_ptr_eq(weft_name_from(cx, "mine"), mine);
    ck_assert_ptr_eq(weft_name_from(cx, "stablehlo.add"), add);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

START_TEST(keywords_belong_to_their_sets) {
    for (int e = 0; e < WEFT_ENUM_COUNT; e++) {
        ck_assert_int_lt(weft_enum_table[e].set, WEFT_ENUM_SET_COUNT);
        for (int other = 0; other < e; other++)
            ck_assert(weft_enum_table[e].set != weft_enum_table[other].set ||
                      strcmp(weft_enum_table[e].keyword, weft_enum_table[other].keyword));
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("ir/table");
    TCase *tc = tcase_create("table");
    tcase_add_loop_test(tc, every_op_is_whole, 0, WEFT_OP_COUNT);
    tcase_add_loop_test(tc, attributes_of_ops_are_known, 0, WEFT_OP_COUNT);
    tcase_add_loop_test(tc, traits_fit_the_counts, 0, WEFT_OP_COUNT);
    tcase_add_test(tc, names_have_their_ids);
    tcase_add_test(tc, early_names_do_not_matter);
    tcase_add_test(tc, keywords_belong_to_their_sets);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
