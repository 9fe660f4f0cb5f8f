/* custom_foreign.c: a custom call of a function that the process has under the call's target: a step in C.
 *
 * The call is of XLA's typed foreign function interface (API_VERSION_TYPED_FFI): its attributes are scalars, arrays,
 * texts and dictionaries of these. exec/kernels/ffi.h has the form in which the process gets them.
 */
#include "base/context.h"
#include "codegen/custom_call.h"
#include "exec/kernels/ffi.h"
#include "ir/signature.h"

typedef struct writer { cg_custom *c; weft_buf out; } writer;

static void put(writer *w, int64_t v) { weft_buf_put(&w->out, (const char *)&v, sizeof v); }

/* After so many bytes: up to a whole word. */
static void pad(writer *w, size_t bytes) {
    static const char zeros[sizeof(int64_t)] = { 0 };
    weft_buf_put(&w->out, zeros, (sizeof zeros - bytes % sizeof zeros) % sizeof zeros);
}

static void put_text(writer *w, const void *p, size_t n) {
    put(w, (int64_t)n);
    weft_buf_put(&w->out, p, n);
    pad(w, n);
}

/* What stands before so many elements, which follow as a text. */
static void begin_elements(writer *w, weft_ffi_kind kind, weft_dtype t, int64_t n) {
    put(w, kind);
    put(w, t);
    put(w, n);
}

static void put_scalar(writer *w, weft_dtype t, int64_t i, double f) {
    uint8_t at[16] = { 0 };
    if (weft_dtype_is_float(t)) weft_dtype_store(t, at, f);
    else memcpy(at, &i, weft_dtype_bytes(t));
    begin_elements(w, WEFT_FFI_SCALAR, t, 1);
    put_text(w, at, weft_dtype_bytes(t));
}

/* Of n elements, each `step` bytes after the one before. */
static void put_array(writer *w, weft_dtype t, int64_t n, const void *p, size_t step) {
    const size_t item = weft_dtype_bytes(t), bytes = (size_t)n * item;
    begin_elements(w, WEFT_FFI_ARRAY, t, n);
    put(w, (int64_t)bytes);
    for (int64_t i = 0; i < n; i++) weft_buf_put(&w->out, (const char *)p + (size_t)i * step, item);
    pad(w, bytes);
}

static weft_status put_dictionary(writer *w, const weft_attr *dict);

static weft_status put_value(writer *w, const weft_named_attr *e) {
    const weft_attr *a = e->value;
    switch (a->kind) {
    case WEFT_ATTR_BOOL: put_scalar(w, WEFT_I1, a->i != 0, 0); return WEFT_OK;
    case WEFT_ATTR_INT:
    case WEFT_ATTR_FLOAT:
        if (a->type->kind != WEFT_TYPE_SCALAR) break;
        put_scalar(w, a->type->dtype, a->i, a->f);
        return WEFT_OK;
    case WEFT_ATTR_STRING:
        put(w, WEFT_FFI_TEXT);
        put_text(w, a->s.p, a->s.n);
        return WEFT_OK;
    case WEFT_ATTR_DICT: put(w, WEFT_FFI_DICTIONARY); return put_dictionary(w, a);
    case WEFT_ATTR_DENSE_ARRAY: /* the elements are i64s, of any integers */
        put_array(w, a->dtype, a->ints.n, a->ints.v, sizeof *a->ints.v);
        return WEFT_OK;
    case WEFT_ATTR_DENSE:
        put_array(w, a->type->dtype, weft_type_elems(a->type), a->dense.p,
                  a->dense.splat ? 0 : weft_dtype_bytes(a->type->dtype));
        return WEFT_OK;
    default: break;
    }
    return weft_report(w->c->im->g->cx, WEFT_D_unsupported, w->c->op->loc,
                       "attribute '%s' of '%s' is no scalar, array, text or dictionary: functions take no others",
                       e->name->text, w->c->target->name);
}

