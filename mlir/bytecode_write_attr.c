/* bytecode_write_attr.c: attributes in bytecode, those of builtin, StableHLO and CHLO, and locations. */
#include "mlir/bytecode_write.h"
#include "mlir/writer.h"

uint32_t bw_attr_as_text(bc_writer *w, const char *dialect, const weft_attr *a) {
    weft_buf b;
    weft_buf_init(&b, &w->cx->alloc);
    weft_print_attr(&b, a);
    weft_buf_putc(&b, 0);
    return bw_add(w, &w->attrs, dialect, BW_TEXT, &b);
}

uint32_t bw_string_attr(bc_writer *w, weft_str s) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_STRING);
    bw_int(&b, bw_string(w, s));
    return bw_end(w, "builtin", &b);
}

static uint32_t flat_symbol(bc_writer *w, weft_name name) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_FLAT_SYMBOL);
    bw_int(&b, bw_string_attr(w, weft_name_str(name)));
    return bw_end(w, "builtin", &b);
}

static uint32_t symbol(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    if (a->names.n == 1) return flat_symbol(w, a->names.v[0]);
    bw_begin(w, &b, BUILTIN_SYMBOL);
    bw_int(&b, bw_string_attr(w, weft_name_str(a->names.v[0])));
    bw_int(&b, a->names.n - 1);
    for (uint32_t i = 1; i < a->names.n; i++) bw_int(&b, flat_symbol(w, a->names.v[i]));
    return bw_end(w, "builtin", &b);
}

void bw_number(weft_buf *b, const weft_attr *a) {
    const bool index = a->type->kind == WEFT_TYPE_INDEX;
    uint64_t bits = (uint64_t)a->i;
    if (a->kind == WEFT_ATTR_FLOAT) {
        bits = 0;
        weft_dtype_store(a->type->dtype, &bits, a->f);
    }
    bw_bits(b, index ? 64 : weft_dtype_of(a->type->dtype)->bits, bits);
}

static uint32_t number(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, a->kind == WEFT_ATTR_FLOAT ? BUILTIN_FLOAT : BUILTIN_INT);
    bw_int(&b, bw_type(w, BW_OWN, a->type));
    bw_number(&b, a);
    return bw_end(w, "builtin", &b);
}

static const weft_type *scalar_type(bc_writer *w, weft_dtype dtype) {
    const weft_type *t = weft_type_scalar(w->cx, dtype);
    if (!t) bw_oom(w);
    return t;
}

/* of builtin.integer i1 or i32 */
static uint32_t small_int(bc_writer *w, weft_dtype dtype, int64_t v) {
    weft_buf b;
    const weft_type *t = scalar_type(w, dtype);
    if (!t) return 0;
    bw_begin(w, &b, BUILTIN_INT);
    bw_int(&b, bw_type(w, BW_OWN, t));
    bw_bits(&b, weft_dtype_of(dtype)->bits, (uint64_t)v);
    return bw_end(w, "builtin", &b);
}

static uint32_t array(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_ARRAY);
    bw_int(&b, a->items.n);
    for (uint32_t i = 0; i < a->items.n; i++) bw_int(&b, bw_attr(w, a->items.v[i]));
    return bw_end(w, "builtin", &b);
}

static uint32_t dict(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_DICT);
    bw_int(&b, a->entries.n);
    for (uint32_t i = 0; i < a->entries.n; i++) {
        bw_int(&b, bw_string_attr(w, weft_name_str(a->entries.v[i].name)));
        bw_int(&b, bw_attr_named(w, a->entries.v[i].name, a->entries.v[i].value));
    }
    return bw_end(w, "builtin", &b);
}

/* Eight to a byte; a splat of another number than one is a byte of all ones or zeros. */
static void packed_bools(weft_buf *b, const weft_attr *a, int64_t n) {
    const uint8_t *p = a->dense.p;
    if (a->dense.splat && n != 1) {
        bw_int(b, 1);
        weft_buf_putc(b, p[0] ? (char)0xFF : 0);
        return;
    }
    bw_int(b, (uint64_t)weft_ceil_div(n, 8));
    for (int64_t i = 0; i < n; i += 8) {
        unsigned byte = 0;
        for (int64_t k = 0; k < 8 && i + k < n; k++) byte |= (unsigned)(p[i + k] != 0) << k;
        weft_buf_putc(b, (char)byte);
    }
}

