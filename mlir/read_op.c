/* read_op.c: operations, regions, blocks. */
#include "ir/op_nearest.h"
#include "mlir/syntax.h"

/* Frontends leave constants of MLIR's own dialect between StableHLO's. */
weft_str rd_own_name(weft_str name) {
    static const struct { const char *theirs, *ours; } same[] = { { "arith.constant", "stablehlo.constant" } };
    for (size_t i = 0; i < WEFT_COUNT(same); i++)
        if (weft_str_is(name, same[i].theirs)) return weft_str_from(same[i].ours);
    return name;
}

/* The op's name, interned. Bare names (return, call) belong to the region's dialect, quoted ones are complete. */
static weft_name op_name(weft_reader *r, weft_str text, bool quoted) {
    weft_str key = text;
    bool bare = !quoted && !memchr(text.p, '.', text.n);
    char full[128];
    if (bare) {
        size_t n = strlen(r->dialect);
        if (n && n + 1 + text.n <= sizeof full) {
            memcpy(full, r->dialect, n);
            full[n] = '.';
            memcpy(full + n + 1, text.p, text.n);
            key = (weft_str){ full, n + 1 + text.n };
        }
        return rd_intern(r, key);
    }
    uint32_t number;
    bool fresh;
    if (!rd_map_get(r, &r->op_texts, key.p, key.n, &number, &fresh)) return NULL;
    if (fresh) {
        weft_name n = rd_intern(r, rd_own_name(key));
        if (!n || !RD_PUSH(r, op_names, n)) return NULL;
    }
    return r->op_names.v[number];
}

bool rd_put(weft_reader *r, weft_attr_name name, const weft_attr *value) {
    if (!value) return r->status == WEFT_OK ? rd_oom(r) : false;
    return RD_PUSH(r, attrs, (weft_named_attr){ weft_name_at(r->cx, name), value });
}

/* Reports an attribute that occurs twice: the newly read ones begin at from. */
static bool no_doubles(weft_reader *r, const rd_op *o, size_t from, const char *at) {
    if (r->attrs.n - o->attrs > RD_MANY_ATTRS) return rd_attrs_differ(r, o->attrs);
    for (size_t i = from; i < r->attrs.n; i++)
        for (size_t j = o->attrs; j < from; j++)
            if (r->attrs.v[i].name == r->attrs.v[j].name)
                return rd_fail(r, at, "attribute '%s' is given twice", r->attrs.v[i].name->text);
    return true;
}

const weft_attr *weft_attr_of_dict(weft_context *cx, uint32_t name, const weft_attr *a) {
    weft_enum_set set = name == WEFT_A_api_version         ? WEFT_ENUM_custom_call_api_version
                        : name == WEFT_A_allowed_direction ? WEFT_ENUM_propagation_direction
                        : name == WEFT_A_reduction_op      ? WEFT_ENUM_reduction_op
                                                           : WEFT_ENUM_SET_COUNT;
    if (set == WEFT_ENUM_SET_COUNT || a->kind != WEFT_ATTR_INT || a->type->dtype != WEFT_I32) return a;
    int64_t at = 0;
    for (unsigned e = 0; e < WEFT_ENUM_COUNT; e++)
        if (weft_enum_table[e].set == set && at++ == a->i) return weft_attr_enum(cx, (weft_enum_value)e);
    return a; /* the verifier refuses it */
}

bool rd_attr_dict(weft_reader *r, const rd_op *o) {
    const char *at = r->p;
    if (*at != '{') return true;
    size_t from = r->attrs.n;
    if (!rd_attr_entries(r) || !no_doubles(r, o, from, at)) return false;
    for (size_t i = from; i < r->attrs.n; i++) {
        weft_named_attr *a = &r->attrs.v[i];
        if (a->name->id < WEFT_A_COUNT && weft_op_kind_has_attr(o->kind, a->name->id) &&
            !(a->value = weft_attr_of_dict(r->cx, a->name->id, a->value)))
            return rd_oom(r);
    }
    return true;
}

bool rd_attr_dict_keyword(weft_reader *r, const rd_op *o) {
    if (!rd_word(r, "attributes")) return true;
    return rd_at(r, '{') ? rd_attr_dict(r, o) : rd_unexpected(r, "'{'");
}

