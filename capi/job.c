/* job.c: a graph on its devices: compiled, given data, stepped, read.
 *
 * Data moves by name here and by number in runtime/. An update is carried out as late as possible, before the next step
 * or before its input is written, so that until then the result can be read.
 */
#include "base/nearest.h"
#include "base/options.h"
#include "capi/agreement.h"
#include "capi/launch.h"
#include "pipeline/kept.h"
#include "runtime/execute.h"

typedef struct job_input {
    weft_name name;
    int64_t update;     /* the output that becomes this input, or -1 */
    bool pending;       /* a step has made the update, and it is not carried out yet */
} job_input;

struct weft_job {
    weft_context *cx;
    weft_arena arena;
    weft_kept program;
    weft_session *session;
    weft_processes processes;
    job_input *inputs;   /* as many as the program's arguments */
    weft_name *outputs;  /* as many as its results */
    weft_agreement agreement;
    int64_t steps;
};

/* ---- opening ---- */

static weft_status copy_ports(weft_job *j, const weft_graph *g) {
    j->inputs = weft_arena_array(&j->arena, job_input, g->inputs.n);
    j->outputs = weft_arena_array(&j->arena, weft_name, g->outputs.n);
    if (!j->inputs || !j->outputs) return weft_oom();
    for (size_t i = 0; i < g->inputs.n; i++) j->inputs[i] = (job_input){ .name = g->inputs.v[i].name, .update = -1 };
    for (uint32_t r = 0; r < j->program.exec->result_count; r++)
        if (j->program.exec->results[r].becomes >= 0) j->inputs[j->program.exec->results[r].becomes].update = r;
    for (size_t i = 0; i < g->outputs.n; i++) j->outputs[i] = g->outputs.v[i].name;
    return WEFT_OK;
}

static weft_status check_updates(weft_job *j, const weft_graph *g) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < g->inputs.n && st == WEFT_OK; i++) {
        int64_t r = j->inputs[i].update;
        if (r < 0 || weft_layout_equal(&j->program.arg_layouts[i], &j->program.result_layouts[r])) continue;
        st = weft_update_moves(j->cx, &g->inputs.v[i], "between steps");
    }
    return st;
}

static weft_status check_options(weft_context *cx, const weft_job_options *o) {
    weft_status st = weft_launch_check(cx, "weft_job_options", o->launch, o->threads);
    if (st == WEFT_OK) st = weft_constraints_check(cx, NULL, "weft_job_options", o->constraints);
    if (st != WEFT_OK) return st;
    if (o->memory_bytes < 0)
        return weft_report(cx, WEFT_D_usage, NULL, "weft_job_options.memory_bytes is %lld, a negative number",
                           (long long)o->memory_bytes);
    return WEFT_OK;
}

static weft_status prepare(weft_job *j, weft_graph *g, const weft_job_options *asked) {
    const weft_world *world = asked->world;
    weft_build_options build = { .obey_constraints = asked->constraints == WEFT_CONSTRAINTS_OBEYED,
                                 .memory_bytes = asked->memory_bytes,
                                 .process = j->processes.process, .processes = j->processes.processes };
    weft_status st = check_options(j->cx, asked);
    if (st == WEFT_OK)
        st = weft_precision_check(j->cx, NULL, "weft_job_options", asked->precision, &build.precision);
    if (st == WEFT_OK)
        st = g ? weft_graph_finish(g) : weft_report(j->cx, WEFT_D_usage, NULL, "a job needs a graph; this one is NULL");
    if (st == WEFT_OK) st = weft_graph_code(g, &build, &j->program);
    if (st == WEFT_OK) st = copy_ports(j, g);
    if (st == WEFT_OK) st = check_updates(j, g);
    if (st != WEFT_OK) return st;
    const int64_t devices = j->program.exec->device_count;
    if (!world) return weft_processes_share(j->cx, &j->processes, devices) ? WEFT_OK : WEFT_ERR_USAGE;
    if (weft_world_size(world) == devices) return WEFT_OK;
    return weft_report(j->cx, WEFT_D_usage, NULL, "the program is for %lld devices, the given world has %d ranks",
                       (long long)devices, weft_world_size(world));
}

