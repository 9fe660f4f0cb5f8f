/* segment.c: see segment.h. */
#include "collectives/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u
#define HUGE_PAGE (2u << 20)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define LEAST (4 * (size_t)HUGE_PAGE)

static char *map_range(int fd, size_t size) {
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Addresses that the process may still use: with a limit (ulimit -v), the limit minus those in use. SIZE_MAX: no
 * limit. */
static size_t addresses_left(void) {
    struct rlimit r;
    unsigned long pages = 0;
    if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%lu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    size_t taken = pages * (size_t)sysconf(_SC_PAGESIZE);
    return r.rlim_cur > taken ? (size_t)r.rlim_cur - taken : 0;
}

#define SHARE 4 /* 1/SHARE of the remaining addresses is used here: threads, buffers and UCX need the rest */

/* A file beyond its limit (ulimit -f) causes a signal, not an error. */
static size_t file_most(void) {
    struct rlimit r;
    return getrlimit(RLIMIT_FSIZE, &r) == 0 && r.rlim_cur < SIZE_MAX ? (size_t)r.rlim_cur : SIZE_MAX;
}

static size_t less(size_t a, size_t b) { return a < b ? a : b; }

weft_status weft_segment_create(weft_segment_kind kind, size_t want, weft_segment *out) {
    *out = (weft_segment){ .fd = -1 };
    want = less(want, addresses_left() / SHARE);
    errno = ENOMEM;
    if (kind == WEFT_SEGMENT_SHARED) {
        if (file_most() < want) errno = EFBIG;
        want = less(want, file_most());
        if (want < LEAST) return WEFT_ERR_IO;
        out->fd = memfd_create("weft", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (out->fd < 0) return WEFT_ERR_IO;
    }
    /* With strict overcommit a smaller range may still succeed. */
    for (size_t size = want & ~(size_t)(HUGE_PAGE - 1); size >= LEAST; size /= 2) {
        if (out->fd >= 0 && ftruncate(out->fd, (off_t)size) != 0) continue;
        out->base = map_range(out->fd, size);
        if (!out->base) continue;
        out->size = size;
        /* So no process can truncate it while others map it, which would give them SIGBUS. weft_segment_open() also
         * recognises Weft's memory by the seals. */
        if (out->fd >= 0) (void)fcntl(out->fd, F_ADD_SEALS, SEALS);
        /* "Not inherited": a child that fork makes must not share or copy what a collective writes. */
        (void)madvise(out->base, size, MADV_DONTFORK);
        return WEFT_OK;
    }
    int why = errno;
    if (out->fd >= 0) close(out->fd);
    out->fd = -1;
    errno = why;
    return WEFT_ERR_IO;
}

weft_segment_card weft_segment_describe(const weft_segment *s) {
    struct stat st = { 0 };
    (void)fstat(s->fd, &st);
    return (weft_segment_card){ s->size, (uint64_t)st.st_dev, (uint64_t)st.st_ino, s->fd };
}

static bool is_sealed(int fd) {
    int seals = fcntl(fd, F_GET_SEALS); /* -1: it is no memfd */
    return seals >= 0 && (seals & SEALS) == SEALS;
}

weft_status weft_segment_open(long pid, const weft_segment_card *card, weft_segment *out) {
    char path[64];
    struct stat st;
    *out = (weft_segment){ .fd = -1 };
    snprintf(path, sizeof path, "/proc/%ld/fd/%lld", pid, (long long)card->fd);
    int mine = open(path, O_RDWR | O_CLOEXEC);
    if (mine < 0) return WEFT_ERR_IO;
    /* Without a common PID namespace another process may have this number. Memory of this user without the seals is not
     * Weft's: mapping it would let the card's writer choose which of this user's files is written to, or truncate it
     * later. */
    if (fstat(mine, &st) != 0 || (uint64_t)st.st_dev != card->device || (uint64_t)st.st_ino != card->inode ||
        !S_ISREG(st.st_mode) || st.st_uid != geteuid() || card->size < PAGE || (uint64_t)st.st_size != card->size ||
        !is_sealed(mine)) {
        close(mine);
        errno = ESTALE;
        return WEFT_ERR_IO;
    }
    out->base = map_range(mine, card->size);
    int why = errno;
    if (out->base) (void)madvise(out->base, card->size, MADV_DONTFORK);
    close(mine);
    errno = why;
    if (!out->base) return WEFT_ERR_IO;
    out->size = card->size;
    return WEFT_OK;
}

void weft_segment_close(weft_segment *s) {
    if (s->base) munmap(s->base, s->size);
    if (s->fd >= 0) close(s->fd);
    *s = (weft_segment){ .fd = -1 };
}

bool weft_segment_commit(const weft_segment *s, size_t offset, size_t bytes) {
    if (bytes >= HUGE_PAGE) (void)madvise(s->base + offset, bytes, MADV_HUGEPAGE);
    if (s->fd < 0) return true;
    int r;
    do r = fallocate(s->fd, 0, (off_t)offset, (off_t)bytes);
    while (r != 0 && errno == EINTR);
    return r == 0;
}

void weft_segment_decommit(const weft_segment *s, size_t offset, size_t bytes) {
    if (s->fd < 0) (void)madvise(s->base + offset, bytes, MADV_DONTNEED);
    else (void)fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes);
}

/* The range of addresses to reserve: the machine's memory, so that no program is refused for lack of addresses. */
static size_t machine_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 34;
}

