/* data.c: token files as batches.
 *
 * A step's rows of this process are read into a block; the thread reads the next step's into another. Files are read,
 * not mapped: one that becomes shorter meanwhile would end the process by a signal (SIGBUS).
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <weft/data.h>
#include "base/file_read.h"
#include "base/options.h"
#include "capi/array_impl.h"
#include "runtime/host_array.h"
#include "runtime/strided.h"

/* The rows first to first + rows - 1 of a step: length + 1 tokens each, as in the file. */
typedef struct block {
    int64_t step, first, rows, batch, length;
    unsigned char *bytes; size_t room;
    int failed;                          /* errno; -1: the file has ended */
} block;

struct weft_tokens {
    weft_context *cx;
    const char *path;
    weft_arena arena;
    int fd;
    int64_t at, count;                   /* where the tokens begin, and how many there are */
    weft_dtype dtype;
    uint64_t seed;
    int64_t vocabulary;                  /* 0: tokens may be any */
    bool is_ordered, is_swapped;         /* is_swapped: a big-endian file */
    block now, next;
    pthread_t thread;
    bool is_reading;                     /* the thread reads next */
};

/* ---- the order ---- */

/* splitmix64's finaliser (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A permutation of 0 to n - 1 by a key: a Feistel network over the least even number of bits that n needs, walked until
 * it is below n (Black and Rogaway, CT-RSA 2002). Fewer than four rounds on average, for 2^bits < 4 n. */
static int64_t permute(int64_t i, int64_t n, uint64_t key) {
    int half = 1;
    while (half < 31 && ((int64_t)1 << 2 * half) < n) half++;
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t x = (uint64_t)i;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < 6; round++) {
            const uint64_t old = right;
            right = left ^ (mix(right + mix(key + round)) & mask);
            left = old;
        }
        x = left << half | right;
    } while (x >= (uint64_t)n);
    return (int64_t)x;
}

static int64_t window_of(const weft_tokens *t, int64_t row, int64_t windows) {
    const int64_t pass = row / windows, place = row % windows;
    return t->is_ordered ? place : permute(place, windows, mix(t->seed) + mix((uint64_t)pass + 1));
}

/* ---- opening ---- */

static weft_status check_type(weft_tokens *t, const char *type) {
    const weft_dtype d = weft_dtype_parse(weft_str_from(type ? type : "ui16"));
    if (d == WEFT_UI16 || d == WEFT_UI32) {
        t->dtype = d;
        return WEFT_OK;
    }
    return weft_report(t->cx, WEFT_D_usage, NULL, "weft_tokens_options.type is '%s', not ui16 or ui32", type);
}

static weft_status open_npy(weft_tokens *t, int64_t bytes) {
    weft_host_array a;
    weft_npy_form form;
    weft_status st = weft_npy_describe(t->cx, t->path, &a, &form);
    if (st != WEFT_OK) return st;
    if (a.rank != 1 || !weft_dtype_is_integer(a.dtype))
        return weft_report(t->cx, WEFT_D_data, NULL, "'%s' has no tokens: they are integers in one dimension", t->path);
    t->dtype = a.dtype;
    t->at = (int64_t)form.at;
    t->is_swapped = form.is_big_endian;
    t->count = a.dims[0];
    if (weft_host_array_bytes(&a) == bytes - t->at) return WEFT_OK;
    return weft_report(t->cx, WEFT_D_data, NULL, "'%s' has %lld bytes of tokens where its header says %lld", t->path,
                       (long long)(bytes - t->at), (long long)weft_host_array_bytes(&a));
}

static weft_status open_file(weft_tokens *t, const char *type) {
    int64_t bytes = 0;
    const size_t n = strlen(t->path);
    weft_status st = weft_file_open(t->cx, t->path, &t->fd, &bytes);
    if (st != WEFT_OK) return st;
    if (n > 4 && !strcmp(t->path + n - 4, ".npy")) return open_npy(t, bytes);
    if ((st = check_type(t, type)) != WEFT_OK) return st;
    const int64_t each = (int64_t)weft_dtype_bytes(t->dtype);
    t->count = bytes / each;
    if (bytes % each == 0) return WEFT_OK;
    return weft_report(t->cx, WEFT_D_data, NULL, "'%s' has %lld bytes, which are not whole tokens of %lld", t->path,
                       (long long)bytes, (long long)each);
}

