/* buffers.c: memory for every value of a block.
 *
 * Arguments, results and constants have spaces of their own. The rest share one arena: a value lives from the unit that
 * writes it to the last one that reads it, a kernel's result takes over the memory of an operand that dies there when
 * each element is read before it is written, and the buffers that remain are put, largest first, at the lowest offset
 * that no other one holds at the same time. The buffers of a home stand in a tree by offset, whose nodes know when
 * anything below them lives: a search for that offset passes over what lives at other times. A collective that is begun
 * by one unit and waited for by another holds operands and results from the one to the other.
 *
 * The memory of a result of @main is there during the whole step, though the result comes late. So a value that the
 * result may take over lies there from its birth, and other values lie there while nothing else does, rather than in
 * the arena. In memory that a result shares with a donated argument that begins when the argument has been read for the
 * last time, or with the unit that does so element by element: what a loop or an update of a part begins with is then
 * no copy of the argument, but the argument.
 */
#include <stdlib.h>
#include "codegen/call.h"
#include "codegen/lower.h"

enum { ARENA = 0 };         /* a home; others are 1 + the number of a result */
enum { MOST_TRIED_TWICE = 4096 }; /* buffers */

typedef struct buffer {
    int64_t bytes, offset;  /* bytes: without what fills up to the next one */
    uint32_t from, to;      /* units, both included */
    uint32_t number;
    uint32_t home;
    bool fixed;             /* in its home, at offset 0; before packing */
    struct buffer *less, *more; /* of the same home, by offset and number: a treap; */
    uint32_t first, last;   /* units between which those at and below this one live */
} buffer;

/* The memory of a result. */
typedef struct room { int64_t bytes; uint32_t home; } room;

typedef struct assigner {
    cg_lowering *l;
    cg_layout *lay;
    const int32_t *alias;
    weft_arena arena;
    uint32_t *last;         /* unit that reads a node last, by node id */
    uint32_t *held;         /* the same, or the end of a collective under way that reads it */
    uint32_t *of;           /* buffer of a node, by id */
    uint32_t *scratch;      /* of a unit */
    buffer *v;
    uint32_t n;
    buffer **in;            /* by home: the root of what lies there */
    room *rooms;            /* the smallest first */
    uint32_t room_count;
} assigner;

static bool local(const assigner *a, const cg_node *n) {
    return n->block == a->lay->block && !a->l->place[n->id].known;
}

static void uses(assigner *a) {
    const cg_units *u = &a->lay->units;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].read_count; k++) {
            a->held[u->v[i].reads[k]->id] = i;
            if (k >= u->v[i].held_count) a->last[u->v[i].reads[k]->id] = i;
        }
    for (uint32_t r = 0; r < a->lay->block->result_count; r++)
        a->last[cg_base(a->lay->block->results[r])->id] = u->count;
}

static const cg_store *store_of(const cg_kernel *k, const cg_node *n) {
    for (uint32_t i = 0; i < k->store_count; i++)
        if (k->stores[i].kind == CG_STORE && k->params[k->stores[i].param] == n) return &k->stores[i];
    return NULL;
}

static uint32_t param_of(const cg_kernel *k, const cg_node *n) {
    for (uint32_t i = 0; i < k->param_count; i++)
        if (k->params[i] == n) return i;
    return CG_NONE;
}

/* The call says so, and reads that memory by no other operand. */
static bool call_overwrites(const cg_node *call, const cg_node *read, const cg_node *write) {
    uint32_t reads = 0;
    for (uint32_t i = 0; i < call->in_count; i++) reads += cg_base(call->in[i]) == read;
    return reads == 1 && write->aux < call->in_count &&
           weft_bits_has(call->call->spec.in_place, (unsigned)write->aux) && cg_base(call->in[write->aux]) == read;
}

bool cg_may_overwrite(const cg_unit *u, const cg_node *read, const cg_node *write) {
    if (cg_bytes(read) != cg_bytes(write)) return false;
    if (u->kind == CG_UNIT_STEP && u->step->cls == CG_CALL) return call_overwrites(u->step, read, write);
    if (u->kind == CG_UNIT_STEP)
        return u->step->cls == CG_WHILE
                   ? cg_base(u->step->in[write->aux]) == read
                   : u->step->cls == CG_COLLECTIVE && u->step->coll->kind == WEFT_PLAN_ALL_REDUCE &&
                         cg_base(u->step->in[write->aux]) == read;
    const cg_node *whole = cg_whole((cg_node *)write);
    if (cg_in_place(whole)) return cg_base(whole->in[write == whole ? 0 : write->aux]) == read;
    const cg_store *s = store_of(u->kernel, write);
    return s && read->dtype == write->dtype && cg_kernel_in_place(u->kernel, param_of(u->kernel, read), s);
}

