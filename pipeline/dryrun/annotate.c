/* annotate.c: see annotate.h. */
#include "pipeline/dryrun/annotate.h"

#include "ir/func_attrs.h"
#include "pipeline/dryrun/arguments.h"
#include "pipeline/pipeline.h"
#include "pipeline/variants.h"
#include "sharding/spelling.h"

/* ---- meshes ---- */

static const weft_op *first_mesh(const weft_module *m) {
    WEFT_EACH_OP(op, weft_module_body(m))
        if (op->kind == WEFT_OP_sdy_mesh) return op;
    return NULL;
}

void weft_module_mesh_spec(const weft_module *m, weft_buf *b) {
    const weft_op *op = first_mesh(m);
    const weft_attr *mesh = op ? weft_op_attr(op, WEFT_A_mesh) : NULL;
    for (uint32_t i = 0; mesh && i < mesh->mesh.axis_count; i++)
        weft_buf_printf(b, "%s%s=%lld", i ? "," : "", mesh->mesh.axes[i].name->text,
                        (long long)mesh->mesh.axes[i].size);
}

bool weft_module_has_mesh(const weft_module *m) { return first_mesh(m) != NULL; }

static weft_status refuse_manual(void *user, weft_op *op) {
    if (op->kind != WEFT_OP_sdy_manual_computation) return WEFT_OK;
    return weft_report(user, WEFT_D_usage, op->loc,
                       "this is a manual computation over a mesh, which cannot be removed from the program");
}

weft_status weft_module_without_shardings(const weft_module *m, weft_module **out) {
    const weft_status st = weft_module_walk(m, refuse_manual, m->cx);
    return st == WEFT_OK ? weft_module_bare(m, out) : st;
}

weft_status weft_module_add_mesh(weft_module *m, const weft_loc *loc, weft_str spec) {
    weft_context *cx = m->cx;
    const weft_attr *mesh = NULL, *name = weft_attr_string(cx, WEFT_STR("mesh"));
    const weft_attr *partitions = weft_op_attr(m->root, WEFT_A_mhlo_num_partitions);
    weft_builder b;
    weft_status st = name ? weft_mesh_spelled(cx, loc, spec, &mesh) : weft_oom();
    if (st != WEFT_OK) return st;
    const weft_named_attr attrs[] = { { weft_name_at(cx, WEFT_A_sym_name), name },
                                      { weft_name_at(cx, WEFT_A_mesh), mesh } };
    weft_builder_init(&b, m, weft_module_body(m));
    b.before = b.block->first;
    b.loc = m->root->loc;
    weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_sdy_mesh, .attrs = attrs, .attr_count = WEFT_COUNT(attrs) });
    if (b.status != WEFT_OK || !partitions) return b.status;
    int64_t n = 1; /* spelled meshes have less than 2^63 devices */
    for (uint32_t i = 0; i < mesh->mesh.axis_count; i++) n *= mesh->mesh.axes[i].size;
    const weft_attr *now = weft_attr_int(cx, n, partitions->type);
    return now ? weft_op_set(m, m->root, WEFT_A_mhlo_num_partitions, now) : weft_oom();
}

/* ---- dictionaries of arguments and results ---- */

typedef struct setting {
    weft_context *cx;
    const weft_attr *const *values; /* by entry, or one for the entry `at`; NULL: removed */
    uint32_t at;
    weft_name name;
} setting;

#define EVERY UINT32_MAX

static weft_status set_entry(void *user, uint32_t i, const weft_loc *loc, const weft_attr **dict) {
    const setting *x = user;
    (void)loc;
    if (x->at != EVERY && i != x->at) return WEFT_OK;
    const weft_attr *value = x->values[x->at == EVERY ? i : 0];
    const uint32_t n = (*dict)->entries.n;
    weft_named_attr *v = weft_scratch_array(x->cx, weft_named_attr, n + 1);
    uint32_t kept = 0;
    if (!v) return weft_oom();
    for (uint32_t k = 0; k < n; k++)
        if ((*dict)->entries.v[k].name != x->name) v[kept++] = (*dict)->entries.v[k];
    if (value) v[kept++] = (weft_named_attr){ x->name, value };
    *dict = weft_attr_dict(x->cx, v, kept);
    return *dict ? WEFT_OK : weft_oom();
}

