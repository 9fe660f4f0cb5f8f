/* cmd_doctor: `weft doctor FILE...`: reads the ranks' flight recorder files (collectives/flight_write.c) and names the
 * rank that the others waited for, or that made another call.
 *
 * Every call has a number in its group. A member whose last number there is below that of a call in which others are
 * has not reached it; it is the cause unless it waits in a call itself, which has another cause.
 */
#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include "tool/tool.h"

typedef struct call {
    int64_t number, turn, bytes;     /* of the rank's calls; of the group's */
    const char *group, *op, *type, *reduction, *axes, *place;
    const char *algorithm;           /* "": not chosen yet; ranks choose when all have arrived */
    bool waits;                      /* in progress, or ended by the failure */
} call;

typedef struct group {
    const char *name;
    const int *members;
    size_t count;
} group;

typedef struct rank {
    bool known;
    const char *state;
    int64_t calls;
    call *kept;
    size_t count;
} rank;

typedef struct records {
    weft_context *cx;
    rank *ranks;
    size_t rank_count;
    group *groups;
    size_t group_count;
    const char *reason;              /* the first one given */
    const char *run;                 /* of the first file that has one */
} records;

/* --- reading ------------------------------------------------------------------------------------------------------ */

static const char *text_of(records *r, json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? weft_arena_strdup(&r->cx->arena, s, strlen(s)) : "";
}

static int64_t number_of(json_t *o, const char *key) { return (int64_t)json_integer_value(json_object_get(o, key)); }

/* A zeroed list one longer, which keeps the old one's entries: lists are short, and grow by powers of
 * two. */
static void *longer(weft_context *cx, void *list, size_t count, size_t bytes) {
    if (count & (count - 1)) return list;
    void *next = weft_arena_array(&cx->arena, max_align_t,
                                  ((count ? 2 * count : 1) * bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t));
    if (next && count) memcpy(next, list, count * bytes);
    return next;
}

/* WEFT_ERR_INVALID, here and in add_line: an impossible line; read_file reports it. */
static weft_status add_group(records *r, json_t *o) {
    const char *name = text_of(r, o, "group");
    json_t *members = json_object_get(o, "members");
    for (size_t i = 0; i < r->group_count; i++)
        if (!strcmp(r->groups[i].name, name)) return WEFT_OK;
    size_t n = json_array_size(members);
    if (n == 0) return WEFT_ERR_INVALID;
    int *list = weft_arena_array(&r->cx->arena, int, n + 1);
    r->groups = longer(r->cx, r->groups, r->group_count, sizeof *r->groups);
    if (!list || !r->groups) return weft_oom();
    for (size_t i = 0; i < n; i++) {
        json_t *one = json_array_get(members, i);
        json_int_t member = json_integer_value(one);
        if (!json_is_integer(one) || member < 0 || (uint64_t)member >= r->rank_count) return WEFT_ERR_INVALID;
        list[i] = (int)member;
    }
    r->groups[r->group_count++] = (group){ name, list, n };
    return WEFT_OK;
}

static weft_status add_call(records *r, rank *to, json_t *o) {
    to->kept = longer(r->cx, to->kept, to->count, sizeof *to->kept);
    if (!to->kept) return weft_oom();
    to->kept[to->count++] = (call){ .number = number_of(o, "call"), .turn = number_of(o, "group_call"),
                                    .bytes = number_of(o, "bytes"), .group = text_of(r, o, "in_group"),
                                    .op = text_of(r, o, "op"), .type = text_of(r, o, "type"),
                                    .reduction = text_of(r, o, "reduction"), .axes = text_of(r, o, "axes"),
                                    .place = text_of(r, o, "place"), .algorithm = text_of(r, o, "algorithm"),
                                    .waits = strcmp(text_of(r, o, "state"), "done") != 0 };
    return WEFT_OK;
}

/* If several files have a rank, the one that knows most calls counts; *current: whether this file's is taken.
 */
static weft_status add_rank(records *r, json_t *o, bool *current) {
    int64_t n = number_of(o, "rank"), calls = number_of(o, "calls");
    *current = false;
    if (n < 0 || (size_t)n >= r->rank_count) return WEFT_OK;
    rank *to = &r->ranks[n];
    if (to->known && to->calls >= calls) return WEFT_OK;
    *to = (rank){ .known = true, .state = text_of(r, o, "state"), .calls = calls };
    *current = true;
    return WEFT_OK;
}

