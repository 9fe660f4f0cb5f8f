/* machine_option.c: see machine_option.h. */
#include "partitioner/layout/machine_option.h"

#include "base/context.h"

weft_status weft_pass_machine(const weft_pass *p, weft_machine *out) {
    const weft_str text = weft_pass_text(p, "machine", WEFT_STR(""));
    *out = weft_machine_default;
    if (!text.n) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    const char *what = weft_arena_strdup(&p->cx->scratch, text.p, text.n);
    weft_status st = what ? weft_machine_open(p->cx, what, NULL, out) : weft_oom();
    weft_arena_reset(&p->cx->scratch, mark);
    return st;
}
