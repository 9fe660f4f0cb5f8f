/* client.c: the devices that programs and arrays are on. */
#include "base/options.h"
#include "capi/array_impl.h"
#include "capi/launch.h"

weft_front *weft_client_front_of(const weft_client *c) { return weft_client_front(c); }

const weft_loc *weft_place_of(weft_context *cx, weft_source at) {
    weft_name file = at.file ? weft_name_from(cx, at.file) : NULL;
    return file ? weft_loc_file(cx, file, (uint32_t)at.line, 0) : NULL;
}

weft_status weft_out_check(weft_context *cx, weft_source at, const char *what, const void *out) {
    if (out) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "%s has no output pointer: out is NULL", what);
}

static weft_status check(weft_context *cx, const weft_client_options *o) {
    const weft_status st = weft_launch_check(cx, "weft_client_options", o->launch, o->threads);
    if (st != WEFT_OK) return st;
    if (o->devices >= 0) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, NULL, "weft_client_options.devices is %lld, which is no number of devices",
                       (long long)o->devices);
}

/* Without the caller's line, for those who have it by dlsym; so the name is in brackets, as it is a macro, too. */
weft_status(weft_client_open)(weft_context *cx, const weft_client_options *opt, weft_client **out) {
    weft_client_options o;
    weft_client *c = NULL;
    if (!out) return weft_report(cx, WEFT_D_usage, NULL, "the client has no output pointer: out is NULL");
    *out = NULL;
    weft_status st = WEFT_OPTIONS_READ(cx, NULL, weft_client_options, opt, &o);
    if (st == WEFT_OK) st = check(cx, &o);
    if (st != WEFT_OK) return st;
    weft_client_setup setup = { .processes = weft_launch_processes(o.launch, o.timeout_s, o.threads, o.world),
                                .world = o.world };
    setup.devices = o.devices ? o.devices : setup.processes.processes;
    st = weft_client_start(cx, &setup, &c);
    if (st != WEFT_OK) return st;
    weft_front *f = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *f);
    if (!f) st = weft_oom();
    else {
        *f = (weft_front){ 0 };
        weft_arena_init(&f->arena, &cx->alloc);
        weft_client_set_front(c, f);
    }
    if (st == WEFT_OK) *out = c;
    else weft_client_end(c);
    return st;
}

weft_status weft_client_open_at(weft_source at, weft_context *cx, const weft_client_options *opt, weft_client **out) {
    const weft_call call = weft_call_begin(cx, at);
    return weft_call_end(call, (weft_client_open)(cx, opt, out));
}

void weft_client_close(weft_client *c) {
    if (!c || weft_client_is_inherited(c)) return;
    weft_front *f = weft_client_front_of(c);
    if (f->saver) (void)f->saver->wait(c);
    weft_allocator alloc = weft_client_context(c)->alloc;
    weft_client_end(c);
    weft_arena_free(&f->arena);
    alloc.resize(alloc.user, f, sizeof *f, 0);
}

int weft_client_process(const weft_client *c) { return c ? weft_world_process(weft_client_world(c)) : -1; }
int weft_client_processes(const weft_client *c) { return c ? weft_world_processes(weft_client_world(c)) : 0; }
int64_t weft_client_devices(const weft_client *c) { return c ? weft_client_device_count(c) : 0; }
int64_t weft_client_first_device(const weft_client *c) { return c ? weft_world_first(weft_client_world(c)) : 0; }
int64_t weft_client_local_devices(const weft_client *c) { return c ? weft_world_local(weft_client_world(c)) : 0; }
