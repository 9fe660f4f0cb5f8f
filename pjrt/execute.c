/* execute: one run of a program on its devices.
 *
 * An argument is a buffer per device. Where these are the shards of one array of the program's crew that lies as the
 * program wants, it is that array. Any other memory is lent to the crew as an array, once its data is there; a buffer
 * remembers the array for the next run. An argument that the program would take the memory of is kept, and copied,
 * where anybody else may read that memory: the framework (external), another buffer, a copy or a run under way. The
 * caller has given up the buffer of every argument that the program donates, whatever became of its memory.
 */
#include <stdlib.h>
#include "pjrt/impl.h"

/* An argument on one device while a run is prepared. */
typedef struct held {
    pjrt_buffer *buffer;
    pjrt_storage *storage;           /* a reference */
    pjrt_storage *lent;              /* or NULL; a reference */
} held;

typedef struct run {
    pjrt_loaded *loaded;
    uint32_t args, results;
    int devices;
    pjrt_buffer *const *const *given; /* [device][argument] */
    held *held;                      /* [argument][device] */
    weft_buffer **in, **out;
    uint32_t *kept, kept_count;
    bool *lent, *donated;            /* per argument; lent: the array that it was lent as */
    bool begun;                      /* the runtime has the arguments, the caller's lists have results */
    pjrt_event *done;
    void *block;
} run;

/* --- arguments --- */

static pjrt_error *check_argument(const run *r, uint32_t i, int d) {
    const pjrt_buffer *b = r->given[d] ? r->given[d][i] : NULL;
    const weft_exec_value *v = &r->loaded->executable->exec->args[i];
    if (!b) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "argument %u is NULL", i);
    if (b->memory->device != r->loaded->devices[d])
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "argument %u is on %s; the program runs on %s there", i,
                              b->memory->device->description.name, r->loaded->devices[d]->description.name);
    bool same = b->dtype == v->dtype && b->rank == v->rank;
    for (uint32_t k = 0; same && k < b->rank; k++) same = b->dims[k] == v->dims[k];
    if (same || (r->loaded->executable->tokens[i] && b->dtype == WEFT_I1)) return NULL;
    weft_buf text;
    weft_host_array has = { .dtype = b->dtype, .rank = b->rank }, wants = { .dtype = v->dtype, .rank = v->rank };
    for (uint32_t k = 0; k < has.rank; k++) has.dims[k] = b->dims[k];
    for (uint32_t k = 0; k < wants.rank && k < WEFT_HOST_ARRAY_MAX_RANK; k++) wants.dims[k] = v->dims[k];
    weft_buf_init(&text, &pjrt_heap);
    weft_host_array_type_print(&text, &has);
    weft_buf_puts(&text, ", the program takes ");
    weft_host_array_type_print(&text, &wants);
    pjrt_error *e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "argument %u is %s", i, text.p ? text.p : "of another type");
    weft_buf_free(&text);
    return e;
}

static pjrt_error *hold(run *r, uint32_t i, int d) {
    held *h = &r->held[i * (uint32_t)r->devices + (uint32_t)d];
    pjrt_error *e = check_argument(r, i, d);
    if (e) return e;
    pjrt_buffer *b = r->given[d][i];
    if (pjrt_event_is_done(b->ready) && (e = pjrt_error_copy(pjrt_event_wait(b->ready)))) return e;
    pthread_mutex_lock(&b->lock);
    if (b->state == PJRT_BUFFER_LIVE && b->storage) {
        h->buffer = b;
        h->storage = pjrt_storage_retain(b->storage);
        if (b->lent) h->lent = pjrt_storage_retain(b->lent);
    }
    pthread_mutex_unlock(&b->lock);
    if (h->storage) return NULL;
    return pjrt_error_new(PJRT_INVALID_ARGUMENT, "Buffer has been deleted or donated: argument %u of the execution", i);
}

