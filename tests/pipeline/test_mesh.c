/* Devices of a module, meshes of other sizes, and shardings as the numbers by which arrays are split. */
#include <stdio.h>
#include <stdlib.h>
#include "pipeline/pipeline.h"
#include "pipeline/variants.h"
#include "pipeline/verify.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static const char text[] =
    "module @m attributes {mhlo.num_partitions = 8 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
    "  sdy.mesh @turned = <[\"x\"=2, \"y\"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>\n"
    "  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n"
    "    return %arg0 : tensor<8xf32>\n"
    "  }\n"
    "}\n";

static weft_module *read_it(weft_context *cx) {
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "t.mlir", 0, &m), WEFT_OK);
    return m;
}

/* devices: of the resized module; 0: refused */
static const struct { const char *mesh; int64_t devices; } sizes[] = {
    { "x=2", 8 }, { "x=1,y=1", 1 }, { "y=1024", 2048 }, { "x=3,y=5", 15 },
    { "", 8 }, { "z=2", 0 }, { "x", 0 }, { "x=", 0 }, { "x=0", 0 }, { "x=2,x=4", 0 }, { "x=2,y=1,x=2", 0 }, { "x=-1", 0 }, { "x=2x", 0 }, { "=2", 0 }, { "x=99999999999999999999999", 0 },
};

START_TEST(resizes) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = read_it(cx), *other = NULL;
    ck_assert_int_eq(weft_module_devices(m), 8);
    weft_status st = weft_module_resize_mesh(m, sizes[_i].mesh, &other);
    ck_assert_int_eq(st, sizes[_i].devices ? WEFT_OK : WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(cx), sizes[_i].devices ? 0 : 1);
    if (st == WEFT_OK) {
        ck_assert_int_eq(weft_module_devices(other), sizes[_i].devices);
        ck_assert_int_eq(weft_op_int(other->root, WEFT_A_mhlo_num_partitions, -1), sizes[_i].devices);
    }
    ck_assert_int_eq(weft_module_devices(m), 8);
    weft_module_free(other);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* A module without a mesh, and how many replicas and partitions four devices of it are. */
static const struct { const char *text; int64_t replicas, partitions; } grids[] = {
    { "module {}", 1, 4 },
    { "module { func.func @main() -> tensor<ui32> { %0 = stablehlo.replica_id : tensor<ui32> return %0 : tensor<ui32> } }", 4, 1 },
    { "module { func.func @main() -> tensor<ui32> { %0 = stablehlo.partition_id : tensor<ui32> return %0 : tensor<ui32> } }", 1, 4 },
    { "module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 4 : i32} {}", 2, 2 },
    { "module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 8 : i32} {}", 1, 4 },
    { "module attributes {mhlo.num_partitions = 8 : i32} { sdy.mesh @empty_mesh = <[]> }", 1, 4 },
    { "module { sdy.mesh @maximal = <[], device_ids=[0]> }", 1, 4 },
    { "module { sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]> }", -1, -1 },
};

START_TEST(takes_devices) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(grids[_i].text), "grid.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_module_set_devices(m, 4), WEFT_OK);
    ck_assert_int_eq(weft_module_devices(m), 4);
    ck_assert_int_eq(weft_op_int(m->root, WEFT_A_mhlo_num_replicas, -1), grids[_i].replicas);
    ck_assert_int_eq(weft_op_int(m->root, WEFT_A_mhlo_num_partitions, -1), grids[_i].partitions);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* shards: of dimension 0 for devices 0 to 7 */
