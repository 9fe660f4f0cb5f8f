/* world.h: how a world is made: what world.c and its starters share.
 *
 * A starter (MPI, a rendezvous, a test) brings a bootstrap over all processes, and perhaps messages of its own;
 * weft_world_start does the rest: the processes exchange cards, lay out ranks and nodes, share memory within each node
 * and messages between them. After every step all of them learn how the others fared, so that all go on, take another
 * way, or fail with the same words.
 */
#ifndef WEFT_COLLECTIVES_WORLD_H
#define WEFT_COLLECTIVES_WORLD_H

#include "collectives/comm.h"

#define WEFT_PACKAGE_NAMES 16 /* that a process may give its ranks' packages, over and over */

/* What each process says of itself at start. */
typedef struct weft_process_card {
    uint64_t layout;         /* of what processes tell each other (wire.h) */
    int32_t local;           /* ranks */
    int32_t packages;        /* names below; more than there is room for: the text has too many */
    /* of its ranks' packages, as numbers or hashes: rank i's is number i modulo packages; but with cores > 0 */
    uint32_t package[WEFT_PACKAGE_NAMES];
    int32_t cores;           /* it is that of the core which the rank gets of so many; */
    int32_t core_end[WEFT_PACKAGE_NAMES]; /* of them in this package and those before; */
    int32_t shares_cores;    /* with its node's other ranks, not only with the process's own */
    /* the lowest process number on its node; filled in by all alike once the cards are there */
    int32_t node;
    uint64_t host;           /* the same for processes of one node (host.c) */
    uint64_t machine;        /* the same for processes of one machine, which may stand for several nodes */
    uint64_t cpus[16];       /* that it may use: bits */
    int32_t has_fabric;      /* UCX has, or was told, a way to other nodes that is better than sockets */
    int32_t cache_cpus;      /* the last cache of the first of its processors: how many share it; 0: not known; */
    uint64_t cache_bytes;
    uint64_t forced;         /* a hash of the algorithms that it forces or lets in, which all have to agree on */
    uint64_t ways;           /* and of the transports */
    uint64_t run;            /* process 0's counts: a number that no other run has */
} weft_process_card;

/* Lays the ranks over processes and nodes as the cards say. The world's memory is not made yet. */
weft_status weft_world_lay_out(weft_context *cx, const weft_world_options *opt, const weft_process_card *cards,
                               int process, int processes, weft_world **out);
/* How long ranks wait for each other; negative: for ever. */
int64_t weft_timeout_ns(double timeout_s);
/* This process's card but for the node. */
weft_process_card weft_world_card(const weft_world_options *opt);
/* Reports why the world could not be made, with world->trouble, and returns st. */
weft_status weft_world_not_opened(weft_context *cx, const weft_world *w, weft_status st);

/* What a starter brings. */
typedef struct weft_start {
    weft_bootstrap all;
    const weft_transport *messages;  /* MESSAGES that come with it; NULL: none */
    void *messages_state;            /* the starter's, lent to the transport */
    const weft_secret *secret;       /* of the job; NULL: none */
} weft_start;

/* The world over these processes. On failure *out is NULL and what the starter brought is as it was. */
weft_status weft_world_start(weft_context *cx, const weft_world_options *opt, const weft_start *s, weft_world **out);

/* packages.c: what a process tells of its ranks' packages; as it does where that is by the cores of a machine; and all
 * ranks' packages, once the cards and nodes are known. */
void weft_packages_tell(const weft_world_options *opt, weft_process_card *card);
void weft_packages_by_cores(const weft_topology *t, weft_process_card *card);
void weft_packages_lay_out(weft_world *w, const weft_process_card *cards);

/* host.c: the package of the machine that all these processors are in, -1: they are not in one, or nobody knows. */
int weft_package_of_cpus(const uint64_t *cpus, int words);

/* host.c: a number that processes have in common which can share memory: of one boot of one machine, in one PID
 * namespace and one network namespace; name, where one is given, stands for the network namespace. */
uint64_t weft_host_id(const char *name);
/* The same of one boot of one machine: processes that share its processors. */
uint64_t weft_machine_id(void);
/* host.c: whether the machine has adapters that read and write memory by themselves. */
bool weft_has_rdma(void);

/* select.c: reads weft_world_options.algorithms, or WEFT_ALGORITHMS of the environment. *out is drawn from cx's
 * allocator, also when the text is reported as wrong. */
weft_status weft_rules_read(weft_context *cx, const char *text, weft_alg_rule **out, size_t *count);
/* The text: the option's, else the environment's; may be NULL. */
const char *weft_rules_text(const weft_world_options *opt);
/* tuned.c: links and algorithms that were measured on process 0's machine into the world of all; `all`: of all
 * processes, NULL for one. And out again. */
weft_status weft_world_tune(weft_context *cx, weft_world *w, const weft_world_options *opt, const weft_bootstrap *all);
void weft_world_untune(weft_world *w);
/* How far two processes of a node are apart; one with itself: its ranks. */
weft_link_level weft_world_level(const weft_world *w, int p, int q);

/* --- ways.c: the transports that may be used --- */

typedef enum weft_sharing { WEFT_BY_NODE, WEFT_BY_PROCESS } weft_sharing; /* who has common memory */
typedef struct weft_ways {
    weft_sharing sharing;
    weft_str messages;       /* a transport's name, lent by the text; empty: the best that there is */
} weft_ways;

/* "shm", "ucx", "shm,mpi": the option's, else the environment's. */
const char *weft_ways_text(const weft_world_options *opt);
/* Reports a text that names no such ways. A world of one process needs none, and its text is read all the same. */
weft_status weft_ways_read(weft_context *cx, const weft_world_options *opt, weft_ways *out);

/* --- switches.c --- */

/* What the environment says of a switch: 1 on, 0 off (or not set), -1 neither of these. */
int weft_switch_read(const char *text);
/* What the options say of one: above 0 on, below 0 off; 0: as the environment's variable says. */
bool weft_switch_is_on(int option, const char *variable);
/* Reports a variable that says neither. */
weft_status weft_switches_check(weft_context *cx, const weft_world_options *opt);
/* weft_world_options.fast, or WEFT_FAST of the environment. */
weft_sums weft_sums_allowed(const weft_world_options *opt);

/* What every maker of worlds begins with: *out is NULL, what it cannot do without is there, and `asked` is what the
 * caller's version of the options says (base/options.h). */
weft_status weft_world_asked(weft_context *cx, const weft_world_options *opt, weft_world_options *asked,
                             weft_world **out);

#endif
