/* check.c: what must hold of every executable: every index, offset and count lies in what it is of. */
#include "exec/walk.h"

static bool slice_fits(const weft_executable *x, const weft_slice *s) {
    int64_t bytes = 0;
    switch (s->space) {
    case WEFT_SPACE_ARGUMENT:
        if (s->index >= x->arg_count) return false;
        bytes = x->args[s->index].bytes;
        break;
    case WEFT_SPACE_RESULT:
        if (s->index >= x->result_count) return false;
        bytes = x->results[s->index].bytes;
        break;
    case WEFT_SPACE_TEMP: bytes = x->temp_bytes; break;
    case WEFT_SPACE_CONSTANT: bytes = x->constant_bytes; break;
    }
    return s->offset >= 0 && s->bytes >= 0 && s->offset <= bytes && s->bytes <= bytes - s->offset;
}

static bool value_fits(const weft_executable *x, const weft_exec_value *v, bool result) {
    if (v->bytes < 0) return false;
    for (uint32_t d = 0; d < v->rank; d++)
        if (v->dims[d] < 0) return false;
    if (!result) return true;
    if (v->alias < -1 || v->alias >= (int64_t)x->arg_count || v->becomes < -1 || v->becomes >= (int64_t)x->arg_count)
        return false;
    return v->alias < 0 || x->args[v->alias].bytes == v->bytes;
}

static bool code_fits(const weft_executable *x, const weft_code *c) {
    return (c->function == WEFT_NO_FUNCTION || c->function < x->content_count) && c->split.grains >= 0 &&
           c->split.least >= 0 && c->split.scratch_bytes >= 0;
}

static bool group_fits(const weft_executable *x, const weft_group *g) {
    if (g->size < 1 || g->size > x->device_count) return false;
    for (int64_t i = 0; g->members && i < g->group_count * g->size; i++)
        if (g->members[i] < -1 || g->members[i] >= x->device_count) return false;
    for (int64_t i = 0; g->pairs && i < 2 * g->pair_count; i++)
        if (g->pairs[i] < 0 || g->pairs[i] >= x->device_count) return false;
    if (g->members || g->pairs || !g->axis_count) return true;
    if (g->mesh >= x->mesh_count) return false;
    for (uint32_t i = 0; i < g->axis_count; i++) {
        const weft_group_axis *a = &g->axes[i];
        if (a->axis >= x->meshes[g->mesh].axis_count || a->size < 1 || a->pre_size < 1) return false;
    }
    return true;
}

static bool tables_fit(const weft_executable *x, const weft_coll_step *c) {
    const weft_coll_operand *o = c->operands;
    for (uint32_t i = 0; i < c->table_count; i++)
        if (!slice_fits(x, &c->tables[i])) return false;
    if (!c->table_count) return true;
    if (c->kind == WEFT_PLAN_COLLECTIVE_BROADCAST)
        return c->table_count == 1 && c->tables[0].bytes / 4 >= (int64_t)c->operand_count;
    if (c->kind != WEFT_PLAN_ALL_TO_ALL || c->table_count != WEFT_RAGGED_TABLES || c->operand_count != 1) return false;
    for (uint32_t i = 1; i < WEFT_RAGGED_TABLES; i++)
        if (c->tables[i].bytes != c->tables[1].bytes) return false;
    return c->tables[0].bytes == o->out.bytes && c->group.size > 0 && c->tables[1].bytes % (8 * c->group.size) == 0;
}

static bool collective_fits(const weft_executable *x, const weft_coll_step *c) {
    if (!group_fits(x, &c->group) || !tables_fit(x, c) || c->plan_index >= x->plan.collective_count) return false;
    for (uint32_t i = 0; i < c->operand_count; i++) {
        const weft_coll_operand *o = &c->operands[i];
        if (!slice_fits(x, &o->in) || !slice_fits(x, &o->out) || o->outer < 0 || o->middle < 0 || o->inner < 0)
            return false;
    }
    return true;
}

/* A loop and a case hold steps after them, within the list that they are in. */
static bool steps_fit(const weft_executable *x, uint32_t from, uint32_t to, uint32_t depth);

