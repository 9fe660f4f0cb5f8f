/* plan_text.c: see plan_text.h. */
#include "partitioner/plan/plan_text.h"

#include "mlir/print.h"

typedef struct plan_printer {
    const weft_layout_plan *p;
    weft_placements *t;
    const char *const *names;          /* of values, by id */
    weft_buf *b;
} plan_printer;

static weft_status print_list(plan_printer *x, const char *what, const weft_type *const *types,
                              const weft_placement_id *ids, uint32_t n) {
    weft_status st = WEFT_OK;
    weft_buf_printf(x->b, "  %s", what);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        weft_buf_puts(x->b, i ? ", " : " ");
        st = weft_placement_print(x->t, x->b, ids[i], weft_type_is_tensor(types[i]) ? types[i]->rank : 0);
    }
    weft_buf_putc(x->b, '\n');
    return st;
}

static weft_status print_operands(plan_printer *x, const char *what, const weft_op *op, const weft_placement_id *ids) {
    const weft_type **types = weft_scratch_array(x->p->of->cx, const weft_type *, op->operand_count);
    if (!types) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) types[i] = op->operands[i]->type;
    return print_list(x, what, types, ids, op->operand_count);
}

static weft_status print_results(plan_printer *x, const char *what, const weft_op *op, const weft_placement_id *ids) {
    const weft_type **types = weft_scratch_array(x->p->of->cx, const weft_type *, op->result_count);
    if (!types) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    return op->result_count ? print_list(x, what, types, ids, op->result_count) : WEFT_OK;
}

/* A price, in nanoseconds everywhere: what is to be added up and compared has one unit. */
static void print_price(weft_buf *b, const char *what, double price) {
    weft_buf_printf(b, "%s %.10g ns", what, price * 1e9);
}

static void print_total(weft_buf *b, const char *what, const weft_layout_plan *p) {
    print_price(b, what, p->total);
    print_price(b, ", sent", p->total - p->work);
    weft_buf_putc(b, '\n');
}

static void print_costs(plan_printer *x, const char *what, double cost, double onward, bool chosen_by_readers) {
    print_price(x->b, what, cost);
    if (chosen_by_readers) print_price(x->b, ", readers", onward);
    weft_buf_putc(x->b, '\n');
}

/* Where the results of a sum that several ops read are brought right after it. */
static weft_status print_then(plan_printer *x, const weft_op *op, weft_placement_id *ids) {
    const weft_op_layout *l = weft_layout_plan_op(x->p, op);
    if (l->ready == l->end) return WEFT_OK;
    for (size_t i = l->ready; i < l->end; i++)
        for (uint32_t k = 0; k < op->result_count; k++)
            if (x->p->moved[i].value == &op->results[k]) ids[k] = x->p->moved[i].to;
    return print_results(x, "then", op, ids);
}

static bool is_printed(const plan_printer *x, const weft_op *op) {
    if (!weft_layout_plan_op(x->p, op)->planned || !op->operand_count) return false;
    return !weft_op_is_marker(op) || op->kind == WEFT_OP_sdy_reshard || op->kind == WEFT_OP_sdy_sharding_constraint;
}

static weft_status print_op(plan_printer *x, const weft_op *op) {
    const weft_op_rival *rival = x->p->rivals ? x->p->rivals[op->id] : NULL;
    weft_placement_id *ids = weft_scratch_array(x->p->of->cx, weft_placement_id, op->result_count);
    if (!ids) return weft_oom();
    if (op->result_count) weft_buf_printf(x->b, "%s = ", x->names[op->results[0].id]);
    weft_buf_printf(x->b, "%s at ", op->name->text);
    weft_plan_print_place(x->b, op);
    weft_buf_putc(x->b, '\n');
    for (uint32_t i = 0; i < op->result_count; i++) ids[i] = x->p->born[op->results[i].id];
    weft_status st = print_operands(x, "operands", op, weft_layout_plan_operands(x->p, op));
    if (st == WEFT_OK) st = print_results(x, "results", op, ids);
    if (st == WEFT_OK) st = print_then(x, op, ids);
    print_costs(x, "  cost", weft_layout_plan_cost(x->p, op), rival ? rival->own_onward : 0, rival != NULL);
    if (!rival || st != WEFT_OK) return st;
    print_costs(x, "  runner-up cost", rival->cost, rival->onward, true);
    st = print_operands(x, "runner-up operands", op, rival->operands);
    return st == WEFT_OK ? print_results(x, "runner-up results", op, rival->results) : st;
}

