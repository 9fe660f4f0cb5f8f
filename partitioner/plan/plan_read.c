/* plan_read.c: a plan's text, line by line; see plan_text.h.
 *
 * Ops are found by function, name, kind and place, from the last one found on, so that a whole plan is read in one go
 * over the module. What the text says of costs and runners-up follows from the rest and is not read.
 */
#include <errno.h>
#include <stdio.h>

#include "mlir/print.h"
#include "mlir/read.h"
#include "partitioner/plan/plan_text.h"

typedef struct plan_reader {
    weft_context *cx;
    const weft_module *m;
    weft_placements *t;
    weft_arena *arena;
    weft_name file;
    const char *p, *end;               /* what is left of the text */
    weft_str line;
    uint32_t number;                   /* of the line, from 1 */
    const char *const *names;          /* of values, by id */
    const weft_op **ops;               /* of the module, in order */
    size_t op_count, next;             /* where the search for the next one begins */
    weft_str func;                     /* whose ops come */
    const weft_op *op;                 /* of which the lines speak */
    weft_forced_op *forced;
    weft_forced_plan *out;
} plan_reader;

static const weft_loc *place(const plan_reader *r, const char *at) {
    const weft_loc *loc = weft_loc_file(r->cx, r->file, r->number, (uint32_t)(at - r->line.p) + 1);
    return loc ? loc : &weft_loc_unknown;
}

static weft_status refuse(const plan_reader *r, const char *at, const char *what) {
    return weft_report(r->cx, WEFT_D_partition, place(r, at), "%s", what);
}

#define NO_SHARDING "expected a sharding, <@mesh, [{\"axis\"}, {}]>"

static weft_str trim(weft_str s) {
    while (s.n && (*s.p == ' ' || *s.p == '\t')) s.p++, s.n--;
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r')) s.n--;
    return s;
}

static bool next_line(plan_reader *r) {
    if (r->p >= r->end) return false;
    const char *stop = memchr(r->p, '\n', (size_t)(r->end - r->p));
    r->line = (weft_str){ r->p, (size_t)((stop ? stop : r->end) - r->p) };
    r->p = stop ? stop + 1 : r->end;
    r->number++;
    return true;
}

static bool skip_word(weft_str *s, const char *word) {
    const size_t n = strlen(word);
    if (s->n < n || memcmp(s->p, word, n) || (s->n > n && s->p[n] != ' ')) return false;
    *s = trim((weft_str){ s->p + n, s->n - n });
    return true;
}

/* --- shardings ------------------------------------------------------------------------------------------------- */

/* The length of the sharding "<...>" that s begins with, or 0. */
static size_t sharding_length(weft_str s) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"') quoted = !quoted;
        if (quoted) continue;
        depth += (s.p[i] == '<') - (s.p[i] == '>');
        if (i == 0 && depth != 1) return 0;
        if (depth == 0) return i + 1;
    }
    return 0;
}

/* What places over no mesh are printed as (weft_placement_print). */
static bool is_none(const plan_reader *r, weft_str s) {
    return !weft_placements_mesh(r->t) && s.n >= 4 && !memcmp(s.p, "none", 4) && (s.n == 4 || s.p[4] == ',');
}

static weft_status read_sharding(plan_reader *r, weft_str s, const weft_type *type, weft_placement_id *id) {
    static const char kind[] = "#sdy.sharding";
    const int64_t after = sizeof kind; /* the column of s in the text that is read */
    weft_buf b;
    const weft_attr *attr = NULL;
    weft_diag said = { 0 };
    *id = WEFT_REPLICATED;
    if (is_none(r, s)) return WEFT_OK;
    weft_buf_init(&b, &r->cx->alloc);
    weft_buf_puts(&b, kind);
    weft_buf_str(&b, s);
    weft_status st = b.failed ? weft_oom() : weft_read_quietly(r->cx, (weft_str){ b.p, b.n }, &attr, NULL, &said);
    if (said.message)
        st = refuse(r, s.p + (said.column > after ? said.column - after : 0), said.message);
    if (st == WEFT_OK && attr->kind != WEFT_ATTR_SHARDING)
        st = refuse(r, s.p, NO_SHARDING);
    if (st == WEFT_OK) st = weft_placement_from_attr(r->t, attr, type, place(r, s.p), id);
    weft_buf_free(&b);
    return st;
}

static const weft_type *type_at(const weft_op *op, bool results, uint32_t i) {
    return results ? op->results[i].type : op->operands[i]->type;
}

