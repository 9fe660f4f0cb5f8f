/* checkpoint.h: checkpoints as files.
 *
 *   DIR/latest                                the name of the newest complete folder
 *   DIR/step-00000100/                        a checkpoint; of a further one of that step: step-00000100.1
 *       model-00001-of-00002.safetensors      arrays, whole and in row-major order, whatever the mesh was
 *       model.safetensors.index.json          the file of each array, as Hugging Face's; the arrays' shardings
 *       sums-00000-of-00004.json              the parts that process 0 of 4 wrote, with their SHA-256
 *       seal.json                             SHA-256 of the index, of the sums and of the files' headers
 *   DIR/saving-step-00000200/                 one that is being written, or that a crash has left
 *
 * Each process writes its parts at their places in the common files, so the directory is one that all processes see.
 * The seal is written last; then the folder takes its name, and then latest changes. All of it is on the disk before
 * the next of these steps. So a crash at any point leaves the checkpoint that latest names.
 *
 * A saved checkpoint is opened from a directory with a file latest, from one folder, also of Hugging Face's (an index,
 * or model.safetensors alone), and from a single .safetensors file.
 */
#ifndef WEFT_RUNTIME_CHECKPOINT_H
#define WEFT_RUNTIME_CHECKPOINT_H

#include "runtime/digest.h"
#include "runtime/box.h"
#include "runtime/safetensors.h"
#include "runtime/strided.h"

#define WEFT_CHECKPOINT_INDEX "model.safetensors.index.json"

/* ---- reading ---- */

typedef struct weft_saved_array {
    const weft_stored *stored;
    const weft_safetensors *file;
    const char *mesh, *sharding;          /* as it was saved; "" where that is not known */
} weft_saved_array;

typedef struct weft_saved_piece {
    const weft_saved_array *array;
    const int64_t *start, *count;
    const char *sha256;                   /* "": saved without */
} weft_saved_piece;

typedef struct weft_saved {
    weft_context *cx;
    weft_arena arena;
    const char *folder;                   /* or the file */
    int64_t step;                         /* -1: not one of Weft's */
    weft_safetensors *files;
    size_t file_count;
    weft_saved_array *arrays;             /* in the order of the files */
    size_t array_count;
    weft_saved_piece *pieces;             /* none for those of others */
    size_t piece_count;
    bool is_sealed;
} weft_saved;

/* Opens the newest complete checkpoint of a directory, a folder or a file; checks the seal, the index and the headers,
 * and that the pieces cover the arrays, but not the data. Reports the first thing that is wrong, with its file. */
weft_status weft_saved_open(weft_context *cx, const char *path, weft_saved *out);
void weft_saved_close(weft_saved *s); /* a zeroed one is fine */
const weft_saved_array *weft_saved_find(const weft_saved *s, const char *name); /* NULL: none */
/* A box of an array to memory: r's dims and elem_bytes are the array's. */
weft_status weft_saved_read(const weft_saved *s, const weft_saved_array *a, const weft_box *r, void *to);
/* Elements of an array into memory of another order or type. */
weft_status weft_saved_read_strided(const weft_saved *s, const weft_saved_array *a, const weft_strided *v, void *to);
/* Compares the data of pieces number share, share + shares, ... with their sums. Reports the first that differs. */
weft_status weft_saved_verify(const weft_saved *s, int64_t share, int64_t shares);
/* Whether path has a complete checkpoint. Reports nothing. */
bool weft_saved_exists(const char *path);

/* ---- writing ---- */

/* An array as the writer gives it. */
typedef struct weft_save_array {
    const char *name, *mesh, *sharding;
    weft_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
} weft_save_array;

/* A part that this process writes. */
typedef struct weft_save_piece {
    size_t array;
    const int64_t *start, *count, *local; /* as weft_box's */
    const void *data;
    /* NULL: data is there. Else the piece's data is *data once it has returned, until its next call. */
    weft_status (*read)(void *user, size_t array, const void **data);
    void *user;
} weft_save_piece;

typedef struct weft_save weft_save;

/* The same in all processes: arrays in order, the step, and the most bytes of a file. */
weft_status weft_save_plan(weft_context *cx, const char *dir, int64_t step, const weft_save_array *arrays, size_t n,
                           int64_t file_bytes, weft_save **out);
void weft_save_free(weft_save *s); /* NULL is fine */
/* By one process, before the others write: the folder, and its files in their full length, in a directory that stays
 * locked until the checkpoint is complete or abandoned; what crashes have left there is removed. Reports a disk that
 * has no room, and a directory that another job has locked. */
weft_status weft_save_create(weft_save *s);

/* What follows may be called by any thread, and reports nothing: why it failed is in weft_save_why. */
const char *weft_save_why(const weft_save *s);
/* Writes the pieces of process p of `processes`, and their sums. */
weft_status weft_save_write(weft_save *s, const weft_save_piece *pieces, size_t n, int p, int processes);
/* Waits until the sums of all processes are there, or *cancel is not 0, which is WEFT_ERR_PEER; seals the checkpoint,
 * gives it its name, and removes all but the newest `keep` (0: none). */
weft_status weft_save_commit(weft_save *s, int processes, int64_t keep, const _Atomic int *cancel);
/* Removes what was written; of a failed one. */
void weft_save_abandon(weft_save *s);

#endif
