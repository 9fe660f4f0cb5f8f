/* Attributes and types: equality is by content, equal ones have equal hashes, copies are equal, and types are
 * unique. */
#include <stdio.h>
#include "base/context.h"
#include "ir/attr.h"
#include "ir/attr_numbers.h"
#include "mlir/read.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* No two of these are equal. */
static const char *const attrs[] = {
    "unit",
    "true",
    "false",
    "1 : i32",
    "1 : i64",
    "2 : i64",
    "-1 : i64",
    "1.0 : f32",
    "1.0 : f64",
    "-0.0 : f32",
    "0.0 : f32",
    "\"a\"",
    "\"b\"",
    "\"\"",
    "@a",
    "@a::@b",
    "@b",
    "i32",
    "tensor<2xf32>",
    "tensor<3xf32>",
    "[]",
    "[1 : i64]",
    "[1 : i64, 2 : i64]",
    "[[1 : i64], 2 : i64]",
    "{}",
    "{a = 1 : i64}",
    "{a = 2 : i64}",
    "{b = 1 : i64}",
    "dense<1.0> : tensor<2xf32>",
    "dense<2.0> : tensor<2xf32>",
    "dense<1.0> : tensor<3xf32>",
    "dense<[1.0, 2.0]> : tensor<2xf32>",
    "dense<1> : tensor<2xi32>",
    "dense<true> : tensor<2xi1>",
    "dense<[true, false]> : tensor<2xi1>",
    "dense<> : tensor<0xf32>",
    "dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>",
    "array<i64: 1, 2>",
    "array<i64: 2, 1>",
    "array<i64>",
    "array<i32: 1, 2>",
    "array<i1: true, false>",
    "#stablehlo<comparison_direction LT>",
    "#stablehlo<comparison_direction GT>",
    "#stablehlo<precision HIGH>",
    "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
    "#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]>",
    "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>",
    "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>",
    "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>",
    "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>",
    "#stablehlo.conv<[b, 0, f]x[o, i, 0]->[b, 0, f]>",
    "#stablehlo.channel_handle<handle = 1, type = 0>",
    "#stablehlo.channel_handle<handle = 1, type = 1>",
    "#sdy.mesh<[\"x\"=2]>",
    "#sdy.mesh<[\"x\"=4]>",
    "#sdy.mesh<[\"y\"=2]>",
    "#sdy.mesh<[\"x\"=2], device_ids=[1, 0]>",
    "#sdy.sharding<@m, [{\"x\"}]>",
    "#sdy.sharding<@m, [{\"x\", ?}]>",
    "#sdy.sharding<@m, [{\"x\"}p1]>",
    "#sdy.sharding<@m, [{\"x\"}p2]>",
    "#sdy.sharding<@n, [{\"x\"}]>",
    "#sdy.sharding<@m, [{\"x\":(1)2}]>",
    "#sdy.sharding<@m, [{\"x\":(2)2}]>",
    "#sdy.sharding<@m, [{}], replicated={\"x\"}>",
    "#sdy.sharding<@m, [{}], unreduced={\"x\"}>",
    "#sdy.sharding<@m, [{\"x\"}, {}]>",
    "#sdy.sharding<@m, []>",
    "#sdy.sharding_per_value<[<@m, [{\"x\"}]>]>",
    "#sdy.sharding_per_value<[<@m, [{\"x\"}]>, <@m, []>]>",
    "#sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3}>",
    "#sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3} reduction={j}>",
    "#sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3}, custom>",
    "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"x\">]>",
    "#mhlo.something<1>",
    "#mhlo.something<2>",
};

static const weft_attr *read(weft_context *cx, const char *text) {
    const weft_attr *a = NULL;
    weft_status st = weft_read_attr(cx, weft_str_from(text), &a);
    ck_assert_msg(st == WEFT_OK, "%s: %s", text, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "?");
    return a;
}

START_TEST(equality_is_by_content) {
    weft_context *cx = weft_context_new(NULL);
    const weft_attr *a = read(cx, attrs[_i]), *again = read(cx, attrs[_i]), *copy = weft_attr_copy(cx, a);
    ck_assert(weft_attr_equal(a, a) && weft_attr_equal(a, again) && weft_attr_equal(a, copy) &&
              weft_attr_equal(copy, a));
    ck_assert_uint_eq(weft_attr_hash(a), weft_attr_hash(again));
    ck_assert_uint_eq(weft_attr_hash(a), weft_attr_hash(copy));
    int alike = 0;
    ck_assert(!weft_attr_equal(a, NULL) && !weft_attr_equal(NULL, a) && weft_attr_equal(NULL, NULL));
    for (size_t i = 0; i < WEFT_COUNT(attrs); i++) {
        if ((int)i == _i) continue;
        const weft_attr *b = read(cx, attrs[i]);
        ck_assert_msg(!weft_attr_equal(a, b) && !weft_attr_equal(b, a), "%s equals %s", attrs[_i], attrs[i]);
        alike += weft_attr_hash(a) == weft_attr_hash(b);
    }
    ck_assert_int_le(alike, 3); /* hashes need not differ, but nearly all do */
    weft_context_free(cx);
}
END_TEST

