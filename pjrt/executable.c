/* executable: a compiled program, and what a framework asks it. compile.c makes it. */
#include <stdlib.h>
#include "ir/builder.h"
#include "pjrt/ffi.h"

pjrt_executable *pjrt_executable_retain(pjrt_executable *x) {
    atomic_fetch_add(&x->refs, 1);
    return x;
}

static void free_texts(pjrt_texts *t) {
    for (size_t i = 0; t->v && i < t->n; i++) free(t->v[i]);
    free(t->v);
    free(t->sizes);
}

void pjrt_executable_release(pjrt_executable *x) {
    if (!x || atomic_fetch_sub(&x->refs, 1) != 1) return;
    pjrt_ffi_close(x->foreign);
    weft_built_program_free(x->built);
    weft_executable_free(x->read);
    weft_arena_free(&x->arena);
    free_texts(&x->output_shardings);
    free_texts(&x->parameter_shardings);
    weft_buf_free(&x->optimized);
    pjrt_options_end(&x->asked);
    free(x->options);
    weft_context_free(x->cx);
    pthread_mutex_destroy(&x->lock);
    free(x);
}

/* --- the API --- */

pjrt_error *pjrt_Executable_Destroy(pjrt_Executable_Destroy_args *a) {
    pjrt_executable_release(a->executable);
    return NULL;
}

pjrt_error *pjrt_Executable_Name(pjrt_Executable_Name_args *a) {
    return pjrt_give(a->executable->name, &a->executable_name, &a->executable_name_size);
}

pjrt_error *pjrt_Executable_NumReplicas(pjrt_Executable_NumReplicas_args *a) {
    a->num_replicas = (size_t)a->executable->asked.replicas;
    return NULL;
}

pjrt_error *pjrt_Executable_NumPartitions(pjrt_Executable_NumPartitions_args *a) {
    a->num_partitions = (size_t)a->executable->asked.partitions;
    return NULL;
}

pjrt_error *pjrt_Executable_NumOutputs(pjrt_Executable_NumOutputs_args *a) {
    a->num_outputs = a->executable->exec->result_count;
    return NULL;
}

pjrt_error *pjrt_Executable_SizeOfGeneratedCodeInBytes(pjrt_Executable_SizeOfGeneratedCodeInBytes_args *a) {
    a->size_in_bytes = (int64_t)a->executable->exec->image.bytes;
    return NULL;
}

/* What the plan counts for one device: the numbers of the dry run. */
pjrt_error *pjrt_Executable_GetCostAnalysis(pjrt_Executable_GetCostAnalysis_args *a) {
    a->properties = a->executable->costs;
    a->num_properties = WEFT_COUNT(a->executable->costs);
    return NULL;
}

pjrt_error *pjrt_Executable_GetCompiledMemoryStats(pjrt_Executable_GetCompiledMemoryStats_args *a) {
    const weft_executable *x = a->executable->exec;
    const weft_plan *p = &x->plan;
    a->generated_code_size_in_bytes = (int64_t)x->image.bytes;
    a->argument_size_in_bytes = p->argument_bytes;
    a->output_size_in_bytes = p->result_bytes;
    a->alias_size_in_bytes = p->alias_bytes;
    a->temp_size_in_bytes = p->temp_bytes;
    a->host_generated_code_size_in_bytes = a->host_argument_size_in_bytes = a->host_output_size_in_bytes = 0;
    a->host_alias_size_in_bytes = a->host_temp_size_in_bytes = 0;
    a->peak_memory_in_bytes = a->total_size_in_bytes = weft_plan_peak_bytes(p);
    a->total_allocation_bytes = p->temp_bytes + p->result_bytes - p->alias_bytes;
    a->indefinite_allocations = p->constant_bytes;
    a->peak_unpadded_heap_bytes = p->temp_bytes;
    return NULL;
}

pjrt_error *pjrt_Executable_OutputMemoryKinds(pjrt_Executable_OutputMemoryKinds_args *a) {
    a->num_outputs = a->executable->exec->result_count;
    a->memory_kinds = a->executable->output_memories;
    a->memory_kind_sizes = a->executable->output_memory_sizes;
    return NULL;
}

pjrt_error *pjrt_Executable_ParameterMemoryKinds(pjrt_Executable_ParameterMemoryKinds_args *a) {
    a->num_parameters = a->executable->exec->arg_count;
    a->memory_kinds = a->executable->parameter_memories;
    a->memory_kind_sizes = a->executable->parameter_memory_sizes;
    return NULL;
}

