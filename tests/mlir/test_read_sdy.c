/* The reader's diagnostics for malformed attributes of Shardy: all of them, the cause first, then the enclosing
 * constructs, as MLIR's generated parsers give them. */
#include "base/context.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "tests/support/suite.h"

#define IN_AXIS " | failed to parse Sdy_AxisRef parameter 'name' which is to be a `::llvm::StringRef`"
#define IN_DIMS \
    " | failed to parse Sdy_TensorSharding parameter 'dim_shardings' which is to be a `::llvm::ArrayRef<DimensionShardingAttr>`"
#define IN_LIST " | failed to parse axis list which is expected to be an `ArrayRef<AxisRefAttr>`"
#define IN_REPLICATED " | failed to parse Sdy_TensorSharding parameter 'replicated_axes'"
#define IN_UNREDUCED " | failed to parse Sdy_TensorSharding parameter 'unreduced_axes'"
#define IN_SHARDINGS \
    " | failed to parse Sdy_TensorShardingPerValue parameter 'shardings' which is to be a `::llvm::ArrayRef<TensorShardingAttr>`"
#define IN_MAPPING " | failed to parse Sdy_TensorMapping parameter 'dim_mappings'"
#define IN_OPERANDS " | failed to parse Sdy_OpShardingRule parameter 'operand_mappings'"
#define IN_RESULTS " | failed to parse Sdy_OpShardingRule parameter 'result_mappings'"
#define ORDERED \
    "expecting factor indices to be ordered like an iota ([0,1,2,...], e.g. {i=#, j=#, ...}). Expecting factor index symbol "
#define AFTER_COMMA "failed to parse Sdy_TensorSharding, expected valid named axis list after comma"

