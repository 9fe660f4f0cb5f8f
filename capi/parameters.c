/* parameters.c: inputs that are learned or kept, and lists of them; see weft/parameters.h. */
#include <math.h>
#include <stdarg.h>

#include "capi/pattern.h"

/* ---- lists ---- */

weft_tensors weft_tensors_new(weft_graph *g, size_t n) {
    if (!g || g->b.status != WEFT_OK || !n) return (weft_tensors){ NULL, 0 };
    weft_tensor **v = weft_arena_array(&g->m->arena, weft_tensor *, n);
    if (!v) return (void)weft_graph_keep(g, weft_oom()), (weft_tensors){ NULL, 0 };
    for (size_t i = 0; i < n; i++) v[i] = NULL;
    return (weft_tensors){ v, n };
}

static weft_tensors chosen(weft_graph *g, const char *pattern, int role) {
    weft_tensors t = { NULL, 0 };
    size_t *v, n;
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    if (weft_pattern_choose(g, pattern, role, &v, &n)) {
        t = weft_tensors_new(g, n);
        for (size_t i = 0; i < t.n; i++) t.v[i] = g->inputs.v[v[i]].value;
        if (!n && role == WEFT_KEPT_PARAMETER) weft_pattern_fail(g, "parameters", pattern, role);
    }
    weft_arena_reset(&g->cx->scratch, mark);
    return t;
}

weft_tensors weft_parameters_at(weft_source at, weft_graph *g, const char *pattern) {
    return weft_graph_begin(g, at) ? chosen(g, pattern, WEFT_KEPT_PARAMETER) : (weft_tensors){ NULL, 0 };
}

weft_tensors weft_variables_at(weft_source at, weft_graph *g, const char *pattern) {
    return weft_graph_begin(g, at) ? chosen(g, pattern, WEFT_KEPT_VARIABLE) : (weft_tensors){ NULL, 0 };
}

/* The port of an input, or NULL. */
static const weft_graph_port *port_of(const weft_graph *g, const weft_tensor *t) {
    return g && t && !t->def && t->block == g->main.block ? &g->inputs.v[t->index] : NULL;
}

const char *weft_tensor_name(const weft_graph *g, const weft_tensor *input) {
    const weft_graph_port *p = port_of(g, input);
    return p ? p->name->text : NULL;
}

void weft_graph_kept_dims(const weft_graph_port *p, size_t *stacked, size_t *summed) {
    const weft_type *t = p->value->type;
    const uint32_t first = p->kept->layers + (uint32_t)p->kept->init.stacked;
    int64_t n = 1;
    uint32_t d = first;
    while (d < t->rank && n < p->kept->init.fan_in) n *= t->dims[d++];
    *stacked = first;
    *summed = d - first;
}

void weft_parameter_dims(const weft_graph *g, const weft_tensor *parameter, size_t *stacked, size_t *summed) {
    const weft_graph_port *p = port_of(g, parameter);
    *stacked = *summed = 0;
    if (p && p->kept && p->kept->role == WEFT_KEPT_PARAMETER) weft_graph_kept_dims(p, stacked, summed);
}

/* ---- making them ---- */

/* Whether an input can be made where the builder is: not in a function, which sees no inputs. */
static bool sees_inputs(weft_graph *g, const char *what) {
    for (const weft_graph_open *o = g->open; o; o = o->outer)
        if (o->sees == WEFT_SEES_NOTHING && o != &g->main)
            return weft_graph_fail(g, WEFT_D_usage,
                                   "a %s cannot be made inside a function: make it outside and pass it",
                                   what) != NULL;
    return true;
}

/* The type with a dimension before its own for each of the layers that are being made; reports. */
static const weft_type *stacked_type(weft_graph *g, const weft_type *t) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t n = 0;
    for (const weft_graph_stack *s = g->stack; s; s = s->outer) n++;
    if (n + t->rank > WEFT_MAX_RANK)
        return (void)weft_graph_fail(g, WEFT_D_verify, "a tensor has at most %d dimensions", WEFT_MAX_RANK), NULL;
    uint32_t d = n;
    for (const weft_graph_stack *s = g->stack; s; s = s->outer) dims[--d] = s->count;
    for (uint32_t i = 0; i < t->rank; i++) dims[n + i] = t->dims[i];
    const weft_type *all = weft_type_with_dims(g->cx, t, n + t->rank, dims);
    if (!all) return (void)weft_graph_keep(g, weft_oom()), NULL;
    if (weft_type_bytes(all) < 0)
        return (void)weft_graph_fail(g, WEFT_D_verify, "the layers' parameter has more bytes than can be counted"),
               NULL;
    return all;
}

