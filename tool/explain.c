/* explain.c: names and paths in words; see explain.h. */
#include "tool/explain.h"

weft_status explain_text_open(weft_context *cx, explain_text *x) {
    uint32_t n = 1;
    for (size_t i = 0; i < x->source.n; i++) n += x->source.p[i] == '\n';
    uint32_t *lines = weft_arena_array(&x->e->p.arena, uint32_t, n);
    if (!lines) return weft_report(cx, WEFT_D_system, NULL, "there is not enough memory");
    x->lines = lines;
    x->line_count = n;
    lines[0] = 0;
    for (uint32_t i = 0, line = 1; i < x->source.n; i++)
        if (x->source.p[i] == '\n') lines[line++] = i + 1;
    return WEFT_OK;
}

/* Names. */

static const weft_loc *place_of(const explain_text *x, const weft_loc *loc) {
    const weft_loc *place = weft_loc_place(loc);
    return place && x->file && place->line && place->line <= x->line_count && !strcmp(place->name->text, x->file)
               ? place
               : NULL;
}

int64_t explain_value_line(const explain_text *x, const weft_value *v) {
    const weft_loc *place = place_of(x, weft_value_loc(v));
    return place ? place->line : 0;
}

int64_t explain_line(const explain_text *x, uint32_t slot) {
    const weft_propagation *p = &x->e->p;
    const weft_value *v = slot < p->in->value_count ? p->owner[slot] : NULL;
    const weft_loc *place = !v && p->main ? place_of(x, p->main->loc) : NULL;
    return v ? explain_value_line(x, v) : place ? place->line : 0;
}

static size_t name_length(const char *p, const char *end) {
    size_t n = 1;
    while (p + n < end && (p[n] == '_' || p[n] == '$' || p[n] == '.' || p[n] == '-' || (p[n] >= '0' && p[n] <= '9') ||
                           ((p[n] | 32) >= 'a' && (p[n] | 32) <= 'z')))
        n++;
    return n;
}

/* The name of result `index` in "%a, %b:2 = ...", which begins at p; of an argument in "%a: tensor<f32>". */
static bool name_of_result(const char *p, const char *end, uint32_t index, char name[EXPLAIN_NAME]) {
    while (p < end && *p == '%') {
        size_t n = name_length(p, end);
        const char *after = p + n;
        uint32_t count = 1;
        bool many = after + 1 < end && *after == ':' && after[1] >= '0' && after[1] <= '9';
        if (many)
            for (count = 0, after++; after < end && *after >= '0' && *after <= '9' && count < 1000000; after++)
                count = count * 10 + (uint32_t)(*after - '0');
        if (index < count) {
            if (many) snprintf(name, EXPLAIN_NAME, "%.*s#%u", (int)n, p, index);
            else snprintf(name, EXPLAIN_NAME, "%.*s", (int)n, p);
            return true;
        }
        index -= count;
        for (p = after; p < end && (*p == ' ' || *p == ','); p++) continue;
    }
    return false;
}

void explain_name(const explain_text *x, uint32_t slot, char name[EXPLAIN_NAME]) {
    const weft_propagation *p = &x->e->p;
    const weft_value *v = slot < p->in->value_count ? p->owner[slot] : NULL;
    if (v) explain_value_name(x, v, name);
    else snprintf(name, EXPLAIN_NAME, "result %u of @main", slot - p->in->value_count);
}

void explain_value_name(const explain_text *x, const weft_value *v, char name[EXPLAIN_NAME]) {
    const weft_loc *place = place_of(x, weft_value_loc(v));
    /* An edge represents the value before it. */
    if (v->def && v->def->kind == WEFT_OP_sdy_data_flow_edge) v = v->def->operands[0];
    const char *end = x->source.p + x->source.n;
    if (place) {
        const char *line = x->source.p + x->lines[place->line - 1];
        const char *at = v->def ? line : line + (place->column ? place->column - 1 : 0);
        while (at < end && v->def && (*at == ' ' || *at == '\t')) at++;
        if (at < end && *at == '%' && name_of_result(at, end, v->def ? v->index : 0, name)) return;
    }
    if (v->hint) snprintf(name, EXPLAIN_NAME, "%%%.100s", v->hint->text);
    else if (v->def) snprintf(name, EXPLAIN_NAME, "a result of %.100s", v->def->name->text);
    else snprintf(name, EXPLAIN_NAME, "argument %u", v->index);
}

