/* load: an executable on the devices of its assignment. */
#include <stdlib.h>
#include "pjrt/ffi.h"

static int count_of(const pjrt_executable *x) { return (int)(x->asked.replicas * x->asked.partitions); }

/* The assignment's devices, else the first ones. A crew's ranks are partitions of a replica, then the next replica. */
static pjrt_error *choose_devices(const pjrt_client *c, const pjrt_executable *x, int **out) {
    const int n = count_of(x);
    pjrt_error *e = NULL;
    if (n > c->device_count)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT,
                              "the program is for %d devices, the client has %d; WEFT_NUM_DEVICES says how many", n,
                              c->device_count);
    int *devices = malloc((size_t)n * sizeof *devices);
    bool *taken = calloc((size_t)c->device_count, sizeof *taken);
    if (!devices || !taken) e = pjrt_no_memory();
    for (int i = 0; !e && i < n; i++) {
        const int64_t id = x->asked.assignment ? x->asked.assignment[i] : i;
        if (id < 0 || id >= c->device_count || taken[id])
            e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "the device assignment names device %lld of %d, or names it twice",
                               (long long)id, c->device_count);
        else devices[i] = (int)id, taken[id] = true;
    }
    free(taken);
    if (e) free(devices);
    else *out = devices;
    return e;
}

static void free_loaded(pjrt_loaded *l) {
    if (!l) return;
    for (pjrt_loaded *o = l->others, *next; o; o = next) {
        next = o->next;
        free_loaded(o);
    }
    l->others = NULL;
    pjrt_client *c = l->client;
    if (l->program) {
        pjrt_crew *crew = l->crew;
        l->next = atomic_load(&crew->dead);
        while (!atomic_compare_exchange_weak(&crew->dead, &l->next, l)) {}
        if (!pthread_mutex_trylock(&crew->lock)) {
            pjrt_crew_free_dead(crew);
            pjrt_crew_unlock(crew);
        }
    } else {
        pjrt_loaded_free(l);
    }
    pjrt_client_tell(c);
    pjrt_client_release(c);
}

static pjrt_error *load_program(pjrt_loaded *l) {
    pjrt_executable *x = l->executable;
    bool speaker;
    const weft_load_options opt = { .exec = x->exec, .args = x->arg_layouts, .results = x->result_layouts,
                                    .voices = WEFT_VOICES_EACH, .front = l->foreign };
    pjrt_crew_lock(l->crew);
    weft_status st = l->foreign ? weft_client_threads(l->crew->runtime, &l->foreign->threads) : WEFT_OK;
    if (st == WEFT_OK) st = weft_client_load(l->crew->runtime, &opt, &speaker, &l->program);
    pjrt_error *e = st == WEFT_OK ? NULL : pjrt_error_of(l->crew->cx, st);
    pjrt_crew_unlock(l->crew);
    return e;
}

static pjrt_error *describe(pjrt_loaded *l, const int *devices) {
    const int n = l->crew->local;
    const int64_t partitions = l->executable->asked.partitions;
    l->devices = malloc((size_t)n * sizeof *l->devices);
    l->logical = malloc((size_t)n * sizeof *l->logical);
    if (!l->devices || !l->logical) return pjrt_no_memory();
    for (int i = 0; i < n; i++) {
        const int64_t place = l->crew->mine[i];
        l->devices[i] = l->client->devices[devices[place]];
        l->logical[i] = (pjrt_logical_ids){ (int32_t)(place / partitions), (int32_t)(place % partitions) };
    }
    return pjrt_assignment_write(l->executable->asked.replicas, partitions, devices, &l->assignment) == WEFT_OK
               ? NULL
               : pjrt_no_memory();
}

