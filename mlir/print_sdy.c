/* print_sdy.c: Shardy's attributes. */
#include "mlir/writer.h"

static void axis_name(weft_buf *b, const weft_axis_ref *a) {
    pr_string(b, weft_name_str(a->name));
    if (!a->size && !a->pre_size) return;
    weft_buf_puts(b, ":(");
    weft_buf_i64(b, a->pre_size);
    weft_buf_putc(b, ')');
    weft_buf_i64(b, a->size);
}

static void axis_names(weft_writer *w, weft_axis_refs axes) {
    for (uint32_t i = 0; i < axes.n; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        axis_name(w->b, &axes.v[i]);
    }
}

void pr_axes_body(weft_writer *w, weft_axis_refs axes) {
    weft_buf_putc(w->b, '{');
    axis_names(w, axes);
    weft_buf_putc(w->b, '}');
}

void pr_axes_per_dim_body(weft_writer *w, const weft_attr *a) {
    weft_buf_putc(w->b, '[');
    for (uint32_t i = 0; i < a->axes_per_dim.n; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_axes_body(w, a->axes_per_dim.v[i]);
    }
    weft_buf_putc(w->b, ']');
}

void pr_a2a_body(weft_writer *w, const weft_attr *a) {
    weft_buf *b = w->b;
    weft_buf_putc(b, '[');
    for (uint32_t i = 0; i < a->a2a.n; i++) {
        const weft_a2a_param *p = &a->a2a.v[i];
        if (i) weft_buf_puts(b, ", ");
        pr_axes_body(w, p->axes);
        weft_buf_puts(b, ": ");
        weft_buf_i64(b, p->src_dim);
        weft_buf_puts(b, "->");
        weft_buf_i64(b, p->tgt_dim);
    }
    weft_buf_putc(b, ']');
}

void pr_mesh_body(weft_writer *w, const weft_attr *a) {
    weft_buf *b = w->b;
    const weft_mesh_attr *m = &a->mesh;
    weft_buf_puts(b, "<[");
    for (uint32_t i = 0; i < m->axis_count; i++) {
        if (i) weft_buf_puts(b, ", ");
        pr_string(b, weft_name_str(m->axes[i].name));
        weft_buf_putc(b, '=');
        weft_buf_i64(b, m->axes[i].size);
    }
    weft_buf_putc(b, ']');
    if (m->device_ids.n) {
        weft_buf_puts(b, ", device_ids=");
        pr_int_list(b, m->device_ids);
    }
    weft_buf_putc(b, '>');
}

static void dim(weft_writer *w, const weft_dim_sharding *d) {
    weft_buf *b = w->b;
    weft_buf_putc(b, '{');
    axis_names(w, d->axes);
    if (d->open) weft_buf_puts(b, d->axes.n ? ", ?" : "?");
    weft_buf_putc(b, '}');
    if (d->priority != WEFT_NO_PRIORITY) {
        weft_buf_putc(b, 'p');
        weft_buf_i64(b, d->priority);
    }
}

void pr_sharding_body(weft_writer *w, const weft_attr *a) {
    weft_buf *b = w->b;
    const weft_sharding_attr *s = &a->sharding;
    weft_buf_putc(b, '<');
    if (s->mesh->kind == WEFT_ATTR_MESH) {
        weft_buf_puts(b, "mesh");
        pr_mesh_body(w, s->mesh);
    } else {
        pr_attr(w, s->mesh, PR_TYPE_ALWAYS);
    }
    weft_buf_puts(b, ", [");
    for (uint32_t i = 0; i < s->rank; i++) {
        if (i) weft_buf_puts(b, ", ");
        dim(w, &s->dims[i]);
    }
    weft_buf_putc(b, ']');
    if (s->replicated.n) {
        weft_buf_puts(b, ", replicated=");
        pr_axes_body(w, s->replicated);
    }
    if (s->unreduced.n) {
        static const char *const by[] = { [WEFT_BY_SUM] = "", [WEFT_BY_MAX] = "max", [WEFT_BY_MIN] = "min" };
        weft_buf_puts(b, ", unreduced=");
        weft_buf_puts(b, by[s->unreduced_by]);
        pr_axes_body(w, s->unreduced);
    }
    weft_buf_putc(b, '>');
}

void pr_shardings_body(weft_writer *w, const weft_attr *a) {
    weft_buf_putc(w->b, '[');
    for (uint32_t i = 0; i < a->items.n; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_sharding_body(w, a->items.v[i]);
    }
    weft_buf_putc(w->b, ']');
}

/* i .. z, z_1, z_2, ... */
static void factor(weft_buf *b, int64_t f) {
    int64_t last = 'z' - 'i';
    if (f <= last) {
        weft_buf_putc(b, (char)('i' + f));
    } else {
        weft_buf_puts(b, "z_");
        weft_buf_i64(b, f - last);
    }
}

