/* world.c: a world's ranks, processes and nodes; its end. */
#include "base/entropy.h"
#include "base/options.h"
#include "collectives/flight.h"
#include "collectives/progress.h"
#include "collectives/stay.h"
#include "collectives/stream.h"
#include "collectives/wire.h"
#include "cost/algorithm_id.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMEOUT_S 30.0
/* with a core per rank: longer than any collective in progress, so short that a kernel's wake-up does not matter */
#define SPIN_NS 100000
#define YIELD_NS 50000      /* with fewer cores: others run meanwhile; a sleep and a wake-up cost some 10000 */

static void *take(const weft_allocator *a, size_t count, size_t size) {
    void *p = a->resize(a->user, NULL, 0, count * size);
    if (p) memset(p, 0, count * size);
    return p;
}

static void give(const weft_allocator *a, void *p, size_t count, size_t size) {
    if (p) a->resize(a->user, p, count * size, 0);
}

/* Whether UCX is more than another way to use sockets: if there is RDMA, or if the user names other transports of UCX
 * than sockets. */
static bool has_fabric(void) {
    const char *named = getenv("UCX_TLS");
    if (weft_has_rdma() || !named || !*named) return weft_has_rdma();
    /* ^: all but these */
    return *named == '^' ? strstr(named, "tcp") != NULL : !strstr(named, "tcp") && !strstr(named, "all");
}

static weft_last_cache last_cache(const weft_process_card *card) {
    char folder[64];
    int first = 0;
    while (first < 64 * (int)WEFT_COUNT(card->cpus) - 1 && !(card->cpus[first / 64] >> first % 64 & 1)) first++;
    snprintf(folder, sizeof folder, "/sys/devices/system/cpu/cpu%d/cache", first);
    return weft_last_cache_in(folder);
}

weft_process_card weft_world_card(const weft_world_options *opt) {
    weft_process_card card = { .layout = weft_wire_layout(), .local = opt->local_ranks };
    const char *node = opt->node ? opt->node : getenv("WEFT_NODE");
    card.host = weft_host_id(node);
    card.machine = weft_machine_id();
    card.has_fabric = has_fabric();
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (int i = 0; i < 1024 && i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &set)) card.cpus[i / 64] |= (uint64_t)1 << i % 64;
    weft_last_cache last = last_cache(&card);
    card.cache_bytes = last.bytes;
    card.cache_cpus = last.cpus;
    weft_packages_tell(opt, &card);
    card.forced = weft_text_hash(weft_rules_text(opt)) ^ (uint64_t)weft_sums_allowed(opt) << 32 ^
                  (uint64_t)weft_switch_is_on(opt->check, "WEFT_CHECK") << 40;
    card.ways = weft_text_hash(weft_ways_text(opt));
    (void)weft_random(&card.run, sizeof card.run); /* 0 without: it only tells files of two runs apart */
    return card;
}

int64_t weft_timeout_ns(double s) {
    if (s == 0 || s != s) s = TIMEOUT_S; /* also for NaN */
    return s < 0 ? -1 : s > 1e9 ? (int64_t)1e18 : (int64_t)(s * 1e9);
}

/* The smallest last cache of this machine's processes, since the ranks of a call share out its work by
 * this. */
static size_t cached_bytes(const weft_world *w, const weft_process_card *cards, int cpus, int ranks) {
    size_t least = SIZE_MAX;
    for (int p = 0; p < w->processes; p++) {
        if (cards[p].machine != cards[w->process].machine) continue;
        size_t bytes = weft_cached_bytes((weft_last_cache){ cards[p].cache_bytes, cards[p].cache_cpus }, cpus, ranks);
        if (bytes < least) least = bytes;
    }
    return least;
}

/* Ranks wait by spinning only if each has a core, counting also those of other nodes on this machine. */
static void count_cores(weft_world *w, const weft_process_card *cards) {
    uint64_t all[16] = { 0 };
    int cpus = 0, ranks = 0, processes = 0;
    for (int p = 0; p < w->processes; p++) {
        if (cards[p].machine != cards[w->process].machine) continue;
        processes++;
        ranks += cards[p].local;
        for (int i = 0; i < 16; i++) all[i] |= cards[p].cpus[i];
    }
    for (int i = 0; i < 16; i++) cpus += __builtin_popcountll(all[i]);
    w->cores = cpus >= ranks ? WEFT_CORES_OWN : WEFT_CORES_SHARED;
    w->spare_core = cpus >= ranks + processes;
    w->cached_bytes = w->rules.stream ? (size_t)w->rules.stream : cached_bytes(w, cards, cpus, ranks);
}

