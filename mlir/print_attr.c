/* print_attr.c: attributes. */
#include "mlir/writer.h"

void pr_string(weft_buf *b, weft_str s) {
    static const char digits[] = "0123456789ABCDEF";
    weft_buf_putc(b, '"');
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c >= ' ' && c < 127 && c != '"' && c != '\\') continue;
        weft_buf_put(b, s.p + from, i - from);
        from = i + 1;
        if (c == '\\') {
            weft_buf_puts(b, "\\\\");
        } else {
            char escape[3] = { '\\', digits[c >> 4], digits[c & 15] };
            weft_buf_put(b, escape, 3);
        }
    }
    weft_buf_put(b, s.p + from, s.n - from);
    weft_buf_putc(b, '"');
}

static bool bare(weft_str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '$' || c == '.'))) return false;
    }
    return s.n > 0;
}

void pr_keyword_or_string(weft_buf *b, weft_str s) {
    if (bare(s)) weft_buf_str(b, s);
    else pr_string(b, s);
}

void pr_symbol_name(weft_buf *b, weft_str s) {
    weft_buf_putc(b, '@');
    pr_keyword_or_string(b, s);
}

void pr_int_list(weft_buf *b, weft_ints v) {
    weft_buf_putc(b, '[');
    for (uint32_t i = 0; i < v.n; i++) {
        if (i) weft_buf_puts(b, ", ");
        weft_buf_i64(b, v.v[i]);
    }
    weft_buf_putc(b, ']');
}

void pr_enum(weft_buf *b, const weft_attr *a) { weft_buf_puts(b, weft_enum_table[a->e].keyword); }

/* The sets that MLIR stores as plain i32 and that only some ops' pretty forms spell out. */
static bool stored_as_int(weft_enum_set set) {
    return set == WEFT_ENUM_custom_call_api_version || set == WEFT_ENUM_propagation_direction ||
           set == WEFT_ENUM_reduction_op;
}

static void enum_attr(weft_buf *b, weft_enum_value e) {
    weft_enum_set set = weft_enum_table[e].set;
    const weft_enum_set_info *info = &weft_enum_sets[set];
    if (stored_as_int(set)) {
        int64_t at = 0;
        for (unsigned i = e; i > 0 && weft_enum_table[i - 1].set == set; i--) at++;
        weft_buf_i64(b, at);
        weft_buf_puts(b, " : i32");
        return;
    }
    bool angle = set == WEFT_ENUM_result_accuracy_mode;
    weft_buf_printf(b, angle ? "#%s.%s<%s>" : "#%s<%s %s>", info->dialect, info->mnemonic, weft_enum_table[e].keyword);
}

static void dense_array(weft_buf *b, const weft_attr *a) {
    weft_buf_puts(b, "array<");
    weft_buf_puts(b, weft_dtype_of(a->dtype)->name);
    for (uint32_t i = 0; i < a->ints.n; i++) {
        weft_buf_puts(b, i ? ", " : ": ");
        if (a->dtype == WEFT_I1) weft_buf_puts(b, a->ints.v[i] ? "true" : "false");
        else weft_buf_i64(b, a->ints.v[i]);
    }
    weft_buf_putc(b, '>');
}

static void number(weft_writer *w, const weft_attr *a, pr_elide_type elide) {
    weft_dtype t = a->type->kind == WEFT_TYPE_INDEX ? WEFT_I64 : a->type->dtype;
    if (a->kind == WEFT_ATTR_FLOAT) {
        char stored[16] = { 0 };
        weft_dtype_store(t, stored, a->f);
        const size_t from = w->b->n;
        weft_float_print(w->b, t, stored);
        const bool is_hex = w->b->n > from + 1 && w->b->p[from + 1] == 'x'; /* without a type, an integer */
        if (elide == PR_TYPE_MAY_ELIDE && t == WEFT_F64 && !is_hex) return;
    } else {
        if (weft_dtype_of(t)->kind == WEFT_KIND_UINT) weft_buf_printf(w->b, "%llu", (unsigned long long)a->i);
        else weft_buf_i64(w->b, a->i);
        if (elide == PR_TYPE_MAY_ELIDE && t == WEFT_I64 && a->type->kind == WEFT_TYPE_SCALAR) return;
    }
    weft_buf_puts(w->b, " : ");
    pr_type(w, a->type);
}

