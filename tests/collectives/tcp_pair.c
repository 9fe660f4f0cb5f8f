/* tcp_pair.c: see tcp_pair.h. */
#include "tests/collectives/tcp_pair.h"

#include <check.h>
#include <stdlib.h>

static int first_of[] = { 0, 2, 4 };

static void *resize(void *user, void *p, size_t old, size_t bytes) {
    (void)user, (void)old;
    if (bytes) return realloc(p, bytes);
    free(p);
    return NULL;
}

weft_world tcp_pair_world(int process) {
    return (weft_world){ .alloc = { .resize = resize }, .process = process, .processes = 2, .first_of = first_of,
                         .size = 4, .timeout_ns = 2000000000 };
}

weft_status tcp_pair_try(tcp_pair *p, const weft_allocator *alloc) {
    const void *address[2];
    size_t bytes[2];
    char both[2 * sizeof(weft_tcp_card)];
    weft_status st = WEFT_OK;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < 2; i++) p->w[i] = tcp_pair_world(i);
    for (int i = 0; i < 2 && st == WEFT_OK; i++) {
        if (alloc) p->w[i].alloc = *alloc;
        st = weft_transport_tcp.listen(&p->w[i], &address[i], &bytes[i]);
        if (st != WEFT_OK) return st;
        ck_assert_uint_eq(bytes[i], sizeof(weft_tcp_card));
        memcpy(both + (size_t)i * bytes[i], address[i], bytes[i]);
    }
    for (int i = 0; i < 2 && st == WEFT_OK; i++) st = weft_transport_tcp.connect(&p->w[i], both, sizeof(weft_tcp_card));
    return st;
}

void tcp_pair_open(tcp_pair *p) { ck_assert_int_eq(tcp_pair_try(p, NULL), WEFT_OK); }

static void *close_one(void *w) {
    weft_transport_tcp.close(w);
    return NULL;
}

void tcp_pair_close(tcp_pair *p) {
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, close_one, &p->w[1]), 0);
    close_one(&p->w[0]);
    pthread_join(other, NULL);
}

void tcp_pair_drop(tcp_pair *p) {
    for (int i = 0; i < 2; i++) {
        p->w[i].timeout_ns = 0;
        close_one(&p->w[i]);
    }
}