static weft_status put_dictionary(writer *w, const weft_attr *dict) {
    weft_status st = WEFT_OK;
    put(w, dict ? dict->entries.n : 0);
    for (uint32_t i = 0; dict && st == WEFT_OK && i < dict->entries.n; i++) {
        const char *name = dict->entries.v[i].name->text;
        put_text(w, name, strlen(name));
        st = put_value(w, &dict->entries.v[i]);
    }
    return st;
}

/* --- tokens and memory --- */

/* Which operands and results, counted on, were tokens before legalize/flatten.c. */
static bool was_token(const weft_op *op, uint32_t i) {
    const weft_attr *tokens = weft_op_attr_named(op, "weft.tokens");
    for (uint32_t k = 0; tokens && tokens->kind == WEFT_ATTR_DENSE_ARRAY && k < tokens->ints.n; k++)
        if (tokens->ints.v[k] == i) return true;
    return false;
}

/* The operand whose memory result r is to have; -1: none. */
static int64_t alias_of(const weft_op *op, uint32_t r) {
    const weft_attr *all = weft_op_attr(op, WEFT_A_output_operand_aliases);
    for (uint32_t i = 0; all && i < all->items.n; i++) {
        const weft_alias *a = &all->items.v[i]->alias;
        const int64_t of = a->output_indices.n ? a->output_indices.v[0] : 0;
        if (of == r && a->output_indices.n < 2 && !a->operand_indices.n && a->operand < op->operand_count)
            return a->operand;
    }
    return -1;
}

static bool reads_once(const weft_op *op, uint32_t i) {
    for (uint32_t k = 0; k < op->operand_count; k++)
        if (k != i && op->operands[k] == op->operands[i]) return false;
    return true;
}

static void put_type(writer *w, uint32_t i, const weft_type *t) {
    put(w, was_token(w->c->op, i) ? WEFT_DTYPE_NONE : t->dtype);
    put(w, t->rank);
    for (uint32_t d = 0; d < t->rank; d++) put(w, t->dims[d]);
}

static weft_status write(writer *w) {
    const weft_op *op = w->c->op;
    put(w, 0); /* the number of words, below */
    put_text(w, w->c->target->name, strlen(w->c->target->name));
    put(w, op->operand_count);
    put(w, op->result_count);
    for (uint32_t i = 0; i < op->operand_count; i++) put_type(w, i, op->operands[i]->type);
    for (uint32_t r = 0; r < op->result_count; r++) {
        put_type(w, op->operand_count + r, op->results[r].type);
        put(w, alias_of(op, r));
    }
    return put_dictionary(w, weft_custom_call_configs(op));
}

weft_status cg_custom_foreign(cg_custom *c) {
    cg_graph *g = c->im->g;
    const weft_op *op = c->op;
    writer w = { .c = c };
    weft_bits in_place = 0;
    weft_buf_init(&w.out, &g->cx->alloc);
    weft_status st = write(&w);
    if (st == WEFT_OK && w.out.failed) st = weft_oom();
    int64_t *state = st == WEFT_OK ? weft_arena_array(&g->arena, int64_t, w.out.n / sizeof(int64_t)) : NULL;
    if (st == WEFT_OK && !state) st = weft_oom();
    if (state) {
        memcpy(state, w.out.p, w.out.n);
        state[0] = (int64_t)(w.out.n / sizeof(int64_t));
    }
    for (uint32_t r = 0; r < op->result_count && r < 64; r++)
        if (alias_of(op, r) == r && reads_once(op, r)) in_place |= weft_bit(r);
    const cg_call_spec spec = { .kernel = &weft_kernel_ffi, .state = state, .state_bytes = w.out.n,
                                .in_place = in_place,
                                .flags = weft_op_attr_named(op, "weft.tokens") ? CG_CALL_EFFECTS : 0 };
    if (st == WEFT_OK) st = cg_custom_call(c, &spec);
    weft_buf_free(&w.out);
    return st;
}
