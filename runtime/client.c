/* client: the world of a process, and what is there for all its programs. */
#include "base/variables.h"
#include "collectives/stay.h"
#include "runtime/client_impl.h"
#include "runtime/device_threads.h"

enum { MOST_LOCAL = 4096 }; /* devices of a process, each a thread */

int weft_processes_share(weft_context *cx, const weft_processes *p, int64_t device_count) {
    if (device_count % p->processes == 0 && device_count / p->processes <= MOST_LOCAL)
        return (int)(device_count / p->processes);
    if (device_count % p->processes)
        (void)weft_report(cx, WEFT_D_usage, NULL,
                          "the program is for %lld devices, which %d processes cannot share evenly",
                          (long long)device_count, p->processes);
    else
        (void)weft_report(
            cx, WEFT_D_usage, NULL,
            "the program is for %lld devices, and a process runs at most %d: %lld processes or more can run it",
            (long long)device_count, MOST_LOCAL, (long long)((device_count + MOST_LOCAL - 1) / MOST_LOCAL));
    return 0;
}

static weft_status make_world(weft_client *c, int64_t devices) {
    weft_world_options o = { .local_ranks = 1, .timeout_s = c->processes.timeout_s,
                             .bind = c->processes.bind ? WEFT_BIND_CORES : WEFT_BIND_NONE };
    if (devices) o.local_ranks = weft_processes_share(c->cx, &c->processes, devices);
    if (o.local_ranks == 0) return WEFT_ERR_USAGE;
    c->world_cx = weft_context_new(&c->shared.alloc);
    if (!c->world_cx) return weft_oom();
    weft_status st = c->processes.process == 0 ? weft_variables_check(c->cx) : WEFT_OK;
    if (st == WEFT_OK) st = weft_processes_check(c->cx, &c->processes);
    if (st != WEFT_OK) return st;
    (void)weft_warning_silence(c->world_cx, WEFT_D_environment, true); /* which has just been told */
    st = weft_processes_world(c->world_cx, &c->processes, &o, &c->world);
    const weft_diag *d = weft_context_diag(c->world_cx, 0);
    if (st != WEFT_OK && d) weft_report(c->cx, weft_client_class(st), NULL, "%s", d->message);
    for (size_t i = 0; st == WEFT_OK && c->processes.process == 0 && (d = weft_context_diag(c->world_cx, i)); i++)
        if (d->severity == WEFT_WARNING) st = weft_report(c->cx, WEFT_D_fallback, NULL, "%s", d->message);
    return st;
}

int weft_client_rank_of(const weft_client *c, int64_t device) { return c->order ? c->order[device] : (int)device; }

int weft_client_index_of(const weft_client *c, int64_t device) {
    const int i = weft_client_rank_of(c, device) - weft_world_first(c->world);
    return i >= 0 && i < weft_world_local(c->world) ? i : -1;
}

/* The handle whose ranks are the devices' numbers. */
static weft_status join_devices(weft_client *c, weft_client_device *d, int rank) {
    weft_comm *ranks;
    weft_status st = weft_comm_world(d->cx, c->world, rank, c->order ? &ranks : &d->all);
    if (st != WEFT_OK || !c->order) return st;
    st = weft_comm_group(d->cx, ranks, c->order, weft_world_size(c->world), &d->all);
    weft_comm_free(ranks);
    return st;
}

static weft_status join_world(weft_client *c, weft_client_device *d, void *arg) {
    const int rank = weft_client_rank_of(c, d->number);
    (void)arg;
    weft_status st = join_devices(c, d, rank);
    if (st != WEFT_OK) return st;
    d->memory = c->heap ? weft_memory_heap(&c->shared.alloc) : weft_memory_host(d->all, &c->shared.alloc);
    if (c->is_lent) weft_world_stay(c->world, rank);
    return c->processes.bind ? weft_world_bind(c->world, rank) : WEFT_OK;
}

static weft_status leave_world(weft_client *c, weft_client_device *d, void *arg) {
    (void)arg, (void)c;
    weft_team_free(d->team);
    d->team = NULL;
    if (!d->all) return WEFT_OK;
    weft_memory_release(&d->memory, d->temp, d->temp_bytes);
    weft_memory_trim(&d->memory);
    weft_comm_free(d->all);
    d->all = NULL;
    return WEFT_OK;
}

