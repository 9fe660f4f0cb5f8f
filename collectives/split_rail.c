/* split_rail: a ring within each package, then between the packages of a node, then between the nodes, and back. A
 * block is divided at every level: rank j of a package has rail j, package i of a node carries part i of each rail,
 * node k owns part k of that. So every rank's link to the other nodes carries a share, and data crosses between nodes,
 * and between packages, once per node, or package. Numbers of ranks may differ: there are as many rails as the smallest
 * package has ranks, and as many parts as the node with the fewest has packages. A rank without a rail takes part in
 * its package's ring, a package without a part in its node's. The scheme of Luo et al. (HAN, CLUSTER 2020) for two
 * levels, and of Katevenis et al. (XHC, CLUSTER 2022) within a node, with rings for both.
 */
#include "collectives/schedule.h"

/* A cell is the data that one rank brings to the ring of nodes, divided into the nodes' parts: number ((j * sides) + i)
 * * nodes + k. */
int weft_rail_cells(const weft_levels *l) { return l->rails * l->sides * l->nodes; }

/* The contents of cells: one piece of the call each; or the blocks of the ranks that have the rail j, or one a multiple
 * of `rails` above it, in the packages that carry the part i, or a multiple of `sides` above it, of node k. */
typedef weft_rail_content content;

int weft_rail_blocks(const weft_levels *l, content c) { return c == WEFT_RAIL_CUTS ? weft_rail_cells(l) : l->ranks; }
bool weft_rail_carries(const weft_levels *l, weft_spot s) { return s.index < l->rails && s.package < l->sides; }

/* Ranks of a package whose number is j, or a multiple of `rails` above it. */
static int ranks_by(const weft_levels *l, int ranks, int j) {
    return j < ranks ? (ranks - j + l->rails - 1) / l->rails : 0;
}

/* Blocks before cell (j, i, k); i or k may be one after the last. */
static int begin_of(const weft_levels *l, content c, int j, int i, int k) {
    int n = 0;
    if (c == WEFT_RAIL_CUTS) return (j * l->sides + i) * l->nodes + k;
    for (int node = 0; node < l->nodes; node++)
        for (int q = 0; q < weft_packages_on(l, node); q++) {
            int ranks = weft_ranks_in(l, node, q), side = q % l->sides;
            for (int rail = 0; rail < j; rail++) n += ranks_by(l, ranks, rail);
            if (side < i || (side == i && node < k)) n += ranks_by(l, ranks, j);
        }
    return n;
}

int weft_rail_carrier(const weft_levels *l, content c, int node, int block) {
    if (c == WEFT_RAIL_CUTS) return weft_rank_at(l, node, block / l->nodes % l->sides, block / l->nodes / l->sides);
    for (int j = 0; j < l->rails; j++)
        for (int i = 0; i < l->sides; i++) {
            for (int k = 0; k < l->nodes; k++)
                for (int q = i; q < weft_packages_on(l, k); q += l->sides)
                    block -= ranks_by(l, weft_ranks_in(l, k, q), j);
            if (block < 0) return weft_rank_at(l, node, i, j);
        }
    return -1;
}

weft_blockset weft_rail_part(const weft_levels *l, content c, weft_spot carrier, int k) {
    int from = begin_of(l, c, carrier.index, carrier.package, k),
        to = begin_of(l, c, carrier.index, carrier.package, k + 1);
    return (weft_blockset){ .first = from, .count = to - from };
}

/* --- rings -------------------------------------------------------------------------------------------------------- */

typedef enum level { PACKAGE, NODE, ALL } level;

typedef struct ring { int size, me, next, last; } ring; /* size 0: this rank has no part in it */

