/* dump.c: see dump.h. */
#include "codegen/call.h"
#include "codegen/dump.h"
#include "cost/link.h"

typedef struct dumper {
    cg_lowering *l;
    weft_buf *b;
    uint32_t *number;       /* by node id: 1 + its number; 0: no unit writes it */
    uint32_t named;
    int depth;
    bool failed;            /* memory is out */
} dumper;

/* --- names -------------------------------------------------------------------------------------------------------- */

static void put_type(weft_buf *b, const cg_node *n) {
    for (uint32_t i = 0; i < n->rank; i++) weft_buf_printf(b, "%lldx", (long long)n->dims[i]);
    weft_buf_puts(b, weft_dtype_of((weft_dtype)n->dtype)->name);
}

static void put_name(dumper *d, cg_node *n) {
    n = cg_base(n);
    if (n->cls == CG_ARGUMENT)
        weft_buf_printf(d->b, "%s%lld", n->block->depth ? "carried" : "arg", (long long)n->aux);
    else if (n->cls == CG_CONSTANT) weft_buf_puts(d->b, "constant");
    else if (d->number[n->id]) weft_buf_printf(d->b, "v%u", d->number[n->id] - 1);
    else weft_buf_puts(d->b, "nothing");
}

/* Names are the same in every dump of a program. */
static void number_values(dumper *d, const cg_layout *lay) {
    for (uint32_t i = 0; i < lay->order.count; i++) {
        const uint32_t unit = lay->order.v[i].unit;
        const cg_unit *u = &lay->units.v[unit];
        if (lay->order.v[i].phase == CG_PHASE_DONE) continue;
        for (uint32_t k = 0; k < u->write_count; k++)
            if (!d->number[u->writes[k]->id]) d->number[u->writes[k]->id] = ++d->named;
        for (uint32_t b = 0; lay->inner[unit] && b < u->step->control.count; b++)
            number_values(d, lay->inner[unit][b]);
    }
}

static void put_names(dumper *d, const char *before, cg_node *const *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        weft_buf_puts(d->b, i ? ", " : before);
        put_name(d, v[i]);
    }
}

