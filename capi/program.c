/* program.c: a graph compiled for a client, and its runs with a state.
 *
 * A run takes a buffer for each input from the state's arrays. An input that the graph updates is donated where the
 * state alone holds its array, and the result then has its memory; else the program copies it. What lies otherwise than
 * the program wants is moved into a buffer of the run's own.
 */
#include "base/nearest.h"
#include "base/options.h"
#include "capi/launch.h"
#include "capi/program_impl.h"

typedef weft_program_in_port input;
typedef weft_program_out_port output;

weft_loaded_program *weft_program_loaded(const weft_program *p) { return p->loaded; }
weft_arena *weft_program_arena(weft_program *p) { return &p->arena; }

/* ---- loading ---- */

static weft_status make_ports(weft_program *p) {
    const uint32_t n = p->code.exec->arg_count, m = p->code.exec->result_count;
    p->inputs = weft_arena_array(&p->arena, input, n);
    p->outputs = weft_arena_array(&p->arena, output, m);
    p->args = weft_arena_array(&p->arena, weft_buffer *, n);
    p->results = weft_arena_array(&p->arena, weft_buffer *, m);
    p->kept = weft_arena_array(&p->arena, uint32_t, n);
    if (!p->inputs || !p->outputs || !p->args || !p->results || !p->kept) return weft_oom();
    p->input_count = n;
    p->output_count = m;
    return WEFT_OK;
}

static void link_updates(weft_program *p) {
    for (uint32_t r = 0; r < p->output_count; r++)
        if (p->code.exec->results[r].becomes >= 0) p->inputs[p->code.exec->results[r].becomes].update = r;
}

weft_status weft_program_fill_ports(weft_program *p) {
    const weft_kept *k = &p->code;
    weft_context *cx = weft_client_context(p->client);
    weft_status st = make_ports(p);
    for (uint32_t i = 0; st == WEFT_OK && i < p->input_count; i++) {
        weft_program_in_port *in = &p->inputs[i];
        *in = (input){ .name = weft_name_from(cx, k->args[i].name), .update = -1,
                       .kind = weft_kind_of_layout(p->client, &k->arg_layouts[i], k->args[i].mesh,
                                                   k->args[i].sharding) };
        if (!in->name || !in->kind) st = weft_oom();
    }
    for (uint32_t r = 0; st == WEFT_OK && r < p->output_count; r++) {
        weft_program_out_port *out = &p->outputs[r];
        *out = (output){ .name = weft_name_from(cx, k->results[r].name),
                         .kind = weft_kind_of_layout(p->client, &k->result_layouts[r], k->results[r].mesh,
                                                     k->results[r].sharding) };
        if (!out->name || !out->kind) st = weft_oom();
    }
    if (st == WEFT_OK) link_updates(p);
    return st;
}

/* An update is free if its result has the input's sharding; propagation ensures that unless annotations forbid it. */
static weft_status check_updates(weft_context *cx, const weft_program *p, const weft_graph *g) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < p->input_count && st == WEFT_OK; i++) {
        const int64_t r = p->inputs[i].update;
        if (r < 0 || p->inputs[i].kind->layout == p->outputs[r].kind->layout) continue;
        st = weft_update_moves(cx, &g->inputs.v[i], "between runs");
    }
    return st;
}

static weft_status check_options(weft_context *cx, weft_source at, const weft_program_options *o) {
    if (o->memory_bytes < 0)
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "weft_program_options.memory_bytes is %lld, a negative number", (long long)o->memory_bytes);
    return weft_constraints_check(cx, weft_place_of(cx, at), "weft_program_options", o->constraints);
}

