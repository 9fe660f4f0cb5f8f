/* verify_locate: finds the first op whose value differs, and describes the difference.
 *
 * The propagated program is changed to return the values that lead to the wrong result, as many at a time as fit, and
 * is compared with itself without shardings. Returning a value may change how the program is partitioned, so that the
 * difference disappears; then one value at a time is returned, bisecting in program order.
 *
 * If the first value that differs is a loop's, the loop is stopped after 1, 2, 4, ... iterations until it differs, and
 * the first iteration that does is found by bisecting between the last two. That iteration is then written out after a
 * loop of the iterations before, and the search begins again there.
 */
#include "ir/trips.h"
#include "pipeline/verify_internal.h"
#include "sharding/values.h"

#define SHOWN 4 /* elements in a message */

typedef struct search {
    const weft_verify *v;
    weft_context *cx;
    weft_module *m;                  /* propagated */
    weft_arena arena;
    double *digits;                  /* of m's values */
    const weft_value **way;          /* values on the way to the result, in order */
    uint32_t count;
    const weft_value *found;         /* NULL: none */
    weft_host_array got, want;            /* of found; data owned */
    double slack;                    /* of found, or else of the result */
} search;

#define MOST_LOOPS 4 /* nested loops that are searched */
typedef struct place { const weft_loc *loop; int64_t turn; } place;

/* ---- the values that lead to a result ---- */

static weft_status need_operands(void *user, weft_op *op) {
    bool *needed = user;
    for (uint32_t i = 0; i < op->operand_count; i++) needed[op->operands[i]->id] = true;
    return WEFT_OK;
}

static void need_inside(const weft_op *op, bool *needed) {
    (void)need_operands(needed, (weft_op *)op);
    for (uint32_t i = 0; i < op->region_count; i++)
        WEFT_EACH_BLOCK(blk, &op->regions[i])
            WEFT_EACH_OP(inner, blk) need_inside(inner, needed);
}

static weft_status find_way(search *s, uint32_t r) {
    const weft_block *body = weft_op_body(weft_module_main(s->m), 0);
    const weft_op *end = weft_block_terminator(body);
    bool *needed = weft_arena_array(&s->arena, bool, s->m->value_count);
    s->way = weft_arena_array(&s->arena, const weft_value *, s->m->value_count + 1);
    s->digits = weft_verify_digits(s->m, &s->arena);
    if (!needed || !s->way || !s->digits) return weft_oom();
    needed[end->operands[r]->id] = true;
    for (const weft_op *op = end->prev; op; op = op->prev) {
        bool any = false;
        for (uint32_t i = 0; i < op->result_count; i++) any |= needed[op->results[i].id];
        if (any) need_inside(op, needed);
    }
    WEFT_EACH_OP(op, body)
        for (uint32_t i = 0; i < op->result_count; i++)
            if (needed[op->results[i].id] && weft_type_is_tensor(op->results[i].type))
                s->way[s->count++] = &op->results[i];
    return WEFT_OK;
}

/* ---- runs ---- */

static void take(search *s, const weft_value *v, weft_outcome *got, weft_outcome *want, uint32_t i, double slack) {
    s->found = v;
    s->slack = slack;
    s->got = got->arrays[i];
    s->want = want->arrays[i];
    got->arrays[i].data = want->arrays[i].data = NULL; /* s has them now */
}

