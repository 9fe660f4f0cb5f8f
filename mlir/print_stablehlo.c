/* print_stablehlo.c: StableHLO's own attributes. Empty lists and zeros are left out, as StableHLO does. */
#include "mlir/writer.h"

/* Fields are separated by commas; *any tells whether one was printed. */
static void list_field(weft_buf *b, const char *name, weft_ints v, bool *any) {
    if (!v.n) return;
    if (*any) weft_buf_puts(b, ", ");
    weft_buf_puts(b, name);
    weft_buf_puts(b, " = ");
    pr_int_list(b, v);
    *any = true;
}

static void int_field(weft_buf *b, const char *name, int64_t v, bool *any) {
    if (!v) return;
    if (*any) weft_buf_puts(b, ", ");
    weft_buf_puts(b, name);
    weft_buf_puts(b, " = ");
    weft_buf_i64(b, v);
    *any = true;
}

static void dot(weft_buf *b, const weft_dot_dims *d) {
    bool any = false;
    weft_buf_puts(b, "#stablehlo.dot<");
    list_field(b, "lhs_batching_dimensions", d->lhs_batch, &any);
    list_field(b, "rhs_batching_dimensions", d->rhs_batch, &any);
    list_field(b, "lhs_contracting_dimensions", d->lhs_contract, &any);
    list_field(b, "rhs_contracting_dimensions", d->rhs_contract, &any);
    weft_buf_putc(b, '>');
}

/* Each attribute has its own rule for omitting fields of zero value. */
static void number_field(weft_buf *b, const char *name, double v, bool *any) {
    if (v == 0) return;
    weft_buf_puts(b, *any ? ", " : "");
    weft_buf_printf(b, "%s = ", name);
    weft_float_print(b, WEFT_F64, &v);
    *any = true;
}

static void ragged(weft_buf *b, const weft_ragged_dims *d) {
    bool any = false;
    weft_buf_puts(b, "#chlo.ragged_dot<");
    list_field(b, "lhs_batching_dimensions", d->dot.lhs_batch, &any);
    list_field(b, "rhs_batching_dimensions", d->dot.rhs_batch, &any);
    list_field(b, "lhs_contracting_dimensions", d->dot.lhs_contract, &any);
    list_field(b, "rhs_contracting_dimensions", d->dot.rhs_contract, &any);
    list_field(b, "lhs_ragged_dimensions", d->lhs_ragged, &any);
    list_field(b, "rhs_group_dimensions", d->rhs_group, &any);
    weft_buf_putc(b, '>');
}

void pr_dot_algorithm(weft_buf *b, const weft_dot_algorithm *d) {
    weft_buf_puts(b, "<lhs_precision_type = ");
    weft_type_print(b, d->lhs);
    weft_buf_puts(b, ", rhs_precision_type = ");
    weft_type_print(b, d->rhs);
    weft_buf_puts(b, ", accumulation_type = ");
    weft_type_print(b, d->accumulation);
    weft_buf_printf(
        b,
        ", lhs_component_count = %lld, rhs_component_count = %lld, num_primitive_operations = %lld, allow_imprecise_accumulation = %s>",
        (long long)d->lhs_components, (long long)d->rhs_components, (long long)d->operations,
        d->imprecise ? "true" : "false");
}

static void accuracy(weft_buf *b, const weft_accuracy *d) {
    bool any = false;
    weft_buf_puts(b, "#stablehlo.result_accuracy<");
    number_field(b, "atol", d->atol, &any);
    number_field(b, "rtol", d->rtol, &any);
    int_field(b, "ulps", d->ulps, &any);
    weft_buf_printf(b, "%smode = #stablehlo.result_accuracy_mode<%s>>", any ? ", " : "",
                    weft_enum_table[d->mode].keyword);
}

static void alias(weft_buf *b, const weft_alias *d) {
    weft_buf_puts(b, "#stablehlo.output_operand_alias<output_tuple_indices = ");
    pr_int_list(b, d->output_indices);
    weft_buf_printf(b, ", operand_index = %lld, operand_tuple_indices = ", (long long)d->operand);
    pr_int_list(b, d->operand_indices);
    weft_buf_putc(b, '>');
}

