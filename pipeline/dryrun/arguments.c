/* arguments.c: see arguments.h. */
#include "pipeline/dryrun/arguments.h"

#include "base/glob.h"
#include "base/nearest.h"
#include "ir/given_name.h"

enum { MOST_NAMED = 5 };

/* ---- names ---- */

/* The name in the location, that of the result to which it is donated, or that of the text. */
static weft_str name_of(const weft_op *func, uint32_t argument) {
    weft_str name = weft_argument_given_name(func, argument);
    if (name.n) return name;
    const weft_attr *alias = weft_func_arg_attr(func, argument, WEFT_A_tf_aliasing_output);
    if (alias && alias->kind == WEFT_ATTR_INT && alias->i >= 0 && alias->i <= UINT32_MAX)
        name = weft_result_given_name(func, (uint32_t)alias->i);
    const weft_block *body = weft_op_body(func, 0);
    const weft_value *v = body && argument < body->arg_count ? body->args[argument] : NULL;
    return name.n || !v || !v->hint ? name : weft_name_str(v->hint);
}

/* ['a'] and ["a"] become .a, [0] becomes .0 */
weft_str weft_argument_path(const weft_op *func, uint32_t argument, weft_arena *arena) {
    const weft_str name = name_of(func, argument);
    char *text = weft_arena_alloc(arena, name.n + 1, 1);
    size_t n = 0;
    if (!text) return (weft_str){ NULL, 0 };
    for (size_t i = 0; i < name.n; i++) {
        const char c = name.p[i];
        if (c == '[') text[n++] = '.';
        else if (c != ']' && c != '\'' && c != '"') text[n++] = c;
    }
    text[n] = 0;
    return (weft_str){ text, n };
}

/* The part after the last dot. */
static weft_str last_part(weft_str path) {
    size_t i = path.n;
    while (i && path.p[i - 1] != '.') i--;
    return (weft_str){ path.p + i, path.n - i };
}

/* ---- patterns ---- */

static bool is_number(weft_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9') return false;
    return s.n > 0;
}

static weft_status no_such_number(const weft_module *m, const weft_loc *loc, weft_str pattern, uint32_t count) {
    return weft_report(m->cx, WEFT_D_usage, loc, "there is no argument %.*s: the program has %u", WEFT_STR_ARG(pattern),
                       count);
}

/* Names the arguments whose last part is nearest to that of the pattern, else the first ones. */
static weft_status no_match(const weft_module *m, const weft_loc *loc, weft_str pattern, const weft_str *paths,
                            uint32_t count) {
    weft_str word = last_part(pattern);
    for (size_t i = word.n; i > 0 && word.n; i--)
        if (word.p[i - 1] == '*' || word.p[i - 1] == '?') {
            word = (weft_str){ word.p + i, word.n - i };
            break;
        }
    weft_nearest near = weft_nearest_to(word);
    weft_buf b;
    uint32_t named = 0, all = 0;
    for (uint32_t i = 0; i < count; i++) weft_nearest_offer(&near, last_part(paths[i]));
    weft_buf_init(&b, &m->cx->alloc);
    for (uint32_t i = 0; i < count; i++) {
        if (!paths[i].n || (near.best.n && !weft_str_equal(last_part(paths[i]), near.best))) continue;
        if (all++ >= MOST_NAMED) continue;
        weft_buf_printf(&b, "%s'%.*s'", named++ ? ", " : "", WEFT_STR_ARG(paths[i]));
    }
    if (all > named) weft_buf_printf(&b, " and %u more", all - named);
    const weft_status st =
        b.failed ? weft_oom()
                 : weft_report(m->cx, WEFT_D_usage, loc, "no argument matches '%.*s'%s%s", WEFT_STR_ARG(pattern),
                               !named        ? "; the arguments have no names, but numbers"
                               : near.best.n ? "; the nearest: "
                                             : "; there are ",
                               named ? b.p : "");
    weft_buf_free(&b);
    return st;
}

weft_status weft_arguments_matching(const weft_module *m, const weft_loc *loc, weft_str pattern, weft_arena *arena,
                                    const uint32_t **out, uint32_t *count) {
    const weft_op *main = weft_module_main(m);
    const uint32_t n = weft_func_type(main)->input_count;
    uint32_t *v = weft_arena_array(arena, uint32_t, n ? n : 1);
    weft_str *paths = weft_arena_array(arena, weft_str, n);
    *count = 0;
    *out = v;
    if (!v || !paths) return weft_oom();
    if (is_number(pattern)) {
        uint64_t number = 0;
        for (size_t i = 0; i < pattern.n && number <= UINT32_MAX; i++)
            number = 10 * number + (uint64_t)(pattern.p[i] - '0');
        if (number >= n) return no_such_number(m, loc, pattern, n);
        v[(*count)++] = (uint32_t)number;
        return WEFT_OK;
    }
    const bool percent = pattern.n && *pattern.p == '%';
    const weft_str bare = { pattern.p + percent, pattern.n - percent };
    for (uint32_t i = 0; i < n; i++) {
        paths[i] = weft_argument_path(main, i, arena);
        if (!paths[i].p) return weft_oom();
        const weft_value *arg = weft_op_body(main, 0)->args[i];
        if (weft_glob_matches(pattern, name_of(main, i)) || weft_glob_matches(pattern, paths[i]) ||
            (arg->hint && weft_glob_matches(bare, weft_name_str(arg->hint))))
            v[(*count)++] = i;
    }
    return *count ? WEFT_OK : no_match(m, loc, pattern, paths, n);
}
