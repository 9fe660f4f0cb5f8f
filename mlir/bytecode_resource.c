/* bytecode_resource.c: the resources of a bytecode file: blobs by name, which dense_resource attributes name by
 * number.
 *
 *   sizes     = number of external groups, groups with the name of their provider, groups of dialects until the end
 *   group     = number of entries, entries
 *   entry     = name, size of what the other section has for it, kind
 *   blob      = alignment, size, padding, bytes
 *
 * A resource without bytes (MLIR's tools omit them on request) is a declaration: its attribute stays text.
 */
#include "mlir/bytecode.h"
#include "mlir/writer.h"

enum { BLOB, BOOL, STRING, KINDS };

static bool blob(bc_reader *f, bc_in in, bc_in *out) {
    const uint8_t *at = in.p;
    uint64_t alignment, size;
    if (!bc_int(f, &in, &alignment) || !bc_int(f, &in, &size)) return false;
    return bc_skip_padding(f, &in, at, alignment) && bc_part(f, &in, size, out);
}

/* Entries of dialects are kept, in their order. */
static bool entry(bc_reader *f, bc_in *sizes, bc_in *bytes, bool kept) {
    const uint8_t *at = sizes->p;
    bc_resource x = { .name = { NULL, 0 } };
    uint64_t size;
    uint8_t kind;
    bc_in body;
    if (!bc_string(f, sizes, &x.name) || !bc_int(f, sizes, &size) || !bc_byte(f, sizes, &kind)) return false;
    if (kind >= KINDS) return bc_fail(f, at, "a resource of the unknown kind %u", kind);
    if (!bc_part(f, bytes, size, &body)) return false;
    if (!kept) return true;
    if (kind == BLOB && size && !blob(f, body, &x.bytes)) return false;
    if (!rd_push(&f->r, (void **)&f->resources.v, &f->resources.n, &f->resources.cap, sizeof x)) return false;
    f->resources.v[f->resources.n - 1] = x;
    return true;
}

static bool group(bc_reader *f, bc_in *sizes, bc_in *bytes, bool kept) {
    uint32_t n;
    if (!bc_count(f, sizes, &n)) return false;
    while (n--)
        if (!entry(f, sizes, bytes, kept)) return false;
    return true;
}

bool bc_resource_sections(bc_reader *f, bc_in sizes, bc_in bytes) {
    uint32_t external;
    if (!sizes.p || sizes.p == sizes.end) return true;
    if (!bc_count(f, &sizes, &external)) return false;
    for (; external; external--) {
        weft_str provider;
        if (!bc_string(f, &sizes, &provider) || !group(f, &sizes, &bytes, false)) return false;
    }
    while (sizes.p < sizes.end) {
        uint64_t dialect;
        if (!bc_int(f, &sizes, &dialect) || !group(f, &sizes, &bytes, true)) return false;
    }
    return true;
}

/* dense_resource<name> : type, as text */
static const weft_attr *declared(bc_reader *f, const bc_resource *x, const weft_type *type) {
    weft_buf text;
    weft_buf_init(&text, &f->r.cx->alloc);
    bool word = x->name.n && rd_is_ident_start(*x->name.p);
    for (size_t i = 0; word && i < x->name.n; i++) word = rd_is_ident(x->name.p[i]);
    weft_buf_puts(&text, "dense_resource<");
    if (word) weft_buf_str(&text, x->name);
    else pr_string(&text, x->name);
    weft_buf_puts(&text, "> : ");
    weft_type_print(&text, type);
    const weft_attr *a = bc_text_attr(f, &text, type);
    weft_buf_free(&text);
    return a;
}

const weft_attr *bc_resource_attr(bc_reader *f, bc_in *in) {
    const weft_type *type = bc_type(f, in);
    const uint8_t *at = in->p;
    uint64_t index;
    if (!type || !bc_int(f, in, &index)) return NULL;
    if (index >= f->resources.n)
        return bc_fail(f, at, "resource %llu of %zu", (unsigned long long)index, f->resources.n), NULL;
    const bc_resource *x = &f->resources.v[index];
    f->copied += x->bytes.p ? (uint64_t)(x->bytes.end - x->bytes.p) : x->name.n;
    if (f->copied > BC_FREE_NODES + BC_NODES_PER_BYTE * (uint64_t)f->size)
        return bc_fail(f, at, "attributes that name one resource too often"), NULL;
    return x->bytes.p ? bc_dense(f, at, type, x->bytes) : declared(f, x, type);
}
