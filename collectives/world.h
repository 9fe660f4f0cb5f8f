/* world.h: how a world is made: shared by world.c and its starters.
 *
 * A starter (MPI, a rendezvous, a test) brings a bootstrap over all processes, and perhaps a message transport of its
 * own. weft_world_start does the rest: the processes exchange cards, assign ranks to nodes, share memory within each
 * node and connect messages between nodes. After every step all of them learn the others' outcome, so that all go on,
 * take another way, or fail with the same words.
 */
#ifndef WEFT_COLLECTIVES_WORLD_H
#define WEFT_COLLECTIVES_WORLD_H

#include "collectives/comm.h"

#define WEFT_PACKAGE_NAMES 16 /* package names of a process; its ranks use them cyclically */

/* A process's card at start. */
typedef struct weft_process_card {
    uint64_t layout;         /* of the structs that processes exchange (wire.h) */
    int32_t local;           /* ranks */
    int32_t packages;        /* number of names below; more than fit: the text has too many */
    /* the ranks' packages, as numbers or hashes: rank i's is number i modulo packages, unless cores > 0 */
    uint32_t package[WEFT_PACKAGE_NAMES];
    int32_t cores;           /* > 0: rank i's package is that of its core, of so many; */
    int32_t core_end[WEFT_PACKAGE_NAMES]; /* cores up to the end of this package; */
    int32_t shares_cores;    /* the cores are shared with other processes' ranks of the node */
    /* the lowest process number on its node; every process fills it in once it has the cards */
    int32_t node;
    uint64_t host;           /* equal for processes of one node (host.c) */
    uint64_t machine;        /* equal for processes of one machine, which may be several nodes */
    uint64_t cpus[16];       /* processors that it may use: bits */
    int32_t has_fabric;      /* UCX has, or was told to use, a way to other nodes better than sockets */
    int32_t cache_cpus;      /* processors that share the last cache of its first one; 0: not known; */
    uint64_t cache_bytes;
    uint64_t forced;         /* a hash of its options for algorithms, equal on all processes */
    uint64_t ways;           /* and of its transports */
    uint64_t run;            /* process 0's is used: a number that no other run has */
} weft_process_card;

/* Assigns the ranks to processes and nodes by the cards. The world's memory is not made yet. */
weft_status weft_world_lay_out(weft_context *cx, const weft_world_options *opt, const weft_process_card *cards,
                               int process, int processes, weft_world **out);
/* How long ranks wait for each other, in ns; negative: for ever. */
int64_t weft_timeout_ns(double timeout_s);
/* This process's card without the node. */
weft_process_card weft_world_card(const weft_world_options *opt);
/* Reports why the world could not be made, with world->trouble, and returns st. */
weft_status weft_world_not_opened(weft_context *cx, const weft_world *w, weft_status st);

/* The parts that a starter brings. */
typedef struct weft_start {
    weft_bootstrap all;
    const weft_transport *messages;  /* its own message transport; NULL: none */
    void *messages_state;            /* the starter's, lent to the transport */
    const weft_secret *secret;       /* of the job; NULL: none */
} weft_start;

/* The world over these processes. On failure *out is NULL and the starter's parts are unchanged. */
weft_status weft_world_start(weft_context *cx, const weft_world_options *opt, const weft_start *s, weft_world **out);

/* packages.c: fills a process's card with its ranks' packages; the same, from the cores of a machine; and all ranks'
 * packages, once the cards and nodes are known. */
void weft_packages_tell(const weft_world_options *opt, weft_process_card *card);
void weft_packages_by_cores(const weft_topology *t, weft_process_card *card);
void weft_packages_lay_out(weft_world *w, const weft_process_card *cards);

/* host.c: the package of the machine that has all these processors; -1: there is none, or it is not known. */
int weft_package_of_cpus(const uint64_t *cpus, int words);

/* host.c: a number that is equal for processes that can share memory: of one boot of one machine, in one PID namespace
 * and one network namespace; name, if given, replaces the network namespace. */
uint64_t weft_host_id(const char *name);
/* The same for one boot of one machine: for processes that share its processors. */
uint64_t weft_machine_id(void);
/* host.c: whether the machine has network adapters with direct memory access (RDMA). */
bool weft_has_rdma(void);

/* select.c: reads weft_world_options.algorithms, or WEFT_ALGORITHMS of the environment. *out is from cx's allocator,
 * also when an error in the text is reported. */
weft_status weft_rules_read(weft_context *cx, const char *text, weft_alg_rules *out);
/* The text: the option's, else the environment's; may be NULL. */
const char *weft_rules_text(const weft_world_options *opt);
/* tuned.c: copies the links and algorithms measured on process 0's machine into every process's world; `all`: the cards
 * of all processes, NULL for one. And frees them. */
weft_status weft_world_tune(weft_context *cx, weft_world *w, const weft_world_options *opt, const weft_bootstrap *all);
void weft_world_untune(weft_world *w);
/* The distance between two processes of a node; of a process to itself: between its ranks. */
weft_link_level weft_world_level(const weft_world *w, int p, int q);

/* --- ways.c: the transports of the option or the environment --- */

typedef enum weft_sharing { WEFT_BY_NODE, WEFT_BY_PROCESS } weft_sharing; /* which processes share memory */
typedef struct weft_ways {
    weft_sharing sharing;
    weft_str messages;       /* a transport's name, lent by the text; empty: the best available */
} weft_ways;

/* "shm", "ucx", "shm,mpi": the option's, else the environment's. */
const char *weft_ways_text(const weft_world_options *opt);
/* Reports a text that names no such ways. A world of one process needs none, but its text is checked as well. */
weft_status weft_ways_read(weft_context *cx, const weft_world_options *opt, weft_ways *out);

/* --- switches.c --- */

/* The environment's value of a switch: 1 on, 0 off (or not set), -1 neither. */
int weft_switch_read(const char *text);
/* The options' value: above 0 on, below 0 off; 0: that of the environment's variable. */
bool weft_switch_is_on(int option, const char *variable);
/* Reports a variable that is neither 1 nor 0. */
weft_status weft_switches_check(weft_context *cx, const weft_world_options *opt);
/* weft_world_options.fast, or WEFT_FAST of the environment. */
weft_sums weft_sums_allowed(const weft_world_options *opt);

/* The beginning of every function that makes a world: sets *out to NULL, checks the required arguments, and fills
 * `asked` with the options as the caller's version has them (base/options.h). */
weft_status weft_world_asked(weft_context *cx, const weft_world_options *opt, weft_world_options *asked,
                             weft_world **out);

#endif
