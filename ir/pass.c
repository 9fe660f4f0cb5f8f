/* pass.c: looking up a pass's options. The pipeline checked their values when it parsed them. */
#include "ir/pass.h"

weft_str weft_pass_text(const weft_pass *p, const char *key, weft_str absent) {
    for (size_t i = 0; i < p->option_count; i++)
        if (weft_str_is(p->options[i].key, key)) return p->options[i].value;
    return absent;
}

bool weft_pass_flag(const weft_pass *p, const char *key, bool absent) {
    weft_str v = weft_pass_text(p, key, (weft_str){ NULL, 0 });
    return v.p ? weft_str_is(v, "true") || weft_str_is(v, "1") || !v.n : absent;
}

int64_t weft_pass_int(const weft_pass *p, const char *key, int64_t absent) {
    weft_str v = weft_pass_text(p, key, (weft_str){ NULL, 0 });
    if (!v.p) return absent;
    int64_t n = 0;
    size_t i = v.n && v.p[0] == '-';
    for (; i < v.n; i++) n = n * 10 + (v.p[i] - '0');
    return v.n && v.p[0] == '-' ? -n : n;
}

weft_status weft_pass_leave(const weft_pass *p, const char *key, weft_dump_moment when, const char *name,
                            const weft_module *m) {
    weft_str directory = weft_pass_text(p, key, (weft_str){ NULL, 0 });
    if (!directory.n || !p->dump) return WEFT_OK;
    return p->dump->write(p->dump->user, directory, when, weft_pass_int(p, "dump-index", 0), name, m);
}

weft_status weft_pass_rounds(const weft_module *in, weft_module **out, weft_pass_round_fn round, void *user) {
    weft_module *now = NULL;
    weft_status st = WEFT_OK;
    for (bool again = true; again && st == WEFT_OK;) {
        weft_module *next = NULL;
        st = round(user, now ? now : in, &next);
        again = next != NULL;
        if (!again) break;
        weft_module_free(now);
        now = next;
    }
    if (st == WEFT_OK) *out = now;
    else weft_module_free(now);
    return st;
}