static weft_status zero_inputs(weft_job *j) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < j->program.exec->arg_count; i++)
        st = weft_session_fill(j->session, i, &(weft_fill){ .kind = WEFT_FILL_CONSTANT });
    return st;
}

/* Without the caller's line, for those who have it by dlsym; so the name is in brackets, as it is a macro, too. */
weft_status(weft_job_open)(weft_context *cx, weft_graph *g, const weft_job_options *opt, weft_job **out) {
    weft_job_options asked;
    if (!out) return weft_report(cx, WEFT_D_usage, NULL, "the job has no output pointer: out is NULL");
    *out = NULL;
    weft_status read = WEFT_OPTIONS_READ(cx, NULL, weft_job_options, opt, &asked);
    if (read != WEFT_OK) return read;
    weft_job *j = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *j);
    if (!j) return weft_oom();
    *j = (weft_job){ .cx = cx, .processes = weft_launch_processes(asked.launch, asked.timeout_s, asked.threads,
                                                                 asked.world) };
    weft_arena_init(&j->arena, &cx->alloc);
    /* A process that failed still opens, so that the others learn of it instead of waiting. */
    weft_status prepared = prepare(j, g, &asked);
    bool speaker;
    weft_session_options so = { .processes = j->processes, .world = asked.world, .prepared = prepared,
                                .voices = WEFT_VOICES_EACH, .print = weft_graph_print, .user = g };
    weft_buf why;
    weft_buf_init(&why, &cx->alloc);
    if (prepared != WEFT_OK && weft_error_print(cx, prepared, &why) == WEFT_OK) so.why = why.p;
    if (prepared == WEFT_OK) {
        so.exec = j->program.exec;
        so.args = j->program.arg_layouts;
        so.results = j->program.result_layouts;
    }
    weft_status st = weft_session_open(cx, &so, &speaker, &j->session);
    weft_buf_free(&why);
    if (st == WEFT_OK) st = zero_inputs(j);
    if (st == WEFT_OK && j->processes.processes > 1)
        st = weft_agreement_open(&j->agreement, j->session, j->processes.process, j->program.exec->arg_count,
                                 &j->arena);
    if (st == WEFT_OK) *out = j;
    else weft_job_close(j);
    return st;
}

weft_status weft_job_open_at(weft_source at, weft_context *cx, weft_graph *g, const weft_job_options *opt,
                             weft_job **out) {
    const weft_call call = weft_call_begin(cx, at);
    return weft_call_end(call, (weft_job_open)(cx, g, opt, out));
}

void weft_job_close(weft_job *j) {
    if (!j) return;
    weft_session_close(j->session);
    weft_kept_free(&j->program);
    weft_arena_free(&j->arena);
    j->cx->alloc.resize(j->cx->alloc.user, j, sizeof *j, 0);
}

int weft_job_process(const weft_job *j) { return j ? j->processes.process : -1; }
int64_t weft_job_devices(const weft_job *j) { return j ? j->program.exec->device_count : 0; }

/* ---- data ---- */

static weft_status check_bytes(weft_job *j, const char *what, const char *name, const weft_layout *l, size_t bytes) {
    int64_t want = weft_layout_global_bytes(l);
    if ((int64_t)bytes == want) return WEFT_OK;
    return weft_report(j->cx, WEFT_D_data, NULL, "%s '%s' has %lld bytes, not %zu", what, name, (long long)want, bytes);
}

typedef weft_str job_name(const weft_job *j, uint32_t i);

static weft_str input_name(const weft_job *j, uint32_t i) { return weft_name_str(j->inputs[i].name); }
static weft_str output_name(const weft_job *j, uint32_t r) { return weft_name_str(j->outputs[r]); }

/* The number of `name` among the n inputs or outputs; -1, reported, if there is none. */
static int64_t number_of(weft_job *j, const char *name, const char *what, job_name *name_of, uint32_t n) {
    const weft_str word = weft_str_from(name ? name : "");
    for (uint32_t i = 0; name && i < n; i++)
        if (weft_str_equal(name_of(j, i), word)) return i;
    weft_nearest near = weft_nearest_to(word);
    for (uint32_t i = 0; i < n; i++) weft_nearest_offer(&near, name_of(j, i));
    (void)weft_report(j->cx, WEFT_D_usage, NULL, "there is no %s '%.*s'" WEFT_NEAREST, what, WEFT_STR_ARG(word),
                      WEFT_NEAREST_ARG(near));
    return -1;
}

