/* crew: a runtime client for each list of devices that a program runs on.
 *
 * Device r of a crew's client is the list's r-th. Crews share no thread, so programs of two crews may wait for their
 * own devices at the same time. A crew of one device lets the thread that calls run what is short (WEFT_COMMAND_HERE).
 * A program for devices of other processes only has a crew without a client, and nothing to run.
 * New programs do not get a crew that a failure has broken, or whose devices are in a callback, which may wait for the
 * program, but another one of the same devices. A crew of several processes has a world of its own, which they make
 * when each of them loads the first program for it. Once one of these has failed there are no others: a process may be
 * gone, or not know of the failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/table.h"
#include "pjrt/ffi.h"

static bool is_broken(const pjrt_crew *crew) { return crew->runtime && weft_client_is_broken(crew->runtime); }

static bool is_of(const pjrt_crew *crew, const int *devices, int count) {
    return crew->count == count && !memcmp(crew->devices, devices, (size_t)count * sizeof *devices) &&
           (crew->world || (!is_broken(crew) && !pjrt_callbacks_within(crew->callbacks)));
}

static void end(pjrt_crew *crew) {
    if (!crew) return;
    const bool inherited = crew->runtime && weft_client_is_inherited(crew->runtime); /* its threads are the parent's */
    if (crew->runtime) weft_client_end(crew->runtime);
    weft_world_free(crew->world);
    pjrt_callbacks_free(crew->callbacks);
    if (!inherited) pjrt_ffi_pools_free(crew->pools, crew->local);
    weft_context_free(crew->cx);
    pthread_mutex_destroy(&crew->lock);
    free(crew->devices);
    free(crew->mine);
    free(crew);
}

/* --- crews of several processes --- */

static int process_of(const pjrt_crew *crew, int rank) {
    return crew->client->devices[crew->devices[rank]]->description.process;
}

/* Which of the places are this process's, and how all of them are seated in a world. */
static pjrt_error *find_places(pjrt_crew *crew, pjrt_seats *s) {
    const pjrt_job *job = &crew->client->job;
    int *process = malloc((size_t)crew->count * sizeof *process);
    if (!process) return pjrt_no_memory();
    for (int r = 0; r < crew->count; r++) {
        process[r] = process_of(crew, r);
        if (process[r] == job->process) crew->mine[crew->local++] = r;
    }
    const bool found = pjrt_seats_find(process, crew->count, job->processes, s);
    free(process);
    if (!found) return pjrt_no_memory();
    s->world.me = s->member[job->process];
    s->world.devices = crew->local;
    return NULL;
}

/* A job makes one world of the same devices. */
static void name_world(const pjrt_crew *crew, char name[64]) {
    const uint64_t h = weft_hash_end(weft_hash_bytes(0, crew->devices, (size_t)crew->count * sizeof *crew->devices));
    snprintf(name, 64, "crew-%d-%016llx", crew->count, (unsigned long long)h);
}

static pjrt_error *check_others(const pjrt_crew *crew) {
    for (const pjrt_crew *o = crew->client->crews; o; o = o->next)
        if (o->world && is_broken(o))
            return pjrt_error_new(PJRT_ABORTED,
                                  "a program of several of the job's processes has failed: no other one can begin");
    return NULL;
}

static pjrt_error *join_others(pjrt_crew *crew, const pjrt_seats *s) {
    char name[64];
    if (s->world.count == 1 || !crew->local) return NULL;
    pjrt_error *e = check_others(crew);
    if (e) return e;
    name_world(crew, name);
    weft_status st = pjrt_job_world(&crew->client->job, crew->cx, &s->world, name, &crew->world);
    return st == WEFT_OK ? NULL : pjrt_error_of(crew->cx, st);
}

/* --- making and ending --- */

static pjrt_error *start(pjrt_crew *crew, const pjrt_seats *s) {
    weft_client_setup setup = { .processes = { .processes = 1 }, .devices = crew->count, .heap = !crew->world,
                                .world = crew->world };
    if (crew->world) {
        setup.processes = weft_processes_of_world(crew->world);
        setup.processes.bind = false;
        setup.order = s->rank;
    }
    crew->callbacks = pjrt_callbacks_new(crew->client->python, crew->mine, crew->local);
    crew->pools = pjrt_ffi_pools_new(crew->local);
    if (!crew->callbacks || (crew->local && !crew->pools)) return pjrt_no_memory();
    if (!crew->local) return NULL;
    setup.host = (weft_host){ pjrt_callback, crew->callbacks, pjrt_ffi_call };
    weft_status st = weft_client_start(crew->cx, &setup, &crew->runtime);
    return st == WEFT_OK ? NULL : pjrt_error_of(crew->cx, st);
}

