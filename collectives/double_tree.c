/* double_tree: two binary trees over the same ranks, each of which carries one half of the blocks. A rank with children
 * in one tree is a leaf of the other, so that all ranks send and receive about as much. Blocks follow each other up and
 * down the trees. Sanders, Speck and Traeff, Parallel Computing 35 (2009).
 *
 * Nodes of a tree are 1 .. n; the height of node x is the number of zeros at the end of x, its children are the nearest
 * lower nodes on either side: so sums are in the order of the nodes, nested, and odd nodes are leaves. The
 * second tree counts the same nodes from the other end (n even) or one off (n odd).
 */
#include "collectives/schedule.h"

#define SEGMENTS 8 /* of each tree's half */
#define TREES 2

static int height(int x) { return x ? __builtin_ctz((unsigned)x) : 0; }

/* 0: x is the root. */
static int parent_of(int x, int n) {
    int root = 1 << weft_log2_floor(n);
    while (x != root) {
        int bit = 1 << height(x);
        x = (x ^ bit) | bit << 1;
        if (x <= n) return x;
    }
    return 0;
}

/* The nodes below x: side 0 left, 1 right; 0: none. */
static int child_of(int x, int n, int side) {
    for (int bit = (1 << height(x)) >> 1; bit; bit >>= 1) {
        int y = side ? x + bit : x - bit;
        if (y <= n) return y;
    }
    return 0;
}

static int depth_of(int x, int n) {
    int d = 0;
    while ((x = parent_of(x, n))) d++;
    return d;
}

/* The number of node x of tree 0 in this tree, and the inverse. */
static int turned(int x, int n, int tree) { return !tree ? x : n % 2 == 0 ? n + 1 - x : x == 1 ? n : x - 1; }
static int turned_back(int x, int n, int tree) { return !tree ? x : n % 2 == 0 ? n + 1 - x : x == n ? 1 : x + 1; }

/* A rank's place in one of the trees. */
typedef struct place {
    int tree, n, node, depth, levels; /* levels: the depth of the deepest */
    int root;   /* the rank from which nodes are counted: node x is rank root + x + base */
    int base, ranks;
} place;

static place place_of(const weft_seat *s, int tree, int n, int base) {
    place p = { .tree = tree, .n = n, .levels = weft_log2_floor(n), .root = base < 0 ? 0 : s->root, .base = base,
                .ranks = s->ranks };
    p.node = (s->rank + s->ranks - p.root) % s->ranks - base;
    if (p.node < 1) return p; /* the source of a broadcast is in no tree */
    p.node = turned(p.node, n, tree);
    p.depth = depth_of(p.node, n);
    return p;
}

static int rank_of(const place *p, int node) {
    return (p->root + turned_back(node, p->n, p->tree) + p->base) % p->ranks;
}

static weft_transfer move(const place *p, weft_act act, int peer, int segment) {
    return (weft_transfer){ act, peer, { p->tree * SEGMENTS + segment, 1, 0, 0 } };
}

static int is_segment(int k) { return k >= 0 && k < SEGMENTS; }

/* Segment k leaves a node of the deepest level in round k, one of the level above in round k + 1. */
static int up(const place *p, int round, weft_transfer *t) {
    int k = round - (p->levels - p->depth), n = 0;
    int parent = parent_of(p->node, p->n);
    if (parent && is_segment(k)) t[n++] = move(p, WEFT_ACT_SEND_SUM, rank_of(p, parent), k);
    for (int side = 0; side < 2 && is_segment(k + 1); side++) {
        int child = child_of(p->node, p->n, side);
        if (child) t[n++] = move(p, side ? WEFT_ACT_ADD_AFTER : WEFT_ACT_ADD_BEFORE, rank_of(p, child), k + 1);
    }
    return n;
}

/* Segment k reaches level d in round k + d, counted from the one in which it would reach the root. */
static int down(const place *p, int round, weft_transfer *t) {
    int k = round - p->depth, n = 0, parent = parent_of(p->node, p->n);
    if (parent && is_segment(k)) t[n++] = move(p, WEFT_ACT_TAKE, rank_of(p, parent), k);
    for (int side = 0; side < 2 && is_segment(k - 1); side++) {
        int child = child_of(p->node, p->n, side);
        if (child) t[n++] = move(p, WEFT_ACT_SEND, rank_of(p, child), k - 1);
    }
    return n;
}

int weft_transfers_double_tree_all_reduce(const weft_seat *s, int round, weft_transfer *t) {
    int levels = weft_log2_floor(s->ranks), turn = round - levels + 1, n = 0; /* turn k: segment k - 1 is at the root */
    if (round >= SEGMENTS + 2 * levels - 1) return -1;
    for (int tree = 0; tree < TREES; tree++) {
        place p = place_of(s, tree, s->ranks, -1);
        if (!parent_of(p.node, p.n) && is_segment(turn - 1)) t[n++] = move(&p, WEFT_ACT_FINISH, s->rank, turn - 1);
        n += up(&p, round, t + n);
        n += down(&p, turn, t + n);
    }
    return n;
}

/* The root feeds both trees, which contain the other ranks. */
int weft_transfers_double_tree_broadcast(const weft_seat *s, int round, weft_transfer *t) {
    int others = s->ranks - 1, n = 0;
    if (round >= SEGMENTS + weft_log2_floor(others)) return -1;
    for (int tree = 0; tree < TREES; tree++) {
        place p = place_of(s, tree, others, 0);
        int top = 1 << weft_log2_floor(others);
        if (s->rank == s->root) {
            if (is_segment(round)) t[n++] = move(&p, WEFT_ACT_SEND, rank_of(&p, top), round);
            continue;
        }
        if (p.node == top && is_segment(round)) t[n++] = move(&p, WEFT_ACT_TAKE, s->root, round);
        n += down(&p, round, t + n);
    }
    return n;
}