static void number_nodes(weft_world *w, const weft_process_card *cards) {
    for (int p = 0; p < w->processes; p++) {
        int leader = cards[p].node;
        if (leader == p) w->node_of[p] = w->nodes++;
        else w->node_of[p] = w->node_of[leader], w->seat_of[p] = 0;
        for (int q = 0; q < p; q++) w->seat_of[p] += w->node_of[q] == w->node_of[p];
    }
    for (int p = 0; p < w->processes; p++) {
        int mine = w->node_of[p] == w->node_of[w->process];
        w->node_processes += mine;
        for (int r = w->first_of[p]; r < w->first_of[p + 1]; r++) w->node_rank_of[r] = mine ? w->node_ranks++ : -1;
    }
    w->node_process = w->seat_of[w->process];
}

const char *weft_rules_text(const weft_world_options *opt) {
    return opt->algorithms ? opt->algorithms : getenv("WEFT_ALGORITHMS");
}

static weft_status keep_flight(weft_context *cx, weft_world *w, const weft_world_options *opt) {
    const char *path = opt->flight ? opt->flight : getenv("WEFT_FLIGHT");
    if (!path || !*path) return WEFT_OK;
    w->flight = take(&w->alloc, strlen(path) + 1, 1);
    if (!w->flight) return weft_oom();
    memcpy(w->flight, path, strlen(path) + 1);
    weft_flight_listen(w);
    /* Reported now: when the file is written there is another error to report. */
    const char *slash = strrchr(path, '/');
    char *folder = w->flight + (slash ? slash - path + (slash == path) : 0), kept = *folder;
    *folder = 0;
    int there = access(slash ? w->flight : ".", W_OK | X_OK) == 0, why = errno;
    *folder = kept;
    return there ? WEFT_OK
                 : weft_report(cx, WEFT_D_fallback, NULL, "the last calls cannot be written to '%s': %s", path,
                               strerror(why));
}

weft_status weft_world_lay_out(weft_context *cx, const weft_world_options *opt, const weft_process_card *cards,
                               int process, int processes, weft_world **out) {
    *out = NULL;
    weft_allocator *a = &cx->alloc;
    weft_world *w = take(a, 1, sizeof *w);
    if (!w) return weft_oom();
    w->alloc = *a;
    w->owner = getpid();
    w->process = process;
    w->processes = processes;
    w->run = cards[0].run;
    w->heap.segment.fd = w->node.segment.fd = -1;
    w->links = weft_links_default;
    w->level = WEFT_LINK_CACHE;
    w->bind = opt->bind;
    w->sums = weft_sums_allowed(opt);
    w->checks = weft_switch_is_on(opt->check, "WEFT_CHECK");
    w->timeout_ns = weft_timeout_ns(opt->timeout_s);
    w->idle = opt->idle;
    w->idle_user = opt->idle_user;
    pthread_mutex_init(&w->lock, NULL);
    weft_status st = weft_process_cards_check(cx, cards, processes, &w->size);
    if (st == WEFT_OK) st = weft_rules_read(cx, weft_rules_text(opt), &w->rules);
    if (st == WEFT_OK) st = keep_flight(cx, w, opt);
    if (st != WEFT_OK) goto out;
    w->local = cards[process].local;
    w->first_of = take(a, (size_t)processes + 1, sizeof(int));
    w->node_of = take(a, (size_t)processes, sizeof(int));
    w->seat_of = take(a, (size_t)processes, sizeof(int));
    w->node_rank_of = take(a, (size_t)w->size, sizeof(int));
    w->package_of = take(a, (size_t)w->size, sizeof(int));
    w->segments = take(a, (size_t)processes, sizeof *w->segments);
    w->ranks = take(a, (size_t)w->local, sizeof *w->ranks);
    w->took = take(a, (size_t)w->local, WEFT_ALG_COUNT * sizeof *w->took);
    if (!w->first_of || !w->node_of || !w->seat_of || !w->node_rank_of || !w->package_of || !w->segments || !w->ranks ||
        !w->took) {
        st = weft_oom();
        goto out;
    }
    for (int i = 0; i < w->local; i++) w->ranks[i].took = w->took + (size_t)i * WEFT_ALG_COUNT;
    for (int p = 0; p < processes; p++) w->first_of[p + 1] = w->first_of[p] + cards[p].local;
    w->first = w->first_of[process];
    for (int p = 0; p < processes; p++) w->segments[p].fd = -1;
    number_nodes(w, cards);
    weft_packages_lay_out(w, cards);
    count_cores(w, cards);
    if (w->cores == WEFT_CORES_SHARED) w->level = WEFT_LINK_CORE;
    w->spin_ns = w->cores == WEFT_CORES_OWN ? SPIN_NS : YIELD_NS;
out:
    if (st == WEFT_OK) *out = w;
    else weft_world_free(w);
    return st;
}

