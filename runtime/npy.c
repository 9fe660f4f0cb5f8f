/* npy: reads and writes NumPy's .npy files.
 *
 *   file   = "\x93NUMPY" major minor length header data        length: 2 bytes in version 1, 4 in 2 and 3,
 *          little-endian
 *   header = a Python dict literal of 'descr', 'fortran_order' and 'shape', padded with blanks to a multiple of 64
 *
 * A file is untrusted: every read is checked against its size. Data is read into memory of its own.
 * Source: numpy.lib.format.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context.h"
#include "base/draft.h"
#include "runtime/host_array.h"
#include "runtime/strided.h"

typedef struct header {
    weft_str descr;
    bool fortran, has_descr, has_order, has_shape;
    bool has_fields;                      /* descr is a list of them */
    uint32_t rank;
    int64_t dims[WEFT_HOST_ARRAY_MAX_RANK];
} header;

/* What is left of the dict's text. */
typedef struct cursor { const char *p, *end; } cursor;

static void skip_blanks(cursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t')) c->p++;
}

static bool take(cursor *c, char want) {
    skip_blanks(c);
    if (c->p == c->end || *c->p != want) return false;
    c->p++;
    return true;
}

static bool take_word(cursor *c, const char *word) {
    skip_blanks(c);
    size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n)) return false;
    c->p += n;
    return true;
}

static bool take_string(cursor *c, weft_str *out) {
    skip_blanks(c);
    if (c->p == c->end || (*c->p != '\'' && *c->p != '"')) return false;
    const char *close = memchr(c->p + 1, *c->p, (size_t)(c->end - c->p - 1));
    if (!close) return false;
    *out = (weft_str){ c->p + 1, (size_t)(close - c->p - 1) };
    c->p = close + 1;
    return true;
}

static bool take_size(cursor *c, int64_t *out) {
    int64_t v = 0;
    skip_blanks(c);
    const char *start = c->p;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (!weft_mul_i64(v, 10, &v) || !weft_add_i64(v, *c->p - '0', &v)) return false;
    if (c->p == start) return false;
    if (c->p < c->end && *c->p == 'L') c->p++; /* Python 2 wrote long integers so */
    *out = v;
    return true;
}

static bool take_shape(cursor *c, header *h) {
    if (!take(c, '(')) return false;
    while (!take(c, ')')) {
        if (h->rank == WEFT_HOST_ARRAY_MAX_RANK || !take_size(c, &h->dims[h->rank])) return false;
        h->rank++;
        if (!take(c, ',') && (skip_blanks(c), c->p == c->end || *c->p != ')')) return false;
    }
    return true;
}

static bool parse_dict(cursor *c, header *h) {
    weft_str key;
    if (!take(c, '{')) return false;
    while (!take(c, '}')) {
        if (!take_string(c, &key) || !take(c, ':')) return false;
        if (weft_str_is(key, "descr")) {
            h->has_fields = (skip_blanks(c), c->p < c->end && *c->p == '[');
            if (h->has_descr || !take_string(c, &h->descr)) return false;
            h->has_descr = true;
        } else if (weft_str_is(key, "fortran_order")) {
            h->fortran = take_word(c, "True");
            if (h->has_order || (!h->fortran && !take_word(c, "False"))) return false;
            h->has_order = true;
        } else if (weft_str_is(key, "shape")) {
            if (h->has_shape || !take_shape(c, h)) return false;
            h->has_shape = true;
        } else {
            return false;
        }
        take(c, ',');
    }
    return h->has_descr && h->has_order && h->has_shape;
}

/* Where the data starts; 0 when the file is not .npy. */
static size_t parse_header(const unsigned char *p, size_t n, header *h) {
    if (n < 10 || memcmp(p, "\x93NUMPY", 6) || p[6] < 1 || p[6] > 3) return 0;
    size_t at = p[6] == 1 ? 10 : 12, length = p[8] | (size_t)p[9] << 8;
    if (n < at) return 0;
    if (p[6] > 1) length |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    if (length > n - at) return 0;
    cursor c = { (const char *)p + at, (const char *)p + at + length };
    return parse_dict(&c, h) ? at + length : 0;
}