static ring ring_of(const weft_levels *l, weft_spot s, level at) {
    int size = at == PACKAGE ? weft_ranks_in(l, s.node, s.package)
               : at == NODE  ? weft_packages_on(l, s.node)
                             : l->nodes;
    int me = at == PACKAGE ? s.index
             : at == NODE  ? s.package
                           : s.node,
        up = (me + 1) % size, down = (me + size - 1) % size;
    if ((at != PACKAGE && s.index >= l->rails) || (at == ALL && s.package >= l->sides)) return (ring){ 0 };
    if (at == PACKAGE)
        return (ring){ size, me, weft_rank_at(l, s.node, s.package, up), weft_rank_at(l, s.node, s.package, down) };
    if (at == NODE)
        return (ring){ size, me, weft_rank_at(l, s.node, up, s.index), weft_rank_at(l, s.node, down, s.index) };
    return (ring){ size, me, weft_rank_at(l, up, s.package, s.index), weft_rank_at(l, down, s.package, s.index) };
}

/* Rounds of the level's longest ring. */
static int rounds_of(const weft_levels *l, level at) {
    return (at == PACKAGE ? l->most_in_package : at == NODE ? l->most_packages : l->nodes) - 1;
}

/* The part that number n of the ring owns; empty: the ring has more members than parts. */
static weft_blockset part_of(const weft_levels *l, content c, weft_spot s, level at, int n) {
    int from, to;
    if (n >= (at == PACKAGE ? l->rails : at == NODE ? l->sides : l->nodes)) return (weft_blockset){ 0 };
    if (at == PACKAGE) from = begin_of(l, c, n, 0, 0), to = begin_of(l, c, n + 1, 0, 0);
    else if (at == NODE) from = begin_of(l, c, s.index, n, 0), to = begin_of(l, c, s.index, n + 1, 0);
    else return weft_rail_part(l, c, s, n);
    return (weft_blockset){ .first = from, .count = to - from };
}

/* Round `round` of a level's ring: adding, after which each has the sum of its own part; or passing parts round. */
static int turn(const weft_seat *s, content c, level at, int round, weft_act send, weft_act take, weft_transfer *t) {
    const weft_levels *l = s->levels;
    weft_spot me = weft_spot_of(l, s->rank);
    ring r = ring_of(l, me, at);
    int adds = send == WEFT_ACT_SEND_SUM, n = 0;
    if (round >= r.size - 1) return 0;
    weft_blockset out = part_of(l, c, me, at, (r.me + 2 * r.size - round - adds) % r.size),
                  in = part_of(l, c, me, at, (r.me + 2 * r.size - round - 1 - adds) % r.size);
    if (out.count) t[n++] = (weft_transfer){ send, r.next, out };
    if (in.count) t[n++] = (weft_transfer){ take, r.last, in };
    return n;
}

/* Adds up, from packages to nodes to all; *round is reduced by these rounds if they are over. */
static int add_up(const weft_seat *s, content c, int *round, weft_transfer *t) {
    for (level at = PACKAGE; at <= ALL; at++) {
        int rounds = rounds_of(s->levels, at);
        if (*round < rounds) return turn(s, c, at, *round, WEFT_ACT_SEND_SUM, WEFT_ACT_ADD_BEFORE, t);
        *round -= rounds;
    }
    return -1;
}

/* Passes results round, from `top` down to packages. */
static int hand_out(const weft_seat *s, content c, level top, int round, weft_transfer *t) {
    for (int at = top; at >= PACKAGE; at--) {
        int rounds = rounds_of(s->levels, (level)at);
        if (round < rounds) return turn(s, c, (level)at, round, WEFT_ACT_SEND, WEFT_ACT_TAKE, t);
        round -= rounds;
    }
    return -1;
}

int weft_rail_hand_out(const weft_seat *s, int round, weft_transfer *t) {
    return hand_out(s, WEFT_RAIL_CUTS, NODE, round, t);
}

/* --- the blocks of ranks ------------------------------------------------------------------------------------------ */

/* The cell of a rank's block, and its carrier. */
static weft_spot carrier(const weft_levels *l, weft_spot s) {
    return (weft_spot){ s.node, s.package % l->sides, s.index % l->rails };
}

/* Blocks in the carrier's cell before this rank's: the carrier's own is the first. */
static int number_in_cell(const weft_levels *l, weft_spot s) {
    int n = s.index / l->rails;
    for (int q = s.package % l->sides; q < s.package; q += l->sides)
        n += ranks_by(l, weft_ranks_in(l, s.node, q), s.index % l->rails);
    return n;
}

