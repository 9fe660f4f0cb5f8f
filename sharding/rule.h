/* rule.h: the relation of an op's operands and results, as factors.
 *
 * A rule gives each dimension of each operand and result a list of factors, major to minor, like an einsum: dimensions
 * that share a factor may be sharded alike. A matrix product is ([i, k], [k, j])->([i, j]); a reshape that merges two
 * dimensions is ([i, j])->([ij]). The factors of a dimension multiply to its size, except if an op resizes (pad,
 * slice). A factor's kind is the cost of sharding it: none (pass-through), a reduction of the results, replication
 * first, or a permutation between neighbours. Propagation does not pass along blocked factors.
 *
 * Rules are immutable and interned per table: unrolled layers share them, and the result of one visit (a rule and the
 * shardings around it) holds for all equal ones. Sets of factors are bits, at most 64 factors. Tensors are numbered
 * operands first. The rules of all ops are in the column `rule` of ir/ops.def. Authority: Shardy, docs/propagation.md
 * and sdy.op_sharding_rule in docs/sdy_dialect.md.
 */
#ifndef WEFT_SHARDING_RULE_H
#define WEFT_SHARDING_RULE_H

#include "ir/module.h"
#include "sharding/axis.h"

#define WEFT_MAX_FACTORS 64

typedef enum weft_factor_kind {
    WEFT_FACTOR_PASS,
    WEFT_FACTOR_REDUCTION,
    WEFT_FACTOR_REPLICATED,
    WEFT_FACTOR_PERMUTATION
} weft_factor_kind;

/* The factors of one dimension: factors[first .. first + n) of its rule. */
typedef struct weft_rule_dim { uint32_t first, n; } weft_rule_dim;

typedef struct weft_rule_tensor {
    const weft_rule_dim *dims;
    uint32_t rank;
    weft_bits factors;             /* all factors of its dimensions */
} weft_rule_tensor;

typedef struct weft_rule {
    uint32_t id;                   /* dense in its table */
    uint32_t factor_count, operand_count, tensor_count;
    const int64_t *sizes;          /* [factor_count] */
    const weft_rule_tensor *tensors;
    const uint8_t *factors;        /* the target of weft_rule_dim */
    weft_bits reduction, replicated, permutation, blocked; /* sets of factors */
    bool custom;                   /* written by the user, on the op */
    bool registered;               /* by weft_rule_register */
    bool padding;                  /* a custom call that bears any elements as padding along passing factors */
    /* of rules of work: an alternative way to split the same op, to compare costs; or NULL */
    const struct weft_rule *other;
} weft_rule;

static inline bool weft_rule_is_pass(const weft_rule *r, uint32_t factor) {
    return !weft_bits_has(r->reduction | r->replicated | r->permutation, factor);
}
static inline weft_factor_kind weft_rule_kind(const weft_rule *r, uint32_t factor) {
    return weft_bits_has(r->reduction, factor)     ? WEFT_FACTOR_REDUCTION
           : weft_bits_has(r->replicated, factor)  ? WEFT_FACTOR_REPLICATED
           : weft_bits_has(r->permutation, factor) ? WEFT_FACTOR_PERMUTATION
                                                   : WEFT_FACTOR_PASS;
}

typedef struct weft_rules weft_rules;
/* An empty table in arena, which must not be the context's scratch. */
weft_status weft_rules_open(weft_context *cx, weft_arena *arena, weft_rules **out);
uint32_t weft_rules_count(const weft_rules *t);

/* Conservative rules omit or block factors that would make a dimension uneven. Rules of work are liberal rules with the
 * factors along which devices can split the op, also those along which shardings do not propagate: a dynamic_slice's or
 * a gather window's result is a sum over the parts of the sliced dimension, and the windows of select_and_scatter's
 * source are sharded like its result.
 * SHIFT: the alternative for a dynamic_slice or update that covers most of a dimension: slice and operand are sharded
 * alike and exchange a halo. */
typedef enum weft_rule_mode {
    WEFT_RULE_LIBERAL,
    WEFT_RULE_CONSERVATIVE,
    WEFT_RULE_WORK,
    WEFT_RULE_SHIFT
} weft_rule_mode;

/* The rule of op: that of its attribute sdy.sharding_rule, else that of its kind. *out is NULL if there is none
 * (control flow, constants, unknown custom calls). uses may be NULL; a few custom calls depend on their readers. */
weft_status weft_rule_of(weft_rules *t, const weft_op *op, weft_rule_mode mode, const weft_uses *uses,
                         const weft_rule **out);
/* Of a custom call with "num_batch_dims" in its mhlo.frontend_attributes: so many first dimensions of all operands and
 * results, of equal sizes, number what is computed one by one. 0: none, or not expressible. */
uint32_t weft_rule_batch_dims(const weft_op *op);
/* Whether op is a custom call without a sharding rule, so that propagation stops there. */
bool weft_rule_is_unknown(const weft_context *cx, const weft_op *op);
weft_status weft_rule_warn_unknown(weft_context *cx, const weft_op *op);
/* A rule in which operands and results of this type correspond element by element. */
weft_status weft_rule_identity(weft_rules *t, const weft_type *type, uint32_t operands, uint32_t results,
                               const weft_rule **out);

weft_status weft_rule_from_attr(weft_rules *t, const weft_attr *attr, const weft_loc *loc, const weft_rule **out);
const weft_attr *weft_rule_to_attr(weft_rules *t, const weft_rule *r); /* cached; NULL only when memory is out */

#endif