/* The buffer of an operand that dies in unit i, for its result w; CG_NONE when there is none. */
static uint32_t taken_over(assigner *a, uint32_t i, const cg_node *w) {
    const cg_unit *u = &a->lay->units.v[i];
    for (uint32_t k = 0; k < u->read_count; k++) {
        const cg_node *r = u->reads[k];
        uint32_t b = a->of[r->id];
        if (b == CG_NONE || a->last[r->id] != i || a->v[b].to != i || !cg_may_overwrite(u, r, w)) continue;
        return b;
    }
    return CG_NONE;
}

static uint32_t new_buffer(assigner *a, int64_t bytes, uint32_t from, uint32_t to) {
    a->v[a->n] = (buffer){ .bytes = bytes, .from = from, .to = to, .number = a->n, .home = ARENA };
    return a->n++;
}

/* Operands of a collective under way stay until its end, unless a result has their memory by now. */
static void hold(assigner *a, const cg_unit *start) {
    for (uint32_t k = 0; k < start->read_count; k++) {
        const uint32_t b = a->of[start->reads[k]->id];
        if (b != CG_NONE && a->v[b].to < start->mate) a->v[b].to = start->mate;
    }
}

/* The result of @main that w is, in memory that the caller gives; CG_NONE when it is none. */
static uint32_t result_of(const assigner *a, const cg_node *w) {
    const cg_place *p = &a->l->place[w->id];
    return p->known && p->absolute && p->at.space == WEFT_SPACE_RESULT && w->block == a->lay->block ? p->at.index
                                                                                                    : CG_NONE;
}

/* The unit after which nobody reads what the caller has put into the memory of result r; CG_NONE when nobody does at
 * all. */
static uint32_t last_read(const assigner *a, uint32_t r) {
    return a->alias && a->alias[r] >= 0 ? a->held[a->lay->block->args[a->alias[r]]->id] : CG_NONE;
}

/* The unit reads the argument that result r may overwrite, for the last time, and writes the first value of buffer b:
 * it may do so where that argument lies. A copy then has nothing to do. */
static bool begins_in_place(const assigner *a, uint32_t unit, uint32_t b, uint32_t r) {
    const cg_node *const arg = a->lay->block->args[a->alias[r]];
    const cg_unit *u = &a->lay->units.v[unit];
    for (uint32_t k = 0; k < u->write_count; k++) {
        const cg_node *const w = u->writes[k];
        if (a->of[w->id] == b) return cg_copied(w) == arg || cg_unit_may_overwrite(a->lay, unit, arg, w);
    }
    return false;
}

/* Whether the memory of result r is free when buffer b begins. */
static bool is_free(const assigner *a, uint32_t b, uint32_t r) {
    const uint32_t read = last_read(a, r), from = a->v[b].from;
    if (a->v[b].home != ARENA) return false;
    return read == CG_NONE || read < from || (read == from && begins_in_place(a, from, b, r));
}

/* w, which unit i writes and which is result r: what it may take over lies there from the start, if that memory is free
 * by then. */
static void hold_result(assigner *a, uint32_t i, const cg_node *w, uint32_t r) {
    const uint32_t read = last_read(a, r);
    uint32_t b = taken_over(a, i, w);
    if (b != CG_NONE && !is_free(a, b, r)) b = CG_NONE;
    if (b == CG_NONE) b = new_buffer(a, cg_bytes(w), i, i);
    a->v[b].to = a->lay->units.count;
    a->v[b].home = 1 + r;
    a->v[b].fixed = true;
    if (read == CG_NONE) return;
    const uint32_t old = new_buffer(a, cg_bytes(w), 0, read);
    a->v[old].home = 1 + r;
    a->v[old].fixed = true;
}

static void make_buffers(assigner *a) {
    const cg_units *u = &a->lay->units;
    for (uint32_t i = 0; i < u->count; i++) {
        for (uint32_t k = 0; k < u->v[i].write_count; k++) {
            const cg_node *w = u->v[i].writes[k];
            const uint32_t r = result_of(a, w);
            if (r != CG_NONE) {
                a->rooms[a->room_count++] = (room){ cg_bytes(w), 1 + r };
                hold_result(a, i, w, r);
            }
            if (!local(a, w)) continue;
            uint32_t to = a->last[w->id] == CG_NONE ? i : a->last[w->id], b = taken_over(a, i, w);
            if (b != CG_NONE) a->v[b].to = to;
            else b = new_buffer(a, cg_bytes(w), i, to);
            a->of[w->id] = b;
        }
        if (u->v[i].phase == CG_PHASE_START) hold(a, &u->v[i]);
        if (a->lay->scratch_bytes[i]) a->scratch[i] = new_buffer(a, a->lay->scratch_bytes[i], i, i);
    }
}

