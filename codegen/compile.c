/* compile.c: from a local module to an executable: import, fuse, schedule, assign memory, make code. */
#include "codegen/compile.h"
#include "codegen/dot.h"
#include "codegen/dump.h"
#include "codegen/import.h"
#include "codegen/lower.h"
#include "codegen/target.h"
#include "exec/file.h"

static weft_status describe(weft_executable *x, const cg_node *n, int32_t alias, int32_t becomes,
                            weft_exec_value *out) {
    int64_t *dims = weft_arena_dup(&x->arena, n->dims, n->rank * sizeof *dims, _Alignof(int64_t));
    if (!dims) return weft_oom();
    *out = (weft_exec_value){ (weft_dtype)n->dtype, n->rank, dims, cg_bytes(n), alias, becomes };
    return WEFT_OK;
}

/* donor: by result, the argument donated to it; alias: the same where it takes the memory. */
static weft_status interface(cg_lowering *l, const cg_block *b, const int32_t *alias, const int32_t *donor) {
    weft_executable *x = l->x;
    weft_exec_value *args = weft_arena_array(&x->arena, weft_exec_value, b->arg_count);
    weft_exec_value *results = weft_arena_array(&x->arena, weft_exec_value, b->result_count);
    if (!args || !results) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < b->arg_count && st == WEFT_OK; i++) {
        st = describe(x, b->args[i], -1, -1, &args[i]);
        x->plan.argument_bytes += args[i].bytes;
    }
    for (uint32_t i = 0; i < b->result_count && st == WEFT_OK; i++) {
        st = describe(x, b->results[i], alias[i], donor[i], &results[i]);
        x->plan.result_bytes += results[i].bytes;
        if (alias[i] >= 0) x->plan.alias_bytes += results[i].bytes;
    }
    x->args = args, x->arg_count = b->arg_count;
    x->results = results, x->result_count = b->result_count;
    return st;
}

/* tf.aliasing_output on argument a names the result that it is donated to. */
static weft_status donors(cg_lowering *l, const cg_block *b, int32_t **out) {
    const weft_op *main = weft_module_main(l->m);
    int32_t *donor = weft_arena_array(&l->g->arena, int32_t, b->result_count);
    if (!donor) return weft_oom();
    for (uint32_t r = 0; r < b->result_count; r++) donor[r] = -1;
    for (uint32_t a = 0; a < b->arg_count; a++) {
        const weft_attr *attr = weft_func_arg_attr(main, a, WEFT_A_tf_aliasing_output);
        if (attr && attr->kind == WEFT_ATTR_INT && attr->i >= 0 && attr->i < b->result_count)
            donor[attr->i] = (int32_t)a;
    }
    *out = donor;
    return WEFT_OK;
}

static void place_interface(cg_lowering *l, const cg_block *b) {
    for (uint32_t a = 0; a < b->arg_count; a++)
        l->place[b->args[a]->id] = (cg_place){ { WEFT_SPACE_ARGUMENT, a, 0, cg_bytes(b->args[a]) }, true };
    for (uint32_t r = 0; r < b->result_count; r++)
        l->place[cg_base(b->results[r])->id] =
            (cg_place){ { WEFT_SPACE_RESULT, r, 0, cg_bytes(b->results[r]) }, true };
}

static weft_status finish(cg_lowering *l) {
    weft_executable *x = l->x;
    x->steps = weft_arena_dup(&x->arena, l->steps.v, l->steps.n * sizeof *x->steps, _Alignof(weft_step));
    x->contents = weft_arena_dup(&x->arena, l->contents.v, l->contents.n * sizeof *x->contents, _Alignof(uint64_t));
    x->content_count = (uint32_t)l->contents.n;
    x->constants = weft_arena_dup(&x->arena, l->constants.v, l->constants.n, WEFT_BUFFER_ALIGN);
    x->plan.steps =
        weft_arena_dup(&x->arena, l->plan_steps.v, l->plan_steps.n * sizeof *x->plan.steps, _Alignof(weft_plan_step));
    x->plan.collectives =
        weft_arena_dup(&x->arena, l->colls.v, l->colls.n * sizeof *x->plan.collectives, _Alignof(weft_plan_collective));
    x->plan.values = weft_arena_dup(&x->arena, l->plan_values.v, l->plan_values.n * sizeof *x->plan.values,
                                    _Alignof(weft_plan_value));
    if (!x->steps || !x->contents || !x->constants || !x->plan.steps || !x->plan.collectives || !x->plan.values)
        return weft_oom();
    x->step_count = (uint32_t)l->steps.n;
    x->constant_bytes = x->plan.constant_bytes = (int64_t)l->constants.n;
    x->plan.step_count = (uint32_t)l->plan_steps.n;
    x->plan.collective_count = (uint32_t)l->colls.n;
    x->plan.value_count = (uint32_t)l->plan_values.n;
    x->plan.temp_bytes = x->temp_bytes;
    x->plan.assumed_trips = weft_max_i64(l->opt->assumed_trips, 1);
    x->device_count = x->plan.device_count = l->opt->device_count;
    x->partition_count = l->partition_count;
    x->fingerprint = weft_executable_fingerprint(x);
    return WEFT_OK;
}

