/* sizes.c: see sizes.h. The program's own arithmetic on sizes is evaluated: scalar integers, and calls of functions. */
#include "pipeline/dryrun/sizes.h"

#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "pipeline/pipeline.h"

enum { MOST_DEPTH = 64, MOST_SIZE = 1 << 30 };

typedef struct size { weft_str name; const weft_value *value; int64_t n; bool given; } size;

typedef struct sizer {
    const weft_module *m;
    const weft_op *main;
    weft_arena *arena;
    int64_t **dims;              /* by argument of @main; WEFT_DYNAMIC: not known */
    size *sizes;
    uint32_t count;
} sizer;

/* ---- evaluation ---- */

/* A function's call that is being evaluated. */
typedef struct frame {
    const sizer *x;
    const weft_block *body;
    const int64_t *arguments;
    const bool *known;
    int depth;
} frame;

static bool evaluate(const frame *f, const weft_value *v, int64_t *out);

static bool is_number(const weft_type *t) {
    return weft_type_is_tensor(t) && (t->dtype == WEFT_I1 || weft_dtype_is_integer(t->dtype)) &&
           weft_type_is_static(t) && weft_type_elems(t) == 1;
}

static bool evaluate_call(const frame *f, const weft_op *op, uint32_t result, int64_t *out) {
    const weft_op *func = weft_module_symbol(f->x->m, weft_op_symbol(op, WEFT_A_callee));
    int64_t arguments[8];
    bool known[8];
    if (!func || func->kind != WEFT_OP_func || op->operand_count > 8 || f->depth == MOST_DEPTH) return false;
    const weft_block *body = weft_op_body(func, 0);
    if (!body || body->arg_count != op->operand_count) return false;
    for (uint32_t i = 0; i < op->operand_count; i++) known[i] = evaluate(f, op->operands[i], &arguments[i]);
    const frame inner = { f->x, body, arguments, known, f->depth + 1 };
    return result < body->last->operand_count && evaluate(&inner, body->last->operands[result], out);
}

static bool compare(const weft_op *op, int64_t a, int64_t b, int64_t *out) {
    const weft_attr *direction = weft_op_attr(op, WEFT_A_comparison_direction);
    if (!direction || direction->kind != WEFT_ATTR_ENUM) return false;
    switch (direction->e) {
    case WEFT_comparison_direction_EQ: *out = a == b; return true;
    case WEFT_comparison_direction_NE: *out = a != b; return true;
    case WEFT_comparison_direction_GE: *out = a >= b; return true;
    case WEFT_comparison_direction_GT: *out = a > b; return true;
    case WEFT_comparison_direction_LE: *out = a <= b; return true;
    case WEFT_comparison_direction_LT: *out = a < b; return true;
    default: return false;
    }
}

static bool evaluate_two(const weft_op *op, int64_t a, int64_t b, int64_t *out) {
    switch (op->kind) {
    case WEFT_OP_add: return !__builtin_add_overflow(a, b, out);
    case WEFT_OP_subtract: return !__builtin_sub_overflow(a, b, out);
    case WEFT_OP_multiply: return !__builtin_mul_overflow(a, b, out);
    case WEFT_OP_divide: return b && !(a == INT64_MIN && b == -1) && (*out = a / b, true);
    case WEFT_OP_remainder: return b && b != -1 ? (*out = a % b, true) : b == -1 && (*out = 0, true);
    case WEFT_OP_maximum: *out = a > b ? a : b; return true;
    case WEFT_OP_minimum: *out = a < b ? a : b; return true;
    case WEFT_OP_and: *out = a & b; return true;
    case WEFT_OP_or: *out = a | b; return true;
    case WEFT_OP_compare: return compare(op, a, b, out);
    default: return false;
    }
}