/* " (line 12)", or the location in another form; nothing if there is none. */
static void put_line(explain_text *x, const weft_loc *loc) {
    const weft_loc *place = place_of(x, loc);
    if (place) {
        weft_buf_printf(x->out, " (line %u)", place->line);
    } else if (weft_loc_place(loc)) {
        weft_buf_puts(x->out, " (");
        weft_loc_print(x->out, loc);
        weft_buf_putc(x->out, ')');
    }
}

static const weft_mesh *mesh_of(const explain_text *x, uint32_t slot) { return x->e->p.of[slot]->mesh; }

static void put_axis(explain_text *x, weft_slot_axis of) { weft_axis_print(x->out, mesh_of(x, of.slot), of.axis); }

static void put_name(explain_text *x, uint32_t slot) {
    char name[EXPLAIN_NAME];
    explain_name(x, slot, name);
    weft_buf_puts(x->out, name);
    const weft_str given = weft_explanation_given_name(x->e, slot);
    if (given.n) weft_buf_printf(x->out, " (%.*s)", WEFT_STR_ARG(given));
}

/* An edge is printed as its op. */
static void put_op(explain_text *x, const weft_op *op) {
    const weft_value *owner = op->kind == WEFT_OP_sdy_data_flow_edge ? op->operands[0] : NULL;
    if (owner) op = owner->def ? owner->def : owner->block->parent->parent;
    weft_buf_puts(x->out, op->name->text);
    put_line(x, op->loc);
}

/* Paths. */

/* "annotated on argument 2 of @main (line 3)" */
static void put_written(explain_text *x, uint32_t slot, const weft_origin *o) {
    const weft_op *writer = weft_explanation_writer(x->e, slot);
    const weft_value *v = x->e->p.owner[slot];
    if (writer && writer->kind == WEFT_OP_sdy_sharding_constraint)
        weft_buf_puts(x->out, "asked for by sdy.sharding_constraint");
    else weft_buf_puts(x->out, "annotated on ");
    if (writer && writer->kind != WEFT_OP_sdy_sharding_constraint) put_name(x, slot);
    if (o->cause == WEFT_CAUSE_PRIORITY) weft_buf_printf(x->out, " with priority %d", o->priority);
    if (writer) put_line(x, v && writer->kind != WEFT_OP_sdy_sharding_constraint ? weft_value_loc(v) : writer->loc);
}

static void put_step(explain_text *x, weft_slot_axis at, const weft_origin *o) {
    switch (o->cause) {
    case WEFT_CAUSE_WRITTEN:
    case WEFT_CAUSE_PRIORITY: put_written(x, at.slot, o); return;
    case WEFT_CAUSE_OP:
        if (o->op->kind == WEFT_OP_sdy_data_flow_edge) weft_buf_puts(x->out, "carried along with ");
        else {
            weft_buf_puts(x->out, "through ");
            put_op(x, o->op);
            weft_buf_puts(x->out, " from ");
        }
        break;
    case WEFT_CAUSE_GROUP: weft_buf_puts(x->out, "by its sharding group, from "); break;
    case WEFT_CAUSE_RETURN: weft_buf_puts(x->out, "as the returned value, from "); break;
    }
    put_name(x, o->from.slot);
    if (o->from.dim != at.dim) weft_buf_printf(x->out, " dim %u", o->from.dim);
}

#define ENDS 4 /* steps at each end of a shortened path */

static void put_way(explain_text *x, weft_slot_axis of) {
    uint32_t steps = 0, k = 0;
    for (int pass = 0; pass < 2; pass++) {
        weft_slot_axis at = of;
        uint32_t moment = WEFT_NOW;
        for (k = 0;; k++) {
            weft_origin o = weft_history_origin(&x->e->p, at, moment);
            bool last = o.cause == WEFT_CAUSE_WRITTEN || o.cause == WEFT_CAUSE_PRIORITY;
            bool shown = x->full || steps <= 2 * ENDS + 1 || k < ENDS || k + ENDS > steps;
            if (pass && shown) {
                weft_buf_puts(x->out, "      ");
                put_step(x, at, &o);
                weft_buf_putc(x->out, '\n');
            } else if (pass && k == ENDS) {
                weft_buf_printf(x->out, "      ... %u more (--full shows them)\n", steps - 2 * ENDS + 1);
            }
            if (last) break;
            at = o.from;
            moment = o.moment;
        }
        steps = k;
    }
}