/* An empty dictionary for each argument or result, if there are none. */
static weft_status make_entries(weft_module *m, weft_op *main, weft_attr_name side) {
    const weft_attr *list = weft_op_attr(main, side);
    const weft_type *t = weft_func_type(main);
    const uint32_t n = side == WEFT_A_arg_attrs ? t->input_count : t->part_count - t->input_count;
    if ((list && list->kind == WEFT_ATTR_ARRAY) || !n) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&m->cx->scratch);
    const weft_attr **items = weft_scratch_array(m->cx, const weft_attr *, n), *empty = weft_attr_dict(m->cx, NULL, 0);
    for (uint32_t i = 0; items && i < n; i++) items[i] = empty;
    const weft_attr *all = items && empty ? weft_attr_array(m->cx, items, n) : NULL;
    weft_arena_reset(&m->cx->scratch, mark);
    return all ? weft_op_set(m, main, side, all) : weft_oom();
}

static weft_status set_attr(weft_module *m, weft_attr_name side, uint32_t i, weft_attr_name name,
                            const weft_attr *const *values) {
    weft_op *main = weft_module_main(m);
    setting x = { m->cx, values, i, weft_name_at(m->cx, name) };
    const weft_status st = make_entries(m, main, side);
    return st == WEFT_OK ? weft_func_map_entries(m, main, main, side, set_entry, &x) : st;
}

weft_status weft_module_set_sharding(weft_module *m, weft_attr_name side, uint32_t i, const weft_attr *sharding) {
    return set_attr(m, side, i, WEFT_A_sdy_sharding, &sharding);
}

weft_status weft_module_set_shardings(weft_module *m, weft_attr_name side, const weft_attr *const *shardings) {
    return set_attr(m, side, EVERY, WEFT_A_sdy_sharding, shardings);
}

/* ---- shardings ---- */

/* The result to which an argument is donated, or -1. */
static int64_t donee(const weft_op *main, uint32_t argument) {
    const weft_type *t = weft_func_type(main);
    const weft_attr *alias = weft_func_arg_attr(main, argument, WEFT_A_tf_aliasing_output);
    const bool is = alias && alias->kind == WEFT_ATTR_INT && alias->i >= 0 &&
                    alias->i < (int64_t)t->part_count - t->input_count;
    return is ? alias->i : -1;
}

/* The mesh of a sharding, or m's first. */
static weft_status mesh_for(const weft_module *m, const weft_loc *loc, const weft_attr *old, const weft_attr **ref,
                            const weft_attr **mesh) {
    const weft_op *op = first_mesh(m);
    *ref = old && old->kind == WEFT_ATTR_SHARDING ? old->sharding.mesh : NULL;
    *mesh = *ref;
    if (*ref && (*ref)->kind == WEFT_ATTR_SYMBOL)
        op = weft_module_symbol(m, weft_name_str((*ref)->names.v[(*ref)->names.n - 1]));
    if (*ref && (*ref)->kind == WEFT_ATTR_MESH) return WEFT_OK;
    *mesh = op ? weft_op_attr(op, WEFT_A_mesh) : NULL;
    if (!*mesh)
        return weft_report(m->cx, WEFT_D_usage, loc, "the program has no mesh for this sharding; --mesh gives it one");
    if (!*ref)
        *ref = weft_attr_symbol(m->cx, weft_name_intern(m->cx, weft_op_symbol(op, WEFT_A_sym_name)));
    return *ref ? WEFT_OK : weft_oom();
}

static weft_status shard_one(weft_module *m, const weft_loc *loc, uint32_t argument, weft_str spelling) {
    const weft_op *main = weft_module_main(m);
    const weft_type *type = weft_func_type(main)->parts[argument];
    const weft_attr *ref, *mesh, *sharding = NULL;
    const int64_t result = donee(main, argument);
    weft_status st = WEFT_OK;
    if (!weft_type_is_tensor(type))
        return weft_report(m->cx, WEFT_D_usage, loc, "argument %u is no tensor", argument);
    st = mesh_for(m, loc, weft_func_arg_attr(main, argument, WEFT_A_sdy_sharding), &ref, &mesh);
    if (st == WEFT_OK)
        st = weft_sharding_spelled(m->cx, loc, ref, &mesh->mesh, type->rank, spelling, &sharding);
    if (st == WEFT_OK) st = weft_module_set_sharding(m, WEFT_A_arg_attrs, argument, sharding);
    if (st == WEFT_OK && result >= 0)
        st = weft_module_set_sharding(m, WEFT_A_res_attrs, (uint32_t)result, sharding);
    return st;
}

