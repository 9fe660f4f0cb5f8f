/* build: the complete path from a module as read to a program that devices can run.
 *
 *     weft-propagate   inlined, every value with a sharding, global shapes
 *     weft-export      one device's program, StableHLO and CHLO
 *     weft-legalize    with ops that have kernels only, and loops without what can be done for all iterations at once
 *     code generation
 *
 * The shardings of arguments and results are read from @main between the first two: its types are then still the
 * user's, and its shardings final.
 */
#include "ir/builder.h"
#include "partitioner/memory/rematerialize.h"
#include "pipeline/fit_memory.h"
#include "pipeline/memory.h"
#include "pipeline/pipeline.h"
#include "pipeline/placement.h"
#include "sharding/values.h"

typedef struct io_list { weft_io *v; uint32_t n; } io_list;
typedef struct whole_list { weft_whole_value *v; size_t n; } whole_list;

static weft_status note_one(const weft_module *m, const weft_type *type, const weft_attr *sharding, weft_io *out) {
    *out = (weft_io){ type, sharding && sharding->kind == WEFT_ATTR_SHARDING ? sharding : NULL, NULL };
    if (!out->sharding) return WEFT_OK;
    const weft_attr *mesh = out->sharding->sharding.mesh;
    if (mesh->kind == WEFT_ATTR_SYMBOL) {
        const weft_op *op = weft_module_symbol(m, weft_name_str(mesh->names.v[mesh->names.n - 1]));
        mesh = op ? weft_op_attr(op, WEFT_A_mesh) : NULL;
    }
    if (!mesh) return weft_report(m->cx, WEFT_D_sharding, NULL, "a sharding of @main names a mesh that is not there");
    out->mesh = mesh;
    return WEFT_OK;
}

weft_status weft_io_of(const weft_module *m, const weft_value *v, weft_io *out) {
    return note_one(m, v->type, weft_value_sharding_attr(v), out);
}

static weft_status note_io(const weft_module *m, weft_arena *arena, io_list *args, io_list *results) {
    const weft_op *main = weft_module_main(m);
    weft_status st = WEFT_OK;
    if (!main) return weft_module_check_main(m);
    const weft_type *t = weft_func_type(main);
    args->n = t->input_count;
    results->n = t->part_count - t->input_count;
    args->v = weft_arena_array(arena, weft_io, args->n);
    results->v = weft_arena_array(arena, weft_io, results->n);
    if (!args->v || !results->v) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < args->n; i++)
        st = note_one(m, t->parts[i], weft_func_arg_attr(main, i, WEFT_A_sdy_sharding), &args->v[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < results->n; i++)
        st = note_one(m, t->parts[args->n + i], weft_func_result_attr(main, i, WEFT_A_sdy_sharding), &results->v[i]);
    return st;
}

static weft_status lay_out(weft_context *cx, weft_built_program *p, const io_list *io, const weft_exec_value *local,
                           uint32_t local_count, const weft_loc *loc, weft_io **copy, weft_layout **layouts) {
    weft_arena *arena = &p->local->arena;
    weft_status st = WEFT_OK;
    if (io->n != local_count)
        return weft_report(cx, WEFT_D_internal, loc,
                           "the partitioned program has another number of arguments or results");
    *copy = weft_arena_dup(arena, io->v, io->n * sizeof *io->v, _Alignof(weft_io));
    *layouts = weft_arena_array(arena, weft_layout, io->n);
    if (!*copy || !*layouts) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < io->n; i++)
        st = weft_io_layout(cx, arena, &io->v[i], &local[i], p->device_count, loc, &(*layouts)[i]);
    return st;
}

static weft_compile_options options_of(const weft_built_program *p, const weft_build_options *opt) {
    weft_compile_options co = { .flags = opt ? opt->compile_flags : 0, .device_count = p->device_count,
                                .join_bytes = p->join_bytes,
                                .machine = opt ? opt->machine : NULL };
    if (opt)
        co.custom_costs = opt->custom_costs, co.custom_cost_count = opt->custom_cost_count,
        co.assumed_trips = opt->assumed_trips, co.cpu = opt->cpu, co.dump = opt->dump, co.dumped = opt->dumped,
        co.foreign = opt->foreign, co.cache = opt->cache, co.process = opt->process, co.processes = opt->processes,
        co.waiting = opt->waiting;
    return co;
}

/* What legalization aims at: no arrays beside loops, and tiles wherever they save memory; or time. */
typedef enum aim { FOR_TIME, FOR_MEMORY } aim;

static weft_status legalize(weft_context *cx, const weft_build_options *opt, aim how, weft_module **m) {
    const weft_environment environment = { .machine = opt ? opt->machine : NULL };
    const weft_pass_option small[] = { { WEFT_STR("stack-steps"), WEFT_STR("false") },
                                       { WEFT_STR("always-tile"), WEFT_STR("true") } };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-legalize"), .options = small,
                                      .option_count = how == FOR_MEMORY ? WEFT_COUNT(small) : 0,
                                      .environment = &environment, .flags = WEFT_PIPELINE_TAKE };
    return weft_pipeline_call_run(cx, &call, m);
}

