/* pattern.h: names of inputs chosen by a pattern (weft/parameters.h): "blocks*weight, !*norm*". */
#ifndef WEFT_CAPI_PATTERN_H
#define WEFT_CAPI_PATTERN_H

#include "capi/graph_impl.h"

bool weft_pattern_matches(weft_str pattern, weft_str name);

enum { WEFT_ROLE_INPUT = 2 };     /* neither a parameter nor a variable: beside weft_graph_kept's roles */

/* The inputs of a role that the pattern chooses, in their order: their numbers in *v, on scratch memory, and how many.
 * Reports an empty pattern, and keeps that. */
bool weft_pattern_choose(weft_graph *g, const char *pattern, int role, size_t **v, size_t *n);
/* Reports that a pattern chooses no input of a role, with the nearest name. */
void weft_pattern_fail(weft_graph *g, const char *what, const char *pattern, int role);

#endif
