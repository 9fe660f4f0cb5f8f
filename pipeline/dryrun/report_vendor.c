/* report_vendor.c: the figures of a machine whose compiler is the vendor's, in place of those of Weft's own schedule,
 * and what takes their time and memory. */
#include "pipeline/dryrun/report.h"

#include <stdlib.h>
#include <string.h>
#include "base/table.h"

static int slower_first(const void *a, const void *b) {
    const weft_dry_place *x = a, *y = b;
    if (x->time_s > y->time_s || x->time_s < y->time_s) return x->time_s < y->time_s ? 1 : -1;
    return strcmp(x->place, y->place);
}

static const char *what_of(const weft_task *t) {
    return t->kind == WEFT_TASK_COLLECTIVE ? weft_coll_kind_name(t->call.kind) : weft_kernel_class_name(t->kernel.kind);
}

typedef struct placer { weft_arena *arena; weft_table seen; weft_dry_place *v; size_t n; } placer;

/* Where the use of t is added up; NULL: memory is out. */
static weft_dry_place *place_of(placer *p, const weft_task *t) {
    const char *what = what_of(t);
    const weft_loc *loc = weft_loc_place(t->op->loc);
    const uint64_t kind = t->kind == WEFT_TASK_COLLECTIVE ? (uint64_t)t->call.kind << 8 : t->kernel.kind;
    const uint64_t hash = weft_hash_end(weft_hash_mix(kind, loc ? (uint64_t)loc->line << 32 | loc->column : 0));
    size_t probe = 0;
    for (const weft_dry_place *old; (old = weft_table_next(&p->seen, hash, &probe));)
        if (old->what == what && old->loc == loc) return &p->v[old - p->v];
    char *text = weft_loc_text(p->arena, t->op->loc);
    weft_dry_place *made = &p->v[p->n];
    *made = (weft_dry_place){ what, text, loc, 0, 0 };
    if (!text || !weft_table_add(&p->seen, p->arena, hash, made)) return NULL;
    p->n++;
    return made;
}

/* The uses, added up by what they are and the line that they come from. */
static weft_status add_places(weft_arena *arena, weft_dry_report *r) {
    placer p = { .arena = arena, .v = weft_arena_array(arena, weft_dry_place, r->use_count) };
    if (!p.v) return weft_oom();
    for (size_t i = 0; i < r->use_count; i++) {
        weft_dry_place *v = place_of(&p, r->uses[i].task);
        if (!v) return weft_oom();
        v->time_s += r->uses[i].time_s;
        v->count = weft_add_times_i64(v->count, r->uses[i].count, 1);
    }
    if (p.n) qsort(p.v, p.n, sizeof *p.v, slower_first);
    r->places = p.v;
    r->place_count = p.n;
    return WEFT_OK;
}

static weft_fuse_options fuse_options(const weft_built_program *p, const weft_dry_how *how, const weft_machine *m) {
    return (weft_fuse_options){ .machine = m, .plan = p->exec ? &p->exec->plan : NULL, .attention = how->attention,
                                .devices = p->device_count };
}

static weft_timeline_options time_options(const weft_dry_how *how, const weft_machine *m) {
    return (weft_timeline_options){ .machine = m, .overlap = how->overlap, .assumed_trips = how->trips };
}

weft_status weft_dry_floor(weft_arena *arena, const weft_dry_how *how, const weft_dry_report *r, weft_floor *out) {
    const weft_fuse_options fuse = fuse_options(r->program, how, &r->order.machine);
    const weft_timeline_options time = time_options(how, &r->order.machine);
    return weft_floor_of(r->program->local, &fuse, &time, arena, out);
}

/* The bytes of results that take the memory of the argument donated to them, and of arguments and results together. A
 * vendor's compiler always honours a donation; where the argument is read after the result is made, the result waits in
 * memory of its own (cost/fuse_memory.c). An argument that is returned as another's update is copied. */
