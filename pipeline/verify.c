/* verify: see verify.h. Runs and compares; pipeline/verify_locate.c searches for the first difference. */
#include "pipeline/verify_internal.h"
#include <math.h>

/* ---- running ---- */

weft_status weft_result_fetch(weft_context *cx, const weft_built_program *p, weft_session *s, uint32_t i,
                              weft_host_array *out) {
    weft_session_describe(&p->result_layouts[i], out);
    out->data = cx->alloc.resize(cx->alloc.user, NULL, 0, (size_t)weft_host_array_bytes(out) + 1);
    return out->data ? weft_session_get(s, i, out) : weft_oom();
}

void weft_result_free(weft_context *cx, weft_host_array *a) {
    if (a->data) cx->alloc.resize(cx->alloc.user, a->data, (size_t)weft_host_array_bytes(a) + 1, 0);
    a->data = NULL;
}

void weft_outcome_free(weft_context *cx, weft_outcome *o) {
    for (uint32_t i = 0; o->arrays && i < o->count; i++) weft_result_free(cx, &o->arrays[i]);
    if (o->arrays) cx->alloc.resize(cx->alloc.user, o->arrays, o->count * sizeof *o->arrays + 1, 0);
    *o = (weft_outcome){ .arrays = NULL };
}

static weft_status put_nudged(const weft_verify *v, const weft_built_program *p, weft_session *s, uint32_t i,
                              const weft_fill *fill) {
    weft_context *cx = v->cx;
    weft_host_array a;
    weft_session_describe(&p->arg_layouts[i], &a);
    const size_t bytes = weft_dtype_bytes(a.dtype), size = (size_t)weft_host_array_bytes(&a) + 1;
    a.data = cx->alloc.resize(cx->alloc.user, NULL, 0, size);
    if (!a.data) return weft_oom();
    if (v->opt.arguments) memcpy(a.data, v->opt.arguments[i].data, size - 1);
    for (int64_t k = 0; !v->opt.arguments && k < weft_host_array_elems(&a); k++)
        weft_fill_element(fill, a.dtype, i, k, (char *)a.data + (size_t)k * bytes);
    const weft_dtype part = weft_dtype_part(a.dtype);
    if (weft_dtype_is_float(part))
        weft_numbers_nudge(a.data, (size_t)weft_host_array_bytes(&a) / weft_dtype_bytes(part), part);
    const weft_status st = weft_session_put(s, i, &a);
    cx->alloc.resize(cx->alloc.user, a.data, size, 0);
    return st;
}

static weft_status load(const weft_verify *v, const weft_built_program *p, weft_session *s, weft_verify_data data) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < p->exec->arg_count && st == WEFT_OK; i++) {
        const weft_fill usual = weft_verify_fill(p->exec->args[i].dtype, v->opt.seed);
        if (data == WEFT_VERIFY_NUDGED) st = put_nudged(v, p, s, i, v->opt.fills ? &v->opt.fills[i] : &usual);
        else if (v->opt.arguments) st = weft_session_put(s, i, &v->opt.arguments[i]);
        else st = weft_session_fill(s, i, v->opt.fills ? &v->opt.fills[i] : &usual);
    }
    return st;
}

weft_status weft_outcome_fetch(weft_context *cx, const weft_built_program *p, weft_session *s, weft_outcome *out) {
    weft_status st = WEFT_OK;
    const size_t size = p->exec->result_count * sizeof *out->arrays + 1;
    out->arrays = cx->alloc.resize(cx->alloc.user, NULL, 0, size);
    if (!out->arrays) return weft_oom();
    memset(out->arrays, 0, size);
    out->count = p->exec->result_count;
    for (uint32_t i = 0; i < out->count && st == WEFT_OK; i++)
        st = weft_result_fetch(cx, p, s, i, &out->arrays[i]);
    return st;
}

static bool reads_floats(const weft_module *m) {
    const weft_type *t = weft_func_type(weft_module_main(m));
    for (uint32_t i = 0; i < t->input_count; i++)
        if (weft_type_is_tensor(t->parts[i]) && weft_dtype_is_float(weft_dtype_part(t->parts[i]->dtype))) return true;
    return false;
}

/* Warnings about gathers are for users that compile, and random shardings gather much. weft-prepare has reported unread
 * annotations. Constants and roundings are nudged here, arguments where they are loaded. */
static weft_status build(const weft_verify *v, const weft_module *m, weft_verify_data data, weft_built_program **out) {
    weft_module *nudged = NULL;
    const bool was = weft_warning_silence(v->cx, WEFT_D_replicate, true),
               followed = weft_warning_silence(v->cx, WEFT_D_constraint, true);
    weft_status st = data == WEFT_VERIFY_NUDGED ? weft_module_nudge(m, !reads_floats(m), &nudged) : WEFT_OK;
    const weft_build_options how = { .machine = v->opt.machine };
    if (st == WEFT_OK) st = weft_program_build(v->cx, nudged ? nudged : m, &how, out);
    (void)weft_warning_silence(v->cx, WEFT_D_constraint, followed);
    (void)weft_warning_silence(v->cx, WEFT_D_replicate, was);
    weft_module_free(nudged);
    return st;
}

