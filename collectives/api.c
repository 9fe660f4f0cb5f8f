/* api.c: the public calls. Each describes itself; call.c and run.c carry it out. */
#include "collectives/progress.h"
#include "collectives/request.h"

weft_coll_dtype weft_coll_type(const char *name) {
    return (weft_coll_dtype)weft_dtype_parse(weft_str_from(name ? name : ""));
}

/* --- the description of a call ------------------------------------------------------------------------------------ */

static weft_call_args moving(weft_coll_kind kind, int root, const weft_coll_buf *b, int n, const weft_call_site *site) {
    return (weft_call_args){ .kind = kind, .bufs = b, .n = n, .source = root, .target = root, .site = site };
}

static weft_call_args adding(weft_coll_kind kind, weft_op_reduce op, int root, const weft_coll_buf *b, int n,
                             const weft_call_site *site) {
    weft_call_args call = moving(kind, root, b, n, site);
    call.reduce = op;
    return call;
}

static weft_call_args uneven(weft_coll_kind kind, int root, const weft_coll_uneven *b, int n,
                             const weft_call_site *site) {
    weft_call_args call = moving(kind, root, NULL, n, site);
    call.uneven = b;
    return call;
}

static weft_call_args uneven_adding(weft_coll_kind kind, weft_op_reduce op, const weft_coll_uneven *b, int n,
                                    const weft_call_site *site) {
    weft_call_args call = uneven(kind, 0, b, n, site);
    call.reduce = op;
    return call;
}

static weft_call_args to_all(int split_first, const weft_coll_buf *b, int n, const weft_call_site *site) {
    weft_call_args call = moving(WEFT_PLAN_ALL_TO_ALL, 0, b, n, site);
    call.split_first = split_first;
    return call;
}

static weft_call_args permuting(int source, int target, const weft_coll_buf *b, int n, const weft_call_site *site) {
    weft_call_args call = moving(WEFT_PLAN_COLLECTIVE_PERMUTE, source, b, n, site);
    call.target = target;
    return call;
}

/* --- running it --------------------------------------------------------------------------------------------------- */

static weft_status run_locked(weft_comm *c, const weft_call_args *call) {
    if (weft_call_owns(c, call)) {
        weft_run *r;
        weft_status st = weft_run_make(c, call, &r);
        if (st != WEFT_OK) return st;
        st = weft_run_call(r);
        weft_run_free(r);
        return st;
    }
    weft_run r;
    weft_run_init(&r, c, call);
    weft_status st = weft_call_check(&r);
    return st == WEFT_OK ? weft_run_call(&r) : st;
}

/* The handle or the operands are missing. */
static int is_empty(const weft_comm *c, const weft_call_args *call) {
    return !c || (call->n > 0 && !call->bufs && !call->uneven);
}

static weft_status refuse(weft_comm *c, const weft_call_args *call) {
    if (!c) return WEFT_ERR_USAGE;
    weft_rank_lock(c);
    weft_status st = weft_call_refuse(c, call, "a call without operands, or without a place for its request");
    weft_rank_unlock(c);
    return st;
}

static weft_status run(weft_comm *c, weft_call_args call) {
    if (is_empty(c, &call)) return refuse(c, &call);
    weft_rank_lock(c);
    weft_status st = run_locked(c, &call);
    weft_rank_unlock(c);
    return st;
}

weft_status weft_coll_all_reduce(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n,
                                 const weft_call_site *site) {
    return run(c, adding(WEFT_PLAN_ALL_REDUCE, op, 0, b, n, site));
}
weft_status weft_coll_reduce(weft_comm *c, weft_op_reduce op, int root, const weft_coll_buf *b, int n,
                             const weft_call_site *site) {
    return run(c, adding(WEFT_PLAN_REDUCE, op, root, b, n, site));
}
weft_status weft_coll_all_gather(weft_comm *c, const weft_coll_buf *b, int n, const weft_call_site *site) {
    return run(c, moving(WEFT_PLAN_ALL_GATHER, 0, b, n, site));
}
weft_status weft_coll_gather(weft_comm *c, int root, const weft_coll_buf *b, int n, const weft_call_site *site) {
    return run(c, moving(WEFT_PLAN_GATHER, root, b, n, site));
}
weft_status weft_coll_reduce_scatter(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n,
                                     const weft_call_site *site) {
    return run(c, adding(WEFT_PLAN_REDUCE_SCATTER, op, 0, b, n, site));
}
weft_status weft_coll_scatter(weft_comm *c, int root, const weft_coll_buf *b, int n, const weft_call_site *site) {
    return run(c, moving(WEFT_PLAN_SCATTER, root, b, n, site));
}
weft_status weft_coll_all_to_all(weft_comm *c, int split_first, const weft_coll_buf *b, int n,
                                 const weft_call_site *site) {
    return run(c, to_all(split_first, b, n, site));
}
weft_status weft_coll_permute(weft_comm *c, int source, int target, const weft_coll_buf *b, int n,
                              const weft_call_site *site) {
    return run(c, permuting(source, target, b, n, site));
}
weft_status weft_coll_broadcast(weft_comm *c, int root, const weft_coll_buf *b, int n, const weft_call_site *site) {
    return run(c, moving(WEFT_PLAN_COLLECTIVE_BROADCAST, root, b, n, site));
}
weft_status weft_coll_barrier(weft_comm *c, const weft_call_site *site) {
    return run(c, moving(WEFT_PLAN_BARRIER, 0, NULL, 0, site));
}

