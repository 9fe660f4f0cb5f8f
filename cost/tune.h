/* tune.h: what was measured on a machine: link parameters per level, and which collective algorithm was the fastest for
 * which size.
 *
 * `weft tune` writes a table, a text file under the user's cache directory that is named after the machine's hash;
 * worlds read it when they are made (collectives/tuned.c), process 0's for all. A level that was not measured keeps its
 * estimate (links.def). Rules are for calls among all ranks of a world of so many ranks and nodes; the first that fits
 * counts. The file is made to be edited:
 *
 *     weft-tune 1
 *     machine 1 package, 2 core, Some CPU          # words for who reads it; a comment goes to the line's end
 *     link CACHE 12GB/s 150ns                      # a level of links.def: bandwidth, latency
 *     reduce 20GB/s                                # operand bytes that a rank adds; and that it copies
 *     copy 12GB/s
 *     ranks 2 nodes 1 all_reduce:-64K=one_shot     # as WEFT_ALGORITHMS has it */
#ifndef WEFT_COST_TUNE_H
#define WEFT_COST_TUNE_H

#include "base/bits.h"
#include "cost/link.h"
#include "topology/topology.h"

#define WEFT_TUNE_RULES 512

typedef struct weft_tune_rule {
    int32_t ranks, nodes;
    weft_alg_rule rule;
} weft_tune_rule;

typedef struct weft_tune {
    char machine[160];                /* what it was measured on, in words */
    weft_links links;                 /* estimates where nothing was measured */
    weft_bits measured;               /* a bit per weft_link_level */
    bool reduce_measured, copy_measured;
    int rule_count;
    weft_tune_rule rules[WEFT_TUNE_RULES];
} weft_tune;

void weft_tune_clear(weft_tune *out); /* the estimates, nothing measured */
/* WEFT_ERR_INVALID, reported at file:line:column; *out is then clear. */
weft_status weft_tune_read(weft_context *cx, weft_str text, const char *name, weft_tune *out);
void weft_tune_print(const weft_tune *t, weft_buf *out); /* reads to the same */
/* What `found` measured into what is there; its rules replace those for as many ranks and nodes, and the oldest where
 * there is no room. */
void weft_tune_merge(weft_tune *into, const weft_tune *found);
/* Behind the others. False where there is no room. */
bool weft_tune_add(weft_tune *t, const weft_tune_rule *rule);

/* Where the table of this machine is: `where` when it is a path ("none": nowhere), else DIR/weft/tune-<hash> for DIR as
 * XDG_CACHE_HOME says, else HOME/.cache. WEFT_ERR_USAGE, reported, where there is no such place. The texts are the
 * environment's. */
typedef struct weft_tune_place { const char *where, *cache, *home; } weft_tune_place;
weft_status weft_tune_path(weft_context *cx, const weft_tune_place *place, const weft_topology *t, char *out,
                           size_t room);
/* Whether any table is there, without looking at the machine. */
bool weft_tune_any(const weft_tune_place *place);
/* WEFT_ERR_IO, not reported, when there is no file; otherwise as weft_tune_read. */
weft_status weft_tune_load(weft_context *cx, const char *path, weft_tune *out);
/* For whoever can do without: *there is whether a table is; one that is wrong is a warning where it is wrong, and *out
 * then the estimates. So is one in the cache directory that belongs to another user (but root), or that everybody may
 * write: nobody has named it. */
weft_status weft_tune_find(weft_context *cx, const weft_tune_place *place, const weft_topology *t, weft_tune *out,
                           bool *there);
/* A warning when the place names a file, and that is not there: its user has mistyped it. */
weft_status weft_tune_miss(weft_context *cx, const weft_tune_place *place);
/* Writes it whole or not at all, with the folders that it needs. */
weft_status weft_tune_save(weft_context *cx, const char *path, const weft_tune *t);

#endif