/* WEFT_ERR_MISMATCH: of another run than the files before. */
static weft_status add_head(records *r, json_t *o) {
    int64_t ranks = number_of(o, "ranks");
    const char *reason = text_of(r, o, "reason"), *run = text_of(r, o, "run");
    if (number_of(o, "weft_flight") != 1 || ranks < 1 || ranks > 1 << 24) return WEFT_ERR_INVALID;
    if (r->ranks && (size_t)ranks != r->rank_count) return WEFT_ERR_MISMATCH;
    if (*run && r->run && strcmp(run, r->run) != 0) return WEFT_ERR_MISMATCH;
    if (*run && !r->run) r->run = run;
    if (*reason && !r->reason) r->reason = reason;
    if (r->ranks) return WEFT_OK;
    r->ranks = weft_arena_array(&r->cx->arena, rank, (size_t)ranks);
    r->rank_count = r->ranks ? (size_t)ranks : 0;
    return r->ranks ? WEFT_OK : weft_oom();
}

static weft_status add_line(records *r, json_t *o, bool *current) {
    if (json_object_get(o, "weft_flight")) return add_head(r, o);
    if (json_object_get(o, "group")) return add_group(r, o);
    if (!json_object_get(o, "call")) return add_rank(r, o, current);
    int64_t n = number_of(o, "rank");
    return *current && n >= 0 && (size_t)n < r->rank_count ? add_call(r, &r->ranks[n], o) : WEFT_OK;
}

#define LINE_MOST ((size_t)1 << 28) /* a group of the most ranks possible */

typedef struct line {
    char *text;
    size_t n, room;
} line;

/* The next line of a file, up to a NUL at most: a user may name a file that is no text, or endless. Nothing: n is 0.
 */
static weft_status next_line(FILE *f, line *l) {
    l->n = 0;
    for (int c = 0; c != '\n' && l->n < LINE_MOST && (c = getc(f)) != EOF;
         l->text[l->n++] = (char)c, l->text[l->n] = 0) {
        if (l->n + 2 > l->room) {
            size_t room = l->room ? 2 * l->room : 1 << 12;
            char *p = realloc(l->text, room);
            if (!p) return weft_oom();
            l->text = p;
            l->room = room;
        }
        if (c == 0) break;
    }
    return WEFT_OK;
}

static weft_status read_line(records *r, const char *path, const line *l, size_t number, bool *current) {
    json_t *o = json_loadb(l->text, l->n, 0, NULL);
    weft_status st = json_is_object(o) && (number > 1 || json_object_get(o, "weft_flight")) ? add_line(r, o, current)
                                                                                            : WEFT_ERR_INVALID;
    json_decref(o);
    if (st == WEFT_ERR_INVALID)
        return weft_report(r->cx, WEFT_D_data, NULL, "%s is not a flight record: line %zu", path, number);
    if (st == WEFT_ERR_MISMATCH)
        return weft_report(r->cx, WEFT_D_data, NULL, "%s is of another run than the files before it", path);
    return st;
}

static weft_status read_file(records *r, const char *path) {
    FILE *f = fopen(path, "re");
    line l = { 0 };
    size_t number = 0;
    bool current = false;
    if (!f) return weft_report(r->cx, WEFT_D_file, NULL, "%s cannot be opened: %s", path, strerror(errno));
    weft_status st = next_line(f, &l);
    while (st == WEFT_OK && (l.n || !feof(f)) && !ferror(f)) {
        st = read_line(r, path, &l, ++number, &current);
        if (st == WEFT_OK) st = next_line(f, &l);
    }
    if (st == WEFT_OK && ferror(f))
        st = weft_report(r->cx, WEFT_D_file, NULL, "%s cannot be read: %s", path, strerror(errno));
    else if (st == WEFT_OK && number == 0) st = weft_report(r->cx, WEFT_D_data, NULL, "%s is empty", path);
    free(l.text);
    fclose(f);
    return st;
}

/* --- the analysis ------------------------------------------------------------------------------------------------- */

static const call *call_at(const rank *r, const char *group, int64_t turn) {
    for (size_t i = 0; i < r->count; i++)
        if (r->kept[i].turn == turn && !strcmp(r->kept[i].group, group)) return &r->kept[i];
    return NULL;
}

static int64_t last_turn(const rank *r, const char *group) {
    int64_t last = 0;
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->kept[i].group, group)) last = weft_max_i64(last, r->kept[i].turn);
    return last;
}

static const call *waiting_in(const rank *r) {
    for (size_t i = r->count; i-- > 0;)
        if (r->kept[i].waits) return &r->kept[i];
    return NULL;
}