static void let_go(run *r) {
    for (uint32_t i = 0; i < r->args * (uint32_t)r->devices; i++) {
        pjrt_storage_release(r->held[i].lent);
        pjrt_storage_release(r->held[i].storage);
    }
}

static bool is_shard(const run *r, const pjrt_storage *s, const weft_buffer *whole, int d) {
    return s && s->whole && s->whole == whole && s->crew == r->loaded->crew && s->index == d;
}

/* The array that all devices' parts of argument i are of, if it lies as the program wants. */
static weft_buffer *array_of(const run *r, uint32_t i, bool lent) {
    const held *h = &r->held[i * (uint32_t)r->devices];
    const pjrt_storage *first = lent ? h->lent : h->storage;
    if (!first || !first->whole || first->crew != r->loaded->crew) return NULL;
    for (int d = 0; d < r->devices; d++)
        if (!is_shard(r, lent ? h[d].lent : h[d].storage, first->whole, d)) return NULL;
    const bool lies = weft_buffer_layout(first->whole) == weft_loaded_program_argument(r->loaded->program, i);
    return lies ? first->whole : NULL;
}

static pjrt_error *wait_for(const run *r, uint32_t i) {
    for (int d = 0; d < r->devices; d++) {
        const pjrt_error *failed = pjrt_event_wait(r->held[i * (uint32_t)r->devices + (uint32_t)d].buffer->ready);
        if (failed) return pjrt_error_copy(failed);
    }
    return NULL;
}

/* Under the crew's lock: argument i's memory as an array of the crew. */
static pjrt_error *lend(run *r, uint32_t i) {
    held *h = &r->held[i * (uint32_t)r->devices];
    weft_lent_shard *shards = malloc((size_t)r->devices * sizeof *shards);
    weft_buffer *whole;
    if (!shards) return pjrt_no_memory();
    for (int d = 0; d < r->devices; d++)
        shards[d] = (weft_lent_shard){ pjrt_storage_at(h[d].storage), pjrt_storage_back,
                                       pjrt_storage_retain(h[d].storage) };
    const weft_status st = weft_buffer_lend(r->loaded->crew->runtime,
                                            weft_loaded_program_argument(r->loaded->program, i), shards, &whole);
    for (int d = 0; st != WEFT_OK && d < r->devices; d++) pjrt_storage_back(h[d].storage);
    free(shards);
    if (st != WEFT_OK) return pjrt_error_of(r->loaded->crew->cx, st);
    pjrt_error *e = NULL;
    for (int d = 0; d < r->devices; d++) {
        pjrt_storage *s = pjrt_storage_of_shard(r->loaded->crew, weft_buffer_retain(whole), d, NULL, 0);
        pjrt_storage *before = h[d].lent;
        if (!s) e = pjrt_no_memory();
        h[d].lent = s;
        if (before) pjrt_storage_back(before);
        if (!s) continue;
        pthread_mutex_lock(&h[d].buffer->lock);
        before = h[d].buffer->lent;
        h[d].buffer->lent = h[d].buffer->state == PJRT_BUFFER_LIVE ? pjrt_storage_retain(s) : NULL;
        pthread_mutex_unlock(&h[d].buffer->lock);
        if (before) pjrt_storage_back(before);
    }
    r->in[i] = whole;
    weft_buffer_release(whole); /* the storages have it */
    return e;
}

/* Marks h's buffer, if nobody else reads its memory: under the lock by which a reader begins. */
static bool donate(const held *h, bool lent) {
    pjrt_buffer *b = h->buffer;
    pthread_mutex_lock(&b->lock);
    /* the buffer's and the run's; lent: the array's too, which the buffer and the run refer to */
    const bool alone = b->state == PJRT_BUFFER_LIVE && b->storage == h->storage && !b->external &&
                       !h->storage->is_foreign && b->lent == h->lent &&
                       atomic_load(&h->storage->refs) == (lent ? 3 : 2) && (lent || !h->lent) &&
                       (!lent || atomic_load(&h->lent->refs) == 2);
    if (alone) b->state = PJRT_BUFFER_DONATED;
    pthread_mutex_unlock(&b->lock);
    return alone;
}

