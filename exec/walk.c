/* walk.c: an executable's fields. Order and widths are the file's format: WEFT_EXEC_FORMAT says when they change. */
#include "exec/walk.h"

/* An executable that is written is shared by threads and stays as it is. */
#define SET(a, field, v) do { if ((a)->mode == WEFT_ARCHIVE_READ) (field) = (v); } while (0)

/* x->field, an array of x->count elements of T, each visited by `each`. */
#define EACH(a, x, field, count, T, each) do { \
    const void *p_ = (x)->field; \
    WEFT_ARCHIVE_NUMBER((a), (x)->count); \
    T *v_ = weft_archive_array((a), &p_, (uint64_t)(x)->count, sizeof(T), _Alignof(T)); \
    for (uint64_t i_ = 0; v_ && i_ < (uint64_t)(x)->count; i_++) each((a), &v_[i_]); \
    SET((a), (x)->field, p_); \
    if ((a)->status != WEFT_OK) SET((a), (x)->count, 0); \
} while (0)

#define NUMBER WEFT_ARCHIVE_NUMBER
#define ENUM(a, field, T, count) do { \
    const uint32_t e_ = weft_archive_enum((a), (uint32_t)(field), (count)); \
    SET((a), (field), (T)e_); \
} while (0)

static void i64(weft_archive *a, int64_t *v) { NUMBER(a, *v); }
static void u32(weft_archive *a, uint32_t *v) { NUMBER(a, *v); }

static void slice(weft_archive *a, weft_slice *s) {
    ENUM(a, s->space, weft_space, WEFT_SPACE_CONSTANT + 1);
    NUMBER(a, s->index);
    NUMBER(a, s->offset);
    NUMBER(a, s->bytes);
}

static void value(weft_archive *a, weft_exec_value *v) {
    ENUM(a, v->dtype, weft_dtype, WEFT_DTYPE_COUNT);
    EACH(a, v, dims, rank, int64_t, i64);
    NUMBER(a, v->bytes);
    NUMBER(a, v->alias);
    NUMBER(a, v->becomes);
}

/* ---- collectives ---- */

static void axis(weft_archive *a, weft_group_axis *x) {
    NUMBER(a, x->axis);
    NUMBER(a, x->pre_size);
    NUMBER(a, x->size);
}

/* So many numbers, where there are any at all. */
static void numbers(weft_archive *a, const int64_t **v, int64_t count) {
    const void *p = *v;
    const bool some = weft_archive_flag(a, *v != NULL);
    if (count < 0) weft_archive_malformed(a);
    int64_t *to = some && count > 0 ? weft_archive_array(a, &p, (uint64_t)count, sizeof *to, _Alignof(int64_t)) : NULL;
    for (int64_t i = 0; to && i < count; i++) i64(a, &to[i]);
    SET(a, *v, some ? p : NULL);
}

/* The product of two counts of what is read, or -1. */
static int64_t times(int64_t x, int64_t y) {
    int64_t r;
    return x < 0 || y < 0 || __builtin_mul_overflow(x, y, &r) ? -1 : r;
}

static void group(weft_archive *a, weft_group *g) {
    NUMBER(a, g->size);
    NUMBER(a, g->mesh);
    EACH(a, g, axes, axis_count, weft_group_axis, axis);
    NUMBER(a, g->group_count);
    numbers(a, &g->members, times(g->group_count, g->size));
    NUMBER(a, g->pair_count);
    numbers(a, &g->pairs, times(g->pair_count, 2));
}

static void operand(weft_archive *a, weft_coll_operand *o) {
    slice(a, &o->in);
    slice(a, &o->out);
    ENUM(a, o->dtype, weft_dtype, WEFT_DTYPE_COUNT);
    NUMBER(a, o->outer);
    NUMBER(a, o->middle);
    NUMBER(a, o->inner);
    const bool split_first = weft_archive_flag(a, o->split_first);
    SET(a, o->split_first, split_first);
}

static void collective(weft_archive *a, weft_coll_step *c) {
    ENUM(a, c->kind, weft_coll_kind_plan, WEFT_PLAN_COLLECTIVE_BROADCAST + 1);
    ENUM(a, c->reduction, weft_reduction, WEFT_REDUCE_XOR + 1);
    group(a, &c->group);
    EACH(a, c, operands, operand_count, weft_coll_operand, operand);
    EACH(a, c, tables, table_count, weft_slice, slice);
    NUMBER(a, c->plan_index);
}