static void gather(weft_buf *b, const weft_gather_dims *d) {
    bool any = false;
    weft_buf_puts(b, "#stablehlo.gather<");
    list_field(b, "offset_dims", d->offset_dims, &any);
    list_field(b, "collapsed_slice_dims", d->collapsed_slice_dims, &any);
    list_field(b, "operand_batching_dims", d->operand_batching_dims, &any);
    list_field(b, "start_indices_batching_dims", d->start_indices_batching_dims, &any);
    list_field(b, "start_index_map", d->start_index_map, &any);
    int_field(b, "index_vector_dim", d->index_vector_dim, &any);
    weft_buf_putc(b, '>');
}

static void scatter(weft_buf *b, const weft_scatter_dims *d) {
    bool any = false;
    weft_buf_puts(b, "#stablehlo.scatter<");
    list_field(b, "update_window_dims", d->update_window_dims, &any);
    list_field(b, "inserted_window_dims", d->inserted_window_dims, &any);
    list_field(b, "input_batching_dims", d->input_batching_dims, &any);
    list_field(b, "scatter_indices_batching_dims", d->scatter_indices_batching_dims, &any);
    list_field(b, "scatter_dims_to_operand_dims", d->scatter_dims_to_operand_dims, &any);
    int_field(b, "index_vector_dim", d->index_vector_dim, &any);
    weft_buf_putc(b, '>');
}

/* Every dimension 0 .. n+1 is named once, so that the side can be printed as a list. */
static bool conv_side_whole(int64_t first, int64_t second, weft_ints spatial) {
    weft_bits seen = 0;
    int64_t n = (int64_t)spatial.n + 2;
    if (n > WEFT_MAX_RANK) return false;
    for (int64_t i = 0; i < n; i++) {
        int64_t d = i == 0 ? first : i == 1 ? second : spatial.v[i - 2];
        if (d < 0 || d >= n || weft_bits_has(seen, (unsigned)d)) return false;
        seen |= weft_bit((unsigned)d);
    }
    return true;
}

bool pr_conv_whole(const weft_conv_dims *d) {
    return conv_side_whole(d->input_batch, d->input_feature, d->input_spatial) &&
           conv_side_whole(d->kernel_input_feature, d->kernel_output_feature, d->kernel_spatial) &&
           conv_side_whole(d->output_batch, d->output_feature, d->output_spatial);
}

/* Dimensions that the verifier will refuse have no lists. */
static void conv_raw(weft_buf *b, const weft_conv_dims *d) {
    bool any = false;
    weft_buf_puts(b, "raw ");
    int_field(b, "input_batch_dimension", d->input_batch, &any);
    int_field(b, "input_feature_dimension", d->input_feature, &any);
    list_field(b, "input_spatial_dimensions", d->input_spatial, &any);
    int_field(b, "kernel_input_feature_dimension", d->kernel_input_feature, &any);
    int_field(b, "kernel_output_feature_dimension", d->kernel_output_feature, &any);
    list_field(b, "kernel_spatial_dimensions", d->kernel_spatial, &any);
    int_field(b, "output_batch_dimension", d->output_batch, &any);
    int_field(b, "output_feature_dimension", d->output_feature, &any);
    list_field(b, "output_spatial_dimensions", d->output_spatial, &any);
}

static void conv_side(weft_buf *b, const char *letters, int64_t first, int64_t second, weft_ints spatial) {
    weft_buf_putc(b, '[');
    for (int64_t i = 0; i < (int64_t)spatial.n + 2; i++) {
        if (i) weft_buf_puts(b, ", ");
        if (i == first) weft_buf_putc(b, letters[0]);
        else if (i == second) weft_buf_putc(b, letters[1]);
        else
            for (uint32_t k = 0; k < spatial.n; k++)
                if (spatial.v[k] == i) weft_buf_i64(b, k);
    }
    weft_buf_putc(b, ']');
}

void pr_conv_dims(weft_buf *b, const weft_conv_dims *d) {
    conv_side(b, "bf", d->input_batch, d->input_feature, d->input_spatial);
    weft_buf_putc(b, 'x');
    conv_side(b, "io", d->kernel_input_feature, d->kernel_output_feature, d->kernel_spatial);
    weft_buf_puts(b, "->");
    conv_side(b, "bf", d->output_batch, d->output_feature, d->output_spatial);
}

