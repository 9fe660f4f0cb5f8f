/* callback: calls of programs into the interpreter that wrote them.
 *
 * The interpreter gives the client one function (client option python_callback), and programs name what is to be called
 * by number. A call that is made once for all partitions of a replica is made by the first of them in each process; the
 * others wait here, and copy its results. Which calls belong together, devices find by the number of the execution and
 * their count of such calls in it: all make the same ones in the same order.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include "exec/kernels/callback.h"
#include "pjrt/impl.h"

enum { LOOK_NS = 50000000 }; /* between two looks at whether the execution has failed */

/* The results of a call that was made once, until all others have them. */
typedef struct shared {
    struct shared *next;
    uint64_t execution, count;
    int64_t replica;
    int64_t left;
    weft_status status;
    weft_failure failure;
    char results[];
} shared;

/* within: it is in a call, by this thread. */
typedef struct counter { uint64_t execution, count; bool within; pthread_t thread; } counter;

struct pjrt_callbacks {
    pjrt_python_call *call;
    _Atomic int within;              /* devices that are in a call */
    pthread_mutex_t lock;            /* guards all below */
    pthread_cond_t came;
    shared *list;
    const int *mine;                 /* [local]: this process's places */
    int local;
    counter counters[];              /* of each */
};

pjrt_callbacks *pjrt_callbacks_new(pjrt_python_call *call, const int *mine, int local) {
    pjrt_callbacks *c = calloc(1, sizeof *c + (size_t)local * sizeof *c->counters);
    pthread_condattr_t steady;
    if (!c) return NULL;
    c->call = call;
    c->mine = mine;
    c->local = local;
    pthread_mutex_init(&c->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&c->came, &steady);
    pthread_condattr_destroy(&steady);
    return c;
}

void pjrt_callbacks_free(pjrt_callbacks *c) {
    if (!c) return;
    for (shared *s = c->list, *next; s; s = next) { /* of executions that failed */
        next = s->next;
        free(s);
    }
    pthread_cond_destroy(&c->came);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static bool is_callback(const weft_code *code) {
    return code->kernel && !strcmp(code->kernel, weft_kernel_callback.name);
}

pjrt_python_call *pjrt_client_python(const pjrt_client *c) {
    return c->calls && atomic_load(&c->calls->ending) ? NULL : c->python;
}

bool pjrt_callbacks_has(const weft_executable *x) {
    for (uint32_t i = 0; i < x->step_count; i++) {
        if (is_callback(&x->steps[i].code)) return true;
        for (uint32_t k = 0; k < x->steps[i].code.call_count; k++)
            if (is_callback(&x->steps[i].code.calls[k])) return true;
    }
    return false;
}

static void tell_one(pjrt_python_call *call, const weft_code *code, int what) {
    char why[8];
    if (!is_callback(code)) return;
    (void)call(((const weft_callback_state *)code->state)->id, what, NULL, 0, NULL, why, sizeof why);
}

void pjrt_callbacks_tell(pjrt_python_call *call, const weft_executable *x, int what) {
    for (uint32_t i = 0; call && i < x->step_count; i++) {
        tell_one(call, &x->steps[i].code, what);
        for (uint32_t k = 0; k < x->steps[i].code.call_count; k++) tell_one(call, &x->steps[i].code.calls[k], what);
    }
}

bool pjrt_callbacks_within(pjrt_callbacks *c) { return atomic_load(&c->within) > 0; }

bool pjrt_callbacks_here(pjrt_callbacks *c) {
    bool here = false;
    if (!pjrt_callbacks_within(c)) return false;
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < c->local; i++)
        here = here || (c->counters[i].within && pthread_equal(c->counters[i].thread, pthread_self()));
    pthread_mutex_unlock(&c->lock);
    return here;
}

static void enter(pjrt_callbacks *c, counter *n) {
    pthread_mutex_lock(&c->lock);
    n->thread = pthread_self();
    n->within = true;
    pthread_mutex_unlock(&c->lock);
    atomic_fetch_add(&c->within, 1);
}

static void leave(pjrt_callbacks *c, counter *n) {
    atomic_fetch_sub(&c->within, 1);
    pthread_mutex_lock(&c->lock);
    n->within = false;
    pthread_mutex_unlock(&c->lock);
}

