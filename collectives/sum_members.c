/* sum_members.c: the order of sums that every algorithm keeps unless its line says otherwise: a node's ranks from first
 * to last, in the order of the group, then the nodes, in the order of their first ranks. So a sum's bits depend only on
 * the placement of the ranks.
 */
#include "collectives/algorithm.h"

#define ADD_BYTES 8192

size_t weft_sum_widens(const weft_job *job) {
    size_t widens = 1;
    for (int i = 0; i < job->n; i++) {
        weft_dtype t = (weft_dtype)job->bufs[i].dtype;
        size_t times = weft_adder_find(t, job->reduce)->partial_bytes / weft_dtype_bytes(t);
        if (times > widens) widens = times;
    }
    return widens;
}

void weft_sum_nodes(weft_comm *c, const weft_adder *a, char *dst, size_t elem_bytes, int64_t count) {
    alignas(64) char sum[ADD_BYTES];
    int64_t step = ADD_BYTES / (int64_t)a->partial_bytes;
    for (int64_t i = 0; i < count; i += step) {
        int64_t n = weft_min_i64(step, count - i);
        for (int k = 0; k < c->nodes; k++) c->src[k] = (const char *)c->base[k] + (size_t)i * a->partial_bytes;
        a->merge(sum, c->src, c->nodes, n);
        char *out = dst + (size_t)i * elem_bytes;
        if (a->finish) a->finish(out, sum, c->size, n);
        else memcpy(out, sum, (size_t)n * elem_bytes);
    }
}

static void add_node(weft_comm *c, const weft_adder *a, int node, size_t at, void *dst, int64_t count) {
    int first = c->node_first[node], k = c->node_first[node + 1] - first;
    for (int i = 0; i < k; i++) c->of_node[i] = (const char *)c->src[c->by_node[first + i]] + at;
    a->partial(dst, c->of_node, k, count);
}

void weft_sum_members(weft_comm *c, const weft_adder *a, void *dst, size_t elem_bytes, int64_t count) {
    alignas(64) char part[3][ADD_BYTES];
    int64_t step = ADD_BYTES / (int64_t)a->partial_bytes;
    if (c->nodes == 1 || c->nodes == c->size) { /* one after another */
        a->whole(dst, c->src, c->size, count);
        return;
    }
    for (int64_t i = 0; i < count; i += step) {
        int64_t n = weft_min_i64(step, count - i);
        char *sum = part[0], *next = part[1];
        add_node(c, a, 0, (size_t)i * elem_bytes, sum, n);
        for (int node = 1; node < c->nodes; node++) {
            add_node(c, a, node, (size_t)i * elem_bytes, part[2], n);
            a->merge(next, (const void *[]){ sum, part[2] }, 2, n);
            char *t = sum;
            sum = next, next = t;
        }
        char *to = (char *)dst + (size_t)i * elem_bytes;
        if (a->finish) a->finish(to, sum, c->size, n);
        else memcpy(to, sum, (size_t)n * elem_bytes);
    }
}
