/* weak.c: see weak.h. Depth first: a run repeats the choices of the one before up to the last one with an untried
 * alternative. A state reached a second time is not followed again: the hash covers what each thread has read, what it
 * may still read, and all values. */
#include "tests/model/weak.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

enum { LOCATIONS = 64, ENTRIES = 48, SITES = 128, DEPTH = 4000, STEPS = 3000, STACK = 1 << 16 };

typedef struct knowledge {
    uint8_t oldest[LOCATIONS];         /* entry of each location that may still be read */
    uint16_t clock[WEAK_THREADS];      /* what of each thread happened before */
} knowledge;

typedef struct entry {                 /* one value that was stored */
    uint64_t value;
    int by;                            /* -1: there from the beginning */
    knowledge published;
} entry;

typedef struct location {
    void *at;
    int bytes, count;
    int consistent;                    /* the last entry that was stored sequentially consistent */
    entry list[ENTRIES];
} location;

typedef enum { READY, WAITS, ASLEEP, DONE } state;

typedef struct thread {
    ucontext_t context;
    state is;
    const location *bell;              /* ASLEEP: at this */
    /* what it has read since weak_forget: where it stands, and what it has in its own memory, follows from that */
    uint64_t history;
    /* later: from relaxed loads, for an acquire fence; fenced: at the last release fence */
    knowledge now, later, fenced;
    uint64_t read;                     /* locations, since it did anything but read; */
    int top[LOCATIONS];                /* of these, how many entries there were; */
    bool old, hurries;                 /* one was not the last; it goes on to its nap */
    bool has_published;                /* since it was last at plain memory */
    int naps, dozes;                   /* left: times that it hurries; that a sleep ends by itself */
} thread;

typedef struct plain {                 /* a byte of plain memory: its last writer, and all readers since */
    long run;
    int8_t writer;
    uint16_t written, read[WEAK_THREADS];
} plain;

static struct explorer {
    const weak_program *program;
    const weak_site *weaker;
    memory_order order;
    weak_site sites[SITES];
    size_t site_count;
    int site;                          /* of the access at hand; -1 */
    location locations[LOCATIONS];
    int location_count;
    thread threads[WEAK_THREADS];
    char *stacks;
    plain *plain;
    uint8_t fences[LOCATIONS];         /* what sequentially consistent fences hand on */
    int running;                       /* -1: none of them */
    ucontext_t main;
    struct { int ways, taken; } choices[DEPTH];
    int depth, position, steps;
    uint64_t *seen;
    size_t seen_cap, seen_count;
    const char *error;
    long run;
} E = { .site = -1, .running = -1 };

static thread *me(void) { return &E.threads[E.running]; }
int weak_self(void) { return E.running; }

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static _Noreturn void stop(const char *error) {
    E.error = error;
    setcontext(&E.main);
    abort();
}

void weak_fail(const char *why) { stop(why); }

