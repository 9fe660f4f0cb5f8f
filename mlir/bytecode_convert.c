/* bytecode_convert.c: the attributes of an op of VHLO become those of the op in StableHLO.
 *
 * VHLO writes every attribute out, defaults too, in fewer kinds: lists are tensors, names of functions are strings,
 * and the fields of StableHLO's own attributes are attributes each. What is left out where it is the default is what
 * StableHLO's own deserialiser leaves out, so both read the same text.
 *
 * Authority: StableHLO, transforms/VhloLegalizeToStablehlo.cpp.
 */
#include "mlir/bytecode.h"

typedef struct conversion {
    bc_reader *f;
    const uint8_t *at;
    weft_op_kind kind;
    weft_named_attr *attrs;  /* the op's, as VHLO has them */
    size_t n;
} conversion;

static const weft_attr *given(const conversion *c, const char *name) {
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->attrs[i].name->text, name)) return c->attrs[i].value;
    return NULL;
}

static bool is_list(const weft_attr *a) {
    return a && a->kind == WEFT_ATTR_DENSE && a->type->kind == WEFT_TYPE_TENSOR && a->type->rank == 1 &&
           (a->type->dtype == WEFT_I64 || a->type->dtype == WEFT_I1);
}

/* A tensor of one dimension as a list in the reader's arena. */
static bool list(const conversion *c, const char *name, const weft_attr *a, weft_ints *out) {
    if (!is_list(a)) return bc_fail(c->f, c->at, "'%s' of '%s' is no list", name, weft_op_info_of(c->kind)->name);
    const int64_t n = weft_type_elems(a->type);
    if (n < 0 || n > UINT32_MAX) return bc_fail(c->f, c->at, "'%s' is too long", name);
    if (!bc_spend(c->f, c->at, (uint64_t)n)) return false;
    int64_t *v = weft_arena_array(&c->f->r.arena, int64_t, n);
    if (!v) return bc_oom(c->f);
    for (int64_t i = 0; i < n; i++) v[i] = weft_dense_int(a, i);
    *out = (weft_ints){ v, (uint32_t)n };
    return true;
}

/* A field of an attribute of StableHLO's. */
static bool take(const conversion *c, const bc_field *x, void *to) {
    const weft_attr *a = given(c, x->name);
    switch (x->kind) {
    case BC_LIST_SINCE:
        if (!a) return true;
        return list(c, x->name, a, to);
    case BC_LIST: return list(c, x->name, a, to);
    case BC_NUMBER:
        if (!a || a->kind != WEFT_ATTR_INT) break;
        *(int64_t *)to = a->i;
        return true;
    case BC_FLAG:
        if (!a || a->kind != WEFT_ATTR_BOOL) break;
        *(bool *)to = a->i;
        return true;
    case BC_FIELD_TYPE:
        if (!a || a->kind != WEFT_ATTR_TYPE) break;
        *(const weft_type **)to = a->type;
        return true;
    }
    return bc_fail(c->f, c->at, "'%s' of '%s' is missing or of another kind", x->name, weft_op_info_of(c->kind)->name);
}

/* The first n fields. */
static bool take_some(const conversion *c, size_t n, weft_attr *a) {
    const bc_record *record = bc_record_of(a->kind);
    for (size_t i = 0; i < n; i++)
        if (!take(c, &record->fields[i], (char *)a + record->fields[i].at)) return false;
    return true;
}

/* Pushes an attribute of the op. */
static bool put(const conversion *c, weft_attr_name name, const weft_attr *value) {
    return (value || bc_oom(c->f)) && rd_put(&c->f->r, name, value);
}

/* Pushes an attribute of that kind. */
static bool whole(const conversion *c, weft_attr_kind kind, weft_attr_name name) {
    weft_attr a = { .kind = kind };
    return take_some(c, bc_record_of(kind)->count, &a) && put(c, name, weft_attr_copy(c->f->r.cx, &a));
}

static bool is_none(const weft_attr *a) { return a && a->kind == WEFT_ATTR_TYPE && a->type->kind == WEFT_TYPE_NONE; }

/* An op of version 1 has no algorithm; one of version 2 without has none as each part of it. */
static bool algorithm(const conversion *c) {
    const weft_attr *first = given(c, "lhs_component_count");
    return !first || is_none(first) || whole(c, WEFT_ATTR_ALGORITHM, WEFT_A_algorithm);
}

/* Collectives have the number of a channel only, and 0 for none. */
static bool channel(const conversion *c) {
    weft_attr a = { .kind = WEFT_ATTR_CHANNEL };
    const bool transfer = c->kind == WEFT_OP_send || c->kind == WEFT_OP_recv;
    if (!take_some(c, transfer ? 2 : 1, &a)) return false;
    return (!transfer && !a.channel.handle) || put(c, WEFT_A_channel_handle, weft_attr_copy(c->f->r.cx, &a));
}

