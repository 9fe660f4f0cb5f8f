/* layout: how arrays lie on devices, for front ends that ask: row-major, always. Where a program asks for another order
 * of dimensions, its arrays are said to lie so. No caller can see that they do not: what is read of them is in the
 * order in which it is asked for.
 *
 * Without this extension JAX takes the partitioned program of every compilation and makes XLA's form of it, to ask that
 * for its layouts, which takes longer than Weft's compilation of a small program.
 */
#include <stdlib.h>
#include "ir/type.h"
#include "pjrt/impl.h"

struct pjrt_layout { const char *text; };  /* NULL: row-major, of as many dimensions as its place in the table says */
static const pjrt_layout row_major[WEFT_MAX_RANK + 1];

const pjrt_layout *pjrt_layout_of(size_t rank) { return rank < WEFT_COUNT(row_major) ? &row_major[rank] : NULL; }

/* Whether it is an order of so many dimensions, without tiles: "{0,1}". */
static bool is_order(weft_str text, size_t rank) {
    uint64_t seen = 0;
    size_t at = 1, count = 0;
    if (text.n < 2 || text.p[0] != '{' || text.p[text.n - 1] != '}') return false;
    for (; at + 1 < text.n; count++, at++) {
        size_t d = 0, digits = 0;
        for (; at + 1 < text.n && text.p[at] >= '0' && text.p[at] <= '9' && digits < 3; at++, digits++)
            d = 10 * d + (size_t)(text.p[at] - '0');
        if (!digits || d >= rank || seen >> d & 1 || (at + 1 < text.n && text.p[at] != ',')) return false;
        seen |= (uint64_t)1 << d;
    }
    return count == rank;
}

const pjrt_layout *pjrt_layout_asked(weft_arena *a, weft_str text, size_t rank) {
    if (!is_order(text, rank)) return pjrt_layout_of(rank);
    pjrt_layout *l = weft_arena_new(a, pjrt_layout);
    if (l) l->text = weft_arena_strdup(a, text.p, text.n);
    return l && l->text ? l : NULL;
}

static pjrt_error *give(size_t rank, const pjrt_layout **out) {
    *out = pjrt_layout_of(rank);
    return *out ? NULL : pjrt_error_new(PJRT_UNIMPLEMENTED, "an array of %zu dimensions has no layout here", rank);
}

static pjrt_error *check(const void *args, size_t has, size_t needs, const void *object) {
    if (args && has >= needs && object) return NULL;
    return pjrt_error_new(PJRT_INVALID_ARGUMENT, "a layout needs what it is of");
}
#define CHECK(a, object) check(a, (a) ? (a)->struct_size : 0, sizeof *(a), (a) ? (a)->object : NULL)

static pjrt_error *destroy(pjrt_layout_destroy_args *a) {
    (void)a;
    return NULL;
}

static pjrt_error *serialize(pjrt_layout_serialize_args *a) {
    pjrt_error *e = CHECK(a, layout);
    if (e) return e;
    weft_buf text;
    weft_buf_init(&text, &pjrt_heap);
    if (a->layout->text) {
        weft_buf_puts(&text, a->layout->text);
    } else {
        weft_buf_putc(&text, '{');
        for (size_t d = (size_t)(a->layout - row_major); d-- > 0;) weft_buf_printf(&text, d ? "%zu," : "%zu", d);
        weft_buf_putc(&text, '}');
    }
    if (text.failed) {
        weft_buf_free(&text);
        return pjrt_no_memory();
    }
    a->serialized_bytes = text.p;
    a->serialized_bytes_size = text.n;
    a->serialized_layout = text.p;
    a->serialized_layout_deleter = free;
    return NULL;
}

static pjrt_error *default_of(pjrt_layout_default_args *a) {
    pjrt_error *e = CHECK(a, owner);
    return e ? e : give(a->num_dims, &a->layout);
}

static pjrt_error *of_buffer(pjrt_layout_buffer_args *a) {
    pjrt_error *e = CHECK(a, buffer);
    return e ? e : give(a->buffer->rank, &a->layout);
}

static pjrt_error *unknown(void) {
    return pjrt_error_new(PJRT_UNIMPLEMENTED, "a program that was read as bytes does not say how its arrays lie");
}

static pjrt_error *outputs(pjrt_layouts_args *a) {
    pjrt_error *e = CHECK(a, executable);
    if (e) return e;
    a->count = a->executable->exec->result_count;
    a->layouts = a->executable->output_lies;
    return a->layouts ? NULL : unknown();
}

static pjrt_error *parameters(pjrt_layouts_args *a) {
    pjrt_error *e = CHECK(a, executable);
    if (e) return e;
    a->count = a->executable->exec->arg_count;
    a->layouts = a->executable->parameter_lies;
    return a->layouts ? NULL : unknown();
}

const pjrt_layouts_extension pjrt_layouts = {
    .base = { .struct_size = sizeof pjrt_layouts, .type = PJRT_EXTENSION_LAYOUTS,
              .next = (pjrt_extension *)&pjrt_shardings },
    .destroy = destroy,
    .serialize = serialize,
    .client_default = default_of,
    .buffer = of_buffer,
    .topology_default = default_of,
    .outputs = outputs,
    .parameters = parameters,
};
