/* unload.c: loads libweft or libweft-coll as a plugin would, uses it and unloads it, many times over; linked with
 * nothing of Weft.
 *
 *     unload LIBRARY job|left|world [TIMES]
 *
 * job: four devices are threads, or as the launcher or WEFT_RENDEZVOUS determines; left: the last job is not closed;
 * world: two ranks are threads. The thread that calls the library ends after it is unloaded: then destructors of the
 * thread run. Prints how often it worked and how many threads are left.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/coll.h>
#include <weft/graph.h>

static void *library;
static int leaves_job;

static void *at(const char *name) {
    void *f = dlsym(library, name);
    if (!f) fprintf(stderr, "%s\n", dlerror()), exit(2);
    return f;
}

/* The library's function of this name. */
#define WEFT(name) ((__typeof__(&name))at(#name))

static const char program[] =
    "sdy.mesh @m = <[\"x\"=4]>\n"
    "func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {\"x\"}]>}) -> tensor<64x64xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] :\n"
    "    (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<64x64xf32>\n"
    "  %2 = stablehlo.remainder %1, %0 : tensor<64x64xf32>\n" /* by fmod, of a library that only Weft's needs */
    "  return %2 : tensor<64x64xf32>\n"
    "}\n";

static int failed(weft_context *cx) {
    const weft_diag *d = WEFT(weft_context_diag_count)(cx) ? WEFT(weft_context_diag)(cx, 0) : NULL;
    fprintf(stderr, "%s\n", d ? d->message : "?");
    return 0;
}

static int use_job(weft_context *cx) {
    weft_graph *g = NULL;
    weft_job *j = NULL;
    static float a[64 * 64], out[64 * 64];
    int good = WEFT(weft_graph_read_text)(cx, "program", program, strlen(program), &g) == WEFT_OK &&
        WEFT(weft_job_open)(cx, g, NULL, &j) == WEFT_OK;
    for (int i = 0; i < 64 * 64; i++) a[i] = 0.125f;
    good = good && WEFT(weft_job_write)(j, "a", a, sizeof a) == WEFT_OK && WEFT(weft_job_step)(j) == WEFT_OK &&
        WEFT(weft_job_read)(j, "out0", out, sizeof out) == WEFT_OK;
    if (!good) return failed(cx);
    if (leaves_job) return good;
    WEFT(weft_job_close)(j);
    WEFT(weft_graph_free)(g);
    return good;
}

typedef struct seat { weft_world *world; int rank; float sum; } seat;

static void *add(void *p) {
    seat *s = p;
    weft_context *cx = WEFT(weft_context_new)(NULL);
    weft_comm *c = NULL;
    float x = (float)(s->rank + 1);
    weft_coll_buf b = { &x, &s->sum, WEFT(weft_coll_type)("f32"), 1, 1, 1 };
    if (WEFT(weft_comm_world)(cx, s->world, s->rank, &c) != WEFT_OK ||
        WEFT(weft_coll_all_reduce)(c, WEFT_SUM, &b, 1, NULL) != WEFT_OK)
        s->sum = -1;
    WEFT(weft_comm_free)(c);
    WEFT(weft_context_free)(cx);
    return NULL;
}

static int use_world(weft_context *cx) {
    weft_world_options o = { .local_ranks = 2, .size = sizeof o };
    weft_world *w = NULL;
    seat seats[2];
    pthread_t threads[2];
    if (WEFT(weft_world_create_threads)(cx, &o, &w) != WEFT_OK) return failed(cx);
    for (int i = 0; i < 2; i++) seats[i] = (seat){ w, i, 0 }, pthread_create(&threads[i], NULL, add, &seats[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    WEFT(weft_world_free)(w);
    return seats[0].sum == 3 && seats[1].sum == 3;
}

typedef struct outliver { int (*use)(weft_context *); int good; pthread_barrier_t used, unloaded; } outliver;

/* Calls the library and outlives it. */
static void *use_and_wait(void *p) {
    outliver *o = p;
    weft_context *cx = WEFT(weft_context_new)(NULL);
    o->good = cx && o->use(cx);
    if (!leaves_job) WEFT(weft_context_free)(cx);
    pthread_barrier_wait(&o->used);
    pthread_barrier_wait(&o->unloaded);
    return NULL;
}

static int threads_left(void) {
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int times = argc > 3 ? atoi(argv[3]) : 10, good = 0;
    outliver o = { .use = strcmp(argv[2], "world") ? use_job : use_world };
    for (int i = 0; i < times; i++) {
        leaves_job = i == times - 1 && !strcmp(argv[2], "left");
        pthread_t thread;
        library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
        pthread_barrier_init(&o.used, NULL, 2);
        pthread_barrier_init(&o.unloaded, NULL, 2);
        pthread_create(&thread, NULL, use_and_wait, &o);
        pthread_barrier_wait(&o.used);
        good += o.good;
        if (dlclose(library)) return fprintf(stderr, "%s\n", dlerror()), 2;
        pthread_barrier_wait(&o.unloaded);
        pthread_join(thread, NULL);
    }
    /* The kernel counts a thread for a moment after it was joined. */
    for (int i = 0; i < 1000 && !leaves_job && threads_left() > 1; i++) usleep(10000);
    printf("worked %d times, %d threads left\n", good, threads_left());
    return 0;
}
