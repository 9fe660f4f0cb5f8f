/* dryrun_compare.c: two reports side by side, and conditions on how they differ (pipeline/dryrun/condition.h). */
#include <math.h>
#include "base/nearest.h"
#include "pipeline/dryrun/condition.h"
#include "tool/dryrun_json.h"

enum { SCHEMA = 1 };

weft_status dryrun_json_load(tool *t, const char *path, json_t **out) {
    json_error_t e;
    json_t *read = json_load_file(path, 0, &e);
    if (!read && e.line < 0) return weft_report(t->cx, WEFT_D_file, NULL, "'%s' cannot be opened", path);
    if (!read) {
        const weft_name name = weft_name_from(t->cx, path);
        const weft_loc *loc = name ? weft_loc_file(t->cx, name, (uint32_t)e.line, (uint32_t)weft_max_i64(e.column,
                                                                                                         1)) : NULL;
        return weft_report(t->cx, WEFT_D_usage, loc, "this is no JSON: %s", e.text);
    }
    if (json_integer_value(json_object_get(read, "schema")) != SCHEMA || !json_object_get(read, "wire_bytes")) {
        json_decref(read);
        return weft_report(t->cx, WEFT_D_usage, NULL, "'%s' is no report of 'weft dryrun --json' with schema %d", path,
                           SCHEMA);
    }
    *out = read;
    return WEFT_OK;
}

/* ---- numbers ---- */

typedef void (*number_visit)(void *user, const char *key, double v);

/* Every number of the object, by keys joined by dots; lists are left out. */
static void each_number(const json_t *object, const char *before, number_visit visit, void *user) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        char path[256];
        const int n = snprintf(path, sizeof path, "%s%s%s", before, *before ? "." : "", key);
        if (n >= (int)sizeof path) continue;
        if (json_is_object(value)) each_number(value, path, visit, user);
        if (json_is_number(value) && strcmp(path, "schema")) visit(user, path, json_number_value(value));
    }
}

/* false: there is none of that name. */
static bool number_of(const json_t *object, weft_str key, double *out) {
    char name[256];
    const json_t *at = object;
    for (size_t from = 0; at && from <= key.n;) {
        size_t n = 0;
        while (from + n < key.n && key.p[from + n] != '.') n++;
        if (n >= sizeof name) return false;
        memcpy(name, key.p + from, n);
        name[n] = 0;
        at = json_object_get(at, name);
        from += n + 1;
    }
    if (!json_is_number(at)) return false;
    *out = json_number_value(at);
    return true;
}

/* ---- the table ---- */

typedef struct table { tool *t; const json_t *before; } table;

static bool ends_with(const char *key, const char *end) {
    const size_t n = strlen(key), k = strlen(end);
    return n >= k && !strcmp(key + n - k, end);
}

static void print_number(tool *t, const char *key, double v) {
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    const bool is_memory = !strncmp(key, "memory.", 7) || !strncmp(key, "memory_use.", 11) ||
                           !strncmp(key, "replicated_bytes.", 17) || !strncmp(key, "padding_bytes.", 14);
    if (ends_with(key, "_bytes") || is_memory) {
        if (v < 0) weft_buf_putc(&b, '-');
        weft_buf_bytes(&b, fabs(v));
    } else if (ends_with(key, "_s") || strstr(key, "class_time_s")) weft_buf_printf(&b, "%.4g ms", 1e3 * v);
    else if (ends_with(key, "mfu") || ends_with(key, "hfu")) weft_buf_printf(&b, "%.1f%%", 100 * v);
    else weft_buf_printf(&b, "%.6g", v);
    printf(" %13s", b.failed ? "" : b.p);
    weft_buf_free(&b);
}

static void print_change(double before, double now) {
    if (before == now) printf("        =\n");
    else if (before == 0) printf("      new\n");
    else printf(" %+7.1f%%\n", 100 * (now - before) / fabs(before));
}

static void print_row(void *user, const char *key, double now) {
    const table *x = user;
    double before = 0;
    const bool had = number_of(x->before, weft_str_from(key), &before);
    if (!had && now == 0) return;
    if (had && before == 0 && now == 0) return;
    printf("%-34.34s", key);
    if (had) print_number(x->t, key, before);
    else printf(" %13s", "");
    print_number(x->t, key, now);
    print_change(before, now);
}

/* Calls of the kind over the axes; both NULL terminated. */
static int64_t calls_of(const json_t *report, const char *kind, const char *axes, int64_t *wire) {
    int64_t n = 0;
    size_t i;
    json_t *one;
    *wire = 0;
    json_array_foreach(json_object_get(report, "collectives"), i, one) {
        if (strcmp(json_string_value(json_object_get(one, "kind")), kind) ||
            strcmp(json_string_value(json_object_get(one, "axes")), axes)) continue;
        n += json_integer_value(json_object_get(one, "count"));
        *wire += json_integer_value(json_object_get(one, "wire_bytes"));
    }
    return n;
}

