/* bytecode_op.c: operations, regions and blocks of a bytecode file.
 *
 * Values have numbers: an op's results, the arguments of a block, in the order in which the file defines them, from 0
 * on in each op whose regions are isolated. A region says how many it defines; the numbers of its end are used again.
 */
#include "mlir/bytecode.h"

/* The values that a region may define: next is the number of its next one. Counted from the base of its scope. */
typedef struct numbers { uint32_t next, end; } numbers;

static bool op_read(bc_reader *f, bc_in *in, numbers *n, bool is_root);

/* n values without a definition yet: pushed. */
static bool reserve(bc_reader *f, const uint8_t *at, uint32_t n, numbers *out) {
    *out = (numbers){ (uint32_t)f->values.n - f->values_base, 0 };
    out->end = out->next + n;
    if (f->values.n + n > f->size) return bc_fail(f, at, "more values than bytes"); /* each takes a byte at least */
    if (!bc_spend(f, at, n)) return false; /* of regions one after another */
    if (f->values.cap < f->values.n + n &&
        !weft_arena_grow(&f->r.arena, (void **)&f->values.v, &f->values.cap, f->values.n + n, sizeof *f->values.v))
        return bc_oom(f);
    for (uint32_t i = 0; i < n; i++) f->values.v[f->values.n + i] = NULL;
    f->values.n += n;
    return true;
}

/* The number of the first of count new values. */
static bool claim(bc_reader *f, const uint8_t *at, numbers *n, uint32_t count, uint32_t *first) {
    if (count > n->end - n->next) return bc_fail(f, at, "more values than the region says that it defines");
    *first = n->next;
    n->next += count;
    return true;
}

static weft_value **value_at(bc_reader *f, uint32_t number) { return &f->values.v[f->values_base + number]; }

static bool operands(bc_reader *f, bc_in *in) {
    uint32_t n;
    if (!bc_count(f, in, &n)) return false;
    while (n--) {
        const uint8_t *at = in->p;
        uint64_t number;
        if (!bc_int(f, in, &number)) return false;
        if (number >= f->values.n - f->values_base)
            return bc_fail(f, at, "value %llu is not defined", (unsigned long long)number);
        weft_value *v = *value_at(f, (uint32_t)number);
        if (!v) return bc_fail(f, at, "value %llu is used before its definition", (unsigned long long)number);
        if (!RD_PUSH(&f->r, operands, v)) return false;
    }
    return true;
}

/* The order of the readers of values; nothing depends on it. */
static bool skip_use_lists(bc_reader *f, bc_in *in, uint32_t values) {
    uint32_t n = 1, count;
    uint64_t ignored;
    bool pairs;
    if (values > 1 && !bc_count(f, in, &n)) return false;
    while (n--) {
        const uint8_t *at = in->p;
        uint64_t size;
        if ((values > 1 && !bc_int(f, in, &ignored)) || !bc_flagged(f, in, &size, &pairs)) return false;
        if (size > (uint64_t)(in->end - in->p)) return bc_fail(f, at, "an order of more readers than bytes");
        for (count = (uint32_t)size; count--;)
            if (!bc_int(f, in, &ignored)) return false;
    }
    return true;
}

/* A property of an op: pushed on attrs. */
static bool property(bc_reader *f, bc_in *in, const bc_property *x) {
    const weft_attr *value = NULL;
    if (x->is_optional ? !bc_attr_optional(f, in, &value) : !(value = bc_attr(f, in))) return false;
    return !value || RD_PUSH(&f->r, attrs, (weft_named_attr){ x->name, value });
}

/* How many numbers the bytes are. */
static uint32_t numbers_in(bc_in in) {
    uint32_t n = 0;
    for (; in.p < in.end; n++) {
        unsigned more = 0;
        while (more < 8 && !(*in.p >> more & 1)) more++;
        in.p += (size_t)(in.end - in.p) > more ? more + 1 : (size_t)(in.end - in.p);
    }
    return n;
}