void weft_places_by_rail(const weft_seat *s, int *place) {
    const weft_levels *l = s->levels;
    for (int rank = 0; rank < l->ranks; rank++) {
        weft_spot at = weft_spot_of(l, rank), cell = carrier(l, at);
        place[rank] = begin_of(l, WEFT_RAIL_RANKS, cell.index, cell.package, cell.node) + number_in_cell(l, at);
    }
}

/* The rank whose block is number n in a carrier's cell; -1: it has fewer. */
static int rank_in_cell(const weft_levels *l, weft_spot cell, int n) {
    for (int q = cell.package; q < weft_packages_on(l, cell.node); q += l->sides) {
        int ranks = ranks_by(l, weft_ranks_in(l, cell.node, q), cell.index);
        if (n < ranks) return weft_rank_at(l, cell.node, q, cell.index + n * l->rails);
        n -= ranks;
    }
    return -1;
}

/* Blocks of the fullest cell besides the carrier's own: the number of rounds between carrier and owners. */
static int most_behind(const weft_levels *l) {
    int most = 0;
    for (int node = 0; node < l->nodes; node++)
        for (int i = 0; i < l->sides; i++) {
            int n = 0;
            for (int q = i; q < weft_packages_on(l, node); q += l->sides)
                n += ranks_by(l, weft_ranks_in(l, node, q), 0);
            most = n - 1 > most ? n - 1 : most;
        }
    return most;
}

/* Block `round` + 1 of each cell: from the carrier to its owner, or the other way. */
static int behind(const weft_seat *s, int round, weft_act carriers, weft_act owners, weft_transfer *t) {
    const weft_levels *l = s->levels;
    weft_spot me = weft_spot_of(l, s->rank), cell = carrier(l, me);
    int own = number_in_cell(l, me), n = round + 1;
    weft_blockset set = { .first = begin_of(l, WEFT_RAIL_RANKS, cell.index, cell.package, cell.node) + n, .count = 1 };
    if (own && own != n) return 0;
    int other = own ? weft_rank_at(l, cell.node, cell.package, cell.index) : rank_in_cell(l, cell, n);
    if (other < 0) return 0;
    t[0] = (weft_transfer){ own ? owners : carriers, other, set };
    return 1;
}

int weft_rail_deliver(const weft_seat *s, int round, weft_transfer *t) {
    return round < most_behind(s->levels) ? behind(s, round, WEFT_ACT_SEND, WEFT_ACT_TAKE, t) : -1;
}

/* --- the schedules ------------------------------------------------------------------------------------------------ */

/* This rank's sums over all nodes, if it has any. */
static int finish(const weft_seat *s, content c, weft_transfer *t) {
    weft_spot me = weft_spot_of(s->levels, s->rank);
    if (!weft_rail_carries(s->levels, me)) return 0;
    t[0] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, part_of(s->levels, c, me, ALL, me.node) };
    return 1;
}

int weft_transfers_split_rail_all_reduce(const weft_seat *s, int round, weft_transfer *t) {
    int n = add_up(s, WEFT_RAIL_CUTS, &round, t);
    if (n >= 0) return n;
    return round == 0 ? finish(s, WEFT_RAIL_CUTS, t) : hand_out(s, WEFT_RAIL_CUTS, ALL, round - 1, t);
}

int weft_transfers_split_rail_reduce_scatter(const weft_seat *s, int round, weft_transfer *t) {
    int n = add_up(s, WEFT_RAIL_RANKS, &round, t);
    if (n >= 0) return n;
    return round == 0 ? finish(s, WEFT_RAIL_RANKS, t) : weft_rail_deliver(s, round - 1, t);
}

int weft_transfers_split_rail_all_gather(const weft_seat *s, int round, weft_transfer *t) {
    int most = most_behind(s->levels);
    return round < most ? behind(s, round, WEFT_ACT_TAKE, WEFT_ACT_SEND, t)
                        : hand_out(s, WEFT_RAIL_RANKS, ALL, round - most, t);
}