/* Elements under a byte have a byte each, which MLIR keeps without their sign. */
static void narrow(weft_buf *b, const weft_attr *a, size_t n) {
    const uint8_t *p = a->dense.p;
    const unsigned keep = weft_dtype_value_bits(a->type->dtype);
    bw_int(b, n);
    for (size_t i = 0; i < n; i++) weft_buf_putc(b, (char)(p[i] & keep));
}

void bw_elements(weft_buf *b, const weft_attr *a) {
    const weft_dtype_info *info = weft_dtype_of(a->type->dtype);
    const int64_t elems = weft_type_elems(a->type);
    /* a splat of no elements has its element, too */
    const size_t n = (size_t)(a->dense.splat ? 1 : elems) * info->stored_bytes;
    if (info->kind == WEFT_KIND_BOOL) {
        packed_bools(b, a, elems);
    } else if (info->bits < 8) {
        narrow(b, a, n);
    } else {
        bw_int(b, n);
        if (n) weft_buf_put(b, a->dense.p, n);
    }
}

static uint32_t dense(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_DENSE);
    bw_int(&b, bw_type(w, BW_OWN, a->type));
    bw_elements(&b, a);
    return bw_end(w, "builtin", &b);
}

weft_attr bw_i64s(bc_writer *w, const weft_ints *v) {
    const int64_t n = v->n;
    bool splat = n > 0;
    for (int64_t i = 1; splat && i < n; i++) splat = v->v[i] == v->v[0];
    const weft_type *t = weft_type_tensor(w->cx, WEFT_I64, 1, &n);
    if (!t) bw_oom(w);
    return (weft_attr){ .kind = WEFT_ATTR_DENSE, .type = t,
                        .dense = { v->v, (splat ? 1 : (size_t)n) * sizeof *v->v, splat } };
}

static uint32_t dense_array(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    const size_t one = weft_dtype_bytes(a->dtype);
    const weft_type *t = scalar_type(w, a->dtype);
    if (!t) return 0;
    bw_begin(w, &b, BUILTIN_DENSE_ARRAY);
    bw_int(&b, bw_type(w, BW_OWN, t));
    bw_int(&b, a->ints.n);
    bw_int(&b, a->ints.n * one);
    for (uint32_t i = 0; i < a->ints.n; i++) {
        char stored[16];
        weft_dtype_store_int(a->dtype, stored, a->ints.v[i]);
        weft_buf_put(&b, stored, one);
    }
    return bw_end(w, "builtin", &b);
}

const bc_keyword_set *bw_keyword_set(weft_enum_value v) {
    for (size_t i = 0; i < BC_KEYWORD_SETS; i++)
        if (bc_keyword_sets[i].set == weft_enum_table[v].set) return &bc_keyword_sets[i];
    return NULL;
}

/* How many keywords of the set are before it. */
static uint32_t place_in_set(weft_enum_value v) {
    uint32_t n = 0;
    while (n < (uint32_t)v && weft_enum_table[v - 1 - n].set == weft_enum_table[v].set) n++;
    return n;
}

uint64_t bw_keyword_number(const bc_keyword_set *of, weft_enum_value v) { return of->first + place_in_set(v); }

/* The sets that no dialect encodes are i32 in attributes of ops, and one of CHLO's is text. */
static uint32_t keyword(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    const bc_keyword_set *set = bw_keyword_set(a->e);
    if (weft_enum_table[a->e].set == WEFT_ENUM_chlo_precision) return bw_attr_as_text(w, "chlo", a);
    if (!set || (set->stablehlo < 0 && set->chlo < 0)) return small_int(w, WEFT_I32, place_in_set(a->e));
    bw_begin(w, &b, (uint64_t)(set->chlo < 0 ? set->stablehlo : set->chlo));
    bw_int(&b, bw_keyword_number(set, a->e));
    return bw_end(w, set->chlo < 0 ? "stablehlo" : "chlo", &b);
}

