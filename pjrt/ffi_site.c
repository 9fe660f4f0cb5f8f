/* ffi_site: the calls of functions of the process that an executable makes.
 *
 * What a call frame has is made when the executable is: a call adds the addresses of buffers. A site has one instance
 * for all devices, as handlers are instantiated for a process. A frame, its context and the buffers live until the
 * handler's future has ended. XLA's CPU never calls the stages prepare and initialize; Weft does before the first call
 * of each execution on each device, and keeps their states until the device's next execution.
 */
#include <stdlib.h>
#include "exec/kernels/ffi.h"
#include "pjrt/ffi.h"

static const int dtypes[WEFT_DTYPE_COUNT] = {
    [WEFT_DTYPE_NONE] = 17, /* a token */
    [WEFT_I1] = 1, [WEFT_I2] = 26, [WEFT_I4] = 21, [WEFT_I8] = 2, [WEFT_I16] = 3, [WEFT_I32] = 4, [WEFT_I64] = 5,
    [WEFT_UI2] = 27, [WEFT_UI4] = 22, [WEFT_UI8] = 6, [WEFT_UI16] = 7, [WEFT_UI32] = 8, [WEFT_UI64] = 9,
    [WEFT_F16] = 10, [WEFT_F32] = 11, [WEFT_F64] = 12, [WEFT_BF16] = 16, [WEFT_C64] = 15, [WEFT_C128] = 18,
    [WEFT_F8E5M2] = 19, [WEFT_F8E3M4] = 29, [WEFT_F8E4M3] = 28, [WEFT_F8E4M3FN] = 20, [WEFT_F8E4M3B11FNUZ] = 23,
    [WEFT_F8E5M2FNUZ] = 24, [WEFT_F8E4M3FNUZ] = 25, [WEFT_F4E2M1FN] = 32, [WEFT_F8E8M0FNU] = 33,
};

static void end_state(pjrt_ffi_state *s) {
    if (s->object && s->end) s->end(s->object);
    *s = (pjrt_ffi_state){ 0 };
}

/* --- what the state of the kernel says --- */

typedef struct decoder {
    weft_ffi_reader r;
    weft_arena *arena;
    bool failed;                     /* memory is out */
} decoder;

static void *take(decoder *d, size_t bytes) {
    void *p = weft_arena_alloc(d->arena, bytes ? bytes : 1, _Alignof(max_align_t));
    d->failed = d->failed || !p;
    return p;
}

static int64_t read_count(decoder *d, int64_t most) {
    const int64_t n = weft_ffi_read_number(&d->r);
    d->r.bad = d->r.bad || n < 0 || n > most;
    return d->r.bad ? 0 : n;
}

static bool is_whole(const decoder *d) { return !d->r.bad && !d->failed; }

/* What a count can be at most: each thing takes a word. */
static int64_t left(const decoder *d) { return d->r.end - d->r.at; }

static int read_dtype(decoder *d, weft_dtype *out) {
    *out = (weft_dtype)read_count(d, WEFT_DTYPE_COUNT - 1);
    if (!dtypes[*out]) d->r.bad = true;
    return dtypes[*out];
}

static void read_text(decoder *d, ffi_span *out) {
    const weft_str text = weft_ffi_read_text(&d->r);
    char *copy = take(d, text.n);
    if (copy && text.n) memcpy(copy, text.p, text.n);
    *out = (ffi_span){ copy, text.n };
}

static void read_dictionary(decoder *d, ffi_attrs *out);

static void *read_elements(decoder *d, weft_ffi_kind kind, ffi_attr_kind *as) {
    weft_dtype t;
    ffi_span data;
    const int dtype = read_dtype(d, &t);
    const int64_t n = weft_ffi_read_number(&d->r);
    read_text(d, &data);
    d->r.bad = d->r.bad || n < 0 || (size_t)n > data.n || data.n != (size_t)n * weft_dtype_bytes(t);
    if (kind == WEFT_FFI_SCALAR) {
        d->r.bad = d->r.bad || n != 1;
        ffi_scalar *s = take(d, sizeof *s);
        if (s) *s = (ffi_scalar){ dtype, data.p };
        *as = FFI_SCALAR;
        return s;
    }
    ffi_array *a = take(d, sizeof *a);
    if (a) *a = (ffi_array){ dtype, (size_t)n, data.p };
    *as = FFI_ARRAY;
    return a;
}