weft_status weft_client_start(weft_context *cx, const weft_client_setup *opt, weft_client **out) {
    weft_client *c = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *c);
    if (!c) return weft_oom();
    *c = (weft_client){ .cx = cx, .processes = opt->processes, .world = opt->world, .is_lent = opt->world != NULL,
                        .heap = opt->heap, .host = opt->host };
    weft_arena_init(&c->arena, &cx->alloc);
    weft_locked_init(&c->shared, &cx->alloc);
    weft_device_threads_init(c);
    weft_status st = c->is_lent ? WEFT_OK : make_world(c, opt->devices);
    if (st == WEFT_OK && opt->order) {
        c->order = weft_arena_dup(&c->arena, opt->order, (size_t)weft_world_size(c->world) * sizeof *opt->order,
                                  _Alignof(int));
        if (!c->order) st = weft_oom();
    }
    if (st == WEFT_OK) st = weft_device_threads_start(c);
    if (st != WEFT_OK) weft_world_abort(c->world, "a process could not start"); /* the others may have */
    if (st == WEFT_OK) st = weft_client_do(c, join_world, NULL);
    if (st == WEFT_OK) *out = c;
    else weft_client_end(c);
    return st;
}

void weft_client_end(weft_client *c) {
    if (!c || weft_client_is_inherited(c)) return;
    weft_allocator alloc = c->cx->alloc;
    if (c->running) {
        weft_command leave = { .run = leave_world, .flags = WEFT_COMMAND_ALWAYS }; /* it talks to nobody */
        weft_client_submit(c, &leave);
        weft_client_drain(c);
    }
    weft_device_threads_stop(c);
    c->shared.alloc.resize(c->shared.alloc.user, c->cause.what, c->cause.what_bytes, 0);
    if (!c->is_lent) weft_world_free(c->world);
    weft_context_free(c->world_cx);
    weft_locked_end(&c->shared);
    alloc.resize(alloc.user, c->layouts, c->layout_cap * sizeof *c->layouts, 0);
    weft_arena_free(&c->arena);
    alloc.resize(alloc.user, c, sizeof *c, 0);
}

weft_context *weft_client_context(const weft_client *c) { return c->cx; }
weft_world *weft_client_world(const weft_client *c) { return c->world; }
int64_t weft_client_device_count(const weft_client *c) { return weft_world_size(c->world); }

void weft_client_set_front(weft_client *c, void *front) { c->front = front; }
void *weft_client_front(const weft_client *c) { return c->front; }

bool weft_client_is_inherited(const weft_client *c) { return c->world && weft_world_is_inherited(c->world); }

bool weft_client_is_broken(const weft_client *c) {
    weft_client *open = (weft_client *)c;
    pthread_mutex_lock(&open->lock);
    const bool broken = c->broken;
    pthread_mutex_unlock(&open->lock);
    return broken;
}

weft_status weft_client_fail(weft_client *c, const char *why) {
    pthread_mutex_lock(&c->lock);
    c->broken = c->cause.reported = true;
    pthread_mutex_unlock(&c->lock);
    for (weft_command *m = c->oldest; m; m = m->next) atomic_store(&m->stop, 1);
    weft_world_abort(c->world, why);
    return weft_report(c->cx, WEFT_D_peer, NULL, "%s", why);
}

/* In a group of its own, so that the programs' calls are counted without it. */
static weft_status meet(weft_client *c, weft_client_device *d, void *arg) {
    const int size = weft_world_size(c->world);
    const weft_call_site site = { "barrier", "", "end", 0 };
    weft_mark mark = weft_arena_mark(&d->cx->scratch);
    int *ranks = weft_scratch_array(d->cx, int, size);
    weft_comm *all;
    (void)arg;
    if (!ranks) return weft_oom();
    for (int r = 0; r < size; r++) ranks[r] = r;
    weft_status st = weft_comm_group(d->cx, d->all, ranks, size, &all);
    if (st == WEFT_OK) {
        st = weft_coll_barrier(all, &site);
        weft_comm_free(all);
    }
    weft_arena_reset(&d->cx->scratch, mark);
    return st;
}

