/* fuse_block.c: the tasks of one block: first which op belongs to which, then what each reads, needs and writes. The
 * memory of what it writes is fuse_memory.c's. */
#include "cost/fuse_internal.h"

#include "cost/op.h"
#include "ir/trips.h"

static weft_status push(fuse *f, fuse_numbers *l, uint32_t x) {
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i] == x) return WEFT_OK;
    if (l->n == l->cap && !weft_arena_grow(&f->scratch, (void **)&l->v, &l->cap, l->n + 1, sizeof *l->v))
        return weft_oom();
    l->v[l->n++] = x;
    return WEFT_OK;
}

static weft_status new_task(fuse_builder *b, const weft_op *op, weft_task_kind kind, weft_kernel_class class,
                            double domain, uint32_t *out) {
    if (b->n == b->cap && !weft_arena_grow(&b->f->scratch, (void **)&b->v, &b->cap, b->n + 1, sizeof *b->v))
        return weft_oom();
    *out = (uint32_t)b->n;
    b->v[b->n++] = (fuse_draft){ .task = { .kind = kind, .op = op, .kernel = { .kind = class } }, .domain = domain };
    return WEFT_OK;
}

static void belong(fuse_builder *b, const weft_op *op, uint32_t task) {
    fuse_draft *d = &b->v[task];
    b->f->task[op->id] = task;
    b->next[op->id] = d->first;
    d->first = op;
    d->task.op = op;
}

/* --- walks to what a task reads ----------------------------------------------------------------------------------- */

typedef struct walk {
    fuse_builder *b;
    uint32_t self;             /* the task that reads, their number for the end of the block, or FUSE_NONE */
    uint32_t latest;           /* of the tasks found; FUSE_NONE: none */
    uint32_t barred;           /* the latest of those found through a barrier */
    enum { WALK_FINDS, WALK_SUMS } mode;
    fuse_numbers *tasks;            /* WALK_SUMS: what it needs; NULL: only the memory's last reader is noted */
    weft_kernel *kernel;       /* what it reads is added to; or NULL */
} walk;

static weft_status visit(walk *w, const weft_value *v, double limit);

static uint32_t later(uint32_t a, uint32_t b) { return a == FUSE_NONE || (b != FUSE_NONE && b > a) ? b : a; }

/* A value in memory: of an earlier task, an argument, or from outside. */
static weft_status leaf(walk *w, const weft_value *v, uint32_t task, double limit) {
    fuse *f = w->b->f;
    if (task != FUSE_NONE && task == w->self) return WEFT_OK;
    w->latest = later(w->latest, task);
    if (w->mode == WALK_FINDS) return WEFT_OK;
    uint32_t *last = &w->b->last[v->id];
    if (w->self != FUSE_NONE && (*last == FUSE_NONE || w->self > *last)) *last = w->self;
    f->written[v->id] = true;
    weft_status st = task != FUSE_NONE && w->tasks ? push(f, w->tasks, task) : WEFT_OK;
    /* the end of the block, which is after its last task, is none */
    if (st == WEFT_OK && !v->def && v->block == w->b->block && w->b->loop && w->self < w->b->n)
        st = push(f, &w->b->v[w->self].arguments, v->index);
    if (!w->kernel || st != WEFT_OK) return st;
    const double elems = fuse_elems(v), had = w->b->read_stamp[v->id] == f->stamp ? w->b->read[v->id] : 0;
    double more = limit < elems ? limit : elems;
    if (had + more > elems) more = elems - had;
    w->b->read_stamp[v->id] = f->stamp;
    w->b->read[v->id] = had + more;
    if (elems > 0) w->kernel->read_bytes += fuse_bytes(v) * more / elems;
    return WEFT_OK;
}

static weft_status visit_op(walk *w, const weft_op *op, double limit) {
    fuse *f = w->b->f;
    const fuse_role role = fuse_role_of(op);
    if (f->seen[op->id] == f->stamp) return WEFT_OK;
    f->seen[op->id] = f->stamp;
    weft_op_cost c;
    if (w->kernel && role == FUSE_PART && weft_cost_op(op, &c) == WEFT_OK)
        w->kernel->vector_flops += c.flops + 8 * c.transcendentals;
    const bool spreads = op->kind == WEFT_OP_broadcast_in_dim || op->kind == WEFT_OP_broadcast;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++)
        st = visit(w, op->operands[i], spreads ? 1e300 : limit);
    return st;
}

