/* print_size.c: a number of bytes in a table. */
#include "tool/tool.h"

void tool_print_size(tool *t, int columns, double bytes) {
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    weft_buf_bytes(&b, bytes);
    printf("%*s", columns, b.failed ? "" : b.p);
    weft_buf_free(&b);
}
