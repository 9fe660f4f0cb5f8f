/* jit.c: see jit.h. */
#include "codegen/jit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "codegen/object.h"
#include "exec/build.h"
#include "exec/cache.h"
#include "exec/walk.h"
#include "topology/cgroup.h"

enum { MOST_THREADS = 16, STACK_BYTES = 8 << 20, LEAST_PER_THREAD = 3 };

struct cg_jit {
    weft_context *cx;       /* until cg_jit_finish returns */
    weft_allocator alloc;
    const weft_compile_options *opt;
    cg_code_costs costs;
    weft_arena arena;
    cg_llvm_target target;
    weft_buf head;          /* of every key: build, LLVM, target, costs */
    cg_function *functions;
    size_t count, cap;
};

static cg_code_costs of_code(const weft_costs *c) {
    return (cg_code_costs){ .keep_weight = c->keep_weight, .row_bytes = c->row_bytes, .wide_least = c->wide_least,
                            .wide_most = c->wide_most, .inline_instructions = c->inline_instructions,
                            .strand_instructions = c->strand_instructions, .trade_bytes = c->trade_bytes };
}

weft_status cg_jit_new(weft_context *cx, const weft_compile_options *opt, const weft_costs *costs, cg_jit **out) {
    cg_jit *j = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *j);
    *out = NULL;
    if (!j) return weft_oom();
    *j = (cg_jit){ .cx = cx, .alloc = cx->alloc, .opt = opt, .costs = of_code(costs) };
    weft_arena_init(&j->arena, &cx->alloc);
    weft_buf_init(&j->head, &cx->alloc);
    weft_status st = cg_llvm_target_of(&j->arena, opt->cpu, &j->target);
    if (st == WEFT_OK) {
        weft_buf_printf(&j->head, "weft %s\nllvm %s\nmachine %s\ncpu %s\nfeatures %s\ncosts ", weft_build_name(),
                        j->target.version, weft_image_machine(), j->target.cpu, j->target.needs);
        weft_buf_put(&j->head, (const char *)&j->costs, sizeof j->costs);
        if (j->head.failed) st = weft_oom();
    }
    if (st == WEFT_OK) *out = j;
    else cg_jit_free(j);
    return st;
}

void cg_jit_free(cg_jit *j) {
    if (!j) return;
    weft_buf_free(&j->head);
    weft_arena_free(&j->arena);
    j->alloc.resize(j->alloc.user, j, sizeof *j, 0);
}

/* ---- functions ---- */

static weft_status add(cg_jit *j, uint32_t number, const cg_function *f) {
    if (number != j->count) return weft_report(j->cx, WEFT_D_internal, NULL, "a function is added out of order");
    if (j->count == j->cap &&
        !weft_arena_grow(&j->arena, (void **)&j->functions, &j->cap, j->count + 1, sizeof *j->functions))
        return weft_oom();
    j->functions[j->count++] = *f;
    return WEFT_OK;
}

weft_status cg_jit_add(cg_jit *j, const cg_kernel *k, bool splits, uint32_t number, const void *key, size_t key_bytes) {
    return add(j, number, &(cg_function){ CG_FUNCTION_KERNEL, .kernel = k, .splits = splits, .key = key,
                                          .key_bytes = key_bytes });
}

weft_status cg_jit_add_body(cg_jit *j, const cg_block *body, uint32_t number, const void *key, size_t key_bytes) {
    return add(j, number, &(cg_function){ CG_FUNCTION_BODY, .body = body, .key = key, .key_bytes = key_bytes });
}

static void put_number(weft_buf *b, int64_t v) { weft_buf_put(b, (const char *)&v, sizeof v); }

static void put_bytes(weft_buf *b, const void *p, size_t n) {
    put_number(b, (int64_t)n);
    weft_buf_put(b, p, n);
}

static void put_kernel(const cg_jit *j, weft_buf *b, const cg_strand_step *x) {
    const cg_function *f = &j->functions[x->number];
    const weft_split *s = &x->step->code.split;
    put_bytes(b, f->key, f->key_bytes);
    put_number(b, f->splits), put_number(b, s->grains), put_number(b, s->least), put_number(b, s->apart);
}

