/* all_reduce_hierarchical: first within each node, then between the nodes, on split rails. Window by window all ranks
 * stage their operands; the window is divided into as many slices as the smallest node has ranks, and rank j of a node
 * has rail j: it adds up slice j over its node, exchanges it with the ranks of rail j on the other nodes (each node
 * owns a part of it, adds up the nodes' partial sums in order, and distributes the result), and leaves the sum in its
 * staging area, where its node reads it. Every byte crosses between nodes once per node, not once per rank, and all
 * ranks' links carry a share. Also runs reduce, where only the root's node gets the result.
 */
#include "collectives/algorithm.h"

#define CAPACITY WEFT_STAGE_LARGE_BYTES

static weft_status stage_window(weft_run *r);
static weft_status share(weft_run *r);
static weft_status sum_nodes(weft_run *r);
static weft_status come(weft_run *r);
static weft_status take(weft_run *r);

static int rails_of(const weft_comm *c) {
    int rails = weft_node_size(c, 0);
    for (int n = 1; n < c->nodes; n++) rails = weft_node_size(c, n) < rails ? weft_node_size(c, n) : rails;
    return rails;
}

/* The rank that has my rail on a node. */
static int opposite(const weft_comm *c, int node) { return c->by_node[c->node_first[node] + c->me]; }

/* Whether any rank on the node takes the result. */
static int wanted(const weft_run *r, int node) {
    const weft_comm *c = r->comm;
    for (int i = c->node_first[node]; i < c->node_first[node + 1]; i++)
        if (weft_job_to(&r->job, c->by_node[i])) return 1;
    return 0;
}

/* The part of my slice that a node owns. */
static void owned_by(const weft_run *r, int node, size_t *from, size_t *to) {
    size_t begin, end;
    weft_window_slice(r->filled, rails_of(r->comm), r->comm->me, &begin, &end);
    weft_window_slice(end - begin, r->comm->nodes, node, from, to);
    *from += begin, *to += begin;
}

weft_status weft_run_all_reduce_hierarchical(weft_run *r) {
    weft_comm *c = r->comm;
    /* A slice, and each node's part of it rounded up to lines, as partial sums. */
    size_t room = (CAPACITY + ((size_t)c->nodes + 1) * WEFT_STAGE_ALIGN) * weft_sum_widens(&r->job);
    weft_status st = weft_mail_open(r, CAPACITY, room);
    if (st != WEFT_OK) return st;
    memset(r->mail.peers, 0, (size_t)c->size);
    for (int n = 0; n < c->nodes && c->me < rails_of(c); n++) r->mail.peers[opposite(c, n)] = 1;
    return weft_mail_meet(r, stage_window);
}

static weft_status stage_window(weft_run *r) {
    if (r->at.operand >= r->job.n) return weft_run_end(r);
    r->next = r->at;
    r->filled = weft_window_skip(&r->job, &r->next, CAPACITY);
    char *mine = weft_run_stage(r, WEFT_STAGE_LARGE);
    if (!mine) return weft_run_unstaged(r);
    weft_window_stage(&r->job, r->at, CAPACITY, mine);
    return weft_run_meet(r, share);
}

/* The node's partial sums of bytes [from, to) of the window. */
static void add_node(weft_run *r, size_t from, size_t to, char *sums, size_t widens) {
    weft_comm *c = r->comm;
    weft_cursor at = r->at;
    weft_piece p;
    while (weft_window_next(&r->job, &at, CAPACITY, &p)) {
        size_t end = p.at + (size_t)p.count * p.geom.elem_bytes, first = from > p.at ? from : p.at,
               last = to < end ? to : end;
        if (first >= last) continue;
        for (int i = 0; i < c->local; i++) c->src[i] = weft_stage_of(c, i, WEFT_STAGE_LARGE, r->window) + first;
        const weft_adder *a = weft_adder_find((weft_dtype)p.buf->dtype, r->job.reduce);
        a->partial(sums + (first - from) * widens, c->src, c->local, (int64_t)((last - first) / p.geom.elem_bytes));
    }
}

/* All have staged their operands. */
static weft_status share(weft_run *r) {
    weft_comm *c = r->comm;
    size_t from, to, my_from, my_to, begin, end, widens = weft_sum_widens(&r->job);
    weft_status st = WEFT_OK;
    if (c->me >= rails_of(c)) return weft_run_meet(r, take);
    weft_window_slice(r->filled, rails_of(c), c->me, &begin, &end);
    add_node(r, begin, end, r->mail.out, widens);
    owned_by(r, c->node, &my_from, &my_to);
    for (int n = 0; n < c->nodes && st == WEFT_OK; n++) {
        if (n == c->node) continue;
        st = weft_mail_receive(r, opposite(c, n), r->mail.in + (size_t)n * (my_to - my_from) * widens,
                               (my_to - my_from) * widens);
        owned_by(r, n, &from, &to);
        if (st == WEFT_OK)
            st = weft_mail_send(r, opposite(c, n), r->mail.out + (from - begin) * widens, (to - from) * widens);
    }
    return st == WEFT_OK ? weft_run_await(r, sum_nodes) : st;
}

/* All nodes' sums of my part have arrived: sends the total to the others; theirs go to my staging area. */
static weft_status sum_nodes(weft_run *r) {
    weft_comm *c = r->comm;
    size_t from, to, my_from, my_to, begin, end, widens = weft_sum_widens(&r->job);
    char *stage = weft_stage_of(c, c->me, WEFT_STAGE_LARGE, r->window);
    weft_cursor at = r->at;
    weft_piece p;
    weft_status st = WEFT_OK;
    weft_window_slice(r->filled, rails_of(c), c->me, &begin, &end);
    owned_by(r, c->node, &my_from, &my_to);
    while (weft_window_next(&r->job, &at, CAPACITY, &p)) {
        size_t stop = p.at + (size_t)p.count * p.geom.elem_bytes, first = my_from > p.at ? my_from : p.at,
               last = my_to < stop ? my_to : stop;
        if (first >= last) continue;
        for (int n = 0; n < c->nodes; n++)
            c->base[n] = n == c->node ? r->mail.out + (first - begin) * widens
                                      : r->mail.in + ((size_t)n * (my_to - my_from) + (first - my_from)) * widens;
        weft_sum_nodes(c, weft_adder_find((weft_dtype)p.buf->dtype, r->job.reduce), stage + first, p.geom.elem_bytes,
                       (int64_t)((last - first) / p.geom.elem_bytes));
    }
    for (int n = 0; n < c->nodes && st == WEFT_OK; n++) {
        if (n == c->node) continue;
        owned_by(r, n, &from, &to);
        if (wanted(r, c->node)) st = weft_mail_receive(r, opposite(c, n), stage + from, to - from);
        if (st == WEFT_OK && wanted(r, n)) st = weft_mail_send(r, opposite(c, n), stage + my_from, my_to - my_from);
    }
    return st == WEFT_OK ? weft_run_await(r, come) : st;
}

static weft_status come(weft_run *r) { return weft_run_meet(r, take); }

static weft_status take(weft_run *r) {
    const weft_comm *c = r->comm;
    int rails = rails_of(c);
    size_t from, to;
    for (int j = 0; j < rails && weft_job_takes(&r->job); j++) {
        weft_window_slice(r->filled, rails, j, &from, &to);
        weft_window_unstage(&r->job, r->at, CAPACITY, from, to, weft_stage_of(c, j, WEFT_STAGE_LARGE, r->window));
    }
    r->at = r->next;
    return stage_window(r);
}
