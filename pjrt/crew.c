/* crew: a runtime client for each list of devices that a program runs on.
 *
 * Rank r of a crew is the list's r-th device. Crews share no thread, so programs of two crews may wait for their own
 * devices at the same time. A crew of one device lets the thread that calls run what is short (WEFT_COMMAND_HERE). New
 * programs do not get a crew that a failure has broken, but another one of the same devices.
 */
#include <stdlib.h>
#include "pjrt/impl.h"

static bool is_of(const pjrt_crew *crew, const int *devices, int count) {
    return crew->count == count && !memcmp(crew->devices, devices, (size_t)count * sizeof *devices) &&
           !weft_client_is_broken(crew->runtime);
}

static void end(pjrt_crew *crew) {
    if (!crew) return;
    if (crew->runtime) weft_client_end(crew->runtime);
    pjrt_callbacks_free(crew->callbacks);
    weft_context_free(crew->cx);
    pthread_mutex_destroy(&crew->lock);
    free(crew->devices);
    free(crew);
}

static pjrt_error *make(pjrt_client *c, const int *devices, int count, pjrt_crew **out) {
    pjrt_crew *crew = calloc(1, sizeof *crew);
    pjrt_error *e = NULL;
    if (!crew) return pjrt_no_memory();
    pthread_mutex_init(&crew->lock, NULL);
    crew->client = c;
    crew->count = count;
    crew->devices = malloc((size_t)count * sizeof *devices);
    crew->cx = weft_context_new(NULL);
    crew->callbacks = pjrt_callbacks_new(c->python, count);
    if (!crew->devices || !crew->cx || !crew->callbacks) e = pjrt_no_memory();
    const weft_client_setup setup = { .processes = { .processes = 1 }, .devices = count, .heap = true,
                                      .host = { pjrt_callback, crew->callbacks } };
    if (!e) {
        memcpy(crew->devices, devices, (size_t)count * sizeof *devices);
        weft_status st = weft_client_start(crew->cx, &setup, &crew->runtime);
        if (st != WEFT_OK) e = pjrt_error_of(crew->cx, st);
    }
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

void pjrt_loaded_free(pjrt_loaded *l) {
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
