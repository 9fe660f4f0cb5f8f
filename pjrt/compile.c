/* compile: a program as a framework sends it, to an executable and what is asked about it. */
#include <stdio.h>
#include <stdlib.h>
#include "ir/func_attrs.h"
#include "pjrt/ffi.h"
#include "runtime/quick.h"

/* --- what a framework asks --- */

static pjrt_memory_kind memory_of(const weft_attr *dict) {
    const weft_attr *kind = weft_dict_get_named(dict, "mhlo.memory_kind");
    return kind && kind->kind == WEFT_ATTR_STRING ? pjrt_memory_kind_named(kind->s.p, kind->s.n) : PJRT_MEMORY_DEVICE;
}

static const weft_attr *entry(const weft_op *main, weft_attr_name side, uint32_t i) {
    const weft_attr *list = main ? weft_op_attr(main, side) : NULL;
    return list && list->kind == WEFT_ATTR_ARRAY && i < list->items.n ? list->items.v[i] : NULL;
}

static weft_status note_memories(pjrt_executable *x, const weft_op *main, weft_attr_name side, uint32_t n,
                                 const char ***names, size_t **sizes) {
    *names = weft_arena_array(&x->arena, const char *, n);
    *sizes = weft_arena_array(&x->arena, size_t, n);
    if (!*names || !*sizes) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        (*names)[i] = pjrt_memory_kind_name(memory_of(entry(main, side, i)));
        (*sizes)[i] = strlen((*names)[i]);
    }
    return WEFT_OK;
}

/* The sharding of each; none of any where one cannot be said. */
static weft_status note_shardings(const weft_layout *layouts, uint32_t n, pjrt_texts *out) {
    weft_status st = WEFT_OK;
    out->v = calloc(n + 1, sizeof *out->v);
    out->sizes = calloc(n + 1, sizeof *out->sizes);
    if (!out->v || !out->sizes) return weft_oom();
    out->n = n;
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        weft_buf text;
        weft_buf_init(&text, &pjrt_heap);
        st = pjrt_sharding_write(&layouts[i], &text);
        if (st == WEFT_OK && !text.p) weft_buf_putc(&text, '\0'), text.n = 0;
        out->v[i] = text.p;
        out->sizes[i] = text.n;
        if (text.failed) st = weft_oom();
    }
    return st;
}

static weft_status note_outputs(pjrt_executable *x, const weft_op *main) {
    const weft_executable *e = x->exec;
    size_t dims = 0;
    for (uint32_t r = 0; r < e->result_count; r++) dims += e->results[r].rank;
    x->output_types = weft_arena_array(&x->arena, uint32_t, e->result_count);
    x->output_ranks = weft_arena_array(&x->arena, size_t, e->result_count);
    x->output_kinds = weft_arena_array(&x->arena, pjrt_memory_kind, e->result_count);
    x->output_dims = weft_arena_array(&x->arena, int64_t, dims);
    if (!x->output_types || !x->output_ranks || !x->output_kinds || !x->output_dims) return weft_oom();
    dims = 0;
    for (uint32_t r = 0; r < e->result_count; r++) {
        x->output_types[r] = pjrt_type_of(e->results[r].dtype);
        x->output_ranks[r] = e->results[r].rank;
        x->output_kinds[r] = memory_of(entry(main, WEFT_A_res_attrs, r));
        for (uint32_t d = 0; d < e->results[r].rank; d++) x->output_dims[dims++] = e->results[r].dims[d];
    }
    return WEFT_OK;
}

/* As the program asks for each; a program that was read as bytes does not say it. */
static weft_status note_layouts(pjrt_executable *x, const weft_op *main, weft_attr_name side, const weft_exec_value *v,
                                uint32_t n, const pjrt_layout ***out) {
    if (!main) return WEFT_OK;
    *out = weft_arena_array(&x->arena, const pjrt_layout *, n + 1);
    if (!*out) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        const weft_attr *dict = entry(main, side, i);
        const weft_attr *mode = dict ? weft_dict_get_named(dict, "mhlo.layout_mode") : NULL;
        const weft_str text = mode && mode->kind == WEFT_ATTR_STRING ? mode->s : (weft_str){ "", 0 };
        (*out)[i] = pjrt_layout_asked(&x->arena, text, v[i].rank);
        if (!(*out)[i]) return weft_oom();
    }
    return WEFT_OK;
}