/* What cannot be explored is no result. */
static _Noreturn void cannot(const char *why) {
    fprintf(stderr, "weak: %s: %s\n", E.program->name, why);
    exit(99);
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

static int choose(int ways) {
    if (ways == 1) return 0;
    if (E.position == DEPTH) cannot("too many choices in a run");
    if (E.position == E.depth) {
        E.choices[E.depth].ways = ways;
        E.choices[E.depth++].taken = 0;
    }
    if (E.choices[E.position].ways != ways) cannot("a run does not repeat itself");
    return E.choices[E.position++].taken;
}

/* Whether there is another way. */
static bool next_way(void) {
    while (E.depth && E.choices[E.depth - 1].taken + 1 == E.choices[E.depth - 1].ways) E.depth--;
    if (E.depth) E.choices[E.depth - 1].taken++;
    return E.depth > 0;
}

void weak_forget(uint64_t what) { me()->history = what; }

int weak_choose(int n) {
    int way = choose(n);
    me()->history = mix(me()->history, (uint64_t)way + 77);
    return way;
}

/* --- states ------------------------------------------------------------------------------------------------------- */

/* Of what is known only what can still be read counts. */
static uint64_t hash_knowledge(uint64_t h, const knowledge *k, const uint8_t *first) {
    for (int i = 0; i < E.location_count; i++)
        h = mix(h, (uint64_t)(k->oldest[i] > first[i] ? k->oldest[i] - first[i] : 0));
    for (int i = 0; i < E.program->threads; i++) h = mix(h, k->clock[i]);
    return h;
}

static uint64_t hash_thread(const thread *t, const uint8_t *first) {
    uint64_t h = mix(t->history, (uint64_t)t->is * 8 + t->old * 4u + t->hurries * 2u + t->has_published);
    h = mix(h, (uint64_t)(t->naps * 16 + t->dozes));
    if (t->is == DONE) return h;
    h = hash_knowledge(hash_knowledge(hash_knowledge(h, &t->now, first), &t->later, first), &t->fenced, first);
    for (int i = 0; i < E.location_count; i++)
        if (t->read >> i & 1) h = mix(h, (uint64_t)i << 8 | (uint64_t)(t->top[i] - first[i]));
    return h;
}

static uint64_t hash_location(uint64_t h, int i, const uint8_t *first) {
    const location *l = &E.locations[i];
    h = mix(h, (uint64_t)(l->consistent > first[i] ? l->consistent - first[i] : 0) << 8 |
                   (uint64_t)l->list[l->count - 1].by);
    for (int k = first[i]; k < l->count; k++)
        h = hash_knowledge(mix(h, l->list[k].value), &l->list[k].published, first);
    return h;
}

static uint64_t hash_state(void) {
    uint64_t h = 1;
    uint8_t first[LOCATIONS]; /* the oldest entry that anybody may read */
    for (int i = 0; i < E.location_count; i++) {
        first[i] = (uint8_t)(E.locations[i].count - 1);
        for (int t = 0; t < E.program->threads; t++)
            if (E.threads[t].is != DONE && E.threads[t].now.oldest[i] < first[i]) first[i] = E.threads[t].now.oldest[i];
        h = mix(h, (uint64_t)(E.fences[i] > first[i] ? E.fences[i] - first[i] : 0));
    }
    for (int i = 0; i < E.program->threads; i++) h = mix(h, hash_thread(&E.threads[i], first));
    for (int i = 0; i < E.location_count; i++) h = hash_location(h, i, first);
    return h;
}

static bool place(uint64_t *set, size_t cap, uint64_t h) {
    size_t at = h & (cap - 1);
    while (set[at] && set[at] != h) at = (at + 1) & (cap - 1);
    bool is_new = !set[at];
    set[at] = h;
    return is_new;
}

static bool is_new(uint64_t h) {
    if (2 * E.seen_count >= E.seen_cap) {
        size_t cap = E.seen_cap ? 2 * E.seen_cap : 1 << 16;
        uint64_t *set = calloc(cap, sizeof *set);
        if (!set) cannot("no memory");
        for (size_t i = 0; i < E.seen_cap; i++)
            if (E.seen[i]) place(set, cap, E.seen[i]);
        free(E.seen);
        E.seen = set;
        E.seen_cap = cap;
    }
    bool placed = place(E.seen, E.seen_cap, h ? h : 1);
    E.seen_count += placed;
    return placed;
}

/* --- which threads go on ------------------------------------------------------------------------------------------ */

static bool may_go_on(const thread *t) {
    if (t->is == WAITS)
        for (int i = 0; i < E.location_count; i++)
            if (t->read >> i & 1 && E.locations[i].count > t->top[i]) return true;
    return t->is == READY || (t->is == ASLEEP && t->dozes);
}

static void resume(int who) {
    thread *t = &E.threads[who];
    int from = E.running;
    if (t->is == ASLEEP) t->dozes--;
    if (t->is == WAITS) t->read = 0;
    t->is = READY;
    E.running = who;
    if (who != from) swapcontext(from < 0 ? &E.main : &E.threads[from].context, &t->context);
}

/* Before each access: another thread may come first. */
static void schedule(void) {
    int who[WEAK_THREADS], n = 0, awake = 0, site = E.site;
    if (++E.steps > STEPS) cannot("a run does not end");
    if (E.running >= 0 && E.position == E.depth && !is_new(hash_state())) stop(NULL);
    for (int i = 0; i < E.program->threads; i++) {
        if (!may_go_on(&E.threads[i])) continue;
        who[n++] = i;
        awake += E.threads[i].is != ASLEEP;
    }
    if (!awake) {
        for (int i = 0; i < E.program->threads; i++)
            if (E.threads[i].is != DONE) stop("a thread waits for ever");
        stop(NULL);
    }
    resume(who[choose(n)]);
    E.site = site;
}

static void run_thread(int who) {
    me()->history++; /* it has begun */
    E.program->thread[who]();
    me()->is = DONE;
    for (int i = 0; i < E.program->threads; i++)
        if (E.threads[i].is != DONE) schedule();
    E.running = -1;
    if (E.program->end) E.program->end();
    stop(NULL);
}

/* --- what a thread knows ------------------------------------------------------------------------------------------ */

static void learn_oldest(uint8_t *to, const uint8_t *from) {
    for (int i = 0; i < E.location_count; i++)
        if (to[i] < from[i]) to[i] = from[i];
}

static void learn(knowledge *to, const knowledge *from) {
    learn_oldest(to->oldest, from->oldest);
    for (int i = 0; i < WEAK_THREADS; i++)
        if (to->clock[i] < from->clock[i]) to->clock[i] = from->clock[i];
}

static bool acquires(memory_order o) {
    return o == memory_order_acquire || o == memory_order_acq_rel || o == memory_order_seq_cst ||
           o == memory_order_consume;
}
static bool releases(memory_order o) {
    return o == memory_order_release || o == memory_order_acq_rel || o == memory_order_seq_cst;
}

static void acted(thread *t) {
    t->read = 0;
    t->old = t->hurries = false;
}

static void fence(memory_order o) {
    thread *t = me();
    acted(t);
    if (acquires(o)) learn(&t->now, &t->later);
    if (o == memory_order_seq_cst) {
        learn_oldest(t->now.oldest, E.fences);
        learn_oldest(E.fences, t->now.oldest);
    }
    if (releases(o)) {
        t->fenced = t->now;
        t->has_published = true;
    }
    t->history = mix(t->history, 5);
}

static uint64_t value_at(const void *p, int bytes) {
    uint64_t v = 0;
    memcpy(&v, p, (size_t)bytes);
    return v;
}

static int find(void *at, int bytes) {
    int i = 0;
    while (i < E.location_count && E.locations[i].at != at) i++;
    if (i == LOCATIONS) cannot("too many locations");
    location *l = &E.locations[i];
    if (i == E.location_count) {
        E.location_count++;
        *l = (location){ .at = at, .bytes = bytes, .count = 1, .list[0] = { .value = value_at(at, bytes), .by = -1 } };
    }
    return i;
}

static bool is_shared(const void *p) {
    return (const char *)p >= (const char *)E.program->region &&
           (const char *)p < (const char *)E.program->region + E.program->bytes;
}

static memory_order at_site(int kind, memory_order o) {
    int s = E.site;
    E.site = -1;
    if (s < 0) return o;
    E.sites[s].kind = kind;
    E.sites[s].order = o;
    return &E.sites[s] == E.weaker ? E.order : o;
}

/* Takes entry k of the location. */
static uint64_t take(int i, int k, memory_order o) {
    thread *t = me();
    location *l = &E.locations[i];
    const entry *e = &l->list[k];
    t->now.oldest[i] = (uint8_t)k;
    learn(acquires(o) ? &t->now : &t->later, &e->published);
    t->history = mix(t->history, e->value);
    return e->value;
}

static uint64_t load(const void *p, int bytes, memory_order o) {
    int i = find((void *)(uintptr_t)p, bytes);
    location *l = &E.locations[i];
    thread *t = me();
    int from = t->now.oldest[i], last = l->count - 1;
    if (o == memory_order_seq_cst && from < l->consistent) from = l->consistent;
    int k = last - choose(last - from + 1);
    if (k < last) t->old = true;
    if (!(t->read >> i & 1)) t->top[i] = l->count;
    t->read |= (uint64_t)1 << i;
    return take(i, k, o);
}

/* For a thread that does not wait: the value that it has seen, as if it had read again at once, before any other thread
 * ran. */
static uint64_t known(const void *p, int bytes) {
    const location *l = &E.locations[find((void *)(uintptr_t)p, bytes)];
    return l->list[me()->now.oldest[l - E.locations]].value;
}

static void store(void *p, int bytes, uint64_t v, memory_order o, const knowledge *also) {
    int i = find(p, bytes);
    location *l = &E.locations[i];
    thread *t = me();
    if (t->now.oldest[i] != l->count - 1 && l->list[l->count - 1].by != E.running)
        cannot("two threads store to one location, neither of which knows the other");
    if (l->count == ENTRIES) cannot("too many stores to one location");
    acted(t);
    t->now.oldest[i] = (uint8_t)l->count;
    entry *e = &l->list[l->count++];
    *e = (entry){ .value = v, .by = E.running, .published = releases(o) ? t->now : t->fenced };
    if (also) learn(&e->published, also);
    e->published.oldest[i] = t->now.oldest[i];
    if (releases(o)) t->has_published = true;
    if (o == memory_order_seq_cst) l->consistent = l->count - 1;
    t->history = mix(t->history, 3);
    memcpy(p, &v, (size_t)bytes);
}

static uint64_t change(void *p, int bytes, uint64_t v, int sign, memory_order o) {
    int i = find(p, bytes);
    location *l = &E.locations[i];
    knowledge before = l->list[l->count - 1].published; /* a release sequence goes on through it */
    uint64_t old = take(i, l->count - 1, o);
    store(p, bytes, sign > 0 ? old + v : old - v, o, &before);
    return old;
}

/* --- plain memory ------------------------------------------------------------------------------------------------- */

static void race_free(const void *p, size_t n, bool writes) {
    if (E.running < 0 || !is_shared(p)) return;
    uint16_t *clock = me()->now.clock;
    clock[E.running] += me()->has_published; /* this does not happen before what was published */
    me()->has_published = false;
    for (size_t i = 0; i < n; i++) {
        plain *b = &E.plain[(const char *)p - (const char *)E.program->region + (ptrdiff_t)i];
        if (b->run != E.run) *b = (plain){ .run = E.run, .writer = -1 };
        if (b->writer >= 0 && b->written > clock[b->writer])
            stop(writes ? "a race: two threads write the same plain memory"
                        : "a race: plain memory is read before what was written is known");
        for (int t = 0; writes && t < WEAK_THREADS; t++)
            if (t != E.running && b->read[t] > clock[t])
                stop("a race: plain memory is written while another thread may read it");
        if (writes) b->writer = (int8_t)E.running, b->written = clock[E.running];
        else b->read[E.running] = clock[E.running];
    }
}

/* --- the system --------------------------------------------------------------------------------------------------- */

/* Nothing to do; see weak.h. */
static int give_way(void) {
    thread *t = me();
    if (t->hurries) return 0;
    if (t->old) stop(NULL);
    if (t->naps && choose(2)) {
        t->naps--;
        t->hurries = true;
        t->read = 0;
        t->history = mix(t->history, 9);
        return 0;
    }
    t->is = WAITS;
    schedule();
    return 0;
}

int sched_yield(void) { return give_way(); }
int nanosleep(const struct timespec *t, struct timespec *rest) {
    (void)t, (void)rest;
    return give_way();
}

/* Time stands still: a waiting thread is woken by others, or by naps that end. */
int clock_gettime(clockid_t clock, struct timespec *out) {
    (void)clock;
    *out = (struct timespec){ .tv_sec = 1 };
    return 0;
}

/* A futex: reading the word and falling asleep are one step, before which is a fence, as before reading the list of
 * sleepers (Linux, kernel/futex/waitwake.c). */
long syscall(long number, ...) {
    va_list args;
    va_start(args, number);
    void *word = va_arg(args, void *);
    int op = va_arg(args, int);
    uint32_t seen = va_arg(args, uint32_t);
    va_end(args);
    if (number != SYS_futex) cannot("a system call that is not known");
    E.site = -1;
    schedule();
    fence(memory_order_seq_cst);
    int i = find(word, 4);
    if (op == FUTEX_WAKE) {
        for (int t = 0; t < E.program->threads; t++)
            if (E.threads[t].is == ASLEEP && E.threads[t].bell == &E.locations[i]) E.threads[t].is = READY;
        return 0;
    }
    thread *t = me();
    if (load(word, 4, memory_order_relaxed) != seen) return -1;
    t->is = ASLEEP;
    t->bell = &E.locations[i];
    schedule();
    return 0;
}

/* --- what the compiler calls -------------------------------------------------------------------------------------- */

void weak_at(const char *file, int line, const char *what) {
    size_t i = 0;
    if (E.running < 0) return;
    while (i < E.site_count &&
           (E.sites[i].line != line || strcmp(E.sites[i].file, file) || strcmp(E.sites[i].what, what)))
        i++;
    if (i == SITES) cannot("too many places");
    if (i == E.site_count) E.sites[E.site_count++] = (weak_site){ .file = file, .line = line, .what = what };
    E.sites[i].programs |= E.program->bit;
    E.site = (int)i;
}

#define PLAIN(n) \
    void __tsan_read##n(void *p) { race_free(p, n, false); } \
    void __tsan_write##n(void *p) { race_free(p, n, true); } \
    void __tsan_unaligned_read##n(void *p) { race_free(p, n, false); } \
    void __tsan_unaligned_write##n(void *p) { race_free(p, n, true); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
void __tsan_read_range(void *p, size_t n) { race_free(p, n, false); }
void __tsan_write_range(void *p, size_t n) { race_free(p, n, true); }
void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}

