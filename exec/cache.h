/* cache.h: what was compiled, in a folder that processes share and that outlives them.
 *
 * An entry is a file, DIR/KIND-HASH, where HASH is of the entry's key. A key is bytes that say all that the entry
 * depends on; the file has the whole key, so that keys of one hash are told apart, and a hash of itself. An entry is
 * written under another name and renamed, so that readers see whole entries; after a crash of the machine a file may
 * still lack bytes, which its hash shows. Entries that are not whole are removed. The folder has mode 0700. A folder
 * that belongs to another user, or that others may write to, is not used: its code would run with this user's rights.
 *
 *   8 bytes   "WEFTENT\n"
 *   u32       format, WEFT_CACHE_FORMAT
 *   u64       hash of all that follows
 *   u64 u64 u64   bytes of label, key and data
 *   label     for people: what the entry is of
 *   key, data
 *
 * Writing is best effort: a full disk or a folder that cannot be written gives one warning, and nothing is kept. The
 * cache is never a reason for a program not to run. Threads may read and write at one time.
 */
#ifndef WEFT_EXEC_CACHE_H
#define WEFT_EXEC_CACHE_H

#include "base/context.h"

enum { WEFT_CACHE_FORMAT = 1 };

typedef enum weft_cache_kind { WEFT_CACHE_KERNEL, WEFT_CACHE_PROGRAM, WEFT_CACHE_KINDS } weft_cache_kind;

/* Where the folder is: `dir` (WEFT_CACHE_DIR; "none": nowhere), else DIR/weft/compiled with DIR from xdg
 * (XDG_CACHE_HOME), else home/.cache (HOME). size: WEFT_CACHE_SIZE, such as "512MiB"; NULL: 1 GiB. */
typedef struct weft_cache_place { const char *dir, *xdg, *home, *size; } weft_cache_place;
/* By the environment. */
weft_cache_place weft_cache_place_of_process(void);

typedef struct weft_cache weft_cache;

/* *out is NULL without a report where there is to be no cache, or where a folder that the environment does not name
 * cannot be made; and with one warning where the folder cannot be used.
 * The cache belongs to cx, which warnings go to. Other failures: WEFT_ERR_MEMORY, WEFT_ERR_USAGE for a size. */
weft_status weft_cache_open(weft_context *cx, const weft_cache_place *place, weft_cache **out);
/* Removes the entries that were used least recently, where this one has written and the limit is passed. NULL is
 * fine. */
void weft_cache_close(weft_cache *c);

/* What an entry has, found by its key. bytes is the whole file's, freed by weft_cache_release. */
typedef struct weft_cached { void *file; size_t file_bytes; const uint8_t *data; size_t bytes; } weft_cached;

/* False: there is no such entry, or not a whole one. Nothing is reported. */
bool weft_cache_get(weft_cache *c, weft_cache_kind kind, const void *key, size_t key_bytes, weft_cached *out);
void weft_cache_release(weft_cached *e);
/* Whether there is a file of that name; its bytes are not looked at. */
bool weft_cache_has(weft_cache *c, weft_cache_kind kind, const void *key, size_t key_bytes);
void weft_cache_put(weft_cache *c, weft_cache_kind kind, const char *label, const void *key, size_t key_bytes,
                    const void *data, size_t bytes);

/* Appends "NAME HASH SIZE" of n bytes: a line of a key for what is too long to stand in it. */
void weft_cache_key_hash(weft_buf *key, const char *name, const void *p, size_t n);

/* ---- one maker of an entry ----
 *
 * A process that is about to make what the cache lacks claims it first. Others that claim it meanwhile wait, without
 * the processor's time, until it is there, and do not make it too. The claim is a lock of a file in the folder, which
 * ends with its process: a maker that is killed leaves nothing that others wait for. */

/* True: the caller makes the entry; *claim is for weft_cache_unclaim, when the entry is there or will not be. False:
 * another process has made it, or could not, or takes longer than a minute, or the folder has no locks. In any case the
 * caller looks again. */
bool weft_cache_claim(weft_cache *c, weft_cache_kind kind, const void *key, size_t key_bytes, int *claim);
void weft_cache_unclaim(weft_cache *c, weft_cache_kind kind, const void *key, size_t key_bytes, int claim);

/* By the thread that uses cx: warns, once, if entries could not be written. */
weft_status weft_cache_tell(weft_cache *c);

typedef struct weft_cache_counts {
    uint64_t found[WEFT_CACHE_KINDS], missed[WEFT_CACHE_KINDS], written;
} weft_cache_counts;
weft_cache_counts weft_cache_count(const weft_cache *c);

/* ---- for people ---- */

typedef struct weft_cache_entry {
    weft_cache_kind kind;
    const char *label;
    const uint8_t *key; size_t key_bytes;
    int64_t file_bytes;
    double used_s;             /* since its last use */
    bool whole;                /* else label and key are empty */
} weft_cache_entry;

const char *weft_cache_folder(const weft_cache *c);
int64_t weft_cache_limit(const weft_cache *c);
/* Each entry, in no order; stops where visit returns false. False: the folder cannot be read. */
bool weft_cache_each(weft_cache *c, bool (*visit)(void *user, const weft_cache_entry *e), void *user);
/* Removes all entries, and what writers that were killed have left. How many; -1: the folder cannot be read. */
int64_t weft_cache_clear(weft_cache *c);

#endif
