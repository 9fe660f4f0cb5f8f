/* Parts of mesh axes: tables from the definition, and laws over random parts checked digit by digit. */
#include "sharding/axis.h"

#include <stdio.h>
#include "tests/support/random.h"
#include "tests/support/suite.h"

/* Parts of one axis of size 12 or 16, written (pre)size; 0 for "none". */
#define P(pre, size) { 0, pre, size }

static const struct { weft_axis a, b; bool overlaps, contains, prefix, coexist; } relations[] = {
    { P(1, 16), P(1, 16), true, true, true, true },
    { P(1, 16), P(1, 4), true, true, false, true },
    { P(1, 4), P(1, 16), true, false, true, true },
    { P(1, 4), P(4, 4), false, false, false, true },
    { P(2, 4), P(2, 2), true, true, false, true },
    { P(2, 2), P(2, 4), true, false, true, true },
    { P(1, 4), P(2, 4), true, false, false, true },
    { P(1, 4), P(1, 6), true, false, true, false },     /* 4 and 6 of 12: no common splitting */
    { P(1, 4), P(2, 6), true, false, false, true },
    { P(2, 2), P(3, 2), true, false, false, false },
    { { 0, 1, 4 }, { 1, 1, 4 }, false, false, false, true },
    { P(1, 1), P(1, 1), true, true, true, true },       /* an axis of size 1 */
};

START_TEST(relation) {
    weft_axis a = relations[_i].a, b = relations[_i].b;
    ck_assert_int_eq(weft_axis_overlaps(a, b), relations[_i].overlaps);
    ck_assert_int_eq(weft_axis_overlaps(b, a), relations[_i].overlaps);
    ck_assert_int_eq(weft_axis_contains(a, b), relations[_i].contains);
    ck_assert_int_eq(weft_axis_prefix_of(a, b), relations[_i].prefix);
    ck_assert_int_eq(weft_axis_can_coexist(a, b), relations[_i].coexist);
    ck_assert_int_eq(weft_axis_can_coexist(b, a), relations[_i].coexist);
}
END_TEST

/* Mesh order, then where they begin, then how large they are. */
START_TEST(order) {
    static const weft_axis rising[] = {
        P(1, 2), P(1, 4), P(1, 16), P(2, 2), P(2, 4), P(4, 2), { 1, 1, 2 }, { 1, 2, 2 }
    };
    for (int i = 0; i < (int)WEFT_COUNT(rising); i++)
        for (int k = 0; k < (int)WEFT_COUNT(rising); k++) {
            const int c = weft_axis_compare(rising[i], rising[k]);
            ck_assert_msg((c > 0) - (c < 0) == (i > k) - (i < k), "%d and %d: %d", i, k, c);
        }
}
END_TEST

static const struct { weft_axis a, b, prefix, suffix, overlap, common; } cuts[] = { /* size 0: there is none */
    { P(1, 16), P(4, 2), P(1, 4), P(8, 2), P(4, 2), P(0, 0) },
    { P(1, 16), P(1, 4), P(0, 0), P(4, 4), P(1, 4), P(1, 4) },
    { P(1, 4), P(1, 16), P(0, 0), P(0, 0), P(1, 4), P(1, 4) },
    { P(1, 4), P(2, 4), P(1, 2), P(0, 0), P(2, 2), P(0, 0) },
    { P(2, 4), P(1, 4), P(0, 0), P(4, 2), P(2, 2), P(0, 0) },
    { P(1, 4), P(4, 4), P(1, 4), P(1, 4), P(0, 0), P(0, 0) },
    { P(1, 4), P(1, 6), P(0, 0), P(0, 0), P(0, 0), P(0, 0) },
};

static void expect(bool there, weft_axis got, weft_axis want) {
    ck_assert_int_eq(there, want.size != 0);
    if (there) ck_assert_msg(weft_axis_equal(got, want), "(%u)%u, not (%u)%u", got.pre, got.size, want.pre, want.size);
}