static weft_str trim(weft_str s) {
    while (s.n && (*s.p == ' ' || *s.p == '\t')) s.p++, s.n--;
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r')) s.n--;
    return s;
}

/* The location of text, which is part of line. */
static const weft_loc *place_in(weft_context *cx, const weft_loc *line_loc, const char *line, const char *at) {
    if (!line_loc) return NULL;
    const weft_loc *loc = weft_loc_file(cx, line_loc->name, line_loc->line, (uint32_t)(at - line) + 1);
    return loc ? loc : line_loc;
}

/* line_loc: of a line in a file, or NULL. */
static weft_status shard_change(weft_module *m, const weft_loc *line_loc, weft_str line) {
    const char *eq = memchr(line.p, '=', line.n);
    const weft_str pattern = trim((weft_str){ line.p, eq ? (size_t)(eq - line.p) : line.n });
    const weft_loc *loc = place_in(m->cx, line_loc, line.p, pattern.p);
    if (!eq || !pattern.n)
        return weft_report(m->cx, WEFT_D_usage, loc,
                           "'%.*s' is no change of shardings such as 'params*wq=[{\"data\"}, {\"model\"}]' or "
                           "'x=data, -'",
                           WEFT_STR_ARG(trim(line)));
    const weft_str spelling = trim((weft_str){ eq + 1, line.n - (size_t)(eq + 1 - line.p) });
    const weft_loc *spelled = place_in(m->cx, line_loc, line.p, spelling.p);
    const uint32_t *v;
    uint32_t n;
    weft_arena arena;
    weft_arena_init(&arena, &m->cx->alloc);
    weft_status st = weft_arguments_matching(m, loc, pattern, &arena, &v, &n);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        st = shard_one(m, spelled, v[i], spelling);
        if (st != WEFT_OK && st != WEFT_ERR_MEMORY) weft_note(m->cx, NULL, "for argument %u", v[i]);
    }
    weft_arena_free(&arena);
    return st;
}

weft_status weft_module_shard_arguments(weft_module *m, const weft_loc *loc, weft_str change) {
    const weft_status st = weft_module_check_main(m);
    return st == WEFT_OK ? shard_change(m, loc, change) : st;
}

weft_status weft_module_shard_lines(weft_module *m, const char *file, weft_str text) {
    const weft_name name = weft_name_from(m->cx, file);
    weft_status st = name ? weft_module_check_main(m) : weft_oom();
    const char *p = text.p, *end = text.p + text.n;
    for (uint32_t number = 1; st == WEFT_OK && p < end; number++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        const weft_str line = { p, (size_t)(stop - p) }, said = trim(line);
        const weft_loc *loc = weft_loc_file(m->cx, name, number, 1);
        if (!loc) st = weft_oom();
        else if (said.n && *said.p != '#') st = shard_change(m, loc, line);
        p = nl ? nl + 1 : end;
    }
    return st;
}

/* ---- donation ---- */

weft_status weft_module_donate_arguments(weft_module *m, const weft_loc *loc, weft_str pattern) {
    const weft_attr *yes = weft_attr_bool(m->cx, true);
    const uint32_t *v;
    uint32_t n = 0;
    weft_arena arena;
    weft_arena_init(&arena, &m->cx->alloc);
    weft_status st = yes ? weft_module_check_main(m) : weft_oom();
    if (st == WEFT_OK) st = weft_arguments_matching(m, loc, pattern, &arena, &v, &n);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++)
        if (!weft_func_arg_attr(weft_module_main(m), v[i], WEFT_A_tf_aliasing_output))
            st = set_attr(m, WEFT_A_arg_attrs, v[i], WEFT_A_jax_buffer_donor, &yes);
    weft_arena_free(&arena);
    return st;
}
