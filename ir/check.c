/* check.c: checks shared by inference and verification, and their messages.
 *
 * Source: StableHLO docs/spec.md, the constraints (C1), (C2) ... of each op; Shardy docs/sdy_dialect.md.
 */
#include "ir/check.h"

/* ---- messages ---- */

const char *weft_name_text(const weft_op *op) {
    return op->name ? op->name->text : weft_op_table[op->kind].name;
}

static weft_status report(weft_checker *c, weft_diag_class cls, const weft_op *op, const char *fmt, va_list ap) {
    const char *between = cls == WEFT_D_sharding ? "' op " : "': ";
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    weft_buf_vprintf(&b, fmt, ap);
    weft_status st =
        b.failed ? weft_oom()
                 : weft_report(c->cx, cls, c->at ? c->at : op->loc, "'%s%s%s", weft_name_text(op), between, b.p);
    weft_buf_free(&b);
    return st;
}

weft_status weft_bad(weft_checker *c, const weft_op *op, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    weft_status st = report(c, WEFT_D_verify, op, fmt, ap);
    va_end(ap);
    return st;
}

weft_status weft_bad_sharding(weft_checker *c, const weft_op *op, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    weft_status st = report(c, WEFT_D_sharding, op, fmt, ap);
    va_end(ap);
    return st;
}

static const char *keep_text(weft_checker *c, weft_buf *b) {
    char *kept = b->failed || !b->p ? NULL : weft_arena_strdup(&c->cx->scratch, b->p, b->n);
    weft_buf_free(b);
    return kept ? kept : "?";
}

const char *weft_text_of(weft_checker *c, const weft_type *t) {
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    weft_type_print(&b, t);
    return keep_text(c, &b);
}

const char *weft_text_of_element(weft_checker *c, const weft_type *t) {
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    weft_element_print(&b, t);
    return keep_text(c, &b);
}

const char *weft_text_of_ints(weft_checker *c, weft_ints v) {
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    weft_buf_putc(&b, '[');
    for (uint32_t i = 0; i < v.n; i++) {
        if (i) weft_buf_puts(&b, ", ");
        if (v.v[i] == WEFT_DYNAMIC) weft_buf_putc(&b, '?');
        else weft_buf_i64(&b, v.v[i]);
    }
    weft_buf_putc(&b, ']');
    return keep_text(c, &b);
}

/* ---- symbols ---- */

weft_status weft_symbols_build(weft_checker *c, const weft_module *m) {
    const weft_op *twice;
    weft_status st = weft_symbol_table_open(m, &c->cx->scratch, &c->symbols, &twice);
    if (st != WEFT_OK || !twice) return st;
    weft_str name = weft_op_symbol(twice, WEFT_A_sym_name);
    st = weft_bad(c, twice, "symbol '@%.*s' is already defined", WEFT_STR_ARG(name));
    weft_note(c->cx, weft_symbol_table_find(&c->symbols, name)->loc, "it is defined here");
    return st;
}

/* The block that has the symbols, or NULL. */
static const weft_block *symbols_of(const weft_checker *c, const weft_op *at) {
    const weft_op *root = c->root ? c->root : at;
    for (const weft_op *up = weft_op_parent(root); up; up = weft_op_parent(root)) root = up;
    return root->region_count ? root->regions[0].first : NULL;
}

weft_nearest weft_nearest_symbol(const weft_checker *c, const weft_op *at, weft_op_kind kind, weft_str name) {
    const weft_block *symbols = symbols_of(c, at);
    weft_nearest near = weft_nearest_to(name);
    if (symbols)
        WEFT_EACH_OP(op, symbols)
            if (op->kind == kind) weft_nearest_offer(&near, weft_op_symbol(op, WEFT_A_sym_name));
    return near;
}

weft_op *weft_check_symbol(const weft_checker *c, const weft_op *at, weft_str name) {
    if (!name.p) return NULL;
    if (c->symbols.slots) return weft_symbol_table_find(&c->symbols, name);
    const weft_block *symbols = symbols_of(c, at);
    if (!symbols) return NULL;
    WEFT_EACH_OP(op, symbols)
        if (weft_op_kind_has(op->kind, WEFT_TRAIT_SYMBOL) && weft_str_equal(weft_op_symbol(op, WEFT_A_sym_name), name))
            return op;
    return NULL;
}

/* ---- types ---- */