/* The sizes of two groups, of inputs and of what is carried: a list, or pairs of a size and its place. */
static bool segment_sizes(bc_reader *f, bc_in *in, weft_name name) {
    const uint8_t *at = in->p;
    int64_t sizes[2] = { 0, 0 };
    uint64_t n, width, v;
    bool pairs;
    if (!bc_flagged(f, in, &n, &pairs)) return false;
    if (n > WEFT_COUNT(sizes)) return bc_fail(f, at, "%llu groups of operands or results", (unsigned long long)n);
    if (n && pairs && !bc_int(f, in, &width)) return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!bc_int(f, in, &v)) return false;
        const uint64_t place = pairs ? v & ~(~UINT64_C(0) << (width & 63)) : i;
        if (pairs) v >>= width & 63;
        if (place >= WEFT_COUNT(sizes) || v > INT32_MAX) return bc_fail(f, at, "sizes of groups that do not fit");
        sizes[place] = (int64_t)v;
    }
    const weft_attr *a = bc_made(f, weft_attr_ints(f->r.cx, WEFT_I32, sizes, WEFT_COUNT(sizes)));
    return a && RD_PUSH(&f->r, attrs, (weft_named_attr){ name, a });
}

static bool is_newer(const bc_op_name *n, const bc_property *x) {
    return n->in != BC_VHLO && bc_property_is_newer((weft_op_kind)n->kind, x);
}

/* A number for each; a file may be older than some of them. */
static bool properties(bc_reader *f, bc_in *in, const bc_op_name *n) {
    const uint8_t *at = in->p;
    uint64_t index;
    if (!bc_int(f, in, &index)) return false;
    if (index >= f->property_count)
        return bc_fail(f, at, "properties %llu of %u", (unsigned long long)index, f->property_count);
    bc_in body = f->properties[index];
    if (n->kind == WEFT_OP_other && n->in != BC_VHLO)
        return bc_fail_as(f, WEFT_D_unsupported, at, "the properties of '%s', whose encoding Weft does not know",
                          n->full->text);
    const bool all = numbers_in(body) >= n->property_count;
    for (uint32_t i = 0; i < n->property_count; i++) {
        const bc_property *x = &n->properties[i];
        if (!bc_is_segment(x) && (all || !is_newer(n, x)) && !property(f, &body, x)) return false;
    }
    for (uint32_t i = 0; i < n->property_count; i++)
        if (bc_is_segment(&n->properties[i]) && !segment_sizes(f, &body, n->properties[i].name)) return false;
    return body.p == body.end || bc_fail(f, body.p, "more properties than '%.*s' has", WEFT_STR_ARG(n->name));
}

/* A dictionary: its entries are pushed on attrs. */
static bool attributes(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    const weft_attr *d = bc_attr(f, in);
    if (!d) return false;
    if (d->kind != WEFT_ATTR_DICT) return bc_fail(f, at, "expected a dictionary of attributes");
    for (uint32_t i = 0; i < d->entries.n; i++)
        if (!RD_PUSH(&f->r, attrs, d->entries.v[i])) return false;
    return true;
}

/* Dictionaries for the arguments or results of a function that are all empty say nothing; text does not have them. */
static void drop_empty_dicts(bc_reader *f, const rd_op *o) {
    size_t kept = o->attrs;
    for (size_t i = o->attrs; i < f->r.attrs.n; i++) {
        const weft_named_attr *a = &f->r.attrs.v[i];
        const bool dicts = a->name->id == WEFT_A_arg_attrs || a->name->id == WEFT_A_res_attrs;
        bool empty = dicts && a->value->kind == WEFT_ATTR_ARRAY;
        for (uint32_t k = 0; empty && k < a->value->items.n; k++)
            empty = a->value->items.v[k]->kind == WEFT_ATTR_DICT && !a->value->items.v[k]->entries.n;
        if (!empty) f->r.attrs.v[kept++] = *a;
    }
    f->r.attrs.n = kept;
}

/* The attributes of an op that is not VHLO's: some enums are integers there. */
static bool keywords(bc_reader *f, const rd_op *o) {
    for (size_t i = o->attrs; i < f->r.attrs.n; i++) {
        weft_named_attr *a = &f->r.attrs.v[i];
        if (a->name->id < WEFT_A_COUNT && weft_op_kind_has_attr(o->kind, a->name->id) &&
            !(a->value = bc_made(f, weft_attr_of_dict(f->r.cx, a->name->id, a->value))))
            return false;
    }
    return true;
}

static bool block_arguments(bc_reader *f, bc_in *in, weft_block *blk, numbers *n) {
    const uint8_t *at = in->p;
    uint32_t count, first = 0;
    if (!bc_count(f, in, &count) || !claim(f, at, n, count, &first)) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t type;
        bool has_loc = true;
        at = in->p;
        if (f->version < BC_ELIDED_LOCATIONS ? !bc_int(f, in, &type) : !bc_flagged(f, in, &type, &has_loc))
            return false;
        const weft_type *t = bc_type_at(f, at, type);
        const weft_loc *loc = t && has_loc ? bc_loc(f, in) : &weft_loc_unknown;
        if (!t || !loc) return false;
        weft_value *v = weft_build_block_arg(&f->r.b, blk, t, loc);
        if (!v) return bc_oom(f);
        *value_at(f, first + i) = v;
    }
    uint8_t ordered = 0;
    if (f->version >= BC_USE_LISTS && !bc_byte(f, in, &ordered)) return false;
    return !ordered || skip_use_lists(f, in, count);
}