static void factor_set(weft_buf *b, const char *what, weft_ints f) {
    if (!f.n) return;
    weft_buf_putc(b, ' ');
    weft_buf_puts(b, what);
    weft_buf_puts(b, "={");
    for (uint32_t i = 0; i < f.n; i++) {
        if (i) weft_buf_puts(b, ", ");
        factor(b, f.v[i]);
    }
    weft_buf_putc(b, '}');
}

static void mappings(weft_buf *b, const weft_rule_attr *rule, uint32_t from, uint32_t to) {
    weft_buf_putc(b, '(');
    for (uint32_t t = from; t < to; t++) {
        weft_buf_puts(b, t > from ? ", [" : "[");
        for (uint32_t d = 0; d < rule->ranks[t]; d++) {
            if (d) weft_buf_puts(b, ", ");
            for (uint32_t k = 0; k < rule->dims[t][d].n; k++) factor(b, rule->dims[t][d].v[k]);
        }
        weft_buf_putc(b, ']');
    }
    weft_buf_putc(b, ')');
}

static void sharding_rule(weft_buf *b, const weft_rule_attr *rule) {
    weft_buf_puts(b, "#sdy.op_sharding_rule<");
    mappings(b, rule, 0, rule->operand_count);
    weft_buf_puts(b, "->");
    mappings(b, rule, rule->operand_count, rule->operand_count + rule->result_count);
    if (rule->factor_sizes.n) {
        weft_buf_puts(b, " {");
        for (uint32_t i = 0; i < rule->factor_sizes.n; i++) {
            if (i) weft_buf_puts(b, ", ");
            factor(b, i);
            weft_buf_putc(b, '=');
            weft_buf_i64(b, rule->factor_sizes.v[i]);
        }
        weft_buf_putc(b, '}');
    }
    factor_set(b, "reduction", rule->reduction);
    factor_set(b, "need_replication", rule->need_replication);
    factor_set(b, "permutation", rule->permutation);
    factor_set(b, "blocked_propagation", rule->blocked);
    weft_buf_puts(b, rule->custom ? ", custom>" : ">");
}

static void edge_ref(weft_buf *b, const weft_edge_ref *e) {
    weft_buf_puts(b, e->of == WEFT_EDGE_RESULT ? "result-" : "operand-");
    weft_buf_i64(b, e->index);
}

/* <[{step-0 = [{"x" = operand-0 -> [result-0]}]}]> */
static void edges(weft_buf *b, const weft_attr *a) {
    weft_buf_puts(b, "<[");
    for (uint32_t i = 0; i < a->edges.n; i++) {
        const weft_edge_step *s = &a->edges.v[i];
        weft_buf_puts(b, i ? ", {step-" : "{step-");
        weft_buf_i64(b, s->step);
        weft_buf_puts(b, " = [");
        for (uint32_t k = 0; k < s->axis_count; k++) {
            const weft_edge_axis *x = &s->axes[k];
            weft_buf_puts(b, k ? ", {" : "{");
            axis_name(b, &x->axis);
            weft_buf_puts(b, " = ");
            edge_ref(b, &x->source);
            weft_buf_puts(b, " -> [");
            for (uint32_t t = 0; t < x->target_count; t++) {
                if (t) weft_buf_puts(b, ", ");
                edge_ref(b, &x->targets[t]);
            }
            weft_buf_puts(b, "]}");
        }
        weft_buf_puts(b, "]}");
    }
    weft_buf_puts(b, "]>");
}

void pr_sdy_attr(weft_writer *w, const weft_attr *a) {
    weft_buf *b = w->b;
    switch ((int)a->kind) {
    case WEFT_ATTR_MESH:
        weft_buf_puts(b, "#sdy.mesh");
        pr_mesh_body(w, a);
        break;
    case WEFT_ATTR_SHARDING:
        weft_buf_puts(b, "#sdy.sharding");
        pr_sharding_body(w, a);
        break;
    case WEFT_ATTR_SHARDINGS:
        weft_buf_puts(b, "#sdy.sharding_per_value<");
        pr_shardings_body(w, a);
        weft_buf_putc(b, '>');
        break;
    case WEFT_ATTR_RULE: sharding_rule(b, &a->rule); break;
    case WEFT_ATTR_EDGES:
        weft_buf_puts(b, "#sdy.propagation_edges");
        edges(b, a);
        break;
    case WEFT_ATTR_AXES:
        weft_buf_puts(b, "#sdy<axis_ref_list");
        pr_axes_body(w, a->axes);
        weft_buf_putc(b, '>');
        break;
    case WEFT_ATTR_AXES_PER_DIM:
        weft_buf_puts(b, "#sdy<list_of_axis_ref_lists");
        pr_axes_per_dim_body(w, a);
        weft_buf_putc(b, '>');
        break;
    case WEFT_ATTR_A2A_PARAMS:
        weft_buf_puts(b, "#sdy<all_to_all_param_list");
        pr_a2a_body(w, a);
        weft_buf_putc(b, '>');
        break;
    }
}
