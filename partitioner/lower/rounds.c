/* rounds.c: see rounds.h. */
#include "partitioner/lower/rounds.h"

typedef struct plan {
    const weft_parcel *parcels;
    int64_t n;
    uint32_t allowed;            /* rounds */
    int64_t *round, *path;       /* [n] by parcel; parcels that change theirs */
    /* that may still be taken along paths, which could be as many as parcels times devices */
    int64_t steps;
    weft_rounds *r;
} plan;

static int64_t *got_by(const weft_rounds *r, int64_t round, int64_t device) {
    return &r->source[round * r->devices + device];
}
static int64_t *sent_by(const weft_rounds *r, int64_t round, int64_t device) {
    return &r->target[round * r->devices + device];
}

static void set_round(plan *p, int64_t i, int64_t round) {
    const weft_parcel *c = &p->parcels[i];
    p->round[i] = round;
    *got_by(p->r, round, c->to) = *sent_by(p->r, round, c->from) = i;
}

/* The parcels to and from `device` that lead on from it, by turns of round a and of round b. */
static int64_t path_from(plan *p, int64_t device, int64_t a, int64_t b) {
    int64_t n = 0;
    for (int64_t i = *got_by(p->r, a, device); i != WEFT_NOBODY && p->steps-- > 0;) {
        p->path[n++] = i;
        i = n % 2 ? *sent_by(p->r, b, p->parcels[i].from) : *got_by(p->r, a, p->parcels[i].to);
    }
    return n;
}

/* Makes one round free for both ends of a parcel: `a`, in which its sender has time, by having what its receiver gets
 * in it come in `b`, in which the receiver has time, and so on along the path. It does not come back to the sender,
 * which sends nothing in round a. */
static bool make_room(plan *p, const weft_parcel *c, int64_t *a) {
    int64_t b = 0;
    for (*a = 0; *sent_by(p->r, *a, c->from) != WEFT_NOBODY; ++*a) {}
    while (*got_by(p->r, b, c->to) != WEFT_NOBODY) b++;
    const int64_t n = path_from(p, c->to, *a, b);
    for (int64_t k = 0; k < n; k++) {
        const weft_parcel *on = &p->parcels[p->path[k]];
        *got_by(p->r, p->round[p->path[k]], on->to) = *sent_by(p->r, p->round[p->path[k]], on->from) = WEFT_NOBODY;
    }
    for (int64_t k = 0; k < n; k++) set_round(p, p->path[k], p->round[p->path[k]] == *a ? b : *a);
    return p->steps > 0;
}

/* Each parcel in the first round in which neither of its ends is busy; where there is none, room is made. */
static bool fill(plan *p) {
    const weft_rounds *r = p->r;
    for (int64_t i = 0; i < p->n; i++) {
        const weft_parcel *c = &p->parcels[i];
        int64_t round = 0;
        while (round < p->allowed &&
               (*got_by(r, round, c->to) != WEFT_NOBODY || *sent_by(r, round, c->from) != WEFT_NOBODY))
            round++;
        if (round == p->allowed && !make_room(p, c, &round)) return false;
        set_round(p, i, round);
    }
    p->r->count = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const uint32_t round = (uint32_t)p->round[i];
        while (p->r->count <= round) p->r->width[p->r->count++] = 0;
        p->r->width[round] = weft_max_i64(p->r->width[round], p->parcels[i].width);
    }
    return true;
}

static bool take(weft_context *cx, plan *p, int64_t devices, uint32_t rounds, weft_rounds *r) {
    *r = (weft_rounds){ .devices = devices };
    r->source = weft_scratch_array(cx, int64_t, rounds * devices);
    r->target = weft_scratch_array(cx, int64_t, rounds * devices);
    for (int64_t i = 0; r->source && r->target && i < rounds * devices; i++) r->source[i] = r->target[i] = WEFT_NOBODY;
    p->allowed = rounds;
    p->r = r;
    p->steps = 16 * p->n;
    return r->source && r->target;
}

/* The rounds that the busiest device takes. */
static int64_t busiest(weft_context *cx, const weft_parcel *parcels, int64_t n, int64_t devices) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    int64_t *ends = weft_scratch_array(cx, int64_t, 2 * devices), most = ends ? 0 : -1;
    for (int64_t i = 0; ends && i < 2 * devices; i++) ends[i] = 0;
    for (int64_t i = 0; ends && i < n; i++) {
        most = weft_max_i64(most, ++ends[parcels[i].to]);
        most = weft_max_i64(most, ++ends[devices + parcels[i].from]);
    }
    weft_arena_reset(&cx->scratch, mark);
    return most;
}

bool weft_rounds_plan(weft_context *cx, const weft_parcel *parcels, int64_t n, int64_t devices, weft_rounds *r) {
    const int64_t least = busiest(cx, parcels, n, devices);
    plan p = { .parcels = parcels, .n = n };
    weft_rounds tight;
    *r = (weft_rounds){ .devices = devices };
    if (least <= 0 || least > WEFT_MAX_ROUNDS) return least == 0;
    p.round = weft_scratch_array(cx, int64_t, n);
    p.path = weft_scratch_array(cx, int64_t, n);
    if (!p.round || !p.path || !take(cx, &p, devices, (uint32_t)(2 * least - 1), r) || !fill(&p)) return false;
    if (r->count > least && take(cx, &p, devices, (uint32_t)least, &tight) && fill(&p) &&
        weft_rounds_sent(&tight) <= weft_rounds_sent(r))
        *r = tight;
    return true;
}

int64_t weft_rounds_sent(const weft_rounds *r) {
    int64_t sent = 0;
    for (uint32_t i = 0; i < r->count; i++) sent += r->width[i];
    return sent;
}