static weft_status read_list(plan_reader *r, weft_str s, bool results, const weft_placement_id **out) {
    const uint32_t n = results ? r->op->result_count : r->op->operand_count;
    const char *what = results ? "results" : "operands";
    weft_placement_id *ids = weft_arena_array(r->arena, weft_placement_id, n + 1);
    weft_status st = ids ? WEFT_OK : weft_oom();
    uint32_t k = 0;
    if (*out) return weft_report(r->cx, WEFT_D_partition, place(r, s.p), "a second line of %s", what);
    for (; st == WEFT_OK && s.n; k++) {
        const size_t length = is_none(r, s) ? 4 : sharding_length(s);
        if (!length) return refuse(r, s.p, NO_SHARDING);
        if (k == n) break;
        st = read_sharding(r, (weft_str){ s.p, length }, type_at(r->op, results, k), &ids[k]);
        s = trim((weft_str){ s.p + length, s.n - length });
        if (s.n && *s.p == ',') s = trim((weft_str){ s.p + 1, s.n - 1 });
    }
    if (st == WEFT_OK && (k != n || s.n))
        return weft_report(r->cx, WEFT_D_partition, place(r, r->line.p), "'%s' has %u %s, one sharding for each",
                           r->op->name->text, n, what);
    *out = ids;
    return st;
}

/* --- ops ------------------------------------------------------------------------------------------------------- */

static bool is_of_func(const weft_op *op, weft_str func) {
    while (op && op->kind != WEFT_OP_func) op = weft_op_parent(op);
    return op && weft_str_equal(weft_op_symbol(op, WEFT_A_sym_name), func);
}

/* How many of value, kind and place op shares with a line, in this order. */
static uint32_t alike(const plan_reader *r, const weft_op *op, weft_str value, weft_str kind, weft_str at) {
    weft_buf b;
    if (!op->result_count || !weft_str_is(value, r->names[op->results[0].id]) || !is_of_func(op, r->func)) return 0;
    if (!weft_str_is(kind, op->name->text)) return 1;
    weft_buf_init(&b, &r->cx->alloc);
    weft_plan_print_place(&b, op);
    const bool same = !b.failed && weft_str_equal((weft_str){ b.p, b.n }, at);
    weft_buf_free(&b);
    return same ? 3 : 2;
}

static weft_status report_absent(plan_reader *r, weft_str value, const weft_op *nearest) {
    weft_status st = weft_report(r->cx, WEFT_D_partition, place(r, value.p), "the program has no such op %.*s in @%.*s",
                                 WEFT_STR_ARG(value), WEFT_STR_ARG(r->func));
    if (nearest) weft_note(r->cx, nearest->loc, "%.*s is this '%s'", WEFT_STR_ARG(value), nearest->name->text);
    weft_help(r->cx, NULL,
              "a plan is of the program that it was printed for, as the passes before weft-insert-reshards leave it");
    return st;
}

static weft_status find_op(plan_reader *r, weft_str value, weft_str kind, weft_str at) {
    const weft_op *nearest = NULL;
    for (size_t i = 0; i < r->op_count; i++) {
        const size_t k = (r->next + i) % r->op_count;
        const uint32_t n = alike(r, r->ops[k], value, kind, at);
        if (n) nearest = r->ops[k];
        if (n < 3) continue;
        r->op = r->ops[k];
        r->next = k + 1;
        return WEFT_OK;
    }
    return report_absent(r, value, nearest);
}

/* %name = kind at place */
static weft_status begin_op(plan_reader *r, weft_str s) {
    const char *equal = memchr(s.p, '=', s.n);
    weft_str value = trim((weft_str){ s.p, equal ? (size_t)(equal - s.p) : 0 });
    weft_str kind = equal ? trim((weft_str){ equal + 1, (size_t)(s.p + s.n - equal) - 1 }) : s, at = kind;
    while (at.n && *at.p != ' ') at.p++, at.n--;
    kind.n = (size_t)(at.p - kind.p);
    at = trim(at);
    r->op = NULL;
    if (!kind.n || !skip_word(&at, "at"))
        return refuse(r, s.p, "expected '%name = op at place', or a property of the op");
    if (!r->func.n) return refuse(r, s.p, "expected a line 'func @NAME' before the first op");
    if (!value.n) return WEFT_OK; /* an op without results follows from the op that it is in */
    weft_status st = find_op(r, value, kind, at);
    if (st != WEFT_OK) return st;
    if (r->out->of[r->op->id])
        return weft_report(r->cx, WEFT_D_partition, place(r, s.p), "a second entry of %.*s", WEFT_STR_ARG(value));
    if (!(r->forced = weft_arena_new(r->arena, weft_forced_op))) return weft_oom();
    *r->forced = (weft_forced_op){ .loc = place(r, s.p) };
    r->out->of[r->op->id] = r->forced;
    return WEFT_OK;
}

static weft_status check_entry(const plan_reader *r) {
    if (!r->op || (r->forced->operands && r->forced->results)) return WEFT_OK;
    return weft_report(r->cx, WEFT_D_partition, r->forced->loc, "this entry has no line '%s'",
                       r->forced->operands ? "results" : "operands");
}

