/* job: the processes whose devices a client lists.
 *
 * A framework that knows its processes (jax.distributed) gives the client its number and a store of keys and values,
 * which all processes share. Else the launch says which process this is (mpirun, WEFT_RENDEZVOUS), and the processes
 * are ranks of a small world (control). In both ways they gather bytes, first how many devices each has, and then
 * whatever the world of a crew is made with.
 */
#include <stdio.h>
#include <stdlib.h>
#include "pjrt/impl.h"

/* Seconds that a process waits for another, which may compile, read data or run other programs meanwhile. One that ends
 * is noticed before. */
static const double PATIENCE_S = 600;

/* One gathering of some of the job's processes. */
typedef struct gathering {
    pjrt_job *job;
    const char *name;                /* of the gathering; equal in its processes, and no other has it */
    const int *members; int count, me; /* processes of the job */
    int round;
    weft_context *cx; weft_comm *comm; /* of control; NULL: there is a store */
    char why[512];
} gathering;

/* --- by the store --- */

static pjrt_error *error_of_store(uint32_t code, const char *message, size_t size) {
    return pjrt_error_given(code == PJRT_OK ? PJRT_UNKNOWN : code, message, size);
}
static pjrt_callback_error *const store_error = error_of_store;

static void key_of(const gathering *g, int process, char key[128]) {
    snprintf(key, 128, "weft/%s/%d/%d", g->name, g->round, process);
}

static weft_status failed(gathering *g, const char *what, int process, pjrt_error *e) {
    snprintf(g->why, sizeof g->why, "process %d %s: %.*s", process, what, (int)weft_min_i64((int64_t)e->size, 400),
             e->text);
    pjrt_error_free(e);
    return WEFT_ERR_IO;
}

static weft_status put(gathering *g, const void *value, size_t bytes) {
    char key[128];
    key_of(g, g->job->process, key);
    pjrt_kv_put_args a = { .struct_size = sizeof a, .key = key, .key_size = strlen(key), .value = value,
                           .value_size = bytes, .callback_error = &store_error, .user = g->job->put_user };
    pjrt_error *e = g->job->put(&a);
    return e ? failed(g, "cannot write to the framework's store", g->job->process, e) : WEFT_OK;
}

static weft_status get(gathering *g, int process, void *to, size_t bytes) {
    char key[128];
    key_of(g, process, key);
    pjrt_kv_get_args a = { .struct_size = sizeof a, .key = key, .key_size = strlen(key),
                           .timeout_in_ms = (int)(PATIENCE_S * 1e3), .callback_error = &store_error,
                           .user = g->job->get_user };
    pjrt_error *e = g->job->get(&a);
    if (!e && a.value_size != bytes)
        e = pjrt_error_new(PJRT_INTERNAL, "%zu bytes in place of %zu", a.value_size, bytes);
    else if (!e) memcpy(to, a.value, bytes);
    if (a.value && a.delete_value) a.delete_value(a.value);
    return e ? failed(g, "has not come to the framework's store", process, e) : WEFT_OK;
}

static weft_status by_store(gathering *g, const void *mine, size_t bytes, void *all) {
    weft_status st = put(g, mine, bytes);
    for (int i = 0; i < g->count && st == WEFT_OK; i++) {
        char *to = (char *)all + (size_t)i * bytes;
        if (i == g->me) memcpy(to, mine, bytes);
        else st = get(g, g->members[i], to, bytes);
    }
    g->round++;
    return st;
}

/* --- as ranks of control --- */

static weft_status by_control(gathering *g, const void *mine, size_t bytes, void *all) {
    const weft_coll_buf b = { .in = mine, .out = all, .dtype = weft_coll_type("ui8"), .inner = (int64_t)bytes };
    const weft_call_site site = { "all_gather", "", g->name, 0 };
    weft_status st = weft_coll_all_gather(g->comm, &b, 1, &site);
    if (st != WEFT_OK) {
        pjrt_error *e = pjrt_error_of(g->cx, st);
        snprintf(g->why, sizeof g->why, "%.*s", (int)weft_min_i64((int64_t)e->size, 500), e->text);
        pjrt_error_free(e);
    }
    return st;
}

static weft_status gather(void *user, const void *mine, size_t bytes, void *all, const char **why) {
    gathering *g = user;
    weft_status st = g->comm ? by_control(g, mine, bytes, all) : by_store(g, mine, bytes, all);
    if (st != WEFT_OK) *why = g->why;
    return st;
}

/* --- the job --- */

static weft_status start_control(pjrt_job *j, const weft_processes *p) {
    const weft_world_options opt = { .local_ranks = 1, .timeout_s = PATIENCE_S, .join_timeout_s = 0, .progress = -1,
                                     .size = sizeof opt };
    weft_status st = weft_processes_world(j->cx, p, &opt, &j->control);
    return st == WEFT_OK ? weft_comm_world(j->cx, j->control, weft_world_first(j->control), &j->comm) : st;
}

