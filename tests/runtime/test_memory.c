/* What a memory counts, over a kind that refuses on purpose: what was refused is not counted, what was given back is
 * counted no more, and the most stays; what is kept for the next allocation. */
#include <stdlib.h>
#include "runtime/memory.h"
#include "tests/support/suite.h"

typedef struct shelf { size_t room, asked, taken; int blocks, calls; } shelf;

static void *allocate(void *state, size_t bytes) {
    shelf *s = state;
    s->asked = bytes;
    s->calls++;
    if (bytes > s->room - s->taken) return NULL;
    size_t *block = malloc(bytes + 64);
    s->blocks++;
    s->taken += bytes;
    *block = bytes;
    return (char *)block + 64;
}

static void release(void *state, void *block) {
    shelf *s = state;
    size_t *all = (size_t *)((char *)block - 64);
    s->blocks--;
    s->taken -= *all;
    free(all);
}

static const weft_memory_kind kind = { "shelf", 64, allocate, release };

START_TEST(counts_what_is_in_use) {
    shelf s = { .room = 1100 };
    weft_memory m = { .kind = &kind, .state = &s };
    void *a = weft_memory_allocate(&m, 600), *b = weft_memory_allocate(&m, 300);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_nonnull(b);
    ck_assert_ptr_null(weft_memory_allocate(&m, 1101));
    ck_assert_int_eq(m.bytes, 900);
    weft_memory_release(&m, a, 600);
    weft_memory_release(&m, NULL, 5000);
    ck_assert_int_eq(m.bytes, 300);
    ck_assert_int_eq(m.most, 900);
    void *none = weft_memory_allocate(&m, 0); /* an empty array has an address, too */
    ck_assert_ptr_nonnull(none);
    ck_assert_uint_eq(s.asked, 64);
    ck_assert_int_eq(m.bytes, 300);
    weft_memory_release(&m, none, 0);
    weft_memory_release(&m, b, 300);
    ck_assert_int_eq(m.bytes, 0);
    ck_assert_int_eq(m.most, 900);
    ck_assert_int_eq(s.blocks, 0);
}
END_TEST

/* A kind is asked for whole granules; one without granules for each byte. */
START_TEST(asks_for_granules) {
    static const struct { size_t granule; int64_t bytes; size_t asked; } cases[] = {
        { 64, 0, 64 }, { 64, 1, 64 }, { 64, 63, 64 }, { 64, 64, 64 }, { 64, 65, 128 }, { 64, 128, 128 },
        { 0, 0, 1 },   { 0, 1, 1 },   { 0, 65, 65 },  { 1, 65, 65 },  { 48, 49, 96 },
    };
    for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
        const weft_memory_kind k = { "granules", cases[i].granule, allocate, release };
        shelf s = { .room = 1000 };
        weft_memory m = { .kind = &k, .state = &s };
        void *a = weft_memory_allocate(&m, cases[i].bytes);
        ck_assert_msg(a && s.asked == cases[i].asked, "%zu: %zu", i, s.asked);
        weft_memory_release(&m, a, cases[i].bytes);
        ck_assert_int_eq(s.blocks, 0);
    }
}
END_TEST

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes) {
    (void)user, (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static const weft_allocator usual = { resize, NULL };

/* A block of the same size in granules is there again without the kind, the newest first. */
START_TEST(keeps_blocks) {
    shelf s = { .room = 10000 };
    weft_memory m = { .kind = &kind, .state = &s, .alloc = &usual };
    void *a = weft_memory_allocate(&m, 600), *b = weft_memory_allocate(&m, 640), *c = weft_memory_allocate(&m, 64);
    weft_memory_release(&m, a, 600);
    weft_memory_release(&m, b, 640);
    weft_memory_release(&m, c, 64);
    ck_assert_int_eq(m.bytes, 0);
    ck_assert_int_eq(s.blocks, 3);
    for (int i = 0; i < 1000; i++) {
        ck_assert_ptr_eq(weft_memory_allocate(&m, 601), b);
        ck_assert_ptr_eq(weft_memory_allocate(&m, 1), c);
        ck_assert_ptr_eq(weft_memory_allocate(&m, 577), a);
        weft_memory_release(&m, a, 577);
        weft_memory_release(&m, b, 601);
        weft_memory_release(&m, c, 1);
    }
    ck_assert_int_eq(s.calls, 3);
    ck_assert_int_eq(m.most, 1304);
    weft_memory_trim(&m);
    ck_assert_int_eq(s.blocks, 0);
}
END_TEST

/* Whatever sizes come and go, in use and kept together are never more than the most in use at one time. */
START_TEST(holds_no_more_than_the_most) {
    shelf s = { .room = 1 << 20 };
    weft_memory m = { .kind = &kind, .state = &s, .alloc = &usual };
    void *held[8] = { 0 };
    int64_t bytes[8] = { 0 };
    uint64_t x = 1;
    for (int i = 0; i < 10000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        const int k = (int)(x >> 61);
        if (held[k]) weft_memory_release(&m, held[k], bytes[k]);
        bytes[k] = (int64_t)(x >> 40 & 1023);
        held[k] = x >> 60 & 1 ? weft_memory_allocate(&m, bytes[k]) : NULL;
        ck_assert_int_eq(m.rounded + m.kept, (int64_t)s.taken);
        ck_assert_int_le((int64_t)s.taken, m.rounded_most);
    }
    for (int k = 0; k < 8; k++) weft_memory_release(&m, held[k], bytes[k]);
    weft_memory_trim(&m);
    ck_assert_int_eq(s.blocks, 0);
}
END_TEST

/* What is kept goes back before an allocation is refused. */
START_TEST(gives_way) {
    shelf s = { .room = 1024 };
    weft_memory m = { .kind = &kind, .state = &s, .alloc = &usual };
    void *a = weft_memory_allocate(&m, 512), *b = weft_memory_allocate(&m, 512);
    weft_memory_release(&m, a, 512);
    weft_memory_release(&m, b, 512);
    void *c = weft_memory_allocate(&m, 1024);
    ck_assert_ptr_nonnull(c);
    ck_assert_ptr_null(weft_memory_allocate(&m, 64));
    weft_memory_release(&m, c, 1024);
    weft_memory_trim(&m);
    ck_assert_int_eq(s.blocks, 0);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/memory");
    TCase *tc = tcase_create("memory");
    tcase_add_test(tc, counts_what_is_in_use);
    tcase_add_test(tc, asks_for_granules);
    tcase_add_test(tc, keeps_blocks);
    tcase_add_test(tc, holds_no_more_than_the_most);
    tcase_add_test(tc, gives_way);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