/* No dimension of t is over its bound in the other type. */
static bool within_bounds(const weft_type *t, const weft_attr *bounds) {
    for (uint32_t i = 0; bounds && bounds->kind == WEFT_ATTR_BOUNDS && i < t->rank && i < bounds->ints.n; i++)
        if (bounds->ints.v[i] != WEFT_DYNAMIC && t->dims[i] != WEFT_DYNAMIC && t->dims[i] > bounds->ints.v[i])
            return false;
    return true;
}

bool weft_shapes_agree(const weft_type *a, const weft_type *b) {
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!weft_dims_agree(a->dims[i], b->dims[i])) return false;
    return within_bounds(a, b->encoding) && within_bounds(b, a->encoding);
}

bool weft_elements_agree(const weft_type *a, const weft_type *b) {
    return a->dtype == b->dtype && weft_quant_agree(a->quant, b->quant);
}

bool weft_types_agree(const weft_type *a, const weft_type *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    if (a->kind == WEFT_TYPE_TENSOR) return weft_elements_agree(a, b) && weft_shapes_agree(a, b);
    if (a->kind == WEFT_TYPE_OPAQUE) return true; /* types that are not modelled are not compared */
    if (a->kind == WEFT_TYPE_FOREIGN) return a->parts[0] == b->parts[0] && weft_shapes_agree(a, b);
    if ((a->kind != WEFT_TYPE_TUPLE && a->kind != WEFT_TYPE_FUTURE) || a->part_count != b->part_count) return false;
    for (uint32_t i = 0; i < a->part_count; i++)
        if (!weft_types_agree(a->parts[i], b->parts[i])) return false;
    return true;
}

/* The classes as words: "float or complex". */
static const char *classes_text(weft_checker *c, unsigned classes) {
    static const struct { unsigned classes; const char *text; } words[] = {
        { WEFT_IS_INTEGER, "integer" }, { WEFT_IS_INT, "signed integer" }, { WEFT_IS_UINT, "unsigned integer" },
        { WEFT_IS_BOOL, "i1" }, { WEFT_IS_FLOAT, "float" }, { WEFT_IS_COMPLEX, "complex" },
        { WEFT_IS_INDEX, "index" }, { WEFT_IS_QUANT | WEFT_IS_QUANT_AXIS, "quantised" }, { WEFT_IS_QUANT, "per-tensor quantised" }, { WEFT_IS_QUANT_AXIS, "per-axis quantised" },
    };
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    for (size_t i = 0; i < WEFT_COUNT(words); i++) {
        if ((classes & words[i].classes) != words[i].classes) continue;
        if (b.n) weft_buf_puts(&b, " or ");
        weft_buf_puts(&b, words[i].text);
        classes &= ~words[i].classes;
    }
    return keep_text(c, &b);
}

unsigned weft_class_of(const weft_type *t) {
    if (t->quant) return weft_quant_per_axis(t->quant) ? WEFT_IS_QUANT_AXIS : WEFT_IS_QUANT;
    return 1u << weft_dtype_table[t->dtype].kind;
}

static weft_status check_class(weft_checker *c, const weft_op *op, const char *what, uint32_t i, const weft_type *t,
                               unsigned classes) {
    if ((classes & WEFT_IS_INDEX) && weft_type_is_index_tensor(t)) return WEFT_OK;
    if (t->kind == WEFT_TYPE_FOREIGN)
        return weft_bad(c, op, "%s %u has type '%s', expected a tensor of %s elements", what, i, weft_text_of(c, t),
                        classes_text(c, classes));
    if (!weft_type_is_tensor(t))
        return weft_bad(c, op, "%s %u has type '%s', expected a tensor", what, i, weft_text_of(c, t));
    /* users without quantised types need not read of them */
    if (!t->quant && (classes & WEFT_IS_PLAIN)) classes &= WEFT_IS_PLAIN;
    if (!(classes & weft_class_of(t)))
        return weft_bad(c, op, "%s %u has type '%s', expected a tensor of %s elements", what, i, weft_text_of(c, t),
                        classes_text(c, classes));
    char why[160];
    if (t->quant && !weft_quant_valid(t->quant, t->rank, t->dims, why, sizeof why))
        return weft_bad(c, op, "%s %u has type '%s': %s", what, i, weft_text_of(c, t), why);
    return WEFT_OK;
}

weft_status weft_check_operand(weft_checker *c, const weft_op *op, uint32_t i, unsigned classes) {
    return check_class(c, op, "operand", i, op->operands[i]->type, classes);
}

weft_status weft_check_result(weft_checker *c, const weft_op *op, uint32_t i, unsigned classes) {
    return check_class(c, op, "result", i, op->results[i].type, classes);
}

