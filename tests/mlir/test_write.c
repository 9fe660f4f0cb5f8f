/* Bytecode that is written reads as the module that it is of; what a version of StableHLO does not have is refused.
 *
 * test_bytecode.py compares with what jaxlib writes and reads. */
#include "ir/builder.h"
#include "mlir/write.h"
#include "tests/mlir/text.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* One of the room's texts is. */
static bool is_refused(const char *path) { return strstr(path, "/nested.mlir"); }

static weft_module *read_back(weft_context *cx, const weft_buf *bytes) {
    weft_module *m = NULL;
    if (weft_read_text(cx, (weft_str){ bytes->p, bytes->n }, "written", 0, &m) != WEFT_OK)
        ck_abort_msg("%s", weft_context_diag(cx, 0)->message);
    return m;
}

static weft_status write_as(const weft_module *m, const weft_vhlo_version *version, weft_buf *out) {
    weft_buf_init(out, &m->cx->alloc);
    return version ? weft_write_portable(m, version, out) : weft_write_bytecode(m, out);
}

static void expect_equal(const char *path, const weft_buf *a, const weft_buf *b) {
    if (a->n != b->n || memcmp(a->p, b->p, a->n)) ck_abort_msg("%s: written and read, and not the same", path);
}

/* What is read again is the module that was written. In a portable artifact some attributes that are no op's own change
 * their kind, so there the module that was read is written and read once more. */
static void expect_law(const char *path, const weft_vhlo_version *version) {
    weft_context *cx = weft_context_new(NULL);
    char *text = test_slurp(path);
    weft_module *m = test_read(cx, text, 0);
    for (int round = version ? 0 : 1; round < 2; round++) {
        weft_buf bytes;
        const weft_status st = write_as(m, version, &bytes);
        ck_assert(st == WEFT_OK || (version && !round && st == WEFT_ERR_UNSUPPORTED && !bytes.n));
        ck_assert_uint_eq(weft_context_diag_count(cx), st != WEFT_OK);
        if (st == WEFT_OK) {
            weft_module *back = read_back(cx, &bytes);
            weft_buf before = test_print(m, WEFT_PRINT_GENERIC | WEFT_PRINT_LOCS);
            weft_buf after = test_print(back, WEFT_PRINT_GENERIC | WEFT_PRINT_LOCS);
            if (round) expect_equal(path, &before, &after);
            weft_buf_free(&before);
            weft_buf_free(&after);
            weft_module_free(m);
            m = back;
        } else {
            round = 2;
        }
        weft_buf_free(&bytes);
    }
    weft_module_free(m);
    weft_context_free(cx);
    free(text);
}

START_TEST(reads_as_before) {
    glob_t g = test_glob("*.mlir");
    for (size_t i = 0; i < g.gl_pathc; i++)
        if (!is_refused(g.gl_pathv[i])) expect_law(g.gl_pathv[i], NULL);
    globfree(&g);
}
END_TEST

/* Encodings that Weft does not model are text, which bytecode has as attributes of every kind. */
static const char *const encodings[] = {
    "\"abc\"", "3 : i32", "3", "1.5", "unit", "@a::@b", "[1 : i32, 2]", "{a = 1 : i32, b}", "f32",
    "dense<1> : tensor<2xi32>", "array<i64: 1, 2>", "\"a\\22b\"", "#stablehlo<comparison_direction EQ>",
    "#other.thing<\"a\">", "true", "#other",
};

START_TEST(keeps_encodings) {
    weft_context *cx = weft_context_new(NULL);
    char text[256];
    snprintf(text, sizeof text, "#other = 3 : i32\nfunc.func private @f(tensor<2xf32,  %s>, tensor<2xf32, %s>)\n", encodings[_i],
             encodings[_i]);
    weft_module *m = test_read(cx, text, 0);
    weft_buf bytes;
    ck_assert_int_eq(write_as(m, NULL, &bytes), WEFT_OK);
    weft_module *back = read_back(cx, &bytes);
    weft_buf before = test_print(m, WEFT_PRINT_GENERIC), after = test_print(back, WEFT_PRINT_GENERIC);
    expect_equal(encodings[_i], &before, &after);
    char *again = test_reprint(before.p, 0, WEFT_PRINT_GENERIC);
    ck_assert_str_eq(again, before.p);
    free(again);
    weft_buf_free(&before);
    weft_buf_free(&after);
    weft_buf_free(&bytes);
    weft_module_free(m);
    weft_module_free(back);
    weft_context_free(cx);
}
END_TEST

