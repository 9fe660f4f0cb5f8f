/* options: what a framework asks of the compiler: XLA's CompileOptionsProto. Fields that say how XLA's compiler is to
 * work are left out.
 */
#include <stdlib.h>
#include "pjrt/impl.h"

/* Field numbers: xla/pjrt/proto/compile_options.proto, xla/xla_data.proto. */
enum {
    OPTIONS_TUPLED = 2,
    OPTIONS_BUILD = 3,
    OPTIONS_OVERRIDES = 7,
    OVERRIDE_KEY = 1,
    BUILD_REPLICAS = 4,
    BUILD_PARTITIONS = 5,
    BUILD_ASSIGNMENT = 9,
    ASSIGNMENT_REPLICAS = 1,
    ASSIGNMENT_COMPUTATIONS = 2,
    ASSIGNMENT_DEVICES = 3,
    DEVICES_REPLICA = 1,
    MOST_DEVICES = 1 << 20
};

static pjrt_error *damaged(void) {
    return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the compile options are no CompileOptionsProto");
}

static bool is_bytes(const pjrt_wire *w, uint32_t field) { return w->field == field && w->kind == PJRT_WIRE_BYTES; }
static bool is_number(const pjrt_wire *w, uint32_t field) { return w->field == field && w->kind == PJRT_WIRE_NUMBER; }

/* The devices of one computation, one per replica, packed or not. */
static bool read_replica_devices(const pjrt_wire *computation, int64_t column, int64_t replicas, int64_t partitions,
                                 int64_t *to) {
    pjrt_wire w = pjrt_wire_of(computation->bytes, computation->size);
    int64_t n = 0;
    while (pjrt_wire_next(&w)) {
        uint64_t id = w.number;
        if (w.field != DEVICES_REPLICA) continue;
        if (w.kind == PJRT_WIRE_NUMBER && n < replicas) to[n++ * partitions + column] = (int64_t)id;
        if (w.kind != PJRT_WIRE_BYTES) continue;
        pjrt_wire list = pjrt_wire_of(w.bytes, w.size);
        while (n < replicas && pjrt_wire_number(&list, &id)) to[n++ * partitions + column] = (int64_t)id;
    }
    return !w.bad && n == replicas;
}

static pjrt_error *read_assignment(const pjrt_wire *field, pjrt_options *o) {
    pjrt_wire w = pjrt_wire_of(field->bytes, field->size);
    int64_t replicas = 1, partitions = 1, column = 0, n;
    while (pjrt_wire_next(&w)) {
        if (is_number(&w, ASSIGNMENT_REPLICAS)) replicas = (int64_t)w.number;
        if (is_number(&w, ASSIGNMENT_COMPUTATIONS)) partitions = (int64_t)w.number;
    }
    if (w.bad || replicas < 1 || partitions < 1 || !weft_mul_i64(replicas, partitions, &n) || n > MOST_DEVICES)
        return damaged();
    free(o->assignment);
    o->assignment = calloc((size_t)n, sizeof *o->assignment);
    if (!o->assignment) return pjrt_no_memory();
    w = pjrt_wire_of(field->bytes, field->size);
    while (pjrt_wire_next(&w))
        if (is_bytes(&w, ASSIGNMENT_DEVICES) &&
            (column >= partitions || !read_replica_devices(&w, column++, replicas, partitions, o->assignment)))
            return damaged();
    o->replicas = replicas;
    o->partitions = partitions;
    return column == partitions ? NULL : damaged();
}