/* ---- steps ---- */

static void code_alone(weft_archive *a, weft_code *c) {
    uint64_t bytes = c->state_bytes;
    weft_archive_text(a, &c->kernel);
    NUMBER(a, c->function);
    NUMBER(a, c->split.grains);
    NUMBER(a, c->split.least);
    const bool apart = weft_archive_flag(a, c->split.apart);
    SET(a, c->split.apart, apart);
    NUMBER(a, c->split.scratch);
    NUMBER(a, c->split.scratch_bytes);
    const bool divides = weft_archive_flag(a, c->divides);
    SET(a, c->divides, divides);
    NUMBER(a, bytes);
    const void *state = c->state;
    weft_archive_block(a, &state, bytes, _Alignof(max_align_t));
    SET(a, c->state, state);
    SET(a, c->state_bytes, a->status == WEFT_OK ? (size_t)bytes : 0);
}

static void call(weft_archive *a, weft_code *c) {
    code_alone(a, c);
    weft_archive_loc(a, &c->loc);
}

/* The end of a collective has the start's: it is found by its ticket. */
static void step(weft_archive *a, weft_step *s) {
    ENUM(a, s->kind, weft_step_kind, WEFT_STEP_CASE + 1);
    code_alone(a, &s->code);
    EACH(a, &s->code, calls, call_count, weft_code, call);
    EACH(a, s, slices, slice_count, weft_slice, slice);
    if (s->kind == WEFT_STEP_COLLECTIVE || s->kind == WEFT_STEP_START) {
        const void *p = s->coll;
        weft_coll_step *c = weft_archive_array(a, &p, 1, sizeof *c, _Alignof(weft_coll_step));
        if (c) collective(a, c);
        SET(a, s->coll, p);
    }
    NUMBER(a, s->ticket);
    NUMBER(a, s->cond_steps);
    NUMBER(a, s->body_steps);
    EACH(a, s, branch_steps, branch_count, uint32_t, u32);
    weft_archive_text(a, &s->label);
    weft_archive_loc(a, &s->loc);
}

/* What an end waits for is what the last start with its ticket before it has begun. */
static void find_starts(weft_archive *a, const weft_executable *x) {
    if (a->mode != WEFT_ARCHIVE_READ || a->status != WEFT_OK) return;
    weft_step *steps = (weft_step *)x->steps;
    const weft_coll_step **begun = NULL;
    if (x->ticket_count > x->step_count) weft_archive_malformed(a);
    if (a->status == WEFT_OK) begun = weft_arena_array(a->arena, const weft_coll_step *, x->ticket_count);
    if (a->status == WEFT_OK && !begun) a->status = WEFT_ERR_MEMORY;
    for (uint32_t i = 0; i < x->step_count && a->status == WEFT_OK; i++) {
        weft_step *s = &steps[i];
        if (s->kind != WEFT_STEP_START && s->kind != WEFT_STEP_DONE) continue;
        if (s->ticket >= x->ticket_count) weft_archive_malformed(a);
        else if (s->kind == WEFT_STEP_START) begun[s->ticket] = s->coll;
        else if (!(s->coll = begun[s->ticket])) weft_archive_malformed(a);
    }
}

/* ---- meshes, the plan, the image ---- */

static void mesh(weft_archive *a, weft_exec_mesh *m) {
    const void *names = m->names;
    int64_t places = 1;
    EACH(a, m, sizes, axis_count, int64_t, i64);
    const bool named = weft_archive_flag(a, m->names != NULL);
    weft_str *v = named ? weft_archive_array(a, &names, m->axis_count, sizeof *v, _Alignof(weft_str)) : NULL;
    for (uint32_t i = 0; v && i < m->axis_count; i++) weft_archive_str(a, &v[i]);
    SET(a, m->names, named ? names : NULL);
    for (uint32_t i = 0; m->sizes && i < m->axis_count; i++) places = times(places, m->sizes[i]);
    numbers(a, &m->device_ids, places);
}