static weft_status prepare(weft_source at, weft_program *p, weft_graph *g, const weft_program_options *opt) {
    weft_context *cx = weft_client_context(p->client);
    weft_program_options o;
    weft_status st = WEFT_OPTIONS_READ(cx, weft_place_of(cx, at), weft_program_options, opt, &o);
    if (st == WEFT_OK) st = check_options(cx, at, &o);
    if (st == WEFT_OK && !g)
        st = weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "a program needs a graph; this one is NULL");
    if (st == WEFT_OK && g->cx != cx)
        st = weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the graph is of another context than the client");
    if (st == WEFT_OK) st = weft_graph_finish(g);
    if (st != WEFT_OK) return st;
    weft_build_options build = { .obey_constraints = o.constraints == WEFT_CONSTRAINTS_OBEYED,
                                 .memory_bytes = o.memory_bytes,
                                 .devices = weft_client_devices(p->client),
                                 .process = weft_client_process(p->client),
                                 .processes = weft_client_processes(p->client) };
    st = weft_precision_check(cx, weft_place_of(cx, at), "weft_program_options", o.precision, &build.precision);
    if (st == WEFT_OK) st = weft_graph_code(g, &build, &p->code);
    if (st == WEFT_OK && p->code.exec->device_count != weft_client_devices(p->client))
        st = weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                         "the program is for %lld devices, the client has %lld",
                         (long long)p->code.exec->device_count, (long long)weft_client_devices(p->client));
    if (st == WEFT_OK) st = weft_program_fill_ports(p);
    return st == WEFT_OK ? check_updates(cx, p, g) : st;
}

weft_status weft_program_begin(weft_source at, weft_client *c, weft_program **out, weft_program **p) {
    if (!c && out) *out = NULL;
    if (!c) return WEFT_ERR_USAGE;
    weft_context *cx = weft_client_context(c);
    weft_status st = weft_out_check(cx, at, "the program", out);
    if (st != WEFT_OK) return st;
    *out = NULL;
    *p = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof **p);
    if (!*p) {
        if (weft_client_processes(c) > 1) (void)weft_client_fail(c, "a process has no memory to load a program");
        return weft_oom();
    }
    **p = (weft_program){ .client = c };
    weft_arena_init(&(*p)->arena, &cx->alloc);
    weft_journal_call(c);
    return WEFT_OK;
}

weft_status weft_program_finish(weft_program *p, weft_status prepared, weft_load_options *o, weft_program **out) {
    weft_context *cx = weft_client_context(p->client);
    bool speaker;
    weft_buf why;
    weft_buf_init(&why, &cx->alloc);
    o->prepared = prepared;
    o->voices = WEFT_VOICES_EACH;
    if (prepared != WEFT_OK && weft_error_print(cx, prepared, &why) == WEFT_OK) o->why = why.p;
    if (prepared == WEFT_OK) {
        o->exec = p->code.exec;
        o->args = p->code.arg_layouts;
        o->results = p->code.result_layouts;
    }
    weft_status st = weft_client_load(p->client, o, &speaker, &p->loaded);
    weft_buf_free(&why);
    if (st == WEFT_OK) st = weft_loaded_program_reserve(p->loaded);
    *out = st == WEFT_OK ? p : NULL;
    if (st != WEFT_OK) weft_program_close(p);
    return st;
}

weft_status weft_program_load_at(weft_source at, weft_client *c, weft_graph *g, const weft_program_options *opt,
                                 weft_program **out) {
    weft_program *p = NULL;
    weft_status st = weft_program_begin(at, c, out, &p);
    if (st != WEFT_OK) return st;
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    /* A process that failed still loads, so that the others learn of it instead of waiting. */
    st = prepare(at, p, g, opt);
    st = weft_program_finish(p, st, &(weft_load_options){ .print = weft_graph_print, .user = g }, out);
    return weft_call_end(call, st);
}

static void drop_output(output *o) {
    if (o->array) o->array->programs--;
    weft_array_release(o->array);
    o->array = NULL;
}

void weft_program_close(weft_program *p) {
    if (!p) return;
    weft_allocator alloc = weft_client_context(p->client)->alloc;
    for (uint32_t r = 0; r < p->output_count; r++) drop_output(&p->outputs[r]);
    weft_loaded_program_release(p->loaded);
    weft_kept_free(&p->code);
    weft_arena_free(&p->arena);
    alloc.resize(alloc.user, p, sizeof *p, 0);
}

/* ---- runs ---- */