static bool evaluate_op(const frame *f, const weft_op *op, uint32_t result, int64_t *out) {
    int64_t v[3];
    const weft_attr *value;
    switch (op->kind) {
    case WEFT_OP_constant:
        value = weft_op_attr(op, WEFT_A_value);
        if (!value || value->kind != WEFT_ATTR_DENSE || !is_number(value->type)) return false;
        *out = weft_dense_int(value, 0);
        return true;
    case WEFT_OP_get_dimension_size:
        for (uint32_t i = 0; f->body == weft_op_body(f->x->main, 0) && i < f->body->arg_count; i++) {
            const int64_t d = weft_op_int(op, WEFT_A_dimension, -1);
            if (f->body->args[i] != op->operands[0] || d < 0 || d >= op->operands[0]->type->rank) continue;
            *out = f->x->dims[i][d];
            return *out != WEFT_DYNAMIC;
        }
        return false;
    case WEFT_OP_func_call: return evaluate_call(f, op, result, out);
    case WEFT_OP_convert:
    case WEFT_OP_reshape: return evaluate(f, op->operands[0], out);
    case WEFT_OP_negate: return evaluate(f, op->operands[0], v) && !__builtin_sub_overflow(0, v[0], out);
    case WEFT_OP_sign:
        if (!evaluate(f, op->operands[0], v)) return false;
        *out = (v[0] > 0) - (v[0] < 0);
        return true;
    case WEFT_OP_not:
        if (!evaluate(f, op->operands[0], v) || op->operands[0]->type->dtype != WEFT_I1) return false;
        *out = !v[0];
        return true;
    case WEFT_OP_select:
        return evaluate(f, op->operands[0], v) && evaluate(f, op->operands[v[0] ? 1 : 2], out);
    default:
        return op->operand_count == 2 && evaluate(f, op->operands[0], &v[0]) && evaluate(f, op->operands[1], &v[1]) &&
               evaluate_two(op, v[0], v[1], out);
    }
}

/* Of an integer with one element. */
static bool evaluate(const frame *f, const weft_value *v, int64_t *out) {
    if (!is_number(v->type) || f->depth == MOST_DEPTH) return false;
    const frame inner = { f->x, f->body, f->arguments, f->known, f->depth + 1 };
    if (v->def) return evaluate_op(&inner, v->def, v->index, out);
    for (uint32_t i = 0; f->arguments && i < f->body->arg_count; i++)
        if (f->body->args[i] == v) return f->known[i] && (*out = f->arguments[i], true);
    return false;
}

static frame main_frame(const sizer *x) { return (frame){ x, weft_op_body(x->main, 0), NULL, NULL, 0 }; }

/* ---- from sizes to dimensions ---- */

/* The dimension of an argument of @main that v reads: an entry of x->dims. NULL: v is no such reading. */
static int64_t *dimension_of(const sizer *x, const weft_value *v) {
    const weft_op *op = v->def;
    const weft_block *body = weft_op_body(x->main, 0);
    while (op && (op->kind == WEFT_OP_convert || op->kind == WEFT_OP_reshape)) op = op->operands[0]->def;
    if (!op || op->kind != WEFT_OP_get_dimension_size) return NULL;
    const int64_t d = weft_op_int(op, WEFT_A_dimension, -1);
    for (uint32_t i = 0; i < body->arg_count; i++)
        if (body->args[i] == op->operands[0] && d >= 0 && d < op->operands[0]->type->rank) return &x->dims[i][d];
    return NULL;
}

/* The first dimension that is not known and that v is computed from. */
static int64_t *unknown_in(const sizer *x, const weft_value *v, int depth) {
    int64_t *d = dimension_of(x, v);
    if (d) return *d == WEFT_DYNAMIC ? d : NULL;
    for (uint32_t i = 0; v->def && depth < MOST_DEPTH && i < v->def->operand_count; i++)
        if ((d = unknown_in(x, v->def->operands[i], depth + 1))) return d;
    return NULL;
}

/* Sets the dimension to the least with which v becomes n: sizes grow with the dimensions that they come from. */
static bool solve(const sizer *x, const weft_value *v, int64_t n, int64_t *dim) {
    const frame f = main_frame(x);
    int64_t low = 1, high = MOST_SIZE, is;
    while (low < high) {
        *dim = low + (high - low) / 2;
        if (!evaluate(&f, v, &is)) break;
        if (is >= n) high = *dim;
        else low = *dim + 1;
    }
    *dim = low;
    if (evaluate(&f, v, &is) && is == n) return true;
    *dim = WEFT_DYNAMIC;
    return false;
}