static void plan_collective(weft_archive *a, weft_plan_collective *c) {
    ENUM(a, c->kind, weft_coll_kind_plan, WEFT_PLAN_COLLECTIVE_BROADCAST + 1);
    weft_archive_str(a, &c->axes);
    NUMBER(a, c->group_size);
    NUMBER(a, c->stride);
    NUMBER(a, c->bytes);
    NUMBER(a, c->wire_bytes);
    const bool at_most = weft_archive_flag(a, c->at_most);
    SET(a, c->at_most, at_most);
    weft_archive_loc(a, &c->loc);
}

static void plan_step(weft_archive *a, weft_plan_step *s) {
    ENUM(a, s->kind, weft_plan_step_kind, WEFT_PLAN_CASE + 1);
    NUMBER(a, s->flops);
    ENUM(a, s->dtype, weft_dtype, WEFT_DTYPE_COUNT);
    NUMBER(a, s->read_bytes);
    NUMBER(a, s->write_bytes);
    NUMBER(a, s->collective);
    NUMBER(a, s->body_steps);
    NUMBER(a, s->trip_count);
    EACH(a, s, branch_steps, branch_count, uint32_t, u32);
    NUMBER(a, s->case_number);
    NUMBER(a, s->taken);
    weft_archive_loc(a, &s->loc);
}

static void plan_value(weft_archive *a, weft_plan_value *v) {
    weft_archive_loc(a, &v->loc);
    ENUM(a, v->dtype, weft_dtype, WEFT_DTYPE_COUNT);
    EACH(a, v, dims, rank, int64_t, i64);
    NUMBER(a, v->bytes);
}

static void plan(weft_archive *a, weft_plan *p) {
    EACH(a, p, steps, step_count, weft_plan_step, plan_step);
    EACH(a, p, collectives, collective_count, weft_plan_collective, plan_collective);
    EACH(a, p, values, value_count, weft_plan_value, plan_value);
    NUMBER(a, p->case_count);
    NUMBER(a, p->assumed_trips);
    NUMBER(a, p->argument_bytes);
    NUMBER(a, p->result_bytes);
    NUMBER(a, p->temp_bytes);
    NUMBER(a, p->constant_bytes);
    NUMBER(a, p->alias_bytes);
    NUMBER(a, p->device_count);
}

static void function(weft_archive *a, weft_image_function *f) {
    NUMBER(a, f->offset);
    NUMBER(a, f->bytes);
}

static void import(weft_archive *a, weft_image_import *m) {
    weft_archive_text(a, &m->name);
    NUMBER(a, m->slot);
}

void weft_image_walk(weft_archive *a, weft_image *m) {
    const void *block = m->block;
    weft_archive_text(a, &m->machine);
    weft_archive_text(a, &m->needs);
    NUMBER(a, m->bytes);
    weft_archive_block(a, &block, m->bytes, _Alignof(max_align_t));
    SET(a, m->block, block);
    if (a->status != WEFT_OK) SET(a, m->bytes, 0);
    EACH(a, m, functions, function_count, weft_image_function, function);
    EACH(a, m, imports, import_count, weft_image_import, import);
}

static void hash(weft_archive *a, uint64_t *v) { NUMBER(a, *v); }

void weft_executable_walk(weft_archive *a, weft_executable *x) {
    EACH(a, x, args, arg_count, weft_exec_value, value);
    EACH(a, x, results, result_count, weft_exec_value, value);
    EACH(a, x, steps, step_count, weft_step, step);
    NUMBER(a, x->ticket_count);
    find_starts(a, x);
    EACH(a, x, contents, content_count, uint64_t, hash);
    NUMBER(a, x->constant_bytes);
    if (x->constant_bytes < 0) weft_archive_malformed(a);
    const void *constants = x->constants;
    weft_archive_block(a, &constants, a->status == WEFT_OK ? (uint64_t)x->constant_bytes : 0, WEFT_BUFFER_ALIGN);
    SET(a, x->constants, constants);
    NUMBER(a, x->temp_bytes);
    EACH(a, x, meshes, mesh_count, weft_exec_mesh, mesh);
    NUMBER(a, x->device_count);
    NUMBER(a, x->partition_count);
    plan(a, &x->plan);
    if (a->mode != WEFT_ARCHIVE_HASH) weft_image_walk(a, &x->image);
}