bool rd_operands_exactly(weft_reader *r, const rd_op *o, uint32_t n) {
    uint32_t have = rd_operand_count(r, o);
    return have == n ||
           rd_fail(r, o->at, "'%s' takes %u operand%s, here are %u", o->name->text, n, n == 1 ? "" : "s", have);
}

/* In MLIR's words, and at MLIR's place. */
static bool wrong_type(weft_reader *r, const rd_op *o, uint32_t i, const weft_type *type) {
    const char *name = r->operand_at.v[o->operands + i];
    weft_buf text;
    weft_buf_init(&text, &r->cx->alloc);
    weft_buf_puts(&text, "use of value '");
    for (const char *p = name; p == name || rd_is_ident(*p); p++) weft_buf_putc(&text, *p);
    weft_buf_puts(&text, "' expects different type than prior uses: '");
    weft_type_print(&text, type);
    weft_buf_puts(&text, "' vs '");
    weft_type_print(&text, r->operands.v[o->operands + i]->type);
    weft_buf_puts(&text, "'");
    if (text.failed) rd_oom(r);
    else rd_fail(r, name, "%s", text.p);
    weft_buf_free(&text);
    return false;
}

bool rd_operand_is(weft_reader *r, const rd_op *o, uint32_t i, const weft_type *type) {
    return r->operands.v[o->operands + i]->type == type || wrong_type(r, o, i, type);
}

bool rd_operand_type(weft_reader *r, const rd_op *o, uint32_t i) {
    const weft_type *t = rd_type(r);
    return t && rd_operand_is(r, o, i, t);
}

bool rd_signature(weft_reader *r, const rd_op *o) {
    const char *at = r->p;
    uint32_t n = 0, have = rd_operand_count(r, o);
    if (!rd_expect(r, '(')) return false;
    if (!rd_at(r, ')')) {
        do {
            if (n == have)
                return rd_fail(r, r->p, "more operand types than the %u operand%s", have, have == 1 ? "" : "s");
            if (!rd_operand_type(r, o, n++)) return false;
        } while (rd_accept(r, ','));
    }
    if (n != have)
        return rd_fail(r, at, "%u operand%s, but %u operand type%s", have, have == 1 ? "" : "s", n, n == 1 ? "" : "s");
    if (!rd_expect(r, ')') || !rd_expect_arrow(r)) return false;
    if (rd_at(r, '(')) return rd_type_list_parens(r);
    const weft_type *t = rd_type(r);
    return t && RD_PUSH(r, types, t);
}

bool rd_functional(weft_reader *r, const rd_op *o) { return rd_expect(r, ':') && rd_signature(r, o); }

bool rd_same_type(weft_reader *r, const rd_op *o) {
    if (!rd_expect(r, ':')) return false;
    if (rd_at(r, '(')) return rd_signature(r, o);
    const weft_type *t = rd_type(r);
    if (!t) return false;
    for (uint32_t i = 0; i < rd_operand_count(r, o); i++)
        if (!rd_operand_is(r, o, i, t)) return false;
    return RD_PUSH(r, types, t);
}

weft_region *rd_new_region(weft_reader *r) {
    weft_region *region = weft_arena_new(&r->m->arena, weft_region);
    if (!region) return rd_oom(r), NULL;
    return RD_PUSH(r, regions, region) ? region : NULL;
}

weft_op *rd_make(weft_reader *r, rd_op *o) {
    size_t region_count = r->regions.n - o->regions;
    if (region_count > UINT16_MAX) return rd_fail(r, o->at, "more than %u regions", UINT16_MAX), NULL;
    r->b.loc = o->loc;
    weft_op *op = weft_build_op(&r->b, &(weft_op_spec){
        .kind = o->kind, .name = o->name,
        .operands = r->operands.v + o->operands, .operand_count = rd_operand_count(r, o),
        .types = r->types.v + o->types, .result_count = (uint32_t)(r->types.n - o->types),
        .attrs = r->attrs.v + o->attrs, .attr_count = (uint32_t)(r->attrs.n - o->attrs),
        .region_count = (uint32_t)region_count });
    if (!op) return rd_oom(r), NULL;
    for (size_t i = 0; i < region_count; i++) {
        weft_region *to = &op->regions[i], *from = r->regions.v[o->regions + i];
        to->first = from->first;
        to->last = from->last;
        WEFT_EACH_BLOCK(blk, to) blk->parent = to;
    }
    return op;
}

