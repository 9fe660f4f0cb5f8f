/* rule_build.c: the builder that rule functions use. */
#include "sharding/rule_build.h"

static uint32_t type_rank(const weft_type *t) {
    return t->kind == WEFT_TYPE_TENSOR || t->kind == WEFT_TYPE_FOREIGN ? t->rank : 0;
}

bool weft_rule_builder_open(weft_rule_builder *b) {
    weft_arena *scratch = &b->cx->scratch;
    uint32_t cells = 0;
    if (!(b->first_cell = weft_arena_array(scratch, uint32_t, b->tensor_count + 1))) return false;
    for (uint32_t i = 0; i < b->tensor_count; i++) {
        b->first_cell[i] = cells;
        cells += type_rank(b->types[i]);
    }
    b->first_cell[b->tensor_count] = cells;
    b->pair_cap = cells + 8;
    b->mapped = weft_arena_array(scratch, uint8_t, cells);
    b->pairs = weft_arena_array(scratch, weft_rule_pair, b->pair_cap);
    return b->mapped && b->pairs;
}

uint32_t weft_rule_factor(weft_rule_builder *b, int64_t size, weft_factor_kind kind, weft_rule_flow flow) {
    if (b->factor_count == WEFT_MAX_FACTORS) {
        if (b->status == WEFT_OK)
            b->status = weft_report(b->cx, WEFT_D_unsupported, b->op ? b->op->loc : NULL,
                                    "an op whose sharding rule has more than %d factors", WEFT_MAX_FACTORS);
        return 0;
    }
    uint32_t f = b->factor_count++;
    b->sizes[f] = size;
    if (flow == WEFT_RULE_BLOCKED) b->blocked |= weft_bit(f);
    if (kind == WEFT_FACTOR_REDUCTION) b->reduction |= weft_bit(f);
    if (kind == WEFT_FACTOR_REPLICATED) b->replicated |= weft_bit(f);
    if (kind == WEFT_FACTOR_PERMUTATION) b->permutation |= weft_bit(f);
    return f;
}

static void append(weft_rule_builder *b, uint32_t cell, uint32_t factor) {
    if (b->pair_count == b->pair_cap &&
        !weft_arena_grow(&b->cx->scratch, (void **)&b->pairs, &b->pair_cap, b->pair_count + 1, sizeof *b->pairs)) {
        b->status = weft_oom();
        return;
    }
    b->pairs[b->pair_count++] = (weft_rule_pair){ cell, (uint8_t)factor };
    b->mapped[cell]++;
}

void weft_rule_map(weft_rule_builder *b, uint32_t tensor, int64_t dim, uint32_t factor) {
    if (dim == WEFT_NO_DIM || dim >= weft_rule_rank(b, tensor) || b->status != WEFT_OK) return;
    uint32_t cell = b->first_cell[tensor] + (uint32_t)dim;
    if (b->sizes[factor] == 1 && b->mapped[cell]) return;
    append(b, cell, factor);
}

void weft_rule_span(weft_rule_builder *b, uint32_t from, uint32_t to, int64_t dim, uint32_t factor) {
    for (uint32_t i = from; i < to && b->status == WEFT_OK; i++)
        if (dim < weft_rule_rank(b, i)) append(b, b->first_cell[i] + (uint32_t)dim, factor);
}

void weft_rule_all(weft_rule_builder *b, int64_t dim, int64_t size, weft_factor_kind kind, weft_rule_flow flow) {
    weft_rule_span(b, 0, b->tensor_count, dim, weft_rule_factor(b, size, kind, flow));
}

void weft_rule_in_out(weft_rule_builder *b, int64_t in, int64_t out, int64_t size, weft_factor_kind kind,
                      weft_rule_flow flow) {
    uint32_t f = weft_rule_factor(b, size, kind, flow);
    weft_rule_map(b, 0, in, f);
    weft_rule_map(b, weft_rule_result(b, 0), out, f);
}

void weft_rule_all_dims(weft_rule_builder *b, const weft_type *type, uint32_t dims) {
    for (uint32_t d = 0; d < dims; d++) weft_rule_all(b, d, type->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
}

void weft_rule_mismatch(weft_rule_builder *b, const weft_type *in, const weft_type *out, weft_factor_kind kind,
                        weft_rule_flow flow) {
    for (uint32_t d = 0; d < type_rank(in) && d < type_rank(out); d++) {
        if (in->dims[d] == out->dims[d]) weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
        else weft_rule_all(b, d, in->dims[d], kind, flow);
    }
}

void weft_rule_map_rest(weft_rule_builder *b) {
    for (uint32_t c = 0; c < b->first_cell[b->tensor_count] && b->status == WEFT_OK; c++)
        if (!b->mapped[c]) append(b, c, weft_rule_factor(b, 1, WEFT_FACTOR_PASS, WEFT_RULE_FLOWS));
}
