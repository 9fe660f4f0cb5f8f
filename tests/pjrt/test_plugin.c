/* The plugin through its table, as a front end calls it: programs on one device and several, donation, views, errors,
 * executables as bytes, threads. Under the sanitizers too, where Python's tests do not go. */
#include <pthread.h>
#include <stdatomic.h>
#include "pjrt/api.h"
#include "tests/support/suite.h"

static const pjrt_api *api;
static pjrt_client *client;
static pjrt_device *const *devices;

#define ARGS(name, ...) (&(pjrt_##name##_args){ .struct_size = sizeof(pjrt_##name##_args), __VA_ARGS__ })

static void fine(pjrt_error *e) {
    if (!e) return;
    pjrt_Error_Message_args said = { .struct_size = sizeof said, .error = e };
    api->Error_Message(&said);
    ck_abort_msg("%.*s", (int)said.message_size, said.message);
}

static void expect_error(pjrt_error *e, uint32_t code, const char *what) {
    ck_assert_ptr_nonnull(e);
    pjrt_Error_Message_args said = { .struct_size = sizeof said, .error = e };
    pjrt_Error_GetCode_args number = { .struct_size = sizeof number, .error = e };
    api->Error_Message(&said);
    ck_assert_ptr_null(api->Error_GetCode(&number));
    ck_assert_msg(strstr(said.message, what) != NULL, "'%s' in '%s'", what, said.message);
    ck_assert_uint_eq(number.code, code);
    api->Error_Destroy(ARGS(Error_Destroy, .error = e));
}

static void begin(int64_t count) {
    const pjrt_named_value option = { .struct_size = sizeof option, .name = "num_devices", .name_size = 11,
                                      .type = PJRT_VALUE_INT64, .int64_value = count, .value_size = 1 };
    pjrt_Client_Create_args make = { .struct_size = sizeof make, .create_options = &option, .num_options = 1 };
    api = GetPjrtApi();
    fine(api->Client_Create(&make));
    client = make.client;
    pjrt_Client_Devices_args all = { .struct_size = sizeof all, .client = client };
    fine(api->Client_Devices(&all));
    ck_assert_uint_eq(all.num_devices, (size_t)count);
    devices = all.devices;
}

static void end(void) { fine(api->Client_Destroy(ARGS(Client_Destroy, .client = client))); }

/* CompileOptionsProto of so many partitions; less than 128. */
static pjrt_error *compile(const char *text, char partitions, pjrt_loaded **out) {
    const char options[] = { 0x1a, 2, 0x28, partitions };
    pjrt_program program = { .struct_size = sizeof program, .code = (char *)text, .code_size = strlen(text),
                             .format = "mlir", .format_size = 4 };
    pjrt_Client_Compile_args a = { .struct_size = sizeof a, .client = client, .program = &program,
                                   .compile_options = options, .compile_options_size = sizeof options };
    pjrt_error *e = api->Client_Compile(&a);
    *out = a.executable;
    return e;
}

static pjrt_buffer *put(int device, const float *v, int64_t n) {
    pjrt_Client_BufferFromHostBuffer_args a = { .struct_size = sizeof a, .client = client, .data = v, .type = 11,
                                                .dims = &n, .num_dims = 1, .device = devices[device] };
    fine(api->Client_BufferFromHostBuffer(&a));
    fine(api->Event_Destroy(ARGS(Event_Destroy, .event = a.done_with_host_buffer)));
    return a.buffer;
}

static void drop(pjrt_buffer *b) { fine(api->Buffer_Destroy(ARGS(Buffer_Destroy, .buffer = b))); }

static void expect(pjrt_buffer *b, float first, float step, int64_t n) {
    float got[64] = { 0 };
    pjrt_Buffer_ToHostBuffer_args a = { .struct_size = sizeof a, .src = b, .dst = got, .dst_size = sizeof got };
    fine(api->Buffer_ToHostBuffer(&a));
    fine(api->Event_Await(ARGS(Event_Await, .event = a.event)));
    fine(api->Event_Destroy(ARGS(Event_Destroy, .event = a.event)));
    for (int64_t i = 0; i < n; i++) ck_assert_float_eq(got[i], first + step * (float)i);
}

