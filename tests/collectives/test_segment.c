/* test_segment.c: blocks of a heap are zeroed, aligned and disjoint; freed memory can be allocated again; no more than
 * the segment has. And which calls a slot of a node's shared memory remembers. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/context.h"
#include "collectives/node.h"
#include "collectives/segment.h"
#include "tests/collectives/law.h"
#include "tests/support/suite.h"

START_TEST(test_blocks) {
    weft_context *cx = weft_context_new(NULL);
    weft_heap h;
    struct { unsigned char *p; size_t bytes; unsigned char mark; } live[64] = { 0 };
    uint64_t state = law_seed(11) + (uint64_t)_i;
    ck_assert_int_eq(weft_heap_init(&h, &cx->alloc, _i ? WEFT_SEGMENT_SHARED : WEFT_SEGMENT_PRIVATE, 1), WEFT_OK);
    for (int turn = 0; turn < 800; turn++) {
        size_t i = law_random(&state) % WEFT_COUNT(live);
        if (live[i].p) {
            for (size_t b = 0; b < live[i].bytes; b += 97) ck_assert_uint_eq(live[i].p[b], live[i].mark);
            weft_heap_dealloc(&h, live[i].p);
            live[i].p = NULL;
            continue;
        }
        live[i].bytes = law_random(&state) % (turn % 50 ? 20000 : 5000000);
        live[i].p = weft_heap_alloc(&h, live[i].bytes);
        live[i].mark = (unsigned char)(turn | 1);
        ck_assert_ptr_nonnull(live[i].p);
        ck_assert_uint_eq((uintptr_t)live[i].p % 4096, 0);
        for (size_t b = 0; b < live[i].bytes; b += 97) ck_assert_uint_eq(live[i].p[b], 0);
        memset(live[i].p, live[i].mark, live[i].bytes);
    }
    for (size_t i = 0; i < WEFT_COUNT(live); i++) weft_heap_dealloc(&h, live[i].p);
    ck_assert_uint_eq(h.count, 1); /* all joined again */
    ck_assert_uint_eq(h.blocks[0].bytes, h.segment.size);
    weft_heap_free(&h);
    weft_context_free(cx);
}
END_TEST

START_TEST(test_too_much) {
    weft_context *cx = weft_context_new(NULL);
    weft_heap h;
    ck_assert_int_eq(weft_heap_init(&h, &cx->alloc, WEFT_SEGMENT_SHARED, 1), WEFT_OK);
    ck_assert_ptr_null(weft_heap_alloc(&h, SIZE_MAX / 2));
    ck_assert_ptr_null(weft_heap_alloc(&h, h.segment.size + 1));
    void *p = weft_heap_alloc(&h, 10);
    ck_assert_ptr_nonnull(p);
    weft_heap_dealloc(&h, p);
    weft_heap_free(&h);
    weft_context_free(cx);
}
END_TEST

/* Where the address space is limited the segment is smaller, and there is one. */
START_TEST(test_little_room) {
#if !defined(WEFT_SANITIZERS) && !defined(__SANITIZE_THREAD__) /* they want more room than this leaves */
    struct rlimit limit = { (rlim_t)1 << 29, (rlim_t)1 << 29 };
    weft_segment s;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    ck_assert_int_eq(weft_segment_create((weft_segment_kind)_i, (size_t)1 << 40, &s), WEFT_OK);
    ck_assert_uint_ge(s.size, (size_t)1 << 26);
    ck_assert_uint_le(s.size, (size_t)1 << 27); /* most is left to threads, buffers and other libraries */
    ck_assert(weft_segment_commit(&s, 0, 1 << 20));
    memset(s.base, 1, 1 << 20);
    weft_segment_close(&s);
#endif
}
END_TEST

/* 0, or which step went wrong. In a process of its own: Check writes files too. */
static int live_with_short_files(void) {
    struct rlimit limit;
    weft_segment s;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    limit.rlim_cur = (rlim_t)1 << 25;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    if (weft_segment_create(WEFT_SEGMENT_SHARED, (size_t)1 << 30, &s) != WEFT_OK || s.size > (size_t)1 << 25) return 3;
    if (!weft_segment_commit(&s, s.size - 4096, 4096)) return 4;
    memset(s.base + s.size - 4096, 1, 4096);
    weft_segment_close(&s);
    limit.rlim_cur = 0;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 5;
    return weft_segment_create(WEFT_SEGMENT_SHARED, (size_t)1 << 30, &s) == WEFT_ERR_IO && errno == EFBIG ? 0 : 6;
}

/* A file that becomes longer than it may is a signal: the segment is shorter, or an error. */
START_TEST(test_short_file) {
    int status;
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) _exit(live_with_short_files());
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(status == 0, "status %#x", (unsigned)status);
}
END_TEST

START_TEST(test_another_map) {
    weft_segment a, b;
    ck_assert_int_eq(weft_segment_create(WEFT_SEGMENT_SHARED, (size_t)1 << 24, &a), WEFT_OK);
    ck_assert(weft_segment_commit(&a, 0, 4096));
    a.base[5] = 9;
    weft_segment_card card = weft_segment_describe(&a);
    ck_assert_int_eq(weft_segment_open(getpid(), &card, &b), WEFT_OK);
    ck_assert_ptr_ne(a.base, b.base);
    ck_assert_int_eq(b.base[5], 9);
    weft_segment_close(&b);
    card.inode++; /* a descriptor that is something else */
    ck_assert_int_eq(weft_segment_open(getpid(), &card, &b), WEFT_ERR_IO);
    weft_segment_close(&a);
}
END_TEST

/* Calls that take turns, of signatures that fall into one set: none makes the others forgotten, until there are too
 * many; then the one made longest ago is. */
START_TEST(test_known_calls) {
    static weft_slot slot;
    uint64_t sig[WEFT_AGREED_WAYS + 1];
    for (int i = 0; i <= WEFT_AGREED_WAYS; i++) sig[i] = 77 + (uint64_t)(i + 1) * WEFT_AGREED_SETS;
    for (int i = 0; i < WEFT_AGREED_WAYS; i++) {
        ck_assert(!weft_slot_knows(&slot, sig[i]));
        weft_slot_learn(&slot, sig[i]);
    }
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < WEFT_AGREED_WAYS; i++) {
            ck_assert(weft_slot_knows(&slot, sig[i]));
            weft_slot_learn(&slot, sig[i]);
        }
    weft_slot_learn(&slot, sig[0]);
    weft_slot_learn(&slot, sig[WEFT_AGREED_WAYS]);
    for (int i = 0; i <= WEFT_AGREED_WAYS; i++) ck_assert_int_eq(weft_slot_knows(&slot, sig[i]), i != 1);
}
END_TEST

int main(void) {
    Suite *s = suite_create("segment");
    TCase *tc = tcase_create("segment");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_blocks, 0, 2);
    tcase_add_test(tc, test_too_much);
    tcase_add_loop_test(tc, test_little_room, 0, 2);
    tcase_add_test(tc, test_short_file);
    tcase_add_test(tc, test_another_map);
    tcase_add_test(tc, test_known_calls);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
