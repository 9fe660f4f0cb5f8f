/* weak_litmus.c: the explorer on small programs with known behaviours, so that its results on the code can be believed:
 * each program says what is asked at the end of a run, and whether C's memory model allows that. The
 * names are those of the literature (Alglave, Maranget, Tautschnig, Herding cats, TOPLAS 2014).
 */
#include "tests/model/weak_node.h"

#include <string.h>

static struct shared {
    _Atomic uint64_t x, y, z;
    uint64_t data;
} m;
static uint64_t r[8];
static bool met;

static void begin(void) {
    memset(&m, 0, sizeof m);
    memset(r, 0, sizeof r);
}

#define GET(a, o) atomic_load_explicit(&m.a, memory_order_##o)
#define PUT(a, v, o) atomic_store_explicit(&m.a, v, memory_order_##o)
#define ADD(a, o) atomic_fetch_add_explicit(&m.a, 1, memory_order_##o)
#define FENCE(o) atomic_thread_fence(memory_order_##o)

/* NAME, what is asked, and the threads. */
#define TWO(name, asked, a, b) \
    static void name##_0(void) { a; } \
    static void name##_1(void) { b; } \
    static void name##_end(void) { met = met || (asked); }
#define MORE(name, n, body) \
    static void name##_##n(void) { body; }

TWO(mp_relaxed, r[0] == 1 && r[1] == 0, PUT(x, 1, relaxed); PUT(y, 1, relaxed), r[0] = GET(y, relaxed); r[1] = GET(x, relaxed))
TWO(mp_release, r[0] == 1 && r[1] == 0, PUT(x, 1, relaxed); PUT(y, 1, release), r[0] = GET(y, acquire); r[1] = GET(x, relaxed))
TWO(mp_only_release, r[0] == 1 && r[1] == 0, PUT(x, 1, relaxed); PUT(y, 1, release), r[0] = GET(y, relaxed); r[1] = GET(x, relaxed))
TWO(mp_only_acquire, r[0] == 1 && r[1] == 0, PUT(x, 1, relaxed); PUT(y, 1, relaxed), r[0] = GET(y, acquire); r[1] = GET(x, relaxed))
TWO(mp_fences, r[0] == 1 && r[1] == 0, PUT(x, 1, relaxed); FENCE(release); PUT(y, 1, relaxed), r[0] = GET(y, relaxed); FENCE(acquire); r[1] = GET(x, relaxed))
TWO(mp_late_fence, r[0] == 1 && r[1] == 0, FENCE(release); PUT(x, 1, relaxed); PUT(y, 1, relaxed), r[0] = GET(y, relaxed); FENCE(acquire); r[1] = GET(x, relaxed))
TWO(sb_release, r[0] == 0 && r[1] == 0, PUT(x, 1, release); r[0] = GET(y, acquire), PUT(y, 1, release); r[1] = GET(x, acquire))
TWO(sb_consistent, r[0] == 0 && r[1] == 0, PUT(x, 1, seq_cst); r[0] = GET(y, seq_cst), PUT(y, 1, seq_cst); r[1] = GET(x, seq_cst))
TWO(sb_one_side, r[0] == 0 && r[1] == 0, PUT(x, 1, seq_cst); r[0] = GET(y, seq_cst), PUT(y, 1, release); r[1] = GET(x, acquire))
TWO(sb_fences, r[0] == 0 && r[1] == 0, PUT(x, 1, relaxed); FENCE(seq_cst); r[0] = GET(y, relaxed), PUT(y, 1, relaxed); FENCE(seq_cst); r[1] = GET(x, relaxed))
TWO(sb_one_fence, r[0] == 0 && r[1] == 0, PUT(x, 1, relaxed); FENCE(seq_cst); r[0] = GET(y, relaxed), PUT(y, 1, relaxed); FENCE(acq_rel); r[1] = GET(x, relaxed))
TWO(coherence, r[0] == 2 && r[1] == 1, PUT(x, 1, relaxed); PUT(x, 2, relaxed), r[0] = GET(x, relaxed); r[1] = GET(x, relaxed))
TWO(counts, m.x != 2, ADD(x, relaxed), ADD(x, relaxed))
TWO(race, false, m.data = 1; PUT(x, 1, relaxed), if (GET(x, acquire)) r[0] = m.data)
TWO(no_race, r[0] == 1, m.data = 1; PUT(x, 1, release), if (GET(x, acquire)) r[0] = m.data)
TWO(race_behind, false, PUT(x, 1, release); m.data = 1, if (GET(x, acquire)) r[0] = m.data)
TWO(race_of_fences, false, m.data = 1; FENCE(seq_cst); PUT(x, 1, relaxed), r[0] = GET(x, relaxed); FENCE(release); if (r[0]) r[1] = m.data)
TWO(wrc_release, r[0] == 1 && r[1] == 1 && r[2] == 0, PUT(x, 1, relaxed), r[0] = GET(x, acquire); PUT(y, 1, release))
MORE(wrc_release, 2, r[1] = GET(y, acquire); r[2] = GET(x, relaxed))
TWO(wrc_known, r[0] == 1 && r[1] == 1 && r[2] == 0, PUT(x, 1, release), r[0] = GET(x, relaxed); PUT(y, 1, relaxed))
MORE(wrc_known, 2, r[1] = GET(y, acquire); r[2] = GET(x, relaxed))
TWO(sequence, r[0] == 2 && r[1] == 0, PUT(x, 1, relaxed); PUT(y, 1, release), if (GET(y, relaxed)) ADD(y, relaxed))
MORE(sequence, 2, r[0] = GET(y, acquire); r[1] = GET(x, relaxed))
#define IRIW(name, w, o, between) \
    TWO(name, r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0, PUT(x, 1, w), PUT(y, 1, w)) \
    MORE(name, 2, r[0] = GET(x, o); between; r[1] = GET(y, o)) \
    MORE(name, 3, r[2] = GET(y, o); between; r[3] = GET(x, o))
