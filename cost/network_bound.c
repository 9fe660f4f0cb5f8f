/* network_bound.c: a bound from below by messages along the edges (TRW-S: Kolmogorov, Convergent tree-reweighted
 * message passing, IEEE PAMI 28, 2006, figure 3, with chains in the order of the nodes). The bound never falls from
 * pass to pass while costs stay. */
#include "cost/network_impl.h"

/* To the higher node of an edge goes `up`, to the lower `down`: a number by choice of the node that gets it. */
weft_status network_messages_new(weft_network *x, network_messages *out) {
    out->up = weft_arena_array(x->arena, double, x->ends + 1);
    out->down = weft_arena_array(x->arena, double, x->ends + 1);
    out->sum = weft_arena_array(x->arena, double, x->most_choices);
    out->least = weft_arena_array(x->arena, uint32_t, x->node_count + 1u);
    out->has = weft_arena_array(x->arena, double, x->most_choices);
    return out->up && out->down && out->sum && out->has && out->least ? WEFT_OK : weft_oom();
}

/* node's costs with all messages to it. */
static void gather(const weft_network *x, const network_messages *m, uint32_t node, double *sum) {
    const network_node *o = &x->node[node];
    for (uint32_t k = 0; k < o->n; k++) sum[k] = x->paid[o->first + k];
    for (uint32_t i = 0; i < o->near_count; i++) {
        const uint32_t e = x->near[o->near + i];
        const double *in = (x->edge[e].b == node ? m->up : m->down) + x->edge[e].at;
        for (uint32_t k = 0; k < o->n; k++) sum[k] += in[k];
    }
}

/* What the node's end of edge e has, as the least for each choice of the other end; returns what is taken out, so that
 * the least is 0. */
static double send(const weft_network *x, const network_edge *e, uint32_t node, const double *has, double *to) {
    const uint32_t rows = x->node[e->a].n, columns = x->node[e->b].n, n = e->a == node ? columns : rows;
    double least = 1e300;
    if (e->a == node) {
        for (uint32_t k = 0; k < columns; k++) to[k] = 1e300;
        for (uint32_t i = 0; i < rows; i++) {
            const double *row = e->cost + (size_t)i * columns, h = has[i];
            for (uint32_t k = 0; k < columns; k++) to[k] = h + row[k] < to[k] ? h + row[k] : to[k];
        }
    } else
        for (uint32_t i = 0; i < rows; i++) {
            const double *row = e->cost + (size_t)i * columns;
            double low = 1e300;
            for (uint32_t k = 0; k < columns; k++) low = has[k] + row[k] < low ? has[k] + row[k] : low;
            to[i] = low;
        }
    for (uint32_t k = 0; k < n; k++) least = to[k] < least ? to[k] : least;
    for (uint32_t k = 0; k < n; k++) to[k] -= least;
    return least;
}

/* Messages from node to those that come later (or earlier), each a share of what it has: 1 / the number of chains
 * through it. Returns what is taken out of them, and, of a chain that ends here, the least. */
static double visit(const weft_network *x, network_messages *m, uint32_t node, bool forth, double *sum, double *has) {
    const network_node *o = &x->node[node];
    uint32_t later = 0;
    double taken = 0, least = 1e300;
    for (uint32_t i = 0; i < o->near_count; i++) later += x->edge[x->near[o->near + i]].a == node;
    const uint32_t earlier = o->near_count - later, chains = later > earlier ? later : earlier;
    const uint32_t sends = forth ? later : earlier;
    gather(x, m, node, sum);
    for (uint32_t i = 0; i < o->near_count && chains; i++) {
        const uint32_t e = x->near[o->near + i];
        const bool is_later = x->edge[e].a == node;
        if (is_later != forth) continue;
        const double *in = (is_later ? m->down : m->up) + x->edge[e].at;
        for (uint32_t k = 0; k < o->n; k++) has[k] = sum[k] / chains - in[k];
        taken += send(x, &x->edge[e], node, has, (is_later ? m->up : m->down) + x->edge[e].at);
    }
    for (uint32_t k = 0; k < o->n; k++)
        if (sum[k] < least) least = sum[k], m->least[node] = k;
    return taken + (chains ? least * (chains - sends) / chains : least);
}

/* The choice at node that those before it and the messages of those after it suggest. */
static void suggest(const weft_network *x, const network_messages *m, uint32_t node, uint32_t *choice, double *sum) {
    const network_node *o = &x->node[node];
    for (uint32_t k = 0; k < o->n; k++) sum[k] = x->paid[o->first + k];
    for (uint32_t i = 0; i < o->near_count; i++) {
        const network_edge *edge = &x->edge[x->near[o->near + i]];
        for (uint32_t k = 0; k < o->n; k++)
            sum[k] += edge->a == node ? m->down[edge->at + k] : edge->cost[(size_t)choice[edge->a] * o->n + k];
    }
    choice[node] = 0;
    for (uint32_t k = 1; k < o->n; k++)
        if (sum[k] < sum[choice[node]]) choice[node] = k;
}

double network_pass(weft_network *x, network_messages *m, uint32_t *choice) {
    double *sum = m->sum, *has = m->has, bound = 0;
    for (uint32_t i = 0; i < x->node_count; i++) {
        suggest(x, m, i, choice, sum);
        (void)visit(x, m, i, true, sum, has);
    }
    for (uint32_t i = x->node_count; i-- > 0;) bound += visit(x, m, i, false, sum, has);
    return bound;
}