/* Executes on n devices: args[device], one result each. */
static pjrt_error *execute(pjrt_loaded *p, size_t n, size_t arg_count, pjrt_buffer *const *const *args,
                           pjrt_buffer **out) {
    pjrt_buffer **lists[8];
    pjrt_event *done[8];
    pjrt_execute_options options = { .struct_size = sizeof options };
    for (size_t d = 0; d < n && d < 8; d++) lists[d] = &out[d];
    pjrt_error *e = api->LoadedExecutable_Execute(ARGS(LoadedExecutable_Execute, .executable = p, .options = &options,
                                                       .argument_lists = args, .num_devices = n, .num_args = arg_count,
                                                       .output_lists = lists, .device_complete_events = done));
    for (size_t d = 0; !e && d < n; d++) {
        fine(api->Event_Await(ARGS(Event_Await, .event = done[d])));
        fine(api->Event_Destroy(ARGS(Event_Destroy, .event = done[d])));
    }
    return e;
}

static const char add[] = "func.func @main(%a: tensor<8xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<8xf32>) -> tensor<8xf32> {\n"
                          "  %r = stablehlo.add %a, %b : tensor<8xf32>\n  return %r : tensor<8xf32>\n}\n";

/* Dimensions beyond what an array may have, whose bytes are right. */
START_TEST(a_bitcast_has_the_shape_of_an_array) {
    const float ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    int64_t dims[200];
    begin(1);
    pjrt_buffer *b = put(0, ones, 8);
    for (int i = 0; i < 200; i++) dims[i] = i ? 1 : 8;
    pjrt_Buffer_Bitcast_args a = { .struct_size = sizeof a, .buffer = b, .element_type = 11, .dims = dims };
    a.num_dims = 200;
    expect_error(api->Buffer_Bitcast(&a), PJRT_INVALID_ARGUMENT, "an array has at most");
    a.num_dims = 1, dims[0] = 7;
    expect_error(api->Buffer_Bitcast(&a), PJRT_INVALID_ARGUMENT, "a bitcast keeps the number of bytes, 32");
    a.num_dims = 3, dims[0] = 8;
    fine(api->Buffer_Bitcast(&a));
    expect(a.out_buffer, 1, 0, 8);
    drop(a.out_buffer);
    drop(b);
    end();
}
END_TEST

START_TEST(a_donated_buffer_is_gone) {
    const float ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    pjrt_loaded *p;
    begin(1);
    fine(compile(add, 1, &p));
    pjrt_buffer *a = put(0, ones, 8), *b = put(0, ones, 8), *out;
    for (int k = 0; k < 5; k++) {
        pjrt_buffer *const args[] = { a, b }, *const *const lists[] = { args };
        fine(execute(p, 1, 2, lists, &out));
        pjrt_Buffer_IsDeleted_args gone = { .struct_size = sizeof gone, .buffer = a };
        fine(api->Buffer_IsDeleted(&gone));
        ck_assert(gone.is_deleted);
        expect_error(execute(p, 1, 2, lists, &out + 0), PJRT_INVALID_ARGUMENT, "deleted or donated");
        drop(a);
        a = out;
        expect(a, (float)k + 2, 0, 8);
    }
    /* somebody else has its memory: it is copied */
    fine(api->Buffer_IncreaseExternalReferenceCount(ARGS(Buffer_IncreaseExternalReferenceCount, .buffer = a)));
    pjrt_Buffer_OpaqueDeviceMemoryDataPointer_args at = { .struct_size = sizeof at, .buffer = a };
    fine(api->Buffer_OpaqueDeviceMemoryDataPointer(&at));
    pjrt_buffer *const args[] = { a, b }, *const *const lists[] = { args };
    fine(execute(p, 1, 2, lists, &out));
    ck_assert_float_eq(*(float *)at.device_memory_ptr, 6);
    expect(out, 7, 0, 8);
    fine(api->Buffer_DecreaseExternalReferenceCount(ARGS(Buffer_DecreaseExternalReferenceCount, .buffer = a)));
    drop(out);
    drop(a);
    drop(b);
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = p)));
    end();
}
END_TEST

