/* kernel_pieces.c: where loops are split so that what selects between buffers is known on each side.
 *
 * A concatenation, a padding or an update of a part asks, for each element, whether an index lies in a range. Where the
 * index moves along one variable only, the answer changes at a few of that variable's values. The loop over it is split
 * there: each piece reads its own buffer, without a mask and without the loads that the others need.
 */
#include "codegen/kernel.h"

/* Code grows with the number of pieces: at most so many instructions over all of them, each counted as if every piece
 * had it. */
enum { MOST_INSTRUCTIONS = 8192 };

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/* The first value of v, in rising order, at which c + k v is no longer on the side of `bound` where it is for small v;
 * else extent. */
static int64_t crossing(int64_t c, int64_t k, int64_t bound, int64_t extent) {
    int64_t distance;
    if (__builtin_sub_overflow(bound, c, &distance)) return extent;
    return k > 0 ? ceil_div(distance, k) : ceil_div(1 - distance, -k);
}

static void add_cut(cg_pieces *p, uint32_t v, int64_t at, int64_t extent) {
    uint32_t i = 0;
    if (at <= 0 || at >= extent) return;
    while (i < p->count[v] && p->cut[v][i] < at) i++;
    if ((i < p->count[v] && p->cut[v][i] == at) || p->count[v] > CG_MAX_CUTS) return;
    memmove(p->cut[v] + i + 1, p->cut[v] + i, (p->count[v] - i) * sizeof *p->cut[v]);
    p->cut[v][i] = at;
    p->count[v]++;
}

static bool moves_along_only(const cg_kernel *k, const cg_ix *x, uint32_t v) {
    for (uint32_t w = 0; w < k->var_count; w++)
        if ((x->k[w] != 0) != (w == v)) return false;
    return x->sym == CG_NONE;
}

static void find_cuts(const cg_kernel *k, uint32_t v, cg_pieces *p) {
    for (uint32_t i = 0; i < k->ins_count; i++) {
        const cg_ins *x = &k->ins[i];
        if (x->kind != CG_I_RANGE || !moves_along_only(k, &x->ix, v)) continue;
        if (x->lo != INT64_MIN) add_cut(p, v, crossing(x->ix.c, x->ix.k[v], x->lo, k->extent[v]), k->extent[v]);
        add_cut(p, v, crossing(x->ix.c, x->ix.k[v], x->hi, k->extent[v]), k->extent[v]);
    }
}

static int64_t vectors(int64_t n, unsigned lanes) { return (n + lanes - 1) / lanes; }

/* Pieces of a row end in masked vectors of their own: not worth it where those are many beside the whole ones. */
static bool rows_stay_long(const cg_kernel *k, const cg_pieces *p, unsigned lanes) {
    const uint32_t v = k->var_count - 1;
    const int64_t before = vectors(k->extent[v], lanes);
    int64_t after = 0, from = 0;
    for (uint32_t i = 0; i <= p->count[v]; i++) {
        const int64_t to = i < p->count[v] ? p->cut[v][i] : k->extent[v];
        after += vectors(to - from, lanes);
        from = to;
    }
    return 4 * after <= 5 * before;
}

void cg_kernel_pieces(const cg_kernel *k, unsigned lanes, cg_pieces *p) {
    int64_t most = MOST_INSTRUCTIONS / (k->ins_count + 1) + 1;
    memset(p, 0, sizeof *p);
    for (uint32_t v = k->var_count; v-- > 0;) {
        const bool last = v + 1 == k->var_count;
        if (last && k->row) continue; /* the lanes of a fold keep their elements */
        if ((k->tiled || k->narrow) && v + 2 >= k->var_count) continue;
        find_cuts(k, v, p);
        if (p->count[v] > CG_MAX_CUTS || p->count[v] + 1 > most || (last && lanes > 1 && !rows_stay_long(k, p, lanes)))
            p->count[v] = 0;
        most /= p->count[v] + 1;
    }
}

static int8_t of_range(const cg_kernel *k, const cg_ins *x, const int64_t *first, const int64_t *last) {
    int64_t lo = x->ix.c, hi = x->ix.c;
    if (x->ix.sym != CG_NONE) return CG_UNKNOWN;
    for (uint32_t v = 0; v < k->var_count; v++) {
        const int64_t step = x->ix.k[v];
        lo += step * (step > 0 ? first[v] : last[v]);
        hi += step * (step > 0 ? last[v] : first[v]);
    }
    if (hi < x->lo || lo >= x->hi) return CG_NEVER;
    return lo >= x->lo && hi < x->hi ? CG_ALWAYS : CG_UNKNOWN;
}

static int8_t of_scalar(const cg_ins *x, const int8_t *known) {
    const int8_t a = x->a[0] == CG_NONE ? CG_UNKNOWN : known[x->a[0]],
                 b = x->a[1] == CG_NONE ? CG_UNKNOWN : known[x->a[1]];
    if (x->dtype != WEFT_I1) return CG_UNKNOWN;
    if (x->op == CG_OP_and)
        return a == CG_NEVER || b == CG_NEVER ? CG_NEVER : a == CG_ALWAYS && b == CG_ALWAYS ? CG_ALWAYS : CG_UNKNOWN;
    if (x->op == CG_OP_or)
        return a == CG_ALWAYS || b == CG_ALWAYS ? CG_ALWAYS : a == CG_NEVER && b == CG_NEVER ? CG_NEVER : CG_UNKNOWN;
    return CG_UNKNOWN;
}

void cg_kernel_decide(const cg_kernel *k, const int64_t *first, const int64_t *last, int8_t *known) {
    for (uint32_t i = 0; i < k->ins_count; i++) {
        const cg_ins *x = &k->ins[i];
        known[i] = x->kind == CG_I_RANGE    ? of_range(k, x, first, last)
                   : x->kind == CG_I_SCALAR ? of_scalar(x, known)
                                            : CG_UNKNOWN;
    }
}