static weft_status no_input(weft_source at, const weft_program *p, const weft_state *s, weft_str name) {
    weft_context *cx = weft_client_context(p->client);
    weft_nearest near = weft_nearest_to(name);
    for (size_t i = 0; i < s->count; i++) weft_nearest_offer(&near, weft_name_str(s->entries[i].name));
    return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the state has no array for input '%.*s'" WEFT_NEAREST,
                       WEFT_STR_ARG(name), WEFT_NEAREST_ARG(near));
}

static weft_status check_input(weft_source at, const weft_program *p, const weft_state *s, const input *in) {
    weft_context *cx = weft_client_context(p->client);
    const weft_state_entry *e = weft_state_find(s, in->name);
    if (!e) return no_input(at, p, s, weft_name_str(in->name));
    if (!weft_layout_same_array(e->array->kind->layout, in->kind->layout))
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the state's '%s' is %s, the program's is %s",
                           in->name->text, e->array->kind->type, in->kind->type);
    if (weft_buffer_state_of(e->array->buffer) == WEFT_BUFFER_LIVE) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the state's '%s' has no data: the run that was to update it failed",
                       in->name->text);
}

static weft_status tell_of_move(weft_source at, weft_program *p, input *in, const weft_kind *from) {
    weft_context *cx = weft_client_context(p->client);
    if (in->told) return WEFT_OK;
    in->told = true;
    const char *when = in->update < 0 ? "in each run" : "before the first run";
    if (!strcmp(from->mesh, in->kind->mesh))
        return weft_report(cx, WEFT_D_fallback, weft_place_of(cx, at),
                           "the state's '%s' is sharded \"%s\" and the program's \"%s\": all of it moves %s", in->name->text,
                           from->sharding, in->kind->sharding, when);
    return weft_report(cx, WEFT_D_fallback, weft_place_of(cx, at),
                       "the state's '%s' is sharded \"%s\" over \"%s\" and the program's \"%s\" over \"%s\": all of it moves %s",
                       in->name->text, from->sharding, from->mesh, in->kind->sharding, in->kind->mesh, when);
}

/* The buffers of the run, each with a reference of its own; *kept: those that the program may not write. */
static weft_status take_inputs(weft_source at, weft_program *p, weft_state *s, uint32_t *kept) {
    weft_status st = WEFT_OK;
    *kept = 0;
    for (uint32_t i = 0; i < p->input_count && st == WEFT_OK; i++) {
        input *in = &p->inputs[i];
        weft_array *a = weft_state_find(s, in->name)->array;
        const bool moves = a->kind->layout != in->kind->layout;
        if (moves) st = tell_of_move(at, p, in, a->kind);
        if (st == WEFT_OK) st = weft_buffer_move(a->buffer, in->kind->layout, &p->args[i]);
        if (!weft_loaded_program_donates(p->loaded, i)) continue;
        if (in->update < 0 || (!moves && a->refs - a->programs > 1)) p->kept[(*kept)++] = i;
    }
    return st;
}

static void drop_inputs(weft_program *p) {
    for (uint32_t i = 0; i < p->input_count; i++) {
        weft_buffer_release(p->args[i]);
        p->args[i] = NULL;
    }
}

/* The results as the program's outputs; all are taken over, also where memory is out. */
static weft_status take_outputs(weft_program *p) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; r < p->output_count; r++) {
        output *o = &p->outputs[r];
        if (st != WEFT_OK) weft_buffer_release(p->results[r]);
        else st = weft_array_wrap(p->client, o->kind, p->results[r], &o->array);
        if (st == WEFT_OK) o->array->programs = 1;
    }
    return st;
}

static weft_status update_state(weft_program *p, weft_state *s) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < p->input_count && st == WEFT_OK; i++)
        if (p->inputs[i].update >= 0)
            st = weft_state_put(s, p->inputs[i].name, weft_array_retain(p->outputs[p->inputs[i].update].array));
    return st;
}

static weft_status check_state(weft_source at, const weft_program *p, const weft_state *s) {
    weft_context *cx = weft_client_context(p->client);
    if (s->client == p->client) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the state is of another client than the program");
}