static const char sum[] =
    "module attributes {mhlo.num_partitions = 4 : i32} {\n  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<8xf32> {\n"
    "    %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %w = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>\n"
    "    %r = stablehlo.add %a, %w : tensor<8xf32>\n    return %r : tensor<8xf32>\n  }\n}\n";

/* Parts from the host, then results of one program as arguments of the next, then parts of several programs. */
START_TEST(several_devices) {
    pjrt_loaded *p, *one;
    pjrt_buffer *in[4], *out[4], *next[4];
    pjrt_buffer *const *lists[4];
    begin(4);
    fine(compile(sum, 4, &p));
    for (int d = 0; d < 4; d++) {
        const float v[2] = { (float)(2 * d), (float)(2 * d + 1) };
        in[d] = put(d, v, 2);
        lists[d] = &in[d];
    }
    fine(execute(p, 4, 1, lists, out));
    for (int d = 0; d < 4; d++) expect(out[d], 28 + (float)(2 * d), 1, 2), lists[d] = &out[d];
    fine(execute(p, 4, 1, lists, next));
    for (int d = 0; d < 4; d++) expect(next[d], 280 + (float)(2 * d), 1, 2);
    /* one part is another array's */
    lists[1] = &in[1];
    for (int d = 0; d < 4; d++) drop(next[d]);
    fine(execute(p, 4, 1, lists, next));
    expect(next[1], 2 + (57 + 5 + 65 + 69), 1, 2);
    lists[1] = &in[2];
    expect_error(execute(p, 4, 1, lists, next), PJRT_INVALID_ARGUMENT,
                 "argument 0 is on weft:2; the program runs on weft:1 there");
    fine(compile("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %r = stablehlo.negate %a : tensor<2xf32>\n"
                 "  return %r : tensor<2xf32>\n}\n", 1, &one));
    pjrt_buffer *minus;
    fine(execute(one, 1, 1, (pjrt_buffer *const *const[]){ &out[0] }, &minus));
    expect(minus, -28, -1, 2);
    drop(minus);
    for (int d = 0; d < 4; d++) drop(in[d]), drop(out[d]), drop(next[d]);
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = one)));
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = p)));
    end();
}
END_TEST

START_TEST(an_executable_as_bytes) {
    const float ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    pjrt_loaded *p;
    pjrt_buffer *out;
    begin(2);
    fine(compile(add, 1, &p));
    pjrt_LoadedExecutable_GetExecutable_args x = { .struct_size = sizeof x, .loaded_executable = p };
    fine(api->LoadedExecutable_GetExecutable(&x));
    pjrt_Executable_Serialize_args bytes = { .struct_size = sizeof bytes, .executable = x.executable };
    fine(api->Executable_Serialize(&bytes));
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = p)));
    for (size_t n = 0; n < bytes.serialized_bytes_size; n += 211)
        expect_error(api->Executable_DeserializeAndLoad(ARGS(Executable_DeserializeAndLoad, .client = client,
                                                             .serialized_executable = bytes.serialized_bytes,
                                                             .serialized_executable_size = n)),
                     PJRT_INVALID_ARGUMENT, "damaged");
    pjrt_Executable_DeserializeAndLoad_args a = { .struct_size = sizeof a, .client = client,
                                                  .serialized_executable = bytes.serialized_bytes,
                                                  .serialized_executable_size = bytes.serialized_bytes_size };
    fine(api->Executable_DeserializeAndLoad(&a));
    bytes.serialized_executable_deleter(bytes.serialized_executable);
    pjrt_buffer *const args[] = { put(0, ones, 8), put(0, ones, 8) }, *const *const lists[] = { args };
    fine(execute(a.loaded_executable, 1, 2, lists, &out));
    expect(out, 2, 0, 8);
    drop(out), drop(args[0]), drop(args[1]);
    fine(api->Executable_Destroy(ARGS(Executable_Destroy, .executable = x.executable)));
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = a.loaded_executable)));
    end();
}
END_TEST