IRIW(iriw_release, release, acquire, (void)0)
IRIW(iriw_consistent, seq_cst, seq_cst, (void)0)
IRIW(iriw_fences, relaxed, relaxed, FENCE(seq_cst))

#define OF_TWO(name) { #name, 2, &m, sizeof m, begin, { name##_0, name##_1 }, name##_end, { 0 }, 0, 0 }
#define OF(name, n, ...) { #name, n, &m, sizeof m, begin, { name##_0, name##_1, __VA_ARGS__ }, name##_end, { 0 }, 0, 0 }

static const struct litmus {
    weak_program program;
    enum { NEVER, MAY_BE, RACES } what;
} tests[] = {
    { OF_TWO(mp_relaxed), MAY_BE },       { OF_TWO(mp_release), NEVER },      { OF_TWO(mp_only_release), MAY_BE },
    { OF_TWO(mp_only_acquire), MAY_BE },  { OF_TWO(mp_fences), NEVER },       { OF_TWO(mp_late_fence), MAY_BE },
    { OF_TWO(sb_release), MAY_BE },       { OF_TWO(sb_consistent), NEVER },   { OF_TWO(sb_one_side), MAY_BE },
    { OF_TWO(sb_fences), NEVER },         { OF_TWO(sb_one_fence), MAY_BE },   { OF_TWO(coherence), NEVER },
    { OF_TWO(counts), NEVER },            { OF_TWO(race), RACES },            { OF_TWO(no_race), MAY_BE },
    { OF_TWO(race_behind), RACES },       { OF_TWO(race_of_fences), RACES },  { OF(wrc_release, 3, wrc_release_2), NEVER },
    { OF(wrc_known, 3, wrc_known_2), MAY_BE }, { OF(sequence, 3, sequence_2), NEVER }, { OF(iriw_release, 4, iriw_release_2, iriw_release_3), MAY_BE },
    { OF(iriw_consistent, 4, iriw_consistent_2, iriw_consistent_3), NEVER }, { OF(iriw_fences, 4, iriw_fences_2, iriw_fences_3), NEVER },
};

size_t weak_litmus_count(void) { return sizeof tests / sizeof *tests; }

const char *weak_litmus(size_t i, const char **why) {
    const struct litmus *l = &tests[i];
    met = false;
    weak_result found = weak_explore(&l->program, NULL, memory_order_relaxed);
    bool races = found.error && !strncmp(found.error, "a race", 6);
    *why = NULL;
    if (l->what == RACES ? !races : found.error != NULL) *why = found.error ? found.error : "no race is found";
    else if (l->what != RACES && met != (l->what == MAY_BE))
        *why = met ? "what can never be is found" : "what may be is not found";
    return l->program.name;
}
