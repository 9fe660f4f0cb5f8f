/* memory_use.c: see memory_use.h. */
#include "pipeline/dryrun/memory_use.h"

const char *weft_use_of_memory_name(weft_use_of_memory use) {
    static const char *const names[WEFT_USES_OF_MEMORY] = { "parameters",  "state",       "data",        "results",
                                                            "gradients",   "activations", "temporaries", "constants" };
    return names[use];
}

/* Whether t has the sizes that a parameter has on the device. */
static bool is_like_parameter(const weft_built_program *p, const weft_roles *roles, const weft_type *t) {
    const weft_type *main = weft_func_type(weft_module_main(p->local));
    if (!weft_type_is_tensor(t) || !weft_dtype_is_float(t->dtype) || !t->rank) return false;
    for (uint32_t i = 0; i < roles->argument_count && i < main->input_count; i++) {
        const weft_type *a = main->parts[i];
        if (roles->of[i] == WEFT_ROLE_PARAMETER && a->rank == t->rank &&
            !memcmp(a->dims, t->dims, t->rank * sizeof *t->dims)) return true;
    }
    return false;
}

void weft_memory_use(const weft_built_program *p, const weft_roles *roles, const weft_task_memory *live,
                     double *bytes) {
    static const weft_use_of_memory of_role[] = { [WEFT_ROLE_PARAMETER] = WEFT_USE_PARAMETERS,
                                                  [WEFT_ROLE_STATE] = WEFT_USE_STATE,
                                                  [WEFT_ROLE_DATA] = WEFT_USE_DATA };
    const weft_executable *x = p->exec;
    double left = (double)x->plan.temp_bytes;
    for (int i = 0; i < WEFT_USES_OF_MEMORY; i++) bytes[i] = 0;
    double known = 0;
    for (uint32_t i = 0; i < x->arg_count && i < roles->argument_count; i++) {
        bytes[of_role[roles->of[i]]] += (double)x->args[i].bytes;
        known += (double)x->args[i].bytes;
    }
    bytes[WEFT_USE_DATA] += (double)x->plan.argument_bytes - known; /* alignment */
    bytes[WEFT_USE_RESULTS] = (double)(x->plan.result_bytes - x->plan.alias_bytes);
    bytes[WEFT_USE_CONSTANTS] = (double)x->plan.constant_bytes;
    for (size_t i = 0; live && i < live->live_count; i++) {
        const weft_task_buffer *b = &live->live[i];
        const bool gradient = is_like_parameter(p, roles, b->value->type);
        if (!gradient && !b->is_kept) continue;
        bytes[gradient ? WEFT_USE_GRADIENTS : WEFT_USE_ACTIVATIONS] += b->bytes;
        left -= b->bytes;
    }
    bytes[WEFT_USE_TEMPORARIES] = left > 0 ? left : 0;
}

void weft_memory_excess(const weft_built_program *p, const weft_roles *roles, double *bytes) {
    const weft_executable *x = p->exec;
    for (int i = 0; i < WEFT_ROLES; i++) bytes[i] = 0;
    for (uint32_t i = 0; i < x->arg_count && i < roles->argument_count; i++) {
        const double share = (double)weft_type_bytes(p->args[i].global) / (double)p->device_count;
        if ((double)x->args[i].bytes > share) bytes[roles->of[i]] += (double)x->args[i].bytes - share;
    }
}
