/* checkpoint.c: saves a state while the program goes on.
 *
 * The call plans the files, which all processes do alike, and process 0 makes them. Each process then has a thread that
 * writes its parts; that of process 0 waits for the others' sums and seals the checkpoint, so that it is complete as
 * soon as it can be, whatever the program does. The arrays are retained meanwhile, and so their memory is not written.
 * Their references are given up by the program's thread, with the first call after the writer has ended.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <weft/checkpoint.h>
#include "base/options.h"
#include "capi/array_impl.h"
#include "capi/pattern.h"
#include "runtime/checkpoint.h"

#define FILE_BYTES ((int64_t)4 << 30)
enum { LATER = 19 }; /* how much nicer than the program a thread is that writes beside it: as nice as can be */

typedef struct saver {
    weft_saver base;                  /* first */
    weft_client *client;
    weft_arena arena;
    weft_save *save;
    weft_save_piece *pieces;
    size_t piece_count;
    weft_array **arrays;              /* retained */
    size_t array_count;
    int process, processes;
    int64_t keep;
    pthread_t thread;
    bool is_running, is_awaited;      /* is_awaited: by the call that saves */
    _Atomic int written, ended, cancel; /* its part is on the disk, or failed; the thread does nothing more */
    weft_status wrote, committed;
} saver;

/* ---- the thread ---- */

/* Hashing needs a core for a while; the devices have it first where there are no more cores than devices. */
static void *write_and_commit(void *p) {
    saver *v = p;
    if (!v->is_awaited) (void)!nice(LATER); /* on Linux of this thread alone, beside what the program has */
    v->wrote = weft_save_write(v->save, v->pieces, v->piece_count, v->process, v->processes);
    atomic_store(&v->written, 1);
    if (v->wrote == WEFT_OK && v->process == 0)
        v->committed = weft_save_commit(v->save, v->processes, v->keep, &v->cancel);
    atomic_store(&v->ended, 1);
    return NULL;
}

/* ---- what is saved ---- */

static bool is_wanted(const char *pattern, weft_name name) {
    return !pattern || weft_pattern_matches(weft_str_from(pattern), weft_name_str(name));
}

static bool same_part(const weft_layout *l, int64_t a, int64_t b) {
    for (uint32_t d = 0; d < l->rank; d++)
        if (weft_layout_shard(l, d, a) != weft_layout_shard(l, d, b)) return false;
    return true;
}

/* Whether `device` is the one that writes its part: of those that hold it, which one follows from the array's number,
 * so that replicas share the work. */
static bool writes(const weft_layout *l, size_t number, int64_t device) {
    int64_t holders = 0, mine = 0;
    for (int64_t other = 0; other < l->device_count; other++) {
        if (!same_part(l, device, other)) continue;
        if (other == device) mine = holders;
        holders++;
    }
    return (int64_t)(number % (size_t)holders) == mine;
}

static weft_status add_piece(saver *v, const weft_array *a, size_t number, int64_t device) {
    const weft_layout *l = a->kind->layout;
    int64_t *box = weft_arena_array(&v->arena, int64_t, 3 * (size_t)l->rank);
    if (!box) return weft_oom();
    bool is_empty = false;
    for (uint32_t d = 0; d < l->rank; d++) {
        const int64_t whole = l->dims[d].global, from = weft_layout_shard(l, d, device) * l->dims[d].local;
        box[d] = weft_min_i64(from, whole);
        box[l->rank + d] = weft_min_i64(l->dims[d].local, whole - box[d]);
        box[2 * l->rank + d] = l->dims[d].local;
        is_empty |= box[l->rank + d] == 0;
    }
    if (!is_empty)
        v->pieces[v->piece_count++] = (weft_save_piece){ .array = number, .start = box, .count = box + l->rank,
                                                         .local = box + 2 * l->rank,
                                                         .data = weft_buffer_shard(a->buffer, device) };
    return WEFT_OK;
}

static weft_status add_pieces(saver *v) {
    const int64_t first = weft_client_first_device(v->client), n = weft_client_local_devices(v->client);
    v->pieces = weft_arena_array(&v->arena, weft_save_piece, v->array_count * (size_t)n);
    weft_status st = v->pieces ? WEFT_OK : weft_oom();
    for (size_t i = 0; st == WEFT_OK && i < v->array_count; i++)
        for (int64_t device = first; st == WEFT_OK && device < first + n; device++)
            if (writes(v->arrays[i]->kind->layout, i, device)) st = add_piece(v, v->arrays[i], i, device);
    return st;
}

static weft_status choose(weft_source at, saver *v, const weft_state *s, const char *pattern,
                          weft_save_array *out) {
    weft_context *cx = weft_client_context(v->client);
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < s->count && st == WEFT_OK; i++) {
        const weft_state_entry *e = &s->entries[i];
        if (!is_wanted(pattern, e->name)) continue;
        const weft_layout *l = e->array->kind->layout;
        int64_t *dims = weft_arena_array(&v->arena, int64_t, l->rank);
        if (!dims) return weft_oom();
        for (uint32_t d = 0; d < l->rank; d++) dims[d] = l->dims[d].global;
        out[v->array_count] = (weft_save_array){ .name = e->name->text, .mesh = e->array->kind->mesh,
                                                 .sharding = e->array->kind->sharding, .dtype = l->dtype,
                                                     .rank = l->rank,
                                                 .dims = dims };
        st = weft_array_check(at, e->array);
        if (st == WEFT_OK) v->arrays[v->array_count++] = weft_array_retain(e->array);
    }
    if (st != WEFT_OK || v->array_count) return st;
    if (!s->count) return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the state has no arrays to save");
    return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                       "no array of the state has a name of the pattern '%s'", pattern);
}