/* Conflicts. */

static const char *const rungs[] = {
    "op priority 0 (elementwise ops whose operands have no other reader)",
    "op priority 1 (elementwise ops)",
    "op priority 2 (dimensions that pass through)",
    "op priority 3 (contracted and other dimensions)",
    "op priority 4 (everything)",
};

/* The number of elements of a slot's value. */
static int64_t size_of(const explain_text *x, uint32_t slot) {
    const weft_value *v = x->e->p.owner[slot];
    return v && weft_type_is_tensor(v->type) ? weft_type_elems(v->type) : 0;
}

/* Both axes came to op in one visit: prints which of their source tensors went first. */
static void put_first_of_op(explain_text *x, uint32_t won, uint32_t lost) {
    const int64_t a = size_of(x, won), b = size_of(x, lost);
    if (a < b) {
        weft_buf_puts(x->out, " before ");
        put_name(x, lost);
        weft_buf_puts(x->out, " had it");
        return;
    }
    weft_buf_puts(x->out, " from ");
    put_name(x, won);
    weft_buf_puts(x->out, a > b ? ": the larger tensor goes first"
                                : ": of equally large tensors the more sharded one goes first, then the first operand");
}

/* Prints why the axis that is there won: it was written, its priority came earlier, or it was there first. */
static void put_rule(explain_text *x, const weft_conflict *c) {
    const weft_origin won = weft_history_origin(&x->e->p, c->winner, WEFT_NOW),
                      lost = weft_history_origin(&x->e->p, c->by, WEFT_NOW);
    if (won.cause == WEFT_CAUSE_WRITTEN || won.cause == WEFT_CAUSE_PRIORITY) {
        weft_buf_puts(x->out, ", ");
        put_written(x, c->winner.slot, &won);
        return;
    }
    weft_buf_puts(x->out, ", which came");
    if (won.cause == WEFT_CAUSE_OP) {
        weft_buf_puts(x->out, " through ");
        put_op(x, won.op);
    } else weft_buf_puts(x->out, won.cause == WEFT_CAUSE_GROUP ? " by its sharding group" : " as the returned value");
    if (won.priority < lost.priority)
        weft_buf_printf(x->out, " with user priority %d, this one has %d", won.priority, lost.priority);
    else if (won.ladder < c->ladder && c->ladder < (int)WEFT_COUNT(rungs))
        weft_buf_printf(x->out, " at %s, this one waits for priority %d", rungs[won.ladder], c->ladder);
    else if (won.cause == WEFT_CAUSE_OP && won.op == c->op) put_first_of_op(x, won.from.slot, c->by.slot);
    else weft_buf_puts(x->out, " before");
}

static void put_conflict(explain_text *x, const weft_conflict *c) {
    weft_buf_printf(x->out, "dim %u not ", c->wanted.dim);
    put_axis(x, c->by);
    weft_buf_puts(x->out, ", which ");
    put_name(x, c->by.slot);
    weft_buf_puts(x->out, " has beyond ");
    put_op(x, c->op);
    weft_buf_puts(x->out, ": ");
    switch (c->refusal) {
    case WEFT_REFUSED_CLOSED: weft_buf_puts(x->out, "the dimension is closed"); break;
    case WEFT_REFUSED_REPLICATED: weft_buf_puts(x->out, "the value is annotated as replicated along it"); break;
    case WEFT_REFUSED_UNREDUCED: weft_buf_puts(x->out, "the value is a partial sum along it"); break;
    case WEFT_REFUSED_ELSEWHERE: weft_buf_printf(x->out, "it shards dim %u", c->winner.dim); break;
    case WEFT_REFUSED_OTHER_AXES:
        put_axis(x, c->winner);
        weft_buf_puts(x->out, " is there");
        break;
    case WEFT_REFUSED_UNEVEN: weft_buf_puts(x->out, "the dimension would not divide evenly"); break;
    case WEFT_REFUSED_BLOCKED: weft_buf_puts(x->out, "the op does not propagate there"); break;
    case WEFT_REFUSED_NEIGHBOURS:
        if (c->winner.slot == WEFT_NO_SLOT) {
            weft_buf_puts(x->out, "the op's other operands and results do not agree to it");
        } else {
            put_name(x, c->winner.slot);
            weft_buf_puts(x->out, " has ");
            put_axis(x, c->winner);
            weft_buf_puts(x->out, " there");
        }
        break;
    case WEFT_REFUSED_MESHES:
        put_name(x, c->winner.slot);
        weft_buf_puts(x->out, " is over a mesh of other devices, which blocks propagation");
        break;
    }
    if (c->refusal == WEFT_REFUSED_ELSEWHERE || c->refusal == WEFT_REFUSED_OTHER_AXES) put_rule(x, c);
}

