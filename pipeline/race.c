/* race.c: see race.h. */
#include "pipeline/race.h"

/* A gain below 1% is not worth a choice that differs from other programs'; above 3% it shows early. */
enum { FIRST = 4, EARLY = 8, MOST_LOST_EARLY = 1, LEAST_WON = 12 };
static const double in_vain = 0.995, gain = 0.99, great_gain = 0.97;

static void insert(double *v, uint32_t n, double x) {
    uint32_t i = n;
    for (; i > 0 && v[i - 1] > x; i--) v[i] = v[i - 1];
    v[i] = x;
}

void weft_race_add(weft_race *r, double old_s, double new_s) {
    insert(r->old_s, r->n, old_s);
    insert(r->new_s, r->n, new_s);
    insert(r->ratio, r->n++, new_s / old_s);
}

double weft_race_median(const weft_race *r) {
    return r->n ? (r->ratio[(r->n - 1) / 2] + r->ratio[r->n / 2]) / 2 : 1;
}

weft_race_state weft_race_judge(const weft_race *r) {
    const double median = weft_race_median(r);
    uint32_t won = 0;
    while (won < r->n && r->ratio[won] < 1) won++;
    if (r->n >= FIRST && median >= in_vain) return WEFT_RACE_NOT_FASTER;
    if (r->n >= EARLY && median <= great_gain && r->n - won <= MOST_LOST_EARLY) return WEFT_RACE_FASTER;
    if (r->n < WEFT_RACE_PAIRS) return WEFT_RACE_OPEN;
    return median <= gain && won >= LEAST_WON ? WEFT_RACE_FASTER : WEFT_RACE_NOT_FASTER;
}
