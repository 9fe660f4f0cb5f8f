/* words.c: what a process tells the others of its program or of its failure, and where it says it. */
#include "capi/graph_impl.h"
#include "mlir/print.h"

weft_status weft_graph_print(void *user, weft_buf *out) {
    const weft_graph *g = user;
    return g && g->m ? weft_print_module(g->m, WEFT_PRINT_PRETTY | WEFT_PRINT_LOCS, out) : WEFT_OK;
}

weft_status weft_error_print(const weft_context *cx, weft_status st, weft_buf *out) {
    const weft_diag *d = &cx->error;
    if (d->status != st) weft_buf_puts(out, weft_status_name(st));
    else if (d->file) weft_buf_printf(out, "%s:%lld: %s", d->file, (long long)d->line, d->message);
    else weft_buf_puts(out, d->message);
    return out->failed ? weft_oom() : WEFT_OK;
}

weft_call weft_call_begin(weft_context *cx, weft_source at) {
    const weft_call call = { cx, cx ? cx->caller : (weft_from){ 0 } };
    if (cx && !call.outer.file) cx->caller = (weft_from){ at.file, at.line };
    return call;
}

weft_status weft_call_end(weft_call call, weft_status st) {
    if (call.cx) call.cx->caller = call.outer;
    return st;
}
