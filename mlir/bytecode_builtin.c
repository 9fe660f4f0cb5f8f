/* bytecode_builtin.c: the builtin dialect's attributes, locations and types in bytecode. */
#include "mlir/bytecode.h"
#include "mlir/writer.h"

weft_name bc_attr_name(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    const weft_attr *a = bc_attr(f, in);
    if (!a) return NULL;
    if (a->kind != WEFT_ATTR_STRING) return bc_fail(f, at, "expected a string"), NULL;
    return rd_intern(&f->r, a->s);
}

const weft_attr *bc_array(bc_reader *f, bc_in *in) {
    const size_t height = f->r.items.n;
    if (!bc_attr_list(f, in)) return NULL;
    const weft_attr *a = weft_attr_array(f->r.cx, f->r.items.v + height, (uint32_t)(f->r.items.n - height));
    f->r.items.n = height;
    return bc_made(f, a);
}

const weft_attr *bc_dict(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    const size_t height = f->r.attrs.n;
    uint32_t n;
    if (!bc_count(f, in, &n)) return NULL;
    while (n--) {
        const weft_name name = bc_attr_name(f, in);
        if (name && !name->n) return bc_fail(f, at, "an attribute without a name"), NULL;
        const weft_name key = name ? rd_attr_name(&f->r, weft_name_str(name)) : NULL;
        const weft_attr *value = key ? bc_attr(f, in) : NULL;
        if (!value || !RD_PUSH(&f->r, attrs, (weft_named_attr){ key, value })) return NULL;
    }
    if (!bc_attrs_differ(f, at, height)) return NULL;
    const weft_attr *a = weft_attr_dict(f->r.cx, f->r.attrs.v + height, (uint32_t)(f->r.attrs.n - height));
    f->r.attrs.n = height;
    return bc_made(f, a);
}

const weft_attr *bc_type_attr(bc_reader *f, bc_in *in) {
    const weft_type *t = bc_type(f, in);
    return t ? bc_made(f, weft_attr_type(f->r.cx, t)) : NULL;
}

const weft_attr *bc_string_attr(bc_reader *f, bc_in *in) {
    weft_str s;
    return bc_string(f, in, &s) ? bc_made(f, weft_attr_string(f->r.cx, s)) : NULL;
}

const weft_attr *bc_dense_attr(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    const weft_type *type = bc_type(f, in);
    bc_in blob;
    return type && bc_blob(f, in, &blob) ? bc_dense(f, at, type, blob) : NULL;
}

const weft_attr *bc_number_attr(bc_reader *f, bc_in *in, bool integer) {
    const weft_type *t = bc_type(f, in);
    if (!t) return NULL;
    return integer ? bc_int_attr(f, in, t) : bc_float_attr(f, in, t);
}

/* @a::@b: the root, then the symbols in it */
static const weft_attr *symbol(bc_reader *f, bc_in *in, bool nested) {
    weft_name path[8];
    uint32_t n = 1, more = 0;
    const uint8_t *at = in->p;
    if (!(path[0] = bc_attr_name(f, in))) return NULL;
    if (nested && !bc_count(f, in, &more)) return NULL;
    if (!more) return bc_made(f, weft_attr_symbol(f->r.cx, path[0]));
    if (more >= WEFT_COUNT(path)) return bc_fail(f, at, "a symbol of more than %zu parts", WEFT_COUNT(path)), NULL;
    while (more--) {
        const weft_attr *part = bc_attr(f, in);
        if (!part) return NULL;
        if (part->kind != WEFT_ATTR_SYMBOL || part->names.n != 1) return bc_fail(f, at, "expected a symbol"), NULL;
        path[n++] = part->names.v[0];
    }
    weft_attr a = { .kind = WEFT_ATTR_SYMBOL };
    a.names.v = path;
    a.names.n = n;
    return bc_made(f, weft_attr_copy(f->r.cx, &a));
}

