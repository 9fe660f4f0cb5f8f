/* buffer: global arrays on the devices, from the host and back.
 *
 * Shards are touched by their device's thread alone, in the order of commands; only where one device reads another's
 * are all commands waited for before.
 */
#include "runtime/client_impl.h"

weft_buffer *weft_buffer_new(weft_client *c, const weft_layout *kept) {
    const size_t bytes = sizeof(weft_buffer) + (size_t)c->count * sizeof(weft_shard);
    weft_buffer *b = c->cx->alloc.resize(c->cx->alloc.user, NULL, 0, bytes);
    if (!b) return NULL;
    *b = (weft_buffer){ .client = c, .layout = kept, .bytes = weft_layout_local_bytes(kept), .refs = 1 };
    for (int i = 0; i < c->count; i++) b->shards[i] = (weft_shard){ 0 };
    return b;
}

void weft_buffer_free(weft_buffer *b) {
    weft_client *c = b->client;
    c->cx->alloc.resize(c->cx->alloc.user, b, sizeof *b + (size_t)c->count * sizeof *b->shards, 0);
}

weft_buffer *weft_buffer_retain(weft_buffer *b) {
    b->refs++;
    return b;
}

void weft_buffer_release(weft_buffer *b) {
    if (!b || --b->refs) return;
    b->next = b->client->garbage;
    b->client->garbage = b;
}

const weft_layout *weft_buffer_layout(const weft_buffer *b) { return b->layout; }

weft_buffer_state weft_buffer_state_of(weft_buffer *b) {
    weft_client_reap(b->client);
    return b->state;
}

weft_status weft_buffer_check(weft_client *c, const weft_buffer *b, const char *what) {
    if (b->client != c) return weft_report(c->cx, WEFT_D_usage, NULL, "%s is a buffer of another client", what);
    switch (b->state) {
    case WEFT_BUFFER_LIVE: return WEFT_OK;
    case WEFT_BUFFER_DONATED:
        return weft_report(c->cx, WEFT_D_usage, NULL, "%s was donated to an execution: its data is gone", what);
    case WEFT_BUFFER_FAILED: break;
    }
    return weft_report(c->cx, WEFT_D_usage, NULL, "%s has no data: the execution that was to make it failed", what);
}

/* --- shards --- */

weft_status weft_shard_allocate(weft_client_device *d, weft_buffer *b) {
    b->shards[d->index].at = weft_memory_allocate(&d->memory, b->bytes);
    return b->shards[d->index].at ? WEFT_OK : WEFT_ERR_MEMORY;
}

weft_status weft_shard_no_memory(weft_client_device *d, const weft_buffer *b) {
    (void)weft_report(d->cx, WEFT_D_system, NULL,
                      "the memory that the devices of a machine share is used up: an array takes %lld bytes of each device, "
                      "which has %lld in use",
                      (long long)b->bytes, (long long)d->memory.bytes);
    return WEFT_ERR_MEMORY;
}

void weft_shard_release(weft_client_device *d, weft_buffer *b) {
    weft_shard *s = &b->shards[d->index];
    if (s->back) s->back(s->owner);
    else weft_memory_release(&d->memory, s->at, b->bytes);
    s->at = NULL;
    s->back = NULL;
}

/* --- from the host --- */

typedef struct input {
    weft_buffer *to;
    const weft_host_array *global;
    const weft_fill *fill;
    uint32_t stream;
    char *at;              /* of the device whose thread has this copy */
} input;

static void fill_run(void *user, int64_t global, int64_t local, int64_t elems) {
    const input *in = user;
    const weft_dtype t = in->to->layout->dtype;
    const size_t bytes = weft_dtype_bytes(t);
    for (int64_t i = 0; i < elems; i++)
        weft_fill_element(in->fill, t, in->stream, global + i, in->at + (size_t)(local + i) * bytes);
}

static weft_status write_shard(weft_client *c, weft_client_device *d, void *arg) {
    input in = *(const input *)arg;
    (void)c;
    if (weft_shard_allocate(d, in.to) != WEFT_OK) return weft_shard_no_memory(d, in.to);
    in.at = in.to->shards[d->index].at;
    if (in.global) {
        weft_layout_cut(in.to->layout, d->number, in.global->data, in.at);
        return WEFT_OK;
    }
    memset(in.at, 0, (size_t)in.to->bytes);
    if (in.fill) weft_layout_walk(in.to->layout, d->number, fill_run, &in);
    return WEFT_OK;
}

static weft_status make(weft_client *c, const weft_layout *l, input in, weft_buffer **out) {
    const weft_layout *kept = weft_client_layout(c, l);
    in.to = kept ? weft_buffer_new(c, kept) : NULL;
    *out = NULL;
    if (!in.to) return weft_oom();
    weft_status st = weft_client_do(c, write_shard, &in);
    if (st == WEFT_OK) *out = in.to;
    else weft_buffer_release(in.to);
    return st;
}

weft_status weft_buffer_put(weft_client *c, const weft_layout *l, const weft_host_array *global, weft_buffer **out) {
    return make(c, l, (input){ .global = global }, out);
}

weft_status weft_buffer_fill(weft_client *c, const weft_layout *l, const weft_fill *fill, uint32_t stream,
                             weft_buffer **out) {
    return make(c, l, (input){ .fill = fill, .stream = stream }, out);
}

