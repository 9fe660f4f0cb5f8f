/* carry.c: what loops carry is updated where it stands.
 *
 * A loop's arguments and results are one set of buffers, the slots. A result of the body that nothing keeps from it is
 * computed in its slot: then a turn ends without copies, and an update of a part touches that part. What stands in a
 * slot is followed backwards from the result, as long as memory is handed on: through scatters and inner loops, whose
 * results have the memory of their operands, and through the copies that those begin with. A copy from a slot to itself
 * is no step (lower.c).
 *
 * The old value must have been read before the first unit that writes the slot, or by that unit element by element; and
 * each value on the way before the next one takes its place. Otherwise the result has memory of its own, and is copied
 * to its slot when the turn ends. Branches write their results in the same way; an old value is in danger there where
 * a result shares the memory of a donated argument that the branches read.
 */
#include "codegen/call.h"
#include "codegen/lower.h"

enum { MAX_CHAIN = 64 };

/* Nodes that share a slot, from the result backwards. */
typedef struct chain { cg_node *v[MAX_CHAIN]; uint32_t n; bool from_argument; } chain;

cg_node *cg_copied(const cg_node *n) {
    if (cg_is_call_copy(n)) return cg_base(n->in[0]->in[0]);
    return n->cls == CG_SCALAR && n->op == CG_OP_copy ? cg_base(n->in[0]) : NULL;
}

/* s, or the same memory as part of the argument that a result of @main shares it with. */
static weft_slice shared_memory(const cg_lowering *l, weft_slice s) {
    const int32_t alias = s.space == WEFT_SPACE_RESULT ? l->x->results[s.index].alias : -1;
    if (alias < 0) return s;
    s.space = WEFT_SPACE_ARGUMENT;
    s.index = (uint32_t)alias;
    return s;
}

/* A unit that copies memory to itself, when its places are known: a slot or a donated argument that is taken over as it
 * is. */
bool cg_copies_itself(cg_lowering *l, const cg_unit *u) {
    weft_slice from, to;
    if (u->read_count != 1 || u->write_count != 1 || cg_copied(u->writes[0]) != u->reads[0]) return false;
    if (cg_slice_of(l, u->reads[0], &from) != WEFT_OK || cg_slice_of(l, u->writes[0], &to) != WEFT_OK) return false;
    from = shared_memory(l, from);
    to = shared_memory(l, to);
    return from.space == to.space && from.index == to.index && from.offset == to.offset && from.bytes == to.bytes;
}

/* The operand whose memory n has, or NULL. */
static cg_node *memory_from(cg_node *n) {
    cg_node *whole = cg_whole(n);
    if (cg_in_place(whole)) return cg_base(whole->in[n == whole ? 0 : n->aux]);
    return whole->cls == CG_WHILE ? cg_base(whole->in[n->aux]) : NULL;
}

static void follow(const cg_block *b, uint32_t result, chain *c) {
    cg_node *n = cg_base(b->results[result]);
    const cg_node *old = result < b->arg_count ? b->args[result] : NULL;
    *c = (chain){ 0 };
    while (n && n->block == b && n->cls != CG_ARGUMENT && n->cls != CG_CONSTANT && c->n < MAX_CHAIN) {
        c->v[c->n++] = n;
        cg_node *next = memory_from(n);
        if (!next && cg_copied(n) && c->n > 1) {
            next = cg_copied(n);
            c->from_argument = next == old;
            if (!memory_from(next)) next = NULL; /* from there on a copy */
        }
        n = next;
    }
}

const cg_node *cg_memory_begins(const cg_block *b, uint32_t result) {
    cg_node *n = cg_base(b->results[result]);
    for (int i = 0; i < MAX_CHAIN; i++) {
        cg_node *before = memory_from(n);
        if (!before) before = cg_copied(n);
        if (!before || before->block != b || before->cls == CG_ARGUMENT || before->cls == CG_CONSTANT) break;
        n = before;
    }
    return n;
}

static uint32_t writer_of(const cg_units *u, const cg_node *n) {
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].write_count; k++)
            if (u->v[i].writes[k] == n) return i;
    return CG_NONE;
}

/* The last unit that reads n, and none after it; 0 also when none does. What the start `by` reads is there until its
 * end; but not when that is what it writes. */
static uint32_t last_read(const cg_units *u, const cg_node *n, uint32_t by) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = u->v[i].phase == CG_PHASE_DONE && u->v[i].mate == by ? u->v[i].held_count : 0;
             k < u->v[i].read_count; k++)
            if (u->v[i].reads[k] == n) last = i;
    return last;
}

static bool reads(const cg_unit *u, const cg_node *n) {
    for (uint32_t k = 0; k < u->read_count; k++)
        if (u->reads[k] == n) return true;
    return false;
}

static bool is_result(const cg_block *b, const cg_node *n, uint32_t but) {
    for (uint32_t r = 0; r < b->result_count; r++)
        if (r != but && cg_base(b->results[r]) == n) return true;
    return false;
}

static bool fits(const cg_layout *lay, uint32_t result, const chain *c) {
    const cg_units *u = &lay->units;
    const cg_block *b = lay->block;
    uint32_t first = CG_NONE;
    for (uint32_t i = 0; i < c->n; i++) {
        const uint32_t w = writer_of(u, c->v[i]);
        if (w == CG_NONE || (i && is_result(b, c->v[i], result))) return false;
        if (i && last_read(u, c->v[i], CG_NONE) > writer_of(u, c->v[i - 1])) return false;
        if (i + 1 < c->n || !c->from_argument) first = w; /* that copy changes nothing */
    }
    const cg_node *old = result < b->arg_count ? b->args[result] : NULL;
    if (!old || first == CG_NONE) return first != CG_NONE;
    if (is_result(b, old, result) || last_read(u, old, first) > first) return false;
    const cg_unit *at = &u->v[first];
    if (!reads(at, old)) return true;
    for (uint32_t i = 0; i < c->n; i++)
        if (writer_of(u, c->v[i]) == first && !cg_may_overwrite(at, old, c->v[i])) return false;
    return true;
}