/* Kernels that would hold more than this share of what the program takes as it is, for what they compute together, are
 * several where memory is short. Of nine programs (sums of products, layers, MoE), an eighth left up to 1.8 times the
 * least memory; a 4096th was a few percent better for three and worse for one. */
#define JOIN_SHARE (1.0 / 64)

/* *m within the memory that opt allows, by one way or, kernels apart, by the other. *whole: what the first program of
 * all takes as it is; 0: this is the first. *least: the least of any program. */
static weft_status fit_kernels(weft_context *cx, const weft_build_options *opt, weft_compile_options *co,
                               weft_module **m, int64_t *whole, int64_t *least) {
    weft_module *fresh = NULL; /* without values that are computed again */
    int64_t first, peak;
    weft_status st = weft_module_clone(*m, &fresh);
    co->join_bytes = 0;
    if (st == WEFT_OK) st = weft_fit_memory(cx, *m, co, opt->memory_bytes, &first, &peak);
    if (st == WEFT_OK) *least = weft_min_i64(*least, peak);
    if (st == WEFT_OK && peak > opt->memory_bytes) {
        if (!*whole) *whole = first;
        weft_module_free(*m);
        *m = fresh;
        fresh = NULL;
        co->join_bytes = weft_max_i64((int64_t)(JOIN_SHARE * (double)*whole), 1);
        st = weft_fit_memory(cx, *m, co, opt->memory_bytes, &first, &peak);
        if (st == WEFT_OK) *least = weft_min_i64(*least, peak);
    }
    weft_module_free(fresh);
    return st;
}

/* What is done for less memory, in this order: values that are computed again, if need be all of them; kernels apart
 * that would be one for speed; loops that add up what they could add up after them, and scores of attention in tiles
 * even where that takes longer. *small: the program before legalization, or NULL. */
static weft_status fit(weft_context *cx, const weft_build_options *opt, weft_compile_options *co, weft_module **m,
                       weft_module **small) {
    int64_t whole = 0, least = INT64_MAX;
    weft_status st = fit_kernels(cx, opt, co, m, &whole, &least);
    if (st == WEFT_OK && least > opt->memory_bytes && *small) {
        weft_module *fast = *m;
        *m = *small;
        *small = fast;
        st = legalize(cx, opt, FOR_MEMORY, m);
        if (st == WEFT_OK) st = fit_kernels(cx, opt, co, m, &whole, &least);
    }
    if (st != WEFT_OK || least <= opt->memory_bytes) return st;
    return weft_refuse_memory(cx, *m, least, opt->memory_bytes);
}

/* The local program as code generation needs it. */
static weft_status ready(weft_context *cx, weft_built_program *p, const weft_build_options *opt) {
    weft_compile_options co = options_of(p, opt);
    weft_module *small = NULL;
    weft_rematerialized done;
    const bool may_shrink =
        opt && opt->memory_bytes &&
        (weft_module_had(p->local, WEFT_OP_while) || weft_module_had(p->local, WEFT_OP_dot_general));
    weft_status st = may_shrink ? weft_module_clone(p->local, &small) : WEFT_OK;
    if (st == WEFT_OK) st = legalize(cx, opt, FOR_TIME, &p->local);
    if (st == WEFT_OK && opt && opt->remat)
        st = weft_rematerialize(p->local, opt->machine ? opt->machine : &weft_machine_default, 0,
                                opt->remat == WEFT_REMAT_KEEPS_PRODUCTS, &done);
    if (st == WEFT_OK && opt && opt->memory_bytes) st = fit(cx, opt, &co, &p->local, &small);
    weft_module_free(small);
    p->join_bytes = co.join_bytes;
    return st;
}

static weft_status compile(weft_context *cx, weft_built_program *p, const weft_build_options *opt, const io_list *args,
                           const io_list *results, const whole_list *whole) {
    const weft_compile_options co = options_of(p, opt);
    const weft_loc *loc = weft_module_main(p->local)->loc;
    weft_status st = weft_codegen_compile(cx, p->local, &co, &p->exec);
    if (st == WEFT_OK) st = lay_out(cx, p, args, p->exec->args, p->exec->arg_count, loc, &p->args, &p->arg_layouts);
    if (st == WEFT_OK)
        st = lay_out(cx, p, results, p->exec->results, p->exec->result_count, loc, &p->results, &p->result_layouts);
    p->whole = st == WEFT_OK
                   ? weft_arena_dup(&p->local->arena, whole->v, whole->n * sizeof *whole->v, _Alignof(weft_whole_value))
                   : NULL;
    if (st == WEFT_OK && !p->whole) st = weft_oom();
    p->whole_count = p->whole ? whole->n : 0;
    return st;
}

