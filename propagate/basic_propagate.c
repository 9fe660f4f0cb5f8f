/* sdy-basic-propagate: shardings spread where all operands and results agree.
 * Needs: data-flow edges where shardings are to cross loops and the like. Leaves: a sharding on every value that one reached;
 * ops that nobody reads are gone. Source: Shardy, docs/propagation.md. */
#include "propagate/options.h"
#include "propagate/propagate.h"

weft_status weft_propagation_open_loose(weft_pass *pass, const weft_module *in, weft_propagation *p, weft_module **loosened) {
    weft_status st = weft_propagation_open(pass->cx, in, weft_option_mode(pass), p);
    *loosened = NULL;
    if (st == WEFT_OK) st = weft_propagation_loosen_groups(p, loosened);
    if (st != WEFT_OK || !*loosened) return st;
    weft_propagation_close(p);
    return weft_propagation_open(pass->cx, *loosened, weft_option_mode(pass), p);
}

weft_status weft_propagation_pass(weft_pass *pass, weft_propagation_body body, const weft_module *in, weft_module **out) {
    weft_propagation p;
    weft_module *loosened;
    weft_status st = weft_propagation_open_loose(pass, in, &p, &loosened);
    if (st == WEFT_OK) st = weft_propagation_sync_groups(&p);
    if (st == WEFT_OK) st = body(pass, &p);
    if (st == WEFT_OK) st = weft_propagation_emit(&p, weft_option_rules(pass), out);
    weft_propagation_close(&p);
    weft_module_free(loosened);
    return st;
}

static weft_status basic(weft_pass *pass, weft_propagation *p) {
    (void)pass;
    return weft_propagation_run(p, WEFT_STRATEGY_BASIC, WEFT_LADDER_TOP);
}

weft_status weft_pass_basic_propagate(weft_pass *p, const weft_module *in, weft_module **out) { return weft_propagation_pass(p, basic, in, out); }