/* Argument i's memory is the program's to take on all devices, or on none. */
static bool donate_all(const run *r, uint32_t i) {
    const held *h = &r->held[i * (uint32_t)r->devices];
    int n = 0;
    while (n < r->devices && donate(&h[n], r->lent[i])) n++;
    if (n == r->devices) return true;
    while (n > 0) pjrt_buffer_keep(h[--n].buffer);
    return false;
}

static bool is_listed(const pjrt_execute_options *o, uint32_t i) {
    if (!o || !o->non_donatable_input_indices) return false;
    for (size_t k = 0; k < o->num_non_donatable_input_indices; k++)
        if (o->non_donatable_input_indices[k] == i) return true;
    return false;
}

/* The arrays of arguments that are arrays of the crew; other memory is waited for. */
static pjrt_error *find_arrays(run *r) {
    pjrt_error *e = NULL;
    for (uint32_t i = 0; i < r->args && !e; i++) {
        r->in[i] = array_of(r, i, false);
        r->lent[i] = !r->in[i];
        if (!r->in[i]) r->in[i] = array_of(r, i, true);
        if (!r->in[i]) e = wait_for(r, i);
    }
    return e;
}

/* A buffer that is given up cannot be another argument, too. */
static pjrt_error *check_once(const run *r, uint32_t i) {
    for (uint32_t k = 0; k < r->args; k++)
        if (k != i && r->devices && r->given[0][k] == r->given[0][i])
            return pjrt_error_new(PJRT_INVALID_ARGUMENT, "argument %u is donated, and argument %u is the same buffer",
                                  i, k);
    return NULL;
}

/* Under the crew's lock. */
static pjrt_error *take_arguments(run *r, const pjrt_execute_options *o) {
    pjrt_error *e = NULL;
    for (uint32_t i = 0; i < r->args && !e; i++) {
        if (!r->in[i]) e = lend(r, i);
        if (e || !weft_loaded_program_donates(r->loaded->program, i)) continue;
        r->donated[i] = !is_listed(o, i) && donate_all(r, i);
        if (!r->donated[i]) r->kept[r->kept_count++] = i;
        if (!r->donated[i] && !is_listed(o, i)) e = check_once(r, i);
    }
    return e;
}

/* --- results --- */

/* The crew and the event of one execution, for its end. */
typedef struct ending { pjrt_crew *crew; pjrt_event *done; pjrt_python_calls *calls; } ending;

static void over(void *user, const weft_outcome_of_execution *how) {
    const ending end = *(ending *)user;
    pjrt_error *e = NULL;
    free(user);
    if (how->status != WEFT_OK) {
        weft_buf text;
        weft_buf_init(&text, &pjrt_heap);
        weft_buf_puts(&text, how->what ? how->what : weft_status_name(how->status));
        if (how->place) weft_buf_puts(&text, " at "), weft_loc_print(&text, how->place);
        const pjrt_code code = how->code ? (pjrt_code)how->code : pjrt_code_of(how->status);
        e = pjrt_error_new(code, "device %d: %s", how->device,
                           text.p ? text.p : weft_status_name(how->status));
        weft_buf_free(&text);
    }
    pjrt_event_end(end.done, e);
    pjrt_event_release(end.done);
    if (end.calls) atomic_fetch_sub(&end.calls->under_way, 1);
    /* Last: what the event called may have let go of the program, and to free it here is to wait for this thread. */
    atomic_fetch_sub(&end.crew->under_way, 1);
}