static weft_status read_mesh(const plan_reader *r, weft_str s) {
    weft_buf b;
    weft_buf_init(&b, &r->cx->alloc);
    weft_plan_print_mesh(r->t, &b);
    weft_status st = b.failed ? weft_oom() : WEFT_OK;
    if (st == WEFT_OK && !weft_str_is(s, b.p))
        st = weft_report(r->cx, WEFT_D_partition, place(r, s.p), "a plan for %.*s, but the program has %s",
                         WEFT_STR_ARG(s), b.p);
    weft_buf_free(&b);
    return st;
}

static weft_status begin_func(plan_reader *r, weft_str s) {
    r->op = NULL;
    if (!s.n || *s.p != '@') return refuse(r, s.p, "expected a function's name");
    r->func = (weft_str){ s.p + 1, s.n - 1 };
    for (size_t i = 0; i < r->op_count; i++)
        if (r->ops[i]->kind == WEFT_OP_func && is_of_func(r->ops[i], r->func)) return WEFT_OK;
    return weft_report(r->cx, WEFT_D_partition, place(r, s.p), "the program has no function %.*s", WEFT_STR_ARG(s));
}

static weft_status read_line(plan_reader *r) {
    weft_str s = trim(r->line), rest = s;
    const bool property = s.p > r->line.p;
    if (!s.n || (s.n > 1 && s.p[0] == '/' && s.p[1] == '/')) return WEFT_OK;
    if (property && (skip_word(&rest, "cost") || skip_word(&rest, "runner-up"))) return WEFT_OK;
    if (property && !r->op) return WEFT_OK;
    if (property && skip_word(&rest, "operands")) return read_list(r, rest, false, &r->forced->operands);
    if (property && skip_word(&rest, "results")) return read_list(r, rest, true, &r->forced->results);
    if (property && skip_word(&rest, "then")) return read_list(r, rest, true, &r->forced->then);
    if (property) return refuse(r, s.p, "not a property of an op in a plan");
    weft_status st = check_entry(r);
    if (st != WEFT_OK || skip_word(&rest, "total")) return st;
    if (skip_word(&rest, "mesh")) return read_mesh(r, s);
    if (skip_word(&rest, "spread")) {
        r->out->spreading = weft_str_is(rest, "anew");
        return WEFT_OK;
    }
    return skip_word(&rest, "func") ? begin_func(r, rest) : begin_op(r, s);
}

static weft_status add_op(void *user, weft_op *op) {
    plan_reader *r = user;
    r->ops[r->op_count++] = op;
    return WEFT_OK;
}

weft_status weft_plan_read(weft_str text, const char *file, const weft_module *m, weft_placements *t,
                           weft_arena *arena, weft_forced_plan **out) {
    plan_reader r = { .cx = m->cx, .m = m, .t = t, .arena = arena, .file = weft_name_from(m->cx, file), .p = text.p,
                      .end = text.p + text.n, .ops = weft_arena_array(arena, const weft_op *, m->op_count) };
    r.out = weft_arena_new(arena, weft_forced_plan);
    if (!r.file || !r.ops || !r.out) return weft_oom();
    *r.out = (weft_forced_plan){ .of = weft_arena_array(arena, const weft_forced_op *, m->op_count) };
    weft_status st = r.out->of ? weft_value_names(m, arena, &r.names) : weft_oom();
    if (st == WEFT_OK) st = weft_module_walk(m, add_op, &r);
    if (st == WEFT_OK && (!next_line(&r) || !weft_str_is(trim(r.line), "weft plan 1")))
        st = weft_report(r.cx, WEFT_D_partition, weft_loc_file(r.cx, r.file, 1, 1),
                         "not a plan: one begins with 'weft plan 1'");
    while (st == WEFT_OK && next_line(&r)) st = read_line(&r);
    if (st == WEFT_OK) st = check_entry(&r);
    *out = r.out;
    return st;
}

weft_status weft_plan_read_file(weft_str path, const weft_module *m, weft_placements *t, weft_arena *arena,
                                weft_forced_plan **out) {
    weft_context *cx = m->cx;
    weft_buf text;
    char block[4096];
    size_t n;
    *out = NULL;
    if (!path.n) return WEFT_OK;
    const char *name = weft_arena_strdup(arena, path.p, path.n);
    if (!name) return weft_oom();
    FILE *f = fopen(name, "rb");
    if (!f) return weft_report(cx, WEFT_D_file, NULL, "cannot open '%s': %s", name, strerror(errno));
    weft_buf_init(&text, &cx->alloc);
    while ((n = fread(block, 1, sizeof block, f)) > 0) weft_buf_put(&text, block, n);
    weft_status st = text.failed ? weft_oom() : WEFT_OK;
    if (ferror(f)) st = weft_report(cx, WEFT_D_file, NULL, "cannot read '%s': %s", name, strerror(errno));
    fclose(f);
    if (st == WEFT_OK) st = weft_plan_read((weft_str){ text.p ? text.p : "", text.n }, name, m, t, arena, out);
    weft_buf_free(&text);
    return st;
}
