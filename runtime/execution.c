/* execution: one run of a program: buffers in, buffers out, an event.
 *
 * The caller's thread checks the arguments, makes the results' buffers and puts a command at the end of the queue. Each
 * device then finds memory for its shards of the results, which is an argument's where that is donated, and walks the
 * program's steps.
 */
#include <stdio.h>
#include "collectives/stream.h"
#include "runtime/program_impl.h"

/* Copies of all kept arguments of a device that are more than this go around the caches: they would not be there when
 * the program reads them (19.4 GB/s, and 13.0 by memcpy, 256 MiB on an EPYC, of which a core has 16 MiB of cache). */
#define MOST_THROUGH_CACHES ((int64_t)32 << 20)

typedef struct execution {
    weft_command command;            /* first: the event is in it */
    weft_loaded_program *program;
    uint64_t number;
    weft_buffer **args, **results;
    bool *kept;                      /* per argument: not donated */
    void (*over)(void *user, const weft_outcome_of_execution *how);
    void *user;
    size_t bytes;                    /* of this block */
} execution;

/* What an execution takes of a device, all in all. */
static int64_t bytes_needed(const weft_executable *x) {
    int64_t bytes = x->temp_bytes;
    for (uint32_t i = 0; i < x->arg_count; i++) bytes += x->args[i].bytes;
    for (uint32_t i = 0; i < x->result_count; i++)
        if (x->results[i].alias < 0) bytes += x->results[i].bytes;
    return bytes;
}

weft_status weft_program_no_memory(const weft_loaded_program *p, weft_client_device *d) {
    (void)weft_report(
        d->cx, WEFT_D_system, NULL,
        "the memory that the devices of a machine share is used up: arguments, results and temporaries of one device take %lld bytes, "
        "and there was room for %lld",
        (long long)bytes_needed(p->exec), (long long)d->memory.bytes);
    return WEFT_ERR_MEMORY;
}

/* --- on the device's thread --- */

/* How the arguments that results would take, and that are kept, are copied. */
static weft_copy_way way_of_copies(const execution *e) {
    const weft_executable *x = e->program->exec;
    int64_t bytes = 0;
    for (uint32_t r = 0; r < x->result_count; r++)
        if (x->results[r].alias >= 0 && e->kept[x->results[r].alias]) bytes += e->results[r]->bytes;
    return bytes > MOST_THROUGH_CACHES ? WEFT_COPY_STREAMED : WEFT_COPY_CACHED;
}

/* A result in the memory of argument a: that itself, or where the argument is kept a copy, which the program then reads
 * as the argument. */
static weft_status take_argument(execution *e, weft_client_device *d, weft_device *run, uint32_t a, weft_copy_way way,
                                 weft_buffer *to) {
    weft_shard *from = &e->args[a]->shards[d->index];
    if (!e->kept[a]) {
        to->shards[d->index] = (weft_shard){ .at = from->at, .back = from->back, .owner = from->owner };
        from->at = NULL;
        from->back = NULL;
        return WEFT_OK;
    }
    weft_status st = weft_shard_allocate(d, to);
    if (st != WEFT_OK) return st;
    weft_copy_piece(to->shards[d->index].at, from->at, (size_t)to->bytes, way);
    run->args[a] = to->shards[d->index].at;
    return WEFT_OK;
}

static weft_status place_values(execution *e, weft_client_device *d, weft_device *run) {
    const weft_executable *x = e->program->exec;
    const weft_copy_way way = way_of_copies(e);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < x->arg_count; i++) run->args[i] = e->args[i]->shards[d->index].at;
    for (uint32_t r = 0; st == WEFT_OK && r < x->result_count; r++) {
        const int32_t a = x->results[r].alias;
        weft_buffer *to = e->results[r];
        st = a >= 0 ? take_argument(e, d, run, (uint32_t)a, way, to) : weft_shard_allocate(d, to);
        run->results[r] = to->shards[d->index].at;
    }
    weft_copy_end(way);
    if (st == WEFT_OK) st = weft_client_temp(d, x->temp_bytes);
    run->temp = d->temp;
    return st;
}

static bool has_failed_argument(const execution *e, const weft_client_device *d) {
    for (uint32_t i = 0; i < e->program->exec->arg_count; i++)
        if (e->args[i]->shards[d->index].failed) return true;
    return false;
}

/* The results of this device are nobody's to read, and the devices that run may stop; where peers would wait for this
 * one's part in collectives, it takes that part. */
