/* kept.c: a build with the cache and the costs of the environment. */
#include <stdlib.h>
#include "exec/cache.h"
#include "pipeline/pipeline.h"

weft_status weft_program_build_kept(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                                    weft_built_program **out) {
    const weft_cache_place place = weft_cache_place_of_process();
    const char *costs = getenv("WEFT_COSTS");
    weft_build_options own = *opt;
    weft_machine machine = opt->machine ? *opt->machine : weft_machine_default;
    weft_status st = costs && *costs ? weft_costs_open(cx, costs, &machine) : WEFT_OK;
    own.machine = &machine;
    if (st == WEFT_OK) st = weft_cache_open(cx, &place, &own.cache);
    if (st == WEFT_OK) st = weft_program_build(cx, m, &own, out);
    weft_cache_close(own.cache);
    return st;
}
