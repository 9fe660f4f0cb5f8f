/* level_exchange: an all-to-all over levels, the outermost first. A rank sends its data for another node in one
 * message, to one rank there; this rank sends the data for each other package of its node to one rank of it, which
 * sends each other rank of the package its part. So there are as many messages between nodes as nodes, and between
 * packages as packages, and data in transit stays in one memory.
 *
 * Ranks are ordered by their places: node by node, package by package. For each part (a node, a package, a rank) of an
 * enclosing part (all, a node, a package), the ranks outside the part choose its receivers cyclically, so that these
 * get equal loads, whatever the sizes. The data that a rank receives in one stage is stored after that of earlier
 * stages, sender by sender in the order of their places: rows, each from one rank for the places of the part. A
 * sender's rows are first its own, then those that it received, stage by stage.
 */
#include "collectives/schedule.h"

/* The stages: between nodes, between packages of a node, between ranks of a package. */
typedef enum stage { NODES, PACKAGES, MATES, STAGES } stage;

typedef struct part { int begin, size; } part; /* places */

static int place_of(const weft_levels *l, int rank) { return l->package_at[l->package[rank]] + l->index[rank]; }
static part node_part(const weft_levels *l, int node) {
    return (part){ weft_node_begin(l, node), weft_ranks_on(l, node) };
}
static part package_part(const weft_levels *l, int package) {
    return (part){ l->package_at[package], l->package_at[package + 1] - l->package_at[package] };
}

/* The enclosing part of a stage for the rank at this place; its parts; and the number of the part with that place. */
static part around(const weft_levels *l, stage at, int place) {
    int rank = l->sorted[place];
    return at == NODES      ? (part){ 0, l->ranks }
           : at == PACKAGES ? node_part(l, l->node[rank])
                            : package_part(l, l->package[rank]);
}
static int parts_of(const weft_levels *l, stage at, int place) {
    return at == NODES      ? l->nodes
           : at == PACKAGES ? weft_packages_on(l, l->node[l->sorted[place]])
                            : around(l, MATES, place).size;
}
static part part_at(const weft_levels *l, stage at, int place, int n) {
    if (at == NODES) return node_part(l, n);
    return at == PACKAGES ? package_part(l, l->node_at[l->node[l->sorted[place]]] + n)
                          : (part){ around(l, MATES, place).begin + n, 1 };
}
static int number_of(const weft_levels *l, stage at, int place) {
    int rank = l->sorted[place];
    return at == NODES ? l->node[rank] : at == PACKAGES ? l->package[rank] - l->node_at[l->node[rank]] : l->index[rank];
}
static part own_part(const weft_levels *l, stage at, int place) {
    return part_at(l, at, place, number_of(l, at, place));
}

/* --- senders and receivers ---------------------------------------------------------------------------------------- */

/* A place's number among those outside the part, and the inverse. */
static int number_outside(part whole, part p, int place) {
    return place - whole.begin - (place < p.begin ? 0 : p.size);
}
static int place_outside(part whole, part p, int number) {
    return whole.begin + number + (whole.begin + number < p.begin ? 0 : p.size);
}

/* The place in the part that receives the data of a place outside. */
static int taker_in(part whole, part p, int place) { return p.begin + number_outside(whole, p, place) % p.size; }

static int rows_of(const weft_levels *l, stage at, int place);

/* Rows that a rank receives in a stage, from senders of places below `end`. */
static int rows_given(const weft_levels *l, stage at, int place, int end) {
    part whole = around(l, at, place), p = own_part(l, at, place);
    int outside = whole.size - p.size, n = 0, number = place - p.begin;
    if (at == NODES) { /* one from each sender */
        int before = end >= l->ranks ? outside : number_outside(whole, p, end);
        return before > number ? (before - number + p.size - 1) / p.size : 0;
    }
    for (; number < outside; number += p.size) {
        int giver = place_outside(whole, p, number);
        if (giver >= end) break;
        n += rows_of(l, at, giver);
    }
    return n;
}

/* Rows that a rank has when a stage begins: one of its own. */
static int rows_of(const weft_levels *l, stage at, int place) {
    int n = 1;
    for (stage before = NODES; before < at; before++) n += rows_given(l, before, place, l->ranks);
    return n;
}

/* The first row that a rank receives in a stage. */
static int base_of(const weft_levels *l, stage at, int place) {
    int base = l->ranks;
    for (stage before = NODES; before < at; before++)
        base += rows_given(l, before, place, l->ranks) * own_part(l, before, place).size;
    return base;
}

int weft_exchange_blocks(const weft_levels *l) {
    int most = 0;
    for (int place = 0; place < l->ranks; place++) {
        int blocks = base_of(l, STAGES, place);
        most = blocks > most ? blocks : most;
    }
    return most;
}

