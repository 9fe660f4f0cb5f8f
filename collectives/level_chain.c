/* level_chain: sums in order, over levels. A node's ranks add up one after another, block after block; if numbers of
 * ranks follow packages, data passes from each package to the next once. The last rank hands the node's sums to the
 * ranks that carry them between the nodes (split_rail.c), where they are added up from node to node.
 *
 * all_reduce: the last node returns the results the same way, and each node distributes its own between its packages
 * and within them. reduce: the last node sends each result to its carrier on the root's node, which passes it to the
 * root. reduce_scatter: the last node does the same with the results of every node but the first, which receives the
 * nodes' sums for its own ranks one after another; the carriers pass the results to the ranks.
 */
#include "collectives/schedule.h"

static weft_blockset one(int block) { return (weft_blockset){ .first = block, .count = 1 }; }

/* Rank y of a node passes block b on in round b + y, the last rank to the block's carrier. */
static int chain(const weft_seat *s, weft_rail_content c, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    int blocks = weft_rail_blocks(l, c), node = l->node[s->rank], first = weft_node_begin(l, node),
        last = weft_ranks_on(l, node) - 1, y = l->turn[s->rank], n = 0;
    int passed = round - y, added = round - y + 1, ended = round - last;
    if (last == 0) return 0;
    if (y < last && passed >= 0 && passed < blocks)
        t[n++] = (weft_transfer){ WEFT_ACT_SEND_SUM, l->by_node[first + y + 1], one(passed) };
    if (y > 0 && added >= 0 && added < blocks)
        t[n++] = (weft_transfer){ WEFT_ACT_ADD_BEFORE, l->by_node[first + y - 1], one(added) };
    if (ended < 0 || ended >= blocks) return n;
    int to = weft_rail_carrier(l, c, node, ended);
    if (y == last && to != s->rank) t[n++] = (weft_transfer){ WEFT_ACT_SEND_SUM, to, one(ended) };
    if (y != last && to == s->rank) t[n++] = (weft_transfer){ WEFT_ACT_TAKE_SUM, l->by_node[first + last], one(ended) };
    return n;
}

static int rounds_of_chain(const weft_levels *l, weft_rail_content c) {
    return l->most_on_node > 1 ? l->most_on_node - 1 + weft_rail_blocks(l, c) : 0;
}

/* The rank of another node that carries the same as this rank. */
static int across(const weft_levels *l, weft_spot me, int node) { return weft_rank_at(l, node, me.package, me.index); }

static int is_within(int part, int from, int last) { return part >= from && part <= last; }

/* Part q leaves node k upwards in round q + k. */
static int go_up(const weft_levels *l, weft_rail_content c, weft_spot me, int first, int round, weft_transfer *t) {
    int last = l->nodes - 1, k = me.node, sent = first + round - k, added = sent + 1, n = 0;
    if (k < last && is_within(sent, first, last))
        t[n++] = (weft_transfer){ WEFT_ACT_SEND_SUM, across(l, me, k + 1), weft_rail_part(l, c, me, sent) };
    if (k > 0 && is_within(added, first, last))
        t[n++] = (weft_transfer){ WEFT_ACT_ADD_BEFORE, across(l, me, k - 1), weft_rail_part(l, c, me, added) };
    return n;
}

/* --- all_reduce --------------------------------------------------------------------------------------------------- */

/* Finished by the last node, part q leaves node k downwards in round q + 2 * last - k. */
static int up_and_down(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    weft_spot me = weft_spot_of(l, s->rank);
    int last = l->nodes - 1, k = me.node, n = 0, finished = round - last, handed = round - 2 * last + k,
        taken = handed + 1;
    if (!weft_rail_carries(l, me)) return 0;
    if (k == last && is_within(finished, 0, last))
        t[n++] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, weft_rail_part(l, WEFT_RAIL_CUTS, me, finished) };
    n += go_up(l, WEFT_RAIL_CUTS, me, 0, round, t + n);
    if (k > 0 && is_within(handed, 0, last))
        t[n++] = (weft_transfer){ WEFT_ACT_SEND, across(l, me, k - 1), weft_rail_part(l, WEFT_RAIL_CUTS, me, handed) };
    if (k < last && is_within(taken, 0, last))
        t[n++] = (weft_transfer){ WEFT_ACT_TAKE, across(l, me, k + 1), weft_rail_part(l, WEFT_RAIL_CUTS, me, taken) };
    return n;
}