/* What its steps are, where their slices are, and what its kernels compute. */
static void put_strand(const cg_jit *j, weft_buf *b, const cg_strand *s) {
    put_number(b, s->count), put_number(b, s->base_count), put_number(b, s->part_count);
    for (uint32_t i = 0; i < s->part_count; i++) {
        const cg_strand_part *p = &s->parts[i];
        put_number(b, p->base), put_number(b, p->offset), put_number(b, p->bytes), put_number(b, p->written);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const cg_strand_step *x = &s->steps[i];
        const weft_step *step = x->step;
        put_number(b, x->does), put_number(b, step->kind);
        put_number(b, step->cond_steps), put_number(b, step->body_steps);
        put_bytes(b, step->branch_steps, step->branch_count * sizeof *step->branch_steps);
        put_bytes(b, x->places, step->slice_count * sizeof *x->places);
        if (x->does == CG_STRAND_KERNEL) put_kernel(j, b, x);
        if (x->does == CG_STRAND_COPY) put_bytes(b, step->code.state, step->code.state_bytes);
        if (x->does == CG_STRAND_CALL) put_number(b, x->number);
    }
}

weft_status cg_jit_add_strand(cg_jit *j, const cg_strand *s, uint32_t number) {
    cg_strand *copy = weft_arena_dup(&j->arena, s, sizeof *s, _Alignof(cg_strand));
    weft_buf key;
    weft_buf_init(&key, &j->alloc);
    put_strand(j, &key, s);
    void *kept = key.failed ? NULL : weft_arena_dup(&j->arena, key.p, key.n, 1);
    const size_t n = key.n;
    weft_buf_free(&key);
    if (!copy || !kept) return weft_oom();
    return add(j, number, &(cg_function){ CG_FUNCTION_STRAND, .strand = copy, .key = kept, .key_bytes = n });
}

/* ---- entries of the cache ---- */

static bool make_key(const cg_jit *j, const cg_function *f, weft_buf *b) {
    b->n = 0;
    weft_buf_put(b, j->head.p, j->head.n);
    put_number(b, f->kind), put_number(b, f->splits);
    weft_buf_put(b, f->key, f->key_bytes);
    return !b->failed;
}

/* Of functions that a cache has or has not. */
static bool read_entry(const cg_jit *j, const weft_cached *e, weft_arena *arena, weft_image *out) {
    weft_archive a = { .mode = WEFT_ARCHIVE_READ, .arena = arena, .at = e->data, .end = e->data + e->bytes };
    *out = (weft_image){ .machine = NULL };
    weft_image_walk(&a, out);
    return a.status == WEFT_OK && a.at == a.end && weft_image_whole(out) && out->function_count == 1 && out->machine &&
           !strcmp(out->machine, weft_image_machine()) && !strcmp(out->needs ? out->needs : "", j->target.needs);
}

static bool find(const cg_jit *j, const cg_function *f, weft_buf *key, weft_arena *arena, weft_image *out) {
    weft_cached e;
    if (!j->opt->cache || !make_key(j, f, key)) return false;
    if (!weft_cache_get(j->opt->cache, WEFT_CACHE_KERNEL, key->p, key->n, &e)) return false;
    const bool good = read_entry(j, &e, arena, out);
    weft_cache_release(&e);
    return good;
}

static void keep(const cg_jit *j, const cg_function *f, weft_buf *key, const weft_image *image) {
    static const char *const labels[] = { [CG_FUNCTION_KERNEL] = "kernel", [CG_FUNCTION_BODY] = "body",
                                          [CG_FUNCTION_STRAND] = "loop" };
    weft_buf data;
    if (!j->opt->cache || !make_key(j, f, key)) return;
    weft_buf_init(&data, &key->alloc);
    weft_archive a = { .mode = WEFT_ARCHIVE_WRITE, .out = &data };
    weft_image copy = *image;
    weft_image_walk(&a, &copy);
    if (a.status == WEFT_OK)
        weft_cache_put(j->opt->cache, WEFT_CACHE_KERNEL, labels[f->kind], key->p, key->n, data.p, data.n);
    weft_buf_free(&data);
}

