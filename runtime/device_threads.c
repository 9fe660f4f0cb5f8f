/* device_threads: the queue of commands, and the threads that take them.
 *
 * A device's thread sleeps where there is no command for it. Each device has a pointer to its next command; so a device
 * may be commands ahead of another, and a device at the end of the queue reads NULL. The last device to do a command
 * marks it as done and does not touch it again: from then on it is the caller's, which may have it on the stack.
 */
#include <errno.h>
#include <time.h>
#include "collectives/watch.h"
#include "runtime/device_threads.h"

enum {
    WATCH_NS = 100000000, /* between two looks at the peers' processes: seldom enough to cost nothing */
    MOST_UNDER_WAY = 64   /* commands: what they hold is bounded, and no device is ever out of work for it */
};

/* Why d's command failed: its words, or the last diagnostic of its context that came with it. */
static const char *reason(const weft_client_device *d, weft_status st) {
    const size_t n = weft_context_diag_count(d->cx);
    return d->what ? d->what : n > d->said ? weft_context_diag(d->cx, n - 1)->message : weft_status_name(st);
}

/* The other ranks hear who failed, where and why. */
static void tell_failure(weft_client *c, const weft_client_device *d, weft_status st) {
    weft_buf text;
    weft_buf_init(&text, &c->shared.alloc);
    weft_buf_printf(&text, "device %d failed", d->number);
    if (d->place) weft_buf_puts(&text, " at "), weft_loc_print(&text, d->place);
    weft_buf_printf(&text, ": %s", reason(d, st));
    weft_world_abort(c->world, text.failed ? reason(d, st) : text.p);
    weft_buf_free(&text);
}

static void release_garbage(weft_client_device *d, weft_buffer *b) {
    for (; b; b = b->next) weft_shard_release(d, b);
}

static weft_status run_command(weft_client *c, weft_client_device *d, weft_command *m, bool broken) {
    d->what = NULL;
    d->said = weft_context_diag_count(d->cx);
    d->place = NULL;
    d->code = 0;
    d->alone = false;
    release_garbage(d, m->garbage);
    if (broken && !(m->flags & WEFT_COMMAND_ALWAYS)) return WEFT_ERR_PEER;
    weft_status st = m->run(c, d, m->arg);
    if (st != WEFT_OK && st != WEFT_ERR_PEER && !d->alone) tell_failure(c, d, st);
    return st;
}

static void set_cause(weft_client *c, weft_event *e, weft_status st, int rank, const weft_loc *place,
                      const char *what, int code) {
    weft_allocator *a = &c->shared.alloc;
    a->resize(a->user, e->what, e->what_bytes, 0);
    e->what_bytes = strlen(what) + 1;
    e->what = a->resize(a->user, NULL, 0, e->what_bytes);
    if (e->what) memcpy(e->what, what, e->what_bytes);
    else e->what_bytes = 0;
    e->status = st;
    e->rank = rank;
    e->place = place;
    e->code = code;
}

/* A device's own failure comes before one that a peer caused, then the lower rank. Under the lock. */
static void note_failure(weft_client *c, weft_event *e, const weft_client_device *d, weft_status st) {
    const bool caused = st == WEFT_ERR_PEER, has_cause = e->status == WEFT_ERR_PEER;
    if (e->status != WEFT_OK && (caused != has_cause ? caused : d->number > e->rank)) return;
    set_cause(c, e, st, d->number, d->place, reason(d, st), d->code);
}

/* A command that was not run for what had failed before. Under the lock. */
static void note_skipped(weft_client *c, weft_event *e) {
    const weft_event *why = &c->cause;
    if (e->status == WEFT_OK && why->status != WEFT_OK)
        set_cause(c, e, why->status, why->rank, why->place, why->what ? why->what : weft_status_name(why->status),
                  why->code);
    if (e->status == WEFT_OK) e->status = WEFT_ERR_PEER;
}

/* Does the device's next command; under the lock, which is not held while the command runs. */
static void take(weft_client *c, weft_client_device *d) {
    weft_command *m = d->next;
    const bool broken = c->broken;
    pthread_mutex_unlock(&c->lock);
    weft_status st = run_command(c, d, m, broken);
    pthread_mutex_lock(&c->lock);
    if (st != WEFT_OK && broken) note_skipped(c, &m->event);
    else if (st != WEFT_OK) note_failure(c, &m->event, d, st);
    if (st != WEFT_OK && !d->alone) {
        c->broken = m->event.breaks = true;
        if (!broken) note_failure(c, &c->cause, d, st);
    }
    if (m->left == 1 && m->tell) {
        pthread_mutex_unlock(&c->lock);
        m->tell(m);
        pthread_mutex_lock(&c->lock);
    }
    d->next = m->next;
    if (--m->left) return;
    m->event.done = true;
    pthread_cond_signal(&c->done);
}

