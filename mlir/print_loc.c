/* print_loc.c: loc(...) after ops and arguments, spelled out in place. */
#include "mlir/writer.h"

static void body(weft_writer *w, const weft_loc *l) {
    weft_buf *b = w->b;
    switch (l->kind) {
    case WEFT_LOC_UNKNOWN: weft_buf_puts(b, "unknown"); break;
    case WEFT_LOC_FILE:
        pr_string(b, weft_name_str(l->name));
        weft_buf_printf(b, ":%u:%u", l->line, l->column);
        break;
    case WEFT_LOC_NAME:
    case WEFT_LOC_SCOPE:
        pr_string(b, weft_name_str(l->name));
        if (l->n) {
            weft_buf_putc(b, '(');
            body(w, l->a[0]);
            weft_buf_putc(b, ')');
        }
        break;
    case WEFT_LOC_CALL:
        weft_buf_puts(b, "callsite(");
        body(w, l->a[0]);
        weft_buf_puts(b, " at ");
        body(w, l->a[1]);
        weft_buf_putc(b, ')');
        break;
    case WEFT_LOC_READ: body(w, l->a[0]); break;
    case WEFT_LOC_FUSED:
        weft_buf_puts(b, "fused[");
        for (uint32_t i = 0; i < l->n; i++) {
            if (i) weft_buf_puts(b, ", ");
            body(w, l->a[i]);
        }
        weft_buf_putc(b, ']');
        break;
    }
}

void pr_loc(weft_writer *w, const weft_loc *loc) {
    if (!(w->flags & WEFT_PRINT_LOCS)) return;
    weft_buf_puts(w->b, " loc(");
    body(w, loc);
    weft_buf_putc(w->b, ')');
}
