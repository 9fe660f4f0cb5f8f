/* factors.h: how shardings propagate along the factors of one op.
 *
 * Two strategies look at a projection and extend its cells. Basic gives all tensors of a factor the same axes, the
 * longest prefix that is compatible with all of them. Aggressive gives each tensor all that it can take; if two factors
 * want the same axes in one tensor, the factor with the larger source goes first. Neither removes axes from a tensor.
 * Authority: Shardy, docs/propagation.md.
 */
#ifndef WEFT_PROPAGATE_FACTORS_H
#define WEFT_PROPAGATE_FACTORS_H

#include "sharding/projection.h"

/* The directions in which axes may propagate along a factor. A set: the union of two is |, the intersection &. */
typedef enum weft_direction {
    WEFT_FLOW_NONE = 0,
    WEFT_FLOW_FORWARD = 1,
    WEFT_FLOW_BACKWARD = 2,
    WEFT_FLOW_BOTH = 3
} weft_direction;

typedef enum weft_strategy { WEFT_STRATEGY_BASIC, WEFT_STRATEGY_AGGRESSIVE } weft_strategy;

typedef struct weft_spread {
    weft_projection *p;
    weft_direction pass, rest;      /* along pass-through factors, along others; blocked factors never flow */
    bool elementwise;
    weft_rule_mode mode;            /* conservative: no parts of axes */
} weft_spread;

/* Extends cells of s->p; sets changed[tensor] for each tensor with such a cell. scratch: the strategy's memory. */
weft_status weft_spread_basic(const weft_spread *s, weft_arena *scratch, bool *changed);
weft_status weft_spread_aggressive(const weft_spread *s, weft_arena *scratch, bool *changed);

/* For the strategies. */
weft_direction weft_spread_direction(const weft_spread *s, uint32_t factor);
/* The longest list that extends every tensor's axes along the factor, or that every tensor's axes extend; conflicts
 * with other factors are ignored. */
void weft_spread_major_axes(const weft_spread *s, uint32_t factor, weft_axis_list *out);
/* The prefix of a that a cell has or can take, given that the axes before it already shard by `before`. */
bool weft_spread_fits_cell(const weft_cells *t, const weft_cell *cell, int64_t factor_size, int64_t before, weft_axis a,
                           weft_axis *out);
/* The prefix of a that no other factor of t uses. */
bool weft_spread_free_of_others(const weft_projection *p, uint32_t tensor, uint32_t factor, weft_axis a,
                                weft_axis *out);
/* The cell's axes become axes if they are a strict prefix of them. */
bool weft_spread_extend(weft_cell *cell, weft_axes axes);

#endif