static weft_status measure_interface(weft_arena *arena, const weft_module *local, double *shared, double *held) {
    const weft_op *main = weft_module_main(local), *end = weft_op_body(main, 0)->last;
    const weft_type *t = weft_func_type(main);
    const uint32_t results = t->part_count - t->input_count;
    const weft_type **donated = weft_arena_array(arena, const weft_type *, results);
    if (!donated) return weft_oom();
    *held = *shared = 0;
    for (uint32_t i = 0; i < t->input_count; i++) {
        const weft_attr *a = weft_func_arg_attr(main, i, WEFT_A_tf_aliasing_output);
        if (weft_type_is_tensor(t->parts[i])) *held += (double)weft_type_bytes(t->parts[i]);
        if (!a || a->kind != WEFT_ATTR_INT || a->i < 0 || a->i >= results) continue;
        const weft_value *returned = end->operands[a->i];
        if (returned->def || returned->index == i) donated[a->i] = t->parts[i];
    }
    for (uint32_t r = 0; r < results; r++) {
        const weft_type *of = t->parts[t->input_count + r];
        if (!weft_type_is_tensor(of)) continue;
        if (donated[r] && weft_type_bytes(donated[r]) == weft_type_bytes(of)) *shared += (double)weft_type_bytes(of);
        else *held += (double)weft_type_bytes(of);
    }
    return WEFT_OK;
}

weft_status weft_dry_vendor_bound(weft_arena *arena, const weft_built_program *p, const weft_machine *machine,
                                  const weft_dry_how *how, weft_sweep_cost *out) {
    const weft_fuse_options fuse = fuse_options(p, how, machine);
    const weft_timeline_options time = time_options(how, machine);
    const weft_mark mark = weft_arena_mark(arena);
    weft_task_list tasks;
    weft_timeline t;
    weft_task_memory memory;
    double held, shared;
    *out = (weft_sweep_cost){ .known = true };
    if (machine->compiler != WEFT_COMPILER_VENDOR || weft_module_had(p->local, WEFT_OP_custom_call)) return WEFT_OK;
    weft_status st = weft_fuse(p->local, &fuse, arena, &tasks);
    if (st == WEFT_OK) st = weft_timeline_run(&tasks, &time, arena, &t);
    if (st == WEFT_OK) st = weft_task_memory_of(&tasks, arena, &memory);
    if (st == WEFT_OK) st = measure_interface(arena, p->local, &shared, &held);
    if (st == WEFT_OK) {
        out->step_s = t.step_s;
        out->bytes = held + memory.bytes;
        out->fits = machine->memory_bytes <= 0 || out->bytes <= machine->memory_bytes;
        out->at_least = true;
    }
    weft_arena_reset(arena, mark);
    return st;
}

/* The step's time if branches take what is fastest. */
static weft_status least_step(weft_arena *arena, const weft_dry_how *how, const weft_dry_report *r, double *out) {
    weft_timeline_options time = time_options(how, &r->order.machine);
    time.branches = WEFT_BRANCHES_FASTEST;
    *out = r->timeline.step_s;
    if (!weft_module_had(r->program->local, WEFT_OP_case)) return WEFT_OK;
    const weft_status st = weft_timeline_step_s(&r->tasks, &time, arena, out);
    /* other work beside collectives may end later where a branch is faster */
    if (*out > r->timeline.step_s) *out = r->timeline.step_s;
    return st;
}

weft_status weft_dry_vendor(weft_arena *arena, const weft_built_program *p, const weft_dry_how *how,
                            weft_dry_report *r) {
    const weft_machine *m = &r->order.machine;
    const weft_fuse_options fuse = fuse_options(p, how, m);
    const weft_timeline_options time = time_options(how, m);
    weft_timeline *t = &r->timeline;
    double held, shared;
    weft_status st = weft_fuse(p->local, &fuse, arena, &r->tasks);
    if (st == WEFT_OK) st = weft_timeline_run(&r->tasks, &time, arena, t);
    if (st == WEFT_OK) st = weft_task_uses(&r->tasks, &time, arena, &r->uses, &r->use_count);
    if (st == WEFT_OK) st = weft_task_memory_of(&r->tasks, arena, &r->memory);
    if (st == WEFT_OK) st = measure_interface(arena, p->local, &shared, &held);
    if (st == WEFT_OK) st = least_step(arena, how, r, &r->estimate.least_step_s);
    if (st == WEFT_OK) st = add_places(arena, r);
    if (st != WEFT_OK) return st;
    r->is_vendor = true;
    r->how = *how;
    const double hidden_s = t->collective_s - t->exposed_s;
    r->estimate.step_s = t->step_s;
    r->estimate.compute_s = t->compute_s;
    r->estimate.collective_s = t->collective_s;
    r->estimate.hidden_s = hidden_s > 1e-9 * t->collective_s ? hidden_s : 0; /* not what rounding leaves */
    r->estimate.flops = t->flops;
    p->exec->plan.temp_bytes = (int64_t)r->memory.bytes;
    p->exec->plan.alias_bytes = (int64_t)shared;
    return WEFT_OK;
}