/* The partitioner's passes, for this machine and the flags. */
static weft_status export(weft_context *cx, const weft_build_options *opt, weft_module **m) {
    const weft_environment environment = { .machine = opt ? opt->machine : NULL };
    const bool apart = opt && opt->compile_flags & WEFT_COMPILE_NO_OVERLAP;
    weft_pass_option options[4];
    size_t n = 0;
    if (opt && opt->obey_constraints)
        options[n++] = (weft_pass_option){ WEFT_STR("obey-constraints"), WEFT_STR("true") };
    if (opt && opt->plan) options[n++] = (weft_pass_option){ WEFT_STR("plan"), weft_str_from(opt->plan) };
    if (apart) options[n++] = (weft_pass_option){ WEFT_STR("collective-matmul"), WEFT_STR("false") };
    if (apart) options[n++] = (weft_pass_option){ WEFT_STR("pipeline-gathers"), WEFT_STR("false") };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-export"), .options = options, .option_count = n,
                                      .environment = &environment, .flags = WEFT_PIPELINE_TAKE };
    return weft_pipeline_call_run(cx, &call, m);
}

/* A copy of m whose meshes have symbols, and the requested sizes. */
static weft_status open_local(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                              weft_module **out) {
    const char *mesh = opt ? opt->mesh : NULL;
    weft_module *local, *resized;
    weft_status st = weft_module_clone(m, &local);
    if (st != WEFT_OK) return st;
    st = weft_pipeline_run(cx, WEFT_STR("weft-import"), WEFT_PIPELINE_TAKE, &local);
    /* the number of devices is that of the meshes with symbols */
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("sdy-lift-inlined-meshes"), WEFT_PIPELINE_TAKE, &local);
    if (st == WEFT_OK) st = weft_module_check_partitions(local);
    if (st == WEFT_OK && !(opt && opt->terms)) st = weft_module_sum_unreduced(local);
    if (st == WEFT_OK && mesh && (st = weft_module_resize_mesh(local, mesh, &resized)) == WEFT_OK) {
        weft_module_free(local);
        local = resized;
    }
    if (st == WEFT_OK) *out = local;
    else weft_module_free(local);
    return st;
}

/* For as many devices as it is to run on. */
static weft_status open_sized(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                              weft_module **out) {
    weft_status st = open_local(cx, m, opt, out);
    if (st != WEFT_OK) return st;
    if (opt && opt->order) st = weft_module_order_devices(*out, opt->order);
    if (st == WEFT_OK && opt && opt->devices) st = weft_module_set_devices(*out, opt->devices);
    return st == WEFT_OK ? weft_module_check_devices(*out) : st;
}

static weft_status propagate(weft_context *cx, const weft_build_options *opt, weft_module **m) {
    weft_pass_option options[2];
    size_t n = 0;
    if (opt && opt->even_borders)
        options[n++] = (weft_pass_option){ WEFT_STR("uneven-borders"), WEFT_STR("false") };
    if (opt && opt->precision)
        options[n++] = (weft_pass_option){ WEFT_STR("precision"), weft_str_from(opt->precision) };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-propagate"), .options = options, .option_count = n,
                                      .flags = WEFT_PIPELINE_TAKE };
    return weft_pipeline_call_run(cx, &call, m);
}

weft_status weft_program_propagate(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                                   weft_module **out) {
    *out = NULL;
    weft_status st = open_sized(cx, m, opt, out);
    if (st == WEFT_OK) st = propagate(cx, opt, out);
    if (st != WEFT_OK) {
        weft_module_free(*out);
        *out = NULL;
    }
    return st;
}

weft_status weft_program_build(weft_context *cx, const weft_module *m, const weft_build_options *options,
                               weft_built_program **out) {
    weft_build_options held, *opt = options ? &held : NULL;
    weft_machine machine; /* with room for the program */
    io_list args, results;
    whole_list whole = { 0 };
    weft_arena notes;
    bool compiled = true;
    weft_built_program *p = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *p);
    if (!p) return weft_oom();
    *p = (weft_built_program){ .cx = cx };
    weft_arena_init(&notes, &cx->alloc);
    if (opt) held = *options;
    weft_status st = open_sized(cx, m, opt, &p->local);
    if (st == WEFT_OK) p->device_count = weft_module_devices(p->local);
    if (st == WEFT_OK && opt && opt->machine) {
        machine = *opt->machine;
        opt->machine = &machine;
        st = weft_machine_hold(cx, &machine, p->device_count);
    }
    if (st == WEFT_OK) st = propagate(cx, opt, &p->local);
    if (st == WEFT_OK) st = note_io(p->local, &notes, &args, &results);
    if (st == WEFT_OK && p->device_count > 1) st = weft_memory_whole_values(p->local, &notes, &whole.v, &whole.n);
    if (st == WEFT_OK) st = export(cx, opt, &p->local);
    if (st == WEFT_OK) st = ready(cx, p, opt);
    if (st == WEFT_OK && opt && opt->question)
        st = opt->question->ask(opt->question->user, p, opt->machine, &compiled);
    if (st == WEFT_OK && compiled) st = compile(cx, p, opt, &args, &results, &whole);
    weft_arena_free(&notes);
    if (st == WEFT_OK) *out = p;
    else weft_built_program_free(p);
    return st;
}

void weft_built_program_free(weft_built_program *p) {
    if (!p) return;
    weft_allocator alloc = p->cx->alloc;
    weft_executable_free(p->exec);
    weft_module_free(p->local);
    alloc.resize(alloc.user, p, sizeof *p, 0);
}
