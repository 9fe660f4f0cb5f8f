/* weak_main.c: explores the programs of weak_node.c, and then each again with one atomic access weaker than it is
 * written: some run must fail, or the order is stronger than necessary. A line "ok ..." or "not ok ..." for
 * each.
 *
 *   weak [long]
 */
#include "tests/model/weak_node.h"

#include <stdio.h>
#include <string.h>

static void say(const char *what, const char *why) {
    printf("%s %s%s%s\n", why ? "not ok" : "ok", what, why ? ": " : "", why ? why : "");
    fflush(stdout);
}

static const char *const order_names[] = { [memory_order_relaxed] = "relaxed", [memory_order_acquire] = "acquire",
                                           [memory_order_release] = "release",
                                           [memory_order_acq_rel] = "acquire and release" };

/* Orders that none of the programs needs, and why they stay. */
static const struct { const char *file, *what; int kind; const char *why; } stronger[] = {
    { "node.h", "&n->note->failed", WEAK_LOAD, "the reason is read by weft_node_reason, which acquires it itself" },
    { "meet.c", "&r->state", WEAK_LOAD, "the phase is looked at again, sequentially consistent" },
    { "weak_node.c", "&mine()->rank_note->state", WEAK_STORE, "the other side of that" },
    { "meet.c", "&g->choosy", WEAK_CHANGE, "the addition to the sleepers follows: who sees that sees this" },
    { "meet.c", "&g->choosy", WEAK_LOAD, "the look at the sleepers comes before it, and has seen what whoever counted itself did before that" },
    { "meet.c", "&g->bell", WEAK_CHANGE, "the system's fence before it wakes anybody orders it; a sleeper only has to see that it is another number" },
    { "meet.c", "&g->bell", WEAK_LOAD, "an old value only makes the system refuse to sleep, and acquire keeps the look at the phases behind it" },
};

static const char *why_stronger(const weak_site *s) {
    for (size_t i = 0; i < sizeof stronger / sizeof *stronger; i++)
        if (!strcmp(strrchr(s->file, '/') + 1, stronger[i].file) && !strcmp(s->what, stronger[i].what) &&
            (int)s->kind == stronger[i].kind)
            return stronger[i].why;
    return NULL;
}

/* The next weaker order. */
static memory_order weaker_than(const weak_site *s) {
    if (s->order != memory_order_seq_cst) return memory_order_relaxed;
    return s->kind == WEAK_LOAD    ? memory_order_acquire
           : s->kind == WEAK_STORE ? memory_order_release
                                   : memory_order_acq_rel;
}

/* Whether it goes wrong so, in any program. */
static bool breaks(const weak_site *s, memory_order o, size_t programs) {
    for (size_t i = 0; i < programs; i++) {
        weak_program p = weak_program_at(i);
        if (s->programs & p.bit && weak_explore(&p, s, o).error) return true;
    }
    return false;
}

int main(int argc, char **argv) {
    const size_t programs = weak_program_count(argc > 1 && !strcmp(argv[1], "long"));
    char what[512];
    const char *why;
    for (size_t i = 0; i < weak_litmus_count(); i++) {
        const char *name = weak_litmus(i, &why);
        say(name, why);
    }
    for (size_t i = 0; i < programs; i++) {
        weak_program p = weak_program_at(i);
        weak_result r = weak_explore(&p, NULL, memory_order_relaxed);
        snprintf(what, sizeof what, "%s: %ld states", p.name, r.states);
        say(what, r.error);
    }
    size_t count;
    const weak_site *sites = weak_sites(&count);
    for (size_t i = 0; i < count; i++) {
        const weak_site *s = &sites[i];
        if (!s->programs || s->order == memory_order_relaxed || why_stronger(s)) continue;
        memory_order o = weaker_than(s);
        snprintf(what, sizeof what, "%s:%d: %s must not be %s", strrchr(s->file, '/') + 1, s->line, s->what,
                 order_names[o]);
        say(what, breaks(s, o, programs) ? NULL : "nothing goes wrong");
    }
    return 0;
}