/* one for each version of the format, and some between */
static const char *const versions[] = {
    "0.9.0", "0.10.0", "0.12.0", "0.14.0", "0.15", "1.0.0", "1.9.0", "1.17.3", "1.20.0",
};

START_TEST(reads_as_before_in_vhlo) {
    weft_context *cx = weft_context_new(NULL);
    weft_vhlo_version version;
    glob_t g = test_glob("*.mlir");
    ck_assert_int_eq(weft_vhlo_version_read(cx, weft_str_from(versions[_i]), &version), WEFT_OK);
    for (size_t i = 0; i < g.gl_pathc; i++)
        if (!is_refused(g.gl_pathv[i])) expect_law(g.gl_pathv[i], &version);
    globfree(&g);
    weft_context_free(cx);
}
END_TEST

static const char *const wrong_versions[] = {
    "", "1", "1.", "1.2.", "1.2.3.4", "1.2x", "0.8.0", "1.21.0", "2.0.0", "99999.1", "v1.2.3", "1.-2",
};

START_TEST(refuses_versions) {
    weft_context *cx = weft_context_new(NULL);
    weft_vhlo_version version = { 7, 7, 7 };
    ck_assert_int_eq(weft_vhlo_version_read(cx, weft_str_from(wrong_versions[_i]), &version), WEFT_ERR_USAGE);
    ck_assert_uint_eq(version.major, 7);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    weft_context_free(cx);
}
END_TEST

/* Functions of one op; it is in line 2. The version after `version` has it. */
static const struct { const char *version, *arguments, *op, *said; } too_new[] = {
    { "1.3.0", "%0: tensor<2xf32>", "stablehlo.tan %0 : tensor<2xf32>", "op 'stablehlo.tan' came with StableHLO 1.4.0; version 1.3.0" },
    { "1.8.0", "%0: tensor<2xf32>", "stablehlo.exponential %0 {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>", "attribute 'result_accuracy' came with StableHLO 1.9.0" },
    { "1.6.0", "%0: tensor<2xf8E4M3>", "stablehlo.negate %0 : tensor<2xf8E4M3>", "type 'f8E4M3' came with StableHLO 1.7.0" },
    { "1.1.0", "%0: tensor<2xi2>", "stablehlo.negate %0 : tensor<2xi2>", "type 'i2' came with StableHLO 1.2.0" },
    { "0.17.0", "%0: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>", "stablehlo.negate %0 : tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>", "came with StableHLO 0.18.0" },
    { "1.2.0", "%0: tensor<2xf32>", "stablehlo.custom_call @f(%0) {api_version = 4 : i32, backend_config = {k = 1 : i64}} : (tensor<2xf32>) -> tensor<2xf32>", "a custom call with a dictionary came with StableHLO 1.3.0" },
    { "1.17.0", "%0: tensor<2xf32>", "\"stablehlo.custom_call\"(%0) {call_target_name = \"f\", result_tilings = [[dense<[2]> : tensor<1xindex>]]} : (tensor<2xf32>) -> tensor<2xf32>", "attribute 'result_tilings' came with StableHLO 1.18.0" },
    { "1.5.0", "%0: tensor<2x2xf32>", "stablehlo.dot_general %0, %0, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>", "attribute 'lhs_precision_type' came with StableHLO 1.6.0" },
    { "1.0.0", "%0: tensor<2x4xf32>, %1: tensor<2x1xi32>", "\"stablehlo.gather\"(%0, %1) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} : (tensor<2x4xf32>, tensor<2x1xi32>) -> tensor<2xf32>", "attribute 'operand_batching_dims' came with StableHLO 1.1.0" },
    { "1.4.0", "%0: tensor<2xf32>", "\"stablehlo.all_gather\"(%0, %0) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)", "a collective of several values came with StableHLO 1.5.0" },
    { "0.15.0", "%0: tensor<2xf32>", "\"stablehlo.collective_broadcast\"(%0) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>", "op 'stablehlo.collective_broadcast' came with StableHLO 0.16.0" },
    { "1.20.0", "%0: tensor<2xf32>", "stablehlo.negate %0 {a.b = #stablehlo.channel_handle<handle = 1, type = 0>} : tensor<2xf32>", "VHLO has '#stablehlo.channel_handle<handle = 1, type = 0>' in its place in an op only" },
    { "1.20.0", "%0: tensor<2xf32>", "stablehlo.custom_call @f(%0) : (tensor<2xf32>) -> vector<2xf32>", "VHLO has no type 'vector<2xf32>'" },
    { "1.20.0", "%0: tensor<2xf32>", "\"stablehlo.custom_call\"(%0) {call_target_name = \"f\", backend_config = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>} : (tensor<2xf32>) -> tensor<2xf32>", "VHLO has another attribute 'backend_config' of 'stablehlo.custom_call'" },
    { "1.20.0", "%0: memref<*xf32>", "stablehlo.custom_call @f() : () -> tensor<2xf32>", "VHLO has no type 'memref<*xf32>'" },
    { "1.19.0", "%0: tensor<2xf32>, %1: tensor<i64>", "\"stablehlo.collective_broadcast\"(%0, %1) {replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<i64>) -> tensor<2xf32>", "attribute 'has_dynamic_root' came with StableHLO 1.20.0" },
};

