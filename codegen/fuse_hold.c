/* fuse_hold.c: memory that joined clusters hold for each other.
 *
 * Two kernels run one after the other: what only one of them reads need not be there yet, or no longer, when the other
 * runs, and so for what they write. One kernel for both needs all of it at once, and saves what the one had written for
 * the other. Arguments, constants and results stand in memory in any case. The most that a cluster holds this way has a
 * limit where the program has to fit into little memory (cg_graph.join_bytes).
 */
#include "codegen/fuse_internal.h"

weft_status fuse_note_lasting(fuser *f) {
    if (!f->g->join_bytes) return WEFT_OK;
    if (!(f->lasting = weft_arena_array(f->arena, bool, f->g->count))) return weft_oom();
    for (size_t i = 0; i < f->g->count; i++) {
        const cg_node *n = f->g->nodes[i];
        f->lasting[i] = n->cls == CG_ARGUMENT || n->cls == CG_CONSTANT || n->block != f->block;
    }
    for (uint32_t i = 0; i < f->block->result_count; i++) f->lasting[cg_base(f->block->results[i])->id] = true;
    return WEFT_OK;
}

int64_t fuse_passing_bytes(const fuser *f, uint32_t id) {
    cg_node *n = cg_base(f->g->nodes[id]);
    return f->lasting[n->id] ? 0 : cg_bytes(n) * n->result_count;
}

/* What one cluster reads and writes that the other does not, and what they have in common. waits: the second reads
 * what the first does not. */
typedef struct shares { int64_t first, second, both; bool waits; } shares;

static void count(fuser *f, uint32_t id, uint32_t first, bool read, shares *s) {
    const uint32_t before = f->seen[id];
    const int64_t bytes = fuse_passing_bytes(f, id);
    if (before == f->stamp) return;
    f->seen[id] = f->stamp;
    if (f->stamp == first) s->first += bytes;
    else if (before == first) s->both += bytes;
    else s->second += bytes, s->waits = s->waits || (read && bytes);
}

/* In memory before or after a run of the cluster. */
static void count_all(fuser *f, const fuse_cluster *c, uint32_t first, shares *s) {
    const uint32_t own = f->of[c->member[0]];
    for (uint32_t i = 0; i < c->n; i++) {
        const uint32_t id = c->member[i];
        for (uint32_t k = 0; k < f->reads[id].n; k++)
            if (f->of[f->reads[id].v[k]] != own) count(f, f->reads[id].v[k], first, true, s);
        if (!cg_in_place(f->g->nodes[id]) && fuse_escapes(f, id, own, own)) count(f, id, first, false, s);
    }
}

int64_t fuse_join_holds(fuser *f, uint32_t a, uint32_t b) {
    const fuse_cluster *x = f->cluster[a], *y = f->cluster[b];
    const uint32_t first = ++f->stamp;
    shares s = { 0 };
    int64_t saved = 0;
    count_all(f, x, first, &s);
    f->stamp++;
    count_all(f, y, first, &s);
    for (uint32_t i = 0; i < x->n; i++)
        if (fuse_escapes(f, x->member[i], a, a) && !fuse_escapes(f, x->member[i], a, b))
            saved += fuse_passing_bytes(f, x->member[i]);
    /* the one kernel runs when all is there that b reads: until then a alone would leave only its result */
    return (saved && s.waits ? s.first - s.both : weft_min_i64(s.first - s.both, s.second)) - saved;
}

bool fuse_may_hold(fuser *f, uint32_t a, uint32_t b, int64_t *held) {
    *held = 0;
    if (!f->g->join_bytes) return true;
    *held = f->cluster[a]->held + f->cluster[b]->held + weft_max_i64(fuse_join_holds(f, a, b), 0);
    return *held <= f->g->join_bytes;
}