/* ^name(%a: type, ...): opens a block and defines its arguments. */
static bool block_label(weft_reader *r, weft_region *region) {
    r->p++;
    const char *at = r->p;
    while (rd_is_ident(*r->p)) r->p++;
    if (r->p == at) return rd_unexpected(r, "a name after '^'");
    rd_skip(r);
    weft_block *blk = weft_build_block(&r->b, region);
    if (!blk) return rd_oom(r);
    r->b.block = blk;
    if (rd_accept(r, '(') && !rd_accept(r, ')')) {
        do {
            rd_value_name name;
            const weft_type *t;
            const weft_loc *loc = NULL;
            if (!rd_value_name_read(r, &name) || !rd_expect(r, ':') || !(t = rd_type(r)) || !rd_loc_optional(r, &loc))
                return false;
            weft_value *v = weft_build_block_arg(&r->b, blk, t, rd_name_place(r, &name, loc));
            if (!v) return rd_oom(r);
            if (!rd_define(r, name, v, 1)) return false;
        } while (rd_accept(r, ','));
        if (!rd_expect(r, ')')) return false;
    }
    return rd_expect(r, ':');
}

static bool entry_block(weft_reader *r, weft_region *region, const rd_args *args) {
    weft_block *blk = weft_build_block(&r->b, region);
    if (!blk) return rd_oom(r);
    r->b.block = blk;
    for (uint32_t i = 0; args && i < args->n; i++) {
        const weft_loc *loc = args->locs ? args->locs[i] : NULL;
        weft_value *v = weft_build_block_arg(&r->b, blk, args->types[i], rd_name_place(r, &args->names[i], loc));
        if (!v) return rd_oom(r);
        if (!rd_define(r, args->names[i], v, 1)) return false;
    }
    return true;
}

static bool region_body(weft_reader *r, weft_region *region, const rd_args *args) {
    if (!rd_expect(r, '{')) return false;
    if (region->first) r->b.block = region->first;
    else if (args && args->n && !entry_block(r, region, args)) return false;
    while (!rd_at(r, '}')) {
        if (rd_at(r, '^')) {
            if (!block_label(r, region)) return false;
            continue;
        }
        if (!region->first && !entry_block(r, region, NULL)) return false;
        if (!rd_op_read(r)) return false;
    }
    return rd_expect(r, '}');
}

static bool scoped_region(weft_reader *r, weft_region *region, const rd_args *args, const char *dialect,
                          bool isolated) {
    weft_builder outer = r->b;
    const char *outer_dialect = r->dialect;
    if (!rd_enter(r)) return false;
    rd_scope scope = rd_scope_open(r, isolated);
    r->dialect = dialect;
    bool ok = region_body(r, region, args);
    rd_scope_close(r, scope);
    r->dialect = outer_dialect;
    r->b.block = outer.block;
    rd_leave(r);
    return ok;
}

bool rd_region(weft_reader *r, weft_region *region, const rd_args *args, const char *dialect) {
    return scoped_region(r, region, args, dialect, false);
}

bool rd_isolated_region(weft_reader *r, weft_region *region, const rd_args *args, const char *dialect) {
    return scoped_region(r, region, args, dialect, true);
}

static bool generic_regions(weft_reader *r, rd_op *o) {
    const char *dialect = o->kind == WEFT_OP_func ? "func" : o->kind == WEFT_OP_module ? "builtin" : "";
    bool isolated = *dialect != 0;
    if (!rd_expect(r, '(')) return false;
    do {
        weft_region *region = rd_new_region(r);
        if (!region || !scoped_region(r, region, NULL, dialect, isolated)) return false;
    } while (rd_accept(r, ','));
    return rd_expect(r, ')');
}