#define ATOMIC(bits, type) \
    type __tsan_atomic##bits##_load(const volatile type *p, int o) { \
        if (E.running < 0) return *p; \
        if (me()->hurries) return (type)known((const void *)p, bits / 8); \
        schedule(); \
        return (type)load((const void *)p, bits / 8, at_site(WEAK_LOAD, (memory_order)o)); \
    } \
    void __tsan_atomic##bits##_store(volatile type *p, type v, int o) { \
        if (E.running < 0) { \
            *p = v; \
            return; \
        } \
        schedule(); \
        store((void *)p, bits / 8, v, at_site(WEAK_STORE, (memory_order)o), NULL); \
    } \
    type __tsan_atomic##bits##_fetch_add(volatile type *p, type v, int o) { \
        schedule(); \
        return (type)change((void *)p, bits / 8, v, 1, at_site(WEAK_CHANGE, (memory_order)o)); \
    } \
    type __tsan_atomic##bits##_fetch_sub(volatile type *p, type v, int o) { \
        schedule(); \
        return (type)change((void *)p, bits / 8, v, -1, at_site(WEAK_CHANGE, (memory_order)o)); \
    } \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected, type v, int good, int bad) { \
        schedule(); \
        location *l = &E.locations[find((void *)p, bits / 8)]; \
        memory_order o = at_site(WEAK_CHANGE, (memory_order)good); \
        if ((type)l->list[l->count - 1].value == *expected && \
            !choose(2 - (me()->now.oldest[l - E.locations] == l->count - 1))) { \
            change((void *)p, bits / 8, (type)(v - *expected), 1, o); \
            return 1; \
        } \
        type old = (type)load((const void *)p, bits / 8, (memory_order)bad); \
        if (old == *expected) stop(NULL); /* it would have been exchanged */ \
        *expected = old; \
        return 0; \
    }
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int o) {
    if (E.running < 0) return;
    schedule();
    memory_order order = at_site(WEAK_FENCE, (memory_order)o);
    if (order != memory_order_relaxed) fence(order);
    else me()->history = mix(me()->history, 6); /* it is past it: another state than before it */
}

