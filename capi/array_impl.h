/* array_impl.h: the inside of arrays, states and what the C API keeps with a client (weft/array.h).
 *
 * An array is a buffer with a kind: its type, mesh and sharding as texts, and its layout. A client has each kind once,
 * so an array costs one small block however often a step makes it, and two arrays lie alike exactly if their layouts
 * are one pointer.
 *
 * References. A program holds its outputs until its next run, and that must not keep a state's array from being
 * donated: so an array knows how many of its references are programs'. A run donates an array that has one reference
 * besides those, the state's.
 */
#ifndef WEFT_CAPI_ARRAY_IMPL_H
#define WEFT_CAPI_ARRAY_IMPL_H

#include <weft/array.h>
#include "capi/graph_impl.h"
#include "runtime/buffer.h"

/* ---- what a client has ---- */

typedef struct weft_kind {
    const char *type, *mesh, *sharding;  /* "8x16xf32", "data=2", "data, -" */
    const weft_layout *layout;           /* the client's */
    const struct weft_kind *next;
} weft_kind;

enum { WEFT_JOURNAL_KEPT = 32 };

/* What this process was told to do, to be compared with the others. A process that leaves out a call is in step again
 * at the next collective, and sums are then taken of two different steps; so weft_array_read compares counts, and
 * hashes of the data that all processes give alike. */
typedef struct weft_journal {
    uint64_t calls;
    uint64_t writes;                                /* of data that all give alike */
    uint64_t hashes[WEFT_JOURNAL_KEPT];             /* of all data up to a write; of the last ones, by number */
    const char *names[WEFT_JOURNAL_KEPT];           /* of what was written */
    bool told;                                      /* a difference was reported */
} weft_journal;

/* A checkpoint that is under way (capi/checkpoint.c), for the calls that come meanwhile. */
typedef struct weft_saver {
    void (*on_call)(weft_client *c);         /* each collective call */
    weft_status (*wait)(weft_client *c);     /* the close */
} weft_saver;

typedef struct weft_front {
    weft_arena arena;
    const weft_kind *kinds;
    weft_journal journal;
    weft_saver *saver;                   /* NULL: none */
} weft_front;

weft_front *weft_client_front_of(const weft_client *c);

/* NULL memory for the location is fine: it is then unknown. Only for reports: each call allocates. */
const weft_loc *weft_place_of(weft_context *cx, weft_source at);

/* Reported at `at` where a pointer that a call writes to is NULL. */
weft_status weft_out_check(weft_context *cx, weft_source at, const char *what, const void *out);

/* Of a program. */
struct weft_loaded_program *weft_program_loaded(const weft_program *p);
weft_arena *weft_program_arena(weft_program *p);

/* ---- journals ---- */

/* Each call that is collective. */
void weft_journal_call(weft_client *c);
/* Data that all processes give alike; name lives as long as the client. Of more than 64 KiB it hashes samples. */
void weft_journal_write(weft_client *c, const char *name, const void *data, size_t bytes);
/* Collective. Another number of calls ends the client: WEFT_ERR_PEER; other data is a warning of process 0. */
weft_status weft_journal_check(weft_client *c);

/* A call's part that each process did alone: all get the first failure, reported. */
weft_status weft_agree(weft_client *c, weft_status mine);

/* ---- kinds ---- */

/* By weft/array.h's texts; reported at `at`. NULL: a failure, in *st. */
const weft_kind *weft_kind_of_texts(weft_source at, weft_client *c, const char *type, const char *mesh,
                                    const char *sharding, weft_status *st);
/* The client's kind of these texts and this layout; NULL: memory is out. */
const weft_kind *weft_kind_of_layout(weft_client *c, const weft_layout *l, const char *mesh, const char *sharding);

/* ---- arrays ---- */

struct weft_array {
    weft_client *client;
    const weft_kind *kind;
    weft_buffer *buffer;
    int refs, programs;                  /* all references, and those that programs hold */
};

/* Takes over the caller's reference to b, also where it fails. */
weft_status weft_array_wrap(weft_client *c, const weft_kind *k, weft_buffer *b, weft_array **out);
weft_status weft_array_of_kind(weft_client *c, const weft_kind *k, const void *data, weft_array **out);
weft_status weft_array_fill(weft_source at, weft_client *c, const weft_kind *k, weft_part_filler *fill, void *user,
                            weft_array **out);
/* Reported: a's data is gone. */
weft_status weft_array_check(weft_source at, const weft_array *a);
/* Whether `bytes` is the array's size, and data is there if it must be. */
weft_status weft_bytes_check(weft_source at, weft_client *c, const char *what, const weft_kind *k, const void *data,
                             size_t bytes);

/* ---- states ---- */

typedef struct weft_state_entry { weft_name name; weft_array *array; } weft_state_entry;

struct weft_state {
    weft_client *client;
    weft_arena arena;
    weft_state_entry *entries;           /* in the order of their first setting; array NULL: none now */
    size_t count, cap;
};

weft_state_entry *weft_state_find(const weft_state *s, weft_name name); /* NULL: not there */
/* Takes over the caller's reference. */
weft_status weft_state_put(weft_state *s, weft_name name, weft_array *a);

/* ---- programs ---- */

typedef struct weft_program_port { weft_name name; const weft_kind *kind; bool is_updated; } weft_program_port;

size_t weft_program_input_count(const weft_program *p); /* 0 for NULL */
weft_program_port weft_program_input(const weft_program *p, size_t i);

#endif