START_TEST(cut) {
    weft_axis a = cuts[_i].a, b = cuts[_i].b, got = { 0 };
    bool there = weft_axis_prefix_without(a, b, &got);
    expect(there, got, cuts[_i].prefix);
    there = weft_axis_suffix_without(a, b, &got);
    expect(there, got, cuts[_i].suffix);
    there = weft_axis_overlap(a, b, &got);
    expect(there, got, cuts[_i].overlap);
    there = weft_axis_common_prefix(a, b, &got);
    expect(there, got, cuts[_i].common);
}
END_TEST

/* The digits of device d that a part of an axis of size n selects. */
static uint32_t digits(weft_axis a, uint32_t n, uint32_t d) { return d / (n / weft_axis_next(a)) % a.size; }

static weft_axis random_part(weft_rng *r, uint32_t n) {
    for (;;) {
        weft_axis a = { 0, weft_rng_below(r, n) + 1, weft_rng_below(r, n) + 1 };
        if (a.pre * a.size <= n && n % (a.pre * a.size) == 0 && (a.size > 1 || n == 1)) return a;
    }
}

/* Two devices that agree on all parts of `what` agree on `of`: the first parts determine the second. */
static bool determines(const weft_axis *what, uint32_t count, weft_axis of, uint32_t n) {
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t e = 0; e < d; e++) {
            bool agree = true;
            for (uint32_t i = 0; i < count; i++) agree &= digits(what[i], n, d) == digits(what[i], n, e);
            if (agree && digits(of, n, d) != digits(of, n, e)) return false;
        }
    return true;
}

static const uint32_t sizes[] = { 2, 4, 6, 8, 12, 16, 24, 30 };

START_TEST(containing_is_determining) {
    uint64_t seed = weft_test_seed(11);
    weft_rng r = { seed + (uint64_t)_i };
    for (int k = 0; k < 200; k++) {
        uint32_t n = sizes[_i];
        weft_axis a = random_part(&r, n), b = random_part(&r, n);
        if (!weft_axis_can_coexist(a, b)) continue;
        ck_assert_msg(determines(&a, 1, b, n) == weft_axis_contains(a, b), "(%u)%u and (%u)%u of %u, seed %llu", a.pre,
                      a.size, b.pre, b.size, n, (unsigned long long)seed);
        weft_axis got;
        if (weft_axis_overlap(a, b, &got)) ck_assert(weft_axis_contains(a, got) && weft_axis_contains(b, got));
        else ck_assert(!weft_axis_overlaps(a, b));
        if (weft_axis_prefix_without(a, b, &got)) ck_assert(weft_axis_prefix_of(got, a) && !weft_axis_overlaps(got, b));
        if (weft_axis_suffix_without(a, b, &got)) ck_assert(weft_axis_suffix_of(got, a) && !weft_axis_overlaps(got, b));
        if (weft_axis_can_merge(a, b)) {
            weft_axis merged = weft_axis_merge(a, b), both[2] = { a, b };
            ck_assert(determines(&merged, 1, a, n) && determines(&merged, 1, b, n) && determines(both, 2, merged, n));
        }
    }
}
END_TEST

/* a without b, put together with what a and b share, is a again. */
START_TEST(difference_and_overlap_make_the_whole) {
    uint64_t seed = weft_test_seed(23);
    weft_rng r = { seed + (uint64_t)_i };
    for (int k = 0; k < 200; k++) {
        uint32_t n = sizes[_i];
        weft_axis a = random_part(&r, n), b = random_part(&r, n), common;
        if (!weft_axis_can_coexist(a, b)) continue;
        weft_axis_list rest, all;
        weft_axis_list_difference(&rest, weft_axes_at(&a, 1), weft_axes_at(&b, 1));
        all = rest;
        if (weft_axis_overlap(a, b, &common)) weft_axis_list_push(&all, common);
        weft_axis_list_sort_merge(&all);
        ck_assert_msg(all.n == 1 && weft_axis_equal(all.v[0], a), "(%u)%u and (%u)%u of %u, seed %llu", a.pre, a.size,
                      b.pre, b.size, n, (unsigned long long)seed);
        for (uint32_t i = 0; i < rest.n; i++) ck_assert(!weft_axis_overlaps(rest.v[i], b));
    }
}
END_TEST