static int64_t input_of(weft_job *j, const char *name) {
    return number_of(j, name, "input", input_name, j->program.exec->arg_count);
}

static int64_t output_of(weft_job *j, const char *name) {
    return number_of(j, name, "output", output_name, j->program.exec->result_count);
}

/* Carries out the update of input i if a step left one. */
static weft_status settle(weft_job *j, uint32_t i) {
    if (!j->inputs[i].pending) return WEFT_OK;
    j->inputs[i].pending = false;
    return weft_session_feed(j->session, (uint32_t)j->inputs[i].update, i);
}

weft_status(weft_job_write)(weft_job *j, const char *name, const void *data, size_t bytes) {
    if (!j) return WEFT_ERR_USAGE;
    const int64_t i = input_of(j, name);
    if (i < 0) return WEFT_ERR_USAGE;
    const weft_layout *l = &j->program.arg_layouts[i];
    weft_status st = check_bytes(j, "input", name, l, bytes);
    if (st == WEFT_OK && bytes && !data)
        st = weft_report(j->cx, WEFT_D_usage, NULL, "the data for input '%s' is NULL", name);
    if (st == WEFT_OK) st = settle(j, (uint32_t)i);
    if (st != WEFT_OK) return st;
    weft_agreement_wrote(&j->agreement, (size_t)i, data, bytes);
    weft_host_array global;
    weft_session_describe(l, &global);
    global.data = (void *)data; /* put only reads it */
    return weft_session_put(j->session, (uint32_t)i, &global);
}

weft_status weft_job_write_at(weft_source at, weft_job *j, const char *name, const void *data, size_t bytes) {
    const weft_call call = weft_call_begin(j ? j->cx : NULL, at);
    return weft_call_end(call, (weft_job_write)(j, name, data, bytes));
}

weft_status(weft_job_step)(weft_job *j) {
    if (!j) return WEFT_ERR_USAGE;
    uint32_t n = j->program.exec->arg_count;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) st = settle(j, i);
    if (st == WEFT_OK) st = weft_session_step(j->session);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < n; i++) j->inputs[i].pending = j->inputs[i].update >= 0;
    j->steps++;
    return WEFT_OK;
}

weft_status weft_job_step_at(weft_source at, weft_job *j) {
    const weft_call call = weft_call_begin(j ? j->cx : NULL, at);
    return weft_call_end(call, (weft_job_step)(j));
}

/* After different data processes go on, with a warning; after another number of steps they cannot. */
static weft_status agree(weft_job *j) {
    int rank;
    int64_t input;
    weft_status st = weft_agreement_check(&j->agreement, j->steps, &rank, &input);
    if (st != WEFT_OK || input < 0) return st;
    st = weft_report(j->cx, WEFT_D_input, NULL,
                     "rank %d was given other data for input '%s' than rank 0 up to step %lld", rank,
                     j->inputs[input].name->text, (long long)j->steps);
    weft_note(j->cx, NULL, "every process writes the same and makes the same steps: a process may have left one out");
    return st;
}

/* Whether result r is still in the step's memory. */
static bool is_readable(const weft_job *j, uint32_t r) {
    for (uint32_t i = 0; i < j->program.exec->arg_count; i++)
        if (j->inputs[i].update == (int64_t)r) return j->inputs[i].pending;
    return true;
}

weft_status(weft_job_read)(weft_job *j, const char *name, void *data, size_t bytes) {
    if (!j) return WEFT_ERR_USAGE;
    const int64_t r = output_of(j, name);
    if (r < 0) return WEFT_ERR_USAGE;
    weft_status st = check_bytes(j, "output", name, &j->program.result_layouts[r], bytes);
    if (st != WEFT_OK) return st;
    if (!j->steps || !is_readable(j, (uint32_t)r))
        return weft_report(j->cx, WEFT_D_usage, NULL, "output '%s' has no value: %s", name,
                           j->steps ? "its input was written since" : "no step was done");
    weft_host_array global = { .data = data };
    if (bytes && !data && j->processes.process == 0) {
        st = weft_report(j->cx, WEFT_D_usage, NULL, "output '%s' has no buffer: data is NULL", name);
        /* the others are in this call */
        return j->processes.processes > 1 ? weft_session_fail(j->session, "rank 0 reads an output into NULL") : st;
    }
    st = agree(j);
    return st == WEFT_OK ? weft_session_get(j->session, (uint32_t)r, &global) : st;
}