weft_status weft_buffer_zeros(weft_client *c, const weft_layout *l, weft_buffer **out) {
    return make(c, l, (input){ 0 }, out);
}

weft_status weft_buffer_lend(weft_client *c, const weft_layout *l, const weft_lent_shard *shards, weft_buffer **out) {
    const weft_layout *kept = weft_client_layout(c, l);
    *out = kept ? weft_buffer_new(c, kept) : NULL;
    if (!*out) return weft_oom();
    for (int i = 0; i < c->count; i++)
        (*out)->shards[i] = (weft_shard){ .at = shards[i].at, .back = shards[i].back, .owner = shards[i].owner };
    return WEFT_OK;
}

/* --- to the host --- */

typedef struct output { const weft_buffer *from; void *to; } output;

/* Device 0 takes the shard of each owner: in place from its own process, over a group of two from others. */
static weft_status collect(weft_client *c, weft_client_device *d, void *arg) {
    const output *o = arg;
    const weft_layout *l = o->from->layout;
    int64_t bytes = o->from->bytes;
    weft_status st = WEFT_OK;
    void *shard = NULL;
    for (int owner = 0; st == WEFT_OK && owner < weft_world_size(c->world); owner++) {
        if (!weft_layout_owns(l, owner) || (d->number != 0 && d->number != owner)) continue;
        const int here = weft_client_index_of(c, owner);
        if (here >= 0 && weft_client_index_of(c, 0) >= 0) {
            if (d->number == 0) weft_layout_join(l, owner, o->from->shards[here].at, o->to);
            continue;
        }
        weft_comm *pair;
        const int ends[] = { weft_client_rank_of(c, 0), weft_client_rank_of(c, owner) };
        weft_call_site site = { "broadcast", "", "result", 1 };
        if (d->number == 0 && !shard) shard = weft_comm_alloc(d->all, (size_t)bytes + 1);
        if (d->number == 0 && !shard) return weft_oom();
        st = weft_comm_group(d->cx, d->all, ends, 2, &pair);
        if (st != WEFT_OK) break;
        void *at = d->number == 0 ? shard : o->from->shards[d->index].at;
        weft_coll_buf b = { at, at, weft_coll_type("ui8"), 1, 1, bytes };
        st = weft_coll_broadcast(pair, 1, &b, 1, &site);
        if (st == WEFT_OK && d->number == 0) weft_layout_join(l, owner, shard, o->to);
        weft_comm_free(pair);
    }
    if (shard) weft_comm_dealloc(d->all, shard);
    return st;
}

static void describe(const weft_layout *l, weft_host_array *out) {
    *out = (weft_host_array){ .dtype = l->dtype, .rank = l->rank };
    for (uint32_t d = 0; d < l->rank; d++) out->dims[d] = l->dims[d].global;
}

/* The whole array into o->to, in each process: its first device puts the shards together as their owners send them. */
static weft_status collect_everywhere(weft_client *c, weft_client_device *d, void *arg) {
    const output *o = arg;
    const weft_layout *l = o->from->layout;
    const int size = weft_world_size(c->world);
    const bool alone = c->count == size;
    const int64_t bytes = o->from->bytes;
    weft_call_site site = { "broadcast", "", "result", 1 };
    weft_status st = WEFT_OK;
    if (alone && d->index != 0) return WEFT_OK;
    void *shard = alone ? NULL : weft_comm_alloc(d->all, (size_t)bytes + 1);
    if (!alone && !shard) return weft_oom();
    for (int owner = 0; owner < size && st == WEFT_OK; owner++) {
        if (!weft_layout_owns(l, owner)) continue;
        void *at = d->number == owner ? o->from->shards[d->index].at : shard;
        weft_coll_buf b = { at, at, weft_coll_type("ui8"), 1, 1, bytes };
        if (alone) at = o->from->shards[weft_client_index_of(c, owner)].at;
        else st = weft_coll_broadcast(d->all, owner, &b, 1, &site);
        if (st == WEFT_OK && d->index == 0) weft_layout_join(l, owner, at, o->to);
    }
    if (shard) weft_comm_dealloc(d->all, shard);
    return st;
}

static weft_status get(weft_buffer *b, weft_host_array *global, weft_command_fn *how) {
    void *data = global->data;
    weft_client_drain(b->client); /* the first device reads what the others have written */
    describe(b->layout, global);
    global->data = data;
    weft_status st = weft_buffer_check(b->client, b, "what is read");
    return st == WEFT_OK ? weft_client_do(b->client, how, &(output){ b, data }) : st;
}

weft_status weft_buffer_get(weft_buffer *b, weft_host_array *global) { return get(b, global, collect); }

weft_status weft_buffer_get_everywhere(weft_buffer *b, weft_host_array *global) {
    return get(b, global, collect_everywhere);
}

void *weft_buffer_shard(weft_buffer *b, int64_t device) {
    const int i =
        device >= 0 && device < weft_client_device_count(b->client) ? weft_client_index_of(b->client, device) : -1;
    weft_client_drain(b->client);
    return i >= 0 && b->state == WEFT_BUFFER_LIVE ? b->shards[i].at : NULL;
}

void *weft_buffer_shard_done(const weft_buffer *b, int index) {
    return index >= 0 && index < b->client->count ? b->shards[index].at : NULL;
}