static void inline_mesh(weft_buf *b, const weft_mesh_attr *m) {
    weft_buf_puts(b, "#stablehlo.mesh<axes=[");
    for (uint32_t i = 0; i < m->axis_count; i++) {
        weft_buf_puts(b, i ? ", <name = " : "<name = ");
        pr_string(b, weft_name_str(m->axes[i].name));
        weft_buf_puts(b, ", size = ");
        weft_buf_i64(b, m->axes[i].size);
        weft_buf_putc(b, '>');
    }
    weft_buf_putc(b, ']');
    if (m->device_ids.n) {
        bool splat = true; /* MLIR writes equal elements once */
        for (uint32_t i = 1; i < m->device_ids.n; i++) splat = splat && m->device_ids.v[i] == m->device_ids.v[0];
        weft_buf_puts(b, ", device_ids=dense<");
        if (splat) weft_buf_i64(b, m->device_ids.v[0]);
        else pr_int_list(b, m->device_ids);
        weft_buf_printf(b, "> : tensor<%uxi64>", m->device_ids.n);
    }
    weft_buf_putc(b, '>');
}

static void mesh_axes(weft_writer *w, const weft_mesh_axes_attr *m) {
    weft_buf *b = w->b;
    weft_buf_puts(b, "#stablehlo.replica_group_mesh_axes<mesh = ");
    if (m->mesh->kind == WEFT_ATTR_MESH) inline_mesh(b, &m->mesh->mesh);
    else pr_attr(w, m->mesh, PR_TYPE_ALWAYS);
    weft_buf_puts(b, ", axes = [");
    for (uint32_t i = 0; i < m->axes.n; i++) {
        const weft_axis_ref *a = &m->axes.v[i];
        weft_buf_puts(b, i ? ", #stablehlo.axis_ref<name = " : "#stablehlo.axis_ref<name = ");
        pr_string(b, weft_name_str(a->name));
        if (a->size) weft_buf_printf(b, ", sub_axis_info = (%lld)%lld", (long long)a->pre_size, (long long)a->size);
        weft_buf_putc(b, '>');
    }
    weft_buf_puts(b, "]>");
}

void pr_stablehlo_attr(weft_writer *w, const weft_attr *a) {
    weft_buf *b = w->b;
    switch ((int)a->kind) {
    case WEFT_ATTR_DOT: dot(b, &a->dot); break;
    case WEFT_ATTR_GATHER: gather(b, &a->gather); break;
    case WEFT_ATTR_SCATTER: scatter(b, &a->scatter); break;
    case WEFT_ATTR_CONV:
        weft_buf_puts(b, "#stablehlo.conv<");
        if (pr_conv_whole(&a->conv)) pr_conv_dims(b, &a->conv);
        else conv_raw(b, &a->conv);
        weft_buf_putc(b, '>');
        break;
    case WEFT_ATTR_RAGGED: ragged(b, &a->ragged); break;
    case WEFT_ATTR_ALGORITHM:
        weft_buf_puts(b, "#stablehlo.dot_algorithm");
        pr_dot_algorithm(b, &a->algorithm);
        break;
    case WEFT_ATTR_ACCURACY: accuracy(b, &a->accuracy); break;
    case WEFT_ATTR_ALIAS: alias(b, &a->alias); break;
    case WEFT_ATTR_BOUNDS: weft_bounds_print(b, a->ints); break;
    case WEFT_ATTR_CHANNEL:
        weft_buf_puts(b, "#stablehlo.channel_handle<handle = ");
        weft_buf_i64(b, a->channel.handle);
        weft_buf_puts(b, ", type = ");
        weft_buf_i64(b, a->channel.type);
        weft_buf_putc(b, '>');
        break;
    case WEFT_ATTR_MESH_AXES:
        if (!(w->flags & WEFT_PRINT_DENSE_GROUPS) || !pr_mesh_axes_dense(w, a)) mesh_axes(w, &a->mesh_axes);
        break;
    }
}