/* array<f32: 1.5>, which is kept as the text that MLIR prints */
static const weft_attr *float_array(bc_reader *f, weft_dtype dtype, const uint8_t *p, uint64_t n) {
    const size_t one = weft_dtype_bytes(dtype);
    weft_buf text;
    weft_buf_init(&text, &f->r.cx->alloc);
    weft_buf_printf(&text, "array<%s", weft_dtype_of(dtype)->name);
    for (uint64_t i = 0; i < n; i++) {
        weft_buf_puts(&text, i ? ", " : ": ");
        pr_element(&text, dtype, p + i * one);
    }
    weft_buf_putc(&text, '>');
    const weft_attr *made = bc_text_attr(f, &text, NULL);
    weft_buf_free(&text);
    return made;
}

/* type, number of elements, their bytes */
static const weft_attr *dense_array(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    const weft_type *type = bc_type(f, in);
    uint64_t n;
    bc_in blob;
    if (!type || !bc_int(f, in, &n) || !bc_blob(f, in, &blob)) return NULL;
    if (type->kind != WEFT_TYPE_SCALAR || type->quant || weft_dtype_is_complex(type->dtype))
        return bc_fail_as(f, WEFT_D_unsupported, at, "an array of a type that Weft does not know"), NULL;
    const size_t one = weft_dtype_bytes(type->dtype), bytes = (size_t)(blob.end - blob.p);
    if (n > bytes || n * one != bytes) return bc_fail(f, at, "%zu bytes for the elements of an array", bytes), NULL;
    if (weft_dtype_is_float(type->dtype)) return float_array(f, type->dtype, blob.p, n);
    const size_t height = f->r.ints.n;
    for (uint64_t i = 0; i < n; i++) {
        char stored[16];
        weft_dtype_store_int(type->dtype, stored, weft_dtype_load_int(type->dtype, blob.p + i * one));
        if (!RD_PUSH(&f->r, ints, weft_dtype_load_int(type->dtype, stored))) return NULL;
    }
    const weft_attr *a = weft_attr_ints(f->r.cx, type->dtype, f->r.ints.v + height, (uint32_t)n);
    f->r.ints.n = height;
    return bc_made(f, a);
}

/* "text" : type, which is kept as text */
static const weft_attr *typed_string(bc_reader *f, bc_in *in) {
    weft_str s;
    const weft_type *type = bc_string(f, in, &s) ? bc_type(f, in) : NULL;
    if (!type) return NULL;
    weft_buf text;
    weft_buf_init(&text, &f->r.cx->alloc);
    pr_string(&text, s);
    weft_buf_puts(&text, " : ");
    weft_type_print(&text, type);
    const weft_attr *a = bc_text_attr(f, &text, NULL);
    weft_buf_free(&text);
    return a;
}

static const weft_attr *attr(bc_reader *f, bc_in *in, const uint8_t *at, uint64_t code) {
    switch (code) {
    case BUILTIN_ARRAY: return bc_array(f, in);
    case BUILTIN_DICT: return bc_dict(f, in);
    case BUILTIN_STRING: return bc_string_attr(f, in);
    case BUILTIN_FLAT_SYMBOL: return symbol(f, in, false);
    case BUILTIN_SYMBOL: return symbol(f, in, true);
    case BUILTIN_TYPE: return bc_type_attr(f, in);
    case BUILTIN_UNIT: return bc_made(f, weft_attr_unit(f->r.cx));
    case BUILTIN_INT:
    case BUILTIN_FLOAT: return bc_number_attr(f, in, code == BUILTIN_INT);
    case BUILTIN_TYPED_STRING: return typed_string(f, in);
    case BUILTIN_DENSE_RESOURCE: return bc_resource_attr(f, in);
    case BUILTIN_DENSE_ARRAY: return dense_array(f, in);
    case BUILTIN_DENSE: return bc_dense_attr(f, in);
    case BUILTIN_DISTINCT: return bc_attr(f, in);
    default: break;
    }
    bc_fail_as(f, code > BUILTIN_FILE_RANGE ? WEFT_D_syntax : WEFT_D_unsupported, at,
               "a builtin attribute of the unknown or unsupported kind %llu", (unsigned long long)code);
    return NULL;
}