/* The element type of a descr such as "<f4". Raw bytes ("|V2") are of the expected type when NumPy has no name for that
 * one and the size is its; "<f1" is what ml_dtypes has for f8E5M2. */
static weft_dtype type_of(weft_str descr, weft_dtype expected) {
    char raw[16];
    if (descr.n < 2) return WEFT_DTYPE_NONE;
    weft_str name = { descr.p + 1, descr.n - 1 };
    snprintf(raw, sizeof raw, "V%zu", weft_dtype_bytes(expected));
    if (!weft_dtype_of(expected)->npy && weft_str_is(name, raw)) return expected;
    if (expected == WEFT_F8E5M2 && weft_str_is(name, "f1")) return expected;
    return weft_dtype_from_npy(name);
}

static bool is_swapped(const header *h) { return h->descr.n && h->descr.p[0] == '>'; }

static weft_status report_type(weft_context *cx, const char *path, const weft_host_array *expected,
                               const weft_host_array *found) {
    weft_buf want, got;
    weft_buf_init(&want, &cx->alloc);
    weft_buf_init(&got, &cx->alloc);
    weft_host_array_type_print(&want, expected);
    weft_host_array_type_print(&got, found);
    weft_status st = weft_report(cx, WEFT_D_data, NULL, "'%s' holds %s, expected %s", path, got.p ? got.p : "?",
                                 want.p ? want.p : "?");
    weft_buf_free(&want);
    weft_buf_free(&got);
    return st;
}

/* Elements of a column-major file in row-major order. */
static void transpose(const weft_host_array *a, const char *from, char *to) {
    size_t e = weft_dtype_bytes(a->dtype);
    int64_t n = weft_host_array_elems(a), stride[WEFT_HOST_ARRAY_MAX_RANK], index[WEFT_HOST_ARRAY_MAX_RANK] = { 0 },
        at = 0;
    for (uint32_t d = 0; d < a->rank; d++) stride[d] = d ? stride[d - 1] * a->dims[d - 1] : 1;
    for (int64_t i = 0; i < n; i++) {
        memcpy(to + (size_t)i * e, from + (size_t)at * e, e);
        for (uint32_t d = a->rank; d-- > 0;) {
            at += stride[d];
            if (++index[d] < a->dims[d]) break;
            at -= stride[d] * a->dims[d];
            index[d] = 0;
        }
    }
}

/* Files are read, not mapped: one that becomes shorter meanwhile would end the process by a signal (SIGBUS). */
typedef struct source {
    weft_context *cx;
    const char *path;
    int fd;
    size_t bytes; /* of the file, when it was opened */
} source;