/* ops << 1 | has arguments, arguments, ops */
static bool block(bc_reader *f, bc_in *in, weft_block *blk, numbers *n, bool is_top) {
    uint64_t ops;
    bool has_args;
    f->r.b.block = blk;
    if (!bc_flagged(f, in, &ops, &has_args) || (has_args && !block_arguments(f, in, blk, n))) return false;
    const bool one = is_top && ops == 1;
    while (ops--)
        if (!op_read(f, in, n, one)) return false;
    return true;
}

static bool region(bc_reader *f, bc_in *in, weft_region *r) {
    uint32_t blocks, values;
    if (!bc_count(f, in, &blocks)) return false;
    if (!blocks) return true;
    numbers n;
    const size_t before = f->values.n;
    if (!bc_count(f, in, &values) || !reserve(f, in->p, values, &n)) return false;
    weft_block *outer = f->r.b.block, *first = r->first; /* the root has a block already */
    while (blocks--) {
        weft_block *blk = first ? first : weft_build_block(&f->r.b, r);
        if (!blk) return bc_oom(f);
        if (!block(f, in, blk, &n, false)) return false;
        first = NULL;
    }
    f->r.b.block = outer;
    f->values.n = before;
    return true;
}

/* The regions of an op, read into `into` or, if that is NULL, into new ones on the stack. */
static bool regions(bc_reader *f, bc_in *in, uint32_t count, weft_region *into) {
    for (uint32_t i = 0; i < count; i++) {
        weft_region *r = into ? &into[i] : rd_new_region(&f->r);
        if (!r || !region(f, in, r)) return false;
    }
    return true;
}

/* Isolated regions are a section of their own, with values of their own. */
static bool region_part(bc_reader *f, bc_in *in, uint32_t count, bool isolated, weft_region *into) {
    if (f->r.depth == RD_MAX_DEPTH) return bc_fail(f, in->p, "nested more than %d deep", RD_MAX_DEPTH);
    f->r.depth++;
    const uint32_t base = f->values_base;
    const uint8_t *at = in->p;
    uint8_t id;
    bc_in own;
    bc_in *from = in;
    if (isolated && f->version >= BC_LAZY_REGIONS) {
        if (!bc_section(f, in, &id, &own)) return false;
        if (id != BC_IR) return bc_fail(f, at, "no section IR for the regions of an op");
        from = &own;
    }
    if (isolated) f->values_base = (uint32_t)f->values.n;
    if (!regions(f, from, count, into)) return false;
    f->values_base = base;
    f->r.depth--;
    return from == in || own.p == own.end || bc_fail(f, own.p, "bytes after the regions of an op");
}

/* Dialects side by side have casts between VHLO's types and others, which are the same types here. */
static bool cast(bc_reader *f, const uint8_t *at, const rd_op *o, uint32_t first) {
    const uint32_t n = (uint32_t)(f->r.types.n - o->types);
    if (n != rd_operand_count(&f->r, o)) return bc_fail(f, at, "a cast of some values to another number of values");
    for (uint32_t i = 0; i < n; i++) {
        weft_value *v = f->r.operands.v[o->operands + i];
        if (v->type != f->r.types.v[o->types + i])
            return bc_fail_as(f, WEFT_D_unsupported, at, "a cast to another type");
        *value_at(f, first + i) = v;
    }
    return true;
}

/* vhlo.return ends functions and regions of ops. */
static weft_op_kind kind_of(const bc_op_name *n, bool in_func) {
    return n->in == BC_VHLO && n->kind == WEFT_OP_return && in_func ? WEFT_OP_func_return : (weft_op_kind)n->kind;
}

static bool header(bc_reader *f, bc_in *in, bc_op_name **name, uint8_t *mask, const weft_loc **loc) {
    const uint8_t *at = in->p;
    uint64_t index;
    if (!bc_int(f, in, &index)) return false;
    if (index >= f->op_names.n)
        return bc_fail(f, at, "op name %llu of %zu", (unsigned long long)index, f->op_names.n);
    *name = &f->op_names.v[index];
    return bc_op_name_known(f, at, *name) && bc_byte(f, in, mask) && (*loc = bc_loc(f, in));
}