static void *device_main(void *p) {
    weft_client_device *d = p;
    weft_client *c = d->client;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while ((!d->next || d->is_caller) && !c->quit) pthread_cond_wait(&c->work, &c->lock);
        if (!d->next) break;
        take(c, d);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* --- the caller's side --- */

/* Devices that compute, perhaps in a loop without an end, do not look at their peers: the thread that waits for them
 * does. */
static void await(weft_client *c, const weft_event *e) {
    struct timespec next;
    pthread_mutex_lock(&c->lock);
    while (!e->done) {
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_nsec += WATCH_NS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&c->done, &c->lock, &next) != ETIMEDOUT) continue;
        pthread_mutex_unlock(&c->lock);
        weft_world_watch(c->world);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

static bool is_done(weft_client *c, const weft_event *e) {
    pthread_mutex_lock(&c->lock);
    const bool done = e->done;
    pthread_mutex_unlock(&c->lock);
    return done;
}

static void finish_oldest(weft_client *c) {
    weft_command *m = c->oldest;
    c->oldest = m->next;
    if (!c->oldest) c->newest = NULL;
    c->under_way--;
    for (weft_buffer *b = m->garbage, *next; b; b = next) {
        next = b->next;
        weft_buffer_free(b);
    }
    m->garbage = NULL;
    if (m->finish) m->finish(m);
}

void weft_client_reap(weft_client *c) {
    while (c->oldest && is_done(c, &c->oldest->event)) finish_oldest(c);
}

void weft_client_drain(weft_client *c) {
    while (c->oldest) {
        await(c, &c->oldest->event);
        finish_oldest(c);
    }
}

/* The one command there is. Under the lock. */
static void run_here(weft_client *c) {
    for (int i = 0; i < c->running; i++) c->devices[i].is_caller = true;
    for (int i = 0; i < c->running; i++) take(c, &c->devices[i]);
    for (int i = 0; i < c->running; i++) c->devices[i].is_caller = false;
}

void weft_client_submit(weft_client *c, weft_command *m) {
    while (c->under_way >= MOST_UNDER_WAY) {
        await(c, &c->oldest->event);
        finish_oldest(c);
    }
    m->event.client = c;
    m->garbage = c->garbage;
    m->left = c->running;
    c->garbage = NULL;
    c->under_way++;
    pthread_mutex_lock(&c->lock);
    if (c->newest) c->newest->next = m;
    else c->oldest = m;
    c->newest = m;
    bool here = m->flags & WEFT_COMMAND_HERE;
    for (int i = 0; i < c->running; i++) here = here && !c->devices[i].next;
    for (int i = 0; i < c->running; i++)
        if (!c->devices[i].next) c->devices[i].next = m;
    if (here) run_here(c);
    else pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
}

weft_diag_class weft_client_class(weft_status st) {
    switch (st) {
    case WEFT_ERR_UNSUPPORTED: return WEFT_D_unsupported;
    case WEFT_ERR_USAGE: return WEFT_D_usage;
    case WEFT_ERR_IO:
    case WEFT_ERR_MEMORY: return WEFT_D_system;
    case WEFT_ERR_PEER: return WEFT_D_peer;
    case WEFT_ERR_INVALID: return WEFT_D_verify;
    case WEFT_ERR_MISMATCH: return WEFT_D_differ;
    default: return WEFT_D_internal;
    }
}

static weft_status report_failure(weft_client *c, weft_event *e) {
    const char *what = e->what ? e->what : weft_status_name(e->status);
    if (e->status == WEFT_OK || e->reported) return e->status;
    e->reported = true;
    if (e->breaks) c->cause.reported = true;
    if (weft_world_size(c->world) == 1) weft_report(c->cx, weft_client_class(e->status), e->place, "%s", what);
    else weft_report(c->cx, weft_client_class(e->status), e->place, "device %d: %s", e->rank, what);
    return e->status;
}

weft_status weft_client_check(weft_client *c) {
    if (!weft_client_is_broken(c)) return WEFT_OK;
    (void)report_failure(c, &c->cause); /* of an execution that nobody waited for */
    return WEFT_ERR_PEER;
}

weft_status weft_client_do(weft_client *c, weft_command_fn *run, void *arg) {
    weft_command m = { .run = run, .arg = arg };
    if (weft_client_check(c) != WEFT_OK) return WEFT_ERR_PEER;
    weft_client_submit(c, &m);
    weft_client_drain(c);
    weft_status st = report_failure(c, &m.event);
    c->shared.alloc.resize(c->shared.alloc.user, m.event.what, m.event.what_bytes, 0);
    return st;
}

weft_status weft_event_wait(weft_event *e) {
    weft_client *c = e->client;
    await(c, e);
    weft_client_reap(c);
    return report_failure(c, e);
}

bool weft_event_is_done(weft_event *e) { return is_done(e->client, e); }

/* --- threads --- */

void weft_device_threads_init(weft_client *c) {
    pthread_condattr_t steady;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&c->done, &steady);
    pthread_condattr_destroy(&steady);
}

weft_status weft_device_threads_start(weft_client *c) {
    c->count = weft_world_local(c->world);
    c->devices = weft_arena_array(&c->arena, weft_client_device, c->count);
    if (!c->devices) {
        c->count = 0;
        return weft_oom();
    }
    for (int i = 0; i < c->count; i++) {
        c->devices[i] = (weft_client_device){ .client = c, .index = i };
        c->devices[i].cx = weft_context_new(&c->shared.alloc);
        if (!c->devices[i].cx) return weft_oom();
    }
    for (int n = 0; n < weft_world_size(c->world); n++) {
        const int i = weft_client_index_of(c, n);
        if (i >= 0) c->devices[i].number = n;
    }
    for (int i = 0; i < c->count; i++) {
        int err = pthread_create(&c->devices[i].thread, NULL, device_main, &c->devices[i]);
        if (err)
            return weft_report(c->cx, WEFT_D_system, NULL, "a thread for device %d cannot be made: %s",
                               c->devices[i].number, strerror(err));
        c->running++;
    }
    return WEFT_OK;
}

void weft_device_threads_stop(weft_client *c) {
    pthread_mutex_lock(&c->lock);
    c->quit = true;
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->running; i++) pthread_join(c->devices[i].thread, NULL);
    for (int i = 0; i < c->count; i++) weft_context_free(c->devices[i].cx);
    pthread_cond_destroy(&c->done);
    pthread_cond_destroy(&c->work);
    pthread_mutex_destroy(&c->lock);
}