/* Whether a branch may compute its result where old, a value from outside, lies. A result that is copied at the end of
 * the branch may: by then all has been read. */
static bool branch_overwrites(const cg_layout *lay, const cg_node *old, uint32_t result) {
    uint32_t first = CG_NONE;
    if (is_result(lay->block, old, CG_NONE)) return false;
    for (uint32_t i = 0; i < lay->slot_count; i++) {
        const uint32_t w = lay->slots[i].result == result ? writer_of(&lay->units, lay->slots[i].node) : CG_NONE;
        if (w < first) first = w;
    }
    if (first == CG_NONE) return true;
    if (last_read(&lay->units, old, first) > first) return false;
    if (!reads(&lay->units.v[first], old)) return true;
    for (uint32_t i = 0; i < lay->slot_count; i++)
        if (lay->slots[i].result == result && writer_of(&lay->units, lay->slots[i].node) == first &&
            !cg_unit_may_overwrite(lay, first, old, lay->slots[i].node))
            return false;
    return true;
}

static bool case_may_overwrite(const cg_layout *lay, uint32_t unit, const cg_node *old, const cg_node *w) {
    const cg_node *step = lay->units.v[unit].step;
    if (cg_bytes(old) != cg_bytes(w) || cg_base(step->in[0]) == old) return false;
    for (uint32_t b = 0; b < step->control.count; b++)
        if (!branch_overwrites(lay->inner[unit][b], old, (uint32_t)w->aux)) return false;
    return true;
}

bool cg_unit_may_overwrite(const cg_layout *lay, uint32_t unit, const cg_node *old, const cg_node *w) {
    const cg_unit *u = &lay->units.v[unit];
    const bool branches = u->kind == CG_UNIT_STEP && u->step->cls == CG_CASE;
    return branches ? case_may_overwrite(lay, unit, old, w) : cg_may_overwrite(u, old, w);
}

/* A result would need memory of its own because collectives are begun early. */
static bool costs_a_slot(const cg_layout *lay, const chain *chains, const bool *kept) {
    for (uint32_t r = 0; r < lay->block->result_count; r++)
        if (kept[r] && !fits(lay, r, &chains[r]) && fits(lay->plain, r, &chains[r])) return true;
    return false;
}

static void mark(cg_lowering *l, const chain *c, bool known) {
    for (uint32_t i = 0; i < c->n; i++) l->place[c->v[i]->id] = (cg_place){ .known = known, .absolute = known };
}

static weft_status keep_slots(cg_lowering *l, cg_layout *lay, const chain *chains, const bool *kept) {
    uint32_t n = 0;
    for (uint32_t r = 0; r < lay->block->result_count; r++) n += kept[r] ? chains[r].n : 0;
    lay->slots = weft_arena_array(&l->g->arena, cg_slot, n);
    if (!lay->slots) return weft_oom();
    for (uint32_t r = 0; r < lay->block->result_count; r++)
        for (uint32_t i = 0; kept[r] && i < chains[r].n; i++)
            lay->slots[lay->slot_count++] = (cg_slot){ chains[r].v[i], r };
    return WEFT_OK;
}

weft_status cg_layout_inner(cg_lowering *l, const cg_node *control, uint32_t b, cg_layout **out) {
    const cg_block *block = control->control.blocks[b];
    const uint32_t n = block->result_count;
    if (control->cls == CG_WHILE && b == 0) return cg_layout_block(l, block, NULL, out);
    weft_mark scratch = weft_arena_mark(&l->cx->scratch);
    chain *chains = weft_scratch_array(l->cx, chain, n);
    bool *kept = weft_scratch_array(l->cx, bool, n), changed = false;
    int32_t *alias = weft_scratch_array(l->cx, int32_t, n);
    weft_status st = chains && kept && alias ? WEFT_OK : weft_oom();
    for (uint32_t r = 0; r < n && st == WEFT_OK; r++) {
        follow(block, r, &chains[r]);
        kept[r] = chains[r].n > 0;
        alias[r] = kept[r] && r < block->arg_count ? (int32_t)r : -1;
        mark(l, &chains[r], true);
    }
    /* alias: old values are read early where that can be */
    if (st == WEFT_OK) st = cg_layout_block(l, block, alias, out);
    if (st == WEFT_OK && (*out)->plain && costs_a_slot(*out, chains, kept)) st = cg_overlap_undo(l, *out, alias);
    for (uint32_t r = 0; r < n && st == WEFT_OK; r++) {
        if (!kept[r] || fits(*out, r, &chains[r])) continue;
        kept[r] = false;
        changed = true;
        mark(l, &chains[r], false);
    }
    if (st == WEFT_OK && changed) st = cg_assign(l, *out, NULL); /* some of its values are temporaries now */
    if (st == WEFT_OK) st = keep_slots(l, *out, chains, kept);
    weft_arena_reset(&l->cx->scratch, scratch);
    return st;
}

void cg_place_slots(cg_lowering *l, const cg_layout *lay, const weft_slice *of) {
    for (uint32_t i = 0; i < lay->slot_count; i++)
        l->place[lay->slots[i].node->id] = (cg_place){ of[lay->slots[i].result], true, true };
}
