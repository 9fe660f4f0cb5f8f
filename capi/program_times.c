/* program_times.c: where the time of a program's runs goes; see weft/array.h. */
#include "capi/array_impl.h"
#include "capi/program_impl.h"
#include "runtime/loaded_program.h"
#include "runtime/profile_lines.h"

weft_status(weft_program_measure)(weft_program *p) {
    return p ? weft_loaded_program_measure(weft_program_loaded(p), 0) : WEFT_ERR_USAGE;
}

weft_status weft_program_measure_at(weft_source at, weft_program *p) {
    const weft_call call = weft_call_begin(p ? weft_client_context(p->client) : NULL, at);
    return weft_call_end(call, (weft_program_measure)(p));
}

static weft_status copy(weft_arena *arena, const weft_profile_line *lines, size_t n, const weft_program_time **out) {
    weft_program_time *v = weft_arena_array(arena, weft_program_time, n + 1);
    if (!v) return weft_oom();
    for (size_t i = 0; i < n; i++) {
        const weft_profile_line *l = &lines[i];
        v[i] = (weft_program_time){ .kind = weft_step_class_name(l->kind),
                                    .name = weft_arena_strdup(arena, l->name.p, l->name.n), .place = l->place,
                                    .time_s = l->time_s, .calls = l->calls, .flops = l->flops, .bytes = l->bytes };
        if (!v[i].name) return weft_oom();
    }
    *out = v;
    return WEFT_OK;
}

weft_status(weft_program_times)(weft_program *p, const weft_program_time **out, size_t *n, double *run_s) {
    if (!p) return WEFT_ERR_USAGE;
    if (!out || !n || !run_s)
        return weft_report(weft_client_context(p->client), WEFT_D_usage, NULL,
                           "the times of a program have no output pointers: out, n or run_s is NULL");
    weft_loaded_program *l = weft_program_loaded(p);
    const weft_profile *measured = weft_loaded_program_profile(l, 0);
    weft_profile_line *lines, kinds[WEFT_STEP_CLASSES];
    size_t count;
    *out = NULL;
    *n = 0;
    *run_s = 0;
    if (!measured || !measured->executions) return WEFT_OK;
    weft_arena *arena = weft_program_arena(p);
    weft_status st = weft_profile_lines(arena, weft_loaded_program_executable(l), measured, NULL, NULL, &lines, &count,
                                        kinds);
    if (st == WEFT_OK) st = copy(arena, lines, count, out);
    if (st != WEFT_OK) return st;
    *n = count;
    *run_s = measured->total_s / (double)measured->executions;
    return WEFT_OK;
}

weft_status weft_program_times_at(weft_source at, weft_program *p, const weft_program_time **out, size_t *n,
                                  double *run_s) {
    const weft_call call = weft_call_begin(p ? weft_client_context(p->client) : NULL, at);
    return weft_call_end(call, (weft_program_times)(p, out, n, run_s));
}