static bool is_first(const json_t *report, size_t at, const char *kind, const char *axes) {
    const json_t *list = json_object_get(report, "collectives");
    for (size_t i = 0; i < at; i++) {
        const json_t *one = json_array_get(list, i);
        if (!strcmp(json_string_value(json_object_get(one, "kind")), kind) &&
            !strcmp(json_string_value(json_object_get(one, "axes")), axes)) return false;
    }
    return true;
}

/* The collectives of `of`: of `before` those that `now` has not. */
static void print_collectives(const table *x, const json_t *now, const json_t *of) {
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(of, "collectives"), i, one) {
        const char *kind = json_string_value(json_object_get(one, "kind"));
        const char *axes = json_string_value(json_object_get(one, "axes"));
        char name[128];
        int64_t wire_before, wire_now;
        if (!is_first(of, i, kind, axes)) continue;
        const int64_t before = calls_of(x->before, kind, axes, &wire_before), after = calls_of(now, kind, axes,
                                                                                               &wire_now);
        if (of != now && after) continue;
        snprintf(name, sizeof name, "%s over %s", kind, axes);
        printf("%-34.34s %10lld x   %10lld x  ", name, (long long)before, (long long)after);
        print_change((double)before, (double)after);
        printf("%-34s", "  bytes on the wire");
        print_number(x->t, "_bytes", (double)wire_before);
        print_number(x->t, "_bytes", (double)wire_now);
        print_change((double)wire_before, (double)wire_now);
    }
}

static void print_table(tool *t, const json_t *before, const char *before_name, const json_t *now,
                        const char *now_name) {
    table x = { t, before };
    const size_t a = strlen(before_name), b = strlen(now_name);
    printf("%-34s %13s %13s   change\n", "", a > 13 ? before_name + a - 13 : before_name,
           b > 13 ? now_name + b - 13 : now_name);
    each_number(now, "", print_row, &x);
    putchar('\n');
    print_collectives(&x, now, now);
    print_collectives(&x, now, before);
}

/* ---- conditions ---- */

typedef struct offering { weft_nearest near; weft_arena *arena; } offering;

static void offer(void *user, const char *key, double v) {
    offering *x = user;
    const char *kept = weft_arena_strdup(x->arena, key, strlen(key));
    (void)v;
    if (kept) weft_nearest_offer(&x->near, weft_str_from(kept));
}

static weft_status no_number(tool *t, const json_t *now, const weft_condition *c) {
    offering x = { weft_nearest_to(c->key), &t->cx->arena };
    each_number(now, "", offer, &x);
    return weft_report(t->cx, WEFT_D_usage, NULL, "--fail-on '%.*s': the report has no number '%.*s'" WEFT_NEAREST,
                       WEFT_STR_ARG(c->text), WEFT_STR_ARG(c->key), WEFT_NEAREST_ARG(x.near));
}

static weft_status check(tool *t, const json_t *before, const json_t *now, const char *text) {
    weft_condition c;
    double was = 0, is = 0;
    weft_status st = weft_condition_read(t->cx, text, &c);
    if (st != WEFT_OK) return st;
    if (!before && c.kind != WEFT_BOUND_VALUE)
        return weft_report(t->cx, WEFT_D_usage, NULL, "--fail-on '%s' is for a change: --diff FILE or a second program", text);
    if (!number_of(now, c.key, &is) || (before && !number_of(before, c.key, &was))) return no_number(t, now, &c);
    if (!weft_condition_fails(&c, was, is)) return WEFT_OK;
    if (!before) return weft_report(t->cx, WEFT_D_differ, NULL, "%.*s is %.10g: --fail-on '%s'", WEFT_STR_ARG(c.key),
                                    is, text);
    return weft_report(t->cx, WEFT_D_differ, NULL, "%.*s is %.10g and was %.10g: --fail-on '%s'", WEFT_STR_ARG(c.key),
                       is, was,
                       text);
}

weft_status dryrun_compare(tool *t, const json_t *before, const char *before_name, const json_t *now,
                           const char *now_name, const tool_list *conditions, dryrun_form form) {
    weft_status st = WEFT_OK;
    if (before && form == DRYRUN_TEXT) print_table(t, before, before_name, now, now_name);
    for (size_t i = 0; i < conditions->n && (st == WEFT_OK || st == WEFT_ERR_MISMATCH); i++) {
        const weft_status one = check(t, before, now, conditions->v[i]);
        if (one != WEFT_OK) st = one;
    }
    return st;
}