static void *read_value(decoder *d, ffi_attr_kind *as) {
    const weft_ffi_kind kind = (weft_ffi_kind)read_count(d, WEFT_FFI_KINDS - 1);
    if (kind == WEFT_FFI_SCALAR || kind == WEFT_FFI_ARRAY) return read_elements(d, kind, as);
    if (kind == WEFT_FFI_TEXT) {
        ffi_span *text = take(d, sizeof *text);
        if (text) read_text(d, text);
        *as = FFI_STRING;
        return text;
    }
    ffi_attrs *dict = take(d, sizeof *dict);
    if (dict) read_dictionary(d, dict);
    *as = FFI_DICTIONARY;
    return dict;
}

static void read_dictionary(decoder *d, ffi_attrs *out) {
    const int64_t n = read_count(d, left(d));
    ffi_span *names = take(d, (size_t)n * sizeof *names);
    *out = (ffi_attrs){ .struct_size = sizeof *out, .count = n, .kinds = take(d, (size_t)n * sizeof *out->kinds),
                        .names = take(d, (size_t)n * sizeof *out->names),
                        .values = take(d, (size_t)n * sizeof *out->values) };
    for (int64_t i = 0; i < n && is_whole(d); i++) {
        out->names[i] = &names[i];
        read_text(d, &names[i]);
        out->values[i] = read_value(d, &out->kinds[i]);
    }
}

static void read_buffer(decoder *d, pjrt_ffi_site *s, uint32_t k) {
    weft_dtype t;
    ffi_buffer *out = &s->buffers[k];
    int64_t *bytes = &s->bytes[k];
    const int dtype = read_dtype(d, &t);
    const int64_t rank = read_count(d, left(d));
    int64_t *dims = take(d, (size_t)rank * sizeof *dims);
    *bytes = t ? (int64_t)weft_dtype_bytes(t) : 1;
    s->bits[k] = t && t != WEFT_I1 && weft_dtype_of(t)->bits < 8 ? (uint8_t)weft_dtype_of(t)->bits : 0;
    s->is_signed[k] = t && weft_dtype_of(t)->kind == WEFT_KIND_INT;
    for (int64_t i = 0; i < rank && is_whole(d); i++) {
        dims[i] = read_count(d, INT64_MAX);
        if (!weft_mul_i64(*bytes, dims[i], bytes)) d->r.bad = true;
    }
    *out = (ffi_buffer){ .struct_size = sizeof *out, .dtype = dtype, .rank = rank, .dims = dims };
}

static void read_site(decoder *d, pjrt_ffi_site *s) {
    (void)weft_ffi_read_text(&d->r); /* the name */
    s->operands = (uint32_t)read_count(d, left(d));
    s->results = (uint32_t)read_count(d, left(d));
    const uint32_t n = s->operands + s->results;
    s->buffers = take(d, n * sizeof *s->buffers);
    s->bytes = take(d, n * sizeof *s->bytes);
    s->bits = take(d, n * sizeof *s->bits);
    s->is_signed = take(d, n * sizeof *s->is_signed);
    s->alias = take(d, s->results * sizeof *s->alias);
    for (uint32_t i = 0; i < n && is_whole(d); i++) {
        read_buffer(d, s, i);
        if (i < s->operands) continue;
        const int64_t a = s->alias[i - s->operands] = weft_ffi_read_number(&d->r);
        if (a >= (int64_t)s->operands) d->r.bad = true;
        else if (a >= 0 && (s->bytes[a] != s->bytes[i] || s->bits[a] != s->bits[i])) d->r.bad = true;
    }
    read_dictionary(d, &s->attributes);
}

/* --- calling a handler --- */

static ffi_frame frame_of(ffi_context *c, ffi_stage stage) {
    return (ffi_frame){ .struct_size = FFI_SIZE(ffi_frame, attributes), .api = &pjrt_ffi_api, .context = c,
                        .stage = stage, .arguments = { .struct_size = sizeof(ffi_values) },
                        .results = { .struct_size = sizeof(ffi_values) }, .attributes = c->site->attributes };
}

/* Of a stage that the target has. */
static ffi_error *run_stage(ffi_context *c, ffi_frame *frame, ffi_stage stage) {
    if (!c->site->handlers.stage[stage]) return NULL;
    c->stage = frame->stage = stage;
    frame->future = NULL;
    ffi_error *e = c->site->handlers.stage[stage](frame);
    if (!frame->future) return e;
    if (c->program) pjrt_ffi_help(c->program->crew->pools, c->device);
    ffi_error *late = pjrt_ffi_future_wait(frame->future);
    if (e) pjrt_error_free(late);
    return e ? e : late;
}

/* --- an executable's sites --- */

typedef void visit_fn(void *user, const weft_code *code, const weft_loc *loc);

static void visit_code(const weft_code *code, const weft_loc *loc, visit_fn *visit, void *user) {
    if (code->kernel && !strcmp(code->kernel, weft_kernel_ffi.name)) visit(user, code, loc);
    for (uint32_t k = 0; k < code->call_count; k++) visit_code(&code->calls[k], code->calls[k].loc, visit, user);
}

