/* Rounds: each parcel is in one, no device sends or receives two at once, and there are as many as the busiest device
 * takes part in if that sends no more. WEFT_SEED=S repeats a failure's graph alone. */
#include "ir/module.h"
#include "partitioner/lower/rounds.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { DEVICES = 12, PARCELS = 48 };

static weft_context *cx;

static void setup(void) { cx = weft_context_new(NULL); }
static void teardown(void) { weft_context_free(cx); }

/* Between different devices; up to three between the same two. */
static int64_t draw(weft_rng *rng, int64_t devices, bool alike, weft_parcel *parcels) {
    const int64_t n = weft_rng_range(rng, 0, PARCELS);
    for (int64_t i = 0; i < n; i++) {
        parcels[i] = (weft_parcel){ .from = weft_rng_below(rng, (uint32_t)devices),
                                    .to = weft_rng_below(rng, (uint32_t)devices),
                                    .width = alike ? 2 : weft_rng_range(rng, 1, 9), .of = weft_rng_below(rng, 3) };
        if (parcels[i].to == parcels[i].from) parcels[i].to = (parcels[i].to + 1) % devices;
    }
    return n;
}

static int64_t busiest(const weft_parcel *parcels, int64_t n) {
    int64_t gets[DEVICES] = { 0 }, sends[DEVICES] = { 0 }, most = 0;
    for (int64_t i = 0; i < n; i++) {
        gets[parcels[i].to]++;
        sends[parcels[i].from]++;
    }
    for (int d = 0; d < DEVICES; d++) most = weft_max_i64(most, weft_max_i64(gets[d], sends[d]));
    return most;
}

static void check_rounds(const weft_rounds *r, const weft_parcel *parcels, int64_t n, uint64_t seed) {
    int64_t met[PARCELS] = { 0 }, sent = 0;
    for (uint32_t round = 0; round < r->count; round++) {
        int64_t widest = 0;
        for (int64_t d = 0; d < r->devices; d++) {
            const int64_t got = r->source[round * r->devices + d], gives = r->target[round * r->devices + d];
            ASSERT_EACH(got == WEFT_NOBODY ||
                            (parcels[got].to == d && r->target[round * r->devices + parcels[got].from] == got),
                        "WEFT_SEED=%llu: who gets it sends it not", (unsigned long long)seed);
            ASSERT_EACH(gives == WEFT_NOBODY || parcels[gives].from == d, "WEFT_SEED=%llu: another's parcel", (unsigned long long)seed);
            if (got == WEFT_NOBODY) continue;
            met[got]++;
            widest = weft_max_i64(widest, parcels[got].width);
        }
        ASSERT_EACH(r->width[round] == widest, "WEFT_SEED=%llu: round %u is %lld wide", (unsigned long long)seed, round, (long long)r->width[round]);
        sent += widest;
    }
    for (int64_t i = 0; i < n; i++)
        ASSERT_EACH(met[i] == 1, "WEFT_SEED=%llu: parcel %lld goes %lld times", (unsigned long long)seed, (long long)i,
                    (long long)met[i]);
    ck_assert_int_eq(weft_rounds_sent(r), sent);
}

static void check_graph(uint64_t seed) {
    weft_rng rng = { seed };
    weft_parcel parcels[PARCELS];
    weft_rounds r;
    const bool alike = weft_rng_chance(&rng, 0.5);
    const int64_t devices = weft_rng_range(&rng, 2, DEVICES), n = draw(&rng, devices, alike, parcels),
                  most = busiest(parcels, n);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const bool can = weft_rounds_plan(cx, parcels, n, devices, &r);
    ck_assert_msg(can == (most <= WEFT_MAX_ROUNDS), "WEFT_SEED=%llu: %lld rounds at least", (unsigned long long)seed,
                  (long long)most);
    if (can) check_rounds(&r, parcels, n, seed);
    /* Of equal width, the fewest rounds send the least. */
    ck_assert_msg(!can || (alike ? r.count == most : r.count >= most), "WEFT_SEED=%llu: %u rounds, not %lld",
                  (unsigned long long)seed, r.count, (long long)most);
    weft_arena_reset(&cx->scratch, mark);
}

START_TEST(random_graphs) {
    const char *one = getenv("WEFT_SEED");
    for (int i = 0; i < (one ? 1 : weft_test_long(400)); i++)
        check_graph(one ? strtoull(one, NULL, 10) : (uint64_t)i + 1);
}
END_TEST

/* The last parcel: its sender has time in the first round, its receiver in the second. First fit takes a third; two are
 * enough when the first parcel goes later. */
START_TEST(makes_room) {
    const weft_parcel parcels[] = { { 0, 1, 4, 0 }, { 5, 6, 4, 0 }, { 4, 6, 4, 0 }, { 4, 1, 4, 1 } };
    weft_rounds r;
    ck_assert(weft_rounds_plan(cx, parcels, 4, 8, &r));
    check_rounds(&r, parcels, 4, 0);
    ck_assert_uint_eq(r.count, 2);
    ck_assert_int_eq(weft_rounds_sent(&r), 8);
}
END_TEST

int main(void) {
    Suite *s = suite_create("partitioner/rounds");
    TCase *tc = tcase_create("rounds");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, random_graphs);
    tcase_add_test(tc, makes_room);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
