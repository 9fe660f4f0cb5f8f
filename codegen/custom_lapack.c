/* custom_lapack.c: custom calls to LAPACK: types, batches, workspace. The routines: custom_routines.c. */
#include <limits.h>
#include <stdlib.h>
#include "codegen/custom_lapack.h"
#include "exec/kernels/lapack.h"

/* ---- the signature ---- */

typedef struct reading {
    cg_custom *c;
    int64_t dim[26];        /* by letter; -1: not met yet */
    uint32_t batch_rank;
    const int64_t *batch;
} reading;

static weft_status mismatch(const reading *r, const char *side, uint32_t i, const char *spec) {
    return weft_report(r->c->im->g->cx, WEFT_D_verify, r->c->op->loc,
                       "%s %u of custom call '%s' does not have the type '%.*s' of '%s'", side, i, r->c->target->name,
                       (int)strcspn(spec, " "), spec, r->c->target->signature);
}

static weft_dtype dtype_of(const reading *r, char letter) {
    const weft_dtype t = r->c->target->type;
    const bool wide = t == WEFT_F64 || t == WEFT_C128;
    switch (letter) {
    case 'R': return wide ? WEFT_F64 : WEFT_F32;
    case 'C': return wide ? WEFT_C128 : WEFT_C64;
    case 'I': return WEFT_I32;
    default: return t;
    }
}

static bool dim_is(reading *r, char letter, int64_t size) {
    const int64_t m = r->dim['m' - 'a'], n = r->dim['n' - 'a'];
    if (size > INT_MAX - 64) return false;
    if (letter == 'p') return size == weft_min_i64(m, n);
    if (letter == 'q') return size == weft_max_i64(n - 1, 0);
    int64_t *known = &r->dim[letter - 'a'];
    if (*known < 0) *known = size;
    return *known == size;
}

/* One value against its word of the signature. */
static bool value_is(reading *r, const char *spec, const weft_type *t) {
    const uint32_t rank = (uint32_t)strcspn(spec, " ") - 1;
    if (!weft_type_is_tensor(t) || t->dtype != dtype_of(r, spec[0]) || t->rank < rank) return false;
    if (!r->batch) {
        r->batch = t->dims;
        r->batch_rank = t->rank - rank;
    }
    if (t->rank != r->batch_rank + rank || memcmp(t->dims, r->batch, r->batch_rank * sizeof *t->dims)) return false;
    for (uint32_t d = 0; d < rank; d++)
        if (!dim_is(r, spec[1 + d], t->dims[r->batch_rank + d])) return false;
    return true;
}

static const char *next_word(const char *p) {
    p += strcspn(p, " ");
    return p + strspn(p, " >");
}

static uint32_t words(const char *p, char end) {
    uint32_t n = 0;
    for (; *p && *p != end; p += strspn(p, " ")) n++, p += strcspn(p, " ");
    return n;
}

static weft_status read_signature(reading *r) {
    const weft_op *op = r->c->op;
    const char *p = r->c->target->signature, *results = strchr(p, '>') + 2;
    if (op->operand_count != words(p, '>') || op->result_count != words(results, 0))
        return weft_report(r->c->im->g->cx, WEFT_D_verify, op->loc,
                           "custom call '%s' has %u operands and %u results, expected '%s'", r->c->target->name,
                           op->operand_count, op->result_count, p);
    for (size_t i = 0; i < WEFT_COUNT(r->dim); i++) r->dim[i] = -1;
    for (uint32_t i = 0; i < op->operand_count; i++, p = next_word(p))
        if (!value_is(r, p, op->operands[i]->type)) return mismatch(r, "operand", i, p);
    for (uint32_t i = 0; i < op->result_count; i++, p = next_word(p))
        if (!value_is(r, p, op->results[i].type)) return mismatch(r, "result", i, p);
    return WEFT_OK;
}

/* ---- planning ---- */

weft_status cg_lapack_letter(cg_custom *c, const char *attr, const char *allowed, char *out) {
    const weft_attr *a = cg_custom_attr(c, attr);
    if (a && a->kind == WEFT_ATTR_INT && a->i > 0 && a->i < 128 && strchr(allowed, (int)a->i)) {
        *out = (char)a->i;
        return WEFT_OK;
    }
    return weft_report(c->im->g->cx, WEFT_D_verify, c->op->loc,
                       "backend_config of custom call '%s' has no '%s' that is the number of one of the letters '%s'",
                       c->target->name, attr, allowed);
}

static int64_t aligned(int64_t n) { return (n + WEFT_BUFFER_ALIGN - 1) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN; }

static void fill_state(const reading *r, weft_lapack_state *s) {
    static const char letters[] = "mnksuv";
    int32_t *const to[] = { &s->m, &s->n, &s->k, &s->s, &s->u, &s->v };
    for (size_t i = 0; i < WEFT_COUNT(to); i++)
        *to[i] = r->dim[letters[i] - 'a'] < 0 ? 0 : (int32_t)r->dim[letters[i] - 'a'];
    s->type = weft_lapack_type(r->c->target->type);
    s->batch = 1;
    for (uint32_t i = 0; i < r->batch_rank; i++) s->batch *= r->batch[i];
}

weft_status cg_custom_lapack(cg_custom *c) {
    const struct cg_lapack *routine = c->target->routine;
    reading r = { .c = c };
    weft_lapack_state s = { 0 };
    weft_status st = read_signature(&r);
    if (st != WEFT_OK) return st;
    fill_state(&r, &s);
    if (routine->plan) st = routine->plan(c, &s);
    if (st != WEFT_OK) return st;
    if (routine->routine->ask) routine->routine->ask(&s);
    s.rwork_at = aligned(s.lwork * (int64_t)weft_lapack_bytes(&s));
    s.iwork_at = s.rwork_at + aligned(s.lrwork * (int64_t)weft_lapack_real_bytes(&s));
    s.spare_at = s.iwork_at + aligned(s.liwork * (int64_t)sizeof(int));
    return cg_custom_call(c, &(cg_call_spec){ .kernel = routine->routine->kernel, .state = &s, .state_bytes = sizeof s,
                                              .scratch_bytes = s.spare_at + s.spare_bytes,
                                              .in_place = routine->in_place });
}