pjrt_error *pjrt_load_on(pjrt_client *c, pjrt_executable *x, const int *devices, pjrt_loaded **out) {
    pjrt_loaded *l = calloc(1, sizeof *l);
    if (!l) return pjrt_no_memory();
    l->client = pjrt_client_retain(c);
    l->executable = pjrt_executable_retain(x);
    pthread_mutex_init(&l->lock, NULL);
    weft_buf_init(&l->assignment, &pjrt_heap);
    pjrt_error *e = pjrt_crew_get(c, devices, count_of(x), &l->crew);
    if (!e) e = describe(l, devices);
    if (!e && !l->crew->local) { /* it is loaded where its devices are */
        *out = l;
        return NULL;
    }
    if (!e && x->foreign && !(l->foreign = pjrt_ffi_program_new(x->foreign, l->crew))) e = pjrt_no_memory();
    if (!e) e = load_program(l);
    l->calls_back = c->calls && pjrt_callbacks_has(x->exec);
    if (!e) pjrt_callbacks_tell(pjrt_client_python(c), x->exec, PJRT_PYTHON_HOLD);
    if (e) free_loaded(l);
    else *out = l;
    return e;
}

static bool is_on(const pjrt_loaded *l, const int *devices) {
    return !memcmp(l->crew->devices, devices, (size_t)l->crew->count * sizeof *devices) &&
           !pjrt_callbacks_within(l->crew->callbacks);
}

pjrt_error *pjrt_load_again(pjrt_loaded *l, const int *devices, pjrt_loaded **out) {
    pjrt_error *e = NULL;
    pthread_mutex_lock(&l->lock);
    pjrt_loaded *o = l->others;
    while (o && !is_on(o, devices)) o = o->next;
    if (!o && !(e = pjrt_load_on(l->client, l->executable, devices, &o))) {
        o->next = l->others;
        l->others = o;
    }
    pthread_mutex_unlock(&l->lock);
    *out = o;
    return e;
}

pjrt_error *pjrt_load(pjrt_client *c, pjrt_executable *x, pjrt_loaded **out) {
    int *devices;
    pjrt_error *e = choose_devices(c, x, &devices);
    if (e) return e;
    e = pjrt_load_on(c, x, devices, out);
    free(devices);
    return e;
}

/* --- the API --- */

pjrt_error *pjrt_LoadedExecutable_Destroy(pjrt_LoadedExecutable_Destroy_args *a) {
    free_loaded(a->executable);
    return NULL;
}

pjrt_error *pjrt_LoadedExecutable_GetExecutable(pjrt_LoadedExecutable_GetExecutable_args *a) {
    a->executable = pjrt_executable_retain(a->loaded_executable->executable);
    return NULL;
}

pjrt_error *pjrt_LoadedExecutable_AddressableDevices(pjrt_LoadedExecutable_AddressableDevices_args *a) {
    a->addressable_devices = a->executable->devices;
    a->num_addressable_devices = (size_t)a->executable->crew->local;
    return NULL;
}

pjrt_error *pjrt_LoadedExecutable_AddressableDeviceLogicalIds(
    pjrt_LoadedExecutable_AddressableDeviceLogicalIds_args *a) {
    a->addressable_device_logical_ids = a->executable->logical;
    a->num_addressable_device_logical_ids = (size_t)a->executable->crew->local;
    return NULL;
}

static void keep(void *assignment) { (void)assignment; }

/* It lives as long as the program. */
pjrt_error *pjrt_LoadedExecutable_GetDeviceAssignment(pjrt_LoadedExecutable_GetDeviceAssignment_args *a) {
    a->serialized_bytes = a->executable->assignment.p;
    a->serialized_bytes_size = a->executable->assignment.n;
    a->serialized_device_assignment = NULL;
    a->serialized_device_assignment_deleter = keep;
    return NULL;
}

pjrt_error *pjrt_LoadedExecutable_Delete(pjrt_LoadedExecutable_Delete_args *a) {
    atomic_store(&a->executable->deleted, true);
    return NULL;
}

pjrt_error *pjrt_LoadedExecutable_IsDeleted(pjrt_LoadedExecutable_IsDeleted_args *a) {
    a->is_deleted = atomic_load(&a->executable->deleted);
    return NULL;
}

pjrt_error *pjrt_LoadedExecutable_Fingerprint(pjrt_LoadedExecutable_Fingerprint_args *a) {
    return pjrt_give(a->executable->executable->fingerprint, &a->executable_fingerprint,
                     &a->executable_fingerprint_size);
}