weft_status weft_verify_execute(const weft_verify *v, const weft_module *m, weft_verify_data data, weft_outcome *out) {
    weft_built_program *p = NULL;
    weft_session *s = NULL;
    bool speaker;
    *out = (weft_outcome){ .arrays = NULL };
    weft_status st = build(v, m, data, &p);
    if (st == WEFT_OK) {
        const weft_session_options so = { .processes = { .processes = 1, .timeout_s = v->opt.timeout_s },
                                          .exec = p->exec, .args = p->arg_layouts, .results = p->result_layouts };
        out->devices = p->device_count;
        st = weft_session_open(v->cx, &so, &speaker, &s);
    }
    if (st == WEFT_OK) st = load(v, p, s, data);
    if (st == WEFT_OK) st = weft_session_step(s);
    if (st == WEFT_OK) st = weft_outcome_fetch(v->cx, p, s, out);
    if (s) weft_session_close(s);
    weft_built_program_free(p);
    if (st != WEFT_OK) weft_outcome_free(v->cx, out);
    return st;
}

/* ---- comparing ---- */

static double largest(const weft_host_array *a, weft_dtype part) {
    const size_t bytes = weft_dtype_bytes(part), n = bytes ? (size_t)weft_host_array_bytes(a) / bytes : 0;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = fabs(weft_dtype_load(part, (const char *)a->data + i * bytes));
        if (isfinite(x)) most = fmax(most, x);
    }
    return most;
}

void weft_verify_tolerance(const weft_verify *v, const weft_host_array *want, double digits, double slack, double *rtol,
                           double *atol) {
    const weft_dtype part = weft_dtype_part(want->dtype);
    const bool rounds = weft_dtype_is_float(part);
    *rtol = rounds ? fmin(1e4 * digits, fmax(4 * digits, 1e-4)) : 0;
    if (rounds && v->opt.rtol >= 0) *rtol = v->opt.rtol;
    *atol = rounds ? 0.1 * *rtol * largest(want, part) : 0;
    if (rounds && v->opt.atol >= 0) *atol = v->opt.atol;
    if (rounds) *atol += slack;
}

double weft_verify_slack(const weft_host_array *moved, const weft_host_array *want) {
    const weft_dtype part = weft_dtype_part(want->dtype);
    const size_t bytes = weft_dtype_bytes(part);
    double most = 0;
    if (!weft_dtype_is_float(part)) return 0;
    for (size_t i = 0; i < (size_t)weft_host_array_bytes(want) / bytes; i++) {
        const double d = fabs(weft_dtype_load(part, (const char *)moved->data + i * bytes) -
                              weft_dtype_load(part, (const char *)want->data + i * bytes));
        if (isfinite(d)) most = fmax(most, d);
    }
    return WEFT_VERIFY_NUDGE * most;
}

weft_status weft_verify_compare(const weft_verify *v, const weft_host_array *got, const weft_host_array *want,
                                double digits,
                                double slack, int64_t *at) {
    double rtol, atol;
    weft_verify_tolerance(v, want, digits, slack, &rtol, &atol);
    *at = 0;
    return weft_host_array_compare(got, want, rtol, atol, at);
}

static double digits_of(const weft_type *t) {
    return weft_type_is_tensor(t) && weft_dtype_is_float(weft_dtype_part(t->dtype))
               ? weft_verify_epsilon(weft_dtype_part(t->dtype))
               : 0;
}

/* The lowest precision of op's operands and results, its regions included. */
static double coarsest(const weft_op *op, const double *digits) {
    double most = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) most = fmax(most, digits[op->operands[i]->id]);
    for (uint32_t i = 0; i < op->result_count; i++) most = fmax(most, digits_of(op->results[i].type));
    for (uint32_t i = 0; i < op->region_count; i++)
        WEFT_EACH_BLOCK(blk, &op->regions[i])
            WEFT_EACH_OP(inner, blk) most = fmax(most, coarsest(inner, digits));
    return most;
}

double *weft_verify_digits(const weft_module *m, weft_arena *arena) {
    const weft_block *body = weft_op_body(weft_module_main(m), 0);
    double *digits = weft_arena_array(arena, double, m->value_count + 1);
    if (!digits) return NULL;
    for (uint32_t i = 0; i < body->arg_count; i++) digits[body->args[i]->id] = digits_of(body->args[i]->type);
    WEFT_EACH_OP(op, body) {
        const double here = coarsest(op, digits);
        for (uint32_t i = 0; i < op->result_count; i++) digits[op->results[i].id] = here;
    }
    return digits;
}

/* ---- the programs ---- */

