/* pattern.c: see pattern.h. */
#include "capi/pattern.h"
#include "base/glob.h"
#include "base/nearest.h"

/* The text up to a comma, without spaces around it; *rest begins after the comma. */
static weft_str next_item(weft_str *rest) {
    const char *end = rest->n ? memchr(rest->p, ',', rest->n) : NULL;
    weft_str item = { rest->p, end ? (size_t)(end - rest->p) : rest->n };
    rest->p += item.n + (end != NULL);
    rest->n -= item.n + (end != NULL);
    while (item.n && item.p[0] == ' ') item = (weft_str){ item.p + 1, item.n - 1 };
    while (item.n && item.p[item.n - 1] == ' ') item.n--;
    return item;
}

bool weft_pattern_matches(weft_str pattern, weft_str name) {
    bool chosen = false;
    while (pattern.n) {
        weft_str item = next_item(&pattern);
        const bool takes_away = item.n && item.p[0] == '!';
        if (takes_away) item = (weft_str){ item.p + 1, item.n - 1 };
        if (weft_glob_matches(item, name)) chosen = !takes_away;
    }
    return chosen;
}

static int role_of(const weft_graph_port *p) { return p->kept ? (int)p->kept->role : WEFT_ROLE_INPUT; }

bool weft_pattern_choose(weft_graph *g, const char *pattern, int role, size_t **v, size_t *n) {
    *n = 0;
    *v = weft_scratch_array(g->cx, size_t, g->inputs.n);
    if (!*v) return weft_graph_keep(g, weft_oom()) != NULL;
    if (!pattern || !*pattern)
        return weft_graph_fail(g, WEFT_D_usage, "a pattern of names is empty: \"*\" is all") != NULL;
    for (size_t i = 0; i < g->inputs.n; i++)
        if (role_of(&g->inputs.v[i]) == role &&
            weft_pattern_matches(weft_str_from(pattern), weft_name_str(g->inputs.v[i].name)))
            (*v)[(*n)++] = i;
    return true;
}

void weft_pattern_fail(weft_graph *g, const char *what, const char *pattern, int role) {
    weft_nearest near = weft_nearest_to(weft_str_from(pattern));
    size_t count = 0;
    for (size_t i = 0; i < g->inputs.n; i++)
        if (role_of(&g->inputs.v[i]) == role) {
            weft_nearest_offer(&near, weft_name_str(g->inputs.v[i].name));
            count++;
        }
    weft_graph_fail(g, WEFT_D_usage, "%s: none of %zu %s is called \"%s\"" WEFT_NEAREST, what, count,
                    role == WEFT_ROLE_INPUT ? "inputs" : "parameters", pattern, WEFT_NEAREST_ARG(near));
}