static const struct { const char *in, *want; } wrong[] = {
    { "#sdy.sharding<@m, [{\"x\", ?, \"y\"}]>", "expected '}', found ','" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\" \"y\"}]>", "expected ',', found '\"'" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\",}]>", "expected string, found '}'" IN_AXIS IN_DIMS },
    { "#sdy.sharding<@m, [{x}]>", "expected string, found 'x'" IN_AXIS IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\"},]>", "expected '{', found ']'" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\":1}]>", "expected '(', found '1'" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\":(0)0}]>", "sub-axis pre-size must be at least 1" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\"}q1]>", "expecting priority in format 'p<number>', got: q1" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\"}p]>", "expecting priority in format 'p<number>', got: p" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\"}p1x]>", "expecting priority in format 'p<number>', got: p1x" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\"}p01]>", "priorities with leading zeros are not allowed, got: p01" IN_DIMS },
    { "#sdy.sharding<@m, [{\"x\"}p99999999999999999999]>", "expecting integer priority, got: p99999999999999999999" IN_DIMS },
    { "#sdy.sharding<@m, [{}], replicated={}>", "expected string, found '}'" IN_AXIS IN_LIST IN_REPLICATED },
    { "#sdy.sharding<@m, [{}], replicated{\"x\"}>", "expected '=', found '{'" IN_REPLICATED },
    { "#sdy.sharding<@m, [{}], replicated={\"x\"}, replicated={\"y\"}>", AFTER_COMMA },
    { "#sdy.sharding<@m, [{}], unreduced={\"x\"}, unreduced={\"y\"}>", AFTER_COMMA },
    { "#sdy.sharding<@m, [{}], unreduced=mean{\"x\"}>", "expected '{', found 'mean'" IN_UNREDUCED },
    { "#sdy.sharding<@m, [{}], unreduced={\"x\" \"y\"}>", "expected '}', found '\"'" IN_UNREDUCED },
    { "#sdy.sharding<@m, [{}], >", AFTER_COMMA },
    { "#sdy.sharding<@m, [{}], sharded={\"x\"}>", AFTER_COMMA },
    { "#sdy.sharding_per_value<[<@m, [{}]>,]>", "expected '<', found ']'" IN_SHARDINGS },
    { "#sdy.sharding_per_value<[<@m, [{x}]>]>", "expected string, found 'x'" IN_AXIS IN_DIMS IN_SHARDINGS },
    { "#sdy<all_to_all_param_list[{}: 0->1]>", "expected string, found '}'" IN_AXIS
      " | failed to parse Sdy_AllToAllParamAttr parameter 'axes' which is to be a `::llvm::ArrayRef<AxisRefAttr>`"
      " | failed to parse Sdy_AllToAllParamList parameter 'value' which is to be a `::llvm::ArrayRef<AllToAllParamAttr>`" },
    { "#sdy.mesh<[\"x\"=0]>", "axis size must be at least 1, got: 0 | failed to parse Sdy_Mesh parameter 'axes' which is to be a `::llvm::ArrayRef<MeshAxisAttr>`" },
    { "#sdy.mesh<[\"x\"=2, \"x\"=2]>", "duplicate axis name: \"x\"" },
    { "#sdy.mesh<[\"x\"=2], device_ids=[]>", "expected integer value" },
    { "#sdy.mesh<[\"x\"=2], device_ids=[-1, 0]>", "device id must be non-negative, got: -1" },
    { "#sdy.mesh<[\"x\"=2], device_ids=[0, 0]>", "sorted device ids must be iota(product(axes)), got: 0, 0" },
    { "#sdy.mesh<[\"x\"=3], device_ids=[1, 0]>", "total product of axis sizes must match total number of device ids, got: 3 != 2" },
    { "#sdy.mesh<[], device_ids=[1, 0]>", "axes is empty and device_ids has more than one element" },
    { "#sdy.op_sharding_rule<([a])->([i]) {i=2}>", "expecting symbol from 'i' to 'z'. Received: 'a'" IN_MAPPING IN_OPERANDS },
    { "#sdy.op_sharding_rule<([i])->([i_]) {i=2}>", "expecting symbol from 'i' to 'z'. Received: '_'" IN_MAPPING IN_RESULTS },
    { "#sdy.op_sharding_rule<([z_])->([i]) {i=2}>", "expecting integer after 'z_'. Received: 'z_'" IN_MAPPING IN_OPERANDS },
    { "#sdy.op_sharding_rule<([z_01])->([i]) {i=2}>", "expecting positive integer without leading zeros. Received: '01'" IN_MAPPING IN_OPERANDS },
    { "#sdy.op_sharding_rule<([i])->([z_9223372036854775808]) {i=2}>", "expecting symbol index <=2^63-1. Received: '9223372036854775808'" },
    { "#sdy.op_sharding_rule<([i] [i])->([i]) {i=2}>", "expected ')', found '['" },
    { "#sdy.op_sharding_rule<()->([i]) {i=2}>", "expected '[', found ')'" IN_OPERANDS },
    { "#sdy.op_sharding_rule<([i])->() {i=2}>", "expected '[', found ')'" IN_RESULTS },
    { "#sdy.op_sharding_rule<([i])->([i]) {j=2}>", ORDERED "'i', received: 'j'" },
    { "#sdy.op_sharding_rule<([i])->([i]) {i=2, z_3=2}>", ORDERED "'j', received: 'z_3'" },
    { "#sdy.op_sharding_rule<([i])->([i]) {ij=2}>", "expecting single factor symbol: j" },
    { "#sdy.op_sharding_rule<([i])->([i]) {i=2} reduction{i}>", "expected '=', found '{'" },
    { "#sdy.op_sharding_rule<([i])->([i]) {i=2} reduction={b}>", "expecting symbol from 'i' to 'z'. Received: 'b'" },
    { "#sdy.op_sharding_rule<([i])->([i]) {i=2} need_replication={i} reduction={i}>", "expected '>', found 'reduction'" },
    { "#sdy.op_sharding_rule<([i])->([i]) {i=2}, special>", "expected 'custom', found 'special'" },
    { "#sdy.propagation_edges<[{step-1 = [{\"x\" = operand-0 -> [result-0]}]}, {step-1 = [{\"x\" = operand-0 -> [result-0]}]}]>",
      "propagation edges have duplicate step index: 1" },
    { "#sdy.propagation_edges<[{step--1 = [{\"x\" = operand-0 -> [result-0]}]}]>", "propagation edges have negative step index: -1" },
    { "#sdy.propagation_edges<[{step-0 = [{\"x\" = operand-0 -> [operand-0]}]}]>", "propagation edges have a source that is the same as a target" },
    { "#sdy.propagation_edges<[{step-7 = [{\"x\" = operand-0 -> [result-0, result-0]}]}]>",
      "propagation edges have duplicate targets for step index: 7 and axis: x" },
    { "#sdy.propagation_edges<[{step-7 = [{\"x\" = value-0 -> [result-0]}]}]>", "expected 'operand' or 'result', found 'value'" },
    { "#sdy.propagation_edges<[{7 = []}]>", "expected 'step', found '7'" },
};