static bool inside_fits(const weft_executable *x, uint32_t at, uint32_t to, uint32_t depth, uint32_t *span) {
    const weft_step *s = &x->steps[at];
    uint64_t next = (uint64_t)at + 1;
    const uint32_t loop[2] = { s->cond_steps, s->body_steps };
    const bool is_loop = s->kind == WEFT_STEP_WHILE;
    const uint32_t *parts = is_loop ? loop : s->branch_steps;
    const uint32_t count = is_loop ? 2 : s->kind == WEFT_STEP_CASE ? s->branch_count : 0;
    if ((is_loop || s->kind == WEFT_STEP_CASE) && (!s->slice_count || !count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i] > to - next) return false;
        if (!steps_fit(x, (uint32_t)next, (uint32_t)next + parts[i], depth + 1)) return false;
        next += parts[i];
    }
    *span = (uint32_t)next - at;
    return true;
}

/* Scratch memory of a step's code, which its threads have in place of that buffer, is a buffer and no larger. */
static bool scratch_fits(const weft_step *s) {
    const weft_split *p = &s->code.split;
    return !p->scratch || (p->scratch < s->slice_count && p->scratch_bytes <= s->slices[p->scratch].bytes);
}

static bool step_fits(const weft_executable *x, const weft_step *s) {
    const bool talks = s->kind >= WEFT_STEP_COLLECTIVE && s->kind <= WEFT_STEP_DONE; /* it has no code */
    if (!talks && !code_fits(x, &s->code)) return false;
    for (uint32_t i = 0; i < s->code.call_count; i++)
        if (!code_fits(x, &s->code.calls[i]) || !s->code.calls[i].kernel) return false;
    for (uint32_t i = 0; i < s->slice_count; i++)
        if (!slice_fits(x, &s->slices[i])) return false;
    if (!talks) return scratch_fits(s);
    return s->coll && collective_fits(x, s->coll) && (s->kind == WEFT_STEP_COLLECTIVE || s->ticket < x->ticket_count);
}

enum { MOST_DEPTH = 1000 }; /* of loops in loops */

static bool steps_fit(const weft_executable *x, uint32_t from, uint32_t to, uint32_t depth) {
    if (depth > MOST_DEPTH) return false;
    for (uint32_t i = from, span; i < to; i += span)
        if (!step_fits(x, &x->steps[i]) || !inside_fits(x, i, to, depth, &span)) return false;
    return true;
}

bool weft_image_whole(const weft_image *m) {
    for (uint32_t i = 0; i < m->function_count; i++)
        if (m->functions[i].offset > m->bytes || m->functions[i].bytes > m->bytes - m->functions[i].offset)
            return false;
    for (uint32_t i = 0; i < m->import_count; i++)
        if (!m->imports[i].name || m->imports[i].slot > m->bytes || m->bytes - m->imports[i].slot < sizeof(uint64_t))
            return false;
    return true;
}

static bool image_fits(const weft_executable *x) {
    const weft_image *m = &x->image;
    if (!m->machine) return !m->bytes && !m->function_count;
    return m->function_count == x->content_count && weft_image_whole(m);
}

static bool plan_fits(const weft_plan *p) {
    for (uint32_t i = 0; i < p->step_count; i++) {
        const weft_plan_step *s = &p->steps[i];
        uint64_t inside = s->kind == WEFT_PLAN_LOOP ? s->body_steps : 0;
        const bool talks = s->kind >= WEFT_PLAN_COLLECTIVE && s->kind <= WEFT_PLAN_DONE;
        for (uint32_t b = 0; s->kind == WEFT_PLAN_CASE && b < s->branch_count; b++) inside += s->branch_steps[b];
        if (inside > p->step_count - i - 1 || (talks && s->collective >= p->collective_count)) return false;
        if (s->kind == WEFT_PLAN_CASE && s->case_number >= p->case_count) return false;
    }
    return true;
}

const char *weft_executable_wrong(const weft_executable *x) {
    if (x->temp_bytes < 0 || x->constant_bytes < 0) return "its memory has a negative size";
    if (x->device_count < 1 || x->partition_count < 1 || x->device_count % x->partition_count)
        return "its devices are not whole replicas";
    for (uint32_t i = 0; i < x->arg_count; i++)
        if (!value_fits(x, &x->args[i], false)) return "an argument of it cannot be";
    for (uint32_t i = 0; i < x->result_count; i++)
        if (!value_fits(x, &x->results[i], true)) return "a result of it cannot be";
    for (uint32_t i = 0; i < x->mesh_count; i++)
        for (uint32_t k = 0; k < x->meshes[i].axis_count; k++)
            if (x->meshes[i].sizes[k] < 1) return "a mesh of it has an axis without devices";
    if (!plan_fits(&x->plan)) return "its plan is not whole";
    if (!steps_fit(x, 0, x->step_count, 0)) return "a step of it refers to what is not there";
    return image_fits(x) ? NULL : "its machine code is not whole";
}