START_TEST(refuses_what_is_newer) {
    weft_context *cx = weft_context_new(NULL);
    weft_vhlo_version version;
    weft_module *m = NULL;
    weft_buf out, text;
    weft_buf_init(&text, &cx->alloc);
    weft_buf_init(&out, &cx->alloc);
    const char *results = strstr(too_new[_i].op, "all_gather") ? ":2" : "";
    weft_buf_printf(&text, "func.func @f(%s) {\n  %%r%s = %s\n  return\n}\n", too_new[_i].arguments, results,
                    too_new[_i].op);
    ck_assert_int_eq(weft_vhlo_version_read(cx, weft_str_from(too_new[_i].version), &version), WEFT_OK);
    if (weft_read_text(cx, (weft_str){ text.p, text.n }, "new.mlir", WEFT_READ_NO_VERIFY, &m) != WEFT_OK)
        ck_abort_msg("%s: %s", weft_context_diag(cx, 0)->message, text.p);
    ck_assert_int_eq(weft_write_portable(m, &version, &out), WEFT_ERR_UNSUPPORTED);
    ck_assert_uint_eq(out.n, 0);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const weft_diag *d = weft_context_diag(cx, 0);
    if (!strstr(d->message, too_new[_i].said)) ck_abort_msg("said: %s", d->message);
    /* the types of arguments are the function's */
    ck_assert_int_eq(d->line, strstr(d->message, "type '") && !strstr(d->message, "vector") ? 1 : 2);
    weft_module_free(m);
    /* the version that has it */
    if (!strstr(d->message, " came with StableHLO ")) goto out;
    const char *since = strstr(d->message, " came with StableHLO ") + strlen(" came with StableHLO ");
    char number[16];
    snprintf(number, sizeof number, "%.*s", (int)strcspn(since, ";"), since);
    ck_assert_int_eq(weft_vhlo_version_read(cx, weft_str_from(number), &version), WEFT_OK);
    ck_assert_int_eq(weft_read_text(cx, (weft_str){ text.p, text.n }, "new.mlir", WEFT_READ_NO_VERIFY, &m), WEFT_OK);
    ck_assert_int_eq(weft_write_portable(m, &version, &out), WEFT_OK);
    weft_module_free(m);
out:
    weft_buf_free(&out);
    weft_buf_free(&text);
    weft_context_free(cx);
}
END_TEST

/* Attributes that no op defines have any names: a NUL byte, and those of two properties among them. */
START_TEST(keeps_odd_names) {
    static const char text[] =
        "func.func @f(%a: tensor<2x2xf32>) {\n"
        "  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] {\"\\00a\" = 1 : i64, \"precision_config lhs_precision_type\" = 2 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
        "  return\n}\n";
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = test_read(cx, text, 0);
    weft_buf bytes;
    ck_assert_int_eq(write_as(m, &weft_vhlo_newest, &bytes), WEFT_OK);
    weft_module *back = read_back(cx, &bytes);
    weft_buf after = test_print(back, WEFT_PRINT_PRETTY);
    ck_assert_ptr_nonnull(strstr(after.p, "\"\\00a\" = 1 : i64, \"precision_config lhs_precision_type\" = 2 : i64"));
    weft_buf_free(&after);
    weft_buf_free(&bytes);
    weft_module_free(m);
    weft_module_free(back);
    weft_context_free(cx);
}
END_TEST

