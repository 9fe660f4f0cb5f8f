/* race.h: which of two steps takes less time, by times taken in turns on a machine that others use, too.
 *
 * A pair is the time of each, one right after the other, so that a slow moment of the machine meets both. Only the
 * ratios of pairs count, and of them the median and how many are below 1: one pair of which another program took a part
 * says nothing. Of two steps that take the same time, at least 12 of 16 pairs are below 1 in 4 of 100 races, and their
 * median is hardly 1% below it.
 */
#ifndef WEFT_PIPELINE_RACE_H
#define WEFT_PIPELINE_RACE_H

#include <stdint.h>

enum { WEFT_RACE_PAIRS = 16 };

typedef struct weft_race {
    uint32_t n;
    /* Each sorted: the times of the old step and of the new one, and of each pair the latter over the former. */
    double old_s[WEFT_RACE_PAIRS], new_s[WEFT_RACE_PAIRS], ratio[WEFT_RACE_PAIRS];
} weft_race;

typedef enum weft_race_state {
    WEFT_RACE_OPEN,                /* more pairs are needed */
    WEFT_RACE_FASTER,              /* the new step is */
    WEFT_RACE_NOT_FASTER
} weft_race_state;

/* Adds a pair, of which each time is above 0. At most WEFT_RACE_PAIRS. */
void weft_race_add(weft_race *r, double old_s, double new_s);
weft_race_state weft_race_judge(const weft_race *r);
double weft_race_median(const weft_race *r); /* 1 without pairs */

#endif
