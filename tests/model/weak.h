/* weak.h: every behaviour that C's memory model allows to a few threads, on the code as it is.
 *
 * Code that is compiled with -fsanitize=thread calls a function before each access to memory, and instead of each
 * atomic one. Here these functions are not the sanitizer's but those of an explorer (weak.c): it runs the threads as
 * coroutines, one access after another, and tries every order of them and every value that a load may return. So what
 * is checked is the room's own code, and cannot drift from it.
 *
 * The model. An atomic location has a list of all that was stored to it. A thread knows, of each location, the oldest
 * entry that it may still read; a load takes any from there on. What a release publishes is what its thread knows; who
 * acquires it knows that too; fences do the same for the relaxed accesses around them. Sequentially consistent fences
 * hand on what they know in the order in which they run; so do sequentially consistent accesses, each location for
 * itself. This is RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, Repairing sequential consistency in C/C++11, PLDI 2017),
 * in the form in which it runs of Kang, Hur, Lahav, Vafeiadis, Dreyer, A promising semantics for relaxed-memory
 * concurrency, POPL 2017, without its promises. Where the two differ from what runs here it allows more, but for this:
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
 * A thread that finds nothing to do gives its core away (sched_yield, nanosleep): it goes on when something that it has
 * read since was written again. If it had read something old, that look is as good as none, and is not followed. So
 * spinning ends, and who waits for ever is found.
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
    void *region;                 /* what the threads share, */
    size_t bytes;
    void (*begin)(void);          /* laid out anew before each run */
    void (*thread[WEAK_THREADS])(void);
    void (*end)(void);            /* NULL: nothing to look at after a run */
    int naps[WEAK_THREADS];       /* how often each may find nothing to do and go on all the same, to fall asleep */
    int dozes;                    /* how often a sleep of each may end by itself */
    unsigned bit;                 /* of weak_site.programs */
} weak_program;

/* An atomic access or fence in the text, in the order in which they were first reached. */
typedef struct weak_site {
    const char *file, *what;
    int line;
    enum { WEAK_LOAD, WEAK_STORE, WEAK_CHANGE, WEAK_FENCE } kind;
    memory_order order;           /* as written */
    unsigned programs;            /* those that reach it */
} weak_site;

typedef struct weak_result {
    const char *error;            /* NULL: none in any run */
    long states, runs;
} weak_result;

/* Every run of the program, up to the first error. weaker: a site (NULL: none) that is to be taken as of this order. */
weak_result weak_explore(const weak_program *p, const weak_site *weaker, memory_order order);
const weak_site *weak_sites(size_t *count);

/* --- for a program's threads --- */

/* One of n, each of which is tried. */
int weak_choose(int n);
/* The run is wrong; does not return. */
_Noreturn void weak_fail(const char *why);
#define WEAK_ASSERT(c) ((c) ? (void)0 : weak_fail(#c))
/* Nothing that the thread has read before makes a difference from here on, but for this number. */
void weak_forget(uint64_t what);
/* Its number. */
int weak_self(void);

/* The order of an access before it is known where it stands in the text: set by the macros of weak_sites.h. */
void weak_at(const char *file, int line, const char *what);

#endif