/* A per-device program that refers to other devices has no meaning on one. */
static weft_status has_global_form(void *user, weft_op *op) {
    const bool own = weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE) &&
                     !weft_op_kind_has_attr((weft_op_kind)op->kind, WEFT_A_out_sharding);
    if (!own && !weft_op_attr(op, WEFT_A_replica_groups) && op->kind != WEFT_OP_partition_id &&
        op->kind != WEFT_OP_replica_id && op->kind != WEFT_OP_sdy_manual_computation)
        return WEFT_OK;
    return weft_report(
        user, WEFT_D_unsupported, op->loc,
        "the program is written for each device ('%s'), so there is no one-device program to compare with",
        op->name->text);
}

/* m, its checks replaced by results. */
static weft_status with_checked(const weft_module *m, weft_module **out) {
    weft_arena arena;
    const weft_op *main = weft_module_main(m);
    if (!main || !weft_op_body(main, 0)) return weft_module_check_main(m);
    weft_arena_init(&arena, &m->cx->chunks);
    const weft_value **values = weft_arena_array(&arena, const weft_value *, m->value_count + 1);
    uint32_t n = 0;
    WEFT_EACH_OP(op, weft_op_body(main, 0))
        for (uint32_t i = 0; values && weft_op_is_check(op) && i < op->operand_count && n < m->value_count; i++)
            values[n++] = op->operands[i];
    weft_status st = values ? weft_module_return_values(m, values, n, out) : weft_oom();
    weft_arena_free(&arena);
    return st;
}

weft_status weft_verify_open(weft_context *cx, const weft_module *m, const weft_verify_options *opt,
                             weft_verify **out) {
    weft_module *bare = NULL, *global = NULL;
    weft_verify *v = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *v);
    if (!v) return weft_oom();
    *v = (weft_verify){ .cx = cx, .opt = *opt };
    weft_status st = weft_module_walk(m, has_global_form, cx);
    if (st == WEFT_OK) st = weft_module_bare(m, &bare);
    if (st == WEFT_OK) st = with_checked(bare, &global);
    if (st == WEFT_OK) st = weft_verify_execute(v, global, WEFT_VERIFY_AS_GIVEN, &v->want);
    weft_module_free(bare);
    weft_module_free(global);
    if (st == WEFT_OK) *out = v;
    else weft_verify_close(v);
    return st;
}

void weft_verify_close(weft_verify *v) {
    if (!v) return;
    weft_context *cx = v->cx;
    weft_outcome_free(cx, &v->want);
    cx->alloc.resize(cx->alloc.user, v, sizeof *v, 0);
}

/* How far result i is off if it exceeds the tolerance of its digits: WEFT_ERR_MISMATCH, reported, if changing the
 * arguments by a few units in the last place does not move it as far. */
static weft_status judge(weft_verify *v, const weft_module *sharded, uint32_t i, double digits, const weft_outcome *got,
                         weft_outcome *moved) {
    weft_module *global = NULL;
    int64_t at;
    if (weft_verify_compare(v, &got->arrays[i], &v->want.arrays[i], digits, 0, &at) == WEFT_OK) return WEFT_OK;
    weft_status st = moved->arrays ? WEFT_OK : weft_module_bare(sharded, &global);
    if (st == WEFT_OK && global) st = weft_verify_execute(v, global, WEFT_VERIFY_NUDGED, moved);
    weft_module_free(global);
    if (st != WEFT_OK) return st;
    const double slack = weft_verify_slack(&moved->arrays[i], &v->want.arrays[i]);
    return weft_verify_compare(v, &got->arrays[i], &v->want.arrays[i], digits, slack, &at) == WEFT_OK
               ? WEFT_OK
               : weft_verify_locate(v, sharded, i, slack, got);
}

weft_status weft_verify_run(weft_verify *v, const weft_module *m) {
    weft_module *sharded = NULL;
    weft_outcome moved = { .arrays = NULL };
    weft_outcome got = { .arrays = NULL };
    weft_arena arena;
    double *digits = NULL;
    weft_arena_init(&arena, &v->cx->chunks);
    weft_status st = with_checked(m, &sharded);
    if (st == WEFT_OK && !(digits = weft_verify_digits(sharded, &arena))) st = weft_oom();
    if (st == WEFT_OK) st = weft_verify_execute(v, sharded, WEFT_VERIFY_AS_GIVEN, &got);
    if (st == WEFT_OK && got.count != v->want.count)
        st = weft_report(v->cx, WEFT_D_usage, NULL, "the programs compared have another number of results");
    for (uint32_t i = 0; i < got.count && st == WEFT_OK; i++) {
        const weft_value *result = weft_block_terminator(weft_op_body(weft_module_main(sharded), 0))->operands[i];
        st = judge(v, sharded, i, digits[result->id], &got, &moved);
    }
    weft_arena_free(&arena);
    weft_outcome_free(v->cx, &moved);
    weft_outcome_free(v->cx, &got);
    weft_module_free(sharded);
    return st;
}
