/* npy: reads and writes NumPy's .npy files.
 *
 *   file   = "\x93NUMPY" major minor length header data        length: 2 bytes in version 1, 4 in 2 and 3,
 *          little-endian
 *   header = a Python dict literal of 'descr', 'fortran_order' and 'shape', padded with blanks to a multiple of 64
 *
 * A file is untrusted: every read is checked against its size. Data is used in place through a private mapping.
 * Source: numpy.lib.format.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context.h"
#include "base/draft.h"
#include "runtime/array.h"

typedef struct header {
    weft_str descr;
    bool fortran, has_descr, has_order, has_shape;
    uint32_t rank;
    int64_t dims[WEFT_ARRAY_MAX_RANK];
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
        if (h->rank == WEFT_ARRAY_MAX_RANK || !take_size(c, &h->dims[h->rank])) return false;
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
    if (descr.p[0] == '>') return WEFT_DTYPE_NONE;
    return weft_dtype_from_npy(name);
}

static weft_status report_type(weft_context *cx, const char *path, const weft_array *expected,
                               const weft_array *found) {
    weft_buf want, got;
    weft_buf_init(&want, &cx->alloc);
    weft_buf_init(&got, &cx->alloc);
    weft_array_type_print(&want, expected);
    weft_array_type_print(&got, found);
    weft_status st = weft_report(cx, WEFT_D_data, NULL, "'%s' holds %s, expected %s", path, got.p ? got.p : "?",
                                 want.p ? want.p : "?");
    weft_buf_free(&want);
    weft_buf_free(&got);
    return st;
}

/* Elements of a column-major file in row-major order. */
static void transpose(const weft_array *a, const char *from, char *to) {
    size_t e = weft_dtype_bytes(a->dtype);
    int64_t n = weft_array_elems(a), stride[WEFT_ARRAY_MAX_RANK], index[WEFT_ARRAY_MAX_RANK] = { 0 }, at = 0;
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

static weft_status map_file(weft_context *cx, const char *path, weft_npy *out) {
    struct stat sb;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* who opens a pipe must not wait for its writer */
    if (fd < 0) return weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be opened: %s", path, strerror(errno));
    void *p = MAP_FAILED;
    int failed = fstat(fd, &sb);
    const bool file = !failed && S_ISREG(sb.st_mode), empty = file && sb.st_size == 0;
    if (file && !empty) p = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int why = errno;
    close(fd);
    if (empty) return weft_report(cx, WEFT_D_data, NULL, "'%s' is empty, not a .npy file", path);
    if (!failed && !file)
        return weft_report(cx, WEFT_D_file, NULL, "'%s' is a %s, not a .npy file", path,
                           S_ISDIR(sb.st_mode) ? "directory" : "pipe or device");
    if (p == MAP_FAILED) return weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", path, strerror(why));
    out->map = p;
    out->map_bytes = (size_t)sb.st_size;
    return WEFT_OK;
}

static weft_status check(weft_context *cx, const char *path, const weft_array *expected, const header *h, size_t at,
                         weft_npy *out) {
    weft_array *a = &out->array;
    a->dtype = type_of(h->descr, expected->dtype);
    if (a->dtype == WEFT_DTYPE_NONE)
        return weft_report(cx, WEFT_D_data, NULL, "'%s' has elements of type '%.*s', expected %s", path,
                           WEFT_STR_ARG(h->descr), weft_dtype_of(expected->dtype)->name);
    a->rank = h->rank;
    memcpy(a->dims, h->dims, sizeof a->dims);
    bool same = a->dtype == expected->dtype && a->rank == expected->rank;
    for (uint32_t d = 0; same && d < a->rank; d++) same = expected->dims[d] < 0 || a->dims[d] == expected->dims[d];
    if (!same) return report_type(cx, path, expected, a);
    int64_t bytes = weft_array_bytes(a);
    if (bytes < 0 || (size_t)bytes != out->map_bytes - at)
        return weft_report(cx, WEFT_D_data, NULL, "'%s' holds %zu bytes of data, expected %lld", path,
                           out->map_bytes - at, (long long)bytes);
    a->data = (char *)out->map + at;
    if (!h->fortran || a->rank < 2 || bytes == 0) return WEFT_OK;
    out->converted = cx->alloc.resize(cx->alloc.user, NULL, 0, (size_t)bytes);
    if (!out->converted) return weft_oom();
    out->converted_bytes = (size_t)bytes;
    transpose(a, a->data, out->converted);
    a->data = out->converted;
    return WEFT_OK;
}

weft_status weft_npy_open(weft_context *cx, const char *path, const weft_array *expected, weft_npy *out) {
    header h = { 0 };
    *out = (weft_npy){ 0 };
    weft_status st = map_file(cx, path, out);
    if (st != WEFT_OK) return st;
    size_t at = parse_header(out->map, out->map_bytes, &h);
    const bool zip = out->map_bytes >= 4 && !memcmp(out->map, "PK\x03\x04", 4); /* of numpy.savez */
    if (at) st = check(cx, path, expected, &h, at, out);
    else
        st = weft_report(cx, WEFT_D_data, NULL,
                         zip ? "'%s' is an archive of arrays (.npz): Weft reads each array as a .npy file"
                             : "'%s' is not a .npy file",
                         path);
    if (st != WEFT_OK) weft_npy_close(cx, out);
    return st;
}

void weft_npy_close(weft_context *cx, weft_npy *npy) {
    if (npy->converted) cx->alloc.resize(cx->alloc.user, npy->converted, npy->converted_bytes, 0);
    if (npy->map) munmap(npy->map, npy->map_bytes);
    *npy = (weft_npy){ 0 };
}

static void print_header(weft_buf *b, const weft_array *a) {
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

static void write_all(FILE *f, const weft_buf *head, const weft_array *a) {
    size_t bytes = (size_t)weft_array_bytes(a);
    unsigned char start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(head->n & 255), (unsigned char)(head->n >> 8)
    };
    (void)(fwrite(start, 1, sizeof start, f) && fwrite(head->p, 1, head->n, f));
    if (bytes) (void)fwrite(a->data, 1, bytes, f);
}

weft_status weft_npy_write(weft_context *cx, const char *path, const weft_array *a) {
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