/* MLIR's text has no such list of none, so bytecode that has one is refused. */
START_TEST(refuses_empty_lists) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = test_read(cx, "module {}\n", 0), *back = NULL;
    weft_buf bytes;
    const weft_attr *none = weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_A2A_PARAMS });
    ck_assert_int_eq(weft_op_set_attr(m, m->root, weft_name_from(cx, "a.b"), none), WEFT_OK);
    ck_assert_int_eq(write_as(m, NULL, &bytes), WEFT_OK);
    ck_assert_int_ne(weft_read_text(cx, (weft_str){ bytes.p, bytes.n }, "written", 0, &back), WEFT_OK);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "an all-to-all without parameters"));
    weft_buf_free(&bytes);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* A memref is written by its shape, which is read from its text. */
START_TEST(names_the_type_around) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = test_read(cx, "func.func @f(%0: memref<2xf32:foo>) {\n  return\n}\n", 0);
    weft_buf out;
    weft_buf_init(&out, &cx->alloc);
    ck_assert_int_ne(weft_write_portable(m, &weft_vhlo_newest, &out), WEFT_OK);
    ck_assert_uint_eq(weft_context_diag_count(cx), 2);
    ck_assert_str_eq(weft_context_diag(cx, 1)->message, "in the type 'memref<2xf32:foo>'");
    ck_assert_int_eq(weft_context_diag(cx, 1)->line, 1);
    weft_buf_free(&out);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* Attributes that VHLO writes out are no module's: they are neither kept in the context nor for longer than the op. */
