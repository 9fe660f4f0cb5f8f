/* coll_ops.c: the collectives for timing. The first four are those of ../shared/oracle/coll_mpi.c, in its order. */
#include "tool/coll_ops.h"

typedef tool_coll_turn turn;

static weft_status all_reduce(const turn *t) { return weft_coll_all_reduce(t->c, WEFT_SUM, &t->whole, 1, NULL); }
static weft_status all_gather(const turn *t) { return weft_coll_all_gather(t->c, &t->part, 1, NULL); }
static weft_status reduce_scatter(const turn *t) { return weft_coll_reduce_scatter(t->c, WEFT_SUM, &t->part, 1, NULL); }
static weft_status all_to_all(const turn *t) { return weft_coll_all_to_all(t->c, 1, &t->part, 1, NULL); }
static weft_status reduce(const turn *t) { return weft_coll_reduce(t->c, WEFT_SUM, 0, &t->whole, 1, NULL); }
static weft_status broadcast(const turn *t) { return weft_coll_broadcast(t->c, 0, &t->whole, 1, NULL); }
static weft_status gather(const turn *t) { return weft_coll_gather(t->c, 0, &t->part, 1, NULL); }
static weft_status scatter(const turn *t) { return weft_coll_scatter(t->c, 0, &t->part, 1, NULL); }
static weft_status permute(const turn *t) {
    return weft_coll_permute(t->c, (t->me + t->p - 1) % t->p, (t->me + 1) % t->p, &t->whole, 1, NULL);
}

const tool_coll_op tool_coll_ops[TOOL_COLL_OPS] = {
    { "all_reduce", WEFT_PLAN_ALL_REDUCE, all_reduce },
    { "all_gather", WEFT_PLAN_ALL_GATHER, all_gather },
    { "reduce_scatter", WEFT_PLAN_REDUCE_SCATTER, reduce_scatter },
    { "all_to_all", WEFT_PLAN_ALL_TO_ALL, all_to_all },
    { "permute", WEFT_PLAN_COLLECTIVE_PERMUTE, permute },
    { "broadcast", WEFT_PLAN_COLLECTIVE_BROADCAST, broadcast },
    { "reduce", WEFT_PLAN_REDUCE, reduce },
    { "gather", WEFT_PLAN_GATHER, gather },
    { "scatter", WEFT_PLAN_SCATTER, scatter },
};

int64_t tool_coll_bytes(const tool_coll_op *op, const tool_coll_turn *t) {
    const weft_coll_info *k = &weft_coll_table[op->kind];
    const bool whole = k->in == WEFT_BLOCKS_ONE && k->out == WEFT_BLOCKS_ONE;
    return 4 * (whole ? t->whole.inner : t->p * t->part.inner);
}

tool_coll_turn tool_coll_turn_of(weft_comm *c, const float *in, float *out, int64_t bytes) {
    turn t = { .c = c, .p = weft_comm_size(c), .me = weft_comm_rank(c),
               .whole = { in, out, weft_coll_type("f32"), 1, 1, bytes / 4 } };
    t.part = t.whole;
    t.part.inner = bytes / 4 / t.p;
    return t;
}