weft_status weft_heap_init(weft_heap *h, const weft_allocator *alloc, weft_segment_kind kind, int maps) {
    *h = (weft_heap){ .alloc = *alloc, .segment.fd = -1 };
    h->cap = 16;
    h->blocks = alloc->resize(alloc->user, NULL, 0, h->cap * sizeof *h->blocks);
    if (!h->blocks) return WEFT_ERR_MEMORY;
    weft_status st =
        weft_segment_create(kind, less(machine_bytes(), addresses_left() / SHARE / (size_t)maps), &h->segment);
    if (st != WEFT_OK) {
        alloc->resize(alloc->user, h->blocks, h->cap * sizeof *h->blocks, 0);
        h->blocks = NULL;
        return st;
    }
    h->blocks[0] = (weft_heap_block){ 0, h->segment.size, WEFT_BLOCK_FREE };
    h->count = 1;
    pthread_mutex_init(&h->lock, NULL);
    return WEFT_OK;
}

void weft_heap_free(weft_heap *h) {
    if (!h->blocks) return;
    weft_segment_close(&h->segment);
    h->alloc.resize(h->alloc.user, h->blocks, h->cap * sizeof *h->blocks, 0);
    pthread_mutex_destroy(&h->lock);
    *h = (weft_heap){ .segment.fd = -1 };
}

/* Makes room for one more block after block i. */
static bool insert_after(weft_heap *h, size_t i) {
    if (h->count == h->cap) {
        void *p = h->alloc.resize(h->alloc.user, h->blocks, h->cap * sizeof *h->blocks, 2 * h->cap * sizeof *h->blocks);
        if (!p) return false;
        h->blocks = p;
        h->cap *= 2;
    }
    memmove(h->blocks + i + 2, h->blocks + i + 1, (h->count - i - 1) * sizeof *h->blocks);
    h->count++;
    return true;
}

/* Splits block i so that it keeps its first `bytes`. */
static bool split(weft_heap *h, size_t i, size_t bytes) {
    if (h->blocks[i].bytes == bytes) return true;
    if (!insert_after(h, i)) return false;
    h->blocks[i + 1] = (weft_heap_block){ h->blocks[i].offset + bytes, h->blocks[i].bytes - bytes, WEFT_BLOCK_FREE };
    h->blocks[i].bytes = bytes;
    return true;
}

static void join_next(weft_heap *h, size_t i) {
    if (i + 1 >= h->count || h->blocks[i].state != WEFT_BLOCK_FREE || h->blocks[i + 1].state != WEFT_BLOCK_FREE) return;
    h->blocks[i].bytes += h->blocks[i + 1].bytes;
    memmove(h->blocks + i + 1, h->blocks + i + 2, (h->count - i - 2) * sizeof *h->blocks);
    h->count--;
}

/* First fit; big blocks start at a huge page. */
static void *take(weft_heap *h, size_t bytes) {
    size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    for (size_t i = 0; i < h->count; i++) {
        weft_heap_block b = h->blocks[i];
        size_t pad = (align - b.offset % align) % align;
        if (b.state != WEFT_BLOCK_FREE || b.bytes < pad || b.bytes - pad < bytes) continue;
        if (pad && !split(h, i, pad)) return NULL;
        if (pad) i++;
        if (!split(h, i, bytes)) return NULL;
        if (!weft_segment_commit(&h->segment, h->blocks[i].offset, bytes)) {
            join_next(h, i);
            if (i) join_next(h, i - 1);
            return NULL;
        }
        h->blocks[i].state = WEFT_BLOCK_USED;
        return h->segment.base + h->blocks[i].offset;
    }
    return NULL;
}

void *weft_heap_alloc(weft_heap *h, size_t bytes) {
    if (bytes > h->segment.size) return NULL;
    bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (bytes == 0) bytes = PAGE;
    pthread_mutex_lock(&h->lock);
    void *p = take(h, bytes);
    pthread_mutex_unlock(&h->lock);
    return p;
}

void weft_heap_dealloc(weft_heap *h, void *p) {
    if (!p) return;
    size_t offset = (size_t)((char *)p - h->segment.base);
    pthread_mutex_lock(&h->lock);
    size_t lo = 0, hi = h->count; /* the block that starts at offset */
    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;
        if (h->blocks[mid].offset <= offset) lo = mid;
        else hi = mid;
    }
    if (h->blocks[lo].offset == offset && h->blocks[lo].state == WEFT_BLOCK_USED) {
        weft_segment_decommit(&h->segment, offset, h->blocks[lo].bytes);
        h->blocks[lo].state = WEFT_BLOCK_FREE;
        join_next(h, lo);
        if (lo) join_next(h, lo - 1);
    }
    pthread_mutex_unlock(&h->lock);
}
