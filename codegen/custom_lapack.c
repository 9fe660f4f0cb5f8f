/* custom_lapack.c: custom calls to LAPACK: types, batches, workspace. The routines: custom_routines.c. */
#include "codegen/custom_lapack.h"
#include <string.h>
#include "exec/kernels/lapack.h"
#include "ir/signature.h"

static weft_status mismatch(const cg_custom *c, const weft_signature_miss *miss) {
    const char *signature = c->target->signature;
    if (miss->side)
        return weft_report(c->im->g->cx, WEFT_D_verify, c->op->loc,
                           "%s %u of custom call '%s' does not have the type '%.*s' of '%s'", miss->side, miss->i,
                           c->target->name, (int)strcspn(miss->word, " "), miss->word, signature);
    return weft_report(c->im->g->cx, WEFT_D_verify, c->op->loc,
                       "custom call '%s' has %u operands and %u results, expected '%s'", c->target->name,
                       c->op->operand_count, c->op->result_count, signature);
}

weft_status cg_lapack_letter(cg_custom *c, const char *attr, const char *allowed, char *out) {
    if ((*out = weft_custom_call_letter(c->op, attr, allowed))) return WEFT_OK;
    return weft_report(c->im->g->cx, WEFT_D_verify, c->op->loc,
                       "backend_config of custom call '%s' has no '%s' that is the number of one of the letters '%s'",
                       c->target->name, attr, allowed);
}

static int64_t aligned(int64_t n) { return (n + WEFT_BUFFER_ALIGN - 1) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN; }

static void fill_state(const cg_custom *c, const weft_signature_dims *r, weft_lapack_state *s) {
    static const char letters[] = "mnksuv";
    int32_t *const to[] = { &s->m, &s->n, &s->k, &s->s, &s->u, &s->v };
    for (size_t i = 0; i < WEFT_COUNT(to); i++)
        *to[i] = r->dim[letters[i] - 'a'] < 0 ? 0 : (int32_t)r->dim[letters[i] - 'a'];
    s->type = weft_lapack_type(c->target->type);
    s->batch = 1;
    for (uint32_t i = 0; i < r->batch_rank; i++) s->batch *= r->batch[i];
}

/* A routine has m, n or both. */
static int64_t order_of(const weft_lapack_state *s) {
    return weft_max_i64(s->m && s->n ? weft_lapack_min(s->m, s->n) : s->m + s->n, 1);
}

weft_status cg_custom_lapack(cg_custom *c) {
    const struct cg_lapack *routine = c->target->routine;
    weft_signature_dims dims;
    weft_signature_miss miss;
    weft_lapack_state s = { 0 };
    if (!weft_signature_fits(c->op, c->target->signature, c->target->type, &dims, &miss))
        return cg_custom_is_foreign(c) ? cg_custom_foreign(c) : mismatch(c, &miss); /* the name may be another's */
    fill_state(c, &dims, &s);
    const weft_status st = routine->plan ? routine->plan(c, &s) : WEFT_OK;
    if (st != WEFT_OK) return st;
    if (routine->routine->ask) routine->routine->ask(&s);
    s.rwork_at = aligned(s.lwork * (int64_t)weft_lapack_bytes(&s));
    s.iwork_at = s.rwork_at + aligned(s.lrwork * (int64_t)weft_lapack_real_bytes(&s));
    s.spare_at = s.iwork_at + aligned(s.liwork * (int64_t)sizeof(int));
    return cg_custom_call(c, &(cg_call_spec){ .kernel = routine->routine->kernel, .state = &s, .state_bytes = sizeof s,
                                              .scratch_bytes = s.spare_at + s.spare_bytes,
                                              .in_place = routine->in_place,
                                              .flops = (double)s.batch * routine->flops(&s), .order = order_of(&s) });
}