START_TEST(forgets_ops_that_are_written) {
    enum { OPS = 8000, MOST = 500 };   /* bytes of scratch memory for each */
    weft_test_alloc t;
    weft_test_alloc_init(&t, -1);
    weft_context *cx = weft_context_new(&t.alloc);
    weft_buf text, out;
    weft_buf_init(&text, &cx->alloc);
    weft_buf_puts(&text, "func.func @f(%a: tensor<8x8xf32>) {\n");
    for (int i = 0; i < OPS; i++)
        weft_buf_printf(&text, "%%r%d = stablehlo.dot_general %%a, %%a, contracting_dims = [1] x [0] : "
                               "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n", i);
    weft_buf_puts(&text, "return\n}\n");
    weft_module *m = test_read(cx, text.p, 0);
    weft_buf_free(&text);
    const size_t before = t.live_bytes;
    t.most_bytes = 0;
    weft_buf_init(&out, &cx->alloc);
    ck_assert_int_eq(weft_write_portable(m, &weft_vhlo_newest, &out), WEFT_OK);
    ck_assert_uint_lt(t.most_bytes - before, (size_t)OPS * MOST);
    const size_t kept = cx->arena.total_bytes;
    weft_buf_free(&out);
    ck_assert_int_eq(weft_write_portable(m, &weft_vhlo_newest, &out), WEFT_OK);
    ck_assert_uint_eq(cx->arena.total_bytes, kept);
    weft_buf_free(&out);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* What no verifier has seen may have any attribute in place of an op's own, or none: it is refused, or what is written
 * reads again. */
static const char *const any_value[] = {
    NULL, "unit", "true", "3 : i64", "-1 : i32", "1.5 : f32", "\"abc\"", "@a", "@a::@b", "f32", "[]", "[1 : i64]",
    "[\"a\"]", "[@a]", "[@a::@b]", "[unit]", "{a = 1 : i64}", "dense<1> : tensor<2xi64>", "dense<> : tensor<0xi64>",
    "dense<1> : tensor<1x1xi64>", "dense<true> : tensor<2xi1>", "dense<1.5> : tensor<2xf32>", "array<i64: 1, 2>",
    "array<i64: 1, 2, 3>", "array<i32>", "array<i32: -1, 5>", "array<i1: true>",
    "#stablehlo<comparison_direction EQ>", "#stablehlo<precision HIGH>",
    "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
    "#stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>",
    "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>",
    "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>", "#stablehlo.channel_handle<handle = 1, type = 0>",
    "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>",
    "[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]",
    "#stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>",
    "#stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
    "#stablehlo.bounds<?, 4>",
    "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>",
    "#sdy.mesh<[\"x\"=2]>", "#sdy.sharding<@mesh, [{\"x\"}]>", "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>",
    "#other.thing<\"a\">", "(i32) -> f32",
};

typedef struct oddity { const weft_op *op; const char *name, *value; } oddity;

static void expect_read_again(const weft_module *m, const oddity *o, const weft_vhlo_version *version) {
    weft_context *cx = m->cx;
    weft_module *back = NULL;
    weft_buf bytes;
    const char *op = o->op->name->text, *form = version ? "VHLO" : "bytecode", *value = o->value ? o->value : "none";
    const size_t said = weft_context_diag_count(cx);
    weft_status st = write_as(m, version, &bytes);
    if (st != WEFT_OK && (st != WEFT_ERR_UNSUPPORTED || weft_context_diag_count(cx) != said + 1 || bytes.n))
        ck_abort_msg("%s with %s = %s in %s: status %d", op, o->name, value, form, st);
    const weft_str written = { bytes.p, bytes.n };
    if (st == WEFT_OK && weft_read_text(cx, written, "written", WEFT_READ_NO_VERIFY, &back) != WEFT_OK)
        ck_abort_msg("%s with %s = %s in %s: %s", op, o->name, value, form, weft_context_diag(cx, said)->message);
    weft_module_free(back);
    weft_buf_free(&bytes);
}

static weft_status with_any_values(void *user, weft_op *op) {
    weft_module *m = user;
    for (const weft_attr_spec *s = weft_op_info_of(op->kind)->attrs; s->presence != WEFT_END_OF_ATTRS; s++) {
        const weft_attr *was = weft_op_attr(op, (weft_attr_name)s->name), *a;
        const weft_name name = weft_name_from(m->cx, weft_attr_names[s->name]);
        for (size_t i = 0; i < WEFT_COUNT(any_value); i++) {
            const oddity o = { op, name->text, any_value[i] };
            if (!weft_test_turn((size_t)op->kind + (size_t)s->name + i)) continue;
            a = NULL;
            if (o.value) ck_assert_int_eq(weft_read_attr(m->cx, weft_str_from(o.value), &a), WEFT_OK);
            ck_assert_int_eq(weft_op_set_attr(m, op, name, a), WEFT_OK);
            expect_read_again(m, &o, NULL);
            expect_read_again(m, &o, &weft_vhlo_newest);
        }
        ck_assert_int_eq(weft_op_set_attr(m, op, name, was), WEFT_OK);
    }
    return WEFT_OK;
}

START_TEST(reads_any_attribute_again) {
    char *text = test_file("../ir/ops.mlir");
    for (char *p = text, *next; p; p = next) {
        next = strstr(p, "// -----");
        if (next) *next = '\0', next += strlen("// -----");
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = test_read(cx, p, 0);
        ck_assert_int_eq(weft_module_walk(m, with_any_values, m), WEFT_OK);
        weft_module_free(m);
        weft_context_free(cx);
    }
    free(text);
}
END_TEST

static weft_status write_text(weft_context *cx, void *text) {
    weft_module *m = NULL;
    weft_buf out;
    weft_status st = weft_read_text(cx, weft_str_from(text), "text", 0, &m);
    weft_buf_init(&out, &cx->alloc);
    if (st == WEFT_OK) st = weft_write_bytecode(m, &out);
    out.n = 0;
    if (st == WEFT_OK) st = weft_write_portable(m, &weft_vhlo_newest, &out);
    ck_assert(st == WEFT_OK || !out.n);
    weft_buf_free(&out);
    weft_module_free(m);
    return st;
}

static const char *const failing[] = { "collectives.mlir", "sdy.mlir", "attributes.mlir" };

START_TEST(survives_failing_memory) {
    char *text = test_file(failing[_i]);
    weft_test_each_failure(write_text, text);
    free(text);
}
END_TEST

int main(void) {
    Suite *s = suite_create("mlir write");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, reads_as_before);
    tcase_add_loop_test(tc, keeps_encodings, 0, WEFT_COUNT(encodings));
    tcase_add_loop_test(tc, reads_as_before_in_vhlo, 0, WEFT_COUNT(versions));
    tcase_add_loop_test(tc, refuses_versions, 0, WEFT_COUNT(wrong_versions));
    tcase_add_loop_test(tc, refuses_what_is_newer, 0, WEFT_COUNT(too_new));
    tcase_add_test(tc, keeps_odd_names);
    tcase_add_test(tc, reads_any_attribute_again);
    tcase_add_test(tc, refuses_empty_lists);
    tcase_add_test(tc, names_the_type_around);
    tcase_add_test(tc, forgets_ops_that_are_written);
    tcase_add_loop_test(tc, survives_failing_memory, 0, WEFT_COUNT(failing));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
