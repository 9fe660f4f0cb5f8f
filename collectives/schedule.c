/* schedule.c: the table of schedules, sets of blocks, and numbers of ranks that are no powers of two; see schedule.h.
 */
#include "collectives/schedule.h"
#include "cost/algorithm_id.h"

bool weft_schedule_find(weft_alg_id alg, const weft_levels *levels, weft_schedule *out) {
    static const int owners_of_one[] = { [WEFT_STORE_WHOLE] = 0, [WEFT_STORE_EACH] = 1, [WEFT_STORE_PAIRS] = 2,
                                         [WEFT_STORE_TURNED] = 1, [WEFT_STORE_PASSED] = 1 };
    int p = levels->ranks, q = 1 << weft_log2_floor(p), c = weft_rail_cells(levels);
    switch (alg) {
#define SCHEDULE(kind, name, store, places, cuts, lag, transfers) \
    case WEFT_ALG_##kind##_##name: \
        *out = (weft_schedule){ weft_transfers_##transfers, WEFT_STORE_##store, WEFT_PLACES_##places, cuts, lag, 0 }; \
        break;
#include "collectives/schedules.def"
    default: return false;
    }
    int owners = p * owners_of_one[out->store];
    if (out->store == WEFT_STORE_PASSED) owners = weft_exchange_blocks(levels);
    out->blocks = (owners ? owners : 1) * out->cuts;
    return true;
}

void weft_schedule_places(const weft_schedule *plan, const weft_seat *s, int *place) {
    if (plan->places == WEFT_PLACES_BY_RAIL) weft_places_by_rail(s, place);
    if (plan->places == WEFT_PLACES_FROM_ROOT) weft_places_from_root(s, place);
    if (plan->places == WEFT_PLACES_BY_NODE) weft_places_by_node(s, place);
}

bool weft_blockset_run(const weft_blockset *set, int blocks, int *i, int *first, int *count) {
    int at = set->first + *i * set->every, end = at + set->count;
    if (set->every) { /* up to the last block */
        if (at >= blocks || (set->runs && *i >= set->runs)) return false;
        *first = at;
        *count = (end < blocks ? end : blocks) - at;
        ++*i;
        return *count > 0;
    }
    if (*i == 0) {
        *first = at;
        *count = (end < blocks ? end : blocks) - at;
    } else { /* the part that continues at block 0 */
        *first = 0;
        *count = *i == 1 && end > blocks ? end - blocks : 0;
    }
    ++*i;
    return *count > 0;
}

bool weft_blockset_is_run(const weft_blockset *set, int blocks) {
    int i = 0, first, count;
    return weft_blockset_run(set, blocks, &i, &first, &count) && !weft_blockset_run(set, blocks, &i, &first, &count);
}

weft_fold weft_fold_of(const weft_seat *s) {
    weft_fold f = { .power = 1 << weft_log2_floor(s->ranks), .partner = -1 };
    f.extra = s->ranks - f.power;
    if (s->rank < 2 * f.extra) {
        f.v = s->rank / 2;
        f.behind = s->rank % 2 ? 1 : -1;
        f.partner = s->rank ^ 1;
    } else {
        f.v = s->rank - f.extra;
    }
    return f;
}
