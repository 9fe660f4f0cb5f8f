/* checkpoint.h: states on disk: saved while the program goes on, and loaded onto any mesh and number of processes.
 *
 *     for (step = 0; ...; step++) {
 *         weft_program_run(train, state);
 *         if (step % 1000 == 999) weft_checkpoint_save(client, "run7", state, step + 1, &(weft_checkpoint_options){
 *             .keep = 3, .size = sizeof(weft_checkpoint_options) });
 *     }
 *     weft_checkpoint_wait(client);
 *     ...
 *     weft_checkpoint_load(client, "run7", state, NULL, &step);     // the newest one
 *
 * A checkpoint is a folder of safetensors files with an index, as Hugging Face's: Python's safetensors reads them. The
 * arrays in it are whole, whatever their sharding was, so the files of one state are equal on every mesh. No process
 * has a whole array: each writes and reads its own parts of the common files, in a directory that all processes see.
 *
 * A crash at any point leaves the last checkpoint that was complete. What was written is checked by SHA-256 when it is
 * read. runtime/checkpoint.h has the files.
 */
#ifndef WEFT_CHECKPOINT_H
#define WEFT_CHECKPOINT_H

#include <weft/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_checkpoint_options {
    const char *arrays;      /* the names that are saved, as a pattern of weft/parameters.h; NULL: all of the state */
    int64_t keep;            /* how many checkpoints stay in the directory, this one included; 0: all */
    int64_t file_bytes;      /* the most that a file of several arrays has; 0: 4 GiB */
    int blocking;            /* 1: the call returns when the checkpoint is complete */
    size_t size;             /* sizeof(weft_checkpoint_options); 0: the fields above (weft/weft.h) */
} weft_checkpoint_options;

/* Saves the state's arrays in a folder of dir, which is made if it is missing, as the checkpoint of this step. Opt
 * may be NULL: all zero. The call makes the files in their full length, so a full disk is found at once, and returns;
 * a thread of each process then writes, with less of the processor than the program's own. The state may be used and
 * updated meanwhile: its arrays are values, and a run that updates one while it is being written copies it first. One
 * checkpoint is under way at a time: the next save, and the close of the client, wait for it and return or report how
 * it went. What a crash has left half written in dir is removed; while another job is saving there, the call is
 * refused. Collective over the processes. */
WEFT_API weft_status weft_checkpoint_save_at(weft_source at, weft_client *c, const char *dir, weft_state *s,
                                             int64_t step, const weft_checkpoint_options *opt);
/* Returns when the checkpoint that is under way is complete, or why it failed, which it reports. WEFT_OK if there is
 * none. Collective over the processes. */
WEFT_API weft_status weft_checkpoint_wait(weft_client *c);
WEFT_API weft_status weft_checkpoint_wait_at(weft_source at, weft_client *c);
#define weft_checkpoint_wait(...) weft_checkpoint_wait_at(WEFT_HERE, __VA_ARGS__)

/* The name that a file has for an array, in the memory of the caller: NULL leaves the array out. */
typedef const char *weft_name_map(void *user, const char *name);

/* Where the files of another program have an array, which they lay out in their own way:
 *
 *     static const weft_stored_as gpt2[] = {
 *         { .name = "embed/weight", .stored = "wte.weight" },
 *         { .name = "blocks/norm1/scale", .stored = "h.{}.ln_1.weight" },              one array per layer
 *         { .name = "blocks/q/weight", .stored = "h.{}.attn.c_attn.weight", .dim = 1, .from = 0, .count = 768 },
 *         { .name = "head/weight", .stored = "lm_head.weight", .order = "1, 0" } };    transposed
 *     const weft_restore_options o = { .as = gpt2, .as_count = 4, .arrays = "*, !adamw*" };
 *
 * "{}" is a number. A name has those of layers that were made one by one: "blocks/{}/q/weight". What is stored has the
 * same numbers, in their order; for each further one, the array has a dimension in front, whose elements are arrays of
 * the files. Of a stored array count elements of dimension dim are taken, then order says which of its dimensions
 * become the array's. The array may split them: 768 by 768 is 768x12x64, too. Floats are converted.
 *
 * Of rows with equal names the first is taken whose array is there. Each array that is loaded has a row, and a row is
 * for an array of the state (or input of the program). Arrays in the files that no row names are left out, but not
 * those of further numbers. */
typedef struct weft_stored_as {
    const char *name, *stored;
    int64_t dim, from, count;  /* count 0: all of it */
    const char *order;         /* "1, 0": the array's first dimension is the stored one's second. NULL: as stored */
} weft_stored_as;

typedef struct weft_restore_options {
    const char *arrays;      /* the names that are loaded, as a pattern; NULL: all */
    weft_program *program;   /* arrays are sharded as its inputs; NULL: see below */
    weft_name_map *map;      /* from names in the state to names in the files; NULL: they are the same */
    void *map_user;
    int unchecked;           /* 1: the data's sums are not looked at */
    const weft_stored_as *as; /* instead of map; NULL: arrays are stored as they are in the state */
    size_t as_count;
    const char *prefix;      /* that names in the files may have in front of those in `as`: "transformer."; or NULL */
    size_t size;             /* sizeof(weft_restore_options); 0: the fields above (weft/weft.h) */
} weft_restore_options;

/* Loads arrays into the state: from the newest complete checkpoint in dir, from the folder of one, from a folder with
 * Hugging Face's index or a model.safetensors, or from a .safetensors file. opt may be NULL: all zero.
 *
 * With a program: its inputs that the graph updates must be there; other inputs are loaded where they are. Without one:
 * the arrays that the state has, which must be there; an empty state gets all that are there. An array is sharded as
 * the program's input, else as the state's array of its name, else as it was saved if the client has as many devices,
 * else each device has it whole.
 *
 * Each process reads the ranges of bytes that its parts need, and, to check the sums, its share of all. *step (NULL is
 * fine) is that of the save, and -1 for files of others. If anything is wrong (another shape or type, a missing name, a
 * damaged or incomplete file) the state is as before. Collective over the processes. */
WEFT_API weft_status weft_checkpoint_load_at(weft_source at, weft_client *c, const char *dir, weft_state *s,
                                             const weft_restore_options *opt, int64_t *step);

/* 1 if path has something to load. Reports nothing. */
WEFT_API int weft_checkpoint_is_there(const char *path);

#define weft_checkpoint_save(...) weft_checkpoint_save_at(WEFT_HERE, __VA_ARGS__)
#define weft_checkpoint_load(...) weft_checkpoint_load_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