/* Of the functions that steps call: what is only inside of a strand has no code of its own. */
static weft_status make_image(cg_lowering *l) {
    const weft_step *steps = l->steps.v;
    bool *wanted = weft_arena_array(&l->g->arena, bool, l->contents.n);
    if (!wanted) return weft_oom();
    for (size_t i = 0; i < l->steps.n; i++) {
        const weft_code *c = &steps[i].code;
        if (steps[i].kind != WEFT_STEP_CALL) continue;
        if (c->function != WEFT_NO_FUNCTION) wanted[c->function] = true;
        for (uint32_t k = 0; k < c->call_count; k++)
            if (c->calls[k].function != WEFT_NO_FUNCTION) wanted[c->calls[k].function] = true;
    }
    return cg_jit_finish(l->jit, wanted, &l->x->arena, &l->x->image);
}

static weft_status lower_main(cg_lowering *l, cg_block *main) {
    int32_t *donor = NULL;
    cg_layout *lay = NULL;
    weft_status st = cg_own_results(l->g, main, CG_OF_MAIN);
    l->place = weft_arena_array(&l->g->arena, cg_place, l->g->count + 1);
    l->group = weft_arena_array(&l->g->arena, const weft_group *, l->g->count + 1);
    if (st == WEFT_OK && (!l->place || !l->group)) st = weft_oom();
    if (st == WEFT_OK) st = cg_choose_layouts(l->g);
    if (st == WEFT_OK) st = donors(l, main, &donor);
    if (st != WEFT_OK) return st;
    place_interface(l, main);
    st = cg_layout_block(l, main, CG_RESULTS_GIVEN, donor, &lay);
    if (st == WEFT_OK) st = interface(l, main, lay->alias, donor);
    if (st == WEFT_OK) st = cg_lower_block(l, lay, (weft_slice){ .space = WEFT_SPACE_TEMP }, NULL);
    if (st != WEFT_OK) return st;
    l->x->temp_bytes = lay->memory.temp_bytes;
    if (l->opt->dump && (st = cg_dump(l, lay)) != WEFT_OK) return st;
    st = cg_weave(l);
    if (l->jit && st == WEFT_OK) st = make_image(l);
    return st == WEFT_OK ? finish(l) : st;
}

weft_status cg_compile(cg_graph *g, cg_block *main, const weft_module *m, const weft_compile_options *opt,
                       weft_executable **out) {
    weft_context *cx = g->cx;
    cg_lowering l = { .cx = cx, .g = g, .m = m, .opt = opt,
                      .machine = opt->machine ? opt->machine : &weft_machine_default };
    weft_grid grid;
    weft_status st = weft_grid_of(m, opt->device_count, &grid);
    if (st == WEFT_OK) l.partition_count = grid.partitions;
    if (st == WEFT_OK && !(l.x = weft_executable_new(&cx->alloc))) st = weft_oom();
    if (st == WEFT_OK && !(l.opt->flags & WEFT_COMPILE_PLAN_ONLY)) st = cg_jit_new(cx, l.opt, g->costs, &l.jit);
    if (st == WEFT_OK) st = lower_main(&l, main);
    cg_jit_free(l.jit);
    if (st == WEFT_OK) *out = l.x;
    else weft_executable_free(l.x);
    return st;
}

weft_status weft_codegen_compile(weft_context *cx, const weft_module *m, const weft_compile_options *opt,
                                 weft_executable **out) {
    static const weft_compile_options defaults = { .device_count = 1 };
    cg_graph g;
    cg_block *main = NULL;
    weft_grid grid;
    weft_compile_options own = opt ? *opt : defaults;
    opt = &own;
    weft_status found = cg_target_find(cx, own.cpu, &own.cpu);
    if (found != WEFT_OK) return found;
    cg_graph_init(&g, cx);
    if (opt->machine) g.costs = &opt->machine->costs;
    g.join_bytes = opt->join_bytes;
    weft_status st = weft_grid_of(m, opt->device_count, &grid);
    if (st == WEFT_OK) st = cg_import_main(&g, m, opt, grid, &main);
    if (st == WEFT_OK) st = cg_compile(&g, main, m, opt, out);
    cg_graph_free(&g);
    return st;
}