static weft_status visit_barrier(walk *w, const weft_value *v, double limit) {
    const uint32_t before = w->latest;
    w->latest = FUSE_NONE;
    const weft_status st = visit(w, v->def->operands[v->index], limit);
    w->barred = later(w->barred, w->latest);
    w->latest = later(before, w->latest);
    return st;
}

static weft_status visit(walk *w, const weft_value *v, double limit) {
    fuse *f = w->b->f;
    if (fuse_is_free(f, v)) return WEFT_OK;
    if (!v->def || v->def->parent != w->b->block) return leaf(w, v, FUSE_NONE, limit);
    if (f->task[v->def->id] != FUSE_NONE) return leaf(w, v, f->task[v->def->id], limit);
    const double n = fuse_elems(v);
    if (fuse_is_barrier(v->def)) return visit_barrier(w, v, n < limit ? n : limit);
    if (fuse_role_of(v->def) == FUSE_ALIAS && v->def->result_count > 1 && v->def->operand_count == v->def->result_count)
        return visit(w, v->def->operands[v->index], n < limit ? n : limit);
    return visit_op(w, v->def, n < limit ? n : limit);
}

static weft_status visit_operands(walk *w, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) st = visit(w, op->operands[i], 1e300);
    return st;
}

/* --- which op belongs to which task ------------------------------------------------------------------------------- */

/* The sums of rows, which lie in memory one after another. */
static bool sums_rows(const weft_op *op) {
    const weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    const int64_t rank = op->operands[0]->type->rank;
    for (uint32_t i = 0; i < dims.n; i++)
        if (dims.v[i] < rank - (int64_t)dims.n) return false;
    return fuse_elems(&op->results[0]) > FUSE_TINY;
}

/* Whether op may read that task's results while they are on the chip. */
static bool passes_on(const fuse_builder *b, uint32_t task, const weft_op *op) {
    const weft_costs *costs = &b->f->opt->machine->costs;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *v = fuse_base(op->operands[i]);
        while (v->def && v->def->parent == b->block && b->f->task[v->def->id] == FUSE_NONE &&
               v->def->operand_count == 1)
            v = fuse_base(v->def->operands[0]);
        if (!v->def || v->def->parent != b->block || b->f->task[v->def->id] != task) continue;
        const fuse_role role = fuse_role_of(v->def);
        if (role == FUSE_REDUCE && (costs->row_fusion <= 0 || !sums_rows(v->def))) return false;
        if (role == FUSE_PRODUCT && costs->product_fusion <= 0) return false;
    }
    return true;
}

/* The task that op joins, or a new one. */
static weft_status assign(fuse_builder *b, const weft_op *op, weft_kernel_class class, double domain) {
    walk w = { .b = b, .self = FUSE_NONE, .latest = FUSE_NONE, .barred = FUSE_NONE, .mode = WALK_FINDS };
    b->f->stamp++;
    weft_status st = visit_operands(&w, op);
    if (st != WEFT_OK) return st;
    uint32_t task = w.latest;
    if (task != FUSE_NONE) {
        const double d = b->v[task].domain;
        if (task == w.barred || d <= 0 || d < domain || d > domain || !passes_on(b, task, op)) task = FUSE_NONE;
    }
    if (task == FUSE_NONE) st = new_task(b, op, WEFT_TASK_KERNEL, class, domain, &task);
    if (st != WEFT_OK) return st;
    if (class == WEFT_KERNEL_REDUCTION && b->v[task].task.kernel.kind == WEFT_KERNEL_POINTWISE)
        b->v[task].task.kernel.kind = class;
    belong(b, op, task);
    return WEFT_OK;
}

static weft_kernel_class class_of(const weft_op *op) {
    switch ((weft_op_kind)op->kind) {
    case WEFT_OP_convolution: return WEFT_KERNEL_CONVOLUTION;
    case WEFT_OP_gather: case WEFT_OP_scatter: case WEFT_OP_torch_index_select: case WEFT_OP_select_and_scatter:
        return WEFT_KERNEL_GATHER;
    case WEFT_OP_sort: case WEFT_OP_chlo_top_k: return WEFT_KERNEL_SORT;
    case WEFT_OP_rng: case WEFT_OP_rng_bit_generator: return WEFT_KERNEL_POINTWISE;
    /* a library's, as cuFFT and cuSOLVER */
    case WEFT_OP_custom_call: case WEFT_OP_fft: case WEFT_OP_cholesky: case WEFT_OP_triangular_solve:
        return WEFT_KERNEL_CUSTOM;
    case WEFT_OP_dynamic_update_slice: return WEFT_KERNEL_UPDATE;
    case WEFT_OP_reduce_window: return WEFT_KERNEL_REDUCTION;
    default: return WEFT_KERNEL_PRODUCT;
    }
}