static const char leaves_terms[] =
    "sdy.mesh @m = <[\"x\"=2]>\n"
    "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@m, [], unreduced={\"x\"}>}) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [], unreduced={\"x\"}>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
    "  return %r : tensor<f32>\n}\n";
static const char takes_terms[] =
    "sdy.mesh @m = <[\"x\"=2]>\n"
    "func.func @main(%a: tensor<f32> {sdy.sharding = #sdy.sharding<@m, [], unreduced={\"x\"}>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}) {\n"
    "  return %a : tensor<f32>\n}\n";

/* Loaded again, from its bytes. */
static pjrt_loaded *as_bytes(pjrt_loaded *p) {
    pjrt_LoadedExecutable_GetExecutable_args x = { .struct_size = sizeof x, .loaded_executable = p };
    fine(api->LoadedExecutable_GetExecutable(&x));
    pjrt_Executable_Serialize_args bytes = { .struct_size = sizeof bytes, .executable = x.executable };
    fine(api->Executable_Serialize(&bytes));
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = p)));
    pjrt_Executable_DeserializeAndLoad_args a = { .struct_size = sizeof a, .client = client,
                                                  .serialized_executable = bytes.serialized_bytes,
                                                  .serialized_executable_size = bytes.serialized_bytes_size };
    fine(api->Executable_DeserializeAndLoad(&a));
    bytes.serialized_executable_deleter(bytes.serialized_executable);
    fine(api->Executable_Destroy(ARGS(Executable_Destroy, .executable = x.executable)));
    return a.loaded_executable;
}

/* What is left unreduced: each device has its term. */
START_TEST(terms_go_from_program_to_program) {
    const float v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    pjrt_loaded *p, *q;
    pjrt_buffer *terms[2], *sums[2];
    begin(2);
    fine(compile(leaves_terms, 2, &p));
    fine(compile(takes_terms, 2, &q));
    for (int turn = 0; turn < 2; turn++, p = as_bytes(p), q = as_bytes(q)) {
        pjrt_buffer *const first[] = { put(0, v, 4) }, *const second[] = { put(1, v + 4, 4) };
        fine(execute(p, 2, 1, (pjrt_buffer *const *const[]){ first, second }, terms));
        expect(terms[0], 10, 0, 1);
        expect(terms[1], 26, 0, 1);
        pjrt_buffer *const a[] = { terms[0] }, *const b[] = { terms[1] };
        fine(execute(q, 2, 1, (pjrt_buffer *const *const[]){ a, b }, sums));
        for (int d = 0; d < 2; d++) expect(sums[d], 36, 0, 1), drop(sums[d]), drop(terms[d]);
        drop(first[0]), drop(second[0]);
    }
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = p)));
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = q)));
    end();
}
END_TEST

static pjrt_loaded *shared;

static void *many_runs(void *where) {
    const float v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    for (int k = 0; k < 50; k++) {
        pjrt_buffer *const args[] = { put(0, v, 8), put(0, v, 8) }, *const *const lists[] = { args };
        pjrt_buffer *out;
        fine(execute(shared, 1, 2, lists, &out));
        expect(out, 2, 2, 8);
        drop(out), drop(args[0]), drop(args[1]);
    }
    return where;
}