START_TEST(blames) {
    weft_context *cx = weft_context_new(NULL);
    const weft_attr *a = NULL;
    weft_buf got;
    weft_buf_init(&got, &cx->alloc);
    ck_assert_int_eq(weft_read_attr(cx, weft_str_from(wrong[_i].in), &a), WEFT_ERR_INVALID);
    ck_assert_ptr_null(a);
    for (size_t i = 0; i < weft_context_diag_count(cx); i++)
        weft_buf_printf(&got, "%s%s", i ? " | " : "", weft_context_diag(cx, i)->message);
    ck_assert_str_eq(got.p, wrong[_i].want);
    weft_buf_free(&got);
    weft_context_free(cx);
}
END_TEST

/* Read and printed; want NULL: as it was. */
static const struct { const char *in, *want; } right[] = {
    { "#sdy.sharding<@m, []>", NULL },
    { "#sdy.sharding<@m, [{}, {?}, {\"x\", ?}p0, {\"y\":(2)4, \"x\"}p12]>", NULL },
    { "#sdy.sharding<@m, [{ \"x\" , ? } p1]>", "#sdy.sharding<@m, [{\"x\", ?}p1]>" },
    { "#sdy.sharding<@m, [{}], unreduced={\"y\"}, replicated={\"x\"}>", "#sdy.sharding<@m, [{}], replicated={\"x\"}, unreduced={\"y\"}>" },
    { "#sdy.sharding<@m, [{}], unreduced=max{\"y\", \"z\":(1)2}>", NULL },
    { "#sdy.sharding<@m, [{}], unreduced=min{\"y\"}>", NULL },
    { "#sdy.sharding<@m, [{}], unreduced=sum{\"y\"}>", "#sdy.sharding<@m, [{}], unreduced={\"y\"}>" },
    { "#sdy.sharding<@m, [{}], unreduced {\"y\"}>", "#sdy.sharding<@m, [{}], unreduced={\"y\"}>" },
    { "#sdy.sharding<mesh<[\"x\"=2], device_ids=[1, 0]>, [{\"x\"}]>", NULL },
    { "#sdy.mesh<[\"x\"=2], device_ids=[0, 1]>", "#sdy.mesh<[\"x\"=2]>" },
    { "#sdy.mesh<[\"x\"=1], device_ids=[0]>", "#sdy.mesh<[\"x\"=1]>" },
    { "#sdy.mesh<[], device_ids=[0]>", NULL },
    { "#sdy.mesh<[]>", NULL },
    { "#sdy.op_sharding_rule<([i, z_1], [])->([iz_1]) {i=2, j=3} permutation={i} blocked_propagation={j}, custom>", NULL },
    { "#sdy.op_sharding_rule<([, i])->([]) {i=2}>", NULL },
    { "#sdy.op_sharding_rule<([z_2i])->([z_2]) {}>", "#sdy.op_sharding_rule<([z_2i])->([z_2])>" },
    { "#sdy.propagation_edges<[]>", NULL },
    { "#sdy.propagation_edges<[{step-0 = [{\"x\" = operand-0 -> [result-0, operand-1]}, {\"y\":(1)2 = result-3 -> [operand-0]}]}, {step-9 = [{\"x\" = operand-1 -> [result-0]}]}]>", NULL },
    { "#sdy.propagation_edges<[{ step - 4 = [{ \"x\" = operand - 1 -> [ result - 0 ] }] }]>", "#sdy.propagation_edges<[{step-4 = [{\"x\" = operand-1 -> [result-0]}]}]>" },
};

START_TEST(keeps) {
    weft_context *cx = weft_context_new(NULL);
    const weft_attr *a = NULL, *b = NULL;
    weft_buf got;
    weft_buf_init(&got, &cx->alloc);
    ck_assert_int_eq(weft_read_attr(cx, weft_str_from(right[_i].in), &a), WEFT_OK);
    weft_print_attr(&got, a);
    ck_assert_str_eq(got.p, right[_i].want ? right[_i].want : right[_i].in);
    ck_assert_int_eq(weft_read_attr(cx, weft_str_from(got.p), &b), WEFT_OK);
    ck_assert(weft_attr_equal(a, b));
    ck_assert_uint_eq(weft_attr_hash(a), weft_attr_hash(b));
    weft_buf_free(&got);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("mlir: Shardy's attributes");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, blames, 0, WEFT_COUNT(wrong));
    tcase_add_loop_test(tc, keeps, 0, WEFT_COUNT(right));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
