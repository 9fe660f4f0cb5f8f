/* canonicalize_reshard: reshards of one value, seen through reshapes and transposes, are made once.
 *
 * Part of pass canonicalize. From the operand of a reshard one walks up through reshapes and transposes to a root, and
 * down from there through reshapes to another reshard that stands earlier in the block. If it cuts the elements, in the
 * order in which they lie in memory, as this one would, its result followed by the same reshapes and transposes is this
 * one's. Source: Shardy, shardy/dialect/sdy/ir/canonicalization.cc and isShardingEquivalentAcrossReshapes in utils.cc.
 */
#include "partitioner/shardy/canonicalize.h"
#include "partitioner/layout/reshape_cut.h"

static bool moves_only(const weft_op *op) {
    return op && (op->kind == WEFT_OP_reshape || op->kind == WEFT_OP_transpose);
}

/* ---- the walk ---- */

/* The sharding as the value above the transposes that lead to v has it. */
static const weft_sharding *seen_from_above(weft_canon *c, const weft_sharding *s, const weft_value *v) {
    while (s && moves_only(v->def)) {
        const weft_op *op = v->def;
        const weft_type *from = op->operands[0]->type;
        if (op->kind == WEFT_OP_reshape && from->rank != op->results[0].type->rank) break;
        if (op->kind == WEFT_OP_transpose) {
            weft_ints perm = weft_op_ints(op, WEFT_A_permutation);
            weft_dim dims[WEFT_MAX_RANK];
            if (perm.n != s->rank) break;
            for (uint32_t d = 0; d < perm.n; d++) dims[perm.v[d]] = s->dims[d];
            s = weft_sharding_make(c->shardings, s->mesh, s->rank, dims, s->replicated, s->unreduced);
        }
        v = op->operands[0];
    }
    return s;
}

typedef struct search {
    const weft_op *current;
    const weft_sharding *target;
    const weft_value **stack;
    size_t n, cap;
} search;

/* Whether user, a reshard, is what is looked for. */
static weft_status fits(weft_canon *c, const search *s, const weft_op *user, bool *yes) {
    const weft_sharding *sh;
    *yes = false;
    if (user->parent != s->current->parent || c->place[user->id] >= c->place[s->current->id]) return WEFT_OK;
    weft_status st = weft_sharding_from_attr(c->shardings, weft_op_attr(user, WEFT_A_sharding), user->loc, &sh);
    if (st == WEFT_OK)
        *yes = weft_cut_alike(sh, user->results[0].type, s->target, s->current->results[0].type, WEFT_CUT_EXACTLY);
    return st;
}

/* Reshapes form a tree below the root, so no value is met twice. */
static weft_status find(weft_canon *c, search *s, const weft_value *root, const weft_op **found) {
    weft_status st = WEFT_OK;
    *found = NULL;
    for (const weft_value *v = root; v && st == WEFT_OK; v = s->n ? s->stack[--s->n] : NULL)
        for (uint32_t u = c->uses.start[v->id]; u < c->uses.start[v->id + 1] && st == WEFT_OK; u++) {
            const weft_op *user = c->uses.use[u].op;
            bool yes = false;
            if (user == s->current || !c->live[user->id]) continue;
            if (user->kind == WEFT_OP_sdy_reshard) st = fits(c, s, user, &yes);
            if (yes) {
                *found = user;
                return WEFT_OK;
            }
            if (user->kind != WEFT_OP_reshape) continue;
            if (!weft_arena_grow(&c->arena, (void **)&s->stack, &s->cap, s->n + 1, sizeof *s->stack)) return weft_oom();
            s->stack[s->n++] = &user->results[0];
        }
    return st;
}

/* The reshapes and transposes from root down to v, done with x instead of root. */
static weft_value *moved(weft_canon *c, weft_builder *b, const weft_value *root, const weft_value *v, weft_value *x) {
    if (v == root) return x;
    weft_map *map = &c->rewrite.map;
    const weft_op *op = v->def;
    const uint32_t from = op->operands[0]->id;
    x = moved(c, b, root, op->operands[0], x);
    weft_value *old = map->to[from], *was = map->to[v->id];
    map->to[from] = x;
    weft_op *copy = x ? weft_clone_shell(b, op, map, NULL) : NULL;
    map->to[from] = old;
    map->to[v->id] = was;
    return copy ? &copy->results[0] : NULL;
}

weft_status weft_canon_share(weft_canon *c, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_value *input = op->operands[0], *root = input;
    const weft_sharding *sharding;
    const weft_op *other;
    while (moves_only(root->def)) root = root->def->operands[0];
    weft_status st = weft_sharding_from_attr(c->shardings, weft_op_attr(op, WEFT_A_sharding), op->loc, &sharding);
    if (st != WEFT_OK) return st;
    search s = { .current = op, .target = seen_from_above(c, sharding, input) };
    if (!s.target) return weft_oom();
    st = find(c, &s, root, &other);
    if (st != WEFT_OK || !other) return st;
    weft_value *x = c->rewrite.map.to[other->results[0].id];
    if (other->results[0].type != root->type) x = weft_build_1(b, WEFT_OP_reshape, root->type, &x, 1, NULL, 0);
    x = moved(c, b, root, input, x);
    if (!x) return b->status != WEFT_OK ? b->status : weft_oom();
    weft_canon_replace(c, op, x, did);
    return WEFT_OK;
}
