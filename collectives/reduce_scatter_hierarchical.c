/* reduce_scatter_hierarchical: first within each node, then between the nodes. Window by window all ranks stage their
 * operands. The block of a rank that is number i of its node is added up on every node by number i there (i modulo the
 * node's ranks), which sends the partial sum to its receiver; the receiver adds up the nodes' in order. So a block
 * crosses between two nodes once.
 */
#include "collectives/algorithm.h"

#define CAPACITY WEFT_STAGE_LARGE_BYTES

static weft_status add(weft_run *r);
static weft_status finish(weft_run *r);

/* The rank on a node that adds up for number i of another. */
static int adder_on(const weft_comm *c, int node, int i) {
    return c->by_node[c->node_first[node] + i % weft_node_size(c, node)];
}

/* The bytes of one rank's block of the window, as partial sums; each operand's part begins at a whole line. */
static size_t partial_room(const weft_run *r) {
    weft_cursor at = r->at;
    weft_piece p;
    size_t bytes = 0;
    while (weft_window_next(&r->job, &at, CAPACITY, &p)) {
        size_t part = (size_t)p.count * weft_adder_find((weft_dtype)p.buf->dtype, r->job.reduce)->partial_bytes;
        bytes += (part + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
    }
    return bytes;
}

/* How many blocks this rank adds up: its own, and its share of the other nodes'. */
static int blocks_added(const weft_comm *c) {
    int n = 1;
    for (int node = 0; node < c->nodes; node++)
        for (int i = 0; i < weft_node_size(c, node) && node != c->node; i++) n += adder_on(c, c->node, i) == c->rank;
    return n;
}

weft_status weft_run_reduce_scatter_hierarchical(weft_run *r) {
    weft_comm *c = r->comm;
    size_t block = (CAPACITY / (size_t)c->size + ((size_t)r->job.n + 1) * WEFT_STAGE_ALIGN) * WEFT_PARTIAL_WIDENS;
    int blocks = blocks_added(c) > c->nodes ? blocks_added(c) : c->nodes;
    weft_status st = weft_mail_open(r, CAPACITY, (size_t)blocks * block);
    if (st != WEFT_OK) return st;
    memset(r->mail.peers, 0, (size_t)c->size);
    for (int node = 0; node < c->nodes; node++) {
        r->mail.peers[adder_on(c, node, c->me)] = 1;
        for (int i = 0; i < weft_node_size(c, node); i++)
            if (adder_on(c, c->node, i) == c->rank) r->mail.peers[c->by_node[c->node_first[node] + i]] = 1;
    }
    return weft_mail_meet(r, add);
}

/* The node's partial sums of the block for rank `to`. */
static void add_node(weft_run *r, int to, char *sums) {
    weft_comm *c = r->comm;
    weft_cursor at = r->at;
    weft_piece p;
    while (weft_window_next(&r->job, &at, CAPACITY, &p)) {
        const weft_adder *a = weft_adder_find((weft_dtype)p.buf->dtype, r->job.reduce);
        for (int i = 0; i < c->local; i++)
            c->src[i] = weft_piece_block(&p, weft_stage_of(c, i, WEFT_STAGE_LARGE, r->window), to).base;
        a->partial(sums, c->src, c->local, p.count);
        sums += ((size_t)p.count * a->partial_bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
    }
}

static weft_status exchange(weft_run *r) {
    weft_comm *c = r->comm;
    size_t room = partial_room(r);
    char *sums = r->mail.out + room; /* after my own */
    weft_status st = WEFT_OK;
    for (int node = 0; node < c->nodes && st == WEFT_OK; node++)
        if (node != c->node)
            st = weft_mail_receive(r, adder_on(c, node, c->me), r->mail.in + (size_t)node * room, room);
    for (int node = 0; node < c->nodes; node++)
        for (int i = 0; i < weft_node_size(c, node) && node != c->node && st == WEFT_OK; i++) {
            if (adder_on(c, c->node, i) != c->rank) continue;
            int to = c->by_node[c->node_first[node] + i];
            add_node(r, to, sums);
            st = weft_mail_send(r, to, sums, room);
            sums += room;
        }
    if (st != WEFT_OK) return st;
    add_node(r, c->rank, r->mail.out);
    return weft_run_await(r, finish);
}

/* The first turn of each window. */
static weft_status add(weft_run *r) {
    if (r->at.operand >= r->job.n) return weft_run_end(r);
    char *mine = weft_run_stage(r, WEFT_STAGE_LARGE);
    if (!mine) return weft_run_unstaged(r);
    r->next = r->at;
    weft_window_skip(&r->job, &r->next, CAPACITY);
    weft_window_stage(&r->job, r->at, CAPACITY, mine);
    return weft_run_meet(r, exchange);
}

static weft_status finish(weft_run *r) {
    weft_comm *c = r->comm;
    size_t room = partial_room(r), begin = 0;
    weft_cursor at = r->at;
    weft_piece p;
    while (weft_window_next(&r->job, &at, CAPACITY, &p)) {
        const weft_adder *a = weft_adder_find((weft_dtype)p.buf->dtype, r->job.reduce);
        weft_view mine = weft_view_out(&p.geom, p.buf->out, 0);
        int64_t count = weft_view_span(&mine, p.unit, p.count);
        for (int n = 0; n < c->nodes; n++)
            c->base[n] = (n == c->node ? r->mail.out : r->mail.in + (size_t)n * room) + begin;
        if (count) weft_sum_nodes(c, a, mine.base + (size_t)p.unit * p.geom.elem_bytes, p.geom.elem_bytes, count);
        begin += ((size_t)p.count * a->partial_bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
    }
    r->at = r->next;
    return add(r);
}
