/* state.c: arrays by name. */
#include "base/nearest.h"
#include "capi/array_impl.h"

weft_status(weft_state_new)(weft_client *c, weft_state **out) {
    if (!c) {
        if (out) *out = NULL;
        return WEFT_ERR_USAGE;
    }
    weft_context *cx = weft_client_context(c);
    if (!out) return weft_report(cx, WEFT_D_usage, NULL, "the state has no output pointer: out is NULL");
    weft_state *s = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *s);
    *out = s;
    if (!s) return weft_oom();
    *s = (weft_state){ .client = c };
    weft_arena_init(&s->arena, &cx->alloc);
    return WEFT_OK;
}

weft_status weft_state_new_at(weft_source at, weft_client *c, weft_state **out) {
    const weft_call call = weft_call_begin(c ? weft_client_context(c) : NULL, at);
    return weft_call_end(call, (weft_state_new)(c, out));
}

void weft_state_free(weft_state *s) {
    if (!s) return;
    weft_allocator alloc = weft_client_context(s->client)->alloc;
    for (size_t i = 0; i < s->count; i++) weft_array_release(s->entries[i].array);
    weft_arena_free(&s->arena);
    alloc.resize(alloc.user, s, sizeof *s, 0);
}

weft_state_entry *weft_state_find(const weft_state *s, weft_name name) {
    for (size_t i = 0; i < s->count; i++)
        if (s->entries[i].name == name) return &s->entries[i];
    return NULL;
}

weft_status weft_state_put(weft_state *s, weft_name name, weft_array *a) {
    weft_state_entry *e = weft_state_find(s, name);
    if (!e && !a) return WEFT_OK;
    if (!e) {
        if (s->count == s->cap &&
            !weft_arena_grow(&s->arena, (void **)&s->entries, &s->cap, s->count + 1, sizeof *s->entries)) {
            weft_array_release(a);
            return weft_oom();
        }
        e = &s->entries[s->count++];
        *e = (weft_state_entry){ .name = name };
    }
    weft_array_release(e->array);
    e->array = a;
    if (a) return WEFT_OK;
    memmove(e, e + 1, (size_t)(s->entries + s->count - (e + 1)) * sizeof *e);
    s->count--;
    return WEFT_OK;
}

weft_status weft_state_set_at(weft_source at, weft_state *s, const char *name, weft_array *a) {
    if (!s) return WEFT_ERR_USAGE;
    weft_context *cx = weft_client_context(s->client);
    if (!name || !*name) return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                                            "an array of a state needs a name");
    if (a && a->client != s->client)
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the array for '%s' is of another client", name);
    weft_name n = weft_name_from(cx, name);
    return n ? weft_state_put(s, n, weft_array_retain(a)) : weft_oom();
}

weft_array *weft_state_get_at(weft_source at, weft_state *s, const char *name) {
    if (!s) return NULL;
    weft_context *cx = weft_client_context(s->client);
    const weft_str word = weft_str_from(name ? name : "");
    for (size_t i = 0; i < s->count; i++)
        if (weft_str_equal(weft_name_str(s->entries[i].name), word)) return s->entries[i].array;
    weft_nearest near = weft_nearest_to(word);
    for (size_t i = 0; i < s->count; i++) weft_nearest_offer(&near, weft_name_str(s->entries[i].name));
    (void)weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the state has no array '%.*s'" WEFT_NEAREST,
                      WEFT_STR_ARG(word), WEFT_NEAREST_ARG(near));
    return NULL;
}

int weft_state_has(const weft_state *s, const char *name) {
    for (size_t i = 0; s && name && i < s->count; i++)
        if (!strcmp(s->entries[i].name->text, name)) return 1;
    return 0;
}

size_t weft_state_count(const weft_state *s) { return s ? s->count : 0; }
const char *weft_state_name(const weft_state *s, size_t i) { return s &&
                                                             i < s->count ? s->entries[i].name->text : NULL; }