START_TEST(threads_call_at_once) {
    pthread_t threads[4];
    begin(1);
    fine(compile(add, 1, &shared));
    for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, many_runs, NULL), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    pjrt_Device_MemoryStats_args used = { .struct_size = sizeof used, .device = devices[0] };
    fine(api->Device_MemoryStats(&used));
    ck_assert_int_le(used.bytes_in_use, 2 * 32); /* what the last run was lent goes back with the next */
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = shared)));
    end();
}
END_TEST

/* One thread lets a program take each array for the next, another reads them: it gets an array as it was or an error,
 * never what the program wrote over it. */
enum { TAKEN = 300, WIDE = 1 << 14 };
static pjrt_buffer *taken[TAKEN + 1];
static _Atomic int newest;

static pjrt_buffer *put_wide(float v) {
    static float wide[WIDE];
    for (int i = 0; i < WIDE; i++) wide[i] = v;
    return put(0, wide, WIDE);
}

static void *read_newest(void *failed) {
    static float got[WIDE];
    for (int k = 0; (k = atomic_load(&newest)) < TAKEN;) {
        pjrt_Buffer_ToHostBuffer_args a = { .struct_size = sizeof a, .src = taken[k], .dst = got,
                                            .dst_size = sizeof got };
        pjrt_error *e = api->Buffer_ToHostBuffer(&a);
        if (!e) e = api->Event_Await(ARGS(Event_Await, .event = a.event));
        if (a.event) fine(api->Event_Destroy(ARGS(Event_Destroy, .event = a.event)));
        if (e) expect_error(e, PJRT_INVALID_ARGUMENT, "deleted or donated");
        else for (int i = 0; i < WIDE; i++) *(int *)failed += got[i] != (float)k;
    }
    return NULL;
}

START_TEST(a_reader_never_sees_a_donated_array) {
    pjrt_loaded *p;
    pthread_t reader;
    int failed = 0;
    begin(1);
    fine(compile("func.func @main(%a: tensor<16384xf32> {tf.aliasing_output = 0 : i32}) -> tensor<16384xf32> {\n"
                 "  %one = stablehlo.constant dense<1.0> : tensor<16384xf32>\n"
                 "  %r = stablehlo.add %a, %one : tensor<16384xf32>\n  return %r : tensor<16384xf32>\n}\n",
                 1, &p));
    taken[0] = put_wide(0);
    atomic_store(&newest, 0);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_newest, &failed), 0);
    for (int k = 0; k < TAKEN; k++) {
        pjrt_buffer *const args[] = { taken[k] }, *const *const lists[] = { args };
        fine(execute(p, 1, 1, lists, &taken[k + 1]));
        atomic_store(&newest, k + 1);
    }
    pthread_join(reader, NULL);
    ck_assert_int_eq(failed, 0);
    for (int k = 0; k <= TAKEN; k++) drop(taken[k]);
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = p)));
    end();
}
END_TEST

/* A call that lets go of a program when one of its runs ends, by the thread that ends it. */
static const pjrt_layouts_extension *layouts(void) {
    const pjrt_extension *e = api->extensions;
    while (e && e->type != PJRT_EXTENSION_LAYOUTS) e = e->next;
    ck_assert_ptr_nonnull(e);
    return (const pjrt_layouts_extension *)e;
}

static void expect_layout(const pjrt_layout *l, const char *text) {
    pjrt_layout_serialize_args a = { .struct_size = sizeof a, .layout = l };
    fine(layouts()->serialize(&a));
    ck_assert_uint_eq(a.serialized_bytes_size, strlen(text));
    ck_assert_msg(!strncmp(a.serialized_bytes, text, strlen(text)), "%s", a.serialized_bytes);
    a.serialized_layout_deleter(a.serialized_layout);
    fine(layouts()->destroy(&(pjrt_layout_destroy_args){ .struct_size = sizeof(pjrt_layout_destroy_args),
                                                         .layout = (pjrt_layout *)l }));
}

