// handlers.cc: functions for jax.ffi, compiled by the tests with jaxlib's headers (test_ffi.py). Each that ends a line of
// XLA_FFI_DEFINE_HANDLER_SYMBOL is a handler; functions of the process tell the tests what has happened.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// --- what has happened, for the tests ---

static std::mutex log_lock;
static std::string log_text;

static void note(const std::string &line) {
    std::lock_guard<std::mutex> held(log_lock);
    log_text += line + "\n";
}

extern "C" int64_t handlers_log(char *to, int64_t room) {
    std::lock_guard<std::mutex> held(log_lock);
    const int64_t n = std::min<int64_t>(room, log_text.size());
    memcpy(to, log_text.data(), n);
    log_text.erase(0, n);
    return n;
}

// --- element by element ---

static ffi::Error scale(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, float factor, int64_t offset) {
    for (size_t i = 0; i < x.element_count(); i++) y->typed_data()[i] = x.typed_data()[i] * factor + offset;
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Scale, scale, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>()
                              .Attr<float>("factor").Attr<int64_t>("offset"));

// The sum of each row, and the largest element and its place of all.
static ffi::Error sums(ffi::BufferR2<ffi::F32> x, ffi::ResultBufferR1<ffi::F32> rows, ffi::ResultBufferR0<ffi::F32> most,
                       ffi::ResultBufferR0<ffi::S32> at) {
    const int64_t n = x.dimensions()[0], m = x.dimensions()[1];
    *most->typed_data() = x.typed_data()[0];
    *at->typed_data() = 0;
    for (int64_t i = 0; i < n; i++) {
        rows->typed_data()[i] = 0;
        for (int64_t j = 0; j < m; j++) {
            const float v = x.typed_data()[i * m + j];
            rows->typed_data()[i] += v;
            if (v > *most->typed_data()) *most->typed_data() = v, *at->typed_data() = i * m + j;
        }
    }
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Sums, sums, ffi::Ffi::Bind().Arg<ffi::BufferR2<ffi::F32>>().Ret<ffi::BufferR1<ffi::F32>>()
                              .Ret<ffi::BufferR0<ffi::F32>>().Ret<ffi::BufferR0<ffi::S32>>());