void bw_record(bc_writer *w, weft_buf *b, const bc_record *record, const weft_attr *a) {
    for (size_t i = 0; i < record->count; i++) {
        const char *at = (const char *)a + record->fields[i].at;
        switch (record->fields[i].kind) {
        case BC_LIST:
        case BC_LIST_SINCE: bw_ints(b, *(const weft_ints *)at); break;
        case BC_NUMBER: bw_signed(b, *(const int64_t *)at); break;
        case BC_FLAG: weft_buf_putc(b, *(const bool *)at); break;
        case BC_FIELD_TYPE: bw_int(b, bw_type(w, BW_OWN, *(const weft_type *const *)at)); break;
        }
    }
}

static uint32_t bounds(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, STABLEHLO_TYPE_EXTENSIONS);
    bw_ints(&b, a->ints);
    return bw_end(w, "stablehlo", &b);
}

static uint32_t accuracy(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    const weft_attr mode = { .kind = WEFT_ATTR_ENUM, .e = a->accuracy.mode };
    bw_begin(w, &b, STABLEHLO_ACCURACY);
    bw_real(&b, a->accuracy.atol);
    bw_real(&b, a->accuracy.rtol);
    bw_signed(&b, a->accuracy.ulps);
    bw_int(&b, keyword(w, &mode));
    return bw_end(w, "stablehlo", &b);
}

static uint32_t axis_ref(bc_writer *w, const weft_axis_ref *x) {
    weft_buf b, sub;
    bw_begin(w, &b, STABLEHLO_AXIS_REF);
    bw_int(&b, bw_string(w, weft_name_str(x->name)));
    weft_buf_putc(&b, x->size != 0);
    if (x->size) {
        bw_begin(w, &sub, STABLEHLO_SUB_AXIS);
        bw_signed(&sub, x->pre_size);
        bw_signed(&sub, x->size);
        bw_int(&b, bw_end(w, "stablehlo", &sub));
    }
    return bw_end(w, "stablehlo", &b);
}

static uint32_t mesh_axis(bc_writer *w, const weft_mesh_axis *x) {
    weft_buf b;
    bw_begin(w, &b, STABLEHLO_MESH_AXIS);
    bw_int(&b, bw_string(w, weft_name_str(x->name)));
    bw_signed(&b, x->size);
    return bw_end(w, "stablehlo", &b);
}

static uint32_t mesh(bc_writer *w, const weft_mesh_attr *m) {
    weft_buf b, axes;
    bw_begin(w, &axes, BUILTIN_ARRAY);
    bw_int(&axes, m->axis_count);
    for (uint32_t i = 0; i < m->axis_count; i++) bw_int(&axes, mesh_axis(w, &m->axes[i]));
    bw_begin(w, &b, STABLEHLO_MESH);
    bw_int(&b, bw_end(w, "builtin", &axes));
    weft_buf_putc(&b, m->device_ids.n != 0);
    if (m->device_ids.n) {
        const weft_attr ids = bw_i64s(w, &m->device_ids);
        if (ids.type) bw_int(&b, dense(w, &ids));
    }
    return bw_end(w, "stablehlo", &b);
}

static uint32_t mesh_axes(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    const weft_attr *of = a->mesh_axes.mesh;
    bw_begin(w, &b, STABLEHLO_MESH_AXES);
    bw_int(&b, of->kind == WEFT_ATTR_MESH ? mesh(w, &of->mesh) : bw_attr(w, of));
    bw_int(&b, a->mesh_axes.axes.n);
    for (uint32_t i = 0; i < a->mesh_axes.axes.n; i++) bw_int(&b, axis_ref(w, &a->mesh_axes.axes.v[i]));
    return bw_end(w, "stablehlo", &b);
}

static uint32_t record(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    const bc_record *r = bc_record_of(a->kind);
    bw_begin(w, &b, r->code);
    bw_record(w, &b, r, a);
    return bw_end(w, "stablehlo", &b);
}

static uint32_t plain(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, a->kind == WEFT_ATTR_TYPE ? BUILTIN_TYPE : BUILTIN_UNIT);
    if (a->kind == WEFT_ATTR_TYPE) bw_int(&b, bw_type(w, BW_OWN, a->type));
    return bw_end(w, "builtin", &b);
}