/* ---- compilation on threads ---- */

typedef struct work {
    const cg_jit *j;
    const uint32_t *missing; uint32_t missing_count;
    uint32_t first;              /* where this process begins: others, at the same program, begin elsewhere */
    _Atomic uint32_t next;
    _Atomic bool failed;
    weft_image *images;          /* by function */
    cpu_set_t cores;             /* that threads may use beside this process's own; none: there are no others */
} work;

/* A thread has a context of its own, for its scratch and its reports, and owns what it makes. */
typedef struct worker {
    work *w;
    weft_context *cx;
    weft_arena arena;
    weft_status status;
    pthread_t thread;
    bool started;
} worker;

static weft_status compile_some(worker *me) {
    work *w = me->w;
    const cg_jit *j = w->j;
    cg_llvm *l = NULL;
    weft_buf key;
    weft_status st = WEFT_OK;
    weft_buf_init(&key, &me->cx->alloc);
    for (uint32_t i; st == WEFT_OK && !w->failed && (i = w->next++) < w->missing_count;) {
        const uint32_t number = w->missing[(w->first + i) % w->missing_count];
        const cg_function *f = &j->functions[number];
        if (j->opt->processes > 1 && find(j, f, &key, &me->arena, &w->images[number])) continue; /* another did it */
        if (!l) st = cg_llvm_new(me->cx, &j->target, &j->costs, &l);
        if (st == WEFT_OK) st = cg_llvm_compile(l, j->functions, number, &me->arena, &w->images[number]);
        if (st != WEFT_OK) break;
        w->images[number].needs = j->target.needs;
        keep(j, f, &key, &w->images[number]);
    }
    cg_llvm_free(l);
    weft_buf_free(&key);
    if (st != WEFT_OK) w->failed = true;
    return st;
}

static void *run_worker(void *me) {
    ((worker *)me)->status = compile_some(me);
    return NULL;
}

static void *run_thread(void *me) {
    const cpu_set_t *lent = &((worker *)me)->w->cores;
    if (CPU_COUNT(lent)) (void)sched_setaffinity(0, sizeof *lent, lent);
    return run_worker(me);
}

static bool start_thread(worker *me) {
    pthread_attr_t attr;
    if (pthread_attr_init(&attr)) return false;
    bool good = !pthread_attr_setstacksize(&attr, STACK_BYTES);
    good = good && !pthread_create(&me->thread, &attr, run_thread, me);
    pthread_attr_destroy(&attr);
    return good;
}

/* A launcher binds processes to cores of their own. Those that wait leave theirs idle: as many are lent as there are
 * such processes, and they are among the launcher's. */
static int borrow(int cores, int waiting, cpu_set_t *lent) {
    CPU_ZERO(lent);
    if (waiting < 1) return cores;
    if (sched_getaffinity(getppid(), sizeof *lent, lent) || CPU_COUNT(lent) <= cores) {
        CPU_ZERO(lent);
        return cores;
    }
    return (int)weft_min_i64(CPU_COUNT(lent), (int64_t)cores * (waiting + 1));
}

/* The processor cores that this process may use, as far as cgroups grant it their time; the processes of a job have a
 * share of them each. */
static uint32_t thread_count(const cg_jit *j, uint32_t missing, cpu_set_t *lent) {
    cpu_set_t set;
    const int own = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set),
              cores = borrow(own, j->opt->waiting, lent);
    uint32_t n = (uint32_t)weft_cgroup_room(cores, weft_cgroup_cores(&weft_cgroups_here));
    if (j->opt->processes > 1) n /= (uint32_t)j->opt->processes;
    if (n > missing / LEAST_PER_THREAD) n = missing / LEAST_PER_THREAD;
    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : n;
}