// In place: the result has its operand's memory, or the call is wrong.
static ffi::Error add_in_place(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, float by) {
    if (x.untyped_data() != y->untyped_data()) return ffi::Error::Internal("the result is not the operand");
    for (size_t i = 0; i < x.element_count(); i++) y->typed_data()[i] += by;
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(AddInPlace, add_in_place, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>()
                              .Ret<ffi::Buffer<ffi::F32>>().Attr<float>("by"));

// Two results in each other's place.
static ffi::Error swap(ffi::Buffer<ffi::F32> a, ffi::Buffer<ffi::F32> b, ffi::ResultBuffer<ffi::F32> x,
                       ffi::ResultBuffer<ffi::F32> y) {
    if (a.untyped_data() != y->untyped_data() || b.untyped_data() != x->untyped_data())
        return ffi::Error::Internal("the results are not the operands");
    for (size_t i = 0; i < a.element_count(); i++) x->typed_data()[i] += 1, y->typed_data()[i] += 2;
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Swap, swap, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Arg<ffi::Buffer<ffi::F32>>()
                              .Ret<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

// The device's number, times one, for each element.
static ffi::Error ordinal(int32_t device, ffi::Buffer<ffi::S32> x, ffi::ResultBuffer<ffi::S32> y) {
    for (size_t i = 0; i < x.element_count(); i++) y->typed_data()[i] = x.typed_data()[i] * 0 + device;
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Ordinal, ordinal, ffi::Ffi::Bind().Ctx<ffi::DeviceOrdinal>().Arg<ffi::Buffer<ffi::S32>>()
                              .Ret<ffi::Buffer<ffi::S32>>());

// Waits until `devices` calls are in here at once: they are made at the same time, or never end.
static ffi::Error together(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, int32_t devices, ffi::RunId run) {
    static std::mutex lock;
    static std::condition_variable all;
    static int here = 0, turn = 0;
    std::unique_lock<std::mutex> held(lock);
    const int mine = turn;
    note("run " + std::to_string(run.run_id));
    if (++here == devices) here = 0, turn++, all.notify_all();
    else if (!all.wait_for(held, std::chrono::seconds(60), [&] { return turn != mine; }))
        return ffi::Error::Internal("the other devices did not come");
    memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Together, together, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>()
                              .Attr<int32_t>("devices").Ctx<ffi::RunId>());

// --- a call as it is: its buffers and attributes as text, in a result of bytes and in the log ---

static void put_attributes(std::string &s, const XLA_FFI_Attrs *a);

static void put_bytes(std::string &s, int dtype, const void *p, size_t count) {
    const size_t n = count * ffi::ByteWidth(static_cast<ffi::DataType>(dtype));
    char digits[3];
    s += std::to_string(dtype) + ":" + std::to_string(count) + ":";
    for (size_t i = 0; i < n; i++) snprintf(digits, sizeof digits, "%02x", ((const unsigned char *)p)[i]), s += digits;
}

static void put_attributes(std::string &s, const XLA_FFI_Attrs *a) {
    s += "{";
    for (int64_t i = 0; i < a->size; i++) {
        s += std::string(a->names[i]->ptr, a->names[i]->len) + "=";
        if (a->types[i] == XLA_FFI_AttrType_DICTIONARY) put_attributes(s, (XLA_FFI_Attrs *)a->attrs[i]);
        if (a->types[i] == XLA_FFI_AttrType_STRING)
            s += "'" + std::string(((XLA_FFI_ByteSpan *)a->attrs[i])->ptr, ((XLA_FFI_ByteSpan *)a->attrs[i])->len) + "'";
        if (a->types[i] == XLA_FFI_AttrType_SCALAR)
            put_bytes(s += "scalar ", ((XLA_FFI_Scalar *)a->attrs[i])->dtype, ((XLA_FFI_Scalar *)a->attrs[i])->value, 1);
        if (a->types[i] == XLA_FFI_AttrType_ARRAY)
            put_bytes(s += "array ", ((XLA_FFI_Array *)a->attrs[i])->dtype, ((XLA_FFI_Array *)a->attrs[i])->data,
                      ((XLA_FFI_Array *)a->attrs[i])->size);
        s += "; ";
    }
    s += "}";
}

static void put_buffer(std::string &s, const XLA_FFI_Buffer *b) {
    s += "(" + std::to_string(b->dtype);
    for (int64_t i = 0; i < b->rank; i++) s += " " + std::to_string(b->dims[i]);
    s += ") ";
}

static int told_major = XLA_FFI_API_MAJOR, told_minor = XLA_FFI_API_MINOR;
extern "C" void handlers_say_version(int major, int minor) { told_major = major, told_minor = minor; }

extern "C" XLA_FFI_Error *Describe(XLA_FFI_CallFrame *f) {
    if (f->extension_start && f->extension_start->type == XLA_FFI_Extension_Metadata) {
        auto *m = ((XLA_FFI_Metadata_Extension *)f->extension_start)->metadata;
        m->api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, told_major, told_minor};
        m->traits = 0;
        return nullptr;
    }
    if (f->struct_size != XLA_FFI_CallFrame_STRUCT_SIZE)
        return ffi::internal::CreateError(f->api, ffi::Error::Internal("the frame has another size"));
    std::string s = "stage " + std::to_string(f->stage) + " ";
    for (int64_t i = 0; i < f->args.size; i++) put_buffer(s, (XLA_FFI_Buffer *)f->args.args[i]);
    s += "-> ";
    for (int64_t i = 0; i < f->rets.size; i++) put_buffer(s, (XLA_FFI_Buffer *)f->rets.rets[i]);
    put_attributes(s, &f->attrs);
    note(s);
    for (int64_t i = 0; f->stage == XLA_FFI_ExecutionStage_EXECUTE && i < f->rets.size; i++) {
        const ffi::AnyBuffer b((XLA_FFI_Buffer *)f->rets.rets[i]);
        if (b.element_type() != ffi::U8) continue;
        for (size_t k = 0; k < b.element_count(); k++) ((char *)b.untyped_data())[k] = k < s.size() ? s[k] : ' ';
    }
    return nullptr;
}

// The bytes that a buffer takes: elements of 2 and 4 bits have no gaps, though the header counts a byte for each.
static size_t bytes_of(const ffi::AnyBuffer &b) {
    const ffi::DataType t = b.element_type();
    const size_t n = b.element_count();
    if (t == ffi::S4 || t == ffi::U4 || t == ffi::F4E2M1FN) return (n + 1) / 2;
    return t == ffi::S2 || t == ffi::U2 ? (n + 3) / 4 : b.size_bytes();
}

// The operand as it lies in memory, whatever its dimensions are called: as much of it as the result has room for.
static ffi::Error first_in_memory(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y) {
    memcpy(y->untyped_data(), x.untyped_data(), std::min(bytes_of(x), bytes_of(*y)));
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(CopyMemory, first_in_memory, ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

// --- state ---

struct Counter {
    static ffi::TypeId id;
    static XLA_FFI_TypeInfo info;
    std::atomic<int32_t> calls{0};
    int32_t begin;
    explicit Counter(int32_t n) : begin(n) { note("instance made"); }
    ~Counter() { note("instance ended"); }
};
ffi::TypeId Counter::id = {};
XLA_FFI_TypeInfo Counter::info = ffi::MakeTypeInfo<Counter>();
extern "C" void *counter_type_id() { return &Counter::id; }
extern "C" void *counter_type_info() { return &Counter::info; }

static ffi::ErrorOr<std::unique_ptr<Counter>> count_begin(int32_t begin) {
    if (begin < 0) return ffi::Unexpected(ffi::Error(ffi::ErrorCode::kOutOfRange, "it begins below zero"));
    return std::make_unique<Counter>(begin);
}
static ffi::Error count(Counter *c, ffi::ResultBufferR0<ffi::S32> y) {
    *y->typed_data() = c->begin + c->calls++;
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountInstantiate, count_begin, ffi::Ffi::BindInstantiate().Attr<int32_t>("begin"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountExecute, count, ffi::Ffi::Bind().Ctx<ffi::State<Counter>>()
                              .Ret<ffi::BufferR0<ffi::S32>>());

// The states of the other stages, by one type: what prepare leaves, initialize takes on, and execute adds up.
struct Step {
    static ffi::TypeId id;
    static XLA_FFI_TypeInfo info;
    int32_t value;
    explicit Step(int32_t v) : value(v) {}
    ~Step() { note("step ended " + std::to_string(value)); }
};
ffi::TypeId Step::id = {};
XLA_FFI_TypeInfo Step::info = ffi::MakeTypeInfo<Step>();
extern "C" void *step_type_id() { return &Step::id; }
extern "C" void *step_type_info() { return &Step::info; }

static ffi::ErrorOr<std::unique_ptr<Step>> step_prepare() { return std::make_unique<Step>(10); }
static ffi::ErrorOr<std::unique_ptr<Step>> step_initialize(Step *before) {
    return std::make_unique<Step>(before->value + 5);
}
static ffi::Error step_execute(Step *prepared, Step *initialized, ffi::ResultBufferR0<ffi::S32> y) {
    *y->typed_data() = 100 * prepared->value + initialized->value;
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(StepPrepare, step_prepare, ffi::Ffi::BindPrepare());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StepInitialize, step_initialize, ffi::Ffi::BindInitialize().Ctx<ffi::Prepared<Step>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StepExecute, step_execute, ffi::Ffi::Bind().Ctx<ffi::Prepared<Step>>()
                              .Ctx<ffi::Initialized<Step>>().Ret<ffi::BufferR0<ffi::S32>>());

// A state of versions 0.2 and 0.1: the arguments had no stage then, and before 0.2 the deleter.
struct OldStateArgs {
    size_t size;
    void *extensions;
    XLA_FFI_ExecutionContext *context;
    XLA_FFI_TypeId *id;
    void *state;
    void (*end)(void *);
};
static void end_old(void *state) {
    note("old state ended");
    delete static_cast<int32_t *>(state);
}
static XLA_FFI_Error *old_state(XLA_FFI_CallFrame *f, int minor) {
    if (f->extension_start) {
        auto *m = ((XLA_FFI_Metadata_Extension *)f->extension_start)->metadata;
        m->api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, 0, minor};
        return nullptr;
    }
    OldStateArgs a = {offsetof(OldStateArgs, end), nullptr, f->ctx, &Counter::id, nullptr, end_old};
    if (f->stage == XLA_FFI_ExecutionStage_INSTANTIATE) {
        if (minor == 1) a.size = sizeof a, a.state = new int32_t(41);
        else a.state = new Counter(42);
        return f->api->XLA_FFI_State_Set((XLA_FFI_State_Set_Args *)&a);
    }
    if (XLA_FFI_Error *e = f->api->XLA_FFI_State_Get((XLA_FFI_State_Get_Args *)&a)) return e;
    *(int32_t *)((XLA_FFI_Buffer *)f->rets.rets[0])->data = minor == 1 ? *(int32_t *)a.state : ((Counter *)a.state)->begin;
    return nullptr;
}
extern "C" XLA_FFI_Error *OldState(XLA_FFI_CallFrame *f) { return old_state(f, 2); }
extern "C" XLA_FFI_Error *OldestState(XLA_FFI_CallFrame *f) { return old_state(f, 1); }

// --- failures ---

static ffi::Error fail(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, int32_t code, std::string_view text) {
    (void)x, (void)y;
    return ffi::Error(static_cast<ffi::ErrorCode>(code), std::string(text));
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Fail, fail, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>()
                              .Attr<int32_t>("code").Attr<std::string_view>("text"));

// What the interface refuses, as text in the log: functions that this host or this call does not have.
static void refused(const XLA_FFI_Api *api, const char *what, XLA_FFI_Error *e) {
    note(std::string(what) + ": " + (e ? ffi::internal::GetErrorMessage(api, e) : "fine"));
    if (e) ffi::internal::DestroyError(api, e);
}
extern "C" XLA_FFI_Error *Ask(XLA_FFI_CallFrame *f) {
    if (f->extension_start) {
        auto *m = ((XLA_FFI_Metadata_Extension *)f->extension_start)->metadata;
        m->api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};
        return nullptr;
    }
    XLA_FFI_TypeId unknown = {77};
    int32_t state = 0;
    if (f->stage == XLA_FFI_ExecutionStage_INSTANTIATE) {
        XLA_FFI_State_Set_Args own = {XLA_FFI_State_Set_Args_STRUCT_SIZE, nullptr, f->ctx, f->stage, &unknown, &state};
        refused(f->api, "type", f->api->XLA_FFI_State_Set(&own));
        own.type_id = &Counter::id, own.state = new Counter(0);
        refused(f->api, "first", f->api->XLA_FFI_State_Set(&own));
        refused(f->api, "twice", f->api->XLA_FFI_State_Set(&own));
        XLA_FFI_State_Get_Args other = {XLA_FFI_State_Get_Args_STRUCT_SIZE, nullptr, f->ctx, f->stage, &unknown, nullptr};
        refused(f->api, "other", f->api->XLA_FFI_State_Get(&other));
        XLA_FFI_DeviceOrdinal_Get_Args device = {XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE, nullptr, f->ctx, 0};
        refused(f->api, "device", f->api->XLA_FFI_DeviceOrdinal_Get(&device));
        return nullptr;
    }
    XLA_FFI_Stream_Get_Args stream = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, f->ctx, nullptr};
    refused(f->api, "stream", f->api->XLA_FFI_Stream_Get(&stream));
    stream.struct_size = 8;
    refused(f->api, "size", f->api->XLA_FFI_Stream_Get(&stream));
    XLA_FFI_State_Get_Args get = {XLA_FFI_State_Get_Args_STRUCT_SIZE, nullptr, f->ctx, XLA_FFI_ExecutionStage_INSTANTIATE,
                                  &unknown, nullptr};
    get.stage = XLA_FFI_ExecutionStage_PREPARE;
    refused(f->api, "get", f->api->XLA_FFI_State_Get(&get));
    get.stage = XLA_FFI_ExecutionStage_EXECUTE;
    refused(f->api, "stage", f->api->XLA_FFI_State_Get(&get));
    XLA_FFI_State_Set_Args set = {XLA_FFI_State_Set_Args_STRUCT_SIZE, nullptr, f->ctx, XLA_FFI_ExecutionStage_INSTANTIATE,
                                  &unknown, &state};
    refused(f->api, "set", f->api->XLA_FFI_State_Set(&set));
    XLA_FFI_ExecutionContext_Get_Args data = {XLA_FFI_ExecutionContext_Get_Args_STRUCT_SIZE, nullptr, f->ctx, &unknown,
                                              nullptr};
    refused(f->api, "data", f->api->XLA_FFI_ExecutionContext_Get(&data));
    XLA_FFI_DeviceMemory_Allocate_Args memory = {XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE, nullptr, f->ctx, 100, 3,
                                                 nullptr};
    refused(f->api, "alignment", f->api->XLA_FFI_DeviceMemory_Allocate(&memory));
    memory.alignment = 256;
    refused(f->api, "memory", f->api->XLA_FFI_DeviceMemory_Allocate(&memory));
    note("aligned " + std::to_string((uintptr_t)memory.data % 256));
    XLA_FFI_DeviceMemory_Free_Args free = {XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE, nullptr, f->ctx, 100, memory.data};
    refused(f->api, "free", f->api->XLA_FFI_DeviceMemory_Free(&free));
    XLA_FFI_Future_SetError_Args error = {XLA_FFI_Future_SetError_Args_STRUCT_SIZE, nullptr, nullptr, nullptr};
    refused(f->api, "future", f->api->XLA_FFI_Future_SetError(&error));
    note("version " + std::to_string(f->api->api_version.major_version) + "." +
         std::to_string(f->api->api_version.minor_version) + " size " +
         (f->api->struct_size == XLA_FFI_Api_STRUCT_SIZE ? "right" : "wrong"));
    return nullptr;
}

// --- threads, futures, memory ---

// The squares, by tasks on the pool, for which the handler waits.
static ffi::Error squares(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, ffi::ThreadPool pool, int32_t tasks) {
    std::mutex lock;
    std::condition_variable all;
    int done = 0;
    if (pool.num_threads() < 1) return ffi::Error::Internal("the pool has no thread");
    const int64_t n = x.element_count();
    for (int t = 0; t < tasks; t++)
        pool.Schedule([&, t] {
            for (int64_t i = n * t / tasks; i < n * (t + 1) / tasks; i++)
                y->typed_data()[i] = x.typed_data()[i] * x.typed_data()[i];
            std::lock_guard<std::mutex> held(lock);
            if (++done == tasks) all.notify_one();
        });
    std::unique_lock<std::mutex> held(lock);
    all.wait(held, [&] { return done == tasks; });
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Squares, squares, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>()
                              .Ctx<ffi::ThreadPool>().Attr<int32_t>("tasks"));

// The same, but the handler returns before they are there.
static ffi::Future squares_later(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, ffi::ThreadPool pool,
                                 int32_t tasks) {
    const float *from = x.typed_data();
    float *to = y->typed_data();
    const int64_t n = x.element_count();
    ffi::CountDownPromise promise(tasks);
    ffi::Future future(promise);
    for (int t = 0; t < tasks; t++)
        pool.Schedule([=]() mutable {
            for (int64_t i = n * t / tasks; i < n * (t + 1) / tasks; i++) to[i] = from[i] * from[i];
            promise.CountDown();
        });
    return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(SquaresLater, squares_later, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>()
                              .Ret<ffi::Buffer<ffi::F32>>().Ctx<ffi::ThreadPool>().Attr<int32_t>("tasks"));

// By a thread of its own, later; code 0: it does not fail.
static ffi::Future later(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, int32_t code) {
    ffi::Promise promise;
    ffi::Future future(promise);
    std::thread([promise, code, n = x.element_count(), from = x.typed_data(), to = y->typed_data()]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        for (size_t i = 0; i < n; i++) to[i] = -from[i];
        if (code) promise.SetError(ffi::Error(static_cast<ffi::ErrorCode>(code), "it failed later"));
        else promise.SetAvailable();
    }).detach();
    return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Later, later, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>()
                              .Attr<int32_t>("code"));

// Backwards, through memory of the device.
static ffi::Error reverse(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, ffi::ScratchAllocator scratch) {
    const size_t n = x.element_count();
    auto got = scratch.Allocate(n * sizeof(float), 16);
    if (!got) return ffi::Error::Internal("no memory");
    float *at = static_cast<float *>(*got);
    for (size_t i = 0; i < n; i++) at[i] = x.typed_data()[n - 1 - i];
    memcpy(y->untyped_data(), at, n * sizeof(float));
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Reverse, reverse, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>()
                              .Ctx<ffi::ScratchAllocator>());

// --- tokens, and effects in their order ---

static ffi::Error write(ffi::Token, ffi::BufferR0<ffi::S32> x, ffi::Result<ffi::Token>, ffi::ResultBufferR0<ffi::S32> y) {
    note("write " + std::to_string(*x.typed_data()));
    *y->typed_data() = *x.typed_data();
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Write, write, ffi::Ffi::Bind().Arg<ffi::Token>().Arg<ffi::BufferR0<ffi::S32>>()
                              .Ret<ffi::Token>().Ret<ffi::BufferR0<ffi::S32>>());