static weft_status assign_attention(fuse_builder *b, const weft_op *op) {
    uint32_t task = FUSE_NONE;
    const uint32_t group = b->f->attention[op->id];
    for (size_t i = b->n; i-- > 0 && task == FUSE_NONE;)
        if (b->v[i].first && b->f->attention[b->v[i].first->id] == group) task = (uint32_t)i;
    weft_status st =
        task == FUSE_NONE ? new_task(b, op, WEFT_TASK_KERNEL, WEFT_KERNEL_ATTENTION, 0, &task) : WEFT_OK;
    if (st == WEFT_OK) belong(b, op, task);
    return st;
}

/* A value that a task computes is written into the slice at once; another one is copied there. */
static bool is_copied(fuse_builder *b, const weft_op *op) {
    if (op->operand_count < 2) return true;
    const weft_value *v = fuse_base(op->operands[1]);
    return !fuse_is_free(b->f, v) && fuse_elems(v) > FUSE_TINY && (!v->def || v->def->parent != b->block);
}

static weft_status assign_op(fuse_builder *b, const weft_op *op) {
    fuse *f = b->f;
    uint32_t task;
    weft_status st = WEFT_OK;
    if (f->attention[op->id] != FUSE_NONE) return assign_attention(b, op);
    switch (fuse_role_of(op)) {
    case FUSE_PART:
        return f->kept[op->id] ? assign(b, op, WEFT_KERNEL_POINTWISE, fuse_elems(&op->results[0])) : WEFT_OK;
    case FUSE_REDUCE:
        if (fuse_elems(op->operands[0]) <= FUSE_TINY) return WEFT_OK;
        return assign(b, op, WEFT_KERNEL_REDUCTION, fuse_elems(op->operands[0]));
    case FUSE_STORE:
        if (!is_copied(b, op)) return WEFT_OK;
        st = new_task(b, op, WEFT_TASK_KERNEL, WEFT_KERNEL_UPDATE, 0, &task);
        break;
    case FUSE_PRODUCT:
        st = new_task(b, op, WEFT_TASK_KERNEL, class_of(op),
                      f->opt->machine->costs.product_fusion > 0 ? fuse_elems(&op->results[0]) : 0, &task);
        break;
    case FUSE_OTHER: st = new_task(b, op, WEFT_TASK_KERNEL, class_of(op), 0, &task); break;
    case FUSE_COLLECTIVE: st = new_task(b, op, WEFT_TASK_COLLECTIVE, WEFT_KERNEL_CUSTOM, 0, &task); break;
    case FUSE_REGIONS:
        st = new_task(b, op, op->kind == WEFT_OP_while ? WEFT_TASK_LOOP : WEFT_TASK_CASE, WEFT_KERNEL_CUSTOM, 0,
                      &task);
        break;
    case FUSE_ALIAS: case FUSE_FREE: case FUSE_END: return WEFT_OK;
    }
    if (st == WEFT_OK) belong(b, op, task);
    return st;
}

/* --- what a task reads, needs and computes ------------------------------------------------------------------------ */

static bool is_computed_again(const weft_loc *loc) {
    for (; loc; loc = loc->n ? loc->a[0] : NULL)
        if (loc->kind == WEFT_LOC_NAME && loc->name && strstr(loc->name->text, WEFT_REPEATED_SCOPE)) return true;
    return false;
}

/* The type whose rate a custom call's arithmetic has: that of the first floats that it takes or gives. */
static weft_dtype dtype_of_call(const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
        const weft_value *v = i < op->operand_count ? op->operands[i] : &op->results[i - op->operand_count];
        if (weft_type_is_tensor(v->type) && weft_dtype_is_float((weft_dtype)v->type->dtype))
            return (weft_dtype)v->type->dtype;
    }
    return WEFT_F32;
}

/* The arithmetic of the op itself; what it reads is the walk's. */
static void add_work(fuse_builder *b, const weft_op *op, weft_kernel *k) {
    weft_op_cost c = { 0 };
    const weft_plan *plan = b->f->opt->plan;
    if (op->kind == WEFT_OP_custom_call) {
        k->dtype = dtype_of_call(op);
        for (uint32_t i = 0; plan && i < plan->step_count; i++)
            if (plan->steps[i].kind == WEFT_PLAN_LIBRARY && plan->steps[i].loc == op->loc)
                k->flops = plan->steps[i].flops;
        return;
    }
    if (weft_cost_op(op, &c) != WEFT_OK) return;
    if (fuse_role_of(op) != FUSE_PRODUCT) {
        k->vector_flops += c.flops + 8 * c.transcendentals;
        return;
    }
    k->flops += c.flops;
    k->dtype = (weft_dtype)op->operands[0]->type->dtype;
}

