/* rule_text.h: sharding rules written by the user as text, for targets of custom calls.
 *
 * The text is an einsum's: one letter per dimension; dimensions of one letter are sharded alike.
 *
 *     ij,jk->ik              a matrix product: j is in no result, so sharding it leaves sums to be added up
 *     bij,->bij              a scalar operand is empty between commas
 *     (hd)n->hdn             a dimension of several factors, the major one first
 *     bn->bn,bn              several results
 *     ij->ij; replicated j   j is gathered first
 *
 * After semicolons, words with letters give the cost of sharding these: "replicated", "permuted" or "reduced";
 * "passing" if a letter in no result leaves no partial sums, "blocked" if shardings do not propagate along it. Spaces
 * are ignored. A rule is checked as far as possible when it is registered; ranks and sizes where it is used. Registered
 * rules belong to the context and end with it. They take precedence over Weft's own rules for a target; an op's own
 * sdy.sharding_rule takes precedence over both.
 */
#ifndef WEFT_SHARDING_RULE_TEXT_H
#define WEFT_SHARDING_RULE_TEXT_H

#include "sharding/rule.h"

typedef struct weft_rule_text weft_rule_text;

/* Invalid text gives WEFT_D_sharding with the column, a second, different rule for the target WEFT_D_usage. loc: the
 * caller's, may be NULL. */
weft_status weft_rule_text_register(weft_context *cx, weft_str target, weft_str text, const weft_loc *loc);
const weft_rule_text *weft_rule_text_find(const weft_context *cx, weft_str target); /* NULL when absent */

/* Makes the factors of b->op, in the order of the letters' first occurrence. Ranks and sizes that do not fit are
 * reported at the op. */
struct weft_rule_builder;
void weft_rule_text_build(struct weft_rule_builder *b, const weft_rule_text *rule);

#endif