weft_status weft_client_meet(weft_client *c) {
    return weft_world_local(c->world) == weft_world_size(c->world) ? WEFT_OK : weft_client_do(c, meet, NULL);
}

typedef struct numbers { const uint64_t *mine; size_t n; uint64_t *to; } numbers;

static weft_status tell_numbers(weft_client *c, weft_client_device *d, void *arg) {
    const numbers *w = arg;
    (void)c;
    const weft_coll_buf b = {
        .in = w->mine, .out = d->number == 0 ? w->to : NULL, .dtype = weft_coll_type("ui64"), .inner = (int64_t)w->n
    };
    const weft_call_site site = { "gather", "", "read", 0 };
    return weft_coll_gather(d->all, 0, &b, 1, &site);
}

weft_status weft_client_tell(weft_client *c, const uint64_t *mine, size_t n, uint64_t *to) {
    return weft_client_do(c, tell_numbers, &(numbers){ mine, n, to });
}

static weft_status do_nothing(weft_client *c, weft_client_device *d, void *arg) {
    (void)c, (void)d, (void)arg;
    return WEFT_OK;
}

/* A command takes what was released last. */
weft_client_memory weft_client_memory_used(weft_client *c) {
    weft_command m = { .run = do_nothing, .flags = WEFT_COMMAND_ALWAYS };
    weft_client_memory used = { 0 };
    if (c->garbage) weft_client_submit(c, &m);
    weft_client_drain(c);
    for (int i = 0; i < c->count; i++) {
        used.bytes = weft_max_i64(used.bytes, c->devices[i].memory.bytes);
        used.most = weft_max_i64(used.most, c->devices[i].memory.most);
    }
    return used;
}

int weft_client_uses(const weft_client *c, weft_coll_use *out, int room) {
    weft_client_drain((weft_client *)c);
    return c->count ? weft_comm_uses(c->devices[0].all, out, room) : 0;
}

/* What one program leaves there is nothing to another. */
weft_status weft_client_temp(weft_client_device *d, int64_t bytes) {
    if (d->temp && d->temp_bytes >= bytes) return WEFT_OK;
    weft_memory_release(&d->memory, d->temp, d->temp_bytes);
    d->temp_bytes = bytes;
    d->temp = weft_memory_allocate(&d->memory, bytes);
    if (!d->temp) d->temp_bytes = 0;
    return d->temp ? WEFT_OK : WEFT_ERR_MEMORY;
}

static weft_layout *copy_layout(weft_arena *a, const weft_layout *l) {
    weft_layout *copy = weft_arena_new(a, weft_layout);
    weft_layout_dim *dims = weft_arena_array(a, weft_layout_dim, l->rank);
    if (!copy || !dims) return NULL;
    *copy = *l;
    copy->dims = dims;
    for (uint32_t d = 0; d < l->rank; d++) {
        dims[d] = l->dims[d];
        dims[d].axes = weft_arena_dup(a, l->dims[d].axes, l->dims[d].axis_count * sizeof *l->dims[d].axes,
                                      _Alignof(weft_layout_axis));
        if (!dims[d].axes) return NULL;
    }
    copy->terms = weft_arena_dup(a, l->terms, l->term_axis_count * sizeof *l->terms, _Alignof(weft_layout_axis));
    if (!copy->terms) return NULL;
    if (!l->position) return copy;
    copy->position =
        weft_arena_dup(a, l->position, (size_t)l->device_count * sizeof *l->position, _Alignof(int64_t));
    return copy->position ? copy : NULL;
}

const weft_layout *weft_client_layout(weft_client *c, const weft_layout *l) {
    for (size_t i = 0; i < c->layout_count; i++)
        if (c->layouts[i] == l || weft_layout_equal(c->layouts[i], l)) return c->layouts[i];
    if (c->layout_count == c->layout_cap) {
        const size_t cap = c->layout_cap ? 2 * c->layout_cap : 16;
        const weft_layout **grown = c->cx->alloc.resize(c->cx->alloc.user, c->layouts,
                                                        c->layout_cap * sizeof *grown, cap * sizeof *grown);
        if (!grown) return NULL;
        c->layouts = grown;
        c->layout_cap = cap;
    }
    const weft_layout *copy = copy_layout(&c->arena, l);
    if (copy) c->layouts[c->layout_count++] = copy;
    return copy;
}
