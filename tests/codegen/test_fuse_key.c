/* Keys of traces: equal for the same nodes over other operands, different where a trace may be. */
#include "codegen/fuse_key.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

typedef struct bed {
    weft_test_alloc alloc;
    weft_context *cx;
    cg_graph g;
    fuse_keys *keys;
    cg_node *arg[4];
} bed;

static bool computed(void *user, const cg_node *n) {
    (void)user;
    return cg_is(n, CG_LOOP);
}

static cg_node *copy_sum(cg_graph *g, cg_node *a, cg_node *b) { return cg_copy(g, cg_binary(g, CG_OP_add, a, b)); }

static cg_node *product_sum(cg_graph *g, cg_node *a, cg_node *b) {
    return cg_binary(g, CG_OP_add, cg_binary(g, CG_OP_multiply, a, b), a);
}

static cg_node *sum_product(cg_graph *g, cg_node *a, cg_node *b) {
    return cg_binary(g, CG_OP_multiply, cg_binary(g, CG_OP_add, a, b), a);
}

static cg_node *other_edge(cg_graph *g, cg_node *a, cg_node *b) {
    return cg_binary(g, CG_OP_add, cg_binary(g, CG_OP_multiply, a, b), b);
}

static cg_node *reversed(cg_graph *g, cg_node *a, cg_node *b) {
    return cg_binary(g, CG_OP_add, cg_view(g, a, 1, a->dims, &(cg_view_dim){ 0, 5, -1, 0, 0 }), b);
}

static cg_node *turned(cg_graph *g, cg_node *a, cg_node *b) {
    return cg_binary(g, CG_OP_add, cg_view(g, a, 1, a->dims, &(cg_view_dim){ 0, 0, 1, 1, -2 }), b);
}

static cg_node *(*const forms[])(cg_graph *g, cg_node *a, cg_node *b) = { copy_sum,   product_sum, sum_product,
                                                                          other_edge, reversed,    turned };

typedef struct saved { uint32_t word[256]; size_t n; } saved;

static void key(bed *b, cg_node *root, int64_t total, int64_t row, saved *out) {
    ck_assert_ptr_nonnull(root);
    const fuse_key *k = fuse_key_of(b->keys, total, row, &root, 1, computed, NULL);
    ck_assert_ptr_nonnull(k);
    ck_assert_uint_le(k->word_count, WEFT_COUNT(out->word));
    ck_assert_uint_eq(fuse_key_number(b->keys, root), 0);
    memcpy(out->word, k->word, k->word_count * sizeof *k->word);
    out->n = k->word_count;
}

static bool same(const saved *a, const saved *b) {
    return a->n == b->n && !memcmp(a->word, b->word, a->n * sizeof *a->word);
}

START_TEST(test_keys) {
    static bed b;
    const weft_type *t;
    saved first[WEFT_COUNT(forms)], again;
    cg_node *root[WEFT_COUNT(forms)][2];
    weft_test_alloc_init(&b.alloc, -1);
    ck_assert_ptr_nonnull(b.cx = weft_context_new(&b.alloc.alloc));
    cg_graph_init(&b.g, b.cx);
    ck_assert_ptr_nonnull(b.g.block = cg_block_new(&b.g, NULL));
    ck_assert_ptr_nonnull(t = weft_type_tensor(b.cx, WEFT_F32, 1, (int64_t[]){ 6 }));
    for (uint32_t i = 0; i < 4; i++) b.arg[i] = cg_argument(&b.g, b.g.block, i, t);
    for (size_t i = 0; i < WEFT_COUNT(forms); i++)
        for (int k = 0; k < 2; k++) root[i][k] = forms[i](&b.g, b.arg[2 * k], b.arg[2 * k + 1]);
    ck_assert_ptr_nonnull(b.keys = fuse_keys_new(&b.g, &b.g.arena));
    for (size_t i = 0; i < WEFT_COUNT(forms); i++) {
        key(&b, root[i][0], 6, 0, &first[i]);
        key(&b, root[i][1], 6, 0, &again);
        ASSERT_EACH(same(&first[i], &again), "form %zu: the same over other arguments", i);
        key(&b, root[i][1], 12, 0, &again);
        ASSERT_EACH(!same(&first[i], &again), "form %zu: over another space", i);
        key(&b, root[i][1], 6, 3, &again);
        ASSERT_EACH(!same(&first[i], &again), "form %zu: in other rows", i);
        for (size_t k = 0; k < i; k++) ASSERT_EACH(!same(&first[i], &first[k]), "forms %zu and %zu", i, k);
    }
    cg_graph_free(&b.g);
    weft_context_free(b.cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/fuse_key");
    TCase *tc = tcase_create("keys");
    tcase_add_test(tc, test_keys);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