weft_status weft_job_read_at(weft_source at, weft_job *j, const char *name, void *data, size_t bytes) {
    const weft_call call = weft_call_begin(j ? j->cx : NULL, at);
    return weft_call_end(call, (weft_job_read)(j, name, data, bytes));
}

/* ---- shardings of arrays ---- */

const char *(weft_job_input_sharding)(weft_job *j, const char *name) {
    const int64_t i = j ? input_of(j, name) : -1;
    return i < 0 ? NULL : j->program.args[i].sharding;
}

const char *weft_job_input_sharding_at(weft_source at, weft_job *j, const char *name) {
    const weft_call call = weft_call_begin(j ? j->cx : NULL, at);
    const char *found = (weft_job_input_sharding)(j, name);
    (void)weft_call_end(call, WEFT_OK);
    return found;
}

const char *(weft_job_output_sharding)(weft_job *j, const char *name) {
    const int64_t r = j ? output_of(j, name) : -1;
    return r < 0 ? NULL : j->program.results[r].sharding;
}

const char *weft_job_output_sharding_at(weft_source at, weft_job *j, const char *name) {
    const weft_call call = weft_call_begin(j ? j->cx : NULL, at);
    const char *found = (weft_job_output_sharding)(j, name);
    (void)weft_call_end(call, WEFT_OK);
    return found;
}

static weft_status part_of(weft_job *j, const char *name, const weft_layout *l, int64_t device, int64_t *start,
                           int64_t *count, size_t rank) {
    if (device < 0 || device >= j->program.exec->device_count)
        return weft_report(j->cx, WEFT_D_usage, NULL, "there is no device %lld: the job has %lld", (long long)device,
                           (long long)j->program.exec->device_count);
    if (rank != l->rank)
        return weft_report(j->cx, WEFT_D_usage, NULL, "'%s' has %u dimensions, not %zu", name, l->rank, rank);
    if (rank && (!start || !count))
        return weft_report(j->cx, WEFT_D_usage, NULL, "the part of '%s' has no output pointers: start or count is NULL",
                           name);
    for (uint32_t d = 0; d < l->rank; d++) {
        const int64_t whole = l->dims[d].global, from = weft_layout_shard(l, d, device) * l->dims[d].local;
        start[d] = weft_min_i64(from, whole);
        count[d] = weft_min_i64(l->dims[d].local, whole - start[d]);
    }
    return WEFT_OK;
}

weft_status(weft_job_input_part)(weft_job *j, const char *name, int64_t device, int64_t *start, int64_t *count,
                                  size_t rank) {
    const int64_t i = j ? input_of(j, name) : -1;
    return i < 0 ? WEFT_ERR_USAGE : part_of(j, name, &j->program.arg_layouts[i], device, start, count, rank);
}

weft_status weft_job_input_part_at(weft_source at, weft_job *j, const char *name, int64_t device, int64_t *start,
                                   int64_t *count, size_t rank) {
    const weft_call call = weft_call_begin(j ? j->cx : NULL, at);
    return weft_call_end(call, (weft_job_input_part)(j, name, device, start, count, rank));
}

weft_status(weft_job_output_part)(weft_job *j, const char *name, int64_t device, int64_t *start, int64_t *count,
                                   size_t rank) {
    const int64_t r = j ? output_of(j, name) : -1;
    return r < 0 ? WEFT_ERR_USAGE : part_of(j, name, &j->program.result_layouts[r], device, start, count, rank);
}

weft_status weft_job_output_part_at(weft_source at, weft_job *j, const char *name, int64_t device, int64_t *start,
                                    int64_t *count, size_t rank) {
    const weft_call call = weft_call_begin(j ? j->cx : NULL, at);
    return weft_call_end(call, (weft_job_output_part)(j, name, device, start, count, rank));
}
