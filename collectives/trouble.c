/* trouble.c: the diagnostics of failed calls, and their source places. */
#include "collectives/flight.h"

#include <stdio.h>
#include <stdlib.h>

/* "file:line:col" as a location; any other text as a name. */
static const weft_loc *place_of(weft_context *cx, const weft_call_site *site) {
    if (!site || !site->place || !*site->place) return NULL;
    size_t n = strlen(site->place), colon[2], found = 0;
    for (size_t i = n; i-- > 0 && found < 2;)
        if (site->place[i] == ':') colon[found++] = i;
    if (found == 2 && colon[0] > colon[1]) {
        char *end;
        unsigned long column = strtoul(site->place + colon[0] + 1, &end, 10), line;
        if (end == site->place + n && end > site->place + colon[0] + 1) {
            line = strtoul(site->place + colon[1] + 1, &end, 10);
            weft_name file = weft_name_intern(cx, (weft_str){ site->place, colon[1] });
            if (end == site->place + colon[0] && file) return weft_loc_file(cx, file, (uint32_t)line, (uint32_t)column);
        }
    }
    weft_name name = weft_name_from(cx, site->place);
    return name ? weft_loc_named(cx, name, NULL) : NULL;
}

/* The progress thread must not touch a context that its rank may be using. */
static weft_status keep(weft_comm *c, weft_diag_class cls, const char *text) {
    weft_local_rank *r = c->rank_state;
    c->run->untold = 1;
    if (!r->late) {
        r->late = c->run;
        r->late_class = cls;
        snprintf(r->late_text, sizeof r->late_text, "%s", text);
    }
    return weft_diag_status(cls);
}

/* The number of the rank's call, and its size: ", call 12 of 4096 B". A call that has not begun gets the number after
 * the last. */
static void print_call(const weft_comm *c, const weft_run *r, char *out, size_t room) {
    /* Relaxed: this rank's own count. */
    uint64_t number = r->number ? r->number : atomic_load_explicit(&c->rank_note->calls, memory_order_relaxed) + 1;
    int n = snprintf(out, room, ", call %llu", (unsigned long long)number);
    if (r->job.n) snprintf(out + n, room - (size_t)n, " of %lld B", (long long)r->job.full_bytes);
}

static weft_status report(weft_comm *c, weft_diag_class cls, const char *text) {
    const weft_job *job = c->run ? &c->run->job : NULL;
    const weft_call_site *site = job ? job->site : NULL;
    const bool has_axes = site && site->axes && site->axes[0];
    char call[64] = "";
    if (c->rank_state->moved) return keep(c, cls, text);
    if (job && cls == WEFT_D_peer) print_call(c, c->run, call, sizeof call);
    pthread_mutex_lock(&c->world->lock);
    weft_status st =
        job ? weft_report(c->cx, cls, place_of(c->cx, site), "%s%s%s%s%s: %s", weft_coll_kind_name(job->kind),
                          has_axes ? " over \"" : "", has_axes ? site->axes : "", has_axes ? "\"" : "", call, text)
            : weft_report(c->cx, cls, NULL, "%s", text);
    pthread_mutex_unlock(&c->world->lock);
    return st;
}

weft_status weft_comm_fail(weft_comm *c, const char *fmt, ...) {
    char reason[WEFT_REASON_BYTES];
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(reason, sizeof reason, fmt, ap);
    va_end(ap);
    weft_node_fail(&c->world->node, reason);
    weft_node_reason(&c->world->node, reason); /* the first is kept */
    if (c->world->messages) c->world->messages->tell_failed(c->world, WEFT_HEARERS_KNOWN);
    weft_flight_failed(c->world);
    return report(c, WEFT_D_peer, reason);
}

weft_status weft_comm_failed(weft_comm *c) {
    char reason[WEFT_REASON_BYTES];
    weft_node_reason(&c->world->node, reason);
    /* The rank of this node that failed may know other nodes than this process. */
    if (c->world->messages) c->world->messages->tell_failed(c->world, WEFT_HEARERS_KNOWN);
    weft_flight_failed(c->world);
    return report(c, WEFT_D_peer, reason);
}

