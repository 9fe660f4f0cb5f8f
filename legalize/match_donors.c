/* match_donors: assigns every donated argument of @main the result that takes its memory.
 *
 * Pass weft-match-donors. tf.aliasing_output = R donates an argument to result R. jax.buffer_donor = true donates one
 * and leaves the choice of the result to the compiler, as JAX does when it does not know how results will be sharded.
 * Here each result, in order, that has no donor takes the first donor of its type, which is how JAX pairs them itself
 * otherwise (jax/_src/interpreters/mlir.py). Shardings do not count: the pairs also give the next step's inputs, and
 * resharded state is still state. A donor that no result can take stays an ordinary argument. Needs: static types, no
 * tuples. Leaves: tf.aliasing_output on donated arguments only, each result named once and of the argument's type; no
 * jax.buffer_donor.
 */
#include "ir/func_attrs.h"
#include "legalize/legalize.h"

typedef struct matcher {
    weft_context *cx;
    const weft_op *main;
    const weft_type *type;
    uint32_t args, results;
    int64_t *result_of;    /* by argument; -1: none */
    bool *is_taken;        /* by result */
    bool differs;          /* from the attributes */
} matcher;

static const weft_type *result_type(const matcher *x, int64_t r) { return x->type->parts[x->args + r]; }

/* The tf.aliasing_output of argument a. */
static weft_status read_alias(matcher *x, uint32_t a) {
    const weft_attr *alias = weft_func_arg_attr(x->main, a, WEFT_A_tf_aliasing_output);
    const weft_loc *loc =
        weft_op_body(x->main, 0)->arg_count > a ? weft_value_loc(weft_op_body(x->main, 0)->args[a]) : x->main->loc;
    if (!alias) return WEFT_OK;
    if (alias->kind != WEFT_ATTR_INT || alias->i < 0 || alias->i >= x->results)
        return weft_report(x->cx, WEFT_D_verify, loc, "tf.aliasing_output of argument %u names no result: @main has %u",
                           a, x->results);
    if (x->is_taken[alias->i])
        return weft_report(x->cx, WEFT_D_verify, loc,
                           "argument %u is donated to result %lld, and so is another argument", a, (long long)alias->i);
    if (x->type->parts[a] != result_type(x, alias->i)) {
        x->differs = true;
        return weft_report(x->cx, WEFT_D_fallback, loc,
                           "argument %u is donated to result %lld, which is of another type: it is not used", a,
                           (long long)alias->i);
    }
    x->result_of[a] = alias->i;
    x->is_taken[alias->i] = true;
    return WEFT_OK;
}

static bool is_donor(const matcher *x, uint32_t a) {
    return weft_func_arg_is_offered(x->main, a) && x->result_of[a] < 0;
}

/* donors: room for all arguments. Donors without a result stay at its beginning, in order. */
static void match(matcher *x, uint32_t *donors) {
    uint32_t n = 0;
    for (uint32_t a = 0; a < x->args; a++) {
        x->differs = x->differs || weft_func_arg_attr(x->main, a, WEFT_A_jax_buffer_donor);
        if (is_donor(x, a)) donors[n++] = a;
    }
    for (uint32_t r = 0; r < x->results; r++) {
        uint32_t i = 0;
        while (i < n && x->type->parts[donors[i]] != result_type(x, r)) i++;
        if (x->is_taken[r] || i == n) continue;
        x->result_of[donors[i]] = r;
        x->is_taken[r] = true;
        memmove(donors + i, donors + i + 1, (--n - i) * sizeof *donors);
    }
}

/* The attributes of argument a, with the result found here. */
static weft_status write_pair(void *user, uint32_t a, const weft_loc *loc, const weft_attr **dict) {
    const matcher *x = user;
    weft_named_attr *v = weft_scratch_array(x->cx, weft_named_attr, (*dict)->entries.n + 1);
    const weft_type *i32 = weft_type_scalar(x->cx, WEFT_I32);
    const weft_attr *alias = i32 ? weft_attr_int(x->cx, x->result_of[a], i32) : NULL;
    uint32_t n = 0;
    (void)loc;
    if (!v || !alias) return weft_oom();
    for (uint32_t i = 0; i < (*dict)->entries.n; i++) {
        const uint32_t id = (*dict)->entries.v[i].name->id;
        if (id != WEFT_A_tf_aliasing_output && id != WEFT_A_jax_buffer_donor) v[n++] = (*dict)->entries.v[i];
    }
    if (x->result_of[a] >= 0) v[n++] = (weft_named_attr){ weft_name_at(x->cx, WEFT_A_tf_aliasing_output), alias };
    *dict = weft_attr_dict(x->cx, v, n);
    return *dict ? WEFT_OK : weft_oom();
}

static weft_status find_pairs(matcher *x) {
    weft_status st = WEFT_OK;
    x->result_of = weft_scratch_array(x->cx, int64_t, x->args);
    x->is_taken = weft_scratch_array(x->cx, bool, x->results);
    uint32_t *donors = weft_scratch_array(x->cx, uint32_t, x->args);
    if (!x->result_of || !x->is_taken || !donors) return weft_oom();
    for (uint32_t a = 0; a < x->args; a++) x->result_of[a] = -1;
    for (uint32_t a = 0; a < x->args && st == WEFT_OK; a++) st = read_alias(x, a);
    if (st == WEFT_OK) match(x, donors);
    return st;
}

weft_status weft_pass_match_donors(weft_pass *p, const weft_module *in, weft_module **out) {
    matcher x = { .cx = p->cx, .main = weft_module_main(in) };
    if (!x.main || !weft_op_body(x.main, 0) || !weft_op_attr(x.main, WEFT_A_arg_attrs)) return WEFT_OK;
    x.type = weft_func_type(x.main);
    x.args = x.type->input_count;
    x.results = x.type->part_count - x.args;
    const weft_mark mark = weft_arena_mark(&p->cx->scratch);
    weft_status st = find_pairs(&x);
    if (st == WEFT_OK && x.differs) {
        *out = p->own;
        if (!*out) st = weft_module_clone(in, out);
        weft_op *main = st == WEFT_OK ? weft_module_main(*out) : NULL;
        if (main) st = weft_func_map_entries(*out, main, main, WEFT_A_arg_attrs, write_pair, &x);
        if (st != WEFT_OK && *out != p->own) weft_module_free(*out), *out = NULL;
    }
    weft_arena_reset(&p->cx->scratch, mark);
    return st;
}
