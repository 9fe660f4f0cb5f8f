/* sizes.c: see sizes.h. The program's own arithmetic on sizes is evaluated, op by op, with calls of functions. */
#include "pipeline/dryrun/sizes.h"

#include <string.h>
#include "base/nearest.h"
#include "legalize/shape_fold.h"
#include "pipeline/pipeline.h"

enum { MOST_DEPTH = 64, MOST_OPS = 1 << 16, MOST_SIZE = 1 << 30 };

typedef struct size { weft_str name; const weft_value *value; int64_t n; bool given; } size;

typedef struct sizer {
    const weft_module *m;
    const weft_op *main;
    weft_arena *arena;
    int64_t **dims;              /* by argument of @main; WEFT_DYNAMIC: not known */
    size *sizes;
    size_t count, cap;
    uint32_t *wanted, round;     /* by value id: the last round in which it was */
    lg_known *known;             /* by value id, in `values`: of the last evaluation */
    weft_arena *values;
    uint32_t ops;                /* the rest of MOST_OPS, which one may fold; 0: it was given up */
} sizer;

/* ---- evaluation ---- */

/* v, of @main, and all that it is computed from are wanted. */
static void want(sizer *x, const weft_value *v) {
    x->wanted[v->id] = ++x->round;
    for (const weft_op *op = v->def; op; op = op->prev) {
        bool wanted = false;
        for (uint32_t i = 0; i < op->result_count; i++) wanted |= x->wanted[op->results[i].id] == x->round;
        for (uint32_t i = 0; i < op->operand_count && wanted; i++) x->wanted[op->operands[i]->id] = x->round;
    }
}

static bool is_wanted(const sizer *x, const weft_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (x->wanted[op->results[i].id] == x->round) return true;
    return false;
}

/* The dimension of an argument of @main that the op reads: an entry of x->dims. NULL: it reads none. */
static int64_t *dimension_read(const sizer *x, const weft_op *op) {
    const weft_block *body = weft_op_body(x->main, 0);
    if (op->kind != WEFT_OP_get_dimension_size) return NULL;
    const int64_t d = weft_op_int(op, WEFT_A_dimension, -1);
    for (uint32_t i = 0; i < body->arg_count; i++)
        if (body->args[i] == op->operands[0] && d >= 0 && d < op->operands[0]->type->rank) return &x->dims[i][d];
    return NULL;
}

static weft_status fold(sizer *x, const weft_op *op, int depth);

static weft_status fold_call(sizer *x, const weft_op *op, int depth) {
    const weft_op *func = weft_module_symbol(x->m, weft_op_symbol(op, WEFT_A_callee));
    const weft_block *body = func && func->kind == WEFT_OP_func ? weft_op_body(func, 0) : NULL;
    weft_status st = WEFT_OK;
    if (!body || body->arg_count != op->operand_count || body->last->operand_count != op->result_count) return st;
    if (depth == MOST_DEPTH) x->ops = 0; /* C's stack ends too */
    for (uint32_t i = 0; i < op->operand_count; i++) x->known[body->args[i]->id] = x->known[op->operands[i]->id];
    for (const weft_op *inner = body->first; inner && x->ops && st == WEFT_OK; inner = inner->next)
        st = fold(x, inner, depth + 1);
    for (uint32_t i = 0; i < op->result_count; i++)
        x->known[op->results[i].id] = x->known[body->last->operands[i]->id];
    return st;
}

static weft_status fold_dimension(sizer *x, const weft_op *op, int64_t n) {
    int64_t *v = weft_arena_new(x->values, int64_t);
    if (!v) return weft_oom();
    *v = n;
    if (n != WEFT_DYNAMIC)
        x->known[op->results[0].id] = (lg_known){ .dtype = op->results[0].type->dtype, .v = v, .n = 1 };
    return WEFT_OK;
}

/* What is known of the op's results, from what is known of its operands. */
static weft_status fold(sizer *x, const weft_op *op, int depth) {
    const int64_t *dimension = dimension_read(x, op);
    x->ops--;
    for (uint32_t i = 0; i < op->result_count; i++) x->known[op->results[i].id] = (lg_known){ 0 };
    if (op->kind == WEFT_OP_func_call) return fold_call(x, op, depth);
    if (dimension) return fold_dimension(x, op, *dimension);
    if (op->result_count != 1) return WEFT_OK;
    const lg_known **in = weft_arena_array(x->values, const lg_known *, op->operand_count);
    const weft_type **types = weft_arena_array(x->values, const weft_type *, op->operand_count);
    if (!in || !types) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) {
        in[i] = &x->known[op->operands[i]->id];
        types[i] = op->operands[i]->type;
    }
    return lg_fold(x->values, op, in, types, &x->known[op->results[0].id]);
}

/* v, of @main, if it is one number, for the dimensions as they are. *out: valid until the next; NULL: not known. */
static weft_status evaluate(sizer *x, const weft_value *v, const int64_t **out) {
    weft_status st = WEFT_OK;
    *out = NULL;
    weft_arena_free(x->values);
    x->ops = MOST_OPS;
    want(x, v);
    for (const weft_op *op = weft_op_body(x->main, 0)->first; v->def && x->ops && st == WEFT_OK; op = op->next) {
        if (is_wanted(x, op)) st = fold(x, op, 0);
        if (op == v->def) break;
    }
    if (st == WEFT_OK && v->def && x->ops && x->known[v->id].n == 1) *out = x->known[v->id].v;
    return st;
}

/* ---- from sizes to dimensions ---- */

/* The dimension of an argument of @main that v is: an entry of x->dims. NULL: v is none. */
static int64_t *dimension_of(const sizer *x, const weft_value *v) {
    const weft_op *op = v->def;
    while (op && (op->kind == WEFT_OP_convert || op->kind == WEFT_OP_reshape)) op = op->operands[0]->def;
    return op ? dimension_read(x, op) : NULL;
}

