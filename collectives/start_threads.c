/* start_threads.c: a world of the ranks of one process. */
#include "base/variables.h"
#include "collectives/progress.h"
#include "collectives/run.h"
#include "collectives/world.h"

weft_status weft_world_create_threads(weft_context *cx, const weft_world_options *given, weft_world **out) {
    weft_world_options asked, *opt = &asked;
    weft_ways ways;
    weft_status st = weft_world_asked(cx, given, &asked, out);
    if (st != WEFT_OK) return st;
    weft_process_card card = weft_world_card(opt);
    st = weft_ways_read(cx, opt, &ways);
    if (st == WEFT_OK) st = weft_switches_check(cx, opt);
    if (st == WEFT_OK) st = weft_variables_check(cx);
    if (st == WEFT_OK) st = weft_world_lay_out(cx, opt, &card, 0, 1, out);
    if (st == WEFT_OK) {
        (*out)->memory = &weft_transport_threads;
        st = weft_transport_threads.share(*out, &(weft_memory_card){ 0 });
        if (st != WEFT_OK) st = weft_world_not_opened(cx, *out, st);
        else weft_progress_open(*out, opt, weft_runs_advance);
    }
    if (st == WEFT_OK) st = weft_world_tune(cx, *out, opt, NULL);
    if (st != WEFT_OK) {
        weft_world_free(*out);
        *out = NULL;
    }
    return st;
}
