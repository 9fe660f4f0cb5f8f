/* trace.c: see trace.h. What a device sends is a head and as many events as the longest list has, in words. */
#include "runtime/trace.h"

#include <string.h>
#include "runtime/client_impl.h"

typedef struct head { uint64_t process, is_cut, count; } head;

enum {
    WORD = sizeof(uint64_t),
    HEAD_WORDS = sizeof(head) / WORD,
    EVENT_WORDS = sizeof(weft_trace_event) / WORD
};
_Static_assert(sizeof(weft_trace_event) % WORD == 0, "events are sent as words");

typedef struct collector {
    const weft_profile *const *of;
    weft_arena *arena;         /* the caller's, who waits; of the first device */
    uint64_t *all, words;      /* of each device so many */
} collector;

static uint64_t count(const weft_profile *p) {
    uint64_t n = p->event_count;
    for (int i = 0; i < p->helper_count; i++) n += p->helpers[i].n;
    return n;
}

static uint64_t *put(uint64_t *to, const weft_trace_event *v) {
    memcpy(to, v, sizeof *v);
    return to + EVENT_WORDS;
}

static void pack(const weft_profile *p, int process, uint64_t *to) {
    head h = { (uint64_t)process, p->is_cut, count(p) };
    for (int i = 0; i < p->helper_count; i++) h.is_cut |= p->helpers[i].is_cut;
    memcpy(to, &h, sizeof h);
    to += HEAD_WORDS;
    for (uint32_t i = 0; i < p->event_count; i++) {
        const weft_step_event *e = &p->events[i];
        weft_trace_event v = { .begin_s = e->begin_s, .end_s = e->end_s, .did = e->did, .step = e->step };
        if (e->algorithm) (void)strncpy(v.algorithm, e->algorithm, WEFT_TRACE_NAME - 1);
        to = put(to, &v);
    }
    for (int k = 0; k < p->helper_count; k++)
        for (uint32_t i = 0; i < p->helpers[k].n; i++) {
            const weft_team_stretch *s = &p->helpers[k].v[i];
            to = put(to, &(weft_trace_event){ .begin_s = s->begin_s, .end_s = s->end_s, .step = s->number,
                                              .thread = (uint64_t)k + 1 });
        }
}

static weft_status collect(weft_client *c, weft_client_device *d, void *arg) {
    collector *w = arg;
    const weft_profile *p = w->of[d - c->devices];
    const int process = c->processes.process;
    const weft_call_site site = { "gather", "", "trace", 0 };
    uint64_t mine = count(p), most = 0;
    weft_coll_buf b = { .in = &mine, .out = &most, .dtype = weft_coll_type("ui64"), .inner = 1 };
    weft_status st = weft_coll_all_reduce(d->all, WEFT_MAX, &b, 1, &site);
    if (st != WEFT_OK) return st;
    const uint64_t words = HEAD_WORDS + most * EVENT_WORDS;
    const weft_mark mark = weft_arena_mark(&d->cx->scratch);
    uint64_t *packed = weft_scratch_array(d->cx, uint64_t, words), *all = NULL;
    if (d->number == 0) {
        w->words = words;
        w->all = all = weft_arena_array(w->arena, uint64_t, words * (uint64_t)weft_world_size(c->world));
    }
    if (!packed || (d->number == 0 && !all)) st = weft_oom();
    if (st == WEFT_OK) {
        pack(p, process, packed);
        b = (weft_coll_buf){ .in = packed, .out = all, .dtype = weft_coll_type("ui64"), .inner = (int64_t)words };
        st = weft_coll_gather(d->all, 0, &b, 1, &site);
    }
    weft_arena_reset(&d->cx->scratch, mark);
    return st;
}

/* Times from the first event of the rank's node on. */
static void set_off(const weft_client *c, weft_trace *v, int ranks) {
    for (int node = 0; node < weft_world_nodes(c->world); node++) {
        bool any = false;
        double first = 0;
        for (int r = 0; r < ranks; r++) {
            if (weft_world_node_of(c->world, r) != node || !v[r].count) continue;
            if (!any || v[r].events[0].begin_s < first) first = v[r].events[0].begin_s;
            any = true;
        }
        for (int r = 0; r < ranks; r++)
            for (uint64_t i = 0; i < v[r].count && weft_world_node_of(c->world, r) == node; i++)
                v[r].events[i].begin_s -= first, v[r].events[i].end_s -= first;
    }
}

weft_status weft_client_trace(weft_client *c, weft_arena *arena, const weft_profile *const *of, weft_trace **out) {
    const int ranks = weft_world_size(c->world);
    collector w = { .of = of, .arena = arena };
    const weft_status st = weft_client_do(c, collect, &w);
    *out = NULL;
    if (st != WEFT_OK || !w.all) return st;
    weft_trace *v = weft_arena_array(arena, weft_trace, ranks);
    if (!v) return weft_oom();
    for (int r = 0; r < ranks; r++) {
        uint64_t *from = w.all + (uint64_t)r * w.words;
        head h;
        memcpy(&h, from, sizeof h);
        v[r] = (weft_trace){ (int)h.process, h.is_cut != 0, (weft_trace_event *)(void *)(from + HEAD_WORDS), h.count };
    }
    set_off(c, v, ranks);
    *out = v;
    return WEFT_OK;
}
