/* seats: the ranks that the devices of a list have in a world of their processes.
 *
 * A world has the ranks of a process one after another; the devices of a mesh may be of several processes in turns. So
 * the processes are members of the world in the order of their first places, and the places of each rise with its
 * ranks.
 */
#include <stdlib.h>
#include "pjrt/impl.h"

void pjrt_seats_free(pjrt_seats *s) {
    free(s->processes);
    free(s->member);
    free(s->rank);
}

bool pjrt_seats_find(const int *process, int places, int processes, pjrt_seats *s) {
    int *next = calloc((size_t)processes, sizeof *next); /* rank of each member */
    *s = (pjrt_seats){ malloc((size_t)processes * sizeof(int)), malloc((size_t)processes * sizeof(int)),
                       malloc((size_t)places * sizeof(int)), { 0 } };
    const bool there = next && s->processes && s->member && s->rank;
    for (int p = 0; there && p < processes; p++) s->member[p] = -1;
    for (int r = 0; there && r < places; r++) {
        const int p = process[r];
        if (s->member[p] < 0) {
            s->member[p] = s->world.count;
            s->processes[s->world.count++] = p;
        }
        next[s->member[p]]++;
    }
    for (int i = 0, begin = 0; there && i < s->world.count; i++) {
        const int ranks = next[i];
        next[i] = begin;
        begin += ranks;
    }
    for (int r = 0; there && r < places; r++) s->rank[r] = next[s->member[process[r]]]++;
    s->world.processes = s->processes;
    free(next);
    return there;
}

int pjrt_places_before(const int *mine, int local, int64_t place) {
    int low = 0, high = local;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (mine[middle] < place) low = middle + 1;
        else high = middle;
    }
    return low;
}