/* --- costs --- */

static pjrt_named_value number(const char *name, double v) {
    return (pjrt_named_value){ .struct_size = sizeof(pjrt_named_value), .name = name, .name_size = strlen(name),
                               .type = PJRT_VALUE_FLOAT, .float_value = (float)v, .value_size = 1 };
}

static void note_costs(pjrt_executable *x) {
    const weft_work c = weft_plan_work(&x->exec->plan);
    x->costs[0] = number("flops", c.flops);
    x->costs[1] = number("bytes accessed", c.bytes);
    x->costs[2] = number("optimal_seconds", weft_work_s(&c));
    x->quick = weft_executable_is_quick(x->exec);
}

pjrt_error *pjrt_executable_note(pjrt_executable *x, const weft_op *main) {
    const weft_executable *e = x->exec;
    weft_status st = note_memories(x, main, WEFT_A_res_attrs, e->result_count, &x->output_memories,
                                   &x->output_memory_sizes);
    if (st == WEFT_OK)
        st = note_memories(x, main, WEFT_A_arg_attrs, e->arg_count, &x->parameter_memories, &x->parameter_memory_sizes);
    if (st == WEFT_OK) st = note_outputs(x, main);
    if (st == WEFT_OK) st = note_shardings(x->result_layouts, e->result_count, &x->output_shardings);
    if (st == WEFT_OK) st = note_shardings(x->arg_layouts, e->arg_count, &x->parameter_shardings);
    if (st == WEFT_OK)
        st = note_layouts(x, main, WEFT_A_res_attrs, e->results, e->result_count, &x->output_lies);
    if (st == WEFT_OK) st = note_layouts(x, main, WEFT_A_arg_attrs, e->args, e->arg_count, &x->parameter_lies);
    if (st != WEFT_OK) return pjrt_error_of(x->cx, st);
    note_costs(x);
    snprintf(x->fingerprint, sizeof x->fingerprint, "%016llx", (unsigned long long)e->fingerprint);
    return pjrt_ffi_open(x);
}

/* --- making --- */

pjrt_error *pjrt_executable_new(const char *options, size_t options_size, pjrt_executable **out) {
    pjrt_executable *x = calloc(1, sizeof *x);
    if (!x) return pjrt_no_memory();
    x->refs = 1;
    pthread_mutex_init(&x->lock, NULL);
    x->cx = weft_context_new(NULL);
    weft_arena_init(&x->arena, &pjrt_heap);
    weft_buf_init(&x->optimized, &pjrt_heap);
    x->options = malloc(options_size + 1);
    pjrt_error *e = x->cx && x->options ? pjrt_options_read(options, options_size, &x->asked) : pjrt_no_memory();
    if (!e) {
        if (options_size) memcpy(x->options, options, options_size);
        x->options_size = options_size;
        *out = x;
        return NULL;
    }
    pjrt_executable_release(x);
    return e;
}

static weft_status set_name(pjrt_executable *x, const weft_module *m) {
    const weft_str name = weft_op_symbol(m->root, WEFT_A_sym_name);
    x->name = weft_arena_array(&x->arena, char, name.n + 1);
    if (!x->name) return weft_oom();
    if (name.n) memcpy(x->name, name.p, name.n);
    x->name[name.n] = '\0';
    return WEFT_OK;
}

/* The arguments that the caller gives up: those whose memory results take, those donated to a result by its number, and
 * of the others that are offered each that is as large as a result that has no donor. XLA pairs them by size. */
static weft_status note_donors(pjrt_executable *x, const weft_op *main) {
    const weft_executable *e = x->exec;
    bool *has = weft_arena_array(&x->arena, bool, e->result_count);
    x->donors = weft_arena_array(&x->arena, bool, e->arg_count);
    if (!has || !x->donors) return weft_oom();
    for (uint32_t r = 0; r < e->result_count; r++) {
        const int64_t donor = e->results[r].alias >= 0 ? e->results[r].alias : e->results[r].becomes;
        if (donor >= 0) has[r] = x->donors[donor] = true;
    }
    for (uint32_t i = 0; main && i < e->arg_count; i++) {
        const weft_attr *to = weft_func_arg_attr(main, i, WEFT_A_tf_aliasing_output);
        if (to && to->kind == WEFT_ATTR_INT && to->i >= 0 && to->i < e->result_count) has[to->i] = x->donors[i] = true;
    }
    for (uint32_t i = 0; main && i < e->arg_count; i++) {
        const bool is_offered = weft_func_arg_is_offered(main, i);
        for (uint32_t r = 0; is_offered && !x->donors[i] && r < e->result_count; r++)
            if (!has[r] && e->results[r].bytes == e->args[i].bytes) has[r] = x->donors[i] = true;
    }
    return WEFT_OK;
}