/* What is asserted of dimensions: a comparison for equality with one that is not known on a side. Whether it told
 * any. */
static bool use_assertions(const sizer *x) {
    const frame f = main_frame(x);
    bool told = false;
    WEFT_EACH_OP(op, weft_op_body(x->main, 0)) {
        const weft_attr *direction = op->kind == WEFT_OP_compare ? weft_op_attr(op, WEFT_A_comparison_direction) : NULL;
        if (!direction || direction->kind != WEFT_ATTR_ENUM || direction->e != WEFT_comparison_direction_EQ) continue;
        for (uint32_t k = 0; k < 2; k++) {
            int64_t *d = dimension_of(x, op->operands[k]), is;
            if (!d || *d != WEFT_DYNAMIC || !evaluate(&f, op->operands[1 - k], &is) || is < 0) continue;
            *d = is;
            told = true;
        }
    }
    return told;
}

/* ---- names ---- */

/* The named sizes: arguments of the function that @main calls. */
static weft_status find_names(sizer *x) {
    WEFT_EACH_OP(op, weft_op_body(x->main, 0)) {
        const bool calls = op->kind == WEFT_OP_func_call;
        const weft_op *func = calls ? weft_module_symbol(x->m, weft_op_symbol(op, WEFT_A_callee)) : NULL;
        const weft_attr *list = func ? weft_op_attr(func, WEFT_A_arg_attrs) : NULL;
        if (!list || list->kind != WEFT_ATTR_ARRAY) continue;
        for (uint32_t i = 0; i < op->operand_count && i < list->items.n; i++) {
            const weft_attr *name = weft_dict_get_named(list->items.v[i], "jax.global_constant");
            bool known = !name || name->kind != WEFT_ATTR_STRING || !name->s.n;
            for (uint32_t k = 0; k < x->count && !known; k++) known = weft_str_equal(x->sizes[k].name, name->s);
            if (known) continue;
            size *more = weft_arena_array(x->arena, size, x->count + 1u);
            if (!more) return weft_oom();
            if (x->count) memcpy(more, x->sizes, x->count * sizeof *more);
            x->sizes = more;
            x->sizes[x->count++] = (size){ .name = name->s, .value = op->operands[i] };
        }
    }
    return WEFT_OK;
}

/* From 1 to MOST_SIZE. */
static bool read_number(weft_str s, int64_t *out) {
    *out = 0;
    for (size_t i = 0; i < s.n && *out <= MOST_SIZE; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') return false;
        *out = 10 * *out + (s.p[i] - '0');
    }
    return *out >= 1 && *out <= MOST_SIZE;
}

static weft_status give(sizer *x, weft_str text) {
    weft_context *cx = x->m->cx;
    size_t n = 0;
    while (n < text.n && text.p[n] != '=') n++;
    const weft_str name = { text.p, n };
    int64_t value;
    if (n == text.n || !read_number((weft_str){ text.p + n + 1, text.n - n - 1 }, &value))
        return weft_report(cx, WEFT_D_usage, NULL, "a size is set by NAME=NUMBER, not by '%.*s'", WEFT_STR_ARG(text));
    weft_nearest near = weft_nearest_to(name);
    for (uint32_t i = 0; i < x->count; i++) {
        if (weft_str_equal(x->sizes[i].name, name)) {
            x->sizes[i].n = value;
            x->sizes[i].given = true;
            return WEFT_OK;
        }
        weft_nearest_offer(&near, x->sizes[i].name);
    }
    return weft_report(cx, WEFT_D_usage, NULL, "the program has no open size '%.*s'" WEFT_NEAREST, WEFT_STR_ARG(name),
                       WEFT_NEAREST_ARG(near));
}