/* Hashes are the same in another context and after other names. */
START_TEST(hashes_do_not_depend_on_history) {
    weft_context *a = weft_context_new(NULL), *b = weft_context_new(NULL);
    for (size_t i = WEFT_COUNT(attrs); i-- > 0;) read(b, attrs[i]);
    for (size_t i = 0; i < WEFT_COUNT(attrs); i++)
        ck_assert_uint_eq(weft_attr_hash(read(a, attrs[i])), weft_attr_hash(read(b, attrs[i])));
    weft_context_free(a);
    weft_context_free(b);
}
END_TEST

/* In the order in which they first come; what is equal has the number of the first. */
START_TEST(numbers_are_by_content) {
    weft_context *cx = weft_context_new(NULL);
    weft_attr_numbers t = weft_attr_numbers_in(&cx->arena);
    uint32_t number;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < WEFT_COUNT(attrs); i++) {
            ck_assert(weft_attr_number_of(&t, read(cx, attrs[i]), &number));
            ck_assert_uint_eq(number, i);
        }
    for (int64_t i = 0; i < 1000; i++) {
        ck_assert(weft_attr_number_of(&t, weft_attr_i64(cx, 100 + i), &number));
        ck_assert_uint_eq(number, WEFT_COUNT(attrs) + i);
    }
    ck_assert(weft_attr_number_of(&t, read(cx, attrs[5]), &number));
    ck_assert_uint_eq(number, 5);
    ck_assert_uint_eq(t.count, WEFT_COUNT(attrs) + 1000);
    weft_context_free(cx);
}
END_TEST

START_TEST(facts_are_by_content) {
    weft_context *cx = weft_context_new(NULL);
    weft_attr_facts t = { .numbers = weft_attr_numbers_in(&cx->arena) };
    for (int64_t i = 0; i < 100; i++) {
        const void **at = weft_attr_fact(&t, weft_attr_i64(cx, i));
        ck_assert(at && !*at);
        *at = attrs[(size_t)i % WEFT_COUNT(attrs)];
    }
    for (int64_t i = 0; i < 100; i++)
        ck_assert_ptr_eq(*weft_attr_fact(&t, weft_attr_i64(cx, i)), attrs[(size_t)i % WEFT_COUNT(attrs)]);
    weft_context_free(cx);
}
END_TEST

static const struct { const char *a, *b; } alike[] = {
    { "dense<1.0> : tensor<2xf32>", "dense<[1.0, 1.0]> : tensor<2xf32>" },
    { "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", "dense<\"0x01000000020000000300000004000000\"> : tensor<2x2xi32>" },
    { "{a = 1 : i64, b = 2 : i64}", "{b = 2 : i64, a = 1 : i64}" },
    { "dense<true> : tensor<3xi1>", "dense<[true, true, true]> : tensor<3xi1>" },
};

START_TEST(spellings_of_one_value_are_equal) {
    weft_context *cx = weft_context_new(NULL);
    const weft_attr *a = read(cx, alike[_i].a), *b = read(cx, alike[_i].b);
    ck_assert(weft_attr_equal(a, b) && weft_attr_equal(b, a));
    ck_assert_uint_eq(weft_attr_hash(a), weft_attr_hash(b));
    weft_context_free(cx);
}
END_TEST

START_TEST(dense_integers_are_read) {
    weft_context *cx = weft_context_new(NULL);
    static const struct { const char *text; int64_t at0, at1; } of[] = {
        { "dense<[-1, 7]> : tensor<2xi64>", -1, 7 }, { "dense<[-1, 7]> : tensor<2xi8>", -1, 7 }, { "dense<[255, 7]> : tensor<2xui8>", 255, 7 },
        { "dense<-3> : tensor<2xi32>", -3, -3 }, { "dense<[true, false]> : tensor<2xi1>", 1, 0 }, { "dense<[-8, 7]> : tensor<2xi4>", -8, 7 },
    };
    for (size_t i = 0; i < WEFT_COUNT(of); i++) {
        const weft_attr *a = read(cx, of[i].text);
        ck_assert_int_eq(weft_dense_int(a, 0), of[i].at0);
        ck_assert_int_eq(weft_dense_int(a, 1), of[i].at1);
    }
    weft_context_free(cx);
}
END_TEST

