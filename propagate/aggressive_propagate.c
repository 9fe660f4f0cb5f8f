/* sdy-aggressive-propagate: shardings propagate wherever they can; the larger tensor wins conflicts.
 * Needs, leaves: as sdy-basic-propagate. Option propagation-strategy: basic, aggressive, or basic-then-aggressive.
 * Source: Shardy, docs/propagation.md ("Aggressive propagation"). */
#include "propagate/options.h"
#include "propagate/propagate.h"

static const struct { const char *name; weft_strategy strategies[2]; uint32_t n; } choices[] = {
    { "basic", { WEFT_STRATEGY_BASIC }, 1 },
    { "aggressive", { WEFT_STRATEGY_AGGRESSIVE }, 1 },
    { "basic-then-aggressive", { WEFT_STRATEGY_BASIC, WEFT_STRATEGY_AGGRESSIVE }, 2 },
};

weft_status weft_propagate_strategies(weft_pass *pass, weft_propagation *p, int ladder) {
    weft_str name = weft_pass_text(pass, "propagation-strategy", WEFT_STR("aggressive"));
    for (size_t i = 0; i < WEFT_COUNT(choices); i++) {
        if (!weft_str_is(name, choices[i].name)) continue;
        weft_status st = WEFT_OK;
        for (uint32_t k = 0; st == WEFT_OK && k < choices[i].n; k++)
            st = weft_propagation_run(p, choices[i].strategies[k], ladder);
        return st;
    }
    return weft_report(pass->cx, WEFT_D_usage, NULL,
                       "%s: propagation-strategy is basic, aggressive or basic-then-aggressive, not '%.*s'", pass->name,
                       WEFT_STR_ARG(name));
}

static weft_status aggressive(weft_pass *pass, weft_propagation *p) {
    return weft_propagate_strategies(pass, p, WEFT_LADDER_TOP);
}

weft_status weft_pass_aggressive_propagate(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_propagation_pass(p, aggressive, in, out);
}
