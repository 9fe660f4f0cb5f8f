/* library.c: see library.h. */
#include "cost/library.h"

#include <math.h>

/* One level's share of a call. */
typedef struct part { double bytes, steps; } part;

static double share_of(double n, double of) { return of > 0 ? n * (of - 1) / of : 0; }

/* Over a level of g parts, each of `inside` members that share what crosses. */
static part crossing(weft_coll_kind kind, double n, double g, double inside, double reduces) {
    const double log_steps = ceil(log2(g > 1 ? g : 1));
    switch (kind) {
    case WEFT_PLAN_ALL_REDUCE:
        return (part){ 2 * share_of(n, g) / inside / reduces, inside > 1 ? 2 * log_steps : 2 * (g - 1) };
    case WEFT_PLAN_ALL_TO_ALL: return (part){ share_of(n, g), g - 1 };
    case WEFT_PLAN_COLLECTIVE_PERMUTE: return (part){ n, 1 };
    case WEFT_PLAN_COLLECTIVE_BROADCAST: return (part){ n, log_steps };
    default: return (part){ share_of(n, g) / inside, g - 1 };
    }
}

static double sending_s(const weft_machine_level *l, const weft_link *link, double bytes) {
    const double share = l->share > 0 ? l->share : 1;
    return bytes > 0 ? bytes * (1 + sqrt(l->ramp_bytes / bytes)) / (link->bytes_per_s * share) : 0;
}

/* A torus's latency is that of all hops to the farthest member already. */
static double waiting_s(const weft_machine_level *l, const weft_link *link, double steps) {
    return link->latency_s * (l->wiring == WEFT_WIRED_SWITCH ? steps : 1);
}

double weft_library_time_s(const weft_machine *m, weft_coll_kind kind, int64_t p, const weft_reach *reach,
                           int64_t full_bytes) {
    if (p <= 1 || reach->level < 0) return 0;
    const weft_machine_level *outer = &m->levels[reach->level];
    const double inside = (double)weft_max_i64(reach->inside, 1), g = ceil((double)p / inside), n = (double)full_bytes;
    const part across = crossing(kind, n, g, inside, outer->reduces > 1 ? outer->reduces : 1);
    double launch = outer->launch_s, sent = sending_s(outer, &reach->link, across.bytes),
           wait = waiting_s(outer, &reach->link, across.steps);
    if (inside > 1 && reach->inside_level >= 0 && kind != WEFT_PLAN_COLLECTIVE_PERMUTE) {
        const weft_machine_level *inner = &m->levels[reach->inside_level];
        const bool all = kind != WEFT_PLAN_ALL_TO_ALL;
        /* what comes from other parts goes on to the other members */
        part within = crossing(kind, n, all ? (double)p : inside, 1, inner->reduces > 1 ? inner->reduces : 1);
        within.steps = kind == WEFT_PLAN_ALL_REDUCE || !all ? 2 * (inside - 1) : g * (inside - 1);
        const double s = sending_s(inner, &reach->inside_link, within.bytes);
        if (s > sent) sent = s;
        if (inner->launch_s > launch) launch = inner->launch_s;
        wait += waiting_s(inner, &reach->inside_link, within.steps);
    }
    return launch + wait + sent;
}