/* The first failure's report, for the caller's context. */
static weft_status report(const cg_jit *j, const worker *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].status == WEFT_OK) continue;
        const size_t said = weft_context_diag_count(v[i].cx);
        if (!said) return v[i].status;
        const weft_diag *d = weft_context_diag(v[i].cx, said - 1);
        return weft_report(j->cx, v[i].status == WEFT_ERR_UNSUPPORTED ? WEFT_D_unsupported : WEFT_D_internal, NULL,
                           "%s", d->message);
    }
    return WEFT_OK;
}

/* The caller is the last of the workers. What they made is joined before it is freed with them. */
static weft_status compile(const cg_jit *j, work *w, weft_arena *arena, weft_image *out) {
    worker v[MOST_THREADS] = { { .w = NULL } };
    const uint32_t n = w->missing_count ? thread_count(j, w->missing_count, &w->cores) : 0;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        v[i] = (worker){ .w = w, .cx = weft_context_new(NULL) };
        if (!v[i].cx) st = weft_oom();
        else weft_arena_init(&v[i].arena, &v[i].cx->alloc);
    }
    for (uint32_t i = 0; i + 1 < n && st == WEFT_OK; i++) v[i].started = start_thread(&v[i]);
    if (n && st == WEFT_OK) run_worker(&v[n - 1]);
    for (uint32_t i = 0; i < n; i++)
        if (v[i].started) pthread_join(v[i].thread, NULL);
    if (st == WEFT_OK) st = report(j, v, n);
    if (st == WEFT_OK) st = cg_images_join(arena, w->images, (uint32_t)j->count, out);
    for (uint32_t i = 0; i < n; i++) {
        if (!v[i].cx) continue;
        weft_arena_free(&v[i].arena);
        weft_context_free(v[i].cx);
    }
    return st;
}

static int by_size(const void *x, const void *y) {
    const cg_function *a = *(const cg_function *const *)x, *b = *(const cg_function *const *)y;
    if (a->key_bytes != b->key_bytes) return a->key_bytes > b->key_bytes ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The largest first, so that threads end at about one time. */
static weft_status sort_missing(const cg_jit *j, uint32_t *missing, uint32_t n) {
    const cg_function **v = weft_scratch_array(j->cx, const cg_function *, n);
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < n; i++) v[i] = &j->functions[missing[i]];
    qsort(v, n, sizeof *v, by_size);
    for (uint32_t i = 0; i < n; i++) missing[i] = (uint32_t)(v[i] - j->functions);
    return WEFT_OK;
}

static weft_status finish(cg_jit *j, const bool *wanted, weft_arena *arena, weft_image *out) {
    work w = { .j = j, .images = weft_scratch_array(j->cx, weft_image, j->count) };
    uint32_t *missing = weft_scratch_array(j->cx, uint32_t, j->count);
    weft_buf key;
    if (!w.images || !missing) return weft_oom();
    weft_buf_init(&key, &j->alloc);
    for (uint32_t i = 0; i < j->count; i++)
        if (wanted[i] && !find(j, &j->functions[i], &key, &j->arena, &w.images[i])) missing[w.missing_count++] = i;
    weft_buf_free(&key);
    w.missing = missing;
    if (w.missing_count && j->opt->processes > 1)
        w.first = (uint32_t)((uint64_t)w.missing_count * (uint64_t)j->opt->process / (uint64_t)j->opt->processes);
    weft_status st = sort_missing(j, missing, w.missing_count);
    if (st == WEFT_OK) st = compile(j, &w, arena, out);
    if (st != WEFT_OK) return st;
    out->machine = weft_image_machine();
    out->needs = weft_arena_strdup(arena, j->target.needs, strlen(j->target.needs));
    return out->needs ? WEFT_OK : weft_oom();
}

weft_status cg_jit_finish(cg_jit *j, const bool *wanted, weft_arena *arena, weft_image *out) {
    const weft_mark mark = weft_arena_mark(&j->cx->scratch);
    const weft_status st = finish(j, wanted, arena, out);
    weft_arena_reset(&j->cx->scratch, mark);
    return st == WEFT_OK && j->opt->cache ? weft_cache_tell(j->opt->cache) : st;
}