/* The final place of the data from another rank: follows its row. */
static int end_of(const weft_levels *l, int place, int from) {
    stage given = STAGES;       /* the stage in which the holder received it: none */
    int holder = from, row = 0; /* its row in that stage */
    for (stage at = NODES; at < STAGES; at++) {
        part whole = around(l, at, place), p = own_part(l, at, place);
        if (holder >= p.begin && holder < p.begin + p.size) continue;
        int taker = taker_in(whole, p, holder), before = rows_given(l, at, taker, holder);
        if (given != STAGES) before += given == NODES ? 1 + row : 1 + rows_given(l, NODES, holder, l->ranks) + row;
        holder = taker, given = at, row = before;
    }
    if (given == STAGES) return place;
    part p = own_part(l, given, place);
    return base_of(l, given, place) + row * p.size + place - p.begin;
}

void weft_places_by_node(const weft_seat *s, int *place) {
    const weft_levels *l = s->levels;
    for (int rank = 0; rank < l->ranks; rank++) place[rank] = place_of(l, rank);
    for (int rank = 0; rank < l->ranks; rank++) place[l->ranks + rank] = end_of(l, place[s->rank], place[rank]);
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

/* In each of so many steps a part sends to the one so many further on, as many of its ranks at a time as that has
 * ranks.
 */
static int steps_of(const weft_levels *l, stage at) {
    return (at == NODES ? l->nodes : at == PACKAGES ? l->most_packages : l->most_in_package) - 1;
}
static int turns_of(const weft_levels *l, stage at) {
    int least = l->most_on_node, most = at == NODES ? l->most_on_node : l->most_in_package;
    if (at == MATES) return 1;
    for (int k = 0; k < l->nodes; k++) least = weft_ranks_on(l, k) < least ? weft_ranks_on(l, k) : least;
    if (at == PACKAGES) least = l->rails;
    return (most + least - 1) / least;
}

/* This rank's data for a part: in its own row, and in those received in earlier stages. */
static int give(const weft_levels *l, stage at, int place, part to, int taker, weft_transfer *t) {
    int n = 0, peer = l->sorted[taker];
    t[n++] = (weft_transfer){ WEFT_ACT_SEND, peer, { .first = to.begin, .count = to.size } };
    for (stage before = NODES; before < at; before++) {
        part row = own_part(l, before, place);
        int rows = rows_given(l, before, place, l->ranks), first = base_of(l, before, place) + to.begin - row.begin;
        if (rows)
            t[n++] = (weft_transfer){ WEFT_ACT_SEND, peer,
                                      { .first = first, .count = to.size, .every = row.size, .runs = rows } };
    }
    return n;
}

static int take(const weft_levels *l, stage at, int place, int giver, weft_transfer *t) {
    part row = own_part(l, at, place);
    int n = 0, to = base_of(l, at, place) + rows_given(l, at, place, giver) * row.size, peer = l->sorted[giver];
    t[n++] = (weft_transfer){ WEFT_ACT_TAKE, peer, { .first = to, .count = row.size } };
    to += row.size;
    for (stage before = NODES; before < at; before++) {
        int blocks = rows_given(l, before, giver, l->ranks) * row.size;
        if (blocks) t[n++] = (weft_transfer){ WEFT_ACT_TAKE, peer, { .first = to, .count = blocks } };
        to += blocks;
    }
    return n;
}

static int exchange(const weft_levels *l, stage at, int place, int step, int turn, weft_transfer *t) {
    int parts = parts_of(l, at, place), number = number_of(l, at, place), n = 0;
    part whole = around(l, at, place), own = own_part(l, at, place);
    if (step >= parts) return 0;
    part to = part_at(l, at, place, (number + step) % parts),
         from = part_at(l, at, place, (number + parts - step) % parts);
    if ((place - own.begin) / to.size == turn) n = give(l, at, place, to, taker_in(whole, to, place), t);
    int first = from.begin + turn * own.size; /* of the turn's senders the one that sends to this rank */
    int giver = first + (place - own.begin + own.size - number_outside(whole, own, first) % own.size) % own.size;
    if (giver < from.begin + from.size) n += take(l, at, place, giver, t + n);
    return n;
}

int weft_transfers_level_exchange(const weft_seat *s, int round, weft_transfer *t) {
    const weft_levels *l = s->levels;
    for (stage at = NODES; at < STAGES; at++) {
        int turns = turns_of(l, at), rounds = steps_of(l, at) * turns;
        if (round < rounds) return exchange(l, at, place_of(l, s->rank), 1 + round / turns, round % turns, t);
        round -= rounds;
    }
    return -1;
}