weft_status weft_check_static_result(weft_checker *c, const weft_op *op, uint32_t i) {
    const weft_type *t = op->results[i].type;
    uint32_t dynamic = 0, bounded = 0;
    for (uint32_t d = 0; d < t->rank; d++) {
        dynamic += t->dims[d] == WEFT_DYNAMIC;
        bounded += t->dims[d] == WEFT_DYNAMIC && t->encoding && t->encoding->kind == WEFT_ATTR_BOUNDS &&
                   d < t->encoding->ints.n && t->encoding->ints.v[d] != WEFT_DYNAMIC;
    }
    if (!dynamic || (dynamic == 1 && bounded == 1)) return WEFT_OK;
    return weft_bad(c, op,
                    "result %u has type '%s', expected a static shape, or one dynamic dimension that has a bound", i,
                    weft_text_of(c, t));
}

weft_status weft_check_operands(weft_checker *c, const weft_op *op, unsigned classes) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) st = weft_check_operand(c, op, i, classes);
    return st;
}

static weft_status differ(weft_checker *c, const weft_op *op, const char *what, uint32_t i, uint32_t j) {
    return weft_bad(c, op, "operand %u has type '%s' and operand %u has type '%s', expected the same %s", j,
                    weft_text_of(c, op->operands[j]->type), i, weft_text_of(c, op->operands[i]->type), what);
}

weft_status weft_check_same_dtype(weft_checker *c, const weft_op *op, uint32_t i, uint32_t j) {
    if (weft_elements_agree(op->operands[i]->type, op->operands[j]->type)) return WEFT_OK;
    return differ(c, op, "element type", i, j);
}

weft_status weft_check_same_shape(weft_checker *c, const weft_op *op, uint32_t i, uint32_t j) {
    if (weft_shapes_agree(op->operands[i]->type, op->operands[j]->type)) return WEFT_OK;
    return differ(c, op, "shape", i, j);
}

weft_status weft_check_same_type(weft_checker *c, const weft_op *op, uint32_t i, uint32_t j) {
    if (weft_types_agree(op->operands[i]->type, op->operands[j]->type)) return WEFT_OK;
    return differ(c, op, "type", i, j);
}

weft_status weft_check_rank(weft_checker *c, const weft_op *op, uint32_t i, uint32_t rank) {
    const weft_type *t = op->operands[i]->type;
    if (t->rank == rank) return WEFT_OK;
    return weft_bad(c, op, "operand %u has type '%s' of rank %u, expected rank %u", i, weft_text_of(c, t), t->rank,
                    rank);
}

weft_status weft_set_type(weft_checker *c, const weft_type **slot, weft_dtype dtype, uint32_t rank,
                          const int64_t *dims) {
    *slot = weft_type_tensor(c->cx, dtype, rank, dims);
    return *slot ? WEFT_OK : weft_oom();
}

weft_status weft_set_like(weft_checker *c, const weft_type **slot, const weft_type *like, uint32_t rank,
                          const int64_t *dims) {
    if (!like->quant) return weft_set_type(c, slot, like->dtype, rank, dims);
    *slot = weft_type_quant_tensor(c->cx, like->quant, rank, dims, NULL);
    return *slot ? WEFT_OK : weft_oom();
}

/* ---- attributes ---- */

weft_status weft_check_count(weft_checker *c, const weft_op *op, weft_attr_name name, weft_ints v, uint32_t want) {
    if (v.n == want) return WEFT_OK;
    return weft_bad(c, op, "%s has %u entries, expected %u", weft_attr_names[name], v.n, want);
}

weft_status weft_check_dims(weft_checker *c, const weft_op *op, const char *what, weft_ints v, uint32_t rank) {
    weft_bits seen = 0;
    for (uint32_t i = 0; i < v.n; i++) {
        if (v.v[i] < 0 || v.v[i] >= rank || v.v[i] >= WEFT_MAX_RANK)
            return weft_bad(c, op, "%s %s has entry %lld, expected 0 to %d", what, weft_text_of_ints(c, v),
                            (long long)v.v[i], (int)rank - 1);
        if (weft_bits_has(seen, (unsigned)v.v[i]))
            return weft_bad(c, op, "%s %s names dimension %lld twice", what, weft_text_of_ints(c, v),
                            (long long)v.v[i]);
        seen |= weft_bit((unsigned)v.v[i]);
    }
    return WEFT_OK;
}

weft_status weft_check_sorted(weft_checker *c, const weft_op *op, const char *what, weft_ints v) {
    for (uint32_t i = 1; i < v.n; i++)
        if (v.v[i] < v.v[i - 1]) return weft_bad(c, op, "%s %s is not in rising order", what, weft_text_of_ints(c, v));
    return WEFT_OK;
}

