/* ffi_registry: the targets and types that the process has registered.
 *
 * XLA's interface registers by process, before there is a client and without one: this is the plugin's one global. A
 * target that was refused is kept with the reason, for the program that wants it. What a program registers for the CPU
 * is found where there is nothing of the same name for Weft: the devices' memory is the host's. Nothing is ever taken
 * out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include "base/nearest.h"
#include "pjrt/ffi.h"

/* Of types that Weft numbers: XLA counts from 1 on, and a library may be registered with both. */
enum { FIRST_TYPE = 0x40000000 };

typedef enum place { OF_HOST, OF_WEFT } place;

typedef struct target {
    struct target *next;
    place place;
    ffi_bundle handlers;
    int minor;                       /* of the oldest handler's version */
    ffi_error *refused;              /* or NULL */
    size_t name_bytes;
    char name[];
} target;

typedef struct type {
    struct type *next;
    int64_t id;
    void (*end)(void *object);
    size_t name_bytes;
    char name[];
} type;

static struct {
    pthread_mutex_t lock;            /* guards what follows */
    target *targets;
    type *types;
    int64_t type_count;
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is(const char *name, size_t bytes, weft_str other) {
    return bytes == other.n && !memcmp(name, other.p, bytes);
}

/* --- targets --- */

/* Under the lock. */
static target *find(weft_str name, place place) {
    target *t = registry.targets;
    while (t && (t->place != place || !is(t->name, t->name_bytes, name))) t = t->next;
    return t;
}

bool pjrt_ffi_find(weft_str name, ffi_bundle *out, int *minor, weft_buf *why) {
    pthread_mutex_lock(&registry.lock);
    const target *ours = find(name, OF_WEFT), *t = ours && !ours->refused ? ours : find(name, OF_HOST);
    if (!t) t = ours;
    const bool found = t && !t->refused;
    if (found) *out = t->handlers, *minor = t->minor;
    else if (t) weft_buf_printf(why, "it was registered, but %s", t->refused->text);
    if (!t) {
        weft_nearest near = weft_nearest_to(name);
        for (t = registry.targets; t; t = t->next)
            if (!t->refused) weft_nearest_offer(&near, (weft_str){ t->name, t->name_bytes });
        weft_buf_printf(why, "jax.ffi.register_ffi_target('%.*s', function) makes a function of the process the target"
                        WEFT_NEAREST, WEFT_STR_ARG(name), WEFT_NEAREST_ARG(near));
    }
    pthread_mutex_unlock(&registry.lock);
    return found;
}

bool pjrt_ffi_has(void *user, weft_str name, weft_buf *why) {
    ffi_bundle handlers;
    int minor;
    (void)user;
    return pjrt_ffi_find(name, &handlers, &minor, why);
}

/* Asks a handler for its version; *minor is the oldest of those asked. */
static ffi_error *check_handler(weft_str name, ffi_handler *handler, ffi_stage stage, int *minor) {
    ffi_metadata metadata = { .struct_size = FFI_SIZE(ffi_metadata, state),
                              .version = { .struct_size = FFI_SIZE(ffi_version, minor) } };
    ffi_metadata_extension ask = { { sizeof ask, FFI_METADATA, NULL }, &metadata };
    ffi_frame frame = { .struct_size = FFI_SIZE(ffi_frame, attributes), .extensions = &ask.base,
                        .api = &pjrt_ffi_api, .stage = stage,
                        .arguments = { .struct_size = sizeof frame.arguments },
                        .results = { .struct_size = sizeof frame.results },
                        .attributes = { .struct_size = sizeof frame.attributes } };
    ffi_error *e = handler(&frame);
    const ffi_version *v = &metadata.version;
    if (v->minor < *minor) *minor = v->minor;
    if (e || (v->major == FFI_MAJOR && v->minor >= FFI_OLDEST_MINOR && v->minor <= FFI_MINOR)) return e;
    return pjrt_error_new(PJRT_INVALID_ARGUMENT,
                          "'%.*s' was compiled for version %d.%d of XLA's FFI: Weft calls handlers of %d.%d to %d.%d",
                          WEFT_STR_ARG(name), v->major, v->minor, FFI_MAJOR, FFI_OLDEST_MINOR, FFI_MAJOR, FFI_MINOR);
}

static ffi_error *check_bundle(weft_str name, const ffi_bundle *b, int *minor) {
    ffi_error *e = NULL;
    if (!b->stage[FFI_EXECUTE])
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "'%.*s' has no handler for the stage 'execute'",
                              WEFT_STR_ARG(name));
    for (int s = 0; s < FFI_STAGES && !e; s++)
        if (b->stage[s]) e = check_handler(name, b->stage[s], (ffi_stage)s, minor);
    return e;
}