START_TEST(arrays_are_row_major) {
    const float v[8] = { 0 };
    pjrt_loaded *p;
    begin(1);
    fine(compile(add, 1, &p));
    pjrt_buffer *b = put(0, v, 8);
    pjrt_LoadedExecutable_GetExecutable_args of = { .struct_size = sizeof of, .loaded_executable = p };
    fine(api->LoadedExecutable_GetExecutable(&of));
    const pjrt_layouts_extension *l = layouts();
    pjrt_layouts_args in = { .struct_size = sizeof in, .executable = of.executable }, out = in;
    fine(l->parameters(&in));
    fine(l->outputs(&out));
    ck_assert_uint_eq(in.count, 2);
    ck_assert_uint_eq(out.count, 1);
    expect_layout(in.layouts[1], "{0}");
    expect_layout(out.layouts[0], "{0}");
    pjrt_layout_buffer_args buffer = { .struct_size = sizeof buffer, .buffer = b };
    fine(l->buffer(&buffer));
    expect_layout(buffer.layout, "{0}");
    const int64_t dims[65] = { 0 };
    pjrt_layout_default_args any = { .struct_size = sizeof any, .owner = client, .type = 11, .dims = dims };
    fine(l->client_default(&any));
    expect_layout(any.layout, "{}");
    any.num_dims = 12;
    fine(l->topology_default(&any));
    expect_layout(any.layout, "{11,10,9,8,7,6,5,4,3,2,1,0}");
    any.num_dims = 65;
    expect_error(l->client_default(&any), PJRT_UNIMPLEMENTED, "an array of 65 dimensions has no layout here");
    any.owner = NULL;
    expect_error(l->client_default(&any), PJRT_INVALID_ARGUMENT, "a layout needs what it is of");
    in.struct_size = 16;
    expect_error(l->parameters(&in), PJRT_INVALID_ARGUMENT, "a layout needs what it is of");
    expect_error(l->outputs(NULL), PJRT_INVALID_ARGUMENT, "a layout needs what it is of");
    fine(api->Executable_Destroy(ARGS(Executable_Destroy, .executable = of.executable)));
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = p)));
    drop(b);
    end();
}
END_TEST

static void expect_devices(const pjrt_topology *t, const char *platform, size_t count) {
    pjrt_TopologyDescription_GetDeviceDescriptions_args of = { .struct_size = sizeof of, .topology = t };
    fine(api->TopologyDescription_GetDeviceDescriptions(&of));
    ck_assert_uint_eq(of.num_descriptions, count);
    for (size_t i = 0; i < count; i++) {
        char want[64];
        snprintf(want, sizeof want, "%s:%zu", platform, i);
        pjrt_DeviceDescription_Id_args id = { .struct_size = sizeof id, .device_description = of.descriptions[i] };
        pjrt_DeviceDescription_ToString_args name = { .struct_size = sizeof name,
                                                      .device_description = of.descriptions[i] };
        fine(api->DeviceDescription_Id(&id));
        fine(api->DeviceDescription_ToString(&name));
        ck_assert_uint_eq(id.id, i);
        ck_assert_str_eq(name.to_string, want);
    }
}

