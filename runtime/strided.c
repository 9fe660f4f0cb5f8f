/* strided: see strided.h.
 *
 * They are visited in the order of the file, so that it is read once and forwards, whatever the order in the memory is.
 */
#include "base/context.h"
#include "base/file_read.h"
#include "runtime/strided.h"

enum { WINDOW = 1 << 18, MOST_DIMS = 64 };

typedef struct dim { int64_t count, file, memory; } dim; /* distances in elements */

typedef struct reading {
    const weft_in_file *of;
    weft_dtype to_type;
    char *to;
    dim dims[MOST_DIMS];                  /* the farthest apart in the file first */
    uint32_t rank;
    char *window;
    int64_t from, n, most;                /* elements that the window has, and how many it is to have */
} reading;

/* Dimensions that vary, by their distance in the file; neighbours that make one dimension on both sides become one. */
static void sort_dims(reading *r, const weft_strided *v) {
    for (uint32_t d = 0; d < v->rank; d++) {
        uint32_t at = r->rank;
        if (v->count[d] == 1) continue;
        for (; at && r->dims[at - 1].file < v->file[d]; at--) r->dims[at] = r->dims[at - 1];
        r->dims[at] = (dim){ v->count[d], v->file[d], v->memory[d] };
        r->rank++;
    }
    uint32_t n = 0;
    for (uint32_t d = 0; d < r->rank; d++) {
        const dim x = r->dims[d];
        dim *last = n ? &r->dims[n - 1] : NULL;
        if (last && last->file == x.file * x.count && last->memory == x.memory * x.count)
            *last = (dim){ last->count * x.count, x.file, x.memory };
        else r->dims[n++] = x;
    }
    r->rank = n;
}

/* The element at `at` is in the window; *n: so many from there on. */
static weft_status look(reading *r, int64_t at, int64_t *n) {
    const weft_in_file *f = r->of;
    const int64_t size = (int64_t)weft_dtype_bytes(f->dtype);
    weft_status st = WEFT_OK;
    if (at < r->from || at >= r->from + r->n) {
        r->from = at;
        r->n = weft_min_i64(r->most, f->elems - at);
        st = weft_file_read(f->cx, f->path, f->fd, f->at + at * size, r->window, (size_t)(r->n * size));
        if (st == WEFT_OK && f->is_swapped) weft_swap_bytes(f->dtype, r->window, (size_t)r->n);
    }
    *n = r->from + r->n - at;
    return st;
}

/* count elements, step apart in the file. */
static weft_status read_run(reading *r, int64_t file, int64_t memory, dim x) {
    const weft_dtype type = r->of->dtype;
    const size_t size = weft_dtype_bytes(type), to_size = weft_dtype_bytes(r->to_type);
    for (int64_t done = 0, n; done < x.count;) {
        weft_status st = look(r, file + done * x.file, &n);
        if (st != WEFT_OK) return st;
        n = weft_min_i64((n - 1) / x.file + 1, x.count - done);
        const char *from = r->window + (size_t)(file + done * x.file - r->from) * size;
        char *to = r->to + (size_t)(memory + done * x.memory) * to_size;
        if (type == r->to_type && x.file == 1 && x.memory == 1) memcpy(to, from, (size_t)n * size);
        else
            for (int64_t i = 0; i < n; i++, from += (size_t)x.file * size, to += (size_t)x.memory * to_size) {
                if (type == r->to_type) memcpy(to, from, size);
                else weft_dtype_store(r->to_type, to, weft_dtype_load(type, from));
            }
        done += n;
    }
    return WEFT_OK;
}

static weft_status read_all(reading *r, int64_t file) {
    int64_t index[MOST_DIMS] = { 0 }, memory = 0;
    const dim run = r->rank ? r->dims[r->rank - 1] : (dim){ 1, 1, 1 };
    for (;;) {
        weft_status st = read_run(r, file, memory, run);
        if (st != WEFT_OK) return st;
        uint32_t d = r->rank ? r->rank - 1 : 0;
        for (; d > 0; d--) {
            const dim x = r->dims[d - 1];
            file += x.file;
            memory += x.memory;
            if (++index[d - 1] < x.count) break;
            file -= index[d - 1] * x.file;
            memory -= index[d - 1] * x.memory;
            index[d - 1] = 0;
        }
        if (!d) return WEFT_OK;
    }
}

weft_status weft_strided_read(const weft_in_file *f, const weft_strided *v, void *to) {
    weft_allocator *alloc = &f->cx->alloc;
    reading r = { .of = f, .to_type = v->dtype, .to = to };
    for (uint32_t d = 0; d < v->rank; d++)
        if (!v->count[d]) return WEFT_OK;
    sort_dims(&r, v);
    /* Of runs far apart no window has two: it need not have what is between them. */
    const int64_t window = WINDOW / (int64_t)weft_dtype_bytes(f->dtype);
    r.most = r.rank > 1 && r.dims[r.rank - 2].file >= window
                 ? weft_min_i64(window, (r.dims[r.rank - 1].count - 1) * r.dims[r.rank - 1].file + 1)
                 : window;
    if (!(r.window = alloc->resize(alloc->user, NULL, 0, WINDOW))) return weft_oom();
    weft_status st = read_all(&r, v->first);
    alloc->resize(alloc->user, r.window, WINDOW, 0);
    return st;
}

void weft_swap_bytes(weft_dtype t, void *elems, size_t n) {
    const size_t size = weft_dtype_bytes(weft_dtype_part(t)), parts = n * weft_dtype_bytes(t) / size;
    unsigned char *p = elems;
    for (size_t i = 0; size > 1 && i < parts; i++, p += size)
        for (size_t k = 0; k < size / 2; k++) {
            const unsigned char byte = p[k];
            p[k] = p[size - 1 - k];
            p[size - 1 - k] = byte;
        }
}
