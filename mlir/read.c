/* read.c: the entry points, the top of a file, and the definitions of aliases. */
#include "mlir/read.h"

#include <errno.h>
#include <stdio.h>
#include "ir/prepare.h"
#include "ir/verify.h"
#include "mlir/bytecode.h"
#include "mlir/syntax.h"

/* Every stack has room from the start, so that the part above a height is never an offset from NULL. */
static bool stacks_begin(weft_reader *r) {
#define ROOM(stack) weft_arena_grow(&r->arena, (void **)&r->stack.v, &r->stack.cap, 16, sizeof *r->stack.v)
    return ROOM(operands) && ROOM(operand_at) && ROOM(results) && ROOM(types) && ROOM(attrs) && ROOM(items) &&
           ROOM(ints) && ROOM(regions);
#undef ROOM
}

bool rd_begin(weft_reader *r, weft_context *cx, const char *text, size_t n, const char *file, unsigned flags) {
    *r = (weft_reader){ .cx = cx, .flags = flags, .p = text, .text = text, .end = text + n, .line_start = text,
                        .line = 1, .dialect = "builtin" };
    weft_arena_init(&r->arena, &cx->chunks);
    r->file = weft_name_from(cx, file);
    if (!r->file || !stacks_begin(r)) return rd_oom(r);
    rd_skip(r);
    return true;
}

void rd_end(weft_reader *r) {
    weft_arena_free(&r->arena);
}

/* #name = attribute or loc(...) */
static bool attr_alias(weft_reader *r) {
    const char *at = r->p++;
    weft_str name;
    if (!rd_ident(r, &name)) return false;
    rd_alias *a = rd_alias_get(r, name);
    if (!a || !rd_expect(r, '=')) return false;
    if (a->attr || a->loc_defined) return rd_fail(r, at, "'#%.*s' is defined twice", WEFT_STR_ARG(name));
    const weft_loc *loc = NULL;
    const weft_attr *attr = NULL;
    size_t number = (size_t)(a - r->aliases.v);
    uint64_t nodes = r->nodes;
    r->deepest = 0;
    if (!strncmp(r->p, "loc(", 4)) {
        r->in_alias = true;
        loc = rd_loc(r);
        r->in_alias = false;
    } else {
        attr = rd_attr(r);
    }
    if (!loc && !attr) return false;
    a = &r->aliases.v[number]; /* the array may have moved */
    a->depth = r->deepest;
    a->nodes = r->nodes - nodes;
    a->attr = attr;
    if (!loc) return true;
    a->loc_defined = true;
    if (!a->loc && !(a->loc = weft_arena_new(&r->cx->arena, weft_loc))) return rd_oom(r);
    *a->loc = *loc;
    const uint64_t uses = a->early_uses;
    return rd_spend(r, uses && a->nodes > UINT64_MAX / 2 / uses ? UINT64_MAX / 2 : uses * a->nodes, at);
}

/* !name = type */
static bool type_alias(weft_reader *r) {
    const char *at = r->p++;
    weft_str name;
    if (!rd_ident(r, &name)) return false;
    rd_alias *a = rd_alias_get(r, name);
    if (!a || !rd_expect(r, '=')) return false;
    if (a->type) return rd_fail(r, at, "'!%.*s' is defined twice", WEFT_STR_ARG(name));
    size_t number = (size_t)(a - r->aliases.v);
    uint64_t nodes = r->nodes;
    r->deepest = 0;
    const weft_type *t = rd_type(r);
    if (!t) return false;
    a = &r->aliases.v[number]; /* the array may have moved */
    a->type = t;
    a->depth = r->deepest;
    a->nodes = r->nodes - nodes;
    return true;
}

/* {-# dialect_resources: ... #-}: read_resource.c has taken the needed resources from it. */
static bool file_metadata(weft_reader *r) {
    const char *at = r->p;
    for (const char *q = at; q < r->end; q++) {
        if (*q == '\n') {
            r->line++;
            r->line_start = q + 1;
        }
        if (q[0] == '#' && q[1] == '-' && q[2] == '}') {
            r->p = q + 3;
            rd_skip(r);
            return true;
        }
    }
    return rd_fail(r, at, "'{-#' without its closing '#-}'");
}

static bool aliases_complete(weft_reader *r) {
    for (size_t i = 0; i < r->aliases.n; i++) {
        const rd_alias *a = &r->aliases.v[i];
        if (a->loc && !a->loc_defined)
            return rd_fail(r, a->first_use, "location '#%.*s' is not defined", (int)r->alias_names.keys[i].n,
                           r->alias_names.keys[i].p);
    }
    return true;
}

