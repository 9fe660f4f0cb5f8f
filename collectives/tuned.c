/* tuned.c: reads the table of `weft tune` into a world: links and rules are process 0's for all, and each process tells
 * its place on the machine, so that every rank finds the same level between any two. Without a table the machine is not
 * discovered: hwloc takes time. */
#include <stdlib.h>
#include "collectives/wire.h"
#include "cost/tune.h"

static weft_tune_place place_of(const weft_world_options *opt) {
    return (weft_tune_place){ opt->tuned ? opt->tuned : getenv("WEFT_TUNE"), getenv("XDG_CACHE_HOME"), getenv("HOME") };
}

static weft_status take_table(weft_context *cx, const weft_world *w, const weft_tune *table, weft_tuned_card *out) {
    int count = 0;
    out->there = 1;
    out->links = table->links;
    out->stream = weft_tune_stream_of(table, w->size, w->nodes);
    for (int i = 0; i < table->rule_count; i++) {
        if (table->rules[i].ranks != w->size || table->rules[i].nodes != w->nodes) continue;
        if (count++ < WEFT_TUNED_RULES) out->rules[out->count++] = table->rules[i].rule;
    }
    if (count <= WEFT_TUNED_RULES) return WEFT_OK;
    return weft_report(
        cx, WEFT_D_fallback, NULL,
        "the table of measurements has %d rules for %d ranks on %d nodes: those after the first %d are ignored", count,
        w->size, w->nodes, WEFT_TUNED_RULES);
}

static weft_status read_table(weft_context *cx, const weft_world *w, const weft_tune_place *place,
                              const weft_topology *t, weft_tuned_card *out) {
    bool there = false;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_tune *table = weft_arena_new(&cx->scratch, weft_tune);
    weft_status st = table ? weft_tune_find(cx, place, t, table, &there) : weft_oom();
    if (there) st = take_table(cx, w, table, out);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

static weft_status look(weft_context *cx, const weft_world *w, const weft_world_options *opt, weft_tuned_card *out) {
    const weft_tune_place place = place_of(opt);
    weft_topology *t = NULL;
    /* A file that a program names may not be measured yet; a missing file that the user names is an error of the
     * user. */
    if (!weft_tune_any(&place)) return w->process == 0 && !opt->tuned ? weft_tune_miss(cx, &place) : WEFT_OK;
    weft_status st = weft_topology_discover_with(cx, WEFT_TOPOLOGY_UNBOUND, &t);
    if (st == WEFT_OK) {
        out->locality = weft_topology_locality(t);
        if (w->process == 0) st = read_table(cx, w, &place, t, out);
    }
    weft_topology_free(t);
    return st;
}

static weft_status apply(weft_world *w, const weft_tuned_card *cards) {
    const weft_allocator *a = &w->alloc;
    if (!cards[0].there) return WEFT_OK;
    w->links = cards[0].links;
    if (cards[0].stream && !w->rules.stream) w->cached_bytes = (size_t)cards[0].stream;
    w->localities = a->resize(a->user, NULL, 0, (size_t)w->processes * sizeof *w->localities);
    w->tuned = a->resize(a->user, NULL, 0, WEFT_TUNED_RULES * sizeof *w->tuned);
    if (!w->localities || !w->tuned) return weft_oom();
    for (int p = 0; p < w->processes; p++) w->localities[p] = cards[p].locality;
    memcpy(w->tuned, cards[0].rules, sizeof cards[0].rules);
    w->tuned_count = (size_t)cards[0].count;
    return WEFT_OK;
}

weft_status weft_world_tune(weft_context *cx, weft_world *w, const weft_world_options *opt, const weft_bootstrap *all) {
    const weft_allocator *a = &w->alloc;
    size_t bytes = (size_t)w->processes * sizeof(weft_tuned_card);
    weft_tuned_card mine, *cards = a->resize(a->user, NULL, 0, bytes);
    if (!cards) return weft_oom();
    memset(&mine, 0, sizeof mine);
    mine.locality = weft_locality_unknown;
    mine.status = (int32_t)look(cx, w, opt, &mine);
    weft_status st = WEFT_OK;
    if (all) st = weft_bootstrap_gather(cx, all, &mine, sizeof mine, cards);
    if (!all) cards[0] = mine;
    for (int p = 0; st == WEFT_OK && p < w->processes; p++) {
        if (!weft_tuned_card_is_sound(&cards[p]))
            st = weft_report(cx, WEFT_D_system, NULL, "process %d sent invalid measurements", p);
        if (st != WEFT_OK) break;
        st = (weft_status)cards[p].status;
        if (st != WEFT_OK && p != w->process && mine.status == WEFT_OK)
            st = weft_report(cx, WEFT_D_system, NULL, "process %d could not discover its machine", p);
    }
    if (st == WEFT_OK) st = apply(w, cards);
    a->resize(a->user, cards, bytes, 0);
    return st;
}

void weft_world_untune(weft_world *w) {
    const weft_allocator *a = &w->alloc;
    if (w->localities) a->resize(a->user, w->localities, (size_t)w->processes * sizeof *w->localities, 0);
    if (w->tuned) a->resize(a->user, w->tuned, WEFT_TUNED_RULES * sizeof *w->tuned, 0);
}

weft_link_level weft_world_level(const weft_world *w, int p, int q) {
    if (w->cores == WEFT_CORES_SHARED || !w->localities) return w->level;
    if (weft_locality_is_unknown(&w->localities[p]) || weft_locality_is_unknown(&w->localities[q])) return w->level;
    return weft_locality_level(&w->localities[p], &w->localities[q]);
}