weft_status weft_program_run_at(weft_source at, weft_program *p, weft_state *s) {
    if (!p || !s) return WEFT_ERR_USAGE;
    weft_status st = check_state(at, p, s);
    for (uint32_t i = 0; i < p->input_count && st == WEFT_OK; i++) st = check_input(at, p, s, &p->inputs[i]);
    if (st != WEFT_OK) return st;
    weft_journal_call(p->client);
    for (uint32_t r = 0; r < p->output_count; r++) drop_output(&p->outputs[r]);
    p->ran = false;
    const weft_call call = weft_call_begin(weft_client_context(p->client), at);
    weft_execute_options opt = { .kept = p->kept };
    st = take_inputs(at, p, s, &opt.kept_count);
    if (st == WEFT_OK) st = weft_loaded_program_execute(p->loaded, p->args, &opt, p->results, NULL);
    drop_inputs(p);
    if (st == WEFT_OK) st = take_outputs(p);
    if (st == WEFT_OK) st = update_state(p, s);
    p->ran = st == WEFT_OK;
    return weft_call_end(call, st);
}

/* ---- outputs and inputs by name ---- */

typedef weft_str port_name(const weft_program *p, uint32_t i);

static weft_str input_name(const weft_program *p, uint32_t i) { return weft_name_str(p->inputs[i].name); }
static weft_str output_name(const weft_program *p, uint32_t r) { return weft_name_str(p->outputs[r].name); }

/* The number of `name`; -1, reported, if there is none. */
static int64_t number_of(weft_source at, weft_program *p, const char *name, const char *what, port_name *name_of,
                         uint32_t n) {
    weft_context *cx = weft_client_context(p->client);
    const weft_str word = weft_str_from(name ? name : "");
    for (uint32_t i = 0; name && i < n; i++)
        if (weft_str_equal(name_of(p, i), word)) return i;
    weft_nearest near = weft_nearest_to(word);
    for (uint32_t i = 0; i < n; i++) weft_nearest_offer(&near, name_of(p, i));
    (void)weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the program has no %s '%.*s'" WEFT_NEAREST, what,
                      WEFT_STR_ARG(word), WEFT_NEAREST_ARG(near));
    return -1;
}

static input *input_of(weft_source at, weft_program *p, const char *name) {
    const int64_t i = p ? number_of(at, p, name, "input", input_name, p->input_count) : -1;
    return i < 0 ? NULL : &p->inputs[i];
}

static output *output_of(weft_source at, weft_program *p, const char *name) {
    const int64_t r = p ? number_of(at, p, name, "output", output_name, p->output_count) : -1;
    return r < 0 ? NULL : &p->outputs[r];
}

weft_array *weft_program_output_at(weft_source at, weft_program *p, const char *name) {
    output *o = output_of(at, p, name);
    if (!o || o->array) return o ? o->array : NULL;
    weft_context *cx = weft_client_context(p->client);
    (void)weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "output '%s' has no value: %s", name,
                      p->ran ? "a state has it" : "the program has not run");
    return NULL;
}

weft_status weft_program_store_at(weft_source at, weft_program *p, weft_state *s) {
    if (!p || !s) return WEFT_ERR_USAGE;
    weft_context *cx = weft_client_context(p->client);
    weft_status st = check_state(at, p, s);
    if (st == WEFT_OK && !p->ran)
        st = weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                         "the program has no outputs to store: it has not run");
    for (uint32_t r = 0; r < p->output_count && st == WEFT_OK; r++) {
        output *o = &p->outputs[r];
        if (o->array) st = weft_state_put(s, o->name, weft_array_retain(o->array));
        drop_output(o);
    }
    return st;
}

/* The state's old array gives its memory to the new one. */
static input *begin_put(weft_source at, weft_program *p, weft_state *s, const char *name, const void *data,
                        size_t bytes, weft_status *st) {
    *st = WEFT_ERR_USAGE;
    input *in = p && s ? input_of(at, p, name) : NULL;
    if (!in) return NULL;
    *st = check_state(at, p, s);
    if (*st == WEFT_OK) {
        char what[128];
        weft_format(what, sizeof what, "input '%s'", name);
        *st = weft_bytes_check(at, p->client, what, in->kind, data, bytes);
    }
    if (*st == WEFT_OK) *st = weft_state_put(s, in->name, NULL);
    if (*st == WEFT_OK) weft_journal_call(p->client);
    return *st == WEFT_OK ? in : NULL;
}

