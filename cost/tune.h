/* tune.h: measurements of a machine: link parameters per level, and the fastest collective algorithm for each size.
 *
 * `weft tune` writes a table, a text file in the user's cache directory that is named after the machine's hash. Worlds
 * read it when they are made (collectives/tuned.c), process 0's for all. A level that was not measured keeps its
 * estimate (links.def). Rules are for calls among all ranks of a world of so many ranks and nodes; the first match
 * counts. The file may be edited by hand:
 *
 *     weft-tune 1
 *     machine 1 package, 2 core, Some CPU          # for readers; a comment ends with its line
 *     link CACHE 12GB/s 150ns                      # a level of links.def: bandwidth, latency
 *     reduce 20GB/s                                # operand bytes that a rank adds, and that it copies
 *     copy 12GB/s
 *     product f32 62Gflop/s                        # of one core: f32, bf16 (with sums in f32) or f64
 *     memory 11GB/s 20GB/s                         # read and written by one core, by all (may be left out)
 *     ranks 2 nodes 1 all_reduce:-64K=one_shot     # as in WEFT_ALGORITHMS
 *     ranks 2 nodes 1 stream=4M                    # a rank that writes more in a call bypasses the caches */
#ifndef WEFT_COST_TUNE_H
#define WEFT_COST_TUNE_H

#include "base/bits.h"
#include "base/dtype.h"
#include "cost/link.h"
#include "topology/topology.h"

#define WEFT_TUNE_RULES 512
#define WEFT_TUNE_STREAMS 64

typedef struct weft_tune_rule {
    int32_t ranks, nodes;
    weft_alg_rule rule;
} weft_tune_rule;

typedef struct weft_tune_stream {
    int32_t ranks, nodes;
    int64_t bytes;                    /* collectives/stream.h */
} weft_tune_stream;

/* Element types whose products are measured; names in tune.c. */
typedef enum weft_tune_product { WEFT_TUNE_F32, WEFT_TUNE_BF16, WEFT_TUNE_F64, WEFT_TUNE_PRODUCTS } weft_tune_product;

/* What code can reach at best; 0: not measured. */
typedef struct weft_tune_rates {
    double product_flops_per_s[WEFT_TUNE_PRODUCTS]; /* of one core */
    double core_bytes_per_s, node_bytes_per_s;      /* of memory, by one core and by all */
} weft_tune_rates;

typedef struct weft_tune {
    char machine[160];                /* the measured machine, in words */
    weft_links links;                 /* estimates where nothing was measured */
    weft_bits measured;               /* a bit per weft_link_level */
    bool reduce_measured, copy_measured;
    weft_tune_rates rates;
    int rule_count;
    weft_tune_rule rules[WEFT_TUNE_RULES];
    int stream_count;                 /* one for as many ranks and nodes */
    weft_tune_stream streams[WEFT_TUNE_STREAMS];
} weft_tune;

void weft_tune_clear(weft_tune *out); /* the estimates, nothing measured */
/* WEFT_ERR_INVALID, reported at file:line:column; *out is then clear. */
weft_status weft_tune_read(weft_context *cx, weft_str text, const char *name, weft_tune *out);
void weft_tune_print(const weft_tune *t, weft_buf *out); /* reads to the same */
/* Merges the measurements `found` into the table; its rules replace those for as many ranks and nodes, and the oldest
 * ones if there is no room. */
void weft_tune_merge(weft_tune *into, const weft_tune *found);
/* Appends a rule. False if there is no room. */
bool weft_tune_add(weft_tune *t, const weft_tune_rule *rule);
/* In place of what there is for as many ranks and nodes; where there is no room, in place of the oldest. */
void weft_tune_set_stream(weft_tune *t, const weft_tune_stream *stream);
/* 0: not measured. */
int64_t weft_tune_stream_of(const weft_tune *t, int ranks, int nodes);

const char *weft_tune_product_name(weft_tune_product p);
/* The least time of so much work, of elements of this type, on so many cores, by whichever of arithmetic and memory
 * takes longer; 0: nothing that it takes was measured. Types without a rate have f32's. */
double weft_tune_least_s(const weft_tune_rates *r, int cores, weft_dtype dtype, double flops, double bytes);

/* The place of this machine's table: `where` if it is a path ("none": no table), else DIR/weft/tune-<hash> with DIR
 * from XDG_CACHE_HOME, else HOME/.cache. WEFT_ERR_USAGE, reported, if there is no such place. The texts are the
 * environment's. */
typedef struct weft_tune_place { const char *where, *cache, *home; } weft_tune_place;
weft_status weft_tune_path(weft_context *cx, const weft_tune_place *place, const weft_topology *t, char *out,
                           size_t room);
/* Whether any table exists, without discovering the machine. */
bool weft_tune_any(const weft_tune_place *place);
/* WEFT_ERR_IO, not reported, when there is no file; otherwise as weft_tune_read. */
weft_status weft_tune_load(weft_context *cx, const char *path, weft_tune *out);
/* For callers that can do without: *there is whether a table exists. An invalid one gives a warning at its error, and
 * *out is then the estimates. So does one in the cache directory that belongs to another user (except root), or that
 * everybody may write: the user has not chosen it. */
weft_status weft_tune_find(weft_context *cx, const weft_tune_place *place, const weft_topology *t, weft_tune *out,
                           bool *there);
/* A warning if the place names a file that does not exist: a misspelt path. */
weft_status weft_tune_miss(weft_context *cx, const weft_tune_place *place);
/* Writes the file as a whole or not at all, and creates its folders. */
weft_status weft_tune_save(weft_context *cx, const char *path, const weft_tune *t);

#endif
