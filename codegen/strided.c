/* strided.c: views and reshapes folded into strides. */
#include "codegen/strided.h"

/* Strides for x reshaped to dims, or false. Groups of dimensions of equal product are matched from the front. */
static bool reshape_strides(uint32_t rank, const int64_t *dims, const int64_t *stride, uint32_t to_rank,
                            const int64_t *to, int64_t *out) {
    uint32_t i = 0, j = 0;
    while (i < rank || j < to_rank) {
        uint32_t i0 = i, j0 = j;
        int64_t p = i < rank ? dims[i++] : 1, q = j < to_rank ? to[j++] : 1;
        while (p != q) {
            if (p < q) {
                if (i == rank) return false;
                p *= dims[i++];
            } else {
                if (j == to_rank) return false;
                q *= to[j++];
            }
        }
        int64_t step = 0; /* of the innermost solid dimension of the group */
        bool first = true;
        for (uint32_t d = i; d-- > i0;) {
            if (dims[d] == 1) continue;
            int64_t expected = first ? 0 : step;
            if (!first && stride[d] != expected) return false;
            if (first) out[j0] = stride[d];
            first = false;
            step = stride[d] * dims[d];
        }
        step = first ? 1 : out[j0];
        for (uint32_t d = j; d-- > j0;) {
            out[d] = step;
            step *= to[d];
        }
    }
    return true;
}

bool cg_follow(cg_node *n, cg_strided *s) {
    if (n->cls == CG_RESHAPE) {
        cg_node *x = n->in[0];
        cg_strided inner;
        if (!cg_follow(x, &inner)) return false;
        s->base = inner.base;
        s->offset = inner.offset;
        return reshape_strides(x->rank, x->dims, inner.stride, n->rank, n->dims, s->stride);
    }
    if (n->cls == CG_VIEW) {
        cg_node *x = n->in[0];
        cg_strided inner;
        if (!cg_follow(x, &inner)) return false;
        s->base = inner.base;
        s->offset = inner.offset;
        memset(s->stride, 0, n->rank * sizeof *s->stride);
        for (uint32_t d = 0; d < x->rank; d++) {
            s->offset += inner.stride[d] * n->view[d].offset;
            if (n->view[d].dim >= 0) s->stride[n->view[d].dim] += inner.stride[d] * n->view[d].stride;
            if (n->view[d].also) s->stride[n->view[d].also - 1] += inner.stride[d] * n->view[d].step;
        }
        return true;
    }
    if (cg_is_rewritten(n)) return false;
    s->base = n;
    s->offset = 0;
    if (n->strides) memcpy(s->stride, n->strides, n->rank * sizeof *n->strides);
    else cg_row_major(n->rank, n->dims, s->stride);
    return true;
}
