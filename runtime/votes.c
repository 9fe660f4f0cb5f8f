/* votes: what the processes have to agree on before a program runs. */
#include "base/context.h"
#include "runtime/differ.h"
#include "runtime/votes.h"

/* What every rank tells the others before a program gets memory. */
typedef struct ballot { int64_t status, fingerprint; } ballot;

/* all: for each device of this process a ballot of each rank. */
typedef struct election { ballot mine, *all; } election;

static weft_status vote(weft_client *c, weft_client_device *d, void *arg) {
    const election *e = arg;
    const int size = weft_world_size(c->world);
    weft_coll_buf b = { &e->mine, e->all + (size_t)d->index * (size_t)size, weft_coll_type("i64"), 1, 1,
                        (int64_t)(sizeof e->mine / sizeof(int64_t)) };
    weft_call_site site = { "all_gather", "", "launch", 0 };
    return weft_coll_all_gather(d->all, &b, 1, &site);
}

/* What rank `from` tells the others: its process gives the text. */
typedef struct telling { int from; weft_str text; } telling;

static weft_status hear(weft_client *c, weft_client_device *d, void *arg) {
    const telling *t = arg;
    (void)c;
    int64_t bytes = d->number == t->from ? (int64_t)t->text.n : 0;
    weft_call_site site = { "broadcast", "", "launch", 0 };
    weft_coll_buf size = { .in = &bytes, .out = &bytes, .dtype = weft_coll_type("i64"), .inner = 1 };
    weft_status st = weft_coll_broadcast(d->all, t->from, &size, 1, &site);
    if (st != WEFT_OK) return st;
    char *text = weft_arena_alloc(&d->cx->arena, (size_t)bytes + 1, 1);
    if (!text) return weft_oom();
    if (d->number == t->from && bytes) memcpy(text, t->text.p, (size_t)bytes);
    weft_coll_buf b = { .in = text, .out = text, .dtype = weft_coll_type("ui8"), .inner = bytes };
    if (bytes) st = weft_coll_broadcast(d->all, t->from, &b, 1, &site);
    if (st == WEFT_OK) d->told = (weft_str){ text, (size_t)bytes };
    return st;
}

/* Every process makes these calls, and has the same text afterwards. */
static weft_status hear_from(weft_client *c, int from, weft_str mine, weft_str *out) {
    weft_status st = weft_client_do(c, hear, &(telling){ from, mine });
    if (st == WEFT_OK) *out = c->devices[0].told;
    return st;
}

/* What the others hear of this process's failure. */
static const char *words_of(const weft_client *c, const weft_load_options *opt, weft_status failed) {
    const weft_diag *d = &c->cx->error;
    return opt->why ? opt->why : d->status == failed && failed != WEFT_OK ? d->message : weft_status_name(failed);
}

/* A rank's preparation failed: who could prepare says by what, or only that rank's process does. */
static weft_status say_failed(weft_client *c, const weft_load_options *opt, int rank, weft_status how,
                              weft_status failed_here) {
    weft_str why = weft_str_from(words_of(c, opt, failed_here)), theirs;
    weft_status st = hear_from(c, rank, why, &theirs);
    if (st != WEFT_OK) return st;
    if (opt->voices == WEFT_VOICES_EACH && failed_here == WEFT_OK)
        (void)weft_report(c->cx, weft_client_class(how), NULL, "rank %d: %.*s", rank, (int)theirs.n,
                          theirs.n ? theirs.p : "");
    return how;
}

/* "'stablehlo.add ...' at "mine.c":7", or where the program is over. */
static void print_line(weft_buf *b, const weft_program_line *l) {
    enum { MOST = 160 };
    if (!l->text.n) weft_buf_puts(b, "nothing more");
    else
        weft_buf_printf(b, "'%.*s%s'", (int)weft_min_i64((int64_t)l->text.n, MOST), l->text.p,
                        l->text.n > MOST ? " ..." : "");
    if (l->place.n) weft_buf_printf(b, " at %.*s", (int)l->place.n, l->place.p);
}

/* Rank `rank`'s program is not rank 0's: its processes compare theirs with rank 0's, those that have rank 0's compare
 * it with that. */
static weft_status say_differs(weft_client *c, const weft_load_options *opt, int rank, bool as_first) {
    weft_buf mine, what;
    weft_str first, other;
    weft_program_line a, b;
    weft_buf_init(&mine, &c->cx->alloc);
    weft_buf_init(&what, &c->cx->alloc);
    if (opt->print && opt->print(opt->user, &mine) != WEFT_OK) mine.n = 0;
    weft_status st = hear_from(c, 0, (weft_str){ mine.p, mine.n }, &first);
    if (st == WEFT_OK) st = hear_from(c, rank, (weft_str){ mine.p, mine.n }, &other);
    if (st != WEFT_OK || (opt->voices == WEFT_VOICES_ONE && c->devices[0].number != 0)) goto out;
    if (!as_first) other = (weft_str){ mine.p, mine.n }, rank = c->devices[0].number;
    if (!first.n || !other.n) {
        weft_buf_puts(&what, "");
    } else if (weft_programs_differ(&c->cx->alloc, first, other, &a, &b)) {
        weft_buf_puts(&what, ": rank 0 has ");
        print_line(&what, &a);
        weft_buf_printf(&what, ", rank %d has ", rank);
        print_line(&what, &b);
    } else {
        weft_buf_puts(&what, ", of the same text: for another kind of processor, or with other options");
    }
    if (first.n && other.n) {
        weft_program_line_end(&a);
        weft_program_line_end(&b);
    }
    (void)weft_report(c->cx, WEFT_D_peer, NULL, "rank %d compiled another program than rank 0%s", rank,
                      what.p && what.n ? what.p : "");
out:
    weft_buf_free(&mine);
    weft_buf_free(&what);
    return st == WEFT_OK ? WEFT_ERR_PEER : st;
}

/* Every process counts the same votes, so all come to the same end. */
weft_status weft_client_vote(weft_client *c, const weft_load_options *opt, weft_status prepared, uint64_t fingerprint,
                             bool *speaker) {
    const int size = weft_world_size(c->world), first = c->devices[0].number;
    const size_t bytes = (size_t)c->count * (size_t)size * sizeof(ballot);
    election e = { .mine = { prepared, prepared == WEFT_OK ? (int64_t)fingerprint : 0 } };
    weft_allocator *a = &c->cx->alloc;
    e.all = a->resize(a->user, NULL, 0, bytes);
    if (!e.all) weft_world_abort(c->world, "a process has no memory to load a program");
    weft_status st = e.all ? weft_client_do(c, vote, &e) : weft_oom();
    for (int r = 0; st == WEFT_OK && r < size; r++)
        if (e.all[r].status != WEFT_OK) {
            *speaker = r == first;
            st = say_failed(c, opt, r, (weft_status)e.all[r].status, prepared);
        }
    for (int r = 0; st == WEFT_OK && r < size; r++)
        if (e.all[r].fingerprint != e.all[0].fingerprint) {
            *speaker = first == 0;
            st = say_differs(c, opt, r, e.mine.fingerprint == e.all[0].fingerprint);
        }
    a->resize(a->user, e.all, e.all ? bytes : 0, 0);
    return st;
}

weft_status weft_client_agree(weft_client *c, weft_status mine, const char *why) {
    const weft_load_options opt = { .voices = WEFT_VOICES_EACH, .why = why };
    bool speaker;
    if (c->count == weft_world_size(c->world)) return mine;
    return weft_client_vote(c, &opt, mine, 0, &speaker);
}