/* What gather and scatter touch, instead of their tables. */
static bool add_touched(const weft_op *op, weft_kernel *k) {
    weft_op_cost c = { 0 };
    if (k->kind != WEFT_KERNEL_GATHER && k->kind != WEFT_KERNEL_UPDATE) return false;
    if (weft_cost_op(op, &c) != WEFT_OK) return false;
    k->read_bytes = (double)c.read_bytes;
    k->write_bytes = (double)c.write_bytes;
    return true;
}

static weft_status sum_kernel(fuse_builder *b, uint32_t t) {
    fuse_draft *d = &b->v[t];
    weft_kernel *k = &d->task.kernel;
    weft_status st = WEFT_OK;
    bool masked = false;
    b->f->stamp++;
    for (const weft_op *op = d->first; op && st == WEFT_OK; op = b->next[op->id]) {
        walk w = { .b = b, .self = t, .latest = FUSE_NONE, .mode = WALK_SUMS, .tasks = &d->needs, .kernel = k };
        const double before = k->flops;
        add_work(b, op, k);
        if (is_computed_again(op->loc)) d->task.again_flops += k->flops - before;
        st = visit_operands(&w, op);
        masked |= fuse_masks_triangle(op);
    }
    if (masked && k->kind == WEFT_KERNEL_ATTENTION) k->flops /= 2, d->task.again_flops /= 2;
    if (d->first && !b->next[d->first->id]) (void)add_touched(d->first, k);
    return st;
}

typedef struct capture { fuse_builder *b; walk *w; } capture;

/* Values of this block that the regions of a loop or branch read. */
static weft_status capture_op(void *user, weft_op *op) {
    const capture *c = user;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        const weft_value *v = op->operands[i];
        if (weft_value_block(v) == c->b->block) st = visit(c->w, v, 1e300);
    }
    return st;
}

static weft_status sum_other(fuse_builder *b, uint32_t t) {
    fuse_draft *d = &b->v[t];
    const weft_op *op = d->first;
    walk w = { .b = b, .self = t, .latest = FUSE_NONE, .mode = WALK_SUMS, .tasks = &d->needs };
    capture c = { b, &w };
    b->f->stamp++;
    if (d->task.kind == WEFT_TASK_COLLECTIVE) {
        weft_status st = visit_operands(&w, op);
        return st == WEFT_OK ? fuse_call_of(b->f, op, &d->task.call) : st;
    }
    weft_status st = weft_op_walk((weft_op *)op, capture_op, &c);
    weft_task_list *bodies = weft_arena_array(b->f->arena, weft_task_list, op->region_count);
    if (st == WEFT_OK && !bodies) st = weft_oom();
    const bool loops = d->task.kind == WEFT_TASK_LOOP;
    for (uint32_t i = loops ? 1 : 0; i < op->region_count && st == WEFT_OK; i++)
        if (weft_op_body(op, i))
            st = fuse_block(b->f, weft_op_body(op, i), loops ? op : NULL, &bodies[d->task.body_count++]);
    d = &b->v[t];
    d->task.bodies = bodies;
    d->task.trips = loops ? weft_loop_trips(op) : 1;
    return st;
}