uint32_t bw_attr(bc_writer *w, const weft_attr *a) {
    switch (a->kind) {
    case WEFT_ATTR_UNIT:
    case WEFT_ATTR_TYPE: return plain(w, a);
    case WEFT_ATTR_BOOL: return small_int(w, WEFT_I1, a->i);
    case WEFT_ATTR_INT:
    case WEFT_ATTR_FLOAT: return number(w, a);
    case WEFT_ATTR_STRING: return bw_string_attr(w, a->s);
    case WEFT_ATTR_SYMBOL: return symbol(w, a);
    case WEFT_ATTR_ARRAY: return array(w, a);
    case WEFT_ATTR_DICT: return dict(w, a);
    case WEFT_ATTR_DENSE: return dense(w, a);
    case WEFT_ATTR_DENSE_ARRAY: return dense_array(w, a);
    case WEFT_ATTR_ENUM: return keyword(w, a);
    case WEFT_ATTR_DOT:
    case WEFT_ATTR_GATHER:
    case WEFT_ATTR_SCATTER:
    case WEFT_ATTR_CONV:
    case WEFT_ATTR_ALGORITHM:
    case WEFT_ATTR_ALIAS:
    case WEFT_ATTR_CHANNEL: return record(w, a);
    case WEFT_ATTR_ACCURACY: return accuracy(w, a);
    case WEFT_ATTR_BOUNDS: return bounds(w, a);
    case WEFT_ATTR_MESH_AXES: return mesh_axes(w, a);
    case WEFT_ATTR_RAGGED: return bw_attr_as_text(w, "chlo", a);
    case WEFT_ATTR_EDGES: return bw_attr_as_text(w, "sdy", a);
    case WEFT_ATTR_MESH:
    case WEFT_ATTR_SHARDING:
    case WEFT_ATTR_SHARDINGS:
    case WEFT_ATTR_RULE:
    case WEFT_ATTR_AXES:
    case WEFT_ATTR_AXES_PER_DIM:
    case WEFT_ATTR_A2A_PARAMS: return bw_sdy_attr(w, a);
    case WEFT_ATTR_OPAQUE: break;
    }
    return bw_attr_as_text(w, "builtin", a);
}

/* MLIR has two kinds of lists of axes, and the name says which one it is. */
uint32_t bw_attr_named(bc_writer *w, weft_name name, const weft_attr *a) {
    return a->kind == WEFT_ATTR_AXES && pr_says_manual(weft_name_str(name)) ? bw_manual_axes(w, a) : bw_attr(w, a);
}

static uint32_t file_loc(bc_writer *w, const weft_loc *l) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_FILE_LINE);
    bw_int(&b, bw_string_attr(w, weft_name_str(l->name)));
    bw_int(&b, l->line);
    bw_int(&b, l->column);
    return bw_end(w, "builtin", &b);
}

static uint32_t named_loc(bc_writer *w, const weft_loc *l) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_NAMED);
    bw_int(&b, bw_string_attr(w, weft_name_str(l->name)));
    bw_int(&b, bw_loc(w, l->n ? l->a[0] : &weft_loc_unknown));
    return bw_end(w, "builtin", &b);
}

static uint32_t call_loc(bc_writer *w, const weft_loc *l) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_CALL_SITE);
    bw_int(&b, bw_loc(w, l->a[0]));
    bw_int(&b, bw_loc(w, l->a[1]));
    return bw_end(w, "builtin", &b);
}

static uint32_t fused_loc(bc_writer *w, const weft_loc *l) {
    weft_buf b;
    bw_begin(w, &b, BUILTIN_FUSED);
    bw_int(&b, l->n);
    for (uint32_t i = 0; i < l->n; i++) bw_int(&b, bw_loc(w, l->a[i]));
    return bw_end(w, "builtin", &b);
}

uint32_t bw_loc(bc_writer *w, const weft_loc *l) {
    weft_buf b;
    switch (l->kind) {
    case WEFT_LOC_READ: return bw_loc(w, l->a[0]);
    case WEFT_LOC_FILE: return file_loc(w, l);
    case WEFT_LOC_NAME:
    case WEFT_LOC_SCOPE: return named_loc(w, l);
    case WEFT_LOC_CALL: return call_loc(w, l);
    case WEFT_LOC_FUSED: return fused_loc(w, l);
    case WEFT_LOC_UNKNOWN: break;
    }
    bw_begin(w, &b, BUILTIN_UNKNOWN);
    return bw_end(w, "builtin", &b);
}