/* --- places ------------------------------------------------------------------------------------------------------ */

static int larger(const void *x, const void *y) {
    const buffer *a = *(buffer *const *)x, *b = *(buffer *const *)y;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

static int longer(const void *x, const void *y) {
    const buffer *a = *(buffer *const *)x, *b = *(buffer *const *)y;
    const double m = (double)a->bytes * (a->to - a->from + 1), n = (double)b->bytes * (b->to - b->from + 1);
    if (m < n || m > n) return m < n ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

static int smaller_room(const void *x, const void *y) {
    const room *a = x, *b = y;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return a->home < b->home ? -1 : 1;
}

static bool lives_beside(const buffer *x, const buffer *b) { return x->from <= b->to && b->from <= x->to; }

/* Raises *offset past what lies in tree x and lives when b does, up to the first gap that takes b; false: that was
 * found. */
static bool pass(const buffer *x, const buffer *b, int64_t *offset) {
    if (!x || x->first > b->to || x->last < b->from) return true;
    if (!pass(x->less, b, offset)) return false;
    if (lives_beside(x, b)) {
        if (x->offset >= *offset + cg_align(b->bytes)) return false;
        *offset = weft_max_i64(*offset, x->offset + cg_align(x->bytes));
    }
    return pass(x->more, b, offset);
}

/* The lowest offset in home where b is alone while it lives. */
static int64_t lowest(const assigner *a, const buffer *b, uint32_t home) {
    int64_t offset = 0;
    (void)pass(a->in[home], b, &offset);
    return offset;
}

/* A node's height in a treap is drawn; by a hash of its number it is the same on every rank. */
static uint64_t height(const buffer *b) {
    const uint64_t h = (b->number + 1) * 0x9e3779b97f4a7c15u;
    return (h ^ h >> 29) * 0xff51afd7ed558ccdu;
}

static void look_below(buffer *x) {
    x->first = x->from, x->last = x->to;
    for (int side = 0; side < 2; side++) {
        const buffer *const y = side ? x->more : x->less;
        if (!y) continue;
        if (y->first < x->first) x->first = y->first;
        if (y->last > x->last) x->last = y->last;
    }
}

static bool lies_before(const buffer *a, const buffer *b) {
    return a->offset != b->offset ? a->offset < b->offset : a->number < b->number;
}

/* Tree x in two: what lies before b, and the rest. */
static void split(buffer *x, const buffer *b, buffer **less, buffer **more) {
    if (!x) {
        *less = *more = NULL;
        return;
    }
    if (lies_before(x, b)) split(x->more, b, &x->more, more), *less = x;
    else split(x->less, b, less, &x->less), *more = x;
    look_below(x);
}

static void insert(buffer **tree, buffer *b) {
    buffer *const x = *tree;
    if (x && height(x) > height(b)) {
        insert(lies_before(x, b) ? &x->more : &x->less, b);
        look_below(x);
        return;
    }
    split(x, b, &b->less, &b->more);
    look_below(b);
    *tree = b;
}

static void enter(assigner *a, buffer *b, uint32_t home, int64_t offset) {
    b->home = home;
    b->offset = offset;
    insert(&a->in[home], b);
}

/* The smallest result's memory that has a place for b, else the arena. */
static void place(assigner *a, buffer *b) {
    for (uint32_t i = 0; i < a->room_count && b->bytes; i++) {
        if (a->rooms[i].bytes < b->bytes) continue;
        const int64_t offset = lowest(a, b, a->rooms[i].home);
        if (offset + b->bytes <= a->rooms[i].bytes) {
            enter(a, b, a->rooms[i].home, offset);
            return;
        }
    }
    enter(a, b, ARENA, lowest(a, b, ARENA));
    a->lay->temp_bytes = weft_max_i64(a->lay->temp_bytes, b->offset + cg_align(b->bytes));
}

/* All buffers in the order of `first`. */
static void pack_by(assigner *a, int (*first)(const void *, const void *), buffer **order) {
    uint32_t n = 0;
    memset(a->in, 0, (a->lay->block->result_count + 1) * sizeof(buffer *));
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->v[i].fixed) enter(a, &a->v[i], a->v[i].home, 0);
        else order[n++] = &a->v[i];
    }
    qsort(order, n, sizeof *order, first);
    a->lay->temp_bytes = 0;
    for (uint32_t i = 0; i < n; i++) place(a, order[i]);
}

/* The largest first; or what is large for long, where that takes less: a result's memory then is not spent on scratch
 * of a single step. */