/* The first of slot's conflicts, or conflict_count. */
static size_t first_conflict(const weft_explanation *e, uint32_t slot) {
    size_t from = 0, to = e->conflict_count;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (e->conflicts[mid].wanted.slot < slot) from = mid + 1;
        else to = mid;
    }
    return from;
}

void explain_slot(explain_text *x, uint32_t slot) {
    const weft_explanation *e = x->e;
    const weft_value *v = slot < e->p.in->value_count ? e->p.owner[slot] : NULL;
    const weft_sharding *s = e->p.of[slot];
    put_name(x, slot);
    weft_buf_puts(x->out, " ");
    if (s) weft_sharding_print(x->out, s);
    else weft_buf_puts(x->out, "has no sharding");
    if (v) put_line(x, weft_value_loc(v));
    weft_buf_putc(x->out, '\n');
    for (uint32_t d = 0; s && d < s->rank; d++)
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++) {
            weft_slot_axis of = { slot, d, s->dims[d].axes.v[i] };
            weft_buf_printf(x->out, "  dim %u ", d);
            put_axis(x, of);
            weft_buf_putc(x->out, '\n');
            put_way(x, of);
        }
    for (size_t i = first_conflict(e, slot); i < e->conflict_count && e->conflicts[i].wanted.slot == slot; i++) {
        weft_buf_puts(x->out, "  ");
        put_conflict(x, &e->conflicts[i]);
        weft_buf_putc(x->out, '\n');
    }
}

/* Calls. */

static const weft_op *first_call(const weft_block *blk, weft_str name) {
    WEFT_EACH_OP(op, blk) {
        if (op->kind == WEFT_OP_func_call && weft_str_equal(weft_op_symbol(op, WEFT_A_callee), name)) return op;
        for (uint32_t r = 0; r < op->region_count; r++)
            WEFT_EACH_BLOCK(inner, &op->regions[r]) {
                const weft_op *found = first_call(inner, name);
                if (found) return found;
            }
    }
    return NULL;
}

/* One step along calls; NULL: v is no such value. */
static const weft_value *inlined(const weft_module *m, const weft_value *v) {
    if (v->def && v->def->kind == WEFT_OP_func_call) {
        const weft_op *f = weft_module_symbol(m, weft_op_symbol(v->def, WEFT_A_callee));
        const weft_block *body = f && f->kind == WEFT_OP_func ? weft_op_body(f, 0) : NULL;
        const weft_value *as = body && v->index < body->last->operand_count ? body->last->operands[v->index] : NULL;
        return as && as->block == body ? v->def->operands[as->index] : as; /* an argument of this call */
    }
    const weft_op *f = v->block ? v->block->parent->parent : NULL;
    const weft_op *call =
        f && f->kind == WEFT_OP_func ? first_call(weft_module_body(m), weft_op_symbol(f, WEFT_A_sym_name)) : NULL;
    return call ? call->operands[v->index] : NULL;
}

const weft_value *explain_inlined(const weft_module *m, const weft_value *v) {
    const weft_value *as = inlined(m, v);
    uint32_t steps = 0; /* recursion would not end */
    for (const weft_value *next = as; next && steps < m->op_count; next = inlined(m, next), steps++) as = next;
    return as;
}

/* The listing. */