static weft_status open_file(source *s) {
    struct stat sb;
    s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* who opens a pipe must not wait for its writer */
    if (s->fd < 0)
        return weft_report(s->cx, WEFT_D_file, NULL, "'%s' cannot be opened: %s", s->path, strerror(errno));
    if (fstat(s->fd, &sb))
        return weft_report(s->cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", s->path, strerror(errno));
    if (!S_ISREG(sb.st_mode))
        return weft_report(s->cx, WEFT_D_file, NULL, "'%s' is a %s, not a .npy file", s->path,
                           S_ISDIR(sb.st_mode) ? "directory" : "pipe or device");
    if (!sb.st_size) return weft_report(s->cx, WEFT_D_data, NULL, "'%s' is empty, not a .npy file", s->path);
    s->bytes = (size_t)sb.st_size;
    return WEFT_OK;
}

/* Bytes at .. at + n of the file. */
static weft_status read_part(const source *s, size_t at, void *to, size_t n) {
    size_t done = 0;
    while (done < n) {
        const ssize_t got = pread(s->fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return weft_report(s->cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", s->path, strerror(errno));
        if (!got)
            return weft_report(s->cx, WEFT_D_file, NULL, "'%s' became shorter while it was read: %zu bytes, then %zu",
                               s->path, s->bytes, at + done);
        done += (size_t)got;
    }
    return WEFT_OK;
}

static void *take_bytes(weft_context *cx, size_t n) { return cx->alloc.resize(cx->alloc.user, NULL, 0, n); }

static void give_bytes(weft_context *cx, void *p, size_t n) {
    if (p) cx->alloc.resize(cx->alloc.user, p, n, 0);
}

/* A header may have any sizes. */
static weft_status check_size(weft_context *cx, const char *path, const weft_host_array *a) {
    if (weft_host_array_bytes(a) >= 0) return WEFT_OK;
    return weft_report(cx, WEFT_D_data, NULL, "'%s' has a shape of 2^63 bytes or more in its header", path);
}

static weft_status check(const source *s, const weft_host_array *expected, const header *h, size_t at,
                         weft_host_array *a) {
    a->dtype = type_of(h->descr, expected->dtype);
    if (a->dtype == WEFT_DTYPE_NONE)
        return weft_report(s->cx, WEFT_D_data, NULL, "'%s' has elements of type '%.*s', expected %s", s->path,
                           WEFT_STR_ARG(h->descr), weft_dtype_of(expected->dtype)->name);
    a->rank = h->rank;
    memcpy(a->dims, h->dims, sizeof a->dims);
    bool same = a->dtype == expected->dtype && a->rank == expected->rank;
    for (uint32_t d = 0; same && d < a->rank; d++) same = expected->dims[d] < 0 || a->dims[d] == expected->dims[d];
    if (!same) return report_type(s->cx, s->path, expected, a);
    const int64_t bytes = weft_host_array_bytes(a);
    if (bytes < 0) return check_size(s->cx, s->path, a);
    if ((size_t)bytes != s->bytes - at)
        return weft_report(s->cx, WEFT_D_data, NULL, "'%s' holds %zu bytes of data, expected %lld", s->path,
                           s->bytes - at, (long long)bytes);
    return WEFT_OK;
}

/* What stands in the header; *at: where the data starts. The strings of *h lie in text, as many bytes as the header may
 * have. */
static weft_status read_header(const source *s, char *text, size_t most, header *h, size_t *at) {
    weft_status st = read_part(s, 0, text, most);
    if (st != WEFT_OK) return st;
    if ((*at = parse_header((const unsigned char *)text, most, h))) return WEFT_OK;
    const char *why = "'%s' is not a .npy file";
    if (most >= 4 && !memcmp(text, "PK\x03\x04", 4)) /* of numpy.savez */
        why = "'%s' is an archive of arrays (.npz): Weft reads each array as a .npy file";
    else if (h->has_fields)
        why = "'%s' has elements of several fields: Weft reads each field as a .npy file of its own";
    else if (most > 6 && !memcmp(text, "\x93NUMPY", 6))
        why = text[6] < 1 || text[6] > 3 ? "'%s' is a .npy file of another version than 1, 2 and 3"
                                         : "'%s' is a .npy file whose header is damaged";
    return weft_report(s->cx, WEFT_D_data, NULL, why, s->path);
}

/* The data, which begins at `at`, in row-major order. */
static weft_status read_data(const source *s, const header *h, size_t at, weft_npy *out) {
    weft_host_array *a = &out->array;
    const size_t bytes = s->bytes - at;
    const bool turn = h->fortran && a->rank > 1;
    out->owned_bytes = bytes ? bytes : 1; /* data is never NULL */
    if (!(out->owned = take_bytes(s->cx, out->owned_bytes))) return weft_oom();
    a->data = out->owned;
    weft_status st = read_part(s, at, out->owned, bytes);
    if (st == WEFT_OK && is_swapped(h)) weft_swap_bytes(a->dtype, out->owned, (size_t)weft_host_array_elems(a));
    if (st != WEFT_OK || !turn || !bytes) return st;
    char *rows = take_bytes(s->cx, bytes);
    if (!rows) return weft_oom();
    transpose(a, out->owned, rows);
    give_bytes(s->cx, out->owned, bytes);
    a->data = out->owned = rows;
    return WEFT_OK;
}

enum { MOST_HEADER = 1 << 16 }; /* NumPy's own limit is 10,000 */

weft_status weft_npy_open(weft_context *cx, const char *path, const weft_host_array *expected, weft_npy *out) {
    source s = { .cx = cx, .path = path, .fd = -1 };
    header h = { 0 };
    char *text = NULL;
    size_t at = 0, most = 0;
    *out = (weft_npy){ 0 };
    weft_status st = open_file(&s);
    if (st != WEFT_OK) goto out;
    most = s.bytes < MOST_HEADER ? s.bytes : MOST_HEADER;
    if (!(text = take_bytes(cx, most))) {
        st = weft_oom();
        goto out;
    }
    st = read_header(&s, text, most, &h, &at);
    if (st == WEFT_OK) st = check(&s, expected, &h, at, &out->array);
    if (st == WEFT_OK) st = read_data(&s, &h, at, out);
out:
    give_bytes(cx, text, most);
    if (s.fd >= 0) close(s.fd);
    if (st != WEFT_OK) weft_npy_close(cx, out);
    return st;
}

weft_status weft_npy_describe(weft_context *cx, const char *path, weft_host_array *out, weft_npy_form *form) {
    source s = { .cx = cx, .path = path, .fd = -1 };
    header h = { 0 };
    char *text = NULL;
    size_t most = 0;
    *out = (weft_host_array){ 0 };
    *form = (weft_npy_form){ 0 };
    weft_status st = open_file(&s);
    if (st != WEFT_OK) goto out;
    most = s.bytes < MOST_HEADER ? s.bytes : MOST_HEADER;
    if (!(text = take_bytes(cx, most))) {
        st = weft_oom();
        goto out;
    }
    st = read_header(&s, text, most, &h, &form->at);
    if (st != WEFT_OK) goto out;
    form->is_column_major = h.fortran && h.rank > 1;
    form->is_big_endian = is_swapped(&h);
    *out = (weft_host_array){ .dtype = type_of(h.descr, WEFT_DTYPE_NONE), .rank = h.rank };
    memcpy(out->dims, h.dims, sizeof out->dims);
    if (st == WEFT_OK && out->dtype == WEFT_DTYPE_NONE)
        st = weft_report(cx, WEFT_D_data, NULL, "'%s' has elements of type '%.*s', which Weft does not read", path,
                         WEFT_STR_ARG(h.descr));
    if (st == WEFT_OK) st = check_size(cx, path, out);
out:
    give_bytes(cx, text, most);
    if (s.fd >= 0) close(s.fd);
    return st;
}

void weft_npy_close(weft_context *cx, weft_npy *npy) {
    give_bytes(cx, npy->owned, npy->owned_bytes);
    *npy = (weft_npy){ 0 };
}

static void print_header(weft_buf *b, const weft_host_array *a) {
    const weft_dtype_info *t = weft_dtype_of(a->dtype);
    if (t->npy)
        weft_buf_printf(b, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", t->stored_bytes == 1 ? '|' : '<',
                        t->npy);
    else weft_buf_printf(b, "{'descr': '<V%d', 'fortran_order': False, 'shape': (", t->stored_bytes);
    for (uint32_t d = 0; d < a->rank; d++)
        weft_buf_printf(b, "%s%lld%s", d ? " " : "", (long long)a->dims[d], d + 1 < a->rank || d == 0 ? "," : "");
    weft_buf_puts(b, "), }");
    while ((10 + b->n + 1) % 64) weft_buf_putc(b, ' ');
    weft_buf_putc(b, '\n');
}

static void write_all(FILE *f, const weft_buf *head, const weft_host_array *a) {
    size_t bytes = (size_t)weft_host_array_bytes(a);
    unsigned char start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(head->n & 255), (unsigned char)(head->n >> 8)
    };
    (void)(fwrite(start, 1, sizeof start, f) && fwrite(head->p, 1, head->n, f));
    if (bytes) (void)fwrite(a->data, 1, bytes, f);
}

weft_status weft_npy_write(weft_context *cx, const char *path, const weft_host_array *a) {
    weft_buf head;
    weft_draft draft;
    weft_buf_init(&head, &cx->alloc);
    print_header(&head, a);
    weft_status st = head.failed ? WEFT_ERR_MEMORY : weft_draft_open(&cx->alloc, path, &draft);
    if (st == WEFT_OK) {
        write_all(draft.file, &head, a); /* the stream remembers what fails */
        st = weft_draft_close(&draft);
    }
    if (st == WEFT_ERR_MEMORY) st = weft_oom();
    else if (st != WEFT_OK)
        st = weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be written: %s", path, strerror(errno));
    weft_buf_free(&head);
    return st;
}