/* Buffers of the results, NULL where memory is out; a result's reference goes to them. Under the crew's lock. */
static pjrt_error *give_results(run *r, pjrt_buffer **const *lists) {
    const pjrt_executable *x = r->loaded->executable;
    pjrt_error *e = NULL;
    for (uint32_t k = 0; k < r->results; k++) {
        const weft_exec_value *v = &x->exec->results[k];
        for (int d = 0; d < r->devices; d++) {
            pjrt_memory *m = &r->loaded->devices[d]->memories[x->output_kinds[k]];
            weft_buffer *whole = d + 1 < r->devices ? weft_buffer_retain(r->out[k]) : r->out[k];
            pjrt_storage *s = pjrt_storage_of_shard(r->loaded->crew, whole, d, m->device, v->bytes);
            lists[d][k] = pjrt_buffer_new(m, v->dtype, v->rank, v->dims, s, pjrt_event_retain(r->done));
            if (!lists[d][k]) e = pjrt_no_memory();
        }
    }
    return e;
}

static void free_results(const run *r, pjrt_buffer **const *lists) {
    for (uint32_t k = 0; k < r->results; k++)
        for (int d = 0; d < r->devices; d++) {
            pjrt_buffer_free(lists[d][k]);
            lists[d][k] = NULL;
        }
}

/* --- the run --- */

static pjrt_error *allocate(run *r) {
    const size_t n = r->args, m = r->results;
    const size_t held_bytes = n * (size_t)r->devices * sizeof(held);
    char *p = calloc(1, held_bytes + (n + m) * sizeof(weft_buffer *) + n * (sizeof(uint32_t) + 2 * sizeof(bool)) + 1);
    if (!p) return pjrt_no_memory();
    r->block = p;
    r->held = (held *)p;
    r->in = (weft_buffer **)(p + held_bytes);
    r->out = r->in + n;
    r->kept = (uint32_t *)(r->out + m);
    r->lent = (bool *)(r->kept + n);
    r->donated = r->lent + n;
    return NULL;
}

/* Counts an execution that calls the interpreter, which may be at its end. */
static pjrt_error *announce(pjrt_python_calls *calls) {
    if (!calls) return NULL;
    atomic_fetch_add(&calls->under_way, 1);
    if (!atomic_load(&calls->ending)) return NULL;
    atomic_fetch_sub(&calls->under_way, 1);
    return pjrt_error_new(PJRT_FAILED_PRECONDITION, "Python ends, and the program would call back into it");
}

static pjrt_error *run_program(run *r, const pjrt_execute_options *o, pjrt_buffer **const *lists) {
    pjrt_crew *crew = r->loaded->crew;
    pjrt_python_calls *calls = r->loaded->calls_back ? crew->client->calls : NULL;
    weft_event *done;
    pjrt_error *e = announce(calls);
    if (e) return e;
    e = take_arguments(r, o);
    ending *end = e ? NULL : malloc(sizeof *end);
    if (!end) {
        if (calls) atomic_fetch_sub(&calls->under_way, 1);
        return e ? e : pjrt_no_memory();
    }
    *end = (ending){ crew, pjrt_event_retain(r->done), calls };
    atomic_fetch_add(&crew->under_way, 1);
    const weft_execute_options how = { .kept = r->kept, .kept_count = r->kept_count,
                                       .here = r->loaded->executable->quick, .over = over,
                                       .user = end };
    const weft_status st = weft_loaded_program_execute(r->loaded->program, r->in, &how, r->out, &done);
    if (st != WEFT_OK) {
        atomic_fetch_sub(&crew->under_way, 1);
        if (calls) atomic_fetch_sub(&calls->under_way, 1);
        pjrt_event_release(r->done);
        free(end);
        return pjrt_error_of(crew->cx, st);
    }
    r->begun = true;
    weft_event_release(done);
    if (pjrt_event_is_done(r->done) && !pjrt_event_wait(r->done)) {
        pjrt_event_release(r->done);
        r->done = pjrt_event_ready();
    }
    return give_results(r, lists);
}