START_TEST(a_topology_needs_no_client) {
    static const struct { const char *text, *platform; size_t devices; } of[] = {
        { "weft:3", "weft", 3 }, { "5", "weft", 5 }, { "cpu:2", "cpu", 2 }, { "", "weft", 1 },
    };
    api = GetPjrtApi();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        pjrt_TopologyDescription_Create_args a = { .struct_size = sizeof a, .topology_name = of[i].text,
                                                   .topology_name_size = strlen(of[i].text) };
        fine(api->TopologyDescription_Create(&a));
        expect_devices(a.topology, of[i].platform, of[i].devices);
        pjrt_TopologyDescription_Serialize_args s = { .struct_size = sizeof s, .topology = a.topology };
        fine(api->TopologyDescription_Serialize(&s));
        pjrt_TopologyDescription_Deserialize_args again = { .struct_size = sizeof again,
                                                            .serialized_topology = s.serialized_bytes,
                                                            .serialized_topology_size = s.serialized_bytes_size };
        fine(api->TopologyDescription_Deserialize(&again));
        expect_devices(again.topology, of[i].platform, of[i].devices);
        s.serialized_topology_deleter(s.serialized_topology);
        fine(api->TopologyDescription_Destroy(ARGS(TopologyDescription_Destroy, .topology = again.topology)));
        fine(api->TopologyDescription_Destroy(ARGS(TopologyDescription_Destroy, .topology = a.topology)));
    }
    static const char *const wrong[] = { "weft:0", "weft:",        "weft:-1",          "weft:2x",
                                         "two",    "weft:1048577", "weft:999999999999" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_error(api->TopologyDescription_Create(ARGS(TopologyDescription_Create, .topology_name = wrong[i],
                                                          .topology_name_size = strlen(wrong[i]))),
                     PJRT_INVALID_ARGUMENT, "a topology is the number of its devices");
}
END_TEST

static pjrt_loaded *last;

static void let_go_of_last(pjrt_error *e, void *user) {
    (void)user;
    fine(e);
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = last)));
}

START_TEST(the_end_of_a_run_may_let_go_of_its_program) {
    begin(2);
    for (int k = 0; k < 20; k++) {
        pjrt_buffer *out[2], **lists[] = { &out[0], &out[1] };
        pjrt_event *done[2];
        fine(compile("sdy.mesh @m = <[\"x\"=2]>\n"
                     "func.func @main() -> (tensor<4194304xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) {\n"
                     "  %r = stablehlo.iota dim = 0 : tensor<4194304xf32>\n"
                     "  %s = stablehlo.cosine %r : tensor<4194304xf32>\n  return %s : tensor<4194304xf32>\n}\n",
                     2, &last));
        fine(api->LoadedExecutable_Execute(ARGS(LoadedExecutable_Execute, .executable = last, .num_devices = 2,
                                                .output_lists = lists, .device_complete_events = done)));
        fine(api->Event_OnReady(ARGS(Event_OnReady, .event = done[0], .callback = let_go_of_last)));
        fine(api->Event_Await(ARGS(Event_Await, .event = done[1])));
        for (int d = 0; d < 2; d++) fine(api->Event_Destroy(ARGS(Event_Destroy, .event = done[d]))), drop(out[d]);
    }
    end();
}
END_TEST

START_TEST(mistakes_are_errors) {
    pjrt_loaded *p;
    pjrt_buffer *out;
    begin(1);
    expect_error(compile("func.func @main() {", 1, &p), PJRT_INVALID_ARGUMENT, "program:1:");
    expect_error(compile(sum, 4, &p), PJRT_INVALID_ARGUMENT, "the program is for 4 devices, the client has 1");
    expect_error(compile(sum, 2, &p), PJRT_INVALID_ARGUMENT, "for 4 devices, by its meshes");
    fine(compile(add, 1, &p));
    expect_error(execute(p, 1, 1, (pjrt_buffer *const *const[]){ NULL }, &out), PJRT_INVALID_ARGUMENT,
                 "takes 2 arguments, not 1");
    const float v[4] = { 0 };
    pjrt_buffer *const args[] = { put(0, v, 4), put(0, v, 4) }, *const *const lists[] = { args };
    expect_error(execute(p, 1, 2, lists, &out), PJRT_INVALID_ARGUMENT,
                 "tensor<4xf32>, the program takes tensor<8xf32>");
    expect_error(execute(p, 2, 2, lists, &out), PJRT_INVALID_ARGUMENT, "for 1 devices, not for 2");
    const int64_t dims[] = { 1 << 30, 1 << 30, 1 << 30 };
    expect_error(api->Client_BufferFromHostBuffer(ARGS(Client_BufferFromHostBuffer, .client = client, .data = v,
                                                       .type = 11, .dims = dims, .num_dims = 3,
                                                       .device = devices[0])),
                 PJRT_INVALID_ARGUMENT, "no size");
    expect_error(api->Client_BufferFromHostBuffer(ARGS(Client_BufferFromHostBuffer, .client = client, .data = v,
                                                       .type = 23, .device = devices[0])),
                 PJRT_UNIMPLEMENTED, "element type 23");
    drop(args[0]), drop(args[1]);
    fine(api->LoadedExecutable_Destroy(ARGS(LoadedExecutable_Destroy, .executable = p)));
    end();
}
END_TEST