static void visit_all(const weft_executable *x, visit_fn *visit, void *user) {
    for (uint32_t i = 0; i < x->step_count; i++) visit_code(&x->steps[i].code, x->steps[i].loc, visit, user);
}

static void count(void *user, const weft_code *code, const weft_loc *loc) {
    (void)code, (void)loc;
    ++*(uint32_t *)user;
}

typedef struct opening { pjrt_ffi_sites *sites; pjrt_error *error; } opening;

static pjrt_error *error_at(pjrt_code code, weft_str name, const char *text, const weft_loc *loc) {
    weft_buf place;
    weft_buf_init(&place, &pjrt_heap);
    weft_loc_print(&place, loc);
    pjrt_error *e = pjrt_error_new(code, "%s: '%.*s': %s", place.p ? place.p : "", WEFT_STR_ARG(name), text);
    weft_buf_free(&place);
    return e;
}

static pjrt_error *open_site(weft_arena *arena, const weft_code *code, const weft_loc *loc, pjrt_ffi_site *s) {
    decoder d = { .arena = arena };
    weft_str name = { "", 0 };
    weft_buf why;
    *s = (pjrt_ffi_site){ .state = code->state };
    if (weft_ffi_is_whole(code->state, code->state_bytes)) {
        name = weft_ffi_name(code->state);
        d.r = weft_ffi_read(code->state);
        read_site(&d, s);
    } else {
        d.r.bad = true;
    }
    if (d.failed) return pjrt_no_memory();
    if (d.r.bad)
        return error_at(PJRT_INVALID_ARGUMENT, name, "the call is damaged, or of a type that XLA's FFI has not", loc);
    weft_buf_init(&why, &pjrt_heap);
    const bool found = pjrt_ffi_find(name, &s->handlers, &s->minor, &why);
    pjrt_error *e = found ? NULL : error_at(PJRT_NOT_FOUND, name, why.p ? why.p : "it is not registered", loc);
    weft_buf_free(&why);
    if (e) return e;
    ffi_context c = { .site = s };
    ffi_frame frame = frame_of(&c, FFI_INSTANTIATE);
    ffi_error *failed = run_stage(&c, &frame, FFI_INSTANTIATE);
    if (failed) e = error_at(failed->code, name, failed->text, loc);
    pjrt_error_free(failed);
    return e;
}

static void open_next(void *user, const weft_code *code, const weft_loc *loc) {
    opening *o = user;
    if (!o->error) o->error = open_site(&o->sites->arena, code, loc, &o->sites->v[o->sites->count++]);
}

static int by_address(const void *a, const void *b) {
    const pjrt_ffi_site *x = a, *y = b;
    return (x->state > y->state) - (x->state < y->state);
}

pjrt_error *pjrt_ffi_open(pjrt_executable *x) {
    uint32_t n = 0;
    visit_all(x->exec, count, &n);
    if (!n) return NULL;
    pjrt_ffi_sites *s = calloc(1, sizeof *s);
    if (!s) return pjrt_no_memory();
    weft_arena_init(&s->arena, &pjrt_heap);
    opening o = { s, NULL };
    if (!(s->v = weft_arena_array(&s->arena, pjrt_ffi_site, n))) o.error = pjrt_no_memory();
    else visit_all(x->exec, open_next, &o);
    if (o.error) pjrt_ffi_close(s);
    else x->foreign = s, qsort(s->v, s->count, sizeof *s->v, by_address);
    return o.error;
}

void pjrt_ffi_close(pjrt_ffi_sites *s) {
    if (!s) return;
    for (uint32_t i = 0; i < s->count; i++) end_state(&s->v[i].instance);
    weft_arena_free(&s->arena);
    free(s);
}

/* --- a loaded program's --- */

pjrt_ffi_program *pjrt_ffi_program_new(pjrt_ffi_sites *sites, pjrt_crew *crew) {
    const size_t turns = (size_t)sites->count * (size_t)crew->local;
    pjrt_ffi_program *p = calloc(1, sizeof *p + turns * sizeof *p->turns);
    if (p) *p = (pjrt_ffi_program){ .sites = sites, .crew = crew, .threads = 1, .local = crew->local };
    return p;
}

void pjrt_ffi_program_free(pjrt_ffi_program *p) {
    if (!p) return;
    for (size_t i = 0; i < (size_t)p->sites->count * (size_t)p->local; i++) {
        end_state(&p->turns[i].initialized);
        end_state(&p->turns[i].prepared);
    }
    free(p);
}

/* --- a call --- */

