/* initialiser.c: the graph whose outputs are what parameters and variables begin with; see weft/parameters.h. */
#include <math.h>
#include <weft/random.h>

#include "capi/graph_impl.h"

/* The meshes of g, under their names: shardings name them. */
static void copy_meshes(weft_graph *to, const weft_graph *g) {
    WEFT_EACH_OP(op, weft_module_body(g->m)) {
        if (op->kind != WEFT_OP_sdy_mesh || to->b.status != WEFT_OK) continue;
        const weft_attr *name = weft_op_attr(op, WEFT_A_sym_name), *mesh = weft_op_attr(op, WEFT_A_mesh);
        weft_name n = weft_name_intern(to->cx, name->s);
        to->b.loc = op->loc;
        weft_status st = n ? weft_graph_add_mesh(to, n, mesh) : weft_oom();
        if (st != WEFT_OK) weft_graph_keep(to, st);
        to->mesh_count++;
    }
}

/* FNV-1a (Fowler, Noll and Vo) of 64 bits: keys of two names are the same by chance alone. */
static uint64_t hash(weft_name name) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < name->n; i++) h = (h ^ (unsigned char)name->text[i]) * 1099511628211u;
    return h;
}

/* A key of this parameter's own. */
static weft_tensor *key_of(weft_source at, weft_graph *g, uint64_t seed, weft_name name) {
    const uint64_t h = hash(name);
    const uint32_t half[] = { (uint32_t)(h >> 32), (uint32_t)h };
    weft_tensor *key = weft_graph_random_key_at(at, g, seed);
    for (int i = 0; i < 2; i++)
        key = weft_graph_random_fold_at(at, g, key, weft_graph_constant_at(at, g, "ui32", &half[i], sizeof half[i]));
    return key;
}

/* Normal numbers within two standard deviations: where a uniform number is in their distribution. */
static weft_tensor *truncated(weft_source at, weft_graph *g, weft_tensor *key, const char *type) {
    const double limit = erf(sqrt(2));
    weft_tensor *u = weft_graph_random_uniform_at(at, g, key, type, -limit, limit);
    weft_tensor *x = weft_graph_scale_at(at, g, weft_graph_pointwise_at(at, g, "chlo.erf_inv", &u, 1), sqrt(2));
    weft_tensor *const clamped[] = { weft_graph_fill_at(at, g, "f32", -2), x, weft_graph_fill_at(at, g, "f32", 2) };
    return weft_graph_pointwise_at(at, g, "clamp", clamped, 3);
}

static weft_tensor *random_start(weft_source at, weft_graph *g, weft_tensor *key, const weft_init *init,
                                 const char *type) {
    const double in = (double)init->fan_in, out = (double)init->fan_out, xavier = sqrt(6 / (in + out));
    switch (init->kind) {
    case WEFT_INIT_UNIFORM: return weft_graph_random_uniform_at(at, g, key, type, init->a, init->b);
    case WEFT_INIT_XAVIER: return weft_graph_random_uniform_at(at, g, key, type, -xavier, xavier);
    case WEFT_INIT_TRUNCATED: return weft_graph_scale_at(at, g, truncated(at, g, key, type), init->a);
    default: break;
    }
    const double deviation = init->kind == WEFT_INIT_NORMAL ? init->a : sqrt((init->kind == WEFT_INIT_HE ? 2 : 1) / in);
    return weft_graph_scale_at(at, g, weft_graph_random_normal_at(at, g, key, type), deviation);
}

/* What an input begins with, in the graph `to`; made[] has what those before it begin with. */
static weft_tensor *start_of(weft_graph *to, const weft_graph_port *p, weft_tensor *const *made, uint64_t seed) {
    const weft_loc *place = weft_loc_place(p->loc);
    const weft_source at = place ? (weft_source){ place->name->text, (int)place->line } : (weft_source){ "", 0 };
    const weft_init *init = &p->kept->init;
    const weft_type *t = p->value->type;
    const char *dtype = weft_dtype_of(t->dtype)->name;
    if (init->kind == WEFT_INIT_COPY)
        return weft_graph_convert_at(at, to, made[p->kept->of->index], dtype);
    weft_buf type;
    weft_buf_init(&type, &to->cx->alloc);
    for (uint32_t d = 0; d < t->rank; d++) weft_buf_printf(&type, "%lldx", (long long)t->dims[d]);
    const bool is_random = init->kind != WEFT_INIT_DEFAULT && init->kind != WEFT_INIT_CONSTANT;
    weft_buf_puts(&type, is_random ? "f32" : dtype);
    weft_tensor *x = NULL;
    if (type.failed) weft_graph_keep(to, weft_oom());
    else if (!is_random) x = weft_graph_fill_at(at, to, type.p, init->kind == WEFT_INIT_CONSTANT ? init->a : 0);
    else x = random_start(at, to, key_of(at, to, seed, p->name), init, type.p);
    weft_buf_free(&type);
    return weft_graph_convert_at(at, to, x, dtype);
}

static void make_outputs(weft_graph *to, weft_graph *g, uint64_t seed) {
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_tensor **made = weft_scratch_array(g->cx, weft_tensor *, g->inputs.n);
    if (!made) weft_graph_keep(to, weft_oom());
    for (size_t i = 0; i < g->inputs.n && to->b.status == WEFT_OK; i++) {
        const weft_graph_port *p = &g->inputs.v[i];
        if (!p->kept || !(made[i] = start_of(to, p, made, seed))) continue;
        weft_graph_add_output(to, p->name->text, made[i], p->sharding);
    }
    weft_arena_reset(&g->cx->scratch, mark);
}

weft_graph *weft_graph_initialiser_at(weft_source at, weft_graph *g, uint64_t seed) {
    weft_graph *to = g ? weft_graph_new(g->cx, "initialiser") : NULL;
    if (!to) return NULL;
    weft_graph_share_shardings(g);
    if (g->b.status != WEFT_OK) {
        weft_graph_keep(to, g->b.status);
        return to;
    }
    copy_meshes(to, g);
    make_outputs(to, g, seed);
    if (to->b.status == WEFT_OK && !to->outputs.n && weft_graph_begin(to, at))
        weft_graph_fail(to, WEFT_D_usage, "the graph has no parameters or variables to begin with");
    return to;
}

/* ---- kinds ---- */

weft_init weft_init_zeros(void) { return weft_init_constant(0); }
weft_init weft_init_ones(void) { return weft_init_constant(1); }
weft_init weft_init_constant(double v) { return (weft_init){ .kind = WEFT_INIT_CONSTANT, .a = v }; }
weft_init weft_init_normal(double deviation) { return (weft_init){ .kind = WEFT_INIT_NORMAL, .a = deviation }; }
weft_init weft_init_truncated_normal(double deviation) {
    return (weft_init){ .kind = WEFT_INIT_TRUNCATED, .a = deviation };
}
weft_init weft_init_uniform(double low, double high) {
    return (weft_init){ .kind = WEFT_INIT_UNIFORM, .a = low, .b = high };
}
weft_init weft_init_xavier(void) { return (weft_init){ .kind = WEFT_INIT_XAVIER }; }
weft_init weft_init_he(void) { return (weft_init){ .kind = WEFT_INIT_HE }; }
weft_init weft_init_lecun(void) { return (weft_init){ .kind = WEFT_INIT_LECUN }; }
weft_init weft_init_copy(void) { return (weft_init){ .kind = WEFT_INIT_COPY }; }