static void fail(execution *e, weft_client_device *d, weft_device *run, bool has_memory) {
    const weft_executable *x = e->program->exec;
    atomic_store(&e->command.stop, 1);
    d->place = run->place;
    d->what = run->what;
    d->code = run->failure.code;
    for (uint32_t r = 0; r < x->result_count; r++) e->results[r]->shards[d->index].failed = true;
    d->alone = e->program->quiet || (has_memory && e->program->drains && weft_device_drain(run));
}

static weft_status run_program(weft_client *c, weft_client_device *d, void *arg) {
    execution *e = arg;
    weft_loaded_program *p = e->program;
    weft_device *run = &p->devices[d->index];
    (void)c;
    run->what = NULL;
    run->place = NULL;
    run->failure.code = 0;
    run->at = p->exec->step_count;
    run->execution = e->number;
    if (p->drains) run->stop = &e->command.stop;
    weft_status st = place_values(e, d, run);
    const bool has_memory = st == WEFT_OK;
    if (!has_memory) {
        st = weft_program_no_memory(p, d);
    } else if (has_failed_argument(e, d)) {
        run->what = "an argument has no data: the execution that was to make it failed";
        st = WEFT_ERR_INVALID;
    } else {
        st = weft_device_step(run);
    }
    if (st != WEFT_OK) fail(e, d, run, has_memory);
    for (uint32_t i = 0; i < p->exec->arg_count; i++)
        if (p->donors[i] && !e->kept[i]) weft_shard_release(d, e->args[i]);
    return st;
}

static weft_status reserve(weft_client *c, weft_client_device *d, void *arg) {
    const weft_loaded_program *p = arg;
    const weft_executable *x = p->exec;
    weft_mark mark = weft_arena_mark(&d->cx->scratch);
    const uint32_t n = x->arg_count + x->result_count;
    void **blocks = weft_scratch_array(d->cx, void *, n);
    weft_status st = blocks ? WEFT_OK : weft_oom();
    (void)c;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        const weft_exec_value *v = i < x->arg_count ? &x->args[i] : &x->results[i - x->arg_count];
        if (i >= x->arg_count && v->alias >= 0) continue;
        blocks[i] = weft_memory_allocate(&d->memory, v->bytes);
        if (!blocks[i]) st = weft_program_no_memory(p, d);
    }
    if (st == WEFT_OK && weft_client_temp(d, x->temp_bytes) != WEFT_OK) st = weft_program_no_memory(p, d);
    for (uint32_t i = blocks ? n : 0; i-- > 0;)
        weft_memory_release(&d->memory, blocks[i],
                            i < x->arg_count ? x->args[i].bytes : x->results[i - x->arg_count].bytes);
    weft_arena_reset(&d->cx->scratch, mark);
    return st;
}

weft_status weft_loaded_program_reserve(weft_loaded_program *p) { return weft_client_do(p->client, reserve, p); }

/* --- on the caller's --- */

static weft_status check_argument(const execution *e, uint32_t i) {
    const weft_loaded_program *p = e->program;
    const weft_buffer *b = e->args[i];
    char what[32];
    snprintf(what, sizeof what, "argument %u", i);
    weft_status st = weft_buffer_check(p->client, b, what);
    if (st != WEFT_OK || b->layout == p->args[i]) return st;
    const bool same = weft_layout_same_array(b->layout, p->args[i]);
    return weft_report(p->client->cx, WEFT_D_usage, NULL, "argument %u %s than the program expects", i,
                       same ? "lies otherwise on the devices" : "has another type or shape");
}

/* A buffer that is donated can be one argument only. */
static weft_status check_donations(const execution *e) {
    const weft_loaded_program *p = e->program;
    const uint32_t n = p->exec->arg_count;
    uint32_t twice = n;
    for (uint32_t i = 0; i < n && twice == n; i++) {
        if (!p->donors[i] || e->kept[i]) continue;
        if (e->args[i]->donated_by == e->number) twice = i;
        e->args[i]->donated_by = e->number;
    }
    for (uint32_t i = 0; i < n && twice == n; i++)
        if ((!p->donors[i] || e->kept[i]) && e->args[i]->donated_by == e->number) twice = i;
    if (twice == n) return WEFT_OK;
    return weft_report(p->client->cx, WEFT_D_usage, NULL,
                       "argument %u is a buffer that is donated as another argument, too", twice);
}

