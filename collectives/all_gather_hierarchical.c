/* all_gather_hierarchical: each block crosses to each other node once. Window by window each rank stages its block and
 * sends it to one rank of every other node: number i of its node to number i there (i modulo the node's ranks), which
 * receives it in its own staging area, after its own block; the ranks of that node read it there.
 */
#include "collectives/algorithm.h"

#define LEAST_BYTES 4096 /* for shorter windows blocks go to every rank directly */

static weft_status exchange(weft_run *r);
static weft_status come(weft_run *r);
static weft_status take(weft_run *r);

/* The most blocks that any staging area must hold. */
static int most_blocks(const weft_comm *c) {
    int most = 1;
    for (int node = 0; node < c->nodes; node++) {
        int n = 1, l = weft_node_size(c, node);
        for (int other = 0; other < c->nodes; other++) n += other == node ? 0 : (weft_node_size(c, other) + l - 1) / l;
        most = n > most ? n : most;
    }
    return most;
}

/* Room for one block. */
static size_t capacity_of(const weft_comm *c) {
    return WEFT_STAGE_LARGE_BYTES / (size_t)most_blocks(c) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
}

/* The index of the block of number i of `node` in the staging area of number i modulo l of mine. */
static int place_of(const weft_comm *c, int node, int i) {
    int l = c->local, place = 1 + i / l;
    for (int other = 0; other < node; other++)
        if (other != c->node) place += (weft_node_size(c, other) - i % l + l - 1) / l;
    return place;
}

weft_status weft_run_all_gather_hierarchical(weft_run *r) {
    weft_comm *c = r->comm;
    if (capacity_of(c) < LEAST_BYTES) return weft_run_move_messages(r);
    weft_status st = weft_mail_open(r, capacity_of(c), 0);
    if (st != WEFT_OK) return st;
    memset(r->mail.peers, 0, (size_t)c->size);
    for (int node = 0; node < c->nodes; node++) {
        r->mail.peers[c->by_node[c->node_first[node] + c->me % weft_node_size(c, node)]] = 1;
        for (int i = c->me; i < weft_node_size(c, node); i += c->local)
            r->mail.peers[c->by_node[c->node_first[node] + i]] = 1;
    }
    return weft_mail_meet(r, exchange);
}

/* The first turn of each window. */
static weft_status exchange(weft_run *r) {
    weft_comm *c = r->comm;
    weft_status st = WEFT_OK;
    if (r->at.operand >= r->job.n) return weft_run_end(r);
    char *mine = weft_run_stage(r, WEFT_STAGE_LARGE);
    if (!mine) return weft_run_unstaged(r);
    r->next = r->at;
    r->filled = weft_window_skip(&r->job, &r->next, r->mail.capacity);
    if (r->job.parts) memset(mine, 0, r->filled); /* a short block is sent whole */
    weft_window_stage(&r->job, r->at, r->mail.capacity, mine);
    for (int node = 0; node < c->nodes; node++)
        for (int i = c->me; i < weft_node_size(c, node) && node != c->node && st == WEFT_OK; i += c->local)
            st = weft_mail_receive(r, c->by_node[c->node_first[node] + i],
                                   mine + (size_t)place_of(c, node, i) * r->mail.capacity, r->filled);
    for (int node = 0; node < c->nodes && st == WEFT_OK; node++)
        if (node != c->node)
            st = weft_mail_send(r, c->by_node[c->node_first[node] + c->me % weft_node_size(c, node)], mine, r->filled);
    return st == WEFT_OK ? weft_run_await(r, come) : st;
}

static weft_status come(weft_run *r) { return weft_run_meet(r, take); }

static void take_block(const weft_run *r, int from, const char *stage) {
    weft_cursor at = r->at;
    weft_piece p;
    while (weft_window_next(&r->job, &at, r->mail.capacity, &p)) {
        weft_view to = weft_view_out(&p.geom, p.buf->out, from), block = weft_piece_block(&p, stage, 0);
        weft_view_copy(&to, p.unit, &block, 0, p.count, p.geom.elem_bytes);
    }
}

static weft_status take(weft_run *r) {
    const weft_comm *c = r->comm;
    for (int node = 0; node < c->nodes; node++)
        for (int i = 0; i < weft_node_size(c, node); i++) {
            const char *stage = weft_stage_of(c, node == c->node ? i : i % c->local, WEFT_STAGE_LARGE, r->window);
            take_block(r, c->by_node[c->node_first[node] + i],
                       stage + (node == c->node ? 0 : (size_t)place_of(c, node, i) * r->mail.capacity));
        }
    r->at = r->next;
    return exchange(r);
}
