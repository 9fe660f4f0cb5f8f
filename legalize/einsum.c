/* einsum: einsum and unary_einsum as sums, a dot_general and a transpose.
 *
 * A label twice in one operand is its diagonal; labels of one operand that the result lacks are summed there; labels of
 * both are contracted, or batched if the result has them. "..." represents the dimensions without labels, aligned at
 * the last one; if one operand has size 1 there, the other's size counts. Without "->" the result has the labels that
 * occur once, in alphabetical order, as in NumPy. StableHLO's docs/spec.md does not define it; source: XLA's Einsum
 * (xla/hlo/builder/lib/matrix.cc).
 */
#include "legalize/product.h"

enum { ELLIPSIS = 256, MAX_LABELS = 2 * WEFT_MAX_RANK };

typedef struct labels { int64_t v[MAX_LABELS]; uint32_t n; } labels;

static bool has(const labels *l, int64_t x, uint32_t *at) {
    for (uint32_t i = 0; i < l->n; i++)
        if (l->v[i] == x) {
            if (at) *at = i;
            return true;
        }
    return false;
}

/* The text of one operand or the result; rank dimensions, or with negative rank any number: as many as `hidden`.
 */
static bool read(weft_str text, int64_t rank, uint32_t hidden, labels *out) {
    uint32_t named = 0;
    bool dots = false;
    out->n = 0;
    for (size_t i = 0; i < text.n; i++) named += text.p[i] != ' ' && text.p[i] != '.';
    if (rank >= 0) hidden = rank > named ? (uint32_t)rank - named : 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == ' ') continue;
        if (out->n + hidden >= MAX_LABELS) return false;
        if (text.p[i] != '.') {
            out->v[out->n++] = (unsigned char)text.p[i];
            continue;
        }
        if (dots || i + 2 >= text.n || text.p[i + 1] != '.' || text.p[i + 2] != '.') return false;
        for (uint32_t k = hidden; k-- > 0;) out->v[out->n++] = ELLIPSIS + k; /* the last one is 0 */
        dots = true;
        i += 2;
    }
    return rank < 0 || out->n == rank;
}

static weft_str upto(weft_str *rest, const char *end, size_t length) {
    size_t i = 0;
    while (i < rest->n && (i + length > rest->n || memcmp(rest->p + i, end, length))) i++;
    const weft_str part = { rest->p, i };
    const size_t skip = i + length < rest->n ? i + length : rest->n;
    *rest = (weft_str){ rest->p + skip, rest->n - skip };
    return part;
}

/* Without "->": hidden dimensions first, then labels that occur once. */
static void implied(const labels *in, uint32_t n, labels *out) {
    uint32_t count[ELLIPSIS + MAX_LABELS] = { 0 };
    out->n = 0;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < in[k].n; i++) count[in[k].v[i]]++;
    for (uint32_t k = MAX_LABELS; k-- > 0;)
        if (count[ELLIPSIS + k]) out->v[out->n++] = ELLIPSIS + k;
    for (uint32_t k = 0; k < ELLIPSIS; k++)
        if (count[k] == 1) out->v[out->n++] = k;
}

static bool parse(const weft_op *op, weft_value *const *x, labels *in, labels *out) {
    weft_str rest = weft_op_attr(op, WEFT_A_einsum_config)->s, left = upto(&rest, "->", 2);
    const bool arrow = left.p + left.n < rest.p;
    uint32_t hidden = 0;
    for (uint32_t k = 0; k < op->operand_count; k++) {
        const weft_str part = k + 1 < op->operand_count ? upto(&left, ",", 1) : left;
        if (!read(part, x[k]->type->rank, 0, &in[k])) return false;
        for (uint32_t i = 0; i < in[k].n; i++)
            if (in[k].v[i] >= ELLIPSIS && in[k].v[i] - ELLIPSIS + 1 > hidden)
                hidden = (uint32_t)(in[k].v[i] - ELLIPSIS + 1);
    }
    if (!arrow) implied(in, op->operand_count, out);
    else if (!read(rest, -1, hidden, out)) return false;
    for (uint32_t i = 0; i < out->n; i++) {
        bool known = false, twice = false;
        for (uint32_t k = 0; k < op->operand_count; k++) known = known || has(&in[k], out->v[i], NULL);
        for (uint32_t e = 0; e < i; e++) twice = twice || out->v[e] == out->v[i];
        if (!known || twice) return false;
    }
    return true;
}

static void drop(labels *l, uint32_t at) {
    memmove(l->v + at, l->v + at + 1, (l->n - at - 1) * sizeof *l->v);
    l->n--;
}

