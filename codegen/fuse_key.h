/* fuse_key.h: what a trace depends on, as numbers: fuse_key.c. */
#ifndef WEFT_CODEGEN_FUSE_KEY_H
#define WEFT_CODEGEN_FUSE_KEY_H

#include "codegen/kernel.h"

/* Equal words: traces that make equal kernels, of nodes with equal numbers. */
typedef struct fuse_key {
    uint32_t *word;
    size_t word_count;
    uint64_t hash;          /* of the words */
    cg_node **node;         /* by number */
    uint32_t node_count;
} fuse_key;

typedef struct fuse_keys fuse_keys;
/* Room for keys of nodes of g, which stay as they are; NULL when memory is out. */
fuse_keys *fuse_keys_new(const cg_graph *g, weft_arena *arena);
/* The key of cg_trace with these arguments, until the next is asked for; NULL when memory is out. */
const fuse_key *fuse_key_of(fuse_keys *s, int64_t total, int64_t row, cg_node *const *roots, uint32_t root_count,
                            cg_inlines inlines, void *user);
const fuse_key *fuse_keys_last(const fuse_keys *s);
/* The number of a node in the last key; CG_NONE: it has none. */
uint32_t fuse_key_number(const fuse_keys *s, const cg_node *n);

#endif
