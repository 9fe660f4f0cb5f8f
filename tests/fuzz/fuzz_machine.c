/* fuzz_machine.c: arbitrary bytes as a machine's description. A refused text leaves a diagnostic; an accepted one
 * prints to a text that reads again, with as many devices, can be drawn, and gives the links of any group.
 *
 *   fuzz_machine [-max_total_time=60] [CORPUS] */
#include <stdio.h>
#include <stdlib.h>
#include "base/context.h"
#include "topology/draw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void quiet(void *user, const weft_diag *d) {
    (void)d;
    ++*(size_t *)user;
}

static void use(weft_context *cx, const weft_machine *m) {
    weft_machine again;
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    weft_machine_print(m, &text);
    if (weft_machine_read(cx, (weft_str){ text.p, text.n }, "again", &again) != WEFT_OK ||
        weft_machine_devices(&again) != weft_machine_devices(m)) {
        fprintf(stderr, "printed, but not read again:\n%s\n", text.p);
        abort();
    }
    int64_t devices = weft_machine_devices(m);
    for (int64_t stride = 1; stride < devices; stride *= 2) {
        weft_reach r = weft_machine_reach_strided(m, weft_min_i64(devices / stride, 64), stride);
        if (r.level >= m->level_count || (r.level >= 0 && !(r.link.bytes_per_s > 0))) abort();
    }
    if (devices < 4096) weft_box_text(weft_machine_boxes(&cx->arena, m, devices), &text);
    weft_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t reports = 0;
    weft_context *cx = weft_context_new(NULL);
    if (!cx) return 0;
    weft_context_set_handler(cx, quiet, &reports);
    weft_machine m;
    weft_status st = weft_machine_read(cx, (weft_str){ (const char *)data, size }, "fuzz", &m);
    if (st == WEFT_OK) use(cx, &m);
    else if (!reports) abort();
    weft_context_free(cx);
    return 0;
}