static weft_status open_tokens(weft_context *cx, const char *path, const weft_tokens_options *opt, weft_tokens **out) {
    weft_tokens_options o;
    if (!out) return weft_report(cx, WEFT_D_usage, NULL, "the tokens have no output pointer: out is NULL");
    *out = NULL;
    weft_status st = WEFT_OPTIONS_READ(cx, NULL, weft_tokens_options, opt, &o);
    if (st == WEFT_OK && !path) st = weft_report(cx, WEFT_D_usage, NULL, "the path of the tokens is NULL");
    if (st == WEFT_OK && o.vocabulary < 0)
        st = weft_report(cx, WEFT_D_usage, NULL, "weft_tokens_options.vocabulary is %lld", (long long)o.vocabulary);
    if (st != WEFT_OK) return st;
    weft_tokens *t = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *t);
    if (!t) return weft_oom();
    *t = (weft_tokens){ .cx = cx, .fd = -1, .seed = o.seed, .vocabulary = o.vocabulary,
                         .is_ordered = o.ordered != 0 };
    weft_arena_init(&t->arena, &cx->alloc);
    t->now.step = t->next.step = -1;
    t->path = weft_arena_strdup(&t->arena, path, strlen(path));
    st = t->path ? open_file(t, o.type) : weft_oom();
    if (st == WEFT_OK) *out = t;
    else weft_tokens_close(t);
    return st;
}

weft_status weft_tokens_open_at(weft_source at, weft_context *cx, const char *path, const weft_tokens_options *opt,
                                weft_tokens **out) {
    const weft_call call = weft_call_begin(cx, at);
    return weft_call_end(call, open_tokens(cx, path, opt, out));
}

static void await_thread(weft_tokens *t) {
    if (t->is_reading) pthread_join(t->thread, NULL);
    t->is_reading = false;
}

void weft_tokens_close(weft_tokens *t) {
    if (!t) return;
    weft_allocator alloc = t->cx->alloc;
    await_thread(t);
    if (t->fd >= 0) close(t->fd);
    alloc.resize(alloc.user, t->now.bytes, t->now.room, 0);
    alloc.resize(alloc.user, t->next.bytes, t->next.room, 0);
    weft_arena_free(&t->arena);
    alloc.resize(alloc.user, t, sizeof *t, 0);
}

int64_t weft_tokens_count(const weft_tokens *t) { return t ? t->count : 0; }

int64_t weft_tokens_windows(const weft_tokens *t, int64_t length) {
    return t && length > 0 && t->count > 0 ? (t->count - 1) / length : 0;
}

/* ---- reading ---- */

/* By any thread. */
static void read_block(const weft_tokens *t, block *b) {
    const int64_t windows = weft_tokens_windows(t, b->length), each = (int64_t)weft_dtype_bytes(t->dtype);
    const size_t row_bytes = (size_t)((b->length + 1) * each);
    b->failed = 0;
    for (int64_t r = 0; r < b->rows && !b->failed; r++) {
        const int64_t window = window_of(t, b->step * b->batch + b->first + r, windows);
        unsigned char *to = b->bytes + (size_t)r * row_bytes;
        for (size_t done = 0; done < row_bytes && !b->failed;) {
            const ssize_t got = pread(t->fd, to + done, row_bytes - done,
                                      (off_t)(t->at + window * b->length * each) + (off_t)done);
            if (got > 0) done += (size_t)got;
            else if (got == 0) b->failed = -1;
            else if (errno != EINTR) b->failed = errno;
        }
        if (t->is_swapped && !b->failed) weft_swap_bytes(t->dtype, to, (size_t)b->length + 1);
    }
}

static void *read_next(void *tokens) {
    weft_tokens *t = tokens;
    read_block(t, &t->next);
    return NULL;
}

static bool is_same(const block *a, const block *b) {
    return a->step == b->step && a->first == b->first && a->rows == b->rows && a->batch == b->batch &&
           a->length == b->length;
}