/* The slice of the layer that is being made, of the outermost layers first. */
static weft_value *slice(weft_graph *g, const weft_graph_stack *s, weft_value *all) {
    if (!s || !all) return all;
    weft_value *outer = slice(g, s->outer, all);
    return outer ? weft_graph_slice_of(g, outer, s->layer) : NULL;
}

/* The fans that are not given follow from the type of one layer's parameter. */
static weft_init with_fans(weft_init init, const weft_type *t) {
    if (init.stacked < 0 || init.stacked > t->rank) init.stacked = 0;
    int64_t in = 1, out = t->rank ? t->dims[t->rank - 1] : 1;
    for (uint32_t d = (uint32_t)init.stacked; d + 1 < t->rank; d++)
        if (!weft_mul_i64(in, t->dims[d], &in)) in = INT64_MAX;
    if (init.fan_in <= 0) init.fan_in = in > 0 ? in : 1;
    if (init.fan_out <= 0) init.fan_out = out > 0 ? out : 1;
    return init;
}

/* Whether the numbers of an initialiser are some that can be drawn by; reports. */
static bool can_draw(weft_graph *g, const char *what, weft_init init) {
    const bool by_deviation = init.kind == WEFT_INIT_NORMAL || init.kind == WEFT_INIT_TRUNCATED;
    if (by_deviation && !(init.a >= 0 && isfinite(init.a)))
        weft_graph_fail(g, WEFT_D_usage, "the %s's initialiser has a standard deviation of %g", what, init.a);
    else if (init.kind == WEFT_INIT_UNIFORM && !(init.a <= init.b && isfinite(init.b - init.a)))
        weft_graph_fail(g, WEFT_D_usage, "the %s's initialiser draws from %g to %g", what, init.a, init.b);
    else if (init.fan_in < 0 || init.fan_out < 0)
        weft_graph_fail(g, WEFT_D_usage, "the %s's initialiser has fans of %lld and %lld", what,
                        (long long)init.fan_in, (long long)init.fan_out);
    else return true;
    return false;
}

static bool can_begin(weft_graph *g, const char *what, const weft_type *t, weft_init init) {
    const bool is_float = weft_dtype_of(t->dtype)->kind == WEFT_KIND_FLOAT;
    if ((unsigned)init.kind > WEFT_INIT_COPY)
        return weft_graph_fail(g, WEFT_D_usage, "the %s's initialiser has no kind %d", what, (int)init.kind) != NULL;
    if (!is_float && init.kind != WEFT_INIT_DEFAULT && init.kind != WEFT_INIT_CONSTANT && init.kind != WEFT_INIT_COPY)
        return weft_graph_fail(g, WEFT_D_verify, "a %s of '%s' cannot begin with random numbers: they are floats", what,
                               weft_dtype_of(t->dtype)->name) != NULL;
    return can_draw(g, what, init);
}

const char *weft_graph_path(weft_graph *g, const char *what, const char *name) {
    if (!name || !*name)
        return (void)weft_graph_fail(g, WEFT_D_usage, "%s %s needs a name", *what == 'a' ? "an" : "a", what), NULL;
    if (!g->scope) return name;
    const size_t n = g->scope->path->n, m = strlen(name);
    char *p = weft_scratch_array(g->cx, char, n + m + 2);
    if (!p) return (void)weft_graph_keep(g, weft_oom()), NULL;
    memcpy(p, g->scope->path->text, n);
    p[n] = '/';
    memcpy(p + n + 1, name, m + 1);
    return p;
}

static weft_tensor *make(weft_graph *g, const char *what, const char *name, const weft_type *t, weft_graph_kept kept) {
    const weft_type *all = sees_inputs(g, what) && can_begin(g, what, t, kept.init) ? stacked_type(g, t) : NULL;
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    const char *whole = all ? weft_graph_path(g, what, name) : NULL;
    weft_graph_kept *k = whole ? weft_arena_new(&g->m->arena, weft_graph_kept) : NULL;
    weft_graph_port *p = k ? weft_graph_add_input(g, whole, all) : NULL;
    if (whole && !k) weft_graph_keep(g, weft_oom());
    weft_arena_reset(&g->cx->scratch, mark);
    if (!p) return NULL;
    kept.init = with_fans(kept.init, t);
    kept.layers = all->rank - t->rank;
    *k = kept;
    p->kept = k;
    return slice(g, g->stack, p->value);
}

weft_tensor *weft_parameter_at(weft_source at, weft_graph *g, const char *name, const char *type, weft_init init) {
    if (!weft_graph_begin(g, at)) return NULL;
    const weft_type *t = weft_graph_type(g, weft_str_from(type ? type : ""));
    if (!t) return NULL;
    if (weft_dtype_of(t->dtype)->kind != WEFT_KIND_FLOAT)
        return weft_graph_fail(g, WEFT_D_verify, "a parameter is of floats, not '%s'", type);
    if (init.kind == WEFT_INIT_COPY)
        return weft_graph_fail(g, WEFT_D_usage, "a parameter begins with no other's value: that is for variables");
    return make(g, "parameter", name, t, (weft_graph_kept){ .role = WEFT_KEPT_PARAMETER, .init = init });
}