static pjrt_error *execute(run *r, const pjrt_execute_options *o, pjrt_buffer **const *lists) {
    pjrt_error *e = allocate(r);
    if (!e && !(r->done = pjrt_event_new())) e = pjrt_no_memory();
    for (uint32_t i = 0; i < r->args && !e; i++)
        for (int d = 0; d < r->devices && !e; d++) e = hold(r, i, d);
    if (!e) e = find_arrays(r);
    if (!e) {
        pjrt_crew_lock(r->loaded->crew);
        e = run_program(r, o, lists);
        pjrt_crew_unlock(r->loaded->crew);
    }
    for (uint32_t i = 0; r->donated && i < r->args; i++) {
        const bool given_up = r->begun && r->loaded->executable->donors[i] && !is_listed(o, i);
        for (int d = 0; (given_up || r->donated[i]) && d < r->devices; d++)
            (r->begun ? pjrt_buffer_donate : pjrt_buffer_keep)(r->given[d][i]);
    }
    if (e && r->begun) free_results(r, lists);
    if (r->held) let_go(r);
    free(r->block);
    pjrt_client_tell(r->loaded->client);
    return e;
}

static pjrt_error *check_call(const pjrt_LoadedExecutable_Execute_args *a) {
    const pjrt_loaded *l = a->executable;
    const weft_executable *x = l->executable->exec;
    if (atomic_load(&l->deleted)) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the program was deleted");
    if (a->options && (a->options->num_send_ops || a->options->num_recv_ops))
        return pjrt_error_new(PJRT_UNIMPLEMENTED, "Weft calls no send or recv callbacks of the host");
    if (a->num_devices != (size_t)l->crew->local)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the program is for %d devices%s, not for %zu", l->crew->local,
                              l->crew->local < l->crew->count ? " of this process" : "", a->num_devices);
    if (a->num_args != x->arg_count)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the program takes %u arguments, not %zu", x->arg_count,
                              a->num_args);
    bool whole = (!a->num_args || a->argument_lists) && (!x->result_count || a->output_lists);
    for (size_t d = 0; whole && d < a->num_devices; d++)
        whole = (!a->num_args || a->argument_lists[d]) && (!x->result_count || a->output_lists[d]);
    return whole ? NULL : pjrt_error_new(PJRT_INVALID_ARGUMENT, "a list of arguments or results is NULL");
}

/* A portable program on a device that is not its own, and one that a callback runs while the program that called it has
 * its devices. */
static pjrt_error *on_device(pjrt_loaded *l, pjrt_device *d, pjrt_loaded **out) {
    const bool elsewhere = d && l->crew->count == 1 && l->devices[0] != d;
    *out = l;
    if (elsewhere && (d->client != l->client || d->local < 0))
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the device to run on is not of the program's client");
    if (!elsewhere && !pjrt_crew_awaits_me(l->crew)) return NULL;
    return pjrt_load_again(l, elsewhere ? &d->description.id : l->crew->devices, out);
}

pjrt_error *pjrt_LoadedExecutable_Execute(pjrt_LoadedExecutable_Execute_args *a) {
    if (!a->num_devices && !a->executable->crew->local) return NULL;
    pjrt_error *e = check_call(a);
    run r = { .args = (uint32_t)a->num_args, .devices = (int)a->num_devices, .given = a->argument_lists };
    if (!e) e = on_device(a->executable, a->execute_device, &r.loaded);
    if (e) return e;
    r.results = r.loaded->executable->exec->result_count;
    e = execute(&r, a->options, a->output_lists);
    for (size_t d = 0; !e && a->device_complete_events && d < a->num_devices; d++)
        a->device_complete_events[d] = pjrt_event_retain(r.done);
    pjrt_event_release(r.done);
    return e;
}

/* Nothing is kept between a context and the executions that name it. */
struct pjrt_execute_context { char nothing; };

pjrt_error *pjrt_ExecuteContext_Create(pjrt_ExecuteContext_Create_args *a) {
    a->context = calloc(1, sizeof *a->context);
    return a->context ? NULL : pjrt_no_memory();
}

pjrt_error *pjrt_ExecuteContext_Destroy(pjrt_ExecuteContext_Destroy_args *a) {
    free(a->context);
    return NULL;
}
