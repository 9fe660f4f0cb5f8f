/* neighbour: neighbour exchange. Even and odd ranks form pairs, which exchange their blocks; then each rank alternately
 * exchanges with its other neighbour and with its partner, always the two blocks that it received last, until all have
 * gone half round: half as many rounds as a ring. Chen, Zhang, Zhang and Yuan, HPC Asia 2005. With an odd number of
 * ranks the last one is represented by the one before it, whose pair has three blocks.
 */
#include "collectives/schedule.h"

/* The blocks of pair q of `pairs`. */
static weft_blockset pair_blocks(const weft_seat *s, int pairs, int q) {
    q = (q % pairs + pairs) % pairs;
    return (weft_blockset){ 2 * q, q == pairs - 1 ? s->ranks - 2 * q : 2, 0, 0 };
}

/* The pair whose blocks this rank receives in exchange k; in exchange 0, with its partner, its own. */
static int pair_got(const weft_seat *s, int k) {
    int far = k % 2 ? (k + 1) / 2 : -(k / 2); /* for an odd rank; mirrored for an even one */
    return s->rank / 2 + (s->rank % 2 ? far : -far);
}

static int exchange(const weft_seat *s, int even, int k, weft_transfer *t) {
    int pairs = even / 2, mate = s->rank ^ 1, other = (s->rank + (s->rank % 2 ? 1 : even - 1)) % even,
        peer = k % 2 ? other : mate;
    if (k == 0) { /* each sends its own, the second of three ranks its two */
        weft_blockset pair = pair_blocks(s, pairs, s->rank / 2);
        weft_blockset lower = { pair.first, 1, 0, 0 }, upper = { pair.first + 1, pair.count - 1, 0, 0 };
        t[0] = (weft_transfer){ WEFT_ACT_SEND, peer, s->rank % 2 ? upper : lower };
        t[1] = (weft_transfer){ WEFT_ACT_TAKE, peer, s->rank % 2 ? lower : upper };
        return 2;
    }
    t[0] = (weft_transfer){ WEFT_ACT_SEND, peer, pair_blocks(s, pairs, pair_got(s, k - 1)) };
    t[1] = (weft_transfer){ WEFT_ACT_TAKE, peer, pair_blocks(s, pairs, pair_got(s, k)) };
    return 2;
}

int weft_transfers_neighbour(const weft_seat *s, int round, weft_transfer *t) {
    int odd = s->ranks % 2, even = s->ranks - odd, exchanges = even / 2, k = round - odd, last = s->rank == even;
    weft_blockset own = { even, 1, 0, 0 }, rest = { 0, even, 0, 0 };
    if (k >= exchanges + odd) return -1;
    if (k >= 0 && k < exchanges) return last ? 0 : exchange(s, even, k, t);
    if (!last && s->rank != even - 1) return 0;
    int gives = last == (k < 0); /* the last rank its block first, the one before it the others last */
    t[0] = (weft_transfer){ gives ? WEFT_ACT_SEND : WEFT_ACT_TAKE, last ? even - 1 : even, k < 0 ? own : rest };
    return 1;
}
