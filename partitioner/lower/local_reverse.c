/* local_reverse.c: reverse along dimensions that are split. Where the devices divide them, a device's part is that of
 * its mirror along all of them, reversed: one collective_permute. Along another dimension, what it needs lies with the
 * mirror and a neighbour of that (halo.h). */
#include "partitioner/lower/halo.h"
#include "partitioner/lower/local_ops.h"

/* Device k takes what its part is the mirror of. */
static void mirror(int64_t size, int64_t shards, int64_t *begin, weft_halo *h) {
    int64_t part = weft_ceil_div(size, shards);
    *h = (weft_halo){ shards, part, part, begin, 0, size };
    for (int64_t k = 0; k < shards; k++) begin[k] = size - (k + 1) * part;
}

static bool is_divided(const weft_op *op, uint32_t d, int64_t shards) {
    return op->operands[0]->type->dims[d] % shards == 0;
}

double weft_talk_reverse(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    const weft_placement *l = weft_placement_of(t, operands[0]);
    weft_context *cx = weft_placements_context(t);
    const double bytes = (double)weft_placement_local_bytes(t, l, op->operands[0]->type);
    double mirrored = 0, sent = 0;
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    for (uint32_t i = 0; i < dims.n && sent >= 0; i++) {
        int64_t shards = weft_placement_dim_shards(t, l, (uint32_t)dims.v[i]),
                size = op->operands[0]->type->dims[dims.v[i]];
        weft_halo h;
        if (shards == 1) continue;
        if (size > 0 && is_divided(op, (uint32_t)dims.v[i], shards)) {
            mirrored = bytes;
            continue;
        }
        weft_mark mark = weft_arena_mark(&cx->scratch);
        int64_t *begin = size > 0 ? weft_scratch_array(cx, int64_t, shards) : NULL, elems = -1;
        if (begin) {
            mirror(size, shards, begin, &h);
            elems = weft_halo_sent(cx, &h);
        }
        sent = elems < 0 ? -1 : sent + bytes * (double)elems / (double)h.part;
        weft_arena_reset(&cx->scratch, mark);
    }
    return sent < 0 ? -1 : sent + mirrored;
}

/* Whether the result has the devices in the order that the operand has, mirrored along the atoms of reversed
 * dimensions: then each device has its mirror's place, and nothing to fetch. */
static bool is_mirrored(const weft_localizer *z, const weft_placement *in, const weft_placement *out, weft_ints dims) {
    for (int64_t place = 0; place < weft_placements_devices(z->t); place++) {
        int64_t mirror = place;
        for (uint32_t i = 0; i < in->n; i++) {
            int64_t size = weft_atom_size(z->t, in->at[i].atom), stride = weft_atom_stride(z->t, in->at[i].atom);
            if (weft_ints_has(dims, in->at[i].dim)) mirror += (size - 1 - 2 * (place / stride % size)) * stride;
        }
        if (weft_local_device_of(z, out, place) != weft_local_device_of(z, in, mirror)) return false;
    }
    return true;
}

static weft_status reverse_in_place(weft_localizer *z, const weft_op *op, const weft_placement *in,
                                    const weft_placement *out) {
    weft_op *made;
    if (is_mirrored(z, in, out, weft_op_ints(op, WEFT_A_dimensions))) return weft_local_clone(z, op, &made);
    return weft_report(z->cx, WEFT_D_partition, op->loc, "%s between meshes of which one is not the other's mirror",
                       op->name->text);
}

/* x from the device that is the mirror along all atoms: counted from the other end, it has the number of this one. */
static weft_value *from_mirror(weft_localizer *z, weft_value *x, const uint8_t *atoms, uint32_t n) {
    int64_t shards = 1;
    for (uint32_t i = 0; i < n; i++) shards *= weft_atom_size(z->t, atoms[i]);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *source = weft_scratch_array(z->cx, int64_t, shards);
    for (int64_t k = 0; source && k < shards; k++) source[k] = shards - 1 - k;
    weft_value *v = source ? weft_halo_send(z, x, atoms, n, source) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

static weft_value *fetch_mirrored(weft_localizer *z, const weft_op *op, weft_value *x, uint32_t d, const uint8_t *atoms,
                                  uint32_t n, int64_t shards) {
    weft_halo h;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *begin = weft_scratch_array(z->cx, int64_t, shards);
    if (begin) mirror(op->operands[0]->type->dims[d], shards, begin, &h);
    x = begin ? weft_halo_fetch(z, x, d, atoms, n, &h) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return x;
}

weft_status weft_lower_reverse(weft_localizer *z, const weft_op *op) {
    const weft_placement *l = weft_local_placement(z, op->operands[0]), *out = weft_local_placement(z, &op->results[0]);
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    weft_value *x = weft_local_value(z, op->operands[0]);
    weft_op *made = NULL;
    uint8_t mirrored[WEFT_MAX_ATOMS];
    uint32_t count = 0;
    if (l->order != out->order) return reverse_in_place(z, op, l, out);
    for (uint32_t i = 0; x && i < dims.n; i++) {
        uint8_t atoms[WEFT_MAX_ATOMS];
        uint32_t d = (uint32_t)dims.v[i], n = weft_placement_dim_atoms(l, d, atoms);
        int64_t shards = weft_placement_dim_shards(z->t, l, d);
        if (n && is_divided(op, d, shards)) {
            memcpy(mirrored + count, atoms, n);
            count += n;
        } else if (n) {
            x = fetch_mirrored(z, op, x, d, atoms, n, shards);
        }
    }
    if (x && count) x = from_mirror(z, x, mirrored, count);
    if (!x) return z->b->status != WEFT_OK ? z->b->status : weft_oom();
    weft_status st = z->b->status == WEFT_OK ? weft_local_clone(z, op, &made) : z->b->status;
    if (st == WEFT_OK) made->operands[0] = x;
    return st;
}