/* Whether one of these values differs when they are returned; the first becomes s->found. */
static weft_status probe(search *s, const weft_value *const *values, uint32_t n) {
    const weft_type *t = weft_func_type(weft_module_main(s->m));
    const uint32_t own = t->part_count - t->input_count;
    weft_module *sharded = NULL, *global = NULL;
    weft_outcome got = { .arrays = NULL }, want = { .arrays = NULL }, moved = { .arrays = NULL };
    int64_t at;
    weft_status st = weft_module_return_values(s->m, values, n, &sharded);
    if (st == WEFT_OK) st = weft_module_bare(sharded, &global);
    if (st == WEFT_OK) st = weft_verify_execute(s->v, global, WEFT_VERIFY_AS_GIVEN, &want);
    if (st == WEFT_OK) st = weft_verify_execute(s->v, sharded, WEFT_VERIFY_AS_GIVEN, &got);
    for (uint32_t i = own; st == WEFT_OK && i < got.count && !s->found; i++) {
        const double digits = s->digits[values[i - own]->id];
        if (weft_verify_compare(s->v, &got.arrays[i], &want.arrays[i], digits, 0, &at) == WEFT_OK) continue;
        if (!moved.arrays) st = weft_verify_execute(s->v, global, WEFT_VERIFY_NUDGED, &moved);
        if (st != WEFT_OK) break;
        const double slack = weft_verify_slack(&moved.arrays[i], &want.arrays[i]);
        if (weft_verify_compare(s->v, &got.arrays[i], &want.arrays[i], digits, slack, &at) != WEFT_OK)
            take(s, values[i - own], &got, &want, i, slack);
    }
    weft_outcome_free(s->cx, &moved);
    weft_outcome_free(s->cx, &got);
    weft_outcome_free(s->cx, &want);
    weft_module_free(sharded);
    weft_module_free(global);
    return st;
}

static weft_status probe_in_batches(search *s) {
    const int64_t most = s->v->opt.keep_bytes ? s->v->opt.keep_bytes : (int64_t)256 << 20;
    weft_status st = WEFT_OK;
    for (uint32_t first = 0; first < s->count && !s->found && st == WEFT_OK;) {
        uint32_t end = first;
        int64_t bytes = 0;
        while (end < s->count && (end == first || bytes + weft_type_bytes(s->way[end]->type) <= most))
            bytes += weft_type_bytes(s->way[end++]->type);
        st = probe(s, s->way + first, end - first);
        first = end;
    }
    return st;
}

static void forget(search *s) {
    weft_context *cx = s->cx;
    if (!s->found) return;
    cx->alloc.resize(cx->alloc.user, s->got.data, (size_t)weft_host_array_bytes(&s->got) + 1, 0);
    cx->alloc.resize(cx->alloc.user, s->want.data, (size_t)weft_host_array_bytes(&s->want) + 1, 0);
    s->found = NULL;
}

/* The first of the values that differs alone; those before it agree, those after it are assumed to differ. */
static weft_status bisect(search *s) {
    uint32_t low = 0, high = s->count;
    weft_status st = WEFT_OK;
    while (low < high && st == WEFT_OK) {
        const uint32_t mid = low + (high - low) / 2;
        forget(s);
        st = probe(s, &s->way[mid], 1);
        if (s->found) high = mid;
        else low = mid + 1;
    }
    if (st == WEFT_OK && !s->found && high < s->count) st = probe(s, &s->way[high], 1);
    return st;
}

/* ---- messages ---- */

static void print_sharding(weft_buf *b, const weft_value *v) {
    const weft_attr *a = weft_value_sharding_attr(v);
    weft_type_print(b, v->type);
    weft_buf_puts(b, a ? ", " : ", replicated");
    if (a) weft_print_attr(b, a);
}

static void note_value(search *s, const char *what, uint32_t i, const weft_value *v) {
    weft_buf b;
    weft_buf_init(&b, &s->cx->alloc);
    print_sharding(&b, v);
    weft_note(s->cx, weft_value_loc(v), "%s %u: %s", what, i, b.p ? b.p : "");
    weft_buf_free(&b);
}

/* The differences of got and want: their number, the smallest box around them, the first few with both values. */
typedef struct span { int64_t count, low[WEFT_HOST_ARRAY_MAX_RANK], high[WEFT_HOST_ARRAY_MAX_RANK],
                      shown[SHOWN]; } span;

static void widen(span *sp, const weft_host_array *a, int64_t i) {
    if (sp->count < SHOWN) sp->shown[sp->count] = i;
    for (uint32_t d = a->rank; d-- > 0;) {
        const int64_t x = i % a->dims[d];
        i /= a->dims[d];
        sp->low[d] = sp->count ? weft_min_i64(sp->low[d], x) : x;
        sp->high[d] = sp->count ? weft_max_i64(sp->high[d], x) : x;
    }
    sp->count++;
}

