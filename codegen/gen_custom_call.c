/* gen_custom_call.c: custom calls by their target, in the layouts that they ask for. */
#include "codegen/custom_call.h"
#include "codegen/custom_priced.h"
#include "ir/signature.h"

enum { V = -1 };
static const cg_custom_target targets[] = {
#define TARGET(name, make, operands, results) \
    { name, cg_custom_##make, operands, results, WEFT_DTYPE_NONE, NULL, NULL },
#define LAPACK(real, complex, routine, real_types, complex_types)                                  \
    { "lapack_s" #real "_ffi", cg_custom_lapack, V, V, WEFT_F32, real_types, &cg_lapack_##routine },       \
    { "lapack_d" #real "_ffi", cg_custom_lapack, V, V, WEFT_F64, real_types, &cg_lapack_##routine },       \
    { "lapack_c" #complex "_ffi", cg_custom_lapack, V, V, WEFT_C64, complex_types, &cg_lapack_##routine }, \
    { "lapack_z" #complex "_ffi", cg_custom_lapack, V, V, WEFT_C128, complex_types, &cg_lapack_##routine },
#include "codegen/custom_calls.def"
};

/* JAX's calls of API_VERSION_TYPED_FFI do not say so: they have the dictionary, mhlo.backend_config. */
static bool is_typed(const weft_op *op) {
    const weft_attr *version = weft_op_attr(op, WEFT_A_api_version);
    return weft_custom_call_configs(op) ||
           (version && version->kind == WEFT_ATTR_ENUM &&
            version->e == WEFT_custom_call_api_version_API_VERSION_TYPED_FFI);
}

/* The process has the function. Else `why` says what it could do. */
static bool find_foreign(const cg_import *im, const weft_op *op, weft_str name, weft_buf *why) {
    const weft_foreign *of = im->opt->foreign;
    if (!of || !of->has(of->user, name, why)) return false;
    if (is_typed(op)) return true;
    why->n = 0;
    weft_buf_puts(why, "the process has a function of this name, but the call is of an older interface: only calls of api_version 4 are made");
    return false;
}

bool cg_custom_is_foreign(const cg_custom *c) {
    weft_buf why;
    weft_buf_init(&why, &c->im->g->cx->alloc);
    const bool found = find_foreign(c->im, c->op, weft_str_from(c->target->name), &why);
    weft_buf_free(&why);
    return found;
}

/* Calls back into the process that wrote the program, and code of other machines: what is asked for cannot be here. */
static weft_status unknown(cg_graph *g, const weft_op *op, weft_str name, const weft_buf *why) {
    static const struct { const char *in_name, *note; } known[] = {
        { "python", "it calls a function of the Python process that wrote the program (jax.debug.print, pure_callback, io_callback): take it out, or compute its value before" },
        { "tpu_custom_call", "it is a kernel compiled for a TPU (Pallas): write the program for the CPU" },
        { "mosaic_gpu", "it is a kernel compiled for a GPU (Pallas): write the program for the CPU" },
        { "__gpu$", "it is code for a GPU: write the program for the CPU" },
        { "cu_", "targets of CUDA's libraries begin so: write the program for the CPU, as jax.export does with platforms=['cpu']" },
        { "cusolver", "targets of CUDA's libraries begin so: write the program for the CPU, as jax.export does with platforms=['cpu']" },
        { "hip", "targets of ROCm's libraries begin so: write the program for the CPU, as jax.export does with platforms=['cpu']" },
        { "tf.call_tf_function", "it calls a function of the TensorFlow process that wrote the program" },
        { "CustomSPMDPartitioning", "it is partitioned by a Python function of the process that wrote the program: use a sharding rule" },
    };
    const weft_status st =
        weft_report(g->cx, WEFT_D_unsupported, op->loc, "no code for custom call target '%.*s'", WEFT_STR_ARG(name));
    for (size_t i = 0; i < WEFT_COUNT(known); i++) {
        const size_t n = strlen(known[i].in_name);
        bool found = name.n >= n && !memcmp(name.p, known[i].in_name, n);
        for (size_t k = 0; i == 0 && k + n <= name.n; k++) found = found || !memcmp(name.p + k, known[i].in_name, n);
        if (!found) continue;
        weft_note(g->cx, op->loc, "%s", known[i].note);
        return st;
    }
    if (why->n) weft_note(g->cx, op->loc, "%s", why->p);
    return st;
}

static const cg_custom_target *find(weft_str name) {
    for (size_t i = 0; i < WEFT_COUNT(targets); i++)
        if (weft_str_is(name, targets[i].name)) return &targets[i];
    return NULL;
}

static weft_status operands(cg_custom *c) {
    int64_t order[WEFT_MAX_RANK];
    cg_graph *g = c->im->g;
    for (uint32_t i = 0; i < c->op->operand_count; i++) {
        cg_node *x = cg_of(c->im, c->op, i);
        if (x && cg_custom_order(c->op, WEFT_A_operand_layouts, i, x->rank, order))
            x = cg_transpose(g, x, (weft_ints){ order, x->rank });
        if (!x)
            return g->status != WEFT_OK ? g->status
                                        : weft_report(g->cx, WEFT_D_unsupported, c->op->loc,
                                                      "operand %u of '%s' is not a tensor", i, c->target->name);
        c->in[i] = x;
    }
    return WEFT_OK;
}

static weft_status types(cg_custom *c) {
    int64_t order[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    for (uint32_t r = 0; r < c->op->result_count; r++) {
        const weft_type *t = c->op->results[r].type;
        if (!weft_type_is_tensor(t))
            return weft_report(c->im->g->cx, WEFT_D_unsupported, c->op->loc, "result %u of '%s' is not a tensor", r,
                               c->target->name);
        if (cg_custom_order(c->op, WEFT_A_result_layouts, r, t->rank, order)) {
            for (uint32_t d = 0; d < t->rank; d++) dims[d] = t->dims[order[d]];
            t = weft_type_tensor(c->im->g->cx, t->dtype, t->rank, dims);
        }
        if (!(c->types[r] = t)) return weft_oom();
    }
    return WEFT_OK;
}

/* Of a target that is none of Weft's: the process's function, or where only a plan is made what it costs. */
static weft_status find_other(const cg_custom *c, weft_str name, cg_custom_target *out) {
    const bool priced = c->im->opt->flags & WEFT_COMPILE_PLAN_ONLY && !c->im->opt->foreign;
    weft_context *cx = c->im->g->cx;
    const weft_name label = weft_name_intern(cx, name);
    weft_buf why;
    weft_buf_init(&why, &cx->alloc);
    weft_status st = label ? WEFT_OK : weft_oom();
    if (st == WEFT_OK && !priced && !find_foreign(c->im, c->op, name, &why)) st = unknown(c->im->g, c->op, name, &why);
    weft_buf_free(&why);
    if (st == WEFT_OK)
        *out = (cg_custom_target){ .name = label->text, .operands = V, .results = V,
                                   .make = priced ? cg_custom_priced : cg_custom_foreign };
    return st;
}

weft_status weft_gen_custom_call(cg_import *im, const weft_op *op) {
    const weft_str name = weft_op_attr(op, WEFT_A_call_target_name)->s;
    cg_graph *g = im->g;
    cg_custom_target other;
    cg_custom c = { .im = im, .op = op, .target = find(name) };
    if (!c.target) {
        const weft_status found = find_other(&c, name, &other);
        if (found != WEFT_OK) return found;
        c.target = &other;
    }
    if ((c.target->operands >= 0 && op->operand_count != (uint32_t)c.target->operands) ||
        (c.target->results >= 0 && op->result_count != (uint32_t)c.target->results))
        return weft_report(g->cx, WEFT_D_verify, op->loc,
                           "custom call '%s' has %u operands and %u results instead of %d and %d", c.target->name,
                           op->operand_count, op->result_count,
                           c.target->operands >= 0 ? c.target->operands : (int)op->operand_count,
                           c.target->results >= 0 ? c.target->results : (int)op->result_count);
    c.in = weft_arena_array(&g->arena, cg_node *, op->operand_count + 1);
    c.types = weft_arena_array(&g->arena, const weft_type *, op->result_count + 1);
    if (!c.in || !c.types) return weft_oom();
    weft_status st = operands(&c);
    if (st == WEFT_OK) st = types(&c);
    if (st != WEFT_OK) return st;
    return c.target->make(&c);
}