weft_status weft_check_at_least(weft_checker *c, const weft_op *op, const char *what, weft_ints v, int64_t least) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] < least)
            return weft_bad(c, op, "%s %s has entry %lld, expected at least %lld", what, weft_text_of_ints(c, v),
                            (long long)v.v[i], (long long)least);
    return WEFT_OK;
}

weft_status weft_check_dim(weft_checker *c, const weft_op *op, weft_attr_name name, int64_t dim, uint32_t rank) {
    if (dim >= 0 && dim < rank) return WEFT_OK;
    if (!rank)
        return weft_bad(c, op, "%s is %lld, but the tensor has no dimensions", weft_attr_names[name], (long long)dim);
    return weft_bad(c, op, "%s is %lld, expected 0 to %u", weft_attr_names[name], (long long)dim, rank - 1);
}

weft_status weft_check_enum(weft_checker *c, const weft_op *op, weft_attr_name name, weft_enum_set set) {
    const weft_attr *a = weft_op_attr(op, name);
    if (!a || weft_attr_is_keyword(a, set)) return WEFT_OK;
    return weft_bad(c, op, "%s is not a %s of %s", weft_attr_names[name], weft_enum_sets[set].mnemonic,
                    weft_enum_sets[set].dialect);
}

/* ---- operands that are constants ---- */

bool weft_known_ints(weft_checker *c, const weft_op *op, uint32_t i, weft_ints *out) {
    const weft_op *def = op->operands[i]->def;
    const weft_attr *v =
        def && weft_op_kind_has(def->kind, WEFT_TRAIT_CONSTANT) ? weft_op_attr(def, WEFT_A_value) : NULL;
    if (!v || v->kind != WEFT_ATTR_DENSE || !weft_dtype_is_integer(v->type->dtype) || v->type->quant) return false;
    int64_t n = weft_type_elems(v->type);
    if (n < 0 || n > 2 * WEFT_MAX_RANK) return false; /* no shape, no padding */
    int64_t *values = weft_scratch_array(c->cx, int64_t, n);
    if (!values) return false;
    for (int64_t k = 0; k < n; k++) values[k] = weft_dense_int(v, k);
    *out = (weft_ints){ values, (uint32_t)n };
    return true;
}

/* ---- windows ---- */

/* An optional ints attribute of n entries at least `least`; absent and empty ones give v.n == 0. */
static weft_status window_ints(weft_checker *c, const weft_op *op, weft_attr_name name, uint32_t n, int64_t least,
                               weft_ints *v) {
    *v = (weft_ints){ NULL, 0 };
    if (name == WEFT_A_COUNT || !weft_op_attr(op, name)) return WEFT_OK;
    *v = weft_op_ints(op, name);
    if (!v->n) return WEFT_OK; /* MLIR's builders write array<i64> for absent ones */
    weft_status st = weft_check_count(c, op, name, *v, n);
    return st == WEFT_OK ? weft_check_at_least(c, op, weft_attr_names[name], *v, least) : st;
}

weft_status weft_check_window(weft_checker *c, const weft_op *op, weft_ints sizes, const weft_window_names *names,
                              weft_window *w) {
    weft_ints strides, base, dilations;
    weft_status st = weft_check_at_least(c, op, "window dimensions", sizes, 1);
    if (st == WEFT_OK) st = window_ints(c, op, names->strides, sizes.n, 1, &strides);
    if (st == WEFT_OK) st = window_ints(c, op, names->base_dilations, sizes.n, 1, &base);
    if (st == WEFT_OK) st = window_ints(c, op, names->dilations, sizes.n, 1, &dilations);
    if (st != WEFT_OK) return st;
    const weft_attr *pad = names->padding == WEFT_A_COUNT ? NULL : weft_op_attr(op, names->padding);
    if (pad && (pad->type->rank != 2 || pad->type->dims[0] != sizes.n || pad->type->dims[1] != 2))
        return weft_bad(c, op, "padding has type '%s', expected 'tensor<%ux2xi64>'", weft_text_of(c, pad->type),
                        sizes.n);
    for (uint32_t i = 0; i < sizes.n; i++)
        w[i] = (weft_window){ sizes.v[i], strides.n ? strides.v[i] : 1, base.n ? base.v[i] : 1,
                              dilations.n ? dilations.v[i] : 1, pad ? weft_dense_int(pad, 2 * (int64_t)i) : 0,
                              pad ? weft_dense_int(pad, 2 * (int64_t)i + 1) : 0 };
    return WEFT_OK;
}

