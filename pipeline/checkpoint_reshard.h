/* checkpoint_reshard.h: a checkpoint written anew, for another mesh or in another number of files.
 *
 * Arrays are whole in the files of a checkpoint, so any mesh loads them as they are. What is for one mesh are the
 * shardings that it names, and the parts that have sums: a process that loads a part of an array checks whole parts.
 * The new checkpoint has the parts of the new mesh. They are copied one at a time, and large ones in pieces, so that
 * no array is ever held whole.
 */
#ifndef WEFT_PIPELINE_CHECKPOINT_RESHARD_H
#define WEFT_PIPELINE_CHECKPOINT_RESHARD_H

#include "runtime/checkpoint.h"

/* The most bytes of an array that are held at a time. */
#define WEFT_RESHARD_BYTES ((int64_t)64 << 20)

typedef struct weft_reshard_options {
    const char *mesh;               /* "data=2, model=4"; NULL: the shardings stay as they are */
    /* "PATTERN=SHARDING": arrays whose names the pattern (base/glob.h) covers are sharded so, the last one counts.
     * Another array keeps its sharding if the mesh has the axes; else it is whole, which is a warning. */
    const char *const *shards; size_t shard_count;
    int64_t files;                  /* the arrays in at most so many files; 0: by file_bytes */
    int64_t file_bytes;             /* the most that a file of several arrays has */
    int64_t step;                   /* of the new checkpoint, where the old one has none */
} weft_reshard_options;

/* Writes the arrays of s as a checkpoint into the directory `to`. Does not compare s's data with its sums. */
weft_status weft_checkpoint_reshard(weft_context *cx, const weft_saved *s, const char *to,
                                    const weft_reshard_options *o);

#endif