/* What the next iteration's tasks need: the tasks that compute the arguments which they read. */
static weft_status carry(fuse_builder *b) {
    const weft_op *end = b->block->last;
    weft_status st = WEFT_OK;
    for (uint32_t t = 0; t < b->n && st == WEFT_OK; t++) {
        fuse_draft *d = &b->v[t];
        fuse_numbers before = { 0 };
        for (size_t i = 0; i < d->arguments.n && st == WEFT_OK; i++) {
            if (d->arguments.v[i] >= end->operand_count) continue;
            walk w = { .b = b, .self = FUSE_NONE, .latest = FUSE_NONE, .mode = WALK_SUMS, .tasks = &before };
            b->f->stamp++;
            st = visit(&w, end->operands[d->arguments.v[i]], 1e300);
        }
        d->task.before = weft_arena_dup(b->f->arena, before.v, before.n * sizeof *before.v, _Alignof(uint32_t));
        d->task.before_count = (uint32_t)before.n;
        if (before.n && !d->task.before) st = weft_oom();
    }
    return st;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

typedef struct sorter { fuse_builder *b; uint32_t *place; uint8_t *state; uint32_t *order; uint32_t n; } sorter;

/* Tasks that it needs come first. A need that would close a circle is dropped: merged kernels may have one. */
static void order_task(sorter *s, uint32_t t, int depth) {
    if (s->state[t]) return;
    s->state[t] = 1;
    for (size_t i = 0; i < s->b->v[t].needs.n && depth < 4000; i++) order_task(s, s->b->v[t].needs.v[i], depth + 1);
    s->place[t] = s->n;
    s->order[s->n++] = t;
    s->state[t] = 2;
}

static weft_status emit(fuse_builder *b, weft_task_buffer *buffers, size_t buffer_count, weft_task_list *out) {
    fuse *f = b->f;
    weft_task *tasks = weft_arena_array(f->arena, weft_task, b->n);
    sorter s = { b, weft_arena_array(&f->scratch, uint32_t, b->n), weft_arena_array(&f->scratch, uint8_t, b->n),
                 weft_arena_array(&f->scratch, uint32_t, b->n), 0 };
    if (!tasks || !s.place || !s.state || !s.order) return weft_oom();
    for (uint32_t t = 0; t < b->n; t++) order_task(&s, t, 0);
    for (uint32_t i = 0; i < b->n; i++) {
        const fuse_draft *d = &b->v[s.order[i]];
        uint32_t *needs = weft_arena_array(f->arena, uint32_t, d->needs.n);
        if (!needs) return weft_oom();
        tasks[i] = d->task;
        tasks[i].needs = needs;
        for (size_t k = 0; k < d->needs.n; k++)
            if (s.place[d->needs.v[k]] < i) needs[tasks[i].need_count++] = s.place[d->needs.v[k]];
        for (uint32_t k = 0; k < d->task.before_count; k++)
            ((uint32_t *)tasks[i].before)[k] = s.place[d->task.before[k]];
    }
    for (size_t i = 0; i < buffer_count; i++) {
        weft_task_buffer *v = &buffers[i];
        v->first = s.place[v->first];
        v->last = v->last >= b->n ? (uint32_t)b->n : s.place[v->last];
        if (v->last < v->first) v->last = v->first;
        if (v->last < b->n && v->first < v->last && fuse_enters_loop(f, v->value, &tasks[v->last])) v->last--;
    }
    *out = (weft_task_list){ tasks, (uint32_t)b->n, buffers, (uint32_t)buffer_count };
    return WEFT_OK;
}

/* What the block's end reads lives until then. */
static weft_status end_reads(fuse_builder *b) {
    walk w = { .b = b, .self = (uint32_t)b->n, .latest = FUSE_NONE, .mode = WALK_SUMS };
    const weft_op *end = b->block->last;
    weft_status st = WEFT_OK;
    b->f->stamp++;
    for (uint32_t i = 0; i < end->operand_count && st == WEFT_OK; i++) {
        const weft_value *v = fuse_base(end->operands[i]);
        if (v->def && v->def->parent == b->block) st = visit(&w, v, 1e300);
    }
    return st;
}

weft_status fuse_block(fuse *f, const weft_block *block, const weft_op *loop, weft_task_list *out) {
    fuse_builder b = { .f = f, .block = block, .loop = loop };
    b.next = weft_arena_array(&f->scratch, const weft_op *, f->m->op_count);
    b.last = weft_arena_array(&f->scratch, uint32_t, f->m->value_count);
    b.read = weft_arena_array(&f->scratch, double, f->m->value_count);
    b.read_stamp = weft_arena_array(&f->scratch, uint32_t, f->m->value_count);
    if (!b.next || !b.last || !b.read || !b.read_stamp) return weft_oom();
    for (uint32_t i = 0; i < f->m->value_count; i++) b.last[i] = FUSE_NONE;
    weft_status st = WEFT_OK;
    for (const weft_op *op = block->first; op && st == WEFT_OK; op = op->next) st = assign_op(&b, op);
    for (uint32_t t = 0; t < b.n && st == WEFT_OK; t++)
        st = b.v[t].task.kind == WEFT_TASK_KERNEL ? sum_kernel(&b, t) : sum_other(&b, t);
    if (st == WEFT_OK) st = end_reads(&b);
    if (st == WEFT_OK) st = carry(&b);
    weft_task_buffer *buffers = NULL;
    size_t n = 0, cap = 0;
    if (st == WEFT_OK) st = fuse_find_homes(&b);
    for (uint32_t t = 0; t < b.n && st == WEFT_OK; t++) st = fuse_add_buffers(&b, t, &buffers, &n, &cap);
    return st == WEFT_OK ? emit(&b, buffers, n, out) : st;
}