/* Dimensions i and k of x have one label: elements off the diagonal become 0, and k is summed. */
static lg_value diagonal(lg *g, lg_value x, labels *l, uint32_t i, uint32_t k) {
    const weft_type *t = x->type;
    const int64_t dim = k;
    lg_value row = lg_iota(g, WEFT_I64, t->rank, t->dims, i), column = lg_iota(g, WEFT_I64, t->rank, t->dims, k);
    x = row && column ? lg_select(g, lg_eq(g, row, column), x, weft_build_splat(g, t, 0)) : NULL;
    drop(l, k);
    return lg_sum_over(g, x, (weft_ints){ &dim, 1 });
}

static lg_value diagonals(lg *g, lg_value x, labels *l) {
    for (uint32_t k = 1; x && k < l->n; k++) {
        uint32_t i = 0;
        while (l->v[i] != l->v[k]) i++;
        if (i < k) x = diagonal(g, x, l, i, k--);
    }
    return x;
}

/* x summed over the labels that neither `keep` nor other has; hidden dimensions of size 1 that other has larger are
 * removed as well. */
static lg_value alone(lg *g, lg_value x, labels *l, const labels *keep, const labels *other,
                      const weft_type *other_type) {
    int64_t dims[WEFT_MAX_RANK];
    labels left = { .n = 0 };
    uint32_t n = 0, at;
    for (uint32_t d = 0; x && d < l->n; d++) {
        const bool shared = other && has(other, l->v[d], &at);
        const bool stretched = shared && l->v[d] >= ELLIPSIS && x->type->dims[d] == 1 && other_type->dims[at] != 1;
        if (stretched || (!shared && !has(keep, l->v[d], NULL))) dims[n++] = d;
        else left.v[left.n++] = l->v[d];
    }
    *l = left;
    return lg_sum_over(g, x, (weft_ints){ dims, n });
}

/* The product, its labels in l: batch, lhs's own, rhs's own. */
static lg_value product(lg *g, const weft_op *op, weft_value *const *x, const labels *in, const labels *out,
                        labels *l) {
    int64_t dims[4][WEFT_MAX_RANK];
    uint32_t batch = 0, contract = 0, at;
    l->n = 0;
    for (uint32_t d = 0; d < in[0].n; d++) {
        if (!has(&in[1], in[0].v[d], &at)) continue;
        const bool kept = has(out, in[0].v[d], NULL);
        uint32_t *n = kept ? &batch : &contract;
        dims[kept ? 0 : 2][*n] = d, dims[kept ? 1 : 3][*n] = at;
        ++*n;
        if (kept) l->v[l->n++] = in[0].v[d];
    }
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t d = 0; d < in[k].n; d++)
            if (!has(&in[!k], in[k].v[d], NULL)) l->v[l->n++] = in[k].v[d];
    const weft_dot_dims dot = { { dims[0], batch }, { dims[1], batch }, { dims[2], contract }, { dims[3], contract } };
    return lg_dot(g, x[0], x[1], &dot, op->results[0].type->dtype, NULL);
}

weft_status lg_einsum(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in, weft_value **out) {
    labels l[2], result, made;
    int64_t order[MAX_LABELS];
    (void)r;
    if (!parse(op, in, l, &result))
        return weft_report(b->m->cx, WEFT_D_unsupported, op->loc,
                           "einsum_config \"%.*s\" is not of the form that is understood",
                           WEFT_STR_ARG(weft_op_attr(op, WEFT_A_einsum_config)->s));
    weft_value *x[2] = { diagonals(b, in[0], &l[0]), NULL };
    if (op->operand_count == 1) {
        x[0] = alone(b, x[0], &l[0], &result, NULL, NULL);
        made = l[0];
        out[0] = lg_convert(b, x[0], op->results[0].type->dtype);
    } else {
        x[1] = diagonals(b, in[1], &l[1]);
        if (!x[0] || !x[1]) return b->status;
        const weft_type *t = x[0]->type;
        const labels first = l[0];
        x[0] = alone(b, x[0], &l[0], &result, &l[1], x[1]->type);
        x[1] = alone(b, x[1], &l[1], &result, &first, t);
        out[0] = product(b, op, x, l, &result, &made);
    }
    if (!out[0] || made.n != result.n) return b->status == WEFT_OK ? weft_oom() : b->status;
    for (uint32_t i = 0; i < result.n; i++) {
        uint32_t at = 0;
        has(&made, result.v[i], &at);
        order[i] = at;
    }
    out[0] = lg_transpose(b, out[0], order);
    return b->status;
}
