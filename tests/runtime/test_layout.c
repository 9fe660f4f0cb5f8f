/* Splitting and joining: there and back is the identity, for random layouts with sub-axes, replicas and uneven
 * dimensions. */
#include <stdio.h>
#include <stdlib.h>
#include "runtime/execute.h"
#include "tests/support/suite.h"

typedef struct rng { uint64_t s; } rng;

static int64_t below(rng *r, int64_t n) {
    r->s = r->s * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((r->s >> 33) % (uint64_t)n);
}

static uint64_t seed(void) {
    const char *text = getenv("WEFT_SEED");
    return text ? strtoull(text, NULL, 10) : 20261121;
}

#define MAX_AXES 4

typedef struct random_layout {
    weft_layout l;
    weft_layout_dim dims[4];
    weft_layout_axis axes[4][MAX_AXES];
    int64_t position[64];
} random_layout;

/* A mesh of up to 3 axes of 1 to 4; some axes cut in two; each piece goes to a random dimension or to none. */
static void draw(rng *r, random_layout *out) {
    static const weft_dtype types[] = { WEFT_I8, WEFT_F32, WEFT_C128 };
    uint32_t axes = (uint32_t)below(r, 3) + 1, rank = (uint32_t)below(r, 4);
    int64_t sizes[3], devices = 1;
    memset(out, 0, sizeof *out);
    for (uint32_t a = 0; a < axes; a++) devices *= sizes[a] = below(r, 4) + 1;
    out->l = (weft_layout){ types[below(r, 3)], rank, out->dims, devices, NULL, NULL, 0 };
    for (uint32_t d = 0; d < rank; d++) out->dims[d].axes = out->axes[d];
    int64_t stride = devices;
    for (uint32_t a = 0; a < axes; a++) {
        int64_t pieces[2] = { sizes[a], 1 };
        if (sizes[a] == 4 && below(r, 2)) pieces[0] = pieces[1] = 2;
        for (int k = 0; k < 2; k++) {
            stride /= pieces[k];
            int64_t d = below(r, rank + 1);
            if (pieces[k] == 1 || d == rank) continue;
            out->axes[d][out->dims[d].axis_count++] = (weft_layout_axis){ stride, pieces[k] };
        }
    }
    for (uint32_t d = 0; d < rank; d++) {
        int64_t shards = 1;
        for (uint32_t a = 0; a < out->dims[d].axis_count; a++) shards *= out->axes[d][a].size;
        out->dims[d].global = below(r, 8) ? below(r, 3 * shards) + 1 : 0;
        out->dims[d].local = weft_ceil_div(out->dims[d].global, shards);
    }
    if (!below(r, 2)) return;
    for (int64_t i = 0; i < devices; i++) out->position[i] = (i + 1) % devices;
    out->l.position = out->position;
}

START_TEST(cut_and_join_are_inverse) {
    rng r = { seed() + (uint64_t)_i };
    random_layout x;
    draw(&r, &x);
    int64_t bytes = weft_layout_global_bytes(&x.l), local_bytes = weft_layout_local_bytes(&x.l);
    unsigned char *from = malloc((size_t)bytes + 1), *to = calloc(1, (size_t)bytes + 1),
                  *shard = malloc((size_t)local_bytes + 1);
    int64_t owned = 0;
    for (int64_t i = 0; i < bytes; i++) from[i] = (unsigned char)(1 + i % 251);
    for (int64_t dev = 0; dev < x.l.device_count; dev++) {
        memset(shard, 0xee, (size_t)local_bytes);
        weft_layout_cut(&x.l, dev, from, shard);
        if (!weft_layout_owns(&x.l, dev)) continue;
        for (int64_t i = 0; i < local_bytes; i++) owned += shard[i] != 0; /* padding is zero, data is not */
        weft_layout_join(&x.l, dev, shard, to);
    }
    ck_assert_msg(!memcmp(from, to, (size_t)bytes), "seed %llu", (unsigned long long)(seed() + (uint64_t)_i));
    ck_assert_msg(owned == bytes, "seed %llu: owners hold %lld of %lld bytes",
                  (unsigned long long)(seed() + (uint64_t)_i), (long long)owned, (long long)bytes);
    ck_assert(weft_layout_equal(&x.l, &x.l));
    free(from);
    free(to);
    free(shard);
}
END_TEST

/* A worked example: 5 rows over two devices is 3 and 2 with one row of padding; columns by the minor half of a 4-axis.
 */
START_TEST(uneven_rows) {
    weft_layout_axis rows[] = { { 1, 2 } };
    weft_layout_dim dims[] = { { 5, 3, rows, 1 }, { 2, 2, NULL, 0 } };
    weft_layout l = { WEFT_I8, 2, dims, 4, NULL, NULL, 0 };
    char global[] = "abcdefghij", shard[6];
    weft_layout_cut(&l, 3, global, shard);
    ck_assert_int_eq(memcmp(shard, "ghij\0\0", 6), 0);
    weft_layout_cut(&l, 2, global, shard);
    ck_assert_int_eq(memcmp(shard, "abcdef", 6), 0);
    ck_assert(weft_layout_owns(&l, 0) && weft_layout_owns(&l, 1) && !weft_layout_owns(&l, 2) &&
              !weft_layout_owns(&l, 3));
}
END_TEST

/* Values depend on seed, argument and index only; integers stay small; moments are what they should be. */
START_TEST(fill_is_a_function) {
    weft_fill normal = { WEFT_FILL_NORMAL, 0.5, 7 };
    float a, b;
    double sum = 0, squares = 0;
    int n = 20000;
    for (int i = 0; i < n; i++) {
        weft_fill_element(&normal, WEFT_F32, 3, i, &a);
        weft_fill_element(&normal, WEFT_F32, 3, i, &b);
        ck_assert(a == b);
        sum += a;
        squares += (double)a * a;
        int32_t k;
        weft_fill_element(&normal, WEFT_I32, 3, i, &k);
        ck_assert(k >= 0 && k < 16);
    }
    ck_assert_double_eq_tol(sum / n, 0, 0.02);
    ck_assert_double_eq_tol(squares / n, 0.25, 0.01);
    weft_fill_element(&normal, WEFT_F32, 4, 5, &a);
    weft_fill_element(&normal, WEFT_F32, 3, 5, &b);
    ck_assert(a != b);
    weft_fill five = { WEFT_FILL_CONSTANT, 5, 7 };
    int64_t five_i;
    weft_fill_element(&five, WEFT_I64, 0, 0, &five_i);
    ck_assert_int_eq(five_i, 5);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/layout");
    TCase *tc = tcase_create("layout");
    printf("seed %llu\n", (unsigned long long)seed());
    tcase_add_loop_test(tc, cut_and_join_are_inverse, 0, 400);
    tcase_add_test(tc, uneven_rows);
    tcase_add_test(tc, fill_is_a_function);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
