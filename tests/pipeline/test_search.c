/* The search over moves, with costs that are known. */
#include "pipeline/dryrun/search.h"

#include "tests/support/suite.h"

static weft_arena arena;
static weft_context *cx;

static void set_up(void) {
    cx = weft_context_new(NULL);
    weft_arena_init(&arena, &cx->alloc);
}

static void tear_down(void) {
    weft_arena_free(&arena);
    weft_context_free(cx);
}

enum { MOVES = 8 };

/* Seconds that each move saves (below 0: costs) and bytes that it takes away; what two moves together save more; moves
 * that make a plan impossible. */
typedef struct world {
    double saves[MOVES], frees[MOVES];
    int first, second;
    double together;
    int third;                 /* with both, saves `thrice` more */
    double thrice;
    unsigned impossible;
    double start_s, start_bytes, memory;
    unsigned best;             /* the moves that are to be made */
    unsigned large;            /* moves with which a plan fits nowhere */
    unsigned great;            /* moves that are tried before the others */
    size_t most;
    bool bounded;              /* all moves are in the network: its bound is the best */
} world;

static const world worlds[] = {
    { .saves = { 1, -1, 2, -2, 0, 3 }, .best = 1 | 4 | 32, .start_s = 10, .most = 100 },
    { .start_s = 10, .most = 100 },
    { .saves = { 1, 1 }, .first = 0, .second = 1, .together = -5, .start_s = 10, .best = 1, .most = 100 },
    { .saves = { 1, -0.5 }, .first = 0, .second = 1, .together = 4, .start_s = 10, .best = 3, .most = 100 },
    { .saves = { 1, 5 }, .impossible = 2, .start_s = 10, .best = 1, .most = 100 },
    /* what does not fit is mended first, though it takes longer */
    { .saves = { -1, -3, 2 }, .frees = { 60, 60 }, .start_s = 10, .start_bytes = 100, .memory = 50, .best = 1 | 4, .most = 100 },
    /* memory alone counts while nothing fits */
    { .saves = { 2, -1, -1 }, .frees = { 0, 30, 30 }, .start_s = 10, .start_bytes = 100, .memory = 10, .best = 2 | 4, .most = 100 },
    /* a difference below a thousandth is none */
    { .saves = { 0.001 }, .start_s = 10, .most = 100 },
    /* neither helps alone */
    { .saves = { -1, -1 }, .first = 0, .second = 1, .together = 4, .start_s = 10, .best = 3, .most = 200, .bounded = true },
    /* and only one of two pairs fits */
    { .saves = { -1, -1, -0.5 }, .frees = { -60, -50, 0 }, .first = 0, .second = 2, .together = 4, .start_s = 10,
      .start_bytes = 40, .memory = 100, .best = 1 | 4, .most = 200, .bounded = true },
    { .saves = { -1, -1, -0.5 }, .frees = { -61, -50, 0 }, .first = 0, .second = 2, .together = 4, .start_s = 10,
      .start_bytes = 40, .memory = 100, .most = 200, .bounded = true },
    /* a third helps only with both, and there is no room for pairs after it: their bound is of the plan before */
    { .saves = { -1, -1 }, .first = 0, .second = 1, .together = 4, .third = 2, .thrice = 3, .start_s = 10, .best = 7,
      .most = MOVES + MOVES * (MOVES - 1) / 2 + 1 + MOVES },
    /* the memory of moves in pairs counts, though each alone is slower */
    { .saves = { -1, -1 }, .first = 0, .second = 1, .together = 4, .large = 1, .start_s = 10, .memory = 1, .most = 200,
      .bounded = true },
    /* no room for others than the great ones, which are tried again at once */
    { .saves = { 1, 2, 1, [5] = 1, [6] = 1 }, .great = 1 | 64, .start_s = 10, .best = 65, .most = 4 },
    /* no room for what harmed: that is tried last */
    { .saves = { -1, -1, -1, -1, -1, -1, 0, 1 }, .first = 0, .second = 7, .together = 4, .start_s = 10, .best = 128,
      .most = MOVES + 2 },
    { .saves = { -1, -1, -1, -1, -1, -1, 0, 1 }, .first = 0, .second = 7, .together = 4, .start_s = 10, .best = 129,
      .most = MOVES + 3 },
    /* no room for the third move */
    { .saves = { 1, 1, 5 }, .start_s = 10, .best = 1, .most = 2 },
};