static pjrt_error *make(pjrt_client *c, const int *devices, int count, pjrt_crew **out) {
    pjrt_crew *crew = calloc(1, sizeof *crew);
    pjrt_error *e = NULL;
    pjrt_seats s = { 0 };
    if (!crew) return pjrt_no_memory();
    pthread_mutex_init(&crew->lock, NULL);
    crew->client = c;
    crew->count = count;
    crew->devices = malloc((size_t)count * sizeof *devices);
    crew->mine = malloc((size_t)count * sizeof *crew->mine);
    crew->cx = weft_context_new(NULL);
    if (!crew->devices || !crew->mine || !crew->cx) e = pjrt_no_memory();
    if (!e) {
        memcpy(crew->devices, devices, (size_t)count * sizeof *devices);
        e = find_places(crew, &s);
    }
    if (!e) e = join_others(crew, &s);
    if (!e) e = start(crew, &s);
    pjrt_seats_free(&s);
    if (e) end(crew);
    else *out = crew;
    return e;
}

pjrt_error *pjrt_crew_get(pjrt_client *c, const int *devices, int count, pjrt_crew **out) {
    pjrt_error *e = NULL;
    pthread_mutex_lock(&c->lock);
    pjrt_crew *crew = c->crews;
    while (crew && !is_of(crew, devices, count)) crew = crew->next;
    if (!crew && !(e = make(c, devices, count, &crew))) {
        crew->next = c->crews;
        c->crews = crew;
    }
    pthread_mutex_unlock(&c->lock);
    *out = crew;
    return e;
}

/* A callback runs a program, whose callback runs another one: each waits for the next, so a crew in any callback may
 * wait for this thread. A program of a crew that is in none waits for no callback that waits for it: what comes later
 * is put onto others. */
bool pjrt_crew_awaits_me(pjrt_crew *crew) {
    bool here = false;
    if (crew->world || !pjrt_callbacks_within(crew->callbacks)) return false;
    pthread_mutex_lock(&crew->client->lock);
    for (pjrt_crew *o = crew->client->crews; o; o = o->next) here = here || pjrt_callbacks_here(o->callbacks);
    pthread_mutex_unlock(&crew->client->lock);
    return here;
}

void pjrt_loaded_free(pjrt_loaded *l) {
    pjrt_ffi_program_free(l->foreign);
    pjrt_executable_release(l->executable);
    weft_buf_free(&l->assignment);
    pthread_mutex_destroy(&l->lock);
    free(l->devices);
    free(l->logical);
    free(l);
}

void pjrt_crew_free_dead(pjrt_crew *crew) {
    if (atomic_load(&crew->under_way)) return;
    for (pjrt_loaded *l = atomic_exchange(&crew->dead, NULL), *next; l; l = next) {
        next = l->next;
        weft_loaded_program_release(l->program);
        l->next = atomic_load(&crew->client->gone);
        while (!atomic_compare_exchange_weak(&crew->client->gone, &l->next, l)) {}
    }
}

void pjrt_crew_lock(pjrt_crew *crew) {
    pthread_mutex_lock(&crew->lock);
    crew->cx->diag_count = 0; /* what an earlier call said is not the reason why this one fails */
    pjrt_storage_free_returned(crew);
    if (atomic_load(&crew->dead)) pjrt_crew_free_dead(crew);
}

/* What came while the lock was held goes back, too: who brought it could not take the lock. */
void pjrt_crew_unlock(pjrt_crew *crew) {
    do {
        pjrt_storage_free_returned(crew);
        pthread_mutex_unlock(&crew->lock);
    } while (atomic_load(&crew->returned) && !pthread_mutex_trylock(&crew->lock));
}

/* No program is left. What one crew lets go of may be another's, so all are emptied before the first ends. */
void pjrt_crews_end(pjrt_client *c) {
    for (bool more = true; more;) {
        more = false;
        for (pjrt_crew *crew = c->crews; crew; crew = crew->next) {
            if (!crew->runtime) continue;
            pjrt_crew_lock(crew);
            (void)weft_client_memory_used(crew->runtime); /* a command takes what was released */
            pjrt_crew_unlock(crew);
        }
        for (pjrt_crew *crew = c->crews; crew; crew = crew->next)
            more = more || atomic_load(&crew->returned) || atomic_load(&crew->dead);
    }
    for (pjrt_crew *crew = c->crews, *next; crew; crew = next) {
        next = crew->next;
        end(crew);
    }
    c->crews = NULL;
}