int weft_transfers_level_chain_all_reduce(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    int in_nodes = rounds_of_chain(l, WEFT_RAIL_CUTS), between = l->nodes > 1 ? 3 * (l->nodes - 1) : 1;
    if (round < in_nodes) return chain(s, WEFT_RAIL_CUTS, round, t);
    if (round < in_nodes + between) return up_and_down(s, round - in_nodes, t);
    return weft_rail_hand_out(s, round - in_nodes - between, t);
}

/* --- reduce ------------------------------------------------------------------------------------------------------- */

/* Part q is finished by the last node in round q + last, and goes to the root's node at once. */
static int up_and_over(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    weft_spot me = weft_spot_of(l, s->rank);
    int last = l->nodes - 1, home = l->node[s->root], q = round - last, n = 0;
    if (!weft_rail_carries(l, me)) return 0;
    if (is_within(q, 0, last)) {
        weft_blockset part = weft_rail_part(l, WEFT_RAIL_CUTS, me, q);
        if (me.node == last) t[n++] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, part };
        if (me.node == last && home != last) t[n++] = (weft_transfer){ WEFT_ACT_SEND, across(l, me, home), part };
        if (me.node == home && home != last) t[n++] = (weft_transfer){ WEFT_ACT_TAKE, across(l, me, last), part };
    }
    return n + go_up(l, WEFT_RAIL_CUTS, me, 0, round, t + n);
}

/* Number `cell` of the carriers for the root's node. */
static int to_root(const weft_seat *s, int cell, weft_transfer *t) {
    const weft_levels *l = s->levels;
    weft_blockset all = { .first = cell * l->nodes, .count = l->nodes };
    int from = weft_rail_carrier(l, WEFT_RAIL_CUTS, l->node[s->root], all.first);
    if (from == s->root || (s->rank != s->root && s->rank != from)) return 0;
    t[0] = s->rank == s->root ? (weft_transfer){ WEFT_ACT_TAKE, from, all }
                              : (weft_transfer){ WEFT_ACT_SEND, s->root, all };
    return 1;
}

int weft_transfers_level_chain_reduce(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    int in_nodes = rounds_of_chain(l, WEFT_RAIL_CUTS), between = 2 * l->nodes - 1;
    if (round < in_nodes) return chain(s, WEFT_RAIL_CUTS, round, t);
    if (round < in_nodes + between) return up_and_over(s, round - in_nodes, t);
    round -= in_nodes + between;
    return round < weft_rail_cells(l) / l->nodes ? to_root(s, round, t) : -1;
}

/* --- reduce_scatter ----------------------------------------------------------------------------------------------- */

/* Node q's part, q > 0, leaves node k upwards in round q - 1 + k; the last node finishes it in round q - 1 + last, and
 * sends it to node q. The first node receives none of these, so the others send it their sums of its own part, one per
 * round. */
static int to_nodes(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    weft_spot me = weft_spot_of(l, s->rank);
    int last = l->nodes - 1, k = me.node, q = round - last + 1, n = 0;
    if (!weft_rail_carries(l, me)) return 0;
    weft_blockset first = weft_rail_part(l, WEFT_RAIL_RANKS, me, 0), own = weft_rail_part(l, WEFT_RAIL_RANKS, me, k),
                  part = weft_rail_part(l, WEFT_RAIL_RANKS, me, q < 0 ? 0 : q);
    if (k == 0 && round == last) t[n++] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, first };
    if (k == 0 && round < last) t[n++] = (weft_transfer){ WEFT_ACT_ADD_AFTER, across(l, me, round + 1), first };
    if (k > 0 && round == k - 1) t[n++] = (weft_transfer){ WEFT_ACT_SEND_SUM, across(l, me, 0), first };
    if (k == last && is_within(q, 1, last)) t[n++] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, part };
    if (k == last && is_within(q, 1, last - 1)) t[n++] = (weft_transfer){ WEFT_ACT_SEND, across(l, me, q), part };
    if (k > 0 && k < last && q == k) t[n++] = (weft_transfer){ WEFT_ACT_TAKE, across(l, me, last), own };
    return n + go_up(l, WEFT_RAIL_RANKS, me, 1, round, t + n);
}

int weft_transfers_level_chain_reduce_scatter(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    int in_nodes = rounds_of_chain(l, WEFT_RAIL_RANKS), between = l->nodes > 1 ? 2 * (l->nodes - 1) : 1;
    if (round < in_nodes) return chain(s, WEFT_RAIL_RANKS, round, t);
    if (round < in_nodes + between) return to_nodes(s, round - in_nodes, t);
    return weft_rail_deliver(s, round - in_nodes - between, t);
}