static pjrt_named_value number(const char *name, int64_t v) {
    return (pjrt_named_value){ .struct_size = sizeof(pjrt_named_value), .name = name, .name_size = strlen(name),
                               .type = PJRT_VALUE_INT64, .int64_value = v, .value_size = 1 };
}

static pjrt_error *no_key(pjrt_kv_get_args *a) {
    return (*a->callback_error)(PJRT_DEADLINE_EXCEEDED, "no such key", 11);
}

static pjrt_error *takes_key(pjrt_kv_put_args *a) {
    (void)a;
    return NULL;
}

START_TEST(mistakes_of_jobs_are_errors) {
    const pjrt_named_value two[] = { number("num_nodes", 2), number("node_id", 1) },
                           wrong[] = { number("num_nodes", 2), number("node_id", 2) },
                           none[] = { number("num_nodes", 0) };
    begin(1);
    pjrt_Client_Create_args a = { .struct_size = sizeof a, .create_options = two, .num_options = 2 };
    expect_error(api->Client_Create(&a), PJRT_INVALID_ARGUMENT, "needs the framework's store");
    a.kv_get_callback = no_key, a.kv_put_callback = takes_key;
    expect_error(api->Client_Create(&a), PJRT_UNAVAILABLE, "process 0 has not come to the framework's store: no such key");
    a.create_options = wrong;
    expect_error(api->Client_Create(&a), PJRT_INVALID_ARGUMENT, "no process 2 among 2");
    a.create_options = none, a.num_options = 1;
    expect_error(api->Client_Create(&a), PJRT_INVALID_ARGUMENT, "no process 0 among 0");
    pjrt_process_info info = { .struct_size = 8 };
    expect_error(api->Client_UpdateGlobalProcessInfo(ARGS(Client_UpdateGlobalProcessInfo, .client = client,
                                                          .process_infos = &info, .num_process_infos = 1)),
                 PJRT_INVALID_ARGUMENT, "has 8 bytes");
    info = (pjrt_process_info){ .struct_size = sizeof info, .process = 3, .state = PJRT_PROCESS_FAILED };
    fine(api->Client_UpdateGlobalProcessInfo(ARGS(Client_UpdateGlobalProcessInfo, .client = client,
                                                  .process_infos = &info, .num_process_infos = 1)));
    end();
}
END_TEST

int main(void) {
    Suite *s = suite_create("pjrt/plugin");
    TCase *tc = tcase_create("plugin");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_bitcast_has_the_shape_of_an_array);
    tcase_add_test(tc, a_donated_buffer_is_gone);
    tcase_add_test(tc, several_devices);
    tcase_add_test(tc, an_executable_as_bytes);
    tcase_add_test(tc, terms_go_from_program_to_program);
    tcase_add_test(tc, threads_call_at_once);
    tcase_add_test(tc, a_reader_never_sees_a_donated_array);
    tcase_add_test(tc, a_topology_needs_no_client);
    tcase_add_test(tc, the_end_of_a_run_may_let_go_of_its_program);
    tcase_add_test(tc, arrays_are_row_major);
    tcase_add_test(tc, mistakes_are_errors);
    tcase_add_test(tc, mistakes_of_jobs_are_errors);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
