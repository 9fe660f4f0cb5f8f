/* block_mail.c: windows of blocks between nodes, for the data-moving collectives and reduce-scatter.
 * The part of a rank's window for ranks of its node goes into its staging area, and one message goes to each rank on
 * another node that takes a block of it. A message holds the pieces of the window in order, each with room for the
 * longest block rounded up to WEFT_STAGE_ALIGN, and ends with the block's last element.
 */
#include "collectives/algorithm.h"

/* Size of a window if each rank is a node of its own: nothing is staged, so long messages of data-moving collectives
 * cost at most memory. Data that is added up should stay in the caches. */
#define LONE_MOVE_BYTES ((size_t)16 << 20)
#define LONE_SUM_BYTES ((size_t)1 << 20)

static size_t rounded(const weft_piece *p) {
    size_t bytes = (size_t)p->count * p->geom.elem_bytes;
    return (bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
}

/* Inputs of one block go undivided to each receiver; others are divided into a message for each. */
static bool whole(const weft_job *job) { return weft_coll_table[job->kind].in == WEFT_BLOCKS_ONE; }
static bool all_give(const weft_job *job) { return weft_coll_table[job->kind].givers == WEFT_ENDS_ALL; }

/* Equal on all ranks. */
static size_t block_capacity(const weft_comm *c, const weft_job *job) {
    size_t lone = weft_job_adds(job) ? LONE_SUM_BYTES : LONE_MOVE_BYTES;
    size_t most = c->nodes == c->size ? lone : WEFT_STAGE_LARGE_BYTES,
           capacity = whole(job) && all_give(job) ? most / (size_t)c->size : most;
    capacity &= ~(size_t)(WEFT_STAGE_ALIGN - 1);
    return capacity > 4096 ? capacity : 4096;
}

static size_t block_room(const weft_comm *c, const weft_job *job) {
    /* rounding of each piece of each message */
    size_t lines = (size_t)c->size * ((size_t)job->n + 1) * WEFT_STAGE_ALIGN;
    size_t capacity = block_capacity(c, job),
           most = (job->stage_bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
    if (!job->parts && most < capacity) capacity = most;
    return lines + capacity * (whole(job) && all_give(job) ? (size_t)c->size : 1);
}

typedef enum way { FROM_PEER, TO_PEER } way;

/* The block that is sent, or received. */
static weft_view block_of(const weft_job *job, const weft_piece *p, int peer, way way) {
    return way == TO_PEER ? weft_view_in(&p->geom, p->buf->in, weft_job_in_block(job, peer))
                          : weft_view_out(&p->geom, p->buf->out, weft_job_out_block(job, peer));
}

/* A window of one operand is one piece: found once, since it takes a large part of a small call's time. */
static bool is_piece(const weft_run *r) { return r->job.n == 1; }

static size_t filled_by(const weft_run *r, const weft_piece *p, int peer, way way) {
    weft_view block = block_of(&r->job, p, peer, way);
    return (size_t)weft_view_span(&block, p->unit, p->count) * p->geom.elem_bytes;
}

/* The room of a message of the window that starts at r->at, and how much of it the peer's block fills. */
static size_t message_room(const weft_run *r) {
    weft_cursor at = r->at;
    weft_piece p;
    size_t bytes = 0;
    if (is_piece(r)) return rounded(&r->mail.piece);
    while (weft_window_next(&r->job, &at, r->mail.capacity, &p)) bytes += rounded(&p);
    return bytes;
}

static size_t message_bytes(const weft_run *r, int peer, way way) {
    weft_cursor look = r->at;
    weft_piece p;
    size_t at = 0, end = 0;
    if (is_piece(r)) return filled_by(r, &r->mail.piece, peer, way);
    for (; weft_window_next(&r->job, &look, r->mail.capacity, &p); at += rounded(&p)) {
        size_t bytes = filled_by(r, &p, peer, way);
        if (bytes) end = at + bytes;
    }
    return end;
}

static void pack(const weft_run *r, int to, char *message) {
    weft_cursor at = r->at;
    weft_piece p;
    for (; weft_window_next(&r->job, &at, r->mail.capacity, &p); message += rounded(&p)) {
        weft_view block = block_of(&r->job, &p, to, TO_PEER), room = weft_view_dense(message, p.count);
        weft_view_copy(&room, 0, &block, p.unit, p.count, p.geom.elem_bytes);
    }
}

/* --- messages from and to the caller's memory, if a window is one dense piece ------------------------------------- */

static bool may_lend(const weft_run *r) {
    const weft_comm *c = r->comm;
    const weft_world *w = c->world;
    return r->job.n == 1 && c->local == 1 && w->messages->lends && w->messages->lends(w);
}

/* Not if an arriving message would overwrite data that is still to be sent. */
static bool sends_in_place(const weft_run *r) {
    const weft_job *job = &r->job;
    const weft_coll_info *k = &weft_coll_table[job->kind];
    bool both = k->givers != WEFT_ENDS_ROOT && k->takers != WEFT_ENDS_ROOT;
    if (!may_lend(r) || !weft_job_gives(job) ||
        (!weft_job_adds(job) && both && k->in == k->out && job->bufs->in == job->bufs->out))
        return false;
    weft_geom g = weft_geom_of(job, job->bufs);
    weft_view block = weft_view_in(&g, job->bufs->in, 0);
    return weft_view_is_dense(&block);
}

static bool receives_in_place(const weft_run *r) {
    const weft_job *job = &r->job;
    if (!may_lend(r) || weft_job_adds(job) || !weft_job_takes(job)) return false;
    weft_geom g = weft_geom_of(job, job->bufs);
    weft_view block = weft_view_out(&g, job->bufs->out, 0);
    return weft_view_is_dense(&block);
}

/* Of a window that is one piece. */
static char *place_of(const weft_run *r, int peer, way way) {
    const weft_piece *p = &r->mail.piece;
    weft_view block = block_of(&r->job, p, peer, way);
    return weft_view_at(&block, p->geom.elem_bytes) + (size_t)p->unit * p->geom.elem_bytes;
}

/* --- a window ----------------------------------------------------------------------------------------------------- */

/* Stages the blocks of the window for members on this node, as weft_piece_block lays them out, with room for the
 * others.
 */
static void stage_blocks(const weft_run *r, char *stage) {
    const weft_comm *c = r->comm;
    weft_cursor at = r->at;
    weft_piece p;
    while (weft_window_next(&r->job, &at, r->mail.capacity, &p))
        for (int i = 0; i < c->local; i++) {
            int k = weft_job_in_block(&r->job, c->local_rank[i]);
            if (i && k == weft_job_in_block(&r->job, c->local_rank[i - 1])) continue;
            weft_view to = weft_piece_block(&p, stage, k), from = weft_view_in(&p.geom, p.buf->in, k);
            weft_view_copy(&to, 0, &from, p.unit, p.count, p.geom.elem_bytes);
        }
}

/* This rank's window for itself, like a message: the input itself, unless a sum is written there. */
static const char *own_blocks(const weft_run *r, char *message) {
    const weft_job *job = &r->job;
    weft_geom g = weft_geom_of(job, job->bufs);
    weft_view block = weft_view_in(&g, job->bufs->in, weft_job_in_block(job, job->rank));
    const char *mine = job->n == 1 && weft_view_is_dense(&block) ? place_of(r, job->rank, TO_PEER) : NULL;
    if (mine && (!weft_job_adds(job) || mine != place_of(r, job->rank, FROM_PEER))) return mine;
    pack(r, job->rank, message);
    return message;
}

static weft_status take_window(weft_run *r);

static bool is_elsewhere(const weft_comm *c, int member) { return c->local_of[member] < 0; }

/* Called before any message can arrive. An undivided input is packed once. */
static void pack_window(const weft_run *r, size_t room) {
    const weft_comm *c = r->comm;
    bool packed = r->mail.sends_in_place;
    for (int i = 0; i < c->size && !packed; i++) {
        if (!is_elsewhere(c, i) || !weft_job_to(&r->job, i)) continue;
        pack(r, i, r->mail.out + (whole(&r->job) ? 0 : (size_t)i * room));
        packed = whole(&r->job);
    }
}

/* Where the blocks of others arrive, unless directly in the output. */
static char *arrival(const weft_run *r, int half, int from) {
    const weft_arrivals *a = &r->mail.arrivals[half];
    return a->in + (all_give(&r->job) ? (size_t)from * a->room : 0);
}

/* Begins the messages of the window that starts at r->at. */
static weft_status begin_messages(weft_run *r, size_t room) {
    weft_comm *c = r->comm;
    const weft_mail *m = &r->mail;
    weft_status st = WEFT_OK;
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (!is_elsewhere(c, i) || !weft_job_from(&r->job, i)) continue;
        char *to = m->receives_in_place ? place_of(r, i, FROM_PEER) : arrival(r, m->half, i);
        st = weft_mail_receive(r, i, to, message_bytes(r, i, FROM_PEER));
    }
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (!is_elsewhere(c, i) || !weft_job_to(&r->job, i)) continue;
        const char *from =
            m->sends_in_place ? place_of(r, i, TO_PEER) : m->out + (whole(&r->job) ? 0 : (size_t)i * room);
        st = weft_mail_send(r, i, from, message_bytes(r, i, TO_PEER));
    }
    return st;
}

