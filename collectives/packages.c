/* packages.c: the package of each rank; see levels.h and world.h. */
#include "collectives/world.h"

#include <stdlib.h>

/* The names of "left,right" one by one. */
static void by_names(const char *text, weft_process_card *card) {
    size_t n;
    for (const char *p = text; *p; p += n + (p[n] == ',')) {
        uint32_t h = 2166136261u; /* FNV-1a */
        n = strcspn(p, ",");
        for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)p[i]) * 16777619u;
        if (card->packages < WEFT_PACKAGE_NAMES) card->package[card->packages] = h;
        card->packages++;
    }
}

static void in_one(int package, weft_process_card *card) {
    card->packages = 1;
    card->package[0] = (uint32_t)package;
    card->cores = 0;
}

void weft_packages_by_cores(const weft_topology *t, weft_process_card *card) {
    card->packages = 0;
    card->cores = weft_topology_cores(t);
    card->shares_cores = weft_topology_whole(t);
    for (int core = 0, last = -1; core < card->cores; core++) {
        int package = weft_topology_package(t, core);
        if (core > 0 && package == last) {
            card->core_end[card->packages - 1]++;
            continue;
        }
        /* more names than fit: then ranks are not distinguished */
        if (package < 0 || card->packages == WEFT_PACKAGE_NAMES) {
            in_one(-1, card);
            return;
        }
        card->package[card->packages] = (uint32_t)package;
        card->core_end[card->packages++] = core + 1;
        last = package;
    }
}

void weft_packages_tell(const weft_world_options *opt, weft_process_card *card) {
    const char *text = opt->package ? opt->package : getenv("WEFT_PACKAGE");
    if (text && *text) {
        by_names(text, card);
        return;
    }
    in_one(weft_package_of_cpus(card->cpus, WEFT_COUNT(card->cpus)), card);
    /* A single rank that is not bound may run anywhere. */
    if ((int)card->package[0] >= 0 || (opt->local_ranks < 2 && opt->bind == WEFT_BIND_NONE)) return;
    /* if hwloc fails, ranks are not distinguished: no error of the caller */
    weft_context *cx = weft_context_new(NULL);
    weft_topology *t = NULL;
    if (cx && weft_topology_discover(cx, &t) == WEFT_OK) weft_packages_by_cores(t, card);
    weft_topology_free(t);
    if (cx) weft_context_free(cx);
}

/* The package of the rank of this number among so many that share the process's cores. */
static uint32_t package_of(const weft_process_card *card, int number, int ranks) {
    int first, n, i = 0;
    weft_cores_place(card->cores, ranks, number, &first, &n);
    while (card->core_end[i] <= first) i++;
    return card->package[i];
}

void weft_packages_lay_out(weft_world *w, const weft_process_card *cards) {
    for (int p = 0; p < w->processes; p++) {
        const weft_process_card *card = &cards[p];
        int before = 0, all = 0;
        for (int q = 0; q < w->processes && card->cores; q++) {
            if (card->shares_cores ? w->node_of[q] != w->node_of[p] : q != p) continue;
            before += q < p ? cards[q].local : 0;
            all += cards[q].local;
        }
        for (int i = 0; i < card->local; i++)
            w->package_of[w->first_of[p] + i] =
                (int)(card->cores ? package_of(card, before + i, all) : card->package[i % card->packages]);
    }
}
