/* archive_loc.c: locations in an archive. Each is written where it is met first, after those that it is made of; later
 * its number stands for it. */
#include "base/table.h"
#include "exec/archive.h"

/* Deeper ones, which no program of people has, are written as unknown: readers recur as deep. */
enum { MOST_DEPTH = 400 };

typedef struct numbered { const weft_loc *loc; uint64_t number; } numbered;

static uint64_t hash_of(const weft_loc *loc) { return weft_hash_end(weft_hash_mix(0, (uint64_t)(uintptr_t)loc)); }

static const numbered *known(const weft_archive *a, const weft_loc *loc) {
    size_t probe = 0;
    for (const numbered *e; (e = weft_table_next(&a->loc_numbers, hash_of(loc), &probe));)
        if (e->loc == loc) return e;
    return NULL;
}

static void number(weft_archive *a, uint64_t v) { WEFT_ARCHIVE_NUMBER(a, v); }

static void write_name(weft_archive *a, weft_name name) {
    weft_str s = name ? weft_name_str(name) : (weft_str){ NULL, 0 };
    weft_archive_str(a, &s);
}

static void write(weft_archive *a, const weft_loc *loc, uint32_t depth) {
    if (!loc || depth == MOST_DEPTH) loc = &weft_loc_unknown;
    const numbered *old = known(a, loc);
    number(a, old ? old->number : a->loc_count);
    if (old) return;
    uint32_t kind = loc->kind, n = loc->n, line = loc->line, column = loc->column;
    WEFT_ARCHIVE_NUMBER(a, kind);
    WEFT_ARCHIVE_NUMBER(a, n);
    write_name(a, loc->name);
    WEFT_ARCHIVE_NUMBER(a, line);
    WEFT_ARCHIVE_NUMBER(a, column);
    for (uint32_t i = 0; i < n; i++) write(a, loc->a[i], depth + 1);
    numbered *e = weft_arena_new(a->arena, numbered);
    if (!e || !weft_table_add(&a->loc_numbers, a->arena, hash_of(loc), e)) {
        a->status = WEFT_ERR_MEMORY;
        return;
    }
    *e = (numbered){ loc, a->loc_count++ };
}

static bool fits(const weft_loc *l) {
    switch (l->kind) {
    case WEFT_LOC_UNKNOWN:
    case WEFT_LOC_FILE: return l->n == 0;
    case WEFT_LOC_NAME: return l->n <= 1;
    case WEFT_LOC_CALL: return l->n == 2;
    case WEFT_LOC_FUSED: return true;
    case WEFT_LOC_READ:
    case WEFT_LOC_SCOPE: return l->n == 1;
    }
    return false;
}

/* What l describes, whose members are read; NULL when memory is out. */
static const weft_loc *made(weft_context *cx, const weft_loc *l, const weft_loc *const *of) {
    switch (l->kind) {
    case WEFT_LOC_UNKNOWN: break;
    case WEFT_LOC_FILE: return weft_loc_file(cx, l->name, l->line, l->column);
    case WEFT_LOC_NAME: return weft_loc_named(cx, l->name, l->n ? of[0] : NULL);
    case WEFT_LOC_SCOPE: return weft_loc_scope(cx, l->name, of[0]);
    case WEFT_LOC_CALL: return weft_loc_call(cx, of[0], of[1]);
    case WEFT_LOC_FUSED: return weft_loc_fused(cx, of, l->n);
    case WEFT_LOC_READ: {
        const weft_loc *place = weft_loc_file(cx, l->name, l->line, l->column);
        return place ? weft_loc_read(cx, of[0], place) : NULL;
    }
    }
    return &weft_loc_unknown;
}

static const weft_loc *read(weft_archive *a, uint32_t depth);

/* One that is met for the first time. */
static const weft_loc *read_new(weft_archive *a, uint32_t depth) {
    weft_loc l = { .kind = (weft_loc_kind)weft_archive_enum(a, 0, WEFT_LOC_READ + 1) };
    weft_str name = { NULL, 0 };
    const void *members = NULL;
    WEFT_ARCHIVE_NUMBER(a, l.n);
    weft_archive_str(a, &name);
    WEFT_ARCHIVE_NUMBER(a, l.line);
    WEFT_ARCHIVE_NUMBER(a, l.column);
    const weft_loc **of = weft_archive_array(a, &members, l.n, sizeof *of, _Alignof(const weft_loc *));
    for (uint32_t i = 0; of && i < l.n; i++) of[i] = read(a, depth + 1);
    if (a->status == WEFT_OK && !fits(&l)) weft_archive_malformed(a);
    if (a->status != WEFT_OK) return NULL;
    l.name = weft_name_intern(a->cx, name);
    const weft_loc *loc = l.name ? made(a->cx, &l, of) : NULL;
    if (!loc) a->status = WEFT_ERR_MEMORY;
    return loc;
}

static const weft_loc *read(weft_archive *a, uint32_t depth) {
    uint64_t at = 0;
    WEFT_ARCHIVE_NUMBER(a, at);
    if (a->status == WEFT_OK && (at > a->loc_count || depth > MOST_DEPTH)) weft_archive_malformed(a);
    if (a->status != WEFT_OK) return NULL;
    if (at < a->loc_count) return a->locs[at];
    const weft_loc *loc = read_new(a, depth);
    if (!loc) return NULL;
    if (a->loc_count == a->loc_cap &&
        !weft_arena_grow(a->arena, (void **)&a->locs, &a->loc_cap, a->loc_count + 1, sizeof *a->locs)) {
        a->status = WEFT_ERR_MEMORY;
        return NULL;
    }
    a->locs[a->loc_count++] = loc;
    return loc;
}

void weft_archive_loc(weft_archive *a, const weft_loc **loc) {
    if (a->mode == WEFT_ARCHIVE_WRITE) write(a, *loc, 0);
    if (a->mode != WEFT_ARCHIVE_READ) return;
    *loc = read(a, 0);
    if (!*loc) *loc = &weft_loc_unknown;
}
