/* piece_writer: see piece_writer.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/piece_writer.h"

enum {
    GATHERED = 1 << 20,                   /* runs shorter than this are gathered */
    CHUNK = 1 << 18,                      /* is hashed and then copied out of the cache of a core */
    PUSHED = 8 << 20                      /* the disk gets so much at a time: enough for its speed */
};

typedef struct stream {
    weft_box_cursor cursor;
    weft_digest digest;
    bool has_more;
} stream;

typedef struct writer {
    int fd;
    int64_t at;
    char *gathered;
    int64_t from, bytes;                  /* of the array, in gathered */
    int64_t pushed, end;                  /* of the file: what the disk has been given, and what is written */
} writer;

bool weft_write_at(int fd, const void *p, size_t n, int64_t at) {
    for (size_t done = 0; done < n;) {
        const ssize_t got = pwrite(fd, (const char *)p + done, n - done, (off_t)(at + (int64_t)done));
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = EIO;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

/* Begins to bring to the disk what is in the system's memory, and waits for no write to end. It is a wish: fsync
 * decides. */
static void push(writer *w, int64_t least) {
    if (w->end - w->pushed < least) return;
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(w->fd, (off_t)w->pushed, (off_t)(w->end - w->pushed), SYNC_FILE_RANGE_WRITE);
#endif
    w->pushed = w->end;
}

static bool write_part(writer *w, const void *p, size_t n, int64_t at) {
    if (w->at + at != w->end) {
        push(w, 1);
        w->pushed = w->end = w->at + at;
    }
    if (!weft_write_at(w->fd, p, n, w->at + at)) return false;
    w->end += (int64_t)n;
    push(w, PUSHED);
    return true;
}

static bool flush(writer *w) {
    const size_t n = (size_t)w->bytes;
    w->bytes = 0;
    return !n || write_part(w, w->gathered, n, w->from);
}

/* A part of a run that has just been hashed. */
static bool take(writer *w, const char *p, size_t n, int64_t at, bool is_long) {
    if (w->bytes && (is_long || at != w->from + w->bytes || w->bytes + (int64_t)n > GATHERED))
        if (!flush(w)) return false;
    if (is_long) return write_part(w, p, n, at);
    if (!w->bytes) w->from = at;
    memcpy(w->gathered + w->bytes, p, n);
    w->bytes += (int64_t)n;
    return true;
}

static bool write_run(writer *w, stream *s, const char *data) {
    const weft_box_cursor *c = &s->cursor;
    for (size_t done = 0, n; done < c->n; done += n) {
        n = c->n - done < CHUNK ? c->n - done : CHUNK;
        const char *p = data + c->memory + done;
        weft_digest_add(&s->digest, p, n);
        if (!take(w, p, n, c->file + (int64_t)done, c->n >= GATHERED)) return false;
    }
    s->has_more = weft_box_next(&s->cursor);
    return true;
}

/* The stream whose next run comes first in the file; n: all have ended. */
static size_t earliest(const stream *s, size_t n) {
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (s[i].has_more && (best == n || s[i].cursor.file < s[best].cursor.file)) best = i;
    return best;
}

bool weft_pieces_write(int fd, int64_t at, weft_piece *pieces, size_t n) {
    writer w = { .fd = fd, .at = at, .gathered = malloc(GATHERED), .pushed = at, .end = at };
    stream *streams = calloc(n + 1, sizeof *streams);
    bool ok = w.gathered && streams;
    for (size_t i = 0; ok && i < n; i++) {
        weft_digest_begin(&streams[i].digest);
        streams[i].has_more = weft_box_first(&pieces[i].box, &streams[i].cursor);
    }
    for (size_t i; ok && (i = earliest(streams, n)) < n;) ok = write_run(&w, &streams[i], pieces[i].data);
    if (ok) ok = flush(&w);
    if (ok) push(&w, 1);
    const int why = errno;
    bool hashed = true;
    for (size_t i = 0; streams && w.gathered && i < n; i++)
        hashed &= weft_digest_end(&streams[i].digest, pieces[i].sha256);
    free(streams);
    free(w.gathered);
    errno = ok ? ENOMEM : why;
    return ok && hashed;
}