static weft_status make_room(weft_tokens *t, block *b) {
    const size_t bytes = (size_t)(b->rows * (b->length + 1)) * weft_dtype_bytes(t->dtype) + 1;
    if (bytes <= b->room) return WEFT_OK;
    unsigned char *p = t->cx->alloc.resize(t->cx->alloc.user, b->bytes, b->room, bytes);
    if (!p) return weft_oom();
    b->bytes = p;
    b->room = bytes;
    return WEFT_OK;
}

static int64_t token_of(const weft_tokens *t, int64_t i) {
    return weft_dtype_load_int(t->dtype, t->now.bytes + (size_t)i * weft_dtype_bytes(t->dtype));
}

/* Where in the file token i of what was read is. */
static int64_t place_of(const weft_tokens *t, int64_t i) {
    const block *b = &t->now;
    const int64_t row = b->step * b->batch + b->first + i / (b->length + 1);
    return window_of(t, row, weft_tokens_windows(t, b->length)) * b->length + i % (b->length + 1);
}

/* Whether all tokens that were read are below the vocabulary's size; reports the first one that is not. */
static weft_status check_tokens(const weft_tokens *t) {
    for (int64_t i = 0; t->vocabulary && i < t->now.rows * (t->now.length + 1); i++) {
        const int64_t token = token_of(t, i);
        if (token >= 0 && token < t->vocabulary) continue;
        return weft_report(t->cx, WEFT_D_data, NULL, "'%s' has token %lld at place %lld, but the vocabulary has %lld",
                           t->path, (long long)token, (long long)place_of(t, i), (long long)t->vocabulary);
    }
    return WEFT_OK;
}

/* Whether the elements of an input can hold all tokens that were read; reports the first one that they cannot. */
static weft_status check_fit(const weft_tokens *t, const char *name, weft_dtype to) {
    if (to == t->dtype || (t->vocabulary && weft_dtype_holds_int(to, t->vocabulary - 1))) return WEFT_OK;
    for (int64_t i = 0; i < t->now.rows * (t->now.length + 1); i++)
        if (!weft_dtype_holds_int(to, token_of(t, i)))
            return weft_report(t->cx, WEFT_D_data, NULL, "'%s' has token %lld at place %lld, which input '%s' of %s "
                               "cannot hold", t->path, (long long)token_of(t, i), (long long)place_of(t, i), name,
                               weft_dtype_of(to)->name);
    return WEFT_OK;
}

/* t->now has the wanted rows; the thread goes on with those of the next step. */
static weft_status fetch(weft_tokens *t, block wanted) {
    weft_status st = WEFT_OK;
    if (is_same(&t->now, &wanted) && !t->now.failed) return st;
    await_thread(t);
    if (is_same(&t->next, &wanted)) {
        const block old = t->now;
        t->now = t->next;
        t->next = old;
    } else {
        wanted.bytes = t->now.bytes, wanted.room = t->now.room;
        t->now = wanted;
        st = make_room(t, &t->now);
        if (st == WEFT_OK) read_block(t, &t->now);
    }
    if (st == WEFT_OK && t->now.failed)
        st = weft_report(t->cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", t->path,
                         t->now.failed < 0 ? "it has become shorter" : strerror(t->now.failed));
    if (st == WEFT_OK) st = check_tokens(t);
    if (st != WEFT_OK) {
        t->now.step = -1;
        return st;
    }
    const block next = { .step = t->now.step + 1, .first = t->now.first, .rows = t->now.rows, .batch = t->now.batch,
                         .length = t->now.length, .bytes = t->next.bytes, .room = t->next.room };
    t->next = next;
    if (make_room(t, &t->next) == WEFT_OK) t->is_reading = !pthread_create(&t->thread, NULL, read_next, t);
    if (!t->is_reading) t->next.step = -1; /* it is read when it is needed */
    return st;
}

/* ---- batches ---- */

typedef struct batch { weft_tokens *t; weft_dtype to; int shift; } batch;

