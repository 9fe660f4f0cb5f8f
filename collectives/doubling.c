/* doubling: recursive doubling and halving, and Rabenseifner's all_reduce, which combines both. In step k two ranks
 * whose numbers differ in bit k exchange all their blocks (doubling), or each the other's half of them (halving). If
 * the number of ranks is no power of two, some are represented by another rank (weft_fold): they send it their operand
 * first and receive the result last. Thakur, Rabenseifner and Gropp, IJHPCA 2005.
 */
#include "collectives/schedule.h"

/* The rounds: one more at the start and at the end if some ranks are represented by others. */
typedef struct phase {
    weft_fold f;
    int step;          /* of the rounds in between; -1: operands go to the partner, `steps`: results come back */
    int over;
} phase;

static phase phase_of(const weft_seat *s, int round, int steps) {
    phase p = { .f = weft_fold_of(s) };
    p.step = round - (p.f.extra > 0);
    p.over = p.step > steps || (p.step == steps && p.f.extra == 0);
    return p;
}

static int peer_of(const phase *p, int bit) { return weft_fold_first(&p->f, p->f.v ^ bit); }

/* The ranks' blocks of the `bit` numbers that include v. */
static weft_blockset blocks_of(const weft_fold *f, int v, int bit) {
    int from = v & -bit, first = weft_fold_first(f, from);
    return (weft_blockset){ first, weft_fold_first(f, from + bit) - first, 0, 0 };
}

static int hand_in(const phase *p, weft_act give, weft_act take, weft_blockset set, weft_transfer *t) {
    if (!p->f.behind) return 0;
    t[0] = (weft_transfer){ p->f.behind > 0 ? give : take, p->f.partner, set };
    return 1;
}

static int hand_out(const phase *p, weft_blockset set, weft_transfer *t) {
    if (!p->f.behind) return 0;
    t[0] = (weft_transfer){ p->f.behind > 0 ? WEFT_ACT_TAKE : WEFT_ACT_SEND, p->f.partner, set };
    return 1;
}

/* The lower number's operand comes first on both ranks, so that both get the same bits. */
static weft_act add_from(const phase *p, int bit) { return p->f.v & bit ? WEFT_ACT_ADD_BEFORE : WEFT_ACT_ADD_AFTER; }

int weft_transfers_doubling_all_reduce(const weft_seat *s, int round, weft_transfer *t) {
    static const weft_blockset all = { 0, 1, 0, 0 };
    int steps = weft_log2_floor(s->ranks), n = 0;
    /* without a last round for partners there is one to finish in */
    phase p = phase_of(s, round, steps + (weft_fold_of(s).extra == 0));
    if (p.over) return -1;
    if (p.step < 0) return hand_in(&p, WEFT_ACT_SEND_SUM, WEFT_ACT_ADD_AFTER, all, t);
    if (p.step >= steps) {
        if (p.f.behind <= 0) t[n++] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, all };
        return n + hand_out(&p, all, t + n);
    }
    if (p.f.behind > 0) return 0;
    t[0] = (weft_transfer){ WEFT_ACT_SEND_SUM, peer_of(&p, 1 << p.step), all };
    t[1] = (weft_transfer){ add_from(&p, 1 << p.step), peer_of(&p, 1 << p.step), all };
    return 2;
}

int weft_transfers_doubling_all_gather(const weft_seat *s, int round, weft_transfer *t) {
    phase p = phase_of(s, round, weft_log2_floor(s->ranks));
    int bit = 1 << (p.step > 0 ? p.step : 0), hinder = s->rank | 1; /* the represented rank, if there is one */
    if (p.over) return -1;
    if (p.step < 0) return hand_in(&p, WEFT_ACT_SEND, WEFT_ACT_TAKE, (weft_blockset){ hinder, 1, 0, 0 }, t);
    if (bit == p.f.power) return hand_out(&p, (weft_blockset){ (hinder + 1) % s->ranks, s->ranks - 1, 0, 0 }, t);
    if (p.f.behind > 0) return 0;
    t[0] = (weft_transfer){ WEFT_ACT_SEND, peer_of(&p, bit), blocks_of(&p.f, p.f.v, bit) };
    t[1] = (weft_transfer){ WEFT_ACT_TAKE, peer_of(&p, bit), blocks_of(&p.f, p.f.v ^ bit, bit) };
    return 2;
}

int weft_transfers_halving(const weft_seat *s, int round, weft_transfer *t) {
    int steps = weft_log2_floor(s->ranks), hinder = s->rank | 1, n = 0;
    phase p = phase_of(s, round, steps + (weft_fold_of(s).extra == 0));
    if (p.over) return -1;
    if (p.step < 0) return hand_in(&p, WEFT_ACT_SEND_SUM, WEFT_ACT_ADD_AFTER, (weft_blockset){ 0, s->ranks, 0, 0 }, t);
    if (p.step >= steps) {
        if (p.f.behind <= 0) t[n++] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, blocks_of(&p.f, p.f.v, 1) };
        return n + hand_out(&p, (weft_blockset){ hinder, 1, 0, 0 }, t + n);
    }
    if (p.f.behind > 0) return 0;
    int bit = p.f.power >> (p.step + 1);
    t[0] = (weft_transfer){ WEFT_ACT_SEND_SUM, peer_of(&p, bit), blocks_of(&p.f, p.f.v ^ bit, bit) };
    t[1] = (weft_transfer){ add_from(&p, bit), peer_of(&p, bit), blocks_of(&p.f, p.f.v, bit) };
    return 2;
}

/* Halving and doubling of as many blocks as there are numbers. */
int weft_transfers_rabenseifner(const weft_seat *s, int round, weft_transfer *t) {
    int steps = weft_log2_floor(s->ranks), n = 0;
    phase p = phase_of(s, round, 2 * steps);
    weft_blockset all = { 0, p.f.power, 0, 0 };
    if (p.over) return -1;
    if (p.step < 0) return hand_in(&p, WEFT_ACT_SEND_SUM, WEFT_ACT_ADD_AFTER, all, t);
    if (p.step == 2 * steps) return hand_out(&p, all, t);
    if (p.f.behind > 0) return 0;
    int adds = p.step < steps, bit = adds ? p.f.power >> (p.step + 1) : 1 << (p.step - steps), peer = peer_of(&p, bit);
    weft_blockset mine = { p.f.v & -bit, bit, 0, 0 }, theirs = { (p.f.v ^ bit) & -bit, bit, 0, 0 };
    if (p.step == steps) t[n++] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, mine };
    t[n++] = (weft_transfer){ adds ? WEFT_ACT_SEND_SUM : WEFT_ACT_SEND, peer, adds ? theirs : mine };
    t[n++] = (weft_transfer){ adds ? add_from(&p, bit) : WEFT_ACT_TAKE, peer, adds ? mine : theirs };
    return n;
}