/* "// %5 [{"data"}, {}] "data" from %arg0 (line 3)" and a line for each conflict, indented. name: the slot's, or that
 * of the call's result. */
static void put_comment(explain_text *x, const char *name, uint32_t slot, const char *indent, int indent_n) {
    const weft_explanation *e = x->e;
    const weft_sharding *s = e->p.of[slot];
    const char *between = ": ";
    weft_buf_printf(x->out, "%.*s// %s ", indent_n, indent, name);
    if (s) weft_sharding_print(x->out, s);
    else weft_buf_puts(x->out, "has no sharding");
    for (uint32_t d = 0; s && d < s->rank; d++)
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++) {
            weft_slot_axis of = { slot, d, s->dims[d].axes.v[i] }, root = weft_explanation_root(x->e, of);
            const weft_op *writer = weft_explanation_writer(e, root.slot);
            weft_buf_puts(x->out, between);
            put_axis(x, of);
            weft_buf_puts(x->out, root.slot == slot ? " written here" : " from ");
            if (root.slot != slot) put_name(x, root.slot);
            if (writer && writer->kind == WEFT_OP_sdy_sharding_constraint) put_line(x, writer->loc);
            else if (root.slot != slot && e->p.owner[root.slot]) put_line(x, weft_value_loc(e->p.owner[root.slot]));
            between = ", ";
        }
    weft_buf_putc(x->out, '\n');
    for (size_t i = first_conflict(e, slot); i < e->conflict_count && e->conflicts[i].wanted.slot == slot; i++) {
        weft_buf_printf(x->out, "%.*s//   ", indent_n, indent);
        put_conflict(x, &e->conflicts[i]);
        weft_buf_putc(x->out, '\n');
    }
}

static bool worth_a_comment(const explain_text *x, uint32_t slot) {
    const weft_explanation *e = x->e;
    size_t c = first_conflict(e, slot);
    if (slot < e->p.in->value_count && (!e->p.owner[slot] || e->p.slot[slot] != slot)) return false;
    if (c < e->conflict_count && e->conflicts[c].wanted.slot == slot) return true;
    return weft_sharding_has_axes(e->p.of[slot]);
}

/* Slots in the order of their lines: next[slot] after first[line]. */
typedef struct by_line { uint32_t *first, *last, *next; } by_line;

static weft_status sort_by_line(weft_context *cx, explain_text *x, by_line *b) {
    weft_arena *a = &x->e->p.arena;
    uint32_t slots = x->e->p.slot_count;
    b->first = weft_arena_array(a, uint32_t, x->line_count + 1);
    b->last = weft_arena_array(a, uint32_t, x->line_count + 1);
    b->next = weft_arena_array(a, uint32_t, slots + 1);
    if (!b->first || !b->last || !b->next) return weft_report(cx, WEFT_D_system, NULL, "there is not enough memory");
    for (uint32_t slot = 0; slot < slots; slot++) { /* numbers plus one: 0 is none */
        int64_t line = worth_a_comment(x, slot) ? explain_line(x, slot) : 0;
        if (!line) continue;
        if (b->last[line]) b->next[b->last[line] - 1] = slot + 1;
        else b->first[line] = slot + 1;
        b->last[line] = slot + 1;
    }
    return WEFT_OK;
}

/* The calls of the module as it was read, by their lines. */
typedef struct call_lines {
    const weft_op **calls;
    size_t count, cap;
    uint32_t *next, *first;   /* as in by_line, by call */
} call_lines;

static bool find_calls(weft_arena *a, call_lines *c, const weft_block *blk) {
    WEFT_EACH_OP(op, blk) {
        if (op->kind == WEFT_OP_func_call && op->result_count) {
            if (!weft_arena_grow(a, (void **)&c->calls, &c->cap, c->count + 1, sizeof *c->calls)) return false;
            c->calls[c->count++] = op;
        }
        for (uint32_t r = 0; r < op->region_count; r++)
            WEFT_EACH_BLOCK(inner, &op->regions[r])
                if (!find_calls(a, c, inner)) return false;
    }
    return true;
}