void *weak_memcpy(void *to, const void *from, size_t n) {
    race_free(from, n, false);
    race_free(to, n, true);
    return memcpy(to, from, n);
}

int weak_snprintf(char *to, size_t n, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int made = vsnprintf(to, n, format, args);
    va_end(args);
    race_free(to, made < (int)n ? (size_t)made + 1 : n, true);
    return made;
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

static void begin_run(void) {
    const weak_program *p = E.program;
    E.running = -1;
    E.site = -1;
    E.position = E.steps = 0;
    E.run++;
    memset(E.fences, 0, sizeof E.fences);
    p->begin();
    for (int i = 0; i < E.location_count; i++) {
        location *l = &E.locations[i];
        l->count = 1;
        l->consistent = 0;
        l->list[0] = (entry){ .value = value_at(l->at, l->bytes), .by = -1 };
    }
    for (int i = 0; i < p->threads; i++) {
        thread *t = &E.threads[i];
        t->is = READY;
        t->history = (uint64_t)i + 1;
        t->now = t->later = t->fenced = (knowledge){ 0 };
        t->now.clock[i] = 1;
        t->naps = p->naps[i];
        t->dozes = p->dozes;
        t->has_published = false;
        acted(t);
        getcontext(&t->context);
        t->context.uc_stack.ss_sp = E.stacks + (size_t)i * STACK;
        t->context.uc_stack.ss_size = STACK;
        t->context.uc_link = NULL;
        makecontext(&t->context, (void (*)(void))run_thread, 1, i);
    }
}

weak_result weak_explore(const weak_program *p, const weak_site *weaker, memory_order order) {
    E.program = p;
    E.weaker = weaker;
    E.order = order;
    E.depth = E.location_count = 0;
    E.run = 0;
    E.error = NULL;
    E.seen_count = 0;
    if (E.seen) memset(E.seen, 0, E.seen_cap * sizeof *E.seen);
    E.stacks = malloc((size_t)WEAK_THREADS * STACK);
    E.plain = calloc(p->bytes, sizeof *E.plain);
    if (!E.stacks || !E.plain) cannot("no memory");
    do {
        begin_run();
        schedule(); /* returns when stop() says so */
    } while (!E.error && next_way());
    E.running = -1;
    free(E.stacks);
    free(E.plain);
    return (weak_result){ .error = E.error, .states = (long)E.seen_count, .runs = E.run };
}

const weak_site *weak_sites(size_t *count) {
    *count = E.site_count;
    return E.sites;
}