bool rd_generic(weft_reader *r, rd_op *o) {
    if (!rd_expect(r, '(') || !rd_operand_list(r) || !rd_expect(r, ')')) return false;
    if (rd_at(r, '[')) return rd_fail_as(r, WEFT_D_unsupported, r->p, "ops with successor blocks are not supported");
    if (rd_accept(r, '<')) {
        if (!rd_at(r, '{')) return rd_unexpected(r, "'{'");
        if (!rd_attr_dict(r, o) || !rd_expect(r, '>')) return false;
    }
    if (rd_at(r, '(') && !generic_regions(r, o)) return false;
    return rd_attr_dict(r, o) && rd_functional(r, o);
}

/* %a, %b:2 = */
static bool result_names(weft_reader *r) {
    do {
        rd_value_name name;
        if (!rd_value_name_read(r, &name)) return false;
        if (rd_accept(r, ':')) {
            const char *at = r->p;
            int64_t n;
            if (!rd_int(r, &n)) return false;
            if (n < 1 || n > UINT32_MAX) return rd_fail(r, at, "expected a positive number of results");
            name.count = (uint32_t)n;
        }
        if (!RD_PUSH(r, results, name)) return false;
    } while (rd_accept(r, ','));
    return rd_expect(r, '=');
}

static bool bind_results(weft_reader *r, weft_op *op, size_t from) {
    uint64_t named = 0;
    for (size_t i = from; i < r->results.n; i++) named += r->results.v[i].count;
    if (from < r->results.n && named != op->result_count)
        return rd_fail(r, r->results.v[from].at, "'%s' has %u result%s, but %llu %s named", op->name->text,
                       op->result_count, op->result_count == 1 ? "" : "s", (unsigned long long)named,
                       named == 1 ? "is" : "are");
    weft_value *first = op->results;
    for (size_t i = from; i < r->results.n; i++) {
        if (!rd_define(r, r->results.v[i], first, r->results.v[i].count)) return false;
        first += r->results.v[i].count;
    }
    return true;
}

/* After a dialect's dot there is a name: bytecode has no other way to say that there is a dot. */
static bool is_op_name(weft_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] >= 127 || s.p[i] == '"' || s.p[i] == '\\') return false;
    return s.n > 0 && s.p[s.n - 1] != '.';
}

static bool unknown_op(weft_reader *r, const rd_op *o, weft_str text) {
    const weft_nearest near = weft_op_nearest(text);
    return rd_fail_as(r, WEFT_D_unknown_op, o->at, "unknown op '%.*s'" WEFT_NEAREST, WEFT_STR_ARG(text),
                      WEFT_NEAREST_ARG(near));
}

static bool named_op(weft_reader *r, rd_op *o) {
    weft_str text;
    bool quoted = rd_at(r, '"');
    o->at = r->p;
    o->loc = rd_place(r, o->at);
    if (!quoted && !rd_is_ident_start(*r->p)) return rd_unexpected(r, "an op");
    if (!rd_keyword_or_string(r, &text)) return false;
    if (quoted && !is_op_name(text))
        return rd_fail(r, o->at, "the name of an op is one or more visible characters, no quotes among them and no "
                                 "dot at the end");
    if (!(o->name = op_name(r, text, quoted))) return false;
    o->kind = weft_op_kind_find(r->cx, o->name);
    if (o->kind == WEFT_OP_other && (!quoted || !(r->flags & WEFT_READ_ALLOW_UNREGISTERED)))
        return unknown_op(r, o, text);
    if (quoted) return rd_generic(r, o);
    const weft_syntax *s = weft_syntax_of[o->kind];
    if (!s->read) return rd_fail(r, o->at, "'%s' has no pretty form; write \"%s\"(...)", o->name->text, o->name->text);
    return s->read(r, o);
}

bool rd_op_read(weft_reader *r) {
    size_t results = r->results.n;
    if (rd_at(r, '%') && !result_names(r)) return false;
    rd_op o = { .operands = r->operands.n, .types = r->types.n, .attrs = r->attrs.n, .regions = r->regions.n };
    if (!named_op(r, &o)) return false;
    weft_op *op = o.made ? o.made : rd_make(r, &o);
    if (!op || !rd_loc_optional(r, &op->loc) || !bind_results(r, op, results)) return false;
    r->operands.n = r->operand_at.n = o.operands;
    r->types.n = o.types;
    r->attrs.n = o.attrs;
    r->regions.n = o.regions;
    r->results.n = results;
    return true;
}
