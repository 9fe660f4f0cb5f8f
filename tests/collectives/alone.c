/* alone.c: test_alone.sh links it with libweft-coll and nothing else of Weft: two ranks as threads add up. */
#include <pthread.h>
#include <stdio.h>
#include <weft/coll.h>
#include <weft/topo.h>

typedef struct seat { weft_world *world; int rank; float sum; } seat;

static void *add(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float x = (float)(s->rank + 1);
    weft_coll_buf b = { &x, &s->sum, weft_coll_type("f32"), 1, 1, 1 };
    if (weft_comm_world(cx, s->world, s->rank, &c) == WEFT_OK &&
        weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL) != WEFT_OK)
        s->sum = -1;
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

int main(void) {
    weft_context *cx = weft_context_new(NULL);
    weft_topology *t;
    seat seats[2];
    pthread_t threads[2];
    weft_world *w;
    if (weft_topology_discover(cx, &t) != WEFT_OK ||
        weft_world_create_threads(cx, &(weft_world_options){ .local_ranks = 2 }, &w) != WEFT_OK)
        return 1;
    for (int i = 0; i < 2; i++) seats[i] = (seat){ w, i, 0 }, pthread_create(&threads[i], NULL, add, &seats[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    weft_world_free(w);
    weft_topology_free(t);
    weft_context_free(cx);
    printf("%g %g\n", (double)seats[0].sum, (double)seats[1].sum);
    return 0;
}
