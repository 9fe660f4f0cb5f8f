/* under_way.c: the steps between the start and the end of each collective. */
#include "tests/support/under_way.h"

static bool overlap(const weft_slice *a, const weft_slice *b) {
    return a->space == b->space && a->index == b->index && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

static bool touches(const weft_step *s, const weft_slice *slice) {
    for (uint32_t k = 0; k < s->slice_count; k++)
        if (overlap(&s->slices[k], slice)) return true;
    for (uint32_t k = 0; s->coll && k < s->coll->operand_count; k++)
        if (overlap(&s->coll->operands[k].out, slice)) return true;
    return false;
}

static bool writes(const weft_step *s, const weft_slice *slice) {
    for (uint32_t k = 0; s->coll && k < s->coll->operand_count; k++)
        if (overlap(&s->coll->operands[k].out, slice)) return true;
    return false;
}

static bool sends(const weft_step *s, const weft_slice *slice) {
    for (uint32_t k = 0; s->coll && k < s->coll->operand_count; k++)
        if (overlap(&s->coll->operands[k].in, slice)) return true;
    return false;
}

/* s runs while `coll` is under way. */
static const char *beside(const weft_step *s, const weft_coll_step *coll, weft_test_use use) {
    for (uint32_t k = 0; k < coll->operand_count; k++) {
        const weft_coll_operand *o = &coll->operands[k];
        if (touches(s, &o->out) || sends(s, &o->out)) return "touches what a collective under way writes";
        if (writes(s, &o->in) || (use == WEFT_TEST_ALONE && touches(s, &o->in)))
            return "writes what a collective under way reads";
    }
    return NULL;
}

const char *weft_test_under_way(const weft_executable *x, weft_test_use use, uint32_t *step) {
    for (uint32_t i = 0; i < x->step_count; i++) {
        if (x->steps[i].kind != WEFT_STEP_START) continue;
        const uint32_t ticket = x->steps[i].ticket;
        for (*step = i + 1;
             *step < x->step_count && (x->steps[*step].kind != WEFT_STEP_DONE || x->steps[*step].ticket != ticket);
             ++*step) {
            const char *wrong = beside(&x->steps[*step], x->steps[i].coll, use);
            if (wrong) return wrong;
        }
        if (*step < x->step_count && ticket < x->ticket_count) continue;
        *step = i;
        return "starts a collective that does not end";
    }
    return NULL;
}