static void measure(const weft_verify *v, const weft_host_array *got, const weft_host_array *want, double digits,
                    double slack,
                    span *sp) {
    double rtol, atol;
    const int64_t n = weft_host_array_elems(got);
    const size_t bytes = weft_dtype_bytes(got->dtype);
    weft_verify_tolerance(v, want, digits, slack, &rtol, &atol);
    sp->count = 0;
    for (int64_t i = 0, at = 0; i < n; i++) { /* the rest, as a row */
        const weft_host_array g = {
            .dtype = got->dtype, .rank = 1, .dims = { n - i }, .data = (char *)got->data + (size_t)i * bytes
        };
        weft_host_array w = g;
        w.data = (char *)want->data + (size_t)i * bytes;
        if (weft_host_array_compare(&g, &w, rtol, atol, &at) == WEFT_OK) return;
        i += at;
        widen(sp, got, i);
    }
}

static void print_span(weft_buf *b, const weft_host_array *got, const weft_host_array *want, const span *sp) {
    weft_buf_printf(b, "%lld of %lld elements differ, all within [", (long long)sp->count,
                    (long long)weft_host_array_elems(got));
    for (uint32_t d = 0; d < got->rank; d++)
        weft_buf_printf(b, "%s%lld:%lld", d ? ", " : "", (long long)sp->low[d], (long long)sp->high[d] + 1);
    weft_buf_puts(b, "];");
    for (int64_t k = 0; k < sp->count && k < SHOWN; k++) {
        weft_buf_puts(b, k ? ", " : " ");
        weft_host_array_index_print(b, got, sp->shown[k]);
        weft_buf_puts(b, " is ");
        weft_host_array_element_print(b, got, sp->shown[k]);
        weft_buf_puts(b, " and should be ");
        weft_host_array_element_print(b, want, sp->shown[k]);
    }
    if (sp->count > SHOWN) weft_buf_puts(b, ", ...");
}

static weft_status tell(search *s, uint32_t r, const weft_outcome *whole, const place *places, uint32_t depth) {
    const weft_host_array *got = s->found ? &s->got : &whole->arrays[r],
        *want = s->found ? &s->want : &s->v->want.arrays[r];
    const weft_op *main = weft_module_main(s->m), *op = s->found ? s->found->def : NULL;
    weft_status st;
    weft_buf b;
    span sp;
    measure(s->v, got, want,
            s->digits[s->found ? s->found->id : weft_block_terminator(weft_op_body(main, 0))->operands[r]->id],
            s->slack, &sp);
    weft_buf_init(&b, &s->cx->alloc);
    print_span(&b, got, want, &sp);
    if (op)
        st = weft_report(s->cx, WEFT_D_differ, op->loc,
                         "'%s' computes something else on %lld devices than on one: result %u: %s", op->name->text,
                         (long long)whole->devices, s->found->index, b.p ? b.p : "");
    else
        st = weft_report(s->cx, WEFT_D_differ, main->loc,
                         "output %u differs on %lld devices, and no value that it is computed from does: %s", r,
                         (long long)whole->devices, b.p ? b.p : "");
    for (uint32_t i = 0; op && i < op->operand_count; i++) note_value(s, "operand", i, op->operands[i]);
    if (op) note_value(s, "result", s->found->index, s->found);
    for (uint32_t i = depth; op && i-- > 0;)
        weft_note(s->cx, places[i].loop, "in iteration %lld of this loop; earlier ones agree",
                  (long long)places[i].turn);
    if (op) weft_note(s->cx, main->loc, "output %u is computed from it, and differs", r);
    weft_buf_free(&b);
    return st;
}

/* ---- loops ---- */

