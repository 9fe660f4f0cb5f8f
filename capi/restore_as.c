/* restore_as.c: see restore_as.h. */
#include <stdlib.h>

#include "base/nearest.h"
#include "capi/restore_as.h"

#define NUMBER "{}"
enum { MOST_NUMBERS = 8, MOST_NAME = 1024 };

static size_t numbers_in(const char *text) {
    size_t n = 0;
    while ((text = strstr(text, NUMBER))) n++, text += strlen(NUMBER);
    return n;
}

static weft_status refuse(const weft_restore_as *r, const weft_stored_as *row, const char *why) {
    return weft_report(r->cx, WEFT_D_usage, weft_place_of(r->cx, r->at), "the row of '%s': %s", row->name, why);
}

weft_status weft_restore_as_begin(weft_restore_as *r) {
    r->is_used = weft_scratch_array(r->cx, bool, r->n);
    if (!r->is_used) return weft_oom();
    for (size_t i = 0; i < r->n; i++) {
        const weft_stored_as *row = &r->rows[i];
        if (!row->name || !*row->name || !row->stored || !*row->stored)
            return weft_report(r->cx, WEFT_D_usage, weft_place_of(r->cx, r->at),
                               "row %zu of how arrays are stored has no name, or not where it is stored", i);
        if (numbers_in(row->stored) > MOST_NUMBERS || numbers_in(row->name) > numbers_in(row->stored))
            return refuse(r, row, "what is stored has at least as many numbers '{}' as the name, and at most 8");
        if (strlen(row->name) + strlen(row->stored) + (r->prefix ? strlen(r->prefix) : 0) > MOST_NAME / 2)
            return refuse(r, row, "its names are longer than 512 characters");
        if (row->dim < 0 || row->from < 0 || row->count < 0)
            return refuse(r, row, "dim, from and count are not negative");
    }
    return WEFT_OK;
}

/* ---- names ---- */

/* Whether name is pattern with numbers in it, which v gets. */
static bool matches(const char *pattern, const char *name, int64_t v[MOST_NUMBERS]) {
    size_t n = 0;
    while (*pattern) {
        if (!strncmp(pattern, NUMBER, strlen(NUMBER))) {
            char *end;
            if (*name < '0' || *name > '9') return false;
            v[n++] = strtoll(name, &end, 10);
            name = end;
            pattern += strlen(NUMBER);
        } else if (*pattern++ != *name++) return false;
    }
    return !*name;
}

/* pattern with these numbers, after prefix. */
static void expand(char to[MOST_NAME], const char *prefix, const char *pattern, const int64_t *v) {
    size_t n = (size_t)weft_format(to, MOST_NAME, "%s", prefix);
    for (const char *p = pattern; *p && n + 32 < MOST_NAME;) {
        const bool is_number = !strncmp(p, NUMBER, strlen(NUMBER));
        if (is_number) n += (size_t)weft_format(to + n, MOST_NAME - n, "%lld", (long long)*v++);
        else to[n++] = *p;
        p += is_number ? strlen(NUMBER) : 1;
    }
    to[n] = 0;
}

static const weft_saved_array *look_up(const weft_restore_as *r, const char *prefix, const char *stored,
                                       const int64_t *v) {
    char name[MOST_NAME];
    expand(name, prefix, stored, v);
    return weft_saved_find(r->saved, name);
}

static const weft_saved_array *find(const weft_restore_as *r, const char *stored, const int64_t *v) {
    const weft_saved_array *a = look_up(r, "", stored, v);
    return a || !r->prefix ? a : look_up(r, r->prefix, stored, v);
}

bool weft_restore_as_names(weft_restore_as *r, const char *name) {
    int64_t v[MOST_NUMBERS];
    bool any = false;
    for (size_t i = 0; i < r->n; i++)
        if (matches(r->rows[i].name, name, v)) any = r->is_used[i] = true;
    return any;
}

static bool is_among(const char *name, const weft_name *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (weft_str_is(weft_name_str(names[i]), name)) return true;
    return false;
}

/* Arrays of layers that were made one by one: the files have none of a layer more. */
static weft_status check_numbers(const weft_restore_as *r, const weft_stored_as *row, const weft_name *names,
                                 size_t n) {
    const size_t prefix = r->prefix ? strlen(r->prefix) : 0;
    for (size_t i = 0; i < r->saved->array_count; i++) {
        const char *stored = r->saved->arrays[i].stored->name;
        int64_t v[MOST_NUMBERS];
        char name[MOST_NAME];
        const bool is_one = matches(row->stored, stored, v) ||
                            (prefix && !strncmp(stored, r->prefix, prefix) && matches(row->stored, stored + prefix, v));
        if (!is_one) continue;
        expand(name, "", row->name, v);
        if (!is_among(name, names, n))
            return weft_report(r->cx, WEFT_D_data, weft_place_of(r->cx, r->at),
                               "'%s' has an array '%s', and there is no '%s' that it is for", r->saved->folder, stored,
                               name);
    }
    return WEFT_OK;
}