weft_tensor *weft_variable_at(weft_source at, weft_graph *g, const char *name, const char *type, weft_init init) {
    if (!weft_graph_begin(g, at)) return NULL;
    const weft_type *t = weft_graph_type(g, weft_str_from(type ? type : ""));
    if (!t) return NULL;
    if (init.kind == WEFT_INIT_COPY)
        return weft_graph_fail(g, WEFT_D_usage, "a variable of no parameter begins with no parameter's value");
    return make(g, "variable", name, t, (weft_graph_kept){ .role = WEFT_KEPT_VARIABLE, .init = init });
}

/* The parameter's dimensions `dims` with elements of dtype; reports. */
static const weft_type *type_of_part(weft_graph *g, const weft_type *t, weft_dims dims, const char *dtype,
                                     int64_t *kept) {
    int64_t sizes[WEFT_MAX_RANK], last = -1;
    if (!weft_graph_lists(g, "variable_of", &dims, 1)) return NULL;
    for (size_t i = 0; i < dims.n; last = dims.v[i++]) {
        if (dims.v[i] <= last || dims.v[i] >= t->rank)
            return (void)weft_graph_fail(g, WEFT_D_usage,
                                         "the dimensions of a variable ascend and are the parameter's"),
                   NULL;
        sizes[i] = t->dims[dims.v[i]];
        kept[i] = dims.v[i];
    }
    weft_dtype to = dtype ? weft_dtype_parse(weft_str_from(dtype)) : t->dtype;
    if (to == WEFT_DTYPE_NONE)
        return (void)weft_graph_fail(g, WEFT_D_verify, "'%s' is not an element type", dtype), NULL;
    const weft_type *part = weft_type_tensor(g->cx, to, (uint32_t)dims.n, sizes);
    if (!part) weft_graph_keep(g, weft_oom());
    return part;
}

weft_tensor *weft_variable_of_at(weft_source at, weft_graph *g, weft_tensor *parameter, weft_dims dims,
                                 const char *dtype, weft_init init) {
    if (!weft_graph_begin(g, at) || !weft_graph_at_main(g, "optimizer's variable") ||
        !weft_graph_owns(g, "variable_of", &parameter, 1))
        return NULL;
    const weft_graph_port *of = port_of(g, parameter);
    if (!of || !of->kept || of->kept->role != WEFT_KEPT_PARAMETER)
        return weft_graph_fail(g, WEFT_D_usage, "a variable is of a parameter as weft_parameters lists it");
    int64_t *kept = weft_arena_array(&g->m->arena, int64_t, WEFT_MAX_RANK);
    if (!kept) return weft_graph_keep(g, weft_oom());
    const weft_type *t = type_of_part(g, parameter->type, dims, dtype, kept);
    if (!t) return NULL;
    if (init.kind == WEFT_INIT_COPY && dims.n != parameter->type->rank)
        return weft_graph_fail(g, WEFT_D_usage, "a copy of a parameter has all of its dimensions");
    return make(g, "variable", of->name->text, t,
                (weft_graph_kept){ .role = WEFT_KEPT_VARIABLE, .init = init, .of = parameter,
                                   .dims = { kept, dims.n } });
}

/* The sharding of those dimensions; NULL when memory is out. */
static const weft_attr *part_of_sharding(weft_graph *g, const weft_attr *whole, weft_dims dims) {
    weft_dim_sharding part[WEFT_MAX_RANK];
    for (size_t i = 0; i < dims.n; i++) part[i] = whole->sharding.dims[dims.v[i]];
    weft_attr a = *whole;
    a.sharding.dims = part;
    a.sharding.rank = (uint32_t)dims.n;
    return weft_attr_copy(g->cx, &a);
}

void weft_graph_share_shardings(weft_graph *g) {
    for (size_t i = 0; i < g->inputs.n; i++) {
        weft_graph_port *p = &g->inputs.v[i];
        if (!p->kept || !p->kept->of || p->sharding) continue;
        const weft_attr *whole = g->inputs.v[p->kept->of->index].sharding;
        if (whole && !(p->sharding = part_of_sharding(g, whole, p->kept->dims))) weft_graph_keep(g, weft_oom());
    }
}

/* ---- errors of layers ---- */

weft_tensor *weft_graph_refuse_at(weft_source at, weft_graph *g, const char *format, ...) {
    char text[256];
    if (!weft_graph_begin(g, at)) return NULL;
    va_list ap;
    va_start(ap, format);
    weft_vformat(text, sizeof text, format, ap);
    va_end(ap);
    return weft_graph_fail(g, WEFT_D_usage, "%s", text);
}
