/* weak.h: explores every behaviour that C's memory model allows to a few threads, on the real code.
 *
 * Code compiled with -fsanitize=thread calls a function before each access to memory, and instead of each atomic one.
 * Here these functions are not the sanitizer's but an explorer's (weak.c): it runs the threads as coroutines, one
 * access at a time, and tries every order of accesses and every value that a load may return. So the room's own code is
 * checked, not a model that may drift from it.
 *
 * The model. An atomic location has a list of all its stores. For each location a thread knows the oldest entry that it
 * may still read; a load takes any from there on. A release publishes its thread's knowledge, an acquire of it takes it
 * over; fences do the same for the relaxed accesses around them. Sequentially consistent fences pass on their knowledge
 * in the order in which they run; so do sequentially consistent accesses, each location for itself. This is RC11
 * (Lahav, Vafeiadis, Kang, Hur, Dreyer, Repairing sequential consistency in C/C++11, PLDI 2017), in the operational
 * form of Kang, Hur, Lahav, Vafeiadis, Dreyer, A promising semantics for relaxed-memory concurrency, POPL 2017, without
 * its promises. Where the two differ, the explorer allows more, with these exceptions:
 *   - a store is never seen before the loads that come before it in its thread have happened, as in RC11 (machines may,
 *     of relaxed accesses);
 *   - stores of two threads to one location, neither of which knows the other, are refused with a message: only
 *     locations that one thread stores to, or that are read and written in one step, are explored;
 *   - sequentially consistent accesses are in one order with what happens before, as in C17 (C++20 asks for less, for
 *     POWER's sake).
 *
 * Plain memory of the region is checked for races: two threads, one of which writes, without the one happening before
 * the other. Without a race plain accesses can be read at once, in any of the orders (C17, 5.1.2.4).
 *
 * A thread that finds nothing to do yields its core (sched_yield, nanosleep): it goes on when something that it has
 * read since was written again. If it had read an old value, the poll changes nothing, and is not followed. So spinning
 * ends, and a thread that waits for ever is found.
 */
#ifndef WEFT_TESTS_MODEL_WEAK_H
#define WEFT_TESTS_MODEL_WEAK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEAK_THREADS 4

typedef struct weak_program {
    const char *name;
    int threads;
    void *region;                 /* the threads' shared memory, */
    size_t bytes;
    void (*begin)(void);          /* initialised before each run */
    void (*thread[WEAK_THREADS])(void);
    void (*end)(void);            /* NULL: no check after a run */
    int naps[WEAK_THREADS];       /* how often each may go on without work, to fall asleep */
    int dozes;                    /* how often each one's sleep may end by itself */
    unsigned bit;                 /* of weak_site.programs */
} weak_program;

/* An atomic access or fence in the text; the list is in the order in which they were first reached. */
typedef struct weak_site {
    const char *file, *what;
    int line;
    enum { WEAK_LOAD, WEAK_STORE, WEAK_CHANGE, WEAK_FENCE } kind;
    memory_order order;           /* as written */
    unsigned programs;            /* programs that reach it */
} weak_site;

typedef struct weak_result {
    const char *error;            /* NULL: none in any run */
    long states, runs;
} weak_result;

/* Explores every run of the program, up to the first error. weaker: a site (NULL: none) to be run with this order. */
weak_result weak_explore(const weak_program *p, const weak_site *weaker, memory_order order);
const weak_site *weak_sites(size_t *count);

/* --- for a program's threads --- */

/* One of n alternatives; each is tried. */
int weak_choose(int n);
/* The run is wrong; does not return. */
_Noreturn void weak_fail(const char *why);
#define WEAK_ASSERT(c) ((c) ? (void)0 : weak_fail(#c))
/* From here on the thread's earlier reads make no difference, except through this number. */
void weak_forget(uint64_t what);
/* Its number. */
int weak_self(void);

/* The order of an access without a known site: set by the macros of weak_sites.h. */
void weak_at(const char *file, int line, const char *what);

#endif
