/* rule_text.h: sharding rules written by the user as text, for targets of custom calls.
 *
 * The text is an einsum's: one letter per dimension, the same letter where dimensions are sharded alike.
 *
 *     ij,jk->ik              a matrix product: j is in no result, so sharding it leaves sums to be added up
 *     bij,->bij              a scalar operand is nothing between commas
 *     (hd)n->hdn             a dimension of several factors, the major one first
 *     bn->bn,bn              several results
 *     ij->ij; replicated j   j is gathered first
 *
 * Behind semicolons: "replicated", "permuted" or "reduced" and letters say what sharding these costs, "passing" that a
 * letter in no result leaves nothing to be added, "blocked" that shardings do not propagate along them. Spaces are for
 * the eye. What can be known without an op is checked when a rule is registered, ranks and sizes where it is used.
 * Registered rules belong to the context and end with it. They come before what Weft knows of a target itself; an op's
 * own sdy.sharding_rule comes before both.
 */
#ifndef WEFT_SHARDING_RULE_TEXT_H
#define WEFT_SHARDING_RULE_TEXT_H

#include "sharding/rule.h"

typedef struct weft_rule_text weft_rule_text;

/* Text that is no rule gives WEFT_D_sharding with the column, a second and other rule for the target WEFT_D_usage. loc:
 * of the caller, may be NULL. */
weft_status weft_rule_text_register(weft_context *cx, weft_str target, weft_str text, const weft_loc *loc);
const weft_rule_text *weft_rule_text_find(const weft_context *cx, weft_str target); /* NULL when there is none */

/* The factors of b->op, in the order in which the letters first occur. Ranks and sizes that do not fit are reported at
 * the op. */
struct weft_rule_builder;
void weft_rule_text_build(struct weft_rule_builder *b, const weft_rule_text *rule);

#endif