static void cost_of(const world *w, unsigned made, weft_sweep_cost *out) {
    *out = (weft_sweep_cost){ .step_s = w->start_s, .bytes = w->start_bytes, .known = !(made & w->impossible) };
    for (int i = 0; i < MOVES; i++)
        if (made >> i & 1) out->step_s -= w->saves[i], out->bytes -= w->frees[i];
    if (w->together != 0 && made >> w->first & 1 && made >> w->second & 1) out->step_s -= w->together;
    const unsigned three = 1u << w->first | 1u << w->second | 1u << w->third;
    if (w->thrice > 0 && (made & three) == three) out->step_s -= w->thrice;
    if (made & w->large) out->bytes += 2 * w->memory;
    out->fits = out->known && (w->memory <= 0 || out->bytes <= w->memory);
}

static size_t priced, again;   /* sets; those that were asked for before, by a bound */
static bool was_bounded[1 << MOVES];

static weft_status price(void *user, const weft_move_set *v, size_t n, const weft_sweep_cost *beat,
                         weft_sweep_cost *out) {
    for (size_t i = 0; i < n; i++) {
        unsigned made = 0;
        for (uint32_t k = 0; k < v[i].n; k++) {
            ck_assert_uint_lt(v[i].v[k], MOVES);
            ck_assert_msg(!(made >> v[i].v[k] & 1), "move %u is made twice", v[i].v[k]);
            made |= 1u << v[i].v[k];
        }
        cost_of(user, made, &out[i]);
        if (was_bounded[made] && !beat) again++;
        /* the bound says nothing of what a move frees or takes */
        const weft_sweep_cost bound = { .step_s = out[i].step_s, .known = out[i].known, .fits = true,
                                        .at_least = true };
        if (!out[i].known || !beat || weft_cost_is_less(&bound, beat)) continue;
        out[i] = bound;
        was_bounded[made] = true;
    }
    priced += n;
    return WEFT_OK;
}

START_TEST(finds) {
    world w = worlds[_i];
    bool great[MOVES];
    for (unsigned i = 0; i < MOVES; i++) great[i] = w.great >> i & 1;
    const weft_search x = { .moves = MOVES, .great = great, .most = w.most, .memory_bytes = w.memory, .user = &w,
                            .price = price };
    weft_search_result r = { .tried = 0 };
    weft_sweep_cost expected;
    unsigned made = 0;
    priced = again = 0;
    memset(was_bounded, 0, sizeof was_bounded);
    cost_of(&w, 0, &r.cost);
    cost_of(&w, w.best, &expected);
    ck_assert_int_eq(weft_search_run(&x, &arena, &r), WEFT_OK);
    for (uint32_t i = 0; i < r.set.n; i++) made |= 1u << r.set.v[i];
    ck_assert_uint_eq(made, w.best);
    ck_assert_double_eq_tol(r.cost.step_s, expected.step_s, 1e-12);
    ck_assert(!r.cost.at_least);
    ck_assert_uint_le(r.tried, priced);
    ck_assert_uint_le(priced - r.tried, again);
    ck_assert_uint_le(r.tried, w.most);
    ck_assert_double_le(r.bound_s, r.cost.step_s + 1e-9);
    if (w.bounded) ck_assert_double_eq_tol(r.bound_s, expected.step_s, 1e-9); /* only pairs matter here */
}
END_TEST

static weft_status refuse(void *user, const weft_move_set *v, size_t n, const weft_sweep_cost *beat,
                          weft_sweep_cost *out) {
    (void)user, (void)v, (void)n, (void)beat, (void)out;
    return WEFT_ERR_IO;
}

START_TEST(passes_errors_on) {
    const weft_search x = { .moves = 3, .most = 10, .price = refuse };
    weft_search_result r = { .cost = { .known = true, .fits = true, .step_s = 1 } };
    ck_assert_int_eq(weft_search_run(&x, &arena, &r), WEFT_ERR_IO);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/search");
    TCase *tc = tcase_create("search");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, finds, 0, (int)WEFT_COUNT(worlds));
    tcase_add_test(tc, passes_errors_on);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