/* The first dimension that is not known and that v is computed from. */
static int64_t *unknown_in(sizer *x, const weft_value *v) {
    want(x, v);
    WEFT_EACH_OP(op, weft_op_body(x->main, 0)) {
        int64_t *d = is_wanted(x, op) ? dimension_read(x, op) : NULL;
        if (d && *d == WEFT_DYNAMIC) return d;
    }
    return NULL;
}

/* Sets the dimension to the least with which v becomes n: sizes grow with the dimensions that they come from, as long
 * as the program's integers do not wrap, so small ones are tried first. It stays WEFT_DYNAMIC if there is none. */
static weft_status solve(sizer *x, const weft_value *v, int64_t n, int64_t *dim) {
    int64_t low = 1, high = MOST_SIZE;
    const int64_t *is = &low;
    weft_status st = WEFT_OK;
    for (bool reached = false; low < high && is && st == WEFT_OK;) {
        *dim = reached ? low + (high - low) / 2 : weft_min_i64(2 * low - 1, high);
        st = evaluate(x, v, &is);
        if (st != WEFT_OK || !is) continue;
        if (*is >= n) high = *dim, reached = true;
        else low = *dim + 1;
    }
    *dim = low;
    if (st == WEFT_OK) st = evaluate(x, v, &is);
    if (st != WEFT_OK || !is || *is != n) *dim = WEFT_DYNAMIC;
    return st;
}

/* What is asserted of dimensions: a comparison for equality with one that is not known on a side. *told: of any. */
static weft_status use_assertions(sizer *x, bool *told) {
    weft_status st = WEFT_OK;
    *told = false;
    WEFT_EACH_OP(op, weft_op_body(x->main, 0)) {
        const weft_attr *direction = op->kind == WEFT_OP_compare ? weft_op_attr(op, WEFT_A_comparison_direction) : NULL;
        if (!direction || direction->kind != WEFT_ATTR_ENUM || direction->e != WEFT_comparison_direction_EQ) continue;
        for (uint32_t k = 0; k < 2 && st == WEFT_OK; k++) {
            int64_t *d = dimension_of(x, op->operands[k]);
            const int64_t *is;
            if (!d || *d != WEFT_DYNAMIC) continue;
            st = evaluate(x, op->operands[1 - k], &is);
            if (st != WEFT_OK || !is || *is < 0) continue;
            *d = *is;
            *told = true;
        }
    }
    return st;
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
            for (size_t k = 0; k < x->count && !known; k++) known = weft_str_equal(x->sizes[k].name, name->s);
            if (known) continue;
            if (x->count == x->cap &&
                !weft_arena_grow(x->arena, (void **)&x->sizes, &x->cap, x->count + 1, sizeof *x->sizes))
                return weft_oom();
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
    for (size_t i = 0; i < x->count; i++) {
        if (weft_str_equal(x->sizes[i].name, name)) {
            if (x->sizes[i].given)
                return weft_report(cx, WEFT_D_usage, NULL, "the size '%.*s' is set twice", WEFT_STR_ARG(name));
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
    for (size_t i = 0; i < x->count && st == WEFT_OK; i++)
        if (!x->sizes[i].given)
            st = weft_report(x->m->cx, WEFT_D_usage, NULL, "the program leaves the size '%.*s' open too: set it",
                             WEFT_STR_ARG(x->sizes[i].name));
    return st;
}

/* ---- the whole ---- */

static weft_status open_lists(sizer *x) {
    const weft_block *body = weft_op_body(x->main, 0);
    x->dims = weft_arena_array(x->arena, int64_t *, body->arg_count);
    x->wanted = weft_arena_array(x->arena, uint32_t, x->m->value_count);
    x->known = weft_arena_array(x->arena, lg_known, x->m->value_count);
    if (!x->dims || !x->wanted || !x->known) return weft_oom();
    for (uint32_t i = 0; i < body->arg_count; i++) {
        const weft_type *t = body->args[i]->type;
        const uint32_t rank = weft_type_is_tensor(t) ? t->rank : 0;
        x->dims[i] = weft_arena_array(x->arena, int64_t, rank + 1u);
        if (!x->dims[i]) return weft_oom();
        for (uint32_t d = 0; d < rank; d++) x->dims[i][d] = t->dims[d];
    }
    return WEFT_OK;
}

static weft_status find_dim(sizer *x, const size *s) {
    int64_t *d = unknown_in(x, s->value);
    const int64_t *is;
    weft_status st = d ? solve(x, s->value, s->n, d) : evaluate(x, s->value, &is);
    if (st != WEFT_OK || (d ? *d != WEFT_DYNAMIC : is && *is == s->n)) return st;
    return weft_report(x->m->cx, WEFT_D_usage, x->main->loc, "no shapes of the arguments give '%.*s' the size %lld",
                       WEFT_STR_ARG(s->name), (long long)s->n);
}

static weft_status find_dims(sizer *x) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < x->count && st == WEFT_OK; i++) st = find_dim(x, &x->sizes[i]);
    for (bool told = true; told && st == WEFT_OK;) st = use_assertions(x, &told);
    return st;
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
    weft_arena arena, values;
    weft_buf b;
    weft_arena_init(&arena, &cx->alloc);
    weft_arena_init(&values, &cx->alloc);
    weft_buf_init(&b, &cx->alloc);
    sizer x = { .m = *m, .main = weft_module_main(*m), .arena = &arena, .values = &values };
    weft_status st = open_lists(&x);
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
    weft_buf_free(&b);
    weft_arena_free(&values);
    weft_arena_free(&arena);
    return st;
}
