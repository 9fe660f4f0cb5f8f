/* What a memory counts, over a kind that refuses on purpose: what was refused is not counted, what was given back is
 * counted no more, and the most stays. */
#include <stdlib.h>
#include "runtime/memory.h"
#include "tests/support/suite.h"

typedef struct shelf { size_t room, asked; int blocks; } shelf;

static void *allocate(void *state, size_t bytes) {
    shelf *s = state;
    s->asked = bytes;
    if (bytes > s->room) return NULL;
    s->blocks++;
    return malloc(bytes);
}

static void release(void *state, void *block) {
    ((shelf *)state)->blocks--;
    free(block);
}

static const weft_memory_kind kind = { "shelf", allocate, release };

START_TEST(counts_what_is_in_use) {
    shelf s = { .room = 1000 };
    weft_memory m = { .kind = &kind, .state = &s };
    void *a = weft_memory_allocate(&m, 600), *b = weft_memory_allocate(&m, 300);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_nonnull(b);
    ck_assert_ptr_null(weft_memory_allocate(&m, 1001));
    ck_assert_int_eq(m.bytes, 900);
    weft_memory_release(&m, a, 600);
    weft_memory_release(&m, NULL, 5000);
    ck_assert_int_eq(m.bytes, 300);
    ck_assert_int_eq(m.most, 900);
    void *none = weft_memory_allocate(&m, 0); /* an empty array has an address, too */
    ck_assert_ptr_nonnull(none);
    ck_assert_uint_ge(s.asked, 1);
    ck_assert_int_eq(m.bytes, 300);
    weft_memory_release(&m, none, 0);
    weft_memory_release(&m, b, 300);
    ck_assert_int_eq(m.bytes, 0);
    ck_assert_int_eq(m.most, 900);
    ck_assert_int_eq(s.blocks, 0);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/memory");
    TCase *tc = tcase_create("memory");
    tcase_add_test(tc, counts_what_is_in_use);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