static size_t half_room(const weft_mail *m) { return m->room / 2 & ~(size_t)(WEFT_STAGE_ALIGN - 1); }

/* Moves r->next after it. */
static void find_piece(weft_run *r) {
    weft_piece *p = &r->mail.piece;
    weft_cursor *next = &r->next;
    /* of no elements */
    if (!weft_window_next(&r->job, next, r->mail.capacity, p))
        *p = (weft_piece){ .buf = r->job.bufs, .geom = weft_geom_of(&r->job, r->job.bufs) };
    *next = (weft_cursor){ .operand = p->unit + p->count < p->geom.units ? 0 : 1, .unit = next->unit };
}

/* The messages of the window at r->at to and from other nodes. */
static weft_status begin_window(weft_run *r) {
    weft_mail *m = &r->mail;
    r->next = r->at;
    if (is_piece(r)) find_piece(r);
    else weft_window_skip(&r->job, &r->next, m->capacity);
    size_t room = message_room(r);
    m->arrivals[m->half] = (weft_arrivals){ .in = m->in + (m->half ? half_room(m) : 0), .room = room };
    pack_window(r, room);
    return begin_messages(r, room);
}

/* This rank's own part of the window, which no other rank reads. Waits for the messages. */
static weft_status await_window(weft_run *r) {
    const weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    weft_arrivals *a = &r->mail.arrivals[r->mail.half];
    if (c->local == 1 && weft_job_from(job, c->rank) && weft_job_to(job, c->rank))
        a->own = own_blocks(r, r->mail.out + (whole(job) ? 0 : (size_t)c->rank * a->room));
    return weft_run_meet(r, take_window);
}