weft_status weft_comm_report(weft_comm *c, weft_diag_class cls, const char *fmt, ...) {
    char text[WEFT_REASON_BYTES];
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    return report(c, cls, text);
}

void weft_run_tell(weft_run *r) {
    weft_comm *c = r->comm;
    weft_local_rank *rank = c->rank_state;
    weft_run *under_way = c->run;
    if (!r->untold) return;
    r->untold = 0;
    c->run = r;
    if (rank->late == r) (void)report(c, rank->late_class, rank->late_text);
    else (void)weft_comm_failed(c); /* the world failed before: its reason is this rank's too */
    if (rank->late == r) rank->late = NULL;
    c->run = under_way;
}

void weft_note_print(weft_buf *b, const weft_call_note *note, const weft_site_note *site) {
    weft_buf_puts(b, weft_coll_kind_name(note->kind));
    if (site && site->axes[0]) weft_buf_printf(b, " over \"%s\"", site->axes);
    if (note->operands) {
        weft_buf_printf(b, " of %s%lld x %s", note->longest ? "blocks up to " : "", (long long)note->elems,
                        weft_dtype_of((weft_dtype)note->dtype)->name);
        if (note->operands > 1) weft_buf_printf(b, " and %d more", (int)note->operands - 1);
        if (note->kind >= WEFT_PLAN_COLL_COUNT) return;
        const weft_coll_info *k = &weft_coll_table[note->kind];
        if (k->adding == WEFT_COLL_ADDS)
            weft_buf_printf(b, " by %s", weft_reduction_name((weft_op_reduce)note->reduce));
        if (k->givers == WEFT_ENDS_ROOT) weft_buf_printf(b, " from %d", (int)note->source);
        if (k->takers == WEFT_ENDS_ROOT) weft_buf_printf(b, " to %d", (int)note->target);
    }
    if (site && site->place[0]) weft_buf_printf(b, " at %s", site->place);
}

static void print_note(weft_buf *b, int rank, const weft_call_note *note, const weft_site_note *site) {
    weft_buf_printf(b, "rank %d calls ", rank);
    weft_note_print(b, note, site);
}

weft_status weft_calls_differ(weft_comm *c, int other, const weft_call_note *theirs, const weft_site_note *their_site,
                              const weft_call_note *mine, const weft_site_note *my_site) {
    int me = c->members[c->rank], them = c->members[other];
    weft_buf high, low;
    weft_buf_init(&high, &c->world->alloc);
    weft_buf_init(&low, &c->world->alloc);
    /* All ranks that see the difference say the same: the lower rank comes last. */
    print_note(me > them ? &high : &low, me, mine, my_site);
    print_note(me > them ? &low : &high, them, theirs, their_site);
    const char *what = high.n ? strstr(high.p, " calls ") : NULL, *as = low.n ? strstr(low.p, " calls ") : NULL;
    int alike = what && as && !strcmp(what, as);
    weft_status st =
        weft_comm_fail(c, "%s where %s%s", high.n ? high.p : "a rank makes another call",
                       low.n ? low.p : "another one does",
                       alike ? ", in another shape, with other counts, or with other algorithms forced" : "");
    weft_buf_free(&low);
    weft_buf_free(&high);
    return st;
}