static weft_status check(const execution *e, const weft_execute_options *opt) {
    const weft_loaded_program *p = e->program;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; opt && i < opt->kept_count; i++) {
        if (opt->kept[i] >= p->exec->arg_count)
            return weft_report(p->client->cx, WEFT_D_usage, NULL,
                               "argument %u cannot be kept: the program has %u arguments", opt->kept[i],
                               p->exec->arg_count);
        e->kept[opt->kept[i]] = true;
    }
    for (uint32_t i = 0; st == WEFT_OK && i < p->exec->arg_count; i++) st = check_argument(e, i);
    return st == WEFT_OK ? check_donations(e) : st;
}

static void let_go(execution *e) {
    weft_event *done = &e->command.event;
    weft_allocator *a = &done->client->shared.alloc;
    if (--done->refs) return;
    a->resize(a->user, done->what, done->what_bytes, 0);
    a->resize(a->user, e, e->bytes, 0);
}

static void finish(weft_command *m) {
    execution *e = (execution *)m;
    for (uint32_t r = 0; m->event.status != WEFT_OK && r < e->program->exec->result_count; r++)
        if (e->results[r]->state == WEFT_BUFFER_LIVE) e->results[r]->state = WEFT_BUFFER_FAILED;
    let_go(e);
}

static void tell(weft_command *m) {
    const execution *e = (const execution *)m;
    const weft_event *how = &m->event;
    e->over(e->user, &(weft_outcome_of_execution){ how->status, how->rank, how->place, how->what, how->code });
}

static execution *new_execution(weft_loaded_program *p, weft_buffer *const *args) {
    const uint32_t n = p->exec->arg_count, m = p->exec->result_count;
    const size_t bytes = sizeof(execution) + (n + (size_t)m) * sizeof(weft_buffer *) + n * sizeof(bool);
    weft_client *c = p->client;
    execution *e = c->shared.alloc.resize(c->shared.alloc.user, NULL, 0, bytes);
    if (!e) return NULL;
    *e = (execution){ .program = p, .number = ++c->executions, .bytes = bytes };
    e->command.run = run_program;
    e->command.arg = e;
    e->command.finish = finish;
    e->command.event.refs = 1;
    e->command.event.client = c;
    e->args = (weft_buffer **)(e + 1);
    e->results = e->args + n;
    e->kept = (bool *)(e->results + m);
    for (uint32_t i = 0; i < n; i++) e->args[i] = args[i], e->kept[i] = false;
    for (uint32_t r = 0; r < m; r++) e->results[r] = NULL;
    return e;
}

/* No process has heard of the execution, but the others will begin it. */
static weft_status no_memory(weft_client *c) {
    if (c->count < weft_world_size(c->world)) weft_world_abort(c->world, "a process has no memory for an execution");
    return weft_oom();
}

weft_status weft_loaded_program_execute(weft_loaded_program *p, weft_buffer *const *args,
                                        const weft_execute_options *opt, weft_buffer **results, weft_event **done) {
    weft_client *c = p->client;
    const uint32_t n = p->exec->arg_count, m = p->exec->result_count;
    if (done) *done = NULL;
    weft_client_reap(c);
    if (weft_client_check(c) != WEFT_OK) return WEFT_ERR_PEER;
    execution *e = new_execution(p, args);
    if (!e) return no_memory(c);
    weft_status st = check(e, opt);
    for (uint32_t r = 0; st == WEFT_OK && r < m; r++)
        if (!(e->results[r] = weft_buffer_new(c, p->results[r]))) st = no_memory(c);
    if (st != WEFT_OK) {
        for (uint32_t r = 0; r < m && e->results[r]; r++) weft_buffer_free(e->results[r]);
        let_go(e);
        return st;
    }
    for (uint32_t i = 0; i < n; i++)
        if (p->donors[i] && !e->kept[i]) args[i]->state = WEFT_BUFFER_DONATED;
    for (uint32_t r = 0; r < m; r++) results[r] = e->results[r];
    p->executions++;
    e->command.event.refs++;
    if (opt && opt->here && (c->running == 1 || p->quiet)) e->command.flags |= WEFT_COMMAND_HERE;
    if (opt && opt->over) {
        e->over = opt->over;
        e->user = opt->user;
        e->command.tell = tell;
    }
    weft_client_submit(c, &e->command);
    if (done) {
        *done = &e->command.event;
        return WEFT_OK;
    }
    st = weft_event_wait(&e->command.event);
    weft_event_release(&e->command.event);
    for (uint32_t r = 0; st != WEFT_OK && r < m; r++) {
        weft_buffer_release(results[r]);
        results[r] = NULL;
    }
    return st;
}

void weft_event_release(weft_event *e) {
    if (e) let_go((execution *)((char *)e - offsetof(weft_command, event)));
}