int64_t weft_window_count(int64_t dim, const weft_window *w) {
    if (dim == WEFT_DYNAMIC) return WEFT_DYNAMIC;
    int64_t in = 0, window;
    if (dim && (!weft_mul_i64(dim - 1, w->base_dilation, &in) || !weft_add_i64(in, 1, &in))) return 0;
    if (!weft_add_i64(in, w->low, &in) || !weft_add_i64(in, w->high, &in)) return 0;
    if (!weft_mul_i64(w->size - 1, w->dilation, &window) || !weft_add_i64(window, 1, &window)) return 0;
    return in <= 0 || window > in ? 0 : (in - window) / w->stride + 1;
}

/* ---- regions ---- */

weft_status weft_check_body(weft_checker *c, const weft_op *op, uint32_t r, const weft_type *const *want, uint32_t n,
                            weft_op_kind end, const weft_op **yields) {
    const weft_block *b = op->regions[r].first;
    if (!b) return weft_bad(c, op, "region %u is empty", r);
    if (b->next) return weft_bad(c, op, "region %u has more than one block", r);
    if (b->arg_count != n) return weft_bad(c, op, "region %u has %u arguments, expected %u", r, b->arg_count, n);
    for (uint32_t i = 0; want && i < n; i++)
        if (!weft_types_agree(b->args[i]->type, want[i]))
            return weft_bad(c, op, "region %u argument %u has type '%s', expected '%s'", r, i,
                            weft_text_of(c, b->args[i]->type), weft_text_of(c, want[i]));
    if (!b->last || b->last->kind != end)
        return weft_bad(c, op, "region %u does not end with '%s'", r, weft_op_table[end].name);
    if (yields) *yields = b->last;
    return WEFT_OK;
}

weft_status weft_check_yields(weft_checker *c, const weft_op *op, const weft_op *yields, const weft_type *const *want,
                              uint32_t n) {
    uint32_t r = (uint32_t)(yields->parent->parent - op->regions);
    weft_status st = WEFT_OK;
    c->at = yields->loc;
    if (yields->operand_count != n)
        st = weft_bad(c, op, "region %u returns %u value%s, expected %u", r, yields->operand_count,
                      yields->operand_count == 1 ? "" : "s", n);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++)
        if (!weft_types_agree(yields->operands[i]->type, want[i]))
            st = weft_bad(c, op, "region %u returns value %u of type '%s', expected '%s'", r, i,
                          weft_text_of(c, yields->operands[i]->type), weft_text_of(c, want[i]));
    c->at = NULL;
    return st;
}

/* spec.md, is_promotable: the same class and no fewer bits. */
bool weft_promotes(const weft_type *from, const weft_type *to) {
    if (from->quant && to->quant && from->quant->expressed != to->quant->expressed) return false;
    return weft_class_of(from) == weft_class_of(to) &&
           weft_dtype_table[from->dtype].bits <= weft_dtype_table[to->dtype].bits;
}

weft_status weft_check_reducer(weft_checker *c, const weft_op *op, uint32_t r, weft_value *const *values, uint32_t n,
                               const weft_type **scalars) {
    const weft_op *yields;
    weft_status st = weft_check_body(c, op, r, NULL, 2 * n, WEFT_OP_return, &yields);
    if (st != WEFT_OK) return st;
    const weft_block *b = op->regions[r].first;
    if (yields->operand_count != n)
        return weft_bad(c, op, "region %u returns %u values, expected %u", r, yields->operand_count, n);
    for (uint32_t i = 0; i < n; i++) {
        const weft_type *t = b->args[i]->type;
        if (!weft_type_is_tensor(t) || t->rank || !weft_promotes(values[i]->type, t))
            return weft_bad(c, op, "region %u argument %u has type '%s', expected 'tensor<%s>'", r, i,
                            weft_text_of(c, t), weft_text_of_element(c, values[i]->type));
        if (!weft_types_agree(b->args[n + i]->type, t))
            return weft_bad(c, op, "region %u argument %u has type '%s', expected '%s'", r, n + i,
                            weft_text_of(c, b->args[n + i]->type), weft_text_of(c, t));
        if (!weft_types_agree(yields->operands[i]->type, t))
            return weft_bad(c, op, "region %u returns value %u of type '%s', expected '%s'", r, i,
                            weft_text_of(c, yields->operands[i]->type), weft_text_of(c, t));
        scalars[i] = t;
    }
    return WEFT_OK;
}
