/* rule_build.h: builds the rules of ops. For sharding/rule_*.c only.
 *
 * A rule function looks at b->op, makes factors and maps dimensions of tensors (operands first, then results) to them,
 * for each dimension from major to minor. At the end each unmapped dimension gets a factor of size 1 of its own.
 * Storage is scratch of the context; a failure is kept in b->status, which the caller checks.
 */
#ifndef WEFT_SHARDING_RULE_BUILD_H
#define WEFT_SHARDING_RULE_BUILD_H

#include "sharding/rule.h"

#define WEFT_NO_DIM (-1)

typedef struct weft_rule_pair { uint32_t cell; uint8_t factor; } weft_rule_pair;

typedef struct weft_rule_builder {
    weft_context *cx;
    const weft_op *op;
    const weft_uses *uses;           /* may be NULL */
    weft_rule_mode mode;
    weft_status status;
    bool none;                       /* the op has no rule */
    bool registered;                 /* the rule is the user's */
    bool padding;                    /* as weft_rule */
    bool shifts;                     /* a rule of work with an alternative of mode WEFT_RULE_SHIFT */
    const weft_rule *other;
    uint32_t operand_count, tensor_count;
    const weft_type *const *types;   /* [tensor_count] */
    /* [tensor_count + 1]: cell of dimension 0; cells number all dimensions of all tensors */
    uint32_t *first_cell;
    uint32_t factor_count;
    int64_t sizes[WEFT_MAX_FACTORS];
    weft_bits reduction, replicated, permutation, blocked;
    uint8_t *mapped;                 /* per cell: how many factors */
    weft_rule_pair *pairs;           /* in the order made */
    size_t pair_count, pair_cap;
} weft_rule_builder;

typedef enum weft_rule_flow { WEFT_RULE_FLOWS, WEFT_RULE_BLOCKED } weft_rule_flow;

static inline const weft_type *weft_rule_in(const weft_rule_builder *b, uint32_t operand) { return b->types[operand]; }
static inline const weft_type *weft_rule_out(const weft_rule_builder *b, uint32_t result) {
    return b->types[b->operand_count + result];
}
static inline uint32_t weft_rule_result(const weft_rule_builder *b, uint32_t result) {
    return b->operand_count + result;
}
static inline uint32_t weft_rule_rank(const weft_rule_builder *b, uint32_t tensor) {
    return b->first_cell[tensor + 1] - b->first_cell[tensor];
}

/* Makes the cells of b->types; false when memory is out. */
bool weft_rule_builder_open(weft_rule_builder *b);
/* Maps each dimension that has no factor yet to a factor of size 1 of its own. */
void weft_rule_map_rest(weft_rule_builder *b);
/* A new factor; returns its number. */
uint32_t weft_rule_factor(weft_rule_builder *b, int64_t size, weft_factor_kind kind, weft_rule_flow flow);
/* Appends factor to dimension dim of tensor; does nothing when dim is WEFT_NO_DIM, or the factor has size 1 and the
 * dimension has factors already. */
void weft_rule_map(weft_rule_builder *b, uint32_t tensor, int64_t dim, uint32_t factor);
/* One factor for dimension dim of the tensors in [from, to) whose rank is not 0. */
void weft_rule_span(weft_rule_builder *b, uint32_t from, uint32_t to, int64_t dim, uint32_t factor);
/* A new factor for dimension dim of every tensor whose rank is not 0. */
void weft_rule_all(weft_rule_builder *b, int64_t dim, int64_t size, weft_factor_kind kind, weft_rule_flow flow);
/* The same for a unary or similar op: operand 0's dimension in, result 0's dimension out; either may be WEFT_NO_DIM.
 */
void weft_rule_in_out(weft_rule_builder *b, int64_t in, int64_t out, int64_t size, weft_factor_kind kind,
                      weft_rule_flow flow);
/* A factor per dimension of type for all tensors. */
void weft_rule_all_dims(weft_rule_builder *b, const weft_type *type, uint32_t dims);
/* The same for tensors of in's rank; if in and out differ in size, the factor has in's size, this kind and this
 * flow. */
void weft_rule_mismatch(weft_rule_builder *b, const weft_type *in, const weft_type *out, weft_factor_kind kind,
                        weft_rule_flow flow);

typedef void (*weft_rule_fn)(weft_rule_builder *b);

#endif