/* "builtin.module"() ({ ... }) : () -> (), after the name: its region becomes the root's. */
static bool generic_root(weft_reader *r, rd_op *o) {
    weft_op *root = r->m->root;
    if (!rd_generic(r, o) || !rd_loc_optional(r, &root->loc)) return false;
    if (r->regions.n != 1 || r->operands.n || r->types.n)
        return rd_fail(r, o->at, "a module has one region and nothing else");
    if (!rd_root_attrs(r, o)) return false;
    const weft_region *body = r->regions.v[0];
    r->regions.n = r->attrs.n = 0;
    if (!body->first) return true;
    root->regions[0].first = body->first;
    root->regions[0].last = body->last;
    WEFT_EACH_BLOCK(blk, &root->regions[0]) blk->parent = &root->regions[0];
    return true;
}

/* A module that is the entire file becomes the root; anything else gets a root of its own. */
static bool root_module(weft_reader *r) {
    weft_op *root = r->m->root;
    rd_op o = { .kind = WEFT_OP_module, .name = root->name, .at = r->p };
    root->loc = o.loc = rd_place(r, o.at);
    if (rd_at(r, '"')) {
        weft_str name;
        return rd_string(r, &name) && generic_root(r, &o);
    }
    o.made = root;
    return (rd_word(r, "module") || rd_expect_word(r, "builtin.module")) && rd_module_rest(r, &o);
}

static bool starts_with(const char *p, const char *word) {
    return !strncmp(p, word, strlen(word)) && !rd_is_ident(p[strlen(word)]);
}

static bool at_module(const weft_reader *r) {
    return starts_with(r->p, "module") || starts_with(r->p, "builtin.module") ||
           starts_with(r->p, "\"builtin.module\"");
}

/* wrap: even a single module goes inside the root. *again is set if that turns out to be needed. */
static bool top_level(weft_reader *r, bool wrap, bool *again) {
    bool ops = false, rooted = false;
    rd_scope scope = rd_scope_open(r, true);
    r->b.block = weft_module_body(r->m);
    while (r->p < r->end) {
        if (rd_at(r, '#')) {
            if (!attr_alias(r)) return false;
        } else if (rd_at(r, '!')) {
            if (!type_alias(r)) return false;
        } else if (r->p[0] == '{' && r->p[1] == '-' && r->p[2] == '#') {
            if (!file_metadata(r)) return false;
        } else if (!ops && !wrap && at_module(r)) {
            if (!root_module(r)) return false;
            ops = rooted = true;
        } else {
            if (rooted) {
                *again = true;
                return false;
            }
            if (!rd_op_read(r)) return false;
            ops = true;
        }
    }
    rd_scope_close(r, scope);
    return aliases_complete(r);
}

/* Files of other kinds, by their first bytes. */
static const struct { const char *begin; size_t n; const char *is, *as_text; } others[] = {
#define BEGIN(text) text, sizeof text - 1
    { BEGIN("\x1f\x8b"), "compressed by gzip", "gzip -dc FILE" },
    { BEGIN("\x28\xb5\x2f\xfd"), "compressed by zstd", "zstd -dc FILE" },
    { BEGIN("\xfd" "7zXZ"), "compressed by xz", "xz -dc FILE" },
    { BEGIN("PK\x03\x04"), "a zip archive", "unzip -p FILE" },
    { BEGIN("\xff\xfe"), "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE" },
    { BEGIN("\xfe\xff"), "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE" },
    { BEGIN("HloModule "), "XLA's HLO", "jax.jit(f).lower(...).as_text() in JAX is the same program as StableHLO" },
    { BEGIN("{ lambda"), "a jaxpr", "jax.jit(f).lower(...).as_text() in JAX is the same program as StableHLO" },
    { BEGIN("\x7f" "ELF"), "a compiled program", NULL },
    { BEGIN("\x93NUMPY"), "an array of NumPy", NULL },
#undef BEGIN
};

static weft_status refuse_others(weft_context *cx, const char *text, size_t n, const char *file) {
    for (size_t i = 0; i < WEFT_COUNT(others); i++) {
        if (n < others[i].n || memcmp(text, others[i].begin, others[i].n)) continue;
        weft_status st = weft_report(cx, WEFT_D_unsupported, NULL, "'%s' is %s; Weft reads StableHLO as MLIR's text",
                                     file, others[i].is);
        if (others[i].as_text) weft_note(cx, NULL, "as text: %s", others[i].as_text);
        return st;
    }
    /* a file of jax.export begins with a small number of 32 bits */
    if (n < 4 || !memchr(text, 0, 4)) return WEFT_OK;
    return weft_report(cx, WEFT_D_unsupported, NULL,
                       "'%s' is not text, nor whole MLIR bytecode or a whole file of jax.export", file);
}

