/* bytecode_names.c: the ops that a bytecode file names, and the attributes that each has as properties. They are in
 * alphabetical order, and each is required or optional, which bytecode encodes differently. */
#include "ir/op_nearest.h"
#include "mlir/bytecode.h"

/* Of an op of VHLO: the names of the row. */
static bool vhlo_properties(bc_reader *f, bc_op_name *n, const bc_vhlo_op *row) {
    n->properties = bc_vhlo_properties(f->r.cx, &f->r.arena, row, &n->property_count);
    return n->properties || bc_oom(f);
}

/* Of any other op: its inherent attributes. */
static bool own_properties(bc_reader *f, bc_op_name *n) {
    n->properties = bc_own_properties(f->r.cx, &f->r.arena, (weft_op_kind)n->kind, &n->property_count);
    return n->properties || bc_oom(f);
}

/* The name in full: "dialect.op", or the dialect alone where ops have no names of their own. */
static weft_name full_name(bc_reader *f, const uint8_t *at, const bc_op_name *n) {
    weft_buf text;
    weft_buf_init(&text, &f->r.cx->alloc);
    weft_buf_str(&text, n->dialect);
    if (n->name.n) weft_buf_putc(&text, '.');
    weft_buf_str(&text, n->name);
    weft_name full = NULL;
    bool visible = text.n > 0 && text.p[text.n - 1] != '.';
    for (size_t i = 0; i < text.n; i++)
        visible = visible && text.p[i] > ' ' && text.p[i] < 127 && text.p[i] != '"' && text.p[i] != '\\';
    if (text.failed) bc_oom(f);
    else if (!visible)
        bc_fail(f, at,
                "the name of an op is one or more visible characters, no quotes among them and no dot at the end");
    else full = rd_intern(&f->r, rd_own_name((weft_str){ text.p, text.n }));
    weft_buf_free(&text);
    return full;
}

/* "stablehlo.abs" of "abs_v1" */
static weft_name stablehlo_name(bc_reader *f, weft_str name) {
    char text[64];
    size_t n = name.n;
    while (n && name.p[n - 1] != '_') n--;
    weft_format(text, sizeof text, "stablehlo.%.*s", (int)(n ? n - 1 : name.n), name.p);
    return rd_intern(&f->r, weft_str_from(text));
}

/* Refused unless ops without a line in the table are allowed. */
static bool may_be_unknown(bc_reader *f, const uint8_t *at, const bc_op_name *n) {
    if (n->kind != WEFT_OP_other || f->r.flags & WEFT_READ_ALLOW_UNREGISTERED || bc_is_cast(n)) return true;
    const weft_nearest near = weft_op_nearest(weft_name_str(n->full));
    return bc_fail_as(f, WEFT_D_unknown_op, at, "unknown op '%s'" WEFT_NEAREST, n->full->text, WEFT_NEAREST_ARG(near));
}

/* The op of StableHLO that an op of VHLO is. */
static bool vhlo_op(bc_reader *f, const uint8_t *at, bc_op_name *n) {
    const bc_vhlo_op *row = bc_vhlo_op_named(n->name);
    if (!row) {
        bc_fail_as(f, WEFT_D_unknown_op, at, "unknown op '%s'", n->full->text);
        weft_help(f->r.cx, NULL, "StableHLO can write programs for older readers: stablehlo.serialize_portable_artifact(module, '1.17.0')");
        return false;
    }
    n->kind = row->kind;
    n->full = n->kind == WEFT_OP_other ? stablehlo_name(f, n->name)
                                       : rd_intern(&f->r, weft_str_from(weft_op_info_of(row->kind)->name));
    return n->full && vhlo_properties(f, n, row);
}

bool bc_op_name_known(bc_reader *f, const uint8_t *at, bc_op_name *n) {
    if (n->is_known) return true;
    if (!(n->full = full_name(f, at, n))) return false;
    if (n->in == BC_VHLO) {
        if (!vhlo_op(f, at, n)) return false;
    } else {
        n->kind = (uint16_t)weft_op_kind_find(f->r.cx, n->full);
        if (n->kind != WEFT_OP_other && !own_properties(f, n)) return false;
    }
    n->is_known = true;
    return may_be_unknown(f, at, n);
}

bool bc_is_cast(const bc_op_name *n) {
    return n->in == BC_BUILTIN && weft_str_is(n->name, "unrealized_conversion_cast");
}
