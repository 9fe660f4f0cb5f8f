/* sdy-basic-propagate: shardings propagate if all operands and results agree.
 * Needs: data-flow edges, for shardings to cross loops and the like. Leaves: a sharding on every value that one
 * reached; ops without readers are removed. Source: Shardy, docs/propagation.md. */
#include "propagate/debug_info.h"
#include "propagate/history.h"
#include "propagate/options.h"
#include "propagate/propagate.h"

weft_status weft_propagation_open_loose(weft_pass *pass, const weft_module *in, weft_propagation *p,
                                        weft_module **loosened) {
    weft_status st = weft_propagation_open(pass->cx, in, weft_option_mode(pass), p);
    *loosened = NULL;
    if (st == WEFT_OK) st = weft_propagation_loosen_groups(p, loosened);
    if (st != WEFT_OK || !*loosened) return st;
    weft_propagation_close(p);
    return weft_propagation_open(pass->cx, *loosened, weft_option_mode(pass), p);
}

/* Opens the notes on origins, if the options ask for them. */
static weft_status open_debug(const weft_pass *pass, weft_propagation *p) {
    const weft_debug_slots slots = { p->slot, p->before, p->slot_count };
    weft_status st = weft_debug_open(pass, &p->arena, p->shardings, p->in, &slots, &p->debug);
    return st == WEFT_OK && p->debug ? weft_history_open(p) : st;
}

weft_status weft_propagation_pass(weft_pass *pass, weft_propagation_body body, const weft_module *in,
                                  weft_module **out) {
    weft_propagation p;
    weft_module *loosened;
    weft_status st = weft_propagation_open_loose(pass, in, &p, &loosened);
    if (st == WEFT_OK) st = open_debug(pass, &p);
    if (st == WEFT_OK) st = weft_propagation_sync_groups(&p);
    if (st == WEFT_OK) st = body(pass, &p);
    if (st == WEFT_OK && p.debug) st = weft_debug_replay(p.debug, &p);
    if (st == WEFT_OK) st = weft_propagation_emit(p.debug ? NULL : pass, &p, weft_option_rules(pass), out);
    weft_propagation_close(&p);
    weft_module_free(loosened);
    return st;
}

static weft_status basic(weft_pass *pass, weft_propagation *p) {
    (void)pass;
    return weft_propagation_run(p, WEFT_STRATEGY_BASIC, WEFT_LADDER_TOP);
}

weft_status weft_pass_basic_propagate(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_propagation_pass(p, basic, in, out);
}
