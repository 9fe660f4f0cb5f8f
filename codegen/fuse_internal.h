/* fuse_internal.h: what the files of fusion share. */
#ifndef WEFT_CODEGEN_FUSE_INTERNAL_H
#define WEFT_CODEGEN_FUSE_INTERNAL_H

#include "codegen/fuse.h"
#include "codegen/fuse_key.h"

typedef struct fuse_list { uint32_t *v; uint32_t n; } fuse_list;

/* A set of nodes computed by one kernel. */
typedef struct fuse_cluster {
    uint32_t *member;       /* node ids, rising */
    uint32_t n, vertex;     /* vertex: the member that it began with (fuse_order.c) */
    int64_t total, row;
    uint32_t *extra;        /* nodes of other clusters that it computes again */
    uint32_t extra_count;
    int64_t held;           /* at most, by what was joined: fuse_hold.c */
} fuse_cluster;

typedef struct fuse_order fuse_order; /* of clusters and steps: fuse_order.c */

typedef struct fuser {
    cg_graph *g;
    const cg_block *block;
    weft_arena *arena;      /* scratch of the whole fusion */
    cg_tracer *tracer;
    fuse_keys *keys;
    weft_table answers;     /* fuse_answer, by key */
    bool *live;             /* all by node id */
    bool *heavy;            /* computed in a cluster: costs something, or must stand in memory */
    bool *required;         /* must stand in memory whatever is fused */
    bool *lasting;          /* is in memory all the time; NULL without a limit: fuse_hold.c */
    fuse_list *reads, *readers; /* between heavy nodes, steps and what is in memory already; through light nodes */
    fuse_list *loaders;     /* clusters that load a node for what they compute again; none of their members reads it */
    /* clusters before and after it that it does not read: between heavy nodes or steps and their gates, and between
     * gates and what these wait for; empty lists in a block without gates */
    fuse_list *waits, *waited;
    uint32_t *of;           /* cluster of a heavy node */
    fuse_cluster **cluster; /* by number; NULL once merged into another */
    uint32_t cluster_count;
    uint32_t *seen, stamp;  /* visited marks */
    fuse_order *order;
    uint32_t self[2];       /* the clusters that a trace may inline: fuse_cluster.c */
    const fuse_cluster *traced;
} fuser;

/* Traces the union of a and b (NULL: none) into k. */
cg_trace_result fuse_trace(fuser *f, const fuse_cluster *a, const fuse_cluster *b, int64_t total, int64_t row,
                           cg_kernel *k, const cg_node **culprit);
enum { FUSE_LANES = 8 }; /* that work is counted by */

/* The facts of a trace, without its kernel. */
typedef struct fuse_answer {
    const uint32_t *word;   /* the key */
    size_t word_count;
    cg_trace_result result; /* CG_TRACE_OK or CG_TRACE_NO */
    uint32_t culprit;       /* numbers of nodes in the key; CG_NONE: no node is to blame */
    uint32_t *param, param_count;
    double work;            /* time of the arithmetic in vector operations */
    bool singly;            /* it is done for one element after another */
    int64_t read_bytes;
} fuse_answer;
/* The same as fuse_trace, by a trace or by an earlier one of an equal key; NULL when memory is out. */
const fuse_answer *fuse_ask(fuser *f, const fuse_cluster *a, const fuse_cluster *b, int64_t total, int64_t row);
/* The node with this number in the key that was asked for last. */
static inline cg_node *fuse_asked_node(const fuser *f, uint32_t number) {
    return fuse_keys_last(f->keys)->node[number];
}
/* Whether the node, of cluster a or b, is read outside both, so that it has to be written. */
bool fuse_escapes(const fuser *f, uint32_t node, uint32_t a, uint32_t b);

/* Before clusters are joined; NULL when memory is out. */
fuse_order *fuse_order_new(const fuser *f);
/* Does a path lead from cluster a to cluster b through a unit or a gate outside both? True also when the search is
 * long. */
bool fuse_path(const fuser *f, uint32_t a, uint32_t b);
/* Between a and b, in neither direction, is such a path: they become one, which is called b. Before their members do.
 */
weft_status fuse_order_join(const fuser *f, uint32_t a, uint32_t b);

/* fuse_prepare.c: live, heavy, required, reads, readers and one cluster per heavy node. */
weft_status fuse_prepare(fuser *f);
/* fuse_trees.c: the trees of long sums that are written out, each one cluster. After fuse_order_new. */
weft_status fuse_trees(fuser *f);
/* Cluster a becomes part of b, which runs over total and row. No path leads from one to the other through a third. */
weft_status fuse_join(fuser *f, uint32_t a, uint32_t b, int64_t total, int64_t row);
/* fuse_hold.c, where g->join_bytes is a limit. First: */
weft_status fuse_note_lasting(fuser *f);
/* Bytes of the node's memory, by id, if it is needed for a while only; else 0. */
int64_t fuse_passing_bytes(const fuser *f, uint32_t id);
/* How much more is held at once when clusters a and b are one kernel than when b comes after a; below 0: less. */
int64_t fuse_join_holds(fuser *f, uint32_t a, uint32_t b);
/* Whether they may become one for that: true without a limit. *held: what it holds then. */
bool fuse_may_hold(fuser *f, uint32_t a, uint32_t b, int64_t *held);
/* fuse_merge.c: clusters joined, producers with consumers first, then those that read the same memory. */
weft_status fuse_merge(fuser *f);
/* fuse_recompute.c: values passed between clusters computed again where that moves fewer bytes. */
weft_status fuse_recompute(fuser *f);

#endif