static const struct { const char *type, *sharding, *mesh; int64_t local; int shards[8]; weft_status want; } cuts[] = {
    { "tensor<8x3xf32>", "#sdy.sharding<@mesh, [{\"x\"}, {}]>", "mesh", 4, { 0, 0, 0, 0, 1, 1, 1, 1 }, WEFT_OK },
    { "tensor<8x3xf32>", "#sdy.sharding<@mesh, [{\"y\"}, {}]>", "mesh", 2, { 0, 1, 2, 3, 0, 1, 2, 3 }, WEFT_OK },
    { "tensor<8x3xf32>", "#sdy.sharding<@mesh, [{\"y\", \"x\"}, {}]>", "mesh", 1, { 0, 2, 4, 6, 1, 3, 5, 7 }, WEFT_OK },
    { "tensor<8x3xf32>", "#sdy.sharding<@mesh, [{\"y\":(1)2}, {}]>", "mesh", 4, { 0, 0, 1, 1, 0, 0, 1, 1 }, WEFT_OK },
    { "tensor<8x3xf32>", "#sdy.sharding<@mesh, [{\"y\":(2)2, \"x\"}, {}]>", "mesh", 2, { 0, 2, 0, 2, 1, 3, 1, 3 }, WEFT_OK },
    { "tensor<5x3xf32>", "#sdy.sharding<@mesh, [{\"y\"}, {}]>", "mesh", 2, { 0, 1, 2, 3, 0, 1, 2, 3 }, WEFT_OK },
    { "tensor<8x3xf32>", "#sdy.sharding<@turned, [{\"x\"}, {}]>", "turned", 4, { 1, 1, 1, 1, 0, 0, 0, 0 }, WEFT_OK },
    { "tensor<8x3xf32>", "#sdy.sharding<@mesh, [{\"z\"}, {}]>", "mesh", 0, { 0 }, WEFT_ERR_INVALID },
    { "tensor<8x3xf32>", "#sdy.sharding<@mesh, [{}, {}], unreduced={\"x\"}>", "mesh", 8, { 0 }, WEFT_OK }, /* terms: each of all of it */
};

START_TEST(lays_out) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = read_it(cx);
    weft_io io = { 0 };
    weft_layout l;
    ck_assert_int_eq(weft_read_type(cx, weft_str_from(cuts[_i].type), &io.global), WEFT_OK);
    ck_assert_int_eq(weft_read_attr(cx, weft_str_from(cuts[_i].sharding), &io.sharding), WEFT_OK);
    io.mesh = weft_op_attr(weft_module_symbol(m, weft_str_from(cuts[_i].mesh)), WEFT_A_mesh);
    ck_assert_int_eq(weft_io_layout(cx, &m->arena, &io, NULL, 8, &weft_loc_unknown, &l), cuts[_i].want);
    if (cuts[_i].want == WEFT_OK) {
        ck_assert_int_eq(l.dims[0].local, cuts[_i].local);
        for (int d = 0; d < 8; d++) ck_assert_int_eq(weft_layout_shard(&l, 0, d), cuts[_i].shards[d]);
    }
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* Programs are made bare, and shardings drawn, on the way of weft verify: what fails half way leaves nothing, and frees
 * nothing twice. */
static weft_status draw_and_drop(weft_context *cx, void *unused) {
    weft_module *m = NULL, *bare = NULL, *drawn = NULL;
    (void)unused;
    weft_status st = weft_read_text(cx, weft_str_from(text), "m.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_module_bare(m, &bare);
    if (st == WEFT_OK) st = weft_module_draw_shardings(m, &(weft_draw){ .seed = 3, .evenness = WEFT_DRAW_ANY }, &drawn);
    weft_module_free(drawn);
    weft_module_free(bare);
    weft_module_free(m);
    return st;
}

START_TEST(draws_without_memory) { weft_test_each_failure(draw_and_drop, NULL); }
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/mesh");
    TCase *tc = tcase_create("mesh");
    tcase_add_loop_test(tc, resizes, 0, (int)WEFT_COUNT(sizes));
    tcase_add_loop_test(tc, takes_devices, 0, (int)WEFT_COUNT(grids));
    tcase_add_loop_test(tc, lays_out, 0, (int)WEFT_COUNT(cuts));
    tcase_add_test(tc, draws_without_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