static const weft_loc *made_loc(bc_reader *f, const weft_loc *l) {
    if (!l) bc_oom(f);
    return l;
}

static const weft_loc *call_site(bc_reader *f, bc_in *in) {
    const weft_loc *callee = bc_loc(f, in), *caller = callee ? bc_loc(f, in) : NULL;
    return caller ? made_loc(f, weft_loc_call(f->r.cx, callee, caller)) : NULL;
}

/* file, line, column; or file and a list of up to four: line, column, last line, last column. The start is enough. */
static const weft_loc *file_line(bc_reader *f, bc_in *in, bool range) {
    const uint8_t *at = in->p;
    const weft_name file = bc_attr_name(f, in);
    uint64_t place[4] = { 0 };
    uint32_t n = 2;
    if (!file || (range && !bc_count(f, in, &n))) return NULL;
    if (n > WEFT_COUNT(place)) return bc_fail(f, at, "a range of lines of %u numbers", n), NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!bc_int(f, in, &place[i])) return NULL;
    if (place[0] > UINT32_MAX || place[1] > UINT32_MAX) return bc_fail(f, at, "line or column out of range"), NULL;
    return made_loc(f, weft_loc_file(f->r.cx, file, (uint32_t)place[0], (uint32_t)place[1]));
}

static const weft_loc *fused(bc_reader *f, bc_in *in, bool metadata) {
    uint32_t n;
    if (!bc_count(f, in, &n)) return NULL;
    const weft_loc **parts = weft_arena_array(&f->r.arena, const weft_loc *, n);
    if (!parts) return bc_oom(f), NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!(parts[i] = bc_loc(f, in))) return NULL;
    if (metadata && !bc_attr(f, in)) return NULL; /* ignored */
    return made_loc(f, weft_loc_fused(f->r.cx, parts, n));
}

static const weft_loc *named(bc_reader *f, bc_in *in) {
    const weft_name name = bc_attr_name(f, in);
    const weft_loc *child = name ? bc_loc(f, in) : NULL;
    if (!child) return NULL;
    return made_loc(f, weft_loc_named(f->r.cx, name, child->kind == WEFT_LOC_UNKNOWN ? NULL : child));
}

static bool is_loc(uint64_t code) {
    return (code >= BUILTIN_CALL_SITE && code <= BUILTIN_UNKNOWN) || code == BUILTIN_FILE_RANGE;
}

static const weft_loc *loc(bc_reader *f, bc_in *in, uint64_t code) {
    switch (code) {
    case BUILTIN_CALL_SITE: return call_site(f, in);
    case BUILTIN_FILE_LINE: return file_line(f, in, false);
    case BUILTIN_FILE_RANGE: return file_line(f, in, true);
    case BUILTIN_FUSED: return fused(f, in, false);
    case BUILTIN_FUSED_METADATA: return fused(f, in, true);
    case BUILTIN_NAMED: return named(f, in);
    default: return &weft_loc_unknown;
    }
}

bool bc_builtin_attr(bc_reader *f, bc_in *in, bc_entry *e) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return false;
    if (is_loc(code)) {
        e->as.loc = loc(f, in, code);
        e->state = BC_LOC;
        return e->as.loc;
    }
    e->as.attr = attr(f, in, at, code);
    e->state = BC_ATTR;
    return e->as.attr;
}

/* i8, si8 or ui8: width << 2 | kind of sign */
static const weft_type *integer(bc_reader *f, bc_in *in) {
    static const char *const prefix[] = { "i", "si", "ui" };
    const uint8_t *at = in->p;
    uint64_t v;
    char name[16];
    if (!bc_int(f, in, &v)) return NULL;
    if ((v & 3) == 3 || v >> 2 >= 1 << 24) return bc_fail(f, at, "an integer type that MLIR does not have"), NULL;
    weft_format(name, sizeof name, "%s%u", prefix[v & 3], (unsigned)(v >> 2));
    const weft_dtype dtype = weft_dtype_parse(weft_str_from(name));
    return dtype ? bc_made_type(f, weft_type_scalar(f->r.cx, dtype)) : bc_text_type(f, "%s", name);
}

