/* fuzz_start.c: arbitrary bytes as the other processes' cards while a world is made: each round of the start receives
 * this process's own card from all of them, with changes by the script. A world that is not made leaves a diagnostic,
 * one that is made can be freed; nothing is read or written outside of memory, and all of it is freed.
 *
 *   fuzz_start [-max_total_time=60] [CORPUS]
 *
 * The first byte gives the number of processes (2 to 5) and what they share; then follow the changes, of four bytes
 * each: the round (low four bits) and the card (high ones), the offset (of 4 bytes, 256 of them, cyclically), and the
 * new value: a number from a list, or that number added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "collectives/wire.h"
#include "tests/fuzz/counted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct say {
    const uint8_t *script, *end;
    unsigned round;
    size_t held, reports;
} say;

static void quiet(void *user, const weft_diag *d) {
    (void)d;
    ((say *)user)->reports++;
}

static const uint32_t numbers[16] = { 0,   1,     2,        3,        15,        16,       17,         255,
                                      256, 65536, 1u << 24, 1u << 30, INT32_MAX, 1u << 31, UINT32_MAX, 0x7ff00000 };

static void change(const uint8_t *c, char *card, size_t bytes) {
    uint32_t x = 0;
    size_t at = 4 * (c[1] + 256 * (size_t)(c[2] >> 4));
    if (!bytes) return;
    at %= bytes;
    size_t n = bytes - at < sizeof x ? bytes - at : sizeof x;
    memcpy(&x, card + at, n);
    x = numbers[c[3] & 15] + (c[3] & 16 ? x : 0);
    memcpy(card + at, &x, n);
}

static weft_status gather(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    say *s = b->state;
    char *all = out;
    for (int p = 0; p < b->size; p++)
        if (bytes) memcpy(all + (size_t)p * bytes, in, bytes);
    for (const uint8_t *c = s->script; s->end - c >= 4; c += 4) {
        int p = c[0] >> 4;
        if ((c[0] & 15) == s->round && p != b->rank && p < b->size) change(c, all + (size_t)p * bytes, bytes);
    }
    s->round++;
    return WEFT_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const ways[] = { "tcp", "shm", "shm,tcp" };
    if (!size) return 0;
    say s = { .script = data + 1, .end = data + size };
    weft_allocator alloc = counted(&s.held);
    weft_context *cx = weft_context_new(&alloc);
    if (!cx) abort();
    weft_context_set_handler(cx, quiet, &s);
    const weft_world_options opt = { .size = sizeof opt, .local_ranks = 1 + (data[0] >> 6),
                                     .transport = ways[(data[0] >> 3 & 7) % WEFT_COUNT(ways)], .timeout_s = 0.001,
                                     .tuned = "none", .progress = -1 };
    const weft_start with = {
        .all = { .rank = (data[0] & 4) != 0, .size = 2 + data[0] % 4, .allgather = gather, .state = &s }
    };
    weft_world *w = NULL;
    weft_status st = weft_world_start(cx, &opt, &with, &w);
    if (st == WEFT_OK) weft_world_free(w);
    else if ((!s.reports && st != WEFT_ERR_MEMORY) || w)
        abort(); /* out of memory, in any process, is reported by the caller */
    weft_context_free(cx);
    if (s.held) fprintf(stderr, "%zu bytes are left\n", s.held), abort();
    return 0;
}