static pjrt_error *read_build(const pjrt_wire *field, pjrt_options *o) {
    pjrt_wire w = pjrt_wire_of(field->bytes, field->size), assignment = { 0 };
    while (pjrt_wire_next(&w)) {
        if (is_number(&w, BUILD_REPLICAS)) o->replicas = (int64_t)w.number;
        if (is_number(&w, BUILD_PARTITIONS)) o->partitions = (int64_t)w.number;
        if (is_bytes(&w, BUILD_ASSIGNMENT)) assignment = w;
    }
    if (w.bad || o->replicas < 0 || o->partitions < 0 || o->replicas > MOST_DEVICES || o->partitions > MOST_DEVICES)
        return damaged();
    o->replicas = weft_max_i64(o->replicas, 1);
    o->partitions = weft_max_i64(o->partitions, 1);
    const int64_t replicas = o->replicas, partitions = o->partitions;
    if (!assignment.bytes) return replicas * partitions > MOST_DEVICES ? damaged() : NULL;
    pjrt_error *e = read_assignment(&assignment, o);
    if (!e && (o->replicas != replicas || o->partitions != partitions))
        e = pjrt_error_new(PJRT_INVALID_ARGUMENT,
                           "the device assignment is of %lld replicas of %lld partitions, the program of %lld of %lld",
                           (long long)o->replicas, (long long)o->partitions, (long long)replicas,
                           (long long)partitions);
    return e;
}

/* An option that was given by name. Those of XLA's compiler all begin alike; a program that sets one runs here without
 * it. Any other is a mistake. */
static pjrt_error *read_override(const pjrt_wire *field) {
    static const char of_xla[] = "xla_";
    pjrt_wire w = pjrt_wire_of(field->bytes, field->size);
    while (pjrt_wire_next(&w))
        if (is_bytes(&w, OVERRIDE_KEY)) {
            if (w.size >= sizeof of_xla - 1 && !memcmp(w.bytes, of_xla, sizeof of_xla - 1)) return NULL;
            return pjrt_error_new(PJRT_INVALID_ARGUMENT, "No such compile option: '%.*s'; Weft has none",
                                  (int)weft_min_i64((int64_t)w.size, 200), (const char *)w.bytes);
        }
    return damaged();
}

pjrt_error *pjrt_options_read(const char *bytes, size_t size, pjrt_options *out) {
    pjrt_wire w = pjrt_wire_of(bytes, bytes ? size : 0);
    pjrt_error *e = NULL;
    *out = (pjrt_options){ .replicas = 1, .partitions = 1 };
    while (!e && pjrt_wire_next(&w)) {
        if (is_bytes(&w, OPTIONS_BUILD)) e = read_build(&w, out);
        if (is_bytes(&w, OPTIONS_OVERRIDES)) e = read_override(&w);
        if (is_number(&w, OPTIONS_TUPLED) && w.number)
            e = pjrt_error_new(PJRT_UNIMPLEMENTED, "Weft takes each argument by itself, not all as one tuple");
    }
    if (!e && w.bad) e = damaged();
    if (e) pjrt_options_end(out);
    return e;
}

void pjrt_options_end(pjrt_options *o) {
    free(o->assignment);
    o->assignment = NULL;
}

weft_status pjrt_assignment_write(int64_t replicas, int64_t partitions, const int *devices, weft_buf *out) {
    int64_t *column = malloc((size_t)replicas * sizeof *column);
    weft_buf one;
    if (!column) return weft_oom();
    weft_buf_init(&one, &pjrt_heap);
    pjrt_wire_put_number(out, ASSIGNMENT_REPLICAS, (uint64_t)replicas);
    pjrt_wire_put_number(out, ASSIGNMENT_COMPUTATIONS, (uint64_t)partitions);
    for (int64_t p = 0; p < partitions; p++) {
        for (int64_t r = 0; r < replicas; r++) column[r] = devices[r * partitions + p];
        one.n = 0;
        pjrt_wire_put_list(&one, DEVICES_REPLICA, column, (size_t)replicas);
        pjrt_wire_put_bytes(out, ASSIGNMENT_DEVICES, one.p, one.n);
    }
    const bool failed = one.failed || out->failed;
    weft_buf_free(&one);
    free(column);
    return failed ? weft_oom() : WEFT_OK;
}
