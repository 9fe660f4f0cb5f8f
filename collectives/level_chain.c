/* level_chain: an all-reduce whose sums are in order, over levels: a node's ranks add up one after the other, block after block, so that each
 * package takes over from the one before it once, where numbers of ranks follow packages. The last rank hands the node's sums to those who have
 * them on their rails (split_rail.c); from node to node these add up in turn, the last node hands the results back the same way, and
 * each node's go round between its packages and within them.
 */
#include "collectives/schedule.h"

static weft_blockset one(int block) { return (weft_blockset){ block, 1, 0 }; }

/* The rank of a node that has the rail of a block. */
static int carrier_of(const weft_levels *l, int node, int block) {
    int cell = block / l->nodes;
    return weft_rank_at(l, node, cell % l->sides, cell / l->sides);
}

/* Rank y of a node passes block b on in round b + y, the last one to whose rail it is on. */
static int chain(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    int blocks = weft_rail_cells(l), node = l->node[s->rank], first = weft_node_begin(l, node), last = weft_ranks_on(l, node) - 1, y = l->turn[s->rank], n = 0;
    int passed = round - y, added = round - y + 1, ended = round - last;
    if (last == 0) return 0;
    if (y < last && passed >= 0 && passed < blocks) t[n++] = (weft_transfer){ WEFT_ACT_SEND_SUM, l->by_node[first + y + 1], one(passed) };
    if (y > 0 && added >= 0 && added < blocks) t[n++] = (weft_transfer){ WEFT_ACT_ADD_BEFORE, l->by_node[first + y - 1], one(added) };
    if (ended < 0 || ended >= blocks) return n;
    int to = carrier_of(l, node, ended);
    if (y == last && to != s->rank) t[n++] = (weft_transfer){ WEFT_ACT_SEND_SUM, to, one(ended) };
    if (y != last && to == s->rank) t[n++] = (weft_transfer){ WEFT_ACT_TAKE_SUM, l->by_node[first + last], one(ended) };
    return n;
}

/* Up the nodes block q leaves node k in round q + k; finished by the last node, it leaves node k downwards in round q + 2 * last - k. */
static int between_nodes(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    weft_spot me = weft_spot_of(l, s->rank);
    int last = l->nodes - 1, k = me.node, cell = (me.index * l->sides + me.package) * l->nodes, n = 0;
    if (me.index >= l->rails || me.package >= l->sides) return 0;
    int up = k < last ? weft_rank_at(l, k + 1, me.package, me.index) : -1, down = k > 0 ? weft_rank_at(l, k - 1, me.package, me.index) : -1;
    int sent = round - k, added = round - k + 1, finished = round - last, handed = round - 2 * last + k, taken = handed + 1;
    if (k == last && finished >= 0 && finished <= last) t[n++] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, one(cell + finished) };
    if (k < last && sent >= 0 && sent <= last) t[n++] = (weft_transfer){ WEFT_ACT_SEND_SUM, up, one(cell + sent) };
    if (k > 0 && added >= 0 && added <= last) t[n++] = (weft_transfer){ WEFT_ACT_ADD_BEFORE, down, one(cell + added) };
    if (k > 0 && handed >= 0 && handed <= last) t[n++] = (weft_transfer){ WEFT_ACT_SEND, down, one(cell + handed) };
    if (k < last && taken >= 0 && taken <= last) t[n++] = (weft_transfer){ WEFT_ACT_TAKE, up, one(cell + taken) };
    return n;
}

int weft_transfers_level_chain(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    int in_nodes = l->most_on_node > 1 ? l->most_on_node - 1 + weft_rail_cells(l) : 0, between = l->nodes > 1 ? 3 * (l->nodes - 1) : 1;
    if (round < in_nodes) return chain(s, round, t);
    if (round < in_nodes + between) return between_nodes(s, round - in_nodes, t);
    return weft_rail_hand_out(s, round - in_nodes - between, t);
}