static weft_status pack(assigner *a) {
    buffer **order = weft_arena_array(&a->arena, buffer *, a->n);
    if (!order) return weft_oom();
    qsort(a->rooms, a->room_count, sizeof *a->rooms, smaller_room);
    pack_by(a, larger, order);
    if (a->n > MOST_TRIED_TWICE) return WEFT_OK;
    buffer *kept = weft_arena_dup(&a->arena, a->v, a->n * sizeof *a->v, _Alignof(buffer));
    const int64_t bytes = a->lay->temp_bytes;
    if (!kept) return weft_oom();
    pack_by(a, longer, order);
    if (a->lay->temp_bytes < bytes) return WEFT_OK;
    memcpy(a->v, kept, a->n * sizeof *a->v); /* places are read, and no tree any more */
    a->lay->temp_bytes = bytes;
    return WEFT_OK;
}

/* A result may take over an argument's memory when nothing reads the argument after the unit that writes the result,
 * and that unit itself reads each element before it writes it, or its branches do. */
static bool keeps_alias(const assigner *a, const cg_node *w, const cg_node *arg) {
    const cg_units *u = &a->lay->units;
    uint32_t writer = CG_NONE;
    if (cg_bytes(w) != cg_bytes(arg)) return false;
    for (uint32_t i = 0; i < u->count; i++) {
        bool reads = false;
        for (uint32_t k = 0; k < u->v[i].write_count; k++)
            if (u->v[i].writes[k] == w) writer = i;
        for (uint32_t k = 0; k < u->v[i].read_count; k++) reads = reads || u->v[i].reads[k] == arg;
        if (!reads || writer == CG_NONE) continue;
        const bool may = u->v[i].kind == CG_UNIT_KERNEL || u->v[i].step->cls == CG_CASE;
        if (i != writer || !may || !cg_unit_may_overwrite(a->lay, i, arg, w)) return false;
    }
    return writer != CG_NONE;
}

static void check_aliases(const assigner *a, int32_t *alias) {
    const cg_block *b = a->lay->block;
    for (uint32_t r = 0; r < b->result_count; r++) {
        bool again = false;
        for (uint32_t e = 0; e < r; e++) again = again || alias[e] == alias[r];
        if (alias[r] >= 0 && (again || !keeps_alias(a, cg_base(b->results[r]), b->args[alias[r]]))) alias[r] = -1;
    }
}

/* Places of an earlier assignment. */
static void forget(assigner *a) {
    const cg_units *u = &a->lay->units;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].write_count; k++) {
            cg_place *p = &a->l->place[u->v[i].writes[k]->id];
            if (!p->absolute) p->known = false;
        }
}

static weft_slice slice_of(const buffer *b) {
    if (b->home == ARENA) return (weft_slice){ WEFT_SPACE_TEMP, 0, b->offset, b->bytes };
    return (weft_slice){ WEFT_SPACE_RESULT, b->home - 1, b->offset, b->bytes };
}

static void place_buffers(assigner *a) {
    cg_lowering *l = a->l;
    for (size_t i = 0; i < l->g->count; i++)
        if (a->of[i] != CG_NONE) l->place[i] = (cg_place){ slice_of(&a->v[a->of[i]]), true, false };
    for (uint32_t i = 0; i < a->lay->units.count; i++)
        a->lay->scratch[i] =
            a->lay->scratch_bytes[i] ? slice_of(&a->v[a->scratch[i]]) : (weft_slice){ .space = WEFT_SPACE_TEMP };
}

weft_status cg_assign(cg_lowering *l, cg_layout *lay, int32_t *alias) {
    assigner a = { .l = l, .lay = lay, .alias = alias };
    const size_t nodes = l->g->count;
    size_t most = lay->units.count + 2 * (size_t)lay->block->result_count;
    weft_arena_init(&a.arena, &l->cx->alloc);
    for (uint32_t i = 0; i < lay->units.count; i++) most += lay->units.v[i].write_count;
    a.last = weft_arena_array(&a.arena, uint32_t, nodes);
    a.held = weft_arena_array(&a.arena, uint32_t, nodes);
    a.of = weft_arena_array(&a.arena, uint32_t, nodes);
    a.scratch = weft_arena_array(&a.arena, uint32_t, lay->units.count);
    a.v = weft_arena_array(&a.arena, buffer, most);
    a.in = weft_arena_array(&a.arena, buffer *, lay->block->result_count + 1);
    a.rooms = weft_arena_array(&a.arena, room, lay->block->result_count);
    weft_status st = weft_oom();
    if (a.last && a.held && a.of && a.scratch && a.v && a.in && a.rooms) {
        for (size_t i = 0; i < nodes; i++) a.last[i] = a.held[i] = a.of[i] = CG_NONE;
        forget(&a);
        uses(&a);
        make_buffers(&a);
        st = pack(&a);
        if (st == WEFT_OK) place_buffers(&a);
        if (st == WEFT_OK && alias) check_aliases(&a, alias);
    }
    weft_arena_free(&a.arena);
    return st;
}