weft_status weft_program_put_at(weft_source at, weft_program *p, weft_state *s, const char *name, const void *data,
                                size_t bytes) {
    weft_status st;
    weft_array *a;
    input *in = begin_put(at, p, s, name, data, bytes, &st);
    if (!in) return st;
    const weft_call call = weft_call_begin(weft_client_context(p->client), at);
    weft_journal_write(p->client, in->name->text, data, bytes);
    st = weft_array_of_kind(p->client, in->kind, bytes ? data : NULL, &a);
    return weft_call_end(call, st == WEFT_OK ? weft_state_put(s, in->name, a) : st);
}

weft_status weft_program_make_at(weft_source at, weft_program *p, weft_state *s, const char *name,
                                 weft_part_filler *fill, void *user) {
    weft_status st = WEFT_ERR_USAGE;
    weft_array *a;
    input *in = p && s ? input_of(at, p, name) : NULL;
    if (!in) return st;
    in = begin_put(at, p, s, name, &st, (size_t)weft_layout_global_bytes(in->kind->layout), &st);
    if (!in) return st;
    const weft_call call = weft_call_begin(weft_client_context(p->client), at);
    st = weft_array_fill(at, p->client, in->kind, fill, user, &a);
    return weft_call_end(call, st == WEFT_OK ? weft_state_put(s, in->name, a) : st);
}

weft_status(weft_program_put_zeros)(weft_program *p, weft_state *s) {
    weft_status st = WEFT_OK;
    weft_array *a;
    if (!p || !s) return WEFT_ERR_USAGE;
    for (uint32_t i = 0; i < p->input_count && st == WEFT_OK; i++) {
        if (weft_state_find(s, p->inputs[i].name)) continue;
        weft_journal_call(p->client);
        st = weft_array_of_kind(p->client, p->inputs[i].kind, NULL, &a);
        if (st == WEFT_OK) st = weft_state_put(s, p->inputs[i].name, a);
    }
    return st;
}

weft_status weft_program_put_zeros_at(weft_source at, weft_program *p, weft_state *s) {
    const weft_call call = weft_call_begin(p ? weft_client_context(p->client) : NULL, at);
    return weft_call_end(call, (weft_program_put_zeros)(p, s));
}

size_t weft_program_input_count(const weft_program *p) { return p ? p->input_count : 0; }

weft_program_port weft_program_input(const weft_program *p, size_t i) {
    return (weft_program_port){ p->inputs[i].name, p->inputs[i].kind, p->inputs[i].update >= 0 };
}

const char *weft_program_input_name(const weft_program *p, size_t i) {
    return p && i < p->input_count ? p->inputs[i].name->text : NULL;
}

const char *weft_program_output_name(const weft_program *p, size_t i) {
    return p && i < p->output_count ? p->outputs[i].name->text : NULL;
}

const char *weft_program_input_type_at(weft_source at, weft_program *p, const char *name) {
    const input *in = input_of(at, p, name);
    return in ? in->kind->type : NULL;
}

const char *weft_program_input_mesh_at(weft_source at, weft_program *p, const char *name) {
    const input *in = input_of(at, p, name);
    return in ? in->kind->mesh : NULL;
}

const char *weft_program_input_sharding_at(weft_source at, weft_program *p, const char *name) {
    const input *in = input_of(at, p, name);
    return in ? in->kind->sharding : NULL;
}

const char *weft_program_output_type_at(weft_source at, weft_program *p, const char *name) {
    const output *o = output_of(at, p, name);
    return o ? o->kind->type : NULL;
}

const char *weft_program_output_mesh_at(weft_source at, weft_program *p, const char *name) {
    const output *o = output_of(at, p, name);
    return o ? o->kind->mesh : NULL;
}

const char *weft_program_output_sharding_at(weft_source at, weft_program *p, const char *name) {
    const output *o = output_of(at, p, name);
    return o ? o->kind->sharding : NULL;
}