void weft_last_call_print(const weft_world *w, const weft_group_note *group, int rank, weft_buf *b) {
    const weft_rank_note *r = weft_node_rank(&w->node, w->node_rank_of[rank]);
    weft_flight last;
    /* Counts are relaxed: for the message only. The site is acquired: pairs with the release in begin_alone(), call.c,
     * so that its text can be read. */
    uint64_t calls = atomic_load_explicit(&r->calls, memory_order_relaxed),
             ended = atomic_load_explicit(&r->ended, memory_order_relaxed);
    weft_call_note note = { .kind = (uint16_t)atomic_load_explicit(&r->kind, memory_order_relaxed),
                            .site = atomic_load_explicit(&r->site, memory_order_acquire) };
    if (!calls) {
        weft_buf_puts(b, "no call so far");
        return;
    }
    weft_buf_printf(b, "%s its call %llu, ", calls == ended ? "after" : "in", (unsigned long long)calls);
    weft_note_print(b, &note, weft_site_at(&w->node, note.site));
    if (!weft_flight_read(&w->node, r, 0, &last)) return;
    if (last.kind != WEFT_PLAN_BARRIER) weft_buf_printf(b, " of %lld B", (long long)last.bytes);
    if (group && calls != ended && last.group != group->hash) weft_buf_puts(b, " in another group");
}

weft_status weft_process_ended(weft_comm *c, int rank) {
    weft_buf b;
    weft_buf_init(&b, &c->world->alloc);
    weft_last_call_print(c->world, c->group, rank, &b);
    weft_status st = weft_comm_fail(c, "the process of rank %d has ended (%s)", rank, b.n ? b.p : "");
    weft_buf_free(&b);
    return st;
}

uint64_t weft_site_key_of(const weft_call_site *site) {
    if (!site) return 0;
    if (site->id) return site->id;
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    const char *parts[] = { site->op, site->axes, site->place };
    for (size_t i = 0; i < WEFT_COUNT(parts); i++)
        for (const char *p = parts[i]; p && *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
    return h | 1;
}

static void copy_text(char *to, size_t room, const char *from) { snprintf(to, room, "%s", from ? from : ""); }

static bool sites_grow(weft_comm *c) {
    weft_local_rank *r = c->rank_state;
    weft_allocator *a = &c->world->alloc;
    size_t cap = r->site_cap ? 2 * r->site_cap : 64;
    weft_site_key *old = r->sites, *table = a->resize(a->user, NULL, 0, cap * sizeof *table);
    if (!table) return false;
    memset(table, 0, cap * sizeof *table);
    for (size_t i = 0; i < r->site_cap; i++) {
        if (!old[i].note) continue;
        size_t j = old[i].key * 0x9e3779b97f4a7c15u >> 20 & (cap - 1);
        while (table[j].note) j = (j + 1) & (cap - 1);
        table[j] = old[i];
    }
    a->resize(a->user, old, r->site_cap * sizeof *old, 0);
    r->sites = table;
    r->site_cap = cap;
    return true;
}

#define SITES_MAX 65536 /* texts kept per rank; a caller with ever new keys must not fill the machine, */

/* nor its node's pool, where groups need room too. */
static size_t sites_most(const weft_node *n) {
    size_t share = n->segment.size / 2 / (size_t)n->note->ranks / sizeof(weft_site_note);
    return share < SITES_MAX ? share : SITES_MAX;
}

uint64_t weft_site_of(weft_comm *c, const weft_call_site *site, uint64_t key) {
    if (!site) return 0;
    weft_local_rank *r = c->rank_state;
    if (2 * r->site_count >= r->site_cap && !sites_grow(c)) return 0;
    size_t i = key * 0x9e3779b97f4a7c15u >> 20 & (r->site_cap - 1);
    for (; r->sites[i].note; i = (i + 1) & (r->site_cap - 1))
        if (r->sites[i].key == key) return r->sites[i].note;
    uint64_t at =
        r->site_count < sites_most(&c->world->node) ? weft_node_alloc(&c->world->node, sizeof(weft_site_note)) : 0;
    if (!at) return 0;
    weft_site_note *text = weft_node_at(&c->world->node, at);
    copy_text(text->op, sizeof text->op, site->op);
    copy_text(text->axes, sizeof text->axes, site->axes);
    copy_text(text->place, sizeof text->place, site->place);
    r->sites[i] = (weft_site_key){ key, at };
    r->site_count++;
    return at;
}