weft_status weft_restore_as_end(weft_restore_as *r, const weft_name *names, size_t n) {
    for (size_t i = 0; i < r->n; i++) {
        if (r->is_used[i]) {
            weft_status st = numbers_in(r->rows[i].name) ? check_numbers(r, &r->rows[i], names, n) : WEFT_OK;
            if (st != WEFT_OK) return st;
            continue;
        }
        weft_nearest near = weft_nearest_to(weft_str_from(r->rows[i].name));
        for (size_t k = 0; k < n; k++) weft_nearest_offer(&near, weft_name_str(names[k]));
        return weft_report(r->cx, WEFT_D_usage, weft_place_of(r->cx, r->at),
                           "the row of '%s' is for no array" WEFT_NEAREST, r->rows[i].name, WEFT_NEAREST_ARG(near));
    }
    return WEFT_OK;
}

/* ---- shapes ---- */

static weft_status does_not_fit(const weft_restore_as *r, const char *name, const weft_kind *kind,
                                const weft_saved_array *a, const char *why) {
    weft_buf type;
    weft_buf_init(&type, &r->cx->alloc);
    weft_stored_print_type(&type, a->stored);
    weft_status st = type.failed ? weft_oom()
                                 : weft_report(r->cx, WEFT_D_data, weft_place_of(r->cx, r->at),
                                               "array '%s' is %s, and '%s' in '%s' is %s: %s", name, kind->type,
                                               a->stored->name, a->file->path, type.p, why);
    weft_buf_free(&type);
    return st;
}

/* The dimensions of the stored array in the order that the row says; false: it says none of them. */
static bool read_order(const char *text, uint32_t rank, uint32_t *order) {
    bool is_taken[WEFT_MOST_DIMS] = { false };
    for (uint32_t d = 0; d < rank; d++) {
        char *end;
        const long long n = text ? strtoll(text, &end, 10) : (long long)d;
        if (text && (end == text || n < 0 || n >= rank || is_taken[n])) return false;
        order[d] = (uint32_t)n;
        is_taken[n] = true;
        if (!text) continue;
        while (*end == ' ') end++;
        if (d + 1 < rank ? *end != ',' : *end != 0) return false;
        text = end + 1;
    }
    return true;
}

/* How far neighbours of each of the array's dimensions are apart, which split the stored one's, of sizes `size`. */
static bool split(const weft_layout *l, uint32_t first, uint32_t rank, const int64_t *size, const int64_t *apart,
                  int64_t *file) {
    uint32_t d = first;
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t from = d;
        int64_t n = 1, step = apart[i];
        if (size[i] == 1) continue;
        while (d < l->rank && n != size[i] && weft_mul_i64(n, l->dims[d].global, &n)) d++;
        if (n != size[i]) return false;
        for (uint32_t k = d; k-- > from; step *= l->dims[k].global) file[k] = step;
    }
    for (; d < l->rank; d++)
        if (l->dims[d].global != 1) return false;
    return true;
}

static weft_status lay_out(const weft_restore_as *r, const weft_stored_as *row, const char *name, const weft_kind *kind,
                           weft_restore_view *v, int64_t *file) {
    const weft_saved_array *a = v->parts[0];
    const weft_stored *t = a->stored;
    int64_t size[WEFT_MOST_DIMS], apart[WEFT_MOST_DIMS], n = 1;
    uint32_t order[WEFT_MOST_DIMS];
    const weft_dtype to = kind->layout->dtype;
    if (t->dtype != to && !(weft_dtype_is_float(t->dtype) && weft_dtype_is_float(to)))
        return does_not_fit(r, name, kind, a, "only floats are converted");
    if (!read_order(row->order, t->rank, order))
        return does_not_fit(r, name, kind, a, "its row's order is not one of its dimensions");
    int64_t stored[WEFT_MOST_DIMS], steps[WEFT_MOST_DIMS];
    for (uint32_t d = t->rank; d-- > 0; n *= t->dims[d]) stored[d] = t->dims[d], steps[d] = n;
    if (row->count) {
        if (row->dim >= t->rank || row->from > stored[row->dim] || row->count > stored[row->dim] - row->from)
            return does_not_fit(r, name, kind, a, "the elements that its row takes are not in it");
        v->first = row->from * steps[row->dim];
        stored[row->dim] = row->count;
    }
    for (uint32_t d = 0; d < t->rank; d++) size[d] = stored[order[d]], apart[d] = steps[order[d]];
    if (split(kind->layout, v->stacked, t->rank, size, apart, file)) return WEFT_OK;
    return does_not_fit(r, name, kind, a, "what its row takes has not these dimensions, nor can they be split so");
}

/* ---- parts ---- */