static weft_status exchange(weft_run *r) {
    const weft_comm *c = r->comm;
    char *stage = c->local > 1 ? weft_run_stage(r, WEFT_STAGE_LARGE) : NULL;
    if (!stage && c->local > 1) return weft_run_unstaged(r);
    weft_status st = begin_window(r);
    if (st != WEFT_OK) return st;
    if (stage && weft_job_gives(&r->job)) stage_blocks(r, stage);
    return await_window(r);
}

static weft_status next_window(weft_run *r) { return r->at.operand < r->job.n ? exchange(r) : weft_run_end(r); }

static weft_status take_window(weft_run *r) {
    weft_mail *m = &r->mail;
    weft_block_piece b = { .run = r, .half = m->half };
    weft_cursor at = r->at, end = r->next;
    bool ahead = m->goes_ahead && end.operand < r->job.n, one = is_piece(r);
    weft_status st = WEFT_OK;
    b.piece = m->piece;
    r->at = end;
    m->half ^= ahead;
    if (ahead) st = begin_window(r);
    if (one && st == WEFT_OK) m->take(&b);
    for (; !one && st == WEFT_OK && weft_window_next(&r->job, &at, m->capacity, &b.piece);
         b.in_message += rounded(&b.piece))
        m->take(&b);
    return st != WEFT_OK ? st : ahead ? await_window(r) : next_window(r);
}

const char *weft_block_from(const weft_block_piece *b, int from) {
    const weft_run *r = b->run;
    const weft_comm *c = r->comm;
    if (from == c->rank && c->local == 1) return r->mail.arrivals[b->half].own + b->in_message;
    if (is_elsewhere(c, from)) return r->mail.receives_in_place ? NULL : arrival(r, b->half, from) + b->in_message;
    const char *stage = weft_stage_of(c, c->local_of[from], WEFT_STAGE_LARGE, r->window);
    return weft_piece_block(&b->piece, stage, weft_job_in_block(&r->job, c->rank)).base;
}

weft_status weft_block_run(weft_run *r, weft_block_take take) {
    const weft_job *job = &r->job;
    bool out = sends_in_place(r), in = receives_in_place(r);
    /* no data goes through the mail's memory */
    bool lean = (out || !weft_job_gives(job)) && (in || !weft_job_takes(job)) && !weft_job_adds(job);
    /* Data packed for the next window may overwrite this rank's own blocks of this one. */
    bool ahead = weft_job_adds(job) && r->comm->local == 1 && (out || !weft_job_gives(job));
    weft_status st = weft_mail_open(r, block_capacity(r->comm, job), lean ? 0 : block_room(r->comm, job) << ahead);
    r->mail.take = take;
    r->mail.goes_ahead = ahead;
    r->mail.sends_in_place = out;
    r->mail.receives_in_place = in;
    return st == WEFT_OK ? weft_mail_meet(r, next_window) : st;
}