/* ---- its life ---- */

static void end(saver *v) {
    weft_context *cx = weft_client_context(v->client);
    for (size_t i = 0; i < v->array_count; i++) weft_array_release(v->arrays[i]);
    weft_save_free(v->save);
    weft_arena_free(&v->arena);
    cx->alloc.resize(cx->alloc.user, v, sizeof *v, 0);
}

static saver *saver_of(const weft_client *c) { return (saver *)weft_client_front_of(c)->saver; }

static void give_up_arrays(weft_client *c) {
    saver *v = saver_of(c);
    if (!atomic_load(&v->ended)) return;
    for (size_t i = 0; i < v->array_count; i++) weft_array_release(v->arrays[i]);
    v->array_count = 0;
}

static weft_status say(const saver *v, weft_status st) {
    weft_context *cx = weft_client_context(v->client);
    return st == WEFT_OK ? st : weft_report(cx, WEFT_D_file, NULL, "the checkpoint was not saved: %s",
                                            weft_save_why(v->save));
}

/* Process 0 must not wait for the others' sums before it knows that all of them are there. */
static weft_status finish(saver *v) {
    weft_status st = WEFT_OK;
    if (!v->is_running) return st;
    if (v->process != 0) pthread_join(v->thread, NULL);
    else
        while (!atomic_load(&v->written)) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    st = weft_agree(v->client, say(v, v->wrote));
    if (v->process != 0) return weft_agree(v->client, st);
    if (st != WEFT_OK) atomic_store(&v->cancel, 1);
    pthread_join(v->thread, NULL);
    if (st != WEFT_OK) weft_save_abandon(v->save);
    else if ((st = say(v, v->committed)) != WEFT_OK) weft_save_abandon(v->save);
    return weft_agree(v->client, st);
}

weft_status(weft_checkpoint_wait)(weft_client *c) {
    if (!c) return WEFT_ERR_USAGE;
    saver *v = saver_of(c);
    if (!v) return WEFT_OK;
    const weft_status st = finish(v);
    weft_client_front_of(c)->saver = NULL;
    end(v);
    return st;
}

weft_status weft_checkpoint_wait_at(weft_source at, weft_client *c) {
    const weft_call call = weft_call_begin(c ? weft_client_context(c) : NULL, at);
    return weft_call_end(call, (weft_checkpoint_wait)(c));
}

static weft_status prepare(weft_source at, saver *v, const char *dir, const weft_state *s, int64_t step,
                           const weft_checkpoint_options *o) {
    weft_context *cx = weft_client_context(v->client);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    if (!dir || !*dir) return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "a checkpoint needs a directory");
    if (step < 0 || o->keep < 0 || o->file_bytes < 0)
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "the step, keep and file_bytes of a checkpoint are not negative");
    if (s->client != v->client)
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "the state is of another client than the checkpoint");
    weft_save_array *arrays = weft_scratch_array(cx, weft_save_array, s->count);
    v->arrays = weft_arena_array(&v->arena, weft_array *, s->count);
    weft_status st = arrays && v->arrays ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) st = choose(at, v, s, o->arrays, arrays);
    if (st == WEFT_OK)
        st = weft_save_plan(cx, dir, step, arrays, v->array_count, o->file_bytes ? o->file_bytes : FILE_BYTES,
                            &v->save);
    if (st == WEFT_OK) st = add_pieces(v);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

static weft_status start(saver *v) {
    weft_context *cx = weft_client_context(v->client);
    v->is_running = !pthread_create(&v->thread, NULL, write_and_commit, v);
    if (v->is_running) return WEFT_OK;
    return weft_report(cx, WEFT_D_system, NULL, "the system has no thread for a checkpoint");
}

static weft_status save(weft_source at, weft_client *c, const char *dir, weft_state *s, int64_t step,
                        const weft_checkpoint_options *opt) {
    weft_checkpoint_options o;
    weft_context *cx = weft_client_context(c);
    weft_status st = WEFT_OPTIONS_READ(cx, weft_place_of(cx, at), weft_checkpoint_options, opt, &o);
    if (st == WEFT_OK) st = (weft_checkpoint_wait)(c);
    if (st != WEFT_OK) return st;
    weft_journal_call(c);
    saver *v = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *v);
    if (!v) return weft_agree(c, weft_oom());
    *v = (saver){ .base = { give_up_arrays, weft_checkpoint_wait }, .client = c,
                  .process = weft_client_process(c), .processes = weft_client_processes(c),
                  .keep = o.keep, .is_awaited = o.blocking != 0 };
    weft_arena_init(&v->arena, &cx->alloc);
    st = prepare(at, v, dir, s, step, &o);
    if (st == WEFT_OK && v->process == 0) st = weft_save_create(v->save);
    const bool is_made = st == WEFT_OK && v->process == 0;
    st = weft_agree(c, st);
    if (st == WEFT_OK) st = weft_agree(c, start(v));
    if (st == WEFT_OK) {
        weft_client_front_of(c)->saver = &v->base;
        return o.blocking ? (weft_checkpoint_wait)(c) : WEFT_OK;
    }
    atomic_store(&v->cancel, 1);
    if (v->is_running) pthread_join(v->thread, NULL);
    if (is_made) weft_save_abandon(v->save);
    end(v);
    return st;
}

weft_status weft_checkpoint_save_at(weft_source at, weft_client *c, const char *dir, weft_state *s, int64_t step,
                                    const weft_checkpoint_options *opt) {
    if (!c || !s) return WEFT_ERR_USAGE;
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    return weft_call_end(call, save(at, c, dir, s, step, opt));
}

int weft_checkpoint_is_there(const char *path) { return path && weft_saved_exists(path); }
