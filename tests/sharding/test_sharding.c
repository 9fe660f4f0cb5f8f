/* Shardings: from attributes and back, interning, refusals, local shapes. */
#include "sharding/sharding.h"

#include "mlir/read.h"
#include "tests/support/suite.h"

static const char meshes[] =
    "module {\n"
    "  sdy.mesh @mesh = <[\"x\"=4, \"y\"=2, \"z\"=3]>\n"
    "  sdy.mesh @same = <[\"x\"=4, \"y\"=2, \"z\"=3]>\n"
    "  sdy.mesh @moved = <[\"x\"=2, \"y\"=2], device_ids=[0, 2, 1, 3]>\n"
    "  sdy.mesh @one = <[], device_ids=[3]>\n"
    "}\n";

static weft_context *cx;
static weft_module *m;
static weft_arena arena;
static weft_shardings *t;

static void set_up(void) {
    cx = weft_context_new(NULL);
    weft_arena_init(&arena, &cx->alloc);
    ck_assert_int_eq(weft_read_text(cx, WEFT_STR(meshes), "meshes", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_shardings_open(cx, m, &arena, &t), WEFT_OK);
}

static void tear_down(void) {
    weft_arena_free(&arena);
    weft_module_free(m);
    weft_context_free(cx);
}

static weft_status read(const char *text, const weft_sharding **out) {
    const weft_attr *a;
    weft_status st = weft_read_attr(cx, weft_str_from(text), &a);
    return st == WEFT_OK ? weft_sharding_from_attr(t, a, NULL, out) : st;
}

static const weft_sharding *must(const char *text) {
    const weft_sharding *s = NULL;
    weft_status st = read(text, &s);
    ck_assert_msg(st == WEFT_OK, "%s: %s", text,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "no reason");
    return s;
}

static const struct { const char *text, *shown; } good[] = {
    { "#sdy.sharding<@mesh, [{\"x\"}, {?}]>", "<@mesh, [{\"x\"}, {?}]>" },
    { "#sdy.sharding<@mesh, [{\"x\":(1)2, \"y\", ?}p1, {\"x\":(2)2}]>", "<@mesh, [{\"x\":(1)2, \"y\", ?}p1, {\"x\":(2)2}]>" },
    { "#sdy.sharding<@mesh, [], replicated={\"x\", \"z\"}, unreduced={\"y\"}>", "<@mesh, [], replicated={\"x\", \"z\"}, unreduced={\"y\"}>" },
    { "#sdy.sharding<@mesh, [{}p0]>", NULL }, /* an empty closed dimension has no priority */
    { "#sdy.sharding<@mesh, [{\"w\"}]>", NULL },
    { "#sdy.sharding<@none, [{\"x\"}]>", NULL },
    { "#sdy.sharding<@mesh, [{\"x\"}, {\"x\"}]>", NULL },
    { "#sdy.sharding<@mesh, [{\"x\":(1)2}, {\"x\"}]>", NULL },
    { "#sdy.sharding<@mesh, [{\"x\":(1)2}], replicated={\"x\":(1)2}>", NULL },
    { "#sdy.sharding<@mesh, [{\"x\":(1)3}]>", NULL },
    { "#sdy.sharding<@mesh, [{\"x\":(1)4}]>", NULL },      /* the whole axis is written without a part */
    { "#sdy.sharding<@mesh, [{\"x\":(1)2, \"x\":(2)2}]>", NULL },
    { "#sdy.sharding<@mesh, [], replicated={\"z\", \"x\"}>", NULL },
};

START_TEST(reads) {
    const weft_sharding *s = NULL;
    weft_buf b;
    weft_status st = read(good[_i].text, &s);
    if (!good[_i].shown) {
        ck_assert_int_ne(st, WEFT_OK);
        ck_assert_uint_eq(weft_context_diag_count(cx), 1);
        return;
    }
    ck_assert_int_eq(st, WEFT_OK);
    weft_buf_init(&b, &cx->alloc);
    weft_sharding_print(&b, s);
    ck_assert_str_eq(b.p, good[_i].shown);
    weft_buf_free(&b);
    const weft_attr *back = weft_sharding_to_attr(t, s), *again;
    ck_assert_int_eq(weft_read_attr(cx, weft_str_from(good[_i].text), &again), WEFT_OK);
    ck_assert(weft_attr_equal(back, again));
    ck_assert_ptr_eq(weft_sharding_to_attr(t, s), back);
}
END_TEST

START_TEST(equal_shardings_are_one) {
    const weft_sharding *a = must("#sdy.sharding<@mesh, [{\"x\"}, {?}]>"),
                        *b = must("#sdy.sharding<@mesh, [{\"x\"}, {?}]>");
    ck_assert_ptr_eq(a, b);
    ck_assert_ptr_ne(a, must("#sdy.sharding<@mesh, [{\"x\"}, {}]>"));
    ck_assert_ptr_ne(a, must("#sdy.sharding<@same, [{\"x\"}, {?}]>"));
    ck_assert_ptr_ne(must("#sdy.sharding<@mesh, [{\"x\", ?}p0]>"), must("#sdy.sharding<@mesh, [{\"x\", ?}]>"));
    ck_assert_ptr_eq(weft_sharding_close(t, a), must("#sdy.sharding<@mesh, [{\"x\"}, {}]>"));
    ck_assert_ptr_eq(weft_shardings_at(t, a->id), a);
    ck_assert(weft_sharding_equivalent(a, must("#sdy.sharding<@mesh, [{\"x\"}, {}], replicated={\"y\"}>")));
    ck_assert(weft_sharding_equivalent(NULL, must("#sdy.sharding<@mesh, [{}, {?}]>")));
    ck_assert(!weft_sharding_equivalent(NULL, must("#sdy.sharding<@mesh, [{}, {?}], unreduced={\"y\"}>")));
}
END_TEST

START_TEST(a_thousand_stay_apart) {
    const weft_mesh *mesh = weft_shardings_mesh_at(t, 0);
    uint32_t first = weft_shardings_count(t);
    for (int round = 0; round < 2; round++)
        for (int32_t p = 0; p < 1000; p++) {
            weft_axis x = weft_mesh_axis_at(mesh, 0);
            weft_dim d = { weft_axes_at(&x, 1), false, p };
            ck_assert_uint_eq(weft_sharding_make(t, mesh, 1, &d, (weft_axes){ 0 }, (weft_axes){ 0 })->id,
                              first + (uint32_t)p);
        }
}
END_TEST

START_TEST(local_shapes_round_up) {
    const weft_sharding *s = must("#sdy.sharding<@mesh, [{\"x\", \"y\"}, {\"z\"}, {}]>");
    int64_t global[] = { 13, 9, 5 }, local[3];
    weft_sharding_local_dims(s, 3, global, local);
    ck_assert(local[0] == 2 && local[1] == 3 && local[2] == 5);
    ck_assert(!weft_sharding_divides(s, global));
    ck_assert_int_eq(weft_sharding_shards(s), 24);
    ck_assert_uint_eq(s->used, 7);
    weft_sharding_local_dims(NULL, 3, global, local);
    ck_assert_int_eq(local[0], 13);
}
END_TEST

START_TEST(meshes_compare_by_devices) {
    const weft_mesh *mesh = weft_shardings_mesh_at(t, 0), *same = weft_shardings_mesh_at(t, 1),
                    *moved = weft_shardings_mesh_at(t, 2), *one = weft_shardings_mesh_at(t, 3);
    ck_assert(weft_mesh_same_devices(mesh, same) && !weft_mesh_same_devices(mesh, moved));
    ck_assert(weft_mesh_is_maximal(one) && !weft_mesh_is_maximal(mesh));
    ck_assert_int_eq(mesh->device_count, 24);
    ck_assert_ptr_eq(must("#sdy.sharding<@one, []>")->mesh, one);
    const weft_sharding *inlined = must("#sdy.sharding<mesh<[\"a\"=2]>, [{\"a\"}]>");
    ck_assert_ptr_null(inlined->mesh->name);
    ck_assert_ptr_eq(must("#sdy.sharding<mesh<[\"a\"=2]>, [{}]>")->mesh, inlined->mesh);
}
END_TEST

START_TEST(a_sharding_must_fit) {
    const int64_t dims[] = { 4, 4 };
    const weft_type *matrix = weft_type_tensor(cx, WEFT_F32, 2, dims), *token = weft_type_simple(cx, WEFT_TYPE_TOKEN);
    const weft_sharding *vector = must("#sdy.sharding<@mesh, [{\"x\"}]>");
    ck_assert_int_eq(weft_sharding_check(cx, must("#sdy.sharding<@mesh, [{\"x\"}, {}]>"), matrix, NULL), WEFT_OK);
    ck_assert_int_eq(weft_sharding_check(cx, vector, matrix, NULL), WEFT_ERR_INVALID);
    ck_assert_int_eq(weft_sharding_check(cx, vector, token, NULL), WEFT_ERR_INVALID);
    ck_assert_int_eq(weft_sharding_check(cx, must("#sdy.sharding<@mesh, []>"), token, NULL), WEFT_OK);
}
END_TEST

int main(void) {
    Suite *s = suite_create("sharding/sharding");
    TCase *tc = tcase_create("shardings");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, reads, 0, WEFT_COUNT(good));
    tcase_add_test(tc, equal_shardings_are_one);
    tcase_add_test(tc, a_thousand_stay_apart);
    tcase_add_test(tc, local_shapes_round_up);
    tcase_add_test(tc, meshes_compare_by_devices);
    tcase_add_test(tc, a_sharding_must_fit);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