static weft_status fill(void *user, const weft_part *p) {
    const batch *in = user;
    const block *b = &in->t->now;
    const size_t each = weft_dtype_bytes(in->t->dtype), bytes = weft_dtype_bytes(in->to);
    for (int64_t i = 0; i < p->count[0]; i++) {
        const unsigned char *row = b->bytes + (size_t)((p->start[0] + i - b->first) * (b->length + 1)) * each;
        for (int64_t k = 0; k < p->count[1]; k++)
            weft_dtype_store_int(in->to, (char *)p->data + (size_t)(i * p->stride[0] + k * p->stride[1]) * bytes,
                                 weft_dtype_load_int(in->t->dtype, row + (size_t)(p->start[1] + k + in->shift) * each));
    }
    return WEFT_OK;
}

/* The rows that this process's devices hold, and those between them. */
static void find_rows(const weft_client *c, const weft_layout *l, block *b) {
    const int64_t first = weft_client_first_device(c), n = weft_client_local_devices(c), whole = l->dims[0].global;
    int64_t low = whole, high = 0;
    for (int64_t device = first; device < first + n; device++) {
        const int64_t from = weft_layout_shard(l, 0, device) * l->dims[0].local;
        low = weft_min_i64(low, weft_min_i64(from, whole));
        high = weft_max_i64(high, weft_min_i64(from + l->dims[0].local, whole));
    }
    b->first = low;
    b->rows = high > low ? high - low : 0;
}

static const weft_kind *kind_of(weft_source at, weft_program *p, const char *name) {
    for (size_t i = 0; name && i < weft_program_input_count(p); i++)
        if (!strcmp(weft_program_input(p, i).name->text, name)) return weft_program_input(p, i).kind;
    (void)weft_program_input_type_at(at, p, name); /* says that there is none */
    return NULL;
}

static weft_status check(weft_source at, const weft_tokens *t, const char *name, const weft_kind *k, int64_t step,
                         int shift) {
    weft_context *cx = t->cx;
    const weft_layout *l = k->layout;
    if (step < 0 || shift < 0 || shift > 1)
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "step %lld with shift %d is none of a token file: steps begin at 0, and shift is 0 or 1",
                           (long long)step, shift);
    if (l->rank != 2 || !weft_dtype_is_integer(l->dtype) || weft_layout_global_bytes(l) == 0)
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "input '%s' is %s: tokens go to integers, batch x length", name, k->type);
    if (step > INT64_MAX / l->dims[0].global - 2) /* the rows of the next step have numbers, too */
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "step %lld of input '%s' has rows above the number 2^63: its batches are of %lld rows",
                           (long long)step, name, (long long)l->dims[0].global);
    if (weft_tokens_windows(t, l->dims[1].global) > 0) return WEFT_OK;
    return weft_report(cx, WEFT_D_data, weft_place_of(cx, at),
                       "'%s' has %lld tokens: a window of input '%s' and the token after it are %lld", t->path,
                       (long long)t->count, name, (long long)l->dims[1].global + 1);
}

weft_status weft_tokens_put_at(weft_source at, weft_tokens *t, weft_program *p, weft_state *s, const char *name,
                               int64_t step, int shift) {
    if (!t || !p || !s) return WEFT_ERR_USAGE;
    weft_client *c = s->client;
    const weft_kind *k = kind_of(at, p, name);
    weft_status st = k ? check(at, t, name, k, step, shift) : WEFT_ERR_USAGE;
    if (st != WEFT_OK) return st;
    block wanted = { .step = step, .batch = k->layout->dims[0].global, .length = k->layout->dims[1].global };
    find_rows(c, k->layout, &wanted);
    const int64_t alike[] = { t->count, (int64_t)t->seed, t->is_ordered, step, shift };
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    weft_journal_call(c);
    weft_journal_write(c, k->type, alike, sizeof alike);
    st = fetch(t, wanted);
    if (st == WEFT_OK) st = check_fit(t, name, k->layout->dtype);
    st = weft_agree(c, st);
    if (st == WEFT_OK) st = weft_program_make_at(at, p, s, name, fill, &(batch){ t, k->layout->dtype, shift });
    return weft_call_end(call, st);
}