static weft_status visit_op(void *user, weft_op *op) {
    plan_printer *x = user;
    if (op->kind == WEFT_OP_func)
        weft_buf_printf(x->b, "func @%.*s\n", WEFT_STR_ARG(weft_op_symbol(op, WEFT_A_sym_name)));
    if (!is_printed(x, op)) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&x->p->of->cx->scratch);
    weft_status st = print_op(x, op);
    weft_arena_reset(&x->p->of->cx->scratch, mark);
    return st;
}

/* Without the folder, which is another one for others who have the program. */
void weft_plan_print_place(weft_buf *b, const weft_op *op) {
    const weft_loc *place = weft_loc_place(op->loc);
    const char *folder = place ? strrchr(place->name->text, '/') : NULL;
    if (place)
        weft_buf_printf(b, "%s:%u:%u", folder ? folder + 1 : place->name->text, place->line, place->column);
    else weft_loc_print(b, op->loc);
}

void weft_plan_print_mesh(const weft_placements *t, weft_buf *b) {
    const weft_mesh *mesh = weft_placements_mesh(t);
    weft_buf_puts(b, "mesh <[");
    for (uint32_t i = 0; mesh && i < mesh->axis_count; i++)
        weft_buf_printf(b, "%s\"%s\"=%lld", i ? ", " : "", mesh->axes[i].name->text, (long long)mesh->axes[i].size);
    weft_buf_puts(b, "]>");
}

weft_status weft_plan_print(const weft_layout_plan *p, weft_placements *t, weft_buf *b) {
    plan_printer x = { p, t, NULL, b };
    weft_arena names;
    weft_arena_init(&names, &p->of->cx->chunks);
    weft_status st = weft_value_names(p->of, &names, &x.names);
    weft_buf_puts(b, "weft plan 1\n");
    weft_plan_print_mesh(t, b);
    if (p->spreading) weft_buf_puts(b, "\nspread anew");
    print_total(b, "\ntotal", p);
    if (st == WEFT_OK) st = weft_module_walk(p->of, visit_op, &x);
    weft_arena_free(&names);
    return st == WEFT_OK && b->failed ? weft_oom() : st;
}

/* --- differences ----------------------------------------------------------------------------------------------- */

typedef struct plan_differ {
    plan_printer own, stored;
    bool any;
} plan_differ;

static bool is_alike(const plan_differ *d, const weft_op *op) {
    const weft_placement_id *a = weft_layout_plan_operands(d->own.p, op);
    const weft_placement_id *b = weft_layout_plan_operands(d->stored.p, op);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (a[i] != b[i]) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (d->own.p->born[op->results[i].id] != d->stored.p->born[op->results[i].id]) return false;
    const double cost = weft_layout_plan_cost(d->own.p, op), other = weft_layout_plan_cost(d->stored.p, op);
    return cost <= other && cost >= other;
}

static weft_status visit_difference(void *user, weft_op *op) {
    plan_differ *d = user;
    if (!is_printed(&d->own, op) || is_alike(d, op)) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&d->own.p->of->cx->scratch);
    weft_buf_puts(d->own.b, "the plan has\n");
    weft_status st = print_op(&d->own, op);
    weft_buf_puts(d->own.b, "the stored one has\n");
    if (st == WEFT_OK) st = print_op(&d->stored, op);
    weft_arena_reset(&d->own.p->of->cx->scratch, mark);
    d->any = true;
    return st;
}

weft_status weft_plan_print_difference(const weft_layout_plan *p, const weft_layout_plan *stored, weft_placements *t,
                                       weft_buf *b) {
    plan_differ d = { .own = { p, t, NULL, b }, .stored = { stored, t, NULL, b } };
    weft_arena names;
    weft_arena_init(&names, &p->of->cx->chunks);
    weft_status st = weft_value_names(p->of, &names, &d.own.names);
    d.stored.names = d.own.names;
    print_total(b, "plan: total", p);
    print_total(b, "stored plan: total", stored);
    if (st == WEFT_OK) st = weft_module_walk(p->of, visit_difference, &d);
    if (!d.any) weft_buf_puts(b, "no op differs\n");
    weft_arena_free(&names);
    return st == WEFT_OK && b->failed ? weft_oom() : st;
}
