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

/* The parts into which its sharding splits the argument. */
static weft_status parts_of(weft_context *cx, weft_arena *arena, const weft_built_program *p, uint32_t i,
                            double *parts) {
    weft_layout l;
    *parts = 1;
    if (!weft_type_is_tensor(p->args[i].global)) return WEFT_OK;
    const weft_mark mark = weft_arena_mark(arena);
    const weft_status st = weft_io_layout(cx, arena, &p->args[i], NULL, p->device_count, NULL, &l);
    for (uint32_t d = 0; st == WEFT_OK && d < l.rank; d++)
        for (uint32_t a = 0; a < l.dims[d].axis_count; a++) *parts *= (double)l.dims[d].axes[a].size;
    weft_arena_reset(arena, mark);
    return st;
}

weft_status weft_memory_excess(weft_context *cx, weft_arena *arena, const weft_built_program *p,
                               const weft_roles *roles, double *excess, double *padding) {
    const weft_executable *x = p->exec;
    weft_status st = WEFT_OK;
    for (int i = 0; i < WEFT_ROLES; i++) excess[i] = padding[i] = 0;
    for (uint32_t i = 0; i < x->arg_count && i < roles->argument_count && st == WEFT_OK; i++) {
        const double whole = (double)weft_type_bytes(p->args[i].global), held = (double)x->args[i].bytes;
        const double share = whole / (double)p->device_count;
        double parts;
        st = parts_of(cx, arena, p, i, &parts);
        if (st != WEFT_OK) break;
        const double pad = held > whole / parts ? held - whole / parts : 0;
        padding[roles->of[i]] += pad;
        if (held - pad > share) excess[roles->of[i]] += held - pad - share;
    }
    return st;
}
