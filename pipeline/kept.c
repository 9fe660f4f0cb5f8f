/* kept.c: a build with the cache and the costs of the environment. */
#include <stdlib.h>
#include "exec/cache.h"
#include "pipeline/pipeline.h"

weft_status weft_kept_machine(weft_context *cx, const weft_machine *usual, weft_machine *out) {
    const char *costs = getenv("WEFT_COSTS");
    *out = usual ? *usual : weft_machine_default;
    return costs && *costs ? weft_costs_open(cx, costs, out) : WEFT_OK;
}

weft_status weft_program_build_kept(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                                    weft_built_program **out) {
    const weft_cache_place place = weft_cache_place_of_process();
    weft_build_options own = *opt;
    weft_machine machine;
    weft_status st = weft_kept_machine(cx, opt->machine, &machine);
    own.machine = &machine;
    if (st == WEFT_OK) st = weft_cache_open(cx, &place, &own.cache);
    if (st == WEFT_OK) st = weft_program_build(cx, m, &own, out);
    weft_cache_close(own.cache);
    return st;
}