static ffi_error *find_place(weft_str name, weft_str platform, place *out) {
    static const struct { const char *name; place place; } known[] = {
        { "weft", OF_WEFT }, { "host", OF_HOST }, { "cpu", OF_HOST },
    };
    for (size_t i = 0; i < WEFT_COUNT(known); i++) {
        *out = known[i].place;
        if (platform.n == strlen(known[i].name) && !strncasecmp(platform.p, known[i].name, platform.n)) return NULL;
    }
    return pjrt_error_new(PJRT_INVALID_ARGUMENT, "'%.*s' is for the platform '%.*s': Weft calls those for weft and cpu",
                          WEFT_STR_ARG(name), WEFT_STR_ARG(platform));
}

/* Under the lock: refused, which it takes, or not. */
static ffi_error *enter(weft_str name, place place, const ffi_bundle *b, int minor, ffi_error *refused) {
    target *t = find(name, place);
    if (t && !t->refused) {
        pjrt_error_free(refused);
        if (refused || !memcmp(&t->handlers, b, sizeof *b)) return NULL;
        return pjrt_error_new(PJRT_ALREADY_EXISTS, "'%.*s' is registered already, with other handlers",
                              WEFT_STR_ARG(name));
    }
    if (!t && (t = malloc(sizeof *t + name.n))) {
        *t = (target){ .next = registry.targets, .place = place, .name_bytes = name.n };
        memcpy(t->name, name.p, name.n);
        registry.targets = t;
    } else if (t) {
        pjrt_error_free(t->refused);
    } else {
        pjrt_error_free(refused);
        return pjrt_no_memory();
    }
    t->handlers = *b;
    t->minor = minor;
    t->refused = refused;
    return NULL;
}

ffi_error *pjrt_ffi_register(const ffi_Handler_Register_args *a) {
    const weft_str name = { a->name.p, a->name.n };
    place place = OF_HOST;
    int minor = FFI_MINOR;
    ffi_error *e = find_place(name, (weft_str){ a->platform.p, a->platform.n }, &place);
    if (e) return e;
    e = check_bundle(name, &a->bundle, &minor);
    ffi_error *kept = pjrt_error_copy(e);
    pthread_mutex_lock(&registry.lock);
    ffi_error *entered = enter(name, place, &a->bundle, minor, kept);
    pthread_mutex_unlock(&registry.lock);
    if (e) pjrt_error_free(entered);
    return e ? e : entered;
}

/* --- types --- */

bool pjrt_ffi_type_end(int64_t id, void (**end)(void *object)) {
    pthread_mutex_lock(&registry.lock);
    const type *t = registry.types;
    while (t && t->id != id) t = t->next;
    if (t) *end = t->end;
    pthread_mutex_unlock(&registry.lock);
    return t != NULL;
}

/* Under the lock. A type without a number gets one. */
static ffi_error *enter_type(weft_str name, ffi_type_id *id, const ffi_type_info *info) {
    type *t = registry.types;
    while (t && !is(t->name, t->name_bytes, name) && (!id->id || t->id != id->id)) t = t->next;
    if (t && is(t->name, t->name_bytes, name) && (!id->id || id->id == t->id)) {
        id->id = t->id;
        return NULL;
    }
    if (t)
        return pjrt_error_new(PJRT_ALREADY_EXISTS, "the type '%.*s' or its number %lld is registered already, as another",
                              WEFT_STR_ARG(name), (long long)id->id);
    if (!(t = malloc(sizeof *t + name.n))) return pjrt_no_memory();
    if (!id->id) id->id = FIRST_TYPE + registry.type_count++;
    *t = (type){ .next = registry.types, .id = id->id, .end = info ? info->end : NULL, .name_bytes = name.n };
    memcpy(t->name, name.p, name.n);
    registry.types = t;
    return NULL;
}

ffi_error *pjrt_ffi_register_type(const ffi_Type_Register_args *a) {
    if (!a->type_id)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "a type is registered without a place for its number");
    pthread_mutex_lock(&registry.lock);
    ffi_error *e = enter_type((weft_str){ a->name.p, a->name.n }, a->type_id, a->info);
    pthread_mutex_unlock(&registry.lock);
    return e;
}