static const weft_axis x = { 0, 1, 4 }, x2 = { 0, 1, 2 }, x22 = { 0, 2, 2 }, y = { 1, 1, 2 }, z = { 2, 1, 3 };

START_TEST(lists) {
    weft_axis xy[] = { x, y }, x2y[] = { x2, y }, xz[] = { x, z };
    ck_assert_int_eq(weft_axes_prefix(weft_axes_at(xy, 1), weft_axes_at(xy, 2)), WEFT_PREFIX_STRICT);
    ck_assert_int_eq(weft_axes_prefix(weft_axes_at(x2y, 1), weft_axes_at(xy, 2)), WEFT_PREFIX_STRICT);
    ck_assert_int_eq(weft_axes_prefix(weft_axes_at(x2y, 2), weft_axes_at(xy, 2)), WEFT_PREFIX_NOT);
    ck_assert_int_eq(weft_axes_prefix(weft_axes_at(xy, 2), weft_axes_at(xy, 2)), WEFT_PREFIX_EQUAL);
    ck_assert_int_eq(weft_axes_prefix(weft_axes_at(xy, 0), weft_axes_at(xy, 0)), WEFT_PREFIX_EQUAL);
    ck_assert_int_eq(weft_axes_prefix(weft_axes_at(xy, 2), weft_axes_at(xy, 1)), WEFT_PREFIX_NOT);
    weft_axis_list l = { 0 };
    weft_axis_list_push_merged(&l, x2);
    weft_axis_list_push_merged(&l, x22);
    weft_axis_list_push_merged(&l, z);
    ck_assert(weft_axes_equal(weft_axes_of(&l), weft_axes_at(xz, 2)));
    ck_assert_int_eq(weft_axes_size(weft_axes_of(&l)), 12);
    ck_assert_uint_eq(weft_axes_mask(weft_axes_of(&l)), 5);
    weft_axis_list_common_prefix(&l, weft_axes_at(x2y, 2));
    ck_assert(l.n == 1 && weft_axis_equal(l.v[0], x2));
    weft_axis_list_set(&l, weft_axes_at(xz, 2));
    weft_axis_list_cut_overlap(&l, weft_axes_at(&x22, 1));
    ck_assert(l.n == 1 && weft_axis_equal(l.v[0], x2));
}
END_TEST

START_TEST(a_full_list_says_so) {
    weft_axis_list l = { 0 };
    for (uint32_t i = 0; i < WEFT_AXIS_LIST_MAX; i++) weft_axis_list_push(&l, (weft_axis){ i, 1, 1 });
    ck_assert(!l.full);
    weft_axis_list_push(&l, (weft_axis){ 40, 1, 1 });
    ck_assert(l.full && l.n == WEFT_AXIS_LIST_MAX);
}
END_TEST

int main(void) {
    Suite *s = suite_create("sharding/axis");
    TCase *tc = tcase_create("parts");
    tcase_add_test(tc, order);
    tcase_add_loop_test(tc, relation, 0, sizeof relations / sizeof *relations);
    tcase_add_loop_test(tc, cut, 0, sizeof cuts / sizeof *cuts);
    tcase_add_loop_test(tc, containing_is_determining, 0, sizeof sizes / sizeof *sizes);
    tcase_add_loop_test(tc, difference_and_overlap_make_the_whole, 0, sizeof sizes / sizeof *sizes);
    tcase_add_test(tc, lists);
    tcase_add_test(tc, a_full_list_says_so);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