static bool is_alike(const weft_stored *a, const weft_stored *b) {
    return a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

/* The arrays of a row, one for each element of the stacked dimensions. Without the first of them the row is not that of
 * these files: *out is NULL. */
static weft_status gather(const weft_restore_as *r, const weft_stored_as *row, const char *name, const weft_kind *kind,
                          weft_restore_view *v, int64_t numbers[MOST_NUMBERS]) {
    const size_t own = numbers_in(row->name);
    int64_t n = 1;
    v->stacked = (uint32_t)(numbers_in(row->stored) - own);
    v->parts = NULL;
    for (uint32_t d = 0; d < v->stacked; d++) numbers[own + d] = 0;
    const weft_saved_array *first = find(r, row->stored, numbers);
    if (!first) return WEFT_OK;
    if (v->stacked > kind->layout->rank)
        return does_not_fit(r, name, kind, first, "it has fewer dimensions than numbers");
    for (uint32_t d = 0; d < v->stacked; d++)
        if (!weft_mul_i64(n, kind->layout->dims[d].global, &n)) return weft_oom();
    if (!n) return does_not_fit(r, name, kind, first, "it has no elements");
    if (n > (int64_t)r->saved->array_count) n = (int64_t)r->saved->array_count + 1; /* one of them is not there */
    const weft_saved_array **parts = weft_scratch_array(r->cx, const weft_saved_array *, (size_t)n);
    if (!parts) return weft_oom();
    v->parts = parts;
    for (int64_t i = 0; i < n; i++) {
        parts[i] = find(r, row->stored, numbers);
        if (!parts[i])
            return weft_report(r->cx, WEFT_D_data, weft_place_of(r->cx, r->at),
                               "'%s' has no array '%s' of number %lld, which is part of '%s', %s", r->saved->folder,
                               row->stored, (long long)numbers[own + v->stacked - 1], name, kind->type);
        if (!is_alike(parts[i]->stored, first->stored))
            return does_not_fit(r, name, kind, parts[i], "it is not like the one of number 0");
        for (uint32_t d = v->stacked; d-- > 0;) {
            if (++numbers[own + d] < kind->layout->dims[d].global) break;
            numbers[own + d] = 0;
        }
    }
    for (uint32_t d = 0; d < v->stacked; d++) {
        numbers[own + d] = kind->layout->dims[d].global;
        const weft_saved_array *more = find(r, row->stored, numbers);
        if (more) return does_not_fit(r, name, kind, more, "there are more of them");
        numbers[own + d] = 0;
    }
    return WEFT_OK;
}

weft_status weft_restore_as_find(weft_restore_as *r, const char *name, const weft_kind *kind, weft_restore_view **out) {
    int64_t numbers[MOST_NUMBERS] = { 0 };
    int64_t *file = weft_scratch_array(r->cx, int64_t, kind->layout->rank);
    const weft_stored_as *last = NULL;
    *out = weft_scratch_array(r->cx, weft_restore_view, 1);
    if (!*out || !file) return weft_oom();
    (*out)->file = file;
    for (size_t i = 0; i < r->n; i++) {
        if (!matches(r->rows[i].name, name, numbers)) continue;
        last = &r->rows[i];
        weft_status st = gather(r, last, name, kind, *out, numbers);
        if (st != WEFT_OK) return st;
        if ((*out)->parts) return lay_out(r, last, name, kind, *out, file);
    }
    return weft_report(r->cx, WEFT_D_data, weft_place_of(r->cx, r->at),
                       "'%s' has no array '%s', which '%s' is stored as", r->saved->folder, last ? last->stored : "",
                       name);
}

/* ---- data ---- */

weft_status weft_restore_as_read(const weft_restore_as *r, const weft_restore_view *v, const weft_kind *kind,
                                 const weft_part *p) {
    const weft_layout *l = kind->layout;
    const uint32_t s = v->stacked;
    int64_t index[MOST_NUMBERS] = { 0 }, memory[WEFT_MOST_DIMS], n = 1;
    weft_strided view = { .rank = l->rank - s, .count = p->count + s, .file = v->file + s, .memory = memory + s,
                          .first = v->first, .dtype = l->dtype };
    for (uint32_t d = l->rank; d-- > 0; n *= l->dims[d].local) memory[d] = n;
    for (uint32_t d = s; d < l->rank; d++) view.first += p->start[d] * v->file[d];
    for (uint32_t d = 0; d < l->rank; d++)
        if (!p->count[d]) return WEFT_OK;
    for (;;) {
        int64_t part = 0, at = 0;
        for (uint32_t d = 0; d < s; d++) {
            part = part * l->dims[d].global + p->start[d] + index[d];
            at += index[d] * memory[d];
        }
        weft_status st = weft_saved_read_strided(r->saved, v->parts[part], &view,
                                                 (char *)p->data + (size_t)at * weft_dtype_bytes(l->dtype));
        if (st != WEFT_OK) return st;
        uint32_t d = s;
        for (; d > 0; d--) {
            if (++index[d - 1] < p->count[d - 1]) break;
            index[d - 1] = 0;
        }
        if (!d) return WEFT_OK;
    }
}