/* An array stands for a token, of whichever shape the framework gives it; nothing reads it. */
static weft_status note_arguments(pjrt_executable *x, const weft_module *m) {
    const weft_op *main = weft_module_main(m);
    const weft_type *t = main ? weft_func_type(main) : NULL;
    const uint32_t n = x->exec->arg_count;
    x->tokens = weft_arena_array(&x->arena, bool, n);
    if (!x->tokens) return weft_oom();
    for (uint32_t i = 0; t && t->input_count == n && i < n; i++) x->tokens[i] = t->parts[i]->kind == WEFT_TYPE_TOKEN;
    return note_donors(x, t && t->input_count == n ? main : NULL);
}

static pjrt_error *check_devices(const pjrt_executable *x) {
    const int64_t asked = x->asked.replicas * x->asked.partitions;
    if (x->built->device_count == asked) return NULL;
    return pjrt_error_new(PJRT_INVALID_ARGUMENT,
                          "the program is for %lld devices, by its meshes or mhlo.num_partitions, and it was to be compiled for %lld",
                          (long long)x->built->device_count, (long long)asked);
}

static pjrt_error *build(pjrt_executable *x, const pjrt_program *program) {
    weft_module *m = NULL;
    const weft_foreign foreign = { pjrt_ffi_has, NULL };
    weft_build_options opt = { .devices = x->asked.replicas * x->asked.partitions, .even_borders = true,
                               .terms = true, .foreign = &foreign };
    weft_status st = pjrt_memory_asked(x->cx, &opt.memory_bytes);
    if (st == WEFT_OK)
        st = weft_read_text(x->cx, (weft_str){ program->code, program->code_size }, "program", 0, &m);
    if (st == WEFT_OK) st = set_name(x, m);
    if (st == WEFT_OK) st = weft_program_build_kept(x->cx, m, &opt, &x->built);
    pjrt_error *e = st == WEFT_OK ? check_devices(x) : pjrt_error_of(x->cx, st);
    if (!e) {
        x->exec = x->built->exec;
        x->arg_layouts = x->built->arg_layouts;
        x->result_layouts = x->built->result_layouts;
        e = note_arguments(x, m) == WEFT_OK ? pjrt_executable_note(x, weft_module_main(m)) : pjrt_no_memory();
    }
    weft_module_free(m);
    return e;
}

pjrt_error *pjrt_executable_compile(const pjrt_program *program, const char *options, size_t options_size,
                                    pjrt_executable **out) {
    if (!program || !program->code || !program->format)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "there is no program to compile");
    if (program->format_size != 4 || memcmp(program->format, "mlir", 4))
        return pjrt_error_new(PJRT_UNIMPLEMENTED, "Weft compiles programs in the format mlir, not %.*s",
                              (int)weft_min_i64((int64_t)program->format_size, 100), program->format);
    pjrt_executable *x;
    pjrt_error *e = pjrt_executable_new(options, options ? options_size : 0, &x);
    if (e) return e;
    e = build(x, program);
    if (e) pjrt_executable_release(x);
    else *out = x;
    return e;
}

/* --- the API --- */

pjrt_error *pjrt_Client_Compile(pjrt_Client_Compile_args *a) {
    pjrt_executable *x;
    pjrt_error *e = pjrt_executable_compile(a->program, a->compile_options, a->compile_options_size, &x);
    if (e) return e;
    e = pjrt_inspect(a->client, x, a->program);
    if (!e) e = pjrt_load(a->client, x, &a->executable);
    pjrt_executable_release(x);
    return e;
}

pjrt_error *pjrt_Compile(pjrt_Compile_args *a) {
    return pjrt_executable_compile(a->program, a->compile_options, a->compile_options_size, &a->executable);
}

pjrt_error *pjrt_Client_Load(pjrt_Client_Load_args *a) {
    if (!a->executable) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the program to load is NULL");
    return pjrt_load(a->client, a->executable, &a->loaded_executable);
}
