/* checkpoint_reshard.c: see checkpoint_reshard.h. */
#include <ctype.h>
#include <stdatomic.h>
#include "base/context.h"
#include "base/glob.h"
#include "pipeline/checkpoint_reshard.h"
#include "pipeline/pipeline.h"
#include "sharding/spelling.h"

typedef struct resharding {
    weft_context *cx;
    const weft_saved *saved;
    const weft_reshard_options *o;
    const weft_attr *mesh;              /* NULL: shardings stay */
    int64_t devices;
    weft_arena arena;
    weft_save_array *arrays;
    weft_save_piece *pieces; size_t piece_count, piece_cap;
    int64_t held;                       /* bytes of the largest piece */
    char *room;                         /* for it */
} resharding;

/* Where a piece comes from: the user of its read. */
typedef struct piece_source { resharding *r; const int64_t *start, *count; } piece_source;

static weft_status read_piece(void *user, size_t array, const void **data) {
    const piece_source *p = user;
    const weft_saved_array *a = &p->r->saved->arrays[array];
    const weft_stored *t = a->stored;
    const weft_box box = { t->rank, weft_dtype_bytes(t->dtype), t->dims, p->start, p->count, p->count };
    *data = p->r->room;
    return weft_saved_read(p->r->saved, a, &box, p->r->room);
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static weft_status add_piece(resharding *r, size_t array, const int64_t *start, const int64_t *count, int64_t bytes) {
    const uint32_t rank = r->saved->arrays[array].stored->rank;
    piece_source *from = weft_arena_new(&r->arena, piece_source);
    int64_t *numbers = weft_arena_array(&r->arena, int64_t, 2 * rank + 1);
    if (!from || !numbers || (r->piece_count == r->piece_cap &&
                              !weft_arena_grow(&r->arena, (void **)&r->pieces, &r->piece_cap, r->piece_count + 1,
                                               sizeof *r->pieces)))
        return weft_oom();
    for (uint32_t d = 0; d < rank; d++) {
        numbers[d] = start[d];
        numbers[rank + d] = count[d];
    }
    *from = (piece_source){ r, numbers, numbers + rank };
    r->pieces[r->piece_count++] = (weft_save_piece){ .array = array, .start = from->start, .count = from->count,
                                                     .local = from->count, .read = read_piece, .user = from };
    if (bytes > r->held) r->held = bytes;
    return WEFT_OK;
}

/* The box, along its first dimensions in pieces that are small enough; start and count are changed. */
static weft_status add_box(resharding *r, size_t array, int64_t *start, int64_t *count) {
    const weft_stored *t = r->saved->arrays[array].stored;
    int64_t bytes = (int64_t)weft_dtype_bytes(t->dtype);
    uint32_t d = 0;
    for (uint32_t k = 0; k < t->rank; k++) bytes *= count[k];
    while (d < t->rank && count[d] <= 1) d++;
    if (bytes <= WEFT_RESHARD_BYTES || d == t->rank) return bytes ? add_piece(r, array, start, count, bytes) : WEFT_OK;
    const int64_t first = start[d], all = count[d], one = bytes / all,
                  step = one < WEFT_RESHARD_BYTES ? WEFT_RESHARD_BYTES / one : 1;
    weft_status st = WEFT_OK;
    for (int64_t i = 0; st == WEFT_OK && i < all; i += step) {
        start[d] = first + i;
        count[d] = weft_min_i64(step, all - i);
        st = add_box(r, array, start, count);
    }
    start[d] = first;
    count[d] = all;
    return st;
}

/* The parts that devices of the new mesh hold, each once, from dimension d on. */
static weft_status add_parts(resharding *r, size_t array, const weft_layout *l, uint32_t d, int64_t *start,
                             int64_t *count) {
    if (d == l->rank) return add_box(r, array, start, count);
    const int64_t local = weft_max_i64(l->dims[d].local, 1), global = l->dims[d].global;
    weft_status st = WEFT_OK;
    for (int64_t i = 0; st == WEFT_OK && i < global; i += local) {
        start[d] = i;
        count[d] = weft_min_i64(local, global - i);
        st = add_parts(r, array, l, d + 1, start, count);
    }
    return st;
}

/* --- shardings ---------------------------------------------------------------------------------------------------- */

static bool has_axis(const weft_mesh_attr *mesh, weft_str name) {
    for (uint32_t i = 0; i < mesh->axis_count; i++)
        if (weft_str_equal(weft_str_from(mesh->axes[i].name->text), name)) return true;
    return false;
}

/* Whether the mesh has all axes that a saved sharding names, whole ones only. */
static bool fits(const weft_mesh_attr *mesh, const char *sharding) {
    for (const char *p = sharding; *p;) {
        const char *end = p;
        while (isalnum((unsigned char)*end) || *end == '_' || *end == '.') end++;
        if (end > p && !has_axis(mesh, (weft_str){ p, (size_t)(end - p) })) return false;
        p = end > p ? end : end + 1;
        if (*p == ':') return false;
    }
    return true;
}

/* The sharding that the options give an array; an empty text: none. */
static weft_str asked(const resharding *r, const char *name) {
    for (size_t i = r->o->shard_count; i-- > 0;) {
        const char *text = r->o->shards[i], *equals = strchr(text, '=');
        if (equals && weft_glob_matches((weft_str){ text, (size_t)(equals - text) }, weft_str_from(name)))
            return weft_str_from(equals + 1);
    }
    return (weft_str){ NULL, 0 };
}

static weft_status check_patterns(const resharding *r) {
    for (size_t i = 0; i < r->o->shard_count; i++) {
        const char *text = r->o->shards[i], *equals = strchr(text, '=');
        bool any = false;
        if (!r->mesh) return weft_report(r->cx, WEFT_D_usage, NULL, "a sharding '%s' needs a mesh", text);
        if (!equals || equals == text)
            return weft_report(r->cx, WEFT_D_usage, NULL, "'%s' is not PATTERN=SHARDING, as in 'w*=data, -'", text);
        for (size_t k = 0; k < r->saved->array_count && !any; k++)
            any = weft_glob_matches((weft_str){ text, (size_t)(equals - text) },
                                    weft_str_from(r->saved->arrays[k].stored->name));
        if (!any)
            return weft_report(r->cx, WEFT_D_usage, NULL, "the checkpoint has no array '%.*s'", (int)(equals - text),
                               text);
    }
    return WEFT_OK;
}

/* "-, -": an array that is whole everywhere. */
static weft_str whole(resharding *r, uint32_t rank) {
    char *text = weft_arena_alloc(&r->arena, 3 * (size_t)rank + 1, 1);
    size_t n = 0;
    for (uint32_t d = 0; text && d < rank; d++) {
        if (d) text[n++] = ',', text[n++] = ' ';
        text[n++] = '-';
    }
    if (text) text[n] = 0;
    return (weft_str){ text, n };
}

/* The array on the new mesh. */
static weft_status place(resharding *r, size_t array, weft_io *io) {
    const weft_saved_array *a = &r->saved->arrays[array];
    const weft_stored *t = a->stored;
    weft_str text = asked(r, t->name);
    const bool given = text.p != NULL, keeps = !given && *a->mesh && fits(&r->mesh->mesh, a->sharding);
    weft_status st = WEFT_OK;
    if (!given && *a->mesh && !keeps)
        st = weft_report(r->cx, WEFT_D_annotation, NULL,
                         "array '%s' was sharded \"%s\", of which the mesh lacks an axis: no device has a part of it",
                         t->name, a->sharding);
    if (keeps) text = weft_str_from(a->sharding);
    else if (!given) text = whole(r, t->rank);
    if (st == WEFT_OK && !text.p) st = weft_oom();
    *io = (weft_io){ .global = weft_type_tensor(r->cx, t->dtype, t->rank, t->dims), .mesh = r->mesh };
    if (st == WEFT_OK && !io->global) st = weft_oom();
    if (st == WEFT_OK) st = weft_sharding_spelled(r->cx, NULL, r->mesh, &r->mesh->mesh, t->rank, text, &io->sharding);
    if (st != WEFT_OK && given) weft_note(r->cx, NULL, "that is the sharding of array '%s'", t->name);
    return st;
}

/* The parts of an array, and what is written of it. */
static weft_status add_array(resharding *r, size_t array) {
    const weft_saved_array *a = &r->saved->arrays[array];
    const weft_stored *t = a->stored;
    const char *mesh = a->mesh, *sharding = a->sharding;
    int64_t start[WEFT_MAX_RANK] = { 0 }, count[WEFT_MAX_RANK];
    weft_layout l;
    weft_io io;
    weft_status st = WEFT_OK;
    if (t->rank > WEFT_MAX_RANK)
        return weft_report(r->cx, WEFT_D_unsupported, NULL, "array '%s' has %u dimensions", t->name, t->rank);
    for (uint32_t d = 0; d < t->rank; d++) count[d] = t->dims[d];
    if (!r->mesh) st = add_box(r, array, start, count);
    else {
        st = place(r, array, &io);
        if (st == WEFT_OK) st = weft_io_texts(&r->arena, &io, &mesh, &sharding);
        if (st == WEFT_OK) st = weft_io_layout(r->cx, &r->arena, &io, NULL, r->devices, NULL, &l);
        if (st == WEFT_OK) st = add_parts(r, array, &l, 0, start, count);
    }
    r->arrays[array] = (weft_save_array){ t->name, mesh, sharding, t->dtype, t->rank, t->dims };
    return st;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* How many files there are where none of several arrays has more bytes. */
static int64_t files_of(const weft_saved *s, int64_t most) {
    int64_t files = 1, bytes = 0;
    for (size_t i = 0; i < s->array_count; i++) {
        if (i && bytes + s->arrays[i].stored->bytes > most) files++, bytes = 0;
        bytes += s->arrays[i].stored->bytes;
    }
    return files;
}

/* The smallest file_bytes with which there are at most so many files. */
static int64_t bytes_for_files(const weft_saved *s, int64_t files) {
    int64_t low = 1, high = 1;
    for (size_t i = 0; i < s->array_count; i++) high += s->arrays[i].stored->bytes;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (files_of(s, middle) <= files) high = middle;
        else low = middle + 1;
    }
    return low;
}

static weft_status write_all(resharding *r, const char *to) {
    const weft_reshard_options *o = r->o;
    const weft_allocator *a = &r->cx->alloc;
    const int64_t most = o->files ? bytes_for_files(r->saved, o->files) : o->file_bytes;
    const _Atomic int never = 0;
    weft_save *save = NULL;
    weft_status st = weft_save_plan(r->cx, to, r->saved->step >= 0 ? r->saved->step : o->step, r->arrays,
                                    r->saved->array_count, most, &save);
    r->room = st == WEFT_OK ? a->resize(a->user, NULL, 0, (size_t)r->held + 1) : NULL;
    if (st == WEFT_OK && !r->room) st = weft_oom();
    if (st == WEFT_OK) st = weft_save_create(save);
    if (st == WEFT_OK) {
        st = weft_save_write(save, r->pieces, r->piece_count, 0, 1);
        if (st == WEFT_OK) st = weft_save_commit(save, 1, 0, &never);
        if (st != WEFT_OK) weft_save_abandon(save);
        if (st != WEFT_OK && *weft_save_why(save))
            st = weft_report(r->cx, WEFT_D_file, NULL, "%s", weft_save_why(save));
    }
    if (r->room) a->resize(a->user, r->room, (size_t)r->held + 1, 0);
    weft_save_free(save);
    return st;
}

weft_status weft_checkpoint_reshard(weft_context *cx, const weft_saved *s, const char *to,
                                    const weft_reshard_options *o) {
    resharding r = { .cx = cx, .saved = s, .o = o, .devices = 1 };
    weft_arena_init(&r.arena, &cx->chunks);
    r.arrays = weft_arena_array(&r.arena, weft_save_array, s->array_count + 1);
    weft_status st = r.arrays ? WEFT_OK : weft_oom();
    if (st == WEFT_OK && o->files > (int64_t)s->array_count)
        st = weft_report(cx, WEFT_D_usage, NULL, "%lld files, but an array is in one file, and there are %zu",
                         (long long)o->files, s->array_count);
    if (st == WEFT_OK && o->mesh) st = weft_mesh_spelled(cx, NULL, weft_str_from(o->mesh), &r.mesh);
    for (uint32_t i = 0; st == WEFT_OK && r.mesh && i < r.mesh->mesh.axis_count; i++)
        r.devices *= r.mesh->mesh.axes[i].size; /* the reader of meshes knows that it fits */
    if (st == WEFT_OK) st = check_patterns(&r);
    for (size_t i = 0; st == WEFT_OK && i < s->array_count; i++) st = add_array(&r, i);
    if (st == WEFT_OK) st = write_all(&r, to);
    weft_arena_free(&r.arena);
    return st;
}