static void symbol(weft_buf *b, const weft_attr *a) {
    for (uint32_t i = 0; i < a->names.n; i++) {
        if (i) weft_buf_puts(b, "::");
        pr_symbol_name(b, weft_name_str(a->names.v[i]));
    }
}

bool pr_says_manual(weft_str name) {
    static const char tail[] = "manual_axes";
    size_t n = sizeof tail - 1;
    return name.n >= n && !memcmp(name.p + name.n - n, tail, n);
}

void pr_attr_named(weft_writer *w, const weft_named_attr *a) {
    pr_keyword_or_string(w->b, weft_name_str(a->name));
    if (a->value->kind == WEFT_ATTR_UNIT) return;
    weft_buf_puts(w->b, " = ");
    if (a->value->kind == WEFT_ATTR_AXES && pr_says_manual(weft_name_str(a->name))) {
        weft_buf_puts(w->b, "#sdy<manual_axes");
        pr_axes_body(w, a->value->axes);
        weft_buf_putc(w->b, '>');
        return;
    }
    pr_attr(w, a->value, PR_TYPE_ALWAYS);
}

void pr_attr(weft_writer *w, const weft_attr *a, pr_elide_type elide) {
    weft_buf *b = w->b;
    switch (a->kind) {
    case WEFT_ATTR_UNIT: weft_buf_puts(b, "unit"); break;
    case WEFT_ATTR_BOOL: weft_buf_puts(b, a->i ? "true" : "false"); break;
    case WEFT_ATTR_INT:
    case WEFT_ATTR_FLOAT: number(w, a, elide); break;
    case WEFT_ATTR_STRING: pr_string(b, a->s); break;
    case WEFT_ATTR_SYMBOL: symbol(b, a); break;
    case WEFT_ATTR_TYPE: pr_type(w, a->type); break;
    case WEFT_ATTR_ARRAY:
        weft_buf_putc(b, '[');
        for (uint32_t i = 0; i < a->items.n; i++) {
            if (i) weft_buf_puts(b, ", ");
            pr_attr(w, a->items.v[i], PR_TYPE_MAY_ELIDE);
        }
        weft_buf_putc(b, ']');
        break;
    case WEFT_ATTR_DICT:
        weft_buf_putc(b, '{');
        for (uint32_t i = 0; i < a->entries.n; i++) {
            if (i) weft_buf_puts(b, ", ");
            pr_attr_named(w, &a->entries.v[i]);
        }
        weft_buf_putc(b, '}');
        break;
    case WEFT_ATTR_DENSE:
        if (!pr_by_alias(w, a)) pr_dense(w, a);
        break;
    case WEFT_ATTR_DENSE_ARRAY: dense_array(b, a); break;
    case WEFT_ATTR_ENUM: enum_attr(b, a->e); break;
    case WEFT_ATTR_DOT:
    case WEFT_ATTR_GATHER:
    case WEFT_ATTR_SCATTER:
    case WEFT_ATTR_CONV:
    case WEFT_ATTR_CHANNEL:
    case WEFT_ATTR_RAGGED:
    case WEFT_ATTR_ALGORITHM:
    case WEFT_ATTR_ACCURACY:
    case WEFT_ATTR_ALIAS:
    case WEFT_ATTR_BOUNDS:
    case WEFT_ATTR_MESH_AXES: pr_stablehlo_attr(w, a); break;
    case WEFT_ATTR_MESH:
    case WEFT_ATTR_SHARDING:
    case WEFT_ATTR_SHARDINGS:
    case WEFT_ATTR_RULE:
    case WEFT_ATTR_AXES:
    case WEFT_ATTR_AXES_PER_DIM:
    case WEFT_ATTR_EDGES:
    case WEFT_ATTR_A2A_PARAMS: pr_sdy_attr(w, a); break;
    case WEFT_ATTR_OPAQUE: weft_buf_str(b, a->s); break;
    }
}