/* Whether the loop's results differ after so many iterations. */
static weft_status differs_after(search *s, const weft_op *loop, int64_t turns, bool *differs) {
    search at = { .v = s->v, .cx = s->cx };
    const weft_value **values = weft_arena_array(&s->arena, const weft_value *, loop->result_count);
    weft_op *made;
    uint32_t n = 0;
    if (!values) return weft_oom();
    weft_arena_init(&at.arena, &s->cx->chunks);
    weft_status st = weft_module_peel(s->m, loop, turns, WEFT_PEEL_STOP, &at.m, &made);
    for (uint32_t i = 0; st == WEFT_OK && i < loop->result_count; i++)
        if (weft_type_is_tensor(made->results[i].type)) values[n++] = &made->results[i];
    if (st == WEFT_OK && !(at.digits = weft_verify_digits(at.m, &at.arena))) st = weft_oom();
    if (st == WEFT_OK) st = probe(&at, values, n);
    *differs = at.found != NULL;
    forget(&at);
    weft_module_free(at.m);
    weft_arena_free(&at.arena);
    return st;
}

/* The first iteration after which they differ; 0: none is found. */
static weft_status find_turn(search *s, const weft_op *loop, int64_t *turn) {
    const int64_t trips = weft_loop_trips(loop), most = trips < 0 ? (int64_t)1 << 20 : trips;
    int64_t low = 0, high = 1; /* after low it agrees */
    bool differs = false;
    weft_status st = WEFT_OK;
    *turn = 0;
    for (; st == WEFT_OK && low < most; high *= 2) {
        high = weft_min_i64(high, most);
        st = differs_after(s, loop, high, &differs);
        if (differs) break;
        low = high;
    }
    while (st == WEFT_OK && differs && high - low > 1) {
        const int64_t mid = low + (high - low) / 2;
        bool here;
        st = differs_after(s, loop, mid, &here);
        if (here) high = mid;
        else low = mid;
    }
    if (differs) *turn = high;
    return st;
}

/* ---- the search ---- */

static weft_status look(search *s, uint32_t r) {
    weft_status st = weft_pipeline_run(s->cx, WEFT_STR("weft-propagate"), 0, &s->m);
    if (st == WEFT_OK) st = find_way(s, r);
    if (st == WEFT_OK) st = probe_in_batches(s);
    return st == WEFT_OK && !s->found ? bisect(s) : st;
}

static void close_search(search *s) {
    forget(s);
    weft_module_free(s->m);
    weft_arena_free(&s->arena);
}

/* Continues inside the loop that was found, as long as that leads to an op in one iteration; *s is the last search. */
static weft_status look_into_loops(search *s, uint32_t r, place *places, uint32_t *depth) {
    weft_status st = WEFT_OK;
    for (*depth = 0; st == WEFT_OK && s->found && s->found->def->kind == WEFT_OP_while && *depth < MOST_LOOPS;) {
        const weft_op *loop = s->found->def;
        search in = { .v = s->v, .cx = s->cx, .slack = s->slack };
        weft_op *made;
        place at = { loop->loc, 0 };
        st = find_turn(s, loop, &at.turn);
        if (st != WEFT_OK || !at.turn) return st;
        weft_arena_init(&in.arena, &s->cx->chunks);
        st = weft_module_peel(s->m, loop, at.turn - 1, WEFT_PEEL_NEXT, &in.m, &made);
        if (st == WEFT_OK) st = look(&in, r);
        const bool inside =
            st == WEFT_OK && in.found && (in.found->def->kind != WEFT_OP_while || in.found->def->loc != loop->loc);
        if (!inside) {
            close_search(&in);
            return st;
        }
        close_search(s);
        *s = in;
        places[(*depth)++] = at;
    }
    return st;
}

weft_status weft_verify_locate(const weft_verify *v, const weft_module *m, uint32_t r, double slack,
                               const weft_outcome *got) {
    search s = { .v = v, .cx = v->cx, .slack = slack };
    place places[MOST_LOOPS];
    uint32_t depth = 0;
    weft_arena_init(&s.arena, &v->cx->chunks);
    weft_status st = weft_module_clone(m, &s.m);
    if (st == WEFT_OK) st = look(&s, r);
    if (st == WEFT_OK) st = look_into_loops(&s, r, places, &depth);
    if (st == WEFT_OK) st = tell(&s, r, got, places, depth);
    close_search(&s);
    return st;
}