static void print_call(const call *c) {
    printf("%s", c->op);
    if (*c->algorithm) printf(" (%s)", c->algorithm);
    if (*c->axes) printf(" over \"%s\"", c->axes);
    if (*c->type) printf(" of %lld bytes of %s", (long long)c->bytes, c->type);
    if (*c->reduction) printf(" by %s", c->reduction);
    if (*c->place) printf(" at %s", c->place);
}

static void print_blame(const records *r, int who, const group *g, const call *missed) {
    const rank *x = &r->ranks[who];
    const call *last = x->count ? &x->kept[x->count - 1] : NULL;
    printf("rank %d did not reach call %lld of its group, ", who, (long long)missed->turn);
    print_call(missed);
    printf("\n  rank %d: %s", who,
           !x->known                       ? "no record"
           : strcmp(x->state, "left") == 0 ? "it has closed its handles"
           : strcmp(x->state, "here") == 0 ? "it is there"
                                           : x->state);
    if (last) {
        printf("; %s its call %lld, ", last->waits ? "in" : "after", (long long)last->number);
        print_call(last);
    }
    printf("\n  waited for by ranks");
    for (size_t i = 0; i < g->count; i++) {
        const rank *m = &r->ranks[g->members[i]];
        const call *c = call_at(m, g->name, missed->turn);
        if (c && c->waits) printf(" %d", g->members[i]);
    }
    putchar('\n');
}

static bool same(const call *a, const call *b) {
    return !strcmp(a->op, b->op) && !strcmp(a->type, b->type) && !strcmp(a->reduction, b->reduction) &&
           !strcmp(a->place, b->place) && a->bytes == b->bytes;
}

/* One call of a group in which a rank waits: finds ranks that make another call, or have not arrived. Returns the
 * number of ranks named. */
static int judge(const records *r, const group *g, const call *c, int by, bool idle_only) {
    int named = 0;
    for (size_t i = 0; i < g->count; i++) {
        int who = g->members[i];
        const rank *x = &r->ranks[who];
        const call *theirs = call_at(x, g->name, c->turn);
        if (theirs && who > by && !same(theirs, c) && idle_only) {
            printf("rank %d calls ", who);
            print_call(theirs);
            printf(" where rank %d calls ", by);
            print_call(c);
            printf("\n  call %lld of their group\n", (long long)c->turn);
            named++;
        } else if (!theirs && last_turn(x, g->name) < c->turn && (waiting_in(x) == NULL) == idle_only) {
            print_blame(r, who, g, c);
            named++;
        }
    }
    return named;
}

/* Each group's newest call in which a rank waits, from the lowest rank in it. */
static int judge_all(const records *r, bool idle_only) {
    int named = 0;
    for (size_t i = 0; i < r->group_count; i++) {
        const group *g = &r->groups[i];
        const call *newest = NULL;
        int by = -1;
        for (size_t k = 0; k < r->rank_count; k++)
            for (size_t j = 0; j < r->ranks[k].count; j++) {
                const call *c = &r->ranks[k].kept[j];
                if (c->waits && !strcmp(c->group, g->name) && (!newest || c->turn > newest->turn))
                    newest = c, by = (int)k;
            }
        if (newest) named += judge(r, g, newest, by, idle_only);
    }
    return named;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    records r = { .cx = t->cx };
    weft_status st = WEFT_OK;
    (void)settings;
    if (t->launch.process != 0) return TOOL_DONE;
    for (size_t i = 0; i < count && st == WEFT_OK; i++) st = read_file(&r, arguments[i]);
    if (st != WEFT_OK) return tool_exit_of(st);
    if (r.reason) printf("reported: %s\n", r.reason);
    int named = judge_all(&r, true);
    if (!named) named = judge_all(&r, false); /* all of them wait: in a cycle, or for ranks without a file */
    if (!named) printf("no rank is missing: %zu ranks\n", r.rank_count);
    return TOOL_DONE;
}

const tool_command tool_cmd_doctor = {
    .name = "doctor",
    .arguments = "FILE...",
    .summary = "find the rank that blocked a run, from its flight records",
    .description =
        "Reads the last calls of each rank, which processes with WEFT_FLIGHT=PATH in their environment write to PATH.0, PATH.1, ... when\n"
        "a run fails, and whenever they receive SIGUSR1 while their ranks wait. Prints the rank that did not reach a call in which others\n"
        "waited, or made another call there, with the call's op, bytes, axes and source line, and its algorithm if one was chosen\n"
        "already.",
    .examples = "mpirun -x WEFT_FLIGHT=/tmp/flight -n 4 weft run train.mlir\n"
                "weft doctor /tmp/flight.*",
    .min_arguments = 1,
    .max_arguments = 100000,
    .run = run,
};