static weft_status call_python(pjrt_callbacks *c, counter *n, const weft_host_call *h, weft_failure *why) {
    enter(c, n);
    const int st = c->call(h->id, h->operand_count, h->operands, h->result_count, h->results, why->text,
                           sizeof why->text);
    leave(c, n);
    why->text[sizeof why->text - 1] = '\0';
    return st ? WEFT_ERR_INTERNAL : WEFT_OK;
}

static size_t bytes_of(const weft_host_call *h) {
    size_t bytes = 0;
    for (int i = 0; i < h->result_count; i++) bytes += (size_t)h->result_bytes[i];
    return bytes;
}

/* For the others, so many: what the first partition got. */
static weft_status publish(pjrt_callbacks *c, const weft_host_call *h, const weft_run_env *env, uint64_t count,
                           int64_t others, weft_status st, const weft_failure *why) {
    const size_t bytes = st == WEFT_OK ? bytes_of(h) : 0;
    shared *s = malloc(sizeof *s + bytes);
    if (!s) return weft_oom();
    *s = (shared){ .execution = env->execution, .count = count, .replica = env->replica_id,
                   .left = others, .status = st, .failure = *why };
    char *to = s->results;
    for (int i = 0; bytes && i < h->result_count; to += h->result_bytes[i++])
        memcpy(to, h->results[i], (size_t)h->result_bytes[i]);
    pthread_mutex_lock(&c->lock);
    s->next = c->list;
    c->list = s;
    pthread_cond_broadcast(&c->came);
    pthread_mutex_unlock(&c->lock);
    return st;
}

static shared **find(pjrt_callbacks *c, const weft_run_env *env, uint64_t count) {
    shared **at = &c->list;
    while (*at && ((*at)->execution != env->execution || (*at)->count != count || (*at)->replica != env->replica_id))
        at = &(*at)->next;
    return at;
}

static void wait_a_little(pjrt_callbacks *c) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&c->came, &c->lock, &until);
}

/* The results of the first partition's call; WEFT_ERR_PEER: it has failed before. */
static weft_status receive(pjrt_callbacks *c, const weft_host_call *h, const weft_run_env *env, uint64_t count) {
    weft_status st = WEFT_ERR_PEER;
    shared **at, *s = NULL;
    pthread_mutex_lock(&c->lock);
    while (!*(at = find(c, env, count)) && !(env->stop && atomic_load(env->stop))) wait_a_little(c);
    if (*at) {
        s = *at;
        st = s->status;
        const char *from = s->results;
        for (int i = 0; st == WEFT_OK && i < h->result_count; from += h->result_bytes[i++])
            memcpy(h->results[i], from, (size_t)h->result_bytes[i]);
        if (st != WEFT_OK && env->failure) *env->failure = s->failure;
        if (!--s->left) {
            *at = s->next;
            free(s);
        }
    }
    pthread_mutex_unlock(&c->lock);
    return st;
}

weft_status pjrt_callback(void *user, const weft_host_call *h, const weft_run_env *env) {
    pjrt_callbacks *c = user;
    weft_failure why = { .text = "" };
    const int64_t replica = env->replica_id * env->partition_count;
    const int first = pjrt_places_before(c->mine, c->local, replica),
              end = pjrt_places_before(c->mine, c->local, replica + env->partition_count),
              me = pjrt_places_before(c->mine, c->local, replica + env->partition_id);
    if (!c->call)
        return weft_step_fail(env, WEFT_ERR_UNSUPPORTED,
                              "the program calls back into Python, and Weft's package for JAX has not said where");
    counter *n = &c->counters[me];
    if (!h->once || end - first < 2) {
        const weft_status st = call_python(c, n, h, &why);
        return st == WEFT_OK ? st : weft_step_fail(env, st, "%s", why.text);
    }
    if (n->execution != env->execution) n->execution = env->execution, n->count = 0;
    const uint64_t count = n->count++;
    if (me != first) return receive(c, h, env, count);
    weft_status st = call_python(c, n, h, &why);
    const weft_status published = publish(c, h, env, count, end - first - 1, st, &why);
    if (st != WEFT_OK) return weft_step_fail(env, st, "%s", why.text);
    return published;
}