const weft_type *bc_function(bc_reader *f, bc_in *in) {
    const size_t height = f->r.types.n;
    if (!bc_type_list(f, in)) return NULL;
    const size_t middle = f->r.types.n;
    if (!bc_type_list(f, in)) return NULL;
    const weft_type *t = weft_type_function(f->r.cx, f->r.types.v + height, (uint32_t)(middle - height),
                                            f->r.types.v + middle, (uint32_t)(f->r.types.n - middle));
    f->r.types.n = height;
    return bc_made_type(f, t);
}

const weft_type *bc_tuple(bc_reader *f, bc_in *in) {
    const size_t height = f->r.types.n;
    if (!bc_type_list(f, in)) return NULL;
    const weft_type *t = weft_type_tuple(f->r.cx, f->r.types.v + height, (uint32_t)(f->r.types.n - height));
    f->r.types.n = height;
    return bc_made_type(f, t);
}

const weft_type *bc_complex(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    const weft_type *part = bc_type(f, in);
    if (!part) return NULL;
    const weft_dtype d = part->kind != WEFT_TYPE_SCALAR || part->quant ? WEFT_DTYPE_NONE
                         : part->dtype == WEFT_F32                     ? WEFT_C64
                         : part->dtype == WEFT_F64                     ? WEFT_C128
                                                                       : WEFT_DTYPE_NONE;
    if (!d) return bc_fail_as(f, WEFT_D_unsupported, at, "complex numbers of other parts than f32 and f64"), NULL;
    return bc_made_type(f, weft_type_scalar(f->r.cx, d));
}

const weft_type *bc_unranked(bc_reader *f, bc_in *in) {
    const weft_type *elem = bc_type(f, in);
    if (!elem) return NULL;
    weft_buf text;
    weft_buf_init(&text, &f->r.cx->alloc);
    weft_type_print(&text, elem);
    const weft_type *t = text.failed ? bc_made_type(f, NULL) : bc_text_type(f, "tensor<*x%.*s>", (int)text.n, text.p);
    weft_buf_free(&text);
    return t;
}

const weft_type *bc_builtin_type(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    const weft_attr *encoding;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    for (size_t i = 0; i < BC_SCALARS; i++)
        if (bc_scalars[i].builtin >= 0 && code == (uint64_t)bc_scalars[i].builtin)
            return bc_made_type(f, weft_type_scalar(f->r.cx, bc_scalars[i].dtype));
    switch (code) {
    case BUILTIN_T_INTEGER: return integer(f, in);
    case BUILTIN_T_INDEX: return bc_made_type(f, weft_type_simple(f->r.cx, WEFT_TYPE_INDEX));
    case BUILTIN_T_FUNCTION: return bc_function(f, in);
    case BUILTIN_T_TF32: return bc_text_type(f, "tf32");
    case BUILTIN_T_F80:
    case BUILTIN_T_F128: return bc_text_type(f, code == BUILTIN_T_F80 ? "f80" : "f128");
    case BUILTIN_T_COMPLEX: return bc_complex(f, in);
    case BUILTIN_T_NONE: return bc_made_type(f, weft_type_simple(f->r.cx, WEFT_TYPE_NONE));
    case BUILTIN_T_TENSOR: return bc_tensor(f, in, NULL);
    case BUILTIN_T_TENSOR_ENCODED: return (encoding = bc_attr(f, in)) ? bc_tensor(f, in, encoding) : NULL;
    case BUILTIN_T_TUPLE: return bc_tuple(f, in);
    case BUILTIN_T_VECTOR: return bc_shaped_text(f, in, "vector");
    case BUILTIN_T_UNRANKED_TENSOR: return bc_unranked(f, in);
    default: break;
    }
    bc_fail_as(f, code >= BUILTIN_TYPES ? WEFT_D_syntax : WEFT_D_unsupported, at,
               "a builtin type of the unknown or unsupported kind %llu", (unsigned long long)code);
    return NULL;
}