/* On each device. */
pjrt_error *pjrt_Executable_OutputElementTypes(pjrt_Executable_OutputElementTypes_args *a) {
    a->output_types = a->executable->output_types;
    a->num_output_types = a->executable->exec->result_count;
    return NULL;
}

pjrt_error *pjrt_Executable_OutputDimensions(pjrt_Executable_OutputDimensions_args *a) {
    a->num_outputs = a->executable->exec->result_count;
    a->dims = a->executable->output_dims;
    a->dim_sizes = a->executable->output_ranks;
    return NULL;
}

pjrt_error *pjrt_Executable_Fingerprint(pjrt_Executable_Fingerprint_args *a) {
    return pjrt_give(a->executable->fingerprint, &a->executable_fingerprint, &a->executable_fingerprint_size);
}

static weft_status set_root(weft_module *m, const char *name, const weft_attr *value) {
    const weft_name interned = weft_name_from(m->cx, name);
    return interned && value ? weft_op_set_attr(m, m->root, interned, value) : weft_oom();
}

static weft_status name_output_shardings(weft_module *m, const pjrt_texts *of) {
    weft_buf all;
    weft_buf_init(&all, &pjrt_heap);
    pjrt_sharding_of_all(of, &all);
    const weft_attr *value = all.failed ? NULL : weft_attr_string(m->cx, (weft_str){ all.p, all.n });
    weft_buf_free(&all);
    return set_root(m, "mhlo.spmd_output_sharding", value);
}

static weft_status name_parameter_shardings(weft_module *m, const pjrt_texts *of) {
    const weft_attr **each = weft_arena_array(&m->arena, const weft_attr *, of->n);
    if (!each) return weft_oom();
    for (size_t i = 0; i < of->n; i++)
        if (!(each[i] = weft_attr_string(m->cx, (weft_str){ of->v[i], of->sizes[i] }))) return weft_oom();
    return set_root(m, "mhlo.spmd_parameters_shardings", weft_attr_array(m->cx, each, (uint32_t)of->n));
}

/* A jaxlib older than the extension of shardings (0.8 and before) asks the partitioned program where its arguments and
 * results are: module attributes that become HLO's. */
static weft_status name_shardings(const pjrt_executable *x) {
    weft_status st = WEFT_OK;
    if (x->output_shardings.n) st = name_output_shardings(x->built->local, &x->output_shardings);
    if (st != WEFT_OK || !x->parameter_shardings.n) return st;
    return name_parameter_shardings(x->built->local, &x->parameter_shardings);
}

pjrt_error *pjrt_optimized_print(pjrt_executable *x) {
    weft_status st = WEFT_OK;
    if (!x->built || x->optimized.n) return NULL;
    weft_buf text;
    weft_buf_init(&text, &pjrt_heap);
    st = name_shardings(x);
    if (st == WEFT_OK) st = weft_print_module(x->built->local, WEFT_PRINT_DENSE_GROUPS, &text);
    if (st == WEFT_OK && text.failed) st = weft_oom();
    if (st == WEFT_OK) x->optimized = text;
    else weft_buf_free(&text);
    return st == WEFT_OK ? NULL : pjrt_error_of(x->cx, st);
}

/* The partitioned program: first its size, then its text into the caller's memory. */
pjrt_error *pjrt_Executable_OptimizedProgram(pjrt_Executable_OptimizedProgram_args *a) {
    pjrt_executable *x = a->executable;
    pjrt_program *p = a->program;
    if (!p) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "there is no room for the program: program is NULL");
    pthread_mutex_lock(&x->lock);
    pjrt_error *e = pjrt_optimized_print(x);
    pthread_mutex_unlock(&x->lock);
    if (e) return e;
    p->format = "mlir";
    p->format_size = 4;
    if (p->code && p->code_size < x->optimized.n)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the program has %zu bytes, there is room for %zu", x->optimized.n,
                              p->code_size);
    if (p->code) memcpy(p->code, x->optimized.p, x->optimized.n);
    p->code_size = x->optimized.n;
    return NULL;
}

static void free_options(void *options) { free(options); }

pjrt_error *pjrt_Executable_GetCompileOptions(pjrt_Executable_GetCompileOptions_args *a) {
    char *copy = malloc(a->executable->options_size + 1);
    if (!copy) return pjrt_no_memory();
    memcpy(copy, a->executable->options, a->executable->options_size);
    a->serialized_bytes = copy;
    a->serialized_bytes_size = a->executable->options_size;
    a->serialized_compile_options = copy;
    a->serialized_compile_options_deleter = free_options;
    return NULL;
}