/* The attributes that are several of VHLO's. */
static bool composed(const conversion *c) {
    switch (c->kind) {
    case WEFT_OP_convolution:
    case WEFT_OP_dynamic_conv: return whole(c, WEFT_ATTR_CONV, WEFT_A_dimension_numbers);
    case WEFT_OP_dot_general:
        return whole(c, WEFT_ATTR_DOT, WEFT_A_dot_dimension_numbers) && algorithm(c);
    case WEFT_OP_gather:
    case WEFT_OP_dynamic_gather: return whole(c, WEFT_ATTR_GATHER, WEFT_A_dimension_numbers);
    case WEFT_OP_scatter: return whole(c, WEFT_ATTR_SCATTER, WEFT_A_scatter_dimension_numbers);
    default: return !weft_op_kind_has_attr(c->kind, WEFT_A_channel_handle) || !given(c, "channel_id") || channel(c);
    }
}

/* Layouts of operands and of results are given together. */
static bool no_layouts(const conversion *c) {
    const weft_attr *in = given(c, "operand_layouts"), *out = given(c, "result_layouts");
    return (!in || bc_is_default(BC_EMPTY_ARRAY, in)) && (!out || bc_is_default(BC_EMPTY_ARRAY, out));
}

static bool is_required(const conversion *c, uint32_t name) {
    for (const weft_attr_spec *s = weft_op_info_of(c->kind)->attrs; s->presence != WEFT_END_OF_ATTRS; s++)
        if (s->name == name) return s->presence == WEFT_REQUIRED;
    return false;
}

/* Whether StableHLO's text leaves it out. */
static bool is_default(const conversion *c, uint32_t name, const weft_attr *a) {
    if (is_required(c, name)) return false;
    if (name == WEFT_A_operand_layouts || name == WEFT_A_result_layouts) return no_layouts(c);
    return bc_is_default(bc_default_of(name), a);
}

static const weft_attr *symbol_of(const conversion *c, const weft_attr *a) {
    const weft_name name = rd_intern(&c->f->r, a->s);
    return name ? bc_made(c->f, weft_attr_symbol(c->f->r.cx, name)) : NULL;
}

/* The strings of an array as symbols. */
static const weft_attr *symbols_of(const conversion *c, const weft_attr *a) {
    weft_reader *r = &c->f->r;
    const size_t height = r->items.n;
    for (uint32_t i = 0; i < a->items.n; i++) {
        if (a->items.v[i]->kind != WEFT_ATTR_STRING)
            return bc_fail(c->f, c->at, "a called computation that is no name"), NULL;
        const weft_attr *s = symbol_of(c, a->items.v[i]);
        if (!s || !RD_PUSH(r, items, s)) return NULL;
    }
    const weft_attr *made = weft_attr_array(r->cx, r->items.v + height, a->items.n);
    r->items.n = height;
    return bc_made(c->f, made);
}

/* In StableHLO's kind. Others pass, for the verifier. */
static const weft_attr *converted(const conversion *c, uint32_t name, const weft_attr *a) {
    weft_ints v;
    switch (weft_attr_specs[name]) {
    case WEFT_SPEC_ints:
    case WEFT_SPEC_bools:
        if (!is_list(a)) return a;
        if (!list(c, weft_attr_names[name], a, &v)) return NULL;
        return bc_made(c->f, weft_attr_ints(c->f->r.cx, a->type->dtype, v.v, v.n));
    case WEFT_SPEC_symbol: return a->kind == WEFT_ATTR_STRING ? symbol_of(c, a) : a;
    case WEFT_SPEC_unit: return a->kind == WEFT_ATTR_BOOL && a->i ? bc_made(c->f, weft_attr_unit(c->f->r.cx)) : a;
    default: return name == WEFT_A_called_computations && a->kind == WEFT_ATTR_ARRAY ? symbols_of(c, a) : a;
    }
}

static bool is_property(const bc_op_name *n, weft_name name) {
    for (uint32_t i = 0; i < n->property_count; i++)
        if (n->properties[i].name == name) return true;
    return false;
}

/* A property that StableHLO's op lacks is a field of what composed() makes, or was given up with a later version. */
static bool one(const conversion *c, const bc_op_name *n, const weft_named_attr *x) {
    const uint32_t name = x->name->id;
    if (!is_property(n, x->name) || c->kind == WEFT_OP_other) return RD_PUSH(&c->f->r, attrs, *x);
    if (name >= WEFT_A_COUNT || !weft_op_kind_has_attr(c->kind, name) || is_default(c, name, x->value)) return true;
    const weft_attr *value = converted(c, name, x->value);
    return value && RD_PUSH(&c->f->r, attrs, (weft_named_attr){ x->name, value });
}

bool bc_convert(bc_reader *f, const uint8_t *at, const bc_op_name *n, const rd_op *o) {
    weft_reader *r = &f->r;
    conversion c = { .f = f, .at = at, .kind = (weft_op_kind)n->kind, .n = r->attrs.n - o->attrs };
    if (!c.n) return true;
    c.attrs = weft_arena_dup(&r->arena, r->attrs.v + o->attrs, c.n * sizeof *c.attrs, _Alignof(weft_named_attr));
    if (!c.attrs) return bc_oom(f);
    r->attrs.n = o->attrs;
    if (!composed(&c)) return false;
    for (size_t i = 0; i < c.n; i++)
        if (!one(&c, n, &c.attrs[i])) return false;
    return true;
}