/* The processes of the launch, unless the framework has said which there are. */
static pjrt_error *find_processes(pjrt_job *j) {
    const char *alone = getenv("WEFT_PJRT_ALONE");
    if (j->processes > 1) return NULL;
    if (alone && !strcmp(alone, "1")) return NULL;
    const weft_processes p = weft_processes_of_launch();
    if (p.processes < 2 && !p.rendezvous) return NULL;
    j->cx = weft_context_new(NULL);
    if (!j->cx) return pjrt_no_memory();
    weft_status st = start_control(j, &p);
    if (st != WEFT_OK) return pjrt_error_of(j->cx, st);
    j->process = weft_world_process(j->control);
    j->processes = weft_world_processes(j->control);
    return NULL;
}

pjrt_error *pjrt_job_begin(pjrt_job *j, int devices) {
    const char *why;
    pjrt_error *e = find_processes(j);
    if (e) return e;
    j->devices = malloc((size_t)j->processes * sizeof *j->devices);
    int *members = malloc((size_t)j->processes * sizeof *members);
    if (!j->devices || !members) e = pjrt_no_memory();
    for (int p = 0; !e && p < j->processes; p++) members[p] = p;
    gathering g = { .job = j, .name = "devices", .members = members, .count = j->processes, .me = j->process,
                    .cx = j->cx, .comm = j->comm };
    if (!e && j->processes == 1) j->devices[0] = devices;
    else if (!e && gather(&g, &devices, sizeof devices, j->devices, &why) != WEFT_OK)
        e = pjrt_error_new(PJRT_UNAVAILABLE, "%s", why);
    for (int p = 0; !e && p < j->processes; p++)
        if (j->devices[p] < 1 || j->devices[p] > PJRT_MOST_DEVICES)
            e = pjrt_error_new(PJRT_INTERNAL, "process %d has %d devices", p, j->devices[p]);
    free(members);
    return e;
}

weft_status pjrt_job_world(pjrt_job *j, weft_context *cx, const pjrt_members *m, const char *name, weft_world **out) {
    const weft_world_options opt = { .local_ranks = m->devices, .timeout_s = PATIENCE_S,
                                     .join_timeout_s = PATIENCE_S, .size = sizeof opt };
    gathering g = { .job = j, .name = name, .members = m->processes, .count = m->count, .me = m->me, .cx = j->cx };
    weft_status st = WEFT_OK;
    if (j->comm) st = weft_comm_group(j->cx, j->comm, m->processes, m->count, &g.comm);
    if (st != WEFT_OK) return weft_report(cx, WEFT_D_peer, NULL, "the processes of the job cannot form a group");
    st = weft_world_create_gatherer(cx, &opt, &(weft_gatherer){ m->me, m->count, gather, &g }, out);
    weft_comm_free(g.comm);
    return st;
}

void pjrt_job_end(pjrt_job *j) {
    weft_comm_free(j->comm);
    weft_world_free(j->control);
    weft_context_free(j->cx);
    free(j->devices);
}

/* --- the API --- */

/* The programs of crews that a process has failed in end, whatever they wait for. */
static void fail_crews(pjrt_client *c, int process, const char *why) {
    pthread_mutex_lock(&c->lock);
    for (pjrt_crew *crew = c->crews; crew; crew = crew->next) {
        bool has = false;
        for (int r = 0; r < crew->count; r++) has = has || c->devices[crew->devices[r]]->description.process == process;
        if (!has || !crew->runtime || weft_client_is_broken(crew->runtime)) continue;
        pjrt_crew_lock(crew);
        (void)weft_client_fail(crew->runtime, why);
        pjrt_crew_unlock(crew);
    }
    pthread_mutex_unlock(&c->lock);
}

pjrt_error *pjrt_Client_UpdateGlobalProcessInfo(pjrt_Client_UpdateGlobalProcessInfo_args *a) {
    if (a->num_process_infos && !a->process_infos)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the processes of the job are NULL");
    const char *at = (const char *)a->process_infos;
    for (size_t i = 0; i < a->num_process_infos; i++) {
        const pjrt_process_info *p = (const pjrt_process_info *)at;
        char why[512];
        if (p->struct_size < sizeof *p)
            return pjrt_error_new(PJRT_INVALID_ARGUMENT, "a process of the job has %zu bytes", p->struct_size);
        at += p->struct_size;
        if (p->state != PJRT_PROCESS_FAILED || p->process == a->client->job.process) continue;
        snprintf(why, sizeof why, "process %d of the job has failed: %.*s", p->process,
                 (int)weft_min_i64((int64_t)p->error_message_size, 400), p->error_message ? p->error_message : "");
        fail_crews(a->client, p->process, why);
    }
    return NULL;
}