/* A frame's lists: of operands and results one after another. */
typedef struct lists { ffi_kind *kinds; void **values, **data; ffi_buffer *buffers; } lists;

static lists lists_in(const pjrt_ffi_site *s, void *block) {
    const uint32_t n = s->operands + s->results;
    ffi_buffer *buffers = block;
    void **values = (void **)(buffers + n);
    return (lists){ (ffi_kind *)(values + 2 * n), values, values + n, buffers };
}

static size_t list_bytes(const pjrt_ffi_site *s) {
    return (s->operands + s->results) * (sizeof(ffi_buffer) + 2 * sizeof(void *) + sizeof(ffi_kind)) + 1;
}

/* A result that is to have an operand's memory gets a copy of it, where it has not that memory. */
static void fill(const pjrt_ffi_site *s, lists l, ffi_frame *frame) {
    const uint32_t n = s->operands + s->results;
    void *const *buffers = l.data;
    for (uint32_t i = 0; i < n; i++) {
        l.buffers[i] = s->buffers[i];
        l.buffers[i].data = buffers[i];
        l.values[i] = &l.buffers[i];
        l.kinds[i] = FFI_BUFFER;
    }
    for (uint32_t r = 0; r < s->results; r++) {
        const uint32_t i = s->operands + r;
        if (s->buffers[i].dtype == dtypes[WEFT_DTYPE_NONE]) memset(buffers[i], 0, (size_t)s->bytes[i]);
        if (s->alias[r] < 0) continue;
        if (buffers[s->alias[r]] != buffers[i])
            memcpy(buffers[i], buffers[s->alias[r]], pjrt_ffi_bytes(s, i));
        l.buffers[s->alias[r]].data = buffers[i];
    }
    frame->arguments = (ffi_values){ sizeof(ffi_values), NULL, s->operands, l.kinds, l.values };
    frame->results = (ffi_values){ sizeof(ffi_values), NULL, s->results, l.kinds + s->operands,
                                   l.values + s->operands };
}

static ffi_error *run_all(ffi_context *c, ffi_frame *frame) {
    pjrt_ffi_turn *t = c->turn;
    ffi_error *e = NULL;
    if (t->execution != c->env->execution) {
        end_state(&t->initialized);
        end_state(&t->prepared);
        e = run_stage(c, frame, FFI_PREPARE);
        if (!e) e = run_stage(c, frame, FFI_INITIALIZE);
        if (!e) t->execution = c->env->execution;
    }
    return e ? e : run_stage(c, frame, FFI_EXECUTE);
}

static weft_status status_of(pjrt_code code) {
    switch (code) {
    case PJRT_INVALID_ARGUMENT: return WEFT_ERR_INVALID;
    case PJRT_RESOURCE_EXHAUSTED: return WEFT_ERR_MEMORY;
    case PJRT_UNIMPLEMENTED: return WEFT_ERR_UNSUPPORTED;
    default: return WEFT_ERR_INTERNAL;
    }
}

static weft_status fail(const weft_run_env *env, const ffi_error *e) {
    if (env->failure) env->failure->code = e->code;
    return weft_step_fail(env, status_of(e->code), "%s", e->text);
}

weft_status pjrt_ffi_call(const void *state, void *const *buffers, const weft_run_env *env) {
    pjrt_ffi_program *p = env->front;
    const pjrt_ffi_site key = { .state = state };
    pjrt_ffi_site *s = p ? bsearch(&key, p->sites->v, p->sites->count, sizeof key, by_address) : NULL;
    if (!s) return weft_step_fail(env, WEFT_ERR_INTERNAL, "a call of a function was not loaded");
    void *block = malloc(list_bytes(s)), *packed = NULL;
    const lists l = block ? lists_in(s, block) : (lists){ 0 };
    if (!block || !pjrt_ffi_pack(s, buffers, l.data, &packed)) {
        free(block);
        return weft_step_fail(env, WEFT_ERR_MEMORY, "out of memory");
    }
    const int device = pjrt_places_before(p->crew->mine, p->crew->local,
                                          env->replica_id * env->partition_count + env->partition_id);
    ffi_context c = { .site = s, .program = p, .env = env, .device = device,
                      .turn = &p->turns[(size_t)(s - p->sites->v) * (size_t)p->local + (size_t)device] };
    ffi_frame frame = frame_of(&c, FFI_EXECUTE);
    fill(s, l, &frame);
    ffi_error *e = run_all(&c, &frame);
    const weft_status st = e ? fail(env, e) : WEFT_OK;
    if (packed) pjrt_ffi_unpack(s, l.data, buffers);
    pjrt_error_free(e);
    free(packed);
    free(block);
    return st;
}