static void put_indent(dumper *d) {
    for (int i = 0; i < d->depth; i++) weft_buf_puts(d->b, "    ");
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

/* A run of equal words is written once, with its length. */
typedef struct words { weft_buf *b; const char *last; uint32_t times, written; } words;

static void end_word(words *w) {
    if (w->times > 1) weft_buf_printf(w->b, " x%u", w->times);
    w->last = NULL;
    w->times = 0;
}

static void put_word(words *w, const char *word) {
    if (w->last && !strcmp(w->last, word)) {
        w->times++;
        return;
    }
    end_word(w);
    weft_buf_printf(w->b, "%s%s", w->written++ ? " " : "", word);
    w->last = word;
    w->times = 1;
}

static void put_fold(words *w, const char *what, const cg_fold *f) {
    const cg_op op = cg_body_op(f->body);
    end_word(w);
    weft_buf_printf(w->b, "%s%s(%s)", w->written++ ? " " : "", what, op < CG_OP_COUNT ? cg_op_table[op].name : "body");
}

/* The scalar ops of a kernel, pass by pass over its rows. */
static void put_ops(dumper *d, const cg_kernel *k) {
    words w = { .b = d->b };
    for (uint32_t phase = 0; phase < (k->phases ? k->phases : 1); phase++) {
        if (phase) end_word(&w), weft_buf_puts(d->b, " |");
        for (uint32_t i = 0; i < k->ins_count; i++)
            if (k->ins[i].kind == CG_I_SCALAR && k->ins[i].ready == phase) put_word(&w, cg_op_table[k->ins[i].op].name);
        for (uint32_t i = 0; i < k->fold_count; i++)
            if (k->folds[i].phase == phase) put_fold(&w, "reduce", &k->folds[i]);
        for (uint32_t i = 0; i < k->store_count; i++) {
            const cg_store *s = &k->stores[i];
            if (s->phase != phase || s->kind == CG_STORE) continue;
            static const char *const names[] = {
                [CG_ACCUMULATE] = "reduce", [CG_UPDATE] = "scatter", [CG_RUNNING] = "scan"
            };
            put_fold(&w, names[s->kind], &k->sums[s->fold]);
        }
    }
    end_word(&w);
    if (!w.written) weft_buf_puts(d->b, "move");
}

/* --- units -------------------------------------------------------------------------------------------------------- */

static const char *step_name(const cg_node *n) {
    switch (n->cls) {
    case CG_DOT: return "dot";
    case CG_CONV: return "convolution";
    case CG_COLLECTIVE: return weft_coll_kind_name(n->coll->kind);
    case CG_WHILE: return "while";
    case CG_CASE: return "case";
    case CG_CALL: return n->call->spec.label;
    default: return "step";
    }
}

static void put_written(dumper *d, const cg_unit *u) {
    for (uint32_t i = 0; i < u->write_count; i++) {
        if (i) weft_buf_puts(d->b, ", ");
        put_name(d, u->writes[i]);
        weft_buf_puts(d->b, ": ");
        put_type(d->b, u->writes[i]);
    }
}

static void put_cluster(dumper *d, const cg_unit *u) {
    if (u->kind != CG_UNIT_KERNEL) return;
    put_indent(d);
    put_written(d, u);
    weft_buf_puts(d->b, " = ");
    put_ops(d, u->kernel);
    put_names(d, "; reads ", u->reads, u->read_count);
    weft_buf_putc(d->b, '\n');
}

/* The operands that a value shares memory with, of one kind. */
static void put_shares(dumper *d, const cg_storage *s, uint32_t unit, uint32_t write, cg_share_kind kind) {
    const cg_unit *u = &s->units->v[unit];
    uint32_t n = 0;
    for (uint32_t i = s->first_share[unit]; i < s->first_share[unit + 1]; i++) {
        if (s->share[i].write != write || s->share[i].kind != kind) continue;
        if (!n) put_indent(d), put_name(d, u->writes[write]);
        weft_buf_puts(d->b, n++ ? ", " : kind == CG_MUST_SHARE ? ": lies in " : ": may lie in ");
        put_name(d, u->reads[s->share[i].read]);
    }
    if (n) weft_buf_putc(d->b, '\n');
}

static void put_storage(dumper *d, const cg_storage *s, uint32_t unit) {
    for (uint32_t w = 0; w < s->units->v[unit].write_count; w++) {
        put_shares(d, s, unit, w, CG_MUST_SHARE);
        put_shares(d, s, unit, w, CG_MAY_SHARE);
    }
}

/* What may lie where the results lie, the first value first. */
static void put_chains(dumper *d, const cg_storage *s) {
    for (uint32_t r = 0; r < s->block->result_count && s->results != CG_RESULTS_TEMPORARY; r++) {
        const cg_chain *c = &s->chain[r];
        put_indent(d);
        weft_buf_printf(d->b, "result %u: ", r);
        for (uint32_t i = c->n; i-- > 1;) put_name(d, c->v[i]), weft_buf_puts(d->b, ", ");
        put_name(d, s->block->results[r]);
        if (s->donor[r] >= 0) weft_buf_puts(d->b, " in "), put_name(d, s->block->args[s->donor[r]]);
        weft_buf_putc(d->b, '\n');
    }
}

static void put_in_order(dumper *d, const cg_layout *lay, uint32_t i) {
    static const char *const phases[] = {
        [CG_PHASE_WHOLE] = "", [CG_PHASE_START] = "start ", [CG_PHASE_DONE] = "done "
    };
    const cg_position *p = &lay->order.v[i];
    const cg_unit *u = &lay->units.v[p->unit];
    put_indent(d);
    weft_buf_printf(d->b, "%u %s%s", i, phases[p->phase], u->kind == CG_UNIT_KERNEL ? "kernel" : step_name(u->step));
    if (p->phase == CG_PHASE_DONE) weft_buf_printf(d->b, " of %u", p->other);
    else put_names(d, ": ", u->writes, u->write_count), put_names(d, " <- ", u->reads, u->read_count);
    weft_buf_putc(d->b, '\n');
}

static void put_slice(weft_buf *b, const weft_slice *s) {
    static const char *const spaces[] = { [WEFT_SPACE_ARGUMENT] = "argument", [WEFT_SPACE_RESULT] = "result",
                                          [WEFT_SPACE_TEMP] = "temporaries", [WEFT_SPACE_CONSTANT] = "constants" };
    weft_buf_puts(b, spaces[s->space]);
    if (s->space == WEFT_SPACE_ARGUMENT || s->space == WEFT_SPACE_RESULT) weft_buf_printf(b, " %u", s->index);
    if (s->space == WEFT_SPACE_TEMP || s->space == WEFT_SPACE_CONSTANT || s->offset)
        weft_buf_printf(b, " + %lld", (long long)s->offset);
}

static void put_value(dumper *d, const cg_lifetimes *l, uint32_t i, cg_node *n) {
    const cg_place *p = &d->l->place[n->id];
    const uint32_t last = l->held[n->id] == CG_NONE ? i : l->held[n->id];
    if (!p->known) return;
    put_indent(d);
    put_name(d, n);
    weft_buf_puts(d->b, ": ");
    put_type(d->b, n);
    weft_buf_printf(d->b, ", %lld B, ", (long long)cg_bytes(n));
    put_slice(d->b, &p->at);
    weft_buf_printf(d->b, ", units %u to %u\n", i, last);
}

static void put_buffers(dumper *d, const cg_layout *lay, const cg_lifetimes *l, uint32_t i) {
    const uint32_t unit = lay->order.v[i].unit;
    const cg_unit *u = &lay->units.v[unit];
    if (lay->order.v[i].phase == CG_PHASE_DONE) return;
    for (uint32_t k = 0; k < u->write_count; k++) put_value(d, l, i, u->writes[k]);
    if (!lay->scratch_bytes[unit]) return;
    const weft_slice at = cg_scratch_of(lay, unit);
    put_indent(d);
    weft_buf_printf(d->b, "scratch: %lld B, ", (long long)lay->scratch_bytes[unit]);
    put_slice(d->b, &at);
    weft_buf_printf(d->b, ", unit %u\n", i);
}

static void put_block(dumper *d, const cg_layout *lay);

static const cg_block *block_of(const cg_unit *u, uint32_t b) { return u->step->control.blocks[b]; }

static void put_inner(dumper *d, const cg_layout *lay, uint32_t unit) {
    const cg_unit *u = &lay->units.v[unit];
    for (uint32_t k = 0; k < u->step->control.count; k++) {
        put_indent(d);
        if (u->step->cls == CG_WHILE) weft_buf_printf(d->b, "  %s\n", k ? "do" : "while");
        else weft_buf_printf(d->b, "  branch %u\n", k);
        d->depth++;
        put_block(d, lay->inner[unit][k]);
        put_indent(d);
        put_names(d, "gives ", block_of(u, k)->results, block_of(u, k)->result_count);
        weft_buf_putc(d->b, '\n');
        d->depth--;
    }
}

static void put_position(dumper *d, const cg_layout *lay, const cg_lifetimes *l, uint32_t i) {
    const cg_position *p = &lay->order.v[i];
    const cg_unit *u = &lay->units.v[p->unit];
    const bool done = p->phase == CG_PHASE_DONE;
    if (d->l->opt->dump == WEFT_COMPILE_DUMP_STORAGE ? done : !done && cg_copies_itself(d->l, u)) return; /* no step */
    switch (d->l->opt->dump) {
    case WEFT_COMPILE_DUMP_CLUSTERS: put_cluster(d, u); break;
    case WEFT_COMPILE_DUMP_STORAGE: put_storage(d, &lay->storage, p->unit); break;
    case WEFT_COMPILE_DUMP_ORDER: put_in_order(d, lay, i); break;
    default: put_buffers(d, lay, l, i); break;
    }
    if (lay->inner[p->unit]) put_inner(d, lay, p->unit);
}

static void put_block(dumper *d, const cg_layout *lay) {
    cg_lifetimes uses;
    weft_arena arena;
    weft_arena_init(&arena, &d->l->cx->alloc);
    if (cg_uses_of(d->l->g, &lay->storage, &lay->order, &arena, &uses) != WEFT_OK) d->failed = true;
    for (uint32_t i = 0; i < lay->order.count && !d->failed; i++) put_position(d, lay, &uses, i);
    if (d->l->opt->dump == WEFT_COMPILE_DUMP_STORAGE) put_chains(d, &lay->storage);
    weft_arena_free(&arena);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* A result may lie in the memory of a donated argument. */
static void put_step_slice(dumper *d, const weft_slice *s) {
    put_slice(d->b, s);
    if (s->space == WEFT_SPACE_RESULT && d->l->x->results[s->index].alias >= 0)
        weft_buf_printf(d->b, " in argument %d", (int)d->l->x->results[s->index].alias);
}

static void put_step(dumper *d, uint32_t i, const weft_step *s) {
    weft_buf_printf(d->b, "%u ", i);
    if (s->kind == WEFT_STEP_START) weft_buf_printf(d->b, "start %u ", s->ticket);
    if (s->kind == WEFT_STEP_DONE) weft_buf_printf(d->b, "done %u ", s->ticket);
    weft_buf_puts(d->b, s->label ? s->label : s->coll ? weft_coll_kind_name(s->coll->kind) : "");
    if (s->kind == WEFT_STEP_WHILE) weft_buf_printf(d->b, " of %u and %u steps", s->cond_steps, s->body_steps);
    if (s->kind == WEFT_STEP_CASE) weft_buf_printf(d->b, " of %u branches", s->branch_count);
    for (uint32_t k = 0; k < s->slice_count; k++) {
        weft_buf_puts(d->b, k ? ", " : ": ");
        put_step_slice(d, &s->slices[k]);
        weft_buf_printf(d->b, " (%lld B)", (long long)s->slices[k].bytes);
    }
    for (uint32_t k = 0; s->coll && s->kind != WEFT_STEP_DONE && k < s->coll->operand_count; k++) {
        weft_buf_puts(d->b, k ? ", " : ": ");
        put_step_slice(d, &s->coll->operands[k].in);
        weft_buf_puts(d->b, " to ");
        put_step_slice(d, &s->coll->operands[k].out);
        weft_buf_printf(d->b, " (%lld B)", (long long)s->coll->operands[k].out.bytes);
    }
    weft_buf_putc(d->b, '\n');
}

weft_status cg_dump(cg_lowering *l, const cg_layout *main) {
    weft_mark scratch = weft_arena_mark(&l->cx->scratch);
    dumper d = { .l = l, .b = l->opt->dumped, .number = weft_scratch_array(l->cx, uint32_t, l->g->count + 1) };
    weft_status st = d.number ? WEFT_OK : weft_oom();
    if (st == WEFT_OK && l->opt->dump == WEFT_COMPILE_DUMP_STEPS)
        for (size_t i = 0; i < l->steps.n; i++) put_step(&d, (uint32_t)i, (const weft_step *)l->steps.v + i);
    else if (st == WEFT_OK) number_values(&d, main), put_block(&d, main);
    weft_arena_reset(&l->cx->scratch, scratch);
    return st == WEFT_OK && (d.failed || d.b->failed) ? weft_oom() : st;
}