static weft_status give_all(sizer *x, const char *const *texts, size_t n) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < n && st == WEFT_OK; i++)
        for (const char *p = texts[i]; *p && st == WEFT_OK;) {
            const size_t length = strcspn(p, ",");
            st = give(x, (weft_str){ p, length });
            p += length + (p[length] == ',');
        }
    for (uint32_t i = 0; i < x->count && st == WEFT_OK; i++)
        if (!x->sizes[i].given)
            st = weft_report(x->m->cx, WEFT_D_usage, NULL, "the program leaves the size '%.*s' open too: set it",
                             WEFT_STR_ARG(x->sizes[i].name));
    return st;
}

/* ---- the whole ---- */

static weft_status open_dims(sizer *x) {
    const weft_block *body = weft_op_body(x->main, 0);
    x->dims = weft_arena_array(x->arena, int64_t *, body->arg_count);
    if (!x->dims) return weft_oom();
    for (uint32_t i = 0; i < body->arg_count; i++) {
        const weft_type *t = body->args[i]->type;
        const uint32_t rank = weft_type_is_tensor(t) ? t->rank : 0;
        x->dims[i] = weft_arena_array(x->arena, int64_t, rank + 1u);
        if (!x->dims[i]) return weft_oom();
        for (uint32_t d = 0; d < rank; d++) x->dims[i][d] = t->dims[d];
    }
    return WEFT_OK;
}

static weft_status find_dims(const sizer *x) {
    for (uint32_t i = 0; i < x->count; i++) {
        const size *s = &x->sizes[i];
        int64_t *d = unknown_in(x, s->value, 0), is;
        const frame f = main_frame(x);
        if (!d && evaluate(&f, s->value, &is) && is == s->n) continue;
        if (!d || !solve(x, s->value, s->n, d))
            return weft_report(x->m->cx, WEFT_D_usage, x->main->loc,
                               "no shapes of the arguments give '%.*s' the size %lld",
                               WEFT_STR_ARG(s->name), (long long)s->n);
    }
    while (use_assertions(x)) {}
    return WEFT_OK;
}

/* The types of all arguments. */
static weft_status print_types(const sizer *x, weft_buf *b) {
    const weft_block *body = weft_op_body(x->main, 0);
    for (uint32_t i = 0; i < body->arg_count; i++) {
        const weft_type *t = body->args[i]->type;
        for (uint32_t d = 0; weft_type_is_tensor(t) && d < t->rank; d++)
            if (x->dims[i][d] == WEFT_DYNAMIC)
                return weft_report(x->m->cx, WEFT_D_usage, weft_value_loc(body->args[i]),
                                   "no named size says how long dimension %u of argument %u is", d, i);
        if (weft_type_is_tensor(t)) t = weft_type_with_dims(x->m->cx, t, t->rank, x->dims[i]);
        if (!t) return weft_oom();
        if (i) weft_buf_putc(b, ',');
        weft_type_print(b, t);
    }
    return b->failed ? weft_oom() : WEFT_OK;
}

weft_status weft_module_set_sizes(weft_module **m, const char *const *texts, size_t n) {
    weft_context *cx = (*m)->cx;
    weft_arena arena;
    weft_buf b;
    weft_arena_init(&arena, &cx->alloc);
    weft_buf_init(&b, &cx->alloc);
    sizer x = { .m = *m, .main = weft_module_main(*m), .arena = &arena };
    weft_status st = weft_module_check_main(*m);
    if (st == WEFT_OK) st = open_dims(&x);
    if (st == WEFT_OK) st = find_names(&x);
    if (st == WEFT_OK && !x.count)
        st = weft_report(cx, WEFT_D_usage, NULL, "the program names no open sizes, as those of jax.export do");
    if (st == WEFT_OK) st = give_all(&x, texts, n);
    if (st == WEFT_OK) st = find_dims(&x);
    if (st == WEFT_OK) st = print_types(&x, &b);
    const weft_pass_option option = { WEFT_STR("types"), { b.p, b.n } };
    const weft_pipeline_call call = { .spec = WEFT_STR("stablehlo-refine-arguments"), .options = &option,
                                      .option_count = 1 };
    if (st == WEFT_OK) st = weft_pipeline_call_run(cx, &call, m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-prepare"), 0, m);
    weft_buf_free(&b);
    weft_arena_free(&arena);
    return st;
}