/* text[n] is NUL. */
static weft_status read_terminated(weft_context *cx, const char *text, size_t n, const char *file, unsigned flags,
                                   weft_module **out) {
    bool again = false;
    weft_reader r;
    const weft_str bytecode = bc_find((weft_str){ text, n });
    if (bytecode.n) return bc_read(cx, bytecode, file, flags, out);
    weft_status st = refuse_others(cx, text, n, file);
    if (st != WEFT_OK) return st;
    if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3, n -= 3; /* the mark that some editors put before UTF-8 */
    weft_module *m = NULL;
    for (int wrap = 0; wrap < 2; wrap++) {
        m = weft_module_new(cx);
        if (!m) return weft_oom();
        bool ok = rd_begin(&r, cx, text, n, file, flags);
        r.m = m;
        weft_builder_init(&r.b, m, NULL);
        if (ok) m->root->loc = rd_place(&r, r.p);
        ok = ok && top_level(&r, wrap, &again);
        rd_end(&r);
        if (ok && r.status == WEFT_OK && !(flags & WEFT_READ_NO_VERIFY)) r.status = weft_verify_module(cx, m);
        if (ok && r.status == WEFT_OK) {
            *out = m;
            return WEFT_OK;
        }
        weft_module_free(m);
        if (!again) break;
    }
    return r.status;
}

bool weft_is_text(weft_str file) { return !bc_find(file).n; }

weft_status weft_read_text(weft_context *cx, weft_str text, const char *file, unsigned flags, weft_module **out) {
    const weft_str bytecode = bc_find(text);
    if (bytecode.n) return bc_read(cx, bytecode, file, flags, out);
    char *copy = cx->alloc.resize(cx->alloc.user, NULL, 0, text.n + 1);
    if (!copy) return weft_oom();
    if (text.n) memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    weft_status st = read_terminated(cx, copy, text.n, file, flags, out);
    cx->alloc.resize(cx->alloc.user, copy, text.n + 1, 0);
    return st;
}

static weft_status read_stream(weft_context *cx, FILE *f, const char *path, weft_buf *text) {
    size_t n;
    char *block = weft_arena_alloc(&cx->scratch, 65536, 1);
    if (!block) return weft_oom();
    while ((n = fread(block, 1, 65536, f)) > 0) weft_buf_put(text, block, n);
    if (text->failed) return weft_oom();
    return ferror(f) ? weft_report(cx, WEFT_D_file, NULL, "cannot read '%s': %s", path, strerror(errno)) : WEFT_OK;
}

weft_status weft_read_file(weft_context *cx, const char *path, unsigned flags, weft_module **out) {
    bool standard = !strcmp(path, "-");
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f) return weft_report(cx, WEFT_D_file, NULL, "cannot open '%s': %s", path, strerror(errno));
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = read_stream(cx, f, path, &text);
    weft_arena_reset(&cx->scratch, mark);
    if (st == WEFT_OK) st = read_terminated(cx, text.p ? text.p : "", text.n, standard ? "<stdin>" : path, flags, out);
    if (!standard) fclose(f);
    weft_buf_free(&text);
    return st;
}

/* One attribute or type that is the whole text. */
static weft_status read_alone(weft_context *cx, weft_str text, const weft_attr **attr, const weft_type **type) {
    weft_reader r;
    char *copy = cx->alloc.resize(cx->alloc.user, NULL, 0, text.n + 1);
    if (!copy || !weft_ir_prepare(cx)) {
        if (copy) cx->alloc.resize(cx->alloc.user, copy, text.n + 1, 0);
        return weft_oom();
    }
    if (text.n) memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    const weft_attr *a = NULL;
    const weft_type *t = NULL;
    if (rd_begin(&r, cx, copy, text.n, "<text>", 0)) {
        if (attr) a = rd_attr(&r);
        else t = rd_type(&r);
        if (r.status == WEFT_OK && r.p != r.end) rd_unexpected(&r, "the end of the text");
    }
    if (r.status == WEFT_OK && attr) *attr = a;
    if (r.status == WEFT_OK && type) *type = t;
    rd_end(&r);
    cx->alloc.resize(cx->alloc.user, copy, text.n + 1, 0);
    return r.status;
}

weft_status weft_read_attr(weft_context *cx, weft_str text, const weft_attr **out) {
    return read_alone(cx, text, out, NULL);
}
weft_status weft_read_type(weft_context *cx, weft_str text, const weft_type **out) {
    return read_alone(cx, text, NULL, out);
}

static void keep_first(void *user, const weft_diag *d) {
    weft_diag *said = user;
    if (d->severity == WEFT_ERROR && !said->message) *said = *d;
}

weft_status weft_read_quietly(weft_context *cx, weft_str text, const weft_attr **attr, const weft_type **type,
                              weft_diag *said) {
    const weft_diag_handler handler = cx->handler;
    void *const user = cx->handler_user;
    *said = (weft_diag){ 0 };
    cx->handler = keep_first;
    cx->handler_user = said;
    const weft_status st = read_alone(cx, text, attr, type);
    cx->handler = handler;
    cx->handler_user = user;
    return st;
}
