/* switches.c: switches, set by a world's options or by the environment. */
#include "collectives/world.h"

#include <stdlib.h>
#include <strings.h>

int weft_switch_read(const char *text) {
    static const struct { const char *word; int is_on; } words[] = {
        { "1", 1 }, { "0", 0 }, { "on", 1 }, { "off", 0 }, { "yes", 1 }, { "no", 0 }, { "true", 1 }, { "false", 0 }, { "", 0 },
    };
    size_t i = 0;
    while (text && i < WEFT_COUNT(words) && strcasecmp(text, words[i].word) != 0) i++;
    return !text ? 0 : i < WEFT_COUNT(words) ? words[i].is_on : -1;
}

/* The options' value of a switch: above 0 on, below 0 off; 0: the environment's. */
bool weft_switch_is_on(int option, const char *variable) {
    return option > 0 || (!option && weft_switch_read(getenv(variable)) > 0);
}

weft_status weft_switches_check(weft_context *cx, const weft_world_options *opt) {
    const struct {
        int option;
        const char *variable;
    } switches[] = { { opt->fast, "WEFT_FAST" }, { opt->check, "WEFT_CHECK" }, { opt->progress, "WEFT_PROGRESS" } };
    for (size_t i = 0; i < WEFT_COUNT(switches); i++) {
        const char *text = switches[i].option ? NULL : getenv(switches[i].variable);
        if (weft_switch_read(text) < 0)
            return weft_report(cx, WEFT_D_usage, NULL, "%s is 1 or 0, not '%s'", switches[i].variable, text);
    }
    return WEFT_OK;
}

weft_sums weft_sums_allowed(const weft_world_options *opt) {
    return weft_switch_is_on(opt->fast, "WEFT_FAST") ? WEFT_SUMS_FAST : WEFT_SUMS_IN_ORDER;
}