/* Everything up to the regions; the entries above the heights in o are the op's. */
static bool parts(bc_reader *f, bc_in *in, const bc_op_name *name, uint8_t mask, const rd_op *o) {
    const uint8_t *at = in->p;
    weft_reader *r = &f->r;
    if (mask & BC_HAS_ATTRS && !attributes(f, in)) return false;
    if (mask & BC_HAS_PROPERTIES && name->is_registered && !properties(f, in, name)) return false;
    if (mask & BC_HAS_PROPERTIES && !name->is_registered && !attributes(f, in)) return false;
    if (mask & BC_HAS_RESULTS && !bc_type_list(f, in)) return false;
    if (mask & BC_HAS_OPERANDS && !operands(f, in)) return false;
    if (mask & BC_HAS_SUCCESSORS)
        return bc_fail_as(f, WEFT_D_unsupported, at, "ops with successor blocks are not supported");
    if (mask & BC_HAS_USE_LISTS && !skip_use_lists(f, in, (uint32_t)(r->types.n - o->types))) return false;
    if (name->in == BC_VHLO ? !bc_convert(f, at, name, o) : !keywords(f, o)) return false;
    if (o->kind == WEFT_OP_func || o->kind == WEFT_OP_func_call) drop_empty_dicts(f, o);
    return bc_attrs_differ(f, at, o->attrs);
}

/* Where the op is made: functions and modules before their regions, others after. */
static bool make(bc_reader *f, bc_in *in, uint8_t mask, rd_op *o, bool is_root) {
    const uint8_t *at = in->p;
    uint64_t count = 0;
    bool isolated = false;
    weft_reader *r = &f->r;
    if (mask & BC_HAS_REGIONS && !bc_flagged(f, in, &count, &isolated)) return false;
    if (count > UINT16_MAX) return bc_fail(f, at, "more than %u regions", UINT16_MAX);
    const bool first = is_root || o->kind == WEFT_OP_func || o->kind == WEFT_OP_module;
    if (!first) return (!count || region_part(f, in, (uint32_t)count, isolated, NULL)) && (o->made = rd_make(r, o));
    if (count != 1) return bc_fail(f, at, "'%s' has one region", o->name->text);
    if (is_root) {
        o->made = r->m->root;
        if (!rd_root_attrs(r, o)) return false;
        r->m->root->loc = o->loc;
    } else if (!rd_new_region(r) || !(o->made = rd_make(r, o))) {
        return false;
    }
    r->attrs.n = o->attrs;
    r->regions.n = o->regions;
    return region_part(f, in, 1, isolated, o->made->regions);
}

static bool op_read(bc_reader *f, bc_in *in, numbers *n, bool is_root) {
    const uint8_t *at = in->p;
    weft_reader *r = &f->r;
    bc_op_name *name = NULL;
    uint8_t mask;
    uint32_t first = 0;
    rd_op o = { .operands = r->operands.n, .types = r->types.n, .attrs = r->attrs.n, .regions = r->regions.n };
    if (!header(f, in, &name, &mask, &o.loc)) return false;
    const weft_op *parent = r->b.block->parent->parent;
    o.kind = kind_of(name, parent && parent->kind == WEFT_OP_func);
    o.name = o.kind == name->kind ? name->full : weft_name_from(r->cx, weft_op_info_of(o.kind)->name);
    if (!o.name) return bc_oom(f);
    if (!parts(f, in, name, mask, &o)) return false;
    if (r->types.n > o.types && !claim(f, at, n, (uint32_t)(r->types.n - o.types), &first)) return false;
    is_root = is_root && o.kind == WEFT_OP_module && r->types.n == o.types && r->operands.n == o.operands;
    if (bc_is_cast(name)) {
        if (!cast(f, at, &o, first)) return false;
    } else {
        if (!make(f, in, mask, &o, is_root)) return false;
        for (uint32_t i = 0; i < o.made->result_count; i++) *value_at(f, first + i) = &o.made->results[i];
    }
    r->operands.n = o.operands;
    r->types.n = o.types;
    r->attrs.n = o.attrs;
    r->regions.n = o.regions;
    return true;
}

bool bc_ir_section(bc_reader *f, bc_in in) {
    numbers none = { 0, 0 };
    return block(f, &in, weft_module_body(f->r.m), &none, true) &&
           (in.p == in.end || bc_fail(f, in.p, "bytes after the last op"));
}