weft_status weft_world_not_opened(weft_context *cx, const weft_world *w, weft_status st) {
    if (!w->trouble[0] && st == WEFT_ERR_MEMORY) return st;
    if (!w->trouble[0])
        return weft_report(cx, WEFT_D_system, NULL,
                           "a process could not make its part of the world, and does not say why");
    weft_status as =
        weft_report(cx, st == WEFT_ERR_UNSUPPORTED ? WEFT_D_unsupported : WEFT_D_system, NULL, "%s", w->trouble);
    return as == WEFT_OK ? st : as;
}

weft_status weft_world_asked(weft_context *cx, const weft_world_options *opt, weft_world_options *asked,
                             weft_world **out) {
    if (out) *out = NULL;
    if (!cx) return WEFT_ERR_USAGE;
    if (opt && out) return WEFT_OPTIONS_READ(cx, NULL, weft_world_options, opt, asked);
    return weft_report(cx, WEFT_D_usage, NULL,
                       "a world needs options, which say how many ranks it has here, and an output pointer");
}

/* Messages that could not be cancelled still read and write there: the addresses stay. */
static void leave_lent_memory(weft_world *w) {
    w->heap.segment.base = NULL;
    for (int i = 0; i < w->node_processes; i++) w->segments[i].base = NULL;
}

void weft_world_free(weft_world *w) {
    if (!w || weft_world_is_inherited(w)) return;
    const weft_allocator a = w->alloc;
    weft_progress_close(w);
    weft_world_leave(w);
    /* These ask the node whether the world has failed. */
    if (w->messages && w->messages->close) w->messages->close(w);
    if (w->end) w->end(w);
    weft_mail_lent_free(w);
    if (w->memory_is_lent) leave_lent_memory(w);
    if (w->memory) w->memory->close(w);
    for (int i = 0; w->ranks && i < w->local; i++)
        give(&a, w->ranks[i].sites, w->ranks[i].site_cap, sizeof *w->ranks[i].sites);
    weft_topology_free(w->topology);
    give(&a, w->first_of, (size_t)w->processes + 1, sizeof(int));
    give(&a, w->node_of, (size_t)w->processes, sizeof(int));
    give(&a, w->seat_of, (size_t)w->processes, sizeof(int));
    give(&a, w->node_rank_of, (size_t)w->size, sizeof(int));
    give(&a, w->package_of, (size_t)w->size, sizeof(int));
    give(&a, w->segments, (size_t)w->processes, sizeof *w->segments);
    give(&a, w->ranks, (size_t)w->local, sizeof *w->ranks);
    give(&a, w->took, (size_t)w->local, WEFT_ALG_COUNT * sizeof *w->took);
    weft_flight_unlisten(w);
    if (w->flight) give(&a, w->flight, strlen(w->flight) + 1, 1);
    give(&a, w->rules.v, w->rules.count, sizeof *w->rules.v);
    weft_world_untune(w);
    pthread_mutex_destroy(&w->lock);
    give(&a, w, 1, sizeof *w);
}

void weft_world_abort(weft_world *w, const char *why) {
    if (!w) return;
    weft_node_fail(&w->node, why ? why : "the world was aborted");
    /* outside of any call, in which others would notice that this process is missing */
    if (w->messages) w->messages->tell_failed(w, WEFT_HEARERS_ALL);
}

int weft_world_failed(const weft_world *w) { return w && weft_node_failed(&w->node); }
