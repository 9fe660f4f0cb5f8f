/* level_tree: binomial trees, one in every package, over the packages of every node, and over the nodes: data crosses
 * between nodes, or packages, once for each. The root is the first of its package, its package the first of its node,
 * its node the first of all; elsewhere the lowest ones are first. Ranks are numbered in this order, so that a tree's
 * blocks are neighbours; sums are nested in it.
 */
#include "collectives/schedule.h"

/* A spot as seen from the root: 0 is the first at every level. */
typedef enum level { PACKAGE, NODE, ALL } level;

static int turned(int n, int by, int size) { return (n - by + size) % size; }

/* The first package of a node, and the first rank of a package. */
static int first_package(weft_spot root, int node) { return node == root.node ? root.package : 0; }
static int first_index(weft_spot root, int node, int package) {
    return node == root.node && package == root.package ? root.index : 0;
}

/* From numbers as seen from the root to the spot. */
static weft_spot spot_at(const weft_levels *l, weft_spot root, weft_spot v) {
    weft_spot s = { .node = (v.node + root.node) % l->nodes };
    s.package = (v.package + first_package(root, s.node)) % weft_packages_on(l, s.node);
    s.index = (v.index + first_index(root, s.node, s.package)) % weft_ranks_in(l, s.node, s.package);
    return s;
}

static weft_spot seen_from(const weft_levels *l, weft_spot root, weft_spot s) {
    return (weft_spot){ turned(s.node, root.node, l->nodes),
                        turned(s.package, first_package(root, s.node), weft_packages_on(l, s.node)),
                        turned(s.index, first_index(root, s.node, s.package), weft_ranks_in(l, s.node, s.package)) };
}

/* The number of ranks before it; each part may be one after the last. */
static int place_of(const weft_levels *l, weft_spot root, weft_spot v) {
    int n = v.index;
    for (int k = 0; k < v.node; k++) n += weft_ranks_on(l, spot_at(l, root, (weft_spot){ k, 0, 0 }).node);
    for (int i = 0; i < v.package; i++) {
        weft_spot s = spot_at(l, root, (weft_spot){ v.node, i, 0 });
        n += weft_ranks_in(l, s.node, s.package);
    }
    return n;
}

void weft_places_from_root(const weft_seat *s, int *place) {
    weft_spot root = weft_spot_of(s->levels, s->root);
    for (int rank = 0; rank < s->levels->ranks; rank++)
        place[rank] = place_of(s->levels, root, seen_from(s->levels, root, weft_spot_of(s->levels, rank)));
}

/* A spot's number among those of a level with a tree there, and the same spot with another number. */
static int number_at(weft_spot v, level at) { return at == PACKAGE ? v.index : at == NODE ? v.package : v.node; }
static weft_spot with_number(weft_spot v, level at, int n) {
    return at == PACKAGE ? (weft_spot){ v.node, v.package, n }
           : at == NODE  ? (weft_spot){ v.node, n, 0 }
                         : (weft_spot){ n, 0, 0 };
}

typedef enum way { FROM_ROOT, TO_ROOT } way;

/* The round of a level's trees in which those of `size` numbers are joined, or split: one transfer, or none. */
static int part(const weft_seat *s, level at, int size, way to, weft_act give, weft_act take, weft_transfer *t) {
    const weft_levels *l = s->levels;
    weft_spot root = weft_spot_of(l, s->root), me = weft_spot_of(l, s->rank), v = seen_from(l, root, me);
    int many = at == PACKAGE ? weft_ranks_in(l, me.node, me.package)
               : at == NODE  ? weft_packages_on(l, me.node)
                             : l->nodes,
        n = number_at(v, at);
    int child = n % (2 * size) == size ? n : n + size, other = child == n ? n - size : child;
    if ((at > PACKAGE && v.index) || (at > NODE && v.package) || n % size || child >= many) return 0;
    weft_spot peer = spot_at(l, root, with_number(v, at, other));
    int from = place_of(l, root, with_number(v, at, child)),
        end = place_of(l, root, with_number(v, at, child + size < many ? child + size : many));
    t[0] = (weft_transfer){ (child == n) == (to == TO_ROOT) ? give : take,
                            weft_rank_at(l, peer.node, peer.package, peer.index), { from, end - from, 0, 0 } };
    return 1;
}

/* -1: after the last round; *round is then the remainder. */
static int transfers(const weft_seat *s, int *round, way to, weft_act give, weft_act take, weft_transfer *t) {
    const weft_levels *l = s->levels;
    int many[] = { [PACKAGE] = l->most_in_package, [NODE] = l->most_packages, [ALL] = l->nodes };
    for (int i = PACKAGE; i <= ALL; i++) {
        level at = (level)(to == TO_ROOT ? i : ALL - i);
        int rounds = weft_log2_ceil(many[at]);
        if (*round < rounds) return part(s, at, 1 << (to == TO_ROOT ? *round : rounds - 1 - *round), to, give, take, t);
        *round -= rounds;
    }
    return -1;
}

int weft_transfers_level_tree_gather(const weft_seat *s, int round, weft_transfer *t) {
    return transfers(s, &round, TO_ROOT, WEFT_ACT_SEND, WEFT_ACT_TAKE, t);
}

int weft_transfers_level_tree_scatter(const weft_seat *s, int round, weft_transfer *t) {
    return transfers(s, &round, FROM_ROOT, WEFT_ACT_SEND, WEFT_ACT_TAKE, t);
}

int weft_transfers_level_tree_broadcast(const weft_seat *s, int round, weft_transfer *t) {
    int n = transfers(s, &round, FROM_ROOT, WEFT_ACT_SEND, WEFT_ACT_TAKE, t);
    if (n > 0) t[0].set = (weft_blockset){ 0, 1, 0, 0 };
    return n;
}

int weft_transfers_level_tree_reduce(const weft_seat *s, int round, weft_transfer *t) {
    static const weft_blockset all = { 0, 1, 0, 0 };
    int n = transfers(s, &round, TO_ROOT, WEFT_ACT_SEND_SUM, WEFT_ACT_ADD_AFTER, t);
    if (n > 0) t[0].set = all;
    if (n >= 0 || round) return n;
    t[0] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, all };
    return s->rank == s->root;
}