static const struct { const char *text; int64_t elems, bytes; } types[] = {
    { "tensor<2x3xf32>", 6, 24 },        { "tensor<f32>", 1, 4 },               { "tensor<?x3xf32>", -1, -1 },        { "tensor<0x3xbf16>", 0, 0 },
    { "tensor<4xi1>", 4, 4 },            { "tensor<4xi4>", 4, 4 },              { "tensor<4xcomplex<f64>>", 4, 64 },  { "i32", 1, 4 },
    { "index", -1, -1 },                 { "!stablehlo.token", -1, 0 },         { "tuple<tensor<f32>, i32>", -1, -1 }, { "(tensor<f32>) -> i32", -1, -1 },
    { "() -> ()", -1, -1 },              { "(i32) -> (i32, i64)", -1, -1 },     { "(i32, i32) -> i64", -1, -1 },      { "none", -1, -1 },
    { "tensor<4xf8E4M3FN>", 4, 4 },
};

START_TEST(types_are_unique) {
    weft_context *cx = weft_context_new(NULL);
    const weft_type *t = NULL, *again = NULL;
    ck_assert_int_eq(weft_read_type(cx, weft_str_from(types[_i].text), &t), WEFT_OK);
    ck_assert_int_eq(weft_type_elems(t), types[_i].elems);
    ck_assert_int_eq(weft_type_bytes(t), types[_i].bytes);
    for (size_t i = 0; i < WEFT_COUNT(types); i++) {
        const weft_type *other = NULL;
        ck_assert_int_eq(weft_read_type(cx, weft_str_from(types[i].text), &other), WEFT_OK);
        ck_assert_int_eq(other == t, (int)i == _i);
    }
    ck_assert_int_eq(weft_read_type(cx, weft_str_from(types[_i].text), &again), WEFT_OK);
    ck_assert_ptr_eq(t, again);
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_type_print(&b, t);
    ck_assert_str_eq(b.p, types[_i].text);
    weft_buf_free(&b);
    weft_context_free(cx);
}
END_TEST

START_TEST(sizes_do_not_overflow) {
    weft_context *cx = weft_context_new(NULL);
    const weft_type *t = weft_type_tensor(cx, WEFT_F32, 1, (int64_t[]){ INT64_MAX / 2 });
    ck_assert_int_eq(weft_type_elems(t), INT64_MAX / 2);
    ck_assert_int_eq(weft_type_bytes(t), -1);
    ck_assert_int_eq(weft_type_elems(weft_type_tensor(cx, WEFT_I8, 2, (int64_t[]){ INT64_MAX, 2 })), -1);
    ck_assert_int_eq(weft_type_elems(weft_type_tensor(cx, WEFT_I8, 3, (int64_t[]){ INT64_MAX, 1, 1 })), INT64_MAX);
    weft_context_free(cx);
}
END_TEST

START_TEST(many_types_stay_unique) {
    weft_context *cx = weft_context_new(NULL);
    const weft_type *first[2000];
    for (int64_t i = 0; i < 2000; i++) first[i] = weft_type_tensor(cx, WEFT_F32, 2, (int64_t[]){ i % 50, i / 50 });
    for (int64_t i = 0; i < 2000; i++) {
        ck_assert_ptr_eq(first[i], weft_type_tensor(cx, WEFT_F32, 2, (int64_t[]){ i % 50, i / 50 }));
        ck_assert_ptr_eq(weft_type_with_dtype(cx, weft_type_with_dtype(cx, first[i], WEFT_I8), WEFT_F32), first[i]);
    }
    weft_context_free(cx);
}
END_TEST

static weft_status make_all(weft_context *cx, void *user) {
    (void)user;
    for (size_t i = 0; i < WEFT_COUNT(attrs); i++) {
        const weft_attr *a;
        weft_status st = weft_read_attr(cx, weft_str_from(attrs[i]), &a);
        if (st != WEFT_OK) return st;
        if (!weft_attr_copy(cx, a)) return WEFT_ERR_MEMORY;
    }
    return WEFT_OK;
}

START_TEST(survives_failing_memory) { weft_test_each_failure(make_all, NULL); }
END_TEST

int main(void) {
    Suite *s = suite_create("ir/attr");
    TCase *tc = tcase_create("attr");
    tcase_add_loop_test(tc, equality_is_by_content, 0, WEFT_COUNT(attrs));
    tcase_add_test(tc, hashes_do_not_depend_on_history);
    tcase_add_test(tc, numbers_are_by_content);
    tcase_add_test(tc, facts_are_by_content);
    tcase_add_loop_test(tc, spellings_of_one_value_are_equal, 0, WEFT_COUNT(alike));
    tcase_add_test(tc, dense_integers_are_read);
    tcase_add_loop_test(tc, types_are_unique, 0, WEFT_COUNT(types));
    tcase_add_test(tc, sizes_do_not_overflow);
    tcase_add_test(tc, many_types_stay_unique);
    tcase_add_test(tc, survives_failing_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