static weft_status sort_calls(weft_context *cx, explain_text *x, const weft_module *m, call_lines *c) {
    weft_arena *a = &x->e->p.arena;
    *c = (call_lines){ .first = weft_arena_array(a, uint32_t, x->line_count + 1) };
    bool enough = c->first && find_calls(a, c, weft_module_body(m));
    c->next = enough ? weft_arena_array(a, uint32_t, c->count) : NULL;
    if (!c->next) return weft_report(cx, WEFT_D_system, NULL, "there is not enough memory");
    for (size_t i = c->count; i-- > 0;) { /* so that the first one is first */
        int64_t line = explain_value_line(x, &c->calls[i]->results[0]);
        if (!line) continue;
        c->next[i] = c->first[line];
        c->first[line] = (uint32_t)i + 1;
    }
    return WEFT_OK;
}

/* Of the comments at `at` and at `previous` in the text the second is removed if they are equal: inlined calls and
 * edges repeat them. */
static size_t drop_repeated(explain_text *x, size_t begin, size_t previous, size_t at) {
    size_t n = x->out->n - at;
    if (at == begin || x->out->failed || at - previous != n || memcmp(x->out->p + previous, x->out->p + at, n))
        return at;
    x->out->n = at;
    return previous;
}

/* Whether the slot is of the inlined body of this call: its place is "there, called from here". Values of @main
 * belong to any call. */
static bool is_of_call(const explain_text *x, uint32_t slot, const weft_op *call) {
    const weft_value *v = slot < x->e->p.in->value_count ? x->e->p.owner[slot] : NULL;
    const weft_loc *loc = v ? weft_value_loc(v) : NULL, *here = weft_loc_place(call->loc);
    if (!loc || loc->kind != WEFT_LOC_CALL) return true;
    while (loc->kind == WEFT_LOC_CALL) {
        loc = loc->a[1];
        if (weft_loc_place(loc) == here) return true;
    }
    return false;
}

/* A call's results are its function's returned values, so the comment is about these under the names here. */
static void put_call_comments(explain_text *x, const by_line *b, const weft_module *m, const weft_op *call,
                              const char *indent, int indent_n) {
    for (uint32_t i = 0; i < call->result_count; i++) {
        const weft_value *as = explain_inlined(m, &call->results[i]);
        char here[EXPLAIN_NAME], there[EXPLAIN_NAME], name[EXPLAIN_NAME];
        size_t begin = x->out->n, previous = begin;
        if (!as) continue;
        explain_value_name(x, &call->results[i], here);
        explain_value_name(x, as, there);
        for (uint32_t slot = b->first[explain_value_line(x, as)]; slot; slot = b->next[slot - 1]) {
            explain_name(x, slot - 1, name);
            if (strcmp(name, there) || !is_of_call(x, slot - 1, call)) continue;
            size_t at = x->out->n;
            put_comment(x, here, slot - 1, indent, indent_n);
            previous = drop_repeated(x, begin, previous, at);
        }
    }
}

static void put_comments(explain_text *x, const by_line *b, uint32_t line, const char *indent, int indent_n) {
    size_t begin = x->out->n, previous = begin;
    for (uint32_t slot = b->first[line]; slot; slot = b->next[slot - 1]) {
        char name[EXPLAIN_NAME];
        size_t at = x->out->n;
        explain_name(x, slot - 1, name);
        put_comment(x, name, slot - 1, indent, indent_n);
        previous = drop_repeated(x, begin, previous, at);
    }
}

weft_status explain_listing(weft_context *cx, explain_text *x, const weft_module *m) {
    by_line b;
    call_lines c;
    weft_status st = sort_by_line(cx, x, &b);
    if (st == WEFT_OK) st = sort_calls(cx, x, m, &c);
    for (uint32_t line = 1; st == WEFT_OK && line <= x->line_count; line++) {
        size_t from = x->lines[line - 1], to = line < x->line_count ? x->lines[line] : x->source.n;
        const char *p = x->source.p + from;
        int indent = 0;
        if (from == to) break;
        while (from + (size_t)indent < to && p[indent] == ' ') indent++;
        weft_buf_put(x->out, p, to - from);
        if (p[to - from - 1] != '\n') weft_buf_putc(x->out, '\n');
        put_comments(x, &b, line, p, indent);
        for (uint32_t k = c.first[line]; k; k = c.next[k - 1]) put_call_comments(x, &b, m, c.calls[k - 1], p, indent);
    }
    return st;
}