weft_status weft_coll_all_gather_uneven(weft_comm *c, const weft_coll_uneven *b, int n, const weft_call_site *site) {
    return run(c, uneven(WEFT_PLAN_ALL_GATHER, 0, b, n, site));
}
weft_status weft_coll_gather_uneven(weft_comm *c, int root, const weft_coll_uneven *b, int n,
                                    const weft_call_site *site) {
    return run(c, uneven(WEFT_PLAN_GATHER, root, b, n, site));
}
weft_status weft_coll_reduce_scatter_uneven(weft_comm *c, weft_op_reduce op, const weft_coll_uneven *b, int n,
                                            const weft_call_site *site) {
    return run(c, uneven_adding(WEFT_PLAN_REDUCE_SCATTER, op, b, n, site));
}
weft_status weft_coll_scatter_uneven(weft_comm *c, int root, const weft_coll_uneven *b, int n,
                                     const weft_call_site *site) {
    return run(c, uneven(WEFT_PLAN_SCATTER, root, b, n, site));
}
weft_status weft_coll_all_to_all_uneven(weft_comm *c, const weft_coll_uneven *b, int n, const weft_call_site *site) {
    return run(c, uneven(WEFT_PLAN_ALL_TO_ALL, 0, b, n, site));
}

/* --- started ------------------------------------------------------------------------------------------------------ */

static weft_status start(weft_comm *c, weft_call_args call, weft_coll_request **out) {
    if (out) *out = NULL;
    if (!out || is_empty(c, &call)) return refuse(c, &call);
    weft_rank_lock(c);
    weft_status st = weft_run_make(c, &call, out);
    c->requests += st == WEFT_OK;
    if (st == WEFT_OK) weft_run_enter(*out);
    weft_rank_unlock(c);
    return st;
}

weft_status weft_coll_start_all_reduce(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n,
                                       const weft_call_site *site, weft_coll_request **out) {
    return start(c, adding(WEFT_PLAN_ALL_REDUCE, op, 0, b, n, site), out);
}
weft_status weft_coll_start_reduce(weft_comm *c, weft_op_reduce op, int root, const weft_coll_buf *b, int n,
                                   const weft_call_site *site, weft_coll_request **out) {
    return start(c, adding(WEFT_PLAN_REDUCE, op, root, b, n, site), out);
}
weft_status weft_coll_start_all_gather(weft_comm *c, const weft_coll_buf *b, int n, const weft_call_site *site,
                                       weft_coll_request **out) {
    return start(c, moving(WEFT_PLAN_ALL_GATHER, 0, b, n, site), out);
}
weft_status weft_coll_start_gather(weft_comm *c, int root, const weft_coll_buf *b, int n, const weft_call_site *site,
                                   weft_coll_request **out) {
    return start(c, moving(WEFT_PLAN_GATHER, root, b, n, site), out);
}
weft_status weft_coll_start_reduce_scatter(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n,
                                           const weft_call_site *site, weft_coll_request **out) {
    return start(c, adding(WEFT_PLAN_REDUCE_SCATTER, op, 0, b, n, site), out);
}
weft_status weft_coll_start_scatter(weft_comm *c, int root, const weft_coll_buf *b, int n, const weft_call_site *site,
                                    weft_coll_request **out) {
    return start(c, moving(WEFT_PLAN_SCATTER, root, b, n, site), out);
}
weft_status weft_coll_start_all_to_all(weft_comm *c, int split_first, const weft_coll_buf *b, int n,
                                       const weft_call_site *site, weft_coll_request **out) {
    return start(c, to_all(split_first, b, n, site), out);
}
weft_status weft_coll_start_permute(weft_comm *c, int source, int target, const weft_coll_buf *b, int n,
                                    const weft_call_site *site, weft_coll_request **out) {
    return start(c, permuting(source, target, b, n, site), out);
}
weft_status weft_coll_start_broadcast(weft_comm *c, int root, const weft_coll_buf *b, int n, const weft_call_site *site,
                                      weft_coll_request **out) {
    return start(c, moving(WEFT_PLAN_COLLECTIVE_BROADCAST, root, b, n, site), out);
}
weft_status weft_coll_start_barrier(weft_comm *c, const weft_call_site *site, weft_coll_request **out) {
    return start(c, moving(WEFT_PLAN_BARRIER, 0, NULL, 0, site), out);
}
weft_status weft_coll_start_all_gather_uneven(weft_comm *c, const weft_coll_uneven *b, int n,
                                              const weft_call_site *site, weft_coll_request **out) {
    return start(c, uneven(WEFT_PLAN_ALL_GATHER, 0, b, n, site), out);
}
weft_status weft_coll_start_gather_uneven(weft_comm *c, int root, const weft_coll_uneven *b, int n,
                                          const weft_call_site *site, weft_coll_request **out) {
    return start(c, uneven(WEFT_PLAN_GATHER, root, b, n, site), out);
}
weft_status weft_coll_start_reduce_scatter_uneven(weft_comm *c, weft_op_reduce op, const weft_coll_uneven *b, int n,
                                                  const weft_call_site *site, weft_coll_request **out) {
    return start(c, uneven_adding(WEFT_PLAN_REDUCE_SCATTER, op, b, n, site), out);
}
weft_status weft_coll_start_scatter_uneven(weft_comm *c, int root, const weft_coll_uneven *b, int n,
                                           const weft_call_site *site, weft_coll_request **out) {
    return start(c, uneven(WEFT_PLAN_SCATTER, root, b, n, site), out);
}
weft_status weft_coll_start_all_to_all_uneven(weft_comm *c, const weft_coll_uneven *b, int n,
                                              const weft_call_site *site, weft_coll_request **out) {
    return start(c, uneven(WEFT_PLAN_ALL_TO_ALL, 0, b, n, site), out);
}
